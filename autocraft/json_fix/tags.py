"""Tags and special tokens of an answer: thoughts, calls, wrappers, turns. A command in an unknown tag is refused.

Each public function reads what begins at the `pos` of a scan.
"""

from __future__ import annotations

import re

from autocraft.json_fix import calls, lexicon, tokens
from autocraft.json_fix.reader import Reading
from autocraft.json_fix.reply import unreadable
from autocraft.json_fix.scan import MAX_TAGS, Scan

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
_ENDS = re.compile(rf"(?:[\s`]|{'|'.join(map(re.escape, sorted(tokens.END_TOKENS)))})*+")
_CHANNELS = re.compile(r"\s*(?:analysis|commentary|assistant)")
_OLLAMA = re.compile(r"\s*Thinking")
_VOID = frozenset({"br", "hr", "p", "b", "i", "em", "strong"})


def tag(scan: Scan, match: re.Match[str]) -> None:
    text, start = scan.text, scan.pos
    if text.startswith("<!--", start):
        close = text.find("-->", start)
        scan.pass_over(start, len(text) if close < 0 else close + 3)
        scan.edge.floor = scan.pos
        return
    if text.startswith(calls.HARMONY, start) and _harmony(scan, start):
        return
    if call := calls.read(text, start):
        _tool(scan, call, start)
    elif _thinking(scan, start):
        return
    elif token := _TOKEN.match(text, start):
        _token(scan, token.group(), start)
    elif tag := _TAG.match(text, start):
        _named_tag(scan, tag)
    else:
        scan.words(start + 1)


def _tool(scan: Scan, call: Reading, start: int) -> None:
    scan.call(call, start, native=True, own=scan.edge.tool or scan.is_free(start))


def _harmony(scan: Scan, start: int) -> bool:
    message = calls.message(scan.text, start)
    if message is None:
        return False
    kind, end = message
    if kind == "thought":
        scan.thought(start, end)
    elif kind == "final":
        scan.mark(end)
    else:
        _tool(scan, kind, start)
    return True


def _thinking(scan: Scan, start: int) -> bool:
    """Skip the thoughts that begin here with a token. Return False if no such token is here."""
    if not scan.text.startswith(_THINKING, start):
        return False
    for opener, closer in tokens.THINKING_TOKENS.items():
        if scan.text.startswith(opener, start):
            _think(scan, start, start + len(opener), closer)
            return True
        if scan.text.startswith(closer, start):
            scan.forget(start + len(closer))
            return True
    return False


def _think(scan: Scan, start: int, inside: int, closer: str) -> None:
    end = scan.text.find(closer, inside)
    if end < 0:
        raise unreadable("unclosed think")
    scan.thought(start, end + len(closer))


def _token(scan: Scan, token: str, start: int) -> None:
    end = start + len(token)
    edge = scan.edge
    role = _ROLE.match(scan.text, start)
    if role is not None and (role[1] or role[2]).lower() in tokens.OWN_ROLES and not scan.has_begun():
        scan.mark(role.end())
    elif (token in calls.SECTIONS or token in tokens.TOOL_TOKENS) and not (edge.tool or scan.is_free(start)):
        raise scan.refusal("foreign")
    elif token in calls.SECTIONS:
        edge.section = calls.SECTIONS[token]
        edge.tool = True
        scan.mark(end)
    elif edge.section and token == edge.section:
        edge.section = ""
        edge.tool = False
        scan.mark(end)
    elif token in tokens.TOOL_TOKENS:
        edge.tool = True
        scan.mark(end)
        _call_list(scan, end)
    elif token in tokens.WRAPPER_TOKENS:
        scan.mark(end)
    elif token in tokens.END_TOKENS:
        scan.mark(end)
        if _ENDS.fullmatch(scan.text, end) is None:
            raise scan.refusal("foreign")
        scan.pos = len(scan.text)
    elif not scan.candidates or token[0] == "[" or lexicon.blanks_end(scan.text, end) < len(scan.text):
        raise scan.refusal("foreign")
    else:
        scan.words(end)


def _call_list(scan: Scan, pos: int) -> None:
    """Read calls as ``[f(a=1)]`` after a token for tool calls."""
    pos = lexicon.blanks_end(scan.text, pos)
    items = calls.calls(scan.text, pos) if scan.text.startswith("[", pos) else None
    for each in items or ():
        _tool(scan, each, pos)


