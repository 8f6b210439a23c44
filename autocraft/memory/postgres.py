"""Memory in the person's own PostgreSQL, with the extension pgvector and an HNSW index for each namespace.

It is for computers that share one memory, or for more rows than the memory of one computer holds. It needs the extra
``pgvector``.
"""

from __future__ import annotations

import json
import re
import struct
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from autocraft.errors import MemoryFault, UsageError
from autocraft.installation import install_line
from autocraft.memory.embed import Embedder, open_embedder
from autocraft.memory.rows import BATCH, DEFAULT, Store, check_namespace, metadata_text, valid_text
from autocraft.protocols import Json, MemoryRecord
from autocraft.session.atomic import sha256

if TYPE_CHECKING:
    import psycopg

T = TypeVar("T")
_FORMAT_PREFIX = "autocraft memory, format "
FORMAT = f"{_FORMAT_PREFIX}1"
_CONNECT_SECONDS = 10
_MOST_INDEXED = 2_000
"""Most dimensions that pgvector can index. Longer vectors are all compared."""
_LIST = 200
"""Rows that the index examines for a query (hnsw.ef_search). For more than half as many, every row is compared."""
_LOCK = 0x6175746F
"""The key of the lock for creating the table and its indexes."""
_CONNECTION = ("", "08", "57")
"""The classes of an SQLSTATE, or none, of a connection that does not come about or is lost."""
_SEARCH = "add it with ALTER ROLE … SET search_path = public, extensions"
_NEW = (
    "CREATE EXTENSION IF NOT EXISTS vector",
    """CREATE TABLE autocraft_memory (
    seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id TEXT NOT NULL,
    namespace TEXT NOT NULL,
    text TEXT NOT NULL,
    metadata JSONB NOT NULL,
    embedder TEXT NOT NULL,
    dimension INTEGER NOT NULL,
    vector VECTOR NOT NULL,
    created TIMESTAMPTZ NOT NULL DEFAULT now(),
    UNIQUE (namespace, id)
)""",
    "CREATE INDEX autocraft_memory_metadata ON autocraft_memory USING gin (metadata jsonb_path_ops)",
    f"COMMENT ON TABLE autocraft_memory IS '{FORMAT}'",
)


