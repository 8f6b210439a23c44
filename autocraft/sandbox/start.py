"""What the launcher needs to start a program: the interpreter, its limits, and the parts of the system that it may
see."""

from __future__ import annotations

import contextlib
import json
import math
import os
import secrets
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autocraft.sandbox import linux, processes
from autocraft.sandbox.folder import PLACES, PYTHON, TMP, WORK, SandboxFolder
from autocraft.sandbox.settings import CodeSettings

SUPERVISOR_ENVIRONMENT = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8"}
_UIDS = range(62_000, 65_000)
_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/gnu/store")
_SETTINGS = ("ld.so.cache", "ld.so.conf", "ld.so.conf.d", "localtime", "alternatives")
_NETWORK = ("resolv.conf", "hosts", "nsswitch.conf", "services", "ssl", "pki", "ca-certificates")
_CODE = "import sys; sys.path.append({root!r}); from autocraft.sandbox.launcher import main; main(sys.argv[1])"
_OPEN_FILES = 128


@dataclass(frozen=True)
class Protection:
    """The protection in force; without `parts` there are only limits. `python` runs programs, without site-packages."""

    parts: tuple[str, ...]
    python: Path
    network: bool = False

    @property
    def in_words(self) -> str:
        """Return one line for the person and the model."""
        parts = self.parts
        if "namespaces" in parts:
            files = "it sees only its copy and the system's libraries"
        elif "landlock" in parts:
            files = "it can open only its copy and the system's libraries"
        elif "uid" in parts:
            files = "it can read what everybody may read and write where everybody may write"
        else:
            files = "it can do what you can, they are NOT protected"
        network = "allowed" if self.network else "blocked" if parts else "NOT blocked"
        end = "ended as a whole" if parts else "ended as far as they are found; it can end yours"
        return f"Protection: {', '.join(parts) or 'limits only'}; files: {files}; network: {network}; processes: {end}"


def supervisor_command(
    protection: Protection, folder: SandboxFolder, argv: Sequence[str], settings: CodeSettings, report: int
) -> list[str | bytes]:
    """Hand the copy over to the user of a program, and return the command line of its supervisor.

    `argv` is the program's file, relative to the copy, and its arguments. `report` is the descriptor that the
    supervisor inherits for its report.
    """
    inside = "namespaces" in protection.parts
    uid = unused_uid() if "uid" in protection.parts else None
    _make_python(folder.path / PYTHON.name, protection.python)
    folder.hand_over(uid, open_to_it=not inside)
    home, temporary, python = (place.path(folder.path, inside=inside) for place in (WORK, TMP, PYTHON))
    system = [*map(str, (*system_paths(network=protection.network), *program_paths([protection.python])))]
    readable, writable = ["/"] if inside else list(system), [str(device) for device in linux.DEVICES]
    for place in PLACES:
        (writable if place.writable else readable).append(place.path(folder.path, inside=inside))
    job = {
        "parts": protection.parts,
        "network": protection.network,
        "uid": uid,
        "folder": str(folder.path),
        "places": PLACES,
        "cwd": home,
        "argv": [f"{python}/bin/python", "-E", "-s", "-B", "-u", "-X", "utf8", f"{home}/{argv[0]}", *argv[1:]],
        "environment": SUPERVISOR_ENVIRONMENT
        | {
            "HOME": home,
            "TMPDIR": temporary,
            "MALLOC_ARENA_MAX": "2",  # otherwise each thread takes 64 MB of the limit
        },
        "system": system,
        "readable": readable,
        "writable": writable,
        "limits": _limits(settings, uid, protection),
        "nice": 10,
        "seconds": settings.seconds,
        "report": report,
    }
    code = _CODE.format(root=str(Path(__file__).parents[2]))
    text = json.dumps(job, ensure_ascii=False)  # the kernel takes 128 KB at once, which escapes would pass
    return [sys.executable, "-I", "-S", "-B", "-X", "utf8", "-c", code, text.encode("utf-8", "surrogateescape")]


