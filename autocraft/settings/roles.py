"""The settings of each role in which a model is asked: its model, how it answers, and its budget."""

from __future__ import annotations

import math
from dataclasses import replace

from autocraft.errors import UsageError
from autocraft.frozen import frozen
from autocraft.settings.fields import setting
from autocraft.text.phrases import did_you_mean

EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
VERBOSITIES = ("low", "medium", "high")


@frozen
class RoleSettings:
    """How the model of one role is asked. What is not set is taken from another role, or left to the model."""

    model: str = setting("", env=None, doc="model of the role; without it, that of `smart` or `fast`", power=True)
    temperature: float | None = setting(None, env=None, doc="randomness of its answers")
    effort: str = setting("", env=None, doc=f"how much it reasons: {', '.join(EFFORTS)}")
    verbosity: str = setting("", env=None, doc=f"how much it writes: {', '.join(VERBOSITIES)}")
    reply_tokens: int | None = setting(None, env=None, doc="most tokens of an answer")
    max_tokens: int | None = setting(None, env=None, doc="most tokens of the role in a run, sent and received")
    max_cost: float | None = setting(None, env=None, doc="most US dollars of the role in a run")

    def check(self, role: str) -> None:
        """Raise UsageError for an impossible value."""
        for name, words in (("effort", EFFORTS), ("verbosity", VERBOSITIES)):
            word = getattr(self, name)
            if word and word not in words:
                hint = did_you_mean(word, words, "did you mean {}? ")
                raise UsageError(f"models.{role}.{name} is {word[:60]!r}: {hint}choose {', '.join(words)}")
        for name in ("reply_tokens", "max_tokens", "max_cost"):
            value = getattr(self, name)
            if value is not None and not 0 < value < math.inf:
                raise UsageError(f"models.{role}.{name} must be more than 0, not {value:g}")

    def over(self, base: RoleSettings) -> RoleSettings:
        """Return these settings. What is not set is that of `base`, except for the budget."""
        common = ("model", "temperature", "effort", "verbosity", "reply_tokens")
        unset = [name for name in common if getattr(self, name) in ("", None)]
        return replace(self, **{name: getattr(base, name) for name in unset})
