"""A fault at each write: one system call after another fails, and nothing that was acknowledged is lost.

`tests/crash/faults.py` makes the operating system refuse one write, sync, rename or new file of a short session. The
program must then say in one line what is true. A resume without faults goes on, with each effect there once.
"""

from __future__ import annotations

import atexit
import json
import os
import re
import shutil
import sqlite3
import subprocess
import tempfile
import zlib
from collections.abc import Sequence
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest

from autocraft.session.reading import Events
from tests.commands.programs import with_programs
from tests.conftest import Place, kinds
from tests.crash import syscalls
from tests.crash.faults import KINDS, undo_lost
from tests.sampling import covering, drawn
from tests.worlds.minecraft.playing import node_environment

pytestmark = pytest.mark.skipif(bool(syscalls.why_not()), reason=syscalls.why_not() or "it can be done")

SKILL = "async function planks(bot) {\n  await craftItem(bot, 'oak_planks', 1);\n}"
LARGE = "large " * 12_000
"""More than the journal keeps in a line."""
RUN: list[Any] = [
    ("show_inventory", {}),
    ("craft_item", {"name": "oak_planks", "count": 4}),
    ("write_to_file", {"file": "state.txt", "text": "one\n"}),
    ("append_to_file", {"file": "notes/log.txt", "text": "line 1\n"}),
    ("append_to_file", {"file": "notes/log.txt", "text": "line 2\n"}),
    ("memory_add", {"string": "note 1"}),
    ("save_skill", {"name": "planks", "code": SKILL, "description": "Make planks."}),
    ("write_to_file", {"file": "state.txt", "text": "two\n"}),
    ("write_to_file", {"file": "large.txt", "text": LARGE}),
    ("delete_file", {"file": "large.txt"}),
    ("craft_item", {"name": "stick", "count": 4}),
    ("task_complete", {"reason": "done"}),
]
HOLE, DIRT = (-39, 64, 90), 2
"""Where the bot digs first in the practice world of seed 1, and how much dirt it then has."""
UNSAVED = "The practice world could not be saved"
"""A note with this promises nothing about what happened in the world since the save before."""
UNSURE = "the disk did not confirm"
"""A result with this promises nothing about the change."""
OFTEN = 10
"""What is called more often than this is part of every turn."""
SHARE = 3
"""One of so many other calls is tried with each commit. ``FAULT_POINTS=all`` tries all points of the session."""
NUMBERS = re.compile(r"[0-9a-f]{8,}|\d+")


class Session(NamedTuple):
    """A short session: its arguments, the answers of a script, what the person types, and its exit codes.

    With `first`, it begins with these arguments and no faults. The faults come in the practice world of a resume.
    """

    arguments: Sequence[str]
    answers: Sequence[Any]
    typed: str = ""
    exits: frozenset[int] = frozenset({0})
    first: Sequence[str] = ()


SESSIONS = {
    "run": Session(
        ["run", "--goal", "craft 4 stick", "--inventory", "oak_log=8", "--durable"],
        RUN,
        "use the oak\ny -30\n" + "y\n" * 20,
    ),
    "learn": Session(
        [
            "learn",
            "--world",
            "crafting",
            "--inventory",
            "oak_log=8",
            "--iterations",
            "2",
            "--brain",
            "oracle",
            "--durable",
            "--continuous",
        ],
        (),
    ),
    "minecraft": Session(
        ["run", "--resume", "last", "--continuous", "--max-steps", "30"],
        [
            ("mine_block", {"name": "dirt", "count": 1}),
            ("place_item", {"name": "dirt", **dict(zip("xyz", HOLE, strict=True))}),
            *[("task_complete", {"reason": "done"})] * 2,  # the second for the resume
        ],
        exits=frozenset({6}),
        first=["run", "--goal", "Dig", "--world", "minecraft", "--speed", "0", "--continuous", "--max-steps", "1"],
    ),
}


@cache
def shared() -> Path:
    """Return the folder for what all tests of this process use."""
    folder = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, folder)
    return folder


@cache
def before(session: str) -> Path:
    """Play what comes before the faults. Return the folder, which each point copies."""
    place = Place(shared() / f"before {session}")
    place.folder.mkdir()
    if first := SESSIONS[session].first:
        done = place.run(*first, *script(place, session), "--json", **environment())
        assert done.returncode == 3, done.stdout[-2000:] + done.stderr
        assert dirt(place) == (DIRT, False)
    return place.folder


def play(place: Place, session: str, kind: str, nth: int, report: Path) -> subprocess.CompletedProcess[str]:
    """Play a session whose nth call that can have this kind of fault has it."""
    made = SESSIONS[session]
    given = [] if made.first else script(place, session)
    fault = [kind, str(nth), str(world_of(place) if made.first else place.folder), str(report)]
    arguments = ["-m", "tests.crash.faults", *fault, "autocraft", *made.arguments, *given, "--json"]
    return place.python(*arguments, stdin=made.typed, **environment())


