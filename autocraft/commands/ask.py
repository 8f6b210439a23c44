"""Commands that ask the smart model about code and return its answer. They change nothing by themselves.

The code leaves this computer, like everything that is sent to the model.
"""

from __future__ import annotations

from autocraft.errors import CommandError
from autocraft.protocols import Call, Risk, command
from autocraft.text.prompts import Ask, as_data, render

LONGEST = 60_000
"""Most characters of code or suggestions, about 20,000 tokens."""


class AskCommands:
    """Commands that need a model. `ask` sends a prompt to it; None means that there is no model."""

    family = "code"

    def __init__(self, ask: Ask | None) -> None:
        self.ask = ask

    @command(
        help="Evaluate code (it is sent to the model): what should be improved",
        risk=Risk.LOOK,
        cancellable=True,
        synonyms=("analyze_code",),
    )
    async def evaluate_code(self, call: Call, code: str) -> str:
        return await self._ask_model("evaluate_code.j2", code=_argument_data("code", code))

    @command(help="Get improved code (it is sent to the model)", risk=Risk.LOOK, cancellable=True)
    async def improve_code(self, call: Call, suggestions: list[str] | str, code: str) -> str:
        suggestion_data = _argument_data("suggestions", _bullet_list(suggestions))
        return await self._ask_model("improve_code.j2", code=_argument_data("code", code), suggestions=suggestion_data)

    @command(help="Write tests for code (it is sent to the model)", risk=Risk.LOOK, cancellable=True)
    async def write_tests(self, call: Call, code: str, focus: list[str] | str = "") -> str:
        text = _bullet_list(focus)
        focus_data = _argument_data("focus", text) if text.strip() else ""
        return await self._ask_model("write_tests.j2", code=_argument_data("code", code), focus=focus_data)

    async def _ask_model(self, template: str, **texts: str) -> str:
        if self.ask is None:
            raise CommandError("there is no model to ask; set OPENAI_API_KEY, or OPENAI_BASE_URL for a local server")
        answer = (await self.ask(render(template, **texts), "smart")).strip()
        if not answer:
            raise CommandError("the model said nothing; try it with less code")
        return answer


def _bullet_list(value: list[str] | str) -> str:
    return value if isinstance(value, str) else "\n".join(f"- {item}" for item in value)


def _argument_data(name: str, text: str) -> str:
    """Return an argument as data. Raises CommandError for an empty or too long one."""
    if not text.strip():
        raise CommandError(f"there is nothing to work on; give the text in the argument {name}")
    if len(text) > LONGEST:
        raise CommandError(f"{name} may have {LONGEST:,} characters and this has {len(text):,}; give a part of it")
    return as_data(name, text)
