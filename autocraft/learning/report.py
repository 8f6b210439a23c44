"""The report on a learning run as plain text of 80 columns."""

from __future__ import annotations

import textwrap
import time
from collections.abc import Iterator, Sequence

from autocraft.learning import published
from autocraft.learning.record import TIERS, Moment, Record
from autocraft.page.tables import dollars
from autocraft.page.tidy import whole
from autocraft.text.phrases import beginning, count
from autocraft.text.sanitize import clean_line

WIDTH = 80
MOST_ROWS = 20
"""The most rows of one table. A longer one says how many it leaves out."""
KNOWLEDGE = {
    "oracle": "It was told all recipes, and a planner wrote its programs. So it is not compared with models.",
    "retrieval": "It was told the skills of a library, and ran the best of them. A planner proposed its tasks.",
    "openai": "A model wrote the programs. It was told Voyager's rules, the primitives and the world as it was.",
}
"""Brain -> what it knew from the beginning."""
APART = frozenset({"oracle", "retrieval"})
"""The brains whose figures stand in no table with those of models: they ask a planner."""
CONDITIONS = (
    *("brain", "smart_model", "world", "server", "seed", "speed", "chance_seed", "iterations", "tries", "curriculum"),
    *("critic", "library", "chat_log", "show_errors", "first_task", "give_back", "take_back", "difficulty_rule"),
    *("task", "sub_goal", "from_ckpt", "advice"),
)
"""The settings that the figures depend on."""


def report(record: Record, session: str) -> str:
    """Return the report. No line is longer than 80 columns."""
    parts = (
        _head(record, session),
        _tree(record),
        _beside(record),
        _curve(record),
        _where(record),
        _skills(record),
        _tasks(record),
    )
    return "\n\n".join("\n".join(part) for part in parts)


def extent_words(record: Record) -> str:
    """Return how far the path reaches, such as ``60 by 40 blocks``. Return "" without a position."""
    if (extent := record.extent()) is None:
        return ""
    west, north, east, south = extent
    return f"{east - west:,.0f} by {south - north:,.0f} blocks"


def figures(record: Record) -> list[tuple[str, str]]:
    """Return name and value of each key figure."""
    progress, counts = record.progress, record.counts
    ticks = record.steps[-1].moment.ticks if record.steps else 0
    most = whole(record.options.get("iterations")) or 0
    acts = {name: often for name, often in record.interventions.items() if often and name != "approvals"}
    assisted = [("Figures", "assisted by the planner (--advice)")] if record.options.get("advice") is True else []
    world = f"{record.world}, not vanilla Minecraft" if record.world == "practice world" else record.world
    return [
        ("World of all figures", world),
        *assisted,
        ("Iterations", f"{progress.iteration}" + (f" of {most}" if progress.iteration <= most else "")),
        ("Kinds of items", str(len(record.first_held))),
        ("Tasks reached", f"{len(progress.completed)} of {len(record.tasks)}"),
        ("Skills kept", str(len(record.own_skills))),
        ("Biomes", str(len(record.biomes()))),
        ("Extent of the path", extent_words(record) or "unknown"),
        ("Length of the path", f"{record.length():,.0f} blocks"),
        ("Game ticks", f"{ticks:,} ({ticks / 24_000:.1f} days)"),
        ("Effects of programs", f"{counts['effects']:,}"),
        ("Deaths", str(counts["deaths"])),
        ("Cheats", f"{counts['cheats']} ({'assisted' if counts['cheats'] else 'unassisted'})"),
        ("Interventions", ", ".join(f"{often} {name}" for name, often in acts.items()) or "none"),
        ("Commands approved by hand", str(record.interventions["approvals"])),
        ("Tokens, money", f"{counts['tokens']:,}, {dollars(record.dollars) or 'unknown'}"),
    ]


def conditions(record: Record) -> list[tuple[str, str]]:
    """Return name and value of each setting that the figures depend on."""
    rows = []
    for name in CONDITIONS:
        value = record.options.get(name)
        if value or value == 0:
            text = ("no", "yes")[value] if isinstance(value, bool) else str(value)
            rows.append((name.replace("_", " "), beginning(clean_line(text), 60)))
    return rows


def milestone_row(moment: Moment | None) -> list[str]:
    """Return the cells of a milestone: iteration, game ticks, tokens and money; "–" if it was not reached."""
    if moment is None:
        return ["–"] * 4
    return [str(moment.iteration), f"{moment.ticks:,}", f"{moment.tokens:,}", dollars(moment.dollars) or "unknown"]


def knowledge(record: Record) -> str:
    """Return in words what the brain knew from the beginning. Return '' for an unknown brain."""
    return KNOWLEDGE.get(str(record.options.get("brain")), "")


