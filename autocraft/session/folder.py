"""A session is a folder: `events.jsonl`, `blobs/`, `undo/`, `lock`. Here it is made, found, locked and listed."""

from __future__ import annotations

import contextlib
import os
import secrets
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from autocraft.errors import SessionError, UsageError
from autocraft.protocols import Json
from autocraft.session.atomic import lock_file, next_step, sha256
from autocraft.session.events import Goals
from autocraft.session.reading import FILE, Events
from autocraft.settings.fields import setting
from autocraft.text.redact import Mask


@dataclass(frozen=True)
class SessionSettings:
    """Where runs are kept."""

    state_dir: Path | None = setting(
        None, "--state-dir", doc="folder of sessions, memory and locks; the platform's own by default", power=True
    )
    durable: bool = setting(False, "--durable", doc="sync every event to disk, not only the important ones")
    undo_mb: float = setting(
        1000.0, doc="MB of undo copies that a session keeps; what needs more is refused", power=True
    )
    runs_mb: float = setting(500.0, doc="MB of files that a session keeps of what programs wrote", power=True)

    @property
    def root(self) -> Path:
        if self.state_dir is not None:
            return self.state_dir.absolute()
        from platformdirs import user_state_path

        return user_state_path("autocraft", appauthor=False)


@dataclass
class Session:
    """One run's folder, locked for this process."""

    id: str
    folder: Path
    first: Goals | None = None
    """What the run began with; None for a new session."""
    torn: int = 0
    """Bytes of a torn last line, which is dropped before anything is written."""
    lock: IO[str] | None = field(default=None, repr=False)

    @property
    def options(self) -> Json | None:
        """The settings that the run began with; None for a new session."""
        return None if self.first is None else self.first.options

    def close(self) -> None:
        if self.lock is not None:
            self.lock.close()
            self.lock = None

    def discard(self) -> None:
        """Remove the folder of a run that never began."""
        import shutil

        shutil.rmtree(self.folder, ignore_errors=True)


def private_folder(path: Path) -> Path:
    """Make a folder, with its parents, that only its owner may enter. Raises UsageError when it cannot be."""
    try:
        for missing in reversed([each for each in (path, *path.parents) if not each.exists()]):
            missing.mkdir(mode=0o700, exist_ok=True)
        if not path.is_dir():
            raise NotADirectoryError(20, "there is a file of that name")
    except OSError as error:
        step = next_step(error, "choose another with --state-dir")
        raise UsageError(f"cannot make the folder {path}: {error.strerror}; {step}") from None
    return path


def new_id() -> str:
    """The local second, then six hexadecimal digits: three of the millisecond, so that ids sort by when they were
    made also within a second, and three of chance."""
    now = time.time()
    milliseconds = int(now % 1 * 1000)
    return time.strftime("%Y%m%d-%H%M%S-", time.localtime(now)) + f"{milliseconds:03x}{secrets.randbelow(4096):03x}"


def create(root: Path) -> Session:
    """A new session with an empty journal."""
    id = new_id()
    folder = private_folder(root / "sessions" / id)
    for name in ("blobs", "undo"):
        private_folder(folder / name)
    return Session(id, folder, lock=lock_file(folder / "lock", f"session {id}"))


def resume(root: Path, id: str) -> Session:
    """Open and lock an existing session; its events are folded later. Raises UsageError, InUse or SessionError."""
    folder = find(root, id)
    lock = lock_file(folder / "lock", f"session {folder.name}")
    try:
        events = Events(folder)
        first, torn = events.first(), events.torn()
        if first is None:
            raise SessionError(f"session {folder.name} ended before its goal was written; start a new run")
    except BaseException:
        lock.close()
        raise
    return Session(folder.name, folder, first, torn, lock)


def find(root: Path, id: str) -> Path:
    """The folder of a session by its id, a unique beginning of it, or ``last``."""
    known = list_ids(root)
    if not known:
        raise UsageError(f"there are no sessions in {root / 'sessions'}")
    if id == "last":
        return root / "sessions" / known[-1]
    matches = [name for name in known if name.startswith(id)] if id else []
    if len(matches) != 1 and id not in known:
        problem = (
            "is not the beginning of any session" if not matches else f"is the beginning of {len(matches)} sessions"
        )
        raise UsageError(f"{id!r} {problem}; see `autocraft sessions list`")
    return root / "sessions" / (id if id in known else matches[0])


def list_ids(root: Path) -> list[str]:
    """All session ids, the one last written to at the end."""
    stamped = []
    with contextlib.suppress(OSError):
        for folder in (root / "sessions").iterdir():
            with contextlib.suppress(OSError):
                stamped.append(((folder / FILE).stat().st_mtime_ns, folder.name))
    return [name for _, name in sorted(stamped)]


def lock_workspace(root: Path, workspace: Path) -> IO[str]:
    """Keep a second run out of the same workspace. The lock lies outside it, where no command can reach."""
    name = sha256(os.fsencode(workspace.resolve()))[:32]
    return lock_file(private_folder(root / "locks") / f"{name}.lock", f"the workspace {workspace}")


def writable(options: Json, mask: Mask) -> Json:
    """Return the settings for the first event. Raises UsageError where one holds a secret to be cut out."""
    mask.keep(*options)
    for name, value in options.items():
        if held := mask.names(value):
            raise UsageError(
                f"the setting {name} holds the value of {', '.join(held)}, which is never written, so the run could "
                "not be resumed: give the setting another value, or change that secret"
            )
    return options
