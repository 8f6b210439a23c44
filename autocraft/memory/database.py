"""The SQLite file of the local memory. Opens it, upgrades an older format, and replaces a damaged file.

Every program that has the file open shares `memory.lock`. A program must hold the lock exclusively to replace a damaged
file or to make the copy. `local.py` reads and writes the rows, `backup.py` makes the copy.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import secrets
import sqlite3
import stat
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from autocraft.errors import MemoryFault
from autocraft.memory.backup import (
    COLUMNS,
    copy_of,
    is_damage,
    is_sound,
    readable_rows,
    remove,
    restore_copy,
    save_copy,
)
from autocraft.memory.rows import holds, metadata_of, valid_text
from autocraft.session.atomic import sync_folder

if sys.platform != "win32":
    import fcntl

VERSION = 2
BUSY_SECONDS = 30.0
_TRIES = 12
"""Most attempts to lock a damaged file exclusively."""
_TABLE = """
CREATE TABLE memory (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL,
    namespace TEXT NOT NULL,
    text TEXT NOT NULL,
    metadata TEXT NOT NULL,
    embedder TEXT NOT NULL,
    dimension INTEGER NOT NULL,
    vector BLOB NOT NULL,
    created REAL NOT NULL,
    UNIQUE (namespace, id)
)"""
INDEXED = ("session", "kind")
"""Keys of the metadata that have an index."""
_STEPS = {
    # format 1 has the table, format 2 the indexes over the metadata
    1: (_TABLE, "CREATE INDEX memory_searched ON memory (namespace, embedder, dimension)"),
    2: tuple(
        f"CREATE INDEX memory_by_{name} ON memory (namespace, json_extract(metadata, '$.{name}'))" for name in INDEXED
    ),
}


class Database:
    """The open file. `notice` says that the file was rebuilt. Otherwise it is what `look` returned for the connection.

    Raises sqlite3's own errors, and MemoryFault with the next step.
    """

    def __init__(self, file: Path, look: Callable[[sqlite3.Connection], str], *, durable: bool) -> None:
        self.file = file
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._lock = _Lock(file.with_name("memory.lock"))
        try:
            for remaining in reversed(range(_TRIES)):
                try:
                    self.connection, self.notice = self._open(durable, look)
                    break
                except _InUseElsewhere:
                    if not remaining:
                        raise
                    self._lock.give_way()  # other programs may be opening the file too, and one of them must rebuild it
        except BaseException:
            self._lock.close()
            raise

    def mark_damaged(self) -> None:
        """Mark the file, so that the next program that opens it checks it, and replaces it if it is damaged."""
        with contextlib.suppress(OSError):
            _mark_of(self.file).touch(mode=0o600)

    def close(self) -> None:
        """Close the file. The last program that closes it makes the copy. If that fails, the older copy stays."""
        try:
            if self._lock.alone() and not save_copy(self.connection, self.file):
                self.mark_damaged()
        except (sqlite3.Error, OSError) as error:
            if isinstance(error, sqlite3.Error) and is_damage(error):
                self.mark_damaged()
        self.connection.close()
        self._lock.close()

    def _open(self, durable: bool, look: Callable[[sqlite3.Connection], str]) -> tuple[sqlite3.Connection, str]:
        rebuilt = self._finish_or_replace()
        try:
            connection, notice = self._connect(durable, look)
        except sqlite3.DatabaseError as error:
            if not is_damage(error):
                raise
            rebuilt = self._replace_damaged()
            connection, notice = self._connect(durable, look)
        return connection, rebuilt or notice

    def _finish_or_replace(self) -> str:
        """Finish an interrupted replacement, or replace a file with the mark of damage. Return the notice."""
        if _rebuilt(self.file).exists():
            with self._alone():
                if _rebuilt(self.file).exists():  # another program may have been faster
                    _replace(self.file)
        if self._is_emptied() or (_mark_of(self.file).exists() and not self._is_sound()):
            return self._replace_damaged()
        _mark_of(self.file).unlink(missing_ok=True)
        return ""

    def _is_emptied(self) -> bool:
        """Return whether the file is empty although there is a copy."""
        log = self.file.with_name(f"{self.file.name}-wal")
        empty = self.file.exists() and not self.file.stat().st_size and not (log.exists() and log.stat().st_size)
        return empty and copy_of(self.file).exists()

    def _is_sound(self) -> bool:
        """Return whether SQLite finds no damage, and the table exists. A missing file is sound."""
        if not self.file.exists():
            return True
        try:
            connection, _ = self._connect(True, lambda connection: "")
            with contextlib.closing(connection):
                return is_sound(connection)
        except sqlite3.DatabaseError as error:
            if not is_damage(error):
                raise
            return False

    def _replace_damaged(self) -> str:
        """Rename the damaged file, and replace it by its copy with all newer rows that SQLite can still read.

        Return the notice, or "" if another program was faster and the file is sound again.
        """
        with self._alone():
            if not self._is_emptied() and self._is_sound():
                return ""
            partial = self.file.with_name(f"{self.file.name}.partial")
            remove(partial)
            has_copy = restore_copy(self.file, partial)
            old, newer = self._add_readable_rows(partial, has_copy)
            copy_time = time.localtime(copy_of(self.file).stat().st_mtime) if has_copy else None
            if not has_copy and copy_of(self.file).exists():
                copy_of(self.file).replace(_aside(copy_of(self.file)))
            partial.replace(_rebuilt(self.file))
            aside = _replace(self.file)
        begin = f"the memory {self.file} was damaged and is set aside as {aside.name}; "
        if copy_time is None:
            read = f"{newer} rows could still be read and are kept" if newer else "nothing in it could be read"
            return f"{begin}it has no good copy: {read}, the rest is lost"
        date = time.strftime("%Y-%m-%d %H:%M", copy_time)
        return (
            f"{begin}its copy of {date} with {old} rows is in its place, with {newer} later rows that could still "
            f"be read; lost is at most what else was added after {date}"
        )

    def _add_readable_rows(self, partial: Path, has_copy: bool) -> tuple[int, int]:
        """Add the readable rows to the file `partial`. Return how many rows it had and how many were added."""
        new, _ = self._connect(True, lambda connection: "", partial)
        with contextlib.closing(new):
            count = "SELECT count(*), coalesce(max(seq), 0) FROM memory"
            before, last = new.execute(count).fetchone()
            new.execute("BEGIN")
            for source in (self.file,) if has_copy else (self.file, copy_of(self.file)):
                for row in readable_rows(source, last):
                    with contextlib.suppress(sqlite3.Error):  # damage within this row
                        new.execute("INSERT OR IGNORE INTO memory VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
            new.execute("COMMIT")
            rows, _ = new.execute(count).fetchone()
            new.execute("PRAGMA journal_mode = DELETE")
        return before, rows - before

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        """Hold the lock exclusively. Raises _InUseElsewhere if another program has the file open."""
        if not self._lock.alone():
            why = "is damaged and in use by another run; stop that one and try again"
            raise _InUseElsewhere(f"the memory {self.file} {why}")
        try:
            yield
        finally:
            self._lock.share()

    def _connect(
        self, durable: bool, look: Callable[[sqlite3.Connection], str], file: Path | None = None
    ) -> tuple[sqlite3.Connection, str]:
        """Open `file`, or the memory itself, with its table. Return the connection and what `look` returns for it."""
        file = file or self.file
        _make_private(file)
        connection = sqlite3.connect(file, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
        # damage inside a text must not affect other texts
        connection.text_factory = lambda data: data.decode("utf-8", "replace")
        connection.create_function(
            "holds", 2, lambda row, terms: holds(metadata_of(row), json.loads(terms)), deterministic=True
        )
        try:
            _check_format(connection, file)
            connection.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
            connection.execute("PRAGMA secure_delete = ON")  # no deleted text stays in the file
            notice = look(connection)
        except BaseException:
            connection.close()
            raise
        return connection, notice


def _make_private(file: Path) -> None:
    """Make the file readable for its owner alone, and create it if it is missing.

    SQLite gives its side files the same permissions. Raises MemoryFault for anything but a plain file, and leaves that
    unchanged: it may be a link to a device that other programs need. An existing file is not opened here, since closing
    it would release the locks of every other connection of this process.
    """
    with contextlib.suppress(FileExistsError):
        os.close(os.open(file, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    if not stat.S_ISREG(file.stat().st_mode):
        raise MemoryFault(f"the memory {file} is not a plain file; move it away or choose another folder")
    file.chmod(0o600)


class _InUseElsewhere(MemoryFault):
    """The file must be rebuilt, but other programs have it open."""


class _WrongTable(sqlite3.DatabaseError):
    """The format number and the table do not fit together. This counts as damage."""

    sqlite_errorcode = sqlite3.SQLITE_CORRUPT


def what_now(error: sqlite3.Error) -> str:
    """Return what is wrong and what to do next, as the end of a sentence."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if is_damage(error):
        return "is damaged; start again, and its copy is put in its place"
    if code == sqlite3.SQLITE_FULL:
        return "cannot grow because the disk is full; free some space (no stored row is lost)"
    if code == sqlite3.SQLITE_IOERR:
        return "cannot be written: the disk is full or fails; free some space (no stored row is lost)"
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM):
        return "cannot be written; check the permissions of its folder or choose another one"
    if code == sqlite3.SQLITE_BUSY:
        return "is held by another program; stop that one and try again"
    return f"failed: {valid_text(str(error))}; check the disk or choose another folder"


