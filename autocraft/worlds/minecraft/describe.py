"""What the bot sees, in words for a model: Voyager's fields, then what happened since the last observation."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from autocraft.protocols import Json


def observation_text(
    observation: Json, news: Iterable[str], start: Json | None = None, people: Iterable[str] = ()
) -> str:
    """Return one field a line, then the lines `news`.

    `start` is the place where the run began. `people` are the players whom the person named as themselves.
    """
    position = observation.get("position", {})
    equipment = ", ".join(f"{slot}: {item}" for slot, item in observation.get("equipment", {}).items() if item)
    entities = ", ".join(f"{name} ({distance:g})" for name, distance in (observation.get("entities") or {}).items())
    lines = [
        f"Biome: {observation.get('biome', 'unknown')}",
        f"Time: {observation.get('time', 'unknown')}",
        f"Nearby blocks: {_list(observation.get('voxels'))}",
        f"Other blocks that are recently seen: {_list(observation.get('seen'))}",
        f"Nearby entities (nearest to farthest): {entities or 'none'}",
        f"Health: {observation.get('health', 0)}/20",
        f"Hunger: {observation.get('food', 0)}/20",
        f"Position: x={position.get('x')}, y={position.get('y')}, z={position.get('z')}",
        *_where(observation, start, people),
        f"Equipment: {equipment or 'none'}",
        f"Inventory ({observation.get('used', 0)}/36): {amounts(observation.get('inventory'))}",
        f"Chests: {_chests(observation.get('chests'))}",
    ]
    if observation.get("today"):
        lines.insert(-1, f"Of these, by the names of today's Minecraft: {amounts(observation['today'])}")
    if grave := observation.get("grave"):
        at = f"({grave.get('x')}, {grave.get('y')}, {grave.get('z')})"
        if grave.get("dimension", here := observation.get("dimension")) != here:
            at += f" in {grave['dimension']}"
        lines.append(f"The bot died at {at} and lost: {amounts(grave.get('items'))}")
    if places := remembered_places(observation):
        lines.append(f"Places remembered: {places}")
    state = [name.replace("_", " ") for name in ("in_water", "in_lava") if observation.get(name)]
    if observation.get("oxygen") is not None and observation["oxygen"] < 20 and observation.get("in_water"):
        state.append(f"air {observation['oxygen']}/20")
    if observation.get("mode") not in (None, "survival"):
        state.append(f"game mode {observation['mode']}")
    if state:
        lines.append(f"State: {', '.join(state)}")
    return "\n".join([*lines, *news])


def _where(observation: Json, start: Json | None, people: Iterable[str]) -> list[str]:
    """Return where the run began and where the person is, a line each."""
    here, dimension = observation.get("position", {}), observation.get("dimension")
    lines = []
    if start:
        away = f"in {start.get('dimension')}" if start.get("dimension") != dimension else _away(start, here)
        lines.append(f"Start of the run: x={start.get('x')}, y={start.get('y')}, z={start.get('z')} ({away})")
    players = observation.get("players") or {}
    for name in people:
        at = players.get(name)
        where = "not in this world" if name not in players else "in this world, out of sight"
        place = f"x={at.get('x')}, y={at.get('y')}, z={at.get('z')} ({_away(at, here)})" if at else where
        lines.append(f"The person, {name}: {place}")
    return lines


def _away(at: Json, here: Json) -> str:
    distance = math.dist([at.get(axis, 0) for axis in "xyz"], [here.get(axis, 0) for axis in "xyz"])
    return f"{distance:.0f} blocks away"


def amounts(counts: Mapping[str, Any] | None) -> str:
    return ", ".join(f"{count} {item}" for item, count in sorted((counts or {}).items())) or "nothing"


def _list(names: Iterable[str] | None) -> str:
    return ", ".join(sorted(names or ())) or "none"


def remembered_places(observation: Json) -> str:
    """Return the nearest remembered place of each kind that is not in sight."""
    everywhere = observation.get("places", {}).get("all", {})
    here = observation.get("position", {})
    nearby = {*observation.get("voxels", ()), *observation.get("seen", ())}

    def far(at: list[int]) -> float:
        return math.dist(at, [here.get(axis, 0) for axis in "xyz"])

    nearest = [
        (min(positions, key=far), name)
        for name, positions in everywhere.get(observation.get("dimension"), {}).items()
        if positions and name not in nearby
    ]
    places = sorted((name.removeprefix("@"), at) for at, name in nearest)
    return ", ".join(f"{name} at ({x}, {y}, {z})" for name, (x, y, z) in places)


def _chests(chests: Mapping[str, Any] | None) -> str:
    contents = {at: held if isinstance(held, str) else amounts(held) for at, held in (chests or {}).items()}
    return "; ".join(f"{at}: {content}" for at, content in contents.items()) or "none known"
