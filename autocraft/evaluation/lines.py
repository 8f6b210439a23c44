"""Plancraft's line protocol: one action in a model's answer, such as ``move: from [I2] to [A1] with quantity 1``.

The first line that begins with the name of an action counts. Other text is not searched, so a thought about a move is
not a move.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from autocraft.errors import UnreadableReply
from autocraft.json_fix.reply import Reply
from autocraft.protocols import Answer, Args

FORMATS = {
    "move": "move: from [Source] to [Target] with quantity N",
    "smelt": "smelt: from [Source] to [Target] with quantity N",
    "think": "think: <thought>",
    "search": "search: <recipe name>",
    "impossible": "impossible: <reason>",
    "craft_item": "craft_item: <item> with quantity N",
    "smelt_item": "smelt_item: <item> with quantity N",
}
EXAMPLES = {
    "move": "move: from [I2] to [A1] with quantity 1",
    "smelt": "smelt: from [I5] to [I6] with quantity 1",
    "think": "think: the planks are in [I3]",
    "search": "search: oak_planks",
    "impossible": "impossible: no diamond is held",
    "craft_item": "craft_item: oak_planks with quantity 4",
    "smelt_item": "smelt_item: iron_ore with quantity 1",
}
"""Lines for errors. A small model copies them, and so a line with placeholders would be copied with them."""
_SHORT = {"craft": "craft_item"}
"""Other words that begin a line, and the action that they mean where it is allowed."""
_WORDS = {"think": "thought", "search": "recipe", "impossible": "reason"}
_SLOTS = re.compile(
    r"\s*from\s*\[?\s*(\w{1,8})\s*\]?\s*to\s*\[?\s*(\w{1,8})\s*\]?\s*,?(?:\s*with)?"
    r"(?:\s*(?:quantity|x)\s*[:=]?\s*(\d{1,9}))?",
    re.IGNORECASE,
)
_NO_NUMBER = re.compile(r"\s*quantity", re.IGNORECASE)  # and no number that can be read after it
_ITEM = re.compile(
    r"\s*([\w: -]{1,60}?)(?:\s+with)?(?:\s+(?:quantity|x)\s*[:=]?\s*(\d{1,9}))?\s*[.`*]*\s*$", re.IGNORECASE
)
_SPELLED = re.compile(r"(move|smelt)action\s*\(([^()]{0,200})\)", re.IGNORECASE)
"""An action as plancraft's own code writes it: ``MoveAction(from_slot="[I2]", to_slot="[A1]", quantity=1)``."""
_ITEM_FOR_SLOT = re.compile(_SLOTS.pattern.replace("{1,8}", "{1,40}"), re.IGNORECASE)
_MOST_LINES = 400


def read_line(answer: Answer, tools: Collection[str], *, items: bool = False) -> Reply:
    """Return the first action of an answer that begins a line. Raises UnreadableReply that says what can be read.

    With `items`, a long name of an item is read in the place of a slot, so that the world can tell where it lies.
    """
    match = _find(answer.text, tools)
    if match is None:
        simplest = [*(name for name in tools if name.endswith("_item")), *tools][:2]  # whole recipes first
        raise UnreadableReply(
            f"Only select actions from the following: {', '.join(tools)}. "  # noqa: S608 - not SQL
            f"Write one line such as: {'   or   '.join(EXAMPLES[name] for name in simplest)}",
            ("no action",),
        )
    name, rest, _ = match
    args = _args(name, rest, _ITEM_FOR_SLOT if items else _SLOTS)
    if args is None and name == "smelt" and "smelt_item" in tools and not rest.strip().lower().startswith("from"):
        args = _args("smelt_item", rest)
        name = name if args is None else "smelt_item"
    if args is None:
        raise UnreadableReply(f"Format error: write it as {FORMATS[name]}, such as {EXAMPLES[name]}", ("format",))
    return Reply(name, args, {})


def part_with_action(text: str, tools: Collection[str]) -> str:
    """Return an answer up to the end of its action, without the turns that a model invents after it."""
    match = _find(text, tools)
    return text if match is None else text[: match[2]]


def line_of(name: str, args: Args) -> str:
    """Return the line that means this command."""
    if name in ("move", "smelt"):
        source, target = (_slot(args[part]) for part in ("source", "target"))
        return f"{name}: from {source} to {target} with quantity {args.get('quantity', 1)}"
    if name in _WORDS:
        return f"{name}: {args[_WORDS[name]]}"
    return f"{name}: {args['name']} with quantity {args.get('count', 1)}"


def _find(text: str, tools: Collection[str]) -> tuple[str, str, int] | None:
    """Return (action, the text after its colon, the end of the line) of the first action line, None if there is
    none."""
    start = 0
    words = {name: name for name in tools} | {word: name for word, name in _SHORT.items() if name in tools}
    names: Sequence[str] = sorted(words, key=len, reverse=True)
    for line in text.split("\n", _MOST_LINES)[:_MOST_LINES]:
        plain = " ".join(line.lower().split()).lstrip(" >*`-#\"'")
        plain = plain.removeprefix("action:").removeprefix("assistant:").lstrip(" *`")
        for name in names:
            if re.match(rf"{name}\s*[`*]*\s*:", plain):
                return words[name], line[line.index(":", line.lower().index(name)) + 1 :], start + len(line)
        if match := _SPELLED.match(plain):
            name, rest = match[1], _as_line(match[2])
            if name in tools and rest:
                return name, rest, start + len(line)
        start += len(line) + 1
    return None


def _as_line(arguments: str) -> str:
    """Return the arguments of a spelled action as a line has them, "" if a slot is missing."""
    parts = [part.partition("=") for part in arguments.split(",")]
    values = {key.strip().replace("slot", "").strip("_"): value.strip(" '\"[]") for key, _, value in parts}
    if not values.get("from") or not values.get("to"):
        return ""
    return f"from [{values['from']}] to [{values['to']}] with quantity {values.get('quantity') or 1}"


def _args(name: str, rest: str, slots: re.Pattern[str] = _SLOTS) -> Args | None:
    if name in _WORDS:
        return {_WORDS[name]: rest.strip(" \t\r*`")}
    rest = " ".join(rest.split())  # long blanks would take the expressions quadratic time
    match = (slots.match if name in ("move", "smelt") else _ITEM.match)(rest)
    if match is None or _NO_NUMBER.match(rest, match.end()):
        return None
    if name in ("move", "smelt"):
        source, target, quantity = match.groups()
        return {"source": _slot(source), "target": _slot(target), "quantity": int(quantity or 1)}
    return {"name": match[1].strip(), "count": int(match[2] or 1)}


def _slot(name: object) -> str:
    return f"[{str(name).strip().removeprefix('[').removesuffix(']').upper()}]"
