"""The place that programs see in the crafting world: a floor with a crafting table and a furnace.

It never changes, and no item is taken from it. A program that only crafts and smelts finds the stations it looks for.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from autocraft.crafting.recipes import RecipeBook
from autocraft.errors import CommandError
from autocraft.protocols import Json

GROUND = 64
"""The height at which the bot stands."""
STATIONS: Mapping[tuple[int, int, int], str] = {(2, GROUND, 0): "crafting_table", (2, GROUND, 1): "furnace"}
_POSITION = {"x": 0.5, "y": float(GROUND), "z": 0.5}
_FLOOR = "bedrock"
_SIDE = 8
_ONLY_BLOCKS = ("air", "water", "lava", "fire", "farmland", "redstone_wire", "wall_torch", "carrots", "potatoes")
"""Names of blocks that are no items."""


@cache
def block_ids(book: RecipeBook) -> dict[str, int]:
    """Return the id of each block. Every item counts as a block too."""
    others = sorted(set(book.items) - set(_ONLY_BLOCKS))
    return {name: number for number, name in enumerate((*_ONLY_BLOCKS, *others))}


def block(book: RecipeBook, name: str) -> Json:
    """Return a kind of block as mcData describes it."""
    id = block_ids(book)[name]
    solid = name not in _ONLY_BLOCKS
    row = {"id": id, "name": name, "displayName": name.replace("_", " ").title(), "stackSize": 64}
    row |= {"minStateId": id, "maxStateId": id, "defaultState": id, "hardness": 1, "diggable": solid, "drops": []}
    return {**row, "boundingBox": "block" if solid else "empty", "transparent": not solid}


def now() -> Json:
    """Return the state of the bot: it stands beside both stations, in good health."""
    still = {"x": 0, "y": 0, "z": 0}
    body = {"id": 1, "type": "player", "name": "player", "username": "Crafter", "position": _POSITION}
    body |= {"velocity": still, "yaw": 0, "pitch": 0, "onGround": True, "height": 1.8, "width": 0.6, "eyeHeight": 1.62}
    body |= {"metadata": [], "equipment": [None] * 6, "isInWater": False, "isInLava": False, "isSleeping": False}
    body |= {"health": 20, "food": 20, "saturation": 5, "oxygen": 20, "quickBarSlot": 0, "spawnPoint": _POSITION}
    body |= {"isRaining": False, "thunder": 0, "experience": {"level": 0, "points": 0, "progress": 0}}
    body["time"] = {"timeOfDay": 1000, "day": 0, "age": 0, "isDay": True}
    return {**body, "game": {"gameMode": "survival", "dimension": "overworld", "minY": 0, "height": 256}}


def state(book: RecipeBook, id: int) -> Json:
    """Return the properties of a block by its state. Raises CommandError."""
    names = list(block_ids(book))
    if not 0 <= id < len(names):
        raise CommandError(f"there is no block with the state {id}")
    places = {"metadata": 0, "material": "rock", "harvestTools": None, "shapes": [], "properties": {}}
    return places | block(book, names[id])


def cube(book: RecipeBook, x: int, y: int, z: int) -> Json:
    """Return the states of a cube of 8 blocks, by their places in a palette."""
    states = [_state(book, x + dx, y + dy, z + dz) for dy in range(_SIDE) for dz in range(_SIDE) for dx in range(_SIDE)]
    palette = sorted(set(states))
    return {"palette": palette, "cells": [palette.index(each) for each in states] if len(palette) > 1 else []}


def kinds(book: RecipeBook) -> list[int]:
    ids = block_ids(book)
    return [ids[name] for name in ("air", _FLOOR, *STATIONS.values())]


def find(
    book: RecipeBook, states: Sequence[int], far: float, count: int, at: Sequence[float], layers: Json
) -> list[list[int]]:
    """Return the places of blocks with their states, nearest first; of the floor, only the blocks under the bot."""
    near = [*STATIONS, *((x, GROUND - 1, z) for x in range(-3, 4) for z in range(-3, 4))]
    places = [(math.dist(place, at), *place, _state(book, *place)) for place in near]
    fits = [
        [x, y, z, id]
        for away, x, y, z, id in sorted(places)
        if away <= far and id in states and y in layers.get(str(id), [y])
    ]
    return fits[: max(1, int(count))]


def _state(book: RecipeBook, x: int, y: int, z: int) -> int:
    name = STATIONS.get((x, y, z), "air" if y >= GROUND else _FLOOR)
    return block_ids(book)[name]


def place(book: RecipeBook, *at: Any) -> Json:
    """Return the light and the biome of a place."""
    biome = {"id": 1, "name": "plains", "temperature": 0.8, "rainfall": 0.4}
    return {"biome": biome, "light": 15, "skyLight": 15}
