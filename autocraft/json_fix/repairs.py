"""Describes what was repaired: the flags of a reply in words, and a diff from the answer to the command."""

from __future__ import annotations

import json
from collections.abc import Iterable

from autocraft.json_fix.reply import REFUSALS, Reply

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
