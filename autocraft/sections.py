"""Opens the settings for every command, and asks the person to confirm files of the folder."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from autocraft.brains.profiles import profile_settings
from autocraft.errors import UsageError
from autocraft.settings.settings import Confirm, Settings
from autocraft.settings.sources import SettingsFile
from autocraft.settings.trust import ConfirmedFiles, powers_of


def read_settings(flags: Mapping[str, Any], profile: str = "") -> Settings:
    """Merge all sources. Ask the person about an unconfirmed file of the folder that gives power.

    Raises UsageError if the person cannot be asked or does not confirm it.
    """
    return open_settings(flags, profile, is_confirmed)


def read_run_settings(flags: Mapping[str, Any], profile: str, *, learn: bool = False) -> Settings:
    """Merge all sources for a run. If a model or a script was named, it plays. Raises UsageError."""
    settings = read_settings(flags, profile)
    if learn:
        settings.flags["learn"], settings.defaults["run"] = True, {"world": "minecraft"}
    for name, option, brain in (("script", "--script", "scripted"), ("smart_model", "--model", "openai")):
        if settings.flags.get(name):
            named = settings.flags["brain"] = settings.flags.get("brain") or brain
            if named != brain:
                raise UsageError(f"{option} belongs to --brain {brain}, and {named[:40]} would play: leave one out")
    return settings


def open_settings(flags: Mapping[str, Any], profile: str = "", confirm: Confirm | None = None) -> Settings:
    """Merge all sources and the built-in profiles. `confirm` judges the files of the folder."""
    return Settings(flags, os.environ, profile=profile, builtin=profile_settings, confirm=confirm)


def was_confirmed(settings: Settings, file: SettingsFile, everything: bool = False) -> bool:
    """Tell whether the person has confirmed a file of the folder as it is. Ask nothing."""
    return ConfirmedFiles.of(settings).state(file) == "confirmed"


def is_confirmed(settings: Settings, file: SettingsFile, everything: bool = False) -> bool:
    """Tell whether a file of the folder counts in full. Ask the person if a setting of it would count only then.

    With `everything`, ask also about settings that a flag or the environment replaces. Raises UsageError if the
    person does not confirm the file.
    """
    record = ConfirmedFiles.of(settings)
    state = record.state(file)
    if state == "confirmed":
        return True
    rows = powers_of(settings, file)
    if state == "new" and not (rows if everything else any(power.counts for power in rows)):
        return False
    from autocraft.console.consent import confirm

    confirm(settings, record, file, rows, is_change=state == "changed")
    return True
