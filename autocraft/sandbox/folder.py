"""The private folder of one program: its copy of the workspace, what it changed there, and the removal of both.

    autocraft-run-…/   lock (held while in use)   work/ (the copy) and the other places   root/ (where they are mounted)

An untrusted program wrote the files in it. So the walk opens each folder, follows no symlink, and has a limited depth.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import secrets
import stat
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

from autocraft.errors import CommandError
from autocraft.sandbox import processes
from autocraft.sandbox.settings import CodeSettings
from autocraft.session.atomic import sha256, stamp_of

_PREFIX = "autocraft-run-"
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_DEEPEST = 64
_ABANDONED = 3600.0  # seconds after which a folder without a lock is abandoned


class Place(NamedTuple):
    """One folder: its name in the run folder, its path in the program's own root, and whether it is writable."""

    name: str
    mounted: str
    writable: bool

    def path(self, folder: Path, *, inside: bool) -> str:
        """Return its path for the program: in the program's own root if `inside`, otherwise in the run folder."""
        return f"/{self.mounted}" if inside else str(folder / self.name)


WORK = Place("work", "workspace", writable=True)
TMP = Place("tmp", "tmp", writable=True)
SHM = Place("shm", "dev/shm", writable=True)
PYTHON = Place("python", "python", writable=False)
PLACES = (WORK, TMP, SHM, PYTHON)
"""The folders of a run folder that a program gets: one list, used to create, mount, open and hand them over."""


@dataclass(frozen=True, slots=True)
class FileChange:
    """One file that a program created, changed or deleted. If `data` is None, `why` says why it was not read.

    `before` is the sha256 of the copied file, or '' for a new file.
    """

    name: str
    kind: Literal["new", "changed", "deleted"]
    size: int = 0
    data: bytes | None = None
    before: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True)
class DiskUsage:
    """The disk usage of a program: bytes in blocks, entries, and the depth of the deepest folder.

    It is not `complete` if a file vanished during the count, for example by a rename.
    """

    bytes: int
    entries: int
    depth: int
    complete: bool

    @property
    def too_deep(self) -> bool:
        return self.depth >= _DEEPEST


class CopiedFile(NamedTuple):
    size: int
    sha256: str


class CopiedFiles:
    """The files of the workspace that a program sees, within its limits: name -> size and hash."""

    def __init__(self, settings: CodeSettings) -> None:
        self.settings = settings
        self.files: dict[str, CopiedFile] = {}
        self._bytes = 0

    def add(self, name: str, data: bytes) -> None:
        """Add one file. Raises CommandError at a limit."""
        self._bytes += len(data)
        if self._bytes > self.settings.total_mb << 20:
            raise CommandError(
                f"the workspace is over code.total_mb = {self.settings.total_mb}; delete files or raise it"
            )
        if len(self.files) >= self.settings.files:
            raise CommandError(f"the workspace has over code.files = {self.settings.files:,}; delete some or raise it")
        self.files[name] = CopiedFile(len(data), sha256(data))

    @property
    def fingerprint(self) -> str:
        """Return one hash over the names and the bytes of all files."""
        return sha256("".join(f"{name}\0{file.sha256}\n" for name, file in sorted(self.files.items())))


