"""Draws lines as SVG by hand, so that a plot needs no dependency."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

WIDTH, HEIGHT = 760, 420
LEFT, RIGHT, TOP, BOTTOM = 64, 200, 44, 52
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#8c510a", "#7f7f7f")


def lines(title: str, across: str, up: str, xs: Sequence[float], series: Mapping[str, Sequence[float]]) -> str:
    """Return an SVG with a line for each series over common `xs`. Both axes start at zero."""
    most_x, most_y = max(xs), max(max(values) for values in series.values()) or 1.0
    width, height = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM

    def place(x: float, y: float) -> str:
        return f"{LEFT + width * x / most_x:.1f},{TOP + height * (1 - y / most_y):.1f}"

    box = f'viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {box}>',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        f'<text x="{LEFT}" y="24" font-size="15">{escape(title)}</text>',
    ]
    for step in range(6):
        y = TOP + height * (1 - step / 5)
        parts.append(f'<line x1="{LEFT}" y1="{y:.1f}" x2="{LEFT + width}" y2="{y:.1f}" stroke="#ddd"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{most_y * step / 5:.2g}</text>')
    for x in xs:
        at = LEFT + width * x / most_x
        parts.append(f'<text x="{at:.1f}" y="{TOP + height + 18}" text-anchor="middle">{x:g}</text>')
    parts.append(f'<text x="{LEFT + width / 2}" y="{HEIGHT - 12}" text-anchor="middle">{escape(across)}</text>')
    middle = TOP + height / 2
    turned = f'transform="rotate(-90 16 {middle})" text-anchor="middle"'
    parts.append(f'<text x="16" y="{middle}" {turned}>{escape(up)}</text>')
    for index, (name, values) in enumerate(series.items()):
        colour = COLOURS[index % len(COLOURS)]
        points = " ".join([place(0, 0), *(place(x, y) for x, y in zip(xs, values, strict=True))])
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
        y, at = TOP + 10 + 20 * index, LEFT + width + 16
        parts.append(f'<line x1="{at}" y1="{y}" x2="{at + 20}" y2="{y}" stroke="{colour}" stroke-width="2"/>')
        parts.append(f'<text x="{at + 26}" y="{y + 4}">{escape(name)}</text>')
    return "\n".join([*parts, "</svg>", ""])
