"""Everything that listens does so at one place in Python and one in Node, within limits, and ends in order."""

from __future__ import annotations

import ast
import asyncio
import contextlib
import re
import resource
import signal
import socket
import subprocess
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

import httpx2
import pytest

from autocraft.worlds.minecraft.view import View
from tests.conftest import PROGRAM, ROOT, STONE_PICKAXE, Place, kinds
from tests.mcp.clients import RUN, over_http, over_stdio, says, serving, values
from tests.mcp.test_attach import socket_of
from tests.test_children import sources
from tests.waiting import PATIENCE, catches, until
from tests.web.browsing import followed
from tests.web.test_listener import ended, leave, strangers
from tests.worlds.minecraft.playing import node_environment, playing
from tests.worlds.minecraft.test_view import Watcher

MOST_OPEN = 64
DESCRIPTORS = 1_024
"""What a process may open on a usual system."""

# ---------------------------------------------------------------- the table: where something listens

WAYS = re.compile(
    r"listen|listen_at|serve_forever|start_server|start_unix_server|create_server|create_unix_server|create_pipe"
    r"|create_datagram_endpoint|make_server|run_server|sock_accept|recvfrom|sock_recvfrom"
    r"|(Threading|Forking)?(Mixin)?(Unix)?(TCP|UDP|HTTP|Stream|Datagram|WSGI|XMLRPC|BaseHTTP)Server"
)
"""Names of functions and classes by which Python and the libraries in use listen, whoever has them."""
LIBRARIES = {"uvicorn", "hypercorn", "granian", "wsgiref", "socketserver", "http.server", "xmlrpc.server", "aiohttp"}
"""Modules that listen by themselves. `http.server` and the like are also seen by their names."""
PYTHON = {
    "web/loopback.py": {"listen", "sock_accept", "uvicorn"},
    "web/opening.py": {"listen"},
    "mcp/serve.py": {"listen"},
    "mcp/attach.py": {"listen_at"},
    "worlds/minecraft/lan.py": {"sock_recvfrom"},
}
"""The one place that accepts connections, its users, and the socket that hears a world's announcements for seconds."""
NODE_WAYS = re.compile(r"\b(listen|createServer|createSecureServer|createSocket|WebSocketServer|bindSync)\b\s*\(")
NODE = {
    "worlds/minecraft/node/view/main.js": {"createServer", "listen"},
    "worlds/minecraft/node/server/frame.js": {"createServer"},
}


