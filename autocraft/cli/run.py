"""`autocraft run`: pursue a goal, or only say what that would cost and ask (`--dry-run`)."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from autocraft.cli.options import (
    RUN,
    Flags,
    Goals,
    GroupedCommand,
    Profile,
    Resume,
    Web,
    Words,
    goals_of,
    new_app,
    root_folder,
    with_settings,
)
from autocraft.errors import UsageError

if TYPE_CHECKING:
    from autocraft.agent.dry_run import Planned
    from autocraft.agent.gate import GateVerdict
    from autocraft.app import Request
    from autocraft.protocols import Json

EXAMPLES = """Examples:

\b
  autocraft run --goal "craft 1 stone_pickaxe"
  autocraft run craft 1 ladder --model gpt-5
  autocraft run --example TEST0018 --continuous --max-steps 30
  autocraft run --resume last

Exit codes: 0 goal reached, 1 error, 2 usage, 3 limit or stuck, 4 stopped, 5 proven impossible, 6 claimed by the model
alone, 130 interrupted by Ctrl-C."""

app = new_app()


@app.command(cls=GroupedCommand, epilog=EXAMPLES)
@with_settings(*RUN, "web_page")
def run(
    flags: Flags,
    words: Words = None,
    goal: Goals = None,
    resume: Resume = "",
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Only say what it would cost, and what would be asked, allowed and denied."),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One event a line on standard output.")] = False,
    web: Web = False,
    profile: Profile = "",
) -> int:
    """Pursue a goal, asking before each command."""
    import gc

    gc.disable()  # what is imported now stays: collecting among it only delays the first question
    from autocraft.app import Request

    if dry_run:
        faults = {"belongs to a new run: leave --resume out": resume, "has no page: leave --web out": web}
        for fault in (fault for fault, is_there in faults.items() if is_there):
            raise UsageError(f"--dry-run {fault}")
    goals = [*goals_of(words), *(goal or [])]
    request = Request(goals, flags, resume, profile, as_json, trial=dry_run, recall=not dry_run)
    if dry_run:
        import asyncio

        asyncio.run(_look_ahead(request))
        return 0
    if not (goals or resume or flags["example"]):
        _ask(request)
    if web_demo := request.goals == ("demo",) and not goals:
        request = demo_request([], flags)
    return pursue(request, web=web or web_demo)


def demo_request(goals: list[str], flags: Mapping[str, Any]) -> Request:
    """Return the request for a run in a practice world, which the planner plays and the person's browser shows."""
    from autocraft.app import Request
    from autocraft.cli.dialogue import DEMO_GOAL

    own = {"world": "minecraft", "brain": "planner", "server": "", "web_open": True}
    return Request(goals or [DEMO_GOAL], {**flags, **own})


async def _look_ahead(request: Request) -> None:
    """Print an estimate of the run and, unless a model would decide, what would become of its commands."""
    from autocraft.agent.dry_run import forecast, planned_commands
    from autocraft.app import open_request
    from autocraft.console.pages import print_page

    run = await open_request(request)
    async with run.context.exits:
        thinker, brain = run.agent.thinker, run.context.priced
        for line in [*([brain.title] if brain.brain.metered else []), *run.context.notices]:
            print(line, file=sys.stderr)
        estimate = await forecast(thinker, await thinker.prompt())
        steps = await planned_commands(thinker, run.agent.gate)
    if request.json:
        print("\n".join(estimate), file=sys.stderr)
        for row in _rows(steps):
            print(row)
    else:
        print_page("\n".join([*estimate, *_lines(steps)]))


def pursue(request: Request, *, web: bool = False) -> int:
    """Open a run, with its page if `web`, and carry it out. Warn if all runs take too much. Return the exit code."""
    import asyncio
    import gc

    from autocraft.cli.sessions import pick_session, warn_over_quota

    request.resume = pick_session(request.resume, request.flags)
    if web:
        from autocraft.web.opening import open_shared as open_request
    else:
        from autocraft.app import open_request

    async def go() -> int:
        run = await open_request(request)
        gc.freeze()
        gc.enable()
        return (await run.go()).exit

    code = asyncio.run(go())
    warn_over_quota(request.flags, request.profile)
    return code


