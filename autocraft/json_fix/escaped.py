r"""Reads an object that was escaped once more, as inside a string: ``{\"a\": …}``, ``{\n "a": …}``, ``{""a"": …}``.

All ways to unescape it must give the same command.
"""

from __future__ import annotations

import re
from contextlib import suppress

from autocraft.json_fix import lexicon, plain, shape, strings
from autocraft.json_fix.heuristic import Objects
from autocraft.json_fix.reader import GarbledText
from autocraft.json_fix.reply import Registry, unreadable

START = re.compile(rf"[{{｛]{lexicon.GAP}(?:\\[nrt]|\\\"|\"\"\w)")
"""The start of an object that is escaped as a whole."""
_STRING_OR_BREAK = re.compile(r'"(?:[^"\\]++|\\.)*+"|\\[nrt]', re.DOTALL)


def read(objects: Objects, start: int, registry: Registry | None) -> tuple[shape.FoundCommand, int]:
    """Return the command of the escaped object at `start`, and its end. Raises UnreadableReply."""
    text = objects.text
    end = text.rfind("}") + 1
    raw = text[start:end]
    commands: list[shape.FoundCommand] = []
    for source in dict.fromkeys(_strict_readings(raw)):
        value, sound = plain.strictly(source)
        command = shape.find(value, registry=registry) if sound else None
        if command is not None:
            commands.append(command)
    if not commands and '\\"' in raw:
        commands = _tolerant(raw, registry)
    if not commands:
        raise unreadable("garbled")
    if any(not each.same(commands[0]) for each in commands):
        raise unreadable("doubtful")
    return commands[0], end


def _strict_readings(raw: str) -> list[str]:
    readings = []
    with suppress(ValueError):
        readings.append(strings.LENIENT.decode(f'"{raw}"'))
    readings.append(_STRING_OR_BREAK.sub(lambda match: match[0] if match[0][0] == '"' else " ", raw))
    if '""' in raw and "\\" not in raw:
        readings.append(raw.replace('""', '"'))
    return readings


def _tolerant(raw: str, registry: Registry | None) -> list[shape.FoundCommand]:
    commands = []
    for source in dict.fromkeys((strings.decode(raw).text, raw.replace('\\"', '"'))):
        try:
            obj = Objects(source).at(0)
        except GarbledText:
            continue
        command = shape.find(obj.value, obj.state, registry)
        if command is not None:
            commands.append(command)
    return commands
