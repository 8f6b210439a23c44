"""The files that programs wrote, stored by run until the person lets them into the workspace.

runs/run-12/   manifest.json (written last)   a3f… (the files, named by the hash of their bytes)
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from autocraft.commands.copies import RUNS_MB, Room, read_copy
from autocraft.errors import CommandError
from autocraft.protocols import Json
from autocraft.session.atomic import sha256, sync_all

if TYPE_CHECKING:
    from autocraft.sandbox.folder import FileChange

_VERSION = 1
_NAME = re.compile(r"run-[0-9a-z]{1,20}")


class StoredFile(NamedTuple):
    """One file that a program wrote, changed or deleted. `sha256` is '' if its bytes were not stored.

    `before` is the hash of the file in the workspace when the program began, '' if there was none.
    """

    name: str
    kind: str
    size: int
    sha256: str
    before: str
    why: str


class OutputStore:
    """A folder of runs, which takes up to `megabytes`."""

    def __init__(self, folder: Path, megabytes: float = RUNS_MB) -> None:
        self._folder = folder
        self._room = Room(folder, megabytes, "session.runs_mb")

    def check_room(self) -> None:
        """Raise CommandError if nothing more can be stored. Call it before a program runs."""
        if refusal := self._room.refusal(1):
            raise CommandError(f"no program was run, as what it writes could not be kept: it {refusal}")

    def take(
        self, run: str, changes: Iterable[FileChange], check: Callable[[], None] = lambda: None
    ) -> list[StoredFile]:
        """Store the bytes of the changed files. Return the files in the order of their names.

        A file that does not fit is not stored, and its `why` says so. `check` is called before each file and may raise
        to end this. Raises CommandError for an error of the disk.
        """
        files = []
        for change in changes:
            check()
            why = change.why if change.data is None else self._room.refusal(len(change.data))
            name = "" if change.data is None or why else sha256(change.data)
            if change.data is not None and name and not (self._folder / run / name).exists():
                self._room.write(self._folder / run / name, change.data, "copy", sync=False)
            files.append(StoredFile(change.name, change.kind, change.size, name, change.before, why))
        return sorted(files, key=lambda change: change.name)

    def discard(self, run: str) -> None:
        """Remove the files of a run that ends without a manifest."""
        shutil.rmtree(self._folder / run, ignore_errors=True)
        self._room.recount()

    def finish(self, run: str, files: list[StoredFile], result: Json) -> None:
        """Make the stored files survive a power cut, then write the manifest, which completes the run.

        `result` is the text of its result, and whether it is ok.
        """
        if (self._folder / run).exists():
            sync_all(self._folder / run)
        manifest = {"v": _VERSION, **result, "files": [file._asdict() for file in files]}
        self._room.write(self._folder / run / "manifest.json", json.dumps(manifest).encode(), "copy")

    def manifest(self, run: str) -> Json | None:
        """Return the manifest of a run. Return None if it is missing or damaged."""
        try:
            manifest: Any = json.loads((self._folder / _safe(run) / "manifest.json").read_bytes())
        except (OSError, ValueError):
            return None
        return manifest if isinstance(manifest, dict) and manifest.get("v") == _VERSION else None

    def read(self, run: str) -> list[StoredFile]:
        """Return the files that a run wrote. Raises CommandError if there is no such run."""
        manifest = self.manifest(run)
        if manifest is None:
            others = {path.parent.name for path in self._folder.glob("run-*/manifest.json")} - {run}
            hint = f"the runs are {', '.join(sorted(others)[-5:])}" if others else "run a program first"
            raise CommandError(f"there is no run {run[:40]!r}: {hint}")
        return [StoredFile(**row) for row in manifest["files"]]

    def data(self, run: str, file: StoredFile) -> bytes:
        """Return the bytes of a stored file. Raises CommandError if they are gone or damaged."""
        data = read_copy(self._folder / _safe(run), file.sha256)
        if data is None:
            raise CommandError(f"what {run} wrote is gone or damaged; run the program again")
        return data


def _safe(run: str) -> str:
    """Return the name of a run. Raises CommandError if it could lead out of the folder of runs."""
    if not _NAME.fullmatch(run):
        raise CommandError(f"{run[:40]!r} is not the name of a run, such as run-12")
    return run
