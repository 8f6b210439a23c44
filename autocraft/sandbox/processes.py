"""Finding and ending the processes of a program, as `/proc` shows them; where there is none, nothing is found."""

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
"""Bytes that are read of the list of what a process has in its memory."""
_ENDED = (b"Z", b"X")
_ROUNDS = 200  # of looking for newly started processes while stopping the known ones


@dataclass(frozen=True, slots=True)
class Process:
    """One line of `/proc/PID/stat`; `started` is in ticks since the boot, `pages` what is in memory.

    Where its first thread has ended and others live, `state`, `pages` and `folder` are those of a living thread.
    """

    pid: int
    parent: int
    state: str
    threads: int
    started: int
    pages: int
    folder: Path
    """Where `/proc` shows it: its own folder, or that of a living thread where the first thread has ended."""


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
    """The folder that shows a process, and the fields of its `stat` from the state on.

    A process whose first thread has ended looks like an ended one, and only the folders of its other threads show what
    it has. Raises OSError where it is gone.
    """
    fields = _stat(process)
    if fields[0] in _ENDED and int(fields[17]) > 1:
        for thread in (process / "task").iterdir():
            with contextlib.suppress(OSError, IndexError):
                found = _stat(thread)
                if found[0] not in _ENDED:
                    return thread, found
    return process, fields


def _stat(folder: Path) -> list[bytes]:
    return (folder / "stat").read_bytes().rpartition(b")")[2].split()


def below(root: int) -> list[Process]:
    """All living descendants of the process `root`."""
    children: dict[int, list[Process]] = {}
    for each in all_processes():
        children.setdefault(each.parent, []).append(each)
    found: list[Process] = []
    waiting = [root]
    while waiting:
        for each in children.pop(waiting.pop(), []):
            waiting.append(each.pid)
            if each.state not in "ZX":
                found.append(each)
    return found


def memory_of(found: list[Process], enough: int) -> int:
    """Bytes in memory. Pages that several share are told apart only when the plain sum is over `enough`."""
    plain = sum(each.pages for each in found) * os.sysconf("SC_PAGE_SIZE")
    if plain <= enough or len(found) < 2:
        return plain
    total = 0
    for each in found:
        try:
            text = (each.folder / "smaps_rollup").read_text()
            total += next(int(line.split()[1]) for line in text.splitlines() if line.startswith("Pss:")) * 1024
        except (OSError, StopIteration, ValueError):
            total += each.pages * os.sysconf("SC_PAGE_SIZE")
    return total


def nameless_files(found: list[Process]) -> tuple[int, bool]:
    """Bytes on disk of files that have no name any more but are still open in one of these, and whether that is all.

    It is not all where a process hides what it has open, maps a file that it has closed, maps more than is read of it,
    or has sent an open file on its way through a socket: how large those files are the system does not say.
    """
    sizes: dict[int, int] = {}
    mapped: set[int] = set()
    whole = True
    for each in found:
        try:
            whole &= _add_open_files(each.folder, sizes)
            whole &= _add_mapped(each.folder, mapped)
        except FileNotFoundError:
            continue  # it has ended
        except OSError:
            whole = False
    return sum(sizes.values()), whole and mapped <= sizes.keys()


def _add_open_files(process: Path, sizes: dict[int, int]) -> bool:
    """Add inode -> bytes of each open file without a name; returns whether no file is on its way through a socket."""
    whole = True
    for entry in (process / "fd").iterdir():
        with contextlib.suppress(FileNotFoundError):
            seen = entry.stat()
            if stat.S_ISREG(seen.st_mode) and seen.st_nlink == 0:
                sizes[seen.st_ino] = seen.st_blocks * 512
            elif stat.S_ISSOCK(seen.st_mode):
                lines = (process / "fdinfo" / entry.name).read_text().splitlines()
                whole &= not any(line.startswith("scm_fds:") and line.split()[1] != "0" for line in lines)
    return whole


def _add_mapped(process: Path, inodes: set[int]) -> bool:
    """Add the inodes of files without a name in the memory of a process; returns whether all of it was read.

    What it shares without a file is none.
    """
    with (process / "maps").open("rb") as file:
        text = file.read(_LONGEST_MAPS)
        whole = not file.read(1)
    for line in text.splitlines():
        if line.endswith(b" (deleted)"):
            fields = line.split(maxsplit=5)
            if fields[5] != b"/dev/zero (deleted)":
                inodes.add(int(fields[4]))
    return whole


def of_user(uid: int) -> list[int]:
    """The living processes whose real user is `uid`."""
    found = []
    for each in all_processes():
        with contextlib.suppress(OSError):
            if each.state not in "ZX" and (_PROC / str(each.pid)).stat().st_uid == uid:
                found.append(each.pid)
    return found


def kill_user(uid: int) -> None:
    """End every process of a user id that is ours alone. The kernel does it in one go, so none can slip away."""
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
    """End all descendants of `root`, this very process; returns how many there were."""
    seen = {each.pid for each in below(root)}
    if uid is not None:
        kill_user(uid)
    for _ in range(_ROUNDS):
        found = below(root)
        new = {each.pid for each in found} - seen
        for each in found:
            _signal(each.pid, signal.SIGSTOP)
        seen |= new
        if not new:
            break
    for each in below(root):
        _signal(each.pid, signal.SIGKILL)
    _reap(time.monotonic() + 2)
    return len(seen)


@contextlib.contextmanager
def standing_still(root: int) -> Iterator[list[Process]]:
    """Stop all descendants of `root` for this ``with`` block and yield them; what stood before goes on standing."""
    stopped: set[int] = set()
    try:
        for _ in range(_ROUNDS):
            found = below(root)
            moving = {each.pid for each in found if each.state not in "Tt"}
            if not moving:
                break
            stopped |= moving
            for pid in moving:
                _signal(pid, signal.SIGSTOP)
        yield found
    finally:
        for each in below(root):
            if each.pid in stopped:
                _signal(each.pid, signal.SIGCONT)


def kill_marked(marker: str) -> None:
    """End the processes whose environment holds `marker`, for what outlived its keeper."""
    for _ in range(_ROUNDS):
        found = [each for each in all_processes() if _is_marked(each, marker.encode())]
        for each in found:
            _signal(each.pid, signal.SIGKILL)
        if not found:
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
