"""Serves clients over HTTP on loopback. Each request needs the token, our own Host and no foreign Origin."""

from __future__ import annotations

import asyncio
import secrets
import socket
from pathlib import Path
from typing import Any

from mcp.server.lowlevel import Server
from mcp.server.transport_security import TransportSecuritySettings

from autocraft.session.atomic import alone_in, write_atomic
from autocraft.session.folder import private_folder
from autocraft.web import loopback

FILE = "mcp_token"


def token_of(token: str, root: Path) -> tuple[str, str]:
    """Return the token and where the person finds it: in the settings, or in a file that only its owner can read."""
    if token:
        return token, "the token of AUTOCRAFT_MCP_TOKEN"
    path = private_folder(root) / FILE
    with alone_in(path.parent):
        token = path.read_text(encoding="utf-8", errors="replace").strip() if path.exists() else ""
        if not (token and token.isascii() and token.isprintable()):  # no client could send it
            token = secrets.token_urlsafe(32)
            write_atomic(path, token.encode(), mode=0o600)
    return token, f"the token in {path}"


async def serve(server: Server[Any], listening: socket.socket, token: str) -> None:
    """Serve until this is cancelled. Requests in progress get a moment to end."""
    security = TransportSecuritySettings(enable_dns_rebinding_protection=False)  # `loopback.Guard` does this check
    app = server.streamable_http_app(transport_security=security)
    guarded = loopback.Guard(app, listening.getsockname()[1], token)
    served = loopback.Server(guarded, listening)
    try:
        await asyncio.shield(served.open())
    finally:
        await served.close()
