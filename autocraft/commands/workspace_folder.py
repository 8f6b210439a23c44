"""The folder of the file commands: made where it is missing, and refused where it would hold what steers autocraft."""

from __future__ import annotations

from pathlib import Path

import autocraft
from autocraft.commands.workspace import Workspace
from autocraft.errors import UsageError
from autocraft.settings.sources import FOLDER_FILES, own_file
from autocraft.text.characters import well_formed
from autocraft.text.prompts import prompt_folder


def open_workspace(path: Path, state_root: Path) -> Workspace:
    """Open the folder, made if it is missing. Raises UsageError for one that may not be a workspace."""
    here = _current_folder()
    root = path.expanduser().absolute()
    if well_formed(str(root)) != str(root):
        raise UsageError(f"the workspace {str(root)!r} is no UTF-8: rename that folder, or choose another")
    try:
        root.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(
            f"cannot make the workspace {root}: {error.strerror}; choose another with --workspace"
        ) from None
    root = root.resolve()
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


def _current_folder() -> Path:
    """The current folder. Raises UsageError when somebody has deleted it."""
    try:
        return Path.cwd()
    except OSError:
        raise UsageError("the current folder is gone: change to one that exists") from None
