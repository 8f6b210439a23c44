"""Damaged memories, on real files: what is readable is saved into a new file, and the damaged one is kept."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from autocraft.errors import MemoryFault
from autocraft.memory.lexical import LexicalEmbedder
from autocraft.memory.local import FILE, LocalMemory
from autocraft.memory.salvage import read_rows

ROWS = 300


def opened(path: Path) -> LocalMemory:
    return LocalMemory(path, embedder=LexicalEmbedder())


def filled(path: Path, rows: int = ROWS) -> bytearray:
    """A memory whose file holds everything; returns its bytes. Row 7 is longer than a page."""
    memory = opened(path)
    for n in range(rows):
        memory.add(text_of(n), id=str(n), metadata={"n": n, "session": "s"})
    memory.close()
    return bytearray((path / FILE).read_bytes())


def text_of(n: int) -> str:
    return f"stone number {n}" + (" and a very long story" * 1000 if n == 7 else "")


def reopened(path: Path) -> LocalMemory:
    """The memory after whoever met the damage went; opened again when it was met in use."""
    memory = opened(path)
    try:
        memory.rows()
        memory.get("stone number 1")
        return memory
    except MemoryFault as fault:
        assert "start again, and what is readable is put into a new file" in str(fault)
        memory.close()
        return opened(path)


def aside(path: Path) -> list[Path]:
    return sorted(path.glob(f"{FILE}.*.bad"))


def header_gone(data: bytearray) -> None:
    data[:100] = bytes(100)


def header_scrambled(data: bytearray) -> None:
    data[16:100] = b"\xff" * 84


def first_page_gone(data: bytearray) -> None:
    data[:4096] = b"\xa5" * 4096


def middle_page_gone(data: bytearray) -> None:
    page = len(data) // 4096 // 2
    data[page * 4096 : (page + 1) * 4096] = b"\xa5" * 4096


def middle_zeroed(data: bytearray) -> None:
    third = len(data) // 4096 // 3 * 4096
    data[third : 2 * third] = bytes(third)


def inner_pages_gone(data: bytearray) -> None:
    for start in range(4096, len(data), 4096):
        if data[start] in (2, 5):
            data[start : start + 4096] = bytes(4096)


def cut_in_half(data: bytearray) -> None:
    del data[len(data) // 2 + 1234 :]


@pytest.mark.parametrize(
    "damage, least",
    [
        (header_gone, ROWS),
        (header_scrambled, ROWS),
        (first_page_gone, ROWS),
        (middle_page_gone, ROWS - 3),
        (middle_zeroed, ROWS // 2),
        (inner_pages_gone, ROWS),
        (cut_in_half, ROWS // 4),
    ],
)
def test_what_is_readable_is_saved(tmp_path: Path, damage: Callable[[bytearray], None], least: int) -> None:
    data = filled(tmp_path)
    damage(data)
    (tmp_path / FILE).write_bytes(data)
    memory = reopened(tmp_path)
    rows = memory.rows()
    assert len(rows) >= least
    assert all(row.text == text_of(int(row.id)) and row.metadata == {"n": int(row.id), "session": "s"} for row in rows)
    assert len(memory.get_relevant("stone number", 10 * ROWS)) == len(rows)
    memory.add("and on it goes", id="new")
    assert memory.get("on it goes")[0].id == "new"
    memory.close()
    with sqlite3.connect(tmp_path / FILE) as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    database.close()
    (kept,) = aside(tmp_path)
    assert kept.read_bytes() == data
    assert opened(tmp_path).notice == ""


@pytest.mark.parametrize(
    "damage, least",
    [
        (("PRAGMA user_version = 0",), ROWS),
        (("PRAGMA user_version = -1",), ROWS),
        (("DROP INDEX memory_searched", "ALTER TABLE memory RENAME COLUMN vector TO vectors"), ROWS),
        (("ALTER TABLE memory RENAME TO other", "CREATE TABLE memory (seq INTEGER PRIMARY KEY, text TEXT)"), ROWS),
        (("DROP TABLE memory",), 0),
    ],
)
def test_table_that_is_not_ours_any_more(tmp_path: Path, damage: tuple[str, ...], least: int) -> None:
    """Which SQLite finds nothing wrong with."""
    filled(tmp_path)
    database = sqlite3.connect(tmp_path / FILE)
    for statement in damage:
        database.execute(statement)
    database.close()
    memory = opened(tmp_path)
    assert "was damaged" in memory.notice
    assert len(memory.rows()) == len(memory.get_relevant("stone number", 10 * ROWS)) == least
    memory.close()
    assert len(aside(tmp_path)) == 1


META = b'{"n": 5, "session": "s"}'


@pytest.mark.parametrize(
    "good, bad",
    [
        (b"stone number 5", b"stone n\xff\xfeber 5"),
        (META, META.replace(b"}", b"!")),
        (META, META.replace(b"session", b"se\xff\xfeion")),
        (META, META.replace(b"{", b"[").replace(b"}", b"]").replace(b":", b",")),
    ],
)
def test_damage_within_a_row_harms_that_row_alone(tmp_path: Path, good: bytes, bad: bytes) -> None:
    """Flipped bits in a text are seen by nobody: SQLite has no checksums."""
    data = filled(tmp_path, 40)
    at = data.index(good)
    assert len(good) == len(bad)
    data[at : at + len(good)] = bad
    (tmp_path / FILE).write_bytes(data)
    memory = opened(tmp_path)
    rows = memory.rows()
    assert len(rows) == len(memory.get_relevant("stone number", 400)) == 40
    assert [row.text == text_of(int(row.id)) and row.metadata["n"] == int(row.id) for row in rows if row.id != "5"] == (
        [True] * 39
    )
    memory.close()


def test_the_notice_tells_what_happened(tmp_path: Path) -> None:
    data = filled(tmp_path)
    header_gone(data)
    (tmp_path / FILE).write_bytes(data)
    memory = opened(tmp_path)
    (kept,) = aside(tmp_path)
    assert f"{ROWS} rows could be read" in memory.notice
    assert kept.name in memory.notice
    memory.close()


def unclosed(path: Path, rows: int) -> None:
    """A memory whose process was killed, so that its rows are in the write-ahead log."""
    code = (
        "import sys; from autocraft.memory import open_memory\n"
        "memory = open_memory('local', path=sys.argv[1], embedder='lexical')\n"
        "for n in range(int(sys.argv[2])): memory.add(f'stone number {n}', id=str(n))\n"
        "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path), str(rows)])
    assert done.returncode == -signal.SIGKILL


def test_rows_that_are_only_in_the_log_are_saved_too(tmp_path: Path) -> None:
    unclosed(tmp_path, 50)
    assert (tmp_path / f"{FILE}-wal").stat().st_size > 100_000
    data = bytearray((tmp_path / FILE).read_bytes())
    first_page_gone(data)
    (tmp_path / FILE).write_bytes(data)
    assert {row[1] for row in read_rows(tmp_path / FILE)} == {str(n) for n in range(50)}
    memory = reopened(tmp_path)
    assert sorted(int(row.id) for row in memory.rows()) == list(range(50))
    memory.close()


def test_log_gone(tmp_path: Path) -> None:
    """Only what was not yet in the file itself is lost."""
    filled(tmp_path, 20)
    unclosed(tmp_path, 50)
    (tmp_path / f"{FILE}-wal").unlink()
    (tmp_path / f"{FILE}-shm").unlink(missing_ok=True)
    memory = reopened(tmp_path)
    assert len(memory.rows()) >= 20
    memory.close()


def test_torn_log_keeps_whole_transactions(tmp_path: Path) -> None:
    unclosed(tmp_path, 50)
    log = tmp_path / f"{FILE}-wal"
    os.truncate(log, log.stat().st_size - 5000)
    rows = read_rows(tmp_path / FILE)
    assert 40 <= len(rows) < 50
    assert [row[1] for row in rows] == [str(n) for n in range(len(rows))]


def test_what_was_forgotten_does_not_come_back(tmp_path: Path) -> None:
    filled(tmp_path)
    memory = opened(tmp_path)
    for n in range(0, ROWS, 2):
        memory.delete(str(n))
    memory.close()
    data = bytearray((tmp_path / FILE).read_bytes())
    assert b"stone number 8\x00" not in data
    header_gone(data)
    (tmp_path / FILE).write_bytes(data)
    memory = opened(tmp_path)
    assert sorted(int(row.id) for row in memory.rows()) == list(range(1, ROWS, 2))
    memory.close()


def test_false_alarm_changes_nothing(tmp_path: Path) -> None:
    """The mark that somebody met damage, on a file that is sound, or was moved away since."""
    data = filled(tmp_path, 5)
    (tmp_path / f"{FILE}.damaged").touch()
    memory = opened(tmp_path)
    assert (memory.notice, len(memory.rows()), aside(tmp_path)) == ("", 5, [])
    memory.close()
    assert (tmp_path / FILE).read_bytes()[100:] == data[100:]
    (tmp_path / f"{FILE}.damaged").touch()
    (tmp_path / FILE).unlink()
    memory = opened(tmp_path)
    assert memory.rows() == []
    memory.close()


def test_file_in_use_is_not_taken_away(tmp_path: Path) -> None:
    data = filled(tmp_path)
    user = opened(tmp_path)
    user.rows()
    header_gone(data)
    (tmp_path / FILE).write_bytes(data)
    with pytest.raises(MemoryFault, match="damaged and in use by another run; stop that one"):
        opened(tmp_path)
    user.close()
    memory = opened(tmp_path)
    assert len(memory.rows()) == ROWS
    memory.close()


OPENED = """
import sys
from autocraft.memory.lexical import LexicalEmbedder
from autocraft.memory.local import LocalMemory
memory = LocalMemory(sys.argv[1], embedder=LexicalEmbedder())
print(len(memory.rows()), bool(memory.notice))
"""


def test_several_that_find_the_damage_at_once(tmp_path: Path) -> None:
    """One of them rebuilds the file and says so; none is sent away."""
    data = filled(tmp_path, 20)
    header_gone(data)
    (tmp_path / FILE).write_bytes(data)
    command = [sys.executable, "-c", OPENED, str(tmp_path)]
    children = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(4)]
    said = [child.communicate() for child in children]
    assert [error for _, error in said] == [""] * 4
    assert [out.split()[0] for out, _ in said] == ["20"] * 4
    assert "20 True\n" in [out for out, _ in said]


KILLED = """
import os, signal, sys
from pathlib import Path
from autocraft.memory.lexical import LexicalEmbedder
from autocraft.memory.local import LocalMemory
count = int(sys.argv[2])
def dying(self, target, real=Path.replace):
    global count
    count -= 1
    if count < 0:
        os.kill(os.getpid(), signal.SIGKILL)
    return real(self, target)
