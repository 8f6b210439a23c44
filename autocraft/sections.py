"""Opens the settings for every command, and has the files of the folder confirmed that must be."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from autocraft.brains.profiles import profile_settings
from autocraft.errors import UsageError
from autocraft.settings.fields import SECTIONS, kinds
from autocraft.settings.settings import Confirm, Settings, unconfirmed
from autocraft.settings.sources import DOTENV, SettingsFile
from autocraft.settings.trust import Confirmed, Power, powers


def read_settings(flags: Mapping[str, Any], profile: str = "") -> Settings:
    """Merge all sources. The person is asked about a file of the folder that gives power and is not confirmed.

    Raises UsageError where nobody can be asked, and where the person does not confirm it.
    """
    return open_settings(flags, profile, is_confirmed)


def open_settings(flags: Mapping[str, Any], profile: str = "", confirm: Confirm | None = None) -> Settings:
    """Merge all sources with the profiles that are built in; `confirm` judges the files of the folder."""
    return Settings(flags, os.environ, profile=profile, builtin=profile_settings, confirm=confirm)


def is_confirmed(settings: Settings, file: SettingsFile, *, everything: bool = False) -> bool:
    """Tell whether a file of the folder counts in full; ask where something of it would count only then.

    With `everything`, ask also about what a flag or the environment says in its place. Raises UsageError where it
    must be confirmed and is not.
    """
    record = Confirmed.of(settings)
    state = record.state(file)
    if state == "confirmed":
        return True
    found = powers_of(settings, file)
    if state == "new" and not (found if everything else any(each.counts for each in found)):
        return False
    from autocraft.console.consent import confirm

    confirm(settings, record, file, found, changed=state == "changed")
    return True


def powers_of(settings: Settings, file: SettingsFile) -> list[Power]:
    """Return what a file of the folder says that gives power."""
    tables = [file.values, *(table for table in file.profiles().values() if isinstance(table, Mapping))]
    names = SECTIONS if file.path.name == DOTENV else {name for table in tables for name in table}
    return powers(settings, file, kinds(names))


def confirm_rules(settings: Settings, file: SettingsFile) -> None:
    """Raise UsageError unless the rules of an `autocraft.toml`, wherever it lies, are the person's or confirmed."""
    own = file.path.absolute() == settings.own.path.absolute()
    if not own and not is_confirmed(settings, file, everything=True):
        raise UsageError(unconfirmed(file.path, ["policy.rule"]))
