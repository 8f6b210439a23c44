"""The one path function, tried with what Auto-GPT's own tests hold and with what they miss."""

from __future__ import annotations

import os
import resource
import signal
import socket
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from autocraft.commands.reading import list_names, search
from autocraft.commands.workspace import FileCaps, Workspace
from autocraft.errors import CommandError, PathRefused, UsageError


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    folder.mkdir()
    (tmp_path / "workspace2").mkdir()
    (tmp_path / "workspace2" / "secret.txt").write_text("secret")
    return folder


# ---------------------------------------------------------------- Auto-GPT's cases

ACCESSIBLE = [
    ".",
    "test_file.txt",
    "test_folder",
    "test_folder/test_file.txt",
    "test_folder/..",
    "test_folder/../test_file.txt",
    "test_folder/../test_folder",
    "test_folder/../test_folder/test_file.txt",
]
INACCESSIBLE = [
    "..",
    "../test_file.txt",
    "../not_auto_gpt_workspace",
    "../not_auto_gpt_workspace/test_file.txt",
    "test_folder/../..",
    "test_folder/../../test_file.txt",
    "test_folder/../../not_auto_gpt_workspace",
    "test_folder/../../not_auto_gpt_workspace/test_file.txt",
    "\0",
    "\0test_file.txt",
    "test_folder/\0",
    "test_folder/\0test_file.txt",
    "/",
    "/test_file.txt",
    "/home",
]
# ---------------------------------------------------------------- and what they miss
MISSED = [
    "../workspace2",
    "../workspace2/secret.txt",
    "a/../../workspace2/secret.txt",
    "//etc/passwd",
    "/proc/self/root/etc/passwd",
    "/proc/self/cwd/../../../../etc/passwd",
    "/dev/null",
    "/dev/stdin",
    "~",
    "~/notes.txt",
    "~root/notes.txt",
    "C:\\notes.txt",
    "C:/notes.txt",
    "c:notes.txt",
    "..\\notes.txt",
    "folder\\notes.txt",
    "\\\\server\\share\\notes.txt",
    "CON",
    "nul",
    "aux.txt",
    "folder/COM1.txt",
    "LPT9",
    "COM¹.log",
    "prn .txt",
    "conin$",
    "a/NUL/b.txt",
    "...",
    "a/.. /b",
    "x" * 256,
    "folder/" + "é" * 128,
    "a/" * 2500 + "b",
    "line\nbreak.txt",
    "tab\t.txt",
    "escape\x1b[2J.txt",
    "c1\x9b2J.txt",
    "delete\x7f.txt",
    "half\ud800.txt",
    "turned\u202etxt.exe",
    "zero\u200bwidth.txt",
    "line\u2028separator",
    ".notes.txt.0123456789ab.tmp",
]


@pytest.mark.parametrize("name", ACCESSIBLE)
def test_inside_is_resolved(root: Path, name: str) -> None:
    assert Workspace(root).resolve(name) == Path(os.path.normpath(root / name))


@pytest.mark.parametrize("name", INACCESSIBLE + MISSED, ids=lambda name: ascii(name)[:40])
def test_outside_is_refused_naming_the_root_on_one_line(root: Path, name: str) -> None:
    with pytest.raises(PathRefused) as caught:
        Workspace(root).resolve(name)
    assert str(root) in str(caught.value)
    assert "give a path inside" in str(caught.value)
    assert str(caught.value).isprintable()


def test_absolute_inside_is_accepted(root: Path) -> None:
    assert Workspace(root).resolve(str(root / "a" / "b.txt")) == root / "a" / "b.txt"
    assert Workspace(root).resolve(str(root)) == root


@pytest.mark.parametrize(
    "name",
    [
        "a b.txt",
        "notes~",
        "über.txt",
        "岩.txt",
        "x" * 255,
        "é" * 127,
        ".hidden",
        "a..b",
        "console.txt",
        "👩‍🌾.txt",
        "12:30.txt",
    ],
)
def test_unusual_but_harmless_names_are_accepted(root: Path, name: str) -> None:
    assert Workspace(root).resolve(name) == root / name


