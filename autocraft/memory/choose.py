"""The memory of a run: its settings, and the store that they name."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from autocraft.errors import UsageError
from autocraft.frozen import frozen
from autocraft.memory import open_memory
from autocraft.memory.embed import open_embedder
from autocraft.memory.rows import DEFAULT
from autocraft.protocols import Memory
from autocraft.session.atomic import sha256
from autocraft.settings.fields import setting

PER_GOAL = "goal"
"""The value of the setting that gives each goal its own namespace."""


@frozen
class MemorySettings:
    """The settings of all stores. The run's own setting (MEMORY_BACKEND) says which store is used."""

    embedder: str = setting(
        "auto", env="MEMORY_EMBEDDER", doc="embedder: auto (minilm if installed), minilm, lexical, openai", power=True
    )
    embedding_model: str = setting("", env="MEMORY_EMBEDDING_MODEL", doc="model of the embedder openai")
    floor: float | None = setting(None, env="MEMORY_FLOOR", doc="least cosine of a found row; default by embedder")
    namespace: str = setting(
        DEFAULT,
        "--namespace",
        env="MEMORY_NAMESPACE",
        doc="group of rows to use; goal gives each goal its own group",
        power=True,
    )
    database_url: str = setting(
        "", env="MEMORY_DATABASE_URL", doc="address of the PostgreSQL database of pgvector", secret=True, power=True
    )
    pinecone_api_key: str = setting("", env="PINECONE_API_KEY", doc="key of Pinecone", secret=True, power=True)
    pinecone_index: str = setting("", env="MEMORY_PINECONE_INDEX", doc="the index; autocraft by default", power=True)
    pinecone_cloud: str = setting("aws", env="PINECONE_CLOUD", doc="cloud of a new index", power=True)
    pinecone_region: str = setting("us-east-1", env="PINECONE_REGION", doc="region of a new index", power=True)
    pinecone_host: str = setting(
        "", env="PINECONE_CONTROLLER_HOST", doc="another address of Pinecone's control plane", key="PINECONE_API_KEY"
    )


def open_configured(
    backend: str,
    settings: MemorySettings,
    *,
    folder: Path,
    durable: bool = False,
    goals: Sequence[str] = (),
    api_key: str = "",
    base_url: str | None = None,
) -> Memory:
    """Open the memory `backend` with its settings. `api_key` and `base_url` are for the embedder openai.

    Raises UsageError for settings that do not fit together, MemoryFault if the store cannot be opened.
    """
    if backend == "none":
        return open_memory(backend)
    server: dict[str, Any] = {}
    if settings.embedder == "openai":
        server = {"model": settings.embedding_model, "api_key": api_key, "base_url": base_url}
    embedder = open_embedder(settings.embedder, **server)
    if settings.floor is not None:
        if not -1.0 <= settings.floor <= 1.0:
            raise UsageError(f"MEMORY_FLOOR is a cosine, from -1 to 1, not {settings.floor:g}")
        embedder.floor = settings.floor
    options: dict[str, Any] = {"embedder": embedder, "namespace": namespace_of(settings.namespace, goals)}
    if backend == "local":
        options |= {"path": folder, "durable": durable}
    elif backend == "pgvector":
        options |= {"url": settings.database_url}
    elif backend == "pinecone":
        options |= {"api_key": settings.pinecone_api_key, "index": settings.pinecone_index}
        options |= {"cloud": settings.pinecone_cloud, "region": settings.pinecone_region}
        options |= {"host": settings.pinecone_host or None}
    return open_memory(backend, **options)


def namespace_of(name: str, goals: Sequence[str]) -> str:
    """Return the namespace of a run. By default all runs share one, since an experience may help with other goals."""
    if name != PER_GOAL or not goals:
        return DEFAULT if name == PER_GOAL else name
    text = "; ".join(goals)
    words = re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:40]
    return f"goal-{words}-{sha256(text)[:8]}"
