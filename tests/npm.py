"""Packages of npm that only tests need. It imports no pytest: they can be fetched before that is installed."""

from __future__ import annotations

import time
from pathlib import Path

from autocraft.errors import InUse
from autocraft.node import PackageList, packages


def fetched(wanted: PackageList) -> Path:
    """Return the folder of packages of npm, fetched once, by whichever test comes first."""
    while True:
        try:
            return packages(wanted)
        except InUse:
            time.sleep(1)
