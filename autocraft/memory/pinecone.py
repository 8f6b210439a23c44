"""Memory in a serverless Pinecone index, through the official SDK.

The index is made at the first row, with the embedder's dimension. Pinecone shows a row some seconds after it took
it: what this process wrote or deleted is remembered here for so long, so that it always finds its own rows.
Limits (docs.pinecone.io): 1,000 vectors or 2 MB an upsert, 40 KB of metadata a vector, 10,000 results a query, of which
1,000 with their metadata.
"""

from __future__ import annotations

import hashlib
import json
import struct
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from autocraft.errors import MemoryFault, UsageError
from autocraft.memory.embed import Embedder, open_embedder
from autocraft.memory.rows import DEFAULT, Store, checked_namespace, holds, metadata_of, whole
from autocraft.protocols import Json, Recollection

INDEX = "autocraft"
MOST_METADATA = 40_000
MOST_UPSERT = 1_900_000
"""Bytes of a request, some below the 2 MB that are allowed."""
MOST_VECTORS = 1_000
MOST_RESULTS = 1_000
_FETCHED = 100
_PLAIN = (str, int, float)
_SETTLED = 120.0
"""Seconds after which Pinecone is trusted to show what was written."""


@dataclass(frozen=True)
class _Written:
    """What this process did to a row: wrote it, or deleted it where `row` is None."""

    at: float
    row: Recollection | None
    vector: tuple[float, ...] = ()


