"""A second process of the workspace swaps what autocraft is writing or hashing; nothing outside changes."""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
import select
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from autocraft.commands.workspace import FileCaps, Workspace
from autocraft.errors import CommandError, InUse
from autocraft.session.atomic import lock_file, write_atomic
from tests.conftest import ROOT
from tests.security.count import Tally

Kind = Callable[[str], Tally]
SECRET = "the-bait-outside"
DATA = b"x" * 300_000
ROUNDS = 400

LINK_FOR_TEMPORARY = """
import os, sys
os.chdir(sys.argv[1])
print("ready", flush=True)
while os.getppid() == int(sys.argv[3]):
    for name in os.listdir("."):
        if name.endswith(".tmp"):
            try: os.symlink(sys.argv[2], "link")
            except FileExistsError: pass
            try: os.stat(name); os.rename("link", name)
            except OSError: pass
"""
SWAP_FILE = """
import os, sys
os.chdir(sys.argv[1])
os.symlink(sys.argv[2], "link"); os.mkfifo("pipe")
print("ready", flush=True)
while os.getppid() == int(sys.argv[3]):
    for trap in ("link", "pipe"):
        if trap in sys.argv[4:]:
            os.rename("b.txt", "parked"); os.rename(trap, "b.txt")
            os.rename("b.txt", trap); os.rename("parked", "b.txt")
"""


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """With a file in it, and one outside that only its owner may read."""
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret.txt").write_text(SECRET)
    (tmp_path / "outside" / "secret.txt").chmod(0o600)
    (tmp_path / "workspace").mkdir()
    (tmp_path / "workspace" / "a.txt").write_text("a")
    (tmp_path / "workspace" / "b.txt").write_text("b")
    return Workspace(tmp_path / "workspace")


def secret(workspace: Workspace) -> Path:
    return workspace.root.parent / "outside" / "secret.txt"


@contextlib.contextmanager
def attacker(workspace: Workspace, program: str, *more: str) -> Iterator[None]:
    arguments = [sys.executable, "-c", program, str(workspace.root), str(secret(workspace)), str(os.getpid()), *more]
    child = subprocess.Popen(arguments, stdout=subprocess.PIPE)
    assert child.stdout is not None and child.stdout.readline() == b"ready\n"
    try:
        yield
    finally:
        child.kill()
        child.wait()
        child.stdout.close()


# ---------------------------------------------------------------- writing


def careless_write(path: Path, data: bytes, mode: int) -> None:
    """As it was: the permissions are set by name."""
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(6)}.tmp")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
    with contextlib.suppress(OSError):
        temporary.chmod(mode)
        temporary.replace(path)


@pytest.mark.full
def test_permissions_of_a_file_outside_stay_and_a_swapped_file_is_told(workspace: Workspace, tally: Kind) -> None:
    attacks, path, told = tally("swapped files"), workspace.resolve("a.txt"), 0
    with attacker(workspace, LINK_FOR_TEMPORARY):
        for _ in range(ROUNDS):
            with contextlib.suppress(OSError):
                path.unlink()
            try:
                workspace.write(path, DATA, mode=0o777)
            except CommandError as error:
                told += "another process replaced it" in str(error)
                continue
            attacks.add("a link where the file was written", path.is_symlink() or path.read_bytes() != DATA)
    attacks.add("the permissions outside", secret(workspace).stat().st_mode & 0o777 != 0o600)
    attacks.add("the bytes outside", secret(workspace).read_text() != SECRET)
    attacks.done()
    assert told, "the attack came through to the check after the rename at least once"


def test_the_same_attack_changes_permissions_that_are_set_by_name(workspace: Workspace) -> None:
    with attacker(workspace, LINK_FOR_TEMPORARY):
        for _ in range(20_000):
            careless_write(workspace.root / "a.txt", DATA, 0o777)
            if secret(workspace).stat().st_mode & 0o777 == 0o777:
                return
    pytest.fail("the race proves nothing")


def test_a_folder_that_is_swapped_while_a_file_is_written_gets_nothing(tmp_path: Path) -> None:
    """The folder is held open: the file goes into the one that was there first, whatever its path means then."""
    (tmp_path / "mine").mkdir()
    (tmp_path / "theirs").mkdir()

    moved = tmp_path / "moved"
    write_atomic(tmp_path / "mine" / "file", b"first", mode=0o640)
    real = os.fsync
    swapped: list[int] = []

    def swap(descriptor: int) -> None:
        if not swapped:
            swapped.append(descriptor)
            (tmp_path / "mine").rename(moved)
            (tmp_path / "mine").symlink_to(tmp_path / "theirs")
        real(descriptor)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", swap)
        write_atomic(tmp_path / "mine" / "file", b"second")
    assert (moved / "file").read_bytes() == b"second" and (moved / "file").stat().st_mode & 0o777 == 0o640
    assert list((tmp_path / "theirs").iterdir()) == [] and [each.name for each in moved.iterdir()] == ["file"]


def test_a_lock_changes_the_permissions_of_what_it_opened(tmp_path: Path) -> None:
    held = lock_file(tmp_path / "lock", "it")
    assert (tmp_path / "lock").stat().st_mode & 0o777 == 0o600
    with pytest.raises(InUse):
        lock_file(tmp_path / "lock", "it")
    held.close()
    os.mkfifo(tmp_path / "pipe", 0o644)
    with contextlib.suppress(InUse):
        lock_file(tmp_path / "pipe", "it").close()
    assert (tmp_path / "pipe").stat().st_mode & 0o777 == 0o644


