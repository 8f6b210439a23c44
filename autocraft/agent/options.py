"""The person's options for the agents of a run: limits, permissions, prompt, helpers."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import asdict, field
from pathlib import Path
from typing import Any

from autocraft.agent.limits import Limits
from autocraft.agent.transcript import PromptSettings
from autocraft.errors import UsageError
from autocraft.frozen import frozen
from autocraft.protocols import Json
from autocraft.session.folder import writable
from autocraft.settings.fields import kinds, setting
from autocraft.settings.run import RunSettings
from autocraft.settings.settings import Settings


@frozen
class GateSettings:
    """What may run without a question."""

    continuous: bool = setting(False, "--continuous -c -y", doc="run every command without asking", power=True)
    auto_look: bool = setting(False, "--auto-look", doc="run commands that only read without asking", power=True)
    policy: Path | None = setting(
        None, "--policy", doc="file of rules about commands; it replaces the rules of autocraft.toml", power=True
    )


@frozen
class AgentSettings:
    """How much helpers may use."""

    agents: int = setting(5, doc="how many helpers may exist at the same time", power=True)
    agent_steps: int = setting(10, doc="turns that a helper has until it must reply", power=True)
    agent_share: int = setting(
        4, doc="a helper may use what remains of tokens and dollars, divided by this number", power=True
    )

    def __post_init__(self) -> None:
        for name in ("agents", "agent_steps", "agent_share"):
            if getattr(self, name) < 1:
                raise UsageError(f"agents.{name} must be 1 or more, not {getattr(self, name)}")


@frozen
class RunOptions:
    """The options of all these kinds."""

    limits: Limits = field(default_factory=Limits)
    gate: GateSettings = field(default_factory=GateSettings)
    prompt: PromptSettings = field(default_factory=PromptSettings)
    agents: AgentSettings = field(default_factory=AgentSettings)
    verb: str = "run"
    """The command that resumes the session: run or learn."""
    resume_flags: str = ""
    """The flags without which a resume would not find the session."""

    @classmethod
    def read(cls, settings: Settings, given: Mapping[str, Any]) -> RunOptions:
        """Read the options. `given` are the flags of this start alone. Raises UsageError for a contradiction."""
        folder = given.get("state_dir")
        options = cls(
            settings.fill(Limits, "limits"),
            settings.fill(GateSettings, "gate"),
            settings.fill(PromptSettings, "prompt"),
            settings.fill(AgentSettings, "agents"),
            "learn" if settings.flags.get("learn") else "run",
            f" --state-dir {shlex.quote(str(Path(folder).absolute()))}" if folder else "",
        )
        if options.limits.continuous_limit is not None and not options.gate.continuous:
            raise UsageError("--continuous-limit needs --continuous")
        options.limits.check()
        return options

    def recorded(self, settings: Settings, brain: str, profile: str) -> Json:
        """Return the settings that a resume takes over. Raises UsageError if the journal cannot hold one."""
        world, learns = settings.fill(RunSettings, "run").world, settings.flags.get("learn")
        recorded: Json = {}
        for name in ("run", "limits", world, *(["learn"] if learns else [])):
            for kind in kinds([name]).values():  # the crafting world has no section
                recorded |= asdict(settings.fill(kind, name))
        recorded |= {"brain": brain, "profile": profile, "continuous_limit": None, "learn": learns}
        recorded |= {"ai_name": self.prompt.ai_name, "ai_role": self.prompt.ai_role}
        recorded["smart_model"] = settings.flags.get("smart_model")
        recorded["policy"] = self.gate.policy or settings.origins.get(("policy", "rule"))  # a resume keeps its rules
        recorded["skills_dir"] = settings.flags.get("skills_dir") if learns else None
        for name in ("workspace", "script", "policy", "skills_dir", "from_ckpt"):  # a resume may have another folder
            recorded[name] = str(Path(recorded[name]).absolute()) if recorded.get(name) else None
        return writable({name: value for name, value in recorded.items() if value not in (None, "")}, settings.mask)

    def resume(self, session: str) -> str:
        """Return the command that resumes a session."""
        return f"autocraft {self.verb} --resume {session}{self.resume_flags}"
