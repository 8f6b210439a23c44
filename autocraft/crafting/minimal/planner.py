"""Finds the fewest moves and smelts to a goal from any state of the table, with a certificate.

`takes.py` and `cells.py` bound the number of actions from below, and `simulate.py` executes their result by the real
rules. If both numbers are equal, the plan is proven minimal. Like items are merged first, and kept apart if that leaves
a gap. Limits count states and steps, never seconds. `plans.py` writes plans to a file; `verify/` checks them
independently.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from autocraft.crafting import execute
from autocraft.crafting.minimal.cells import WayStep, follow, ways
from autocraft.crafting.minimal.problem import Problem, problem_of
from autocraft.crafting.minimal.simulate import play
from autocraft.crafting.minimal.takes import Takes
from autocraft.crafting.minimal.weights import Weights, weigh
from autocraft.crafting.planner import ALREADY_MET, holds, plan, unplannable, want
from autocraft.crafting.table import Action, CraftingTable
from autocraft.errors import CommandError
from autocraft.goals import Goal
from autocraft.protocols import Json, Step

NODES = 20_000
_LENGTHS = (48, 100_000)
_SLACK = 12
_MOVES = 2_000
_OTHER_WAYS = 3_000
_OTHER_PLAYED = 100
_OTHER_MOVES = 300
_UNPROVEN = {"bound": "none", "least": 0}


@dataclass(frozen=True)
class MinimalPlan:
    """The result of planning.

    ``found``: `actions` reach the goal on a copy of the table, and no plan has fewer than `least`. ``impossible``:
    `proof` is from `crafting.planner`. ``not found``: a limit was reached, which proves nothing.
    """

    verdict: Literal["found", "impossible", "not found"]
    actions: tuple[Action, ...] = ()
    least: int = 0
    why: str = ""
    certificate: Json = field(default_factory=dict)
    proof: Json = field(default_factory=dict)
    missing: Mapping[str, int] = field(default_factory=dict)

    @property
    def minimal(self) -> bool:
        """Return whether it is proven that no plan is shorter."""
        return self.verdict == "found" and self.least == len(self.actions)


def minimal_plan(table: CraftingTable, goals: Sequence[Goal], *, nodes: int = NODES) -> MinimalPlan:
    """Return the fewest actions that meet all `goals` from `table`. Each search visits at most `nodes` states."""
    targets = want(goals)
    if why := unplannable(goals, table.book):
        return MinimalPlan("not found", why=why)
    if holds(table.counts(), targets):
        return MinimalPlan("found", why=ALREADY_MET, certificate=_UNPROVEN)
    best = shortest(table, targets, nodes=nodes)
    return best if best is not None and best.actions else _by_recipes(table, goals, best)


def shortest(table: CraftingTable, targets: Mapping[str, int], *, nodes: int = NODES) -> MinimalPlan | None:
    """Search for a plan, but for no proof of impossibility. Return None if no way was found, which proves nothing.

    If the search finds a bound but no moves, `actions` is empty and `least` holds.
    """
    best: MinimalPlan | None = None
    for merge in (True, False):
        candidate = _search(table, targets, merge, nodes)
        if candidate is None:
            break
        best = _better(best, candidate)
        if best.minimal:
            break
    return best


def _better(one: MinimalPlan | None, other: MinimalPlan) -> MinimalPlan:
    """Return the shorter plan with the higher bound."""
    if one is None or not one.actions:
        return other
    short = one if len(one.actions) <= len(other.actions) or not other.actions else other
    high = max(one, other, key=lambda plan: plan.least)
    return MinimalPlan("found", short.actions, high.least, _why(len(short.actions), high.least), high.certificate)


def _search(table: CraftingTable, targets: Mapping[str, int], merge: bool, nodes: int) -> MinimalPlan | None:
    """Return a plan, or only a bound with empty `actions`. Return None if no way was found."""
    problem = problem_of(table.book, table, targets, merge=merge)
    for length in _LENGTHS:
        weights = weigh(problem, length, thrifty=not any(problem.grid))
        if weights is None:
            return None
        takes = Takes(problem, weights, nodes)
        complete = takes.search()
        if complete and takes.best is None:
            return None
        if not complete:
            least = min(takes.floor(), length + 1)
            return MinimalPlan("not found", least=least, certificate=_certificate(problem, weights, "takes", least))
        assert takes.best is not None
        if takes.best + _SLACK <= length:
            return _closest(table, takes, length)
    return None


def _closest(table: CraftingTable, takes: Takes, length: int) -> MinimalPlan:
    """Return a plan of exactly the first bound if one fits the cells, otherwise use the second bound."""
    assert takes.best is not None
    way, _ = follow(takes, takes.best, takes.nodes)
    if way is not None:
        actions = _moves_of(table, takes, way, takes.best)
        if actions is not None and len(actions) == takes.best:
            why = _why(takes.best, takes.best)
            certificate = _certificate(takes.problem, takes.weights, "takes", takes.best)
            return MinimalPlan("found", tuple(actions), takes.best, why, certificate)
    if any(takes.problem.grid):
        return _closer(table, takes, proves=True)
    weights = weigh(takes.problem, length, thrifty=False)
    assert weights is not None
    broad = Takes(takes.problem, weights, takes.nodes)
    complete = broad.search()
    return _closer(table, broad if complete else takes, proves=complete)


def _closer(table: CraftingTable, takes: Takes, *, proves: bool) -> MinimalPlan:
    """Return a plan of the least cost at which a way fits the cells. Try costs from the first bound upwards.

    The certificate claims this cost as a bound only if the search `proves` it.
    """
    assert takes.best is not None
    problem, weights, nodes = takes.problem, takes.weights, takes.nodes
    least, kind = takes.best, "takes"
    for cost in range(takes.best, takes.best + _SLACK):
        way, complete = follow(takes, cost, nodes)
        if way is None and takes.search(cost):
            way, complete = follow(takes, cost, nodes)
        elif way is None:
            complete = False
        if way is not None or not complete:
            break
        if proves:
            least, kind = cost + 1, "cells"
    actions = _moves_of(table, takes, way, cost) if way is not None else None
    certificate = _certificate(problem, weights, kind, least)
    if actions is None:
        return MinimalPlan("not found", least=least, certificate=certificate)
    return MinimalPlan("found", tuple(actions), least, _why(len(actions), least), certificate)


def _why(length: int, least: int) -> str:
    if length == least:
        return f"{length} actions, proven to be the fewest"
    if not least:
        return f"{length} actions, the fewest known; nothing is proven"
    return f"{length} actions, the fewest known; it is proven that fewer than {least} cannot do"


def _moves_of(table: CraftingTable, takes: Takes, way: list[WayStep], cost: int) -> list[Action] | None:
    """Return the moves of `way`, or of another way that costs as much or slightly more. Return None if none works."""
    try:
        actions = play(takes.problem, table, way, cost, _MOVES)
        if actions is None:
            for other in itertools.islice(ways(takes, cost, _OTHER_WAYS), _OTHER_PLAYED):
                actions = play(takes.problem, table, other, cost, _OTHER_MOVES)
                if actions is not None:
                    return actions
        for more in range(1, _SLACK):
            if actions is None:
                actions = play(takes.problem, table, way, cost + more, _MOVES)
        return actions
    except RecursionError:  # hundreds of takes one after another: Python does not go as deep
        return None


def _certificate(problem: Problem, weights: Weights, bound: str, least: int) -> Json:
    """Return the certificate of a bound: the merged items, and the weights that keep the verifier's search small."""
    return {
        "bound": bound,
        "least": least,
        "merged": [list(names) for names in problem.names if len(names) > 1],
        "weights": {names[0]: weight for names, weight in zip(problem.names, weights.items, strict=True) if weight},
        "scale": weights.scale,
    }


def _by_recipes(table: CraftingTable, goals: Sequence[Goal], bound: MinimalPlan | None) -> MinimalPlan:
    """Return the result of the planner of whole recipes: a proof of impossibility, or a plan that may be long."""
    broad = plan(table.book, table.counts(), goals, table)
    if broad.verdict == "impossible":
        return MinimalPlan("impossible", why=broad.why, proof=broad.proof, missing=broad.missing)
    if broad.verdict == "not found":
        return MinimalPlan("not found", why=broad.why)
    least, certificate = (bound.least, bound.certificate) if bound else (0, _UNPROVEN)
    try:
        actions = _single_moves(table, broad.steps)
    except CommandError as error:
        return MinimalPlan("not found", why=f"the recipes are known, but carrying them out fails: {error}")
    return MinimalPlan("found", tuple(actions), least, _why(len(actions), least), certificate)


def _single_moves(table: CraftingTable, steps: Sequence[Step]) -> list[Action]:
    """Return the actions of steps that make whole recipes."""
    actions = []
    for step in steps:
        execution = execute.carry_out(table, step.name, step.args)
        actions += execution.actions
        table = execution.table
    return actions
