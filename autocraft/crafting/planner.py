"""Plans whole recipes: returns steps that were executed by the real rules, or a proof that there is no plan.

There are four stages: reachability; the state equation in whole numbers (`model.py`, `solver.py`); an order for its
crafts; if no order works, a search of all states (`search.py`). Limits count nodes, never seconds, so an answer does
not depend on the computer. `shortage.py` names missing items, `proofs.py` writes proofs, `execute.py` executes steps.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from autocraft.crafting import execute
from autocraft.crafting.inventory import fill
from autocraft.crafting.item_cost import thrifty, values
from autocraft.crafting.minimal.tree import tree_lines
from autocraft.crafting.model import Column, Demand, RecipeModel, build
from autocraft.crafting.proofs import counting_proof, exhaustion_proof, reachability_proof
from autocraft.crafting.recipes import Choices, Recipe, RecipeBook
from autocraft.crafting.search import search
from autocraft.crafting.shortage import lacking, lacking_text
from autocraft.crafting.solver import solve
from autocraft.crafting.table import Action, CraftingTable
from autocraft.errors import CommandError, UsageError
from autocraft.goals import Goal
from autocraft.protocols import Json, Plan, Step
from autocraft.text.phrases import items

NODES = 600
ALREADY_MET = "the goal is already met: nothing needs to be made"


class Batch(NamedTuple):
    """One recipe made once for each of `picks` (the items of its ingredients). A smelting picks its input."""

    recipe: Recipe
    picks: tuple[tuple[str, ...], ...]

    @property
    def step(self) -> Step:
        """Return the command that makes the batch."""
        count = len(self.picks) * self.recipe.count
        why = f"makes {items(count, self.recipe.output)}"
        if self.recipe.kind == "smelting":
            return Step("smelt_item", {"name": self.picks[0][0], "count": count}, why, self.recipe.output)
        return Step("craft_item", {"name": self.recipe.output, "count": count}, why, self.recipe.output)


def plan(
    book: RecipeBook,
    counts: Mapping[str, int],
    goals: Sequence[Goal],
    table: CraftingTable | None = None,
    *,
    nodes: int = NODES,
    exact: bool = False,
) -> Plan:
    """Return a plan from `counts` that meets all `goals` at the same time.

    The steps are executed on a copy of `table`. Without a table, the items are put into slots in the order of `counts`.
    If `exact`, they use nothing of the table that is not in `counts`.
    """
    targets = want(goals)
    if why := unplannable(goals, book):
        return Plan("not found", why=why)
    if holds(counts, targets):
        return Plan("found", why=ALREADY_MET)
    demand = Demand(book, counts, targets)
    decision = _decide(demand, nodes)
    if isinstance(decision, dict):
        missing = lacking(demand)
        return Plan("impossible", why=lacking_text(demand, missing), missing=missing, proof=decision)
    if decision is None:
        return Plan("not found", why=f"no plan was found within {nodes} nodes; this proves nothing")
    return _execute(table or fill(counts), targets, decision, exact)


def _decide(demand: Demand, nodes: int) -> list[Batch] | Json | None:
    """Return crafts in an order that the counts allow, or a proof of impossibility, or None at the node limit."""
    if far := [item for item in demand.targets if item not in demand.reachable]:
        return reachability_proof(demand, far[0])
    model = build(demand, lambda choices: tuple(item for item in choices if item in demand.reachable))
    solution = solve(model.program(), nodes=nodes)
    if solution.complete and solution.best is None:
        return counting_proof(model, solution)
    batches = order(model, solution.best) if solution.best else None
    if batches is None:
        batches = _straight(demand, nodes // 2)
    if batches is not None:
        return batches
    result = search(model, states=nodes)
    if result.steps is not None:
        return [Batch(recipe, (picks,)) for recipe, picks in result.steps]
    if result.complete:
        return exhaustion_proof(demand, result)
    for item, count in demand.targets.items():
        # If one goal alone cannot be reached, all together cannot be reached either.
        alone = _decide(replace(demand, targets={item: count}), nodes // 2) if len(demand.targets) > 1 else None
        if isinstance(alone, dict):
            return alone
    return None


def _straight(demand: Demand, nodes: int) -> list[Batch] | None:
    """Try again with the recipes of the cheapest trees and of the items in stock.

    Return None if no order of crafts was found, which proves nothing.
    """
    worth = values(demand.book)
    stock = {item for item, count in demand.counts.items() if count}

    def narrow(choices: Choices) -> Choices:
        near = [item for item in choices if item in demand.reachable]
        least = min((worth[item] for item in near), default=None)
        return tuple(item for item in near if item in stock or worth[item] == least)

    def keep(recipe: Recipe) -> bool:
        return thrifty(recipe, worth) or all(stock.intersection(choices) for choices in recipe.ingredients)

    model = build(demand, narrow, keep)
    solution = solve(model.program(), nodes=nodes)
    return order(model, solution.best) if solution.best else None


def want(goals: Sequence[Goal]) -> dict[str, int]:
    """Return item -> how many must be held, so that all goals are met at once."""
    targets: dict[str, int] = {}
    for goal in goals:
        for item, count in goal.items:
            targets[item] = max(count, targets.get(item, 0))
    return targets


def unplannable(goals: Sequence[Goal], book: RecipeBook) -> str:
    """Return why these goals cannot be planned for, or "" if they can."""
    if free := [goal.text for goal in goals if not goal.checkable]:
        return f"{free[0]!r} names no items, so nothing can be planned"
    unknown = [item for item in want(goals) if item not in book.items]
    return f"there is no item {unknown[0]!r} in Minecraft 1.16" if unknown else ""


def holds(counts: Mapping[str, int], targets: Mapping[str, int]) -> bool:
    """Return whether the counts hold all that is wanted."""
    return all(counts.get(item, 0) >= count for item, count in targets.items())


def order(model: RecipeModel, amounts: Sequence[int]) -> list[Batch] | None:
    """Return a solution's crafts in an order that gives each its ingredients. Return None if no order does."""
    stock = dict(model.demand.counts)
    pools: dict[str, dict[str, int]] = {}
    remaining: dict[int, int] = {}
    for index, (column, amount) in enumerate(zip(model.columns, amounts, strict=True)):
        if column.pool and amount:
            pools.setdefault(column.pool, {})[column.item] = amount
        elif amount:
            remaining[index] = amount
    batches = []
    while remaining:
        # Take the crafts farthest from the goals first, and complete batches before partial ones.
        able = [(_times(model.columns[i], stock, pools, remaining[i]), i) for i in sorted(remaining, reverse=True)]
        able = [(times, i) for times, i in able if times]
        if not able:
            return None
        times, index = next((option for option in able if option[0] == remaining[option[1]]), able[0])
        remaining[index] -= times
        if not remaining[index]:
            del remaining[index]
        batches.append(_batch(model.columns[index], times, stock, pools))
    return batches


