"""Breaks whole answers in the ways that models do, and knows the meaning of each broken answer.

`cases(seed, n)` is deterministic. A case has the command that must be read, or None if any command would be wrong.
`may_refuse` marks the cases whose meaning is truly in doubt, `unsure` those that must not run without a question.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from tests.json_fix.answer_pool import THOUGHTS, answer, any_command
from tests.json_fix.answer_writers import (
    all_raw_control,
    bare_quotes,
    dump,
    plain_key,
    single,
    smart,
    strings_of,
    wholly_raw,
    write,
)

Json = dict[str, Any]


@dataclass(frozen=True)
class Case:
    kind: str
    text: str
    command: Json | None
    may_refuse: bool = False
    unsure: bool = False


PREFIXES = [
    "Sure! Here is the JSON:\n",
    "I'll do that now.\n\n",
    "Answer: ",
    "Okay, let's go.\n",
    "Here you go:\n\n",
    "**Response**\n",
    "Now, as planned:\n",
    "I don't have wood yet, so:\n",
    "The zombie won't wait. My next step:\n",
    "My final answer is ->",
    "As requested, in JSON format:\n",
    "回答：",
]
SUFFIXES = [
    "",
    "\n",
    "\nDone.",
    "\n\nLet me know if you need anything else!",
    " (end)",
    "\nHope this helps :)",
    "。",
    "\n---",
    "\nI'll continue after that.",
]
BRACES = [
    "Use {item} now. ",
    "Let S = {x | x > 0}:\n",
    ":-{ ok\n",
    "{note}\n",
    "Set {a, b} first, see [1].\n",
    "if (x) { y }\n",
    "{ } {}\n",
    "Put {0} in {slot}:\n",
]


def case_with_words(kind: str, before: str, body: str, after: str, command: Json, *, most: int = 2) -> Case:
    """Return a case with words around its answer.

    Without thoughts, more than `most` words may be a sentence about the command, so a refusal is right.
    """
    words = len(re.findall(r"\w+", before + " " + after))
    return Case(kind, before + body + after, command, may_refuse=words > most and "thoughts" not in body)


# ---------------------------------------------------------------- one function a kind


def valid(rng: Random) -> Case:
    command = any_command(rng)
    return Case("valid", dump(answer(rng, command), rng), command)


def prose(rng: Random) -> Case:
    command = any_command(rng)
    before = rng.choice(PREFIXES) * (rng.random() < 0.8)
    body = dump(answer(rng, command), rng)
    return case_with_words("prose", before, body, rng.choice(SUFFIXES), command)


def fences(rng: Random) -> Case:
    command = any_command(rng)
    body = dump(answer(rng, command), rng)
    opening, closing = rng.choice(
        [
            ("```json\n", "\n```"),
            ("```\n", "\n```"),
            ("~~~json\n", "\n~~~"),
            ("'''json\n", "\n'''"),
            ("```json\n", ""),
            ("", "\n```"),
            ("``` JSON\n", "\n```\n"),
            ("`", "`"),
            ("```python\n", "\n```"),
            ("````json\n", "\n````"),
            ("```json", "```"),
        ]
    )
    before = rng.choice(["", *PREFIXES]) + opening
    return case_with_words("fences", before, body, closing + rng.choice(SUFFIXES[:6]), command)


def multi(rng: Random) -> Case:
    command, other = any_command(rng), any_command(rng, "s")
    whole = dump(answer(rng, command), rng)
    status = dump(
        rng.choice(
            [
                {"status": "pending"},
                {"inventory": {"oak_log": 3}, "health": 20},
                {"thoughts": THOUGHTS[0]},
                {"name": "Alex", "age": 30},
            ]
        ),
        rng,
    )
    example = '{"thoughts": {"text": "thought"}, "command": {"name": "command name", "args": {"arg name": "value"}}}'
    kind = rng.randrange(7)
    if kind == 0:
        return Case("multi", status + "\n\n" + whole, command)
    if kind == 1:
        return Case("multi", whole + "\n" + status, command)
    if kind == 2:
        return Case("multi", whole + "\n\n" + whole, command)
    if kind == 3:
        return case_with_words("multi", "The format is:\n" + example + "\nMine:\n", whole, "", command)
    if kind == 4:
        return Case("multi", "[" + whole + "]", command)
    if kind == 5:
        js = "```js\nconst a = {b: [1, 2}; function f({x}) { return {y: x}; }\n```\n"
        return Case("multi", js + "```json\n" + whole + "\n```", command)
    if other == command:
        return Case("multi", whole, command)
    second = dump(answer(rng, other), rng)
    between = rng.choice(["\n\n", "\nNo wait, corrected:\n", "\n\nSystem: ok\n\nAssistant: ", "\nThen:\n"])
    return Case("multi two", whole + between + second, None)


def braces(rng: Random) -> Case:
    command = any_command(rng)
    before = rng.choice(BRACES)
    body = dump(answer(rng, command), rng)
    after = rng.choice(["", "\n}", " (I used {item}.)", "\nThe rest of {plan} follows [", "\n{x"])
    return case_with_words("braces", before, body, after, command, most=0)


def quotes(rng: Random) -> Case:
    command = any_command(rng)
    quote, key = rng.choice([(single, None), (json.dumps, single), (single, json.dumps), (single, plain_key)])
    text = write(answer(rng, command), quote=quote, key=key, indent=rng.choice([None, 2]))
    return Case("single quotes", text, command)


def apostrophes(rng: Random) -> Case:
    command = {
        "name": "chat",
        "args": {"text": rng.choice(["I'm back, don't wait", "it's the dogs' bone, isn't it", "Let's go"]), "n": 2},
    }
    text = write(
        {"thoughts": {"text": "It isn't far", "speak": "Let's move"}, "command": command},
        quote=lambda s: f"'{s}'",
        indent=rng.choice([None, 2]),
    )
    return Case("apostrophes", text, command)


def python(rng: Random) -> Case:
    command = any_command(rng, "ss" + "t")
    value = answer(
        rng, {"name": command["name"], "args": {**command["args"], "dry_run": rng.choice([True, False, None])}}
    )
    text = (
        repr(value)
        if rng.random() < 0.5
        else write(value, words=("True", "False", "None"), indent=rng.choice([None, 2]))
    )
    doubt = any("\u200b" in s for s in strings_of(value)) and "\\u200b" not in text and "\\x" in text
    return Case("python", text, value["command"], doubt)


def commas(rng: Random) -> Case:
    command = any_command(rng)
    indent = rng.choice([None, 2])
    return Case(
        "trailing commas", write(answer(rng, command), trailing=",", indent=indent) + rng.choice(["", ","]), command
    )


def no_commas(rng: Random) -> Case:
    command = any_command(rng, "sc")
    text = write(answer(rng, command), indent=2)
    lines = text.split("\n")
    text = "\n".join(line[:-1] if line.endswith(",") and rng.random() < 0.7 else line for line in lines)
    return Case("missing commas", text, command)


def keys(rng: Random) -> Case:
    command = any_command(rng)
    return Case(
        "unquoted keys",
        write(answer(rng, command), key=plain_key, indent=rng.choice([None, 2]), colon=rng.choice([": ", ":"])),
        command,
    )


def inner(rng: Random) -> Case:
    said = rng.choice(
        [
            'say "hi" now',
            '"Go", he said, "now"',
            'f("a", "b");',
            'the "end"',
            '"all"',
            'x = {"a": 1, "b": [2]}',
            'he said: "yes" then',
        ]
    )
    args = rng.choice(
        [{"text": said}, {"text": said, "times": 2}, {"times": 2, "text": said}, {"text": said, "where": "here"}]
    )
    command = {"name": "chat", "args": args}
    value = answer(rng, command)
    return Case(
        "inner quotes",
        write(value, quote=bare_quotes, key=json.dumps, indent=rng.choice([None, 2])).replace("\n- ", "\\n- "),
        command,
    )


def raw_newlines(rng: Random) -> Case:
    command = any_command(rng, "tcc")
    return Case(
        "raw newlines", write(answer(rng, command), quote=all_raw_control, indent=rng.choice([None, 2])), command
    )


def raw_code(rng: Random) -> Case:
    command = any_command(rng, "c")
    code = command["args"]["content"]
    value = {"thoughts": rng.choice(THOUGHTS), "command": command}
    kind = rng.randrange(4)

    def pick(write_code: Callable[[str], str]) -> Callable[[str], str]:
        return lambda s: write_code(s) if s == code else json.dumps(s)

    if kind == 0:
        return Case(
            "raw code", write(value, quote=pick(bare_quotes), indent=rng.choice([None, 2])), command, may_refuse=True
        )
    if kind == 1:
        return Case(
            "raw code whole",
            write(value, quote=pick(wholly_raw), indent=rng.choice([None, 2])),
            command,
            may_refuse=True,
        )
    mark = '"""' if kind == 2 else "`"
    doubtful = "\\" in code or mark in code
    return Case(
        "raw delimiters",
        write(value, quote=pick(lambda s: mark + s + mark), indent=rng.choice([None, 2])),
        command,
        doubtful,
    )


