"""Commands and thoughts from which `answer_breaker.py` makes broken answers: short ones, code, texts, paths."""

from __future__ import annotations

from random import Random
from typing import Any

Json = dict[str, Any]

CODE: dict[str, str] = {
    "build_wall.js": (
        "async function buildWall(bot, n) {\n\tfor (let i = 0; i < n; i++) {\n"
        '\t\tawait placeItem(bot, "cobblestone", bot.entity.position.offset(i, 0, 0));\n'
        "\t\tbot.chat(`wall ${i + 1}/${n} {${i}}`);\n\t}\n}\n"
    ),
    "parse.js": (
        "const m = text.match(/^(\\w+):\\s*\\[(\\d+)\\]$/gm) || [];\n"
        'return m.map((s) => s.split("\\n")[0]).join("\\t");\n'
    ),
    "guard.js": "if (!bot.inventory.items().some((i) => i.log)) {\n  throw new Error(\"I need 'log' {1}\");\n}\n",
    "count.py": (
        "import json\nfrom pathlib import Path\n\n\ndef count(path):\n    rows = json.loads(Path(path).read_text())\n"
        "    top = {k: v for k, v in rows.items() if v}\n    print(f\"{len(top)} rows, {top['a']!r}\")\n"
        '    return {"rows": rows, "top": None, \'ok\': True,}\n'
    ),
    "run.sh": '#!/bin/sh\nset -e\nfor f in *.log; do\n  [ -f "$f" ] || exit\n  sed -i \'s/foo\\.bar/x/\' "$f"\ndone\n',
    "Makefile": "all: out\n\nout:\n\t@mkdir -p $@\n\tcp -r src/* $@ # keep\n",
    "page.html": '<a href="x.html" class="b">It\'s {{ name }} &amp; "co"</a>\n<style>a { color: red }</style>\n',
    "notes.md": '# Plan\n\n- *dig* 3 [b](x)\n- don\'t\n\n```json\n{"command": {"name": "fake", "args": {}}}\n```\n',
    "config.json": '{\n  "host": "here",\n  "ports": [25565, 1],\n  "auth": {"type": "offline", "name": "bot"}\n}\n',
    "setup.ini": "[paths]\nhome=C:\\Users\\bob\nlogs=D:\\new\\temp\n; {x} # y\n",
    "query.sql": "SELECT \"name\", count(*) FROM items -- all\nWHERE kind = 'ore' AND note <> '{}';\n",
    "think.txt": "<think>this is content</think>\n<tool_call>{}</tool_call> </think>\n",
}
TEXTS = [
    "Hello there!",
    "I'm on my way, don't wait.",
    "tail \\",
    "C:\\temp\\new",
    "a\tb",
    "line one\nline two\n",
    "see http://x.org/a?b=1#c // ok",
    "half {open",
    "[1, 2}",
    "100% /* sure */ # yes",
    "“smart” ‘quotes’ «go»",
    "全角：｛｝，",
    "emoji 😀 é",
    "None, True, NaN",
    "a,}",
    "b, ]",
    '{"k": [1,]}',
    "```\ncode\n```",
    "</think>",
    "'single' and \"double\"",
    "x: 1, y: 2",
    "zero\u200bwidth",
    " lead and trail ",
    "\\d+\\.\\w",
    "{{x}}",
    "${y}",
    "`tick`",
]
NAMES = [
    "mine_block",
    "craft_item",
    "write_file",
    "go_to",
    "chat",
    "place-item",
    "inventory.list",
    "equip",
    "task_complete",
]
THOUGHTS: list[Json] = [
    {
        "text": "I need wood first.",
        "reasoning": "It's the base of everything.",
        "plan": "- chop\n- craft",
        "criticism": "",
        "speak": "On it.",
    },
    {
        "text": "Night comes soon",
        "reasoning": "Mobs spawn in the dark.",
        "plan": ["find shelter", "wait, then go"],
        "criticism": "Late again.",
        "speak": "Let's hide.",
    },
    {
        "text": "The furnace is ready",
        "reasoning": "Ore was mined before",
        "plan": "- smelt\n- craft a pickaxe\n- go on",
        "criticism": "Mind the fuel",
        "speak": "Smelting now",
    },
    {"text": "ok"},
    {"text": "The user can't see me; use {braces} and [brackets]", "speak": "Go: now"},
]


def short_args(rng: Random) -> Json:
    return rng.choice(
        [
            {"name": "oak_log", "count": rng.randint(1, 64)},
            {"x": rng.randint(-300, 300), "y": 64.5, "z": -rng.randint(1, 9), "sprint": rng.random() < 0.5},
            {"name": "stick", "count": 4, "fuel": None},
            {"items": ["oak_log", "dirt, coarse", "sand"], "deep": {"a": [1, {"b": None}], "c": -1.5e3}},
            {"message": rng.choice(TEXTS)},
            {},
        ]
    )


def text_args(rng: Random) -> Json:
    args: Json = {"text": rng.choice(TEXTS)}
    if rng.random() < 0.5:
        args["times"] = rng.randint(1, 9)
    return args if rng.random() < 0.5 else dict(reversed(args.items()))


def code_args(rng: Random) -> Json:
    path, code = rng.choice(list(CODE.items()))
    args: Json = {"path": path, "content": code}
    if rng.random() < 0.3:
        args["overwrite"] = rng.random() < 0.5
    return args if rng.random() < 0.6 else dict(reversed(args.items()))


def nested_args(rng: Random) -> Json:
    """Return arguments with objects and lists, in which a lost bracket can move what follows."""
    return rng.choice(
        [
            {"position": {"x": rng.randint(-9, 9), "y": 64, "z": -3}, "block": "torch", "dry": True},
            {"block": "torch", "position": {"x": 1, "y": 2}, "options": {"face": "up", "sneak": False}},
            {"steps": [{"name": "dig", "args": {"n": 2}}, {"name": "place", "args": {}}], "loop": 3},
            {"map": [[1, 2], [3, 4]], "name": "x"},
            {"filter": {"and": [{"kind": "ore"}, {"count": {"min": 3}}]}, "limit": 5},
            {"recipe": [["a", None], ["b", "c"]], "count": 1, "meta": {}},
            {"a": {"b": {"c": {"d": 1}, "e": 2}, "f": 3}, "g": "text, here: {x}"},
            {"items": ["oak_log", "dirt, coarse"], "deep": {"a": [1, {"b": None}], "c": -1.5e3}},
        ]
    )


def any_command(rng: Random, kinds: str = "stc") -> Json:
    """Return ``{"name", "args"}``. `kinds` chooses among short, text, code and nested arguments."""
    make = {"s": short_args, "t": text_args, "c": code_args, "n": nested_args}[rng.choice(kinds)]
    return {"name": rng.choice(NAMES), "args": make(rng)}


def answer(rng: Random, command: Json) -> Json:
    """Return the whole answer around a command, in either order, sometimes without thoughts."""
    thoughts = rng.choice(THOUGHTS)
    return rng.choice(
        [
            {"thoughts": thoughts, "command": command},
            {"thoughts": thoughts, "command": command},
            {"command": command, "thoughts": thoughts},
            {"command": command},
        ]
    )
