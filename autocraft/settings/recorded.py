"""The settings that a run began with: its first event has them, and a resume takes them over."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from autocraft.errors import SessionError, UsageError
from autocraft.features import MODES, Mode
from autocraft.frozen import frozen
from autocraft.protocols import Json
from autocraft.session.folder import writable
from autocraft.settings.config import Config

KEPT = ("inventory", "example", "world")
"""What a resumed run cannot change, as its world has begun."""
PATHS = ("workspace", "script", "policy", "skills_dir", "from_ckpt", "ckpt_dir")
"""Paths are recorded in full, since a resume may begin in another folder."""


@frozen
class RecordedSettings:
    """The settings of the first event, by the name of their field."""

    values: Json

    @classmethod
    def of(cls, config: Config, mode: Mode, brain: str, profile: str) -> RecordedSettings:
        """Return the settings that a resume of this run takes over. Raises UsageError if one holds a secret."""
        names = ["run", "limits", config.run.world, *([mode.verb] if mode.agent else [])]
        values: Json = {}
        for section in filter(None, map(config.section, names)):  # the crafting world has no section
            values |= asdict(section)
        values |= {"brain": brain, "profile": profile, "continuous_limit": None, "mode": mode.verb}
        values |= {"ai_name": config.prompt.ai_name, "ai_role": config.prompt.ai_role, "advice": config.prompt.advice}
        values["commands"] = config.commands.commands
        values["smart_model"] = config.given.get("smart_model")
        values["policy"] = config.gate.policy or config.file_of("policy", "rule")  # a resume keeps its rules
        values["skills_dir"] = config.given.get("skills_dir") if mode.agent else None
        for name in PATHS:
            values[name] = str(Path(values[name]).absolute()) if values.get(name) else None
        return cls(writable({name: value for name, value in values.items() if value not in (None, "")}, config.mask))

    @property
    def mode(self) -> Mode:
        """Return the mode of the run. Raises SessionError for one that this autocraft does not have."""
        name = self.values.get("mode") or "run"
        if name not in MODES:
            raise SessionError(f"this session is in the mode {name[:40]!r}, which is unknown: update autocraft")
        return MODES[name]

    @property
    def profile(self) -> str:
        return str(self.values.get("profile") or "")

    def check(self, mode: Mode, given: Mapping[str, Any], goals: Sequence[str] | None) -> None:
        """Raise UsageError if a resume would change what the run keeps: its world, files, memory and mode."""
        old = self.values
        if mode.agent and mode != self.mode:
            raise UsageError(
                f"this session is from autocraft {self.mode.verb}: go on with autocraft {self.mode.verb} --resume"
            )
        if goals and self.mode.agent:
            raise UsageError("this session chooses its own tasks: leave the goal out, or start a new run")
        for name in KEPT:
            if given.get(name) not in (None, old.get(name)):
                raise UsageError(f"--{name} belongs to a new run: a resumed one keeps its world")
        folder = given.get("workspace")
        if "workspace" not in old:
            raise SessionError("the first line of the journal is damaged (it names no workspace); start a new run")
        if folder is not None and Path(folder).absolute() != Path(old["workspace"]):
            raise UsageError(f"this session's workspace is {old['workspace']}: a resumed run keeps it")
        if given.get("memory") not in (None, old.get("memory")):
            raise UsageError(f"this session's memory is {old.get('memory')}: a resumed run keeps it")

    def under(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return these settings. Each that is `given` replaces the recorded one."""
        return {**self.values, **given}