def escapes(rng: Random) -> Case:
    raw, meant = rng.choice(
        [
            (r"oak\_log here", "oak_log here"),
            (r"(\w+)\s\d", r"(\w+)\s\d"),
            (r"C:\Users\bob\notes", r"C:\Users\bob\notes"),
            (r"can\'t", "can't"),
            (r"E:\games\mods", r"E:\games\mods"),
            (r"\\srv\share\x", r"\\srv\share\x"),
            (r"a\`b\`", "a`b`"),
            (r"\[x\]\.", r"\[x\]\."),
            (r"\user", r"\user"),
            (r"100\% of \(x\)", r"100\% of \(x\)"),
            ("x = /\\d+/;\\nreturn x;", "x = /\\d+/;\nreturn x;"),
            (r"say \"\_hi\"", 'say "_hi"'),
        ]
    )
    mixed = raw.startswith(("C:", "E:", "\\\\"))
    command = {"name": "note", "args": {"text": meant, "n": 1}}
    text = dump({"thoughts": {"text": "ok"}, "command": {"name": "note", "args": {"text": "@@", "n": 1}}}, rng).replace(
        "@@", raw
    )
    return Case("escapes", text, command, may_refuse=mixed and False)


def comments(rng: Random) -> Case:
    command = any_command(rng)
    note = rng.choice(['// the "next" field', "# it's {here}", '/* note: {x} "y" */'])
    text = write(answer(rng, command), indent=2, note=note)
    return Case("comments", rng.choice(["", "// answer\n"]) + text + rng.choice(["", "\n// end"]), command)


