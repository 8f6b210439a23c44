"""Words, signs, keys and objects beside a command that may take it back; and words that only announce it."""

from __future__ import annotations

import pytest

from autocraft.json_fix import parse_command
from tests.json_fix.verdicts import verdict

BARE = '{"command": {"name": "drop_all", "args": {"to": "Bob"}}}'
WHOLE = '{"thoughts": {"text": "I need wood."}, "command": {"name": "drop_all", "args": {"to": "Bob"}}}'
TOOL = '<tool_call>{"name": "drop_all", "arguments": {"to": "Bob"}}</tool_call>'
PLACES = [
    "~~\n@\n~~",
    "@ `no`",
    '@ "no"',
    "@ <no>",
    "@\n<!-- cancelled -->",
    "@\n// cancelled",
    "@\n# cancelled",
    "@\n```text\nDo not run this.\n```",
    "@\n```\nno\n```",
    '@\n{"cancel": true}',
    "@\ncancel: true",
    "@\n- cancelled",
    "@\n> ignore that",
    "@<think>no</think>",
    "# <think>\n@",
    "```\nnot this\n```\n@",
    "I will `never` send this command: @",
    "My next command is {not}: @",
    "[CANCELLED]\n@",
    "@\n[/EXAMPLE]",
    "@\n<|cancel|>",
    "@\nApprove?",
    "@\nX",
    "@\n(n)",
    "@\n{rejected}",
    "@\n=> error",
    "@\nEOF",
    "@\nOnly if Bob agrees.",
    "@\n— Bob, yesterday",
    "@\nThis was my answer last turn.",
    "Shall I run this?\n@",
    "look() ->\n@",
    "I'm done with the following:\n@",
]
BESIDE = [
    '"approved": false',
    '"status": "cancelled"',
    '"when": "later"',
    '"dry_run": true',
    '"note": "do not run"',
    '"refusal": "I will not do that"',
    '"action": {"name": "place", "args": {}}',
]
INSIDE = ['"usage": "dig(count)"', '"risk": "change"', '"count": 3']
SLOTS = ['"count": "{count}"', '"count": "<integer>"', '"...": "..."', '"arg1": "value1"']
TWICE = [
    "@,@2",
    "@;@2",
    "@|@2",
    "@\n> @2",
    "dig(count=3, count=4)",
    "command:\n  name: dig\n  name: place\n  args: {}\n",
    *(f"command:\n  name: dig\n  args:\n    version: {value}\n" for value in ("1.10", ".5", "None", "NaN")),
    '{"command": {"name": "dig", "args": {"items": [, 1]}}}',
]

NO_COMMAND = [
    '{"thoughts": {"text": "no"}, "command": null}',
    '{"command": {}}',
    '{"command": []}',
    '{"command": {"name": null}}',
    '{"command": {"name": "Do nothing", "args": {}}}',
    '{"command": {"name": "none", "args": {}}}',
    '{"args": {"count": 3}}',
]
AFTER = [
    '{"thoughts": {"text": "On second thought, no."}}',
    '{"status": "cancelled"}',
    '{"decision": "reject"}',
    '{"run": "no"}',
    '{"approved": 0}',
    '{"note": "Do not run the above."}',
    '{"error": "no such block"}',
    '{"result": "ok"}',
]
"""Objects that speak of the command before them."""
WITHOUT_ARGUMENTS = [
    '{"command": {"name": "dig"}}',
    '{"command": "dig"}',
    "<tool_call>dig</tool_call>",
    "<function=dig>\n</function>",
    "dig()",
    "Action: dig\nAction Input: {}",
]
RESULTS = ['dig(a=1)\n{"ok": 1}', "dig(a=1)\n=> ok", "dig(a=1)\n[OK]"]
REPEATED = [
    '{"command": {"name": "dig", "args": {}}, "thoughts": {"text": "t"}, "command": {"name": "place", "args": {}}}',
    '{"command": {"name": "dig", "name": "place", "args": {}}}',
]
LISTS = ['[@, {"result": "ok"}]', '[{"time": 1}, @]', '[@,\n {"a": {}}]']
ROWS = ["---", "***", "___", "|", "...", "1.", "#", '""', "\u200b", "->", "::", "```"]


