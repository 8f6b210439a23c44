"""What only the local memory promises, on real SQLite files. The rest is in test_contract.py."""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
import struct
import subprocess
import sys
import tempfile
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
from tests.memory.writer import writer

pytestmark = pytest.mark.sampled(9)


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
    with pytest.raises(UsageError, match="unknown memory 'redis': choose local, pinecone, pgvector, none"):
        open_memory("redis")
    for options in ({}, {"path": tmp_path, "colour": "red"}):
        with pytest.raises(UsageError, match="check its options"):
            open_memory("local", **options)


@pytest.mark.parametrize("path", [None, 5, "a\0b"])
def test_what_is_no_folder_is_refused(path: Any) -> None:
    with pytest.raises(MemoryFault, match=r"needs a folder, and .* is not one"):
        open_memory("local", path=path)


@pytest.mark.parametrize("backend", [None, 5, []])
def test_what_is_no_name_of_a_memory_is_refused(backend: Any) -> None:
    with pytest.raises(UsageError, match=r"unknown memory .*choose local, pinecone"):
        open_memory(backend)


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
    (tmp_path / "memory" / FILE).chmod(0o644)
    lexical(tmp_path / "memory").close()
    assert stat.S_IMODE((tmp_path / "memory" / FILE).stat().st_mode) == 0o600


# ---------------------------------------------------------------- finding


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


# ---------------------------------------------------------------- processes


def test_two_memories_in_one_process_keep_the_rows_of_another(tmp_path: Path) -> None:
    """The second one once released the locks of the first, so that the other process removed the log in use."""
    first, second = lexical(tmp_path), lexical(tmp_path, namespace="second")
    for name in ("one", "two"):
        said = writer("local", {"path": str(tmp_path)}, name, 1, 10).communicate()
        assert said[1] == ""
        first.add("stone", id=f"first:{name}")
        second.add("stone")
    ids = {*(f"{name}:{n}" for name in ("one", "two") for n in range(10)), "first:one", "first:two"}
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
