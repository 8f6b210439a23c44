"""The graph of ways to items that a run has learned: the fold of its programs and their results."""

from __future__ import annotations

import re
from collections.abc import Mapping

import msgspec

from autocraft.learning.writing import VERBS
from autocraft.protocols import Json
from autocraft.session.events import Event, Goals, Intent, Reply, Result

_VERBS = {function: verb for verb, function in VERBS.items()}
_CALL = re.compile(rf"\b({'|'.join(_VERBS)})\(bot, '(\w+)'")
_COUNTED = re.compile(r"\b(\d{1,9})(?: more)? (\w+)")
_MADE = re.compile(r"Made (\d{1,9}) (\w+) from ([^.]*)\.")
"""A message of the crafting world."""
_NEWS = re.compile(r"Got ([^.]*)\.(?: Used ([^.]*)\.)?")
"""What a command gained and used, such as "Got 4 stick. Used 2 oak_planks."."""
_DONE = (
    ("craft", re.compile(r"I did the recipe for (?P<thing>\w+) (?P<count>\d{1,9}) times\. (?P<news>.*)")),
    ("mine", re.compile(r"Mined (?:only )?(?P<count>\d{1,9})(?: of \d+)? (?P<thing>\w+)[.:] (?P<news>.*)")),
    ("smelt", re.compile(r"Smelted (?:only )?(?P<count>\d{1,9})(?: of \d+)? (?P<thing>\w+) to \w+\. (?P<news>.*)")),
    ("kill", re.compile(r"Killed (?P<thing>\w+)! (?P<news>.*)")),
)
_LACKING = re.compile(r"I cannot make (\w+) because I need: ([^;]*)")
_TOOL = re.compile(r"I need at least an? (\w+) to mine (\w+)")
_STATION = re.compile(r"No (crafting table|furnace) nearby(?:.* to make (\w+))?")
_FUEL = re.compile(r"I cannot smelt (?:\d+ )?(\w+) because I need: ([^;]*)")
_CLOSED = (
    ("craft", re.compile(r"(\w+) has no recipe")),
    ("smelt", re.compile(r"(\w+) is not a valid input")),
    ("mine", re.compile(r"No block named (\w+)")),
    ("mine", re.compile(r"(\w+) cannot be mined")),
)


class Way(msgspec.Struct):
    """One way to items, such as ``craft stick`` or ``mine stone``, with what was learned about it."""

    gives: dict[str, int] = {}
    """Item -> how often the way gave it."""
    needs: dict[str, int] = {}
    near: str = ""
    """The station that must be near. Empty for none."""
    tool: str = ""
    done: int = 0
    failed: int = 0
    """The programs about this way that gained nothing by it."""
    closed: bool = False
    """Whether the game said that there is no such way."""


