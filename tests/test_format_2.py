"""A journal of format 2, in which a question named the risk in a word and a decision in a number: it loads, folds and
resumes as before, and every risk of it is the same word.

`format_2/` holds the journal of a run that looked, changed and overwrote, and where it stood after each line, as the
autocraft that wrote it saw it.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from autocraft.protocols import Json, Risk
from autocraft.session.events import Event
from autocraft.session.formats import VERSION
from autocraft.session.reading import Events
from tests.conftest import Place
from tests.test_format_1 import folds_as_before

KEPT = Path(__file__).parent / "format_2"
SESSION = "20261123-042223-3e7d33"
LINES = (KEPT / "events.jsonl").read_bytes().splitlines(keepends=True)
WORDS = {None, "look", "change", "destroy"}


@pytest.fixture
def session(place: Place) -> Path:
    """A copy of the session, whose workspace is in this place."""
    folder = place.state / "sessions" / SESSION
    folder.mkdir(parents=True)
    (folder / "events.jsonl").write_bytes(b"".join(LINES).replace(b"@PLACE@", bytes(place.folder)))
    return folder


def risks(lines: list[Json]) -> dict[str, set[object]]:
    """Type of event -> the risks that its lines name."""
    types = {line["type"] for line in lines if "risk" in line}
    return {name: {line["risk"] for line in lines if line["type"] == name} for name in types}


def test_the_journal_holds_what_it_is_there_for() -> None:
    lines = [json.loads(line) for line in LINES]
    assert {line["v"] for line in lines} == {2} and VERSION > 2
    words, numbers = {"look", "change", "destroy"}, {0, 1, 2}
    assert words <= risks(lines)["question"] <= WORDS
    assert risks(lines)["intent"] == numbers <= risks(lines)["decision"]


def test_every_risk_becomes_the_same_word(session: Path) -> None:
    events = list(Events(session))
    lines = [json.loads(json.dumps(event.to_json())) for event in events]
    assert {line["v"] for line in lines} == {VERSION}
    found = risks(lines)
    assert set(found) == {"question", "decision", "intent"}
    assert all({"look", "change", "destroy"} <= words <= WORDS for words in found.values()), found
    assert [Event.from_json(line) for line in lines] == events
    before = [json.loads(line).get("risk") for line in LINES]
    names = [Risk(risk).label if isinstance(risk, int) else risk for risk in before]
    assert [line.get("risk") for line in lines] == names


def test_it_folds_as_before_at_every_line(session: Path) -> None:
    folds_as_before(session, KEPT)


def test_it_is_resumed_to_its_goal(place: Place, session: Path) -> None:
    (place.folder / "workspace").mkdir()
    before = (session / "events.jsonl").read_bytes()
    done = place.run("run", "--resume", "last", "--brain", "planner", "--continuous", "--json")
    assert done.returncode == 0, done.stderr
    assert (session / "events.jsonl").read_bytes().startswith(before)
    written = [json.loads(line) for line in done.stdout.splitlines()]
    assert {event["v"] for event in written} == {VERSION}
    assert risks(written) == {"decision": {"change"}, "intent": {"change"}}


@pytest.mark.parametrize("risk", [0, 1, "CHANGE", "network", True, [], 3, -1])
def test_a_risk_that_is_no_word_of_the_three_is_refused(risk: object) -> None:
    intent = {"seq": 1, "t": 0, "agent": "main", "turn": 1, "type": "intent", "id": "", "command": "look", "args": {}}
    with pytest.raises(ValueError, match="its risk cannot be that"):
        Event.from_json(intent | {"v": VERSION, "evidence": {}, "risk": risk})


@pytest.mark.parametrize("risk", ["change", 3, True, None])
def test_a_risk_that_format_2_did_not_have_is_refused(risk: object) -> None:
    intent = {"seq": 1, "t": 0, "agent": "main", "turn": 1, "type": "intent", "id": "", "command": "look", "args": {}}
    with pytest.raises(ValueError, match="its risk cannot be that"):
        Event.from_json(intent | {"v": 2, "evidence": {}, "risk": risk})
