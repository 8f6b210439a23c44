"""The settings of each role in which a model is asked: its model, how it answers, and its budget."""

from __future__ import annotations

from dataclasses import replace

from autocraft.frozen import frozen
from autocraft.settings.fields import setting

EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
VERBOSITIES = ("low", "medium", "high")


@frozen
class RoleSettings:
    """How the model of one role is asked. What is not set is taken from another role, or left to the model."""

    model: str = setting("", env=None, doc="model of the role; without it, that of `smart` or `fast`", power=True)
    temperature: float | None = setting(None, env=None, least=0, doc="randomness of its answers")
    effort: str = setting("", env=None, words=EFFORTS, doc=f"how much it reasons: {', '.join(EFFORTS)}")
    verbosity: str = setting("", env=None, words=VERBOSITIES, doc=f"how much it writes: {', '.join(VERBOSITIES)}")
    reply_tokens: int | None = setting(None, env=None, doc="most tokens of an answer")
    max_tokens: int | None = setting(None, env=None, doc="most tokens of the role in a run, sent and received")
    max_cost: float | None = setting(None, env=None, doc="most US dollars of the role in a run")

    def over(self, base: RoleSettings) -> RoleSettings:
        """Return these settings. What is not set is that of `base`, except for the budget."""
        common = ("model", "temperature", "effort", "verbosity", "reply_tokens")
        unset = [name for name in common if getattr(self, name) in ("", None)]
        return replace(self, **{name: getattr(base, name) for name in unset})
