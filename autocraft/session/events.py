"""The events of a run, one class each. The journal writes them, and every fold and view reads them."""

from __future__ import annotations

import re
from typing import Any, Literal

import msgspec

from autocraft.goals import Goal
from autocraft.protocols import Answer as BrainAnswer
from autocraft.protocols import Json, Risk
from autocraft.session.event import Event as Event
from autocraft.session.event import Line as Line
from autocraft.session.event import written
from autocraft.session.fields import Count, Number
from autocraft.usage import Usage


class MemoryRow(msgspec.Struct, frozen=True, omit_defaults=True):
    """A row of memory as the model read it."""

    id: str
    score: float | None
    kind: str
    text: str
    steps: Count = 0
    """The number of steps of a plan."""


# ------------------------------------------------------------ one turn


class Goals(Event, tag="goal"):
    """The first goals of a run, or new goals of the person. Only the first event has the options."""

    session: str = ""
    goals: tuple[Goal, ...]
    options: Json | None = None
    world: Json | None = None
    continuous: bool = False

    @property
    def mode(self) -> str:
        """Return the verb of the mode that the run is in."""
        return str((self.options or {}).get("mode") or "run")

    def __post_init__(self) -> None:
        """Raise ValueError for options that no settings have: plain values, and paths that can be looked up."""
        if "learn" in (self.options or {}):
            raise ValueError("its options are from a build before the first release")
        for name, value in (self.options or {}).items():
            if not all(map(_plain, value if isinstance(value, list | tuple) else [value])):
                raise ValueError(f"its option {name} cannot be that")
            if name in ("mode", "workspace", "profile", "world", "inventory", "example") and not isinstance(value, str):
                raise ValueError(f"its option {name} is not text")


def _plain(value: object) -> bool:
    """Tell whether a value can be that of a setting."""
    return "\0" not in value if isinstance(value, str) else value is None or isinstance(value, int | float)


class Answer(Event, tag="answer"):
    """An answer of the brain."""

    text: str
    finish_reason: str
    reasoning: str
    refusal: str
    tool_calls: list[Json]
    usage: Usage
    cost: float | None
    """US dollars, or None for an unknown price."""
    seconds: Number
    heard: Count
    """The number of the last event before the answer was asked for."""
    recalled: list[MemoryRow] = written(list)
    role: str = ""
    """The role in which the model was asked."""

    @property
    def answer(self) -> BrainAnswer:
        """Return the brain's answer, for the reader of answers."""
        return BrainAnswer(self.text, self.finish_reason, None, self.reasoning, self.refusal, tuple(self.tool_calls))

    @property
    def asked_as(self) -> str:
        """Return the role, and for an answer without one that in which its agent is asked."""
        return self.role or ("smart" if self.agent == "main" else "fast")


class Reply(Event, tag="reply"):
    """The command in an answer."""

    ok: bool = written(True)
    stage: str
    """The stage of the reader that found the command."""
    flags: list[str] = written(list)
    thoughts: Any
    command: str
    args: Json
    doubt: str = ""
    """The words around the command, if they leave open whether it is to be run."""

    @property
    def steps(self) -> list[str]:
        """Return the steps of the plan in the thoughts, which is a list, or the dashed lines of older prompts."""
        plan = self.thoughts.get("plan") if isinstance(self.thoughts, dict) else None
        steps = plan if isinstance(plan, list) else str(plan or "").split("\n")
        return [step for step in (str(each).strip().lstrip("-").strip() for each in steps) if step]


class InvalidReply(Event, tag="reply", ok=False):
    """The reason why an answer holds no usable command."""

    ok: bool = written(False)
    error: str
    flags: list[str] = written(list)


class Question(Event, tag="question"):
    """A question to the person, as it is shown. `wants` is ``decision``, or ``words`` for a free answer."""

    command: str | None = written(None)
    args: Json | None = written(None)
    risk: Risk | None = written(None)
    why: str = written("")
    preview: str = written("")
    again: str = written("")
    doubt: str = ""
    """The words around the command, if they leave open whether it is to be run."""
    wants: str = written("decision")


class Decision(Event, tag="decision"):
    """A decision about a command, or about how to go on if `command` is None."""

    kind: Literal["run", "refuse", "stop"]
    by: str
    command: str | None
    args: Json | None
    risk: Risk | None
    left: Count = written(0)
    """The remaining turns of the permission."""
    programs: bool = False
    """Whether the remaining turns may be programs too."""
    always: bool = written(False)
    feedback: str = written("")
    why: str
    preview: str = written("")
    warning: str = ""
    fingerprint: str = written("")
    rule: Json | None = written(None)
    doubted: bool = False
    """Whether the words of the answer left open if the command was to be run."""
    edited: Json = written(dict)
    """Argument -> [proposed value, value after the person's edit]."""

    def __post_init__(self) -> None:
        """Raise ValueError if the policy refuses, or a person always allows, something that is not a command."""
        parts = {"command": self.command, "args": self.args, "risk": self.risk}
        missing = [name for name, part in parts.items() if part is None]
        if missing and (self.command is not None or self.by == "policy" or self.always):
            raise ValueError(f"it has no {missing[0]}")


