"""Single faults of answers whose right reading is certain, each beside a near one that is refused or read."""

from __future__ import annotations

import json

import pytest

from autocraft.errors import UnreadableReply
from autocraft.json_fix import parse_command, read
from autocraft.protocols import Answer
from tests.json_fix.test_native import Typed
from tests.json_fix.verdicts import verdict

DIG = '{"command": {"name": "dig", "args": {"a": 1}}}'
CALLS = ({"function": {"name": "dig", "arguments": '{"a": 1}'}},)
YAML = "command:\n  name: dig\n  args:\n    a: 1\n    b: 2\n"


@pytest.mark.parametrize("value", ['["a.txt", "b"]', "1.5", '{"x": 1}', "true", "null", "-3", " 7 "])
def test_a_parameter_that_may_not_be_text_is_strict_json(value: str) -> None:
    forms = [
        f"<tool_call><function=write_file><parameter=count>{value}</parameter></function></tool_call>",
        f'<invoke name="write_file"><parameter name="count">{value}</parameter></invoke>',
        f"<tool_call>write_file<arg_key>count</arg_key><arg_value>{value}</arg_value></tool_call>",
    ]
    assert [read(form, registry=Typed()).args for form in forms] == [{"count": json.loads(value)}] * 3
    as_text = forms[1].replace("count", "content")
    assert read(as_text, registry=Typed()).args == {"content": value}


def test_a_value_that_is_no_json_stays_text_for_the_registry_to_refuse() -> None:
    text = '<invoke name="write_file"><parameter name="count">[1, 2</parameter></invoke>'
    assert read(text, registry=Typed()).args == {"count": "[1, 2"}


def test_a_call_that_the_server_parsed_counts_beside_plain_text() -> None:
    reply = read(Answer("I dig now, since I need stone.", tool_calls=CALLS))
    assert (reply.name, reply.args, reply.doubt) == ("dig", {"a": 1}, "")
    assert reply.thoughts == {"text": "I dig now, since I need stone."}
    with pytest.raises(UnreadableReply):
        read(Answer(DIG.replace("1", "2"), tool_calls=CALLS))


@pytest.mark.parametrize("quote", ['"', "'"])
def test_two_args_are_two_commands_unless_they_are_equal(quote: str) -> None:
    text = '{"command": {"name": "dig", "args": {"a": 1}, "args": {"a": 2}}}'.replace('"', quote)
    assert verdict(text) == "no"
    assert verdict('{"command": {"name": "dig", "args": {"a": 1}, "args": {"a": 1}}}') == "yes"


@pytest.mark.parametrize("comment", ['# b", "c": 2', '// b", "c": 2', '#tag"', '# "x', '//"'])
def test_a_comment_that_may_be_the_rest_of_a_text_is_doubtful(comment: str) -> None:
    assert verdict('{"command": {"name": "dig", "args": {"a": 1, @\n"b": 3}}}'.replace("@", comment)) == "no"
    assert verdict('{"command": {"name": "dig", "args": {"a": 1, # a "note"\n"b": 3}}}') == "yes"


def test_a_backslash_before_a_line_break_has_two_readings() -> None:
    assert verdict('{"command": {"name": "dig", "args": {"a": "x\\\ny"}}}') == "no"
    assert verdict('{"command": {"name": "dig", "args": {"a": "x\\\\\ny"}}}') == "yes"


def test_yaml_runs_at_once_only_if_something_shows_its_end() -> None:
    cut = YAML[: YAML.index("    b")]
    assert [verdict(text) for text in (YAML, cut)] == ["unsure", "unsure"]
    assert read(Answer(YAML, finish_reason="stop")).doubt == ""
    assert parse_command(f"```yaml\n{YAML}```") is not None
    assert verdict(f"```yaml\n{cut}") == "no"
    with pytest.raises(UnreadableReply):
        read(Answer(cut, finish_reason="length"))


def test_marks_of_direction_are_blanks() -> None:
    assert verdict(f"\u202a{DIG}\u202c") == verdict(DIG.replace(" ", "\u2066")) == "yes"


@pytest.mark.parametrize("quote", "”“’")
def test_an_answer_with_one_wrong_quote_is_not_said_to_hold_no_command(quote: str) -> None:
    text = json.dumps({"thoughts": {"text": "a b"}, "command": {"name": "dig", "args": {"text": "hi", "n": 1}}})
    for at in [at for at, char in enumerate(text) if char == '"']:
        try:
            assert read(text[:at] + quote + text[at + 1 :]).args == {"text": "hi", "n": 1}
        except UnreadableReply as error:
            assert error.flags[0] != "no command"


def test_a_lost_colon_is_put_back_where_a_value_follows() -> None:
    assert verdict('{"command" {"name" "dig", "args": {"a" "x"}}}') == "yes"
    assert verdict('{"command": {"name": "dig", "args": {"a"": "x"}}}') == "no"


def test_the_line_before_an_object_of_the_format_speaks_of_that_object() -> None:
    shown = '{"thoughts": {"text": "thought"}, "command": {"name": "command name", "args": {"arg name": "value"}}}'
    assert verdict(f"The format is:\n{shown}\nMine:\n{DIG}") == "yes"
    assert verdict(f"I dig nothing.\nThe format is:\n{shown}\nMine:\n{DIG}") == "unsure"
    assert verdict(f"The format is:\n{shown}\nNever this:\n{DIG}") == "unsure"


def test_a_strict_command_after_thoughts_that_cannot_be_read_counts_alone() -> None:
    text = '{"thoughts": {"text":: "I dig."}, "command": {"name": "dig", "args": {"a": 1}}}'
    reply = read(text)
    assert (reply.name, reply.args, reply.doubt) == ("dig", {"a": 1}, "") and "thoughts unread" in reply.flags
    assert verdict(text.replace('"I dig."', '"command": 1')) == "no"
    assert verdict(text.replace("}}}", "}}, 1}")) == "no"


# ------------------------------------------------------------ faults that can be mended without a guess, and near ones

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


def test_a_fault_with_one_reading_is_mended() -> None:
    for name, text in READ.items():
        reply = read(text)
        assert (reply.name, reply.args) == ("dig", {"count": 3000} if "_" in text else {"count": 3}), name


def test_a_guess_is_refused() -> None:
    assert [name for name, text in REFUSED.items() if verdict(text) != "no"] == []


def test_what_is_not_cut_is_not_called_truncated() -> None:
    """Only then is the model of stage four asked."""
    raw = '{"thoughts": {}, "command": {"name": "w", "args": {"code": "re.match("[({", "x") y", "n": 1}}}'
    with pytest.raises(UnreadableReply) as caught:
        read(raw)
    assert caught.value.flags[0] == "garbled"
