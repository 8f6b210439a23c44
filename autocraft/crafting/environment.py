"""The crafting world with the API of the package plancraft 0.4.9, for programs that were written for it.

The names and the shapes of values are the package's. `docs/crafting.md` lists the differences. The package itself is
not needed.
"""

from __future__ import annotations

import contextlib
import operator
import re
from collections.abc import Iterator, Mapping, MutableMapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, SupportsIndex, TypedDict

from autocraft.crafting.slots import COUNT, GRID, OUTPUT, index_of, name_of
from autocraft.crafting.table import CraftingTable, Stack
from autocraft.errors import IllegalMove, InvalidCommand, UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from autocraft.crafting.picture import Pixels, Resolution

QUANTITIES = range(1, 65)


class InvalidAction(InvalidCommand, ValueError):
    """The error that no action can have this slot, quantity or line."""


class Item(TypedDict):
    """The content of a slot."""

    type: str
    quantity: int


# ---------------------------------------------------------------- slots


def convert_to_slot_index(slot: str) -> int:
    """Return the number of a slot, such as 1 for "[A1]". Brackets and case do not matter. Raises InvalidAction."""
    try:
        return index_of(slot)
    except (IllegalMove, TypeError) as error:
        raise InvalidAction(str(error)) from None


def convert_from_slot_index(slot_index: SupportsIndex) -> str:
    """Return the name of a slot, such as "[I1]" for 10. Raises InvalidAction."""
    return name_of(_slot("slot_index", slot_index))


def _slot(field: str, value: Any) -> int:
    if isinstance(value, str):
        return convert_to_slot_index(value)
    number = _whole(field, value)
    if number not in range(COUNT):
        raise InvalidAction(f"{field} is {number}: slots are 0 (output), 1 to 9 (grid) and 10 to 45 (inventory)")
    return number


def _whole(field: str, value: Any) -> int:
    """Return a number as an int. Strings of digits and numpy's integers count as numbers. Raises InvalidAction."""
    if isinstance(value, str) and re.fullmatch(r"\s*[0-9]{1,6}\s*", value):
        return int(value)
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise InvalidAction(f"{field} is {str(value)[:60]!r}: give a whole number")
    try:
        number = operator.index(value)
    except TypeError:  # an array of several numbers
        raise InvalidAction(f"{field} is {str(value)[:60]!r}: give one whole number") from None
    if abs(number) >= 10**6:
        raise InvalidAction(f"{field} is far out of range: the largest slot is 45, the largest quantity 64")
    return number


# ---------------------------------------------------------------- actions


@dataclass(frozen=True)
class _SlotAction:
    """Slots are given by name or number and stored as numbers. Raises InvalidAction if no table could execute it.

    `from_slot` and `to_slot`, the names of the package's README, are other names of `slot_from` and `slot_to`.
    """

    slot_from: int
    slot_to: int
    quantity: int

    def __init__(
        self,
        slot_from: SupportsIndex | str | None = None,
        slot_to: SupportsIndex | str | None = None,
        quantity: SupportsIndex | str | None = None,
        *,
        from_slot: SupportsIndex | str | None = None,
        to_slot: SupportsIndex | str | None = None,
    ) -> None:
        for one, other, name in ((slot_from, from_slot, "slot_from"), (slot_to, to_slot, "slot_to")):
            if one is not None and other is not None:
                raise InvalidAction(f"{name} is given twice, by both of its names: give it once")
        slot_from = from_slot if slot_from is None else slot_from
        slot_to = to_slot if slot_to is None else slot_to
        object.__setattr__(self, "slot_from", _slot("slot_from", slot_from))
        object.__setattr__(self, "slot_to", _slot("slot_to", slot_to))
        object.__setattr__(self, "quantity", _whole("quantity", quantity))
        if self.slot_to == OUTPUT:
            raise InvalidAction("slot_to is [0], which shows what the grid makes: choose [A1] to [C3] or [I1] to [I36]")
        if self.slot_from == self.slot_to:
            raise InvalidAction(f"slot_from and slot_to are both {name_of(self.slot_to)}: choose two slots")
        if self.quantity not in QUANTITIES:
            raise InvalidAction(f"quantity is {self.quantity}: give a whole number from 1 to 64")

    @property
    def action_type(self) -> str:
        return "move" if isinstance(self, MoveAction) else "smelt"

    def __str__(self) -> str:
        return (
            f"{self.action_type}: from {name_of(self.slot_from)} to {name_of(self.slot_to)} "
            f"with quantity {self.quantity}"
        )


class MoveAction(_SlotAction):
    """Move `quantity` items from one slot to another."""


class SmeltAction(_SlotAction):
    """Smelt `quantity` items of one slot into another; needs no fuel."""


@dataclass(frozen=True)
class StopAction:
    """Say that the target cannot be made. It changes nothing; the caller ends the episode."""

    reason: str = ""

    def __str__(self) -> str:
        return f"impossible: {self.reason}"


