"""The workspace: the one folder whose files the agent may access, and the one function that checks a path.

All disk access of the file commands goes through this module, so that no other module decides what is inside.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path, PurePosixPath
from typing import NamedTuple
from unicodedata import normalize

from autocraft.commands.obeyed_names import why_obeyed
from autocraft.commands.path_names import TEMPORARY, problem_with, problem_with_part
from autocraft.errors import CommandError, NoFile, NotAsked, PathRefused, UsageError
from autocraft.session.atomic import (
    FileSwapped,
    NotSynced,
    append_whole,
    sha256,
    sync_changed,
    sync_folder,
    write_atomic,
)
from autocraft.settings.trust import steers
from autocraft.text.phrases import beginning

_FILE_FLAGS = (
    getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)
_FOLDER_FLAGS = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
_DESCRIPTORS = Path("/proc/self/fd")
_asked: ContextVar[frozenset[str]] = ContextVar("asked", default=frozenset())
"""The files of the running command that other programs obey, and about which the person was asked."""


@contextmanager
def asked_about(names: Iterable[str]) -> Iterator[None]:
    """Let a command change these files, which other programs obey, while the context is open."""
    token = _asked.set(frozenset(names))
    try:
        yield
    finally:
        _asked.reset(token)


class FileCaps(NamedTuple):
    """The limits of the file commands."""

    max_bytes: int = 50_000_000
    """The largest file that is read, written, or copied for undo, in bytes."""
    max_files: int = 10_000
    """How many files the workspace may have before no new one is created."""
    max_read_chars: int = 5_500
    """How many characters one command returns: what the model sees of a result, and so one page."""
    max_read_lines: int = 200
    """How many lines a page has at most."""
    max_search_bytes: int = 200_000_000
    """How many bytes one search reads before it ends."""
    max_digest_bytes: int = 500_000_000
    """How many bytes a digest reads. Files beyond that count by their size alone."""


class Workspace:
    """A folder that paths cannot leave. It is created when the first file is written.

    Raises UsageError if `root` cannot be such a folder.
    """

    def __init__(self, root: Path, caps: FileCaps | None = None) -> None:
        try:
            self.root = root.expanduser().resolve()
        except (OSError, RuntimeError, ValueError) as error:
            raise UsageError(f"the workspace {root} cannot be used ({error}); name another folder") from None
        if self.root == Path(self.root.anchor):
            raise UsageError(f"the workspace cannot be {self.root}, the whole disk; name a folder of its own")
        if self.root.exists() and not self.root.is_dir():
            raise UsageError(f"the workspace {self.root} is not a folder; name another one")
        self.caps = caps or FileCaps()
        self._count: int | None = None

    # ------------------------------------------------------------ names

    def resolve(self, name: str) -> Path:
        """Return the real path for `name`, which is relative to the workspace, or absolute and inside.

        All symlinks in it are followed. The file itself need not exist. A name that is there in another normal form of
        Unicode, as macOS and archives write accents, means that file. Raises PathRefused.
        """
        problem = problem_with(name)
        if problem:
            raise self._refusal(name, problem)
        try:
            path = self._as_there(name).resolve()
            if not path.is_relative_to(self.root):
                raise self._refusal(name, "is outside")
            with suppress(FileNotFoundError):
                mode = path.lstat().st_mode
                if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
                    raise self._refusal(name, "is not a plain file but a pipe, socket, device or loop of symlinks")
        except (OSError, RuntimeError, ValueError) as error:  # also if a link was swapped meanwhile
            why = getattr(error, "strerror", None) or "a loop of symlinks"
            raise self._refusal(name, f"cannot be followed ({why.lower()})") from None
        inside = path.relative_to(self.root)
        problem = next(filter(None, map(problem_with_part, inside.parts)), "")
        if problem:
            raise self._refusal(name, problem)
        return path

    def _as_there(self, name: str) -> Path:
        """Return the path of `name`, with each part as it is written in its folder. Raises OSError."""
        if name.isascii():
            return self.root / name
        path = self.root
        for part in Path(name).parts:
            folder, path = path, path / part
            if part.isascii() or os.path.lexists(path) or not folder.resolve().is_relative_to(self.root):
                continue
            with suppress(FileNotFoundError, NotADirectoryError, PermissionError), os.scandir(folder) as entries:
                plain = normalize("NFC", part)
                same = [each.name for each in entries if normalize("NFC", each.name) == plain]
                path = folder / min(same, default=part)
        return path

    def name_of(self, path: Path) -> str:
        """Return the name of a resolved path relative to the root, with ``/`` on every system."""
        return path.relative_to(self.root).as_posix()

    def _refusal(self, name: str, problem: str) -> PathRefused:
        short = beginning(name, 80)
        return PathRefused(f"{short!r} {problem}; give a path inside the workspace {self.root}, such as 'notes.txt'")

    # ------------------------------------------------------------ files, by resolved path

    def read(self, path: Path) -> bytes | None:
        """Return all bytes of the file. Return None if it does not exist. Raises CommandError above the size cap."""
        with self._plain_errors(path, "cannot be read"):
            try:
                with self._folder(path) as folder:
                    descriptor = self._open(folder / path.name, path, os.O_RDONLY)
            except FileNotFoundError:
                return None
            with os.fdopen(descriptor, "rb") as file:
                data = file.read(self.caps.max_bytes + 1)
        self.check_size(path, len(data))
        return data

    def write(self, path: Path, data: bytes, *, mode: int | None = None, sync: bool = False) -> None:
        """Write `data` completely or not at all, and create its folders. An existing file keeps its permissions."""
        self.check_asked(path)
        self.check_size(path, len(data))
        with self._plain_errors(path), self._folder(path, make=True) as folder:
            file = folder / path.name
            if not os.path.lexists(file):
                self._make_room()
                mode = 0o600 if mode is None else mode
            elif file.is_dir():
                raise IsADirectoryError(errno.EISDIR, "is a folder")
            write_atomic(file, data, mode=mode, sync=sync)

    def append(self, path: Path, data: bytes, *, sync: bool = False) -> os.stat_result:
        """Append `data` in one write. If that fails, the file is as before. Return its new stat."""
        self.check_asked(path)
        self.check_size(path, len(data))
        with self._plain_errors(path), self._folder(path, make=True) as folder:
            new = not os.path.lexists(folder / path.name)
            if new:
                self._make_room()
            descriptor = self._open(folder / path.name, path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
            try:
                self.check_size(path, os.fstat(descriptor).st_size + len(data))
                try:
                    append_whole(descriptor, data)
                except OSError:
                    if new:
                        (folder / path.name).unlink()
                    raise
                if sync:
                    sync_changed(descriptor)
                after = os.fstat(descriptor)
            finally:
                os.close(descriptor)
            if new and sync:
                sync_folder(folder)
            return after

    def cut(self, path: Path, size: int, *, sync: bool = False) -> None:
        """Shorten the file to its first `size` bytes."""
        self.check_asked(path)
        with (
            self._plain_errors(path),
            self._folder(path) as folder,
            os.fdopen(self._open(folder / path.name, path, os.O_RDWR), "r+b") as file,
        ):
            file.truncate(size)
            if sync:
                sync_changed(file.fileno())

    def remove(self, path: Path, *, sync: bool = False) -> None:
        """Delete the file. Raises CommandError."""
        self.check_asked(path)
        with self._plain_errors(path), self._folder(path) as folder:
            (folder / path.name).unlink()
            if sync:
                sync_folder(folder)
        if self._count:
            self._count -= 1

    def stat(self, path: Path) -> os.stat_result | None:
        """Return the stat of the file, or None if it does not exist. Raises CommandError, also for the root."""
        try:
            with self._folder(path) as folder:
                return (folder / path.name).lstat()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise CommandError(f"{self.name_of(path)}: {error.strerror}; choose another file") from None

    def drop_leftovers(self, path: Path) -> None:
        """Remove what an interrupted `write` to this file left. Only a run that holds the workspace may call it."""
        with suppress(OSError, CommandError), self._folder(path) as folder:
            for entry in list(os.scandir(folder)):
                match = TEMPORARY.fullmatch(entry.name)
                if match and path.name.startswith(match[1]):  # session/atomic.py shortens long names
                    (folder / entry.name).unlink()

    def check_writable(self, path: Path) -> None:
        """Raise PathRefused for a file with settings of autocraft, which the next run there would obey."""
        name = next(filter(steers, path.relative_to(self.root).parts), "")
        if name:
            raise PathRefused(f"autocraft reads its settings from {name!r}, so no command changes it; name another")

    def check_asked(self, *paths: Path) -> None:
        """Raise PathRefused for a file that no command changes.

        Raise NotAsked for files that other programs obey, unless the person was asked about them.
        """
        for path in paths:
            self.check_writable(path)
        whys = {self.name_of(path): self._why_obeyed(path) for path in paths}
        obeyed = {name: why for name, why in whys.items() if why and name not in _asked.get()}
        if obeyed:
            raise NotAsked(obeyed)

    def obeyed(self, names: Iterable[str]) -> dict[str, str]:
        """Return the files among these that other programs obey: the name in the workspace -> why.

        A name counts as it is written and as it is resolved. Raises PathRefused.
        """
        whys = {}
        for name in names:
            path, written = self.resolve(name), PurePosixPath(name).parts
            why = "" if name.startswith("/") else why_obeyed(written)
            whys[self.name_of(path)] = why or self._why_obeyed(path)
        return {name: why for name, why in whys.items() if why}

    def _why_obeyed(self, path: Path) -> str:
        """Return why other programs obey the file at a resolved path. Return "" if none does.

        A folder above it may be a repository without the usual name, or hold a symlink by which they find the file.
        """
        parts = path.relative_to(self.root).parts
        why = why_obeyed(parts)
        for depth in range(len(parts)) if not why else ():
            folder = self.root.joinpath(*parts[:depth])
            why = why or self._why_by_link(folder, path)
            if (folder / "HEAD").exists() and any((folder / name).exists() for name in ("objects", "commondir")):
                why = why or why_obeyed(("HEAD",))
        return why

    def _why_by_link(self, folder: Path, path: Path) -> str:
        """Return why programs obey the file if a symlink in `folder` leads them to it. Return "" if none does."""
        try:
            with os.scandir(folder) as entries:
                links = [entry.name for entry in entries if entry.is_symlink()]
        except OSError:
            return ""
        for name in links:
            why = why_obeyed((*folder.relative_to(self.root).parts, name))
            with suppress(OSError, RuntimeError):
                if why and path.is_relative_to((folder / name).resolve()):
                    return why
        return ""

    def check_size(self, path: Path, size: int) -> None:
        """Raise CommandError if a file of `size` bytes is above the cap."""
        if size > self.caps.max_bytes:
            cap = f"{self.caps.max_bytes:,} bytes"
            raise CommandError(f"{self.name_of(path)} is or would be over the size cap of {cap}; use smaller files")

    # ------------------------------------------------------------ the tree

    def files(self, folder: Path | None = None) -> Iterator[Path]:
        """Yield every file and symlink under `folder` (default: all), in the order of their names.

        Symlinks are not followed. A folder that cannot be read is yielded itself. Raises CommandError if `folder`
        itself cannot be read.
        """
        top = folder or self.root
        waiting: list[tuple[Path, bool]] = [(top, True)]
        while waiting:
            path, is_folder = waiting.pop()
            try:
                inner_names = self._entries(path) if is_folder else None
            except OSError as error:
                if path == top:
                    name = "the workspace" if path == self.root else self.name_of(path)
                    raise CommandError(f"{name} cannot be read: {error.strerror}; choose another folder") from None
                inner_names = None
            if inner_names is None:
                yield path
                continue
            waiting += [(path / name, inner) for name, inner in inner_names if not TEMPORARY.fullmatch(name)]

    def names(self, folder: Path | None = None) -> tuple[str, ...]:
        """Return the name of every file under `folder` (default: all). Raises CommandError if it cannot be read."""
        return tuple(self.name_of(path) for path in self.files(folder))

    def _entries(self, folder: Path) -> list[tuple[str, bool]]:
        """Return (name, whether it is a folder) of each entry, the last name first. Raises OSError.

        Return [] if the folder is gone or became a symlink.
        """
        if folder == self.root and not folder.exists():
            return []
        try:
            with self._folder(folder / "x") as handle, os.scandir(handle) as entries:
                listing = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries]
        except (FileNotFoundError, PathRefused):
            return []
        except OSError as error:
            if error.errno in (errno.ELOOP, errno.EMLINK, errno.ENOTDIR):
                return []
            raise
        return sorted(listing, reverse=True)

    def digest(self, stopped: Callable[[], bool] = lambda: False) -> str:
        """Return one sha256 over the names and contents of all files, also hidden ones.

        Permissions, times and empty folders do not count. A symlink counts by its target, and is not followed. A file
        counts by its size alone if it is over `max_bytes`, or if the files before it, in the order of their names, have
        used up `max_digest_bytes`. Anything that cannot be read as a plain file with one name counts as special. Raises
        CommandError if the root cannot be read, and after `stopped` has returned True.
        """
        lines, room = [], self.caps.max_digest_bytes
        for path in self.files():
            if stopped():
                raise CommandError(f"the digest of the workspace {self.root} was stopped before it was done")
            entry, size = self._digest_of(path, min(room, self.caps.max_bytes))
            room -= size
            lines.append(os.fsencode(self.name_of(path)) + b"\0" + entry.encode() + b"\n")
        return sha256(b"".join(sorted(lines)))

    def _digest_of(self, path: Path, room: int) -> tuple[str, int]:
        """Return the digest of one file, and how many bytes were read for it, which is at most `room`."""
        try:
            with self._folder(path) as folder:
                file = folder / path.name
                if file.is_symlink():
                    return f"link {sha256(os.fsencode(file.readlink()))}", 0
                descriptor = self._open(file, path, os.O_RDONLY)
            with os.fdopen(descriptor, "rb", buffering=0) as handle:
                size = os.fstat(descriptor).st_size
                if size > room:
                    return f"large {size}", 0
                sha, remaining = hashlib.sha256(), size
                while remaining and (data := handle.read(min(remaining, 1 << 20))):
                    sha.update(data)
                    remaining -= len(data)
                return sha.hexdigest(), size - remaining
        except (OSError, CommandError):
            return "special", 0

    # ------------------------------------------------------------ inside

    @contextmanager
    def _folder(self, path: Path, *, make: bool = False) -> Iterator[Path]:
        """Yield a path to use in place of ``path.parent`` while the context is open.

        The folder is opened step by step from the root without following symlinks. So a folder that is replaced by a
        symlink after `resolve` is refused. Without ``/proc``, the path is checked once more instead.
        """
        if path == self.root:
            raise PathRefused(f"this is the workspace {self.root} itself; name a file in it, such as 'notes.txt'")
        if make:
            self.root.mkdir(parents=True, exist_ok=True)
        if not _DESCRIPTORS.is_dir():
            if path.parent.resolve() != path.parent:
                raise self._refusal(self.name_of(path), "was changed while it was used")
            if make:
                path.parent.mkdir(parents=True, exist_ok=True)
            yield path.parent
            return
        descriptor = os.open(self.root, _FOLDER_FLAGS)
        try:
            for part in path.relative_to(self.root).parts[:-1]:
                if make:
                    with suppress(FileExistsError):
                        os.mkdir(part, dir_fd=descriptor)
                inner = os.open(part, _FOLDER_FLAGS, dir_fd=descriptor)
                os.close(descriptor)
                descriptor = inner
            yield _DESCRIPTORS / str(descriptor)
        finally:
            os.close(descriptor)

    def _open(self, file: Path, path: Path, flags: int) -> int:
        """Open `file`, the same file as `path`. Raises PathRefused unless it is a plain file without hard links."""
        descriptor = os.open(file, flags | _FILE_FLAGS, 0o600)
        status = os.fstat(descriptor)
        if stat.S_ISREG(status.st_mode) and status.st_nlink == 1:
            return descriptor
        os.close(descriptor)
        if stat.S_ISDIR(status.st_mode):
            raise IsADirectoryError(errno.EISDIR, "is a folder")
        problem = "has another name elsewhere (hard link)" if status.st_nlink > 1 else "is not a plain file"
        raise self._refusal(self.name_of(path), problem)

    @contextmanager
    def _plain_errors(self, path: Path, failed: str = "was not changed") -> Iterator[None]:
        """Turn the system's errors into CommandError."""
        name = "the workspace" if path == self.root else self.name_of(path)
        try:
            yield
        except FileNotFoundError:
            raise NoFile(name) from None
        except IsADirectoryError:
            raise CommandError(f"{name} is a folder; name a file") from None
        except (FileSwapped, NotSynced) as error:
            raise CommandError(f"{name}: {error.strerror}; look at the file before you go on") from None
        except OSError as error:
            if error.errno in (errno.ELOOP, errno.EMLINK):
                raise self._refusal(name, "became a symlink while it was used") from None
            if error.errno in (errno.ENOSPC, errno.EDQUOT):
                raise CommandError(f"{name} was not changed: the disk is full; free some space and try again") from None
            raise CommandError(f"{name} {failed}: {error.strerror or error}; choose another file") from None

    def _make_room(self) -> None:
        """Count one more file. Raises CommandError at the cap."""
        if self._count is None or self._count >= self.caps.max_files:
            self._count = sum(1 for _ in self.files())
        if self._count >= self.caps.max_files:
            raise CommandError(f"the workspace holds {self._count:,} files, which is the cap; delete some first")
        self._count += 1
