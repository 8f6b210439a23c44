"""Finds all that autocraft starts or obeys, and refuses a workspace that holds any of it, since the model writes there.

A setting with the mark `runs` names such a thing. A program is named by words, and each word may be a path: of the
program, of what an interpreter runs, of a folder. Nobody can tell which, so each that lies in the workspace counts.
"""

from __future__ import annotations

import dataclasses
import os
import re
import shlex
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, NamedTuple

from autocraft.errors import UsageError
from autocraft.features import MODES
from autocraft.settings.fields import SECTIONS
from autocraft.settings.sources import FOLDER_FILES, own_file

if TYPE_CHECKING:
    from autocraft.settings.config import Config

_SECTIONS = ("commands", "console", "gate", "learn", "mcp", "memory", "run", "session", "skills")
"""The sections with such settings, so that a run imports no others."""
VARIABLES = (
    *("AUTOCRAFT_NODE", "AUTOCRAFT_NODE_MODULES", "AUTOCRAFT_SANDBOX_MODULES", "AUTOCRAFT_VIEW_MODULES"),
    *("PAGER", "MANPAGER", "LESSOPEN", "VISUAL", "EDITOR", "BASH_ENV", "ENV", "NODE_OPTIONS", "NODE_PATH"),
    *("PYTHONPATH", "PYTHONHOME", "PYTHONUSERBASE", "LD_PRELOAD", "LD_LIBRARY_PATH", "DYLD_INSERT_LIBRARIES"),
    *("DYLD_LIBRARY_PATH", "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"),
    *("NODE_EXTRA_CA_CERTS", "PGPASSFILE", "PGSERVICEFILE", "PGSYSCONFDIR", "PGSSLROOTCERT", "NPM_CONFIG_USERCONFIG"),
)
"""The variables by which autocraft, its libraries and the programs that it starts find what they run and trust."""
_PARTS = re.compile(r"[\s'\"`;&|<>()\[\]{},=:@!?*]+")
_VARIABLE = re.compile(r"\$(?:\{(?:env:)?(\w+)\}|(\w+))")
_LONGEST = 4_096
_CODE = (".py", ".pyz", ".js", ".mjs", ".cjs", ".ts", ".rb", ".pl", ".php", ".lua", ".sh")


class Started(NamedTuple):
    """A program that autocraft starts, or a text that may name one."""

    what: str
    """The setting that names it."""
    words: Sequence[str]
    folder: Path
    """The folder that it runs in."""
    environment: Mapping[str, str]
    values: Sequence[str] = ()
    """Values of its own environment."""


class _Place(NamedTuple):
    """Something that is run or obeyed. Of a `whole` folder everything is, so no workspace may lie in it."""

    what: str
    path: Path
    whole: bool = False
    of_person: bool = False
    """Whether the person filled the folder, so that links in it may lead anywhere."""


def check_workspace(root: Path, config: Config, verb: str = "run", started: Iterable[Started] = ()) -> None:
    """Raise UsageError if a run with this workspace could change what autocraft starts or obeys.

    `verb` is that of the run's mode, and `started` are the other MCP servers that it uses.
    """
    workspace = _Workspace(root)
    for what, path, whole, of_person in _places(config, verb, started):
        if workspace.holds(path):
            raise UsageError(
                f"the workspace {root} would hold {what} ({path}), where the model could change it: move that "
                "elsewhere, or choose another workspace with --workspace"
            )
        if whole and (workspace.lies_in(path) or (of_person and (link := workspace.link_in(path, config)))):
            how = "lies in" if workspace.lies_in(path) else f"is reached by {link} in"
            raise UsageError(f"the workspace {root} {how} {what} ({path}): choose another workspace with --workspace")


