"""The oracle: a brain that knows the recipes and the planner, and writes its plans as programs.

It proves that the parts of learning work together. It learns nothing, so its figures are no model's.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Protocol, runtime_checkable

from autocraft.errors import BrainError
from autocraft.learning.progress import Progress
from autocraft.protocols import Answer, Delta, Json, Message, Step, World
from autocraft.skills.index import Index
from autocraft.usage import Usage

VERBS = {"craft_item": "craft", "smelt_item": "smelt", "mine_block": "mine", "kill_mob": "hunt"}
"""Command of a plan -> the first word of a skill that ends with it."""
_DIRECTIONS = "[[0, -1], [1, 0], [0, 1], [-1, 0]]"


@runtime_checkable
class PricedWorld(World, Protocol):
    """A world that can say what items cost."""

    async def prices(self) -> Mapping[str, float]:
        """Return what each item costs that can be had from here."""
        ...


class OracleBrain:
    """Proposes the cheapest item that was never held, and writes the plan for it as a program."""

    name = "oracle"
    reads_prompt = False
    metered = False
    asks_model = False

    def __init__(self) -> None:
        self._progress: Progress | None = None

    @classmethod
    def for_run(cls, choice: object, world: object, state: object, answers: object) -> OracleBrain:
        """Return the brain of a run."""
        return cls()

    def attach(self, progress: Progress, world: World, index: Index) -> None:
        """Take the progress of the run, its world and its skills."""
        self._progress, self._world, self._index = progress, world, index

    async def think(
        self,
        messages: Sequence[Message],
        *,
        role: str = "smart",
        schema: Json | None = None,
        max_tokens: int | None = None,
        on_delta: Callable[[Delta], None] | None = None,
    ) -> Answer:
        """Return a task or a program as a model would write it. Raises BrainError if it knows none."""
        if self._progress is None:
            raise BrainError("the oracle plays no goals: use it with `autocraft learn`, or --brain planner")
        text = await (self._task() if role == "curriculum" else self._program(self._progress))
        return Answer(text, usage=Usage())

    async def _task(self) -> str:
        assert self._progress is not None
        if not isinstance(self._world, PricedWorld):
            raise BrainError(f"the oracle knows no prices in the world {self._world.name}")
        prices, held = await self._world.prices(), (await self._world.observe()).inventory
        tried = {item for text in self._progress.failed for item in self._world.items if f" {item}" in f"{text} "}
        known = self._progress.milestones.keys() | held.keys() | tried
        new = sorted((price, name) for name, price in prices.items() if name not in known)
        if not new:
            raise BrainError("the oracle knows no further item that can be had here")
        price, name = new[0]
        return f"Reasoning: {name} was never held, and it costs about {price:.0f} seconds.\nTask: Obtain 1 {name}"

    async def _program(self, progress: Progress) -> str:
        """Return the plan for the present task as a program."""
        assert progress.task is not None
        goal = progress.task.goals[0]
        plan = await self._world.plan([goal])
        if not plan.steps:
            raise BrainError(f"the oracle knows no way to {goal.text}: {plan.why}")
        held = (await self._world.observe()).inventory
        code = written(goal.items[-1][0], plan.steps, held, self._index.library.names())
        steps = "\n".join(f"{n}) {step.name} {step.item}" for n, step in enumerate(plan.steps, 1))
        return f"Plan:\n{steps}\nCode:\n```javascript\n{code}\n```"

    async def close(self) -> None:
        return


def skill_name(step: Step) -> str:
    """Return the name of a skill that gains the item of `step`, such as ``craftStonePickaxe``."""
    words = "".join(word.capitalize() for word in re.findall("[a-z0-9]+", step.item))
    return f"{VERBS.get(step.name, 'get')}{words}"


def written(item: str, steps: Sequence[Step], held: Mapping[str, int], skills: Collection[str]) -> str:
    """Return the program of a plan that ends with one more `item`.

    A step is done until what it should gain is there, so the program also works from another inventory. Items that a
    skill of the library makes are left to that skill.
    """
    name = skill_name(next((step for step in reversed(steps) if step.item == item), steps[-1]))
    amounts = Counter(held)
    lines = [f"// Get one more {item}.", *_HELPERS]
    if any(step.item == item for step in steps):
        lines.append(f"const enough = have('{item}') + 1")
    for step in steps:
        amounts[step.item] += _gain(step)
        needed = "enough" if step.item == item else str(amounts[step.item])
        makers = {each: _maker(each, skills) for each in step.takes}
        lines += [_until(each, str(step.takes[each]), maker) for each, maker in makers.items() if maker]
        lines += _written(step, needed, "" if step.item == item else _maker(step.item, skills))
    body = "\n".join(f"  {line}" for line in lines)
    return f"async function {name}(bot) {{\n{body}\n}}"


_HELPERS = (
    "const held = (name) => bot.inventory.items().filter((each) => each.name === name)",
    "const have = (name) => held(name).reduce((sum, each) => sum + each.count, 0)",
    "const near = (name) => bot.findBlock({ matching: mcData.blocksByName[name].id, maxDistance: 32 })",
)


def _maker(item: str, skills: Collection[str]) -> str:
    """Return the skill that makes an item. Return '' if there is none."""
    return next((name for verb in VERBS if (name := skill_name(Step(verb, {}, item=item))) in skills), "")


def _until(item: str, needed: str, maker: str) -> str:
    """Return the line that calls a skill until so many of an item are held, a few times at most."""
    return f"for (let n = 0; n < 8 && have('{item}') < {needed}; n++) await {maker}(bot)"


def _gain(step: Step) -> int:
    count = step.args.get("count", 1)
    return math.ceil(count) if isinstance(count, int | float) else 1


def _written(step: Step, needed: str, skill: str) -> list[str]:
    """Return the lines of one step. It is repeated a few times until so many of its item are held."""
    args = step.args
    until = f"for (let n = 0; n < 8 && have('{step.item}') < {needed}; n++)"
    if skill:
        return [_until(step.item, needed, skill)]
    lack = f"{needed} - have('{step.item}')"
    match step.name:
        case "craft_item":
            return [f"{until} await craftItem(bot, '{args['name']}', 1)"]
        case "smelt_item":
            return [f"{until} await smeltItem(bot, '{args['name']}', '{args.get('fuel') or 'coal'}', {lack})"]
        case "mine_block":
            return [f"{until} {{", *_search(args["name"]), f"  await mineBlock(bot, '{args['name']}', {lack})", "}"]
        case "kill_mob":
            return [f"{until} {{", *_hunt(args["name"]), f"  await killMob(bot, '{args['name']}', 300)", "}"]
        case "place_item":
            return _placed(args["name"])
        case "goto_block":
            return [f"await bot.pathfinder.goto(new GoalGetToBlock(...near('{args['name']}').position.toArray()))"]
        case "goto":
            return [f"await bot.pathfinder.goto(new GoalY({math.floor(args['y'])}))"]
    return []


def _search(block: str) -> list[str]:
    """Return the lines that look for a block in every direction."""
    found = f"near('{block}')"
    return [
        f"  for (const [x, z] of {_DIRECTIONS}) {{",
        f"    if (!{found}) await exploreUntil(bot, new Vec3(x, 0, z), 60, () => {found})",
        "  }",
    ]


def _hunt(mob: str) -> list[str]:
    """Return the lines that look for a mob in every direction."""
    found = f"bot.nearestEntity((each) => each.name === '{mob}' && each.position.distanceTo(bot.entity.position) < 32)"
    return [
        f"  for (const [x, z] of {_DIRECTIONS}) {{",
        f"    if (!{found}) await exploreUntil(bot, new Vec3(x, 0, z), 60, () => {found})",
        "  }",
    ]


def _placed(name: str) -> list[str]:
    """Return the lines that place a block near the bot, unless one is near."""
    spots = "[[1, 0, 0], [-1, 0, 0], [0, 0, 1], [0, 0, -1], [1, 1, 0], [-1, 1, 0], [0, 1, 1], [0, 1, -1], [1, -1, 1]]"
    return [
        f"for (const [x, y, z] of {spots}) {{",
        f"  if (!near('{name}')) await placeItem(bot, '{name}', bot.entity.position.floored().offset(x, y, z))",
        "}",
    ]
