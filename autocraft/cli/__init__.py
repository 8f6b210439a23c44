"""The command line: each verb of `features.VERBS` is a module of this package, which is imported when it is chosen."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterable
from functools import cache, partial
from pathlib import Path
from pkgutil import resolve_name
from types import SimpleNamespace
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from autocraft import __version__
from autocraft.errors import AutocraftError, UsageError
from autocraft.features import VERBS


class _Verbs(TyperGroup):
    """The group of all verbs. Help and completion read their names; a verb is imported when it is called."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.commands = {name: TyperCommand(name, help=verb.help) for name, verb in VERBS.items()}

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Start a run where a person at a terminal asks for nothing else."""
        if not (args or ctx.resilient_parsing):
            from autocraft.console.attended import is_attended

            args = ["run"] if is_attended() else args
        _coerce_late(self.get_params(ctx))
        return super().parse_args(ctx, args)

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        name, command, rest = super().resolve_command(ctx, args)
        if command is not None:
            command = load(name or "")
            for each in (command, *getattr(command, "commands", {}).values()):
                _coerce_late(each.get_params(ctx))
        return name, command, rest

    def invoke(self, ctx: Any) -> Any:
        """Run a verb. After Ctrl-C at a question, the prompt of the shell has a line of its own."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            print(file=sys.stderr)
            raise


@cache
def load(name: str) -> Any:
    """Import a verb. Its help is its docstring; a group has its line in the list."""
    verb = VERBS[name]
    command = typer.main.get_command(resolve_name(verb.app))
    command.name, command.help = name, command.help or verb.help
    return command


def _coerce_late(params: Iterable[Any]) -> None:
    """Take typer's own way to make a value of a text, which costs a tenth of a second, only where it is needed."""
    for param in (each for each in params if not isinstance(each.get_runtime_param, partial)):
        param.get_runtime_param = partial(SimpleNamespace, coerce=partial(_value_of, param.get_runtime_param))


def _value_of(own_way: Callable[[], Any], value: Any, param: Any, ctx: Any) -> Any:
    """Return the value of a parameter. Raises UsageError for a text that is not a number."""
    if value is None:
        return None
    if param.type_descriptor.annotation in (str, list[str]) and all(map(str.isascii, value)):  # typer checks others
        return value if isinstance(value, str) else list(value)
    try:
        made = own_way().coerce(value, param=param, ctx=ctx)
    except typer.BadParameter as error:
        for kind, need in (("integer", "a whole number, such as 50"), ("number", "a number, such as 1.5")):
            if f"valid {kind}" in error.message:
                raise UsageError(f"{param.opts[0]} needs {need}") from None
        raise
    if not isinstance(made, Path):
        return made
    if value == "":  # as of a variable of the shell that is not set; it would be the current folder
        raise UsageError(f"{param.opts[0]} is empty: give a path, or leave it out")
    from autocraft.cli.options import path_of

    return path_of(made)


def _leave(code: int | None, **_: object) -> None:
    """End with the exit code that a verb returned."""
    raise typer.Exit(code or 0)


app = typer.Typer(
    name="autocraft",
    cls=_Verbs,
    help="A terminal agent that plays Minecraft under a person's eye.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    result_callback=_leave,
)


@app.callback(invoke_without_command=True)
def _root(version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False) -> None:
    if version:
        print(f"autocraft {__version__}")
        raise typer.Exit


def main() -> None:
    """Run the command line. An AutocraftError is printed as one line, never as a traceback."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job begins with Ctrl-C ignored
    if os.name == "nt":
        from colorama import just_fix_windows_console

        just_fix_windows_console()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    if hasattr(sys.stdin, "reconfigure"):
        sys.stdin.reconfigure(errors="replace")  # a byte that is not UTF-8
    try:
        app()
    except KeyboardInterrupt:
        raise SystemExit(130) from None
    except Exception as error:  # noqa: BLE001 - nobody is above to catch it
        raise SystemExit(_report(error)) from None


def _report(error: Exception) -> int:
    """Print an error. Return the exit code. A closed pipe does not come here: typer ends with 1."""
    from autocraft.console.pages import print_error, print_fault

    if isinstance(error, AutocraftError):
        print_error(str(error))
        return error.exit_code
    if isinstance(error, OSError):
        print_error(f"{error.strerror or error}: {error.filename or 'the disk or a stream'}")
    else:
        print_fault()
    return 1
