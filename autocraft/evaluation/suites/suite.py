"""The suites of Minecraft tasks, and the published rows to compare their results with."""

from __future__ import annotations

import csv
import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import resources

from autocraft.errors import UsageError
from autocraft.text.phrases import did_you_mean


@dataclass(frozen=True)
class SuiteTask:
    """A goal to reach within so many minutes of the game."""

    id: str
    group: str
    goal: str
    game_minutes: float
    begin: tuple[str, ...] = ()
    """The server commands that make its start, such as its kit. Without any, the inventory is empty."""
    turns: int = 600
    """The most turns that it may take; the game minutes end most tasks before."""


@dataclass(frozen=True)
class Suite:
    """Tasks, with the success rates that others published for each group."""

    name: str
    title: str
    tasks: Sequence[SuiteTask]
    published: Mapping[str, Mapping[str, float]]
    """System -> group -> success rate."""
    note: str
    """What has to be said beside the figures."""
    unplayable: Mapping[str, str] = field(default_factory=dict)
    """Tasks of the suite that the practice world cannot hold -> why."""

    @property
    def groups(self) -> list[str]:
        """Return the groups in the order of the tasks."""
        return list(dict.fromkeys(task.group for task in self.tasks))


_GROUPS = ("wood", "stone", "iron", "gold", "diamond", "redstone", "armor")
_OPTIMUS = {
    "GPT-4V": (0.41, 0.21, 0, 0, 0, 0, 0),
    "DEPS": (0.77, 0.48, 0.16, 0, 0.01, 0, 0.10),
    "Voyager": (0.87, 0.32, 0.08, 0.02, 0.01, 0.00, 0.14),
    "MP5": (0.89, 0.73, 0.43, 0.10, 0.09, 0.17, 0.19),
    "JARVIS-1": (0.93, 0.89, 0.36, 0.07, 0.08, 0.16, 0.15),
    "Optimus-1": (0.98, 0.92, 0.46, 0.08, 0.11, 0.25, 0.19),
    "Optimus-2": (0.99, 0.93, 0.53, 0.09, 0.13, 0.28, 0.21),
    "Optimus-3": (0.99, 0.95, 0.55, 0.10, 0.15, 0.29, 0.23),
    "human": (1.00, 1.00, 0.86, 0.17, 0.17, 0.33, 0.28),
}
"""The rates of the long-horizon suite, as the papers of Optimus-1 to 3 print them."""
_DOJO_MINUTES = 30.0
"""The suite has no limit of its own: that of Optimus-1's hardest groups."""
SUITES = ("optimus", "minedojo")


@functools.cache
def load_suite(name: str) -> Suite:
    """Return a suite by its name. Raises UsageError."""
    if name not in SUITES:
        hint = did_you_mean(name[:40], SUITES)
        raise UsageError(f"there is no suite {name[:40]!r}: {hint}choose {', '.join(SUITES)}")
    text = resources.files("autocraft.evaluation").joinpath(f"data/{name}.tsv").read_text("utf-8")
    rows = list(csv.DictReader(text.splitlines(), delimiter="\t"))
    return _optimus(rows) if name == "optimus" else _minedojo(rows)


def _optimus(rows: Sequence[Mapping[str, str]]) -> Suite:
    tasks = [SuiteTask(row["item"], row["group"], f"get 1 {row['item']}", float(row["game_minutes"])) for row in rows]
    rates_of = {system: dict(zip(_GROUPS, rates, strict=True)) for system, rates in _OPTIMUS.items()}
    return Suite(
        "optimus",
        "the long-horizon suite of Optimus-1 (arXiv 2408.03615)",
        tasks,
        rates_of,
        "The published systems see pixels and press keys. This program calls the interface of a bot. The rows compare "
        "planners in the same tasks and time, not agents with the same senses.",
    )


def _minedojo(rows: Sequence[Mapping[str, str]]) -> Suite:
    tasks = [
        SuiteTask(row["task"], row["group"], row["goal"], _DOJO_MINUTES, _begin(row)) for row in rows if row["goal"]
    ]
    return Suite(
        "minedojo",
        "MineDojo's suite of 32 of its 1,581 programmatic tasks",
        tasks,
        {},
        "Kits, mobs and the night of a task are made by server commands, so those tasks are assisted. A task begins in "
        "the biome where the world begins. The limit of 30 game minutes is ours.",
        {row["task"]: row["why_not"] for row in rows if not row["goal"]},
    )


def _begin(row: Mapping[str, str]) -> tuple[str, ...]:
    """Return the server commands that give the kit of a task, set its time and call its mob."""
    kit = [each.split("=") for each in row["kit"].split(",") if each]
    commands = [f"/give @s {item} {count}" for item, count in kit]
    commands += [f"/time set {row['time']}"] if row["time"] else []
    return (*commands, *([f"/summon {row['mob']} ~3 ~ ~3"] if row["mob"] else []))
