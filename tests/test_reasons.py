"""What a newcomer types wrong is told with the right reason, and with what to do next."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from autocraft.errors import InUse, NodeMissing, UsageError
from autocraft.node import find_node
from autocraft.session.atomic import lock_file, write_named
from tests.conftest import STONE_PICKAXE, Place

GOAL = ("run", "--goal", "craft 1 stick", "--continuous")
NO_SCHEME = "the address 'localhost:8000/v1' does not begin with http:// or https://: correct OPENAI_BASE_URL"


@pytest.mark.parametrize(
    ("inventory", "said"),
    [
        ("oak_log=9999999", "'oak_log=9999999' needs more than the 36 slots there are; give fewer"),
        ("oak_log=" + "9" * 5000, "needs more than the 36 slots there are"),
        ("oak_log:4", "'oak_log:4' has no = with a whole number above 0; write it as oak_log=4"),
        ("4 oak_log", "write it as oak_log=4"),
        ("oak_log=0", "write it as oak_log=4"),
        ("oak_lgo=4", "there is no item 'oak_lgo'"),
    ],
)
def test_an_inventory_is_refused_for_what_is_wrong_with_it(place: Place, inventory: str, said: str) -> None:
    done = place.run(*GOAL, "--inventory", inventory)
    assert done.returncode == 2 and said in done.stderr and done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("goal", "said"),
    [
        ("craft 1 blorp", "there is no item 'blorp' for the goal 'craft 1 blorp'"),
        ("craft 2 sticks and 3 oak plonks", "there is no item 'oak_plonks'"),
        ("craft 1 stone_pickax", "there is no item 'stone_pickax' for the goal 'craft 1 stone_pickax': did you mean"),
        ("be happy", "does not understand the goal 'be happy'"),
        ("craft 0 stick", "does not understand the goal 'craft 0 stick'"),
    ],
)
@pytest.mark.sampled(2)
def test_an_unknown_item_is_told_from_a_goal_of_another_form(place: Place, goal: str, said: str) -> None:
    done = place.run("run", "--goal", goal)
    assert done.returncode == 2 and said in done.stderr
    planned = place.run("plan", goal)
    assert planned.returncode == 2 and said.partition(":")[0] in planned.stderr


@pytest.mark.parametrize(
    ("arguments", "environment", "said"),
    [
        (("models", "--profile", "azure"), {}, "Azure OpenAI needs a key: set AZURE_OPENAI_API_KEY"),
        (("models", "--profile", "azure"), {"AZURE_OPENAI_API_KEY": "k" * 20}, "set AZURE_OPENAI_ENDPOINT, as https"),
        (("models",), {}, "no model to ask: set OPENAI_API_KEY, or OPENAI_BASE_URL"),
        (("models",), {"OPENAI_BASE_URL": "localhost:8000/v1"}, NO_SCHEME),
        (GOAL, {"OPENAI_BASE_URL": "localhost:8000/v1"}, NO_SCHEME),
        (("eval", "--brain", "openai", "--limit", "1"), {"OPENAI_BASE_URL": "localhost:8000/v1"}, NO_SCHEME),
    ],
)
def test_an_incomplete_endpoint_is_named_before_anything_is_asked(
    place: Place, arguments: tuple[str, ...], environment: dict[str, str], said: str
) -> None:
    done = place.run(*arguments, **environment)
    assert done.returncode == 2 and said in done.stderr and done.stderr.count("\n") == 1


def test_a_profile_without_its_key_is_why_the_planner_plays(place: Place) -> None:
    done = place.run(*GOAL, "--profile", "azure")
    assert "Brain: the built-in planner, since Azure OpenAI needs a key: set AZURE_OPENAI_API_KEY" in done.stdout


def test_a_prompt_needs_no_key_of_the_profile_that_it_is_for(place: Place) -> None:
    assert place.run("prompt", "--goal", "craft 1 stick", "--profile", "openrouter").returncode == 0


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("/do nonsense", "/do: there is no command 'nonsense': `autocraft commands` lists them"),
        ("/do craft_itme stick", "/do: there is no command 'craft_itme': did you mean craft_item?"),
    ],
)
def test_an_unknown_command_is_told_to_the_person_not_to_a_model(place: Place, typed: str, said: str) -> None:
    done = place.run("run", *STONE_PICKAXE, stdin=f"{typed}\nn\n")
    assert said in done.stdout and "JSON format" not in done.stdout


def test_a_node_of_the_system_is_named_where_none_of_our_own_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    node = tmp_path / "node"
    node.write_text("#!/bin/sh\n")
    node.chmod(0o755)
    with pytest.raises(NodeMissing, match=f"or set AUTOCRAFT_NODE={node} to use that one") as found:
        find_node({"PATH": str(tmp_path)})
    assert "a Node of autocraft's own, which is not installed" in str(found.value)
    with pytest.raises(NodeMissing, match="need Node, which is not installed") as missing:
        find_node({"PATH": str(tmp_path / "none")})
    assert "AUTOCRAFT_NODE" not in str(missing.value)


def test_a_full_disk_is_not_blamed_on_permissions_or_a_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "open", full)
    with pytest.raises(InUse, match="No space left on device; free some space"):
        lock_file(tmp_path / "lock", "the folder")
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(UsageError, match=r"page\.html: No space left on device; free some space"):
        write_named(tmp_path / "page.html", b"")