class PostgresMemory(Store):
    """The rows of one `namespace` in the database `url`, such as ``postgresql://me@host/name``.

    After `add` has returned, the row survives kill -9 and a power cut of the server. The character NUL, which
    PostgreSQL cannot store, becomes U+FFFD. Every method may raise MemoryFault.
    """

    name = "pgvector"
    remembers = True

    def __init__(self, url: str, *, namespace: str = DEFAULT, embedder: Embedder | None = None) -> None:
        """Connect, and create the table if it is missing. Raises UsageError without an address or the extra."""
        if not url:
            raise UsageError("the memory pgvector needs an address: set MEMORY_DATABASE_URL=postgresql://…")
        try:
            import psycopg
        except ImportError:
            raise UsageError(f"the memory pgvector needs psycopg: {install_line('pgvector')}") from None
        self.namespace = check_namespace(namespace)
        self.embedder: Embedder = embedder or open_embedder()
        self.notice = ""
        self._psycopg = psycopg
        self._url = url
        self._lock = threading.RLock()
        self._connection: psycopg.Connection | None = None
        self._closed = self._indexed = False
        self._do(lambda connection: None)

    # ------------------------------------------------------------ Auto-GPT's five, of which Store has `add` and `get`

    def get_relevant(
        self, text: str, k: int = 5, *, where: Mapping[str, str] | None = None, exact: bool = False
    ) -> list[MemoryRecord]:
        """Return up to `k` near rows, the nearest first, and among equals the newest first.

        With `where`, with `exact` and for a large `k` every row is compared. Otherwise the index is used, which may
        miss a row.
        """
        if k < 1 or not self._do(lambda c: c.execute(f"SELECT 1 {self._searched} LIMIT 1", self._space).fetchone()):
            return []
        (vector,) = _texts_of(self.embedder.embed([valid_text(text)]))
        kind = f"vector({self.embedder.dimension})"
        condition = self._literal_condition().replace("%", "%%")
        query = (
            f"SELECT id, text, metadata, -(vector::{kind} <#> %s::{kind}), seq FROM autocraft_memory"
            f" WHERE {condition} AND metadata @> %s::jsonb ORDER BY vector::{kind} <#> %s::{kind} LIMIT %s"
        )
        values = (vector, _json(metadata_text(where)), vector, k)
        by_index = not where and not exact and k <= _LIST // 2

        def ask(connection: psycopg.Connection) -> list[Any]:
            with connection.transaction():
                setting = f"hnsw.ef_search = {_LIST}" if by_index else "enable_indexscan = off"
                connection.execute(f"SET LOCAL {setting}")
                return connection.execute(query, values).fetchall()

        rows = sorted(self._do(ask), key=lambda row: (-round(row[3], 5), -row[4]))
        return [
            MemoryRecord(id, text, data, round(score, 5))
            for id, text, data, score, _ in rows
            if round(score, 5) >= self.embedder.floor
        ]

    def clear(self) -> int:
        """Delete every row of this namespace. Return their number."""
        query = "DELETE FROM autocraft_memory WHERE namespace = %s"
        return self._do(lambda c: c.execute(query, (self.namespace,)).rowcount)

    def get_stats(self) -> Json:
        """Return the protocol's figures, and as `not_searched` the number of rows of another embedder."""
        query = "SELECT namespace, count(*) FROM autocraft_memory GROUP BY namespace ORDER BY namespace"
        namespaces: dict[str, int] = dict(self._do(lambda c: c.execute(query).fetchall()))
        hits = self._do(lambda c: c.execute(f"SELECT count(*) {self._searched}", self._space).fetchone()) or (0,)
        size = self._do(lambda c: c.execute("SELECT pg_total_relation_size('autocraft_memory')").fetchone()) or (0,)
        return self._stats(namespaces, not_searched=namespaces.get(self.namespace, 0) - hits[0], bytes=size[0])

    # ------------------------------------------------------------ by id and metadata

    def rows(self, **metadata: str) -> list[MemoryRecord]:
        """Return all rows whose metadata has these values, oldest first."""
        return self._read("metadata @> %s::jsonb", _json(metadata_text(metadata)))

    def fetch(self, id: str) -> MemoryRecord | None:
        rows = self._read("id = %s", _plain(id))
        return rows[0] if rows else None

    def delete(self, id: str) -> bool:
        """Delete one row. Return False if no row has this id."""
        query = "DELETE FROM autocraft_memory WHERE namespace = %s AND id = %s"
        return self._do(lambda c: c.execute(query, (self.namespace, _plain(id))).rowcount) > 0

    def reembed(self) -> int:
        """Embed the rows of another embedder anew, 500 at a time. Return their number. It can be repeated."""
        query = (
            "SELECT seq, text FROM autocraft_memory WHERE namespace = %s AND NOT (embedder = %s AND dimension = %s)"
            " ORDER BY seq LIMIT %s"
        )
        change = "UPDATE autocraft_memory SET embedder = %s, dimension = %s, vector = %s::vector WHERE seq = %s"
        self._make_index()
        total = 0
        while True:
            rows = self._do(lambda c: c.execute(query, (*self._space, BATCH)).fetchall())
            if not rows:
                return total
            vectors = _texts_of(self.embedder.embed([text for _, text in rows]))
            space = self._space[1:]
            values = [(*space, vector, seq) for vector, (seq, _) in zip(vectors, rows, strict=True)]
            total += self._do(lambda c, values=values: _all_or_none(c, change, values))  # type: ignore[misc]

    def close(self) -> None:
        """Close the connection. Later calls raise MemoryFault, except a second `close`."""
        with self._lock:
            self._closed = True
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    # ------------------------------------------------------------ inside

    _searched = "FROM autocraft_memory WHERE namespace = %s AND embedder = %s AND dimension = %s"

    def _literal_condition(self) -> str:
        """Return the condition on the rows with literal values.

        PostgreSQL uses the index because the index has the same text.
        """
        namespace, embedder, dimension = self._space
        return f"namespace = {_literal(namespace)} AND embedder = {_literal(embedder)} AND dimension = {dimension}"

    def _insert(self, rows: Sequence[tuple[str, str, str]], *, fresh: bool = False) -> int:
        vectors = _texts_of(self._embedded(rows))
        self._make_index()
        space = self._space
        values = [
            (_plain(id), space[0], _plain(text), _json(data), *space[1:], vector)
            for (id, text, data), vector in zip(rows, vectors, strict=True)
        ]
        query = (
            "INSERT INTO autocraft_memory (id, namespace, text, metadata, embedder, dimension, vector)"
            " VALUES (%s, %s, %s, %s::jsonb, %s, %s, %s::vector) ON CONFLICT (namespace, id) DO NOTHING"
        )
        return self._do(lambda c: _all_or_none(c, query, values))

    def _read(self, condition: str, value: str) -> list[MemoryRecord]:
        query = f"SELECT id, text, metadata FROM autocraft_memory WHERE namespace = %s AND {condition} ORDER BY seq"
        rows = self._do(lambda c: c.execute(query, (self.namespace, value)).fetchall())
        return [MemoryRecord(id, text, data) for id, text, data in rows]

    def _make_index(self) -> None:
        """Create the index for the rows that are searched together. Before the first row, this costs nothing."""
        dimension = self.embedder.dimension
        if self._indexed or dimension > _MOST_INDEXED:
            return
        name = "autocraft_memory_" + sha256(repr(self._space))[:16]
        query = (
            f"CREATE INDEX IF NOT EXISTS {name} ON autocraft_memory USING hnsw ((vector::vector({dimension}))"
            f" vector_ip_ops) WHERE {self._literal_condition()}"
        )

        def make(connection: psycopg.Connection) -> None:
            with connection.transaction():
                connection.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
                connection.execute(query)

        self._do(make)
        self._indexed = True

    def _do(self, work: Callable[[psycopg.Connection], T]) -> T:
        """Call `work` with the connection, for one thread at a time. Return its result. Raises MemoryFault.

        If the connection is lost, `work` is repeated with a new one. This is safe, since rows have ids.
        """
        with self._lock:
            if self._closed:
                raise MemoryFault("the memory in PostgreSQL was closed; open it again")
            for last in (False, True):
                try:
                    if self._connection is None:
                        self._connection = self._connect()
                        last = True
                    return work(self._connection)
                except self._psycopg.Error as error:
                    lost = self._connection is None or self._connection.broken or self._connection.closed
                    down = lost and (error.sqlstate or "")[:2] in _CONNECTION  # else the server answered with a refusal
                    if down and self._connection is not None:
                        self._connection = None
                        if not last:
                            continue
                    raise MemoryFault(_what_now(error, bool(down))) from None
        raise AssertionError("the last try returns or raises")

    def _connect(self) -> psycopg.Connection:
        connection = self._psycopg.connect(
            self._url, autocommit=True, connect_timeout=_CONNECT_SECONDS, prepare_threshold=None
        )
        try:
            with connection.transaction():
                connection.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
                table = "SELECT to_regclass('autocraft_memory')::text, obj_description(to_regclass('autocraft_memory'))"
                name, comment = connection.execute(table).fetchone() or (None, None)
                if name is None:
                    for statement in _NEW:
                        connection.execute(statement)
                elif not (comment or "").startswith(_FORMAT_PREFIX):
                    raise MemoryFault("the table autocraft_memory there is another program's; choose another database")
                elif comment != FORMAT:
                    raise MemoryFault("the table autocraft_memory is of a newer format; update autocraft to use it")
        except BaseException:
            connection.close()
            raise
        return connection


