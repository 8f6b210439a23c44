r"""Stage two: the whole answer is one object, but not strict JSON.

The tolerant reader comes first. If it finds no way, a strict command after thoughts that cannot be read counts alone.
An object may also be escaped once more as a whole, as inside a string: ``{\"a\": …}``, ``{\n "a": …}``, ``{""a"": …}``.
Stage three uses `Objects` too, which reads the object at any place.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from autocraft.json_fix import lexicon, plain, shape, strings
from autocraft.json_fix.reader import GarbledText, Reader
from autocraft.json_fix.reply import Registry, unreadable
from autocraft.json_fix.values import STRICT, State

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
            rest = self._after_thoughts(pos) if error.looks_like_command and error.flag == "garbled" else None
            if rest is None:
                raise
            return rest
        if "quotes guessed" in reading.flags and "command" not in reading.value:
            rest = self._after_thoughts(pos)
            if rest is not None:
                return rest
        return Object(reading.value, pos, reading.end, reading.state, reading.flags, reader.is_command())

    def _after_thoughts(self, pos: int) -> Object | None:
        """Read the strict command after thoughts that cannot be read. Return None if another command can be meant."""
        text = self.text
        thoughts = _THOUGHTS.match(text, pos)
        if thoughts is None or len(text) - pos > _MOST_SALVAGED or len(_ANY_KEY.findall(text)) != 1:
            return None
        key = _COMMAND.search(text, thoughts.end())
        pair = None if key is None else plain.at(text, key.end())
        if key is None or pair is None or _REST.match(text, pair[1]) is None or pair[0].keys() != {"name", "args"}:
            return None
        before = text[thoughts.end() : key.start()]
        if len(_QUOTE.findall(before)) % 2 or _CLOSED.search(before[-200:]) is None:
            return None
        value = {"thoughts": {"text": before.strip().rstrip(",")}, "command": pair[0]}
        return Object(value, pos, len(text), State(mended=True), ("thoughts unread",))


_MOST_SALVAGED = 60_000
_COMMAND = re.compile(r"(?:\"command\"?|command\")\s{0,20}:\s{0,200}(?=\{)")
_ANY_KEY = re.compile(r"command[\"']?\s{0,20}:")
_THOUGHTS = re.compile(r"\{\s*\"thoughts\"\s*:")
_CLOSED = re.compile(r"[,}\]]\s*(?:```\w{0,10}\s*)?\Z")
_REST = re.compile(r"\s*\}\s*(?:```\s*)?\Z")
_QUOTE = re.compile(r'(?<!\\)(?:\\\\)*"')


def find(obj: Object, registry: Registry | None) -> shape.FoundCommand | None:
    """Return the command of an object, or None if it has none. Raises UnreadableReply."""
    command = shape.find(obj.value, obj.state, registry)
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


# ------------------------------------------------------------ an object that is escaped as a whole

ESCAPED = re.compile(rf"[{{｛]{lexicon.GAP}(?:\\[nrt]|\\\"|\"\"\w)")
"""The start of an object that is escaped as a whole."""
_STRING_OR_BREAK = re.compile(r'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)|\\[nrt]', re.DOTALL)


def read_escaped(text: str, start: int, registry: Registry | None) -> tuple[shape.FoundCommand, int]:
    """Return the command of the escaped object at `start`, and its end. Raises UnreadableReply.

    All ways to unescape it must give the same command.
    """
    end = text.rfind("}") + 1
    raw = text[start:end]
    commands: list[shape.FoundCommand] = []
    for source in dict.fromkeys(_unescaped(raw)):
        value, sound = plain.strictly(source)
        command = shape.find(value, registry=registry) if sound else None
        if command is not None:
            commands.append(command)
    if not commands and '\\"' in raw:
        for source in dict.fromkeys((strings.decode(raw).text, raw.replace('\\"', '"'))):
            with suppress(GarbledText):
                obj = Objects(source).at(0)
                command = shape.find(obj.value, obj.state, registry)
                commands += [command] if command is not None else []
    if not commands:
        raise unreadable("garbled")
    if any(not each.same(commands[0]) for each in commands):
        raise unreadable("doubtful")
    return commands[0], end


def _unescaped(raw: str) -> list[str]:
    readings = []
    with suppress(ValueError):
        readings.append(strings.LENIENT.decode(f'"{raw}"'))
    readings.append(_STRING_OR_BREAK.sub(lambda match: match[0] if match[0][0] == '"' else " ", raw))
    if '""' in raw and "\\" not in raw:
        readings.append(raw.replace('""', '"'))
    return readings
