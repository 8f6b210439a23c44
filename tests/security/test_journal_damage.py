"""A damaged journal ends in one plain line that says where, or does no harm; nothing of it is a fault of ours."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import traceback
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest

from autocraft.agent.state import State
from autocraft.app import Request, open_request
from autocraft.console.report import history, report, summary
from autocraft.errors import AutocraftError, SessionError
from autocraft.session import event
from autocraft.session.events import Event
from autocraft.session.reading import Events
from autocraft.session.snapshot import FILE
from tests.commands.programs import with_programs
from tests.conftest import Place
from tests.journals import record
from tests.sampling import drawn
from tests.security.count import Tally
from tests.security.journal_damage import Damage, damages

pytestmark = pytest.mark.full

Kind = Callable[[str], Tally]


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The session of a real run, cut so that its resume takes a turn and settles an effect."""
    folder = record(Place(tmp_path_factory.mktemp("recorded")))
    lines = (folder / "events.jsonl").read_bytes().splitlines(keepends=True)
    types = [json.loads(line)["type"] for line in lines]
    last = len(types) - 1 - types[::-1].index("intent")
    last = last - 1 - types[:last][::-1].index("intent")
    (folder / "events.jsonl").write_bytes(b"".join(lines[: last + 1]))
    return folder


@pytest.fixture(scope="module")
def lines(recorded: Path) -> Sequence[bytes]:
    return (recorded / "events.jsonl").read_bytes().splitlines(keepends=True)


