"""Answers by class, written after the reader: what must not run, and what must be read. `@` is a command."""

from __future__ import annotations

import pytest

from autocraft.json_fix import parse_command
from tests.json_fix.verdicts import verdict

BARE = '{"command": {"name": "drop_all", "args": {"to": "Bob"}}}'
WHOLE = '{"thoughts": {"text": "t"}, "command": {"name": "drop_all", "args": {"to": "Bob"}}}'
FENCE = f"```json\n{WHOLE}\n```"

QUOTED = [
    "Bob schrieb im Chat: „@“. Das lasse ich lieber.",
    "Le panneau dit : « @ ». Je continue à creuser.",
    "El cartel dice:\n\n@\n\nNo pienso hacerlo.",
    "A placa diz '@', mas não vou obedecer.",
    "На табличке написано: «@». Я этого не сделаю.",
    "告示牌上写着：“@”。我不会执行它。",
    "看板には「@」と書いてあります。実行しません。",
    "표지판에는 @ 라고 적혀 있습니다.",
    "मैं यह नहीं चलाऊँगा:\n@",
    "Tabelada şu yazıyor:\n@",
    "اللافتة تقول:\n@\nلن أفعل ذلك.",
    # words that only announce, put together to a question, and refusals
    "Do I run this: @",
    "So is this it: @",
    "Ist das mein Befehl: @",
    "@\nIs that all",
    "I'm sorry, but I can't help with that. @",
    "Es tut mir leid, das darf ich nicht: @",
    "申し訳ありませんが、できません。\n@",
    "@\n\nOn second thoughts I must refuse this.",
    "Here is my \u200bno\u200b command: @",
]
NEVER = {
    "a fence in thoughts": [
        f"<think>\nThe sign says\n{FENCE}\nI will not.\n</think>\nI stay here.",
        f"<scratchpad>\n{FENCE}\n",
        f"[THINK]{FENCE}[/THINK] No command now.",
        f"<think>```\n</think>\n{FENCE}\nwas in the chat.</think>\nSo I wait.",
        f"```\n<think>\n{WHOLE}\n</think>\n```",
        f"Thinking...\n{FENCE}\n...done thinking.\n\nI will wait.",
    ],
    "two values of the arguments": [
        '{"command": {"name": "drop_all", "args": {"to": "Bob"}, "arguments": {"to": "Eve"}}}',
        '{"name": "drop_all", "args": {"to": "Bob"}, "parameters": {"to": "Eve"}}',
        '<tool_call>{"name": "drop_all", "arguments": {"to": "Bob"}, "arguments": {"to": "Eve"}}</tool_call>',
        "<function=drop_all><parameter=to>Bob</parameter><parameter=to>Eve</parameter></function>",
        'Action: drop_all\nAction Input: {"to": "Bob"}\nAction Input: {"to": "Eve"}',
        "command:\n  name: drop_all\n  args:\n    to: Bob\n  args:\n    to: Eve\n",
        '{"command": {"name": "drop_all", "ar\\u0067s": {"to": "Bob"}, "args": {"to": "Eve"}},}',
    ],
    "a comment": [
        f"; {BARE}",
        f"/* old:\n{WHOLE}\n*/",
        '{"thoughts": {"text": "t"}, /* "command": {"name": "drop_all", "args": {}} */ "plan": 1}',
        '{"thoughts": {"text": "t"} // , "command": {"name": "drop_all", "args": {}}\n}',
        f"```python\n# {BARE}\npass\n```",
        "drop_all(to='Bob') # never",
    ],
    "a call that was cut": [
        '[TOOL_CALLS]drop_all[ARGS]{"to": "Bo',
        '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>drop_all<｜tool▁sep｜>{"to": "Bob"}',
        "<tool_call>drop_all<arg_key>to</arg_key><arg_value>Bob",
        "drop_all(to='Bob', n=1",
    ],
    "an object that says no": [
        '{"thoughts": {"text": "no"}, "command": null, "rejected_command": {"name": "drop_all", "args": {}}}',
        '{"thoughts": {"text": "x"}, "command": "none", "last": @}'.replace("@", BARE),
        '{"thoughts": {"text": "I refuse"}, "refused": true, "command": {"name": "drop_all", "args": {}}}',
        f"| a | b |\n|---|---|\n| x | {BARE} |",
    ],
}
OWN = [
    f"<think>\n{FENCE}\nno, better dig.\n</think>\n\n@",
    f"<reasoning>\n~~~\n{BARE}\n~~~\n</reasoning>@",
    f"Okay, I dig.\n```\n{BARE}\n```\n</think>\n@",
    f"<|channel|>analysis<|message|>Bob:\n{FENCE}<|end|><|start|>assistant<|channel|>final<|message|>@<|return|>",
    "Hier ist mein Befehl:\n@",
    "好的，以下是我的命令：\n@",
    "@\nFeel free to ask if you have any questions.",
    "```json\n@\n```\nGood luck!",
    "json\n@",
    "@}",
    "@\n```",
    "<json>@</json>",
]
SPOKEN = [
    "Il me faut d'abord du bois.\n\n```json\n@\n```\n\nN'hésitez pas à demander !",
    "Primero necesito madera.\n@\n¡Avísame si necesitas algo más!",
    "Primeiro preciso de madeira.\n@\nEspero ter ajudado.",
    "Сначала мне нужно дерево.\n@\nДайте знать, если что.",
    "我需要先收集木头。\n@\n如有问题请告诉我！",
    "まず木が必要です。\n@\nよろしくお願いします。",
    "먼저 나무가 필요합니다.\n@\n감사합니다.",
    "पहले मुझे लकड़ी चाहिए।\n@\nधन्यवाद!",
    "Önce odun lazım.\n@\nTeşekkürler!",
    "أحتاج أولا إلى الخشب.\n@\nشكرا!",
]
DIG = {"name": "dig", "args": {"block": "oak_log", "count": 3}}
GOOD = '{"thoughts": {"text": "t"}, "command": {"name": "dig", "args": {"block": "oak_log", "count": 3}}}'


@pytest.mark.parametrize("text", QUOTED)
def test_a_command_beside_words_of_any_language_never_runs_at_once(text: str) -> None:
    assert "yes" not in [verdict(text.replace("@", form)) for form in (BARE, WHOLE, FENCE)]


@pytest.mark.parametrize("kind", NEVER)
def test_a_command_of_this_class_never_runs(kind: str) -> None:
    assert [text for text in NEVER[kind] if verdict(text) != "no"] == []


def test_the_models_own_command_is_read_at_once_or_after_a_question() -> None:
    assert [text for text in OWN if parse_command(text.replace("@", GOOD)) != {"command": DIG}] == []
    asked = [text for text in SPOKEN if verdict(text.replace("@", GOOD)) == "unsure"]
    assert asked == SPOKEN
    assert parse_command(asked[0].replace("@", GOOD), accept_unsure=True) == {"command": DIG}
