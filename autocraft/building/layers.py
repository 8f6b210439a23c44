"""Layers of blocks as letters: a line for each layer, and what each letter means."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

_SIGNS = (*"#ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789@%&*+", *map(chr, range(0x0100, 0x0250)))
"""The letters, in the order in which they are taken. The last ones are for files with very many kinds of blocks."""

AIR, UNSEEN = -1, -2
"""What the bot writes for a cell of a survey that has no kind."""


def letters_for(names: Iterable[str]) -> dict[str, str]:
    """Return a letter for each name: # for the first one, else one of its own if it is free, else any."""
    letters: dict[str, str] = {}
    rest = list(_SIGNS)
    for name in names:
        own = "#" if not letters else next((s.upper() for s in name if s.upper() in rest), rest[0] if rest else "?")
        letters[name] = own
        if own in rest:
            rest.remove(own)
    return letters


def layer_line(y: int, rows: Iterable[str]) -> str:
    """Return a layer in one line: its rows from north to south, each from west to east."""
    return f"y={y}: {' / '.join(rows)}"


def survey_text(low: Sequence[int], kinds: Sequence[str], layers: Sequence[Sequence[Sequence[int]]]) -> str:
    """Return a box of blocks in words. Each cell of the layers is the number of its kind, AIR or UNSEEN."""
    letters = letters_for(kinds)
    counts = Counter(number for rows in layers for row in rows for number in row)
    signs = {AIR: ".", UNSEEN: "?"} | {number: letters[kind] for number, kind in enumerate(kinds)}
    high = [low[0] + len(layers[0][0]) - 1, low[1] + len(layers) - 1, low[2] + len(layers[0]) - 1]
    unseen = ", ? was never in view or is not loaded" if UNSEEN in counts else ""
    head = f"From {tuple(low)} to {tuple(high)}; each layer has its rows from north to south, each row is from west to "
    legend = ", ".join(f"{letters[kind]} {kind} ({counts[number]})" for number, kind in enumerate(kinds))
    lines = []
    for y, rows in enumerate(layers, low[1]):
        lines.append(layer_line(y, ("".join(signs[number] for number in row) for row in rows)))
    return "\n".join([f"{head}east; . is air{unseen}", legend or "only air", *lines])
