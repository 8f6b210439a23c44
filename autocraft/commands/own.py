"""Loads a person's own commands, from a folder named in the settings and from installed packages.

A file may have decorated functions ``(call, …)`` and classes of decorated methods ``(self, call, …)``. A class may be a
whole family, with evidence, settle, undo and preview. The code is the person's own: it runs in this process, and is
imported only when it is needed.
"""

from __future__ import annotations

import importlib.util
import inspect
import re
import sys
from collections.abc import Callable, Collection
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

from autocraft.commands.registry import check_signature
from autocraft.errors import UsageError
from autocraft.extensions import guarded, installed, source_of
from autocraft.protocols import Command, commands_of

_NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")


def load_folder(folder: Path) -> list[Command]:
    """Return the commands of all ``*.py`` files directly in `folder`. Files that begin with ``_`` are only for import.

    Raises UsageError that names file and line of an error.
    """
    folder = folder.expanduser()
    if not folder.is_dir():
        raise UsageError(f"there is no folder {folder} for your own commands: make it, or set another")
    commands = []
    for path in sorted(folder.glob("[!_]*.py")):
        commands += _commands_in(_load(path), str(path))
    return commands


def own_commands(folder: Path | None, builtin: Collection[Command]) -> list[Command]:
    """Return the person's own commands: those of a folder, and those of packages.

    Raises UsageError for one that cannot be loaded, and for a name that a `builtin` command has.
    """
    own = [*(load_folder(folder) if folder is not None else []), *_load_packages()]
    users = {name: "one of autocraft's own" for other in builtin for name in (other.name, *other.synonyms)}
    for command in own:
        for name in (command.name, *command.synonyms):
            if name in users:
                raise UsageError(f"{_where(command.run)}: the name {name!r} is {users[name]}; choose another")
            users[name] = "taken by another command of yours"
    return own


def _load_packages() -> list[Command]:
    """Return the commands of installed packages that name a module as an entry point."""

    commands = []
    for entry_point in installed("commands"):
        source = source_of(entry_point)
        module = guarded(entry_point.load, source)
        if not isinstance(module, ModuleType):
            raise UsageError(f"{source} is not a module; name the module that holds the commands")
        commands += _commands_in(module, source)
    return commands


def _load(path: Path) -> ModuleType:
    """Import one file as the module ``autocraft_own_…``."""
    name = f"autocraft_own_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise UsageError(f"{path} cannot be imported: rename it to end in .py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    guarded(lambda: spec.loader.exec_module(module), str(path), str(path))  # type: ignore[union-attr]
    return module


def _commands_in(module: ModuleType, source: str) -> list[Command]:
    """Return the commands that this module defines or imports from its own package. Raises UsageError for none."""
    commands: list[Command] = []
    for value in vars(module).values():
        home = str(getattr(value, "__module__", "")).partition(".")[0]
        if home != module.__name__.partition(".")[0]:
            continue  # imported from elsewhere
        if inspect.isclass(value) and any(_is_command(item) for item in vars(value).values()):
            owner = guarded(value, f"{source}, class {value.__name__}", getattr(module, "__file__", "") or "")
            commands += [replace(item, family="own") for item in commands_of(owner)]
        elif _is_command(value):
            declaration: Command = value.__command__
            hooks = {name: _without_owner(hook) for name, hook in declaration.hooks.items()}
            commands.append(replace(declaration, run=_as_method(value), family="own", owner=object(), hooks=hooks))
    if not commands:
        raise UsageError(f"{source} holds no command: decorate one with autocraft.command, or move it away")
    for item in commands:
        _check(item)
    return commands


def _without_owner(hook: Callable[..., Any]) -> Callable[..., Any]:
    """Return the hook of a function as the registry calls it: with an owner before its own arguments."""
    return lambda owner, *args: hook(*args)


def _is_command(value: object) -> bool:
    return isinstance(getattr(value, "__command__", None), Command)


def _as_method(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function ``(call, …)`` as the registry calls it: ``(owner, call, …)``."""

    async def run(owner: Any, call: Any, **args: Any) -> Any:
        return await function(call, **args)

    owner = inspect.Parameter("owner", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    try:
        signature = inspect.signature(function, eval_str=True)
        run.__signature__ = signature.replace(parameters=[owner, *signature.parameters.values()])  # type: ignore[attr-defined]
    except Exception as error:  # noqa: BLE001 - an annotation that cannot be resolved
        raise UsageError(f"{_where(function)}: {type(error).__name__}: {error}; correct it, or move it away") from None
    run.__wrapped__ = function  # type: ignore[attr-defined]
    return run


def _check(command: Command) -> None:
    """Raise UsageError, with file and line, for a command that could never be called."""
    where = _where(command.run)
    for name in (command.name, *command.synonyms):
        if not _NAME.fullmatch(name):
            raise UsageError(f"{where}: {name!r} is not a valid name for a command: use small letters, digits and _")
    if not inspect.iscoroutinefunction(inspect.unwrap(command.run)):
        raise UsageError(f"{where}: {command.name} must be defined with 'async def'")
    problem = check_signature(command)
    if problem:
        raise UsageError(f"{where}: {problem}")


def _where(function: Callable[..., Any]) -> str:
    """Return ``greet.py, line 12``."""
    code = inspect.unwrap(function).__code__
    return f"{code.co_filename}, line {code.co_firstlineno}"
