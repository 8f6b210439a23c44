"""Plays from an empty inventory to a death on the practice server, without cheats, and records what it did.

`python -m tests.worlds.minecraft.journey` writes `journey.jsonl`, one command a line, which `test_journey.py` replays
through the loop with the scripted brain: with the same seed the same commands give the same results. It must be
recorded anew when the practice world changes.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from pathlib import Path
from typing import Any

from tests.worlds.minecraft.playing import Player, playing

RECORD = Path(__file__).with_name("journey.jsonl")
SETTINGS: dict[str, Any] = {"seed": 1, "mobs": True, "fight": "off", "eat": False, "username": "traveller"}


class Recorder:
    """Carries out commands and records those that succeed."""

    def __init__(self, player: Player) -> None:
        self.player = player
        self.done: list[list[Any]] = []

    async def __call__(self, command: str, **args: Any) -> str:
        begun = time.monotonic()
        result = await self.player.do(command, **args)
        self.done.append([command, args, result.ok])
        print(f"{time.monotonic() - begun:6.2f} s  {command} {args}: {result.text}", flush=True)
        return result.text if result.ok else ""


async def beside(player: Player, do: Recorder, name: str) -> dict[str, int]:
    """Place a block at the first place beside the bot that takes it."""
    x, y, z = await player.standing()
    for dx, dy, dz in [(a, b, c) for b in (0, 1, -1) for a in (1, -1, 0, 2, -2) for c in (0, 1, -1, 2, -2) if a or c]:
        if await do("place_item", name=name, x=x + dx, y=y + dy, z=z + dz):
            return {"x": x + dx, "y": y + dy, "z": z + dz}
    raise SystemExit(f"no place for {name}")


async def journey(player: Player) -> list[list[Any]]:
    """Play the whole journey. Each step first looks at the world. Return the commands."""
    do = Recorder(player)
    await do("mine_block", name="oak_log", count=7)
    await do("craft_item", name="oak_planks", count=28)
    await do("craft_item", name="crafting_table")
    await do("craft_item", name="stick", count=8)
    table = await beside(player, do, "crafting_table")
    await do("craft_item", name="wooden_pickaxe")
    await do("craft_item", name="chest")
    await do("mine_block", name="stone", count=14)
    await do("goto", **table)
    await do("craft_item", name="stone_pickaxe")
    await do("craft_item", name="furnace")
    await do("mine_block", name="iron_ore")
    await do("dig", **table)
    await beside(player, do, "furnace")
    await do("smelt_item", name="iron_ore", fuel="oak_planks")
    chest = await beside(player, do, "chest")
    await do("deposit", name="iron_ingot", count=1, **chest)
    await do("withdraw", name="iron_ingot", count=1, **chest)
    for mob in ("sheep", "pig", "cow", "chicken"):
        if await do("find_entity", name=mob, radius=48) and await do("kill_mob", name=mob):
            break
    else:
        await do("explore_until", direction="north", seconds=120, entity="pig")
    food = [name for name in (await player.seen())["inventory"] if name in ("mutton", "beef", "porkchop", "chicken")]
    await run_until_hungry(player, do)
    await do("wait", seconds=2)
    await do("eat", name=food[0])
    await die(player, do)
    return do.done


async def run_until_hungry(player: Player, do: Recorder) -> None:
    """Run to and fro. Ten blocks of running cost a point of exhaustion, four points of it cost one of food."""
    x, y, z = await player.standing()
    for turn in range(12):
        if (await player.seen())["food"] < 19:
            return
        await do("goto", x=x + 40 * (turn % 2 == 0), y=y, z=z)
    raise SystemExit("the bot does not get hungry")


async def die(player: Player, do: Recorder) -> None:
    """Walk into the open, and wait for the night and its monsters.

    Each wait is a second longer, because equal ones count as a repetition.
    """
    await do("explore_until", direction="north", seconds=30, entity="zombie")
    for turn in range(60):
        seen = await player.seen()
        await do("wait", seconds=300 if seen["time"] in ("sunrise", "day") else 60 + turn)
        if any("died" in note for note in player.notes):
            await do("observe")
            return
    raise SystemExit("nothing killed the bot")


async def main() -> None:
    async with playing(**SETTINGS) as player:
        done = await journey(player)
        if server := player.world.joining.server:
            print(await server.ask("state"), await player.seen())
    RECORD.write_text("".join(json.dumps(each) + "\n" for each in done))


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
