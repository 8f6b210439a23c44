"""Families of commands that are switched off are neither offered nor accepted, and say what switched them off."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from autocraft.commands.schema import command_schema
from autocraft.errors import InvalidCommand, UsageError
from tests.conftest import STONE_PICKAXE, Place, kinds
from tests.vocabulary import whole_registry

FILES = {"read_file", "write_to_file", "append_to_file", "delete_file", "list_files"}


def test_what_is_off_is_neither_offered_nor_accepted(tmp_path: Path) -> None:
    registry = whole_registry(tmp_path, {"DISABLED_COMMAND_CATEGORIES": "web, files"})
    assert not FILES & set(registry.names())
    assert not any(name in line for line in registry.describe() for name in FILES)
    offered = command_schema(registry)["properties"]["command"]["anyOf"]
    assert not FILES & {each["properties"]["name"]["const"] for each in offered}
    assert registry.accepts("read_file") is None
    for name, agent in (("read_file", "main"), ("write_file", "person")):
        with pytest.raises(InvalidCommand, match="is switched off, with its family files, by DISABLED_COMMAND_CATEG"):
            registry.bind(name, {}, agent=agent)


def test_a_file_that_was_changed_before_can_still_be_taken_back(place: Place) -> None:
    script = place.script(("write_to_file", {"file": "a.txt", "text": "x"}), ("do_nothing", {}))
    place.run("run", "--goal", "x", "--brain", "scripted", "--script", script, "--continuous")
    assert (place.folder / "workspace" / "a.txt").exists()
    done = place.run("sessions", "undo", DISABLED_COMMAND_CATEGORIES="files")
    assert done.returncode == 0, done.stderr
    assert not (place.folder / "workspace" / "a.txt").exists()


def test_the_toml_file_switches_off_too(tmp_path: Path) -> None:
    (tmp_path / "autocraft.toml").write_text('[commands]\ndisabled = ["memory"]\n')
    with pytest.raises(InvalidCommand, match=r"by commands\.disabled in autocraft\.toml"):
        whole_registry(tmp_path).bind("memory_add", {"string": "x"})


def test_without_memory_its_commands_say_so(tmp_path: Path) -> None:
    with pytest.raises(InvalidCommand, match="by the memory 'none'"):
        whole_registry(tmp_path, memory="none").bind("memory_add", {"string": "x"})


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("wbe", "'wbe' is not a family of commands: did you mean web? choose world, files"),
        ("files,autogpt.commands.execute_code", "'autogpt.commands.execute_code' is not a family"),
        ("control", "control cannot be switched off, since no run could end without it"),
    ],
)
def test_an_unknown_family_is_one_line_and_exit_2(place: Place, given: str, said: str) -> None:
    done = place.run("run", *STONE_PICKAXE, "--continuous", DISABLED_COMMAND_CATEGORIES=given)
    assert done.returncode == 2
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_disabled_that_is_no_list_is_named(tmp_path: Path) -> None:
    (tmp_path / "autocraft.toml").write_text("[commands]\ndisabled = 5\n")
    with pytest.raises(UsageError, match="is 5, but a list is needed"):
        whole_registry(tmp_path)


def test_a_run_tells_the_model_what_is_off(place: Place) -> None:
    script = place.script(("read_file", {"file": "a"}), ("craft_item", {"name": "oak_planks"}))
    args = ("run", "--goal", "get 1 oak_planks", "--inventory", "oak_log=1", "--brain", "scripted", "--script", script)
    place.run(*args, "--continuous", DISABLED_COMMAND_CATEGORIES="files")
    replies = kinds(place.events(), "reply")
    assert [reply["ok"] for reply in replies] == [False, True]
    assert "'read_file' is switched off" in replies[0]["error"]


def test_google_is_not_offered_where_its_package_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "google" in whole_registry(tmp_path, {}).names()
    monkeypatch.setitem(sys.modules, "ddgs", None)
    registry = whole_registry(tmp_path, {})
    assert "google" not in registry.names()
    with pytest.raises(InvalidCommand, match=r"'google' is switched off by the missing package ddgs \(.+ install "):
        registry.bind("google", {"input": "x"})
    assert "browse_website" in registry.names()
    keys = {"GOOGLE_API_KEY": "key of the test", "CUSTOM_SEARCH_ENGINE_ID": "an engine"}
    assert "google" in whole_registry(tmp_path, keys).names()
