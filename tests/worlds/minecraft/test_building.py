"""Buildings on the practice server: planned, built block by block, compared by the server's own state, taken back."""

from __future__ import annotations

import asyncio
import contextlib
import math
import os
import re
import signal
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from autocraft.building.blueprint import Blueprint
from autocraft.building.commands import BuildingCommands
from autocraft.building.plans import Plan
from autocraft.commands.registry import Registry
from autocraft.commands.workspace import Workspace
from autocraft.goals import Goal
from autocraft.protocols import PROGRAM, Call, Result, commands_of
from autocraft.worlds.minecraft.commands import NOTHING_BUILT
from tests.conftest import Place, kinds
from tests.sampling import drawn
from tests.schematics import FILES, write
from tests.test_building import BROKEN, FORMS, SENTENCES
from tests.worlds.conftest import Stage
from tests.worlds.minecraft.playing import Player, floor, node_environment, play, playing, processes
from tests.worlds.minecraft.test_commands_more import put

pytestmark = pytest.mark.full


class Run:
    """The parts of a run that building needs. It allows all effects, and lists them."""

    def __init__(self, player: Player, folder: Path) -> None:
        self.world = player.world
        building = BuildingCommands(Workspace(folder), lambda run: contextlib.nullcontext(run))
        self.registry = Registry([*player.world.commands(), *commands_of(building)], run=self)
        self.effects: list[str] = []
        player.registry = self.registry

    async def act(self, call: Call, beyond: str) -> Result:
        assert not beyond
        self.effects.append(call.name)
        return await self.registry.call(replace(call, id="effect"))


async def planned(player: Player, blueprint: str, **at: int) -> str:
    """Return the id of the plan of a building."""
    text = await player.must("plan_build", blueprint=blueprint, **at)
    return text.rsplit("plan ", 1)[1].split()[0]


async def caused(player: Player, command: str, id: str = "moved", /, **args: Any) -> Result:
    """Carry out a command that is offered to programs alone, as the call with an id."""
    call = player.registry.bind(command, args, agent=PROGRAM)
    return await player.registry.call(replace(call, id=id))


async def laid(player: Player, plan: str) -> Result:
    """Place the blocks of a plan, as `build` does after it has gathered them."""
    return await caused(player, "lay_blocks", f"laid {plan}", plan=plan)


async def meadow(player: Player, at: tuple[int, int], reach: int = 14) -> tuple[int, int, int]:
    """Make a floor with a layer of grass on it, and put the bot on its middle. Return where it stands."""
    x, y, z = await floor(player, at, reach)
    await player.world.command(f"/fill {x - reach} {y} {z - reach} {x + reach} {y} {z + reach} grass_block")
    await player.world.command(f"/tp {x + 0.5} {y + 1} {z + 0.5}")
    await player.must("wait", seconds=1)
    return x, y + 1, z


async def seen(player: Player, at: tuple[int, int, int], reach: int = 12) -> list[str]:
    """Return the layers around a place, as the server sends them to a bot that joins now: its legend and its rows."""
    assert player.world.joining.bridge is not None
    await player.world.joining.bridge.close()
    await player.must("wait", seconds=1)
    (x, y, z), lines = at, []
    for low in range(y - 1, y + 11, 4):
        box = {"x1": x - reach, "y1": low, "z1": z - reach, "x2": x + reach, "y2": low + 3, "z2": z + reach}
        lines += (await player.must("survey", **box)).splitlines()[1:]
    return lines


