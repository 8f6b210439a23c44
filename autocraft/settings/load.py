"""Opens the settings for every command, and asks the person to confirm files of the folder."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from autocraft.errors import UsageError
from autocraft.features import MODES, Mode
from autocraft.settings.config import Config, read_sources
from autocraft.settings.trust import FileToConfirm, is_confirmed

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
    """Open the settings. `confirm` judges the files of the folder; without it none is confirmed."""
    return Config(read_sources(flags, profile, confirm, defaults or {}), profile=profile)
