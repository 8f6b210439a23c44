"""Blueprints from files: schematics of Sponge (.schem, versions 1 to 3) and Litematica (.litematic), and structures of
the game (.nbt).

The bot's library prismarine-nbt reads the format. This module unpacks a file within a budget, and reads its blocks.
"""

from __future__ import annotations

import base64
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from typing import Any

from autocraft.building.blueprint import LONGEST, MOST, Block, Blueprint, Cell
from autocraft.errors import CommandError
from autocraft.unpacking import DAMAGED, TooMuch, Unpacker, budget

_MOST_BYTES = 8_000_000
_AIR = ("air", "cave_air", "void_air")


async def read_schematic(
    data: bytes, name: str, ask: Callable[[str, Mapping[str, object]], Awaitable[Any]]
) -> Blueprint:
    """Return the blueprint of a file. `ask` asks the bot. Raises CommandError."""
    plain = _unpacked(data) if data[:2] == b"\x1f\x8b" else data
    if len(plain) > _MOST_BYTES:
        raise CommandError(f"{name} is too large for a blueprint: it has more than {_MOST_BYTES:,} bytes")
    value = await ask("read_nbt", {"data": base64.b64encode(plain).decode("ascii")})
    return blueprint_of_nbt(value, name)


def _unpacked(data: bytes) -> bytes:
    try:
        return b"".join(Unpacker(budget(len(data), _MOST_BYTES)).pieces(data))
    except TooMuch as error:
        raise CommandError(f"the file is no blueprint: {error}") from None
    except DAMAGED as error:
        raise CommandError(f"the file is damaged and cannot be unpacked ({error})") from None


def blueprint_of_nbt(value: Any, name: str) -> Blueprint:
    """Return the blueprint of the values of a file. Air stays free in it. Raises CommandError."""
    try:
        value = value.get("Schematic", value)
        read = next((each for part, each in _FORMATS.items() if part in value), _sponge)
        cells = list(read(value))
    except (KeyError, TypeError, ValueError, IndexError, AttributeError):
        raise CommandError(f"{name} is no schematic of Sponge or Litematica, and no structure of the game") from None
    blocks = {cell: block for cell, block in cells if block.name not in (*_AIR, "structure_void")}
    free = [cell for cell, block in cells if block.name in _AIR]
    if len(blocks) > MOST:
        raise CommandError(f"{name} has {len(blocks):,} blocks, and a blueprint has at most {MOST:,}")
    return Blueprint.of(name, blocks, free)


def _structure(value: Mapping[str, Any]) -> Iterator[tuple[Cell, Block]]:
    """Yield the cells of a structure of the game: a list of blocks with their places."""
    kinds = [_block(each["Name"], each.get("Properties", {})) for each in value["palette"]]
    for each in value["blocks"]:
        x, y, z = map(int, each["pos"])
        yield (x, y, z), kinds[each["state"]]


def _sponge(value: Mapping[str, Any]) -> Iterator[tuple[Cell, Block]]:
    """Yield the cells of a schematic: numbers of a palette, packed in seven bits a byte, by y, z and x."""
    parts = value.get("Blocks", value)
    kinds = {number: Block.read(text) for text, number in parts["Palette"].items()}
    width, depth = value["Width"], value["Length"]
    for index, number in enumerate(_numbers(parts.get("Data") or parts["BlockData"])):
        yield (index % width, index // (width * depth), index // width % depth), kinds[number]


def _litematic(value: Mapping[str, Any]) -> Iterator[tuple[Cell, Block]]:
    """Yield the cells of all regions of a schematic of Litematica. A side of a region may be negative."""
    regions = []
    for each in value["Regions"].values():
        sides = [int(each["Size"][axis]) for axis in "xyz"]
        at = [int(each["Position"][axis]) + min(0, side + 1) for axis, side in zip("xyz", sides, strict=True)]
        regions.append((at, [abs(side) for side in sides], each))
    low = [min(at[axis] for at, *_ in regions) for axis in range(3)]
    for at, (width, height, depth), each in regions:
        if max(width, height, depth) > LONGEST:
            raise CommandError(f"the schematic is too large: at most {LONGEST} along each axis")
        kinds = [_block(kind["Name"], kind.get("Properties", {})) for kind in each["BlockStatePalette"]]
        x, y, z = (first - least for first, least in zip(at, low, strict=True))
        for index, number in enumerate(_unpacked_numbers(each["BlockStates"], len(kinds), width * height * depth)):
            cell = x + index % width, y + index // (width * depth), z + index // width % depth
            yield cell, kinds[number]


def _unpacked_numbers(longs: Sequence[tuple[int, int]], kinds: int, count: int) -> Iterator[int]:
    """Yield the numbers of a palette in longs, of which each is two halves of 32 bits, the higher one first.

    A number has as few bits as the palette needs, at least two, and may lie in two longs. Raises ValueError for a wrong
    count of longs.
    """
    bits = max(2, (kinds - 1).bit_length())
    if not count or len(longs) != -(-count * bits // 64):
        raise ValueError("a region does not have as many numbers as its size")
    data = b"".join((high % 2**32 << 32 | low % 2**32).to_bytes(8, "little") for high, low in longs) + bytes(8)
    for at in range(0, count * bits, bits):
        yield int.from_bytes(data[at // 8 : at // 8 + 8], "little") >> at % 8 & (1 << bits) - 1


def _numbers(data: Sequence[int]) -> Iterator[int]:
    number = shift = 0
    for byte in data:
        number |= (byte & 0x7F) << shift
        shift += 7
        if not byte & 0x80:
            yield number
            number = shift = 0


def _block(name: str, states: Mapping[str, str]) -> Block:
    given = ",".join(f"{key}={value}" for key, value in states.items())
    return Block.read(f"{name}[{given}]")


_FORMATS = {"Regions": _litematic, "blocks": _structure}
"""A part that only files of a format have, and what reads them. All others are read as schematics of Sponge."""
