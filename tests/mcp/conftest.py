"""Collects the garbage of a client."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def no_garbage() -> Iterator[None]:
    """Collect the SDK's unfinished generators here, and not in the middle of a later test."""
    yield
    gc.collect()