def listens(tree: ast.AST) -> Iterator[str]:
    """Yield each way to listen that a module uses."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and WAYS.fullmatch(node.attr):
            yield node.attr
        elif isinstance(node, ast.ImportFrom):
            yield from (each.name for each in node.names if WAYS.fullmatch(each.name))
            yield from {node.module} & LIBRARIES if node.module else ()
        elif isinstance(node, ast.Import):
            yield from {each.name for each in node.names} & LIBRARIES
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and WAYS.fullmatch(node.func.id):
            yield node.func.id


def test_every_listener_of_python_passes_one_place() -> None:
    found = {name: names for name, tree in sources() if (names := set(listens(tree)))}
    assert found == PYTHON
    for name in ("web/server.py", "mcp/http.py"):
        assert "loopback" in (ROOT / "autocraft" / name).read_text(), "what is served there is served within limits"


@pytest.mark.parametrize(
    "text",
    [
        "import asyncio\nasyncio.start_server(f, 'localhost', 1)",
        "loop.create_server(f)",
        "from http.server import HTTPServer",
        "import socketserver",
        "import uvicorn\nuvicorn.run(app)",
        "sock.listen()",
        "from autocraft.web.loopback import listen",
        "loop.create_datagram_endpoint(f)",
    ],
)
def test_a_listener_beside_that_place_is_seen(text: str) -> None:
    assert list(listens(ast.parse(text)))


def scripts() -> Iterator[tuple[str, str]]:
    for path in sorted((ROOT / "autocraft").rglob("*.js")):
        if "node_modules" not in path.parts:
            yield path.relative_to(ROOT / "autocraft").as_posix(), path.read_text(encoding="utf-8")


def test_every_listener_of_node_has_the_shared_limits() -> None:
    found = {name: names for name, text in scripts() if (names := set(NODE_WAYS.findall(text)))}
    assert found == NODE
    for name in NODE:
        text = (ROOT / "autocraft" / name).read_text()
        assert text.count("createServer") - text.count("const { createServer }") == len(re.findall(r"= limit\(", text))
        assert "127.0.0.1" in text, "it is on loopback"


# ---------------------------------------------------------------- each of them under a flood


class Listening(NamedTuple):
    """An open listener: how a stranger connects, and how the person uses it."""

    pid: int
    connect: Callable[[], Awaitable[Any]]
    use: Callable[[], Awaitable[None]]
    said: Callable[[], str]
    """What stands on the person's terminal, or in a client's log."""


def to_port(port: int) -> Callable[[], Awaitable[Any]]:
    return lambda: asyncio.open_connection("127.0.0.1", port)


CRAFT = [("craft_item", {"name": "oak_planks", "count": 4}), ("craft_item", {"name": "stick", "count": 4})]
QUESTIONS = [*CRAFT, CRAFT[0], *[("show_inventory", {})] * 3]
"""What the person is asked about."""


@asynccontextmanager
async def page(place: Place, terminal: Callable[..., Any]) -> AsyncIterator[Listening]:
    """A run with its page. The person answers at the terminal."""
    arguments = ("--inventory", "oak_log=3", "--brain", "scripted", "--script", place.script(*QUESTIONS))
    window = terminal("run", "--goal", "craft 64 ladder", "--web", *arguments)
    await asyncio.to_thread(window.expect, r"http://127\.0\.0\.1:(\d+)/\?token=[\w-]+")
    seen = [window.before + window.after]
    port = int(window.match[1])
    answered = 0

    async def use() -> None:
        nonlocal answered
        answered += 1
        await asyncio.to_thread(until, lambda: len(kinds(place.events(), "question")) == answered)
        await asyncio.to_thread(window.expect_exact, f"COMMAND = {QUESTIONS[answered - 1][0]}")
        seen.append(window.before)
        await asyncio.to_thread(window.expect_exact, "Input:")
        seen.append(window.before)
        window.send("y\r")
        await asyncio.to_thread(until, lambda: len(kinds(place.events(), "result")) == answered)

    try:
        yield Listening(window.pid, to_port(port), use, lambda: "".join(seen))
    finally:
        decided = kinds(place.events(), "decision")
        assert [event["by"] for event in decided] == ["person"] * answered, "each answer counted"


@asynccontextmanager
async def mcp(place: Place, terminal: Callable[..., Any]) -> AsyncIterator[Listening]:
    """A server for clients over HTTP. The person answers in the form of a client."""
    person = says(RUN)
    calls = iter(QUESTIONS)
    arguments = ("craft 64 ladder", "--inventory", "oak_log=3")
    async with serving(place, *arguments) as served, over_http(served, person) as client:

        async def use() -> None:
            name, args = next(calls)
            asked = len(person.forms)
            assert values(await client.call_tool(name, args))["outcome"] == "done"
            assert len(person.forms) == asked + 1, "the person was asked"

        port = int(served.url.rpartition(":")[2].partition("/")[0])
        yield Listening(served.process.pid, to_port(port), use, (place.folder / "stderr").read_text)


@asynccontextmanager
async def attach(place: Place, terminal: Callable[..., Any]) -> AsyncIterator[Listening]:
    """The socket for a terminal that attaches to the run of a client."""
    async with over_stdio(place, *STONE_PICKAXE) as client:
        path = await asyncio.to_thread(socket_of, place)
        lock = (place.state / "sessions" / place.session() / "lock").read_text()

        async def connect() -> Any:
            return await asyncio.open_unix_connection(sock=await asyncio.to_thread(connected, path))

        async def use() -> None:
            reader, writer = await connect()
            writer.write(b'{"columns": 80, "rows": 24}\n')
            while b"Attached to session" not in await reader.readline():
                assert not reader.at_eof(), "it was refused"
            leave((reader, writer))
            assert not (await client.call_tool("observe", {})).is_error, "by now it knows that the terminal has left"

        yield Listening(int(lock.split()[0]), connect, use, (place.folder / "stderr").read_text)


Connection = tuple[asyncio.StreamReader, asyncio.StreamWriter]


async def websocket(port: int, address: str) -> Connection:
    """Go on with a session of Socket.IO by a websocket, as a browser does, on a connection of its own."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    head = {"Host": f"localhost:{port}", "Upgrade": "websocket", "Connection": "Upgrade"}
    head |= {"Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==", "Sec-WebSocket-Version": "13"}
    lines = [f"GET {address.partition(str(port))[2]} HTTP/1.1", *(f"{name}: {text}" for name, text in head.items())]
    writer.write("\r\n".join([*lines, "", ""]).encode())
    assert b" 101 " in await reader.readuntil(b"\r\n\r\n")
    await probe((reader, writer))
    return reader, writer


async def probe(connection: Connection) -> None:
    """Send Engine.IO's probe in a frame that is masked with zeros, and read the answer."""
    reader, writer = connection
    writer.write(b"\x81\x86\x00\x00\x00\x002probe")
    assert await reader.readuntil(b"3probe")


