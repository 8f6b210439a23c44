"""How a sentence about a goal is read: its parts, counts, times, and the names that people give to things and players.

It knows no goals, only words: `goal.py` makes goals of what is read here, and `revisions.py` reads changes of goals.
The verbs are those of `verbs.py`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache
from types import MappingProxyType
from typing import NamedTuple, Self

from autocraft.goals.verbs import ALL, BUILDINGS, ENDLESS, FOOD_OF_A_DAY, VERBS

OTHER_WORLD = "add --world minecraft, or "
IT = "it"
"""The thing of a part such as "eat it": what the part before is about."""
UNITS = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
_TENS = {"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90}
_NUMBERS = {word: n for n, word in enumerate(UNITS.split(), 1)} | _TENS | {"hundred": 100, "dozen": 12, "half": 0.5}
_NUMBERS |= {"few": 3, "several": 3, "couple": 2, "pair": 2, "stack": 64, "stacks": 64}
_ONE = "a an some the my your our any of this that these those nearest closest"
_NUMBERS |= dict.fromkeys(_ONE.split(), 1)
_SMELTING = r"smelt|cook|bake"
_HOLDING = rf"craft|get|make|obtain|have|hold|collect|gather|find|fetch|grab|acquire|produce|catch|pick up|{_SMELTING}"
HOLDING = re.compile(rf"(?P<verb>{_HOLDING})(?: (?:me|us|yourself))? (?P<what>.+)")
_FILLED = (
    re.compile(r"fill(?: (?P<count>.+?))? buckets? (?:with|of|from) (?:the |some |a )?(?P<what>water|lava|milk)"),
    re.compile(r"(?P<what>milk) (?:an?|the) cow"),
)
_KINDS = re.compile("(?:different_)?kinds?(?:_of_(?:items?|things?))?|different_(?:items|things)")
_PLACE = re.compile(
    r"\b(go|walk|travel|come|run|return)( back)?( to)? "
    r"x?[ =:]*(-?\d{1,8})[, ]+y?[ =:]*(-?\d{1,4})[, ]+z?[ =:]*(-?\d{1,8})\b"
)
_GIVEN = re.compile(
    r"\b(give|bring|hand|deliver) (?!me |us )((?:(?! to ).)+ and (?:(?! to ).)+) to (me|us|(?:player )?\w{3,16})\b"
)
"""Several things for one player, who is named behind them."""
DOUBT = re.compile(r"\b(?:if|unless|or|not|never|without|instead|until|how|don't)\b")
"""Words with which a part of a sentence may mean the opposite of what it says alone."""
_WOODS = "oak spruce birch jungle acacia dark_oak mangrove cherry bamboo pale_oak crimson warped"
_COLOURS = "white orange magenta light_blue yellow lime pink gray light_gray cyan purple blue brown green red black"
_MATERIALS = "wooden stone iron golden diamond netherite leather chainmail copper"
WOODS, MATERIALS = tuple(_WOODS.split()), tuple(_MATERIALS.split())
SORTS = (*WOODS, *_COLOURS.split(), *MATERIALS)
"""The words by which things of the same use differ: wood, colour, and what tools and armor are made of."""
_PLAIN_SORTS = {"wood": "wooden", "gold": "golden", "grey": "gray", "light_grey": "light_gray", "chain": "chainmail"}
_SETS = {"armor": ("helmet", "chestplate", "leggings", "boots"), "tools": ("pickaxe", "axe", "shovel", "hoe")}
_GEAR = "|".join([*_SETS["armor"], *_SETS["tools"], "sword"])
_WOOD_OR_COLOUR = "|".join([*WOODS, *_COLOURS.split()])
KIND = re.compile(f"(?:{_WOOD_OR_COLOUR}|(?:{'|'.join(MATERIALS)})(?=_(?:{_GEAR})$))_(.+)")
"""Reads the kind of an item that there is in each wood, colour or material: "log" of "oak_log"."""
_FLOWERS = (
    "dandelion poppy blue_orchid allium azure_bluet .*_tulip oxeye_daisy cornflower lily_of_the_valley sunflower lilac "
    "rose_bush peony"
)
_SHAPES = "stairs slab wall fence fence_gate button pressure_plate door trapdoor sign"
VARIANT = re.compile(
    f"^(?:{'|'.join(_FLOWERS.split())})$|.*_(?=(?:{'|'.join(_SHAPES.split())})$)|(?<![a-z])(?:{_WOOD_OR_COLOUR})_"
)
"""What is left out of an item's name to get its family: the wood, the colour, what a shape such as stairs is made of,
and all of a flower's name."""
_PLURALS = (("s$", ""), ("es$", ""), ("ies$", "y"), ("ves$", "f"))
_SAME = {
    "wood": "log", "raw_iron": "iron_ore", "raw_gold": "gold_ore", "lapis_lazuli_ore": "lapis_ore",
    "cobble": "cobblestone", "workbench": "crafting_table", "work_bench": "crafting_table", "steak": "cooked_beef",
    "iron": "iron_ingot", "gold": "gold_ingot", "copper": "copper_ingot", "netherite": "netherite_ingot",
    "lapis": "lapis_lazuli", "redstone_dust": "redstone", "book_and_quill": "writable_book", "gate": "fence_gate",
    "water": "water_bucket", "lava": "lava_bucket", "milk": "milk_bucket",
}  # fmt: skip
"""What people, Voyager and other versions say, and the name that may be there instead."""
_CROPS = ["wheat", "carrot", "potato", "beetroot", "sugar_cane", "pumpkin", "melon", "melon_slice", "bamboo", "cactus"]
_SEEDS = {
    "wheat": "wheat_seeds", "seed": "wheat_seeds", "seeds": "wheat_seeds", "wheat_seed": "wheat_seeds",
    "beetroot": "beetroot_seeds", "beetroot_seed": "beetroot_seeds",
}  # fmt: skip
_SOWN = ("wheat_seeds", "beetroot_seeds", "carrot", "potato")
FIELD = 9
"""Plants of "a wheat farm"."""
TREE = 5
"""Logs of "chop down a tree"."""
_SEEN = {"tree": "#log", "water": "water", "lava": "lava"}
"""What is gone to and looked for and is no item of this name."""
_SIGHTS = {**_SEEN, "village": "villager"}
"""What is looked for. A village is where a villager is in sight."""
PLACES = ("home", "base", "camp", "start")
"""The names of places that are understood before anybody has named one. "start" is where the run began."""
_SET = re.compile(
    r"(?:(?:an?|the|my|one|all|some|full|complete|whole) )*(?:set of )?(?:(?:full|complete|whole) )?"
    rf"({'|'.join([*MATERIALS, 'wood', 'gold', 'chain'])}) (armou?r|tools)(?: set)?"
)
POLITE = (
    r"please|ok(?:ay)?|hey|hi|hello|so|well|now|just|first|next|finally|(?:can|could|would|will) (?:you|we)|"
    r"(?:i|we)(?:'d| would) like(?: you)?(?: to)?|(?:i|we) (?:want|need)(?: you)?(?: to)?|let's|let us|try to|"
    r"you should|(?:i|we)(?:'d| would) rather(?: have)?|(?:i|we)(?:'d| would)? prefer|the goal is(?: to)?"
)
"""What people say before what they want, and means nothing."""
_POLITE = re.compile(rf"(?:(?:{POLITE})\b[,:]? *)+")
_THANKS = re.compile(r"(?:[ ,]+(?:please|pl[sz]|thanks|thx|thank you|for (?:me|us)|right now|now|asap))+$")
_QUOTED = re.compile(
    r"\b(say|chat|write(?: in (?:the )?chat)?)[: ]+[\"'\u201c](.+?)[\"'\u201d](?=$|[\s,.;!?])", re.IGNORECASE
)
_MASK = 0xE000
"""How far the letters of a quoted text are moved, into those that have no meaning."""
_UNTIL = re.compile(r"(?P<do>.+?) (?:until|till) (?:you|we|i)(?: have|'ve)(?: got)? (?P<count>.+?)(?: of (?:them|it))?")
_UNTIL_SEEN = re.compile(
    r"(?:(?P<dig>dig|mine)|explore|search|look|walk|go|run|wander|travel)(?: around| on)? (?:until|till) (?:you|we|i) "
    r"(?:find|see|meet|spot|reach|come to|get to) (?P<what>.+)"
)
_ENDLESS = re.compile(
    r" ?(?:forever|(?:until|till) (?:(?:i|we) (?:say|tell|stop|want).*|told.*|stopped|further notice|the end))"
)
_SECONDS = {"s": 1, "sec": 1, "second": 1, "m": 60, "min": 60, "minute": 60, "h": 3600, "hr": 3600, "hour": 3600}
_SECONDS |= {"day": 1200, "night": 1200, "week": 8400}
_TIME = re.compile(rf"(?: ?for)? ?(?:about |at least |up to |another )?(.+?)[ -]?({'|'.join(_SECONDS)})s?(?: or so)?")
_ALL = re.compile(r"(?:all|every)(?: of)?(?: the| my| your| its| that)* (.+)|the (.+)")
_EVERYTHING = re.compile(
    r"(?:everything|all(?: of it)?|(?:all )?(?:the|my|your) (?:items|things|stuff|inventory))"
    r"(?: (?:else|you have|you carry))?"
)
_PRONOUN = re.compile(r"(?:it|them|those|these|this|that)(?: all)?|all of (?:it|them)")
_OWN = re.compile("(?:the|an?|my|your|our|this|that) (?:(?:last|new|newest|old|whole|small|big|little) )*")
_BUILT = re.compile(r"what (?:you|we)(?: have|'ve)?(?: just)? built|building|construction")
_BY_US = r"(?: (?:that )?(?:you|we)(?: have|'ve)?(?: just)? (?:built|made))"
_ALL_BUILT = re.compile(
    rf"(?:everything|all(?: of)?(?: the| my| your| our)* (?:buildings|constructions|({'|'.join(BUILDINGS)})s)){_BY_US}?"
    rf"|all{_BY_US}"
)
_SORT = (
    rf"(?:any )?({'|'.join(sorted((each.replace('_', ' ') for each in SORTS), key=len, reverse=True))}|wood|gold|grey)"
)
_FROM = re.compile(rf"(.+?) (?:using|with|from|out of|made (?:of|from)) (?:only )?{_SORT}(?: (?:wood|logs?|planks?))?")
_WITHOUT = re.compile(r"(.+?),? (?:without|but not|but no|not) (?:using |with |from |any )*(.+)")
_EGGLESS = {name: name for name in ("ender_dragon", "iron_golem", "snow_golem", "wither")} | {"dragon": "ender_dragon"}
"""Mobs that have no spawn egg in some version of the game."""
_PLAYER = re.compile(r"(?<![\w/])(?:player )?([A-Za-z0-9_]{3,16})(?![\w/])")


