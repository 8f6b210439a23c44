"""`autocraft run`, and `prompt`, which shows what a run would send."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from autocraft.cli.options import PROFILE_HELP, StateDir
from autocraft.errors import UsageError

EXAMPLES = """Examples:

\b
  autocraft run --goal "craft 1 stone_pickaxe"
  autocraft run --example TEST0018 --continuous --max-steps 30
  autocraft run --resume last

Exit codes: 0 goal reached, 1 error, 2 usage, 3 limit or stuck, 4 stopped by you, 5 proven impossible, 130 interrupted
by Ctrl-C."""


def run(
    goal: Annotated[list[str] | None, typer.Option(metavar="TEXT", help="What to reach; may be repeated.")] = None,
    continuous: Annotated[bool, typer.Option("--continuous", "-c", help="Run every command without asking.")] = False,
    continuous_limit: Annotated[
        int | None, typer.Option("--continuous-limit", "-l", help="Turns that --continuous may run.")
    ] = None,
    auto_look: Annotated[bool, typer.Option("--auto-look", help="Do not ask about commands that only read.")] = False,
    policy: Annotated[
        Path | None, typer.Option(help="File of rules about commands, in place of those of autocraft.toml.")
    ] = None,
    brain: Annotated[str | None, typer.Option(help="planner, openai or scripted.")] = None,
    script: Annotated[Path | None, typer.Option(help="Answers of the scripted brain.")] = None,
    world: Annotated[str | None, typer.Option(help="The world to play in: crafting or minecraft.")] = None,
    server: Annotated[
        str | None, typer.Option(metavar="HOST:PORT|lan", help="Your Minecraft world; a practice server without it.")
    ] = None,
    mc_version: Annotated[str | None, typer.Option(help="Its version; asked of the server without it.")] = None,
    username: Annotated[str | None, typer.Option(help="The bot's name there.")] = None,
    auth: Annotated[str | None, typer.Option(help="offline or microsoft.")] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of the practice world.")] = None,
    speed: Annotated[float | None, typer.Option(help="How many times faster than Minecraft it runs.")] = None,
    freeze: Annotated[
        bool | None, typer.Option("--freeze/--no-freeze", help="The practice world stands still while you are asked.")
    ] = None,
    cheats: Annotated[bool, typer.Option("--cheats", help="Allow server commands such as /give.")] = False,
    listen_to: Annotated[
        list[str] | None, typer.Option(metavar="PLAYER", help="Whose chat is your feedback; may be given again.")
    ] = None,
    inventory: Annotated[str | None, typer.Option(help='What you start with: "oak_log=4,cobblestone=8".')] = None,
    example: Annotated[str | None, typer.Option(help="Start from a Plancraft example: TEST0018.")] = None,
    low_level: Annotated[bool, typer.Option("--low-level", help="The planner moves single items.")] = False,
    images: Annotated[bool, typer.Option("--images", help="Send models that see a picture of the world.")] = False,
    stop_early: Annotated[
        bool, typer.Option("--stop-early", help="Stop reading an answer where its command is certain.")
    ] = False,
    workspace: Annotated[Path | None, typer.Option(help="Folder that file commands may touch.")] = None,
    memory: Annotated[str | None, typer.Option(help="local, pinecone, pgvector or none.")] = None,
    max_steps: Annotated[int | None, typer.Option(help="Most turns.")] = None,
    max_seconds: Annotated[float | None, typer.Option(help="Most seconds of thinking and acting.")] = None,
    max_tokens: Annotated[int | None, typer.Option(help="Most tokens.")] = None,
    max_cost: Annotated[float | None, typer.Option(help="Most US dollars.")] = None,
    max_errors: Annotated[int | None, typer.Option(help="Most failed commands and unusable answers.")] = None,
    price_in: Annotated[float | None, typer.Option(help="US dollars for a million tokens sent.")] = None,
    price_out: Annotated[float | None, typer.Option(help="US dollars for a million tokens received.")] = None,
    ai_name: Annotated[str | None, typer.Option(help="Name of the agent.")] = None,
    ai_role: Annotated[str | None, typer.Option(help="What the agent is.")] = None,
    profile: Annotated[str, typer.Option(help=PROFILE_HELP)] = "",
    resume: Annotated[str, typer.Option(help="Go on with a kept run: its id, or last.")] = "",
    durable: Annotated[bool, typer.Option("--durable", help="Sync every event to disk.")] = False,
    state_dir: StateDir = None,
    plain: Annotated[bool, typer.Option("--plain", help="Nothing redrawn, no colour: for screen readers.")] = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Show reasoning and the counts of each step.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show actions, results and questions only.")] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="Show raw answers; keep every request in the session, keys cut out.")
    ] = False,
    bell: Annotated[bool | None, typer.Option("--bell/--no-bell", help="Ring when a question waits.")] = None,
    json: Annotated[bool, typer.Option("--json", help="One event a line on standard output.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only estimate what the run would cost.")] = False,
    plan_only: Annotated[
        bool, typer.Option("--plan-only", help="Only show what would be asked, allowed and denied.")
    ] = False,
) -> None:
    """Pursue a goal, asking before each command."""
    flags = dict(locals())
    for name in ("goal", "profile", "resume", "json", "dry_run", "plan_only"):
        del flags[name]
    for name in (
        "low_level",
        "images",
        "stop_early",
        "cheats",
        "listen_to",
        "continuous",
        "auto_look",
        "durable",
        "plain",
        "verbose",
        "quiet",
        "debug",
    ):
        flags[name] = flags[name] or None
    if dry_run:
        _, told = _preview(goal or [], flags, profile)
        print("\n".join(told.lines()))
        raise typer.Exit
    if plan_only:
        raise typer.Exit(_plan_only(goal or [], flags, resume, profile, json))
    goals = goal or ([] if resume or example else _ask_goal(json))
    raise typer.Exit(_run(goals, flags, resume, profile, json))


def prompt(
    goal: Annotated[list[str] | None, typer.Option(metavar="TEXT", help="What to reach; may be repeated.")] = None,
    inventory: Annotated[str | None, typer.Option(help="What you start with.")] = None,
    example: Annotated[str | None, typer.Option(help="Start from a Plancraft example.")] = None,
    ai_name: Annotated[str | None, typer.Option(help="Name of the agent.")] = None,
    ai_role: Annotated[str | None, typer.Option(help="What the agent is.")] = None,
    profile: Annotated[str, typer.Option(help=PROFILE_HELP)] = "",
    state_dir: StateDir = None,
) -> None:
    """Print exactly what would be sent to a model first, with its tokens."""
    from autocraft.console.pages import print_page
    from autocraft.text.sanitize import clean

    flags = {"inventory": inventory, "example": example, "ai_name": ai_name, "ai_role": ai_role, "state_dir": state_dir}
    messages, told = _preview(goal or [], flags, profile)
    for message in messages:
        print_page(f"--- {message.role}\n{clean(message.content)}\n")
    print(f"--- about {told.first} tokens (estimated from the bytes)")


def _preview(goals: list[str], flags: Mapping[str, object], profile: str) -> Any:
    import asyncio

    from autocraft.app import Request, preview

    return asyncio.run(preview(Request(goals, flags, profile=profile)))


def _plan_only(goals: list[str], flags: Mapping[str, object], resume: str, profile: str, as_json: bool) -> int:
    import asyncio

    from autocraft.app import Request, plan_only
    from autocraft.console.foreseen import foreseen_lines
    from autocraft.console.pages import print_page

    if resume:
        raise UsageError("--plan-only belongs to a new run: leave --resume out")
    found = asyncio.run(plan_only(Request(goals, flags, profile=profile), partial(print, file=sys.stderr)))
    (print if as_json else print_page)("\n".join(foreseen_lines(found, as_json=as_json)))
    return 0


def _ask_goal(as_json: bool) -> list[str]:
    if as_json or sys.stdin is None or not sys.stdin.isatty():
        return []
    from autocraft.console.typed import ask_line

    goal = ask_line("Goal")
    if goal is None:
        print()
    return [] if goal is None else [goal]


def _run(goals: list[str], flags: dict[str, object], resume: str, profile: str, as_json: bool) -> int:
    import asyncio
    import gc

    gc.disable()  # what is imported now stays: collecting among it only delays the first question
    from autocraft.app import Request, open_run

    async def go() -> int:
        run = open_run(Request(goals, flags, resume, profile, as_json))
        gc.freeze()
        gc.enable()
        return (await run.go()).exit

    return asyncio.run(go())
