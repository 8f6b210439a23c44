"""Finds where a command may be in an answer, by one scan that knows a short list of layouts.

An object or call is a candidate at the start, on a line of its own, after words that lead to it, in a fence of its own,
or in a tag of a known list. Thoughts, comments, quotes, code, and unknown tags and tokens are never candidates. A
command there makes the whole answer foreign, and the answer is refused.
"""

from __future__ import annotations

import re

from autocraft.errors import UnreadableReply
from autocraft.json_fix import calls, lexicon, shape, tokens, yamlish
from autocraft.json_fix.heuristic import Object, Objects
from autocraft.json_fix.places import MAX_BROKEN, MAX_PARTS, OBJECT, START, Layout
from autocraft.json_fix.reader import GarbledText
from autocraft.json_fix.reply import Registry, unreadable
from autocraft.json_fix.tags import Tags

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
_MARK = re.compile(
    rf"^(?:{_LINE})"
    rf"|(?P<object>\{{(?![{{｛]{{2}})(?:(?={START})|(?=\s*\\n\s*\\?\"))|｛(?={START}))"
    r"|(?P<tag><(?=[A-Za-z!/|｜]))"
    r"|(?P<fence>```|~~~|'''(?!'))"
    r"|(?P<tick>`)"
    r"|(?P<bracket>\[(?=[A-Z/]{2}|[A-Za-z_][\w.]*\())"
    r"|(?P<shade>◁(?=/?think▷))"
    r"|(?P<comment>/[/*]|#(?!\w))"
    r"|(?P<final>assistantfinal)"
    r"|(?P<done>(?:\.\.\.|…)done thinking\.?)"
    r"|(?P<functools>functools(?=\[))",
    re.MULTILINE,
)
"""The start of every part with a layout of its own. Each branch begins with one character, for a fast search."""
_FENCE = re.compile(
    r"(?:`{3,9}+|~{3}|'{3})[ \t]*(?P<language>\{\.\w{1,20}\}|[\w+.\-]*)[ \t]*(?P<rest>[^\n{\[<]{0,80}+)"
)
_FENCE_TICKS = re.compile(r"`+|~+|'+")
_TICK_END = re.compile(r"`[ \t.。]*(?:[(\n]|\Z)")
_RESULT = re.compile(r"[ \t\r;]*\n\s*(?:[-=]>|→|\[(?!\w+\(|/|EOS\]))")
"""What a call gave back, on a later line."""
_FENCE_LINE = re.compile(r"...[\w \t]{0,20}(?:\n|\Z)")
_FENCE_END = re.compile(r"^[ \t>]*(?:`{3,9}|~~~|''')[ \t]*$", re.MULTILINE)
_INNER = re.compile(rf"(?:[{lexicon.BLANK}]|//[^\n]*+\n|\#[^\n]*+\n|/\*(?:[^*]|\*(?!/)){{0,2000}}+\*/)*+")


def scan(objects: Objects, registry: Registry | None) -> Layout:
    """Return all candidates in order, with the words around them. Raises UnreadableReply."""
    return _Scanner(objects, registry).run()


