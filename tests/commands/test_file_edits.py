"""Editing a passage and adding to files of any encoding: everything else stays as it was, byte for byte."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autocraft.commands.coding import BINARY, decode
from autocraft.errors import CommandError
from tests import hooks
from tests.commands.test_files import House

EDITED = "Passage replaced successfully."


@pytest.fixture
def house(tmp_path: Path) -> House:
    return House(tmp_path)


def test_one_passage_is_replaced(house: House) -> None:
    house.do("write_to_file", file="a", text="one\ntwo\nthree\n")
    assert house.do("edit_file", file="a", old="two\nthree", new="2") == EDITED
    assert house.tree() == {"a": b"one\n2\n"}
    assert house.do("edit_file", file="a", old="one\n", new="") == EDITED
    assert house.tree() == {"a": b"2\n"}


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("oak", "elm", "a holds this passage 3 times, in lines 1, 3 and 3; give more of the text around it"),
        ("aa", "b", "a holds this passage 2 times, in lines 4 and 4"),
        ("pine", "elm", "a does not hold this passage; read_file shows what it holds"),
        ("birch\nelm", "x", r"line 2 is like its first line, the rest differs"),
        ("&lt;b&gt;", "x", "where data shows &lt; or &#91; the file may have < or "),
        ("", "x", "old is empty"),
        ("birch", "birch", "the same, so there is nothing to change"),
        ("birch", "\ud800", "half a character"),
    ],
)
def test_none_or_several_are_refused_with_their_lines(house: House, old: str, new: str, said: str) -> None:
    text = "oak\nbirch\noak oak\naaa\n<b>\n"
    house.do("write_to_file", file="a", text=text)
    call = house.call("edit_file", file="a", old=old, new=new)
    for step in (house.effect, house.evidence):
        with pytest.raises(CommandError) as caught:
            step(call)
        assert re.search(said, caught.value.with_advice(["read_file"]))
        assert "read_file" not in caught.value.with_advice(["edit_file"])
    assert said.split("; ")[0].replace("\\", "") in hooks.preview(house.family, call)
    assert house.tree() == {"a": text.encode()}


def test_a_passage_that_is_everywhere_is_counted_up_to_a_bound(house: House) -> None:
    (house.root / "a").write_text("x\n" * 1_000_000)
    with pytest.raises(CommandError, match=r"holds this passage 1,000 times, in lines 1, 2, .* and at least 990 more"):
        house.do("edit_file", file="a", old="x", new="y")


def test_what_is_no_text_or_not_there_is_refused(house: House) -> None:
    with pytest.raises(CommandError, match="there is no file a in the workspace"):
        house.do("edit_file", file="a", old="x", new="y")
    (house.root / "b").write_bytes(b"\x89PNG\r\n\x1a\n x")
    with pytest.raises(CommandError, match="b is a PNG image"):
        house.do("edit_file", file="b", old="x", new="y")


def test_the_person_sees_a_diff_with_the_lines_around_it(house: House) -> None:
    house.do("write_to_file", file="a", text="".join(f"line {n}\n" for n in range(1, 100)))
    shown = hooks.preview(house.family, house.call("edit_file", file="a", old="line 50\n", new="fifty\n"))
    assert shown.splitlines()[0] == "from line 47 on:"
    assert [line for line in shown.splitlines()[4:] if line] == [
        " line 47", " line 48", " line 49", "-line 50", "+fifty", " line 51", " line 52", " line 53",
    ]  # fmt: skip


RUSSIAN = "Съешь же ещё этих мягких французских булок, да выпей чаю."
JAPANESE = (
    "吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。"
    "何でも薄暗いじめじめした所でニャーニャー泣いていた事だけは記憶している。"
)
CODINGS: list[tuple[str, bytes, str, str]] = [
    ("UTF-8 with a mark", "\ufeff".encode(), "utf-8", "größer"),
    ("UTF-16 LE", "\ufeff".encode("utf-16-le"), "utf-16-le", "岩 größer"),
    ("UTF-16 BE", "\ufeff".encode("utf-16-be"), "utf-16-be", "岩 größer"),
    ("UTF-32 LE", "\ufeff".encode("utf-32-le"), "utf-32-le", "岩 größer"),
    ("Latin-1", b"", "latin-1", "größer"),
    ("Windows-1252", b"", "cp1252", "größer €"),
    ("a lone sign", b"", "cp1252", "price = '£5'"),
    ("Russian", b"", "cp1251", RUSSIAN),
    ("Russian on Unix", b"", "koi8-r", RUSSIAN),
    ("Japanese", b"", "cp932", JAPANESE),
    ("Chinese", b"", "gb18030", "今天天气很好，我们去公园散步吧。他说他不喜欢这样。"),
    ("Czech", b"", "cp1250", "Příliš žluťoučký kůň úpěl ďábelské ódy"),
]


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(("name", "mark", "codec", "word"), CODINGS)
def test_encoding_and_line_ends_survive(
    house: House, name: str, mark: bytes, codec: str, word: str, newline: str
) -> None:
    file = house.root / "a"
    file.write_bytes(mark + f"one {word}{newline}two{newline}".encode(codec))
    kept = house.do_kept("edit_file", file="a", old=f"{word}\ntwo\n", new=f"2 {word}\n3\n")
    assert file.read_bytes() == mark + f"one 2 {word}{newline}3{newline}".encode(codec)
    added = house.do_kept("append_to_file", file="a", text=f"end {word}\n")
    assert file.read_bytes() == mark + f"one 2 {word}{newline}3{newline}end {word}{newline}".encode(codec)
    said = house.do("read_file", file="a")
    assert f"end {word}" in said
    assert said.startswith("[In ") is (codec != "utf-8")
    hooks.undo(house.family, added)
    hooks.undo(house.family, kept)
    assert file.read_bytes() == mark + f"one {word}{newline}two{newline}".encode(codec)


def test_a_mixture_of_line_ends_is_left_as_it_is(house: House) -> None:
    (house.root / "a").write_bytes(b"one\r\ntwo\nthree")
    house.do("append_to_file", file="a", text="\nfour\r\n")
    house.do("edit_file", file="a", old="one\r\ntwo\n", new="1\n2\r\n")
    assert house.tree() == {"a": b"1\n2\r\nthree\nfour\r\n"}


@pytest.mark.parametrize("name", ["append_to_file", "edit_file"])
def test_what_an_encoding_does_not_have_is_refused(house: House, name: str) -> None:
    (house.root / "a").write_bytes("größer".encode("latin-1"))
    args: dict[str, Any] = {"text": "岩"} if name == "append_to_file" else {"old": "größer", "new": "岩"}
    call = house.call(name, file="a", **args)
    for step in (house.effect, house.evidence):
        with pytest.raises(CommandError, match="a is in Windows-1252, which has no '岩'; write it without"):
            step(call)
    assert hooks.preview(house.family, call).startswith("This will fail: a is in Windows-1252, which has no '岩'")
    assert house.tree() == {"a": "größer".encode("latin-1")}


def test_overwriting_tells_of_the_other_encoding(house: House) -> None:
    (house.root / "a").write_bytes("größer\n".encode("utf-16"))
    shown = hooks.preview(house.family, house.call("write_to_file", file="a", text="kleiner\n"))
    assert shown.startswith("the file is in UTF-16 (little-endian) and would be UTF-8\n")
    assert "-größer\n+kleiner" in shown


OLD = "a\r\ngrößer\r\n".encode("utf-16")
STEPS: list[tuple[str, dict[str, str]]] = [
    ("edit_file", {"old": "größer", "new": "kleiner\n"}),
    ("append_to_file", {"text": "mehr\n"}),
]


@pytest.mark.parametrize(("name", "args"), STEPS)
def test_a_killed_change_is_settled(house: House, name: str, args: dict[str, str]) -> None:
    file = house.root / "a"
    file.write_bytes(OLD)
    call = house.call(name, file="a", **args)
    evidence = house.evidence(call)
    assert hooks.settle(house.family, call, evidence).outcome == "not done"
    said = house.effect(call)
    after = file.read_bytes()
    assert (hooks.settle(house.family, call, evidence).outcome, hooks.settle(house.family, call, evidence).text) == (
        "done",
        said,
    )
    if name == "append_to_file":  # torn anywhere, even inside a character
        for size in range(len(OLD), len(after)):
            file.write_bytes(after[:size])
            assert hooks.settle(house.family, call, evidence).outcome == "not done"
            assert file.read_bytes() == OLD
        house.effect(call)
    file.write_bytes(after + b"x")
    assert hooks.settle(house.family, call, evidence).outcome == "unknown"
    with pytest.raises(CommandError, match="left as it is"):
        hooks.undo(house.family, evidence)
    file.write_bytes(after)
    hooks.undo(house.family, evidence)
    assert file.read_bytes() == OLD


def test_every_overwrite_edit_and_delete_is_kept(house: House) -> None:
    house.do("write_to_file", file="a", text="one")
    for name, args in (
        ("edit_file", {"old": "one", "new": "two"}),
        ("write_to_file", {"text": "3"}),
        ("delete_file", {}),
    ):
        house.do(name, file="a", **args)
    assert sorted(copy.read_bytes() for copy in house.undo.iterdir()) == [b"3", b"one", b"two"]


@given(st.binary(max_size=200))
def test_whatever_is_taken_for_text_can_be_written_back(data: bytes) -> None:
    coding, text = decode(data)
    if coding is not BINARY:
        assert coding.mark + coding.encode(text, "a") == data
