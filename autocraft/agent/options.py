"""The person's options for the agents of a run: limits, permissions, prompt, helpers."""

from __future__ import annotations

import shlex
from dataclasses import field
from pathlib import Path

from autocraft.agent.limits import Limits
from autocraft.agent.transcript import PromptSettings
from autocraft.errors import UsageError
from autocraft.frozen import frozen
from autocraft.settings.fields import setting


@frozen
class GateSettings:
    """What may run without a question."""

    continuous: bool = setting(False, "--continuous -c -y", doc="run every command without asking", power=True)
    auto_look: bool = setting(False, "--auto-look", doc="run commands that only read without asking", power=True)
    policy: Path | None = setting(
        None,
        "--policy",
        doc="file of rules about commands; it replaces the rules of autocraft.toml",
        power=True,
        runs=True,
    )


@frozen
class AgentSettings:
    """How much helpers may use."""

    agents: int = setting(5, doc="how many helpers may exist at the same time", power=True)
    agent_steps: int = setting(10, doc="turns that a helper has until it must reply", power=True)
    agent_share: int = setting(
        4, doc="a helper may use what remains of tokens and dollars, divided by this number", power=True
    )


@frozen
class RunOptions:
    """The options of all these kinds."""

    limits: Limits = field(default_factory=Limits)
    gate: GateSettings = field(default_factory=GateSettings)
    prompt: PromptSettings = field(default_factory=PromptSettings)
    agents: AgentSettings = field(default_factory=AgentSettings)
    verb: str = "run"
    """The command that resumes the session: run or learn."""
    state_dir: Path | None = None
    """The folder of sessions that this start was given. A resume finds the session only there."""

    def __post_init__(self) -> None:
        """Raise UsageError for a limit that contradicts the gate."""
        if self.limits.continuous_limit is not None and not self.gate.continuous:
            raise UsageError("--continuous-limit needs --continuous")

    def resume(self, session: str) -> str:
        """Return the command that resumes a session."""
        folder = "" if self.state_dir is None else f" --state-dir {shlex.quote(str(self.state_dir.absolute()))}"
        return f"autocraft {self.verb} --resume {session}{folder}"
