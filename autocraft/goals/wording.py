"""How a sentence about a goal is read: verbs, counts, and the names that people give to things.

It knows no goals, only words: `goal.py` makes goals of what is read here, and `revisions.py` reads changes of goals.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple, Self

from autocraft.text.phrases import join_words, near_ending, some_of

DEEDS = ("mine", "kill", "place", "eat", "equip", "go", "sleep", "hold", "build")
"""The verbs of what is done, beside those of what is had."""
OTHER_WORLD = "add --world minecraft, or "
_UNITS = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
_TENS = {"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90}
_NUMBERS = {word: n for n, word in enumerate(_UNITS.split(), 1)} | _TENS | {"hundred": 100, "dozen": 12, "half": 0.5}
_NUMBERS |= {"few": 3, "several": 3, "couple": 2, "pair": 2, "stack": 64, "stacks": 64}
_NUMBERS |= dict.fromkeys(("a", "an", "some", "the", "any", "of"), 1)
_SMELTING = r"smelt|cook|bake"
_HOLDING = rf"craft|get|make|obtain|have|hold|collect|gather|find|fetch|grab|acquire|produce|pick up|{_SMELTING}"
_KINDS = re.compile("(?:different_)?kinds?(?:_of_(?:items?|things?))?|different_(?:items|things)")
_DOING = {
    "mine": "mine|dig up|dig|chop down|chop|cut|harvest",
    "kill": "kill|hunt|slay|defeat", "place": "place|put down", "eat": "eat",
    "equip": "equip|wear|put on", "go": "go to|walk to|travel to", "sleep": "go to sleep|sleep in|sleep",
}  # fmt: skip
_VERB_OF = {word: verb for verb, words in _DOING.items() for word in words.split("|")}
_PLACE = re.compile(r"\b(go|walk|travel)( to)? x?[ =:]*(-?\d{1,8})[, ]+y?[ =:]*(-?\d{1,4})[, ]+z?[ =:]*(-?\d{1,8})\b")
DOUBT = re.compile(r"\b(?:if|unless|or|not|never|without|instead|until|how|don't)\b")
"""Words with which a part of a sentence may mean the opposite of what it says alone."""
_WOODS = "oak spruce birch jungle acacia dark_oak mangrove cherry bamboo pale_oak crimson warped"
_COLOURS = "white orange magenta light_blue yellow lime pink gray light_gray cyan purple blue brown green red black"
_MATERIALS = "wooden stone iron golden diamond netherite leather chainmail copper"
WOODS, MATERIALS = tuple(_WOODS.split()), tuple(_MATERIALS.split())
SORTS = (*WOODS, *_COLOURS.split(), *MATERIALS)
"""The words by which things of the same use differ: wood, colour, and what tools and armor are made of."""
_PLAIN_SORTS = {"wood": "wooden", "gold": "golden", "grey": "gray", "light_grey": "light_gray", "chain": "chainmail"}
KIND = re.compile(f"(?:{'|'.join([*WOODS, *_COLOURS.split()])})_(.+)")
"""Reads the kind of an item that there is in each wood or colour: "log" of "oak_log"."""
_PLURALS = (("s$", ""), ("es$", ""), ("ies$", "y"), ("ves$", "f"))
_SAME = {
    "wood": "log", "raw_iron": "iron_ore", "raw_gold": "gold_ore", "lapis_lazuli_ore": "lapis_ore",
    "cobble": "cobblestone", "workbench": "crafting_table", "work_bench": "crafting_table", "steak": "cooked_beef",
    "iron": "iron_ingot", "gold": "gold_ingot", "copper": "copper_ingot", "netherite": "netherite_ingot",
    "lapis": "lapis_lazuli", "redstone_dust": "redstone", "book_and_quill": "writable_book",
}  # fmt: skip
"""What people, Voyager and other versions say, and the name that may be there instead."""
_SETS = {"armor": ("helmet", "chestplate", "leggings", "boots"), "tools": ("pickaxe", "axe", "shovel", "hoe")}
_SET = re.compile(
    r"(?:(?:an?|the|my|one|all|some|full|complete|whole) )*(?:set of )?(?:(?:full|complete|whole) )?"
    rf"({'|'.join([*MATERIALS, 'wood', 'gold', 'chain'])}) (armou?r|tools)(?: set)?"
)
_POLITE = re.compile(
    r"(?:(?:please|ok(?:ay)?|hey|hi|hello|so|well|now|just|first|next|finally|(?:can|could|would|will) (?:you|we)|"
    r"(?:i|we)(?:'d| would) like(?: you)?(?: to)?|(?:i|we) (?:want|need)(?: you)?(?: to)?|let's|let us|try to|"
    r"you should|the goal is(?: to)?)\b[,:]? *)+"
)
_THANKS = re.compile(r"(?:[ ,]+(?:please|thanks|thank you|for (?:me|us)|right now|now))+$")
_UNTIL = re.compile(r"(?P<do>.+?) until (?:you|we|i) have (?P<count>.+?)(?: of (?:them|it))?")
_SORT = (
    rf"(?:any )?({'|'.join(sorted((each.replace('_', ' ') for each in SORTS), key=len, reverse=True))}|wood|gold|grey)"
)
_FROM = re.compile(rf"(.+?) (?:using|with|from|out of|made (?:of|from)) (?:only )?{_SORT}(?: (?:wood|logs?|planks?))?")
_WITHOUT = re.compile(r"(.+?),? (?:without|but not|but no|not) (?:using |with |from |any )*(.+)")


class Names(frozenset[str]):
    """The item names of a world, with what goals may say of them there.

    `smelts` is what a furnace makes of an item. `verbs` are the DEEDS that the world can check.
    """

    smelts: Mapping[str, str] = MappingProxyType({})
    verbs: Collection[str] = ()

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
                if mob and f"{one}_spawn_egg" in self:
                    return one
                for name in () if mob else (one, _SAME.get(one, one)):
                    if name in self:
                        return name
                kind = _SAME.get(one, one)
                if not mob and (f"oak_{kind}" in self or f"white_{kind}" in self):
                    return f"#{kind}"
        return ""

    def varied(self, thing: str, sort: str) -> str:
        """Return a thing in another wood, colour or material: "birch_door" for "#door". Return "" if there is none."""
        read = KIND.fullmatch(thing) or re.fullmatch(f"(?:{'|'.join(MATERIALS)})_(.+)", thing)
        end = thing[1:] if thing.startswith("#") else read[1] if read else ""
        return f"{sort}_{end}" if f"{sort}_{end}" in self else ""


class Asked(NamedTuple):
    """What a part of a sentence asks for: a verb of DEEDS with a thing and how often, or "" for items to hold."""

    verb: str
    thing: str
    times: int = 1


def fault_of(text: str, item_names: Collection[str]) -> tuple[str, str]:
    """Return why a goal is not understood: a word that is no item, or its form. Return what to do about it, or ""."""
    names, goal, why = Names.of(item_names), f"the goal {text[:80]!r}", ""
    parts = parts_of(text, names)
    for part, verb in parts if parts and parts[0][1] else ():
        count, name = count_and_name(part)
        deed = _VERB_OF.get(verb, "")
        kinds = "hold" not in names.verbs and _KINDS.fullmatch(name)
        if kinds or (deed and deed not in names.verbs):
            what = "kinds of item" if kinds else verb
            return f"the crafting world has no {what!r}, as in {goal}", OTHER_WORLD
        if deed == "go" or not name or (count > 0 and names.named(name, mob=deed == "kill")):
            continue
        if count <= 0 or not name[0].isalpha() or re.fullmatch(r"[a-z_]+_\d+", name):
            why = why or ", since a count must be a whole number from 1 to 999999, before the name"
        elif re.fullmatch("[a-z_]{1,40}", name):
            ends = sorted(each for each in names if each.endswith((f"_{name}", f"_{name.removesuffix('s')}")))
            hint = f"did you mean {some_of(ends, 6)}? " if ends and deed != "kill" else near_ending(name, names)
            return f"there is no {'mob' if deed == 'kill' else 'item'} {name!r} for {goal}", hint
    if parts and not parts[0][1]:
        why = f", since a goal begins with {join_words(('craft', 'get', 'make', 'smelt', *names.verbs), 'or')}"
    return f"the built-in planner does not understand {goal}{why}", near_ending(text, names)


def parts_of(text: str, names: Names) -> list[tuple[str, str]]:
    """Return what stands between commas and "and": each part without its verb, and that verb or ""."""
    plain = _PLACE.sub(
        r"go to \3_\4_\5", re.sub(r"\b(flint|book) and (steel|quill)\b", r"\1_and_\2", plain_words(text))
    )
    parts = re.split(r"\s*(?:,|&|;|\+|\b(?:and|then|plus)\b)\s*", plain)
    return [_verb(_until(_THANKS.sub("", _without_polite(part)), names)) for part in parts if part]


def plain_words(text: str) -> str:
    """Return a sentence in small letters, without its end, and without what is only polite."""
    plain = re.sub(r"\s+", " ", text.strip().lower().replace("minecraft:", "").replace("\u2019", "'")).strip(".!?, ")
    return _without_polite(re.sub(r"\bgo and\b", "", _THANKS.sub("", plain)).strip())


def _without_polite(part: str) -> str:
    read = _POLITE.match(part)
    return part[read.end() :] if read else part


def _verb(part: str) -> tuple[str, str]:
    words = "|".join([_HOLDING, *sorted(_VERB_OF, key=len, reverse=True)])
    read = re.fullmatch(rf"(?P<verb>{words})(?: (?:me|us|yourself))?(?: (?P<rest>.+))?", part)
    return (read["rest"] or "", read["verb"]) if read else (part, "")


def _until(part: str, names: Names) -> str:
    """Read "collect wood until you have a stack" as "get a stack wood"."""
    read = _UNTIL.fullmatch(part)
    if read is None:
        return part
    thing, verb = _verb(read["do"])
    count = count_and_name(f"{read['count']} of")[0]
    whole = f"get {read['count']}" if names.named(count_and_name(read["count"])[1]) else f"get {count} {thing}"
    return whole if verb else part


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
        if other := names.varied(names.named(name), sort):
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


def read_part(part: str, verb: str, names: Names) -> list[Asked]:
    """Read "2 oak planks", and with a verb of DEEDS what is to be done. Return [] if it names nothing."""
    if not verb:
        return []
    deed = _VERB_OF.get(verb, "")
    if deed and deed not in names.verbs:
        return []
    if deed == "go":
        return [Asked("go", part.replace("_", " "))] if re.fullmatch(r"-?\d+_-?\d+_-?\d+", part) else []
    if deed == "sleep":
        return [Asked("sleep", "")] if re.fullmatch(r"(?:(?:in )?(?:a|the|my) )?(?:bed)?", part) else []
    if deed == "eat" and part in ("", "something", "food", "some food", "anything"):
        return [Asked("eat", "")]
    count, name = count_and_name(part)
    if not deed and count > 0 and "hold" in names.verbs and _KINDS.fullmatch(name):
        return [Asked("hold", "", count)]
    if (read := _SET.fullmatch(part)) and deed in ("", "equip"):
        pieces = [f"{sort_of(read[1])}_{end}" for end in _SETS[read[2].replace("u", "")]]
        return [Asked(deed, each) for each in pieces] if names.issuperset(pieces) else []
    thing = names.named(name, mob=deed == "kill")
    if not thing or count <= 0:
        return []
    if verb in _SMELTING.split("|") and thing not in names.smelts.values():
        thing = names.smelts.get(thing, thing)
    return [Asked(deed, thing, count)]


def count_and_name(part: str) -> tuple[int, str]:
    """Read "2 oak planks" as (2, "oak_planks"), "half a stack of logs" as (32, "logs")."""
    words = re.sub(r"\bitems? of (?:type )?", "", part).replace("(s)", "").split()
    count, before = 1.0, ""
    if words and re.fullmatch(r"[0-9]{1,6}x?", words[0]):
        count = int(words.pop(0).rstrip("x"))
    while len(words) > 1 and (words[0] in _NUMBERS or words[0] == "x"):
        word = words.pop(0)
        number = _NUMBERS.get(word, 1)
        count = count + number if before in _TENS and number < 10 and word in _UNITS else count * number
        before = word
    return int(count), "_".join(words)
