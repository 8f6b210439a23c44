"""The memory that stores nothing."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from typing import Any

from autocraft.protocols import Json, MemoryRecord


class NoMemory:
    """Stores nothing. It accepts the options of all stores, so that memory can be switched off by its name alone."""

    name = "none"
    remembers = False
    notice = ""

    def __init__(self, **options: Any) -> None:
        pass

    def add(self, text: str, *, id: str | None = None, metadata: Json | None = None) -> str:
        return id or secrets.token_hex(16)

    def add_many(self, rows: Sequence[MemoryRecord]) -> int:
        return 0

    def get(self, text: str) -> list[MemoryRecord]:
        return []

    def get_relevant(
        self, text: str, k: int = 5, *, where: Mapping[str, str] | None = None, exact: bool = False
    ) -> list[MemoryRecord]:
        return []

    def rows(self, **metadata: str) -> list[MemoryRecord]:
        return []

    def fetch(self, id: str) -> MemoryRecord | None:
        return None

    def has(self, id: str) -> bool:
        return False

    def delete(self, id: str) -> bool:
        return False

    def clear(self) -> int:
        return 0

    def reembed(self) -> int:
        return 0

    def get_stats(self) -> Json:
        return {"backend": self.name, "rows": 0, "embedder": "none", "dimension": 0, "namespace": "", "namespaces": {}}

    def close(self) -> None:
        pass
