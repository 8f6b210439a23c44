"""Serves clients over HTTP on loopback. Each request needs the token, our own Host and no foreign Origin."""

from __future__ import annotations

import hmac
import secrets
import socket
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import uvicorn
from mcp.server.lowlevel import Server
from mcp.server.transport_security import TransportSecuritySettings

from autocraft.errors import UsageError
from autocraft.session.atomic import write_atomic
from autocraft.session.folder import private_folder

HOST = "127.0.0.1"
FILE = "mcp_token"
Scope = dict[str, Any]


def token_of(given: str, root: Path) -> tuple[str, str]:
    """Return the token and where the person finds it: given by the settings, or kept in a file of its owner's."""
    if given:
        return given, "the token of AUTOCRAFT_MCP_TOKEN"
    path = private_folder(root) / FILE
    if not path.exists():
        write_atomic(path, secrets.token_urlsafe(32).encode(), mode=0o600)
    return path.read_text(encoding="utf-8").strip(), f"the token in {path}"


def listen(port: int) -> socket.socket:
    """Return a socket on loopback; port 0 takes a free one. Raises UsageError."""
    made = socket.socket()
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((HOST, port))
        made.listen()
    except OSError as error:
        made.close()
        raise UsageError(f"port {port} cannot be used: {error.strerror}; name another with --port") from None
    return made


class Guard:
    """Lets a request through that carries the token."""

    def __init__(self, app: Callable[..., Awaitable[None]], token: str) -> None:
        self._app = app
        self._expected = f"Bearer {token}".encode()

    async def __call__(self, scope: Scope, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            given = [value for name, value in scope["headers"] if name.lower() == b"authorization"]
            if len(given) != 1 or not hmac.compare_digest(given[0], self._expected):
                headers = [(b"www-authenticate", b"Bearer"), (b"content-type", b"text/plain")]
                await send({"type": "http.response.start", "status": 401, "headers": headers})
                await send({"type": "http.response.body", "body": b"the token is missing or wrong\n"})
                return
        await self._app(scope, receive, send)


async def serve(server: Server[Any], listening: socket.socket, token: str) -> None:
    """Serve until a signal ends the process."""
    port = listening.getsockname()[1]
    own = [f"{name}:{port}" for name in (HOST, "localhost")]
    origins = [f"http://{name}" for name in own]
    security = TransportSecuritySettings(allowed_hosts=own, allowed_origins=origins)
    app = Guard(server.streamable_http_app(transport_security=security), token)
    config = uvicorn.Config(app, log_level="error", timeout_graceful_shutdown=2, access_log=False)
    await uvicorn.Server(config).serve(sockets=[listening])