class Graph(msgspec.Struct):
    """The known ways. `chat_log` and `errors` say what a prompt of this run shows."""

    ways: dict[str, Way] = {}
    fuels: list[str] = []
    chat_log: bool = True
    errors: bool = True
    called: list[str] = []
    """The ways that the newest program calls, in its order. The program is about the last one."""

    def way(self, key: str) -> Way:
        """Return a way. An unknown one is added."""
        return self.ways.setdefault(key, Way())

    def edges(self) -> list[tuple[str, str, str, str]]:
        """Return all learned edges as verb, thing, relation (gives, needs, near or tool) and item."""
        rows = []
        for key, way in self.ways.items():
            verb, _, thing = key.partition(" ")
            rows += [(verb, thing, "gives", item) for item in way.gives if (verb, item) != ("craft", thing)]
            rows += [(verb, thing, "needs", item) for item in way.needs]
            rows += [(verb, thing, name, item) for name, item in (("near", way.near), ("tool", way.tool)) if item]
        return rows

    def apply(self, event: Event) -> None:
        """Fold in one event of the main agent."""
        match event:
            case Goals() if event.options is not None:
                self.chat_log = bool(event.options.get("chat_log", True))
                self.errors = bool(event.options.get("show_errors", True))
            case Reply() | Intent() if event.command == "run_program":
                code = str(event.args.get("code", ""))
                self.called = [f"{_VERBS[verb]} {thing}" for verb, thing in _CALL.findall(code)]
            case Result() if event.command == "run_program" and event.program is not None:
                self._learn_from(event.program)

    def _learn_from(self, program: Json) -> None:
        """Learn from a program: from its messages and its error, else from what it gained."""
        before, after = program.get("before") or {}, program.get("after") or {}
        messages = [str(line) for line in program["said"]] if self.chat_log else []
        main = self.called[-1] if self.called else ""
        before_needs = self._needs(main)
        successes: set[str] = set()
        for line in [*messages, str(program["error"])] if self.errors else messages:
            successes |= self._learn_from_line(line, after)
        gain = {name: count - before.get(name, 0) for name, count in after.items() if count > before.get(name, 0)}
        asides = [] if gain else [key for key in self.called[:-1] if key.startswith("craft ")]
        for way in map(self.way, asides):  # a program that gained something asked for none of them
            if way == Way(failed=way.failed):
                way.failed += 1  # the program called it, but no message mentioned it
        if not main or main in successes:
            return
        if not self.chat_log and gain and (not main.startswith("craft ") or main[6:] in gain):
            loss = {name: count - after.get(name, 0) for name, count in before.items() if count > after.get(name, 0)}
            self._add_success(main, 1, gain, loss if main.startswith("craft ") else {})
        elif before_needs == self._needs(main):  # otherwise the attempt was useful
            self.way(main).failed += 1

    def _needs(self, key: str) -> tuple[object, ...]:
        """Return the known needs of a way, to compare them later."""
        way = self.ways.get(key, Way())
        return dict(way.needs), way.near, way.tool, way.closed, len(self.fuels)

    def _add_success(self, key: str, times: int, gain: Mapping[str, int], cost: Mapping[str, int]) -> None:
        way = self.way(key)
        way.done += 1
        way.failed = 0
        for item in gain:
            way.gives[item] = way.gives.get(item, 0) + 1
        if key.startswith("craft ") and cost:
            way.needs = {item: -(-count // max(1, times)) for item, count in cost.items()}

    def _learn_from_line(self, line: str, after: Mapping[str, int]) -> set[str]:
        """Learn from one message. Return the way that worked, as a set of at most one."""
        for verb, pattern in _DONE:
            if match := pattern.search(line):
                thing, times = match["thing"], int(match.groupdict().get("count", 1))
                news = _NEWS.search(match["news"])
                gain, cost = (_counts(news[1]), _counts(news[2] or "")) if news else ({}, {})
                if verb == "craft":
                    gain = {thing: gain.get(thing, 1)}
                if gain or verb in ("mine", "kill"):
                    self._add_success(f"{verb} {thing}", times, gain, cost)
                    return {f"{verb} {thing}"}
        if match := _MADE.search(line):
            self._add_success(f"craft {match[2]}", 1, {match[2]: int(match[1])}, _counts(match[3]))
            return {f"craft {match[2]}"}
        if match := _LACKING.search(line):
            # An earlier need that is lacking too, but was not named now, belongs to another recipe for the same item.
            way = self.way(f"craft {match[1]}")
            held = {item: count for item, count in way.needs.items() if after.get(item, 0) >= count}
            way.needs = held | {item: count + after.get(item, 0) for item, count in _counts(match[2]).items()}
        elif match := _FUEL.search(line):
            names = [item for item in _counts(match[2]) if item != match[1]]
            self.fuels += [item for item in names if item not in self.fuels]
        elif match := _TOOL.search(line):
            self.way(f"mine {match[2]}").tool = match[1]
        elif match := _STATION.search(line):
            thing = match[2] and f"craft {match[2]}"
            about = thing or next((key for key in reversed(self.called) if key.startswith("smelt ")), "")
            if about:
                self.way(about).near = match[1].replace(" ", "_")
        for verb, pattern in _CLOSED:
            if match := pattern.search(line):
                self.way(f"{verb} {match[1]}").closed = True
        return set()


def _counts(text: str) -> dict[str, int]:
    """Return the items of a text such as "2 more oak_planks, 1 stick"."""
    return {item: int(count) for count, item in _COUNTED.findall(text)}
