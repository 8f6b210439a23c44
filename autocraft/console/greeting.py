"""The first lines of a run."""

from __future__ import annotations

from collections.abc import Sequence

from autocraft.agent.context import RunContext
from autocraft.text.redact import Mask
from autocraft.text.sanitize import clean_line


def greeting(run: RunContext, title: str, brain: str, secrets: Sequence[str]) -> list[str]:
    """Return lines with session, brain, memory and goals, and with anything unusual."""
    lines = [title, brain, f"Using memory of type:  {run.memory.name}", *secrets]
    lines += [f"Goal: {clean_line(goal.text)}" for goal in run.state.goals]
    if run.options.gate.continuous:
        lines.append("Continuous mode: every command runs without a question. Ctrl-C stops it.")
    return lines


def weak_secrets(mask: Mask) -> list[str]:
    """Return one line with the secrets that look like ordinary words, or no line without such secrets."""
    if not mask.weak:
        return []
    names = ", ".join(map(clean_line, mask.weak))
    return [f"Weak secrets: {names}. A single word is not removed from texts, a few only where nothing touches "
            "them. Choose random values."]  # fmt: skip