def unicode_wrap(rng: Random) -> Case:
    command = any_command(rng)
    space = rng.choice(["\ufeff", "\u200b", "\u2060", "\u00a0", "\u3000", "\u2028", "\u200e"])
    body = json.dumps(answer(rng, command), ensure_ascii=False)
    if rng.random() < 0.5:
        return Case("unicode wrap", space + body + space, command)
    text = write(answer(rng, command), comma="," + space, colon=":" + space)
    return Case("unicode wrap", text, command)


def smart_quotes(rng: Random) -> Case:
    command = any_command(rng, "s" if rng.random() < 0.7 else "c")
    opening, closing = rng.choice(["“”", "””", "„“", "«»", "‘’"])
    quote = smart(opening, closing)
    if any(char in text for text in strings_of(command) for char in "“”„«»‘’"):
        return valid(rng)
    return Case(
        "smart quotes",
        write(
            {"thoughts": {"text": "Fine"}, "command": command},
            quote=rng.choice([quote, json.dumps]),
            key=quote,
            indent=rng.choice([None, 2]),
        ),
        command,
    )


def fullwidth(rng: Random) -> Case:
    command = any_command(rng, "s")
    quote = rng.choice([json.dumps, smart("＂", "＂")])
    return Case(
        "fullwidth", write(answer(rng, command), quote=quote, colon="：", comma=rng.choice([",", "，"])), command
    )


