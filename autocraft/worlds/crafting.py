"""The crafting world as the loop sees it: its commands, its check of goals, its snapshots.

All modules below it are plain synchronous code.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any, Self

from autocraft.crafting import execute, program
from autocraft.crafting.describe import amounts, holdings, item_text, table_text
from autocraft.crafting.examples import load_example
from autocraft.crafting.inventory import parse_inventory, starting_table
from autocraft.crafting.kinds import NO_CHOICE, single_items
from autocraft.crafting.minimal.planner import MinimalPlan, minimal_plan
from autocraft.crafting.minimal.steps import steps_of
from autocraft.crafting.planner import plan, want
from autocraft.crafting.route import Route
from autocraft.crafting.slots import OUTPUT, index_of, key_of
from autocraft.crafting.sources import places, slot_of, sources
from autocraft.crafting.table import CraftingTable
from autocraft.crafting.textures import check_pillow
from autocraft.errors import Advice, CommandError, UsageError
from autocraft.goals import Goal, held
from autocraft.protocols import Call, Check, Command, Image, Json, Observation, Plan, Result, Risk, command, commands_of
from autocraft.protocols.commands import Reach
from autocraft.text.phrases import items as made
from autocraft.worlds.check import check_counts, in_part, parts_met
from autocraft.worlds.choose import WorldOptions

_MINECRAFT = "server mc_version username bots auth seed speed freeze cheats begin unknown listen_to max_game_minutes"
"""Options of a run that only Minecraft has."""


class CraftingWorld:
    """A crafting table, an inventory and a furnace without fuel, all in memory."""

    name = "crafting"
    facade = "crafting"
    family = "world"
    deeds: Mapping[str, int] = MappingProxyType({})

    def __init__(self, table: CraftingTable | None = None, *, images: bool = False) -> None:
        """Begin with a copy of `table`, by default with a set of raw materials.

        With `images`, an observation has a picture of the inventory window. Raises UsageError without Pillow.
        """
        if images:
            check_pillow()
        self.images = images
        self._table = (table or starting_table()).copy()
        self.items = self._table.book.items
        self._met: dict[str, int] = {}
        """Goal with a "then" to how many of its parts have been met."""
        self.route: Route | None = None
        """The plan of single actions that `plan` follows while it can."""
        self._mixed_route: Route | None = None
        """The same for a plan of whole recipes that has single actions too."""

    @classmethod
    def for_run(cls, options: WorldOptions) -> Self:
        """Return the world of a run: with an example's inventory, with that of the options, or with the default.

        Raises UsageError for an example or an inventory that cannot be read, for both, and for options of Minecraft.
        """
        foreign = [name for name in _MINECRAFT.split() if options.given.get(name) not in (None, "")]
        if foreign:
            flag = foreign[0].replace("_", "-")
            raise UsageError(f"--{flag} belongs to Minecraft: add --world minecraft, or leave it out")
        run = options.run
        if run.example and run.inventory:
            raise UsageError("--example brings its own inventory: give either --example or --inventory")
        table = None
        if run.example and not options.resumed:
            table = load_example(run.example).table()
        elif run.inventory and not options.resumed:
            table = parse_inventory(run.inventory)
        return cls(table, images=run.images)

    @property
    def table(self) -> CraftingTable:
        """Return a copy of the state."""
        return self._table.copy()

    async def observe(self) -> Observation:
        return Observation(table_text(self._table), self._table.counts(), self._pictures())

    def _pictures(self) -> tuple[Image, ...]:
        if not self.images:
            return ()
        from autocraft.crafting.picture import window_image

        return (window_image(self._table),)

    def commands(self) -> list[Command]:
        return commands_of(self)

    def refusal(self, call: Call) -> str:
        """Return "". Raises CommandError for a command that changes something and names no item."""
        if call.risk is not Risk.LOOK and "name" in call.args:
            self._table.book.name(call.args["name"])
        return ""

    async def check(self, goal: Goal) -> Check:
        """Return `met` if the slots other than [0] hold at least what the goal counts.

        A part before a "then" need only have been met once.
        """
        met = self._parts_met(goal)
        part = goal.phases[met]
        check, output = check_counts(part, self._table.counts()), self._table[OUTPUT]
        if check.verdict == "not met" and output and any(held(item, dict([output])) for item, _ in part.items):
            more = f"; {output[1]} {output[0]} in [0] do not count before they are moved into the inventory"
            check = check._replace(why=check.why + more)
        return in_part(goal, met, check)

    def _parts_met(self, goal: Goal) -> int:
        """Return how many parts of a goal have been met, and remember them."""
        if not goal.order:
            return 0
        key, counts = f"{goal.turn} {goal.text}", self._table.counts()
        met = parts_met(goal, self._met.get(key, 0), lambda part: check_counts(part, counts).verdict == "met")
        self._met[key] = met
        return met

    async def plan(self, goals: Sequence[Goal], *, low_level: bool = False) -> Plan:
        """Return a plan of whole recipes or, with `low_level`, of the fewest single moves and smelts known.

        A plan with single moves is stored and followed while it passes the table. Then `why` says how many steps
        remain, or with `low_level` whether they are the fewest.
        """
        return await asyncio.to_thread(self.plan_now, goals, low_level=low_level)

    def plan_now(self, goals: Sequence[Goal], *, low_level: bool = False) -> Plan:
        """Do the same as `plan`, at once."""
        table = self._table.copy()
        goals = [goal.phases[self._parts_met(goal)] if goal.order else goal for goal in goals]
        avoided = next((goal.materials for goal in goals if goal.avoid), "")
        low_level = low_level and not avoided  # the search for the fewest moves uses whatever is there
        route = self.route if low_level else self._mixed_route
        if route is not None and (rest := route.rest(table, goals)):
            return rest
        usable = _without(table, goals) if avoided else table
        single_goals = single_items(usable, goals)
        if single_goals is None:
            return Plan("not found", why=NO_CHOICE)
        if not low_level:
            whole = plan(table.book, usable.counts(), single_goals, table, exact=bool(avoided))
            if avoided and whole.verdict == "impossible":  # it may be possible with what is avoided
                return Plan("not found", why=f"{avoided}, {whole.why}")
            has_moves = any(step.name == "move" for step in whole.steps)
            self._mixed_route = Route.of(table, goals, whole) if has_moves else None
            return whole
        result = self.fewest(table, single_goals)
        if result.verdict != "found" or not result.actions:
            return Plan(result.verdict, why=result.why, missing=result.missing, proof=result.proof)
        steps = tuple(steps_of(result.actions, table, want(single_goals)))
        least = result.least if single_goals is goals else 0  # another choice of items may need fewer
        self.route = Route.of(table, goals, Plan("found", steps), least)
        return self.route.rest(table, goals) or Plan("not found", why="the plan does not begin here")

    async def prices(self) -> dict[str, float]:
        """Return a price of 1 for each item that one recipe can make from the held items."""
        book, counts = self._table.book, self._table.counts()
        return {recipe.output: 1.0 for recipe in book.recipes if not execute.lacks(recipe, counts, 1)}

    def fewest(self, table: CraftingTable, goals: Sequence[Goal]) -> MinimalPlan:
        """Return the plan of the fewest actions. `plan` calls it if no plan is stored."""
        return minimal_plan(table, goals)

    async def read(self, name: str, args: list[Any]) -> Any:
        """Return the answer to a program's read, as plain values. Raises CommandError."""
        return program.read(self._table, name, args)

    def snapshot(self) -> Json:
        """Return the filled slots by name, as {"slots": {"I1": ["oak_log", 4], …}}, and which parts of goals were met.

        `restore` ignores "0".
        """
        return {"slots": self._table.to_json()} | ({"met": dict(self._met)} if self._met else {})

    def restore(self, snapshot: Json) -> None:
        """Set the state to that of `snapshot`. Raises UsageError, and keeps the old state, if it cannot be read."""
        slots = snapshot.get("slots")
        self._table = CraftingTable.from_json(slots if isinstance(slots, dict) else {"": None})
        met = snapshot.get("met")
        self._met = dict(met) if isinstance(met, dict) else {}

    async def close(self) -> None:
        """Do nothing: all state is in memory."""

    def reach(self, call: Call) -> Reach:
        """Return the arguments, with items and slots as the table reads them. Raises CommandError for unknown ones."""
        read = {
            key: [text, self._table.book.name(text) if key == "name" else key_of(index_of(text))]
            for key, text in call.args.items()
            if key in ("name", "source", "target")
        }
        return Reach(call.args | read)

    @command(help="Move items from one slot to another; taking [0] crafts what the grid shows", risk=Risk.CHANGE)
    async def move(self, call: Call, source: str, target: str, quantity: int = 1) -> Result:
        start, end = slot_of(self._table, source), slot_of(self._table, target)
        stack = self._table[start]
        news = self._table.move(start, end, quantity)
        return self._result(news, [stack[0]] if stack else [])

    @command(help="Smelt items of one slot into another slot; needs no fuel", risk=Risk.CHANGE)
    async def smelt(self, call: Call, source: str, target: str, quantity: int = 1) -> Result:
        start, end = slot_of(self._table, source), slot_of(self._table, target)
        input_stack = self._table[start]
        news = self._table.smelt(start, end, quantity)
        output = self._table[end]
        return self._result(news, [stack[0] for stack in (output, input_stack) if stack])

    @command(
        help="Make at least `count` of an item with one recipe from the inventory; make ingredients first",
        risk=Risk.CHANGE,
    )
    async def craft_item(self, call: Call, name: str, count: int = 1) -> Result:
        item = self._table.book.name(name)
        before = self._table.counts()
        with self._sources(item):
            self._table = execute.craft(self._table, item, count).table
        return self._report_making(item, before, "made")

    @command(
        help="Smelt `count` of the input item `name`, such as iron_ore, into the inventory; needs no fuel",
        risk=Risk.CHANGE,
    )
    async def smelt_item(self, call: Call, name: str, fuel: str | None = None, count: int = 1) -> Result:
        item = self._table.book.name(name)
        before = self._table.counts()
        with self._sources(item):
            self._table = execute.smelt(self._table, item, count).table
        result = self._report_making(self._table.book.smelts[item].output, before, "smelted")
        fuel_note = " The fuel was not used: smelting needs none here." if fuel else ""
        return Result(result.text + fuel_note)

    @command(help="Show all recipes of an item, and what it is good for", risk=Risk.LOOK)
    async def search_recipe(self, call: Call, name: str) -> Result:
        book = self._table.book
        item = book.name(name)
        ingredients = (part for recipe in book.making(item) for choices in recipe.groups for part in choices)
        return Result("\n".join(filter(None, (item_text(book, item), places(self._table, ingredients)))))

    @command(help="Show every slot that is not empty", risk=Risk.LOOK)
    async def show_inventory(self, call: Call) -> Result:
        return Result(table_text(self._table))

    @contextmanager
    def _sources(self, item: str) -> Iterator[None]:
        """Add to an error about missing ingredients where they come from, and where `item` lies if it is held."""
        try:
            yield
        except execute.NotEnough as error:
            where = places(self._table, [item])
            advice = [Advice(f"{where} already")] if where else []
            raise CommandError(str(error), *advice, *sources(self._table, error.missing)) from None

    def _result(self, news: str, items: list[str]) -> Result:
        return Result(f"{news[0].upper()}{news[1:]}. {holdings(self._table, items)}")

    def _report_making(self, item: str, before: dict[str, int], verb: str) -> Result:
        """Report what was made and what was used, by comparing with the counts before."""
        after = self._table.counts()
        used = {name: count - after.get(name, 0) for name, count in before.items() if count > after.get(name, 0)}
        news = f"{verb} {made(after[item] - before.get(item, 0), item)} from {amounts(used)}"
        return self._result(news, [item, *used])


def _without(table: CraftingTable, goals: Sequence[Goal]) -> CraftingTable:
    """Return the table without the stacks that the goals avoid."""
    stacks = {slot: stack for slot, stack in table.stacks() if not any(goal.avoids(stack[0]) for goal in goals)}
    return CraftingTable(stacks, table.book)
