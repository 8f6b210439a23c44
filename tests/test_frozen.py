"""A class made by `frozen` behaves as the same class made by `dataclass(frozen=True)`, beside which each case runs."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import KW_ONLY, asdict, dataclass, field, replace
from typing import Any

import pytest

from autocraft.frozen import frozen


class Checked:
    """What both classes have."""

    def __post_init__(self) -> None:
        if self.count < 0:  # type: ignore[attr-defined]
            raise ValueError("fewer than none")


def made(decorate: Callable[[type], type]) -> type:
    """Return the class as `decorate` makes it."""

    class Value(Checked):
        """A value."""

        name: str
        count: int = 1
        parts: list[int] = field(default_factory=list, hash=False)
        secret: str = field(default="", repr=False)
        _: KW_ONLY
        noted: str = field(default="", compare=False)

    return decorate(Value)


OURS, THEIRS = made(frozen), made(dataclass(frozen=True))
CASES: dict[str, Callable[[Any], Any]] = {
    "defaults": lambda make: vars(make("a")),
    "by position": lambda make: vars(make("a", 2, [3], "s")),
    "by name": lambda make: vars(make(count=2, name="a", noted="n")),
    "a list of its own": lambda make: make("a").parts is not make("a").parts,
    "nothing": lambda make: make(),
    "too many": lambda make: make("a", 2, [], "s", "n"),
    "twice": lambda make: make("a", name="b"),
    "unknown": lambda make: make("a", colour="red"),
    "refused by the class": lambda make: make("a", -1),
    "equal": lambda make: make("a", noted="x") == make("a", noted="y"),
    "unequal": lambda make: make("a") == make("b"),
    "of another class": lambda make: make("a") == "a",
    "hash": lambda make: len({make("a"), make("a"), make("b")}),
    "text": lambda make: repr(make("a", secret="s")),
    "changed copy": lambda make: vars(replace(make("a"), count=5)),
    "refused copy": lambda make: replace(make("a"), colour="red"),
    "as a dictionary": lambda make: asdict(make("a", 2)),
    "copied": lambda make: vars(copy.deepcopy(make("a", 2))),
    "set": lambda make: setattr(make("a"), "count", 2),
    "deleted": lambda make: delattr(make("a"), "count"),
    "matched": lambda make: make.__match_args__,
}


@pytest.mark.parametrize("name", CASES)
def test_a_frozen_class_behaves_as_a_frozen_dataclass(name: str) -> None:
    assert _result(CASES[name], OURS) == _result(CASES[name], THEIRS)


def _result(case: Callable[[Any], Any], make: type) -> Any:
    try:
        return case(make)
    except (AttributeError, TypeError, ValueError) as error:
        return type(error)


def test_a_method_that_a_class_defines_or_inherits_is_not_replaced() -> None:
    @frozen
    class Base:
        """Prints itself."""

        name: str

        def __repr__(self) -> str:
            return f"<{self.name}>"

    @frozen
    class Derived(Base):
        """Takes a field more."""

        more: int = 0

    assert repr(Derived("a", 1)) == "<a>"
