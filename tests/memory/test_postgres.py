"""Memory in a real PostgreSQL with pgvector, which pgserver brings along."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from autocraft.errors import MemoryFault, UsageError
from autocraft.memory import open_memory
from autocraft.memory.lexical import LexicalEmbedder
from autocraft.memory.postgres import PostgresMemory
from autocraft.protocols import MemoryRecord

pytestmark = pytest.mark.sampled(7)

FACTS = [
    "craft a stone pickaxe from cobblestone and sticks",
    "oak planks are made from one oak log",
    "smelt iron ore in a furnace with coal",
]


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """A server of this module's own; root's temporary folders are closed to the user that it runs as."""
    if sys.version_info >= (3, 13):
        pytest.skip("pgserver has no wheel for this Python")
    from pgserver.postgres_server import get_server

    server = get_server(tempfile.mkdtemp(), cleanup_mode="delete")
    yield server.get_uri()
    server.cleanup()


@pytest.fixture
def memory(url: str, request: pytest.FixtureRequest) -> Iterator[PostgresMemory]:
    opened = PostgresMemory(url, namespace=request.node.name[:100], embedder=LexicalEmbedder())
    yield opened
    opened.close()


def test_what_was_added_is_found_again(memory: PostgresMemory, url: str) -> None:
    ids = [memory.add(fact, metadata={"n": n, "session": "s"}) for n, fact in enumerate(FACTS)]
    again = open_memory("pgvector", url=url, namespace=memory.namespace, embedder="lexical")
    for opened in (memory, again):
        for n, fact in enumerate(FACTS):
            (found,) = opened.get(fact)
            assert (found.id, found.text, found.metadata, found.score) == (ids[n], fact, {"n": n, "session": "s"}, 1.0)
        assert opened.get_relevant("quantum chromodynamics") == opened.get_relevant("") == []
        assert opened.get_relevant(FACTS[0], 0) == []
    stats = again.get_stats()
    assert (stats["backend"], stats["rows"], stats["not_searched"]) == ("pgvector", 3, 0)
    assert (stats["embedder"], stats["dimension"]) == ("lexical-1", 512)
    assert stats["namespaces"][memory.namespace] == 3
    again.close()


def test_ids_metadata_delete_and_clear(memory: PostgresMemory) -> None:
    assert memory.add("first", id="1", metadata={"kind": "note"}) == "1"
    assert memory.add("second", id="1") == "1"
    assert memory.add_many([MemoryRecord("1", "x", {}), MemoryRecord("2", "stone", {"kind": "plan"})]) == 1
    assert [(row.id, row.text) for row in memory.rows()] == [("1", "first"), ("2", "stone")]
    assert [row.id for row in memory.rows(kind="plan")] == ["2"]
    assert memory.rows(kind="'; DROP TABLE autocraft_memory; --") == memory.rows(kind="x", other="y") == []
    assert [row.id for row in memory.get_relevant("stone first", 5, where={"kind": "note"})] == ["1"]
    assert (memory.has("1"), memory.has("3"), memory.fetch("3")) == (True, False, None)
    assert (memory.delete("1"), memory.delete("1")) == (True, False)
    assert memory.clear() == 1
    assert memory.rows() == []


def test_namespaces_are_apart(url: str) -> None:
    names = ("it's 100%s", 'two \\ "quoted"')
    one, two = (PostgresMemory(url, namespace=name, embedder=LexicalEmbedder()) for name in names)
    one.add("stone", id="1")
    two.add("stone", id="1")
    two.add("stone", id="2")
    assert (len(one.get_relevant("stone")), len(two.get_relevant("stone"))) == (1, 2)
    assert [row.id for row in two.get_relevant("stone")] == ["2", "1"]
    assert two.clear() == 2
    assert one.has("1")
    one.close()
    two.close()


@pytest.mark.parametrize(
    "text", ["", "nul \0 inside", "岩 👩‍🌾\r\n", "'); DROP TABLE x; --", "half \ud800", "%s %(a)s", "x" * 99_999]
)
@pytest.mark.sampled(2)
def test_any_text_is_kept(memory: PostgresMemory, text: str) -> None:
    id = memory.add(text, metadata={"key": text[:50], "deep": [{"k": text[:9]}], "slash": "\\u0000 \\\\"})
    (row,) = [row for row in memory.rows() if row.id == id]
    kept = text.replace("\0", "\ufffd").replace("\ud800", "?")
    assert (row.text, row.metadata["key"], row.metadata["slash"]) == (kept, kept[:50], "\\u0000 \\\\")


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


def test_rows_of_another_embedder_are_brought_over_on_request(url: str) -> None:
    old = PostgresMemory(url, namespace="two embedders", embedder=LexicalEmbedder())
    old.add_many([MemoryRecord(str(n), f"stone number {n}", {}) for n in range(20)])
    new = open_memory("pgvector", url=url, namespace="two embedders", embedder="minilm")
    assert new.get_stats()["not_searched"] == 20
    assert new.get_relevant("stone") == []
    assert new.reembed() == 20
    assert new.reembed() == 0
    assert len(new.get_relevant("stone number", 30)) == 20
    assert old.get_relevant("stone") == []
    old.close()
    new.close()


WRITER = """
import struct, sys
from autocraft.memory import open_memory
from autocraft.protocols import MemoryRecord

