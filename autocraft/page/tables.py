"""Tables of a page, and numbers as they stand in them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from autocraft.page.tidy import line, number


@dataclass(frozen=True, slots=True)
class Table:
    """Names of the columns, and rows of cells. Each has its class, which is "n" in a column of numbers."""

    head: list[tuple[str, str | None]]
    rows: list[list[tuple[str, str | None]]]
    ours_first: bool = False


def rows_table(head: Sequence[str], body: Sequence[Sequence[object]], *, ours_first: bool = False) -> Table:
    """Return the table of these rows.

    A column is set as numbers if every cell begins like a number. An empty column is left out.
    """
    columns = [place for place in range(len(head)) if not body or any(str(row[place]) for row in body)]
    rows = [[str(row[place]) for place in columns] for row in body]
    begins = ["".join(cell[:1] for cell in column) for column in zip(*rows, strict=True)] or [""] * len(columns)
    kinds = ["n" if re.fullmatch(r"[\d$-]+", start) else None for start in begins]
    names = [(head[place], kind) for place, kind in zip(columns, kinds, strict=True)]
    return Table(names, [list(zip(row, kinds, strict=True)) for row in rows], ours_first)


def numbers_table(head: Sequence[str], body: Sequence[Sequence[str]], *, ours_first: bool = False) -> Table:
    """Return names with columns of numbers, some of which may be missing."""
    kinds = [None, *["n"] * (len(head) - 1)]
    cells = [list(zip(row, kinds, strict=True)) for row in body]
    return Table(list(zip(head, kinds, strict=True)), cells, ours_first)


def percent(value: object, digits: int = 1) -> str:
    """Return "55.2 %" for 0.5517. Return "" for anything but a number."""
    amount = number(value)
    return "" if amount is None else f"{amount * 100:.{digits}f} %"


def plain(value: object) -> str:
    """Return a number with its thousands separated and at most two decimals, any other value as its text."""
    amount = number(value)
    if amount is None:
        return line(value)
    return f"{amount:,.2f}".rstrip("0").rstrip(".")


def two(value: object) -> str:
    """Return "0.70" for 0.7. Return "" for anything but a number."""
    amount = number(value)
    return "" if amount is None else f"{amount:.2f}"


def dollars(value: object) -> str:
    amount = number(value)
    return "" if amount is None else f"${amount:,.4f}" if 0 < amount < 1 else f"${amount:,.2f}"


def duration(value: object) -> str:
    """Return seconds as "42.0 s", "3 min 20 s" or "1 h 02 min"."""
    amount = number(value)
    if amount is None:
        return ""
    if amount < 100:
        return f"{amount:.1f} s"
    minutes, seconds = divmod(round(amount), 60)
    return f"{minutes} min {seconds} s" if minutes < 60 else f"{minutes // 60:,} h {minutes % 60:02} min"
