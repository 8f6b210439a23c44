"""A person at an attached terminal answers for a client that shows no forms."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from tests.conftest import STONE_PICKAXE, Place, kinds
from tests.mcp.clients import RUN, Served, over_http, over_stdio, says, text_of, values
from tests.waiting import until

CRAFT = {"name": "oak_planks", "count": 4}


def test_a_person_at_an_attached_terminal_runs_refuses_and_leaves(place: Place, terminal: Callable[..., Any]) -> None:
    async def play() -> None:
        async with over_stdio(place, *STONE_PICKAXE) as client:
            window = await asyncio.to_thread(attached, place, terminal)
            call = asyncio.create_task(client.call_tool("craft_item", CRAFT))
            await asyncio.to_thread(window.expect, "COMMAND = craft_item.*Input: ")
            window.sendline("y")
            assert values(await call)["outcome"] == "done"
            await asyncio.to_thread(window.expect, "Made 4 oak_planks")
            call = asyncio.create_task(client.call_tool("craft_item", CRAFT))
            await asyncio.to_thread(window.expect, "COMMAND = craft_item.*Input: ")
            window.sendline("no more planks")
            refused = await call
            assert values(refused)["words"] == "no more planks"
            call = asyncio.create_task(client.call_tool("craft_item", CRAFT))
            await asyncio.to_thread(window.expect, "COMMAND = craft_item.*Input: ")
            window.send("\x03")
            assert "closed" in text_of(await call)
            assert "--attach" in text_of(await client.call_tool("craft_item", CRAFT))

    asyncio.run(play())
    assert [event["by"] for event in kinds(place.events(), "decision")] == ["person", "person", "nobody", "nobody"]


@pytest.mark.full
def test_what_is_typed_before_a_question_approves_nothing(place: Place, terminal: Callable[..., Any]) -> None:
    async def play() -> None:
        async with over_stdio(place, *STONE_PICKAXE, "--approve", "terminal", person=says(RUN)) as client:
            window = await asyncio.to_thread(attached, place, terminal)
            window.sendline("y")
            await asyncio.to_thread(window.expect, "Ignored")
            window.sendline("use less wood")
            await asyncio.to_thread(window.expect, "Noted")
            refused = await client.call_tool("craft_item", CRAFT)
            assert values(refused)["outcome"] == "refused" and values(refused)["words"] == "use less wood"
            call = asyncio.create_task(client.call_tool("craft_item", CRAFT))
            await asyncio.to_thread(window.expect, "Input: ")
            window.sendline("y")
            assert values(await call)["outcome"] == "done"

    asyncio.run(play())


def attached(place: Place, terminal: Callable[..., Any]) -> Any:
    until(lambda: place.state.exists() and (place.state / "sessions" / place.session() / "attach").exists())
    window = terminal("mcp", "--attach", "last")
    window.expect("Attached to session")
    return window


@pytest.mark.full
def test_the_terminal_of_an_http_server_is_asked(place: Place, terminal: Callable[..., Any]) -> None:
    token = "a token of the test's own"
    window = terminal("mcp", "--port", "0", *STONE_PICKAXE, AUTOCRAFT_MCP_TOKEN=token)
    window.expect(r"(http://127\.0\.0\.1:\d+/mcp) with")
    url = window.match.group(1)

    async def play() -> None:
        served = Served(None, url, token)
        async with over_http(served) as client:
            call = asyncio.create_task(client.call_tool("craft_item", CRAFT))
            await asyncio.to_thread(window.expect, "Input:")
            window.sendline("y")
            assert values(await call)["outcome"] == "done"

    asyncio.run(play())
    window.send("\x03")
    assert window.wait() == 0
    assert [event["reason"] for event in kinds(place.events(), "end")] == ["interrupted"]
