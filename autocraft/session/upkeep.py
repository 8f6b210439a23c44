"""Looks after finished sessions: their size, an archive of one, a copy up to a turn, and their removal."""

from __future__ import annotations

import io
import os
import shutil
import tarfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

import msgspec

from autocraft.errors import InUse, SessionError, UsageError
from autocraft.session.atomic import alone_in, lock_file, write_atomic, write_named
from autocraft.session.events import Answer, Decision, End, InvalidReply, Result
from autocraft.session.folder import create, find, lock_session, private_folder
from autocraft.session.journal import encode
from autocraft.session.reading import FILE, Events
from autocraft.unpacking import MOST_BYTES, PIECE, TarReader, TooMuch, Unpacker, budget

COPIED = ("blobs", "undo")
"""Folders that a copy of a session needs to be read, resumed and taken back."""
MOST_LINE, MOST_TEXT = 1_000_000, 4_000_000
"""The most bytes of a line of an unpacked journal, and of the long texts of one event. Reading them takes memory."""


def size_of(folder: Path) -> int:
    """Return the bytes of all files of a session."""
    total = 0
    for path in folder.rglob("*"):
        with suppress(OSError):
            total += path.lstat().st_size
    return total


def delete(folder: Path) -> None:
    """Delete a session that no run uses. Raises InUse, or SessionError if a part of it cannot be deleted.

    The journal goes last, so that an interrupted deletion leaves a session that is listed and can be deleted again.
    Windows deletes no open lock.
    """
    try:
        with lock_session(folder):
            for path in folder.iterdir():
                if path.is_dir() and not path.is_symlink():
                    shutil.rmtree(path)
                elif path.name not in (FILE, "lock"):
                    path.unlink()
            (folder / FILE).unlink()
        shutil.rmtree(folder)
    except OSError as error:
        why = f"{error.strerror}: {error.filename}"
        raise SessionError(f"session {folder.name} was not deleted ({why}); check its permissions") from None


def archive(folder: Path, path: Path) -> tuple[int, str]:
    """Write the journal of a session as a .tar.gz, completely or not at all. Return its bytes, and why `unpack` would
    refuse it, or ''.

    Copies of the person's files, which an undo needs, are not in it. Raises InUse or UsageError.
    """
    with lock_session(folder):
        names = [FILE, *(f"blobs/{each.name}" for each in sorted((folder / "blobs").glob("*")))]
        size = sum((folder / name).stat().st_size for name in names)
        data = _packed(folder, names, 9)
        if size > budget(len(data), MOST_BYTES):  # it repeats itself so much that `unpack` would take it for an attack
            data = _packed(folder, names, 0)
    write_named(path, data, mode=0o600)
    try:
        for target, _, pieces in _files(io.BytesIO(data), len(data)):
            for _ in _bounded_file(target, pieces):
                pass
    except TooMuch as error:
        return len(data), str(error)
    return len(data), ""


def _packed(folder: Path, names: list[str], level: int) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz", compresslevel=level, format=tarfile.USTAR_FORMAT) as tar:
        for name in names:
            tar.add(folder / name, f"{folder.name}/{name}", filter=_plain)
    return buffer.getvalue()


def _plain(member: tarfile.TarInfo) -> tarfile.TarInfo:
    """Return an entry without what needs a header of its own, or tells about this computer."""
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    return member


@contextmanager
def unpack_folder(root: Path) -> Iterator[Path]:
    """Yield a new folder on the disk of the state folder, and remove it at the end. Raises UsageError.

    The folders of processes that were killed are removed first.
    """
    place = private_folder(root / "unpacked")
    with alone_in(place):
        for left in place.iterdir():
            with suppress(InUse, OSError), lock_file(left / "lock", ""):
                shutil.rmtree(left, ignore_errors=True)
        folder = private_folder(place / f"{os.getpid()}")
        lock = lock_file(folder / "lock", f"the folder {folder}")
    with lock:
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def unpack(path: Path, root: Path) -> Path:
    """Unpack the session of an archive below `root`. Return its folder. Raises UsageError for any other file.

    Only plain files of a session are taken, so an archive of a stranger writes nowhere else, and no more than a budget.
    """
    folder = root / "session"
    try:
        with path.open("rb") as file:
            for name, _, pieces in _files(file, path.stat().st_size):
                target = folder / name
                target.parent.mkdir(parents=True, exist_ok=True)
                with target.open("xb") as new:
                    for piece in _bounded_file(name, pieces):
                        new.write(piece)
    except TooMuch as error:
        raise UsageError(f"{path} is not an export that can be replayed here ({error}); look at it first") from None
    except (OSError, tarfile.TarError, EOFError, ValueError, zlib.error) as error:
        way = "`autocraft sessions export` makes one"
        raise UsageError(f"{path} is not an archive of a session ({error}): {way}") from None
    if not (folder / FILE).is_file():
        raise UsageError(f"{path} holds no session: `autocraft sessions export` makes an archive of one")
    return folder


