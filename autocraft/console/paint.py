"""Colours for a terminal: lines by their style, diffs by their signs, code by its language.

The caller has cleaned the text.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from autocraft.console.wrap import INDENT, TAB, cells

if TYPE_CHECKING:
    from rich.text import Text

CODES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "magenta": "35", "cyan": "36"}
"""The words of a style -> the code of a terminal."""
SIGNS = {"+": "green", "-": "red", "@": "cyan"}
PROGRAM = "program:"
"""The row of a preview before its JavaScript."""
MOST_HEAD = 12
"""The first rows of a preview, among which a diff or a program begins."""
MOST_CHARS = 40_000
"""Longer texts are not analysed, only shown."""


def styled(text: str, style: str) -> str:
    """Return a text in a style such as "bold cyan", each row by itself. The environment may forbid colours."""
    bare = os.environ.get("TERM", "").lower() in ("dumb", "unknown")
    words = [] if bare else [w for w in style.split() if w in ("bold", "dim") or not os.environ.get("NO_COLOR")]
    if not words:
        return text
    codes = ";".join(CODES[word] for word in words)
    return "\n".join(row and f"\x1b[{codes}m{row}\x1b[0m" for row in text.split("\n"))


def coloured_rows(text: str, file: str, room: int) -> list[str]:
    """Return the rows of a diff or of code, in parts of so many columns. Return none for a text without colours.

    All parts of a row but the first are indented, so that they are not taken for rows.
    """
    rows = highlight(text, file)
    if not rows:
        return []
    from rich.console import Console
    from rich.text import Text

    console = Console(force_terminal=True, width=sys.maxsize)
    drawn = []
    for row in rows:
        row.overflow, row.no_wrap = "fold", False
        doubtful = cells(row.plain) > row.cell_len  # a terminal may draw it wider than rich thinks
        parts = row.wrap(console, max(10, room // 2) if doubtful else room, tab_size=TAB) or [row]
        for at, part in enumerate(parts):
            with console.capture() as capture:
                console.print(Text.assemble(INDENT if at else "", part), soft_wrap=True, end="")
            drawn.append(capture.get())
    return drawn


def highlight(text: str, file: str = "") -> list[Text]:
    """Return the rows of a diff or of code. The name `file` tells the language. Return none for any other text."""
    rows = text.split("\n")
    program = rows.index(PROGRAM) + 1 if PROGRAM in rows[:MOST_HEAD] and not file else 0
    file = "program.js" if program else file
    diff = not program and any(row.startswith("@@ ") for row in rows[:MOST_HEAD])
    if not diff and ("." not in file or len(text) > MOST_CHARS):
        return []
    from rich.text import Text

    if diff:
        return [Text(row, SIGNS.get(row[:1], "")) for row in rows]
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
