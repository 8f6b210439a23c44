"""Tags and special tokens of an answer: thoughts, calls, wrappers, turns. A command in an unknown tag is refused."""

from __future__ import annotations

import re

from autocraft.json_fix import calls, families, lexicon, tokens, words
from autocraft.json_fix.heuristic import Object
from autocraft.json_fix.places import MAX_TAGS, Kind, Places
from autocraft.json_fix.reader import Reading
from autocraft.json_fix.reply import unreadable

_TAG = re.compile(r"<(/?)([A-Za-z_][\w:.\-]{0,60}+)((?:\s[^<>]{0,200}+)?)/?>")
_TOKEN = re.compile(
    r"<\|(?:open|close)\|>\w{1,20}+<\|sep\|>|<\|channel>\w*|<[|｜][^<>\n]{1,60}+>|<[\w]{1,30}\|>|</?｜DSML｜[^<>\n]{1,60}+>"
)
_ROLE = re.compile(
    r"(?:<\|im_start\|>|<\|start_header_id\|>|<start_of_turn>|<\|turn>|<\|start\|>|<\|header_start\|>|<\|im_)"
    r"\s*(\w+)(?:<\|end_header_id\|>|<\|header_end\|>|\|?>)?[ \t]*\n*|<[|｜]([Aa]ssistant)[|｜]>"
)
_UPPER = re.compile(r"\[/?[A-Z][A-Z_]{1,30}\]")
_NAMES = re.compile(r"\s(?:name|function|tool)\s*=", re.IGNORECASE)
_HEADER = re.compile(r"\s*(?!json\b)[A-Za-z_][\w.\-]{0,127}+\s*(?:```(?:json)?\s*)?\{")
_QUOTED = re.compile(r"(?:\A|[\s(:：])[\"'“‘«]\Z")
_THINKING = (*tokens.THINKING_TOKENS, *tokens.THINKING_TOKENS.values())
_VOID = frozenset({"br", "hr", "p", "b", "i", "em", "strong"})


