"""The story of a session: the fold of its events that all reports are written from.

Only `Story.apply` changes it. Every text is the text of the journal; the code that shows it adapts it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Self

from autocraft.building.blueprint import Blueprint, Cell
from autocraft.console.report import said_by
from autocraft.errors import CommandError
from autocraft.json_fix.reply import wrong_with
from autocraft.page.blocks import NEVER, Span
from autocraft.protocols import Json
from autocraft.session.events import (
    Answer,
    Decision,
    End,
    Event,
    Expense,
    Feedback,
    Goals,
    Intent,
    InvalidReply,
    Line,
    Planned,
    Progress,
    Reply,
    Result,
)
from autocraft.usage import Usage, total_cost

_PLACE = re.compile(r"\((-?\d{1,8}), -?\d{1,8}, (-?\d{1,8})\)")
_STANDS = re.compile(rf"(?:Arrived at|bot is at) {_PLACE.pattern}")
_NOW = re.compile(r"Now there are ((?:\d+ \w+(?:, |(?![\w…])))+)")
"""What the bot says it holds. Of a text that was cut, the last name may not be whole, and is left out."""
_ITEM = re.compile(r"(\d+) (\w+)")


@dataclass(frozen=True)
class Effect:
    """A command that was carried out, and what became of it."""

    id: str
    agent: str
    command: str
    args: Json
    ok: bool
    text: str
    seconds: float


@dataclass
class Step:
    """One turn of an agent, or words beside the turns. `kind` is goal, turn, feedback, note or end."""

    kind: str
    time: float
    turn: int
    agent: str
    text: str = ""
    """What the model said, or the words."""
    answer: Answer | None = None
    reply: Reply | InvalidReply | None = None
    decisions: list[Decision] = field(default_factory=list, init=False)
    effects: list[Effect] = field(default_factory=list, init=False)

    @property
    def thoughts(self) -> list[tuple[str, str]]:
        """Return the named thoughts of the answer; a list of steps is joined."""
        value = self.reply.thoughts if isinstance(self.reply, Reply) else None
        rows = value.items() if isinstance(value, Mapping) else ()
        return [(str(name), _words(text)) for name, text in rows if text]

    @property
    def error(self) -> str:
        """Return why no command could be read. Return "" if one was read."""
        return wrong_with(self.reply.error, self.reply.flags) if isinstance(self.reply, InvalidReply) else ""


@dataclass(frozen=True)
class Point:
    """What was spent and held after a turn of the main agent, and x and z of the bot.

    `dollars` is None if a price is unknown, and `place` is None if no position is known.
    """

    turn: int
    time: float
    tokens: int
    dollars: float | None
    items: Mapping[str, int]
    place: tuple[float, float] | None


@dataclass(frozen=True)
class First:
    """The first time that a kind of item was held. `place` is x and z; None if it is not known."""

    item: str
    turn: int
    time: float
    place: tuple[float, float] | None


@dataclass
class Building:
    """A building that was planned. `blocks` are the names of its blocks by their places in the world."""

    plan: Planned
    blueprint: Blueprint
    blocks: Mapping[Cell, str]
    spans: dict[Cell, Span] = field(default_factory=dict, init=False)
    """From which moment a block stands, and until which."""
    moments: int = field(default=0, init=False)

    @classmethod
    def of(cls, event: Planned) -> Self | None:
        """Return the building of an event. Return None if its layers cannot be read."""
        try:
            blueprint = Blueprint.read(event.blueprint)
        except CommandError:  # the event was written by something else
            return None
        return cls(event, blueprint, {_moved(cell, event.at): block.name for cell, block in blueprint.blocks.items()})

    def change(self, changed: Iterable[tuple[int, int, int, str]]) -> None:
        """Take over which places changed, each with the block that is there now."""
        own = [((x, y, z), name) for x, y, z, name in changed if (x, y, z) in self.blocks]
        self.moments += bool(own)
        for place, name in own:
            cell = _moved(place, self.plan.at, -1)
            span = self.spans.get(cell)
            if name == self.blocks[place]:
                self.spans[cell] = Span(span.since if span else self.moments)
            elif span and span.until == NEVER:
                self.spans[cell] = Span(span.since, self.moments)

    def finish(self) -> None:
        """Take over that all of it stands."""
        self.spans = {cell: Span(self.spans.get(cell, Span(0)).since) for cell in self.blueprint.blocks}


def _moved(cell: Cell, by: Cell, sign: int = 1) -> Cell:
    x, y, z = (at + sign * step for at, step in zip(cell, by, strict=True))
    return x, y, z


@dataclass
class Story:
    """The story so far."""

    options: Json = field(default_factory=dict, init=False)
    goals: list[str] = field(default_factory=list, init=False)
    steps: list[Step] = field(default_factory=list, init=False)
    stages: Counter[str] = field(default_factory=Counter, init=False)
    """Stage of the reader -> how many answers it read; those that nothing could be read from are ``invalid``."""
    approvals: Counter[tuple[str, str]] = field(default_factory=Counter, init=False)
    """(run, refuse or stop; who or what decided) -> how often."""
    points: list[Point] = field(default_factory=list, init=False)
    firsts: list[First] = field(default_factory=list, init=False)
    buildings: dict[str, Building] = field(default_factory=dict, init=False)
    """The buildings that were planned, by the ids of their plans, the newest last."""
    way: list[tuple[float, float]] = field(default_factory=list, init=False)
    end: End | None = field(default=None, init=False)
    start: float = field(default=0.0, init=False)
    last: float = field(default=0.0, init=False)
    usage: Usage = field(default_factory=Usage, init=False)
    dollars: float | None = field(default=0.0, init=False)
    _items: dict[str, int] = field(default_factory=dict, init=False)
    _intents: dict[int, Intent] = field(default_factory=dict, init=False)
    _turns: dict[str, Step] = field(default_factory=dict, init=False)
    """Agent -> its newest turn; "" -> the newest turn of all."""

    @classmethod
    def of(cls, events: Iterable[Event]) -> Story:
        """Return the story of a journal."""
        story = cls()
        for event in events:
            story.apply(event)
        return story

    def apply(self, event: Event) -> None:
        """Fold in one event."""
        self.start, self.last = self.start or event.time, event.time
        match event:
            case Goals():
                self.goals = [goal.shown for goal in event.goals]
                self.options = event.options or self.options
                self._hold(event, _items_of(event.world))
                self._beside("goal", event, "; ".join(self.goals))
            case Answer():
                self.end = None
                self._spend(event)
                step = Step("turn", event.time, event.turn, event.actor, said_by(event), event)
                self.steps.append(step)
                self._turns |= {event.actor: step, f"*{event.bot}": step}
            case Reply() | InvalidReply():
                self._step(event).reply = event
                self.stages[event.stage if isinstance(event, Reply) else "invalid"] += 1
            case Decision() if event.command is not None:
                self._step(event).decisions.append(event)
                self.approvals[event.kind, event.by] += 1
            case Intent():
                self._intents[event.seq] = event
            case Progress():
                self._walk(event.place, _PLACE)
                for building in self.buildings.values():
                    building.change(event.blocks)
            case Planned():
                if planned := self.buildings.pop(event.plan, None) or Building.of(event):
                    self.buildings[event.plan] = planned
            case Result():
                self._result(event)
            case Feedback():
                self._beside("feedback", event, event.text)
            case Expense():
                self._spend(event)
                self._beside("note", event, event.text)
            case Line():
                self._beside("note", event, event.text)
            case End():
                self.end = event
                self._hold(event, event.inventory)
                self._beside("end", event, event.why)

    def _step(self, event: Event) -> Step:
        """Return the newest turn of the agent of an event, for an effect of a program the newest turn of all."""
        last = self._turns.get(event.actor) or self._turns.get(f"*{event.bot}")
        return last or self._turns.setdefault(f"*{event.bot}", self._beside("turn", event, ""))

    def _beside(self, kind: str, event: Event, text: str) -> Step:
        step = Step(kind, event.time, event.turn, event.actor, text)
        self.steps.append(step)
        return step

    def _spend(self, event: Answer | Expense) -> None:
        self.usage += event.usage
        self.dollars = total_cost(self.dollars, event.usage, event.cost)
        self._mark(event)

    def _mark(self, event: Event) -> None:
        place = self.way[-1] if self.way else None
        point = Point(self._turn(event), event.time, self.usage.total, self.dollars, dict(self._items), place)
        if self.points and self.points[-1].turn == point.turn:
            self.points.pop()
        self.points.append(point)

    def _turn(self, event: Event) -> int:
        """Return the turn of the main agent in which an event happened. A helper counts turns of its own."""
        return self.points[-1].turn if self.points and event.actor != "main" else event.turn

    def _hold(self, event: Event, items: Mapping[str, int]) -> None:
        """Take over what is held, and remember the kinds that are new."""
        place = self.way[-1] if self.way else None
        items_before = {first.item for first in self.firsts}
        self.firsts += [First(item, self._turn(event), event.time, place) for item in items if item not in items_before]
        self._items = {item: count for item, count in items.items() if count}
        self._mark(event)

    def _walk(self, text: str, pattern: re.Pattern[str]) -> None:
        for match in pattern.finditer(text):
            place = float(match[1]), float(match[2])
            if not self.way or self.way[-1] != place:
                self.way.append(place)

    def _result(self, event: Result) -> None:
        intent = self._intents.pop(event.intent, None)
        args, id = (intent.args, intent.id) if intent else ({}, "")
        effect = Effect(id, event.actor, event.command, args, event.ok, event.text, event.seconds)
        self._step(event).effects.append(effect)
        whole = event.ok and event.command in ("lay_blocks", "verify_build")
        if whole and (building := self.buildings.get(str(args.get("plan")))):
            building.finish()
        self._walk(event.text, _STANDS)
        if event.world is not None:
            self._hold(event, _items_of(event.world))
        elif now := _NOW.findall(event.text):  # so the bot reports what it holds
            self._hold(event, self._items | {item: int(number) for number, item in _ITEM.findall(" ".join(now))})


def _words(text: object) -> str:
    return "; ".join(map(str, text)) if isinstance(text, list) else str(text)


def _items_of(world: Json | None) -> dict[str, int]:
    """Return the counts of a snapshot of the crafting world, without the slot that only shows a result."""
    counts: Counter[str] = Counter()
    slots = (world or {}).get("slots")
    for slot, stack in slots.items() if isinstance(slots, dict) else ():
        if slot != "0" and isinstance(stack, list) and len(stack) == 2 and type(stack[1]) is int:
            counts[str(stack[0])] += stack[1]
    return dict(counts)
