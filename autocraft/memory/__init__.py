"""Long-term memory: rows of text that outlive a run and are found again by nearness.

`open_memory` is the way in. `local.py` keeps the rows in SQLite (`database.py`, `backup.py`) and searches them in a
matrix (`matrix.py`); `postgres.py` and `pinecone.py` keep them on servers, `none.py` nowhere. `embed.py` names who
turns text into vectors: `minilm.py`, `lexical.py`, `endpoint.py`. Nothing is ever wiped implicitly.
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
    """The memory called `backend`, with its options, such as ``open_memory("local", path=folder)``.

    All but `none` take namespace and embedder (an object, or a name as in `embed.py`). Raises UsageError for a name
    or an option that there is not, MemoryFault when the store cannot be opened.
    """
    if not isinstance(backend, str) or backend not in BACKENDS:
        raise UsageError(f"there is no memory called {str(backend)[:40]!r}; choose one of: {', '.join(BACKENDS)}")
    module, name = BACKENDS[backend]
    make = getattr(importlib.import_module(module), name)
    try:
        inspect.signature(make).bind(**options)
    except TypeError as error:
        raise UsageError(f"the memory {backend!r} cannot be opened so: {error}; check its options") from None
    if backend != "none" and isinstance(options.get("embedder"), str):
        from autocraft.memory.embed import open_embedder

        options["embedder"] = open_embedder(options["embedder"])
    memory: Memory = make(**options)
    return memory
