"""Checks and conversions of a row that every store does before it stores it."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from autocraft.errors import MemoryFault
from autocraft.protocols import Json, MemoryRecord

DEFAULT = "default"
"""The namespace if none is named."""
LONGEST_NAME = 200


def valid_text(text: str) -> str:
    """Return the text without lone surrogates, which UTF-8 cannot hold. Raises MemoryFault if it is not a str."""
    if not isinstance(text, str):
        raise MemoryFault(f"memory keeps and finds text, and this is {type(text).__name__}; give a str")
    return text.encode("utf-8", "replace").decode("utf-8")


def check_namespace(name: str) -> str:
    """Return the name of a namespace. Raises MemoryFault for one that no store could hold."""
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
        raise MemoryFault(f"this metadata cannot be kept: {error}; use plain JSON values") from None


def metadata_of(text: str) -> Json:
    """Return metadata from a store's JSON, empty if damage has made it unreadable."""
    try:
        data = json.loads(text)
    except (TypeError, ValueError, RecursionError):
        return {}
    return data if isinstance(data, dict) else {}


def prepare(rows: Iterable[MemoryRecord]) -> list[tuple[str, str, str]]:
    """Return id, text and metadata of each row, checked. Of several rows with one id only the first is returned."""
    unique: dict[str, tuple[str, str, str]] = {}
    for row in rows:
        id = valid_text(row.id) or secrets.token_hex(16)
        unique.setdefault(id, (id, valid_text(row.text), metadata_text(row.metadata)))
    return list(unique.values())


class Store:
    """Auto-GPT's `add` and `get`, for a store that can insert rows and find near ones."""

    def _insert(self, rows: list[tuple[str, str, str]]) -> int:
        """Insert rows that `prepared` returned, all or none. Return how many were new."""
        raise NotImplementedError

    def get_relevant(
        self, text: str, k: int = 5, *, where: Mapping[str, str] | None = None, exact: bool = False
    ) -> list[MemoryRecord]:
        raise NotImplementedError

    def add(self, text: str, *, id: str | None = None, metadata: Json | None = None) -> str:
        """Store `text` and return its id. A row with this id that exists already is not changed."""
        rows = prepare([MemoryRecord(id or "", text, metadata or {})])
        self._insert(rows)
        return rows[0][0]

    def add_many(self, rows: Sequence[MemoryRecord]) -> int:
        """Store all rows in one transaction. Return how many were new."""
        return self._insert(prepare(rows))

    def get(self, text: str) -> list[MemoryRecord]:
        """Return the nearest row in a list, or an empty list."""
        return self.get_relevant(text, 1)


def holds(metadata: Mapping[str, object], condition: Mapping[str, object]) -> bool:
    """Return whether the metadata has all the values of `condition`."""
    return all(key in metadata and metadata[key] == value for key, value in condition.items())
