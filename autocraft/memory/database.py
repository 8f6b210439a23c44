"""Open the SQLite file of the local memory, upgrade an older format, and put the copy in place of a damaged file.

Every program that has the file open shares `memory.lock`. A program must hold the lock exclusively to replace a damaged
file or to make the copy. `local.py` reads and writes the rows, `backup.py` makes the copy and restores it.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import sqlite3
import stat
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from autocraft.errors import MemoryFault
from autocraft.memory.backup import copy_of, is_damage, is_sound, restore_copy, save_copy, set_aside
from autocraft.memory.rows import holds, metadata_of, valid_text
from autocraft.session.atomic import write_atomic

if sys.platform != "win32":
    import fcntl

COLUMNS = ("seq", "id", "namespace", "text", "metadata", "embedder", "dimension", "vector", "created")
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
    """The open file. `notice` says that the file was damaged. Otherwise it is what `look` returned for the connection.

    Raises sqlite3's own errors, and MemoryFault with the next step.
    """

    def __init__(self, file: Path, look: Callable[[sqlite3.Connection], str], *, durable: bool) -> None:
        self.file = file
        self._mark = file.with_name(f"{file.name}.damaged")
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
                    self._lock.give_way()  # other programs may be opening the file too, and one of them must replace it
        except BaseException:
            self._lock.close()
            raise

    def mark_damaged(self) -> None:
        """Mark the file, so that the next program that opens it checks it, and replaces it if it is damaged."""
        with contextlib.suppress(OSError):
            self._mark.touch(mode=0o600)

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
        restored = ""
        if self._mark.exists() or self._is_emptied():
            restored = self._restore_copy()
        try:
            connection, notice = self._connect(durable, look)
        except sqlite3.DatabaseError as error:
            if not is_damage(error):
                raise
            restored = self._restore_copy()
            connection, notice = self._connect(durable, look)
        return connection, restored or notice

    def _restore_copy(self) -> str:
        """Set the damaged file aside, and put its copy in its place. Return the notice.

        Return "" if the file is sound after all: another program was faster, or the mark was a false alarm. The mark
        stays until the end, so that the next program goes on after a kill. It holds the notice, which nobody saw then.
        """
        notice = self._told()
        if not self._is_sound():
            with self._alone():
                if not self._is_sound():
                    self.mark_damaged()
                    notice = restore_copy(self.file, self._tell)
                    if self.file.exists() and not self._is_sound():  # damage of the copy that only `_connect` sees
                        set_aside(copy_of(self.file))
                        notice = restore_copy(self.file, self._tell)
        self._mark.unlink(missing_ok=True)
        return notice

    def _tell(self, notice: str) -> None:
        write_atomic(self._mark, notice.encode())

    def _told(self) -> str:
        """Return the notice in the mark. Return "" if there is none."""
        try:
            return self._mark.read_text(encoding="utf-8")
        except (OSError, ValueError):
            return ""

    def _is_sound(self) -> bool:
        """Return whether SQLite finds no damage, and the table exists. A missing file is sound, except with a mark."""
        if not self.file.exists():
            return not self._mark.exists()
        if self._is_emptied():
            return False
        try:
            connection, _ = self._connect(True, lambda connection: "")
            with contextlib.closing(connection):
                return is_sound(connection)
        except sqlite3.DatabaseError as error:
            if not is_damage(error):
                raise
            return False

    def _is_emptied(self) -> bool:
        """Return whether the file is empty although there is a copy."""
        return self.file.exists() and not self.file.stat().st_size and copy_of(self.file).exists()

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

    def _connect(self, durable: bool, look: Callable[[sqlite3.Connection], str]) -> tuple[sqlite3.Connection, str]:
        """Open the file with its table. Return the connection and what `look` returns for it."""
        _make_private(self.file)
        connection = sqlite3.connect(self.file, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
        # damage inside a text must not affect other texts
        connection.text_factory = lambda data: data.decode("utf-8", "replace")
        connection.create_function(
            "holds", 2, lambda row, terms: holds(metadata_of(row), json.loads(terms)), deterministic=True
        )
        try:
            _check_format(connection, self.file)
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
    """The file must be replaced, but other programs have it open."""


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
        return "cannot be written: the disk is full or fails; free some space or check it (no stored row is lost)"
    if code == sqlite3.SQLITE_CANTOPEN:  # SQLite does not say why
        return "cannot be opened: free some space; check the permissions of its folder or choose another one"
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM):
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
