"""Runs a program of autocraft, and lets one of its system calls that change files fail.

``python -m tests.crash.faults KIND NTH FOLDER REPORT MODULE ARGUMENTS…``. KIND is one of `KINDS`. It is given to the
NTH call in FOLDER that can have it; 0 is none. REPORT gets a line of JSON for each call that can have it.
"""

from __future__ import annotations

import errno
import json
import os
import runpy
import select
import shutil
import signal
import socket
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from tests.crash import syscalls
from tests.crash.syscalls import Call

KINDS = {
    "full": {"write", "create", "cut"},
    "no space": {"write", "create", "cut", "rename"},
    "I/O error": {"write", "create", "cut", "rename", "sync"},
    "short": {"write"},
    "lost": {"rename"},
}
"""What can have each kind of fault.

``full``: the disk is full from here on. ``no space`` and ``I/O error``: this one call fails. A sync that fails loses
what was written since the last one, as Linux may do; SQLite's own files stay. ``short``: only half of it is written.
``lost``: the rename succeeds, but the power is cut just before its folder is synced, or at the end of the program if it
never is; `undo_lost` then takes it back.
"""


class Supervisor:
    """Answers the calls of a program, and writes the report."""

    def __init__(self, listener: int, program: int, kind: str, nth: int, folder: str, report: Path) -> None:
        self.listener = listener
        self.processes = {program}
        """The processes that have changed files. A power cut ends them."""
        self.kind = kind
        self.nth = nth
        self.folder = folder + "/"
        self.report = report
        self.count = 0
        self.synced: dict[str, int] = {}
        """The size of each file at its last sync."""
        self.lost = ""
        """The folder of the rename that is lost, until the power is cut."""

    def serve(self) -> None:
        """Answer until all processes of the program have ended."""
        waiting = select.poll()
        waiting.register(self.listener, select.POLLIN)
        while True:
            [(_, what)] = waiting.poll()
            if not what & select.POLLIN:
                return
            call = syscalls.receive(self.listener)
            if call is None:
                continue
            try:
                self.answer(call)
            except ProcessLookupError:
                continue
            except FileNotFoundError:  # its process was killed meanwhile
                syscalls.let_pass(self.listener, call)

    def answer(self, call: Call) -> None:
        inside = (call.path + "/").startswith(self.folder)
        if inside and self.lost:
            self.processes.add(call.process)
        if self.lost and call.does == "sync" and (call.path == self.lost or call.name == "syncfs"):
            self.cut_power()
        if call.does == "sync" and inside and Path(call.path).is_file() and not self.is_next(call):
            self.synced[call.path] = Path(call.path).stat().st_size
        if not (inside and self.can_have(call)):
            return syscalls.let_pass(self.listener, call)
        self.count += 1
        hit = self.count == self.nth or (self.kind == "full" and 0 < self.nth < self.count)
        self.tell(n=self.count, call=call.name, does=call.does, path=call.path.removeprefix(self.folder), hit=hit)
        if not hit:
            return syscalls.let_pass(self.listener, call)
        if self.kind == "short":
            return syscalls.write_half(self.listener, call)
        if self.kind == "lost":
            return self.lose(call)
        if call.does == "sync" and Path(call.path).is_file() and "sqlite3" not in call.path:
            os.truncate(call.path, self.synced.get(call.path, 0))
        return syscalls.refuse(self.listener, call, errno.EIO if self.kind == "I/O error" else errno.ENOSPC)

    def is_next(self, call: Call) -> bool:
        """Tell whether this call has the fault."""
        return self.can_have(call) and self.count + 1 == self.nth

    def can_have(self, call: Call) -> bool:
        """Tell whether this call can have this kind of fault."""
        if call.does not in KINDS[self.kind]:
            return False
        if call.does == "create":
            return not os.path.lexists(call.path)
        if self.kind == "short":
            return syscalls.size_of(call) > 1
        if call.does == "cut" and self.kind != "I/O error":  # a file that grows
            return call.arguments[1] > Path(call.path).stat().st_size
        return True

    def lose(self, call: Call) -> None:
        """Let a rename happen, and remember how it was before."""
        kept = ""
        if Path(call.path).is_file():
            kept = f"{self.report}.kept"
            shutil.copy2(call.path, kept)
        self.tell(lost=call.path, old=call.old, kept=kept)
        self.lost = str(Path(call.path).parent)
        self.processes.add(call.process)
        syscalls.let_pass(self.listener, call)

    def cut_power(self) -> None:
        self.lost = ""
        self.tell(cut=True)
        for process in self.processes:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)

    def tell(self, **line: Any) -> None:
        with self.report.open("a") as file:
            file.write(json.dumps(line) + "\n")


def undo_lost(report: Path) -> None:
    """Put the old file back, as it is on the disk after the power was cut."""
    for line in map(json.loads, report.read_text().splitlines()):
        if "lost" in line:
            new = Path(line["lost"])
            if new.exists():
                new.rename(line["old"])
            if line["kept"]:
                shutil.copy2(line["kept"], new)


def under_supervision(kind: str, nth: int, folder: str, report: Path) -> None:
    """Fork the supervisor, and put the filter on this process."""
    ours, theirs = socket.socketpair()
    program = os.getpid()
    if os.fork() == 0:
        try:
            os.setsid()
            ours.close()
            _, [listener], _, _ = socket.recv_fds(theirs, 1, 1)
            for number in range(3):  # whoever reads the program's output waits for its end
                os.dup2(os.open(os.devnull, os.O_RDWR), number)
            Supervisor(listener, program, kind, nth, folder, report).serve()
        except BaseException as error:  # noqa: BLE001 - it must not go on as the program
            with report.open("a") as file:
                file.write(json.dumps({"fault": repr(error)}) + "\n")
        finally:
            os._exit(0)
    theirs.close()
    listener = syscalls.hand_over()
    socket.send_fds(ours, [b"x"], [listener])
    ours.close()
    os.close(listener)


if __name__ == "__main__":
    kind, nth, folder, report, module, *arguments = sys.argv[1:]
    under_supervision(kind, int(nth), os.path.realpath(folder), Path(report))
    sys.argv[:] = [module, *arguments]
    runpy.run_module(module, run_name="__main__", alter_sys=True)
