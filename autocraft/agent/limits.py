"""Hard limits on steps, time, tokens, money and errors. Code enforces them; no prompt mentions them."""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from autocraft.errors import LimitReached
from autocraft.frozen import frozen
from autocraft.settings.fields import ANY, setting
from autocraft.settings.roles import RoleSettings
from autocraft.usage import Usage

MOST_DOLLARS = 1e9
"""A call cannot cost more."""
TICKS_A_MINUTE = 1_200


@frozen
class Limits:
    """The most that a run may use. None means no limit."""

    max_steps: int | None = setting(
        None, "--max-steps", most=ANY, doc="stop after this many turns, invalid answers included"
    )
    max_seconds: float | None = setting(
        None,
        "--max-seconds",
        most=ANY,
        doc="stop after this many seconds; the time in which you are asked does not count",
    )
    max_game_minutes: float | None = setting(
        None,
        "--max-game-minutes",
        most=ANY,
        doc="stop after this many minutes of the game's own clock, at 20 ticks a second",
    )
    max_tokens: int | None = setting(
        None, "--max-tokens", most=ANY, doc="stop after this many tokens, sent and received"
    )
    max_cost: float | None = setting(None, "--max-cost", most=ANY, doc="stop at this many US dollars")
    max_errors: int | None = setting(
        None, "--max-errors", most=ANY, doc="stop after this many failed commands and unusable answers"
    )
    continuous_limit: int | None = setting(
        None, "--continuous-limit -l", most=ANY, doc="most turns of a run with --continuous"
    )


class Spending(NamedTuple):
    """What a run has used so far."""

    steps: int = 0
    seconds: float = 0.0
    tokens: int = 0
    cost: float = 0.0
    errors: int = 0
    game_minutes: float = 0.0


class Totals(msgspec.Struct):
    """The time, tokens and dollars that an agent has used. The main agent's include those of helpers and programs."""

    seconds: float = 0.0
    cost: float = 0.0
    """US dollars, without calls of unknown price."""
    cost_known: bool = True
    usage: Usage = Usage()
    roles: dict[str, Spending] = {}
    """The tokens and dollars of each role of the brain."""
    first_tick: int | None = None
    """The world's clock, in game ticks, when it was seen first. None if the world has no clock."""
    last_tick: int | None = None

    @property
    def known_cost(self) -> float | None:
        """Return the US dollars. Return None if the price of a call is unknown."""
        return self.cost if self.cost_known else None

    @property
    def game_minutes(self) -> float:
        """Return how long the world has run since the run began, at 20 ticks a second."""
        return ((self.last_tick or 0) - (self.first_tick or 0)) / TICKS_A_MINUTE

    def add_call(self, usage: Usage, cost: float | None, role: str) -> None:
        """Add a call of the brain in a role."""
        if cost is None or not 0 <= cost <= MOST_DOLLARS:  # the price is unknown, or nonsense
            cost, self.cost_known = 0.0, False
        self.usage += usage
        self.cost += cost
        if role:
            before = self.roles.get(role, Spending())
            self.roles[role] = Spending(tokens=before.tokens + usage.total, cost=before.cost + cost)

    def see_clock(self, ticks: int | None) -> None:
        """Take the world's clock of an event. None is an event without one."""
        if ticks is not None:
            self.first_tick = ticks if self.first_tick is None else self.first_tick
            self.last_tick = ticks


def check_affordable(
    limits: Limits | RoleSettings, spending: Spending, tokens: int, cost: float | None, role: str = ""
) -> None:
    """Raise LimitReached if a call of this many tokens and dollars could break a limit. None is an unknown cost.

    With `role`, the limits are the budget of that role.
    """
    if limits.max_tokens is not None and spending.tokens + tokens > limits.max_tokens:
        why = f"{limits.max_tokens}: {spending.tokens} are used, and the next call may take {tokens}"
        raise _no_room(role, "max_tokens", why, spending.tokens + 10 * tokens)
    if limits.max_cost is not None and cost is not None and spending.cost + cost > limits.max_cost:
        why = f"{limits.max_cost:g}: ${spending.cost:.4f} is used, and the next call may cost ${cost:.4f}"
        raise _no_room(role, "max_cost", why, spending.cost + 10 * cost)


def _no_room(role: str, name: str, why: str, enough: float) -> LimitReached:
    """Return the error of a limit that would be broken. A flag raises that of a run, a file that of a role."""
    if role:
        return LimitReached(
            f"models.{role}.{name} {why}; raise it under [models.{role}] in autocraft.toml, then resume"
        )
    return LimitReached(f"--{name.replace('_', '-')} {why}", more(name, enough))


def first_exceeded(limits: Limits, spending: Spending) -> tuple[str, str] | None:
    """Return a sentence about the first limit that is used up, and the flag that raises it. Return None if none is."""
    amounts = {f"max_{name}": used for name, used in spending._asdict().items()}
    for name, used in {**amounts, "continuous_limit": spending.steps}.items():
        limit = getattr(limits, name)
        if limit is not None and used >= limit:
            return f"{flag(name, limit)} reached", more(name, used + limit)
    return None


def flag(name: str, value: float) -> str:
    """Return the flag of a limit, as in ``--max-steps 5``."""
    return f"--{name.replace('_', '-')} {value if isinstance(value, int) else format(value, 'g')}"


def more(name: str, value: float) -> str:
    """Return the flag that a resume needs to go past this limit, after a space."""
    return "" if name == "continuous_limit" else f" {flag(name, value)}"
