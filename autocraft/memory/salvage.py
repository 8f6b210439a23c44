"""Reads rows out of a damaged SQLite file, page by page, without trusting anything but the rows themselves.

SQLite gives up where a header, the schema or an inner page is lost. The rows lie in leaf pages that can be read
alone, so every page is tried, the newest version of it where the write-ahead log holds one. A row counts when it
has the shape of ours in each column. Source: the file format on sqlite.org. Neighbour: `database.py` puts the rows
into a new file.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_MAGIC = b"SQLite format 3\0"
_PAGE = 4096  # what Python's SQLite makes, where the header does not say
_LEAF = 0x0D
_COLUMNS = 9
_INTEGER_BYTES = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}
_MOST_DIMENSIONS = 65_536

Row = tuple[int, str, str, str, str, str, int, bytes, float]


def read_rows(file: Path) -> list[Row]:
    """The rows that can be read, as the table has them, by `seq`; none where the file holds nothing of ours."""
    data = file.read_bytes()
    pages = _Pages(data, _log_of(file))
    forgotten = pages.free()
    found: dict[int, Row] = {}
    for number in pages.numbers():
        if number not in forgotten:
            for row in _rows_of(pages, number):
                found.setdefault(row[0], row)
    return [found[seq] for seq in sorted(found)]


def _log_of(file: Path) -> bytes:
    try:
        return file.with_name(f"{file.name}-wal").read_bytes()
    except OSError:
        return b""


class _Pages:
    """The pages of a file by number, from 1 on."""

    def __init__(self, data: bytes, log: bytes) -> None:
        self._data = data
        size = struct.unpack_from(">H", data, 16)[0] if data[:16] == _MAGIC and len(data) > 100 else 0
        size = 65_536 if size == 1 else size
        if size < 512 or size & (size - 1):
            size = _PAGE
        self.size = size
        self._newer = dict(_committed(log, size))

    def numbers(self) -> list[int]:
        return sorted({*range(1, len(self._data) // self.size + 1), *self._newer})

    def __getitem__(self, number: int) -> bytes:
        return self._newer.get(number) or self._data[(number - 1) * self.size : number * self.size]

    def free(self) -> set[int]:
        """The pages of deleted rows, as far as the header can be trusted."""
        free: set[int] = set()
        first = self[1]
        if first[:16] != _MAGIC:
            return free
        trunk = struct.unpack_from(">I", first, 32)[0]
        while trunk and trunk not in free and len(self[trunk]) == self.size:
            free.add(trunk)
            page = self[trunk]
            trunk, count = struct.unpack_from(">II", page)
            count = min(count, self.size // 4 - 2)
            free |= set(struct.unpack_from(f">{count}I", page, 8))
        return free


def _committed(log: bytes, size: int) -> Iterator[tuple[int, bytes]]:
    """Page and content of each frame of the log, in order, up to the last whole transaction."""
    if len(log) < 32 or struct.unpack_from(">I", log, 8)[0] != size:
        return
    salts = log[16:24]
    waiting: list[tuple[int, bytes]] = []
    for at in range(32, len(log) - 24 - size + 1, 24 + size):
        number, after = struct.unpack_from(">II", log, at)
        if log[at + 8 : at + 16] != salts:
            return
        waiting.append((number, log[at + 24 : at + 24 + size]))
        if after:
            yield from waiting
            waiting.clear()


def _rows_of(pages: _Pages, number: int) -> Iterator[Row]:
    page = pages[number]
    start = 100 if number == 1 else 0
    if len(page) < pages.size or page[start] != _LEAF:
        return
    count = min(struct.unpack_from(">H", page, start + 3)[0], pages.size // 2 - 8)
    for cell in struct.unpack_from(f">{min(count, (pages.size - start - 8) // 2)}H", page, start + 8):
        try:
            seq, payload = _payload(pages, page, cell)
            row = _row(seq, _record(payload))
        except (IndexError, ValueError, struct.error, OverflowError, RecursionError):
            continue  # this row is lost, the others need not be
        if row is not None:
            yield row


def _payload(pages: _Pages, page: bytes, at: int) -> tuple[int, bytes]:
    """The number of a row and its bytes, collected from the overflow pages where it is long."""
    length, at = _varint(page, at)
    seq, at = _varint(page, at)
    usable = pages.size
    if length <= usable - 35:
        return seq, _exactly(page, at, length)
    least = (usable - 12) * 32 // 255 - 23
    local = least + (length - least) % (usable - 4)
    local = local if local <= usable - 35 else least
    parts = [_exactly(page, at, local)]
    following = struct.unpack_from(">I", page, at + local)[0]
    left = length - local
    seen: set[int] = set()
    while left > 0:
        if following in seen or following == 0:
            raise ValueError
        seen.add(following)
        more = pages[following]
        parts.append(_exactly(more, 4, min(left, usable - 4)))
        left -= len(parts[-1])
        following = struct.unpack_from(">I", more)[0]
    return seq, b"".join(parts)


def _record(payload: bytes) -> list[Any]:
    """The values of a row: None, int, float, str or bytes."""
    end, at = _varint(payload, 0)
    kinds: list[int] = []
    while at < end and len(kinds) <= _COLUMNS:
        kind, at = _varint(payload, at)
        kinds.append(kind)
    at = end
    values: list[Any] = []
    for kind in kinds:
        value: Any
        if kind in (0, 8, 9):
            size, value = 0, {0: None, 8: 0, 9: 1}[kind]
        elif kind in _INTEGER_BYTES:
            size = _INTEGER_BYTES[kind]
            value = int.from_bytes(_exactly(payload, at, size), "big", signed=True)
        elif kind == 7:
            size, value = 8, struct.unpack(">d", _exactly(payload, at, 8))[0]
        elif kind >= 12:
            size = (kind - 12) // 2
            data = _exactly(payload, at, size)
            value = data.decode("utf-8") if kind % 2 else data
        else:
            raise ValueError
        values.append(value)
        at += size
    return values


def _row(seq: int, values: list[Any]) -> Row | None:
    """The row that the values make up, None where they are not of our table."""
    if len(values) != _COLUMNS or not 0 < seq < 1 << 62:
        return None
    rowid, id, namespace, text, metadata, embedder, dimension, vector, created = values
    texts = (id, namespace, text, metadata, embedder)
    if rowid is not None or not all(isinstance(each, str) for each in texts):
        return None
    if not isinstance(vector, bytes) or not isinstance(dimension, int) or not 0 < dimension <= _MOST_DIMENSIONS:
        return None
    if not isinstance(created, (int, float)) or not isinstance(json.loads(metadata), dict):
        return None
    return seq, id, namespace, text, metadata, embedder, dimension, vector, float(created)


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """SQLite's integer of 1 to 9 bytes, and where it ends."""
    value = 0
    for offset in range(8):
        byte = data[at + offset]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, at + offset + 1
    return value << 8 | data[at + 8], at + 9


def _exactly(data: bytes, at: int, size: int) -> bytes:
    part = data[at : at + size]
    if len(part) != size:
        raise ValueError
    return part