class Intent(Event, tag="intent"):
    """A command just before it is carried out."""

    id: str
    command: str
    args: Json
    risk: Risk = written(Risk.LOOK)
    fingerprint: str = written("")
    evidence: Json


class Result(Event, tag="result"):
    """The outcome of an intent."""

    intent: Count
    """The number of the intent."""
    command: str
    ok: bool
    text: str
    seconds: Number
    answered: bool | None = None
    """For a question to the person: whether `text` is their own words."""
    world: Json | None = None
    """The new state of the world; None if it did not change."""
    end: str = ""
    """The reason, if the result ends the run."""
    proof: Json | None = None
    undone: Count | None = None
    """The number of the intent that an undo took back."""
    program: Json | None = None
    """For a program that ran to its end: its `error` ('' for none), what it `said`, the inventory `before` and `after`
    it, what it `did`, as deeds with their counts, and the `skills` that it entered, each with whether it returned."""

    def __post_init__(self) -> None:
        if self.end and self.proof is None:
            raise ValueError("its end has no proof")


class Progress(Event, tag="progress"):
    """Where a long command is. No fold depends on it, and the model is not told of it."""

    id: str
    """The id of the call, as in its intent."""
    command: str
    text: str = ""
    """What is done so far, as in "2 of 3 oak_log"."""
    output: str = ""
    """What its program has printed since the last such event."""
    place: str = ""
    """Where the bot is, as in "(12, 64, -3)"."""
    health: Number | None = None
    """The bot's health, of 20."""
    blocks: tuple[tuple[int, int, int, str], ...] = ()
    """The places of a building that changed since the last such event, each with the block that is there now."""

    @property
    def line(self) -> str:
        """Return all but the output in one line."""
        health = "" if self.health is None else f"health {self.health:g}"
        return ", ".join(filter(None, (self.text, self.place and f"at {self.place}", health)))


class Planned(Event, tag="planned"):
    """A building that was planned. No fold that decides depends on it: it is drawn."""

    plan: str
    """The id of the plan."""
    blueprint: str
    """Its layers, in the text form of blueprints."""
    at: tuple[int, int, int]
    """The place of the first letter of its lowest layer."""


class Feedback(Event, tag="feedback"):
    """Words of the person. `by` is the player who said them in the world.

    `alone` says that the words are for no other bot of the run: the player named this one, or it had asked.
    """

    text: str
    by: str = ""
    alone: bool = False

    @property
    def stops(self) -> bool:
        """Tell whether the first word is "stop", which ends the command that is running."""
        return re.match(r"\s*stop\b", self.text, re.IGNORECASE) is not None


class Limit(Event, tag="limit"):
    """The limit that ended the run."""

    text: str


class End(Event, tag="end"):
    """How the run ended."""

    reason: str
    exit: Count = written(0)
    why: str
    assisted: Count = written(0)
    deaths: Count = 0
    damage: Count = 0
    """Points of health lost, of which a bot has 20."""
    proof: Json = written(dict)
    inventory: dict[str, Count]
    turns: Count = written(0)
    errors: Count = written(0)
    judged: Count = 0
    """The number of commands about which a model decided, because the words beside them left open what was meant."""
    stages: dict[str, Count] = written(dict)
    tokens: Count = written(0)
    estimated: bool = written(False)
    cost: float | None = written(None)
    seconds: Number = written(0.0)
    state_sha256: str = written("")
    session: str = written("")
    resume: str = written("")


# ------------------------------------------------------------ beside the turns


class Note(Line, tag="note"):
    """A remark that no fold depends on. `trace` is the traceback of a fault."""

    trace: str = ""
    command: str = ""
    """The person's command that the policy refused; `args` are its arguments."""
    args: Json | None = None


class Permission(Line, tag="permission"):
    """A change of what may run without a question. An absent field changes nothing."""

    session: str = ""
    """The id of a resumed run."""
    continuous: bool | None = None
    looks: bool | None = None
    """Whether commands that only look run without a question, in place of --auto-look."""
    budget: Count | None = None
    programs: bool = False
    """Whether the turns of `budget` may be programs too."""
    forget: bool = False
    """Whether all commands that were allowed for good must be asked about again."""


class Rewind(Line, tag="rewind"):
    """The effects of a killed program were taken back, so that it can run again."""

    id: str
    """The id of the call, as in its intent."""
    world: Json
    """The state of the world before the program, which is its state again."""


class Aim(Line):
    """Other goals that the agent chose itself. A feature of the outer ring makes its own class of it."""

    goals: tuple[Goal, ...]


class Expense(Line, tag="expense"):
    """A call to a model outside the turns, or another purchase."""

    usage: Usage
    cost: float | None
    """US dollars, or None for an unknown price."""
    role: str = ""
    """The role in which a model was asked; empty for another purchase."""


class Recalled(Line, tag="recalled"):
    """Rows of memory before a turn that the person should know of."""

    recalled: list[MemoryRow]


class Spawn(Line, tag="spawn"):
    """The start of a helper. `agent` is its name."""

    key: Count
    task: str
    grants: list[str]
    call: str
    """The id of the call that started it."""
    max_tokens: int | None
    max_cost: float | None


class Message(Line, tag="message"):
    """A message to a helper."""

    message: str
    call: str


class Deleted(Line, tag="deleted"):
    """The end of a helper."""

    key: Count
    call: str
