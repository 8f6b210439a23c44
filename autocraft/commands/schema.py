"""One JSON schema for the whole answer, made from the commands on offer: what a server can hold a model to.

Every string and array has an upper bound, since a small model under a grammar may otherwise never end one. Strict
mode, as OpenAI has it, wants every property required and knows no `maxLength` or `default`; `brains/abilities.py`
makes that form of it. Only an argument that is a free object cannot be put in strict form.
"""

from __future__ import annotations

import inspect
from typing import Any

from autocraft.commands.registry import Registry
from autocraft.protocols import Command, Json

SHORT, LONG, WHOLE, MOST_ITEMS = 200, 2_000, 32_000, 20
"""Characters of a plain argument, of a long text and of a whole file or program, and items of a list."""
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
    """``{"thoughts": {…}, "command": {"name", "args"}}`` with one alternative for each offered command.

    Raises ValueError when no command is offered.
    """
    definitions: Json = {}
    commands = [_command(each, definitions) for each in registry.commands() if each.offered]
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
    """The object that names this command, with its arguments."""
    return {
        "type": "object",
        "properties": {
            "name": {"type": "string", "const": command.name},
            "args": {
                "type": "object",
                "properties": {p.name: _argument(p, definitions) for p in command.parameters},
                "required": [p.name for p in command.parameters if p.default is inspect.Parameter.empty],
                "additionalProperties": False,
            },
        },
        "required": ["name", "args"],
        "additionalProperties": False,
    }


def _argument(parameter: inspect.Parameter, definitions: Json) -> Json:
    """One argument with its bounds and default."""
    import pydantic

    schema = pydantic.TypeAdapter(parameter.annotation).json_schema()
    definitions.update(_bounded(schema.pop("$defs", {}), SHORT))
    bounded: Json = _bounded(schema, _LONGER.get(parameter.name, SHORT))
    if parameter.default is not inspect.Parameter.empty:
        bounded["default"] = parameter.default
    return bounded


def _bounded(schema: Any, longest: int) -> Any:
    """The same with an upper bound wherever a string or an array has none."""
    if isinstance(schema, list):
        return [_bounded(each, longest) for each in schema]
    if not isinstance(schema, dict):
        return schema
    made = {name: _bounded(value, longest) for name, value in schema.items() if name != "title"}
    free = "enum" not in made and "const" not in made
    if made.get("type") == "string" and free:
        made.setdefault("maxLength", longest)
    if made.get("type") == "array":
        made.setdefault("maxItems", MOST_ITEMS)
    return made
