"""Learning without a model: brains, seeds and ablations side by side, and how well skills are found for tasks.

``python -m benchmarks.learning --brains oracle novice --seeds 1 2 3`` runs each brain with each seed on the practice
server, and ``--ablations`` names what the novice goes without. ``--workers`` is how many run at once, here or, with
``--engine ray``, on a cluster. The tables go to docs/learning.md. The figures of all runs are kept in
results/learning.json, so a table may be filled in several steps.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Self

from autocraft.evaluation.engines import LocalEngine, RayEngine, Task
from autocraft.learning.accuracy import accuracy
from autocraft.learning.progress import Progress
from autocraft.session.events import Event
from benchmarks.learning_page import ABLATIONS, write_page
from benchmarks.measure import OURS, ROOT, keep, kept, machine, place

TASKS = Path(__file__).with_name("retrieval_tasks.jsonl")
SKILLS = [ROOT / "tests" / "skills" / name for name in ("retrieval.jsonl", "retrieval_second.jsonl")]
PRETENDS = "It is done."
"""What only a program that is wrong on purpose says."""
MATERIALS = {"wood": "wooden", "stone": "stone", "iron": "iron", "diamond": "diamond"}
TOOLS = ("pickaxe", "axe", "sword", "shovel", "hoe")
JOURNAL = ("BRAIN", "SEED", "ABLATION", "FILE")
"""What is given of a run that was recorded before, with `autocraft learn --json`."""
SECONDS = 6 * 3600
"""The longest run."""


@dataclass
class Run:
    """The figures of one run. `milestones` has the iteration of the first tool of a material."""

    brain: str
    seed: int
    ablation: str
    iterations: int
    items: int = 0
    milestones: dict[str, int] = field(default_factory=dict)
    ticks: int = 0
    effects: int = 0
    deaths: int = 0
    cheats: int = 0
    edges: tuple[int, int] = (0, 0)
    """How many learned edges the game's data confirms, of how many."""
    why: str = ""

    @property
    def key(self) -> str:
        return f"{self.brain} {self.seed} {self.ablation} {self.iterations}"

    @classmethod
    def from_events(cls, brain: str, seed: int, ablation: str, lines: Sequence[str]) -> Self:
        """Return the figures of a run from the lines that `autocraft learn --json` prints."""
        progress, found = Progress(), cls(brain, seed, ablation, 0)
        for line in lines:
            data = json.loads(line)
            if data.get("seq") is not None:
                progress.apply(Event.from_json(data))
            match data["type"]:
                case "result" if data["agent"] == "program" and data["ok"]:
                    found.effects += 1
                case "note" if "The bot died" in data["text"]:
                    found.deaths += 1
                case "end":
                    found.cheats, found.why = data.get("assisted", 0), data["why"]
            found.ticks = data.get("ticks") or found.ticks
        found.iterations, found.items = progress.iteration, len(progress.milestones)
        for material, word in MATERIALS.items():
            at = [progress.milestones[each][0] for tool in TOOLS if (each := f"{word}_{tool}") in progress.milestones]
            if at:
                found.milestones[material] = min(at)
        found.edges = accuracy(progress.graph)
        return found


@dataclass(frozen=True)
class Learning:
    """Runs one brain to its last iteration, for the engines of the evaluation. A task's id is brain and ablation."""

    iterations: int
    packages: bool

    async def play(self, task: Task) -> Run:
        """Return the figures of one run. Raises SystemExit if it printed nothing."""
        brain, _, ablation = task.id.partition(" ")
        seed = str(task.seed)
        command = [*OURS, "learn", "--brain", brain, "--seed", seed, "--chance-seed", seed, "--continuous"]
        command += ["--json", "--speed", "0", "--iterations", str(self.iterations), *ABLATIONS[ablation]]
        with place() as there:
            environment = there.environment | ({"HOME": str(Path.home())} if self.packages else {})
            process = await asyncio.create_subprocess_exec(
                *command, cwd=there.folder, env=environment, stdin=DEVNULL, stdout=PIPE, stderr=PIPE
            )
            async with asyncio.timeout(SECONDS):
                out, errors = await process.communicate()
        if not out:
            said = errors.decode(errors="replace")[-800:]
            raise SystemExit(f"benchmarks: {' '.join(command)} ended with {process.returncode}: {said}")
        task.folder.mkdir(parents=True, exist_ok=True)
        (task.folder / "events.jsonl").write_bytes(out)
        return Run.from_events(brain, task.seed, ablation, out.decode().splitlines())

    async def close(self) -> None:
        """Do nothing: a run leaves nothing open."""


