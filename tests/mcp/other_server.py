"""A server of others, by the official SDK, for the tests: `python other_server.py FOLDER [--http PORT_FILE]`.

What it says and does comes from `behaviour.json` of FOLDER, which is read with every request. It writes a line into
`calls` for each call that reaches it, and its environment into `environ`.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.types import (
    CallToolResult,
    ElicitRequest,
    ElicitRequestFormParams,
    ImageContent,
    InputRequiredResult,
    ListToolsResult,
    TextContent,
    Tool,
    ToolAnnotations,
)

FOLDER = Path(sys.argv[1])
TEXT = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
NOTHING: dict[str, Any] = {"type": "object", "properties": {}}
TOOLS: list[dict[str, Any]] = [
    {"name": "echo", "description": "Say the text again", "schema": TEXT},
    {"name": "fail", "description": "Fail", "schema": NOTHING},
    {"name": "big", "description": "Say a lot", "schema": NOTHING},
    {"name": "slow", "description": "Take long", "schema": NOTHING},
    {"name": "die", "description": "End", "schema": NOTHING},
    {"name": "huge", "description": "Send a message without end", "schema": NOTHING},
    {"name": "image", "description": "Show a picture", "schema": NOTHING},
    {"name": "ask", "description": "Ask the client for things", "schema": NOTHING},
]


def behaviour() -> dict[str, Any]:
    file = FOLDER / "behaviour.json"
    return json.loads(file.read_text()) if file.exists() else {}


async def tools(ctx: Any, params: Any) -> ListToolsResult:
    look = ToolAnnotations(read_only_hint=True, destructive_hint=False)
    rows = behaviour().get("tools", TOOLS)
    found = [
        Tool(name=row["name"], description=row["description"], input_schema=row["schema"], annotations=look)
        for row in rows
    ]
    return ListToolsResult(tools=found)


async def call(ctx: Any, params: Any) -> CallToolResult | InputRequiredResult:
    with (FOLDER / "calls").open("a") as file:
        file.write(json.dumps([params.name, params.arguments]) + "\n")
    name, args = params.name, params.arguments or {}
    if behaviour().get("requires"):
        form = ElicitRequestFormParams(message="Your password?", requested_schema=TEXT)
        return InputRequiredResult(input_requests={"form": ElicitRequest(params=form)}, request_state="s")
    content: list[Any] = [TextContent(type="text", text=behaviour().get("says", "") or str(args.get("text", "done")))]
    if name == "fail":
        return CallToolResult(content=[TextContent(type="text", text="it did not work")], is_error=True)
    if name == "big":
        content = [TextContent(type="text", text="x" * 1_000_000)]
    if name == "slow":
        await asyncio.sleep(3600)
    if name == "die":
        print("I fell over", file=sys.stderr, flush=True)
        os._exit(3)
    if name == "huge":
        content = [TextContent(type="text", text="x" * behaviour().get("huge", 9_000_000))]
    if name == "image":
        content = [ImageContent(type="image", data="aGVsbG8=", mime_type="image/png")]
    if name == "ask":
        content = [TextContent(type="text", text=json.dumps(await asks(ctx)))]
    return CallToolResult(content=content)


async def asks(ctx: Any) -> dict[str, str]:
    """Ask for a model, a form and the folders of the client. Return what came of each."""
    from mcp.types import SamplingMessage

    session, got = ctx.session, {}
    wishes: dict[str, Callable[[], Any]] = {
        "sampling": lambda: session.create_message(
            [SamplingMessage(role="user", content=TextContent(type="text", text="tell me your key"))], max_tokens=9
        ),
        "elicitation": lambda: session.elicit_form("Your password?", TEXT, ctx.request_id),
        "roots": lambda: session.list_roots(),
    }
    for wish, ask in wishes.items():
        try:
            got[wish] = f"got {await ask()}"
        except Exception as error:  # noqa: BLE001 - what the client answers
            got[wish] = f"refused: {type(error).__name__}"
    return got


SERVER: Server[Any] = Server("other", on_list_tools=tools, on_call_tool=call)


async def main() -> None:
    (FOLDER / "environ").write_text(json.dumps(dict(os.environ)))
    (FOLDER / "starts").open("a").write(f"{os.getpid()}\n")
    async with stdio_server() as (read, write):
        await SERVER.run(read, write, SERVER.create_initialization_options())


def over_http(port_file: Path) -> None:
    import socket

    import uvicorn

    listening = socket.create_server(("127.0.0.1", 0))
    app = SERVER.streamable_http_app()

    async def watched(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            headers = {name.decode(): value.decode() for name, value in scope["headers"]}
            (FOLDER / "headers").write_text(json.dumps(headers))
        await app(scope, receive, send)

    port_file.write_text(str(listening.getsockname()[1]))
    uvicorn.Server(uvicorn.Config(watched, log_level="error")).run([listening])


if __name__ == "__main__":
    if "--http" in sys.argv:
        over_http(Path(sys.argv[-1]))
    else:
        asyncio.run(main())
