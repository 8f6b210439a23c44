"""The names that a skill may have. Each is safe as a JavaScript function and as a folder on every system."""

from __future__ import annotations

import re

from autocraft.errors import CommandError
from autocraft.skills.known import known_names

_SHAPE = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]{0,63}")
_WORDS_OF_JAVASCRIPT = (
    "abstract arguments async await boolean bot break byte case catch char class const constructor continue debugger"
    " default delete do double else enum eval export extends false final finally float for function globalThis goto"
    " hasOwnProperty if implements import in instanceof int interface let long native new null of package private"
    " protected prototype public return short static super switch synchronized this throw throws toString transient"
    " true try typeof valueOf var void volatile while with yield __proto__"
)
_RESERVED = frozenset(_WORDS_OF_JAVASCRIPT.split())
_DEVICES = {"con", "prn", "aux", "nul", "conin$", "conout$", "clock$"}
_DEVICES |= {f"{port}{n}" for port in ("com", "lpt") for n in range(10)}
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


def problem_with(name: str) -> str:
    """Return why no skill may have this name. Return '' for a good name."""
    if not _SHAPE.fullmatch(name):
        return "is not a plain name: use a letter, then letters, digits, _ or $, 64 characters at most"
    if name in _RESERVED or name.casefold() in _DEVICES:
        return "is a word that JavaScript or a file system reserves: choose another"
    if name in known_names().in_scope:
        return "has another meaning in programs already: choose another"
    return ""


def check_name(name: str) -> str:
    """Return `name`. Raises CommandError if no skill may have it."""
    problem = problem_with(name)
    if problem:
        raise CommandError(f"{name[:80]!r} {problem}")
    return name


def words_of(name: str) -> str:
    """Return the words of a name: ``craft oak planks`` for ``craftOakPlanks`` and ``craft_oak_planks``."""
    return " ".join(word.lower() for word in _WORD.findall(name))