class Names(frozenset[str]):
    """The item names of a world, with what goals may say of them there.

    `smelts` is what a furnace makes of an item. `verbs` are the VERBS that the world can check. `places` and `players`
    are the names of places and players that the world knows.
    """

    smelts: Mapping[str, str] = MappingProxyType({})
    verbs: Collection[str] = ()
    places: Collection[str] = ()
    players: Collection[str] = ()

    @classmethod
    def of(cls, items: Iterable[str], smelts: Mapping[str, str] | None = None, verbs: Collection[str] = ()) -> Self:
        """Return the names. Names that are given as `items` are returned as they are."""
        if isinstance(items, cls):
            return items
        names = cls(items)
        names.smelts, names.verbs = smelts or {}, verbs
        return names

    def named(self, words: str, *, mob: bool = False) -> str:
        """Return the item, the kind of item (``#log``) or the mob that some words name. Return "" if there is none."""
        plain = words.removeprefix("any_").removeprefix("raw_")
        texts = [
            words,
            re.sub("^(wood|gold)_", lambda read: f"{_PLAIN_SORTS[read[1]]}_", words),
            plain,
            plain.removeprefix("wooden_").removeprefix("wood_"),
            re.sub("(.+)_of_(.+)", r"\2_\1", words),
        ]
        for text in dict.fromkeys(filter(None, texts)):
            for one in (text, *(re.sub(end, single, text) for end, single in _PLURALS)):
                if mob and (one in _EGGLESS or f"{one}_spawn_egg" in self):
                    return _EGGLESS.get(one, one)
                for name in () if mob else (one, _SAME.get(one, one)):
                    if name in self:
                        return name
                kind = _SAME.get(one, one)
                of_sorts = (f"{sort}_{kind}" for sort in ("oak", "white", "golden"))
                if not mob and any(each in self and KIND.fullmatch(each) for each in of_sorts):
                    return f"#{kind}"
        return ""

    def varied(self, thing: str, sort: str) -> str:
        """Return a thing in another wood, colour or material: "birch_door" for "#door". Return "" if there is none."""
        read = KIND.fullmatch(thing) or re.fullmatch(f"(?:{'|'.join(MATERIALS)})_(.+)", thing)
        end = thing[1:] if thing.startswith("#") else read[1] if read else ""
        return f"{sort}_{end}" if f"{sort}_{end}" in self else ""


