"""Commands that ask the smart model about code and return its answer. They change nothing by themselves.

The code leaves this machine, like everything that the model sees.
"""

from __future__ import annotations

from autocraft.commands.run_protocols import HasModel
from autocraft.errors import CommandError
from autocraft.protocols import Call, Risk, command
from autocraft.text.prompts import Data, Prompt, render

LONGEST = 60_000
"""Most characters of code or suggestions, about 20,000 tokens."""


class AskCommands:
    """The commands that ask the model about code."""

    family = "code"

    @command(
        help="Evaluate code (it is sent to the model): what should be improved",
        risk=Risk.LOOK,
        cancellable=True,
        synonyms=("analyze_code",),
    )
    async def evaluate_code(self, call: Call, code: str) -> str:
        return await self._answer(call, "evaluate_code.j2", code=_as_argument("code", code))

    @command(help="Get improved code (it is sent to the model)", risk=Risk.LOOK, cancellable=True)
    async def improve_code(self, call: Call, suggestions: list[str] | str, code: str) -> str:
        text = _as_argument("suggestions", _lines(suggestions))
        return await self._answer(call, "improve_code.j2", code=_as_argument("code", code), suggestions=text)

    @command(help="Write tests for code (it is sent to the model)", risk=Risk.LOOK, cancellable=True)
    async def write_tests(self, call: Call, code: str, focus: list[str] | str = "") -> str:
        lines = _lines(focus)
        text = _as_argument("focus", lines) if lines.strip() else Prompt()
        return await self._answer(call, "write_tests.j2", code=_as_argument("code", code), focus=text)

    async def _answer(self, call: Call, template: str, **texts: Prompt) -> str:
        """Return the model's answer to a prompt. Raises CommandError if there is no model, or no answer."""
        run: HasModel = call.run
        ask = run.asker(call.agent)
        if ask is None:
            raise CommandError("there is no model to ask; set OPENAI_API_KEY, or OPENAI_BASE_URL for a local server")
        answer = (await ask(render(template, **texts), "smart")).strip()
        if not answer:
            raise CommandError("the model said nothing; try it with less code")
        return answer


def _lines(value: list[str] | str) -> str:
    """Return a list as one text with a line for each item."""
    return value if isinstance(value, str) else "\n".join(f"- {item}" for item in value)


def _as_argument(name: str, text: str) -> Data:
    """Wrap an argument as data. Raises CommandError if it is empty or too long."""
    if not text.strip():
        raise CommandError(f"there is nothing to work on; give the text in the argument {name}")
    if len(text) > LONGEST:
        raise CommandError(f"{name} may have {LONGEST:,} characters and this has {len(text):,}; give a part of it")
    return Data(name, text)
