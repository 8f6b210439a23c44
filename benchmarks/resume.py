"""Measures the time and the memory to resume a long run, with the snapshot of its fold and without it.

`Journal.append` writes the journal event by event, as in a run. Each resume is `autocraft run --resume` in a process
of its own, which ends at once because its limit of steps is reached.
``python -m benchmarks.resume 600000`` measures one length.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from autocraft.goals import Goal
from autocraft.protocols import Risk
from autocraft.session.events import Answer, Decision, Event, Goals, Intent, Reply, Result
from autocraft.session.folder import create
from autocraft.session.journal import Journal
from autocraft.session.snapshot import FILE
from autocraft.usage import Usage
from benchmarks.measure import (
    OURS,
    Cost,
    Json,
    Place,
    Row,
    change,
    keep,
    kept,
    machine,
    place,
    print_machine,
    print_table,
    spread,
)

LENGTHS = {6_000: 5, 60_000: 3, 600_000: 3}
"""Events of a run, and how often each of its resumes is measured."""
AIM_SECONDS, AIM_MB = 3.0, 300.0
HERE = {"slots": {"I1": ["oak_log", 1]}}
THERE = {"slots": {"I36": ["oak_log", 1]}}


def build(root: Path, workspace: Path, events: int) -> Path:
    """Write a session of so many events into the state folder `root`. Return its folder."""
    session = create(root)
    journal = Journal(session.folder)
    options = {"brain": "planner", "world": "crafting", "workspace": str(workspace), "memory": "none", "max_steps": 1}
    goals = (Goal("craft 1 stick", (("stick", 1),)),)
    journal.append(Goals(session=session.id, goals=goals, options=options, world=HERE, continuous=True))
    turn = 0
    while journal.seq < events:
        turn += 1
        for event in _turn(turn, session.id, journal):
            if journal.seq < events:
                journal.append(event)
    journal.close()
    session.close()
    return session.folder


def _turn(turn: int, session: str, journal: Journal) -> Iterator[Event]:
    """Yield answers: three in four move an item to and fro, one in five appends a line, one in twenty is refused."""
    name, args = "move", {"source": "[I1]", "target": "[I36]", "quantity": 1}
    if turn % 4 == 0:
        name, args = "append_to_file", {"file": "log.txt", "text": f"line {turn}\n"}
    thoughts = {"text": f"Turn {turn}: I use {name}.", "reasoning": "It is the next step.", "plan": ["go on", "look"]}
    text = f'{{"thoughts": {{"text": "Turn {turn}: I use {name}."}}, "command": {{"name": "{name}"}}}}'
    journal.turns["main"] = turn
    answer: Json = {"text": text, "finish_reason": "stop", "reasoning": "", "refusal": "", "tool_calls": []}
    used: Json = {"usage": Usage(1200 + turn % 300, 80), "cost": 0.0004, "seconds": 0.8}
    yield Answer(**answer, **used, heard=journal.seq)
    yield Reply(stage="plain", thoughts=thoughts, command=name, args=args)
    refused = turn % 20 == 0
    decided: Json = {"kind": "refuse", "by": "person"} if refused else {"kind": "run", "by": "continuous"}
    remark = f"remark {turn}: use birch" if refused else ""
    yield Decision(**decided, command=name, args=args, risk=Risk.CHANGE, left=0, always=False, feedback=remark, why="")
    if refused:
        return
    evidence = {"do": name, "file": "log.txt", "before": "0" * 64, "after": "1" * 64, "size": 8 * turn}
    id = f"{session}:{journal.seq + 1}"
    yield Intent(id=id, command=name, args=args, risk=Risk.CHANGE, evidence=evidence if turn % 4 == 0 else {})
    world = None if turn % 4 == 0 else THERE if turn % 2 else HERE
    said = f"Done, as turn {turn} asked. oak_log: 1 in the inventory."
    yield Result(intent=journal.seq, command=name, ok=True, text=said, seconds=0.02, world=world)


def measure(lengths: Mapping[int, int]) -> Json:
    """Write a run of each length, then resume it in turn from the first event and from the snapshot."""
    rows: Json = {}
    with place() as where:
        for events, times in lengths.items():
            state = where.folder / f"{events}"
            folder = build(state, where.folder / "files", events)
            size = (folder / "events.jsonl").stat().st_size / 1e6
            whole, short = [], []
            for _ in range(times):
                (folder / FILE).unlink(missing_ok=True)
                whole.append(resume(where, state))
                short.append(resume(where, state))
            rows[f"{events:,}"] = {"journal_mb": size, **_figures("start", whole), **_figures("snapshot", short)}
    return rows


def resume(where: Place, state: Path) -> Cost:
    command = [*OURS, "run", "--resume", "last", "--continuous", "--json", "--state-dir", str(state)]
    return where.run(command, expected=(3,))


def _figures(name: str, costs: list[Cost]) -> Json:
    return {
        f"{name}_s": spread([cost.wall for cost in costs]),
        f"{name}_cpu": spread([cost.cpu for cost in costs]),
        f"{name}_mb": spread([cost.memory for cost in costs]),
    }


def show(rows: Json, before: Row) -> None:
    shown = []
    for name, row in rows.items():
        cells = [f"{row['journal_mb']:.0f}"]
        for way in ("start", "snapshot"):
            cells += [f"{row[f'{way}_s'][0]:.2f}", f"{row[f'{way}_cpu'][0]:.2f}", f"{row[f'{way}_mb'][0]:.0f}"]
        cells.append(f"{row['start_s'][0] / row['snapshot_s'][0]:.1f} x")
        shown.append([name, *cells, change(row["snapshot_s"], before.get(name), "snapshot_s")])
    head = ["events", "journal MB", "all: s", "CPU s", "peak MB", "snapshot: s", "CPU s", "peak MB", "faster", "change"]
    print_table("A resume, from the first event and from the snapshot", head, shown)
    name, row = list(rows.items())[-1]
    seconds, memory = row["snapshot_s"][0], row["snapshot_mb"][0]
    reached = "reached" if seconds < AIM_SECONDS and memory < AIM_MB else "missed"
    print(f"\n{name} events: {seconds:.2f} s, {memory:.0f} MB; aim {AIM_SECONDS:g} s and {AIM_MB:g} MB {reached}")


def main() -> None:
    asked = [int(each) for each in sys.argv[1:] if each.isdigit()]
    about, before = machine(), kept("resume")
    rows = measure(dict.fromkeys(asked, 3) or LENGTHS)
    show(rows, before)
    print_machine(about)
    if not asked:
        keep("resume", about, rows)


if __name__ == "__main__":
    main()
