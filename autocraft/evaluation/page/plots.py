"""The three plots of an evaluation, each with a text alternative and a table of the same numbers.

`autocraft/page` has the parts of a drawing and the tables.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from autocraft.evaluation.results import EpisodeResult
from autocraft.evaluation.scores import LEVELS, failures, waste
from autocraft.evaluation.scores import rates as seed_rates
from autocraft.page.drawing import MARKS, WIDTH, Plot, Scale, Shape, mark, round_number, shape, text, x_axis, y_axis
from autocraft.page.tables import percent, plain, rows_table, two
from autocraft.page.tidy import line, number
from autocraft.text.phrases import count

PAPER_COLUMNS = {"easy": "easy", "medium": "medium", "hard": "hard", "solvable": "overall"}
"""Groups of examples here, and their columns in the paper; its overall has no impossible examples."""


@dataclass(frozen=True, slots=True)
class Rate:
    """Episodes solved of `n`; `spread` is the standard deviation of the seeds' rates, None with one seed."""

    level: str
    n: int
    solved: int
    spread: float | None

    @property
    def rate(self) -> float:
        return self.solved / self.n


@dataclass(frozen=True, slots=True)
class Pair:
    """The number of solved episodes that took `actions` and have the known `minimum`."""

    minimum: int
    actions: int
    episodes: int


def rates(results: Sequence[EpisodeResult]) -> list[Rate]:
    """Return the rates of the levels, of all solvable examples (the paper's overall), and of the impossible ones."""
    valid = [result for result in results if not result.void]
    solvable = [result for result in valid if not result.impossible]
    groups = {level: [result for result in solvable if result.complexity == level] for level in LEVELS}
    groups |= {"solvable": solvable, "impossible": [result for result in valid if result.impossible]}
    return [
        Rate(level, len(group), sum(result.success for result in group), seed_rates(group)["spread"])
        for level, group in groups.items()
        if group
    ]


def pairs(results: Sequence[EpisodeResult]) -> list[Pair]:
    """Count the solved episodes of solvable examples by their minimum and their actions."""
    counts = Counter(
        (result.minimum, result.actions)
        for result in results
        if result.success and not result.void and not result.impossible and result.minimum is not None
    )
    return [Pair(minimum, actions, count) for (minimum, actions), count in sorted(counts.items())]


def all_plots(results: Sequence[EpisodeResult], paper: Sequence[Mapping[str, object]]) -> list[Plot]:
    """Return the three plots."""
    return [success_plot(results, paper), minimum_plot(results), failure_plot(results)]


def success_plot(results: Sequence[EpisodeResult], paper: Sequence[Mapping[str, object]]) -> Plot:
    """Return solved episodes by level, with the paper's models beside them."""
    groups = rates(results)
    if not groups:
        return Plot("success", "Success by difficulty")
    rows = [(line(row.get("model"), 40), line(row.get("tools"), 20), row) for row in paper]
    tools = list(dict.fromkeys(sorted((tool for _, tool, _ in rows), key=len)))[: len(MARKS)]
    top, bottom, left = 38.0, 262.0, 52.0  # above the top there is room for the label of a full bar
    y = Scale(0, 1, bottom, top)
    wide = (WIDTH - left - 8) / len(groups)
    shapes = [*y_axis(y, left, "share of episodes solved", lambda share: percent(share, 0))]
    for place, rate in enumerate(groups):
        start = left + place * wide
        shapes.extend(_bar(rate, y, start + wide * 0.06, wide * 0.32))
        shapes.append(text(rate.level, start + wide / 2, bottom + 18, "middle"))
        shapes.append(text(f"n = {rate.n}", start + wide / 2, bottom + 34, "middle", "small"))
        for model, tool, row in rows:
            value = number(row.get(PAPER_COLUMNS.get(rate.level, "")))
            if value is not None and tool in tools and 0 <= value <= 1:
                x = start + wide * (0.47 + 0.125 * tools.index(tool))
                tooltip = f"{model} ({tool}): {percent(value)}"
                shapes.append(mark(tools.index(tool), x, y(value), tooltip))
    shapes.append(text("difficulty of the example", (left + WIDTH) / 2, bottom + 54, "middle", "axis"))
    legend = _legend(tools, 8.0, bottom + 73)
    description = "; ".join(f"{group.level} {percent(group.rate)} of {group.n}{_spread(group)}" for group in groups)
    table = [[group.level, group.n, group.solved, percent(group.rate), _spread(group).strip(" ±")] for group in groups]
    views = [rows_table(["level", "episodes", "solved", "success", "spread over seeds"], table)]
    if rows:
        names = list(PAPER_COLUMNS.values())
        body = [[model, tool, *(percent(number(row.get(name))) for name in names)] for model, tool, row in rows]
        views.append(rows_table(["model of the paper", "tools", *names], body))
    return Plot("success", "Success by difficulty", f"This run: {description}.", [*shapes, *legend], 350, views)


def _legend(tools: Sequence[str], x: float, y: float) -> list[Shape]:
    parts = [shape("rect", x=x, y=y - 6, width=11, height=11, class_="bar"), text("this run", x + 17, y + 4)]
    if tools:
        parts.append(text("paper:", x + 84, y + 4))
    for index, tool in enumerate(tools):
        at = x + 138 + index * 71
        parts += [mark(index, at, y, tool), text(tool, at + 9, y + 4, class_="small")]
    return parts