class Asked(NamedTuple):
    """What a part of a sentence asks for: a verb of VERBS with a thing and how often, or "" for items to hold."""

    verb: str
    thing: str = ""
    times: int = 1
    who: str = ""


class Part(NamedTuple):
    """What was read of a part of a sentence. `lead` are its words before the things, which the next part may share."""

    asked: list[Asked]
    lead: str
    avoid: list[str]


def _shifted(text: str, by: int) -> str:
    """Move the letters of ASCII to others that no pattern of a sentence reads, or back."""
    low = max(0, -by)
    return "".join(chr(ord(each) + by) if low <= ord(each) < low + 128 else each for each in text)


def written(part: str) -> str:
    """Return a part with its quoted text as it was written."""
    return _shifted(part, -_MASK)


def phases_of(text: str) -> list[list[str]]:
    """Return the parts of a sentence, those before each "then" and after the last one together."""
    masked = _QUOTED.sub(lambda read: f'{read[1]} "{_shifted(read[2], _MASK)}"', text)
    plain = re.sub(r"\b(flint|book) and (steel|quill)\b", r"\1_and_\2", plain_words(masked))
    plain = _GIVEN.sub(r"\1 \3 \2", _PLACE.sub(r"go to \4_\5_\6", plain))
    if re.match(r"(?:say|chat)\b[^\"]*$", plain):
        return [[plain]]
    phases = re.split(r"\b(?:then|afterwards|after that)\b", plain)
    parts = [re.split(r"\s*(?:,|&|;|\+|\.(?= |$)|\b(?:and|plus)\b)\s*", phase.strip()) for phase in phases]
    return [[_THANKS.sub("", _without_polite(part)) for part in some if part] for some in parts]


