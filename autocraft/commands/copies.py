"""Copies of overwritten and deleted files, in the session's `undo/`, named by hash, and the limit of their size.

A copy is always synced to disk, since it may be the only one.
"""

from __future__ import annotations

import contextlib
import os
import re
from pathlib import Path

from autocraft.errors import CommandError
from autocraft.session.atomic import sha256, write_atomic

UNDO_MB = 1000
RUNS_MB = 500
_BLOCK = 4096
"""Bytes that the smallest file takes on most disks."""
_HASH = re.compile(r"[0-9a-f]{64}")


class Room:
    """The limit of megabytes for all files below a folder. `setting` is the name of the setting of that limit.

    The size of the folder is computed once, at the first question, and updated from then on.
    """

    def __init__(self, folder: Path, megabytes: float, setting: str) -> None:
        self._folder, self._megabytes, self._setting = folder, megabytes, setting
        self._used = -1

    def refusal(self, size: int) -> str:
        """Return why a file of `size` bytes does not fit, as the end of a sentence. Return "" if it fits."""
        if self._used < 0:
            self._used = _bytes_below(self._folder)
        if self._used + _on_disk(size) <= self._megabytes * (1 << 20):
            return ""
        room = f"{self._setting} = {self._megabytes:g} leaves room for"
        return f"is more than {room} (raise this setting, or start a new session)"

    def recount(self) -> None:
        """Compute the size of the folder again at the next question. Called after a file was removed."""
        self._used = -1

    def write(self, path: Path, data: bytes, copy: str, *, sync: bool = True) -> None:
        """Write a private file below the folder, and count it. Raises CommandError that says which `copy` it is."""
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_atomic(path, data, mode=0o600, sync=sync)
        except OSError as error:
            why = error.strerror or str(error)
            raise CommandError(f"no {copy} can be kept ({why}), so nothing was changed; free some space") from None
        if self._used >= 0:
            self._used += _on_disk(len(data))


def _bytes_below(folder: Path) -> int:
    """Return how many bytes of disk all files below a folder take. Return 0 if the folder does not exist."""
    total = 0
    for path, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(FileNotFoundError):  # another helper may discard a run meanwhile
                total += _on_disk(os.lstat(f"{path}/{name}").st_size)
    return total


def _on_disk(size: int) -> int:
    """Return how many bytes of disk a file of `size` bytes takes: whole blocks, at least one."""
    return max(1, -(-size // _BLOCK)) * _BLOCK


def read_copy(folder: Path, name: str) -> bytes | None:
    """Return the file that is named by the hash of its bytes. Return None if it is gone or damaged."""
    try:
        data = (folder / name).read_bytes() if _HASH.fullmatch(name) else b""
    except OSError:
        return None
    return data if sha256(data) == name else None


class UndoCopies:
    """A folder of copies, which takes up to `megabytes`. The first copy creates it."""

    def __init__(self, folder: Path, megabytes: float = UNDO_MB) -> None:
        self._folder = folder
        self._room = Room(folder, megabytes, "session.undo_mb")

    def keep(self, data: bytes) -> str:
        """Store `data` and return its hash, which is its name. Raises CommandError if that fails.

        Call it before the change, so that a failure leaves the file as it is.
        """
        name = sha256(data)
        if not os.path.lexists(self._folder / name):
            if refusal := self._room.refusal(len(data)):
                raise CommandError(f"no undo copy can be kept, so nothing was changed: it {refusal}")
            self._room.write(self._folder / name, data, "undo copy")
        return name

    def has(self, data: bytes) -> bool:
        return os.path.lexists(self._folder / sha256(data))

    def get(self, name: str, file: str) -> bytes:
        """Return the copy `name` of `file`. Raises CommandError if it is gone or damaged."""
        data = read_copy(self._folder, name)
        if data is None:
            raise CommandError(f"the undo copy of {file} is gone or damaged; nothing was changed")
        return data
