"""Opens the world that the settings choose. Its module is imported when it is opened."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
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
_MC = "server mc_version username auth seed speed freeze cheats begin listen_to max_game_minutes"
"""Options of a run that only Minecraft has."""


def open_world(settings: Settings, folder: Path, root: Path, *, resumed: bool) -> World:
    """Return the world of the session in `folder`, not joined yet. `root` holds all state. Raises UsageError."""
    options = settings.fill(RunSettings, "run")
    _check(options, settings.flags)
    world: World = world_class(options.world).for_run(options, settings, folder, root, resumed)
    return world


def _check(options: RunSettings, flags: Mapping[str, Any]) -> None:
    """Raise UsageError for options that belong to another world."""
    foreign = [name for name in _MC.split() if flags.get(name) is not None and options.world == "crafting"]
    if foreign:
        flag = foreign[0].replace("_", "-")
        raise UsageError(f"--{flag} belongs to Minecraft: add --world minecraft, or leave it out")
    if options.world != "crafting" and (options.example or options.inventory or options.low_level):
        raise UsageError("--example, --inventory and --low-level belong to the crafting world: leave --world out")
    if options.example and options.inventory:
        raise UsageError("--example brings its own inventory: give either --example or --inventory")


def world_class(name: str) -> Any:
    """Return the class of a world. Its commands can be listed without opening one. Raises UsageError."""
    if name not in WORLDS:
        raise UsageError(f"unknown world {name[:40]!r}: choose {', '.join(WORLDS)}")
    module, _, kind = WORLDS[name].partition(":")
    return getattr(import_module(module), kind)
