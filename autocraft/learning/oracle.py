"""The oracle: a brain that writes the plans of the built-in planner as programs.

It shows that the parts of learning work together. It learns nothing, so its figures say nothing about models.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Protocol, runtime_checkable

from autocraft.errors import BrainError
from autocraft.learning.brains import LearningBrain
from autocraft.learning.writing import (
    VERBS,
    WANDERING,
    answer_of,
    emptying,
    function,
    function_name,
    hunt,
    maker_of,
    placing,
    search,
)
from autocraft.protocols import Observation, Step, World

TOOLS = ("wooden_pickaxe", "stone_pickaxe", "iron_pickaxe", "diamond_pickaxe")
"""The items that are proposed first, since many other items need them."""


@runtime_checkable
class PricedWorld(World, Protocol):
    """A world that knows the prices of items."""

    async def prices(self) -> Mapping[str, float]:
        """Return the price of each item that can be obtained from here."""
        ...


class OracleBrain(LearningBrain):
    """A brain that proposes the cheapest item that was never held, and writes the plan for it as a program."""

    name = "oracle"

    async def answer(self, role: str) -> str:
        """Return a task for the role curriculum, else the plan for the present task as a program."""
        return await (self._task() if role == "curriculum" else self._program())

    async def _task(self) -> str:
        """Return the cheapest item that was never held as a task. Raises BrainError if there is none."""
        if not isinstance(self.world, PricedWorld):
            raise BrainError(f"the oracle knows no prices in the world {self.world.name}")
        prices, inventory = await self.world.prices(), (await self.world.observe()).inventory
        failures = {item for text in self.progress.failed for item in self.world.items if f" {item} " in f"{text} "}
        old = self.progress.milestones.keys() | inventory.keys() | failures
        new = {name: price for name, price in prices.items() if name not in old}
        if not new:
            raise BrainError("the oracle knows no further item that can be had here")
        name = next((tool for tool in TOOLS if tool in new), min(new, key=lambda name: (new[name], name)))
        name = await self.before(name, old)
        return f"Reasoning: {name} was never held.\nTask: Obtain 1 {name}"

    async def before(self, item: str, old: Collection[str]) -> str:
        """Return what to propose before an item: the item itself. `old` are the items that were held or given up."""
        return item

    async def _program(self) -> str:
        """Return the plan for the present task as a program."""
        assert self.progress.task is not None
        goal, seen = self.progress.task.goals[0], await self.world.observe()
        if not goal.items and (code := emptying(goal.text, seen.inventory)):
            return answer_of([goal.text], code)
        plan = await self.world.plan([goal])
        if not plan.steps:
            return answer_of([f"look elsewhere, since there is no way here: {plan.why}"], _ELSEWHERE)
        code = self.write(goal.items[-1][0] if goal.items else "", plan.steps, seen)
        return answer_of([f"{step.name} {step.item}" for step in plan.steps], code)

    def write(self, item: str, steps: Sequence[Step], seen: Observation) -> str:
        """Return a plan for an item as a program."""
        return program_of(item, steps, seen, self.names)


def skill_name(step: Step) -> str:
    """Return the name of the skill for the item of `step`, such as ``craftStonePickaxe``."""
    verb = step.name.partition("_")[0]
    return function_name(verb if verb in VERBS else "do", step.item or str(step.args.get("name", step.name)))


def program_of(item: str, steps: Sequence[Step], seen: Observation, skills: Collection[str]) -> str:
    """Return a plan as a program that gains one more `item`.

    Each step is repeated until its item is there, and looks for its block or mob at the right height. So the program
    also works from another inventory and at another place. If the library has a skill for an item, a tool or a
    station, the program calls it.
    """
    name = skill_name(next((step for step in reversed(steps) if step.item == item), steps[-1]))
    skills = {*skills} - {name}  # in a program, its own name means its own text
    amounts = Counter(seen.inventory)
    lines = [f"// Get one more {item}." if item else "// Do it once."]
    if any(step.station for step in steps):
        lines += _station(skills)
    if any(step.name in _GATHERING and step.item for step in steps):
        lines.append(f"const elsewhere = async () => {{ {WANDERING} }}")
    if item and any(step.item == item for step in steps):
        lines.append(f"const enough = have('{item}') + 1")
    if any(step.name == "smelt_item" for step in steps):
        lines += _FUEL
    if walk := _walk_away(steps[0], seen.facts.get("position", {})):
        lines.append(walk)
        steps = steps[1:]
    steps = _nearby_first(steps)
    for at, step in enumerate(steps):
        if step.name == "goto" and next((each.layer for each in steps[at:] if each.item), ()):
            continue  # the search goes to this height, unless what it is for is near
        prey = step.args.get("entity")
        if prey and not any(each.args.get("name") == prey for each in steps[at:]):  # the bot is hungry
            lines += [*hunt(prey), f"await killMob(bot, '{prey}', 120)"]
        amounts[step.item] += step.gains or _count(step)
        amount = "enough" if item and step.item == item else str(amounts[step.item])
        acts = _gathered(step, skills)
        if maker := maker_of(step.tools[0], skills) if step.tools else "":
            acts.append(f"if (![{', '.join(map(repr, step.tools))}].some((tool) => have(tool))) await {maker}(bot)")
        acts += _lines_of(step, amount, "" if step.item == item else maker_of(step.item, skills))
        lines += acts[1:] if acts[:1] == lines[-1:] else acts  # the step before may have made what this one takes
    return function(name, lines)


def _walk_away(step: Step, here: Mapping[str, float]) -> str:
    """Return the line that walks away from a place where something failed. Return '' for any other step."""
    if step.name != "goto" or not here:
        return ""
    x, z = (round(step.args[axis] - here[axis]) for axis in "xz")
    to = f"new GoalXZ(bot.entity.position.x + {x}, bot.entity.position.z + {z})"
    return f"await bot.pathfinder.goto({to})" if max(abs(x), abs(z)) > 1 else ""


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


_GATHERING = ("mine_block", "kill_mob", "fill_bucket")
_GOING = ("goto", "goto_block", "explore_until")
_FUEL = [
    "const fuelFrom = (planned) => [planned, ...bot.inventory.items().map((each) => each.name)]",
    "  .find((each) => have(each) && (each === planned || /^(char)?coal$|_planks$/.test(each)))",
]
"""The lines of the function that returns the fuel to use: the planned one if it is held, else another one that is."""
_ELSEWHERE = function("lookElsewhere", ["// What failed here may succeed elsewhere or later.", WANDERING])
_GAINING = "for (let last = -1; have('{item}') > last && have('{item}') < {amount};)"


def _station(skills: Collection[str]) -> list[str]:
    """Return the lines of the function that goes to a station, or else makes one and places it."""
    makers = {name: maker for name in ("crafting_table", "furnace") if (maker := maker_of(name, skills))}
    return [
        "const station = async (name) => {",
        "  const far = near(name, 160)",
        "  if (far && !near(name)) await bot.pathfinder.goto(new GoalGetToBlock(...far.position.toArray()))",
        *(f"  if (name === '{each}' && !near(name) && !have(name)) await {made}(bot)" for each, made in makers.items()),
        "  if (!near(name) && !have(name)) await craftItem(bot, name, 1)",
        f"  if (!near(name) && have(name)) {placing('name')}",
        "}",
    ]


def calls_of(item: str, amount: str, maker: str) -> str:
    """Return the line that calls a skill until enough of an item is held, or until a call gains nothing."""
    return f"{_GAINING.format(item=item, amount=amount)} {{ last = have('{item}'); await {maker}(bot) }}"


def _gathered(step: Step, skills: Collection[str]) -> list[str]:
    """Return the lines that get what a step takes from skills, and its station.

    They run twice, since one of them may use up what another has made.
    """
    makers = {each: maker for each in step.takes if (maker := maker_of(each, skills))}
    calls = [calls_of(each, str(step.takes[each]), maker) for each, maker in makers.items()]
    if step.name == "smelt_item" and (fuel := _fuel_of(step)) in makers:
        at = [*makers].index(fuel)
        calls[at] = f"if (!fuelFrom('{fuel}')) {calls[at]}"
    if calls and step.station:
        calls.append(f"await station('{step.station}')")
    return ["for (let round = 0; round < 2; round++) {", *(f"  {call}" for call in calls), "}"] if calls[1:] else calls


def _fuel_of(step: Step) -> str:
    return step.args.get("fuel") or "coal"


def _while_gaining(item: str, amount: str, acts: Sequence[str]) -> list[str]:
    """Return the lines that repeat `acts` until enough of an item is held, or until a round gains nothing."""
    lines = [f"last = have('{item}')", *acts]
    return [_GAINING.format(item=item, amount=amount) + " {", *(f"  {line}" for line in lines), "}"]


def _while_missing(item: str, amount: str, acts: Sequence[str], most: int) -> list[str]:
    """Return the lines that repeat `acts` until enough of an item is held.

    After a round that gained nothing the bot goes elsewhere. `most` such rounds in a row are the last.
    """
    return [
        f"for (let vain = 0; vain < {most} && have('{item}') < {amount};) {{",
        f"  const before = have('{item}')",
        *(f"  {line}" for line in acts),
        f"  vain = have('{item}') > before ? 0 : vain + 1",
        "  if (vain) await elsewhere()",
        "}",
    ]


def _count(step: Step) -> int:
    count = step.args.get("count", 1)
    return math.ceil(count) if isinstance(count, int | float) else 1


def _lines_of(step: Step, amount: str, skill: str) -> list[str]:
    """Return the lines of one step. They repeat it until enough of its item is held."""
    args, item = step.args, step.item
    if skill:
        return [calls_of(item, amount, skill)]
    lack = f"{amount} - have('{item}')" if item else str(_count(step))
    acts: list[str] = [f"await station('{step.station}')"] if step.station else []
    match step.name:
        case "craft_item":
            acts.append(f"await craftItem(bot, '{args['name']}', 1)")
            return _while_gaining(item, amount, acts) if item else acts
        case "smelt_item":
            fuel = _fuel_of(step)
            acts.append(f"await smeltItem(bot, '{args['name']}', fuelFrom('{fuel}') || '{fuel}', {lack})")
            return _while_gaining(item, amount, acts) if item else acts
        case "mine_block":
            chance = bool(item) and _count(step) > step.gains
            many = f"Math.max({lack}, {_count(step)})" if chance else lack
            acts += [*search(args["name"], layer=step.layer), f"await mineBlock(bot, '{args['name']}', {many})"]
            return _while_missing(item, amount, acts, 2 if chance else 4) if item else acts
        case "kill_mob":
            acts += [*hunt(args["name"], step.layer), f"await killMob(bot, '{args['name']}', 300)"]
            return _while_missing(item, amount, acts, 4) if item else acts
        case "goto":
            return [f"await bot.pathfinder.goto(new GoalY({math.floor(args['y'])}))"]
        case "goto_block":
            return [f"if (!near('{args['name']}')) await gotoBlock(bot, '{args['name']}')"]
        case "fill_bucket":
            what = args["name"]
            acts += hunt(what, step.layer) if what == "cow" else search(what, layer=step.layer)
            acts.append(f"await fillBucket(bot, '{what}')")
            return _while_missing(item, amount, acts, 4) if item else acts
        case "withdraw":
            place = ", ".join(str(args[axis]) for axis in "xyz")
            return [f"await getItemFromChest(bot, new Vec3({place}), {{ {args['name']}: {_count(step)} }})"]
        case "collect":
            return [f"await collectItem(bot, '{args['name']}')"]
        case "shelter":
            return ["await safe()"]
        case "eat":
            return [f"if (have('{args['name']}')) await bot.equip(held('{args['name']}')[0])", "await bot.consume()"]
        case _:  # the steps that use a station go to it or place it, and the searches belong to what is looked for
            return []
