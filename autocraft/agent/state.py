"""The state of a run: the fold of its journal's events, and nothing else.

`State.apply` is the only place that changes it, and it is called with the same events live and on resume, so a
resumed run stands exactly where the killed one stood.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, fields

from autocraft.agent.limits import Spent
from autocraft.goals import Goal
from autocraft.protocols import Json, Risk
from autocraft.usage import Usage

MOST_KEPT = 1_000
"""Commands and plans of which it is known that they were tried before."""
LONGEST_ID = 200
"""Characters of a plan's id that are compared; our own are far shorter."""
MOST_DOLLARS = 1e9
"""More than one call can cost."""


@dataclass
class Turn:
    """What is known of one turn; on resume the loop goes on with the first part that is missing."""

    number: int = 0
    answer: Json | None = None
    reply: Json | None = None
    decision: Json | None = None
    intent: Json | None = None
    result: Json | None = None

    @property
    def done(self) -> bool:
        """Nothing is left to do: it was invalid, refused, or has its result."""
        if self.answer is None:
            return self.number == 0
        if self.reply is not None and not self.reply["ok"]:
            return True
        if self.decision is not None and self.decision["kind"] != "run":
            return True
        return self.result is not None

    def to_json(self) -> Json:
        return dict(vars(self))

    @classmethod
    def from_json(cls, data: Json) -> Turn:
        """The reverse of `to_json`. Raises TypeError or LookupError for anything else."""
        return cls(**{each.name: data[each.name] for each in fields(cls)})


class Newest(dict[str, int]):
    """Counts of the newest keys; the oldest is forgotten where there would be more than MOST_KEPT."""

    def __setitem__(self, key: str, count: int) -> None:
        self.pop(key, None)
        super().__setitem__(key, count)
        if len(self) > MOST_KEPT:
            del self[next(iter(self))]


class Repeats:
    """How often each thing happened, of the newest; what is long is known by its hash."""

    def __init__(self, counts: Iterable[tuple[str, int]] = ()) -> None:
        self._counts = Newest(counts)

    def __getitem__(self, key: str) -> int:
        return self._counts.get(_digest(key), 0)

    def __setitem__(self, key: str, count: int) -> None:
        self._counts[_digest(key)] = count

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Repeats) and self._counts == other._counts

    __hash__ = None  # type: ignore[assignment]  # it changes

    @property
    def most(self) -> int:
        """The count of what happened most often."""
        return max(self._counts.values(), default=0)

    def clear(self) -> None:
        self._counts.clear()

    def to_json(self) -> list[list[str | int]]:
        return [[key, count] for key, count in self._counts.items()]


