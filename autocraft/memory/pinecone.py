"""Memory in a serverless Pinecone index, through the official SDK.

The first row creates the index, with the embedder's dimension. Pinecone shows a change after some seconds. Until then
this process remembers what it wrote or deleted, so that it always finds its own rows. Limits (docs.pinecone.io): 1,000
vectors or 2 MB in an upsert, 40 KB of metadata for a vector, 10,000 results of a query, or 1,000 with their metadata.
"""

from __future__ import annotations

import hashlib
import json
import struct
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from autocraft.errors import MemoryFault, UsageError
from autocraft.installation import install_line
from autocraft.memory.embed import Embedder, open_embedder
from autocraft.memory.rows import DEFAULT, Store, check_namespace, holds, metadata_of, metadata_text, valid_text
from autocraft.protocols import Json, MemoryRecord

try:
    from pinecone import Pinecone, ServerlessSpec
    from pinecone.errors.exceptions import ConflictError, NotFoundError, PineconeError
except ImportError as error:
    is_there = error.name == "pinecone" and not isinstance(error, ModuleNotFoundError)
    what = "another version of the package pinecone than the one here" if is_there else "the package pinecone"
    raise UsageError(f"the memory pinecone needs {what}: {install_line()}") from None

INDEX = "autocraft"
MOST_METADATA = 40_000
MOST_UPSERT = 1_900_000
"""Most bytes of a request, a little below Pinecone's limit of 2 MB."""
MOST_VECTORS = 1_000
MOST_RESULTS = 1_000
_FETCH = 100
"""Rows that one request fetches."""
_PLAIN = (str, int, float)
_SETTLED = 120.0
"""Seconds after which Pinecone shows a change for certain."""


@dataclass(frozen=True)
class _Change:
    """A change of a row by this process: it wrote `row`, in Pinecone's form, or deleted it if `row` is None."""

    at: float
    row: Json | None
    vector: tuple[float, ...] = ()


