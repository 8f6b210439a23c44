"""Reads Voyager's folder ``ckpt``, so that a new run goes on from it.

    curriculum/completed_tasks.json, failed_tasks.json   lists of tasks
    curriculum/qa_cache.json                             question -> answer
    action/chest_memory.json                             "(x, y, z)" -> items, or "Unknown"
    skill/                                               see skills/voyager.py
    events/TASK_YYYYMMDD_HHMMSS                          one file for each program: [[event, observation], …]

A missing part is empty. Nothing in the folder is trusted: every part has bounds, and skills go into quarantine. The
vector databases are not read.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from autocraft.errors import CommandError, UsageError
from autocraft.learning.events import Checkpoint
from autocraft.learning.questions import helps
from autocraft.skills.files import read_json
from autocraft.skills.store import Library
from autocraft.skills.voyager import Candidate, read_folder, take_in
from autocraft.text.phrases import count
from autocraft.text.sanitize import clean_line

MOST_ENTRIES = 10_000
"""The most tasks, questions, chests and event files."""
MOST_TASK = 300
MOST_ANSWER = 4_000
_STAMP = re.compile(r".*_(\d{8}_\d{6})", re.DOTALL)
_PLACE = re.compile(r"\(-?\d{1,8}, ?-?\d{1,8}, ?-?\d{1,8}\)")
_NAME = re.compile(r"[a-z0-9_]{1,100}")


@dataclass(frozen=True)
class Ckpt:
    """What a folder holds. `items` has the iteration and the game ticks at which each kind of item was first held."""

    completed: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    questions: dict[str, str] = field(default_factory=dict)
    chests: dict[str, Any] = field(default_factory=dict)
    skills: Sequence[Candidate] = ()
    items: dict[str, list[int]] = field(default_factory=dict)
    iteration: int = 0

    def event(self, name: str, skills: str) -> Checkpoint:
        """Return the event that takes over the folder `name`. `skills` says how many of its skills were added."""
        parts = (
            count(self.iteration, "iteration"), count(len(self.items), "kind", "kinds") + " of items",
            f"{len(self.completed)} tasks reached, {len(self.failed)} not",
            count(len(self.questions), "answer"), count(len(self.chests), "chest"), skills,
        )  # fmt: skip
        return Checkpoint(
            text=f"Taken over from {clean_line(name)}: {'; '.join(parts)}.",
            completed=self.completed,
            failed=self.failed,
            items={item: iteration for item, (iteration, _) in self.items.items()},
            item_ticks={item: ticks for item, (_, ticks) in self.items.items()},
            chests=self.chests,
            iteration=self.iteration,
        )


def read_ckpt(folder: Path) -> Ckpt:
    """Return the content of a folder. Raises UsageError with one line that says what is wrong."""
    skill = folder / "skill"
    try:
        if not any((folder / name).is_dir() for name in ("curriculum", "skill", "action", "events")):
            raise UsageError(
                f"{folder} is not a checkpoint of Voyager: name the folder that holds curriculum and skill"
            )
        items, iteration = _history(folder / "events")
        return Ckpt(
            completed=_tasks(folder / "curriculum" / "completed_tasks.json"),
            failed=_tasks(folder / "curriculum" / "failed_tasks.json"),
            questions=_questions(folder / "curriculum" / "qa_cache.json"),
            chests=_chests(folder / "action" / "chest_memory.json"),
            skills=read_folder(skill) if (skill / "skills.json").is_file() or (skill / "code").is_dir() else (),
            items=items,
            iteration=iteration,
        )
    except CommandError as error:
        raise UsageError(str(error)) from None
    except OSError as error:
        raise UsageError(f"{error.filename or folder} cannot be read: {error.strerror}") from None


def add_skills(library: Library, candidates: Sequence[Candidate]) -> str:
    """Add skills to a library, in quarantine. Return in words how many were new and how many could not be added."""
    new = refusals = 0
    for each in candidates:
        try:
            new += take_in(library, each)
        except CommandError:
            refusals += 1
    wait = f", which wait for `autocraft skills approve`{f', {refusals} refused' if refusals else ''}"
    return count(new, "new skill") + (wait if new or refusals else "")


# ---------------------------------------------------------------- parts


def _json(path: Path, kind: type[list[Any]] | type[dict[str, Any]], what: str) -> Any:
    """Return a part of the folder. A missing part is empty. Raises UsageError for a part of another kind."""
    try:
        value = read_json(path)
    except FileNotFoundError:
        return kind()
    if not isinstance(value, kind) or len(value) > MOST_ENTRIES:
        raise UsageError(f"{path} must hold {what}, {MOST_ENTRIES:,} at most; correct it, or leave it out")
    return value


def _tasks(path: Path) -> list[str]:
    tasks = _json(path, list, "a list of tasks")
    for task in tasks:
        if not isinstance(task, str) or not 0 < len(task.strip()) <= MOST_TASK:
            raise UsageError(f"{path} must hold tasks of 1 to {MOST_TASK} characters; correct it, or leave it out")
    return [clean_line(task.strip()) for task in tasks]


def _questions(path: Path) -> dict[str, str]:
    answers = _json(path, dict, "an object of questions and answers")
    for question, answer in answers.items():
        if not isinstance(answer, str) or len(answer) > MOST_ANSWER or not 0 < len(question) <= MOST_TASK:
            why = f"questions of {MOST_TASK} and answers of {MOST_ANSWER:,} characters at most"
            raise UsageError(f"{path} must hold {why}; correct it, or leave it out")
    return {clean_line(question): answer for question, answer in answers.items() if helps(answer)}


def _chests(path: Path) -> dict[str, Any]:
    chests: dict[str, Any] = {}
    for place, content in _json(path, dict, "an object of chests").items():
        if not _PLACE.fullmatch(place):
            raise UsageError(
                f'{path} must name chests by their place, such as "(1, 64, -3)"; correct it, or leave it out'
            )
        valid = isinstance(content, dict) and all(
            _NAME.fullmatch(name) and type(often) is int and 0 <= often <= 10**6 for name, often in content.items()
        )
        if valid or content == "Unknown":
            chests[place] = content
        elif content != "Invalid":
            raise UsageError(f"{path} must hold the items of each chest, or Unknown; correct it, or leave it out")
    return chests


def _history(folder: Path) -> tuple[dict[str, list[int]], int]:
    """Return when each kind of item was first held, and the number of programs. Both are counted as in Voyager."""
    paths = [path for path in folder.iterdir() if path.is_file()] if folder.is_dir() else []
    files = sorted((match[1], path) for path in paths if (match := _STAMP.fullmatch(path.name)))
    if len(files) > MOST_ENTRIES:
        raise UsageError(f"{folder} holds {len(files):,} files, more than {MOST_ENTRIES:,}; name another checkpoint")
    items: dict[str, list[int]] = {}
    ticks = 0
    for iteration, (_, path) in enumerate(files, 1):
        for name, observation in _observations(path):
            duration = _duration(observation)
            inventory = observation.get("inventory")
            for item in inventory if isinstance(inventory, dict) else ():
                if _NAME.fullmatch(item):
                    items.setdefault(item, [iteration, ticks + duration])
            ticks += duration if name == "observe" else 0
    return items, len(files)


def _observations(path: Path) -> list[tuple[str, Mapping[str, Any]]]:
    """Return the events of a file. Raises UsageError if it holds something else."""
    events: list[tuple[str, Mapping[str, Any]]] = []
    for each in _json(path, list, "a list of events"):
        if not isinstance(each, list) or len(each) != 2 or not isinstance(each[1], dict):
            raise UsageError(f"{path} must hold pairs of an event and an observation; correct it, or take it away")
        events.append((str(each[0]), each[1]))
    return events


def _duration(observation: Mapping[str, Any]) -> int:
    status = observation.get("status")
    duration = status.get("elapsedTime") if isinstance(status, dict) else 0
    return int(duration) if isinstance(duration, int | float) and 0 <= duration <= 10**9 else 0
