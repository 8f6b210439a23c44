"""Confines a program of others, such as an MCP server, in the sandbox of the model's own programs.

It sees the system's libraries and programs, its own files, the paths among its arguments, an empty home folder, and
what the person lets it see. `Reach` says what that is. The guard of `children.py` carries the job out.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from autocraft.errors import CommandError
from autocraft.sandbox import linux
from autocraft.sandbox.folder import SHM, TMP, WORK, SandboxFolder
from autocraft.sandbox.protection import confining_parts
from autocraft.sandbox.start import program_paths, system_paths

_MOST_SCRIPTS = 4
_FIRST_LINE = re.compile(rb"#! *(\S+) *([^\s=]*)")


@dataclass(frozen=True)
class Reach:
    """What a confined program may use besides the system and its own files: paths that it reads or writes."""

    read: tuple[str, ...] = ()
    write: tuple[str, ...] = ()
    network: bool = False


def seen_by(command: Sequence[str], cwd: str, reach: Reach) -> list[tuple[Path, bool]]:
    """Return the paths that a confined program is shown, each with whether it may write there; outer ones first.

    Raises CommandError for a path that there is not, and for the whole file system.
    """
    named = {Path(each).expanduser(): False for each in (cwd, *reach.read) if each}
    named |= {Path(each).expanduser(): True for each in reach.write}
    for path in named:
        if not path.exists():
            raise CommandError(f"it is to see {path}, which is not there: create it, or correct its settings")
    arguments = [Path(each) for each in command[1:] if each.startswith("/") and "\0" not in each]
    paths = {path: False for path in arguments if _exists(path)} | named
    if any(path.resolve() == Path("/") for path in paths):
        raise CommandError("it is given the whole file system, so nothing could confine it: name single folders")
    return sorted(paths.items(), key=lambda item: len(item[0].parts))


def confinement(
    folder: SandboxFolder, command: Sequence[str], cwd: str, reach: Reach, environment: Mapping[str, str]
) -> tuple[str, dict[str, str]]:
    """Return the job for the guard, and the environment of the program with its own home folder.

    `folder` holds what the program writes outside of the paths that it may change. Raises CommandError.
    """
    system = system_paths(network=reach.network)
    places = [(place.name, place.mounted, place.writable) for place in (WORK, TMP, SHM)]
    own = [(path, False) for path in program_paths(_programs(Path(command[0]), environment))]
    for path, writable in (*own, *seen_by(command, cwd, reach)):
        if writable or not any(path.is_relative_to(each) for each in system):
            places.append((str(path), str(path).lstrip("/"), writable))
    home, temporary = f"/{WORK.mounted}", f"/{TMP.mounted}"
    job = {
        "parts": confining_parts(),
        "network": reach.network,
        "uid": None,
        "folder": str(folder.path),
        "places": places,
        "cwd": str(Path(cwd).expanduser()) if cwd else home,
        "argv": list(command),
        "system": [str(path) for path in system],
        "readable": ["/"],
        "writable": [*map(str, linux.DEVICES), *(f"/{name}" for _, name, writable in places if writable)],
        "limits": {"RLIMIT_CORE": 0},
        "nice": 0,
    }
    return json.dumps(job), {**environment, "HOME": home, "TMPDIR": temporary}


def _programs(program: Path, environment: Mapping[str, str]) -> Iterator[Path]:
    """Yield the program under each of its names, and the interpreter that its first line names, and so on."""
    for _ in range(_MOST_SCRIPTS):
        yield from (program, program.resolve())
        try:
            with program.open("rb") as file:
                found = _FIRST_LINE.match(file.readline(500))
        except OSError:
            return
        if found is None:
            return
        first, second = (part.decode("utf-8", "surrogateescape") for part in found.groups())
        name = shutil.which(second, path=environment.get("PATH")) if Path(first).name == "env" and second else first
        if name is None:
            return
        program = Path(name)


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # an argument that no path can be
        return False