def plain_words(text: str) -> str:
    """Return a sentence in small letters, without its end, and without what is only polite."""
    plain = re.sub(r"\s+", " ", text.strip().lower().replace("minecraft:", "").replace("\u2019", "'")).strip(".!?, ")
    plain = re.sub(r"(?<![\d,])(\d{1,3}),(\d{3})(?![\d,])", r"\1\2", plain)  # 1,000
    return _without_polite(re.sub(r"\bgo and\b", "", _THANKS.sub("", plain)).strip())


def _without_polite(part: str) -> str:
    read = _POLITE.match(part)
    return part[read.end() :] if read else part


def read_part(part: str, lead: str, names: Names, text: str = "") -> Part | None:
    """Read "2 oak planks" or "give me 3 bread". Return None if it asks for nothing that the world knows.

    `lead` are the words that go before a part without a verb. `text` is the whole sentence as it was written, which
    has the names of players in their own letters.
    """
    for words, before in ((part, ""), (f"{lead}{part}", lead)) if lead else ((part, ""),):
        words = _until(words, names)
        for verb, found in matches(words, names.verbs):
            asked, avoid = _asked(verb, found, names, text)
            if asked:
                return Part(asked, before or words[: _begin_of_things(found)], avoid)
        if read := _read_held(words, names):
            return read._replace(lead=before or read.lead)
    return None


