"""Confines this process and then becomes a Node child, of a program or of Minecraft. Standard library only.

The kernel forbids what the `--permission` of Node allows: sockets, other files, other processes, and to outlive the
parent. A program runs in WebAssembly and cannot reach these. They are a second barrier if WebAssembly has a hole.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path

from autocraft.sandbox import linux, seccomp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

_FILE_BYTES = 4 << 20
_OPEN_FILES = 128
"""Enough for the connections of a listener of Node, see `worlds/minecraft/node/shared/limits.js`."""
_SYSTEM = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/nix/store", "/gnu/store", "/etc/ld.so.cache", "/proc/self")
_DEVICES = ("/dev/null", "/dev/urandom")
_NAMES = ("/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", "/etc/host.conf", "/etc/gai.conf", "/etc/services")
"""Files for the resolution of host names, readable if the network is allowed."""
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
    """Return the command line that runs `command` with access to these files only. `seconds` limits its processor time.

    With `network` it may use TCP and UDP, but never sockets of local services. `environment` is its whole environment.
    It is on the command line, so it must hold no secret. With `linger`, the kernel does not end the command when this
    process is killed, and the command must save and end itself when its stdin ends.
    """
    if sys.platform == "win32":
        return command
    job = {
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
    return [sys.executable, "-I", "-S", "-B", "-c", code, json.dumps(job)]


def main(argument: str) -> NoReturn:
    """Confine this process and become the command. `argument` is the JSON of `confined`."""
    job: dict[str, Any] = json.loads(argument)
    seconds = {} if job["seconds"] is None else {"RLIMIT_CPU": int(job["seconds"]) + 1}
    limits = {"RLIMIT_FSIZE": _FILE_BYTES, "RLIMIT_NOFILE": _OPEN_FILES, "RLIMIT_CORE": 0}
    linux.limit(limits | seconds, strict=False)
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            Path("/proc/self/oom_score_adj").write_text("1000")  # the first to end if memory is short
        if not job["linger"]:
            linux.die_with_parent()
        if os.getppid() != job["parent"]:
            os._exit(1)
        linux.give_up_privileges()
        with contextlib.suppress(OSError):
            names = _NAMES if job["network"] else ()
            readable = _existing([*job["readable"], *_SYSTEM, *names])
            linux.landlock(readable, _existing([*job["writable"], *_DEVICES]), network=job["network"])
        with contextlib.suppress(OSError):
            seccomp.apply([seccomp.INTERNET, seccomp.INTERNET6] if job["network"] else [], keep_modes=True)
    os.execve(job["command"][0], job["command"], job["environment"])


def _existing(names: list[str]) -> list[Path]:
    return [path for path in map(Path, names) if path.exists()]
