"""The page of a session: its outcome, its curves, its map, and all turns with thoughts, decisions and results."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TypeVar

from autocraft.console.report import BY
from autocraft.page.blocks import building_plot
from autocraft.page.drawing import (
    LEFT,
    RIGHT,
    WIDTH,
    Plot,
    Scale,
    Shape,
    ground,
    mark,
    number_axes,
    shape,
    stairs,
    text,
)
from autocraft.page.graph import item_tree
from autocraft.page.rendering import joined_scripts, render
from autocraft.page.tables import Table, dollars, duration, plain, rows_table
from autocraft.page.tidy import line
from autocraft.page.tidy import text as tidy
from autocraft.protocols import Json
from autocraft.report.story import Building, First, Step, Story
from autocraft.text.phrases import beginning, count

T = TypeVar("T")
Land = tuple[Scale, Scale, list[Shape]]
"""The scales of a map from west to east and from north to south, and the shapes of a way on it."""
MOST_STEPS = 2_000
"""The most steps that a page shows: about 10 MB."""
MOST_BUILDINGS = 6
"""The most buildings that a page draws, the newest ones."""
_MOST_POINTS = 500
"""The most points of a curve or way. A longer one is drawn through every so many of them."""
_LONGEST = 4_000
_MOST_LINES = 4
_NAME_WIDTH, _NAME_HEIGHT = 150, 12
"""Within these units two names on the map would touch."""
_WORDS = {"run": "allowed", "refuse": "refused", "stop": "stopped"}
_NO_MODEL = "Nothing was asked of a model."


def page_text(story: Story, session: str, *, plays: bool = False) -> str:
    """Return the page as text. With `plays` it plays the run when it is opened."""
    land, newest = ground_of(story), list(story.buildings.values())[-MOST_BUILDINGS:]
    values = {
        "title": line("; ".join(story.goals), 400) or f"Session {line(session)}",
        "session": f"Session {line(session)}",
        "outcome": _outcome(story),
        "figures": [(name, line(value)) for name, value in figures(story)],
        "conditions": rows_table(["setting", "value"], [[line(key), line(value)] for key, value in _options(story)]),
        "approvals": rows_table(["decision", "by", "times"], approvals(story)),
        "repairs": rows_table(["stage of the reader", "answers"], [[line(k), str(n)] for k, n in story.stages.items()]),
        "milestones": _milestones(story),
        "plots": [_tokens(story), _money(story), _inventory(story)],
        "buildings": [building_drawing(each, number) for number, each in enumerate(newest, 1)],
        "grown": [item_plot(story), way_map(story, land)],
        "steps": [step_json(step, story.start) for step in _some_steps(story.steps)],
        "moments": moments(story, land, plays=plays),
    }
    return render(__package__, "page.html", values, joined_scripts(__package__, "page.js"))


def figures(story: Story) -> list[tuple[str, str]]:
    """Return the key figures: name and value."""
    turns = story.points[-1].turn if story.points else 0  # the live page has no earlier steps
    effects = [effect for step in story.steps for effect in step.effects]
    return [
        ("Begun", time.strftime("%Y-%m-%d %H:%M", time.localtime(story.start))),
        ("From first to last", duration(story.last - story.start)),
        ("Turns", plain(turns)),
        ("Commands", plain(len(effects))),
        ("Failed", plain(sum(not effect.ok for effect in effects))),
        ("Tokens", ("about " if story.usage.estimated else "") + plain(story.usage.total)),
        ("Cost", "unknown" if story.dollars is None else dollars(story.dollars)),
        ("Kinds of items", plain(len(story.firsts))),
    ]


def approvals(story: Story) -> list[list[str]]:
    """Return what was decided, by whom or what, and how often."""
    return [
        [_WORDS[kind], BY.get(by) or f"by {line(by)}", plain(often)]
        for (kind, by), often in sorted(story.approvals.items(), key=lambda each: -each[1])
    ]


def outcome_words(story: Story) -> tuple[str, str]:
    """Return how the run ended, and why."""
    if story.end is None:
        return "unfinished", "The journal has no end: the run goes on, or was killed."
    return line(story.end.reason.replace("_", " ")), line(story.end.why, 400)


def _outcome(story: Story) -> Json:
    word, why = outcome_words(story)
    good = story.end is not None and story.end.exit == 0
    bad = story.end is not None and story.end.exit in (1, 3, 5)
    return {"word": word, "why": why, "kind": "good" if good else "bad" if bad else ""}


def _options(story: Story) -> list[tuple[str, object]]:
    return [(name.replace("_", " "), value) for name, value in story.options.items() if value not in (None, "", [], ())]


def _milestones(story: Story) -> Table:
    items = story.points[0].items if story.points else {}
    rows = [
        [line(first.item, 60), str(first.turn), duration(first.time - story.start), _place(first)]
        for first in story.firsts
        if first.item not in items
    ]
    return rows_table(["first held", "turn", "after", "near x, z"], rows)


def _place(first: First) -> str:
    return "" if first.place is None else f"{first.place[0]:.0f}, {first.place[1]:.0f}"


def moments(story: Story, land: Land | None, *, plays: bool) -> Json:
    """Return what `page.js` plays: for each turn its command, what was held, and the place on the map.

    `ends` are the sides of the curves in units of their drawings. The last turn is at the right side.
    """
    points = _some(story.points)
    commands = {step.turn: _command(step) for step in story.steps if step.kind == "turn" and step.agent == "main"}
    return {
        "plays": plays,
        "ends": [LEFT, RIGHT],
        "turns": [
            {
                "turn": point.turn,
                "after": duration(point.time - story.start),
                "command": commands.get(point.turn, ""),
                "items": [[line(item, 60), number] for item, number in sorted(point.items.items())],
                "at": _on_map(land, point.place),
            }
            for point in points
        ],
    }


# ------------------------------------------------------------ the plots


def _tokens(story: Story) -> Plot:
    if not story.usage.total:
        return Plot("tokens", "Tokens over the turns", empty=_NO_MODEL)
    points = [(point.turn, point.tokens) for point in _some(story.points)]
    return _growth("tokens", "Tokens over the turns", "tokens", points, plain)


def _money(story: Story) -> Plot:
    if not story.dollars:
        empty = "A price is not known." if story.dollars is None else "Nothing was paid."
        return Plot("money", "Money over the turns", empty=empty)
    points = [(point.turn, point.dollars or 0.0) for point in _some(story.points)]
    return _growth("money", "Money over the turns", "US dollars", points, dollars)


def _growth(
    name: str, title: str, unit: str, points: Sequence[tuple[int, float]], word: Callable[[object], str]
) -> Plot:
    x, y, shapes = number_axes(points[-1][0], points[-1][1], unit)
    summary = f"{word(points[-1][1])} after {count(points[-1][0], 'turn')}."
    table = rows_table(["turn", unit], [[str(turn), word(value)] for turn, value in points])
    return Plot(name, title, summary, [*shapes, stairs(points, x, y)], 330, [table])


def _inventory(story: Story) -> Plot:
    """Return the counts of the kinds of items that changed most."""
    title, points = "Inventory over the turns", _some(story.points)
    counts = {item: [point.items.get(item, 0) for point in points] for item in (each.item for each in story.firsts)}
    changes = {item: max(ends) - min(ends) for item, ends in counts.items() if ends}
    items = sorted((item for item in changes if changes[item]), key=lambda item: -changes[item])[:_MOST_LINES]
    if not items:
        return Plot("inventory", title, empty="What was held did not change, or is not known.")
    x, y, shapes = number_axes(points[-1].turn, max(max(counts[item]) for item in items), "items")
    for kind, item in enumerate(items):
        ends = [(point.turn, point.items.get(item, 0)) for point in points]
        shapes.append(stairs(ends, x, y, f"line{kind}"))
        shapes.append(mark(kind, x(ends[-1][0]), y(ends[-1][1]), f"{line(item, 60)}: {ends[-1][1]}"))
        at, below = 60 + 180 * (kind % 2), 328 + 20 * (kind // 2)
        shapes += [mark(kind, at, below, line(item, 60)), text(beginning(line(item, 60), 24), at + 10, below + 4)]
    summary = f"The {count(len(items), 'kind')} of items whose number changed most, of {len(counts)}."
    rows = [[str(point.turn), *(str(point.items.get(item, 0)) for item in items)] for point in points]
    return Plot("inventory", title, summary, shapes, 360, [rows_table(["turn", *(line(i, 60) for i in items)], rows)])


def _on_map(land: Land | None, place: tuple[float, float] | None) -> list[float] | None:
    """Return a place in units of the map. Return None without a map or a place."""
    return [round(land[0](place[0]), 1), round(land[1](place[1]), 1)] if land and place else None


def item_plot(story: Story) -> Plot:
    """Return the items that were held, each to the right of what it can be made from."""
    return item_tree(((first.item, first.turn) for first in story.firsts), "turn")


def way_map(story: Story, land: Land | None) -> Plot:
    """Return where the bot went, seen from above, with the places where a kind of item was first held."""
    title = "Where it went, from above"
    if land is None:
        return Plot("map", title, empty="This run has no positions, or none is known.")
    x, z, way = land
    shapes = [*way]
    names: list[tuple[float, float]] = []
    for place, items in _places_of_firsts(story).items():
        at, to = x(place[0]), z(place[1])
        shapes.insert(1, shape("circle", cx=at, cy=to, r=5, class_="bubble on", title=", ".join(items)))
        where = at + (-6 if at > WIDTH / 2 else 6), to - 8
        if all(abs(where[0] - left) > _NAME_WIDTH or abs(where[1] - down) > _NAME_HEIGHT for left, down in names):
            names.append(where)
            words = items[0] + (f" and {len(items) - 1} more" if len(items) > 1 else "")
            shapes.append(text(words, *where, "end" if at > WIDTH / 2 else "start", "small"))
    summary = f"{count(len(story.way), 'position')}; a point is where a kind of item was first held."
    table = rows_table(["x", "z"], [[f"{a:.0f}", f"{b:.0f}"] for a, b in _some(story.way)])
    return Plot("map", title, summary, shapes, 414, [table])


def building_drawing(building: Building, number: int = 0) -> Plot:
    """Return the drawing of a building: as it is planned, then as far as it stands. With a number it tells when."""
    name = f"building{number or ''}"
    return building_plot(building.blueprint, building.spans or None, name=name, moments=number > 0)


def ground_of(story: Story) -> Land | None:
    """Return the scales of the map of a way, and its shapes. Return None without a position."""
    if not story.way:
        return None
    way = _some(story.way)
    xs, zs = zip(*way, strict=True)
    centre, radius = ((min(xs) + max(xs)) / 2, (min(zs) + max(zs)) / 2), max(max(xs) - min(xs), max(zs) - min(zs)) / 2
    return ground(way, centre, radius)


def _some(values: Sequence[T]) -> Sequence[T]:
    """Return at most about `_MOST_POINTS` of the values, evenly spread, with the first and the last one."""
    step = -(-len(values) // _MOST_POINTS)
    return values if step <= 1 else [*values[:-1:step], values[-1]]


def _places_of_firsts(story: Story) -> dict[tuple[float, float], list[str]]:
    """Return each place where kinds of items were first held, with their names."""
    items = story.points[0].items if story.points else {}
    places: dict[tuple[float, float], list[str]] = {}
    for first in story.firsts:
        if first.place is not None and first.item not in items:
            places.setdefault(first.place, []).append(line(first.item, 40))
    return places


# ------------------------------------------------------------ the timeline


def _some_steps(steps: Sequence[Step]) -> Sequence[Step]:
    """Return the first and the last steps if there are too many, with a note between them."""
    missing, half = len(steps) - MOST_STEPS, MOST_STEPS // 2
    if missing <= 0:
        return steps
    words = f"{missing:,} steps are left out here; autocraft report prints all."
    return [*steps[:half], Step("note", steps[half].time, steps[half].turn, "main", words), *steps[-half:]]


def step_json(step: Step, start: float) -> Json:
    """Return a step as the template shows it, every text tidied and bounded."""
    from autocraft.session.events import Reply

    reply = step.reply
    return {
        "kind": step.kind,
        "agent": "" if step.agent == "main" else line(step.agent, 60),
        "turn": step.turn,
        "after": duration(step.time - start),
        "text": cut(step.text),
        "thoughts": [(line(name, 40), cut(thought)) for name, thought in step.thoughts],
        "error": cut(step.error),
        "command": _command(step),
        "stage": line(reply.stage, 40) if isinstance(reply, Reply) and reply.stage != "plain" else "",
        "tokens": plain(step.answer.usage.total) if step.answer and step.answer.usage.total else "",
        "reasoning": cut(step.answer.reasoning) if step.answer else "",
        "decisions": [
            (_WORDS[each.kind], BY.get(each.by) or f"by {line(each.by)}", cut(each.feedback or each.why))
            for each in step.decisions
        ],
        "effects": [
            {
                "who": "" if each.agent == "main" else line(each.agent, 60),
                "call": call_words(each.command, each.args),
                "ok": each.ok,
                "text": cut(each.text),
                "seconds": duration(each.seconds),
            }
            for each in step.effects
        ],
    }


def _command(step: Step) -> str:
    """Return the command of a turn. Return "" if none was read."""
    from autocraft.session.events import Reply

    return call_words(step.reply.command, step.reply.args) if isinstance(step.reply, Reply) else ""


def call_words(command: str, args: Json) -> str:
    """Return a command with its arguments on one line."""
    return f"{line(command, 80)} {', '.join(f'{line(name, 40)}={line(value, 160)}' for name, value in args.items())}"


def cut(value: object) -> str:
    """Return the beginning of a tidied text, with a note about the rest."""
    words = tidy(value)
    more = len(words) - _LONGEST
    return words if more <= 0 else f"{words[:_LONGEST]}\n… {more:,} more characters"
