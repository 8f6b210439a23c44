"""Makes classes of values that are quick to import.

`dataclasses` compiles up to six methods for each class, which takes half a millisecond. A run needs about seventy
before its first question. The classes of this module share their methods, which take a few microseconds more per value.
A value that is made thousands of times should stay a dataclass.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field, fields
from functools import cache
from typing import Any, TypeVar, dataclass_transform

T = TypeVar("T")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(cls: type[T]) -> type[T]:
    """Make a class what ``dataclass(frozen=True)`` makes it. Methods that the class defines or inherits stay."""
    return share_methods(dataclass(init=False, repr=False, eq=False)(cls))


def share_methods(cls: type[T]) -> type[T]:
    """Give a dataclass the shared methods, where it still has those of `object`."""
    for name, method in METHODS.items():
        if getattr(cls, name) is getattr(object, name):
            setattr(cls, name, method)
    return cls


_fields: Callable[[type], tuple[Field[Any], ...]] = cache(fields)


def _init(self: Any, *args: Any, **given: Any) -> None:
    """Set the fields. Raises TypeError for a missing or an unknown one."""
    declared = [each for each in _fields(type(self)) if each.init]
    positional = dict(zip((each.name for each in declared if not each.kw_only), args, strict=False))
    if len(positional) < len(args) or positional.keys() & given.keys():
        raise TypeError(f"{type(self).__name__} takes other arguments")
    given |= positional
    for each in declared:
        if each.name in given:
            self.__dict__[each.name] = given.pop(each.name)
        elif each.default_factory is not MISSING:
            self.__dict__[each.name] = each.default_factory()
        elif each.default is MISSING:
            raise TypeError(f"{type(self).__name__} needs {each.name}")
        else:
            self.__dict__[each.name] = each.default
    if given:
        raise TypeError(f"{type(self).__name__} has no {', '.join(given)}")
    if hasattr(self, "__post_init__"):
        self.__post_init__()


def _eq(self: Any, other: object) -> Any:
    if type(other) is not type(self):
        return NotImplemented
    return all(getattr(self, f.name) == getattr(other, f.name) for f in _fields(type(self)) if f.compare)


def _hash(self: Any) -> int:
    counted = (f for f in _fields(type(self)) if (f.compare if f.hash is None else f.hash))
    return hash(tuple(getattr(self, f.name) for f in counted))


def _repr(self: Any) -> str:
    shown = (f"{each.name}={getattr(self, each.name)!r}" for each in _fields(type(self)) if each.repr)
    return f"{type(self).__qualname__}({', '.join(shown)})"


def _refuse(self: Any, name: str, *value: object) -> None:
    raise FrozenInstanceError(f"{type(self).__name__}.{name} cannot be changed")


METHODS: dict[str, Callable[..., Any]] = {
    "__init__": _init,
    "__eq__": _eq,
    "__hash__": _hash,
    "__repr__": _repr,
    "__setattr__": _refuse,
    "__delattr__": _refuse,
}
