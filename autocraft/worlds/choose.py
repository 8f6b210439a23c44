"""Opens the world that the settings choose. Its module is imported when it is opened."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, NamedTuple

from autocraft.errors import UsageError
from autocraft.protocols import World
from autocraft.settings.run import RunSettings

WORLDS = {
    "crafting": "autocraft.worlds.crafting:CraftingWorld",
    "minecraft": "autocraft.worlds.minecraft.world:MinecraftWorld",
}
"""The module and class of each world. Its ``for_run(options)`` makes the world of a run."""


class WorldOptions(NamedTuple):
    """What a world is made from."""

    run: RunSettings
    own: Any
    """The settings of the section with the world's name. None if there is no such section."""
    given: Mapping[str, Any]
    """The settings that the person gave as flags, by name. A world can refuse those of another one."""
    folder: Path
    """The folder of the session."""
    root: Path
    """The folder of all state."""
    resumed: bool = False


def open_world(options: WorldOptions) -> World:
    """Return the world of a run, not joined yet. Raises UsageError."""
    world: World = world_class(options.run.world).for_run(options)
    return world


def world_class(name: str) -> Any:
    """Return the class of a world. Its commands can be listed without opening one. Raises UsageError."""
    if name not in WORLDS:
        raise UsageError(f"unknown world {name[:40]!r}: choose {', '.join(WORLDS)}")
    return resolve_name(WORLDS[name])
