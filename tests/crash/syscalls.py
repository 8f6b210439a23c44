"""Lets a process outside answer the system calls that change files, in place of the kernel.

`hand_over` puts a filter on this process and its future children (seccomp, SECCOMP_RET_USER_NOTIF). Each call of
`CALLS` then waits until the holder of the listener answers it. So Python, SQLite and Node are all reached, and nothing
of theirs is replaced. It needs Linux 5.19, on x86-64 or arm64, and no special rights.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import platform
import struct
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from autocraft.sandbox.seccomp import _ALLOW, _ANY_BIT, _EQUAL, _LOAD, _NUMBER, _RETURN, _step

_CREATES = 0o100
_FDCWD = -100
# name -> (what it does, its number on x86-64 and on arm64)
CALLS: dict[str, tuple[str, tuple[int, int | None]]] = {
    "write": ("write", (1, 64)),
    "pwrite64": ("write", (18, 68)),
    "writev": ("write", (20, 66)),
    "pwritev": ("write", (296, 70)),
    "openat": ("create", (257, 56)),
    "mkdir": ("create", (83, None)),
    "mkdirat": ("create", (258, 34)),
    "truncate": ("cut", (76, 45)),
    "ftruncate": ("cut", (77, 46)),
    "fsync": ("sync", (74, 82)),
    "fdatasync": ("sync", (75, 83)),
    "syncfs": ("sync", (306, 267)),
    "rename": ("rename", (82, None)),
    "renameat": ("rename", (264, 38)),
    "renameat2": ("rename", (316, 276)),
}
_COLUMNS = {"x86_64": 0, "aarch64": 1}
_NOTIFY = 0x7FC00000
_SECCOMP = {"x86_64": 317, "aarch64": 277}
_PIDFD_GETFD = 438
_NO_NEW_PRIVS, _SET_PTRACER, _ANYBODY = 38, 0x59616D61, -1
_NEW_LISTENER, _WAIT_KILLABLE = 1 << 3, 1 << 5
_RECEIVE, _SEND = 0xC0502100, 0xC0182101
_CONTINUE = 1
_NOTICE = struct.Struct("=QIIiIQ6Q")
_ANSWER = struct.Struct("=QqiI")


def why_not() -> str:
    """Return why this system cannot do it. Return '' if it can."""
    if sys.platform != "linux" or platform.machine() not in _COLUMNS:
        return "it needs the system call filter of Linux on x86-64 or arm64"
    version = tuple(int(part) for part in platform.release().split("-")[0].split(".")[:2])
    return "" if version >= (5, 19) else "it needs Linux 5.19 or newer"


def hand_over() -> int:
    """Put the filter on this process, which has one thread, and return the listener. Raises OSError."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_SET_PTRACER, _ANYBODY, 0, 0, 0)  # where Yama is: the holder of the listener reads our memory
    libc.prctl(_NO_NEW_PRIVS, 1, 0, 0, 0)
    column = _COLUMNS[platform.machine()]
    code = [_step(_LOAD, _NUMBER)]
    for name, (_, numbers) in CALLS.items():
        if (number := numbers[column]) is None:
            continue
        if name == "openat":  # only with O_CREAT
            code += [_step(_EQUAL, number, 0, 4), _step(_LOAD, 16 + 8 * 2), _step(_ANY_BIT, _CREATES, 0, 1)]
            code += [_step(_RETURN, _NOTIFY), _step(_RETURN, _ALLOW)]
        else:
            code += [_step(_EQUAL, number, 0, 1), _step(_RETURN, _NOTIFY)]
    program = b"".join([*code, _step(_RETURN, _ALLOW)])
    buffer = ctypes.create_string_buffer(program, len(program))
    header = struct.pack("@HxxxxxxP", len(program) // 8, ctypes.addressof(buffer))
    listener = libc.syscall(_SECCOMP[platform.machine()], 1, _NEW_LISTENER | _WAIT_KILLABLE, header)
    if listener < 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))
    return int(listener)


class Call(NamedTuple):
    """A call that waits for its answer, and the file that it changes. `old` is where a rename takes it from."""

    id: int
    thread: int
    name: str
    does: str
    arguments: tuple[int, ...]
    path: str
    old: str = ""

    @property
    def process(self) -> int:
        status = Path(f"/proc/{self.thread}/status").read_text()
        return int(next(line.split()[1] for line in status.splitlines() if line.startswith("Tgid:")))


