"""What a program gets of its run folder: one list, from which the folders are made, mounted, opened and handed over.

Counting needs no list: `RunFolder.usage` takes the whole run folder, in which every place lies.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple


class Place(NamedTuple):
    """One folder: its name in the run folder, where it is in a root of the program's own, who may write there."""

    name: str
    mounted: str
    writable: bool

    def path(self, folder: Path, *, inside: bool) -> str:
        """Where the program finds it: `inside` a root of its own, or in the run folder itself."""
        return f"/{self.mounted}" if inside else str(folder / self.name)


WORK = Place("work", "workspace", writable=True)
TMP = Place("tmp", "tmp", writable=True)
SHM = Place("shm", "dev/shm", writable=True)
PYTHON = Place("python", "python", writable=False)
PLACES = (WORK, TMP, SHM, PYTHON)
