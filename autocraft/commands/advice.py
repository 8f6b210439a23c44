"""Commands that tell what the world's planner would do, so that a small model can play."""

from __future__ import annotations

import json
from typing import Protocol

from autocraft.commands.run_protocols import HasState, HasWorld
from autocraft.errors import CommandError
from autocraft.goals import Goal
from autocraft.goals.faults import fault_of
from autocraft.protocols import Call, Plan, Risk, command
from autocraft.text.phrases import count as counted

MOST_STEPS = 5
MOST_LINES = 30


class _Run(HasWorld, HasState, Protocol):
    """The world that plans, and the goals of the run."""


class AdviceCommands:
    """The commands that ask the planner. They change nothing, and the agent need not follow their advice."""

    family = "world"

    @command(help="Tell how to get an item, and the first command", risk=Risk.LOOK)
    async def plan_item(self, call: Call, name: str, count: int = 1) -> str:
        run: _Run = call.run
        goal = _goal(f"get {count} {name}", run)
        plan = await _plan(run, (goal,))
        if not plan.steps:
            return f"{goal.text}: it is there already"
        tree = plan.tree[:MOST_LINES]
        steps = f"{counted(len(plan.steps), 'command')}; the first is {_step_lines(plan, 1)[0]}"
        return "\n".join([*tree, *(["…"] if len(plan.tree) > MOST_LINES else []), steps])

    @command(help="Tell the next commands towards this goal, by default towards the goals", risk=Risk.LOOK)
    async def next_steps(self, call: Call, goal: str = "") -> str:
        run: _Run = call.run
        goals = (_goal(goal, run),) if goal else run.state.goals
        if not goals:
            raise CommandError("this run has no goal; give one in the argument goal, such as: craft 1 ladder")
        plan = await _plan(run, goals)
        if not plan.steps:
            return "Everything is there." + ("" if goal else " Use task_complete.")
        rest = len(plan.steps) - MOST_STEPS
        more = [f"and {counted(rest, 'command')} more"] if rest > 0 else []
        return "\n".join([*_step_lines(plan, MOST_STEPS), *more])


async def _plan(run: _Run, goals: tuple[Goal, ...]) -> Plan:
    """Return a plan for these goals. Raises CommandError if the world finds none."""
    plan = await run.world.plan(goals)
    if plan.verdict != "found":
        raise CommandError(f"no way is known: {plan.why}" if plan.verdict == "not found" else f"impossible: {plan.why}")
    return plan


def _goal(text: str, run: _Run) -> Goal:
    """Parse a goal that begins now. Raises CommandError if the planner cannot read it."""
    goal = Goal.parse(text, run.world.items).from_now(run.world.deeds)
    if not goal.checkable:
        raise CommandError(fault_of(text, run.world.items)[0])
    return goal


def _step_lines(plan: Plan, most: int) -> list[str]:
    """Return the first steps as the JSON that a model would write, each with its reason."""
    steps = plan.steps[:most]
    return [f"{json.dumps({'name': step.name, 'args': step.args})} - {step.why}".removesuffix(" - ") for step in steps]
