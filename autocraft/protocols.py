"""What the rooms promise each other: the protocols, and the plain values that pass between them."""

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
"""The agent of what a program does."""


class Risk(IntEnum):
    """How much a command can change; it may depend on the arguments and the world."""

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
    """A picture of what a world shows; `alt` says in words what is on it, for brains that cannot see."""

    data: bytes
    kind: str = "image/png"
    alt: str = ""


@dataclass(frozen=True, slots=True)
class Message:
    """One message to a model. Only our own prompt is ever sent as ``system``."""

    role: Literal["system", "user", "assistant"]
    content: str
    images: tuple[Image, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """What a brain said, before anybody has tried to read a command in it."""

    text: str
    finish_reason: str = "stop"
    usage: Usage | None = None
    reasoning: str = ""
    refusal: str = ""
    tool_calls: tuple[Json, ...] = ()


@dataclass(frozen=True, slots=True)
class Delta:
    """A piece of an answer as it comes, or what the brain waits for.

    ``text`` and ``reasoning`` are pieces to be joined; ``wait`` is a whole sentence that replaces the last one;
    ``reset`` says that the answer begins anew, so what was shown of it is void.
    """

    kind: Literal["text", "reasoning", "wait", "reset"]
    text: str = ""


class Brain(Protocol):
    """Who answers. `name` is shown to the person, and nothing is decided by it."""

    name: str
    reads_prompt: bool
    """Whether it is sent a prompt."""
    metered: bool
    """Whether it uses tokens, so that a budget is asked about it."""
    asks_model: bool
    """Whether it can answer questions and pursue goals in any words; without it goals must name items."""

    async def think(
        self,
        messages: Sequence[Message],
        *,
        role: str = "smart",
        schema: Json | None = None,
        max_tokens: int | None = None,
        on_delta: Callable[[Delta], None] | None = None,
    ) -> Answer:
        """One answer. `role` picks the model (smart or fast), `schema` is a JSON schema that the
        answer should obey, `max_tokens` the room for it. Raises BrainError, ContextOverflow where the prompt is
        too long for the model. May be cancelled at any moment."""
        ...

    async def close(self) -> None: ...


# ---------------------------------------------------------------- worlds


@dataclass(frozen=True, slots=True)
class Observation:
    """What the world shows now: `text` for a model, `inventory` as item -> count, `images` for models that see."""

    text: str
    inventory: Mapping[str, int]
    images: tuple[Image, ...] = ()


@dataclass(frozen=True, slots=True)
class Check:
    """Whether a goal is reached, and why the world thinks so."""

    verdict: Literal["met", "not met", "cannot tell"]
    why: str


@dataclass(frozen=True, slots=True)
class Step:
    """One command of a plan."""

    name: str
    args: Args
    why: str = ""


@dataclass(frozen=True, slots=True)
class Plan:
    """How to reach all goals from the present state.

    ``impossible`` is a proof, whose certificate is `proof`; ``not found`` is the honest rest.
    """

    verdict: Literal["found", "impossible", "not found"]
    steps: tuple[Step, ...] = ()
    why: str = ""
    missing: Mapping[str, int] = field(default_factory=dict)
    proof: Json = field(default_factory=dict)


class World(Protocol):
    """Where commands have their effect."""

    name: str
    facade: str
    """Which of the sandbox's facades programs see here; empty where programs cannot see the world."""

    @property
    def items(self) -> frozenset[str]:
        """The item names that goals may use; reading them may raise what opening the world's data raises."""
        ...

    async def observe(self) -> Observation: ...

    def commands(self) -> list[Command]: ...

    async def check(self, goal: Goal) -> Check: ...

    async def plan(self, goals: Sequence[Goal], *, low_level: bool = False) -> Plan: ...

    def snapshot(self) -> Json | None:
        """The whole state as JSON, or None where the world itself is the truth (live Minecraft)."""
        ...

    def restore(self, snapshot: Json) -> None: ...

    async def close(self) -> None: ...


@runtime_checkable
class LiveWorld(World, Protocol):
    """A world that one has to join, and where things happen by themselves (Minecraft).

    Who joins it sets `note`, which writes a line into the journal, and `hear`, which takes as feedback what a player
    said whom the person named: name and words.
    """

    note: Callable[[str], None]
    hear: Callable[[str, str], None]

    async def open(self) -> list[str]:
        """Join; returns what the person should know. Raises WorldLost, NodeMissing, UsageError."""
        ...

    @property
    def cheats(self) -> int:
        """Server commands that were used in this session: any makes the result an assisted one."""
        ...


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
    """Whether rows that are added are there afterwards."""
    notice: str
    """What the person must know about the opening, such as a damaged store that was rebuilt; mostly empty."""

    def add(self, text: str, *, id: str | None = None, metadata: Json | None = None) -> str:
        """Store `text` and return its id. When it returns, the row survives kill -9. A row with this id that exists is
        not changed."""
        ...

    def add_many(self, rows: Sequence[MemoryRecord]) -> int:
        """Store rows, all or none if the store can do that. Return how many were new. An empty id gets a new one."""
        ...

    def get(self, text: str) -> list[MemoryRecord]: ...

    def get_relevant(
        self, text: str, k: int = 5, *, where: Mapping[str, str] | None = None, exact: bool = False
    ) -> list[MemoryRecord]:
        """Return up to `k` rows that are near, the nearest first. `where` is metadata that they must have, and `exact`
        forbids approximate search."""
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
        """Embed the rows of another embedder anew, so that they are searched. Return how many there were."""
        ...

    def get_stats(self) -> Json:
        """Return at least rows, backend, embedder, dimension, namespace and, by name, the rows of all namespaces."""
        ...

    def close(self) -> None: ...


# ---------------------------------------------------------------- commands


@dataclass(frozen=True, slots=True)
class Result:
    """What a command says back.

    `end` names the reason when the run is over by it, `undone` the intent that was taken back, and `trace` is the
    traceback of a fault of ours or of a person's own command, for the journal alone.
    """

    text: str
    ok: bool = True
    end: str | None = None
    proof: Json = field(default_factory=dict)
    undone: int | None = None
    trace: str = ""
    answered: bool | None = None
    """Of a question to the person: whether `text` is their own words; None for everything else."""
    seconds: float | None = None
    """Its own, where its parts are commands that count theirs; None for all that it took by the clock."""


@dataclass(frozen=True, slots=True)
class Settled:
    """What became of an effect whose result was never written (the process died).

    ``done``: proven done, `text` is the result. ``not done``: proven, it may be carried out once.
    ``unknown``: neither can be shown; it is never repeated silently.
    """

    outcome: Literal["done", "not done", "unknown"]
    text: str = ""


FAMILIES = ("world", "control", "files", "memory", "skills", "programs", "web", "code", "agents", "own")
"""The families of commands; ``own`` are a person's own."""


@dataclass(frozen=True)
class Command:
    """A function with a name; its signature after ``(self, call)`` is its schema.

    Made by the `command` decorator, bound to its owner by `commands_of`, called only through the registry.
    """

    name: str
    help: str
    risk: Risk | Callable[..., Risk]
    run: Callable[..., Awaitable[Result | str]]
    cancellable: bool = False
    offered: bool = True
    """Whether the model is told of it; what is not offered is for the person alone."""
    synonyms: tuple[str, ...] = ()
    """Other names that are accepted and mapped to this one, such as those of later Auto-GPTs."""
    asks: bool = False
    """Whether it puts a question to the person: asking needs no authorisation, and waiting takes no time of the run."""
    nested: bool = False
    """Whether it may carry out other commands, which count their own seconds and end before it."""
    family: str = ""
    """What it is switched off with: the `family` of its owner, one of FAMILIES."""
    owner: Any = None
    hooks: dict[str, Callable[..., Any]] = field(default_factory=dict, compare=False, repr=False)
    """Its own hooks by name, which go before the methods of its family; see `CommandMethod`."""

    @cached_property
    def parameters(self) -> list[inspect.Parameter]:
        """The arguments that a caller gives, with annotations resolved."""
        return list(inspect.signature(self.run, eval_str=True).parameters.values())[2:]

    @property
    def tier(self) -> Risk | None:
        """Return the tier of every call; None where it depends on the call."""
        return self.risk if isinstance(self.risk, Risk) and "risk" not in self.hooks else None

    def risk_of(self, args: Args) -> Risk:
        """Return the tier that the declaration gives; a callable risk gets ``(owner, **args)``."""
        return self.risk if isinstance(self.risk, Risk) else self.risk(self.owner, **args)

    def hook(self, name: str) -> Callable[..., Any] | None:
        """Return the hook of this name, bound to the owner; None where neither command nor family has one."""
        own = self.hooks.get(name)
        found: Callable[..., Any] | None = getattr(self.owner, name, None) if own is None else partial(own, self.owner)
        return found


@dataclass(frozen=True)
class Call:
    """A validated command with its arguments: the object that is shown, approved and run.

    `id` is unique among all sessions; it is set just before the call is carried out and kept in its intent, so that
    a repetition after a kill can be told from a second call. `fingerprint` is the hash of what a person was shown of
    it, as `Registry.fingerprint` gives it; empty for a call that nobody was shown.
    """

    command: Command
    args: Args
    risk: Risk
    id: str = ""
    agent: str = "main"
    fingerprint: str = ""
    run: Any = field(default=None, compare=False, repr=False)
    """The run that it belongs to. A command takes what it needs of it by a protocol of `commands/live.py`, as in
    ``run: HasWorld = call.run``; None outside a run."""

    @property
    def name(self) -> str:
        return self.command.name


@dataclass(frozen=True)
class Reach:
    """What a call touches, in one form, for the rules of a policy.

    `args` are its arguments, each written in one way only; `paths` are the files of the workspace that it reads or
    writes, relative to the workspace; `urls` the addresses that it asks; `calls` the commands that it carries out.
    """

    args: Args
    paths: tuple[str, ...] = ()
    urls: tuple[str, ...] = ()
    calls: tuple[Call, ...] = ()


class Family(Protocol):
    """An object that owns commands, and what lets its effects survive kill -9.

    Every part of it is optional: without a `family` its commands cannot be switched off, a family without `evidence`
    records none, one without `settle` answers ``not done`` for look commands and ``unknown`` for the rest, one
    without `undo` cannot take back, one without `fingerprint` has the text of its preview hashed, and one without
    `reach` has its arguments compared as they are.
    """

    family: str
    """One of FAMILIES."""

    def evidence(self, call: Call) -> Json:
        """Written into the intent, before the effect: enough to tell later whether it happened, and to undo it."""
        ...

    def settle(self, call: Call, evidence: Json) -> Settled: ...

    def preview(self, call: Call) -> str:
        """What the person sees besides the arguments, such as a diff."""
        ...

    def undo(self, evidence: Json) -> str:
        """Take the effect back; returns what was done, raises CommandError where it cannot."""
        ...

    def fingerprint(self, call: Call) -> str:
        """Hash everything outside the arguments that the preview is made of, such as the bytes of a file."""
        ...

    def reach(self, call: Call) -> Reach:
        """Return all that this call would touch. Raises CommandError for a call that the command refuses."""
        ...


Hook = TypeVar("Hook", bound=Callable[..., Any])


class CommandMethod:
    """A method or function that is a command; called as it was written, and the place to mark its own hooks.

    ``@save_skill.preview`` above a method makes that the preview of `save_skill` alone. The hooks are those of `Family`
    with the same arguments, but for two: ``risk`` takes the call, in place of a callable `risk`, and ``undo`` takes the
    call that takes back and the evidence.
    """

    def __init__(self, made: Command) -> None:
        self.__command__ = made
        update_wrapper(self, made.run)

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
    """Mark an async method ``(self, call, **args)`` as a command; `traits` are further fields of `Command`."""

    def mark(run: Callable[..., Awaitable[Result | str]]) -> CommandMethod:
        return CommandMethod(Command(name or run.__name__, help, risk, run, **traits))

    return mark


def commands_of(owner: object) -> list[Command]:
    """The commands of a family or world, bound to it, in the order in which they are written.

    Of a class, its declarations, which can be listed and checked but not carried out.
    """
    found = {}
    for klass in reversed((owner if isinstance(owner, type) else type(owner)).__mro__):
        for attribute in vars(klass).values():
            made = getattr(attribute, "__command__", None)
            if isinstance(made, Command):
                found[made.name] = replace(made, owner=owner, family=getattr(owner, "family", ""))
    return list(found.values())


# ---------------------------------------------------------------- asking the person


@dataclass(frozen=True)
class Proposal:
    """What the person is asked to authorise. `call` is None when there is nothing to run but a way on is needed."""

    call: Call | None
    why: str = ""
    """Why it is asked although an earlier permission might have covered it; empty for a plain question."""
    preview: str = ""
    """What the command would do to a file; made by the approver, anew before each drawing."""


END_OF_INPUT = "end of input"
"""Why a decision stops where nobody can answer any more."""


@dataclass(frozen=True)
class Decision:
    """The answer to a proposal. `call` is the very object that runs; it differs when the person edited it."""

    kind: Literal["run", "refuse", "stop"]
    call: Call | None = None
    turns: int = 0
    """How many turns this permission covers, this one included; 0 is this one, inside whatever was granted before."""
    always: bool = False
    """Allow this command name at this or a lower risk for the session."""
    feedback: str = ""
    by: str = "person"
    why: str = ""


class Approver(Protocol):
    """The person, or who stands in for one. `attended` is False when nobody can answer."""

    attended: bool

    async def answer(self, question: str) -> str | None:
        """The person's own words; None when nobody answers. What was typed before is no answer."""
        ...

    async def decide(self, proposal: Proposal) -> Decision: ...

    async def attend(self) -> None:
        """Carry out what was typed while the run was working; called between steps."""
        ...
