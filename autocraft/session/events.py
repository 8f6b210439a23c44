"""The events of a run, one class each. The journal writes them, and every fold and view reads them."""

from __future__ import annotations

from dataclasses import field
from operator import attrgetter
from typing import Annotated, Any, Literal

from autocraft.goals import Goal
from autocraft.protocols import Answer as BrainAnswer
from autocraft.protocols import Json, Risk
from autocraft.session import fields as kinds
from autocraft.session.event import Event as Event
from autocraft.session.event import EventClass, absent, event, required
from autocraft.session.event import Line as Line
from autocraft.session.fields import Kind, need
from autocraft.usage import Usage

GoalList = Annotated[
    tuple[Goal, ...],
    Kind(
        kinds.each(kinds.goal), lambda rows: tuple(map(Goal.from_json, rows)), lambda goals: [*map(Goal.to_json, goals)]
    ),
]
Tokens = Annotated[Usage, Kind(kinds.usage, Usage.from_json, Usage.to_json)]
Cost = Annotated[float | None, kinds.price]
"""US dollars, or None for an unknown price."""
Rows = Annotated[list[Json], kinds.each(kinds.row)]
"""Rows of memory: id, score, kind and text, and the number of steps of a plan."""
RiskWord = Annotated[Risk, Kind(kinds.risk, kinds.RISKS.__getitem__, attrgetter("label"))]
PossibleRisk = Annotated[
    Risk | None,
    Kind(kinds.or_none(kinds.risk), kinds.RISKS.get, lambda risk: None if risk is None else risk.label),
]
"""The risk of a command; None if there is no command."""


# ------------------------------------------------------------ one turn


@event
class Goals(Event):
    """The first goals of a run, or new goals of the person. Only the first event has the options."""

    type = "goal"
    session: str = absent("")
    goals: GoalList
    options: Annotated[Json | None, kinds.options] = absent(None)
    world: Json | None = None
    continuous: bool = False

    @staticmethod
    def _check(data: Json) -> None:
        if "options" in data:
            need(data, world=kinds.or_none(kinds.items), continuous=kinds.flag)

    def to_json(self) -> Json:
        data = super().to_json()
        if self.options is None:
            del data["world"], data["continuous"]
        return data


@event
class Answer(Event):
    """An answer of the brain."""

    type = "answer"
    text: str
    finish_reason: str
    reasoning: str
    refusal: str
    tool_calls: list[Json]
    usage: Tokens
    cost: Cost
    seconds: float
    heard: int
    """The number of the last event before the answer was asked for."""
    recalled: Rows = field(default_factory=list)
    role: str = absent("")
    """The role in which the model was asked. An older journal does not say."""

    @property
    def answer(self) -> BrainAnswer:
        """Return the brain's answer, for the reader of answers."""
        return BrainAnswer(self.text, self.finish_reason, None, self.reasoning, self.refusal, tuple(self.tool_calls))


@event
class Reply(Event):
    """The command in an answer."""

    type = "reply"
    ok: Literal[True] = required(True)
    stage: str
    """The stage of the reader that found the command."""
    flags: list[str] = field(default_factory=list)
    thoughts: Any
    command: str
    args: Json

    @classmethod
    def _class_of(cls, data: Json) -> EventClass:
        return InvalidReply if data.get("ok") is False else cls


@event
class InvalidReply(Event):
    """The reason why an answer holds no usable command."""

    type = "reply"
    ok: Literal[False] = required(False)
    error: str
    flags: list[str] = field(default_factory=list)


@event
class Question(Event):
    """A question to the person, as it is shown. `wants` is ``decision``, or ``words`` for a free answer."""

    type = "question"
    command: str | None = None
    args: Json | None = None
    risk: PossibleRisk = None
    why: str = ""
    preview: str = ""
    again: str = ""
    wants: str = "decision"


@event
class Decision(Event):
    """A decision about a command, or about how to go on if `command` is None."""

    type = "decision"
    kind: Literal["run", "refuse", "stop"]
    by: str
    command: str | None
    args: Json | None
    risk: PossibleRisk
    left: int = required(0)
    """The remaining turns of the permission."""
    always: bool = required(False)
    feedback: str = required("")
    why: str
    preview: str = ""
    warning: str = absent("")
    fingerprint: str = ""
    rule: Json | None = None
    edited: Json = field(default_factory=dict)
    """Argument -> [proposed value, value after the person's edit]."""

    @staticmethod
    def _check(data: Json) -> None:
        """Raise ValueError if the policy refuses, or a person always allows, something that is not a command."""
        if data["command"] is not None or data["by"] == "policy" or data["always"]:
            need(data, command=kinds.text, args=kinds.items, risk=kinds.risk)


@event
class Intent(Event):
    """A command just before it is carried out."""

    type = "intent"
    id: str
    command: str
    args: Json
    risk: RiskWord = Risk.LOOK
    fingerprint: str = ""
    evidence: Json


@event
class Result(Event):
    """The outcome of an intent."""

    type = "result"
    intent: int
    """The number of the intent."""
    command: str
    ok: bool
    text: str
    seconds: float
    answered: bool | None = absent(None)
    """For a question to the person: whether `text` is their own words."""
    world: Json | None = absent(None)
    """The new state of the world; None if it did not change."""
    end: str = absent("")
    """The reason, if the result ends the run."""
    proof: Annotated[Json | None, kinds.items] = absent(None)
    undone: int | None = absent(None)
    """The number of the intent that an undo took back."""
    program: Annotated[Json | None, kinds.or_none(kinds.items)] = absent(None)
    """For a program: its `error` ('' for none), what it `said`, and the inventory `before` and `after` it."""

    @staticmethod
    def _check(data: Json) -> None:
        if "end" in data:
            need(data, proof=kinds.items)


