"""System calls of Linux that Python 3.11 does not offer: namespaces, mounts, Landlock.

`launcher.py` and `confine.py` use them before they become the program. The module needs the standard library only. Each
function raises OSError that names the call.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import struct
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from autocraft.sandbox.prctl import call

CLONE = {"ns": 0x20000, "cgroup": 0x2000000, "uts": 0x4000000, "ipc": 0x8000000, "pid": 0x20000000}
_INSIDE = 1000
DEVICES = tuple(Path("/dev", name) for name in ("null", "full", "random", "urandom"))
"""Devices that a program may open. `/dev/zero` is not one of them, since no limit counts its shared memory."""
CLONE_NEWUSER, CLONE_NEWNET = 0x10000000, 0x40000000
_READ_ONLY, _NO_SUID, _NO_DEV, _NO_EXEC, _REMOUNT, _BIND, _RECURSIVE, _PRIVATE = 1, 2, 4, 8, 32, 4096, 16384, 1 << 18
_DETACH = 2
_PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}
_MOUNT_SETATTR, _AT_RECURSIVE = 442, 0x8000
_LANDLOCK_CREATE, _LANDLOCK_ADD, _LANDLOCK_RESTRICT = 444, 445, 446
# Rights of Landlock on files: bit 0 execute, 2 read a file, 3 list a folder; the rest of the first 16 change something.
_EXECUTE, _READ_FILE, _READ_FOLDER = 1 << 0, 1 << 2, 1 << 3
_ON_FILES = _EXECUTE | (1 << 1) | _READ_FILE | (1 << 14) | (1 << 15)
SIGNALS = 6
"""The version of Landlock that can forbid signals to other processes."""
_RIGHTS_BY_VERSION = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 4: (1 << 15) - 1}


def _syscall(name: str, number: int, *args: object) -> int:
    try:
        return call("syscall", ctypes.c_long(number), *args)
    except OSError as error:
        raise OSError(error.errno, f"{name}: {os.strerror(error.errno or 0)}") from None


# ---------------------------------------------------------------- processes


def limit(limits: Mapping[str, int], *, strict: bool) -> None:
    """Set `limits` of this process. They map names of the module resource, such as ``RLIMIT_AS``, to numbers.

    A limit that cannot be set stays as it is. If `strict`, that raises OSError or ValueError, but no ValueError on
    macOS, where some limits have no effect.
    """
    import resource

    for name, value in limits.items():
        number = getattr(resource, name, None)
        if number is None:
            continue
        hard = resource.getrlimit(number)[1]
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        try:
            resource.setrlimit(number, (value, value))
        except (ValueError, OSError) as error:
            if strict and (sys.platform == "linux" or isinstance(error, OSError)):
                raise


# ---------------------------------------------------------------- namespaces


def unshare(*, network: bool, user: bool) -> None:
    """Leave all namespaces except that of time, and that of the network if `network` is True.

    The next child is the first process of the new process namespace. With `user`, also leave the user namespace. In the
    new one only this process's user exists, with a number that is not root's, so a program has no rights there.
    """
    uid, gid = os.geteuid(), os.getegid()
    flags = sum(CLONE.values()) | (0 if network else CLONE_NEWNET)
    call("unshare", flags | (CLONE_NEWUSER if user else 0))
    if user:
        for name, text in (("setgroups", "deny"), ("uid_map", f"{_INSIDE} {uid} 1"), ("gid_map", f"{_INSIDE} {gid} 1")):
            Path("/proc/self", name).write_text(text)


def _mount(source: str, target: Path, kind: str, flags: int, options: str = "") -> None:
    call("mount", source.encode(), os.fsencode(target), kind.encode(), ctypes.c_ulong(flags), options.encode() or None)


def bind(source: Path, target: Path, *, read_only: bool = False, devices: bool = False) -> None:
    """Mount `source` at `target`, with all mounts below it and without set-uid bits."""
    _mount(str(source), target, "", _BIND | _RECURSIVE)
    attributes = _NO_SUID | (_READ_ONLY if read_only else 0) | (0 if devices else _NO_DEV)
    try:
        _restrict(target, attributes)
    except OSError:  # before Linux 5.12: only the topmost mount, and flags that are set must be set again
        flags = os.statvfs(target).f_flag
        again = flags & 15 | (1 << 21 if flags & 4096 else 0) | flags & 3072
        _mount("", target, "", _REMOUNT | _BIND | attributes | again)


def _restrict(target: Path, attributes: int) -> None:
    attribute_struct = struct.pack("=QQQQ", attributes, 0, 0, 0)
    _syscall(
        "mount_setattr",
        _MOUNT_SETATTR,
        ctypes.c_int(-100),
        os.fsencode(target),
        ctypes.c_uint(_AT_RECURSIVE),
        attribute_struct,
        ctypes.c_size_t(len(attribute_struct)),
    )


def new_root(root: Path, system: Iterable[Path], mounts: Iterable[tuple[Path, str, bool]]) -> None:
    """Make the empty folder `root` the whole file system of this process, with only these files in it.

    `system` is read-only and keeps its paths. Each of `mounts` is a folder or file outside, its name in the new root,
    and whether it is writable there.
    """
    system = list(system)
    visible = [path.resolve() for path in system if not path.is_symlink()]
    _mount("", Path("/"), "", _RECURSIVE | _PRIVATE)
    _mount("tmpfs", root, "tmpfs", _NO_SUID | _NO_DEV, "size=1m,nr_inodes=1k,mode=755")
    for path in system:
        place = root / path.relative_to("/")
        if path.is_symlink() and any(path.resolve().is_relative_to(parent_path) for parent_path in visible):
            place.parent.mkdir(parents=True, exist_ok=True)
            place.symlink_to(path.readlink())
            continue
        _make_place(place, folder=path.is_dir())
        bind(path, place, read_only=True)
    for device in DEVICES:
        _make_place(root / device.relative_to("/"), folder=False)
        bind(device, root / device.relative_to("/"), devices=True)
    for path, name, writable in mounts:
        _make_place(root / name, folder=path.is_dir())
        bind(path, root / name, read_only=not writable)
    (root / "proc").mkdir()
    with contextlib.suppress(OSError):  # some containers forbid this mount; Python works without it
        _mount("proc", root / "proc", "proc", _NO_SUID | _NO_DEV | _NO_EXEC)
    os.chdir(root)
    _syscall("pivot_root", _PIVOT_ROOT[os.uname().machine], b".", b".")
    call("umount2", b".", _DETACH)
    _mount("", Path("/"), "", _REMOUNT | _BIND | _READ_ONLY | _NO_SUID | _NO_DEV)
    os.chdir("/")


def _make_place(place: Path, *, folder: bool) -> None:
    """Create a file or folder to mount on, unless an earlier mount has it."""
    (place if folder else place.parent).mkdir(parents=True, exist_ok=True)
    if not folder and not place.exists():
        place.touch()


# ---------------------------------------------------------------- Landlock


def landlock_version() -> int:
    """Return the version of Landlock. Return 0 if the kernel does not support it."""
    try:
        return _syscall("landlock", _LANDLOCK_CREATE, None, ctypes.c_size_t(0), ctypes.c_uint(1))
    except OSError:
        return 0


def landlock(read_only: Iterable[Path], writable: Iterable[Path], *, network: bool) -> None:
    """Restrict this process to these files. Call `give_up_privileges` before.

    It can no longer trace other processes, send them signals (version 6), or use TCP (version 4) unless `network` is
    True. Landlock does not restrict stat, chmod, chown and utime.
    """
    version = landlock_version()
    if version < 1:
        raise OSError(38, "landlock: the kernel has none")
    rights = _RIGHTS_BY_VERSION.get(version, (1 << 16) - 1)
    size = 24 if version >= SIGNALS else 16 if version >= 4 else 8
    ruleset = struct.pack("=QQQ", rights, 0 if network else 3, 3)[:size]
    rules = _syscall("landlock", _LANDLOCK_CREATE, ruleset, ctypes.c_size_t(len(ruleset)), ctypes.c_uint(0))
    try:
        for path in read_only:
            _allow(rules, path, _EXECUTE | _READ_FILE | _READ_FOLDER)
        for path in writable:
            _allow(rules, path, rights)
        _syscall("landlock", _LANDLOCK_RESTRICT, ctypes.c_int(rules), ctypes.c_uint(0))
    finally:
        os.close(rules)


def _allow(rules: int, path: Path, rights: int) -> None:
    descriptor = os.open(path, os.O_PATH)
    try:
        rights &= ~0 if path.is_dir() else _ON_FILES
        rule = struct.pack("=Qi", rights, descriptor)
        _syscall("landlock", _LANDLOCK_ADD, ctypes.c_int(rules), ctypes.c_int(1), rule, ctypes.c_uint(0))
    finally:
        os.close(descriptor)
