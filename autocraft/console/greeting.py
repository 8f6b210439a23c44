"""The first lines of a run."""

from __future__ import annotations

from autocraft.agent.context import RunContext
from autocraft.console.report import recent
from autocraft.text.redact import Mask
from autocraft.text.sanitize import clean_line

RECAP, RECAP_EVENTS = 3, 200
"""Steps that a resumed run begins with, and the newest events among which they are looked for."""


def greeting(run: RunContext, resumed: str) -> list[str]:
    """Return lines with session, brain, memory, goals and anything unusual. Without goals, a line names the world."""
    lines = [f"Session {run.session} {resumed}".rstrip(), run.priced.title, f"Using memory of type:  {run.memory.name}"]
    if run.priced.brain.metered:
        lines.append(_commands(run))
    if run.journal.bots and run.priced.brain.asks_model:
        bots = len(run.journal.bots) + 1
        lines.append(f"Bots: {bots}. Each asks the model, so a turn of all costs as much as {bots} turns of one")
    lines += weak_secrets(run.journal.mask)
    lines += [f"Goal: {clean_line(goal.text)}" for goal in run.state.goals] or [f"World: {clean_line(run.world.name)}"]
    lines += _recap(run)
    if run.options.gate.continuous:
        lines.append("Continuous mode: every command runs without a question. Ctrl-C stops it.")
    return lines


def _commands(run: RunContext) -> str:
    """Return how many commands the model is told. Some are left out by --commands, or as the rules deny them."""
    listed, every = len(run.registry.listed()), sum(each.offered for each in run.registry.commands())
    if listed == every:
        return f"Commands: {every}"
    return f"Commands: {listed} of {every}; --commands all tells the model all that the rules allow"


def _recap(run: RunContext) -> list[str]:
    """Return the last steps of a resumed run, and what runs without a question; nothing for a run without a step."""
    steps = recent(run.journal.folder, RECAP_EVENTS).splitlines()[-RECAP:]
    if not steps:
        return []
    agents = [("", run.state), *((f" by agent {helper.name}", helper.state) for helper in run.helpers.live.values())]
    names = ", ".join(clean_line(f"{name}{whose}") for whose, state in agents for name in state.allowed)
    words = f"Allowed without a question, as you chose: {names}. /stop ends it." if names else ""
    gate, rules = run.options.gate, run.policy.rules
    others = gate.continuous or run.looks_freely or any(rule.then == "allow" for rule in rules)
    none = [] if others else ["You have allowed no command without a question."]
    return ["Last steps:", *steps, *([words] if words else none)]


def weak_secrets(mask: Mask) -> list[str]:
    """Return one line with the secrets that look like ordinary words, or no line without such secrets."""
    if not mask.weak:
        return []
    names = ", ".join(map(clean_line, mask.weak))
    return [f"Weak secrets: {names}. A single word is not removed from texts, and a few words only where "
            "no other letter touches them. Choose random values."]  # fmt: skip
