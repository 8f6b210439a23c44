"""How much a session keeps, for undo and of what programs wrote: where it is full, nothing is lost without a word."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from autocraft.commands import copies
from autocraft.commands.code import CodeCommands
from autocraft.commands.copies import Room, UndoCopies
from autocraft.commands.files import FileCommands
from autocraft.commands.run_store import OutputStore
from autocraft.commands.workspace import Workspace
from autocraft.errors import CommandError
from autocraft.sandbox.folder import FileChange
from autocraft.sandbox.settings import CodeSettings
from tests import hooks
from tests.commands import test_code, test_files
from tests.conftest import Place

MB = 1 << 20
no_folder_is_left = test_code.no_folder_is_left


def size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def house_of_files(folder: Path, undo_mb: float) -> test_files.House:
    house = test_files.House(folder)
    house.family = FileCommands(Workspace(house.root), house.undo, undo_mb=undo_mb)
    return house


def house_of_code(folder: Path, runs_mb: float, undo_mb: float = 1000) -> test_code.House:
    house = test_code.House(folder)
    house.files = FileCommands(Workspace(house.root), house.session / "undo", undo_mb=undo_mb)
    settings = CodeSettings(seconds=60)
    house.family = CodeCommands(house.files, house.session / "runs", settings, runs_mb=runs_mb)
    return house


def change(name: str, megabytes: int) -> FileChange:
    return FileChange(name, "new", megabytes * MB, name.encode() * (megabytes * MB // len(name)))


# ---------------------------------------------------------------- undo


def overwritten(house: test_files.House, times: int) -> str:
    """Overwrite 1 MB so often; returns why it was refused, empty where it never was."""
    for n in range(times):
        call = house.call("write_to_file", file="big.txt", text=f"{n}" * MB)
        try:
            house.evidence(call)
            house.effect(call)
        except CommandError as error:
            return str(error)
    return ""


def test_what_cannot_be_kept_for_undo_is_not_changed(tmp_path: Path) -> None:
    house = house_of_files(tmp_path, undo_mb=3)
    why = overwritten(house, 9)
    assert why.startswith("no undo copy can be kept, so nothing was changed: it is more than session.undo_mb = 3")
    assert "raise this setting, or start a new session" in why
    assert size(house.undo) == 3 * MB
    assert house.tree() == {"big.txt": b"3" * MB}  # the first is new, and three were replaced
    for name, more in {
        "delete_file": {},
        "edit_file": {"old": "3" * MB, "new": "x"},
        "write_to_file": {"text": ""},
    }.items():
        call = house.call(name, file="big.txt", **more)
        for attempt in (house.evidence, house.effect):
            with pytest.raises(CommandError, match=r"session\.undo_mb"):
                attempt(call)
    assert house.tree() == {"big.txt": b"3" * MB}


def test_without_the_cap_every_copy_is_kept(tmp_path: Path) -> None:
    house = house_of_files(tmp_path, undo_mb=1000)
    assert overwritten(house, 9) == ""
    assert size(house.undo) == 8 * MB


def test_what_needs_no_copy_goes_on_and_undo_itself_too(tmp_path: Path) -> None:
    house = house_of_files(tmp_path, undo_mb=1)
    done = house.do_kept("write_to_file", file="a.txt", text="a" * MB)
    taken = house.do_kept("write_to_file", file="a.txt", text="b" * MB)
    assert "session.undo_mb" in overwritten(house, 2)
    house.do_kept("append_to_file", file="a.txt", text="c")
    house.do_kept("write_to_file", file="new.txt", text="n")
    house.do("append_to_file", file="b.txt", text="x" * MB)
    (house.root / "a.txt").write_bytes(b"b" * MB)
    assert "holds its" in hooks.undo(house.family, taken)
    assert "was removed" in hooks.undo(house.family, done)


def test_the_same_bytes_are_kept_once_and_count_once(tmp_path: Path) -> None:
    kept = UndoCopies(tmp_path / "undo", 1)
    names = {kept.keep(b"x" * MB) for _ in range(5)}
    assert len(names) == 1
    with pytest.raises(CommandError, match="undo_mb"):
        kept.keep(b"y")
    assert UndoCopies(tmp_path / "undo", 2).keep(b"y")  # another run of the session, with a raised setting


def test_the_folder_is_walked_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    walks: list[Path] = []
    walk = copies._bytes_below

    def counted(folder: Path) -> int:
        walks.append(folder)
        return walk(folder)

    monkeypatch.setattr(copies, "_bytes_below", counted)
    (tmp_path / "undo" / "deep").mkdir(parents=True)
    (tmp_path / "undo" / "deep" / "old").write_bytes(bytes(MB))
    (tmp_path / "undo" / "link").symlink_to("/etc")
    kept = UndoCopies(tmp_path / "undo", 2)
    for n in range(50):
        kept.keep(b"%d" % n)
    with pytest.raises(CommandError):
        kept.keep(bytes(MB))
    assert walks == [tmp_path / "undo"]


def test_a_copy_that_was_not_written_is_not_counted(tmp_path: Path) -> None:
    folder = tmp_path / "undo"
    folder.write_text("in the way")
    kept = UndoCopies(folder, 1)
    for _ in range(3):
        with pytest.raises(CommandError, match="free some space"):
            kept.keep(bytes(MB))
    folder.unlink()
    assert kept.keep(bytes(MB))


def test_room_before_it_was_asked_for_counts_what_was_written(tmp_path: Path) -> None:
    room = Room(tmp_path, 1, "a.setting")
    room.write(tmp_path / "file", bytes(MB // 2), "copy")
    assert room.refusal(MB // 2) == ""
    assert room.refusal(MB // 2 + 1).startswith("is more than a.setting = 1 leaves room for")


def test_small_files_count_as_what_they_take_on_disk(tmp_path: Path) -> None:
    runs = OutputStore(tmp_path / "runs", 1)
    runs.check_room()
    kept = runs.take("run-1", (FileChange(f"f{n}", "new", 4, b"%04d" % n) for n in range(1000)))
    assert sum(bool(each.sha256) for each in kept) == MB // 4096
    again = OutputStore(tmp_path / "runs", 1)  # it counts what lies there in the same way
    with pytest.raises(CommandError, match="runs_mb"):
        again.check_room()


def test_a_file_that_vanishes_while_the_folder_is_counted_takes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in "ab":
        (tmp_path / name).write_bytes(bytes(MB))
    walk = os.walk

    def discarded(top: Path) -> Iterator[tuple[str, list[str], list[str]]]:
        for found in walk(top):
            (tmp_path / "a").unlink()
            yield found

    monkeypatch.setattr(os, "walk", discarded)
    assert Room(tmp_path, 2, "a.setting").refusal(MB) == ""


# ---------------------------------------------------------------- runs


def test_what_a_run_wrote_beyond_the_room_is_named_and_not_kept(tmp_path: Path) -> None:
    runs = OutputStore(tmp_path / "runs", 5)
    kept = runs.take("run-1", iter([change("b", 3), change("a", 2), change("c", 1), change("d", 4)]))
    assert [(each.name, bool(each.sha256), each.why[:30]) for each in kept] == [
        ("a", True, ""),
        ("b", True, ""),
        ("c", False, "is more than session.runs_mb ="),
        ("d", False, "is more than session.runs_mb ="),
    ]
    assert size(tmp_path / "runs") == 5 * MB
    with pytest.raises(CommandError, match=r"no program was run, .* session\.runs_mb = 5"):
        runs.check_room()
    free = OutputStore(tmp_path / "free", 500)
    assert all(each.sha256 for each in free.take("run-1", [change("a", 5), change("b", 5)]))


def test_runs_are_kept_until_the_room_is_used_up_and_then_none_is_begun(tmp_path: Path) -> None:
    house = house_of_code(tmp_path, runs_mb=2.5)
    writes = "import sys\nopen('out.bin', 'wb').write(sys.argv[1].encode() * (1 << 20))"
    first, second, third = (house.run(writes, each) for each in "123")
    assert "not kept" not in first.text + second.text
    assert "new out.bin, 1,048,576 bytes (not kept: is more than session.runs_mb = 2.5 leaves room for" in third.text
    assert third.ok
    with pytest.raises(CommandError, match=r"out\.bin is more than session\.runs_mb"):
        house.effect(house.call("copy_back", run="run-3", files=["out.bin"]))
    assert "1 file of run-2 copied" in house.effect(house.call("copy_back", run="run-2"))
    house.family = house_of_code_again(house, runs_mb=1)
    call = house.call("execute_python_file", file="main.py", args=["4"])
    with pytest.raises(CommandError, match=r"no program was run, as what it writes could not be kept"):
        house.evidence(call)
    assert "1 file of run-1 copied" in house.effect(house.call("copy_back", run="run-1", files=["out.bin"]))


def house_of_code_again(house: test_code.House, runs_mb: float) -> CodeCommands:
    """The same session, resumed with another setting."""
    return CodeCommands(house.files, house.session / "runs", CodeSettings(), runs_mb=runs_mb)


def test_files_that_are_not_listed_are_not_lost_without_a_word(tmp_path: Path) -> None:
    house = house_of_code(tmp_path, runs_mb=0.205)  # 52 blocks
    said = house.run("for n in range(60): open(f'f{n:02}', 'wb').write(bytes([n]) * 2_000)")
    more = re.search(r"\[10 more files are not shown(?:, (\d+) of them not kept)?\.\]", said.text)
    assert more and said.text.count("(not kept: ") + int(more[1] or 0) == 60 - 52  # in no order of their names


def test_copying_back_is_refused_where_the_old_bytes_cannot_be_kept(tmp_path: Path) -> None:
    house = house_of_code(tmp_path, runs_mb=100, undo_mb=1)
    (house.root / "out.bin").write_bytes(b"old" * MB)
    house.run("open('out.bin', 'wb').write(b'new')")
    call = house.call("copy_back", run="run-1")
    for attempt in (house.evidence, house.effect):
        with pytest.raises(CommandError, match=r"no undo copy can be kept, so nothing was changed"):
            attempt(call)
    assert (house.root / "out.bin").read_bytes() == b"old" * MB


def test_the_settings_reach_a_run(place: Place) -> None:
    answers = [("write_to_file", {"file": "a.txt", "text": "one" * 100_000})] * 2
    answers += [("write_to_file", {"file": "b.txt", "text": "fits"}), ("task_complete", {"reason": "done"})]
    arguments = ["run", "--brain", "scripted", "--script", place.script(*answers), "--continuous", "--goal", "x"]
    place.run(*arguments, AUTOCRAFT_UNDO_MB="0.1", stdin="")
    results = [each for each in place.events() if each["type"] == "result"]
    assert results, place.run(*arguments).stderr
    errors = [each for each in place.events() if "session.undo_mb = 0.1" in str(each)]
    assert errors, place.events()
    free = place.run(*arguments, stdin="")
    assert "session.undo_mb" not in free.stdout
    assert list((place.state / "sessions" / place.session() / "undo").iterdir())
