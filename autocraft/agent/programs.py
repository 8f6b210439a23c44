"""The effects of a program: decided by the policy, the grant and the person, and journaled like every command.

The effects have an agent of their own, so they change neither the turn of the main agent nor its ``y -N`` budget.
"""

from __future__ import annotations

from autocraft.agent.context import RunContext
from autocraft.agent.gate import Gate
from autocraft.agent.state import State
from autocraft.protocols import END_OF_INPUT, PROGRAM, Call, Result
from autocraft.sandbox.program import Refused, Stopped
from autocraft.session.events import Event, Feedback, Permission


class ProgramGate(Gate):
    """Decides about the effects of one program and carries them out; used as ``with ProgramGate(run) as gate``.

    Feedback of the person is for the main agent; ``a`` and ``y -N`` hold for this program.
    """

    def __init__(self, run: RunContext) -> None:
        super().__init__(run, State(agent=PROGRAM), run.registry)

    def __enter__(self) -> ProgramGate:
        self.run.journal.listeners.append(self._apply)
        return self

    def __exit__(self, *failed: object) -> None:
        self.run.journal.listeners.remove(self._apply)

    def _apply(self, event: Event) -> None:
        """Fold in the program's own events, and what ends permissions, as /stop does."""
        if event.agent == "main" and isinstance(event, Permission):
            self.state.narrow(event)
        self.state.apply(event)

    async def act(self, call: Call, beyond: str) -> Result:
        """Decide about an effect and carry it out. Raises Refused, or Stopped if the person ended the program."""
        decision, result = await self.carry_out(call, self.run.executor.execute, beyond=beyond)
        if decision.feedback:  # it is for the main agent
            remark = self.run.journal.append(Feedback(text=decision.feedback, alone=True))
            if decision.kind == "run":  # so it refuses none of the effects that come next
                self.heard = remark.seq
        if result is not None:
            return result
        why = decision.feedback or decision.why or "the person did not allow it"
        if decision.kind == "stop":
            if decision.why != END_OF_INPUT:
                raise Stopped(f"the person stopped the program at {call.name}")
            why = "its program's approval does not cover it, and nobody can be asked"
        raise Refused(f"{call.name} was refused: {why}")
