"""Checks proofs of impossibility; see "Impossible" in `docs/crafting.md`.

- reachability: a set of items, none of them held. Every recipe of each item needs another item of the set.
- counting: a tree. A leaf gives weights to items (and to choices such as "a|b"). Within the leaf's limits on the number
  of crafts, held and made items never weigh as much as the wanted ones. A fork splits at one recipe.
- exhaustion: every stock that crafting can lead to is visited again.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from autocraft.crafting.recipes import Recipe, RecipeBook
from autocraft.crafting.verify.question import Unsound, Work, leading_to, within_reach


def check(
    book: RecipeBook, stock: Mapping[str, int], goal: Mapping[str, int], proof: Mapping[str, Any], states: int
) -> None:
    """Raise Unsound unless `proof` shows that `stock` cannot lead to `goal`. `states` bounds the search."""
    part = proof["wanted"]
    if not part or any(type(count) is not int or not 1 <= count <= goal.get(item, 0) for item, count in part.items()):
        raise Unsound("the proof is about something else than what is wanted")
    match proof["kind"]:
        case "reachability":
            _check_lack(book, stock, part, set(proof["lacking"]))
        case "counting":
            Counting(dict(_ways(book, stock)), _short(stock, part), Work(states)).check(proof["tree"], {})
        case "exhaustion":
            _check_stocks(book, stock, part, Work(states))
        case kind:
            raise Unsound(f"there is no proof of kind {str(kind)[:40]!r}")


def _check_lack(book: RecipeBook, stock: Mapping[str, int], part: Mapping[str, int], lacking: set[str]) -> None:
    if lacking.isdisjoint(part):
        raise Unsound("nothing that is wanted is in the set that is said to be out of reach")
    for item in lacking:
        if stock.get(item):
            raise Unsound(f"{item} is said to be out of reach, but it is held")
        for recipe in book.making(item):
            if not any(lacking.issuperset(choices) for choices in recipe.ingredients):
                raise Unsound(f"{item} is said to be out of reach, but a recipe makes it without the others")


def _ways(book: RecipeBook, stock: Mapping[str, int]) -> Iterator[tuple[str, Mapping[str, int]]]:
    """Yield the name in proofs of every recipe that can be made, and of every use of an item for a choice.

    With it comes how it changes the counts of items. Equal names are numbered.
    """
    reachable = within_reach(book, [item for item, count in stock.items() if count])
    numbers: Counter[str] = Counter()
    choices: dict[str, list[str]] = {}
    for recipe in book.recipes:
        for name, changes, used in _recipe_ways(recipe, reachable):
            numbers[name] += 1
            yield f"{name} #{numbers[name]}", changes
            choices |= {pool: pool.split("|") for pool in used if "|" in pool}
    for choice, items in choices.items():
        for item in items:
            yield f"{item} as {choice}", {choice: 1, item: -1}


def _recipe_ways(recipe: Recipe, reachable: set[str]) -> Iterator[tuple[str, Mapping[str, int], list[str]]]:
    if recipe.kind == "smelting":
        for item in recipe.ingredients[0]:
            if item in reachable:
                yield f"smelt {item}", {recipe.output: 1, item: -1}, []
        return
    ingredients: Counter[str] = Counter()
    for part, count in Counter(recipe.ingredients).items():
        near = [item for item in part if item in reachable]
        if not near:
            return
        ingredients["|".join(near)] += count
    text = " + ".join(f"{count} {name}" for name, count in sorted(ingredients.items()))
    changes = Counter({name: -count for name, count in ingredients.items()})
    changes[recipe.output] += recipe.count
    yield f"{recipe.count} {recipe.output} from {text}", changes, list(ingredients)


def _short(stock: Mapping[str, int], part: Mapping[str, int]) -> dict[str, int]:
    """Return how many of each item must be made. The number is negative for items in stock."""
    return {item: part.get(item, 0) - stock.get(item, 0) for item in {*stock, *part}}


@dataclass(frozen=True)
class Counting:
    """A counting proof's question: all `ways`, which can be used any number of times, and what they must make."""

    ways: Mapping[str, Mapping[str, int]]
    """By their names in proofs, the counts that they change."""
    short: Mapping[str, int]
    work: Work

    def check(self, tree: Mapping[str, Any], limits: Mapping[str, tuple[int, int | None]]) -> None:
        """Raise Unsound unless `tree` rules out all numbers within `limits`, (least, most or None) by name."""
        self.work.step(len(self.ways))
        if "weights" in tree:
            if self._room(tree["weights"], limits):
                raise Unsound("a leaf of the tree leaves room: its weights do not rule out what is wanted")
            return
        way, at = tree["way"], tree["at"]
        if way not in self.ways:
            raise Unsound(f"the tree forks at {str(way)[:80]!r}, which is not a recipe that can be made")
        if type(at) is not int or at < 0:
            raise Unsound(f"the tree forks between {str(at)[:40]} and one more, which are not counts")
        low, high = limits.get(way, (0, None))
        self.check(tree["low"], {**limits, way: (low, at if high is None else min(high, at))})
        self.check(tree["high"], {**limits, way: (max(low, at + 1), high)})

    def _room(self, weights: Mapping[str, int], limits: Mapping[str, tuple[int, int | None]]) -> bool:
        """Return whether held and made items can weigh as much as the wanted and used ones."""
        if not weights or any(type(weight) is not int or weight < 0 for weight in weights.values()):
            raise Unsound("a leaf of the tree has no weights, or one that is not a whole number of 0 or more")
        most = -sum(weight * self.short.get(name, 0) for name, weight in weights.items())
        for name, changes in self.ways.items():
            gain = sum(weights.get(item, 0) * change for item, change in changes.items())
            low, high = limits.get(name, (0, None))
            if gain > 0 and high is None:
                return True
            most += gain * (high if gain > 0 and high is not None else low)
        return most >= 0


def _check_stocks(book: RecipeBook, first_stock: Mapping[str, int], part: Mapping[str, int], work: Work) -> None:
    """Visit every stock that can matter for `part` and that recipes lead to. Raise Unsound if one holds it."""
    recipes = list(leading_to(book, part, within_reach(book, first_stock)))
    relevant = {*part, *(item for recipe in recipes for choices in recipe.ingredients for item in choices)}
    start = frozenset((item, count) for item, count in first_stock.items() if count and item in relevant)
    seen_stocks, fresh = {start}, [start]
    while fresh:
        stock = dict(fresh.pop())
        if all(stock.get(item, 0) >= count for item, count in part.items()):
            raise Unsound("what is said to be impossible was made")
        for recipe in recipes:
            for after in _after(recipe, stock, work):
                if after not in seen_stocks:
                    if len(seen_stocks) >= work.states:
                        raise Unsound(f"not every stock can be looked at within {work.states}")
                    seen_stocks.add(after)
                    fresh.append(after)


def _after(recipe: Recipe, stock: Mapping[str, int], work: Work) -> Iterator[frozenset[tuple[str, int]]]:
    parts = Counter(recipe.ingredients)
    ways = [
        itertools.combinations_with_replacement([item for item in choices if stock.get(item)], count)
        for choices, count in parts.items()
    ]
    for way in itertools.product(*ways):
        work.step()
        rest = Counter(stock)
        rest.subtract(Counter(itertools.chain(*way)))
        if min(rest.values()) >= 0:
            rest[recipe.output] += recipe.count
            yield frozenset((item, count) for item, count in rest.items() if count)