def minimum_plot(results: Sequence[EpisodeResult]) -> Plot:
    """Return the actions of solved episodes over the fewest known, one bubble for all episodes at a point."""
    points = pairs(results)
    if not points:
        return Plot("minimum", "Actions against the minimum")
    most = max(max(point.minimum, point.actions) for point in points) + 1
    top, bottom, left = 24.0, 290.0, 52.0
    x, y = Scale(0, most, left, WIDTH - 12), Scale(0, most, bottom, top)
    fullest = max(point.episodes for point in points)
    shapes = [*y_axis(y, left, "actions taken", round_number), *x_axis(x, bottom, "fewest actions known")]
    shapes.append(shape("line", x1=x(0), y1=y(0), x2=x(most), y2=y(most), class_="diagonal"))
    for point in sorted(points, key=lambda pair: -pair.episodes):
        side = (point.actions > point.minimum) - (point.actions < point.minimum)
        tooltip = f"minimum {point.minimum}, taken {point.actions}: {count(point.episodes, 'episode')}"
        radius, kind = 2.5 + 7.5 * math.sqrt((point.episodes - 1) / fullest), ("on", "over", "under")[side]
        at, up = x(point.minimum), y(point.actions)
        shapes.append(shape("circle", title=tooltip, cx=at, cy=up, r=radius, class_=f"bubble {kind}"))
    shapes.append(text("larger = more episodes; dashed line = the minimum", WIDTH - 12, bottom + 56, "end", "small"))
    exact = sum(point.episodes for point in points if point.actions == point.minimum)
    episodes = sum(point.episodes for point in points)
    description = f"{exact} of {count(episodes, 'episode')} solved took exactly the fewest actions known; on average "
    description += f"{sum(point.actions * point.episodes for point in points) / episodes:.2f} actions were taken where "
    description += f"{sum(point.minimum * point.episodes for point in points) / episodes:.2f} would do."
    head = ["minimum", "episodes", "fewest taken", "mean taken", "most taken"]
    views = [
        rows_table(head, [_minimum_row(points, minimum) for minimum in sorted({point.minimum for point in points})])
    ]
    return Plot("minimum", "Actions against the minimum", description, shapes, 350, views)


def failure_plot(results: Sequence[EpisodeResult]) -> Plot:
    """Return episodes by how they failed, and turns that changed nothing."""
    if not results:
        return Plot("failures", "Failures by kind")
    turns = sum(len(result.steps) for result in results if not result.void)
    parts = [("episodes", len(results), failures(results)), ("turns", turns, waste(results))]
    left, down = 178.0, 24.0
    shapes: list[Shape] = []
    for unit, total, counts in parts:
        x = Scale(0, max(*counts.values(), 1), left, WIDTH - 60)
        shapes.append(text(f"{unit}, of {total:,}", left, down, "start", "axis"))
        for kind, often in counts.items():
            down += 28
            shapes.append(text(kind, left - 8, down + 2, "end"))
            shapes.append(shape("rect", x=left, y=down - 11, width=max(x(often) - left, 1), height=18, class_="fault"))
            shapes.append(text(f"{often:,}", x(often) + 6, down + 3))
        down += 40
    description = "; ".join(
        f"{unit}: " + ", ".join(f"{kind} {often}" for kind, often in kinds.items()) for unit, _, kinds in parts
    )
    body = [
        [kind, unit, plain(often), percent(often / total if total else 0.0)]
        for unit, total, kinds in parts
        for kind, often in kinds.items()
    ]
    views = [rows_table(["kind", "counted in", "count", "share"], body)]
    return Plot("failures", "Failures by kind", f"{description}.", shapes, round(down) - 14, views)


def _bar(rate: Rate, y: Scale, x: float, width: float) -> list[Shape]:
    """Return a bar with its value on top, and one standard deviation to either side if there are several seeds."""
    tooltip = f"this run, {rate.level}: {rate.solved} of {rate.n} = {percent(rate.rate)}{_spread(rate)}"
    height = max(y(0) - y(rate.rate), 1)
    parts = [shape("rect", title=tooltip, x=x, y=y(rate.rate), width=width, height=height, class_="bar")]
    top, middle = rate.rate, x + width / 2
    if rate.spread is not None:
        top, low = min(rate.rate + rate.spread, 1.0), max(rate.rate - rate.spread, 0.0)
        caps = "".join(f"M{middle - 4:.1f} {y(end):.1f}h8" for end in (top, low))
        parts.append(shape("path", d=f"M{middle:.1f} {y(top):.1f}V{y(low):.1f}{caps}", class_="error"))
    parts.append(text(percent(rate.rate, 0), middle, y(top) - 5, "middle", "small strong"))
    return parts


def _minimum_row(points: Sequence[Pair], minimum: int) -> list[object]:
    group = [point for point in points if point.minimum == minimum]
    episodes = sum(point.episodes for point in group)
    mean = sum(point.actions * point.episodes for point in group) / episodes
    return [minimum, episodes, min(point.actions for point in group), two(mean), max(point.actions for point in group)]


def _spread(rate: Rate) -> str:
    return "" if rate.spread is None else f" ± {percent(rate.spread)}"
