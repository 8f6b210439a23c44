"""Opens the sandbox of JavaScript programs. Its import is cheap, since it loads nothing before the first program."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from autocraft.sandbox.programs import Programs


def open_programs(environment: Mapping[str, str], log: Path) -> Programs:
    """Return the sandbox of JavaScript programs. Raises NodeMissing."""
    from autocraft.node import find_node, packages, show_progress
    from autocraft.sandbox.packages import PACKAGES
    from autocraft.sandbox.programs import Programs

    modules = packages(PACKAGES, environment, show_progress)
    return Programs(find_node(environment), modules, log)
