"""Write the tables of `benchmarks.learning` into docs/learning.md."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from autocraft.learning import published
from benchmarks.measure import ROOT
from scripts.marked import with_part

PAGE = ROOT / "docs" / "learning.md"
BEGIN, END = "<!-- figures: begin -->", "<!-- figures: end -->"
MATERIALS = ("wood", "stone", "iron", "diamond")
ABLATIONS: Mapping[str, Sequence[str]] = {
    "none": (),
    "random": ("--curriculum", "random"),
    "library": ("--no-library",),
    "critic": ("--critic", "none"),
    "chat log": ("--no-chat-log",),
    "errors": ("--no-show-errors",),
}
"""What a run goes without -> the options."""
TASKS = ("diamond_pickaxe", "golden_sword", "lava_bucket", "compass")
"""The items of the paper's zero-shot tasks."""
_LIBRARIES: Mapping[str, Sequence[str]] = {"without skills": ("--no-library",), "with skills": ()}
ZERO_SHOT: Mapping[str, Sequence[str]] = {
    f"{item} {library}": ("--task", f"Obtain 1 {item}", *options)
    for item in TASKS
    for library, options in _LIBRARIES.items()
}
"""A zero-shot task -> the options. A run with skills also gets their folder."""
ZERO_SHOT_ITERATIONS = 50
"""The limit of a zero-shot run, as in the paper."""
_NAMES = {
    "none": "",
    "random": ", random tasks",
    "library": ", no library",
    "critic": ", no critic",
    "chat log": ", no chat log",
    "errors": ", no errors",
}
_TOLD = {
    "oracle": "The oracle was told everything: recipes, drops, and plans of the built-in planner. It learns nothing: "
    "its rows show what the machinery allows, and stand apart.",
    "novice": "The novice was told the names of items, blocks and mobs, what it sees and carries, and the functions "
    "of programs. All else it learned from what its programs said and gained.",
    "retrieval": "The retrieval brain was given a library of skills, and tasks of the oracle. It writes no programs.",
}
_HEAD = (
    "| run | seed | iterations | items | wood | stone | iron | diamond | game ticks | effects | deaths | cheats "
    "| confirmed edges |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|"
)
_PAPER = """The paper's rows (arXiv 2305.16291, 160 iterations, 3 trials, GPT-4 in Minecraft 1.19; mean ± SD).
Voyager's own runs teleport the bot after a death, keep the inventory, and give back placed blocks. Ours do none of it.

| run | items | wood | stone | iron | diamond |
|---|---|---|---|---|---|"""
_PAPER_ZERO_SHOT = (
    "| Voyager (3 trials) | | 19 ± 3 | 18 ± 7 | 21 ± 5 | 18 ± 2 |",
    "| Voyager, no library | | 36 (2 of 3) | 30 ± 9 | 27 ± 9 | 26 ± 3 |",
)


def write_page(rows: Mapping[str, Any]) -> None:
    """Write all tables between the marks of the page."""
    PAGE.write_text(with_part(PAGE.read_text(encoding="utf-8"), PAGE.name, BEGIN, END, tables(rows)), encoding="utf-8")


def _paper_rows() -> Iterator[str]:
    """Yield a row for each method of the paper, the best first."""
    for method, cells in [*published.TECH_TREE.items()][::-1]:
        items = ", ".join(map(str, published.ITEMS.get(method, ())))
        yield f"| {method} | {items} | {' | '.join(cells)} |"


def tables(rows: Mapping[str, Any]) -> str:
    """Return the tables for the rows of results/learning.json."""
    played = [row for name, row in rows.items() if name not in ("retrieval", "wrong")]
    runs = [row for row in played if row["ablation"] not in ZERO_SHOT]
    zero_shot = [row for row in played if row["ablation"] in ZERO_SHOT and finished(row, ZERO_SHOT_ITERATIONS)]
    parts = []
    for title, brains in (("The oracle", ("oracle",)), ("Brains that are not told", ("novice", "retrieval"))):
        chosen = [row for row in runs if row["brain"] in brains]
        if chosen:
            told = [_TOLD[brain] for brain in brains if any(row["brain"] == brain for row in chosen)]
            parts += [f"### {title}", "\n".join(told), run_table(chosen)]
    parts += ["### Beside the paper", "\n".join([_PAPER, *_paper_rows()])]
    for title, apart, paper in (
        ("Zero-shot tasks of the oracle", True, ()),
        ("Zero-shot tasks", False, _PAPER_ZERO_SHOT),
    ):
        if own := [row for row in zero_shot if (row["brain"] == "oracle") == apart]:
            parts += [f"### {title}", "\n".join([_zero_shot(own), *paper])]
    if "wrong" in rows:
        parts += ["### Wrong programs on purpose", _confusion(rows["wrong"])]
    if "retrieval" in rows:
        parts += ["### Finding skills", _retrieval(rows["retrieval"])]
    return "\n\n".join(["", *parts, ""])


def finished(row: Mapping[str, Any], iterations: int) -> bool:
    """Return whether a run reached its task or used up its iterations. One that was interrupted did neither."""
    return bool(row.get("reached")) or row["iterations"] >= iterations


