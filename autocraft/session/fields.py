"""What stored values share: the bounds of their numbers, and how a snapshot holds them."""

from __future__ import annotations

from typing import Annotated, Any, TypeGuard

import msgspec
from msgspec import Meta

from autocraft.protocols import Json

DEEPEST = 400
"""The most levels of lists and objects in one event. The readers of answers allow far fewer."""
MOST = 2**53
"""The largest count in an event."""
LAST_SECOND = 253_402_300_799
"""The end of the year 9999, the last second with a date."""

Count = Annotated[int, Meta(ge=0, le=MOST)]
Number = Annotated[float, Meta(ge=0, le=MOST)]
"""A time, a price or a duration."""
Date = Annotated[float, Meta(ge=0, le=LAST_SECOND)]


def whole(value: object) -> TypeGuard[int]:
    """Tell whether a value can count something."""
    return type(value) is int and 0 <= value <= MOST


def number(value: object) -> TypeGuard[float]:
    """Tell whether a value can be a time, a price or a duration."""
    return type(value) in (int, float) and 0 <= value <= MOST  # type: ignore[operator]


def too_deep(value: Any) -> bool:
    """Tell whether lists and objects are nested in more than DEEPEST levels."""
    level = [value]
    for _ in range(DEEPEST):
        inner = [each for each in level if type(each) in (dict, list)]
        if not inner:
            return False
        level = [item for each in inner for item in (each.values() if type(each) is dict else each)]
    return True


class Stored(msgspec.Struct):
    """A value of which a snapshot holds all fields."""

    def to_json(self) -> Json:
        """Return all fields in plain values."""
        data: Json = msgspec.to_builtins(self, str_keys=True)
        return data

    def restore(self, data: Json) -> None:
        """Take over what `to_json` returned. Raises ValueError or TypeError for anything else."""
        if set(data) != set(self.__struct_fields__):
            raise ValueError("other fields were stored")
        stored = msgspec.convert(data, type(self), str_keys=True)
        for name in self.__struct_fields__:
            setattr(self, name, getattr(stored, name))
