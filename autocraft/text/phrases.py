"""Phrases for messages: similar names, a number with its noun, a list, the beginning of a text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

LOSS = "can destroy something"
"""The warning about a command of the highest risk, behind "This command" or its name."""
_NEAR = 0.6
_LONGEST_NAME = 80


def near_names(name: str, names: Iterable[str], most: int = 3, least: float = _NEAR) -> list[str]:
    """Return at most `most` of the `names` with a similarity to `name` of at least `least`, the nearest first."""
    from difflib import get_close_matches

    return get_close_matches(name[:_LONGEST_NAME], sorted(names), most, least)


def did_you_mean(name: str, names: Iterable[str], question: str = "did you mean {}? ") -> str:
    """Return `question` with the nearest of the `names`. Return "" if none is near."""
    nearest = near_names(name, names, 1)
    return question.format(nearest[0]) if nearest else ""


def near_ending(text: str, known: Iterable[str]) -> str:
    """Return "did you mean NAME? " for a known name that an ending of `text` is near to. Return "" where none is."""
    words = text[-_LONGEST_NAME:].lower().replace(" ", "_").split("_")
    tails = ["_".join(words[i:]) for i in range(len(words))]
    near = [name for tail in tails for name in near_names(tail, known, 1, 0.8)]
    return f"did you mean {near[0]}? " if near else ""


def count(number: int, what: str, many: str = "") -> str:
    """Return a number with its noun: ``1 byte``, ``2,000 bytes``."""
    return f"{number:,} {what if number == 1 else many or f'{what}s'}"


def listed(words: Sequence[str], last: str = "and") -> str:
    """Return ``a, b and c``."""
    return f" {last} ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))


def pip_install(extra: str = "") -> str:
    """Return how to install autocraft, with an extra. It is on no package index yet, so its folder is named."""
    what = f"'.[{extra}]'" if extra else "."
    return f"pip install {what} in autocraft's folder"


def beginning(text: str, most: int) -> str:
    """Return at most `most` characters of `text`. A longer text ends with an ellipsis."""
    return text if len(text) <= most else f"{text[: most - 1]}…"
