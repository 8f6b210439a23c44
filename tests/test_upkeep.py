"""Kept runs are found, copied, archived and deleted, and nothing goes without a yes."""

from __future__ import annotations

import fcntl
import io
import json
import subprocess
import sys
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pexpect
import pytest

from autocraft.errors import UsageError
from autocraft.session.upkeep import unpack
from tests.commands.programs import with_programs
from tests.conftest import STONE_PICKAXE, Place, kinds

pytestmark = pytest.mark.sampled(12)

PRUNE = ("sessions", "prune", "--keep", "1")


def play(place: Place, goal: str = "craft 1 stone_pickaxe", *more: str) -> str:
    done = place.run("run", "--goal", goal, "--inventory", "oak_log=3,cobblestone=3", "--continuous", *more)
    assert done.returncode in (0, 3), done.stderr
    return place.session()


def test_a_run_is_found_by_its_goal(place: Place) -> None:
    first, second = play(place), play(place, "craft 2 stick")
    assert [second in line for line in place.run("sessions", "list", "STICK").stdout.splitlines()] == [True]
    assert first in place.run("sessions", "list", "craft stone").stdout
    assert "No goal of 2 runs" in place.run("sessions", "list", "torch").stdout


@pytest.mark.parametrize("turn", [0, 1, 2])
@pytest.mark.sampled(1)
def test_a_fork_goes_on_from_its_turn_and_the_first_run_stays(place: Place, turn: int) -> None:
    first = play(place)
    before = place.events(first)
    done = place.run("sessions", "fork", first, "--at", str(turn))
    assert done.returncode == 0, done.stderr
    made = place.session()
    events = place.events(made)
    assert made != first and f"--resume {made}" in done.stdout
    assert events[0]["session"] == made
    assert len(kinds(events, "answer")) == turn and not kinds(events, "end")
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
    other = place.run("run", "--resume", made, "--goal", "craft 1 crafting_table", "--continuous")
    assert other.returncode == 0, other.stderr
    after = place.events(made)
    assert after[: len(events)] == events and after[-1]["inventory"]["crafting_table"] == 1
    assert place.events(first) == before


def test_a_fork_has_the_world_of_its_turn(place: Place) -> None:
    first = play(place)
    place.run("sessions", "fork", first, "--at", "1")
    done = place.run("run", "--resume", place.session(), "--continuous", "--json")
    asked = [event["args"] for event in kinds(place.events(), "intent")]
    assert done.returncode == 0
    assert asked == [event["args"] for event in kinds(place.events(first), "intent")]


def test_a_fork_of_an_ended_run_is_open_again(place: Place) -> None:
    first = play(place)
    turns = len(kinds(place.events(first), "answer"))
    assert place.run("sessions", "fork", "--at", str(turns)).returncode == 0
    assert not kinds(place.events(), "end")


def test_a_turn_that_there_is_not_is_refused_and_makes_nothing(place: Place) -> None:
    play(place)
    done = place.run("sessions", "fork", "--at", "99")
    assert (done.returncode, len(place.sessions())) == (2, 1)
    assert "has no turn 99" in done.stderr


def test_a_turn_without_its_result_is_not_forked(place: Place) -> None:
    """Else the command that was approved would run in both sessions."""
    first = play(place)
    path = place.state / "sessions" / first / "events.jsonl"
    lines = path.read_text().splitlines(keepends=True)
    decisions = [number for number, line in enumerate(lines) if '"type":"decision"' in line]
    path.write_text("".join(lines[: decisions[1] + 1]))
    done = place.run("sessions", "fork", "--at", "2")
    assert (done.returncode, place.sessions()) == (2, [first])
    assert "has no result yet: fork at 1" in done.stderr
    assert place.run("sessions", "fork", "--at", "1").returncode == 0


def test_a_turn_at_which_the_run_was_stopped_is_not_forked(place: Place) -> None:
    """Its command still waits, so it would run in both sessions."""
    assert place.run("run", *STONE_PICKAXE, stdin="n\n").returncode == 4
    done = place.run("sessions", "fork", "--at", "1")
    assert (done.returncode, len(place.sessions())) == (2, 1)
    assert "has no result yet: fork at 0" in done.stderr
    assert place.run("sessions", "fork", "--at", "0").returncode == 0


