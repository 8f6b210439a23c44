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


def _sessions() -> list[str]:
    from autocraft.session.folder import list_ids

    return ["last", *reversed(list_ids(_root()))]


def _profiles() -> Iterable[str]:
    from autocraft.brains.profiles import PROFILES

    return PROFILES


def _splits() -> Iterable[str]:
    from autocraft.evaluation.conditions import SPLITS

    return SPLITS


def _skills() -> list[str]:
    from autocraft.skills import SkillSettings
    from autocraft.skills.store import open_skills

    return open_skills(_section(SkillSettings, "skills"), _root()).names()


sessions, profiles, splits, skills = map(_starting, (_sessions, _profiles, _splits, _skills))
