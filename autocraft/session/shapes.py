"""The types of events and the fields that each must have: the one place that judges an event read from disk.

What is listed here is what the folds and the reports rely on. A field that older journals lack is listed as optional.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from math import isfinite
from typing import Any, NamedTuple

from autocraft.protocols import Json

VERSION = 1
TYPES = frozenset(
    ["goal", "answer", "reply", "question", "decision", "intent", "result", "feedback", "limit", "note", "end"]
)
DEEPEST = 400
"""Levels of lists and objects in one event; the readers of answers allow far fewer."""
MOST = 2**53
"""No number of an event that counts something is larger."""
LAST_SECOND = 253_402_300_799
"""The end of the year 9999, the last that can be told as a date."""

Kind = Callable[[Any], bool]


def text(value: Any) -> bool:
    return type(value) is str


def flag(value: Any) -> bool:
    return type(value) is bool


def whole(value: Any) -> bool:
    """Whether it is a whole number that can count something."""
    return type(value) is int and 0 <= value <= MOST


def finite(value: Any) -> bool:
    """Whether it is a number that can be reckoned with, which NaN and infinity are not."""
    return type(value) in (int, float) and abs(value) <= MOST


def setting(value: Any) -> bool:
    """Whether it is a number that a person may set as a limit; only infinity and NaN are refused."""
    return type(value) is int or (type(value) is float and isfinite(value))


def number(value: Any) -> bool:
    """Whether it is a time, a price or a duration."""
    return finite(value) and value >= 0


def items(value: Any) -> bool:
    return type(value) is dict


def anything(value: Any) -> bool:
    return True


def or_none(kind: Kind) -> Kind:
    return lambda value: value is None or kind(value)


def each(kind: Kind) -> Kind:
    """A list of such values."""
    return lambda value: type(value) in (list, tuple) and all(map(kind, value))


def record(**fields: Kind) -> Kind:
    """An object that has at least these fields."""
    return lambda value: (
        type(value) is dict and all(name in value and kind(value[name]) for name, kind in fields.items())
    )


def one_of(*words: str) -> Kind:
    return lambda value: type(value) is str and value in words


def counts(value: Any) -> bool:
    """Whether it is an object of item -> number."""
    return type(value) is dict and all(map(whole, value.values()))


def _item(value: Any) -> bool:
    return type(value) in (list, tuple) and len(value) == 2 and text(value[0]) and whole(value[1])


def _usage(value: Any) -> bool:
    """Whether it is what an endpoint counted, however wrong: `Usage.from_json` makes the best of the numbers."""
    return type(value) in (list, tuple) and len(value) == 3 and all(type(n) in (int, float, bool) for n in value)


def _price(value: Any) -> bool:
    return value is None or type(value) in (int, float)


def _risk(value: Any) -> bool:
    return type(value) is int and 0 <= value <= 2


def _date(value: Any) -> bool:
    return finite(value) and 0 <= value <= LAST_SECOND


def _options(value: Any) -> bool:
    """Whether they can be settings: plain values, and paths that can be looked up."""
    if type(value) is not dict or any(type(value.get(name, "")) is not str for name in ("workspace", "profile")):
        return False
    return all(_option(each) for some in value.values() for each in (some if type(some) in (list, tuple) else [some]))


def _option(value: object) -> bool:
    if type(value) is not str:
        return type(value) in (bool, type(None)) or setting(value)
    try:
        return b"\0" not in os.fsencode(value)
    except UnicodeEncodeError:
        return False


def _row(value: Any) -> bool:
    """Whether it is a row of memory as the model was told of it."""
    return _ROW(value) and whole(value.get("steps", 0))


class Shape(NamedTuple):
    """The fields of one type of event."""

    required: Mapping[str, Kind]
    optional: Mapping[str, Kind] = {}
    needs: Mapping[str, Mapping[str, Kind]] = {}
    """Field -> the other fields that must be there where it is."""


_ROW = record(id=text, text=text, score=or_none(finite))
_ROWS = each(_row)
_GOAL = record(text=text, items=each(_item))
_SPAWN = record(
    key=whole, task=text, grants=each(text), call=text, max_tokens=or_none(setting), max_cost=or_none(setting)
)
COMMON: Mapping[str, Kind] = {"seq": whole, "t": _date, "agent": text, "turn": whole}
SHAPES: Mapping[str, Shape] = {
    "goal": Shape(
        {"goals": each(_GOAL)},
        {"options": _options, "session": text},
        {"options": {"world": or_none(items), "continuous": flag}},
    ),
    "answer": Shape(
        {
            "text": text,
            "finish_reason": text,
            "reasoning": text,
            "refusal": text,
            "tool_calls": each(items),
            "usage": _usage,
            "cost": _price,
            "seconds": number,
            "heard": whole,
        },
        {"recalled": _ROWS},
    ),
    "reply": Shape({"ok": flag}),
    "reply that is ok": Shape({"stage": text, "thoughts": anything, "command": text, "args": items}),
    "reply that is not ok": Shape({"error": text}),
    "question": Shape({}, {"command": or_none(text), "args": or_none(items)}),
    "decision": Shape(
        {
            "kind": one_of("run", "refuse", "stop"),
            "by": text,
            "command": or_none(text),
            "args": or_none(items),
            "risk": or_none(_risk),
            "left": whole,
            "always": flag,
            "feedback": text,
            "why": text,
        },
        {"fingerprint": text},
    ),
    "decision on a command": Shape({"command": text, "args": items, "risk": _risk}),
    "intent": Shape(
        {"id": text, "command": text, "args": items, "evidence": items}, {"risk": _risk, "fingerprint": text}
    ),
    "result": Shape(
        {"intent": whole, "command": text, "ok": flag, "text": text, "seconds": number},
        {"answered": flag, "world": items, "undone": whole, "end": text},
        {"end": {"proof": items}},
    ),
    "feedback": Shape({"text": text}),
    "limit": Shape({"text": text}),
    "note": Shape(
        {"text": text},
        {
            "budget": whole,
            "continuous": flag,
            "forget": flag,
            "recalled": _ROWS,
            "usage": _usage,
            "spawn": _SPAWN,
            "message": text,
            "deleted": whole,
        },
        {"usage": {"cost": _price}, "message": {"call": text}, "deleted": {"call": text}},
    ),
    "end": Shape({"reason": text, "why": text, "inventory": counts}),
}


def fault_of(event: Json) -> str:
    """Say what is wrong with an event of this format; empty where nothing is."""
    type_ = event.get("type")
    if type(type_) is not str or type_ not in TYPES:
        return "it is of no known type"
    fault = _missing(event, COMMON) or _fault(event, SHAPES[type_])
    if not fault and type_ == "reply":
        fault = _fault(event, SHAPES["reply that is ok" if event["ok"] else "reply that is not ok"])
    if not fault and type_ == "decision" and _names_command(event):
        fault = _fault(event, SHAPES["decision on a command"])
    return f"{type_}: {fault}" if fault else ""


def too_deep(value: Any) -> bool:
    """Whether lists and objects lie in each other in more than DEEPEST levels."""
    level = [value]
    for _ in range(DEEPEST):
        inner = [each for each in level if type(each) in (dict, list)]
        if not inner:
            return False
        level = [item for each in inner for item in (each.values() if type(each) is dict else each)]
    return True


def _names_command(decision: Json) -> bool:
    """Whether a decision is about a command; what the policy refuses or a person allows always is one."""
    return decision["command"] is not None or decision["by"] == "policy" or decision["always"]


def _fault(event: Json, shape: Shape) -> str:
    fault = _missing(event, shape.required)
    for name, kind in shape.optional.items():
        if not fault and name in event and not kind(event[name]):
            fault = f"its {name} cannot be that"
    for name, others in shape.needs.items():
        if not fault and name in event:
            fault = _missing(event, others)
    return fault


def _missing(event: Json, fields: Mapping[str, Kind]) -> str:
    for name, kind in fields.items():
        if name not in event:
            return f"it has no {name}"
        if not kind(event[name]):
            return f"its {name} cannot be that"
    return ""
