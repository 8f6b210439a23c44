"""The game's names: how they are read, and those of items, from the npm package minecraft-data."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from autocraft.errors import NodeMissing, UsageError

PRACTICE_VERSION = "1.16.5"
PRACTICE_RULES = (
    "This is a practice world and not vanilla: water and lava lie still, and lava becomes obsidian where water is "
    "poured beside or above it; the animals are cow, pig, sheep and chicken, the monsters zombie, skeleton, spider and "
    "creeper; there are no villages, structures, Nether and End"
)
"""What a player has to know of the practice world that vanilla does otherwise."""


def plain_name(text: str) -> str:
    """Return a name as the bot reads it, such as "oak_log" for "minecraft:Oak-Log"."""
    plain = text.replace("\ufeff", " ").strip().lower().removeprefix("minecraft:")
    return re.sub(r"[\s-]+", "_", plain)


def other_names(name: str) -> set[str]:
    """Return a plain name, and the names of what the bot may take for the same thing, as "oak_log" for "log"."""
    names = {name, re.sub("^deepslate_(?=.+_ore$)", "", name)}
    for _ in range(2):  # "wood" is "oak_log", which is "log"
        names |= {each for pair in _same_things() if names & {*pair} for each in pair}
    return names


@cache
def _same_things() -> Sequence[Sequence[str]]:
    """Return pairs of names of one thing, by which the bot finds it too."""
    data = json.loads((Path(__file__).parent / "node/bot/same_things.json").read_text(encoding="utf-8"))
    return [*data["other_names"].items(), *data["twins"]]


@cache
def item_names(modules: Path, version: str = "") -> frozenset[str]:
    """Return the items of one version; if it is not known yet, those of the oldest and newest supported one.

    For a version before 1.13 later names are valid too, since the bot counts by both. Raises UsageError for an unknown
    version, NodeMissing if the package cannot be read.
    """
    folder = modules / "minecraft-data" / "minecraft-data" / "data"
    try:
        paths = json.loads((folder / "dataPaths.json").read_text(encoding="utf-8"))["pc"]
        versions = [name for name, files in paths.items() if "items" in files]
        if version and version not in versions:
            choice = f"there are {versions[0]} to {versions[-1]}"
            raise UsageError(f"minecraft.mc_version {version!r} is not known: {choice}")
        choices = [version] if version else [PRACTICE_VERSION, versions[-1]]
        files = {folder / paths[name]["items"] / "items.json" for name in choices}
        names = frozenset(item["name"] for file in files for item in json.loads(file.read_text(encoding="utf-8")))
        return names | item_names(modules, PRACTICE_VERSION) if "planks" in names else names
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise NodeMissing(
            f"minecraft-data in {modules} cannot be read ({error}); delete it, and it is fetched again"
        ) from None
