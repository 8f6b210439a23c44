"""A walk leaves the world as it was: doors are used and shut, work stays, and scaffold is taken away."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any

import pytest

from autocraft.worlds.minecraft import bridge
from autocraft.worlds.minecraft.confined import confined_node
from tests.sandbox.playing import run as sandboxed
from tests.worlds.conftest import Stage
from tests.worlds.minecraft.playing import Player, floor, play, playing
from tests.worlds.minecraft.test_commands_more import put, walls
from tests.worlds.minecraft.with_hook import lay

pytestmark = pytest.mark.full

WALLS = ("oak_planks", "cobblestone", "oak_log", "stone_bricks", "dirt", "glass", "bricks", "sandstone", "stone")
WAYS = ((1, 0), (-1, 0), (0, 1), (0, -1))
HOUSES = 10
WALK = """async function walk(bot) {
  const at = bot.entity.position;
  try {
    const moves = new Movements(bot, mcData);
    moves.%s;
    bot.pathfinder.setMovements(moves);
    await bot.pathfinder.goto(new GoalBlock(at.x + 5, at.y, at.z));
  } catch (error) { return error.message; }
  return Math.floor(bot.entity.position.x);
}"""
REACH = 26
IDLE_ONCE = """
const Module = require('node:module')
const load = Module._load
let begun = false
Module._load = function (name, ...rest) {
  const loaded = load.call(this, name, ...rest)
  if (name !== './lib/goto') return loaded
  return (...given) => begun ? loaded(...given) : new Promise(() => { begun = true })
}
"""
"""Lets the pathfinder do nothing when the bot walks for the first time."""


async def build(player: Player, at: tuple[int, int, int], wall: str, way: tuple[int, int]) -> None:
    """Build a house of five by five blocks, and let the bot put a door into the wall that lies that way."""
    (x, y, z), (dx, dz) = at, way
    await player.world.command(f"/fill {x - 2} {y} {z - 2} {x + 2} {y + 3} {z + 2} {wall}")
    await player.world.command(f"/fill {x - 1} {y} {z - 1} {x + 1} {y + 2} {z + 1} air")
    door = x + 2 * dx, y, z + 2 * dz
    await player.world.command(f"/fill {door[0]} {y} {door[2]} {door[0]} {y + 1} {door[2]} air")
    await player.world.command(f"/tp {x + 4 * dx + 0.5} {y} {z + 4 * dz + 0.5}")
    await player.must("wait", seconds=0.5)
    await player.must("place_item", name="oak_door", x=door[0], y=door[1], z=door[2])


async def blocks(player: Player, at: tuple[int, int, int], reach: int) -> dict[tuple[int, int, int], Any]:
    """Return the states of all blocks around a place, by cubes of eight blocks."""
    x, y, z = at
    corners = [
        (cx, cy, cz)
        for cx in range(x - reach, x + reach + 1, 8)
        for cy in (y - 2, y + 6)
        for cz in range(z - reach, z + reach + 1, 8)
    ]
    return {corner: await player.world.read("cube", list(corner)) for corner in corners}


def test_fifty_walks_in_out_and_around_ten_houses_change_no_block(stage: Stage) -> None:
    async def scene(player: Player) -> None:
        x, y, z = await floor(player, stage.area(), reach=REACH)
        await player.give(oak_door=HOUSES, stone_pickaxe=1, stone_axe=1, dirt=64)
        draw = random.Random(45)
        houses = [(x + 10 * column - 20, y, z + 12 * row - 6) for row in (0, 1) for column in range(5)]
        for number, house in enumerate(houses):
            await build(player, house, WALLS[number % len(WALLS)], WAYS[number % len(WAYS)])
        outside = [(x + dx, y, z + dz) for dx in (-24, -15, -5, 5, 15, 24) for dz in (-14, 0, 14)]
        before = await blocks(player, (x, y, z), REACH)
        for number in range(50):
            to = draw.choice(houses) if number % 2 else draw.choice([*outside, *houses])
            said = await player.must("goto", x=to[0], y=to[1], z=to[2])
            assert "On its way" not in said, f"walk {number} to {to}: {said}"
        await player.world.command(f"/tp {x + 0.5} {y} {z + 0.5}")
        await player.must("wait", seconds=1)
        assert await blocks(player, (x, y, z), REACH) == before, "a block or a door is not as it was"

    stage.play(scene)


def test_a_bot_swims_up_and_out_of_deep_water_and_changes_no_block(stage: Stage) -> None:
    async def scene(player: Player) -> None:
        x, y, z = await floor(player, stage.area())
        await player.give(dirt=8, stone_pickaxe=1)
        await player.world.command(f"/fill {x + 2} {y - 6} {z - 2} {x + 6} {y - 1} {z + 2} stone")
        await player.world.command(f"/fill {x + 3} {y - 5} {z - 1} {x + 5} {y - 1} {z + 1} water")
        await player.world.command(f"/tp {x + 4.5} {y - 5} {z + 0.5}")
        await player.must("wait", seconds=0.5)
        assert re.fullmatch(rf"Arrived at \(-?\d+, {y}, -?\d+\)\.", await player.must("goto", x=x, y=y, z=z))

    stage.play(scene)


def test_the_gate_of_a_pen_is_shut_behind(stage: Stage) -> None:
    async def scene(player: Player) -> None:
        x, y, z = await floor(player, stage.area())
        ring = [(x + dx, y, z + dz) for dx in range(-2, 3) for dz in range(-2, 3) if 2 in (abs(dx), abs(dz))]
        await put(player, "oak_fence", *(each for each in ring if each != (x + 2, y, z)))
        await player.world.command(f"/tp {x + 4.5} {y} {z + 0.5}")
        await player.give(oak_fence_gate=1, dirt=64, stone_axe=1)
        await player.must("place_item", name="oak_fence_gate", x=x + 2, y=y, z=z)
        before = await blocks(player, (x, y, z), 7)
        for to in (x, x - 6, x, x + 6):
            assert "On its way" not in await player.must("goto", x=to, y=y, z=z)
        await player.must("wait", seconds=1)
        assert await blocks(player, (x, y, z), 7) == before

    stage.play(scene)


def test_no_walk_breaks_what_a_command_placed_and_scaffold_goes(stage: Stage) -> None:
    async def scene(player: Player) -> None:
        x, y, z = await floor(player, stage.area())
        await player.give(dirt=64, cobblestone=64, stone_pickaxe=1)
        await player.world.command(f"/tp {x + 0.5} {y} {z + 0.5}")
        await put(player, "stone", *walls(x, y, z, up=3), (x, y + 3, z))
        # the bot stands in a cell of stone; what it puts into the openings is its work
        await player.world.command(f"/fill {x - 1} {y} {z} {x - 1} {y + 1} {z} air")
        for height in (y, y + 1):
            await player.must("place_item", name="cobblestone", x=x - 1, y=height, z=z)
        said = await player.must("goto", x=x - 5, y=y, z=z)
        assert "On its way the bot broke" in said and "cobblestone" not in said
        found = await player.must("find_block", name="cobblestone")
        assert all(f"({x - 1}, {height}, {z})" in found for height in (y, y + 1))

    stage.play(scene)


def test_scaffold_over_a_gap_is_taken_away(stage: Stage) -> None:
    async def scene(player: Player) -> None:
        x, y, z = await floor(player, stage.area())
        await player.world.command(f"/fill {x + 2} {y - 1} {z - 7} {x + 6} {y - 1} {z + 7} air")
        await player.world.command(f"/fill {x + 7} {y - 1} {z - 7} {x + 12} {y - 1} {z + 7} stone")
        await player.give(dirt=64, stone_pickaxe=1)
        before = await blocks(player, (x, y, z), 14)
        ended = await sandboxed(player.world, WALK % "scafoldingBlocks = []; moves.canDig = false")
        assert "No path" in str(ended.value), ended
        said = await player.must("goto", x=x + 11, y=y, z=z)
        assert "On its way" not in said, said
        assert await blocks(player, (x, y, z), 14) == before

    stage.play(scene)


def test_a_bot_that_leans_over_an_edge_goes_on_from_its_own_block(stage: Stage) -> None:
    """It fell from its pillar to its death: its search began above the abyss, and so did the bot."""

    async def scene(player: Player) -> None:
        x, y, z = await floor(player, stage.area())
        await player.give(dirt=32)
        await put(player, "stone", (x, y + 9, z))
        await player.world.command(f"/tp {x + 0.5} {y + 10} {z + 1.25}")
        await player.must("goto", x=x, y=y + 10, z=z + 4)
        assert (await player.seen())["health"] == 20

    stage.play(scene)


def test_a_bot_that_bridges_a_shaft_to_its_table_does_not_fall_into_it(stage: Stage) -> None:
    """It leaned over its own shaft, was taken for arrived above it, and was moved to the middle of the air."""

    async def scene(player: Player) -> None:
        x, y, z = await floor(player, stage.area())
        await player.world.command(f"/fill {x + 3} {y - 1} {z - 1} {x + 5} {y + 2} {z + 1} bedrock")
        await put(player, "crafting_table", (x + 4, y, z))
        await player.world.command(f"/fill {x + 3} {y - 1} {z} {x + 3} {y + 1} {z} air")
        await player.world.command(f"/tp {x - 3.5} {y} {z + 0.5}")
        others = ("stick", "coal", "bone", "flint", "wheat", "string", "bowl", "paper", "sugar")
        await player.give(**dict.fromkeys(others, 1), cobblestone=32)
        said = await player.must("goto_block", name="crafting_table")
        assert "left 1 cobblestone" in said, said
        assert await player.standing() == (x + 3, y, z)

    stage.play(scene)


def test_a_bot_that_arrives_over_an_edge_is_not_moved_into_the_air(stage: Stage) -> None:
    async def scene(player: Player) -> None:
        x, y, z = await floor(player, stage.area())
        await put(player, "stone", (x, y + 9, z))
        await player.world.command(f"/tp {x + 0.5} {y + 10} {z + 1.25}")
        await player.must("goto", x=x, y=y + 10, z=z + 1)
        assert await player.standing() == (x, y + 10, z)

    stage.play(scene)


def test_a_bot_that_is_stuck_does_not_step_off_a_cliff(stage: Stage) -> None:
    async def scene(player: Player) -> None:
        x, y, z = await floor(player, stage.area())
        await put(player, "bedrock", (x, y + 9, z))
        await player.world.command(f"/tp {x + 0.5} {y + 10} {z + 0.5}")
        await player.must("wait", seconds=0.5)
        await player.fails("goto", x=x + 5, y=y + 10, z=z)
        assert await player.standing() == (x, y + 10, z)

    stage.play(scene)


def test_a_walk_keeps_away_from_a_cactus(stage: Stage) -> None:
    """It brushed past one in the desert and lost six points of health, where nothing else was in its way."""

    async def scene(player: Player) -> None:
        x, y, z = await floor(player, stage.area())
        for step in (2, 4, 6):
            await put(player, "sand", (x + step, y - 1, z))
            await put(player, "cactus", (x + step, y, z), (x + step, y + 1, z))
        await player.world.command(f"/tp {x + 0.5} {y} {z + 0.5}")
        await player.must("goto", x=x + 7, y=y, z=z)
        assert (await player.seen())["health"] == 20

    stage.play(scene)


def test_out_of_a_notch_the_bot_does_not_jump_against_a_corner(stage: Stage) -> None:
    """Leaves hung beside a diagonal step up, and over it: the bot jumped for eight seconds in vain."""

    async def scene(player: Player) -> None:
        x, y, z = await floor(player, stage.area())
        await player.world.command(f"/fill {x - 7} {y} {z - 7} {x + 7} {y} {z + 7} stone")
        await player.world.command(f"/setblock {x} {y} {z} air")
        await put(player, "oak_leaves", (x - 1, y + 2, z), (x - 1, y + 3, z - 1))
        begun = await player.ticks()
        await player.must("goto", x=x - 6, y=y + 1, z=z - 6)
        assert await player.ticks() - begun < 80

    stage.play(scene)


def test_the_table_within_reach_is_used_though_another_one_is_nearer(stage: Stage) -> None:
    """No path led to the one below the floor, so one table after the other was put down."""

    async def scene(player: Player) -> None:
        x, y, z = await floor(player, stage.area())
        await put(player, "crafting_table", (x, y - 2, z), (x + 3, y, z))
        await player.world.command(f"/tp {x + 0.5} {y} {z + 0.5}")
        await player.give(oak_planks=3, stick=2)
        said = await player.must("craft_item", name="wooden_pickaxe")
        assert "On its way" not in said and await player.standing() == (x, y, z), said

    stage.play(scene)


def test_what_a_recipe_takes_is_not_laid_in_the_way_to_its_table(stage: Stage) -> None:
    """Diorite was laid before dirt, and then it was missing: eight programs in a row failed for two slabs."""

    async def scene(player: Player) -> None:
        x, y, z = await floor(player, stage.area())
        await put(player, "crafting_table", (x + 2, y + 6, z))
        await player.give(dirt=16, diorite=3)
        said = await player.must("craft_item", name="diorite_slab", count=6)
        assert "Got 6 diorite_slab" in said, said

    stage.play(scene)


def test_a_programs_movements_hold_for_its_walk(stage: Stage) -> None:
    async def scene(player: Player) -> None:
        x, y, z = await floor(player, stage.area())
        await put(player, "dirt", *walls(x, y, z, up=3), (x, y + 3, z))
        for rule in ("canDig = false", "blocksCantBreak.add(mcData.blocksByName.dirt.id)"):
            ended = await sandboxed(player.world, WALK % rule)
            assert "No path" in str(ended.value), ended
        for field in ("exclusionAreasStep.push(() => 100)", "canFly = true"):
            ended = await sandboxed(player.world, WALK % field)
            assert f"Movements.{re.split('[. ]', field)[0]} is not offered to programs" in str(ended.value), ended
        ended = await sandboxed(player.world, WALK % "digCost = 2")
        assert ended.value == x + 5
        await player.world.command(f"/tp {x + 0.5} {y} {z + 0.5}")
        await put(player, "stone", *walls(x, y, z, up=3), (x, y + 3, z))
        await player.world.command(f"/fill {x + 1} {y} {z} {x + 1} {y + 1} {z} air")
        await player.give(oak_door=1)
        await player.must("place_item", name="oak_door", x=x + 1, y=y, z=z)
        ended = await sandboxed(player.world, WALK % "canDig = false; moves.canOpenDoors = false")
        assert "No path" in str(ended.value), ended
        ended = await sandboxed(player.world, WALK % "canDig = false")
        assert ended.value == x + 5

    stage.play(scene)


def test_a_hatch_on_a_ladder_is_shut_behind(stage: Stage) -> None:
    async def scene(player: Player) -> None:
        x, y, z = await floor(player, stage.area())
        await player.world.command(f"/fill {x + 2} {y} {z - 2} {x + 6} {y + 2} {z + 2} stone_bricks")
        await player.world.command(f"/fill {x + 4} {y} {z} {x + 4} {y + 2} {z} air")
        await player.world.command(f"/fill {x + 2} {y} {z} {x + 3} {y + 1} {z} air")
        await player.world.command(f"/fill {x + 4} {y} {z} {x + 4} {y + 1} {z} ladder")
        await player.world.command(f"/setblock {x + 4} {y + 2} {z} oak_trapdoor")
        before = await blocks(player, (x, y, z), 7)
        for height, to in ((y + 3, x + 6), (y, x), (y + 3, x + 3)):
            said = await player.must("goto", x=to, y=height, z=z)
            assert "On its way" not in said, said
        await player.must("wait", seconds=1)
        assert await blocks(player, (x, y, z), 7) == before

    stage.play(scene)


def test_a_walk_is_begun_anew_without_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The next attempt after an idle one could break blocks, although there was a way around them."""
    hook = tmp_path / "hook.js"
    hook.write_text(IDLE_ONCE)
    monkeypatch.setattr(bridge, "confined_node", confined_node)  # which is put back afterwards
    lay(str(hook))

    async def scene() -> None:
        async with playing(cheats=True) as player:
            x, y, z = await floor(player, (0, 0), reach=14)
            await player.world.command(f"/fill {x + 2} {y} {z - 12} {x + 2} {y + 2} {z + 12} dirt")
            await player.give(wooden_shovel=1)
            said = await player.must("goto", x=x + 4, y=y, z=z)
            assert "On its way" not in said, said

    play(scene())
