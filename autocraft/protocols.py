"""The protocols between the packages, and the plain values that pass between them."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum
from functools import cached_property, partial, update_wrapper
from typing import Any, Literal, Protocol, TypeVar, runtime_checkable

from autocraft.goals import Goal
from autocraft.usage import Usage

Json = dict[str, Any]
Args = dict[str, Any]
PROGRAM = "program"
"""The agent name of a program's effects."""


class Risk(IntEnum):
    """How much a command can change. It may depend on the arguments and the world."""

    LOOK = 0
    """Only reads."""
    CHANGE = 1
    """Moves, mines, crafts, builds, writes new files."""
    DESTROY = 2
    """Deletes, overwrites, drops, attacks players or pets, runs code, reaches the network."""

    @property
    def label(self) -> str:
        return self.name.lower()


# ---------------------------------------------------------------- brains


@dataclass(frozen=True, slots=True)
class Image:
    """A picture of the world. `alt` describes it in words, for brains that cannot see."""

    data: bytes
    kind: str = "image/png"
    alt: str = ""


@dataclass(frozen=True, slots=True)
class Message:
    """One message to a model. Only the system prompt has the role ``system``."""

    role: Literal["system", "user", "assistant"]
    content: str
    images: tuple[Image, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer of a brain, before a command is read in it."""

    text: str
    finish_reason: str = "stop"
    usage: Usage | None = None
    reasoning: str = ""
    refusal: str = ""
    tool_calls: tuple[Json, ...] = ()


@dataclass(frozen=True, slots=True)
class Delta:
    """A piece of an incoming answer, or what the brain waits for.

    ``text`` and ``reasoning`` are pieces to be joined. ``wait`` is a whole sentence that replaces the last one.
    ``reset`` means that the answer begins anew, so what was shown of it is void.
    """

    kind: Literal["text", "reasoning", "wait", "reset"]
    text: str = ""


class Brain(Protocol):
    """Answers prompts. `name` is only for display: no code decides by it."""

    name: str
    reads_prompt: bool
    """Whether it gets a prompt."""
    metered: bool
    """Whether it uses tokens, so that limits are checked before a call."""
    asks_model: bool
    """Whether it can answer questions and pursue goals in any words. Otherwise goals must name items."""

    async def think(
        self,
        messages: Sequence[Message],
        *,
        role: str = "smart",
        schema: Json | None = None,
        max_tokens: int | None = None,
        temperature: float | None = None,
        on_delta: Callable[[Delta], None] | None = None,
    ) -> Answer:
        """Return one answer of at most `max_tokens`. It may be cancelled at any moment.

        `role` (smart, fast, action …) picks the model and its settings, of which `temperature` replaces one. The answer
        should obey the JSON schema `schema`. Raises BrainError, or ContextOverflow for too long a prompt."""

    async def close(self) -> None: ...


# ---------------------------------------------------------------- worlds


@dataclass(frozen=True, slots=True)
class Observation:
    """The present view of the world: `text` for a model, `inventory` as item -> count, `images` for models that see.

    `facts` are the values behind the text, such as `biome` and `position`, where the world has them.
    """

    text: str
    inventory: Mapping[str, int]
    images: tuple[Image, ...] = ()
    facts: Json = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Check:
    """Whether a goal is reached, and why the world thinks so."""

    verdict: Literal["met", "not met", "cannot tell"]
    why: str


@dataclass(frozen=True, slots=True)
class Step:
    """One command of a plan. It gains `gains` of an `item`, uses up what it `takes`, and needs a `station` near."""

    name: str
    args: Args
    why: str = ""
    item: str = ""
    takes: Mapping[str, int] = field(default_factory=dict)
    gains: int = 0
    station: str = ""


@dataclass(frozen=True, slots=True)
class Plan:
    """A way to reach all goals from the present state.

    ``impossible`` means proven, with the certificate `proof`. ``not found`` means neither. `tree` has lines.
    """

    verdict: Literal["found", "impossible", "not found"]
    steps: tuple[Step, ...] = ()
    why: str = ""
    missing: Mapping[str, int] = field(default_factory=dict)
    proof: Json = field(default_factory=dict)
    tree: tuple[str, ...] = ()


class World(Protocol):
    """The world in which commands act."""

    name: str
    facade: str
    """The sandbox facade for programs in this world; empty if programs cannot see the world."""

    @property
    def items(self) -> frozenset[str]:
        """Return the item names for goals, as Names if they have deeds. It may raise what opening the data raises."""

    @property
    def deeds(self) -> Mapping[str, int]:
        """Return how often each deed was done in this session, such as ``{"mine oak_log": 3}``."""

    async def observe(self) -> Observation: ...

    def commands(self) -> list[Command]: ...

    async def check(self, goal: Goal) -> Check: ...

    async def plan(self, goals: Sequence[Goal], *, low_level: bool = False) -> Plan: ...

    def snapshot(self) -> Json | None:
        """Return the whole state as JSON. Return None if the world itself is the truth (live Minecraft)."""

    def restore(self, snapshot: Json) -> None: ...

    async def close(self) -> None: ...


@runtime_checkable
class LiveWorld(World, Protocol):
    """A world that must be joined, and in which things happen by themselves (Minecraft).

    The caller sets these before it joins. `note` writes a line into the journal. `hear` takes a player whom the person
    named, and their words as feedback. `report` takes a running call with its progress, place and health.
    """

    note: Callable[[str], None]
    hear: Callable[[str, str], None]
    report: Callable[[Call, str, str, float | None], None]

    async def open(self) -> list[str]:
        """Join the world. Return lines for the person. Raises WorldLost, NodeMissing or UsageError."""

    @property
    def ticks(self) -> int | None:
        """Return the world's clock in game ticks. Return None if it is unknown."""

    @property
    def cheats(self) -> int:
        """Return how many server commands this session used. Any of them makes the result an assisted one."""


# ---------------------------------------------------------------- memory


@dataclass(frozen=True, slots=True)
class MemoryRecord:
    """One row of memory. `score` is its nearness to the query, 1.0 for the same text."""

    id: str
    text: str
    metadata: Json
    score: float = 0.0


class Memory(Protocol):
    """Auto-GPT's memory interface, with ids, namespaces and metadata. It is synchronous: call it in a thread.

    Every method sees only the namespace that the memory was opened with, and may raise MemoryFault.
    """

    name: str
    remembers: bool
    """Whether it stores the rows that are added."""
    notice: str
    """A message about the opening for the person, such as a damaged store that was rebuilt. Mostly empty."""

    def add(self, text: str, *, id: str | None = None, metadata: Json | None = None) -> str:
        """Store `text` and return its id. From then on it survives kill -9. An existing row with this id stays."""
        ...

    def add_many(self, rows: Sequence[MemoryRecord]) -> int:
        """Store rows, all or none if the store can do that. Return how many were new. An empty id gets a new one."""
        ...

    def get(self, text: str) -> list[MemoryRecord]: ...

    def get_relevant(
        self, text: str, k: int = 5, *, where: Mapping[str, str] | None = None, exact: bool = False
    ) -> list[MemoryRecord]:
        """Return up to `k` near rows, the nearest first. They must have the metadata `where`. `exact` forbids
        approximate search."""
        ...

    def rows(self, **metadata: str) -> list[MemoryRecord]:
        """Return all rows whose metadata has these values, oldest first."""
        ...

    def fetch(self, id: str) -> MemoryRecord | None: ...

    def has(self, id: str) -> bool: ...

    def delete(self, id: str) -> bool:
        """Delete one row. Return False if no row has this id."""
        ...

    def clear(self) -> int: ...

    def reembed(self) -> int:
        """Embed the rows of another embedder anew, so that they can be found. Return their number."""
        ...

    def get_stats(self) -> Json:
        """Return at least rows, backend, embedder, dimension, namespace and, by name, the rows of all namespaces."""
        ...

    def close(self) -> None: ...


# ---------------------------------------------------------------- commands


@dataclass(frozen=True, slots=True)
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
    """For a program: its `error` ('' for none), and what it `said`. None for other commands."""


@dataclass(frozen=True, slots=True)
class Settled:
    """The outcome of an effect without a written result (the process died).

    ``done``: proven done, `text` is the result. ``not done``: proven not done, it may be carried out once.
    ``unknown``: neither can be proven; it is never repeated silently.
    """

    outcome: Literal["done", "not done", "unknown"]
    text: str = ""


FAMILIES = ("world", "control", "files", "memory", "skills", "programs", "web", "code", "agents", "own")
"""The families of commands. ``own`` are those of the person."""


@dataclass(frozen=True)
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
        found: Callable[..., Any] | None = getattr(self.owner, name, None) if own is None else partial(own, self.owner)
        return found


@dataclass(frozen=True)
class Call:
    """A validated command with its arguments: the object that is shown, approved and run.

    `id` is unique among all sessions. It is set just before the call is carried out, and its intent has it too. So a
    repetition after a kill differs from a second call. `fingerprint` is the hash of what the person was shown; empty if
    nothing was. `warning` says what the command can do beside its name; empty if nothing is at risk.
    """

    command: Command
    args: Args
    risk: Risk
    id: str = ""
    agent: str = "main"
    fingerprint: str = ""
    warning: str = field(default="", compare=False)
    run: Any = field(default=None, compare=False, repr=False)
    """Its run, or None outside a run. A command types it by its needs: ``run: HasWorld = call.run``."""

    @property
    def name(self) -> str:
        return self.command.name


@dataclass(frozen=True)
class Reach:
    """All that a call touches, in canonical form, for the rules of a policy.

    `args` are its arguments in canonical form. `paths` are the files that it reads or writes, relative to the
    workspace. `urls` are the addresses that it asks. `calls` are the commands that it carries out.
    """

    args: Args
    paths: tuple[str, ...] = ()
    urls: tuple[str, ...] = ()
    calls: tuple[Call, ...] = ()


class Family(Protocol):
    """An object that owns commands, with the hooks that let its effects survive kill -9.

    Every part is optional. Without `family`, its commands cannot be switched off. Without `evidence`, none is recorded.
    Without `settle`, look commands are ``not done`` and others ``unknown``. Without `undo`, it cannot take back.
    Without `fingerprint`, the text of its preview is hashed. Without `reach`, arguments are compared as they are.
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

    def undo(self, evidence: Json) -> str:
        """Take the effect back. Return what was done. Raises CommandError if it cannot."""
        ...

    def fingerprint(self, call: Call) -> str:
        """Hash everything that the preview shows besides the arguments, such as the bytes of a file."""
        ...

    def reach(self, call: Call) -> Reach:
        """Return all that this call would touch. Raises CommandError if the command refuses the call."""
        ...


Hook = TypeVar("Hook", bound=Callable[..., Any])


class CommandMethod:
    """A method or function that is a command. It is called as written, and its attributes mark its hooks.

    ``@save_skill.preview`` above a method makes it the preview of `save_skill` alone. The hooks are those of `Family`
    with the same arguments, with two exceptions. ``risk`` takes the call, in place of a callable `risk`. ``undo`` takes
    the call that takes back, and the evidence.
    """

    def __init__(self, command: Command) -> None:
        self.__command__ = command
        update_wrapper(self, command.run)

    def __get__(self, owner: object, kind: type | None = None) -> Callable[..., Awaitable[Result | str]]:
        return self if owner is None else partial(self.__command__.run, owner)

    def __call__(self, *args: Any, **named: Any) -> Awaitable[Result | str]:
        return self.__command__.run(*args, **named)

    def _mark(self, name: str, hook: Hook) -> Hook:
        self.__command__.hooks[name] = hook
        return hook

    def risk(self, hook: Hook) -> Hook:
        return self._mark("risk", hook)

    def evidence(self, hook: Hook) -> Hook:
        return self._mark("evidence", hook)

    def settle(self, hook: Hook) -> Hook:
        return self._mark("settle", hook)

    def undo(self, hook: Hook) -> Hook:
        return self._mark("undo", hook)

    def preview(self, hook: Hook) -> Hook:
        return self._mark("preview", hook)

    def fingerprint(self, hook: Hook) -> Hook:
        return self._mark("fingerprint", hook)

    def reach(self, hook: Hook) -> Hook:
        return self._mark("reach", hook)


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
            declared = getattr(attribute, "__command__", None)
            if isinstance(declared, Command):
                commands[declared.name] = replace(declared, owner=owner, family=getattr(owner, "family", ""))
    return list(commands.values())


# ---------------------------------------------------------------- asking the person


@dataclass(frozen=True)
class Proposal:
    """A question to the person. `call` is the command to authorise, or None if the question is how to go on."""

    call: Call | None
    why: str = ""
    """Why an earlier permission does not cover it; empty for a plain question."""
    preview: str = ""
    """What the command would do, such as a diff. The approver makes it anew before each drawing."""


END_OF_INPUT = "end of input"
"""The reason of a decision to stop after the end of input."""


@dataclass(frozen=True)
class Decision:
    """The answer to a proposal. `call` is the object that runs. It differs from the proposed one after an edit."""

    kind: Literal["run", "refuse", "stop"]
    call: Call | None = None
    turns: int = 0
    """The turns that this permission covers, with this one; 0 covers this one and leaves an earlier budget in force."""
    always: bool = False
    """Whether this command name is allowed at this or a lower risk for the session."""
    feedback: str = ""
    by: str = "person"
    why: str = ""


class Approver(Protocol):
    """The person or a substitute. `attended` is False if there is no one to answer."""

    @property
    def attended(self) -> bool: ...

    async def answer(self, question: str) -> str | None:
        """Return the person's own words, or None without an answer. Lines typed before the question are no answer."""
        ...

    async def decide(self, proposal: Proposal) -> Decision: ...

    async def attend(self) -> None:
        """Carry out commands that were typed while the run was working. Called between steps."""
