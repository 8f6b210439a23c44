"""A brain with its prices."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import field

from autocraft.frozen import frozen
from autocraft.protocols import Answer, Brain, Json, Message
from autocraft.settings.roles import RoleSettings
from autocraft.usage import PICTURE_TOKENS, Price, Usage, estimate_tokens


@frozen
class PricedBrain:
    """A brain, and the price and the settings of each of its roles. A price is None if it is unknown."""

    brain: Brain
    prices: Mapping[str, Price | None]
    roles: Mapping[str, RoleSettings] = field(default_factory=dict)
    kind: str = ""
    """The name by which a run chooses the brain."""
    title: str = ""
    """The line of the header of a run that names the brain, and the address that a model is asked at."""

    def cost(self, role: str, usage: Usage) -> float | None:
        """Return US dollars. Return None if the price is unknown."""
        price = self.prices.get(role)
        return None if price is None else price.cost(usage)

    def of(self, role: str) -> RoleSettings:
        """Return the settings of a role, which may have none."""
        return self.roles.get(role) or RoleSettings()

    def sent_tokens(self, messages: Sequence[Message], schema: Json | None = None) -> int:
        """Estimate the tokens of a call. A schema counts if its commands are sent as tools."""
        return sent_tokens(messages, schema if getattr(self.brain, "native", False) else None)


def sent_tokens(messages: Sequence[Message], schema: Json | None = None) -> int:
    """Estimate the tokens of a prompt, and of the commands of a schema as tools."""
    tokens = sum(estimate_tokens(m.content) + 4 + PICTURE_TOKENS * len(m.images) for m in messages)
    if schema is None:
        return tokens
    from autocraft.brains.wires import tools_of  # imported with the endpoint that it is sent to

    return tokens + estimate_tokens(json.dumps(tools_of(schema)))


def usage_of(answer: Answer, sent: int) -> Usage:
    """Return the usage that the endpoint reported. If it reported none, estimate it for so many tokens sent."""
    return answer.usage or Usage(sent, estimate_tokens(answer.text + answer.reasoning), estimated=True)