class PineconeMemory(Store):
    """The rows of one `namespace` of an `index`. `host` is for tests and private endpoints.

    `add_many` writes in batches: interrupted, a part may be there, and repeating it adds the rest. Every method may
    raise MemoryFault; the SDK repeats what failed for a moment.
    """

    name = "pinecone"

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
        self.namespace = checked_namespace(namespace)
        self.embedder: Embedder = embedder or open_embedder()
        self.notice = ""
        self._name, self._cloud, self._region = index or INDEX, cloud, region
        self._lock = threading.RLock()
        self._recent: dict[str, _Written] = {}
        self._cleared = 0.0
        self._closed = False
        self._data: Any = None
        with self._plain_faults():
            from pinecone import Pinecone

            self._client: Any = Pinecone(api_key=api_key, host=host or None, timeout=timeout)
            self._find()

    # ------------------------------------------------------------ Auto-GPT's five; `add` and `get` are the Store's

    def get_relevant(
        self, text: str, k: int = 5, *, where: Mapping[str, str] | None = None, exact: bool = False
    ) -> list[Recollection]:
        """Up to `k` rows (1,000 at most) that are near, the nearest first; `exact` is Pinecone's own affair."""
        if k < 1:
            return []
        where = where or {}
        vector = _floats(self.embedder.embed([whole(text)])[0])
        wanted = {"embedder": {"$eq": self.embedder.name}} | {
            _filterable(key): {"$eq": _wanted(value)} for key, value in where.items()
        }
        found: dict[str, Recollection] = {}
        with self._guarded():
            self._forget_settled()
            if self._data is not None:
                answer = self._data.query(
                    vector=list(vector),
                    top_k=min(MOST_RESULTS, k + len(self._recent)),
                    namespace=self.namespace,
                    filter=wanted,
                    include_metadata=True,
                )
                for match in answer.matches:
                    if not self._is_stale(match.id, match.metadata):
                        found[match.id] = _row(match.metadata, round(float(match.score), 5))
            for key, written in self._recent.items():
                if written.row is not None and holds(written.row.metadata, where):
                    score = sum(a * b for a, b in zip(vector, written.vector, strict=True))
                    found[key] = _scored(written.row, round(score, 5))
        near = [row for row in found.values() if row.score >= self.embedder.floor]
        return sorted(near, key=lambda row: -row.score)[:k]

    def clear(self) -> int:
        """Delete every row of this namespace; returns how many there were, as far as Pinecone knows."""
        with self._guarded():
            count = len(self._all())
            if self._data is not None:
                self._absent_is_fine(lambda: self._data.delete(delete_all=True, namespace=self.namespace))
            self._recent.clear()
            self._cleared = time.time()
        return count

    def get_stats(self) -> Json:
        """`rows` as Pinecone counts them, some seconds late."""
        with self._guarded():
            told = self._data.describe_index_stats() if self._data is not None else None
        namespaces = {name: each.vector_count for name, each in sorted(told.namespaces.items())} if told else {}
        return self._stats(namespaces, index=self._name)

    # ------------------------------------------------------------ by id and metadata

    def rows(self, **metadata: str) -> list[Recollection]:
        """All rows whose metadata holds these values, oldest first. Reads the whole namespace."""
        with self._guarded():
            return [_row(each) for each in self._all().values() if holds(metadata_of(each["data"]), metadata)]

    def fetch(self, id: str) -> Recollection | None:
        with self._guarded():
            found = self._fetched([_key(id)])
        return _row(found[_key(id)]) if found else None

    def delete(self, id: str) -> bool:
        """Forget one row; False when there is none of this id."""
        key = _key(id)
        with self._guarded():
            if not self._fetched([key]):
                return False
            if self._data is not None:
                self._absent_is_fine(lambda: self._data.delete(ids=[key], namespace=self.namespace))
            self._recent[key] = _Written(time.time(), None)
        return True

    def reembed(self) -> int:
        """Give the rows of another embedder (of the same dimension) vectors of ours; it can be repeated."""
        with self._guarded():
            other = [each for each in self._all().values() if each["embedder"] != self.embedder.name]
        self._write([(each["id"], each["text"], each["data"], each["t"]) for each in other])
        return len(other)

    def close(self) -> None:
        """Later calls raise MemoryFault; closing twice is fine."""
        with self._lock:
            if not self._closed:
                self._closed = True
                for each in (self._data, self._client):
                    if each is not None and hasattr(each, "close"):
                        each.close()

    # ------------------------------------------------------------ writing

    def _insert(self, rows: Sequence[tuple[str, str, str]], *, fresh: bool = False) -> int:
        """Keep ids with text and metadata; `fresh` ids were made here and cannot be known."""
        with self._guarded():
            self._find_or_make()
            known = {} if fresh else self._fetched([_key(id) for id, _, _ in rows])
        new = [(*row, time.time()) for row in rows if _key(row[0]) not in known]
        self._write(new)
        return len(new)

    def _write(self, rows: Sequence[tuple[str, str, str, float]]) -> None:
        made = [self._metadata(*row) for row in rows]  # a row that is too long is refused before any is written
        vectors = [_floats(vector) for vector in self.embedder.embed([each["text"] for each in made])] if made else []
        for batch in _batches(list(zip(made, vectors, strict=True))):
            with self._guarded():
                self._find_or_make()
                values = [{"id": _key(data["id"]), "values": list(v), "metadata": data} for data, v in batch]
                self._data.upsert(vectors=values, namespace=self.namespace)
                for data, vector in batch:
                    self._recent[_key(data["id"])] = _Written(time.time(), _row(data), vector)

    def _metadata(self, id: str, text: str, data: str, at: float) -> Json:
        """What Pinecone keeps beside a vector; texts and numbers of metadata stand alone too, to be filtered by."""
        kept: Json = {"id": id, "text": text, "data": data, "embedder": self.embedder.name, "t": at}
        kept |= {
            _filterable(key): _wanted(value) for key, value in json.loads(data).items() if isinstance(value, _PLAIN)
        }
        size = len(json.dumps(kept, ensure_ascii=False).encode("utf-8", "replace"))
        if size > MOST_METADATA:
            raise MemoryFault(
                f"this row has {size:,} bytes and Pinecone keeps {MOST_METADATA:,} beside a vector: "
                "shorten it, or write it to a file"
            )
        return kept

    # ------------------------------------------------------------ reading

    def _all(self) -> dict[str, Json]:
        """Key and metadata of every row, oldest first, ours included."""
        keys: list[str] = []
        if self._data is not None:
            for page in self._data.list(namespace=self.namespace, limit=_FETCHED):
                keys += [each.id for each in page.vectors]
        keys += [key for key in self._recent if key not in keys]
        found = self._fetched(keys)
        return dict(sorted(found.items(), key=lambda item: item[1]["t"]))

    def _fetched(self, keys: Sequence[str]) -> dict[str, Json]:
        """The metadata of those that there are, by key."""
        self._forget_settled()
        found: dict[str, Json] = {}
        for start in range(0, len(keys) if self._data is not None else 0, _FETCHED):
            answer = self._data.fetch(ids=list(keys[start : start + _FETCHED]), namespace=self.namespace)
            for key, each in answer.vectors.items():
                if not self._is_stale(key, each.metadata):
                    found[key] = each.metadata
        for key in keys:
            written = self._recent.get(key)
            if written is not None and written.row is not None:
                row = written.row
                data = json.dumps(row.metadata)
                found[key] = {"id": row.id, "text": row.text, "data": data, "t": written.at}
                found[key]["embedder"] = self.embedder.name
        return found

    def _is_stale(self, key: str, metadata: Any) -> bool:
        """Whether Pinecone shows what this process has deleted or written anew, or a row that is none of ours."""
        if not isinstance(metadata, Mapping) or not isinstance(metadata.get("t"), (int, float)):
            return True
        if not all(isinstance(metadata.get(name), str) for name in ("id", "text", "data", "embedder")):
            return True
        return key in self._recent or float(metadata["t"]) <= self._cleared

    def _forget_settled(self) -> None:
        long_ago = time.time() - _SETTLED
        self._recent = {key: written for key, written in self._recent.items() if written.at > long_ago}

    # ------------------------------------------------------------ the index

    def _find(self) -> bool:
        """Look for the index and connect to it. Raises MemoryFault where its dimension is another."""
        from pinecone.errors.exceptions import NotFoundError

        try:
            told = self._client.describe_index(self._name)
        except NotFoundError:
            return False
        if told.dimension != self.embedder.dimension:
            raise MemoryFault(
                f"the Pinecone index {self._name!r} has {told.dimension} dimensions and the embedder "
                f"{self.embedder.name} makes {self.embedder.dimension}: set MEMORY_PINECONE_INDEX to another name, "
                "which is then made, or MEMORY_EMBEDDER to what the index was made with"
            )
        self._data = self._client.Index(host=told.host)
        return True

    def _find_or_make(self) -> None:
        from pinecone import ServerlessSpec
        from pinecone.errors.exceptions import ConflictError

        if self._data is not None or self._find():
            return
        spec = ServerlessSpec(cloud=self._cloud, region=self._region)
        with suppress(ConflictError):  # another process was faster
            self._client.create_index(
                name=self._name, dimension=self.embedder.dimension, metric="cosine", spec=spec, timeout=120
            )
        if not self._find():
            raise MemoryFault(f"the Pinecone index {self._name!r} was made but is not there yet; try again in a minute")

    def _absent_is_fine(self, act: Callable[[], object]) -> None:
        """Pinecone answers 404 for a namespace in which there never was a row."""
        from pinecone.errors.exceptions import NotFoundError

        with suppress(NotFoundError):
            act()

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        """For one thread at a time."""
        with self._plain_faults(), self._lock:
            if self._closed:
                raise MemoryFault(f"the memory in Pinecone's {self._name!r} was closed; open it again")
            yield

    @contextmanager
    def _plain_faults(self) -> Iterator[None]:
        """What the SDK says, as one line of ours."""
        try:
            from pinecone.errors.exceptions import PineconeError
        except ImportError:
            raise UsageError("the memory pinecone needs the package pinecone: pip install 'pinecone>=10,<11'") from None
        try:
            yield
        except PineconeError as error:
            raise MemoryFault(f"Pinecone's {self._name!r}: {_what_now(error)}") from None


