"""Stage two: the whole answer is one object, but not strict JSON.

The tolerant reader comes first. json-repair is the second, under restrictions. Stage three uses `Objects` too, which
reads the object at any place.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from autocraft.json_fix import lexicon, plain, salvage, second_opinion, shape
from autocraft.json_fix.reader import GarbledText, Reader
from autocraft.json_fix.reply import Registry, unreadable
from autocraft.json_fix.values import STRICT, State

REPAIRED = "json-repair"
_CLOSING = frozenset({"brackets in comments", "doubled braces"})
"""Flags of faults that may contain the brackets that are missing at the end."""
_STRICT_TRIES = 8
"""Most attempts of the strict parser, since an error costs time in proportion to its position."""


@dataclass(slots=True)
class Object:
    """One object of an answer, from `start` to `end`."""

    value: Any
    start: int
    end: int
    state: State = STRICT
    flags: tuple[str, ...] = ()
    looks_like_command: bool = True


@dataclass
class Objects:
    """Reads the objects of one answer. An object that is asked for twice in a row is read once."""

    text: str
    _last: dict[int, Object | GarbledText] = field(default_factory=dict)
    _strict_failures: int = 0

    def at(self, pos: int, *, strict: bool = True) -> Object:
        """Read the object that starts at `pos`. Raises GarbledText.

        Without `strict`, it is known not to be strict JSON.
        """
        result = self._last.get(pos)
        if result is None:
            try:
                result = self._read(pos, strict=strict)
            except GarbledText as error:
                result = error
            self._last = {pos: result}
        if isinstance(result, GarbledText):
            raise result
        return result

    def _read(self, pos: int, *, strict: bool) -> Object:
        if strict and self._strict_failures < _STRICT_TRIES:
            pair = plain.at(self.text, pos)
            if pair is not None:
                return Object(pair[0], pos, pair[1])
            self._strict_failures += 1
        reader = Reader(self.text)
        try:
            reading = reader.read(pos)
        except GarbledText as error:
            error.looks_like_command = reader.is_command()
            if error.looks_like_command and error.flag == "garbled":
                rest = self._otherwise(pos, "thoughts unread", REPAIRED)
                if rest is not None:
                    return rest
            raise
        if "quotes guessed" in reading.flags and "command" not in reading.value:
            rest = self._otherwise(pos, "thoughts unread")
            if rest is not None:
                return rest
        return Object(reading.value, pos, reading.end, reading.state, reading.flags, reader.is_command())

    def _otherwise(self, pos: int, *flags: str) -> Object | None:
        """Read the object by the ways that have these flags, or return None."""
        for flag in flags:
            pair = (second_opinion if flag == REPAIRED else salvage).read(self.text, pos)
            if pair is not None:
                return Object(pair[0], pos, pair[1], State(mended=True), (flag,))
        return None


def find(obj: Object, registry: Registry | None) -> shape.FoundCommand | None:
    """Return the command of an object, or None if it has none. Raises UnreadableReply.

    After json-repair only flat arguments count, since json-repair guesses brackets.
    """
    command = shape.find(obj.value, obj.state, registry)
    if command is not None and REPAIRED in obj.flags:
        has_containers = any(isinstance(value, (dict, list)) for value in command.args.values())
        if has_containers or command.extras:
            raise unreadable("garbled")
    if command is not None and command.extras and obj.state.mended:
        raise unreadable("doubtful", *obj.flags)  # a bracket too many may have left them out of the arguments
    if command is not None and "closers missing" in obj.flags and not _CLOSING.isdisjoint(obj.flags):
        raise unreadable("doubtful", *obj.flags)
    return command


def read_whole(
    objects: Objects, registry: Registry | None, *, partly: bool = True
) -> tuple[shape.FoundCommand, Object] | None:
    """Return the command if the whole text is one object, or None if stage three must look. Raises UnreadableReply.

    `partly` says that a part of the text may be strict JSON, although the whole is not.
    """
    text = objects.text
    start = 0 if text[0] == "{" else lexicon.blanks_end(text, 0)
    if not text.startswith(("{", "｛"), start):
        return None
    try:
        obj = objects.at(start, strict=partly)
    except GarbledText:
        return None
    if obj.end < len(text) > lexicon.blanks_end(text, obj.end):
        return None
    command = find(obj, registry)
    if command is None:
        is_cut = obj.state.open and obj.looks_like_command
        named = "command" in map(str.lower, obj.value)
        raise unreadable("truncated" if is_cut else "no command" if named else shape.none_in(text), *obj.flags)
    return command, obj
