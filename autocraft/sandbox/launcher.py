"""Starts one program in the sandbox and sees to its end; runs as a process of its own, with the standard library only.

    autocraft ──stdin──► keeper ──► (first process of the namespace ──►) the program

The keeper's stdin is its life line: when it ends, whoever held it has died or wants the program gone, and the keeper
kills the program with everything that it started. What became of it is written as JSON lines to the descriptor
`report`, which the program does not inherit.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import sys
import time
from pathlib import Path
from typing import Any, NoReturn

from autocraft.sandbox import linux, processes, seccomp

Json = dict[str, Any]
_GRACE = 3.0  # seconds over the limit after which the keeper acts alone


def main(argument: str) -> NoReturn:
    """The keeper. `argument` is the JSON that `child.py` made of what is to be run."""
    asked: Json = json.loads(argument)
    os.set_inheritable(asked["report"], False)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        if "namespaces" in asked["parts"]:
            linux.unshare(network=asked["network"], user=asked["uid"] is None)
        elif sys.platform == "linux":
            linux.adopt_orphans()
    except OSError as error:
        _say(asked, failed=str(error))
        os._exit(1)
    first = os.fork()
    if first == 0:
        _be_first(asked) if "namespaces" in asked["parts"] else _be_program(asked)
    status = _keep(first, asked)
    left = 0
    if "namespaces" not in asked["parts"]:
        left = processes.kill_below(os.getpid(), asked["uid"])
        _say(asked, status=status, left=left)
    os._exit(0)


def _keep(child: int, asked: Json) -> int:
    """Wait for the child's end, or bring it about; returns its wait status."""
    awake, waker = os.pipe()
    os.set_blocking(waker, False)
    signal.set_wakeup_fd(waker, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    deadline = time.monotonic() + asked["seconds"] + _GRACE
    while True:
        ended: dict[int, int] = {}
        with contextlib.suppress(ChildProcessError):
            while (found := os.waitpid(-1, os.WNOHANG))[0]:
                if _has_ended(*found):
                    ended[found[0]] = found[1]
        if child in ended:
            return ended[child]
        left = deadline - time.monotonic()
        ready, _, _ = select.select([0, awake], [], [], max(0.0, left))
        if awake in ready:
            os.read(awake, 4096)
        if left <= 0 or (0 in ready and not os.read(0, 1)):
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return int(signal.SIGKILL)


def _has_ended(process: int, status: int) -> bool:
    """Whether a wait status is that of an end, which a stop is not.

    Only the stop of a process that asked to be traced is told without being asked for. Nobody here traces it, so it
    would stand for ever: it is killed, and its end is told next.
    """
    if not os.WIFSTOPPED(status):
        return True
    os.kill(process, signal.SIGKILL)
    return False


def _be_first(asked: Json) -> NoReturn:
    """The first process of the process namespace: when it ends, the kernel kills all others in it."""
    try:
        linux.die_with_parent()
        folder = Path(asked["folder"])
        mounts = [(folder / name, mounted, writable) for name, mounted, writable in asked["places"]]
        linux.new_root(folder / "root", [Path(each) for each in asked["system"]], mounts)
        program = os.fork()
    except OSError as error:
        _say(asked, failed=str(error))
        os._exit(1)
    if program == 0:
        _be_program(asked)
    while True:
        ended, status = os.wait()
        if _has_ended(ended, status) and ended == program:
            _say(asked, status=status, left=0)
            os._exit(0)


def _be_program(asked: Json) -> NoReturn:
    """Put every limit on this process and become the program."""
    try:
        os.setsid()
        null = os.open("/dev/null", os.O_RDWR)
        os.dup2(null, 0)
        os.chdir(asked["cwd"])
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        _confine(asked)
        os.execve(asked["argv"][0], asked["argv"], asked["environment"])
    except Exception as error:  # noqa: BLE001 - the parent is told whatever it was
        _say(asked, failed=str(error))
    os._exit(127)


def _confine(asked: Json) -> None:
    parts, uid = asked["parts"], asked["uid"]
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000")  # the system is short of memory: this one goes first
    os.nice(10)
    os.umask(0o077)
    linux.limit(asked["limits"], strict=True)
    if sys.platform == "linux":
        linux.give_up_privileges()
    if "landlock" in parts:
        folder = Path(asked["folder"])
        readable, allowed = [Path(each) for each in asked["system"]], list(linux.DEVICES)
        for name, _, writable in asked["places"]:
            (allowed if writable else readable).append(folder / name)
        linux.landlock(readable, allowed, network=asked["network"])
    if uid is not None:
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
    if "namespaces" not in parts and sys.platform == "linux":
        linux.die_with_parent()  # after the change of user, which makes the system forget it
    if "seccomp" in parts:
        families = [seccomp.UNIX] if "namespaces" in parts else []  # else those of the person's are in reach
        if asked["network"]:
            families += [seccomp.INTERNET, seccomp.INTERNET6, seccomp.NETLINK]
        seccomp.apply(families, keep_modes=uid is None and "namespaces" not in parts)


def _say(asked: Json, **fields: Any) -> None:
    os.write(asked["report"], json.dumps(fields).encode() + b"\n")
