"""Refuses objects that only show a command: its definition, a JSON Schema, or the placeholders of the format."""

from __future__ import annotations

import re
from typing import Any

from autocraft.json_fix.reply import Json, unreadable

_SCHEMA = frozenset({"type", "properties", "required", "title", "additionalproperties", "$schema", "description"})
_TYPES = frozenset(["string", "integer", "number", "boolean", "object", "array", "null", "int", "str", "float", "bool"])
_THINGS = frozenset({"name", "item", "block", "entity", "kind"})
"""Names of an argument that may be the item "string", if it is the only argument."""
_SLOT = re.compile(r"<[A-Za-z][\w \-]{0,40}>")
_ARG_NAMES = frozenset({"arg name", "arg_name"})
_NAME = re.compile(r"(?:(?:your|insert|some|any|the|a)_)*(?:command|tool|function|action)(?:_(?:name|here))*")
_NAME_ENDS = ("command", "tool", "function", "action", "name", "here")
_HINTS = frozenset("$<{[.…vVaA")
"""First characters of placeholders."""
_ARGUMENT = re.compile(r"\.{3}|…|(?:arg|argument|param|parameter|key)_?(?:name|\d)?")
_VALUE = re.compile(r"\.{3}|…|(?:value|val|argument|arg)_?\d?")
_NONE = frozenset({"none", "null", "n/a", "nothing"})
"""Names that say that no command is to run."""
_PLACEHOLDERS = frozenset(
    ["command", "command_name", "commandname", "name", "tool", "tool_name", "function", "function_name", "action",
     "action_name", "string"]
)  # fmt: skip


def check(name: str, args: Json) -> None:
    """Raise UnreadableReply for a placeholder, and for arguments that are a JSON Schema, types, or placeholders."""
    plain_name = name.lower().strip("<>[]{}").replace(" ", "_").replace("-", "_")
    if plain_name in _NONE:
        raise unreadable("no command")
    if plain_name in _PLACEHOLDERS or name[:1] in "<{[" or _holds_placeholder(args):
        raise unreadable("placeholder")
    if plain_name.endswith(_NAME_ENDS) and _NAME.fullmatch(plain_name):
        raise unreadable("placeholder")
    if not args:
        return
    if "type" in args or "properties" in args:
        _check_schema(args)
    first = next(iter(args.values()))
    if type(first) is not dict and (type(first) is not str or (first[:1] not in _HINTS and first not in _TYPES)):
        return  # a value, and so not all of them are none
    is_string = first == "string" and len(args) == 1 and not _THINGS.isdisjoint(args)
    if all(map(_is_type, args.values())) and not is_string:
        raise unreadable("definition")
    all_slots = all(isinstance(value, str) and _SLOT.fullmatch(value) for value in args.values())
    if all_slots or all(_is_filler(key, value) for key, value in args.items()):
        raise unreadable("placeholder")


def _check_schema(args: Json) -> None:
    is_object = args.get("type") == "object"
    properties = isinstance(args.get("properties"), dict)
    if (is_object or properties) and _SCHEMA.issuperset(key.lower() for key in args):
        raise unreadable("definition")
    if properties and (is_object or "required" in args):
        raise unreadable("definition")


def _is_type(value: Any) -> bool:
    """Return whether a value is only a type, such as ``"integer"`` or ``{"type": "integer", …}``."""
    if isinstance(value, dict):
        value = value.get("type")
    return isinstance(value, str) and value in _TYPES


def _holds_placeholder(args: Json) -> bool:
    """Return whether an argument is called `arg name` or ``<x>``."""
    if not _ARG_NAMES.isdisjoint(args):
        return True
    return "<" in "".join(args) and any(key[:1] == "<" and key[1:-1].isidentifier() and key[-1] == ">" for key in args)


def _is_filler(key: str, value: Any) -> bool:
    """Return whether a pair is only a placeholder, such as ``"arg1": "value1"`` or ``"count": "{count}"``."""
    if not isinstance(value, str):
        return False
    if value.lstrip("$<{[").rstrip(">}]") == key != value:
        return True
    return _ARGUMENT.fullmatch(key.lower()) is not None and _VALUE.fullmatch(value.lower()) is not None