def test_a_cabin_is_built_from_what_is_held_and_the_bot_walks_in(stage: Stage, tmp_path: Path) -> None:
    async def scene(player: Player) -> None:
        Run(player, tmp_path)
        x, y, z = at = await meadow(player, stage.area())
        before = await seen(player, at)
        sites = await player.must("find_site", width=5, depth=6, radius=12)
        assert f", {y - 1}, " in sites
        await player.give(oak_planks=96, oak_door=1, torch=1, dirt=8)
        plan = await planned(player, "house 5x5, oak, torch", x=x + 3, y=y - 1, z=z - 2)
        assert "Of 99 blocks 0 are right, 99 wrong" in await player.fails("verify_build", plan=plan)
        done = await laid(player, plan)
        assert done.ok and done.text.endswith("Of 99 blocks 99 are right, 0 wrong."), done.text
        assert (await laid(player, plan)).ok, "what stands is left as it is"
        after = await seen(player, at)
        assert await player.must("verify_build", plan=plan) == "Of 99 blocks 99 are right, 0 wrong."
        assert not re.search(r"\bdirt\b|cobblestone", after[0] + after[5]), "no support is left"
        await caused(player, "walk_to_goal", goal=f"block {x + 5} {y} {z + 4}")
        await player.must("activate", x=x + 5, y=y, z=z + 2)
        await caused(player, "look_at", x=x + 5.5, y=y + 1.6, z=z - 1)
        await caused(player, "steer", controls="forward", seconds=1)
        inside = await player.standing()
        assert inside[0] == x + 5 and z - 1 <= inside[2] <= z + 1, inside
        await caused(player, "steer", controls="back", seconds=1.5)
        assert "99 are right" in await player.must("verify_build", plan=plan)
        await player.must("goto", x=x, y=y, z=z)
        text = await asyncio.to_thread(player.world.undo, {"call": f"laid {plan}", "plan": plan})
        assert text is not None and "changes were put back" in text
        again = await asyncio.to_thread(player.world.undo, {"call": f"laid {plan}", "plan": plan})
        assert again is None, "nothing is left of it, so /undo goes on to what was before"
        back = await seen(player, at)
        changed = sum(old != new for old, new in zip(_land(before), _land(back), strict=True))
        assert changed <= 6, f"of 625 blocks of ground {changed} are not back, which is more than one in a hundred"

    stage.play(scene)


def test_what_was_built_is_torn_down_in_peoples_words(stage: Stage, tmp_path: Path) -> None:
    async def scene(player: Player) -> None:
        Run(player, tmp_path)
        x, y, z = at = await meadow(player, stage.area())
        before = await seen(player, at)
        goal = Goal.parse("get rid of the hut", player.world.items)
        assert (await player.world.plan([goal])).why == NOTHING_BUILT
        await player.give(oak_planks=6, torch=1)
        plan = await planned(player, "name shed of mine\n# = oak_planks\nlayer 0-1\n###", x=x + 3, y=y - 1, z=z - 2)
        laying = player.registry.bind("lay_blocks", {"plan": plan}, agent=PROGRAM)
        done = await player.registry.call(replace(laying, id="shed"))
        assert done.ok, done.text
        (step,) = (await player.world.plan([goal])).steps
        assert (step.name, step.args) == ("tear_down", {"plan": plan})
        assert (await player.world.check(goal)).verdict == "not met"
        call = player.registry.bind(step.name, step.args)
        assert "shed of mine" in player.registry.preview(call) and call.warning == "takes a building away"
        done = await player.do(step.name, **step.args)
        assert done.text.startswith("Tore down shed of mine: ") and "6 changes were put back" in done.text
        assert (await player.world.check(goal)).verdict == "met"
        assert _land(await seen(player, at)) == _land(before)
        assert await player.fails(step.name, **step.args) == NOTHING_BUILT
        undone = await asyncio.to_thread(player.world.undo, {"call": "shed", "plan": plan})
        assert undone is None, "it was taken away already"

    stage.play(scene)


def test_everything_that_was_built_is_torn_down_one_after_another(tmp_path: Path) -> None:
    async def scene() -> None:
        async with playing(cheats=True) as player:
            Run(player, tmp_path)
            x, y, z = at = await meadow(player, (0, 0))
            before = await seen(player, at)
            goal = Goal.parse("tear down everything", player.world.items)
            for name, dx in (("shed", 3), ("tower", -6)):
                await player.give(oak_planks=6)
                form = f"name {name}\n# = oak_planks\nlayer 0-1\n###"
                plan = await planned(player, form, x=x + dx, y=y - 1, z=z - 2)
                assert (await caused(player, "lay_blocks", name, plan=plan)).ok
            left = []
            while (check := await player.world.check(goal)).verdict != "met":
                left.append(check.why.rpartition(": ")[2])
                (step,) = (await player.world.plan([goal])).steps
                await player.must(step.name, **step.args)
            assert left == ["2 still stand", "1 still stand"]
            assert _land(await seen(player, at)) == _land(before)

    play(scene())


