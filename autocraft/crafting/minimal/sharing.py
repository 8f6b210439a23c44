"""Counts the cells that must be filled between two takes: those of a pattern that neither stay nor get the output."""

from __future__ import annotations

from autocraft.crafting.minimal.problem import Cells, Craft, Pattern, Problem


def fills(before: Pattern, after: Pattern) -> int:
    """Return the fewest cells that moves and smelts must fill after `before`, wherever the two patterns lie."""
    output = 1 << before.makes if before.makes >= 0 else 0
    if not before.places or not after.places:
        return after.size - _shared_sets(before, after, output)
    best = 0
    for old_cells in before.places:
        for new_cells in after.places:
            overlap = landing = 0
            for old, new in zip(old_cells, new_cells, strict=True):
                if old & new:
                    overlap += 1
                elif not old and new & output:
                    landing = 1
            best = max(best, overlap + landing)
    return after.size - best


def _shared_sets(before: Pattern, after: Pattern, output: int) -> int:
    """Count shared cells if one pattern is shapeless: its cells can be anywhere, so only their items count."""
    old = [cell for cell in before.cells if cell]
    new = [cell for cell in after.cells if cell]
    partners: dict[int, int] = {}

    def match(cell: int, visits: set[int]) -> bool:
        for index, old_cell in enumerate(old):
            if old_cell & cell and index not in visits:
                visits.add(index)
                if index not in partners or match(partners[index], visits):
                    partners[index] = cell
                    return True
        return False

    overlap = sum(match(cell, set()) for cell in new)
    return min(len(new), overlap + (len(old) < 9 and any(cell & output for cell in new)))


def fewest_fills(problem: Problem, craft: Craft) -> int:
    """Return the fewest actions before a run of `craft`, after any other craft or at the start."""
    after = problem.everything(craft)
    before = [problem.everything(other) for other in problem.crafts if other is not craft]
    return min([fills(other_pattern, after) for other_pattern in before] + [start_fills(problem, after)])


def start_fills(problem: Problem, after: Pattern) -> int:
    """Return the fewest actions before the first take. Items in the grid stay if they fit, or are cleared."""
    if not after.places:
        return start_actions(problem, after.cells, shaped=False)
    return min(start_actions(problem, place) for place in after.places)


def start_actions(problem: Problem, cells: Cells, *, shaped: bool = True) -> int:
    """Return the fewest actions from the grid at the start to `cells`, which can be anywhere without a shape."""
    stacks = [stack for stack in problem.grid if stack]
    if shaped:
        fitting = [bool(stack and (1 << stack[0]) & new) for stack, new in zip(problem.grid, cells, strict=True)]
        clear = [stack for stack, fits in zip(problem.grid, fitting, strict=True) if stack and not fits]
        to_fill = [new for new, fits in zip(cells, fitting, strict=True) if new and not fits]
    else:
        to_fill, clear = list(cells), []
        # Of several stacks of an item the small ones are the easiest to clear.
        for stack in sorted(stacks, key=lambda stack: -stack[1]):
            fit = next((new for new in to_fill if (1 << stack[0]) & new), 0)
            if fit:
                to_fill.remove(fit)
            else:
                clear.append(stack)
    useful = sum(any(_feeds(problem, item, new) for item, _ in clear) for new in to_fill)
    # A move clears the stack of one cell; a take of any other recipe removes one item from every cell.
    most = max((count for _, count in clear), default=0)
    clearing = min(takes + max(0, sum(count > takes for _, count in clear) - useful) for takes in range(most + 1))
    return len(to_fill) + clearing


def _feeds(problem: Problem, item: int, cell: int) -> bool:
    """Return whether a move or smelt of `item` can fill `cell`."""
    return bool((1 << item) & cell) or any(
        item in inputs and bool((1 << product) & cell) for product, inputs in problem.sources.items()
    )
