"""Plays random goals in both worlds, with faults and restarts, until the time is up. `make soak` runs this.

A run is killed (signal 9), told to leave (signal 15), loses the end of its journal's last line, or loses a process of
Minecraft. Then it is resumed. Nothing is lost if the complete lines of the journal are still its beginning, and if a
replay of the session gives the same results. A fault is recovered if its run came to its end. `SOAK_MINUTES` is the
time (30 by default), `SOAK_SEED` repeats the choices, `SOAK_WORLDS` names the worlds.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

GOALS = {
    "crafting": (
        *("craft 1 stone_pickaxe", "get 8 torch", "craft 1 ladder", "craft 2 stick and 1 chest", "craft 1 furnace"),
        *("get 1 bookshelf", "craft 1 bucket", "get 3 oak_slab", "craft 1 cake", "craft 1 diamond_block"),
    ),
    "minecraft": ("mine 2 oak_log", "craft 1 crafting_table", "get 4 stick", "craft 1 wooden_pickaxe"),
}
FAULTS = {"crafting": ("kill", "leave", "torn line"), "minecraft": ("kill", "leave", "torn line", "child")}
MOST_FAULTS, MOST_EVENTS = 4, 12
"""The most faults of a run, and before how many further events each happens."""
PROPER = (0, 5)
"""Exit codes of a run that ended: reached, or proven impossible. Not a limit, since it could hide a circle."""
HANGS = 300.0


@dataclass
class Soak:
    """The figures of one world."""

    world: str
    runs: int = 0
    faults: Counter[str] = field(default_factory=Counter)
    counts: Counter[str] = field(default_factory=Counter)
    """``steps``, ``recovered``, ``lost`` and ``processes`` that outlived their run."""
    memory: int = 0
    """The most memory of one process of a run, in kB."""
    handles: int = 0
    """The most open files of the program itself."""
    troubles: list[str] = field(default_factory=list)

    def row(self) -> list[str]:
        told = ", ".join(f"{often} {name}" for name, often in sorted(self.faults.items())) or "none"
        figures = [self.counts[name] for name in ("steps", "recovered", "lost", "processes")]
        steps, recovered, lost, left = (f"{figure:,}" for figure in figures)
        return [
            self.world, f"{self.runs:,}", steps, f"{self.faults.total():,} ({told})", recovered, lost,
            f"{self.memory / 1024:,.0f} MB", f"{self.handles:,}", left,
        ]  # fmt: skip


HEAD = ["world", "runs", "steps", "faults", "recovered", "lost", "peak memory", "open handles", "processes left"]


def play(soak: Soak, chance: random.Random, folder: Path) -> None:
    """Play some goals to their end, through faults and resumes, and check what is kept."""
    soak.runs += 1
    goals, faults = chance.sample(GOALS[soak.world], chance.randrange(1, 4)), chance.randrange(MOST_FAULTS + 1)
    begin = ["run", *(word for goal in goals for word in ("--goal", goal)), "--world", soak.world]
    begin += ["--max-steps", "400"]
    if soak.world == "minecraft":
        begin += ["--seed", str(chance.randrange(5)), "--speed", "0"]
    elif chance.random() < 0.3:
        begin.append("--low-level")
    arguments, kept, happened = begin, b"", 0
    code = 1
    for number in range(faults + 1):
        wanted = chance.choice(FAULTS[soak.world]) if number < faults else ""
        code = _run(soak, folder, arguments, wanted, chance)
        journal = _journal(folder)
        if journal is None:  # it was stopped before its goal was written, so there is nothing to resume
            continue
        lines = journal.read_bytes()
        if not lines.startswith(kept):
            soak.counts["lost"] += 1
            soak.troubles.append(f"{journal}: lines of before the fault are gone")
        kept = lines[: lines.rfind(b"\n") + 1]
        if wanted and code not in PROPER:
            happened += 1
            soak.faults[wanted] += 1
            if wanted == "torn line":
                journal.write_bytes(lines + b'{"v":4,"seq":9')
        arguments = ["run", "--resume", "last"]
        if code in PROPER:
            break
    _judge(soak, folder, code, happened)


def _judge(soak: Soak, folder: Path, code: int, happened: int) -> None:
    """Count the steps, and replay the session."""
    journal = _journal(folder)
    if journal is None:
        return
    events = [json.loads(line) for line in journal.read_bytes().split(b"\n")[:-1]]
    soak.counts["steps"] += sum(event["type"] == "result" for event in events)
    if code in PROPER:
        soak.counts["recovered"] += happened
    else:
        soak.troubles.append(f"{folder}: ended with {code}")
    again = subprocess.run(
        _command(folder, ["replay", "last"]), env=_environment(folder), cwd=folder, capture_output=True, text=True,
        stdin=subprocess.DEVNULL, timeout=HANGS, check=False,
    )  # fmt: skip
    if again.returncode:
        soak.counts["lost"] += 1
        soak.troubles.append(f"{folder}: the replay says {again.stdout.strip()[-300:] or again.stderr[-300:]}")


def _run(soak: Soak, folder: Path, arguments: Sequence[str], wanted: str, chance: random.Random) -> int:
    """Run until the end, or until the fault after so many events. Return the exit code."""
    child = subprocess.Popen(
        _command(folder, [*arguments, "--continuous", "--json"]), cwd=folder, env=_environment(folder),
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    assert child.stdout is not None
    due, family = chance.randrange(1, MOST_EVENTS) if wanted else 0, {child.pid}
    for number, _ in enumerate(child.stdout, 1):
        family |= _measure(soak, child.pid)
        if number == due:
            _break(child, wanted, sorted(family - {child.pid}), chance)
    code = child.wait(HANGS)
    deadline = time.monotonic() + 10
    while (left := [pid for pid in family - {child.pid} if _alive(pid)]) and time.monotonic() < deadline:
        time.sleep(0.05)
    soak.counts["processes"] += len(left)
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    return code


def _break(child: subprocess.Popen[bytes], wanted: str, others: list[int], chance: random.Random) -> None:
    """Make the fault happen. Without a process of Minecraft the program itself is killed."""
    living = [pid for pid in others if _alive(pid)]
    if wanted == "child" and living:
        os.kill(chance.choice(living), signal.SIGKILL)
    else:
        child.send_signal(signal.SIGTERM if wanted == "leave" else signal.SIGKILL)


def _measure(soak: Soak, pid: int) -> set[int]:
    """Take the memory and the handles of a process with its children. Return their ids."""
    family = [pid]
    for parent in family:
        try:
            tasks = list(Path(f"/proc/{parent}/task").iterdir())
            family += [int(each) for task in tasks for each in (task / "children").read_text().split()]
            status = Path(f"/proc/{parent}/status").read_text()
            peak = next((line for line in status.splitlines() if line.startswith("VmHWM")), "VmHWM 0")
            soak.memory = max(soak.memory, int(peak.split()[1]))
            if parent == pid:
                soak.handles = max(soak.handles, len(list(Path(f"/proc/{pid}/fd").iterdir())))
        except OSError:  # it has just ended
            continue
    return set(family)


def _alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def _journal(folder: Path) -> Path | None:
    """Return the journal of the run. Return None before its first line is complete."""
    found = sorted((folder / "state" / "sessions").glob("*/events.jsonl"))
    return found[-1] if found and b"\n" in found[-1].read_bytes() else None


def _command(folder: Path, arguments: Sequence[str]) -> list[str]:
    return [sys.executable, "-m", "autocraft", *arguments, "--state-dir", str(folder / "state")]


def _environment(folder: Path) -> dict[str, str]:
    """Return an environment without the person's own settings; Node's packages stay where they are."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("OPENAI", "AUTOCRAFT_STATE"))}
    root = str(Path(__file__).resolve().parent.parent)
    return kept | {"PYTHONPATH": root, "MEMORY_EMBEDDER": "lexical", "AUTOCRAFT_WORKSPACE": str(folder / "workspace")}


