"""The state of one scan of an answer: candidates, words, and what is open at a place.

`brace_slice.py` walks through the answer and calls these methods. `tags.py` handles tags and tokens in the same way.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass, field

from autocraft.errors import UnreadableReply
from autocraft.json_fix import lexicon, shape
from autocraft.json_fix.heuristic import ESCAPED, Object, Objects, find, read_escaped
from autocraft.json_fix.reader import GarbledText, Reading
from autocraft.json_fix.reply import Registry, unreadable

MAX_BROKEN = 100
"""Most objects and calls that cannot be read. Each may cost time in proportion to the rest of the text."""
MAX_PARTS = 20_000
MAX_TAGS = 20
"""Most different unknown tags in an answer."""

START = rf"{lexicon.GAP}[{{｛]?{lexicon.GAP}(?:{lexicon.key_ahead('any').pattern}|\\\\?\"|\"\")"
OBJECT = re.compile(rf"[{{｛](?:(?={START})|{lexicon.GAP}\\n)")
PLACE = re.compile(
    rf"{OBJECT.pattern}|^[ \t]*[A-Za-z_][\w.]{{0,127}}\([^\n]{{0,400}}\)|^[\"']?command[\"']?:"
    r"|<(?:\w+:)?(?:tool_calls?|function(?:_calls?)?|invoke)\b|<[|｜]?(?:tool|open|DSML|python|START_ACTION)|\[TOOL_CALLS\]"
    r"|<(?:\|tool_call|start_function_call)>call:|to=functions\.|^[ \t*_]*Action[ \t*_]*:",
    re.MULTILINE,
)
"""The start of everything that could be a command."""
_COMMENT_LINE = ("//", "#", "--", "%", ";", "/*", "*/", "<!--", "|", ">", "!", "~~")
_LIST_MARK = re.compile(r"(?:[-+•*–]|\d{1,3}[.)]|[A-Za-z][.)]|\[[ xX]?\])(?=\s|$)")
_CODE_LINE = re.compile(r"(?:=|\(|&gt;|-->|--\[\[|\{-|<<-?[\"']?\w{1,16}[\"']?)\Z")
_BEFORE_CODE = re.compile(r"[\w)\]\"'][ \t]*:?[=!]?=\Z|\w\(\Z|[\"']:\Z|\breturn\Z")
_SMILEY = re.compile(r"[:;=8]['\-^]?[()\[\]{}|]")


@dataclass(slots=True)
class Candidate:
    """A command where the layout makes it the model's own. `native` is true for a tool call of a model family."""

    start: int
    end: int
    command: shape.FoundCommand
    flags: tuple[str, ...] = ()
    mended: bool = False
    native: bool = False
    yaml: bool = False
    open_end: bool = False
    fenced: bool = False


class Edge:
    """The quotes, parentheses, fence and tag that are open at a place."""

    def __init__(self) -> None:
        self.quotes = self.curly = self.round = self.square = 0
        self.fence = self.section = ""
        self.fence_from = self.floor = 0
        self.fence_spans: list[tuple[int, int]] = []
        self.tool = self.react = self.in_list = self.others = False
        self.thoughts = ""

    def take(self, words: str) -> None:
        """Count what a span of words opens and closes."""
        if '"' in words:
            self.quotes += words.count('"')
        for opening, closing in ("“”", "«»", "「」", "『』"):
            if opening in words or closing in words:
                self.curly = max(0, self.curly + words.count(opening) - words.count(closing))
        if "(" in words or ")" in words:
            words = _SMILEY.sub("", words)
            self.round = max(0, self.round + words.count("(") - words.count(")"))
        if "[" in words or "]" in words:
            self.square = max(0, self.square + words.count("[") - words.count("]") - words.count("\x1b["))

    def inside(self) -> bool:
        """Return whether a quote or a parenthesis is open."""
        return bool(self.quotes % 2 or self.curly or self.round)


