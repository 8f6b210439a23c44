"""The work to read a text grows in proportion to its size.

Calls of functions are counted for a text and for one twice as long, so that a busy machine changes nothing. What a
pattern walks is no call. So the time of the processor is compared too, for a text and for eight times as much of it.
Linear growth gives 8, quadratic growth 64. What seems slow is measured again, and then the least time counts.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from random import Random

import pytest

from autocraft.errors import UnreadableReply
from autocraft.json_fix.reading import read
from tests.sampling import drawn

HEAD = '{"command": {"name": "x", "args": {"a": "'
ARGS = '{"command": {"name": "x", "args": {"a": '
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
    "comments with braces": ("", "// {\n", ""),
    "hashes with braces": ("", "# {\n", ""),
    "fence lines after an answer": ('{"command": {"name": "x", "args": {}}}\n', "```\n", ""),
    "colours after an answer": ('{"command": {"name": "x", "args": {}}}', "\x1b[0m", ""),
    "strings of gemma": ("<|tool_call>call:a{", 'b:<|"|>c<|"|>,', "}<tool_call|>"),
    "calls with open strings": ("", 'a(b="\n', ""),
    "fences with comments on one line": ('{"command": {"name": "x", "args": {}}}', "```//", '"}}}'),
    "escaped objects that end too soon": ("", '｛\\"1\\"}', "}"),
    "comments in depth": ("", '{"a":/**/', ""),
    "digits": ('{"args": {"a": ', "1", "}}"),
}
SIGNS = "{}[]()<>\"'`:,;=#/\\*|&-_.!?\n\t aAx1😀“”：｛\x1b\u200b"
WORDS = ["```", "//", "/*", "*/", "# ", "> ", '{"', '":', '",', '\\"', "<a>", "</a>", "<think>", "</think>", "a("]
WORDS += ["a=1", "[{", "}]", "command", '"args"', "tool", "'''", "~~~", "<|a|>", "&quot;", "- ", "Action", "User:"]
WORDS += ["[THINK]", "\x1b[0m", "\u202e", "- a\n", '<|"|>', "EOF", "\\n", "|", "::"]
STRUCTURE = ["{", "[", '{"', '":', "a:", ",", "}", "]", '"', "/**/", "//", "#", "\n"]
LEAST = 0.004
"""Seconds under which growth is not measured."""
MOST = 20.0
"""The most growth over eight times the size: linear is 8, quadratic is 64, and a busy machine is in between."""


FIXED = 300
"""Calls that a text takes whatever its size."""


def seconds(text: str, tries: int = 3) -> float:
    """Return the least time of the processor to read a text."""
    times = []
    for _ in range(tries):
        began = time.process_time()
        with suppress(UnreadableReply):
            read(text)
        times.append(time.process_time() - began)
        if times[-1] < LEAST:
            break
    return min(times)


def growth(pattern: tuple[str, str, str], size: int, most: float = MOST) -> float:
    """Return how much longer eight times a text takes, or 0 if that is too short to be measured.

    One run of the long text is enough if it shows no more than `most`.
    """
    head, body, tail = pattern
    small, large = (head + body * (count // len(body)) + tail for count in (size, 8 * size))
    time_of_large = seconds(large, tries=1)
    if time_of_large < LEAST:
        return 0.0
    time_of_small = max(seconds(small), LEAST / 8)
    return min(time_of_large, seconds(large) if time_of_large > most * time_of_small else time_of_large) / time_of_small


def slow(patterns: Sequence[tuple[str, str, str]]) -> list[tuple[str, str, str]]:
    """Return the patterns whose time grows faster than their size, also when they are measured again."""
    found = [each for each in patterns if growth(each, 10_000) > MOST]
    return [each for each in found if min(growth(each, 10_000) for _ in range(3)) > MOST]


def steps(text: str) -> int:
    """Return how many functions are called to read a text, those in C too."""
    calls = 0

    def note(_: object, event: str, __: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        with suppress(UnreadableReply):
            read(text)
    finally:
        sys.setprofile(before)
    return calls


def many_steps(patterns: Sequence[tuple[str, str, str]]) -> list[tuple[str, str, str]]:
    """Return the patterns whose calls grow by more than 2.3 when the text doubles, and again when it doubles once more.

    Once alone it may be that the text has become too deep, or too broken, and is then read in another way.
    """
    return [each for each in patterns if all(_jumps(each, size) for size in (3_000, 6_000))]


def _jumps(pattern: tuple[str, str, str], size: int) -> bool:
    head, body, tail = pattern
    small, large = (steps(head + body * (count // len(body)) + tail) for count in (size, 2 * size))
    return large > 2.3 * small + FIXED


@pytest.mark.sampled(15)
@pytest.mark.parametrize("name", PATTERNS)
def test_calls_grow_with_the_size_and_no_faster(name: str) -> None:
    assert many_steps([PATTERNS[name]]) == []


def test_made_up_pieces_take_no_more_than_linear_steps() -> None:
    assert many_steps(pieces(seed=1, count=40)) == []


@pytest.mark.full
@pytest.mark.parametrize("seed", drawn(range(20, 30), 3))
def test_thousands_of_made_up_pieces_take_no_more_than_linear_steps(seed: int) -> None:
    assert many_steps(pieces(seed, count=300)) == []


@pytest.mark.sampled(10)
@pytest.mark.parametrize("name", PATTERNS)
def test_time_grows_with_the_size_and_no_faster(name: str) -> None:
    assert slow([PATTERNS[name]]) == []


def pieces(seed: int, count: int) -> list[tuple[str, str, str]]:
    """Return texts that repeat a made-up piece of up to eight characters, some after the start of an answer.

    Half of the pieces are made of signs of the structure alone, so that some of them nest, or open what nothing closes.
    """
    rng, made = Random(seed), []
    for _ in range(count):
        signs = rng.choice([STRUCTURE, [*SIGNS, *WORDS]])
        piece = "".join(rng.choice(signs) for _ in range(rng.randint(1, 5)))[:8]
        head = rng.choice(["", "", HEAD, ARGS, '{"command": {"name": "x", "args": {}}}'])
        made.append((head, piece, rng.choice(["", "}", '"}}}'])))
    return made


@pytest.mark.full
@pytest.mark.parametrize("seed", drawn(range(2, 12), 3))
def test_hundreds_of_made_up_pieces_take_no_more_than_linear_time(seed: int) -> None:
    assert slow(pieces(seed, count=60)) == []


@pytest.mark.full
@pytest.mark.parametrize("name", drawn(list(PATTERNS), 27))
def test_a_million_characters(name: str) -> None:
    """What takes another way above 80,000 characters, the most of the test before."""
    assert growth(PATTERNS[name], 125_000, 2 * MOST) <= 2 * MOST


def test_a_large_argument_comes_back_whole() -> None:
    code = 'say("hi");\n' * 20_000
    for text in (
        '{"command": {"name": "write_file", "args": {"content": "' + code.replace('"', '\\"') + '",}}}',
        '{"command": {"name": "write_file", "args": {"content": "' + code + '"}}}',
    ):
        assert read(text).args == {"content": code}
