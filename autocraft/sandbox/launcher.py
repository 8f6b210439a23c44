"""Starts one program in the sandbox and waits for its end. A separate process, with the standard library only.

The guard of `children.py` uses the same steps for a program of others that is to be confined (`confine_self`).

    autocraft ──stdin──► supervisor ──► (first process of the namespace ──►) the program

When the supervisor's stdin ends, autocraft has ended or wants the program to end. Then the supervisor kills the program
with all its processes. It reports in JSON lines to the descriptor `report`, which the program does not inherit.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
from pathlib import Path

from autocraft.sandbox import linux, prctl, seccomp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, NoReturn

    Json = dict[str, Any]
    Report = Callable[..., None]
_GRACE = 3.0  # seconds over the limit after which the supervisor acts alone
_NOT_STARTED = 126


def main(argument: str) -> NoReturn:
    """Run the supervisor. `argument` is the job of `start.py` as JSON."""
    from autocraft.sandbox import processes
    from autocraft.sandbox.supervise import supervise

    job: Json = json.loads(argument)

    def report(**fields: Any) -> None:
        os.write(job["report"], json.dumps(fields).encode() + b"\n")

    os.set_inheritable(job["report"], False)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        if "namespaces" in job["parts"]:
            linux.unshare(network=job["network"], user=job["uid"] is None)
        elif sys.platform == "linux":
            prctl.adopt_orphans()
    except OSError as error:
        report(failed=_fault(error))
        os._exit(1)
    first = os.fork()
    if first == 0:
        _be_first(job, report) if "namespaces" in job["parts"] else _be_program(job, report)
    status = supervise(first, 0, job["seconds"] + _GRACE)
    survivors = 0
    if "namespaces" not in job["parts"]:
        survivors = processes.kill_below(os.getpid(), job["uid"])
        report(status=status, left=survivors)
    os._exit(0)


def confine_self(argument: str) -> NoReturn:
    """Run a confined program with this process's streams and environment. `argument` is a job of `confinement.py`.

    This process waits for it. Its end, also by a signal, is the end of the program with all that it started.
    """
    job: Json = json.loads(argument)

    def report(**fields: Any) -> None:
        if "failed" in fields:
            os.write(2, f"{job['argv'][0]} cannot be confined: {fields['failed']}\n".encode("utf-8", "replace"))

    try:
        linux.limit(job["limits"], strict=True)  # now, as it imports a module, whose file is soon out of sight
        linux.unshare(network=job["network"], user=True)
        first = os.fork()
    except OSError as error:
        report(failed=_fault(error))
        os._exit(_NOT_STARTED)
    if first == 0:
        _be_first(job, report)
    _leave_streams()
    os._exit(_code(os.waitpid(first, 0)[1]))


def _be_first(job: Json, report: Report) -> NoReturn:
    """Run as the first process of the process namespace. At its end the kernel kills all others in it."""
    try:
        prctl.die_with_parent()
        folder = Path(job["folder"])
        mounts = [(folder / name, target, writable) for name, target, writable in job["places"]]
        linux.new_root(folder / "root", [Path(path) for path in job["system"]], mounts)
        program = os.fork()
    except OSError as error:
        report(failed=_fault(error))
        os._exit(_NOT_STARTED)
    if program == 0:
        _be_program(job, report)
    _leave_streams()
    while True:
        process, status = os.wait()
        if process == program:
            report(status=status, left=0)
            os._exit(_code(status))


def _be_program(job: Json, report: Report) -> NoReturn:
    """Confine this process and become the program."""
    try:
        os.setsid()
        if "environment" in job:
            _leave_streams(0)
        os.chdir(job["cwd"])
        prctl.heed_closed_pipes()
        _confine(job)
        os.execve(job["argv"][0], job["argv"], job.get("environment", os.environ))
    except Exception as error:  # noqa: BLE001 - any error is reported
        report(failed=_fault(error))
    os._exit(_NOT_STARTED)


def _leave_streams(*streams: int) -> None:
    """Let go of streams, by default of all three, so that their other ends see when the program closes its own."""
    null = os.open(os.devnull, os.O_RDWR)
    for stream in streams or (0, 1, 2):
        os.dup2(null, stream)
    os.close(null)


def _code(status: int) -> int:
    """Return the exit code that tells a wait status, as a shell does."""
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code


def _confine(job: Json) -> None:
    parts, uid = job["parts"], job["uid"]
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000")  # the first to end if memory is short
    os.nice(job["nice"])
    os.umask(0o077)
    linux.limit(job["limits"], strict=True)
    if sys.platform == "linux":
        prctl.give_up_privileges()
    if "landlock" in parts:
        readable, writable = (map(Path, job[which]) for which in ("readable", "writable"))
        linux.landlock(readable, writable, network=job["network"])
    if uid is not None:
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
    if "namespaces" not in parts and sys.platform == "linux":
        prctl.die_with_parent()  # after the change of user, which resets it
    if "seccomp" in parts:
        families = [seccomp.UNIX] if "namespaces" in parts else []
        if job["network"]:  # without UNIX, or it could reach the person's sockets that have no path
            families = [seccomp.INTERNET, seccomp.INTERNET6, seccomp.NETLINK]
        seccomp.apply(families, keep_modes=False)  # the person's files are out of its sight, or another user's


def _fault(error: Exception) -> str:
    if not isinstance(error, OSError) or not error.strerror:
        return str(error)
    return f"{error.strerror}: {error.filename}" if error.filename else error.strerror
