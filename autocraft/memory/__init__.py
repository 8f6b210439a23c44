"""Long-term memory: rows of text that outlive a run and are found again by nearness.

`open_memory` opens a store. `local.py` stores the rows in SQLite (`database.py`, `backup.py`) and searches them in a
matrix (`matrix.py`). `postgres.py` and `pinecone.py` store them on servers, `none.py` stores nothing. `embed.py` opens
the embedder that turns text into vectors: `minilm.py`, `lexical.py` or `endpoint.py`. Nothing is ever wiped implicitly.
"""

from __future__ import annotations

import inspect
from typing import Any

from autocraft import extensions
from autocraft.errors import UsageError
from autocraft.protocols import Memory


def remembers(backend: str) -> bool:
    """Return whether the memory `backend` stores the rows that are added to it."""
    return backend != "none"


def keeps_files(backend: str) -> bool:
    """Return whether the memory `backend` stores its rows in files on this machine."""
    return backend == "local"


def open_memory(backend: str, **options: Any) -> Memory:
    """Open the memory `backend` with its options, as in ``open_memory("local", path=folder)``.

    All backends except `none` take a namespace, and an embedder: an object, or a name for `open_embedder`. Raises
    UsageError for an unknown backend or option, MemoryFault if the store cannot be opened.
    """
    store = extensions.load("memory", str(backend))
    try:
        inspect.signature(store).bind(**options)
    except TypeError as error:
        raise UsageError(f"the memory {backend!r} cannot be opened: {error}; check its options") from None
    if backend != "none" and isinstance(options.get("embedder"), str):
        from autocraft.memory.embed import open_embedder

        options["embedder"] = open_embedder(options["embedder"])
    memory: Memory = store(**options)
    return memory
