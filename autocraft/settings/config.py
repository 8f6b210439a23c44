"""The settings of one start: a value for each section, what the person gave, and the masks of secrets."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from pkgutil import resolve_name
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

from autocraft.brains.profiles import profile_settings
from autocraft.errors import UsageError
from autocraft.features import MODES, Mode
from autocraft.settings.fields import ROLES, SECTIONS, kinds
from autocraft.settings.settings import Settings
from autocraft.settings.sources import SettingsFile
from autocraft.settings.trust import FileToConfirm
from autocraft.text.phrases import did_you_mean

if TYPE_CHECKING:
    from autocraft.agent.limits import Limits
    from autocraft.agent.options import AgentSettings, GateSettings
    from autocraft.agent.policy import PolicySettings
    from autocraft.agent.transcript import PromptSettings
    from autocraft.brains.endpoint import OpenAISettings
    from autocraft.commands.image import ImageSettings
    from autocraft.commands.settings import CommandSettings
    from autocraft.commands.web.settings import WebSettings
    from autocraft.console.settings import ConsoleSettings
    from autocraft.memory.choose import MemorySettings
    from autocraft.sandbox.settings import CodeSettings, ProgramSettings
    from autocraft.session.folder import SessionSettings
    from autocraft.settings.roles import RoleSettings
    from autocraft.settings.run import RunSettings
    from autocraft.skills import SkillSettings
    from autocraft.worlds.minecraft.settings import MinecraftSettings

_Kind = TypeVar("_Kind")
NAMED = (("script", "--script", "scripted"), ("smart_model", "--model", "openai"))
"""A setting, its option, and the brain that plays if the option is given."""


class Config:
    """The settings of one start. Each part is given the section that it needs, such as `config.limits`.

    ``Config(max_steps=20)`` sets a setting by the name of its option, and ``Config(**{"limits.max_steps": 20})`` by its
    whole name. All others come from the environment and the files, as for the command line. The sections of the outer
    ring are read by their class: `config.of(LearnSettings)`.

    A section is read from its sources when it is first used. This raises UsageError for a bad value, and for a value
    that gives power in a file that nobody has confirmed.
    """

    agents: AgentSettings
    code: CodeSettings
    commands: CommandSettings
    console: ConsoleSettings
    gate: GateSettings
    image: ImageSettings
    limits: Limits
    memory: MemorySettings
    minecraft: MinecraftSettings
    openai: OpenAISettings
    policy: PolicySettings
    programs: ProgramSettings
    prompt: PromptSettings
    run: RunSettings
    session: SessionSettings
    skills: SkillSettings
    web: WebSettings

    def __init__(self, sources: Settings | None = None, *, profile: str = "", **values: Any) -> None:
        """Read the files, or take `sources`, which were read before. Raises UsageError for an unknown name."""
        if sources is None:
            _check_names(values)
            sources = read_sources(values, profile, is_confirmed)
        self.sources = sources
        """Where the values come from. Only what opens, shows, checks or confirms settings looks at it."""
        self.profile = profile
        self.given: Mapping[str, Any] = sources.flags
        """The settings that were given as flags, by name. After `with_given`, those of the resumed run too."""
        self.environment = sources.environment
        self.folder = sources.folder
        self.mask = sources.mask
        self.own_mask = sources.own_mask
        self._sections: dict[str, Any] = {}

    if not TYPE_CHECKING:  # a type checker knows the sections by the lines above

        def __getattr__(self, name: str) -> Any:
            """Return a section. Raises AttributeError for any other name."""
            if name not in SECTIONS:
                raise AttributeError(f"{type(self).__name__} has no section {name}")
            return self.section(name)

    @cached_property
    def models(self) -> Mapping[str, RoleSettings]:
        """Return the settings of each role of a model, as they were set."""
        return {role: self.section(f"models.{role}") for role in ROLES}

    def section(self, name: str) -> Any:
        """Return a section by its name in `SECTIONS`. Return None if there is none of that name."""
        if name not in self._sections and name in SECTIONS:
            self._sections[name] = self.sources.fill(resolve_name(SECTIONS[name]), name)
        return self._sections.get(name)

    def of(self, kind: type[_Kind]) -> _Kind:
        """Return the section of this class."""
        path = f"{kind.__module__}:{kind.__qualname__}"
        value: _Kind = self.section(next(name for name, each in SECTIONS.items() if each == path))
        return value

    def source_of(self, section: str, name: str) -> str:
        """Return in words where the value of a setting comes from. Return "" for a default."""
        self.section(section)
        return self.sources.sources.get((section, name), "")

    def file_of(self, section: str, name: str) -> Path | None:
        """Return the file that a setting comes from. Return None if its value is not from a file."""
        self.section(section)
        return self.sources.origins.get((section, name))

    @property
    def own_root(self) -> Path:
        """Return the folder of all state that the person chose, whatever the files of the folder say."""
        return self.sources.own_root

    def confirms(self, file: SettingsFile) -> bool:
        """Tell whether a person has confirmed all of a file of settings. They are asked if they may be."""
        return self.sources.confirms(file)

    def refuse_unknown(self) -> None:
        """Raise UsageError for a name in a file of settings that no part of autocraft has."""
        self.sources.refuse_unknown()

    def with_given(self, given: Mapping[str, Any]) -> Config:
        """Return the same settings, with these given as flags instead."""
        return Config(self.sources.with_flags(given), profile=self.profile)


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


def read_sources(
    flags: Mapping[str, Any],
    profile: str,
    confirm: Callable[[FileToConfirm], bool] | None,
    defaults: Mapping[str, Any] = MappingProxyType({}),
) -> Settings:
    """Read the files of settings, with the built-in profiles. `confirm` judges the files of the folder."""
    judge = None if confirm is None else lambda *about: confirm(FileToConfirm(*about))
    return Settings(flags, os.environ, profile=profile, builtin=profile_settings, confirm=judge, defaults=defaults)


def _check_names(values: Mapping[str, Any]) -> None:
    """Raise UsageError for a name that is no setting's."""
    fields = {name: [each.name for each in dataclasses.fields(kind)] for name, kind in kinds(SECTIONS).items()}
    names = [each for own in fields.values() for each in own]
    names += [f"{section}.{each}" for section, own in fields.items() for each in own]
    for name in values:
        if name not in names:
            raise UsageError(f"{name[:40]!r} is not a setting: {did_you_mean(name, names)}see docs/settings.md")


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
