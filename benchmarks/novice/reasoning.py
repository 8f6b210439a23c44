"""The novice's reasoning: the cost of an item, the best way to it, and what to try if no way is known.

It knows the names of items, blocks and mobs, and guesses by names alone.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from benchmarks.novice.graph import Graph, Way

HELD = 0.3
"""The cost of an item that is held already."""
_BASE = {"craft": 1.0, "mine": 2.0, "smelt": 3.0, "kill": 5.0}
_UNSEEN = 2
"""The failures after which a way that never worked is given up."""


@dataclass(frozen=True)
class Route:
    """A way to an item, with its needs and the cost of the way itself."""

    key: str
    needs: Mapping[str, int]
    near: str = ""
    tool: str = ""
    base: float = 1.0

    @property
    def verb(self) -> str:
        return self.key.partition(" ")[0]

    @property
    def thing(self) -> str:
        return self.key.partition(" ")[2]


@dataclass
class Reasoning:
    """Reasoning over a graph. `blocks` and `mobs` are the names that were seen, `held` is the inventory."""

    graph: Graph
    items: Collection[str]
    blocks: Collection[str]
    mobs: Collection[str]
    held: Mapping[str, int]
    known: set[str]
    """All items that were gained at any time."""
    cost: dict[str, float] = field(init=False, default_factory=dict)
    best: dict[str, Route] = field(init=False, default_factory=dict)
    demand: Counter[str] = field(init=False, default_factory=Counter)
    """Item -> the number of ways to new items that need it."""

    def __post_init__(self) -> None:
        routes = list(self._routes())
        for outputs, route in routes:
            if route.key in self.graph.ways and not self.known.issuperset(outputs):
                self.demand.update({*route.needs, route.near, route.tool} - {""})
        again = True
        while again:
            again = False
            for outputs, route in routes:
                price = self._price(route)
                for item in outputs:
                    if price < self.cost.get(item, math.inf) - 1e-9:
                        self.cost[item], self.best[item], again = price, route, True

    def price(self, item: str, count: int = 1) -> float:
        """Return the cost of `count` of an item, in the units of `_BASE`. Return infinity if no way is known."""
        if self.held.get(item, 0) >= count:
            return HELD
        return self.cost.get(item, math.inf)

    def cheapest(self, thing: str) -> str:
        """Return the item that a goal names. For a kind such as ``#log``, return its cheapest item."""
        if not thing.startswith("#"):
            return thing
        kind = thing[1:]
        members = [item for item in self.items if item == kind or item.endswith(f"_{kind}")]
        return min(members, key=lambda item: (self.price(item), len(item), item), default=kind)

    def fuel(self) -> dict[str, int]:
        """Return the cheapest known fuel as a need. Return an empty dictionary if no fuel is known."""
        fuels = sorted(self.graph.fuels, key=lambda item: (self.price(item), item))
        return dict.fromkeys(fuels[:1], 1)

    def strangeness(self, item: str) -> float:
        """Return how unfamiliar the name of an item is. A long name is less familiar.

        The words before the last one name the material: a known material lowers the value. The last word is the kind:
        a recipe of this kind lowers the value, a kind without recipes raises it.
        """
        *material, kind = item.split("_")
        return len(item) / 10 - 2 * len(self._words & set(material)) + self._kinds[kind]

    def _price(self, route: Route) -> float:
        total = route.base
        for item, count in route.needs.items():
            total += self.price(item, count) * min(4.0, 1 + count / 4)
        if route.near:
            total += HELD if route.near in self.blocks else self.price(route.near)
        return total + (self.price(route.tool) if route.tool else 0)

    def _routes(self) -> Iterable[tuple[list[str], Route]]:
        """Yield each way that may work, with the items that it gives."""
        graph = self.graph
        for key, way in graph.ways.items():
            verb, _, thing = key.partition(" ")
            if way.closed or (way.failed > _UNSEEN and not way.done):
                continue
            base = _BASE[verb] * (1 + way.failed)
            if verb == "craft" and (way.needs or way.done):
                yield [thing], Route(key, way.needs, way.near, way.tool, base)
            elif verb == "smelt" and way.gives:
                yield list(way.gives), Route(key, {thing: 1} | self.fuel(), way.near, "", base)
            elif way.gives:
                for item, times in way.gives.items():
                    yield [item], Route(key, {}, "", way.tool, base * max(1.0, way.done / times))
            elif verb == "mine" and thing in self.items and not way.done:
                yield [thing], Route(key, {}, "", way.tool, base)
        for block in self.blocks:
            if block in self.items and f"mine {block}" not in graph.ways:
                yield [block], Route(f"mine {block}", {}, base=8.0)
        for item in self.items:
            guess = self.guess(item)
            if guess is not None:
                yield [item], guess

    def guess(self, item: str) -> Route | None:
        """Return how to craft an untried item, after the recipe of a similar name. Return None if there is none."""
        if f"craft {item}" in self.graph.ways:
            return None
        for name, way in self._endings.get(item.rpartition("_")[2], ()):
            needs = _in_words_of(name, item, way.needs)
            if needs is not None and all(each in self.items for each in needs):
                return Route(f"craft {item}", needs, way.near, "", 2.0)
        return None

    @cached_property
    def _words(self) -> set[str]:
        return {word for each in self.known for word in each.split("_")}

    @cached_property
    def _kinds(self) -> Counter[str]:
        """Return for each last word of an item how unlikely a recipe is, from -3 to 8."""
        kinds: Counter[str] = Counter()
        for key, way in self.graph.ways.items():
            verb, _, thing = key.partition(" ")
            if verb == "craft":
                kinds[thing.rpartition("_")[2]] += 2 if way.closed else -1
            elif verb == "mine":
                kinds[thing.rpartition("_")[2]] += 3
        return Counter({kind: max(-3, min(8, count)) for kind, count in kinds.items()})

    @cached_property
    def _endings(self) -> Mapping[str, list[tuple[str, Way]]]:
        """Return the crafts with known needs, by the last word of their item."""
        endings: dict[str, list[tuple[str, Way]]] = {}
        for key, way in self.graph.ways.items():
            verb, _, thing = key.partition(" ")
            if verb == "craft" and way.needs:
                endings.setdefault(thing.rpartition("_")[2], []).append((thing, way))
        return endings

    # ------------------------------------------------------------ what to try if no way is known

    def probe(self, item: str, above: frozenset[str] = frozenset()) -> str:
        """Return something to try for an item, such as ``craft stick``. Return '' if everything was tried.

        Recipes come first: that of the item, then those of its needs. Blocks, furnaces and mobs come after them.
        """
        if item in above:
            return ""
        above |= {item}
        way = self.graph.ways.get(f"craft {item}", Way())
        needs = [] if way.closed else sorted({*way.needs, way.near} - {""})
        needs = [need for need in needs if math.isinf(self.price(need, way.needs.get(need, 1)))]
        open_needs = (need for need in (item, *needs) if need not in above - {item} and self.is_untried(need))
        if need := next(open_needs, ""):
            return f"craft {need}"
        return self._probe_sources(item, above) or next(filter(None, (self.probe(need, above) for need in needs)), "")

    def is_untried(self, item: str) -> bool:
        """Tell whether the recipe of an item has not been asked for yet."""
        way = self.graph.ways.get(f"craft {item}")
        return way is None or (not way.closed and not way.done and not way.needs and way.failed < _UNSEEN)

    def answers(self, item: str) -> bool:
        """Tell whether asking for the recipe of an item may teach something. A station that it needs must be near."""
        near = self.graph.ways.get(f"craft {item}", Way()).near
        return self.is_untried(item) and (not near or near in self.blocks)

    def _probe_sources(self, item: str, above: frozenset[str]) -> str:
        """Return a way to try that gains an item without a recipe: from a block, a furnace or a mob."""
        itself = self.graph.ways.get(f"mine {item}", Way())
        if itself.failed or itself.done:  # there is such a block, but it gives something else
            return ""
        words = set(item.split("_"))
        near = {item, *self.blocks, *self.items} if self.demand[item] else self.blocks
        blocks = [name for name in near if words & set(name.split("_"))]
        blocks.sort(key=lambda name: (name != item, name not in self.blocks, not name.endswith("_ore"), name))
        for block in blocks[:4]:
            if self._open(f"mine {block}"):
                tool = self.graph.ways.get(f"mine {block}", Way()).tool
                if tool and math.isinf(self.price(tool)):
                    return self.probe(tool, above)
                return f"mine {block}"
        inputs = sorted(self.held, key=lambda name: (not words & set(name.split("_")), name))
        for name in inputs:
            if self._open(f"smelt {name}"):
                station = self.graph.ways.get(f"smelt {name}", Way()).near
                for need in (station, *self.fuel()):
                    if need and need not in self.blocks and math.isinf(self.price(need)):
                        return self.probe(need, above)
                return f"smelt {name}"
        return next((f"kill {mob}" for mob in self.mobs if self._open(f"kill {mob}")), "")

    def _open(self, key: str) -> bool:
        """Tell whether a way has never worked and is still worth a try."""
        way = self.graph.ways.get(key)
        return way is None or (not way.closed and not way.done and way.failed < _UNSEEN)


def _in_words_of(like: str, item: str, needs: Mapping[str, int]) -> dict[str, int] | None:
    """Return the needs of `like` in the words of `item`. For oak_door and birch_door, oak_planks becomes birch_planks.

    Return None if no need changes.
    """
    old, new = like.split("_"), item.split("_")
    same = 0
    while same < min(len(old), len(new)) - 1 and old[-1 - same] == new[-1 - same]:
        same += 1
    if not same:
        return None
    before, after = "_".join(old[:-same]), "_".join(new[:-same])
    others = {_replace_word(need, before, after): count for need, count in needs.items()}
    return others if set(others) != set(needs) else None


def _replace_word(name: str, before: str, after: str) -> str:
    if name == before or name.startswith(f"{before}_"):
        return after + name[len(before) :]
    return name
