"""Damaged memories, on real files: the damaged one is set aside, and its copy is put in its place."""

from __future__ import annotations

import contextlib
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from autocraft.errors import MemoryFault
from autocraft.memory.lexical import LexicalEmbedder
from autocraft.memory.local import FILE, LocalMemory

ROWS = 300
COPY = f"{FILE}.copy"


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
        assert "is damaged; start again, and its copy is put in its place" in str(fault)
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


def cell_pointers_scrambled(data: bytearray) -> None:
    for start in range(4096, len(data), 4096):
        if data[start] == 13:
            data[start + 8 : start + 40] = b"\xff" * 32


def emptied(data: bytearray) -> None:
    data.clear()


def test_a_file_emptied_beside_its_log_comes_back_from_the_copy(tmp_path: Path) -> None:
    filled(tmp_path)
    memory = opened(tmp_path)
    memory.add("one more", id="more")
    log = (tmp_path / f"{FILE}-wal").read_bytes()
    assert log, "the control: a run that is killed leaves a log"
    memory.close()
    (tmp_path / FILE).write_bytes(b"")
    (tmp_path / f"{FILE}-wal").write_bytes(log)
    memory = reopened(tmp_path)
    assert "set aside" in memory.notice
    assert len(memory.rows()) >= ROWS
    memory.close()


