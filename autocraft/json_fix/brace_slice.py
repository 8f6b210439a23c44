"""Stage three: the command stands among other things.

One scan goes through the answer by a short list of layouts (`HANDLERS`). An object or call is a candidate at the start,
on a line of its own, after words, in a fence of its own, or in a tag of a known list. Thoughts, comments, quotes, code,
unknown tags and the turns of others are passed over: a command there is somebody else's. `frame.py` then says what the
place of the candidate means.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from autocraft.errors import UnreadableReply
from autocraft.json_fix import calls, frame, lexicon, shape, sources, tags, tokens, yamlish
from autocraft.json_fix.frame import Place
from autocraft.json_fix.heuristic import Object, Objects, find, read_whole
from autocraft.json_fix.reader import GarbledText
from autocraft.json_fix.reply import Registry, unreadable
from autocraft.json_fix.scan import MAX_PARTS, OBJECT, START, Candidate, Scan

_CALL = (
    r"[ \t*_>#]*(?:(?i:action|command|tool|call)[ \t*_]*:[ \t*_`]*|`(?=[^`\n]+`[ \t.]*$))?"
    r"(?=[A-Za-z_][\w.]{0,127}+\()"
)
_LINE = (
    r"(?P<turn>[ \t#*]*(?P<role>Observation|System|User|Human|Tool(?: [a-z]+)?|Assistant|AI)[ \t*]*(?:[:：]|$))"
    r"|(?P<action>[ \t*_]*(?=[Aa]ction|[Tt]ool))"
    r"|(?P<yaml>(?=(?P<quote>[\"']?)(?:command|thoughts?)(?P=quote):))"
    rf"|(?P<call>{_CALL})"
)
"""Places that only count at the start of a line."""
_LINE_MARK = re.compile(rf"^(?:{_LINE})", re.MULTILINE)
_SIGN = re.compile(
    rf"(?P<object>\{{(?![{{｛]{{2}})(?:(?={START})|(?=\s*\\n\s*\\?\"))|｛(?={START}))"
    r"|(?P<tag><(?=[A-Za-z!/|｜]))"
    r"|(?P<fence>```|~~~|'''(?!'))"
    r"|(?P<tick>`)"
    r"|(?P<bracket>\[(?=[A-Z/]{2}|[A-Za-z_][\w.]*\())"
    r"|(?P<shade>◁(?=/?think▷))"
    r"|(?P<comment>/[/*]|#(?!\w))"
)
"""The start of every part with a layout of its own. Each branch begins with one sign, for a fast search."""
_RARE = ("assistantfinal", "done thinking", "functools[")
_WITH_RARE = re.compile(
    rf"{_SIGN.pattern}|(?P<final>assistantfinal)|(?P<done>(?:\.\.\.|…)done thinking\.?)|(?P<functools>functools(?=\[))"
)
"""The same with the words that few answers have."""
_FENCE = re.compile(
    r"(?:`{3,9}+|~{3}|'{3})[ \t]*(?P<language>\{\.\w{1,20}\}|[\w+.\-]*)[ \t]*(?P<rest>[^\n{\[<]{0,80}+)"
)
_FENCE_TICKS = re.compile(r"`+|~+|'+")
_TICK_END = re.compile(r"`[ \t.。]*(?:[(\n]|\Z)")
_RESULT = re.compile(r"[ \t\r;]*\n\s*(?:[-=]>|→|\[(?!\w+\(|/|EOS\]))")
"""What a call gave back, on a later line."""
_FENCE_END = re.compile(r"^[ \t>]*(?:`{3,9}|~~~|''')[ \t]*$", re.MULTILINE)
_INNER = re.compile(
    rf"(?:[{lexicon.BLANK}]|//[^\n]{{0,2000}}+\n|\#[^\n]{{0,2000}}+\n|/\*(?:[^*]|\*(?!/)){{0,2000}}+\*/)*+"
)
_HEADER_CHARS = 100
_THOUGHT = re.compile(r"^[ \t*]*Thought[ \t*]*:.*\Z", re.MULTILINE | re.DOTALL)
_HEADER = re.compile(
    r"(?:\A|\n)[ \t>/#*$]*"
    r"(?:(?:action|tool|function)[ \t*]*:[ \t*]*(?P<called>\w[\w.]*)|(?P<name>[a-z]\w*_\w+)[ \t]*:?)"
    r"[ \t]*\n?[ \t]*(?:```\w*\s*)?\Z|\bto=functions\.[\w.]+[^\n]{0,40}\Z"
    r"|<(?:command|action)>\s*(?P<tagged>\w+)\s*</(?:command|action)>\s*\Z",
    re.IGNORECASE,
)
"""The name of a call, after which its arguments follow."""
_BEFORE = re.compile(r"(?:[\w\s.,:!?'’，。：；！]++|\*\*|->)*+")
"""Words and signs among which nothing but an object has a layout of its own."""
_AFTER = re.compile(r"(?!\s*[:,}\]])(?:[^{｛<>`~'\[\]◁/#\"]++|'(?!''))*+")
"""The same after an object, where a parenthesis can no longer enclose it."""
_SPACES = re.compile(r"\s*+")
_POINT = re.compile(r"(?:\A|\n)\s*(?:\d{1,3}|[A-Za-z])\.\s*\Z")
"""The end of such words where the object is the point of a list."""
_OPENING_FENCE = re.compile(r"(?:\A|(?<=\n))(`{3,9}|~~~|''')[ \t]*(\w*)\s*\Z")
_SHOWN = 300
"""Most characters of the words on either side of a command that a person is shown."""


class Slice(NamedTuple):
    """The command that was found, with its place, and its span of the text."""

    command: shape.FoundCommand
    flags: tuple[str, ...]
    place: Place
    start: int
    end: int


def read(objects: Objects, registry: Registry | None, data: Sequence[str] = (), *, ended: bool = False) -> Slice:
    """Return the command of the answer. Raises UnreadableReply if there is none, or if it is not to be run.

    `data` are the texts that the prompt showed as data. A command that stands in one of them is a quotation. `ended`
    says that the model ended the answer itself.
    """
    found = _among_words(objects, registry)
    if found is None or found.place is Place.BESIDE_WORDS:
        found = _wrapped(objects.text, registry) or found or _scanned(objects, registry, ended=ended)
    if found.place not in frame.ALONE and any(sources.holds(text, found.command, registry) for text in data):
        raise unreadable("quoted", *found.flags)
    if frame.TABLE[found.place] == "no":
        raise unreadable("foreign", *found.flags)
    return found


def _wrapped(text: str, registry: Registry | None) -> Slice | None:
    """Return the command of an object in a wrapper around the whole text. Return None if there is no such object."""
    inside = frame.unwrapped(text)
    if inside is None:
        return None
    start, end, place = inside
    try:
        whole = read_whole(Objects(text[start:end]), registry)
    except UnreadableReply:
        return None
    if whole is None or whole[1].state.open:
        return None
    flags = ("thoughts dropped", *whole[1].flags) if frame.THOUGHTS.match(text, 0, start) else whole[1].flags
    return Slice(whole[0], flags, place, start, end)


def _among_words(objects: Objects, registry: Registry | None) -> Slice | None:
    """Return the command of an answer that is words and one object, perhaps in a fence, and nothing else.

    Return None for any other answer. The scan gives the same, in more time.
    """
    text = objects.text
    thoughts = frame.THOUGHTS.match(text)
    begin = 0 if thoughts is None else thoughts.end()
    start = text.find("{", begin)
    if not begin <= start <= begin + frame.REACH:
        return None
    fence = _OPENING_FENCE.search(text, begin, start) if text[start - 1 : start] not in ("", " ") else None
    words_end = start if fence is None else fence.start()
    if _BEFORE.fullmatch(text, begin, words_end) is None or (fence and fence[2].lower() not in tokens.FENCES):
        return None
    try:
        obj = objects.at(start)
        end = obj.end if fence is None else _SPACES.match(text, obj.end).end()  # type: ignore[union-attr]
        after = end + len(fence[1]) if fence is not None and text.startswith(fence[1], end) else obj.end
        if len(text) - after > frame.REACH or _AFTER.fullmatch(text, after) is None or obj.state.open:
            return None
        command = find(obj, registry)
    except (GarbledText, UnreadableReply):
        return None
    words = text[begin:words_end], text[after:]
    last = words[0].rstrip()[-1:]
    is_point = last == "." and _POINT.search(words[0])
    if command is None or last == "!" or last in frame.QUOTES or is_point or any(word in text for word in _RARE):
        return None
    flags = obj.flags if thoughts is None else ("thoughts dropped", *obj.flags)
    if not last and (not words[1] or words[1].isspace()):
        place = Place.AFTER_THOUGHTS if fence is None else Place.IN_FENCE
    elif frame.announces(*words):
        place = Place.ANNOUNCED
    elif any(map(_LINE_MARK.search, words)) or _HEADER.search(text, max(begin, start - _HEADER_CHARS), start):
        return None
    else:
        place = Place.BESIDE_WORDS
    return Slice(command, flags, place, start, obj.end)


def _scanned(objects: Objects, registry: Registry | None, *, ended: bool) -> Slice:
    """Return the command that a scan finds, with its place. Raises UnreadableReply."""
    scan = scanned(objects, registry)
    if not scan.candidates:
        if scan.foreign:
            raise scan.refusal("foreign")
        if scan.errors:
            raise scan.errors[0]
        raise scan.refusal("truncated" if scan.cut else shape.none_in(objects.text))
    choice = _only(scan, registry)
    if scan.foreign and not choice.command.thoughts:
        raise scan.refusal("two commands")
    same = [each for each in scan.candidates if each.command.same(choice.command)]
    place = max((_place(scan, each) for each in same), key=frame.RANK.__getitem__)
    if place in frame.ALONE and not ended and all(each.yaml and each.open_end for each in same):
        place = Place.OPEN_END
    return Slice(choice.command, (*scan.flags, *choice.flags), place, choice.start, choice.end)


def surroundings(text: str, start: int, end: int) -> str:
    """Return the words around the command that stands from `start` to `end`, for the person who decides about it."""
    before, after = text[:start].strip(), text[end:].strip()
    before = before if len(before) <= _SHOWN else "…" + before[-_SHOWN:]
    after = after if len(after) <= _SHOWN else after[:_SHOWN] + "…"
    return f"{before} ⟨the command⟩ {after}".strip()


def _only(scan: Scan, registry: Registry | None) -> Candidate:
    """Return the only candidate. Raises UnreadableReply if two of them differ.

    If an object holds `command`, only such objects count. Otherwise, if the registry has some of the names, only those
    count.
    """
    candidates = scan.candidates
    if any(not each.command.bare and not each.native for each in candidates):
        candidates = [each for each in candidates if not each.command.bare]
    elif registry is not None and len(candidates) > 1:
        accepted = [each for each in candidates if registry.accepts(each.command.name) is not None]
        candidates = accepted or candidates
    choice = candidates[-1]
    if any(not each.command.same(choice.command) for each in candidates):
        raise scan.refusal("two commands")
    return choice


# ------------------------------------------------------------ the place of a candidate


def _place(scan: Scan, candidate: Candidate) -> Place:
    """Return where a candidate stands. Raises UnreadableReply if a bracket beside it may belong to its arguments."""
    before, after = _words(scan, candidate)
    if _is_headed(scan, candidate, before) or _is_quoted(scan.text, candidate, before, after):
        return Place.INSIDE
    _check_brackets(scan.text, candidate)
    if scan.void or any(start >= candidate.end or candidate.command.no_args for start in scan.beside):
        return Place.BESIDE_OBJECT
    if before.strip() or after.strip():
        return Place.ANNOUNCED if frame.announces(before, after) else Place.BESIDE_WORDS
    if candidate.native:
        return Place.NATIVE
    if scan.flags.keys() & {"thoughts dropped"}:
        return Place.AFTER_THOUGHTS
    return Place.IN_FENCE if candidate.fenced else Place.ALONE


def _words(scan: Scan, candidate: Candidate) -> tuple[str, str]:
    """Return the words before and after a candidate, more than an announcement has at most."""
    text = scan.text
    before, after = [], []
    size = 0
    for a, b in reversed(scan.words_at):
        if b <= candidate.start and size <= frame.REACH:
            words = text[a:b].rstrip()[-frame.REACH - 1 :]
            before.append(words)
            size += len(words.strip())
    size = 0
    for a, b in scan.words_at:
        if a >= candidate.end and size <= frame.REACH:
            words = text[a : a + 1] + text[a + 1 : b].lstrip()[: frame.REACH]
            after.append(words)
            size += len(words.strip())
    joined = "\n".join(reversed(before))
    return (_THOUGHT.sub("", joined) if scan.edge.react else joined), "\n".join(after)


def _is_headed(scan: Scan, candidate: Candidate, words: str) -> bool:
    """Return whether the name of another call stands just before the object, whose arguments it then is."""
    before = words if candidate.native else scan.text[max(0, candidate.start - _HEADER_CHARS) : candidate.start]
    header = _HEADER.search(before[-_HEADER_CHARS:])
    if header is None:
        return False
    name = header["name"] or header["called"] or header["tagged"] or ""
    return name != candidate.command.name and not frame.BEFORE.issuperset(name.lower().split("_"))


def _is_quoted(text: str, candidate: Candidate, before: str, after: str) -> bool:
    """Return whether a command stands in quotes among other words."""
    opening, closing = text[max(0, candidate.start - 1) : candidate.start], text[candidate.end : candidate.end + 1]
    if candidate.native:  # its tags stand between
        opening, closing = before[-1:], after[:1]
    return opening not in ("", "`") and closing != "" and closing in lexicon.QUOTES.get(opening, "")


def _check_brackets(text: str, candidate: Candidate) -> None:
    """Raise UnreadableReply if the object is a value in a larger one, or if a bracket too many may be its own."""
    if candidate.native or candidate.yaml:
        return
    at = lexicon.blanks_end(text, candidate.end)
    if _KEY.match(text, at):
        raise unreadable("doubtful")
    in_list = text[max(0, candidate.start - 80) : candidate.start].rstrip().endswith("[")
    if not text.startswith(("}", "]", ":"), at) or (in_list and text.startswith("]", at)):
        return
    # A bracket at the margin, or on a line after an object of one line, ends it as it should.
    apart = text.startswith("\n", candidate.end - 2) or (
        "\n" in text[candidate.end : at] and "\n" not in text[candidate.start : candidate.end]
    )
    has_containers = not apart and any(isinstance(value, (dict, list)) for value in candidate.command.args.values())
    if candidate.command.extras or candidate.mended or has_containers:
        raise unreadable("doubtful")


_KEY = re.compile(rf"[{lexicon.COMMAS}]\s*{lexicon.key_ahead('any').pattern}")

# ------------------------------------------------------------ the scan


def scanned(objects: Objects, registry: Registry | None) -> Scan:
    """Return the scan of a whole text: all candidates in order, and the words around them. Raises UnreadableReply."""
    scan = Scan(objects, registry)
    text, size = objects.text, len(objects.text)
    sign = _WITH_RARE if any(word in text for word in _RARE) else _SIGN
    line, inside = _LINE_MARK.search(text), sign.search(text)
    while scan.pos < size:
        if line is not None and line.start() < scan.pos:
            line = _LINE_MARK.search(text, scan.pos)
        if inside is not None and inside.start() < scan.pos:
            inside = sign.search(text, scan.pos)
        match = inside if line is None or (inside is not None and inside.start() < line.start()) else line
        if match is None:
            break
        scan.words(match.start())
        kind = match.lastgroup if match is not line or match["turn"] is None else "turn"
        HANDLERS[kind or ""](scan, match)
        if len(scan.spans) > MAX_PARTS:
            raise unreadable("too large")
        if len(scan.candidates) > shape.MOST_CALLS:
            raise unreadable("two commands")
    scan.words(size)
    if scan.edge.section:
        raise scan.refusal("truncated")
    return scan


# ------------------------------------------------------------ fences, backticks, comments


def _fence(scan: Scan, match: re.Match[str]) -> None:
    text, edge = scan.text, scan.edge
    at = match.start()
    mark = match.group()
    if edge.fence == mark:
        if any(text[a:b].strip(" \t\r\n;,[]") for a, b in edge.fence_spans):  # the fence holds more than objects
            del scan.candidates[edge.fence_from :]
            scan.foreign = True
        edge.fence = ""
        edge.tool = False
        scan.mark(_FENCE_TICKS.match(text, at).end())  # type: ignore[union-attr]
        return
    if scan.candidates and lexicon.blanks_end(text, scan.candidates[-1].end) >= at:
        scan.mark(_FENCE_TICKS.match(text, at).end())  # type: ignore[union-attr]
        return
    opener = _FENCE.match(text, at)
    assert opener is not None
    inside = _INNER.match(text, opener.end()).end()  # type: ignore[union-attr]
    rest = opener["rest"].strip().lower().removeprefix("copy")  # the label of a button
    is_allowed = opener["language"].strip("{.}").lower() in tokens.FENCES and not rest
    free = scan.is_free(at) or text[at - 1 : at] == "\n"
    if inside >= len(text) or not (is_allowed and free and _starts(scan, inside)):
        _skip_fence(scan, match.start(), opener.end())
        return
    scan.pos = opener.end()
    scan.words(inside)
    edge.fence, edge.fence_from, edge.fence_spans = mark, len(scan.candidates), []
    edge.tool = edge.tool or opener["language"].lower().startswith("tool_")
    scan.mark(inside)


def _starts(scan: Scan, pos: int) -> bool:
    """Return whether something that may hold a command starts at `pos`."""
    starts = ("<", "command:", "thoughts:", '"command":', '"thoughts":', "---", "Action", "{", "｛", "[")
    return scan.text.startswith(starts, pos) or calls.call_start(scan.text, pos) is not None


def _skip_fence(scan: Scan, start: int, pos: int) -> None:
    """Pass over code."""
    if scan.unclosed_fence:
        scan.mark(start + 3)
        return
    end = _FENCE_END.search(scan.text, max(pos, scan.text.find("\n", pos)))
    if end is None and scan.candidates:
        scan.unclosed_fence = True  # the end of a fence that was never opened
        scan.mark(start + 3)
        return
    stop = len(scan.text) if end is None else end.end()
    scan.flags["code left out"] = None
    if scan.text[start:pos].strip("`~' \t\n").lower() in tokens.PROSE and not scan.holds_command(start, stop):
        scan.pos = pos
        scan.words(stop if end is None else end.start())  # words may stand in it
        scan.pos = stop
    else:
        scan.part(start, stop)


def _tick(scan: Scan, match: re.Match[str]) -> None:
    text, start = scan.text, scan.pos
    inside = start + 1
    if OBJECT.match(text, inside) and not scan.edge.inside():
        try:
            obj = scan.objects.at(inside)
        except GarbledText:
            scan.count_broken()
            obj = None
        if obj is not None and _TICK_END.match(text, obj.end) and _starts_quote(text, start):
            scan.pos = inside
            scan.part(inside, obj.end)
            scan.add(obj)
            scan.pos = obj.end + 1
            return
    marks = "``" if text.startswith("``", start) else "`"
    end = text.find(marks, start + len(marks), start + 2_000)
    scan.pass_over(start, start + len(marks) if end < 0 else end + len(marks))


def _starts_quote(text: str, start: int) -> bool:
    """Return whether a backtick stands alone on its line, or after a colon or an arrow."""
    prefix = text[text.rfind("\n", 0, start) + 1 : start].strip()
    return not prefix or prefix.endswith((":", "：", "->", "=>", "→"))


def _comment(scan: Scan, match: re.Match[str]) -> None:
    text, start = scan.text, match.start()
    if match.group() != "/*" and start and not text[start - 1].isspace():
        scan.words(match.end())
        return
    if match.group() == "/*":
        close = text.find("*/", start)
        end = len(text) if close < 0 else close + 2
    else:
        close = text.find("\n", match.end())
        end = len(text) if close < 0 else close
        thought = tokens.THOUGHT.search(text, match.end(), end)
        end = end if thought is None else thought.start()  # it opens or closes thoughts, wherever it stands
    scan.pass_over(start, end)


def _turn(scan: Scan, match: re.Match[str]) -> None:
    """Begin the turn of a speaker. Only the assistant's turn is the model's own."""
    if scan.edge.react and match["role"] == "Observation":
        scan.pos = len(scan.text)
        return
    scan.edge.others = match["role"] not in ("Assistant", "AI")
    scan.words(match.end())


# ------------------------------------------------------------ calls and YAML


def _action(scan: Scan, match: re.Match[str]) -> None:
    start = calls.ACTION.match(scan.text, match.start())
    if start is None:
        call = re.compile(_CALL, re.MULTILINE).match(scan.text, match.start())
        if call is not None:
            _call(scan, call)
            return
        scan.words(max(match.end(), match.start() + 1))
        return
    scan.edge.react = True
    own = scan.edge.tool or scan.is_free(match.start())
    scan.call(calls.action(scan.text, start), match.start(), native=True, own=own)


def _call(scan: Scan, match: re.Match[str]) -> None:
    """Read ``f(a=1)`` at the start of a line. The line may hold nothing else."""
    text = scan.text
    label = match.group()
    begins = match.end()
    start = calls.call_start(text, begins)
    rest = text[begins : begins + 400].split("\n", 1)[0]
    if start is None or any(sign in label for sign in ">#") or label.startswith((" ", "\t", "* ")):
        scan.words(begins + 1)
        return
    alone = not scan.has_begun()
    try:
        call = calls.call(text, start)
    except UnreadableReply as error:
        scan.count_broken()
        if alone and (rest.rstrip(" ;`").endswith(")") or "\n" not in text[begins : begins + 4_000].strip()):
            scan.errors.append(error)
        scan.words(begins + len(rest))
        return
    after = text[call.end : call.end + 200].split("\n", 1)[0]
    for token in tokens.END_TOKENS:
        after = after.replace(token, "")
    scan.words(begins)
    if "{" in after or after.rstrip().endswith(("->", "=>", "→", ":")) or _RESULT.match(text, call.end):
        raise scan.refusal("foreign")  # what the call gave back
    if after.strip(" \t\r;`*."):
        scan.part(begins, call.end)
        scan.foreign = True
        return
    scan.call(call, begins, native=scan.edge.tool, own=not scan.edge.inside())


def _functools(scan: Scan, match: re.Match[str]) -> None:
    if not scan.is_free(match.start()):
        raise scan.refusal("foreign")
    scan.edge.tool = True
    scan.mark(match.end())


def _yaml(scan: Scan, match: re.Match[str]) -> None:
    """Read ``command:`` or ``thoughts:`` at the start of a line."""
    text, start = scan.text, scan.pos
    colon = text.index(":", start) + 1
    if scan.edge.inside():
        scan.pass_over(start, colon)
        return
    after = lexicon.blanks_end(text, colon)
    if "thought" in text[start:colon]:
        end = yamlish.block_end(text, start)
        if re.compile(r"[\"']?command[\"']?:").match(text, end):
            scan.edge.thoughts = text[start:end]
            scan.part(start, end)
        else:
            scan.words(colon)
    elif text.startswith(("{", "｛"), after) and OBJECT.match(text, after):
        scan.mark(after)
        scan.object(free=True)
    else:
        end = len(text)
        if scan.edge.fence:
            close = _FENCE_END.search(text, start)
            end = len(text) if close is None else close.start()
        value, end = yamlish.command(text, start, end)
        if scan.edge.fence and end == len(text):
            raise scan.refusal("truncated")  # nothing else in YAML shows where it was to end
        if scan.edge.thoughts:
            value["thoughts"] = {"text": scan.edge.thoughts.strip()}
        scan.part(start, end)
        scan.add(Object(value, start, end, flags=("yaml",)), yaml=True)
        if scan.candidates and end == len(text):
            scan.candidates[-1].open_end = True


HANDLERS: dict[str, Callable[[Scan, re.Match[str]], None]] = {
    "turn": _turn,
    "action": _action,
    "yaml": _yaml,
    "call": _call,
    "object": lambda scan, _: scan.object(),
    "tag": tags.tag,
    "fence": _fence,
    "tick": _tick,
    "bracket": tags.bracket,
    "shade": tags.shade,
    "comment": _comment,
    "final": tags.final,
    "done": tags.done,
    "functools": _functools,
}
"""Group of `_SIGN` or `_LINE_MARK` -> the function that reads what begins there."""
