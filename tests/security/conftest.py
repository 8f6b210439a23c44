"""The fixtures of the attack tests: the tally of each test, and a stand-in for a model's server."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from tests.brains.stand_in import StandIn
from tests.security.count import Tally


@pytest.fixture
def tally(record_property: Callable[[str, object], None]) -> Callable[[str], Tally]:
    """Return a function that makes a tally for a kind of attack. `done` counts and judges."""
    return lambda kind: Tally(kind, record_property)


@pytest.fixture
def stand_in() -> Iterator[StandIn]:
    made = StandIn()
    yield made
    made.close()
