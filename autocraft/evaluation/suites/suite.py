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


_DOJO_MINUTES = 30.0
"""The suite has no limit of its own: that of Optimus-1's hardest groups."""
SUITES = ("optimus", "minedojo")


@functools.cache
def load_suite(name: str) -> Suite:
    """Return a suite by its name. Raises UsageError."""
    if name not in SUITES:
        hint = did_you_mean(name[:40], SUITES)
        raise UsageError(f"there is no suite {name[:40]!r}: {hint}choose {', '.join(SUITES)}")
    return _optimus() if name == "optimus" else _minedojo()


def _rows(name: str) -> list[dict[str, str]]:
    text = resources.files("autocraft.evaluation").joinpath(f"data/{name}.tsv").read_text("utf-8")
    return list(csv.DictReader(text.splitlines(), delimiter="\t"))


def _optimus() -> Suite:
    """Return the suite with the rates that the papers of Optimus-1 to 3 print."""
    tasks = [
        SuiteTask(row["item"], row["group"], f"get 1 {row['item']}", float(row["game_minutes"]))
        for row in _rows("optimus")
    ]
    rates_of = {row.pop("system"): {key: float(rate) for key, rate in row.items()} for row in _rows("optimus_rates")}
    return Suite(
        "optimus",
        "the long-horizon suite of Optimus-1 (arXiv 2408.03615)",
        tasks,
        rates_of,
        "The published systems see pixels and press keys. This program calls the interface of a bot. The rows compare "
        "planners in the same tasks and time, not agents with the same senses.",
    )


def _minedojo() -> Suite:
    rows = _rows("minedojo")
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
