"""A client or a server that dies leaves a session that goes on."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
from contextlib import suppress
from typing import Any

import pytest

from tests.conftest import PROGRAM, STONE_PICKAXE, Place, kinds
from tests.mcp.clients import RUN, over_http, over_stdio, says, serving, values
from tests.waiting import until

CRAFT = {"name": "oak_planks", "count": 4}
STICKS = {"name": "stick", "count": 4}


def crafted(place: Place) -> list[dict[str, Any]]:
    return [event for event in kinds(place.events(), "result") if event["command"] == "craft_item"]


@pytest.mark.full
def test_a_server_that_is_killed_in_a_command_goes_on_as_it_stood(place: Place) -> None:
    async def begin() -> None:
        async with serving(place, *STONE_PICKAXE, "--continuous") as served, over_http(served) as client:
            await client.call_tool("craft_item", CRAFT)
            waiting = asyncio.create_task(client.call_tool("wait", {"seconds": 600}))
            waiting.add_done_callback(asyncio.Task.exception)
            await asyncio.to_thread(until, lambda: len(kinds(place.events(), "intent")) == 2)
            served.process.send_signal(signal.SIGKILL)
            await served.process.wait()
            waiting.cancel()
            await asyncio.wait([waiting])

    async def go_on() -> None:
        async with over_stdio(place, "--resume", "last", person=says(RUN)) as client:
            assert values(await client.call_tool("observe", {}))["inventory"]["oak_planks"] == 4
            assert (await client.call_tool("craft_item", STICKS)).structured_content["inventory"]["stick"] == 4

    with suppress(Exception):  # what the SDK's client raises when its server is gone
        asyncio.run(begin())
    assert kinds(place.events(), "end") == []
    asyncio.run(go_on())
    assert len(place.sessions()) == 1
    assert [event["ok"] for event in crafted(place)] == [True, True]
    waited = [event["text"] for event in kinds(place.events(), "result") if event["command"] == "wait"]
    assert waited == ["The run was stopped before it was done."], "nobody waits for it any more"


@pytest.mark.full
@pytest.mark.parametrize("era", ["auto", "legacy"])
def test_a_client_that_leaves_in_a_command_interrupts_it_and_another_goes_on(place: Place, era: str) -> None:
    async def leave() -> None:
        async with over_stdio(place, *STONE_PICKAXE, "--continuous", mode=era) as client:
            await client.call_tool("craft_item", CRAFT)
            waiting = asyncio.create_task(client.call_tool("wait", {"seconds": 600}))
            waiting.add_done_callback(asyncio.Task.exception)
            await asyncio.to_thread(until, lambda: len(kinds(place.events(), "intent")) == 2)
        await asyncio.wait([waiting])
        assert waiting.exception() is not None

    with suppress(Exception):  # what the SDK's client raises when its server is gone
        asyncio.run(leave())
    until(lambda: kinds(place.events(), "end"))
    (end,) = kinds(place.events(), "end")
    assert end["reason"] == "interrupted"
    assert "Interrupted" in kinds(place.events(), "result")[-1]["text"]

    async def go_on() -> None:
        async with over_stdio(place, "--resume", "last", mode=era) as client:
            assert values(await client.call_tool("observe", {}))["inventory"]["oak_planks"] == 4

    asyncio.run(go_on())


@pytest.mark.full
def test_the_planner_goes_on_where_a_client_left(place: Place) -> None:
    async def begin() -> None:
        async with over_stdio(place, *STONE_PICKAXE, person=says(RUN)) as client:
            await client.call_tool("craft_item", CRAFT)

    asyncio.run(begin())
    until(lambda: kinds(place.events(), "end"))
    done = place.run("run", "--resume", "last", "--continuous")
    assert done.returncode == 0, done.stdout + done.stderr
    assert [event["reason"] for event in kinds(place.events(), "end")] == ["interrupted", "goal_reached"]


@pytest.mark.full
def test_a_signal_ends_the_server_with_its_end_written(place: Place) -> None:
    async def play() -> None:
        async with serving(place, *STONE_PICKAXE, "--continuous") as served:
            async with over_http(served) as client:
                await client.call_tool("craft_item", CRAFT)
            os.kill(served.process.pid, signal.SIGTERM)
            assert await served.process.wait() == 0

    asyncio.run(play())
    assert [event["reason"] for event in kinds(place.events(), "end")] == ["interrupted"]


@pytest.mark.full
@pytest.mark.parametrize("end", ["it closes", "a signal"])
def test_a_client_that_reads_no_more_is_no_fault(place: Place, end: str) -> None:
    command = [*PROGRAM, "mcp", *STONE_PICKAXE, "--continuous"]
    with (place.folder / "stderr").open("w") as log:
        server = subprocess.Popen(command, cwd=place.folder, env=place.environment, stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE, stderr=log)  # fmt: skip
    assert server.stdin is not None and server.stdout is not None
    about = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}
    server.stdin.write(line(id=1, method="initialize", params=about))
    server.stdin.flush()
    assert b"serverInfo" in server.stdout.readline()
    server.stdin.write(line(method="notifications/initialized"))
    if end == "it closes":
        server.stdout.close()
    for number in range(30):  # more than a pipe holds
        server.stdin.write(line(id=10 + number, method="tools/list"))
    server.stdin.write(line(id=2, method="tools/call", params={"name": "craft_item", "arguments": CRAFT}))
    server.stdin.flush()
    until(lambda: kinds(place.events(), "result"))
    if end == "it closes":
        server.stdin.close()
    else:
        server.terminate()
    try:
        assert server.wait(60) == 0
    finally:
        server.kill()
    assert [event["reason"] for event in kinds(place.events(), "end")] == ["interrupted"]
    assert "Traceback" not in (place.folder / "stderr").read_text()


def line(**message: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n"


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ("[" * 100_000 + "]" * 100_000, "nested too deeply"),
        ("9" * 5_000, "more than 4,300 digits"),
        (json.dumps("x" * 17_000_000), "more than 16,777,216 bytes"),
    ],
    ids=["deep", "digits", "long"],
)
@pytest.mark.full
def test_a_message_that_cannot_be_read_is_answered_at_once(place: Place, value: str, why: str) -> None:
    command = [*PROGRAM, "mcp", *STONE_PICKAXE, "--continuous"]
    with subprocess.Popen(command, cwd=place.folder, env=place.environment, stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as server:  # fmt: skip
        assert server.stdin is not None and server.stdout is not None
        with suppress(BrokenPipeError):  # a message that is too long is not read to its end
            server.stdin.write(f'{{"jsonrpc": "2.0", "method": "ping", "params": {value}, "id": 7}}\n'.encode())
            server.stdin.flush()
        answer = json.loads(server.stdout.readline())
        assert why in answer["error"]["message"] and answer["id"] == (None if "bytes" in why else 7)
        if "bytes" not in why:
            about = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}
            server.stdin.write(line(id=1, method="initialize", params=about))
            server.stdin.flush()
            assert b"serverInfo" in server.stdout.readline(), "the next message is read"
        with suppress(BrokenPipeError):
            server.stdin.close()
