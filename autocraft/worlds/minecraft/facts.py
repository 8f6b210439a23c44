"""What the game knows by name, read from minecraft-data as npm brought it."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from autocraft.errors import NodeMissing, UsageError

PRACTICE_VERSION = "1.16.5"


@cache
def item_names(modules: Path, version: str = "") -> frozenset[str]:
    """The items of one version; of the oldest and newest that matter where it is not known yet. Raises UsageError.

    For a version from before 1.13 the names that came later are good too: the bot counts by both.
    """
    folder = modules / "minecraft-data" / "minecraft-data" / "data"
    try:
        paths = json.loads((folder / "dataPaths.json").read_text(encoding="utf-8"))["pc"]
        known = [name for name, files in paths.items() if "items" in files]
        if version and version not in known:
            raise UsageError(f"minecraft.mc_version {version!r} is not known: there are {known[0]} to {known[-1]}")
        chosen = [version] if version else [PRACTICE_VERSION, known[-1]]
        files = {folder / paths[name]["items"] / "items.json" for name in chosen}
        names = frozenset(item["name"] for file in files for item in json.loads(file.read_text(encoding="utf-8")))
        return names | item_names(modules, PRACTICE_VERSION) if "planks" in names else names
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise NodeMissing(
            f"minecraft-data in {modules} cannot be read ({error}); delete it, it is fetched anew"
        ) from None
