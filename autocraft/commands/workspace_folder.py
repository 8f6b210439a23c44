"""Checks the folder for the file commands: it must be possible to create it, and it must hold no part of autocraft."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import autocraft
from autocraft.commands.workspace import Workspace
from autocraft.errors import UsageError
from autocraft.settings.sources import FOLDER_FILES, own_file
from autocraft.text.characters import well_formed
from autocraft.text.prompts import prompt_folder


def open_workspace(path: Path, state_root: Path) -> Workspace:
    """Return the workspace at `path`. Its first file creates the folder.

    Raises UsageError if the folder cannot be created, or would give the agent access to autocraft's own files.
    """
    try:
        here = Path.cwd()
    except OSError:
        raise UsageError("the current folder is gone: change to one that exists") from None
    root = path.expanduser().absolute()
    if well_formed(str(root)) != str(root):
        raise UsageError(f"the workspace {str(root)!r} is not UTF-8: rename that folder, or choose another")
    try:
        _check_makable(root)
        root = root.resolve()
    except (OSError, RuntimeError) as error:
        why = getattr(error, "strerror", None) or "a loop of symlinks"
        raise UsageError(f"cannot make the workspace {root}: {why}; choose another with --workspace") from None
    folders = {
        "the state folder": state_root,
        "autocraft itself": Path(autocraft.__file__).parent,
        "our prompts": prompt_folder(),
        "your own configuration": own_file(),
    }
    for name, folder in folders.items():
        if folder.resolve().is_relative_to(root):
            raise UsageError(f"the workspace {root} would hold {name}: choose another with --workspace")
        if root.is_relative_to(folder.resolve()):
            raise UsageError(f"the workspace {root} lies in {name}: choose another with --workspace")
    if any(file.resolve().is_relative_to(root) for file in (here, *(here / name for name in FOLDER_FILES))):
        raise UsageError(
            f"the workspace {root} would hold .env and autocraft.toml of this folder: choose another with --workspace"
        )
    return Workspace(root)


def _check_makable(root: Path) -> None:
    """Raise OSError if the folder does not exist and cannot be created."""
    nearest = next(path for path in (root, *root.parents) if os.path.lexists(path))
    if not nearest.is_dir():
        raise FileExistsError(errno.EEXIST, "a file or a broken symlink is in its place")
    if nearest != root and not os.access(nearest, os.W_OK | os.X_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
