"""Goals as verbs and things: how they are read, what of them is done, and what counts since they began."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from autocraft.crafting.recipes import load_book
from autocraft.goals import Deed, Goal
from autocraft.goals.faults import fault_of
from autocraft.goals.verbs import VERBS
from autocraft.goals.wording import VARIANT, Names
from autocraft.session.events import Goals
from autocraft.worlds.minecraft.progress import check_goal, deeds_of, open_deeds

BOOK = load_book()
SMELTS = {item: recipe.output for item, recipe in BOOK.smelts.items()}
NAMES = Names.of(frozenset(BOOK.items), SMELTS, VERBS)


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("get 3 wood log", (("#log", 3),)),
        ("hold 3 oak_log", (("oak_log", 3),)),
        ("craft 4 wood planks", (("#planks", 4),)),
        ("1 wooden pickaxe", (("wooden_pickaxe", 1),)),
        ("get some wood", (("#log", 1),)),
        ("get a few sticks and a couple of torches", (("stick", 3), ("torch", 2))),
        ("smelt 3 raw beef", (("cooked_beef", 3),)),
        ("cook 2 beef", (("cooked_beef", 2),)),
        ("smelt 4 raw iron", (("iron_ingot", 4),)),
        ("smelt 1 iron_ingot", (("iron_ingot", 1),)),
        ("smelt 2 cobblestone", (("stone", 2),)),
        ("craft a flint and steel", (("flint_and_steel", 1),)),
        ("make a bed and a door", (("#bed", 1), ("#door", 1))),
        ("get a bucket of water", (("water_bucket", 1),)),
        ("craft 1 stick then 1 ladder", (("stick", 1), ("ladder", 1))),
        ("craft 1 stone_pickaxe; craft 1 ladder", (("stone_pickaxe", 1), ("ladder", 1))),
        ("could you please craft an iron pickaxe for me?", (("iron_pickaxe", 1),)),
        ("I'd like two buckets", (("bucket", 2),)),
        ("Get me half a stack of torches, please!", (("torch", 32),)),
        ("twenty four sticks", (("stick", 24),)),
        ("collect wood until you have 2 stacks", (("#log", 128),)),
        ("a bow and arrows", (("bow", 1), ("arrow", 1))),
        ("make a book and quill", (("writable_book", 1),)),
        ("gold sword", (("golden_sword", 1),)),
        ("make wood tools", tuple((f"wooden_{end}", 1) for end in ("pickaxe", "axe", "shovel", "hoe"))),
        (
            "a full set of iron armour",
            tuple((f"iron_{end}", 1) for end in ("helmet", "chestplate", "leggings", "boots")),
        ),
        ("a door out of birch", (("birch_door", 1),)),
        ("I need 5 torches and a pickaxe, pls!!", (("torch", 5), ("#pickaxe", 1))),
        ("make an axe out of stone and 1,000 bread", (("stone_axe", 1), ("bread", 1000))),
    ],
)
def test_items_are_read_in_the_words_of_people(text: str, items: tuple[tuple[str, int], ...]) -> None:
    goal = Goal.parse(text, NAMES)
    assert (goal.items, goal.deeds, goal.words) == (items, (), "")
    assert goal.checkable


@pytest.mark.parametrize(
    ("text", "phases"),
    [
        ("craft 1 stick then 1 ladder", ["1 stick", "1 ladder"]),
        ("kill a pig, then craft a chest and 2 sticks. Then sleep", ["kill pig", "1 chest, 2 stick", "sleep"]),
        ("go home and after that get 3 logs", ["go home", "3 #log"]),
        ("craft a cake, then eat it", ["eat cake"]),
        ("craft a ladder afterwards", ["1 ladder"]),
        ("get 2 logs and a chest", ["2 #log, 1 chest"]),
    ],
)
def test_what_stands_behind_then_is_a_part_of_its_own(text: str, phases: list[str]) -> None:
    goal = Goal.parse(text, NAMES)
    said = [
        ", ".join([*(f"{count} {item}" for item, count in part.items), *map(str, part.deeds)]) for part in goal.phases
    ]
    assert said == phases


@pytest.mark.parametrize(
    ("text", "deeds"),
    [
        ("mine 3 oak_log", [Deed("mine", "oak_log", 3)]),
        ("Mine 1 wood log.", [Deed("mine", "#log")]),
        ("mine 5 iron ores", [Deed("mine", "iron_ore", 5)]),
        ("kill 1 pig", [Deed("kill", "pig")]),
        ("hunt two wolves and a sheep", [Deed("kill", "wolf", 2), Deed("kill", "sheep")]),
        ("equip iron_chestplate", [Deed("equip", "iron_chestplate")]),
        ("eat", [Deed("eat")]),
        ("eat 2 bread", [Deed("eat", "bread", 2)]),
        ("place 1 torch", [Deed("place", "torch")]),
        ("go to 10, 64, -3 and sleep", [Deed("go", "10 64 -3"), Deed("sleep")]),
        ("go to x=1 y=2 z=3", [Deed("go", "1 2 3")]),
        ("go to sleep", [Deed("sleep")]),
        ("hold 100 kinds of item", [Deed("hold", count=100)]),
        ("collect 20 different items and kill 1 pig", [Deed("hold", count=20), Deed("kill", "pig")]),
        ("get 3 kinds", [Deed("hold", count=3)]),
        ("attack the nearest zombie asap", [Deed("kill", "zombie")]),
        ("chop down a tree", [Deed("mine", "#log", 5)]),
        ("cut 2 birch trees down", [Deed("mine", "birch_log", 10)]),
        ("wear a helmet", [Deed("equip", "#helmet")]),
    ],
)
def test_deeds_are_read_and_survive_the_journal(text: str, deeds: list[Deed]) -> None:
    goal = Goal.parse(text, NAMES)
    assert (goal.items, list(goal.deeds), goal.words) == ((), deeds, "")
    assert goal.checkable
    assert Goals.from_json(Goals(goals=(goal,)).to_json()).goals == (goal,)


@pytest.mark.parametrize(
    "text",
    [
        "kill time",
        "walk to the village",
        "mine the gap",
        "3 houses",
        "eat my hat",
        "never craft a ladder",
        "a ladder if you can",
        "find a desert",
        "a house with a door",
        "don't get 3 torches",
        "a ladder or a torch",
    ],
)
def test_other_texts_stay_free(text: str) -> None:
    assert Goal.parse(text, NAMES) == Goal(text)


def test_a_family_has_no_wood_and_no_colour_and_flowers_are_one() -> None:
    families = {
        "dark_oak_log": "log", "stripped_birch_log": "stripped_log", "light_blue_wool": "wool", "red_sand": "sand",
        "stone_brick_stairs": "stairs", "cobblestone_wall": "wall", "poppy": "", "red_tulip": "", "oak": "oak",
    }  # fmt: skip
    assert {name: VARIANT.sub("", name) for name in families} == families


def test_a_world_without_deeds_says_that_it_knows_none() -> None:
    assert Goal.parse("kill 1 pig", BOOK.items) == Goal("kill 1 pig")
    assert Goal.parse("hold 9 kinds of item", BOOK.items) == Goal("hold 9 kinds of item")
    assert "the crafting world has no 'kill'" in fault_of("kill 1 pig", BOOK.items)[0]
    assert fault_of("hold 9 kinds of item", BOOK.items)[1] == "add --world minecraft, or "
    assert "there is no mob 'pgi'" in fault_of("kill 1 pgi", NAMES)[0]


@pytest.mark.parametrize(
    ("text", "why", "hint"),
    [
        ("craft 0 stick", "a count must be a whole number from 1 to 999999", ""),
        ("craft 1.5 stick", "a count must be a whole number from 1 to 999999", ""),
        ("craft 1000000 stick", "a count must be a whole number from 1 to 999999", ""),
        ("craft stick 5", "before the name", ""),
        ("build 1 ladder", "a goal begins with craft, get, make or smelt", ""),
        ("build 1 lader", "a goal begins with craft, get, make or smelt", "did you mean ladder? "),
        ("craft 1 lader", "there is no item 'lader'", "did you mean ladder? "),
        ("get oak planx and a ladder", "there is no item 'oak_planx'", "did you mean oak_planks? "),
        ("craft 2 ores", "there is no item 'ores'", "did you mean coal_ore, diamond_ore, "),
        ("mine 3 stone", "the crafting world has no 'mine', as in", "add --world minecraft, or "),
    ],
)
def test_a_goal_that_is_not_understood_says_what_is_wrong_in_it(text: str, why: str, hint: str) -> None:
    assert not Goal.parse(text, BOOK.items).checkable
    said = fault_of(text, BOOK.items)
    assert why in said[0]
    assert said[1].startswith(hint) and bool(said[1]) == bool(hint)


DONE = {
    "mine oak_log": 2,
    "mine birch_log": 1,
    "mine stone": 4,
    "collect cobblestone": 3,
    "kill pig": 1,
    "eat bread": 1,
    "hold oak_log": 1,
    "hold bread": 1,
}
SEEN: dict[str, Any] = {
    "equipment": {"head": "iron_helmet", "hand": None}, "position": {"x": 10.5, "y": 64.0, "z": -2.5}
}  # fmt: skip


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("mine 3 oak_log", 1),
        ("mine 3 wood log", 0),
        ("mine 5 stone", 1),
        ("mine 5 cobblestone", 2),
        ("kill 2 pigs", 1),
        ("kill 1 cow", 1),
        ("eat", 0),
        ("eat 2 bread", 1),
        ("equip iron_helmet", 0),
        ("equip iron_boots", 1),
        ("go to 11 64 -3", 0),
        ("go to 11 60 -3", 1),
        ("sleep", 1),
        ("hold 2 kinds of item", 0),
        ("hold 5 kinds of item", 3),
    ],
)
def test_what_is_left_to_do(text: str, rest: int) -> None:
    goal = Goal.parse(text, NAMES)
    assert sum(deed.count for deed in open_deeds(goal, SEEN, DONE)) == rest
    assert check_goal(goal, SEEN, {}, DONE).verdict == ("not met" if rest else "met")


def test_what_was_done_before_does_not_count() -> None:
    goal = Goal.parse("mine 2 wood log and kill 1 pig", NAMES).from_now(DONE)
    assert check_goal(goal, SEEN, {}, DONE).verdict == "not met"
    later = {**DONE, "mine oak_log": 3, "mine acacia_log": 1, "kill pig": 2}
    assert check_goal(goal, SEEN, {}, later).why == "mine #log: 2 of 2, kill pig: 1 of 1"
    assert check_goal(goal, SEEN, {}, later).verdict == "met"
    assert msgspec.json.decode(msgspec.json.encode(goal), type=Goal) == goal


def test_items_deeds_and_words_must_all_be_there() -> None:
    goal = Goal.parse("get 2 wood planks, kill 1 pig and build a sty", NAMES)
    assert goal.words == "build a sty"
    assert check_goal(goal, SEEN, {"oak_planks": 1}, DONE).verdict == "not met"
    assert check_goal(goal, SEEN, {"oak_planks": 1, "birch_planks": 1}, {}).verdict == "not met"
    assert check_goal(goal, SEEN, {"oak_planks": 1, "birch_planks": 1}, DONE).verdict == "cannot tell"


@pytest.mark.parametrize(
    ("command", "args", "deeds"),
    [
        ("eat", {"name": "Bread"}, {"eat bread": 1}),
        ("place_item", {"name": "minecraft:torch", "x": 1}, {"place torch": 1}),
        ("goto", {"x": 1.2, "y": 64, "z": -3.0}, {"go 1 64 -3": 1}),
        ("sleep", {}, {"sleep": 1}),
        ("withdraw", {"name": "dirt", "count": 5, "x": 1}, {"withdraw dirt": 5}),
        ("chat", {"text": "Hello all"}, {"say Hello all": 1}),
        ("fish", {}, {"fish catch": 1, "fish seconds": 20}),
        ("craft_item", {"name": "stick"}, {}),
    ],
)
def test_commands_that_are_deeds(command: str, args: dict[str, Any], deeds: dict[str, int]) -> None:
    assert deeds_of(command, args, 20.4) == deeds
