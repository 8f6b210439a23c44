"""The built-in brain: it lets the world plan, and answers with the JSON text that a model would write.

It needs no key and no server. Each turn it asks the world for a plan from its present state, so it has no state of its
own, and a person's `/do` or `/undo` does not confuse it. If memory holds a plan that fits, it replays that as one
command.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from autocraft.errors import BrainError
from autocraft.goals import Goal
from autocraft.protocols import Answer, Json, Message, Plan, SharedWorld, World
from autocraft.session.events import MemoryRow
from autocraft.usage import Usage

if TYPE_CHECKING:
    from autocraft.brains.choose import BrainOptions


class Progress(Protocol):
    """The state of the run. The person may change the goals at any time."""

    @property
    def goals(self) -> Sequence[Goal]: ...

    @property
    def remaining_memories(self) -> Sequence[MemoryRow]:
        """Return what memory gave last, as the journal has it."""
        ...


class PlannerBrain:
    """Answers with the next step of the shortest plan.

    With `low_level` these are single moves and smelts, as few as it can find, instead of whole recipes.
    """

    name = "planner"
    reads_prompt = False
    metered = False
    asks_model = False

    def __init__(self, world: World, progress: Progress, low_level: bool = False) -> None:
        self.world = world
        self.progress = progress
        self.low_level = low_level

    @classmethod
    def for_run(cls, options: BrainOptions) -> PlannerBrain:
        """Return the brain of a run. It needs no answers of before."""
        return cls(options.world, options.state, options.choice.options.low_level)

    async def think(self, messages: Sequence[Message], **options: object) -> Answer:
        """Return the next command of the shortest known plan. Raises BrainError if there is no plan."""
        free = [goal.text for goal in self.progress.goals if not goal.checkable]
        if free:
            raise BrainError(
                f"the built-in planner does not understand the goal {free[0]!r}: say it like 'craft 2 stick', "
                "or set OPENAI_API_KEY or OPENAI_BASE_URL to use a model"
            )
        if isinstance(self.world, SharedWorld):
            plan = await self.world.plan_share(self.progress.goals)
        else:
            plan = await self.world.plan(self.progress.goals, low_level=self.low_level)
        old = self._worked_before(plan)
        if old is not None:
            return Answer(json.dumps(_replay(old), ensure_ascii=False), usage=Usage())
        if plan.verdict == "not found":
            raise BrainError(f"the built-in planner found no plan: {plan.why}; try a model with --brain openai")
        answer = _answer(plan, self.progress.goals, plan.why if self.low_level else "")
        return Answer(json.dumps(answer, ensure_ascii=False), usage=Usage())

    def _worked_before(self, plan: Plan) -> MemoryRow | None:
        """Return the first plan in memory of 2 to `len(plan.steps)` steps, or of any length if `plan` was not found."""
        for row in self.progress.remaining_memories:
            if row.steps and (plan.verdict == "not found" or 1 < row.steps <= len(plan.steps)):
                return row
        return None

    async def close(self) -> None:
        return


def _replay(row: MemoryRow) -> Json:
    return {
        "thoughts": {
            "text": f"A plan of {row.steps} commands worked for this goal before, and what it needs is there.",
            "reasoning": row.text,
            "plan": ["replay it"],
            "criticism": "",
            "speak": "",
        },
        "command": {"name": "replay_plan", "args": {"id": row.id}},
    }


def _answer(plan: Plan, goals: Sequence[Goal], fewest: str) -> Json:
    """Return the answer as a model would write it. `fewest` says whether the remaining steps are proven to be the
    fewest."""
    steps = [f"{step.name} {', '.join(str(value) for value in step.args.values())}" for step in plan.steps]
    goal_text = " and ".join(goal.text for goal in goals)
    if plan.verdict == "impossible":
        text, command = f"This cannot be done: {plan.why}", {"name": "impossible", "args": {"reason": plan.why}}
    elif not plan.steps:
        text, command = "Everything is there.", {"name": "task_complete", "args": {"reason": f"{goal_text}: done"}}
    else:
        first = plan.steps[0]
        text = f"{len(steps)} steps are left" if len(steps) > 1 else "One step is left"
        text += f", {fewest}." if fewest else "."
        command = {"name": first.name, "args": first.args}
    return {
        "thoughts": {
            "text": text,
            "reasoning": plan.steps[0].why if plan.steps else plan.why,
            "plan": steps,
            "criticism": "",
            "speak": "",
        },
        "command": command,
    }
