"""The registry: one set of commands for the model, the person (`/do`), programs and learning.

A command's signature is its schema. The registry uses it to validate (`bind`), to describe the command in the prompt
(`describe`) and to call it.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import traceback
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import replace
from textwrap import indent
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from autocraft.commands.meanings import meant_by
from autocraft.commands.synonyms import with_own_names, with_synonyms
from autocraft.errors import AutocraftError, CommandError, InvalidCommand
from autocraft.protocols import Args, Call, Command, Json, Reach, Result, Risk, Settled
from autocraft.session.atomic import sha256
from autocraft.text.characters import well_formed
from autocraft.text.phrases import FAILS, LOSS, NETWORK, count, did_you_mean
from autocraft.text.prompts import Prompt
from autocraft.text.redact import Mask

_FOREIGN = (Exception, SystemExit)
"""What a command or a hook may raise that a person wrote."""
_FIELD = "argument_"
"""Begins the names of a model's fields. Pydantic warns of an argument with the name of one of its own methods."""
_RETURNS: Mapping[str, type] = {"evidence": dict, "obeyed": dict, "reach": Reach, "settle": Settled}
"""Hook -> the type of what it returns."""


class Registry:
    """The commands of one run, by name. `off` maps families that are off to what switched them off.

    A family may have single commands off: its `commands_off` is such a dictionary too.

    `mask` finds secrets, which no argument may hold. `run` is the run of its calls. A `RunContext` sets it on its
    registry.
    """

    def __init__(
        self,
        commands: Iterable[Command],
        off: Mapping[str, str] | None = None,
        mask: Mask | None = None,
        run: object = None,
    ) -> None:
        self.run = run
        self._commands: dict[str, Command] = {}
        self._names: dict[str, str] = {}
        self._models: dict[str, Any] = {}
        self._off = dict(off or {})
        self._mask = mask or Mask()
        self._is_listed: Callable[[Command], bool] = lambda each: True
        for command in commands:
            for name in (command.name, *command.synonyms):
                if name in self._names:
                    raise ValueError(f"two commands are called {name!r}")
                self._names[name] = command.name
            self._commands[command.name] = command

    def names(self) -> Collection[str]:
        """Return the names that the model is told."""
        return [command.name for command in self.listed()]

    def parameters(self, name: str) -> Collection[str]:
        """Return the argument names of a command."""
        return [p.name for p in self._commands[self._names[name]].parameters]

    def accepts(self, name: str) -> Collection[str] | None:
        """Return the argument names for the model, with synonyms. Return None if it has no command of this name."""
        command = self.find(name)
        if command is None or not command.offered or self.off_by(command):
            return None
        return with_synonyms(self.parameters(name))

    def texts(self, name: str) -> Collection[str]:
        """Return the argument names whose value may be text, with synonyms; empty if there is no such command."""
        command = self.find(name)
        return (
            [] if command is None else with_synonyms([p.name for p in command.parameters if _may_be_text(p.annotation)])
        )

    def commands(self) -> list[Command]:
        """Return the commands that are on."""
        return [command for command in self._commands.values() if not self.off_by(command)]

    def listed(self) -> list[Command]:
        """Return the commands that the model is told."""
        return [each for each in self.commands() if each.offered and self._is_listed(each)]

    def list_only(self, families: Collection[str] | None, without: Collection[str] = ()) -> None:
        """Tell the model only the commands of these families (None: of all), without those names.

        The others are still accepted, and pass the gate like all. So this is no protection.
        """
        self._is_listed = lambda each: (families is None or each.family in families) and each.name not in without

    def everything(self) -> list[Command]:
        """Return all commands, also those that are off."""
        return list(self._commands.values())

    def find(self, name: str) -> Command | None:
        """Return the command of this name or synonym, on or off. Return None if there is none."""
        return self._commands.get(self._names.get(name, ""))

    def off_by(self, command: Command) -> str:
        """Return what switched this command off; empty if it is on."""
        single: Mapping[str, str] = getattr(command.owner, "commands_off", {})
        return self._off.get(command.family, "") or single.get(command.name, "")

    def bind(self, name: str, args: Args, *, agent: str = "main") -> Call:
        """Validate a command by its name or a synonym. Return a call with canonical names and well-formed texts.

        Raises InvalidCommand saying which argument is wrong, and why.
        """
        command = self.find(name)
        if command is None or (not command.offered and agent == "main"):
            gentle = [each for each in self.names() if not _destroys(self._commands[each])]
            hint = meant_by(name, gentle) or did_you_mean(name, gentle, " Did you mean '{}'?")
            raise InvalidCommand(f"Unknown command '{name[:80]}'.{hint} Use only the commands of the list.")
        by = self.off_by(command)
        if by:
            family = f", with its family {command.family}," if command.family in self._off else ""
            raise InvalidCommand(f"The command '{command.name}' is switched off{family} by {by}. Use another one.")
        own_args = with_own_names(command.name, well_formed(args), self.parameters(command.name))
        self._refuse_secrets(command, own_args)
        values = self._validate(command, own_args)
        call = Call(command, values, Risk.DESTROY, agent=agent, run=self.run)
        call = replace(call, risk=_risk(call))
        obeyed = _obeyed(call)
        return replace(call, warning=_warning(call, obeyed), obeyed=tuple(obeyed))

    def _refuse_secrets(self, command: Command, args: Args) -> None:
        """Raise InvalidCommand for a secret in an argument, since the journal must hold exactly what runs."""
        for name, value in args.items():
            secrets = self._mask.names([name, value])
            if secrets:
                raise InvalidCommand(
                    f"{command.name}: the argument '{self._mask.text(name)[:40]}' holds the value of "
                    f"{' and '.join(secrets)}, which is never written, sent or shown: write the name of the variable "
                    "instead of its value"
                )

    def _validate(self, command: Command, args: Args) -> Args:
        """Return the arguments with their defaults. Raises InvalidCommand that lists the faults."""
        types = {p.name: p.annotation for p in command.parameters if p.annotation in (str, int, bool)}
        needed = {p.name for p in command.parameters if p.default is p.empty}
        if needed <= args.keys() and all(type(value) is types.get(name) for name, value in args.items()):
            return {p.name: args.get(p.name, deepcopy(p.default)) for p in command.parameters}
        import pydantic  # takes a tenth of a second, which arguments that have their very types need not wait for

        if command.name not in self._models:
            self._models[command.name] = _model_of(command)
        try:
            model = self._models[command.name].model_validate(args)
        except pydantic.ValidationError as error:
            faults = "; ".join(self._fault_of(command, fault) for fault in error.errors(include_url=False)[:4])
            raise InvalidCommand(f"{command.name}: {faults}. Usage: {usage(command)}") from None
        return {p.name: getattr(model, _FIELD + p.name) for p in command.parameters}

    def _fault_of(self, command: Command, error: Any) -> str:
        """Return one of pydantic's errors in words."""
        name = str(error["loc"][0]) if error["loc"] else "args"
        if error["type"] == "missing":
            return f"the argument '{name}' is missing"
        if error["type"] == "extra_forbidden":
            hint = did_you_mean(name, self.parameters(command.name), ", did you mean '{}'")
            return f"there is no argument '{name[:40]}'{hint}"
        return f"the argument '{name}' is wrong: {error['msg']}, got {str(error['input'])[:60]!r}"

    async def call(self, call: Call) -> Result:
        """Carry out a bound call. It never raises: a failure is a Result that is not ok."""
        try:
            value = await call.command.run(call.command.owner, call, **call.args)
            result = value if isinstance(value, Result) else Result("Done." if value is None else str(value))
            return replace(result, text=str(result.text), ok=bool(result.ok))
        except CommandError as error:
            return Result(error.with_advice(self.names()), ok=False)
        except AutocraftError as error:
            return Result(str(error), ok=False)
        except (*_FOREIGN, asyncio.CancelledError) as error:
            task = asyncio.current_task()
            if isinstance(error, asyncio.CancelledError) and task is not None and task.cancelling():
                raise
            return Result(f"Error: {_fault(error)}", ok=False, trace=traceback.format_exc())

    def evidence(self, call: Call) -> Json:
        """Return what the intent records of the state before the effect. Raises what the family raises."""
        if call.command.hook("evidence") is None or call.risk is Risk.LOOK:
            return {}
        evidence: Json = _run_hook("evidence", call)
        _guarded(json.dumps, (evidence,), f"{call.name}: its evidence cannot be written")
        return evidence

    def preview(self, call: Call) -> str:
        """Return what the person sees of a call besides its arguments; empty if its family has no hook for it."""
        if call.command.hook("preview") is None:
            return ""
        try:
            return str(_run_hook("preview", call))
        except AutocraftError as error:
            return f"(no preview: {error})"

    def refusal(self, call: Call) -> str:
        """Return why a call can only fail: by the hook `refusal` of its family, or by its preview. Return "" else."""
        try:
            why = str(_run_hook("refusal", call)) if call.command.hook("refusal") is not None else ""
        except AutocraftError as error:
            why = str(error)
        preview = "" if why else self.preview(call)
        return why or (preview.removeprefix(FAILS) if preview.startswith(FAILS) else "")

    def fingerprint(self, call: Call) -> str:
        """Hash what a person sees of this call besides its arguments; empty if there is nothing to see.

        An approved call runs only while its fingerprint is the same.
        """
        if call.command.hook("preview") is None:
            return ""
        if call.command.hook("fingerprint") is None:
            return sha256(self.preview(call))
        try:
            return str(_run_hook("fingerprint", call))
        except AutocraftError as error:  # a refusal, which may not last
            return sha256(f"refused: {error}")

    def reach(self, call: Call) -> Reach:
        """Return what a call touches; only its arguments, if its family has no hook for it."""
        try:
            reach: Reach = _run_hook("reach", call)
        except AutocraftError:  # there is no hook, or the command will refuse the call
            return Reach(call.args)
        return reach

    def settle(self, call: Call, evidence: Json) -> Settled:
        """Tell whether an effect without a result took place."""
        repeatable = getattr(call.command.owner, "repeatable", None)
        if call.risk is Risk.LOOK and repeatable is not False:  # its intent has no evidence
            return Settled("not done")
        if call.command.hook("settle") is None:
            return Settled("not done" if repeatable is True else "unknown")
        try:
            outcome: Settled = _run_hook("settle", call, evidence)
        except AutocraftError as error:
            return Settled("unknown", str(error))
        return outcome

    def undo(self, name: str, evidence: Json, call: Call | None = None) -> str | None:
        """Take back the effect of a command, for the `call` that takes back. Return what was done.

        Return None if its family cannot take back, or if nothing is left of the effect. Raises CommandError.
        """
        command = self._commands.get(name)
        hook = command.hook("undo") if command is not None else None
        if command is None or hook is None:
            return None
        args = (call, evidence) if "undo" in command.hooks else (evidence,)
        text = _guarded(hook, args, f"{name} could not be taken back")
        return None if text is None else str(text)

    def describe(self) -> list[str]:
        """Return one line for each command, for the prompt, in Auto-GPT's form.

        The line of another server's tool holds the server's words, so it is no `Prompt`.
        """
        lines = []
        for command in self.listed():
            args = ", ".join(f'"{p.name}": <{_type(p)}>' for p in command.parameters)
            line = f'{command.help}: "{command.name}", args: {args or "none"}'
            more = indent(self.manual(command), "   ")
            text = f"{line}\n{more}" if more else line
            lines.append(text if command.family == "mcp" else Prompt(text))
        return lines

    def manual(self, command: Command) -> str:
        """Return what a model has to know of a command beside its help, in some lines; empty for most."""
        manual = command.hooks.get("manual")
        return "" if manual is None or self.run is None else str(manual(command.owner, self.run))


