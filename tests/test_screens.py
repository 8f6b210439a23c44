"""The pictures of the terminal: they are there, they are whole, and they show what the program shows.

Where tmux is installed the long test runs the program again.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from scripts.make_screens import IMAGES, SESSION_COLUMNS, WIDTHS, capture, main, pictures_of, stored_captures
from scripts.scenes import _masked
from scripts.terminal_svg import CELL, DARK, LIGHT, THEMES, Frame, Shot, moving, still
from scripts.tmux_pane import NoTerminal, tmux
from tests.conftest import STONE_PICKAXE, Place
from tests.console.emulator import Emulator
from tests.waiting import jumping

ROOT = Path(__file__).resolve().parent.parent
SVG = "{http://www.w3.org/2000/svg}"
SCREENS = [f"screen-{columns}-{theme.name}.svg" for columns in WIDTHS for theme in THEMES]
MOST_BYTES = 150_000


def words(element: ElementTree.Element) -> str:
    """What can be read and selected, row after row, as one line."""
    rows = ["".join(text.itertext()) for text in element.iter(f"{SVG}text")]
    return re.sub(r"\s+", " ", " ".join(rows))


# ---------------------------------------------------------------- the files in docs/img


@pytest.mark.parametrize("name", SCREENS)
def test_every_screen_shows_the_question(name: str) -> None:
    picture = ElementTree.parse(IMAGES / name).getroot()
    letters = words(picture).replace(" ", "")  # a narrow terminal may break a row within a word
    for shown in (
        "NEXT ACTION: COMMAND = craft_item",
        "Enter 'y' to authorise command, 'y -N' to run N continuous commands",
        "waiting for you",
        "This command overwrites",
        "threw the following error",
        "/page shows everything",
        "白樺ではなく、オークの板を使ってください",
        "your feedback goes to the model",
    ):
        assert shown.replace(" ", "") in letters
    assert (IMAGES / name).stat().st_size < MOST_BYTES


def test_the_session_goes_from_the_question_to_the_goal() -> None:
    picture = ElementTree.parse(IMAGES / "session.svg").getroot()
    frames = [words(group) for group in picture.iter(f"{SVG}g")]
    assert len(frames) >= 10
    order = ["--goal", "Enter 'y'", "Input: y", "Made 4 oak_planks", "keep the birch log", "was not run", "y -3"]
    first = [next(n for n, frame in enumerate(frames) if shown in frame) for shown in [*order, "GOAL REACHED"]]
    assert first == sorted(first)
    assert "autocraft run" in frames[0]
    assert first[-1] == len(frames) - 1
    assert (IMAGES / "session.svg").stat().st_size < MOST_BYTES


def test_a_run_at_work_tells_where_it_is() -> None:
    shown = words(ElementTree.parse(IMAGES / "working.svg").getroot()).replace(" ", "")
    assert re.search(r"runningmine_block15s:2of3oak_log,at\(-?\d+,\d+,-?\d+\),health20", shown)
    assert 'ARGUMENTS={"code":(below,7lines)' in shown and shown.count("for(letn=1;n<=2;n++)") == 1
    assert shown.index("PROGRAMSAYS:Ilookaround") < shown.index("PROGRAMSAYS:waited5seconds")
    assert "](img/working.svg)" in (ROOT / "docs" / "runs.md").read_text(encoding="utf-8")
    assert (IMAGES / "working.svg").stat().st_size < MOST_BYTES


def test_the_pictures_are_those_of_the_captures() -> None:
    for name, picture in pictures_of(stored_captures()).items():
        assert (IMAGES / name).read_text(encoding="utf-8") == picture, f"{name}: run python -m scripts.make_screens"


def test_nothing_of_the_machine_is_in_them() -> None:
    for text in [*stored_captures().values(), *pictures_of(stored_captures()).values()]:
        assert not re.search(r"/tmp/|/home/|/root/|autocraft-screens-", text)
        assert set(re.findall(r"[0-9]{8}-[0-9]{6}-[0-9a-f]{6}", text)) <= {"20260101-120000-c0ffee"}


def test_the_readme_links_all_of_them() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "](docs/img/session.svg)" in readme
    for name in SCREENS:
        assert f"](docs/img/{name})" in readme


@pytest.mark.full
@pytest.mark.skipif(not shutil.which("tmux"), reason="tmux, which runs the program for the pictures, is not installed")
def test_the_script_makes_the_same_bytes_again() -> None:
    captures = capture()
    assert captures == stored_captures(), (
        "the screens have changed: run python -m scripts.make_screens and look at them"
    )
    assert pictures_of(captures) == {
        name: (IMAGES / name).read_text(encoding="utf-8") for name in [*SCREENS, "session.svg", "working.svg"]
    }


# ---------------------------------------------------------------- the writer


def pieces(picture: str) -> dict[str, tuple[float, float, str]]:
    """Column, width in columns and rules of each piece of text."""
    root = ElementTree.fromstring(picture)
    (style,) = root.iter(f"{SVG}style")
    rules = dict(re.findall(r"\.(\S+) \{ (.*?) \}", style.text or ""))
    return {
        "".join(each.itertext()).replace("\xa0", " "): (
            round(float(each.get("x", "")) / CELL, 2),
            round(float(each.get("textLength", "")) / CELL, 2),
            rules[each.get("class", "")],
        )
        for each in root.iter(f"{SVG}text")
    }


def test_colours_last_over_row_ends_until_they_are_reset() -> None:
    shown = pieces(still([Shot("", 20, ("\x1b[1;33mPLAN:", "\x1b[32m-\x1b[39m x\x1b[0m y"))], DARK, "t"))
    assert shown["PLAN:"][2] == f"fill: {DARK.colours[3]};font-weight: bold"
    assert shown["-"][2] == f"fill: {DARK.colours[2]};font-weight: bold"
    assert shown[" x"][2] == f"fill: {DARK.ink};font-weight: bold"
    assert shown[" y"][2] == f"fill: {DARK.ink}"


@pytest.mark.parametrize(
    ("code", "ink", "paper"),
    [
        ("31", "#cd3131", None),
        ("91", "#f14c4c", None),
        ("44", DARK.ink, "#2472c8"),
        ("7", DARK.paper, DARK.ink),
        ("38;5;196", "#ff0000", None),
        ("38;5;244", "#808080", None),
        ("48;2;1;2;3", DARK.ink, "#010203"),
    ],
)
def test_every_kind_of_colour_is_drawn(code: str, ink: str, paper: str | None) -> None:
    picture = still([Shot("", 10, (f"\x1b[{code}mword",))], DARK, "t")
    assert pieces(picture)["word"][2] == f"fill: {ink}"
    assert re.findall(r'<rect fill="(\S+)" x="0"', picture) == ([paper] if paper else [])


def test_wide_characters_take_two_columns_and_accents_none() -> None:
    shown = pieces(still([Shot("", 20, ("a板を\x1b[32mbe\u0301c🪓d",))], LIGHT, "t"))
    assert {text: place for text, (*place, _) in shown.items() if text[0] in "a板b🪓d"} == {
        "a": [0, 1], "板を": [1, 4], "be\u0301c": [5, 3], "🪓": [8, 2], "d": [10, 1],
    }  # fmt: skip


def test_text_that_looks_like_markup_stays_text() -> None:
    row = "</text><script>x & y</script>"
    assert row in pieces(still([Shot("a < b", 40, (row,))], LIGHT, 'a "title" & <more>'))


def test_one_frame_is_seen_at_a_time_and_the_last_where_nothing_moves() -> None:
    frames = [Frame(("one",), 1), Frame(("two",), 2), Frame(("three",), 1)]
    picture = moving(frames, SESSION_COLUMNS, DARK, "t")
    assert "@keyframes k0{0.00%{visibility:visible}25.00%{visibility:hidden}}" in picture
    assert "@keyframes k1{0%{visibility:hidden}25.00%{visibility:visible}75.00%{visibility:hidden}}" in picture
    assert "@keyframes k2{0%{visibility:hidden}75.00%{visibility:visible}}" in picture
    assert re.findall(r"infinite;visibility:(\w+)", picture) == ["hidden", "hidden", "visible"]


# ---------------------------------------------------------------- the script


def test_without_tmux_one_line_says_what_to_do(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "scripts.make_screens"],
        cwd=ROOT,
        env={"PATH": str(tmp_path), "HOME": str(tmp_path)},  # a home without Node's packages
        capture_output=True,
    )
    assert done.returncode == 1
    assert done.stderr.decode() == (
        "make_screens: tmux is not installed: install it (apt-get install tmux, brew install tmux) and run again\n"
    )


def test_tmux_is_looked_for_on_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NoTerminal, match="not installed"):
        tmux()
    program = tmp_path / "tmux"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    assert tmux() == str(program)


def test_ids_and_ports_are_replaced() -> None:
    assert _masked(["Practice server on 127.0.0.1:40123, seed 1", "--resume 20261121-123657-a1b2c3"]) == (
        "Practice server on 127.0.0.1:25565, seed 1", "--resume 20260101-120000-c0ffee",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("program", "shown"),
    [("autocraft", "waiting for you 10"), ("scripts.still_clock", "waiting for you · step 1 · 0 s")],
)
@pytest.mark.sampled(1)
def test_the_pictures_show_no_seconds_of_a_slow_machine(place: Place, program: str, shown: str) -> None:
    screen = Emulator(place, ["run", *STONE_PICKAXE], 100, program=jumping("slow", program))
    try:
        screen.question(1)
        (place.folder / "slow").touch()
        screen.send("once more")
        screen.until("Input: once more")
        assert shown in screen.text
        (place.folder / "later").touch()
        screen.until("waiting for you 1")
    finally:
        screen.close()


def test_an_unknown_argument_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--all"]) == 2
    assert "--drawn" in capsys.readouterr().err
