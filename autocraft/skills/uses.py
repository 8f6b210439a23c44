"""Counts how often a skill was used, and how often it succeeded. Each use is one line in a file.

Each line is one write at the end of the file. So two processes lose no line, and a kill can damage only one.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import Any

from autocraft.errors import CommandError
from autocraft.frozen import frozen
from autocraft.session.atomic import append_whole
from autocraft.skills.files import plain_faults, read_bytes
from autocraft.skills.skill import now

MOST_BYTES = 16_000_000
_MOST_TASK = 200


@frozen
class Uses:
    """The uses of a skill. `by_version` is version -> (uses, successes). `last` is the time of the newest use.

    `fault` says why they cannot be read.
    """

    total: int = 0
    successes: int = 0
    last: str = ""
    by_version: Mapping[int, tuple[int, int]] = field(default_factory=dict)
    unreadable: int = 0
    fault: str = ""

    def __str__(self) -> str:
        if self.fault:
            return "uses unreadable"
        times = "once" if self.total == 1 else f"{self.total:,} times"
        return f"used {times}, {self.successes:,} with success" if self.total else "never used"


def record_use(folder: Path, name: str, version: int, ok: bool, task: str = "") -> None:
    """Append one use of the skill `name` in the library `folder`. Raises CommandError."""
    line = json.dumps({"t": now(), "version": version, "ok": ok, "task": task[:_MOST_TASK]}) + "\n"
    path = folder / name / "uses.jsonl"
    with plain_faults(path):
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
        descriptor = os.open(path, flags, 0o600)
        try:
            os.lseek(descriptor, max(0, os.fstat(descriptor).st_size - 1), os.SEEK_SET)
            torn = os.read(descriptor, 1) not in (b"", b"\n")
            append_whole(descriptor, ("\n" * torn + line).encode("ascii"))
        finally:
            os.close(descriptor)


def read_uses(folder: Path, name: str) -> Uses:
    """Return all uses of a skill. Unreadable lines are counted and skipped."""
    try:
        data = read_bytes(folder / name / "uses.jsonl", MOST_BYTES)
    except FileNotFoundError:
        return Uses()
    except CommandError as error:  # the skill itself can still be used
        return Uses(fault=str(error))
    counts: dict[int, tuple[int, int]] = {}
    last, unreadable = "", 0
    for line in filter(bytes.strip, data.splitlines()):
        use = _use(line)
        if use is None:
            unreadable += 1
            continue
        total, good = counts.get(use["version"], (0, 0))
        counts[use["version"]] = (total + 1, good + use["ok"])
        last = max(last, use["t"])
    totals = [sum(count[part] for count in counts.values()) for part in (0, 1)]
    return Uses(totals[0], totals[1], last, counts, unreadable)


def _use(line: bytes) -> dict[str, Any] | None:
    try:
        use = json.loads(line)
    except (ValueError, RecursionError):
        return None
    valid = isinstance(use, dict) and type(use.get("version")) is int and isinstance(use.get("ok"), bool)
    return use if valid and isinstance(use.get("t"), str) and len(use["t"]) <= 30 else None


def tests_of(folder: Path, name: str) -> list[Path]:
    """Return the files of a skill's tests. Raises CommandError if they cannot be listed."""
    try:
        return sorted(file for file in (folder / name / "tests").iterdir() if file.suffix == ".json")
    except FileNotFoundError:
        return []
    except OSError as error:
        raise CommandError(f"the tests of {name} cannot be listed: {error.strerror}") from None