def _check_format(connection: sqlite3.Connection, file: Path) -> None:
    """Create the table in a new file, and upgrade an older format.

    Raises MemoryFault for a newer format and for a database of another program, which is left unchanged.
    """
    version = _patiently(connection, "PRAGMA user_version").fetchone()[0]
    if version > VERSION:
        raise MemoryFault(f"the memory {file} is of the newer format {version}; update autocraft to use it")
    _patiently(connection, "PRAGMA journal_mode = WAL")
    if version == VERSION:
        if not _has_table(connection):
            raise _WrongTable
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        version = connection.execute("PRAGMA user_version").fetchone()[0]  # another process may have been faster
        if version <= 0 and connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            if _has_table(connection):  # only the number of the format was lost
                raise _WrongTable
            raise MemoryFault(f"{file} is a database of another program; choose another folder")
        for step in range(max(version, 0) + 1, VERSION + 1):
            for statement in _STEPS[step]:
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {VERSION}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _has_table(connection: sqlite3.Connection) -> bool:
    """Return whether the table exists with exactly the expected columns."""
    return [name for _, name, *_ in connection.execute("PRAGMA table_info(memory)")] == list(COLUMNS)


def _patiently(connection: sqlite3.Connection, statement: str) -> sqlite3.Cursor:
    """Execute a statement, and repeat it while the file is busy, for at most BUSY_SECONDS.

    SQLite's own busy timeout does not cover two processes that open or close a file at once.
    """
    give_up = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            return connection.execute(statement)
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > give_up:
                raise
            time.sleep(0.01)


