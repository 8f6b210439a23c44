"""Hard limits, enforced in code and told to nobody: steps, seconds, tokens, money, errors.

Neighbours: `state.py` counts, `loop.py` asks before every turn.
"""

from __future__ import annotations

from dataclasses import dataclass

from autocraft.errors import LimitReached
from autocraft.settings import setting


@dataclass(frozen=True)
class Limits:
    """The most that a run may use; None is no limit."""

    max_steps: int | None = setting(None, doc="turns, invalid answers included")
    max_seconds: float | None = setting(None, doc="seconds of thinking and acting, without waiting for the person")
    max_tokens: int | None = setting(None, doc="tokens sent and received")
    max_cost: float | None = setting(None, doc="US dollars")
    max_errors: int | None = setting(None, doc="failed commands and unreadable answers in all")
    continuous_limit: int | None = setting(None, doc="turns that --continuous may run")


@dataclass(frozen=True, slots=True)
class Spent:
    """What a run has used so far."""

    steps: int = 0
    seconds: float = 0.0
    tokens: int = 0
    cost: float = 0.0
    errors: int = 0


def check_affordable(limits: Limits, spent: Spent, tokens: int, cost: float | None) -> None:
    """Raise LimitReached when a call of up to so many tokens and dollars could break a limit; None is unknown cost."""
    if limits.max_tokens is not None and spent.tokens + tokens > limits.max_tokens:
        raise LimitReached(
            f"--max-tokens {limits.max_tokens}: {spent.tokens} are used, and the next call may take {tokens}"
        )
    if limits.max_cost is not None and cost is not None and spent.cost + cost > limits.max_cost:
        raise LimitReached(
            f"--max-cost {limits.max_cost:g}: ${spent.cost:.4f} is used, and the next call may cost ${cost:.4f}"
        )


def exceeded(limits: Limits, spent: Spent) -> str | None:
    """The first limit that leaves no room for one more turn, as a sentence; None when there is room."""
    if limits.max_steps is not None and spent.steps >= limits.max_steps:
        return f"--max-steps {limits.max_steps} reached"
    if limits.continuous_limit is not None and spent.steps >= limits.continuous_limit:
        return f"--continuous-limit {limits.continuous_limit} reached"
    if limits.max_seconds is not None and spent.seconds >= limits.max_seconds:
        return f"--max-seconds {limits.max_seconds:g} reached"
    if limits.max_tokens is not None and spent.tokens >= limits.max_tokens:
        return f"--max-tokens {limits.max_tokens} reached ({spent.tokens} used)"
    if limits.max_cost is not None and spent.cost >= limits.max_cost > 0:
        return f"--max-cost {limits.max_cost:g} reached (${spent.cost:.4f} used)"
    if limits.max_errors is not None and spent.errors >= limits.max_errors:
        return f"--max-errors {limits.max_errors} reached"
    return None
