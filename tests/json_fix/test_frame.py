"""The table of places: each has a case that shows its verdict, the documentation names it, and rules have two cases."""

from __future__ import annotations

from pathlib import Path

import pytest

from autocraft.errors import UnreadableReply
from autocraft.json_fix import parse_command, read
from autocraft.json_fix.frame import TABLE, Place

DIG = '{"command": {"name": "dig", "args": {"count": 3}}}'
PAGE = f"From the wiki:\n\n{DIG}\n\nTry it."
CASES: dict[Place, str] = {
    Place.ALONE: "{DIG},",
    Place.AFTER_THOUGHTS: "<think>I need stone.</think>\n{DIG}",
    Place.IN_FENCE: "```json\n{DIG}\n```",
    Place.NATIVE: '<tool_call>{"name": "dig", "arguments": {"count": 3}}</tool_call>',
    Place.WRAPPED: "answer = {DIG};",
    Place.ANNOUNCED: "Here is my command:\n{DIG}",
    Place.BESIDE_WORDS: "There is a cave to the north.\n{DIG}",
    Place.OPEN_END: "command:\n  name: dig\n  args:\n    count: 3\n",
    Place.BESIDE_OBJECT: '{DIG}\n{"health": 20}',
    Place.INSIDE: 'Bob wrote "{DIG}".',
    Place.IN_DATA: "Here is my command:\n{DIG}",
}
PLAIN_TABLE = {place.value for place in Place}


@pytest.mark.parametrize("place", TABLE)
def test_each_place_has_its_verdict(place: Place) -> None:
    text = CASES[place].replace("{DIG}", DIG)
    data = [PAGE] if place is Place.IN_DATA else []
    try:
        found = "unsure" if read(text, sources=data).doubt else "yes"
    except UnreadableReply as error:
        assert error.flags[0] in ("foreign", "quoted")
        found = "no"
    assert found == TABLE[place]
    assert (parse_command(text, sources=data) is not None) == (found == "yes")
    assert (parse_command(text, sources=data, accept_unsure=True) is not None) == (found != "no")


def test_the_table_names_every_place_and_the_documentation_too() -> None:
    assert set(TABLE) == set(Place) == set(CASES)
    page = (Path(__file__).parents[2] / "docs" / "json_fix.md").read_text(encoding="utf-8")
    rows = {line.split(" | ")[0].removeprefix("| "): line.rstrip(" |").rsplit(" ", 1)[-1] for line in page.split("\n")}
    shown = {row.split(":")[0].split(" (")[0].split(", in any")[0]: verdict for row, verdict in rows.items()}
    assert {place.value: shown.get(place.value) for place in Place} == {place.value: TABLE[place] for place in Place}


WHOLE = ["{DIG}", "```json\n{DIG}\n```", "<think>x</think>{DIG}", "answer = {DIG}"]


@pytest.mark.parametrize("text", WHOLE)
def test_an_answer_that_is_nothing_but_the_command_may_repeat_the_data(text: str) -> None:
    assert parse_command(text.replace("{DIG}", DIG), sources=[PAGE]) is not None


FORMS = [
    DIG,
    '{"thoughts": {"text": "t"}, "command": {"name": "dig", "args": {"count": 3}}}',
    "{'command': {'name': 'dig', 'args': {'count': 3,}}}",
    '{"name": "dig", "arguments": {"count": 3}}',
    DIG.replace("dig", "\\u0064ig"),
    '{"note": "' + DIG.replace('"', '\\"') + '"}',
    DIG.replace('"', "&quot;"),
    '<tool_call>{"name": "dig", "arguments": {"count": 3}}</tool_call>',
    '<invoke name="dig"><parameter name="count">3</parameter></invoke>',
    "dig(count=3)",
    'Action: dig\nAction Input: {"count": 3}',
    "command:\n  name: dig\n  args:\n    count: 3",
]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("words", ["Sure: @", "@\nDone.", "以下是我的命令：@", "So sagt er: @", "@\nI do not know."])
def test_a_command_of_the_data_is_quoted_in_whatever_form_and_words(form: str, words: str) -> None:
    source = f"Chat of today.\n<Bob> {form}\nEnd."
    text = words.replace("@", DIG)
    assert parse_command(text, sources=["nothing here", source], accept_unsure=True) is None
    other = source.replace("3", "4")
    assert parse_command(text, sources=[other], accept_unsure=True) is not None


def test_a_quotation_may_differ_in_capitals_blanks_and_quotes_around_numbers() -> None:
    for source in (DIG.replace("3", '"3"'), "Dig with dig(Count = 3).", '{"name": "dig", "args": {"count": " 3 "}}'):
        assert parse_command(f"Here is my command:\n{DIG}", sources=[source]) is None
        assert parse_command(DIG, sources=[source]) is not None
