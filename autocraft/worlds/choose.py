"""Opens the world that the settings choose. Its module is imported when it is opened."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from autocraft import extensions
from autocraft.protocols import World
from autocraft.settings.run import RunSettings


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


def open_world(options: WorldOptions, given: World | None = None) -> World:
    """Return the world of a run, not joined yet, or the one that a program has `given`. Raises UsageError."""
    world: World = extensions.make("world", options.run.world, options, given)
    return world


def world_class(name: str) -> Any:
    """Return the class of a world. Its commands can be listed without opening one. Raises UsageError."""
    return extensions.load("world", name)