@dataclass
class State:
    """Everything that the loop, the gate and the console need to know about the run so far."""

    agent: str = "main"
    """Whose run it is; the main agent's also counts what its helpers spend."""
    goals: tuple[Goal, ...] = ()
    turn: Turn = field(default_factory=Turn)
    turns: int = 0
    errors: int = 0
    invalid_in_a_row: int = 0
    seconds: float = 0.0
    cost: float = 0.0
    """US dollars, as far as the prices are known."""
    cost_known: bool = True
    usage: Usage = field(default_factory=Usage)
    stages: Counter[str] = field(default_factory=Counter)
    budget: int = 0
    """Authorised turns left of a ``y -N``."""
    continuous: bool = False
    allowed: dict[str, Risk] = field(default_factory=dict)
    world: Json | None = None
    unheard: list[Json] = field(default_factory=list)
    """Feedback that no answer has taken into account yet."""
    open_intents: dict[int, Json] = field(default_factory=dict)
    repeats: Repeats = field(default_factory=Repeats)
    """How often the same command gave the same result since the world last changed."""
    recalled: list[Json] = field(default_factory=list)
    """What memory gave last: id, score, kind and text of each row, and how many steps where it is a plan."""
    tried: Newest = field(default_factory=Newest)
    """Plans of memory that were replayed or refused in this run."""
    end: Json | None = None

    def to_json(self) -> Json:
        """All of it in plain values, from which `from_json` makes an equal state."""
        return {
            **vars(self),
            "goals": [goal.to_json() for goal in self.goals],
            "turn": self.turn.to_json(),
            "usage": self.usage.to_json(),
            "stages": dict(self.stages),
            "allowed": {name: int(risk) for name, risk in self.allowed.items()},
            "open_intents": list(self.open_intents.values()),
            "repeats": self.repeats.to_json(),
            "tried": list(self.tried),
        }

    @classmethod
    def from_json(cls, data: Json) -> State:
        """The reverse of `to_json`. Raises ValueError, TypeError, LookupError or AttributeError for anything else."""
        made = cls(**{each.name: data[each.name] for each in fields(cls)})
        made.goals = tuple(map(Goal.from_json, data["goals"]))
        made.turn = Turn.from_json(data["turn"])
        made.usage = Usage(*data["usage"])
        made.stages = Counter(data["stages"])
        made.allowed = {name: Risk(risk) for name, risk in data["allowed"].items()}
        made.open_intents = {event["seq"]: event for event in data["open_intents"]}
        made.repeats = Repeats((key, count) for key, count in data["repeats"])
        made.tried = Newest((id, 1) for id in data["tried"])
        return made

    def restore(self, data: Json) -> None:
        """Become the state that `to_json` told of."""
        vars(self).update(vars(self.from_json(data)))

    @property
    def spent(self) -> Spent:
        return Spent(self.turns, self.seconds, self.usage.total, self.cost, self.errors)

    @property
    def wanted(self) -> str:
        """All goals in words."""
        return "; ".join(goal.text for goal in self.goals)

    @property
    def told(self) -> bool:
        """Whether the person said something in words since the last answer."""
        return bool(self.unheard or (self.turn.decision or {}).get("feedback"))

    @property
    def untried(self) -> list[Json]:
        """What memory gave last, without the plans that were replayed or refused since."""
        return [row for row in self.recalled if row["id"] not in self.tried]

    @property
    def repetition(self) -> int:
        """The count of the most repeated command."""
        return self.repeats.most

    def apply(self, event: Json) -> None:
        """Fold one event in. Events of types that change nothing here are passed over."""
        main = self.agent == "main"
        if event["agent"] != self.agent and not (main and event["agent"] == "person"):
            if main:
                self._helper(event)
            return
        self.end = None
        fold = getattr(self, f"_{event['type']}", None)
        if fold is not None:
            fold(event)

    def _helper(self, event: Json) -> None:
        """What a helper or a program does: its spending, its time, and its open effects are those of the run."""
        match event["type"]:
            case "answer":
                self.seconds += event["seconds"]
                self._spend(event)
            case "note" if "usage" in event:
                self._spend(event)
            case "intent":
                self.open_intents[event["seq"]] = event
            case "result":
                self.open_intents.pop(event["intent"], None)
                self.seconds += event["seconds"]
                if "world" in event:
                    self.world = event["world"]
                    self.repeats.clear()

    def _goal(self, event: Json) -> None:
        self.goals = tuple(map(Goal.from_json, event["goals"]))
        self._reopen()
        if "options" in event:
            self.world = event["world"]
            self.continuous = event["continuous"]

    def _answer(self, event: Json) -> None:
        self.turn = Turn(event["turn"], answer=event)
        self.unheard = [said for said in self.unheard if said["seq"] > event["heard"]]
        self.turns = event["turn"]
        self.recalled = event.get("recalled", [])
        self.seconds += event["seconds"]
        self._spend(event)

    def _spend(self, event: Json) -> None:
        cost = event["cost"]
        if cost is None or not 0 <= cost <= MOST_DOLLARS:  # no price is known, or an older journal holds nonsense
            cost, self.cost_known = 0.0, False
        self.usage += Usage.from_json(event["usage"])
        self.cost += cost

    def _reply(self, event: Json) -> None:
        self.turn.reply = event
        if event["ok"]:
            self.invalid_in_a_row = 0
            self.stages[event["stage"]] += 1
        else:
            self.invalid_in_a_row += 1
            self.stages["invalid"] += 1
            self._error()

    def _decision(self, event: Json) -> None:
        self.budget = event["left"] if event["kind"] == "run" else 0
        if event["kind"] == "run" and event["always"]:
            self.allowed[event["command"]] = Risk(event["risk"])
        if event["by"] == "feedback":
            self.unheard.clear()
        if event["by"] == "policy" and event["kind"] == "refuse":
            self._repeated(event["command"], event["args"], "refused")
        if event["command"] and event["kind"] != "stop":  # a stopped run asks about the same command again
            self.turn.decision = event
            self._try(event)
        elif not event["command"]:  # the way on after a pause, a repetition or three invalid answers
            self.invalid_in_a_row = 0
            self.repeats.clear()

    def _feedback(self, event: Json) -> None:
        self.unheard.append(event)

    def _intent(self, event: Json) -> None:
        self.open_intents[event["seq"]] = event
        self._try(event)
        if event["agent"] == self.agent:
            self.turn.intent = event

    def _try(self, event: Json) -> None:
        if event["command"] == "replay_plan":
            self.tried[str(event["args"].get("id"))[:LONGEST_ID]] = 1

    def _result(self, event: Json) -> None:
        self.open_intents.pop(event["intent"], None)
        self.seconds += event["seconds"]
        if "world" in event:
            self.world = event["world"]
            self.repeats.clear()
        if "undone" in event:
            self._reopen()
        if event["agent"] != self.agent:
            return
        self.turn.result = event
        if not event["ok"]:
            self._error()
        intent = self.turn.intent
        if intent is not None:
            self._repeated(intent["command"], intent["args"], event["text"])

    def _repeated(self, command: str, args: Json, outcome: str) -> None:
        self.repeats[repr([command, sorted(args.items()), outcome])] += 1

    def _reopen(self) -> None:
        """Forget an end that was accepted, because the goals are new or a change was undone."""
        if self.turn.result is not None and self.turn.result.get("end"):
            self.turn = Turn()

    def _error(self) -> None:
        """Every error ends the permission that a ``y -N`` gave."""
        self.errors += 1
        self.budget = 0

    def narrow(self, note: Json) -> None:
        """Fold in what a note ends of the permissions that were given; it never gives any."""
        if note.get("budget") == 0:
            self.budget = 0
        if note.get("forget"):
            self.allowed.clear()

    def _note(self, event: Json) -> None:
        self.budget = event.get("budget", self.budget)
        self.continuous = event.get("continuous", self.continuous)
        self.narrow(event)
        self.recalled = event.get("recalled", self.recalled)
        if "usage" in event:
            self._spend(event)
        if "message" in event:  # a helper that had replied, or was stuck, is spoken to again
            self._reopen()
            self.repeats.clear()
            self.invalid_in_a_row = 0

    def _end(self, event: Json) -> None:
        self.end = event


def _digest(key: str) -> str:
    return hashlib.blake2b(key.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
