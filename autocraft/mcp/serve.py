"""Opens a run for clients, and serves them until they leave or the run is stopped."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

from autocraft.agent.context import RunContext
from autocraft.agent.signals import on_signals
from autocraft.app import Request, Run, open_request
from autocraft.console.approver import HumanApprover
from autocraft.mcp import http, stdio
from autocraft.mcp.approver import ClientApprover
from autocraft.mcp.attach import let_attach
from autocraft.mcp.caller import Caller
from autocraft.mcp.server import McpServer
from autocraft.mcp.settings import McpSettings
from autocraft.mcp.tools import check_names
from autocraft.session.events import End
from autocraft.settings.config import read_config
from autocraft.web import loopback

Transport = Callable[[Any], Awaitable[None]]


async def serve(request: Request) -> int:
    """Serve a run to the clients of one transport. Return 0, or the exit code of a fault. Raises UsageError."""
    config = read_config(request.flags, request.profile)
    options = config.of(McpSettings)
    options.check()
    request = replace(request, goals=request.goals or None, any_goal=True)
    if options.port is None:
        if sys.stdin is not None and sys.stdin.isatty():
            print("A client of the protocol MCP starts this command: see docs/mcp.md. Ctrl-C ends it.", file=sys.stderr)
        wire = stdio.take_wire()
        return await _open(request, options, lambda server: stdio.serve(server, *wire))
    token, where = http.token_of(options.mcp_token, config.session.root)
    listening = loopback.listen(options.port, "--port")
    with listening:
        address = f"http://{loopback.HOST}:{listening.getsockname()[1]}/mcp"
        print(f"{address} with {where}", file=sys.stderr, flush=True)
        return await _open(request, options, lambda server: http.serve(server, listening, token))


async def _open(request: Request, options: McpSettings, transport: Transport) -> int:
    typing = sys.stdin is not None and sys.stdin.isatty()  # it is empty where the client has it

    def approver_of(run: RunContext, person: HumanApprover) -> ClientApprover:
        return ClientApprover(run, person.own_mask, person if typing else None, forms=options.approve == "client")

    run = await open_request(request, approver_of)
    check_names(run.context.registry)
    approver = run.context.approver
    assert isinstance(approver, ClientApprover)
    caller = Caller(run, approver)
    server = McpServer(run.context, caller, options.question_seconds).server()

    async def play() -> End:
        async with let_attach(run, approver):
            return await _play(run, caller, transport(server))

    end = await run.go(play)
    return end.exit if end.reason == "error" else 0


async def _play(run: Run, caller: Caller, serving: Awaitable[None]) -> End:
    """Take calls until the transport ends. A run that is over still answers; one that failed ends the transport."""
    playing = asyncio.create_task(caller.play())
    transport = asyncio.ensure_future(serving)

    def leave(task: asyncio.Task[End] | None = None) -> None:
        if task is None or task.cancelled() or task.exception():
            transport.cancel()

    playing.add_done_callback(leave)
    on_signals(SIGINT=leave, SIGTERM=leave, SIGHUP=leave)
    run.person.reader.on_interrupt = leave
    await asyncio.wait([transport])
    caller.stop()
    end = await playing
    if not transport.cancelled():
        transport.result()
    return end
