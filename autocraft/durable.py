"""Files that survive kill -9: atomic writes and the locks of sessions and workspaces.

Neighbours: `journal.py` and `session.py` keep a run with these, `commands/workspace.py` the person's files.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import sys
from pathlib import Path
from typing import IO

from autocraft.errors import InUse


def write_atomic(path: Path, data: bytes, *, mode: int | None = None, sync: bool = True) -> None:
    """Put `data` at `path` whole or not at all; an existing file keeps its permission bits unless `mode` is given."""
    if mode is None:
        mode = path.stat().st_mode & 0o777 if path.exists() else 0o600
    temporary = path.with_name(f".{path.name[:50]}.{secrets.token_hex(6)}.tmp")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            if sync:
                file.flush()
                os.fsync(file.fileno())
        temporary.chmod(mode)
        temporary.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
    if sync:
        sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Make a new or renamed name in `folder` survive a power cut, where the system allows it."""
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def lock_file(path: Path, what: str) -> IO[str]:
    """Hold `path` until the returned file is closed or the process dies. Raises InUse naming the holder's pid."""
    try:
        file = path.open("a+", encoding="utf-8")
    except OSError as error:
        raise InUse(f"cannot open {path}: {error.strerror}; check its permissions") from None
    try:
        _lock(file)
    except OSError:
        file.seek(0)
        holder = file.read().strip()
        file.close()
        raise InUse(f"{what} is in use by another run (pid {holder or 'unknown'}); stop it first") from None
    if path.is_file():  # what a link leads to may be a device, whose permissions are everybody's
        path.chmod(0o600)
    file.truncate(0)
    file.write(str(os.getpid()))
    file.flush()
    return file


if sys.platform == "win32":
    import msvcrt

    def _lock(file: IO[str]) -> None:
        file.seek(1 << 30)  # a byte nobody reads: locking the first would hide the pid from others
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _lock(file: IO[str]) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
