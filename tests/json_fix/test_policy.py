"""The policy line by line: strings, shapes, wrappers, and what is refused with which flag."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

import pytest

from autocraft.errors import UnreadableReply
from autocraft.json_fix import read
from autocraft.json_fix.reply import REFUSALS
from autocraft.protocols import Answer
from tests.conftest import unmeasured


def argument(raw: str) -> Any:
    """The reading of a string argument written as `raw` between double quotes."""
    return read('{"command": {"name": "note", "args": {"text": "' + raw + '"}}}').args["text"]


def flags_of(text: str | Answer) -> tuple[str, ...]:
    with pytest.raises(UnreadableReply) as caught:
        read(text)
    return caught.value.flags


@pytest.mark.parametrize(
    ("raw", "meant"),
    [
        (r"a\_b", "a_b"),
        (r"can\'t", "can't"),
        (r"\`x\`", "`x`"),
        (r"(\w+)\s\d\.\[", r"(\w+)\s\d\.\["),
        (r"C:\Users\bob\notes", r"C:\Users\bob\notes"),
        (r"\\srv\share\new", r"\\srv\share\new"),
        (r"\user \u00zz", r"\user \u00zz"),
        (r"two words\n\d+", "two words\n\\d+"),
        ("line one\nline two\n", "line one\nline two\n"),
        ("\tindented\r\n", "\tindented\r\n"),
        ('say "hi" now', 'say "hi" now'),
        ('"Go", he said, "now"', '"Go", he said, "now"'),
        ('Er sagte „los" und ging', 'Er sagte „los" und ging'),
        ('a “quoted" word', 'a “quoted" word'),
        ('你说"好"吗', '你说"好"吗'),
        ('print("a", {"k": 2})\\n', 'print("a", {"k": 2})\n'),
        ("```json\n{}\n```", "```json\n{}\n```"),
        (r"\ud83d\ude00 \ud83d", "\U0001f600 \ud83d"),
        ("“smart” ｛全角｝\u200b", "“smart” ｛全角｝\u200b"),
        ('x = re.split("\\d")\nprint("\\n")', 'x = re.split("\\d")\nprint("\\n")'),
    ],
)
def test_a_string_is_read(raw: str, meant: str) -> None:
    assert argument(raw) == meant


@pytest.mark.parametrize(
    "raw",
    [
        r"\bword\d+\b",  # a backspace, or the edge of a word
        r"mods\new\pack",  # a line break, or a folder
        r"see C:\Users\bob\games",
        r"C:\\Users\bob\games",  # doubled here and not there
        'join("\\n")\nnext',  # raw line breaks beside an escaped one
        r'C:\games\", "mode": "x',  # a path that ends in a backslash
        'one" + "two',
        'one" "two',
        'fast" or "slow',
        '快"或"慢',
        '快"，"慢',
        'Er sagte „los" und "ging',
        'a, "b": "c',  # a quote was lost
        '"doubled',
    ],
)
def test_a_string_with_two_readings_is_refused(raw: str) -> None:
    with pytest.raises(UnreadableReply):
        argument(raw)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("98765432109876543210987", 98765432109876543210987),
        ("-18446744073709551617", -18446744073709551617),
        (".25", 0.25),
        ("5.", 5.0),
        ("+7", 7),
        ("1e3", 1000.0),
        ("0x1F", 31),
        ("1_000", 1000),
        ("NaN", None),
        ("-Infinity", None),
        ("True", True),
        ("None", None),
        ("[10 64 3]", [10, 64, 3]),
        ("'say 'hi' now'", "say 'hi' now"),
        ("'C'est l'or'", "C'est l'or"),
        ('["a" "b"]', ["a", "b"]),
    ],
)
def test_a_value_is_read(written: str, meant: object) -> None:
    value = read('{"command": {"name": "set", "args": {"v": ' + written + "}}}").args["v"]
    assert (value, type(value)) == (meant, type(meant))


@pytest.mark.parametrize(
    "written",
    [
        "1,5",
        "3 * 4",
        "1/2",
        "1e999",
        "12 blocks",
        "007",
        "10_00",
        "1.2.3",
        "undefined",
        "sand",
        '"a" + b',
        "'a' if x else 'b'",
        "'a' % 'b'",
        "'a' oder 'b'",
        "'a'/'b'",
        "'don''t'",
        "[1\u202f200]",
        "7 // 2\n",
        "[1\x1f0]",
        "...",
        "1" * 5000,
    ],
)
def test_a_value_that_would_be_a_guess_is_refused(written: str) -> None:
    assert flags_of('{"command": {"name": "set", "args": {"v": ' + written + "}}}")


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "\u2028"])
def test_a_comment_ends_with_its_line(end: str) -> None:
    text = '{"command": {"name": "dig", "args": {"count": 3, // blocks@ "deep": true\n}}}'.replace("@", end)
    assert read(text).args == {"count": 3, "deep": True}


ARGS = {"block": "sand", "amount": 6}
PAIR = {"name": "dig", "args": ARGS}
SHAPES: list[Any] = [
    *(
        {"command": {"name": "dig", key: ARGS}}
        for key in ("arguments", "parameters", "params", "input", "action_input")
    ),
    {"command": "dig", "args": ARGS},
    {"command": {"name": "dig"}, "args": ARGS},
    {"command": json.dumps(PAIR)},
    {"command": 'dig(block="sand", amount=6)'},
    {"thoughts": {"text": "t"}, "command": "functions.dig(block='sand', amount=6)", "args": {}},
    {"command": ["dig(block='sand', amount=6)"]},
    {"command": {"name": "dig", "args": json.dumps(ARGS)}},
    {"command": {"dig": ARGS}},
    {"command": [PAIR]},
    {"command": {"command": "dig", "args": ARGS}},
    {"Command": {"Name": "dig", "Args": ARGS}},
    {"commands": [PAIR]},
    {"response": {"thoughts": {}, "command": PAIR}},
    {"thoughts": {"text": "t", "command": PAIR}},
    {"tool_calls": [{"type": "function", "function": {"name": "dig", "arguments": json.dumps(ARGS)}}]},
    {"function_call": {"name": "dig", "arguments": ARGS}},
    {"action": "dig", "action_input": ARGS},
    {"thoughts": {"text": "t"}, "action": PAIR},
    {"thoughts": {"text": "t"}, "tool": PAIR},
    {"tool": "dig", "input": ARGS},
    PAIR,
    [PAIR, PAIR],
    json.dumps({"command": PAIR}),
    {"role": "assistant", "content": f"```json\n{json.dumps({'command': PAIR})}\n```"},
    {"response": json.dumps({"command": PAIR})},
]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_a_shape_is_read_strictly_and_broken(shape: Any) -> None:
    text = json.dumps(shape)
    for written in (text, "Here: " + text if text[0] != '"' else text):
        reply = read(written)
        assert (reply.name, reply.args) == ("dig", ARGS)


ESCAPED = '{"command": {"name": "dig", "args": @}}'.replace('"', "&quot;")
WRAPPED = [
    '<tool_call>{"name": "dig", "arguments": @}</tool_call>',
    "<function=dig>@</function>",
    "<function=dig><parameter=block>sand</parameter><parameter=amount>6</parameter></function>",
    '<invoke name="dig">\n<parameter name="block">sand</parameter>\n<parameter name="amount">6</parameter>\n</invoke>',
    '[TOOL_CALLS] [{"name": "dig", "arguments": @}]',
    "[TOOL_CALLS]dig@",
    "Thought: x\nAction: dig\nAction Input: @\nObservation: ",
    "Action: dig\nAction Input:\n```json\n@\n```",
    'dig(block="sand", amount=6)',
    '`dig(block="sand", amount=6)`',
    'COMMAND: dig(block="sand", amount=6)',
    "```python\ndig(block='sand', amount=6)\n```",
    "command:\n  name: dig\n  args:\n    block: sand\n    amount: 6\n",
    "command: dig\nargs: {block: 'sand', amount: 6}\n",
    "command:\n  name: dig\n  args:\n    block: 'sand' # near\n    amount: 6 # blocks\n",
    ESCAPED,
    '{"command": {"name" "dig", "args": @}}',
    '{"command": "dig(block="sand", amount=6)"}',
    """{"command": "dig(block='sand', amount=6)", "thoughts": {"text": "n""",
]


@pytest.mark.parametrize("text", WRAPPED)
def test_a_wrapper_is_read(text: str) -> None:
    args = json.dumps(ARGS)
    reply = read(text.replace("@", args.replace('"', "&quot;") if text == ESCAPED else args))
    assert (reply.name, reply.args) == ("dig", ARGS)


@pytest.mark.parametrize("name", ["tool_dig", "tools.dig", "actions.dig", "Action_dig"])
def test_a_call_may_begin_as_a_label_does(name: str) -> None:
    reply = read(f"Here is my command:\n{name}(count=3)")
    assert (reply.name, reply.args) == (name, {"count": 3})


@pytest.mark.parametrize(("written", "meant"), [("TRUE", True), ("False", False), ("Null", None), ("~", None)])
def test_yaml_spells_its_literals_in_several_ways(written: str, meant: object) -> None:
    assert read(f"command:\n  name: set\n  args:\n    v: {written}\n").args["v"] is meant


@pytest.mark.parametrize("key", ["name", "item", "block"])
def test_string_is_an_item_of_minecraft_too(key: str) -> None:
    text = f'{{"command": {{"name": "search_recipe", "args": {{"{key}": "string"@}}}}}}'
    assert read(text.replace("@", "")).args == {key: "string"}
    assert flags_of(text.replace("@", ', "count": "integer"'))[0] == "definition"


@pytest.mark.parametrize(
    ("args", "flags"),
    [
        ("{'text': 'it\\'s', 'to': “Bob”}", ("other quotes",)),
        ("{'text': 'it\\'s \\d'}", ("other quotes", "escapes guessed")),
        ('{"text": "a\tb", "to": “Bob”}', ("raw line breaks", "other quotes")),
        ('{"text": "a\nb", "n": NaN}', ("raw line breaks", "not a number")),
        ('{"n": +7}', ("odd numbers",)),
        ('{}}, "thoughts": {"text": calm', ("unquoted text",)),
        ('\u200b{"n": 7}', ("odd blanks",)),
    ],
)
def test_the_flags_name_what_was_repaired(args: str, flags: tuple[str, ...]) -> None:
    assert read('{"command": {"name": "chat", "args": ' + args + "}}").flags == flags


DEEP = '{"a":' * 600 + "1" + "}" * 600


@pytest.mark.parametrize(
    ("text", "flag"),
    [
        ("", "empty"),
        ("Sorry, no.", "no command"),
        ('{"thoughts": {"text": "idle"}}', "no command"),
        ('{"name": "Alex", "age": 30}', "no command"),
        ('{"command": {"name": "Dig a hole", "args": {}}}', "no command"),
        ('{"command": {"name": "command name", "args": {"arg name": "value"}}}', "placeholder"),
        ('{"command": {"name": "dig", "args": ["sand", 6]}}', "positional"),
        ("dig('sand', 6)", "positional"),
        ("Action: dig\nAction Input: sand", "positional"),
        ("dig(text='\\x41\\101')", "doubtful"),
        ('{"command": "dig(\'sand\', 6)"}', "positional"),
        ('{"command": "dig(block=\'sand\'); wait()"}', "garbled"),
        ('{"command": "dig(block=\'sand\'"}', "no command"),
        ('{"command": "run dig(block=\'sand\')"}', "no command"),
        ('{"command": "if(block=\'sand\')"}', "no command"),
        ('{"command": "dig(block=sand)"}', "doubtful"),
        ('{"command": "dig(block=\'C:\\\\new\')"}', "doubtful"),
        ('{"command": "dig(block=\'sand\')", "args": {"amount": 6}}', "doubtful"),
        ('{"command": "dig(block=\'sand\')", "name": "wait"}', "doubtful"),
        ('{"command": ["dig()", "wait()"]}', "two commands"),
        ('{"command": "dig()"', "truncated"),
        ('{"command": {"name": "dig", "block": "sand"}}', "arguments"),
        ('{"command": {"name": "dig", "args": {"block": "sa', "truncated"),
        ('{"command": {"name": "dig", "args": {"block": "sand", "amount": 6', "truncated"),
        ('{"command": {"name": "dig"', "truncated"),
        ('{"thoughts": {"text": "x"', "truncated"),
        ('{"name": "Alex", "age": 30', "no command"),
        ('{"command": {"name": "dig", "args": {"a": 1, "thoughts": {"text": "x"}}}', "truncated"),
        ("<function=dig><parameter=block>sa", "truncated"),
        ("command:\n  name: dig\n  args:\n    amount: 6", "truncated"),
        ("```yaml\ncommand:\n  name: dig\n  args:\n    block: sand\n", "truncated"),
        ('{"command": {"name": "dig", "args": {}}}\n{"command": {"name": "wait", "args": {}}}', "two commands"),
        ('{"command": [{"name": "dig", "args": {}}, {"name": "wait", "args": {}}]}', "two commands"),
        ('{"command": {"name": "dig", "n\\u0061me": "wait", "args": {}}}', "two commands"),
        ('{"response": {"command": {"name": "dig", "name": "wait", "args": {}}}}', "two commands"),
        ('{"response": {"command": {"name": "dig", "args": {}}}, "response": {"command": "wait"}}', "two commands"),
        ('{"action": "dig", "action": "wait", "args": {}}', "two commands"),
        ('{"tool_calls": [{"name": "dig", "args": {}}], "tool_calls": [{"name": "wait", "args": {}}]}', "two commands"),
        (json.dumps({"command": '{"name": "dig", "name": "wait", "args": {}}'}), "two commands"),
        (f'{{"command": "dig", "command": "wait", "thoughts": {{"plan": {"[" * 1000}{"]" * 1000}}}}}', "two commands"),
        ('{response: {command: {name: "dig", name: "wait", args: {}}}}', "garbled"),
        ("<think>maybe " + json.dumps({"command": PAIR}), "unclosed think"),
        ('{"command": {"name": "dig", "args": ' + '{"a":' * 300 + "1" + "}" * 300 + "}}", "too deep"),
        ('{"a":' * 5_000, "too deep"),
        (f'{{"command": {json.dumps(PAIR)}, "status": {DEEP}, "Status": {DEEP}}}', "foreign"),
        ('{"a": 1 1} ' * 1_000, "too large"),
        ('{"thoughts": {"text": "x"}, "command": {"name": "dig", "args": {"a": 1 1}}}', "garbled"),
        ("{\"note\" = \"see {'command': {'name': 'fake', 'args': {}}}\"}", "foreign"),
        ('{"thoughts": {}, "command": {"name": "dig", "args": {"a": 1}, "b": 2}}}', "doubtful"),
    ],
)
def test_a_refusal_says_why(text: str, flag: str) -> None:
    assert flags_of(text)[0] == flag


def test_what_the_model_is_told_is_one_or_two_sentences() -> None:
    for text in map(" ".join, REFUSALS.values()):
        assert 1 <= text.count(". ") + text.endswith(".") <= 2
        assert "\n" not in text


def test_deep_thoughts_are_left_out_and_the_command_runs() -> None:
    text = '{"thoughts": {"text": "t", "x": ' + "[" * 300 + "]" * 300 + '}, "command": {"name": "dig", "args": {}}}'
    assert read(text).thoughts == {"text": "t"}


def test_an_answer_brings_its_own_flags() -> None:
    cut = '{"command": {"name": "dig", "args": {"block": "sa'
    assert flags_of(Answer(cut, finish_reason="length"))[-1] == "length"
    assert flags_of(Answer("", refusal="I cannot")) == ("refusal",)
    assert flags_of(Answer("command:\n  name: dig\n", finish_reason="length"))[0] == "truncated"
    call = {"id": "1", "type": "function", "function": {"name": "dig", "arguments": json.dumps(ARGS)}}
    assert read(Answer("", tool_calls=(call,))).args == ARGS
    assert read(Answer(json.dumps({"command": PAIR}), tool_calls=(call,))).args == ARGS
    assert flags_of(Answer('{"command": {"name": "wait", "args": {}}}', tool_calls=(call,))) == ("two commands",)
    true = json.dumps({"command": {"name": "dig", "args": {**ARGS, "amount": True}}})
    one = {"function": {"name": "dig", "arguments": json.dumps({**ARGS, "amount": 1})}}
    assert flags_of(Answer(true, tool_calls=(one,))) == ("two commands",), "true is not 1"


class Known:
    """A registry of two commands."""

    def names(self) -> list[str]:
        return ["dig", "wait"]

    def parameters(self, name: str) -> list[str]:
        return ["block", "amount"] if name == "dig" else []

    def accepts(self, name: str) -> list[str] | None:
        return self.parameters(name) if name in self.names() else None

    def texts(self, name: str) -> list[str]:
        return ["block"] if name == "dig" else []


def test_a_registry_decides_between_shapes() -> None:
    flat = '{"command": {"name": "dig", "block": "sand", "amount": 6}}'
    assert read(flat, registry=Known()).args == ARGS
    two = '{"name": "Alex", "args": {"age": 30}}\n' + json.dumps(PAIR)
    assert read(two, registry=Known()).name == "dig"
    assert flags_of(two)[0] == "two commands"


def test_importing_it_stays_cheap() -> None:
    heavy = ("json_repair", "pydantic", "numpy", "difflib", "html", "autocraft.json_fix.lexicon")
    code = 'import sys, autocraft.json_fix as fix; fix.parse_command(\'{"command": "wait"}\'); '
    code += f"print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", code], env=unmeasured(os.environ), capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