@dataclass
class Scan:
    """One walk through the text of an answer. `pos` is the place that it has reached."""

    objects: Objects
    registry: Registry | None
    pos: int = 0
    visible: int = 0
    """The end of the thoughts. What comes before it was dropped."""
    candidates: list[Candidate] = field(default_factory=list)
    spans: list[tuple[int, int]] = field(default_factory=list)
    """The parts of the text that are objects, calls, thoughts or code."""
    words_at: list[tuple[int, int]] = field(default_factory=list)
    """The parts of the text that are words."""
    errors: list[UnreadableReply] = field(default_factory=list)
    flags: dict[str, None] = field(default_factory=dict)
    cut: bool = False
    foreign: bool = False
    """Whether a command is at a place where it is not the model's own."""
    beside: list[int] = field(default_factory=list)
    """The starts of objects that hold no command."""
    void: bool = False
    """Whether an object names no command although it has a place for one, or holds arguments alone."""
    edge: Edge = field(default_factory=Edge)
    unclosed_fence: bool = False
    """Whether no fence ends in the rest of the text."""
    closing_tags: dict[str, int] = field(default_factory=dict)
    """Unknown tag -> the place of its last end."""
    _broken: int = 0
    _places: list[int] | None = None

    @property
    def text(self) -> str:
        return self.objects.text

    # ------------------------------------------------------------ moving on

    def words(self, end: int) -> None:
        """Take the text up to `end` as words."""
        if self.pos < end:
            self.words_at.append((self.pos, end))
            self.edge.take(self.text[self.pos : end])
            if self.edge.fence:
                self.edge.fence_spans.append((self.pos, end))
        self.pos = end

    def part(self, start: int, end: int) -> None:
        """Pass over an object, a call, thoughts or code."""
        self.spans.append((start, end))
        self.pos = end

    def mark(self, end: int) -> None:
        """Pass over a tag, a token or the line of a fence."""
        self.pos = self.edge.floor = end

    def pass_foreign(self, end: int) -> None:
        """Pass over a command that is not the model's own."""
        self.saw_foreign()
        self.part(self.pos, end)

    def saw_foreign(self) -> None:
        """Note a foreign command. Raises UnreadableReply after the model's own, which it may replace."""
        if self.candidates:
            raise self.refusal("two commands")
        self.foreign = True

    def pass_over(self, start: int, end: int) -> None:
        """Take this part as words. A command in it is foreign."""
        if self.holds_command(start, end):
            self.saw_foreign()
        self.words_at.append((start, end))
        self.pos = end

    def forget(self, end: int) -> None:
        """Drop everything before `end`, because it was thought."""
        self.visible = self.pos = end
        self.candidates, self.spans, self.words_at, self.errors, self.beside = [], [], [], [], []
        self.cut = self.foreign = self.void = False
        self.flags["thoughts dropped"] = None
        self.edge = Edge()

    def thought(self, start: int, end: int) -> None:
        """Pass over thoughts. They may only come before the command, since later ones may take it back."""
        self.flags["thoughts dropped"] = None
        if self.candidates:
            raise self.refusal("words")
        self.part(start, end)

    def refusal(self, flag: str) -> UnreadableReply:
        """Return the error for `flag`, with the flags until now."""
        return unreadable(flag, *self.flags)

    # ------------------------------------------------------------ objects and calls

    def object(self, *, free: bool = False) -> None:
        """Read the object at `pos`, or pass over one that is inside something else."""
        start = self.pos
        if not free and not self.is_free(start):
            self._pass_object(start)
        elif ESCAPED.match(self.text, start):
            self._read_escaped(start)
        else:
            try:
                obj = self.objects.at(start)
            except GarbledText as error:
                self._pass_garbled(error, start)
                return
            self.part(start, obj.end)
            self.add(obj, native=self.edge.tool)

    def call(self, call: Reading, start: int, *, native: bool, own: bool) -> None:
        """Add the model's `own` call, or pass over a foreign one."""
        if own:
            self.part(start, call.end)
            self.add(Object(call.value, start, call.end, call.state, call.flags), native=native, whole=True)
        else:
            self.pass_foreign(call.end)

    def add(self, obj: Object, *, native: bool = False, whole: bool = False, yaml: bool = False) -> None:
        """Note what an object holds: a command, a fault, or nothing. A `whole` one must hold a command."""
        try:
            command = find(obj, self.registry)
        except UnreadableReply as error:
            holds = isinstance(obj.value, dict) and any(key.strip().lower() == "command" for key in obj.value)
            if error.flags[0] == "truncated" or (holds and error.flags[0] != "placeholder") or native or whole:
                raise unreadable(error.flags[0], *obj.flags) from None
            self.errors.append(error)
            if error.flags[0] == "placeholder":
                self._forget_title()
            return
        if command is not None:
            command.bare = command.bare and not native and not whole
            command.no_args = command.no_args or (whole and not command.args)
            fenced = bool(self.edge.fence)
            found = Candidate(obj.start, obj.end, command, obj.flags, obj.state.mended, native, yaml, fenced=fenced)
            self.candidates.append(found)
        elif self.edge.in_list and isinstance(obj.value, dict):
            raise unreadable("foreign", *obj.flags)
        elif obj.state.open:
            if obj.looks_like_command:
                raise unreadable("truncated", *obj.flags)
            self.cut = True
        elif isinstance(obj.value, dict) and obj.value:
            self.beside.append(obj.start)
            self.void = self.void or shape.is_void(obj.value)

    def _forget_title(self) -> None:
        """Drop the line before an object that repeats the format. It speaks of this object."""
        if self.words_at and self.words_at[-1][1] == self.spans[-1][0]:
            start, end = self.words_at.pop()
            line = self.text.rfind("\n", start, start + len(self.text[start:end].rstrip()))
            self.words_at.append((start, max(start, line)))

    def count_broken(self) -> None:
        """Count a part that cannot be read. Raises UnreadableReply for too many."""
        self._broken += 1
        if self._broken > MAX_BROKEN:
            raise unreadable("too large")

    def _pass_garbled(self, error: GarbledText, start: int) -> None:
        if error.flag == "too deep" or error.looks_like_command:
            raise self.refusal(error.flag) from None
        self.count_broken()
        self.words(max(error.pos, start + 1))

    def _pass_object(self, start: int) -> None:
        """Pass over an object in quotes, parentheses, a comment or code."""
        try:
            obj = self.objects.at(start)
        except GarbledText as error:
            if error.looks_like_command or self.text.startswith("\\", start + 1):
                raise self.refusal("foreign") from None
            self._pass_garbled(error, start)
            return
        if obj.looks_like_command:
            self.pass_foreign(obj.end)
        else:
            self.part(start, obj.end)

    def _read_escaped(self, start: int) -> None:
        command, end = read_escaped(self.text, start, self.registry)
        self.part(start, end)
        self.candidates.append(Candidate(start, end, command, ("escaped quotes",)))

    # ------------------------------------------------------------ places

    def is_free(self, start: int) -> bool:
        """Return whether an object at `start` is outside quotes, parentheses, comments, lists, code and other turns."""
        edge = self.edge
        edge.in_list = edge.in_list or self.text[max(0, start - 80) : start].rstrip().endswith("[")
        if edge.inside() or edge.others or edge.square > edge.in_list:
            return False
        floor = max(self.spans[-1][1] if self.spans else self.visible, edge.floor, start - 2_000)
        line = max(floor, self.text.rfind("\n", floor, start) + 1)
        prefix = lexicon.COLOUR.sub("", self.text[line:start]).strip(lexicon.BLANK_SIGNS)
        if not prefix:
            return _CODE_LINE.search(self.text[max(floor, line - 200) : line].rstrip()[-24:]) is None
        return not (
            prefix.startswith(_COMMENT_LINE)
            or _LIST_MARK.match(prefix)
            or _BEFORE_CODE.search(prefix[-16:])
            or prefix.endswith(("~~", "&gt;", "-->"))
        )

    def holds_command(self, start: int, end: int) -> bool:
        """Return whether an object, a call on a line of its own or a YAML command starts in this part."""
        if self._places is None:
            self._places = [match.start() for match in PLACE.finditer(self.text)]
        at = bisect_left(self._places, start)
        return at < len(self._places) and self._places[at] < end

    def has_begun(self) -> bool:
        """Return whether words or a candidate come before."""
        return bool(self.candidates) or any(self.text[a:b].strip() for a, b in self.words_at[:50])
