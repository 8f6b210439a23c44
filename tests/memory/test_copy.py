"""The copy beside the local memory: when it is made, what it holds, and what is never in it."""

from __future__ import annotations

import shutil
import sqlite3
import stat
from pathlib import Path

import pytest

from autocraft.memory.local import FILE
from autocraft.protocols import MemoryRecord
from tests.memory.test_damage import COPY, ROWS, aside, check_all_there, filled, header_gone, opened


def test_the_copy_is_private_and_whole(tmp_path: Path) -> None:
    filled(tmp_path, 20)
    assert stat.S_IMODE((tmp_path / COPY).stat().st_mode) == 0o600
    shutil.copy(tmp_path / COPY, tmp_path / "other.sqlite3")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / COPY).replace(tmp_path / "elsewhere" / FILE)
    memory = opened(tmp_path / "elsewhere")
    check_all_there(memory, 20)
    memory.close()


def test_the_copy_is_made_by_the_last_who_closes_and_only_after_a_change(tmp_path: Path) -> None:
    one, other = opened(tmp_path), opened(tmp_path)
    one.add("stone")
    one.close()
    assert not (tmp_path / COPY).exists()
    other.close()
    made = (tmp_path / COPY).stat()
    reading = opened(tmp_path)
    reading.get("stone")
    reading.close()
    assert (tmp_path / COPY).stat().st_ino == made.st_ino
    writing = opened(tmp_path)
    writing.add("iron")
    writing.close()
    assert (tmp_path / COPY).stat().st_ino != made.st_ino


def test_a_large_memory_gets_no_copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("autocraft.memory.backup.LARGEST", 100_000)
    filled(tmp_path, 1)
    assert (tmp_path / COPY).exists()
    (tmp_path / COPY).unlink()
    memory = opened(tmp_path)
    memory.add_many([MemoryRecord(f"more {n}", f"stone {n}", {}) for n in range(100)])
    memory.close()
    assert not (tmp_path / COPY).exists()


def test_damage_that_is_met_at_the_close_keeps_the_older_copy(tmp_path: Path) -> None:
    """The damage lies in old rows that this run did not read. The next one that opens the memory replaces it."""
    data = filled(tmp_path)
    copy = (tmp_path / COPY).read_bytes()
    data[-2 * 4096 : -4096] = bytes(4096)
    (tmp_path / FILE).write_bytes(data)
    memory = opened(tmp_path)
    assert memory.notice == ""
    memory.add("the newest", id="newest")
    memory.close()
    assert (tmp_path / COPY).read_bytes() == copy
    memory = opened(tmp_path)
    assert f"with {ROWS} rows is in its place" in memory.notice
    assert [row.id for row in memory.rows()] == [*map(str, range(ROWS))]
    memory.close()


def test_a_damaged_copy_is_set_aside_too(tmp_path: Path) -> None:
    data = filled(tmp_path)
    copy = bytearray((tmp_path / COPY).read_bytes())
    header_gone(data)
    copy[-20 * 4096 :] = b"\xa5" * (20 * 4096)
    (tmp_path / FILE).write_bytes(data)
    (tmp_path / COPY).write_bytes(copy)
    memory = opened(tmp_path)
    assert memory.notice.endswith("so the memory begins empty")
    assert all(each.name in memory.notice for each in aside(tmp_path))
    assert memory.rows() == []
    memory.close()
    assert {each.read_bytes() for each in aside(tmp_path)} == {bytes(data), bytes(copy)}
    with sqlite3.connect(tmp_path / COPY) as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    database.close()


@pytest.mark.parametrize("at_once", [True, False])
@pytest.mark.sampled(1)
def test_what_was_forgotten_does_not_come_back(tmp_path: Path, at_once: bool) -> None:
    """Also where the program that forgot it was killed before it could make a new copy."""
    filled(tmp_path)
    memory = opened(tmp_path)
    for n in range(0, ROWS, 2):
        memory.delete(str(n))
    assert b"stone number 8s" not in (tmp_path / COPY).read_bytes()
    path = tmp_path
    if at_once:
        path = tmp_path / "as it stood"
        path.mkdir()
        for name in (FILE, COPY):
            shutil.copy(tmp_path / name, path / name)
    memory.close()
    data = bytearray((path / FILE).read_bytes())
    assert b"stone number 8lexical" not in (tmp_path / FILE).read_bytes() + (tmp_path / COPY).read_bytes()
    header_gone(data)
    (path / FILE).write_bytes(data)
    memory = opened(path)
    assert sorted(int(row.id) for row in memory.rows()) == list(range(1, ROWS, 2))
    assert memory.clear() == ROWS // 2
    memory.close()
