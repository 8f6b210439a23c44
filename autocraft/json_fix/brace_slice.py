"""Stage three: finds every object and tool call of an answer in one scan and chooses the command by shape.

Think blocks are dropped, strings and spans that were cut are never searched. Neighbours: `heuristic.py` reads each
object, `wrappers.py` the tags, `yamlish.py` what has no braces, `prose.py` judges the words around.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from autocraft.errors import UnreadableReply
from autocraft.json_fix import lexicon, prose, shape, wrappers, yamlish
from autocraft.json_fix.heuristic import Object, Objects, find
from autocraft.json_fix.reader import Garbled, Parsed
from autocraft.json_fix.reply import Registry, unreadable

MAX_BROKEN = 500
MAX_OBJECTS = 20_000

_THINK = r"think(?:ing)?|reasoning|scratchpad|thoughts?|reflection|analysis"
_START = rf"{lexicon.GAP}[{{｛]?{lexicon.GAP}(?:{lexicon.key_ahead('any').pattern}|\\\\?\")"
_MARK = re.compile(
    rf"\{{(?P<object>(?![{{｛]{{2}})(?={_START}))|｛(?P<wide>(?={_START}))"
    rf"|<(?:(?P<think>(?i:{_THINK})(?:\s[^<>\n]{{0,80}})?>)|(?P<thought>/(?i:{_THINK})>|\|channel\|>final)"
    r"|(?P<function>(?=(?:function|invoke|tool)[\s=])))"
    r"|\[(?:(?P<upper>THINK\])|(?P<lower>/THINK\])|(?P<named>(?=TOOL_CALLS\])))"
    r"|◁(?:(?P<open>think▷)|(?P<close>/think▷))"
)
"""Where an object, a thinking block, its end, or a tool call starts. Each branch begins with one character, which is
what makes the search fast."""
_WORDS = ("ction", "ool", "assistantfinal")
_WORD = re.compile(r"[AaTt](?:ction|ool)[ \t*_]*:|assistantfinal")


@cache
def _mark_or_word() -> re.Pattern[str]:
    """The same, or a line ``Action:``, or the word before a final answer."""
    return re.compile(
        rf"{_MARK.pattern}|(?P<final>assistantfinal)"
        rf"|(?P<action>^(?=[ \t*_#>]*(?:[Aa]ction|[Tt]ool)[ \t*_]*:)(?im:{wrappers.ACTION.pattern[1:]}))",
        re.MULTILINE,
    )


_UNCLOSED = re.compile(r"[{\[]\s*[\"'“][^{}]*+\Z")
_MORE = re.compile(rf"[{lexicon.COMMAS}]\s*(?:\{{|{lexicon.key_ahead('any').pattern})")
_STRAY = re.compile(r"[\"'“”]command[\"'“”]\s*[:：]")
_LABEL = re.compile(
    r"^[ \t*_>#`]*(?:(?:action|command|tool|call|tool_code)[ \t*_]*:[ \t*_`]*)?", re.MULTILINE | re.IGNORECASE
)


@dataclass(slots=True)
class _Candidate:
    start: int
    end: int
    command: shape.Found
    flags: tuple[str, ...] = ()
    mended: bool = False
    before: int = 0
    """Where the words begin that lead to it."""


@dataclass(slots=True)
class Scan:
    """What one scan saw. `visible` is where the text begins that is not thought."""

    visible: int = 0
    candidates: list[_Candidate] = field(default_factory=list)
    spans: list[tuple[int, int]] = field(default_factory=list)
    errors: list[UnreadableReply] = field(default_factory=list)
    broken: int = 0
    cut: bool = False
    flags: dict[str, None] = field(default_factory=dict)


def read(objects: Objects, registry: Registry | None) -> tuple[shape.Found, tuple[str, ...], tuple[int, int]]:
    """The command of the answer, flags, and the span it was read from. Raises UnreadableReply."""
    scan = _scan(objects, registry)
    if not scan.candidates:
        _read_without_braces(objects, scan, registry)
    chosen = _choose(scan, registry)
    text = objects.text
    for candidate in scan.candidates:
        if candidate.command.same(chosen.command):
            candidate.before, after = _around(scan, candidate, len(text))
            objection = prose.objection(text[candidate.before : candidate.start], text[candidate.end : after])
            if objection is not None:
                raise unreadable(objection, *scan.flags)
    _check_brackets(text, chosen, scan)
    _check_stray(text, scan, chosen)
    return chosen.command, (*scan.flags, *chosen.flags), (chosen.start, chosen.end)


def _scan(objects: Objects, registry: Registry | None) -> Scan:
    text, scan, pos = objects.text, Scan(), 0
    objects.work.chars += len(text)
    worded = any(word in text for word in _WORDS)
    mark = _mark_or_word() if worded and _WORD.search(text) is not None else _MARK
    while found := mark.search(text, pos):
        match found.lastgroup:
            case "object" | "wide":
                pos = _object(objects, found.start(), scan, registry)
            case "think" | "upper" | "open":
                pos = _think_end(text, found, scan)
            case "thought" | "lower" | "close" | "final":
                pos = found.end()
                scan.visible = pos
                scan.candidates.clear()
                scan.errors.clear()
                scan.flags["thoughts dropped"] = None
            case _:
                pos = _wrapped(objects, found, scan, registry)
        if pos >= len(text):
            break
    return scan


def _think_end(text: str, found: re.Match[str], scan: Scan) -> int:
    opener = found.group()
    closer = {"[": "[/THINK]", "◁": "◁/think▷"}.get(opener[0])
    if closer is None:
        name = re.match(r"<(\w+)", opener).group(1)  # type: ignore[union-attr]
        end = re.compile(rf"</{name}\s*>", re.IGNORECASE).search(text, found.end())
        stop = -1 if end is None else end.end()
    else:
        at = text.find(closer, found.end())
        stop = -1 if at < 0 else at + len(closer)
    if stop < 0:
        if scan.candidates:
            return len(text)
        raise unreadable("unclosed think")
    scan.flags["thoughts dropped"] = None
    scan.spans.append((found.start(), stop))
    return stop


def _object(objects: Objects, start: int, scan: Scan, registry: Registry | None) -> int:
    text = objects.text
    if _ESCAPED.match(text, start):
        return _escaped(objects, start, scan, registry)
    try:
        found = objects.at(start)
    except Garbled as error:
        if error.flag == "too deep" or error.looks_like_command:
            raise unreadable(error.flag, *scan.flags) from None
        scan.broken += 1
        if scan.broken > MAX_BROKEN:
            raise unreadable("too large") from None
        return max(error.pos, start + 1)
    if len(scan.spans) > MAX_OBJECTS:
        raise unreadable("too large")
    scan.spans.append((start, found.end))
    _add(found, scan, registry)
    return found.end


def _add(found: Object, scan: Scan, registry: Registry | None) -> None:
    try:
        command = find(found, registry)
    except UnreadableReply as error:
        holds = isinstance(found.value, dict) and any(key.strip().lower() == "command" for key in found.value)
        if error.flags[0] == "truncated" or (holds and error.flags[0] != "placeholder"):
            raise unreadable(error.flags[0], *found.flags) from None
        scan.errors.append(error)
        return
    if command is not None:
        scan.candidates.append(_Candidate(found.start, found.end, command, found.flags, found.state.mended))
    elif found.state.open:
        if found.looks_like_command:
            raise unreadable("truncated", *found.flags)
        scan.cut = True


_ESCAPED = re.compile(rf"[{{｛]{lexicon.GAP}\\\"")


def _escaped(objects: Objects, start: int, scan: Scan, registry: Registry | None) -> int:
    """An object whose quotes are all escaped, as if it stood in a string. Both ways to undo that must agree."""
    from autocraft.json_fix import strings

    text = objects.text
    before = text[max((end for _, end in scan.spans), default=scan.visible) : start]
    if "{" in before or '"' in before:
        raise unreadable("garbled")  # it may stand inside a string
    end = text.rfind("}") + 1
    raw = text[start:end]
    fully = strings.decode(raw).text
    readings = []
    for source in dict.fromkeys((fully, raw.replace('\\"', '"'))):
        try:
            found = Objects(source, objects.work).at(0)
            command = shape.find(found.value, found.state, registry)
        except Garbled:
            continue
        if command is not None:
            readings.append(command)
    if not readings:
        raise unreadable("garbled")
    if any(not reading.same(readings[0]) for reading in readings):
        raise unreadable("doubtful")
    scan.candidates.append(_Candidate(start, end, readings[0], ("escaped quotes",)))
    scan.spans.append((start, end))
    return end


def _wrapped(objects: Objects, found: re.Match[str], scan: Scan, registry: Registry | None) -> int:
    text = objects.text
    pattern, read_it = {
        "function": (wrappers.FUNCTION, wrappers.function),
        "named": (wrappers.NAMED, wrappers.named),
        "action": (wrappers.ACTION, wrappers.action),
    }[found.lastgroup or ""]
    start = pattern.match(text, found.start())
    if start is None:
        return found.end()
    value, end, parsed = read_it(text, start, objects.work)
    scan.spans.append((found.start(), end))
    _add(_as_object(value, found.start(), end, parsed), scan, registry)
    return end


def _as_object(value: Any, start: int, end: int, parsed: Parsed | None) -> Object:
    state = shape.STRICT if parsed is None else shape.State(parsed.open, parsed.doubtful, mended=True)
    return Object(value, start, end, state, () if parsed is None else parsed.flags)


def _read_without_braces(objects: Objects, scan: Scan, registry: Registry | None) -> None:
    """``f(a=1)`` on a line of its own, or YAML; only when no object was found."""
    text = objects.text
    objects.work.chars += 2 * len(text)
    if not scan.cut and not scan.errors:
        yaml = yamlish.command(text[scan.visible :]) if "command:" in text else None
        if yaml is not None:
            _add(Object(yaml, scan.visible, len(text), flags=("yaml",)), scan, registry)
        else:
            _calls(objects, scan, registry)
    if not scan.candidates:
        raise scan.errors[0] if scan.errors else unreadable("truncated" if scan.cut else "no command", *scan.flags)


def _calls(objects: Objects, scan: Scan, registry: Registry | None) -> None:
    text, pos = objects.text, scan.visible
    alone = wrappers.CALL.match(text.strip().strip("`"), 0) is not None
    while label := _LABEL.search(text, pos):
        start = wrappers.CALL.match(text, label.end())
        if start is None:
            line_end = text.find("\n", label.end())
            if line_end < 0:
                return
            pos = line_end + 1
            continue
        try:
            value, end, parsed = wrappers.call(text, start, objects.work)
        except UnreadableReply as error:
            if alone:
                scan.errors.append(error)
            return
        line = text[end : end + 200].split("\n", 1)[0]
        if line.strip(" \t\r;`*.") and not line.lstrip().startswith(("#", "//")):
            return
        scan.spans.append((start.start(), end))
        _add(_as_object(value, start.start(), end, parsed), scan, registry)
        pos = end
        if len(scan.candidates) > 20:
            raise unreadable("two commands")


def _choose(scan: Scan, registry: Registry | None) -> _Candidate:
    """The only command: what holds `command` before what does not, what the registry knows before what it does not."""
    if len(scan.candidates) == 1:
        return scan.candidates[0]
    holders = [candidate for candidate in scan.candidates if not candidate.command.bare]
    if not holders:
        holders = scan.candidates
        if registry is not None:
            known = [candidate for candidate in holders if registry.accepts(candidate.command.name) is not None]
            holders = known or holders
    chosen = holders[-1]
    if any(not candidate.command.same(chosen.command) for candidate in holders):
        raise unreadable("two commands", *scan.flags)
    return chosen


def _around(scan: Scan, candidate: _Candidate, size: int) -> tuple[int, int]:
    """Where the words before a candidate begin and those after it end."""
    if len(scan.spans) == 1:
        return scan.visible, size
    before = max((end for _, end in scan.spans if end <= candidate.start), default=scan.visible)
    after = min((start for start, _ in scan.spans if start >= candidate.end), default=size)
    return max(before, scan.visible), after


def _check_brackets(text: str, chosen: _Candidate, scan: Scan) -> None:
    """Refuse an object after which the structure goes on, where a bracket may have closed the arguments too early:
    one that was mended, has keys of its own beside the arguments, or objects inside them."""
    blanks = lexicon.BLANKS.match(text, chosen.end)
    at = chosen.end if blanks is None else blanks.end()
    in_list = text[: chosen.start].rstrip().endswith("[")
    if in_list and text.startswith(("]", ","), at):
        return
    goes_on = text.startswith(("}", "]", ":"), at) or _MORE.match(text, at) is not None
    # A bracket at the margin, or on a line after an object of one line, ends it as it should.
    apart = text.startswith("\n", chosen.end - 2) or (
        "\n" in text[chosen.end : at] and "\n" not in text[chosen.start : chosen.end]
    )
    nested = not apart and any(isinstance(value, dict) for value in chosen.command.args.values())
    if goes_on and (chosen.command.extras or chosen.mended or nested):
        raise unreadable("doubtful", *scan.flags)


def _check_stray(text: str, scan: Scan, chosen: _Candidate) -> None:
    """Refuse what may stand inside a string, and objects beside a key `command` that none of them holds."""
    before = max(chosen.before, chosen.start - 2000)
    if before < chosen.start and _UNCLOSED.search(text, before, chosen.start):
        raise unreadable("garbled", *scan.flags)
    if text.count("command") == text.count("command", chosen.start, chosen.end):
        return
    edge = scan.visible
    for start, end in [*sorted(scan.spans), (len(text), len(text))]:
        for found in _STRAY.finditer(text, edge, max(edge, start)):
            if text[found.end() : start].strip():
                raise unreadable("garbled", *scan.flags)
        edge = max(edge, end)
