"""The local memory when it is killed as it closes, when the disk is full, and when its format is older."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from autocraft.errors import MemoryFault
from autocraft.memory.lexical import LexicalEmbedder
from autocraft.memory.local import FILE, LocalMemory
from autocraft.protocols import MemoryRecord
from tests.conftest import unmeasured
from tests.memory.writer import writer


def alone(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run code whose calls are counted and whose files are limited, so without those of `make coverage`."""
    command, environment = [sys.executable, "-c", code, *arguments], unmeasured(os.environ)
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True)


def test_batch_is_kept_whole_or_not_at_all(tmp_path: Path) -> None:
    memory = LocalMemory(tmp_path, embedder=LexicalEmbedder())
    assert memory._database is not None
    memory.add_many([MemoryRecord("kept", "kept", {})])
    memory._database.execute("PRAGMA max_page_count = 60")  # SQLite's own way to be full
    with pytest.raises(MemoryFault, match=r"^[^\n]*the disk is full; free some space"):
        memory.add_many([MemoryRecord(str(n), f"stone {n}", {}) for n in range(5000)])
    assert [row.id for row in memory.rows()] == ["kept"]
    memory._database.execute("PRAGMA max_page_count = 1000000")
    assert memory.add_many([MemoryRecord(str(n % 100), f"stone {n}", {}) for n in range(5000)]) == 100
    memory.close()


FULL = """
import resource, signal, sys
from autocraft.errors import MemoryFault
from autocraft.memory import open_memory
memory = open_memory("local", path=sys.argv[1], embedder="lexical")
memory.add("kept", id="kept")
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))
n = 0
try:
    while True:
        memory.add(f"stone {n}", id=str(n))
        n += 1
except MemoryFault as fault:
    print(n)
    print(fault)
print(len(memory.rows()) == n + 1)
"""


def test_no_room_for_the_file(tmp_path: Path) -> None:
    """The system itself refuses to let the files grow."""
    done = alone(FULL, str(tmp_path))
    count, fault, whole = done.stdout.splitlines()
    assert "free some space or check it (no stored row is lost)" in fault
    assert whole == "True"
    memory = LocalMemory(tmp_path, embedder=LexicalEmbedder())
    assert len(memory.rows()) == int(count) + 1
    memory.add("later", id="later")
    memory.close()


VERSION_1 = """
CREATE TABLE memory (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL, namespace TEXT NOT NULL, text TEXT NOT NULL,
    metadata TEXT NOT NULL, embedder TEXT NOT NULL, dimension INTEGER NOT NULL, vector BLOB NOT NULL,
    created REAL NOT NULL, UNIQUE (namespace, id)
);
CREATE INDEX memory_searched ON memory (namespace, embedder, dimension);
PRAGMA user_version = 1;
"""


def test_older_format_is_brought_up(tmp_path: Path) -> None:
    """By two that open it at once as well; rows stay, and a session's are found by an index."""
    database = sqlite3.connect(tmp_path / FILE)
    database.executescript(VERSION_1)
    (vector,) = LexicalEmbedder().embed(["stone"])
    for n in range(20):
        row = (f"{n}", "default", "stone", f'{{"session": "s{n % 2}"}}', "lexical-1", 512, vector, 1.5)
        database.execute("INSERT INTO memory VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?)", row)
    database.commit()
    database.close()
    both = [writer("local", {"path": str(tmp_path), "embedder": "lexical"}, name, 1, 5) for name in "ab"]
    for child in both:
        assert child.communicate()[1] == ""
    memory = LocalMemory(tmp_path, embedder=LexicalEmbedder())
    assert len(memory.get_relevant("stone", 100)) == 30
    assert [row.id for row in memory.rows(session="s1")] == [str(n) for n in range(1, 20, 2)]
    assert memory._database is not None
    assert memory._database.execute("PRAGMA user_version").fetchone() == (2,)
    query = "SELECT id FROM memory WHERE namespace = 'default' AND json_extract(metadata, '$.session') = 's1'"
    plan = memory._database.execute("EXPLAIN QUERY PLAN " + query).fetchall()
    assert "memory_by_session" in plan[0][3]
    memory.close()


CLOSING = """
import os, resource, shutil, signal, sys
from autocraft.memory import open_memory
import autocraft.memory.lexical, autocraft.memory.local
folder, most = sys.argv[1], int(sys.argv[2])
TOUCHES = {"connect", "execute", "backup", "open", "close", "unlink", "replace", "fsync"}

def dies_at(call):
    left = call
    def count(frame, event, argument):
        nonlocal left
        left -= event == "c_call" and argument.__name__ in TOUCHES
        if left < 0:
            os.kill(os.getpid(), signal.SIGKILL)
    return count

def close(path, call):
    memory = open_memory("local", path=path, embedder="lexical")
    memory.add("newest", id="newest")
    if call >= 0:
        sys.setprofile(dies_at(call))
    else:  # in the middle of SQLite's own writing of the copy
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000))
    memory.close()
    os._exit(0)

for call in range(-1, most):
    path = f"{folder}/{call}"
    shutil.copytree(f"{folder}/old", path)
    child = os.fork()
    if not child:
        close(path, call)
    print(os.waitpid(child, 0)[1] & 0x7F, flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows cannot fork")
@pytest.mark.full
def test_killed_at_any_step_of_the_close_leaves_the_old_or_the_new_copy(tmp_path: Path) -> None:
    """At each call of the close that reaches the disk, and within SQLite's own writing of the copy."""
    memory = LocalMemory(tmp_path / "old", embedder=LexicalEmbedder())
    old = [str(n) for n in range(30)]
    memory.add_many([MemoryRecord(id, f"stone {id}", {}) for id in old])
    memory.close()
    most = 45
    done = alone(CLOSING, str(tmp_path), str(most))
    ends = [int(line) for line in done.stdout.split()]
    assert ends[0] == signal.SIGXFSZ
    assert ends[1:] == sorted(ends[1:], reverse=True)
    assert {ends[1], ends[-1]} == {signal.SIGKILL, 0}
    seen = []
    for call in range(-1, most):
        path = tmp_path / str(call)
        copy = sqlite3.connect(path / f"{FILE}.copy")
        assert copy.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        ids = [id for (id,) in copy.execute("SELECT id FROM memory ORDER BY seq")]
        copy.close()
        assert ids in (old, [*old, "newest"])
        seen.append(len(ids))
        if call in (-1, 0, most // 3, most // 2):
            memory = LocalMemory(path, embedder=LexicalEmbedder())
            assert [row.id for row in memory.rows()] == [*old, "newest"]
            memory.close()
            assert sorted(each.name for each in path.iterdir()) == ["memory.lock", FILE, f"{FILE}.copy"]
    assert seen == sorted(seen)
    assert (seen[0], seen[1], seen[-1]) == (30, 30, 31)
