"""Keys and names that mark a command, and those that mark an object as somebody else's, or as a definition."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any

from autocraft.json_fix.reply import Json, unreadable
from autocraft.json_fix.values import equal

NAME_KEYS = ("name", "tool", "tool_name", "action", "action_name", "command", "function")
ARG_KEYS = ("args", "arguments", "parameters", "params", "input", "action_input", "kwargs")
CALL_KEYS = ("commands", "tool_calls", "function_call", "tool_call", "functioncall")
COMMAND_KEYS = frozenset({"command", "thoughts", "tool_calls", "commands", *ARG_KEYS})
"""Keys that make an object look like the command. If it cannot be read, the answer is refused."""
RESERVED = frozenset({*NAME_KEYS, *ARG_KEYS, "commands", "thoughts", "tool_calls"})
PARTS = RESERVED - {"action", "tool"}
"""Keys beside a command whose objects are examined elsewhere."""
BESIDE = frozenset(
    ["thoughts", "thought", "reasoning", "plan", "criticism", "speak", "text", "why", "reason", "explanation",
     "comment", "id", "type", "index", "status", "confidence", "done", "call_id"]
)  # fmt: skip
"""Keys beside a command without arguments that are never its arguments."""
PAIR_NAMES = ("action", "tool", "tool_name", "function", "name")
NEIGHBOURS = (BESIDE - {"status"}).union(
    ["tool_call_id", "role", "content", "refusal", "goal", "task", "step", "turn", "memory", "summary", "reflection",
     "evaluation", "analysis", "rationale", "intent", "priority", "timestamp", "next_step", "next_steps", "version",
     "emotion", "mood", "language", "critique", *NAME_KEYS, *ARG_KEYS, *CALL_KEYS]
)  # fmt: skip
"""Keys that may be beside a command or in it. Another key may say that the command is foreign, or must not run."""
KNOWN = frozenset({*ARG_KEYS, *NAME_KEYS, "thoughts", "thought"})
WRAPS = frozenset(
    ["response", "answer", "reply", "message", "data", "content", "json", "final", "final_answer", "assistant", "next",
     "thoughts", "thought", "output"]
)  # fmt: skip
"""Keys that may hold the object with the command. Under any other key the command is foreign."""
_CALL_TYPES = frozenset({"function", "function_call", "tool_use", "tool_call", "command", "action", "custom", "call"})


def check_own(keys: Json) -> None:
    """Raise UnreadableReply for a refusal, and for an object of another role or of a type that is not a call."""
    if str(keys.get("refusal") or "").strip():
        raise unreadable("refusal")
    if keys.get("role", "assistant") != "assistant":
        raise unreadable("foreign")
    if isinstance(keys.get("type"), str) and keys["type"].lower() not in _CALL_TYPES:
        raise unreadable("foreign")


def is_second(key: str, value: Any, own: Collection[str]) -> bool:
    """Return whether the value of a key beside a command looks like a second command. `own` are the command's keys."""
    if not isinstance(value, dict) or key in own or key in BESIDE:
        return False
    keys = {each.strip().lower() for each in value}
    return "command" in keys or not (keys.isdisjoint(NAME_KEYS) or keys.isdisjoint(ARG_KEYS))


def lower_keys(value: Json) -> Json:
    """Return the object with keys in lower case. Raises UnreadableReply if two keys become equal with different
    values.
    """
    lower = {key.strip().lower(): item for key, item in value.items()}
    if len(lower) < len(value) and any(not equal(item, lower[key.strip().lower()]) for key, item in value.items()):
        raise unreadable("two commands" if "command" in lower else "doubtful")
    return lower


def thoughts(keys: Json) -> Json:
    """Return the thoughts of an object as an object. Return {} if it has none."""
    value = keys.get("thoughts", keys.get("thought"))
    if isinstance(value, dict):
        return value
    if isinstance(value, str):
        return {"text": value}
    reasoning = keys.get("reasoning")
    return {"reasoning": reasoning} if isinstance(reasoning, str) else {}


# ------------------------------------------------------------ a command that is only shown

_SCHEMA = frozenset({"type", "properties", "required", "title", "additionalproperties", "$schema", "description"})
_TYPES = frozenset(["string", "integer", "number", "boolean", "object", "array", "null", "int", "str", "float", "bool"])
_THINGS = frozenset({"name", "item", "block", "entity", "kind"})
"""Names of an argument that may be the item "string", if it is the only argument."""
_SLOT = re.compile(r"<[A-Za-z][\w \-]{0,40}>")
_ARG_NAMES = frozenset({"arg name", "arg_name"})
_SHOWN_NAME = re.compile(
    r"(?:(?:your|insert|some|any|the|a)_)*(?:command|tool|function|action)(?:_?name|_here)*|name|string"
)
"""A name that stands for the name of a command."""
_HINTS = frozenset("$<{[.…vVaA")
"""First characters of placeholders."""
_ARGUMENT = re.compile(r"\.{3}|…|(?:arg|argument|param|parameter|key)_?(?:name|\d)?")
_VALUE = re.compile(r"\.{3}|…|(?:value|val|argument|arg)_?\d?")
_NONE = frozenset({"none", "null", "n/a", "nothing"})
"""Names that say that no command is to run."""


def check_meant(name: str, args: Json) -> None:
    """Raise UnreadableReply for a placeholder, and for arguments that are a JSON Schema, types, or placeholders."""
    plain_name = name.lower().strip("<>[]{}").replace(" ", "_").replace("-", "_")
    if plain_name in _NONE:
        raise unreadable("no command")
    if name[:1] in "<{[" or _SHOWN_NAME.fullmatch(plain_name) or not _ARG_NAMES.isdisjoint(args):
        raise unreadable("placeholder")
    if not args:
        return
    if "<" in "".join(args) and any(map(_SLOT.fullmatch, args)):
        raise unreadable("placeholder")
    is_schema = args.get("type") == "object" or isinstance(args.get("properties"), dict)
    if is_schema and _SCHEMA.issuperset(map(str.lower, args)):
        raise unreadable("definition")
    first = next(iter(args.values()))
    if type(first) is not dict and (type(first) is not str or (first[:1] not in _HINTS and first not in _TYPES)):
        return  # a value, and so not all of them are none
    is_string = first == "string" and len(args) == 1 and not _THINGS.isdisjoint(args)
    if all(map(_is_type, args.values())) and not is_string:
        raise unreadable("definition")
    if all(_is_filler(key, value) for key, value in args.items()):
        raise unreadable("placeholder")


def _is_type(value: Any) -> bool:
    """Return whether a value is only a type, such as ``"integer"`` or ``{"type": "integer", …}``."""
    if isinstance(value, dict):
        value = value.get("type")
    return isinstance(value, str) and value in _TYPES


def _is_filler(key: str, value: Any) -> bool:
    """Return whether a pair is only a placeholder: ``"a": "<item>"``, ``"arg1": "value1"``, ``"count": "{count}"``."""
    if not isinstance(value, str):
        return False
    if _SLOT.fullmatch(value) or value.lstrip("$<{[").rstrip(">}]") == key != value:
        return True
    return _ARGUMENT.fullmatch(key.lower()) is not None and _VALUE.fullmatch(value.lower()) is not None
