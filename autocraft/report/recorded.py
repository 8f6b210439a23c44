"""The recorded runs that come with autocraft: exports of real runs, which `scripts/make_recorded_runs.py` makes."""

from __future__ import annotations

from pathlib import Path

_FOLDER = Path(__file__).parent / "runs"
_END = ".tar.gz"


def recorded_runs() -> dict[str, Path]:
    """Return the archive of each recorded run by its name."""
    return {path.name.removesuffix(_END): path for path in sorted(_FOLDER.glob(f"*{_END}"))}
