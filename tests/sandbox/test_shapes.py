"""Programs of the shapes that models write, beyond those of `voyager/`: each is read, and run to what it says.

They are in `shapes/`, whose README has what stands above each.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from autocraft.protocols import Risk
from autocraft.sandbox.program import Outcome
from autocraft.skills.known import outlook
from autocraft.skills.parse import parse
from autocraft.worlds.crafting import CraftingWorld
from tests.sampling import drawn
from tests.sandbox.playing import run, text_of, within
from tests.worlds.conftest import Stage
from tests.worlds.minecraft.playing import Player, floor, playing


@dataclass(frozen=True)
class Shape:
    """One program; `head` has the lines above it, by their first word."""

    name: str
    code: str
    head: dict[str, list[str]]

    @property
    def risk(self) -> Risk:
        return Risk.DESTROY if "risk" in self.head else Risk.CHANGE

    def counts(self, word: str) -> dict[str, int]:
        """``gives a=1 b=2`` as numbers."""
        pairs = [pair.partition("=") for line in self.head.get(word, []) for pair in line.split()]
        return {name: int(count or 1) for name, _, count in pairs}


def _shapes(file: str) -> list[Shape]:
    text = (Path(__file__).parent / "shapes" / f"{file}.js").read_text(encoding="utf-8")
    parts = re.split(r"^//: (.+)\n", text, flags=re.MULTILINE)[1:]
    shapes = []
    for name, body in zip(parts[::2], parts[1::2], strict=True):
        head: dict[str, list[str]] = {}
        for word, rest in re.findall(r"^// (\w+) ?(.*)$", body.partition("function")[0], flags=re.MULTILINE):
            head.setdefault(word, []).append(rest)
        shapes.append(Shape(name, body, head))
    return shapes


PLAYED = [shape for file in ("gathering", "making", "building", "living") for shape in _shapes(file)]
LANGUAGE, MISTAKES = _shapes("language"), _shapes("mistakes")


def _judge(shape: Shape, ended: Outcome, held: dict[str, int]) -> None:
    told = f"{shape.name}: {text_of(ended)} {ended.value} {held}"
    head = shape.head
    kind = "threw" if "throws" in head else "limit" if "ends" in head else "returned"
    assert ended.kind == kind, told
    assert all(text in ended.message for text in head.get("throws", [])), told
    assert all(text == ended.which for text in head.get("ends", [])), told
    assert all(json.loads(text) == ended.value for text in head.get("value", [])), told
    assert all(text in "\n".join(ended.said) for text in head.get("says", [])), told
    logs = sum(count for name, count in held.items() if name.endswith("_log"))
    assert all((held | {"LOG": logs}).get(name, 0) >= count for name, count in shape.counts("has").items()), told
    assert not [name for name in shape.counts("lacks") if name in held], told


async def _play(player: Player, shape: Shape, at: tuple[int, int] | None = None) -> None:
    """Play a shape on a floor above x, z (`at`), or where the bot is."""
    x, y, z = await floor(player, at, 6) if at else await player.standing()
    for line in shape.head.get("before", []):
        pool = [(x + row, z + column) for row in range(3, 6) for column in range(3, 6)]
        here = line.format(x=x + 4, y=y, z=z + 4, under=y - 1, above=y + 1)
        for order in [f"/setblock {a} {y - 1} {b} water" for a, b in pool] if line == "POOL" else [here]:
            await player.world.command(order)
    await player.give(**shape.counts("gives"))
    ended = await run(player.world, shape.code, risk=shape.risk)
    seen: dict[str, Any] = await player.seen()
    _judge(shape, ended, seen["inventory"])
    assert seen["health"] > 0, shape.name


async def _alone(shape: Shape) -> None:
    async with playing(cheats=True, eat=False) as player:
        await _play(player, shape)


@pytest.mark.parametrize("shape", [*PLAYED, *LANGUAGE], ids=lambda shape: shape.name)
def test_each_is_read_and_nothing_of_it_is_unknown(shape: Shape) -> None:
    program = parse(shape.code)
    offered = set(outlook(program, []).unknown) - {"bot.on", "bot.once", "require"}  # said to do nothing, or only some
    assert offered == set()
    assert (bool(program.handed_on), program.hidden, program.unnamed) == ("hands" in shape.head, (), ())


@pytest.mark.parametrize("shape", LANGUAGE, ids=lambda shape: shape.name)
@pytest.mark.sampled(1)
def test_those_of_the_language_come_to_their_ends(shape: Shape) -> None:
    async def scene() -> None:
        _judge(shape, await run(CraftingWorld(), shape.code), {})

    within(scene())


@pytest.mark.full
def test_each_mistake_is_told_so_that_it_can_be_mended() -> None:
    async def scene() -> None:
        async with playing(cheats=True, eat=False) as player:
            for shape in MISTAKES:
                await player.give(**shape.counts("gives"))
                _judge(shape, await run(player.world, shape.code), {})

    within(scene())


@pytest.mark.full
@pytest.mark.parametrize(
    "shape", drawn([each for each in PLAYED if "wild" in each.head], 3), ids=lambda shape: shape.name
)
def test_each_comes_to_its_end_in_the_wild(shape: Shape) -> None:
    within(_alone(shape), 300)


@pytest.mark.full
@pytest.mark.parametrize("shape", [each for each in PLAYED if "wild" not in each.head], ids=lambda shape: shape.name)
def test_each_comes_to_its_end_on_a_floor(stage: Stage, shape: Shape) -> None:
    stage.play(lambda player: _play(player, shape, stage.area()))
