"""Phrases that many messages need, and the one place of the policy of characters and of the hash of a file."""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path

import pytest

from autocraft.commands.workspace import Workspace
from autocraft.errors import PathRefused
from autocraft.page.tidy import text
from autocraft.session.atomic import sha256, stamp_of
from autocraft.skills.parse import parse
from autocraft.text.phrases import beginning, count, did_you_mean, items, join_words, near_names
from autocraft.text.sanitize import clean

PACKAGE = Path(__file__).parents[1] / "autocraft"


def test_near_names() -> None:
    assert near_names("plaks", ["planks", "plank", "stone"]) == ["planks", "plank"]
    assert did_you_mean("wbe", ["web", "world"]) == "did you mean web? "
    assert did_you_mean("wbe", ["web"], ", did you mean '{}'") == ", did you mean 'web'"
    assert did_you_mean("nonsense", ["web", "world"]) == ""


def test_numbers_lists_and_beginnings() -> None:
    assert [count(number, "byte") for number in (0, 1, 2_000)] == ["0 bytes", "1 byte", "2,000 bytes"]
    assert count(2, "success", "successes") == "2 successes"
    assert [items(number, "torch") for number in (1, 2)] == ["1 torch", "2 torches"] and items(2, "coal") == "2 coal"
    assert [join_words(["a", "b", "c"][:most]) for most in range(4)] == ["", "a", "a and b", "a, b and c"]
    assert join_words(["a", "b"], "or") == "a or b"
    assert (beginning("abcdef", 6), beginning("abcdef", 5)) == ("abcdef", "abcd…")


def test_the_hash_of_a_text_is_that_of_its_bytes() -> None:
    assert sha256("é") == sha256("é".encode()) == hashlib.sha256(b"\xc3\xa9").hexdigest()
    assert len({sha256(each) for each in ("\ud800", "\ud801", "?")}) == 3


def test_the_stamp_of_a_file_changes_with_it(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_text("1")
    before = stamp_of(file.stat())
    assert stamp_of(file.stat()) == before
    os.utime(file, ns=(0, 0))
    moved = stamp_of(file.stat())
    file.write_text("22")
    os.utime(file, ns=(0, 0))
    assert len({before, moved, stamp_of(file.stat())}) == 3


@pytest.mark.parametrize("char", ["\u200b", "\u202e", "\u2d7f", "\U0001d159", "\ue000", "\u0378", "\u0951" * 9])
def test_every_part_hides_the_same_characters(tmp_path: Path, char: str) -> None:
    assert text(f"a{char}b") == clean(f"a{char}b") != f"a{char}b"
    program = "async function f(bot) {\n  // a?b\n}"
    assert parse(program.replace("?", char)).hidden == (2,)
    assert parse(program).hidden == ()
    with pytest.raises(PathRefused, match="invisible or control character"):
        Workspace(tmp_path).resolve(f"a{char}b")


def test_no_other_module_judges_characters_by_their_category() -> None:
    judges = [path for path in PACKAGE.rglob("*.py") if re.search(r"unicodedata\.category\(", path.read_text("utf-8"))]
    names = {path.relative_to(PACKAGE).as_posix() for path in judges}
    assert names == {"text/sanitize.py", "settings/trust.py"}, "settings/trust.py folds names, and shows nothing"