def test_deleting_needs_a_yes(place: Place, terminal: Callable[..., Any]) -> None:
    first, second = play(place), play(place)
    refused = place.run("sessions", "delete", first, stdin="yes\n")
    assert refused.returncode == 2 and "would be deleted: give --yes" in refused.stderr
    for answer, code, kept in (("y", 4, [first, second]), ("yes", 0, [second])):
        child = terminal("sessions", "delete", first)
        child.expect_exact(f"  {first}")
        child.expect_exact("for good? Type yes: ")
        child.sendline(answer)
        assert (child.wait(), place.sessions()) == (code, kept)
    assert place.run("sessions", "delete", second, "--yes").returncode == 0
    assert place.sessions() == []


KILLED = """
import os, signal, sys
from pathlib import Path
from autocraft.session.upkeep import delete

removed = 0

def watch(event, args):
    global removed
    removed += event == "os.remove"
    if removed == 2:
        os.kill(os.getpid(), signal.SIGKILL)

sys.addaudithook(watch)
delete(Path(sys.argv[1]))
"""


def test_an_interrupted_deletion_can_be_repeated(place: Place) -> None:
    first = play(place)
    folder = place.state / "sessions" / first
    subprocess.run([sys.executable, "-c", KILLED, str(folder)], check=False)
    assert folder.exists()
    assert place.run("sessions", "delete", first, "--yes").returncode == 0
    assert not folder.exists()


def test_a_run_in_use_stays(place: Place) -> None:
    first = play(place)
    with (place.state / "sessions" / first / "lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert place.run("sessions", "prune", "--keep", "0", "--yes").returncode == 1
        done = place.run("sessions", "delete", first, "--yes")
        assert done.returncode == 1
        assert "Left alone" in done.stdout and "in use" in done.stdout
    assert place.sessions() == [first]


def test_prune_keeps_the_newest(place: Place) -> None:
    made = [play(place) for _ in range(3)]
    assert place.run(*PRUNE).returncode == 2
    assert place.sessions() == made
    assert place.run(*PRUNE, "--yes").returncode == 0
    assert place.sessions() == made[2:]
    assert (
        "Nothing to delete: no run is beyond that limit"
        in place.run("sessions", "prune", "--days", "1", "--yes").stdout
    )
    assert "say what to keep" in place.run("sessions", "prune", "--yes").stderr


def test_the_cap_is_told_and_deletes_nothing_by_itself(place: Place) -> None:
    cap = {"AUTOCRAFT_SESSIONS_MB": "0.0001"}
    done = place.run("run", *STONE_PICKAXE, "--continuous", **cap)
    assert "more than session.sessions_mb" in done.stderr and len(place.sessions()) == 1
    assert "session.sessions_mb" not in place.run("run", *STONE_PICKAXE, "--continuous").stderr
    assert place.run("sessions", "prune", "--yes", **cap).returncode == 0
    assert place.sessions() == []


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ('profile_default = "mine"\n[session]\nsessions_mb = 0.0001\n[profile.mine.limits]\nmax_steps = 50\n', ()),
        ("[profile.mine.session]\nsessions_mb = 0.0001\n", ("--profile", "mine")),
    ],
)
def test_the_cap_of_a_confirmed_file_counts(place: Place, text: str, arguments: tuple[str, ...]) -> None:
    (place.folder / "autocraft.toml").write_text(text)
    place.confirm()
    done = place.run("run", *STONE_PICKAXE, "--continuous", *arguments)
    assert (done.returncode, "more than session.sessions_mb" in done.stderr) == (0, True), done.stderr


def test_a_learning_run_tells_the_cap_too(place: Place) -> None:
    options = ("--world", "crafting", "--iterations", "1", "--continuous")
    done = place.run("learn", *options, AUTOCRAFT_SESSIONS_MB="0.0001", **with_programs())
    assert "more than session.sessions_mb" in done.stderr and len(place.sessions()) == 1


