"""How far a goal is in the live world: what is held, worn and eaten, where the bot stands, and what it did."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from autocraft.goals import Deed, Goal, held
from autocraft.protocols import Args, Check, Json
from autocraft.worlds.check import beyond, check_counts
from autocraft.worlds.minecraft.facts import plain_name

NEAR = 2
"""Blocks from a place at which the bot has reached it."""
_COMMANDS = {"place_item": ("place", "name"), "eat": ("eat", "name"), "sleep": ("sleep", "")}
"""Command -> the verb of a deed that it does when it succeeds, and the argument that names the thing."""


def deed_of(command: str, args: Args) -> str:
    """Return the deed that a successful command is, such as "eat bread". Return "" if it is none."""
    if command == "goto":
        return " ".join(["go", *(str(round(args[axis])) for axis in "xyz")])
    verb, argument = _COMMANDS.get(command, ("", ""))
    return f"{verb} {plain_name(str(args.get(argument, '')))}".strip()


def open_deeds(goal: Goal, observation: Json, deeds: Mapping[str, int]) -> list[Deed]:
    """Return the deeds of a goal that are not done yet, each with how often it is still to be done."""
    rest = [replace(deed, count=deed.count - _times(deed, observation, deeds)) for deed in goal.deeds]
    return [deed for deed in rest if deed.count > 0]


def needs(goals: Sequence[Goal], observation: Json, deeds: Mapping[str, int]) -> list[Json]:
    """Return what the bot is to plan for: each goal's items, and its deeds that are not done."""
    return [
        {
            "items": goal.items,
            "deeds": [
                [deed.verb, deed.thing, deed.count]
                for deed in open_deeds(goal, observation, deeds)
                if deed.verb != "build"  # Python plans it
            ],
        }
        for goal in goals
    ]


def open_buildings(goals: Sequence[Goal], deeds: Mapping[str, int]) -> list[str]:
    """Return the buildings of the goals that do not stand yet."""
    return [deed.thing for goal in goals for deed in open_deeds(goal, {}, deeds) if deed.verb == "build"]


def check_goal(goal: Goal, observation: Json, counts: Mapping[str, int], deeds: Mapping[str, int]) -> Check:
    """Return `met` if the bot carries what the goal counts and has done its deeds."""
    counts_so_far = [f"{deed}: {_times(deed, observation, deeds)} of {deed.count}" for deed in goal.deeds]
    item_check = check_counts(replace(goal, words="", deeds=()), counts) if goal.items or not goal.deeds else None
    why = ", ".join([*([item_check.why] if item_check else []), *counts_so_far])
    if item_check and item_check.verdict != "met":
        return item_check._replace(why=why)
    return Check("not met", why) if open_deeds(goal, observation, deeds) else beyond(goal, why)


def _times(deed: Deed, observation: Json, deeds: Mapping[str, int]) -> int:
    if deed.verb == "equip":
        equipment = [item for item in observation.get("equipment", {}).values() if item]
        return min(deed.count, held(deed.thing, dict.fromkeys(equipment, 1)))
    if deed.verb == "go":
        there, here = map(int, deed.thing.split()), observation.get("position", {})
        if all(abs(at - here.get(axis, float("inf"))) <= NEAR for axis, at in zip("xyz", there, strict=True)):
            return deed.count
    return max(0, deed.times(deeds) - deed.since)
