"""What the shell may complete: ids of sessions, profiles, splits, skills and the values of options that have few.

A fault completes nothing.

Only the environment is read, because a settings file of the folder may need a question.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from autocraft.errors import AutocraftError

if TYPE_CHECKING:
    from autocraft.settings.config import Config


def _starting(names: Callable[[], Iterable[str]]) -> Callable[[str], list[str]]:
    """Make a function that returns the names which begin with an incomplete word."""

    def complete(incomplete: str) -> list[str]:
        try:
            return [name for name in names() if name.startswith(incomplete)]
        except (AutocraftError, OSError):
            return []

    return complete


PARTED = {"run.brain": "brain", "run.world": "world", "run.memory": "memory"}
"""The kind of extension that a setting names."""


def of_setting(setting: str, value: str) -> Callable[[str], list[str]] | None:
    """Return what completes the values of a setting, such as "run.brain".

    `value` stands for them in the help text: its small words, as in "HOST:PORT|lan", are completed. Return None if
    nothing is.
    """
    words = [word for word in value.split("|") if word.islower()]
    if setting in PARTED:
        return _starting(lambda: _parts(PARTED[setting]))
    return _starting(lambda: words) if words else None


def _parts(kind: str) -> list[str]:
    from autocraft.extensions import names_of

    return names_of(kind)


def _config() -> Config:
    from autocraft.settings.config import Config
    from autocraft.settings.settings import Settings

    return Config(Settings({}, os.environ))


@_starting
def sessions() -> list[str]:
    from autocraft.session.folder import list_ids

    return ["last", *reversed(list_ids(_config().session.root))]


@_starting
def replayable() -> Iterable[str]:
    from autocraft.report.recorded import recorded_runs
    from autocraft.session.folder import list_ids

    return [*recorded_runs(), "last", *reversed(list_ids(_config().session.root))]


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
    from autocraft.skills.store import open_skills

    config = _config()
    return open_skills(config.skills, config.session.root).names()
