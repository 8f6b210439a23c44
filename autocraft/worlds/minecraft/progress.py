"""How far a goal is in the live world: what is held, worn and eaten, where the bot stands, and what it did."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from autocraft.goals import Deed, Goal, held
from autocraft.protocols import Args, Check, Json
from autocraft.worlds.check import beyond, check_counts

NEAR = 2
"""Blocks from a place at which the bot has reached it."""
_COMMANDS = {
    "kill_mob": ("kill", "name"), "shoot": ("kill", "target"), "place_item": ("place", "name"),
    "eat": ("eat", "name"), "sleep": ("sleep", ""),
}  # fmt: skip
"""Command -> the verb of a deed that it does when it succeeds, and the argument that names the thing."""


def deed_of(command: str, args: Args) -> str:
    """Return the deed that a successful command is, such as "kill pig". Return "" if it is none."""
    if command == "goto":
        return " ".join(["go", *(str(round(args[axis])) for axis in "xyz")])
    verb, argument = _COMMANDS.get(command, ("", ""))
    thing = str(args.get(argument, "")).lower().removeprefix("minecraft:").replace(" ", "_")
    return f"{verb} {thing}".strip()


def undone(goal: Goal, seen: Json, deeds: Mapping[str, int]) -> list[Deed]:
    """Return the deeds of a goal that are not done yet, each with how often it is still to be done."""
    rest = [replace(deed, count=deed.count - _times(deed, seen, deeds)) for deed in goal.deeds]
    return [deed for deed in rest if deed.count > 0]


def wanted(goals: Sequence[Goal], seen: Json, deeds: Mapping[str, int]) -> list[Json]:
    """Return what the bot is to plan for: each goal's items, and its deeds that are not done."""
    return [
        {
            "items": goal.items,
            "deeds": [[deed.verb, deed.thing, deed.count] for deed in undone(goal, seen, deeds)],
        }
        for goal in goals
    ]


def check_goal(goal: Goal, seen: Json, counts: Mapping[str, int], deeds: Mapping[str, int]) -> Check:
    """Return `met` if the bot carries what the goal counts and has done its deeds."""
    done = [f"{deed}: {_times(deed, seen, deeds)} of {deed.count}" for deed in goal.deeds]
    carried = check_counts(replace(goal, words="", deeds=()), counts) if goal.items or not goal.deeds else None
    why = ", ".join([*([carried.why] if carried else []), *done])
    if carried and carried.verdict != "met":
        return replace(carried, why=why)
    return Check("not met", why) if undone(goal, seen, deeds) else beyond(goal, why)


def _times(deed: Deed, seen: Json, deeds: Mapping[str, int]) -> int:
    if deed.verb == "equip":
        worn = [item for item in seen.get("equipment", {}).values() if item]
        return min(deed.count, held(deed.thing, dict.fromkeys(worn, 1)))
    if deed.verb == "go":
        there, here = map(int, deed.thing.split()), seen.get("position", {})
        if all(abs(at - here.get(axis, float("inf"))) <= NEAR for axis, at in zip("xyz", there, strict=True)):
            return deed.count
    return max(0, deed.times(deeds) - deed.since)
