"""A connection to one server, by the official SDK, held open by a separate task."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path
from typing import Any

from autocraft import __version__
from autocraft.agent.threads import run_in_thread
from autocraft.errors import CommandError
from autocraft.http_client import Refusal, open_client
from autocraft.installation import install_line
from autocraft.mcp.client.child import ALWAYS, MOST_LINE, PATIENCE, child
from autocraft.mcp.client.definitions import MOST_TOOLS, Definition
from autocraft.mcp.client.servers import Server, fill
from autocraft.protocols import Args
from autocraft.sandbox.settings import CodeSettings
from autocraft.text.messages import said_by_library
from autocraft.text.phrases import beginning


class ServerLost(Exception):
    """Raised when the server cannot be started, or has ended. The text says why."""


class Connection:
    """A server that is started or asked. It gets nothing but calls: no model, no form, no list of folders."""

    def __init__(self, server: Server, environment: Mapping[str, str], *, confined: bool = False) -> None:
        self.server = server
        self._environment = environment
        self._confined = confined
        self._errors = bytearray()
        self._fault: BaseException | None = None
        """What ended the connection, once its task has ended."""
        self._leave = asyncio.Event()
        self._client: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._holder = asyncio.create_task(self._hold())

    async def tools(self) -> list[Definition]:
        """Ask the server for its tools, and return what it says of them. Raises ServerLost."""
        try:
            async with asyncio.timeout(self.server.access.start_seconds):
                client = await asyncio.shield(self._client)
                return await self._definitions(client)
        except TimeoutError:
            raise ServerLost(f"it did not answer within {self.server.access.start_seconds:g} s") from None
        except Exception as error:  # noqa: BLE001 - whatever the server or the connection does
            raise ServerLost(await self._why(error)) from None

    async def call(self, tool: str, args: Args) -> Any:
        """Return the SDK's result of a call. Raises ServerLost, CommandError and TimeoutError."""
        from mcp.shared.exceptions import MCPError
        from mcp.types import CONNECTION_CLOSED, InputRequiredResult

        client = await asyncio.shield(self._client)
        try:
            async with asyncio.timeout(self.server.access.seconds):
                result = await client.session.call_tool(tool, args, allow_input_required=True)
        except TimeoutError:
            raise
        except MCPError as error:
            if error.error.code == CONNECTION_CLOSED or self._holder.done() or self._is_unreadable(error):
                raise ServerLost(await self._why(error)) from None
            raise CommandError(f"it refused the call: {error.error.message}") from None
        except Exception as error:  # noqa: BLE001 - what a result of the server may cause
            raise ServerLost(await self._why(error)) from None
        if isinstance(result, InputRequiredResult):
            raise CommandError("it asks the person for something, or for more than the call, and gets no answer")
        return result

    async def close(self) -> None:
        """End the server. It takes a few seconds at most."""
        self._leave.set()
        if not self._client.done():
            self._holder.cancel()
        finished_tasks, _ = await asyncio.wait([self._holder], timeout=3 * PATIENCE)
        if not finished_tasks:
            self._holder.cancel()
            await asyncio.wait([self._holder], timeout=PATIENCE)

    async def _hold(self) -> None:
        """Enter and leave the SDK's client in one task, as the SDK requires."""
        try:
            async with AsyncExitStack() as stack:
                from mcp.client.client import Client
                from mcp.types import Implementation

                if not logging.getLogger("mcp").handlers:  # else the SDK's notes would be printed on the terminal
                    logging.getLogger("mcp").addHandler(logging.NullHandler())
                transport = await self._transport(stack)
                about = Implementation(name="autocraft", version=__version__)
                client = Client(transport, cache=None, client_info=about)
                self._client.set_result(await stack.enter_async_context(client))
                await self._leave.wait()
        except ImportError:
            self._fail(ServerLost(f"the official SDK is missing: {install_line('mcp')}"))
        except BaseException as error:
            self._fault = error
            self._fail(error if isinstance(error, Exception) else ServerLost("it was stopped"))
            if not isinstance(error, Exception):
                raise

    def _fail(self, error: Exception) -> None:
        if not self._client.done():
            self._client.set_exception(error)
            self._client.exception()  # marks it as seen: nobody may be waiting for the client

    async def _transport(self, stack: AsyncExitStack) -> Any:
        server = self.server
        if server.url:
            import httpx2
            from mcp.client.streamable_http import streamable_http_client

            headers = {name: fill(value, self._environment, server.name) for name, value in server.headers.items()}
            timeout = httpx2.Timeout(30.0, read=300.0)
            http = open_client(server.url, timeout, setting=f"mcp.servers.{server.name}.url", headers=headers)
            own_client = await stack.enter_async_context(http)
            return streamable_http_client(server.url, http_client=own_client, max_sse_event_size=MOST_LINE)
        own = {name: fill(value, self._environment, server.name) for name, value in server.env.items()}
        environment = {name: self._environment[name] for name in ALWAYS if name in self._environment} | own
        program = server.program(environment)
        if program is None:
            raise ServerLost(server.no_program)
        command = [program, *server.args]
        if self._confined:
            job, environment = await self._confine(command, environment, stack)
            return child(command, environment, Path("/"), self._errors, job)
        return child(command, environment, server.folder, self._errors)

    async def _confine(
        self, command: Sequence[str], environment: Mapping[str, str], stack: AsyncExitStack
    ) -> tuple[str, dict[str, str]]:
        """Return the job that confines the server, and its environment. Raises CommandError if it cannot be confined.

        Its home folder is removed at its end.
        """
        from autocraft.sandbox.confinement import confinement
        from autocraft.sandbox.folder import SandboxFolder
        from autocraft.sandbox.protection import check_confining

        reach = self.server.reach
        try:
            await run_in_thread(partial(check_confining, network=reach.network))
        except CommandError as error:
            way = f"to start it all the same, set mcp.servers.{self.server.name}.confine to false"
            raise CommandError(f"{error}; {way}") from None
        folder = SandboxFolder(CodeSettings())
        stack.push_async_callback(run_in_thread, folder.remove)
        return confinement(folder, command, self.server.cwd, reach, environment)

    async def _definitions(self, client: Any) -> list[Definition]:
        from mcp.types import PaginatedRequestParams

        tools: list[Definition] = []
        params = None
        while True:  # pages without end are cut off by the limit of time
            page = await client.session.list_tools(params=params)
            tools += [Definition(each.name, each.description or "", dict(each.input_schema)) for each in page.tools]
            if not page.next_cursor or len(tools) > MOST_TOOLS:
                return tools
            params = PaginatedRequestParams(cursor=page.next_cursor)

    def _is_unreadable(self, error: BaseException) -> bool:
        """Tell whether the SDK could not read an answer over HTTP, which it makes an error of the server."""
        return bool(self.server.url) and str(error).startswith(("Failed to parse", "SSE stream failed"))

    async def _why(self, error: BaseException) -> str:
        """Return the reason of the innermost error, and the last line that the server printed to standard error."""
        if self.server.url:  # the fault of a connection comes a little later than the end of its calls
            await asyncio.wait([self._holder], timeout=0 if self._is_unreadable(error) else PATIENCE)
            error = self._fault or error
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        if isinstance(error, ServerLost | CommandError):
            return str(error)
        if isinstance(error, Refusal):
            return f"it {error}"
        if self._is_unreadable(error):
            return f"it sent a message {said_by_library(str(error))}"
        lines = self._errors.decode("utf-8", "replace").strip().splitlines()
        last = f" ({beginning(lines[-1], 200)})" if lines else ""
        keys = f"read, write and network of mcp.servers.{self.server.name}"
        confined = f"; it is confined, and {keys} say what it may use" if self._confined else ""
        return f"{beginning(str(error), 200) or type(error).__name__}{last}{confined}"
