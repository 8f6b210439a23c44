"""Names and numbers of the 46 slots: [0] output, [A1]..[C3] crafting grid, [I1]..[I36] inventory."""

from __future__ import annotations

import re

from autocraft.errors import IllegalMove

OUTPUT = 0
GRID = range(1, 10)
INVENTORY = range(10, 46)
COUNT = 46

_NAMES = ["0", *(f"{row}{column}" for row in "ABC" for column in "123"), *(f"I{number}" for number in range(1, 37))]
_INDEX = {name: index for index, name in enumerate(_NAMES)}
_SHOWN = [f"[{name}]" for name in _NAMES]


def key_of(index: int) -> str:
    """Return the name in snapshots, such as "I1" for 10."""
    return _NAMES[index]


def name_of(index: int) -> str:
    """Return the name in all texts, such as "[I1]" for 10."""
    return _SHOWN[index]


def index_of(name: str) -> int:
    """Return the number of a slot: 10 for "[I1]", "I1" or "i1". Raises IllegalMove."""
    plain = re.sub(r"\s+", "", name).removeprefix("[").removesuffix("]").upper()
    if plain not in _INDEX:
        raise IllegalMove(
            f"there is no slot {name[:60]!r}: slots are [0] (output), [A1] to [C3] (grid) and [I1] to [I36] (inventory)"
        )
    return _INDEX[plain]
