"""Record the runs that `autocraft replay NAME` plays: real runs of the real program, exported into the package.

`python -m scripts.make_recorded_runs [NAME …]` plays them anew, in some minutes. It needs `make minecraft`.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.commands.programs import with_programs
from tests.worlds.minecraft.playing import node_environment

ROOT = Path(__file__).resolve().parents[1]
RUNS = ROOT / "autocraft" / "report" / "runs"
SEEN = "/recorded"
"""What stands in a recorded run in place of the folder in which it was played."""
PRACTICE = ("--world", "minecraft", "--seed", "12", "--speed", "0")
PLAYED = {
    "stone_pickaxe": ("run", "craft 1 stone_pickaxe", "--inventory", "oak_log=3,cobblestone=3"),
    "iron_pickaxe": ("run", "craft 1 iron_pickaxe", *PRACTICE),
    "diamond_pickaxe": ("run", "craft 1 diamond_pickaxe", *PRACTICE),
    "learning": ("learn", "--iterations", "30", *PRACTICE[2:]),
}
"""Name of a run -> how it is played."""


def record(name: str, folder: Path) -> None:
    """Play a run in an empty home, and export it. Raises SystemExit unless it reached its end."""
    home = {"HOME": str(folder), "PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)}
    home |= {**node_environment(), **with_programs()}
    own = ["--state-dir", "state"]

    def autocraft(*arguments: str) -> None:
        done = subprocess.run([sys.executable, "-m", "autocraft", *arguments, *own], cwd=folder, env=home, check=False)
        if done.returncode:
            raise SystemExit(f"{name}: autocraft {arguments[0]} ended with {done.returncode}")

    autocraft(*PLAYED[name], "--continuous")
    (journal,) = (folder / "state" / "sessions").glob("*/events.jsonl")
    journal.write_text(journal.read_text("utf-8").replace(str(folder), SEEN), "utf-8")
    archive = RUNS / f"{name}.tar.gz"
    autocraft("sessions", "export", "last", "--to", str(archive))
    archive.chmod(0o644)
    print(f"{archive.relative_to(ROOT)}: {archive.stat().st_size:,} bytes")


def main(names: list[str]) -> None:
    RUNS.mkdir(exist_ok=True)
    for name in names or PLAYED:
        with tempfile.TemporaryDirectory() as folder:
            record(name, Path(folder).resolve())


if __name__ == "__main__":
    main(sys.argv[1:])
