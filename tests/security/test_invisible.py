"""What shows nothing, or grows over the rows around it, is written as an escape, whichever of all characters it is.

The properties are written down here from the Unicode standard, apart from those that the program keeps.
"""

from __future__ import annotations

import json
import re
import sys
import unicodedata
from collections.abc import Callable, Iterable
from itertools import chain
from pathlib import Path

import pytest

from autocraft.commands.workspace import Workspace
from autocraft.errors import PathRefused
from autocraft.text.sanitize import clean, clean_json, clean_line, exact_json, hidden_in
from tests.conftest import Place
from tests.security.count import Tally

Kind = Callable[[str], Tally]


def points(ranges: str) -> frozenset[int]:
    """The code points of ranges as the files of the Unicode Character Database write them."""
    pairs = (each.partition("-")[::2] for each in ranges.split())
    return frozenset(chain.from_iterable(range(int(a, 16), int(b or a, 16) + 1) for a, b in pairs))


IGNORABLE = points(
    "ad 34f 61c 115f-1160 17b4-17b5 180b-180f 200b-200f 202a-202e 2060-206f 3164 fe00-fe0f feff ffa0 fff0-fff8 "
    "1bca0-1bca3 1d173-1d17a e0000-e0fff"
)
"""Default_Ignorable_Code_Point, DerivedCoreProperties.txt of Unicode 16."""
STACKERS = points("1039 17d2 1a60 1bab aaf6 10a3f 11133 113d0 1193e 11a47 11a99 11d45 11d97 11f42")
"""Indic_Syllabic_Category=Invisible_Stacker, IndicSyllabicCategory.txt of Unicode 16."""
PREPENDED = points("600-605 6dd 70f 890-891 8e2 110bd 110cd")
"""Prepended_Concatenation_Mark, PropList.txt of Unicode 16."""
BLANK = points("2800 2d7f 303f fffc 1107f 13440-13442 16fe4 1d159 1da9b-1da9f 1daa1-1daaf")
"""Those whose glyph is empty, or is in the sign before them, by the names and charts of Unicode 16."""
NO_CHARACTER = frozenset(["Cc", "Cn", "Co", "Cs", "Zl", "Zp"])
ALL = range(sys.maxunicode + 1)


def shows_nothing(code: int) -> str:
    """The property by which a character must be written as an escape; empty where it must stay."""
    category = unicodedata.category(chr(code))
    if chr(code) in "\n\t":
        return ""
    for name, found in (
        (f"category {category}", category in NO_CHARACTER),
        ("format", category == "Cf" and code not in PREPENDED),
        ("ignorable", code in IGNORABLE),
        ("stacker", code in STACKERS),
        ("blank", code in BLANK),
    ):
        if found:
            return name
    return ""


def marks() -> Iterable[str]:
    return (chr(c) for c in ALL if unicodedata.category(chr(c)) in ("Mn", "Me") and not shows_nothing(c))


@pytest.mark.full
def test_every_character_there_is(tally: Kind) -> None:
    """Each between two letters: it stays as it is, or is an escape, exactly as its properties say."""
    attacks, wrong = tally("spoofs"), dict[str, list[str]]()
    for code in ALL:
        char = chr(code)
        why, shown = shows_nothing(code), clean(f"a{char}b") == f"a{char}b"
        found = wrong.setdefault(why, [])
        if shown == bool(why):
            found.append(f"{code:04x}")
    for why, codes in wrong.items():
        attacks.add(f"all of {why or 'what shows'}", codes)
    attacks.done()
    assert len(wrong) == 11, "every property is met"


@pytest.mark.parametrize("char", ["\U0001d159", "\U00016fe4", "\u2d7f", "\U0001107f", "\u1039", "\u17d2", "\u3164"])
def test_a_program_that_asks_whether_it_is_printable_shows_them(char: str) -> None:
    """The control: Python takes them for printable, and most are in none of the blocks of European marks."""
    assert f"notes{char}.txt".isprintable()
    assert clean(f"notes{char}.txt") != f"notes{char}.txt"


def highest_pile(text: str) -> int:
    """The most marks over one character. The style of an emoji is not drawn over it."""
    drawn = (unicodedata.category(char) in ("Mn", "Me") and char != "\ufe0f" for char in text)
    kinds = "".join("m" if each else " " for each in drawn)
    return max(map(len, kinds.split(" ")))


def test_no_mark_piles_up(tally: Kind) -> None:
    attacks = tally("spoofs")
    alone = [mark for mark in marks() if highest_pile(clean(f"a{mark * 50}b")) != 4]
    attacks.add("each mark of all scripts by itself", alone)
    every = list(marks())
    assert len(every) > 1_500
    mixed = "".join(chain.from_iterable(zip(every, reversed(every), strict=True)))
    for before in ("a", "\u05d0", "\u0915", "\u6f22", " ", '"', "\U0001fa93\ufe0f", ""):
        attacks.add(f"all of them over {before!a}", highest_pile(clean(before + mixed)) > 4)
    between = "".join(mark + "\u200b" for mark in every)
    attacks.add("with nothing visible between them", highest_pile(clean(f"a{between}")) > 4)
    for spread in (clean_line, clean_json):
        attacks.add(spread.__name__, highest_pile(spread(mixed)) > 4)
    attacks.done()
    assert highest_pile(mixed) == len(mixed), "the control: as it is, it grows without an end"


