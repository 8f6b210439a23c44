"""Values that all protocols share: JSON objects, and the risk of a command."""

from __future__ import annotations

from enum import IntEnum
from typing import Any

Json = dict[str, Any]
Args = dict[str, Any]
PROGRAM = "program"
"""The agent name of a program's effects."""


class Risk(IntEnum):
    """How much a command can change. It may depend on the arguments and the world."""

    LOOK = 0
    """Only reads."""
    CHANGE = 1
    """Moves, mines, crafts, builds, writes new files."""
    DESTROY = 2
    """Deletes, overwrites, drops, attacks players or pets, runs code, reaches the network."""

    @property
    def label(self) -> str:
        return self.name.lower()
