"""Tokens and money: what a model call used, and what that costs at dated prices.

Neighbours: `limits.py` stops a run before a budget is broken; `brains/` fill in what the endpoint reports.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one call or a sum of calls; `estimated` when the endpoint reported none."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    estimated: bool = False

    @property
    def total(self) -> int:
        return self.prompt_tokens + self.completion_tokens

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.estimated or other.estimated,
        )


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars for a million tokens."""

    prompt: float
    completion: float

    def cost(self, usage: Usage) -> float:
        return (usage.prompt_tokens * self.prompt + usage.completion_tokens * self.completion) / 1_000_000


FREE = Price(0.0, 0.0)
PRICES_DATE = "2025-08"
"""When the prices below were read; a person's own (`--price-in`, `--price-out`) go first."""
PRICES = {
    "gpt-5": Price(1.25, 10.0),
    "gpt-5-mini": Price(0.25, 2.0),
    "gpt-5-nano": Price(0.05, 0.40),
    "gpt-4.1": Price(2.0, 8.0),
    "gpt-4.1-mini": Price(0.40, 1.60),
    "gpt-4o": Price(2.50, 10.0),
    "gpt-4o-mini": Price(0.15, 0.60),
}


def estimate_tokens(text: str) -> int:
    """About one token in three and a half bytes, rounded up: deliberately too many rather than too few."""
    return len(text.encode("utf-8", "replace")) * 2 // 7 + 1
