"""The crafting world of an episode, with the actions of Plancraft's agents as commands."""

from __future__ import annotations

import functools
import json
import random
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

from autocraft.crafting import execute
from autocraft.crafting.examples import Example, load_example
from autocraft.crafting.feedback import LineHistory, advice_lines, missing_text
from autocraft.crafting.minimal.planner import MinimalPlan, minimal_plan
from autocraft.crafting.slots import GRID, INVENTORY, index_of, name_of
from autocraft.crafting.table import FREE_SLOT, CraftingTable
from autocraft.errors import CommandError, Spell
from autocraft.evaluation.conditions import MOST_TALK, Conditions
from autocraft.evaluation.fewshot import observation_text
from autocraft.evaluation.lines import line_of
from autocraft.evaluation.search import gold_recipe, similar_recipes
from autocraft.goals import Goal
from autocraft.protocols import Args, Call, Command, Observation, Result, Risk, command
from autocraft.worlds.advice import WHOLE_RECIPES, advice_line, advise
from autocraft.worlds.crafting import CraftingWorld

TALK = ("think", "search")
MOST_ACTIONS = 1.5
"""How many times the fewest actions the advice may take."""
SURE = "Are you sure? Look again at what is held. If it is impossible, say so once more; if not, take another action."
"""What a model is told when it first says that a task is impossible, whether it is or not."""


class EpisodeWorld(CraftingWorld):
    """One example's world. `moves` counts its legal slot actions."""

    def __init__(self, example: Example, conditions: Conditions, seed: int) -> None:
        super().__init__(example.table(), images=conditions.images)
        self.example = example
        self.conditions = conditions
        self.moves = 0
        self.steps = 0
        self.advised = set[str]()
        """The planner's lines that its texts ended with."""
        self._random = random.Random(f"{seed} {example.id}")
        self._spell = spelling(conditions)
        self._history = LineHistory()
        self.doubts = False
        """Whether to ask once, when the model says that the task is impossible, if it is sure."""
        self._talk = 0

    @property
    def won(self) -> bool:
        """Return whether the target is in a slot other than [0]."""
        return any(stack[0] == self.example.target for _, stack in self._table.stacks([*GRID, *INVENTORY]))

    def fewest(self, table: CraftingTable, goals: Sequence[Goal]) -> MinimalPlan:
        """Return the fewest actions. At the start of the episode, this is the plan that the score compares with."""
        starts = table == self.example.table() and list(goals) == [self.example.goal]
        return fewest(self.example.id) if starts else super().fewest(table, goals)

    def commands(self) -> list[Command]:
        """Return the commands that the conditions allow. Each records its line."""
        by_name = {offer.name: offer for offer in super().commands()}
        names = [by_name[name] for name in self.conditions.commands]
        return [offer if offer.name == "impossible" else replace(offer, run=self._with_count(offer)) for offer in names]

    async def observe(self) -> Observation:
        """Return the package's text, with feedback also the missing items, with images also a picture.

        With advice it ends with the planner's next line.
        """
        text = _lines(observation_words(self.conditions)(self.example.target, self._table), await self._advice())
        return Observation(text, self._table.counts(), self._pictures())

    @command(help="Write down a thought; nothing happens", risk=Risk.LOOK)
    async def think(self, call: Call, thought: str) -> Result:
        return Result("Ok")

    @command(help="Look up how an item is made", risk=Risk.LOOK)
    async def search(self, call: Call, recipe: str) -> Result:
        return Result(search_reply(self.conditions, self._random, recipe, self._table))

    @command(help="Say that the item cannot be made from what there is; this ends the task", risk=Risk.CHANGE)
    async def impossible(self, call: Call, reason: str = "") -> Result:
        if self.doubts:
            self.doubts = False
            return Result(SURE)
        return Result("You said that it is impossible.", end="impossible")

    def _with_count(self, original: Command) -> Callable[..., Awaitable[Result]]:
        """Return the command's function with the episode's bookkeeping around it."""

        @functools.wraps(original.run)
        async def run(owner: EpisodeWorld, call: Call, **args: object) -> Result:
            if original.name in TALK:
                return await self._talk_reply(original, call, args)
            self._talk = 0
            self.steps += 1
            before = self._table.copy()
            line = line_of(original.name, args)
            try:
                result = await original.run(owner, call, **args)
            except CommandError as error:
                conditions, text = self.conditions, str(error)
                if conditions.advice:
                    text = f"{text.partition(FREE_SLOT)[0]}{await self._needless(args)}"
                elif conditions.feedback:
                    text = error.with_advice(conditions.commands, self._spell)
                raise CommandError(self._with_note(text, line, ok=False)) from None
            assert isinstance(result, Result)
            self.moves += _moves(original.name, args, before)
            return replace(result, text=self._with_note(result.text, line, ok=True))

        return run

    async def _talk_reply(self, original: Command, call: Call, args: Args) -> Result:
        """Answer a thought or search. The protocol `paper` limits how many in a row are answered."""
        self._talk += 1
        if self.conditions.protocol == "paper" and self._talk > MOST_TALK:
            self._talk = 0
            return Result((await self.observe()).text)
        result = await original.run(self, call, **args)
        assert isinstance(result, Result)
        if not self.conditions.advice:
            return result
        again = self._history.say(line_of(original.name, args))
        return replace(result, text=_lines(result.text, again, await self._advice()))

    async def _advice(self) -> str:
        """Return the planner's next line, "" without advice."""
        conditions = self.conditions
        goals = [self.example.goal] if conditions.advice else []
        line = await advise(self, goals, self._advised_commands, self._spell) if goals else ""
        self.advised.add(line)
        return line

    @functools.cached_property
    def _advised_commands(self) -> Sequence[str]:
        """Return the commands that the advice is made of: no whole recipes where these take far more actions.

        They put into the inventory what single moves leave in the grid.
        """
        names, table, actions = self.conditions.commands, self.example.table(), 0
        if not WHOLE_RECIPES.issubset(names):
            return names
        for step in CraftingWorld(table).plan_now([self.example.goal]).steps:
            done = execute.carry_out(table, step.name, step.args)
            table, actions = done.table, actions + len(done.actions)
        most = MOST_ACTIONS * len(fewest(self.example.id).actions)
        return names if actions <= most else [name for name in names if name not in WHOLE_RECIPES]

    async def _needless(self, args: Args) -> str:
        """Say of an illegal move if what it moves is no part of the way to the target."""
        stack = self._table[index_of(args["source"])] if _is_slot(args.get("source")) else None
        if stack is None:
            return ""
        plan = await self.plan([self.example.goal], low_level=True)
        slots = {name_of(slot) for slot, (item, _) in self._table.stacks() if item == stack[0]}
        needed = any(step.args["source"] in slots for step in plan.steps)
        return "" if needed or not plan.steps else f"; {stack[0]} is no part of {self.example.target}"

    def _with_note(self, text: str, line: str, *, ok: bool) -> str:
        if not self.conditions.feedback:
            return text
        again = self._history.note(line, ok=ok, step=self.steps)
        return f"{text} {again}".strip()