def test_a_hole_that_is_torn_into_it_while_it_is_built_is_mended(stage: Stage, tmp_path: Path) -> None:
    async def scene(player: Player) -> None:
        Run(player, tmp_path)
        x, y, z = await meadow(player, stage.area())
        await player.give(oak_planks=130, oak_door=1, dirt=16)
        plan = await planned(player, "house 5x5, oak, no torch", x=x + 3, y=y - 1, z=z - 2)
        work = asyncio.create_task(caused(player, "lay_blocks", "torn", plan=plan))
        while len(player.world.changes_of(["torn"])) < 100:  # 25 blocks of ground are dug away before
            assert not work.done(), work.result()
            await asyncio.sleep(0.05)
        # a corner of the house and the ground below, as a creeper would, and dirt where it stays free
        await player.world.command(f"/fill {x + 3} {y - 1} {z - 2} {x + 5} {y + 1} {z} air")
        await player.world.command(f"/setblock {x + 6} {y} {z} dirt")
        done = await work
        assert done.ok, done.text
        assert " 0 wrong." in await player.must("verify_build", plan=plan)

    stage.play(scene)


def test_it_stands_over_a_pit_and_on_uneven_ground(stage: Stage, tmp_path: Path) -> None:
    async def scene(player: Player) -> None:
        Run(player, tmp_path)
        x, y, z = await meadow(player, stage.area())
        await player.world.command(f"/fill {x + 4} {y - 2} {z - 1} {x + 6} {y - 1} {z + 1} air")
        await player.world.command(f"/fill {x + 3} {y} {z + 2} {x + 5} {y + 1} {z + 2} dirt")
        await player.must("wait", seconds=0.5)
        await player.give(oak_planks=96, oak_door=1, oak_fence=23, oak_fence_gate=1, dirt=16)
        for blueprint, at in (("house 5x5, oak, no torch", 3), ("pen, oak", -10)):
            plan = await planned(player, blueprint, x=x + at, y=y - 1, z=z - 2)
            done = await caused(player, "lay_blocks", blueprint, plan=plan)
            assert done.ok, done.text
            assert " 0 wrong." in await player.must("verify_build", plan=plan)
            await player.world.command(f"/fill {x - 9} {y - 1} {z - 2} {x - 5} {y - 1} {z + 1} air")

    stage.play(scene)


def test_a_bridge_stands_over_water_and_the_bot_walks_across(stage: Stage, tmp_path: Path) -> None:
    async def scene(player: Player) -> None:
        Run(player, tmp_path)
        x, y, z = await meadow(player, stage.area())
        await player.world.command(f"/fill {x + 4} {y - 4} {z - 8} {x + 10} {y - 2} {z + 8} stone")
        await player.world.command(f"/fill {x + 4} {y - 2} {z - 8} {x + 10} {y - 1} {z + 8} water")
        await player.must("wait", seconds=1)
        await player.give(birch_planks=21, birch_fence=14, birch_stairs=6, cobblestone=20)
        plan = await planned(player, "bridge", x=x + 3, y=y - 1, z=z - 1)
        done = await caused(player, "lay_blocks", "bridge", plan=plan)
        assert done.ok, done.text
        assert " 0 wrong." in await player.must("verify_build", plan=plan)
        below = await player.must("survey", x1=x + 4, y1=y - 1, z1=z - 3, x2=x + 10, y2=y - 1, z2=z + 3)
        assert "water (49)" in below or "49 water" in below, below
        await player.must("goto", x=x + 1, y=y, z=z)
        await caused(player, "walk_to_goal", "across", goal=f"block {x + 12} {y} {z}")
        assert (await player.standing())[0] == x + 12 and not player.world.changes_of(["across"])

    stage.play(scene)


def test_the_land_is_as_before_after_two_buildings_in_the_same_place(stage: Stage, tmp_path: Path) -> None:
    async def scene(player: Player) -> None:
        Run(player, tmp_path)
        x, y, z = at = await meadow(player, stage.area())
        before = await seen(player, at)
        await player.give(oak_planks=66, oak_door=1, dirt=12)
        for turn in ("first", "second"):
            plan = await planned(player, "house 4x4, oak, no torch", x=x + 3, y=y - 1, z=z - 2)
            done = await caused(player, "lay_blocks", turn, plan=plan)
            assert done.ok, done.text
            undone = await asyncio.to_thread(player.world.undo, {"call": turn, "plan": plan})
            assert undone is not None and "changes were put back" in undone
            assert plan not in player.world.changes.built()
        assert _land(await seen(player, at)) == _land(before)

    stage.play(scene)