@asynccontextmanager
async def view(place: Place, terminal: Callable[..., Any]) -> AsyncIterator[Listening]:
    """The page that draws what the player sees."""
    told: list[bool] = []
    lines: list[str] = []

    async def tell(on: bool) -> None:
        told.append(on)

    view = View(tell)
    address = await view.open("1.16.5", place.folder / "view.log", lines.append)
    port = int(address.partition("localhost:")[2].partition("/")[0])

    async def use() -> None:
        async with httpx2.AsyncClient(timeout=PATIENCE) as browser:
            assert (await browser.get(address)).status_code == 200
            assert (await browser.get(f"{address}index.js")).status_code == 200

    watcher = Watcher(address)
    await watcher.enter()
    await watcher.until("version")
    watching = asyncio.create_task(watcher.until("nothing that comes"))
    other = Watcher(address)
    await other.enter()
    quick = await websocket(port, f"{other.address}?EIO=4&transport=websocket&sid={other.query['sid']}")
    try:
        yield Listening(view._child.pid, to_port(port), use, (place.folder / "view.log").read_text)  # type: ignore[union-attr]
        assert not watching.done(), "a browser that watches stays"
        await probe(quick)
    finally:
        watching.cancel()
        await asyncio.wait([watching])
        leave(quick)
        await view.close()


@asynccontextmanager
async def practice_server(place: Place, terminal: Callable[..., Any]) -> AsyncIterator[Listening]:
    """The practice server, with the bot in it."""
    async with playing() as player:
        server = player.world.joining.server
        assert server is not None

        async def use() -> None:
            """Do something in the world, and look at it in a list of servers, as a new client does."""
            await player.must("wait", seconds=0.5)
            reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
            shake = b"\x00\xf2\x05\x09127.0.0.1\x63\xdd\x01"
            writer.write(bytes([len(shake)]) + shake + b"\x01\x00")
            assert b"autocraft practice world" in await reader.readuntil(b"}}")
            leave((reader, writer))

        log = player.world.folder / "server.log"
        yield Listening(server.child.pid, to_port(server.port), use, lambda: log.read_text() if log.exists() else "")
        assert player.world.joining.bridge is not None
        assert player.world.joining.bridge.joins == 1, "the bot stays"


Opened = Callable[[Place, Callable[..., Any]], contextlib.AbstractAsyncContextManager[Listening]]
LISTENERS: dict[str, Opened] = {
    "page": page, "mcp": mcp, "attach": attach, "view": view, "practice server": practice_server,
}  # fmt: skip
"""Everything that accepts connections."""
QUICK = {"page": 200, "mcp": 200, "attach": 200}
"""How many strangers come in the fast list."""
SOURCES = {
    "page": "web/opening.py",
    "mcp": "mcp/serve.py",
    "attach": "mcp/attach.py",
    "view": "worlds/minecraft/node/view/main.js",
    "practice server": "worlds/minecraft/node/server/frame.js",
}


def test_the_table_has_each_place_that_listens() -> None:
    places = {*PYTHON, *NODE} - {"web/loopback.py", "worlds/minecraft/lan.py"}
    assert set(SOURCES) == set(LISTENERS) and set(SOURCES.values()) == places


@pytest.fixture
def many_files() -> Iterator[None]:
    """Let this process, which plays all strangers, have enough descriptors."""
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (limits[1], limits[1]))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, limits)


def flooded(name: str, place: Place, terminal: Callable[..., Any], number: int) -> None:
    """Let strangers connect and wait while the person uses a listener five times."""

    async def play() -> None:
        async with asyncio.timeout(2 * PATIENCE), LISTENERS[name](place, terminal) as listening:
            _, most = resource.prlimit(listening.pid, resource.RLIMIT_NOFILE)
            resource.prlimit(listening.pid, resource.RLIMIT_NOFILE, (min(DESCRIPTORS, most),) * 2)
            pairs = []
            for _ in range(5):
                pairs += await strangers(number // 5, listening.connect)
                await listening.use()
                assert len(list(Path(f"/proc/{listening.pid}/fd").iterdir())) < 2 * MOST_OPEN
            for reader, _ in pairs[:-MOST_OPEN]:
                await ended(reader)
            await listening.use()
            said = listening.said()
            assert "Traceback" not in said and "Error" not in said and "accept" not in said, said
            leave(*pairs)

    asyncio.run(play())


@pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="only Linux can lower the limits of another process")
@pytest.mark.parametrize("name", QUICK)
@pytest.mark.full
def test_a_person_is_served_while_strangers_connect_and_wait(
    place: Place, terminal: Callable[..., Any], many_files: None, name: str
) -> None:
    flooded(name, place, terminal, QUICK[name])


@pytest.mark.full
@pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="only Linux can lower the limits of another process")
@pytest.mark.parametrize("name", LISTENERS)
def test_a_person_is_served_while_a_thousand_strangers_connect_and_wait(
    place: Place, terminal: Callable[..., Any], many_files: None, name: str
) -> None:
    flooded(name, place, terminal, 1_000)


