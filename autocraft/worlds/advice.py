"""The line of advice: what the world's planner would do next, written as a model has to answer it.

It ends the world's text wherever a model plays: in `run`, `learn` and `eval`, and for a client of MCP. Only this module
writes it. From each state of a goal that can be reached it brings the goal nearer. From each other state that the
planner can judge, it says why the goal is impossible.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from typing import Protocol, runtime_checkable

from autocraft.errors import AutocraftError, Spell
from autocraft.goals import Goal
from autocraft.protocols import Args, Plan, SharedWorld, World
from autocraft.text.phrases import count

WHOLE_RECIPES = frozenset({"craft_item", "smelt_item"})
"""The commands of the crafting world without which a plan has single moves."""
_MOST_REASON = 200


@runtime_checkable
class AdvisingWorld(Protocol):
    """A world whose own texts end with the planner's line."""

    @property
    def advised(self) -> Collection[str]:
        """Return the lines that its texts had until now."""
        ...


def spell_json(name: str, args: Args) -> str:
    """Return a command as the JSON that a model writes."""
    return json.dumps({"name": name, "args": dict(args)}, ensure_ascii=False)


async def advise(
    world: World, goals: Sequence[Goal], offered: Collection[str], spell: Spell = spell_json, *, feedback: bool = False
) -> str:
    """Return the line for these goals, "" if the world cannot plan for them. See `advice_line`.

    One of several bots gets the line for its share.
    """
    if not goals or not all(goal.checkable for goal in goals):
        return ""
    try:
        if isinstance(world, SharedWorld):
            plan = await world.plan_share(goals)
        else:
            plan = await world.plan(goals, low_level=not WHOLE_RECIPES.issubset(offered))
    except AutocraftError:  # the observation will say so, and the run decides
        return ""
    return advice_line(plan, goals, offered, spell, feedback=feedback)


def advice_line(
    plan: Plan, goals: Sequence[Goal], offered: Collection[str], spell: Spell = spell_json, *, feedback: bool = False
) -> str:
    """Return "Next: `COMMAND` (makes 4 oak_planks; then 2 more steps)".

    `spell` writes a command, and returns "" for one that it cannot write. Return why the goals are impossible, with the
    command that says so, for a proof. Return "" if nothing is known, or if the command is not on offer. `feedback` says
    that the person gave words, which come first.
    """
    if plan.verdict == "not found":
        return ""
    if plan.verdict == "impossible":
        reason = plan.why.replace("`", "'")[:_MOST_REASON]
        line = _next("impossible", {"reason": reason}, offered, spell)
        goal = " and ".join(goal.text for goal in goals)
        return f"Proven impossible: {goal}. {line}" if line else f"Proven impossible: {goal}, since {reason}."
    if not plan.steps:
        line, notes = _next("task_complete", {}, offered, spell), ["all goals are reached"]
    else:
        step, left = plan.steps[0], len(plan.steps) - 1
        after = f"then {count(left, 'more step')}" if left else "the last step"
        line, notes = _next(step.name, step.args, offered, spell), [step.why, after]
    if feedback:
        notes.append("the words of the person come first")
    return f"{line} ({'; '.join(filter(None, notes))})" if line else ""


def _next(name: str, args: Args, offered: Collection[str], spell: Spell) -> str:
    """Return the command in full, "" if it is not on offer, or cannot be written."""
    text = spell(name, args) if name in offered else ""
    return f"Next: `{text}`" if text else ""
