"""The state of a run: the fold of its journal's events, and nothing else.

Only `State.apply` changes it. It is called with the same events live and on resume, so a resumed run has exactly the
state of the killed one.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, fields
from typing import Any

from autocraft.agent.cycles import Cycles, Newest
from autocraft.agent.limits import Spending, Totals
from autocraft.goals import Goal
from autocraft.protocols import Json, Risk
from autocraft.session.atomic import sha256
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
    Message,
    Permission,
    Recalled,
    Reply,
    Result,
    Task,
)

LONGEST_ID = 200
"""Characters of a plan's id that are compared. The ids of autocraft are far shorter."""


@dataclass
class Turn:
    """The parts of one turn. On resume the loop goes on with the first missing part."""

    number: int = 0
    answer: Answer | None = None
    reply: Reply | InvalidReply | None = None
    decision: Decision | None = None
    intent: Intent | None = None
    result: Result | None = None

    @property
    def done(self) -> bool:
        """Tell whether the turn is over: its answer was invalid, or its command was refused or has its result."""
        if self.answer is None:
            return self.number == 0
        if isinstance(self.reply, InvalidReply):
            return True
        if self.decision is not None and self.decision.kind != "run":
            return True
        return self.result is not None

    def to_json(self) -> Json:
        return {name: part if name == "number" else part and part.to_json() for name, part in vars(self).items()}

    @classmethod
    def from_json(cls, data: Json) -> Turn:
        """Read what `to_json` returned. Raises ValueError, TypeError or LookupError for anything else."""
        parts: Any = {name: part and Event.from_json(part) for name, part in data.items() if name != "number"}
        return cls(data["number"], **parts)


