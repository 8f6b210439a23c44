"""The planner's ways: which source is chosen where, by its price and by what failed, in small worlds of facts."""

from __future__ import annotations

import fnmatch
import json
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from autocraft.goals import Goal
from autocraft.goals.verbs import VERBS
from autocraft.goals.wording import KIND, VARIANT, Names
from autocraft.node import child_environment, find_node, packages
from autocraft.worlds.minecraft.facts import item_names
from autocraft.worlds.minecraft.packages import NODE_FOLDER, PACKAGES
from autocraft.worlds.minecraft.progress import BUILDING, needs
from tests.worlds.minecraft.playing import HERE

pytestmark = pytest.mark.sampled(30)

TREE = {"oak_log": [[4, 64, 4], [4, 65, 4], [4, 66, 4], [4, 67, 4], [5, 64, 8], [5, 65, 8], [5, 66, 8]]}
ROCK = {"stone": [[x, 63, z] for x in range(9, 13) for z in range(4)]}
TABLE = "crafting_table"
Step = tuple[str, Any]


@cache
def names() -> Names:
    return Names.of(item_names(packages(PACKAGES), "1.16.5"), {"beef": "cooked_beef"}, VERBS)


@cache
def planner() -> subprocess.Popen[str]:
    """Return the planner's process, which ends when its input does."""
    script: list[str | Path] = [find_node(), HERE / "node" / "planning.js", NODE_FOLDER / "bot"]
    environment = child_environment(AUTOCRAFT_NODE_MODULES=str(packages(PACKAGES)))
    return subprocess.Popen(script, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


@pytest.fixture(scope="module", autouse=True)
def ended() -> Iterator[None]:
    yield
    planner().communicate()
    planner.cache_clear()


@pytest.mark.parametrize(
    ("rule", "count"),
    [
        ("order", 1),
        ("executable", 30),
        ("packs", 1),
        pytest.param("order", 12, marks=pytest.mark.full),
        pytest.param("executable", 1000, marks=pytest.mark.full),
        pytest.param("packs", 50, marks=pytest.mark.full),
    ],
)
def test_a_rule_of_the_planner_holds_for_random_inventories(rule: str, count: int) -> None:
    """32 items had no price, iron was made of blocks that were not there, and a full pack ended a run."""
    script: list[str | Path] = [find_node(), HERE / "node" / "properties.js", NODE_FOLDER / "bot"]
    environment = child_environment(AUTOCRAFT_NODE_MODULES=str(packages(PACKAGES)))
    command = [*script, rule, str(count), str(count), KIND.pattern]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=600)
    result = json.loads(done.stdout)
    assert (result["checked"], result["wrong"]) == (count, [])


def planned(*goals: str, **scene: Any) -> dict[str, Any]:
    """Return the planner's answer, with steps, why and tree."""
    seen = {"players": dict.fromkeys(scene.get("players", ())), "inventory": scene.get("inventory", {})}
    goals_now = needs([Goal.parse(goal, names()) for goal in goals], seen, {})
    return asked(**{"goals": goals_now, "variant": VARIANT.pattern, **scene})


def asked(**scene: Any) -> dict[str, Any]:
    """Return what the planner's process answers for a scene."""
    node = planner()
    assert node.stdin is not None and node.stdout is not None
    node.stdin.write(json.dumps({"kinds": KIND.pattern, **scene}) + "\n")
    node.stdin.flush()
    answer: dict[str, Any] = json.loads(node.stdout.readline())
    return answer


