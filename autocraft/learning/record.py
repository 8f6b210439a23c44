"""The record of a learning run: the fold of its events from which the report is written.

Only `Record.apply` changes it. A kind of item counts from the attempt after which it was held for the first time.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from autocraft.errors import CommandError
from autocraft.learning.events import Attempt, Checkpoint, Task
from autocraft.learning.progress import Progress, is_deposit
from autocraft.page.tidy import whole
from autocraft.protocols import PERSON, Json
from autocraft.session.events import (
    Answer,
    Decision,
    End,
    Event,
    Expense,
    Feedback,
    Goals,
    Intent,
    Result,
)
from autocraft.session.events import Progress as ProgressEvent
from autocraft.skills.known import known_names
from autocraft.skills.parse import parse
from autocraft.usage import total_cost

_PLACE = re.compile(r"\((-?\d{1,8}), -?\d{1,8}, (-?\d{1,8})\)")
"""A place in the words of the bot, such as "(12, 64, -3)"."""
TIERS = ("wooden", "stone", "iron", "diamond")
"""The steps of the paper's tech tree. Any tool of the material reaches one."""
TOOLS = ("pickaxe", "axe", "shovel", "hoe", "sword")
OTHERS = (
    *("crafting_table", "furnace", "chest", "coal", "iron_ingot", "bucket", "shield", "lava_bucket", "gold_ingot"),
    *("golden_sword", "redstone", "compass", "diamond", "obsidian"),
)
"""Further items that mark the progress of a run."""


@dataclass(frozen=True)
class Moment:
    """A moment of a run: the programs run, the game ticks, and the tokens and dollars spent until then.

    `dollars` is None if a price is unknown. `prompts` counts the answers that should hold a program, as the paper does.
    """

    iteration: int
    ticks: int
    tokens: int
    dollars: float | None
    prompts: int


@dataclass(frozen=True)
class Step:
    """One attempt, and the state of the run after it. `position` is x and z, None if it is not known."""

    moment: Moment
    task: str
    outcome: str
    items: int
    skills: int
    position: tuple[float, float] | None
    biome: str
    dimension: str
    time: float
    """Seconds since 1970."""
    way: tuple[tuple[float, float], ...] = ()
    """Where the bot was while the program ran."""
    code: str = ""
    error: str = ""
    critique: str = ""


@dataclass
class SkillRecord:
    """A skill that was kept or called. `iteration` is None if it was kept by an earlier run."""

    iteration: int | None = None
    versions: int = 0
    calls: tuple[str, ...] = ()
    code: str = ""
    uses: int = 0
    successes: int = 0


