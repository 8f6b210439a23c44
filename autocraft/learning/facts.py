"""The fields of an observation that the curriculum and the critic see, in Voyager's words, one per line."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from autocraft.learning.progress import Progress
from autocraft.learning.settings import LearnSettings
from autocraft.protocols import Observation

SLOTS = 36
NEARLY_FULL = 33
"""The used slots from which the inventory must be emptied before anything else."""
DEPOSITED = 20
"""The most used slots after a deposit."""
SHARE = 0.8
"""The share of proposals that show a field that is not always shown."""
_SURFACE = re.compile("dirt|log|grass|sand|snow")


def held_in(observation: Observation) -> dict[str, int]:
    """Return what is held, by the names of the server and, where they differ, by those of today."""
    return {**observation.facts.get("today", {}), **observation.inventory}


def fields_of(observation: Observation, progress: Progress, core: re.Pattern[str] | None = None) -> dict[str, str]:
    """Return the fields of an observation by name. With `core`, only these items of the inventory are shown."""
    facts, blocks = observation.facts, list(observation.facts.get("voxels", ()))
    items = {name: count for name, count in observation.inventory.items() if core is None or core.search(name)}
    worn = {slot: item for slot, item in facts.get("equipment", {}).items() if item}
    lines: dict[str, tuple[str, Callable[[], str]]] = {
        "game": ("game", lambda: str(facts["game"])),
        "biome": ("biome", lambda: facts["biome"] if any(map(_SURFACE.search, blocks)) else "underground"),
        "time": ("time", lambda: str(facts["time"])),
        "nearby blocks": ("voxels", lambda: _names(blocks)),
        "other blocks": ("seen", lambda: _names(facts["seen"])),
        "places remembered": ("remembered", lambda: str(facts["remembered"]) or "none"),
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


@dataclass(frozen=True)
class WarmUp:
    """What the next proposal sees: more with the completed tasks, and most of it only by `chance`."""

    settings: LearnSettings
    progress: Progress
    chance: random.Random

    def shows(self, field: str) -> bool:
        """Return whether the proposal sees a field. A name that begins with that of a field counts as it."""
        plain = field.replace(" ", "_")
        least = next((count for name, count in self.settings.fields.items() if plain.startswith(name)), 0)
        return len(self.progress.completed) >= least and (least == 0 or self.chance.random() < SHARE)

    def fields(self, observation: Observation) -> dict[str, str]:
        """Return the fields that the proposal sees."""
        everything = len(self.progress.completed) >= self.settings.fields["optional_inventory_items"]
        fields = fields_of(observation, self.progress, None if everything else self.settings.core)
        return {name: text for name, text in fields.items() if self.shows(name)}


def _names(names: Any) -> str:
    return ", ".join(names) or "none"


def _counts(counts: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}: {count}" for name, count in sorted(counts.items())) or "empty"


def _chests(chests: Mapping[str, Any]) -> str:
    lines = (f"{at}: {content if isinstance(content, str) else _counts(content)}" for at, content in chests.items())
    return "; ".join(lines) or "none"
