"""A world: what it shows, checks, plans and offers as commands."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Any, Literal, NamedTuple, Protocol, runtime_checkable

from autocraft.frozen import frozen
from autocraft.goals import Goal
from autocraft.protocols.brain import Image
from autocraft.protocols.commands import Command, commands_of
from autocraft.protocols.values import Args, Json


@frozen
class Observation:
    """The present view of the world: `text` for a model, `inventory` as item -> count, `images` for models that see.

    `facts` are the values behind the text, such as `biome` and `position`, where the world has them.
    """

    text: str
    inventory: Mapping[str, int]
    images: tuple[Image, ...] = ()
    facts: Json = field(default_factory=dict)


class Check(NamedTuple):
    """Whether a goal is reached, and why the world thinks so."""

    verdict: Literal["met", "not met", "cannot tell"]
    why: str


@frozen
class Step:
    """One command of a plan. It gains `gains` of an `item`, uses up what it `takes`, and needs a `station` near.

    One of the `tools` must be held, the weakest first. Without any it needs none. `layer` has the lowest, the highest
    and the best height to look for what it is about. It is empty if that may be anywhere.
    """

    name: str
    args: Args
    why: str = ""
    item: str = ""
    takes: Mapping[str, int] = field(default_factory=dict)
    gains: int = 0
    station: str = ""
    tools: Sequence[str] = ()
    layer: Sequence[int] = ()


@frozen
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
    """The world in which commands act. A subclass sets `name`, and defines `observe` and its commands."""

    name: str
    facade: str = ""
    """The sandbox facade for programs in this world; empty if programs cannot see the world."""

    @property
    def items(self) -> frozenset[str]:
        """Return the item names for goals, as Names if they have deeds. It may raise what opening the data raises."""
        return frozenset()

    @property
    def deeds(self) -> Mapping[str, int]:
        """Return how often each deed was done in this session, such as ``{"mine oak_log": 3}``."""
        return {}

    async def observe(self) -> Observation: ...

    def commands(self) -> list[Command]:
        """Return its commands: by default the methods that are marked as one."""
        return commands_of(self)

    async def check(self, goal: Goal) -> Check:
        return Check("cannot tell", f"the {self.name} world checks no goals")

    async def plan(self, goals: Sequence[Goal], *, low_level: bool = False) -> Plan:
        return Plan("not found", why=f"the {self.name} world plans nothing")

    def snapshot(self) -> Json | None:
        """Return the whole state as JSON. Return None if the world itself is the truth (live Minecraft)."""
        return None

    def restore(self, snapshot: Json) -> None:
        """Take the state of a snapshot."""
        return

    async def close(self) -> None:
        """Release what it holds."""
        return


@runtime_checkable
class VisibleWorld(World, Protocol):
    """A world that can be seen through the player's eyes (Minecraft)."""

    async def view(self, say: Callable[[str], None]) -> str:
        """Return the address of a page on loopback that shows what the player sees. Raises AutocraftError.

        The first start fetches what draws it. All who wait for it get the same, and `say` of the first one gets its
        progress, from another thread: a line, and lines that begin with a space while it goes on.
        """


@runtime_checkable
class SparingWorld(World, Protocol):
    """A world in which the player eats by itself, and can be told what a task wants (Minecraft)."""

    async def spare(self, names: Sequence[str]) -> None:
        """Keep the player from eating these items by itself, unless its life is at stake."""


@runtime_checkable
class LiveWorld(World, Protocol):
    """A world that must be joined, and in which things happen by themselves (Minecraft).

    The caller sets `report` before it joins. It gets what happens as events for the journal: a Note, the Progress of a
    running call, or as Feedback the words of a player whom the person named.
    """

    report: Callable[[Any], None]

    async def open(self) -> list[str]:
        """Join the world. Return lines for the person. Raises WorldLost, NodeMissing or UsageError."""

    async def peek(self) -> Observation:
        """Observe for others than the model, which will see the news of it later."""

    @property
    def ticks(self) -> int | None:
        """Return the world's clock in game ticks. Return None if it is unknown."""

    @property
    def version(self) -> str:
        """Return the version of the game. Return '' before the world was joined."""

    @property
    def cheats(self) -> int:
        """Return how many server commands this session used. Any of them makes the result an assisted one."""


@runtime_checkable
class SharedWorld(World, Protocol):
    """A world in which several bots of one run can be, each of which is a world for its own agent (Minecraft)."""

    bot: str
    """The name of this bot in the journal; empty for the first one."""
    bots: Sequence[Any]
    """The worlds of all bots, that of the first one first."""

    @property
    def player(self) -> str:
        """Return the name of this bot's player in the world."""
        ...

    @property
    def spoken_to(self) -> bool:
        """Tell whether a player to whom the bot listens has said something to it since the model looked last."""
        ...

    async def plan_share(self, goals: Sequence[Goal]) -> Plan:
        """Return the steps of this bot's share in the goals."""
        ...

    async def rests(self, goals: Sequence[Goal]) -> bool:
        """Tell whether this bot has nothing to do for the goals now, while the others have."""

    async def rest(self) -> None:
        """Let a moment pass in which the others work. Raises WorldLost."""

    async def leave(self) -> None:
        """Leave the world for good, so that the others do what is left for this bot."""


async def peek(world: World) -> Observation:
    """Observe a world for others than the model, so that it does not miss what happens in a live world."""
    return await (world.peek() if isinstance(world, LiveWorld) else world.observe())
