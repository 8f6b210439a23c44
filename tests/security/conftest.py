"""The fixtures of the attack tests: the tally of each test."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.security.count import Tally


@pytest.fixture
def tally(record_property: Callable[[str, object], None]) -> Callable[[str], Tally]:
    """Return a function that makes a tally for a kind of attack. `done` counts and judges."""
    return lambda kind: Tally(kind, record_property)
