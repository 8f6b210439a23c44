"""Writes blueprints as the files of other programs: of Sponge and WorldEdit, of Litematica, and of the game itself."""

from __future__ import annotations

import gzip
import struct
from collections.abc import Mapping, Sequence
from typing import Any

from autocraft.building.blueprint import Block, Blueprint, Cell, corners

Json = dict[str, Any]
FILES = {
    "hut.schem": """
C = cobblestone
L = oak_log[axis=y]
# = oak_planks
= = oak_slab[type=bottom]
D = oak_door[facing=west]
X = chest[facing=south]
T = torch
layer 0
CCCCCC
CCCCCC
CCCCCC
CCCCCC
CCCCCC
layer 1
L####L
#X...#
#....D
#T...#
L####L
layer 2
L####L
#....#
#....D
#....#
L####L
layer 3
L####L
#....#
#....#
#....#
L####L
layer 4
======
======
======
======
======
""",
    "lookout.litematic": """
# = cobblestone
P = oak_planks
H = ladder[facing=south]
U = oak_trapdoor[half=top]
D = oak_door[facing=north]
F = oak_fence
T = torch
layer 0
#####
#####
#####
#####
#####
layer 1
#####
#.HT#
#...#
#...#
##D##
layer 2
#####
#.H.#
#...#
#...#
##D##
layer 3-5
#####
#.H.#
#...#
#...#
#####
layer 6
PPPPP
PPUPP
PPPPP
PPPPP
PPPPP
layer 7
FFFFF
F...F
F...F
F...F
FFFFF
""",
    "well.nbt": """
# = cobblestone
F = oak_fence
= = oak_slab[type=bottom]
P = oak_planks
layer 0
#####
#####
#####
#####
#####
layer 1
#####
#...#
#...#
#...#
#####
layer 2-3
F...F
.....
.....
.....
F...F
layer 4
=====
=====
==P==
=====
=====
""",
    "arch.schem": """
> = cobblestone_stairs[facing=east,half=bottom]
< = cobblestone_stairs[facing=west,half=bottom]
# = cobblestone
P = oak_planks
F = oak_fence
T = torch
layer 0
>#.....#<
>#.....#<
>#.....#<
layer 1
.>#PPP#<.
.>#PPP#<.
.>#PPP#<.
layer 2
..FFFFF..
.........
..FFFFF..
layer 3
..T...T..
.........
..T...T..
""",
}
"""A hut, a tower, a well and a bridge, as layers. Tests and benchmarks write each as the file that its name says."""


def write(blueprint: Blueprint, name: str) -> bytes:
    """Return the file with this name that holds a blueprint: .schem, .litematic or .nbt."""
    kinds, numbers, size = _palette(blueprint)
    named = [_named(kind) for kind in kinds]
    if name.endswith(".schem"):
        sides = dict(zip(("Width", "Height", "Length"), size, strict=True))
        palette = {f"minecraft:{kind}": number for number, kind in enumerate(kinds)}
        return packed({**sides, "Palette": palette, "BlockData": bytes(numbers), "Version": 2})
    if name.endswith(".litematic"):
        region = {
            "Size": dict(zip("xyz", size, strict=True)), "Position": dict.fromkeys("xyz", 0),
            "BlockStatePalette": named, "BlockStates": longs(numbers, len(kinds)),
        }  # fmt: skip
        return packed({"Regions": {"all": region}, "Version": 6})
    blocks = [{"pos": list(cell), "state": number} for cell, number in zip(_cells(blueprint), numbers, strict=True)]
    return packed({"palette": named, "blocks": blocks, "size": list(size)})


def longs(numbers: Sequence[int], kinds: int) -> tuple[int, ...]:
    """Return the numbers of a palette as Litematica packs them: in as few bits as it needs, at least two."""
    bits = max(2, (kinds - 1).bit_length())
    whole = sum(number << at * bits for at, number in enumerate(numbers))
    return tuple(whole >> 64 * at & 2**64 - 1 for at in range(-(-len(numbers) * bits // 64)))


def packed(value: Json) -> bytes:
    """Return a file in the game's format NBT, packed with gzip."""
    return gzip.compress(b"\x0a\0\0" + _nbt(value)[1])


def _palette(blueprint: Blueprint) -> tuple[list[Block], list[int], Cell]:
    """Return the kinds of blocks, the number of each cell's kind by y, z and x, and the size."""
    cells = _cells(blueprint)
    every = [blueprint.blocks.get(cell, Block("air" if cell in blueprint.free else "structure_void")) for cell in cells]
    kinds = list(dict.fromkeys(every))
    low, high = cells[0], cells[-1]
    x, y, z = (last - first + 1 for first, last in zip(low, high, strict=True))
    return kinds, [kinds.index(each) for each in every], (x, y, z)


def _cells(blueprint: Blueprint) -> list[Cell]:
    """Return the cells of the box around its blocks and the room above them, without the room before its doors."""
    (west, _, north), (east, _, south) = corners(blueprint.blocks)
    top = blueprint.box[1][1]
    return [(x, y, z) for y in range(top + 1) for z in range(north, south + 1) for x in range(west, east + 1)]


def _named(block: Block) -> Json:
    return {"Name": f"minecraft:{block.name}", **({"Properties": dict(block.states)} if block.states else {})}


def _nbt(value: Any) -> tuple[int, bytes]:
    """Return the type and the bytes of a value. A tuple is an array of longs."""
    if isinstance(value, str):
        return 8, struct.pack(">H", len(value.encode())) + value.encode()
    if isinstance(value, int):
        return 3, struct.pack(">i", value)
    if isinstance(value, tuple):
        return 12, struct.pack(f">i{len(value)}Q", len(value), *value)
    if isinstance(value, bytes):
        return 7, struct.pack(">i", len(value)) + value
    if isinstance(value, list):
        parts = [_nbt(each) for each in value]
        return 9, struct.pack(">bi", parts[0][0], len(parts)) + b"".join(data for _, data in parts)
    assert isinstance(value, Mapping)
    named = ((_nbt(name)[1], *_nbt(each)) for name, each in value.items())
    return 10, b"".join(bytes([kind]) + name + data for name, kind, data in named) + b"\0"
