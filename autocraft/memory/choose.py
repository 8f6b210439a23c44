"""The settings of the memory of a run."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from autocraft.frozen import frozen
from autocraft.memory.rows import DEFAULT
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
    floor: float | None = setting(
        None, env="MEMORY_FLOOR", least=-1, most=1, doc="least cosine of a found row; default by embedder"
    )
    namespace: str = setting(
        DEFAULT,
        "--namespace",
        env="MEMORY_NAMESPACE",
        doc="group of rows to use; goal gives each goal its own group",
        power=True,
    )
    database_url: str = setting(
        "",
        env="MEMORY_DATABASE_URL",
        doc="address of the PostgreSQL database of pgvector",
        secret=True,
        power=True,
        runs=True,
    )
    pinecone_api_key: str = setting("", env="PINECONE_API_KEY", doc="key of Pinecone", secret=True, power=True)
    pinecone_index: str = setting("", env="MEMORY_PINECONE_INDEX", doc="the index; autocraft by default", power=True)
    pinecone_cloud: str = setting("aws", env="PINECONE_CLOUD", doc="cloud of a new index", power=True)
    pinecone_region: str = setting("us-east-1", env="PINECONE_REGION", doc="region of a new index", power=True)
    pinecone_host: str = setting(
        "", env="PINECONE_CONTROLLER_HOST", doc="another address of Pinecone's control plane", key="PINECONE_API_KEY"
    )

    @property
    def skill_embedder(self) -> str:
        """Return the embedder that finds skills: that of the memory, unless it would send their texts to a server."""
        return "auto" if self.embedder == "openai" else self.embedder

    def server(self, backend: str) -> dict[str, Any]:
        """Return the options that say where the server of `backend` is. Return {} for one without a server."""
        if backend == "pgvector":
            return {"url": self.database_url}
        if backend != "pinecone":
            return {}
        place = {"cloud": self.pinecone_cloud, "region": self.pinecone_region, "host": self.pinecone_host or None}
        return {"api_key": self.pinecone_api_key, "index": self.pinecone_index, **place}


class MemoryOptions(NamedTuple):
    """What a memory of a package is made from."""

    settings: MemorySettings
    folder: Path
    """A folder for its files, which the person alone may read."""
    namespace: str
    durable: bool
    """Whether each row is synced to disk."""


def namespace_of(name: str, goals: Sequence[str]) -> str:
    """Return the namespace of a run. By default all runs share one, since an experience may help with other goals."""
    if name != PER_GOAL or not goals:
        return DEFAULT if name == PER_GOAL else name
    text = "; ".join(goals)
    words = re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:40]
    return f"goal-{words}-{sha256(text)[:8]}"
