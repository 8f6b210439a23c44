"""The private folder: what it takes in, what it sees changed, and that it goes away whatever is in it."""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from autocraft.errors import CommandError
from autocraft.sandbox.folder import FileChange, SandboxFolder, remove_tree, sweep
from autocraft.sandbox.settings import CodeSettings


@pytest.fixture(autouse=True)
def own_temporary_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def filled(folder: SandboxFolder, **files: str) -> SandboxFolder:
    for name, text in files.items():
        folder.put(f"{name}.txt", text.encode())
    folder.hand_over(None, open_to_it=False)
    return folder


def changed(folder: SandboxFolder, largest: int = 1000) -> dict[str, FileChange]:
    return {each.name: each for each in folder.changes(largest)}


def test_it_is_private_and_gone_afterwards() -> None:
    with SandboxFolder(CodeSettings()) as folder:
        assert stat.S_IMODE(folder.path.stat().st_mode) == 0o700
        assert folder.path.exists()
    assert not folder.path.exists()


def test_new_changed_and_deleted_files_are_told_apart() -> None:
    with SandboxFolder(CodeSettings()) as folder:
        filled(folder, same="1", touched="2", rewritten="3", gone="4")
        (folder.work / "touched.txt").write_text("2")
        (folder.work / "rewritten.txt").write_text("5")
        (folder.work / "gone.txt").unlink()
        (folder.work / "a" / "b").mkdir(parents=True)
        (folder.work / "a" / "b" / "new.txt").write_text("6")
        found = changed(folder)
    assert {name: (each.kind, each.data) for name, each in found.items()} == {
        "rewritten.txt": ("changed", b"5"),
        "gone.txt": ("deleted", None),
        "a/b/new.txt": ("new", b"6"),
    }


def test_a_change_that_sets_size_and_time_back_is_seen() -> None:
    with SandboxFolder(CodeSettings()) as folder:
        filled(folder, note="abc")
        path = folder.work / "note.txt"
        seen = path.stat()
        path.write_text("xyz")
        os.utime(path, ns=(seen.st_atime_ns, seen.st_mtime_ns))
        assert changed(folder)["note.txt"].data == b"xyz"


def test_what_is_no_plain_file_is_named_but_not_taken() -> None:
    with SandboxFolder(CodeSettings()) as folder:
        filled(folder, note="abc")
        work = folder.work
        (work / "link").symlink_to("/etc/passwd")
        (work / "folder").symlink_to("/etc")
        os.mkfifo(work / "pipe")
        (work / "two").hardlink_to(work / "note.txt")
        (work / "set-uid").write_text("x")
        (work / "set-uid").chmod(0o4755)
        (work / "large").write_bytes(bytes(1001))
        os.close(os.open(os.fsencode(work) + b"/\xff", os.O_CREAT))
        found = changed(folder)
    assert {name: each.why for name, each in found.items() if each.data is None} == {
        "link": "is a symlink",
        "folder": "is a symlink",
        "pipe": "is not a plain file",
        "note.txt": "has a second name (hard link)",
        "two": "has a second name (hard link)",
        "set-uid": "has the set-user-id bit",
        "large": "is over 1,000 bytes",
        "\udcff": "has a name that is not text",
    }


def test_usage_counts_blocks_not_lengths_and_sees_into_closed_folders() -> None:
    with SandboxFolder(CodeSettings()) as folder:
        filled(folder)
        before = folder.usage()
        os.truncate(os.open(folder.work / "sparse", os.O_CREAT | os.O_RDWR), 1 << 40)
        (folder.path / "tmp" / "closed").mkdir()
        (folder.path / "tmp" / "closed" / "file").write_bytes(b"x" * 100_000)
        (folder.path / "tmp" / "closed").chmod(0)
        usage = folder.usage()
    assert usage.entries - before.entries == 3
    assert 100_000 <= usage.bytes - before.bytes < 200_000


@pytest.mark.parametrize("limit", [{"total_mb": 1}, {"files": 3}])
def test_a_workspace_over_a_limit_is_refused_with_the_setting_to_raise(limit: dict[str, Any]) -> None:
    with SandboxFolder(CodeSettings(**limit)) as folder, pytest.raises(CommandError, match=next(iter(limit))):  # noqa: PT012
        for n in range(5):
            folder.put(f"{n}", bytes(400_000))


def make_deep(top: Path, depth: int) -> None:
    here = os.getcwd()  # noqa: PTH109
    try:
        os.chdir(top)
        for n in range(depth):
            os.mkdir("d")  # noqa: PTH102
            Path("f").write_text("x")
            if n % 100 == 0:
                Path("d").chmod(0o700)
            os.chdir("d")
    finally:
        os.chdir(here)


@pytest.mark.full
def test_folders_deeper_than_any_path_or_stack_are_removed(tmp_path: Path) -> None:
    top = tmp_path / "top"
    top.mkdir()
    make_deep(top, 2_200)
    (top / "d").chmod(0)
    (top / "link").symlink_to(tmp_path / "kept")
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "file").write_text("x")
    remove_tree(top)
    assert not top.exists()
    assert (tmp_path / "kept" / "file").exists()


def test_too_deep_is_noticed_without_going_all_the_way() -> None:
    with SandboxFolder(CodeSettings()) as folder:
        filled(folder)
        make_deep(folder.work, 300)
        usage = folder.usage()
        assert usage.too_deep
        assert usage.entries < 200
    assert not folder.path.exists()


def test_sweep_leaves_alone_what_is_in_use_being_made_or_not_ours(tmp_path: Path) -> None:
    (tmp_path / "autocraft-run-young").mkdir()
    (tmp_path / "autocraft-run-file").write_text("x")
    (tmp_path / "autocraft-run-link").symlink_to("/etc")
    (tmp_path / "other").mkdir()
    with SandboxFolder(CodeSettings()) as folder:
        assert sweep() == 0
        assert folder.work.exists()
    assert len(list(tmp_path.iterdir())) == 4
    os.utime(tmp_path / "autocraft-run-young", (0, 0))
    assert sweep() == 1
    assert len(list(tmp_path.iterdir())) == 3


def test_a_full_or_missing_disk_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", "/nowhere/at/all")
    with pytest.raises(CommandError, match="no copy of the workspace can be made"):
        SandboxFolder(CodeSettings())
    assert sweep() == 0


def test_space_that_others_free_hides_no_loss(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def disk(folder: Path) -> SimpleNamespace:
        """Answer as a disk of 1 GB does that has nothing but the files of this test."""
        used = sum(path.stat().st_size for path in tmp_path.rglob("*") if path.is_file())
        return SimpleNamespace(f_frsize=1, f_bfree=(1 << 30) - used)

    monkeypatch.setattr(os, "statvfs", disk)
    with tempfile.NamedTemporaryFile() as others, SandboxFolder(CodeSettings()) as folder:
        others.write(bytes(64 << 20))
        others.flush()
        folder.hand_over(None, open_to_it=False)
        others.truncate(0)
        assert folder.lost_bytes() == 0
        (folder.work / "big").write_bytes(bytes(32 << 20))
        assert folder.lost_bytes() == 32 << 20
