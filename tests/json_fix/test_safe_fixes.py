"""Faults that can be mended without a guess, each with a near one where it would be a guess."""

from __future__ import annotations

import json

import pytest

from autocraft.errors import UnreadableReply
from autocraft.json_fix import read

ARGS = {"count": 3}
COMMAND = '{"name": "dig", "args": {"count": 3}}'
WHOLE = '{"thoughts": {"text": "t"}, "command": ' + COMMAND + "}"
INDENTED = json.dumps(json.loads(WHOLE), indent=2)

READ = {
    "a comment and no closers": '{"thoughts": {"text": "t"}, // a note\n"command": ' + COMMAND,
    "a number out of range in the thoughts": WHOLE.replace('"t"', '"t", "sure": 1e999') + " ",
    "escaped once more": WHOLE.replace('"', '\\"'),
    "escaped line breaks": INDENTED.replace("\n", "\\n"),
    "doubled braces": "{" + WHOLE + "}",
    "doubled quotes": WHOLE.replace('"', '""'),
    "colour": WHOLE.replace(", ", ", \x1b[32m").replace(": ", ": \x1b[0m"),
    "yaml with quoted keys": '"command":\n  "name": dig\n  "args":\n    "count": 3\n',
    "a lost quote before command": WHOLE.replace('"command"', 'command"'),
    "a lost quote after command": WHOLE.replace('"command"', '"command'),
    "quoted lines": "> " + INDENTED.replace("\n", "\n> "),
    "thousands": WHOLE.replace("3", "3_000"),
    "thoughts that are no JSON": WHOLE.replace('"t"', '"t", "plan": ["a", "args": {"b": 1}]'),
    "a fence before the command": WHOLE.replace('"command"', '```json\n"command"'),
    "a bracket in quotes": 'A "{" opens it. ' + WHOLE,
}
REFUSED = {
    "a comment that swallows closers": '{"command": {"name": "dig", "args": {"a": {"b": 1 // }\n, "count": 3}}',
    "a number out of range in the arguments": WHOLE.replace("3", "1e999"),
    "two commands after unreadable thoughts": WHOLE.replace('"t"', '"t" x, "command": ' + COMMAND),
    "a command quoted in cut thoughts": '{"thoughts": {"text": "he said {"a": {}, "command": ' + COMMAND + "}",
    "a line that is not quoted": "> " + INDENTED.replace("\n", "\n> ") + "\nhe said",
    "no thousands": WHOLE.replace("3", "30_00"),
}


@pytest.mark.parametrize("text", READ.values(), ids=READ)
def test_it_is_read(text: str) -> None:
    reply = read(text)
    assert (reply.name, reply.args) == ("dig", {"count": 3000} if "_" in text else ARGS)


@pytest.mark.parametrize("text", REFUSED.values(), ids=REFUSED)
def test_a_guess_is_refused(text: str) -> None:
    with pytest.raises(UnreadableReply):
        read(text)


def test_what_is_not_cut_is_not_called_truncated() -> None:
    """Only then is the model of stage four asked."""
    raw = '{"thoughts": {}, "command": {"name": "w", "args": {"code": "re.match("[({", "x") y", "n": 1}}}'
    with pytest.raises(UnreadableReply) as caught:
        read(raw)
    assert caught.value.flags[0] == "garbled"