class Short:
    \"\"\"Sixteen numbers a text, so that ten thousand rows are indexed within seconds.\"\"\"
    name, dimension, floor = "short", 16, -1.0
    def embed(self, texts):
        return [struct.pack("<16f", *((hash((text, n)) % 1000 / 2000) for n in range(16))) for text in texts]

memory = open_memory("pgvector", url=sys.argv[1], namespace=sys.argv[2], embedder=Short())
name, size = sys.argv[3], int(sys.argv[4])
for batch in range(int(sys.argv[5]) // size):
    ids = [f"{name}:{batch * size + n}" for n in range(size)]
    memory.add_many([MemoryRecord(id, "stone " + id, {}) for id in ids])
    print(*ids, flush=True)
"""


def writer(url: str, namespace: str, name: str, size: int, count: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WRITER, url, namespace, name, str(size), str(count)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def killed(url: str, namespace: str, size: int, lines: int, name: str = "a", before: int = 0) -> int:
    """Kill a writer after its lines, in a namespace with rows from before. Return how many rows are there then."""
    child = writer(url, namespace, name, size, 10_000)
    assert child.stdout is not None and child.stderr is not None
    said = [child.stdout.readline() for _ in range(lines)]
    os.kill(child.pid, signal.SIGKILL)
    said += child.stdout.readlines()
    child.stdout.close()
    child.stderr.close()
    child.wait()
    acknowledged = [id for line in said if line.endswith("\n") for id in line.split()]
    memory = PostgresMemory(url, namespace=namespace, embedder=LexicalEmbedder())
    rows = memory.rows()
    assert set(acknowledged) <= {row.id for row in rows}
    assert len(rows) - before - len(acknowledged) in (0, size)
    memory.close()
    return len(rows)


@pytest.mark.parametrize("size", [1, 20])
@pytest.mark.sampled(1)
def test_kill_minus_nine_while_adding(url: str, size: int) -> None:
    killed(url, f"killed {size}", size, 25)


@pytest.mark.full
@pytest.mark.parametrize("size, kills", [(1, 5), (100, 20)])
def test_killed_many_times_during_ten_thousand(url: str, size: int, kills: int) -> None:
    """Each writer goes on in the same namespace, and is killed after its share of the rows."""
    rows = 0
    for kill in range(kills):
        rows = killed(url, f"many {size}", size, 10_000 // kills // size, f"{kill}", rows)
    assert rows >= 10_000


def test_two_processes_at_once_lose_nothing(url: str) -> None:
    both = [writer(url, "both", name, size, 200) for name, size in (("a", 1), ("b", 20))]
    for child in both:
        assert child.communicate()[1] == ""
    memory = PostgresMemory(url, namespace="both", embedder=LexicalEmbedder())
    assert {row.id for row in memory.rows()} == {f"{name}:{n}" for name in "ab" for n in range(200)}
    memory.close()


def test_many_threads_on_one_memory(memory: PostgresMemory) -> None:
    faults: list[BaseException] = []

    def work(start: int) -> None:
        try:
            for n in range(start, start + 20):
                memory.add(f"stone number {n}", id=str(n))
                assert memory.get(f"stone number {n}")
        except BaseException as error:  # noqa: BLE001 - the test asks for it after the threads
            faults.append(error)

    threads = [threading.Thread(target=work, args=(start,)) for start in range(0, 80, 20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []
    assert len(memory.rows()) == 80


def test_a_lost_connection_is_made_anew(memory: PostgresMemory, url: str) -> None:
    memory.add("before", id="1")
    other = PostgresMemory(url, namespace="other", embedder=LexicalEmbedder())
    query = (
        "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND query <> ''"
    )
    assert other._do(lambda c: c.execute(query).fetchone()) is not None
    memory.add("after", id="2")
    assert [row.id for row in memory.rows()] == ["1", "2"]
    other.close()


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
    memory.close()
    with pytest.raises(MemoryFault, match="was closed; open it again"):
        memory.rows()


def test_a_user_without_rights(url: str) -> None:
    owner = PostgresMemory(url, embedder=LexicalEmbedder())
    owner._do(lambda c: c.execute("CREATE ROLE guest LOGIN"))
    guest = url.replace("postgres:@", "guest:@")
    assert guest != url
    with pytest.raises(MemoryFault, match=r"refused: .*; check the rights of the user"):
        PostgresMemory(guest, embedder=LexicalEmbedder()).add("x")
    owner.close()
