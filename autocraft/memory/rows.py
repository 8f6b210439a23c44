"""What every store does with a row before it keeps it. Neighbours: `local.py`, `postgres.py`, `pinecone.py`."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable, Mapping

from autocraft.errors import MemoryFault
from autocraft.protocols import Json, Recollection

DEFAULT = "default"
"""The namespace where none is named."""
LONGEST_NAME = 200


def whole(text: str) -> str:
    """Without half characters, which UTF-8 cannot hold."""
    return text.encode("utf-8", "replace").decode("utf-8")


def checked_namespace(name: str) -> str:
    """Raises MemoryFault for a name that no store could hold."""
    if not name.strip() or len(name) > LONGEST_NAME or not name.isprintable():
        raise MemoryFault(f"a namespace has 1 to {LONGEST_NAME} plain characters; {name[:40]!r} is none")
    return whole(name)


def metadata_text(metadata: Json | None) -> str:
    """Metadata as JSON. Raises MemoryFault when it is no plain JSON."""
    try:
        return json.dumps(metadata or {}, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise MemoryFault(f"this metadata cannot be kept: {error}; use plain JSON values") from None


def prepared(rows: Iterable[Recollection]) -> list[tuple[str, str, str]]:
    """Id, text and metadata of each row, fit to be kept; of rows of one id the first."""
    found: dict[str, tuple[str, str, str]] = {}
    for row in rows:
        id = whole(row.id) or secrets.token_hex(16)
        found.setdefault(id, (id, whole(row.text), metadata_text(row.metadata)))
    return list(found.values())


def holds(metadata: Mapping[str, object], wanted: Mapping[str, str]) -> bool:
    """Whether metadata has all the values that are wanted."""
    return all(metadata.get(key) == value for key, value in wanted.items())
