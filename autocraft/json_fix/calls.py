"""Reads tool calls in the formats of the model families, and calls as text: ``f(a=1)``, lists of them, Action.

`read` gets the text and the place of an opener of a family, and returns a command-shaped value with its end. A call
counts only with its own end token. The value of a parameter tag stays text (`Raw`).
`tests/json_fix/native_writers.py` lists the families and the source of each format.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from autocraft.json_fix import lexicon, plain
from autocraft.json_fix.reader import GarbledText, Reader, Reading
from autocraft.json_fix.reply import unreadable
from autocraft.json_fix.values import Raw

_NAME = r"(?P<name>[\w.\-:/]{1,128}+)"
_NAMESPACE = r"(?:(?:antml|atem|minimax):)?"


@dataclass(frozen=True)
class _Tags:
    """A call as tags: its opener, the opener and the end of a parameter, and its end."""

    start: re.Pattern[str]
    parameter: re.Pattern[str]
    value_end: re.Pattern[str]
    end: re.Pattern[str]
    padded: bool = False
    """Whether the template writes each value on separate lines."""


def _tags(start: str, parameter: str, value_end: str, end: str, *, padded: bool = False) -> _Tags:
    patterns = re.compile(start), re.compile(rf"\s*{parameter}"), re.compile(value_end), re.compile(rf"\s*{end}")
    return _Tags(*patterns, padded)


_QUOTED = r"[\"']?" + _NAME + r"[\"']?"
_KEY = r"(?P<key>[^\"'<>\n]{1,128}+)"
_TAGGED: tuple[_Tags, ...] = (
    _tags(
        rf"<(?:function|tool)(?:\s*=|\s+name\s*=)\s*{_QUOTED}\s*>",
        rf"<(?:parameter|arg|param)(?:\s*=\s*|\s+name\s*=\s*)[\"']?{_KEY}[\"']?\s*>",
        r"</(?:parameter|arg|param)\s*>",
        r"</(?:function|tool)\s*>",
        padded=True,
    ),
    _tags(
        rf"<{_NAMESPACE}invoke\s+name\s*=\s*{_QUOTED}\s*>",
        rf"<{_NAMESPACE}parameter\s+name\s*=\s*[\"']?{_KEY}[\"']?(?:\s+string=\"(?P<kind>true|false)\")?\s*>",
        rf"</{_NAMESPACE}parameter\s*>",
        rf"</{_NAMESPACE}invoke\s*>",
    ),
    _tags(
        rf"<｜DSML｜ ?invoke\s+name=\"{_NAME}\"\s*>",
        rf"<｜DSML｜ ?parameter\s+name=\"{_KEY}\"(?:\s+string=\"(?P<kind>true|false)\")?\s*>",
        r"</｜DSML｜ ?parameter\s*>",
        r"</｜DSML｜ ?invoke\s*>",
    ),
    _tags(
        rf"<tool_call>\s*{_NAME}\s*(?=<arg_key>|</tool_call>)",
        rf"<arg_key>\s*{_KEY}\s*</arg_key>\s*<arg_value>",
        r"</arg_value>",
        r"</tool_call>",
    ),
    _tags(
        rf"<\|open\|>call tool=\"{_NAME}\"(?:\s+index=\"\d+\")?\s*<\|sep\|>",
        rf"<\|open\|>argument key=\"{_KEY}\"(?:\s+type=\"(?P<kind>\w+)\")?\s*<\|sep\|>",
        r"<\|close\|>argument<\|sep\|>",
        r"<\|close\|>call<\|sep\|>",
    ),
)

_WITH_JSON: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...] = tuple(
    (re.compile(start), re.compile(end))
    for start, end in (
        (rf"<(?:function|tool)(?:\s*=|\s+name\s*=)\s*{_QUOTED}\s*>\s*(?=[{{｛])", r"(?:\s*</(?:function|tool)\s*>)?"),
        (rf"<{_NAMESPACE}invoke\s+name\s*=\s*{_QUOTED}\s*>\s*(?=[{{｛])", rf"\s*</{_NAMESPACE}invoke\s*>"),
        (rf"<｜DSML｜ ?invoke\s+name=\"{_NAME}\"\s*>\s*(?=[{{｛])", r"\s*</｜DSML｜ ?invoke\s*>"),
        (rf"<tool_call>\s*{_NAME}\s*```(?:json)?\s*(?=[{{｛])", r"\s*```\s*</tool_call>"),
        (
            rf"\[TOOL_CALLS\]\s*{_NAME}\s*(?:\[CALL_ID\]\s*[\w\-]{{1,64}}+\s*)?(?:\[ARGS\])?\s*(?=[{{｛])",
            r"(?:\s*\[/TOOL_CALLS\])?",
        ),
        (
            rf"<｜tool▁call▁begin｜>function<｜tool▁sep｜>{_NAME}\s*```json\s*(?=[{{｛])",
            r"\s*```\s*<｜tool▁call▁end｜>",
        ),
        (rf"<｜tool▁call▁begin｜>{_NAME}<｜tool▁sep｜>\s*(?=[{{｛])", r"\s*<｜tool▁call▁end｜>"),
        (
            rf"<\|tool_call_begin\|>\s*(?:functions\.)?{_NAME}\s*<\|tool_call_argument_begin\|>\s*(?=[{{｛])",
            r"\s*<\|tool_call_end\|>",
        ),
        (
            rf"<\|open\|>call tool=\"{_NAME}\"(?:\s+index=\"\d+\")?\s*<\|sep\|><\|open\|>json type=\"object\"<\|sep\|>",
            r"<\|close\|>json<\|sep\|><\|close\|>call<\|sep\|>",
        ),
    )
)

SECTIONS: dict[str, str] = {
    "<｜tool▁calls▁begin｜>": "<｜tool▁calls▁end｜>",
    "<|tool_calls_section_begin|>": "<|tool_calls_section_end|>",
    "<｜DSML｜function_calls>": "</｜DSML｜function_calls>",
    "<｜DSML｜tool_calls>": "</｜DSML｜tool_calls>",
    "<｜DSML｜ calls>": "</｜DSML｜ calls>",
    "<antml:function_calls>": "</antml:function_calls>",
    "<function_calls>": "</function_calls>",
    "<atem:function_calls>": "</atem:function_calls>",
    "<minimax:tool_call>": "</minimax:tool_call>",
    "<seed:tool_call>": "</seed:tool_call>",
    "<|open|>tools<|sep|>": "<|close|>tools<|sep|>",
    "<|tools_prefix|>": "<|tools_suffix|>",
    "<|tool_call_start|>": "<|tool_call_end|>",
    "<|START_ACTION|>": "<|END_ACTION|>",
}
"""Openers of a list of calls that must be closed, since a further call may follow."""

_BRACED = (
    (re.compile(rf"<\|tool_call>call:{_NAME}(?=\{{)"), '<|"|>', "<tool_call|>"),
    (re.compile(rf"<start_function_call>call:{_NAME}(?=\{{)"), "<escape>", "<end_function_call>"),
)
_PADDED = re.compile(r"\r?\n(.*?)\r?\n", re.DOTALL)
_PUNCTUATION = re.compile(r"[\s{}\[\],:\w.+\-]*+")
_BARE_KEY = re.compile(r"(?<=[{,])\s*([A-Za-z_][\w.\-]*+)\s*:")
_ANSWER = {"thoughts", "command"}
APERTUS = re.compile(r"<\|tools_prefix\|>\s*(?=\[)")


def read(text: str, pos: int) -> Reading | None:
    """Read the call whose opener is at `pos`. Return None if there is no opener. Raises UnreadableReply."""
    for opener, read_call in _FORMATS if text.startswith(_OPENERS, pos) else ():
        match = opener.match(text, pos)
        if match is not None:
            return read_call(text, match)
    return None


def arguments(text: str, brace: int) -> Reading:
    """Read the object of arguments at `brace`. Raises UnreadableReply, also if it is a whole answer with a command."""
    strict = plain.at(text, brace)
    if strict is not None:
        reading = Reading(*strict)
    else:
        try:
            reading = Reader(text).read(brace)
        except GarbledText as error:
            raise unreadable(error.flag) from None
    value = reading.value
    if isinstance(value, dict) and value.keys() <= _ANSWER and isinstance(value.get("command"), dict):
        raise unreadable("two commands")
    return reading


def _read_json(text: str, match: re.Match[str], *, end: re.Pattern[str]) -> Reading:
    name = re.sub(r":\d+$", "", match["name"])
    args = arguments(text, match.end())
    closer = end.match(text, args.end)
    if closer is None:
        raise unreadable("truncated" if not text[args.end :].strip() or len(text) - args.end < 40 else "garbled")
    return args._replace(value={"name": name, "args": args.value}, end=closer.end())


def _read_tags(text: str, match: re.Match[str], *, tags: _Tags) -> Reading:
    args: dict[str, Any] = {}
    pos = match.end()
    while (parameter := tags.parameter.match(text, pos)) is not None:
        close = tags.value_end.search(text, parameter.end())
        if close is None:
            raise unreadable("truncated")
        kind = parameter.groupdict().get("kind")
        key = parameter["key"].strip()
        if key in args:
            raise unreadable("doubtful")
        args[key] = _value(text[parameter.end() : close.start()], kind, padded=tags.padded)
        pos = close.end()
    end = tags.end.match(text, pos)
    if end is None:
        raise unreadable("truncated" if not text[pos:].strip() else "garbled")
    return Reading({"name": match["name"], "args": args}, end.end())


def _value(raw: str, kind: str | None, *, padded: bool) -> Any:
    if kind in ("true", "string"):
        return raw
    if kind is not None:
        value, sound = plain.strictly(raw)
        if not sound:
            raise unreadable("garbled")
        return value
    lines = _PADDED.fullmatch(raw) if padded else None
    return Raw(lines[1] if lines else raw)


def _read_braces(text: str, match: re.Match[str], *, quote: str, closer: str) -> Reading:
    """Read ``call:name{key:<|"|>text<|"|>,n:3}``. Strings are between tokens, and keys have no quotes."""
    pieces: list[str] = []
    pos = match.end()
    while True:
        string = text.find(quote, pos)
        end = text.find(closer, pos, len(text) if string < 0 else string)
        if end < 0 and string < 0:
            raise unreadable("truncated")
        outside = text[pos : string if end < 0 else end]
        if _PUNCTUATION.fullmatch(outside) is None:
            raise unreadable("garbled")
        pieces.append(outside)
        if end >= 0:
            break
        pos = text.find(quote, string + len(quote))
        if pos < 0:
            raise unreadable("truncated")
        pieces.append(text[string + len(quote) : pos])
        pos += len(quote)
    outer = [_BARE_KEY.sub(r'"\1":', piece) for piece in pieces[::2]]
    source = "".join(
        part + (json.dumps(pieces[2 * at + 1]) if 2 * at + 1 < len(pieces) else "") for at, part in enumerate(outer)
    )
    args, sound = plain.strictly(source)
    if not sound or not isinstance(args, dict):
        raise unreadable("garbled")
    return Reading({"name": match["name"], "args": args}, end + len(closer))


def _read_keys(text: str, match: re.Match[str]) -> Reading:
    """Read ``<|tools_prefix|>[{"name": {…}}]``."""
    strict = plain.at(text, match.end())
    if strict is None or not isinstance(strict[0], list):
        raise unreadable("truncated" if strict is None else "garbled")
    calls = strict[0]
    if not all(isinstance(call, dict) and len(call) == 1 for call in calls):
        raise unreadable("garbled")
    close = lexicon.BLANKS.match(text, strict[1]).end()  # type: ignore[union-attr]
    if not text.startswith("<|tools_suffix|>", close):
        raise unreadable("truncated")
    pairs = [{"name": name, "args": args} for call in calls for name, args in call.items()]
    return Reading(pairs, close + len("<|tools_suffix|>"))


_FORMATS: tuple[tuple[re.Pattern[str], Callable[..., Reading]], ...] = (
    *((start, partial(_read_json, end=end)) for start, end in _WITH_JSON),
    *((tags.start, partial(_read_tags, tags=tags)) for tags in _TAGGED),
    *((start, partial(_read_braces, quote=quote, closer=closer)) for start, quote, closer in _BRACED),
    (APERTUS, _read_keys),
)
_OPENERS = (
    "<function", "<tool", "<invoke", "<antml:invoke", "<atem:invoke", "<minimax:invoke", "<｜DSML｜", "<|open|>call",
    "<|tool", "<｜tool▁call▁begin｜>", "<start_function_call>", "[TOOL_CALLS]",
)  # fmt: skip
"""The beginnings of all openers in `_FORMATS`. Most tags begin otherwise, and are compared with none of them."""


# ------------------------------------------------------------ harmony

_MESSAGE = re.compile(
    r"(?:<\|start\|>)?(?P<role>assistant)?(?:\s*to=(?P<to>[\w.\-]{1,128}+))?\s*"
    r"<\|channel\|>(?P<channel>analysis|commentary|final)\b(?:\s*to=(?P<later>[\w.\-]{1,128}+))?\s*"
    r"(?:<\|constrain\|>)?\s*(?:json|code)?\s*<\|message\|>"
)
_MESSAGE_END = re.compile(r"<\|(?:end|call|return)\|>")
HARMONY = ("<|channel|>", "<|start|>")


def message(text: str, pos: int) -> tuple[Reading | Literal["thought", "final"], int] | None:
    """Read the message of harmony whose header is at `pos`: a call, a thought, or the start of the final text.

    Return it with its end. Return None if there is none. Raises UnreadableReply.
    """
    match = _MESSAGE.match(text, pos)
    if match is None:
        return None
    target = match["to"] or match["later"]
    if match["channel"] == "final" and target is None:
        return "final", match.end()
    if target is None or match["channel"] == "analysis":
        end = _MESSAGE_END.search(text, match.end())
        if end is None:
            raise unreadable("unclosed think")
        return "thought", end.end()
    if not target.startswith("functions."):
        raise unreadable("foreign")
    brace = lexicon.BLANKS.match(text, match.end()).end()  # type: ignore[union-attr]
    if not text.startswith("{", brace):
        raise unreadable("truncated" if brace >= len(text) else "garbled")
    args = arguments(text, brace)
    end = re.compile(r"\s*<\|call\|>").match(text, args.end)
    if end is None:
        raise unreadable("truncated" if not text[args.end :].strip() else "garbled")
    value = {"name": target.removeprefix("functions."), "args": args.value}
    return args._replace(value=value, end=end.end()), end.end()


# ------------------------------------------------------------ calls as text

CALL = re.compile(r"([A-Za-z_][\w.]{0,127}+)\(")
_INPUT_LABEL = r"[ \t*_]*(?:Action[ _]Input|Tool[ _]Input|Input|Args|Arguments|Parameters)[ \t*_]*:[ \t*_]*"
ACTION = re.compile(
    r"[ \t]*[*_]*(?:Action|Tool)[ \t*_]*:[ \t*_]*[`\[\"']?([\w.\-]{1,128}+)[`\]\"']?[ \t*_]*\r?\n\s*" + _INPUT_LABEL,
    re.IGNORECASE,
)
_INPUT = re.compile(rf"\s*(?:```\s*)?{_INPUT_LABEL}", re.IGNORECASE)
_KEYWORDS = frozenset(
    ["if", "elif", "for", "while", "def", "class", "with", "assert", "return", "print", "not", "and", "or", "in", "is",
     "lambda", "switch", "catch", "function", "await", "async", "new", "typeof", "del", "raise", "except", "import",
     "from", "yield", "else", "try", "super", "range", "len", "str", "int", "list", "dict", "set", "json.loads",
     "json.dumps", "console.log"]
)  # fmt: skip
_PYTHON = re.compile(r"(?<!\\)(?:\\\\)*+\\(?:x[0-9a-fA-F]{2}|[0-7]|U[0-9a-fA-F]{8}|N\{|\r?\n)")
"""An escape of Python that JSON does not have."""
_OPENING = re.compile(r"\s*(?:```\w*\s*)?")
_NOTHING = re.compile(r"(?:null|None|none|\{\})?`*[ \t]*\r?\n\s*(?:$|Observation\b|Thought\b)")
_COMMA = re.compile(r"\s*,\s*")
_LIST_END = re.compile(r"\s*\]")


def call_start(text: str, pos: int) -> re.Match[str] | None:
    """Match the start of a call at `pos`. Return None if there is none, or only a keyword of a programming language."""
    match = CALL.match(text, pos)
    return None if match is None or match[1] in _KEYWORDS else match


def call(text: str, start: re.Match[str]) -> Reading:
    """Read ``name(a=1, b="x")``. `start` is from `call_start`. Raises UnreadableReply for arguments without names."""
    inside = lexicon.SKIP.match(text, start.end()).end()  # type: ignore[union-attr]
    try:
        reading = Reader(text).read(start.end() - 1, kind="(")
    except GarbledText:
        is_named = lexicon.key_ahead("call").match(text, inside)
        raise unreadable("garbled" if is_named else "positional") from None
    if "escapes guessed" in reading.flags and _PYTHON.search(text, inside, reading.end):
        raise unreadable("doubtful")
    return reading._replace(value={"name": start[1], "args": reading.value})


def calls(text: str, pos: int) -> list[Reading] | None:
    """Read the calls of a list ``[f(a=1), g()]`` at `pos`. Return None if there is no such list. Raises
    UnreadableReply.
    """
    pos += 1
    readings: list[Reading] = []
    while (start := call_start(text, lexicon.BLANKS.match(text, pos).end())) is not None:  # type: ignore[union-attr]
        readings.append(call(text, start))
        end = _LIST_END.match(text, readings[-1].end)
        if end is not None:
            readings[-1] = readings[-1]._replace(end=end.end())
            return readings
        between = _COMMA.match(text, readings[-1].end)
        if between is None:
            raise unreadable("truncated")
        pos = between.end()
    if readings:
        raise unreadable("garbled")
    return None


def action(text: str, start: re.Match[str]) -> Reading:
    """Read ``Action: name`` with ``Action Input: {…}`` on the next line. Raises UnreadableReply."""
    pos = _OPENING.match(text, start.end()).end()  # type: ignore[union-attr]
    if text.startswith(("{", "｛"), pos):
        args = arguments(text, pos)
        if _INPUT.match(text, args.end):
            raise unreadable("two commands")
        return args._replace(value={"name": start[1], "args": args.value})
    nothing = _NOTHING.match(text, pos)
    if nothing is not None:
        return Reading({"name": start[1], "args": {}}, nothing.end())
    raise unreadable("positional" if text[pos:].strip() else "truncated")
