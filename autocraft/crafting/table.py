"""The state of the crafting world and its two actions. Every rule of Plancraft 0.4.9 is in this module only.

[0] shows what the grid makes and is always taken as a whole. Taking it uses one item of every filled grid cell.
Containers do not come back (a cake uses up its buckets). Smelting needs no fuel and no time. A stack grows only up to
its size, but any quantity may go to an empty slot. An action that Plancraft ignores silently raises IllegalMove here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from autocraft.crafting.recipes import RecipeBook, load_book
from autocraft.crafting.slots import COUNT, GRID, INVENTORY, OUTPUT, index_of, key_of, name_of
from autocraft.errors import Advice, IllegalMove, UsageError
from autocraft.protocols import Json, Step

SMELTABLE = Advice("{} tells what can be smelted", ("search_recipe",))
FREE_SLOT = "; first free slot: "
"""Begins the hint that ends an error."""
_RECIPES = Advice("{} tells how an item is made", ("search_recipe", "search"))
_INVENTORY = Advice("{} tells where the items are", ("show_inventory",))
Stack = tuple[str, int]
"""An item and its count. It is a value, so copies of a table share nothing that changes."""


class Action(NamedTuple):
    """One `move` or `smelt` of `quantity` items, by slot numbers."""

    kind: str
    source: int
    target: int
    quantity: int

    def step(self, why: str = "") -> Step:
        """Return the action as a command of the crafting world."""
        args = {"source": name_of(self.source), "target": name_of(self.target), "quantity": self.quantity}
        return Step(self.kind, args, why)


class CraftingTable:
    """The 46 slots. [0] is computed from the grid, so both always agree."""

    def __init__(self, slots: Mapping[int, Stack] | None = None, book: RecipeBook | None = None) -> None:
        """Fill the slots, by number; [0] is ignored. Raises UsageError for an impossible slot or stack."""
        self.book = book or load_book()
        self._stacks: dict[int, Stack] = {}
        for slot, (item, count) in (slots or {}).items():
            if item not in self.book.stack_sizes:
                raise UsageError(f"slot {slot} holds {str(item)[:60]!r}, which is not an item of Minecraft 1.16")
            if slot not in range(COUNT) or type(count) is not int or not 1 <= count <= 64:
                raise UsageError(f"slot {slot} holds {count} {item}: slots are 0 to 45 and hold 1 to 64")
            if slot != OUTPUT:
                self._stacks[slot] = (item, count)
        self._show_output()

    def copy(self) -> CraftingTable:
        twin = object.__new__(CraftingTable)
        twin.book, twin._stacks = self.book, dict(self._stacks)
        return twin

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CraftingTable) and self._stacks == other._stacks

    __hash__ = None  # type: ignore[assignment]  # it changes

    def __getitem__(self, slot: int) -> Stack | None:
        return self._stacks.get(slot)

    def stacks(self, slots: Iterable[int] = range(COUNT)) -> list[tuple[int, Stack]]:
        """Return each filled slot among `slots` with its stack, in the order of `slots`."""
        return [(slot, self._stacks[slot]) for slot in slots if slot in self._stacks]

    def counts(self) -> dict[str, int]:
        """Return item -> how many there are outside [0]. Goals are checked against this."""
        counts: dict[str, int] = {}
        for _, (item, count) in self.stacks(range(1, COUNT)):
            counts[item] = counts.get(item, 0) + count
        return counts

    def to_json(self) -> Json:
        return {key_of(slot): list(stack) for slot, stack in self.stacks()}

    @classmethod
    def from_json(cls, data: Json) -> CraftingTable:
        """Return the table of `to_json`. Raises UsageError."""
        try:
            return cls({index_of(name): (stack[0], stack[1]) for name, stack in data.items()})
        except (IllegalMove, TypeError, LookupError, AttributeError):
            raise UsageError("this is not a snapshot of a crafting world; use one that snapshot() made") from None

    def act(self, action: Action) -> str:
        """Execute a move or smelt. Return what changed. Raises IllegalMove, and then nothing has changed."""
        execute = self.smelt if action.kind == "smelt" else self.move
        return execute(action.source, action.target, action.quantity)

    def move(self, source: int, target: int, quantity: int = 1) -> str:
        """Move `quantity` items. Return what changed. Raises IllegalMove, and then nothing has changed."""
        item, size = self._source(source, target, quantity)
        moved = size if source == OUTPUT else quantity
        self._fits(item, moved, target)
        cells = [cell for cell in GRID if cell in self._stacks] if source == OUTPUT else []
        self._put(target, item, moved)
        for cell in cells:
            self._take(cell, 1)
        if source != OUTPUT:
            self._take(source, moved)
        note = f" (all {moved} were taken: [0] is never split)" if moved > quantity else ""
        news = self._output_news(source, target)
        return f"moved {moved} {item} from {name_of(source)} to {name_of(target)}{note}{news}"

    def smelt(self, source: int, target: int, quantity: int = 1) -> str:
        """Smelt `quantity` items. Return what changed. Raises IllegalMove, and then nothing has changed."""
        if source == OUTPUT:
            raise IllegalMove("cannot smelt from [0]: move the output to another slot first")
        item, _ = self._source(source, target, quantity)
        recipe = self.book.smelts.get(item)
        if recipe is None:
            raise IllegalMove(f"{item} cannot be smelted: nothing comes of it", SMELTABLE)
        self._fits(recipe.output, quantity, target)
        self._take(source, quantity)
        self._put(target, recipe.output, quantity)
        news = self._output_news(source, target)
        made = f"{quantity} {recipe.output} in {name_of(target)}"
        return f"smelted {quantity} {item} from {name_of(source)} into {made}{news}"

    def _source(self, source: int, target: int, quantity: int) -> Stack:
        """Return the stack at `source` after checking everything but the target's content."""
        if target == OUTPUT:
            raise IllegalMove("nothing can be put into [0], which shows what the grid makes; choose another target")
        for slot in (source, target):
            if slot not in range(COUNT):
                raise IllegalMove(f"there is no slot number {slot!r}: slots are 0 (output), 1 to 9 (grid) and 10 to 45")
        if source == target:
            raise IllegalMove(f"source and target are both {name_of(source)}: choose another target")
        if type(quantity) is not int or not 1 <= quantity <= 64:
            raise IllegalMove(f"quantity is {quantity!r}: give a whole number from 1 to 64")
        stack = self._stacks.get(source)
        if stack is None and source == OUTPUT:
            grid = ", ".join(f"{item} {name_of(slot)}" for slot, (item, _) in self.stacks(GRID))
            raise IllegalMove(f"[0] is empty: the grid holds {grid or 'nothing'}, which makes nothing", _RECIPES)
        if stack is None:
            raise IllegalMove(f"{name_of(source)} is empty", _INVENTORY)
        if quantity > stack[1]:
            raise IllegalMove(f"there are only {stack[1]} {stack[0]} in {name_of(source)}, not {quantity}")
        return stack

    def _fits(self, item: str, quantity: int, target: int) -> None:
        stack = self._stacks.get(target)
        if stack is None:
            return
        if stack[0] != item:
            free = next((name_of(slot) for slot in INVENTORY if slot not in self._stacks), "none")
            raise IllegalMove(
                f"{name_of(target)} holds {stack[1]} {stack[0]}, so no {item} can go there{FREE_SLOT}{free}"
            )
        room = self.book.stack_sizes[item] - stack[1]
        if quantity > room:
            raise IllegalMove(
                f"{quantity} {item} do not fit into {name_of(target)}: it holds {stack[1]} of at most "
                f"{self.book.stack_sizes[item]}, so {max(room, 0)} more would fit"
            )

    def _put(self, slot: int, item: str, quantity: int) -> None:
        stack = self._stacks.get(slot)
        self._stacks[slot] = (item, quantity + (stack[1] if stack else 0))

    def _take(self, slot: int, quantity: int) -> None:
        item, count = self._stacks[slot]
        if count == quantity:
            del self._stacks[slot]
        else:
            self._stacks[slot] = (item, count - quantity)

    def _show_output(self) -> None:
        recipe = self.book.match([self._stacks[cell][0] if cell in self._stacks else None for cell in GRID])
        if recipe is None:
            self._stacks.pop(OUTPUT, None)
        else:
            self._stacks[OUTPUT] = (recipe.output, recipe.count)

    def _output_news(self, *slots: int) -> str:
        """Compute [0] again if one of these slots, which changed, is in the grid or [0]. Return what changed in [0]."""
        before = self._stacks.get(OUTPUT)
        if any(slot in GRID or slot == OUTPUT for slot in slots):
            self._show_output()
        now = self._stacks.get(OUTPUT)
        if now == before:
            return ""
        return f"; [0] now shows {now[1]} {now[0]}" if now else "; [0] is now empty"
