"""Commands, the calls of them, and the hooks of the families that own them."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property, partial, update_wrapper
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, Protocol, TypeVar

from autocraft.frozen import frozen
from autocraft.protocols.values import Args, Json, Risk


@frozen
class Result:
    """The result of a command.

    `end` is the reason if the command ends the run. `undone` is the intent that was taken back. `trace` is the
    traceback of a bug in autocraft or in a person's own command, for the journal alone.
    """

    text: str
    ok: bool = True
    end: str | None = None
    proof: Json = field(default_factory=dict)
    undone: int | None = None
    trace: str = ""
    answered: bool | None = None
    """For a question to the person: whether `text` is their own words. None for other commands."""
    seconds: float | None = None
    """Its own seconds, if its parts are commands that count theirs. None for the measured time."""
    program: Json | None = None
    """For a program that ran to its end: its record, see `events.Result`. None for other commands."""


class Settled(NamedTuple):
    """The outcome of an effect without a written result (the process died).

    ``done``: proven done, `text` is the result. ``not done``: proven not done, it may be carried out once.
    ``again``: done in part, in a world that can be restored; it is carried out again from the state before it.
    ``unknown``: nothing can be proven; it is never repeated silently.
    """

    outcome: Literal["done", "not done", "again", "unknown"]
    text: str = ""


FAMILIES = ("world", "control", "files", "memory", "skills", "programs", "web", "code", "agents", "own", "mcp")
"""The families of commands. ``own`` are those of the person, ``mcp`` the tools of servers of others."""


@frozen
class Command:
    """A function with a name. Its signature after ``(self, call)`` is its schema.

    The `command` decorator makes it, `commands_of` binds it to its owner, and only the registry calls it.
    """

    name: str
    help: str
    risk: Risk | Callable[..., Risk]
    run: Callable[..., Awaitable[Result | str]]
    cancellable: bool = False
    offered: bool = True
    """Whether the model may use it. Otherwise it is for the person alone."""
    synonyms: tuple[str, ...] = ()
    """Other accepted names of this command, such as those of later Auto-GPTs."""
    asks: bool = False
    """Whether it asks the person. A question needs no authorisation, and waiting takes no time of the run."""
    nested: bool = False
    """Whether it may carry out other commands, which count their own seconds and end before it."""
    family: str = ""
    """The `family` of its owner, one of FAMILIES. A family is switched off as a whole."""
    owner: Any = None
    hooks: dict[str, Callable[..., Any]] = field(default_factory=dict, compare=False, repr=False)
    """Its own hooks by name. They replace the methods of its family; see `CommandMethod`."""

    @cached_property
    def parameters(self) -> list[inspect.Parameter]:
        """Return the arguments of a caller, with resolved annotations."""
        return list(inspect.signature(self.run, eval_str=True).parameters.values())[2:]

    @property
    def tier(self) -> Risk | None:
        """Return the tier of every call. Return None if it depends on the call."""
        return self.risk if isinstance(self.risk, Risk) and "risk" not in self.hooks else None

    def risk_of(self, args: Args) -> Risk:
        """Return the tier by the declaration. A callable risk gets ``(owner, **args)``."""
        return self.risk if isinstance(self.risk, Risk) else self.risk(self.owner, **args)

    def hook(self, name: str) -> Callable[..., Any] | None:
        """Return the hook of this name, bound to the owner. Return None if neither command nor family has one."""
        own = self.hooks.get(name)
        hook: Callable[..., Any] | None = getattr(self.owner, name, None) if own is None else partial(own, self.owner)
        return hook


@frozen
class Call:
    """A validated command with its arguments: the object that is shown, approved and run.

    `id` is unique among all sessions. It is set just before the call is carried out, and its intent has it too. So a
    repetition after a kill differs from a second call. `fingerprint` is the hash of what the person was shown; empty if
    nothing was. `warning` says what the command can do beside its name; empty if nothing is at risk. `obeyed` are the
    files that it changes and that other programs obey, so that no permission covers the call. `doubt` are the words of
    the answer around the command, if they leave open whether it is to be run; then no permission covers it either.
    """

    command: Command
    args: Args
    risk: Risk
    id: str = ""
    agent: str = "main"
    fingerprint: str = ""
    warning: str = field(default="", compare=False)
    obeyed: tuple[str, ...] = field(default=(), compare=False)
    doubt: str = field(default="", compare=False)
    run: Any = field(default=None, compare=False, repr=False)
    """Its run, or None outside a run. A command types it by its needs: ``run: HasWorld = call.run``."""

    @property
    def name(self) -> str:
        return self.command.name


class Reach(NamedTuple):
    """All that a call touches, in canonical form, for the rules of a policy.

    `args` are its arguments in canonical form. `paths` are the files that it reads or writes, relative to the
    workspace. `urls` are the addresses that it asks. `calls` are the commands that it carries out. `names` are other
    names of the things that an argument names.
    """

    args: Args
    paths: tuple[str, ...] = ()
    urls: tuple[str, ...] = ()
    calls: tuple[Call, ...] = ()
    names: Mapping[str, Sequence[str]] = MappingProxyType({})


class Family(Protocol):
    """An object that owns commands, with the hooks that let its effects survive kill -9.

    Every part is optional. Without `family`, its commands cannot be switched off. Without `evidence`, none is recorded.
    Without `obeyed`, its commands may change no file of the workspace that other programs obey.
    Without `undo`, it cannot take back. Without `fingerprint`, the text of its preview is hashed. Without `reach`,
    arguments are compared as they are. After a kill, an open effect is settled so:

    ============== ============ ============== ====================
    kind           has `settle` `repeatable`   outcome
    ============== ============ ============== ====================
    look           any          not False      not done
    look           no           False          unknown
    change         yes          any            what `settle` says
    change         no           True           not done
    change         no           not True       unknown
    ============== ============ ============== ====================
    """

    family: str
    """One of FAMILIES. One that reaches the network has ``network = True``, which the person is told."""

    def evidence(self, call: Call) -> Json:
        """Return JSON for the intent, before the effect: enough to tell later whether it happened, and to undo it."""
        ...

    def settle(self, call: Call, evidence: Json) -> Settled: ...

    def preview(self, call: Call) -> str:
        """Return what the person sees besides the arguments, such as a diff."""
        ...

    def undo(self, evidence: Json) -> str | None:
        """Take the effect back. Return what was done, or None if nothing is left of it. Raises CommandError."""
        ...

    def fingerprint(self, call: Call) -> str:
        """Hash everything that the preview shows besides the arguments, such as the bytes of a file."""
        ...

    def reach(self, call: Call) -> Reach:
        """Return all that this call would touch. Raises CommandError if the command refuses the call."""
        ...

    def obeyed(self, call: Call) -> Mapping[str, str]:
        """Return the files that this call changes and that other programs obey: the name in the workspace -> why."""
        ...


Hook = TypeVar("Hook", bound=Callable[..., Any])


def _marker(name: str) -> Callable[[CommandMethod, Hook], Hook]:
    """Return the method of `CommandMethod` that marks a hook of this name."""

    def mark(method: CommandMethod, hook: Hook) -> Hook:
        method.__command__.hooks[name] = hook
        return hook

    return mark


class CommandMethod:
    """A method or function that is a command. It is called as written, and its attributes mark its hooks.

    ``@save_skill.preview`` above a method makes it the preview of `save_skill` alone. The hooks are those of `Family`
    with the same arguments, with two exceptions. ``risk`` takes the call, in place of a callable `risk`. ``undo`` takes
    the call that takes back, and the evidence. ``manual`` takes the run, and returns what a model has to know of the
    command beside its help, as a `Prompt` of some lines. ``warning`` takes the call, and says what a call of the
    highest risk destroys, behind "This command".
    """

    def __init__(self, command: Command) -> None:
        self.__command__ = command
        update_wrapper(self, command.run)

    def __get__(self, owner: object, kind: type | None = None) -> Callable[..., Awaitable[Result | str]]:
        return self if owner is None else partial(self.__command__.run, owner)

    def __call__(self, *args: Any, **kwargs: Any) -> Awaitable[Result | str]:
        return self.__command__.run(*args, **kwargs)

    risk = _marker("risk")
    evidence = _marker("evidence")
    settle = _marker("settle")
    undo = _marker("undo")
    preview = _marker("preview")
    fingerprint = _marker("fingerprint")
    reach = _marker("reach")
    obeyed = _marker("obeyed")
    manual = _marker("manual")
    warning = _marker("warning")


def command(
    *, help: str, risk: Risk | Callable[..., Risk], name: str | None = None, **traits: Any
) -> Callable[[Callable[..., Awaitable[Result | str]]], CommandMethod]:
    """Mark an async method ``(self, call, **args)`` as a command. `traits` are further fields of `Command`."""

    def mark(run: Callable[..., Awaitable[Result | str]]) -> CommandMethod:
        return CommandMethod(Command(name or run.__name__, help, risk, run, **traits))

    return mark


def commands_of(owner: object) -> list[Command]:
    """Return the commands of a family or world, bound to it, in the order of their definition.

    For a class, return the declarations. They can be listed and checked but not carried out.
    """
    commands = {}
    for klass in reversed((owner if isinstance(owner, type) else type(owner)).__mro__):
        for attribute in vars(klass).values():
            command = getattr(attribute, "__command__", None)
            if isinstance(command, Command):
                commands[command.name] = replace(command, owner=owner, family=getattr(owner, "family", ""))
    return list(commands.values())
