"""The effects of a program: the policy, then its grant, then the person; then intent and result, as for every command.

A program's effects have an agent of their own, so that neither the turn of the main agent nor a ``y -N`` of its budget
is touched by them.
"""

from __future__ import annotations

from autocraft.agent.context import RunContext
from autocraft.agent.gate import Gate
from autocraft.agent.state import State
from autocraft.protocols import END_OF_INPUT, PROGRAM, Call, Decision, Json, Result
from autocraft.sandbox.program import Refused, Stopped


class ProgramEffects:
    """Decides about the effects of one program and carries them out; used as ``with ProgramEffects(run) as effects``.

    What the person says in words is for the main agent; ``a`` and ``y -N`` hold for this program.
    """

    def __init__(self, run: RunContext) -> None:
        self.run = run
        self.gate = Gate(run, State(agent=PROGRAM), run.registry)

    def __enter__(self) -> ProgramEffects:
        self.run.journal.listeners.append(self._hear)
        return self

    def __exit__(self, *failed: object) -> None:
        self.run.journal.listeners.remove(self._hear)

    def _hear(self, event: Json) -> None:
        """Its own events, and what ends permissions, as /stop does."""
        if event["agent"] == "main" and event["type"] == "note":
            self.gate.state.narrow(event)
        self.gate.state.apply(event)

    @property
    def asked(self) -> float:
        """Seconds that the person was asked for."""
        return self.gate.asked

    async def act(self, call: Call, beyond: str) -> Result:
        """Decide and carry out. Raises Refused, and Stopped where the person ended the program."""
        decision, result = await self.gate.carry_out(call, self.run.execute, beyond=beyond)
        if result is not None:
            return result
        if decision.feedback:
            self.run.journal.append("feedback", text=decision.feedback)
        if decision.kind == "stop" and decision.why != END_OF_INPUT:
            raise Stopped(f"the person stopped the program at {call.name}")
        raise Refused(_refusal(call, decision))


def _refusal(call: Call, decision: Decision) -> str:
    """Why an effect was refused, for the program and the model."""
    if decision.kind == "stop":
        return f"{call.name} was refused: its program's approval does not cover it, and nobody is there to be asked"
    why = decision.feedback or decision.why or "the person did not allow it"
    return f"{call.name} was refused: {why}"
