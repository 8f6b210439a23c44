"""One vocabulary: binding, its errors, and the prompt made from the same signatures."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from autocraft.commands.registry import Registry, usage
from autocraft.errors import CommandError, InvalidCommand
from autocraft.protocols import Call, Risk, command, commands_of


class Toys:
    """A family for these tests."""

    @command(help="Make", risk=Risk.CHANGE)
    async def make(self, call: Call, name: str, count: int = 1, fuel: str | None = None) -> str:
        return f"{count} {name} {fuel}"

    @command(help="Break", risk=lambda self, what: Risk.DESTROY if what == "all" else Risk.CHANGE)
    async def smash(self, call: Call, what: str) -> str:
        if what == "air":
            raise CommandError("there is nothing to break")
        raise ZeroDivisionError("oops")

    @command(help="Secret", risk=Risk.LOOK, offered=False)
    async def hidden(self, call: Call) -> str:
        return "seen"


@pytest.fixture
def registry() -> Registry:
    return Registry(commands_of(Toys()))


def test_arguments_are_coerced_where_nothing_is_lost(registry: Registry) -> None:
    call = registry.bind("make", {"name": "stick", "count": "3"})
    assert call.args == {"name": "stick", "count": 3, "fuel": None}
    assert asyncio.run(registry.call(call)).text == "3 stick None"


@pytest.mark.parametrize(
    ("name", "args", "said"),
    [
        ("mke", {}, "Did you mean 'make'?"),
        ("command name", {}, "Unknown command 'command name'."),
        ("make", {}, "the argument 'name' is missing"),
        ("make", {"name": "x", "cuont": 1}, "there is no argument 'cuont', did you mean 'count'"),
        ("make", {"name": "x", "count": "many"}, "the argument 'count' is wrong"),
        ("make", {"name": "x", "count": 1.5}, "the argument 'count' is wrong"),
        ("make", {"name": 5}, "the argument 'name' is wrong"),
        ("make", {"name": None}, "the argument 'name' is wrong"),
        ("hidden", {}, "Unknown command 'hidden'."),
    ],
)
def test_what_does_not_fit_is_named(registry: Registry, name: str, args: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidCommand) as caught:
        registry.bind(name, args)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_person_may_call_what_the_model_is_not_offered(registry: Registry) -> None:
    assert registry.bind("hidden", {}, agent="person").name == "hidden"
    assert "hidden" not in registry.names()
    assert not any("hidden" in line for line in registry.describe())


def test_risk_may_depend_on_the_arguments(registry: Registry) -> None:
    assert registry.bind("smash", {"what": "all"}).risk is Risk.DESTROY
    assert registry.bind("smash", {"what": "one"}).risk is Risk.CHANGE


def test_a_call_never_raises(registry: Registry) -> None:
    refused = asyncio.run(registry.call(registry.bind("smash", {"what": "air"})))
    assert (refused.ok, refused.text, refused.trace) == (False, "there is nothing to break", "")
    broken = asyncio.run(registry.call(registry.bind("smash", {"what": "one"})))
    assert (broken.ok, broken.text) == (False, "Error: ZeroDivisionError: oops")
    assert "Traceback" in broken.trace


def test_the_prompt_and_the_usage_come_from_the_signature(registry: Registry) -> None:
    arguments = '"name": <str>, "count": <int, default 1>, "fuel": <str, default None>'
    assert registry.describe()[0] == f'Make: "make", args: {arguments}'
    assert usage(registry.bind("make", {"name": "x"}).command) == "make(name: str, count: int = 1, fuel: str = None)"


def test_two_commands_of_one_name_are_refused() -> None:
    with pytest.raises(ValueError, match="two commands are called 'make'"):
        Registry([*commands_of(Toys()), *commands_of(Toys())])
