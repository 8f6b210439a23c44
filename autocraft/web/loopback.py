"""HTTP on loopback for a person's own programs and browser: no foreign Host, no foreign Origin."""

from __future__ import annotations

import contextlib
import hmac
import socket
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import uvicorn

from autocraft.errors import UsageError

HOST = "127.0.0.1"
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


class Guard:
    """Passes on only requests that name our Host, do not come from a foreign page, and carry the token, if any."""

    def __init__(self, app: App, port: int, token: str | None = None) -> None:
        self._app = app
        self._token = None if token is None else f"Bearer {token}".encode()
        self._hosts = [f"{name}:{port}".encode() for name in (HOST, "localhost")]
        self._origins = [b"http://" + host for host in self._hosts]

    async def __call__(self, scope: Scope, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            if values_of(scope, b"host") not in ([host] for host in self._hosts):
                await refuse(send, 403, "the Host header names another server")
                return
            if any(origin not in self._origins for origin in values_of(scope, b"origin")):
                await refuse(send, 403, "the Origin header names another page")
                return
            tokens = values_of(scope, b"authorization")
            if self._token is not None and (len(tokens) != 1 or not hmac.compare_digest(tokens[0], self._token)):
                await refuse(send, 401, "the token is missing or wrong", (b"www-authenticate", b"Bearer"))
                return
        await self._app(scope, receive, send)


def values_of(scope: Scope, name: bytes) -> list[bytes]:
    """Return all values of a header."""
    return [value for header, value in scope["headers"] if header.lower() == name]


async def refuse(send: Any, status: int, why: str, *headers: tuple[bytes, bytes]) -> None:
    """Answer a request with one line."""
    kind = (b"content-type", b"text/plain; charset=utf-8")
    await send({"type": "http.response.start", "status": status, "headers": [kind, *headers]})
    await send({"type": "http.response.body", "body": f"{why}\n".encode()})


def config(app: App) -> uvicorn.Config:
    """Return a server's options: it logs only errors, and waits two seconds at its end for requests in progress."""
    return uvicorn.Config(app, log_level="error", timeout_graceful_shutdown=2, access_log=False)


class LoopbackApp(uvicorn.Server):
    """A server that installs no signal handlers, because the run handles signals."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield
