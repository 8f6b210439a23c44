"""A terminal that is attached to the run of a client, so that a person answers there: `autocraft mcp --attach ID`.

The two processes talk in lines of JSON over a socket that only its owner can open. The terminal decides by itself which
typed line is an answer, as in a run that it started itself.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import shutil
import socket
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Any

from autocraft.agent.signals import on_signals
from autocraft.app import Run
from autocraft.console.approver import HumanApprover
from autocraft.console.choices import Choice
from autocraft.console.read import Reader, TypedAhead, write_out
from autocraft.console.render import Screen
from autocraft.console.typed import PlainReader
from autocraft.errors import UsageError
from autocraft.mcp.approver import ClientApprover
from autocraft.mcp.pending import Unanswered
from autocraft.protocols import Json
from autocraft.session.atomic import write_atomic
from autocraft.session.events import Note
from autocraft.web.loopback import Connection, Listener, listen_at

FILE = "attach"
"""The file of a session that names its socket. The path of a socket must be short, so it is not in the session."""
MOST_LINE = 2**24
GONE = "the attached terminal was closed"


class AttachedScreen(Screen):
    """Draws for a terminal of this size."""

    def resize(self, columns: int, rows: int) -> None:
        self._shown = os.terminal_size((max(20, columns), max(5, rows)))

    def _size(self) -> os.terminal_size:
        return self._shown


class RemoteReader(Reader):
    """Asks at the terminal of another process."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        super().__init__()
        self._writer = writer
        self._drawn: list[str] | None = None
        self._waiting: dict[int, asyncio.Future[str]] = {}
        self._number = 0
        self._gone = False

    def write(self, text: str) -> None:
        if self._drawn is not None:
            self._drawn.append(text)
        else:
            self._send({"write": text})

    async def ask(
        self, draw: Callable[[], None], prompt: str, default: str = "", choices: Sequence[Choice] = ()
    ) -> str:
        """Return the line typed at the question. Raises TypedAhead, and Unanswered if the terminal was closed."""
        self._drawn = []
        try:
            draw()
            text = "".join(self._drawn)
        finally:
            self._drawn = None
        return await self._request({"ask": text, "prompt": prompt, "default": default})

    async def drain(self) -> None:
        with contextlib.suppress(Unanswered):
            await self._request({"drain": True})

    def receive(self, message: Json) -> None:
        """Handle a message of the terminal: a line that is no answer, or the outcome of a request."""
        future = self._waiting.get(message.get("id", 0))
        if future is None or future.done():
            if isinstance(message.get("line"), str) and "id" not in message:
                self.on_line(message["line"])
        elif message.get("ahead"):
            future.set_exception(TypedAhead())
        else:
            future.set_result(str(message.get("line", "")))

    def leave(self) -> None:
        """End all that waits for the terminal."""
        self._gone = True
        for future in self._waiting.values():
            if not future.done():
                future.set_exception(Unanswered("nobody", GONE))

    async def _request(self, message: Json) -> str:
        if self._gone:
            raise Unanswered("nobody", GONE)
        self._number += 1
        number = self._number
        future: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._waiting[number] = future
        self._send(message | {"id": number})
        try:
            return await future
        except asyncio.CancelledError:
            self._send({"cancel": number})
            raise
        finally:
            del self._waiting[number]

    def _send(self, message: Json) -> None:
        if not self._gone:
            self._writer.write(json.dumps(message).encode() + b"\n")


