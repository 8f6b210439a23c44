"""Opens the settings for every command, and asks the person to confirm files of the folder."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

from autocraft.brains.profiles import profile_settings
from autocraft.errors import UsageError
from autocraft.features import MODES, Mode
from autocraft.settings.config import Config
from autocraft.settings.settings import Settings
from autocraft.settings.trust import FileToConfirm

NAMED = (("script", "--script", "scripted"), ("smart_model", "--model", "openai"))
"""A setting, its option, and the brain that plays if the option is given."""


def read_config(flags: Mapping[str, Any], profile: str = "", defaults: Mapping[str, Any] | None = None) -> Config:
    """Open the settings. Ask the person about an unconfirmed file of the folder that gives power.

    `defaults` replace the usual ones, by section. Raises UsageError if the person cannot be asked or does not confirm
    the file.
    """
    return open_config(flags, profile, is_confirmed, defaults)


def read_run_config(flags: Mapping[str, Any], profile: str, mode: Mode = MODES["run"]) -> Config:
    """Open the settings of a run. If a model or a script was named, it plays. Raises UsageError."""
    brain = flags.get("brain")
    for name, option, plays in NAMED:
        if flags.get(name):
            brain = brain or plays
            if brain != plays:
                raise UsageError(f"{option} belongs to --brain {plays}, and {brain[:40]} would play: leave one out")
    return read_config({**flags, "brain": brain}, profile, mode.defaults)


def open_config(
    flags: Mapping[str, Any],
    profile: str = "",
    confirm: Callable[[FileToConfirm], bool] | None = None,
    defaults: Mapping[str, Any] | None = None,
) -> Config:
    """Open the settings, with the built-in profiles. `confirm` judges the files of the folder."""
    judge = None if confirm is None else lambda *about: confirm(FileToConfirm(*about))
    settings = Settings(
        flags, os.environ, profile=profile, builtin=profile_settings, confirm=judge, defaults=defaults or {}
    )
    return Config(settings)


def was_confirmed(asked: FileToConfirm) -> bool:
    """Tell whether the person has confirmed a file of the folder as it is. Ask nothing."""
    return asked.state == "confirmed"


def is_confirmed(asked: FileToConfirm) -> bool:
    """Tell whether a file of the folder counts in full. Ask the person if a setting of it would count only then.

    Raises UsageError if the person does not confirm the file.
    """
    if asked.state == "confirmed":
        return True
    counts = any(power.counts for power in asked.powers)
    if asked.state == "new" and not (asked.powers if asked.everything else counts):
        return False
    from autocraft.console.consent import confirm

    confirm(asked)
    return True
