"""The runner of `runner.py` with a snapshot after every few events, and points around the writing of each snapshot.

``python -m tests.crash.often POINT NTH SCRIPT``.
"""

from __future__ import annotations

import asyncio
import sys
from typing import Any

from autocraft.app import Request
from autocraft.session import snapshot
from autocraft.session.atomic import write_atomic
from tests.crash import runner

EVERY = 7
POINTS = ("before snapshot", "in snapshot", "after snapshot")


def lay(points: runner.Points) -> None:
    """Put the points around the file of a snapshot."""

    def watched(path: Any, data: bytes, **options: Any) -> None:
        points.pass_by("before snapshot")
        path.with_name(f".{path.name}.half.tmp").write_bytes(data[: len(data) // 2])
        points.pass_by("in snapshot")
        write_atomic(path, data, **options)
        points.pass_by("after snapshot")

    snapshot.write_atomic = watched  # type: ignore[attr-defined]


if __name__ == "__main__":
    point, count, script = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    points_of = runner.Points
    snapshot.EVERY = EVERY

    class Watched(points_of):
        """The points of the runner, and those of snapshots."""

        def __init__(self, name: str, nth: int) -> None:
            super().__init__(name, nth)
            lay(self)

    runner.Points = Watched  # type: ignore[misc]
    resuming = script == "resume"
    chosen: dict[str, Any] = {"continuous": True}
    if not resuming:
        chosen |= {"brain": "scripted", "script": script, "inventory": "oak_log=64,cobblestone=3"}
    wanted = [] if resuming else ["get 40 oak_planks"]
    request = Request(wanted, chosen, "last" if resuming else "", json=True)
    sys.exit(asyncio.run(runner.killed_run(point, count, request)))
