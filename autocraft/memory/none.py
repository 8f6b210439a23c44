"""The memory that stores nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from autocraft.memory.rows import Store
from autocraft.protocols import Json, MemoryRecord


class NoMemory(Store):
    """Stores nothing. It accepts the options of all stores, so that memory can be switched off by its name alone."""

    name = "none"
    remembers = False
    notice = ""

    def __init__(self, **options: Any) -> None:
        pass

    def _insert(self, rows: list[tuple[str, str, str]], *, fresh: bool = False) -> int:
        return 0

    def get_relevant(
        self, text: str, k: int = 5, *, where: Mapping[str, str] | None = None, exact: bool = False
    ) -> list[MemoryRecord]:
        return []

    def rows(self, **metadata: str) -> list[MemoryRecord]:
        return []

    def fetch(self, id: str) -> MemoryRecord | None:
        return None

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