def _all_or_none(connection: psycopg.Connection, query: Any, values: Iterable[Sequence[object]]) -> int:
    """Execute a statement for all values in one transaction. Return how many rows it changed."""
    with connection.transaction(), connection.cursor() as cursor:
        cursor.executemany(query, values)
        return max(0, cursor.rowcount)


def _texts_of(vectors: Sequence[bytes]) -> list[str]:
    """Return vectors as texts for pgvector."""
    return [f"[{','.join(f'{value:.9g}' for value in struct.unpack(f'<{len(data) // 4}f', data))}]" for data in vectors]


def _plain(text: str) -> str:
    return valid_text(text).replace("\0", "\ufffd")


def _json(text: str) -> str:
    """Return JSON without NUL and lone surrogates, which PostgreSQL refuses."""
    plain = json.dumps(json.loads(text), ensure_ascii=False)
    return valid_text(re.sub(r"(?<!\\)((?:\\\\)*)\\u0000", "\\1\ufffd", plain))


def _literal(text: str) -> str:
    """Return a text without control characters as an SQL literal."""
    return "E'" + text.replace("\\", "\\\\").replace("'", "''") + "'"


def _what_now(error: Exception, down: bool) -> str:
    reason = " ".join(valid_text(str(error)).split())[:300]
    if down:
        return f"PostgreSQL cannot be reached: {reason}; start it, or check MEMORY_DATABASE_URL (no stored row is lost)"
    if getattr(error, "sqlstate", "") == "42P01":
        return "the table autocraft_memory was deleted in PostgreSQL; open the memory again to create it"
    if getattr(error, "sqlstate", "") == "42704" and '"vector"' in reason:
        return f"pgvector is in a schema that is not searched: {_SEARCH} (PostgreSQL: {reason})"
    if "extension" in reason:
        return f"PostgreSQL has no pgvector: {reason}; install the extension there, or ask its owner to"
    return f"PostgreSQL refused: {reason}; check the rights of the user in MEMORY_DATABASE_URL"
