"""Where an object may be: what the words before it leave open, and which parts of the answer are passed over."""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass, field
from typing import Literal

from autocraft.errors import UnreadableReply
from autocraft.json_fix import escaped, keys, lexicon, shape, tokens
from autocraft.json_fix.heuristic import Object, Objects, find
from autocraft.json_fix.objections import objection
from autocraft.json_fix.reader import GarbledText
from autocraft.json_fix.reply import Json, Registry, unreadable
from autocraft.json_fix.words import SMILEY, cancels

MAX_BROKEN = 500
MAX_PARTS = 20_000
MAX_TAGS = 20
"""Most different unknown tags in an answer."""

START = rf"{lexicon.GAP}[{{｛]?{lexicon.GAP}(?:{lexicon.key_ahead('any').pattern}|\\\\?\"|\"\")"
OBJECT = re.compile(rf"[{{｛](?:(?={START})|{lexicon.GAP}\\n)")
_PLACE = re.compile(
    rf"{OBJECT.pattern}|^[ \t]*[A-Za-z_][\w.]{{0,127}}\([^\n]{{0,400}}\)|^[\"']?command[\"']?:"
    r"|<(?:\w+:)?(?:tool_calls?|function(?:_calls?)?|invoke)\b|<[|｜]?(?:tool|open|DSML|python|START_ACTION)|\[TOOL_CALLS\]"
    r"|<(?:\|tool_call|start_function_call)>call:|to=functions\.|^[ \t*_]*Action[ \t*_]*:",
    re.MULTILINE,
)
"""The start of everything that could be a command."""
_COMMENT_LINE = ("//", "#", "--", "%", ";", ">", "/*", "*/", "<!--", "|")
_BULLET = re.compile(r"(?:[-+•*–—‣▪◦·]|\d{1,3}[.)]|[A-Za-z][.)]|\[[ xX]?\])(?=\s|$)")
_BEFORE = frozenset(":：.。!！?？>→-–—,，、;；*_)）]］}…~`")
"""Signs after which an object may start. It may also start after a letter, or at the start of a line."""
_EMOJI = re.compile("[\u2600-\u27bf\ufe0f\U0001f000-\U0001faff]")
_LEADING_SIGN = re.compile(r"[-=]?>|[:：→…*_]+|\.{3}|(?:[^\x00-\u219f\u3000-\uffef]\ufe0f?)+")
"""Signs that may be alone before an object."""

_SWITCHES = frozenset({"true", "false", "yes", "no", "never", "0", "1"})
Kind = Literal["object", "tool", "call", "yaml"]


@dataclass(slots=True)
class Candidate:
    """A command at a possible place. `kind` is the layout by which the place is possible."""

    start: int
    end: int
    command: shape.FoundCommand
    flags: tuple[str, ...] = ()
    mended: bool = False
    kind: Kind = "object"


@dataclass(slots=True)
class Layout:
    """The result of one scan. `words` are the spans of the text that are neither thoughts nor part of an object."""

    visible: int = 0
    candidates: list[Candidate] = field(default_factory=list)
    spans: list[tuple[int, int]] = field(default_factory=list)
    words: list[tuple[int, int]] = field(default_factory=list)
    errors: list[UnreadableReply] = field(default_factory=list)
    flags: dict[str, None] = field(default_factory=dict)
    cut: bool = False
    foreign: bool = False
    """Whether a command is at a place where it is not the model's own."""
    beside: list[int] = field(default_factory=list)
    """The starts of objects that hold no command."""
    void: bool = False
    """Whether an object names no command although it has a place for one, or holds arguments alone."""


def _takes_back(value: Json) -> bool:
    """Return whether an object after the command is a result, has a switch of unknown meaning, or takes it back."""
    values = [str(item).lower() for item in value.values() if isinstance(item, (str, int))]
    words = ". ".join([*value, *values, *map(str, keys.thoughts(value).values())])
    is_switch = not _SWITCHES.isdisjoint(values) or any(map(value.get, keys.FOREIGN))
    return is_switch or cancels(words) or objection("", words) is not None


