"""The only place that unpacks, or reads a file of others: piece by piece, and never more than a budget allows.

A megabyte may hold a thousand times as much, and a file may have no end. So a reader says beforehand how many bytes it
takes, and TooMuch is raised at the first byte beyond. No piece is longer than PIECE, so the memory that this takes does
not depend on the data.
"""

from __future__ import annotations

import tarfile
import zlib
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator
from typing import BinaryIO

PIECE = 1 << 16
"""The most bytes that are read or unpacked at once."""
FACTOR, ROOM = 100, 1_000_000
"""A packed file may hold this many times its own bytes, and these bytes more."""
MOST_BYTES = 1 << 28
"""The most bytes of a file of others, plain or unpacked."""
GZIP = 31
"""zlib's window size for data with the header of gzip."""
DAMAGED = zlib.error
"""Raised for packed data that is damaged."""
MOST_MEMBERS = 5_000
"""The most entries of an archive."""
_OWN_RECORDS = {b"mtime", b"atime", b"ctime", b"uid", b"gid", b"uname", b"gname"}
"""Records that Python wrote into the extended headers of earlier exports. They change neither name nor size."""
_LONGEST_RECORDS = 4_096


class TooMuch(ValueError):
    """Raised if data holds more than its budget. The text is a sentence about the file."""


def budget(packed: int, most: int) -> int:
    """Return how many bytes a file of `packed` bytes may unpack to: what FACTOR and ROOM allow, at most `most`."""
    return min(most, packed * FACTOR + ROOM)


def bounded(file: BinaryIO, most: int = MOST_BYTES) -> Iterator[bytes]:
    """Yield the bytes of a file piece by piece. Raises TooMuch for more than `most`."""
    total = 0
    while piece := file.read(PIECE):
        total += len(piece)
        if total > most:
            raise TooMuch(f"it has more than {most:,} bytes")
        yield piece


def bounded_lines(file: BinaryIO, longest: int, most: int = MOST_BYTES) -> Iterator[bytes]:
    """Yield the lines of a file without their ends, and without a mark of UTF-8 before them.

    Raises TooMuch, also for a line of more than `longest` bytes.
    """
    line, start = bytearray(), BOM_UTF8
    for piece in bounded(file, most):
        piece, start = piece.removeprefix(start), b""
        for number, part in enumerate(piece.split(b"\n")):
            if number:
                yield bytes(line)
                line.clear()
            line += part
            if len(line) > longest:
                raise TooMuch(f"a line of it has more than {longest:,} bytes")
    yield bytes(line)


class Unpacker:
    """Unpacks one stream of at most `most` plain bytes. `window` is zlib's window size, which says the header."""

    def __init__(self, most: int, window: int = GZIP) -> None:
        self._zlib = zlib.decompressobj(window)
        self._most = self._left = most

    @property
    def ended(self) -> bool:
        """Tell whether the end of the stream was read, and its check was right."""
        return self._zlib.eof

    def pieces(self, packed: bytes) -> Iterator[bytes]:
        """Yield the plain bytes of more packed ones. Raises zlib.error, and TooMuch after the last byte of the budget.

        What follows the end of the stream is passed over.
        """
        while not self.ended:
            plain = self._zlib.decompress(packed, min(PIECE, self._left + 1))
            packed = self._zlib.unconsumed_tail
            if len(plain) > self._left:
                yield plain[: self._left]
                raise TooMuch(f"it holds more than {self._most:,} bytes")
            self._left -= len(plain)
            if not plain and not packed:
                return
            yield plain


class TarReader:
    """Reads a tar archive from pieces, one entry after the other. No header makes it keep more than a few bytes.

    `tarfile` would read an extended header or a long name whole, whatever its length.
    """

    def __init__(self, pieces: Iterable[bytes]) -> None:
        self._pieces = iter(pieces)
        self._held = b""

    def files(self) -> Iterator[tuple[str, int, Iterator[bytes]]]:
        """Yield (name, size, pieces) of each plain file. Links, devices and folders are passed over.

        Raises ValueError for a header that autocraft never writes, and tarfile.TarError for a damaged one.
        """
        for _ in range(MOST_MEMBERS):
            header = self._exactly(tarfile.BLOCKSIZE)
            if not header.strip(b"\0"):
                for _ in self._pieces:  # the check of all bytes is behind the last one
                    pass
                return
            member = tarfile.TarInfo.frombuf(header, "utf-8", "surrogateescape")
            if member.size < 0:
                raise ValueError("an entry has no size")
            if member.type == tarfile.XHDTYPE:
                self._pass_records(member.size)
            elif member.type in (tarfile.REGTYPE, tarfile.AREGTYPE):
                data = self._data(member.size)
                yield member.name, member.size, data
                self._pass_over(data)  # what the caller did not want
                self._exactly(-member.size % tarfile.BLOCKSIZE)
            elif member.type in (tarfile.DIRTYPE, tarfile.SYMTYPE, tarfile.LNKTYPE) and member.size == 0:
                continue
            else:
                raise ValueError(f"an entry is of the type {member.type!r}, which an export never has")
        raise TooMuch(f"it has more than {MOST_MEMBERS:,} entries")

    def _pass_records(self, size: int) -> None:
        """Pass over an extended header that changes nothing. Raises ValueError for any other."""
        if size > _LONGEST_RECORDS:
            raise ValueError("an extended header is longer than that of an export")
        records = self._exactly(size + -size % tarfile.BLOCKSIZE)[:size]
        for record in records.splitlines():
            if record.partition(b" ")[2].partition(b"=")[0] not in _OWN_RECORDS:
                raise ValueError("an extended header says what an export never says")

    def _data(self, size: int) -> Iterator[bytes]:
        while size > 0:
            piece = self._some(min(size, PIECE))
            size -= len(piece)
            yield piece

    @staticmethod
    def _pass_over(data: Iterator[bytes]) -> None:
        for _ in data:
            pass

    def _exactly(self, size: int) -> bytes:
        return b"".join(self._data(size))

    def _some(self, most: int) -> bytes:
        """Return the next bytes, at least one. Raises EOFError."""
        while not self._held:
            try:
                self._held = next(self._pieces)
            except StopIteration:
                raise EOFError("its end is missing") from None
        piece, self._held = self._held[:most], self._held[most:]
        return piece