def _named_tag(scan: Scan, tag: re.Match[str]) -> None:
    text, closing, name = scan.text, bool(tag[1]), tag[2].lower()
    edge = scan.edge
    if name in tokens.THINKING:
        if closing:
            if _QUOTED.search(text[max(0, tag.start() - 2) : tag.start()]):
                scan.words(tag.end())
                return
            scan.forget(tag.end())
            return
        close = re.compile(rf"</{re.escape(name)}\s*>", re.IGNORECASE).search(text, tag.end())
        if close is None:
            raise unreadable("unclosed think")
        scan.thought(tag.start(), close.end())
    elif tag.group() in tokens.END_TOKENS:
        _token(scan, tag.group(), tag.start())
    elif name in tokens.TOOL_TAGS:
        _tool_tag(scan, tag, closing=closing)
    elif name in tokens.WRAPPER_TAGS and (closing or not tag[3].strip()):
        scan.mark(tag.end())
    elif name == "start_of_turn" and (role := _ROLE.match(text, tag.start())):
        _token(scan, role.group(), tag.start())
    else:
        _unknown_tag(scan, tag, name, closing=closing)
    edge.floor = scan.pos


def _tool_tag(scan: Scan, tag: re.Match[str], *, closing: bool) -> None:
    edge, opener = scan.edge, tag.group().lower()
    if closing:
        edge.tool = False
        if opener == edge.section:
            edge.section = ""
        scan.mark(tag.end())
        return
    if not scan.is_free(tag.start()) and not edge.tool:
        raise scan.refusal("foreign")
    if _NAMES.search(tag[3]) or _HEADER.match(scan.text, tag.end()):
        raise scan.refusal("foreign")  # what follows are the arguments of that name
    edge.tool = True
    edge.section = calls.SECTIONS.get(opener, edge.section)
    scan.mark(tag.end())
    start = calls.call_start(scan.text, lexicon.blanks_end(scan.text, tag.end()))
    while start is not None:
        _tool(scan, calls.call(scan.text, start), start.start())
        start = calls.call_start(scan.text, lexicon.blanks_end(scan.text, scan.pos))


def _unknown_tag(scan: Scan, tag: re.Match[str], name: str, *, closing: bool) -> None:
    text = scan.text
    if len(scan.closing_tags) > MAX_TAGS:
        raise unreadable("too large")
    if closing:
        if scan.candidates:
            raise scan.refusal("foreign")
    elif name not in _VOID and not tag.group().endswith("/>"):
        if name not in scan.closing_tags:
            scan.closing_tags[name] = text.rfind(f"</{tag[2]}")
        end = scan.closing_tags[name] if scan.closing_tags[name] > tag.end() else len(text)
        if scan.holds_command(tag.end(), end):
            raise scan.refusal("foreign")
    scan.words(tag.end())


def bracket(scan: Scan, match: re.Match[str]) -> None:
    text, start = scan.text, scan.pos
    if _thinking(scan, start):
        return
    if call := calls.read(text, start):
        _tool(scan, call, start)
        return
    if token := _UPPER.match(text, start):
        _token(scan, token.group(), start)
        return
    if (start == 0 or text[start - 1] in "\n>") and scan.is_free(start):
        for each in calls.calls(text, start) or ():
            scan.call(each, start, native=scan.edge.tool, own=not scan.edge.inside())
    if scan.pos == start:
        scan.words(start + 1)


def shade(scan: Scan, match: re.Match[str]) -> None:
    if scan.text.startswith("◁think▷", scan.pos):
        _think(scan, scan.pos, scan.pos + len("◁think▷"), "◁/think▷")
    else:
        scan.forget(scan.pos + len("◁/think▷"))


def final(scan: Scan, match: re.Match[str]) -> None:
    """Drop the thoughts before the text ``assistantfinal``, if the answer is a list of harmony's channels."""
    if scan.candidates or not _CHANNELS.match(scan.text):
        raise scan.refusal("foreign")
    scan.forget(match.end())


def done(scan: Scan, match: re.Match[str]) -> None:
    """Drop what Ollama shows as thoughts, from ``Thinking...`` to ``...done thinking.``"""
    if scan.visible or not _OLLAMA.match(scan.text):
        raise scan.refusal("foreign")
    scan.forget(match.end())
