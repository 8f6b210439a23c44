"""Other MCP servers for the tests: one written by hand, and the official SDK's over standard streams and HTTP."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

from autocraft.commands.registry import Registry
from autocraft.mcp.client.definitions import Pins
from autocraft.mcp.client.family import OtherServer
from autocraft.mcp.client.servers import Access, Server
from autocraft.mcp.opening import open_other_servers
from autocraft.protocols import Args, Result, Risk
from autocraft.text.redact import Mask
from tests.conftest import Place

BY_HAND = Path(__file__).with_name("other_server.py")
BY_SDK = Path(__file__).with_name("sdk_server.py")
LONG = 600.0
"""Seconds that no test waits for."""


@dataclass
class Other:
    """A server whose folder says what it does, and has a record of its requests."""

    folder: Path
    program: Path = BY_HAND

    def behave(self, **values: Any) -> None:
        (self.folder / "behaviour.json").write_text(json.dumps(values))

    def calls(self) -> list[Any]:
        file = self.folder / "calls"
        return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []

    def starts(self) -> list[int]:
        file = self.folder / "starts"
        return [int(line) for line in file.read_text().splitlines()] if file.exists() else []

    def saw(self, name: str) -> dict[str, str]:
        found: dict[str, str] = json.loads((self.folder / name).read_text())
        return found

    @property
    def command(self) -> list[str]:
        return [sys.executable, str(self.program), str(self.folder)]

    def server(
        self, seconds: float = LONG, risk: dict[str, Risk] | None = None, *, start_seconds: float = LONG, **given: Any
    ) -> Server:
        access = Access(risk or {}, seconds, start_seconds)
        if "url" in given:
            return Server("others", access=access, **given)
        return Server("others", self.command[0], tuple(self.command[1:]), access=access, **given)

    def table(self, **more: Any) -> dict[str, Any]:
        """Return the table of the server in the settings."""
        return {"command": self.command[0], "args": self.command[1:], "seconds": LONG, "start_seconds": LONG} | more


def other(folder: Path, program: Path = BY_HAND) -> Other:
    (folder / "server").mkdir()
    return Other(folder / "server", program)


def own(place: Place, text: str) -> None:
    """Write the person's own settings, which need no confirmation."""
    folder = place.folder / ".config" / "autocraft"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "autocraft.toml").write_text(text)


def settings(name: str, table: dict[str, Any]) -> str:
    """Return the text of a settings file with one server."""
    rows = [f"{key} = {json.dumps(value)}" for key, value in table.items() if not isinstance(value, dict)]
    inner = [
        f"{key} = {{ {', '.join(f'{json.dumps(k)} = {json.dumps(v)}' for k, v in value.items())} }}"
        for key, value in table.items()
        if isinstance(value, dict)
    ]
    return "\n".join([f"[mcp.servers.{name}]", *rows, *inner, ""])


@dataclass
class Opened:
    """The commands of one server, without a run around them."""

    family: OtherServer
    registry: Registry

    async def call(self, name: str, /, **args: Any) -> Result:
        return await self.registry.call(self.registry.bind(f"others.{name}", args))

    def bound(self, name: str, args: Args) -> Any:
        return self.registry.bind(name, args)


@asynccontextmanager
async def opened(
    root: Path, server: Server, environment: dict[str, str] | None = None, mask: Mask | None = None
) -> AsyncIterator[Opened]:
    """Yield the tools of a server as commands. Tools that were never seen are pinned."""
    family = OtherServer(server, Pins(root), environment or {})
    async with open_other_servers([family], mask or Mask(), start=True):
        yield Opened(family, Registry(family.commands(), mask=mask))


@contextmanager
def over_http(there: Other) -> Iterator[str]:
    """Start the SDK's server over HTTP, and yield its address."""
    file = there.folder / "port"
    with (there.folder / "stderr").open("w") as log:
        process = subprocess.Popen([*there.command, "--http", str(file)], stderr=log)
    try:
        while not file.exists() or not file.read_text():
            assert process.poll() is None, (there.folder / "stderr").read_text()
            time.sleep(0.01)
        yield f"http://127.0.0.1:{file.read_text()}/mcp"
    finally:
        process.kill()
        process.wait()


@contextmanager
def answering(result: str, kind: str) -> Iterator[str]:
    """Answer each call of a tool with this text as its result, over HTTP, and yield the address.

    `kind` is ``json`` or ``sse``. The SDK's own server could not send what no client can read.
    """

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._send(405, b"")

        do_DELETE = do_GET

        def do_POST(self) -> None:
            message = json.loads(self.rfile.read(int(self.headers["content-length"])))
            if "id" not in message:
                self._send(202, b"")
                return
            about = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}}
            echo = {"name": "echo", "description": "x", "inputSchema": {"type": "object"}}
            results = {
                "initialize": json.dumps(about | {"serverInfo": {"name": "x", "version": "1"}}),
                "tools/list": json.dumps({"tools": [echo]}),
                "tools/call": result,
            }
            answer = f'"result": {results.get(message["method"], "{}")}'
            if message["method"] not in results:
                answer = '"error": {"code": -32601, "message": "no such method"}'
            body = f'{{"jsonrpc": "2.0", "id": {json.dumps(message["id"])}, {answer}}}'.encode()
            with suppress(OSError):  # a client that reads no more
                self._send(200, b"event: message\ndata: " + body + b"\n\n" if kind == "sse" else body)

        def _send(self, status: int, body: bytes) -> None:
            self.send_response(status)
            self.send_header("content-type", "text/event-stream" if kind == "sse" else "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/mcp"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@asynccontextmanager
async def reached(way: str, root: Path) -> AsyncIterator[Opened]:
    """Yield a server: written by ``hand``, or the ``sdk`` over standard streams or over ``http``."""
    there = other(root, BY_HAND if way == "hand" else BY_SDK)
    if way != "http":
        async with opened(root, there.server()) as found:
            yield found
        return
    with over_http(there) as url:
        async with opened(root, there.server(url=url)) as found:
            yield found


async def until(condition: Any) -> None:
    """Wait for an event that shows in a file."""
    while not condition():  # noqa: ASYNC110 - another process writes the file
        await asyncio.sleep(0.01)
