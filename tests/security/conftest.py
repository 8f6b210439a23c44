"""What the attack suites share: the tally of each test, and a stand-in for a model's server."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from tests.brains.stand_in import StandIn
from tests.security.count import Tally


@pytest.fixture
def tally(record_property: Callable[[str, object], None]) -> Callable[[str], Tally]:
    """A tally for attacks of this kind; `done` counts and judges."""
    return lambda kind: Tally(kind, record_property)


@pytest.fixture
def stand_in() -> Iterator[StandIn]:
    made = StandIn()
    yield made
    made.close()
