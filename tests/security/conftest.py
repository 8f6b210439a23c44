"""What the attack suites share: the tally of each test."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.security.count import Tally


@pytest.fixture
def tally(record_property: Callable[[str, object], None]) -> Callable[[str], Tally]:
    """A tally for attacks of this kind; `done` counts and judges."""
    return lambda kind: Tally(kind, record_property)
