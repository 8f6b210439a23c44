"""Tells whether a person can be asked."""

from __future__ import annotations

import sys


def is_attended() -> bool:
    """Tell whether standard input and output are a terminal, so that a person can be asked."""
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout))
