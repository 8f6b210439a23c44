"""Weighs each item in actions, so that the weight of missing items bounds the actions that must follow.

The weights solve the linear program "least actions for what is wanted" (its dual), in whole numbers. A run of one craft
costs its takes and the cells that must be filled for it; the cells are divided among the takes that a run can have.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from autocraft.crafting.minimal.problem import Counts, Craft, Problem
from autocraft.crafting.minimal.sharing import fewest_fills
from autocraft.crafting.solver import LinearProgram, Tableau

_UNIT = 48
_STEPS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 48)


class Weights(NamedTuple):
    """Weights of `items`, of all wanted items (`goal`), and of what a run has `paid`, in units of 1/`scale` action."""

    items: tuple[int, ...]
    goal: int
    paid: tuple[int, ...]
    scale: int

    def at_least(self, counts: Counts, craft: int) -> int:
        """Return a lower bound of the actions from these counts on, in a run of `craft` (-1 for no run)."""
        owed = self.goal - sum(weight * count for weight, count in zip(self.items, counts, strict=True) if weight)
        if craft >= 0:
            owed -= self.paid[craft]
        return -(-owed // self.scale) if owed > 0 else 0


def weigh(problem: Problem, most: int, *, thrifty: bool) -> Weights | None:
    """Return weights that hold for plans of at most `most` actions. Return None if the linear program has no solution.

    If `thrifty`, they hold only for plans in which the counts need every take. Other plans do not matter to the first
    bound if the grid is empty at the start. They matter to the second, since a needless take can clear the grid.
    """
    often = most_takes(problem, most) if thrifty else [most] * len(problem.crafts)
    limits = [_step(takes) for takes in often]
    fills = [fewest_fills(problem, craft) for craft in problem.crafts]
    program = _program(problem, [_UNIT + (_UNIT * f // n if n else 0) for f, n in zip(fills, limits, strict=True)])
    tableau = Tableau.of(program)
    if tableau.optimise():
        return None
    count, scale = len(program.columns), tableau.cost.scale
    items = [0] * len(problem.names)
    for variable, value in tableau.cost.coefficients.items():
        if count <= variable < count + len(items):
            items[variable - count] = value
    goal = sum(weight * want for weight, want in zip(items, problem.targets, strict=True))
    # Every limit divides the unit, so nothing is rounded.
    paid = [_UNIT * f // n * (n - 1) * scale if n else 0 for f, n in zip(fills, limits, strict=True)]
    return Weights(tuple(items), goal, tuple(paid), _UNIT * scale)


def _program(problem: Problem, costs_of_crafts: Sequence[int]) -> LinearProgram:
    """Return the program: the least cost of crafts and smelts that cover the wanted items. The first rows are items."""
    columns: list[dict[int, int]] = []
    costs: list[int] = []
    rows = [want - have for want, have in zip(problem.targets, problem.start, strict=True)]
    pools: dict[tuple[int, ...], int] = {}
    for craft, cost in zip(problem.crafts, costs_of_crafts, strict=True):
        column: dict[int, int] = {craft.makes: craft.count}
        for choices, cells in craft.groups:
            row = choices[0]
            if len(choices) > 1:
                if choices not in pools:
                    pools[choices] = len(rows)
                    rows.append(0)
                    columns += [{pools[choices]: 1, item: -1} for item in choices]
                    costs += [0] * len(choices)
                row = pools[choices]
            column[row] = column.get(row, 0) - cells
        columns.append(column)
        costs.append(cost)
    for product, inputs in problem.sources.items():
        for item in inputs:
            columns.append({product: 1, item: -1})
            costs.append(_UNIT // problem.targets[product] if _only_smelted_for_itself(problem, item, product) else 0)
    return LinearProgram(columns, costs, rows)


def _only_smelted_for_itself(problem: Problem, item: int, product: int) -> bool:
    """Return whether smelting `item` into `product` always costs an action.

    It does if nothing uses `product`, so it never fills a cell, and if no `item` lies in the grid at the start.
    """
    is_ingredient = any(product in choices for craft in problem.crafts for choices, _ in craft.groups)
    in_grid = any(stack and stack[0] == item for stack in problem.grid)
    return not is_ingredient and not in_grid and product not in problem.inputs


def _step(often: int) -> int:
    """Return `often` rounded up to a divisor of 48, or 0 (no bound) above."""
    return next((step for step in _STEPS if step >= often), 0)


def most_takes(problem: Problem, most: int) -> list[int]:
    """Return how many takes of each craft a plan of at most `most` actions can need."""
    needs: dict[int, float] = {}

    def need(item: int) -> float:
        """Return how many of `item` the whole plan needs, infinite if recipes go in circles."""
        if item in needs:
            return needs[item]
        needs[item] = math.inf
        total: float = problem.targets[item]
        for craft in problem.crafts:
            total += sum(cells * often(craft) for choices, cells in craft.groups if item in choices)
        for product, inputs in problem.sources.items():
            total += max(0, need(product) - problem.start[product]) if item in inputs else 0
        needs[item] = total
        return total

    def often(craft: Craft) -> float:
        lacking = max(0, need(craft.makes) - problem.start[craft.makes])
        return lacking if math.isinf(lacking) else -(-lacking // craft.count)

    return [int(max(1, min(most, often(craft)))) for craft in problem.crafts]
