"""Splits a large text into pages with line numbers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

_NUMBER_ROOM = 9  # characters of a line's number, its separator and its line end


class Page(NamedTuple):
    """One page. A line that is longer than a page continues on the next, under the same number."""

    rows: str
    first: int
    last: int
    """The numbers of its first and last line, from 1."""
    pages: int
    lines: int
    """How many lines the whole text has."""


def page_of(text: str, number: int, most_lines: int, most_chars: int) -> Page | None:
    """Return page `number`, from 1, of at most so many lines and about so many characters.

    Return None if there is no such page.
    """
    rows: list[tuple[int, int, int]] = []
    pages = lines = 0
    for page in _pages(text, most_lines, most_chars):
        pages += 1
        lines = page[-1][0]
        if pages == number:
            rows = page
    if not rows:
        return None
    width = len(f"{rows[-1][0]}")
    numbered = [(line, text[start:end].rstrip("\r")) for line, start, end in rows]
    return Page("\n".join(f"{line:>{width}}| {row}" for line, row in numbered), rows[0][0], rows[-1][0], pages, lines)


def _pages(text: str, most_lines: int, most_chars: int) -> Iterator[list[tuple[int, int, int]]]:
    """Yield each page as a list of (line number, start, end). An empty text has one page with one empty line."""
    page: list[tuple[int, int, int]] = []
    remaining = most_chars
    for row in _rows(text, max(1, most_chars - _NUMBER_ROOM)):
        size = row[2] - row[1] + _NUMBER_ROOM
        if page and (len(page) >= most_lines or size > remaining):
            yield page
            page, remaining = [], most_chars
        page.append(row)
        remaining -= size
    yield page


def _rows(text: str, longest: int) -> Iterator[tuple[int, int, int]]:
    """Yield the lines of `text` as (line number, start, end). A line over `longest` characters is split."""
    end_mark = "\n" if "\n" in text else "\r"  # old Macs used \r alone
    start, number, size = 0, 1, len(text)
    while start < size or number == 1:
        end = text.find(end_mark, start)
        end = size if end < 0 else end
        for part in range(start, max(end, start + 1), longest):
            yield number, part, min(part + longest, end)
        start, number = end + 1, number + 1
