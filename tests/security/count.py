"""How many attacks a test run tried and let through, added up over all tests and printed at its end.

A test says it by `record_property(ATTACKS, [kind, tried, through])`, which comes along from the workers of xdist.
`tests/conftest.py` hangs the summary in.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

ATTACKS = "attacks"


class Tally:
    """The attacks of one test: each is tried, and what it got is named."""

    def __init__(self, kind: str, record: Callable[[str, object], None]) -> None:
        self.kind = kind
        self.tried = 0
        self.through: list[str] = []
        self._record = record

    def add(self, name: str, got: object = "") -> None:
        """One attack; whatever it `got` is true where it got through."""
        self.tried += 1
        if got:
            self.through.append(f"{name!a}: {str(got)[:300]!a}")

    def done(self) -> None:
        """Count, then fail if any got through."""
        self._record(ATTACKS, [self.kind, self.tried, len(self.through)])
        assert self.tried, "nothing was tried"
        assert not self.through, f"{len(self.through)} of {self.tried} got through: " + "; ".join(self.through[:20])


def summarise(reporter: Any) -> None:
    """Print the sums over all reports that came."""
    tried: Counter[str] = Counter()
    through: Counter[str] = Counter()
    for reports in reporter.stats.values():
        for report in reports:
            if isinstance(report, pytest.TestReport) and report.when == "call":
                for name, value in report.user_properties:
                    if name == ATTACKS and isinstance(value, list | tuple):
                        tried[value[0]] += value[1]
                        through[value[0]] += value[2]
    if tried:
        each = "; ".join(f"{kind} {tried[kind]}, {through[kind]}" for kind in sorted(tried))
        reporter.write_line(f"attacks: {tried.total()} tried, {through.total()} let through ({each})")


__all__ = ["ATTACKS", "Tally", "summarise"]
