"""The plots of a learning run: its curves, its map and its library."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from autocraft.learning import published
from autocraft.learning.record import TIERS, Record, Step
from autocraft.learning.report import extent_words
from autocraft.page.drawing import BOTTOM, WIDTH, Plot, Scale, Shape, ground, mark, number_axes, shape, stairs, text
from autocraft.page.graph import LETTER, columns, in_two_rows, item_tree
from autocraft.page.tables import rows_table
from autocraft.page.tidy import line
from autocraft.text.phrases import beginning, count

MOST_BARS = 15
_LINE = 13.0
"""The height of a line of small text, in units of a plot."""
_EMPTY = "Nothing of this kind has happened."


def all_plots(record: Record, paper: bool) -> list[Plot]:
    """Return the plots. With `paper`, the curve over prompting iterations stands beside the paper's."""
    plots = [
        over_prompts(record, paper),
        over_ticks(record),
        items(record),
        map_plot(record),
        growth(record),
        library(record),
        reuse(record),
    ]
    return [replace(each, title=f"{each.title} ({record.world})") for each in plots]


def over_prompts(record: Record, paper: bool) -> Plot:
    """Return the kinds of items over the prompting iterations, with the first tool of each material.

    With `paper`, a straight line leads to the end of each method of the paper.
    """
    points = [(step.moment.prompts, step.items) for step in record.steps]
    name, title = "prompts", "Kinds of items over prompting iterations"
    if not points:
        return Plot(name, title, empty=_EMPTY)
    ends = {method: sum(items) / len(items) for method, items in published.ITEMS.items()} if paper else {}
    last = max(10, points[-1][0], published.ITERATIONS if paper else 0)
    x, y, shapes = number_axes(last, max(10, points[-1][1], *ends.values()), "kinds of items", "prompting iterations")
    shapes.append(stairs(points, x, y))
    summary = f"{points[-1][1]} kinds of items after {count(points[-1][0], 'prompting iteration')}"
    for kind, tier in enumerate(TIERS):
        moment = record.milestones()[f"{tier} tool"]
        if moment is not None:
            heights = (items for prompts, items in points if prompts <= moment.prompts)
            height = max(heights, default=points[0][1])  # without an attempt, an earlier run reached it
            tooltip = f"first {tier} tool: prompting iteration {moment.prompts}"
            shapes.append(mark(kind, x(moment.prompts), y(height), tooltip))
            summary += f"; {tooltip}"
        at, below = 60 + 92 * kind, BOTTOM + 60
        shapes += [mark(kind, at, below, tier), text(tier, at + 10, below + 4, "start", "small")]
    for number, (method, mean) in enumerate(ends.items()):
        end, high = x(published.ITERATIONS), y(mean)
        shapes.append(shape("line", x1=x(0), y1=y(0), x2=end, y2=high, class_="grid"))
        shapes.append(
            shape("circle", cx=end, cy=high, r=4, class_="bubble over", title=f"{method}, mean of three trials")
        )
        shapes.append(text(f"{method}: {mean:.0f}", end - 8 - 95 * (number % 2), high - 6, "end", "small"))
    lines = (
        ". The straight lines lead to the means of the paper, which gives no numbers before the end" if paper else ""
    )
    rows = [[prompts, items] for prompts, items in dict(points).items()]
    table = rows_table(["prompting iteration", "kinds of items"], rows)
    return Plot(name, title, f"{summary}{lines}.", shapes, 350, [table])


def over_ticks(record: Record) -> Plot:
    """Return the kinds of items over the game's own clock."""
    points = [(step.moment.ticks, step.items) for step in record.steps]
    name, title = "ticks", "Kinds of items over game ticks"
    if not points or not points[-1][0]:
        return Plot(name, title, empty="The world of this run has no clock.")
    thousands, below = [(ticks / 1_000, items) for ticks, items in points], "thousands of game ticks (24 are a day)"
    x, y, shapes = number_axes(thousands[-1][0], max(10, points[-1][1]), "kinds of items", below)
    shapes.append(stairs(thousands, x, y))
    summary = f"{points[-1][1]} kinds of items after {points[-1][0]:,} game ticks."
    rows = [[f"{ticks:,}", items] for ticks, items in dict(points).items()]
    return Plot(name, title, summary, shapes, 330, [rows_table(["game ticks", "kinds of items"], rows)])


def items(record: Record) -> Plot:
    """Return the items that were held, each to the right of what it can be made from."""
    return item_tree(((item, at.iteration) for item, at in record.first_held.items()), "iteration")


def map_plot(record: Record) -> Plot:
    """Return where the bot was during and after each attempt."""
    points, extent = record.path(), record.extent()
    title = "Where it went"
    if extent is None:
        return Plot("map", title, empty="The positions of this run are not known.")
    west, north, east, south = extent
    x, z, shapes = ground(points, ((west + east) / 2, (north + south) / 2), max(east - west, south - north) / 2)
    here = set(points)
    steps = [step for step in record.steps if step.position in here]
    shapes += _places(steps, x, z)
    summary = f"{count(len(points), 'position')} within {extent_words(record)}. "
    summary += f"The way between them is {count(round(record.length()), 'block')} long. "
    summary += "A green point is an attempt that reached its task, a red one an attempt that did not."
    rows = [[step.moment.iteration, *map(_block, step.position or ()), line(step.biome, 40)] for step in steps]
    return Plot("map", title, summary, shapes, 414, [rows_table(["iteration", "x", "z", "biome"], rows)])