def test_a_run_for_clients_tells_the_cap_too(place: Place) -> None:
    pytest.importorskip("mcp")
    done = place.run("mcp", *STONE_PICKAXE, stdin="", AUTOCRAFT_SESSIONS_MB="0.0001")
    assert (done.returncode, "more than session.sessions_mb" in done.stderr) == (0, True), done.stderr
    assert done.stdout == ""


def test_settings_that_break_during_a_run_leave_its_exit_code(place: Place, terminal: Callable[..., Any]) -> None:
    child = terminal("run", *STONE_PICKAXE)
    child.expect_exact("Input:")
    (place.folder / "autocraft.toml").write_text("= 5")
    child.send("n\r")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 4


def test_the_picker_resumes_the_run_of_the_number(place: Place, terminal: Callable[..., Any]) -> None:
    assert place.run("run", *STONE_PICKAXE, stdin="y\nn\n").returncode == 4
    first = place.session()
    play(place, "craft 2 stick")
    child = terminal("run", "--resume")
    child.expect_exact("go on with; Enter for 1: ")
    assert child.before.index("craft 2 stick") < child.before.index(first)
    child.sendline("2")
    child.expect_exact("Input:")
    child.sendline("n")
    assert child.wait() == 4
    assert len(kinds(place.events(first), "permission")) == 1
    done = place.run("run", "--resume")
    assert done.returncode == 2 and "--resume needs a session's id, or last" in done.stderr


def test_the_end_of_input_at_the_picker_resumes_nothing(place: Place, terminal: Callable[..., Any]) -> None:
    first = play(place)
    before = place.events(first)
    child = terminal("run", "--resume")
    child.expect_exact("go on with; Enter for 1: ")
    child.send("\x04")
    child.expect_exact("no run was chosen")
    assert (child.wait(), place.events(first)) == (2, before)


def test_an_archive_holds_the_session_and_unpacks(place: Place, tmp_path: Path) -> None:
    first = play(place)
    (place.state / "sessions" / first / "undo" / "mine.txt").write_text("a file of the person")
    assert place.run("sessions", "export", "--to", "run.tar.gz").returncode == 0
    with tarfile.open(place.folder / "run.tar.gz") as tar:
        assert not any("undo" in name for name in tar.getnames())
    folder = unpack(place.folder / "run.tar.gz", tmp_path / "new")
    lines = (folder / "events.jsonl").read_text().splitlines()
    assert [json.loads(line) for line in lines] == place.events(first)


@pytest.mark.parametrize("name", ["../evil", "s/../evil", "/evil", "s/blobs/../../evil", "s/evil", "s/blobs/a/b"])
def test_an_archive_of_a_stranger_writes_nowhere_else(tmp_path: Path, name: str) -> None:
    path = tmp_path / "a.tar.gz"
    with tarfile.open(path, "w:gz") as tar:
        for each in (name, "s/events.jsonl"):
            member = tarfile.TarInfo(each)
            member.size = 2
            tar.addfile(member, io.BytesIO(b"{}"))
        link = tarfile.TarInfo("s/blobs/link")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        tar.addfile(link)
    folder = unpack(path, tmp_path / "new")
    assert [each.name for each in (tmp_path / "new").rglob("*")] == ["session", "events.jsonl"]
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a.tar.gz", "new"]
    assert folder == tmp_path / "new" / "session"


def test_an_archive_with_one_changed_byte_is_refused_or_the_same(place: Place, tmp_path: Path) -> None:
    """Some changes once ended in a traceback, and others were read as another text."""
    play(place)
    path = place.folder / "run.tar.gz"
    place.run("sessions", "export", "--to", str(path))
    data = path.read_bytes()
    whole = (unpack(path, tmp_path / "whole") / "events.jsonl").read_bytes()
    refusals = 0
    for at in range(0, len(data), 11):
        path.write_bytes(data[:at] + bytes([data[at] ^ 0xFF]) + data[at + 1 :])
        try:
            assert (unpack(path, tmp_path / str(at)) / "events.jsonl").read_bytes() == whole
        except UsageError as error:
            assert "is not an archive of a session" in str(error)
            refusals += 1
    assert refusals > len(data) // 11 - 10


def test_what_is_no_archive_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("no archive")
    with pytest.raises(UsageError, match="not an archive of a session"):
        unpack(tmp_path / "a", tmp_path)
