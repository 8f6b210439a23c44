"""Long-term memory: rows of text that outlive a run and are found again by nearness.

`open_memory` is the way in; `local.py` keeps the rows in SQLite, `matrix.py` searches them, `lexical.py` turns
text into vectors where nothing better is installed, `none.py` keeps nothing. Nothing is ever wiped implicitly.
"""

from __future__ import annotations

import importlib
import inspect
from typing import Any

from autocraft.errors import UsageError
from autocraft.protocols import Memory

BACKENDS = {
    "local": ("autocraft.memory.local", "LocalMemory"),
    "none": ("autocraft.memory.none", "NoMemory"),
}


def open_memory(backend: str, **options: Any) -> Memory:
    """The memory called `backend`, with its options, such as ``open_memory("local", path=folder)``.

    Raises UsageError for a name or an option that there is not, MemoryFault when the store cannot be opened.
    """
    if backend not in BACKENDS:
        raise UsageError(f"there is no memory called {backend!r}; choose one of: {', '.join(BACKENDS)}")
    module, name = BACKENDS[backend]
    make = getattr(importlib.import_module(module), name)
    try:
        inspect.signature(make).bind(**options)
    except TypeError as error:
        raise UsageError(f"the memory {backend!r} cannot be opened so: {error}; check its options") from None
    memory: Memory = make(**options)
    return memory
