"""Finds and ends the processes of a program, by `/proc`. Without `/proc` it finds none."""

from __future__ import annotations

import contextlib
import os
import signal
import stat
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_PROC = Path("/proc")
_LONGEST_MAPS = 1 << 18
"""Most bytes to read from the list of a process's memory mappings."""
_ENDED = (b"Z", b"X")
_ROUNDS = 200
"""Most searches for new processes while the known ones are being stopped."""


@dataclass(frozen=True, slots=True)
class Process:
    """One line of `/proc/PID/stat`. `started` is in ticks since the boot, `pages` is its resident memory.

    If its first thread has ended and others live, `state`, `pages` and `folder` are those of a living thread.
    """

    pid: int
    parent: int
    state: str
    threads: int
    started: int
    pages: int
    folder: Path
    """The folder in `/proc`: its own, or that of a living thread if the first thread has ended."""


def all_processes() -> Iterator[Process]:
    try:
        names = [entry.name for entry in _PROC.iterdir()]
    except OSError:
        return
    for name in names:
        if name.isdigit():
            with contextlib.suppress(OSError, ValueError, IndexError):
                folder, rest = _living(_PROC / name)
                state, threads = rest[0].decode(), int(rest[17])
                yield Process(int(name), int(rest[1]), state, threads, int(rest[19]), int(rest[21]), folder)


def _living(process: Path) -> tuple[Path, list[bytes]]:
    """Return the folder of a process in `/proc`, and the fields of its `stat` from the state on.

    If its first thread has ended, the process looks ended, so this is the folder of a living thread. Raises OSError if
    the process is gone.
    """
    fields = _stat(process)
    if fields[0] in _ENDED and int(fields[17]) > 1:
        for thread in (process / "task").iterdir():
            with contextlib.suppress(OSError, IndexError):
                thread_fields = _stat(thread)
                if thread_fields[0] not in _ENDED:
                    return thread, thread_fields
    return process, fields


def _stat(folder: Path) -> list[bytes]:
    return (folder / "stat").read_bytes().rpartition(b")")[2].split()


def below(root: int) -> list[Process]:
    """Return all living descendants of the process `root`."""
    children: dict[int, list[Process]] = {}
    for process in all_processes():
        children.setdefault(process.parent, []).append(process)
    descendants: list[Process] = []
    waiting = [root]
    while waiting:
        for process in children.pop(waiting.pop(), []):
            waiting.append(process.pid)
            if process.state not in "ZX":
                descendants.append(process)
    return descendants


def memory_of(group: list[Process], enough: int) -> int:
    """Return the bytes in memory. If the plain sum is over `enough`, count shared pages once, which is slow."""
    plain = sum(process.pages for process in group) * os.sysconf("SC_PAGE_SIZE")
    if plain <= enough or len(group) < 2:
        return plain
    total = 0
    for process in group:
        try:
            text = (process.folder / "smaps_rollup").read_text()
            total += next(int(line.split()[1]) for line in text.splitlines() if line.startswith("Pss:")) * 1024
        except (OSError, StopIteration, ValueError):
            total += process.pages * os.sysconf("SC_PAGE_SIZE")
    return total


def nameless_files(group: list[Process]) -> tuple[int, bool]:
    """Return the bytes on disk of deleted files that these processes have open, and whether all were counted.

    Some cannot be counted: those of a process that hides its open files, mapped files that were closed, mappings beyond
    the limit of the list, and open files on their way through a socket.
    """
    sizes: dict[int, int] = {}
    inodes: set[int] = set()
    complete = True
    for process in group:
        try:
            complete &= _add_open_files(process.folder, sizes)
            complete &= _add_mapped(process.folder, inodes)
        except FileNotFoundError:
            continue  # it has ended
        except OSError:
            complete = False
    return sum(sizes.values()), complete and inodes <= sizes.keys()