def growth(record: Record) -> Plot:
    """Return the skills kept over the iterations."""
    points = [(step.moment.iteration, step.skills) for step in record.steps]
    title = "Growth of the library"
    if not points or not record.own_skills:
        return Plot("growth", title, empty="No skill was kept.")
    points.append((record.progress.iteration, len(record.own_skills)))
    x, y, shapes = number_axes(max(10, points[-1][0]), max(10, points[-1][1]), "skills kept", "iterations")
    shapes.append(stairs(points, x, y))
    calling = sum(bool(skill.calls) for skill in record.skills.values())
    summary = f"{count(len(record.own_skills), 'skill')} kept; {calling} of them call another skill."
    rows = [
        [record.skills[name].iteration, line(name, 80), ", ".join(line(each, 80) for each in record.skills[name].calls)]
        for name in record.own_skills
    ]
    return Plot("growth", title, summary, shapes, 330, [rows_table(["iteration", "skill", "calls"], rows)])


def library(record: Record) -> Plot:
    """Return the skills as a graph: each stands to the right of those that it calls."""
    title, own = "The library: which skill calls which", record.own_skills
    calls = {name: [each for each in record.skills[name].calls if each in own] for name in own}
    if not any(calls.values()):
        return Plot("library", title, empty="No skill calls another one.")
    shapes, high = columns(calls, _skill_words, lambda _: {})
    arrows = sum(map(len, calls.values()))
    summary = f"{count(len(own), 'skill')} with {count(arrows, 'call')} between them. A skill calls those to its left."
    table = [[line(name, 80), ", ".join(line(each, 80) for each in calls[name])] for name in own if calls[name]]
    return Plot("library", title, summary, shapes, high, [rows_table(["skill", "calls"], table)])


def _skill_words(name: str, letters: int) -> list[str]:
    """Return the rows of the name of a skill, which may be broken before a capital letter."""
    rows = in_two_rows(re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", line(name, 80)), letters)
    return [row.replace(" ", "") for row in rows]


def reuse(record: Record) -> Plot:
    """Return how often programs called each skill, and with what success."""
    skills = sorted((each for each in record.skills.items() if each[1].uses), key=lambda each: (-each[1].uses, each[0]))
    title = "Reuse of skills"
    if not skills:
        return Plot("reuse", title, empty="No program called a skill.")
    left, down = 190.0, 14.0
    x = Scale(0, skills[0][1].uses, left, WIDTH - 60)
    shapes: list[Shape] = []
    for name, skill in skills[:MOST_BARS]:
        good = f"{name}: returned in {skill.successes} of {skill.uses} programs"
        shapes.append(text(beginning(line(name, 80), 27), left - 8, down + 12, "end", "small"))
        shapes.append(shape("rect", x=left, y=down, width=max(x(skill.uses) - left, 1), height=16, class_="fault"))
        wide = x(skill.successes) - left
        shapes.append(shape("rect", x=left, y=down, width=wide, height=16, class_="bar", title=line(good)))
        shapes.append(text(f"{skill.successes} of {skill.uses}", x(skill.uses) + 5, down + 12, "start", "small"))
        down += 22
    shapes.append(shape("rect", x=left, y=down + 8, width=11, height=11, class_="bar"))
    shapes.append(text("returned", left + 17, down + 18, "start", "small"))
    shapes.append(shape("rect", x=left + 100, y=down + 8, width=11, height=11, class_="fault"))
    shapes.append(text("threw", left + 117, down + 18, "start", "small"))
    uses = sum(skill.uses for _, skill in skills)
    summary = f"Programs called {count(len(skills), 'skill')} {count(uses, 'time')}."
    rows = [[line(name, 80), skill.uses, skill.successes] for name, skill in skills]
    return Plot("reuse", title, summary, shapes, round(down) + 30, [rows_table(["skill", "uses", "good"], rows)])


def _places(steps: Sequence[Step], x: Scale, z: Scale) -> list[Shape]:
    """Return a point for each attempt, in colour if its task was reached, and the name of each new biome."""
    shapes: list[Shape] = []
    biomes: dict[str, tuple[float, float]] = {}
    for step in steps:
        at, to = step.position or (0.0, 0.0)
        tooltip = f"iteration {step.moment.iteration}: {line(step.task, 80)} ({_block(at)}, {_block(to)})"
        kind = "bubble on" if step.outcome == "goal" else "bubble over"
        shapes.append(shape("circle", cx=x(at), cy=z(to), r=3, class_=kind, title=tooltip))
        if step.biome:
            biomes.setdefault(step.biome, (x(at), z(to)))
    return [*shapes, *_names(biomes)]


def _names(places: Mapping[str, tuple[float, float]]) -> Iterator[Shape]:
    """Yield the name beside each place, moved down until it covers no other name."""
    boxes: list[tuple[float, float, float]] = []
    for name, (x, y) in places.items():
        words = line(name, 24)
        anchor, left = ("end", x - 6 - LETTER * len(words)) if x > WIDTH / 2 else ("start", x + 6)
        right = left + LETTER * len(words)
        while any(left < end and begin < right and abs(y - down) < _LINE for begin, end, down in boxes):
            y += _LINE / 2
        boxes.append((left, right, y))
        yield text(words, right if anchor == "end" else left, y - 4, anchor, "small")


def _block(value: float) -> str:
    return f"{value:.0f}"
