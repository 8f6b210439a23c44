"""Runs one program for autocraft, and ends it with all that it started. A separate process, standard library only.

    autocraft ──lifeline──► guard ──► the program ──► what the program starts

The lifeline is a pipe into which nobody writes. It ends when autocraft closes it or has ended, also by kill -9. Then
the guard kills the program with its descendants, also those that left its group or session (Linux). If the guard is
killed, the kernel ends the program (Linux). When the program has ended by itself, the guard kills what is left of it,
and ends as the program did. Standard input, output and error are the program's own.

    python -I -S -B guard.py LIFELINE KEPT JOB PROGRAM ARGUMENT …

KEPT is ``LC_CTYPE`` if the program was given this variable, which Python may set by itself. JOB is a job of
`confinement.py`, or empty for a program that is not confined.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # not `signal`, which takes long to import
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

_NOT_STARTED = 126


def main(arguments: list[str]) -> NoReturn:
    """Run the program, and exit as it did."""
    lifeline, kept, job, *command = arguments
    os.set_inheritable(int(lifeline), False)
    if kept != "LC_CTYPE":
        os.environ.pop("LC_CTYPE", None)
    sys.path.append(os.path.dirname(os.path.dirname(os.path.dirname(__file__))))  # noqa: PTH120 - pathlib takes long
    _signal.pthread_sigmask(_signal.SIG_BLOCK, {_signal.SIGTERM})  # one that comes now waits for its handler
    program = _fork(command, job)
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):  # the guard must not hold the program's pipes open
        os.dup2(null, descriptor)
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: os.kill(program, signal.SIGTERM))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
    from autocraft.sandbox.processes import kill_below
    from autocraft.sandbox.supervise import supervise

    status = supervise(program, int(lifeline))
    if sys.platform == "linux":
        kill_below(os.getpid(), None)
    else:
        _kill_group(program)
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        if number != signal.SIGKILL:
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    os._exit(os.waitstatus_to_exitcode(status))


def _fork(command: list[str], job: str) -> int:
    """Start the program. Return its process id, or that of the process which confines it."""
    from autocraft.sandbox import prctl

    if sys.platform == "linux":
        prctl.adopt_orphans()
    guard = os.getpid()
    program = os.fork()
    if program:
        return program
    try:
        os.setsid()
        _signal.pthread_sigmask(_signal.SIG_UNBLOCK, {_signal.SIGTERM})
        if sys.platform == "linux":
            prctl.die_with_parent()
            if os.getppid() != guard:
                os._exit(_NOT_STARTED)
        prctl.heed_closed_pipes()
        if job:
            from autocraft.sandbox.launcher import confine_self

            confine_self(job)
        os.execvp(command[0], command)
    except OSError as error:
        os.write(2, f"{command[0]} cannot be started: {error.strerror}\n".encode("utf-8", "replace"))
    os._exit(_NOT_STARTED)


def _kill_group(program: int) -> None:
    """End what is left in the program's own group. Without `/proc`, nothing else of it can be found."""
    try:
        os.killpg(program, 9)
    except OSError:
        return


if __name__ == "__main__":
    main(sys.argv[1:])