class PineconeMemory(Store):
    """The rows of one `namespace` of an `index`. `host` is for tests and private endpoints.

    `add_many` writes in batches. After an interruption some rows may be stored, and a repetition adds the others. Every
    method may raise MemoryFault. The SDK repeats requests that fail for a short time.
    """

    name = "pinecone"
    remembers = True

    def __init__(
        self,
        *,
        api_key: str,
        index: str = INDEX,
        namespace: str = DEFAULT,
        cloud: str = "aws",
        region: str = "us-east-1",
        host: str | None = None,
        embedder: Embedder | None = None,
        timeout: float = 30.0,
    ) -> None:
        """Raises UsageError without a key, MemoryFault for an index of another dimension."""
        if not api_key:
            raise UsageError("the memory pinecone needs a key: set PINECONE_API_KEY")
        self.namespace = check_namespace(namespace)
        self.embedder: Embedder = embedder or open_embedder()
        self.notice = ""
        self._name, self._cloud, self._region = index or INDEX, cloud, region
        self._lock = threading.RLock()
        self._recent: dict[str, _Change] = {}
        self._closed = False
        self._data: Any = None
        with self._plain_faults():
            self._client: Any = Pinecone(api_key=api_key, host=host or None, timeout=timeout)
            try:
                self._find()
            except BaseException:
                self.close()
                raise

    # ------------------------------------------------------------ Auto-GPT's five, of which Store has `add` and `get`

    def get_relevant(
        self, text: str, k: int = 5, *, where: Mapping[str, str] | None = None, exact: bool = False
    ) -> list[MemoryRecord]:
        """Return up to `k` near rows, and at most 1,000, the nearest first. `exact` has no effect."""
        if k < 1:
            return []
        where = json.loads(metadata_text(where))
        vector = _floats(self.embedder.embed([valid_text(text)])[0])
        conditions = {"embedder": {"$eq": self.embedder.name}} | {
            _filter_key(key): {"$eq": _comparable(value)} for key, value in where.items()
        }
        hits: dict[str, MemoryRecord] = {}
        with self._faults():
            self._drop_settled()
            if self._data is not None:
                answer = self._data.query(
                    vector=list(vector),
                    top_k=min(MOST_RESULTS, k + len(self._recent)),
                    namespace=self.namespace,
                    filter=conditions,
                    include_metadata=True,
                )
                for match in answer.matches:
                    if not self._is_stale(match.id, match.metadata):
                        hits[match.id] = _row(match.metadata, round(float(match.score), 5))
            for key, change in self._recent.items():
                if change.row is not None and holds(metadata_of(change.row["data"]), where):
                    score = sum(a * b for a, b in zip(vector, change.vector, strict=True))
                    hits[key] = _row(change.row, round(score, 5))
        near = [row for row in hits.values() if row.score >= self.embedder.floor]
        return sorted(near, key=lambda row: -row.score)[:k]

    def clear(self) -> int:
        """Delete every row of this namespace. Return the number of rows that Pinecone showed."""
        with self._faults():
            keys = self._all().keys()
            if self._data is not None:
                self._delete(delete_all=True)
            self._recent |= dict.fromkeys([*self._recent, *keys], _Change(time.time(), None))
        return len(keys)

    def get_stats(self) -> Json:
        """Return the protocol's figures. The number of rows is Pinecone's, some seconds late."""
        with self._faults():
            answer = self._data.describe_index_stats() if self._data is not None else None
        namespaces = {name: space.vector_count for name, space in sorted(answer.namespaces.items())} if answer else {}
        return self._stats(namespaces, index=self._name)

    # ------------------------------------------------------------ by id and metadata

    def rows(self, **metadata: str) -> list[MemoryRecord]:
        """Return all rows whose metadata has these values, oldest first. This reads the whole namespace."""
        with self._faults():
            return [_row(row) for row in self._all().values() if holds(metadata_of(row["data"]), metadata)]

    def fetch(self, id: str) -> MemoryRecord | None:
        with self._faults():
            data = self._fetch([_key(id)])
        return _row(data[_key(id)]) if data else None

    def delete(self, id: str) -> bool:
        """Delete one row. Return False if no row has this id."""
        key = _key(id)
        with self._faults():
            if not self._fetch([key]):
                return False
            if self._data is not None:
                self._delete(ids=[key])
            self._recent[key] = _Change(time.time(), None)
        return True

    def reembed(self) -> int:
        """Embed the rows of another embedder of the same dimension anew. Return their number. It can be repeated."""
        with self._faults():
            other = [row for row in self._all().values() if row["embedder"] != self.embedder.name]
        self._write([(row["id"], row["text"], row["data"], row["t"]) for row in other])
        return len(other)

    def close(self) -> None:
        """Close the connections. Later calls raise MemoryFault, except a second `close`."""
        with self._lock:
            if not self._closed:
                self._closed = True
                for connection in (self._data, self._client):
                    if connection is not None:
                        connection.close()

    # ------------------------------------------------------------ writing

    def _insert(self, rows: Sequence[tuple[str, str, str]], *, fresh: bool = False) -> int:
        """Insert rows of id, text and metadata. `fresh` ids are new, so Pinecone is not asked for them."""
        with self._faults():
            self._find_or_make()
            existing = {} if fresh else self._fetch([_key(id) for id, _, _ in rows])
        new = [(*row, time.time()) for row in rows if _key(row[0]) not in existing]
        self._write(new)
        return len(new)

    def _write(self, rows: Sequence[tuple[str, str, str, float]]) -> None:
        """Write rows in batches. A row that is too long is refused before the first one is written."""
        records = [self._metadata(*row) for row in rows]
        texts = [record["text"] for record in records]
        vectors = [_floats(vector) for vector in self.embedder.embed(texts)] if records else []
        for batch in _batches(list(zip(records, vectors, strict=True))):
            with self._faults():
                self._find_or_make()
                values = [{"id": _key(data["id"]), "values": list(v), "metadata": data} for data, v in batch]
                self._data.upsert(vectors=values, namespace=self.namespace)
                for data, vector in batch:
                    self._recent[_key(data["id"])] = _Change(time.time(), data, vector)

    def _metadata(self, id: str, text: str, data: str, at: float) -> Json:
        """Return what Pinecone stores beside a vector. Texts and numbers of the metadata get keys for the filter."""
        record: Json = {"id": id, "text": text, "data": data, "embedder": self.embedder.name, "t": at}
        record |= {
            _filter_key(key): _comparable(value) for key, value in json.loads(data).items() if isinstance(value, _PLAIN)
        }
        size = len(json.dumps(record, ensure_ascii=False).encode("utf-8", "replace"))
        if size > MOST_METADATA:
            limit = f"{size:,} bytes and Pinecone stores {MOST_METADATA:,} beside a vector"
            raise MemoryFault(f"this row has {limit}: shorten it, or write it to a file")
        return record

    # ------------------------------------------------------------ reading

    def _all(self) -> dict[str, Json]:
        """Return key and metadata of every row, the oldest first. The changes of this process are included."""
        keys: list[str] = []
        if self._data is not None:
            for page in self._data.list(namespace=self.namespace, limit=_FETCH):
                keys += [vector.id for vector in page.vectors]
        rows = self._fetch(list(dict.fromkeys([*keys, *self._recent])))
        return dict(sorted(rows.items(), key=lambda item: item[1]["t"]))

    def _fetch(self, keys: Sequence[str]) -> dict[str, Json]:
        """Return the metadata of the rows that exist, by key."""
        self._drop_settled()
        rows: dict[str, Json] = {}
        for start in range(0, len(keys) if self._data is not None else 0, _FETCH):
            answer = self._data.fetch(ids=list(keys[start : start + _FETCH]), namespace=self.namespace)
            for key, item in answer.vectors.items():
                if not self._is_stale(key, item.metadata):
                    rows[key] = item.metadata
        for key in keys:
            change = self._recent.get(key)
            if change is not None and change.row is not None:
                rows[key] = change.row
        return rows

    def _is_stale(self, key: str, metadata: Any) -> bool:
        """Return whether this row was deleted or rewritten by this process, or is not autocraft's."""
        if not isinstance(metadata, Mapping) or not isinstance(metadata.get("t"), (int, float)):
            return True
        if not all(isinstance(metadata.get(name), str) for name in ("id", "text", "data", "embedder")):
            return True
        return key in self._recent

    def _drop_settled(self) -> None:
        oldest = time.time() - _SETTLED
        self._recent = {key: change for key, change in self._recent.items() if change.at > oldest}

    # ------------------------------------------------------------ the index

    def _find(self) -> bool:
        """Connect to the index. Return False if there is none. Raises MemoryFault if its dimension does not fit."""
        try:
            index = self._client.describe_index(self._name)
        except NotFoundError:
            return False
        if index.dimension != self.embedder.dimension:
            raise MemoryFault(
                f"the Pinecone index {self._name!r} has {index.dimension} dimensions and the embedder "
                f"{self.embedder.name} makes {self.embedder.dimension}: set MEMORY_PINECONE_INDEX to another name, "
                "which is then created, or MEMORY_EMBEDDER to the embedder of the index"
            )
        self._data = self._client.Index(host=index.host)
        return True

    def _find_or_make(self) -> None:
        if self._data is not None or self._find():
            return
        spec = ServerlessSpec(cloud=self._cloud, region=self._region)
        with suppress(ConflictError):  # another process was faster
            self._client.create_index(
                name=self._name, dimension=self.embedder.dimension, metric="cosine", spec=spec, timeout=120
            )
        if not self._find():
            raise MemoryFault(f"the Pinecone index {self._name!r} was created but is not ready; try again in a minute")

    def _delete(self, **what: Any) -> None:
        """Delete rows. Ignore Pinecone's answer 404, which it gives for a namespace that never had a row."""
        with suppress(NotFoundError):
            self._data.delete(namespace=self.namespace, **what)

    @contextmanager
    def _faults(self) -> Iterator[None]:
        """Let one thread in at a time."""
        with self._plain_faults(), self._lock:
            if self._closed:
                raise MemoryFault(f"the memory in Pinecone's {self._name!r} was closed; open it again")
            yield

    @contextmanager
    def _plain_faults(self) -> Iterator[None]:
        """Turn the SDK's errors into MemoryFault."""
        try:
            yield
        except PineconeError as error:
            raise MemoryFault(f"Pinecone's {self._name!r}: {_what_now(error)}") from None


