"""What is kept: resume, torn lines, locks, undo, reports, and who may read it."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import time
from pathlib import Path

import pytest

from autocraft.agent.limits import flag
from autocraft.errors import SessionError
from autocraft.session.event import VERSION
from autocraft.session.events import Note
from autocraft.session.folder import new_id
from autocraft.session.journal import Journal
from tests.conftest import PROGRAM, STONE_PICKAXE, Place, kinds

pytestmark = pytest.mark.sampled(9)

PLANKS = ("craft_item", {"name": "oak_planks", "count": 4})


def begin(place: Place, stdin: str = "y\nn\n", *arguments: str) -> str:
    """A run that was stopped after its first command."""
    done = place.run("run", *STONE_PICKAXE, *arguments, stdin=stdin)
    assert done.returncode == 4
    return place.session()


def journal(place: Place, session: str) -> Path:
    return place.state / "sessions" / session / "events.jsonl"


def test_ids_sort_by_when_they_were_made_also_within_a_second() -> None:
    stamps = [new_id()[:-3] for _ in range(5000)]
    assert stamps == sorted(stamps)
    assert len(set(stamps)) > 1


@pytest.mark.parametrize("by", ["last", "id", "beginning"])
def test_resume_goes_on_where_it_stopped(place: Place, by: str) -> None:
    session = begin(place)
    name = {"last": "last", "id": session, "beginning": session[:-3]}[by]
    done = place.run("run", "--resume", name, "--continuous", "--json")
    assert done.returncode == 0
    events = place.events(session)
    assert [event["args"].get("name") for event in kinds(events, "intent")][:3] == [
        "oak_planks",
        "stick",
        "stone_pickaxe",
    ]
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))


def test_an_approved_command_that_was_not_carried_out_runs_once_after_a_resume(place: Place) -> None:
    session = begin(place)
    path = journal(place, session)
    lines = path.read_text().splitlines(keepends=True)
    intent = next(i for i, line in enumerate(lines) if '"type":"intent"' in line)
    path.write_text("".join(lines[:intent]))  # as if killed right after the decision
    done = place.run("run", "--resume", "last", stdin="n\n")
    assert done.returncode == 4
    assert "Made 4 oak_planks" in done.stdout
    assert len(kinds(place.events(), "intent")) == 1


@pytest.mark.parametrize(
    ("stdin", "flags", "words"),
    [("", ("--continuous",), ""), ("y -3\n", (), ""), ("a\n", (), ""), ("y\n", (), "not planks")],
)
def test_what_no_standing_permission_allows_any_more_or_words_refused_is_not_run_by_a_resume(
    place: Place, stdin: str, flags: tuple[str, ...], words: str
) -> None:
    """Killed between decision and intent: --continuous and y -N end with the process, and words go before a y."""
    answers = (PLANKS, PLANKS, PLANKS)
    script = ("--brain", "scripted", "--script", place.script(*answers), "--inventory", "oak_log=4")
    place.run("run", "--goal", "be nice", *script, *flags, "--max-steps", "2", stdin=stdin)
    path = journal(place, place.session())
    lines = path.read_text().splitlines(keepends=True)
    last = [n for n, line in enumerate(lines) if '"type":"intent"' in line][-1]
    feedback = {**json.loads(lines[last - 1]), "type": "feedback", "seq": last + 1, "text": words}
    path.write_text("".join(lines[:last]) + (json.dumps(feedback) + "\n" if words else ""))
    before = len(kinds(place.events(), "intent"))
    place.run("run", "--resume", "last", stdin="n\n")
    allowed = stdin == "a\n"
    assert len(kinds(place.events(), "intent")) == before + allowed


def test_a_command_the_person_rejected_is_not_run_by_a_resume(place: Place) -> None:
    begin(place, "use birch\nn\n")
    done = place.run("run", "--resume", "last", stdin="n\n")
    assert done.returncode == 4
    assert not kinds(place.events(), "intent")


def test_an_ended_run_says_so_again_when_it_is_resumed(place: Place) -> None:
    place.run("run", *STONE_PICKAXE, "--continuous", "--json")
    first = place.events()[-1]
    done = place.run("run", "--resume", "last", "--continuous", "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout.splitlines()[-1])["state_sha256"] == first["state_sha256"]


def test_a_resumed_run_may_get_a_new_goal(place: Place) -> None:
    place.run("run", *STONE_PICKAXE, "--continuous", "--json")
    done = place.run("run", "--resume", "last", "--goal", "craft 1 wooden_pickaxe", "--continuous", "--json")
    assert done.returncode == 0
    assert place.events()[-1]["inventory"]["wooden_pickaxe"] == 1


def test_a_resume_keeps_what_the_run_is(place: Place) -> None:
    def refusal(*arguments: str) -> str:
        done = place.run(*arguments, "--resume", "last")
        assert done.returncode == 2
        return done.stderr

    place.run("run", *STONE_PICKAXE)
    assert "--inventory belongs to a new run" in refusal("run", "--inventory", "oak_log=9")
    assert "--world belongs to a new run" in refusal("run", "--world", "minecraft")
    assert "workspace: a resumed run keeps it" in refusal("run", "--workspace", "elsewhere")
    assert "this session's memory is local" in refusal("run", "--memory", "none")
    assert "from autocraft run: go on with autocraft run --resume" in refusal("learn", "--brain", "oracle")
    place.run("learn", "--world", "crafting")
    before = place.events()
    assert "this session chooses its own tasks" in refusal("run", *STONE_PICKAXE)
    assert place.events() == before


def test_limits_of_the_first_run_still_hold_after_a_resume(place: Place) -> None:
    assert place.run("run", *STONE_PICKAXE, "--continuous", "--max-steps", "2", "--json").returncode == 3
    assert place.run("run", "--resume", "last", "--continuous", "--json").returncode == 3
    assert place.run("run", "--resume", "last", "--continuous", "--max-steps", "9", "--json").returncode == 0


@pytest.mark.parametrize(
    ("flag", "value"),
    [("tokens", "9" * 17), ("steps", "9" * 20), ("cost", "1e17"), ("seconds", "1e300"), ("errors", "9" * 300)],
)
@pytest.mark.full
def test_a_run_with_a_large_limit_can_be_resumed(place: Place, flag: str, value: str) -> None:
    begin(place, "y\nn\n", f"--max-{flag}", value)
    done = place.run("run", "--resume", "last", "--continuous")
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_line_of_a_resume_can_be_pasted(place: Place) -> None:
    """It has the folder of the state if that was a flag, and a limit over a million as a whole number."""
    folder = place.folder / "a state"
    begun = place.run("run", *STONE_PICKAXE, "-c", "--max-steps", "1", "--state-dir", str(folder))
    line = begun.stdout.split("Resume with: ")[1].splitlines()[0]
    assert shlex.split(line)[-3:] == [str(folder), "--max-steps", "2"]
    assert place.run(*shlex.split(line)[1:], "-c").returncode == 3
    assert flag("max_tokens", 4_000_340) == "--max-tokens 4000340"


@pytest.mark.parametrize("rest", ['{"v":1,"seq":99,"ty', "\x00\x00\x00", '{"v":1'])
def test_a_torn_last_line_is_dropped_with_a_notice(place: Place, rest: str) -> None:
    session = begin(place)
    with journal(place, session).open("a") as file:
        file.write(rest)
    done = place.run("run", "--resume", "last", "--continuous")
    assert done.returncode == 0
    assert f"a torn last line of {len(rest)} bytes was dropped" in done.stdout
    place.events(session)


def test_a_damaged_line_in_the_middle_is_named_and_nothing_is_changed(place: Place) -> None:
    session = begin(place)
    path = journal(place, session)
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join([*lines[:2], "garbage\n", *lines[2:]]))
    before = path.read_bytes()
    done = place.run("run", "--resume", "last", "--continuous")
    assert done.returncode == 1
    assert "line 3 of" in done.stderr
    assert path.read_bytes() == before


def test_a_session_of_a_newer_format_is_refused(place: Place) -> None:
    session = begin(place)
    path = journal(place, session)
    path.write_text(path.read_text().replace(f'"v":{VERSION}', f'"v":{VERSION + 1}', 1))
    done = place.run("run", "--resume", "last", "--continuous")
    assert done.returncode == 1
    assert f"newer autocraft (format {VERSION + 1}); update autocraft" in done.stderr


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ('["blobs"]', "is damaged (it is not a JSON object)"),
        ('"blobs"', "is damaged (it is not a JSON object)"),
        (f'{{"v":{VERSION + 1},"blobs":{{}}}}', f"newer autocraft (format {VERSION + 1}); update autocraft"),
    ],
)
def test_a_line_that_only_looks_as_if_it_had_blobs_is_refused_in_one_line(place: Place, line: str, says: str) -> None:
    path = journal(place, begin(place))
    _, _, rest = path.read_text().partition("\n")
    path.write_text(f"{line}\n{rest}")
    done = place.run("run", "--resume", "last", "--continuous")
    assert says in done.stderr and len(done.stderr.splitlines()) == 1


def waiting(place: Place, *arguments: str) -> subprocess.Popen[bytes]:
    """A run that stands at its first question."""
    child = subprocess.Popen(
        [*PROGRAM, "run", *arguments], cwd=place.folder, env=place.environment,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )  # fmt: skip
    assert child.stdout is not None
    while b"or enter feedback" not in child.stdout.readline():
        pass
    return child


def test_the_second_run_on_one_workspace_or_session_is_told(place: Place) -> None:
    first = waiting(place, *STONE_PICKAXE)
    try:
        second = place.run("run", *STONE_PICKAXE, "--continuous")
        assert second.returncode == 1
        said = f"in use by another run (pid {first.pid}); stop it first, or name another folder: --workspace OTHER\n"
        assert second.stderr.endswith(said)
        third = place.run("run", "--resume", "last", "--continuous")
        assert third.returncode == 1
        assert f"in use by another run (pid {first.pid})" in third.stderr
        other = place.run("run", *STONE_PICKAXE, "--continuous", "--workspace", "elsewhere")
        assert other.returncode == 0
    finally:
        first.kill()
        first.communicate()
    assert place.run("run", "--resume", "last", "--continuous").returncode == 0, "a killed run holds no lock"


def test_only_the_owner_may_read_a_session(place: Place) -> None:
    begin(place)
    for path in [place.state, *place.state.rglob("*")]:
        assert path.stat().st_mode & 0o077 == 0, path


def test_what_is_over_64_kib_is_kept_in_blobs_and_comes_back(place: Place) -> None:
    text = "0123456789abcdef" * 6000
    script = place.script(("write_to_file", {"file": "big.txt", "text": text}))
    place.run("run", *STONE_PICKAXE, "--brain", "scripted", "--script", script, stdin="n\n")
    session = place.session()
    assert journal(place, session).stat().st_size < 20_000
    assert len(list((place.state / "sessions" / session / "blobs").iterdir())) >= 1
    done = place.run("run", "--resume", "last", stdin="y\n", AUTOCRAFT_SCRIPT=script)
    assert (place.folder / "workspace" / "big.txt").read_text() == text, done.stdout + done.stderr


def test_sessions_are_listed_shown_and_reported(place: Place) -> None:
    session = begin(place, "use birch\ny\nn\n")
    listed = place.run("sessions", "list").stdout
    assert session in listed
    assert "stopped" in listed
    shown = place.run("sessions", "show", session).stdout
    assert "feedback: use birch" in shown
    assert "-> Made 4 oak_planks" in shown
    report = place.run("report", "last").stdout
    for words in ("GOAL craft 1 stone_pickaxe", "TURN 2", "FEEDBACK use birch", "END stopped", " plain"):
        assert words in report


def test_an_overwritten_and_a_deleted_file_can_be_brought_back(place: Place) -> None:
    (place.folder / "workspace").mkdir()
    notes = place.folder / "workspace" / "notes.txt"
    notes.write_bytes(b"mine\r\n\xff")
    script = place.script(
        ("write_to_file", {"file": "notes.txt", "text": "its own\n"}),
        ("delete_file", {"file": "notes.txt"}),
    )
    place.run("run", *STONE_PICKAXE, "--brain", "scripted", "--script", script, "--continuous")
    assert not notes.exists()
    first = place.run("sessions", "undo")
    assert (first.returncode, notes.read_bytes()) == (0, b"its own\n")
    assert "Took back delete_file" in first.stdout
    assert place.run("sessions", "undo").returncode == 0
    assert notes.read_bytes() == b"mine\r\n\xff"
    last = place.run("sessions", "undo")
    assert last.returncode == 1
    assert "There is nothing left to take back." in last.stdout


def test_a_full_disk_ends_the_run_with_one_line(place: Place) -> None:
    """The journal's disk is full when nothing more may be written to its file."""
    begin(place, "y\nn\n", "--memory", "none")
    unmeasured = {name: text for name, text in place.environment.items() if not name.startswith("COVERAGE")}
    done = subprocess.run(
        ["sh", "-c", 'ulimit -f 8; exec "$@"', "sh", *PROGRAM, "run", "--resume", "last", "--continuous"],
        cwd=place.folder, env=unmeasured, stdin=subprocess.DEVNULL, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 1
    assert "free some space, then resume" in done.stderr
    assert "Traceback" not in done.stderr
    assert place.run("run", "--resume", "last", "--continuous").returncode == 0


def test_every_error_of_the_disk_is_one_of_the_session(tmp_path: Path) -> None:
    (tmp_path / "blobs").write_text("")  # a file, so that no blob can be stored
    journal = Journal(tmp_path)
    with pytest.raises(SessionError, match="free some space, then resume"):
        journal.append(Note(text="x" * 80_000))
    os.close(journal._file)
    with pytest.raises(SessionError, match="free some space, then resume"):
        journal.sync()


def test_the_last_run_is_one_that_began(place: Place) -> None:
    """A run that was killed before its goal was written left an empty journal."""
    begin(place)
    first = place.session()
    empty = place.state / "sessions" / "20990101-000000-abcdef"
    empty.mkdir()
    (empty / "events.jsonl").touch()
    assert f"Session {first}" in place.run("report").stdout
    assert place.run("run", "--resume", "last", "--continuous").returncode == 0
    assert place.run("sessions", "delete", empty.name, "--yes").returncode == 0 and not empty.exists()


def test_a_session_is_deleted_on_a_full_disk(place: Place) -> None:
    """The lock once needed room for its pid, so that nothing could be deleted to free some space."""
    begin(place)
    done = subprocess.run(
        ["sh", "-c", 'ulimit -f 0; exec "$@"', "sh", *PROGRAM, "sessions", "delete", "last", "--yes"],
        cwd=place.folder, env=place.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0 and "Deleted 1 run." in done.stdout, done.stdout
    assert list((place.state / "sessions").iterdir()) == []


def test_a_missing_state_folder_is_made_and_an_impossible_one_is_named(place: Place) -> None:
    (place.folder / "file").write_text("")
    done = place.run("run", *STONE_PICKAXE, "--continuous", "--state-dir", str(place.folder / "file" / "state"))
    assert done.returncode == 2
    assert "choose another with --state-dir" in done.stderr


def test_events_have_their_times_in_order(place: Place) -> None:
    before = time.time() - 1
    begin(place)
    stamps = [event["t"] for event in place.events()]
    assert stamps == sorted(stamps)
    assert before < stamps[0] < time.time() + 1
