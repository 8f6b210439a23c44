"""Fetches npm packages that only tests need. It does not import pytest, so it also runs before pytest is installed."""

from __future__ import annotations

import time
from pathlib import Path

from autocraft.errors import InUse
from autocraft.node import PackageList, packages


def fetched(wanted: PackageList) -> Path:
    """Return the folder of npm packages. The first test that needs them fetches them."""
    while True:
        try:
            return packages(wanted)
        except InUse:
            time.sleep(1)
