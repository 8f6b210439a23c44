"""Compares two lists of lines with a bounded amount of work, by Myers' algorithm of 1986, which git uses."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass

MOST_STEPS = 2_000_000
"""Most steps of one comparison, about half a second. A longer comparison is given up."""


@dataclass(frozen=True, slots=True)
class Edit:
    """Lines ``at`` to ``end`` of the old list become lines ``new_at`` to ``new_end`` of the new one."""

    at: int
    end: int
    new_at: int
    new_end: int


def compare(old: Sequence[str], new: Sequence[str]) -> list[Edit] | None:
    """Return the edits that turn `old` into `new`, in order. Return None if that takes more than MOST_STEPS."""
    same = _common(old, new)
    rest = min(len(old), len(new)) - same
    tail = _common(old[::-1][:rest], new[::-1][:rest])
    numbers: dict[str, int] = {}
    a, b = (
        array("i", [numbers.setdefault(line, len(numbers)) for line in lines[same : len(lines) - tail]])
        for lines in (old, new)
    )
    steps = _steps(a, b)
    return None if steps is None else _edits(steps, same)


def _common(old: Sequence[str], new: Sequence[str]) -> int:
    """Return how many lines at the start are equal."""
    at = 0
    for one, other in zip(old, new, strict=False):
        if one != other:
            break
        at += 1
    return at


@dataclass(frozen=True, slots=True)
class _Step:
    """One line deleted (old[x]) or added (new[y]). x and y are the places before it."""

    x: int
    y: int
    adds: bool


def _steps(a: Sequence[int], b: Sequence[int]) -> list[_Step] | None:
    """Return the fewest steps that turn `a` into `b`, the last first. Return None if that takes more than MOST_STEPS.

    Round d follows the paths of d steps along equal lines. On each diagonal k = x - y only the path that gets furthest
    counts.
    """
    n, m = len(a), len(b)
    furthest = array("i", bytes((n + m + 3) * 4))  # x by diagonal, that of k at k + m + 1
    rounds: list[array[int]] = []
    work = 0
    for d in range(n + m + 1):
        low, high = _diagonals(d, n, m)
        rounds.append(furthest[low + m : high + m + 3])
        for k in range(low, high + 1, 2):
            at = k + m + 1
            adds = _adds(k, d, furthest[at - 1], furthest[at + 1])
            x = started = furthest[at + 1] if adds else furthest[at - 1] + (d > 0)
            while x < n and x - k < m and a[x] == b[x - k]:
                x += 1
            furthest[at] = x
            work += x - started + 1
            if x >= n and x - k >= m:
                return _back(rounds, n, m)
        if work > MOST_STEPS:
            return None
    return None


def _diagonals(d: int, n: int, m: int) -> tuple[int, int]:
    """Return the first and the last diagonal of round d inside the grid."""
    return -(d - 2 * max(0, d - m)), d - 2 * max(0, d - n)


def _adds(k: int, d: int, left: int, right: int) -> bool:
    """Return whether the best path of round d reaches diagonal k by adding a line, from the diagonal at its right."""
    return k == -d != 0 or (k != d and left < right)


def _back(rounds: list[array[int]], x: int, y: int) -> list[_Step]:
    """Return the steps of the path to (x, y), from the state at the start of each round."""
    n, m, steps = x, y, []
    for d in range(len(rounds) - 1, 0, -1):
        k, low = x - y, _diagonals(d, n, m)[0]
        left, right = rounds[d][k - low], rounds[d][k - low + 2]
        adds = _adds(k, d, left, right)
        x = right if adds else left
        y = x - (k + 1 if adds else k - 1)
        steps.append(_Step(x, y, adds))
    return steps


def _edits(steps: list[_Step], same: int) -> list[Edit]:
    """Join consecutive steps into edits. `same` lines are before all of them."""
    edits: list[Edit] = []
    for step in reversed(steps):
        x, y = step.x + same, step.y + same
        end, new_end = (x, y + 1) if step.adds else (x + 1, y)
        if edits and (edits[-1].end, edits[-1].new_end) == (x, y):
            edits[-1] = Edit(edits[-1].at, end, edits[-1].new_at, new_end)
        else:
            edits.append(Edit(x, end, y, new_end))
    return edits