def script(place: Place, session: str) -> list[str]:
    answers = SESSIONS[session].answers
    return ["--brain", "scripted", "--script", place.script(*answers)] if answers else []


def environment() -> dict[str, str]:
    return with_programs() | node_environment()


def points(report: Path) -> list[dict[str, Any]]:
    """Return the calls that could have a fault, and what was done."""
    lines = [json.loads(line) for line in report.read_text().splitlines()]
    assert not [line for line in lines if "fault" in line], lines[-1]
    return lines


def fail_and_resume(folder: Path, session: str, kind: str, nth: int) -> None:
    """Play a session with a fault, resume it without, and check both."""
    place, report = Place(folder / "place"), folder / "report"
    shutil.copytree(before(session), place.folder)
    done = play(place, session, kind, nth, report)
    hits = [line for line in points(report) if line.get("hit")]
    assert hits or not nth, "the point was not reached"
    acknowledged = [event for event in map(json.loads, done.stdout.splitlines()) if event["seq"] is not None]
    cut = any("cut" in line for line in points(report))
    if cut:
        assert done.returncode == -9
    else:
        check_line(done, acknowledged, kind, SESSIONS[session].exits)
    if kind == "lost":
        undo_lost(report)
    elif acknowledged:
        check_results(place, acknowledged)
    if SESSIONS[session].first:
        check_world(place, acknowledged, is_saved=not cut and done.returncode in SESSIONS[session].exits)
    if not acknowledged:  # it ended before the person saw anything of the run
        return
    mode = SESSIONS[session].arguments[0]
    more = ["--max-steps", "30"] if SESSIONS[session].first else []
    again = place.run(mode, "--resume", "last", "--continuous", *more, "--json", **environment())
    assert again.returncode in SESSIONS[session].exits, again.stdout[-1500:] + again.stderr
    events = journal(place)
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
    shown = events[acknowledged[0]["seq"] - 1 :][: len(acknowledged)]
    assert shown == acknowledged, "every event that was shown is there, as it was shown"
    if SESSIONS[session].first:
        assert UNSAVED not in again.stdout and sum(dirt(place)) == DIRT
    assert sorted(each["intent"] for each in kinds(events, "result")) == [e["seq"] for e in kinds(events, "intent")]
    check_results(place, events)


def check_line(
    done: subprocess.CompletedProcess[str], shown: Sequence[dict[str, Any]], kind: str, exits: frozenset[int]
) -> None:
    """The program ended with an exit code and one line that fit each other and the fault."""
    assert "Traceback" not in done.stderr + done.stdout, done.stderr
    assert not [event for event in shown if event.get("trace")], "a fault of autocraft's own"
    ends = kinds(shown, "end")
    lines = done.stderr.strip().splitlines()
    if done.returncode in exits:
        assert ends and ends[-1]["exit"] == done.returncode and not lines, done.stderr
        return
    assert done.returncode == (ends[-1]["exit"] if ends and not lines else 1) or (done.returncode == 2 and not shown)
    assert len(lines) == (0 if ends and ends[-1]["exit"] == done.returncode else 1), done.stderr
    said = lines[0] if lines else ends[-1]["why"]
    assert ";" in said, f"it says what to do next: {said}"
    assert kind == "I/O error" or "free some space" in said, said
    assert "free some space" not in said or kind != "I/O error" or "check" in said, said


def check_results(place: Place, events: Sequence[dict[str, Any]]) -> None:
    """Each result tells the truth about the files, the memory and the skills: what it says is there, once."""
    intents = {event["seq"]: event for event in kinds(events, "intent")}
    done = [(intents[event["intent"]], event) for event in kinds(events, "result")]
    is_open = {intent["seq"] for intent in intents.values()} - {result["intent"] for _, result in done}
    busy = {json.dumps(intents[seq]["args"].get("file")) for seq in is_open}
    files: dict[str, str | None] = {}
    rows = memory(place)
    for intent, result in done:
        args, ok = intent["args"], result["ok"]
        match intent["command"]:
            case "write_to_file" if ok:
                files[args["file"]] = args["text"]
            case "append_to_file" if ok:
                files[args["file"]] = (files.get(args["file"]) or "") + args["text"]
            case "delete_file" if ok:
                files[args["file"]] = None
            case "write_to_file" | "append_to_file" | "delete_file" if UNSURE in result["text"]:
                busy.add(json.dumps(args["file"]))
            case "write_to_file" | "append_to_file" | "delete_file":
                files.setdefault(args["file"], None)
            case "memory_add":
                assert rows.count(args["string"]) == ok, (rows, result["text"])
            case "save_skill":
                kept = place.state / "skills" / args["name"] / "skill.json"
                assert kept.exists() == ok or UNSURE in result["text"], result["text"]
                if ok:
                    number = json.loads(kept.read_text())["current"]
                    assert (kept.parent / "versions" / f"{number}.js").read_text() == args["code"]
    for name, text in files.items():
        path = place.folder / "workspace" / name
        now = path.read_text() if path.exists() else None
        assert now == text or json.dumps(name) in busy, f"{name} is {now!r:.60}, and not {text!r:.60}"