def test_root_that_is_a_symlink_is_followed_once(root: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(root)
    workspace = Workspace(link)
    assert workspace.root == root
    assert workspace.resolve("a.txt") == root / "a.txt"


@pytest.mark.parametrize("target", ["../workspace2", "/etc", "../missing", "/", "..", "/proc/self/root"])
def test_symlinks_that_leave_are_refused_wherever_they_stand(root: Path, target: str) -> None:
    (root / "a").mkdir()
    (root / "a" / "link").symlink_to(root / target if target.startswith("..") else target)
    workspace = Workspace(root)
    for rest in ("", "/secret.txt", "/passwd", "/../workspace2/secret.txt"):
        for name in (f"a/link{rest}", f"a/../a/link{rest}"):
            with pytest.raises(PathRefused):
                workspace.resolve(name)


def test_symlinks_that_stay_are_followed(root: Path) -> None:
    (root / "real").mkdir()
    (root / "link").symlink_to("real")
    (root / "hanging").symlink_to("real/new.txt")
    workspace = Workspace(root)
    assert workspace.resolve("link/a.txt") == root / "real" / "a.txt"
    workspace.write(workspace.resolve("hanging"), b"new")
    assert (root / "real" / "new.txt").read_bytes() == b"new"
    assert (root / "hanging").is_symlink()


def test_chain_of_symlinks_and_a_loop(root: Path) -> None:
    (root / "one").symlink_to("two")
    (root / "two").symlink_to("../workspace2")
    (root / "loop").symlink_to("loop")
    for name in ("one", "one/secret.txt", "loop", "loop/a.txt"):
        with pytest.raises(PathRefused):
            Workspace(root).resolve(name)


def test_pipes_and_sockets_are_refused(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(root / "pipe")
    monkeypatch.chdir(root)  # a socket's path may only be short
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket")
        for name in ("pipe", "socket"):
            with pytest.raises(PathRefused, match="not a plain file"):
                Workspace(root).resolve(name)


# ---------------------------------------------------------------- what changes after the check


@pytest.mark.parametrize("descriptors", ["/proc/self/fd", "/nowhere"], ids=["with /proc", "without /proc"])
def test_folder_swapped_for_a_symlink_after_the_check_leads_nowhere(
    root: Path, tmp_path: Path, descriptors: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("autocraft.commands.workspace._DESCRIPTORS", Path(descriptors))
    workspace = Workspace(root)
    workspace.write(workspace.resolve("b/new/file"), b"inside")
    workspace.append(workspace.resolve("b/new/file"), b", still")
    assert workspace.read(workspace.resolve("b/new/file")) == b"inside, still"
    assert workspace.read(workspace.resolve("c/missing")) is None
    (root / "a").mkdir()
    path = workspace.resolve("a/secret.txt")
    (root / "a").rmdir()
    (root / "a").symlink_to(tmp_path / "workspace2")
    for act in (
        lambda: workspace.read(path),
        lambda: workspace.write(path, b"overwritten"),
        lambda: workspace.append(path, b"added"),
        lambda: workspace.cut(path, 0),
        lambda: workspace.remove(path),
    ):
        with pytest.raises(CommandError):
            act()
    assert [(entry.name, entry.read_text()) for entry in (tmp_path / "workspace2").iterdir()] == [
        ("secret.txt", "secret")
    ]
    # the control: the same path by plain calls does reach it
    assert path.read_text() == "secret"


def test_file_swapped_for_a_symlink_after_the_check_leads_nowhere(root: Path, tmp_path: Path) -> None:
    workspace = Workspace(root)
    path = workspace.resolve("a.txt")
    secret = tmp_path / "workspace2" / "secret.txt"
    path.symlink_to(secret)
    for act in (lambda: workspace.read(path), lambda: workspace.append(path, b"x"), lambda: workspace.cut(path, 0)):
        with pytest.raises(PathRefused):
            act()
    workspace.write(path, b"mine")
    assert secret.read_text() == "secret"
    assert path.read_bytes() == b"mine"
    assert not path.is_symlink()


def test_file_swapped_for_a_pipe_does_not_hang(root: Path) -> None:
    workspace = Workspace(root)
    path = workspace.resolve("a.txt")
    os.mkfifo(path)
    for act in (lambda: workspace.read(path), lambda: workspace.append(path, b"x")):
        with pytest.raises(CommandError):
            act()


def test_hard_link_is_not_opened(root: Path, tmp_path: Path) -> None:
    secret = tmp_path / "workspace2" / "secret.txt"
    os.link(secret, root / "a.txt")
    workspace = Workspace(root)
    path = workspace.resolve("a.txt")
    for act in (lambda: workspace.read(path), lambda: workspace.append(path, b"x"), lambda: workspace.cut(path, 0)):
        with pytest.raises(PathRefused, match="hard link"):
            act()
    assert secret.read_text() == "secret"


def test_no_descriptor_is_left_open(root: Path) -> None:
    workspace = Workspace(root)
    (root / "loop").symlink_to("loop")
    (root / "folder").mkdir()
    before = len(list(Path("/dev/fd").iterdir()))
    for n in range(50):
        path = workspace.resolve(f"deep/{n}/file.txt")
        workspace.write(path, b"one")
        workspace.append(path, b"two")
        workspace.read(path)
        workspace.remove(path)
        for wrong in ("folder", "missing/x"):
            with pytest.raises(CommandError):
                workspace.cut(workspace.resolve(wrong), 0)
    assert len(list(Path("/dev/fd").iterdir())) == before


# ---------------------------------------------------------------- caps and errors


def test_size_cap(root: Path) -> None:
    workspace = Workspace(root, FileCaps(max_bytes=10))
    path = workspace.resolve("a.txt")
    workspace.write(path, b"0123456789")
    for act in (lambda: workspace.write(path, b"x" * 11), lambda: workspace.append(path, b"x")):
        with pytest.raises(CommandError, match="size cap of 10 bytes"):
            act()
    assert workspace.read(path) == b"0123456789"
    (root / "big").write_bytes(b"x" * 11)
    with pytest.raises(CommandError, match="size cap"):
        workspace.read(workspace.resolve("big"))
    with pytest.raises(CommandError, match="size cap"):
        workspace.append(workspace.resolve("new"), b"x" * 11)
    assert not (root / "new").exists()


def test_cap_on_the_number_of_files(root: Path) -> None:
    workspace = Workspace(root, FileCaps(max_files=3))
    for n in range(3):
        workspace.write(workspace.resolve(f"{n}.txt"), b"")
    for act in (workspace.write, workspace.append):
        with pytest.raises(CommandError, match="holds 3 files"):
            act(workspace.resolve("more.txt"), b"")
    workspace.write(workspace.resolve("1.txt"), b"replaced")
    (root / "2.txt").unlink()  # by somebody else
    workspace.append(workspace.resolve("more.txt"), b"")
    assert sorted(path.name for path in root.iterdir()) == ["0.txt", "1.txt", "more.txt"]


def test_errors_are_one_line_of_ours(root: Path) -> None:
    workspace = Workspace(root)
    (root / "folder").mkdir()
    (root / "file").write_text("x")
    refused: list[tuple[Callable[[], object], str]] = [
        (lambda: workspace.read(root / "folder"), "is a folder"),
        (lambda: workspace.write(root / "folder", b""), "is a folder"),
        (lambda: workspace.append(root / "folder", b""), "folder"),
        (lambda: workspace.remove(root / "folder"), "folder"),
        (lambda: workspace.write(root / "file" / "x", b""), "file/x was not changed"),
        (lambda: workspace.cut(root / "missing", 0), "there is no file missing"),
        (lambda: workspace.read(root), "the workspace .* itself"),
        (lambda: workspace.write(root, b""), "the workspace .* itself"),
    ]
    for act, words in refused:
        with pytest.raises(CommandError, match=words) as caught:
            act()
        assert str(caught.value).isprintable()
        assert "/proc/" not in str(caught.value)


@pytest.fixture
def locked() -> Iterator[Path]:
    """A workspace with a folder and a file that its user may not read; root is somebody else meanwhile."""
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        folder = Path(name).resolve() / "workspace"
        (folder / "closed").mkdir(parents=True)
        for each in ("closed/in.txt", "closed.txt", "open.txt"):
            (folder / each).write_text("here")
        user = os.geteuid()
        if user == 0:
            for path in (Path(name), folder, *folder.rglob("*")):
                os.chown(path, 65534, 65534)
            os.seteuid(65534)
        (folder / "closed.txt").chmod(0)
        (folder / "closed").chmod(0)
        try:
            yield folder
        finally:
            (folder / "closed").chmod(0o700)
            os.seteuid(user)


def test_what_may_not_be_read_is_passed_over_and_named(locked: Path) -> None:
    workspace = Workspace(locked)
    workspace.write(workspace.resolve("new.txt"), b"new")  # which counts the files
    assert [workspace.name_of(path) for path in workspace.files()] == ["closed", "closed.txt", "new.txt", "open.txt"]
    assert list_names(workspace, "") == "closed\nclosed.txt\nnew.txt\nopen.txt"
    assert search(workspace, "", "here").startswith("open.txt:1: here\n[2 of the files could not be searched")
    for act in (partial(list_names, workspace, "closed"), partial(search, workspace, "closed", "here")):
        with pytest.raises(CommandError, match="closed cannot be read: Permission denied; choose another folder"):
            act()
    with pytest.raises(CommandError, match=r"closed.txt cannot be read: Permission denied; choose another file"):
        workspace.read(workspace.resolve("closed.txt"))


def test_short_write_is_cut_off_again(root: Path) -> None:
    """A limit on the size of files makes the system write less than was asked for, as a full disk does."""
    workspace = Workspace(root)
    path = workspace.resolve("a.txt")
    workspace.write(path, b"x" * 90)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    old = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, hard))
    try:
        for file, size in ((path, 20), (workspace.resolve("new.txt"), 200)):
            with pytest.raises(CommandError, match="not changed"):
                workspace.append(file, b"y" * size)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, old)
    assert path.read_bytes() == b"x" * 90
    assert not (root / "new.txt").exists()