def numbers(rng: Random) -> Case:
    written, meant, refuse = rng.choice(
        [
            ("12345678901234567890123", 12345678901234567890123, False),
            (".5", 0.5, False),
            ("5.", 5.0, False),
            ("+7", 7, False),
            ("-0.0", -0.0, False),
            ("1e3", 1000.0, False),
            ("NaN", None, True),
            ("-Infinity", None, True),
            ("1,5", ..., False),
            ("3 * 4", ..., False),
            ("1/2", ..., False),
            ("1e999", ..., False),
            ("12 blocks", ..., False),
            ("0x1F", 31, True),
            ("-18446744073709551616", -18446744073709551616, False),
            ("1_000", 1000, True),
            ("007", ..., False),
            ("1.2.3", ..., False),
        ]
    )
    text = (
        '{"thoughts": {"text": "ok"}, "command": {"name": "set", "args": {"v": '
        + written
        + rng.choice(["", "}", ', "w": 1}', ""])[:0]
        + "}}}"
    )
    return Case("numbers", text, None if meant is ... else {"name": "set", "args": {"v": meant}}, refuse)


def duplicates(rng: Random) -> Case:
    tail = rng.choice(["", ","])
    first, second = rng.randint(1, 9), rng.randint(10, 19)
    args = f'{{"n": {first}, "n": {second}{tail}}}'
    text = '{"thoughts": {}, "thoughts": {"text": "q"}, "command": {"name": "dig", "args": ' + args + "}}"
    return Case("duplicate keys", text, {"name": "dig", "args": {"n": second}})


def think(rng: Random) -> Case:
    command = any_command(rng)
    body = dump(answer(rng, command), rng)
    name = rng.choice(["think", "thinking", "reasoning", "scratchpad", "THINK", "Think"])
    inside = rng.choice(
        ['maybe {"command": {"name": "wait", "args": {}}} or', 'use {x}, it\'s "fine"', "hm { hm", "", "a\n\nb [1, 2"]
    )
    opening, closing = rng.choice([(f"<{name}>", f"</{name}>"), ("[THINK]", "[/THINK]"), ("◁think▷", "◁/think▷")])
    kind = rng.randrange(4)
    if kind == 0:
        return Case("think unclosed", opening + inside + rng.choice(["", "\n" + body]), None)
    if kind == 1:
        return Case(
            "think lone",
            rng.choice(["hm { hm", "so the answer", 'try {"command": {"name": "wait", "args": {}}} no'])
            + "</think>\n"
            + body,
            command,
        )
    return Case("think", opening + inside + closing + rng.choice(["", "\n\n", "```json\n"]) + body, command)


def xml(rng: Random) -> Case:
    command = any_command(rng)
    name, args = command["name"], command["args"]
    pair = json.dumps({"name": name, "arguments": args}, ensure_ascii=False)
    simple = {
        k: v
        for k, v in args.items()
        if isinstance(v, str) and not v.strip()[:1].isdigit() and "<" not in v and v[:1] not in '[{"-\n'
    }
    parameters = "".join(f"<parameter={k}>{v}</parameter>" for k, v in simple.items())
    named = "".join(f'<parameter name="{k}">{v}</parameter>\n' for k, v in simple.items())
    forms: list[tuple[str, Json]] = [
        (f"<tool_call>\n{pair}\n</tool_call>", args),
        (f"I'll act now.\n<tool_call>{pair}</tool_call><|im_end|>", args),
        (f"<tool_call>{pair}", args),
        ("<function_call>" + json.dumps({"name": name, "arguments": json.dumps(args)}) + "</function_call>", args),
        (f"<function={name}>{json.dumps(args)}</function>", args),
        (f"[TOOL_CALLS] [{pair}]", args),
        (f"[TOOL_CALLS]{name}{json.dumps(args)}", args),
        (f"<response>\n{dump(answer(rng, command), rng)}\n</response>", args),
        (f"<tool_call><function={name}>{parameters}</function></tool_call>", simple),
        (f'<function_calls>\n<invoke name="{name}">\n{named}</invoke>\n</function_calls>', simple),
        (
            json.dumps(
                {
                    "tool_calls": [
                        {"id": "1", "type": "function", "function": {"name": name, "arguments": json.dumps(args)}}
                    ]
                }
            ),
            args,
        ),
    ]
    text, meant = rng.choice(forms)
    return Case("xml tool", text, {"name": name, "args": meant})


