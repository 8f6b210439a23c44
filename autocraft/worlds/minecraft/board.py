"""What the bots of one run share: who they are, what each holds and does, and who builds which part of a plan."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from autocraft.building.plans import Plans
from autocraft.goals import held
from autocraft.protocols import Json
from autocraft.worlds.minecraft.progress import STATES


@dataclass(eq=False)
class Post:
    """What a bot says of itself. `gone` is a bot that goes on no more."""

    name: str
    place: str = ""
    inventory: Mapping[str, int] = field(default_factory=dict)
    doing: str = ""
    gone: bool = False


class Board:
    """The board of a run. The first of its bots leads: it plans what all build, and compares the whole.

    `plans` and `deeds` are those of the session, to which all bots add.
    """

    def __init__(self, plans: Plans, deeds: Mapping[str, int]) -> None:
        self.posts: list[Post] = []
        self.plans = plans
        self.deeds = deeds

    def add(self, name: str) -> Post:
        """Return the post of another bot."""
        self.posts.append(Post(name))
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
        post.place = ", ".join(f"{at.get(axis, 0):.0f}" for axis in "xyz")
        post.inventory = {**observation.get("today", {}), **observation.get("inventory", {})}

    def share(self, post: Post, needs: Json) -> Json:
        """Return the share of a bot in what is to be held and done. What cannot be counted is done by the first one."""
        items = [
            (item, held(item, post.inventory) + more)
            for item, count in needs["items"]
            if (more := self._share(post, count - held(item, self.inventory))) > 0
        ]
        deeds = [
            [verb, thing, many]
            for verb, thing, count in needs["deeds"]
            if (many := count * self.leads(post) if verb.partition(":")[0] in STATES else self._share(post, count)) > 0
        ]
        return {"items": items, "deeds": deeds}

    def _share(self, post: Post, count: int) -> int:
        present = self.present
        return count // len(present) + (present.index(post) < count % len(present))

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

    def text(self, post: Post) -> list[str]:
        """Return what the board says of the other bots, a line each."""
        return [
            f"Bot {each.name}: {'gone' if each.gone else f'at ({each.place})'}, {each.doing or 'no command'}, holds "
            + (", ".join(f"{count} {item}" for item, count in sorted(each.inventory.items())) or "nothing")
            for each in self.posts
            if each is not post
        ]

    def addressed(self, text: str) -> tuple[Post, str]:
        """Return the bot to which words are said by its name, with the rest of them; else the first bot."""
        for post in self.posts:
            if said := re.match(rf"@?{re.escape(post.name)}\b[\s,:!.]*", text, re.IGNORECASE):
                return post, text[said.end() :]
        return (self.present or self.posts)[0], text
