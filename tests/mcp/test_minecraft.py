"""A client plays the real bot on the practice server."""

from __future__ import annotations

import asyncio

import pytest

from tests.conftest import Place, kinds
from tests.mcp.clients import RUN, over_stdio, says, steps_in, text_of, values
from tests.worlds.minecraft.playing import node_environment, playing

pytestmark = pytest.mark.full
MOST_CALLS = 60


def test_a_client_crafts_a_stone_pickaxe_in_minecraft_with_approvals(place: Place) -> None:
    person = says(RUN)

    async def play() -> None:
        arguments = ("craft 1 stone_pickaxe", "--world", "minecraft", "--seed", "1", "--speed", "0")
        async with over_stdio(place, *arguments, person=person, **node_environment()) as client:
            for _ in range(MOST_CALLS):
                steps = steps_in(await client.call_tool("next_steps", {}))
                if not steps:
                    break
                done = await client.call_tool(steps[0]["name"], steps[0]["args"])
                assert values(done)["outcome"] in ("done", "failed"), text_of(done)
            assert values(await client.call_tool("observe", {}))["inventory"]["stone_pickaxe"] == 1
            over = await client.call_tool("task_complete", {})
            assert not over.is_error, text_of(over)

    asyncio.run(play())
    events = place.events()
    assert [event["reason"] for event in kinds(events, "end")] == ["goal_reached"]
    assert kinds(events, "end")[0]["assisted"] == 0
    assert {event["by"] for event in kinds(events, "decision")} == {"person"}
    assert len(person.forms) == len(kinds(events, "intent"))


def test_a_world_that_is_lost_ends_the_run_and_each_call_has_its_outcome(place: Place) -> None:
    async def play() -> list[str]:
        async with playing(freeze=False) as host:
            assert host.world.joining.server is not None
            address = f"127.0.0.1:{host.world.joining.server.port}"
            arguments = ("craft 1 stick", "--world", "minecraft", "--server", address, "--continuous")
            async with over_stdio(place, *arguments, person=None, **node_environment()) as client:
                assert not (await client.call_tool("show_inventory", {})).is_error
                await host.world.close()
                results = [await client.call_tool("show_inventory", {}) for _ in range(2)]
                assert "this is what was seen last" in text_of(await client.call_tool("observe", {}))
                return [f"{values(each)['outcome']}: {text_of(each)}" for each in results]

    failed, over = asyncio.run(play())
    assert failed.startswith("failed: ") and "cannot join the server" in failed
    assert over.startswith("over: ") and "--resume" in over
    assert "The run is over (error): cannot join the server" in over
    assert [event["reason"] for event in kinds(place.events(), "end")] == ["error"]
    assert "Traceback" not in (place.folder / "stderr").read_text()
