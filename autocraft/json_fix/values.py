"""The values of arguments: equality, completeness, and the type of untyped text."""

from __future__ import annotations

from typing import Any, NamedTuple

from autocraft.json_fix.reply import Json, unreadable

_CONTAINERS = frozenset({dict, list})
MAX_DEPTH = 100


class Raw(str):
    """The text of a parameter without a type."""

    __slots__ = ()


class State(NamedTuple):
    """What the reader knows about the containers of an object; nothing, when it was strict JSON.

    Each field holds the ids of some containers:

    `open`: they were never closed.
    `doubtful`: they directly hold a value with a second reading.
    `late`: brackets are missing, and they closed only at the end of the text. Their last items may belong outside.
    """

    open: frozenset[int] = frozenset()
    doubtful: frozenset[int] = frozenset()
    late: frozenset[int] = frozenset()
    mended: bool = False


STRICT = State()


def equal(left: Any, right: Any) -> bool:
    """Return whether two JSON values, of any depth, are equal. True is not equal to 1."""
    waiting = [(left, right)]
    for one, other in waiting:
        if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
            waiting += [(item, other[key]) for key, item in one.items()]
        elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
            waiting += zip(one, other, strict=True)
        elif type(one) in _CONTAINERS or isinstance(one, bool) is not isinstance(other, bool) or one != other:
            return False
    return True


def check_containers(args: Json, state: State) -> None:
    """Refuse arguments of which a part was cut, is doubtful or lies too deep."""
    if state is STRICT and is_flat(args):
        return
    level: list[Any] = [args]
    for _ in range(MAX_DEPTH):
        if state.open and any(id(item) in state.open for item in level):
            raise unreadable("truncated")
        if state.doubtful and any(id(item) in state.doubtful for item in level):
            raise unreadable("doubtful")
        level = _children(level)
        if not level:
            return
        if state.late and any(id(item) in state.late for item in level):
            raise unreadable("doubtful")
    raise unreadable("too deep")


def is_flat(value: Json) -> bool:
    """Return whether an object has no objects or lists in it."""
    return _CONTAINERS.isdisjoint(map(type, value.values()))


def _children(level: list[Any]) -> list[Any]:
    children: list[Any] = []
    for item in level:
        children += [each for each in (item.values() if type(item) is dict else item) if type(each) in _CONTAINERS]
    return children


def shallow(thoughts: Json) -> Json:
    """Return thoughts without values that are nested too deeply to be written as JSON."""
    if is_flat(thoughts):
        return thoughts
    result = {}
    for key, value in thoughts.items():
        level = [value] if isinstance(value, (dict, list)) else []
        for _ in range(MAX_DEPTH):
            if not level:
                break
            level = _children(level)
        if not level:
            result[key] = value
    return result


def number(token: str) -> tuple[int | float | None, bool] | None:
    """Return the number, and whether it is out of range. Return None for a leading zero.

    The range only matters in the arguments.
    """
    digits = token.lstrip("+-")
    try:
        if digits[:2] in ("0x", "0X"):
            return int(token, 16), False
        if digits.replace("_", "").isdigit():
            return None if len(digits) > 1 and digits[0] == "0" else (int(token), False)
        value = float(token)
    except ValueError:
        return None, True
    return (None, True) if value in (float("inf"), float("-inf")) else (value, False)
