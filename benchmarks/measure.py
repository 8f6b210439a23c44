"""The parts that whole-process benchmarks share: programs, numbers of runs, stored figures and tables."""

from __future__ import annotations

import datetime
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
PEERS = ROOT / ".venv-bench" / "bin"
RESULTS = Path(__file__).parent / "results"
MISSING = "not installed, which `make bench` does"
OURS = [str(Path(sys.executable).with_name("autocraft"))]

Json = dict[str, Any]
Row = Mapping[str, Any]


@dataclass(frozen=True)
class Cost:
    """One run: seconds of wall and CPU, peak memory in MB."""

    wall: float
    cpu: float
    memory: float


@dataclass
class Place:
    """A folder for one benchmark. It is on the disk of the checkout, so syncing costs as much as in use."""

    folder: Path
    environment: dict[str, str] = field(default_factory=dict)

    def run(self, command: Sequence[str], *, until: str = "end", expected: Sequence[int] = (0,)) -> Cost:
        """Measure one run of `command`. Any exit code but `expected` stops the benchmark."""
        meter = [sys.executable, "-I", "-S", str(Path(__file__).with_name("meter.py")), until, os.devnull, *command]
        done = subprocess.run(meter, cwd=self.folder, env=self.environment, capture_output=True, text=True)
        figures = done.stdout.split()
        if done.returncode or len(figures) != 4 or int(figures[3]) not in expected:
            code = figures[3] if len(figures) == 4 else done.returncode
            raise SystemExit(f"benchmarks: {' '.join(command)} ended with {code}: {done.stderr.strip()[-800:]}")
        return Cost(*map(float, figures[:3]))


@contextmanager
def place() -> Iterator[Place]:
    """Yield an empty folder, and an environment without the developer's own settings."""
    build = ROOT / "build"
    build.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=build, prefix="benchmark-") as name:
        kept = {variable: os.environ[variable] for variable in ("PATH", "LANG", "LC_ALL") if variable in os.environ}
        environment = kept | {
            "HOME": name,
            "TERM": "xterm-256color",
            "PYTHONUTF8": "1",
            "AUTOCRAFT_STATE_DIR": f"{name}/state",
            "LLM_USER_PATH": f"{name}/llm",
            "MSWEA_SILENT_STARTUP": "1",
            "MSWEA_CONFIGURED": "1",
            "MSWEA_GLOBAL_CONFIG_DIR": f"{name}/mini",
        }
        yield Place(Path(name), environment)


def peer(name: str) -> list[str] | None:
    """Return the command of a program of `.venv-bench`, or None if it is not installed."""
    return [str(PEERS / name)] if (PEERS / name).exists() else None


def has_peer(package: str) -> bool:
    return any(PEERS.parent.glob(f"lib/python*/site-packages/{package}"))


def spread(values: Sequence[float]) -> list[float]:
    """Return [median, smallest, largest]."""
    return [statistics.median(values), min(values), max(values)]


def machine() -> Json:
    """Return what the figures depend on, without the name of the machine."""
    load = round(os.getloadavg()[0], 2)
    now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    python, system = platform.python_version(), f"{platform.system()} {platform.machine()}"
    return {"measured": now, "python": python, "system": system, "cores": os.cpu_count(), "load_before": load}


# ------------------------------------------------------------ kept and printed


def kept(name: str) -> Json:
    """Return the stored figures, by row, or {} without any."""
    try:
        rows: Json = json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))["rows"]
    except (OSError, ValueError, KeyError):
        return {}
    return rows


def keep(name: str, about: Row, rows: Mapping[str, Row | None]) -> None:
    RESULTS.mkdir(exist_ok=True)
    text = json.dumps({**about, "rows": _rounded(rows)}, indent=1)
    (RESULTS / f"{name}.json").write_text(text + "\n", encoding="utf-8")


def _rounded(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _rounded(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_rounded(each) for each in value]
    return round(value, 4) if isinstance(value, float) else value


def change(now: Sequence[float], before: Row | None, field: str) -> str:
    """Return how the median changed from the stored figures, and whether this is within the spread of both."""
    if not before or field not in before or before[field][0] <= 0:
        return "new"
    old = before[field]
    percent = 100 * (now[0] - old[0]) / old[0]
    inside = now[1] <= old[2] and old[1] <= now[2]
    return f"{percent:+.0f} %{' (within the spread)' if inside else ''}"


def print_table(title: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    widths = [max(len(row[column]) for row in (head, *rows)) for column in range(len(head))]
    print(f"\n{title}\n")
    for row in (head, ["-" * width for width in widths], *rows):
        first, *others = (
            cell.ljust(w) if at == 0 else cell.rjust(w) for at, (cell, w) in enumerate(zip(row, widths, strict=True))
        )
        print("  ".join([first, *others]).rstrip())


def print_machine(about: Row) -> None:
    print(
        f"Python {about['python']}, {about['system']}, {about['cores']} cores, load {about['load_before']} at the start"
    )
