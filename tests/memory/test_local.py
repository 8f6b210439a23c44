"""The local memory on real SQLite files: what it finds, what survives kill -9, and what it says when it cannot."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import stat
import struct
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from autocraft.errors import MemoryFault, UsageError
from autocraft.memory import open_memory
from autocraft.memory.lexical import LexicalEmbedder
from autocraft.memory.local import FILE, LocalMemory
from autocraft.protocols import MemoryRecord
from tests.conftest import unmeasured

pytestmark = pytest.mark.sampled(12)

FACTS = [
    "craft a stone pickaxe from cobblestone and sticks",
    "oak planks are made from one oak log",
    "smelt iron ore in a furnace with coal",
    "the village lies north of the river, beside a desert temple",
    "kill a sheep to get wool",
]


def lexical(path: Path, **options: Any) -> LocalMemory:
    """A local memory whose embedder needs nothing that may be missing."""
    return LocalMemory(path, **{"embedder": LexicalEmbedder(), **options})


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[LocalMemory]:
    opened = lexical(tmp_path / "memory")
    yield opened
    opened.close()


def texts(found: Sequence[object]) -> list[str]:
    return [each.text for each in found]  # type: ignore[attr-defined]


# ---------------------------------------------------------------- opening


def test_open_memory_by_name(tmp_path: Path) -> None:
    local = open_memory("local", path=tmp_path, namespace="goal", embedder="lexical")
    stats = local.get_stats()
    assert stats.pop("bytes") > 4096
    assert stats == {
        "backend": "local",
        "rows": 0,
        "not_searched": 0,
        "embedder": "lexical-1",
        "dimension": 512,
        "namespace": "goal",
        "namespaces": {},
    }
    local.close()
    with pytest.raises(UsageError, match="no memory called 'redis'; choose one of: local, pinecone, pgvector, none"):
        open_memory("redis")
    for options in ({}, {"path": tmp_path, "colour": "red"}):
        with pytest.raises(UsageError, match="check its options"):
            open_memory("local", **options)


def test_no_memory_keeps_nothing() -> None:
    none = open_memory("none", path=Path("anywhere"))
    assert none.add("text", id="1") == "1"
    assert none.add("text") != none.add("text")
    assert (none.has("1"), none.get("text"), none.get_relevant("text"), none.rows()) == (False, [], [], [])
    assert none.clear() == 0
    assert (none.add_many([MemoryRecord("1", "text", {})]), none.fetch("1"), none.reembed()) == (0, None, 0)
    stats = none.get_stats()
    assert (stats["backend"], stats["rows"], stats["embedder"], stats["dimension"]) == ("none", 0, "none", 0)
    none.close()


def test_nothing_heavy_is_imported_before_it_is_used(tmp_path: Path) -> None:
    code = """