@dataclass
class Record:
    """The figures and the history of a learning run."""

    progress: Progress = field(default_factory=Progress)
    options: Json = field(default_factory=dict)
    """The settings that the run began with."""
    first_held: dict[str, Moment] = field(default_factory=dict)
    """Item -> the moment at which it was held for the first time."""
    steps: list[Step] = field(default_factory=list)
    skills: dict[str, SkillRecord] = field(default_factory=dict)
    interventions: Counter[str] = field(default_factory=Counter)
    """What the person did. Approving is counted as ``approvals``."""
    counts: Counter[str] = field(default_factory=Counter)
    """``tokens``, ``prompts`` for programs, ``effects`` of programs, ``deaths`` and ``cheats``."""
    dollars: float | None = 0.0
    """None if a price is unknown."""
    start: float = 0.0
    chests: Json = field(default_factory=dict)
    """The chests that the bot knew after the newest attempt: place -> items, or Unknown."""
    end: End | None = None
    _intents: dict[int, Intent] = field(default_factory=dict)
    _way: list[tuple[float, float]] = field(default_factory=list)
    _entered: Json = field(default_factory=dict)
    """The skills that the newest program entered, each with whether it returned."""

    @classmethod
    def of(cls, events: Iterable[Event]) -> Record:
        """Return the record of a journal."""
        record = cls()
        for event in events:
            record.apply(event)
        return record

    @property
    def world(self) -> str:
        """Return where the run was played, in words that stand beside its figures."""
        if self.options.get("world") != "minecraft":
            return "crafting world"
        return "own server" if self.options.get("server") else "practice world"

    @property
    def tasks(self) -> set[str]:
        """Return the tasks that were tried, without those that only empty the inventory."""
        progress = self.progress
        texts = {*progress.completed, *progress.failed, progress.text}
        return {text for text in texts if text and not is_deposit(text)}

    @property
    def own_skills(self) -> list[str]:
        """Return the names of the skills that this run kept, in their order."""
        return [name for name, skill in self.skills.items() if skill.iteration is not None]

    def first_of(self, items: Iterable[str]) -> Moment | None:
        """Return when the first of these items was held. Return None if none was."""
        moments = [self.first_held[item] for item in items if item in self.first_held]
        return min(moments, key=lambda each: each.iteration, default=None)

    def milestones(self) -> dict[str, Moment | None]:
        """Return each step of the tech tree and when it was reached, None if it was not."""
        tools = {f"{tier} tool": self.first_of(f"{tier}_{tool}" for tool in TOOLS) for tier in TIERS}
        return {**tools, **{name.replace("_", " "): self.first_of([name]) for name in OTHERS}}

    def biomes(self) -> dict[str, int]:
        """Return each biome with the iteration after which the bot was first seen in it."""
        first: dict[str, int] = {}
        for step in self.steps:
            if step.biome:
                first.setdefault(step.biome, step.moment.iteration)
        return first

    def path(self) -> list[tuple[float, float]]:
        """Return where the bot was during and after each attempt, in the dimension where it began."""
        steps = [step for step in self.steps if step.position is not None]
        here = [step for step in steps if step.dimension == steps[0].dimension]
        return [place for step in here if step.position for place in (*step.way, step.position)]

    def length(self) -> float:
        """Return the length of the path in blocks."""
        path = self.path()
        return sum(map(math.dist, path, path[1:]))

    def extent(self) -> tuple[float, float, float, float] | None:
        """Return the west, north, east and south end of the path. Return None without a position."""
        path = self.path()
        return (*map(min, zip(*path, strict=True)), *map(max, zip(*path, strict=True))) if path else None

    # ------------------------------------------------------------ the fold

    def apply(self, event: Event) -> None:
        """Fold in one event."""
        self.start = self.start or event.time
        self.progress.apply(event)
        match event:
            case Goals() if event.options is not None:
                self.options = event.options
            case Answer() | Expense():
                self.counts["prompts"] += isinstance(event, Answer) and event.agent == "main"
                self.counts["tokens"] += event.usage.total
                self.dollars = total_cost(self.dollars, event.usage, event.cost)
            case Task():
                self.interventions["tasks given"] += event.by == "person"
            case Attempt():
                self._fold_attempt(event)
            case Checkpoint():
                self.first_held = {
                    item: Moment(at, event.item_ticks.get(item, 0), 0, 0.0, at) for item, at in event.items.items()
                }
                self.counts["prompts"] += event.iteration
            case Intent():
                self._intents[event.seq] = event
                self.interventions["commands of their own"] += event.agent == "person"
            case ProgressEvent() if place := _PLACE.fullmatch(event.place):
                self._way.append((float(place[1]), float(place[2])))
            case Result():
                self._fold_result(event)
            case Feedback():
                self.interventions["words"] += not event.by
            case Decision() if event.by in PERSON and event.command is not None:
                self.interventions["refusals" if event.kind != "run" else "edits" if event.edited else "approvals"] += 1
            case End():
                self.end = event
                self.counts["cheats"] = max(self.counts["cheats"], event.assisted)

    def _fold_result(self, event: Result) -> None:
        intent = self._intents.pop(event.intent, None)
        self.counts["effects"] += event.agent == "program"
        self.interventions["answers"] += bool(event.answered)
        if event.command == "run_program" and event.agent == "main":
            self._entered = (event.program or {}).get("skills", {})
        if intent is not None and event.ok and event.command == "save_skill":
            skill = self.skills.setdefault(str(intent.args.get("name")), SkillRecord())
            skill.iteration = self.progress.iteration if skill.iteration is None else skill.iteration
            skill.versions += 1
            skill.code = str(intent.args.get("code", ""))
            skill.calls = tuple(skills_in(skill.code))

    def _fold_attempt(self, event: Attempt) -> None:
        if event.agent != "main":
            return
        judged = self.options.get("critic") == "manual" and event.outcome != "person" and not self.progress.unused
        self.interventions["verdicts"] += judged
        facts = event.facts
        for name in ("deaths", "cheats"):
            self.counts[name] = max(self.counts[name], whole(facts.get(name)) or 0)
        self.chests = chests if isinstance(chests := facts.get("chests"), dict) else self.chests
        counts = self.counts
        moment = Moment(event.iteration, event.ticks or 0, counts["tokens"], self.dollars, counts["prompts"])
        for item in event.items:
            self.first_held.setdefault(item, moment)
        self._count_uses()
        where = _position(facts.get("position"))
        biome, dimension = (str(facts.get(name) or "") for name in ("biome", "dimension"))
        kinds, skills = len(self.first_held), len(self.own_skills)
        task, way = self.progress.text, tuple(self._way)
        words = (self.progress.code, self.progress.error, " ".join(filter(None, (event.critique, event.unfit))))
        step = Step(moment, task, event.outcome, kinds, skills, where, biome, dimension, event.time, way, *words)
        self._way = []
        self.steps.append(step)

    def _count_uses(self) -> None:
        """Count the skills that the program of this attempt entered. One succeeded if it returned each time."""
        entered, self._entered = self._entered, {}
        for name, good in entered.items():
            skill = self.skills.setdefault(name, SkillRecord())
            skill.uses += 1
            skill.successes += bool(good)


def skills_in(code: str) -> Sequence[str]:
    """Return the functions that a program calls, without its own ones and those of the game."""
    try:
        free = parse(code).free
    except CommandError:
        return ()
    return [name for name in free if name not in known_names().in_scope]


def _position(value: object) -> tuple[float, float] | None:
    if not isinstance(value, dict):
        return None
    x, z = value.get("x"), value.get("z")
    if not isinstance(x, int | float) or not isinstance(z, int | float) or max(abs(x), abs(z)) > 1e8:
        return None
    return float(x), float(z)
