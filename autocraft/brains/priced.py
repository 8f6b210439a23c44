"""A brain with its prices."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import field, replace
from typing import Any, Literal

from autocraft.errors import UsageError
from autocraft.frozen import frozen
from autocraft.protocols import Answer, Brain, Json, Message
from autocraft.settings.fields import ROLES, check_value
from autocraft.settings.roles import RoleSettings
from autocraft.usage import FREE, PICTURE_TOKENS, Price, Usage, estimate_tokens


def _free(model: str) -> Price | None:
    """Return the price of a model that costs nothing."""
    return FREE


@frozen
class PricedBrain:
    """A brain, and the price and the settings of each of its roles. A price is None if it is unknown."""

    brain: Brain
    prices: dict[str, Price | None]
    roles: dict[str, RoleSettings] = field(default_factory=dict)
    """The brain reads the same ones, so a change counts from its next answer on."""
    kind: str = ""
    """The name by which a run chooses the brain."""
    title: str = ""
    """The line of the header of a run that names the brain, and the address that a model is asked at."""
    price_of: Callable[[str], Price | None] = _free
    """Returns the price of a model, None if it is unknown."""

    def change(self, name: Literal["model", "effort"], value: str, *, capped: bool) -> None:
        """Ask with another model or effort from the next answer on, in each role that has that of the smart model.

        Raises UsageError if no model is asked, for an impossible value, and for an unknown price if costs are `capped`.
        """
        if not self.brain.metered or "smart" not in self.roles:
            raise UsageError(f"the {self.brain.name} asks no model: start with --model NAME")
        before, new = self.roles["smart"], dict[str, Any]({name: value})
        check_value(RoleSettings.__dataclass_fields__[name], value, f"/{name}")
        changed = [role for role, own in self.roles.items() if getattr(own, name) == getattr(before, name)]
        changed = [role for role in changed if ROLES[role] == "smart"]
        price = self.price_of(value) if name == "model" else None
        capped = capped or any(self.roles[role].max_cost is not None for role in changed)
        if name == "model" and price is None and capped:
            raise UsageError(f"the price of {value[:60]} is unknown, and costs are limited: choose another model")
        for role in changed:
            self.roles[role] = replace(self.roles[role], **new)
            if name == "model":
                self.prices[role] = price
        if name == "model":
            self.brain.name = f"{self.brain.name.partition(' (')[0]} ({value})"

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
