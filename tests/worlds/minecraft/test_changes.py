"""What the bot changed is kept over a resume, and taken back through the program; cheats are counted and told."""

from __future__ import annotations

import asyncio
import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from autocraft.node import find_node
from autocraft.worlds.minecraft.changes import Changes
from autocraft.worlds.minecraft.packages import NODE_FOLDER
from autocraft.worlds.minecraft.places import Places
from autocraft.worlds.minecraft.server import PracticeServer
from tests.conftest import Place, kinds
from tests.waiting import until
from tests.worlds.minecraft.playing import node_environment

STONE = {"event": "change", "what": "broke", "x": 1, "y": 2, "z": 3, "before": "stone", "after": "air"}
CHEST = {"event": "change", "what": "placed", "x": 1, "y": 2, "z": 4, "before": "air", "after": "chest"}


def test_changes_and_cheats_are_kept_and_a_damaged_line_is_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "changes.jsonl"
    first = Changes(path)
    first.add("a:1", STONE)
    first.add("a:2", {**CHEST, "by": "walk"})
    first.record({"cheat": "/give me diamond 64"})
    first.record({"did": "die", "count": 1})
    for what, before, after in (("placed", "air", "dirt"), ("broke", "dirt", "air")):
        first.add("a:1", {**CHEST, "what": what, "x": 9, "before": before, "after": after, "by": "walk"})
    with path.open("ab") as file:
        file.write(b'[1]\n"x"\nnull\n{"call": "a:1"}\n\xff\xfe\n{"call": "a:3", "wh')
    again = Changes(path)
    assert again.of("a:1") == [{"call": "a:1", **{name: value for name, value in STONE.items() if name != "event"}}]
    assert again.of("a:3") == [] and again.placements() == {"(1, 2, 4)": "walk"} and again.cheats == 1
    assert again.deeds["die"] == 1


def test_what_was_built_is_known_over_a_resume_until_it_was_put_back(tmp_path: Path) -> None:
    path = tmp_path / "changes.jsonl"
    first = Changes(path)
    for call, plan, change in (("a:1", "hut", STONE), ("a:2", "hut", CHEST), ("a:3", "pen", CHEST), ("a:4", "", STONE)):
        first.record({"call": call, "plan": plan} if plan else {"did": "mine stone", "count": 1})
        first.add(call, {**change, "x": int(call[2])})
    first.record({"call": "a:5", "plan": "idle"})
    for changes in (first, Changes(path)):
        assert changes.built() == ["pen", "hut"], "the newest first, without one of which nothing stands"
        assert [change["x"] for change in changes.of_plan("hut")] == [1, 2] and changes.of_plan("") == []
    first.put_back(first.calls_of("hut"))
    for changes in (first, Changes(path)):
        assert (changes.built(), changes.of_plan("hut")) == (["pen"], [])


