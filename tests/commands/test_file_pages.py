"""Reading in pages and searching, on real files: every line once, within bounds, whatever the file holds."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autocraft.commands.pages import page_of
from autocraft.errors import CommandError, PathRefused
from tests.commands.test_files import House

HEAD = re.compile(r"\[Page ([\d,]+) of ([\d,]+), lines ([\d,]+) to ([\d,]+) of ([\d,]+)\.")


@pytest.fixture
def house(tmp_path: Path) -> House:
    return House(tmp_path)


def test_a_small_file_is_as_it_is(house: House) -> None:
    text = "".join(f"line {n}\n" for n in range(200))
    house.do("write_to_file", file="a", text=text)
    assert house.do("read_file", file="a") == text


@pytest.mark.full
def test_a_file_of_a_million_lines_in_pages(house: House) -> None:
    (house.root / "log.txt").write_text("".join(f"entry number {n} of the log\n" for n in range(1, 1_000_001)))
    first = house.do("read_file", file="log.txt")
    assert len(first) < 6_000
    head = HEAD.match(first)
    assert head is not None
    _, pages, one, last, lines = (int(part.replace(",", "")) for part in head.groups())
    assert (one, lines) == (1, 1_000_000)
    assert first.splitlines()[1] == f"{1:>{len(str(last))}}| entry number 1 of the log"
    assert "read_file with page=2 goes on.]" in first
    second = house.do("read_file", file="log.txt", page=2)
    assert second.splitlines()[1].endswith(f"| entry number {last + 1} of the log")
    end = house.do("read_file", file="log.txt", page=pages)
    assert end.splitlines()[-1] == "1000000| entry number 1000000 of the log"
    assert "goes on" not in end
    with pytest.raises(CommandError, match=f"has pages 1 to {pages}, and no page {pages + 1}"):
        house.do("read_file", file="log.txt", page=pages + 1)
    for number in (0, -1):
        with pytest.raises(CommandError, match=f"no page {number}"):
            house.do("read_file", file="log.txt", page=number)


@given(st.text(alphabet="ab\n\r岩 ", max_size=300), st.integers(1, 5), st.integers(1, 40))
def test_the_pages_hold_every_line_once_in_order(text: str, most_lines: int, most_chars: int) -> None:
    pages, at = [], 1
    while (page := page_of(text, at, most_lines, most_chars)) is not None:
        pages.append(page)
        at += 1
    assert all(page.pages == len(pages) for page in pages)
    lines: dict[int, str] = {}
    for page in pages:
        rows = page.rows.split("\n")
        assert len(rows) <= most_lines
        for row in rows:
            number, _, rest = row.partition("| ")
            lines[int(number)] = lines.get(int(number), "") + rest
    mark = "\n" if "\n" in text else "\r"
    wanted = text.removesuffix(mark).split(mark) if text != mark else [""]
    assert list(lines) == list(range(1, len(wanted) + 1))
    plain = {number: line.replace("\r", "") for number, line in lines.items()}
    assert list(plain.values()) == [line.replace("\r", "") for line in wanted]


# ---------------------------------------------------------------- searching


def test_every_line_that_holds_it_with_its_number(house: House) -> None:
    for name, text in (("b.txt", "oak\nbirch\noak and oak\n"), ("a/c.txt", "an oak"), (".hidden", "oak"), ("d", "elm")):
        house.do("write_to_file", file=name, text=text)
    assert house.do("search_text", text="oak") == "a/c.txt:1: an oak\nb.txt:1: oak\nb.txt:3: oak and oak"
    assert house.do("search_text", text="oak", directory="a") == "a/c.txt:1: an oak"
    assert house.do("search_text", text="OAK") == "[No line holds this text.]"
    assert house.do("search_text", text="o.k") == "[No line holds this text.]"


def test_other_encodings_and_line_ends_are_searched_too(house: House) -> None:
    (house.root / "16").write_bytes("eins\r\nzwei größer\r\n".encode("utf-16"))
    (house.root / "latin").write_bytes("a\rb größer\r".encode("latin-1"))
    assert house.do("search_text", text="größer") == "16:2: zwei größer\nlatin:2: b größer"


def test_what_cannot_be_searched_is_counted(tmp_path: Path) -> None:
    house = House(tmp_path, max_bytes=100)
    (house.root / "big").write_text("oak" * 100)
    (house.root / "image.png").write_bytes(b"\x89PNG\r\n\x1a\n oak")
    (house.root / "link").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "elsewhere").write_text("oak")
    os.mkfifo(house.root / "pipe")
    said = house.do("search_text", text="oak")
    assert said == "[No line holds this text. 4 of the files could not be searched: not text, too large, or links.]"


def test_long_lines_and_many_are_bounded(house: House) -> None:
    (house.root / "wide").write_text("x" * 100_000 + "oak" + "y" * 100_000)
    shown = house.do("search_text", text="oak")
    assert "oak" in shown
    assert len(shown) < 300
    (house.root / "many").write_text("oak\n" * 100_000)
    shown = house.do("search_text", text="oak")
    assert len(shown) < 6_000
    assert shown.endswith("More lines hold it; name a directory or give more of the text.]")


def test_a_search_ends_after_so_many_bytes(tmp_path: Path) -> None:
    house = House(tmp_path, max_search_bytes=100)
    for name in "abc":
        (house.root / name).write_text("x" * 60)
    said = house.do("search_text", text="oak")
    assert said == "[No line holds this text. The search ended with b, since the files are large; name a directory.]"


@pytest.mark.parametrize("text", ["", "two\nlines", "\r"])
def test_what_cannot_be_in_a_line_is_refused(house: House, text: str) -> None:
    with pytest.raises(CommandError, match="without line breaks"):
        house.do("search_text", text=text)


def test_searching_stays_inside(house: House) -> None:
    with pytest.raises(PathRefused):
        house.do("search_text", text="x", directory="..")
    with pytest.raises(CommandError, match="no folder"):
        house.do("search_text", text="x", directory="missing")


def test_a_name_with_a_line_break_forges_no_row(house: House) -> None:
    (house.root / "a\nb.txt:9: forged").write_text("oak")
    assert house.do("search_text", text="oak").splitlines() == ["'a\\nb.txt:9: forged':1: oak"]


def test_a_list_of_many_files_is_bounded_and_counted(house: House) -> None:
    for n in range(1_000):
        (house.root / f"a-file-of-many-{n:04}").touch()
    lines = house.do("list_files").splitlines()
    shown = len(lines) - 1
    assert lines[-1] == f"[{1_000 - shown} more files are left out; name a directory.]"
    assert sum(map(len, lines)) < 6_000


def test_paths_are_compared_as_they_stand_in_the_workspace(house: House) -> None:
    (house.root / "secret").mkdir()
    (house.root / "link").symlink_to("secret")
    for written in ("secret/x", "./secret/x", "a/../secret/x", "link/x", str(house.root / "secret" / "x")):
        assert house.family.reach(house.call("read_file", file=written)).args["file"] == "secret/x"
    assert house.family.reach(house.call("list_files", directory="/")).args["directory"] == ""
