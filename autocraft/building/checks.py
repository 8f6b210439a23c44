"""What is wrong with a blueprint, before a block is placed: one line for each fault."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator

from autocraft.building.blueprint import DIRECTIONS, Block, Blueprint, Cell, beside, corners, sides_of
from autocraft.errors import CommandError
from autocraft.text.phrases import did_you_mean

_UNBUILDABLE = re.compile(
    "water|lava|fire|soul_fire|farmland|bubble_column|bedrock|barrier|spawner|.*_portal|piston_head|moving_piston|"
    "grass_path|dirt_path|tall_grass|large_fern|kelp_plant|potted_.*|end_gateway|attached_.*"
)
_ON_FLOOR = re.compile(
    ".*_door|.*_bed|.*_carpet|.*rail|.*_pressure_plate|.*_sapling|torch|redstone_torch|soul_torch|redstone_wire|cake|"
    "repeater|comparator|flower_pot|snow|(?!.*_wall_).*_sign"
)
_AT_WALL = re.compile(".*wall_torch|ladder|.*_wall_sign|.*_wall_banner")
_FALLS = re.compile("(red_)?sand|gravel|.*_concrete_powder|.*anvil")
_PASSED = re.compile(".*_fence_gate|.*torch|ladder|.*_carpet|.*_button|lever|.*rail|.*_pressure_plate|snow")
"""What a player walks through."""
_LIGHT = re.compile("(?!redstone).*torch|.*lantern|glowstone|.*campfire|shroomlight|.*froglight")
_USED = re.compile(".*_bed|(trapped_)?chest|crafting_table|furnace|smoker|blast_furnace|barrel")


def check(blueprint: Blueprint, known: Collection[str] = ()) -> list[str]:
    """Return remarks about a blueprint that can be built. Raises CommandError that lists what is wrong with it.

    `known` are the items of the world; empty if they are not known.
    """
    faults = list(dict.fromkeys(_faults(blueprint, known)))
    if faults:
        more = f"; and {len(faults) - 6} more faults" if len(faults) > 6 else ""
        raise CommandError(f"the blueprint cannot be built: {'; '.join(faults[:6])}{more}")
    names = {block.name for block in blueprint.blocks.values()}
    dark = any(name.endswith("_door") for name in names) and not any(map(_LIGHT.fullmatch, names))
    return ["it has no light, so monsters may appear in it: add a torch"] if dark else []


def _faults(blueprint: Blueprint, known: Collection[str]) -> Iterator[str]:
    for block in dict.fromkeys(blueprint.blocks.values()):
        if _UNBUILDABLE.fullmatch(block.name):
            yield f"{block.name} cannot be placed"
        elif block.get("type") == "double":
            yield f"{block} is placed in two steps, which is not done: use a whole block"
        elif known and block.item and block.item not in known:
            yield f"there is no block {block.name}{did_you_mean(block.item, known, ', did you mean {}')}"
    for cell in blueprint.blocks:
        yield from _support(blueprint, cell)
    ground = [cell for cell in blueprint.blocks if cell[1] <= max(0, blueprint.sunk - 1)]
    joined = _flood(ground, lambda cell: cell in blueprint.blocks)
    if floating := sorted(blueprint.blocks.keys() - joined, key=lambda cell: (cell[1], cell)):
        first = blueprint.blocks[floating[0]].name
        yield f"{len(floating)} blocks float, such as {first} at {floating[0]}: join them to the rest"
    yield from _doors(blueprint)


def _support(blueprint: Blueprint, cell: Cell) -> Iterator[str]:
    """Yield why a torch, a door or sand would fall or break off."""
    block = blueprint.blocks[cell]
    if _AT_WALL.fullmatch(block.name):
        if block.get("facing") not in ("north", "south", "west", "east"):
            yield f"{block.name} at {cell} needs a direction away from its wall: write {block.name}[facing=south]"
        elif not _carries(blueprint.blocks.get(beside(cell, block.get("facing"), -1))):
            yield f"{block.name} at {cell} has no block behind it that carries it"
    elif (
        (_ON_FLOOR.fullmatch(block.name) or _FALLS.fullmatch(block.name))
        and not (block.is_second or cell[1] == 0)
        and not _carries(blueprint.blocks.get(beside(cell, "down")))
    ):
        yield f"{block.name} at {cell} has no block below that carries it"


def _carries(block: Block | None) -> bool:
    return block is not None and not any(
        each.fullmatch(block.name) for each in (_ON_FLOOR, _AT_WALL, _PASSED, re.compile(".*_trapdoor|.*lantern"))
    )


def _doors(blueprint: Blueprint) -> Iterator[str]:
    """Yield what is wrong around the doors and gates.

    Nobody can pass a door, or the room behind it has no roof or a gap in its wall, or no door leads to a bed or chest.
    """
    blocks = blueprint.blocks
    (west, _, north), (east, top, south) = corners(blocks)
    reached: set[Cell] = set()
    for entry in blueprint.entries:
        door, leaks, closed = blocks[entry].name, [], False
        for side in sides_of(entry, blocks[entry]):
            for cell in (side, beside(side, "up")):
                if (block := blocks.get(cell)) and not _PASSED.fullmatch(block.name):
                    yield f"{door} at {entry} cannot be passed: {block.name} is at {cell}"
            room = _flood([side], lambda cell: cell[1] >= blueprint.sunk and _open(blocks.get(cell)), inside=(
                lambda cell: west <= cell[0] <= east and north <= cell[2] <= south and cell[1] <= top
            ))  # fmt: skip
            reached |= room
            out = [(x, y, z) for x, y, z in room if not (west <= x <= east and north <= z <= south and y <= top)]
            closed = closed or not out
            if west <= side[0] <= east and north <= side[2] <= south:
                leaks += sorted(out, key=lambda cell: -cell[1])
        if door.endswith("_door") and not closed and leaks:
            x, y, z = leaks[0]
            what = f"no roof over ({x}, {z})" if y > top else f"a gap in its wall beside ({x}, {y}, {z})"
            yield f"the room behind {door} at {entry} has {what}"
    for cell, block in blocks.items():
        if (
            blueprint.entries
            and _USED.fullmatch(block.name)
            and not reached & {beside(cell, way) for way in DIRECTIONS}
        ):
            yield f"{block.name} at {cell} cannot be reached from a door"


def _open(block: Block | None) -> bool:
    return block is None or (_PASSED.fullmatch(block.name) is not None and not block.is_gate)


def _flood(
    start: Iterable[Cell], passes: Callable[[Cell], bool], inside: Callable[[Cell], bool] = lambda cell: True
) -> set[Cell]:
    """Return the cells that can be reached from `start` through cells that pass. It goes on only from those inside."""
    found = {cell for cell in start if passes(cell)}
    open_cells = list(found)
    while open_cells:
        cell = open_cells.pop()
        if inside(cell):
            near = {beside(cell, way) for way in DIRECTIONS} - found
            fresh = [each for each in near if passes(each)]
            found.update(fresh)
            open_cells += fresh
    return found
