"""Chooses the command of an answer: the only candidate, if no words and no brackets around it speak against it."""

from __future__ import annotations

import re

from autocraft.json_fix import layout, lexicon, objections, shape, words
from autocraft.json_fix.heuristic import Objects
from autocraft.json_fix.places import Candidate, Layout
from autocraft.json_fix.reply import Registry, unreadable

_UNCLOSED = re.compile(r"(?<![\"'“])[{\[]\s*[\"'“][^{}]*+\Z")
_MORE = re.compile(rf"[{lexicon.COMMAS}]\s*(?:\{{|{lexicon.key_ahead('any').pattern})")
_STRAY = re.compile(r"[\"'“”]command[\"'“”]\s*[:：]")
_CLOSING = ('"', "'", "”", "’", "»", "」", ")", "\\", "](")
"""Signs right after an object that close a quote or bracket around it."""
_CODE_AFTER = re.compile(r"[ \t]*(?:\.[a-z_]|\[[\"'a-z\d]|[=!]=|&&|\|\|?\w|[+%/] ?[\w(]|;\w|,[ \t]*[\d\"'])")
_CODE_BEFORE = re.compile(
    r"[ \t]*(?:!|(?:return|yield|throw|raise|assert|await|echo|new|lambda|select|SELECT|rem|REM|public static)[ \t:]*)"
)
_HEADER = re.compile(
    r"(?:\A|\n)[ \t>/#*$]*(?:(?:action|tool|function)[ \t*]*:[ \t]*(?P<called>\w[\w.]*)|(?P<name>[a-z]\w*_\w+)[ \t]*:?)"
    r"[ \t]*\n?[ \t]*(?:```\w*\s*)?\Z|\bto=functions\.[\w.]+[^\n]{0,40}\Z"
    r"|<(?:command|action)>\s*(?P<tagged>\w+)\s*</(?:command|action)>\s*\Z",
    re.IGNORECASE,
)
"""The name of a call, after which its arguments follow."""
_THOUGHT = re.compile(r"^[ \t*]*Thought[ \t*]*:[ \t*]*\S[^\n]*\n(?:.*\n)?\s*\Z", re.MULTILINE | re.DOTALL)
_ACTION = re.compile(r"[ \t*_]*(?:action|tool)\b", re.IGNORECASE)
_PIECES = 40
"""Most stretches of words before or after an object that are examined."""
_KEY = re.compile(rf"[{lexicon.COMMAS}]\s*{lexicon.key_ahead('any').pattern}")


def choose(objects: Objects, registry: Registry | None) -> tuple[shape.Found, tuple[str, ...], tuple[int, int]]:
    """Return the command of the answer, flags, and the span of its text. Raises UnreadableReply."""
    seen = layout.scan(objects, registry)
    if not seen.candidates:
        if seen.foreign:
            raise unreadable("foreign", *seen.flags)
        raise seen.errors[0] if seen.errors else unreadable("truncated" if seen.cut else "no command", *seen.flags)
    chosen = _choose(seen, registry)
    if seen.foreign and not chosen.command.thoughts:
        raise unreadable("two commands", *seen.flags)
    text = objects.text
    for candidate in seen.candidates:
        if candidate.command.same(chosen.command):
            _check_words(text, seen, candidate)
    _check_code(text, seen, chosen)
    _check_brackets(text, chosen)
    _check_stray(text, seen, chosen)
    return chosen.command, (*seen.flags, *chosen.flags), (chosen.start, chosen.end)


def _choose(seen: Layout, registry: Registry | None) -> Candidate:
    """Return the only candidate. Raises UnreadableReply if two of them differ.

    If an object holds `command`, only such objects count. Otherwise, if the registry has some of the names, only those
    count.
    """
    candidates = seen.candidates
    if any(candidate.kind == "object" and not candidate.command.bare for candidate in candidates):
        candidates = [candidate for candidate in candidates if not candidate.command.bare]
    elif registry is not None and len(candidates) > 1:
        known = [candidate for candidate in candidates if registry.accepts(candidate.command.name) is not None]
        candidates = known or candidates
    chosen = candidates[-1]
    if any(not candidate.command.same(chosen.command) for candidate in candidates):
        raise unreadable("two commands", *seen.flags)
    return chosen


def _check_words(text: str, seen: Layout, candidate: Candidate) -> None:
    """Raise UnreadableReply if the words around a candidate forbid it."""
    before = [(a, b) for a, b in seen.words if b <= candidate.start]
    after = [(a, b) for a, b in seen.words if a >= candidate.end]
    near, then = _near(text, seen, before, candidate), _joined(text, after)
    if len(after) > _PIECES or len(then.strip()) > words.REACH:
        raise unreadable("words", *seen.flags)  # more than is looked at
    then = then[:20] + then[20:].lstrip() if then[:20].isspace() else then
    if not near.strip() and not then.strip():
        return
    objection = objections.objection(near, then)
    if then.startswith(_CLOSING) or then.lstrip("]").startswith(_CLOSING):
        objection = "narration"
    if objection is None and candidate.kind != "tool" and not candidate.command.thoughts:
        everything = (" ".join([text[a:b] for a, b in spans]) for spans in (before, after))
        objection = None if words.announces(*everything) else "words"
    elif objection is None and not words.announces(near, then):
        if not words.lead(near, then):
            objection = "words"
        elif candidate.kind == "object" and _in_sentence(text, candidate):
            objection = "narration"
    if objection is not None:
        raise unreadable(objection, *seen.flags)


