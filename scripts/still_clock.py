"""Runs autocraft with a clock that stands still, so that the status line is the same on slow and on fast machines.

A file `later` in the current folder puts the clock forward by `LATER` seconds. Only the seconds of the steps come from
this clock. Time limits and pauses go by the real one.
"""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

from autocraft.agent import executor, thinker
from autocraft.cli import main
from autocraft.console import live

LATER = 15.0


def seconds() -> float:
    return LATER if Path("later").exists() else 0.0


if __name__ == "__main__":
    for module in (executor, live, thinker):
        vars(module)["time"] = SimpleNamespace(monotonic=seconds)
    main()
