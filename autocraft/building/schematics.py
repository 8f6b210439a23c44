"""Blueprints from files: schematics of Sponge (.schem, versions 1 to 3) and structures of the game (.nbt).

The bot's library prismarine-nbt reads the format. This module unpacks a file within a budget, and reads its blocks.
"""

from __future__ import annotations

import base64
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from typing import Any

from autocraft.building.blueprint import MOST, Block, Blueprint, Cell
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
        cells = list(_structure(value) if "blocks" in value else _sponge(value))
    except (KeyError, TypeError, ValueError, IndexError, AttributeError):
        raise CommandError(f"{name} is no schematic of Sponge and no structure of the game") from None
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