class Edge:
    """The quotes, parentheses, fence and tag that are open at a place."""

    def __init__(self) -> None:
        self.quotes = self.curly = self.round = self.square = 0
        self.fence = self.section = ""
        self.fence_from = self.fence_start = self.floor = 0
        self.fence_spans: list[tuple[int, int]] = []
        self.tool = self.react = self.in_list = self.others = False
        self.thoughts = ""

    def take(self, text: str, start: int, end: int) -> None:
        """Count what a span of words opens and closes."""
        words = text[start:end]
        if '"' in words:
            self.quotes += words.count('"')
        for opening, closing in ("“”", "«»", "「」", "『』"):
            if opening in words or closing in words:
                self.curly = max(0, self.curly + words.count(opening) - words.count(closing))
        if "(" in words or ")" in words:
            words = SMILEY.sub("", words)
            self.round = max(0, self.round + words.count("(") - words.count(")"))
        if "[" in words or "]" in words:
            self.square = max(0, self.square + words.count("[") - words.count("]") - words.count("\x1b["))
        if self.fence:
            self.fence_spans.append((start, end))

    def inside(self) -> bool:
        return bool(self.quotes % 2 or self.curly or self.round)

    def free_before(self, text: str, start: int) -> bool:
        line = text.rfind("\n", 0, start) + 1
        prefix = text[line:start].strip()
        return not self.inside() and (not prefix or prefix.endswith((":", "：", "->", "=>", "→")))