def check_signature(command: Command) -> str:
    """Return why this command can never be called; empty for a good one."""
    try:
        parameters = command.parameters
        names = list(inspect.signature(command.run).parameters)
    except Exception as error:  # noqa: BLE001 - an annotation that names nothing
        return f"the arguments of {command.name} cannot be read ({_fault(error)})"
    if names[1:2] != ["call"]:
        return f"{command.name} must take 'call' before its own arguments"
    for parameter in parameters:
        if parameter.kind not in (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY):
            return f"{command.name} may not have *{parameter.name}: every argument needs a name"
        if parameter.annotation is inspect.Parameter.empty:
            return f"the argument '{parameter.name}' of {command.name} needs a type, as in {parameter.name}: str"
        if not _is_json(parameter.annotation):
            return f"the argument '{parameter.name}' of {command.name} must be str, int, float, bool, list or dict"
    try:
        _model_of(command).model_json_schema()
    except Exception as error:  # noqa: BLE001 - a person's own command
        return f"the arguments of {command.name} cannot be checked ({type(error).__name__})"
    return ""


def _is_json(annotation: Any) -> bool:
    """Tell whether values of this type can be written into the journal."""
    inner = get_args(annotation)
    origin = get_origin(annotation)
    if origin is Literal:
        return True
    if origin is Annotated:
        return _is_json(inner[0])
    if origin in (list, dict, Union, UnionType):
        return all(map(_is_json, inner))
    return annotation in (str, int, float, bool, list, dict, Any, type(None))


