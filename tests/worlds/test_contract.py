"""What `protocols/world.py` promises, for the crafting world, and for Minecraft on the shared practice server."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from autocraft.commands.registry import Registry
from autocraft.crafting.inventory import parse_inventory
from autocraft.crafting.table import CraftingTable
from autocraft.errors import UsageError
from autocraft.goals import Goal
from autocraft.protocols import LiveWorld, World
from autocraft.protocols.world import peek
from autocraft.worlds.crafting import CraftingWorld
from autocraft.worlds.minecraft.settings import MinecraftSettings
from autocraft.worlds.minecraft.world import MinecraftWorld
from tests.worlds.conftest import Stage


class Crafter:
    """Plays the crafting world, as `playing.Player` plays Minecraft. Both begin with nothing in the inventory."""

    def __init__(self) -> None:
        self.world: World = CraftingWorld(CraftingTable())

    async def must(self, command: str, **args: Any) -> str:
        registry = Registry(self.world.commands())
        done = await registry.call(registry.bind(command, args))
        assert done.ok, done.text
        return done.text

    async def give(self, **items: int) -> None:
        self.world = CraftingWorld(parse_inventory(",".join(f"{name}={count}" for name, count in items.items())))


async def held(world: World) -> dict[str, int]:
    return {name: count for name, count in (await world.observe()).inventory.items() if count}


async def looking_shows_what_is_held_and_changes_nothing(player: Any) -> None:
    await player.give(oak_log=3, stick=2)
    for seen in (await player.world.observe(), await peek(player.world), await player.world.observe()):
        assert dict(seen.inventory) == {"oak_log": 3, "stick": 2}
        assert "oak_log" in seen.text and "stick" in seen.text


async def goals_are_judged_with_a_reason(player: Any) -> None:
    await player.give(oak_log=1, stick=2)
    for text, verdict in (
        ("craft 2 sticks", "met"),
        ("craft 3 sticks", "not met"),
        ("craft 2 sticks and 1 oak_log", "met"),
        ("craft 2 sticks and 2 oak_log", "not met"),
        ("write a nice poem", "cannot tell"),
    ):
        check = await player.world.check(Goal.parse(text, player.world.items))
        assert check.verdict == verdict, text
        assert check.why and "\n" not in check.why


async def a_plan_is_from_the_present_state_and_leads_to_the_goal(player: Any) -> None:
    await player.give(oak_log=2)
    goal = Goal.parse("craft 4 sticks", player.world.items)
    plan, left = await player.world.plan([goal]), 3
    while plan.steps:
        assert plan.verdict == "found" and len(plan.steps) < left
        assert (await player.world.check(goal)).verdict == "not met"
        left = len(plan.steps)
        await player.must(plan.steps[0].name, **plan.steps[0].args)
        plan = await player.world.plan([goal])
    assert (plan.verdict, left) == ("found", 1)
    assert (await player.world.check(goal)).verdict == "met"
    assert (await held(player.world))["stick"] == 4


async def without_a_way_there_is_a_reason_and_no_step(player: Any) -> None:
    await player.give(oak_log=1)
    plan = await player.world.plan([Goal.parse("get 1 elytra", frozenset({"elytra"}))])
    assert plan.verdict != "found" and plan.steps == ()
    assert plan.why and "\n" not in plan.why


async def a_world_is_restored_from_its_snapshot_or_is_itself_the_truth(player: Any) -> None:
    await player.give(oak_log=2)
    world = player.world
    saved = json.loads(json.dumps(world.snapshot()))
    await player.must("craft_item", name="oak_planks", count=4)
    made = {"oak_log": 1, "oak_planks": 4}
    assert await held(world) == made
    assert (saved is None) == isinstance(world, LiveWorld)
    if saved is None:
        with pytest.raises(UsageError):
            world.restore({})
        assert await held(world) == made
    else:
        world.restore(saved)
        assert await held(world) == {"oak_log": 2}
        assert world.snapshot() == saved


SCENES = [
    looking_shows_what_is_held_and_changes_nothing,
    goals_are_judged_with_a_reason,
    a_plan_is_from_the_present_state_and_leads_to_the_goal,
    without_a_way_there_is_a_reason_and_no_step,
    a_world_is_restored_from_its_snapshot_or_is_itself_the_truth,
]
every_scene = pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.__name__)
Scene = Callable[[Any], Awaitable[None]]


@every_scene
def test_the_crafting_world(scene: Scene) -> None:
    async def played() -> None:
        await scene(Crafter())

    asyncio.run(played())


@every_scene
def test_minecraft(scene: Scene, stage: Stage) -> None:
    stage.play(scene)


@pytest.mark.parametrize("name", ["crafting", "minecraft"])
def test_a_world_says_its_name_and_closes_twice(name: str, tmp_path: Path) -> None:
    minecraft = MinecraftWorld(MinecraftSettings(), tmp_path / "minecraft", tmp_path / "accounts")
    world: World = minecraft if name == "minecraft" else CraftingWorld()

    async def closed() -> None:
        await world.close()
        await world.close()

    assert world.name == name
    assert all(each.help and "\n" not in each.name for each in world.commands())
    asyncio.run(closed())
