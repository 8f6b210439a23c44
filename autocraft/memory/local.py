"""The local memory: every row in one SQLite file, searched in a numpy matrix that is built at the first query.

Neighbours: `matrix.py` (the search), `lexical.py` (the embedder where none is given). Several processes may
use one file at once, and several threads one LocalMemory.
"""

from __future__ import annotations

import json
import os
import secrets
import sqlite3
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from autocraft.errors import MemoryFault
from autocraft.memory.lexical import LexicalEmbedder
from autocraft.protocols import Json, Recollection

if TYPE_CHECKING:
    from autocraft.memory.matrix import Matrix

FILE = "memory.sqlite3"
VERSION = 1
_BUSY_SECONDS = 30.0
_SCHEMA = """
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
_INDEX = "CREATE INDEX memory_searched ON memory (namespace, embedder, dimension)"


class Embedder(Protocol):
    """Turns text into vectors. Two texts whose cosine is under `floor` are strangers."""

    name: str
    dimension: int
    floor: float

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        """One vector a text, as `dimension` little-endian float32 of length 1."""
        ...


class LocalMemory:
    """The rows of one `namespace` in the folder `path`, which is made when there is none.

    A row survives kill -9 once `add` returns; with `durable` also a power cut. Every method may raise MemoryFault.
    """

    name = "local"

    def __init__(
        self, path: Path, *, namespace: str = "default", durable: bool = False, embedder: Embedder | None = None
    ) -> None:
        self.file = Path(path) / FILE
        self.namespace = _whole(namespace)
        self.embedder: Embedder = embedder or LexicalEmbedder()
        self._lock = threading.RLock()
        self._matrix: Matrix | None = None
        self._seen: tuple[int, int] | None = None
        self._database: sqlite3.Connection | None = None
        with self._plain_faults():
            self._database = self._open(durable)

    # ------------------------------------------------------------ Auto-GPT's five

    def add(self, text: str, *, id: str | None = None, metadata: Json | None = None) -> str:
        """Keep `text`; returns its id. A row of this id that is already there stays as it is."""
        id = _whole(id) if id else secrets.token_hex(16)
        text = _whole(text)
        try:
            data = json.dumps(metadata or {}, allow_nan=False)
        except (TypeError, ValueError) as error:
            raise MemoryFault(f"this metadata cannot be kept: {error}; use plain JSON values") from None
        embedder = self.embedder
        row = (id, self.namespace, text, data, embedder.name, embedder.dimension, embedder.embed([text])[0])
        with self._guarded() as database:
            database.execute(
                "INSERT INTO memory (id, namespace, text, metadata, embedder, dimension, vector, created)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (namespace, id) DO NOTHING",
                (*row, time.time()),
            )
        return id

    def get(self, text: str) -> list[Recollection]:
        """The nearest row, or none."""
        return self.get_relevant(text, 1)

    def get_relevant(self, text: str, k: int = 5) -> list[Recollection]:
        """Up to `k` rows that are near, the nearest first and the newest first among equals."""
        if k < 1:
            return []
        with self._guarded() as database:
            if database.execute(f"SELECT 1 {self._searched} LIMIT 1", self._space).fetchone() is None:
                return []  # without loading what a search needs
        vector = self.embedder.embed([_whole(text)])[0]
        with self._guarded() as database:
            found = dict(self._fresh_matrix(database).search(vector, k, self.embedder.floor))
            query = "SELECT seq, id, text, metadata FROM memory WHERE seq IN (SELECT value FROM json_each(?))"
            rows = database.execute(query, (json.dumps(list(found)),))
            by_seq = {seq: Recollection(id, text, json.loads(data), found[seq]) for seq, id, text, data in rows}
        return [by_seq[seq] for seq in found if seq in by_seq]

    def clear(self) -> int:
        """Delete every row of this namespace; returns how many there were."""
        with self._guarded() as database:
            gone: int = database.execute("DELETE FROM memory WHERE namespace = ?", (self.namespace,)).rowcount
        return gone

    def get_stats(self) -> Json:
        """`rows` of this namespace, of which `not_searched` are of another embedder."""
        with self._guarded() as database:
            rows = database.execute("SELECT count(*) FROM memory WHERE namespace = ?", (self.namespace,)).fetchone()[0]
            searched = database.execute(f"SELECT count(*) {self._searched}", self._space).fetchone()[0]
        return {
            "backend": self.name,
            "rows": rows,
            "not_searched": rows - searched,
            "embedder": self.embedder.name,
            "dimension": self.embedder.dimension,
            "namespace": self.namespace,
        }

    # ------------------------------------------------------------ by id and metadata

    def rows(self, **metadata: str) -> list[Recollection]:
        """All rows whose metadata holds these values, oldest first."""
        wanted = "".join(" AND json_extract(metadata, '$.' || json_quote(?)) = ?" for _ in metadata)
        values = [each for pair in metadata.items() for each in pair]
        query = f"SELECT id, text, metadata FROM memory WHERE namespace = ?{wanted} ORDER BY seq"
        with self._guarded() as database:
            return [
                Recollection(id, text, json.loads(data))
                for id, text, data in database.execute(query, (self.namespace, *values))
            ]

    def has(self, id: str) -> bool:
        with self._guarded() as database:
            query = "SELECT 1 FROM memory WHERE namespace = ? AND id = ?"
            return database.execute(query, (self.namespace, _whole(id))).fetchone() is not None

    def delete(self, id: str) -> bool:
        """Forget one row; False when there is none of this id."""
        with self._guarded() as database:
            query = "DELETE FROM memory WHERE namespace = ? AND id = ?"
            gone: int = database.execute(query, (self.namespace, _whole(id))).rowcount
        return gone > 0

    def close(self) -> None:
        """Later calls raise MemoryFault; closing twice is fine."""
        with self._lock:
            if self._database is not None:
                self._database.close()
                self._database = None

    # ------------------------------------------------------------ inside

    _searched = "FROM memory WHERE namespace = ? AND embedder = ? AND dimension = ?"

    @property
    def _space(self) -> tuple[str, str, int]:
        """Which rows can be compared with ours."""
        return self.namespace, self.embedder.name, self.embedder.dimension

    def _fresh_matrix(self, database: sqlite3.Connection) -> Matrix:
        """The matrix with what this and other processes added since; built anew when something was deleted.

        Rows are numbered in the order of their commits and no number is used twice, so what is new is what is
        higher, and what was deleted shows in the count.
        """
        from autocraft.memory.matrix import Matrix

        seen = database.execute("PRAGMA data_version").fetchone()[0], database.total_changes
        if self._matrix is not None and seen == self._seen:
            return self._matrix
        matrix = self._matrix or Matrix(self.embedder.dimension)
        database.execute("BEGIN")  # one view of the rows for all three queries
        try:
            if matrix.size:
                query = f"SELECT count(*) {self._searched} AND seq <= ?"
                if database.execute(query, (*self._space, matrix.last)).fetchone()[0] != matrix.size:
                    matrix = Matrix(self.embedder.dimension)
            query = f"SELECT seq, vector {self._searched} AND seq > ? ORDER BY seq"
            new = database.execute(query, (*self._space, matrix.last))
            size = 4 * self.embedder.dimension
            while rows := new.fetchmany(1000):  # a damaged vector becomes one that is near to nothing
                matrix.extend([(seq, vector if len(vector) == size else bytes(size)) for seq, vector in rows])
        finally:
            database.execute("COMMIT")
        self._matrix, self._seen = matrix, seen
        return matrix

    @contextmanager
    def _guarded(self) -> Iterator[sqlite3.Connection]:
        """The database, for one thread at a time."""
        with self._plain_faults(), self._lock:
            if self._database is None:
                raise MemoryFault(f"the memory {self.file} was closed; open it again")
            yield self._database

    @contextmanager
    def _plain_faults(self) -> Iterator[None]:
        """What SQLite and the system say, as one line of ours."""
        try:
            yield
        except sqlite3.Error as error:
            raise MemoryFault(f"the memory {self.file} {_what_now(error)}") from None
        except OSError as error:
            why = error.strerror or error
            raise MemoryFault(f"the memory {self.file} cannot be used: {why}; choose another folder") from None

    def _open(self, durable: bool) -> sqlite3.Connection:
        folder = self.file.parent
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(self.file, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600))
        self.file.chmod(0o600)  # SQLite gives its side files the same bits
        database = sqlite3.connect(self.file, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False)
        try:
            self._check_or_make(database)
            database.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
        except BaseException:
            database.close()
            raise
        return database

    def _check_or_make(self, database: sqlite3.Connection) -> None:
        """Leaves alone what is not ours; makes the table where the file is new."""
        version = _patiently(database, "PRAGMA user_version").fetchone()[0]
        if version > VERSION:
            raise MemoryFault(f"the memory {self.file} is of the newer format {version}; update autocraft to use it")
        _patiently(database, "PRAGMA journal_mode = WAL")
        if version == VERSION:
            return
        database.execute("BEGIN IMMEDIATE")
        try:
            if database.execute("PRAGMA user_version").fetchone()[0] == 0:  # no other process was faster
                if database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                    raise MemoryFault(f"{self.file} is a database of something else; choose another folder")
                database.execute(_SCHEMA)
                database.execute(_INDEX)
                database.execute(f"PRAGMA user_version = {VERSION}")
            database.execute("COMMIT")
        except BaseException:
            if database.in_transaction:
                database.execute("ROLLBACK")
            raise


def _patiently(database: sqlite3.Connection, statement: str) -> sqlite3.Cursor:
    """Execute what SQLite's own busy timeout does not cover: two processes that open or close a file at once."""
    give_up = time.monotonic() + _BUSY_SECONDS
    while True:
        try:
            return database.execute(statement)
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > give_up:
                raise
            time.sleep(0.01)


def _whole(text: str) -> str:
    """Without half characters, which UTF-8 cannot hold."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _what_now(error: sqlite3.Error) -> str:
    """What is wrong and what to do, by SQLite's own code; the file is never touched."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code == sqlite3.SQLITE_NOTADB:
        return "is not a database; move it away or choose another folder"
    if code == sqlite3.SQLITE_CORRUPT:
        return "is damaged; move it away (what is readable in it can still be saved) or choose another folder"
    if code == sqlite3.SQLITE_FULL:
        return "cannot grow because the disk is full; free some space (nothing that was kept is lost)"
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM):
        return "cannot be written; check the permissions of its folder or choose another one"
    if code == sqlite3.SQLITE_BUSY:
        return "is held by another program; stop that one and try again"
    return f"failed: {error}; check the disk or choose another folder"
