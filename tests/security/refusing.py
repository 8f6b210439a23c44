"""Takes namespaces or Landlock away from this process and its children, as containers and older kernels do.

A filter of the kernel refuses the system calls, so the code under test meets the real refusal.
"""

from __future__ import annotations

import errno
import os

from autocraft.sandbox import linux, prctl, seccomp

REFUSALS = {
    "no-namespaces": ({"x86_64": 272, "aarch64": 97}, errno.EPERM),  # unshare
    "no-landlock": (dict.fromkeys(("x86_64", "aarch64"), linux._LANDLOCK_CREATE), errno.ENOSYS),
}
"""Name -> the number of the system call on each processor, and the error that it has from then on."""


def refuse(way: str) -> None:
    """Let the kernel refuse what this way names, with commas, from now on. ``auto`` and ``none`` refuse nothing."""
    names = REFUSALS.keys() & set(way.split(","))
    if not names:
        return
    code = [seccomp._step(seccomp._LOAD, seccomp._NUMBER)]
    for name in names:
        numbers, error = REFUSALS[name]
        code.append(seccomp._step(seccomp._EQUAL, numbers[os.uname().machine], 0, 1))
        code.append(seccomp._step(seccomp._RETURN, seccomp._ERROR | error))
    prctl.give_up_privileges()
    seccomp._set(b"".join([*code, seccomp._step(seccomp._RETURN, seccomp._ALLOW)]))


def setting_of(way: str) -> str:
    """Return the value of code.protection for a way."""
    return "none" if way == "none" else "auto"
