"""`autocraft prompt`: what a run would send first."""

from __future__ import annotations

import asyncio

from autocraft.cli.options import RUN, Flags, Goals, GroupedCommand, Profile, Words, goals_of, new_app, with_settings

app = new_app()


@app.command(cls=GroupedCommand)
@with_settings(*RUN)
def prompt(flags: Flags, words: Words = None, goal: Goals = None, profile: Profile = "") -> None:
    """Print exactly what a run would send to a model first, with its tokens."""
    from autocraft.app import Request, preview
    from autocraft.console.pages import print_page
    from autocraft.text.sanitize import clean

    goals = [*goals_of(words), *(goal or [])]
    messages, forecast = asyncio.run(preview(Request(goals, flags, profile=profile, any_goal=True)))
    for message in messages:
        print_page(f"--- {message.role}\n{clean(message.content)}\n")
    print(f"--- about {forecast.first} tokens (estimated from the bytes)")