Action = MoveAction | SmeltAction | StopAction

_LINE = re.compile(
    r"(?P<kind>move|smelt)\s*:?\s+from\s+(?P<source>\[?\w{1,3}\]?)\s+to\s+(?P<target>\[?\w{1,3}\]?)"
    r"\s+with\s+quantity\s+(?P<quantity>[0-9]{1,6})\s*\.?",
    re.IGNORECASE,
)
_STOP = re.compile(r"impossible\s*:?(?P<reason>.*)", re.IGNORECASE | re.DOTALL)


def parse_action(line: str) -> Action:
    """Return the action of a line: "move: from [I2] to [A1] with quantity 1", "smelt: …" or "impossible: why".

    Case, brackets and the colon do not matter. Text before or after the action is an error, so a thought about a move
    is not a move. Raises InvalidAction.
    """
    if not isinstance(line, str):
        raise InvalidAction(f"{type(line).__name__} is not a line: give a string")
    plain = line.strip().strip("`").strip()
    if stop := _STOP.fullmatch(plain):
        return StopAction(stop["reason"].strip())
    match = _LINE.fullmatch(plain)
    if match is None:
        raise InvalidAction(
            f"{plain[:60]!r} is not an action: write one line such as move: from [I2] to [A1] with quantity 1, "
            "smelt: from [I1] to [I5] with quantity 2, or impossible: why"
        )
    kind = MoveAction if match["kind"].lower() == "move" else SmeltAction
    return kind(match["source"], match["target"], match["quantity"])


# ---------------------------------------------------------------- inventories and text


def table_from_inventory(inventory: Mapping[Any, Any] | None) -> CraftingTable:
    """Return the table of an inventory such as {10: {"type": "oak_log", "quantity": 4}}.

    Slots are numbers, strings of digits (as in JSON) or names. [0] is ignored, since it always shows what the grid
    makes. Raises UsageError.
    """
    return CraftingTable(_stacks(inventory or {}))


def _stacks(inventory: Mapping[Any, Any]) -> dict[int, Stack]:
    """Return the stacks of an inventory. Raises UsageError for another shape."""
    if not isinstance(inventory, Mapping):
        raise UsageError(f"inventory is {str(inventory)[:60]!r}: give a mapping of slots to their items")
    stacks: dict[int, Stack] = {}
    for key, item in inventory.items():
        try:
            number = int(key) if isinstance(key, str) and re.fullmatch("[0-9]{1,6}", key) else key
            slot, kind, count = _slot("slot", number), item["type"], _whole("quantity", item["quantity"])
        except (InvalidAction, TypeError, LookupError) as error:
            why = error if isinstance(error, InvalidAction) else "give {'type': 'oak_log', 'quantity': 4}"
            raise UsageError(f"inventory, slot {str(key)[:20]!r}: {why}") from None
        if not isinstance(kind, str) or slot in stacks:
            what = "is given twice" if slot in stacks else f"has the type {str(kind)[:60]!r}, which is not a name"
            raise UsageError(f"inventory: slot {name_of(slot)} {what}")
        stacks[slot] = (kind, count)
    return stacks


def inventory_of(table: CraftingTable) -> dict[int, Item]:
    """Return the filled slots of `table` in the package's shape, as a new dictionary."""
    return {slot: {"type": item, "quantity": count} for slot, (item, count) in table.stacks()}


def get_objective_str(target: str) -> str:
    return f"Craft an item of type: {target}"


def target_and_inventory_to_text_obs(target: str, inventory: Mapping[Any, Any]) -> str:
    """Return the objective and one line for each filled slot, by slot number. Raises UsageError."""
    stacks = sorted(_stacks(inventory).items())
    lines = [f"\n - {kind} {name_of(slot)} quantity {count}" for slot, (kind, count) in stacks if count > 0]
    return f"{get_objective_str(target)}\ninventory:{''.join(lines)}"


# ---------------------------------------------------------------- the environment


class Observation(MutableMapping[str, Any]):
    """The result of a step: "inventory", "image", "message" and "legal", and what a program writes into it.

    Later steps do not change it. The image, an array of height x width x 3 bytes, is drawn when it is first read, so a
    program that does not read it loses no time.
    """

    _KEYS = ("inventory", "image", "message", "legal")

    def __init__(
        self, table: CraftingTable, message: str, legal: bool, resolution: Resolution, textures: str | Path | None
    ) -> None:
        """Keep `table` without a copy."""
        self._table = table
        self._drawing: tuple[Resolution, str | Path | None] = resolution, textures
        self._values: dict[str, Any] = dict.fromkeys(self._KEYS) | {"message": message, "legal": legal}
        self._made = {"message", "legal"}

    def __getitem__(self, key: str) -> Any:
        if key in self._values and key in self._KEYS and key not in self._made:
            self[key] = self._make(key)
        return self._values[key]

    def __setitem__(self, key: str, value: Any) -> None:
        self._values[key] = value
        self._made.add(key)

    def __delitem__(self, key: str) -> None:
        del self._values[key]

    def __contains__(self, key: object) -> bool:
        return key in self._values

    def _make(self, key: str) -> dict[int, Item] | Pixels:
        if key == "inventory":
            return inventory_of(self._table)
        from autocraft.crafting.picture import window_array

        return window_array(self._table, *self._drawing)

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return f"Observation({self['message']!r}, {self['inventory']!r})"


