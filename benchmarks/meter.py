"""Runs one command and prints what it took: ``python -I -S meter.py UNTIL OUTPUT COMMAND…``.

UNTIL is ``end``, ``pipe:TEXT`` or ``terminal:TEXT``. With a TEXT, the command is killed as soon as it has shown the
TEXT, and all figures are those of that moment. OUTPUT gets the standard output if it is not read. The meter prints
seconds of wall, seconds of CPU, peak memory in MB, and the exit code.

It is a separate process because Linux never reports a child's peak memory below that of the process that started
it. This process is as small as a Python process can be.
"""

from __future__ import annotations

import os
import signal
import struct
import sys
import time

PATIENCE = 600
"""Seconds after which a command counts as hanging."""


def start(until: str, output: str, command: list[str]) -> tuple[int, int]:
    """Run the command. Return its process id and the descriptor of its output."""
    if until.startswith("terminal:"):
        child, terminal = os.forkpty()
        if child:
            _set_size(terminal, rows=50, columns=200)
            return child, terminal
        _become(command)
    wanted, given = os.pipe()
    asked, answered = os.pipe()
    child = os.fork()
    if child:
        os.close(given)
        os.close(asked)  # `answered` stays open: the command must not see the end of its standard input
        return child, wanted
    os.dup2(asked if until != "end" else os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(given if until != "end" else os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), 1)
    os.close(answered)
    _become(command)
    raise AssertionError("not reached")


def _become(command: list[str]) -> None:
    try:
        os.execvp(command[0], command)
    except OSError as error:
        os.write(2, f"{command[0]}: {error.strerror}\n".encode())
    os._exit(127)


def _set_size(terminal: int, rows: int, columns: int) -> None:
    import fcntl
    import termios

    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


def wait_for(text: bytes, heard: int) -> bytes:
    """Read until `text` appears or the output ends. Return all output."""
    said = b""
    while text not in said:
        try:
            more = os.read(heard, 65536)
        except OSError:  # on Linux: nobody has the terminal open any more
            break
        if not more:
            break
        said += more
    return said


def main(until: str, output: str, command: list[str]) -> int:
    text = until.partition(":")[2].encode()
    begun = time.perf_counter()
    child, heard = start(until, output, command)
    signal.signal(signal.SIGALRM, lambda *_: os.kill(child, signal.SIGKILL))
    signal.alarm(PATIENCE)
    said = wait_for(text, heard) if text else b""
    seconds = time.perf_counter() - begun
    seen = text != b"" and text in said
    if seen:
        os.kill(child, signal.SIGKILL)
    _, status, used = os.wait4(child, 0)
    signal.alarm(0)
    if not text:
        seconds = time.perf_counter() - begun
    elif not seen:
        sys.stderr.write(said[-2000:].decode(errors="replace"))
    memory = used.ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3)
    print(seconds, used.ru_utime + used.ru_stime, memory, 0 if seen else os.waitstatus_to_exitcode(status))
    return 0 if seen or not text else 1


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