def _may_be_text(annotation: Any) -> bool:
    """Tell whether text is a value of this type."""
    return annotation in (str, Any) or any(map(_may_be_text, get_args(annotation)))


def _model_of(command: Command) -> Any:
    """Return the pydantic model of the command's arguments."""
    import pydantic

    defaults = {p.name: ... if p.default is inspect.Parameter.empty else p.default for p in command.parameters}
    fields: dict[str, Any] = {
        _FIELD + p.name: (p.annotation, pydantic.Field(defaults[p.name], alias=p.name)) for p in command.parameters
    }
    config = pydantic.ConfigDict(extra="forbid", allow_inf_nan=False)
    return pydantic.create_model(command.name, __config__=config, **fields)


def _risk(call: Call) -> Risk:
    """Return the risk of a call, the highest if it is unknown. Raises InvalidCommand if the family refuses the call."""
    hook = call.command.hook("risk") if "risk" in call.command.hooks else None
    try:
        return Risk(hook(call) if hook is not None else call.command.risk_of(call.args))
    except InvalidCommand:
        raise
    except _FOREIGN:
        return Risk.DESTROY


def risk_word(command: Command, risk: Risk | None) -> str:
    """Return the tier in one word: ``network`` for a family that reaches other computers, ``depends`` for None."""
    if getattr(command.owner, "network", False):
        return "network"
    return "depends" if risk is None else risk.value


