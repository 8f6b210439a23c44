"""Provenance: whether a command stands in a text that the prompt showed as data, in whatever form it is written there.

Decoded values are compared, not text. Each place of the command's name is looked at, and what encloses it is read by
the readers of objects, calls and tags.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator

from autocraft.errors import UnreadableReply
from autocraft.json_fix import calls, shape, yamlish
from autocraft.json_fix.heuristic import Object, Objects, find
from autocraft.json_fix.reader import GarbledText, Reading
from autocraft.json_fix.reply import Registry

MOST_NAMES = 50
"""Most places of the name that are looked at in one text."""
REACH = 2_000
"""Most characters before the name in which what encloses it may begin."""
MOST_OPENINGS = 12
_OPENING = re.compile(r"[{｛<\[(]|\b(?:command[\"']?:|(?:Action|Tool)[ *_]*:)")
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|[\"\\/nrt])")
_PLAIN = {'"': '"', "\\": "\\", "/": "/", "n": "\n", "r": "\r", "t": "\t"}


def holds(text: str, command: shape.FoundCommand, registry: Registry | None = None, *, exactly: bool = False) -> bool:
    """Return whether a text holds the same command: the same name with the same arguments.

    If not `exactly`, a quotation may differ in capitals, in blanks, and in quotes around numbers.
    """
    room = REACH + 4 * len(json.dumps(command.args))
    found = _commands(text, command.name, room, registry)
    if exactly:
        return any(each.same(command) for each in found)
    return any(_loosely(each) == _loosely(command) for each in found)


def _loosely(command: shape.FoundCommand) -> str:
    """Return what a quotation keeps of a command, whoever writes it down."""
    return "".join(json.dumps([command.name, command.args], sort_keys=True).casefold().replace('"', "").split())


def _commands(text: str, name: str, room: int, registry: Registry | None) -> Iterator[shape.FoundCommand]:
    """Yield the commands of this name. What encloses the name ends within `room` characters after it."""
    for form in _forms(text, name):
        for at in _places(form, name):
            begin = max(0, at - REACH)
            for reading in _enclosing(form[begin : at + room], at - begin):
                try:
                    command = find(reading, registry)
                except UnreadableReply:
                    continue
                if command is not None:
                    yield command


def _forms(text: str, name: str) -> Iterator[str]:
    """Yield the text as it is, and without one or two levels of escapes, if it then has the name."""
    from html import unescape

    seen = set[str]()
    for form in (text, unescape(text) if "&" in text else text):
        for _ in range(3):
            if name in form and form not in seen:
                seen.add(form)
                yield form
            if "\\" not in form:
                break
            form = _ESCAPE.sub(lambda match: _PLAIN.get(match[1]) or chr(int(match[1][1:], 16)), form)


def _places(text: str, name: str) -> Iterator[int]:
    at = -1
    for _ in range(MOST_NAMES):
        at = text.find(name, at + 1)
        if at < 0:
            return
        yield at


def _enclosing(text: str, at: int) -> Iterator[Object]:
    """Yield each object, call or tag that encloses the name at `at`, the innermost first."""
    openings = [match.start() for match in _OPENING.finditer(text, 0, at)]
    starts = [at, *reversed(openings[-MOST_OPENINGS:])]
    for start in starts:
        for read in _READERS:
            try:
                found = read(text, start)
            except (UnreadableReply, GarbledText):
                continue
            if found is not None and found.end > at:
                yield found


def _whole(reading: Reading | None, start: int) -> Object | None:
    return None if reading is None else Object(reading.value, start, reading.end, reading.state)


def _object(text: str, start: int) -> Object | None:
    return Objects(text).at(start) if text.startswith(("{", "｛"), start) else None


def _call(text: str, start: int) -> Object | None:
    opening = calls.call_start(text, start)
    return _whole(opening and calls.call(text, opening), start)


def _tool_call(text: str, start: int) -> Object | None:
    opening = calls.ACTION.match(text, start)
    return _whole(calls.action(text, opening) if opening else calls.read(text, start), start)


def _yaml(text: str, start: int) -> Object | None:
    if not text.startswith("command", start):
        return None
    begin = start - (text[start - 1 : start] in ('"', "'"))
    value, end = yamlish.command(text + "\n", begin, len(text) + 1)
    return Object(value, begin, end)


_READERS: tuple[Callable[[str, int], Object | None], ...] = (_object, _call, _tool_call, _yaml)