@pytest.mark.full
@pytest.mark.parametrize("name", ["view", "practice server"])
def test_a_stranger_of_node_stays_a_few_seconds_alone(place: Place, terminal: Callable[..., Any], name: str) -> None:
    async def play() -> None:
        async with asyncio.timeout(PATIENCE), LISTENERS[name](place, terminal) as listening:
            pairs = await strangers(10, listening.connect)
            for reader, _ in pairs:
                await ended(reader)
            await listening.use()

    asyncio.run(play())


# ---------------------------------------------------------------- the end by a signal


def started(place: Place, *arguments: str, **environment: str) -> subprocess.Popen[bytes]:
    """Start a program that writes to the files stdout and stderr."""
    with (place.folder / "stdout").open("wb") as out, (place.folder / "stderr").open("wb") as err:
        return subprocess.Popen(
            [*PROGRAM, *arguments], cwd=place.folder, env=place.environment | environment, stdin=subprocess.PIPE,
            stdout=out, stderr=err,
        )  # fmt: skip


VERBS: dict[str, tuple[list[str], str, int]] = {
    "run": (["run", "--web", *STONE_PICKAXE], r"127\.0\.0\.1:(\d+)/\?token", 130),
    "learn": (
        ["learn", "--web", "--world", "crafting", "--inventory", "oak_log=8", "--brain", "oracle"],
        r"127\.0\.0\.1:(\d+)/\?token",
        130,
    ),
    "mcp": (["mcp", "--port", "0", *STONE_PICKAXE], r"127\.0\.0\.1:(\d+)/mcp", 0),
    "mcp over stdio": (["mcp", *STONE_PICKAXE], "", 0),
    "practice-server": (["practice-server", "--port", "0"], r"127\.0\.0\.1:(\d+), seed", 0),
}
"""Each verb that listens: its arguments, where it says its port, and its exit code at SIGTERM."""


@pytest.mark.parametrize(
    "verb", [pytest.param(name, marks=pytest.mark.full if name == "practice-server" else []) for name in VERBS]
)
def test_a_verb_that_listens_ends_in_order_at_sigterm(place: Place, verb: str) -> None:
    arguments, pattern, exit_code = VERBS[verb]
    program = started(place, *arguments, **node_environment() if verb == "practice-server" else {})
    with contextlib.ExitStack() as exits:
        exits.callback(program.wait)
        exits.callback(program.kill)
        if pattern:
            port = until(lambda: re.search(pattern, said(place)), "the address")
            address: Any = ("127.0.0.1", int(port[1]))  # type: ignore[index]
        else:
            address = socket_of(place)
        until(lambda: catches(program.pid, signal.SIGTERM), "it handles the signal")
        connections = [exits.enter_context(connected(address)) for _ in range(4)]
        for each in connections[::2]:
            each.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n")
        program.send_signal(signal.SIGTERM)
        assert program.wait(PATIENCE) == exit_code, said(place)
    assert "Traceback" not in said(place) and "Error" not in said(place), said(place)
    if verb != "practice-server":
        assert [event["reason"] for event in kinds(place.events(), "end")] == ["interrupted"]


def said(place: Place) -> str:
    """Return what a program has written."""
    return "".join((place.folder / name).read_text() for name in ("stdout", "stderr"))


def connected(address: str | tuple[str, int]) -> socket.socket:
    """Connect to a port or a Unix socket. Wait while those before were not accepted: on the latter asyncio does not."""
    connection = socket.socket(socket.AF_UNIX if isinstance(address, str) else socket.AF_INET)
    connection.connect(address)
    return connection


@pytest.mark.full
def test_a_verb_that_listens_ends_in_order_while_its_clients_are_served(place: Place) -> None:
    """The session of a client, and the events of a page, were ended with a trace."""

    async def play() -> None:
        async with followed(place, *STONE_PICKAXE, "--workspace", f"{place.folder}/w1") as browser:
            assert await browser.question() is not None
            browser.process.send_signal(signal.SIGTERM)
            assert await browser.process.wait() == 130
        assert "Traceback" not in (place.folder / "stdout").read_text()
        async with serving(place, *STONE_PICKAXE, "--workspace", f"{place.folder}/w2", "--continuous") as served:
            with contextlib.suppress(Exception):  # what the SDK's client raises when its server is gone
                async with over_http(served) as client:
                    await client.call_tool("observe", {})
                    served.process.send_signal(signal.SIGTERM)
                    assert await served.process.wait() == 0
        (line,) = (place.folder / "stderr").read_text().splitlines()
        assert line.startswith("http://127.0.0.1:")

    asyncio.run(play())
