"""Waits for an event in another process."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")
PATIENCE = 120
"""Seconds after which a test gives up: far more than a busy machine needs."""


def until(met: Callable[[], T], what: str = "what was waited for") -> T:
    """Call `met` until it returns a true value, and return that. Raises AssertionError if it takes too long."""
    end = time.monotonic() + PATIENCE
    while not (found := met()):
        assert time.monotonic() < end, f"{what} did not happen"
        time.sleep(0.005)
    return found


def catches(pid: int, number: int) -> bool:
    """Tell whether a process has a handler for this signal."""
    status = Path(f"/proc/{pid}/status").read_text()
    caught = next(line for line in status.splitlines() if line.startswith("SigCgt:"))
    return bool(int(caught.split()[1], 16) >> (number - 1) & 1)


JUMPING = """
import os, runpy, sys, time
real, file = time.monotonic, sys.argv.pop(1)
time.monotonic = lambda: real() + 10_000 * os.path.exists(file)
runpy.run_module(sys.argv.pop(1), run_name="__main__")
"""


def jumping(file: str, module: str = "autocraft") -> list[str]:
    """Return the command of a program whose clock jumps hours ahead once there is this file."""
    return [sys.executable, "-c", JUMPING, file, module]


LATER = jumping("later")
"""The program for a person who takes their time."""