def _begin_of_things(found: re.Match[str]) -> int:
    """Return where the things begin in a part, or its end if it names none."""
    at = [
        found.start(name)
        for name, words in found.groupdict().items()
        if words and name in ("what", "mobs", "crop", "seed")
    ]
    return at[0] if at else found.end()


@cache
def _patterns(verb: str) -> list[re.Pattern[str]]:
    return [re.compile(each.replace("{holding}", f"(?:{_HOLDING})")) for each in VERBS[verb].says]


def matches(part: str, verbs: Collection[str]) -> Iterator[tuple[str, re.Match[str]]]:
    """Yield each verb with which a part may begin, with what its pattern reads."""
    for verb in VERBS:
        for pattern in _patterns(verb) if verb in verbs else ():
            if found := pattern.fullmatch(part):
                yield verb, found


def _read_held(part: str, names: Names) -> Part | None:
    """Read what is to be held: "get 2 oak planks", "fill a bucket with water", "hold 9 kinds of item"."""
    for pattern in _FILLED:
        if read := pattern.fullmatch(part):
            number = count_and_name(f"{read.groupdict().get('count') or 'a'} of it")[0]
            thing = names.named(read["what"])
            return Part([Asked("", thing, number)], "", []) if thing and number > 0 else None
    read = HOLDING.fullmatch(part)
    if read is None:
        return None
    count, name = count_and_name(read["what"])
    lead = part[: read.start("what")]
    if count > 0 and "hold" in names.verbs and _KINDS.fullmatch(name):
        return Part([Asked("hold", "", count)], lead, [])
    things, avoid = _things(read["what"], names)
    asked = [Asked("", _smelted(thing, names) if read["verb"] in _SMELTING else thing, n) for thing, n in things]
    return Part(asked, lead, avoid) if asked and IT not in [each.thing for each in asked] else None


def _smelted(thing: str, names: Names) -> str:
    return thing if thing in names.smelts.values() else names.smelts.get(thing, thing)


def _asked(verb: str, found: re.Match[str], names: Names, text: str) -> tuple[list[Asked], list[str]]:
    """Return what a part asks for, by the groups of its pattern, and what it avoids. Unclear parts ask for nothing."""
    groups = {name: words for name, words in found.groupdict().items() if words is not None}
    alone = verb == "come" or (verb == "follow" and "mob" not in groups)
    who = _player(groups["who"], names, text) if "who" in groups else "me" if alone else ""
    if "who" in groups and not who:
        return [], []
    if "what" in groups:
        if verb == "eat" and re.fullmatch("something|anything|(?:some |any )?food", groups["what"]):
            return [Asked("eat")], []
        things, avoid = _things(groups["what"], names, every=verb in ("toss", "deposit", "give"))
        return [Asked(verb, thing, count, who) for thing, count in things], avoid
    if "time" in groups or verb in ("follow", "guard", "carry", "wait"):
        return _lasting(verb, groups, names, who), []
    number = number_of(groups["count"]) if "count" in groups else 1
    if number is None or not 0 < number < 1_000_000:
        return [], []
    for name, read in _READERS.items():
        if name in groups:
            return read(verb, groups[name], names, text), []
    thing = "catch" if verb == "fish" else ""
    return [Asked(verb, thing, 200 if verb == "explore" and "count" not in groups else int(number), who)], []


