"""Chooses the command of an answer: the only candidate, if no words and no brackets around it speak against it."""

from __future__ import annotations

import re

from autocraft.json_fix import lexicon, objections, shape, words
from autocraft.json_fix.heuristic import Objects
from autocraft.json_fix.layout import scan
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
_OTHER_NAME = re.compile(
    r"(?:\b(?:action|answer|command|corrected|correction|instead|run|send|use)[*_ \t]*:[\s`\"'*]*"
    r"|^\W*(?:run|send|use)[ \t]+[`\"'*]*(?=[a-z]+_))([a-z]\w*)[`\"'*.]*\s*$",
    re.IGNORECASE | re.MULTILINE,
)
"""The name of a command in words after the object."""
_PIECES = 40
"""Most stretches of words before or after an object that are examined."""
_KEY = re.compile(rf"[{lexicon.COMMAS}]\s*{lexicon.key_ahead('any').pattern}")


def choose(objects: Objects, registry: Registry | None) -> tuple[shape.FoundCommand, tuple[str, ...], tuple[int, int]]:
    """Return the command of the answer, flags, and the span of its text. Raises UnreadableReply."""
    layout = scan(objects, registry)
    if not layout.candidates:
        if layout.foreign:
            raise unreadable("foreign", *layout.flags)
        if layout.errors:
            raise layout.errors[0]
        raise unreadable("truncated" if layout.cut else "no command", *layout.flags)
    choice = _choose(layout, registry)
    if layout.void or (layout.foreign and not choice.command.thoughts):
        raise unreadable("two commands", *layout.flags)
    _check_beside(layout, choice)
    text = objects.text
    for candidate in layout.candidates:
        if candidate.command.same(choice.command):
            _check_words(text, layout, candidate)
    _check_code(text, layout, choice)
    _check_brackets(text, choice)
    _check_stray(text, layout, choice)
    return choice.command, (*layout.flags, *choice.flags), (choice.start, choice.end)


def _choose(layout: Layout, registry: Registry | None) -> Candidate:
    """Return the only candidate. Raises UnreadableReply if two of them differ.

    If an object holds `command`, only such objects count. Otherwise, if the registry has some of the names, only those
    count.
    """
    candidates = layout.candidates
    if any(candidate.kind == "object" and not candidate.command.bare for candidate in candidates):
        candidates = [candidate for candidate in candidates if not candidate.command.bare]
    elif registry is not None and len(candidates) > 1:
        accepted = [candidate for candidate in candidates if registry.accepts(candidate.command.name) is not None]
        candidates = accepted or candidates
    choice = candidates[-1]
    if any(not candidate.command.same(choice.command) for candidate in candidates):
        raise unreadable("two commands", *layout.flags)
    return choice


def _check_beside(layout: Layout, choice: Candidate) -> None:
    """Raise UnreadableReply if an object beside the command may hold its arguments, or what a call gave back."""
    written = choice.kind == "object" and not choice.command.no_args
    if layout.beside and not choice.command.args and not written:
        raise unreadable("arguments", *layout.flags)
    if choice.kind == "call" and any(start >= choice.end for start in layout.beside):
        raise unreadable("foreign", *layout.flags)


def _check_words(text: str, layout: Layout, candidate: Candidate) -> None:
    """Raise UnreadableReply if the words around a candidate forbid it."""
    before = [(a, b) for a, b in layout.words if b <= candidate.start]
    after = [(a, b) for a, b in layout.words if a >= candidate.end]
    near, then = _near(text, layout, before, candidate), _join(text, after)
    if len(after) > _PIECES or len(then.strip()) > words.REACH:
        raise unreadable("words", *layout.flags)  # more than is looked at
    then = then[:20] + then[20:].lstrip() if then[:20].isspace() else then
    if not near.strip() and not then.strip():
        return
    objection = objections.objection(near, then)
    other = _OTHER_NAME.search(then)
    if other is not None and other[1] != candidate.command.name:
        raise unreadable("two commands", *layout.flags)
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
        raise unreadable(objection, *layout.flags)


