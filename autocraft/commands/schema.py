"""One JSON schema for the whole answer, made from the offered commands. A server can hold a model to it.

Every string and array has an upper bound, since a small model under a grammar may otherwise never end one. OpenAI's
strict mode wants every property required and has no `maxLength` or `default`; `brains/abilities.py` makes that form.
Only an argument that is a free object has no strict form.
"""

from __future__ import annotations

import inspect
from typing import Any

from autocraft.commands.registry import Registry
from autocraft.protocols import Command, Json

SHORT, LONG, WHOLE, MOST_ITEMS = 200, 2_000, 32_000, 20
"""Most characters of a plain argument, of a long text and of a whole file or program; most items of a list."""
_LONGER = {"text": LONG, "old": LONG, "new": LONG, "content": WHOLE, "code": WHOLE, "program": WHOLE}
_THOUGHTS: Json = {
    "type": "object",
    "properties": {
        "text": {"type": "string", "maxLength": 400},
        "reasoning": {"type": "string", "maxLength": 400},
        "plan": {"type": "array", "items": {"type": "string", "maxLength": 120}, "maxItems": 8},
        "criticism": {"type": "string", "maxLength": 200},
        "speak": {"type": "string", "maxLength": 200},
    },
    "required": ["text", "reasoning", "plan", "criticism", "speak"],
    "additionalProperties": False,
}


def command_schema(registry: Registry) -> Json:
    """Return ``{"thoughts": {…}, "command": {"name", "args"}}`` with one alternative for each offered command.

    Raises ValueError if no command is offered.
    """
    definitions: Json = {}
    commands = [_command(each, definitions) for each in registry.listed()]
    if not commands:
        raise ValueError("no command is offered, so there is nothing that an answer could name")
    schema: Json = {
        "type": "object",
        "properties": {"thoughts": _THOUGHTS, "command": {"anyOf": commands}},
        "required": ["thoughts", "command"],
        "additionalProperties": False,
    }
    return schema | ({"$defs": definitions} if definitions else {})


def _command(command: Command, definitions: Json) -> Json:
    """Return the object that names this command, with its arguments."""
    return {
        "type": "object",
        "properties": {
            "name": {"type": "string", "const": command.name},
            "args": _arguments(command, definitions),
        },
        "required": ["name", "args"],
        "additionalProperties": False,
    }


def arguments_schema(command: Command) -> Json:
    """Return the schema of the arguments of one command."""
    definitions: Json = {}
    return _arguments(command, definitions) | ({"$defs": definitions} if definitions else {})


def _arguments(command: Command, definitions: Json) -> Json:
    return {
        "type": "object",
        "properties": {p.name: _argument(p, definitions) for p in command.parameters},
        "required": [p.name for p in command.parameters if p.default is inspect.Parameter.empty],
        "additionalProperties": False,
    }


def _argument(parameter: inspect.Parameter, definitions: Json) -> Json:
    """Return one argument with its bounds and default."""
    import pydantic

    schema = pydantic.TypeAdapter(parameter.annotation).json_schema()
    definitions.update(_with_bounds(schema.pop("$defs", {}), SHORT))
    result: Json = _with_bounds(schema, _LONGER.get(parameter.name, SHORT))
    if parameter.default is not inspect.Parameter.empty:
        result["default"] = parameter.default
    return result


def _with_bounds(schema: Any, longest: int) -> Any:
    """Return the schema with an upper bound for each string and array that has none."""
    if isinstance(schema, list):
        return [_with_bounds(item, longest) for item in schema]
    if not isinstance(schema, dict):
        return schema
    copy = {name: _with_bounds(value, longest) for name, value in schema.items() if name != "title"}
    free = "enum" not in copy and "const" not in copy
    if copy.get("type") == "string" and free:
        copy.setdefault("maxLength", longest)
    if copy.get("type") == "array":
        copy.setdefault("maxItems", MOST_ITEMS)
    return copy
