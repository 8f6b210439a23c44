"""Players: the planner, a model at an endpoint, or a `Model`. Each gives every episode its brain.

A player can be pickled before its first episode, so that a cluster's workers make their own.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from autocraft.agent.limits import Limits
from autocraft.agent.state import State
from autocraft.brains.choose import BrainChoice
from autocraft.brains.priced import PricedBrain
from autocraft.errors import UsageError
from autocraft.evaluation.conditions import Conditions
from autocraft.evaluation.model import Batcher, Model, ModelBrain
from autocraft.evaluation.tools import EpisodeWorld
from autocraft.protocols import Brain, Json
from autocraft.text.redact import Mask
from autocraft.usage import FREE


class Player:
    """Gives every episode its brain. Its `name` is shown and stored with the results."""

    name = "player"
    mask = Mask()
    """Removes secrets from the stored episodes."""
    model = ""
    """The name of the model. Empty for a player without one."""
    address = ""
    """The address of the endpoint. Empty for a player without one."""
    sampling: Mapping[str, object] = {}
    """The settings of the answers that a resume must keep. None of them stands for the model's own."""
    budget: Mapping[str, float] = {}
    """The limits of tokens and dollars of an evaluation, by the names of their settings."""
    plays_at_once: int | None = None
    """How many episodes it can play at the same time. None for any number."""

    def check(self, conditions: Conditions) -> None:
        """Raise UsageError if this player cannot play under these conditions."""

    def brain(self, world: EpisodeWorld, state: State) -> PricedBrain:
        """Return a brain for one episode, with its prices. The budget is that of the whole evaluation."""
        raise NotImplementedError

    def end(self) -> None:
        """End an episode."""

    async def close(self) -> None:
        """Release all resources. It is called after the last episode of this process."""


class PlannerPlayer(Player):
    """The built-in planner: the fewest moves, or whole recipes if the conditions are high-level."""

    name = "planner"

    def check(self, conditions: Conditions) -> None:
        lacking = [letter for letter in "MS" if letter not in conditions.tools]
        if lacking and not conditions.high_level:
            raise UsageError(f"the planner moves and smelts: add {', '.join(lacking)} to --tools")

    def brain(self, world: EpisodeWorld, state: State) -> PricedBrain:
        from autocraft.brains.planner import PlannerBrain

        low = not world.conditions.high_level
        return PricedBrain(PlannerBrain(world, state, low_level=low), {"smart": FREE, "fast": FREE})


@dataclass
class OpenAIPlayer(Player):
    """A model at an OpenAI-compatible endpoint, with one client for all episodes."""

    choice: BrainChoice
    limits: Limits
    mask: Mask = field(default_factory=Mask, repr=False)
    name = "openai"
    _brain: Brain | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        role = self.choice.roles["smart"]
        self.model, self.address = role.model, self.choice.endpoint.address
        names = ("temperature", "effort", "reply_tokens")
        self.sampling = {name: None if (value := getattr(role, name)) == "" else value for name in names}
        tables = {"models.smart": role, "limits": self.limits}
        limits = {
            f"{at}.{name}": getattr(table, name) for at, table in tables.items() for name in ("max_tokens", "max_cost")
        }
        self.budget = {name: limit for name, limit in limits.items() if limit is not None}

    def brain(self, world: EpisodeWorld, state: State) -> PricedBrain:
        from autocraft.brains.openai import OpenAIBrain

        choice, endpoint = self.choice, self.choice.endpoint
        if self._brain is None:
            lines = world.conditions.prompt == "paper"  # the package, too, ends an answer at its first line
            endpoint = replace(endpoint, stop=endpoint.stop or ("\n",)) if lines else endpoint
            self._brain = OpenAIBrain(endpoint, roles=choice.roles, abilities_file=choice.abilities)
        roles = {"smart": replace(choice.roles["smart"], max_tokens=None, max_cost=None)}
        return PricedBrain(self._brain, choice.prices(needed=self.limits.max_cost is not None), roles)

    async def close(self) -> None:
        if self._brain is not None:
            await self._brain.close()
            self._brain = None


@dataclass
class ModelPlayer(Player):
    """A person's own `Model`, or a function that makes one."""

    make: Model | Callable[[], Model]

    def __post_init__(self) -> None:
        """Raise UsageError if there is no model."""
        model = self.batcher.model
        self.name, self.model = str(model.name), type(model).__name__
        self.plays_at_once = 1 if model.batch_step is None else None

    def __getstate__(self) -> Json:
        """Leave out the model, so that each worker of a cluster makes its own."""
        return {name: value for name, value in vars(self).items() if name != "batcher"}

    @cached_property
    def batcher(self) -> Batcher:
        """Return the batcher of the model. Raises UsageError if `make` gives no model."""
        source: object = self.make
        result = source if isinstance(source, Model) or not callable(source) else source()
        if not isinstance(result, Model):
            raise UsageError(
                f"{str(result)[:60]!r} is not a model: subclass autocraft.Model and give one, or its class"
            )
        return Batcher(result)

    def brain(self, world: EpisodeWorld, state: State) -> PricedBrain:
        self.batcher.playing += 1
        return PricedBrain(ModelBrain(self.batcher, world), {"smart": FREE, "fast": FREE})

    def end(self) -> None:
        self.batcher.end()


def choose_player(choice: BrainChoice, limits: Limits, mask: Mask, model: str | None = None) -> Player:
    """Return the player of this choice. Raises UsageError if it cannot play, or plays without the `model` named."""
    players = {"planner": _planner, "openai": _openai}
    if choice.kind not in players:
        raise UsageError(f"an evaluation is played by planner or openai, not by {choice.kind[:60]!r}")
    player = players[choice.kind](choice, limits, mask)
    if model and not player.model:
        raise UsageError("--model belongs to a brain that asks one, and the planner would play: add --brain openai")
    return player


def _planner(choice: BrainChoice, limits: Limits, mask: Mask) -> Player:
    return PlannerPlayer()


def _openai(choice: BrainChoice, limits: Limits, mask: Mask) -> Player:
    choice.options.check_prices()
    choice.endpoint.check()
    if not choice.roles["smart"].model:  # the first on offer may be another one at a resume
        smart = replace(choice.roles["smart"], model=asyncio.run(_first_model(choice)))
        choice = replace(choice, roles={**choice.roles, "smart": smart})
    choice.prices(needed=limits.max_cost is not None)
    return OpenAIPlayer(choice, limits, mask)


async def _first_model(choice: BrainChoice) -> str:
    """Return the first model that the endpoint offers. Raises BrainError."""
    from autocraft.brains.openai import OpenAIBrain
    from autocraft.brains.retry import Retries

    brain = OpenAIBrain(choice.endpoint, roles=choice.roles, abilities_file=choice.abilities)
    try:
        return await brain.find_model("smart", Retries(choice.endpoint), lambda _: None)
    finally:
        await brain.close()
