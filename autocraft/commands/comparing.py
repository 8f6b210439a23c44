"""Compares two lists of lines with a bounded amount of work, by Myers' algorithm of 1986, which git uses."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import NamedTuple

MOST_STEPS = 2_000_000
"""Most steps of one comparison, about half a second. A longer comparison is given up."""


class Edit(NamedTuple):
    """Lines ``at`` to ``end`` of the old list become lines ``new_at`` to ``new_end`` of the new one."""

    at: int
    end: int
    new_at: int
    new_end: int


def compare(old: Sequence[str], new: Sequence[str]) -> list[Edit] | None:
    """Return the edits that turn `old` into `new`, in order. Return None if that takes more than MOST_STEPS.

    Only lines that both lists have are compared. The others are edits in any case.
    """
    same = _common(old, new)
    rest = min(len(old), len(new)) - same
    tail = _common(old[::-1][:rest], new[::-1][:rest])
    old, new = old[same : len(old) - tail], new[same : len(new) - tail]
    numbers = {line: number for number, line in enumerate(set(old) & set(new))}
    old_at, new_at = ([at for at, line in enumerate(lines) if line in numbers] for lines in (old, new))
    steps = _steps([numbers[old[at]] for at in old_at], [numbers[new[at]] for at in new_at])
    if steps is None:
        return None
    deletions, additions = steps
    common = zip(
        [at for x, at in enumerate(old_at) if x not in deletions],
        [at for y, at in enumerate(new_at) if y not in additions],
        strict=True,
    )
    edits, x, y = [], 0, 0
    for next_x, next_y in [*common, (len(old), len(new))]:
        if (next_x, next_y) != (x, y):
            edits.append(Edit(x + same, next_x + same, y + same, next_y + same))
        x, y = next_x + 1, next_y + 1
    return edits


def _common(old: Sequence[str], new: Sequence[str]) -> int:
    """Return how many lines at the start are equal."""
    at = 0
    for one, other in zip(old, new, strict=False):
        if one != other:
            break
        at += 1
    return at


def _steps(a: Sequence[int], b: Sequence[int]) -> tuple[set[int], set[int]] | None:
    """Return the fewest places to delete in `a` and to add in `b`. Return None if that takes more than MOST_STEPS.

    Round d extends the paths of d steps along equal lines. Each diagonal k = x - y keeps only its furthest path.
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
            x = start = furthest[at + 1] if adds else furthest[at - 1] + (d > 0)
            while x < n and x - k < m and a[x] == b[x - k]:
                x += 1
            furthest[at] = x
            work += x - start + 1
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


def _back(rounds: list[array[int]], x: int, y: int) -> tuple[set[int], set[int]]:
    """Return the places deleted and added on the path to (x, y), from the state at the start of each round."""
    n, m = x, y
    deletions: set[int] = set()
    additions: set[int] = set()
    for d in range(len(rounds) - 1, 0, -1):
        k, low = x - y, _diagonals(d, n, m)[0]
        left, right = rounds[d][k - low], rounds[d][k - low + 2]
        if _adds(k, d, left, right):
            x, y = right, right - k - 1
            additions.add(y)
        else:
            x, y = left, left - k + 1
            deletions.add(x)
    return deletions, additions
