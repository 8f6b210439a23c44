"""What a plan makes of what, as a tree from the goal down to what was there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from autocraft.worlds.crafting.minimal.acting import Action
from autocraft.worlds.crafting.slots import GRID, OUTPUT
from autocraft.worlds.crafting.table import CraftingTable


@dataclass
class Made:
    """All that a plan makes of one item, and of what."""

    count: int = 0
    verb: str = "crafted"
    uses: dict[str, int] = field(default_factory=dict)

    def add(self, count: int, verb: str, uses: Mapping[str, int]) -> None:
        self.count += count
        self.verb = verb
        for item, used in uses.items():
            self.uses[item] = self.uses.get(item, 0) + used


def makings(table: CraftingTable, actions: Sequence[Action]) -> dict[str, Made]:
    """Item -> how it is made, by carrying `actions` out on a copy of `table`."""
    table = table.copy()
    made: dict[str, Made] = {}
    for act in actions:
        taken = table[act.source]
        assert taken is not None
        if act.kind == "smelt":
            table.smelt(act.source, act.target, act.quantity)
            output = table.book.smelts[taken[0]].output
            made.setdefault(output, Made()).add(act.quantity, "smelted", {taken[0]: act.quantity})
            continue
        if act.source == OUTPUT:
            uses: dict[str, int] = {}
            for _, (item, _) in table.stacks(GRID):
                uses[item] = uses.get(item, 0) + 1
            made.setdefault(taken[0], Made()).add(taken[1], "crafted", uses)
        table.move(act.source, act.target, act.quantity)
    return made


def tree_lines(table: CraftingTable, actions: Sequence[Action], wanted: Mapping[str, int]) -> list[str]:
    """The tree, one line an item; an item that several things need is unfolded once."""
    made = makings(table, actions)
    lines: list[str] = []
    shown: set[str] = set()

    def draw(item: str, need: int, before: str, mark: str, below: str) -> None:
        how = made.get(item)
        if how is None:
            lines.append(f"{before}{mark}{need} {item}, there")
            return
        more = f" ({how.count} in all)" if how.count != need else ""
        again = item in shown
        lines.append(f"{before}{mark}{need} {item}, {how.verb}{more}{', as above' if again else ''}")
        if again:
            return
        shown.add(item)
        for index, (part, count) in enumerate(how.uses.items(), 1):
            last = index == len(how.uses)
            draw(part, count, before + below, "└─ " if last else "├─ ", "   " if last else "│  ")

    for item, count in wanted.items():
        draw(item, count, "", "", "")
    return lines
