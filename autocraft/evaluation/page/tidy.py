"""Results made fit to be shown: texts in which nothing is hidden, and fields of the types that they claim.

A result comes from a file and from a model, so any field may hold anything. What passes here holds no control,
bidirectional or zero-width character (each is written as its escape) and no number that JSON has not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from autocraft.evaluation.results import EpisodeResult, Kind, StepResult
from autocraft.protocols import Json
from autocraft.text.phrases import beginning
from autocraft.text.sanitize import clean
from autocraft.worlds.crafting.slots import COUNT, key_of

_SLOTS = frozenset(key_of(slot) for slot in range(COUNT))
_MOST = 10**12


def text(value: object) -> str:
    """`value` as text that can be shown; "" for None."""
    if value is None:
        return ""
    try:
        plain = value if isinstance(value, str) else str(value)
    except (ValueError, RecursionError):  # a number of too many digits, a list that holds itself
        return "?"
    return clean(plain)


def line(value: object, most: int = 200) -> str:
    """The same on one line of at most `most` characters."""
    return beginning(text(value).replace("\n", "\\n").replace("\t", "\\t"), most)


def whole(value: object) -> int | None:
    """A whole number that is not absurd, or None."""
    return value if type(value) is int and abs(value) <= _MOST else None


def number(value: object) -> float | None:
    """A finite number that is not absurd, or None."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if abs(value) <= _MOST else None  # which "not a number" is not


def tidy(result: EpisodeResult) -> EpisodeResult:
    """`result` with every field as its type says; what cannot be shown as such is empty, 0 or None."""
    return replace(
        result,
        example_id=line(result.example_id, 60),
        seed=whole(result.seed) or 0,
        target=line(result.target, 100),
        complexity=line(result.complexity, 20),
        recipe_type=line(result.recipe_type, 20),
        impossible=result.impossible is True,
        success=result.success is True,
        ended=cast(Any, line(result.ended, 20)),
        number_of_steps=whole(result.number_of_steps) or 0,
        actions=whole(result.actions) or 0,
        minimum=whole(result.minimum),
        minimum_proven=result.minimum_proven is True,
        package_actions=whole(result.package_actions),
        start=_slots(result.start),
        steps=[_step(each) for each in _list(result.steps)],
        dialogue=[_message(each) for each in _list(result.dialogue)],
        prompt_tokens=whole(result.prompt_tokens) or 0,
        completion_tokens=whole(result.completion_tokens) or 0,
        cost=number(result.cost),
        seconds=number(result.seconds) or 0.0,
        final_inventory={},
        error=text(result.error),
    )


def _step(step: StepResult) -> StepResult:
    return StepResult(
        kind=cast(Kind, line(step.kind, 20)),
        action=text(step.action),
        ok=step.ok is True,
        text=text(step.text),
        answer=text(step.answer),
        slots=_slots(step.slots),
        moves=whole(step.moves) or 0,
    )


def _message(message: object) -> Json:
    given = message if isinstance(message, Mapping) else {"content": message}
    return {"role": line(given.get("role"), 20), "content": text(given.get("content"))}


def _slots(value: object) -> dict[str, list[Any]]:
    """The stacks that lie in slots there are; others cannot be drawn."""
    stacks = {}
    for slot, stack in (value if isinstance(value, Mapping) else {}).items():
        if slot in _SLOTS and isinstance(stack, Sequence) and len(stack) == 2 and whole(stack[1]):
            stacks[slot] = [line(stack[0], 100), stack[1]]
    return stacks


def _list(value: object) -> Sequence[Any]:
    return value if isinstance(value, Sequence) and not isinstance(value, str) else ()
