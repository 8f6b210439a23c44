"""Makes, finds, locks and lists sessions. A session is a folder: `events.jsonl`, `blobs/`, `undo/`, `lock`."""

from __future__ import annotations

import contextlib
import os
import secrets
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from autocraft.errors import SessionError, UsageError
from autocraft.frozen import frozen
from autocraft.protocols import Json
from autocraft.session.atomic import lock_file, next_step, sha256
from autocraft.session.events import Goals
from autocraft.session.reading import FILE, Events
from autocraft.settings.fields import setting
from autocraft.text.redact import Mask


@frozen
class SessionSettings:
    """The folder of the runs."""

    state_dir: Path | None = setting(
        None,
        "--state-dir",
        doc="folder of sessions, memory and locks; else your system's state folder",
        power=True,
        runs=True,
    )
    durable: bool = setting(False, "--durable", doc="sync every event to disk, not only the important ones")
    undo_mb: float = setting(
        1000.0, least=0, doc="MB of undo copies that a session keeps; a command that needs more is refused", power=True
    )
    runs_mb: float = setting(500.0, least=0, doc="MB of files written by programs that a session keeps", power=True)
    sessions_mb: float | None = setting(
        None,
        least=0,
        doc="MB of all runs together; when they are larger, a run says so, and deletes nothing",
        power=True,
    )

    @property
    def root(self) -> Path:
        if self.state_dir is not None:
            return self.state_dir.absolute()
        from platformdirs import user_state_path

        return user_state_path("autocraft", appauthor=False)


@dataclass
class Session:
    """The folder of one run, locked for this process."""

    id: str
    folder: Path
    first: Goals | None = None
    """The first goals of the run; None for a new session."""
    torn: int = 0
    """Bytes of a torn last line, which is cut off before anything is written."""
    lock: IO[str] | None = field(default=None, repr=False)

    @property
    def options(self) -> Json | None:
        """Return the first settings of the run. Return None for a new session."""
        return None if self.first is None else self.first.options

    @property
    def resumed(self) -> str:
        """Return a line about a resumed session; empty for a new one."""
        if self.options is None:
            return ""
        return "resumed" + (f"; a torn last line of {self.torn} bytes was dropped" if self.torn else "")

    def close(self) -> None:
        """Release the lock. Remove the folder of a new run if its journal holds no event."""
        if self.lock is None:
            return
        self.lock.close()
        self.lock = None
        journal = self.folder / FILE
        if self.first is None and not (journal.exists() and journal.stat().st_size):
            import shutil

            shutil.rmtree(self.folder, ignore_errors=True)


def private_folder(path: Path) -> Path:
    """Make a folder, with its parents, that only its owner may enter. Return it. Raises UsageError if it cannot."""
    try:
        for missing in reversed([folder for folder in (path, *path.parents) if not folder.exists()]):
            missing.mkdir(mode=0o700, exist_ok=True)
        if not path.is_dir():
            raise NotADirectoryError(20, "there is a file of that name")
    except OSError as error:
        step = next_step(error, "choose another with --state-dir")
        raise UsageError(f"cannot make the folder {path}: {error.strerror}; {step}") from None
    return path


def new_id() -> str:
    """Return the local second and six hexadecimal digits.

    Three digits are the millisecond, so that ids sort by time also within a second. Three are random.
    """
    now = time.time()
    milliseconds = int(now % 1 * 1000)
    return time.strftime("%Y%m%d-%H%M%S-", time.localtime(now)) + f"{milliseconds:03x}{secrets.randbelow(4096):03x}"


def create(root: Path) -> Session:
    """Make a session with an empty journal. Raises UsageError or InUse."""
    id = new_id()
    folder = private_folder(root / "sessions" / id)
    for name in ("blobs", "undo"):
        private_folder(folder / name)
    return Session(id, folder, lock=lock_session(folder))


def resume(root: Path, id: str) -> Session:
    """Open and lock an existing session, without folding its events. Raises UsageError, InUse or SessionError."""
    folder = find(root, id)
    lock = lock_session(folder)
    try:
        events = Events(folder)
        first, torn = events.first(), events.torn()
        if first is None:
            raise SessionError(f"session {folder.name} ended before its goal was written; start a new run")
    except BaseException:
        lock.close()
        raise
    return Session(folder.name, folder, first, torn, lock)


def lock_session(folder: Path) -> IO[str]:
    """Keep a session from being used until the returned file is closed. Raises InUse."""
    return lock_file(folder / "lock", f"session {folder.name}")


def find(root: Path, id: str) -> Path:
    """Return the folder of a session by its id, a unique beginning of it, or ``last``. Raises UsageError."""
    ids = list_ids(root)
    if not ids:
        raise UsageError(f"there are no sessions in {root / 'sessions'}")
    if id == "last":  # the newest that began: a run killed before its goal was written left an empty journal
        began = (name for name in reversed(ids) if (root / "sessions" / name / FILE).stat().st_size)
        return root / "sessions" / next(began, ids[-1])
    matches = [name for name in ids if name.startswith(id)] if id else []
    if len(matches) != 1 and id not in ids:
        problem = (
            "is not the beginning of any session" if not matches else f"is the beginning of {len(matches)} sessions"
        )
        raise UsageError(f"{id!r} {problem}; see `autocraft sessions list`")
    return root / "sessions" / (id if id in ids else matches[0])


def list_ids(root: Path) -> list[str]:
    """Return all session ids. The one that was written last is at the end."""
    stamps = []
    with contextlib.suppress(OSError):
        for folder in (root / "sessions").iterdir():
            with contextlib.suppress(OSError):
                stamps.append(((folder / FILE).stat().st_mtime_ns, folder.name))
    return [name for _, name in sorted(stamps)]


def lock_workspace(root: Path, workspace: Path) -> IO[str]:
    """Keep a second run out of the workspace. The lock lies outside it, out of reach of all commands. Raises InUse."""
    name = sha256(os.fsencode(workspace.resolve()))[:32]
    return lock_file(
        private_folder(root / "locks") / f"{name}.lock",
        f"the workspace {workspace}",
        ", or name another folder: --workspace OTHER",
    )


def writable(options: Json, mask: Mask) -> Json:
    """Return the settings for the first event. Raises UsageError if one holds a secret, which is never written."""
    mask.keep(*options)
    for name, value in options.items():
        if names := mask.names(value):
            raise UsageError(
                f"the setting {name} holds the value of {', '.join(names)}, which is never written, so the run could "
                "not be resumed: give the setting another value, or change that secret"
            )
    return options
