"""The snapshot of the fold: it changes nothing about where a resumed run stands, and spares it the events before."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from autocraft.agent.cycles import MOST_KEYS
from autocraft.agent.helper_states import Helpers
from autocraft.agent.state import State
from autocraft.agent.transcript import PromptSettings, Transcript
from autocraft.commands.registry import Registry
from autocraft.goals import Goal
from autocraft.protocols import Json
from autocraft.session import reading as reading
from autocraft.session import snapshot as keeping
from autocraft.session.events import Event, Goals, Note
from autocraft.session.journal import Journal, encode
from autocraft.session.reading import Events
from autocraft.session.snapshot import FILE, Snapshots
from benchmarks.resume import build
from tests.conftest import PROGRAM, Place
from tests.journals import event, record

pytestmark = pytest.mark.sampled(14)

WINDOW = 400
"""Tokens, so few that the history of the journal below does not fit."""


@dataclass
class Resumed:
    """What a resume knows of a run."""

    journal: Journal
    state: State
    transcript: Transcript
    helpers: Helpers
    snapshots: Snapshots

    @property
    def told(self) -> bytes:
        """All of it, in one text."""
        folds = (self.journal, self.state, self.transcript, self.helpers)
        return encode({"all": [each.to_json() for each in folds], "mark": str(self.journal.mark)})

    @property
    def prompt(self) -> str:
        return "\n".join(each.content for each in self.transcript.messages("the world"))


def resume(folder: Path, window: int = WINDOW) -> Resumed:
    """Fold a journal as `autocraft run --resume` does."""
    settings = PromptSettings(window=window, reply_tokens=100)
    journal, state, transcript = Journal(folder), State(), Transcript(settings, list)
    helpers = Helpers(journal, Registry([]), settings)
    snapshots = Snapshots(journal, {"state": state, "transcript": transcript, "helpers": helpers})
    snapshots.replay(lambda: state.open_intents)
    journal.close()
    return Resumed(journal, state, transcript, helpers, snapshots)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The session of a real run."""
    return record(Place(tmp_path_factory.mktemp("recorded")))


@pytest.fixture
def session(recorded: Path, tmp_path: Path) -> Path:
    """A copy of it without a snapshot."""
    shutil.copytree(recorded, tmp_path / "session")
    (tmp_path / "session" / FILE).unlink()
    return tmp_path / "session"


@pytest.fixture
def lines_read(monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """Counts the lines of journals that were parsed since it was asked last."""
    count, read = [0], reading.Events._read

    def counted(events: Events, line: bytes, offset: int) -> Event:
        count[0] += 1
        return read(events, line, offset)

    def taken() -> int:
        found, count[0] = count[0], 0
        return found

    monkeypatch.setattr(Events, "_read", counted)
    return taken


def cut(session: Path, lines: list[bytes]) -> None:
    (session / "events.jsonl").write_bytes(b"".join(lines))


@pytest.mark.full
def test_a_snapshot_at_any_place_and_the_rest_are_all_of_it(session: Path, lines_read: Callable[[], int]) -> None:
    """fold(snapshot) + rest == fold(all), and no event before the snapshot is parsed."""
    lines = (session / "events.jsonl").read_bytes().splitlines(keepends=True)
    whole = resume(session)
    assert lines_read() == len(lines) > 100
    assert {"scout", "digger", "program", "person"} <= {each.agent for each in Events(session)}
    assert whole.transcript.history.chunks[0].turn > 1, "the window is so small that old turns are forgotten"
    lines_read()
    for place in range(1, len(lines) + 1):
        cut(session, lines[:place])
        (session / FILE).unlink(missing_ok=True)
        resume(session).snapshots.write()
        cut(session, lines)
        lines_read()
        again = resume(session)
        assert lines_read() == len(lines) - place
        assert again.told == whole.told, f"snapshot after line {place}"
        assert (again.state, again.prompt) == (whole.state, whole.prompt)


def test_what_a_live_run_kept_is_what_its_journal_folds_to(recorded: Path, session: Path) -> None:
    """The last process of the run resumed from the snapshot of the first and wrote its own at its end."""
    kept = keeping.read(recorded / FILE)
    assert kept is not None
    again = resume(session, PromptSettings().window)
    mark = again.journal.mark
    assert kept["mark"] == [mark.offset, mark.crc, mark.seq]
    ours: dict[str, keeping.Storable] = {
        "state": again.state,
        "transcript": again.transcript,
        "helpers": again.helpers,
        "journal": again.journal,
    }
    for name, fold in ours.items():
        assert kept["folds"][name] == json.loads(encode(fold.to_json())), name


def _flip(data: bytes, at: int) -> bytes:
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]


