"""Measure learning without a model: brains, seeds and ablations, zero-shot tasks, and how well skills are found.

``python -m benchmarks.learning --brains oracle novice --seeds 1 2 3`` runs each brain with each seed on the practice
server. ``--ablations`` names the parts that the novice lacks. ``--zero-shot DIR`` gives the paper's four tasks to each
brain, without skills and with the skills in DIR. ``--workers`` is how many runs play at once, here or, with
``--engine ray``, on a cluster.

The tables go to docs/learning.md. The rows of all runs are in results/learning.json. A run with a row of at least so
many iterations, or with a zero-shot task that was reached, is not played again, unless ``--again`` is given. So several
sessions can fill one table.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import shutil
import sys
import tempfile
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Self

from autocraft.evaluation.engines import ENGINES, Task
from autocraft.learning.progress import Progress
from autocraft.learning.record import TOOLS
from autocraft.session.events import Event
from benchmarks.learning_page import ABLATIONS, ZERO_SHOT, ZERO_SHOT_ITERATIONS, finished, write_page
from benchmarks.measure import OURS, ROOT, keep, kept, machine, place
from benchmarks.novice.graph import Graph
from benchmarks.novice.truth import accuracy

NOVICE = {"PYTHONPATH": f"{ROOT}:{ROOT / 'benchmarks' / 'novice'}"}
"""The environment in which the novice counts as a brain of an installed package."""
TASKS = Path(__file__).with_name("retrieval_tasks.jsonl")
SKILLS = [ROOT / "tests" / "skills" / name for name in ("retrieval.jsonl", "retrieval_second.jsonl")]
PRETENDS = "It is done."
"""The words of the programs that are wrong on purpose."""
MATERIALS = {"wood": "wooden", "stone": "stone", "iron": "iron", "diamond": "diamond"}
SECONDS = 6 * 3600
"""The longest run."""
LIMITS = {"AUTOCRAFT_PROGRAMS_SECONDS": "600", "AUTOCRAFT_PROGRAMS_MINUTES": "600"}
"""Limits by the clock that a busy machine does not reach, so that the same seed gives the same run. Programs are still
limited by their steps, calls and effects."""


@dataclass
class Run:
    """The figures of one run. `milestones` has the iteration of the first tool of a material.

    `ablation` is what the run went without, or its zero-shot task.
    """

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
    reached: bool = False
    """Whether a zero-shot task was reached."""
    why: str = ""

    @property
    def key(self) -> str:
        """Return the name of the row, which a newer run of the same kind replaces."""
        return f"{self.brain} {self.seed} {self.ablation}"

    @classmethod
    def from_events(cls, brain: str, seed: int, ablation: str, lines: Sequence[str]) -> Self:
        """Return the figures of a run from the lines that `autocraft learn --json` prints."""
        progress, graph, found = Progress(), Graph(), cls(brain, seed, ablation, 0)
        for line in lines:
            data = json.loads(line)
            if data.get("seq") is not None:
                event = Event.from_json(data)
                progress.apply(event)
                if event.agent == "main":
                    graph.apply(event)
            match data["type"]:
                case "result" if data["agent"] == "program" and data["ok"]:
                    found.effects += 1
                case "note" if "The bot died" in data["text"]:
                    found.deaths += 1
                case "end":
                    found.cheats, found.why = data.get("assisted", 0), data["why"]
                    found.reached = data["reason"] == "goal_reached"
            found.ticks = data.get("ticks") or found.ticks
        found.iterations, found.items = progress.iteration, len(progress.milestones)
        for material, word in MATERIALS.items():
            at = [progress.milestones[each][0] for tool in TOOLS if (each := f"{word}_{tool}") in progress.milestones]
            if at:
                found.milestones[material] = min(at)
        found.edges = accuracy(graph)
        return found


@dataclass(frozen=True)
class Learning:
    """Plays one run, for the engines of the evaluation. The id of a task is its brain and its ablation.

    `skills` is the folder of the skills that some zero-shot runs get.
    """

    iterations: int
    packages: bool
    skills: Path = Path()

    async def play(self, task: Task) -> Run:
        """Return the figures of one run. Raises SystemExit if it printed nothing."""
        brain, _, ablation = task.id.partition(" ")
        seed, zero_shot = str(task.seed), ablation in ZERO_SHOT
        iterations = ZERO_SHOT_ITERATIONS if zero_shot else self.iterations
        options = ["--brain", brain, "--seed", seed, "--chance-seed", seed, "--iterations", str(iterations)]
        options += ZERO_SHOT[ablation] if zero_shot else ABLATIONS[ablation]
        given = self.skills if zero_shot and "--no-library" not in options else None
        lines = await events_of(options, task.folder, packages=self.packages, skills=given)
        return Run.from_events(brain, task.seed, ablation, lines)

    async def close(self) -> None:
        """Do nothing: a run leaves nothing open."""


async def events_of(
    options: Sequence[str], folder: Path, *, packages: bool = False, skills: Path | None = None
) -> list[str]:
    """Return the lines that a learning run with these options prints. They are written into `folder` too.

    `skills` is a library that the run gets a copy of. Raises SystemExit if the run printed nothing.
    """
    folder.mkdir(parents=True, exist_ok=True)
    events = folder / "events.jsonl"
    command = [*OURS, "learn", "--continuous", "--json", "--speed", "0", *options]
    with place() as there, events.open("wb") as out:
        if skills is not None:
            command += ["--skills-dir", str(shutil.copytree(skills, there.folder / "skills"))]
        environment = there.environment | LIMITS | NOVICE | ({"HOME": str(Path.home())} if packages else {})
        process = await asyncio.create_subprocess_exec(
            *command, cwd=there.folder, env=environment, stdin=DEVNULL, stdout=out, stderr=PIPE
        )
        async with asyncio.timeout(SECONDS):
            _, errors = await process.communicate()
    lines = events.read_text(encoding="utf-8").splitlines()
    if not lines:
        said = errors.decode(errors="replace")[-800:]
        raise SystemExit(f"benchmarks: {' '.join(command)} ended with {process.returncode}: {said}")
    return lines


def confusion(lines: Sequence[str]) -> dict[str, dict[str, int]]:
    """Return how the world judged wrong programs and the others, from a run of `tests.learning.faulty`.

    Each kind has the numbers of programs, of those that reached their task, and of those that were kept as skills.
    """
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
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.learning", description=__doc__)
    add = parser.add_argument
    add("--brains", nargs="*", default=["oracle", "novice"])
    add("--seeds", nargs="*", type=int, default=[1, 2, 3])
    add("--ablations", nargs="*", choices=list(ABLATIONS), default=[], help="what runs of the novice go without")
    add("--iterations", type=int, default=160)
    add("--zero-shot", type=Path, metavar="DIR", help="play the paper's four tasks instead, with the skills in DIR")
    add("--again", action="store_true", help="also play runs that have a row")
    add("--workers", type=int, default=1)
    add("--engine", choices=[*ENGINES], default="local")
    add("--packages", action="store_true", help="use the Node packages of your own home folder")
    add("--wrong", type=Path, metavar="FILE", help="the output of `python -m tests.learning.faulty`")
    add("--journal", nargs=4, action="append", default=[], metavar=("BRAIN", "SEED", "ABLATION", "FILE"),
        help="take a row from the output of `autocraft learn --json`")  # fmt: skip
    return parser.parse_args(words)


def runs_of(options: argparse.Namespace, rows: Mapping[str, Any]) -> list[Run]:
    """Return the runs to play: those that the options name and that have no row of as many iterations."""
    if options.zero_shot is not None:
        kinds = [(brain, task) for brain in options.brains for task in ZERO_SHOT]
        runs = [Run(brain, seed, task, ZERO_SHOT_ITERATIONS) for brain, task in kinds for seed in options.seeds]
    else:
        ablations = [name for name in options.ablations if name != "none"]
        kinds = [(brain, "none") for brain in options.brains] + [("novice", name) for name in ablations]
        runs = [Run(brain, seed, name, options.iterations) for brain, name in kinds for seed in options.seeds]
    played = [run.key for run in runs if run.key in rows and finished(rows[run.key], run.iterations)]
    return [run for run in runs if options.again or run.key not in played]


async def main(words: Sequence[str]) -> None:
    """Play the runs that are missing, and write the tables."""
    options = options_of(words)
    about = machine()
    rows: dict[str, Any] = kept("learning")
    for brain, seed, ablation, file in options.journal:
        found = Run.from_events(brain, int(seed), ablation, Path(file).read_text(encoding="utf-8").splitlines())
        rows[found.key] = asdict(found)
    if options.wrong is not None:
        rows["wrong"] = confusion(options.wrong.read_text(encoding="utf-8").splitlines())
    journals = ROOT / "build" / "learning"
    tasks = [
        Task(f"{run.brain} {run.ablation}", run.seed, journals / run.key.replace(" ", "-"))
        for run in runs_of(options, rows)
    ]
    job = Learning(options.iterations, options.packages, options.zero_shot or Path())
    async for found in ENGINES[options.engine](tasks, job, options.workers):
        rows[found.key] = asdict(found)
        print(f"{found.key}: {found.why} Its events are in {journals}")
        keep("learning", about, rows)
    rows["retrieval"] = retrieval()
    keep("learning", about, rows)
    write_page(rows)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
