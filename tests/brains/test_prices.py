"""Prices: the person's own, a free server's, and a dated name's."""

from __future__ import annotations

import pytest

from autocraft.usage import FREE, PRICES, Price, Usage, price_of


@pytest.mark.parametrize(
    ("model", "like"),
    [
        ("gpt-5-mini", "gpt-5-mini"),
        ("gpt-5-mini-2025-08-07", "gpt-5-mini"),
        ("gpt-4o-2024-08-06", "gpt-4o"),
        ("openai/gpt-5.4", "gpt-5.4"),
        ("gpt-4.1-latest", "gpt-4.1"),
    ],
)
def test_the_longest_name_that_fits(model: str, like: str) -> None:
    assert price_of(model) == PRICES[like]


@pytest.mark.parametrize("model", ["gpt-5.9", "gpt-5-pro", "gpt-4o-audio-preview", "llama3.2", "", "gpt-55"])
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
