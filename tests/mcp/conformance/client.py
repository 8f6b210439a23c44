"""Our client for the protocol's test tool: `python -m tests.mcp.conformance.client URL` calls each tool of a server."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
from typing import Any

from autocraft.errors import CommandError
from autocraft.mcp.client.connection import Connection
from autocraft.mcp.client.definitions import Definition
from autocraft.mcp.client.servers import Server


def calls_of(tools: list[Definition]) -> list[tuple[str, dict[str, Any]]]:
    """Return the calls that the scenario names, else one of each tool: with its own schema where it asks for one."""
    named = json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT", "{}")).get("toolCalls")
    if named:
        return [(each["name"], each["arguments"]) for each in named]
    schemas = {each.name: each.schema for each in tools}
    values: dict[str, Any] = {"a": 5, "b": 3, "schema": next(iter(schemas.values()), {})}
    return [
        (name, {key: values[key] for key in schema.get("properties", {}) if key in values})
        for name, schema in schemas.items()
    ]


async def main(url: str) -> None:
    connection = Connection(Server("others", url=url), {})
    try:
        for name, args in calls_of(await connection.tools()):
            with contextlib.suppress(CommandError):  # some scenarios only watch what is sent
                await connection.call(name, args)
    finally:
        await connection.close()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
