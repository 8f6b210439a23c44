"""Everything that listens: connections within limits, and HTTP on loopback for a person's own programs and browser.

A connection is a stranger's until the application admits it. Strangers stay a few seconds, and give way to others.
"""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import logging
import socket
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import uvicorn

from autocraft.errors import UsageError

HOST = "127.0.0.1"
MOST_OPEN = 64
"""Connections that a listener holds at once."""
SECONDS = 5
"""How long a stranger may stay. Seconds in which the event loop was busy do not count."""
PAUSE = 0.2
"""Seconds until connections are accepted again after the system had no descriptor for one."""
Scope = dict[str, Any]
App = Callable[[Scope, Any, Any], Awaitable[None]]


def listen(port: int, option: str) -> socket.socket:
    """Return a socket on loopback; port 0 takes a free one. Raises UsageError, which names the option."""
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((HOST, port))
        listener.listen()
    except OSError as error:
        listener.close()
        raise UsageError(f"port {port} cannot be used: {error.strerror}; name another with {option}") from None
    return listener


def listen_at(path: str) -> socket.socket:
    """Return a Unix socket with this path. Raises OSError."""
    listener = socket.socket(socket.AF_UNIX)
    try:
        listener.bind(path)
        listener.listen()
    except OSError:
        listener.close()
        raise
    return listener


class Connection:
    """One open connection."""

    def __init__(self, accepted: socket.socket) -> None:
        self.is_admitted = False
        self.seconds = 0
        """How long it has been open."""
        self._socket = accepted
        self._transport: asyncio.WriteTransport | None = None

    @property
    def is_open(self) -> bool:
        """Return whether it takes a descriptor. One that is being closed does, until all is sent."""
        return self._socket.fileno() != -1

    def admit(self) -> None:
        """Let it stay: it has shown that it comes from the person."""
        self.is_admitted = True

    async def connect(self, protocol: asyncio.BaseProtocol) -> None:
        """Hand what arrives to this protocol. Raises OSError."""
        loop = asyncio.get_running_loop()
        self._transport, _ = await loop.connect_accepted_socket(lambda: protocol, self._socket)

    def end(self) -> None:
        """Close it at once, whatever is still to be sent."""
        if self._transport is None:
            self._socket.close()
        else:
            self._transport.abort()


