"""Runs benchmarks by name, or all: ``python -m benchmarks [NAME…]``. Each prints tables and stores its figures."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

NAMES = (
    *("start", "turns", "json_fix", "stream", "plans", "moves", "memory"),
    *("minecraft", "sandbox", "resume", "learning", "library"),
)


def main(names: list[str]) -> None:
    there = [name for name in NAMES if Path(__file__).with_name(f"{name}.py").exists()]
    unknown = [name for name in names if name not in there]
    if unknown:
        raise SystemExit(f"benchmarks: there is no {unknown[0]!r}; choose {', '.join(there)}, or nothing for all")
    for name in names or there:
        runpy.run_module(f"benchmarks.{name}", run_name="__main__")


if __name__ == "__main__":
    main(sys.argv[1:])
