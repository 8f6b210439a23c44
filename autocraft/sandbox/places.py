"""The folders of a run folder that a program gets: one list, used to create, mount, open and hand them over."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple


class Place(NamedTuple):
    """One folder: its name in the run folder, its path in the program's own root, and whether it is writable."""

    name: str
    mounted: str
    writable: bool

    def path(self, folder: Path, *, inside: bool) -> str:
        """Return its path for the program: in the program's own root if `inside`, otherwise in the run folder."""
        return f"/{self.mounted}" if inside else str(folder / self.name)


WORK = Place("work", "workspace", writable=True)
TMP = Place("tmp", "tmp", writable=True)
SHM = Place("shm", "dev/shm", writable=True)
PYTHON = Place("python", "python", writable=False)
PLACES = (WORK, TMP, SHM, PYTHON)
