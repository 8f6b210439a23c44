"""The verbs of goals: each is read, checked, done by commands and told in the docs; what people say is not misread."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import product
from typing import Any

import pytest

from autocraft.commands.registry import Registry
from autocraft.errors import UsageError
from autocraft.goals import Goal, check_goals
from autocraft.goals.faults import fault_of
from autocraft.goals.revisions import read_goal, revise, spoken_by
from autocraft.goals.verbs import HELD, INSTEAD, VERBS
from autocraft.protocols import Risk, commands_of
from autocraft.worlds.minecraft.commands import MinecraftCommands
from autocraft.worlds.minecraft.progress import STATES, check_goal, needs, open_deeds, person_of, with_me
from tests.conftest import ROOT
from tests.test_goals import BOOK, NAMES
from tests.test_revisions import ITEMS

SHOWN: dict[str, dict[str, Any]] = {
    "equip": {
        "equipment": dict.fromkeys("abcd", "") | {p: f"iron_{p}" for p in ("helmet", "chestplate", "leggings", "boots")}
    },
    "go": {"position": {"x": 10.5, "y": 64.0, "z": -2.5}},
    "come": {
        "person": "Steve",
        "players": {"Steve": {"x": 1, "y": 64, "z": 2}},
        "position": {"x": 2.5, "y": 64, "z": 2.5},
    },
    "find": {"entities": {"pig": 4.0, "cow": 20.0}},
    "night": {"time": "midnight"},
    "carry": {"meals": 40},
}
"""What the world shows when the example of a verb that is a state is reached."""
LOOKING = {"goto"}


def meaning(goal: Goal) -> str:
    """Return what a goal asks for, as ``2 stick, follow:me x60``, or "" if it is not understood as a whole."""
    items = [f"{count} {item}" for item, count in goal.items]
    deeds = [f"{deed} x{deed.count}" for deed in goal.deeds]
    return ", ".join([*items, *deeds, *filter(None, [goal.materials])]) if goal.checkable else ""


@pytest.mark.parametrize("verb", VERBS)
def test_each_verb_is_read_and_checked(verb: str) -> None:
    """A verb without a check, or whose own sentence means something else, fails here."""
    entry = VERBS[verb]
    goal = Goal.parse(entry.example, NAMES)
    assert {deed.verb for deed in goal.deeds} == {verb} and goal.checkable, entry.example
    for deed in goal.deeds:
        assert meaning(Goal.parse(deed.text, NAMES)) == f"{deed} x{deed.count}", deed.text
    assert entry.state == (verb in STATES)
    here: dict[str, Any] = {"person": "Steve", "players": {"Steve": None}}
    assert check_goal(goal, here, {}, {}).verdict == "not met"
    done = {f"{entry.records[-1] if entry.records else verb} {deed.thing}".strip(): deed.count for deed in goal.deeds}
    if goal.deeds[0].who:
        done = dict(with_me({str(deed).replace(":me", ":Steve"): deed.count for deed in goal.deeds}, "Steve"))
    counts = {} if entry.state else done
    assert check_goal(goal, here | SHOWN.get(verb, {}), {}, counts).verdict == "met", counts
    assert check_goal(goal.from_now(counts), here, {}, counts).verdict == "not met", (
        "what was done before does not count"
    )


def test_each_command_that_changes_the_world_is_done_by_a_verb() -> None:
    registry = Registry(commands_of(MinecraftCommands()))
    changing = {each.name for each in registry.everything() if each.offered and each.risk is not Risk.LOOK}
    by_verb = {name for verb in (*VERBS.values(), HELD) for name in verb.commands}
    assert changing - by_verb == set()
    assert by_verb - {each.name for each in registry.everything()} == set()


def test_the_docs_have_each_verb_with_its_check() -> None:
    page = (ROOT / "docs" / "minecraft.md").read_text()
    rows = [f"| {verb.example} | {verb.check} |" for verb in (HELD, *VERBS.values())]
    assert [row for row in rows if row not in page] == []


# ---------------------------------------------------------------- what people say

PIECES = ("helmet", "chestplate", "leggings", "boots")
ARMOR = ", ".join(f"1 iron_{piece}" for piece in PIECES)
REFERENCE = {
    "follow me": "follow:me x60", "come here": "come:me x1", "guard this place": "guard x60",
    "make me a bed and sleep": "1 #bed, sleep x1", "make a bed and sleep": "1 #bed, sleep x1", "make iron armor": ARMOR,
    "craft a stone axe then a furnace": "1 stone_axe, 1 furnace", "fish for 5 minutes": "fish seconds x300",
    "plant a wheat farm": "sow wheat_seeds x9", "explore the map": "explore x200", "find a village": "find villager x1",
    "give player1 a stone pickaxe": "give:player1 stone_pickaxe x1", "get enough food for a week": "carry x140",
    "collect wood until you have a stack": "64 #log", "get 3 diamonds and bring them to me": "give:me diamond x3",
    "get diamonds": "1 diamond", "tame a wolf": "tame", "trade with a villager": "trade", "enchant my sword": "enchant",
    "follow 60 s": "follow:me x60", "come": "come:me x1", "give me 3 bread": "give:me bread x3",
    "fish 2": "fish catch x2",
    "farm 16 wheat": "farm wheat x16", "guard": "guard x60", "explore 200 blocks": "explore x200",
    "remember this place as home": "remember home x1", "go home": "go home x1", "deposit": "deposit x0",
    "sleep": "sleep x1",
    "wooden tools": "1 wooden_pickaxe, 1 wooden_axe, 1 wooden_shovel, 1 wooden_hoe", "iron armor": ARMOR,
    "a stack of logs": "64 #log", "food for a day": "carry x20",
}  # fmt: skip
"""The goals of the review and of the issue, with what they mean. Three name what no command does."""
OWN = {
    "please follow Steve for two minutes": "follow:Steve x120", "stay with me until I say stop": "follow:me x86400",
    "follow the nearest cow": "follow cow x60", "come to me, please": "come:me x1", "come over here": "come:me x1",
    "come back": "come:me x1", "can you come to player alex?": "come:alex x1", "bring me 5 logs": "give:me #log x5",
    "give 2 oak planks and a torch to Steve": "give:Steve oak_planks x2, give:Steve torch x1",
    "give me stone tools": ", ".join(f"give:me stone_{tool} x1" for tool in ("pickaxe", "axe", "shovel", "hoe")),
    "hand me the diamonds": "give:me diamond x0",
    "craft a sword out of stone and give it to me": "give:me stone_sword x1",
    "guard me for five minutes": "guard:me x300", "protect this house for half an hour": "guard x1800",
    "kill 3 zombies and come back": "kill zombie x3, come:me x1", "attack the spider": "kill spider x1",
    "kill the dragon": "kill ender_dragon x1", "kill 2 wolves and an iron golem": "kill wolf x2, kill iron_golem x1",
    "hunt two cows, then cook 2 beef": "2 cooked_beef, kill cow x2",
    "shoot 2 skeletons with a bow": "shoot skeleton x2",
    "catch 3 fish": "fish catch x3", "go fishing for an hour": "fish seconds x3600", "get 2 fish": "fish catch x2",
    "plant 5 carrots": "sow carrot x5", "sow wheat": "sow wheat_seeds x1", "grow 8 potatoes": "farm potato x8",
    "harvest 3 pumpkins": "farm pumpkin x3", "plough 4 blocks": "till x4", "plant an oak tree": "place oak_sapling x1",
    "put 32 cobblestone into the chest": "deposit cobblestone x32", "put everything in the chest": "deposit x0",
    "store all the dirt": "deposit dirt x0", "mine 10 coal and put it in the chest": "mine coal x10, deposit coal x10",
    "take 4 bread out of the chest": "withdraw bread x4", "what about looking": "", "check the chest": "check x1",
    "throw away all the gravel": "toss gravel x0", "drop 3 dirt": "toss dirt x3", "eat something": "eat x1",
    "cook a steak and eat it": "eat cooked_beef x1",
    "wear leather armor": ", ".join(f"equip leather_{piece} x1" for piece in PIECES),
    "put on the diamond boots": "equip diamond_boots x1", "take shelter": "shelter x1",
    "wait until it is day": "shelter x1",
    "wait until dark": "night x1", "wait for 90 seconds": "wait x90",
    'say "Good morning, all"': "say Good morning, all x1",
    'get 2 logs and say "Done, and I\'m off", then sleep': "2 #log, say Done, and I'm off x1, sleep x1",
    "say hello to everybody": "say hello to everybody x1", "mark this spot as the mine": "remember mine x1",
    "this is home": "remember home x1", "get 8 logs and then go back home": "8 #log, go home x1",
    "remember this place as base, mine 3 coal and go to base": "remember base x1, mine coal x3, go base x1",
    "walk to 100 64 -20": "go 100 64 -20 x1", "go to the nearest furnace": "go furnace x1", "go to bed": "sleep x1",
    "scout for 500 blocks": "explore x500", "look for a pig": "find pig x1", "find some water": "find water x1",
    "open the oak door": "use oak_door x1", "pull the lever": "use lever x1", "ring the bell": "use bell x1",
    "fill a bucket with lava": "1 lava_bucket", "milk a cow": "1 milk_bucket", "food for three days": "carry x60",
    "chop wood until you have 20": "20 #log", "kill cows until you have 5 leather": "5 leather",
    "fish until you have 4": "fish catch x4", "walk until you see a tree": "find #log x1",
    "explore until you find a village": "find villager x1", "dig until you find 3 diamonds": "3 diamond",
    "sleep until morning": "sleep x1",
    "a full set of diamond armour": ", ".join(f"1 diamond_{piece}" for piece in PIECES),
    "set of stone tools": "1 stone_pickaxe, 1 stone_axe, 1 stone_shovel, 1 stone_hoe",
    "half a stack of torches": "32 torch",
    "craft a ladder, make it 3": "3 ladder", "a birch door": "1 birch_door",
    "4 sticks, not birch": "4 stick, without birch",
    "breed two cows": "breed", "go 20 blocks north": "walk north", "build me a bridge": "build bridge 9x3 x1",
    "get 4 oak logs and build a pen": "4 oak_log, build pen 7x7, gate south x1",
    "build a pen with a torch, then build a bridge and come here":
        "build pen 7x7, gate south, 1 torch x1, build bridge 9x3 x1, come:me x1",
    "build a pen and a bridge": "build pen 7x7, gate south x1, build bridge 9x3 x1",
    "build a pen for cows and pigs and build Hut.schem": "build pen 7x7, gate south x1, build Hut.schem x1",
}  # fmt: skip
"""Sixty and more of our own. "" is said to nobody in particular; single words name what no verb does."""
CRAFTING = {
    "craft a stone axe then a furnace": "1 stone_axe, 1 furnace",
    "make iron armor": ARMOR, "ladder instead": "1 ladder",
    "could you make me two doors from birch?": "2 birch_door", "get a stack of glass": "64 glass",
    "3 torches, use oak": "3 torch, using oak",
    "smelt 4 sand": "4 glass", "bake 2 potatoes": "2 baked_potato",
    "wooden tools": "1 wooden_pickaxe, 1 wooden_axe, 1 wooden_shovel, 1 wooden_hoe",
    "a bow and 2 dozen arrows": "1 bow, 24 arrow", "get a torch, no, 4 torches": "4 torch", "follow me": "",
    "kill 1 pig": "", "give me 3 bread": "",
}  # fmt: skip


def figures(said: dict[str, str], names: Iterable[str]) -> tuple[int, list[str], list[str]]:
    """Return how many phrases were read as meant, those that were not understood, and those that were misread."""
    read = {
        text: meaning(read_goal(text, frozenset(names) if not isinstance(names, frozenset) else names)) for text in said
    }
    unread = [text for text, meant in said.items() if meant and not read[text]]
    wrong = [f"{text}: {read[text]}" for text, meant in said.items() if read[text] not in ("", meant)]
    return len(said) - len(unread) - len(wrong), unread, wrong


@pytest.mark.parametrize(
    ("said", "crafting"), [(REFERENCE | OWN, False), (CRAFTING, True)], ids=["minecraft", "crafting"]
)
def test_what_people_say_is_read_as_it_is_meant(said: dict[str, str], crafting: bool) -> None:
    """At least nine in ten are understood, and none is taken for something else. `-s` prints the figures."""
    right, unread, wrong = figures(said, BOOK.items if crafting else NAMES)
    print(f"\n{right} of {len(said)} read as meant; misread {len(wrong)}; not understood: {', '.join(unread)}")
    assert wrong == []
    assert right >= 0.9 * len(said)
    for text in unread:
        assert "does not understand" in fault_of(text, NAMES)[0]


COUNTS = {"1": 1, "2": 2, "a": 1, "seven": 7, "a dozen": 12, "a stack of": 64, "twenty five": 25}
THINGS = {
    "give me {}": "give:me {} x{}", "bring {} to me": "give:me {} x{}", "give player Steve {}": "give:Steve {} x{}",
    "put {} in the chest": "deposit {} x{}", "take {} from the chest": "withdraw {} x{}",
    "throw away {}": "toss {} x{}",
    "mine {} please": "mine {} x{}", "could you place {}?": "place {} x{}",
    "craft {} and give it to me": "give:me {} x{}",
    "craft {} and put it in a chest": "deposit {} x{}", "OK, deposit {}!": "deposit {} x{}",
}  # fmt: skip
TIMES = {"60 s": 60, "ten seconds": 10, "5 minutes": 300, "2 min": 120, "half an hour": 1800, "an hour": 3600}
LASTING = {
    "follow me for {}": "follow:me x{}", "please follow the pig for {}": "follow pig x{}",
    "guard here for {}": "guard x{}",
    "defend me for {}": "guard:me x{}", "stay close to Steve for {}": "follow:Steve x{}",
    "go fishing for {}": "fish seconds x{}",
}  # fmt: skip
MOBS = {"pig": "pigs", "cow": "cows", "zombie": "zombies", "sheep": "sheep", "wolf": "wolves", "spider": "spiders"}
HUNTS = {"kill {}": "kill", "go and hunt {}": "kill", "Shoot {}!": "shoot", "I want you to slay {}": "kill"}


def generated() -> dict[str, str]:
    """Return phrases made of forms, things, counts and times, with what they mean."""
    said: dict[str, str] = {}
    for (form, means), item, (words, count) in product(THINGS.items(), ITEMS, COUNTS.items()):
        spoken = item.replace("_", " ")
        many = spoken if count == 1 else f"{spoken}{'es' if spoken.endswith('ch') else 's'}"
        said[form.format(f"{words} {many}")] = means.format(item, count)
    for (form, means), (words, seconds) in product(LASTING.items(), TIMES.items()):
        said[form.format(words)] = means.format(seconds)
    for (form, verb), (mob, many), (words, count) in product(HUNTS.items(), MOBS.items(), COUNTS.items()):
        said[form.format(f"{words} {mob if count == 1 else many}")] = f"{verb} {mob} x{count}"
    return said


def test_phrases_of_forms_and_items_are_read_as_they_are_meant() -> None:
    said = generated()
    right, unread, wrong = figures(said, NAMES)
    print(f"\n{right} of {len(said)} read as meant; misread {len(wrong)}; not understood: {unread[:9]}")
    assert (wrong, unread) == ([], [])


@pytest.mark.parametrize(
    "text",
    ["come on", "wait a minute", "give it up", "give me a hint", "drop it", "follow the road", "follow instructions",
     "say when", "say what?", "get me out of here", "open your eyes", "find out", "go on", "run away", "take it easy",
     "look", "stop following me", "do not follow me", "guard your tongue", "explore your options", "fish is healthy",
     "give thanks", "kill all zombies", "put that down", "never give me bread", "hide and seek", "check this",
     "use the table", "what is a chest", "throw a party", "plant the flag", "remember the milk", "go to hell",
     "bring 3 bread to me or Steve", "follow me if it is day", "wait and see", "make my day", "call it a day"],
)  # fmt: skip
def test_what_is_no_goal_is_not_guessed(text: str) -> None:
    assert meaning(read_goal(text, NAMES)) == ""
    assert revise(text, [Goal.parse("craft 4 stick", NAMES)], NAMES) is None


@pytest.mark.parametrize(
    ("text", "unread"),
    [("get 4 sticks and build a castle", "build a castle"), ("build a hut, dance and come", "dance"),
     ("make a house and 2 stick", "2 stick"), ("build a hut with a pool", "pool"),
     ("make a hut and some wood", "some wood"), ("build a house and 3 ladders", "3 ladders"),
     ("a torch, a ladder in gold", "a ladder in gold")],
)  # fmt: skip
def test_a_part_that_is_not_understood_is_named_and_leaves_no_other_goal(text: str, unread: str) -> None:
    """The last part took the place of the others: of "get 4 sticks and build a hut" the hut alone was built."""
    goal = read_goal(text, NAMES)
    assert not goal.checkable
    with pytest.raises(
        UsageError, match=f"does not understand '{unread}' in the goal '{text}'.*: leave it out, (say '.*', )?or say"
    ):
        check_goals([goal], NAMES, asks_model=False)


def test_what_could_be_had_but_lacks_its_verb_after_a_building_is_shown_with_it() -> None:
    """The person was asked whether "ladders" meant a ladder."""
    text = "build a house and 3 ladders"
    why, hint = fault_of(text, NAMES)
    assert why.endswith(f"does not understand '3 ladders' in the goal '{text}'")
    assert hint == "leave it out, say 'get 3 ladders', or "
    assert "'dance, 3 ladders'" in fault_of("get 4 sticks, dance and 3 ladders", NAMES)[0]
    assert Goal.parse("build a house and get 3 ladders", NAMES).checkable


@pytest.mark.parametrize("text", ["stop and come here", "stop, and come here", "Stop! Come to me", "no, come back"])
def test_stop_and_what_comes_after_it_replaces_the_goal(text: str) -> None:
    (goal,) = revise(text, [Goal.parse("follow me", NAMES)], NAMES) or ()
    assert meaning(spoken_by(goal, "Boss")) == "come:Boss x1"


@pytest.mark.parametrize(
    ("text", "nearest"),
    [
        ("construct a castle", "build a small house"), ("tame a wolf", "find a wolf"), ("swim over there",
        "go to 10 64 -3"),
        ("trade with him", "find a villager"), ("protect the village", "guard this place for 5 minutes"),
        ("enchant my sword", "get 1 enchanting_table"), ("discover a temple", "explore 200 blocks"),
        ("sing a song", "mine 8 stone"),
    ],
)  # fmt: skip
def test_what_is_not_understood_says_what_comes_nearest_in_meaning(text: str, nearest: str) -> None:
    assert repr(nearest) in fault_of(text, NAMES)[0]
    assert "did you mean" not in fault_of(text, NAMES)[1]  # such as sponge for a song


def test_what_is_done_instead_is_understood() -> None:
    goals = [*(each for instead in INSTEAD.values() for each in instead), "collect wood until you have 64"]
    assert [text for text in goals if not Goal.parse(text, NAMES).checkable] == []
    for text in ("collect wood until the chest is full", "mine until night", "follow me until night"):
        assert "goals such as 'collect wood" in fault_of(text, NAMES)[0]


# ---------------------------------------------------------------- players, places and all of it


def test_me_is_the_named_player_or_the_only_one() -> None:
    one: dict[str, Any] = {"players": {"Steve": {"x": 0, "y": 64, "z": 0}}}
    assert person_of((), one) == "Steve"
    assert person_of((), {"players": {**one["players"], "Alex": None}}) == "me"
    assert person_of(("Alex", "Steve"), one) == "Steve"
    assert person_of(("Alex",), {}) == "Alex"
    goal = Goal.parse("give me 3 bread", NAMES)
    seen = one | {"person": "Steve"}
    for gave, verdict in (({"give:Steve bread": 3, "give:Alex bread": 9}, "met"), ({"give:Alex bread": 9}, "not met")):
        assert check_goal(goal, seen, {}, with_me(gave, "Steve")).verdict == verdict
    assert needs([goal], seen, {})[0]["deeds"] == [["give:Steve", "bread", 3]]
    assert spoken_by(goal, "Alex").text == "give Alex 3 bread"


def test_a_place_with_a_name_is_gone_to_where_it_is_and_remembered_first() -> None:
    goal = Goal.parse("remember this place as home, get 3 oak_log and go home", NAMES)
    seen: dict[str, Any] = {"dimension": "overworld", "position": {"x": 90.0, "y": 64.0, "z": 0.0}}
    assert needs([goal], seen, {})[0] == {"items": (), "deeds": [["remember", "home", 1]]}
    seen["places"] = {"all": {"overworld": {"@home": [[10, 64, -3]]}}}
    assert needs([goal], seen, {"remember home": 1})[0]["deeds"] == [["go", "10 64 -3", 1]]
    at_home = seen | {"position": {"x": 10.4, "y": 64.0, "z": -3.2}}
    assert check_goal(goal, at_home, {"oak_log": 3}, {"remember home": 1}).verdict == "met"
    nether = seen | {"dimension": "the_nether"}
    assert needs([Goal.parse("go home", NAMES)], nether, {})[0]["deeds"] == [["go", "home", 1]]


def test_all_of_it_means_until_none_is_carried() -> None:
    goal = Goal.parse("deposit all the dirt", NAMES)
    full: dict[str, Any] = {"inventory": {"dirt": 40}, "used": 3}
    assert [deed.count for deed in open_deeds(goal, full, {})] == [40]
    assert check_goal(goal, {"inventory": {}}, {}, {}).verdict == "not met", "it was thrown away"
    assert check_goal(goal, {"inventory": {}}, {}, {"deposit dirt": 40}).verdict == "met"
    assert check_goal(Goal.parse("throw away the dirt", NAMES), {"inventory": {}}, {}, {}).verdict == "met"
    assert math.isclose(open_deeds(Goal.parse("deposit everything", NAMES), full, {})[0].count, 3)
