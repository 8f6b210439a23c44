"""Measures what one turn of the loop costs without a model, and whether this stays the same over 10,000 turns.

autocraft runs with its scripted brain and carries out real commands. mini-swe-agent runs its own loop with its own
deterministic model.
"""

from __future__ import annotations

import json
import os
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.measure import (
    MISSING,
    OURS,
    Cost,
    Json,
    Place,
    Row,
    change,
    has_peer,
    keep,
    kept,
    machine,
    peer,
    place,
    print_machine,
    print_table,
    spread,
)

RUNS = {1: 9, 100: 9, 300: 5, 1_000: 3, 10_000: 3}
"""Turns of a run, and how many times it is measured. The longest is measured once with --durable."""
PEER_TURNS = {"loop": (100, 300, 1_000), "lean": (100, 300, 1_000), "shell": (100, 300, 1_000), "saved": (100, 300)}
CYCLE = 20
SHARES = "75 % move, 20 % append_to_file, 5 % memory_add, one task_complete"
AIM = 2.0
"""Milliseconds a turn."""
FLAT = 1.15
"""The last tenth of a run may take this many times the first and still count as flat."""


@dataclass(frozen=True)
class Kind:
    """One way to run a loop of `turns` turns."""

    name: str
    turns: int
    variant: str = ""
    durable: bool = False

    @property
    def row(self) -> str:
        return f"{self.name}, {self.turns:,}"

    @property
    def runs(self) -> int:
        return 1 if self.durable and self.turns == max(RUNS) else RUNS[self.turns]


def kinds() -> list[Kind]:
    """Return every row of the table. A run of one turn measures start and end."""
    ours = [Kind("autocraft", turns) for turns in RUNS]
    ours += [Kind("autocraft --durable", turns, durable=True) for turns in RUNS]
    if not has_peer("minisweagent"):
        return ours
    return ours + [Kind(f"mini-swe-agent {v}", turns, v) for v, all in PEER_TURNS.items() for turns in (1, *all)]


# ------------------------------------------------------------ the script


def write_script(path: Path, turns: int) -> None:
    """Write answers in the form that the prompt asks for. Each turn changes the world or writes a new text."""
    there = False
    args: Json
    with path.open("w", encoding="utf-8") as file:
        for turn in range(1, turns):
            place_in_cycle = turn % CYCLE
            if place_in_cycle == 0:
                name, args = "memory_add", {"string": f"Note {turn}: the chest by the door holds {turn} oak planks."}
            elif place_in_cycle % 4 == 0:
                name, args = "append_to_file", {"file": "log.txt", "text": f"line {turn}\n"}
            else:
                slots = ("I36", "I1") if there else ("I1", "I36")
                name, args, there = "move", {"source": slots[0], "target": slots[1], "quantity": 1}, not there
            file.write(json.dumps(_answer(turn, name, args)) + "\n")
        file.write(json.dumps(_answer(turns, "craft_item", {"name": "oak_planks", "count": 4})) + "\n")


def _answer(turn: int, name: str, args: Json) -> str:
    thoughts = {
        "text": f"Turn {turn}: I use {name}.",
        "reasoning": "It is the next step of the list.",
        "plan": ["go on with the list", "look at the result", "finish"],
        "criticism": "I should not repeat myself.",
        "speak": "On to the next step.",
    }
    return json.dumps({"thoughts": thoughts, "command": {"name": name, "args": args}})


# ------------------------------------------------------------ one run


@dataclass(frozen=True)
class Run:
    """The cost of one run, and its own milliseconds for a turn: all, first tenth, last tenth."""

    cost: Cost
    stamps: Sequence[float]


def run_ours(where: Place, kind: Kind, number: int) -> Run:
    """Run `autocraft run` in a new state folder, so that no run finds another's memory."""
    script, state = where.folder / f"{kind.turns}.jsonl", where.folder / f"ours-{kind.turns}-{kind.durable}-{number}"
    if not script.exists():
        write_script(script, kind.turns)
    command = [*OURS, "run", "--goal", "get 4 oak_planks", "--inventory", "oak_log=1", "--brain", "scripted"]
    command += ["--script", str(script), "--continuous", "--json", "--state-dir", str(state)]
    command += ["--workspace", f"{state}-files", *(["--durable"] if kind.durable else [])]
    cost = where.run(command)
    (journal,) = state.glob("sessions/*/events.jsonl")
    return Run(cost, _journal_stamps(journal, kind.turns))


def _journal_stamps(journal: Path, turns: int) -> list[float]:
    """Return the journal's times from the first answer to the end event. Stop at a run that took another way."""
    stamps, last = [], {}
    with journal.open(encoding="utf-8") as lines:
        for line in lines:
            last = json.loads(line)
            if last["type"] == "answer":
                stamps.append(last["t"])
            elif last["type"] == "result" and not last["ok"]:
                raise SystemExit(f"benchmarks: turn {last['turn']} failed: {last['text']}")
    if len(stamps) != turns or last.get("reason") != "goal_reached":
        raise SystemExit(f"benchmarks: {len(stamps)} turns instead of {turns}: {last.get('why')}")
    return _tenths(stamps)