@functools.cache
def fewest(id: str) -> MinimalPlan:
    """Return the shortest known plan for an example, with its proof. Raises UsageError for an unknown id."""
    example = load_example(id)
    return minimal_plan(example.table(), [example.goal])


def observation_words(conditions: Conditions) -> Callable[[str, CraftingTable], str]:
    """Return a function that words a target and a table. With feedback, missing items follow the package's text."""
    if not conditions.feedback:
        return observation_text
    names, spell = (None, None) if conditions.advice else (conditions.commands, spelling(conditions))

    def words(target: str, table: CraftingTable) -> str:
        return f"{observation_text(target, table)}\n{missing_text(table, target, names, spell)}".strip()

    return words


def example_words(conditions: Conditions) -> Callable[[str, CraftingTable], str]:
    """Return the function that words an observation of the few-shot example, with advice as in an episode."""
    words = observation_words(conditions)
    if not conditions.advice:
        return words
    world, offered, spell = CraftingWorld(), conditions.commands, spelling(conditions)

    def advised(target: str, table: CraftingTable) -> str:
        world.restore({"slots": table.to_json()})
        goals = [Goal(f"craft 1 {target}", ((target, 1),))]
        plan = world.plan_now(goals, low_level=not WHOLE_RECIPES.issubset(offered))
        return _lines(words(target, table), advice_line(plan, goals, offered, spell))

    return advised


def _lines(*texts: str) -> str:
    return "\n".join(filter(None, texts))


def search_reply(conditions: Conditions, rng: random.Random, name: str, table: CraftingTable) -> str:
    """Return the answer to a search. With feedback it depends on what the table holds."""
    book, names = table.book, conditions.commands
    if conditions.search == "similar":
        return similar_recipes(book, name)
    if not conditions.feedback:
        return gold_recipe(book, name, rng)
    if conditions.advice:
        if "craft_item" not in names or name not in book.items:
            return gold_recipe(book, name, rng, table)
        return missing_text(table, [(name, table.counts().get(name, 0) + 1)])
    spell = spelling(conditions)
    text = gold_recipe(book, name, rng, table, None if "craft_item" in names else spell)
    return "\n".join([text, *(advice_lines(table, name, names, spell) if name in book.items else [])])


def spelling(conditions: Conditions) -> Spell:
    """Return the function that writes a command as the model of an episode has to answer."""
    if conditions.prompt == "paper":
        return line_of
    return lambda name, args: json.dumps({"name": name, "args": dict(args)})


def _is_slot(name: object) -> bool:
    try:
        index_of(str(name))
    except CommandError:
        return False
    return True


def _moves(name: str, args: Args, before: CraftingTable) -> int:
    """Return how many slot actions a legal command took. A whole recipe is executed again to count them."""
    if name in ("move", "smelt"):
        return 1
    return len(execute.carry_out(before, name, {**args, "name": before.book.name(args["name"])}).actions)
