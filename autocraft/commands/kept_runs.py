"""The files that programs wrote, stored by run until the person lets them into the workspace.

runs/run-12/   manifest.json (written last)   a3f… (the files, named by the hash of their bytes)
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from autocraft.commands.copies import RUNS_MB, Room
from autocraft.errors import CommandError
from autocraft.protocols import Json
from autocraft.session.atomic import sha256, sync_all, write_atomic

if TYPE_CHECKING:
    from autocraft.sandbox.folder import FileChange

_VERSION = 1
_NAME = re.compile(r"run-[0-9a-z]{1,20}")
_HASH = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Kept:
    """One file that a program wrote, changed or deleted. `sha256` is '' if its bytes were not stored.

    `before` is the hash of the file in the workspace when the program began, '' if there was none.
    """

    name: str
    kind: str
    size: int
    sha256: str
    before: str
    why: str


class KeptRuns:
    """A folder of runs, which takes no more than these megabytes."""

    def __init__(self, folder: Path, megabytes: float = RUNS_MB) -> None:
        self._folder = folder
        self._room = Room(folder, megabytes, "session.runs_mb")

    def check_room(self) -> None:
        """Raises CommandError if nothing more can be stored, so that no program is run for it."""
        if refusal := self._room.refusal(1):
            raise CommandError(f"no program was run, as what it writes could not be kept: it {refusal}")

    def take(self, run: str, changes: Iterable[FileChange], check: Callable[[], None] = lambda: None) -> list[Kept]:
        """Store the bytes of the changed files. Return the files by name. `sync` then makes them survive a power cut.

        A file for which there is no room says so. `check` is called before each file and may raise to end this. Raises
        CommandError if the disk refuses.
        """
        files = []
        for change in changes:
            check()
            why = change.why if change.data is None else self._room.refusal(len(change.data))
            name = "" if change.data is None or why else sha256(change.data)
            if change.data is not None and name and not (self._folder / run / name).exists():
                self._write(self._folder / run / name, change.data, sync=False)
            files.append(Kept(change.name, change.kind, change.size, name, change.before, why))
        return sorted(files, key=lambda change: change.name)

    def sync(self, run: str) -> None:
        """Write all stored files of a run through to the disk at once."""
        if (self._folder / run).exists():
            sync_all(self._folder / run)

    def discard(self, run: str) -> None:
        """Remove the files of a run that will not be completed."""
        shutil.rmtree(self._folder / run, ignore_errors=True)
        self._room.recount()

    def finish(self, run: str, kept: list[Kept], said: Json) -> None:
        """Write the manifest, which completes the run."""
        manifest = {"v": _VERSION, **said, "files": [asdict(each) for each in kept]}
        self._write(self._folder / run / "manifest.json", json.dumps(manifest).encode())

    def said(self, run: str) -> Json | None:
        """Return the manifest of a run. Return None if there is none that can be read."""
        try:
            manifest: Any = json.loads((self._folder / _checked(run) / "manifest.json").read_bytes())
        except (OSError, ValueError):
            return None
        return manifest if isinstance(manifest, dict) and manifest.get("v") == _VERSION else None

    def read(self, run: str) -> list[Kept]:
        """Return what a run wrote. Raises CommandError if there is no such run."""
        manifest = self.said(run)
        if manifest is None:
            others = {path.parent.name for path in self._folder.glob("run-*/manifest.json")} - {run}
            hint = f"the runs are {', '.join(sorted(others)[-5:])}" if others else "run a program first"
            raise CommandError(f"there is no run {run[:40]!r}: {hint}")
        return [Kept(**row) for row in manifest["files"]]

    def data(self, run: str, kept: Kept) -> bytes:
        """Return the bytes of a stored file. Raises CommandError if they are gone or damaged."""
        try:
            data = (self._folder / _checked(run) / kept.sha256).read_bytes() if _HASH.fullmatch(kept.sha256) else b""
        except OSError:
            data = b""
        if sha256(data) != kept.sha256:
            raise CommandError(f"what {run} wrote is gone or damaged; run the program again")
        return data

    def _write(self, path: Path, data: bytes, *, sync: bool = True) -> None:
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_atomic(path, data, mode=0o600, sync=sync)
            self._room.add(len(data))
        except OSError as error:
            why = error.strerror or str(error)
            raise CommandError(f"no copy can be kept ({why}), so nothing was changed; free some space") from None


def _checked(run: str) -> str:
    """Return a run's name, which never leads out of the folder of runs. Raises CommandError."""
    if not _NAME.fullmatch(run):
        raise CommandError(f"{run[:40]!r} is no name of a run, such as run-12")
    return run


def text_of(data: bytes) -> str | None:
    """Return the data as text; None where it is binary."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else text