def _obeyed(call: Call) -> Mapping[str, str]:
    """Return the files that a call changes and that other programs obey, with the reason; none if it is refused."""
    if call.risk is Risk.LOOK or call.command.hook("obeyed") is None:
        return {}
    try:
        files: Mapping[str, str] = _run_hook("obeyed", call)
    except AutocraftError:  # the workspace asks again when the file is changed
        return {}
    return files


def _destroys(command: Command) -> bool:
    """Tell whether each call destroys something or runs code. What only reaches the network does not."""
    return command.tier is Risk.DESTROY and not getattr(command.owner, "network", False)


def _warning(call: Call, obeyed: Mapping[str, str]) -> str:
    """Return what the person is warned of: of files that other programs obey, at the highest risk by `warning`."""
    if obeyed:
        name, why = next(iter(obeyed.items()))
        others = f" and {count(len(obeyed) - 1, 'file')} like it" if len(obeyed) > 1 else ""
        return f"changes {name}{others}: {why}"
    if call.risk is not Risk.DESTROY:
        return ""
    if getattr(call.command.owner, "network", False):
        return NETWORK
    try:
        return str(_run_hook("warning", call))
    except AutocraftError:
        return LOSS


def _run_hook(name: str, call: Call, *rest: Any) -> Any:
    """Run a hook. Raises CommandError if there is none, if it fails, or if its result has the wrong type."""
    hook = call.command.hook(name)
    if hook is None:
        raise CommandError(f"{call.name} has no {name}")
    value = _guarded(hook, (call, *rest), f"{call.name}: its {name} failed")
    if not isinstance(value, _RETURNS.get(name, object)):
        raise CommandError(f"{call.name}: its {name} returned what cannot be used ({type(value).__name__})")
    return value


def _guarded(hook: Callable[..., Any], args: Sequence[Any], failure: str) -> Any:
    """Return what a hook returns. Raises CommandError for a foreign exception, as own hooks may have."""
    try:
        return hook(*args)
    except AutocraftError:
        raise
    except _FOREIGN as error:
        raise CommandError(f"{failure} ({_fault(error)})") from None


def _fault(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"[:500]


def usage(command: Command) -> str:
    """Return ``craft_item(name: str, count: int = 1)``."""
    args = [f"{p.name}: {_type(p, ' = ')}" for p in command.parameters]
    return f"{command.name}({', '.join(args)})"


def _type(p: inspect.Parameter, mark: str = ", default ") -> str:
    """Return the type of an argument, and its default, if it has one, after `mark`."""
    return _kind(p.annotation) + ("" if p.default is inspect.Parameter.empty else f"{mark}{p.default!r}")


def _kind(annotation: Any) -> str:
    if isinstance(annotation, type):
        return annotation.__name__
    inner = get_args(annotation)
    if type(None) in inner:
        return " or ".join(_kind(kind) for kind in inner if kind is not type(None))
    if inner and hasattr(annotation, "__metadata__"):
        return _kind(inner[0])
    return str(annotation).replace("typing.", "")
