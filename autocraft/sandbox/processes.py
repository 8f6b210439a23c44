"""Finding and ending the processes of a program, as `/proc` shows them; where there is none, nothing is found.

Neighbours: `launcher.py` ends with this what a program left behind, `watch.py` adds up what its processes take.
"""

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
_ROUNDS = 200  # of looking for newly started processes while stopping the known ones


@dataclass(frozen=True, slots=True)
class Process:
    """One line of `/proc/PID/stat`; `started` is in ticks since the boot, `pages` what is in memory."""

    pid: int
    parent: int
    state: str
    threads: int
    started: int
    pages: int


def all_processes() -> Iterator[Process]:
    try:
        names = [entry.name for entry in _PROC.iterdir()]
    except OSError:
        return
    for name in names:
        if name.isdigit():
            with contextlib.suppress(OSError, ValueError, IndexError):
                rest = (_PROC / name / "stat").read_bytes().rpartition(b")")[2].split()
                yield Process(int(name), int(rest[1]), rest[0].decode(), int(rest[17]), int(rest[19]), int(rest[21]))


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
            text = (_PROC / str(each.pid) / "smaps_rollup").read_text()
            total += next(int(line.split()[1]) for line in text.splitlines() if line.startswith("Pss:")) * 1024
        except (OSError, StopIteration, ValueError):
            total += each.pages * os.sysconf("SC_PAGE_SIZE")
    return total


def deleted_files(found: list[Process]) -> int:
    """Bytes on disk of files that have no name any more but are still open in one of these."""
    sizes: dict[tuple[int, int], int] = {}
    for each in found:
        folder = _PROC / str(each.pid) / "fd"
        with contextlib.suppress(OSError):
            for entry in folder.iterdir():
                with contextlib.suppress(OSError):
                    seen = entry.stat()
                    if stat.S_ISREG(seen.st_mode) and seen.st_nlink == 0:
                        sizes[seen.st_dev, seen.st_ino] = seen.st_blocks * 512
    return sum(sizes.values())


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
        return marker in (_PROC / str(process.pid) / "environ").read_bytes().split(b"\0")
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
