"""The filter of system calls, run by a small interpreter for both processors: what it refuses and what it lets pass."""

from __future__ import annotations

import errno
import re
import struct
from pathlib import Path

import pytest

from autocraft.sandbox import seccomp

ARCHITECTURE = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
COLUMN = {"x86_64": 0, "aarch64": 1}
ALLOW, KILL = 0x7FFF0000, 0x80000000
EPERM, EACCES, ENOSYS, PRETENDED = (0x50000 | n for n in (errno.EPERM, errno.EACCES, errno.ENOSYS, 0))
MACHINES = pytest.mark.parametrize("machine", ["x86_64", "aarch64"])


def judge(code: bytes, machine: str, number: int, first: int = 0, fourth: int = 0) -> int:
    """What the kernel would answer."""
    steps = list(struct.iter_unpack("=HBBI", code))
    data = struct.pack("=IIQQQQQ", number, ARCHITECTURE[machine], 0, first, 0, 0, fourth)
    at, value = 0, 0
    while True:
        kind, yes, no, k = steps[at]
        at += 1
        if kind == 0x20:
            value = struct.unpack_from("=I", data, k)[0]
        elif kind == 0x54:
            value &= k
        elif kind == 0x06:
            return int(k)
        else:
            true = {0x15: value == k, 0x35: value >= k, 0x45: bool(value & k)}[kind]
            at += yes if true else no


HEADERS = {
    "x86_64": "/usr/include/x86_64-linux-gnu/asm/unistd_64.h",
    "aarch64": "/usr/include/asm-generic/unistd.h",
}
"""The kernel's own lists of its calls, as Debian and Ubuntu install them; arm64 has the generic one."""


def numbers_of(machine: str) -> dict[str, int]:
    """Name -> number, of each call that the kernel's header knows."""
    path = Path(HEADERS[machine])
    if not path.exists():
        pytest.skip(f"{path} is not installed (linux-libc-dev has it)")
    found = re.findall(r"^#define __NR(?:3264)?_(\w+)\s+(\d+)$", path.read_text(), re.M)
    return {name: int(number) for name, number in found}


@MACHINES
def test_the_numbers_are_those_of_the_kernel(machine: str) -> None:
    known, column = numbers_of(machine), COLUMN[machine]
    single = {"clone": seccomp._CLONE, "clone3": seccomp._CLONE3, "socket": seccomp._SOCKET, "mmap": seccomp._MMAP}
    ours = seccomp._REFUSED | seccomp._PRETENDED | single | {"prlimit64": seccomp._PRLIMIT}
    newer = {name for name, pair in ours.items() if (pair[column] or 0) > known["epoll_pwait2"]} - set(known)
    told = {name: pair[column] for name, pair in ours.items() if name not in newer}
    assert told == {name: known.get(name) for name in told}
    assert len(newer) <= 8, "an older header does not know what came later"


@MACHINES
@pytest.mark.parametrize("keep_modes", [False, True])
def test_every_number_has_the_answer_of_the_table(machine: str, keep_modes: bool) -> None:
    code, column = seccomp._program(machine, [seccomp.UNIX], keep_modes), COLUMN[machine]
    refused = {pair[column] for pair in seccomp._REFUSED.values()}
    pretended = {pair[column] for pair in seccomp._PRETENDED.values()} if keep_modes else set()
    special = {seccomp._SOCKET[column]: EACCES, seccomp._CLONE3[column]: ENOSYS}
    assert len(refused) == len(seccomp._REFUSED)
    for number in range(600):
        wanted = EPERM if number in refused else PRETENDED if number in pretended else special.get(number, ALLOW)
        assert judge(code, machine, number) == wanted, number


@MACHINES
def test_threads_and_forks_pass_but_new_namespaces_do_not(machine: str) -> None:
    code, clone = seccomp._program(machine, [], False), seccomp._CLONE[COLUMN[machine]]
    for flags in (17, 0x3D0F00, 0x01200011):  # fork, a thread, fork as the C library does it
        assert judge(code, machine, clone, flags) == ALLOW
    for flag in (0x20000, 0x02000000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000):
        assert judge(code, machine, clone, 17 | flag) == EPERM


@MACHINES
def test_a_thread_shares_its_open_files(machine: str) -> None:
    code, clone = seccomp._program(machine, [], False), seccomp._CLONE[COLUMN[machine]]
    assert judge(code, machine, clone, 0x3D0F00) == ALLOW
    assert judge(code, machine, clone, 0x3D0F00 & ~0x400) == EPERM
    assert judge(code, machine, clone, 0x4111) == ALLOW  # a process of its own, as posix_spawn makes it


@MACHINES
def test_memory_is_shared_only_through_a_file(machine: str) -> None:
    code, mmap = seccomp._program(machine, [], False), seccomp._MMAP[COLUMN[machine]]
    for flags in (0x01, 0x02, 0x22, 0x4022, 0x20022):  # a file shared, a file, memory, and two kinds of stack
        assert judge(code, machine, mmap, fourth=flags) == ALLOW
    for flags in (0x21, 0x23, 0x4021):  # one of these is what is called "shared and validated"
        assert judge(code, machine, mmap, fourth=flags) == EPERM


@MACHINES
def test_only_its_own_limits_can_be_set(machine: str) -> None:
    code, prlimit = seccomp._program(machine, [], False), seccomp._PRLIMIT[COLUMN[machine]]
    assert judge(code, machine, prlimit, 0) == ALLOW
    for pid in (1, 4242, 0xFFFFFFFF):
        assert judge(code, machine, prlimit, pid) == EPERM


@MACHINES
@pytest.mark.parametrize("families", [[], [1], [1, 2, 10, 16]])
def test_only_the_named_socket_families_are_open(machine: str, families: list[int]) -> None:
    code, socket = seccomp._program(machine, families, False), seccomp._SOCKET[COLUMN[machine]]
    assert [n for n in range(50) if judge(code, machine, socket, n) == ALLOW] == families


def test_another_processor_s_calls_kill_and_those_of_x32_fail() -> None:
    code = seccomp._program("x86_64", [], False)
    assert judge(code, "aarch64", 1) == KILL
    assert judge(code, "x86_64", 0x40000000 | 101) == ENOSYS


def test_an_unknown_processor_has_no_filter() -> None:
    with pytest.raises(OSError, match="s390x are not known"):
        seccomp._program("s390x", [], False)
