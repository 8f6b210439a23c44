"""What `protocols/memory.py` promises, for each store: SQLite, a real PostgreSQL, and the stand-in for Pinecone."""

from __future__ import annotations

import os
import signal
import struct
import threading
from collections.abc import Sequence
from typing import Any

import pytest

from autocraft.errors import MemoryFault
from autocraft.memory import remembers
from autocraft.memory.lexical import LexicalEmbedder
from autocraft.protocols import Memory, MemoryRecord
from tests.memory.conftest import Backend
from tests.memory.writer import Short, writer
from tests.sampling import drawn

pytestmark = pytest.mark.sampled(16)

every_backend = pytest.mark.parametrize("backend", ["local", "pgvector", "pinecone", "none"], indirect=True)
exact_backends = pytest.mark.parametrize("backend", ["local", "pgvector"], indirect=True)
"""Pinecone shows changes of others late, and promises no order among equals."""

FACTS = [
    "craft a stone pickaxe from cobblestone and sticks",
    "oak planks are made from one oak log",
    "smelt iron ore in a furnace with coal",
    "the village lies north of the river, beside a desert temple",
    "kill a sheep to get wool",
]


@pytest.fixture
def memory(backend: Backend) -> Memory:
    return backend.open()


def texts(found: Sequence[MemoryRecord]) -> list[str]:
    return [row.text for row in found]


def ids(found: Sequence[MemoryRecord]) -> list[str]:
    return [row.id for row in found]


# ---------------------------------------------------------------- finding


def test_what_was_added_is_found_again_also_later(memory: Memory, backend: Backend) -> None:
    assert memory.get(FACTS[0]) == memory.rows() == []
    metadata = [{"n": n, "session": "s", "deep": {"k": [n]}} for n in range(len(FACTS))]
    given = [memory.add(fact, metadata=data) for fact, data in zip(FACTS, metadata, strict=True)]
    assert len(set(given)) == len(FACTS)
    for each in (memory, backend.open()):
        for n, fact in enumerate(FACTS):
            assert each.get(fact) == [MemoryRecord(given[n], fact, metadata[n], 1.0)]
        assert texts(each.rows()) == FACTS
        assert texts(each.get_relevant("how do I craft a stone pickaxe")) == [FACTS[0]]
        assert texts(each.get("iron ore smelting")) == [FACTS[2]]


def test_what_is_not_near_is_left_out(memory: Memory) -> None:
    assert memory.get_relevant("anything") == []
    memory.add_many([MemoryRecord("", fact, {}) for fact in FACTS])
    for query in ("quantum chromodynamics lattice gauge", "write a poem about love", "", "   "):
        assert memory.get_relevant(query) == []
    for k in (0, -1):
        assert memory.get_relevant(FACTS[0], k) == []


def test_the_nearest_come_first_and_all_if_asked(memory: Memory) -> None:
    rows = [MemoryRecord(str(n), "oak log" if n % 2 else f"oak log and number {n}", {}) for n in range(100)]
    assert memory.add_many(rows) == 100
    found = memory.get_relevant("oak log", 60)
    assert {row.id for row in found[:50]} == {str(n) for n in range(1, 100, 2)}
    assert [row.score for row in found] == sorted((row.score for row in found), reverse=True)
    assert len(memory.get_relevant("oak log", 100_000)) == 100


@exact_backends
def test_of_equals_the_newest_comes_first(memory: Memory) -> None:
    memory.add_many([MemoryRecord(str(n), "oak log", {}) for n in range(50)])
    assert ids(memory.get_relevant("oak log", 60)) == [str(n) for n in range(49, -1, -1)]


@exact_backends
def test_what_another_one_adds_and_deletes_is_seen(memory: Memory, backend: Backend) -> None:
    other = backend.open()
    for one, two in ((memory, other), (other, memory)):
        assert one.get("stone") == []
        one.add("stone", id="1")
        assert texts(two.get("stone")) == ["stone"]
        two.add("stone age", id="2")
        assert ids(one.get_relevant("stone")) == ["1", "2"]
        assert (two.delete("1"), one.delete("1")) == (True, False)
        assert ids(one.get_relevant("stone")) == ["2"]
        assert two.delete("2")
        two.add("stone", id="3")
        assert ids(one.get_relevant("stone")) == ["3"]
        assert one.clear() == 1
        assert two.get("stone") == []


