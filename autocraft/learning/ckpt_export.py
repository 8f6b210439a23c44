"""Writes a learning run as Voyager's folder ``ckpt``. `ckpt.py` describes the folder and reads it back.

The journal has the kinds of items that an attempt held for the first time, without their numbers. So an observation
lists each of these kinds once. The vector databases are left out: Voyager makes them from the other files.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from autocraft.learning.record import Record, Step
from autocraft.protocols import MemoryRecord
from autocraft.session.atomic import write_atomic
from autocraft.skills.export import check_new, export
from autocraft.skills.files import make_folder, plain_faults
from autocraft.skills.store import Library

_UNSAFE = re.compile(r'[\\/:"*?<>| \x00-\x1f]')
_MOST_NAME = 100


def write_ckpt(folder: Path, record: Record, rows: Sequence[MemoryRecord], library: Library) -> str:
    """Write a run into a new or empty folder, with the answers in `rows`. Return in words what was written.

    The skills are those that the run kept or called, except those in quarantine. Raises UsageError if the folder is
    not empty, and CommandError if it cannot be written.
    """
    check_new(folder)
    ready = {each.name for each in library.entries()[0] if not each.hold}
    names = [name for name in record.skills if name in ready]
    answers = {row.text: str(row.metadata.get("answer", "")) for row in rows}
    with plain_faults(folder):
        for part in ("action", "curriculum", "events", "skill"):
            make_folder(folder / part)
        _write(folder / "curriculum" / "completed_tasks.json", record.progress.completed)
        _write(folder / "curriculum" / "failed_tasks.json", record.progress.failed)
        _write(folder / "curriculum" / "qa_cache.json", answers)
        _write(folder / "action" / "chest_memory.json", {**record.progress.chests, **record.chests})
        _write_events(folder / "events", record)
        if not names:
            _write(folder / "skill" / "skills.json", {})
    if names:
        export(library, folder / "skill", names, kind="voyager")
    return f"{len(record.steps)} attempts, {len(answers)} answers and {len(names)} skills are in {folder}"


def _write_events(folder: Path, record: Record) -> None:
    """Write a file for each attempt that carried out a program. The times in the names are a second or more apart."""
    iteration = ticks = 0
    at = 0.0
    items = sorted(record.first_held.items(), key=lambda each: each[1].iteration)
    for step in record.steps:
        if step.moment.iteration == iteration:
            continue
        new = [item for item, moment in items if iteration < moment.iteration <= step.moment.iteration]
        duration = max(0, step.moment.ticks - ticks)
        iteration, ticks, at = step.moment.iteration, max(ticks, step.moment.ticks), max(at + 1, step.time)
        task = _UNSAFE.sub("_", step.task)[:_MOST_NAME]
        name = f"{task}_{time.strftime('%Y%m%d_%H%M%S', time.gmtime(at))}"
        _write(folder / name, [["observe", _observation(step, new, duration)]])


def _observation(step: Step, new: Sequence[str], duration: int) -> dict[str, Any]:
    x, z = step.position or (0.0, 0.0)
    place = {"position": {"x": x, "z": z}, "biome": step.biome}
    return {"inventory": dict.fromkeys(new, 1), "status": place | {"elapsedTime": duration}}


def _write(path: Path, value: object) -> None:
    write_atomic(path, json.dumps(value, ensure_ascii=False).encode("utf-8"), mode=0o644, sync=False)