def confusion(lines: Sequence[str]) -> dict[str, dict[str, int]]:
    """Return how the world judged programs that are known to be wrong, and the others, from a run of
    `tests.learning.faulty`: how many of each there were, reached their task and were kept as skills."""
    told = {kind: {"programs": 0, "reached": 0, "kept": 0} for kind in ("wrong", "others")}
    kind = "others"
    for line in lines:
        data = json.loads(line)
        match data["type"], data.get("command"):
            case "reply", "run_program":
                kind = "wrong" if PRETENDS in data["args"]["code"] else "others"
            case "attempt", _:
                told[kind]["programs"] += 1
                told[kind]["reached"] += data["outcome"] == "goal"
            case "intent", "save_skill":
                told[kind]["kept"] += 1
    return told


def retrieval() -> dict[str, list[float]]:
    """Return the share of tasks whose skill is among the nearest 1 to 5, for the tasks and for the other words."""
    from autocraft.skills.index import Index
    from autocraft.skills.skill import Draft
    from autocraft.skills.store import Library

    rows = [json.loads(line) for path in SKILLS for line in path.read_text(encoding="utf-8").splitlines()]
    tasks = [json.loads(line) for line in TASKS.read_text(encoding="utf-8").splitlines()]
    asked = {
        "tasks in the curriculum's words": [(row["task"], row["skill"]) for row in tasks],
        "questions that share no word with the skill": [(row["question"], row["name"]) for row in rows],
    }
    with tempfile.TemporaryDirectory() as folder:
        library = Library(Path(folder))
        for row in rows:
            library.save(row["name"], Draft(description=row["description"], code=row["code"]))
        index = Index(library)
        found = {}
        for name, pairs in asked.items():
            near = [([match.entry.name for match in index.search(text)], skill) for text, skill in pairs]
            found[name] = [sum(skill in names[:top] for names, skill in near) / len(near) for top in range(1, 6)]
        return found


def options_of(words: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.learning", description=__doc__)
    parser.add_argument("--brains", nargs="*", default=["oracle", "novice"])
    parser.add_argument("--seeds", nargs="*", type=int, default=[1, 2, 3])
    parser.add_argument("--ablations", nargs="*", choices=list(ABLATIONS), default=[], help="runs of the novice")
    parser.add_argument("--iterations", type=int, default=160)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--engine", choices=["local", "ray"], default="local")
    parser.add_argument("--packages", action="store_true", help="use the Node packages of your own home folder")
    parser.add_argument("--wrong", type=Path, metavar="FILE", help="what `python -m tests.learning.faulty` printed")
    parser.add_argument(
        "--journal", nargs=4, action="append", default=[], metavar=("BRAIN", "SEED", "ABLATION", "FILE")
    )
    return parser.parse_args(words)


async def main(words: Sequence[str]) -> None:
    options = options_of(words)
    about = machine()
    rows: dict[str, Any] = kept("learning")
    for brain, seed, ablation, file in options.journal:
        found = Run.from_events(brain, int(seed), ablation, Path(file).read_text(encoding="utf-8").splitlines())
        rows[found.key] = asdict(found)
    if options.wrong is not None:
        rows["wrong"] = confusion(options.wrong.read_text(encoding="utf-8").splitlines())
    wanted = [(brain, seed, "none") for brain in options.brains for seed in options.seeds]
    wanted += [("novice", seed, name) for name in options.ablations for seed in options.seeds if name != "none"]
    engine = RayEngine(options.workers) if options.engine == "ray" else LocalEngine(options.workers)
    journals = ROOT / "build" / "learning"
    tasks = [
        Task(f"{brain} {ablation}", seed, journals / f"{brain}-{ablation}-{seed}") for brain, seed, ablation in wanted
    ]
    async for found in engine.play(tasks, Learning(options.iterations, options.packages)):
        rows[found.key] = asdict(found)
        print(f"{found.key}: {found.why} Its events are in {journals}")
        keep("learning", about, rows)
    rows["retrieval"] = retrieval()
    keep("learning", about, rows)
    write_page(rows)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