def test_the_scaffold_of_an_undo_that_was_killed_is_taken_away(stage: Stage, tmp_path: Path) -> None:
    async def scene(player: Player) -> None:
        Run(player, tmp_path)
        x, y, z = at = await meadow(player, stage.area())
        before = await seen(player, at)
        await player.give(oak_planks=9, dirt=24)
        mast = "name mast\n# = oak_planks\nlayer 0-8\n#"
        plan = await planned(player, mast, x=x + 3, y=y - 1, z=z)
        assert (await caused(player, "lay_blocks", "mast", plan=plan)).ok
        await player.must("goto", x=x - 4, y=y, z=z)

        def scaffold() -> list[str]:
            return scaffold_near(player, at)

        assert not scaffold()
        work = asyncio.create_task(player.do("tear_down", plan=plan))
        while not scaffold():
            assert not work.done(), work.result()
            await asyncio.sleep(0.02)
        os.kill(processes(player)[0], signal.SIGKILL)
        assert not (await work).ok and scaffold()
        await player.world.command(f"/tp {x - 4} {y} {z}")
        assert "Tore down mast" in await player.must("tear_down", plan=plan)
        assert _land(await seen(player, at)) == _land(before) and not scaffold()

    stage.play(scene)


def test_a_tower_is_taken_away_from_its_top_and_the_bot_does_not_fall(stage: Stage, tmp_path: Path) -> None:
    """On the ladder the bot slid down while it dug, so that nothing broke, and it fell off with each heap of items."""

    async def scene(player: Player) -> None:
        Run(player, tmp_path)
        x, y, z = at = await meadow(player, stage.area())
        before = await seen(player, at)
        name = "tower, oak, north door, torch"
        await player.give(**GIVEN[name], dirt=24)
        plan = await planned(player, name, x=x + 3, y=y - 1, z=z - 3)
        assert (await laid(player, plan)).ok
        assert "Tore down tower" in await player.must("tear_down", plan=plan)
        changes = player.world.changes_of([f"test:{player.calls}"])
        assert not [change for change in changes if change.startswith("placed oak_planks")], "nothing was dug in vain"
        assert (await player.seen())["health"] == 20
        assert _land(await seen(player, at)) == _land(before)

    stage.play(scene)


def test_dirt_over_which_grass_has_grown_is_taken_back(stage: Stage, tmp_path: Path) -> None:
    async def scene(player: Player) -> None:
        Run(player, tmp_path)
        x, y, z = await meadow(player, stage.area())
        await player.give(dirt=1)
        assert (await caused(player, "place_item", "soil", name="dirt", x=x + 2, y=y, z=z)).ok
        await player.world.command(f"/setblock {x + 2} {y} {z} grass_block")
        await player.must("wait", seconds=0.5)
        undone = await asyncio.to_thread(player.world.undo, {"call": "soil"})
        assert undone is not None and undone.endswith("1 change was put back."), undone
        assert "only air" in await player.must("survey", x1=x + 2, y1=y, z1=z, x2=x + 2, y2=y, z2=z)

    stage.play(scene)


def scaffold_near(player: Player, at: tuple[int, int, int]) -> list[str]:
    """Return where walks have placed blocks that still stand in this scene: others leave some on the same stage."""
    walked = [place for place, by in player.world.changes.placements().items() if by == "walk"]
    return [place for place in walked if math.dist(at, map(int, re.findall(r"-?\d+", place))) < 48]


def test_a_support_that_cannot_be_taken_away_is_named_and_tried_again(stage: Stage, tmp_path: Path) -> None:
    async def scene(player: Player) -> None:
        Run(player, tmp_path)
        x, y, z = at = await meadow(player, stage.area())
        await player.give(oak_planks=9, dirt=24)
        plan = await planned(player, "name mast\n# = oak_planks\nlayer 0-8\n#", x=x + 3, y=y - 1, z=z)
        work = asyncio.create_task(caused(player, "lay_blocks", "mast", plan=plan))
        while not scaffold_near(player, at):
            assert not work.done(), work.result()
            await asyncio.sleep(0.02)
        (support,) = scaffold_near(player, at)[:1]
        place = " ".join(re.findall(r"-?\d+", support))
        await player.world.command(f"/setblock {place} bedrock")
        done = await work
        assert not done.ok and "Of 9 blocks 9 are right, 0 wrong" in done.text, done.text
        assert f"1 left as a support: bedrock there (there is nothing to dig at {support}) at {support}" in done.text
        assert "left as a support" in await player.fails("verify_build", plan=plan)
        await player.world.command(f"/setblock {place} dirt")
        sx, sy, sz = map(int, place.split())
        sides = [(sx + 1, sy, sz), (sx - 1, sy, sz), (sx, sy, sz + 1), (sx, sy, sz - 1), (sx, sy - 1, sz)]
        sides = [side for side in sides if (side[0], side[2]) != (x + 3, z) and side[1] >= y]
        await put(player, "stone", *sides)
        await player.must("verify_build", plan=plan)  # earth in a hole is ground: a walk out of the hole fills it again
        await put(player, "air", *sides)
        assert "left as a support" in await player.fails("verify_build", plan=plan)
        assert (await caused(player, "lay_blocks", "again", plan=plan)).text == "Of 9 blocks 9 are right, 0 wrong."
        assert not scaffold_near(player, at)
        await player.must("verify_build", plan=plan)

    stage.play(scene)