def _tenths(stamps: Sequence[float]) -> list[float]:
    """Return the time between two answers: over the whole run, its first tenth and its last."""
    if len(stamps) < 2:
        return [0.0, 0.0, 0.0]
    tenth = max(1, len(stamps) // 10)
    last = len(stamps) - 1
    spans = (0, last), (0, tenth), (last - tenth, last)
    return [1000 * (stamps[end] - stamps[start]) / (end - start) for start, end in spans]


def run_mini(where: Place, kind: Kind, number: int) -> Run:
    figures = where.folder / f"mini-{kind.variant}-{kind.turns}-{number}.json"
    program = Path(__file__).parent / "peers" / "mini_swe.py"
    cost = where.run([*(peer("python") or []), str(program), str(kind.turns), kind.variant, str(figures)])
    return Run(cost, json.loads(figures.read_text(encoding="utf-8")))


# ------------------------------------------------------------ all of it


def measure() -> Json:
    """Measure every row. The runs of all but the longest alternate, so a busy moment affects all of them."""
    chosen = kinds()
    taken: dict[str, list[Run]] = {kind.row: [] for kind in chosen}
    with place() as where:
        for kind in chosen:
            if kind.turns == 1:
                _run(where, kind, -1)  # a run that is not measured
        synced: list[float] = []
        for number in range(max(RUNS.values())):
            synced += sync_cost(where.folder)
            for kind in chosen:
                if number < kind.runs:
                    taken[kind.row].append(_run(where, kind, number))
    rows = {}
    for kind in chosen:
        if kind.turns > 1:
            one = taken[Kind(kind.name, 1).row]
            rows[kind.row] = _figures(kind, taken[kind.row], one)
    return {"sync_ms": spread(synced), "rows": rows}


def _run(where: Place, kind: Kind, number: int) -> Run:
    return run_mini(where, kind, number) if kind.variant else run_ours(where, kind, number)


def _figures(kind: Kind, runs: Sequence[Run], one: Sequence[Run]) -> Json:
    """Return milliseconds for a turn, without start and end, which a run of one turn measures."""
    start = statistics.median(run.cost.wall for run in one)
    start_cpu = statistics.median(run.cost.cpu for run in one)
    more = kind.turns - 1
    return {
        "turns": kind.turns,
        "turn": spread([1000 * (run.cost.wall - start) / more for run in runs]),
        "turn_cpu": spread([1000 * (run.cost.cpu - start_cpu) / more for run in runs]),
        "stamped": spread([run.stamps[0] for run in runs]),
        "first_tenth": spread([run.stamps[1] for run in runs]),
        "last_tenth": spread([run.stamps[2] for run in runs]),
        "last_to_first": spread([run.stamps[2] / run.stamps[1] for run in runs]),
        "memory": spread([run.cost.memory for run in runs]),
        "start_wall": start,
        "runs": len(runs),
    }


def sync_cost(folder: Path, times: int = 20) -> list[float]:
    """Return the milliseconds in which this disk syncs one line of a journal, as --durable must."""
    taken = []
    with (folder / "synced").open("ab", buffering=0) as file:
        for _ in range(times):
            file.write(b"x" * 300)
            begun = time.perf_counter()
            os.fsync(file.fileno())
            taken.append(1000 * (time.perf_counter() - begun))
    return taken


def show(figures: Json, before: Row) -> None:
    rows: Row = figures["rows"]
    head = ["ms a turn", "whole", "min..max", "CPU", "stamped", "first 10 %", "last 10 %", "last/first", "peak MB"]
    shown = []
    for name, row in rows.items():
        turn = row["turn"]
        cells = [f"{turn[0]:.2f}", f"{turn[1]:.2f}..{turn[2]:.2f}", f"{row['turn_cpu'][0]:.2f}"]
        cells += [f"{row[field][0]:.2f}" for field in ("stamped", "first_tenth", "last_tenth", "last_to_first")]
        shown.append([name, *cells, f"{row['memory'][0]:.1f}", change(turn, before.get(name), "turn")])
    if not any(name.startswith("mini") for name in rows):
        shown.append([f"mini-swe-agent: {MISSING}", *[""] * 9])
    print_table(f"Overhead of a turn; ours: {SHARES}", [*head, "change"], shown)
    sync = figures["sync_ms"]
    print(f"\nOne sync of this disk: {sync[0]:.2f} ms ({sync[1]:.2f}..{sync[2]:.2f}); --durable syncs every event.")
    print("mini-swe-agent: `loop` runs no command, `lean` also keeps the script out of what is copied each turn,")
    print(
        "`shell` runs `true` in a shell, `saved` also writes the trajectory. Ours carries out and journals every turn."
    )
    for turns in (100, 300, 1_000):
        ours = rows[Kind("autocraft", turns).row]["turn"][0]
        beside = [(v, rows.get(Kind(f"mini-swe-agent {v}", turns).row)) for v in PEER_TURNS]
        said = [f"{v} {ours / row['turn'][0]:.2f} x" for v, row in beside if row]
        if said:
            print(f"Ours at {turns:,} turns beside mini-swe-agent: {', '.join(said)}")
    for name in ("autocraft", "autocraft --durable"):
        longest = rows[Kind(name, max(RUNS)).row]
        flat, cost = longest["last_to_first"][0], longest["turn"][0]
        print(f"{name}, {max(RUNS):,} turns: {cost:.2f} ms, aim under {AIM:g} ms {_said(cost < AIM)};", end=" ")
        print(f"the last tenth takes {flat:.2f} times the first, aim flat (at most {FLAT}) {_said(flat <= FLAT)}")


def _said(reached: bool) -> str:
    return "reached" if reached else "missed"


def main() -> None:
    about, before = machine(), kept("turns")
    figures = measure()
    show(figures, before)
    print_machine(about)
    keep("turns", {**about, "sync_ms": [round(each, 4) for each in figures["sync_ms"]]}, figures["rows"])


if __name__ == "__main__":
    main()
