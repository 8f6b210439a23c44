"""What only the memory in PostgreSQL promises, in a real one with pgvector. The rest is in test_contract.py."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from autocraft.errors import MemoryFault, UsageError
from autocraft.memory import open_memory
from autocraft.memory.lexical import LexicalEmbedder
from autocraft.memory.postgres import PostgresMemory
from autocraft.protocols import MemoryRecord

pytestmark = pytest.mark.sampled(3)


@pytest.mark.full
def test_the_index_is_used_and_finds_what_comparing_all_finds(url: str) -> None:
    """2,000 vectors around 40 centres; the plan is PostgreSQL's own word."""
    rng = np.random.default_rng(1)
    centres = rng.standard_normal((40, 64))
    made = centres[rng.integers(40, size=2000)] + 0.4 * rng.standard_normal((2000, 64))
    vectors = (made / np.linalg.norm(made, axis=1, keepdims=True)).astype("<f4")

    class Given:
        name, dimension, floor = "given", 64, -1.0

        def embed(self, texts: list[str]) -> list[bytes]:
            return [vectors[int(text)].tobytes() for text in texts]

    memory = PostgresMemory(url, namespace="index", embedder=Given())  # type: ignore[arg-type]
    assert memory.add_many([MemoryRecord(str(n), str(n), {}) for n in range(2000)]) == 2000
    found = wanted = 0
    for n in range(0, 2000, 40):
        exact = {row.id for row in memory.get_relevant(str(n), 10, exact=True)}
        found += len(exact & {row.id for row in memory.get_relevant(str(n), 10)})
        wanted += len(exact)
    assert wanted == 500
    assert found / wanted >= 0.99
    kind = "vector(64)"
    query = (
        f"EXPLAIN SELECT id FROM autocraft_memory WHERE {memory._literal_condition()} AND metadata @> '{{}}'::jsonb"
        f" ORDER BY vector::{kind} <#> (SELECT vector::{kind} FROM autocraft_memory WHERE id = '7' LIMIT 1) LIMIT 10"
    )
    plan = "\n".join(row[0] for row in memory._do(lambda c: c.execute(query).fetchall()))
    assert "Index Scan using autocraft_memory_" in plan
    memory.close()


def test_a_lost_connection_is_made_anew(url: str) -> None:
    memory = PostgresMemory(url, namespace="lost", embedder=LexicalEmbedder())
    memory.add("before", id="1")
    other = PostgresMemory(url, namespace="other", embedder=LexicalEmbedder())
    query = (
        "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND query <> ''"
    )
    assert other._do(lambda c: c.execute(query).fetchone()) is not None
    memory.add("after", id="2")
    assert [row.id for row in memory.rows()] == ["1", "2"]
    other.close()
    memory.close()


def test_what_cannot_be_used_is_told_in_one_line(url: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="set MEMORY_DATABASE_URL"):
        open_memory("pgvector", url="")
    for wrong in (f"postgresql://postgres@/postgres?host={tmp_path}", "postgresql://me:secret@127.0.0.1:1/x"):
        with pytest.raises(MemoryFault, match="cannot be reached") as fault:
            open_memory("pgvector", url=wrong, embedder="lexical")
        assert "\n" not in str(fault.value)
        assert "secret" not in str(fault.value)
    with pytest.raises(MemoryFault, match="MEMORY_DATABASE_URL"):
        open_memory("pgvector", url="no address", embedder="lexical")
    memory = PostgresMemory(url, embedder=LexicalEmbedder())
    memory._do(lambda c: c.execute("COMMENT ON TABLE autocraft_memory IS 'autocraft memory, format 2'"))
    try:
        with pytest.raises(MemoryFault, match="newer format; update autocraft"):
            PostgresMemory(url, embedder=LexicalEmbedder())
        memory._do(lambda c: c.execute("COMMENT ON TABLE autocraft_memory IS NULL"))
        with pytest.raises(MemoryFault, match="another program's; choose another database"):
            PostgresMemory(url, embedder=LexicalEmbedder())
        memory._do(lambda c: c.execute("ALTER TABLE autocraft_memory RENAME TO away"))
        with pytest.raises(MemoryFault, match="was deleted in PostgreSQL; open the memory again"):
            memory.rows()
        memory._do(lambda c: c.execute("ALTER TABLE away RENAME TO autocraft_memory"))
    finally:
        memory._do(lambda c: c.execute("COMMENT ON TABLE autocraft_memory IS 'autocraft memory, format 1'"))
    memory.close()


def test_a_user_without_rights(url: str) -> None:
    owner = PostgresMemory(url, embedder=LexicalEmbedder())
    owner._do(lambda c: c.execute("CREATE ROLE guest LOGIN"))
    guest = url.replace("postgres:@", "guest:@")
    assert guest != url
    with pytest.raises(MemoryFault, match=r"refused: .*; check the rights of the user"):
        PostgresMemory(guest, embedder=LexicalEmbedder()).add("x")
    owner.close()


@pytest.mark.parametrize(
    ("before", "said"),
    [
        ((), "has no pgvector: permission denied to create extension"),
        (
            ("CREATE SCHEMA extensions", "CREATE EXTENSION vector SCHEMA extensions"),
            r"pgvector is in a schema that is not searched: add it with ALTER ROLE",
        ),
    ],
    ids=["no right", "another schema"],
)
def test_a_database_without_pgvector_in_reach(url: str, before: tuple[str, ...], said: str) -> None:
    """The server answers, so it is not called unreachable."""
    import psycopg

    name = f"bare{len(before)}"
    with psycopg.connect(url, autocommit=True) as owner:
        owner.execute(f"CREATE DATABASE {name}")
        owner.execute(f"CREATE ROLE {name} LOGIN")
    there = url.replace("/postgres?", f"/{name}?")
    assert there != url
    with psycopg.connect(there, autocommit=True) as owner:
        for statement in (*before, f"GRANT CREATE ON SCHEMA public TO {name}"):
            owner.execute(statement)
    with pytest.raises(MemoryFault, match=said):
        PostgresMemory(there.replace("postgres:@", f"{name}:@"), embedder=LexicalEmbedder())
