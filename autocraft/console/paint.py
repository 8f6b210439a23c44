"""Colours previews on a terminal: diffs by their signs, code by its language.

The caller has cleaned the text.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.text import Text

SIGNS = {"+": "green", "-": "red", "@": "cyan"}
PROGRAM = "program:"
"""The row of a preview before its JavaScript."""
MOST_HEAD = 12
"""The first rows of a preview, among which a diff or a program begins."""
MOST_CHARS = 40_000
"""Longer texts are not analysed, only shown."""


def highlight(text: str, file: str = "") -> list[Text]:
    """Return the rows of a preview. The name `file` tells the language."""
    from rich.text import Text

    rows = text.split("\n")
    program = rows.index(PROGRAM) + 1 if PROGRAM in rows[:MOST_HEAD] and not file else 0
    if not program and any(row.startswith("@@ ") for row in rows[:MOST_HEAD]):
        return [Text(row, SIGNS.get(row[:1], "")) for row in rows]
    file = "program.js" if program else file
    if "." not in file or len(text) > MOST_CHARS:
        return [Text(row) for row in rows]
    head = program or (1 if rows[0].endswith(":") else 0)  # "new file, 12 lines:"
    return [Text(row, SIGNS.get(row[:1], "") if program else "") for row in rows[:head]] + _highlight(
        "\n".join(rows[head:]), file
    )


def _highlight(code: str, file: str) -> list[Text]:
    """Return code in the terminal's own sixteen colours, which suit its background."""
    from rich.syntax import Syntax

    light = os.environ.get("COLORFGBG", "").rpartition(";")[2] in ("7", "15")
    theme = "ansi_light" if light else "ansi_dark"
    text = Syntax(code, Syntax.guess_lexer(file, code), theme=theme, background_color="default").highlight(code)
    text.rstrip()
    return list(text.split("\n", allow_blank=True))