class Listener:
    """Accepts connections within limits.

    A stranger is closed after `SECONDS`. If `MOST_OPEN` are open, a new one takes the place of the oldest stranger; it
    is closed if there is none.
    """

    def __init__(self, listening: socket.socket, protocol_of: Callable[[Connection], asyncio.BaseProtocol]) -> None:
        self._listening = listening
        self._protocol_of = protocol_of
        self._open: list[Connection] = []
        """The oldest first."""
        self._tasks: list[asyncio.Task[None]] = []

    def start(self) -> None:
        """Begin to accept. From now on no library writes what went wrong with a connection to standard error."""
        logging.getLogger().addHandler(logging.NullHandler())
        self._listening.setblocking(False)
        self._tasks = [asyncio.create_task(each) for each in (self._accept(), self._end_strangers())]

    async def close(self) -> None:
        """Accept no more, and close the strangers."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._listening.close()
        for each in self._strangers():
            each.end()

    async def _accept(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            try:
                accepted, _ = await loop.sock_accept(self._listening)
                await self._enter(accepted)
            except OSError:  # no descriptor is free, or the other side has gone already
                await asyncio.sleep(PAUSE)
            await asyncio.sleep(0)  # one connection in each pass of the loop: a flood must not hold up the run

    async def _enter(self, accepted: socket.socket) -> None:
        self._open = [each for each in self._open if each.is_open]
        if len(self._open) >= MOST_OPEN:
            if not (strangers := self._strangers()):
                accepted.close()
                return
            self._end(strangers[0])
        connection = Connection(accepted)
        self._open.append(connection)
        await connection.connect(self._protocol_of(connection))

    async def _end_strangers(self) -> None:
        while True:
            await asyncio.sleep(1)
            for each in self._strangers():
                each.seconds += 1
                if each.seconds > SECONDS:
                    self._end(each)

    def _strangers(self) -> list[Connection]:
        return [each for each in self._open if not each.is_admitted]

    def _end(self, connection: Connection) -> None:
        self._open.remove(connection)
        connection.end()


class Server(uvicorn.Server):
    """Serves an application of HTTP within the limits of a listener.

    It logs only errors, and waits two seconds at its end for requests in progress. It installs no signal handlers,
    because the run handles signals. A request's `state.admit()` admits its connection.
    """

    def __init__(self, app: App, listening: socket.socket) -> None:
        options: dict[str, Any] = {"log_config": None, "log_level": "error", "access_log": False, "ws": "none"}
        super().__init__(uvicorn.Config(app, timeout_graceful_shutdown=2, **options))
        self._listener = Listener(listening, self._protocol)
        self._task: asyncio.Task[None] | None = None

    def open(self) -> asyncio.Task[None]:
        """Begin to serve. Return the task that does."""
        self._task = asyncio.create_task(self.serve())
        return self._task

    async def close(self) -> None:
        """Accept no more, and end."""
        self.should_exit = True
        if self._task is not None:
            with contextlib.suppress(Exception):
                await self._task

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets=[])
        self._listener.start()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        await self._listener.close()
        await super().shutdown(sockets=[])

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield

    def _protocol(self, connection: Connection) -> asyncio.BaseProtocol:
        state = {**self.lifespan.state, "admit": connection.admit}
        make: Any = self.config.http_protocol_class
        made: asyncio.BaseProtocol = make(config=self.config, server_state=self.server_state, app_state=state)
        return made


class Guard:
    """Passes on only requests that name our Host, do not come from a foreign page, and carry the token, if any.

    Who sends the token is admitted. Without a token, the application admits.
    """

    def __init__(self, app: App, port: int, token: str | None = None) -> None:
        self._app = app
        self._token = None if token is None else f"Bearer {token}".encode()
        self._hosts = [f"{name}:{port}".encode() for name in (HOST, "localhost")]
        self._origins = [b"http://" + host for host in self._hosts]

    async def __call__(self, scope: Scope, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            is_read = scope["method"] in ("GET", "HEAD")
            if self._token is None and is_read and values_of(scope, b"host") == [self._hosts[1]]:
                await self._redirect(scope, send)
                return
            if values_of(scope, b"host") not in ([host] for host in self._hosts):
                await refuse(send, 403, "the Host header names another server")
                return
            if any(origin not in self._origins for origin in values_of(scope, b"origin")):
                await refuse(send, 403, "the Origin header names another page")
                return
            if self._token is not None:
                tokens = values_of(scope, b"authorization")
                if len(tokens) != 1 or not hmac.compare_digest(tokens[0], self._token):
                    await refuse(send, 401, "the token is missing or wrong", (b"www-authenticate", b"Bearer"))
                    return
                scope["state"]["admit"]()
        await self._app(scope, receive, send)

    async def _redirect(self, scope: Scope, send: Any) -> None:
        """Send a browser to the address itself: a cookie of `localhost` would go to other programs' ports too."""
        path = b"/" + scope["raw_path"].lstrip(b"/")
        query = b"?" + scope["query_string"] if scope["query_string"] else b""
        place = b"http://" + self._hosts[0] + path + query
        await refuse(send, 307, f"the page is at {HOST}", (b"location", place))


def values_of(scope: Scope, name: bytes) -> list[bytes]:
    """Return all values of a header."""
    return [value for header, value in scope["headers"] if header.lower() == name]


async def refuse(send: Any, status: int, why: str, *headers: tuple[bytes, bytes]) -> None:
    """Answer a request with one line."""
    kind = (b"content-type", b"text/plain; charset=utf-8")
    await send({"type": "http.response.start", "status": status, "headers": [kind, *headers]})
    await send({"type": "http.response.body", "body": f"{why}\n".encode()})
