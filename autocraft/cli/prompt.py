"""`autocraft prompt`: what a run would send first."""

from __future__ import annotations

import asyncio
import re
from itertools import takewhile
from typing import TYPE_CHECKING

from autocraft.cli.options import RUN, Flags, Goals, GroupedCommand, Profile, Words, goals_of, new_app, with_settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from autocraft.protocols import Message

app = new_app()
OTHER_GOALS = ("craft 1 ladder", "craft 1 stone_pickaxe")
"""A goal with which the prompt is compared: the first that the run does not have."""
_HEADING = re.compile(r'^(?:([A-Z][A-Z ]+):|<data source="(\w+)">|(Next): |</data>)', re.MULTILINE)


@app.command(cls=GroupedCommand)
@with_settings(*RUN)
def prompt(flags: Flags, words: Words = None, goal: Goals = None, profile: Profile = "") -> None:
    """Print exactly what a run would send to a model first, with the tokens of each part."""
    from autocraft.agent.gate import resume_with_goals
    from autocraft.app import Request, open_request
    from autocraft.console.pages import print_page
    from autocraft.goals import Goal
    from autocraft.text.sanitize import clean

    goals = [*goals_of(words), *(goal or [])]
    other = next(each for each in OTHER_GOALS if each not in goals)
    request = Request(goals, flags, profile=profile, trial=True, any_goal=True)

    async def first_prompts() -> tuple[list[Message], list[Message], int]:
        run = await open_request(request)
        async with run.context.exits:
            messages = await run.agent.thinker.prompt()
            tokens = run.context.priced.sent_tokens(messages, run.agent.spec.schema)
            resume_with_goals(run.context, [Goal.parse(other, run.context.world.items)])
            return messages, await run.agent.thinker.prompt(recalled=[]), tokens

    messages, others, tokens = asyncio.run(first_prompts())
    for message in messages:
        print_page(f"--- {message.role}\n{clean(message.content)}\n")
    print(f"--- about {tokens} tokens (estimated from the bytes)")
    print("\n".join([*part_lines(messages), shared_line(messages, others, other)]))


def part_lines(messages: Sequence[Message]) -> list[str]:
    """Return one line for each part, with its tokens and its share. A part is named by its heading or its source."""
    from autocraft.usage import BYTES_PER_TOKEN

    sizes: dict[str, int] = {}
    for message in messages:
        name, start = "role" if message.role == "system" else "other text", 0
        for heading in _HEADING.finditer(message.content):
            _add(sizes, name, message.content[start : heading.start()])
            name = (heading[1] or heading[2] or ("advice" if heading[3] else "other text")).lower()
            start = heading.start()
        _add(sizes, name, message.content[start:])
    every = sum(sizes.values()) or 1
    return [f"{name:<24}{round(size / BYTES_PER_TOKEN):>6}  {size / every:4.0%}" for name, size in sizes.items()]


def _add(sizes: dict[str, int], name: str, text: str) -> None:
    if text.strip():
        sizes[name] = sizes.get(name, 0) + len(text.encode("utf-8", "replace"))


def shared_line(messages: Sequence[Message], others: Sequence[Message], other: str) -> str:
    """Return how much of the prompt comes before the first difference to the prompt of another goal."""
    texts = ["".join(message.content for message in each) for each in (messages, others)]
    shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(*texts, strict=False)))
    return f"The first {shared / max(1, len(texts[0])):.0%} are the same for the goal {other!r}."