# ---------------------------------------------------------------- ids, metadata, namespaces


def test_ids_delete_and_clear(memory: Memory, backend: Backend) -> None:
    assert memory.add("first", id="岩 1", metadata={"a": 1}) == "岩 1"
    assert memory.add("second", id="岩 1", metadata={"a": 2}) == "岩 1"
    assert memory.get("second") == memory.rows(missing="x") == []
    more = [MemoryRecord("岩 1", "x", {}), MemoryRecord("2", "stone", {}), MemoryRecord("2", "other stone", {})]
    assert memory.add_many([*more, MemoryRecord("", "sand", {})]) == 2
    assert memory.add_many([]) == 0
    for each in (memory, backend.open()):
        assert texts(each.rows()) == ["first", "stone", "sand"]
        assert each.fetch("岩 1") == MemoryRecord("岩 1", "first", {"a": 1})
        assert (each.has("2"), each.has("3"), each.fetch("3")) == (True, False, None)
        assert all(each.has(id) for id in ids(each.rows()))
    assert (memory.delete("2"), memory.delete("2"), memory.delete("3")) == (True, False, False)
    assert memory.clear() == 2
    assert memory.rows() == backend.open().rows() == memory.get("first") == []


ODD = {"é": "ü", 'q"q': "'", "a.b": "dot", "": "empty", "n\0": "\0", "session": "two\nlines", "half\ud800": "\udc00"}


@pytest.mark.parametrize("key", ODD)
def test_any_key_and_value_can_be_filtered_by(memory: Memory, backend: Backend, key: str) -> None:
    memory.add("stone", id="odd", metadata={**ODD, "kind": "note"})
    memory.add("stone", id="other", metadata={"kind": "note", "nothing": None})
    for each in (memory, backend.open()):
        assert ids(each.rows(**{key: ODD[key]})) == ["odd"]
        assert ids(each.get_relevant("stone", where={key: ODD[key], "kind": "note"})) == ["odd"]
        assert each.rows(**{key: ODD[key] + "?"}) == []


def test_filters_by_metadata(memory: Memory, backend: Backend) -> None:
    data = [{"kind": "note" if n % 2 else "plan", "place": str(n % 4)} for n in range(20)]
    memory.add_many([MemoryRecord(str(n), f"stone number {n}", data[n]) for n in range(20)])
    memory.add("stone without any", id="bare")
    for each in (memory, backend.open()):
        found = each.get_relevant("stone number", 100, where={"kind": "note"})
        assert {row.id for row in found} == {str(n) for n in range(1, 20, 2)}
        found = each.get_relevant("stone number", 100, where={"kind": "plan", "place": "2"}, exact=True)
        assert {row.id for row in found} == {"2", "6", "10", "14", "18"}
        assert each.get_relevant("stone", where={"kind": "'; DROP TABLE memory; --"}) == []
        assert each.get_relevant("stone", where={'odd "key': "x"}) == []
        assert ids(each.rows(kind="plan", place="2")) == ["2", "6", "10", "14", "18"]
        assert each.rows(kind="note", place="2") == each.rows(kind="' OR 1=1 --") == []
        assert len(each.rows()) == 21


def test_namespaces_are_apart(backend: Backend) -> None:
    names = ("it's 100%s", 'two \\ "quoted"')
    one, two = (backend.open(namespace=name) for name in names)
    one.add("stone", id="1")
    two.add_many([MemoryRecord("1", "stone", {}), MemoryRecord("2", "stone", {})])
    assert [len(each.get_relevant("stone")) for each in (one, two)] == [1, 2]
    assert [len(each.rows()) for each in (one, two)] == [1, 2]
    stats = one.get_stats()
    assert (stats["rows"], stats["namespace"]) == (1, names[0])
    assert [stats["namespaces"][name] for name in names] == [1, 2]
    assert two.clear() == 2
    assert (one.has("1"), two.has("1")) == (True, False)
    assert texts(one.get("stone")) == ["stone"]
    for name in (" ", "", "x" * 201, "two\nlines"):
        with pytest.raises(MemoryFault, match="a namespace has 1 to 200"):
            backend.open(namespace=name)