def table(soaks: Sequence[Soak]) -> str:
    """Return the figures as a table."""
    rows = [HEAD, *(soak.row() for soak in soaks)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEAD))]
    return "\n".join("  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)) for row in rows)


def main(minutes: float, worlds: Sequence[str], seed: int) -> int:
    """Soak each world for its share of the time. Return 1 if anything was lost or not recovered."""
    soaks = []
    for world in worlds:
        soak, chance = Soak(world), random.Random(f"{seed} {world}")
        soaks.append(soak)
        end = time.monotonic() + 60 * minutes / len(worlds)
        while not soak.runs or time.monotonic() < end:
            with tempfile.TemporaryDirectory(prefix="soak-", ignore_cleanup_errors=True) as folder:
                play(soak, chance, Path(folder))
            print(f"{world}: {soak.runs:,} runs, {soak.faults.total():,} faults", file=sys.stderr, flush=True)
    print(f"\nSOAK_SEED={seed}, {minutes:g} minutes\n{table(soaks)}")
    for soak in soaks:
        for trouble in soak.troubles:
            print(f"  {trouble}")
    good = all(not soak.counts["lost"] and soak.counts["recovered"] == soak.faults.total() for soak in soaks)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(
        main(
            float(os.environ.get("SOAK_MINUTES", "30")),
            os.environ.get("SOAK_WORLDS", "crafting,minecraft").split(","),
            int(os.environ.get("SOAK_SEED", str(random.randrange(10**6)))),
        )
    )
