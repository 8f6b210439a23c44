"""Measures how long a player lives: game days on the practice server with mobs and nights, driven by the planner.

`python -m benchmarks.survival --days 3 --seed 11` plays one world, and prints each death with its cause. It pursues 120
goals one after another, and again from the first one after the last. Each asks for more than the bot has or did,
so none is reached without work. With `--goal "hold 300 kinds of item" --commands 160` it plays for one goal until it is
met, and prints how many kinds of item were ever held after so many commands, how many these are with woods, stones,
colours and flowers as one kind each (`folded`), and which of 22 useful things are among them. `-v` prints each command
with its reason.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import tempfile
import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from autocraft.commands.registry import Registry
from autocraft.goals import Goal
from autocraft.goals.wording import VARIANT
from autocraft.session.events import Event, Note
from autocraft.worlds.minecraft.faults import BotFault
from autocraft.worlds.minecraft.settings import MinecraftSettings
from autocraft.worlds.minecraft.world import MinecraftWorld

DAY = 24_000
GOALS = (
    "craft 1 stone_pickaxe", "craft 1 stone_sword", "craft 1 furnace", "get 6 cooked_beef", "get 12 torch",
    "craft 1 iron_pickaxe", "craft 1 shield", "craft 1 iron_sword", "craft 1 iron_chestplate", "craft 1 bucket",
    "craft 1 white_bed", "get 2 diamond", "craft 1 iron_leggings", "get 10 coal", "get 64 cobblestone",
    "get 20 oak_log", "get 5 leather", "get 8 redstone", "craft 1 compass", "get 8 glass", "craft 2 chest",
    "get 3 string", "get 3 bone", "get 12 gold_ingot", "craft 1 iron_helmet", "get 6 cooked_porkchop",
    "craft 8 ladder", "place 4 torch", "craft 1 iron_boots", "mine 16 stone", "get 1 water_bucket",
    "craft 1 stone_axe", "craft 1 oak_boat", "kill 2 sheep", "craft 3 oak_door", "get 8 stone_bricks",
    "craft 1 shears", "get 6 white_wool", "get 8 charcoal", "craft 1 campfire", "explore 200 blocks",
    "craft 4 paper", "craft 1 book", "craft 1 lantern", "craft 1 barrel", "get 4 cooked_mutton",
    "craft 1 bow", "kill 2 zombie", "get 4 feather", "craft 4 arrow", "craft 1 fishing_rod",
    "fish 1", "get 10 iron_ingot", "craft 16 rail", "craft 1 minecart", "get 6 smooth_stone",
    "craft 1 hopper", "get 4 lapis_lazuli", "craft 1 golden_helmet", "craft 1 clock", "craft 1 diamond_pickaxe",
    "mine 20 dirt", "craft 1 composter", "get 12 wheat_seeds", "till 3 blocks", "plant 3 wheat_seeds",
    "craft 1 cauldron", "craft 1 lever", "craft 1 piston", "craft 1 note_block", "craft 1 jukebox",
    "get 1 lava_bucket", "get 2 obsidian", "craft 1 flint_and_steel", "get 10 gravel", "get 12 sand",
    "craft 4 sandstone", "craft 8 glass_pane", "get 3 glass_bottle", "craft 1 iron_axe", "craft 1 iron_shovel",
    "kill 2 cow", "craft 1 leather_boots", "craft 1 item_frame", "craft 1 painting", "craft 1 armor_stand",
    "craft 6 cobblestone_wall", "craft 1 iron_door", "craft 16 iron_bars", "craft 1 smoker", "craft 1 blast_furnace",
    "place 1 chest", "deposit 10 cobblestone", "craft 1 stonecutter", "craft 1 grindstone", "craft 1 loom",
    "craft 1 smithing_table", "craft 1 cartography_table", "craft 1 trapped_chest", "craft 6 oak_fence", "craft 4 bowl",
    "get 3 egg", "get 1 milk_bucket", "get 6 sugar", "get 3 bread", "craft 4 white_carpet",
    "craft 1 tripwire_hook", "craft 1 redstone_torch", "craft 1 dispenser", "craft 1 bookshelf", "kill 1 spider",
    "sleep", "throw away 5 dirt", "craft 1 iron_hoe", "get 2 gunpowder", "craft 1 diamond_sword",
    "craft 1 chest_minecart", "craft 1 oak_trapdoor", "get 1 iron_block", "kill 1 skeleton",
)  # fmt: skip
MOST_OF_A_GOAL = 25
"""Commands after which the next of several goals is taken."""
_PLAIN = (
    "furnace charcoal torch bread bucket water_bucket lava_bucket shears shield iron_ingot iron_pickaxe gold_ingot "
    "redstone diamond diamond_pickaxe obsidian bow fishing_rod book"
)
USEFUL = {
    **{name: name for name in _PLAIN.split()},
    "bed": ".*_bed", "cooked meat": "cooked_(beef|porkchop|mutton|chicken|rabbit)",
    "iron armor": "iron_(helmet|chestplate|leggings|boots)",
}  # fmt: skip
"""Useful thing -> the names of its items, as a pattern."""


def folded(names: Collection[str]) -> set[str]:
    """Return the kinds of some items, with woods, stones, colours and flowers as one kind each."""
    return {VARIANT.sub("", name) or "flower" for name in names}


def useful(names: Collection[str]) -> list[str]:
    """Return which of the 22 useful things are among some items."""
    return [thing for thing, items in USEFUL.items() if any(re.fullmatch(items, name) for name in names)]


@dataclass
class Life:
    """What happened in one world."""

    deaths: list[str] = field(default_factory=list)
    """Each with the commands and notes before it."""
    commands: int = 0
    failures: int = 0
    begun: int = 0
    """Goals that were begun."""
    goals: int = 0
    """Goals that were reached."""
    kinds: dict[int, int] = field(default_factory=dict)
    """Commands -> how many kinds of item the server had put into the inventory by then."""
    folded: int = 0
    """Kinds in the end, with woods, stones, colours and flowers as one each."""
    useful: list[str] = field(default_factory=list)
    full: int = 0
    """Commands after which no place of the inventory was free."""
    slowest: tuple[float, str] = (0.0, "")
    """Most game seconds that one command took."""
    days: float = 0.0
    seconds: float = 0.0


class Survivor:
    """A bot that plays until so many days are over."""

    def __init__(self, folder: Path, settings: MinecraftSettings, *, verbose: bool = False, most: int = 0) -> None:
        self.world = MinecraftWorld(settings, folder / "minecraft", folder / "accounts")
        self.world.report = self._hear
        self.registry = Registry(self.world.commands())
        self.life = Life()
        self.verbose = verbose
        self.most = most
        """Commands after which it ends, or 0."""
        self._log: list[str] = []

    async def live(self, days: float, goals: Sequence[str] = ()) -> Life:
        """Play for these goals until they are met, or else for GOALS.

        Raises BotFault and WorldLost if the bot cannot be brought back.
        """
        await self.world.open()
        try:
            begun, first = time.monotonic(), await self._age()
            end = first + days * DAY
            while await self._age() < end and not self._ended:
                spent = self.life.commands
                for text in goals or GOALS:
                    goal = Goal.parse(text, self.world.items)
                    if not goals:
                        goal = goal.from_now(self.world.deeds, self.world.observation["inventory"])
                    most = self.most if len(goals) == 1 else 0
                    await self._pursue(goal, end, most or MOST_OF_A_GOAL)
                if self.life.commands == spent:  # every goal is met
                    if self.most:
                        break
                    await self._do("wait", {"seconds": 600.0}, "every goal is met")
            held = self.world.observation["held"]
            self.life.kinds[self.life.commands] = len(held)
            self.life.folded, self.life.useful = len(folded(held)), useful(held)
            self.life.days = (await self._age() - first) / DAY
            self.life.seconds = time.monotonic() - begun
        finally:
            await self.world.close()
        return self.life

    async def _pursue(self, goal: Goal, end: float, most: int) -> None:
        """Work on one goal until it is met, no step is known, or so many commands were spent on it."""
        failures = 0
        for tries in range(most):
            if await self._age() >= end or self._ended:
                return
            self.life.begun += not tries
            plan = await self.world.plan([goal])
            if not plan.steps:
                self.life.goals += plan.verdict == "found"
                self._say(f"goal {goal.text}: {plan.why or 'met'}")
                if plan.why:
                    await self._do("wait", {"seconds": 20.0})
                return
            step = plan.steps[0]
            failures = 0 if await self._do(step.name, dict(step.args), step.why) else failures + 1
            if failures >= 6:
                return

    async def _do(self, name: str, args: dict[str, Any], why: str = "") -> bool:
        before = await self._age()
        self.life.commands += 1
        try:
            call = self.registry.bind(name, {key: value for key, value in args.items() if value is not None})
            done = await self.registry.call(replace(call, id=f"survival:{self.life.commands}"))
            ok, text = done.ok, done.text
        except BotFault as fault:
            ok, text = False, str(fault)
        took = (await self._age() - before) / 20
        self.life.slowest = max(self.life.slowest, (took, f"{name} {args}"))
        self.life.failures += not ok
        self.life.full += self.world.observation["used"] >= 36
        seen = self.world.observation
        if self.life.commands % 40 == 0 or self._ended:
            self.life.kinds[self.life.commands] = len(seen["held"])
        place = "{x:.0f},{y:.0f},{z:.0f}".format(**seen["position"])
        body = f"hp {seen['health']} food {seen['food']} used {seen['used']}"
        state = f"{seen['time']} {place} {body} kinds {len(seen['held'])}"
        self._say(f"{self.life.commands} {name} {args} ({why}) {took:.0f}s [{state}]: {text[:300]!r}")
        return ok

    @property
    def _ended(self) -> bool:
        return 0 < self.most <= self.life.commands

    async def _age(self) -> float:
        await self.world.observe()
        return float(self.world.ticks or 0)

    def _hear(self, event: Event) -> None:
        if isinstance(event, Note):
            self._say(f"  note: {event.text}")
            if event.text.startswith("The bot died"):
                self.life.deaths.append("\n".join(self._log[-12:]))

    def _say(self, text: str) -> None:
        self._log = [*self._log[-40:], text]
        if self.verbose:
            print(text, flush=True)


async def play(
    days: float, seed: int, speed: float, *, verbose: bool, goals: Sequence[str] = (), most: int = 0
) -> Life:
    """Play one world in a folder of its own, for at most so many commands where `most` is not 0."""
    with tempfile.TemporaryDirectory() as folder:
        settings = MinecraftSettings(seed=seed, speed=speed)
        return await Survivor(Path(folder), settings, verbose=verbose, most=most).live(days, goals)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--days", type=float, default=3.0)
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--speed", type=float, default=0.0)
    parser.add_argument("--goal", action="append", help="a goal instead of the list; may be given several times")
    parser.add_argument("--commands", type=int, default=0, help="end after so many commands")
    parser.add_argument("-v", "--verbose", action="store_true")
    chosen = parser.parse_args()
    played = play(
        chosen.days,
        chosen.seed,
        chosen.speed,
        verbose=chosen.verbose,
        goals=chosen.goal or (),
        most=chosen.commands,
    )
    life = asyncio.run(played)
    for number, death in enumerate(life.deaths, 1):
        print(f"--- death {number}\n{death}")
    row = {name: value for name, value in vars(life).items() if name != "deaths"}
    print(json.dumps({"seed": chosen.seed, "deaths": len(life.deaths), **row}))


if __name__ == "__main__":
    main()
