"""The blocks of a practice world as its server keeps them, and how far they are from a plan."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from subprocess import PIPE, CalledProcessError

import msgspec

from autocraft.building.blueprint import Cell
from autocraft.building.plans import Part, Plan
from autocraft.children import Lifetime, start_waiting
from autocraft.node import child_environment, find_node, packages
from autocraft.protocols import Json
from autocraft.worlds.minecraft.packages import NODE_FOLDER, PACKAGES

Blocks = Mapping[Cell, tuple[str, Json]]
"""What is in each cell: the name of the block, and its states."""
_FREE = re.compile(
    r".*air|grass|.*_grass|fern|large_fern|dead_bush|.*_leaves|.*_sapling|dandelion|poppy|vine|snow|cactus|sugar_cane"
)
"""Air, and plants that come and go by themselves."""


def read_land(seed: int, box: tuple[Cell, Cell], folder: Path | None = None) -> Blocks:
    """Return the blocks of a box in the kept world in `folder`. Without one, it is the land that the seed generates.

    Raises NodeMissing, and CalledProcessError if the world cannot be read.
    """
    environment = child_environment(AUTOCRAFT_NODE_MODULES=str(packages(PACKAGES)))
    parts = {"seed": seed, "low": box[0], "high": box[1], **({"folder": str(folder)} if folder else {})}
    command = [str(find_node()), str(NODE_FOLDER / "server" / "blocks.js")]
    with start_waiting(command, Lifetime.GUARDED, env=environment, stdin=PIPE, stdout=PIPE) as child:
        output, _ = child.communicate(msgspec.json.encode(parts) + b"\n")
    if child.returncode:
        raise CalledProcessError(child.returncode, command)
    answer = msgspec.json.decode(output)
    kinds = [(str(name), states) for name, states in answer["kinds"]]
    return {cell: kinds[kind] for cell, kind in zip(cells_in(box), answer["blocks"], strict=True)}


def cells_in(box: tuple[Cell, Cell]) -> Iterator[Cell]:
    """Yield the cells of a box, by x, then y, then z."""
    (west, low, north), (east, high, south) = box
    for x in range(west, east + 1):
        for y in range(low, high + 1):
            for z in range(north, south + 1):
                yield x, y, z


def is_free(name: str) -> bool:
    """Tell whether a block counts as nothing."""
    return _FREE.fullmatch(name) is not None


def stands(part: Part, blocks: Blocks) -> bool:
    """Tell whether a part of a plan stands, with the states that the plan gives."""
    x, y, z, name, states, _ = part
    is_there, are = blocks[x, y, z]
    return is_there == name and all(str(are.get(key)).lower() == value for key, value in states.items())


def distance(plan: Plan, blocks: Blocks) -> int:
    """Return how many blocks would have to be placed, taken away or replaced until all is as planned."""
    wrong = sum(not stands(part, blocks) for part in plan.blocks)
    return wrong + sum(not is_free(blocks[cell][0]) for cell in plan.free)