def _times(column: Column, stock: Mapping[str, int], pools: Mapping[str, Mapping[str, int]], most: int) -> int:
    """Return how many times a column can be made now, at most `most`."""
    for name, count in column.uses.items():
        pool = pools.get(name, {}) if "|" in name else {name: stock.get(name, 0)}
        most = min(most, sum(min(amount, stock.get(item, 0)) for item, amount in pool.items()) // count)
    return most


def _batch(column: Column, times: int, stock: dict[str, int], pools: dict[str, dict[str, int]]) -> Batch:
    """Return a column as a batch of `times` crafts. Update `stock` and `pools` by what they use and make."""
    assert column.recipe is not None
    supply: dict[Choices, list[str]] = {}
    for choices, (name, count) in zip(column.recipe.groups, column.uses.items(), strict=True):
        items = pools[name] if "|" in name else {name: times * count}
        items_used: list[str] = []
        for item in items:
            some = min(items[item], stock.get(item, 0), times * count - len(items_used))
            items_used += [item] * some
            items[item] -= some
            stock[item] = stock.get(item, 0) - some
        supply[choices] = items_used
    stock[column.makes] = stock.get(column.makes, 0) + column.count * times
    return Batch(column.recipe, column.recipe.deal(supply, times))


def _execute(table: CraftingTable, targets: Mapping[str, int], batches: Sequence[Batch], exact: bool) -> Plan:
    """Return the plan after executing it on a copy of the table."""
    why = "no order of steps was found that keeps to them"
    for as_picked in (True,) if exact else (False, True):
        try:
            steps, actions, end = _play(table, batches, as_picked)
        except (CommandError, UsageError) as error:
            why = str(error)
            continue
        if holds(end.counts(), targets):
            tree = tuple(tree_lines(table, actions, targets))
            return Plan("found", tuple(steps), f"{len(steps)} steps", tree=tree)
    return Plan("not found", why=f"the counts suffice, but carrying it out fails: {why}")


def _play(
    table: CraftingTable, batches: Sequence[Batch], exact: bool
) -> tuple[list[Step], list[Action], CraftingTable]:
    """Execute `batches`. `craft_item` picks its ingredients; if `exact`, moves replace it where it picks others."""
    steps: list[Step] = []
    actions: list[Action] = []
    for batch in batches:
        if batch.recipe.kind == "smelting":
            execution, commands = execute.smelt(table, batch.picks[0][0], len(batch.picks)), [batch.step]
        else:
            execution, commands = _crafted(table, batch, exact)
        table = execution.table
        steps += commands
        actions += execution.actions
    return steps, actions, table


def _crafted(table: CraftingTable, batch: Batch, exact: bool) -> tuple[execute.Execution, list[Step]]:
    """Return the execution of a batch of crafts, with its commands."""
    careful = execute.craft_with(table, batch.recipe, batch.picks) if exact else None
    try:
        free = execute.craft(table, batch.recipe.output, len(batch.picks) * batch.recipe.count)
        if careful is None or free.table.counts() == careful.table.counts():
            return free, [batch.step]
    except CommandError:
        if careful is None:
            raise
    return careful, [action.step() for action in careful.actions]