# ---------------------------------------------------------------- digests


DIGESTS = """
import hashlib, os, stat, sys
from pathlib import Path
from autocraft.commands.workspace import Workspace

def careless(self):
    lines = []
    for path in self.files():
        kind = path.lstat().st_mode
        if stat.S_ISREG(kind):
            with path.open("rb") as file:
                lines.append(hashlib.file_digest(file, "sha256").hexdigest())
    return " ".join(lines)

def careful(self):
    lines = [self._digest_of(path, 1000)[0] for path in self.files()]
    return " ".join(lines) + " " + self.digest()

made = Workspace(Path(sys.argv[1]))
while os.getppid() == int(sys.argv[2]):
    try: print((careless if sys.argv[3] == "careless" else careful)(made), flush=True)
    except OSError: print("missing", flush=True)
"""


@contextlib.contextmanager
def digests(workspace: Workspace, how: str, patience: float = 30) -> Iterator[Callable[[], str]]:
    """A process that makes one digest after another; yields what gives the next, empty where none comes in time."""
    arguments = [sys.executable, "-c", DIGESTS, str(workspace.root), str(os.getpid()), how]
    child = subprocess.Popen(arguments, stdout=subprocess.PIPE, env=os.environ | {"PYTHONPATH": str(ROOT)}, bufsize=0)
    assert child.stdout is not None
    output, buffer = child.stdout, bytearray()

    def line() -> str:
        while b"\n" not in buffer:
            if not select.select([output], [], [], patience)[0] or not (data := os.read(output.fileno(), 1 << 16)):
                return ""
            buffer.extend(data)
        found, _, rest = bytes(buffer).partition(b"\n")
        buffer[:] = rest
        return found.decode()

    try:
        yield line
    finally:
        child.kill()
        child.wait()
        output.close()


@pytest.mark.full
def test_a_digest_neither_follows_a_link_nor_waits_at_a_pipe(workspace: Workspace, tally: Kind) -> None:
    outside = hashlib.sha256(SECRET.encode()).hexdigest()
    attacks = tally("swapped files")
    with attacker(workspace, SWAP_FILE, "link", "pipe"), digests(workspace, "careful") as next_digest:
        for _ in range(3 * ROUNDS):
            made = next_digest()
            attacks.add("a pipe", "it hangs" if not made else "")
            attacks.add("a link", outside in made)
            if not made:
                break
    attacks.done()


@pytest.mark.parametrize("trap", ["link", "pipe"])
@pytest.mark.full
def test_the_same_swap_catches_a_digest_that_looks_and_then_opens(workspace: Workspace, trap: str) -> None:
    outside = hashlib.sha256(SECRET.encode()).hexdigest()
    with digests(workspace, "careless", patience=5) as next_digest:
        with attacker(workspace, SWAP_FILE, trap):
            for _ in range(200_000):
                made = next_digest()
                if not made or outside in made:
                    break
        # the swapping has ended: a digest that is not caught goes on
        caught = outside in made if trap == "link" else not made and not next_digest()
    assert caught, "the race proves nothing"


def test_a_sparse_file_costs_a_digest_nothing(workspace: Workspace) -> None:
    with (workspace.root / "sparse").open("wb") as file:
        file.truncate(3 << 30)
    before = read_bytes()
    first = workspace.digest()
    assert read_bytes() - before < 10_000_000, "the control below reads all of what it may"
    with (workspace.root / "sparse").open("r+b") as file:
        file.truncate((3 << 30) + 1)
    assert workspace.digest() != first, "its size counts"
    before = read_bytes()
    Workspace(workspace.root, FileCaps(max_bytes=1 << 33, max_digest_bytes=100_000_000)).digest()
    with (workspace.root / "sparse").open("r+b") as file:
        file.truncate(90_000_000)
    Workspace(workspace.root, FileCaps(max_bytes=1 << 33, max_digest_bytes=100_000_000)).digest()
    assert read_bytes() - before >= 90_000_000, "what is within the budget is read"


def read_bytes() -> int:
    """How many bytes this process has read until now."""
    rows = dict(row.split(": ") for row in Path("/proc/self/io").read_text().splitlines())
    return int(rows["rchar"])


def test_files_beyond_the_budget_count_by_their_size_and_always_the_same(workspace: Workspace) -> None:
    small = Workspace(workspace.root, FileCaps(max_digest_bytes=5))
    for name, text in (("c.txt", "1234"), ("d.txt", "5678"), ("e.txt", "7")):
        (workspace.root / name).write_text(text)
    first = small.digest()
    assert first == small.digest() != workspace.digest()
    (workspace.root / "d.txt").write_text("8765")
    assert small.digest() == first, "a and b took 2 of 5 bytes, so c and d do not fit, and e does"
    (workspace.root / "e.txt").write_text("8")
    assert small.digest() != first
    (workspace.root / "d.txt").write_text("87654")
    (workspace.root / "e.txt").write_text("7")
    assert small.digest() != first


def test_a_digest_can_be_stopped(workspace: Workspace) -> None:
    with pytest.raises(CommandError, match="stopped"):
        workspace.digest(lambda: True)