def _add_open_files(process: Path, sizes: dict[int, int]) -> bool:
    """Add inode -> bytes of each open deleted file. Return False if a file is on its way through a socket."""
    complete = True
    for entry in (process / "fd").iterdir():
        with contextlib.suppress(FileNotFoundError):
            status = entry.stat()
            if stat.S_ISREG(status.st_mode) and status.st_nlink == 0:
                sizes[status.st_ino] = status.st_blocks * 512
            elif stat.S_ISSOCK(status.st_mode):
                lines = (process / "fdinfo" / entry.name).read_text().splitlines()
                complete &= not any(line.startswith("scm_fds:") and line.split()[1] != "0" for line in lines)
    return complete


def _add_mapped(process: Path, inodes: set[int]) -> bool:
    """Add the inodes of mapped deleted files. Return whether the whole list was read.

    Shared memory without a file does not count.
    """
    with (process / "maps").open("rb") as file:
        text = file.read(_LONGEST_MAPS)
        complete = not file.read(1)
    for line in text.splitlines():
        if line.endswith(b" (deleted)"):
            fields = line.split(maxsplit=5)
            if fields[5] != b"/dev/zero (deleted)":
                inodes.add(int(fields[4]))
    return complete


def of_user(uid: int) -> list[int]:
    """Return the living processes whose real user is `uid`."""
    pids = []
    for process in all_processes():
        with contextlib.suppress(OSError):
            if process.state not in "ZX" and (_PROC / str(process.pid)).stat().st_uid == uid:
                pids.append(process.pid)
    return pids


def kill_user(uid: int) -> None:
    """End every process of a user id that only this program uses, in one system call, so that none escapes."""
    child = os.fork()
    if child == 0:
        with contextlib.suppress(BaseException):
            os.setgroups([])
            os.setresgid(uid, uid, uid)
            os.setresuid(uid, uid, uid)
            os.kill(-1, signal.SIGKILL)
        os._exit(0)
    os.waitpid(child, 0)


def kill_below(root: int, uid: int | None) -> int:
    """End all descendants of `root`, which is this process. Return their number."""
    pids = {process.pid for process in below(root)}
    if uid is not None:
        kill_user(uid)
    for _ in range(_ROUNDS):
        group = below(root)
        new = {process.pid for process in group} - pids
        for process in group:
            _signal(process.pid, signal.SIGSTOP)
        pids |= new
        if not new:
            break
    for process in below(root):
        _signal(process.pid, signal.SIGKILL)
    _reap(time.monotonic() + 2)
    return len(pids)


@contextlib.contextmanager
def stopped(root: int) -> Iterator[list[Process]]:
    """Stop all descendants of `root` while the context is open, and yield them. Those stopped before stay stopped."""
    pids: set[int] = set()
    try:
        for _ in range(_ROUNDS):
            group = below(root)
            running = {process.pid for process in group if process.state not in "Tt"}
            if not running:
                break
            pids |= running
            for pid in running:
                _signal(pid, signal.SIGSTOP)
        yield group
    finally:
        for process in below(root):
            if process.pid in pids:
                _signal(process.pid, signal.SIGCONT)


def kill_marked(marker: str) -> None:
    """End the processes whose environment contains `marker`. They have outlived their supervisor."""
    for _ in range(_ROUNDS):
        group = [process for process in all_processes() if _is_marked(process, marker.encode())]
        for process in group:
            _signal(process.pid, signal.SIGKILL)
        if not group:
            return


def _is_marked(process: Process, marker: bytes) -> bool:
    if process.state in "ZX" or process.pid == os.getpid():
        return False
    try:
        return marker in (process.folder / "environ").read_bytes().split(b"\0")
    except OSError:
        return False


def _signal(pid: int, number: int) -> None:
    with contextlib.suppress(OSError):
        os.kill(pid, number)


def _reap(deadline: float) -> None:
    with contextlib.suppress(ChildProcessError):
        while time.monotonic() < deadline:
            if os.waitpid(-1, os.WNOHANG)[0] == 0:
                time.sleep(0.005)
