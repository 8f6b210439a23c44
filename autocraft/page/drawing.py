"""The parts of a drawing: inline SVG that a page can show.

Classes of `style.css` style them, so that they follow light and dark. There is no style attribute, which the page's
policy forbids. `parts.html` writes the SVG.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from autocraft.page.tables import Table

WIDTH = 430
MARKS = ("circle", "square", "triangle", "diamond")


@dataclass(frozen=True, slots=True)
class Scale:
    """Maps values to units of the drawing. `low` may be above `high`, as for y."""

    least: float
    most: float
    low: float
    high: float

    def __call__(self, value: float) -> float:
        return self.low + (value - self.least) / (self.most - self.least) * (self.high - self.low)

    def ticks(self) -> list[float]:
        """Return four to eight round values from `least` to `most`."""
        span = self.most - self.least
        step = 10.0 ** math.floor(math.log10(span / 4))
        step *= next(times for times in (1, 2, 5, 10) if span / (step * times) <= 8)
        first = math.ceil(self.least / step)
        return [step * count for count in range(first, math.floor(self.most / step + 1e-9) + 1)]


@dataclass(frozen=True, slots=True)
class Shape:
    """An SVG element. `title` is its tooltip."""

    name: str
    attributes: Mapping[str, str]
    text: str = ""
    title: str | None = None


@dataclass(frozen=True, slots=True)
class Plot:
    """A drawing of `WIDTH` times `height` with its text alternative and its tables. Without shapes it says that it is
    empty."""

    name: str
    title: str
    said: str = ""
    shapes: Sequence[Shape] = ()
    height: int = 0
    tables: Sequence[Table] = ()
    width: int = WIDTH
    empty: str = "No episode of this kind has been played."


def y_axis(scale: Scale, left: float, name: str, word: Callable[[float], str]) -> list[Shape]:
    """Return the lines and the ticks of a drawing. `word` writes a tick."""
    parts = [text(name, left - 44, 13, "start", "axis")]
    for tick in scale.ticks():
        parts.append(shape("line", x1=left, x2=WIDTH - 8, y1=scale(tick), y2=scale(tick), class_="grid"))
        parts.append(text(word(tick), left - 7, scale(tick) + 4, "end", "small"))
    return parts


def x_axis(scale: Scale, bottom: float, name: str) -> list[Shape]:
    """Return the names and the ticks below a drawing."""
    ticks = [text(round_number(tick), scale(tick), bottom + 18, "middle", "small") for tick in scale.ticks()]
    return [*ticks, text(name, (scale.low + scale.high) / 2, bottom + 38, "middle", "axis")]


def mark(kind: int, x: float, y: float, tooltip: str) -> Shape:
    """Return a mark at a place. Its shape shows its kind, so that colour is not needed."""
    path = {
        "circle": "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z",
        "square": "M-3.6-3.6h7.2v7.2h-7.2z",
        "triangle": "M0-4.6L4.4 3.6H-4.4z",
        "diamond": "M0-5L5 0L0 5L-5 0z",
    }[MARKS[kind]]
    return shape("path", title=tooltip, d=path, transform=f"translate({x:.1f} {y:.1f})", class_=f"mark mark{kind}")


def text(words: str, x: float, y: float, anchor: str = "start", class_: str | None = None) -> Shape:
    """Return words at a place."""
    return shape("text", words, x=x, y=y, text_anchor=anchor, class_=class_)


def shape(name: str, words: str = "", *, title: str | None = None, **attributes: str | float | None) -> Shape:
    """Return a shape. `class_` and `text_anchor` become class and text-anchor; None leaves an attribute out."""
    values = {key.rstrip("_").replace("_", "-"): value for key, value in attributes.items() if value is not None}
    texts = {key: value if isinstance(value, str) else _short(value) for key, value in values.items()}
    return Shape(name, texts, words, title)


def _short(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


def round_number(value: float) -> str:
    """Return "1,000" for 1000.0, and "0.5" for 0.5."""
    return f"{value:,.0f}" if value == round(value) else f"{value:g}"


LEFT, RIGHT, TOP, BOTTOM = 52.0, WIDTH - 12.0, 24.0, 270.0
"""The frame of a drawing with number axes."""
Point = tuple[float, float]


def number_axes(last: float, most: float, name: str, below: str = "turns") -> tuple[Scale, Scale, list[Shape]]:
    """Return the scales and the axes of values from 0 to `most` over 0 to `last`."""
    x = Scale(0, last or 1, LEFT, RIGHT)
    y = Scale(0, (most or 1) * 1.1, BOTTOM, TOP)
    return x, y, [*y_axis(y, LEFT, name, round_number), *x_axis(x, BOTTOM, below)]


def stairs(points: Sequence[Point], x: Scale, y: Scale, class_: str = "") -> Shape:
    """Return a curve that rises where a value rises, from nothing at 0."""
    path = f"M{x(0):.1f} {y(0):.1f}" + "".join(f"H{x(at):.1f}V{y(value):.1f}" for at, value in points)
    return shape("path", d=path, class_=f"curve {class_}".strip())


def ground(points: Sequence[Point], centre: Point, radius: float) -> tuple[Scale, Scale, list[Shape]]:
    """Return the scales of a map seen from above, and the way from its start to its end."""
    radius, side = max(radius, 8.0) * 1.08, 360.0
    x = Scale(centre[0] - radius, centre[0] + radius, (WIDTH - side) / 2, (WIDTH + side) / 2)
    z = Scale(centre[1] - radius, centre[1] + radius, 10, 10 + side)
    way = "L".join(f"{x(at):.1f} {z(to):.1f}" for at, to in points)
    shapes = [
        shape("path", d=f"M{way}", class_="curve"),
        mark(1, x(points[0][0]), z(points[0][1]), "start"),
        mark(3, x(points[-1][0]), z(points[-1][1]), "end"),
        mark(1, 16, 398, "start"), text("start", 26, 402, "start", "small"),
        mark(3, 76, 398, "end"), text("end; north is up", 86, 402, "start", "small"),
        text(f"{2 * radius:,.0f} blocks wide", WIDTH - 12, 402, "end", "small"),
    ]  # fmt: skip
    return x, z, shapes
