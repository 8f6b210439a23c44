"""Tries the bot on unchanged flying-squid in each of its versions. Writes what works into `docs/versions.md`.

`python -m tests.worlds.minecraft.versions [VERSION…]` tries all, or these versions, and writes the table again. Our
practice server takes no part, so there is no lockstep and no survival rule. A missing part of flying-squid is "no".
"""

from __future__ import annotations

import asyncio
import contextlib
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from pathlib import Path

from autocraft.node import PackageList
from autocraft.worlds.minecraft.packages import SURPLUS
from tests.npm import fetched
from tests.worlds.minecraft.playing import HERE, Player, serving

PAGE = Path(__file__).parents[3] / "docs" / "versions.md"
VERSIONS: tuple[str, ...] = (
    "1.8.8", "1.9.4", "1.10.2", "1.11.2", "1.12.2", "1.13.2", "1.14.4", "1.15.2", "1.16.5", "1.17.1", "1.18.2",
    "1.19", "1.19.2", "1.19.4", "1.20", "1.20.2", "1.20.3", "1.20.5", "1.21.1", "1.21.3", "1.21.4",
)  # fmt: skip
SQUID = PackageList(
    HERE / "node" / "squid", "flying-squid", "AUTOCRAFT_SQUID_MODULES", "tests on flying-squid, about 130 MB", SURPLUS
)
FORK = PackageList(
    HERE / "node" / "fork", "@zardoy/flying-squid", "AUTOCRAFT_FORK_MODULES", "tests on its fork, about 560 MB", SURPLUS
)
THINGS = ("join", "chat", "find", "walk", "dig", "pick up", "place", "equip", "toss", "craft", "see a mob")


@contextlib.asynccontextmanager
async def squid(version: str, package: PackageList = SQUID) -> AsyncIterator[int]:
    """Yield the port of a stock server of this version. End its process afterwards."""
    modules = await asyncio.to_thread(fetched, package)
    async with serving("squid.js", version, package.chief, modules=modules) as (_, port):
        yield port


async def tried(version: str) -> dict[str, bool]:
    """Return what works, by the names of THINGS. The bot is not told the version; it asks the server."""
    works = dict.fromkeys(THINGS, False)
    async with squid(version) as port:
        with tempfile.TemporaryDirectory() as folder:
            player = Player(Path(folder), server=f"127.0.0.1:{port}", cheats=True, fight="off")
            try:
                said = (
                    await player.world.open()
                )  # names another version where two share a protocol, as 1.20.3 and 1.20.4
                works["join"] = f"Minecraft {version[:4]}" in said[0]
                await everything(player, works)
            finally:
                await player.world.close()
    return works


async def everything(player: Player, works: dict[str, bool]) -> None:
    x, y, z = await player.standing()
    works["chat"] = (await player.do("chat", text="hello")).ok
    works["find"] = "at (" in (await player.do("find_block", name="dirt")).text
    works["walk"] = (await player.do("goto", x=x + 6, y=y, z=z + 2)).ok
    held = await number_held(player)
    done = await player.do("dig", x=x + 8, y=y - 1, z=z + 2)
    works["dig"], works["pick up"] = done.ok, done.ok and await comes(partial(holds_more_than, player, held))
    await player.do("chat", text="/give @p dirt 5")
    await player.do("chat", text="/give @p oak_log 2")
    await player.do("chat", text="/give @p log 2")  # its name before 1.13
    await comes(partial(given, player))
    works["place"] = (await player.do("place_item", name="dirt", x=x + 6, y=y, z=z + 4)).ok
    works["equip"] = (await player.do("equip", name="dirt")).ok
    before = (await player.seen())["inventory"].get("dirt", 0)
    tossed = (await player.do("toss", name="dirt")).ok
    works["toss"] = tossed and (await player.seen())["inventory"].get("dirt", 0) == before - 1
    works["craft"] = (await player.do("craft_item", name="oak_planks")).ok
    for mob in ("cow", "Cow", "slime"):  # before 1.11 it is Cow; from 1.17 on that server summons no animals
        await player.do("chat", text=f"/summon {mob}")
    works["see a mob"] = await comes(partial(sees_a_mob, player))


async def number_held(player: Player) -> int:
    return sum((await player.seen())["inventory"].values())


async def holds_more_than(player: Player, number: int) -> bool:
    return await number_held(player) > number


async def given(player: Player) -> bool:
    """Tell whether the bot has the dirt and the logs that it was given."""
    items = (await player.seen())["inventory"]
    return items.get("dirt", 0) >= 5 and any(name.endswith("log") for name in items)


async def sees_a_mob(player: Player) -> bool:
    found = [await player.do("find_entity", name=mob, radius=64) for mob in ("cow", "slime")]
    return any(done.ok for done in found)


async def comes(met: Callable[[], Awaitable[bool]]) -> bool:
    """Wait until `met` returns True. Return False after a minute: this version does not have it."""
    end = time.monotonic() + 60
    while not (found := await met()) and time.monotonic() < end:  # noqa: ASYNC110 - what comes is only seen by looking
        await asyncio.sleep(0.1)
    return found


def kept() -> dict[str, dict[str, bool]]:
    """Return the statements of the page by version."""
    rows = [line.strip("| \n").split("|") for line in PAGE.read_text().splitlines() if line.startswith("| 1.")]
    return {row[0].strip(): dict(zip(THINGS, ("yes" in cell for cell in row[1:]), strict=True)) for row in rows}


def write(found: dict[str, dict[str, bool]]) -> None:
    """Put the table into the page, between its head line and the next empty one."""
    head = f"| version | {' | '.join(THINGS)} |"
    cells = {version: ["yes" if row[name] else "no" for name in THINGS] for version, row in found.items()}
    rows = [f"| {version} | {' | '.join(row)} |" for version, row in cells.items()]
    lines = PAGE.read_text().splitlines()
    begin = next(i for i, line in enumerate(lines) if line.startswith("| version |"))
    end = next(i for i in range(begin, len(lines)) if not lines[i])
    lines[begin:end] = [head, "|---" * (len(THINGS) + 1) + "|", *rows]
    PAGE.write_text("\n".join(lines) + "\n")


def main(versions: list[str]) -> None:
    found = kept()
    for version in versions or VERSIONS:
        try:
            found[version] = asyncio.run(asyncio.wait_for(tried(version), 900))
        except Exception as error:  # noqa: BLE001 - the table goes on: a version that does not even start is a row of "no"
            print(version, error)
            found[version] = dict.fromkeys(THINGS, False)
        print(version, *(name for name, works in found[version].items() if works), sep="  ", flush=True)
        write({each: found[each] for each in VERSIONS if each in found})


if __name__ == "__main__":
    main(sys.argv[1:])
