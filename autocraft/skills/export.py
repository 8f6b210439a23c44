"""Writes skills into a folder for others, in the format of this library or of Voyager's."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from autocraft.errors import CommandError, UsageError
from autocraft.session.atomic import write_atomic
from autocraft.skills.files import make_folder, plain_faults, read_bytes, write_json
from autocraft.skills.store import Entry, Library

_MOST_TEST = 1_000_000


def export(library: Library, folder: Path, names: Sequence[str], *, voyager: bool = False) -> list[str]:
    """Write the skills `names`, or all that are not held, into a new or empty folder. Return the names written.

    Raises UsageError for a folder that is not empty, CommandError for an unknown name.
    """
    with plain_faults(folder):
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise UsageError(f"{folder} is there already and not empty; name a new folder")
    chosen = [library.entry(name) for name in names] or [each for each in library.entries()[0] if not each.held]
    if not chosen:
        raise CommandError("there is no skill to export; approve one, or name those that should go")
    with plain_faults(folder):
        make_folder(folder)
        if voyager:
            _write_voyager(chosen, folder)
        else:
            for entry in chosen:
                _write_skill(library, entry, folder / entry.name)
    return [entry.name for entry in chosen]


def _write_skill(library: Library, entry: Entry, folder: Path) -> None:
    """Write the programs first and the card last, as the library itself does. Uses are not exported."""
    make_folder(folder / "versions")
    for version in entry.skill.versions:
        code = library.code(entry.name, version.number)
        write_atomic(folder / "versions" / f"{version.number}.js", code.encode("utf-8"), mode=0o644, sync=False)
    tests = library.folder / entry.name / "tests"
    for test in sorted(tests.glob("*.json")):
        make_folder(folder / "tests")
        write_atomic(folder / "tests" / test.name, read_bytes(test, _MOST_TEST), mode=0o644, sync=False)
    write_json(folder / "skill.json", entry.skill.written())


def _write_voyager(entries: Sequence[Entry], folder: Path) -> None:
    """Write the current versions only: Voyager has no others."""
    index = {}
    for name in ("code", "description"):
        make_folder(folder / name)
    for entry in entries:
        description = f"async function {entry.name}(bot) {{\n    // {' '.join(entry.skill.description.split())}\n}}"
        index[entry.name] = {"code": entry.code, "description": description}
        for path, text in ((f"code/{entry.name}.js", entry.code), (f"description/{entry.name}.txt", description)):
            write_atomic(folder / path, text.encode("utf-8"), mode=0o644, sync=False)
    write_atomic(folder / "skills.json", json.dumps(index).encode("utf-8"), mode=0o644, sync=False)
