"""Measures how soon autocraft shows its help and the first question of a run, beside its peers."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.measure import (
    MISSING,
    OURS,
    Cost,
    Json,
    Place,
    Row,
    change,
    keep,
    kept,
    machine,
    peer,
    place,
    print_machine,
    print_table,
    spread,
)

RUNS = 9
QUESTION = "or enter feedback for"
FIRST_QUESTION = [*OURS, "run", "--goal", "craft 1 stone_pickaxe"]
HELP_AIM, QUESTION_AIM = 0.15, 0.30


def helps() -> dict[str, list[str] | None]:
    """Return the command that prints the help of each row. It is None for a peer that is not installed."""
    python = peer("python")
    bare = [str(Path(__file__).parent / "peers" / f"{name}.py") for name in ("plain_typer", "plain_typer_no_rich")]
    return {
        "autocraft --help": [*OURS, "--help"],
        "llm --help": _with(peer("llm"), "--help"),
        "mini --help (mini-swe-agent)": _with(peer("mini"), "--help"),
        "typer, one command": _with(python, bare[0], "--help"),
        "typer, one command, no rich": _with(python, bare[1], "--help"),
        "python -c pass": [sys.executable, "-c", "pass"],
    }


def _with(command: list[str] | None, *arguments: str) -> list[str] | None:
    return None if command is None else [*command, *arguments]


def modules(where: Place, command: Sequence[str]) -> int:
    """Return how many modules a Python program imports, as the interpreter reports them."""
    own = command[0].endswith(("/python", "/python3")) or command[0] == sys.executable
    python = [command[0]] if own else [str(Path(command[0]).with_name("python")), command[0]]
    done = subprocess.run(
        [python[0], "-X", "importtime", *python[1:], *command[1:]],
        cwd=where.folder,
        env=where.environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    return sum(line.startswith("import time:") for line in done.stderr.splitlines()) - 1


def measure() -> dict[str, Json | None]:
    """Measure every row. Their runs alternate, so a busy moment affects all of them."""
    rows: dict[str, tuple[list[str], str] | None] = {
        name: None if command is None else (command, "end") for name, command in helps().items()
    }
    rows["first question, terminal"] = FIRST_QUESTION, f"terminal:{QUESTION}"
    rows["first question, pipe"] = FIRST_QUESTION, f"pipe:{QUESTION}"
    taken: dict[str, list[Cost]] = {name: [] for name in rows}
    with place() as where:
        for turn in range(RUNS + 1):
            for name, row in rows.items():
                if row is not None:
                    cost = where.run(row[0], until=row[1])
                    taken[name] += [cost] if turn else []  # the first only warms up
        counted = {name: modules(where, row[0]) for name, row in rows.items() if row and row[1] == "end"}
    return {name: _figures(taken[name], counted.get(name)) if taken[name] else None for name in rows}


def _figures(costs: Sequence[Cost], counted: int | None) -> Json:
    return {
        "wall": spread([cost.wall for cost in costs]),
        "cpu": spread([cost.cpu for cost in costs]),
        "memory": spread([cost.memory for cost in costs]),
        "modules": counted,
        "runs": len(costs),
    }


def show(rows: dict[str, Json | None], before: Row) -> None:
    head = ["", "wall s", "min..max", "CPU s", "peak MB", "modules", "ours is", "change"]
    ours = rows["autocraft --help"]
    shown = []
    for name, row in rows.items():
        if row is None:
            shown.append([f"{name}: {MISSING}", *[""] * 7])
            continue
        wall = row["wall"]
        ratio = f"{ours['wall'][0] / wall[0]:.2f} x" if ours and not name.startswith(("autocraft", "first")) else ""
        figures = [f"{wall[0]:.3f}", f"{wall[1]:.3f}..{wall[2]:.3f}", f"{row['cpu'][0]:.3f}"]
        figures += [f"{row['memory'][0]:.1f}", str(row["modules"] or ""), ratio]
        shown.append([name, *figures, change(wall, before.get(name), "wall")])
    print_table(f"Start-up: median of {RUNS} runs after a warm-up, whole process", head, shown)
    for name, aim in (
        ("autocraft --help", HELP_AIM),
        ("first question, terminal", QUESTION_AIM),
        ("first question, pipe", QUESTION_AIM),
    ):
        row = rows[name]
        if row is not None:
            said = "reached" if row["wall"][0] <= aim else "missed"
            print(f"Aim for {name}: {aim:.2f} s, {said} ({row['wall'][0]:.3f} s)")


def main() -> None:
    about, before = machine(), kept("start")
    rows = measure()
    show(rows, before)
    print_machine(about)
    keep("start", about, rows)


if __name__ == "__main__":
    main()