def _lasting(verb: str, groups: Mapping[str, str], names: Names, who: str) -> list[Asked]:
    """Read what lasts for a time: "follow me for 60 s", "food for a day"."""
    seconds = seconds_of(groups.get("time", ""))
    if verb == "carry":
        number = number_of(groups["count"]) if "count" in groups else (seconds or 0) / _SECONDS["day"] * FOOD_OF_A_DAY
        return [Asked(verb, "", int(number))] if number and number >= 1 else []
    thing = names.named(count_and_name(groups["mob"])[1], mob=True) if "mob" in groups else ""
    if seconds is None or ("mob" in groups and not thing) or (verb == "fish" and seconds == ENDLESS):
        return []
    return [Asked(verb, "seconds" if verb == "fish" else thing, seconds, who)]


def seconds_of(words: str) -> int | None:
    """Return the seconds of the game that some words mean, such as "for 5 minutes": a minute for none.

    Return None if they mean no time.
    """
    if not words.strip():
        return 60
    if _ENDLESS.fullmatch(words):
        return ENDLESS
    read = _TIME.fullmatch(words)
    number = number_of(read[1]) if read else None
    return int(number * _SECONDS[read[2]]) if read and number and 0 < number < 10_000 else None


def _read_mobs(verb: str, words: str, names: Names, text: str) -> list[Asked]:
    count, name = count_and_name(words)
    mob = names.named(name, mob=True)
    return [Asked(verb, mob, count)] if mob and count > 0 else []


def _read_crop(verb: str, words: str, names: Names, text: str) -> list[Asked]:
    count, name = count_and_name(words)
    crop = names.named(name)
    return [Asked(verb, crop, count)] if crop in _CROPS and count > 0 else []


def _read_seed(verb: str, words: str, names: Names, text: str) -> list[Asked]:
    field = re.fullmatch(r"(?:an? |the |some )?(?:field of )?(.+?)(?: (?:farm|field|patch))?", words)
    many = field is not None and re.search(r"\b(?:farm|field|patch)\b", words) is not None
    count, name = count_and_name(field[1] if field and many else words)
    plain = names.named(name)
    seed = _SEEDS.get(name, _SEEDS.get(plain, plain))
    return [Asked(verb, seed, FIELD if many else count)] if seed in _SOWN and seed in names and count > 0 else []


def _read_sapling(verb: str, words: str, names: Names, text: str) -> list[Asked]:
    count, name = count_and_name(re.sub(r"\btree(s?)$", r"sapling\1", words))
    thing = names.named(name)
    plant = re.search(
        "sapling|mushroom|flower|tulip|dandelion|poppy|bamboo|cactus|sugar_cane|orchid|allium|daisy", thing
    )
    return [Asked(verb, thing, count)] if plant and count > 0 else []


def _read_tree(verb: str, words: str, names: Names, text: str) -> list[Asked]:
    count, name = count_and_name(re.sub(r"\btree(s?)$", r"log\1", words))
    thing = names.named(name)
    return [Asked(verb, thing, TREE * count)] if thing and count > 0 else []


def _read_where(verb: str, words: str, names: Names, text: str) -> list[Asked]:
    """Read where to go: coordinates, a place with a name, a mob, or the nearest block of a kind."""
    place = re.sub("^(?:the|my|our|your) ", "", words).replace(" ", "_")
    if re.fullmatch(r"-?\d+_-?\d+_-?\d+", place):
        return [Asked(verb, place.replace("_", " "))]
    if (
        place in PLACES
        or place in names.places
        or re.search(rf"\b(?:as|to be|set) (?:\w+ )?{re.escape(place)}\b", text.lower())
    ):
        return [Asked(verb, place)]
    thing = _seen(words, names)
    return [Asked(verb, thing)] if thing and re.match("(?:an?|the|some) ", words) else []