ANNOUNCED = [
    "Sure! Here is the JSON: @",
    "Okay, let's go.\n\n@",
    "**My next command:**\n@",
    "Final answer: @\nDone.",
    "Hier ist mein Befehl:\n@",
    "Voici ma réponse : @",
    "Aquí está mi comando: @",
    "Ecco la mia risposta: @",
    "Вот моя команда: @",
    "以下是我的回答：@",
    "回答：@",
    "@\n\nLet me know if you have any questions!",
    "@ Thank you.",
]


def dispatched(texts: list[str]) -> list[str]:
    return [text for text in texts if parse_command(text) is not None]


@pytest.mark.parametrize("command", [BARE, WHOLE, TOOL], ids=["bare", "with thoughts", "tool call"])
def test_words_and_signs_that_may_take_the_command_back_never_run_it_at_once(command: str) -> None:
    texts = [text.replace("@", command) for text in PLACES]
    texts += ["no" + "\n" * 500 + command, f"{command}\n" + "I dig stone and go on. " * 30]
    assert dispatched(texts) == []


def test_a_row_without_words_hides_no_words() -> None:
    words = ["Never run this:", "Do not run this", "Example of a bad answer", "Bob's command"]
    objects = [WHOLE, f"```json\n{WHOLE}\n```"]
    assert dispatched([f"{text}\n{row}\n{each}" for text in words for row in ROWS for each in objects]) == []


@pytest.mark.parametrize("words", ANNOUNCED)
def test_words_that_only_announce_the_command_run_it_at_once(words: str) -> None:
    assert [verdict(words.replace("@", command)) for command in (BARE, WHOLE, TOOL)] == ["yes"] * 3


@pytest.mark.parametrize("sign", ["?", "❌", "~~", "X", "(n)", "0", '"', "’", "\\"])
def test_a_sign_that_may_cross_it_out_is_unsure(sign: str) -> None:
    assert {verdict(f"{WHOLE}{blank}{sign}") for blank in ("", " ", "\n")} <= {"unsure", "no"}


def test_keys_beside_a_command_that_may_take_it_back_refuse_it() -> None:
    whole = '{"thoughts": {"text": "t"}, "command": {"name": "dig", "args": {}}, @}'
    texts = [whole.replace("@", pair) for pair in BESIDE]
    texts += ['{"command": {"name": "dig", @, "args": {}}}'.replace("@", pair) for pair in INSIDE]
    texts += ['{"command": {"name": "dig", "args": {@}}}'.replace("@", pair) for pair in SLOTS]
    assert dispatched(texts) == []


def test_an_object_that_names_no_command_beside_a_command_refuses_it() -> None:
    texts = [f"{WHOLE}\n{each}" for each in NO_COMMAND] + [f"{each}\n{WHOLE}" for each in NO_COMMAND]
    assert dispatched([*texts, *(f"{WHOLE}\n{each}" for each in AFTER)]) == []


def test_a_command_without_arguments_beside_another_object_is_refused() -> None:
    beside = '{"count": 3}'
    texts = [text for each in WITHOUT_ARGUMENTS for text in (f"{each}\n{beside}", f"{beside}\n{each}")]
    assert dispatched([*texts, *RESULTS]) == []
    assert dispatched(WITHOUT_ARGUMENTS) == WITHOUT_ARGUMENTS


def test_a_list_of_a_command_and_another_object_is_refused_wherever_it_stands() -> None:
    texts = [text for each in LISTS for text in (each, each[:-1], f"Here is my answer: {each}")]
    texts += [f"```json\n{each}\n```" for each in texts]
    assert dispatched([text.replace("@", WHOLE) for text in texts]) == []


def test_a_command_or_a_name_given_twice_is_refused() -> None:
    texts = [text for each in REPEATED for text in (each, each.replace('"', "'"), each[:-1] + ",}", f"Here: {each}")]
    assert dispatched(texts) == []
    same = REPEATED[0].replace("place", "dig")
    assert dispatched([same]) == [same]


def test_what_may_mean_two_things_is_refused() -> None:
    other = WHOLE.replace("drop_all", "dig")
    assert dispatched([text.replace("@2", other).replace("@", WHOLE) for text in TWICE]) == []