def beside(record: Record) -> dict[str, Sequence[str]]:
    """Return this run's row of the tech tree and those of the paper. Return {} for a brain in APART or one task."""
    options = record.options
    apart = options.get("brain") in APART or options.get("task") or options.get("sub_goal")
    moments = [record.milestones()[f"{tier} tool"] for tier in TIERS]
    own = f"this run, {record.world}"
    return {} if apart else {own: [str(at.prompts) if at else "–" for at in moments], **published.TECH_TREE}


def _head(record: Record, session: str) -> Iterator[str]:
    began = time.strftime("%Y-%m-%d %H:%M", time.localtime(record.start))
    end = clean_line(record.end.reason) if record.end else "not ended"
    yield f"Learning session {session}, begun {began}, {end}"
    settings = ", ".join(f"{name} {value}" for name, value in conditions(record))
    yield from textwrap.wrap(f"With {settings}. {knowledge(record)}", WIDTH, subsequent_indent="  ")
    if record.end:
        yield from textwrap.wrap(f"It ended: {clean_line(record.end.why).rstrip('.')}.", WIDTH, subsequent_indent="  ")
    yield ""
    for name, value in figures(record):
        rows = textwrap.wrap(value, WIDTH - 28) or [""]
        yield f"{name:<27} {rows[0]}"
        yield from (f"{'':<27} {row}" for row in rows[1:])


def _tree(record: Record) -> Iterator[str]:
    yield f"{f'MILESTONES, {record.world}':<27}{'iteration':>10}{'game ticks':>13}{'tokens':>15}{'money':>12}"
    for name, moment in record.milestones().items():
        yield f"{name:<27}" + "".join(map(str.rjust, milestone_row(moment), (10, 13, 15, 12)))


def _beside(record: Record) -> Iterator[str]:
    if not beside(record):
        yield "BESIDE THE PAPER: nothing. Its rows are of models that learn from tasks of their own."
        return
    yield "BESIDE THE PAPER (prompting iterations to the first tool, successes of 3)"
    for name, cells in {"": [*TIERS], **beside(record)}.items():
        yield f"{name:<25}" + "".join(map(str.rjust, cells, (14, 14, 16, 11)))
    items = f"{len(record.first_held)} ({record.world})"
    trials = ", ".join(map(str, published.ITEMS["Voyager"]))
    yield f"Kinds of items: {items}; {trials} in the paper."


def _curve(record: Record) -> Iterator[str]:
    yield f"ITEMS{'iteration':>12}{'prompts':>9}{'game ticks':>13}{'kinds':>7}"
    last = max((step.moment.iteration for step in record.steps), default=0)
    every = max(1, -(-last // MOST_ROWS))
    newest = {step.moment.iteration: step for step in record.steps}
    most = max((step.items for step in record.steps), default=1) or 1
    for iteration, step in newest.items():
        if iteration % every == 0 or iteration == last:
            bar = "#" * round(30 * step.items / most)
            at = step.moment
            yield f"{iteration:>17}{at.prompts:>9}{at.ticks:>13,}{step.items:>7}  {bar}".rstrip()


def _where(record: Record) -> Iterator[str]:
    yield "BIOMES (iteration)"
    biomes = ", ".join(f"{clean_line(name)} ({at})" for name, at in record.biomes().items()) or "none"
    yield from textwrap.wrap(biomes, WIDTH)


def _skills(record: Record) -> Iterator[str]:
    yield f"{'SKILLS':<32}{'iteration':>10}{'uses':>6}{'good':>6}  calls"
    rows = sorted(record.skills.items(), key=lambda each: (-each[1].uses, each[1].iteration or 0, each[0]))
    for name, skill in rows[:MOST_ROWS]:
        at = "earlier" if skill.iteration is None else str(skill.iteration)
        calls = ", ".join(map(clean_line, skill.calls))
        line = f"{beginning(clean_line(name), 31):<32}{at:>10}{skill.uses:>6}{skill.successes:>6}  {calls}"
        yield beginning(line.rstrip(), WIDTH)
    yield from _more(rows, "skill")


def _tasks(record: Record) -> Iterator[str]:
    yield "TASKS"
    for mark, tasks in (("reached", record.progress.completed), ("given up", record.progress.failed)):
        for task in tasks[:MOST_ROWS]:
            yield beginning(f"{mark:<10}{clean_line(task)}", WIDTH)
        yield from _more(tasks, "task")


def _more(rows: Sequence[object], noun: str) -> Iterator[str]:
    if len(rows) > MOST_ROWS:
        yield f"and {count(len(rows) - MOST_ROWS, f'other {noun}')}"
