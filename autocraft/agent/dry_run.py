"""What a run would cost and ask, for `autocraft run --dry-run`. Nothing is carried out, and no model is asked."""

from __future__ import annotations

from collections.abc import Sequence

from autocraft.agent.gate import Gate, GateVerdict
from autocraft.agent.thinker import Thinker
from autocraft.agent.transcript import USUAL_WINDOW
from autocraft.errors import InvalidCommand, ScriptEnded
from autocraft.json_fix.reply import wrong_with
from autocraft.protocols import Call, Message
from autocraft.text.phrases import count
from autocraft.usage import BYTES_PER_TOKEN, PRICES_DATE, Usage

ANSWER_TOKENS = 250
"""Tokens of an answer, judged by the example in the prompt."""
RESULT_TOKENS = 80
STEPS = 20
"""Steps of a run without --max-steps whose goal the planner cannot count."""
Planned = tuple[Call, GateVerdict] | str
"""A command and its judgement, or why an answer cannot be used."""
MOST = 1_000
"""The most commands of a script that are judged."""


async def forecast(thinker: Thinker, messages: Sequence[Message]) -> list[str]:
    """Estimate the run that begins with this prompt. The history grows with each step until the window is full.

    Return the estimate as lines for the person.
    """
    first = thinker.model.priced.sent_tokens(messages, thinker.spec.schema)
    steps, why = await _steps(thinker)
    about = f"About {count(steps, 'step')} ({why})"
    if not thinker.brain.metered:
        return [f"{about}. This brain costs nothing."]
    most = max(first, (thinker.spec.prompter.settings.window or USUAL_WINDOW) - thinker.room)
    sent = sum(min(most, first + step * (ANSWER_TOKENS + RESULT_TOKENS)) for step in range(steps))
    usage = Usage(sent, steps * ANSWER_TOKENS, estimated=True)
    cost = thinker.model.priced.cost(thinker.spec.role, usage)
    money = "at an unknown price: give --price-in and --price-out" if cost is None else f"about ${cost:.4f}"
    return [
        f"{about}; the first prompt has about {first} tokens.",
        f"About {usage.prompt_tokens} tokens sent and {usage.completion_tokens} received, {money}.",
        f"An estimate: bytes / {BYTES_PER_TOKEN} for tokens, prices of {PRICES_DATE} unless you gave your own.",
    ]


async def _steps(thinker: Thinker) -> tuple[int, str]:
    limit = thinker.spec.limits.max_steps
    goals = thinker.state.goals
    steps, why = STEPS, "a guess"
    if goals and all(goal.checkable for goal in goals):
        plan = await thinker.run.world.plan(goals, low_level=getattr(thinker.brain, "low_level", False))
        if plan.verdict != "not found":
            steps, why = len(plan.steps), "as many as the planner needs"
    return (limit, "--max-steps") if limit is not None and limit < steps else (steps, why)


async def planned_commands(thinker: Thinker, gate: Gate) -> list[Planned]:
    """Judge the planner's whole plan, or all answers of a script. Return [] for a model, which is not asked.

    Every command is judged in the present state. What an earlier command would change is unknown. Raises BrainError and
    LimitReached as a run would.
    """
    if thinker.brain.metered:
        return []
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
        invalid = thinker.state.turn.invalid
        error = "" if invalid is None else wrong_with(invalid.error, invalid.flags)
        commands.append(error if call is None else (call, gate.judge(call)))
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
    for name, args in steps:
        try:
            call = thinker.spec.registry.bind(name, args)
        except InvalidCommand as error:
            commands.append(str(error))
        else:
            commands.append((call, gate.judge(call)))
    return commands
