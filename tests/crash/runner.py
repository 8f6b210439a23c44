"""Carries out a run that kills itself with SIGKILL at a named point: ``runner.py POINT NTH SCRIPT [attended]``.

SCRIPT is a file of answers, or ``resume``. With ``attended``, the run asks about every command on standard input.

Nothing of autocraft is replaced. The points are around the journal's writes, the registry's calls and SQLite's own
commits. They only count, and kill the process at the chosen one.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections import Counter
from collections.abc import Callable
from typing import Any

from autocraft.app import Request, Run, open_request
from autocraft.session.journal import E

EVENTS = ("answer", "reply", "decision", "intent", "result", "end")
POINTS = (
    *(f"{when} {event}" for event in EVENTS for when in ("before", "after")),
    "before effect",
    "after effect",
    "before commit",
    "after commit",
)


class Points:
    """Counts how often each point was passed, and kills the process at the chosen one."""

    def __init__(self, name: str, nth: int) -> None:
        self.target = (name, nth)
        self.passed: Counter[str] = Counter()

    def pass_by(self, name: str) -> None:
        self.passed[name] += 1
        if (name, self.passed[name]) == self.target:
            os.kill(os.getpid(), signal.SIGKILL)


def lay(run: Run, points: Points) -> None:
    """Put the points around the real parts of an open run."""
    context = run.context
    append, call, add = context.journal.append, context.registry.call, context.memory.add

    def watched_append(event: E, *, sync: bool = False) -> E:
        points.pass_by(f"before {event.type}")
        written = append(event, sync=sync)
        points.pass_by(f"after {event.type}")
        return written

    async def watched_call(bound: Any) -> Any:
        points.pass_by("before effect")
        result = await call(bound)
        points.pass_by("after effect")
        return result

    def watched_add(*args: Any, **fields: Any) -> Any:
        watch_commits(context.memory, points.pass_by)
        row = add(*args, **fields)
        points.pass_by("after commit")
        return row

    context.journal.append = watched_append  # type: ignore[method-assign]
    context.registry.call = watched_call  # type: ignore[method-assign, assignment]
    context.memory.add = watched_add  # type: ignore[method-assign]


def watch_commits(memory: Any, pass_by: Callable[[str], None]) -> None:
    """Put a point before each commit: SQLite reports every statement just before it carries it out."""
    import sqlite3

    for value in vars(memory).values():
        if isinstance(value, sqlite3.Connection):
            value.set_trace_callback(lambda said: pass_by("before commit") if said.startswith("COMMIT") else None)


async def killed_run(name: str, nth: int, request: Request) -> int:
    """Carry out a run that is killed when it passes the point `name` for the `nth` time."""
    run = await open_request(request)
    points = Points(name, nth)
    lay(run, points)
    end = await run.go()
    print(dict(points.passed), file=sys.stderr)
    return end.exit


if __name__ == "__main__":
    point, count, script = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    chosen: dict[str, Any] = {"continuous": None if sys.argv[4:] == ["attended"] else True}
    if script != "resume":
        chosen |= {"brain": "scripted", "script": script, "inventory": "oak_log=64,cobblestone=3"}
    wanted = ["get 40 oak_planks"] if script != "resume" else []
    request = Request(wanted, chosen, "last" if script == "resume" else "", json=True)
    sys.exit(asyncio.run(killed_run(point, count, request)))