class Report:
    """The pipe through which the launcher reports; closed at the end of a ``with`` block.

    `writing` is the end for the launcher. `close_writing` closes it in this process.
    """

    def __init__(self) -> None:
        self._reading, self.writing = os.pipe()
        os.set_blocking(self._reading, False)

    def __enter__(self) -> Report:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close_writing()
        os.close(self._reading)

    def close_writing(self) -> None:
        if self.writing >= 0:
            os.close(self.writing)
        self.writing = -1

    def read(self) -> dict[str, Any]:
        """Return all reports until now, which is everything once the launcher has ended. A torn line is dropped."""
        data = b""
        facts: dict[str, Any] = {}
        with contextlib.suppress(BlockingIOError):
            while piece := os.read(self._reading, 1 << 16):
                data += piece
        for line in data.split(b"\n")[:-1]:
            facts |= json.loads(line)
        return facts


def system_paths(*, network: bool) -> list[Path]:
    """Return what a program may read of the system: libraries and programs."""
    names = [*_SYSTEM, *(f"/etc/{name}" for name in _SETTINGS + (_NETWORK if network else ()))]
    return [path for path in map(Path, names) if path.exists()]


def program_paths(programs: Iterable[Path]) -> list[Path]:
    """Return what these programs need that is not the system's: folders of their prefix, or the program alone."""
    paths: list[Path] = []
    for program in programs:
        prefix = program.parent.parent
        if program.parent.name == "bin":
            paths += [prefix / name for name in ("bin", "lib", "lib64", "pyvenv.cfg")]
        else:
            paths.append(program)
    system = [Path(name) for name in _SYSTEM]
    paths = [path for path in paths if not any(path.is_relative_to(each) for each in system)]
    return [path for path in dict.fromkeys(paths) if path.exists()]


def may_change_user() -> bool:
    """Return whether this process is root, and not in a user namespace without other ids."""
    if os.geteuid() != 0:
        return False
    try:
        ranges = [list(map(int, line.split())) for line in Path("/proc/self/uid_map").read_text().splitlines()]
    except OSError:
        return True
    return any(first <= _UIDS[0] and _UIDS[-1] < first + count for first, _, count in ranges)


def unused_uid() -> int:
    """Return a user id that nobody has: no account, no process."""
    import pwd

    accounts = {entry.pw_uid for entry in pwd.getpwall()}
    while True:
        uid = secrets.choice(_UIDS)
        if uid not in accounts and not processes.of_user(uid):
            return uid


def _make_python(folder: Path, python: Path) -> None:
    """Make an empty virtual environment, which is Python's own way to leave out every site-packages."""
    (folder / "bin").mkdir(mode=0o755)
    (folder / "bin").chmod(0o755)
    (folder / "bin" / "python").symlink_to(python)
    config = folder / "pyvenv.cfg"
    config.write_text(f"home = {python.parent}\ninclude-system-site-packages = false\n")
    config.chmod(0o644)


def _limits(settings: CodeSettings, uid: int | None, protection: Protection) -> dict[str, int]:
    limits = {
        "RLIMIT_AS": settings.memory_mb << 20,
        "RLIMIT_CPU": math.ceil(settings.seconds) + 1,
        "RLIMIT_FSIZE": settings.file_mb << 20,
        "RLIMIT_NOFILE": _OPEN_FILES,
        "RLIMIT_CORE": 0,
        "RLIMIT_MEMLOCK": 0,
        "RLIMIT_MSGQUEUE": 0,
    }
    if sys.platform == "linux":  # elsewhere the person's own processes count, and there is no /proc to count them
        limits["RLIMIT_NPROC"] = settings.processes + (0 if uid is not None else _counted_already(protection))
    return limits


def _counted_already(protection: Protection) -> int:
    """Return how many processes and threads of this user the kernel counts against the program's limit."""
    numbers = os.uname().release.split("-")[0].split(".")[:2]
    kernel = tuple(int(number) if number.isdigit() else 0 for number in numbers)
    if "namespaces" in protection.parts and kernel >= (5, 14):
        return 0  # counted for each user namespace apart
    own = set(processes.of_user(os.getuid()))
    return sum(process.threads for process in processes.all_processes() if process.pid in own)
