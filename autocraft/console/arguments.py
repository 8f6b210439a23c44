"""The arguments of a command as the person sees them: each as JSON, or below, where the preview ends with its text."""

from __future__ import annotations

import json

from autocraft.console.wrap import cells
from autocraft.protocols import Json
from autocraft.text.phrases import count
from autocraft.text.sanitize import exact_json

MOST_ROWS = 500
"""A longer text stays JSON, and its preview is folded."""


def below(args: Json, preview: str, room: int) -> str:
    """Return the name of the argument that the preview shows whole and exactly. Return "" if there is none.

    Its rows must fit into `room` columns and have nothing that JSON would escape: the person decides by what they see.
    """
    names = (name for name, value in args.items() if isinstance(value, str) and _shows(preview, value, room))
    return next(names, "")


def format_arguments(args: Json, below: str = "") -> str:
    """Return the arguments as JSON that reads back the same, hidden characters as escapes; `below` only by its size."""
    values = {name: _json(value) for name, value in args.items()}
    if below:
        values[below] = f"(below, {count(len(_rows(args[below])), 'line')})"
    pairs = ", ".join(f"{_json(name)}: {value}" for name, value in values.items())
    return exact_json(f"{{{pairs}}}")


def _shows(preview: str, text: str, room: int) -> bool:
    rows = _rows(text)
    exact = exact_json(text) == text and "\t" not in text
    plain = exact and rows[-1] != "" and all(row == row.rstrip() for row in rows)
    fits = all(cells(row) <= (room if row.isascii() else room // 2) for row in rows)
    return 1 < len(rows) <= MOST_ROWS and plain and fits and preview.endswith("\n" + "\n".join(rows))


def _rows(text: str) -> list[str]:
    return text.removesuffix("\n").split("\n")


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
