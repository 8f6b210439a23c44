"""Exact whole-number programs: the least cost of x >= 0 with every row A x >= b, or a proof that there is none.

Dual simplex (Lemke 1954) on integer rows, then branch and bound. It uses no floating point and no clock, so the same
program always gives the same answer. Costs may not be negative, so the slack basis is a dual feasible start.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from autocraft.protocols import Json


class LinearProgram(NamedTuple):
    """`columns[j]` maps row numbers to entries of A; `costs[j]` >= 0; `bounds[i]` is b."""

    columns: Sequence[Mapping[int, int]]
    costs: Sequence[int]
    bounds: Sequence[int]


@dataclass(frozen=True, slots=True)
class Solution:
    """The result of `solve`. `best` is a cheapest x, or a cheap one after the first quarter of the nodes.

    `best` is None if there is no x (then `complete` is True) or if the node limit was reached. If there is no x, `tree`
    proves it: a leaf is {"weights": {row: weight}}, whose weighted sum of rows is negative everywhere; a fork is
    {"variable": j, "at": k, "low": x_j <= k, "high": x_j > k}.
    """

    best: tuple[int, ...] | None
    complete: bool
    nodes: int
    tree: Json = field(default_factory=dict)


class Row(NamedTuple):
    """scale * (basic variable) = constant + sum of coefficient * (variable outside the basis), with scale > 0."""

    scale: int
    constant: int
    coefficients: Mapping[int, int]

    def substitute(self, entering: int, pivot: Row) -> Row:
        """Return this row after `entering` was replaced by its own row `pivot`."""
        factor = self.coefficients[entering]
        coefficients = {k: v * pivot.scale for k, v in self.coefficients.items() if k != entering}
        for k, v in pivot.coefficients.items():
            total = coefficients.get(k, 0) + factor * v
            if total:
                coefficients[k] = total
            else:
                coefficients.pop(k, None)
        return reduce_row(self.scale * pivot.scale, self.constant * pivot.scale + factor * pivot.constant, coefficients)


def reduce_row(scale: int, constant: int, coefficients: Mapping[int, int]) -> Row:
    """Return the row divided by the greatest common divisor of its numbers."""
    divisor = math.gcd(scale, constant, *coefficients.values())
    if divisor > 1:
        return Row(scale // divisor, constant // divisor, {k: v // divisor for k, v in coefficients.items()})
    return Row(scale, constant, coefficients)


class Tableau:
    """A basis: one row for each basic variable, and the cost. Rows are shared between copies and never changed.

    Variables 0..n-1 are those of the program, n..n+m-1 its slacks, and later ones the slacks of forks.
    """

    def __init__(self, rows: dict[int, Row], cost: Row, fresh: int) -> None:
        self.rows = rows
        self.cost = cost
        self.fresh = fresh

    @classmethod
    def of(cls, program: LinearProgram) -> Tableau:
        """Return the slack basis of a program."""
        count = len(program.columns)
        entries: list[dict[int, int]] = [{} for _ in program.bounds]
        for variable, column in enumerate(program.columns):
            for row, entry in column.items():
                entries[row][variable] = entry
        rows = {count + i: Row(1, -bound, entries[i]) for i, bound in enumerate(program.bounds)}
        return cls(rows, Row(1, 0, {j: c for j, c in enumerate(program.costs) if c}), count + len(rows))

    def fork(self, variable: int, at: int, side: Literal["low", "high"]) -> Tableau:
        """Return a copy with one more row: variable <= at, or variable >= at + 1."""
        row = self.rows[variable]
        sign, offset = (-1, at) if side == "low" else (1, -at - 1)
        entries = {k: sign * v for k, v in row.coefficients.items()}
        rows = {**self.rows, self.fresh: reduce_row(row.scale, sign * row.constant + offset * row.scale, entries)}
        return Tableau(rows, self.cost, self.fresh + 1)

    def optimise(self) -> tuple[int, Row] | None:
        """Pivot until no basic variable is negative. Return the row that cannot be repaired, or None if all are."""
        while True:
            # The smallest number first, in both choices: Bland's rule, which cannot cycle.
            leaving = min((variable for variable, row in self.rows.items() if row.constant < 0), default=None)
            if leaving is None:
                return None
            row = self.rows[leaving]
            entering = self._entering(row)
            if entering is None:
                return leaving, row
            self._pivot(leaving, entering)

    def _entering(self, row: Row) -> int | None:
        best: tuple[int, int, int] | None = None
        for variable, coefficient in sorted(row.coefficients.items()):
            if coefficient > 0:
                price = self.cost.coefficients.get(variable, 0)
                if best is None or price * best[1] < best[0] * coefficient:
                    best = (price, coefficient, variable)
        return best[2] if best else None

    def _pivot(self, leaving: int, entering: int) -> None:
        row = self.rows.pop(leaving)
        factor = row.coefficients[entering]
        coefficients = {k: -v for k, v in row.coefficients.items() if k != entering}
        coefficients[leaving] = row.scale
        pivot = reduce_row(factor, -row.constant, coefficients)
        for variable, other in self.rows.items():
            if entering in other.coefficients:
                self.rows[variable] = other.substitute(entering, pivot)
        if entering in self.cost.coefficients:
            self.cost = self.cost.substitute(entering, pivot)
        self.rows[entering] = pivot

    def value(self, variable: int) -> tuple[int, int]:
        """Return numerator and denominator of a variable."""
        row = self.rows.get(variable)
        return (row.constant, row.scale) if row else (0, 1)


def solve(program: LinearProgram, *, nodes: int = 600) -> Solution:
    """Visit at most `nodes` nodes, cheapest bound first, so that the first whole solution is a cheapest one.

    After a quarter of them the newest node comes first, because many ways of equal cost (eight kinds of wood) can hide
    every whole solution behind fractions. A solution that is found then may not be the cheapest.
    """
    count = len(program.columns)
    tree: Json = {}
    created = 0
    waiting: list[tuple[int, int, Tableau, Json]] = []

    def settle(tableau: Tableau, leaf: Json) -> None:
        nonlocal created
        created += 1
        if stuck := tableau.optimise():
            leaf["weights"] = _weights(*stuck, count, len(program.bounds))
        else:
            heapq.heappush(waiting, (-(-tableau.cost.constant // tableau.cost.scale), -created, tableau, leaf))

    settle(Tableau.of(program), tree)
    for visited in range(nodes):
        if not waiting:
            break
        if visited < nodes // 4:
            _, _, tableau, leaf = heapq.heappop(waiting)
        else:
            _, _, tableau, leaf = waiting.pop(min(range(len(waiting)), key=lambda i: waiting[i][1]))
        values = [tableau.value(j) for j in range(count)]
        fraction = next((j for j, (top, bottom) in enumerate(values) if top % bottom), None)
        if fraction is None:
            return Solution(tuple(top // bottom for top, bottom in values), True, created)
        at = values[fraction][0] // values[fraction][1]
        leaf |= {"variable": fraction, "at": at, "low": {}, "high": {}}
        settle(tableau.fork(fraction, at, "low"), leaf["low"])
        settle(tableau.fork(fraction, at, "high"), leaf["high"])
    return Solution(None, not waiting, created, {} if waiting else tree)


def _weights(variable: int, row: Row, columns: int, rows: int) -> dict[int, int]:
    """Return the weights of the program's rows in a row that says: something not negative = something negative."""
    weights = {k - columns: -v for k, v in row.coefficients.items() if columns <= k < columns + rows}
    if columns <= variable < columns + rows:
        weights[variable - columns] = row.scale
    return dict(sorted(weights.items()))
