"""The commands of one server: what a run asks of them, and how a call reaches the server."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any

from autocraft.errors import CommandError
from autocraft.mcp.client.connection import Connection, ServerLost
from autocraft.mcp.client.definitions import Definition, Pins, usable
from autocraft.mcp.client.servers import Server
from autocraft.mcp.client.shapes import FAMILY, ambiguous_names, command_of
from autocraft.protocols import Args, Call, Command, Json, Result, Risk, Settled
from autocraft.settings.obeyed import Started
from autocraft.text.characters import well_formed
from autocraft.text.phrases import count
from autocraft.text.prompts import shorten
from autocraft.text.sanitize import clean, clean_line

MOST_RESULT = 20_000
"""Characters of a result in the journal. A model sees at most `prompt.result_chars` of them."""


class OtherServer:
    """A family of commands, whose server is started with the first call and ends with the run."""

    family = FAMILY
    repeatable = False
    """After a kill nobody can tell what a call has done, whatever its risk was set to."""

    def __init__(self, server: Server, pins: Pins, environment: Mapping[str, str]) -> None:
        self.server = server
        self.commands_off: dict[str, str] = {}
        self.lines: list[str] = []
        """What the person is told of this server before the run."""
        self._pins = pins
        self._environment = environment
        self._connection: Connection | None = None
        self._tools: dict[str, Definition] = {}
        """Command -> the definition that the person agreed to."""
        self._now: Mapping[str, Definition] = {}
        """What the running server says of its tools."""
        self._answer: bool | None = None
        self._lock = asyncio.Lock()

    # ------------------------------------------------------------ before the run

    @property
    def started(self) -> Started:
        """Return what is started for this server; nothing but its folder for one that is asked by its address."""
        server = self.server
        words = () if server.url else (server.command, *server.args, *server.reach.read, *server.reach.write)
        environment = {**self._environment, **server.env}
        values = tuple(server.env.values())
        return Started(f"what mcp.servers.{server.name} names", words, server.folder, environment, values)

    def commands(self) -> list[Command]:
        """Return the commands of the tools that are pinned. For a tool that cannot be a command, add a line."""
        pins = self._pins.offer(self.server.name, self.server.source) or {}
        now = self._pins.found(self.server.name, self.server.source)
        twice, commands = ambiguous_names(list(pins.values())), []
        for name, tool in pins.items():
            risk = self.server.access.risk.get(name, Risk.DESTROY)
            if name in twice:
                self._leave_out(name, "another one would have the same name")
                continue
            try:
                command = command_of(self.server.name, tool, self, risk, self._send)
            except ValueError as error:
                self._leave_out(name, str(error))
                continue
            if now is not None and now.get(name) != tool:
                text = "its server describes it differently than when you agreed"
                why = text if name in now else "its server no longer has it"
                self.commands_off[command.name] = f"the record of tools, as {why}"
                self._leave_out(name, why)
            self._tools[command.name] = tool
            commands.append(command)
        for name in now or ():
            if name not in pins:
                self._leave_out(name, "it is new, and you have not agreed to it")
        if pins:
            unknown = [name for name in self.server.access.risk if name not in pins]
            self.lines += [
                f"{self.server.name}: risk names the tool {name!r}, which it does not have" for name in unknown
            ]
        return commands

    @property
    def confined(self) -> bool:
        """Tell whether it is started confined: as its settings say, else as the person said at first sight."""
        if self.server.confine is not None:
            return self.server.confine
        return self._pins.confined(self.server.name, self.server.source) if self._answer is None else self._answer

    async def first_look(self, confine: bool | None = None) -> None:
        """Start a server that was never seen, and pin what it says. If it cannot be started, add a line.

        `confine` is what the person said at its first sight, and None if nobody was asked.
        """
        self._answer = confine
        try:
            await self._connect()
        except ServerLost as error:
            self.lines.append(f"{self.server.name}: {clean_line(str(error))}: none of its tools is offered")

    def changes(self) -> list[tuple[Definition | None, Definition | None]]:
        """Return each tool that has changed since it was pinned, before and after."""
        before = self._pins.offer(self.server.name, self.server.source)
        after = self._pins.found(self.server.name, self.server.source)
        if before is None or after is None:
            return []
        names = [*before, *(name for name in after if name not in before)]
        return [(before.get(name), after.get(name)) for name in names if before.get(name) != after.get(name)]

    def accept(self) -> None:
        """Pin the definitions that the server has now, since the person agreed."""
        after = self._pins.found(self.server.name, self.server.source)
        if after is not None:
            self._pins.pin(self.server.name, self.server.source, after)

    @property
    def tools(self) -> int | None:
        """Return how many tools are pinned. Return None for a server that was never seen."""
        pins = self._pins.offer(self.server.name, self.server.source)
        return None if pins is None else len(pins)

    async def close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            await connection.close()

    def _leave_out(self, name: str, why: str) -> None:
        self.lines.append(clean_line(f"{self.server.name}: the tool {name[:40]!r} is left out: {why}"))

    # ------------------------------------------------------------ what the registry asks a family

    def warning(self, call: Call) -> str:
        return f"can do everything that the server {self.server.name} can do"

    def preview(self, call: Call) -> str:
        verb = "asks" if self.server.url else "runs in"
        return f"{verb} the server {self.server.name}{' (confined)' * self.confined}: {self.server.where}"

    def fingerprint(self, call: Call) -> str:
        return f"{self.server.source}:{self._tools[call.name].sha256}"

    def settle(self, call: Call, evidence: Json) -> Settled:
        return Settled("unknown", f"Nobody can tell whether the server {self.server.name} carried it out.")

    # ------------------------------------------------------------ a call

    async def _send(self, tool: Definition, call: Call, args: Args) -> Result:
        """Carry out a call. A server that ended is started again, and is not asked twice for one call."""
        name = self.server.name
        try:
            connection = await self._connect()
        except ServerLost as error:
            raise CommandError(f"the server {name} cannot be reached: {clean(str(error))}. Nothing was done.") from None
        if self._now.get(tool.name) != tool:
            raise CommandError(
                f"{call.name} was not called: the server {name} describes it differently than when you were asked. "
                "The next run at a terminal shows the change and asks about it."
            )
        try:
            result = await connection.call(tool.name, args)
        except TimeoutError:
            await self.close()
            text = f"{call.name} took longer than {self.server.access.seconds:g} s, and the server {name} was stopped"
            return Result(f"{text}. Whether it took effect is unknown.", ok=False)
        except ServerLost as error:
            await self.close()
            text = (
                f"The server {name} ended during {call.name}: {clean(str(error))}. Whether it took effect is unknown."
            )
            return Result(f"{text} The next call starts it again.", ok=False)
        except CommandError as error:
            return Result(f"{call.name}: {shorten(clean(well_formed(str(error))), MOST_RESULT)}", ok=False)
        text = shorten(clean(well_formed(text_of(result))), MOST_RESULT)
        return Result(text or "Done, without any words.", ok=not result.is_error)

    async def _connect(self) -> Connection:
        """Return the connection, and note what the server says of its tools now. Start the server if it does not run.

        It is asked before each call: a server may tell of a change late, or never. Raises ServerLost.
        """
        async with self._lock:
            ran = self._connection is not None
            try:
                connection, tools = await self._ask_tools()
            except ServerLost:
                if not ran:
                    raise
                connection, tools = await self._ask_tools()  # it has ended since its last call
            self._now, lines = usable(tools, self.server.name)
            if self.tools is None:
                self._pins.pin(self.server.name, self.server.source, self._now, confined=self._answer)
                self.lines += lines
                how = "" if self.server.url else ", confined" if self.confined else ", not confined"
                self.lines.append(f"{self.server.name}: {count(len(self._now), 'tool')}, seen for the first time{how}")
            else:
                self._pins.note(self.server.name, self.server.source, self._now)
            return connection

    async def _ask_tools(self) -> tuple[Connection, list[Definition]]:
        """Ask the server for its tools, and start it if it does not run. If it fails, end it. Raises ServerLost."""
        self._connection = self._connection or Connection(self.server, self._environment, confined=self.confined)
        connection = self._connection
        try:
            return connection, await connection.tools()
        except BaseException:
            await self.close()
            raise


def text_of(result: Any) -> str:
    """Return the words of a result. Pictures, sounds and files are only named."""
    parts = [_part(each) for each in result.content]
    if not any(parts) and result.structured_content is not None:
        parts = [json.dumps(result.structured_content, ensure_ascii=False)]
    return "\n".join(filter(None, parts))


def _part(part: Any) -> str:
    match part.type:
        case "text":
            return str(part.text)
        case "image" | "audio":
            return f"[{part.type} {part.mime_type}, {len(part.data) * 3 // 4:,} bytes, not shown]"
        case "resource_link":
            return f"[link to {part.uri}]"
        case "resource":
            text = getattr(part.resource, "text", None)
            return f"[file {part.resource.uri}, not shown]" if text is None else str(text)
    return f"[{part.type}, not shown]"
