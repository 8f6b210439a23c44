"""The smallest circle around points, which the paper draws around each path."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass

Point = tuple[float, float]
_SLACK = 1e-7
"""The distance outside the circle that a point may have because of rounding."""


@dataclass(frozen=True)
class Circle:
    """A circle by its centre and its radius."""

    x: float
    z: float
    radius: float

    def holds(self, point: Point) -> bool:
        """Return whether a point lies in the circle."""
        return math.dist((self.x, self.z), point) <= self.radius * (1 + _SLACK) + _SLACK


def smallest_circle(points: Sequence[Point]) -> Circle | None:
    """Return the smallest circle around points, after Welzl. Return None without a point."""
    distinct = list(dict.fromkeys(points))
    random.Random(0).shuffle(distinct)  # the expected time is then linear
    circle: Circle | None = None
    for last, first in enumerate(distinct):
        if circle is None or not circle.holds(first):
            circle = Circle(*first, 0.0)
            for end, second in enumerate(distinct[:last]):
                if not circle.holds(second):
                    circle = _between(first, second)
                    for third in distinct[:end]:
                        if not circle.holds(third):
                            circle = _through(first, second, third)
    return circle


def length(points: Sequence[Point]) -> float:
    """Return the length of the way from point to point."""
    return sum(map(math.dist, points, points[1:]))


def _between(a: Point, b: Point) -> Circle:
    return Circle((a[0] + b[0]) / 2, (a[1] + b[1]) / 2, math.dist(a, b) / 2)


def _through(a: Point, b: Point, c: Point) -> Circle:
    """Return the circle through three points, or around them if they lie on a line."""
    (bx, bz), (cx, cz) = (b[0] - a[0], b[1] - a[1]), (c[0] - a[0], c[1] - a[1])
    area = 2 * (bx * cz - bz * cx)
    if abs(area) < 1e-12:
        return max((_between(*pair) for pair in ((a, b), (a, c), (b, c))), key=lambda each: each.radius)
    bb, cc = bx * bx + bz * bz, cx * cx + cz * cz
    x, z = (cz * bb - bz * cc) / area, (bx * cc - cx * bb) / area
    return Circle(a[0] + x, a[1] + z, math.hypot(x, z))