class PlancraftEnvironment:
    """A table: `step` executes an action and returns the table after it.

    `resolution` is that of the image: 664 x 704, 332 x 352 or 166 x 176 pixels. `textures` is a folder of NAME.png
    files; `textures.py` says which ones are the default.
    """

    def __init__(
        self,
        inventory: Mapping[Any, Any] | None = None,
        *,
        resolution: Resolution = "high",
        textures: str | Path | None = None,
    ) -> None:
        """Begin with `inventory`, as in `table_from_inventory`. It is never changed. Raises UsageError."""
        if resolution not in ("high", "medium", "low"):
            raise UsageError(f"resolution is {str(resolution)[:60]!r}: choose high, medium or low")
        self.resolution: Literal["high", "medium", "low"] = resolution
        self._textures = textures
        self._table = table_from_inventory(inventory)

    @property
    def state(self) -> dict[int, Item]:
        """Return a copy of the filled slots, by slot number."""
        return inventory_of(self._table)

    def reset(self, new_inventory: Mapping[Any, Any] | None = None) -> dict[int, Item]:
        """Begin again with `new_inventory`. Return the state. Raises UsageError, and then keeps the old state."""
        self._table = table_from_inventory(new_inventory)
        return self.state

    def step(self, action: Action | None = None) -> Observation:
        """Execute `action`, or only look. After an illegal action "legal" is False and "message" says why.

        Raises InvalidAction for an object that is not an action.
        """
        message, legal = "", True
        try:
            if isinstance(action, MoveAction):
                message = self._table.move(action.slot_from, action.slot_to, action.quantity)
            elif isinstance(action, SmeltAction):
                message = self._table.smelt(action.slot_from, action.slot_to, action.quantity)
            elif isinstance(action, StopAction):
                message = "stopped as impossible; nothing was changed"
            elif action is not None:
                raise InvalidAction(
                    f"{str(action)[:60]!r} is not an action: give a MoveAction, a SmeltAction, a StopAction or None"
                )
        except IllegalMove as error:
            message, legal = f"nothing was changed: {error}", False
        return Observation(self._table.copy(), message, legal, self.resolution, self._textures)

    # ------------------------------------------------------------ the package's inner verbs

    def add_item_to_slot(self, item_name: str, slot: int, quantity: int = 1) -> None:
        """Set what a slot holds. Raises UsageError for what no slot can hold."""
        self._set(slot, {"type": item_name, "quantity": quantity})

    def remove_item_from_slot(self, slot: int) -> None:
        """Empty a slot."""
        self._set(slot, None)

    def change_quantity_in_slot(self, slot: int, quantity: int = 1) -> None:
        """Set how many items a filled slot holds; 0 empties it. Raises UsageError for an empty slot."""
        if self.slot_empty(slot):
            raise UsageError(f"slot {convert_from_slot_index(slot)} is empty: add an item to it first")
        self._set(slot, {**self.state[slot], "quantity": quantity} if quantity else None)

    def slot_empty(self, slot: int) -> bool:
        return self._table[slot] is None

    def move_item(self, slot_from: int, slot_to: int, quantity: int) -> None:
        """Move items. As in the package, a move that is not possible changes nothing."""
        self._try(MoveAction, slot_from, slot_to, quantity)

    def smelt_item(self, slot_from: int, slot_to: int, quantity: int) -> None:
        """Smelt items. As in the package, what is not possible changes nothing."""
        self._try(SmeltAction, slot_from, slot_to, quantity)

    def use_ingredients(self) -> None:
        """Use up one item of each cell of the grid."""
        for cell, (_, count) in self._table.stacks(GRID):
            self.change_quantity_in_slot(cell, count - 1)

    def populate_craft_slot_craft_item(self) -> None:
        """Do nothing: [0] always shows what the grid makes."""

    def clean_state(self) -> None:
        """Do nothing: an empty slot is never listed."""

    def _set(self, slot: int, item: Item | None) -> None:
        state: dict[int, Item] = {number: held for number, held in self.state.items() if number != slot}
        self._table = table_from_inventory(state if item is None else {**state, slot: item})

    def _try(self, kind: type[MoveAction | SmeltAction], slot_from: int, slot_to: int, quantity: int) -> None:
        with contextlib.suppress(InvalidAction):
            self.step(kind(slot_from, slot_to, quantity))
