"""The crafts of a plan as a tree, from the goal down to the items at the start."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from autocraft.crafting.slots import GRID, OUTPUT
from autocraft.crafting.table import Action, CraftingTable


@dataclass
class Making:
    """All that a plan makes of one item, and its ingredients."""

    count: int = 0
    verb: str = "crafted"
    uses: Counter[str] = field(default_factory=Counter)


def makings(table: CraftingTable, actions: Sequence[Action]) -> dict[str, Making]:
    """Return how each item is made, by its name. `actions` are executed on a copy of `table`."""
    table = table.copy()
    result: dict[str, Making] = {}
    for action in actions:
        stack = table[action.source]
        assert stack is not None
        if action.kind == "smelt":
            how = result.setdefault(table.book.smelts[stack[0]].output, Making(verb="smelted"))
            how.count += action.quantity
            how.uses[stack[0]] += action.quantity
        elif action.source == OUTPUT:
            how = result.setdefault(stack[0], Making())
            how.count += stack[1]
            how.uses.update(item for _, (item, _) in table.stacks(GRID))
        table.act(action)
    return result


def tree_lines(table: CraftingTable, actions: Sequence[Action], targets: Mapping[str, int]) -> list[str]:
    """Return the tree of a plan of actions, one line an item, from the wanted items down.

    An item that several crafts need is unfolded once.
    """
    by_item = makings(table, actions)
    lines: list[str] = []
    above: set[str] = set()

    def draw(item: str, need: int, before: str, mark: str, below: str) -> None:
        how = by_item.get(item)
        if how is None:
            lines.append(f"{before}{mark}{need} {item}, held")
            return
        more = f" ({how.count} in all)" if how.count != need else ""
        again = item in above
        lines.append(f"{before}{mark}{need} {item}, {how.verb}{more}{', as above' if again else ''}")
        if again:
            return
        above.add(item)
        for index, (part, count) in enumerate(how.uses.items(), 1):
            last = index == len(how.uses)
            draw(part, count, before + below, "└─ " if last else "├─ ", "   " if last else "│  ")

    for item, count in targets.items():
        draw(item, count, "", "", "")
    return lines
