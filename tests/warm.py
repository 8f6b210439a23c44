"""Starts programs within milliseconds, as forks of a process that has already imported autocraft.

A forked program is a separate process with its own exit code, folder, environment, files, terminal and signals. It
ends as an interpreter ends. It only leaves out the import of modules, and their removal at the end.
`can_fork` says whether a program can be forked. It cannot if its environment changes how an interpreter starts.
"""

from __future__ import annotations

import atexit
import fcntl
import gc
import importlib
import json
import os
import pkgutil
import pty
import runpy
import select
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any, TextIO

from pexpect.fdpexpect import fdspawn

from tests import measured

ROOT = Path(__file__).resolve().parents[1]
AT_START = {
    name: os.environ[name] for name in ("LANG", "LC_ALL", "PATH", "COVERAGE_PROCESS_CONFIG") if name in os.environ
} | {
    "PYTHONUTF8": "1",
    "PYTHONPATH": str(ROOT),
}
"""The environment of the warm process."""
IMPORTED_LATE = (
    "anyio._backends._asyncio", "httpcore2", "httpx2", "importlib.resources.readers", "jinja2", "numpy",
    "openai.resources.chat.completions", "openai.resources.models",
    "platformdirs", "prompt_toolkit", "pydantic", "rich.console", "rich.live", "tree_sitter_javascript",
    "typer._adapters", "typer._click.decorators",
)  # fmt: skip
"""What a run imports only once it needs it; a missing one is left out."""


def can_fork(environment: Mapping[str, str]) -> bool:
    """Tell whether an interpreter with this environment would start as the warm process did."""
    return _read_at_start(environment) == _read_at_start(AT_START)


def _read_at_start(environment: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in environment.items() if name.startswith(("PYTHON", "LC_", "LANG"))}


