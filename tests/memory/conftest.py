"""The stores of the memory: each can be opened more than once on the same rows."""

from __future__ import annotations

import sqlite3
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from autocraft.memory import open_memory
from autocraft.memory.lexical import LexicalEmbedder
from autocraft.memory.local import FILE
from autocraft.protocols import Memory
from tests.memory.pinecone_standin import KEY, Standin


class Backend:
    """One store. `options` are those that `open_memory` needs to find its rows; `longest` is the longest text."""

    longest = 200_000

    def __init__(self, name: str, **options: Any) -> None:
        self.name = name
        self.options = options
        self.opened = ExitStack()

    def open(self, **options: Any) -> Memory:
        """Open a memory on the rows of this store. It is closed at the end of the test."""
        memory = open_memory(self.name, **{"embedder": LexicalEmbedder(), **self.options, **options})
        self.opened.callback(memory.close)
        return memory

    def kept(self, text: str) -> str:
        """Return what this store keeps of a text."""
        return text.replace("\ud800", "?")

    def check(self) -> None:
        """Fail if the files of the store are damaged."""


class Local(Backend):
    def check(self) -> None:
        with sqlite3.connect(Path(self.options["path"]) / FILE) as database:
            assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        database.close()


class Postgres(Backend):
    def kept(self, text: str) -> str:
        return super().kept(text).replace("\0", "\ufffd")


class Pinecone(Backend):
    longest = 39_000


@pytest.fixture(scope="session")
def url() -> Iterator[str]:
    """A PostgreSQL of this process's own; root's temporary folders are closed to the user that it runs as."""
    if sys.version_info >= (3, 13):
        pytest.skip("pgserver has no wheel for this Python")
    from pgserver.postgres_server import get_server

    server = get_server(tempfile.mkdtemp(), cleanup_mode="delete")
    yield server.get_uri()
    server.cleanup()


@pytest.fixture(params=["local", "pgvector", "pinecone"])
def backend(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Backend]:
    """Yield a store without rows. `durable` is the local one with that option."""
    namespace = request.node.name[:100]
    with ExitStack() as stack:
        if request.param == "pgvector":
            made: Backend = Postgres("pgvector", url=request.getfixturevalue("url"), namespace=namespace)
        elif request.param == "pinecone":
            host = stack.enter_context(Standin()).url
            made = Pinecone("pinecone", api_key=KEY, host=host, timeout=60.0, namespace=namespace)
        elif request.param == "none":
            made = Backend("none")
        else:
            durable = request.param == "durable"
            made = Local("local", path=str(tmp_path / "memory"), durable=durable, namespace=namespace)
        with made.opened:
            yield made
