"""Programs on the practice server, through `autocraft run`: they act, they are held, the bot stays in the game."""

from __future__ import annotations

import subprocess
from typing import Any

import pytest

from autocraft.learning.writing import emptying, function, placing
from tests.commands.programs import with_programs
from tests.conftest import PROGRAM, Place, kinds
from tests.sandbox.playing import run as sandboxed
from tests.worlds.conftest import Stage
from tests.worlds.minecraft.playing import Player, floor, node_environment

PLANKS = """async function planks(bot) {
  await mineBlock(bot, 'oak_log', 1);
  await craftItem(bot, 'oak_planks', 1);
  return [bot.inventory.count(mcData.itemsByName.oak_planks.id), bot.health];
}"""
HOSTILE = {
    "loop": "async function loop(bot) { for (;;) {} }",
    "memory": "async function memory(bot) { const kept = []; for (;;) kept.push('x'.repeat(1 << 20) + kept.length); }",
    "escape": """async function escape(bot) {
  const made = (() => {}).constructor.constructor('return this')();
  return [typeof made.process, typeof made.WebAssembly, typeof made.host, typeof made.fetch];
}""",
    "stubborn": """async function stubborn(bot) {
  for (let n = 0; ; n++) try { await bot.chat('/kill'); await bot.toss('all', null, 9); } catch (error) {}
}""",
    "never": "async function never(bot) { await new Promise(() => {}); }",
}
WALL = """async function beyondTheFence(bot) {
  const at = bot.entity.position.offset(9, -1, 0);
  const before = bot.blockAt(at).name;
  let said = '';
  try { await bot.dig(bot.blockAt(at)); } catch (error) { said = error.message; }
  return { said, before, after: bot.blockAt(at).name };
}"""


def play(place: Place, *programs: str, **environment: str) -> list[dict[str, Any]]:
    """The results of run_program, one for each of the programs, in a run of their own."""
    script = place.script(*(("run_program", {"code": each}) for each in programs), ("observe", {}))
    arguments = ["run", "--world", "minecraft", "--goal", "See the world", "--brain", "scripted", "--script", script]
    arguments += ["--continuous", "--max-steps", str(len(programs) + 1), "--seed", "1", "--speed", "0"]
    done = subprocess.run(
        [*PROGRAM, *arguments],
        cwd=place.folder,
        env=place.environment | node_environment() | with_programs() | {"AUTOCRAFT_MOBS": "no"} | environment,
        capture_output=True,
        text=True,
        timeout=900,
    )
    assert done.returncode == 3, done.stdout[-3000:] + done.stderr[-3000:]
    return [each for each in kinds(place.events(), "result") if each["agent"] == "main"]


@pytest.mark.full
def test_a_program_acts_and_a_hostile_one_leaves_the_bot_in_the_game(stage: Stage) -> None:
    code = PLANKS.replace("  await mineBlock(bot, 'oak_log', 1);\n", "")

    async def scene(player: Player) -> None:
        await player.give(oak_log=2)
        for planks, hostile in ((4, "escape"), (8, "never")):
            ended = await sandboxed(player.world, code)
            assert (ended.kind, ended.value[0]) == ("returned", planks) and 0 < ended.value[1] <= 20, ended
            ended = await sandboxed(player.world, HOSTILE[hostile])
            assert ended.value == ["undefined"] * 4 or ended.which == "nothing left to wait for", ended
        assert (await player.seen())["inventory"] == {"oak_planks": 8}

    stage.play(scene)


def test_a_primitive_returns_what_it_broke_and_where_it_placed(stage: Stage) -> None:
    code = """async function f(bot) {
  const mined = await mineBlock(bot, 'dirt', 3);
  const none = await mineBlock(bot, 'diamond_ore', 1);
  const placed = await placeItem(bot, 'dirt');
  return [mined, none, placed.ok, bot.blockAt(placed.placed).name];
}"""

    async def scene(player: Player) -> None:
        x, y, z = await floor(player, stage.area())
        for far in (2, 3):
            await player.world.command(f"/setblock {x + far} {y} {z} dirt")
        ended = await sandboxed(player.world, code)
        assert ended.kind == "returned", ended
        mined, none, *placed = ended.value
        assert (mined["ok"], mined["broke"], mined["placed"]) == (False, {"dirt": 2}, None)
        assert "Mined only 2 of 3 dirt" in mined["error"]
        assert (none["ok"], none["broke"]) == (False, {}) and placed == [True, "dirt"]

    stage.play(scene)


@pytest.mark.full
def test_learning_places_another_chest_beside_one_that_is_near(stage: Stage) -> None:
    """The first chest was full. So a learning run spent 81 programs on "Place 1 chest" and placed none."""

    async def scene(player: Player) -> None:
        await floor(player, stage.area())
        await player.give(chest=2)
        for chests in (1, 0):
            ended = await sandboxed(player.world, emptying("Place 1 chest", {"chest": 2}))
            assert ended.kind == "returned", ended
            assert (await player.seen())["inventory"].get("chest", 0) == chests

    stage.play(scene)


