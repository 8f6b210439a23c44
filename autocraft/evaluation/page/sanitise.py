"""Sanitises results for the page: texts without hidden characters, and fields of the types that they claim.

A result comes from a file and from a model, so any field may hold anything.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any, TypeVar

from autocraft.crafting.slots import COUNT, key_of
from autocraft.evaluation.results import EpisodeResult, StepResult
from autocraft.page.tidy import line, number, text, whole
from autocraft.protocols import Json

_SLOTS = frozenset(key_of(slot) for slot in range(COUNT))
T = TypeVar("T", EpisodeResult, StepResult)


def sanitise(result: T) -> T:
    """Return a result, or a step, with a value of its type in every field. Invalid values become empty, 0 or None."""
    values: dict[str, Any] = {}
    for field in fields(result):
        fit = text if field.name in _LONG else _FITS[str(field.type)]
        values[field.name] = fit(getattr(result, field.name))
    return replace(result, **values)


def _message(message: object) -> Json:
    parts = message if isinstance(message, Mapping) else {"content": message}
    return {"role": line(parts.get("role"), 20), "content": text(parts.get("content"))}


def _slots(value: object) -> dict[str, list[Any]]:
    """Return the stacks of existing slots. Others cannot be drawn."""
    stacks = {}
    for slot, stack in (value if isinstance(value, Mapping) else {}).items():
        if slot in _SLOTS and isinstance(stack, Sequence) and len(stack) == 2 and whole(stack[1]):
            stacks[slot] = [line(stack[0], 100), stack[1]]
    return stacks


def _list(value: object) -> Sequence[Any]:
    return value if isinstance(value, Sequence) and not isinstance(value, str) else ()


_LONG = frozenset({"error", "action", "text", "answer"})
"""Texts that may have several lines."""
_FITS: Mapping[str, Callable[[Any], Any]] = {
    "str": line,
    "Ended": line,
    "Kind": line,
    "bool": lambda value: value is True,
    "int": lambda value: whole(value) or 0,
    "int | None": whole,
    "float": lambda value: number(value) or 0.0,
    "float | None": number,
    "Json": _slots,
    "dict[str, int]": lambda value: {},
    "Sequence[StepResult]": lambda value: [sanitise(step) for step in _list(value)],
    "Sequence[Json]": lambda value: [_message(message) for message in _list(value)],
}
"""The function that makes a value fit the type of its field."""
