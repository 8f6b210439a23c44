"""Changes of the goals in a person's words, as the planner understands them: "make it 2", "use oak", "ladder instead".

Each change is made in the text of a goal, which is then read as any goal is (`wording.py`). So what a person sees is
what is pursued.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from autocraft.goals.goal import Goal, held
from autocraft.goals.wording import (
    MATERIALS,
    POLITE,
    SORTS,
    WOODS,
    Names,
    count_and_name,
    number_of,
    plain_words,
    seconds_of,
    sort_of,
    sort_or_item,
)

EXAMPLES = "'craft 1 ladder instead', 'make it 2', 'use oak', 'not birch', 'and a torch too' or 'forget the ladder'"
_IT = r"(?:it|that|this|them|those|these)"
_CUT = re.compile(r" *(?:[,;:.!]| - |\bbut\b|\band\b)+ *(?:and |but )?")
_ALL = r"(?: (?:in all|in total|altogether|instead|only))?"
_COUNT = re.compile(
    rf"(?:(?:make|do|get|craft|have|take)(?: {_IT})?(?: be)?(?: (?:only|just|exactly))? (?P<a>.+?)(?: of {_IT})?"
    rf"|(?P<b>.+?) of {_IT}|(?:only|just|exactly) (?P<c>.+?)){_ALL}"
)
_MORE = re.compile(
    r"(?:(?:make|get|craft|add|do|have|(?:give|bring)(?: me)?) )?(?P<count>.+) (?P<way>more|less|fewer)"
    r"(?: of (?:it|them|those))?"
)
_TWICE = re.compile(
    rf"(?:make |get |craft )?(?:twice|double)(?: {_IT}| (?:as|so) (?:many|much)| the (?:count|amount))?"
)
_HALF = re.compile(rf"(?:make |get |craft )?half(?: (?:of )?{_IT}| (?:as|so) (?:many|much)| the (?:count|amount))?")
_ADD = (
    re.compile(r"(?:and|also|plus|as well as|in addition)(?: also)?,? (?P<what>.+?)(?:,? (?:too|as well|also))?"),
    re.compile(r"(?P<what>.+?),? (?:too|as well|also)"),
)
_DROP = re.compile(
    r"(?:forget|skip|drop|leave out|leave|cancel|never mind)(?: about)? (?:the |that |an? )?(?P<what>.+)"
)
_NOT = re.compile(
    r"(?:but )?(?:not|no|without|never|avoid|anything but|(?:do not|don't|never) (?:use|take|waste|touch))"
    r"(?: (?:use|from|with|of|any|more|the|my|in))* (?P<what>.+)"
)
_USE = re.compile(
    rf"(?:(?:use|take|with|from|out of|of|in|make {_IT}(?: (?:of|from|out of|in|with))?|make)"
    r"(?: (?:only|just|the|some|any))* |only )?(?P<what>.+?)(?: instead)?"
)
_INSTEAD = re.compile(
    r"(?:instead,? (?:of (?:it|that|this),? )?)?(?P<what>.+?)(?:,? instead(?: of (?:it|that|this))?)?"
)
_FIRST = re.compile(
    rf"(?:(?:{POLITE}|stop(?: it| that)?(?:[ ,.;!]+(?:and|then))*|no|nope|nah|yes|hmm?|"
    r"wait|actually|rather|better|sorry|oh|i mean|i meant|i said|"
    r"(?:what|how) about|change (?:it|that|the goal) to)[ ,:.;!]+)+"
)
LASTING = ("follow", "guard", "wait")
"""The verbs of deeds whose count is in seconds."""


def revise(
    text: str, goals: Sequence[Goal], items: frozenset[str], *, same_sentence: bool = False
) -> tuple[Goal, ...] | None:
    """Return the goals as a person's words change them, or None if the words are not understood.

    In the same sentence as the goals, another goal takes their place only after a word such as "no", or with "instead".
    """
    names = Names.of(items)
    words = plain_words(re.sub(r"^\W*just\b", "only", text.lower()))
    first = _FIRST.match(words)
    if first and not re.match(r"no \w", words):  # "no birch"
        words = plain_words(words[first.end() :])
        words = f"only {words}" if _number(words) else words
    replaced = () if same_sentence and not first and "instead" not in words else (_replaced,)
    for read in (_counted, _added, _dropped, _avoided, _varied, *replaced):
        texts = read(words, goals, names)
        if texts is not None:
            new = tuple(Goal.parse(each, names) for each in texts)
            return new if new and all(goal.checkable for goal in new) else None
    return None


def read_goal(text: str, items: frozenset[str]) -> Goal:
    """Read a goal that may change itself: "craft a door, not birch", "craft 1 ladder, make it 2", "ladder instead"."""
    goal = Goal.parse(text, items)
    if goal.checkable:
        return goal
    for cut in [*reversed(list(_CUT.finditer(text))), None]:
        before = [Goal.parse(text[: cut.start()], items)] if cut else []
        if all(each.checkable for each in before):
            new = revise(text[cut.end() :] if cut else text, before, items, same_sentence=bool(cut))
            return new[0] if new and len(new) == 1 else goal
    return goal


def spoken_by(goal: Goal, player: str) -> Goal:
    """Return the goal with the name of the player who said it in place of "me"."""
    if not any(deed.who == "me" for deed in goal.deeds):
        return goal
    deeds = tuple(replace(deed, who=player) if deed.who == "me" else deed for deed in goal.deeds)
    meant = replace(goal, deeds=deeds)
    return replace(meant, text=said(meant))


def _texts(goals: Sequence[Goal]) -> list[str]:
    return [goal.text for goal in goals]


def said(goal: Goal) -> str:
    """Return the text of a goal whose things were changed."""
    items = [f"{count} {item.removeprefix('#')}" for item, count in goal.items]
    deeds = [deed.text for deed in goal.deeds]
    return ", ".join([*([f"get {' and '.join(items)}"] if items else []), *deeds]) + f" {goal.materials}".rstrip()


def _counted(words: str, goals: Sequence[Goal], names: Names) -> list[str] | None:
    """Read another count, for a goal of one thing."""
    if len(goals) != 1 or len(goals[0].items) + len(goals[0].deeds) != 1 or goals[0].words:
        return None
    goal = goals[0]
    now = goal.items[0][1] if goal.items else goal.deeds[0].count
    lasts = bool(goal.deeds) and goal.deeds[0].verb in LASTING
    count = _new_count(words, now, lasts=lasts)
    if count is None or not 0 < count < 1_000_000:
        return None
    if goal.items:
        new = Goal("", ((goal.items[0][0], count),), avoid=goal.avoid)
    else:
        new = Goal("", deeds=(replace(goal.deeds[0], count=count),), avoid=goal.avoid)
    return [said(new)]


def _new_count(words: str, now: int, *, lasts: bool) -> int | None:
    if _TWICE.fullmatch(words):
        return 2 * now
    if _HALF.fullmatch(words):
        return now // 2
    if words in ("another", "another one", "one more"):
        return now + 1
    if (read := _MORE.fullmatch(words)) and (count := _number(read["count"])):
        return now + count if read["way"] == "more" else now - count
    read = _COUNT.fullmatch(words)
    number = (read["a"] or read["b"] or read["c"]) if read else words
    return _number(number) if read and not lasts else seconds_of(number) if lasts and number.strip() else None


def _number(words: str) -> int | None:
    found = number_of(words)
    return None if found is None else int(found)


def _added(words: str, goals: Sequence[Goal], names: Names) -> list[str] | None:
    for pattern in _ADD:
        read = pattern.fullmatch(words)
        if read and Goal.parse(read["what"], names).checkable:
            return [*_texts(goals), read["what"]]
    return None


def _dropped(words: str, goals: Sequence[Goal], names: Names) -> list[str] | None:
    """Read that one of several things is not wanted any more."""
    read = _DROP.fullmatch(words) or _NOT.fullmatch(words)
    thing = read and names.named(count_and_name(read["what"])[1])
    if not thing:
        return None
    rest = []
    for goal in goals:
        items = tuple(pair for pair in goal.items if not (held(thing, {pair[0]: 1}) or held(pair[0], {thing: 1})))
        deeds = tuple(deed for deed in goal.deeds if deed.thing.removeprefix("#") != thing.removeprefix("#"))
        if (items, deeds) == (goal.items, goal.deeds):
            rest.append(goal.text)
        elif items or deeds:
            rest.append(said(Goal("", items, deeds=deeds, avoid=goal.avoid)))
    return rest if rest and rest != _texts(goals) else None


def _avoided(words: str, goals: Sequence[Goal], names: Names) -> list[str] | None:
    """Read what may not be used: a wood or an item that is not wanted itself."""
    read = _NOT.fullmatch(words)
    thing = read and sort_or_item(read["what"], names)
    if not thing or any(item.startswith(f"{thing}_") for goal in goals for item, _ in goal.items if thing in MATERIALS):
        return None
    return [said(_without(goal, thing)) for goal in goals]


def _without(goal: Goal, sort: str) -> Goal:
    """Return the goal with things of any other wood or colour in place of this one."""
    of_sort = sort in SORTS and sort not in MATERIALS
    items = tuple((re.sub(f"^{sort}_", "#", item) if of_sort else item, count) for item, count in goal.items)
    return Goal("", items, deeds=goal.deeds, avoid=(*goal.avoid, sort))


def _varied(words: str, goals: Sequence[Goal], names: Names) -> list[str] | None:
    """Read another wood, colour or material, or the wood to use."""
    read = _USE.fullmatch(words)
    sort = sort_of(read["what"]) if read else ""
    if not sort:
        return None
    texts = list(_each_varied(goals, sort, names))
    return texts if all(texts) else None


def _each_varied(goals: Sequence[Goal], sort: str, names: Names) -> Iterator[str]:
    for goal in goals:
        items = tuple((names.varied(item, sort), count) for item, count in goal.items)
        if items and all(item for item, _ in items):
            yield said(Goal("", items, deeds=goal.deeds, avoid=goal.avoid))
        else:
            yield f"{said(Goal('', goal.items, deeds=goal.deeds))} using {sort}" if sort in WOODS else ""


def _replaced(words: str, goals: Sequence[Goal], names: Names) -> list[str] | None:
    """Read another goal in place of all."""
    read = _INSTEAD.fullmatch(words)
    deeds = {deed.verb for goal in goals for deed in goal.deeds}
    texts = [read["what"], *(f"{verb} {read['what']}" for verb in deeds)] if read else []
    return next(([text] for text in texts if Goal.parse(text, names).checkable), None)
