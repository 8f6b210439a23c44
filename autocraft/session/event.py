"""What all events of a run have: a line of the journal is written from one, and read as one.

In JSON an event is ``{v, seq, t, agent, turn, type, …}``. Only `Event.from_json` reads one. It checks a line by the
types of the fields, and upgrades events of an older format.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Self, TypeVar, dataclass_transform

from autocraft.frozen import share_methods
from autocraft.protocols import Json
from autocraft.session import fields as kinds
from autocraft.session.fields import plan_of
from autocraft.session.formats import VERSION, upgrade

T = TypeVar("T")
EventClass = type["Event"]
_CLASSES: dict[str, EventClass] = {}
"""Type of an event -> its class."""


def required(default: Any, **how: str) -> Any:
    """Declare a field that every line must have, although an event can be made without it."""
    return field(default=default, metadata={"required": True, **how})


def absent(default: Any) -> Any:
    """Declare a field that the JSON omits if it has this default."""
    return field(default=default, metadata={"omit": True})


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(field,))
def event(cls: type[T]) -> type[T]:
    """Make a class of events a frozen dataclass. `Event` compares and prints them."""
    return share_methods(dataclass(init=False, kw_only=True, eq=False, repr=False)(cls))


@event
class Event:
    """The fields of all events. `Journal.append` sets all of them but the agent."""

    type: ClassVar[str] = ""
    seq: int = required(0)
    time: Annotated[float, kinds.date] = required(0.0, key="t")
    """Seconds since 1970."""
    agent: str = required("main")
    turn: int = required(0)
    ticks: int | None = absent(None)
    """The world's clock in game ticks; None if the world has no clock."""

    def __init_subclass__(cls) -> None:
        """List the first class of each type, so that `from_json` finds it."""
        if cls.type:
            _CLASSES.setdefault(cls.type, cls)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Event) and type(self) is type(other) and self.to_json() == other.to_json()

    def __hash__(self) -> int:
        return hash((self.type, self.seq))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.to_json()})"

    def to_json(self) -> Json:
        """Return the event as in a line of the journal."""
        data = plan_of(type(self)).write(self)
        stamps = {"v": VERSION, **{key: data.pop(key) for key in ("seq", "t", "agent", "turn")}}
        return {**stamps, "type": self.type, **data}

    @classmethod
    def from_json(cls, data: Json) -> Self:
        """Check and read what `to_json` returned, in this or an older format. Raises ValueError for anything else."""
        if data.get("v") != VERSION:
            data = upgrade(data)
        try:
            kind = _CLASSES[data["type"]]._class_of(data)
        except (KeyError, TypeError):
            raise ValueError("it is of no known type") from None
        try:
            values = plan_of(kind).read(data)
            kind._check(data)
        except ValueError as fault:
            raise ValueError(f"{kind.type}: {fault}") from None
        if not issubclass(kind, cls):
            raise ValueError(f"{kind.type}: another event was expected")
        event: Self = object.__new__(kind)
        object.__setattr__(event, "__dict__", values)  # the fields are checked, and the event is frozen
        return event

    @classmethod
    def _class_of(cls, data: Json) -> EventClass:
        """Return the class of an event of this type."""
        return cls

    @staticmethod
    def _check(data: Json) -> None:
        """Raise ValueError if fields contradict each other."""


@event
class Line(Event):
    """An event outside the turns. `text` tells the person about it in one line."""

    text: str
