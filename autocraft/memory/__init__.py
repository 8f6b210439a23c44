"""Long-term memory: rows of text that outlive a run and are found again by nearness.

`open_memory` opens a store. `local.py` stores the rows in SQLite (`database.py`, `backup.py`) and searches them in a
matrix (`matrix.py`). `postgres.py` and `pinecone.py` store them on servers, `none.py` stores nothing. `embed.py` opens
the embedder that turns text into vectors: `minilm.py`, `lexical.py` or `endpoint.py`. Nothing is ever wiped implicitly.
"""

from __future__ import annotations

import importlib
import inspect
from typing import Any

from autocraft.errors import UsageError
from autocraft.protocols import Memory

BACKENDS = {
    "local": ("autocraft.memory.local", "LocalMemory"),
    "pinecone": ("autocraft.memory.pinecone", "PineconeMemory"),
    "pgvector": ("autocraft.memory.postgres", "PostgresMemory"),
    "none": ("autocraft.memory.none", "NoMemory"),
}


def remembers(backend: str) -> bool:
    """Tell whether rows that are added to the memory called `backend` are there afterwards."""
    return backend != "none"


def keeps_files(backend: str) -> bool:
    """Tell whether the memory called `backend` keeps its rows in files of this machine."""
    return backend == "local"


def open_memory(backend: str, **options: Any) -> Memory:
    """Open the memory `backend` with its options, as in ``open_memory("local", path=folder)``.

    All backends but `none` take a namespace and an embedder (an object, or a name of `embed.py`). Raises UsageError for
    an unknown backend or option, MemoryFault if the store cannot be opened.
    """
    if not isinstance(backend, str) or backend not in BACKENDS:
        raise UsageError(f"there is no memory called {str(backend)[:40]!r}; choose one of: {', '.join(BACKENDS)}")
    module, name = BACKENDS[backend]
    make = getattr(importlib.import_module(module), name)
    try:
        inspect.signature(make).bind(**options)
    except TypeError as error:
        raise UsageError(f"the memory {backend!r} cannot be opened: {error}; check its options") from None
    if backend != "none" and isinstance(options.get("embedder"), str):
        from autocraft.memory.embed import open_embedder

        options["embedder"] = open_embedder(options["embedder"])
    memory: Memory = make(**options)
    return memory