def _near(text: str, seen: Layout, before: list[tuple[int, int]], candidate: Candidate) -> str:
    """Return the words just before a candidate, without the Thought of an Action.

    A full stop follows them if another part is between them and the candidate.
    """
    near = _joined(text, before[-_PIECES:])
    said = near.rstrip()
    near = (said + near[len(said) :][-20:])[-words.REACH - 1 :]
    if _ACTION.match(text, candidate.start):
        return _THOUGHT.sub("", near)
    last = next((b for a, b in reversed(before) if not text[a:b].isspace()), 0)
    return near.rstrip() + "." if near and any(last <= a and b <= candidate.start for a, b in seen.spans) else near


def _joined(text: str, spans: list[tuple[int, int]]) -> str:
    """Join words, without brackets of a list. A line break stands for each part, tag or token between them."""
    pieces: list[str] = []
    at = 0
    for a, b in spans[:_PIECES]:
        if text[a:b].strip("[], \t\r\n"):
            pieces += ["\n", text[a:b]] if pieces and a > at else [text[a:b]]
            at = b
    return "".join(pieces)


def _check_code(text: str, seen: Layout, chosen: Candidate) -> None:
    """Raise UnreadableReply if the object is part of code, or the arguments of a call whose name is before it."""
    if chosen.kind in ("call", "yaml"):
        return
    before = text[max(0, chosen.start - 300) : chosen.start]
    if chosen.kind == "tool":
        before = _near(text, seen, [(a, b) for a, b in seen.words if b <= chosen.start], chosen)
    if _CODE_AFTER.match(text, chosen.end) or _CODE_BEFORE.fullmatch(before.rsplit("\n", 1)[-1]):
        raise unreadable("foreign")
    header = _HEADER.search(before)
    if header is None:
        return
    name = header["name"] or header["called"] or header["tagged"] or ""
    if name != chosen.command.name and not words.NEUTRAL.issuperset(name.lower().split("_")):
        raise unreadable("foreign")


def _in_sentence(text: str, candidate: Candidate) -> bool:
    """Return whether the object is in the middle of a sentence: words before and after it, without a sign between."""
    before = text[max(0, candidate.start - 200) : candidate.start].rsplit("\n", 1)[-1].rstrip()
    after = text[candidate.end : candidate.end + 200].split("\n", 1)[0].lstrip()
    return bool(before and after and before[-1].isalnum() and after[0].isalnum() and after[0].islower())


def _check_brackets(text: str, chosen: Candidate) -> None:
    """Raise UnreadableReply if the structure goes on after the object, and a bracket may have closed the arguments too
    early.

    That may be if the object was mended, has other keys beside the arguments, or has objects in them.
    """
    if chosen.kind == "tool":
        return
    blanks = lexicon.BLANKS.match(text, chosen.end)
    at = chosen.end if blanks is None else blanks.end()
    in_list = text[: chosen.start].rstrip().endswith("[")
    if in_list and text.startswith(("]", ","), at):
        return
    if _KEY.match(text, at):
        raise unreadable("doubtful")  # the object is a value in a larger one
    goes_on = text.startswith(("}", "]", ":"), at) or _MORE.match(text, at) is not None
    # A bracket at the margin, or on a line after an object of one line, ends it as it should.
    apart = text.startswith("\n", chosen.end - 2) or (
        "\n" in text[chosen.end : at] and "\n" not in text[chosen.start : chosen.end]
    )
    nested = not apart and any(isinstance(value, (dict, list)) for value in chosen.command.args.values())
    if goes_on and (chosen.command.extras or chosen.mended or nested):
        raise unreadable("doubtful")


def _check_stray(text: str, seen: Layout, chosen: Candidate) -> None:
    """Raise UnreadableReply if the object may be inside a string, or if a key `command` is outside all objects."""
    starts = max((end for _, end in seen.spans if end <= chosen.start), default=seen.visible)
    before = max(starts, chosen.start - 2000)
    if before < chosen.start and _UNCLOSED.search(text, before, chosen.start):
        raise unreadable("garbled", *seen.flags)
    if text.count("command") == text.count("command", chosen.start, chosen.end):
        return
    edge = seen.visible
    for start, end in [*sorted(seen.spans), (len(text), len(text))]:
        for found in _STRAY.finditer(text, edge, max(edge, start)):
            if text[found.end() : start].strip():
                raise unreadable("garbled", *seen.flags)
        edge = max(edge, end)