class _Workspace:
    """A folder whose place is compared by its name and by what it is on the disk."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._stat = _stat(root)

    def holds(self, path: Path) -> bool:
        """Tell whether the model can write to `path`: as it is written, or by links in it."""
        places = {Path(os.path.normpath(path)), path}
        with suppress(OSError, RuntimeError, ValueError):
            places |= {path.resolve(), path.parent.resolve() / path.name}
        return any(self._is_in(each, self.root, self._stat) for each in places)

    def lies_in(self, folder: Path) -> bool:
        with suppress(OSError, RuntimeError):
            folder = folder.resolve()
        return self._is_in(self.root, folder, _stat(folder))

    def link_in(self, folder: Path, config: Config) -> Path | None:
        """Return a symlink below a folder that leads into the workspace. Return None if there is none.

        The state folder holds only what autocraft itself made, and may be large.
        """
        if folder == config.session.root:
            return None
        for top, folders, files in os.walk(folder):
            for name in (*folders, *files):
                if (path := Path(top, name)).is_symlink() and self.holds(path):
                    return path
        return None

    @staticmethod
    def _is_in(path: Path, folder: Path, folder_stat: tuple[int, int] | None) -> bool:
        return path.is_relative_to(folder) or (
            folder_stat is not None and any(_stat(each) == folder_stat for each in (path, *path.parents))
        )


def _stat(path: Path) -> tuple[int, int] | None:
    """Return what tells a folder from all others, whatever its name. Return None if there is none."""
    try:
        status = path.stat()
    except (OSError, ValueError):
        return None
    return status.st_dev, status.st_ino


# ------------------------------------------------------------ what is run or obeyed


def _places(config: Config, verb: str, started: Iterable[Started]) -> Iterator[_Place]:
    """Yield all that autocraft starts or obeys with these settings."""
    yield from _fixed(config)
    programs = list(started)
    for section, field in marked():
        if section in MODES and section != verb and section != "run":
            continue  # of another mode
        value: Any = getattr(config.section(section), field.name)
        what = f"what {section}.{field.name} names"
        if isinstance(value, Path):
            yield _Place(what, config.folder / value, whole=True, of_person=True)
        elif isinstance(value, str) and value:
            programs.append(Started(what, _words(value), config.folder, config.environment))
    for name in VARIABLES:
        if value := config.environment.get(name):
            words = [value, *value.split(os.pathsep)]
            programs.append(Started(f"what the variable {name} names", words, config.folder, config.environment))
    for each in programs:
        for path in _paths_of(each):
            yield _Place(each.what, path)


def marked() -> Iterator[tuple[str, dataclasses.Field[Any]]]:
    """Yield section and field of each setting that names something that is run or obeyed."""
    for section in _SECTIONS:
        for field in dataclasses.fields(resolve_name(SECTIONS[section])):
            if field.metadata.get("runs"):
                yield section, field


def _fixed(config: Config) -> Iterator[_Place]:
    """Yield what every run obeys, whatever is set."""
    import autocraft
    from autocraft.node import node_root
    from autocraft.text.prompts import prompt_folder

    yield _Place("the state folder, which is what session.state_dir names", config.session.root, whole=True)
    yield _Place("autocraft itself", Path(autocraft.__file__).parent, whole=True)
    yield _Place("its prompts", prompt_folder(), whole=True)
    yield _Place("your own configuration", own_file())
    yield _Place("the packages of Node", node_root(), whole=True)
    yield _Place("Python", Path(sys.executable))
    yield from (_Place("modules of Python", Path(entry)) for entry in sys.path if entry and Path(entry).is_absolute())
    for folder in {Path.cwd(), config.folder}:
        yield from (_Place("the current folder or its settings", folder / name) for name in ("", *FOLDER_FILES))


# ------------------------------------------------------------ the paths in the words of a program


def _words(text: str) -> list[str]:
    """Return the words of a command line."""
    try:
        return shlex.split(text)
    except ValueError:  # the part that starts it says what is wrong
        return text.split()


def _paths_of(started: Started) -> Iterator[Path]:
    """Yield each path that may be run or read by a program: of its words, their parts, its folder, its values."""
    yield started.folder
    search = started.environment.get("PATH", os.defpath)
    texts = [_filled(text, started.environment) for text in (*started.words, *started.values)]
    parts = list(dict.fromkeys(part for text in texts for part in _parts(text)))
    parts += [part for path in _files(parts, started.folder) for part in _parts(_first_line(path))]
    folders = [
        started.folder,
        Path.cwd(),
        *(Path(part) for part in parts if part.startswith("/") and Path(part).is_dir()),
    ]
    for part in dict.fromkeys(parts):
        yield from (folder / part for folder in folders)
        if "/" not in part and (hit := shutil.which(part, path=search)):
            yield Path(hit)
    if started.words and "/" not in started.words[0]:
        yield from _searched(started.words[0], search)
    for path in _files(parts, started.folder):  # what it imports from beside it
        yield from _links_beside(path, search)


def _searched(program: str, search: str) -> Iterator[Path]:
    """Yield the folders in which the program is looked for, up to that where it is found."""
    for entry in search.split(os.pathsep):
        yield Path.cwd() / entry
        if shutil.which(program, path=entry):
            return


def _filled(text: str, environment: Mapping[str, str]) -> str:
    """Return the text with the values of variables, also the home folder."""
    text = _VARIABLE.sub(lambda match: environment.get(match[1] or match[2], match[0]), text)
    return re.sub(r"(?<![^\s'\"=:,(])~(?=/|$)", lambda match: environment.get("HOME", "~"), text)


def _parts(text: str) -> Iterator[str]:
    """Yield every part of a text that may be a path: the whole, its words, and what separators leave of them."""
    for part in (text, *_words(text), *_PARTS.split(text), *(each[2] for each in _options(text))):
        for piece in (part, part[part.find("/") :] if "/" in part else ""):
            if piece and len(piece) < _LONGEST and "\0" not in piece:
                yield re.sub("^/+", "/", piece)


def _options(text: str) -> Iterator[tuple[str, str, str]]:
    """Yield what stands before and behind each ``=`` and ``:``, as in ``--dir=/a folder``."""
    yield from (text.partition(mark) for mark in "=:")


def _files(parts: Iterable[str], folder: Path) -> list[Path]:
    """Return the files among the parts."""
    files = []
    for part in parts:
        with suppress(OSError, ValueError):
            if (folder / part).is_file():
                files.append(folder / part)
    return list(dict.fromkeys(files))


def _first_line(path: Path) -> str:
    """Return the interpreter that a script names in its first line. Return "" for anything else."""
    try:
        with path.open("rb") as file:
            line = file.readline(500)
    except OSError:
        return ""
    return line[2:].decode("utf-8", "replace").strip() if line.startswith(b"#!") else ""


def _links_beside(path: Path, search: str) -> Iterator[Path]:
    """Yield the symlinks in the folder of a file of code, which it may import. A folder of programs has too many."""
    if path.suffix not in _CODE or str(path.parent) in search.split(os.pathsep):
        return
    with suppress(OSError), os.scandir(path.parent) as entries:
        yield from (Path(entry.path) for entry in entries if entry.is_symlink())