def calls(rng: Random) -> Case:
    name = rng.choice(["mine_block", "chat", "wait"])
    args: Json = rng.choice(
        [
            {"name": "clay", "count": 2},
            {},
            {"text": 'it\'s (fine), "ok"'},
            {"items": ["a", "b"], "deep": {"x": None}, "flag": True},
        ]
    )
    inside = ", ".join(f"{k}={write(v, words=('True', 'False', 'None'))}" for k, v in args.items())
    kind = rng.randrange(4)
    if kind == 0:
        return Case(
            "call",
            f"Action: {name}\nAction Input: {json.dumps(args)}" + rng.choice(["", "\n", "\nObservation: "]),
            {"name": name, "args": args},
        )
    if kind == 1:
        return Case("call positional", f"{name}({rng.choice(['5', repr('clay'), '[1, 2]', '3, n=2'])})", None)
    text = f"{name}({inside})"
    return Case(
        "call",
        rng.choice([text, f"```python\n{text}\n```", f"Action: {text}", text + ";"]),
        {"name": name, "args": args},
    )


def yaml(rng: Random) -> Case:
    form = rng.choice(["command: wait\n", "```yaml\ncommand: wait\n```", "thoughts:\n  text: fine\ncommand: wait\n"])
    if rng.random() < 0.5:
        return Case("yaml", form, {"name": "wait", "args": {}})
    text = "command:\n  name: dig\n  args:\n    block: sand\n    amount: 6\n    deep: true\n"
    text += '    note: "a: b"\n    list:\n      - up\n      - down\n'
    args = {"block": "sand", "amount": 6, "deep": True, "note": "a: b", "list": ["up", "down"]}
    if rng.random() < 0.3:
        # In YAML a cut between two lines cannot be seen. Everywhere else it must be seen.
        places = [at for at in range(text.index("amount"), len(text)) if text[at - 1] != "\n"]
        return Case("yaml cut", text[: rng.choice(places)], None)
    return Case("yaml", rng.choice(["", "---\n", "thoughts:\n  text: ok\n"]) + text, {"name": "dig", "args": args})


def shapes(rng: Random) -> Case:
    command = any_command(rng)
    name, args = command["name"], command["args"]
    alias = rng.choice(["arguments", "parameters", "input", "action_input", "params", "kwargs"])
    forms: list[Any] = [
        {"command": {"name": name, alias: args}},
        {"thoughts": {"text": "a"}, "command": name, "args": args},
        {"command": json.dumps(command)},
        {"command": {"name": name, "args": json.dumps(args)}},
        {"command": {name: args}},
        {"command": [command]},
        {"name": name, "args": args},
        {"action": name, "action_input": args},
        {"tool": name, "input": args},
        {"function": {"name": name, "arguments": args}},
        {"Command": {"Name": name, "Args": args}},
        {"response": {"thoughts": {}, "command": command}},
        [{"command": command}],
        json.dumps({"command": command}),
        {"commands": [command]},
    ]
    if rng.random() < 0.15:
        return Case(
            "shapes",
            json.dumps({"command": {"name": name, "args": rng.choice([None, [], ""])}}),
            {"name": name, "args": {}},
        )
    if rng.random() < 0.1:
        return Case("shapes", write({"thoughts": {"text": "x"}, "command": command}, comma=";"), command)
    return Case("shapes", dump(rng.choice(forms), rng), command)


