"""The suites of Minecraft tasks, and the published rows to compare their results with."""

from __future__ import annotations

import csv
import functools
from collections.abc import Iterator, Mapping, Sequence
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
    bots: int = 1
    unknown: tuple[str, ...] = ()
    """What the bots do not know how to make: "2: cake" is unknown to the second one."""

    @property
    def commands(self) -> int:
        """Return how many server commands begin it: those for one bot count once, the others for each bot."""
        return sum(1 if line[0].isdigit() else self.bots for line in self.begin)


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
SUITES = ("optimus", "minedojo", "together")
_TOGETHER_MINUTES = {"crafting": 5.0, "cooking": 8.0, "construction": 30.0}
"""The paper gives a crafting task 300 seconds; the other limits are ours."""
_TOOLS = ("iron_pickaxe", "iron_axe", "iron_shovel")
"""What each bot of a construction begins with, beside its materials and some dirt to stand on."""


@functools.cache
def load_suite(name: str) -> Suite:
    """Return a suite by its name. Raises UsageError."""
    if name not in SUITES:
        hint = did_you_mean(name[:40], SUITES)
        raise UsageError(f"there is no suite {name[:40]!r}: {hint}choose {', '.join(SUITES)}")
    return {"optimus": _optimus, "minedojo": _minedojo, "together": _together}[name]()


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


def _together() -> Suite:
    """Return tasks of the three kinds of MineCollab, for two and three bots."""
    tasks = [
        SuiteTask(
            row["task"], row["group"], row["goal"], _TOGETHER_MINUTES[row["group"]], (*_site(row), *_kits(row)),
            bots=int(row["bots"]), unknown=tuple(_numbered(row["unknown"])),
        )
        for row in _rows("together")
    ]  # fmt: skip
    return Suite(
        "together",
        "tasks for several bots, in the three kinds of MineCollab (arXiv 2504.17950)",
        tasks,
        {},
        "The tasks are written anew from the paper's description, and no bot talks: the bots share a board of what "
        "each holds, needs and can make. So the figures stand beside no published row (docs/evaluation.md).",
    )


def _numbered(text: str) -> Iterator[str]:
    """Yield the entries of each bot with its number: of "cake|bread,pie", "1: cake", "2: bread" and "2: pie"."""
    for number, entries in enumerate(text.split("|"), 1):
        yield from (f"{number}: {entry}" for entry in entries.split(",") if entry)


def _kits(row: Mapping[str, str]) -> list[str]:
    """Return the server commands that give each bot its items."""
    kits = _numbered(row["kits"] or _materials(row["goal"], int(row["bots"])))
    return [f"{number}: /give @s {item.replace('=', ' ')}" for number, item in (kit.split(": ") for kit in kits)]


def _site(row: Mapping[str, str]) -> Iterator[str]:
    """Yield the server commands that make what a task is done with: a table, a furnace, an animal."""
    for thing, at in zip(filter(None, row["site"].split(",")), ("~2 ~ ~", "~-2 ~ ~", "~3 ~ ~3"), strict=False):
        yield f"1: /summon {thing} {at}" if "3" in at else f"1: /setblock {at} {thing}"


def _materials(goal: str, bots: int) -> str:
    """Return kits for a building in which each bot has one kind of material: stone, wood, or what is put inside."""
    from autocraft.building.blueprint import bill_of
    from autocraft.building.wishes import blueprint_of, read_goal, read_wish

    wish = read_wish(read_goal(goal))
    assert wish is not None
    kits: list[list[str]] = [[f"{_TOOLS[bot]}=1", "dirt=16"] for bot in range(bots)]
    kinds: dict[str, list[str]] = {}
    for item, count in bill_of(blueprint_of(wish).blocks.values()).items():
        kind = "stone" if item == wish.wall else "wood" if item.startswith(wish.wood) else "inside"
        kinds.setdefault(kind, []).append(f"{item}={count}")
    for number, kind in enumerate(sorted(kinds, key=["stone", "wood", "inside"].index)):
        kits[number % bots] += kinds[kind]
    return "|".join(map(",".join, kits))
