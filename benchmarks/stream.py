"""Measures how soon a key shows while an answer streams at 200 tokens a second, and what a token costs.

The real program runs in a pseudo-terminal against a model's server on loopback.
"""

from __future__ import annotations

import os
import random
import select
import signal
import statistics
import subprocess
import sys
import termios
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.endpoint import FIRST_WORD, LAST_WORDS, RATE
from benchmarks.measure import (
    MISSING,
    OURS,
    ROOT,
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

KEYS = "".join(map(chr, range(0x0410, 0x0450)))
"""Letters that neither the answer nor the program has, so one on the screen is a pressed key."""
KEY_ROUNDS = 2
KEY_GAP = 0.06, 0.20
"""Seconds between two keys. They are random, since a rhythm could match that of the redraws."""
PATIENCE = 5.0
"""Seconds after which a key counts as lost."""
ROWS, COLUMNS = 50, 200
STREAMING, SILENT = "autocraft, an answer streams", "autocraft, the model is silent"
PROMPT = "prompt_toolkit, a bare prompt"

FEW, MANY = 200, 2_000
"""Tokens of the two answers whose difference is measured."""
COST_ROUNDS = 3
QUESTION = "or enter feedback for"
RUN = [*OURS, "run", "--brain", "openai", "--goal", "craft 1 stone_pickaxe"]
LLM_MODELS = """\
- model_id: {model}
  model_name: {model}
  api_base: {address}
"""


@contextmanager
def endpoint(where: Place) -> Iterator[Place]:
    """Yield the place with a model's server. Programs read its address from their environment."""
    command = [sys.executable, "-m", "benchmarks.endpoint"]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdin is not None and server.stdout is not None
        address = server.stdout.readline().strip()
        models = where.folder / "llm" / "extra-openai-models.yaml"
        models.parent.mkdir()
        models.write_text("".join(LLM_MODELS.format(model=f"stream-{n}", address=address) for n in (FEW, MANY)))
        try:
            yield replace(where, environment=where.environment | {"OPENAI_BASE_URL": address, "OPENAI_API_KEY": "none"})
        finally:
            server.stdin.close()  # this ends the server


def asking(where: Place, model: str) -> Place:
    return replace(where, environment=where.environment | {"SMART_LLM_MODEL": model})


# ------------------------------------------------------------ from key press to screen


@dataclass
class Terminal:
    """A program in a pseudo-terminal of its own."""

    child: int
    heard: int
    shown: bytes = b""

    def read_until(self, wanted: bytes, seconds: float) -> float | None:
        """Return the moment at which `wanted` was on the screen. Return None after so many seconds."""
        begun, seen = time.perf_counter(), max(0, len(self.shown) - len(wanted))
        while True:
            now = time.perf_counter()
            if wanted and wanted in self.shown[seen:]:
                return now
            left = begun + seconds - now
            if left <= 0 or not select.select([self.heard], [], [], left)[0]:
                return None
            seen = max(seen, len(self.shown) - len(wanted))
            try:
                self.shown += os.read(self.heard, 65536)
            except OSError:  # on Linux: the program has ended
                return None

    def fail(self, why: str) -> SystemExit:
        return SystemExit(f"benchmarks: {why}: {self.shown[-800:].decode(errors='replace')}")


@contextmanager
def terminal(where: Place, command: Sequence[str]) -> Iterator[Terminal]:
    child, heard = os.forkpty()
    if not child:
        try:
            os.chdir(where.folder)
            os.execve(command[0], list(command), where.environment)
        finally:
            os._exit(127)
    termios.tcsetwinsize(heard, (ROWS, COLUMNS))
    try:
        yield Terminal(child, heard)
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(heard)


def press_keys(where: Place, command: Sequence[str], ready: str, seed: int) -> tuple[list[float], int]:
    """Press keys. Return the seconds from each key to the screen, and the bytes a second that the program wrote."""
    dice = random.Random(seed)
    with terminal(where, command) as shown:
        if shown.read_until(ready.encode(), 30) is None:
            raise shown.fail(f"{command[0]} never showed {ready!r}")
        shown.read_until(b"", 1.0)  # the output of the start is not measured
        taken, begun, before = [], time.perf_counter(), len(shown.shown)
        for key in KEYS:
            shown.read_until(b"", dice.uniform(*KEY_GAP))
            pressed = time.perf_counter()
            os.write(shown.heard, key.encode())
            seen = shown.read_until(key.encode(), PATIENCE)
            if seen is None:
                raise shown.fail(f"the key {key} did not show within {PATIENCE:.0f} s")
            taken.append(seen - pressed)
        written = int((len(shown.shown) - before) / (time.perf_counter() - begun))
        _check(shown)
    return taken, written


def _check(shown: Terminal) -> None:
    """Check that the screen shows every key in order, and that no question has ended the answer."""
    import pyte

    screen = pyte.Screen(COLUMNS, ROWS)
    pyte.ByteStream(screen).feed(shown.shown)
    if not any(KEYS in row for row in screen.display):
        raise shown.fail("what was typed does not stand on the screen")
    if QUESTION.encode() in shown.shown:
        raise shown.fail("the answer ended before the last key")


def measure_keys(where: Place) -> dict[str, Json | None]:
    plain = [sys.executable, str(Path(__file__).parent / "peers" / "plain_prompt.py")]
    runs = {
        STREAMING: (asking(where, f"stream-{RATE * 30}"), RUN, FIRST_WORD),
        SILENT: (asking(where, "silent-60"), RUN, "thinking"),
        PROMPT: (where, plain, "ready>"),
    }
    taken: dict[str, list[float]] = {name: [] for name in runs}
    written: dict[str, list[float]] = {name: [] for name in runs}
    for seed in range(KEY_ROUNDS):
        for name, (here, command, ready) in runs.items():
            seconds, a_second = press_keys(here, command, ready, seed)
            taken[name] += seconds
            written[name].append(a_second)
    return {name: _latency(taken[name], statistics.mean(written[name])) for name in runs}


def _latency(taken: Sequence[float], written: float) -> Json:
    ms = sorted(1000 * each for each in taken)
    return {"ms": spread(ms), "p95": ms[int(0.95 * (len(ms) - 1))], "keys": len(ms), "bytes_a_second": written}


# ------------------------------------------------------------ what a token costs


def streams() -> dict[str, tuple[list[str], str] | None]:
    """Return the command of each row, where MODEL stands for the model, and the text that shows its end."""
    python, llm = peer("python"), peer("llm")
    sdk = str(Path(__file__).parent / "peers" / "sdk_stream.py")
    return {
        "autocraft, terminal": (RUN, f"terminal:{QUESTION}"),
        "autocraft, pipe": (RUN, f"pipe:{QUESTION}"),
        "llm, terminal": None if llm is None else ([*llm, "-m", "MODEL", "which command?"], f"terminal:{LAST_WORDS}"),
        "llm, null device": None if llm is None else ([*llm, "-m", "MODEL", "which command?"], "end"),
        "openai SDK, shows nothing": None if python is None else ([*python, sdk, "MODEL"], "end"),
    }


def measure_costs(where: Place) -> dict[str, Json | None]:
    """Return CPU seconds for a thousand tokens: the difference of a long and a short answer, by their lengths."""
    rows = streams()
    taken: dict[str, list[float]] = {name: [] for name in rows}
    for _ in range(COST_ROUNDS):
        for name, row in rows.items():
            if row is not None:
                few, many = (_cpu(where, *row, f"stream-{tokens}") for tokens in (FEW, MANY))
                taken[name].append(1000 * (many - few) / (MANY - FEW))
    return {name: {"cpu": spread(all_), "runs": len(all_)} if all_ else None for name, all_ in taken.items()}


def _cpu(where: Place, command: Sequence[str], until: str, model: str) -> float:
    command = [model if part == "MODEL" else part for part in command]
    return asking(where, model).run(command, until=until).cpu


# ------------------------------------------------------------ printed


def show_keys(rows: Mapping[str, Json | None], before: Row) -> None:
    head = ["", "median ms", "p95 ms", "min..max", "x bare prompt", "bytes/s", "change"]
    bare, shown = rows[PROMPT], []
    for name, row in rows.items():
        assert row is not None and bare is not None
        middle, least, most = row["ms"]
        figures = [f"{middle:.1f}", f"{row['p95']:.1f}", f"{least:.1f}..{most:.1f}"]
        figures += ["" if row is bare else f"{middle / bare['ms'][0]:.1f} x", f"{row['bytes_a_second']:,.0f}"]
        shown.append([name, *figures, change(row["ms"], before.get(name), "ms")])
    title = f"From key press to screen while {RATE} tokens a second arrive, {KEY_ROUNDS * len(KEYS)} keys a row"
    print_table(title, head, shown)


def show_costs(rows: Mapping[str, Json | None], before: Row) -> None:
    head = ["", "CPU s", "min..max", "ours is", "change"]
    ours, shown = rows["autocraft, terminal"], []
    for name, row in rows.items():
        if row is None:
            shown.append([f"{name}: {MISSING}", *[""] * 4])
            continue
        middle, least, most = row["cpu"]
        ratio = f"{ours['cpu'][0] / middle:.2f} x" if ours and not name.startswith("autocraft") else ""
        shown.append(
            [name, f"{middle:.3f}", f"{least:.3f}..{most:.3f}", ratio, change(row["cpu"], before.get(name), "cpu")]
        )
    print_table(f"CPU of the process for 1,000 streamed tokens, {RATE} a second, {COST_ROUNDS} runs", head, shown)


def main() -> None:
    about, before = machine(), kept("stream")
    with place() as empty, endpoint(empty) as where:
        keys = measure_keys(where)
        show_keys(keys, before)
        costs = measure_costs(where)
        show_costs(costs, before)
    print_machine(about)
    keep("stream", about, keys | costs)


if __name__ == "__main__":
    main()