def cut_in_half(data: bytearray) -> None:
    del data[len(data) // 2 + 1234 :]


DAMAGES = [
    header_gone,
    header_scrambled,
    first_page_gone,
    middle_page_gone,
    middle_zeroed,
    inner_pages_gone,
    cell_pointers_scrambled,
    cut_in_half,
    emptied,
]


def check_all_there(memory: LocalMemory, rows: int) -> None:
    """The memory holds rows 0 up to `rows`, finds them, and takes a new one."""
    found = memory.rows()
    assert [(row.id, row.text, row.metadata) for row in found] == [
        (str(n), text_of(n), {"n": n, "session": "s"}) for n in range(rows)
    ]
    assert len(memory.get_relevant("stone number", 10 * ROWS)) == rows
    memory.add("and on it goes", id="new")
    assert memory.get("on it goes")[0].id == "new"


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.sampled(1)
def test_the_copy_takes_the_place_of_a_damaged_file(tmp_path: Path, damage: Callable[[bytearray], None]) -> None:
    data = filled(tmp_path)
    damage(data)
    (tmp_path / FILE).write_bytes(data)
    memory = reopened(tmp_path)
    check_all_there(memory, ROWS)
    memory.close()
    with sqlite3.connect(tmp_path / FILE) as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    database.close()
    (kept,) = aside(tmp_path)
    assert kept.read_bytes() == data
    assert opened(tmp_path).notice == ""


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.sampled(4)
def test_without_a_copy_the_memory_begins_empty(tmp_path: Path, damage: Callable[[bytearray], None]) -> None:
    """The control: each of these damages is a real one. The file itself is kept."""
    if damage is emptied:
        pytest.skip("without a copy, an empty file is a new memory")
    data = filled(tmp_path)
    damage(data)
    (tmp_path / FILE).write_bytes(data)
    (tmp_path / COPY).unlink()
    memory = reopened(tmp_path)
    (kept,) = aside(tmp_path)
    assert memory.notice.endswith(f"set aside as {kept.name}; there is no copy of it, so the memory begins empty")
    assert memory.rows() == []
    assert kept.read_bytes() == bytes(data)
    memory.close()


@pytest.mark.parametrize(
    "damage",
    [
        ("PRAGMA user_version = 0",),
        ("PRAGMA user_version = -1",),
        ("DROP INDEX memory_searched", "ALTER TABLE memory RENAME COLUMN vector TO vectors"),
        ("ALTER TABLE memory RENAME TO other", "CREATE TABLE memory (seq INTEGER PRIMARY KEY, text TEXT)"),
        ("DROP TABLE memory",),
    ],
)
@pytest.mark.sampled(1)
def test_table_that_is_not_ours_any_more(tmp_path: Path, damage: tuple[str, ...]) -> None:
    """Which SQLite finds nothing wrong with."""
    filled(tmp_path)
    database = sqlite3.connect(tmp_path / FILE)
    for statement in damage:
        database.execute(statement)
    database.close()
    memory = opened(tmp_path)
    assert "was damaged" in memory.notice
    check_all_there(memory, ROWS)
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


def test_damage_within_a_row_does_not_stop_the_copying(tmp_path: Path) -> None:
    data = filled(tmp_path, 40)
    at = data.index(META)
    data[at : at + 1] = b"!"
    (tmp_path / FILE).write_bytes(data)
    memory = opened(tmp_path)
    memory.add("later", id="later")
    memory.close()
    assert b"later" in (tmp_path / COPY).read_bytes()


def test_the_notice_tells_what_happened(tmp_path: Path) -> None:
    """What was set aside, what is in its place, and what is missing from it."""
    data = filled(tmp_path)
    header_gone(data)
    (tmp_path / FILE).write_bytes(data)
    os.utime(tmp_path / COPY, (1_790_000_000, 1_790_000_000))
    memory = opened(tmp_path)
    (kept,) = aside(tmp_path)
    date = "2026-09-21"
    assert f"was damaged and is set aside as {kept.name}" in memory.notice
    assert f"its copy of {date}" in memory.notice
    assert f"with {ROWS} rows is in its place, without what was added after that" in memory.notice
    assert "\n" not in memory.notice
    memory.close()


def unclosed(path: Path, first: int, end: int) -> None:
    """A memory whose process was killed, so that its rows are in the write-ahead log."""
    code = (
        "import sys; from autocraft.memory import open_memory\n"
        "memory = open_memory('local', path=sys.argv[1], embedder='lexical')\n"
        "for n in range(int(sys.argv[2]), int(sys.argv[3])):\n"
        "    memory.add(f'stone number {n}', id=str(n), metadata={'n': n, 'session': 's'})\n"
        "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path), str(first), str(end)])
    assert done.returncode == -signal.SIGKILL


def newest_ids(file: Path, most: int) -> list[str]:
    with contextlib.closing(sqlite3.connect(file)) as database:
        return [id for (id,) in database.execute("SELECT id FROM memory ORDER BY seq DESC LIMIT ?", (most,))]


def test_rows_since_the_copy_stay_in_the_file_set_aside(tmp_path: Path) -> None:
    """With its log, so that SQLite still reads them there."""
    filled(tmp_path)
    unclosed(tmp_path, ROWS, ROWS + 20)
    data = bytearray((tmp_path / FILE).read_bytes())
    middle_zeroed(data)
    (tmp_path / FILE).write_bytes(data)
    memory = reopened(tmp_path)
    assert f"with {ROWS} rows is in its place" in memory.notice
    check_all_there(memory, ROWS)
    memory.close()
    (kept,) = aside(tmp_path)
    assert newest_ids(kept, 20) == [str(n) for n in reversed(range(ROWS, ROWS + 20))]


def test_log_gone(tmp_path: Path) -> None:
    """Only what was not yet in the file itself is lost."""
    filled(tmp_path, 20)
    unclosed(tmp_path, 20, 50)
    (tmp_path / f"{FILE}-wal").unlink()
    (tmp_path / f"{FILE}-shm").unlink(missing_ok=True)
    memory = reopened(tmp_path)
    assert [row.id for row in memory.rows()][:20] == [str(n) for n in range(20)]
    memory.close()


def test_torn_log_keeps_whole_transactions(tmp_path: Path) -> None:
    unclosed(tmp_path, 0, 50)
    log = tmp_path / f"{FILE}-wal"
    os.truncate(log, log.stat().st_size - 5000)
    memory = reopened(tmp_path)
    ids = [row.id for row in memory.rows()]
    assert 40 <= len(ids) < 50
    assert ids == [str(n) for n in range(len(ids))]
    memory.close()


def test_false_alarm_changes_nothing(tmp_path: Path) -> None:
    """The mark that somebody met damage, on a file that is sound."""
    data = filled(tmp_path, 5)
    (tmp_path / f"{FILE}.damaged").touch()
    memory = opened(tmp_path)
    assert (memory.notice, len(memory.rows()), aside(tmp_path)) == ("", 5, [])
    memory.close()
    assert (tmp_path / FILE).read_bytes()[100:] == data[100:]
    assert not (tmp_path / f"{FILE}.damaged").exists()


def test_damaged_file_that_the_person_moved_away_is_replaced(tmp_path: Path) -> None:
    filled(tmp_path, 5)
    (tmp_path / f"{FILE}.damaged").touch()
    (tmp_path / FILE).unlink()
    memory = opened(tmp_path)
    assert memory.notice.startswith(f"the memory {tmp_path / FILE} was damaged; its copy of ")
    assert len(memory.rows()) == 5
    memory.close()
    assert opened(tmp_path).notice == ""


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
    """One of them replaces the file and says so; none is sent away."""
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


def killed_at_each_renaming(whole: Path, damage: Callable[[bytearray], None], *, marked: bool) -> Iterator[Path]:
    """Yield copies of the folder `whole` with this damage, where a program was killed while it replaced the file."""
    ends = []
    for step in range(5):
        path = whole.with_name(str(step))
        path.mkdir()
        for each in whole.glob(f"{FILE}*"):
            data = bytearray(each.read_bytes())
            if each.name == FILE:
                damage(data)
            (path / each.name).write_bytes(data)
        if marked:
            (path / f"{FILE}.damaged").touch()
        done = subprocess.run([sys.executable, "-c", KILLED, str(path), str(step)], capture_output=True, text=True)
        ends.append(done.returncode)
        yield path
    assert ends == sorted(ends)
    assert {ends[0], ends[1], ends[-1]} == {-signal.SIGKILL, 0}


@pytest.mark.full
@pytest.mark.parametrize("damage", [header_gone, middle_zeroed])
def test_replacing_that_is_killed_is_finished_by_the_next(tmp_path: Path, damage: Callable[[bytearray], None]) -> None:
    """At each renaming: of the damaged file, and of the restored one into its place. Damage is met, or was marked."""
    filled(tmp_path / "whole", 30)
    if damage is middle_zeroed:
        unclosed(tmp_path / "whole", 30, 40)
    for path in killed_at_each_renaming(tmp_path / "whole", damage, marked=damage is middle_zeroed):
        memory = opened(path)
        assert sorted(int(row.id) for row in memory.rows()) == list(range(30)), path
        memory.close()
        (kept,) = aside(path)
        if damage is middle_zeroed:
            assert newest_ids(kept, 1) == ["39"]
        assert not (path / f"{FILE}.damaged").exists()
