"""What the bots of one run share: who they are, what each holds, does and needs, and who builds which part of a plan.

A bot asks the others for what they can do without, and for what it does not know how to make and they do. What a bot
asks for is found anew with each of its plans, so after a kill nothing of it has to be restored.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from autocraft.building.plans import Plans
from autocraft.crafting.recipes import load_book
from autocraft.goals import held
from autocraft.protocols import Json
from autocraft.worlds.minecraft.describe import amounts
from autocraft.worlds.minecraft.progress import STATES

NEAR = 48
"""Blocks between two bots up to which one brings something to the other before both build."""


@dataclass(eq=False)
class Post:
    """What a bot says of itself. `gone` is a bot that goes on no more."""

    name: str
    at: tuple[float, float, float] | None = None
    inventory: Mapping[str, int] = field(default_factory=dict)
    doing: str = ""
    gone: bool = False
    unknown: Sequence[str] = ()
    """The items that it does not know how to make."""
    needed: Mapping[str, int] = field(default_factory=dict)
    """What its plan takes of what it holds."""
    asks: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """What it asks each other bot for."""

    @property
    def place(self) -> str:
        return ", ".join(f"{axis:.0f}" for axis in self.at or ())

    @property
    def asked(self) -> str:
        """Return in words what it asks for."""
        total = sum((Counter(items) for items in self.asks.values()), Counter[str]())
        return ", ".join(f"{count} {item}" for item, count in sorted(total.items()) if count)


class Board:
    """The board of a run. The first of its bots leads: it plans what all build, and compares the whole.

    `plans` and `deeds` are those of the session, to which all bots add.
    """

    def __init__(self, plans: Plans, deeds: Mapping[str, int]) -> None:
        self.posts: list[Post] = []
        self.plans = plans
        self.deeds = deeds
        self.bills: dict[str, tuple[int, Counter[str]]] = {}
        """Part of a plan -> the tick at which a bot looked at its site, and what was missing there."""

    def add(self, name: str, unknown: Sequence[str] = ()) -> Post:
        """Return the post of another bot."""
        self.posts.append(Post(name, unknown=unknown))
        return self.posts[-1]

    @property
    def present(self) -> list[Post]:
        """Return the bots that go on."""
        return [post for post in self.posts if not post.gone]

    @property
    def inventory(self) -> Counter[str]:
        """Return what all bots hold together."""
        return sum((Counter(post.inventory) for post in self.posts), Counter[str]())

    def leads(self, post: Post) -> bool:
        """Tell whether a bot is the first of those that go on."""
        return self.present[:1] == [post]

    def see(self, post: Post, observation: Json) -> None:
        """Note what a bot sees of itself."""
        at = observation.get("position", {})
        post.at = at.get("x", 0), at.get("y", 0), at.get("z", 0)
        post.inventory = {**observation.get("today", {}), **observation.get("inventory", {})}

    def others(self, post: Post) -> list[Json]:
        """Return the other bots that go on, each with what it offers a bot and what it does not know how to make."""
        return [
            {"name": each.name, "offers": self._offers(each, post), "unknown": list(each.unknown)}
            for each in self.present
            if each is not post
        ]

    def _offers(self, giver: Post, post: Post) -> dict[str, int]:
        """Return what a bot can do without, with what it is to give to this one already."""
        asked = post.asks.get(giver.name, {})
        return {
            item: min(count, max(0, count - giver.needed.get(item, 0)) + asked.get(item, 0))
            for item, count in giver.inventory.items()
        }

    def orders(self, post: Post) -> list[tuple[str, str, int]]:
        """Return the deeds that the others ask a bot for."""
        return [
            (f"give:{each.name}", item, count)
            for each in self.present
            for item, count in each.asks.get(post.name, {}).items()
            if count > 0
        ]

    def gave(self, post: Post, deed: str, count: object) -> None:
        """Note that a bot gave what another one asked for, if a deed such as "give:NAME bread" says so."""
        verb, _, item = deed.partition(" ")
        for each in self.posts:
            if verb == f"give:{each.name}" and isinstance(count, int) and item in each.asks.get(post.name, {}):
                rest = {**each.asks[post.name], item: each.asks[post.name][item] - count}
                each.asks = {**each.asks, post.name: rest}

    def share(self, post: Post, needs: Json, turn: int = 0) -> Json:
        """Return the share of a bot in what is to be held and done. What cannot be counted is done by the first one.

        What a recipe makes at once is not divided. Of what cannot be divided, each bot in turn gets one item. `turn` is
        the number of the goal.
        """
        items = []
        for at, (item, count) in enumerate(needs["items"], turn):
            batch = max((recipe.count for recipe in load_book().making(item)), default=1)
            batches = math.ceil((count - held(item, self.inventory)) / batch)
            if (more := batch * self._share(post, batches, at)) > 0:
                items.append((item, held(item, post.inventory) + more))
        deeds = [
            [verb, thing, many]
            for verb, thing, count in needs["deeds"]
            if (many := count * self.leads(post) if verb.partition(":")[0] in STATES else self._share(post, count)) > 0
        ]
        return {"items": items, "deeds": deeds}

    def _share(self, post: Post, count: int, turn: int = 0) -> int:
        present = self.present
        place = (present.index(post) - turn) % len(present)
        return count // len(present) + (place < count % len(present))

    def part(self, plan: str, post: Post) -> str:
        """Return the id of what a bot is to build now of a plan: its part, that of a bot that is gone, or "" for none.

        When all parts are done, it is the whole plan for the first bot, which compares it and mends what is wrong.
        """
        bots = len(self.posts)
        parts = [each.id for each in self.plans.load(plan).split(bots)] if bots > 1 else []
        todo = [
            (part, owner) for part, owner in zip(parts, self.posts, strict=False) if not self.deeds.get(f"build {part}")
        ]
        for part, owner in todo:
            if owner is post or (owner.gone and self.leads(post)):
                return part
        return plan if not todo and self.leads(post) else ""

    def exchange(self, bills: Mapping[str, Counter[str]]) -> Iterator[tuple[str, str, str, int]]:
        """Yield who is to give whom which item and how many, so that each bot can pay its bill.

        Who builds already, or is far away, gives nothing.
        """
        free = [post for post in self.present if not post.doing.startswith("lay_blocks")]
        spare = [(post, Counter(post.inventory) - bills[post.name]) for post in free]
        for taker in self.present:
            for item, count in (bills[taker.name] - Counter(taker.inventory)).items():
                lack = count
                for giver, rest in spare:
                    if many := min(lack, rest[item]) if _near(giver, taker) else 0:
                        rest[item] -= many
                        lack -= many
                        yield giver.name, taker.name, item, many

    def text(self, post: Post) -> list[str]:
        """Return what the board says of the other bots, a line each, after who the bot itself is."""
        if len(self.posts) < 2:
            return []
        yourself = f"You are the bot {post.name}, one of {len(self.posts)} that work at the same goals. The others:"
        return [yourself] + [
            f"Bot {each.name}: {'gone' if each.gone else f'at ({each.place})'}, {each.doing or 'no command'}, "
            f"holds {amounts(each.inventory)}{f', asks for {each.asked}' if each.asks else ''}"
            for each in self.posts
            if each is not post
        ]

    def addressed(self, text: str) -> tuple[Post, str, bool]:
        """Return the bot to which words are said by its name, the rest of them, and True.

        Words that begin with no bot's name are for the first bot, as they are: then the last value is False.
        """
        for post in self.posts:
            if said := re.match(rf"@?{re.escape(post.name)}\b[\s,:!.]*", text, re.IGNORECASE):
                return post, text[said.end() :], True
        return (self.present or self.posts)[0], text, False


def _near(one: Post, other: Post) -> bool:
    return one.at is not None and other.at is not None and math.dist(one.at, other.at) <= NEAR
