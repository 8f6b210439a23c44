"""Prices: the person's own, a free server's, and a dated name's."""

from __future__ import annotations

import pytest

from autocraft.usage import FREE, PRICES, Price, Usage, price_of, window_of


@pytest.mark.parametrize(
    ("model", "like"),
    [
        ("gpt-5-mini", "gpt-5-mini"),
        ("gpt-5-mini-2025-08-07", "gpt-5-mini"),
        ("openai/gpt-5.4", "gpt-5.4"),
        ("gpt-5.6-sol", "gpt-5.6"),
        ("gpt-6.1-sol-2026-09-29", "gpt-6.1-sol"),
        ("claude-haiku-4-5-20251001", "claude-haiku-4-5"),
        ("models/gemini-3.5-flash", "gemini-3.5-flash"),
        ("deepseek-v4-flash", "deepseek-flash"),
        ("mistral-medium-latest", "mistral-medium-3.5"),
    ],
)
def test_the_longest_name_that_fits(model: str, like: str) -> None:
    assert price_of(model) == PRICES[like]


@pytest.mark.parametrize("model", ["gpt-5-pro", "", "gpt-55", "claude-opus-5-5-fast", "grok-4"])
def test_an_unknown_sibling_has_no_price(model: str) -> None:
    assert price_of(model) is None


def test_what_the_person_says_goes_first() -> None:
    assert price_of("gpt-5", 1.0, 2.0, local=True) == Price(1.0, 2.0)
    assert price_of("gpt-5", None, 2.0) == Price(0.0, 2.0)


def test_a_local_server_and_a_free_model_cost_nothing() -> None:
    assert price_of("llama3.2", local=True) == FREE
    assert price_of("meta/llama:free") == FREE


def test_what_a_call_costs() -> None:
    assert PRICES["gpt-5"].cost(Usage(1_000_000, 100_000)) == pytest.approx(2.25)


def test_cached_tokens_have_a_price_of_their_own() -> None:
    assert PRICES["gpt-5"].cost(Usage(1_000_000, 0, cached_tokens=800_000)) == pytest.approx(0.25 + 0.1)
    assert Price(1.0, 2.0).cost(Usage(1_000_000, 0, cached_tokens=800_000)) == pytest.approx(1.0)


def test_cached_tokens_cost_no_more_than_others_and_answers_the_most() -> None:
    for model, price in PRICES.items():
        assert 0 < (price.cached or price.prompt) <= price.prompt < price.completion, model


def test_the_services_of_the_profiles_have_prices() -> None:
    for start in ("gpt-", "claude-", "gemini-", "grok-", "deepseek-", "mistral-"):
        assert any(model.startswith(start) and window_of(model) for model in PRICES), start