def _land(lines: list[str]) -> str:
    """Return the layers with each block as the same letter, since dirt comes back for grass."""
    return re.sub(r"[^./ ]", "#", "".join(line.partition(": ")[2] for line in lines if line.startswith("y=")))


GIVEN: dict[str, dict[str, int]] = {
    "house 7x5, gable roof, oak, 2 windows, bed, torch, chest": {
        "oak_planks": 106, "oak_stairs": 28, "glass_pane": 2, "oak_door": 1, "torch": 1, "white_bed": 1, "chest": 1,
    },
    "tower, oak, north door, torch": {
        "oak_planks": 167, "ladder": 7, "oak_door": 1, "oak_trapdoor": 1, "torch": 1,
    },
    "pen": {"birch_fence": 23, "birch_fence_gate": 1, "birch_planks": 1},
    "bridge": {"birch_planks": 21, "birch_fence": 14, "birch_stairs": 6},
    "farm fence": {"birch_fence": 31, "birch_fence_gate": 1, "birch_planks": 1},
    "nether portal": {"obsidian": 14},
    "cabin": {"birch_planks": 96, "birch_door": 1, "torch": 1},
}  # fmt: skip


@pytest.mark.parametrize("blueprint", GIVEN)
def test_each_building_stands_as_planned_and_no_support_is_left(stage: Stage, tmp_path: Path, blueprint: str) -> None:
    async def scene(player: Player) -> None:
        Run(player, tmp_path)
        x, y, z = at = await meadow(player, stage.area())
        await player.give(**GIVEN[blueprint], cobblestone=30)
        plan = await planned(player, blueprint, x=x + 3, y=y - 1, z=z - 3)
        done = await laid(player, plan)
        assert done.ok, done.text
        after = await seen(player, at)
        assert " 0 wrong." in await player.must("verify_build", plan=plan)
        assert not [line for line in after if re.search(r"\S dirt \(|cobblestone", line)], "no support is left"

    stage.play(scene)


def test_a_building_beside_another_one_takes_nothing_of_it_away(stage: Stage, tmp_path: Path) -> None:
    async def scene(player: Player) -> None:
        Run(player, tmp_path)
        x, y, z = await meadow(player, stage.area())
        await player.give(oak_fence=46, oak_fence_gate=2, cobblestone=12)
        plans = [await planned(player, "pen, oak", x=x + dx, y=y - 1, z=z - 3) for dx in (-8, 2)]
        for plan in plans:
            done = await laid(player, plan)
            assert done.ok, done.text
        assert " 0 wrong." in await player.must("verify_build", plan=plans[0]), "it was taken for supports"

    stage.play(scene)


def test_at_night_the_bot_waits_in_safety_and_builds_on_by_day(stage: Stage, tmp_path: Path) -> None:
    async def scene(player: Player) -> None:
        Run(player, tmp_path)
        x, y, z = await meadow(player, stage.area())
        for dy in (2, 3, 4):  # ground to dig in
            await player.world.command(f"/fill {x - 14} {y - dy} {z - 14} {x + 14} {y - dy} {z + 14} dirt")
        await player.give(oak_fence=23, oak_fence_gate=1, dirt=8)
        plan = await planned(player, "pen, oak", x=x + 3, y=y - 1, z=z - 3)
        await player.world.command("/time set 13000")
        for dx in (-10, 10):
            await player.world.command(f"/summon zombie {x + dx} {y} {z}")
        before = await player.ticks()
        done = await laid(player, plan)
        assert done.ok and "Closed in at" in done.text, done.text
        assert await player.ticks() - before > 10_000, "it waited until dawn"
        assert (await player.seen())["health"] > 10
        assert not any("died" in note for note in player.notes)

    stage.play(scene)


