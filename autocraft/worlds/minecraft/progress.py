"""How far a goal is in the live world: what is held, worn and eaten, where the bot stands, and what it did."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from msgspec.structs import replace

from autocraft.goals import Deed, Goal, held
from autocraft.goals.verbs import ALL
from autocraft.protocols import Args, Check, Json
from autocraft.worlds.check import beyond, check_counts
from autocraft.worlds.minecraft.facts import plain_name

NEAR = 2
"""Blocks from a place at which the bot has reached it."""
BESIDE = 4
"""Blocks from a player or a mob at which the bot stands beside it."""
BUILDING = ("build", "demolish")
"""The verbs that the bot does not plan, but this process."""
NAMED = "@"
"""Begins the names of places that the person or the model gave, among those that the bot remembers."""
_COMMANDS = MappingProxyType({
    "place_item": ("place", "name"), "eat": ("eat", "name"), "sleep": ("sleep", ""),
    "withdraw": ("withdraw", "name"), "shelter": ("shelter", ""), "check_chest": ("check", ""),
    "shoot": ("shoot", "target"), "goto_block": ("go", "name"), "remember_place": ("remember", "name"),
})  # fmt: skip
"""Command -> the verb of a deed that it does when it succeeds, and the argument that names the thing.

The bot itself reports what it mined, killed, picked up, threw away, put into chests, gave, tilled, sowed, used,
followed, guarded and explored.
"""


def deeds_of(command: str, args: Args, seconds: float = 0) -> dict[str, int]:
    """Return the deeds that a successful command is, such as ``{"eat bread": 1}``. `seconds` are those that it took."""
    match command:
        case "goto":
            return {" ".join(["go", *(str(round(args[axis])) for axis in "xyz")]): 1}
        case "chat":
            return {f"say {args.get('text', '')}": 1}
        case "wait":
            return {"wait": round(args.get("seconds", 0))}
        case "fish":
            return {"fish catch": 1, "fish seconds": max(1, round(seconds))}
        case _ if command in _COMMANDS:
            verb, argument = _COMMANDS[command]
            count = args.get("count", 1) if verb == "withdraw" else 1
            return {f"{verb} {plain_name(str(args.get(argument, '')))}".strip(): count}
    return {}


def person_of(names: Sequence[str], observation: Json) -> str:
    """Return the player who is the person: of those that were named one in the world, else the only other player.

    Return "me" if nobody can tell.
    """
    players = observation.get("players") or {}
    here = [name for name in names if name in players] or list(names) or list(players)
    return here[0] if names or len(here) == 1 else "me"


def with_me(deeds: Mapping[str, int], person: str) -> Counter[str]:
    """Return deeds with those for the person also counted as for "me", as goals call the person."""
    own = {did.replace(f":{person}", ":me", 1): count for did, count in deeds.items() if f":{person}" in did.split()[0]}
    return Counter({**deeds, **own})


def open_deeds(goal: Goal, observation: Json, deeds: Mapping[str, int]) -> list[Deed]:
    """Return the deeds of a goal that are not done yet, each with how often it is still to be done."""
    counts = observation.get("inventory", {})
    return [
        replace(deed, count=max(1, _carried(deed, observation, counts)) if deed.count == ALL else deed.count - done)
        for deed in goal.deeds
        for done in [_times(deed, observation, deeds)]
        if done < max(1, deed.count)
    ]


def needs(goals: Sequence[Goal], observation: Json, deeds: Mapping[str, int]) -> list[Json]:
    """Return what the bot is to plan for: each goal's items, and its deeds that are not done.

    A place is remembered before all else, since the bot is there only now.
    """
    parts: list[Json] = []
    for goal in goals:
        open_now = open_deeds(goal, observation, deeds)
        first = [deed for deed in open_now if deed.verb == "remember"]
        todo = [
            [_verb(deed, observation), _thing(deed, observation), _count(deed, goal)]
            for deed in first or open_now
            if deed.verb not in BUILDING
        ]
        parts.append({"items": () if first else goal.items, "deeds": todo})
    return parts


def _count(deed: Deed, goal: Goal) -> int:
    """Return how often a deed is to be planned: food that is carried is part of the whole, so of that all."""
    return sum(each.count for each in goal.deeds if each.verb == "carry") if deed.verb == "carry" else deed.count


def _verb(deed: Deed, observation: Json) -> str:
    who = _who(deed, observation)
    return f"{deed.verb}:{who}" if who else deed.verb


def _thing(deed: Deed, observation: Json) -> str:
    """Return the thing of a deed, for "go" the coordinates of a place with a name."""
    at = _place(deed.thing, observation) if deed.verb == "go" else None
    return " ".join(str(math.floor(each)) for each in at) if at else deed.thing


def _who(deed: Deed, observation: Json) -> str:
    return observation.get("person", "me") if deed.who == "me" else deed.who


def _place(name: str, observation: Json) -> list[float] | None:
    """Return where a place with a name is. Return None for another thing, and for a place in another dimension."""
    start = observation.get("start") or {}
    if name == "start" and start.get("dimension") == observation.get("dimension"):
        return [start[axis] for axis in "xyz"] if start else None
    if read := re.fullmatch(r"(-?\d+) (-?\d+) (-?\d+)", name):
        return [int(each) for each in read.groups()]
    known = observation.get("places", {}).get("all", {}).get(observation.get("dimension"), {})
    return next(iter(known.get(f"{NAMED}{name}", ())), None)


def open_buildings(
    goals: Sequence[Goal], observation: Json, deeds: Mapping[str, int], verb: str = "build"
) -> list[str]:
    """Return the buildings of the goals that are not built, or not demolished, yet."""
    return [deed.thing for goal in goals for deed in open_deeds(goal, observation, deeds) if deed.verb == verb]


def check_goal(goal: Goal, observation: Json, counts: Mapping[str, int], deeds: Mapping[str, int]) -> Check:
    """Return `met` if the bot carries what the goal counts and has done its deeds."""
    counts_so_far = [f"{deed}: {_progress(deed, observation, deeds)}" for deed in goal.deeds]
    item_check = check_counts(replace(goal, words="", deeds=()), counts) if goal.items or not goal.deeds else None
    why = ", ".join([*([item_check.why] if item_check else []), *counts_so_far])
    if item_check and item_check.verdict != "met":
        return item_check._replace(why=why)
    return Check("not met", why) if open_deeds(goal, observation, deeds) else beyond(goal, why)


def _progress(deed: Deed, observation: Json, deeds: Mapping[str, int]) -> str:
    if deed.count == ALL:
        left = _carried(deed, observation, observation.get("inventory", {}))
        return f"{left} still stand" if deed.verb == "demolish" else f"{left} are still carried"
    return f"{_times(deed, observation, deeds)} of {deed.count}"


def _times(deed: Deed, observation: Json, deeds: Mapping[str, int]) -> int:
    """Return how often a deed was done since its goal began, or how much of it the world shows now."""
    done = max(0, deed.times(deeds) - deed.since)
    if deed.count == ALL:
        gone = not _carried(deed, observation, observation.get("inventory", {}))
        return int(gone and (done > 0 or deed.verb == "toss"))
    shown = STATES[deed.verb](deed, observation) if deed.verb in STATES else 0
    return max(done, min(deed.count, shown))


def _carried(deed: Deed, observation: Json, counts: Mapping[str, int]) -> int:
    """Return how many of a deed's thing are carried. Without a thing, return the places of the inventory in use.

    Of buildings, return how many stand.
    """
    if deed.verb == "demolish":
        return sum(deed.thing in ("", kind) for kind in observation.get("built", ()))
    return held(deed.thing, counts) if deed.thing else int(observation.get("used", 0))


def _worn(deed: Deed, observation: Json) -> int:
    return held(deed.thing, dict.fromkeys(filter(None, observation.get("equipment", {}).values()), 1))


def _there(deed: Deed, observation: Json) -> int:
    """Return the count of a deed if the bot is at its place, or beside its mob."""
    place, here = _place(deed.thing, observation), observation.get("position", {})
    if place is None:
        return deed.count if observation.get("entities", {}).get(deed.thing, math.inf) <= BESIDE else 0
    near = all(abs(math.floor(at) - here.get(axis, math.inf)) <= NEAR for axis, at in zip("xyz", place, strict=True))
    return deed.count if near else 0


def _beside(deed: Deed, observation: Json) -> int:
    at, here = (observation.get("players") or {}).get(_who(deed, observation)), observation.get("position", {})
    if not at:
        return 0
    return int(math.dist([at[axis] for axis in "xyz"], [here.get(axis, 0) for axis in "xyz"]) <= BESIDE)


def _in_sight(deed: Deed, observation: Json) -> int:
    seen = [*observation.get("entities", ()), *observation.get("voxels", ()), *observation.get("seen", ())]
    return int(held(deed.thing, dict.fromkeys(seen, 1)) > 0)


STATES: Mapping[str, Callable[[Deed, Json], int]] = MappingProxyType(
    {
        "equip": _worn,
        "go": _there,
        "come": _beside,
        "find": _in_sight,
        "night": lambda deed, observation: int(observation.get("time") in ("night", "midnight")),
        "carry": lambda deed, observation: int(observation.get("meals", 0)),
    }
)
"""How much of a deed the world shows, for each verb that is a state."""
