"""The effects of a program: the policy, then its grant, then the person; then intent and result, as for every command.

A program's effects have an agent of their own, so that neither the turn of the main agent nor a ``y -N`` of its budget
is touched by them.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass

from autocraft.agent.effects import Effects
from autocraft.agent.ending import RunEnded
from autocraft.agent.gate import Gate, GateSettings
from autocraft.agent.policy import Policy
from autocraft.agent.state import State
from autocraft.protocols import END_OF_INPUT, PROGRAM, Approver, Call, Decision, Proposal, Result
from autocraft.sandbox.program import Refused, Stopped
from autocraft.session.events import Event, Feedback, Permission
from autocraft.session.journal import Journal

Waiting = Callable[[], AbstractContextManager[None]]


class ProgramGate(Gate):
    """The gate of one program. `beyond` is why the call that is decided is not covered by the grant; empty where it
    is. What the person says in words is for the main agent; ``a`` and ``y -N`` hold for this program."""

    main: State
    waiting: Waiting
    beyond: str = ""
    asked: float = 0.0
    """Seconds that the person was asked for."""

    def unheard(self) -> bool:
        return bool(self.beyond and self.main.unheard)

    def standing(self, call: Call) -> str:
        if not self.beyond:
            return "grant"
        return "continuous" if self.main.continuous else super().standing(call)

    def _why(self, call: Call) -> str:
        return self.beyond

    async def _ask(self, proposal: Proposal) -> Decision:
        began = time.monotonic()
        try:
            with self.waiting():
                return await super()._ask(proposal)
        finally:
            self.asked += time.monotonic() - began


@dataclass
class Granted:
    """Carries out what programs ask for, one program after another."""

    effects: Callable[[], Effects]
    approver: Callable[[], Approver]
    journal: Journal
    main: State
    gating: GateSettings
    policy: Callable[[], Policy]
    waiting: Waiting
    left: RunEnded | None = None
    """How the person ended the whole run at a program's question."""

    def begin(self) -> OneProgram:
        """What carries out the effects of one program."""
        state = State(agent=PROGRAM)
        gate = ProgramGate(self.approver(), state, self.journal, self.gating, self.effects().registry, self.policy())
        gate.main, gate.waiting = self.main, self.waiting
        return OneProgram(self, gate)


@dataclass
class OneProgram:
    """The effects of one program; used as ``with granted.begin() as program``."""

    granted: Granted
    gate: ProgramGate

    def __enter__(self) -> OneProgram:
        self.granted.journal.listeners.append(self._hear)
        return self

    def __exit__(self, *failed: object) -> None:
        self.granted.journal.listeners.remove(self._hear)

    def _hear(self, event: Event) -> None:
        """Its own events, and what ends permissions, as /stop does."""
        if event.agent == "main" and isinstance(event, Permission):
            self.gate.state.narrow(event)
        self.gate.state.apply(event)

    @property
    def asked(self) -> float:
        """Seconds that the person was asked for."""
        return self.gate.asked

    async def act(self, call: Call, beyond: str) -> Result:
        """Decide and carry out. Raises Refused, and Stopped where the person ended the program."""
        self.gate.beyond = beyond
        try:
            decision, result = await self.gate.carry_out(call, self.granted.effects().act)
        except RunEnded as ended:
            self.granted.left = ended
            raise
        if result is not None:
            return result
        if decision.feedback:
            self.granted.journal.append(Feedback(text=decision.feedback))
        if decision.kind == "stop" and decision.why != END_OF_INPUT:
            raise Stopped(f"the person stopped the program at {call.name}")
        raise Refused(_refusal(call, decision))


def _refusal(call: Call, decision: Decision) -> str:
    """Why an effect was refused, for the program and the model."""
    if decision.kind == "stop":
        return f"{call.name} was refused: its program's approval does not cover it, and nobody is there to be asked"
    why = decision.feedback or decision.why or "the person did not allow it"
    return f"{call.name} was refused: {why}"