def test_a_hungry_builder_hunts_and_eats_before_it_builds_on(stage: Stage, tmp_path: Path) -> None:
    async def scene(player: Player) -> None:
        Run(player, tmp_path)
        x, y, z = await meadow(player, stage.area())
        while (seen := await player.seen())["health"] > 8 or seen["food"] >= 18:  # a fall takes half of its health
            high = 3 + int(seen["health"]) // 2
            await player.world.command(f"/tp {x + 0.5} {y + high} {z + 0.5}")
            await player.must("wait", seconds=8)
        for x1, z1, x2, z2 in ((-14, -14, 14, -14), (-14, 14, 14, 14), (-14, -14, -14, 14), (14, -14, 14, 14)):
            glass = f"{x + x1} {y} {z + z1} {x + x2} {y + 1} {z + z2} glass"
            await player.world.command(f"/fill {glass}")  # the cow must not fall off the meadow
        await player.give(oak_fence=23, oak_fence_gate=1)
        plan = await planned(player, "pen, oak", x=x + 3, y=y - 1, z=z - 3)
        await player.world.command(f"/summon cow {x - 4} {y} {z}")
        before = dict(player.world.deeds)
        done = await laid(player, plan)
        assert done.ok, done.text
        killed = [deed for deed, count in player.world.deeds.items() if count > before.get(deed, 0) and "kill" in deed]
        assert killed == ["kill cow"], (killed, done.text)
        assert any("By itself the bot ate" in note for note in player.notes), player.notes

    stage.play(scene, eat=True)


def test_building_goes_on_at_the_block_where_the_bot_was_killed(stage: Stage, tmp_path: Path) -> None:
    async def scene(player: Player) -> None:
        Run(player, tmp_path)
        x, y, z = await meadow(player, stage.area())
        await player.give(oak_planks=96, oak_door=1)
        plan = await planned(player, "house 5x5, oak, no torch", x=x + 3, y=y - 1, z=z - 2)
        before = len(player.world.changes_of([f"laid {plan}"]))
        for count in (10, 60):
            work = asyncio.create_task(laid(player, plan))
            while len(player.world.changes_of([f"laid {plan}"])) < before + count:
                assert not work.done(), work.result()
                await asyncio.sleep(0.05)
            os.kill(processes(player)[0], signal.SIGKILL)
            assert not (await work).ok
            await player.world.command(f"/tp {x + 0.5} {y} {z + 0.5}")  # the server may have lost where it stood
        done = await laid(player, plan)
        assert done.ok, f"{done.text} {player.notes[-8:]}"
        assert " 0 wrong." in await player.must("verify_build", plan=plan)
        placed = [
            change for change in player.world.changes_of([f"laid {plan}"])[before:] if change.startswith("placed oak_")
        ]
        assert 95 <= len(set(placed)) <= 97, "a kill may come between a block and its report"
        assert len(placed) <= len(set(placed)) + 2, "nothing that stood was placed again"

    stage.play(scene)


def test_what_stands_in_the_way_and_what_cannot_be_is_said_before_it_begins(stage: Stage, tmp_path: Path) -> None:
    async def scene(player: Player) -> None:
        Run(player, tmp_path)
        x, y, z = await meadow(player, stage.area())
        place = {"x": x + 3, "y": y - 1, "z": z - 2}
        plan = await planned(player, "house 5x5, oak", **place)
        await player.world.command(f"/setblock {x + 4} {y} {z} diamond_block")
        await player.must("wait", seconds=0.5)
        done = await laid(player, plan)
        assert f"diamond_block is at ({x + 4}, {y}, {z}), which the plan does not dig away" in done.text
        text = await player.must("plan_build", blueprint="house 5x5, oak", **place)
        assert "1 diamond_block" in text and "no way is known" not in text
        await player.world.command(f"/setblock {x + 4} {y} {z} water")
        await player.must("wait", seconds=0.5)
        assert "take a dry place" in await player.fails("plan_build", blueprint="house 5x5", **place)
        layers = "# = oak_stairs[facing=up]\nlayer 0\n#"
        assert "oak_stairs has no facing=up" in await player.fails("plan_build", blueprint=layers)
        assert "there is no plan" in await player.fails("verify_build", plan="00000000")
        assert "No flat, dry place" in await player.fails("find_site", width=40, depth=40, radius=16)

    stage.play(scene)