import sys
heavy = {"numpy", "sqlite3"}
import autocraft.memory
assert not heavy & set(sys.modules)
memory = autocraft.memory.open_memory("local", path=sys.argv[1], embedder="lexical")
memory.add("words")
assert "numpy" not in sys.modules
assert memory.get("words")[0].text == "words"
assert "numpy" in sys.modules
"""
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], env=unmeasured(os.environ), check=True)


def test_files_are_private(tmp_path: Path) -> None:
    old = os.umask(0)
    try:
        memory = lexical(tmp_path / "memory")
        memory.add("text")
        modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "memory").iterdir()}
    finally:
        os.umask(old)
    assert modes == {FILE: 0o600, f"{FILE}-wal": 0o600, f"{FILE}-shm": 0o600, "memory.lock": 0o600}
    assert stat.S_IMODE((tmp_path / "memory").stat().st_mode) == 0o700
    memory.close()


# ---------------------------------------------------------------- finding


def test_what_was_added_is_found_again_also_later(tmp_path: Path) -> None:
    memory = lexical(tmp_path)
    ids = [memory.add(fact, metadata={"n": n, "session": "s"}) for n, fact in enumerate(FACTS)]
    assert len(set(ids)) == len(FACTS)
    for again in (memory, lexical(tmp_path, durable=True)):
        for n, fact in enumerate(FACTS):
            (found,) = again.get(fact)
            assert (found.id, found.text, found.metadata, found.score) == (ids[n], fact, {"n": n, "session": "s"}, 1.0)
        assert texts(again.get("iron ore smelting")) == [FACTS[2]]
        assert texts(again.get_relevant("how do I craft a stone pickaxe")) == [FACTS[0]]
        again.close()


def test_what_is_not_near_is_left_out(memory: LocalMemory) -> None:
    assert memory.get_relevant("anything") == []
    for fact in FACTS:
        memory.add(fact)
    for query in ("quantum chromodynamics lattice gauge", "write a poem about love", "", "   "):
        assert memory.get_relevant(query) == []
    for k in (0, -1):
        assert memory.get_relevant(FACTS[0], k) == []


def test_nearest_first_and_newest_first_among_equals(memory: LocalMemory) -> None:
    for n in range(100):
        memory.add("oak log" if n % 2 else f"oak log and number {n}", id=str(n))
    found = memory.get_relevant("oak log", 60)
    assert [each.id for each in found[:50]] == [str(n) for n in range(99, 0, -2)]
    scores = [each.score for each in found]
    assert scores == sorted(scores, reverse=True)
    assert [each.id for each in memory.get_relevant("oak log", 3)] == ["99", "97", "95"]
    assert len(memory.get_relevant("oak log", 100_000)) == 100


def test_search_agrees_with_a_scan_by_hand(memory: LocalMemory) -> None:
    words = [f"word{n * n % 97}" for n in range(60)]
    rows = [" ".join(words[n : n + 4]) for n in range(50)]
    for row in rows:
        memory.add(row)
    embedder = LexicalEmbedder()
    for query in ("word1 word4", "word16", "word9 word25 word36"):
        q = struct.unpack("<512f", embedder.embed([query])[0])
        scores = [
            round(sum(a * b for a, b in zip(q, struct.unpack("<512f", v), strict=True)), 5)
            for v in embedder.embed(rows)
        ]
        expected = sorted((s for s in scores if s >= embedder.floor), reverse=True)[:7]
        assert [each.score for each in memory.get_relevant(query, 7)] == pytest.approx(expected, abs=2e-5)


def test_the_matrix_follows_adds_deletes_and_clear(memory: LocalMemory, tmp_path: Path) -> None:
    other = lexical(tmp_path / "memory")
    for one, two in ((memory, other), (other, memory)):
        assert one.get("stone") == []
        one.add("stone", id="1")
        assert texts(two.get("stone")) == ["stone"]
        two.add("stone age", id="2")
        assert [each.id for each in one.get_relevant("stone")] == ["1", "2"]
        assert two.delete("1")
        assert not one.delete("1")
        assert [each.id for each in one.get_relevant("stone")] == ["2"]
        assert two.delete("2")
        two.add("stone", id="3")
        assert [each.id for each in one.get_relevant("stone")] == ["3"]
        assert one.clear() == 1
        assert two.get("stone") == []
    other.close()


def test_the_same_id_twice_leaves_the_first_row(memory: LocalMemory) -> None:
    assert memory.add("first", id="s:1", metadata={"a": 1}) == "s:1"
    assert memory.add("second", id="s:1", metadata={"a": 2}) == "s:1"
    assert [(each.text, each.metadata) for each in memory.rows()] == [("first", {"a": 1})]
    assert memory.get("second") == []


def test_namespaces_are_apart(tmp_path: Path) -> None:
    one, two = lexical(tmp_path, namespace="one"), lexical(tmp_path, namespace="two")
    one.add("stone", id="1")
    two.add("stone", id="1")
    two.add("stone", id="2")
    assert (len(one.rows()), len(two.rows()), len(one.get_relevant("stone"))) == (1, 2, 1)
    assert two.clear() == 2
    assert (one.has("1"), two.has("1")) == (True, False)
    assert texts(one.get("stone")) == ["stone"]
    one.close()
    two.close()


def test_rows_by_metadata(memory: LocalMemory) -> None:
    for n in range(6):
        memory.add(
            f"note {n}", metadata={"session": f"s{n % 2}", "kind": "note" if n < 4 else "fact", 'odd "key"': "x"}
        )
    memory.add("bare")
    assert texts(memory.rows(session="s1")) == ["note 1", "note 3", "note 5"]
    assert texts(memory.rows(session="s0", kind="fact")) == ["note 4"]
    assert memory.rows(session="s2") == memory.rows(missing="x") == memory.rows(kind="' OR 1=1 --") == []
    assert len(memory.rows()) == 7
    assert memory.has(memory.rows()[0].id)
    assert not memory.has("missing")


ODD = {"é": "ü", 'q"q': "'", "a.b": "dot", "": "empty", "n\0": "\0", "session": "two\nlines", "half\ud800": "\udc00"}


@pytest.mark.parametrize("key", ODD)
def test_any_key_and_value_can_be_filtered_by(memory: LocalMemory, key: str) -> None:
    memory.add("stone", id="odd", metadata={**ODD, "kind": "note"})
    memory.add("stone", id="other", metadata={"kind": "note", "nothing": None})
    assert [row.id for row in memory.rows(**{key: ODD[key]})] == ["odd"]
    assert [row.id for row in memory.get_relevant("stone", where={key: ODD[key], "kind": "note"})] == ["odd"]
    assert memory.rows(**{key: ODD[key] + "?"}) == []


def test_what_is_no_text_is_refused(memory: LocalMemory, tmp_path: Path) -> None:
    memory.add("stone")
    wrong: Any = 5
    for act in (memory.add, memory.get, memory.fetch, memory.has, memory.delete, memory.get_relevant):
        with pytest.raises(MemoryFault, match="memory stores and finds text, and this is int; give a str"):
            act(wrong)
    for meta in ([1], "abc", 5):
        with pytest.raises(MemoryFault, match="metadata is an object"):
            memory.add("text", metadata=meta)  # type: ignore[arg-type]
    with pytest.raises(MemoryFault, match="metadata is an object"):
        memory.get_relevant("text", where=wrong)
    assert texts(memory.rows()) == ["stone"]
    for path in (None, 5, "a\0b"):
        with pytest.raises(MemoryFault, match=r"needs a folder, and .* is not one"):
            open_memory("local", path=path)
    wrong_names: list[Any] = [None, 5, []]
    for backend in wrong_names:
        with pytest.raises(UsageError, match="there is no memory called"):
            open_memory(backend)


@pytest.mark.parametrize("text", ["", "nul \0 inside", "岩 👩‍🌾\r\n", "'); DROP TABLE memory; --", "x" * 200_000])
def test_any_text_is_kept_as_it_is(memory: LocalMemory, text: str) -> None:
    id = memory.add(text, id=text[:50] or None, metadata={"key": text[:50]})
    (row,) = memory.rows()
    assert (row.id, row.text, row.metadata) == (id, text, {"key": text[:50]})
    assert memory.has(id)


def test_half_characters_are_replaced(memory: LocalMemory) -> None:
    id = memory.add("half \ud800 stone", id="id\udc00", metadata={"k": "\ud800"})
    assert memory.has("id\udc00")
    assert memory.get("stone \ud800")[0].text == "half ? stone"
    assert memory.delete(id)


def test_metadata_that_is_not_json(memory: LocalMemory) -> None:
    for wrong in ({"a": object()}, {"a": float("nan")}):
        with pytest.raises(MemoryFault, match="use plain JSON"):
            memory.add("text", metadata=wrong)
    assert memory.rows() == []


class OtherEmbedder:
    """Another space of vectors: two dimensions, by the first letter."""

    name = "letters"
    dimension = 2
    floor = 0.9

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        return [struct.pack("<2f", *((1.0, 0.0) if text[:1] < "m" else (0.0, 1.0))) for text in texts]


def test_rows_of_another_embedder_are_kept_but_not_searched(tmp_path: Path) -> None:
    first = lexical(tmp_path)
    first.add("stone")
    second = lexical(tmp_path, embedder=OtherEmbedder())
    second.add("sand")
    second.add("apple")
    assert texts(first.get_relevant("stone sand apple")) == ["stone"]
    assert texts(second.get_relevant("stone")) == ["sand"]
    assert len(first.rows()) == len(second.rows()) == 3
    assert [(m.get_stats()["rows"], m.get_stats()["not_searched"]) for m in (first, second)] == [(3, 2), (3, 1)]
    first.close()
    second.close()


# ---------------------------------------------------------------- threads, processes, kill -9


def test_many_threads_on_one_memory(memory: LocalMemory) -> None:
    faults: list[BaseException] = []

    def work(start: int) -> None:
        try:
            for n in range(start, start + 50):
                memory.add(f"stone number {n}", id=str(n))
                assert memory.get(f"stone number {n}")
        except BaseException as error:  # noqa: BLE001 - the test asks for it after the threads
            faults.append(error)

    threads = [threading.Thread(target=work, args=(start,)) for start in range(0, 200, 50)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []
    assert sorted(int(row.id) for row in memory.rows()) == list(range(200))
    assert len(memory.get_relevant("stone number", 300)) == 200


WRITER = """
import sys
from autocraft.memory import open_memory
memory = open_memory("local", path=sys.argv[1], durable=sys.argv[4] == "durable", embedder="lexical")
n = int(sys.argv[3])
while n != int(sys.argv[3]) + int(sys.argv[5]):
    n += 1
    print(memory.add(f"stone number {n}", id=f"{sys.argv[2]}:{n}"), flush=True)