def test_root_is_made_when_the_first_file_is(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "new" / "workspace")
    assert list(workspace.files()) == []
    empty = workspace.digest()
    assert not (tmp_path / "new").exists()
    assert workspace.read(workspace.resolve("a/b")) is None
    workspace.append(workspace.resolve("a/b"), b"x")
    assert workspace.read(workspace.resolve("a/b")) == b"x"
    assert workspace.digest() != empty


def test_bad_roots(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "loop").symlink_to("loop")
    for root in (Path("/"), tmp_path / "file", tmp_path / "loop", Path("bad\0root")):
        with pytest.raises(UsageError):
            Workspace(root)


# ---------------------------------------------------------------- digest


def test_digest_is_of_names_and_contents_alone(root: Path, tmp_path: Path) -> None:
    workspace = Workspace(root)
    for name, data in [("b/c.txt", b"1"), ("a.txt", b"2"), (".hidden", b"3")]:
        workspace.write(workspace.resolve(name), data)
    first = workspace.digest()
    other = Workspace(tmp_path / "other")
    for name, data in [(".hidden", b"3"), ("a.txt", b"2"), ("b/c.txt", b"1")]:
        other.write(other.resolve(name), data)
    assert other.digest() == first
    os.utime(root / "a.txt", (0, 0))
    (root / "a.txt").chmod(0o644)
    (root / "empty folder").mkdir()
    (root / ".a.txt.0123456789ab.tmp").write_text("left by a killed run")
    assert workspace.digest() == first
    seen = {first}
    for change in (
        lambda: (root / "a.txt").write_bytes(b"3"),
        lambda: (root / "a.txt").rename(root / "a2.txt"),
        lambda: (root / "link").symlink_to("a2.txt"),
        lambda: (root / "link").unlink(),
        lambda: (root / "link").symlink_to("b"),
        lambda: os.mkfifo(root / "pipe"),
        lambda: (root / ".hidden").unlink(),
    ):
        change()
        seen.add(workspace.digest())
    assert len(seen) == 7  # without the link, it is as before there was one


def test_files_are_listed_in_order_without_following_links(root: Path, tmp_path: Path) -> None:
    (root / "b").mkdir()
    (root / "b" / "2").write_text("")
    (root / "b" / "1").write_text("")
    (root / "a").write_text("")
    (root / "c").symlink_to(tmp_path)
    workspace = Workspace(root)
    assert [workspace.name_of(path) for path in workspace.files()] == ["a", "b/1", "b/2", "c"]


def test_leftovers_of_a_killed_write_are_dropped(root: Path) -> None:
    workspace = Workspace(root)
    for name in (".a.txt.0123456789ab.tmp", ".b.txt.0123456789ab.tmp", ".a.txt.tmp", "a.txt"):
        (root / name).write_text("x")
    workspace.drop_leftovers(workspace.resolve("a.txt"))
    assert sorted(path.name for path in root.iterdir()) == [".a.txt.tmp", ".b.txt.0123456789ab.tmp", "a.txt"]