class Places:
    """The state of one scan."""

    def __init__(self, objects: Objects, registry: Registry | None) -> None:
        self.objects = objects
        self.text = objects.text
        self.registry = registry
        self.layout = Layout()
        self.pos = 0
        self._edge = Edge()
        self._broken = 0
        self._unclosed = False
        """Whether no fence ends in the rest of the text."""
        self._closers: dict[str, int] = {}
        self._places: list[int] | None = None

    # ------------------------------------------------------------ words and edges

    def _words(self, end: int) -> None:
        """Take the text up to `end` as words."""
        if self.pos < end:
            self.layout.words.append((self.pos, end))
            self._edge.take(self.text, self.pos, end)
        self.pos = end

    def _part(self, start: int, end: int) -> None:
        self.layout.spans.append((start, end))
        self.pos = end

    def _mark(self, end: int) -> None:
        """Pass over a tag, a token or the line of a fence."""
        self.pos = self._edge.floor = end

    def _foreign(self, end: int) -> None:
        """Pass over a command that is not the model's own."""
        self._saw_foreign()
        self._part(self.pos, end)

    def _saw_foreign(self) -> None:
        """Note a foreign command. Raises UnreadableReply after the model's own, which it may replace."""
        if self.layout.candidates:
            raise unreadable("two commands", *self.layout.flags)
        self.layout.foreign = True

    def _forget(self, end: int) -> None:
        """Drop everything before `end`, because it was thought."""
        self.layout = Layout(visible=end, flags={**self.layout.flags, "thoughts dropped": None})
        self._edge = Edge()
        self.pos = end

    # ------------------------------------------------------------ objects

    def _object(self, match: re.Match[str], *, free: bool = False) -> None:
        text, start = self.text, self.pos
        if not free and not self._stands_free(start):
            self._pass_object(start)
            return
        if escaped.START.match(text, start):
            self._read_escaped(start)
            return
        try:
            obj = self.objects.at(start)
        except GarbledText as error:
            self._pass_garbled(error, start)
            return
        self._part(start, obj.end)
        self._add(obj, "tool" if self._edge.tool else "object")

    def _pass_garbled(self, error: GarbledText, start: int) -> None:
        if error.flag == "too deep" or error.looks_like_command:
            closer = re.compile(r"</(\w+)\s*>").match(self.text, error.pos)
            if error.flag == "garbled" and closer is not None and closer[1].lower() in tokens.THINKING:
                self.pos = error.pos  # the object was part of a thought
                return
            raise unreadable(error.flag, *self.layout.flags) from None
        self._broken += 1
        if self._broken > MAX_BROKEN:
            raise unreadable("too large") from None
        self._words(max(error.pos, start + 1))

    def _pass_object(self, start: int) -> None:
        """Pass over an object in quotes, brackets or a sentence."""
        if self.text[start - 1 : start] + self.text[start + 1 : start + 2] in ('""', "''", "“”"):
            self._words(start + 1)
            return
        try:
            obj = self.objects.at(start)
        except GarbledText as error:
            if error.looks_like_command or self.text.startswith("\\", start + 1):
                raise unreadable("foreign", *self.layout.flags) from None
            self._pass_garbled(error, start)
            return
        if obj.looks_like_command:
            self._foreign(obj.end)
        else:
            self._part(start, obj.end)

    def _read_escaped(self, start: int) -> None:
        if '"' in self.text[self.layout.visible : start]:
            raise unreadable("garbled")  # it may stand inside a string
        command, end = escaped.read(self.objects, start, self.registry)
        self._part(start, end)
        self.layout.candidates.append(Candidate(start, end, command, ("escaped quotes",)))

    def _add(self, obj: Object, kind: Kind) -> None:
        try:
            command = find(obj, self.registry)
        except UnreadableReply as error:
            holds = isinstance(obj.value, dict) and any(key.strip().lower() == "command" for key in obj.value)
            if error.flags[0] == "truncated" or (holds and error.flags[0] != "placeholder") or kind != "object":
                raise unreadable(error.flags[0], *obj.flags) from None
            self.layout.errors.append(error)
            return
        if command is not None:
            command.bare = command.bare and kind == "object"
            self.layout.candidates.append(Candidate(obj.start, obj.end, command, obj.flags, obj.state.mended, kind))
        elif self._edge.in_list and isinstance(obj.value, dict):
            raise unreadable("foreign", *obj.flags)
        elif self.layout.candidates and isinstance(obj.value, dict) and _takes_back(obj.value):
            raise unreadable("words", *obj.flags)
        elif obj.state.open:
            if obj.looks_like_command:
                raise unreadable("truncated", *obj.flags)
            self.layout.cut = True
        elif isinstance(obj.value, dict) and shape.is_void(obj.value):
            self.layout.void = True
        elif isinstance(obj.value, dict) and obj.value:
            self.layout.beside.append(obj.start)

    def _stands_free(self, start: int) -> bool:
        """Return whether an object at `start` is outside quotes, comments, calls, lists of points and code."""
        edge = self._edge
        if edge.inside() or edge.others:
            return False
        floor = self.layout.spans[-1][1] if self.layout.spans else self.layout.visible
        floor = max(floor, edge.floor, start - 2_000)
        line = max(floor, self.text.rfind("\n", floor, start) + 1)
        prefix = lexicon.COLOUR.sub("", self.text[line:start]).strip(lexicon.BLANK_SIGNS)
        if not prefix:
            return (
                not self.text[max(floor, line - 200) : line].rstrip().endswith(("=", "(", "&gt;", "-->", "--[[", "{-"))
            )
        if prefix.endswith("["):
            prefix = prefix.rstrip("[ \t")
            edge.in_list = True
        if edge.square > edge.in_list:
            return False
        if not prefix:
            return True
        if _BULLET.match(prefix):
            return False
        if prefix.startswith(_COMMENT_LINE):
            return prefix == ">" and self._is_all_after(line, start)
        if not (edge.in_list or any(map(str.isalnum, prefix)) or _LEADING_SIGN.fullmatch(prefix)):
            return False
        last = prefix[-1]
        return (last.isalnum() or last in _BEFORE or _EMOJI.match(last) is not None) and not prefix.endswith(
            ("~~", "&gt;", "-->", '":', "':")
        )

    def _is_all_after(self, line: int, start: int) -> bool:
        """Return whether the object at `start` is the whole text after the start of its `line`, as after a prompt."""
        if lexicon.COLOUR.sub("", self.text[:line]).strip(lexicon.BLANK_SIGNS):
            return False
        try:
            end = self.objects.at(start).end
        except GarbledText:
            return False
        return not lexicon.COLOUR.sub("", self.text[end:]).strip(lexicon.BLANK_SIGNS)

    def _pass_over(self, start: int, end: int) -> None:
        """Take this part as words. A command in it is foreign."""
        if self._holds_command(start, end):
            self._saw_foreign()
        self.layout.words.append((start, end))
        self.pos = end

    def _holds_command(self, start: int, end: int) -> bool:
        """Return whether an object, a call on a line of its own or a YAML command starts in this part."""
        if self._places is None:
            self._places = [match.start() for match in _PLACE.finditer(self.text)]
            self.objects.work.chars += len(self.text)
        at = bisect_left(self._places, start)
        return at < len(self._places) and self._places[at] < end
