"""Opens the settings for every command: all sections there are, and the files of the folder that must be confirmed."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import Any

from autocraft.brains.profiles import profile_settings
from autocraft.errors import UsageError
from autocraft.settings.settings import Confirm, Settings, unconfirmed
from autocraft.settings.sources import DOTENV, SettingsFile
from autocraft.settings.trust import Confirmed, Power, powers

SECTIONS = {
    "agents": "autocraft.agent.options:AgentSettings",
    "code": "autocraft.sandbox.settings:CodeSettings",
    "commands": "autocraft.commands.families:CommandSettings",
    "console": "autocraft.console.render:ConsoleSettings",
    "gate": "autocraft.agent.options:GateSettings",
    "image": "autocraft.commands.image:ImageSettings",
    "limits": "autocraft.agent.limits:Limits",
    "memory": "autocraft.memory.choose:MemorySettings",
    "minecraft": "autocraft.worlds.minecraft.settings:MinecraftSettings",
    "openai": "autocraft.brains.endpoint:OpenAISettings",
    "policy": "autocraft.agent.policy:PolicySettings",
    "programs": "autocraft.sandbox.settings:ProgramSettings",
    "prompt": "autocraft.agent.transcript:PromptSettings",
    "run": "autocraft.settings.run:RunSettings",
    "session": "autocraft.session.folder:SessionSettings",
    "skills": "autocraft.skills:SkillSettings",
    "web": "autocraft.commands.web.settings:WebSettings",
}
"""Where the dataclass of each section is; it is imported only when a file of the folder must be judged."""


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
    from autocraft.console.trusting import confirm

    confirm(settings, record, file, found, changed=state == "changed")
    return True


def powers_of(settings: Settings, file: SettingsFile) -> list[Power]:
    """Return what a file of the folder says that gives power."""
    tables = [file.values, *(table for table in file.profiles().values() if isinstance(table, Mapping))]
    names = SECTIONS if file.path.name == DOTENV else {name for table in tables for name in table}
    return powers(settings, file, kinds(names))


def kinds(names: Iterable[str]) -> dict[str, type]:
    """Return the dataclasses of these sections; a name that is no section has none."""
    found = {}
    for name in sorted(set(names) & SECTIONS.keys()):
        module, _, kind = SECTIONS[name].partition(":")
        found[name] = getattr(import_module(module), kind)
    return found


def confirm_rules(settings: Settings, file: SettingsFile) -> None:
    """Raise UsageError unless the rules of an `autocraft.toml`, wherever it lies, are the person's or confirmed."""
    own = file.path.absolute() == settings.own.path.absolute()
    if not own and not is_confirmed(settings, file, everything=True):
        raise UsageError(unconfirmed(file.path, ["policy.rule"]))
