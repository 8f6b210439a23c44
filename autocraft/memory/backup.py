"""The copy of the local memory, beside its file. It takes the place of a damaged file, which is set aside.

The last program that closes the memory makes the copy, by SQLite's online backup. `database.py` calls this module.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from autocraft.session.atomic import sync_folder

LARGEST = 512 << 20
"""Most bytes of a memory that gets a copy. A larger copy would take seconds at every close."""
_SIDE_FILES = ("-journal", "-wal", "-shm")


def copy_of(file: Path) -> Path:
    """Return the path of the copy that belongs to the memory `file`."""
    return file.with_name(f"{file.name}.copy")


def is_damage(error: sqlite3.Error) -> bool:
    """Return whether this error of SQLite means that the file is damaged, or is not a database."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def save_copy(connection: sqlite3.Connection, file: Path) -> bool:
    """Copy the open memory, unless the copy has the same rows already. Return False if the memory is damaged.

    No other program may have the memory open. A damaged memory is not copied, so the older copy stays. Raises
    sqlite3.Error if the memory cannot be read, OSError for an error of the disk.
    """
    most = min(LARGEST, shutil.disk_usage(file.parent).free // 2)
    query = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"
    if connection.execute(query).fetchone()[0] > most or _state(connection) == _state_of_copy(file):
        return True
    partial = file.with_name(f"{file.name}.copy.partial")
    try:
        write_backup(connection, partial)
        with _open_file(partial, "rw") as copy:
            if not is_sound(copy):
                return False
        remove(copy_of(file), side_files_only=True)
        partial.replace(copy_of(file))
        sync_folder(file.parent)
    finally:
        remove(partial)
    return True


def write_backup(connection: sqlite3.Connection, target: Path) -> None:
    """Write the database of `connection` to the new private file `target`. Raises sqlite3.Error and OSError."""
    remove(target)
    os.close(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    with _open_file(target, "rw") as copy:
        connection.backup(copy)
        copy.execute("PRAGMA journal_mode = DELETE")  # one file, without a log beside it


def restore_copy(file: Path, tell: Callable[[str], None]) -> str:
    """Set the damaged memory `file` aside, and put its copy in its place. Return a notice of one line.

    `tell` gets the notice before the last step, so that it is there after a kill. Without a sound copy no file is left,
    and a damaged copy is set aside too. No other program may have the memory open. After a kill in between, this is
    repeated. Raises sqlite3.Error and OSError.
    """
    partial, rows = file.with_name(f"{file.name}.partial"), _rows_of_copy(file)
    if rows is not None:
        with _open_file(copy_of(file), "rw") as copy:
            write_backup(copy, partial)
    begin = f"the memory {file} was damaged"
    if aside := set_aside(file):
        begin += f" and is set aside as {aside.name}"
    if rows is None:
        damaged = set_aside(copy_of(file))
        why = f"its copy was damaged too and is set aside as {damaged.name}" if damaged else "there is no copy of it"
        notice = f"{begin}; {why}, so the memory begins empty"
    else:
        made = time.strftime("%Y-%m-%d %H:%M", time.localtime(copy_of(file).stat().st_mtime))
        notice = f"{begin}; its copy of {made} with {rows} rows is in its place, without what was added after that"
        tell(notice)
        partial.replace(file)
    sync_folder(file.parent)
    return notice


def _rows_of_copy(file: Path) -> int | None:
    """Return the number of rows in the copy of the memory `file`. Return None if there is no sound copy."""
    if not copy_of(file).exists():
        return None
    try:
        with _open_file(copy_of(file), "rw") as copy:
            return int(copy.execute("SELECT count(*) FROM memory").fetchone()[0]) if is_sound(copy) else None
    except sqlite3.Error as error:  # a copy that is locked or cannot be read now is not damaged
        if not is_damage(error) and error.sqlite_errorcode != sqlite3.SQLITE_ERROR:
            raise
    return None


def set_aside(file: Path) -> Path | None:
    """Rename a damaged database with the files that SQLite stores beside it. Return None if it is missing."""
    if not file.exists():
        return None
    aside = file.with_name(f"{file.name}.{time.strftime('%Y%m%d-%H%M%S')}-{secrets.token_hex(2)}.bad")
    for suffix in (*_SIDE_FILES, ""):  # the database last: a log that stays would be taken for the new file's
        part = file.with_name(file.name + suffix)
        if part.exists():
            part.replace(aside.with_name(aside.name + suffix))
    return aside


def is_sound(connection: sqlite3.Connection) -> bool:
    """Return whether SQLite's own check finds no damage. Raises sqlite3.Error if the check itself fails.

    The full check fails at a row whose metadata is not valid JSON, since there is an index over it. Then the quick
    check decides, which passes over the indexes.
    """
    try:
        return bool(connection.execute("PRAGMA integrity_check").fetchone() == ("ok",))
    except sqlite3.DatabaseError as error:
        if is_damage(error):
            return False
        if error.sqlite_errorcode != sqlite3.SQLITE_ERROR:
            raise
    return bool(connection.execute("PRAGMA quick_check").fetchone() == ("ok",))  # the metadata of a row is no JSON


def delete_in_copy(file: Path, condition: str, values: Sequence[str]) -> None:
    """Delete rows in the copy of the memory `file`. Remove the copy if that fails. Raises OSError."""
    copy = copy_of(file)
    remove(file.with_name(f"{file.name}.copy.partial"))  # left by a program that was killed
    if not copy.exists():
        return
    times = copy.stat()
    try:
        with _open_file(copy, "rw") as connection:
            connection.execute("PRAGMA secure_delete = ON")
            connection.execute(f"DELETE FROM memory WHERE {condition}", values)
        os.utime(copy, ns=(times.st_atime_ns, times.st_mtime_ns))  # the time of the file is the time of the copy
    except sqlite3.Error:
        remove(copy)


def remove(file: Path, *, side_files_only: bool = False) -> None:
    """Remove a database and the files that SQLite stores beside it. Missing files are ignored. Raises OSError."""
    for suffix in _SIDE_FILES if side_files_only else (*_SIDE_FILES, ""):
        file.with_name(file.name + suffix).unlink(missing_ok=True)


@contextlib.contextmanager
def _open_file(file: Path, mode: str) -> Iterator[sqlite3.Connection]:
    """Open an existing database. `mode` is ``ro`` or ``rw``."""
    uri = f"{file.absolute().as_uri()}?mode={mode}"
    with contextlib.closing(sqlite3.connect(uri, uri=True, isolation_level=None)) as connection:
        connection.text_factory = lambda data: data.decode("utf-8", "replace")
        yield connection


def _state(connection: sqlite3.Connection) -> object:
    """Return the number of rows and the highest sequence number so far. One of them changes if rows change."""
    query = "SELECT (SELECT count(*) FROM memory), (SELECT seq FROM sqlite_sequence WHERE name = 'memory')"
    return connection.execute(query).fetchone()


def _state_of_copy(file: Path) -> object:
    """Return the state of the copy of `file`. Return None if it is missing or cannot be read."""
    with contextlib.suppress(sqlite3.Error), _open_file(copy_of(file), "rw") as connection:
        return _state(connection)
    return None