def _read_seen(verb: str, words: str, names: Names, text: str) -> list[Asked]:
    name = count_and_name(words)[1]
    thing = names.named(name, mob=True) or _SIGHTS.get(name, "")
    return [Asked(verb, thing)] if thing else []


def _seen(words: str, names: Names) -> str:
    name = count_and_name(words)[1]
    return names.named(name, mob=True) or _SEEN.get(name) or names.named(name)


def _read_device(verb: str, words: str, names: Names, text: str) -> list[Asked]:
    thing = names.named("_".join(words.split()))
    return [Asked(verb, thing)] if thing else []


def _read_text(verb: str, words: str, names: Names, text: str) -> list[Asked]:
    plain = written(words)
    return [Asked(verb, (plain if plain != words else as_written(words, text))[:200])]


def _read_name(verb: str, words: str, names: Names, text: str) -> list[Asked]:
    return [Asked(verb, words.strip().replace(" ", "_"))]


def _read_building(verb: str, words: str, names: Names, text: str) -> list[Asked]:
    """Read which building is meant: its kind, or "" for the last one. The count of "everything" is ALL."""
    name = _OWN.sub("", words)
    if every := _ALL_BUILT.fullmatch(words):
        return [Asked(verb, BUILDINGS.get(every[1] or "", ""), ALL)]
    if _PRONOUN.fullmatch(words) or _BUILT.fullmatch(name):
        return [Asked(verb)]
    kind = BUILDINGS.get(name.split()[-1]) if name else None
    return [Asked(verb, kind)] if kind else []


_READERS = {
    "mobs": _read_mobs, "crop": _read_crop, "seed": _read_seed, "sapling": _read_sapling, "tree": _read_tree,
    "where": _read_where, "building": _read_building, "seen": _read_seen, "device": _read_device, "text": _read_text,
    "name": _read_name,
}  # fmt: skip
"""Reads the words of a group of a pattern, by the name of the group."""


def as_written(words: str, text: str) -> str:
    """Return some words in the letters in which the sentence has them."""
    read = re.search(r"\s+".join(map(re.escape, words.split())), text, re.IGNORECASE)
    return read[0] if read else words


def _player(words: str, names: Names, text: str) -> str:
    """Return the name of a player in its own letters, "me" for the person, or "" for a word that may be no player.

    A word is a player whom the world knows, or follows "player", or has a digit, a low line or, inside the sentence, a
    capital letter.
    """
    plain = words.split()[-1]
    if words in ("me", "us"):
        return "me"
    known = next((each for each in names.players if each.lower() == plain), "")
    if known or names.named(plain) or names.named(plain, mob=True):
        return known
    written = next((read for read in _PLAYER.finditer(text) if read[1].lower() == plain), None)
    if written is None:
        return ""
    shouts = text == text.upper()
    marked = re.search(r"[0-9_]", written[1]) or (written.start() and re.search("[A-Z]", written[1]) and not shouts)
    return written[1] if marked or words != plain else ""


def _until(part: str, names: Names) -> str:
    """Read "collect wood until you have a stack" as "get a stack wood", "walk until you see a pig" as "find a pig"."""
    if read := _UNTIL_SEEN.fullmatch(part):
        return f"{'get' if read['dig'] else 'find'} {read['what']}"
    read = _UNTIL.fullmatch(part)
    if read is None:
        return part
    if names.named(count_and_name(read["count"])[1]):
        return f"get {read['count']}"
    number, done = number_of(read["count"].removesuffix(" fish")), read_part(read["do"], "", names)
    if number is None or done is None or len(done.asked) != 1:
        return part
    ((verb, thing, _, _),) = done.asked
    if verb == "fish":
        return f"fish {int(number)} times"
    return f"get {int(number)} {thing.removeprefix('#')}" if verb in ("", "mine", "farm") else part


