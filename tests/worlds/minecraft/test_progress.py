"""A command of the bot that takes long tells where it is, by the game's clock."""

from __future__ import annotations

import pytest

from autocraft.session.events import Event, Progress
from tests.worlds.conftest import Stage
from tests.worlds.minecraft.playing import Player, floor

Report = tuple[str, str, str, float | None]
EVERY = 5 * 20
"""Ticks between two reports, at least."""


def listen(player: Player) -> list[Report]:
    """Return the list that the reports go to."""
    reports: list[Report] = []

    def report(event: Event) -> None:
        if isinstance(event, Progress):
            reports.append((event.command, event.text, event.place, event.health))

    player.world.report = report
    return reports


@pytest.mark.full
def test_a_long_command_tells_how_much_is_done_and_where_the_bot_is(stage: Stage) -> None:
    async def scene(player: Player) -> None:
        x, y, z = await floor(player, stage.area())
        for at in range(4):
            await player.world.command(f"/setblock {x + 2 * at - 3} {y} {z + 4} oak_log")
        await player.must("wait", seconds=0.5)
        reports, before = listen(player), await player.ticks()
        assert "Mined 4 oak_log" in await player.must("mine_block", name="oak_log", count=4)
        texts = [text for _, text, _, _ in reports]
        assert {"1 of 4 oak_log", "3 of 4 oak_log"} & set(texts), texts
        assert texts == sorted(texts) and set(texts) <= {f"{done} of 4 oak_log" for done in range(4)}
        assert len(reports) <= (await player.ticks() - before) / EVERY
        assert {name for name, _, _, _ in reports} == {"mine_block"}
        assert all(place.startswith("(") and f", {y}, " in place and health == 20 for _, _, place, health in reports)

    stage.play(scene)


@pytest.mark.full
def test_a_command_during_which_nothing_changes_is_thrifty_and_never_silent(stage: Stage) -> None:
    async def scene(player: Player) -> None:
        x, y, z = await floor(player, stage.area())
        reports = listen(player)
        await player.must("wait", seconds=4)
        assert reports == []
        await player.must("wait", seconds=58)
        assert reports == [("wait", "", f"({x}, {y}, {z})", 20)]
        await player.must("wait", seconds=68)
        assert len(reports) == 3

    stage.play(scene)
