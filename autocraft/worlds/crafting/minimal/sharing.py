"""How many cells must be filled between two takes: those of the second pattern, less what can stay or land there."""

from __future__ import annotations

from autocraft.worlds.crafting.minimal.problem import Cells, Craft, Pattern, Problem


def fills(before: Pattern, after: Pattern) -> int:
    """The fewest cells that moves and smelts must fill after `before`, over all ways in which the two can lie."""
    if before.places and after.places:
        return after.size - _shared_shapes(before, after)
    return after.size - _shared_sets(before, after)


def _shared_shapes(before: Pattern, after: Pattern) -> int:
    output = 1 << before.makes if before.makes >= 0 else 0
    best = 0
    for lying in before.places:
        for wanted in after.places:
            kept = landed = 0
            for old, new in zip(lying, wanted, strict=True):
                if old & new:
                    kept += 1
                elif not old and new & output:
                    landed = 1
            best = max(best, kept + landed)
    return best


def _shared_sets(before: Pattern, after: Pattern) -> int:
    """Where one pattern has no shape its cells can be anywhere, so only what lies in them counts."""
    old = [cell for cell in before.cells if cell]
    new = [cell for cell in after.cells if cell]
    taken: dict[int, int] = {}

    def match(cell: int, tried: set[int]) -> bool:
        for index, lying in enumerate(old):
            if lying & cell and index not in tried:
                tried.add(index)
                if index not in taken or match(taken[index], tried):
                    taken[index] = cell
                    return True
        return False

    kept = sum(match(cell, set()) for cell in new)
    output = 1 << before.makes if before.makes >= 0 else 0
    return min(len(new), kept + (len(old) < 9 and any(cell & output for cell in new)))


def fewest_fills(problem: Problem, craft: Craft) -> int:
    """The fewest actions other than takes with which a run of `craft` begins, after any other craft or at the start."""
    after = problem.everything(craft)
    before = [problem.everything(other) for other in problem.crafts if other is not craft]
    return min([fills(each, after) for each in before] + [start_fills(problem, after)])


def start_fills(problem: Problem, after: Pattern) -> int:
    """The same at the start: what lies in the grid stays where it is wanted and is cleared where it is not."""
    if not after.places:
        return start_actions(problem, after.cells, shaped=False)
    return min(start_actions(problem, place) for place in after.places)


def start_actions(problem: Problem, cells: Cells, *, shaped: bool = True) -> int:
    """Actions, at least, that turn the grid of the start into `cells`, which without a shape may lie anywhere."""
    lying = [stack for stack in problem.grid if stack]
    if shaped:
        fitting = [bool(stack and (1 << stack[0]) & new) for stack, new in zip(problem.grid, cells, strict=True)]
        clear = [stack for stack, fits in zip(problem.grid, fitting, strict=True) if stack and not fits]
        filled = [new for new, fits in zip(cells, fitting, strict=True) if new and not fits]
    else:
        filled, clear = list(cells), []
        # Of several stacks of an item the small ones are the easiest to clear.
        for stack in sorted(lying, key=lambda stack: -stack[1]):
            fit = next((new for new in filled if (1 << stack[0]) & new), 0)
            if fit:
                filled.remove(fit)
            else:
                clear.append(stack)
    useful = sum(any(_feeds(problem, item, new) for item, _ in clear) for new in filled)
    # A move rids one cell of its stack; a take of any other recipe rids every cell of one item.
    most = max((count for _, count in clear), default=0)
    clearing = min(takes + max(0, sum(count > takes for _, count in clear) - useful) for takes in range(most + 1))
    return len(filled) + clearing


def _feeds(problem: Problem, item: int, cell: int) -> bool:
    """Whether a move or smelt of `item` can fill `cell`."""
    return bool((1 << item) & cell) or any(
        item in inputs and bool((1 << made) & cell) for made, inputs in problem.sources.items()
    )
