"""The verbs of goals: what people say, what of it counts, and the commands that do it. Parser, checks and docs read it.

A pattern is matched with a part of a sentence in small letters. Its groups are `what` (things with a count), `who` (a
player), `mob`, `where`, `time`, `count`, `building` and `text`.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

ENDLESS = 86_400
"""Seconds of what goes on until the person ends it."""
FOOD_OF_A_DAY = 20
"""Points of food that last for a day of the game: a whole bar."""
ALL = 0
"""The count of "all of it": none is carried afterwards."""

BUILDINGS: Mapping[str, str] = MappingProxyType({
    "house": "house", "home": "house", "hut": "house", "cottage": "house", "shed": "house", "cabin": "house",
    "tower": "tower", "watchtower": "tower", "pen": "pen", "corral": "pen", "paddock": "pen", "bridge": "bridge",
    "footbridge": "bridge", "fence": "fence", "portal": "portal",
})  # fmt: skip
"""What people call a building, and its kind."""

_WHAT, _MOB, _TIME, _COUNT = (
    "(?P<what>.+)",
    "(?P<mob>.+?)",
    "(?P<time>(?: for| until| till| forever).*)?",
    "(?P<count>.+?)",
)
_WHO = "(?P<who>me|us|(?:the )?player [a-z0-9_]+|[a-z0-9_]{3,16})"
_CHEST = "(?:an?|the|my|your|that|this|our) (?:chest|barrel|box)"
_HERE = "(?:here|(?:this|the|my|our) (?:place|spot|area|position|point|house|home|base|camp|door|room))"
_NIGHT, _MORNING = (
    "(?:it is |it's )?(?:night|dark|dusk|evening|sunset)",
    "(?:it is |it's )?(?:day|dawn|morning|light|sunrise)",
)


class Verb(NamedTuple):
    """What a verb of goals means.

    `says` are patterns. `form` makes the sentence that means a deed of it, and `example` is one that people say.
    `check` says what counts, and `commands` are the commands of the Minecraft world that do it. `records` are the verbs
    of what a world counts, if other ones count too. `state` says that the world shows whether it is done. `topics` are
    words of goals that are not understood, to which this verb comes nearest.
    """

    says: tuple[str, ...]
    form: str
    example: str
    check: str
    commands: tuple[str, ...]
    records: tuple[str, ...] = ()
    state: bool = False
    topics: str = ""


INSTEAD = MappingProxyType({
    "tame": ("find a wolf", "get 3 bone"), "breed": ("find a cow", "farm 6 wheat"),
    "feed": ("find a cow", "farm 6 wheat"), "ride": ("get 1 oak_boat",), "trade": ("find a villager",),
    "enchant": ("get 1 enchanting_table",), "upgrade": ("get 1 iron_pickaxe",), "repair": ("get 1 anvil",),
    "brew": ("get 1 brewing_stand",), "shear": ("get 3 white_wool",), "light": ("place 4 torches",),
    "replant": ("plant an oak_sapling",),
})  # fmt: skip
"""What no command does, by its verb, and the goals that come nearest."""

VERBS: Mapping[str, Verb] = MappingProxyType({
    "hold": Verb((), "hold {count} kinds of item", "hold 20 kinds of item", "kinds of item that were held once",
    ("mine_block", "craft_item")),
    "carry": Verb(
        (
            rf"{{holding}}(?: (?:enough|some|the))? (?:food|meals)(?: (?:to last|that lasts))?{_TIME}",
            r"(?:enough |some )?food(?P<time> for .+)", rf"(?:carry|{{holding}}) {_COUNT} points of food",
        ),
        "carry {count} points of food", "get food for 2 days", "points of food in the inventory; a day takes 20",
        ("craft_item", "kill_mob", "smelt_item"), state=True, topics="hungry starve meal dinner supplies feed",
    ),
    "farm": Verb(
        (r"(?:farm|grow|harvest|reap|raise) (?P<crop>.+)",),
        "farm {count} {thing}", "farm 16 wheat", "picked up since the goal began",
        ("till", "sow", "mine_block", "collect"),
        ("collect",),
        topics="garden agriculture",
    ),
    "mine": Verb(
        (
            rf"(?:mine|dig up|dig|chop down|chop|cut down|cut|harvest) {_WHAT}",
            r"(?:chop|cut|fell)(?: down)? (?P<tree>.*?trees?)(?: down)?",
        ),
        "mine {count} {thing}", "mine 8 stone", "mined or picked up since the goal began", ("mine_block", "dig"),
        ("mine", "collect"),
        topics="tunnel hole cave strip quarry break destroy",
    ),
    "kill": Verb(
        (r"(?:kill|hunt|slay|defeat|attack|fight) (?P<mobs>.+)",),
        "kill {count} {thing}", "kill 1 pig", "killed since the goal began", ("kill_mob",),
        topics="murder battle war raid dragon boss monsters",
    ),
    "shoot": Verb(
        (r"shoot (?:at )?(?P<mobs>.+?)(?: with an? bow)?",),
        "shoot {count} {thing}", "shoot a skeleton", "shot since the goal began", ("shoot",), topics="snipe arrow bow",
    ),
    "sow": Verb(
        (r"(?:sow|plant|seed) (?P<seed>.+)",),
        "sow {count} {thing}", "plant 4 carrots", "sown since the goal began", ("till", "sow"), topics="seeds garden",
    ),
    "till": Verb(
        (rf"(?:till|plough|plow)(?: {_COUNT})?(?: (?:blocks?|fields?|soil|dirt|earth|ground|land)(?: of .+)?)?",),
        "till {count} blocks", "till 3 blocks", "tilled since the goal began", ("till",), topics="farmland hoe",
    ),
    "deposit": Verb(
        (
            r"deposit(?P<what>)", rf"(?:deposit|store|stash|put away|drop off) {_WHAT} (?:in|into|inside|to) {_CHEST}",
            rf"(?:deposit|store|stash|put away|drop off) {_WHAT}",
            rf"(?:put|place) {_WHAT} (?:in|into|inside) {_CHEST}",
        ),
        "deposit {count} {thing}", "put 10 cobblestone in the chest", "put into chests since the goal began",
        ("deposit",),
        topics="sort tidy clean inventory stock chest",
    ),
    "withdraw": Verb(
        (
            rf"(?:withdraw|take|get|fetch|grab|collect) {_WHAT} (?:out of|from) {_CHEST}",
            rf"(?:withdraw|take out) {_WHAT}",
        ),
        "withdraw {count} {thing}", "take 3 bread from the chest", "taken out of chests since the goal began",
        ("withdraw",), topics="loot steal chest",
    ),
    "check": Verb(
        (
            rf"(?:check|look (?:in|into|inside)|open|search|inspect) {_CHEST}",
            rf"(?:see|look|check|find out) what is (?:in|inside) {_CHEST}",
        ),
        "check the chest", "look in the chest", "a chest was looked into since the goal began",
        ("check_chest",), topics="chest content",
    ),
    "place": Verb(
        (rf"(?:place|put down|set down|put) {_WHAT}", r"(?:plant) (?P<sapling>.+)"),
        "place {count} {thing}", "place 1 torch", "placed since the goal began", ("place_item",),
        topics="block",
    ),
    "build": Verb(
        (), "build {thing}", "build a small house", "it stood as planned, block by block, since the goal began",
        ("lay_blocks",), topics="build construct house wall tower bridge roof fence castle home base",
    ),
    "demolish": Verb(
        (
            r"(?:tear|take|pull|knock|bring|break) (?P<building>.+?) down(?: again)?",
            r"(?:tear|take|pull|knock|break) down (?P<building>.+?)(?: again)?",
            r"(?:demolish|dismantle|raze) (?P<building>.+)",
            r"(?:remove|destroy|get rid of) (?P<building>(?:the|my|your|our|this|that) .+)",
        ),
        "tear down {thing}", "tear it down", "what the bot built was taken away since the goal began",
        ("tear_down",), topics="remove raze dismantle building house",
    ),
    "eat": Verb(
        (rf"eat(?: {_WHAT})?",), "eat {count} {thing}", "eat 2 bread", "eaten since the goal began",
        ("eat",), topics="drink hungry feed",
    ),
    "equip": Verb(
        (rf"(?:equip|wear|put on)(?: yourself with)? {_WHAT}",),
        "equip {thing}", "wear iron armor", "it is worn or in the hand",
        ("equip",), state=True, topics="dress armor armour arm hold",
    ),
    "sleep": Verb(
        (rf"(?:go to )?(?:sleep|bed)(?: (?:until|till) {_MORNING})?", r"sleep (?:(?:in )?(?:an?|the|my|your) )?bed"),
        "sleep", "sleep", "slept since the goal began", ("sleep",), topics="nap tired rest bed",
    ),
    "shelter": Verb(
        (
            r"(?:take|find|seek|go to|get to|look for) (?:a )?(?:shelter|cover|safety)|shelter|hide|survive the night",
            rf"(?:wait|stay|hide|shelter)(?: (?:here|in safety|safely))? (?:until|till|for) (?:the )?{_MORNING}",
        ),
        "take shelter", "wait until morning", "waited in safety until day since the goal began", ("shelter",),
        topics="safe survive night bunker",
    ),
    "night": Verb(
        (rf"wait(?: here)? (?:until|till|for) (?:the )?{_NIGHT}",),
        "wait until night", "wait until night", "it is night", ("wait",), state=True, topics="dusk evening",
    ),
    "wait": Verb(
        (r"(?:wait|stay(?: here| there)?|stand still|idle|pause)(?P<time>(?: for)? (?!(?:an?|one) )\S.*)",),
        "wait {count} seconds", "wait 30 seconds", "seconds waited since the goal began", ("wait",),
        topics="pause stay stand idle",
    ),
    "say": Verb(
        (
            r"(?:say|chat|write(?: in (?:the )?chat)?)[: ]+[\"'\u201c](?P<text>.+?)[\"'\u201d]?"
            r"(?: (?:in|by|to) (?:the )?chat)?",
            r"(?:say|chat)[: ]+(?P<text>(?:hi|hello|hey|bye|goodbye|thanks?|good|welcome)\b.*)",
        ),
        'say "{thing}"', 'say "hello"', "said since the goal began",
        ("chat",), topics="talk speak tell answer shout message greet",
    ),
    "remember": Verb(
        (
            rf"(?:remember|mark|save|note|call|name|set|make) {_HERE}(?: as| to be)? (?:the |my |our )?"
            r"(?P<name>[a-z][a-z0-9 ]{0,29})",
            r"(?:this is|set|here is) (?:the |my |our |your )?(?P<name>home|base|camp)(?: here)?",
        ),
        "remember this place as {thing}", "remember this place as home", "the place was stored since the goal began",
        ("remember_place",),
        topics="waypoint spawn location mark",
    ),
    "come": Verb(
        (
            r"(?:come|get|walk|run|return)(?: back| over)?(?: right)?(?: over)? here",
            r"come|(?:come|return)(?: back| over)",
            rf"(?:come|go|walk|run|return|travel|head)(?: back| over)? to {_WHO}",
            rf"(?:find|meet|visit|join) {_WHO}",
        ),
        "come to {who}", "come here", "the bot stands beside the player", ("goto",
        "follow"), state=True, topics="meet teleport",
    ),
    "go": Verb(
        (
            r"(?:go|walk|travel|head|run|come|return|get|move)(?: back)? to (?P<where>.+)",
            r"(?:go|walk|travel|head|run|come|return)(?: back)? (?P<where>home|back)",
        ),
        "go to {thing}", "go to 10 64 -3", "the bot has been there since the goal began", ("goto",
        "goto_block"), state=True,
        topics="travel nether end portal swim climb ride fly north south east west",
    ),
    "follow": Verb(
        (
            rf"(?:follow|accompany|escort|walk (?:after|with|behind)|stay (?:with|near|close to)|come with) "
            rf"{_WHO}{_TIME}",
            r"follow(?P<time> (?:for )?[0-9].*)?", rf"follow {_MOB}{_TIME}",
        ),
        "follow {whom} for {count} seconds", "follow me for 60 s", "seconds of following since the goal began",
        ("follow",),
        topics="pet lead leash companion friend",
    ),
    "guard": Verb(
        (
            rf"(?:guard|protect|defend|watch over|keep watch over|stand guard over) {_WHO}{_TIME}",
            rf"(?:guard|protect|defend|watch over|keep watch over|keep watch|stand guard)"
            rf"(?: (?:at |over )?{_HERE})?{_TIME}",
        ),
        "guard {whom} for {count} seconds", "guard this place for 5 minutes",
        "seconds of guarding since the goal began", ("guard",),
        topics="patrol safe secure sentry protect defend",
    ),
    "explore": Verb(
        (
            r"(?:explore|scout|wander)(?: (?:around|about))?"
            r"(?: (?:the |this )?(?:map|world|area|land|surroundings|region|around))?"
            rf"(?:(?: for)? {_COUNT} (?:blocks?|m|met(?:re|er)s?))?",
        ),
        "explore {count} blocks", "explore 200 blocks", "blocks through land where the bot was not in this session",
        ("goto", "explore_until"),
        topics="map village biome desert ocean dungeon temple stronghold structure discover travel",
    ),
    "find": Verb(
        (r"(?:find|look for|search for|locate)(?: me)? (?:an?|the|some) (?P<seen>.+)",),
        "find a {thing}", "find a cow", "one is in sight", ("explore_until",), state=True,
        topics="discover villager spot",
    ),
    "fish": Verb(
        (
            r"(?:fish|go fishing)(?P<time> for .+)", r"(?:fish|go fishing)",
            rf"(?:fish|catch)(?: {_COUNT})(?: (?:times?|fish(?:es)?))?", rf"{{holding}} {_COUNT} fish(?:es)?",
        ),
        "fish {count} times", "fish 2", "casts that caught something, or seconds of fishing, since the goal began",
        ("fish",),
        topics="angle sea boat",
    ),
    "use": Verb(
        (
            r"(?:open|close|shut|activate|press|push|pull|flip|ring|toggle|use) (?:(?:an?|the|that|this|1) )?"
            r"(?P<device>[a-z_ ]*(?:door|trapdoor|gate|button|lever|bell)s?)",
        ),
        "activate {thing}", "open the door", "used since the goal began",
        ("activate",), topics="switch redstone unlock knock",
    ),
    "give": Verb(
        (
            rf"(?:give|bring|hand|deliver|pass) (?P<who>me|us|player [a-z0-9_]+|[a-z0-9_]{{3,16}}) {_WHAT}",
            rf"(?:give|bring|hand|deliver|pass|throw|take) {_WHAT} (?:over |back )?to {_WHO}",
        ),
        "give {who} {count} {thing}", "give me 3 bread", "given to the player since the goal began", ("give",),
        topics="trade buy sell share gift offer pay",
    ),
    "toss": Verb(
        (rf"(?:toss|throw away|throw out|discard|drop|dump|get rid of|throw) {_WHAT}",),
        "throw away {count} {thing}", "throw away 5 dirt", "thrown away since the goal began",
        ("toss",), topics="empty clean rid waste litter",
    ),
})  # fmt: skip
"""The verbs of what is done, in the order in which they are tried. What is had is no deed: items are counted."""
HELD = Verb(
    (), "get {count} {thing}", "get 3 oak_log", "so many are in the inventory", ("craft_item", "smelt_item", "collect",
    "fill_bucket"),
    topics="invent own",
)  # fmt: skip
"""The verbs of having: craft, get, smelt and others like them (`wording.py`)."""


def sentence(verb: str, thing: str, count: int, who: str = "") -> str:
    """Return the sentence that means a deed of this verb."""
    plain = thing.removeprefix("#")
    known = who == "me" or not who or not who.isalpha() or who != who.lower()
    name = who if known else f"player {who}"
    if (verb, thing) == ("fish", "seconds"):
        return f"fish for {count} seconds"
    if verb == "demolish" and count == ALL:
        return f"tear down all the {plain}s" if plain else "tear down everything"
    anything = {"eat": "food", "demolish": "it"}.get(verb, "everything")
    many = {"count": "all" if count == ALL else count, "thing": plain or anything}
    text = VERBS[verb].form.format(**many, who=name or "me", whom=name or plain or "this place")
    return text.replace("all everything", "everything")
