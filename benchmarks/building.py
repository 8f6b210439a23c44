"""Builds in survival on the practice server, with the planner: does each building stand, and does the land come back?

`python -m benchmarks.building --blueprint cabin,tower --seed 1,2,3` plays a world for each blueprint and seed. It
begins with wooden tools alone. `--kills 5` kills the run and its bot in turn, five times (signal 9), while it gathers
and while it builds, and resumes the run. `--undo` takes each building back. `--bots 2` lets two bots build it together.
What stands is read from what the server itself keeps, after the run. Each row is stored as soon as it is there, and a
row that is stored is not played again unless `--again` is given.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from autocraft.building.blueprint import Blueprint, Cell, beside
from autocraft.building.plans import Part, Plan
from autocraft.commands.registry import Registry
from autocraft.evaluation.suites.play import SuiteJob, result_of
from autocraft.evaluation.suites.suite import Suite, SuiteTask
from autocraft.protocols import PROGRAM
from autocraft.worlds.minecraft.land import Blocks, cells_in, is_free, read_land, stands
from autocraft.worlds.minecraft.settings import MinecraftSettings
from autocraft.worlds.minecraft.world import MinecraftWorld
from benchmarks.measure import ROOT, Json, keep, kept, machine, print_table
from tests.processes import children, command_line, kill
from tests.schematics import FILES, write

GOALS = {
    "cabin": "build a cabin",
    "tower": "build a tower",
    "pen": "build a pen",
    "bridge": "build a bridge",
    "fence": "build a farm fence",
    "portal": "build a nether portal",
    "hut": "build hut.schem",
    "lookout": "build lookout.litematic",
    "well": "build well.nbt",
    "arch": "build arch.schem",
    "house": "build a house 7x5 with a gable roof, 2 windows, a chest and a torch",
    "stone": "build a cobblestone house 5x5 with a torch",
    "keep": "build a stone tower 9 blocks tall",
    "crossing": "build a stone bridge 12 blocks long",
    "workshop": "build a big house with a crafting table and a furnace",
}
"""Name of a row -> the goal. The first six are shipped with autocraft, and the next four are files."""
TOOLS = ("wooden_axe", "wooden_pickaxe", "wooden_shovel", "wooden_sword")
MARGIN = 6
"""Blocks around a building in which nothing else may have changed."""
EARTH = re.compile(r"grass_block|dirt|podzol|farmland|grass_path")
"""What is one block for an undo: dirt comes back for grass."""
SECONDS = 1800.0
"""Wall time after which a run hangs."""


@dataclass(frozen=True)
class Land:
    """The blocks of a box as the server keeps them."""

    blocks: Blocks

    @classmethod
    def read(cls, seed: int, box: tuple[Cell, Cell], folder: Path | None = None) -> Land:
        """Read a kept world. Without a folder, it is the land that the seed generates."""
        return cls(read_land(seed, box, folder))

    def name(self, cell: Cell) -> str:
        """Return what is in a place, with all that counts as nothing as "air"."""
        name = self.blocks[cell][0]
        return "air" if is_free(name) else "dirt" if EARTH.fullmatch(name) else name

    def stands(self, part: Part) -> bool:
        """Tell whether a part of a plan stands, with the states that the plan gives."""
        return stands(part, self.blocks)


class Game:
    """One building on one seed, in a folder of its own."""

    def __init__(self, blueprint: str, seed: int, folder: Path, *, bots: int = 1, verbose: bool = False) -> None:
        self.task = SuiteTask(
            blueprint, "building", GOALS[blueprint], 600, tuple(f"/give @s {tool} 1" for tool in TOOLS), turns=60,
            bots=bots,
        )  # fmt: skip
        self.seed, self.folder, self.verbose = seed, folder, verbose
        self.job = SuiteJob(Suite("building", "", [self.task], {}, ""), ["--brain", "planner"])
        self.kills: list[str] = []
        """What was killed, and when."""
        workspace = folder / "workspace"
        workspace.mkdir(exist_ok=True)
        for name, text in FILES.items():
            (workspace / name).write_bytes(write(Blueprint.read(text), name))
        self.environment = os.environ | {
            "PYTHONPATH": str(ROOT),
            "AUTOCRAFT_SPEED": "0",
            "AUTOCRAFT_WORKSPACE": str(workspace),
        }

    def play(self, kills: int = 0) -> Json:
        """Play to the end, with so many kills, and return the row."""
        begun = time.monotonic()
        command = self.job.command(self.task, self.seed, self.folder)
        drawn = random.Random(f"{self.task.id} {self.seed}")
        moments = sorted(drawn.uniform(0, 2) for _ in range(kills))
        while self._run(command, moments):
            command = self._autocraft("run", "--resume", "last", "--continuous", "--json")
        seconds = time.monotonic() - begun
        row = self._outcome(seconds)
        return row | (self._compare() if self.plan else {"right": 0, "of": 0})

    def undo(self) -> Json:
        """Take the building back, and return how much of the land is as before."""
        assert self.plan is not None
        box = _grown(self.plan.box)
        lays, cells = self._lays(), self._own_land(box)
        done = subprocess.run(
            self._autocraft("sessions", "undo"), env=self.environment, cwd=self.folder, capture_output=True, text=True
        )
        text = (done.stdout + done.stderr).strip()[-600:]
        before, after = Land.read(self.seed, box), Land.read(self.seed, box, self._world)
        wrong = [cell for cell in cells if before.name(cell) != after.name(cell)]
        named = Counter(f"{after.name(cell)} for {before.name(cell)}" for cell in wrong)
        # the share is of what the building changed: most of the box was never touched
        touched = {(each["x"], each["y"], each["z"]) for each in self._changes(lays)} & set(cells)
        back = sum(before.name(cell) == after.name(cell) for cell in touched)
        return {
            "land": round(1 - len(wrong) / len(cells), 5), "touched": len(touched), "back": back, "lays": len(lays),
            "not_back": dict(named.most_common(6)), "undo": text,
        }  # fmt: skip

    @property
    def session(self) -> Path:
        return next((self.folder / "state" / "sessions").glob("*"))

    @property
    def plan(self) -> Plan | None:
        """Return the plan that was built last. Return None if none was made."""
        found = sorted(self.session.glob("minecraft/plans/*.json"), key=lambda path: path.stat().st_mtime_ns)
        return msgspec.json.decode(found[-1].read_bytes(), type=Plan) if found else None

    @property
    def _world(self) -> Path:
        return self.session / "minecraft" / "world"

    def _autocraft(self, *arguments: str) -> list[str]:
        return [sys.executable, "-m", "autocraft", *arguments, "--state-dir", str(self.folder / "state")]

    def _run(self, command: Sequence[str], moments: list[float]) -> bool:
        """Run to the end, or until the run is killed. Return whether it was killed by one of the `moments`."""
        with (self.folder / "run.log").open("ab") as log:
            child = subprocess.Popen(
                command, env=self.environment, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=log,
            )  # fmt: skip
        assert child.stdout is not None
        deadline = time.monotonic() + SECONDS
        with ThreadPoolExecutor(1) as pool:
            killed = pool.submit(self._kill, child, moments)
            for line in child.stdout:
                with contextlib.suppress(ValueError):  # the last line of a run that was killed
                    self._say(json.loads(line))
                if time.monotonic() > deadline:
                    child.kill()
            child.wait()
            return killed.result()

    def _kill(self, child: subprocess.Popen[bytes], moments: list[float]) -> bool:
        """Kill the run and its bot in turn, each at its moment. Return whether the run was killed."""
        while child.poll() is None:
            time.sleep(0.02)
            if moments and (done := self._work_done()) > moments[0]:
                part = "run" if len(self.kills) % 2 == 0 else "bot"
                ids = [child.pid] if part == "run" else [each for each in children(child.pid) if _is_bot(each)]
                if ids:
                    kill(ids)
                    moments.pop(0)
                    self.kills.append(f"{part} at {done:.2f}")
                    if part == "run":
                        return True
        return False

    def _work_done(self) -> float:
        """Return from 0 to 1 how much is gathered, a hundredth for each changed block, and to 2 how much is built."""
        if not any((self.folder / "state" / "sessions").glob("*/minecraft/changes.jsonl")) or self.plan is None:
            return 0
        changes = self._changes()
        cells = {part[:3] for part in self.plan.blocks}
        placed = {
            at for each in changes if (at := (each["x"], each["y"], each["z"])) in cells and each["what"] == "placed"
        }
        return 1 + len(placed) / len(cells) if placed else min(1, len(changes) / 100)

    def _say(self, event: Json) -> None:
        if self.verbose and event["type"] in ("result", "progress", "note", "end"):
            text = str(event.get("text") or event.get("why"))
            print(f"  {event['type']} {event.get('command', '')}: {text[:300]!r}", flush=True)

    def _outcome(self, seconds: float) -> Json:
        journal = (self.session / "events.jsonl").read_bytes()
        result = result_of(self.task, self.seed, journal, seconds)
        events = [json.loads(line) for line in journal.splitlines()]
        commands = [each for each in events if each["type"] == "result"]
        return {
            "finished": result.success, "reason": result.reason, "why": result.why, "kills": len(self.kills),
            "killed": self.kills,
            "deaths": result.deaths, "damage": result.damage, "turns": result.commands, "commands": len(commands),
            "failed": sum(not each["ok"] for each in commands), "game_seconds": round(60 * result.game_minutes),
            "seconds": round(seconds),
        }  # fmt: skip

    def _compare(self) -> Json:
        """Return what stands, what is left beside it, and whether the bot walks in."""
        plan = self.plan
        assert plan is not None
        box = _grown(plan.box)
        before, after = Land.read(self.seed, box), Land.read(self.seed, box, self._world)
        wrong = [part for part in plan.blocks if not after.stands(part)]
        filled = [cell for cell in plan.free if after.name(cell) != "air"]
        planned = {(x, y, z) for x, y, z, *_ in plan.blocks} | set(plan.free)
        changed = [
            cell for cell in self._own_land(box) if cell not in planned and before.name(cell) != after.name(cell)
        ]
        left = Counter(after.name(cell) for cell in changed if after.name(cell) != "air")
        holes = Counter(before.name(cell) for cell in changed if after.name(cell) == "air")
        reasons = Counter(f"{after.blocks[x, y, z][0]} for {name}" for x, y, z, name, *_ in wrong)
        reasons.update(f"{after.name(cell)} where it stays free" for cell in filled)
        return {
            "plan": plan.id, "right": len(plan.blocks) - len(wrong), "of": len(plan.blocks), "wrong": dict(reasons),
            "supports": dict(left), "holes": dict(holes), "undone": self._undone(planned),
            "walks_in": asyncio.run(self._walk_in(plan)),
        }  # fmt: skip

    async def _walk_in(self, plan: Plan) -> str:
        """Let the bot walk in by each door or gate and out again. Return "yes", or what went wrong."""
        settings = MinecraftSettings(seed=self.seed, speed=0.0, mobs=False, fight="off")
        world = MinecraftWorld(settings, self.session / "minecraft", self.folder / "accounts")
        registry = Registry(world.commands())
        await world.open()
        try:
            if (await world.peek()).facts["time"] in ("night", "midnight"):
                await registry.call(replace(registry.bind("shelter", {}), id="benchmark:shelter"))
            before = len(self._changes())
            for x, y, z, name, states, item in plan.blocks:
                if item and re.search(r"_door$|_fence_gate$", name):
                    for way, where in ((-1, "outside"), (1, "inside"), (-1, "outside")):
                        goal = "block {} {} {}".format(*beside((x, y, z), states["facing"], way))
                        call = registry.bind("walk_to_goal", {"goal": goal}, agent=PROGRAM)
                        done = await registry.call(replace(call, id="benchmark:walk"))
                        if not done.ok:
                            return f"not {where}: {done.text[:200]}"
        finally:
            await world.close()
        # the shelter of the night, out of which it walks first, is no part of the building
        cells = {*(part[:3] for part in plan.blocks), *plan.free}
        touched = cells & {(each["x"], each["y"], each["z"]) for each in self._changes()[before:]}
        return "it changed blocks on its way" if touched else "yes"

    def _changes(self, calls: frozenset[str] = frozenset()) -> list[Json]:
        """Return the changed blocks of some calls, by default of all."""
        text = (self.session / "minecraft" / "changes.jsonl").read_text(encoding="utf-8")
        lines = text.rpartition("\n")[0].splitlines()  # the last one may be incomplete
        changes = [each for each in map(json.loads, lines) if "what" in each]
        return [each for each in changes if not calls or each["call"] in calls]

    def _undone(self, planned: set[Cell]) -> int:
        """Return how many blocks of the plan one bot has placed and another one has broken."""
        placed, undone = dict[Cell, str](), 0
        for each in self._changes():
            cell, bot = (each["x"], each["y"], each["z"]), each.get("bot", "")
            if each["what"] == "placed":
                placed[cell] = bot
            else:
                undone += cell in planned and placed.pop(cell, bot) != bot
        return undone

    def _lays(self) -> frozenset[str]:
        """Return the calls that placed blocks of a plan."""
        events = map(json.loads, (self.session / "events.jsonl").read_bytes().splitlines())
        return frozenset(
            each["id"] for each in events if each["type"] == "intent" and each["command"] == "lay_blocks"
        ) or frozenset({""})

    def _own_land(self, box: tuple[Cell, Cell]) -> list[Cell]:
        """Return the cells of a box that no other command, such as one that felled a tree, has changed."""
        lays = self._lays()
        others = {(each["x"], each["y"], each["z"]) for each in self._changes() if each["call"] not in lays}
        return [cell for cell in cells_in(box) if cell not in others]


def _is_bot(pid: int) -> bool:
    return b"bot/main.js" in command_line(pid)


def _grown(box: tuple[Cell, Cell]) -> tuple[Cell, Cell]:
    (west, low, north), (east, high, south) = box
    return (west - MARGIN, low - 2, north - MARGIN), (east + MARGIN, high + 4, south + MARGIN)


HEAD = (
    *("building", "seed", "finished", "blocks right", "wrong", "left over", "walks in", "deaths", "kills", "turns"),
    *("commands", "game s", "s", "land back"),
)


def cells_of(name: str, row: Json) -> list[str]:
    """Return a row of the table."""
    blueprint, seed, *_ = name.split()
    wrong = ", ".join(f"{n} {what}" for what, n in row.get("wrong", {}).items()) or "-"
    left = ", ".join(f"{n} {what}" for what, n in row.get("supports", {}).items()) or "-"
    land = f"{100 * row['land']:.2f} % ({row['back']}/{row['touched']})" if "land" in row else "-"
    return [
        blueprint, seed, "yes" if row["finished"] else row["reason"], f"{row['right']}/{row['of']}", wrong[:40],
        left[:30], str(row.get("walks_in", "no"))[:30],
        *(str(row[each]) for each in ("deaths", "kills", "turns", "commands")),
        str(row["game_seconds"]), str(row["seconds"]), land,
    ]  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--blueprint", default=",".join(GOALS), help="names, with commas between")
    parser.add_argument("--seed", default="1,2,3", help="seeds of the worlds, with commas between")
    parser.add_argument("--kills", type=int, default=0, help="kill each run and its bot so often, and resume it")
    parser.add_argument("--bots", type=int, default=1, help="how many bots build each")
    parser.add_argument("--undo", action="store_true", help="take each building back")
    parser.add_argument("--again", action="store_true", help="also play the rows that are stored")
    parser.add_argument("--folder", type=Path, help="keep the sessions here")
    parser.add_argument("-v", "--verbose", action="store_true")
    options = parser.parse_args()
    about, rows = machine(), kept("building")
    chosen = {}
    for seed in map(int, options.seed.split(",")):
        for blueprint in options.blueprint.split(","):
            if blueprint not in GOALS:
                raise SystemExit(f"benchmarks: there is no building {blueprint!r}; choose {', '.join(GOALS)}")
            name = f"{blueprint} {seed}" + f" {options.kills} kills" * bool(options.kills) + " undo" * options.undo
            name += f" {options.bots} bots" * (options.bots > 1)
            if options.again or name not in rows:
                with tempfile.TemporaryDirectory(prefix="building-", ignore_cleanup_errors=True) as temporary:
                    folder = (options.folder or Path(temporary)) / name.replace(" ", "-")
                    if folder.exists():
                        raise SystemExit(f"benchmarks: {folder} exists: move it away, or choose another --folder")
                    folder.mkdir(parents=True)
                    game = Game(blueprint, seed, folder, bots=options.bots, verbose=options.verbose)
                    row = game.play(options.kills)
                    rows[name] = row | (game.undo() if options.undo and game.plan else {})
                keep("building", about, dict(sorted(rows.items())))
                print(json.dumps({name: rows[name]}), flush=True)
            chosen[name] = rows[name]
    print_table("Buildings on the practice server", HEAD, [cells_of(name, row) for name, row in chosen.items()])


if __name__ == "__main__":
    main()
