"""The folder of the file commands: refused where it cannot be made, or would hold what steers autocraft."""

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
    """Open the folder; the first file makes it. Raises UsageError for one that may not be a workspace."""
    here = _current_folder()
    root = path.expanduser().absolute()
    if well_formed(str(root)) != str(root):
        raise UsageError(f"the workspace {str(root)!r} is no UTF-8: rename that folder, or choose another")
    try:
        _check_makable(root)
        root = root.resolve()
    except (OSError, RuntimeError) as error:
        why = getattr(error, "strerror", None) or "a loop of symlinks"
        raise UsageError(f"cannot make the workspace {root}: {why}; choose another with --workspace") from None
    ours = {
        "the state folder": state_root,
        "autocraft itself": Path(autocraft.__file__).parent,
        "our prompts": prompt_folder(),
        "your own configuration": own_file(),
    }
    for name, kept in ours.items():
        if kept.resolve().is_relative_to(root):
            raise UsageError(f"the workspace {root} would hold {name}: choose another with --workspace")
        if root.is_relative_to(kept.resolve()):
            raise UsageError(f"the workspace {root} lies in {name}: choose another with --workspace")
    if any(each.resolve().is_relative_to(root) for each in (here, *(here / name for name in FOLDER_FILES))):
        raise UsageError(
            f"the workspace {root} would hold .env and autocraft.toml of this folder: choose another with --workspace"
        )
    return Workspace(root)


def _check_makable(root: Path) -> None:
    """Raise OSError if the folder is missing and cannot be made."""
    there = next(each for each in (root, *root.parents) if os.path.lexists(each))
    if not there.is_dir():
        raise FileExistsError(errno.EEXIST, "a file or a broken symlink is in its place")
    if there != root and not os.access(there, os.W_OK | os.X_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))


def _current_folder() -> Path:
    """The current folder. Raises UsageError when somebody has deleted it."""
    try:
        return Path.cwd()
    except OSError:
        raise UsageError("the current folder is gone: change to one that exists") from None
