"""The copy of the local memory. It lies beside the file and replaces it when it is damaged.

SQLite makes the copy (its online backup) when the last program that has the memory open closes it. `database.py` calls
this module and restores the copy.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path

from autocraft.session.atomic import sync_folder

LARGEST = 512 << 20
"""In bytes. A larger memory gets no copy: making it at every close would take seconds."""
COLUMNS = ("seq", "id", "namespace", "text", "metadata", "embedder", "dimension", "vector", "created")


def copy_of(file: Path) -> Path:
    """Return the path of the copy that belongs to the memory `file`."""
    return file.with_name(f"{file.name}.copy")


def is_damage(error: sqlite3.Error) -> bool:
    """Return whether SQLite's error says that the file is damaged, or is not a database at all."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def save_copy(connection: sqlite3.Connection, file: Path) -> bool:
    """Copy the open memory, unless the copy has the same rows already. Return whether SQLite finds no damage in it.

    The caller must be the only one who has the memory open. A damaged memory is not copied, so the older copy stays.
    Raises sqlite3.Error if the memory cannot be read, OSError if the disk refuses.
    """
    most = min(LARGEST, shutil.disk_usage(file.parent).free // 2)
    query = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"
    if connection.execute(query).fetchone()[0] > most or _state(connection) == _state_of_copy(file):
        return True
    partial = file.with_name(f"{file.name}.copy.partial")
    try:
        write_backup(connection, partial)
        with _opened(partial, "rw") as copy:
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
    with _opened(target, "rw") as copy:
        connection.backup(copy)
        copy.execute("PRAGMA journal_mode = DELETE")  # one file, without a log beside it


def restore_copy(file: Path, target: Path) -> bool:
    """Write the copy of the memory `file` to `target`. Return False if there is no sound copy.

    Raises sqlite3.Error and OSError if the target cannot be written.
    """
    if not copy_of(file).exists():
        return False
    with _opened(copy_of(file), "rw") as connection:
        if not is_sound(connection):
            return False
        write_backup(connection, target)
    return True


def is_sound(connection: sqlite3.Connection) -> bool:
    """Return whether SQLite's own check finds no damage. Raises sqlite3.Error if the check itself fails."""
    try:
        return bool(connection.execute("PRAGMA integrity_check").fetchone() == ("ok",))
    except sqlite3.DatabaseError as error:
        if is_damage(error):
            return False
        if error.sqlite_errorcode != sqlite3.SQLITE_ERROR:
            raise
    # The metadata of one row is not JSON any more, so the indexes over it cannot be compared: check all but them.
    return bool(connection.execute("PRAGMA quick_check").fetchone() == ("ok",))


def delete_in_copy(file: Path, condition: str, values: Sequence[str]) -> None:
    """Delete rows in the copy of the memory `file` too. Remove the copy if that fails. Raises OSError."""
    copy = copy_of(file)
    remove(file.with_name(f"{file.name}.copy.partial"))  # left by a program that was killed
    if not copy.exists():
        return
    times = copy.stat()
    try:
        with _opened(copy, "rw") as connection:
            connection.execute("PRAGMA secure_delete = ON")
            connection.execute(f"DELETE FROM memory WHERE {condition}", values)
        os.utime(copy, ns=(times.st_atime_ns, times.st_mtime_ns))  # it still says when the copy was made
    except sqlite3.Error:
        remove(copy)


def readable_rows(file: Path, after: int) -> Iterator[tuple[object, ...]]:
    """Yield the rows of a damaged memory above the number `after`, as far as SQLite can read them.

    SQLite stops at the first damaged page, so the rows are read from both ends. A row may be yielded twice.
    """
    query = f"SELECT {', '.join(COLUMNS)} FROM memory WHERE seq > ? ORDER BY seq"
    for order in ("ASC", "DESC"):
        with contextlib.suppress(sqlite3.Error), _opened(file, "ro") as connection:
            yield from connection.execute(f"{query} {order}", (after,))


def remove(file: Path, *, side_files_only: bool = False) -> None:
    """Remove a database and the files that SQLite stores beside it, those that exist. Raises OSError."""
    for suffix in ("-journal", "-wal", "-shm") if side_files_only else ("-journal", "-wal", "-shm", ""):
        file.with_name(file.name + suffix).unlink(missing_ok=True)


@contextlib.contextmanager
def _opened(file: Path, mode: str) -> Iterator[sqlite3.Connection]:
    """Open a file that exists: `mode` is ro or rw."""
    uri = f"{file.absolute().as_uri()}?mode={mode}"
    with contextlib.closing(sqlite3.connect(uri, uri=True, isolation_level=None)) as connection:
        connection.text_factory = lambda data: data.decode("utf-8", "replace")
        yield connection


def _state(connection: sqlite3.Connection) -> object:
    """Return what changes with every change of the rows: their number, and the highest sequence number ever given."""
    query = "SELECT (SELECT count(*) FROM memory), (SELECT seq FROM sqlite_sequence WHERE name = 'memory')"
    return connection.execute(query).fetchone()


def _state_of_copy(file: Path) -> object:
    """Return the state of the copy of `file`. Return None where it is missing or cannot be read."""
    with contextlib.suppress(sqlite3.Error), _opened(copy_of(file), "rw") as connection:
        return _state(connection)
    return None
