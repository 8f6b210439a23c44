"""Becomes a Node child, of a program or of Minecraft, after giving up what it never needs; standard library only.

What the `--permission` of Node leaves open, the kernel closes where it can: sockets, files but those that are named,
other processes, and outliving us. A program's machine is WebAssembly and reaches none of this; it is for the day on
which that has a hole.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn

from autocraft.sandbox import linux, seccomp

_FILE_BYTES = 4 << 20
_OPEN_FILES = 64
_SYSTEM = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/nix/store", "/gnu/store", "/etc/ld.so.cache", "/proc/self")
_DEVICES = ("/dev/null", "/dev/urandom")
_NAMES = ("/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", "/etc/host.conf", "/etc/gai.conf", "/etc/services")
"""What turns a host's name into an address, where there is a network."""
_CODE = "import sys; sys.path.append({root!r}); from autocraft.sandbox.confine import main; main(sys.argv[1])"


def confined(
    command: list[str],
    readable: list[Path],
    seconds: float | None,
    *,
    writable: list[Path] | None = None,
    network: bool = False,
    environment: Mapping[str, str] | None = None,
    linger: bool = False,
) -> list[str]:
    """Return the command line that runs `command` confined to these files, and to so much processor time if any.

    With `network` it may use TCP and UDP, never the sockets of this machine's own services. It sees no environment
    but the given one, which stands on the command line and so must hold no secret. With `linger` the kernel does not
    end it when we are killed: it must end itself when its stdin ends, after it has saved.
    """
    if sys.platform == "win32":
        return command
    asked = {
        "command": command,
        "readable": [str(path) for path in readable],
        "writable": [str(path) for path in writable or ()],
        "seconds": seconds,
        "network": network,
        "environment": dict(environment or {}),
        "parent": os.getpid(),
        "linger": linger,
    }
    code = _CODE.format(root=str(Path(__file__).parents[2]))
    return [sys.executable, "-I", "-S", "-B", "-c", code, json.dumps(asked)]


def main(argument: str) -> NoReturn:
    """`argument` is the JSON of `confined`."""
    asked: dict[str, Any] = json.loads(argument)
    seconds = {} if asked["seconds"] is None else {"RLIMIT_CPU": int(asked["seconds"]) + 1}
    limits = {"RLIMIT_FSIZE": _FILE_BYTES, "RLIMIT_NOFILE": _OPEN_FILES, "RLIMIT_CORE": 0}
    linux.limit(limits | seconds, strict=False)
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            Path("/proc/self/oom_score_adj").write_text("1000")  # the system is short of memory: this one goes first
        if not asked["linger"]:
            linux.die_with_parent()
        if os.getppid() != asked["parent"]:
            os._exit(1)
        linux.give_up_privileges()
        with contextlib.suppress(OSError):
            names = _NAMES if asked["network"] else ()
            readable = _existing([*asked["readable"], *_SYSTEM, *names])
            linux.landlock(readable, _existing([*asked["writable"], *_DEVICES]), network=asked["network"])
        with contextlib.suppress(OSError):
            seccomp.apply([seccomp.INTERNET, seccomp.INTERNET6] if asked["network"] else [], keep_modes=True)
    os.execve(asked["command"][0], asked["command"], asked["environment"])


def _existing(names: list[str]) -> list[Path]:
    return [path for path in map(Path, names) if path.exists()]