def without(part: str, names: Names) -> tuple[str, list[str]]:
    """Return the part without what it says of the wood or the items to use, and what a plan then avoids.

    "a door from birch" is a birch_door, "2 sticks from birch" avoids all other wood, "without coal" avoids coal.
    """
    avoid: list[str] = []
    if read := _WITHOUT.fullmatch(part):
        named = [sort_or_item(each, names) for each in re.split(r" or | nor ", read[2])]
        if all(named):
            part, avoid = read[1], named
    if (read := _FROM.fullmatch(part)) and (sort := sort_of(read[2])):
        count, name = count_and_name(read[1])
        if other := names.varied(names.named(name) or f"{sort}_{name}", sort):
            return f"{count} {other}", avoid
        if sort in WOODS:
            return read[1], [*avoid, *(each for each in WOODS if each != sort)]
    return part, avoid


def sort_of(words: str) -> str:
    """Return the wood, colour or material that some words name, or ""."""
    plain = re.sub(r"^(?:any|the|an?|some)_|_(?:wood|logs?|planks?|ones?)$", "", "_".join(words.lower().split()))
    plain = _PLAIN_SORTS.get(re.sub("^(?:an?|the)_", "", plain), plain)
    return plain if plain in SORTS else ""


def sort_or_item(words: str, names: Names) -> str:
    """Return the wood, the colour or the item that some words name, or ""."""
    sort = sort_of(words)
    name = names.named(count_and_name(words)[1])
    return sort if sort and sort not in MATERIALS else name if not name.startswith("#") else ""


def _things(words: str, names: Names, *, every: bool = False) -> tuple[list[tuple[str, int]], list[str]]:
    """Return the things that some words name, each with its count, and what a plan avoids. Unclear words name none.

    With `every`, "all the dirt", "the dirt" and "everything" are understood too: their count is ALL.
    """
    if _PRONOUN.fullmatch(words):
        return [(IT, 1)], []
    if every and (not words or _EVERYTHING.fullmatch(words)):
        return [("", ALL)], []
    words, avoid = without(words, names)
    if read := _SET.fullmatch(words):
        pieces = [f"{sort_of(read[1])}_{end}" for end in _SETS[read[2].replace("u", "")]]
        return [(each, 1) for each in pieces] if names.issuperset(pieces) else [], avoid
    whole = _ALL.fullmatch(words) if every else None
    count, name = (ALL, count_and_name(whole[1] or whole[2])[1]) if whole else count_and_name(words)
    thing = names.named(name)
    return [(thing, count)] if thing and (count > 0 or whole) else [], avoid


def count_and_name(part: str) -> tuple[int, str]:
    """Read "2 oak planks" as (2, "oak_planks"), "half a stack of logs" as (32, "logs")."""
    words = re.sub(r"\bitems? of (?:type )?", "", part).replace("(s)", "").split()
    number, rest = _leading_number(words)
    return int(number), "_".join(rest)


def number_of(words: str) -> float | None:
    """Return the number that some words are, such as "two" or "half an", or None if they say more."""
    number, rest = _leading_number([*words.split(), IT])
    return number if rest == [IT] else None


def _leading_number(words: list[str]) -> tuple[float, list[str]]:
    """Return the number with which some words begin, or 1, and the other words. The last word is no number."""
    count, before = 1.0, ""
    if words and re.fullmatch(r"[0-9]{1,6}x?", words[0]):
        count, words = int(words[0].rstrip("x")), words[1:]
    while len(words) > 1 and (words[0] in _NUMBERS or words[0] == "x"):
        word, *words = words
        number = _NUMBERS.get(word, 1)
        count = count + number if before in _TENS and number < 10 and word in UNITS else count * number
        before = word
    return count, words
