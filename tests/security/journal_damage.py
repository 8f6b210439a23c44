"""Makes damaged journals from a real one: every kind of damage at many places, the same in every run."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SEED = 13
HUGE = 10**400
WRONG: tuple[Any, ...] = (None, True, -1, 1.5, HUGE, 2**63, "x", "\0", "\ud800", [], [1], [[]], {}, {"x": 1})
"""Values of every type; each is wrong in most places."""


@dataclass(frozen=True)
class Damage:
    """One damaged journal. The error must name the number `line`. It is 0 if the damage may do no harm."""

    name: str
    lines: Sequence[bytes]
    line: int = 0
    prepare: Callable[[Path], object] = lambda folder: None
    """What is done to the rest of the session's folder."""


def damages(lines: Sequence[bytes]) -> Iterator[Damage]:
    """Yield all damaged journals. `lines` are those of a whole journal, each with its line end."""
    yield from _lines(lines)
    yield from _bytes(lines)
    yield from _fields(lines)
    yield from _blobs(lines)


def _dumped(event: Any) -> bytes:
    return json.dumps(event, separators=(",", ":")).encode() + b"\n"


def _replaced(lines: Sequence[bytes], at: int, *new: bytes) -> list[bytes]:
    return [*lines[:at], *new, *lines[at + 1 :]]