def check_world(place: Place, events: Sequence[dict[str, Any]], *, is_saved: bool) -> None:
    """The practice world is that of one save, whole: of the last one, unless the person was told otherwise."""
    carried, is_filled = dirt(place)
    assert carried + is_filled == DIRT, "the inventory and the blocks are of different saves"
    if is_saved and not any(UNSAVED in event["text"] for event in kinds(events, "note")):
        placed = [event for event in kinds(events, "result") if event["command"] == "place_item"]
        assert [event["ok"] for event in placed] == [is_filled] == [True], "what was done is in the world"


def world_of(place: Place) -> Path:
    """Return the folder of the practice world."""
    return place.state / "sessions" / place.session() / "minecraft" / "world"


def dirt(place: Place) -> tuple[int, bool]:
    """Return how much dirt the bot has, and whether the hole is filled again, as the practice server would read it."""
    folder, (x, y, z) = world_of(place), HOLE
    world = json.loads((folder / "world.json").read_bytes())
    [player] = world["players"].values()
    [name] = [each for each in world["columns"] if each.startswith(f"{x >> 4}.{z >> 4}.")]
    states = zlib.decompress((folder / "columns" / name).read_bytes(), wbits=31)
    at = 2 * (y << 8 | (z & 15) << 4 | (x & 15))
    return sum(each["count"] for each in player["slots"] if each), states[at : at + 2] != b"\0\0"


def journal(place: Place) -> list[dict[str, Any]]:
    """Return all events, with their long texts."""
    events = Events(place.state / "sessions" / place.session())
    return [json.loads(msgspec.json.encode(event)) for event in events]


def memory(place: Place) -> list[str]:
    """Return the texts of all rows of the memory."""
    files = list((place.state / "memory").glob("*.sqlite3"))
    if not files or not files[0].stat().st_size:
        return []
    with closing(sqlite3.connect(files[0])) as database:
        return [text for (text,) in database.execute("select text from memory order by seq")]


@cache
def count(session: str, kind: str) -> list[str]:
    """Play a session without a fault. Return the calls that can have this kind of fault."""
    folder = shared() / f"whole {session} {kind.replace('/', ' ')}"
    place, report = Place(folder / "place"), folder / "report"
    shutil.copytree(before(session), place.folder)
    done = play(place, session, kind, 0, report)
    assert done.returncode in SESSIONS[session].exits, done.stdout[-2000:] + done.stderr
    check_results(place, journal(place))
    if SESSIONS[session].first:
        check_world(place, journal(place), is_saved=True)
    return [f"{line['call']} {Path(line['path']).name}" for line in points(report)]


def tried(names: Sequence[str], share: int) -> list[int]:
    """Return one point of each call of a file that every turn makes, and of one of so many of the others."""
    alike: dict[str, list[int]] = {}
    for nth, name in enumerate(names, 1):
        alike.setdefault(NUMBERS.sub("N", name), []).append(nth)
    often = [each for each in alike.values() if len(each) > OFTEN]
    others = [each for each in alike.values() if len(each) <= OFTEN]
    return sorted(drawn(each, 1)[0] for each in (*often, *drawn(others, -(-len(others) // share))))


def try_points(folder: Path, session: str, kind: str, share: int) -> str:
    """Let some points fail, one after the other. Return how many."""
    names = count(session, kind)
    lost = []
    chosen = range(1, len(names) + 1) if os.environ.get("FAULT_POINTS") == "all" else tried(names, share)
    assert chosen, "no call of the session can have this fault"
    assert session != "run" or len(names) > (100, 5)[kind == "lost"], f"only {len(names)} calls can have this fault"
    for nth in chosen:
        try:
            fail_and_resume(folder / str(nth), session, kind, nth)
        except AssertionError as error:
            lost.append(f"point {nth}, {names[nth - 1]}: {error}")
        shutil.rmtree(folder / str(nth))
    assert not lost, f"{len(lost)} of {len(chosen)} points lost something:\n" + "\n".join(lost)
    return f"{len(chosen)} of {len(names)} points"


@pytest.mark.parametrize("kind", drawn(list(KINDS), 1))
def test_a_fault_at_a_few_writes_loses_nothing(tmp_path: Path, kind: str) -> None:
    try_points(tmp_path, "run", kind, 10 * SHARE)


@pytest.mark.full
@pytest.mark.parametrize(("session", "kind"), covering(list(SESSIONS), list(KINDS)))
def test_a_fault_at_each_kind_of_write_loses_nothing(
    tmp_path: Path, session: str, kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    points = try_points(tmp_path, session, kind, SHARE)
    with capsys.disabled():
        print(f"\n{kind} at {points} of {session}: 0 lost")