class SandboxFolder:
    """The private folder of one program. The end of a ``with`` block removes it.

    Raises CommandError if it cannot be created.
    """

    def __init__(self, settings: CodeSettings) -> None:
        self.settings = settings
        self.copied = CopiedFiles(settings)
        self._free = 0
        self._originals: dict[str, tuple[str, tuple[int, ...]]] = {}
        try:
            self.path = Path(tempfile.mkdtemp(prefix=_PREFIX)).resolve()
            self._lock = os.open(self.path / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            for name in (*(place.name for place in PLACES), "root"):
                (self.path / name).mkdir(mode=0o700)
        except OSError as error:
            raise _no_room(error) from None
        self.work = self.path / WORK.name

    def __enter__(self) -> SandboxFolder:
        return self

    def __exit__(self, *exception: object) -> None:
        self.remove()

    def put(self, name: str, data: bytes) -> None:
        """Add one file to the copy. `name` is relative and checked. Raises CommandError at a limit."""
        self.copied.add(name, data)
        path = self.work / name
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600), "wb") as file:
                file.write(data)
        except OSError as error:
            raise _no_room(error) from None

    def hand_over(self, uid: int | None, *, open_to_it: bool) -> None:
        """Give the copy to the user id of the program, and record the state of every file.

        With `open_to_it`, that user may pass through this folder, which is needed without mounts.
        """
        try:
            if uid is not None:
                for place in PLACES:
                    if place.writable:
                        _give(self.path / place.name, uid)
                    else:
                        (self.path / place.name).chmod(0o755)
                if open_to_it:
                    self.path.chmod(0o711)
            for name, status, _ in _walk(self.work):
                if status and stat.S_ISREG(status.st_mode) and name in self.copied.files:
                    self._originals[name] = (self.copied.files[name].sha256, stamp_of(status))
            self._free = _free(self.path)
        except OSError as error:
            raise _no_room(error) from None

    def usage(self) -> DiskUsage:
        """Return the usage of the whole run folder, with the few files of autocraft. The count stops at a limit."""
        size = entries = depth = 0
        complete = True
        for name, status, _ in _walk(self.path, -1):
            entries += 1
            size += status.st_blocks * 512 if status else 0
            complete &= status is not None
            depth = max(depth, name.count("/") - 1)
            if entries > self.settings.files or depth >= _DEEPEST:
                break
        return DiskUsage(size, entries, depth, complete)

    def lost_bytes(self) -> int:
        """Return how many free bytes the disk has lost by any program since it had most, from `hand_over` on."""
        self._free = max(self._free, free := _free(self.path))  # else what others free would hide a loss
        return self._free - free

    def changes(self, largest: int) -> Iterator[FileChange]:
        """Yield the changes of the copy after the program's end. A file over `largest` bytes is not read."""
        missing = set(self._originals)
        remaining = self.settings.total_mb << 20
        for name, status, folder in _walk(self.work):
            if status is None or stat.S_ISDIR(status.st_mode):
                continue
            before, stamp = self._originals.get(name, ("", ()))
            missing.discard(name)
            if before and stamp == stamp_of(status):
                continue
            kind: Literal["new", "changed"] = "changed" if before else "new"
            data, why = _contents(name, folder, status, min(largest, remaining))
            if data is not None and sha256(data) == before:
                continue
            remaining -= len(data or b"")
            yield FileChange(name, kind, status.st_size, data, before, why)
        for name in sorted(missing):
            yield FileChange(name, "deleted", before=self._originals[name][0])

    def remove(self) -> None:
        """Remove everything, also deep and closed folders. The next `sweep` removes what could not be removed."""
        with contextlib.suppress(OSError):
            remove_tree(self.path, last="lock")
        with contextlib.suppress(OSError):
            os.close(self._lock)


def sweep() -> int:
    """Remove the folders of killed runs, and end their processes. Return the number of folders. Those in use stay."""
    total = 0
    with contextlib.suppress(OSError), os.scandir(tempfile.gettempdir()) as entries:
        for entry in entries:
            if entry.name.startswith(_PREFIX):
                with contextlib.suppress(OSError):
                    total += _sweep(Path(entry.path).parent.resolve() / entry.name)
    return total