def run_table(runs: Sequence[Mapping[str, Any]]) -> str:
    """Return a row for each run, and mean ± SD for those that differ in the seed alone."""
    lines = [_HEAD]
    groups: dict[tuple[str, str, int], list[Mapping[str, Any]]] = {}
    for row in sorted(runs, key=lambda row: (list(_NAMES).index(row["ablation"]), row["seed"])):
        groups.setdefault((row["brain"], row["ablation"], row["iterations"]), []).append(row)
    for (brain, ablation, _), group in groups.items():
        name = brain + _NAMES[ablation]
        lines += [_line(name, row) for row in group]
        if len(group) > 1:
            lines.append(_mean_line(name, group))
    return "\n".join(lines)


def _line(name: str, row: Mapping[str, Any]) -> str:
    right, told = row["edges"]
    edges = f"{right} of {told} ({right / told:.0%})" if told and row["brain"] == "novice" else ""
    reached = [str(row["milestones"].get(material, "–")) for material in MATERIALS]
    counts = [f"{row[field]:,}" for field in ("ticks", "effects", "deaths", "cheats")]
    cells = [name, str(row["seed"]), str(row["iterations"]), str(row["items"]), *reached, *counts, edges]
    return f"| {' | '.join(cells)} |"


def _mean_line(name: str, group: Sequence[Mapping[str, Any]]) -> str:
    """Return mean ± SD. For a milestone that some run did not reach, return how many runs reached it."""
    reached = []
    for material in MATERIALS:
        at = [row["milestones"][material] for row in group if material in row["milestones"]]
        reached.append(_mean(at) if len(at) == len(group) else f"{len(at)} of {len(group)}")
    counts = [_mean([row[field] for row in group]) for field in ("ticks", "effects", "deaths", "cheats")]
    items = _mean([row["items"] for row in group])
    return f"| {name} | mean ± SD | {group[0]['iterations']} | {items} | {' | '.join([*reached, *counts])} | |"


def _mean(values: Sequence[float]) -> str:
    return f"{statistics.mean(values):,.1f} ± {statistics.stdev(values):,.1f}"


def _zero_shot(runs: Sequence[Mapping[str, Any]]) -> str:
    """Return the iterations to each of the paper's four tasks, for each brain with and without skills."""
    lines = [
        "A new world, nothing in the inventory, at most 50 iterations. A cell has the iterations of each seed; a seed",
        "that did not reach the task is –, an empty cell was not played. The skills are those of an earlier run of the",
        "oracle in another world.",
        "",
        f"| run | seeds | {' | '.join(item.replace('_', ' ') for item in TASKS)} |",
        f"|---|---|{'---|' * len(TASKS)}",
    ]
    for brain in dict.fromkeys(row["brain"] for row in runs):
        for library in _LIBRARIES:
            own = [row for row in runs if row["brain"] == brain and row["ablation"].endswith(f" {library}")]
            seeds = sorted({row["seed"] for row in own})
            cells = [_reached(own, f"{item} {library}") for item in TASKS]
            lines += [f"| {brain}, {library} | {', '.join(map(str, seeds))} | {' | '.join(cells)} |"] if own else []
    return "\n".join(lines)


def _reached(runs: Sequence[Mapping[str, Any]], task: str) -> str:
    """Return the iterations of each seed of a zero-shot task, "–" for one that did not reach it."""
    own = sorted((row for row in runs if row["ablation"] == task), key=lambda row: row["seed"])
    return ", ".join(str(row["iterations"]) if row["reached"] else "–" for row in own)


def _confusion(told: Mapping[str, Mapping[str, int]]) -> str:
    """Return the confusion matrix of the critic's half that looks at the world."""
    lines = [
        "The oracle, whose every tenth program only says that it is done. The world judged all of them; no model was",
        "asked. A program is kept as a skill only if its task was reached.",
        "",
        "| programs | tried | task reached | task not reached | kept as a skill |",
        "|---|---|---|---|---|",
    ]
    for kind, row in told.items():
        cells = (kind, row["programs"], row["reached"], row["programs"] - row["reached"], row["kept"])
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(lines)


def _retrieval(found: Mapping[str, Sequence[float]]) -> str:
    """Return how often the right skill is among the nearest, beside the paper's figures."""
    lines = [
        "80 skills of our own, each with a task (`benchmarks/retrieval_tasks.jsonl`) and with a question that shares",
        "no word with it (`tests/skills/retrieval*.jsonl`). The paper asked 309 times in its own library, with",
        "text-embedding-ada-002; ours is the built-in embedder.",
        "",
        "| share of tasks whose skill is found, % | top 1 | top 2 | top 3 | top 4 | top 5 |",
        "|---|---|---|---|---|---|",
        *(f"| {name} | {' | '.join(f'{100 * share:.1f}' for share in shares)} |" for name, shares in found.items()),
        "| the paper | 80.2 | 89.3 | 93.2 | 95.2 | 96.5 |",
    ]
    return "\n".join(lines)