def _ask(request: Request) -> None:
    """Ask at the terminal what is wanted. A person who typed `autocraft` alone is asked for a goal alone."""
    if request.json or sys.stdin is None or not sys.stdin.isatty():
        return
    from autocraft.cli.dialogue import EXAMPLES, Wish, ask_goal, ask_wish, last_wish
    from autocraft.console.typed import ask_line

    check = _goal_check(request)
    if check is None:
        return
    if sys.argv[1:]:
        wish = ask_wish(ask_line, last_wish(root_folder(request.flags)), check)
    else:
        print(EXAMPLES)
        goal = ask_goal("Goal", ask_line, check)
        wish = Wish(() if goal is None else (goal,))
    texts = {"ai_name": wish.name, "ai_role": wish.role}
    request.goals = wish.goals
    request.flags = {**request.flags, **{name: text for name, text in texts.items() if text}}
    if not wish.goals:
        print()


def _goal_check(request: Request) -> Callable[[str], None] | None:
    """Return what raises UsageError for a goal that the brain of this run could not pursue in its world.

    Return None if an example of the settings brings its goal.
    """
    from autocraft.brains.choose import BrainChoice
    from autocraft.goals import check_goals
    from autocraft.goals.revisions import read_goal
    from autocraft.settings.config import read_run_config
    from autocraft.worlds.choose import WorldOptions, open_world

    config = read_run_config(request.flags, request.profile)
    choice = BrainChoice.of(config.run, config.openai, config.models, config.session.root)
    choice.check()
    if config.run.example:
        return None
    own = config.section(config.run.world)
    world = open_world(WorldOptions(config.run, own, config.given, folder=Path(), root=Path()))
    asks_model, items = choice.brain.asks_model, world.items
    return lambda text: check_goals([read_goal(text, items)], items, asks_model=asks_model)


def _rows(steps: list[Planned]) -> list[str]:
    """Return a JSON object for each command that would come."""
    from autocraft.text.sanitize import clean_json

    return [clean_json(json.dumps(_record(n, each), ensure_ascii=False)) for n, each in enumerate(steps, 1)]


def _lines(steps: list[Planned]) -> list[str]:
    """Return two lines for each command that would come: the command, and what would become of it."""
    from autocraft.commands.registry import risk_word
    from autocraft.text.sanitize import clean_line, exact_json

    lines = []
    for number, each in enumerate(steps, 1):
        if isinstance(each, str):
            lines.append(f"{number:>3}. an answer that cannot be used: {clean_line(each)[:300]}")
            continue
        call, outlook = each
        args = exact_json(json.dumps(call.args, ensure_ascii=False, default=str))
        lines.append(f"{number:>3}. {call.name} {args} ({risk_word(call.command, call.risk)})")
        lines.append(f"   {_verdict(outlook)}")  # less far in than what a terminal's width breaks off a command
    return [*lines, "Nothing was carried out."]


def _verdict(outlook: GateVerdict) -> str:
    from autocraft.console.report import BY
    from autocraft.text.sanitize import clean_line

    why = clean_line(outlook.why)
    match outlook.then:
        case "run":
            return f"would run: {why}" if outlook.rule else f"would run {BY.get(outlook.by, outlook.by)}"
        case "ask":
            return f"would be asked: {why}" if why else "would be asked"
        case "judge":
            return "would be judged by a model, since words stand beside it"
    return f"would be refused: {why}"


def _record(number: int, each: Planned) -> Json:
    if isinstance(each, str):
        return {"n": number, "error": each}
    call, outlook = each
    rule = None if outlook.rule is None else {"number": outlook.rule.number, "text": outlook.rule.text}
    record: Json = {"n": number, "command": call.name, "args": call.args, "risk": call.risk.value}
    return record | {"then": outlook.then, "by": outlook.by, "rule": rule, "why": outlook.why}
