"""The oracle: a brain that writes the plans of the built-in planner as programs.

It shows that the parts of learning work together. It learns nothing, so its figures say nothing about models.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Protocol, runtime_checkable

from autocraft.errors import BrainError
from autocraft.learning.brains import LocalBrain
from autocraft.learning.progress import Progress
from autocraft.learning.writing import answer_of, emptying, function, function_name, hunt, placing, search
from autocraft.protocols import Step, World

VERBS = {"craft_item": "craft", "smelt_item": "smelt", "mine_block": "mine", "kill_mob": "kill"}
"""Command of a plan -> the first word of the name of a skill whose last step it is."""
TOOLS = ("wooden_pickaxe", "stone_pickaxe", "iron_pickaxe", "diamond_pickaxe")
"""The items that are proposed first, since many other items need them."""


@runtime_checkable
class PricedWorld(World, Protocol):
    """A world that knows the prices of items."""

    async def prices(self) -> Mapping[str, float]:
        """Return the price of each item that can be obtained from here."""
        ...


class OracleBrain(LocalBrain):
    """A brain that proposes the cheapest item that was never held, and writes the plan for it as a program."""

    name = "oracle"

    async def answer(self, role: str) -> str:
        """Return a task for the role curriculum, else the plan for the present task as a program."""
        return await (self._task() if role == "curriculum" else self._program(self._progress))

    async def _task(self) -> str:
        if not isinstance(self._world, PricedWorld):
            raise BrainError(f"the oracle knows no prices in the world {self._world.name}")
        prices, inventory = await self._world.prices(), (await self._world.observe()).inventory
        failures = {item for text in self._progress.failed for item in self._world.items if f" {item}" in f"{text} "}
        old = self._progress.milestones.keys() | inventory.keys() | failures
        new = {name: price for name, price in prices.items() if name not in old}
        if not new:
            raise BrainError("the oracle knows no further item that can be had here")
        name = next((tool for tool in TOOLS if tool in new), min(new, key=lambda name: (new[name], name)))
        price = new[name]
        return f"Reasoning: {name} was never held, and it costs about {price:.0f} seconds.\nTask: Obtain 1 {name}"

    async def _program(self, progress: Progress) -> str:
        """Return the plan for the present task as a program."""
        assert progress.task is not None
        goal, inventory = progress.task.goals[0], (await self._world.observe()).inventory
        if not goal.items and (code := emptying(goal.text, inventory)):
            return answer_of([goal.text], code)
        plan = await self._world.plan([goal])
        if not plan.steps:
            return answer_of([f"look elsewhere, since there is no way here: {plan.why}"], _ELSEWHERE)
        skills = self._index.library.names() if progress.graph.library else ()
        code = program_of(goal.items[-1][0] if goal.items else "", plan.steps, inventory, skills)
        return answer_of([f"{step.name} {step.item}" for step in plan.steps], code)


def skill_name(step: Step) -> str:
    """Return the name of the skill for the item of `step`, such as ``craftStonePickaxe``."""
    return function_name(VERBS.get(step.name, "do"), step.item or str(step.args.get("name", "")))


def program_of(item: str, steps: Sequence[Step], inventory: Mapping[str, int], skills: Collection[str]) -> str:
    """Return a plan as a program that gains one more `item`.

    Each step is repeated until its item is there, so the program also works from another inventory. If the library has
    a skill for an item, the program calls it.
    """
    name = skill_name(next((step for step in reversed(steps) if step.item == item), steps[-1]))
    amounts = Counter(inventory)
    lines = [f"// Get one more {item}." if item else "// Do it once."]
    if any(step.station for step in steps):
        lines += _STATION
    if item and any(step.item == item for step in steps):
        lines.append(f"const enough = have('{item}') + 1")
    for step in _nearby_first(steps):
        amounts[step.item] += step.gains or _count(step)
        amount = "enough" if item and step.item == item else str(amounts[step.item])
        makers = {each: _maker(each, skills) for each in step.takes}
        lines += [_until(each, str(step.takes[each]), maker) for each, maker in makers.items() if maker]
        lines += _lines_of(step, amount, "" if step.item == item else _maker(step.item, skills))
    return function(name, lines)


def _nearby_first(steps: Sequence[Step]) -> list[Step]:
    """Return the steps in an order that gathers what lies close by before going down or up.

    From below, the bot cannot see these things any more.
    """
    order: list[Step] = []
    climb: int | None = None
    for before, step in zip((None, *steps), steps, strict=False):
        if step.name in _GATHERING and climb is not None and before is not None and before.name not in _GOING:
            order.insert(climb, step)
            climb += 1
            continue
        if step.name == "goto":
            climb = len(order)
        elif step.name not in (*_GATHERING, *_GOING):
            climb = None  # later steps may need the item that this step made
        order.append(step)
    return order


_GATHERING = ("mine_block", "kill_mob")
_GOING = ("goto", "goto_block", "explore_until")
_ELSEWHERE = function(
    "lookElsewhere",
    [
        "// What failed here may succeed elsewhere or later.",
        "const [x, z] = [[0, -1], [1, 0], [0, 1], [-1, 0]][Math.floor(Math.random() * 4)]",
        "await exploreUntil(bot, new Vec3(x, 0, z), 20, () => false)",
    ],
)
_STATION = (
    "const station = async (name) => {",
    "  const far = near(name, 160)",
    "  if (far && !near(name)) await bot.pathfinder.goto(new GoalGetToBlock(...far.position.toArray()))",
    "  if (!near(name) && !have(name)) await craftItem(bot, name, 1)",
    *(f"  {line}" for line in placing("name")),
    "}",
)


def _maker(item: str, skills: Collection[str]) -> str:
    """Return the skill that makes an item. Return '' if there is none."""
    return next((name for verb in VERBS if (name := skill_name(Step(verb, {}, item=item))) in skills), "")


def _until(item: str, amount: str, maker: str) -> str:
    """Return the line that calls a skill until enough of an item is held, at most 8 times."""
    return f"for (let n = 0; n < 8 && have('{item}') < {amount}; n++) await {maker}(bot)"


def _count(step: Step) -> int:
    count = step.args.get("count", 1)
    return math.ceil(count) if isinstance(count, int | float) else 1


def _lines_of(step: Step, amount: str, skill: str) -> list[str]:
    """Return the lines of one step. They repeat it until enough of its item is held, at most 8 times."""
    args = step.args
    until = f"for (let n = 0; n < 8 && have('{step.item}') < {amount}; n++)"
    if skill:
        return [_until(step.item, amount, skill)]
    lack = f"{amount} - have('{step.item}')" if step.item else str(_count(step))
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
        case _:  # the steps that use a station go to it or place it
            return []
    if step.name in ("craft_item", "smelt_item"):  # a round that gains nothing is the last
        until = f"for (let last = -1; have('{step.item}') > last && have('{step.item}') < {amount};)"
        acts = [f"last = have('{step.item}')", *acts]
    return [f"{until} {{", *(f"  {line}" for line in acts), "}"] if step.item else acts
