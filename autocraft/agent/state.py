"""The state of a run: the fold of its journal's events, and nothing else.

Only `State.apply` changes it. It is called with the same events live and on resume, so a resumed run has exactly the
state of the killed one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Any

import msgspec

from autocraft.agent.cycles import Cycles, key_of, put_newest
from autocraft.agent.limits import Spending, Totals
from autocraft.goals import Goal
from autocraft.protocols import JUDGE, NOBODY, Json, Risk
from autocraft.session.events import (
    Aim,
    Answer,
    Decision,
    End,
    Event,
    Expense,
    Feedback,
    Goals,
    Intent,
    InvalidReply,
    MemoryRow,
    Message,
    Permission,
    Recalled,
    Reply,
    Result,
    Rewind,
)
from autocraft.session.fields import Stored

LONGEST_ID = 200
"""Characters of a plan's id that are compared. The ids of autocraft are far shorter."""


class Turn(msgspec.Struct):
    """The parts of one turn. On resume the loop goes on with the first missing part."""

    number: int = 0
    answer: Answer | None = None
    reply: Reply | None = None
    invalid: InvalidReply | None = None
    """In place of a reply: why the answer holds no usable command."""
    decision: Decision | None = None
    intent: Intent | None = None
    result: Result | None = None

    @property
    def done(self) -> bool:
        """Tell whether the turn is over: its answer was invalid, or its command was refused or has its result."""
        if self.answer is None:
            return self.number == 0
        if self.invalid is not None:
            return True
        if self.decision is not None and self.decision.kind != "run":
            return True
        return self.result is not None


