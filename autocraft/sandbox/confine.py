"""Becomes the Node child of a program, after giving up what it never needs; standard library only.

What the `--permission` of Node leaves open, the kernel closes where it can: sockets, files but those that are named,
other processes, and outliving us. The machine inside is WebAssembly and reaches none of this; it is for the day on
which that has a hole. Neighbours: `engine.py` starts this, `linux.py` and `seccomp.py` have the system calls.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
from pathlib import Path
from typing import Any, NoReturn

from autocraft.sandbox import linux, seccomp

_LOG_BYTES = 4 << 20
_OPEN_FILES = 64
_SYSTEM = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/nix/store", "/gnu/store", "/etc/ld.so.cache", "/proc/self")
_DEVICES = ("/dev/null", "/dev/urandom")
_CODE = "import sys; sys.path.append({root!r}); from autocraft.sandbox.confine import main; main(sys.argv[1])"


def confined(command: list[str], readable: list[Path], seconds: float) -> list[str]:
    """The command line that runs `command` confined to reading these, and to so much processor time."""
    if sys.platform == "win32":
        return command
    asked = {
        "command": command,
        "readable": [str(path) for path in readable],
        "seconds": seconds,
        "parent": os.getpid(),
    }
    code = _CODE.format(root=str(Path(__file__).parents[2]))
    return [sys.executable, "-I", "-S", "-B", "-c", code, json.dumps(asked)]


def main(argument: str) -> NoReturn:
    """`argument` is the JSON of `confined`."""
    asked: dict[str, Any] = json.loads(argument)
    _limit(int(asked["seconds"]) + 1)
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            Path("/proc/self/oom_score_adj").write_text("1000")  # the system is short of memory: this one goes first
        linux.die_with_parent()
        if os.getppid() != asked["parent"]:
            os._exit(1)
        linux.give_up_privileges()
        with contextlib.suppress(OSError):
            paths = [Path(each) for each in (*asked["readable"], *_SYSTEM)]
            devices = [Path(each) for each in _DEVICES]
            linux.landlock([path for path in paths if path.exists()], devices, network=False)
        with contextlib.suppress(OSError):
            seccomp.apply([], keep_modes=True)
    os.execve(asked["command"][0], asked["command"], {})


def _limit(seconds: int) -> None:
    import resource

    wanted = {"RLIMIT_CPU": seconds, "RLIMIT_FSIZE": _LOG_BYTES, "RLIMIT_NOFILE": _OPEN_FILES, "RLIMIT_CORE": 0}
    for name, value in wanted.items():
        number = getattr(resource, name)
        hard = resource.getrlimit(number)[1]
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(number, (value, value))
