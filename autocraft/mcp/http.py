"""Serves clients over HTTP on loopback. Each request needs the token, our own Host and no foreign Origin."""

from __future__ import annotations

import hmac
import secrets
import socket
from pathlib import Path
from typing import Any

import uvicorn
from mcp.server.lowlevel import Server
from mcp.server.transport_security import TransportSecuritySettings

from autocraft.session.atomic import write_atomic
from autocraft.session.folder import private_folder
from autocraft.web import loopback

FILE = "mcp_token"


def token_of(token: str, root: Path) -> tuple[str, str]:
    """Return the token and where the person finds it: in the settings, or in a file that only its owner can read."""
    if token:
        return token, "the token of AUTOCRAFT_MCP_TOKEN"
    path = private_folder(root) / FILE
    if not path.exists():
        write_atomic(path, secrets.token_urlsafe(32).encode(), mode=0o600)
    return path.read_text(encoding="utf-8").strip(), f"the token in {path}"


class Guard:
    """Passes on only requests that carry the token."""

    def __init__(self, app: loopback.App, token: str) -> None:
        self._app = app
        self._expected = f"Bearer {token}".encode()

    async def __call__(self, scope: loopback.Scope, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            values = loopback.values_of(scope, b"authorization")
            if len(values) != 1 or not hmac.compare_digest(values[0], self._expected):
                await loopback.refuse(send, 401, "the token is missing or wrong", (b"www-authenticate", b"Bearer"))
                return
        await self._app(scope, receive, send)


async def serve(server: Server[Any], listening: socket.socket, token: str) -> None:
    """Serve until a signal ends the process."""
    security = TransportSecuritySettings(enable_dns_rebinding_protection=False)  # `loopback.Guard` does this check
    app = Guard(server.streamable_http_app(transport_security=security), token)
    guarded = loopback.Guard(app, listening.getsockname()[1])
    await uvicorn.Server(loopback.config(guarded)).serve(sockets=[listening])
