"""Writes a learning run as Voyager's folder ``ckpt``. `ckpt.py` describes the folder and reads it back.

The journal has the kinds of items that an attempt held for the first time, without their numbers. So an observation
lists each of these kinds once. What is longer than a reader accepts is cut. The vector databases are left out: Voyager
makes them from the other files.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Sequence
from pathlib import Path

from autocraft.errors import CommandError
from autocraft.learning.ckpt import MOST_ANSWER, MOST_TASK
from autocraft.learning.record import Record
from autocraft.protocols import MemoryRecord
from autocraft.session.atomic import write_atomic
from autocraft.skills.export import INDEX, check_new, write_voyager
from autocraft.skills.files import make_folder, plain_faults, read_json
from autocraft.skills.graph import callees, graph_of
from autocraft.skills.store import Library
from autocraft.text.phrases import count

_UNSAFE = re.compile(r'[\\/:"*?<>| \x00-\x1f]')
_MOST_NAME = 100
"""The most bytes of a task in the name of a file."""


def write_ckpt(folder: Path, record: Record, rows: Sequence[MemoryRecord], library: Library) -> str:
    """Write a run into a new or empty folder, with the answers in `rows`. Return in words what was written.

    Raises UsageError if the folder is not empty, and CommandError if it cannot be written.
    """
    check_new(folder)
    return renew_ckpt(folder, record, rows, library)


def renew_ckpt(folder: Path, record: Record, rows: Sequence[MemoryRecord], library: Library) -> str:
    """Write a run into its folder again. Return in words what was written.

    The skills are those that the run kept or called, and those that these call, except those in quarantine. Skills
    and answers of the folder that the run does not have, and its files of events, stay. Each file is replaced as a
    whole. Raises CommandError if the folder cannot be written.
    """
    graph = graph_of([each for each in library.entries()[0] if not each.hold])
    names = sorted({each for name in record.skills if name in graph for each in (name, *callees(graph, name))})
    answers = {row.text[:MOST_TASK]: str(row.metadata.get("answer", ""))[:MOST_ANSWER] for row in rows}
    earlier = _earlier(folder / "curriculum" / "qa_cache.json")
    with plain_faults(folder):
        for part in ("action", "curriculum", "events", "skill"):
            make_folder(folder / part)
        for name, tasks in (("completed", record.progress.completed), ("failed", record.progress.failed)):
            write_json(folder / "curriculum" / f"{name}_tasks.json", [task[:MOST_TASK] for task in tasks])
        write_json(folder / "curriculum" / "qa_cache.json", {**earlier, **answers})
        write_json(folder / "action" / "chest_memory.json", {**record.progress.chests, **record.chests})
        _write_events(folder / "events", record)
        write_voyager([library.entry(name) for name in names], folder / "skill", _earlier(folder / "skill" / INDEX))
    counted = f"{count(len(record.steps), 'attempt')}, {count(len(answers), 'answer')} and {count(len(names), 'skill')}"
    return f"{counted} are in {folder}"


def _write_events(folder: Path, record: Record) -> None:
    """Write a file for each program, also of an earlier run. The times in the names are a second or more apart."""
    total, ticks = record.progress.iteration, 0
    earlier = any(folder.iterdir())
    at = max(0.0, record.start - total)
    steps = {step.moment.iteration: step for step in reversed(record.steps)}
    for iteration in range(1, total + 1):
        step = steps.get(iteration)
        new = {item: held.ticks for item, held in record.first_held.items() if max(1, held.iteration) == iteration}
        now = max(ticks, step.moment.ticks if step else 0, *new.values())
        at = max(at + 1, step.time if step else 0)
        x, z = step.position if step and step.position else (0.0, 0.0)
        place = {"position": {"x": x, "z": z}, "biome": step.biome if step else ""}
        observation = {"inventory": dict.fromkeys(new, 1), "status": place | {"elapsedTime": now - ticks}}
        task = _UNSAFE.sub("_", step.task if step else "earlier").encode()[:_MOST_NAME].decode(errors="ignore")
        name = f"{task}_{time.strftime('%Y%m%d_%H%M%S', time.gmtime(at))}"
        if (step or not earlier) and not (folder / name).exists():
            write_json(folder / name, [["observe", observation]])
        ticks = now


def _earlier(path: Path) -> dict[str, object]:
    """Return the object in a file of the folder. Return {} if there is none."""
    try:
        value = read_json(path)
    except (FileNotFoundError, CommandError):
        return {}
    return value if isinstance(value, dict) else {}


def write_json(path: Path, value: object) -> None:
    """Replace a file that everybody may read."""
    write_atomic(path, json.dumps(value, ensure_ascii=False).encode("utf-8"), mode=0o644, sync=False)