class Program:
    """A forked program, with the part of `subprocess.Popen` that tests use. `returncode` is None while it runs.

    Raises ChildProcessError if the fork failed.
    """

    def __init__(self, status: int) -> None:
        self.returncode: int | None = None
        self._status = status
        told = self._read(None)
        if not told:
            os.close(status)
            raise ChildProcessError("the warm process has ended or could not fork")
        self.pid = int(told)
        assert self.pid > 0, "a signal to any other number would reach more than one process"

    def _read(self, timeout: float | None) -> str:
        """Return the next message of the warm process. Return '' if none comes within the timeout."""
        told = select.poll()  # not select: it takes no number above 1,023
        told.register(self._status, select.POLLIN)
        if not told.poll(None if timeout is None else timeout * 1000):
            return ""
        return os.read(self._status, 16).decode().strip()

    def poll(self) -> int | None:
        """Return the exit code. Return None while the program runs."""
        return self._take(0)

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the end of the program and return its exit code. Raises subprocess.TimeoutExpired."""
        code = self._take(timeout)
        if code is None:
            raise subprocess.TimeoutExpired(str(self.pid), timeout or 0)
        return code

    def _take(self, timeout: float | None) -> int | None:
        if self.returncode is None and (told := self._read(timeout)):
            self.returncode = os.waitstatus_to_exitcode(int(told))
            os.close(self._status)
        return self.returncode

    def send_signal(self, number: int) -> None:
        """Send the program a signal, unless it has ended."""
        if self.poll() is None:
            with suppress(ProcessLookupError):  # it has just ended
                os.kill(self.pid, number)

    def kill(self) -> None:
        """Kill the program, unless it has ended."""
        self.send_signal(signal.SIGKILL)

    def end(self) -> None:
        """Kill the program, unless it has ended. If coverage is measured, first let it end by itself."""
        if measured.data_file():
            with suppress(subprocess.TimeoutExpired):
                self.send_signal(signal.SIGTERM)
                self.wait(10)
        self.kill()


class Terminal(fdspawn):  # type: ignore[type-arg]  # it has arguments in its stubs alone
    """A program in its own pseudo-terminal, with the part of `pexpect.spawn` that tests use."""

    def __init__(self, arguments: Sequence[str], folder: Path, environment: Mapping[str, str], columns: int) -> None:
        ours, theirs = pty.openpty()
        fcntl.ioctl(ours, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
        self.program = start(arguments, folder, environment, (theirs, theirs, theirs), terminal=True)
        os.close(theirs)
        self.pid, self.exitstatus, self.signalstatus = self.program.pid, None, None
        super().__init__(ours, encoding="utf-8", codec_errors="replace", timeout=60)

    def isalive(self) -> bool:
        """Tell whether the program runs."""
        return self.program.poll() is None

    def kill(self, number: int) -> None:
        """Send the program a signal, unless it has ended."""
        self.program.send_signal(number)

    def wait(self, timeout: float = 60) -> int | None:
        """Wait for the end of the program and return its exit code. Return None if a signal ended it."""
        code = self.program.wait(timeout)
        self.exitstatus, self.signalstatus = (code, None) if code >= 0 else (None, -code)
        return self.exitstatus

    def hang_up(self) -> None:
        """Close the terminal, as closing its window does."""
        super().close()

    def close(self, force: bool = False) -> None:
        """Close the terminal and wait for the end of the program. With `force`, kill the program."""
        self.hang_up()
        if force:
            self.program.end()
        self.wait()


def run(
    arguments: Sequence[str], folder: Path, environment: Mapping[str, str], data: bytes | None, timeout: float
) -> subprocess.CompletedProcess[bytes]:
    """Run `python ARGUMENTS` to its end. Raises subprocess.TimeoutExpired, after killing it."""
    with Path(os.devnull).open("rb") as nothing, ThreadPoolExecutor(3) as threads:
        out, out_theirs = os.pipe()
        err, err_theirs = os.pipe()
        given, given_ours = (nothing.fileno(), None) if data is None else os.pipe()
        program = start(arguments, folder, environment, (given, out_theirs, err_theirs))
        os.close(out_theirs)
        os.close(err_theirs)
        if given_ours is not None:
            os.close(given)
            threads.submit(_give, given_ours, data or b"")
        said = [threads.submit(_read_all, each) for each in (out, err)]
        try:
            code = program.wait(timeout)
        finally:
            program.kill()
        return subprocess.CompletedProcess(list(arguments), code, *(each.result(timeout) for each in said))


def _give(pipe: int, data: bytes) -> None:
    with open(pipe, "wb") as file, suppress(BrokenPipeError):
        file.write(data)
        file.flush()


def _read_all(pipe: int) -> bytes:
    with open(pipe, "rb") as file:
        return file.read()


def start(
    arguments: Sequence[str],
    folder: Path,
    environment: Mapping[str, str],
    files: tuple[int, int, int],
    *,
    terminal: bool = False,
) -> Program:
    """Start `python ARGUMENTS`, which begin with `-m MODULE` or `-c CODE`.

    `files` are its standard input, output and error. It leads a session of its own. With `terminal`, its standard
    input is the terminal that controls this session.
    """
    assert can_fork(environment), "the environment is for an interpreter of its own"
    ours, theirs = os.pipe()
    asked = {"arguments": arguments, "folder": str(folder), "environment": dict(environment), "terminal": terminal}
    body = json.dumps(asked).encode("utf-8", "surrogatepass")
    with _lock:
        to = _warm_process()
        socket.send_fds(to, [struct.pack("!I", len(body))], [*files, theirs])
        to.sendall(body)
    os.close(theirs)
    return Program(ours)


_lock = threading.Lock()
_to: list[socket.socket] = []


def _warm_process() -> socket.socket:
    """Return the socket to the warm process. Start the process for the first program."""
    if not _to:
        ours, theirs = socket.socketpair()
        with theirs:
            subprocess.Popen(
                [sys.executable, "-m", "tests.warm", str(theirs.fileno())], cwd=ROOT, env=AT_START,
                stdin=subprocess.DEVNULL, pass_fds=[theirs.fileno()], start_new_session=True,
            )  # fmt: skip
        atexit.register(ours.close)
        _to.append(ours)
    return _to[0]


# ---------------------------------------------------------------- in the warm process


def serve(asking: socket.socket) -> dict[str, Any] | None:
    """Fork a program for each request. Return the request in each fork, and None after the last request."""
    told, woken = socket.socketpair()
    woken.setblocking(False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(woken.fileno(), warn_on_full_buffer=False)
    running: dict[int, int] = {}
    while True:
        readable = select.select([asking, told], [], [])[0]
        if told in readable:
            told.recv(4096)
            _tell_ends(running)
        if asking not in readable:
            continue
        header, files, _, _ = socket.recv_fds(asking, 4, 4)
        if not header:
            return None
        request = json.loads(_exactly(asking, struct.unpack("!I", header)[0]).decode("utf-8", "surrogatepass"))
        if (pid := os.fork()) == 0:
            _become(request, files)
            return request  # type: ignore[no-any-return]
        running[pid] = files.pop()
        os.write(running[pid], b"%-16d" % pid)
        for each in files:
            os.close(each)


def _tell_ends(running: dict[int, int]) -> None:
    while running:
        pid, status = os.waitpid(-1, os.WNOHANG)
        if not pid:
            return
        file = running.pop(pid)
        with suppress(BrokenPipeError):  # nobody waits for this program any more
            os.write(file, b"%-16d" % status)
        os.close(file)


def _exactly(asking: socket.socket, size: int) -> bytes:
    data = b""
    while len(data) < size:
        data += asking.recv(size - len(data))
    return data


def _become(request: dict[str, Any], files: Sequence[int]) -> None:
    """Turn this process into what a new interpreter would be."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.setsid()
    for number in range(3):
        os.dup2(files[number], number)
    os.closerange(3, 4096)
    if request["terminal"]:
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    os.chdir(request["folder"])
    os.environ.clear()
    os.environ.update(request["environment"])
    time.tzset()
    tempfile.tempdir = None
    sys.stdin = open(0, encoding="utf-8", errors="surrogateescape", closefd=False)  # noqa: SIM115
    sys.stdout = _writer(1, "surrogateescape", os.isatty(1))
    sys.stderr = _writer(2, "backslashreplace", True)
    vars(sys).update(__stdin__=sys.stdin, __stdout__=sys.stdout, __stderr__=sys.stderr)


