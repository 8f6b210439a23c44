"""Looks after finished sessions: their size, an archive of one, a copy up to a turn, and their removal."""

from __future__ import annotations

import gzip
import io
import shutil
import tarfile
import zlib
from contextlib import suppress
from pathlib import Path

import msgspec

from autocraft.errors import SessionError, UsageError
from autocraft.session.atomic import write_atomic, write_named
from autocraft.session.events import Answer, Decision, End, InvalidReply, Result
from autocraft.session.folder import create, find, lock_session
from autocraft.session.journal import encode
from autocraft.session.reading import FILE, Events

COPIED = ("blobs", "undo")
"""Folders that a copy of a session needs to be read, resumed and taken back."""
MOST_BYTES = 1 << 30
"""The most bytes of an archive that is unpacked."""


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


def archive(folder: Path, path: Path) -> int:
    """Write the journal of a session as a .tar.gz, completely or not at all. Return its bytes.

    Copies of the person's files, which an undo needs, are not in it. Raises InUse or UsageError.
    """
    buffer = io.BytesIO()
    with lock_session(folder), tarfile.open(fileobj=buffer, mode="w:gz") as tar:
        for name in (FILE, "blobs"):
            if (folder / name).exists():
                tar.add(folder / name, f"{folder.name}/{name}")
    write_named(path, buffer.getvalue(), mode=0o600)
    return len(buffer.getvalue())


def unpack(path: Path, root: Path) -> Path:
    """Unpack the session of an archive below `root`. Return its folder. Raises UsageError for any other file.

    Only plain files of a session are taken, so an archive of a stranger writes nowhere else.
    """
    try:
        with gzip.open(path) as file, tarfile.open(fileobj=file, mode="r:") as tar:
            members = [member for member in tar.getmembers() if member.isfile() and _belongs(member.name)]
            if sum(member.size for member in members) > MOST_BYTES:
                raise UsageError(f"{path} holds more than a session does; look at it before you use it")
            folder = root / "session"
            for member in members:
                target = folder.joinpath(*member.name.split("/")[1:])
                target.parent.mkdir(parents=True, exist_ok=True)
                source = tar.extractfile(member)
                target.write_bytes(source.read() if source else b"")
            file.seek(0, io.SEEK_END)  # the check of all bytes is at the end
    except (OSError, tarfile.TarError, EOFError, ValueError, zlib.error) as error:
        way = "`autocraft sessions export` makes one"
        raise UsageError(f"{path} is not an archive of a session ({error}): {way}") from None
    if not (folder / FILE).is_file():
        raise UsageError(f"{path} holds no session: `autocraft sessions export` makes an archive of one")
    return folder


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
