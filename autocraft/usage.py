"""Tokens and money: the usage of model calls, and its cost at dated prices."""

from __future__ import annotations

import re
from typing import Annotated, NamedTuple, TypeGuard

import msgspec

MOST_TOKENS = 1_000_000_000
"""More than any model reads or writes in one call. A larger count is not valid."""
Tokens = Annotated[int, msgspec.Meta(ge=0)]


class Usage(msgspec.Struct, frozen=True, array_like=True):
    """Tokens of one call or a sum of calls. `estimated` means that an endpoint reported none.

    `cached_tokens` are those of the prompt that the endpoint had read before. In JSON it is a list.
    """

    prompt_tokens: Tokens = 0
    completion_tokens: Tokens = 0
    estimated: bool = False
    cached_tokens: Tokens = 0

    @property
    def total(self) -> int:
        return self.prompt_tokens + self.completion_tokens

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.estimated or other.estimated,
            self.cached_tokens + other.cached_tokens,
        )


def read_usage(usage: object) -> Usage | None:
    """Read the usage that an endpoint reports. Return None if its counts are invalid or zero."""
    if not isinstance(usage, dict):
        return None
    prompt, reply = (usage.get(f"{name}_tokens") for name in ("prompt", "completion"))
    if prompt is None and reply is None:  # the names of the Responses interface
        prompt, reply = (usage.get(f"{name}_tokens") for name in ("input", "output"))
    if not (_is_count(prompt) and _is_count(reply) and prompt):  # some report zeros for every answer
        return None
    total = usage.get("total_tokens")
    if _is_count(total):  # xAI counts what a model reasons in the total alone, and bills it as a reply
        reply = max(reply, total - prompt)
    details = usage.get("prompt_tokens_details") or usage.get("input_tokens_details")
    hits = details.get("cached_tokens") if isinstance(details, dict) else usage.get("prompt_cache_hit_tokens")
    return Usage(prompt, reply, False, _cached(prompt, hits))


def _cached(prompt: int, hits: object) -> int:
    """Return a count of cached tokens. Return 0 for one that cannot be."""
    return hits if _is_count(hits) and hits <= prompt else 0


def _is_count(value: object) -> TypeGuard[int]:
    return type(value) is int and 0 <= value <= MOST_TOKENS


def total_cost(dollars: float | None, usage: Usage, cost: float | None) -> float | None:
    """Return the dollars with one more call. Return None from the first call on whose price is unknown."""
    return None if dollars is None or (usage.total and cost is None) else dollars + (cost or 0.0)


class Price(NamedTuple):
    """US dollars for a million tokens. Without a price of their own, cached tokens cost as much as others."""

    prompt: float
    completion: float
    cached: float | None = None

    def cost(self, usage: Usage) -> float:
        hit_price = self.prompt if self.cached is None else self.cached
        total = (usage.prompt_tokens - usage.cached_tokens) * self.prompt + usage.cached_tokens * hit_price
        return (total + usage.completion_tokens * self.completion) / 1_000_000


