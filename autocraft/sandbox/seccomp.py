"""The filter of system calls: the kernel itself refuses what a program in the sandbox never needs.

It lists what is refused, not what is allowed, since Python and the C library differ between systems. It closes the
network, other processes' memory, memory outside the limits, and the parts of the kernel that had most holes. Numbers
are those of the kernel's tables for x86-64 and arm64.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
from collections.abc import Iterable

_SET_SECCOMP = 22
_FILTER_MODE = 2
_ALLOW, _KILL, _ERROR = 0x7FFF0000, 0x80000000, 0x00050000
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN, _AND = 0x20, 0x15, 0x35, 0x45, 0x06, 0x54
_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT, _SECOND_ARGUMENT, _FOURTH_ARGUMENT = 0, 4, 16, 24, 40
_NEW_NAMESPACES = 0x7E020000
_THREAD, _SHARED_FILES = 0x10000, 0x400
_SHARED, _NAMELESS = 0x01, 0x20
_X32 = 0x40000000

# name -> (x86-64, arm64)
_REFUSED = {
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "kcmp": (312, 272),
    "pidfd_getfd": (438, 438),
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "shmget": (29, 194),
    "msgget": (68, 186),
    "semget": (64, 190),
    "mq_open": (240, 180),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "unshare": (272, 97),
    "setns": (308, 268),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "mount_setattr": (442, 442),
    "open_tree_attr": (467, 467),
    "open_by_handle_at": (304, 265),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "kexec_load": (246, 104),
    "reboot": (169, 142),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "acct": (163, 89),
    "quotactl": (179, 60),
    "syslog": (103, 116),
    "personality": (135, 92),
    "vmsplice": (278, 75),
    "fanotify_init": (300, 262),
    "vhangup": (153, 58),
}
# Landlock does not cover these. They succeed without doing anything, as shutil.copy would fail otherwise.
_PRETENDED = {
    "chmod": (90, None),
    "fchmod": (91, 52),
    "fchmodat": (268, 53),
    "fchmodat2": (452, 452),
    "chown": (92, None),
    "fchown": (93, 55),
    "lchown": (94, None),
    "fchownat": (260, 54),
    "utime": (132, None),
    "utimes": (235, None),
    "futimesat": (261, None),
    "utimensat": (280, 88),
    "setxattr": (188, 5),
    "lsetxattr": (189, 6),
    "fsetxattr": (190, 7),
    "removexattr": (197, 14),
    "lremovexattr": (198, 15),
    "fremovexattr": (199, 16),
    "setxattrat": (463, 463),
    "removexattrat": (466, 466),
    "file_setattr": (469, 469),
}
_CLONE = (56, 220)
_CLONE3 = (435, 435)
_SOCKET = (41, 198)
_SOCKETPAIR = (53, 199)
_MMAP = (9, 222)
_PRLIMIT = (302, 261)
_MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
UNIX, INTERNET, INTERNET6, NETLINK = 1, 2, 10, 16


def apply(families: Iterable[int], *, keep_modes: bool) -> None:
    """Set the filter on this process for good. `families` are the socket families that stay open.

    `keep_modes` forbids to change the permissions, owner or times of any file, for a program with the person's own user
    id. Raises OSError for an unknown processor or if the kernel refuses. `no_new_privs` must be set before.
    """
    _set(_program(os.uname().machine, families, keep_modes))


def _set(code: bytes) -> None:
    """Set a filter in the kernel's form. Raises OSError if the kernel refuses."""
    libc = ctypes.CDLL(None, use_errno=True)
    buffer = ctypes.create_string_buffer(code, len(code))
    header = struct.pack("@HxxxxxxP", len(code) // 8, ctypes.addressof(buffer))
    if libc.prctl(_SET_SECCOMP, _FILTER_MODE, header, 0, 0) != 0:
        error = ctypes.get_errno()
        raise OSError(error, f"seccomp: the kernel refuses (error {error})")


def _program(machine: str, families: Iterable[int], keep_modes: bool) -> bytes:
    """Return the filter in the kernel's form, eight bytes an instruction."""
    if machine not in _MACHINES:
        raise OSError(errno.ENOSYS, f"seccomp: the system call numbers of {machine} are not known here")
    column, architecture = _MACHINES[machine]
    code = [
        _step(_LOAD, _ARCHITECTURE),
        _step(_EQUAL, architecture, 1, 0),
        _step(_RETURN, _KILL),
        _step(_LOAD, _NUMBER),
    ]
    if machine == "x86_64":
        code += [_step(_AT_LEAST, _X32, 0, 1), _step(_RETURN, _ERROR | errno.ENOSYS)]
    for numbers in _REFUSED.values():
        code += [_step(_EQUAL, numbers[column], 0, 1), _step(_RETURN, _ERROR | errno.EPERM)]
    for pair in _PRETENDED.values() if keep_modes else ():
        if (number := pair[column]) is not None:
            code += [_step(_EQUAL, number, 0, 1), _step(_RETURN, _ERROR)]
    # The flags of clone3 lie in memory, where a filter cannot look; without it the C library uses clone.
    code += [_step(_EQUAL, _CLONE3[column], 0, 1), _step(_RETURN, _ERROR | errno.ENOSYS)]
    code += _about(
        _CLONE[column],
        _FIRST_ARGUMENT,
        _step(_ANY_BIT, _NEW_NAMESPACES, 0, 1),
        _step(_RETURN, _ERROR | errno.EPERM),
        # A thread with open files of its own: the system lists only those of the first thread.
        _step(_AND, _THREAD | _SHARED_FILES),
        _step(_EQUAL, _THREAD, 0, 1),
        _step(_RETURN, _ERROR | errno.EPERM),
    )
    # Shared memory without a file stays when no process maps it any more, and no limit counts it then.
    code += _about(
        _MMAP[column],
        _FOURTH_ARGUMENT,
        _step(_AND, _SHARED | _NAMELESS),
        _step(_EQUAL, _SHARED | _NAMELESS, 0, 1),
        _step(_RETURN, _ERROR | errno.EPERM),
    )
    # The limits of another process: too small ones end it, though no signal can reach it.
    code += _about(_PRLIMIT[column], _FIRST_ARGUMENT, _step(_EQUAL, 0, 1, 0), _step(_RETURN, _ERROR | errno.EPERM))
    sockets = list(families)
    if UNIX not in sockets:  # a datagram socket of a pair can send to any other socket of this family
        code += _about(
            _SOCKETPAIR[column],
            _SECOND_ARGUMENT,
            _step(_AND, 0xF),
            _step(_EQUAL, 2, 0, 1),
            _step(_RETURN, _ERROR | errno.EACCES),
        )
    code += [_step(_EQUAL, _SOCKET[column], 0, 2 + 2 * len(sockets)), _step(_LOAD, _FIRST_ARGUMENT)]
    for family in sockets:
        code += [_step(_EQUAL, family, 0, 1), _step(_RETURN, _ALLOW)]
    code += [_step(_RETURN, _ERROR | errno.EACCES), _step(_RETURN, _ALLOW)]
    return b"".join(code)


def _about(number: int, argument: int, *steps: bytes) -> list[bytes]:
    """Return steps that judge this argument of the call. At their end the call is allowed."""
    steps = (_step(_LOAD, argument), *steps, _step(_RETURN, _ALLOW))
    return [_step(_EQUAL, number, 0, len(steps)), *steps]


def _step(code: int, value: int, when_true: int = 0, when_false: int = 0) -> bytes:
    """Return one instruction. The two counts say how many instructions to skip."""
    if code in (_LOAD, _RETURN):
        return struct.pack("=HBBI", code, 0, 0, value)
    return struct.pack("=HBBI", code, when_true, when_false, value)