class Tags(Places):
    """The state of a scan that reads tags and tokens."""

    def _tag(self, match: re.Match[str]) -> None:
        text, start = self.text, self.pos
        if text.startswith("<!--", start):
            close = text.find("-->", start)
            self._pass_over(start, len(text) if close < 0 else close + 3)
            self._edge.floor = self.pos
            return
        if text.startswith(families.HARMONY, start) and self._harmony(start):
            return
        if call := families.read(text, start, self.objects.work):
            self._tool(call, start)
        elif self._thinking(start):
            return
        elif token := _TOKEN.match(text, start):
            self._token(token.group(), start)
        elif tag := _TAG.match(text, start):
            self._named_tag(tag)
        else:
            self._words(start + 1)

    def _tool(self, call: Reading, start: int) -> None:
        self._add_call(call, start, "tool", own=self._edge.tool or self._stands_free(start))

    def _written_call(self, call: Reading, start: int) -> None:
        self._add_call(call, start, "tool" if self._edge.tool else "call", own=not self._edge.inside())

    def _add_call(self, call: Reading, start: int, kind: Kind, *, own: bool) -> None:
        """Add the model's `own` call, or pass over a foreign one."""
        if not own:
            self._foreign(call.end)
            return
        self._part(start, call.end)
        self._add(Object(call.value, start, call.end, call.state, call.flags), kind)

    def _harmony(self, start: int) -> bool:
        message = families.message(self.text, start, self.objects.work)
        if message is None:
            return False
        kind, end = message
        if kind == "thought":
            self._thought(start, end)
        elif kind == "final":
            self._mark(end)
        else:
            self._tool(kind, start)
        return True

    def _thinking(self, start: int) -> bool:
        """Skip the thoughts that begin here with a token. Return False if no such token is here."""
        if not self.text.startswith(_THINKING, start):
            return False
        for opener, closer in tokens.THINKING_TOKENS.items():
            if self.text.startswith(opener, start):
                self._think(start, start + len(opener), closer)
                return True
            if self.text.startswith(closer, start):
                self._forget(start + len(closer))
                return True
        return False

    def _think(self, start: int, inside: int, closer: str) -> None:
        end = self.text.find(closer, inside)
        self.objects.work.chars += (len(self.text) if end < 0 else end) - inside
        if end < 0:
            raise unreadable("unclosed think")
        self._thought(start, end + len(closer))

    def _thought(self, start: int, end: int) -> None:
        """Pass over thoughts. They may only come before the command, since later ones may take it back."""
        self.layout.flags["thoughts dropped"] = None
        if self.layout.candidates:
            raise unreadable("words", *self.layout.flags)
        self._part(start, end)

    def _token(self, token: str, start: int) -> None:
        end = start + len(token)
        edge = self._edge
        role = _ROLE.match(self.text, start)
        if role is not None and (role[1] or role[2]).lower() in tokens.OWN_ROLES and not self._anything():
            self._mark(role.end())
        elif (token in families.SECTIONS or token in tokens.TOOL_TOKENS) and not (
            edge.tool or self._stands_free(start)
        ):
            raise unreadable("foreign", *self.layout.flags)
        elif token in families.SECTIONS:
            edge.section = families.SECTIONS[token]
            edge.tool = True
            self._mark(end)
        elif edge.section and token == edge.section:
            edge.section = ""
            edge.tool = False
            self._mark(end)
        elif token in tokens.TOOL_TOKENS:
            edge.tool = True
            self._mark(end)
            self._call_list(end)
        elif token in tokens.WRAPPER_TOKENS:
            self._mark(end)
        elif token in tokens.END_TOKENS:
            self._mark(end)
            rest = self.text[end:]
            for each in tokens.END_TOKENS:
                rest = rest.replace(each, "")
            if rest.strip("` \t\r\n"):
                raise unreadable("foreign", *self.layout.flags)
            self.pos = len(self.text)
        elif self.text[end:].strip() or not self.layout.candidates or token[0] == "[" or not words.is_harmless(token):
            raise unreadable("foreign", *self.layout.flags)
        else:
            self._mark(end)

    def _anything(self) -> bool:
        """Return whether words or a candidate come before."""
        return bool(self.layout.candidates) or any(self.text[a:b].strip() for a, b in self.layout.words)

    def _call_list(self, pos: int) -> None:
        """Read calls as ``[f(a=1)]`` after a token for tool calls."""
        pos = lexicon.BLANKS.match(self.text, pos).end()  # type: ignore[union-attr]
        items = calls.calls(self.text, pos, self.objects.work) if self.text.startswith("[", pos) else None
        for each in items or ():
            self._tool(each, pos)

    def _named_tag(self, tag: re.Match[str]) -> None:
        text, closing, name = self.text, bool(tag[1]), tag[2].lower()
        edge = self._edge
        if name in tokens.THINKING:
            if closing:
                if _QUOTED.search(text[max(0, tag.start() - 2) : tag.start()]):
                    self._words(tag.end())
                    return
                self._forget(tag.end())
                return
            close = re.compile(rf"</{re.escape(name)}\s*>", re.IGNORECASE).search(text, tag.end())
            self.objects.work.chars += (len(text) if close is None else close.end()) - tag.end()
            if close is None:
                raise unreadable("unclosed think")
            self._thought(tag.start(), close.end())
        elif tag.group() in tokens.END_TOKENS:
            self._token(tag.group(), tag.start())
        elif name in tokens.TOOL_TAGS:
            self._tool_tag(tag, closing=closing)
        elif name in tokens.WRAPPER_TAGS and (closing or not tag[3].strip()):
            self._mark(tag.end())
        elif name == "start_of_turn" and (role := _ROLE.match(text, tag.start())):
            self._token(role.group(), tag.start())
        else:
            self._unknown_tag(tag, name, closing=closing)
        edge.floor = self.pos

    def _tool_tag(self, tag: re.Match[str], *, closing: bool) -> None:
        edge, opener = self._edge, tag.group().lower()
        if closing:
            edge.tool = False
            if opener == edge.section:
                edge.section = ""
            self._mark(tag.end())
            return
        if not self._stands_free(tag.start()) and not edge.tool:
            raise unreadable("foreign", *self.layout.flags)
        if _NAMES.search(tag[3]) or _HEADER.match(self.text, tag.end()):
            raise unreadable("foreign", *self.layout.flags)  # what follows are the arguments of that name
        edge.tool = True
        edge.section = families.SECTIONS.get(opener, edge.section)
        self._mark(tag.end())
        start = calls.call_start(self.text, lexicon.BLANKS.match(self.text, tag.end()).end())  # type: ignore[union-attr]
        while start is not None:
            self._tool(calls.call(self.text, start, self.objects.work), start.start())
            start = calls.call_start(self.text, lexicon.BLANKS.match(self.text, self.pos).end())  # type: ignore[union-attr]

    def _unknown_tag(self, tag: re.Match[str], name: str, *, closing: bool) -> None:
        text = self.text
        if len(self._closers) > MAX_TAGS:
            raise unreadable("too large")
        if closing:
            if self.layout.candidates:
                raise unreadable("foreign", *self.layout.flags)
        elif name not in _VOID and not tag.group().endswith("/>"):
            if name not in self._closers:
                self._closers[name] = text.rfind(f"</{tag[2]}")
                self.objects.work.chars += len(text)
            end = self._closers[name] if self._closers[name] > tag.end() else len(text)
            if self._holds_command(tag.end(), end):
                raise unreadable("foreign", *self.layout.flags)
        self._words(tag.end())

    def _bracket(self, match: re.Match[str]) -> None:
        text, start = self.text, self.pos
        if self._thinking(start):
            return
        if call := families.read(text, start, self.objects.work):
            self._tool(call, start)
            return
        if token := _UPPER.match(text, start):
            self._token(token.group(), start)
            return
        if (start == 0 or text[start - 1] in "\n>") and self._stands_free(start):
            for each in calls.calls(text, start, self.objects.work) or ():
                self._written_call(each, start)
        if self.pos == start:
            self._words(start + 1)

    def _shade(self, match: re.Match[str]) -> None:
        if self.text.startswith("◁think▷", self.pos):
            self._think(self.pos, self.pos + len("◁think▷"), "◁/think▷")
        else:
            self._forget(self.pos + len("◁/think▷"))

    def _final(self, match: re.Match[str]) -> None:
        """Drop the thoughts before the text ``assistantfinal``, if the answer is a list of harmony's channels."""
        if self.layout.candidates or not self.text.lstrip().startswith(("analysis", "commentary", "assistant")):
            raise unreadable("foreign", *self.layout.flags)
        self._forget(match.end())

    def _done(self, match: re.Match[str]) -> None:
        """Drop what Ollama shows as thoughts, from ``Thinking...`` to ``...done thinking.``"""
        if self.layout.visible or not self.text.lstrip().startswith("Thinking"):
            raise unreadable("foreign", *self.layout.flags)
        self._forget(match.end())
