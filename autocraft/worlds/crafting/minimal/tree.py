"""The crafts of a plan as a tree, from the goal down to the items at the start."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from autocraft.worlds.crafting.slots import GRID, OUTPUT
from autocraft.worlds.crafting.table import Action, CraftingTable


@dataclass
class Making:
    """All that a plan makes of one item, and its ingredients."""

    count: int = 0
    verb: str = "crafted"
    uses: dict[str, int] = field(default_factory=dict)

    def add(self, count: int, verb: str, uses: Mapping[str, int]) -> None:
        self.count += count
        self.verb = verb
        for item, used in uses.items():
            self.uses[item] = self.uses.get(item, 0) + used


def makings(table: CraftingTable, actions: Sequence[Action]) -> dict[str, Making]:
    """Return how each item is made, by its name. `actions` are executed on a copy of `table`."""
    table = table.copy()
    result: dict[str, Making] = {}
    for action in actions:
        stack = table[action.source]
        assert stack is not None
        if action.kind == "smelt":
            output = table.book.smelts[stack[0]].output
            result.setdefault(output, Making()).add(action.quantity, "smelted", {stack[0]: action.quantity})
        elif action.source == OUTPUT:
            uses = Counter(item for _, (item, _) in table.stacks(GRID))
            result.setdefault(stack[0], Making()).add(stack[1], "crafted", uses)
        table.act(action)
    return result


def tree_lines(table: CraftingTable, actions: Sequence[Action], targets: Mapping[str, int]) -> list[str]:
    """Return the tree of a plan of actions, one line an item. An item that several crafts need is unfolded once."""
    return lines_of(makings(table, actions), targets)


def lines_of(by_item: Mapping[str, Making], targets: Mapping[str, int]) -> list[str]:
    """Return the lines of the tree, from the wanted items down."""
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
