"""The gate: who decides whether a command runs.

A standing permission (continuous mode, a name allowed for good, a ``y -N`` budget, --auto-look, a question to the
person themselves) or else the person, through the Approver. What was approved is the very object that runs.
Neighbours: `console/` implements the Approver, `state.py` holds budgets and grants, `loop.py` asks.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from autocraft.commands.registry import Registry
from autocraft.errors import InvalidCommand
from autocraft.journal import Journal
from autocraft.protocols import Approver, Call, Decision, Proposal, Risk
from autocraft.settings import setting
from autocraft.state import State


@dataclass(frozen=True)
class GateSettings:
    """What may run without a question."""

    continuous: bool = setting(False, doc="run every command without asking")
    auto_look: bool = setting(False, doc="run commands that only read without asking")


class Gate:
    """Decides about one call at a time and journals question and decision."""

    def __init__(
        self,
        approver: Approver,
        state: State,
        journal: Journal,
        settings: GateSettings,
        registry: Registry,
    ) -> None:
        self.approver = approver
        self.registry = registry
        self.state = state
        self.journal = journal
        self.settings = settings

    async def decide(self, call: Call) -> Decision:
        """Run, refuse or stop. Feedback that was typed while the model was thinking refuses the command."""
        await self.approver.attend()
        if self.state.unheard:
            return self._record(Decision("refuse", call, by="feedback", why="your feedback came first"))
        standing = self.standing(call)
        if standing:
            return self._record(Decision("run", call, by=standing), self.registry.preview(call))
        return self._record(await self._ask(Proposal(call, self._why(call))))

    async def ask_way_on(self, why: str) -> Decision:
        """Ask how to go on where there is no command to authorise, as after a pause."""
        decision = await self._ask(Proposal(None, why))
        if decision.feedback:
            self.journal.append("feedback", text=decision.feedback)  # also refuses a command that still waits
        return self._record(replace(decision, feedback=""))

    def recorded(self, call: Call) -> Decision | None:
        """The decision about this turn's `call` when the journal already holds it, as after a kill."""
        event = self.state.turn.decision
        if event is None:
            return None
        try:
            approved = call if event["args"] == call.args else self.registry.bind(event["command"], event["args"])
        except InvalidCommand:  # this run offers other commands than the one that approved it
            return None
        if event["kind"] == "run" and approved.risk > event["risk"]:  # the world has changed since
            return None
        return Decision(event["kind"], approved, by=event["by"])

    def standing(self, call: Call) -> str:
        """The permission that covers this call, or an empty string."""
        state = self.state
        if state.continuous:
            return "continuous"
        if call.command.asks:
            return "question"
        if call.name in state.allowed and call.risk <= state.allowed[call.name]:
            return "allowed"
        if state.budget > 0 and call.risk < Risk.DESTROY:
            return "budget"
        if self.settings.auto_look and call.risk is Risk.LOOK:
            return "auto-look"
        return ""

    def _why(self, call: Call) -> str:
        if self.state.budget > 0:
            return f"{call.name} can destroy something, which 'y -N' does not cover"
        if call.name in self.state.allowed:
            return f"you allowed {call.name} only where it risks less"
        return ""

    async def _ask(self, proposal: Proposal) -> Decision:
        self.journal.sync()
        return await self.approver.decide(proposal)

    def _record(self, decision: Decision, preview: str = "") -> Decision:
        call = decision.call
        left = decision.turns - 1 if decision.turns else max(0, self.state.budget - (call is not None))
        self.journal.append(
            "decision",
            kind=decision.kind,
            by=decision.by,
            command=call.name if call else None,
            args=call.args if call else None,
            risk=int(call.risk) if call else None,
            left=left,
            always=decision.always,
            feedback=decision.feedback,
            why=decision.why,
            preview=preview,
        )
        return decision
