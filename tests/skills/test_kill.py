"""kill -9 at every step on disk leaves the old or the new whole; and several processes lose nothing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from autocraft.skills.store import Library
from autocraft.skills.uses import read_uses
from tests.conftest import Place
from tests.skills.conftest import draft, program

ROOT = Path(__file__).parents[2]
STEPS = 13
"""How many of all the places to die a quick run tries, evenly spread."""
BODIES = {name: {program(name, f"{body}();") for body in ("one", "two", "three")} for name in ("a", "b")}


def change(folder: Path, nth: int) -> subprocess.CompletedProcess[str]:
    return Place(folder.parent).python("-m", "tests.skills.changer", str(folder), str(nth))


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> int:
    """How many steps on disk there are to die at."""
    done = change(tmp_path_factory.mktemp("whole") / "skills", 0)
    assert done.returncode == 0, done.stderr
    return int(done.stdout)


def check_whole(folder: Path) -> None:
    """Every skill can be read with all its versions, and can be changed as if nothing had been."""
    library = Library(folder)
    entries, bad = library.entries()
    assert bad == {}
    for entry in entries:
        assert not entry.altered
        for version in entry.skill.versions:
            assert library.code(entry.name, version.number) in BODIES[entry.name]
    for kept in library.list_trash():
        assert (folder / ".trash" / kept / "skill.json").exists()
    for name in ("a", "b"):
        if name in library.names():
            library.delete(name)
        skill, _ = library.save(name, draft(name, "after();"))
        assert [each.number for each in skill.versions] == [1]
    assert not list(folder.glob("?/**/.*.tmp"))


def kill_at(tmp_path: Path, chosen: list[int]) -> None:
    for nth in chosen:
        folder = tmp_path / str(nth) / "skills"
        folder.parent.mkdir()
        assert change(folder, nth).returncode == -9, f"step {nth}"
        check_whole(folder)


@pytest.mark.full
def test_killed_at_some_steps(tmp_path: Path, places: int) -> None:
    assert places > 40
    kill_at(tmp_path, sorted({1 + n * (places - 1) // (STEPS - 1) for n in range(STEPS)}))


@pytest.mark.full
def test_killed_at_every_step(tmp_path: Path, places: int) -> None:
    kill_at(tmp_path, list(range(1, places + 1)))


SAVER = """
import sys
from pathlib import Path
from autocraft.skills.store import Library
from autocraft.skills.uses import record_use
from tests.conftest import Place
from tests.skills.conftest import draft
library, who = Library(Path(sys.argv[1])), sys.argv[2]
for n in range(10):
    library.save("shared", draft("shared", f"{who}{n}();"))
    record_use(library.folder, "shared", 1, n % 2 == 0, task=who)
    library.save(f"own{who}{n}", draft(f"own{who}{n}"))
"""


@pytest.mark.full
def test_three_processes_at_once_lose_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "skills"
    Library(folder).save("shared", draft("shared", "first();"))
    running = [
        subprocess.Popen([sys.executable, "-c", SAVER, str(folder), who], cwd=ROOT, stderr=subprocess.PIPE)
        for who in "xyz"
    ]
    for each in running:
        _, said = each.communicate(timeout=300)
        assert each.returncode == 0, said.decode()
    library = Library(folder)
    shared = library.entry("shared").skill
    codes = {library.code("shared", each.number) for each in shared.versions}
    wanted = {program("shared", f"{who}{n}();") for who in "xyz" for n in range(10)}
    assert codes == wanted | {program("shared", "first();")}
    assert len(shared.versions) == 31
    assert len(library.names()) == 31
    uses = read_uses(folder, "shared")
    assert (uses.total, uses.successes, uses.unreadable) == (30, 15, 0)


def test_a_torn_line_of_uses_costs_only_itself(library: Library) -> None:
    from autocraft.skills.uses import record_use

    library.save("a", draft("a"))
    path = library.folder / "a/uses.jsonl"
    record_use(library.folder, "a", 1, True)
    with path.open("ab") as file:
        file.write(b'{"t": "2026-01-01T00:00:00Z", "versi')
    record_use(library.folder, "a", 2, False)
    path.write_bytes(path.read_bytes() + b"\xff\xfe\n[]\n" + b"[" * 100_000 + b"\n")
    uses = read_uses(library.folder, "a")
    assert (uses.total, uses.successes, uses.unreadable) == (2, 1, 4)
    assert uses.by_version == {1: (1, 1), 2: (1, 0)}
    assert str(uses) == "used 2 times, 1 with success"
