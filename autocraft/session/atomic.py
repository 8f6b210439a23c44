"""Files that survive kill -9: atomic writes, locks of sessions and workspaces, and stamps that show changes."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import secrets
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from autocraft.errors import InUse, LeftInUse, NoLock, UsageError


class FileSwapped(OSError):
    """Another process replaced a file that was just written."""


class NotSynced(OSError):
    """A change was made, but the disk did not confirm that it survives a power cut."""


def write_atomic(path: Path, data: bytes, *, mode: int | None = None, sync: bool = True) -> None:
    """Write `data` to `path` as a whole or not at all. Without `mode` an existing file keeps its permission bits.

    The folder stays open, and the permissions are set on the open file. So a process that swaps names in the folder
    meanwhile changes no file elsewhere. Raises FileSwapped if `path` is another file afterwards, NotSynced if it was
    written and the disk does not confirm it, and any other OSError if `path` is as before.
    """
    with _open_folder(path.parent) as folder:
        name = path.name if folder is not None else str(path)
        temporary = f".{path.name[:50]}.{secrets.token_hex(6)}.tmp"
        if folder is None:
            temporary = str(path.with_name(temporary))
        mode = _mode_of(name, folder) if mode is None else mode
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600, dir_fd=folder)
        try:
            with os.fdopen(descriptor, "wb") as file:
                if folder is not None:
                    os.fchmod(file.fileno(), mode)
                file.write(data)
                file.flush()
                if sync:
                    os.fsync(file.fileno())
                if folder is None:
                    file.close()  # Windows cannot rename an open file
                os.replace(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
                if folder is not None and not _is_at(name, folder, file.fileno()):
                    raise FileSwapped(errno.ESTALE, "another process replaced it while it was written")
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temporary, dir_fd=folder)
            raise
        if sync and folder is not None:
            sync_changed(folder)


def append_whole(descriptor: int, data: bytes) -> None:
    """Append `data` in one write. Raises OSError if the disk refuses it or a part of it; the file is then as before."""
    size = os.fstat(descriptor).st_size
    try:
        if os.write(descriptor, data) != len(data):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    except OSError:  # no later line may follow half a line, and a retry must not write the first part twice
        os.ftruncate(descriptor, size)
        raise


def write_named(path: Path, data: bytes, *, mode: int | None = None) -> None:
    """Write a file that the person named, as `write_atomic` does. Raises UsageError if it cannot be written."""
    try:
        write_atomic(path, data, mode=mode)
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}; {next_step(error, 'give another path')}") from None


@contextlib.contextmanager
def _open_folder(folder: Path) -> Iterator[int | None]:
    """Yield a descriptor of the folder, which stays valid whatever happens to its path. Yield None on Windows."""
    if os.name == "nt":
        yield None
        return
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _mode_of(name: str, folder: int | None) -> int:
    """Return the permission bits of the plain file of this name; without one, those for the owner alone."""
    try:
        status = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return 0o600
    return status.st_mode & 0o777 if stat.S_ISREG(status.st_mode) else 0o600


def _is_at(name: str, folder: int, descriptor: int) -> bool:
    """Tell whether the name belongs to this open file."""
    try:
        there, here = os.stat(name, dir_fd=folder, follow_symlinks=False), os.fstat(descriptor)
    except FileNotFoundError:
        return False
    return os.path.samestat(there, here)


def sync_changed(descriptor: int) -> None:
    """Make a change of an open file or folder survive a power cut. Raises NotSynced."""
    try:
        os.fsync(descriptor)
    except OSError as error:
        why = f"it was changed, but the disk did not confirm that ({os.strerror(error.errno or errno.EIO)})"
        raise NotSynced(error.errno, why) from None


def sync_folder(folder: Path) -> None:
    """Make a new or renamed name in `folder` survive a power cut, if the system allows it. Raises NotSynced."""
    with _open_folder(folder) as descriptor:
        if descriptor is not None:
            sync_changed(descriptor)


def sync_all(folder: Path) -> None:
    """Make everything written on the disk of `folder` survive a power cut, by one call."""
    if os.name == "nt":
        return
    import ctypes

    syncfs = getattr(ctypes.CDLL(None), "syncfs", None)  # Linux has it
    with _open_folder(folder) as descriptor:
        if syncfs is None or syncfs(descriptor) != 0:
            os.sync()


def next_step(error: OSError, otherwise: str) -> str:
    """Return what to do about a failed write: free some space where the disk is full, `otherwise` where it is not."""
    return "free some space" if error.errno in (errno.ENOSPC, errno.EDQUOT) else otherwise


def lock_file(path: Path, what: str, instead: str = "") -> IO[str]:
    """Hold `path` until the returned file is closed or the process dies.

    Raises InUse, which names the holder's pid and what one may do `instead` of stopping it. It is a LeftInUse if a
    child of a run that was killed still has the lock, and a NoLock if there can be no lock.
    """
    try:
        file = path.open("a+", encoding="utf-8")
    except OSError as error:
        raise NoLock(f"cannot open {path}: {error.strerror}; {next_step(error, 'check its permissions')}") from None
    try:
        _lock(file)
    except OSError:
        file.seek(0)
        holder = file.read().strip()
        file.close()
        if _is_running(holder):
            user = f"another run (pid {holder or 'unknown'}); stop it first"
            raise InUse(f"{what} is in use by {user}{instead}") from None
        user = f"a process of a run that has ended (pid {holder}); wait a few seconds and try again"
        raise LeftInUse(f"{what} is still in use by {user}, stop what `lsof {path}` shows{instead}") from None
    if os.name != "nt" and stat.S_ISREG(os.fstat(file.fileno()).st_mode):  # a link may lead to a shared device
        os.fchmod(file.fileno(), 0o600)
    with contextlib.suppress(OSError):  # a full disk must not prevent the deletion of a session
        file.truncate(0)
        os.write(file.fileno(), str(os.getpid()).encode())
    return file


def _is_running(pid: str) -> bool:
    """Tell whether the process of a lock may still run. On Windows, where no child inherits a lock, it does."""
    if os.name == "nt":
        return True
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return False
    except (OSError, ValueError, OverflowError):  # a process of another user, or a lock without a number
        return True
    return True


@contextlib.contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Hold a folder while a record in it is read, changed and written. Wait for others. On Windows nobody waits."""
    with _open_folder(folder) as descriptor:
        if descriptor is not None and sys.platform != "win32":
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield


if sys.platform == "win32":
    import msvcrt

    def _lock(file: IO[str]) -> None:
        file.seek(1 << 30)  # a byte without a meaning: locking the first would hide the pid from others
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _lock(file: IO[str]) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def sha256(data: bytes | str) -> str:
    """Return the hash of bytes, or of a text as UTF-8, in hexadecimal digits."""
    return hashlib.sha256(data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data).hexdigest()


def stamp_of(status: os.stat_result) -> tuple[int, ...]:
    """Return a value that changes whenever the file does. Its last part is a time that only the kernel sets."""
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns
