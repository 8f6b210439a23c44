"""No input costs more than work in proportion to its size. Work is counted in characters looked at, never timed."""

from __future__ import annotations

from contextlib import suppress

import pytest

from autocraft.errors import UnreadableReply
from autocraft.json_fix.reading import read
from autocraft.json_fix.work import Work

HEAD = '{"command": {"name": "x", "args": {"a": "'
PATTERNS: dict[str, tuple[str, str, str]] = {
    "{": ("", "{", ""),
    "[": ("", "[", ""),
    '{"': ("", '{"', ""),
    "[{": ("", "[{", ""),
    '"': ("", '"', ""),
    "unclosed string": (HEAD, "x", ""),
    "escapes": (HEAD, "\\d", '"}}}'),
    "nested fences": ("", "```json\n", ""),
    "alternating quotes": ("", "\"'", ""),
    "alternating quotes in a string": (HEAD, "\"a'", '"}}}'),
    "sound objects": ("", '{"a":1} ', ""),
    "broken objects": ("", '{"a": 1 1} ', ""),
    "broken commands": ("", '{"name": x y} ', ""),
    "deep objects": ("", '{"a":', ""),
    "deep lists": ('{"a":', "[", ""),
    "braces in prose": ("", "blah {z} ", ""),
    "comments": ('{"a":', "/* x */", ""),
    "open comments": ("", '{"a":/*', ""),
    "hashes": ("", "{#", ""),
    "likely ends": (HEAD, 'x", "a": (', '"}}}'),
    "closers after quotes": (HEAD, 'x"} ', '"}}}'),
    "list of quotes": ('{"args": {"a": ["', '", "', '"]}}'),
    "three quotes": ('{"args": {"a": """', '""" ', ""),
    "commas": ('{"args": {"a": "x"', ",", "}}"),
    "closers": (HEAD + '"', "}", ""),
    "calls": ("", "a(", ""),
    "yaml": ("command:\n", "  a: b\n", ""),
    "yaml commands": ("", "command: a\n", ""),
    "actions": ("", "Action: a\n", ""),
    "thoughts": ("", "<think>", ""),
    "ends of thoughts": ("", "</think>", ""),
    "parameters": ("<function=a>", "<parameter=b>", ""),
    "escaped objects": ("", '{\\"a', ""),
    "keys": ('{"a": {', '"b": 1, ', ""),
    "blanks": ('{"a": 1', " ", "x}"),
    "backslashes": (HEAD, "\\", '"}}}'),
    "entities": ("", "{&quot;", ""),
    "unknown tags": ("", "<a>", ""),
    "unknown tags around objects": ("<a>", '{"a": 1}<a>', "</a>"),
    "tags of many names": ("", "".join(f"<a{at}>" for at in range(50)), ""),
    "tokens": ("", "<|a|>", ""),
    "quoted objects": ('"', '{"a": x y} ', ""),
    "bracketed objects": ("(", '{"a":', ""),
    "commands": ("", '{"command": "a"} ', ""),
    "backticks": ("", "`{'a':", ""),
    "spans of backticks": ("", "`a` ", ""),
    "comments outside": ("", "// a\n", ""),
    "open comments outside": ("", "/* a ", ""),
    "html comments": ("", "<!-- a ", ""),
    "invokes": ("", '<invoke name="a">', ""),
    "parameters of invokes": ('<invoke name="a">', '<parameter name="b">x</parameter>', ""),
    "keys of glm": ("<tool_call>a", "<arg_key>b</arg_key><arg_value>c", ""),
    "gemma": ("<|tool_call>call:a{", 'b:<|"|>c', ""),
    "harmony": ("", "<|channel|>analysis<|message|>a<|end|>", ""),
    "harmony headers": ("", "<|channel|>", ""),
    "calls of lists": ("[", "a(b=1), ", ""),
    "line of calls": ("", "a(b=1)\n", ""),
    "roles": ("", "User: a\n", ""),
    "quoted lines": ("", "> {a\n", ""),
    "escaped braces": ("", "{\\n", ""),
    "doubled quotes": ("", '{""a"": ', ""),
    "underscores": ('{"a": ', "1_000_", "}"),
    "fences of objects": ("", '```json\n{"a": 1}\n```\n', ""),
    "code": ("", "```sh\nx\n", ""),
    "fences without an end": ('{"command": "a"}</x>', "```a b\n", ""),
    "spans of two backticks": ("", "``a ", ""),
    "spans of quotes": ("", "'''a ", ""),
    "hidden signs": ("", "\u200b", "x"),
    "words and objects": ("", 'a b. {"a": 1} ', ""),
    "smileys": ("", ":( ", ""),
    "salvage": ('{"thoughts": {"a": [', '"x": {}, ', ', "command": {"name": "a", "args": {}}}'),
    "digits": ('{"args": {"a": ', "1", "}}"),
}
PER_CHARACTER = 60
"""More than any input needs; what matters is that it does not grow with the size."""


def work(pattern: tuple[str, str, str], size: int) -> tuple[int, int]:
    """(characters looked at, characters given)"""
    head, body, tail = pattern
    text = head + body * (size // len(body)) + tail
    counted = Work()
    with suppress(UnreadableReply):
        read(text, work=counted)
    return counted.chars, len(text)


@pytest.mark.parametrize("name", PATTERNS)
@pytest.mark.sampled(25)
def test_work_grows_with_the_size_and_no_faster(name: str) -> None:
    small, small_size = work(PATTERNS[name], 10_000)
    large, large_size = work(PATTERNS[name], 80_000)
    assert small >= small_size
    assert large <= PER_CHARACTER * large_size
    assert large / large_size <= 1.5 * small / small_size + 1


@pytest.mark.full
@pytest.mark.parametrize("name", PATTERNS)
def test_a_million_characters(name: str) -> None:
    looked_at, size = work(PATTERNS[name], 1_000_000)
    assert looked_at <= PER_CHARACTER * size


def test_a_large_argument_comes_back_whole() -> None:
    code = 'say("hi");\n' * 200_000
    for text in (
        '{"command": {"name": "write_file", "args": {"content": "' + code.replace('"', '\\"') + '",}}}',
        '{"command": {"name": "write_file", "args": {"content": "' + code + '"}}}',
    ):
        assert read(text).args == {"content": code}
