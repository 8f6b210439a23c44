"""What every store does with a row before it keeps it."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from autocraft.errors import MemoryFault
from autocraft.memory.embed import Embedder
from autocraft.protocols import Json, Recollection

DEFAULT = "default"
"""The namespace where none is named."""
LONGEST_NAME = 200
BATCH = 500
"""Rows that are embedded at once."""


def whole(text: str) -> str:
    """Without half characters, which UTF-8 cannot hold. Raises MemoryFault for what is no text."""
    if not isinstance(text, str):
        raise MemoryFault(f"memory keeps and finds text, and this is {type(text).__name__}; give a str")
    return text.encode("utf-8", "replace").decode("utf-8")


def checked_namespace(name: str) -> str:
    """Raises MemoryFault for a name that no store could hold."""
    name = whole(name)
    if not name.strip() or len(name) > LONGEST_NAME or not name.isprintable():
        raise MemoryFault(f"a namespace has 1 to {LONGEST_NAME} plain characters; {name[:40]!r} is none")
    return name


def metadata_text(metadata: Mapping[str, Any] | None) -> str:
    """Metadata as JSON. Raises MemoryFault when it is no plain JSON object."""
    if metadata is not None and not isinstance(metadata, Mapping):
        raise MemoryFault(f"metadata is an object such as {{'kind': 'note'}}, and this is {type(metadata).__name__}")
    try:
        return json.dumps(dict(metadata or {}), allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise MemoryFault(f"this metadata cannot be kept: {error}; use plain JSON values") from None


def metadata_of(text: str) -> Json:
    """Metadata out of what a store holds; empty where damage has made it unreadable."""
    try:
        found = json.loads(text)
    except (TypeError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def prepared(rows: Iterable[Recollection]) -> list[tuple[str, str, str]]:
    """Id, text and metadata of each row, fit to be kept; of rows of one id the first."""
    found: dict[str, tuple[str, str, str]] = {}
    for row in rows:
        id = whole(row.id) or secrets.token_hex(16)
        found.setdefault(id, (id, whole(row.text), metadata_text(row.metadata)))
    return list(found.values())


class Store:
    """What all stores have in common: Auto-GPT's `add` and `get`, and what a store says of itself."""

    name: str
    namespace: str
    embedder: Embedder

    def _insert(self, rows: list[tuple[str, str, str]], *, fresh: bool = False) -> int:
        """Keep what `prepared` made; return how many were new. `fresh` ids were made here, so no row has them yet."""
        raise NotImplementedError

    def get_relevant(
        self, text: str, k: int = 5, *, where: Mapping[str, str] | None = None, exact: bool = False
    ) -> list[Recollection]:
        raise NotImplementedError

    def add(self, text: str, *, id: str | None = None, metadata: Json | None = None) -> str:
        """Keep `text`; returns its id. A row of this id that is already there stays as it is."""
        rows = prepared([Recollection(id or "", text, metadata or {})])
        self._insert(rows, fresh=not id)
        return rows[0][0]

    def add_many(self, rows: Sequence[Recollection]) -> int:
        """Keep all rows, in one transaction where the store has those; return how many were new."""
        return self._insert(prepared(rows), fresh=all(not row.id for row in rows))

    def get(self, text: str) -> list[Recollection]:
        """The nearest row, or none."""
        return self.get_relevant(text, 1)

    def fetch(self, id: str) -> Recollection | None:
        raise NotImplementedError

    def has(self, id: str) -> bool:
        """Return whether there is a row of this id."""
        return self.fetch(id) is not None

    @property
    def _space(self) -> tuple[str, str, int]:
        """Namespace, embedder and dimension: which rows can be compared with ours."""
        return self.namespace, self.embedder.name, self.embedder.dimension

    def _embedded(self, rows: Sequence[tuple[str, str, str]]) -> list[bytes]:
        """Return the vector of each row, some hundred at a time."""
        texts = [text for _, text, _ in rows]
        batches = [self.embedder.embed(texts[start : start + BATCH]) for start in range(0, len(texts), BATCH)]
        return [vector for batch in batches for vector in batch]

    def _stats(self, namespaces: Mapping[str, int], **more: object) -> Json:
        """Return what every store says of itself; `more` is what only some stores know."""
        rows = namespaces.get(self.namespace, 0)
        namespace, embedder, dimension = self._space
        told = {"backend": self.name, "rows": rows, "embedder": embedder, "dimension": dimension}
        return told | {"namespace": namespace, "namespaces": dict(namespaces)} | more


def holds(metadata: Mapping[str, object], wanted: Mapping[str, object]) -> bool:
    """Whether metadata has all the values that are wanted."""
    return all(key in metadata and metadata[key] == value for key, value in wanted.items())