"""


def writer(path: Path, name: str, start: int, how: str = "", count: int = -1) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WRITER, str(path), name, str(start), how, str(count)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_two_processes_at_once_lose_nothing(tmp_path: Path) -> None:
    for round_ in range(3):
        both = [writer(tmp_path / str(round_), name, 0, count=200) for name in "ab"]
        for child in both:
            said = child.communicate()
            assert said[1] == ""
            assert len(said[0].splitlines()) == 200
        memory = lexical(tmp_path / str(round_))
        assert {row.id for row in memory.rows()} == {f"{name}:{n}" for name in "ab" for n in range(1, 201)}
        assert len(memory.get_relevant("stone number", 1000)) == 400
        memory.close()


def test_two_memories_in_one_process_keep_the_rows_of_another(tmp_path: Path) -> None:
    """The second one once released the locks of the first, so that the other process removed the log in use."""
    first, second = lexical(tmp_path), lexical(tmp_path, namespace="second")
    for start in (0, 10):
        said = writer(tmp_path, "other", start, count=10).communicate()
        assert said[1] == ""
        first.add("stone", id=f"first:{start}")
        second.add("stone")
    ids = {*(f"other:{n}" for n in range(1, 21)), "first:0", "first:10"}
    second.close()
    first.close()
    memory = lexical(tmp_path)
    assert {row.id for row in memory.rows()} == ids
    memory.close()


@pytest.mark.full
def test_the_size_is_told_while_another_process_deletes_rows(tmp_path: Path) -> None:
    """SQLite makes and removes a side file for each change of the copy."""
    memory = lexical(tmp_path)
    memory.add_many([MemoryRecord(str(n), "stone", {}) for n in range(400)])
    memory.close()
    code = """
