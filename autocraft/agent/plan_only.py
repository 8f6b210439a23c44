"""Judge commands without carrying them out, for `autocraft run --plan-only`.

Every command is judged in the present state. What an earlier command would change is unknown.
"""

from __future__ import annotations

from autocraft.agent.gate import Gate, Judgement
from autocraft.agent.thinker import Thinker
from autocraft.errors import InvalidCommand, ScriptEnded
from autocraft.json_fix.reply import wrong_with
from autocraft.protocols import Call
from autocraft.session.events import InvalidReply

Planned = tuple[Call, Judgement] | str
"""A command and its judgement, or why an answer cannot be used."""
MOST = 1_000
"""The most commands of a script that are judged."""


async def rehearse(thinker: Thinker, gate: Gate) -> list[Planned]:
    """Judge the planner's whole plan, all answers of a script, or one answer of a model.

    Raises BrainError and LimitReached as a run would.
    """
    if not thinker.brain.reads_prompt:
        return await _planned_calls(thinker, gate)
    commands: list[Planned] = []
    while len(commands) < MOST:
        try:
            await thinker.think()
        except ScriptEnded:
            if commands:
                break
            raise
        call = await thinker.read()
        reply = thinker.state.turn.reply
        error = wrong_with(reply.error, reply.flags) if isinstance(reply, InvalidReply) else ""
        commands.append(error if call is None else (call, gate.judge(call)))
        if thinker.brain.metered:
            break
    return commands


async def _planned_calls(thinker: Thinker, gate: Gate) -> list[Planned]:
    """Judge the planner's first answer and, if there is a plan, all of its steps."""
    await thinker.think()
    first = await thinker.read()
    low_level = getattr(thinker.brain, "low_level", False)
    plan = await thinker.run.world.plan(thinker.state.goals, low_level=low_level)
    steps = [(step.name, step.args) for step in plan.steps] if plan.verdict == "found" else []
    if first is None or not steps:
        return [(first, gate.judge(first))] if first is not None else []
    commands: list[Planned] = []
    for name, args in [*steps, ("task_complete", {})]:
        try:
            call = thinker.spec.registry.bind(name, args)
        except InvalidCommand as error:
            commands.append(str(error))
        else:
            commands.append((call, gate.judge(call)))
    return commands
