"""The game's recipes, drops and tools, read from the npm package minecraft-data, and what a learned graph has of them.

No brain sees them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from autocraft.errors import NodeMissing
from autocraft.node import packages
from autocraft.worlds.minecraft.facts import PRACTICE_VERSION
from autocraft.worlds.minecraft.packages import PACKAGES
from benchmarks.novice.graph import Graph

_DROPS = {"mine": ("blockLoot", "block"), "kill": ("entityLoot", "entity")}
"""Verb -> the file of what it gives, and the key of a thing in it."""


def accuracy(graph: Graph, version: str = PRACTICE_VERSION) -> tuple[int, int]:
    """Return how many learned edges the game's data of a version confirms, and how many it can check at all.

    Raises NodeMissing if the data cannot be read.
    """
    truth = Truth(packages(PACKAGES) / "minecraft-data" / "minecraft-data" / "data", version)
    verdicts = [verdict for edge in graph.edges() if (verdict := truth.confirms(*edge)) is not None]
    return sum(verdicts), len(verdicts)


class Truth:
    """The game data of one version. A property raises NodeMissing if its file, which it reads once, cannot be read.

    Versions before 1.14 have no file of drops, so what they give is not checked.
    """

    def __init__(self, folder: Path, version: str) -> None:
        self.folder = folder
        self.version = version

    def confirms(self, verb: str, thing: str, relation: str, item: str) -> bool | None:
        """Tell whether the data has an edge, such as craft, stick, needs, oak_planks. Return None if it cannot say."""
        match verb, relation:
            case "craft", "needs":
                return any(item in parts for parts, _ in self._recipes.get(thing, ()))
            case "craft", "near":
                return item == "crafting_table" and any(table for _, table in self._recipes.get(thing, ()))
            case "mine" | "kill", "gives":
                drops = self._drops[verb]
                return item in drops.get(thing, ()) if drops else None
            case "mine", "tool":
                return item in self._tools.get(thing, ())
        return None

    @cached_property
    def _names(self) -> Mapping[int, str]:
        return {item["id"]: item["name"] for item in self._read("items")}

    @cached_property
    def _recipes(self) -> Mapping[str, Sequence[tuple[frozenset[str], bool]]]:
        """Return for each item what its recipes take, and whether they need a table."""
        recipes_of = {}
        for id, recipes in self._read("recipes").items():
            recipes_of[self._names.get(int(id), "")] = [self._recipe(recipe) for recipe in recipes]
        return recipes_of

    def _recipe(self, recipe: Mapping[str, Any]) -> tuple[frozenset[str], bool]:
        rows = recipe.get("inShape") or [[part] for part in recipe["ingredients"]]
        ids = [part["id"] if isinstance(part, dict) else part for row in rows for part in row if part is not None]
        parts = [self._names.get(id, "") for id in ids]
        wide = "inShape" in recipe and (len(rows) > 2 or any(len(row) > 2 for row in rows))
        return frozenset(parts), wide or len(parts) > 4

    @cached_property
    def _tools(self) -> Mapping[str, frozenset[str]]:
        blocks = self._read("blocks")
        return {each["name"]: frozenset(self._names[int(id)] for id in each.get("harvestTools", {})) for each in blocks}

    @cached_property
    def _drops(self) -> Mapping[str, Mapping[str, frozenset[str]]]:
        """Return for each verb what each thing gives."""
        return {
            verb: {each[kind]: frozenset(drop["item"] for drop in each["drops"]) for each in self._read(file)}
            for verb, (file, kind) in _DROPS.items()
        }

    def _read(self, file: str) -> Any:
        try:
            versions = json.loads((self.folder / "dataPaths.json").read_text(encoding="utf-8"))["pc"]
            paths = versions.get(self.version) or versions[self.version.rpartition(".")[0]]  # 1.8.8 is there as 1.8
            path = self.folder / paths[file] / f"{file}.json" if file in paths else None
            return json.loads(path.read_text(encoding="utf-8")) if path else []
        except (OSError, ValueError, KeyError) as error:
            raise NodeMissing(
                f"minecraft-data cannot be read ({error!r}); delete it, and it is fetched again"
            ) from None