def _batches(rows: list[tuple[Json, tuple[float, ...]]]) -> Iterator[list[tuple[Json, tuple[float, ...]]]]:
    """Yield rows in groups that fit into one request."""
    batch: list[tuple[Json, tuple[float, ...]]] = []
    size = 0
    for data, vector in rows:
        bytes_ = len(json.dumps(data)) + 24 * len(vector) + 100
        if batch and (size + bytes_ > MOST_UPSERT or len(batch) == MOST_VECTORS):
            yield batch
            batch, size = [], 0
        batch.append((data, vector))
        size += bytes_
    if batch:
        yield batch


def _key(id: str) -> str:
    """Return Pinecone's id for `id`. Pinecone needs short plain ASCII, and `id` may be any text."""
    return hashlib.blake2b(valid_text(id).encode(), digest_size=16).hexdigest()


def _filter_key(name: str) -> str:
    """Return the key under which Pinecone can filter by a text of the metadata."""
    return f"m_{valid_text(name)}"


def _comparable(value: object) -> str | int | float:
    """Return a value as Pinecone compares it. Raises MemoryFault for a type that it cannot compare."""
    if not isinstance(value, _PLAIN):
        raise MemoryFault(f"Pinecone filters by texts and numbers, and this is {type(value).__name__}")
    return valid_text(value) if isinstance(value, str) else value


def _floats(vector: bytes) -> tuple[float, ...]:
    """Unpack a vector. Pinecone refuses zeros, which a text without words has, so they become a vector that is near to
    no text."""
    values = struct.unpack(f"<{len(vector) // 4}f", vector)
    return values if any(values) else tuple(len(values) ** -0.5 * (-1) ** at for at in range(len(values)))


def _row(metadata: Mapping[str, Any], score: float = 0.0) -> MemoryRecord:
    return MemoryRecord(str(metadata["id"]), str(metadata["text"]), metadata_of(metadata["data"]), score)


def _what_now(error: Exception) -> str:
    status = getattr(error, "status_code", None)
    reason = " ".join(str(error).split())[:300]
    if status in (401, 403):
        return f"the key is refused: {reason}; check PINECONE_API_KEY"
    if status == 402:
        return f"the plan is used up: {reason}; see the account, or set MEMORY_BACKEND=local"
    if status == 429:
        return f"too many requests, also after waiting: {reason}; try again later"
    if status is not None and status < 500:
        return f"the request was refused: {reason}; check MEMORY_PINECONE_INDEX, or set MEMORY_BACKEND=local"
    return f"cannot be reached: {reason}; try again, or set MEMORY_BACKEND=local (no stored row is lost)"
