"""The gate decides whether a command runs.

The policy comes first. Then come the standing permissions: continuous mode, a name allowed for good, a ``y -N``
budget, --auto-look, a question to the person. Otherwise the Approver asks the person. No rule and no permission covers
a change of a file that other programs obey (`commands/obeyed_names.py`), nor a command beside words that leave open
whether it is to be run: the person is asked, or a model where nobody can be asked. The approved object is the one that
runs. If anything that it was shown with has changed, the person is asked again.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import replace
from functools import partial
from typing import Literal, NamedTuple

from autocraft.agent.context import RunContext
from autocraft.agent.ending import RunEnded
from autocraft.agent.policy import Rule
from autocraft.agent.state import State
from autocraft.agent.threads import run_in_thread
from autocraft.commands.registry import Registry
from autocraft.errors import ApprovalStale, InvalidCommand, UnreadableReply
from autocraft.goals import Goal
from autocraft.protocols import (
    EARLIER_GOALS,
    JUDGE,
    NOBODY,
    PERSON,
    Args,
    Call,
    Decision,
    Json,
    Proposal,
    Result,
    Risk,
)
from autocraft.session import events
from autocraft.text.phrases import LOSS

_DOUBT = "words stand beside it in the answer, so no permission and no rule covers it: look whether it is meant"
_NOBODY_TO_ASK = "words stand beside it in the answer, and nobody can be asked whether it is meant"
Judge = Callable[[Call], Awaitable[bool]]
"""Asks a model whether an answer means its command. Raises UnreadableReply if no model can be asked."""


class GateVerdict(NamedTuple):
    """What would happen to a call now. `by` is the permission, ``policy``, or empty if the person is asked.

    ``judge``: a model is asked whether the answer means the command, since nobody else can be.
    """

    then: Literal["run", "ask", "judge", "refuse"]
    by: str = ""
    why: str = ""
    rule: Rule | None = None


class Gate:
    """Decides about the calls of one agent, one at a time, and journals question and decision.

    Commands in `free` run without a question or a rule. For a call of a program, `beyond` says why the approval of
    the program does not cover it; it is empty if the approval covers it.
    """

    def __init__(
        self,
        run: RunContext,
        state: State,
        registry: Registry,
        free: Collection[str] = (),
        ask_model: Judge | None = None,
    ) -> None:
        self.run = run
        self.ask_model = ask_model
        self.state = state
        self.registry = registry
        self.free = free
        self.heard = 0
        """Sequence number of an event. Only feedback that came after it refuses the command."""
        self.question_seconds = 0.0
        """Seconds that questions to the person took."""

    async def carry_out(
        self,
        call: Call,
        execute: Callable[[Call], Awaitable[Result]],
        *,
        resumed: bool = False,
        beyond: str | None = None,
    ) -> tuple[Decision, Result | None]:
        """Decide about `call` and carry it out with `execute`. Ask again if it would not run as it was shown.

        With `resumed`, take the person's decision from the journal if it has one and no feedback came since, as after a
        kill. The result is None if the decision is not to run the call.
        """
        decision = await self._recorded_decision(call) if resumed and not self._has_feedback(beyond) else None
        change = ""
        while True:
            decision = decision or await self.decide(call, change, beyond)
            if decision.kind != "run" or decision.call is None:
                return decision, None
            try:
                return decision, await execute(decision.call)
            except ApprovalStale as error:
                call, decision, change = decision.call, None, str(error)

    async def decide(self, call: Call, change: str = "", beyond: str | None = None) -> Decision:
        """Return the decision to run, refuse or stop. Feedback typed while the model was thinking refuses the command.

        `change` says why an approved command needs another question; no permission covers it then. Raises RunEnded
        if the person ends the whole run, as with /quit.
        """
        if call.name in self.free and not call.doubt:
            return self._record(Decision("run", call, by=call.name))
        try:
            return await self._decide(call, change, beyond)
        except RunEnded as ended:
            self.run.stop_cause = ended
            raise

    async def _decide(self, call: Call, change: str, beyond: str | None) -> Decision:
        if refusal := await self._attend(call, beyond):
            return self._record(refusal)
        judgement, preview = await run_in_thread(self.judge, call, beyond), ""
        if judgement.then == "run" and not change:
            preview = await run_in_thread(self.registry.preview, call)
            if refusal := await self._attend(call, beyond):  # lines typed during the preview come first
                return self._record(refusal)
            judgement = await run_in_thread(self.judge, call, beyond)
        if judgement.then == "judge":
            return self._record(await self._ask_model(call), rule=judgement.rule)
        if judgement.then == "refuse":
            return self._record(Decision("refuse", call, by=judgement.by, why=judgement.why), rule=judgement.rule)
        if judgement.then == "run" and not change:
            return self._record(Decision("run", call, by=judgement.by), preview, judgement.rule)
        decision = await self._ask(Proposal(call, change or judgement.why, heard=self.heard))
        if decision.kind == "run" and decision.call is not None:  # the person edited it, or its risk changed
            rule = await run_in_thread(self.run.policy.first, decision.call)
            if rule is not None and rule.then == "deny":
                decision = Decision("refuse", decision.call, by="policy", why=rule.reason)
                return self._record(decision, rule=rule, proposed=call.args)
        return self._record(decision, rule=judgement.rule, proposed=call.args)

    async def _attend(self, call: Call, beyond: str | None) -> Decision | None:
        """Take in what the person typed meanwhile. Return the refusal that it means. Return None if it means none."""
        goals = self.run.state.goals
        await self.run.approver.attend()
        if self._has_feedback(beyond):
            return Decision("refuse", call, by="feedback", why="your feedback came first")
        if call.agent == "main" and not self.run.state.pursues(goals):
            return Decision("refuse", call, by="goal", why=EARLIER_GOALS)
        return None

    def _has_feedback(self, beyond: str | None) -> bool:
        """Tell whether there is feedback that the main agent has not received yet.

        It does not stop a call that the approval of a program covers.
        """
        return beyond != "" and self.run.state.feedback_since(self.heard)

    async def _ask_model(self, call: Call) -> Decision:
        """Let a model decide whether the answer means its command. A decision of before a kill stays."""
        event = self.state.turn.decision
        if event is not None and (event.by, event.kind, event.command, event.args) == (
            JUDGE,
            "run",
            call.name,
            call.args,
        ):
            return Decision("run", call, by=JUDGE, why=event.why)
        if self.ask_model is None:
            return Decision("refuse", call, by=NOBODY, why=_NOBODY_TO_ASK)
        try:
            meant = await self.ask_model(call)
        except UnreadableReply as error:
            return Decision("refuse", call, by=NOBODY, why=str(error))
        if meant:
            return Decision("run", call, by=JUDGE, why="a model was asked, and found that the answer means it")
        return Decision("refuse", call, by=JUDGE, why="a model was asked, and did not find that the answer means it")

    def judge(self, call: Call, beyond: str | None = None) -> GateVerdict:
        """Judge a call by the policy and the standing permissions, without a question to the person."""
        verdict = self._covered(call, beyond)
        if not call.doubt or verdict.then == "refuse":
            return verdict
        if self.run.approver.attended:
            return verdict._replace(then="ask", by="", why=_DOUBT if verdict.then == "run" else verdict.why or _DOUBT)
        if verdict.then == "ask":
            return verdict
        if call.risk is Risk.DESTROY:
            return GateVerdict("refuse", NOBODY, f"{_NOBODY_TO_ASK}; a model may not decide, because it {_can(call)}")
        return verdict._replace(then="judge")

    def _covered(self, call: Call, beyond: str | None) -> GateVerdict:
        """Judge a call as if its answer showed beyond doubt that it is meant."""
        rule = self.run.policy.first(call)
        if call.obeyed and (rule is None or rule.then != "deny"):
            if self.run.approver.attended:
                return GateVerdict(
                    "ask", "", "no permission and no rule covers this: it needs a question of its own", rule
                )
            return GateVerdict("refuse", NOBODY, f"it {call.warning}, and nobody can be asked about that")
        if rule is not None:
            match rule.then:
                case "deny":
                    return GateVerdict("refuse", "policy", rule.reason, rule)
                case "allow":
                    return GateVerdict("run", "policy", rule.reason, rule)
                case "ask" if self.run.approver.attended:
                    return GateVerdict("ask", "", rule.reason, rule)
            return GateVerdict("refuse", "policy", f"{rule.reason}, and nobody can be asked", rule)
        standing = "grant" if beyond == "" else self.standing(call)
        return GateVerdict("run", standing) if standing else GateVerdict("ask", "", beyond or self._why(call))

    async def ask_way_on(self, why: str, *, alone: bool) -> Decision:
        """Ask the person how to go on when no command waits, as after a pause. Return the decision.

        `alone` says that the question is about this bot, so that the person's words are for no other.
        """
        decision = await self._ask(Proposal(None, why))
        if decision.feedback:  # it also refuses a command that still waits
            self.run.journal.append(events.Feedback(text=decision.feedback, alone=alone))
        return self._record(decision._replace(feedback=""))

    async def _recorded_decision(self, call: Call) -> Decision | None:
        """Return the person's journaled approval of this turn's `call`. Return None if the gate must decide again.

        What a rule or a standing permission allowed is decided again, since it may have ended.
        """
        event = self.state.turn.decision
        if event is None or event.kind != "run" or event.by not in PERSON or not event.command or event.args is None:
            return None
        try:
            approved = await run_in_thread(partial(self.registry.bind, event.command, event.args, agent=call.agent))
        except InvalidCommand:  # the commands of this run differ from those of the run that approved it
            return None
        if not await run_in_thread(self._still_approved, approved, event):
            return None
        return Decision("run", replace(approved, fingerprint=event.fingerprint), by=event.by)

    def _still_approved(self, approved: Call, event: events.Decision) -> bool:
        """Tell whether a recorded approval holds: no higher risk, the same files as shown, and no rule against it."""
        same = self.registry.fingerprint(approved) == event.fingerprint
        return same and approved.risk <= (event.risk or Risk.LOOK) and not self.run.policy.denial(approved)

    def standing(self, call: Call) -> str:
        """Return the permission that covers this call, or an empty string."""
        state = self.state
        if self.run.state.continuous:
            return "continuous"
        if call.command.asks:
            return "question"
        if call.name in state.allowed and call.risk <= state.allowed[call.name]:
            return "allowed"
        if state.budget > 0 and (call.risk < Risk.DESTROY or (state.programs and call.command.family == "programs")):
            return "budget"
        if self.run.looks_freely and call.risk is Risk.LOOK:
            return "auto-look"
        return ""

    def _why(self, call: Call) -> str:
        if self.state.budget > 0:
            way = "; 'y -N programs' does" if call.command.family == "programs" else ""
            return f"{call.name} {call.warning}, which 'y -N' does not cover{way}"
        if call.name in self.state.allowed:
            return f"you allowed {call.name} only at a lower risk"
        return ""

    async def _ask(self, proposal: Proposal) -> Decision:
        self.run.journal.sync()
        began = time.monotonic()
        try:
            with self.run.clock.pause():
                return await self.run.approver.decide(proposal)
        finally:
            self.question_seconds += time.monotonic() - began

    def _record(
        self, decision: Decision, preview: str = "", rule: Rule | None = None, proposed: Args | None = None
    ) -> Decision:
        """Journal the decision, its rule, and the person's edits of the `proposed` arguments. Return the decision."""
        call = decision.call
        remaining = decision.turns - 1 if decision.turns else max(0, self.state.budget - (call is not None))
        programs = decision.programs if decision.turns else self.state.programs
        doubted = bool(call is not None and call.doubt)
        event = events.Decision(
            agent=self.state.agent,
            kind=decision.kind,
            by=decision.by,
            command=call.name if call else None,
            args=call.args if call else None,
            risk=call.risk if call else None,
            left=remaining,
            programs=programs and remaining > 0 and decision.kind == "run",
            always=decision.always,
            feedback=decision.feedback,
            why=decision.why,
            preview=preview,
            warning=call.warning if call else "",
            fingerprint=call.fingerprint if call else "",
            rule=None if rule is None else {"number": rule.number, "text": rule.text},
            doubted=doubted,
            edited=_edits(proposed, call.args) if call and proposed is not None else {},
        )
        self.run.journal.append(event)
        return decision


