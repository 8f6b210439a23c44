"""What would be asked, allowed and denied, with nothing carried out: for `autocraft run --plan-only`.

Every command is judged as things stand now; what an earlier one would have changed is not known.
"""

from __future__ import annotations

from dataclasses import dataclass

from autocraft.agent.gate import Gate, Judgement
from autocraft.agent.thinker import Thinker
from autocraft.errors import InvalidCommand, ScriptEnded
from autocraft.json_fix.reply import wrong_with
from autocraft.protocols import Call
from autocraft.session.events import InvalidReply

MOST = 1_000
"""Commands of a script that are judged."""


@dataclass(frozen=True)
class Foreseen:
    """One command and what would become of it; `call` is None for an answer that could not be used, `error` is why."""

    call: Call | None
    judged: Judgement | None = None
    error: str = ""


async def rehearse(thinker: Thinker, gate: Gate) -> list[Foreseen]:
    """The planner's whole plan, all answers of a script, or the next command of a model, which is asked once.

    Raises BrainError and LimitReached as a run would.
    """
    if not thinker.brain.reads_prompt:
        return await _planned(thinker, gate)
    found: list[Foreseen] = []
    while len(found) < MOST:
        try:
            await thinker.think()
        except ScriptEnded:
            if found:
                break
            raise
        call = await thinker.read()
        reply = thinker.state.turn.reply
        error = wrong_with(reply.error, reply.flags) if isinstance(reply, InvalidReply) else ""
        found.append(Foreseen(call, gate.judge(call)) if call is not None else Foreseen(None, error=error))
        if thinker.brain.metered:
            break
    return found


async def _planned(thinker: Thinker, gate: Gate) -> list[Foreseen]:
    """The planner's first answer says whether there is a plan; the rest of it is known too."""
    await thinker.think()
    first = await thinker.read()
    plan = await thinker.spec.world.plan(thinker.state.goals)
    steps = [(step.name, step.args) for step in plan.steps] if plan.verdict == "found" else []
    if first is None or not steps:
        return [Foreseen(first, gate.judge(first))] if first is not None else []
    found = []
    for name, args in [*steps, ("task_complete", {})]:
        try:
            call = thinker.spec.registry.bind(name, args)
        except InvalidCommand as error:
            found.append(Foreseen(None, error=str(error)))
        else:
            found.append(Foreseen(call, gate.judge(call)))
    return found
