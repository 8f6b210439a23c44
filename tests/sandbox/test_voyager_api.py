"""Every symbol that Voyager's programs use is tried by a program on the practice server.

The probes are in `voyager_probes.py`; what they begin with is given by the server's own cheats.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from autocraft.commands.registry import Registry
from autocraft.errors import CommandError, InvalidCommand, NodeMissing
from autocraft.node import find_node, packages
from autocraft.protocols import Args, Call
from autocraft.sandbox import program
from autocraft.sandbox.engine import ProgramChild
from autocraft.sandbox.facade import CAUSES, EFFECTS, Facade, commands_called, prelude
from autocraft.sandbox.packages import PACKAGES
from autocraft.sandbox.program import ProgramLimits
from autocraft.skills.known import known_names
from autocraft.worlds.crafting import CraftingWorld
from autocraft.worlds.minecraft.packages import PACKAGES as MINECRAFT
from autocraft.worlds.minecraft.settings import MinecraftSettings
from autocraft.worlds.minecraft.world import MinecraftWorld
from tests.sandbox.playing import ROOMY, Acting, granted, run, run_program, text_of, within
from tests.sandbox.voyager_probes import DEEDS, LOOKS, SYMBOLS
from tests.worlds.minecraft.playing import Player, floor, playing

GIVES = {
    "dirt": 6, "furnace": 1, "iron_ore": 1, "coal": 1, "stone_pickaxe": 1, "leather_helmet": 1,
    "leather_chestplate": 1, "leather_leggings": 1, "leather_boots": 1, "shield": 1, "golden_apple": 1,
    "chest": 1, "stick": 1, "fishing_rod": 1, "oak_planks": 2,
}  # fmt: skip
SKILLS = {
    "sayTwice": "async function helper(bot) { const s = bot.nearestEntity(e => e.name === 'sheep'); return s.name }\n"
    "async function sayTwice(bot) { return `${await helper(bot)} ${await helper(bot)}` }",
    "sayOnce": "async function helper() { return 'one' }\nasync function sayOnce(bot) { return helper() }",
}


def _program(probes: Mapping[str, str]) -> str:
    """All probes as one program; main returns what each came to."""
    tries = "\n".join(
        f"  try {{ found[{json.dumps(name)}] = await (async () => {{ {body} }})() }} "
        f"catch (error) {{ found[{json.dumps(name)}] = `threw ${{error.message}}` }}"
        for name, body in probes.items()
    )
    return (
        "async function probe(bot) {\n  const found = {}\n  const at = bot.entity.position.floored()\n"
        f"  const id = name => mcData.itemsByName[name].id\n{tries}\n  return found\n}}"
    )


async def _ready(player: Player) -> None:
    x, _, z = await player.standing()
    x, y, z = await floor(player, (x, z))
    blocks = {(-5, 0, 0): "oak_log", (4, 0, -4): "oak_door", (-6, -1, -6): "water", (-5, -1, -6): "water"}
    blocks |= {(dx, -2, -6): "sandstone" for dx in (-6, -5)}  # or the sheep would sink through the water and fall
    rim = [(dx, dz) for dx in range(-7, 8) for dz in range(-7, 8) if max(abs(dx), abs(dz)) == 7]
    blocks |= {(dx, dy, dz): "glass" for dx, dz in rim for dy in (0, 1)}
    for (dx, dy, dz), block in blocks.items():
        await player.world.command(f"/setblock {x + dx} {y + dy} {z + dz} {block}")
    await player.give(red_bed=1, **GIVES)
    await player.must("place_item", name="red_bed", x=x - 4, y=y, z=z - 4)
    await player.world.command(f"/summon sheep {x + 3} {y} {z + 5}")
    await player.world.command(f"/tp {x + 0.5} {y} {z + 0.5}")
    await player.must("wait", seconds=1)


async def _probed(player: Player, probes: Mapping[str, str]) -> None:
    ended = await run(player.world, _program(probes), SKILLS)
    assert ended.kind == "returned", text_of(ended)
    wrong = {name: came for name, came in ended.value.items() if came is not True}
    assert not wrong and ended.value.keys() == probes.keys(), f"{wrong}\n{text_of(ended)}"


@pytest.mark.full
def test_every_symbol_of_voyagers_programs_on_the_practice_server() -> None:
    async def scene() -> None:
        async with playing(cheats=True, fight="off", eat=False) as player:
            await _ready(player)
            await _probed(player, LOOKS)
            await _probed(player, {name: body for name, body in DEEDS.items() if name != "bot.sleep"})
            await player.world.command("/time set night")
            await player.must("wait", seconds=1)
            await _probed(player, {"bot.sleep": DEEDS["bot.sleep"]})

    within(scene(), 240)


def test_no_symbol_is_without_a_probe() -> None:
    probes = {*LOOKS, *DEEDS}
    assert [name for name in SYMBOLS if name not in probes] == []
    api = known_names()
    listed = {*api.primitives, *api.values, *(f"bot.{path}" for path in api.bot)}
    tried = " ".join([*probes, *LOOKS.values(), *DEEDS.values()])
    assert [name for name in listed if not re.search(rf"\b{name.rpartition('.')[2]}\b", tried)] == []


def test_vec3_computes_as_the_package_does() -> None:
    ours = Path(program.__file__).parent / "node" / "facade" / "vec3.js"
    twin = [find_node(), Path(__file__).parent / "vec3_twin.js", ours, packages(MINECRAFT)]
    told = json.loads(subprocess.run(twin, capture_output=True, text=True, check=True, timeout=60).stdout)
    assert told["differs"] == [] and told["tried"] > 500


def test_a_program_causes_no_command_that_was_not_told() -> None:
    assert commands_called(["craftItem", "Vec3"], ["chat", "entity.position.offset"]) == {"craft_item", "chat"}
    assert commands_called([], ["pathfinder"]) == {"walk_to_goal"}
    assert commands_called([], ["pathfinder.goto.call"]) == {"walk_to_goal"}
    assert commands_called(["exploreUntil", "setTimeout"], []) == {"walk_towards", "wait"}
    assert commands_called(["toString", "__proto__"], ["inventory.count", "constructor"]) == frozenset()
    commands = {each.name for each in MinecraftWorld(MinecraftSettings(), Path("unused"), Path("unused")).commands()}
    assert {command for command, _ in EFFECTS.values()} | set().union(*CAUSES.values()) <= commands


def test_what_is_beyond_the_grant_is_no_mere_failure() -> None:
    async def scene() -> None:
        world = CraftingWorld()
        code = (
            "async function sneak(bot) {\n  await globalThis['craft' + 'Item'](bot, 'stick', 1);\n  bot.chat('on');\n}"
        )
        ended = await run(world, code)
        assert ended.kind == "refused" and "craft_item" in ended.message and ended.line == 2, text_of(ended)
        assert "on" not in ended.said and world.table == CraftingWorld().table

    within(scene())


def test_what_the_prelude_handed_in_can_be_spoiled_for_oneself_alone() -> None:
    async def scene() -> None:
        world = CraftingWorld()
        code = """async function spoil(bot) {
  console.log(typeof host, typeof globalThis.host);
  Array.prototype.map = Promise.prototype.then = Map.prototype.has = () => { throw new Error("spoiled"); };
  Vec3.prototype.offset = null;
  bot.inventory = null;
  Object.prototype.name = "diamond";
}"""
        assert (await run(world, code)).said == ("undefined undefined",)
        held = await run(world, "async function count(bot) { return bot.inventory.count('oak_log') }")
        assert held.value == 16, text_of(held)

    within(scene())


def test_the_facade_is_strict(tmp_path: Path) -> None:
    """A name that nobody declared cannot be assigned to; without the directive it would become a global."""
    sloppy = prelude("crafting", {}).replace("})(host);", "undeclared = 1\n})(host);")
    assert "undeclared" in sloppy

    async def start(code: str) -> None:
        engine = await ProgramChild.start(find_node(), packages(PACKAGES), tmp_path / "log", code, ProgramLimits())
        assert os.getsid(engine._process.pid) == engine._process.pid, "Ctrl-C at the terminal does not end it"
        await engine.kill()

    asyncio.run(start(sloppy.replace("'use strict'\n", "", 1)))
    with pytest.raises(NodeMissing, match=r"undeclared.* is not defined"):
        asyncio.run(start(sloppy))


def test_a_saved_skill_that_cannot_be_used_says_so() -> None:
    async def scene() -> None:
        skills = {
            "broken": "async function broken(bot) { return 1 +; }",
            "fine": "async function fine(bot) { return 2 }",
        }
        code = "async function use(bot) {\n  const two = await fine(bot);\n  return two + await broken(bot);\n}"
        api = Acting(world := CraftingWorld(), Registry(world.commands()), skills)
        ended = await run_program(code, "use", api, ROOMY, granted(code, {}))
        assert ended.kind == "threw" and "the saved skill broken cannot be used" in ended.message, text_of(ended)

    within(scene())


def test_nonsense_from_a_program_is_told_in_one_line() -> None:
    async def scene() -> None:
        world = CraftingWorld()
        registry = Registry(world.commands())

        def bind(name: str, args: Args) -> Call:
            return registry.bind(name, args, agent="program")

        facade = Facade(bind, world.read, {}, "crafting")
        calls: list[tuple[str, list[Any]]] = [
            ("no_such", []), ("craftItem", ["stick", 1, 2]), ("craftItem", [{}]), ("bot.chat", ["x"])
        ]  # fmt: skip
        for name, args in calls:
            with pytest.raises((InvalidCommand, CommandError)) as raised:
                facade.bind(name, args)
            assert "\n" not in str(raised.value)
        reads: list[tuple[str, list[Any]]] = [
            ("chest", [1, 2, 3]), ("cube", ["x", 2, 3]), ("data", []), ("data", ["itemsByName", {}]),
            ("craftable", [5, "x"]),
        ]  # fmt: skip
        for name, args in reads:
            with pytest.raises(CommandError):
                await facade.read(name, args)
        assert facade.bind("craftItem", ["stick"]).args == {"name": "stick", "count": 1}

    within(scene())
