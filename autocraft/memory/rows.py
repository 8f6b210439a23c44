"""What all stores have in common: the checks and conversions of a row, and the base class `Store`."""

from __future__ import annotations

import json
import secrets
from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from autocraft.errors import MemoryFault
from autocraft.memory.embed import Embedder
from autocraft.protocols import Json, Memory, MemoryRecord

DEFAULT = "default"
"""The namespace if none is named."""
LONGEST_NAME = 200
BATCH = 500
"""Rows that are embedded at once."""


def valid_text(text: str) -> str:
    """Return the text without lone surrogates, which UTF-8 cannot hold. Raises MemoryFault if it is not a str."""
    if not isinstance(text, str):
        raise MemoryFault(f"memory stores and finds text, and this is {type(text).__name__}; give a str")
    return text.encode("utf-8", "replace").decode("utf-8")


def check_namespace(name: str) -> str:
    """Return the name of a namespace. Raises MemoryFault if not every store could have it."""
    name = valid_text(name)
    if not name.strip() or len(name) > LONGEST_NAME or not name.isprintable():
        raise MemoryFault(f"a namespace has 1 to {LONGEST_NAME} plain characters, unlike {name[:40]!r}; choose another")
    return name


def metadata_text(metadata: Mapping[str, Any] | None) -> str:
    """Return metadata as JSON. Raises MemoryFault if it is not a plain JSON object."""
    if metadata is not None and not isinstance(metadata, Mapping):
        raise MemoryFault(f"metadata is an object such as {{'kind': 'note'}}, and this is {type(metadata).__name__}")
    try:
        return json.dumps(dict(metadata or {}), allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise MemoryFault(f"this metadata cannot be stored: {error}; use plain JSON values") from None


def metadata_of(text: str) -> Json:
    """Parse metadata from a store's JSON. Return {} if it is damaged."""
    try:
        data = json.loads(text)
    except (TypeError, ValueError, RecursionError):
        return {}
    return data if isinstance(data, dict) else {}


def prepare(rows: Iterable[MemoryRecord]) -> list[tuple[str, str, str]]:
    """Return id, text and metadata of each row. Of several rows with one id, only the first. Raises MemoryFault."""
    unique: dict[str, tuple[str, str, str]] = {}
    for row in rows:
        id = valid_text(row.id) or secrets.token_hex(16)
        unique.setdefault(id, (id, valid_text(row.text), metadata_text(row.metadata)))
    return list(unique.values())


class Store(Memory):
    """The methods that all stores have in common, such as Auto-GPT's `add` and `get`."""

    namespace: str
    embedder: Embedder

    @abstractmethod
    def _insert(self, rows: list[tuple[str, str, str]], *, fresh: bool = False) -> int:
        """Insert what `prepare` returned. Return how many were new. `fresh` ids are certainly new."""

    def add(self, text: str, *, id: str | None = None, metadata: Json | None = None) -> str:
        """Store `text` and return its id. An existing row with this id stays."""
        rows = prepare([MemoryRecord(id or "", text, metadata or {})])
        self._insert(rows, fresh=not id)
        return rows[0][0]

    def add_many(self, rows: Sequence[MemoryRecord]) -> int:
        """Store all rows, in one transaction if the store has transactions. Return how many were new."""
        return self._insert(prepare(rows), fresh=all(not row.id for row in rows))

    @property
    def _space(self) -> tuple[str, str, int]:
        """Return the namespace, embedder and dimension of the rows that can be searched."""
        return self.namespace, self.embedder.name, self.embedder.dimension

    def _embedded(self, rows: Sequence[tuple[str, str, str]]) -> list[bytes]:
        """Return the vector of each row, some hundred at a time."""
        texts = [text for _, text, _ in rows]
        batches = [self.embedder.embed(texts[start : start + BATCH]) for start in range(0, len(texts), BATCH)]
        return [vector for batch in batches for vector in batch]

    def _stats(self, namespaces: Mapping[str, int], **more: object) -> Json:
        """Return the figures of `get_stats`, with `more` that only some stores have."""
        rows = namespaces.get(self.namespace, 0)
        namespace, embedder, dimension = self._space
        facts = {"backend": self.name, "rows": rows, "embedder": embedder, "dimension": dimension}
        return facts | {"namespace": namespace, "namespaces": dict(namespaces)} | more


def holds(metadata: Mapping[str, object], condition: Mapping[str, object]) -> bool:
    """Return whether the metadata has all the values of `condition`."""
    return all(key in metadata and metadata[key] == value for key, value in condition.items())
