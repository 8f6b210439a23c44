"""Values that all protocols share: JSON objects, and the risk of a command."""

from __future__ import annotations

from enum import Enum
from functools import total_ordering
from typing import Any

Json = dict[str, Any]
Args = dict[str, Any]
PROGRAM = "program"
"""The agent name of a program's effects."""


@total_ordering
class Risk(Enum):
    """How much a command can change, from the least to the most. It may depend on the arguments and the world."""

    LOOK = "look"
    """Only reads."""
    CHANGE = "change"
    """Moves, mines, crafts, builds, writes new files."""
    DESTROY = "destroy"
    """Deletes, overwrites, drops, attacks players or pets, runs code, reaches the network."""

    def __lt__(self, other: Risk) -> bool:
        tiers = list(Risk)
        return tiers.index(self) < tiers.index(other)