def test_no_spacing_mark_piles_up_beside_a_letter() -> None:
    spacing = [chr(code) for code in ALL if unicodedata.category(chr(code)) == "Mc"]
    assert len(spacing) > 400
    wrong = [mark for mark in spacing if clean(f"a{mark * 12}b").count(mark) > 4 or mark in exact_json(f'"{mark}b"')]
    assert wrong == []
    mixed = clean("a" + "".join(spacing))
    assert sum(mark in mixed for mark in spacing) <= 4


def test_no_mark_of_any_script_changes_a_quotation_mark() -> None:
    found = [mark for mark in marks() if mark in exact_json(f'{{"a": "{mark}b"}}')]
    assert found == []
    line = json.dumps({"a": "\u0951\u0301x \U0001fa93", "\U0001fa93": "\u2192 \u0915\u093f"}, ensure_ascii=False)
    assert json.loads(exact_json(line)) == json.loads(line)
    assert '"\u2192 \u0915\u093f"' in exact_json(line) and '"\U0001fa93"' in exact_json(line), "what shows stays"


@pytest.mark.parametrize(
    "text",
    [
        "שָׁלוֹם עֲלֵיכֶם בְּרֵאשִׁ֖ית",
        "السَّلَامُ عَلَيْكُمْ",
        "हिन्दी क्षत्रिय",
        "ภาษาไทย ที่นี่",
        "မြန်မာ ပတ္တမြား မျှော့",
        "ខ្មែរ ស្ត្រី",
        "བོད་སྐད་",
        "தமிழ்",
        "বাংলা",
        "Tiếng Việt",
        "ᮞᮥᮔ᮪ᮓ",
        "e\u0301\u0323 n\u0303",
        "日本語、「の」…",
        "한국어",
        "🪓⛏️👍🏽🇫🇷",
        "┌─┐ → ✓ “q” – §",
        "x² ≤ ½ · 10⁻³ €",
    ],
)
def test_what_people_write_stays(text: str) -> None:
    assert clean(text) == text


def test_a_stacker_stays_only_where_it_stacks() -> None:
    assert clean("ប្រ") == "ប្រ"
    for text in ("a\u17d2b", "ប\u17d2", "\u17d2រ", "ប\u17d2\u17d2រ", "ប\u17d2b", "ប\u1039រ"):
        assert list(hidden_in(text)), ascii(text)


# ---------------------------------------------------------------- names of files


NAMES = ["notes\u2d7f.txt", "notes\U0001d159.txt", "notes\U00016fe4.txt", "notes\U0001107f.txt", "no\u1039tes.txt",
         "notes\u3164.txt", "notes\u115f.txt", "notes\u2800.txt", "notes\ufe00.txt", "notes\U000e0101.txt",
         "notes\ue000.txt", "notes\uffff.txt", "notes\u0378.txt", f"notes{chr(0x0951) * 9}.txt", "\u2d7f/notes.txt",
         "notes\u200b.txt", "notes\u202e.txt", "notes\u034f.txt"]  # fmt: skip


def only_format_characters(name: str) -> str:
    """The rule of an earlier version."""
    return "".join(char for char in name if unicodedata.category(char) in ("Cf", "Cc", "Cs", "Zl", "Zp"))


def test_names_of_files(tmp_path: Path, tally: Kind) -> None:
    attacks = tally("paths")
    (tmp_path / "notes.txt").write_text("kept")
    workspace = Workspace(tmp_path)
    for name in NAMES:
        got = ""
        try:
            got = str(workspace.resolve(name))
        except PathRefused as error:
            got = "" if " character; give a path" in str(error) else str(error)
        attacks.add(name, got)
    attacks.done()
    assert sum(not only_format_characters(name) for name in NAMES) >= 14, "the control"


@pytest.mark.parametrize("name", ["naïve.txt", "日本語.txt", "हिन्दी.md", "ខ្មែរ.txt", "می\u200cخواهم.txt", "🪓⛏️.txt"])
def test_names_that_people_give_are_resolved(tmp_path: Path, name: str) -> None:
    assert Workspace(tmp_path).resolve(name) == tmp_path / name


@pytest.mark.full
def test_in_a_run_the_name_is_refused_and_shown_as_it_is(place: Place) -> None:
    (place.folder / "workspace").mkdir()
    (place.folder / "workspace" / "notes\u2d7f.txt").write_text("a \u2d7f \U0001d159")
    script = place.script(
        ("list_files", {}), ("search_text", {"text": "a"}), ("delete_file", {"file": "notes\u2d7f.txt"})
    )
    done = place.run("run", "--goal", "craft 1 stick", "--brain", "scripted", "--script", script, "--continuous")
    assert "notes\\u2d7f.txt" in done.stdout and not re.search("[\u2d7f\U0001d159]", done.stdout)
    assert (place.folder / "workspace" / "notes\u2d7f.txt").exists()


def test_letters_that_join_others_do_not_pile_up() -> None:
    """Vowels and finals of Hangul take no room, so that a run of them would look like one letter."""
    for letter in "\u1161\u11a8\ud7b0\ud7cb":
        shown = clean(f"notes{letter * 50}.txt")
        assert shown.count(letter) == 4 and "\\u" in shown
    assert clean("\u1112\u1161\u11ab\uae00") == "\u1112\u1161\u11ab\uae00", "the control: a syllable stays"