# ---------------------------------------------------------------- any text, and what is no text

TEXTS = ["", "nul \0 inside", "岩 👩‍🌾\r\n", "'); DROP TABLE memory; --", "half \ud800 stone", "%s %(a)s", "a\nb"]


@pytest.mark.parametrize("text", [*TEXTS, "x" * 200_000])
def test_any_text_is_kept(memory: Memory, backend: Backend, text: str) -> None:
    text = text[: backend.longest]
    given = {"key": text[:50], "deep": [{"k": text[:9]}], "slash": "\\u0000 \\\\"}
    id = memory.add(text, id=text[:50] or None, metadata=given)
    again = backend.open()
    (row,) = again.rows()
    assert (row.id, row.text) == (backend.kept(id), backend.kept(text))
    assert (backend.kept(row.metadata["key"]), row.metadata["slash"]) == (backend.kept(text[:50]), given["slash"])
    assert again.fetch(text[:50] or id) == row
    assert not text or again.get(text) == [row._replace(score=1.0)]
    assert again.delete(text[:50] or id)


def test_what_is_no_text_is_refused(memory: Memory) -> None:
    memory.add("stone")
    wrong: Any = 5
    for act in (memory.add, memory.get, memory.fetch, memory.has, memory.delete, memory.get_relevant):
        with pytest.raises(MemoryFault, match="memory stores and finds text, and this is int; give a str"):
            act(wrong)
    with pytest.raises(MemoryFault, match="metadata is an object"):
        memory.get_relevant("text", where=wrong)
    assert texts(memory.rows()) == ["stone"]


@every_backend
@pytest.mark.parametrize("wrong", [[1], "abc", 5, {"a": object()}, {"a": float("nan")}])
def test_metadata_that_is_not_a_json_object_is_refused(memory: Memory, wrong: Any) -> None:
    with pytest.raises(MemoryFault, match="use plain JSON" if isinstance(wrong, dict) else "metadata is an object"):
        memory.add("text", metadata=wrong)
    with pytest.raises(MemoryFault):
        memory.add_many([MemoryRecord("1", "stone", {}), MemoryRecord("2", "text", wrong)])
    assert memory.rows() == []


@every_backend
def test_every_memory_describes_itself_and_closes_twice(memory: Memory, backend: Backend) -> None:
    assert (memory.name, memory.remembers, memory.notice) == (backend.name, remembers(backend.name), "")
    assert (memory.add("stone", id="1"), memory.add("stone") != memory.add("stone")) == ("1", True)
    stats = memory.get_stats()
    embedder = ("lexical-1", 512) if memory.remembers else ("none", 0)
    assert (stats["backend"], stats["rows"]) == (backend.name, 3 * memory.remembers)
    assert (stats["embedder"], stats["dimension"]) == embedder
    assert stats["namespace"] == backend.options.get("namespace", "")
    assert sum(stats["namespaces"].values()) >= stats["rows"]
    memory.close()
    memory.close()


def test_closed_memory(memory: Memory) -> None:
    memory.add("stone")
    memory.close()
    for act in (lambda: memory.add("x"), lambda: memory.get("stone"), memory.rows, memory.get_stats, memory.clear):
        with pytest.raises(MemoryFault, match=r"^[^\n]*was closed; open it again$"):
            act()


# ---------------------------------------------------------------- rows of another embedder


class Renamed(LexicalEmbedder):
    name = "lexical-2"


class Letters:
    """Another space of vectors: two dimensions, by the first letter."""

    name, dimension, floor = "letters", 2, 0.9

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        return [struct.pack("<2f", *((1.0, 0.0) if text[:1] < "m" else (0.0, 1.0))) for text in texts]