def _edited(change: Callable[[Json], None]) -> Callable[[bytes], bytes]:
    """A snapshot whose content was changed and whose sum was made anew."""

    def edit(data: bytes) -> bytes:
        content = json.loads(data.split(b"\n", 1)[1])
        change(content)
        body = encode(content)
        return keeping._sum(body) + b"\n" + body

    return edit


DAMAGED: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda data: b"",
    "cut": lambda data: data[: len(data) // 2],
    "no json": lambda data: b"snapshot\n",
    "flipped": lambda data: _flip(data, 400),
    "flipped in the sum": lambda data: _flip(data, 3),
    "zeros": lambda data: bytes(len(data)),
    "older format": _edited(lambda kept: kept.update(format=0)),
    "other version": _edited(lambda kept: kept.update(autocraft="0.0.1")),
    "a list": _edited(lambda kept: kept.update(folds=[])),
    "no state": _edited(lambda kept: kept["folds"].pop("state")),
    "a field is missing": _edited(lambda kept: kept["folds"]["state"].pop("budget")),
    "a fold is text": _edited(lambda kept: kept["folds"].update(helpers="x")),
    "helpers are numbers": _edited(lambda kept: kept["folds"]["helpers"].update(live=[1])),
    "another window": _edited(lambda kept: kept["folds"]["transcript"].update(bounds=[1, 2])),
    "a mark beyond the end": _edited(lambda kept: kept.update(mark=[10**9, 1, 1])),
    "a mark with another sum": _edited(lambda kept: kept.update(mark=[kept["mark"][0], 1, 1])),
    "no mark": _edited(lambda kept: kept.pop("mark")),
}


@pytest.mark.parametrize("damage", DAMAGED)
def test_a_snapshot_that_does_not_fit_is_passed_over(session: Path, damage: str, lines_read: Callable[[], int]) -> None:
    whole = resume(session)
    whole.snapshots.write()
    data = (session / FILE).read_bytes()
    lines_read()
    assert resume(session).told == whole.told and lines_read() == 0, "the control: it is used"
    (session / FILE).write_bytes(DAMAGED[damage](data))
    assert resume(session).told == whole.told
    assert lines_read() == whole.journal.seq, "everything is folded from the first event"


@pytest.mark.parametrize("change", ["first line", "last line", "shorter", "another journal"])
def test_a_snapshot_of_another_journal_is_passed_over(
    session: Path, change: str, lines_read: Callable[[], int]
) -> None:
    """Any byte before its mark counts, not the last line alone."""
    resume(session).snapshots.write()
    lines = (session / "events.jsonl").read_bytes().splitlines(keepends=True)
    if change == "first line":
        lines[0] = lines[0].replace(b"stone_pickaxe", b"wooden_shovel")
    elif change == "last line":
        lines[-1] = lines[-1].replace(b'"ok":true', b'"ok":false')
    elif change == "shorter":
        lines = lines[:-3]
    else:
        lines = [line.replace(b"oak", b"elm") for line in lines]
    cut(session, lines)
    lines_read()
    again = resume(session)
    assert lines_read() == len(lines)
    (session / FILE).unlink()
    assert resume(session).told == again.told


def test_a_folder_in_its_place_costs_nothing_but_time(session: Path) -> None:
    whole = resume(session)
    (session / FILE).mkdir()
    again = resume(session)
    again.snapshots.write()
    assert again.told == whole.told


def test_a_fold_that_failed_is_not_kept(session: Path) -> None:
    """A fault of ours leaves the folds half done; the next resume must not believe them."""
    run = resume(session)
    run.snapshots.write()
    before = (session / FILE).read_bytes()
    run.transcript.apply = lambda event: 1 / 0  # type: ignore[method-assign, assignment]
    with pytest.raises(ZeroDivisionError):
        run.snapshots.apply(Note(text="", seq=run.journal.seq + 1))
    del run.transcript.apply
    run.snapshots.write()
    assert (session / FILE).read_bytes() == before


def test_a_long_run_writes_one_every_so_often(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lines_read: Callable[[], int]
) -> None:
    """So that a kill costs a resume no more than that many events."""
    monkeypatch.setattr(keeping, "EVERY", 500)
    folder = build(tmp_path / "state", tmp_path / "files", 100)
    journal, state = Journal(folder), State()
    snapshots = Snapshots(journal, {"state": state})
    snapshots.replay(lambda: state.open_intents)
    for number in range(2_300):
        journal.append(Note(text=f"note {number}"))
    journal.close()
    lines_read()
    again, state = Journal(folder), State()
    Snapshots(again, {"state": state}).replay(lambda: state.open_intents)
    again.close()
    assert again.seq == 2_400
    assert lines_read() < 500


