"""The registry of a run with the default settings, for tests that ask it directly."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from autocraft.app import every_command
from autocraft.commands.registry import Registry
from autocraft.settings.settings import Settings


def whole_registry(folder: Path, environment: dict[str, str] | None = None, **flags: Any) -> Registry:
    """Every command, with a workspace inside `folder` and nothing of the developer's own set."""
    return every_command(Settings({"workspace": folder / "workspace", **flags}, environment or {}, folder=folder))