@pytest.mark.parametrize(
    ("backend", "embedder"),
    [("local", Renamed), ("local", Letters), ("pgvector", Renamed), ("pgvector", Letters), ("pinecone", Renamed)],
    indirect=["backend"],
)
def test_rows_of_another_embedder_are_kept_and_found_once_embedded_anew(
    memory: Memory, backend: Backend, embedder: type[Renamed]
) -> None:
    memory.add_many([MemoryRecord(str(n), f"stone {n}", {"n": n}) for n in range(3)])
    other = backend.open(embedder=embedder())
    assert other.get_relevant("stone") == []
    other.add("stone 3", id="3", metadata={"n": 3})
    assert ids(other.get_relevant("stone 3")) == ["3"]
    assert {row.id for row in memory.get_relevant("stone")} == {"0", "1", "2"}
    assert len(memory.rows()) == len(other.rows()) == 4
    if backend.name != "pinecone":  # it does not count them
        assert [each.get_stats()["not_searched"] for each in (memory, other)] == [1, 3]
    assert (other.reembed(), other.reembed()) == (3, 0)
    for each in (other, backend.open(embedder=embedder())):
        assert {row.id for row in each.get_relevant("stone")} == {"0", "1", "2", "3"}
        assert sorted(row.metadata["n"] for row in each.rows()) == [0, 1, 2, 3]
    assert backend.open().get_relevant("stone") == []


# ---------------------------------------------------------------- threads, processes, kill -9


def test_many_threads_on_one_memory(memory: Memory) -> None:
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
    assert sorted(int(row.id) for row in memory.rows()) == list(range(80))
    assert len(memory.get_relevant("stone number", 300)) == 80


def killed(backend: Backend, size: int, lines: int, name: str = "a", kept: Sequence[str] = ()) -> list[str]:
    """Kill a writer after so many lines. Return the ids of all rows: those `kept` before, and those that it added."""
    with writer(backend.name, backend.options, name, size, 10_000) as child:
        assert child.stdout is not None
        said = [child.stdout.readline() for _ in range(lines)]
        os.kill(child.pid, signal.SIGKILL)
        said += child.stdout.readlines()
    told = [*kept, *(id for line in said if line.endswith("\n") for id in line.split())]
    memory = backend.open(embedder=Short())
    found = memory.rows()
    assert set(told) <= set(ids(found))
    assert len(found) - len(told) in (0, size)
    assert all(row.text == f"stone {row.id}" for row in found)
    assert len(memory.get_relevant("stone", 20_000)) == len(found)
    memory.close()
    backend.check()
    return ids(found)


@pytest.mark.parametrize("backend", ["local", "durable", "pgvector", "pinecone"], indirect=True)
@pytest.mark.parametrize("size", [1, 20])
@pytest.mark.sampled(1)
def test_kill_minus_nine_while_adding(backend: Backend, size: int) -> None:
    killed(backend, size, 40, "b", killed(backend, size, 7))


@pytest.mark.full
@pytest.mark.parametrize(
    ("backend", "size", "kills"),
    [("local", 1, 5), ("local", 100, 10), *drawn([("pgvector", 1, 5), ("pgvector", 100, 10)], 1)],
    indirect=["backend"],
)
def test_killed_many_times_during_ten_thousand(backend: Backend, size: int, kills: int) -> None:
    """Each writer goes on in the same memory, and is killed after its share of the rows."""
    rows: list[str] = []
    for kill in range(kills):
        rows = killed(backend, size, 10_000 // kills // size, f"{kill}", rows)
    assert len(rows) >= 10_000


@pytest.mark.parametrize(
    ("backend", "count"),
    [("local", 200), ("pgvector", 200), ("pinecone", 200), pytest.param("local", 10_000, marks=pytest.mark.full)],
    indirect=["backend"],
)
def test_two_processes_at_once_lose_nothing(backend: Backend, count: int) -> None:
    both = [writer(backend.name, backend.options, name, size, count) for name, size in (("a", 1), ("b", 20))]
    for child in both:
        said, faults = child.communicate()
        assert (len(said.split()), faults) == (count, "")
    memory = backend.open(embedder=Short())
    assert {row.id for row in memory.rows()} == {f"{name}:{n}" for name in "ab" for n in range(count)}
    assert len(memory.get_relevant("stone", 50_000)) == 2 * count
