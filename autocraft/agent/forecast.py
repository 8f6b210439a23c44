"""What a run would cost: an estimate before the first call, marked as an estimate."""

from __future__ import annotations

from collections.abc import Sequence

from autocraft.agent.thinker import Thinker
from autocraft.agent.transcript import USUAL_WINDOW
from autocraft.protocols import Message
from autocraft.text.phrases import count
from autocraft.usage import BYTES_PER_TOKEN, PRICES_DATE, Usage

ANSWER_TOKENS = 250
"""Tokens of an answer, judged by the example in the prompt."""
RESULT_TOKENS = 80
STEPS = 20
"""Steps of a run without --max-steps whose goal the planner cannot count."""


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
            steps, why = len(plan.steps) + 1, "as many as the planner needs"
    return (limit, "--max-steps") if limit is not None and limit < steps else (steps, why)
