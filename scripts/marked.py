"""Replaces the part of a page between two markers."""

from __future__ import annotations


def with_part(page: str, name: str, begin: str, end: str, part: str) -> str:
    """Return the page with `part` between the markers.

    Raises ValueError with the `name` of the page unless both markers are there once, in order.
    """
    if page.count(begin) != 1 or page.count(end) != 1 or page.index(begin) > page.index(end):
        raise ValueError(f"{name} must hold {begin} and then {end}, each once")
    return f"{page[: page.index(begin)]}{begin}\n{part}\n{page[page.index(end) :]}"
