"""A tool's definition as a command: its name, its words and its arguments. No part reaches a prompt unchanged."""

from __future__ import annotations

import inspect
import json
import keyword
import re
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from autocraft.mcp.client.definitions import Definition
from autocraft.protocols import Args, Call, Command, Json, Result, Risk
from autocraft.text.characters import well_formed
from autocraft.text.phrases import beginning
from autocraft.text.prompts import harmless
from autocraft.text.sanitize import hidden_in

FAMILY = "mcp"
MOST_ARGUMENTS = 40
MOST_WORDS, MOST_ABOUT = 200, 120
"""The most characters of a description, and of the description of an argument."""
_TYPES: Mapping[str, Any] = {"string": str, "integer": int, "number": int | float, "boolean": bool, "object": dict}
_PLAIN_CHOICE = re.compile(r"[A-Za-z0-9_.:/+-]{1,64}")
"""A value that may stand in the schema of the answer. The schema has no fence for data, so only short names may."""
Send = Callable[[Definition, Call, Args], Awaitable[Result]]


@dataclass(frozen=True)
class Argument:
    """An argument under a name that Python takes. `sent` is its name for the server."""

    name: str
    sent: str
    kind: Any
    required: bool
    about: str
    """What the server says of it."""


def command_of(server: str, tool: Definition, owner: object, risk: Risk, send: Send) -> Command:
    """Return the command of a tool. Raises ValueError if its name or its arguments cannot be those of a command."""
    name = f"{server}.{plain_name(tool.name)}"
    arguments = arguments_of(tool.schema)
    keys = {each.name: each.sent for each in arguments}
    optional = {each.name for each in arguments if not each.required}

    async def run(owner: object, call: Call, /, **args: Any) -> Result:
        arguments_sent = {keys[key]: value for key, value in args.items() if value is not None or key not in optional}
        return await send(tool, call, arguments_sent)

    run.__signature__ = _signature(arguments)  # type: ignore[attr-defined]
    words = f"Tool of the server {server}, which says '{words_of(tool.description, MOST_WORDS)}'"
    words += "".join(f", of {each.name} '{each.about}'" for each in arguments if each.about)
    synonyms = (f"{server}__{plain_name(tool.name)}",)
    return Command(name, words, risk, run, synonyms=synonyms, family=FAMILY, owner=owner)


def plain_name(name: str) -> str:
    """Return a tool's name in the characters of commands. Raises ValueError if nothing is left of it."""
    plain = re.sub(r"[^a-z0-9_]", "_", name.lower())
    if not re.search("[a-z0-9]", plain) or len(plain) > 38:
        raise ValueError(f"its name {words_of(name, 40)!r} cannot be the name of a command")
    return plain


def ambiguous_names(tools: Sequence[Definition]) -> set[str]:
    """Return the names of tools that would have the name of another one as commands."""
    plain = {each.name: re.sub(r"[^a-z0-9_]", "_", each.name.lower()) for each in tools}
    many = Counter(plain.values())
    return {name for name, short in plain.items() if many[short] > 1}


def words_of(text: str, most: int) -> str:
    """Return untrusted text as one line of at most `most` characters, without hidden characters, marks and quotes."""
    plain = " ".join(well_formed(text[: 20 * most]).split())
    hidden = set(hidden_in(plain))
    visible = "".join(char for char in plain if char not in hidden)
    return beginning(harmless(re.sub("[\"'`\u2018-\u201f]", "\u2019", visible)), most)


def arguments_of(schema: Json) -> list[Argument]:
    """Return the arguments of an input schema. Raises ValueError if they cannot be those of a command."""
    properties, required = schema.get("properties", {}), schema.get("required", [])
    if not isinstance(properties, dict) or not isinstance(required, list) or len(properties) > MOST_ARGUMENTS:
        raise ValueError(f"its arguments are not an object of at most {MOST_ARGUMENTS}")
    result = [_argument(name, each, name in required) for name, each in properties.items()]
    if len({each.name for each in result}) < len(result):
        raise ValueError("two of its arguments would have one name")
    return sorted(result, key=lambda each: not each.required)


def _argument(name: str, schema: object, required: bool) -> Argument:
    plain = re.sub(r"[^A-Za-z0-9_]", "_", name).lstrip("_")
    if not plain or plain[0].isdigit() or len(plain) > 64:
        raise ValueError(f"its argument {words_of(name, 40)!r} has a name that commands cannot have")
    if keyword.iskeyword(plain):
        plain += "_"
    if not isinstance(schema, dict):
        schema = {}
    kind = _kind(schema)
    return Argument(plain, name, kind if required else kind | None, required, words_of(_about(schema), MOST_ABOUT))


def _kind(schema: Json) -> Any:
    """Return the type of a value, Any if the schema says more than a type can."""
    choices = _choices(schema)
    if choices and all(isinstance(each, str) and _PLAIN_CHOICE.fullmatch(each) for each in choices):
        return Literal[tuple(choices)]
    kind = schema.get("type")
    if isinstance(kind, list):
        kinds = [each for each in kind if each != "null"]
        kind = kinds[0] if len(kinds) == 1 else None
    if kind == "array":
        items = schema.get("items")
        inner = _TYPES.get(str(items.get("type"))) if isinstance(items, dict) else None
        return list[inner] if inner else list  # type: ignore[valid-type]
    return _TYPES.get(kind, Any) if isinstance(kind, str) else Any


def _choices(schema: Json) -> list[Any]:
    choices = schema.get("enum")
    return choices if isinstance(choices, list) and len(choices) <= 50 else []


def _about(schema: Json) -> str:
    """Return what the server says of an argument, the choices that are sentences, and the names in an object."""
    about = schema.get("description", "")
    if sentences := [each for each in _choices(schema) if isinstance(each, str) and not _PLAIN_CHOICE.fullmatch(each)]:
        about = f"{about} One of {', '.join(sentences)}."
    inner = schema.get("properties")
    names = f" Object with {', '.join(map(str, list(inner)[:12]))}." if isinstance(inner, dict) and inner else ""
    return f"{about if isinstance(about, str) else json.dumps(about)}{names}"


def _signature(arguments: Sequence[Argument]) -> inspect.Signature:
    first = [inspect.Parameter(name, inspect.Parameter.POSITIONAL_ONLY) for name in ("_owner", "_call")]
    kind = inspect.Parameter.KEYWORD_ONLY
    own = [inspect.Parameter(each.name, kind, annotation=each.kind) for each in arguments]
    own = [each if row.required else each.replace(default=None) for each, row in zip(own, arguments, strict=True)]
    return inspect.Signature([*first, *own])
