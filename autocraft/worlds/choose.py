"""Opens the world that the settings choose. Its module is imported when it is opened."""

from __future__ import annotations

from pathlib import Path
from pkgutil import resolve_name
from typing import Any

from autocraft.errors import UsageError
from autocraft.protocols import World
from autocraft.settings.run import RunSettings
from autocraft.settings.settings import Settings

WORLDS = {
    "crafting": "autocraft.worlds.crafting.world:CraftingWorld",
    "minecraft": "autocraft.worlds.minecraft.world:MinecraftWorld",
}
"""The module and class of each world. ``for_run(options, settings, folder, root, resumed)`` makes it."""


def open_world(settings: Settings, folder: Path, root: Path, *, resumed: bool) -> World:
    """Return the world of the session in `folder`, not joined yet. `root` holds all state. Raises UsageError."""
    options = settings.fill(RunSettings, "run")
    world: World = world_class(options.world).for_run(options, settings, folder, root, resumed)
    return world


def world_class(name: str) -> Any:
    """Return the class of a world. Its commands can be listed without opening one. Raises UsageError."""
    if name not in WORLDS:
        raise UsageError(f"unknown world {name[:40]!r}: choose {', '.join(WORLDS)}")
    return resolve_name(WORLDS[name])