@pytest.mark.full
def test_a_resume_parses_only_what_came_after_the_snapshot(place: Place) -> None:
    """The whole program, told by the size of what it may read: the journal before the mark is no JSON any more."""
    folder = build(place.state, place.folder / "workspace", 12_000)
    first = place.run("run", "--resume", "last", "--continuous", "--json")
    assert first.returncode == 3, first.stdout + first.stderr
    kept = keeping.read(folder / FILE)
    assert kept is not None and kept["mark"][2] > 12_000
    second = place.run("run", "--resume", "last", "--continuous", "--json")
    assert second.returncode == 3
    one, two = (json.loads(done.stdout.splitlines()[-1]) for done in (first, second))
    names = ("state_sha256", "turns", "tokens", "cost", "seconds", "errors", "stages")
    assert [one[name] for name in names] == [two[name] for name in names]


def test_what_only_grows_is_bounded(session: Path) -> None:
    """The snapshot of a run of 100 times the events is hardly larger."""
    sizes = []
    for rounds in (1, 100):
        run = resume(session)
        for number in range(60 * rounds):
            row = {"turn": number + 100, "seq": number + 10_000}
            feedback = event("feedback", **row, text=f"remark {number} " + "of many words " * 20)
            intent = event("intent", **row, command="replay_plan", args={"id": f"plan-{number}" * 50})
            result = event("result", **row, intent=row["seq"], command="x", text=f"{number}" * 500)
            for each in (feedback, intent, result):
                run.state.apply(each)
                run.transcript.apply(each)
            run.state.pending_feedback.clear()
        sizes.append(len(run.told))
    assert len(run.state.tried) == MOST_KEYS
    assert sizes[1] < 5 * sizes[0] + MOST_KEYS * 300


def test_feedback_that_is_forgotten_is_still_counted() -> None:
    """The prompt is the same as if all of it had been kept."""
    small, large = (Transcript(PromptSettings(window=w, reply_tokens=100), list) for w in (1_000, 10**9))
    for made in (small, large):
        made.apply(Goals(goals=(Goal("build"),)))
        for turn in range(1, 400):
            made.apply(event("feedback", turn=turn, text=f"remark {turn}: " + "use oak " * 9))
            made.apply(event("answer", turn=turn, text=f"answer {turn} " + "yes " * 30))
    assert len(small.feedback) < 150 < len(large.feedback)
    assert small.messages("here", window=1_000) == large.messages("here", window=1_000)[: len(small.messages("here"))]


COUNTED = """
import sys, threading
calls = [0]

def count(frame, event, argument):
    calls[0] += event in ("call", "c_call")

threading.setprofile(count)
sys.setprofile(count)
from autocraft.cli import main
try:
    main()
finally:
    sys.setprofile(None)
    open("calls", "w").write(str(calls[0]))
"""
"""The program, which writes at its end how many functions were called."""


def peak(place: Place, program: Sequence[str], *arguments: str) -> float:
    """Return the peak megabytes of one run of the program."""
    code = (
        "import resource, subprocess, sys; subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL);"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    done = subprocess.run(
        [PROGRAM[0], "-c", code, *program, *arguments],
        cwd=place.folder, env=place.environment, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return int(done.stdout) / 1024


@pytest.mark.full
def test_200_000_events_are_resumed_with_the_work_of_12_000_and_in_300_mb(place: Place) -> None:
    calls = []
    for events in (12_000, 200_000):
        run = Place(place.folder / f"{events}")
        build(run.state, run.folder / "workspace", events)
        resume_last = ("run", "--resume", "last", "--continuous", "--json")
        assert peak(run, PROGRAM, *resume_last) < 300, "from the first event"
        assert peak(run, [PROGRAM[0], "-c", COUNTED], *resume_last) < 300, "from the snapshot"
        calls.append(int((run.folder / "calls").read_text()))
    assert calls[1] - calls[0] < 20_000, "it reads the bytes before the snapshot in blocks, and folds no event of them"


def test_a_sum_of_tokens_is_kept_whatever_its_size() -> None:
    """No single call is believed to use so many, but all of a long run together may."""
    state = State()
    for seq in (1, 2, 3):
        state.apply(event("answer", turn=seq, seq=seq, usage=[900_000_000, 1, False], cost=9e8, seconds=0.1))
        again = State()
        again.restore(state.to_json())
        assert (again.totals.usage.total, again) == (seq * 900_000_001, state)
