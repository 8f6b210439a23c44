"""HTML and SVG as text in which everything is escaped that was not made here.

Neighbours: `tables.py` and `plots.py` write with it, `__init__.py` joins what they wrote.
"""

from __future__ import annotations

from html import escape


class Markup(str):
    """Text that is markup already; made by `tag` and `join` alone."""

    __slots__ = ()


def tag(name: str, /, *children: object, **attributes: object) -> Markup:
    """An element; `class_="x"` is class="x", `stroke_width=1` is stroke-width="1", None leaves an attribute out."""
    given = "".join(f' {_name(key)}="{escape(_value(each))}"' for key, each in attributes.items() if each is not None)
    return Markup(f"<{name}{given}>{join(children)}</{name}>")


def join(children: tuple[object, ...] | list[object] | list[Markup]) -> Markup:
    """The children one after the other; what is no Markup is text and becomes harmless."""
    return Markup("".join(each if isinstance(each, Markup) else escape(_value(each)) for each in children))


def _name(key: str) -> str:
    return key.rstrip("_").replace("_", "-")


def _value(value: object) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)