@contextlib.asynccontextmanager
async def let_attach(run: Run, approver: ClientApprover) -> AsyncIterator[None]:
    """Let one terminal at a time attach to a run. On a system without Unix sockets, such as Windows, none can."""
    if not hasattr(socket, "AF_UNIX") or sys.platform == "win32":
        yield
        return
    note = run.context.journal.folder / FILE
    with tempfile.TemporaryDirectory(prefix="autocraft-", ignore_cleanup_errors=True) as folder:  # of its owner's
        path = str(Path(folder) / FILE)

        def protocol_of(connection: Connection) -> asyncio.StreamReaderProtocol:
            async def enter(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
                await _enter(run, approver, connection, reader, writer)

            return asyncio.StreamReaderProtocol(asyncio.StreamReader(limit=MOST_LINE), enter)

        listener = Listener(listen_at(path), protocol_of)
        listener.start()
        write_atomic(note, path.encode(), mode=0o600)
        try:
            yield
        finally:
            note.unlink(missing_ok=True)
            await listener.close()


async def _enter(
    run: Run,
    approver: ClientApprover,
    connection: Connection,
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
) -> None:
    """Ask at the terminal behind this connection until it leaves. Refuse it if another one is attached."""
    context, remote = run.context, RemoteReader(writer)
    with contextlib.closing(writer), contextlib.suppress(OSError, ValueError, LookupError, TypeError):
        hello = json.loads(await reader.readline())
        if approver.terminal is not None:
            writer.write(json.dumps({"refused": "another terminal is asked already"}).encode() + b"\n")
            return
        name = context.options.prompt.ai_name
        screen = AttachedScreen(remote.write, name, context.state, terminal=False, window=True)
        screen.resize(int(hello["columns"]), int(hello["rows"]))
        connection.admit()
        approver.terminal = HumanApprover(remote, screen, context, run.person.own_mask, attended=True)
        context.journal.viewers.append(screen.event)
        context.journal.append(Note(text="a terminal was attached; questions that no form shows are asked there"))
        try:
            screen.say(f"Attached to session {context.session}. Ctrl-C leaves it; what is asked then is refused.")
            while line := await reader.readline():
                message = json.loads(line)
                if "columns" in message:
                    screen.resize(int(message["columns"]), int(message["rows"]))
                else:
                    remote.receive(message)
        finally:
            remote.leave()
            approver.terminal = None
            context.journal.viewers.remove(screen.event)


async def attach(session: Path) -> int:
    """Answer the questions of this session at this terminal, until it is over. Return 0. Raises UsageError."""
    if sys.stdin is None or not sys.stdin.isatty():
        raise UsageError("--attach needs a terminal, because an approval is typed")
    try:
        path = (session / FILE).read_text(encoding="utf-8")
        reader, writer = await asyncio.open_unix_connection(path, limit=MOST_LINE)
    except OSError:
        raise UsageError(f"session {session.name} serves no client now; `autocraft sessions list` shows all") from None
    with contextlib.closing(writer):
        try:
            await Terminal(reader, writer).serve()
        except (OSError, ValueError):
            way = f"`autocraft run --resume {session.name}` goes on with it"
            raise UsageError(f"the process of session {session.name} was ended: {way}") from None
    return 0


class Terminal:
    """The side of the person: shows what comes, and sends what is typed."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._incoming = reader
        self._writer = writer
        self._keys = PlainReader()
        self._keys.on_line = lambda line: self._send({"line": line})
        self._tasks: dict[int, asyncio.Task[None]] = {}

    async def serve(self) -> None:
        """Go on until either side ends. Raises UsageError if the session refuses this terminal."""
        await self._keys.open()
        self._send_size()
        on_signals(SIGWINCH=self._send_size)
        try:
            while line := await self._incoming.readline():
                self._take(json.loads(line))
        finally:
            await self._keys.close()

    def _send_size(self) -> None:
        columns, rows = shutil.get_terminal_size()
        self._send({"columns": columns, "rows": rows})

    def _take(self, message: dict[str, Any]) -> None:
        if "refused" in message:
            raise UsageError(f"this terminal cannot attach: {message['refused']}")
        if "write" in message:
            write_out(message["write"])
        elif "cancel" in message:
            self._tasks.pop(message["cancel"]).cancel()
            write_out("\nThe question was withdrawn.\n")
        else:
            self._tasks[message["id"]] = asyncio.create_task(self._answer(message))

    async def _answer(self, message: dict[str, Any]) -> None:
        if "drain" in message:
            await self._keys.drain()
            self._send({"id": message["id"], "line": ""})
            return
        try:
            line = await self._keys.ask(lambda: write_out(message["ask"]), message["prompt"], message["default"])
        except TypedAhead:
            self._send({"id": message["id"], "ahead": True})
            return
        if line is None:  # the end of input
            self._writer.close()
        else:
            self._send({"id": message["id"], "line": line})

    def _send(self, message: Json) -> None:
        self._writer.write(json.dumps(message).encode() + b"\n")