def _batches(rows: list[tuple[Json, tuple[float, ...]]]) -> Iterator[list[tuple[Json, tuple[float, ...]]]]:
    """Rows in groups that fit into one request."""
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
    """Pinecone's ids are plain ASCII of limited length; ours are any text."""
    return hashlib.blake2b(whole(id).encode(), digest_size=16).hexdigest()


def _filterable(name: str) -> str:
    """Under what name a text of the metadata stands alone."""
    return f"m_{whole(name)}"


def _wanted(value: object) -> str | int | float:
    """A value as Pinecone compares it. Raises MemoryFault for one that it cannot."""
    if not isinstance(value, _PLAIN):
        raise MemoryFault(f"Pinecone filters by texts and numbers, and this is {type(value).__name__}")
    return whole(value) if isinstance(value, str) else value


def _floats(vector: bytes) -> tuple[float, ...]:
    """Pinecone refuses a vector of zeros, which stands for a text without words: it gets one near to nothing."""
    values = struct.unpack(f"<{len(vector) // 4}f", vector)
    return values if any(values) else tuple(len(values) ** -0.5 * (-1) ** at for at in range(len(values)))


def _row(metadata: Mapping[str, Any], score: float = 0.0) -> Recollection:
    return Recollection(str(metadata["id"]), str(metadata["text"]), metadata_of(metadata["data"]), score)


def _scored(row: Recollection, score: float) -> Recollection:
    return Recollection(row.id, row.text, row.metadata, score)


def _what_now(error: Exception) -> str:
    status = getattr(error, "status_code", None)
    said = " ".join(str(error).split())[:300]
    if status in (401, 403):
        return f"the key is refused: {said}; check PINECONE_API_KEY"
    if status == 402:
        return f"the plan is used up: {said}; see the account, or set MEMORY_BACKEND=local"
    if status == 429:
        return f"too many requests, also after waiting: {said}; try again later"
    if status is not None and status < 500:
        return f"the request was refused: {said}; check MEMORY_PINECONE_INDEX, or set MEMORY_BACKEND=local"
    return f"cannot be reached: {said}; try again, or set MEMORY_BACKEND=local (nothing kept is lost)"
