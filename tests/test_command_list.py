"""`autocraft commands`, and the list of docs/commands.md made from the same registry."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from autocraft.cli.commands import rows_of
from scripts.make_command_list import BEGIN, END, PAGE, markdown, with_list
from tests.conftest import STONE_PICKAXE, Place, kinds
from tests.vocabulary import whole_registry

FOX = ("generate_image", {"prompt": "a fox"})


def test_the_page_is_up_to_date() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert with_list(text) == text, "run python -m scripts.make_command_list"
    assert all(f"| `{name}(" in text for name in ("move", "mine_block", "walk_to_goal")), "both worlds"


def test_the_list_names_every_command_of_the_registry(tmp_path: Path) -> None:
    registry = whole_registry(tmp_path)
    listed = markdown(rows_of(registry))
    for each in registry.everything():
        assert f"| `{each.name}(" in listed
        assert all(f"`{synonym}`" in listed for synonym in each.synonyms)


@pytest.mark.parametrize("text", ["", BEGIN, END + BEGIN, BEGIN + END + END])
def test_missing_markers_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"docs/commands\.md must hold"):
        with_list(text)


def test_a_stale_list_is_replaced_and_the_rest_stays() -> None:
    text = f"before\n{BEGIN}\nstale\n{END}\nafter\n"
    made = with_list(text)
    assert made.startswith(f"before\n{BEGIN}\n| command |")
    assert made.endswith(f"{END}\nafter\n")
    assert "stale" not in made


def test_the_table_says_what_is_off_and_by_what(place: Place) -> None:
    done = place.run("commands", DISABLED_COMMAND_CATEGORIES="memory")
    assert done.returncode == 0, done.stderr
    rows = {line.split("(")[0]: line for line in done.stdout.splitlines()}
    assert "off, by DISABLED_COMMAND_CATEGORIES in the environment" in rows["memory_add"]
    assert rows["list_files"].endswith("look     files     on; also search_files, list_folder")
    assert "depends" in rows["write_to_file"]
    assert rows["undo"].endswith("on, for you alone")
    assert not (place.folder / "workspace").exists()
    assert not place.state.exists()


def test_what_reaches_the_network_has_a_tier_of_its_own_in_words(place: Place) -> None:
    rows = [json.loads(line) for line in place.run("commands", "--json").stdout.splitlines()]
    assert {row["risk"] for row in rows} == {"look", "change", "network", "destroy", "depends"}
    assert {row["name"] for row in rows if row["risk"] == "network"} == {
        row["name"] for row in rows if row["family"] == "web"
    }  # fmt: skip
    asked = place.run("run", *STONE_PICKAXE, "--dry-run", "--brain", "scripted", "--script", place.script(FOX))
    assert '1. generate_image {"prompt": "a fox"} (network)\n   would be asked' in asked.stdout
    done = place.run("run", *STONE_PICKAXE, "--brain", "scripted", "--script", place.script(FOX), stdin="n\n")
    assert done.returncode == 4
    assert kinds(place.events(), "decision")[0]["risk"] == "destroy", "what is asked about stays asked about"


def test_one_command_a_line_for_programs(place: Place) -> None:
    rows = [json.loads(line) for line in place.run("commands", "--json").stdout.splitlines()]
    by_name = {row["name"]: row for row in rows}
    assert by_name["edit_file"]["arguments"] == ["file", "old", "new"]
    assert (by_name["edit_file"]["risk"], by_name["edit_file"]["on"]) == ("destroy", True)
    assert all(row["family"] for row in rows)
    own = place.folder / "mine"
    own.mkdir()
    (own / "a.py").write_text(
        "from autocraft.protocols import Call, Risk, command\n\n\n"
        "@command(help='wave \\x1b[31m', risk=Risk.LOOK)\nasync def wave(call: Call, hand: str = 'left') -> str:\n"
        "    return hand\n"
    )
    done = place.run("commands", AUTOCRAFT_COMMANDS="mine")
    assert "wave(hand: str = 'left')" in done.stdout
    assert "\x1b" not in done.stdout


def test_a_bad_setting_is_one_line(place: Place) -> None:
    done = place.run("commands", DISABLED_COMMAND_CATEGORIES="nothing")
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
