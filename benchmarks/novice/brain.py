"""The novice: a brain that knows the names of things and the functions of programs, and learns everything else.

Its knowledge is the fold of the events of its run. It reads no recipe and asks no planner.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from autocraft.errors import BrainError
from autocraft.learning.brains import LearningBrain
from autocraft.learning.writing import (
    VERBS,
    answer_of,
    emptying,
    function,
    function_name,
    hunt,
    maker_of,
    placing,
    search,
)
from autocraft.protocols import Observation
from autocraft.session.events import Event
from benchmarks.novice.graph import Graph, Way
from benchmarks.novice.reasoning import Reasoning, Route

_UNKNOWN = 6.5
"""The cost of a task if no way to its item is known."""
_KNOWN = 0.5
"""The share of the cost that counts if a way to the item is known."""
_ASKED = 8.0
"""The extra cost if asking for the recipe teaches nothing more, so that something else must be tried."""
_DEMAND = 1.0
"""How much cheaper a task becomes for each way that needs its item. What opens most others comes first."""
_TWICE = 2
"""How often a task may fail before it is set aside for good."""
_ASIDES = 6
"""The most recipes that a program asks for besides its task."""


class NoviceBrain(LearningBrain):
    """A brain that tries what it can probably make, then what is unknown, and learns from the messages of programs."""

    name = "novice"

    def __init__(self) -> None:
        self.graph = Graph()
        self._refused: set[str] = set()
        """The items that were proposed and refused since the last program."""

    def apply(self, event: Event) -> None:
        """Learn from one event of the main agent."""
        if event.agent == "main":
            self.graph.apply(event)

    async def answer(self, role: str) -> str:
        """Return a task for the role curriculum, else a program for the present task."""
        observation = await self.world.observe()
        reasoning = self._reasoning(observation)
        if role == "curriculum":
            return self._task(reasoning)
        self._refused.clear()
        return self._program(reasoning, observation)

    def _reasoning(self, observation: Observation) -> Reasoning:
        """Return the reasoning over the graph. It sees only the part of the world that a prompt shows."""
        products = {item for way in self.graph.ways.values() if way.done for item in way.gives}
        targets = {text.rpartition(" ")[2] for text in self.progress.completed}
        blocks = {*observation.facts.get("voxels", ()), *observation.facts.get("seen", ())}
        mobs = [name for name in observation.facts.get("entities", {}) if " " not in name]
        return Reasoning(
            self.graph,
            self.world.items,
            blocks,
            mobs,
            observation.inventory,
            {*observation.inventory, *products, *targets},
        )

    # ------------------------------------------------------------ the next task

    def _task(self, reasoning: Reasoning) -> str:
        """Return the next task: the cheapest item, where items that others need count as cheaper.

        Raises BrainError if there is nothing left to try.
        """
        failures = [text.rpartition(" ")[2] for text in self.progress.failed]
        scores = []
        for item in reasoning.items:
            times = failures.count(item)
            if item in reasoning.known | self._refused or times >= _TWICE:
                continue
            price = reasoning.cost.get(item, math.inf)
            if math.isinf(price):
                probe = "" if times or reasoning.guess(item) is not None else reasoning.probe(item)
                if not probe:
                    continue
                price = _UNKNOWN + reasoning.strangeness(item) + _ASKED * (not reasoning.is_untried(item))
            else:
                price *= _KNOWN
            price -= _DEMAND * reasoning.demand[item]
            scores.append((price + _UNKNOWN * times, item))
        if not scores:
            raise BrainError("the novice knows nothing that it has not tried")
        item = min(scores)[1]
        self._refused.add(item)
        why = "a way to it is known" if item in reasoning.cost else "nothing is known about it yet"
        return f"Reasoning: {item} was never held, and {why}.\nTask: Obtain 1 {item}"

    # ------------------------------------------------------------ programs

    def _program(self, reasoning: Reasoning, observation: Observation) -> str:
        """Return the program for the present task: along the best known way, or a trial if none is known.

        Raises BrainError if the task cannot be understood.
        """
        assert self.progress.task is not None
        goal = self.progress.task.goals[0]
        if code := emptying(goal.text, observation.inventory):
            return answer_of([goal.text], code)
        writer = Writer(reasoning, self.names, self._asides(reasoning), deep=self.progress.tries % 2 == 1)
        if goal.deeds and goal.deeds[0].verb in VERBS:
            key = f"{goal.deeds[0].verb} {reasoning.cheapest(goal.deeds[0].thing)}"
            return answer_of([key], writer.trial(key))
        if not goal.items:
            raise BrainError(f"the novice does not understand the task {goal.text!r}")
        item = reasoning.cheapest(goal.items[-1][0])
        if writer.skill_for(item):
            return answer_of([f"call {writer.skill_for(item)}"], writer.call(item))
        if item in reasoning.best:
            return answer_of(writer.plan(item), writer.program(item))
        key = reasoning.probe(item) or self._curious(reasoning) or f"craft {item}"
        return answer_of([f"try to {key}"], writer.trial(key, item))

    def _asides(self, reasoning: Reasoning) -> list[str]:
        """Return the items whose recipes a program asks for if it gains nothing, the most useful first.

        Asking costs no items, since the game says what is lacking.
        """
        items = [item for item in reasoning.items if item not in reasoning.known and reasoning.answers(item)]
        items = [item for item in items if reasoning.guess(item) is None]
        items.sort(key=lambda item: (reasoning.strangeness(item) - reasoning.demand[item], item))
        return items[:_ASIDES]

    def _curious(self, reasoning: Reasoning) -> str:
        """Return a recipe to ask for that is unrelated to the task. Return '' if there is none."""
        names = sorted(reasoning.items, key=lambda name: (-reasoning.demand[name], reasoning.strangeness(name), name))
        unknown = (name for name in names if f"craft {name}" not in reasoning.graph.ways)
        return next((f"craft {name}" for name in unknown if reasoning.guess(name) is None), "")


@dataclass
class Writer:
    """A writer of one program. It calls `skills` for what it has not made itself yet. With `deep`, searches begin
    below the bot.

    A program that gains nothing asks for the recipes of the `asides`.
    """

    reasoning: Reasoning
    skills: Collection[str]
    asides: Sequence[str] = ()
    deep: bool = False
    lines: list[str] = field(default_factory=list)
    """The helper functions of the program. Each one comes after the functions that it calls."""
    covered: list[str] = field(default_factory=list)
    """The items that have a helper function, in the same order."""

    def plan(self, item: str) -> list[str]:
        """Return the ways that a program for an item uses, in their order."""
        self._get(item, own=True)
        return [self.reasoning.best[name].key for name in self.covered if name in self.reasoning.best]

    def program(self, item: str) -> str:
        """Return the program that gains one more of an item."""
        if item not in self.covered:
            self._get(item, own=True)
        route = self.reasoning.best[item]
        main = [*self.lines, f"await {function_name('get', item)}(have('{item}') + 1)"]
        lines = [f"// Get one more {item}.", *asking(item, main, self.asides)]
        return function(function_name(route.verb, item), lines)

    def trial(self, key: str, item: str = "") -> str:
        """Return the program that tries one way, to gain an item or to do what the task asks."""
        verb, _, thing = key.partition(" ")
        way = self.reasoning.graph.ways.get(key, Way())
        needs = {need: count for need, count in way.needs.items() if self.skill_for(need)}
        needs |= {thing: 1} | self.reasoning.fuel() if verb == "smelt" else {}
        route = Route(key, needs, way.near, way.tool)
        act = self._act(route, thing, "1")
        main = [*self.lines, *act]
        lines = [f"// Try to {verb} {thing}.", *(asking(item, main, self.asides) if item else main)]
        return function(function_name(verb, thing), lines)

    def skill_for(self, item: str) -> str:
        """Return the skill that is named after an item, unless a way to the item has worked in this run. Else ''."""
        route = self.reasoning.best.get(item)
        if route is not None and self.reasoning.graph.ways.get(route.key, Way()).done:
            return ""
        return maker_of(item, self.skills)

    def call(self, item: str) -> str:
        """Return the program that gains one more of an item by the skill that is named after it."""
        skill = self.skill_for(item)
        lines = [f"// Get one more {item}.", f"const enough = have('{item}') + 1"]
        lines.append(f"for (let n = 0; n < 3 && have('{item}') < enough; n++) await {skill}(bot)")
        return function(function_name("obtain", item), lines)

    def _get(self, item: str, *, own: bool = False) -> None:
        """Add the helper function for an item, after those for its needs."""
        if item in self.covered:
            return
        self.covered.append(item)
        route = self.reasoning.best.get(item)
        if skill := "" if own else self.skill_for(item):
            act = [f"await {skill}(bot)"]
        elif route is None:
            act = ["return"]
        else:
            act = self._act(route, item, f"count - have('{item}')")
        way = self.reasoning.graph.ways.get(route.key, Way()) if route else Way()
        self.covered.remove(item)
        self.covered.append(item)
        self.lines += [
            f"const {function_name('get', item)} = async (count) => {{",
            f"  for (let n = 0; n < {6 if way.done else 2} && have('{item}') < count; n++) {{",
            *(f"    {line}" for line in act),
            "  }",
            "}",
        ]

    def _act(self, route: Route, item: str, lack: str) -> list[str]:
        """Return the lines that gather the needs of a way and then carry it out once."""
        lines = []
        if route.near:
            self._get(route.near)
            lines += [f"if (!near('{route.near}')) {{", f"  await {function_name('get', route.near)}(1)"]
            lines += [f"  if (have('{route.near}')) {placing(repr(route.near))}", "}"]
        needs = dict(route.needs) | ({route.tool: 1} if route.tool else {})
        for need, count in sorted(needs.items(), key=lambda each: -self.reasoning.price(each[0], 99)):
            self._get(need)
            lines.append(f"await {function_name('get', need)}({count})")
        call = f"await {VERBS[route.verb]}(bot, '{route.thing}'"
        match route.verb:
            case "craft":
                lines.append(f"{call}, 1)")
            case "smelt":
                fuel = next((name for name in route.needs if name != route.thing), "")
                lines.append(f"{call}, {repr(fuel) if fuel else 'null'}, 1)")
            case "mine":
                seconds = 30 if route.thing in self.reasoning.blocks else 10
                lines += [*search(route.thing, seconds, deep=self.deep), f"{call}, {lack})"]
            case "kill":
                lines += [*hunt(route.thing), f"{call}, 300)"]
        return lines


def asking(item: str, main: Sequence[str], recipes: Sequence[str]) -> list[str]:
    """Return the lines of a program for an item. If it gains none, it asks for `recipes`."""
    if not recipes:
        return list(main)
    return [
        f"const before = have('{item}')",
        "const ask = async (craft) => {",
        "  try { await craft() } catch (error) {",
        "    console.log(error.message)",
        "    if (!/crafting table nearby|has no recipe/.test(error.message)) throw error",
        "  }",
        "}",
        "const askAll = async () => {",
        *(f"  await ask(() => craftItem(bot, '{name}', 1))" for name in recipes),
        "}",
        "try {",
        *(f"  {line}" for line in main),
        "} finally {",
        f"  if (have('{item}') <= before) await askAll()",
        "}",
    ]
