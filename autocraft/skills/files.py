"""The library's file operations: plain reads, atomic JSON, its lock, and the removal of temporary files."""

from __future__ import annotations

import errno
import json
import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from autocraft.errors import CommandError, InUse, NoLock
from autocraft.session.atomic import lock_file, next_step, sync_folder, write_atomic

LOCK_SECONDS = 60.0
_PAUSE = 0.01
MOST_JSON_BYTES = 4_000_000
MOST_TEST = 1_000_000
"""Most bytes of a test of a skill."""
_FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


@contextmanager
def plain_faults(path: Path) -> Iterator[None]:
    """Turn the system's errors into CommandError."""
    try:
        yield
    except OSError as error:
        why = error.strerror or str(error)
        step = next_step(error, "check the folder of the skills")
        raise CommandError(f"{error.filename or path}: {why.lower()}; {step}") from None


def read_bytes(path: Path, most: int) -> bytes:
    """Read a plain file of at most `most` bytes. Raises FileNotFoundError, and CommandError for any other file."""
    try:
        descriptor = os.open(path, _FLAGS)
    except FileNotFoundError:
        raise
    except OSError as error:
        why = "a symbolic link" if error.errno == errno.ELOOP else error.strerror
        raise CommandError(f"{path} cannot be read ({why}); it must be a plain file") from None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise CommandError(f"{path} is not a plain file; it is left alone")
    with os.fdopen(descriptor, "rb") as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise CommandError(f"{path} has more than {most:,} bytes; it is left alone")
    return data


def read_text(path: Path, most: int) -> str:
    """Read a plain file as UTF-8. Raises what `read_bytes` raises."""
    try:
        return read_bytes(path, most).decode("utf-8")
    except UnicodeDecodeError:
        raise CommandError(f"{path} is not UTF-8 text; it is left alone") from None


def read_json(path: Path) -> Any:
    """Read a plain file as JSON. Raises what `read_bytes` raises."""
    try:
        return json.loads(read_text(path, MOST_JSON_BYTES))
    except (ValueError, RecursionError):
        raise CommandError(f"{path} is not JSON; correct it, or restore it from a copy") from None


def write_json(path: Path, value: Any) -> None:
    """Write indented JSON, which people can read and compare. Raises CommandError if `read_json` would refuse it."""
    data = (json.dumps(value, ensure_ascii=False, indent=2) + "\n").encode("utf-8")
    if len(data) > MOST_JSON_BYTES:
        raise CommandError(f"{path} would have more than {MOST_JSON_BYTES:,} bytes; save the skill under another name")
    write_atomic(path, data, mode=0o600)


def make_folder(path: Path) -> None:
    """Create a folder and its parents, so that they survive a power cut."""
    for missing in reversed([folder for folder in (path, *path.parents) if not folder.exists()]):
        missing.mkdir(mode=0o700, exist_ok=True)
        sync_folder(missing.parent)


def drop_leftovers(folder: Path) -> None:
    """Delete the temporary files of interrupted writes. The caller must hold the lock."""
    for file in folder.glob(".*.tmp"):
        with suppress(OSError):
            file.unlink()


@contextmanager
def lock_library(folder: Path) -> Iterator[None]:
    """Lock this library for one process. Raises InUse after LOCK_SECONDS."""
    make_folder(folder)
    if not os.access(folder, os.W_OK):
        raise CommandError(f"{folder} cannot be written; check its permissions")
    end = time.monotonic() + LOCK_SECONDS
    while True:
        try:
            lock = lock_file(folder / ".lock", f"the skill library {folder}")
            break
        except NoLock as error:
            raise CommandError(str(error)) from None
        except InUse:
            if time.monotonic() > end:
                raise
            time.sleep(_PAUSE)
    with lock:
        yield