# ---------------------------------------------------------------- replacing a damaged file


def _mark_of(file: Path) -> Path:
    """Return the path of the mark of damage."""
    return file.with_name(f"{file.name}.damaged")


def _rebuilt(file: Path) -> Path:
    """Return the path of a complete new file that must only be renamed."""
    return file.with_name(f"{file.name}.rebuilt")


def _aside(file: Path) -> Path:
    """Return a new path for a damaged file."""
    return file.with_name(f"{file.name}.{time.strftime('%Y%m%d-%H%M%S')}-{secrets.token_hex(2)}.bad")


def _replace(file: Path) -> Path:
    """Rename the damaged file with its side files, and put the rebuilt one in its place. Return the new path.

    After a kill in between, it is repeated.
    """
    aside = _aside(file)
    for suffix in ("-wal", "-shm", ""):
        part = file.with_name(f"{file.name}{suffix}")
        if part.exists():
            part.replace(aside.with_name(f"{aside.name}{suffix}"))
    _mark_of(file).unlink(missing_ok=True)
    _rebuilt(file).replace(file)
    sync_folder(file.parent)
    return aside


class _Lock:
    """A lock that many processes share, or one holds exclusively. It ends with the process.

    On Windows it does nothing: a file that another process has open cannot be moved there.
    """

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
        self.share()

    def close(self) -> None:
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def give_way(self) -> None:
        """Release the lock for a random time, so that one of two programs that wait for each other gets it."""
        self._flock("LOCK_UN")
        time.sleep(random.uniform(0.02, 0.2))
        self.share()

    def share(self) -> None:
        self._flock("LOCK_SH")

    def alone(self) -> bool:
        """Try to hold the lock exclusively. Return False if others share it."""
        try:
            self._flock("LOCK_EX", "LOCK_NB")
        except OSError:
            self.share()  # the failed attempt may have released the shared lock
            return False
        return True

    def _flock(self, *names: str) -> None:
        if sys.platform != "win32":
            fcntl.flock(self._file, sum(getattr(fcntl, name) for name in names))
