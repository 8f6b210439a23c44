"""`autocraft prompt`: what a run would send first."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from autocraft.cli.options import RUN, Flags, Goals, GroupedCommand, Profile, Words, goals_of, new_app, with_settings

if TYPE_CHECKING:
    from autocraft.protocols import Message

app = new_app()


@app.command(cls=GroupedCommand)
@with_settings(*RUN)
def prompt(flags: Flags, words: Words = None, goal: Goals = None, profile: Profile = "") -> None:
    """Print exactly what a run would send to a model first, with its tokens."""
    from autocraft.app import Request, open_request
    from autocraft.console.pages import print_page
    from autocraft.text.sanitize import clean

    goals = [*goals_of(words), *(goal or [])]
    request = Request(goals, flags, profile=profile, trial=True, any_goal=True)

    async def first_prompt() -> tuple[list[Message], int]:
        run = await open_request(request)
        async with run.context.exits:
            messages = await run.agent.thinker.prompt()
            return messages, run.context.priced.sent_tokens(messages, run.agent.spec.schema)

    messages, tokens = asyncio.run(first_prompt())
    for message in messages:
        print_page(f"--- {message.role}\n{clean(message.content)}\n")
    print(f"--- about {tokens} tokens (estimated from the bytes)")
