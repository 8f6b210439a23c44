"""The bot on servers of other versions, stock flying-squid: what `docs/versions.md` promises is what happens."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from autocraft.node import PackageList
from autocraft.worlds.minecraft.faults import WorldLost
from tests.conftest import Place, kinds
from tests.sampling import drawn
from tests.worlds.minecraft.playing import Player, node_environment, play, playing
from tests.worlds.minecraft.versions import FORK, SQUID, VERSIONS, kept, squid, tried

pytestmark = pytest.mark.full

SHORT = ("1.8.8", "1.21.4")
OTHERS = drawn([each for each in VERSIONS if each not in SHORT], 2)


def promised(version: str) -> None:
    """Whatever the page says works, works; what it says does not may have come to work."""
    works = asyncio.run(asyncio.wait_for(tried(version), 900))
    row = kept()[version]
    assert row["join"] and [name for name, said in row.items() if said and not works[name]] == []


@pytest.mark.parametrize("version", SHORT)
def test_the_oldest_and_the_newest(version: str) -> None:
    promised(version)


@pytest.mark.parametrize("version", OTHERS)
def test_some_of_the_other_versions(version: str) -> None:
    promised(version)


@pytest.mark.parametrize(
    ("version", "told"),
    [("1.8.8", r"^cannot join the server: .*1\.16\.5"), ("1.99", r"1\.99")],
    ids=["another than the server's", "one that nobody knows"],
)
def test_a_version_that_cannot_be_used_is_told(tmp_path: Path, version: str, told: str) -> None:
    async def scene() -> None:
        async with squid("1.16.5") as port:
            player = Player(tmp_path, server=f"127.0.0.1:{port}", mc_version=version)
            try:
                with pytest.raises(WorldLost, match=told):
                    await player.world.open()
            finally:
                await player.world.close()

    play(scene())


def test_the_practice_server_sends_a_wrong_version_and_an_older_login_away(tmp_path: Path) -> None:
    """Each is told why at once; of two logins of one name the newer stays, as in vanilla."""

    async def scene() -> None:
        async with playing(freeze=False) as first:
            assert first.world.joining.server is not None
            address = f"127.0.0.1:{first.world.joining.server.port}"
            wrong = Player(tmp_path / "wrong", server=address, mc_version="1.8.8")
            same = Player(tmp_path / "same", server=address)
            try:
                with pytest.raises(WorldLost) as error:
                    await wrong.world.open()
                assert "This practice server speaks Minecraft 1.16.5: join it with that version." in str(error.value)
                await same.world.open()
                assert await first.told("You logged in from another location") == first.notes[0]
                await same.must("wait", seconds=0.2)
            finally:
                await wrong.world.close()
                await same.world.close()

    play(scene())


@pytest.mark.parametrize(
    ("package", "version"), [(SQUID, "1.18.2"), (FORK, *drawn(["1.16.5", "1.20.4"], 1))], ids=["squid", "fork"]
)
def test_a_server_that_makes_nothing_is_told_soon(place: Place, package: PackageList, version: str) -> None:
    """The planner looked for other wood instead, for minutes. The servers give logs, but work out no recipe."""

    async def scene() -> None:
        async with squid(version, package) as port:
            arguments = ["run", "--world", "minecraft", "--server", f"127.0.0.1:{port}", "--brain", "planner"]
            arguments += ["--cheats", "--begin", "/give @p oak_log 8", "--goal", "craft 1 wooden_pickaxe"]
            done = await asyncio.to_thread(place.run, *arguments, "--continuous", **node_environment())
            shown = done.stdout + done.stderr
            assert done.returncode == 1, shown
            assert "the server answers no click of the crafting grid, so nothing can be made on it" in shown
            commands = [event["command"] for event in kinds(place.events(), "intent")]
            assert set(commands) == {"craft_item"} and len(commands) < 3, shown

    play(scene())
