"""Commands that ask the smart model about code and give back what it says; they change nothing by themselves.

The code leaves this machine, as everything does that the model is shown.
"""

from __future__ import annotations

from autocraft.commands.live import HasModel
from autocraft.errors import CommandError
from autocraft.protocols import Call, Risk, command
from autocraft.text.prompts import as_data, render

LONGEST = 60_000
"""Characters of code or suggestions, about 20,000 tokens."""


class AskCommands:
    """Questions to the model, where there is one to ask."""

    family = "code"

    @command(
        help="Evaluate code (it is sent to the model): what should be improved",
        risk=Risk.LOOK,
        cancellable=True,
        synonyms=("analyze_code",),
    )
    async def evaluate_code(self, call: Call, code: str) -> str:
        return await self._asked(call, "evaluate_code.j2", code=_given("code", code))

    @command(help="Get improved code (it is sent to the model)", risk=Risk.LOOK, cancellable=True)
    async def improve_code(self, call: Call, suggestions: list[str] | str, code: str) -> str:
        wanted = _given("suggestions", _listed(suggestions))
        return await self._asked(call, "improve_code.j2", code=_given("code", code), suggestions=wanted)

    @command(help="Write tests for code (it is sent to the model)", risk=Risk.LOOK, cancellable=True)
    async def write_tests(self, call: Call, code: str, focus: list[str] | str = "") -> str:
        listed = _listed(focus)
        wanted = _given("focus", listed) if listed.strip() else ""
        return await self._asked(call, "write_tests.j2", code=_given("code", code), focus=wanted)

    async def _asked(self, call: Call, template: str, **texts: str) -> str:
        run: HasModel = call.run
        ask = run.ask
        if ask is None:
            raise CommandError("there is no model to ask; set OPENAI_API_KEY, or OPENAI_BASE_URL for a local server")
        answer = (await ask(render(template, **texts), "smart")).strip()
        if not answer:
            raise CommandError("the model said nothing; try it with less code")
        return answer


def _listed(value: list[str] | str) -> str:
    return value if isinstance(value, str) else "\n".join(f"- {each}" for each in value)


def _given(name: str, text: str) -> str:
    """An argument as data. Raises CommandError for an empty or endless one."""
    if not text.strip():
        raise CommandError(f"there is nothing to work on; give the text in the argument {name}")
    if len(text) > LONGEST:
        raise CommandError(f"{name} may have {LONGEST:,} characters and this has {len(text):,}; give a part of it")
    return as_data(name, text)
