"""The fields of an observation that the curriculum and the critic see, in Voyager's words, one per line."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping
from typing import Any

from autocraft.learning.progress import Progress
from autocraft.protocols import Observation

SLOTS = 36
NEARLY_FULL = 33
"""The used slots from which the inventory must be emptied before anything else."""
DEPOSITED = 20
"""The most used slots after a deposit."""
SHARE = 0.8
"""The share of proposals that show a field that is not always shown."""
WARM_UP = {
    "context": 15, "biome": 10, "time": 15, "nearby blocks": 0, "other blocks": 10, "nearby entities": 5,
    "health": 15, "hunger": 15, "position": 0, "equipment": 0, "inventory": 0, "chests": 0,
    "completed": 0, "failed": 0,
}  # fmt: skip
"""Field -> the number of completed tasks from which a proposal may see it, as in Voyager."""
ALL_ITEMS = 7
"""The number of completed tasks from which the whole inventory is shown."""
_CORE = re.compile(r".*_log|.*_planks|stick|crafting_table|furnace|cobblestone|dirt|coal|.*_pickaxe|.*_sword|.*_axe")
"""The items that are shown until then."""
_SURFACE = re.compile("dirt|log|grass|sand|snow")


def held_in(observation: Observation) -> dict[str, int]:
    """Return what is held, by the names of the server and, where they differ, by those of today."""
    return {**observation.facts.get("today", {}), **observation.inventory}


def fields_of(observation: Observation, progress: Progress, *, warm: bool = True) -> dict[str, str]:
    """Return the fields of an observation by name. Without `warm`, show only the core items of the inventory."""
    facts, blocks = observation.facts, list(observation.facts.get("voxels", ()))
    items = {name: count for name, count in observation.inventory.items() if warm or _CORE.fullmatch(name)}
    worn = {slot: item for slot, item in facts.get("equipment", {}).items() if item}
    lines: dict[str, tuple[str, Callable[[], str]]] = {
        "biome": ("biome", lambda: facts["biome"] if any(map(_SURFACE.search, blocks)) else "underground"),
        "time": ("time", lambda: str(facts["time"])),
        "nearby blocks": ("voxels", lambda: _names(blocks)),
        "other blocks": ("seen", lambda: _names(facts["seen"])),
        "nearby entities": ("entities", lambda: _names(facts["entities"])),
        "health": ("health", lambda: f"{facts['health']:.1f}/20"),
        "hunger": ("food", lambda: f"{facts['food']:.1f}/20"),
        "position": ("position", lambda: ", ".join(f"{axis}={at}" for axis, at in facts["position"].items())),
        "equipment": ("equipment", lambda: _counts(worn)),
        "chests": ("chests", lambda: _chests({**progress.chests, **facts["chests"]})),
    }
    fields = {name: text() for name, (key, text) in lines.items() if key in facts}
    slots = f" ({facts['used']}/{SLOTS})" if "used" in facts else ""
    fields[f"inventory{slots}"] = _counts(items)
    fields["completed tasks so far"] = ", ".join(progress.completed) or "none"
    fields["failed tasks that are too hard"] = ", ".join(progress.failed) or "none"
    return fields


def lines_of(fields: Mapping[str, str]) -> str:
    """Return the fields as text, one per line."""
    return "\n".join(f"{name[0].upper()}{name[1:]}: {text}" for name, text in fields.items())


def proposal_fields(observation: Observation, progress: Progress, chance: random.Random) -> dict[str, str]:
    """Return the fields that the next proposal sees. They become more with the completed tasks."""
    completed = len(progress.completed)
    fields = {}
    for name, text in fields_of(observation, progress, warm=completed >= ALL_ITEMS).items():
        least = next((count for field, count in WARM_UP.items() if name.startswith(field)), 0)
        if completed >= least and (least == 0 or chance.random() < SHARE):
            fields[name] = text
    return fields


def _names(names: Any) -> str:
    return ", ".join(names) or "none"


def _counts(counts: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}: {count}" for name, count in sorted(counts.items())) or "empty"


def _chests(chests: Mapping[str, Any]) -> str:
    lines = (f"{at}: {content if isinstance(content, str) else _counts(content)}" for at, content in chests.items())
    return "; ".join(lines) or "none"