def _writer(number: int, errors: str, lines: bool) -> TextIO:
    return open(number, "w", 1 if lines else -1, encoding="utf-8", errors=errors, closefd=False)


def main() -> None:
    """Import what programs need, read the recipe book, and serve. In each fork, run the program of its request."""
    asking = socket.socket(fileno=int(sys.argv[1]))
    os.set_inheritable(asking.fileno(), False)
    import autocraft

    names = [each.name for each in pkgutil.walk_packages(autocraft.__path__, "autocraft.")]
    for name in [*(each for each in names if not each.endswith("__main__")), *IMPORTED_LATE]:
        try:
            importlib.import_module(name)
        except ImportError:
            continue
    make_once()
    if file := measured.data_file():
        measured.measure(file)
    gc.collect()
    gc.freeze()
    request = serve(asking)
    if request is not None:
        _run(*request["arguments"])


def make_once() -> None:
    """Make what each process makes at its first use, and then keeps."""
    from importlib.metadata import entry_points

    from autocraft.cli import load
    from autocraft.crafting.recipes import load_book
    from autocraft.features import VERBS
    from autocraft.settings.fields import SECTIONS, hints_of, kinds
    from autocraft.text.prompts import _environment as templates

    load_book()
    entry_points()
    for verb in VERBS:
        load(verb)
    for kind in kinds(SECTIONS).values():
        hints_of(kind)
    for name in templates().list_templates():
        templates().get_template(name)


def _run(flag: str, what: str, *arguments: str) -> None:
    """Run a module or code, and end as an interpreter does, but do not remove the imported modules.

    To remove them would copy all pages of memory that are shared with the warm process.
    """
    sys.argv[:] = [flag, *arguments]
    code: object = None
    try:
        if flag == "-m":
            runpy.run_module(what, run_name="__main__", alter_sys=True)
        else:
            sys.modules["__main__"] = main = ModuleType("__main__")
            exec(compile(what, "<string>", "exec"), vars(main))  # noqa: S102 - the code of a test
    except SystemExit as end:
        code = end.code
    threading._shutdown()  # type: ignore[attr-defined]  # wait for the threads, as an interpreter does first
    atexit._run_exitfuncs()
    gc.collect()
    with suppress(OSError):  # the end of the interpreter reports what cannot be written
        sys.stdout.flush()
        sys.stderr.flush()
        if code is None or isinstance(code, int):
            os._exit((code or 0) & 0xFF)
    raise SystemExit(code)


__all__ = ["Program", "Terminal", "can_fork", "run", "start"]

if __name__ == "__main__":
    main()
