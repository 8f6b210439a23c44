"""What all events of a run have in common, and the reader of a line of the journal.

In JSON an event is ``{type, v, seq, t, agent, turn, …}``. The types of its fields are the only description of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from pkgutil import resolve_name
from typing import Any, Self, TypeVar, cast, dataclass_transform

import msgspec

from autocraft.features import EVENTS
from autocraft.protocols import Json
from autocraft.session.fields import Count, Date
from autocraft.text.phrases import beginning

VERSION = 4
"""The format of the journal's lines. No other one is read."""
T = TypeVar("T")
_CLASSES: dict[tuple[str, bool], type[Event]] = {}
"""Type of an event, and whether it is not a failed reply -> its class. Those of `EVENTS` join when they are needed."""
_MISSING = re.compile(r"Object missing required field `(\w+)`")


def written(default: T | Callable[[], T]) -> T:
    """Declare a field that an event can be made without, but that its JSON always has.

    A field with a plain default is left out of the JSON while it has this default.
    """
    make = default if callable(default) else lambda: default
    return msgspec.field(default_factory=lambda: make())  # msgspec may omit what `list` or `dict` makes


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(msgspec.field,))
class _EventMeta(msgspec.StructMeta):
    """Makes classes of events: they are frozen, and their fields are given by name."""

    def __new__(
        cls, name: str, bases: tuple[type, ...], body: dict[str, Any], tag: str | None = None, ok: bool = True
    ) -> Any:
        kind = super().__new__(cls, name, bases, body, tag=tag, kw_only=True, frozen=True, omit_defaults=True)
        if tag is not None:
            _CLASSES[tag, ok] = cast(type[Event], kind)
        return kind


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(msgspec.field,))
class Event(msgspec.Struct, metaclass=_EventMeta):
    """The fields of all events. `Journal.append` sets all of them but the agent and the bot."""

    version: Count = msgspec.field(name="v", default_factory=lambda: VERSION)
    seq: Count = written(0)
    time: Date = msgspec.field(name="t", default_factory=float)
    """Seconds since 1970."""
    agent: str = written("main")
    turn: Count = written(0)
    ticks: Count | None = None
    """The world's clock in game ticks; None if the world has no clock."""
    bot: str = ""
    """The bot that it is about; empty in a run with a single one."""

    @property
    def type(self) -> str:
        """Return the type of the event, as in its JSON."""
        return str(self.__struct_config__.tag)

    @property
    def actor(self) -> str:
        """Return whose event it is: its agent, with the name of a bot beside the first one."""
        if not self.bot:
            return self.agent
        return self.bot if self.agent == "main" else f"{self.agent} of {self.bot}"

    def to_json(self) -> Json:
        """Return the event as in a line of the journal. Raises RecursionError if it has too many levels."""
        return cast(Json, msgspec.to_builtins(self, enc_hook=str))

    @classmethod
    def from_json(cls, data: Json) -> Self:
        """Check and read an event of this class from JSON. Raises ValueError for anything else."""
        try:
            event = msgspec.convert(data, _class_of(msgspec.convert(data, Head)))
        except msgspec.ValidationError as fault:
            raise _plain(fault, data.get("type")) from None
        if not isinstance(event, cls):
            raise ValueError(f"{event.type}: another event was expected")
        return event


class Line(Event):
    """An event outside the turns. `text` tells the person about it in one line."""

    text: str


class Head(msgspec.Struct):
    """The fields that every line has."""

    v: int
    type: str
    seq: Count
    t: Date
    agent: str
    turn: Count
    ok: Any = None


_HEAD = msgspec.json.Decoder(Head)


def read_line(line: bytes) -> Event:
    """Check and read an event from a line of JSON. Raises ValueError or RecursionError for anything else."""
    line.decode()  # msgspec does not look at the text of fields that it passes over
    head = None
    try:
        head = _HEAD.decode(line)
        return _decoder(_class_of(head)).decode(line)
    except msgspec.ValidationError as fault:
        raise _plain(fault, head and head.type) from None


def _class_of(head: Head) -> type[Event]:
    """Return the class of an event. Raises ValueError for another format or an unknown type."""
    if head.v != VERSION:
        raise ValueError(f"its format is not {VERSION}")
    kind = _CLASSES.get((head.type, head.ok is not False)) or _CLASSES.get((head.type, True))
    if kind is not None:
        return kind
    if head.type not in EVENTS:
        raise ValueError("it is of no known type")
    made: type[Event] = resolve_name(EVENTS[head.type])
    return made


@cache
def _decoder(kind: type[Event]) -> msgspec.json.Decoder[Event]:
    return msgspec.json.Decoder(kind)


def _plain(fault: msgspec.ValidationError, type: object) -> ValueError:
    """Return a fault that msgspec finds in an event of a type, in plain words."""
    where = f"{type}: " if isinstance(type, str) else ""
    return ValueError(beginning(where + fault_of(str(fault)), 200))


def fault_of(text: str) -> str:
    """Return a message of msgspec in plain words, such as "its text cannot be that (Expected `str`, got `int`)"."""
    if missing := _MISSING.match(text):
        return f"it has no {missing[1]}"
    what, _, where = text.partition(" - at `$.")
    return f"its {where.rstrip('`')} cannot be that ({what})" if where else what
