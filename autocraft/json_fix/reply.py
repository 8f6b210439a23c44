"""The results of reading an answer: a `Reply`, or an `UnreadableReply` whose text the model gets."""

from __future__ import annotations

from collections.abc import Collection, Sequence
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