def test_files_of_other_programs_are_blueprints(stage: Stage, tmp_path: Path) -> None:
    for name, text in FILES.items():
        (tmp_path / name).write_bytes(write(Blueprint.read(text), name))
    for name in ("step.schem", "step.litematic", "step.nbt"):
        step = Blueprint.read("< = oak_stairs[facing=east,half=bottom]\n# = stone\nlayer 0\n<#")
        (tmp_path / name).write_bytes(write(step, name))
    (tmp_path / "other.nbt").write_bytes(b"no blocks are in here")

    async def scene(player: Player) -> None:
        Run(player, tmp_path)
        x, y, z = await meadow(player, stage.area())
        for name, text in FILES.items():
            id = await planned(player, name, x=x + 2, y=y - 1, z=z - 3)
            plan = Plan.at(Blueprint.read(text), (x + 2, y - 1, z - 3))
            stored = player.world.plans.load(id)
            assert (stored.blocks, stored.free, stored.name) == (plan.blocks, plan.free, name)
        await player.give(oak_stairs=1, stone=1)
        plans = [await planned(player, f"step.{kind}", x=x + 3, y=y, z=z) for kind in ("schem", "nbt", "litematic")]
        first, *others = [player.world.plans.load(id).blocks for id in plans]
        assert all(blocks == first for blocks in others)
        done = await laid(player, plans[0])
        assert done.ok and "Of 2 blocks 2 are right" in done.text, done.text
        assert "is no NBT" in await player.fails("plan_build", blueprint="other.nbt")
        assert "has no file" in await player.fails("plan_build", blueprint="nothing.nbt")
        assert "is no building" in await player.fails("plan_build", blueprint="a spaceship")

    stage.play(scene)


def test_a_portal_is_built_beside_a_deep_pool_of_lava_and_nothing_is_lost(stage: Stage, tmp_path: Path) -> None:
    """Obsidian was made in the pool: what it dropped fell into the lava below, and so did the bot."""

    async def scene(player: Player) -> None:
        run = Run(player, tmp_path)
        x, y, z = await meadow(player, stage.area())
        await player.world.command(f"/fill {x - 12} {y - 3} {z - 12} {x - 6} {y - 3} {z - 6} stone")
        await player.world.command(f"/fill {x - 11} {y - 2} {z - 11} {x - 7} {y - 1} {z - 7} lava")
        await player.give(water_bucket=1, diamond_pickaxe=1)
        plan = await planned(player, "nether portal", x=x + 3, y=y - 1, z=z)
        assert await player.must("build", plan=plan) == "Of 14 blocks 14 are right, 0 wrong."
        seen = await player.seen()
        assert seen["health"] == 20 and not any("died" in note for note in player.notes)
        broken = [change for change in player.world.changes_of(["effect"]) if change.startswith("broke obsidian")]
        assert len(broken) == 14 and seen["inventory"].get("obsidian", 0) == 0, "nothing burns"
        assert run.effects.count("fill_bucket") == 14, "the water lies where it was poured first"

    stage.play(scene)


@pytest.mark.parametrize("far", drawn([20, 150], 1))
def test_at_night_the_bot_does_not_walk_to_a_building(stage: Stage, tmp_path: Path, far: int) -> None:
    """A bot that held 8 blocks of obsidian walked 400 blocks to the portal among zombies, and died."""

    async def scene(player: Player) -> None:
        run = Run(player, tmp_path)
        x, y, z = await meadow(player, stage.area())
        plan = await planned(player, "# = dirt\nlayer 0\n#", x=x + 3, y=y, z=z)
        for dx in range(14, far + 14, 14):
            await player.world.command(f"/fill {x + dx} {y - 4} {z - 14} {x + dx + 14} {y - 1} {z + 14} dirt")
        await player.world.command(f"/tp {x + far} {y} {z}")
        await player.give(dirt=1)
        await player.must("wait", seconds=2)
        await player.world.command("/time set 13000")
        begun = await player.ticks()
        assert "Of 1 blocks 1 are right" in await player.must("build", plan=plan)
        assert run.effects == ["shelter", "goto", "lay_blocks"]
        assert await player.ticks() - begun > 10_000, "it waited until dawn"

    stage.play(scene)


