"""Stage two: the whole answer is one object, but not strict JSON.

Our tolerant reader comes first, json-repair second and only under guard. `Objects` reads an object wherever it
starts and is what stage three uses, too. Neighbours: `reader.py`, `second_opinion.py`, `shape.py`, `brace_slice.py`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from autocraft.json_fix import lexicon, plain, second_opinion, shape
from autocraft.json_fix.reader import Garbled, Reader
from autocraft.json_fix.reply import Registry, unreadable
from autocraft.json_fix.work import Work

REPAIRED = "json-repair"
_STRICT_TRIES = 8
"""How many slices are offered to the strict parser: its errors cost time in proportion to their position."""


@dataclass(slots=True)
class Object:
    """One object of an answer, from `start` to `end`."""

    value: Any
    start: int
    end: int
    state: shape.State = shape.STRICT
    flags: tuple[str, ...] = ()
    looks_like_command: bool = True


@dataclass
class Objects:
    """Reads the objects of one answer, each only once."""

    text: str
    work: Work = field(default_factory=Work)
    _known: dict[int, Object | Garbled] = field(default_factory=dict)
    _strict_failures: int = 0

    def at(self, pos: int, *, strict: bool = True) -> Object:
        """The object that starts at `pos`. Raises Garbled. Not `strict`: it is known not to be strict JSON."""
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
        reader = Reader(self.text, self.work)
        try:
            parsed = reader.read(pos)
        except Garbled as error:
            error.looks_like_command = not reader.seen_keys.isdisjoint(shape.COMMAND_KEYS)
            if error.looks_like_command and error.flag == "garbled":
                repaired = second_opinion.read(self.text, pos)
                if repaired is not None:
                    value, end = repaired
                    return Object(value, pos, end, shape.State(mended=True), (REPAIRED,))
            raise
        state = shape.State(parsed.open, parsed.doubtful, mended=True)
        commandish = not reader.seen_keys.isdisjoint(shape.COMMAND_KEYS)
        return Object(parsed.value, pos, parsed.end, state, parsed.flags, commandish)


def find(found: Object, registry: Registry | None) -> shape.Found | None:
    """The command of an object. From json-repair only flat arguments count, since it had to guess the brackets.

    Raises UnreadableReply.
    """
    command = shape.find(found.value, found.state, registry)
    if command is not None and REPAIRED in found.flags:
        nested = any(isinstance(value, (dict, list)) for value in command.args.values())
        if nested or command.extras:
            raise unreadable("garbled")
    if command is not None and {"comments", "closers missing"} <= set(found.flags):
        raise unreadable("doubtful", *found.flags)  # the comment may have swallowed the brackets
    return command


def read(objects: Objects, registry: Registry | None, *, partly: bool = True) -> tuple[shape.Found, Object] | None:
    """The command when the whole text is one object; None when stage three must look. Raises UnreadableReply.

    `partly`: a part of the text may be strict JSON, although the whole is not.
    """
    text = objects.text
    start = lexicon.BLANKS.match(text).end()  # type: ignore[union-attr]
    if not text.startswith(("{", "｛"), start):
        return None
    try:
        found = objects.at(start, strict=partly)
    except Garbled:
        return None
    if lexicon.SKIP.match(text, found.end).end() < len(text):  # type: ignore[union-attr]
        return None
    command = find(found, registry)
    if command is None:
        raise unreadable("truncated" if found.state.open and found.looks_like_command else "no command", *found.flags)
    return command, found