@pytest.mark.parametrize(("aim", "walks"), [("undefined", True), ("{}", False)])
def test_a_block_is_scaffold_if_the_pathfinder_places_it_though_its_way_has_ended(aim: str, walks: bool) -> None:
    """The bot is that of mineflayer as far as it is used: the pathfinder forgets that it builds while it equips."""
    script = f"""
    const {{ reportBlocks }} = require(process.argv[1])
    let name = 'air'
    const put = async () => {{ name = 'dirt' }}
    const pathfinder = {{ isBuilding: () => false }}
    const bot = {{ blockAt: () => ({{ name }}), placeBlock: put, _placeBlockWithOptions: put, pathfinder }}
    reportBlocks(bot, (what, at, before, after, how) => console.log(JSON.stringify([what, after, how])))
    bot.placeBlock({{ position: {{ plus: () => 'there' }} }}, null, {aim})
    """
    blocks = NODE_FOLDER / "bot" / "patches" / "blocks.js"
    done = subprocess.run([find_node(), "-e", script, blocks], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == ["placed", "dirt", {"walks": walks}]


@pytest.mark.full
def test_an_interrupted_command_says_what_it_did_and_undo_takes_that_back(
    place: Place, terminal: Callable[..., Any]
) -> None:
    script = place.script(("mine_block", {"name": "dirt", "count": 40}), ("show_inventory", {}))
    goal = ["--goal", "See the world", "--brain", "scripted", "--script", script, "--speed", "4"]
    child = terminal("run", "--world", "minecraft", *goal, **node_environment())
    child.expect_exact("Input:")
    child.send("y\r")
    until(lambda: len(changes_of(place)) >= 2, "a block was broken")
    child.send("\x03")
    child.expect_exact("Paused.")
    child.expect_exact("Input:")
    child.send("/undo\r")
    until(lambda: len(kinds(place.events(), "result")) == 2, "the undo")
    mined, undo = kinds(place.events(), "result")
    first = changes_of(place)[0]
    said = f"Until then it broke {first['before']} at {first['x']},{first['y']},{first['z']}"
    assert not mined["ok"] and said in mined["text"]
    assert "put back" in undo["text"], "dirt is; grass gave dirt, so the bot may have none to put back"


def changes_of(place: Place) -> list[dict[str, Any]]:
    """Return the changes that the session has recorded."""
    lines = [line for path in place.state.rglob("changes.jsonl") for line in path.read_text().split("\n")]
    return [json.loads(line) for line in lines[:-1]]


def test_the_bots_of_a_server_share_its_chests_and_each_has_a_grave_of_its_own(tmp_path: Path) -> None:
    chests, grave, deaths = {"(1, 2, 3)": {"bread": 1}}, {"x": 1, "y": 2, "z": 3, "age": 4, "items": {}}, [{"x": 1}]
    first, second = (Places.of_server(tmp_path, "host", 1, name) for name in ("first", "second"))
    first.update({"chests": chests, "grave": grave, "deaths": deaths})
    second.update({"chests": chests, "deaths": []})
    found = [Places.of_server(tmp_path, "host", 1, name).facts for name in ("first", "second", "third")]
    assert found == [{"chests": chests, "grave": grave, "deaths": deaths}, {"chests": chests}, {"chests": chests}]
    (file,) = tmp_path.iterdir()
    file.write_text(json.dumps({"version": 1, "chests": chests, "grave": grave}))
    assert Places.of_server(tmp_path, "host", 1, "first").facts == {"chests": chests, "grave": grave}
    damaged = ("[]", '{"version": 1, "players": []}', '{"version": 1, "players": {"first": 1}}', '{"version": 2}')
    for text in (*damaged, '{"version": 1, "chests": [1]}', '{"version": 1, "places": {"all": {"here": {"bed": 1}}}}'):
        file.write_text(text)
        places = Places.of_server(tmp_path, "host", 1, "first")
        assert places.facts == {}
        places.update({"chests": chests})
        newer = text == '{"version": 2}'
        assert (file.read_text() == text) == newer, "what a newer autocraft has written stays"
        assert newer or json.loads(file.read_text())["chests"] == chests


def test_what_two_bots_see_at_once_is_all_stored_and_what_one_sees_gone_is_forgotten(tmp_path: Path) -> None:
    def places(world: str, **at: list[list[int]]) -> dict[str, Any]:
        return {"world": world, "all": {"overworld": at}}

    first, second = (Places.of_server(tmp_path, "host", 1, name) for name in ("first", "second"))

    def stored() -> dict[str, Any]:
        return Places.of_server(tmp_path, "host", 1, "third").facts

    first.update({"chests": {"(1, 2, 3)": {"bread": 1}}, "places": places("a", bed=[[1, 2, 3]])})
    second.update({"chests": {"(4, 5, 6)": "Unknown"}, "places": places("a", bed=[[9, 9, 9]], lava=[[4, 5, 6]])})
    both = {"(1, 2, 3)": {"bread": 1}, "(4, 5, 6)": "Unknown"}
    beds = [[9, 9, 9], [1, 2, 3]]
    assert stored() == {"chests": both, "places": places("a", bed=beds, lava=[[4, 5, 6]])}
    first.update({"chests": {"(1, 2, 3)": {"coal": 2}}, "places": places("a")})
    assert stored() == {
        "chests": both | {"(1, 2, 3)": {"coal": 2}},
        "places": places("a", bed=beds[:1], lava=[[4, 5, 6]]),
    }
    second.update({"chests": {}, "places": places("a", lava=[[4, 5, 6]])})
    assert stored() == {"chests": {"(1, 2, 3)": {"coal": 2}}, "places": places("a", lava=[[4, 5, 6]])}
    first.update({"places": places("b", bed=[[1, 1, 1]])})
    assert stored() == {"places": places("b", bed=[[1, 1, 1]])}, "another world: nothing of the old one is there"


def test_a_disk_that_takes_no_more_is_told_once(tmp_path: Path) -> None:
    told: list[str] = []
    full = Changes(tmp_path / "changes.jsonl", told.append)
    (tmp_path / "changes.jsonl").symlink_to("/dev/full")  # to be written, never to be read: that would not end
    full.add("a:1", STONE)
    full.record({"cheat": "/kill"})
    assert len(told) == 1 and "No space left" in told[0]
    assert full.of("a:1") and full.cheats == 1


async def spawn_of(seed: int, log: Path) -> tuple[int, int]:
    """Where the practice world of this seed begins: x and z."""
    server = await PracticeServer.start({"port": 0, "seed": seed}, log)
    state = await server.ask("state")
    await server.close()
    assert isinstance(state, dict)
    return int(state["spawn"][0] // 1), int(state["spawn"][2] // 1)


@pytest.mark.full
def test_a_small_change_is_taken_back_and_an_assisted_run_says_so(place: Place, tmp_path: Path) -> None:
    x, z = asyncio.run(spawn_of(1, tmp_path / "server.log"))
    cheats = [f"/setblock {x + dx} 149 {z} stone" for dx in range(4)]
    cheats += [f"/tp {x + 0.5} 150 {z + 0.5}", "/give autocraft dirt 1"]
    script = place.script(
        *(("chat", {"text": text}) for text in cheats),
        ("wait", {"seconds": 1}),
        ("place_item", {"name": "dirt", "x": x + 2, "y": 150, "z": z}),
        *[("show_inventory", {})] * 2,  # the one that waits is refused by the undo
    )
    flags = ["--goal", "See the world", "--brain", "scripted", "--script", script, "--speed", "0", "--cheats"]
    typed = f"y -{len(cheats) + 2}\n/undo\ny\nn\n"
    done = place.run("run", "--world", "minecraft", *flags, stdin=typed, **node_environment())
    events = place.events()
    results = {each["command"]: each for each in kinds(events, "result")}
    assert results["place_item"]["ok"], done.stdout
    assert results["undo"]["ok"] and results["undo"]["text"].endswith("1 change was put back."), results["undo"]
    assert results["show_inventory"]["text"] == "Inventory (1/36): 1 dirt"
    end = kinds(events, "end")[-1]
    assert end["assisted"] == len(cheats) and end["why"].endswith(f" (assisted by {len(cheats)} server commands)")
    assert sum("the result is assisted" in each["text"] for each in kinds(events, "note")) == len(cheats)

    script = place.script(*[("observe", {})] * 10, ("task_complete", {"reason": "seen"}))
    flags = ["--resume", "last", "--brain", "scripted", "--script", script, "--continuous", "--speed", "0"]
    done = place.run("run", *flags, **node_environment())
    assert done.returncode == 6, done.stdout + done.stderr
    assert f"(assisted by {len(cheats)} server commands)" in done.stdout
