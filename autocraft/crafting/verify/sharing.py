"""Counts the least actions between two takes; see "Between two takes" in `docs/crafting.md`."""

from __future__ import annotations

from collections.abc import Sequence

from autocraft.crafting.verify.question import Cell, Pattern, Question


def fills(before: Pattern, after: Pattern) -> int:
    """Return the fewest cells of `after` that change from `before`, less one if [0] can land there."""
    if not before.places or not after.places:
        stay = matching(before.cells, after.cells)
        lands = len(before.cells) < 9 and any(before.makes in cell for cell in after.cells)
        return max(0, len(after.cells) - stay - lands)
    least = 9
    for old in before.places:
        for new in after.places:
            changes = [cell for cell in range(9) if new[cell] and not new[cell] & old[cell]]
            lands = any(before.makes in new[cell] and not old[cell] for cell in changes)
            least = min(least, len(changes) - lands)
    return least


def matching(old: Sequence[Cell], new: Sequence[Cell]) -> int:
    """Return how many cells of `new` can be paired off with cells of `old` that may hold the same."""
    keeps: dict[int, int] = {}

    def place(cell: int, visits: set[int]) -> bool:
        for candidate, old_cell in enumerate(old):
            if old_cell & new[cell] and candidate not in visits:
                visits.add(candidate)
                if candidate not in keeps or place(keeps[candidate], visits):
                    keeps[candidate] = cell
                    return True
        return False

    return sum(place(cell, set()) for cell in range(len(new)))


def first_fills(question: Question, after: Pattern) -> int:
    """Return the least actions from the grid at the start to a pattern, clearing included."""
    if after.places:
        return min(first_actions(question, place, shaped=True) for place in after.places)
    return first_actions(question, after.cells, shaped=False)


def first_actions(question: Question, cells: Sequence[Cell], *, shaped: bool) -> int:
    """Return the least actions from the grid at the start to these cells."""
    fill: list[Cell]
    if shaped:
        pairs = list(zip(question.grid, cells, strict=True))
        away = [stack for stack, cell in pairs if stack and stack[0] not in cell]
        fill = [cell for stack, cell in pairs if cell and not (stack and stack[0] in cell)]
    else:
        away, fill = [], list(cells)
        for stack in sorted(filter(None, question.grid), key=lambda stack: stack[1], reverse=True):
            suits = [cell for cell in fill if stack[0] in cell]
            if suits:
                fill.remove(suits[0])
            else:
                away.append(stack)
    becomes = {
        name: {product for product, inputs in question.smelts.items() if name in inputs} | {name} for name, _ in away
    }
    help_count = sum(any(cell & becomes[name] for name, _ in away) for cell in fill)
    rounds = [0, *(count for _, count in away)]
    return len(fill) + min(takes + max(0, sum(count > takes for _, count in away) - help_count) for takes in rounds)


def entry(question: Question, number: int) -> int:
    """Return the least actions before a run of a craft, after any other craft or at the start."""
    after = question.any_pattern(number)
    others = [fills(question.any_pattern(other), after) for other in range(len(question.crafts)) if other != number]
    return min([*others, first_fills(question, after)])
