"""The settings of `autocraft mcp`, and of other MCP servers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from autocraft.errors import UsageError
from autocraft.frozen import frozen
from autocraft.settings.fields import setting


@frozen
class McpSettings:
    """How a client reaches the run, who approves its calls, and which other MCP servers have tools for it."""

    port: int | None = setting(
        None,
        "--port",
        least=0,
        most=65535,
        doc="serve HTTP at this port of 127.0.0.1, instead of standard input and output",
        power=True,
    )
    mcp_token: str = setting(
        "", doc="token that HTTP clients must send; if empty, autocraft makes one", secret=True, power=True
    )
    approve: str = setting(
        "client",
        "--approve",
        words=("client", "terminal"),
        doc="who approves calls: client (by its form, else the attached terminal) or terminal (never the client)",
        power=True,
    )
    question_seconds: float = setting(300.0, doc="seconds that a question to a client waits for its answer", power=True)

    servers: dict[str, Any] | None = setting(
        None,
        env=None,
        doc="MCP servers whose tools become commands, one table each (docs/mcp.md)",
        power=True,
        runs=True,
    )
    servers_file: Path | None = setting(
        None,
        env=None,
        doc="JSON file of another client that names more servers under `mcpServers`",
        power=True,
        runs=True,
    )

    def check(self) -> None:
        """Raise UsageError for a token that could be guessed."""
        if self.mcp_token and len(self.mcp_token) < 20:
            raise UsageError("AUTOCRAFT_MCP_TOKEN is too short to be safe: give 20 characters or more")