class _Scanner(Tags):
    """The state of one scan."""

    def run(self) -> Layout:
        text, size = self.text, len(self.text)
        self.objects.work.chars += size
        while self.pos < size and (match := _MARK.search(text, self.pos)) is not None:
            start = match.start()
            self._words(start)
            kind = match.lastgroup if match["turn"] is None else "turn"
            getattr(self, f"_{kind}")(match)
            if len(self.layout.spans) > MAX_PARTS:
                raise unreadable("too large")
            if len(self.layout.candidates) > shape.MOST_CALLS:
                raise unreadable("two commands")
        self._words(size)
        if self._edge.section:
            raise unreadable("truncated", *self.layout.flags)
        return self.layout

    # ------------------------------------------------------------ fences, backticks, comments

    def _fence(self, match: re.Match[str]) -> None:
        text, edge = self.text, self._edge
        at = match.start()
        mark = match.group()
        if mark not in ("```", edge.fence) and _FENCE_LINE.match(text, at) is None:
            end = text.find(mark, at + 3)
            self.objects.work.chars += (len(text) if end < 0 else end) - at
            self._pass_quote(at, at + 3 if end < 0 else end + 3)
            return
        if edge.fence == mark:
            spans = (text[a:b] for a, b in edge.fence_spans if a >= edge.fence_start)
            if any(span.strip(" \t\r\n;,[]") for span in spans):  # the fence holds more than objects
                del self.layout.candidates[edge.fence_from :]
                self.layout.foreign = True
            edge.fence = ""
            edge.tool = False
            self._mark(_FENCE_TICKS.match(text, at).end())  # type: ignore[union-attr]
            return
        if self.layout.candidates and not text[self.layout.candidates[-1].end : at].strip():
            self._mark(_FENCE_TICKS.match(text, at).end())  # type: ignore[union-attr]
            return
        opener = _FENCE.match(text, at)
        assert opener is not None
        inside = _INNER.match(text, opener.end()).end()  # type: ignore[union-attr]
        rest = opener["rest"].strip().lower().removeprefix("copy")  # the label of a button
        is_allowed = opener["language"].strip("{.}").lower() in tokens.FENCES and not rest
        if not is_allowed and not rest and calls.CALL.match(text, at + 3):
            is_allowed, inside = True, at + 3
        free = self._stands_free(match.start()) or text[at - 1 : at] == "\n"
        if inside >= len(text) or not (is_allowed and free and self._starts(inside)):
            self._skip_fence(match.start(), opener.end())
            return
        self.pos = opener.end()
        self._words(inside)
        edge.fence, edge.fence_start, edge.fence_from = mark, inside, len(self.layout.candidates)
        edge.fence_spans = []
        edge.tool = edge.tool or opener["language"].lower().startswith("tool_")
        self._mark(inside)

    def _starts(self, pos: int) -> bool:
        """Return whether something that may hold a command starts at `pos`."""
        starts = ("<", "command:", "thoughts:", '"command":', '"thoughts":', "---", "Action", "{", "｛", "[")
        return self.text.startswith(starts, pos) or calls.call_start(self.text, pos) is not None

    def _skip_fence(self, start: int, pos: int) -> None:
        """Pass over code."""
        if self._unclosed:
            self._mark(start + 3)
            return
        end = _FENCE_END.search(self.text, max(pos, self.text.find("\n", pos)))
        self.objects.work.chars += (len(self.text) if end is None else end.end()) - pos
        if end is None and self.layout.candidates:
            self._unclosed = True  # the end of a fence that was never opened
            self._mark(start + 3)
            return
        stop = len(self.text) if end is None else end.end()
        self.layout.flags["code left out"] = None
        if self.text[start:pos].strip("`~' \t\n").lower() in tokens.PROSE and not self._holds_command(start, stop):
            self.pos = pos
            self._words(stop if end is None else end.start())  # words may stand in it
            self.pos = stop
        else:
            self._part(start, stop)

    def _tick(self, match: re.Match[str]) -> None:
        text, start = self.text, self.pos
        inside = start + 1
        if OBJECT.match(text, inside) and self._edge.free_before(text, start):
            try:
                obj = self.objects.at(inside)
            except GarbledText:
                self._broken += 1
                obj = None
                if self._broken > MAX_BROKEN:
                    raise unreadable("too large") from None
            if obj is not None and _TICK_END.match(text, obj.end):
                self.pos = inside
                self._part(inside, obj.end)
                self._add(obj, "object")
                self.pos = obj.end + 1
                return
        marks = "``" if text.startswith("``", start) else "`"
        end = text.find(marks, start + len(marks), start + 2_000)
        self._pass_quote(start, start + len(marks) if end < 0 else end + len(marks))

    def _pass_quote(self, start: int, end: int) -> None:
        """Pass over the text between two marks. Without a second mark, pass over the first mark."""
        if self._holds_command(start, end):
            self._foreign(end)
        else:
            self._pass_over(start, end)

    def _comment(self, match: re.Match[str]) -> None:
        text, start = self.text, match.start()
        if match.group() != "/*" and start and not text[start - 1].isspace():
            self._words(match.end())
            return
        if match.group() == "/*":
            close = text.find("*/", start)
            end = len(text) if close < 0 else close + 2
        else:
            close = text.find("\n", match.end())
            end = len(text) if close < 0 else close
            thought = tokens.THOUGHT.search(text, match.end(), end)
            end = end if thought is None else thought.start()  # it opens or closes thoughts, wherever it stands
        self._pass_over(start, end)

    def _turn(self, match: re.Match[str]) -> None:
        """Begin the turn of a speaker. Only the assistant's turn is the model's own."""
        if self._edge.react and match["role"] == "Observation":
            self.pos = len(self.text)
            return
        self._edge.others = match["role"] not in ("Assistant", "AI")
        self._words(match.end())

    # ------------------------------------------------------------ calls and YAML

    def _action(self, match: re.Match[str]) -> None:
        start = calls.ACTION.match(self.text, match.start())
        if start is None:
            call = re.compile(_CALL, re.MULTILINE).match(self.text, match.start())
            if call is not None:
                self._call(call)
                return
            self._words(max(match.end(), match.start() + 1))
            return
        self._edge.react = True
        call_reading = calls.action(self.text, start, self.objects.work)
        self._tool(call_reading, match.start())

    def _call(self, match: re.Match[str]) -> None:
        """Read ``f(a=1)`` at the start of a line. The line may hold nothing else."""
        text = self.text
        label = match.group()
        begins = match.end()
        start = calls.call_start(text, begins)
        rest = text[begins : begins + 400].split("\n", 1)[0]
        if start is None or any(sign in label for sign in ">#") or label.startswith((" ", "\t", "* ")):
            self._words(begins + 1)
            return
        alone = not self._anything()
        try:
            call = calls.call(text, start, self.objects.work)
        except UnreadableReply as error:
            if alone and (rest.rstrip(" ;`").endswith(")") or "\n" not in text[begins : begins + 4_000].strip()):
                self.layout.errors.append(error)
            self._words(begins + len(rest))
            return
        after = text[call.end : call.end + 200].split("\n", 1)[0]
        for token in tokens.END_TOKENS:
            after = after.replace(token, "")
        self._words(begins)
        if "{" in after or after.rstrip().endswith(("->", "=>", "→", ":")) or _RESULT.match(text, call.end):
            raise unreadable("foreign", *self.layout.flags)  # what the call gave back
        if after.strip(" \t\r;`*."):
            self._part(begins, call.end)
            self.layout.foreign = True
            return
        self._written_call(call, begins)

    def _functools(self, match: re.Match[str]) -> None:
        if not self._stands_free(match.start()):
            raise unreadable("foreign", *self.layout.flags)
        self._edge.tool = True
        self._mark(match.end())

    def _yaml(self, match: re.Match[str]) -> None:
        """Read ``command:`` or ``thoughts:`` at the start of a line."""
        text, start = self.text, self.pos
        colon = text.index(":", start) + 1
        if self._edge.inside():
            self._pass_over(start, colon)
            return
        after = lexicon.BLANKS.match(text, colon).end()  # type: ignore[union-attr]
        if "thought" in text[start:colon]:
            end = yamlish.block_end(text, start)
            if re.compile(r"[\"']?command[\"']?:").match(text, end):
                self._edge.thoughts = text[start:end]
                self._part(start, end)
            else:
                self._words(colon)
        elif text.startswith(("{", "｛"), after) and OBJECT.match(text, after):
            self._mark(after)
            self._object(match, free=True)
        else:
            end = len(text)
            if self._edge.fence:
                close = _FENCE_END.search(text, start)
                end = len(text) if close is None else close.start()
            value, end = yamlish.command(text, start, end)
            if self._edge.fence and end == len(text):
                raise unreadable("truncated", *self.layout.flags)  # nothing else in YAML shows where it was to end
            if self._edge.thoughts:
                value["thoughts"] = {"text": self._edge.thoughts.strip()}
            self._part(start, end)
            self._add(Object(value, start, end, flags=("yaml",)), "yaml")