def receive(listener: int) -> Call | None:
    """Return the next call. Return None if its process has ended meanwhile."""
    buffer = bytearray(_NOTICE.size)
    try:
        fcntl.ioctl(listener, _RECEIVE, buffer)
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.EINTR):
            return None
        raise
    id, thread, _, number, _, _, *arguments = _NOTICE.unpack(buffer)
    column = _COLUMNS[platform.machine()]
    name = next(name for name, (_, numbers) in CALLS.items() if numbers[column] == number)
    path, old = "", ""
    with suppress(OSError):
        path, old = _paths(name, thread, arguments)
    return Call(id, thread, name, CALLS[name][0], tuple(arguments), path, old)


def let_pass(listener: int, call: Call) -> None:
    """Let the kernel carry out the call."""
    _answer(listener, _ANSWER.pack(call.id, 0, 0, _CONTINUE))


def refuse(listener: int, call: Call, error: int) -> None:
    """Let the call fail with this error number."""
    _answer(listener, _ANSWER.pack(call.id, 0, -error, 0))


def write_half(listener: int, call: Call) -> None:
    """Carry out the first half of a write, and tell the process that so much was written."""
    descriptor, address, size = call.arguments[:3]
    if call.name.endswith("v"):  # the first of its parts
        address, size = struct.unpack("=QQ", _memory(call.thread, address, 16))
    data = _memory(call.thread, address, max(1, size // 2))
    with _their_file(call.process, descriptor) as file:
        at = call.arguments[3] if call.name.startswith("p") else None
        done = os.write(file, data) if at is None else os.pwrite(file, data, at)
    _answer(listener, _ANSWER.pack(call.id, done, 0, 0))


def size_of(call: Call) -> int:
    """Return how many bytes a write has."""
    if not call.name.endswith("v"):
        return call.arguments[2]
    return int(struct.unpack("=QQ", _memory(call.thread, call.arguments[1], 16))[1])


def _answer(listener: int, answer: bytes) -> None:
    with suppress(FileNotFoundError):  # its process was killed
        fcntl.ioctl(listener, _SEND, bytearray(answer))


def _paths(name: str, thread: int, arguments: list[int]) -> tuple[str, str]:
    """Return the path that a call changes, and the old path of a rename. Raises OSError."""
    match name:
        case "openat" | "mkdirat":
            return _resolved(thread, arguments[0], arguments[1]), ""
        case "mkdir" | "truncate":
            return _resolved(thread, _FDCWD, arguments[0]), ""
        case "rename":
            return _resolved(thread, _FDCWD, arguments[1]), _resolved(thread, _FDCWD, arguments[0])
        case "renameat" | "renameat2":
            return _resolved(thread, arguments[2], arguments[3]), _resolved(thread, arguments[0], arguments[1])
    return str(Path(f"/proc/{thread}/fd/{_signed(arguments[0])}").readlink()), ""


def _resolved(thread: int, folder: int, address: int) -> str:
    """Return the absolute path of a name in their memory, with the symlinks of its folder followed."""
    name = os.fsdecode(_memory(thread, address, 4096, text=True))
    if name.startswith("/proc/self/"):
        name = f"/proc/{thread}/{name.removeprefix('/proc/self/')}"
    if not name.startswith("/"):
        at = "cwd" if _signed(folder) == _FDCWD else f"fd/{_signed(folder)}"
        name = f"/proc/{thread}/{at}/{name}"
    path = Path(name)
    return str(path.parent.resolve() / path.name)


def _signed(argument: int) -> int:
    return int(struct.unpack("=i", struct.pack("=I", argument & 0xFFFFFFFF))[0])


def _memory(thread: int, address: int, size: int, *, text: bool = False) -> bytes:
    """Return bytes of their memory. A `text` ends before its first zero byte."""
    with Path(f"/proc/{thread}/mem").open("rb", buffering=0) as memory:
        if not text:
            return os.pread(memory.fileno(), size, address)
        data = b""
        while b"\0" not in data and len(data) < size:  # never beyond the page that ends it
            data += os.pread(memory.fileno(), 4096 - (address + len(data)) % 4096, address + len(data))
        return data.partition(b"\0")[0]


@contextmanager
def _their_file(process: int, descriptor: int) -> Iterator[int]:
    """Yield their open file itself, with its offset."""
    libc = ctypes.CDLL(None, use_errno=True)
    handle = os.pidfd_open(process)
    try:
        file = libc.syscall(_PIDFD_GETFD, handle, _signed(descriptor), 0)
        if file < 0:
            error = ctypes.get_errno()
            raise OSError(error, os.strerror(error))
    finally:
        os.close(handle)
    try:
        yield file
    finally:
        os.close(file)
