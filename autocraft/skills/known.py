"""The names that a program may use: those of Voyager's published skills and prompts, ours, and of the language.

The list is data, in `data/voyager_api.json`.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from functools import cache
from pathlib import Path
from typing import NamedTuple

from autocraft.skills.parse import Program

_WHOLE = frozenset({"entity", "world"})
"""Paths that are known themselves, but not the paths below them."""


class KnownNames(NamedTuple):
    """`primitives` are functions, `bot` paths such as ``inventory.count``, `values` other names in scope."""

    primitives: frozenset[str]
    bot: frozenset[str]
    values: frozenset[str]
    language: frozenset[str]

    @property
    def in_scope(self) -> frozenset[str]:
        return self.primitives | self.values | self.language

    def has_path(self, path: str) -> bool:
        """Return whether this path of bot, or a path that it begins with, is known."""
        parts = path.split(".")
        return path in _WHOLE or any(".".join(parts[:end]) in self.bot for end in range(1, len(parts) + 1))


class Outlook(NamedTuple):
    """What a program would call: known names, other skills, and names that nothing provides."""

    primitives: tuple[str, ...]
    bot: tuple[str, ...]
    skills: tuple[str, ...]
    unknown: tuple[str, ...]


@cache
def known_names() -> KnownNames:
    """Return the names of Voyager's API and of our primitives."""
    data = json.loads((Path(__file__).parent / "data" / "voyager_api.json").read_text("utf-8"))
    return KnownNames(*(frozenset(data[part]) for part in ("primitives", "bot", "values", "language")))


def outlook(program: Program, skills: Collection[str]) -> Outlook:
    """Return what a program would call outside itself. `skills` are the names of the library."""
    api = known_names()
    free_names = [name for name in program.free if name not in api.values and name not in api.language]
    unknown = [f"bot.{path}" for path in program.bot if not api.has_path(path)]
    unknown += [name for name in free_names if name not in api.primitives and name not in skills]
    return Outlook(
        tuple(name for name in free_names if name in api.primitives),
        tuple(f"bot.{path}" for path in program.bot if api.has_path(path)),
        tuple(name for name in free_names if name not in api.primitives and name in skills),
        tuple(unknown),
    )
