"""What the shell may complete: ids of sessions, profiles, splits and skills. A fault completes nothing.

Only the environment is read, because a settings file of the folder may need a question.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeVar

from autocraft.errors import AutocraftError

Section = TypeVar("Section")


def _starting(names: Callable[[], Iterable[str]]) -> Callable[[str], list[str]]:
    """Make a function that returns the names which begin with an incomplete word."""

    def complete(incomplete: str) -> list[str]:
        try:
            return [name for name in names() if name.startswith(incomplete)]
        except (AutocraftError, OSError):
            return []

    return complete


def _section(kind: type[Section], name: str) -> Section:
    from autocraft.settings.settings import Settings

    return Settings({}, os.environ).fill(kind, name)


def _root() -> Path:
    from autocraft.session.folder import SessionSettings

    return _section(SessionSettings, "session").root


@_starting
def sessions() -> list[str]:
    from autocraft.session.folder import list_ids

    return ["last", *reversed(list_ids(_root()))]


@_starting
def profiles() -> Iterable[str]:
    from autocraft.brains.profiles import PROFILES

    return PROFILES


@_starting
def splits() -> Iterable[str]:
    from autocraft.evaluation.conditions import SPLITS

    return SPLITS


@_starting
def skills() -> list[str]:
    from autocraft.skills import SkillSettings
    from autocraft.skills.store import open_skills

    return open_skills(_section(SkillSettings, "skills"), _root()).names()
