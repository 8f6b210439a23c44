"""Checks the folder for the file commands: it must be possible to create it, and nothing in it may be obeyed."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable
from pathlib import Path

from autocraft.commands.workspace import Workspace
from autocraft.errors import UsageError
from autocraft.settings.config import Config
from autocraft.settings.obeyed import Started, check_workspace
from autocraft.text.characters import well_formed


def open_workspace(config: Config, verb: str = "run", started: Iterable[Started] = ()) -> Workspace:
    """Return the workspace of these settings. Its first file creates the folder.

    `verb` is that of the run's mode, and `started` are the MCP servers that it uses. Raises UsageError if the folder
    cannot be created, or would hold something that autocraft starts or obeys.
    """
    try:
        Path.cwd()
    except OSError:
        raise UsageError("the current folder is gone: change to one that exists") from None
    root = config.run.workspace.expanduser().absolute()
    if well_formed(str(root)) != str(root):
        raise UsageError(f"the workspace {str(root)!r} is not UTF-8: rename that folder, or choose another")
    try:
        _check_makable(root)
        root = root.resolve()
    except (OSError, RuntimeError) as error:
        why = getattr(error, "strerror", None) or "a loop of symlinks"
        raise UsageError(f"cannot make the workspace {root}: {why}; choose another with --workspace") from None
    workspace = Workspace(root)
    check_workspace(root, config, verb, started)
    return workspace


def _check_makable(root: Path) -> None:
    """Raise OSError if the folder does not exist and cannot be created."""
    nearest = next(path for path in (root, *root.parents) if os.path.lexists(path))
    if not nearest.is_dir():
        raise FileExistsError(errno.EEXIST, "a file or a broken symlink is in its place")
    if nearest != root and not os.access(nearest, os.W_OK | os.X_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
