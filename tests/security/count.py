"""Adds up how many attacks all tests of a run tried and let through. Prints the sums at the end.

An attack is counted by its kind and name. If another test or another worker of xdist tries it too, it is one attack
and a repetition. A test reports by `record_property(ATTACKS, counted(…))`, which xdist passes on from the workers.
`tests/conftest.py` prints the summary.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from typing import Any

import pytest

ATTACKS = "attacks"
_HASH = 8
"""Bytes that stand for a name: names may be long, and travel from worker to worker."""


class Tally:
    """The attacks of one test, with the result of each."""

    def __init__(self, kind: str, record: Callable[[str, object], None]) -> None:
        self.kind = kind
        self.names: list[str] = []
        self.through: list[str] = []
        self._record = record

    @property
    def tried(self) -> int:
        return len(self.names)

    def add(self, name: str, got: object = "") -> None:
        """Add one attack. `got` is true if the attack got through."""
        self.names.append(name)
        if got:
            self.through.append(f"{name!a}: {str(got)[:300]!a}")

    def done(self) -> None:
        """Count, then fail if any got through."""
        self._record(ATTACKS, counted(self.kind, self.names, len(self.through)))
        assert self.tried, "nothing was tried"
        assert not self.through, f"{len(self.through)} of {self.tried} got through: " + "; ".join(self.through[:20])


def counted(kind: str, names: Iterable[str], through: int) -> list[object]:
    """Return the value of the property ATTACKS: the names of the attacks, and how many got through."""
    hashes = (hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=_HASH).hexdigest() for name in names)
    return [kind, "".join(hashes), through]


def summarise(reporter: Any) -> None:
    """Print the sums over all reports."""
    attacks: defaultdict[str, set[str]] = defaultdict(set)
    tried: Counter[str] = Counter()
    through: Counter[str] = Counter()
    for reports in reporter.stats.values():
        for report in reports:
            if isinstance(report, pytest.TestReport) and report.when == "call":
                for name, value in report.user_properties:
                    if name == ATTACKS and isinstance(value, list | tuple):
                        kind, hashes, passed = value
                        width = 2 * _HASH
                        attacks[kind] |= {hashes[at : at + width] for at in range(0, len(hashes), width)}
                        tried[kind] += len(hashes) // width
                        through[kind] += passed
    if tried:
        each = "; ".join(f"{kind} {len(attacks[kind])}, {through[kind]}" for kind in sorted(tried))
        count = sum(len(names) for names in attacks.values())
        again = f" ({tried.total():,} times with repetitions)" if tried.total() != count else ""
        reporter.write_line(f"attacks: {count:,} tried{again}, {through.total():,} let through ({each})")


__all__ = ["ATTACKS", "Tally", "counted", "summarise"]