def test_at_night_the_bot_does_not_walk_to_what_it_takes_away(stage: Stage, tmp_path: Path) -> None:
    async def scene(player: Player) -> None:
        Run(player, tmp_path)
        x, y, z = await meadow(player, stage.area(), 40)
        for dy in (2, 3, 4):  # ground to dig in
            await player.world.command(f"/fill {x - 40} {y - dy} {z - 14} {x + 40} {y - dy} {z + 14} dirt")
        await player.give(oak_planks=1)
        plan = await planned(player, "name sign\n# = oak_planks\nlayer 0\n#", x=x + 36, y=y, z=z)
        assert (await laid(player, plan)).ok
        await player.must("goto", x=x - 20, y=y, z=z)
        await player.world.command("/time set 13000")
        text = await player.must("tear_down", plan=plan)
        place = re.search(r"Closed in at \((-?\d+), ", text)
        assert place is not None and int(place[1]) < x, text

    stage.play(scene)


def test_each_sentence_is_planned_without_a_model(stage: Stage, tmp_path: Path) -> None:
    async def scene(player: Player) -> None:
        Run(player, tmp_path)
        await meadow(player, stage.area(), 20)
        for sentence, building in SENTENCES.items():
            goal = Goal.parse(sentence, player.world.items).from_now(player.world.deeds)
            was_planned = player.world.plans.newest(building)
            (step,) = (await player.world.plan([goal])).steps
            if was_planned:
                assert (step.name, step.args) == ("build", {"plan": was_planned})
                continue
            assert (step.name, step.args) == ("plan_build", {"blueprint": building})
            assert (await player.must(step.name, **step.args)).startswith(f"{building}: "), sentence

    stage.play(scene)


def test_the_forms_of_a_model_are_planned_or_refused_with_the_reason(place: Place) -> None:
    texts = [*FORMS.values(), *(text for text, _ in BROKEN[1:11])]
    script = place.script(*(("plan_build", {"blueprint": text}) for text in texts))
    flags = ["--world", "minecraft", "--brain", "scripted", "--script", script, "--continuous", "--speed", "0"]
    place.run("run", "--goal", "build something", *flags, "--seed", "1", AUTOCRAFT_MOBS="false", **node_environment())
    results = kinds(place.events(), "result")
    assert [each["ok"] for each in results] == [True] * 10 + [False] * 10, [each["text"][:90] for each in results]
    for result, (_, fault) in zip(results[10:], BROKEN[1:11], strict=True):
        assert fault in result["text"]
    assert len(kinds(place.events(), "planned")) == 10
    assert not list(place.folder.rglob("changes.jsonl")), "no block was changed"


def test_a_sentence_becomes_a_house_without_a_model(place: Place) -> None:
    """From nothing: the planner gathers the wood, plans the place, builds, and takes it away again."""
    flags = ["--world", "minecraft", "--brain", "planner", "--continuous", "--speed", "0", "--seed", "1"]
    environment = {"AUTOCRAFT_MOBS": "false", **node_environment()}
    nothing = place.run("run", "--goal", "tear it down", *flags, **environment)
    assert nothing.returncode != 0 and NOTHING_BUILT in nothing.stdout + nothing.stderr
    goals = ["--goal", "build a small house here", "--goal", "tear it down"]
    done = place.run("run", *goals, *flags, **environment)
    events = place.events()
    results = [(each["command"], each["ok"], each["text"]) for each in kinds(events, "result")]
    assert done.returncode == 0, (done.stdout[-3000:], results[-5:])
    (built,) = [text for command, _, text in results if command == "build"]
    assert " 0 wrong." in built and results[-1][:2] == ("tear_down", True), results[-3:]
    assert ("plan_build", True) in [each[:2] for each in results]


def test_a_file_becomes_a_building_without_a_model(place: Place) -> None:
    workspace = place.folder / "files"
    workspace.mkdir()
    (workspace / "Wall.nbt").write_bytes(write(Blueprint.read("name wall\n# = dirt\nlayer 0-1\n##"), "Wall.nbt"))
    flags = [
        "--world",
        "minecraft",
        "--brain",
        "planner",
        "--continuous",
        "--speed",
        "0",
        "--workspace",
        str(workspace),
    ]
    done = place.run("run", "--goal", "build Wall.nbt", *flags, AUTOCRAFT_MOBS="false", **node_environment())
    results = [each for each in kinds(place.events(), "result") if each["agent"] == "main"]
    assert done.returncode == 0, (done.stdout[-3000:], results[-5:])
    assert [each["command"] for each in results] == ["plan_build", "build"]
    assert "Of 4 blocks 4 are right, 0 wrong" in results[-1]["text"]
