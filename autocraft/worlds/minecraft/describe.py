"""What the bot sees, in words for a model: Voyager's fields, then what happened since the last look."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from autocraft.protocols import Json


def observation_text(seen: Json, news: Iterable[str]) -> str:
    """One field a line; `news` are lines of their own below."""
    position = seen.get("position", {})
    worn = ", ".join(f"{slot}: {item}" for slot, item in seen.get("equipment", {}).items() if item)
    lines = [
        f"Biome: {seen.get('biome', 'unknown')}",
        f"Time: {seen.get('time', 'unknown')}",
        f"Nearby blocks: {_list(seen.get('voxels'))}",
        f"Other blocks that are recently seen: {_list(seen.get('seen'))}",
        f"Nearby entities (nearest to farthest): {_distances(seen.get('entities'))}",
        f"Health: {seen.get('health', 0)}/20",
        f"Hunger: {seen.get('food', 0)}/20",
        f"Position: x={position.get('x')}, y={position.get('y')}, z={position.get('z')}",
        f"Equipment: {worn or 'none'}",
        f"Inventory ({seen.get('used', 0)}/36): {amounts(seen.get('inventory'))}",
        f"Chests: {_chests(seen.get('chests'))}",
    ]
    if seen.get("today"):
        lines.insert(-1, f"Of these, by the names of today's Minecraft: {amounts(seen['today'])}")
    states = {"in_water": "in water", "in_lava": "in lava"}
    state = [words for name, words in states.items() if seen.get(name)]
    if seen.get("oxygen") is not None and seen["oxygen"] < 20 and seen.get("in_water"):
        state.append(f"air {seen['oxygen']}/20")
    if seen.get("mode") not in (None, "survival"):
        state.append(f"game mode {seen['mode']}")
    if state:
        lines.append(f"State: {', '.join(state)}")
    return "\n".join([*lines, *news])


def amounts(counts: Mapping[str, Any] | None) -> str:
    return ", ".join(f"{count} {item}" for item, count in sorted((counts or {}).items())) or "nothing"


def _list(names: Iterable[str] | None) -> str:
    return ", ".join(sorted(names or ())) or "none"


def _distances(entities: Mapping[str, float] | None) -> str:
    return ", ".join(f"{name} ({far:g})" for name, far in (entities or {}).items()) or "none"


def _chests(chests: Mapping[str, Any] | None) -> str:
    if not chests:
        return "none known"
    return "; ".join(f"{at}: {held if isinstance(held, str) else amounts(held)}" for at, held in chests.items())