@dataclass
class State:
    """Everything that the loop, the gate and the console need to know about the run."""

    agent: str = "main"
    """The agent whose state it is."""
    goals: tuple[Goal, ...] = ()
    turn: Turn = field(default_factory=Turn)
    turns: int = 0
    errors: int = 0
    invalid_in_a_row: int = 0
    totals: Totals = field(default_factory=Totals)
    stages: Counter[str] = field(default_factory=Counter)
    budget: int = 0
    """Remaining turns of a ``y -N``."""
    continuous: bool = False
    allowed: dict[str, Risk] = field(default_factory=dict)
    world: Json | None = None
    pending_feedback: list[Feedback] = field(default_factory=list)
    """Feedback that no answer has taken into account yet."""
    open_intents: dict[int, Intent] = field(default_factory=dict)
    repeats: Newest = field(default_factory=Newest)
    """Hash of a command with its result -> how often it gave that result since the world last changed."""
    cycles: Cycles = field(default_factory=Cycles)
    recalled: list[Json] = field(default_factory=list)
    """The rows that memory gave last: id, score, kind and text, and the number of steps of a plan."""
    tried: Newest = field(default_factory=Newest)
    """Plans of memory that this run has replayed or refused."""
    end: End | None = None

    def to_json(self) -> Json:
        """Return all fields in plain values. `from_json` makes an equal state of them."""
        return {
            **vars(self),
            "goals": [goal.to_json() for goal in self.goals],
            "turn": self.turn.to_json(),
            "totals": self.totals.to_json(),
            "stages": dict(self.stages),
            "allowed": {name: int(risk) for name, risk in self.allowed.items()},
            "pending_feedback": [event.to_json() for event in self.pending_feedback],
            "open_intents": [event.to_json() for event in self.open_intents.values()],
            "repeats": list(self.repeats.items()),
            "cycles": self.cycles.to_json(),
            "tried": list(self.tried),
            "end": self.end and self.end.to_json(),
        }

    @classmethod
    def from_json(cls, data: Json) -> State:
        """Read what `to_json` returned. Raises ValueError, TypeError, LookupError or AttributeError otherwise."""
        state = cls(**{field.name: data[field.name] for field in fields(cls)})
        state.goals = tuple(map(Goal.from_json, data["goals"]))
        state.turn = Turn.from_json(data["turn"])
        state.totals = Totals.from_json(data["totals"])
        state.stages = Counter(data["stages"])
        state.allowed = {name: Risk(risk) for name, risk in data["allowed"].items()}
        state.pending_feedback = list(map(Feedback.from_json, data["pending_feedback"]))
        state.open_intents = {event.seq: event for event in map(Intent.from_json, data["open_intents"])}
        state.repeats = Newest((key, count) for key, count in data["repeats"])
        state.cycles = Cycles.from_json(data["cycles"])
        state.tried = Newest((id, 1) for id in data["tried"])
        state.end = None if data["end"] is None else End.from_json(data["end"])
        return state

    def restore(self, data: Json) -> None:
        """Take over the state that `to_json` returned. Raises what `from_json` raises."""
        vars(self).update(vars(self.from_json(data)))

    @property
    def spending(self) -> Spending:
        used = self.totals
        return Spending(self.turns, used.seconds, used.usage.total, used.cost, self.errors, used.game_minutes)

    @property
    def goal_text(self) -> str:
        """Return all goals in words."""
        return "; ".join(goal.text for goal in self.goals)

    def feedback_since(self, heard: int) -> bool:
        """Tell whether feedback that came after the event `heard` waits for an answer."""
        return any(event.seq > heard for event in self.pending_feedback)

    @property
    def has_feedback(self) -> bool:
        """Tell whether there was feedback since the last answer. The planner reads it as `Progress.has_feedback`."""
        return bool(self.pending_feedback or (self.turn.decision and self.turn.decision.feedback))

    @property
    def remaining_memories(self) -> list[Json]:
        """Return `recalled` without the plans that were replayed or refused since."""
        return [row for row in self.recalled if row["id"] not in self.tried]

    @property
    def repetition(self) -> int:
        """Return the count of the most repeated command, or of the rounds of a cycle of commands."""
        return max([*self.repeats.values(), self.cycles.rounds])

    @property
    def repetition_text(self) -> str:
        """Say what `repetition` counts."""
        length = self.cycles.length if self.cycles.rounds > max(self.repeats.values(), default=0) else 1
        return "the same command gave the same result" if length == 1 else f"the same {length} commands came round"

    def apply(self, event: Event) -> None:
        """Fold in one event. Events of other types change nothing."""
        self.totals.see_clock(event.ticks)
        main = self.agent == "main"
        if event.agent != self.agent and not (main and event.agent == "person"):
            if main:
                self._helper(event)
            return
        self.end = None
        self.cycles.apply(event)
        match event:
            case Answer():
                self._answer(event)
            case Reply():
                self.turn.reply = event
                self.invalid_in_a_row = 0
                self.stages[event.stage] += 1
            case InvalidReply():
                self.turn.reply = event
                self.invalid_in_a_row += 1
                self.stages["invalid"] += 1
                self._error()
            case Decision():
                self._decision(event)
            case Intent():
                self.open_intents[event.seq] = event
                self._try(event.command, event.args)
                if event.agent == self.agent:
                    self.turn.intent = event
            case Result():
                self._result(event)
            case Feedback():
                self.pending_feedback.append(event)
            case Goals():
                self._goals(event)
            case Task():
                self.goals = event.goals
            case Permission():
                self._permission(event)
            case Recalled():
                self.recalled = event.recalled
            case Expense():
                self._spend(event)
            case Message():  # a helper that had replied or was stuck gets a message
                self._reopen()
                self.repeats.clear()
                self.invalid_in_a_row = 0
            case End():
                self.end = event

    def _helper(self, event: Event) -> None:
        """Fold in an event of a helper or program: its costs, its time and its open effects count for the run."""
        match event:
            case Answer():
                self.totals.seconds += event.seconds
                self._spend(event)
            case Expense():
                self._spend(event)
            case Intent():
                self.open_intents[event.seq] = event
            case Result():
                self._close_intent(event)

    def _goals(self, event: Goals) -> None:
        self.goals = event.goals
        self._reopen()
        if event.options is not None:
            self.world = event.world
            self.continuous = event.continuous

    def _permission(self, event: Permission) -> None:
        if event.session and self.turn.result is not None and self.turn.result.end == "claimed":
            self._reopen()  # a resume goes on with what nobody has judged
        self.budget = self.budget if event.budget is None else event.budget
        self.continuous = self.continuous if event.continuous is None else event.continuous
        self.narrow(event)

    def _answer(self, event: Answer) -> None:
        self.turn = Turn(event.turn, answer=event)
        self.pending_feedback = [feedback for feedback in self.pending_feedback if feedback.seq > event.heard]
        self.turns = event.turn
        self.recalled = event.recalled
        self.totals.seconds += event.seconds
        self._spend(event)

    def _spend(self, event: Answer | Expense) -> None:
        self.totals.add_call(event.usage, event.cost, event.role)

    def _decision(self, event: Decision) -> None:
        self.budget = event.left if event.kind == "run" else 0
        if not event.command or event.args is None:  # the way on after a pause, a repetition or invalid answers
            self.invalid_in_a_row = 0
            self.repeats.clear()
            return
        if event.kind == "run" and event.always:
            self.allowed[event.command] = event.risk or Risk.LOOK
        if event.by == "policy" and event.kind == "refuse":
            self._count_outcome(event.command, event.args, "refused")
        if event.kind != "stop":  # a stopped run asks about the same command again
            self.turn.decision = event
            self._try(event.command, event.args)

    def _try(self, command: str, args: Json) -> None:
        if command == "replay_plan":
            self.tried[str(args.get("id"))[:LONGEST_ID]] = 1

    def _close_intent(self, event: Result) -> None:
        """Close an intent, and add its time and its new state of the world."""
        self.open_intents.pop(event.intent, None)
        self.totals.seconds += event.seconds
        if event.world is not None:
            self.world = event.world
            self.repeats.clear()

    def _result(self, event: Result) -> None:
        self._close_intent(event)
        if event.undone is not None:
            self._reopen()
        if event.agent != self.agent:
            return
        self.turn.result = event
        if not event.ok:
            self._error()
        intent = self.turn.intent
        if intent is not None:
            news = event.ok and intent.risk != Risk.LOOK
            self._count_outcome(intent.command, intent.args, event.text, news)

    def _count_outcome(self, command: str, args: Json, outcome: str, news: bool = False) -> None:
        """Count an outcome. If it is new and `news`, the world changed, and the counts of all others end."""
        key = sha256(repr([command, sorted(args.items()), outcome]))[:32]
        if news and not self.repeats[key]:
            self.repeats.clear()
        self.repeats[key] += 1

    def _reopen(self) -> None:
        """Forget an accepted end, because the goals are new or a change was undone."""
        if self.turn.result is not None and self.turn.result.end:
            self.turn = Turn()

    def _error(self) -> None:
        """Count an error. It ends the permission of a ``y -N``."""
        self.errors += 1
        self.budget = 0

    def narrow(self, event: Permission) -> None:
        """Fold in what ends permissions. It never gives any."""
        if event.budget == 0:
            self.budget = 0
        if event.forget:
            self.allowed.clear()