def _files(file: BinaryIO, packed: int) -> Iterator[tuple[str, int, Iterator[bytes]]]:
    """Yield (name in its session, size, pieces) of each file of a session in an archive of `packed` bytes.

    Raises TooMuch, and ValueError, EOFError, tarfile.TarError or zlib.error for what is no archive of a session.
    """
    stream = Unpacker(budget(packed, MOST_BYTES))
    pieces = (piece for each in iter(lambda: file.read(PIECE), b"") for piece in stream.pieces(each))
    for name, size, data in TarReader(pieces).files():
        if _belongs(name):
            if not name.endswith(f"/{FILE}") and size > MOST_TEXT:
                raise TooMuch(f"a text in it has more than {MOST_TEXT:,} bytes")
            yield name.partition("/")[2], size, data
    if not stream.ended:
        raise EOFError("its end is missing")


def _bounded_file(name: str, pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the pieces of a file. Raises TooMuch for a line of a journal that would take too much memory to read."""
    line = 0
    for piece in pieces:
        start, newline, _ = piece.partition(b"\n")
        line += len(start)
        if name == FILE and line > MOST_LINE:
            raise TooMuch(f"a line of its journal has more than {MOST_LINE:,} bytes")
        if newline:
            line = len(piece) - piece.rindex(b"\n") - 1
        yield piece


def _belongs(name: str) -> bool:
    """Tell whether a name in an archive is ID/events.jsonl or ID/blobs/NAME."""
    parts = name.split("/")
    plain = all(part not in ("", ".", "..") and "\\" not in part and ":" not in part for part in parts)
    return plain and (parts[1:] == [FILE] or (len(parts) == 3 and parts[1] == "blobs"))


def fork(root: Path, id: str, turn: int) -> str:
    """Copy a session up to the end of a turn, as a session of its own. Return its id.

    The world of the copy is as it was then. Files of the workspace and a Minecraft world stay as they are now. Raises
    UsageError for a turn that there is not, and InUse or SessionError for a session that cannot be read.
    """
    source = find(root, id)
    with lock_session(source):
        lines = _until(source, turn)
        session = create(root)
        try:
            first = msgspec.json.decode(lines[0]) | {"session": session.id}
            for name in COPIED:
                if (source / name).is_dir():
                    shutil.copytree(source / name, session.folder / name, dirs_exist_ok=True)
            write_atomic(session.folder / FILE, b"".join([encode(first), *lines[1:]]), mode=0o600)
        finally:
            session.close()
    return session.id


def _until(folder: Path, turn: int) -> list[bytes]:
    """Return the lines of the journal before the answer of the next turn, without the end of the run.

    Raises UsageError for a turn without its result: its command would run here and in the first session.
    """
    lines: list[bytes] = []
    whole, last, whole_turn = 0, 0, True
    for event, line in Events(folder).forward():
        match event if event.agent == "main" else None:
            case Answer() if event.turn > turn:
                break
            case Answer():
                last, whole_turn = event.turn, False
            case Result() | InvalidReply() | Decision(kind="refuse", command=str()):
                whole_turn = True
        lines.append(line)
        whole = whole if isinstance(event, End) else len(lines)
    if not lines or last != turn:
        raise UsageError(f"session {folder.name} has no turn {turn}: its last one is {last}")
    if not whole_turn:
        raise UsageError(f"turn {turn} of session {folder.name} has no result yet: fork at {turn - 1}, or resume it")
    return lines[:whole]
