"""Says why a goal is not understood, and which goals come nearest to it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from autocraft.building.wishes import unknown_words
from autocraft.errors import UsageError
from autocraft.goals.goal import Goal
from autocraft.goals.verbs import HELD, INSTEAD, VERBS
from autocraft.goals.wording import HOLDING, OTHER_WORLD, Names, count_and_name, matches, read_part, written
from autocraft.text.phrases import join_words, near_ending, some_of


def check_goals(goals: Iterable[Goal], item_names: Collection[str], *, asks_model: bool) -> None:
    """Raise UsageError for a goal that names nothing the world can check, if no model can be asked to pursue it."""
    for goal in goals:
        if not goal.checkable and not asks_model:
            why, hint = fault_of(goal.text, item_names)
            way = "say it like 'craft 2 stick', or set OPENAI_API_KEY or OPENAI_BASE_URL to use a model"
            raise UsageError(f"{why}: {hint}{way}")


def fault_of(text: str, item_names: Collection[str]) -> tuple[str, str]:
    """Return why a goal is not understood, and what to do about it, or "" if nothing is known."""
    names, goal, why = Names.of(item_names), f"the goal {text[:80]!r}", ""
    _, parts, begun = Goal.read(text, names)
    unread = ", ".join(map(written, parts)) if begun else ""
    everywhere = Names.of(frozenset(names), names.smelts, VERBS)
    for part in parts:
        if unread == part and read_part(said := f"get {part}", "", names, text):
            return f"the built-in planner does not understand {part!r} in {goal}", f"leave it out, say {said!r}, or "
        if "build" in names.verbs and (unknown := unknown_words(part)):
            return f"the built-in planner does not understand {unknown!r} in {goal}", "leave it out, or "
        held = HOLDING.fullmatch(part) or (HOLDING.fullmatch(f"get {part}") if begun and part[0].isdigit() else None)
        begun = begun or bool(held)
        if read_part(part, "get ", names, text):
            begun = True
            continue
        if not names.verbs and (read := read_part(part, "", everywhere, text)):
            word = "kinds of item" if read.asked[0].verb == "hold" else part.split()[0]
            return f"the crafting world has no {word!r}, as in {goal}", OTHER_WORLD
        about = [("", held)] if held else [(verb, read) for verb, read in matches(part, VERBS)]
        for verb, found in about:
            groups = found.groupdict()
            what = groups.get("what") or groups.get("mobs") or groups.get("mob") or ""
            begun, (count, name) = True, count_and_name(what)
            if what and (count <= 0 or not name or not name[0].isalpha() or re.fullmatch(r"[a-z_]+_\d+", name)):
                why = why or ", since a count must be a whole number from 1 to 999999, before the name"
            elif (
                "until" not in part.split()
                and re.fullmatch("[a-z_]{1,40}", name)
                and not names.named(name, mob=verb in ("kill", "shoot", "follow"))
            ):
                ends = sorted(each for each in names if each.endswith((f"_{name}", f"_{name.removesuffix('s')}")))
                sort = {"kill": "mob", "shoot": "mob", "follow": "mob or player"}.get(verb, "item")
                hint = f"did you mean {some_of(ends, 6)}? " if ends and sort == "item" else near_ending(name, names)
                return f"there is no {sort} {name!r} for {goal}", hint
    why = why or _nearest(unread or text, names, begun=begun)
    what = f"{unread!r} in {goal}" if unread else goal
    hint = near_ending(unread or text, names) or ("leave it out, or " if unread else "")
    return f"the built-in planner does not understand {what}{why}", hint


def _nearest(text: str, names: Names, *, begun: bool) -> str:
    """Return the end of a sentence that names the goals whose meaning comes nearest to a text."""
    known = [VERBS[verb] for verb in VERBS if verb in names.verbs]
    words = _stems(text.lower())
    for wish, instead in INSTEAD.items() if known else ():
        if words & _stems(wish):
            return (
                f", since no command does that; what can be done is {join_words([repr(one) for one in instead], 'or')}"
            )
    if known and "until" in words:
        return ", but goals such as 'collect wood until you have 64' or 'explore until you find a cow'"
    shared = [
        (len(words & _stems(f"{verb.topics} {verb.example.split()[0]}")), verb.example)
        for verb in known and [HELD, *known]
    ]
    if best := [example for often, example in sorted(shared, key=lambda each: -each[0]) if often]:
        return f", and what comes nearest is {join_words([repr(example) for example in best[:2]], 'or')}"
    if known and not begun:
        some = ("mine", "kill", "follow", "give", "go", "explore")
        return f", but goals such as {join_words([repr(VERBS[verb].example) for verb in some], 'or')}"
    return "" if begun else ", since a goal begins with craft, get, make or smelt"


def _stems(text: str) -> set[str]:
    return {re.sub("(?:ing|ed|es|s|e)$", "", word) for word in re.findall("[a-z]{3,}", text)}
