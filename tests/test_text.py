"""Well-formed text: what comes out can always be encoded, and what was well-formed is left alone."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from autocraft.agent.state import State
from autocraft.agent.transcript import PromptSettings, Transcript
from autocraft.goals import Goal
from autocraft.protocols import Json, Risk
from autocraft.session.events import (
    Answer,
    Decision,
    End,
    Event,
    Expense,
    Feedback,
    Goals,
    Intent,
    Limit,
    MemoryRow,
    Message,
    Note,
    Question,
    Reply,
    Result,
)
from autocraft.session.journal import Journal
from autocraft.session.reading import Events
from autocraft.text.characters import Pieces, well_formed
from autocraft.text.prompts import Prompt, shorten
from autocraft.text.redact import Mask
from autocraft.usage import Usage

UNITS = st.one_of(st.integers(0xD800, 0xDFFF), st.integers(0, 0x10FFFF))
ANY_TEXT = st.lists(UNITS, max_size=12).map(lambda codes: "".join(map(chr, codes)))
PLAIN = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False)
ANY_JSON = st.recursive(
    PLAIN | ANY_TEXT, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(ANY_TEXT, inner, max_size=4)
)


def lone(text: str) -> int:
    """How many halves of `text` have no other half, counted in UTF-16 by hand."""
    data = text.encode("utf-16-le", "surrogatepass")
    units = [int.from_bytes(data[at : at + 2], "little") for at in range(0, len(data), 2)]
    count = at = 0
    while at < len(units):
        if 0xD800 <= units[at] < 0xDC00 and at + 1 < len(units) and 0xDC00 <= units[at + 1] < 0xE000:
            at += 2
            continue
        count += 0xD800 <= units[at] < 0xE000
        at += 1
    return count


@given(ANY_TEXT)
def test_any_text_can_be_encoded_afterwards_and_loses_only_its_halves(text: str) -> None:
    made = well_formed(text)
    made.encode()
    assert well_formed(made) is made
    assert made.count("\ufffd") == text.count("\ufffd") + lone(text)
    if not any("\ud800" <= each <= "\udfff" for each in text):
        assert made is text


@given(ANY_JSON)
def test_any_json_can_be_encoded_afterwards(value: Any) -> None:
    made = well_formed(value)
    json.dumps(made, ensure_ascii=False).encode()
    assert well_formed(made) is made
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        assert made is not value
    else:
        assert made is value


@given(ANY_TEXT, st.data())
def test_pieces_join_to_the_same_text_wherever_they_were_cut(text: str, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=4)))
    pieces = Pieces()
    shown = ""
    for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True):
        part = pieces.take(text[start:end])
        part.encode()
        shown += part
    whole = well_formed(text)
    assert whole in (shown, shown + "\ufffd"), "only a half at the very end still waits"


def test_keys_and_what_lies_deep_are_mended_too() -> None:
    halves = {"a\ud83d": [("b\ud83d\ude00",), {"c": {"\udce9": None}}], "same": 1}
    assert well_formed(halves) == {"a\ufffd": [("b\U0001f600",), {"c": {"\ufffd": None}}], "same": 1}
    kept = {"a": [1, ("b",)]}
    assert well_formed(kept) is kept


def test_a_key_whose_bytes_are_no_utf8_is_cut_out_of_mended_text() -> None:
    assert Mask(["p\udce9sswort-lang"]).text(well_formed("it is p\udce9sswort-lang")) == "it is [key removed]"


def test_a_goal_is_well_formed() -> None:
    assert Goal.parse("build a caf\udce9").text == "build a caf\ufffd"


# ---------------------------------------------------------------- the journal and its folds

HALF = "half \ud83d"
HUGE = 10**400
DONE: Json = {"command": HALF, "args": {HALF: HUGE}, "risk": "change", "feedback": HALF, "why": HALF}
USED: Json = {"usage": Usage(10**9, 10**9, estimated=True), "cost": 0.0}
EVENTS: list[Event] = [
    Goals(goals=(Goal(HALF, ((HALF, 1),)),), options={}),
    Answer(text=HALF, finish_reason=HALF, reasoning=HALF, refusal=HALF, tool_calls=[], usage=Usage(10**9, 1), cost=None,
           seconds=0.1, heard=1, recalled=[MemoryRow(id=HALF, score=None, kind="", text=HALF)]),
    Reply(stage=HALF, flags=[HALF], thoughts={HALF: HALF}, command=HALF, args={HALF: [HALF, HUGE]}),
    Question(command=HALF, args={HALF: HALF}, why=HALF, preview=HALF, again=HALF),
    Decision(kind="run", by="person", left=2**53, always=True, preview=HALF, **DONE),
    Intent(id=HALF, command=HALF, args={HALF: [HALF, HUGE, {HALF: HALF}]}, risk=Risk.CHANGE, evidence={HALF: HALF}),
    Result(intent=6, command=HALF, ok=True, text=HALF, seconds=0.1),
    Decision(kind="refuse", by="policy", left=0, always=False, **DONE),
    Feedback(text=HALF),
    Limit(text=HALF),
    Expense(text=HALF, **USED),
    Message(text=HALF, message=HALF, call=HALF),
    End(reason=HALF, why=HALF, inventory={}),
]  # fmt: skip


def numbered(events: list[Event]) -> list[Event]:
    return [replace(event, seq=at, time=1.0, turn=1) for at, event in enumerate(events, 1)]


def mended(event: Event) -> Event:
    """The same event with its texts mended, as it would be read."""
    return type(event).from_json(well_formed(event.to_json()))


@pytest.mark.parametrize("mend", [False, True], ids=["as they are", "mended"])
def test_every_fold_accepts_whatever_a_journal_can_hold(mend: bool) -> None:
    """The folds are total: not because the journal mends what it reads, but each by itself."""
    state, transcript = State(), Transcript(PromptSettings(), lambda: [Prompt("a command")])
    repeated = []
    for event in map(mended, numbered(EVENTS)) if mend else numbered(EVENTS):
        state.apply(event)
        transcript.apply(event)
        repeated.append(state.repetition)
    assert max(repeated) == 1 and state.turns == 1 and state.end is not None
    assert transcript.messages("seen")


def test_what_is_appended_is_mended_for_the_file_and_for_those_who_listen(tmp_path: Any) -> None:
    (tmp_path / "blobs").mkdir()
    journal = Journal(tmp_path)
    heard: list[Event] = []
    journal.listeners.append(heard.append)
    fields: Json = {"k\udce9": ["\udce9" * 70_000]}
    journal.append(Note(text="\ud83d\ude00 \ud83d", args=fields))
    journal.close()
    (note,) = heard
    assert isinstance(note, Note)
    assert note.text == "\U0001f600 \ufffd" and note.args == {"k\ufffd": ["\ufffd" * 70_000]}
    assert [event for event, _ in Events(tmp_path).backward()] == heard, "its blob is mended too"


@pytest.mark.parametrize(("limit", "kept"), [(9, "abcdefghi"), (4, "ab/5/hi"), (1, "/8/i"), (0, "/9/"), (-2, "/9/")])
def test_a_text_loses_as_many_characters_as_it_says(limit: int, kept: str) -> None:
    """A limit of 0 kept all of it."""
    assert shorten("abcdefghi", limit).replace(" characters left out]\n", "/").replace("\n[", "/") == kept