def _can(call: Call) -> str:
    return call.warning or LOSS


def _edits(proposed: Args, approved: Args) -> Json:
    """Return argument -> [proposed value, value after the person's edit]."""
    pairs = {name: [proposed.get(name), approved.get(name)] for name in {**proposed, **approved}}
    return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}


def resume_with_goals(run: RunContext, goals: Sequence[Goal]) -> None:
    """Journal the goals that a resume gives. Other goals go first: what was proposed for the old ones is refused.

    A goal that the run has already began when it was given first.
    """
    if not goals:
        return
    goals = run.state.begin(goals, run.world.deeds)
    other, turn = goals != run.state.goals, run.state.turn
    run.journal.append(events.Goals(goals=goals))
    if not other or turn.done or turn.intent is not None:
        return
    if turn.answer is not None and turn.reply is None and turn.invalid is None:
        run.journal.append(events.InvalidReply(error="it was given for the earlier goals", flags=["earlier goals"]))
    elif turn.reply is not None:
        command = run.registry.find(turn.reply.command)
        refusal = events.Decision(
            kind="refuse",
            by="goal",
            command=turn.reply.command,
            args=turn.reply.args,
            risk=command.risk if command and isinstance(command.risk, Risk) else Risk.DESTROY,
            why=EARLIER_GOALS,
        )
        run.journal.append(refusal)
