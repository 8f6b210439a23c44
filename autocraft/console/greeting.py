"""The lines that a run begins with."""

from __future__ import annotations

from collections.abc import Sequence

from autocraft.agent.context import RunContext
from autocraft.text.redact import Mask
from autocraft.text.sanitize import clean_line


def greeting(run: RunContext, title: str, brain: str, secrets: Sequence[str]) -> list[str]:
    """Name session, brain, memory and goals, and say what is unusual."""
    lines = [title, brain, f"Using memory of type:  {run.memory.name}", *secrets]
    lines += [f"Goal: {clean_line(goal.text)}" for goal in run.state.goals]
    if run.options.gate.continuous:
        lines.append("Continuous mode: every command runs without a question. Ctrl-C stops it.")
    return lines


def weak_secrets(mask: Mask) -> list[str]:
    """Name in one line the secrets which cannot be told from ordinary words; return no line where there are none."""
    if not mask.weak:
        return []
    names = ", ".join(map(clean_line, mask.weak))
    return [f"Weak secrets: {names}. A single word is not removed from texts, a few only where nothing touches "
            "them. Choose random values."]  # fmt: skip
