"""The count of examined characters, by which the tests show that reading is linear. Every stage adds to it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class Work:
    chars: int = 0
