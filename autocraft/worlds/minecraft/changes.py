"""What the bot did to the world, stored in the session: the blocks that each command changed, so that they can be put
back, the deeds that goals count, and the server commands that it used."""

from __future__ import annotations

import contextlib
import json
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path

from autocraft.protocols import Json
from autocraft.session.fields import whole

_FIELDS = ("what", "x", "y", "z", "before", "after")


class Changes:
    """A file with one change a line: {"call", "what", "x", "y", "z", "before", "after"}, {"did", "count"} or {"cheat"}.

    A change that no command named has "by": "walk", "shelter" or "station". A change of a second bot has its name as
    "bot". Three other lines are about calls: {"call", "plan"} names the plan that a call builds, {"built", "text"}
    tells what stood of a building at the end, and {"undone"} names a call whose changes were put back.

    `on_failure` is called once if the disk refuses a change. The run goes on, but an undo after a
    resume does not know that change.
    """

    def __init__(self, path: Path, on_failure: Callable[[str], None] = lambda text: None) -> None:
        self._path = path
        self._on_failure = on_failure
        self._full = False
        self._blocks: list[Json] = []
        self._plans: dict[str, str] = {}
        """The plan of each call that builds one."""
        self.deeds: Counter[str] = Counter()
        """How often each deed was done, such as "mine oak_log", with those of earlier runs of this session."""
        self.outcomes: dict[str, str] = {}
        """What the last comparison said of each building, by its name."""
        self.cheats = 0
        """How many server commands were used, with those of earlier runs of this session."""
        with contextlib.suppress(OSError):
            for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
                with contextlib.suppress(ValueError, RecursionError):  # a torn last line
                    self._load(json.loads(line))

    def add(self, call: str, event: Json, bot: str = "") -> None:
        """Record a block that the command `call` changed, and which `bot` of several did it."""
        fields = {name: event[name] for name in (*_FIELDS, "by") if name in event}
        self.record({"call": call, **fields, **({"bot": bot} if bot else {})})

    def calls_of(self, plan: str) -> list[str]:
        """Return the calls that have built what a plan says: more than one if a run was stopped, or killed."""
        return [call for call, built in self._plans.items() if built == plan]

    def of(self, call: str) -> list[Json]:
        """Return the changes of a call, without those of places that are as before, as where scaffold stood."""
        entries = [entry for entry in self._blocks if entry["call"] == call]
        first = {_place(entry): entry["before"] for entry in reversed(entries)}
        last = {_place(entry): entry["after"] for entry in entries}
        return [entry for entry in entries if first[_place(entry)] != last[_place(entry)]]

    def net(self, calls: Iterable[str]) -> list[Json]:
        """Return one change for each block that some calls together have changed, in the order of the last change."""
        by_place: dict[str, Json] = {}
        for change in (change for call in calls for change in self.of(call)):
            first = by_place.pop(_place(change), change)
            by_place[_place(change)] = {**change, "before": first["before"]}
        return [each for each in by_place.values() if each["before"] != each["after"]]

    def of_plan(self, plan: str) -> list[Json]:
        """Return one change for each block that building a plan has changed, and that was not put back."""
        return self.net(self.calls_of(plan))

    def built(self) -> list[str]:
        """Return the ids of the plans of which something was built that was not taken away, the newest first."""
        return [plan for plan in dict.fromkeys(reversed(self._plans.values())) if self.of_plan(plan)]

    def put_back(self, calls: Iterable[str]) -> None:
        """Record that the changes of calls were put back."""
        for call in calls:
            self.record({"undone": call})

    def placements(self, bot: str = "", *, others: bool = False) -> dict[str, str]:
        """Return the positions of blocks that a bot placed and that still stand, as "(x, y, z)", each with what placed
        it: "walk", "shelter", "station", or "" for a command. With `others`, return those of all other bots."""
        newest = {_place(entry): entry for entry in self._blocks}
        return {
            place: str(entry.get("by", ""))
            for place, entry in newest.items()
            if entry["what"] == "placed" and (entry.get("bot", "") != bot) is others
        }

    def _load(self, change: object) -> None:
        if isinstance(change, dict) and "cheat" in change:
            self.cheats += 1
        elif isinstance(change, dict) and "built" in change:
            self.outcomes[str(change["built"])] = str(change.get("text", ""))[:500]
        elif isinstance(change, dict) and "did" in change:
            self.deeds[str(change["did"])] += change["count"] if whole(change.get("count")) else 0
        elif isinstance(change, dict) and "plan" in change and "call" in change:
            self._plans[str(change["call"])] = str(change["plan"])
        elif isinstance(change, dict) and "undone" in change:
            self._blocks = [each for each in self._blocks if each["call"] != change["undone"]]
        elif isinstance(change, dict) and all(name in change for name in ("call", *_FIELDS)):
            self._blocks.append(change)

    def record(self, change: Json) -> None:
        """Record a change that is one line of the file, such as {"did": "kill pig", "count": 1}."""
        self._load(change)
        try:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(change) + "\n")
        except OSError as error:
            if not self._full:
                self._full = True
                self._on_failure(
                    f"{self._path} cannot be written ({error.strerror}): a resume does not know what was changed"
                )


def start_of(folder: Path, observation: Json) -> Json:
    """Return where the session of `folder` began: what is stored there, else where the bot is now, which is stored."""
    path = folder / "start.json"
    with contextlib.suppress(OSError, ValueError, RecursionError):
        stored = json.loads(path.read_text(encoding="utf-8"))
        if isinstance(stored, dict) and all(type(stored.get(axis)) in (int, float) for axis in "xyz"):
            return stored
    start = {**observation.get("position", {}), "dimension": observation.get("dimension")}
    with contextlib.suppress(OSError):  # then a resume begins where the bot is at that time
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(start), encoding="utf-8")
    return start


def _place(change: Json) -> str:
    return f"({change['x']}, {change['y']}, {change['z']})"


def change_text(change: Json) -> str:
    """Return one change in words."""
    name = change["after"] if change["what"] == "placed" else change["before"]
    return f"{change['what']} {name} at {change['x']},{change['y']},{change['z']}"