@pytest.fixture
def here(recorded: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A state folder to damage sessions in, as the process's own."""
    monkeypatch.chdir(recorded.parents[2])
    for name, value in {**Place(recorded.parents[2]).environment, **with_programs()}.items():
        monkeypatch.setenv(name, value)
    return tmp_path


def damage(here: Path, recorded: Path, made: Damage) -> Path:
    """A session that holds the damaged journal; every second one beside the snapshot of the whole journal."""
    folder = here / "sessions" / recorded.name
    shutil.rmtree(here / "sessions", ignore_errors=True)
    shutil.copytree(recorded, folder, ignore=shutil.ignore_patterns("*.lock", "lock", "programs.log"))
    if len(made.name) % 2:
        (folder / FILE).unlink()
    (folder / "events.jsonl").write_bytes(b"".join(made.lines))
    made.prepare(folder)
    return folder


def resume(here: Path, id: str) -> None:
    """`run --resume` in this process; raises what it raises."""

    async def go() -> Any:
        run = await open_request(Request(resume=id, flags={"state_dir": here, "continuous": True}, json=True))
        return await run.go()

    end = asyncio.run(go())
    if "fault in autocraft itself" in end.why:
        raise AssertionError(end.why)


def undo(here: Path, id: str) -> None:
    async def go() -> int:
        run = await open_request(Request(resume=id, flags={"state_dir": here, "brain": "planner"}))
        return await run.undo()

    asyncio.run(go())


def refused(action: Callable[[], object]) -> AutocraftError | None:
    """The error of ours that it ended in; None where it did not. Whatever else it raises goes on."""
    try:
        action()
    except AutocraftError as error:
        return error
    return None


def judge(made: Damage, error: AutocraftError | None) -> str:
    """What is wrong with how it ended; empty where nothing is."""
    said = str(error or "")
    if "\n" in said or len(said) > 400:
        return f"more than a line: {said[:400]}"
    if isinstance(error, SessionError) and "start a new run" not in said and "update autocraft" not in said:
        return f"no advice: {said}"
    if made.line and f"line {made.line} of " not in said:
        return f"line {made.line} was not named: {said or 'accepted'}"
    return ""


def attempt(made: Damage, *actions: Callable[[], object]) -> str:
    for action in actions:
        try:
            problem = judge(made, refused(action))
        except Exception:  # noqa: BLE001 - what is no refusal is the finding
            return traceback.format_exc()[-600:]
        if problem:
            return problem
    return ""


def test_a_damaged_journal_is_read_or_refused_in_one_line(
    here: Path, recorded: Path, lines: Sequence[bytes], tally: Kind
) -> None:
    """`report`, `sessions show` and `sessions list`; damage that must be named is named by its line."""
    attacks = tally("damaged journals read")
    folder = damage(here, recorded, Damage("none", lines))
    for made in chosen(lines, 5):
        events = Events(damage(here, recorded, made) if "blob" in made.name else folder)
        events.path.write_bytes(b"".join(made.lines))
        attacks.add(
            made.name, attempt(made, partial(report, events, "x"), partial(history, events), partial(summary, events))
        )
    assert attacks.tried > 1_000
    attacks.done()


def chosen(lines: Sequence[bytes], every: int) -> list[Damage]:
    """Return one of so many damaged journals, others with each commit.

    The first line decides most of how a run is opened, so more of those. Of texts in files of their own there are few.
    """
    made = list(damages(lines))
    first = [each for each in made if each.name.startswith("goal ")]
    blobs = [each for each in made if "blob" in each.name]
    picked = [*part(first, max(1, every // 4)), *part(made, every), *part(blobs, max(1, every // 24))]
    return list({each.name: each for each in picked}.values())


def part(made: Sequence[Damage], every: int) -> list[Damage]:
    """Return one of so many, at least one."""
    return [made[at] for at in sorted(drawn(range(len(made)), max(1, len(made) // every)))]


def resume_damaged(here: Path, recorded: Path, made: Damage) -> str:
    """How a resume of it went wrong; a journal that is refused must be left as it is."""
    folder = damage(here, recorded, made)
    before = (folder / "events.jsonl").read_bytes()
    problem = attempt(made, lambda: resume(here, recorded.name))
    after = (folder / "events.jsonl").read_bytes()
    if not problem and made.line and before != after:
        return "the damaged journal was written to"
    return problem


def test_a_damaged_journal_is_resumed_or_refused_in_one_line(
    here: Path, recorded: Path, lines: Sequence[bytes], tally: Kind, capsys: pytest.CaptureFixture[str]
) -> None:
    attacks = tally("damaged journals resumed")
    for made in chosen(lines, 48):
        attacks.add(made.name, resume_damaged(here, recorded, made))
        capsys.readouterr()
    attacks.done()


def test_nothing_of_a_damaged_journal_is_taken_back_with_a_trace(
    here: Path, recorded: Path, lines: Sequence[bytes], tally: Kind, capsys: pytest.CaptureFixture[str]
) -> None:
    attacks = tally("damaged journals taken back")
    for made in chosen(lines, 96):
        damage(here, recorded, made)
        attacks.add(made.name, attempt(made, lambda: undo(here, recorded.name)))
        assert "Traceback" not in capsys.readouterr().out
    attacks.done()


def careless(line: bytes) -> Event:
    """Take the fields as they are."""
    data = json.loads(line)
    kind = event._CLASSES[data["type"], data.get("ok") is not False or data["type"] != "reply"]
    fields = msgspec.structs.fields(kind)
    return kind(**{each.name: data[each.encode_name] for each in fields if each.encode_name in data})


def test_a_reader_that_believes_the_file_falls_for_most_of_them(
    lines: Sequence[bytes], capsys: pytest.CaptureFixture[str]
) -> None:
    """The control: the same journals, folded without being judged."""
    fell = 0
    for made in chosen(lines, 40):
        state = State()
        try:
            for line in made.lines:
                state.apply(careless(line))
        except Exception:  # noqa: BLE001 - whatever it is, the reader broke
            fell += 1
    with capsys.disabled():
        print(f"\n{fell} of {len(chosen(lines, 40))} damaged journals break a careless reader")
    assert fell > 30


def test_the_program_says_it_in_one_line_and_lists_the_other_sessions(place: Place, tally: Kind) -> None:
    """Real processes, for one damage of each kind."""
    whole = record(place)
    lines = (whole / "events.jsonl").read_bytes().splitlines(keepends=True)
    damaged = whole.with_name("20200101-000000-000000")
    shutil.copytree(whole, damaged)
    (damaged / "lock").unlink()
    found: dict[str, Damage] = {}
    for made in damages(lines):
        found.setdefault(" ".join(made.name.split()[-2:]), made) if made.line else None
    picked = list(found.values())[:: max(1, len(found) // 6)]
    attacks = tally("damaged journals, processes")
    for made in picked:
        (damaged / "events.jsonl").write_bytes(b"".join(made.lines))
        made.prepare(damaged)
        os.utime(damaged / "events.jsonl", (1, 1))
        for command in (["run", "--resume"], ["report"], ["sessions", "show"], ["sessions", "undo"]):
            done = place.run(*command, damaged.name, **with_programs())
            rows = done.stderr.strip().splitlines()
            good = done.returncode == 1 and len(rows) == 1 and f"line {made.line} of" in rows[0]
            attacks.add(f"{' '.join(command)}: {made.name}", "" if good else done.stdout[-300:] + done.stderr[-600:])
        listed = place.run("sessions", "list")
        good = f"{damaged.name}  damaged: line {made.line} of" in listed.stdout and whole.name in listed.stdout
        attacks.add(f"sessions list: {made.name}", "" if good and not listed.stderr else listed.stdout + listed.stderr)
    attacks.done()
