"""Finds a passage in a text, in order to replace exactly one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from autocraft.commands.coding import Coding
from autocraft.errors import Advice, CommandError
from autocraft.text.prompts import as_it_was, harmless

_MOST_PLACES = 1_000
_MOST_NUMBERS = 10
_HINT = "where data shows &lt; or &#91; the file may have < or [ itself"
_ESCAPE = re.compile("&(?:#(?:60|62|91|93)|lt|gt);")


def find_passage(file: str, coding: Coding, text: str, old: str, new: str) -> tuple[int, str, str]:
    """Return where `old` begins, and both passages with the file's line ends.

    Raises CommandError unless the file holds `old` exactly once.
    """
    if not old:
        advice = Advice("{} writes a new file", ("write_to_file",))
        raise CommandError("old is empty: give the passage to be replaced", advice)
    old, new = coding.with_line_ends(old), coding.with_line_ends(new)
    if old == new:
        raise CommandError("old and new are the same, so there is nothing to change")
    places = list(islice(_places(text, old), _MOST_PLACES))
    if len(places) > 1:
        count = f"{len(places):,} times, {_in_lines(text, places)}"
        raise CommandError(f"{file} holds this passage {count}; give more of the text around it")
    if not places:
        plain = as_it_was(old)
        if plain != old and plain in text:
            raise CommandError(f"{file} does not hold this passage: {_HINT}; write those, in old and in new")
        first = next((line.strip() for line in old.splitlines() if line.strip()), "")
        near = text.find(first) if first else -1
        hint = f" (line {_line_of(text, near):,} is like its first line, the rest differs)" if near >= 0 else ""
        advice = Advice("{} shows what it holds", ("read_file",))
        raise CommandError(f"{file} does not hold this passage{hint}", advice)
    return places[0], old, new


def refuse_copy(new: str, text: Callable[[], str]) -> None:
    """Raise CommandError if `new` has escapes of brackets exactly as data shows them, and the file has none of them.

    `text` returns the text of the file.
    """
    plain = as_it_was(new)
    if plain == new or harmless(plain) != harmless(new) or any(escape in text() for escape in _ESCAPE.findall(new)):
        return
    raise CommandError(
        f"{_HINT}; write those. If the file must hold such an escape, escape the closing bracket too, as &gt; or &#93;"
    )


def _places(text: str, passage: str) -> Iterator[int]:
    """Yield all places of a passage. They may overlap."""
    at = text.find(passage)
    while at >= 0:
        yield at
        at = text.find(passage, at + 1)


def _line_of(text: str, place: int) -> int:
    before = text[:place]
    return 1 + (before.count("\n") if "\n" in text else before.count("\r"))


def _in_lines(text: str, places: Sequence[int]) -> str:
    """Return ``in lines 3, 8 and 21``."""
    numbers = [f"{_line_of(text, place):,}" for place in places[:_MOST_NUMBERS]]
    more = len(places) - len(numbers)
    if more:
        return f"in lines {', '.join(numbers)} and {'at least ' if len(places) == _MOST_PLACES else ''}{more:,} more"
    return f"in lines {', '.join(numbers[:-1])} and {numbers[-1]}"
