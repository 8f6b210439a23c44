"""The local memory: all rows in one SQLite file, searched in a numpy matrix that is built at the first query.

Several processes may share one file, and several threads one LocalMemory.
"""

from __future__ import annotations

import json
import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from autocraft.errors import MemoryFault
from autocraft.memory.backup import delete_in_copy, is_damage
from autocraft.memory.database import INDEXED, Database, what_now
from autocraft.memory.embed import Embedder, open_embedder
from autocraft.memory.rows import BATCH, DEFAULT, Store, check_namespace, metadata_of, metadata_text, valid_text
from autocraft.protocols import Json, MemoryRecord
from autocraft.session.atomic import next_step

if TYPE_CHECKING:
    from autocraft.memory.matrix import Matrix

FILE = "memory.sqlite3"
_READ = 200
"""Rows that are read at once: few enough for the cache of the processor."""
_INSERT = (
    "INSERT INTO memory (id, namespace, text, metadata, embedder, dimension, vector, created)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (namespace, id) DO NOTHING"
)


class LocalMemory(Store):
    """The rows of one `namespace` in the folder `path`, which is created if it is missing.

    After `add` has returned, the row survives kill -9, and with `durable` also a power cut. Every method may raise
    MemoryFault.
    """

    name = "local"
    remembers = True

    def __init__(
        self, path: Path | str, *, namespace: str = DEFAULT, durable: bool = False, embedder: Embedder | None = None
    ) -> None:
        if not isinstance(path, (str, Path)) or "\0" in str(path):
            raise MemoryFault(f"the memory local needs a folder, and {str(path)[:40]!r} is not one; name another")
        self.file = Path(path).expanduser() / FILE
        self.namespace = check_namespace(namespace)
        self.embedder: Embedder = embedder or open_embedder()
        self._lock = threading.RLock()
        self._matrix: Matrix | None = None
        self._matrix_version: tuple[int, int] | None = None
        self._store: Database | None = None
        self._database: sqlite3.Connection | None = None
        with self._plain_faults():
            self._store = Database(self.file, self._notice_of_unsearched, durable=durable)
        self._database = self._store.connection
        self.notice = self._store.notice

    # ------------------------------------------------------------ Auto-GPT's five, of which Store has `add` and `get`

    def get_relevant(
        self, text: str, k: int = 5, *, where: Mapping[str, str] | None = None, exact: bool = False
    ) -> list[MemoryRecord]:
        """Return up to `k` near rows, the nearest first, and among equals the newest first.

        `exact` has no effect, since every row is compared.
        """
        if k < 1:
            return []
        with self._faults() as database:
            if database.execute(f"SELECT 1 {self._searched} LIMIT 1", self._space).fetchone() is None:
                return []  # an empty memory needs no embedder
        vector = self.embedder.embed([valid_text(text)])[0]
        with self._faults() as database:
            only = None
            if where:
                condition, values = _condition(where)
                query = f"SELECT seq {self._searched}{condition} ORDER BY seq"
                only = [seq for (seq,) in database.execute(query, (*self._space, *values))]
            matrix = self._fresh_matrix(database)
            scores = dict(matrix.search(vector, k, self.embedder.floor, only))
            query = "SELECT seq, id, text, metadata FROM memory WHERE seq IN (SELECT value FROM json_each(?))"
            rows = database.execute(query, (json.dumps(list(scores)),))
            by_seq = {seq: MemoryRecord(id, text, metadata_of(data), scores[seq]) for seq, id, text, data in rows}
        return [by_seq[seq] for seq in scores if seq in by_seq]

    def clear(self) -> int:
        """Delete every row of this namespace. Return their number."""
        return self._delete("namespace = ?", self.namespace)

    def get_stats(self) -> Json:
        """Return the protocol's figures, and as `not_searched` the number of rows of another embedder."""
        with self._faults() as database:
            query = "SELECT namespace, count(*) FROM memory GROUP BY namespace ORDER BY namespace"
            namespaces = dict(database.execute(query).fetchall())
            hits = database.execute(f"SELECT count(*) {self._searched}", self._space).fetchone()[0]
        size = 0
        for part in self.file.parent.glob(f"{FILE}*"):
            with suppress(FileNotFoundError):  # another process may remove a side file meanwhile
                size += part.stat().st_size
        return self._stats(namespaces, not_searched=namespaces.get(self.namespace, 0) - hits, bytes=size)

    # ------------------------------------------------------------ by id and metadata

    def rows(self, **metadata: str) -> list[MemoryRecord]:
        """Return all rows whose metadata has these values, oldest first."""
        condition, values = _condition(metadata)
        query = f"SELECT id, text, metadata FROM memory WHERE namespace = ?{condition} ORDER BY seq"
        return self._read(query, (self.namespace, *values))

    def fetch(self, id: str) -> MemoryRecord | None:
        query = "SELECT id, text, metadata FROM memory WHERE namespace = ? AND id = ?"
        rows = self._read(query, (self.namespace, valid_text(id)))
        return rows[0] if rows else None

    def delete(self, id: str) -> bool:
        """Delete one row. Return False if no row has this id."""
        return self._delete("namespace = ? AND id = ?", self.namespace, valid_text(id)) > 0

    def reembed(self) -> int:
        """Embed the rows of another embedder anew, 500 at a time. Return their number.

        Each gets a new sequence number, because the search takes it for a new row. After an interruption this can be
        repeated.
        """
        total = 0
        other = "FROM memory WHERE namespace = ? AND NOT (embedder = ? AND dimension = ?) ORDER BY seq LIMIT ?"
        while True:
            with self._faults() as database:
                rows = database.execute(f"SELECT seq, text {other}", (*self._space, BATCH)).fetchall()
            if not rows:
                return total
            vectors = self.embedder.embed([text for _, text in rows])
            with self._transaction() as database:
                last = database.execute("SELECT seq FROM sqlite_sequence WHERE name = 'memory'").fetchone()[0]
                for new, ((seq, _), vector) in enumerate(zip(rows, vectors, strict=True), last + 1):
                    query = "UPDATE memory SET embedder = ?, dimension = ?, vector = ?, seq = ? WHERE seq = ?"
                    values = (self.embedder.name, self.embedder.dimension, vector, new, seq)
                    total += database.execute(query, values).rowcount
                query = "UPDATE sqlite_sequence SET seq = ? WHERE name = 'memory'"
                database.execute(query, (last + len(rows),))

    def close(self) -> None:
        """Close the file. Later calls raise MemoryFault, except a second `close`."""
        with self._lock:
            if self._store is not None:
                self._store.close()
            self._store = self._database = None

    # ------------------------------------------------------------ inside

    _searched = "FROM memory WHERE namespace = ? AND embedder = ? AND dimension = ?"

    def _fresh_matrix(self, database: sqlite3.Connection) -> Matrix:
        """Return the matrix with all rows of this and other processes. It is rebuilt after rows were deleted.

        Rows are numbered in the order of their commits, and no number is used twice. So new rows have higher numbers,
        and a lower count means that rows were deleted.
        """
        from autocraft.memory.matrix import Matrix

        version = database.execute("PRAGMA data_version").fetchone()[0], database.total_changes
        if self._matrix is not None and version == self._matrix_version:
            return self._matrix
        matrix = self._matrix or Matrix(self.embedder.dimension)
        database.execute("BEGIN")  # one view of the rows for all three queries
        try:
            if matrix.size:
                query = f"SELECT count(*) {self._searched} AND seq <= ?"
                if database.execute(query, (*self._space, matrix.last)).fetchone()[0] != matrix.size:
                    matrix = Matrix(self.embedder.dimension)
            if not matrix.size:
                matrix.reserve(database.execute(f"SELECT count(*) {self._searched}", self._space).fetchone()[0])
            query = f"SELECT seq, vector {self._searched} AND seq > ? ORDER BY seq"
            new = database.execute(query, (*self._space, matrix.last))
            size = 4 * self.embedder.dimension
            while rows := new.fetchmany(_READ):  # zeros take the place of a damaged vector
                matrix.extend([(seq, _of_size(vector, size)) for seq, vector in rows])
        finally:
            database.execute("COMMIT")
        self._matrix, self._matrix_version = matrix, version
        return matrix

    def _notice_of_unsearched(self, database: sqlite3.Connection) -> str:
        """Return a notice about rows of another embedder, which are not searched. Return '' if there are none."""
        ends = [f"SELECT {end}(embedder) FROM memory WHERE namespace = ?" for end in ("min", "max")]
        names = {database.execute(end, (self.namespace,)).fetchone()[0] for end in ends}
        if names <= {None, self.embedder.name}:
            return ""
        query = "SELECT count(*) FROM memory WHERE namespace = ? AND embedder <> ?"
        (rows,) = database.execute(query, (self.namespace, self.embedder.name)).fetchone()
        return (
            f"{rows} rows of memory were embedded by another embedder than {self.embedder.name} and are not searched: "
            "autocraft memory reembed makes them found again"
        )

    def _insert(self, rows: Sequence[tuple[str, str, str]], *, fresh: bool = False) -> int:
        """Insert rows of id, text and metadata, all or none. Return how many were new."""
        space, vectors = self._space, self._embedded(rows)
        values = [
            (id, space[0], text, data, *space[1:], vector, time.time())
            for (id, text, data), vector in zip(rows, vectors, strict=True)
        ]
        if len(values) == 1:  # one statement is a transaction, and faster
            with self._faults() as database:
                return database.execute(_INSERT, values[0]).rowcount
        with self._transaction() as database:
            return database.executemany(_INSERT, values).rowcount

    def _delete(self, condition: str, *values: str) -> int:
        """Delete rows. Return their number. The copy is first, so that it cannot bring rows back after a kill."""
        with self._faults() as database:
            delete_in_copy(self.file, condition, values)
            return database.execute(f"DELETE FROM memory WHERE {condition}", values).rowcount

    def _read(self, query: str, values: Iterable[object]) -> list[MemoryRecord]:
        with self._faults() as database:
            rows = database.execute(query, tuple(values))
            return [MemoryRecord(id, text, metadata_of(data)) for id, text, data in rows]

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._faults() as database:
            database.execute("BEGIN IMMEDIATE")
            try:
                yield database
                database.execute("COMMIT")
            except BaseException:
                if database.in_transaction:
                    database.execute("ROLLBACK")
                raise

    @contextmanager
    def _faults(self) -> Iterator[sqlite3.Connection]:
        """Yield the database to one thread at a time."""
        with self._plain_faults(), self._lock:
            if self._database is None:
                raise MemoryFault(f"the memory {self.file} was closed; open it again")
            yield self._database

    @contextmanager
    def _plain_faults(self) -> Iterator[None]:
        """Turn errors of SQLite and of the system into MemoryFault."""
        try:
            yield
        except sqlite3.Error as error:
            if self._store is not None and is_damage(error):
                self._store.mark_damaged()
            raise MemoryFault(f"the memory {self.file} {what_now(error)}") from None
        except OSError as error:
            why = error.strerror or error
            step = next_step(error, "choose another folder")
            raise MemoryFault(f"the memory {self.file} cannot be used: {why}; {step}") from None


def _of_size(vector: object, size: int) -> bytes:
    """Return a vector of `size` bytes, or zeros in place of anything else."""
    return vector if isinstance(vector, bytes) and len(vector) == size else bytes(size)


def _condition(metadata: Mapping[str, str]) -> tuple[str, list[str]]:
    """Return SQL that requires these values of the metadata, with its parameters.

    An indexed key is written as in its index, so that SQLite uses the index.
    """
    rest = json.loads(metadata_text(metadata))
    parts, values = "", []
    for key in INDEXED:
        if isinstance(rest.get(key), str) and rest[key].isprintable():
            parts += f" AND json_extract(metadata, '$.{key}') = ?"
            values.append(rest.pop(key))
    if rest:
        parts += " AND holds(metadata, ?)"
        values.append(json.dumps(rest))
    return parts, values
