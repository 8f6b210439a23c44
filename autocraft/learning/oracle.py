"""The oracle: a brain that knows the recipes and the planner, and writes its plans as programs.

It proves that the parts of learning work together. It learns nothing, so its figures are no model's.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Protocol, runtime_checkable

from autocraft.errors import BrainError
from autocraft.learning.brains import LocalBrain
from autocraft.learning.progress import Progress
from autocraft.learning.writing import answer_of, emptying, function, function_name, hunt, placed, search
from autocraft.protocols import Step, World

VERBS = {"craft_item": "craft", "smelt_item": "smelt", "mine_block": "mine", "kill_mob": "kill"}
"""Command of a plan -> the first word of a skill that ends with it."""
TOOLS = ("wooden_pickaxe", "stone_pickaxe", "iron_pickaxe", "diamond_pickaxe")
"""What is proposed first, since so much else needs it."""


@runtime_checkable
class PricedWorld(World, Protocol):
    """A world that can say what items cost."""

    async def prices(self) -> Mapping[str, float]:
        """Return what each item costs that can be had from here."""
        ...


class OracleBrain(LocalBrain):
    """Proposes the cheapest item that was never held, and writes the plan for it as a program."""

    name = "oracle"

    async def answer(self, role: str) -> str:
        """Return the cheapest new item as a task, or the plan as a program."""
        return await (self._task() if role == "curriculum" else self._program(self._progress))

    async def _task(self) -> str:
        if not isinstance(self._world, PricedWorld):
            raise BrainError(f"the oracle knows no prices in the world {self._world.name}")
        prices, held = await self._world.prices(), (await self._world.observe()).inventory
        tried = {item for text in self._progress.failed for item in self._world.items if f" {item}" in f"{text} "}
        known = self._progress.milestones.keys() | held.keys() | tried
        new = {name: price for name, price in prices.items() if name not in known}
        if not new:
            raise BrainError("the oracle knows no further item that can be had here")
        name = next((tool for tool in TOOLS if tool in new), min(new, key=lambda name: (new[name], name)))
        price = new[name]
        return f"Reasoning: {name} was never held, and it costs about {price:.0f} seconds.\nTask: Obtain 1 {name}"

    async def _program(self, progress: Progress) -> str:
        """Return the plan for the present task as a program."""
        assert progress.task is not None
        goal, held = progress.task.goals[0], (await self._world.observe()).inventory
        if not goal.items and (code := emptying(goal.text, held)):
            return answer_of([goal.text], code)
        plan = await self._world.plan([goal])
        if not plan.steps:
            return answer_of([f"look elsewhere, since there is no way here: {plan.why}"], _ELSEWHERE)
        skills = self._index.library.names() if progress.graph.library else ()
        code = written(goal.items[-1][0] if goal.items else "", plan.steps, held, skills)
        return answer_of([f"{step.name} {step.item}" for step in plan.steps], code)


def skill_name(step: Step) -> str:
    """Return the name of a skill that gains the item of `step`, such as ``craftStonePickaxe``."""
    return function_name(VERBS.get(step.name, "do"), step.item or str(step.args.get("name", "")))


def written(item: str, steps: Sequence[Step], held: Mapping[str, int], skills: Collection[str]) -> str:
    """Return the program of a plan that ends with one more `item`.

    A step is done until what it should gain is there, so the program also works from another inventory. Items that a
    skill of the library makes are left to that skill.
    """
    name = skill_name(next((step for step in reversed(steps) if step.item == item), steps[-1]))
    amounts = Counter(held)
    lines = [f"// Get one more {item}." if item else "// Do it once."]
    if any(step.station for step in steps):
        lines += _STATION
    if item and any(step.item == item for step in steps):
        lines.append(f"const enough = have('{item}') + 1")
    for step in _at_hand_first(steps):
        amounts[step.item] += step.gains or _count(step)
        needed = "enough" if item and step.item == item else str(amounts[step.item])
        makers = {each: _maker(each, skills) for each in step.takes}
        lines += [_until(each, str(step.takes[each]), maker) for each, maker in makers.items() if maker]
        lines += _written(step, needed, "" if step.item == item else _maker(step.item, skills))
    return function(name, lines)


def _at_hand_first(steps: Sequence[Step]) -> list[Step]:
    """Return the steps in an order in which nothing that lies close by is gathered after going down or up.

    From there it would be out of sight.
    """
    ordered: list[Step] = []
    climb: int | None = None
    for before, step in zip((None, *steps), steps, strict=False):
        if step.name in _GATHERING and climb is not None and before is not None and before.name not in _GOING:
            ordered.insert(climb, step)
            climb += 1
            continue
        if step.name == "goto":
            climb = len(ordered)
        elif step.name not in (*_GATHERING, *_GOING):
            climb = None  # what is gathered after it may need what it made
        ordered.append(step)
    return ordered


_GATHERING = ("mine_block", "kill_mob")
_GOING = ("goto", "goto_block", "explore_until")
_ELSEWHERE = function(
    "lookElsewhere",
    [
        "// What failed here may succeed elsewhere, and later.",
        "const [x, z] = [[0, -1], [1, 0], [0, 1], [-1, 0]][Math.floor(Math.random() * 4)]",
        "await exploreUntil(bot, new Vec3(x, 0, z), 20, () => false)",
    ],
)
_STATION = (
    "const station = async (name) => {",
    "  const far = near(name, 160)",
    "  if (far && !near(name)) await bot.pathfinder.goto(new GoalGetToBlock(...far.position.toArray()))",
    "  if (!near(name) && !have(name)) await craftItem(bot, name, 1)",
    *(f"  {line}" for line in placed("name")),
    "}",
)


def _maker(item: str, skills: Collection[str]) -> str:
    """Return the skill that makes an item. Return '' if there is none."""
    return next((name for verb in VERBS if (name := skill_name(Step(verb, {}, item=item))) in skills), "")


def _until(item: str, needed: str, maker: str) -> str:
    """Return the line that calls a skill until so many of an item are held, a few times at most."""
    return f"for (let n = 0; n < 8 && have('{item}') < {needed}; n++) await {maker}(bot)"


def _count(step: Step) -> int:
    count = step.args.get("count", 1)
    return math.ceil(count) if isinstance(count, int | float) else 1


def _written(step: Step, needed: str, skill: str) -> list[str]:
    """Return the lines of one step. It is repeated a few times until so many of its item are held."""
    args = step.args
    until = f"for (let n = 0; n < 8 && have('{step.item}') < {needed}; n++)"
    if skill:
        return [_until(step.item, needed, skill)]
    lack = f"{needed} - have('{step.item}')" if step.item else str(_count(step))
    chance = bool(step.item) and step.name == "mine_block" and _count(step) > step.gains
    if chance:
        until = until.replace("n < 8", "n < 2")
    acts: list[str] = [f"await station('{step.station}')"] if step.station else []
    match step.name:
        case "craft_item":
            acts.append(f"await craftItem(bot, '{args['name']}', 1)")
        case "smelt_item":
            acts.append(f"await smeltItem(bot, '{args['name']}', '{args.get('fuel') or 'coal'}', {lack})")
        case "mine_block":
            many = f"Math.max({lack}, {_count(step)})" if chance else lack
            acts += [*search(args["name"]), f"await mineBlock(bot, '{args['name']}', {many})"]
        case "kill_mob":
            acts += [*hunt(args["name"]), f"await killMob(bot, '{args['name']}', 300)"]
        case "goto":
            return [f"await bot.pathfinder.goto(new GoalY({math.floor(args['y'])}))"]
        case _:  # a station is gone to, or placed, where it is needed
            return []
    if step.name in ("craft_item", "smelt_item"):  # a round that gains nothing is the last
        until = f"for (let last = -1; have('{step.item}') > last && have('{step.item}') < {needed};)"
        acts = [f"last = have('{step.item}')", *acts]
    return [f"{until} {{", *(f"  {line}" for line in acts), "}"] if step.item else acts
