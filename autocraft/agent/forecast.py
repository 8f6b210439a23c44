"""What a run would cost: an estimate before the first call, marked as an estimate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from autocraft.agent.thinker import Thinker
from autocraft.agent.transcript import USUAL_WINDOW
from autocraft.brains.priced import sent_tokens
from autocraft.protocols import Message
from autocraft.usage import PRICES_DATE, Usage

ANSWER_TOKENS = 250
"""Tokens of an answer, judged by the example in the prompt."""
RESULT_TOKENS = 80
STEPS = 20
"""Steps of a run without --max-steps whose goal the planner cannot count."""


@dataclass(frozen=True)
class Forecast:
    """Tokens and dollars of a whole run. `cost` is None if the price is unknown; `why` names the source of `steps`."""

    steps: int
    why: str
    first: int
    usage: Usage
    cost: float | None
    free: bool

    def lines(self) -> list[str]:
        """Return lines for the person."""
        if self.free:
            return [f"About {self.steps} steps ({self.why}). This brain costs nothing."]
        money = (
            "at an unknown price: give --price-in and --price-out" if self.cost is None else f"about ${self.cost:.4f}"
        )
        return [
            f"About {self.steps} steps ({self.why}); the first prompt has about {self.first} tokens.",
            f"About {self.usage.prompt_tokens} tokens sent and {self.usage.completion_tokens} received, {money}.",
            f"An estimate: bytes / 3.5 for tokens, prices of {PRICES_DATE} unless you gave your own.",
        ]


async def forecast(thinker: Thinker, messages: Sequence[Message]) -> Forecast:
    """Estimate the run that begins with this prompt. The history grows with each step until the window is full."""
    first = sent_tokens(messages)
    steps, why = await _steps(thinker)
    settings = thinker.spec.prompter.settings
    most = max(first, (settings.window or USUAL_WINDOW) - thinker.room)
    prompt_tokens = sum(min(most, first + step * (ANSWER_TOKENS + RESULT_TOKENS)) for step in range(steps))
    usage = Usage(prompt_tokens, steps * ANSWER_TOKENS, estimated=True)
    cost = thinker.model.priced.cost(thinker.spec.answering.role, usage)
    return Forecast(steps, why, first, usage, cost, not thinker.brain.metered)


async def _steps(thinker: Thinker) -> tuple[int, str]:
    limit = thinker.spec.limits.max_steps
    goals = thinker.state.goals
    steps, why = STEPS, "a guess"
    if goals and all(goal.checkable for goal in goals):
        plan = await thinker.spec.world.plan(goals, low_level=getattr(thinker.brain, "low_level", False))
        if plan.verdict != "not found":
            steps, why = len(plan.steps) + 1, "the planner's, if the model plays as well"
    return (limit, "--max-steps") if limit is not None and limit < steps else (steps, why)
