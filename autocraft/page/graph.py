"""Graphs in columns: each node stands to the right of those that it comes from."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from itertools import groupby

from autocraft.crafting.recipes import load_book
from autocraft.page.drawing import WIDTH, Plot, Shape, shape, text
from autocraft.page.tables import rows_table
from autocraft.page.tidy import line
from autocraft.text.phrases import beginning, count

MOST_NODES = 100
LETTER = 6.0
"""The width of a letter of small text, in units of a drawing."""
_ROW, _NAME = 26, 12.0
"""The height of a row of nodes, and of a line of a name."""
_BOW = 18.0
"""How far a long line is drawn down, so that it goes between the rows and not through other nodes."""
Sources = Mapping[str, Sequence[str]]
"""Node -> the nodes that it comes from."""


def columns(
    sources: Sources,
    words: Callable[[str, int], list[str]],
    about: Callable[[str], Mapping[str, str]],
    gap: int = 5,
) -> tuple[list[Shape], int]:
    """Return the shapes of a graph, and its height. A node that is joined to no other one is left out.

    `words` returns the lines of a node's name for so many letters, and `about` the attributes of its shapes. A name
    begins `gap` units to the right of the middle of its node.
    """
    depths = _depths(sources)
    joined = {each for name, those in sources.items() for each in (name, *those) if those}
    shown = sorted([name for name in sources if name in joined][:MOST_NODES], key=lambda name: depths[name])
    wide = (WIDTH - 12) / (1 + max(depths[name] for name in shown))
    places: dict[str, tuple[float, float]] = {}
    for depth, names in groupby(shown, depths.__getitem__):
        down = 13.0 - _ROW
        for height, name in sorted(((_mean(sources[name], places), name) for name in names), key=lambda each: each[0]):
            down = max(down + _ROW, height)
            places[name] = (12 + wide * depth, down)
    shapes: list[Shape] = []
    rows = {name: words(name, int((wide - gap - 8) / LETTER)) for name in places}
    for name, (x, y) in places.items():
        for each in sources[name]:
            if each in places:
                at, to = places[each]
                begins = min(at + gap + LETTER * max(map(len, rows[each])), at + wide - 14)
                bend, bow = (begins + x) / 2, _BOW if depths[name] - depths[each] > 1 else 0
                curve = f"{bend:.1f} {to + bow:.1f} {bend:.1f} {y + bow:.1f} {x - gap / 2:.1f} {y:.1f}"
                path = f"M{begins:.1f} {to:.1f}C{curve}"
                shapes.append(shape("path", d=path, class_="edge", **about(name)))
    for name, (x, y) in places.items():
        shapes.append(shape("circle", cx=x, cy=y, r=3, title=line(name, 80), class_="bubble on", **about(name)))
        first = y + 4 - _NAME * (len(rows[name]) - 1) / 2
        shapes += [text(part, x + gap, first + _NAME * at, "start", "small name") for at, part in enumerate(rows[name])]
    return shapes, round(max(y for _, y in places.values())) + 16


def _mean(sources: Sequence[str], places: Mapping[str, tuple[float, float]]) -> float:
    """Return the mean height of the sources that are placed, so that a node stands near them."""
    heights = [places[each][1] for each in sources if each in places]
    return sum(heights) / len(heights) if heights else 0.0


def _depths(sources: Sources) -> dict[str, int]:
    """Return how many steps deep each node is. Nodes that come from each other in a circle stop at the circle."""
    depths: dict[str, int] = {}

    def depth(name: str, above: tuple[str, ...]) -> int:
        if name in above:
            return -1
        if name not in depths:
            depths[name] = 1 + max((depth(each, (*above, name)) for each in sources[name]), default=-1)
        return depths[name]

    for name in sources:
        depth(name, ())
    return depths


# ------------------------------------------------------------ items


def item_tree(firsts: Iterable[tuple[str, int]], when: str) -> Plot:
    """Return the items that were held, each to the right of what it can be made from.

    `firsts` has each item with the turn, or what `when` names, after which it was first held.
    """
    moments = {line(item, 60): at for item, at in sorted(firsts, key=lambda each: each[1])}
    sources = made_from(moments)
    name, title = "items", "Items, and what they are made from"
    made = sum(map(bool, sources.values()))
    if not made:
        return Plot(name, title, empty="Nothing was held that can be made from something else that was held.")

    def about(item: str) -> dict[str, str]:
        return {"data_item": item, "data_when": str(moments[item])}

    shapes, height = columns(sources, lambda item, letters: in_two_rows(item.replace("_", " "), letters), about, gap=12)
    summary = f"{count(len(moments), 'kind')} of items; {made} of them can be made from others."
    if len(moments) > sum(each.name == "circle" for each in shapes):
        summary += " Those that nothing was made from stand in the table alone."
    rows = [[item, str(at), ", ".join(sources[item])] for item, at in moments.items()]
    table = rows_table(["item", f"first held in {when}", "made from"], rows)
    return Plot(name, title, summary, shapes, height, [table])


def in_two_rows(words: str, letters: int) -> list[str]:
    """Return words in one or two rows of so many letters. The end of a longer text is left out."""
    rows = textwrap.wrap(words, max(6, letters)) or [""]
    return rows if len(rows) < 3 else [rows[0], beginning(" ".join(rows[1:]), max(6, letters))]


def made_from(moments: Mapping[str, int]) -> dict[str, list[str]]:
    """Return each item with those of a recipe for it that were held before, or became so in the same moment.

    Return it with [] if there is no such recipe. `moments` is in the order of time. There are no circles.
    """
    sources: dict[str, list[str]] = {}
    for _, group in groupby(moments, moments.__getitem__):
        waiting = list(group)
        while waiting:
            makeable = {item: parts for item in waiting if (parts := _parts(item, sources))}
            known = {*sources, *waiting}
            found = [item for item in waiting if not _parts(item, known)]
            sources |= makeable or {item: [] for item in found or waiting}
            waiting = [item for item in waiting if item not in sources]
    return sources


def _parts(item: str, held: Container[str]) -> list[str]:
    """Return the held items that the first possible recipe takes, but not itself. Return [] if none is possible."""
    for recipe in load_book().making(item):
        parts = [next((each for each in choices if each in held and each != item), "") for choices in recipe.groups]
        if all(parts):
            return parts
    return []
