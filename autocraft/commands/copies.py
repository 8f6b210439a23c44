"""The copies of what is overwritten or deleted, in the session's `undo/`, named by hash.

They are always synced, because they are the last ones. Neighbour: `files.py` keeps before it changes.
"""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from autocraft.durable import write_atomic
from autocraft.errors import CommandError


class UndoCopies:
    """A folder of copies, made with the first of them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def keep(self, data: bytes) -> str:
        """Keep `data`; returns its name. Raises CommandError where it cannot, so that nothing is changed then."""
        name = sha(data)
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not (self._folder / name).exists():
                write_atomic(self._folder / name, data, mode=0o600, sync=True)
        except OSError as error:
            why = error.strerror or str(error)
            raise CommandError(f"no undo copy can be kept ({why}), so nothing was changed; free some space") from None
        return name

    def get(self, name: str, file: str, expected: str) -> bytes:
        """The copy `name` of `file`. Raises CommandError unless its hash is `expected`."""
        try:
            data = (self._folder / name).read_bytes() if re.fullmatch("[0-9a-f]{64}", name) else b""
        except OSError:
            data = b""
        if sha(data) != expected:
            raise CommandError(f"the undo copy of {file} is gone or damaged; nothing was changed")
        return data


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
