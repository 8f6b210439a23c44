"""Names of commands that other agents have: a hint by what they mean, and never a command that destroys."""

from __future__ import annotations

from pathlib import Path

import pytest

from autocraft.commands.meanings import _MEANINGS
from autocraft.errors import InvalidCommand
from autocraft.protocols import Risk
from tests.vocabulary import whole_registry


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("execute_shell", "There is no shell."),
        ("wait_for_user_input", "Did you mean 'ask_human'?"),
        ("make_directory", "Did you mean 'write_to_file'?"),
        ("craftItem", "Did you mean 'craft_item'?"),
        ("delete_skil", ""),
        ("remove_file", ""),
    ],
)
def test_a_hint_goes_by_meaning_and_names_nothing_that_destroys(tmp_path: Path, name: str, hint: str) -> None:
    registry = whole_registry(tmp_path)
    with pytest.raises(InvalidCommand) as error:
        registry.bind(name, {})
    assert hint in str(error.value)
    destroying = [each.name for each in registry.everything() if each.tier is Risk.DESTROY]
    assert not [each for each in destroying if f"'{each}'?" in str(error.value)]


def test_every_meaning_is_a_command_that_does_not_destroy(tmp_path: Path) -> None:
    worlds = [whole_registry(tmp_path, world=world) for world in ("crafting", "minecraft")]
    known = {each.name: each for registry in worlds for each in registry.everything()}
    for name in _MEANINGS:
        assert name in known, f"{name} is no command"
        owner = known[name].owner
        assert known[name].tier is not Risk.DESTROY or owner.network, name