@pytest.mark.full
def test_learning_places_a_furnace_in_a_shaft(stage: Stage) -> None:
    """All places beside the bot were stone. So 28 programs went for one iron ingot, with a furnace at hand."""
    code = function("place", ["// Place 1 furnace.", placing("'furnace'"), "return near('furnace', 4).name"])

    async def scene(player: Player) -> None:
        x, y, z = await floor(player, stage.area())
        await player.world.command(f"/fill {x - 5} {y} {z - 5} {x + 5} {y + 9} {z + 5} stone")
        await player.world.command(f"/fill {x} {y} {z} {x} {y + 9} {z} air")
        await player.world.command(f"/tp {x + 0.5} {y} {z + 0.5}")
        await player.give(furnace=1, iron_pickaxe=1)
        ended = await sandboxed(player.world, code)
        assert (ended.kind, ended.value) == ("returned", "furnace"), ended

    stage.play(scene)


@pytest.mark.full
def test_to_activate_a_block_that_is_gone_is_no_error(stage: Stage) -> None:
    code = """async function gone(bot) {
      const log = bot.findBlock({ matching: (block) => block.name === 'oak_log', maxDistance: 16 });
      await bot.pathfinder.goto(new GoalGetToBlock(log.position.x, log.position.y, log.position.z));
      await bot.dig(log);
      await bot.activateBlock(log);
      return 'went on';
    }"""

    async def scene(player: Player) -> None:
        x, y, z = await floor(player, stage.area())
        await player.world.command(f"/setblock {x + 4} {y} {z} oak_log")
        ended = await sandboxed(player.world, code)
        assert (ended.kind, ended.value) == ("returned", "went on"), ended

    stage.play(scene)


@pytest.mark.full
def test_programs_act_and_hostile_ones_leave_the_bot_in_the_game(place: Place) -> None:
    results = play(
        place, PLANKS, *HOSTILE.values(), PLANKS, AUTOCRAFT_PROGRAMS_STEPS="2000000", AUTOCRAFT_PROGRAMS_CALLS="150"
    )
    first, *hostile, last, seen = results
    assert "It returned [4, 20]." in first["text"]
    assert "Inventory: +4 oak_planks." in first["text"]
    assert "World: broke oak_log at " in first["text"]
    said = dict(zip(HOSTILE, (each["text"] for each in hostile), strict=True))
    assert "its limit of 2,000,000 steps (programs.steps)" in said["loop"]
    assert "its limit of 64 MB of memory (programs.memory_mb)" in said["memory"]
    assert 'It returned ["undefined", "undefined", "undefined", "undefined"].' in said["escape"]
    assert "its limit of 150 reads and effects (programs.calls)" in said["stubborn"]
    assert "Server command" not in str(place.events())
    assert "nothing left to wait for" in said["never"]
    assert "It returned [8, 20]." in last["text"]
    assert not any("died" in str(event.get("text")) for event in kinds(place.events(), "note"))
    assert seen["ok"] and "20" in seen["text"]
    bridges = [each for each in kinds(place.events(), "note") if "connection ended" in each["text"]]
    assert bridges == []


@pytest.mark.full
def test_a_program_breaks_nothing_beyond_the_fence(place: Place) -> None:
    where = "async function where(bot) { const { x, z } = bot.entity.position; return [Math.floor(x), Math.floor(z)]; }"
    [told, _] = play(place, where)
    x, z = (int(each) for each in told["text"].partition("returned [")[2].partition("]")[0].split(","))
    [held, _] = play(place, WALL, AUTOCRAFT_FENCE=f"{x - 4},{z - 4},{x + 4},{z + 4}")
    assert "is outside the fence" in held["text"], held["text"]
    before, after = (held["text"].partition(f'"{name}": "')[2].partition('"')[0] for name in ("before", "after"))
    assert before == after != ""


@pytest.mark.full
def test_a_kill_in_the_middle_of_mining_is_told_and_nothing_is_repeated(place: Place) -> None:
    """What the bot was doing can be seen in the world alone, so its outcome is unknown, and the program's too."""
    code = "async function logs(bot) {\n  await mineBlock(bot, 'oak_log', 1);\n  await mineBlock(bot, 'oak_log', 3);\n}"
    script = place.script(("run_program", {"code": code}), ("observe", {}))
    arguments = ["run", "--world", "minecraft", "--goal", "See the world", "--brain", "scripted", "--script", script]
    arguments += ["--continuous", "--seed", "1", "--speed", "1"]
    environment = place.environment | node_environment() | with_programs() | {"AUTOCRAFT_MOBS": "no"}
    child = subprocess.Popen(
        [*PROGRAM, *arguments], cwd=place.folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    assert child.stdout is not None
    intents = 0
    for line in child.stdout:  # the program's second effect has begun
        intents += b"COMMAND = mine_block" in line
        if intents == 2:
            break
    child.kill()
    child.wait()
    child.stdout.close()
    done = place.run("run", "--resume", "last", "--continuous", "--max-steps", "2", **node_environment())
    assert done.returncode == 3, done.stdout[-3000:]
    results = kinds(place.events(), "result")
    told = [(each["agent"], each["command"], each["ok"]) for each in results]
    assert told[0] == ("program", "mine_block", True)
    assert told[-2:] == [("main", "run_program", False), ("main", "observe", True)]
    assert len(kinds(place.events(), "intent")) == len(results)
    outer = results[-2]["text"]
    assert "The program was cut off and is not run again." in outer
    assert "1. mine_block name=oak_log count=1: Mined 1 oak_log" in outer
    assert "failed: Outcome unknown" in outer or len(told) == 3