FREE = Price(0.0, 0.0)
PRICES_DATE = "2026-10"
"""The month in which most prices below were read. The person's own (`--price-in`, `--price-out`) replace them."""
PRICES = {
    # developers.openai.com/api/docs/models, September and October 2026
    "gpt-6-astra": Price(10.0, 50.0, 1.0),
    "gpt-6.1-sol": Price(2.0, 10.0, 0.1),
    "gpt-6-sol": Price(2.0, 10.0, 0.2),
    "gpt-6-luna": Price(0.10, 0.50, 0.01),
    "gpt-5.6": Price(5.0, 30.0, 0.5),
    "gpt-5.6-sol": Price(5.0, 30.0, 0.5),  # 4, 20 and 0.4 until 2026-11-21 at least
    "gpt-5.6-terra": Price(2.0, 12.0, 0.2),
    "gpt-5.6-luna": Price(0.20, 1.20, 0.02),
    # the same pages, June 2026
    "gpt-5.5": Price(5.0, 30.0, 0.5),
    "gpt-5.4": Price(2.50, 15.0, 0.25),
    "gpt-5.4-mini": Price(0.75, 4.50, 0.075),
    "gpt-5.4-nano": Price(0.20, 1.25, 0.02),
    "gpt-5.2": Price(1.75, 14.0, 0.175),
    "gpt-5.1": Price(1.25, 10.0, 0.125),
    "gpt-5": Price(1.25, 10.0, 0.125),
    "gpt-5-mini": Price(0.25, 2.0, 0.025),
    "gpt-5-nano": Price(0.05, 0.40, 0.005),
    "gpt-4.1": Price(2.0, 8.0, 0.5),
    "gpt-4.1-mini": Price(0.40, 1.60, 0.1),
    "gpt-4.1-nano": Price(0.10, 0.40, 0.025),
    "gpt-4o": Price(2.50, 10.0, 1.25),
    "gpt-4o-mini": Price(0.15, 0.60, 0.075),
    # platform.claude.com/docs/en/about-claude/pricing, October 2026
    "claude-fable-5-1": Price(10.0, 50.0, 0.25),
    "claude-fable-5": Price(10.0, 50.0, 1.0),
    "claude-opus-5-5": Price(4.0, 20.0, 0.2),
    "claude-opus-5": Price(5.0, 25.0, 0.5),
    "claude-opus-4-8": Price(5.0, 25.0, 0.5),
    "claude-opus-4-7": Price(5.0, 25.0, 0.5),
    "claude-opus-4-6": Price(5.0, 25.0, 0.5),
    "claude-opus-4-5": Price(5.0, 25.0, 0.5),
    "claude-sonnet-5-5": Price(2.0, 10.0, 0.1),
    "claude-sonnet-5": Price(2.0, 10.0, 0.2),
    "claude-sonnet-4-6": Price(3.0, 15.0, 0.3),
    "claude-sonnet-4-5": Price(3.0, 15.0, 0.3),
    "claude-haiku-5-5": Price(0.50, 2.50, 0.05),  # a fifth of it for prompts of at most 100,000 tokens
    "claude-haiku-4-5": Price(1.0, 5.0, 0.1),
    # ai.google.dev/gemini-api/docs/pricing, 2026-10-07
    "gemini-3.8-flash": Price(1.50, 7.50),  # half of it until the end of 2026
    "gemini-3.5-flash": Price(1.50, 9.0),
    "gemini-3.5-flash-lite": Price(0.30, 2.50),
    "gemini-3.1-pro-preview": Price(2.0, 12.0),
    "gemini-2.5-pro": Price(1.25, 10.0, 0.125),
    "gemini-2.5-flash": Price(0.30, 2.50, 0.03),
    "gemini-2.5-flash-lite": Price(0.10, 0.40, 0.01),
    # docs.x.ai/developers/models, July to October 2026
    "grok-4.7": Price(2.0, 6.0),
    "grok-4.6": Price(2.0, 6.0),
    "grok-4.5": Price(2.0, 6.0, 0.5),
    "grok-4.3": Price(1.25, 2.50),
    # api-docs.deepseek.com/quick_start/pricing, 2026-11-15: at the hours that cost more
    "deepseek-flash": Price(0.30, 1.20, 0.006),
    "deepseek-v4-flash": Price(0.30, 1.20, 0.006),
    "deepseek-v4-pro": Price(1.32, 3.96, 0.044),
    # docs.mistral.ai/inference/pricing, 2026-09-29
    "mistral-medium": Price(1.50, 7.50, 0.15),
    "mistral-medium-3.5": Price(1.50, 7.50, 0.15),
    "mistral-medium-3-5": Price(1.50, 7.50, 0.15),
    "codestral": Price(0.30, 0.90),
}
"""Standard rates, each under the page of the service that states them. Of two rates the higher one stands, so that a
limit in dollars holds; what is not sure is left out, so that its price has to be given. Two things cost more than is
counted here: a prompt above 200,000 tokens, which is sent only with a larger `prompt.window`, and what a service takes
for writing to its cache (a quarter of the price of those tokens at OpenAI since gpt-5.6)."""
_DATED = re.compile(r"(?:-\d{4}-\d\d-\d\d|-\d{4,8}|-latest)?")


def price_of(
    model: str, given_in: float | None = None, given_out: float | None = None, *, local: bool = False
) -> Price | None:
    """Return the price of `model`, or None if it is unknown. The person's price comes first; a `local` server is free.

    A dated name (``gpt-5-mini-2025-08-07``) has the price of the longest name that it begins with. An unknown sibling
    (``gpt-5-mini-audio``) has no price, since it may cost anything.
    """
    if given_in is not None or given_out is not None:
        return Price(given_in or 0.0, given_out or 0.0)
    if local or model.endswith(":free"):
        return FREE
    name = model.removeprefix("openai/").removeprefix("models/")
    models = (model for model in PRICES if name.startswith(model) and _DATED.fullmatch(name, len(model)))
    longest = max(models, key=len, default=None)
    return None if longest is None else PRICES[longest]


WINDOWS = {
    "gpt-6": 272_000,
    "gpt-5": 272_000,
    "gpt-4.1": 1_000_000,
    "gpt-4o": 128_000,
    "claude-": 200_000,
    "gemini-2.5": 1_000_000,
    "gemini-3": 1_000_000,
    "grok-3": 131_072,
    "grok-4": 256_000,
    "deepseek-flash": 1_000_000,
    "deepseek-v4": 1_000_000,
    "mistral-": 128_000,
    "codestral-": 128_000,
}
"""The beginning of a model's name -> tokens that such models take in at least, as of PRICES_DATE."""


def window_of(model: str) -> int:
    """Return the tokens that a model can take in, by its name, 0 for an unknown one."""
    name = model.rpartition("/")[2]
    return next((tokens for start, tokens in WINDOWS.items() if name.startswith(start)), 0)


PICTURE_TOKENS = 1_500
"""Tokens of a picture in a prompt: a rather high guess. The count of the endpoint replaces it."""
BYTES_PER_TOKEN = 3.5  # an estimate that is rather too low, so that too many tokens are counted


def estimate_tokens(text: str) -> int:
    """Return one token for each three and a half bytes, rounded up, so as to estimate too many rather than too few."""
    return int(len(text.encode("utf-8", "replace")) / BYTES_PER_TOKEN) + 1