def evaluated(script: str) -> Any:
    """Return what a script prints as JSON, with `folder`, the bot's folder, and `botIn` of small_world.js."""
    begin = (
        "const [folder, world] = process.argv.slice(1); process.argv[2] = folder; const { botIn } = require(world)\n"
    )
    arguments: list[str | Path] = [NODE_FOLDER / "bot", HERE / "node" / "small_world.js"]
    environment = child_environment(AUTOCRAFT_NODE_MODULES=str(packages(PACKAGES)))
    done = subprocess.run(
        [find_node(), "-e", begin + script, *arguments], env=environment, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def steps(*goals: str, **scene: Any) -> list[Step]:
    """Return each step with its first argument but counts, the item or block that it is about."""
    answer = planned(*goals, **scene)
    assert not answer["why"], answer["why"]
    return [
        (step["name"], step["args"].get("block") or step["args"].get("entity") or step["args"].get("name"))
        for step in answer["steps"]
    ]


STEVE: dict[str, Any] = {"players": {"Steve": [9, 64, 2]}}
CHEST: dict[str, Any] = {"chests": {"(3, 64, 3)": {"bread": 5}}}
WAYS: dict[str, tuple[str, dict[str, Any], list[Step]]] = {
    "hold": ("hold 2 kinds of item", {}, []),
    "carry": ("get food for a day", {"mobs": ["cow"]}, [("kill_mob", "cow")]),
    "farm": ("farm 3 wheat", {"blocks": {"wheat": [[5, 64, 3]]}, "ripe": True}, [("mine_block", "wheat")]),
    "mine": ("mine 3 oak_log", {"blocks": TREE}, [("mine_block", "oak_log")]),
    "kill": ("kill 1 pig", {"mobs": ["pig"]}, [("kill_mob", "pig")]),
    "shoot": ("shoot a pig", {"mobs": ["pig"], "inventory": {"bow": 1, "arrow": 9}}, [("shoot", None)]),
    "sow": ("plant 1 carrot", {"inventory": {"carrot": 1}, "blocks": {"farmland": [[5, 63, 3]]}}, [("sow", "carrot")]),
    "till": ("till a block", {"inventory": {"wooden_hoe": 1}, "blocks": {"dirt": [[5, 63, 2]]}}, [("till", None)]),
    "deposit": ("deposit 3 dirt", {"inventory": {"dirt": 3}, **CHEST}, [("deposit", "dirt")]),
    "withdraw": ("take 2 bread from the chest", CHEST, [("withdraw", "bread")]),
    "check": ("look in the chest", CHEST, [("check_chest", None)]),
    "place": ("place a door", {"inventory": {"birch_door": 1}}, [("place_item", "birch_door")]),
    "eat": ("eat", {"inventory": {"bread": 1}, "food": 10}, [("eat", "bread")]),
    "equip": ("wear an iron_chestplate", {"inventory": {"iron_chestplate": 1}}, [("equip", "iron_chestplate")]),
    "sleep": ("sleep", {"blocks": {"red_bed": [[4, 64, 4]]}, "time": 14000}, [("sleep", None)]),
    "shelter": ("take shelter", {}, [("shelter", None)]),
    "night": ("wait until night", {}, [("wait", None)]),
    "wait": ("wait 30 seconds", {}, [("wait", None)]),
    "say": ('say "hello"', {}, [("chat", None)]),
    "remember": ("remember this place as home", {}, [("remember_place", "home")]),
    "come": ("come to Steve", STEVE, [("goto", None)]),
    "go": ("go to the nearest furnace", {"blocks": {"furnace": [[9, 64, 9]]}}, [("goto_block", "furnace")]),
    "follow": (
        "follow Steve for 60 s",
        {"players": {"Steve": None}},
        [("explore_until", "Steve"), ("follow", "Steve")],
    ),
    "guard": ("guard this place", {}, [("guard", None)]),
    "explore": ("explore 200 blocks", {}, [("goto", None)]),
    "find": ("find a pig", {}, [("explore_until", "pig")]),
    "fish": ("fish 2", {"inventory": {"fishing_rod": 1}, "blocks": {"water": [[5, 63, 5]]}}, [("fish", None)]),
    "use": ("open the door", {"blocks": {"spruce_door": [[5, 64, 5]]}}, [("activate", None)]),
    "give": ("give Steve 2 dirt", {"inventory": {"dirt": 2}, **STEVE}, [("give", "dirt")]),
    "toss": ("throw away all the dirt", {"inventory": {"dirt": 4}}, [("toss", "dirt")]),
}
"""For each verb a goal, a scene, and the last steps of its plan."""


@pytest.mark.parametrize("verb", [verb for verb in VERBS if verb not in BUILDING])
def test_each_verb_of_goals_has_a_way(verb: str) -> None:
    goal, scene, last = WAYS[verb]
    found = steps(goal, **scene)
    assert found[len(found) - len(last) :] == last and found, found


def test_who_is_not_there_and_a_place_without_a_name_are_told() -> None:
    assert planned("follow Steve")["why"] == "there is no player Steve in this world"
    assert "name yourself with --listen-to PLAYER" in planned("come here", players={"Steve": None, "Alex": None})["why"]
    assert planned("go home")["why"] == "no place is remembered as home in this dimension"


def test_what_is_given_or_stored_is_made_first() -> None:
    table = {"crafting_table": [[4, 64, 4]]}
    assert steps("give Steve 1 oak_planks", blocks=TREE, **STEVE)[-3:] == [
        ("mine_block", "oak_log"),
        ("craft_item", "oak_planks"),
        ("give", "oak_planks"),
    ]
    found = steps("deposit 3 dirt", inventory={"dirt": 3, "oak_planks": 8}, blocks=table)
    assert found == [("craft_item", "chest"), ("place_item", "chest")], "a chest is made and put down"


def test_a_hungry_bot_looks_for_a_kind_of_animal_that_is_not_in_sight() -> None:
    """A cow beside a creeper is left alone. A search for a cow ended at once at the same cow, again and again."""
    for mobs, entity in ((["creeper", "cow"], "pig"), (["creeper", "cow", "pig"], "sheep"), (["creeper"], "cow")):
        first = planned("get 1 oak_log", blocks=TREE, mobs=mobs, food=1)["steps"][0]
        assert (first["name"], first["args"].get("entity")) == ("explore_until", entity)
    assert steps("get 1 oak_log", blocks=TREE, mobs=["cow"], food=1)[0] == ("kill_mob", "cow")
    roof = TREE | {"stone": [[0, y, 0] for y in range(50, 55)]}
    up, *_ = planned("get 1 oak_log", blocks=roof, height=40, food=1)["steps"]
    assert (up["name"], up["args"]) == ("goto", {"x": 0, "y": 64, "z": 0}), "no animal lives below the ground"
    nether: dict[str, Any] = {"dimension": "the_nether", "blocks": {"netherrack": [[3, 63, 3]]}, "food": 1}
    pack = {"wooden_pickaxe": 1}
    assert steps("get 1 netherrack", inventory=pack, **nether) == [("mine_block", "netherrack")], "none lives there"


def test_from_the_bottom_of_an_open_shaft_it_goes_up_to_an_animal() -> None:
    """It took the bottom of its shaft for the ground, and dug a hundred blocks through rock to look for a pig."""
    shaft: dict[str, Any] = {"air": [[0, 63, 0]], "stone": [[0, 29, 0]]}
    for food in (20, 1):
        up = planned("get 1 leather", height=30, food=food, blocks=shaft)["steps"][0]
        assert (up["name"], up["args"]) == ("goto", {"x": 0, "y": 64, "z": 0}), food


def test_a_deed_is_done_though_the_bot_is_not_hungry_yet_or_it_is_night_already() -> None:
    """It waited to become hungry, which a bot that stands still never does, and sheltered in place of sleeping."""
    assert steps("eat", inventory={"bread": 1}, food=20) == [("goto", None), ("eat", "bread")]
    assert steps("sleep", blocks={"red_bed": [[4, 64, 4]]}, time=14000) == [("sleep", None)]
    assert steps("sleep", blocks={"red_bed": [[4, 64, 4]]}, mobs=["zombie"], time=14000)[0] == ("shelter", None)


def test_no_more_is_smelted_at_once_than_the_command_allows_and_the_day_lasts() -> None:
    """It smelted into the night beside its furnace on open land, and died."""
    scene: dict[str, Any] = {"inventory": {"sand": 100, "coal": 20}, "blocks": {"furnace": [[4, 64, 4]]}}
    for time, difficulty, count in ((1000, "peaceful", 64), (1000, "easy", 58), (11000, "easy", 8)):
        answer = planned("get 100 glass", time=time, difficulty=difficulty, **scene)
        assert [(step["name"], step["args"]["count"]) for step in answer["steps"]] == [("smelt_item", count)]
    assert [name for name, _ in steps("get 100 glass", time=14000, **scene)] == ["shelter", "smelt_item"]
    valley = [[x, y, z] for x, z in ((6, 0), (-6, 0), (0, 6)) for y in range(64, 80)]
    scene["blocks"] = scene["blocks"] | {"stone": valley}
    assert planned("get 100 glass", time=12500, **scene)["steps"][0]["args"]["count"] == 4, "nor in a valley"


WALL = [[x, y, z] for x in (5, 7) for y in range(64, 72) for z in range(-9, 10)]
ENDS = [[6, y, z] for y in range(64, 72) for z in (-9, 9)] + [[6, 72, z] for z in range(-9, 10)]


@pytest.mark.parametrize(
    ("blocks", "seen"),
    [
        ({"coal_ore": [[10, 64, 0]]}, True),
        ({"coal_ore": [[10, 64, 0]], "glass": WALL}, True),
        ({"coal_ore": [[10, 64, 0]], "stone": WALL}, False),  # behind a wall, at which the bot looks
        ({"coal_ore": [[6, 64, 0]], "stone": WALL + ENDS}, False),  # in a cave
        ({"coal_ore": [[5, 65, 0]], "stone": [at for at in WALL if at != [5, 65, 0]]}, True),  # in the face of the wall
        ({"coal_ore": [[6, 64, 0]], "stone": [at for at in WALL if at != [5, 65, 0]]}, True),  # through a hole
        ({"coal_ore": [[6, 64, 0]], "stone": [at for at in WALL if at != [5, 70, 0]]}, False),  # below a hole
    ],
)
def test_with_its_own_eyes_the_bot_knows_of_what_it_can_see(blocks: dict[str, Any], seen: bool) -> None:
    """On other people's servers it dug to ores that nobody could see, which is taken for a cheat."""
    scene: dict[str, Any] = {"blocks": blocks, "inventory": {"wooden_pickaxe": 1}}
    assert steps("mine 1 coal_ore", sight="loaded", **scene) == [("mine_block", "coal_ore")]
    first = steps("mine 1 coal_ore", sight="seen", **scene)[0]
    assert (first == ("mine_block", "coal_ore")) == seen, first


def test_rock_that_is_not_in_sight_is_looked_for_below_the_soil() -> None:
    """It walked a thousand blocks to a cliff."""
    scene: dict[str, Any] = {"inventory": {"wooden_pickaxe": 1}, "blocks": {"stone": [[9, 58, 0]]}}
    assert steps("get 1 cobblestone", sight="loaded", **scene) == [("mine_block", "stone")]
    first = planned("get 1 cobblestone", sight="seen", **scene)["steps"][0]
    assert (first["name"], first["args"]["y"]) == ("goto", 56)


def test_one_goal_without_a_way_waits_for_the_others() -> None:
    scene: dict[str, Any] = {"blocks": TREE}
    assert steps("get 1 elytra", "get 2 oak_log", **scene) == [("mine_block", "oak_log")]
    answer = planned("get 1 elytra", "get 2 oak_log", inventory={"oak_log": 2}, **scene)
    assert (answer["steps"], answer["why"]) == ([], "no way is known here to get elytra")
    assert planned("put everything in the chest")["why"] == "the bot holds nothing"
    assert planned("kill the dragon")["why"] == "no way is known here to kill ender_dragon"
    assert planned("kill the wither")["why"] == "no way is known here to kill wither", "nobody meets one by chance"


def test_goals_are_kept_in_order() -> None:
    scene: dict[str, Any] = {"blocks": TREE, "mobs": ["pig"]}
    assert steps("kill 1 pig", "mine 1 oak_log", **scene) == [("kill_mob", "pig"), ("mine_block", "oak_log")]
    assert steps("mine 1 oak_log", "kill 1 pig", **scene) == [("mine_block", "oak_log"), ("kill_mob", "pig")]


def test_what_a_table_nearby_makes_is_made_before_the_bot_leaves() -> None:
    """From its diamonds it came up again for a bucket, to the table where it had smelted the iron for it."""
    scene: dict[str, Any] = {"blocks": {"crafting_table": [[3, 64, 3]]}}
    goal = "get 2 diamond and a bucket"
    assert steps(goal, inventory={"iron_pickaxe": 1, "iron_ingot": 3}, **scene)[0] == ("craft_item", "bucket")
    assert steps(goal, inventory={"iron_pickaxe": 1, "iron_ingot": 2}, **scene)[0] == ("goto", None)
    assert steps(goal, inventory={"iron_pickaxe": 1, "iron_ingot": 3})[0] == ("goto", None), "no table is near"
    assert steps(goal, inventory={"stick": 9, "iron_ingot": 3}, **scene)[0] == (
        "craft_item", "iron_pickaxe"
    ), "what comes first gets the iron"  # fmt: skip


def search(thing: str, direction: str, kind: str = "entity") -> dict[str, Any]:
    return {"name": "explore_until", "args": {"direction": direction, "seconds": 120, kind: thing}}


def test_a_way_that_failed_costs_more_and_is_set_aside_in_the_end() -> None:
    rabbit, cow = ("explore_until", "rabbit"), ("explore_until", "cow")
    assert steps("get 1 leather")[0] == cow
    ways = ("north", "east", "south", "west") * 2
    failed = [search("cow", way) for way in ways[:6]]
    assert steps("get 1 leather", failed=failed)[0] == rabbit, "from rabbit hides"
    failed = [search("cow", way) for way in ways]
    assert steps("get 1 leather", failed=failed)[0] == rabbit, "from rabbit hides"
    failed += [search("rabbit", way) for way in ways]
    assert planned("get 1 leather", failed=failed)["why"] == "8 searches of 120 seconds found no cow"
    attempts = [{"name": "kill_mob", "args": {"name": "cow", "seconds": 300, "count": 1}}]
    assert steps("get 1 leather", mobs=["cow", "rabbit"], failed=attempts)[0][0] == "goto", "away, and again"
    assert ("kill_mob", "rabbit") in steps("get 1 leather", mobs=["cow", "rabbit"], failed=attempts * 6)
    monster = [{**attempts[0], "danger": True}]
    assert steps("get 1 leather", mobs=["cow"], failed=monster)[0][0] == "goto", "away from the monster"
    assert ("kill_mob", "cow") in steps("get 1 leather", mobs=["cow"], failed=monster * 20), "no fault of this way"


@pytest.mark.parametrize(
    ("goal", "step", "scene"),
    [
        ("go to 10 64 -3", ("goto", {"x": 10, "y": 64, "z": -3}), {}),
        ("get 3 wheat", ("till", {"x": 5, "y": 63, "z": 2, "count": 3}), {}),
        (
            "get 3 wheat",
            ("sow", {"name": "wheat_seeds", "x": 5, "y": 63, "z": 3, "count": 3}),
            {"farmland": [[5, 63, 3]]},
        ),
    ],
)
def test_what_fails_at_a_place_is_tried_at_another_and_given_up(
    goal: str, step: tuple[str, dict[str, Any]], scene: dict[str, Any]
) -> None:
    """The bot walked to and fro for ever, or looked for grass where it stood on grass."""
    name, args = step
    kit = {"wheat_seeds": 3, "wooden_hoe": 1, "crafting_table": 1}
    there = {"inventory": kit, "blocks": {"grass_block": [[5, 63, 2], [5, 63, 4]]} | scene}
    assert planned(goal, **there)["steps"][0]["args"] == args
    failed = [{"name": name, "args": {**args, "count": 2} if "count" in args else args}]
    first = planned(goal, failed=failed, **there)["steps"][0]
    assert first["name"] in ("goto", "till") and first["args"] != args
    answer = planned(goal, failed=failed * 6, **there)
    assert not answer["steps"] and f"{name} " in answer["why"] and "failed 6 times lately" in answer["why"]


def test_one_command_tills_sows_and_reaps_as_much_as_is_needed() -> None:
    """Three loaves took 25 commands, since each block of the field was one."""

    def first(goal: str, **scene: Any) -> tuple[str, dict[str, Any]]:
        step = planned(goal, **scene)["steps"][0]
        return step["name"], step["args"]

    kit: dict[str, Any] = {"wheat_seeds": 12, "wooden_hoe": 1, "crafting_table": 1}
    land = {"water": [[6, 63, 9]], "grass_block": [[5, 63, z] for z in range(8)]}
    field = {"farmland": [[5, 63, z] for z in range(8)]}
    by_water = {"x": 5, "y": 63, "z": 5}
    assert first("get 9 wheat", inventory=kit, blocks=land) == ("till", {**by_water, "count": 9})
    assert first("till 3 blocks", inventory=kit, blocks=land) == ("till", {**by_water, "count": 3})
    assert first("till 300 blocks", inventory=kit, blocks=land)[1]["count"] == 289, "the most of one command"
    sown = {"name": "wheat_seeds", "x": 5, "y": 63, "z": 0}
    assert first("get 9 wheat", inventory=kit, blocks=field) == ("sow", {**sown, "count": 9})
    assert first("plant 3 wheat_seeds", inventory=kit, blocks=field) == ("sow", {**sown, "count": 3})
    some = {"wheat": [[6, 64, z] for z in range(4)], **field}
    assert first("get 9 wheat", inventory=kit, blocks=some) == ("sow", {**sown, "count": 5}), "four grow already"
    few = {**kit, "wheat_seeds": 2}
    assert first("get 9 wheat", inventory=few, blocks=some) == ("sow", {**sown, "count": 2}), "there are two"
    assert first("get 3 wheat", blocks=some, ripe=True) == ("mine_block", {"name": "wheat", "count": 3})
    assert first("get 9 wheat", blocks=some, ripe=True) == ("mine_block", {"name": "wheat", "count": 4})


def test_plants_that_cannot_be_reaped_are_given_up() -> None:
    ripe: dict[str, Any] = {"blocks": {"wheat": [[5, 64, 3]], **ROCK}, "ripe": True}
    failed = [{"name": "mine_block", "args": {"name": name, "count": 1}} for name in ("wheat", "stone")]
    assert steps("get 1 wheat", failed=failed[1:] * 6, **ripe)[-1] == ("mine_block", "wheat"), "of another kind"
    assert "mine_block wheat failed 6 times" in planned("get 1 wheat", failed=failed[:1] * 6, **ripe)["why"]


def test_on_a_peaceful_server_a_full_bot_does_not_wait_for_hunger() -> None:
    """It ran to and fro for ever, and hunger did not come."""
    scene: dict[str, Any] = {"inventory": {"bread": 1, "golden_apple": 1}, "difficulty": "peaceful"}
    answer = planned("eat 1 bread", **scene)
    assert answer["why"] == "the bot is not hungry, and nobody becomes hungry on a peaceful server"
    assert steps("eat 1 golden_apple", **scene) == [("eat", "golden_apple")]
    assert steps("eat 1 bread", food=19, **scene) == [("eat", "bread")]


def test_no_table_is_put_where_a_flower_stands() -> None:
    flowers = [[x, 64, z] for x in range(-1, 2) for z in range(-1, 2)]
    for block, beside in (("dandelion", False), ("grass", True)):
        place = planned(f"place a {TABLE}", inventory={TABLE: 1}, blocks={block: flowers})["steps"][0]["args"]
        assert ([place["x"], place["y"], place["z"]] in flowers) == beside, block
    field = {"farmland": [[x, 63, z] for x in (-1, 0, 1) for z in (-1, 0, 1)]}
    place = planned(f"place a {TABLE}", inventory={TABLE: 1}, blocks=field)["steps"][0]["args"]
    assert max(abs(place["x"]), abs(place["z"])) == 2, "a field stays as it is"


def test_a_walk_away_that_ended_elsewhere_is_not_tried_again() -> None:
    """The same walk was proposed three times, since it failed more than eight blocks from where it began."""
    scene: dict[str, Any] = {"mobs": ["cow"]}
    failed: list[dict[str, Any]] = [{"name": "kill_mob", "args": {"name": "cow", "seconds": 300, "count": 1}}]
    for _ in range(4):
        step = planned("get 1 leather", failed=failed, **scene)["steps"][0]
        assert step["name"] == "goto" and step["args"] not in [each["args"] for each in failed]
        failed.append({"name": "goto", "args": step["args"], "at": [20, 64, 20]})
    assert planned("get 1 leather", failed=failed, **scene)["steps"][0]["name"] == "kill_mob"


def test_in_a_narrow_place_a_torch_is_put_where_the_bot_stands_and_no_second_one() -> None:
    """It was offered the same place again, which was taken by then."""
    inside = [[x, y, z] for x in range(-4, 5) for y in (64, 65) for z in range(-4, 5) if x or z]
    scene: dict[str, Any] = {"inventory": {"torch": 2}, "blocks": {"stone": inside}}
    assert planned("place 1 torch", **scene)["steps"][0]["args"] == {"name": "torch", "x": 0, "y": 64, "z": 0}
    scene["blocks"]["torch"] = [[0, 64, 0]]
    walk, _ = planned("place 1 torch", **scene)["steps"]
    assert (walk["name"], walk["why"]) == ("goto", "there is no room for torch here")


def test_in_a_shaft_a_place_is_dug_for_what_is_put_down() -> None:
    """A bot was offered the place where it stood, again and again, and walks into the rock above it."""
    shaft = [[x, y, z] for x in range(-4, 5) for y in range(62, 68) for z in range(-4, 5) if y < 64 or x or z]
    scene: dict[str, Any] = {"inventory": {TABLE: 1}, "blocks": {"stone": shaft}}
    goal, place = f"place a {TABLE}", {"x": 0, "y": 64, "z": -1}
    dig, put = planned(goal, **scene)["steps"]
    assert (dig["name"], dig["args"]) == ("dig", place)
    assert (put["name"], put["args"]) == ("place_item", {"name": TABLE, **place})
    scene["blocks"]["lava"] = [[0, 64, -2]]
    assert planned(goal, **scene)["steps"][0]["args"] == {"x": 0, "y": 64, "z": 1}, "beside no lava"
    other = planned(goal, work=[[0, 64, 1]], **scene)["steps"][0]["args"]
    assert (other["x"], other["y"]) == (-1, 64), "not into what a command placed"
    ore = {"inventory": {TABLE: 1}, "blocks": {"diamond_ore": shaft}}
    assert planned(goal, **ore)["steps"][0]["name"] != "dig", "it would drop nothing"
    loose = {"inventory": {TABLE: 1}, "blocks": {"stone": shaft, "gravel": [[x, 65, z] for x, _, z in shaft if x or z]}}
    assert planned(goal, **loose)["steps"][0]["args"]["y"] == 65, "what is above would fall into it"


def test_throwing_away_is_in_vain_where_other_things_come_back() -> None:
    """In a shaft cobblestone and andesite took turns, for 190 commands."""
    script = """
const { Failures, stateOf } = require(folder + '/plan/failures.js')
const found = [[['dirt', 21]], [['dirt', 21], null], [['oak_log', 4], ['dirt', 21]]].map((slots) => {
  const bot = botIn({ inventory: { oak_log: 4, stick: 1 } })
  Object.assign(bot.autocraft, { failures: new Failures() })
  const items = (all) => all.map((item) => item && { name: item[0], count: item[1] })
  bot.inventory.slots = items([['oak_log', 4]].concat(slots.length > 1 ? [['stick', 1]] : []))
  const before = stateOf(bot)
  bot.inventory.slots = items(slots)
  const toss = { name: 'toss', args: { name: 'oak_log', count: 4 } }
  bot.autocraft.failures.succeed(bot, toss, before)
  return bot.autocraft.failures.same(toss, bot.entity.position)
})
console.log(JSON.stringify(found))
"""
    assert evaluated(script) == [True, False, True]


def test_a_failure_is_remembered_from_the_end_of_its_command() -> None:
    """A fight that failed after five minutes was forgotten at once, and begun again thirteen times."""
    script = """
const bot = botIn({})
const { failures } = bot.autocraft
const kill = { name: 'kill_mob', args: { name: 'spider', seconds: 300 } }
bot.time.age += 6000
failures.add(bot, kill, 'it failed')
const found = [1, 6001].map((after) => {
  failures.pass(bot.time.age + after)
  return failures.tried(kill)
})
console.log(JSON.stringify(found))
"""
    assert evaluated(script) == [True, False]


def test_a_walk_away_below_the_ground_does_not_lead_up_into_rock() -> None:
    rock = [[x, y, z] for x, z in ((16, 0), (-16, 0), (0, 16), (0, -16)) for y in range(10, 60)]
    walk, _ = planned("place 1 torch", inventory={"torch": 1}, height=24, blocks={"stone": rock})["steps"]
    assert (walk["name"], walk["args"]["y"]) == ("goto", 24)


def test_a_furnace_that_is_carried_is_used_where_the_last_one_is_far() -> None:
    """The bot climbed out of a mine to its furnace, with another one in its pack."""
    pack, furnace = {"coal": 1, "iron_ore": 1}, {"furnace": [[40, 64, 0]]}
    smelted = ("smelt_item", "iron_ore")
    goal = "get 1 iron_ingot"
    assert steps(goal, inventory=pack, blocks=furnace) == [("goto_block", "furnace"), smelted]
    for wanted in (goal, f"{goal} and a furnace"):  # it is taken up again
        assert steps(wanted, inventory={**pack, "furnace": 1}, blocks=furnace) == [smelted]


def test_a_table_to_which_no_path_leads_is_made_anew() -> None:
    """In a shaft above its table, without a pickaxe, the bot tried to craft there eighteen times."""
    pack = {"oak_planks": 9, "stick": 2}
    failed = [{"name": "craft_item", "args": {"name": "wooden_pickaxe", "count": 1}, "why": "No path to (20, 64, 0)"}]
    far, near = ({TABLE: [[x, 64, 0]]} for x in (20, 3))
    made = [("craft_item", TABLE), ("craft_item", "wooden_pickaxe")]
    goal = "craft 1 wooden_pickaxe"
    assert steps(goal, inventory=pack, blocks=far) == made[1:]
    assert steps(goal, inventory=pack, blocks=far, failed=failed) == made
    for name, inventory, blocks in (("craft_item", pack | {TABLE: 1}, far), ("place_item", pack, near)):
        scene: dict[str, Any] = {
            "inventory": inventory,
            "blocks": blocks,
            "done": [{"name": name, "args": {"name": TABLE}}],
        }
        assert steps(goal, failed=failed, **scene) == made[1:], "another one is here now"
        often = planned(goal, failed=failed * 6, **scene)
        assert "failed 6 times lately" in often["why"], "or one table after the other is made"


def test_the_only_furnace_is_used_before_it_becomes_a_part() -> None:
    """For a blast furnace it is an ingredient, and iron was to be smelted in it too: no way was found."""
    pack = {"furnace": 1, "iron_ore": 5, "cobblestone": 19, "coal": 4, TABLE: 1}
    found = steps("craft 1 blast_furnace", inventory=pack)
    assert found == [
        ("craft_item", "furnace"),
        ("smelt_item", "iron_ore"),
        ("smelt_item", "cobblestone"),
        ("smelt_item", "stone"),
        ("craft_item", "blast_furnace"),
    ]


def test_what_becomes_a_part_is_not_burned() -> None:
    """A log was fuel in each plan and sticks in the next one, so three were mined with a command each."""
    scene: dict[str, Any] = {"blocks": TREE | {"furnace": [[3, 64, 3]], TABLE: [[2, 64, 3]]}}
    pack = {"cobblestone": 3}
    counts = []
    for logs in range(4):
        plan = planned("craft 1 armor_stand", inventory=pack | ({"oak_log": logs} if logs else {}), **scene)["steps"]
        counts.append(sum(step["args"]["count"] for step in plan if step["name"] == "mine_block"))
    assert counts == [counts[0] - logs if logs < counts[0] else 0 for logs in range(4)]


def test_what_lies_at_another_height_costs_the_way_there() -> None:
    """The bot walked to and fro between a mine and a tree."""
    above, below = (asked(priced=True, height=height, inventory={"iron_pickaxe": 1})["diamond"] for height in (64, 12))
    assert above - below == 52


def test_a_shelter_that_did_not_help_is_not_sought_again() -> None:
    """With health 8 the bot sheltered 80 times in a row: it was full, but the server healed nothing."""
    goal = "mine 1 oak_log"
    assert steps(goal, blocks=TREE, health=8)[0][0] == "shelter"
    assert steps(goal, blocks=TREE, health=8, failed=[{"name": "shelter", "args": {}}])[0] == ("mine_block", "oak_log")


@pytest.mark.parametrize("goal", ["get 1 gold_ingot", "craft 1 clock", "craft 1 golden_apple", "craft 1 powered_rail"])
def test_what_lies_in_the_nether_is_not_sought_in_the_overworld(goal: str) -> None:
    blocks = TREE | ROCK | {"gold_ore": [[3, 62, 3]], "redstone_ore": [[3, 61, 3]]}
    found = steps(goal, blocks=blocks, inventory={"iron_pickaxe": 1, "apple": 1, "furnace": 1, "coal": 9})
    assert ("mine_block", "gold_ore") in found
    assert not [thing for _, thing in found if thing and "nether" in thing]


def test_in_the_nether_it_is_sought() -> None:
    scene: dict[str, Any] = {"blocks": {"nether_gold_ore": [[3, 64, 3]]}, "inventory": {"iron_pickaxe": 1}}
    assert steps("get 4 gold_nugget", dimension="the_nether", **scene) == [("mine_block", "nether_gold_ore")]
    assert planned("get 1 oak_log", dimension="the_nether")["why"] == "no way is known here to get oak_log"


def test_a_grave_is_fetched_only_in_its_own_dimension() -> None:
    grave = {"x": 9, "y": 64, "z": 9, "age": 50, "items": {"iron_pickaxe": 1}}
    for dimension, first in (("overworld", "collect"), ("the_nether", "mine_block")):
        assert steps("mine 1 oak_log", blocks=TREE, grave=grave | {"dimension": dimension})[0][0] == first


def test_a_grave_far_away_is_fetched_in_time_if_it_is_worth_the_way() -> None:
    """It made a diamond pickaxe again, since its own lay more than 96 blocks away."""
    age, far = 100, {"x": 400, "y": 64, "z": 0}
    for items, when, first in (
        ({"diamond_pickaxe": 1}, age, "collect"),
        ({"diamond_pickaxe": 1}, age - 4000, "mine_block"),
        ({"diamond_sword": 1}, age, "mine_block"),
    ):
        grave = far | {"age": when, "items": items}
        assert steps("get 1 obsidian", blocks=TREE, grave=grave)[0][0] == first


def test_arrows_are_made_of_flint_stick_and_feather() -> None:
    found = steps("get 4 arrow", blocks=TREE | {"gravel": [[3, 64, 3]]}, mobs=["chicken"])
    assert {("mine_block", "gravel"), ("kill_mob", "chicken"), ("craft_item", "arrow")} <= set(found)
    assert not [thing for _, thing in found if thing == "skeleton"]


@pytest.mark.parametrize(
    ("goal", "there", "last"),
    [
        ("get 1 water_bucket", {"blocks": {"water": [[3, 63, 3]]}}, [("fill_bucket", "water")]),
        ("get 1 lava_bucket", {"blocks": {"lava": [[3, 63, 3]]}}, [("fill_bucket", "lava")]),
        ("get 1 milk_bucket", {"mobs": ["cow"]}, [("fill_bucket", "cow")]),
        ("get 1 egg", {"mobs": ["chicken"]}, [("follow", "chicken")]),
        ("get 1 egg", {"mobs": ["chicken"], "drops": {"egg": 1}}, [("collect", "egg")]),
        ("get 1 pumpkin", {"blocks": {"pumpkin": [[3, 64, 3]]}}, [("mine_block", "pumpkin")]),
    ],
)
def test_buckets_are_filled_and_eggs_are_waited_for(goal: str, there: dict[str, Any], last: list[Step]) -> None:
    """Nobody picked up an egg that lay beside the hole in which the bot waited for it."""
    assert steps(goal, inventory={"bucket": 1}, **there) == last


def test_an_egg_is_waited_for_until_dusk() -> None:
    """The bot stayed beside the chicken into the night, among zombies."""
    scene: dict[str, Any] = {"mobs": ["chicken"]}
    assert [planned("get 1 egg", time=time, **scene)["steps"][0]["args"]["seconds"] for time in (1000, 11000)] == [
        300,
        80,
    ]


BASE = [[x, 62, z] for x in range(-9, 10) for z in range(-9, 10)]
POOL = [[x, y, z] for x in range(4, 8) for y in (62, 63) for z in range(-2, 3)]
TOOL = {"diamond_pickaxe": 1}


def test_obsidian_is_made_in_firm_ground_near_lava() -> None:
    """It was made in the pool, where what it drops fell into the lava below, and so did the bot."""
    there: dict[str, Any] = {"stone": BASE, "lava": POOL, "water": [[20, 63, 3]]}
    assert steps("get 2 obsidian", inventory={"bucket": 1, **TOOL}, blocks=there) == [
        ("fill_bucket", "water"), ("dig", None), ("place_item", "water_bucket")
    ]  # fmt: skip
    dug, poured = planned("get 2 obsidian", inventory={"water_bucket": 1, **TOOL}, blocks=there)["steps"]
    x, y, z = place = [dug["args"][axis] for axis in "xyz"]
    assert poured["args"] == {"name": "water_bucket", **dug["args"]} and y == 63
    assert min(max(abs(x - at[0]), abs(z - at[2])) for at in POOL) > 2, "no lava is near"
    assert (x, z) != (0, 0), "the bot would fall into the hole, and dig another one below"
    assert steps("get 2 obsidian", inventory={"water_bucket": 1, **TOOL}, blocks=there | {"air": [place]}) == [
        ("place_item", "water_bucket")
    ]
    away = there | {"water": [[-9, 63, 0]]}
    assert steps("get 2 obsidian", inventory={"bucket": 1, **TOOL}, blocks=away)[0] == ("fill_bucket", "lava"), (
        "the bot goes back to the water, and does not take it up again"
    )
    there["water"].append(place)
    assert steps("get 2 obsidian", inventory={"bucket": 1, **TOOL}, blocks=there) == [
        ("fill_bucket", "lava"), ("dig", None), ("place_item", "lava_bucket")
    ]  # fmt: skip
    remembered = {"obsidian": [x + 1, y, z]}  # the hole in which it was made
    assert steps("get 2 obsidian", inventory={"bucket": 1, **TOOL}, blocks=there, remembered=remembered)[0] == (
        "fill_bucket", "lava"
    )  # fmt: skip
    beside = planned("get 2 obsidian", inventory={"lava_bucket": 1, **TOOL}, blocks=there)["steps"][1]["args"]
    assert abs(beside["x"] - x) + abs(beside["z"] - z) == 1 and beside["y"] == y
    hole = [beside[axis] for axis in "xyz"]
    answer = planned("get 2 obsidian", inventory={"bucket": 1, **TOOL}, blocks=there | {"obsidian": [hole]})
    mined, *rest = answer["steps"]
    assert (mined["name"], mined["args"]) == ("mine_block", {"name": "obsidian", "count": 1}) and rest, (
        "no more is there"
    )


def test_what_lies_on_lava_is_not_mined() -> None:
    over = [[5, 64, 0]]
    land: dict[str, Any] = {"stone": BASE, "lava": POOL, "obsidian": over, "diamond_ore": over}
    assert steps("get 1 obsidian", inventory=TOOL, blocks=land)[0] != ("mine_block", "obsidian")
    assert steps("get 1 diamond", inventory=TOOL, blocks=land)[0] != ("mine_block", "diamond_ore")


def test_obsidian_is_made_elsewhere_where_no_ground_holds_a_liquid() -> None:
    scene: dict[str, Any] = {"inventory": {"water_bucket": 1, **TOOL}, "blocks": {"lava": [[3, 63, 3]]}}
    assert steps("get 1 obsidian", **scene)[0] == ("goto", None), "the grass has nothing below"
    below = [[x, 61, z] for x, _, z in BASE]
    rock = {"stone": BASE, "lava": [*below, [4, 63, 4]]}
    assert steps("get 1 obsidian", **scene | {"blocks": rock})[-1] == ("place_item", "water_bucket"), "no way to it"
    scene["blocks"] = {"stone": BASE, "lava": POOL}
    dug, _ = planned("get 1 obsidian", **scene)["steps"]
    failed = [{"name": "dig", "args": dug["args"]}]
    assert planned("get 1 obsidian", failed=failed, **scene)["steps"][0]["args"] != dug["args"]
    failed = [{"name": "place_item", "args": {"name": "water_bucket", **dug["args"]}}] * 6
    assert steps("get 1 obsidian", failed=failed, **scene)[0] == ("explore_until", "obsidian"), "set aside"


def test_no_water_is_poured_where_no_lava_could_be_poured_beside_it() -> None:
    """It poured water into the same hole and took it up again, three times, 12 commands for nothing."""
    scene: dict[str, Any] = {"inventory": {"water_bucket": 1, **TOOL}, "blocks": {"stone": BASE, "lava": POOL}}
    hole = planned("get 1 obsidian", **scene)["steps"][-1]["args"]
    beside = [{**hole, "name": "lava_bucket", axis: hole[axis] + by} for axis in "xz" for by in (-1, 1)]
    failed = [{"name": "place_item", "args": args} for args in beside]
    first, *_, poured = planned("get 1 obsidian", failed=failed, **scene)["steps"]
    assert first["name"] == "dig" and poured["args"]["name"] == "water_bucket" and poured["args"] != hole


def test_in_a_narrow_cave_the_bot_digs_room_to_make_obsidian() -> None:
    """It went away from the lava to look for ground, and back to the lava, fifty times."""
    shaft, pool = [[0, y, 0] for y in (62, 63, 64)], [4, 62, 0]
    rock = [[x, y, z] for x in range(-9, 10) for y in range(60, 66) for z in range(-9, 10)]
    cave = {"stone": [at for at in rock if at not in shaft], "air": [*shaft, [4, 63, 0]], "lava": [pool]}
    scene: dict[str, Any] = {"height": 62, "blocks": cave, "inventory": {"water_bucket": 1, **TOOL}}
    assert steps("get 1 obsidian", **scene) == [("dig", None), ("place_item", "water_bucket")]
    cave |= {"water": [[0, 61, 0]]}
    scene["inventory"] = {"lava_bucket": 1, **TOOL}
    above, hole, poured = (step["args"] for step in planned("get 1 obsidian", **scene)["steps"])
    assert (above["y"], hole["y"]) == (62, 61) and poured == {"name": "lava_bucket", **hole}


@pytest.mark.parametrize(("goal", "pack"), [("lava_bucket", {"bucket": 1}), ("obsidian", {"water_bucket": 1})])
def test_lava_below_a_rock_is_no_lava_for_a_bucket(goal: str, pack: dict[str, int]) -> None:
    """The bot went to such lava again and again, since its search took what no bucket could."""
    pack = {**pack, "diamond_pickaxe": 1}
    lava: dict[str, Any] = {"lava": [[3, 62, z] for z in range(40)] + [[9, 63, 9]], "stone": [[9, 64, 9]]}
    scene: dict[str, Any] = {"height": 11, "blocks": lava, "inventory": pack}
    assert steps(f"get 1 {goal}", **scene)[0] == ("explore_until", "lava")
    lava["lava"] += [[20, 63, 20], [20, 63, 21]]
    assert steps(f"get 1 {goal}", blocks=lava, inventory=pack)[0][0] in ("fill_bucket", "goto_block")


def test_the_water_of_a_deep_lake_is_seen() -> None:
    """Only the top of a lake can be taken up, and far more of it lies below."""
    lake = [[x, y, z] for x in range(4, 16) for z in range(4, 16) for y in range(50, 64)]
    assert steps("get 1 water_bucket", inventory={"bucket": 1}, blocks={"water": lake}) == [("fill_bucket", "water")]


def test_a_step_that_succeeds_and_changes_nothing_is_a_failure() -> None:
    """The same walk to the same block was proposed until the run ended."""
    step: dict[str, Any] = {"name": "explore_until", "args": {"direction": "north", "seconds": 120, "entity": "cow"}}
    assert planned("get 1 leather")["steps"][0]["args"] == step["args"]
    assert planned("get 1 leather", unchanged=[step])["steps"][0]["args"] != step["args"]


@pytest.mark.parametrize(
    ("version", "thing", "height", "goes_to", "layer"),
    [
        ("1.16.5", "diamond", 64, 12, [0, 22, 12]),
        ("1.18.2", "diamond", 64, -56, [-64, -46, -56]),
        ("1.18.2", "gold_ingot", 64, -16, [-64, -6, -16]),
        ("1.16.5", "diamond", 11, None, [0, 22, 12]),
        ("1.16.5", "oak_log", 24, 64, [56, 320, 64]),
        ("1.16.5", "lava_bucket", 64, 11, [0, 21, 11]),
        ("1.16.5", "leather", 24, 64, [56, 320, 64]),
    ],
)
def test_things_are_sought_at_their_height(
    version: str, thing: str, height: int, goes_to: int | None, layer: list[int]
) -> None:
    inventory = {"iron_pickaxe": 1, "furnace": 1, "coal": 1, "bucket": 1}
    found = planned(f"get 1 {thing}", version=version, height=height, inventory=inventory)["steps"]
    assert [step["layer"] for step in found if step.get("layer")] == [layer], "also for a program at another place"
    first = found[0]
    if goes_to is None:
        assert first["name"] == "explore_until"
    else:
        assert (first["name"], first["args"]["y"]) == ("goto", goes_to)


def test_of_few_things_in_several_places_none_is_thrown_away_beyond_their_number() -> None:
    """It was to throw away -7 of nine blocks of dirt, for 400 commands."""
    slots = [["dirt", 4], ["dirt", 5], *[["diamond_block", 64]] * 34]
    step = planned("mine 1 oak_log", blocks=TREE, slots=slots)["steps"][0]
    assert step["name"] == "toss" and step["args"]["count"] > 0


def test_in_a_full_pack_much_goes_at_once_before_a_few_stones() -> None:
    """A few stones more than a stack cost a command, and freed one place."""
    shapes = ("stairs", "door", "boat", "sign", "button", "fence", "trapdoor", "pressure_plate")
    wooden = [f"{wood}_{shape}" for wood in ("oak", "birch", "spruce", "acacia") for shape in shapes]
    slots = [["cobblestone", 64], ["cobblestone", 4], *([name, 1] for name in wooden)]
    pack = {"inventory": {"cobblestone": 68, **dict.fromkeys(wooden, 1)}, "slots": slots}
    step = planned("hold 900 kinds of item", held=["cobblestone", *wooden], **pack)["steps"][0]
    assert step["name"] == "toss" and step["args"]["name"].count(",") > 8, step


def test_what_many_things_are_made_of_stays_in_a_full_pack() -> None:
    """Sticks and planks were thrown away and made again forty times, beside boats and composters."""
    made = ("composter", "ladder", "oak_boat", "oak_door", "oak_trapdoor", "oak_fence_gate", "lever")
    parts = ("stick", "oak_planks", "oak_log", "coal", "iron_ingot", "cobblestone", "string", "redstone")
    wools = ("white", "orange", "magenta", "lime", "pink", "gray", "cyan", "purple", "blue", "brown", "green", "red")
    tools = {"wooden_pickaxe": 1, "stone_pickaxe": 1, "bread": 3}
    pack = dict.fromkeys([*made, *parts, *(f"{wool}_{thing}" for wool in wools for thing in ("bed", "wool"))], 1)
    pack = {name: pack[name] for name in list(pack)[:33]} | tools
    step = planned("get 1 oak_sapling", inventory=pack, blocks=TREE)["steps"][0]
    away = step["args"]["name"].split(",")
    assert step["name"] == "toss" and len(away) == 6 and {*away} < {*made, "wooden_pickaxe"}, step


def test_what_is_worth_nothing_goes_at_once_and_alone_if_it_frees_enough() -> None:
    """Cobblestone, granite and dirt went one after another, each by a command of its own."""
    wools = ("white", "orange", "magenta", "lime", "pink", "gray", "cyan", "purple", "blue", "brown", "green", "red")
    dear = [f"{wool}_{thing}" for wool in wools for thing in ("bed", "banner")]
    stones = [["granite", 30], ["andesite", 64], ["diorite", 9], ["gravel", 2]]
    slots = [*([name, 1] for name in dear), ["oak_boat", 1], *stones, *[["cobblestone", 64]] * 3, ["cobblestone", 20]]
    step = planned("get 1 oak_sapling", slots=slots)["steps"][0]
    assert (step["name"], step["args"]["count"]) == ("toss", 192), "some cobblestone stays"
    assert {*step["args"]["name"].split(",")} == {"cobblestone", *(name for name, _ in stones)}


def test_dear_things_of_a_full_pack_go_into_a_chest_at_once() -> None:
    """They were thrown away one by one, each with a command of its own."""
    wools = ("white", "orange", "magenta", "lime", "pink", "gray", "cyan", "purple", "blue", "brown", "green", "red")
    pack = {f"{wool}_{thing}": 1 for wool in wools for thing in ("bed", "banner", "wool")}
    dear = {name: pack[name] for name in list(pack)[:32]} | {"oak_planks": 8}
    near: dict[str, Any] = {"blocks": TREE | {TABLE: [[2, 64, 0]]}}
    stored = planned("get 1 oak_sapling", inventory=dear, chests={"(2, 64, 3)": {}}, **near)["steps"][0]
    assert stored["name"] == "deposit" and stored["args"]["name"].count(",") > 9, "nothing is lost there"
    assert steps("get 1 oak_log", inventory=dict.fromkeys(list(pack)[:35], 1), **near)[0] == ("mine_block", "oak_log")
    full = planned("get 1 oak_log", inventory=dict.fromkeys(pack, 1), **near)["steps"][0]
    assert full["name"] == "toss" and full["args"]["name"].count(",") == 5, "only where no place is free"
    kept = {name: pack[name] for name in list(pack)[:30]} | {TABLE: 1, "furnace": 1, "torch": 8, "ladder": 3}
    assert steps("get 1 oak_sapling", inventory=kept)[0] == ("explore_until", "oak_leaves"), "the table stays"


def test_a_chest_is_put_down_beside_the_bot_unless_it_is_wanted() -> None:
    """Chests were put into each other without an end, and one was put where the bot stood."""
    wools = ("white", "orange", "magenta", "lime", "pink", "gray", "cyan", "purple", "blue", "brown", "green", "red")
    dear = [f"{wool}_{thing}" for wool in wools for thing in ("bed", "banner", "wool")][:34]
    pack = dict.fromkeys(dear, 1) | {"chest": 1}
    shaft = [[x, y, z] for x in range(-3, 4) for y in (63, 64, 65) for z in range(-3, 4) if (x, z) != (0, 0)]
    put = ("place_item", "chest")
    assert steps("get 1 oak_log", inventory=pack, blocks=TREE)[0] == put
    assert put not in steps("get 2 chest", inventory=pack, blocks=TREE)
    needed: dict[str, Any] = {"inventory": {"oak_planks": 2112, "chest": 1}, "blocks": TREE | {TABLE: [[2, 64, 0]]}}
    needed["slots"] = [*[["oak_planks", 64]] * 33, ["chest", 1]]
    assert steps("get 2300 oak_planks", **needed)[0] == ("mine_block", "oak_log"), "nothing would go into it"
    assert put not in steps("get 1 oak_log", inventory=pack, blocks=TREE | {"stone": shaft})


def test_in_a_full_pack_a_table_is_kept_though_another_one_stands_near() -> None:
    """At the bottom of a mine its pickaxe broke, and without a table and wood it found no way out."""
    shapes = ("stairs", "door", "boat", "sign", "button", "fence", "trapdoor", "pressure_plate")
    pack = {f"{wood}_{shape}": 1 for wood in ("oak", "birch", "spruce", "acacia") for shape in shapes}
    pack |= {TABLE: 1, "saddle": 1}
    scene: dict[str, Any] = {"inventory": pack, "held": [*pack], "blocks": {TABLE: [[3, 64, 3]]}}
    step = planned("hold 900 kinds of item", **scene)["steps"][0]
    away = {*step["args"]["name"].split(",")}
    assert step["name"] == "toss" and TABLE not in away, step
    assert "saddle" not in away, "nothing known gives one again"


def test_what_a_new_thing_needs_stays_in_a_full_pack_though_other_kinds_come_first() -> None:
    """The only bucket was thrown away, before there was water in it, and so was the coal for torches."""
    woods = ("oak", "birch", "spruce", "acacia", "jungle", "dark_oak")
    shapes = ("slab", "stairs", "fence", "fence_gate", "door", "trapdoor", "sign", "pressure_plate", "boat", "button")
    wooden = [f"{wood}_{shape}" for wood in woods for shape in shapes]
    dyed = ("bed", "wool", "carpet", "dye", "banner")
    things = [f"{colour}_{thing}" for colour in ("white", "pink", "gray", "red") for thing in dyed]
    idle = [*things, "bowl", "ladder", "lever", "painting"]
    pack = dict.fromkeys([*(f"{wood}_planks" for wood in woods), "feather", "stick", TABLE, *idle], 9)
    for open_kinds, goes in (({"writable_book", *wooden}, False), ({*wooden}, True)):
        held = sorted(names() - open_kinds)
        step = planned("hold 900 kinds of item", inventory=pack, held=held, blocks={TABLE: [[2, 64, 0]]})["steps"][0]
        assert step["name"] == "toss" and ("feather" in step["args"]["name"].split(",")) == goes, step


def test_things_go_into_a_chest_with_room_for_all() -> None:
    """Three chests were put down, and then four commands put single stones into the full one beside them."""
    shapes = ("stairs", "door", "boat", "sign", "button", "fence", "trapdoor", "pressure_plate", "fence_gate")
    pack = {f"{wood}_{shape}": 1 for wood in ("oak", "birch", "spruce", "acacia") for shape in shapes}
    chests = {"(2, 64, 2)": {"diamond_sword": 26}, "(9, 64, 3)": {}}
    goal = "hold 900 kinds of item"
    step = planned(goal, held=[*pack], inventory=pack, chests=chests)["steps"][0]
    assert (step["name"], step["args"]["x"]) == ("deposit", 9), step


def test_a_full_pack_of_a_long_life_goes_into_a_chest_at_once() -> None:
    """A life of 600 commands threw single stones away 110 times, with a chest beside it."""
    few = "wooden_pickaxe stone_pickaxe iron_pickaxe stone_sword iron_sword shield bucket compass book oak_boat chest"
    some = "ladder porkchop mutton arrow oak_sapling oak_door paper feather string bone flint gold_ingot spruce_slab"
    many = "torch redstone coal gravel dirt cobblestone oak_planks furnace crafting_table stick"
    pack = {name: count for names, count in ((few, 1), (some, 4), (many, 20)) for name in names.split()}
    first = planned("craft 1 wooden_axe", inventory=pack, chests={"(9, 64, 3)": {"stick": 3}})["steps"][0]
    stored = {*first["args"]["name"].split(",")}
    assert first["name"] == "deposit" and len(stored) >= 9, stored
    assert not stored & {"iron_pickaxe", "iron_sword", "bucket", "torch", "coal", "oak_planks", "stick"}


def test_the_only_pickaxe_and_the_next_meals_stay_out_of_a_chest() -> None:
    """It put its pickaxe away and made another one, and its meat, and looked for animals soon after."""
    one = "wooden_pickaxe stone_pickaxe stone_sword shield bucket compass book oak_boat clock hopper minecart piston"
    some = "ladder arrow oak_sapling oak_door paper feather string bone flint gold_ingot spruce_slab rail rotten_flesh"
    pack = dict.fromkeys(one.split(), 1) | dict.fromkeys(some.split(), 4)
    pack |= {"beef": 5, "cooked_porkchop": 2, "mutton": 2, "cobblestone": 20, "torch": 9, "dirt": 12, "diorite": 3}
    pack |= {"oak_log": 1, "leather": 3}
    scene: dict[str, Any] = {"inventory": pack, "chests": {"(9, 64, 3)": {}}, "blocks": {TABLE: [[2, 64, 0]]}}
    first = planned("craft 1 wooden_axe", **scene)["steps"][0]
    stored = {*first["args"]["name"].split(",")}
    assert first["name"] == "deposit" and {"wooden_pickaxe", "mutton", "rotten_flesh", "dirt"} <= stored, stored
    assert not stored & {"stone_pickaxe", "beef", "cooked_porkchop"}, "they fill an empty stomach"


def test_for_a_full_pack_of_dear_things_a_chest_is_made() -> None:
    """It threw one thing away after each command, 40 times in 100 commands, and its clock and its jukebox too."""
    one = "stone_pickaxe iron_sword shield bucket compass clock hopper minecart piston jukebox note_block lantern bow"
    some = "paper feather string bone flint gold_ingot rail book redstone coal lapis_lazuli glass leather smooth_stone"
    pack = {"cobblestone": 20, "bread": 5} | dict.fromkeys(one.split(), 1) | dict.fromkeys(some.split(), 4)
    pack |= dict.fromkeys(("white_bed", "iron_axe", "iron_boots", "iron_helmet", "fishing_rod", "shears"), 1)
    pack |= {"iron_ingot": 2}

    def first(kinds: int, **more: int) -> tuple[Any, ...]:
        inventory = dict(list(pack.items())[: kinds - len(more)]) | more
        goal = "craft 1 wooden_axe"
        step = planned(goal, inventory=inventory, blocks=TREE | {TABLE: [[2, 64, 0]]})["steps"][0]
        return step["name"], step["args"]["name"], step["args"].get("count")

    assert first(33) == ("mine_block", "oak_log", 4), "two for the axe, and two for a chest"
    assert first(34, oak_log=4) == ("craft_item", "oak_planks", 16)
    assert first(35, oak_planks=16) == ("craft_item", "chest", 1)
    assert first(36, oak_planks=8, chest=1)[:2] == ("place_item", "chest")
    assert first(34) == ("mine_block", "oak_log", 2), "the places would not last"
    assert first(35, oak_log=5)[1] != "chest" and first(36)[0] == first(36, oak_planks=20)[0] == "toss"


def test_a_nearly_full_pack_is_emptied_by_more_than_the_next_block_brings() -> None:
    """It threw a little earth away after every block that it mined."""
    wools = ("white", "orange", "magenta", "lime", "pink", "gray", "cyan", "purple", "blue", "brown", "green", "red")
    dear = [f"{wool}_{thing}" for wool in wools for thing in ("bed", "banner", "wool")]

    def first(kinds: int, **junk: int) -> Any:
        pack = dict.fromkeys(dear[: kinds - len(junk)], 1) | junk
        return planned("mine 1 oak_log", inventory=pack, blocks=TREE)["steps"][0]

    assert first(33, dirt=4)["name"] == first(34, cobblestone=40, dirt=4)["name"] == "mine_block"
    assert first(36, dirt=4)["args"] == {"name": "dirt", "count": 4}
    both = first(34, cobblestone=40, dirt=12, diorite=3)
    assert both["name"] == "toss" and {*both["args"]["name"].split(",")} == {"dirt", "diorite"}, "with stones no earth"


def test_a_bot_in_a_mine_does_not_climb_to_a_chest_while_places_are_free() -> None:
    """It climbed 45 blocks to put two things away, and its pickaxe broke on the way back."""
    chest: dict[str, Any] = {"chests": {"(2, 64, 3)": {}}}

    def first(stacks: int, height: int) -> Any:
        slots = [*[["cobblestone", 64]] * stacks, ["wooden_pickaxe", 1], ["granite", 8], ["red_bed", 1]]
        pack = {"cobblestone": 64 * stacks, "wooden_pickaxe": 1, "granite": 8, "red_bed": 1}
        there = {**TREE, "stone": [[3, height, 3]], TABLE: [[2, height, 0]]}
        scene = {"inventory": pack, "slots": slots, "height": height, "blocks": there, **chest}
        step = planned("get 2200 cobblestone", **scene)["steps"][0]
        return step["name"], step["args"]["name"]

    assert first(31, 64) == ("deposit", "granite,red_bed")
    assert first(31, 20) == ("mine_block", "stone")
    assert first(32, 20) == ("toss", "granite")


def test_what_a_chest_holds_is_taken_and_what_is_dear_is_put_there() -> None:
    """Without room for a wooden axe it threw away what costs more than the axe, and forgot what it had in a chest."""
    wools = ("white", "orange", "magenta", "lime", "pink", "gray", "cyan", "purple", "blue", "brown", "green", "red")
    dear = [f"{wool}_{thing}" for wool in wools for thing in ("bed", "banner", "carpet")]
    pack = dict.fromkeys(dear, 1) | {"oak_planks": 9, "stick": 2, "crafting_table": 1}
    carpets = {f"{wool}_carpet": 1 for wool in wools}
    full = {name: count for name, count in pack.items() if name not in list(carpets)[:3]}
    first = planned("craft 1 wooden_axe", inventory=full)["steps"][0]
    assert (first["name"], {*first["args"]["name"].split(",")} <= {*carpets}) == ("toss", True), "they are worth least"
    full = {name: count for name, count in pack.items() if name not in carpets} | {
        f"{wool}_concrete": 1 for wool in wools[:9]
    }
    chest = {"chests": {"(9, 64, 3)": {"stick": 3}}}
    first = planned("craft 1 wooden_axe", inventory=full, **chest)["steps"][0]
    assert (first["name"], first["args"]["x"]) == ("deposit", 9)
    beds = [f"{wool}_{thing}" for wool in wools for thing in ("bed", "banner", "wool")][:34]
    slots = [["oak_planks", 64], ["oak_planks", 20], *([name, 1] for name in beds)]
    needed = {"inventory": dict.fromkeys(beds, 1) | {"oak_planks": 84}, "slots": slots}
    first = planned("craft 3 chest", **needed, **chest, blocks={"crafting_table": [[2, 64, 2]]})["steps"][0]
    assert (first["name"], "oak_planks" in first["args"]["name"]) == ("deposit", False), "24 of them are needed"
    carried = {**full, "chest": 1}
    del carried["red_bed"]
    assert planned("craft 1 wooden_axe", inventory=carried)["steps"][0]["name"] == "place_item"
    assert steps("get 5 stick", inventory={"stick": 2}, **chest) == [("withdraw", "stick")]


@pytest.mark.parametrize(
    ("version", "thing"),
    [
        *((each, "chest") for each in ("1.8.8", "1.9.4", "1.10.2", "1.12.2", "1.13.2", "1.18.2", "1.21.11")),
        *((each, thing) for each in ("1.20.4", "1.20.5", "1.20.6", "1.21.1") for thing in ("chest", "smoker")),
    ],
)
def test_any_wood_serves_in_every_version(version: str, thing: str) -> None:
    """In a birch forest of 1.20.6 the bot could make nothing."""
    forest = {"birch_log": [[4, 64, 4], [4, 65, 4]], **ROCK}
    plan = planned(f"craft 1 wooden_pickaxe and 1 {thing}", version=version, blocks=forest)
    mined = {step["args"]["name"] for step in plan["steps"] if step["name"] == "mine_block"}
    assert not plan["why"] and mined <= {"birch_log", "log", "stone"}, plan


@pytest.mark.parametrize(
    ("mob", "first"),
    [
        ("zombie", "shelter"),
        ("creaking", "shelter"),
        ("parched", "shelter"),
        ("enderman", "sleep"),
        ("piglin", "sleep"),
    ],
)
def test_monsters_of_today_are_known_and_those_that_attack_nobody(mob: str, first: str) -> None:
    bed: dict[str, Any] = {"blocks": {"red_bed": [[4, 64, 4]]}, "time": 14000}
    assert steps("sleep", mobs=[mob], version="1.21.11", **bed)[0] == (first, None)


def test_copper_gear_serves() -> None:
    scene: dict[str, Any] = {"version": "1.21.11", "mobs": ["zombie"], "time": 14000}
    assert steps("kill 1 zombie", inventory={"copper_sword": 1}, **scene) == [("kill_mob", "zombie")]
    kit = {"copper_axe": 1, "furnace": 1, "coal": 1, "crafting_table": 1}
    goals = [{"items": [["copper_nugget", 1]], "deeds": []}]
    assert steps(goals=goals, inventory=kit, version="1.21.11")[-1] == ("smelt_item", "copper_axe")


@pytest.mark.parametrize(
    ("version", "thing"),
    [
        ("1.12.2", "sugar_cane"),
        ("1.20.6", "orange_wool"),
        ("1.21.4", "pale_oak_planks"),
        ("1.21.11", "copper_spear"),
        ("26.1", "diamond_spear"),
        ("26.1", "pale_oak_sapling"),
        ("26.1", "red_bed"),
        ("26.1", "leaf_litter"),
    ],
)
def test_what_a_version_has_is_known_by_its_data(version: str, thing: str) -> None:
    """Blocks since 1.17 were no source, and dyed wool since 1.20.5 could be made of black wool alone."""
    kit = {"diamond": 1, "stick": 1, "copper_ingot": 1, "crafting_table": 1, "red_wool": 3}
    old = {"sugar_cane": "reeds"}.get(thing, thing) if version == "1.12.2" else thing
    plan = planned(
        goals=[{"items": [[old, 1]], "deeds": []}], version=version, inventory=kit if version == "26.1" else {}
    )
    assert plan["steps"] and not plan["why"]


@pytest.mark.sampled(1)
def test_each_name_that_is_corrected_is_one_of_the_game() -> None:
    known: set[str] = set()
    folder = packages(PACKAGES) / "minecraft-data/minecraft-data/data/pc"
    for kind in ("blocks", "items", "entities"):
        for file in folder.glob(f"*/{kind}.json"):
            known |= {each["name"] for each in json.loads(file.read_text(encoding="utf-8"))}
    data = json.loads((NODE_FOLDER / "bot/corrections.json").read_text(encoding="utf-8"))
    assert "minecraft.wiki" in data.pop("source")
    armor = data.pop("armor")  # what their names begin with
    parts = [part for key in ("worn", "dimensions", "foods", "mobs") for part in data.pop(key).values()]
    named = {
        name
        for part in [*data.values(), *parts, [f"{each}_*" for each in armor]]
        for name in part
        if not name.isdigit()
    } - {"Infinity", "sapling"}
    named |= {name for part in ("given", "drops", "seconds") for each in data[part].values() for name in each}
    shared = NODE_FOLDER / "shared"
    supports = json.loads((shared / "supports.json").read_text(encoding="utf-8"))
    blows = json.loads((shared / "weapons.json").read_text(encoding="utf-8"))["blows"]
    named |= {*supports["below"], *supports["behind"]}
    named |= {f"{of}_{kind}" if of else kind for kind, each in blows.items() for of in each}
    assert {name for name in named - known if not fnmatch.filter(known, name)} == set()


def test_on_a_beach_it_looks_inland() -> None:
    first = planned("get 1 oak_log", sea=True)["steps"][0]
    assert (first["name"], first["args"]["direction"]) == ("explore_until", "east")


def test_a_search_in_vain_goes_on_where_it_ended() -> None:
    """Each such search was followed by a walk of 16 blocks, which cost a command."""
    search = {"name": "explore_until", "args": {"direction": "north", "seconds": 120, "block": "oak_log"}}
    here = [0, 64, 0]
    ended: dict[str, Any] = {"failed": [{**search, "at": here, "from": [0, 64, 400]}]}
    assert steps("get 1 oak_log", **ended)[0] == ("explore_until", "oak_log")
    blocked: dict[str, Any] = {"failed": [{**search, "at": here, "from": here}]}
    assert planned("get 1 oak_log", **blocked)["steps"][0]["args"] != search["args"]


def test_monsters_are_hunted_by_night_and_with_a_weapon() -> None:
    scene: dict[str, Any] = {"blocks": TREE | ROCK, "inventory": {"stone_sword": 1}}
    by_day = [("wait", None), ("explore_until", "spider"), ("kill_mob", "spider")]
    assert steps("get 1 string", time=6000, **scene) == by_day
    assert steps("get 1 string", time=14000, **scene) == by_day[1:]
    assert ("craft_item", "stone_sword") in steps("get 1 string", time=14000, blocks=TREE | ROCK)
    assert steps("kill 1 pig", mobs=["pig"], blocks=TREE | ROCK) == [("kill_mob", "pig")]


def test_a_hunt_by_night_goes_on_elsewhere_after_searches_in_vain() -> None:
    """The walk away from there was no hunt, so the bot waited for each night and sheltered through it, for ever."""
    failed = [search("skeleton", direction) for direction in ("north", "east", "south", "west")]
    scene: dict[str, Any] = {"inventory": {"iron_sword": 1}, "time": 14000, "failed": failed}
    assert [name for name, _ in steps("get 1 bone", **scene)] == ["goto", "explore_until", "kill_mob"]
    assert steps("get 1 bone", **scene, health=9)[0][0] == "shelter"


def test_by_night_the_hunt_comes_before_the_wood() -> None:
    """It took shelter rather than mine a log by night, and waited for the next night to hunt for the string."""
    scene: dict[str, Any] = {"blocks": TREE, "mobs": ["spider"], "inventory": {"iron_sword": 1, TABLE: 1}}
    assert steps("craft 1 bow", time=1000, **scene)[0] == ("mine_block", "oak_log")
    assert steps("craft 1 bow", time=14000, **scene)[0] == ("kill_mob", "spider")
    assert steps("craft 1 bow", time=14000, health=9, **scene)[0][0] == "shelter"


def test_in_armor_a_hunt_by_night_goes_on_with_less_health() -> None:
    """In iron from head to foot it sheltered with health 15.9, and waited a day for each spider."""
    scene: dict[str, Any] = {"mobs": ["spider"], "time": 14000}
    armor = {"iron_helmet": 1, "iron_chestplate": 1, "diamond_leggings": 1, "iron_boots": 1, "iron_sword": 1}
    weaker = armor | {"iron_boots": 0, "golden_boots": 1}
    for health, inventory, first in ((14, armor, "kill_mob"), (14, weaker, "shelter"), (9, armor, "shelter")):
        held = {name: count for name, count in inventory.items() if count}
        assert steps("get 1 string", health=health, inventory=held, **scene)[0][0] == first, (health, held)


def test_who_is_deep_below_the_ground_goes_up_by_day_and_hunts_by_night() -> None:
    """The bot waited for each night at the bottom of its hole, and took shelter there through it."""
    deep: dict[str, Any] = {"height": 20, "inventory": {"stone_sword": 1}}
    assert steps("get 1 string", time=6000, **deep)[0] == ("goto", None)
    assert steps("get 1 string", time=14000, **deep)[0] == ("goto", None)
    assert steps("get 1 string", time=14000, height=20)[0] == ("shelter", None)


def test_many_dangerous_fights_are_fought_in_armor_and_with_food() -> None:
    """Five creepers with a stone sword alone took five nights, most of them in a hole."""
    scene: dict[str, Any] = {"blocks": TREE | ROCK | {"iron_ore": [[x, 62, 4] for x in range(4, 32)]}}
    armor = [f"iron_{piece}" for piece in ("helmet", "chestplate", "leggings", "boots")]
    assert {("craft_item", piece) for piece in armor} <= set(steps("get 5 gunpowder", **scene))
    assert not {("craft_item", piece) for piece in armor} & set(steps("get 1 gunpowder", **scene))
    fit: dict[str, Any] = {"inventory": dict.fromkeys([*armor, "stone_sword"], 1), "mobs": ["cow"], "time": 1000}
    assert steps("get 5 gunpowder", **fit)[0] == ("kill_mob", "cow")
    assert steps("get 1 gunpowder", **fit)[0] == ("wait", None)
    fit["inventory"] |= {"bread": 4}
    assert steps("get 5 gunpowder", **fit)[0] == ("wait", None)


def test_animals_are_killed_several_at_a_time_and_monsters_one_by_one() -> None:
    [step] = planned("get 6 leather", mobs=["cow"])["steps"]
    assert (step["name"], step["args"]["count"]) == ("kill_mob", 6)
    fight: dict[str, Any] = {"mobs": ["zombie"], "inventory": {"iron_sword": 1}, "time": 14000}
    [step] = planned("kill 3 zombie", **fight)["steps"]
    assert step["name"] == "kill_mob" and step["args"]["count"] == 1


def test_the_tree_says_how_and_with_what() -> None:
    tree = planned("craft 1 stone_pickaxe", blocks=TREE | ROCK, inventory={"stick": 9})["tree"]
    assert tree[0] == "1 stone_pickaxe: craft at a crafting_table"
    assert "  3 cobblestone: mine stone" in tree
    assert "    with 1 wooden_pickaxe: craft at a crafting_table" in tree
    assert "  2 stick: there" in tree


def first_of_new_kinds(pack: dict[str, int], held: list[str], **blocks: list[list[int]]) -> Step:
    """Return the first step to new kinds of item, where what is carried and some other kinds were held before."""
    return steps("hold 900 kinds of item", inventory=pack, held=[*pack, *held], blocks=blocks)[0]


def test_another_thing_comes_before_the_same_thing_of_another_wood() -> None:
    """Of 107 kinds 44 were stairs, slabs, doors and walls of other woods and stones."""
    things = ("log", "planks", "wood", "slab", "button", "pressure_plate", "stairs", "door", "trapdoor", "sign")
    others = ["stick", "chest", "bowl", "barrel", "composter", "ladder", "charcoal", "torch", "campfire", "furnace"]
    tools = [f"{sort}_{tool}" for sort in ("wooden", "stone") for tool in ("sword", "pickaxe", "axe", "shovel", "hoe")]
    held = [*(f"oak_{thing}" for thing in (*things, "fence", "fence_gate", "boat")), *others, *tools]
    pack = {"birch_planks": 12, "crafting_table": 1, "stone_pickaxe": 1}
    assert first_of_new_kinds(pack, held, stone=[[3, 63, 3]]) == ("mine_block", "stone")
    held.remove("oak_button")
    assert first_of_new_kinds(pack, held, stone=[[3, 63, 3]]) == ("craft_item", "birch_button")


def test_what_many_kinds_are_made_of_comes_before_what_serves_for_none() -> None:
    """A cactus was cheaper than iron, and so the bot never came to iron.

    All kinds together have no way here, since a smoker would take the only furnace.
    """
    pack = {"stone_pickaxe": 1, "furnace": 1, "coal": 8, "crafting_table": 1}
    blocks = {"cactus": [[3, 64, 3]], "iron_ore": [[5, 63, z] for z in range(4)]}
    step = planned("hold 900 kinds of item", inventory=pack, held=[*pack], blocks=blocks)["steps"][0]
    assert (step["name"], step["args"]["name"]) == ("mine_block", "iron_ore")
    assert step["args"]["count"] > 9, "for many kinds at once"


def first_of_open_kinds(pack: dict[str, int], *open_kinds: str, **scene: Any) -> Step:
    """Return the first step to new kinds of item, where all others were held before."""
    held = sorted(names() - {*open_kinds})
    return steps("hold 900 kinds of item", inventory=pack, held=held, **scene)[0]


def test_what_is_in_sight_is_taken_before_a_mine_for_many_kinds() -> None:
    """The bot mined iron for a cauldron, and walked on from sheep that it had to look for later."""
    pack = {"stone_pickaxe": 1, "furnace": 1, "coal": 8, "crafting_table": 1, "stick": 8, "chest": 1, "stone": 3}
    of_iron = ("hopper", "iron_bars", "rail", "cauldron", "minecart", "shears", "stonecutter")
    blocks = {"iron_ore": [[5, 63, z] for z in range(4)]}
    assert first_of_open_kinds(pack, *of_iron, "mutton", blocks=blocks) == ("mine_block", "iron_ore")
    assert first_of_open_kinds(pack, *of_iron, "mutton", blocks=blocks, mobs=["sheep"]) == ("kill_mob", "sheep")


def test_of_ore_that_drops_much_little_is_mined_and_of_what_drops_by_chance_much() -> None:
    """24 blocks of redstone ore wore out a pickaxe far below the ground, and seeds took five commands."""
    ground = {"redstone_ore": [[5, 63, z] for z in range(-9, 9)], "grass": [[x, 64, 6] for x in range(-9, 9)]}
    pack = {"iron_pickaxe": 1, "cobblestone": 8, "stick": 9, TABLE: 1}
    for kinds, block, least, most in (
        (("redstone", "dropper", "piston"), "redstone_ore", 3, 8),
        (("wheat_seeds",), "grass", 18, 18),
    ):
        held = sorted(names() - {*kinds})
        step = planned("hold 900 kinds of item", inventory=pack, held=held, blocks=ground)["steps"][0]
        assert step["args"]["name"] == block and least <= step["args"]["count"] <= most, step


def test_a_tool_of_another_material_waits_for_a_new_thing() -> None:
    pack = {"iron_ingot": 2, "stick": 2, "crafting_table": 1, "bucket": 1}
    water = {"water": [[6, 63, 6]]}
    assert first_of_open_kinds(pack, "iron_hoe", "water_bucket", blocks=water) == ("fill_bucket", "water")
    assert first_of_open_kinds(pack, "iron_hoe", blocks=water) == ("craft_item", "iron_hoe")


def test_what_is_in_sight_is_taken_before_a_walk_back_to_the_table() -> None:
    """The bot walked to its table for each thing, and back again to what it had left."""
    dirt, near, far = ({name: [at]} for name, at in (("dirt", [6, 63, 6]), (TABLE, [4, 64, 0]), (TABLE, [40, 64, 0])))
    pack = {"oak_planks": 8}
    assert first_of_open_kinds(pack, "chest", "dirt", blocks=near | dirt) == ("craft_item", "chest")
    assert first_of_open_kinds(pack, "chest", "dirt", blocks=far | dirt) == ("mine_block", "dirt")
    assert first_of_open_kinds(pack, "chest", blocks=far) == ("goto_block", TABLE)


def test_what_failed_waits_for_what_costs_less_then() -> None:
    """A spider to which no path led was tried again and again, since what it drops opens many kinds."""
    pack = {"stone_pickaxe": 1, "furnace": 1, "coal": 8, TABLE: 1, "oak_planks": 8, "stone": 3, "chest": 1}
    of_iron = ("hopper", "iron_bars", "rail", "cauldron", "minecart", "shears", "stonecutter")
    ore = {"iron_ore": [[5, 63, z] for z in range(4)]}
    args: list[dict[str, Any]] = [{"name": "iron_ore", "count": count} for count in (1, 2)]
    failed = [{"name": "mine_block", "args": each, "why": "No path", "at": [20, 64, 20]} for each in args]
    first = [first_of_open_kinds(pack, *of_iron, "mutton", blocks=ore, failed=some) for some in ([], failed)]
    assert first == [("mine_block", "iron_ore"), ("explore_until", "sheep")]


def test_what_one_kind_needs_does_not_wait_for_what_others_need() -> None:
    """With five diamonds and a tree beside it the bot went down for more diamonds, and up again for wood."""
    of_diamonds = ("hoe", "pickaxe", "axe", "sword", "shovel", "helmet", "boots", "leggings", "chestplate", "block")
    tree = {"oak_log": [[4, 64 + up, 4] for up in range(3)]}
    kinds = [*(f"diamond_{thing}" for thing in of_diamonds), "jukebox", "enchanting_table"]
    assert first_of_open_kinds({"diamond": 5, TABLE: 1, "iron_pickaxe": 1}, *kinds, blocks=tree)[1] == "oak_log"


def test_the_first_kind_is_begun_with_what_is_there_and_fuel_is_gathered_for_the_others() -> None:
    """For all kinds at once the iron would be smelted with logs that are still in the tree, and sticks made of them."""
    tools = ("axe", "pickaxe", "sword", "shovel", "hoe")
    of_iron = ("tripwire_hook", "rail", *(f"iron_{tool}" for tool in tools))
    of_wood = ("campfire", "ladder", "oak_sign", "oak_fence", "wooden_hoe")
    iron, wood = ({"held": sorted(names() - {*kinds}), "blocks": TREE} for kinds in (of_iron, of_wood))
    iron |= {"inventory": {"iron_ore": 40, "coal": 1, TABLE: 1}, "blocks": TREE | {"furnace": [[3, 64, 3]]}}
    smelt, logs = planned("hold 900 kinds of item", **iron)["steps"][:2]
    assert smelt["args"] == {"name": "iron_ore", "fuel": "coal", "count": 8}, "no more than the coal can smelt"
    assert (logs["args"]["name"], logs["args"]["count"] > 9) == ("oak_log", True), "with which the rest is smelted"
    first = planned("hold 900 kinds of item", inventory={"oak_planks": 2, "coal": 1, TABLE: 1}, **wood)["steps"][0]
    assert first["args"] == {"name": "stick", "count": 4}, "for the campfire"
    of_gems = sorted(names() - {"diamond_shovel", "diamond_sword", "diamond_pickaxe"})
    pack = {"oak_planks": 2, "diamond": 5, TABLE: 1}
    found = steps("hold 900 kinds of item", inventory=pack, held=of_gems, blocks=TREE)
    assert found[0] == ("craft_item", "stick"), "for all that can be made of what is there"


def test_a_block_to_build_with_waits_for_what_opens_many_kinds() -> None:
    """The bot made ladders and slabs, and came to redstone 70 commands later."""
    red = ("redstone", "compass", "repeater", "note_block", "dropper")
    pack = {"iron_pickaxe": 1, "cobblestone": 8, "crafting_table": 1, "stick": 9}
    table = {TABLE: [[3, 64, 3]]}
    assert first_of_open_kinds(pack, *red, "lever", blocks=table) == ("craft_item", "lever"), "a hand moves it"
    assert first_of_open_kinds(pack | {"coal": 1}, *red, "torch", blocks=table) == ("craft_item", "torch"), "it lights"
    assert first_of_open_kinds(pack, *red, "ladder", blocks=table)[0] == "goto", "down to redstone"
    assert first_of_open_kinds(pack, "ladder", blocks=table) == ("craft_item", "ladder")


def test_what_is_near_is_taken_before_a_way_to_what_many_kinds_need() -> None:
    """The bot climbed out of its mine to a tree, with gold and diamonds in sight."""
    planks = [name for name in names() if name.endswith("_planks")]
    things = ("stick", "chest", "bowl", "barrel", "ladder", "composter", "lever", "wooden_hoe", "wooden_axe")
    pack = {"iron_pickaxe": 1, "crafting_table": 1}
    scene: dict[str, Any] = {"height": 12, "blocks": {"diamond_ore": [[3, 12, 3]]}}
    gems = ("diamond", "diamond_block", "jukebox")
    assert first_of_open_kinds(pack, *planks, *things, *gems, **scene) == ("mine_block", "diamond_ore")
    assert first_of_open_kinds(pack, *planks, *things, "diamond_block", **scene)[0] == "goto", "up to a tree"


def test_a_pickaxe_that_soon_breaks_is_made_anew_before_a_mine_for_new_kinds() -> None:
    """It broke far below the ground, and a hundred commands found no way out."""
    pack = {"iron_pickaxe": 1, "iron_ingot": 3, "stick": 2, TABLE: 1}
    ore, worn = {"diamond_ore": [[3, 63, 3]]}, {"iron_pickaxe": 210}
    assert first_of_open_kinds(pack, "diamond", blocks=ore) == ("mine_block", "diamond_ore")
    assert first_of_open_kinds(pack, "diamond", blocks=ore, worn=worn) == ("craft_item", "iron_pickaxe")
    first = steps("get 1 diamond", inventory=pack, blocks=ore, worn=worn)[0]
    assert first == ("mine_block", "diamond_ore"), "one goal takes no more than it needs"


def test_what_only_another_colour_needs_comes_late() -> None:
    """Of 130 kinds 7 were dyes, since each serves for a wool, a carpet, a bed, a glass and others of its colour."""
    red = [name for name in names() if name.startswith("red_") and "sand" not in name and "mushroom" not in name]
    pack, poppy = {"glass": 8, "white_wool": 8, "stick": 2}, {"poppy": [[3, 64, 3]]}
    assert first_of_open_kinds(pack, *red, "feather", blocks=poppy) == ("explore_until", "chicken")


def test_what_cannot_be_had_together_is_left_for_later() -> None:
    """One rod serves for a powder or for a stand. Iron is mined for two kinds all the same, which come first."""
    pack = {"stone_pickaxe": 1, "furnace": 1, "coal": 8, "crafting_table": 1, "stick": 8, "cobblestone": 3, "stone": 3}
    open_kinds = {"iron_bars", "rail", "bucket", "minecart", "shears", "stonecutter", "blaze_powder", "brewing_stand"}
    iron = {"iron_ore": [[5, 63, z] for z in range(4)]}
    scene = {"inventory": pack, "held": sorted(names() - open_kinds), "blocks": iron, "drops": {"blaze_rod": 1}}
    step = planned("hold 900 kinds of item", **scene)["steps"][0]
    assert (step["name"], step["args"]["name"]) == ("mine_block", "iron_ore")
    assert step["gains"] == 11, "for a bucket, a minecart, shears and a stonecutter"


def test_by_night_who_is_under_a_roof_does_not_go_out_for_a_flower() -> None:
    """It left its mine for a dandelion by night, and died."""
    roof = [[x, y, z] for x in range(-3, 4) for y in range(67, 72) for z in range(-3, 4)]
    there = {"stone": roof, "dandelion": [[9, 64, 2]], "coal_ore": [[2, 64, 2]]}
    goals = ("get 1 dandelion", "kill 1 pig", "get 1 coal")
    pack = {"wooden_pickaxe": 1}
    by_day, by_night = (
        [steps(goal, inventory=pack, blocks=there, mobs=["pig"], time=time)[0][0] for goal in goals]
        for time in (9, 14000)
    )
    assert (by_day, by_night) == (["mine_block", "kill_mob", "mine_block"], ["shelter", "shelter", "mine_block"])


def test_by_night_a_bot_that_is_closed_in_does_not_go_out_to_its_furnace() -> None:
    """It would have opened its shelter for a furnace 20 blocks away, and stood beside it while the ore burned.

    One right behind the wall is not at hand either.
    """
    shell = [[dx, y, dz] for dx, dz in ((1, 0), (-1, 0), (0, 1), (0, -1)) for y in (64, 65)]
    scene: dict[str, Any] = {"inventory": {"sand": 1, "coal": 1}, "time": 14000}
    there = [
        steps("get 1 glass", blocks={"stone": [*shell, [0, 66, 0]], "furnace": [at]}, **scene)[0]
        for at in ([20, 64, 0], [2, 64, 0], [0, 66, 0])
    ]
    assert there == [("shelter", None), ("shelter", None), ("smelt_item", "sand")]


def test_a_weak_bot_does_not_open_its_shelter_beside_a_monster() -> None:
    """It had hidden from a skeleton with health 6, went out to throw sand away, and hid again with health 5."""
    shell = [[dx, y, dz] for dx, dz in ((1, 0), (-1, 0), (0, 1), (0, -1)) for y in (64, 65)]
    scene: dict[str, Any] = {"blocks": TREE | {"stone": [*shell, [0, 66, 0]]}, "mobs": ["skeleton"], "food": 7}
    assert steps("get 1 oak_log", health=6, **scene)[0] == ("shelter", None)
    waited = [{"name": "shelter", "args": {}}]
    assert steps("get 1 oak_log", health=6, failed=waited, **scene)[0] == ("explore_until", "cow"), "it waited"
    assert steps("get 1 oak_log", health=12, **scene)[0][0] != "shelter", "it is well enough"


def test_a_bot_that_is_weak_from_hunger_looks_for_a_meal_and_not_for_work() -> None:
    """With health 1, after three searches for a cow, it went to look for clay, and died on the way."""
    hunts = [
        {"name": "explore_until", "args": {"direction": "north", "seconds": 60, "entity": "cow"}, "at": at, "from": at}
        for at in [[0, 64, 900]] * 6
    ]

    def sought(health: int, searches: int) -> Any:
        return planned("get 1 clay_ball", health=health, food=6, failed=hunts[:searches])["steps"][0]["args"]

    assert "entity" in sought(20, 2) and "entity" in sought(2, 2)
    assert "block" in sought(20, 3) and "entity" in sought(2, 3)
    assert "block" in sought(2, 6), "it does not starve beside its work where no animal lives"


def test_shears_are_in_hand_for_leaves_and_not_for_seeds() -> None:
    """Leaves were broken by hand again and again, so they dropped nothing."""
    pack, blocks = {"shears": 1, "dirt": 1}, {"oak_leaves": [[3, 65, 3]], "grass": [[4, 64, 4]]}
    leaves = ("mine_block", "oak_leaves")
    assert steps("get 1 oak_leaves", inventory=pack, blocks=blocks) == [("equip", "shears"), leaves]
    assert steps("get 1 oak_leaves", inventory=pack, blocks=blocks, hand="shears") == [leaves]
    for seed in ("wheat_seeds", "apple"):
        assert steps(f"get 1 {seed}", inventory=pack, blocks=blocks, hand="shears")[0] == ("equip", "dirt")


def test_by_night_a_shelter_that_failed_is_sought_elsewhere() -> None:
    """It went on with its work in the open, and died."""
    failed = [{"name": "shelter", "args": {}}]
    assert steps("mine 1 oak_log", blocks=TREE, time=14000)[0][0] == "shelter"
    assert steps("mine 1 oak_log", blocks=TREE, time=14000, failed=failed)[0][0] == "goto"
    elsewhere = [{**failed[0], "at": [20, 64, 20]}]
    assert steps("mine 1 oak_log", blocks=TREE, time=14000, failed=elsewhere)[0][0] == "shelter"
    roof = TREE | {"stone": [[x, y, z] for x in range(-3, 4) for y in range(67, 72) for z in range(-3, 4)]}
    scene: dict[str, Any] = {"inventory": {"oak_planks": 1}, "blocks": roof, "mobs": ["zombie"], "health": 8}
    assert steps("craft 1 oak_button", time=14000, **scene)[0][0] == "shelter"
    hidden = steps("craft 1 oak_button", time=14000, failed=failed, **scene)
    assert hidden == [("craft_item", "oak_button")], "it stays under its roof"


def test_what_opens_many_kinds_keeps_its_iron() -> None:
    """All iron became armor, and the pickaxe with which gold and redstone are mined came 60 commands later."""
    gold = ("gold_ore", "gold_ingot", "gold_nugget", "clock")
    red = ("redstone", "redstone_block", "redstone_torch", "compass", "repeater", "note_block")
    gems = ("diamond", "diamond_block", "jukebox", "emerald")
    tree = {"oak_log": [[4, 64 + up, 4] for up in range(3)]}
    kinds = ("iron_pickaxe", "minecart", "chest_minecart", *gold, *red, *gems)
    first = [first_of_open_kinds({"iron_ingot": iron, TABLE: 1}, *kinds, blocks=tree) for iron in (5, 8)]
    assert first == [("mine_block", "oak_log"), ("craft_item", "minecart")]


def test_what_several_kinds_need_of_an_animal_is_hunted_at_once() -> None:
    """One cow was killed for its beef, and then others for leather."""
    held = sorted(names() - {"beef", "leather_horse_armor"})
    scene: dict[str, Any] = {"mobs": ["cow"], "inventory": {TABLE: 1}, "held": held}
    step = planned("hold 900 kinds of item", **scene)["steps"][0]
    assert (step["name"], step["item"], step["args"]["count"]) == ("kill_mob", "beef", 7)


def test_the_only_pickaxe_is_not_smelted_for_a_new_kind() -> None:
    """It became a nugget, for a lantern."""
    pack = {"iron_pickaxe": 1, "furnace": 1, "coal": 8, "torch": 1, "crafting_table": 1}
    found = steps("hold 900 kinds of item", inventory=pack, held=[*pack], blocks={"cactus": [[3, 64, 3]]})
    assert ("smelt_item", "iron_pickaxe") not in found[:2], found[:2]


def test_iron_is_not_made_of_blocks_that_would_be_made_of_iron() -> None:
    """With one block and six ingots the first step was to make 90 ingots of ten blocks."""
    pack = {"iron_block": 1, "iron_ingot": 6, "crafting_table": 1, "stone_pickaxe": 1, "furnace": 1, "coal": 9}
    plan = planned("get 90 iron_ingot", inventory=pack, blocks=ROCK | {"iron_ore": [[12, 62, 0]]})
    first, *rest = plan["steps"]
    assert (first["name"], first["args"]) == ("craft_item", {"name": "iron_ingot", "count": 9})
    assert "iron_block" not in [step["args"].get("name") for step in rest]
    assert rest[-1]["name"] == "smelt_item" and rest[-1]["gains"] == 75


def test_a_field_is_made_beside_water_that_was_seen() -> None:
    """Wheat for a cake grew for five days on dry land, a short walk from the water where the sugar cane stood."""
    land = TREE | {"grass_block": [[5, 63, 2], [5, 63, 4]]}
    kit: dict[str, Any] = {"inventory": {"wheat_seeds": 3, "wooden_hoe": 1, "crafting_table": 1}, "blocks": land}
    assert steps("get 3 wheat", remembered={"water": [70, 63, 0]}, **kit)[0] == ("goto_block", "water")
    assert steps("get 3 wheat", remembered={"water": [300, 63, 0]}, **kit)[0] == ("till", None), "too far"
    assert steps("get 3 wheat", **kit)[0] == ("till", None)
    kit["blocks"] = land | {"wheat": [[5, 64, 3]]}
    assert steps("get 3 wheat", remembered={"water": [70, 63, 0]}, **kit)[0] == ("till", None), "a field is here"


@pytest.mark.parametrize("metal", ["stone", "golden"])
def test_a_tool_that_is_carried_is_not_made_again(metal: str) -> None:
    """Its own ingredients were held to be needed, so that the stone for a furnace had no way."""
    kit = {f"{metal}_{tool}": 1 for tool in ("pickaxe", "axe", "shovel", "sword", "hoe")}
    plan = planned("get 1 iron_shovel", inventory=kit, blocks=TREE | ROCK | {"iron_ore": [[12, 62, 0]]})
    assert (plan["why"], f"{metal}_pickaxe" in [step["args"].get("name") for step in plan["steps"]]) == ("", False)
    assert "mine_block" in [step["name"] for step in plan["steps"]]


@pytest.mark.parametrize(
    ("inventory", "blocks", "first"),
    [
        ({"wooden_hoe": 1}, {}, ("explore_until", "grass")),
        ({"wheat_seeds": 3}, {}, ("mine_block", "oak_log")),
        ({"wheat_seeds": 3, "wooden_hoe": 1, "crafting_table": 1}, {}, ("till", None)),
        ({"wheat_seeds": 3, "wooden_hoe": 1, "crafting_table": 1}, {"farmland": [[5, 63, 3]]}, ("sow", "wheat_seeds")),
        (
            {"wheat_seeds": 2, "wooden_hoe": 1, "crafting_table": 1},
            {"wheat": [[5, 64, 3]], "farmland": [[5, 63, 3]]},
            ("till", None),
        ),
        ({"wheat_seeds": 2}, {"wheat": [[5, 64, 3]], "farmland": [[5, 63, 3]]}, ("wait", None)),
        ({"wooden_hoe": 1}, {"wheat": [[5, 64, z] for z in range(3)]}, ("wait", None)),
        ({"wheat": 3}, {}, ("mine_block", "oak_log")),
        ({"wheat": 3, "crafting_table": 1}, {}, ("craft_item", "bread")),
    ],
)
def test_bread_is_grown(inventory: dict[str, int], blocks: dict[str, Any], first: Step) -> None:
    there = TREE | {"water": [[6, 63, 3]], "grass_block": [[5, 63, 2], [5, 63, 4]]} | blocks
    assert steps("craft 1 bread", inventory=inventory, blocks=there)[0] == first


def test_what_is_wanted_is_not_burnt() -> None:
    """It burned charcoal to make charcoal, and had one too few."""
    scene: dict[str, Any] = {"blocks": {"furnace": [[4, 64, 4]]}}
    for pack in ({"spruce_log": 4, "charcoal": 4, "oak_planks": 5}, {"oak_planks": 5, "charcoal": 4, "spruce_log": 4}):
        smelt = planned("get 8 charcoal", inventory=pack, **scene)["steps"][0]
        assert smelt["args"] == {"name": "spruce_log", "fuel": "oak_planks", "count": 4}, smelt


def test_what_is_needed_for_two_reasons_is_made_once() -> None:
    """A furnace to put down and another one as a part were two commands, and three furnaces."""
    inventory = {"furnace": 1, "iron_ore": 5, "cobblestone": 19, "coal": 3}
    scene: dict[str, Any] = {"inventory": inventory, "blocks": TREE | {TABLE: [[2, 64, 0]]}}
    made = [step for step in planned("craft 1 blast_furnace", **scene)["steps"] if step["name"] == "craft_item"]
    assert [(step["args"]["name"], step["args"]["count"]) for step in made] == [("furnace", 1), ("blast_furnace", 1)]


def test_what_took_nights_to_get_is_not_used_for_what_grows_on_a_sheep() -> None:
    """Four strings became one wool, and the bow after it cost two nights."""
    scene: dict[str, Any] = {"inventory": {"string": 4, "white_wool": 5}}
    assert steps("get 6 white_wool", **scene) == [("explore_until", "sheep"), ("kill_mob", "sheep")]
    assert steps("get 6 white_wool", dimension="the_nether", **scene) == [("craft_item", "white_wool")]
    wood: dict[str, Any] = {"blocks": {"jungle_log": [[4, 64, 4]], "oak_log": [[9, 64, 4]]}}
    assert steps("get 8 stick", inventory={"oak_planks": 1}, **wood)[0] == ("mine_block", "oak_log")
