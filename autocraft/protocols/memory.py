"""Memory: rows of text that are found by their nearness."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from autocraft.protocols.values import Json


class MemoryRecord(NamedTuple):
    """One row of memory. `score` is its nearness to the query, 1.0 for the same text."""

    id: str
    text: str
    metadata: Json
    score: float = 0.0


class Memory(Protocol):
    """Auto-GPT's memory interface, with ids, namespaces and metadata. It is synchronous: call it in a thread.

    A subclass sets `name`, and defines `add_many`, `get_relevant`, `rows`, `delete` and `clear`.

    Every method sees only the namespace that the memory was opened with, and may raise MemoryFault.
    """

    name: str
    remembers: bool = True
    """Whether it stores the rows that are added."""
    notice: str = ""
    """A message about the opening for the person, such as a damaged store that was set aside. Mostly empty."""

    def add(self, text: str, *, id: str | None = None, metadata: Json | None = None) -> str:
        """Store `text` and return its id. From then on it survives kill -9. An existing row with this id stays."""
        id = id or secrets.token_hex(16)
        self.add_many([MemoryRecord(id, text, metadata or {})])
        return id

    def add_many(self, rows: Sequence[MemoryRecord]) -> int:
        """Store rows, all or none if the store can do that. Return how many were new. An empty id gets a new one."""
        ...

    def get(self, text: str) -> list[MemoryRecord]:
        """Return the nearest row in a list, or an empty list."""
        return self.get_relevant(text, 1)

    def get_relevant(
        self, text: str, k: int = 5, *, where: Mapping[str, str] | None = None, exact: bool = False
    ) -> list[MemoryRecord]:
        """Return up to `k` near rows, the nearest first. They must have the metadata `where`. `exact` forbids
        approximate search."""
        ...

    def rows(self, **metadata: str) -> list[MemoryRecord]:
        """Return all rows whose metadata has these values, oldest first."""
        ...

    def fetch(self, id: str) -> MemoryRecord | None:
        """Return the row with this id. Return None if there is none."""
        return next((row for row in self.rows() if row.id == id), None)

    def has(self, id: str) -> bool:
        """Tell whether a row has this id."""
        return self.fetch(id) is not None

    def delete(self, id: str) -> bool:
        """Delete one row. Return False if no row has this id."""
        ...

    def clear(self) -> int: ...

    def reembed(self) -> int:
        """Embed the rows of another embedder anew, so that they can be found. Return their number."""
        return 0

    def get_stats(self) -> Json:
        """Return at least rows, backend, embedder, dimension, namespace and, by name, the rows of all namespaces."""
        rows = len(self.rows())
        facts = {"backend": self.name, "rows": rows, "embedder": "none", "dimension": 0}
        return facts | {"namespace": "", "namespaces": {"": rows}}

    def close(self) -> None:
        """Release what it holds."""
        return