def _lines(lines: Sequence[bytes]) -> Iterator[Damage]:
    """Yield journals with wrong or misplaced lines. The error must name the number of the line."""
    other = {
        "empty": b"\n",
        "blank": b"   \n",
        "zeros": bytes(100) + b"\n",
        "a list": b"[]\n",
        "a number": b"17\n",
        "a text": b'"goal"\n',
        "null": b"null\n",
        "no format": b'{"seq":1,"type":"goal"}\n',
        "nested": b'{"v":4,"x":' + b"[" * 100_000 + b"\n",
        "nested and closed": b'{"v":4,"x":' + b"[" * 700 + b"]" * 700 + b"}\n",
        "two events": b"",
        "carriage return": b"\r\n",
    }
    for at in range(len(lines)):
        if at % 5 == 0:
            for name, line in other.items():
                text = line or lines[at].rstrip(b"\n") + lines[at]
                yield Damage(f"line {at + 1} is {name}", _replaced(lines, at, text), at + 1)
        if at:
            yield Damage(f"line {at + 1} is repeated", [*lines[: at + 1], *lines[at:]], at + 2)
            moved = [*lines[: at - 1], lines[at], lines[at - 1], *lines[at + 1 :]]
            yield Damage(f"line {at + 1} stands before line {at}", moved, at)
            kept = [*lines[: at - 1], *lines[at:]]
            yield Damage(f"line {at} is missing", kept, at)
        cut = lines[at][: len(lines[at]) // 2] + b"\n"
        yield Damage(f"line {at + 1} is cut", _replaced(lines, at, cut), at + 1)


def _bytes(lines: Sequence[bytes]) -> Iterator[Damage]:
    """Yield journals with single wrong bytes at random places. A changed letter of a text may do no harm."""
    chance = random.Random(SEED)
    for at, line in enumerate(lines):
        for _ in range(4):
            place, bit = chance.randrange(len(line) - 1), 1 << chance.randrange(8)
            flipped = line[:place] + bytes([line[place] ^ bit]) + line[place + 1 :]
            yield Damage(f"bit {bit} of byte {place} of line {at + 1}", _replaced(lines, at, flipped))
        if at % 3 == 0:
            place = chance.randrange(len(line) - 1)
            for name, byte in {
                "zero": b"\0",
                "no UTF-8": b"\xff",
                "half a character": b"\xf0\x9f",
                "tab": b"\t",
            }.items():
                text = line[:place] + byte + line[place:]
                where = at + 1 if name in ("no UTF-8", "half a character") else 0
                yield Damage(f"{name} at byte {place} of line {at + 1}", _replaced(lines, at, text), where)


def _fields(lines: Sequence[bytes]) -> Iterator[Damage]:
    """Yield journals without a field, and with values of every other type in it, for all fields at every depth."""
    seen = set()
    for at, line in enumerate(lines):
        event = json.loads(line)
        kind = f"{event['type']}{' ok' if event.get('ok') else ''}{' spawn' if 'spawn' in event else ''}"
        for path in _paths(event):
            name = f"{kind} {'.'.join(map(str, path))}"
            if name in seen:
                continue
            seen.add(name)
            without = json.loads(line)
            holder = _holder(without, path)
            del holder[path[-1]]
            yield Damage(f"{name} is missing", _replaced(lines, at, _dumped(without)))
            for value in WRONG:
                changed = json.loads(line)
                _holder(changed, path)[path[-1]] = value
                yield Damage(f"{name} is {str(value)[:20]!r}", _replaced(lines, at, _dumped(changed)))
    for at in range(0, len(lines), 20):
        event = json.loads(lines[at])
        for number in ("NaN", "Infinity", "1e999", "9" * 5000, "1e308", "-0"):
            for field in ("seq", "t", "turn", "v"):
                text = _dumped({**event, field: "@"}).replace(b'"@"', number.encode())
                yield Damage(f"{field} of line {at + 1} is {number[:9]}", _replaced(lines, at, text))
        for word in ("wish", "", "Goal", "__class__", "apply"):
            text = _dumped({**event, "type": word})
            yield Damage(f"type of line {at + 1} is {word!r}", _replaced(lines, at, text), at + 1)


def _paths(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value[:2]) if isinstance(value, list) else ()
    for key, item in inner:
        yield (*path, key)
        yield from _paths(item, (*path, key))


def _holder(event: Any, path: Sequence[Any]) -> Any:
    for key in path[:-1]:
        event = event[key]
    return event


def _blobs(lines: Sequence[bytes]) -> Iterator[Damage]:
    """Yield journals with damaged files of long texts."""
    at, event = next((n, each) for n, each in enumerate(map(json.loads, lines)) if "blobs" in each)
    [[path, name], *_] = event["blobs"]
    lists: dict[str, Any] = {
        "null": None, "a text": name, "an object": {"x": 1}, "one number": [1], "a pair too few": [[path]],
        "three": [[path, name, name]], "no path": [[[], name]], "a path that is a text": [["text", name]],
        "a path that is a number": [[7, name]], "a path to nowhere": [[["nowhere"], name]],
        "a path through a text": [[["type", "x"], name]], "a path to another text": [[["type"], name]],
        "a path to a number": [[["seq"], name]], "a path that is deep": [[[0] * 5000, name]],
        "an object in a path": [[[{}], name]], "twice the same": [[path, name], [path, name]],
        "the name of another file": [[path, "../events.jsonl"]], "an absolute name": [[path, "/etc/passwd"]],
        "a name in capitals": [[path, name.upper() + "A"]], "a number for a name": [[path, 5]],
        "an unknown name": [[path, "0" * 64]], "a name with a line end": [[path, name + "\n"]],
    }  # fmt: skip
    for kind, value in lists.items():
        yield Damage(f"blobs are {kind}", _replaced(lines, at, _dumped({**event, "blobs": value})), at + 1)

    def file(folder: Path) -> Path:
        return folder / "blobs" / str(name)

    def changed(folder: Path) -> None:
        file(folder).write_bytes(b"x" + file(folder).read_bytes()[1:])

    def folder_there(folder: Path) -> None:
        file(folder).unlink()
        file(folder).mkdir()

    yield Damage("the blob is missing", lines, at + 1, lambda folder: file(folder).unlink())
    yield Damage("the blob was changed", lines, at + 1, changed)
    yield Damage("the blob is empty", lines, at + 1, lambda folder: file(folder).write_bytes(b""))
    yield Damage("the blob is a folder", lines, at + 1, folder_there)
