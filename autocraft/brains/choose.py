"""The brain that the settings choose, by name. Its module is imported when it is opened."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from autocraft import extensions, features
from autocraft.agent.state import State
from autocraft.brains.endpoint import OpenAISettings
from autocraft.brains.priced import PricedBrain
from autocraft.errors import UsageError
from autocraft.frozen import frozen
from autocraft.protocols import Brain, Json, World
from autocraft.session.atomic import write_atomic
from autocraft.session.folder import private_folder
from autocraft.session.journal import encode
from autocraft.settings.roles import RoleSettings
from autocraft.settings.run import RunSettings
from autocraft.text.characters import well_formed
from autocraft.text.phrases import did_you_mean
from autocraft.text.redact import Mask
from autocraft.text.sanitize import clean_line
from autocraft.usage import FREE, Price, price_of

LEARNERS = tuple(features.LEARNERS)  # only learn; the planner only plays, and all others do both


@frozen
class BrainChoice:
    """Which brain answers; `abilities` remembers what endpoints can do, `on_exchange` sees requests and answers."""

    options: RunSettings
    endpoint: OpenAISettings
    roles: dict[str, RoleSettings]
    abilities: Path
    on_exchange: Callable[[Json], None] | None = None
    default: str = "planner"
    """The brain if none was named and no model can be asked."""
    given: Brain | None = None
    """The brain that a program brings, whose name `options` has."""

    @classmethod
    def of(
        cls,
        options: RunSettings,
        endpoint: OpenAISettings,
        models: Mapping[str, RoleSettings],
        root: Path,
        on_exchange: Callable[[Json], None] | None = None,
        default: str = "planner",
        given: Brain | None = None,
    ) -> BrainChoice:
        """Return the choice. `models` are the settings of the roles, `root` holds all state. Raises UsageError."""
        return cls(options, endpoint, endpoint.roles(models), root / "abilities.json", on_exchange, default, given)

    @property
    def kind(self) -> str:
        """Return the brain that was named, else a model if one can be asked, else `default`."""
        return self.options.brain or ("openai" if self.endpoint.usable else self.default)

    @property
    def brain(self) -> Any:
        """Return the class of the brain, or the brain that a program brings."""
        return self.given or extensions.load("brain", self.kind)

    def check(self) -> None:
        """Raise UsageError for an unknown brain, or for one that lacks what it needs."""
        others = ("planner",) if self.default in LEARNERS else LEARNERS
        known = self.given is not None or extensions.is_known("brain", self.kind)
        if self.kind in others or not known:
            names = [name for name in extensions.names_of("brain") if name not in others]
            if not known:
                raise extensions.unknown("brain", self.kind, names)
            fault = "plays no goals" if others is LEARNERS else "does not learn"
            hint = did_you_mean(self.kind, names)
            raise UsageError(f"the brain {self.kind!r} {fault}: {hint}choose {', '.join(names)}")
        self.options.check_prices()
        if self.kind == "scripted" and self.options.script is None:
            raise UsageError("--brain scripted needs --script FILE with its answers")

    def make(self, world: World, state: State, answers: Mapping[str, int]) -> Brain:
        """Return the brain of one bot. `answers` counts those that each role has given. Raises UsageError."""
        brain: Brain = extensions.make("brain", self.kind, BrainOptions(self, world, state, answers), self.given)
        return brain

    def open(
        self, world: World, state: State, answers: Mapping[str, int], mask: Mask, *, needs_prices: bool
    ) -> PricedBrain:
        """Return the brain that `make` returns, with its prices. `mask` cuts secrets out of its title."""
        brain = self.make(world, state, answers)
        prices, title = self.prices(needed=needs_prices), self._title(brain, mask)
        return PricedBrain(brain, prices, self.roles, self.kind, title, self._price_of)

    def _price_of(self, model: str) -> Price | None:
        options = self.options
        return price_of(model, options.price_in, options.price_out, local=self.endpoint.free)

    def prices(self, *, needed: bool) -> dict[str, Price | None]:
        """Return what the roles cost; None for an unknown price. Raises UsageError for one that a limit needs."""
        if self.kind != "openai":
            return dict.fromkeys(self.roles, FREE)
        prices = dict[str, Price | None]()
        for role, own in self.roles.items():
            prices[role] = self._price_of(own.model)
            if prices[role] is None and (needed or own.max_cost is not None):
                limit = "--max-cost" if needed else f"models.{role}.max_cost"
                raise UsageError(f"{limit}: the price of {own.model} is unknown; give --price-in and --price-out")
        return prices

    def _title(self, brain: Brain, mask: Mask) -> str:
        if not brain.asks_model and not self.options.brain:
            why = self.endpoint.fault if self.endpoint.provider else "neither OPENAI_API_KEY nor OPENAI_BASE_URL is set"
            return f"Brain: the built-in {brain.name}, since {why}"
        name = f"{brain.name.removesuffix(')')} at {self.endpoint.address})" if brain.metered else brain.name
        return clean_line(mask.text(f"Brain: {name}"))


class BrainOptions(NamedTuple):
    """What the brain of a run is made from."""

    choice: BrainChoice
    """Its settings: `options` of the run, the `endpoint`, and the models of the `roles`."""
    world: World
    state: State
    """The state of the run, such as its `goals`. It changes while the run goes on."""
    answers: Mapping[str, int]
    """Role -> the number of its answers, also of before a resume."""


def store_exchange(folder: Path, mask: Mask, exchange: Json) -> None:
    """Write a request with its answer to a file of `folder`, without secrets."""
    numbers = [int(path.stem) for path in private_folder(folder).glob("*.json") if path.stem.isdecimal()]
    write_atomic(
        folder / f"{max(numbers, default=0) + 1:04}.json", encode(mask.value(well_formed(exchange))), sync=False
    )
