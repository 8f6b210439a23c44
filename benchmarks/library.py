"""Measure what a library of skills is for: ten tasks in a second world, with the library of a first and without it.

``python -m benchmarks.library --brains short-oracle novice --seeds 1 2 3`` lets each brain learn in a first world, and
then gives it ten tasks, one after the other, in a world that it has not seen, where it holds nothing. Both runs of the
ten tasks begin in the same world; one has the library. The table goes to docs/learning.md, the rows are in
results/library.json. A seed that has a row is not played again, unless ``--again`` is given.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import shutil
import statistics
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Self

from autocraft.usage import estimate_tokens
from benchmarks.learning import events_of
from benchmarks.learning_page import PAGE
from benchmarks.measure import ROOT, keep, kept, machine
from scripts.marked import with_part

BEGIN, END = "<!-- library: begin -->", "<!-- library: end -->"
TASKS = (
    "chest", "stone_pickaxe", "furnace", "torch", "iron_ingot", "shield", "bucket", "iron_pickaxe", "compass",
    "diamond_pickaxe",
)  # fmt: skip
"""The items of the ten tasks, in their order. A task asks for one more of its item than is held."""
PROGRAMS = 80
"""The most programs for all ten tasks."""
LEARNING = {"short-oracle": 40, "novice": 100}
"""Brain -> the programs that it runs in the first world."""
SECOND = 1_000
"""What is added to the seed of the first world for the second."""


@dataclass
class Trial:
    """The figures of the ten tasks.

    `at`, `ticks_at` and `tokens_at` have the programs, game ticks and tokens until each task was reached.
    """

    brain: str
    seed: int
    library: bool
    skills: int = 0
    """The skills in the library."""
    programs: int = 0
    ticks: int = 0
    tokens: int = 0
    """The tokens of all programs that were written."""
    at: dict[str, int] = field(default_factory=dict)
    ticks_at: dict[str, int] = field(default_factory=dict)
    tokens_at: dict[str, int] = field(default_factory=dict)

    @property
    def key(self) -> str:
        return f"{self.brain} {self.seed} {'with' if self.library else 'without'}"

    @classmethod
    def from_events(cls, brain: str, seed: int, lines: Sequence[str], skills: int) -> Self:
        """Return the figures of the lines that `autocraft learn --json` prints."""
        found, task = cls(brain, seed, skills > 0, skills), ""
        for line in lines:
            data = json.loads(line)
            if data.get("agent") != "main":  # a record of a kept limit, or of another agent
                continue
            match data["type"]:
                case "task":
                    task = data["goals"][0]["text"].rpartition(" ")[2]
                case "reply" if data["ok"]:
                    found.tokens += estimate_tokens(data["args"]["code"])
                case "attempt":
                    found.programs, found.ticks = data["iteration"], data.get("ticks") or found.ticks
                    if data["outcome"] == "goal":
                        found.at[task], found.ticks_at[task] = found.programs, found.ticks
                        found.tokens_at[task] = found.tokens
        return found


async def play(brain: str, seed: int, folder: Path, *, packages: bool) -> list[Trial]:
    """Learn in the first world, and play the ten tasks in the second, without the library and with it."""
    first, skills = str(seed), folder / "skills"
    options = ["--brain", brain, "--chance-seed", first]
    learning = [*options, "--seed", first, "--iterations", str(LEARNING[brain]), "--skills-dir", str(skills)]
    if not (folder / "learned").exists():  # a library that is there is not learned again
        shutil.rmtree(skills, ignore_errors=True)
        await events_of(learning, folder / "first", packages=packages)
        (folder / "learned").touch()
    tasks = [word for item in TASKS for word in ("--sub-goal", f"Obtain 1 {item}")]
    second = [*options, "--seed", str(seed + SECOND), "--iterations", str(PROGRAMS), *tasks]
    without = await events_of([*second, "--no-library"], folder / "without", packages=packages)
    with_skills = await events_of(second, folder / "with", packages=packages, skills=skills)
    size = len(list(skills.glob("*/skill.json")))
    return [Trial.from_events(brain, seed, without, 0), Trial.from_events(brain, seed, with_skills, size)]


def table(rows: Mapping[str, Any]) -> str:
    """Return the tables: a row for each run, and the programs to each task."""
    trials = sorted((Trial(**row) for row in rows.values()), key=lambda each: (each.brain, each.library, each.seed))
    lines = [
        "",
        "| run | seed | skills | tasks reached | programs | game ticks | tokens of programs |",
        "|---|---|---|---|---|---|---|",
    ]
    groups: dict[tuple[str, bool], list[Trial]] = {}
    for each in trials:
        groups.setdefault((each.brain, each.library), []).append(each)
    for (brain, library), group in groups.items():
        name = f"{brain}, {'with' if library else 'without'} the library"
        lines += [_line(name, str(each.seed), *_figures(each)) for each in group]
        if len(group) > 1:
            lines.append(_line(name, "mean", *map(statistics.mean, zip(*map(_figures, group), strict=True))))
    heads = " | ".join(item.replace("_", " ") for item in TASKS)
    lines += ["", f"| programs to each task | {heads} |", f"|---|{'---|' * len(TASKS)}"]
    for (brain, library), group in groups.items():
        cells = [", ".join(_spent(each, item) for each in group) for item in TASKS]
        lines.append(f"| {brain}, {'with' if library else 'without'} | {' | '.join(cells)} |")
    return "\n".join([*lines, "", ""])


def _figures(trial: Trial) -> tuple[float, ...]:
    return trial.skills, len(trial.at), trial.programs, trial.ticks, trial.tokens


def _line(name: str, seed: str, *cells: float) -> str:
    texts = [f"{cell:,.1f}" if isinstance(cell, float) and not cell.is_integer() else f"{cell:,.0f}" for cell in cells]
    return f"| {name} | {seed} | {' | '.join(texts)} |"


def _spent(trial: Trial, item: str) -> str:
    """Return the programs for one task after the tasks before it, "–" if it was not reached."""
    if item not in trial.at:
        return "–"
    return str(trial.at[item] - max((at for each, at in trial.at.items() if at < trial.at[item]), default=0))


async def main(words: Sequence[str]) -> None:
    """Play the seeds that are missing, and write the tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.library", description=__doc__)
    parser.add_argument("--brains", nargs="*", default=list(LEARNING), choices=list(LEARNING))
    parser.add_argument("--seeds", nargs="*", type=int, default=[1, 2, 3])
    parser.add_argument("--again", action="store_true", help="also play seeds that have a row")
    parser.add_argument("--packages", action="store_true", help="use the Node packages of your own home folder")
    options = parser.parse_args(words)
    about, rows = machine(), dict(kept("library"))
    for brain in options.brains:
        for seed in options.seeds:
            if f"{brain} {seed} with" in rows and not options.again:
                continue
            folder = ROOT / "build" / "library" / f"{brain}-{seed}"
            for each in await play(brain, seed, folder, packages=options.packages):
                rows[each.key] = asdict(each)
                print(f"{each.key}: {len(each.at)} tasks in {each.programs} programs", flush=True)
            keep("library", about, rows)
    PAGE.write_text(with_part(PAGE.read_text(encoding="utf-8"), PAGE.name, BEGIN, END, table(rows)), encoding="utf-8")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