def _near(text: str, layout: Layout, before: list[tuple[int, int]], candidate: Candidate) -> str:
    """Return the words just before a candidate, without the Thought of an Action.

    A full stop follows them if another part is between them and the candidate.
    """
    near = _join(text, before[-_PIECES:])
    words_end = near.rstrip()
    near = (words_end + near[len(words_end) :][-20:])[-words.REACH - 1 :]
    if _ACTION.match(text, candidate.start):
        return _THOUGHT.sub("", near)
    last = next((b for a, b in reversed(before) if not text[a:b].isspace()), 0)
    return near.rstrip() + "." if near and any(last <= a and b <= candidate.start for a, b in layout.spans) else near


def _join(text: str, spans: list[tuple[int, int]]) -> str:
    """Join words, without brackets of a list. A line break stands for each part, tag or token between them."""
    pieces: list[str] = []
    at = 0
    for a, b in spans[:_PIECES]:
        if text[a:b].strip("[], \t\r\n"):
            pieces += ["\n", text[a:b]] if pieces and a > at else [text[a:b]]
            at = b
    return "".join(pieces)


def _check_code(text: str, layout: Layout, choice: Candidate) -> None:
    """Raise UnreadableReply if the object is part of code, or the arguments of a call whose name is before it."""
    if choice.kind in ("call", "yaml"):
        return
    before = text[max(0, choice.start - 300) : choice.start]
    if choice.kind == "tool":
        before = _near(text, layout, [(a, b) for a, b in layout.words if b <= choice.start], choice)
    if _CODE_AFTER.match(text, choice.end) or _CODE_BEFORE.fullmatch(before.rsplit("\n", 1)[-1]):
        raise unreadable("foreign")
    header = _HEADER.search(before)
    if header is None:
        return
    name = header["name"] or header["called"] or header["tagged"] or ""
    if name != choice.command.name and not words.NEUTRAL.issuperset(name.lower().split("_")):
        raise unreadable("foreign")


def _in_sentence(text: str, candidate: Candidate) -> bool:
    """Return whether the object is in the middle of a sentence: words before and after it, without a sign between."""
    before = text[max(0, candidate.start - 200) : candidate.start].rsplit("\n", 1)[-1].rstrip()
    after = text[candidate.end : candidate.end + 200].split("\n", 1)[0].lstrip()
    return bool(before and after and before[-1].isalnum() and after[0].isalnum() and after[0].islower())


def _check_brackets(text: str, choice: Candidate) -> None:
    """Raise UnreadableReply if the structure goes on after the object, and a bracket may have closed the arguments too
    early.

    That may be if the object was mended, has other keys beside the arguments, or has objects in them.
    """
    if choice.kind == "tool":
        return
    blanks = lexicon.BLANKS.match(text, choice.end)
    at = choice.end if blanks is None else blanks.end()
    in_list = text[: choice.start].rstrip().endswith("[")
    if in_list and text.startswith(("]", ","), at):
        return
    if _KEY.match(text, at):
        raise unreadable("doubtful")  # the object is a value in a larger one
    goes_on = text.startswith(("}", "]", ":"), at) or _MORE.match(text, at) is not None
    # A bracket at the margin, or on a line after an object of one line, ends it as it should.
    apart = text.startswith("\n", choice.end - 2) or (
        "\n" in text[choice.end : at] and "\n" not in text[choice.start : choice.end]
    )
    has_containers = not apart and any(isinstance(value, (dict, list)) for value in choice.command.args.values())
    if goes_on and (choice.command.extras or choice.mended or has_containers):
        raise unreadable("doubtful")


def _check_stray(text: str, layout: Layout, choice: Candidate) -> None:
    """Raise UnreadableReply if the object may be inside a string, or if a key `command` is outside all objects."""
    starts = max((end for _, end in layout.spans if end <= choice.start), default=layout.visible)
    before = max(starts, choice.start - 2000)
    if before < choice.start and _UNCLOSED.search(text, before, choice.start):
        raise unreadable("garbled", *layout.flags)
    if text.count("command") == text.count("command", choice.start, choice.end):
        return
    edge = layout.visible
    for start, end in [*sorted(layout.spans), (len(text), len(text))]:
        for match in _STRAY.finditer(text, edge, max(edge, start)):
            if text[match.end() : start].strip():
                raise unreadable("garbled", *layout.flags)
        edge = max(edge, end)