Path.replace = dying
LocalMemory(sys.argv[1], embedder=LexicalEmbedder()).close()
"""


def test_rebuilding_that_is_killed_is_gone_on_with(tmp_path: Path) -> None:
    """At each renaming: of the new file, of the damaged one and its log, and of the new one into its place."""
    unclosed(tmp_path / "whole", 40)
    for step in range(6):
        path = tmp_path / str(step)
        path.mkdir()
        for suffix in ("", "-wal"):
            data = bytearray((tmp_path / "whole" / f"{FILE}{suffix}").read_bytes())
            if not suffix:
                first_page_gone(data)
            (path / f"{FILE}{suffix}").write_bytes(data)
        done = subprocess.run([sys.executable, "-c", KILLED, str(path), str(step)], capture_output=True, text=True)
        assert done.returncode in (0, -signal.SIGKILL), done.stderr
        memory = opened(path)
        assert sorted(int(row.id) for row in memory.rows()) == list(range(40)), step
        memory.close()


@pytest.mark.parametrize("data", [b"", b"\x00" * 50_000, os.urandom(100_000), b"\x0d" * 40_960])
def test_nonsense_gives_no_rows(tmp_path: Path, data: bytes) -> None:
    (tmp_path / FILE).write_bytes(data)
    (tmp_path / f"{FILE}-wal").write_bytes(data)
    assert read_rows(tmp_path / FILE) == []


def test_flipped_bytes_never_crash_the_reading(tmp_path: Path) -> None:
    """Damage anywhere in a page may change what is read, but every row still has the shape of one."""
    whole = filled(tmp_path, 40)
    for seed in range(60):
        data = bytearray(whole)
        for at in range(seed * 37 % 211, len(data), 211):
            data[at] ^= 1 + seed
        (tmp_path / FILE).write_bytes(data)
        for row in read_rows(tmp_path / FILE):
            assert isinstance(row[3], str)
            assert row[6] > 0
