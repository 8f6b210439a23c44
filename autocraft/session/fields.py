"""The checks of the fields of events, and the reader of events from JSON.

The fields of a dataclass are the only description of an event. `Plan` checks every line of a journal against them, so
folds and reports may rely on the fields.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields
from math import isfinite
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints

from autocraft.protocols import Json, Risk

DEEPEST = 400
"""The most levels of lists and objects in one event. The readers of answers allow far fewer."""
MOST = 2**53
"""The largest count in an event."""
LAST_SECOND = 253_402_300_799
"""The end of the year 9999, the last second with a date."""

Check = Callable[[Any], bool]
RISKS: Mapping[str | None, Risk] = {risk.label: risk for risk in Risk}
"""Label -> risk."""

# ------------------------------------------------------------ single values


def only(kind: type) -> Check:
    """Accept values of exactly this type."""
    return lambda value: type(value) is kind


def between(least: float, most: float, *kinds: type) -> Check:
    """Accept numbers of these types from `least` to `most`. NaN is never between them."""
    return lambda value: type(value) in kinds and least <= value <= most


text, flag, items = only(str), only(bool), only(dict)
whole = between(0, MOST, int)
"""Accepts a whole number that can count something."""
finite = between(-MOST, MOST, int, float)
number = between(0, MOST, int, float)
"""Accepts a time, a price or a duration."""
date = between(0, LAST_SECOND, int, float)


def setting(value: Any) -> bool:
    """Tell whether a value may be a limit: any number but infinity and NaN."""
    return type(value) is int or (type(value) is float and isfinite(value))


def anything(value: Any) -> bool:
    return True


def or_none(check: Check) -> Check:
    return lambda value: value is None or check(value)


def each(check: Check) -> Check:
    """Accept a list of values that pass `check`."""
    return lambda value: type(value) in (list, tuple) and all(map(check, value))


def record(optional: Mapping[str, Check], **checks: Check) -> Check:
    """Accept an object with at least these fields. It may have the `optional` fields too."""
    return lambda value: (
        type(value) is dict
        and all(name in value and check(value[name]) for name, check in checks.items())
        and all(check(value[name]) for name, check in optional.items() if name in value)
    )


def one_of(*values: object) -> Check:
    """Accept only these values, each with its own type."""
    return lambda value: any(value is each or (type(value) is str and value == each) for each in values)


risk = one_of(*RISKS)
"""Accepts the label of a risk."""


def counts(value: Any) -> bool:
    """Tell whether a value is an object of item -> number."""
    return type(value) is dict and all(map(whole, value.values()))


def usage(value: Any) -> bool:
    """Tell whether a value is a usage. Its numbers may be wrong, as `Usage.from_json` corrects them."""
    return type(value) in (list, tuple) and 3 <= len(value) <= 4 and all(type(n) in (int, float, bool) for n in value)


def price(value: Any) -> bool:
    return value is None or type(value) in (int, float)


def options(value: Any) -> bool:
    """Tell whether a value can be the settings: plain values, and paths that can be looked up."""
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


def _item(value: Any) -> bool:
    return type(value) in (list, tuple) and len(value) == 2 and text(value[0]) and whole(value[1])


def _deed(value: Any) -> bool:
    return type(value) in (list, tuple) and len(value) == 4 and all(map(text, value[:2])) and all(map(whole, value[2:]))


goal = record({"words": text, "deeds": each(_deed)}, text=text, items=each(_item))
"""Accepts a goal: the items to hold, the deeds to do, and words beyond them."""
row = record({"steps": whole}, id=text, text=text, score=or_none(finite))
"""Accepts a row of memory as the model read it."""


def too_deep(value: Any) -> bool:
    """Tell whether lists and objects are nested in more than DEEPEST levels."""
    level = [value]
    for _ in range(DEEPEST):
        inner = [each for each in level if type(each) in (dict, list)]
        if not inner:
            return False
        level = [item for each in inner for item in (each.values() if type(each) is dict else each)]
    return True


def need(data: Json, **checks: Check) -> None:
    """Raise ValueError unless these fields exist and pass their checks."""
    for name, check in checks.items():
        if name not in data:
            raise ValueError(f"it has no {name}")
        if not check(data[name]):
            raise ValueError(f"its {name} cannot be that")


# ------------------------------------------------------------ the fields of a dataclass


class Kind(NamedTuple):
    """The JSON form of a field whose type alone does not say it."""

    check: Check
    parse: Callable[[Any], Any] | None = None
    dump: Callable[[Any], Any] | None = None


_EXACT: Mapping[Check, type] = {text: str, flag: bool, items: dict}
_CHECKS: Mapping[object, Check] = {str: text, bool: flag, dict: items, int: whole, float: number, Any: anything}


Field = tuple[str, str, type | None, Check]
"""Key in JSON, name, the type of values that need no check, and the check of all others."""


class Plan(NamedTuple):
    """Reads and writes the events of one class."""

    required: tuple[Field, ...]
    optional: tuple[Field, ...]
    parsers: tuple[tuple[str, Callable[[Any], Any]], ...]
    makers: tuple[tuple[str, Callable[[], Any]], ...]
    """Fields with a new default for each event."""
    written: tuple[tuple[str, str, Callable[[Any], Any] | None, object], ...]
    """Key in JSON, name, function to JSON, and the value at which the key is omitted."""

    def read(self, data: Json) -> dict[str, Any]:
        """Return the fields of an event. Raises ValueError if one is missing or wrong."""
        values = {}
        key = ""
        try:
            for key, name, plain, check in self.required:
                value = values[name] = data[key]
                if type(value) is not plain and not check(value):
                    raise ValueError(f"its {key} cannot be that")
        except KeyError:
            raise ValueError(f"it has no {key}") from None
        for key, name, plain, check in self.optional:
            if key in data:
                value = values[name] = data[key]
                if type(value) is not plain and not check(value):
                    raise ValueError(f"its {key} cannot be that")
        for name, parse in self.parsers:
            if name in values:
                values[name] = parse(values[name])
        for name, make in self.makers:
            if name not in values:
                values[name] = make()
        return values

    def write(self, event: object) -> Json:
        """Return the fields as JSON."""
        data = {}
        for key, name, dump, without in self.written:
            value = getattr(event, name)
            if without is MISSING or value != without:
                data[key] = value if dump is None else dump(value)
        return data


def plan_of(kind: type) -> Plan:
    """Return the plan of a class of events."""
    plan = _PLANS.get(kind)
    if plan is None:
        plan = _PLANS[kind] = _planned(kind)
    return plan


_PLANS: dict[type, Plan] = {}


def _planned(cls: type) -> Plan:
    hints = get_type_hints(cls, include_extras=True)
    needs: list[Field] = []
    optional: list[Field] = []
    parsers, makers, dumps = [], [], []
    for each in fields(cls):
        kind = _kind(hints[each.name])
        key = each.metadata.get("key", each.name)
        has_default = each.default is not MISSING or each.default_factory is not MISSING
        always = each.metadata.get("required", not has_default)
        (needs if always else optional).append((key, each.name, _EXACT.get(kind.check), kind.check))
        if kind.parse is not None:
            parsers.append((each.name, kind.parse))
        if each.default_factory is not MISSING:
            makers.append((each.name, each.default_factory))
        dumps.append((key, each.name, kind.dump, each.default if each.metadata.get("omit") else MISSING))
    return Plan(tuple(needs), tuple(optional), tuple(parsers), tuple(makers), tuple(dumps))


def _kind(hint: Any) -> Kind:
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return inner[1] if isinstance(inner[1], Kind) else Kind(inner[1])
    if origin is Literal:
        return Kind(one_of(*inner))
    if origin in (Union, UnionType):
        (only,) = (each for each in inner if each is not NoneType)
        return Kind(or_none(_kind(only).check))
    if origin is list:
        return Kind(each(_kind(inner[0]).check))
    return Kind(_CHECKS[origin or hint])
