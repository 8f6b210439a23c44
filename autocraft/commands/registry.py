"""The registry: one vocabulary for the model, the person (`/do`), programs and learning.

A command's signature is its schema; here it is turned into validation (`bind`), into the list of the prompt
(`describe`) and into the call itself. Neighbours: `protocols.py` has the Command value and its decorator, the
families beside this file and each world own the commands, `loop.py` calls them.
"""

from __future__ import annotations

import difflib
import inspect
import traceback
from collections.abc import Collection, Iterable
from typing import Any, get_args

from autocraft.errors import AutocraftError, InvalidCommand
from autocraft.protocols import Args, Call, Command, Json, Result, Risk, Settled


class Registry:
    """The commands of one run, by name."""

    def __init__(self, commands: Iterable[Command]) -> None:
        self._commands: dict[str, Command] = {}
        self._models: dict[str, Any] = {}
        for each in commands:
            if each.name in self._commands:
                raise ValueError(f"two commands are called {each.name!r}")
            self._commands[each.name] = each

    def names(self) -> Collection[str]:
        """What the model may call."""
        return [each.name for each in self._commands.values() if each.offered]

    def parameters(self, name: str) -> Collection[str]:
        """The argument names of a command."""
        return [p.name for p in self._commands[name].parameters]

    def commands(self) -> list[Command]:
        return list(self._commands.values())

    def bind(self, name: str, args: Args, *, agent: str = "main") -> Call:
        """Validate a command as it was named. Raises InvalidCommand saying which argument is wrong, and why."""
        found = self._commands.get(name)
        if found is None or (not found.offered and agent == "main"):
            close = difflib.get_close_matches(name, self.names(), 1, 0.6)
            hint = f" Did you mean '{close[0]}'?" if close else ""
            raise InvalidCommand(
                f"Unknown command '{name[:80]}'.{hint} Please refer to the 'COMMANDS' list for available commands "
                "and only respond in the specified JSON format."
            )
        values = self._validate(found, args)
        return Call(found, values, found.risk_of(values), agent=agent)

    def _validate(self, found: Command, args: Args) -> Args:
        import pydantic

        try:
            model = self._model(found).model_validate(args)
        except pydantic.ValidationError as error:
            faults = "; ".join(self._fault(found, each) for each in error.errors(include_url=False)[:4])
            raise InvalidCommand(f"{found.name}: {faults}. Usage: {usage(found)}") from None
        return {p.name: getattr(model, p.name) for p in found.parameters}

    def _model(self, found: Command) -> Any:
        if found.name not in self._models:
            import pydantic

            fields: dict[str, Any] = {
                p.name: (p.annotation, ... if p.default is inspect.Parameter.empty else p.default)
                for p in found.parameters
            }
            config = pydantic.ConfigDict(extra="forbid", allow_inf_nan=False)
            self._models[found.name] = pydantic.create_model(found.name, __config__=config, **fields)
        return self._models[found.name]

    def _fault(self, found: Command, error: Any) -> str:
        name = str(error["loc"][0]) if error["loc"] else "args"
        if error["type"] == "missing":
            return f"the argument '{name}' is missing"
        if error["type"] == "extra_forbidden":
            close = difflib.get_close_matches(name, self.parameters(found.name), 1, 0.5)
            return f"there is no argument '{name[:40]}'" + (f", did you mean '{close[0]}'" if close else "")
        return f"the argument '{name}' is wrong: {error['msg']}, got {str(error['input'])[:60]!r}"

    async def call(self, call: Call) -> Result:
        """Carry out a bound call. Never raises: what goes wrong is a Result that is not ok."""
        try:
            said = await call.command.run(call.command.owner, call, **call.args)
        except AutocraftError as error:
            return Result(str(error), ok=False)
        except Exception as error:
            fault = f"{type(error).__name__}: {error}"
            return Result(f"Error: {fault[:500]}", ok=False, trace=traceback.format_exc())
        return said if isinstance(said, Result) else Result(said)

    def evidence(self, call: Call) -> Json:
        """What the journal keeps of the state before the effect. Raises what the family raises."""
        gather = getattr(call.command.owner, "evidence", None)
        return gather(call) if gather is not None and call.risk > Risk.LOOK else {}

    def preview(self, call: Call) -> str:
        show = getattr(call.command.owner, "preview", None)
        if show is None:
            return ""
        try:
            return str(show(call))
        except AutocraftError as error:
            return f"(no preview: {error})"

    def settle(self, call: Call, evidence: Json) -> Settled:
        """Whether an effect whose result is missing took place."""
        if call.risk is Risk.LOOK:
            return Settled("not done")
        judge = getattr(call.command.owner, "settle", None)
        try:
            return judge(call, evidence) if judge is not None else Settled("unknown")
        except AutocraftError as error:
            return Settled("unknown", str(error))

    def undo(self, name: str, evidence: Json) -> str | None:
        """Take back what a command of this name did; None when its family cannot. Raises CommandError."""
        found = self._commands.get(name)
        take_back = getattr(found.owner, "undo", None) if found is not None else None
        return str(take_back(evidence)) if take_back is not None else None

    def describe(self) -> list[str]:
        """One line a command for the prompt, in Auto-GPT's form."""
        lines = []
        for each in self._commands.values():
            if each.offered:
                args = ", ".join(f'"{p.name}": <{_type(p)}>' for p in each.parameters)
                lines.append(f'{each.help}: "{each.name}", args: {args or "none"}')
        return lines


def usage(command: Command) -> str:
    """``craft_item(name: str, count: int = 1)``"""
    return f"{command.name}({', '.join(_parameter(p) for p in command.parameters)})"


def _parameter(p: inspect.Parameter) -> str:
    default = "" if p.default is inspect.Parameter.empty else f" = {p.default!r}"
    return f"{p.name}: {_kind(p.annotation)}{default}"


def _type(p: inspect.Parameter) -> str:
    default = "" if p.default is inspect.Parameter.empty else f", default {p.default!r}"
    return _kind(p.annotation) + default


def _kind(annotation: Any) -> str:
    if isinstance(annotation, type):
        return annotation.__name__
    inner = get_args(annotation)
    if type(None) in inner:
        return " or ".join(_kind(each) for each in inner if each is not type(None))
    if inner and hasattr(annotation, "__metadata__"):
        return _kind(inner[0])
    return str(annotation).replace("typing.", "")
