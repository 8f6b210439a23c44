"""Converts between the bytes of a file and its text, so that a change keeps the file's encoding and line ends.

Text is UTF-8, unless a mark at the start says UTF-16 or UTF-32. UTF-8 may have a mark too. No mark is part of the text.
charset-normalizer finds the encoding of other bytes that have no control characters. What it does not know is read as
Windows-1252 or Latin-1. All keep every byte.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from typing import NamedTuple

from autocraft.errors import Advice, CommandError

_MARKS: tuple[tuple[bytes, str, str], ...] = (
    (codecs.BOM_UTF32_LE, "utf-32-le", "UTF-32 (little-endian)"),
    (codecs.BOM_UTF32_BE, "utf-32-be", "UTF-32 (big-endian)"),
    (codecs.BOM_UTF16_LE, "utf-16-le", "UTF-16 (little-endian)"),
    (codecs.BOM_UTF16_BE, "utf-16-be", "UTF-16 (big-endian)"),
)
_OTHERS = ["cp1252", "cp1250", "cp1251", "cp1253", "cp1254", "koi8_r", "cp932", "euc_jp", "gb18030", "big5", "cp949"]
"""The encodings without a mark in which texts are still found. Rarer ones would often fit a short text by chance."""
_ASCII = bytes(range(128))
_DISTINCT = 8
"""Fewest different bytes over 127 that tell an encoding: a lone sign, as of pounds, fits a dozen of them."""
_SAMPLE = 1_000_000
"""Most bytes in which the encoding is looked for."""
_CONTROLS = re.compile(rb"[\x00-\x06\x0e-\x1a\x1c-\x1f\x7f]")
_KINDS: tuple[tuple[bytes, str], ...] = (
    (b"\x89PNG\r\n", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"RIFF", "a RIFF file (WebP, WAV or AVI)"),
    (b"%PDF-", "a PDF document"),
    (b"PK\x03\x04", "a ZIP archive (or jar, docx, xlsx)"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"BZh", "a bzip2 archive"),
    (b"\xfd7zXZ\x00", "an xz archive"),
    (b"\x28\xb5\x2f\xfd", "a zstd archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"\x7fELF", "an ELF program"),
    (b"MZ", "a Windows program"),
    (b"\xca\xfe\xba\xbe", "a Java class or macOS program"),
    (b"\xcf\xfa\xed\xfe", "a macOS program"),
    (b"\x00asm", "a WebAssembly module"),
    (b"SQLite format 3\x00", "an SQLite database"),
    (b"OggS", "an Ogg file"),
    (b"ID3", "an MP3 file"),
    (b"\x0a\x00\x00", "an NBT file"),
)


class Coding(NamedTuple):
    """The encoding and the line ends of one file."""

    name: str = "UTF-8"
    """The name of the encoding for a person."""
    codec: str = "utf-8"
    mark: bytes = b""
    """The byte order mark before the text."""
    newline: str | None = ""
    """The only kind of line end in it. '' if it has no line end, None if it mixes several kinds."""

    def encode(self, text: str, file: str) -> bytes:
        """Return the bytes of `text`, without the mark.

        Raises CommandError that names the first character that the encoding lacks.
        """
        try:
            return text.encode(self.codec)
        except UnicodeEncodeError as error:
            char = text[error.start]
            if 0xD800 <= ord(char) <= 0xDFFF:
                why = "the text holds half a character (a lone surrogate); write it again without it"
                raise CommandError(why) from None
            anew = Advice("or write the whole file again with {}, which makes it UTF-8", ("write_to_file",))
            raise CommandError(f"{file} is in {self.name}, which has no {char!r}; write it without", anew) from None

    def with_line_ends(self, text: str) -> str:
        """Return `text` with the line ends of the file."""
        if not self.newline or ("\n" not in text and "\r" not in text):
            return text
        plain = text.replace("\r\n", "\n")
        return plain if self.newline == "\n" else plain.replace("\n", self.newline)

    def after(self, added: str) -> Coding:
        """Return the coding of the file after `added` was appended."""
        return self._replace(newline=_newline(added)) if self.newline == "" else self


PLAIN = Coding()
"""UTF-8, for new files."""
BINARY = Coding("binary", "utf-8", newline=None)


def decode(data: bytes) -> tuple[Coding, str]:
    """Return the coding and the text of a file. Return BINARY and '' for anything but text."""
    for mark, codec, name in _MARKS:
        if data.startswith(mark):
            try:
                text = data[len(mark) :].decode(codec)
            except UnicodeDecodeError:
                continue
            return Coding(name, codec, mark, _newline(text)), text
    if binary_kind(data):
        return BINARY, ""
    for codec in _codecs(data):
        try:
            text = data.decode(codec)
            if codec == "utf-8" and data.startswith(codecs.BOM_UTF8):
                return Coding("UTF-8 with a mark", codec, codecs.BOM_UTF8, _newline(text)), text[1:]
            if codec == "utf-8" or text.encode(codec) == data:
                return Coding(_name(codec), codec, b"", _newline(text)), text
        except UnicodeError:
            continue
    raise AssertionError("every byte is in Latin-1")


def _codecs(data: bytes) -> Iterator[str]:
    """Yield the codecs in which the bytes may be text, the best first. Windows-1252 comes before its equals."""
    yield "utf-8"
    if len(set(data.translate(None, _ASCII))) < _DISTINCT:
        yield from ("cp1252", "latin-1")
        return
    from charset_normalizer import from_bytes  # 60 ms, for few files

    matches = from_bytes(data[:_SAMPLE].rpartition(b"\n")[0] or data[:_SAMPLE], cp_isolation=_OTHERS)
    if best := matches.best():
        equals = [match for match in matches if (match.chaos, match.coherence) == (best.chaos, best.coherence)]
        if not any("cp1252" in match.could_be_from_charset for match in equals):
            yield best.encoding
    yield from ("cp1252", "latin-1")


def _name(codec: str) -> str:
    """Return the name of an encoding for a person."""
    if codec.startswith("cp125"):
        return f"Windows-{codec[2:]}"
    return {"utf-8": "UTF-8", "latin-1": "Latin-1"}.get(codec, codec)


def binary_kind(data: bytes) -> str:
    """Return the kind of binary data, such as ``a PNG image``. Return '' for text.

    A signature of plain letters counts only with a zero byte, which text does not have.
    """
    zero = b"\0" in data[:8192]
    for start, kind in _KINDS:
        if data.startswith(start) and (zero or not start.isascii() or start == b"%PDF-"):
            return kind
    for mark, codec, name in _MARKS:
        if data.startswith(mark):
            return "" if _is_text(data[len(mark) :], codec) else f"damaged text in {name}"
    if data[257:262] == b"ustar":
        return "a tar archive"
    if zero or (_CONTROLS.search(data) and not _is_text(data, "utf-8")):
        return f"binary data of an unknown kind (it starts with {data[:4].hex(' ')})"
    return ""


def _is_text(data: bytes, codec: str) -> bool:
    """Return whether the bytes can be decoded without an error."""
    try:
        data.decode(codec)
    except UnicodeDecodeError:
        return False
    return True


def _newline(text: str) -> str | None:
    """Return the only kind of line end, as `Coding.newline`."""
    pairs = text.count("\r\n")
    kinds = {"\r\n": pairs, "\n": text.count("\n") - pairs, "\r": text.count("\r") - pairs}
    present = [kind for kind, count in kinds.items() if count]
    return present[0] if len(present) == 1 else None if present else ""