import sys
from autocraft.memory import open_memory
memory = open_memory("local", path=sys.argv[1], embedder="lexical")
print(sum(memory.delete(str(n)) for n in range(400)))
"""
    with subprocess.Popen([sys.executable, "-c", code, str(tmp_path)], stdout=subprocess.PIPE, text=True) as child:
        memory = lexical(tmp_path)
        while child.poll() is None:
            assert memory.get_stats()["bytes"] > 0
        memory.close()
        assert child.stdout is not None and child.stdout.read() == "400\n"


@pytest.mark.full
def test_kill_minus_nine_keeps_every_row_that_was_acknowledged(tmp_path: Path) -> None:
    acknowledged: list[str] = []
    for round_ in range(6):
        child = writer(tmp_path, str(round_), 0, how="durable" if round_ % 2 else "")
        assert child.stdout is not None and child.stderr is not None
        lines = [child.stdout.readline() for _ in range(40 + 17 * round_)]
        os.kill(child.pid, signal.SIGKILL)
        lines += child.stdout.readlines()
        child.stdout.close()
        child.stderr.close()
        child.wait()
        acknowledged += [line.strip() for line in lines if line.endswith("\n")]
        memory = lexical(tmp_path)
        found = {row.id: row.text for row in memory.rows()}
        assert set(acknowledged) <= set(found)
        assert len(found) <= len(acknowledged) + round_ + 1  # the one that was being added
        assert all(text == f"stone number {id.split(':')[1]}" for id, text in found.items())
        assert len(memory.get_relevant("stone number", 10_000)) == len(found)
        memory.close()
    with sqlite3.connect(tmp_path / FILE) as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    database.close()


# ---------------------------------------------------------------- what can go wrong


def one_line(fault: pytest.ExceptionInfo[MemoryFault]) -> str:
    text = str(fault.value)
    assert "\n" not in text
    assert FILE in text
    return text


@pytest.mark.parametrize(
    "data", [b"this is no database\n" * 300, b"short", b"SQLite format 3\0" + b"\xff" * 4080, bytes(9000)]
)
def test_file_that_is_no_database_is_set_aside(tmp_path: Path, data: bytes) -> None:
    (tmp_path / FILE).write_bytes(data)
    memory = lexical(tmp_path)
    (aside,) = tmp_path.glob("*.bad")
    assert "there is no copy of it, so the memory begins empty" in memory.notice
    assert aside.name in memory.notice
    assert aside.read_bytes() == data
    memory.add("stone")
    memory.close()
    again = lexical(tmp_path)
    assert (again.notice, texts(again.rows())) == ("", ["stone"])
    again.close()


def test_empty_file_is_a_new_memory(tmp_path: Path) -> None:
    (tmp_path / FILE).touch()
    memory = lexical(tmp_path)
    memory.add("stone")
    memory.close()


def test_newer_format_is_refused(tmp_path: Path) -> None:
    lexical(tmp_path).close()
    database = sqlite3.connect(tmp_path / FILE)
    database.execute("PRAGMA user_version = 3")
    database.close()
    with pytest.raises(MemoryFault) as fault:
        lexical(tmp_path)
    assert "newer format 3; update autocraft" in one_line(fault)


def test_database_of_another_program_is_left_alone(tmp_path: Path) -> None:
    database = sqlite3.connect(tmp_path / FILE)
    database.execute("CREATE TABLE theirs (x)")
    database.commit()
    with pytest.raises(MemoryFault) as fault:
        lexical(tmp_path)
    assert "a database of another program" in one_line(fault)
    assert database.execute("SELECT name FROM sqlite_master").fetchall() == [("theirs",)]
    database.close()


def test_damaged_vector_is_not_found_and_harms_no_other(tmp_path: Path) -> None:
    memory = lexical(tmp_path)
    memory.add("stone", id="1")
    memory.add("stone", id="2")
    database = sqlite3.connect(tmp_path / FILE)
    database.execute("UPDATE memory SET vector = x'00' WHERE id = '2'")
    database.commit()
    database.close()
    assert [each.id for each in memory.get_relevant("stone")] == ["1"]
    assert len(memory.rows()) == 2
    memory.close()


def test_full_disk(tmp_path: Path) -> None:
    memory = lexical(tmp_path)
    memory.add("kept", id="kept")
    assert memory._database is not None
    memory._database.execute("PRAGMA max_page_count = 20")  # SQLite's own way to be full
    with pytest.raises(MemoryFault) as fault:  # noqa: PT012 - one of the hundred finds no room
        for n in range(100):
            memory.add(f"stone number {n}")
    assert "the disk is full; free some space" in one_line(fault)
    assert memory.has("kept")
    kept = len(memory.rows())
    memory._database.execute("PRAGMA max_page_count = 100000")
    memory.add("later")
    assert len(memory.rows()) == kept + 1
    memory.close()


READ_ONLY = """
import os, sys
import sqlite3
from autocraft.errors import MemoryFault
from autocraft.memory.lexical import LexicalEmbedder
from autocraft.memory.local import LocalMemory
if os.getuid() == 0:
    os.setuid(65534)
