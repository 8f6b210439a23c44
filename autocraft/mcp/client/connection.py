"""A connection to one server, by the official SDK, held open by a separate task."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

from autocraft import __version__
from autocraft.errors import CommandError
from autocraft.http_client import open_client
from autocraft.mcp.client.child import ALWAYS, PATIENCE, child
from autocraft.mcp.client.definitions import MOST_TOOLS, Definition
from autocraft.mcp.client.servers import Server, fill
from autocraft.protocols import Args
from autocraft.text.phrases import beginning, pip_install


class ServerLost(Exception):
    """Raised when the server cannot be started, or has ended. The text says why."""


class Connection:
    """A server that is started or asked. It gets nothing but calls: no model, no form, no list of folders."""

    def __init__(self, server: Server, environment: Mapping[str, str]) -> None:
        self.server = server
        self._environment = environment
        self._errors = bytearray()
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
            raise ServerLost(self._why(error)) from None

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
            if error.error.code == CONNECTION_CLOSED or self._holder.done():
                raise ServerLost(self._why(error)) from None
            raise CommandError(f"it refused the call: {error.error.message}") from None
        except Exception as error:  # noqa: BLE001 - what a result of the server may cause
            raise ServerLost(self._why(error)) from None
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

                transport = await self._transport(stack)
                about = Implementation(name="autocraft", version=__version__)
                client = Client(transport, cache=None, client_info=about)
                self._client.set_result(await stack.enter_async_context(client))
                await self._leave.wait()
        except ImportError:
            self._fail(ServerLost(f"the official SDK is missing: {pip_install('mcp')}"))
        except BaseException as error:
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
            return streamable_http_client(server.url, http_client=await stack.enter_async_context(http))
        own = {name: fill(value, self._environment, server.name) for name, value in server.env.items()}
        environment = {name: self._environment[name] for name in ALWAYS if name in self._environment} | own
        program = server.program(environment)
        if program is None:
            raise ServerLost(server.no_program)
        folder = Path(server.cwd).expanduser() if server.cwd else Path.home()
        return child([program, *server.args], environment, folder, self._errors)

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

    def _why(self, error: BaseException) -> str:
        """Return the reason of the innermost error, and the last line that the server printed to standard error."""
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        if isinstance(error, ServerLost | CommandError):
            return str(error)
        lines = self._errors.decode("utf-8", "replace").strip().splitlines()
        last = f" ({beginning(lines[-1], 200)})" if lines else ""
        return f"{beginning(str(error), 200) or type(error).__name__}{last}"
