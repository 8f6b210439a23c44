"""The schema of an answer: every offered command, bounded everywhere, and what it lets through the registry takes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Annotated, Any, Literal

import pytest
from pydantic import Field

from autocraft.brains.abilities import strict_schema
from autocraft.commands.control import ControlCommands
from autocraft.commands.registry import Registry
from autocraft.commands.schema import SHORT, WHOLE, command_schema
from autocraft.protocols import Call, Risk, command, commands_of
from autocraft.worlds.crafting import CraftingWorld


class Odd:
    """Commands with every kind of argument."""

    @command(help="all kinds", risk=Risk.LOOK)
    async def all_kinds(
        self,
        call: Call,
        content: str,
        name: Annotated[str, Field(max_length=12)],
        count: Annotated[int, Field(ge=1, le=64)] = 1,
        ratio: float = 0.5,
        fuel: str | None = None,
        kind: Literal["oak", "birch"] = "oak",
        names: list[str] | None = None,
        sure: bool = False,
    ) -> str:
        return ""

    @command(help="for the person alone", risk=Risk.LOOK, offered=False)
    async def hidden(self, call: Call) -> str:
        return ""


def registry() -> Registry:
    world = CraftingWorld()
    families = (world, ControlCommands(), Odd())
    return Registry([each for family in families for each in commands_of(family)])


def alternatives(schema: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Command name -> schema of its args."""
    each = schema["properties"]["command"]["anyOf"]
    return {one["properties"]["name"]["const"]: one["properties"]["args"] for one in each}


def parts(schema: Any) -> Iterator[dict[str, Any]]:
    """Every schema inside a schema."""
    if isinstance(schema, list):
        for each in schema:
            yield from parts(each)
    elif isinstance(schema, dict):
        yield schema
        for name, value in schema.items():
            yield from parts(list(value.values()) if name in ("properties", "$defs") else value)


def test_every_offered_command_and_no_other() -> None:
    made = registry()
    assert list(alternatives(command_schema(made))) == list(made.names())
    assert "hidden" not in alternatives(command_schema(made))


def test_everything_has_an_upper_bound_and_every_object_is_closed() -> None:
    for each in parts(command_schema(registry())):
        if each.get("type") == "string":
            assert "maxLength" in each or "const" in each or "enum" in each
        if each.get("type") == "array":
            assert "maxItems" in each
        if each.get("type") == "object":
            assert each["additionalProperties"] is False


def test_types_bounds_defaults_and_what_is_required() -> None:
    args = alternatives(command_schema(registry()))["all_kinds"]
    assert args["required"] == ["content", "name"]
    assert args["properties"] == {
        "content": {"type": "string", "maxLength": WHOLE},
        "name": {"type": "string", "maxLength": 12},
        "count": {"type": "integer", "minimum": 1, "maximum": 64, "default": 1},
        "ratio": {"type": "number", "default": 0.5},
        "fuel": {"anyOf": [{"type": "string", "maxLength": SHORT}, {"type": "null"}], "default": None},
        "kind": {"type": "string", "enum": ["oak", "birch"], "default": "oak"},
        "names": {
            "anyOf": [
                {"type": "array", "items": {"type": "string", "maxLength": SHORT}, "maxItems": 20},
                {"type": "null"},
            ],
            "default": None,
        },
        "sure": {"type": "boolean", "default": False},
    }


@pytest.mark.parametrize("all_given", [False, True])
def test_what_the_schema_allows_the_registry_takes(all_given: bool) -> None:
    made = registry()
    for name, args in alternatives(command_schema(made)).items():
        names = args["properties"] if all_given else args["required"]
        given = {each: sample(args["properties"][each]) for each in names}
        assert made.bind(name, given).name == name


def sample(schema: dict[str, Any]) -> Any:
    """The largest value that a schema allows."""
    if "anyOf" in schema:
        return sample(schema["anyOf"][0])
    if "enum" in schema:
        return schema["enum"][-1]
    kinds: dict[str, Callable[[], Any]] = {
        "string": lambda: "x" * schema["maxLength"],
        "integer": lambda: schema.get("maximum", 10**9),
        "number": lambda: 1.5,
        "boolean": lambda: True,
        "array": lambda: [sample(schema["items"])] * schema["maxItems"],
    }
    return kinds[schema["type"]]()


def test_its_strict_form_requires_everything_and_keeps_to_what_strict_mode_lists() -> None:
    listed = {
        "type", "properties", "required", "additionalProperties", "anyOf", "items", "enum", "const",
        "minimum", "maximum", "maxItems", "minItems",
    }  # fmt: skip
    strict = strict_schema(command_schema(registry()))
    assert strict["type"] == "object"
    for each in parts(strict):
        assert set(each) <= listed
        if each.get("type") == "object":
            assert each["required"] == list(each["properties"])
            assert each["additionalProperties"] is False


def test_no_command_no_schema() -> None:
    with pytest.raises(ValueError, match="no command"):
        command_schema(Registry([]))
