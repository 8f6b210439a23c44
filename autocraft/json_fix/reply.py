"""The results of reading an answer: a `Reply`, or an `UnreadableReply` whose text the model gets.

`describe` and `repair_diff` say for a person what was repaired.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from typing import Any, Literal, NamedTuple, Protocol

from autocraft.errors import UnreadableReply

Json = dict[str, Any]
Stage = Literal["plain", "heuristic", "brace slice", "llm fix"]

FORMAT = 'Send one JSON object: {"thoughts": {…}, "command": {"name": "…", "args": {…}}}'

REFUSALS: dict[str, tuple[str, str]] = {
    "empty": ("The answer was empty.", f"{FORMAT}."),
    "no command": ("The answer holds no command.", f"{FORMAT}."),
    "truncated": (
        "The answer was cut off before the command's arguments were complete.",
        "Send the whole object again, shorter; write long content in several commands.",
    ),
    "two commands": ("The answer holds several different commands.", "Send only the one to run now."),
    "placeholder": (
        "The answer repeats the placeholder of the format.",
        "Send the name and arguments of a real command.",
    ),
    "positional": ("The command's arguments have no names.", "Send args as an object of named arguments."),
    "arguments": (
        "The command's args are not an object.",
        "Send args as an object of named arguments, {} if it has none.",
    ),
    "doubtful": (
        "An argument can be read in two ways.",
        'Send it again with each quote as \\", each backslash as \\\\, each line break as \\n, each '
        "bracket in its place and no number out of range.",
    ),
    "garbled": ("The answer is not JSON that can be read without guessing.", f"{FORMAT}, with nothing around it."),
    "refusal": ("The model declined to answer.", "Send a command only if it is to be run."),
    "words": (
        "The answer has words around its command that nobody could judge, so nothing was run.",
        "Send the bare object with thoughts and command, and nothing around it.",
    ),
    "quoted": (
        "The answer repeats, beside other words, a command that stands in the data it was shown, so nothing was run.",
        "If you mean it yourself, send the bare object with thoughts and command, and nothing around it.",
    ),
    "foreign": (
        "The answer holds a command only inside something else (a quote, a comment, code, a tool result or an "
        "unknown tag), so nothing was run.",
        "Send the bare object with thoughts and command, and nothing around it.",
    ),
    "definition": (
        "The answer shows the definition of a command.",
        "Send the name and the arguments of the command to run.",
    ),
    "unclosed think": (
        "The thinking block was never closed, so the answer has no command.",
        "Close it, then send the JSON object.",
    ),
    "too deep": ("The answer is nested too deeply.", "Send flatter arguments."),
    "too large": ("The answer holds too many broken objects to read.", "Send one JSON object and nothing else."),
    "unreadable": (
        "The answer could not be read because of a fault in autocraft.",
        f"{FORMAT}, with nothing around it.",
    ),
    "fix refused": (
        "The answer could not be repaired without changing its arguments.",
        "Send the whole object again as valid JSON.",
    ),
}
"""Flag of a refusal -> what was wrong, and what the model should send instead."""


def unreadable(flag: str, *more: str) -> UnreadableReply:
    """Return the error for `flag`, a key of REFUSALS. `more` are further flags."""
    return UnreadableReply(" ".join(REFUSALS[flag]), (flag, *[name for name in more if name != flag]))


def wrong_with(error: str, flags: Sequence[str]) -> str:
    """Return for a person what was wrong with an answer. `error` is for the model."""
    return REFUSALS[flags[0]][0] if flags and flags[0] in REFUSALS else error


class Registry(Protocol):
    """The registry, as far as the reader needs it: the names of the commands and of their arguments."""

    def names(self) -> Collection[str]: ...

    def parameters(self, name: str, /) -> Collection[str]: ...

    def accepts(self, name: str, /) -> Collection[str] | None:
        """Return the argument names of this command, with synonyms. Return None if there is no such command."""
        ...

    def texts(self, name: str, /) -> Collection[str]:
        """Return those argument names whose value may be text. The value of such a tag stays as it was written."""
        ...


class Reply(NamedTuple):
    """One command that was read from an answer. `stage` is the stage that read it. `flags` name the repairs.

    If `doubt` is not empty, nobody can tell from the answer whether the command is to be run. It holds the words around
    the command, for the person or the judge who decides.
    """

    name: str
    args: Json
    thoughts: Json
    stage: Stage = "plain"
    flags: tuple[str, ...] = ()
    doubt: str = ""


# ------------------------------------------------------------ repairs in words

MAX_DIFF_LINES = 2_000

WORDS: dict[str, str] = {
    "brackets in comments": "a comment that was left out holds closing brackets",
    "closers missing": "closing brackets were missing at the end",
    "code left out": "a block of code was left out",
    "comments": "comments were left out",
    "doubled braces": "doubled braces were read as one",
    "escaped quotes": "the whole object was escaped as if inside a string",
    "escapes guessed": "invalid escapes were read by the policy",
    "length": "the model stopped at its length limit",
    "missing commas": "missing commas were added",
    "not a number": "NaN or an infinity was read as null",
    "odd blanks": "unusual blanks or invisible characters were left out",
    "odd commas": "other signs stood for commas or colons",
    "odd numbers": "a number was written in a way that JSON does not have",
    "other quotes": 'other quotation marks stood for "',
    "python literals": "True, False or None were read as JSON",
    "quotes guessed": "unescaped quotes inside a string were kept",
    "raw delimiters": "text between raw delimiters was read as a string",
    "raw line breaks": "line breaks or tabs inside a string were kept",
    "text around": "text around the object was left out",
    "thoughts dropped": "a thinking block was left out",
    "thoughts unread": "the thoughts could not be read, the command could",
    "trailing commas": "superfluous commas were left out",
    "unquoted keys": "keys without quotes were read",
    "unquoted text": "a text without quotes was read",
    "yaml": "the command was written as YAML",
}
"""Flag of a reply -> the repair in words."""


def describe(flags: Iterable[str]) -> list[str]:
    """Return one phrase for each flag. For a refusal, it is what the model is told."""
    return [WORDS.get(flag) or " ".join(REFUSALS.get(flag, (flag,))) for flag in flags]


def repair_diff(text: str, reply: Reply) -> list[str]:
    """Return the lines of a unified diff from `text` to the command that was read, without the file header.

    Return [] for strict JSON. For over 2,000 lines, return only the command.
    """
    if reply.stage == "plain":
        return []
    value = {"thoughts": reply.thoughts, "command": {"name": reply.name, "args": reply.args}}
    after = json.dumps(value, ensure_ascii=False, indent=2).split("\n")
    before = text.removesuffix("\n").split("\n")
    if len(before) > MAX_DIFF_LINES or len(after) > MAX_DIFF_LINES:
        return [f"+{line}" for line in after]
    from difflib import unified_diff

    return [line.rstrip("\n") for line in unified_diff(before, after, lineterm="", n=2)][2:]
