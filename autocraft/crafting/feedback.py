"""Notes for a model after each action: what the target still needs, and whether the same line was tried before.

Small models repeat a line without effect, move items to the slot where they are already, and take an intermediate
product for the target. These notes point it out.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from autocraft.crafting.model import reachable
from autocraft.crafting.recipes import Choices, Recipe
from autocraft.crafting.slots import OUTPUT
from autocraft.crafting.sources import instruction, places, portions, sources, taking
from autocraft.crafting.table import CraftingTable
from autocraft.errors import Spell
from autocraft.text.phrases import join_words

_MOST_LINES = 5
_MOST_STEPS = 3


def missing_text(
    table: CraftingTable,
    targets: str | Iterable[tuple[str, int]],
    commands: Collection[str] | None = None,
    spell: Spell | None = None,
) -> str:
    """Return one line for each wanted item that is missing, or "" if all are held. A single name means one of it.

    A line is "ladder: have 0, need 1; it is made from 7 stick (0 here, 7 missing)". The ingredients are those of the
    recipe that lacks least. Items in [0] do not count yet. With `commands`, more lines say where the
    ingredients lie, what missing ones are made from, and by which command. `spell` writes a command that would succeed
    now.
    """
    counts = table.counts()
    items = [(targets, 1)] if isinstance(targets, str) else targets
    lacking = [(item, need) for item, need in items if counts.get(item, 0) < need]
    reach = reachable(table.book, counts) if lacking else set()
    lines = []
    for item, need in lacking[:_MOST_LINES]:
        way, recipe, parts = _way(table, counts, reach, item, need)
        lines.append(f"{item}: have {counts.get(item, 0)}, need {need}; {way}")
        if commands is not None and recipe is not None:
            lines += _advice(table, recipe, parts, commands, spell)
        elif commands is not None and (output := table[OUTPUT]) and output[0] == item:
            lines.append(taking(table).words(commands, spell))
    if len(lacking) > _MOST_LINES:
        lines.append(f"and {len(lacking) - _MOST_LINES} more items")
    return "\n".join(lines)


def _way(
    table: CraftingTable, counts: Mapping[str, int], reach: set[str], item: str, need: int
) -> tuple[str, Recipe | None, list[_Part]]:
    """Return how an item is made, the recipe that lacks least, and its ingredients."""
    output = table[OUTPUT]
    if output and output[0] == item:
        return f"{output[1]} {item} shown in [0] do not count until you move them from [0] to another slot", None, []
    short = need - counts.get(item, 0)
    recipes = table.book.making(item)
    if not recipes:
        return "nothing makes it", None, []
    ways = [(_parts(table, recipe, counts, reach, -(-short // recipe.count)), recipe) for recipe in recipes]
    parts, recipe = min(ways, key=lambda way: _distance(way[0], reach))
    verb = "smelted" if recipe.kind == "smelting" else "made"
    if all(part.missing == 0 for part in parts):
        text = f"it is {verb} from {join_words([f'{part.need} {part.name}' for part in parts])}: all here"
        return text, recipe, parts
    return f"it is {verb} from {join_words([part.text for part in parts])}", recipe, parts


def advice_lines(table: CraftingTable, item: str, commands: Collection[str], spell: Spell | None) -> list[str]:
    """Return how one more of an item is made by the recipe that lacks least, as `missing_text` says it."""
    counts = table.counts()
    _, recipe, parts = _way(table, counts, reachable(table.book, counts), item, counts.get(item, 0) + 1)
    return [] if recipe is None else _advice(table, recipe, parts, commands, spell)


def _advice(
    table: CraftingTable, recipe: Recipe, parts: list[_Part], commands: Collection[str], spell: Spell | None
) -> list[str]:
    missing = [part.source for part in parts if part.missing]
    ready = "" if missing else instruction(table, recipe).words(commands, spell)
    where = places(table, (item for part in parts for item in part.items))
    return list(filter(None, [ready or where, *(each.words(commands, spell) for each in sources(table, missing))]))


@dataclass(frozen=True)
class _Part:
    """One ingredient: the items that are used for it, how many are needed, and how many accepted items are here."""

    items: Sequence[str]
    need: int
    here: int
    source: str
    """The item that would be made, if some are missing."""

    @property
    def missing(self) -> int:
        return max(0, self.need - self.here)

    @property
    def text(self) -> str:
        state = f"{self.here} here, {self.missing} missing" if self.missing else f"{self.here} here"
        return f"{self.need} {self.name} ({state})"

    @property
    def name(self) -> str:
        return " or ".join(self.items)


def _parts(table: CraftingTable, recipe: Recipe, counts: Mapping[str, int], reach: set[str], times: int) -> list[_Part]:
    parts = []
    for choices, n in recipe.groups.items():
        items = [item for item in portions(choices, n * times, counts, {}) if counts.get(item)]
        source = _source(table, choices, reach, items)
        here = sum(counts.get(item, 0) for item in choices)
        parts.append(_Part(items or [source], n * times, here, source))
    return parts


def _source(table: CraftingTable, choices: Choices, reach: set[str], stock: Sequence[str]) -> str:
    """Return the accepted item that can be made of what is here, else the first that is held, else the first of all."""
    for item in choices:
        others = reach - {item}
        if any(all(others.intersection(part) for part in recipe.groups) for recipe in table.book.making(item)):
            return item
    return stock[0] if stock else choices[0]


def _distance(parts: list[_Part], reach: set[str]) -> tuple[bool, int, int]:
    """Return a sort key: the least is that of the recipe that lacks least."""
    missing = [part for part in parts if part.missing]
    return any(part.source not in reach for part in missing), sum(part.missing for part in missing), len(missing)


@dataclass
class LineHistory:
    """The action lines of an episode and their results. Lines that differ only in case and spaces are the same."""

    _lines: dict[str, list[tuple[int, bool]]] = field(default_factory=dict)
    _count: int = 0
    _said: list[str] = field(default_factory=list)

    def say(self, line: str) -> str:
        """Record a line that changes nothing: a thought or a search. Return a note if it was said since the last
        action."""
        text = " ".join(line.lower().split())
        again, self._said = text in self._said, [*self._said, text]
        return "This very line was said before, and nothing has changed since; do something else." if again else ""

    def note(self, line: str, *, ok: bool, step: int | None = None) -> str:
        """Record a line and whether it was legal. Without a `step`, lines are counted.

        Return a note such as "This very line was tried before at step 3 (illegal then too); do something else." Return
        "" for a new line, and for a line that was always legal, since repeating it is no mistake.
        """
        self._count += 1
        self._said = []
        before = self._lines.setdefault(" ".join(line.lower().split()), [])
        text = _repetition(before, ok)
        before.append((self._count if step is None else step, ok))
        return text


def _repetition(before: list[tuple[int, bool]], ok: bool) -> str:
    failures = [step for step, legal in before if not legal]
    if not before or (ok and not failures):
        return ""
    steps = [step for step, _ in before]
    when = f"at step {steps[0]}"
    if len(steps) > _MOST_STEPS:
        when = f"{len(steps)} times, last at step {steps[-1]}"
    elif len(steps) > 1:
        when = f"at steps {join_words(list(map(str, steps)))}"
    if ok:
        return f"This very line was tried before {when}, and is legal now."
    if not failures:
        return f"This very line was tried before {when} (legal then)."
    if len(failures) < len(steps):
        return f"This very line was tried before {when} (sometimes illegal); do something else."
    then = "illegal then too" if len(steps) == 1 else "illegal each time"
    return f"This very line was tried before {when} ({then}); do something else."
