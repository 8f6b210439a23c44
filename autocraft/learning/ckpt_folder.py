"""The folder of a run that `--ckpt-dir` names: Voyager's ``ckpt``, written again after each task.

Its file `autocraft.json` names the session, which is the state of the run. So a kill at any time leaves a folder from
which the run goes on.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path

from autocraft.agent.context import RunContext
from autocraft.errors import AutocraftError, UsageError
from autocraft.learning.ckpt_export import renew_ckpt, write_json
from autocraft.learning.questions import KIND
from autocraft.learning.record import Record
from autocraft.session.events import Note
from autocraft.session.reading import Events
from autocraft.skills.export import check_new
from autocraft.skills.files import make_folder, plain_faults, read_json
from autocraft.skills.store import Library

NAME = "autocraft.json"


def session_of(folder: Path) -> str:
    """Return the id of the session that a folder names. Return '' if it names none. Raises CommandError."""
    try:
        value = read_json(folder / NAME)
    except FileNotFoundError:
        return ""
    name = value.get("session") if isinstance(value, dict) else None
    return name if isinstance(name, str) else ""


def check_ckpt(folder: Path, session: str, taken_over: Path | None = None) -> None:
    """Raise UsageError if the folder is not empty, and neither names this session nor is the one that it took over."""
    absolute = folder.absolute()
    own = bool(session) and absolute.is_dir() and session_of(absolute) == session
    if not own and (taken_over is None or taken_over.absolute() != absolute):
        check_new(absolute, "go on from it with resume=True (--from-ckpt), or name a new folder")


@dataclass
class CkptFolder:
    """Writes a run into `folder`. `library` has its skills. `begun` says whether the folder names the session."""

    folder: Path
    run: RunContext
    library: Library
    begun: bool = False

    async def begin(self) -> None:
        """Let the folder name the session, and write it once more at the end of the run. Raises UsageError."""
        self.begun = True
        self.run.exits.push_async_callback(self.write)
        try:
            await asyncio.to_thread(self._name_session)
        except AutocraftError as error:
            raise UsageError(str(error)) from None

    def _name_session(self) -> None:
        with plain_faults(self.folder):
            make_folder(self.folder)
            write_json(self.folder / NAME, {"session": self.run.session})

    async def write(self) -> None:
        """Write the folder again. If it cannot be written, say so; the session has everything."""
        try:
            await asyncio.to_thread(self._write)
        except (AutocraftError, OSError) as error:
            self.run.journal.append(Note(text=f"{self.folder} was not written: {error}"))

    def _write(self) -> None:
        record = Record.of(Events(self.run.journal.folder))
        renew_ckpt(self.folder, record, self.run.memory.rows(kind=KIND), self.library)