for folder in sys.argv[1:]:
    try:
        LocalMemory(folder, embedder=LexicalEmbedder())
    except MemoryFault as fault:
        print(fault)
"""


def test_folder_that_cannot_be_written() -> None:
    """In a child, because nothing is read-only to root."""
    base = Path(tempfile.mkdtemp())
    try:
        lexical(base / "old").close()
        (base / "old" / FILE).chmod(0o444)
        (base / "empty").mkdir()
        for folder in (base / "old", base / "empty", base):
            folder.chmod(0o555)
        folders = [str(base / name) for name in ("old", "empty", "missing")]
        done = subprocess.run(
            [sys.executable, "-c", READ_ONLY, *folders], capture_output=True, text=True, cwd="/", check=True
        )
        assert [line.rpartition(": ")[2] for line in done.stdout.splitlines()] == [
            "Permission denied; choose another folder"
        ] * 3
    finally:
        base.chmod(0o755)
        for folder in (base / "old", base / "empty"):
            folder.chmod(0o755)
        shutil.rmtree(base)


def test_folder_that_is_a_file_and_file_that_is_a_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "folder" / FILE).mkdir(parents=True)
    for path in (tmp_path / "file", tmp_path / "file" / "inner", tmp_path / "folder"):
        with pytest.raises(MemoryFault) as fault:
            lexical(path)
        assert "choose another folder" in one_line(fault)


def test_what_is_no_plain_file_is_left_as_it_is(tmp_path: Path) -> None:
    """A link to a device once got the device's permissions changed. A pipe stands for it, since it harms nobody."""
    os.mkfifo(tmp_path / "pipe", 0o644)
    (tmp_path / "pipe").chmod(0o644)
    (tmp_path / FILE).symlink_to(tmp_path / "pipe")
    with pytest.raises(MemoryFault) as fault:
        lexical(tmp_path)
    assert "is not a plain file; move it away" in one_line(fault)
    assert stat.S_IMODE((tmp_path / "pipe").stat().st_mode) == 0o644


def test_closed_memory(memory: LocalMemory) -> None:
    memory.add("stone")
    memory.close()
    memory.close()
    for act in (lambda: memory.add("x"), lambda: memory.get("stone"), memory.rows, memory.get_stats, memory.clear):
        with pytest.raises(MemoryFault, match="was closed; open it again"):
            act()