def nothing(rng: Random) -> Case:
    text = rng.choice(
        [
            "",
            "   \n",
            "Sorry, no.",
            "I can't {do} that",
            '{"thoughts": {"text": "idle"}}',
            '{"command": {"name": ""}}',
            '{"command": null}',
            '{"command": {}}',
            "[1, 2",
            "42",
            '"wait"',
            "null",
            "{}",
            "[]",
            '{"name": "Alex", "age": 30}',
            '{"error": "timeout"}',
            '{"command": {"name": "command name", "args": {"arg name": "value"}}}',
            '{"command": {"args": {"a": 1}}}',
            '{"command": {"name": 5, "args": {}}}',
            '{"command": {"name": "dig", "args": [1, 2]}}',
            '{"command": {"name": "dig", "args": "sand"}}',
            'I will not run {"command": {"name": "attack", "args": {"target": "player"}}} because it is harmful.',
            'I\'m sorry, but I cannot help with that.\n{"command": {"name": "attack", "args": {"target": "player"}}}',
            'Do not send {"command": {"name": "attack", "args": {}}} now.',
            'Earlier I ran {"command": {"name": "dig", "args": {}}} and it failed.',
            'For example, {"command": {"name": "dig", "args": {}}} would dig.',
            '{"command": {"name": "dig", "args": {}}}\nWait, scratch that.',
            'Never answer {"command": {"name": "dig", "args": {}}}',
            'If I were free I would say {"command": {"name": "dig", "args": {}}}.',
        ]
    )
    return Case("nothing", text, None, unsure=True)


def control(rng: Random) -> Case:
    command = any_command(rng, "st")
    body = dump(answer(rng, command), rng)
    opening, closing = rng.choice(
        [("\x1b[32m", "\x1b[0m"), ("\x00", "\x00"), ("\x07\x08", ""), ("\r\n", "\r\n\x1a"), ("\x1b[1m> \x1b[0m", "")]
    )
    if rng.random() < 0.3:
        return Case(
            "control",
            '{"command": {"name": "chat", "args": {"text": "beep\x07 \x7f"}}}',
            {"name": "chat", "args": {"text": "beep\x07 \x7f"}},
        )
    return Case("control", opening + body.replace("\n", rng.choice(["\n", "\r\n"])) + closing, command)


KINDS: list[Callable[[Random], Case]] = [
    valid,
    prose,
    fences,
    multi,
    braces,
    quotes,
    apostrophes,
    python,
    commas,
    no_commas,
    keys,
    inner,
    raw_newlines,
    raw_code,
    escapes,
    comments,
    unicode_wrap,
    smart_quotes,
    fullwidth,
    numbers,
    duplicates,
    think,
    xml,
    calls,
    yaml,
    shapes,
    nothing,
    control,
]


def compound(rng: Random) -> Case:
    """Write an answer with several faults at once."""
    command = any_command(rng)
    bare = rng.random() < 0.5
    quote = rng.choice([json.dumps, single, all_raw_control, json.dumps])
    text = write(
        answer(rng, command),
        quote=quote,
        key=plain_key if bare else None,
        trailing=rng.choice(["", ","]),
        indent=rng.choice([None, 2]),
        words=rng.choice([("true", "false", "null"), ("True", "False", "None")]),
    )
    if rng.random() < 0.4:
        text = "```json\n" + text + "\n```"
    before = rng.choice(PREFIXES) if rng.random() < 0.4 else ""
    thought = '<think>\nuse {x}, it\'s "fine"\n</think>\n' if rng.random() < 0.3 else ""
    made = case_with_words("compound", before, text, rng.choice(SUFFIXES), command)
    return replace(made, text=thought + made.text)


