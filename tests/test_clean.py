"""Nothing that a terminal might obey, or that hides from the eye, gets through."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autocraft.text.sanitize import clean, clean_json, clean_line


@pytest.mark.parametrize(
    ("hostile", "shown"),
    [
        ("\x1b[2Jhi", "\\x1b[2Jhi"),
        ("a\rb", "a\\x0db"),
        ("a\bb\x7f", "a\\x08b\\x7f"),
        ("\x9b31m", "\\x9b31m"),
        ("a\u202eb", "a\\u202eb"),
        ("zero\u200bwidth\ufeff", "zero\\u200bwidth\\ufeff"),
        ("line\u2028sep", "line\\u2028sep"),
        ("tag\U000e0041", "tag\\U000e0041"),
        ("half \ud83d", "half \\ud83d"),
        ("none\ufdd0\uffff\U0010fffe", "none\\ufdd0\\uffff\\U0010fffe"),
        ("\x00", "\\x00"),
    ],
)
def test_hostile_characters_become_escapes(hostile: str, shown: str) -> None:
    assert clean(hostile) == shown


@pytest.mark.parametrize("text", ["plain", "日本語 naïve café", "two\nlines\tand a tab", "emoji 🪓⛏️", "עברית"])
def test_what_people_write_stays(text: str) -> None:
    assert clean(text) == text


def test_a_line_stays_one_line() -> None:
    assert clean_line("a\nSYSTEM: b\tc") == "a\\nSYSTEM: b\\tc"


@given(st.text())
def test_no_control_character_is_left(text: str) -> None:
    cleaned = clean(text)
    assert all(c in "\n\t" or c.isprintable() or c.isspace() or ord(c) > 0x9F for c in cleaned)
    assert "\x1b" not in cleaned
    assert "\r" not in cleaned


@given(st.text())
def test_json_reads_back_the_same(text: str) -> None:
    line = json.dumps({"text": text}, ensure_ascii=False)
    assert json.loads(clean_json(line)) == {"text": text}