@event
class Progress(Event):
    """Where a long command is. No fold depends on it, and the model is not told of it."""

    type = "progress"
    id: str
    """The id of the call, as in its intent."""
    command: str
    text: str = absent("")
    """What is done so far, as in "2 of 3 oak_log"."""
    output: str = absent("")
    """What its program has printed since the last such event."""
    place: str = absent("")
    """Where the bot is, as in "(12, 64, -3)"."""
    health: float | None = absent(None)
    """The bot's health, of 20."""

    @property
    def line(self) -> str:
        """Return all but the output in one line."""
        health = "" if self.health is None else f"health {self.health:g}"
        return ", ".join(filter(None, (self.text, self.place and f"at {self.place}", health)))


@event
class Feedback(Event):
    """Words of the person. `by` is the player who said them in the world."""

    type = "feedback"
    text: str
    by: str = absent("")


@event
class Limit(Event):
    """The limit that ended the run."""

    type = "limit"
    text: str


@event
class End(Event):
    """How the run ended."""

    type = "end"
    reason: str
    exit: int = 0
    why: str
    assisted: int = 0
    deaths: int = absent(0)
    damage: int = absent(0)
    """Points of health lost, of which a bot has 20."""
    proof: Json = field(default_factory=dict)
    inventory: Annotated[dict[str, int], kinds.counts]
    turns: int = 0
    errors: int = 0
    stages: Annotated[dict[str, int], kinds.counts] = field(default_factory=dict)
    tokens: int = 0
    estimated: bool = False
    cost: float | None = None
    seconds: float = 0.0
    state_sha256: str = ""
    session: str = ""
    resume: str = ""


# ------------------------------------------------------------ beside the turns


@event
class Note(Line):
    """A remark that no fold depends on. `trace` is the traceback of a fault."""

    type = "note"
    trace: str = absent("")
    command: str = absent("")
    """The person's command that the policy refused; `args` are its arguments."""
    args: Json | None = absent(None)


@event
class Permission(Line):
    """A change of what may run without a question. An absent field changes nothing."""

    type = "permission"
    session: str = absent("")
    """The id of a resumed run."""
    continuous: bool | None = absent(None)
    budget: int | None = absent(None)
    forget: bool = absent(False)
    """Whether all commands that were allowed for good must be asked about again."""


@event
class Expense(Line):
    """A call to a model outside the turns, or another purchase."""

    type = "expense"
    usage: Tokens
    cost: Cost
    role: str = absent("")
    """The role in which a model was asked; empty for another purchase."""


@event
class Recalled(Line):
    """Rows of memory before a turn that the person should know of."""

    type = "recalled"
    recalled: Rows


@event
class Spawn(Line):
    """The start of a helper. `agent` is its name."""

    type = "spawn"
    key: int
    task: str
    grants: list[str]
    call: str
    """The id of the call that started it."""
    max_tokens: Annotated[int | None, kinds.or_none(kinds.setting)]
    max_cost: Annotated[float | None, kinds.or_none(kinds.setting)]


@event
class Message(Line):
    """A message to a helper."""

    type = "message"
    message: str
    call: str


@event
class Deleted(Line):
    """The end of a helper."""

    type = "deleted"
    key: int
    call: str


# ------------------------------------------------------------ learning


@event
class Task(Line):
    """A task to learn from: the goal of the attempts that follow. `by` proposed it."""

    type = "task"
    goals: GoalList
    """The task as a goal, alone in the list."""
    context: str = absent("")
    remaining: list[str] = field(default_factory=list)
    """The sub-goals after this one."""
    by: Annotated[Literal["curriculum", "rule", "person", "sub-goal"], kinds.text]


@event
class Checkpoint(Line):
    """What a learning run took over from an earlier one, of Voyager's or of its own."""

    type = "checkpoint"
    completed: list[str]
    failed: list[str]
    items: Annotated[dict[str, int], kinds.counts]
    """Kind of item -> the iteration after which it was first held."""
    item_ticks: Annotated[dict[str, int], kinds.counts]
    """Kind of item -> the game ticks at that time."""
    chests: Json
    """Place of a chest -> its items, or Unknown."""
    iteration: int
    """How many programs were carried out before."""


@event
class Attempt(Line):
    """The verdict on one attempt at a task: whether it was reached, and what the attempt found."""

    type = "attempt"
    outcome: Literal["goal", "program", "critic", "person", "interrupted"]
    """``goal``: reached. ``program``: unreadable, or it failed. ``critic``: it ran, but the task is not reached.
    ``person``: refused. ``interrupted``: the program was cut off. These two do not count against the task."""
    over: bool
    """Whether the task is over: it was reached, or there are no tries left."""
    iteration: int
    """How many programs were carried out until now."""
    world: str
    """The verdict of the world: met, not met, or cannot tell."""
    model: bool | None
    """The verdict of the critic; None if it was not asked."""
    critique: str
    items: list[str]
    """Kinds of items that were held for the first time."""
    facts: Json
    """What was seen afterwards: position, biome, health, and chests."""
