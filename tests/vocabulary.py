"""The registry of a run with the default settings, for tests that call it directly."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from autocraft.app import every_command
from autocraft.commands.registry import Registry
from autocraft.settings.config import Config
from autocraft.settings.settings import Settings


def whole_registry(folder: Path, environment: dict[str, str] | None = None, **flags: Any) -> Registry:
    """Return a registry of all commands, with a workspace inside `folder` and without the developer's settings."""
    return every_command(
        Config(Settings({"workspace": folder / "workspace", **flags}, environment or {}, folder=folder))
    )