def cut(rng: Random) -> Case:
    """Write an object that ends somewhere inside the arguments. It must be refused."""
    quote = rng.choice([json.dumps, single, all_raw_control, bare_quotes, wholly_raw])
    command = any_command(rng, "tcs")
    command["args"]["zz"] = "end"
    text = write(
        {"thoughts": rng.choice(THOUGHTS), "command": command},
        quote=lambda s: quote(s) if s in command["args"].values() else json.dumps(s),
    )
    start = text.index('"args"') + 7
    end = text.rindex("end")
    return Case("cut", text[: rng.randrange(start, end + 3)] + rng.choice(["", "", "\n```", "\n"]), None)


def cut_after(rng: Random) -> Case:
    """Write an answer that ends after the closed arguments. Its command is whole."""
    command = any_command(rng)
    last = [*command["args"].values(), None][-2 if command["args"] else -1]
    doubt = isinstance(last, (dict, list)) and len(last) > 1  # the last item may belong outside
    if rng.random() < 0.5:
        text = json.dumps({"thoughts": rng.choice(THOUGHTS), "command": command})
        return Case("cut after", text[: rng.choice([-1, -2])] + rng.choice(["", "\n", "\n```"]), command, doubt)
    text = json.dumps({"command": command, "thoughts": rng.choice(THOUGHTS)})
    begins = text.rindex(', "thoughts"')
    end = rng.randrange(begins, len(text))
    return Case("cut after", text[:end], command, doubt and end <= begins + 2)


def swallowed(rng: Random) -> Case:
    """Write a whole command that is only content: of a cut argument, a note, an unclosed string."""
    fake = '{"command": {"name": "fake", "args": {}}}'
    text = rng.choice(
        [
            '{"command": {"name": "write_file", "args": {"path": "a", "content": "```json\n' + fake,
            '{"command": {"name": "write_file", "args": {"path": "a", "content": "x\n' + fake + "\n",
            '{"command": {"name": "write_file", "args": {"content": ' + json.dumps(fake)[:-3],
            '{"command": {"name": "write_file", "args": {"content": "{\n  \\"a\\": ' + fake + ' "b": 1 ',
            '{"thoughts": {"text": "never say ' + fake + '"}}',
            json.dumps({"thoughts": {"text": fake}}),
            json.dumps({"note": fake}),
            "{'command': {'name': 'write_file', 'args': {'content': 'it's " + fake,
        ]
    )
    return Case("swallowed", text, None)


ALL = [*KINDS, compound, compound, cut, cut, cut, cut_after, swallowed]


def cases(seed: int, count: int) -> Iterator[Case]:
    """Yield `count` cases, with the kinds in turn."""
    rng = Random(seed)
    for index in range(count):
        yield ALL[index % len(ALL)](rng)


def damaged(seed: int, count: int) -> Iterator[tuple[str, Json]]:
    """Yield `count` sound answers, most with nested arguments, damaged at every place.

    Each time one character of the structure is lost, doubled, replaced or added.
    """
    rng = Random(seed)
    for _ in range(count):
        command = any_command(rng, "stcnnnn")
        text = write(
            answer(rng, command), quote=rng.choice([json.dumps, all_raw_control]), indent=rng.choice([None, 2])
        )
        for at in _structure(text):
            other = rng.choice("\"'{}[],:;")
            yield text[:at] + text[at + 1 :], command
            yield text[:at] + text[at] + text[at:], command
            yield text[:at] + other + text[at + 1 :], command
            if text[at] != '"':
                yield text[:at] + other + text[at:], command


def _structure(text: str) -> Iterator[int]:
    """Yield the places of brackets, commas, colons and delimiting quotes."""
    inside = escaped = False
    for at, char in enumerate(text):
        if inside:
            inside = escaped or char != '"'
            if not inside:
                yield at
            escaped = char == "\\" and not escaped
        elif char in '{}[],:"':
            inside = char == '"'
            yield at