class State(Stored):
    """Everything that the loop, the gate and the console need to know about the run."""

    agent: str = "main"
    """The agent whose state it is."""
    goals: tuple[Goal, ...] = ()
    turn: Turn = msgspec.field(default_factory=Turn)
    turns: int = 0
    errors: int = 0
    invalid_in_a_row: int = 0
    totals: Totals = msgspec.field(default_factory=Totals)
    judged: int = 0
    """The number of commands about which a model decided."""
    stages: dict[str, int] = msgspec.field(default_factory=dict)
    """Stage of the reader -> the number of its replies."""
    budget: int = 0
    """Remaining turns of a ``y -N``."""
    programs: bool = False
    """Whether the remaining turns may be programs too."""
    continuous: bool = False
    looks: bool | None = None
    """Whether commands that only look run without a question. None if --auto-look says it."""
    allowed: dict[str, Risk] = msgspec.field(default_factory=dict)
    world: Json | None = None
    pending_feedback: list[Feedback] = msgspec.field(default_factory=list)
    """Feedback that no answer has taken into account yet."""
    open_intents: dict[int, Intent] = msgspec.field(default_factory=dict)
    repeats: dict[str, int] = msgspec.field(default_factory=dict)
    """Hash of a command with its result -> how often it gave that result since the world last changed."""
    cycles: Cycles = msgspec.field(default_factory=Cycles)
    recalled: list[MemoryRow] = msgspec.field(default_factory=list)
    """The rows that memory gave last."""
    tried: dict[str, int] = msgspec.field(default_factory=dict)
    """Plans of memory that this run has replayed or refused."""
    end: End | None = None

    @property
    def spending(self) -> Spending:
        used = self.totals
        return Spending(self.turns, used.seconds, used.usage.total, used.cost, self.errors, used.game_minutes)

    @property
    def goal_text(self) -> str:
        """Return all goals in words."""
        return "; ".join(goal.text for goal in self.goals)

    def pursues(self, goals: Sequence[Goal]) -> bool:
        """Tell whether the agent still has these goals: none was replaced, though others may have been added."""
        return self.goals[: len(goals)] == tuple(goals)

    def begin(self, goals: Iterable[Goal], deeds: Mapping[str, int]) -> tuple[Goal, ...]:
        """Return goals that begin now, when a world has counted `deeds`. Those that the agent has began before."""
        old = {goal.text: goal for goal in self.goals}
        return tuple(old.get(goal.text) or goal.from_now(deeds, turn=self.turns) for goal in goals)

    def feedback_since(self, heard: int) -> bool:
        """Tell whether feedback that came after the event `heard` waits for an answer."""
        return any(event.seq > heard for event in self.pending_feedback)

    @property
    def repeated(self) -> int:
        """Return how often the last command had this same result since anything else changed, 0 without a result."""
        return next(reversed(self.repeats.values()), 0) if self.turn.result is not None else 0

    @property
    def has_feedback(self) -> bool:
        """Tell whether there was feedback since the last answer."""
        return bool(self.pending_feedback or (self.turn.decision and self.turn.decision.feedback))

    @property
    def remaining_memories(self) -> list[MemoryRow]:
        """Return `recalled` without the plans that were replayed or refused since."""
        return [row for row in self.recalled if row.id not in self.tried]

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
        fold = _fold_of(type(event))
        if fold is not None:
            fold(self, event)

    def _reply(self, event: Reply) -> None:
        self.turn.reply = event
        if not event.doubt:
            self.invalid_in_a_row = 0
        self._count_stage(event.stage)

    def _invalid(self, event: InvalidReply) -> None:
        self.turn.invalid = event
        self.invalid_in_a_row += 1
        self._count_stage("invalid")
        self._error()

    def _count_stage(self, stage: str) -> None:
        self.stages[stage] = self.stages.get(stage, 0) + 1

    def _intent(self, event: Intent) -> None:
        self.open_intents[event.seq] = event
        self._try(event.command, event.args)
        if event.agent == self.agent:
            self.turn.intent = event

    def _feedback(self, event: Feedback) -> None:
        self.pending_feedback.append(event)

    def _aim(self, event: Aim) -> None:
        self.goals = event.goals

    def _recalled(self, event: Recalled) -> None:
        self.recalled = event.recalled

    def _message(self, event: Message) -> None:
        """Go on: a helper that had replied or was stuck gets a message."""
        self._reopen()
        self.repeats.clear()
        self.invalid_in_a_row = 0

    def _end(self, event: End) -> None:
        self.end = event

    def _helper(self, event: Event) -> None:
        """Fold in an event of a helper or program: its costs, its time and its open effects count for the run."""
        match event:
            case Answer():
                self.totals.seconds += event.seconds
                self._spend(event)
            case Expense():
                self._spend(event)
            case Decision():
                self.judged += event.by == JUDGE
            case Intent():
                self.open_intents[event.seq] = event
            case Result():
                self._close_intent(event)
            case Rewind():
                self._rewind(event)

    def _rewind(self, event: Rewind) -> None:
        self.world = event.world

    def _goals(self, event: Goals) -> None:
        self.goals = event.goals
        self._reopen()
        if event.options is not None:
            self.world = event.world
            self.continuous = event.continuous

    def _permission(self, event: Permission) -> None:
        if event.session and self.turn.result is not None and self.turn.result.end == "claimed":
            self._reopen()  # a resume goes on with what nobody has judged
        if event.budget is not None:
            self.budget, self.programs = event.budget, event.programs
        self.continuous = self.continuous if event.continuous is None else event.continuous
        self.looks = self.looks if event.looks is None else event.looks
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
        self.programs = event.programs and self.budget > 0
        self.judged += event.by == JUDGE
        if event.doubted:
            unusable = event.kind == "refuse" and event.by in (JUDGE, NOBODY)
            self.invalid_in_a_row = self.invalid_in_a_row + 1 if unusable else 0
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
            put_newest(self.tried, str(args.get("id"))[:LONGEST_ID], 1)

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
        key = key_of(command, args, outcome)
        before = self.repeats.get(key, 0)
        if news and not before:
            self.repeats.clear()
        put_newest(self.repeats, key, before + 1)

    def _reopen(self) -> None:
        """Forget an accepted end, because the goals are new or a change was undone."""
        if self.turn.result is not None and self.turn.result.end:
            self.turn = Turn()

    def _error(self) -> None:
        """Count an error. It ends the permission of a ``y -N``."""
        self.errors += 1
        self.budget = 0

    def pay(self, event: Event) -> None:
        """Count what another bot of the run has paid: its tokens and dollars are the run's too."""
        if isinstance(event, Answer | Expense):
            self._spend(event)

    def narrow(self, event: Permission) -> None:
        """Fold in what ends permissions. It never gives any."""
        if event.budget == 0:
            self.budget = 0
        if event.forget:
            self.allowed.clear()


_FOLDS: Mapping[type[Event], Callable[[State, Any], None]] = {
    Answer: State._answer,
    Reply: State._reply,
    InvalidReply: State._invalid,
    Decision: State._decision,
    Intent: State._intent,
    Result: State._result,
    Rewind: State._rewind,
    Feedback: State._feedback,
    Goals: State._goals,
    Aim: State._aim,
    Permission: State._permission,
    Recalled: State._recalled,
    Expense: State._spend,
    Message: State._message,
    End: State._end,
}
"""Class of an event of the agent -> what it changes. It holds for subclasses too."""


@cache
def _fold_of(kind: type[Event]) -> Callable[[State, Any], None] | None:
    return next((_FOLDS[each] for each in kind.__mro__ if each in _FOLDS), None)