def _sweep(path: Path) -> bool:
    status = path.lstat()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid():
        return False
    try:
        lock = os.open(path / "lock", os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        if time.time() - status.st_mtime < _ABANDONED:
            return False  # another program may be creating it
        remove_tree(path, last="lock")
        return True
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        processes.kill_marked(f"HOME={path / WORK.name}")
        remove_tree(path, last="lock")
    except BlockingIOError:
        return False
    finally:
        os.close(lock)
    return True


def remove_tree(path: Path, *, last: str = "") -> None:
    """Remove a folder of any depth, without recursion: each inner folder is first moved to the top.

    `last` names the file that is removed after all others.
    """
    mark, count = secrets.token_hex(6), 0
    top = _open_folder(path.name, os.open(path.parent, _FOLDER), close=True)
    try:
        while names := [name for name in _names(top) if name != last]:
            for name in names:
                if _is_file(name, top):
                    os.unlink(name, dir_fd=top)
                    continue
                inner = _open_folder(name, top)
                try:
                    for child in _names(inner):
                        if _is_file(child, inner):
                            os.unlink(child, dir_fd=inner)
                            continue
                        os.close(_open_folder(child, inner))  # a closed folder could not be moved
                        count += 1
                        os.rename(child, f"{mark}{count}", src_dir_fd=inner, dst_dir_fd=top)
                finally:
                    os.close(inner)
                os.rmdir(name, dir_fd=top)
        if last:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(last, dir_fd=top)
    finally:
        os.close(top)
    path.rmdir()


def _names(folder: int) -> list[str]:
    with os.scandir(folder) as entries:
        return [entry.name for entry in entries]


def _is_file(name: str, folder: int) -> bool:
    return not stat.S_ISDIR(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)


def _open_folder(name: str, parent: int, *, close: bool = False) -> int:
    """Open a folder without following a symlink. Change its mode first if that denies access."""
    try:
        try:
            descriptor = os.open(name, _FOLDER, dir_fd=parent)
        except PermissionError:
            _open_up(name, parent)
            return os.open(name, _FOLDER, dir_fd=parent)
        if stat.S_IMODE(os.fstat(descriptor).st_mode) & 0o700 != 0o700:
            os.fchmod(descriptor, 0o700)
        return descriptor
    finally:
        if close:
            os.close(parent)


def _open_up(name: str, parent: int) -> None:
    if sys.platform != "linux":
        raise PermissionError(errno.EACCES, "is closed")
    descriptor = os.open(name, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=parent)
    try:
        Path("/proc/self/fd", str(descriptor)).chmod(0o700)
    finally:
        os.close(descriptor)


def _walk(top: Path, depth: int = 0) -> Iterator[tuple[str, os.stat_result | None, int]]:
    """Yield (relative path, stat, open folder) of every entry below `top`, which is at `depth`.

    The stat is None if the entry has vanished. Folders at the greatest depth are not entered.
    """
    yield from _walk_folder(_open_folder(top.name, os.open(top.parent, _FOLDER), close=True), "", depth)


def _walk_folder(folder: int, start: str, depth: int) -> Iterator[tuple[str, os.stat_result | None, int]]:
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                status = inner = None
                with contextlib.suppress(OSError):
                    status = entry.stat(follow_symlinks=False)
                    if stat.S_ISDIR(status.st_mode) and depth < _DEEPEST:
                        inner = _open_folder(entry.name, folder)
                yield start + entry.name, status, folder
                if inner is not None:
                    yield from _walk_folder(inner, f"{start}{entry.name}/", depth + 1)
    finally:
        os.close(folder)


def _contents(name: str, folder: int, status: os.stat_result, largest: int) -> tuple[bytes | None, str]:
    """Return the bytes of a file that a program wrote, and ''. If they are not read, return None and the reason."""
    if not stat.S_ISREG(status.st_mode):
        return None, "is a symlink" if stat.S_ISLNK(status.st_mode) else "is not a plain file"
    if status.st_nlink > 1:
        return None, "has a second name (hard link)"
    if status.st_mode & (stat.S_ISUID | stat.S_ISGID):
        return None, "has the set-user-id bit"
    if status.st_size > largest:
        return None, f"is over {largest:,} bytes"
    try:
        name.encode()
        with os.fdopen(os.open(name.rpartition("/")[2], _FILE, dir_fd=folder), "rb") as file:
            return file.read(largest), ""
    except UnicodeEncodeError:
        return None, "has a name that is not text"
    except OSError as error:
        return None, f"cannot be read ({error.strerror})"


def _give(top: Path, uid: int) -> None:
    os.chown(top, uid, uid)
    for name, _, folder in _walk(top):
        os.chown(name.rpartition("/")[2], uid, uid, dir_fd=folder, follow_symlinks=False)


def _free(path: Path) -> int:
    """Return the number of free bytes on the disk of this folder."""
    disk = os.statvfs(path)
    return disk.f_bfree * disk.f_frsize


def _no_room(error: OSError) -> CommandError:
    where = tempfile.gettempdir()
    return CommandError(f"no copy of the workspace can be made in {where}: {error.strerror}; free some space")
