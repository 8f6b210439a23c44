"""Phrases for messages: similar names, a number with its noun, a list, the beginning of a text."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

LOSS = "can destroy something"
"""The warning about a command of the highest risk that says nothing else, behind "This command" or its name."""
UNDOABLE = " (undo: /undo)"
"""Ends the warning about a command that the person can take back."""
RUNS_PROGRAM = "runs a program in the sandbox"
FAILS = "This will fail: "
"""Begins the preview of a command that is going to be refused. Then no warning is shown beside it."""
NETWORK = "reaches the network"
"""The warning about a command that asks another computer."""
_NEAR = 0.6
_MASS = (
    "s", "coal", "beef", "mutton", "pork", "chicken", "bread", "stone", "wool", "paper", "string", "leather", "powder",
    "dust", "sand", "dirt", "gravel", "flint", "clay", "terracotta", "concrete", "dye", "meal", "kelp", "salmon", "cod",
    "wheat", "sugar", "ice", "snow", "quartz", "lazuli", "debris", "basalt", "granite", "diorite", "andesite",
    "netherrack", "soil",
)  # fmt: skip
"""Ends of the names of items that have no plural."""
_LONGEST_NAME = 80


def near_names(name: str, names: Iterable[str], most: int = 3, least: float = _NEAR) -> list[str]:
    """Return at most `most` of the `names` with a similarity to `name` of at least `least`, the nearest first."""
    from difflib import get_close_matches

    return get_close_matches(name[:_LONGEST_NAME], sorted(names), most, least)


def did_you_mean(name: str, names: Iterable[str], question: str = "did you mean {}? ", least: float = _NEAR) -> str:
    """Return `question` with the nearest of the `names`. Return "" if none has a similarity of `least`."""
    nearest = near_names(name, names, 1, least)
    return question.format(nearest[0]) if nearest else ""


def near_ending(text: str, names: Collection[str]) -> str:
    """Return "did you mean NAME? " with a name that is near to an ending of `text`. Return "" if the text has it."""
    words = text[-_LONGEST_NAME:].lower().replace(" ", "_").split("_")
    nearest = (near_names("_".join(words[i:]), names, 1, least=0.82) for i in range(len(words)))
    absent = (near[0] for near in nearest if near and f"_{near[0]}_" not in f"_{'_'.join(words)}_")
    return next((f"did you mean {name}? " for name in absent), "")


def count(number: int, what: str, many: str = "") -> str:
    """Return a number with its noun: ``1 byte``, ``2,000 bytes``."""
    return f"{number:,} {what if number == 1 else many or f'{what}s'}"


def items(number: int, name: str) -> str:
    """Return a number of items by their name: ``1 stick``, ``8 sticks``, ``4 oak_planks``, ``2 torches``."""
    if number == 1 or name.endswith(_MASS):
        return f"{number} {name}"
    return f"{number} {name}{'es' if name.endswith(('ch', 'sh', 'x')) else 's'}"


def join_words(words: Sequence[str], last: str = "and") -> str:
    """Return ``a, b and c``."""
    return f" {last} ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))


def some_of(words: Sequence[str], most: int, what: str = "more", many: str = "more") -> str:
    """Return the first `most` of the words and the number of the others: ``a, b and 3 more``."""
    rest = f" and {count(len(words) - most, what, many)}" if len(words) > most else ""
    return ", ".join(words[:most]) + rest


def beginning(text: str, most: int) -> str:
    """Return at most `most` characters of `text`. A longer text ends with an ellipsis."""
    return text if len(text) <= most else f"{text[: most - 1]}…"
