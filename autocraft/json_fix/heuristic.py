"""Stage two: the whole answer is one object, but not strict JSON.

The tolerant reader comes first. json-repair is the second, under restrictions. Stage three uses `Objects` too, which
reads the object at any place.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from autocraft.json_fix import lexicon, plain, quick, salvage, second_opinion, shape
from autocraft.json_fix.reader import Garbled, Reader
from autocraft.json_fix.reply import Registry, unreadable
from autocraft.json_fix.values import STRICT, State
from autocraft.json_fix.work import Work

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
    work: Work = field(default_factory=Work)
    _known: dict[int, Object | Garbled] = field(default_factory=dict)
    _strict_failures: int = 0
    _quick: bool = True
    """Whether the fast way may still be tried."""

    def at(self, pos: int, *, strict: bool = True) -> Object:
        """Read the object that starts at `pos`. Raises Garbled. Without `strict`, it is known not to be strict JSON."""
        known = self._known.get(pos)
        if known is None:
            try:
                known = self._read(pos, strict=strict)
            except Garbled as error:
                known = error
            self._known = {pos: known}
        if isinstance(known, Garbled):
            raise known
        return known

    def _read(self, pos: int, *, strict: bool) -> Object:
        if strict and self._strict_failures < _STRICT_TRIES:
            found = plain.at(self.text, pos)
            self.work.chars += (len(self.text) if found is None else found[1]) - pos
            if found is not None:
                return Object(found[0], pos, found[1])
            self._strict_failures += 1
        sound = quick.sound_until(self.text, pos)
        if self._quick:
            self._quick = False
            done = quick.read(self.text, pos, sound)
            self.work.chars += len(self.text) - pos
            if done is not None:
                value, end, flags = done
                return Object(value, pos, end, State(mended=True), flags)
        reader = Reader(self.text, self.work)
        try:
            parsed = reader.read(pos, sound=sound)
        except Garbled as error:
            error.looks_like_command = reader.is_command()
            if error.looks_like_command and error.flag == "garbled":
                alone = self._salvaged(pos)
                if alone is not None:
                    return alone
                repaired = second_opinion.read(self.text, pos)
                if repaired is not None:
                    value, end = repaired
                    return Object(value, pos, end, State(mended=True), (REPAIRED,))
            raise
        if "quotes guessed" in parsed.flags and "command" not in parsed.value:
            alone = self._salvaged(pos)
            if alone is not None:
                return alone
        return Object(parsed.value, pos, parsed.end, parsed.state, parsed.flags, reader.is_command())

    def _salvaged(self, pos: int) -> Object | None:
        alone = salvage.read(self.text, pos)
        if alone is None:
            return None
        return Object(alone[0], pos, alone[1], State(mended=True), ("thoughts unread",))


def find(found: Object, registry: Registry | None) -> shape.Found | None:
    """Return the command of an object, or None if it has none. Raises UnreadableReply.

    After json-repair only flat arguments count, since json-repair guesses brackets.
    """
    command = shape.find(found.value, found.state, registry)
    if command is not None and REPAIRED in found.flags:
        nested = any(isinstance(value, (dict, list)) for value in command.args.values())
        if nested or command.extras:
            raise unreadable("garbled")
    if command is not None and command.extras and found.state.mended:
        raise unreadable("doubtful", *found.flags)  # a bracket too many may have left them out of the arguments
    if command is not None and "closers missing" in found.flags and not _CLOSING.isdisjoint(found.flags):
        raise unreadable("doubtful", *found.flags)
    return command


def read_whole(
    objects: Objects, registry: Registry | None, *, partly: bool = True
) -> tuple[shape.Found, Object] | None:
    """Return the command if the whole text is one object, or None if stage three must look. Raises UnreadableReply.

    `partly` says that a part of the text may be strict JSON, although the whole is not.
    """
    text = objects.text
    start = lexicon.BLANKS.match(text).end()  # type: ignore[union-attr]
    if not text.startswith(("{", "｛"), start):
        return None
    try:
        found = objects.at(start, strict=partly)
    except Garbled:
        return None
    if lexicon.BLANKS.match(text, found.end).end() < len(text):  # type: ignore[union-attr]
        return None
    command = find(found, registry)
    if command is None:
        raise unreadable("truncated" if found.state.open and found.looks_like_command else "no command", *found.flags)
    return command, found
