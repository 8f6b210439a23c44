"""The command line: each command is a few lines that hand over to the room that does the work.

Nothing heavy is imported before a command is chosen. Neighbours: `assemble.py` opens runs, `console/report.py`
words sessions.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from autocraft import __version__
from autocraft.errors import AutocraftError, SessionError, UsageError

app = typer.Typer(
    name="autocraft",
    help="A terminal agent that plays Minecraft under a person's eye.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=True,
)
sessions = typer.Typer(help="Look at kept runs and take changes back.", no_args_is_help=True, rich_markup_mode=None)
app.add_typer(sessions, name="sessions")
skills = typer.Typer(help="Look after the kept skills.", no_args_is_help=True, rich_markup_mode=None)
app.add_typer(skills, name="skills")
memories = typer.Typer(help="Look at what is remembered, and forget.", no_args_is_help=True, rich_markup_mode=None)
app.add_typer(memories, name="memory")

StateDir = Annotated[Path | None, typer.Option(help="Folder of sessions and memory.")]
Backend = Annotated[str | None, typer.Option("--memory", help="local, pinecone or pgvector.")]
Space = Annotated[str | None, typer.Option("--namespace", help="Whose rows; default without it.")]
PROFILE_HELP = "ollama, llamacpp, vllm, lmstudio, openrouter, azure, or your own."
EXAMPLES = """Examples:

\b
  autocraft run --goal "craft 1 stone_pickaxe"
  autocraft run --example TEST0018 --continuous --max-steps 30
  autocraft run --resume last

Exit codes: 0 goal reached, 1 error, 2 usage, 3 limit or stuck, 4 stopped by you, 5 proven impossible, 130 interrupted
by Ctrl-C."""


@app.callback(invoke_without_command=True)
def _root(version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False) -> None:
    if version:
        print(f"autocraft {__version__}")
        raise typer.Exit


@app.command(epilog=EXAMPLES)
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


@app.command()
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
    from autocraft.clean import clean
    from autocraft.console.pages import print_page

    flags = {"inventory": inventory, "example": example, "ai_name": ai_name, "ai_role": ai_role, "state_dir": state_dir}
    messages, told = _preview(goal or [], flags, profile)
    for message in messages:
        print_page(f"--- {message.role}\n{clean(message.content)}\n")
    print(f"--- about {told.first} tokens (estimated from the bytes)")


def _preview(goals: list[str], flags: Mapping[str, object], profile: str) -> Any:
    import asyncio

    from autocraft.assemble import Request, preview

    return asyncio.run(preview(Request(goals, flags, profile=profile)))


def _plan_only(goals: list[str], flags: Mapping[str, object], resume: str, profile: str, as_json: bool) -> int:
    import asyncio

    from autocraft.assemble import Request, plan_only
    from autocraft.console.foreseen import foreseen_lines
    from autocraft.console.pages import print_page

    if resume:
        raise UsageError("--plan-only belongs to a new run: leave --resume out")
    found = asyncio.run(plan_only(Request(goals, flags, profile=profile)))
    (print if as_json else print_page)("\n".join(foreseen_lines(found, as_json=as_json)))
    return 0


def _ask_goal(as_json: bool) -> list[str]:
    if as_json or sys.stdin is None or not sys.stdin.isatty():
        return []
    try:
        return [input("Goal: ")]
    except EOFError:
        print()
        return []


def _run(goals: list[str], flags: dict[str, object], resume: str, profile: str, as_json: bool) -> int:
    import asyncio
    import gc

    gc.disable()  # what is imported now stays: collecting among it only delays the first question
    from autocraft.assemble import Request, open_run

    async def go() -> int:
        run = open_run(Request(goals, flags, resume, profile, as_json))
        gc.freeze()
        gc.enable()
        return int((await run.go())["exit"])

    return asyncio.run(go())


@sessions.command("list")
def list_sessions(state_dir: StateDir = None) -> None:
    """All kept runs, the newest last."""
    from autocraft.clean import clean_line
    from autocraft.console.pages import print_page
    from autocraft.console.report import summary
    from autocraft.journal import read_events
    from autocraft.session import list_ids

    root = _root_folder(state_dir)
    for id in list_ids(root):
        try:
            events, _ = read_events(root / "sessions" / id)
        except SessionError as error:
            print_page(clean_line(f"{id}  damaged: {error}"))
            continue
        if events:
            told = summary(events)
            print_page(f"{id}  {told['begun']}  {told['turns']:>4} turns  {told['ended']:<13} {told['goals']}")


@sessions.command("show")
def show_session(
    id: Annotated[str, typer.Argument(help="A session's id, or last.")] = "last", state_dir: StateDir = None
) -> None:
    """One line for every step of a run."""
    from autocraft.console.pages import print_page
    from autocraft.console.report import history
    from autocraft.journal import read_events
    from autocraft.session import find

    folder = find(_root_folder(state_dir), id)
    print_page(f"Session {folder.name} in {folder}\n{history(read_events(folder)[0])}")


@sessions.command("undo")
def undo_session(
    id: Annotated[str, typer.Argument(help="A session's id, or last.")] = "last", state_dir: StateDir = None
) -> None:
    """Take back the last change that a run made to the world or a file."""
    import asyncio

    from autocraft.assemble import Request, open_run

    async def go() -> int:
        run = open_run(Request(resume=id, flags={"state_dir": state_dir, "brain": "planner"}))
        return await run.undo()

    raise typer.Exit(asyncio.run(go()))


@memories.command("stats")
def memory_stats(
    memory: Backend = None,
    namespace: Space = None,
    state_dir: StateDir = None,
    json: Annotated[bool, typer.Option("--json", help="One line of JSON.")] = False,
) -> None:
    """How much is remembered, where, and how it is searched."""
    from autocraft.console.remembering import stats

    with _memory(memory, namespace, state_dir) as opened:
        raise typer.Exit(stats(opened, json))


@memories.command("search")
def memory_search(
    text: Annotated[str, typer.Argument(help="What to look for.")],
    k: Annotated[int, typer.Option("-k", help="Most rows.")] = 5,
    exact: Annotated[bool, typer.Option("--exact", help="Compare every row.")] = False,
    memory: Backend = None,
    namespace: Space = None,
    state_dir: StateDir = None,
) -> None:
    """The rows that are nearest to a text."""
    from autocraft.console.remembering import search

    with _memory(memory, namespace, state_dir) as opened:
        raise typer.Exit(search(opened, text, k, exact))


@memories.command("show")
def memory_show(
    id: Annotated[str, typer.Argument(help="The row to show whole.")] = "",
    last: Annotated[int, typer.Option(help="Without an id: so many rows.")] = 20,
    memory: Backend = None,
    namespace: Space = None,
    state_dir: StateDir = None,
) -> None:
    """One row whole, or a line for each of the newest."""
    from autocraft.console.remembering import show

    with _memory(memory, namespace, state_dir) as opened:
        raise typer.Exit(show(opened, id, last))


@memories.command("forget")
def memory_forget(
    ids: Annotated[list[str], typer.Argument(help="The rows to delete.")],
    memory: Backend = None,
    namespace: Space = None,
    state_dir: StateDir = None,
) -> None:
    """Delete single rows."""
    from autocraft.console.remembering import forget

    with _memory(memory, namespace, state_dir) as opened:
        raise typer.Exit(forget(opened, ids))


@memories.command("clear")
def memory_clear(
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    memory: Backend = None,
    namespace: Space = None,
    state_dir: StateDir = None,
) -> None:
    """Delete every row of a namespace."""
    from autocraft.console.remembering import clear

    with _memory(memory, namespace, state_dir) as opened:
        raise typer.Exit(clear(opened, yes))


@memories.command("export")
def memory_export(
    file: Annotated[Path | None, typer.Argument(help="Standard output without it.")] = None,
    memory: Backend = None,
    namespace: Space = None,
    state_dir: StateDir = None,
) -> None:
    """All rows as lines of JSON."""
    from autocraft.console.remembering import export

    with _memory(memory, namespace, state_dir) as opened:
        raise typer.Exit(export(opened, file))


@memories.command("import")
def memory_import(
    file: Annotated[Path | None, typer.Argument(help="Standard input without it.")] = None,
    memory: Backend = None,
    namespace: Space = None,
    state_dir: StateDir = None,
) -> None:
    """Add the rows of an export; what is there already stays."""
    from autocraft.console.remembering import bring_in

    with _memory(memory, namespace, state_dir) as opened:
        raise typer.Exit(bring_in(opened, file))


@memories.command("copy")
def memory_copy(
    to: Annotated[str, typer.Option("--to", help="Where to: local, pinecone or pgvector.")],
    to_namespace: Annotated[str | None, typer.Option(help="The namespace there; the same without it.")] = None,
    memory: Backend = None,
    namespace: Space = None,
    state_dir: StateDir = None,
) -> None:
    """Add all rows to another memory."""
    from autocraft.console.remembering import copy

    with (
        _memory(memory, namespace, state_dir) as source,
        _memory(to, to_namespace or namespace, state_dir) as target,
    ):
        raise typer.Exit(copy(source, target))


@memories.command("reembed")
def memory_reembed(memory: Backend = None, namespace: Space = None, state_dir: StateDir = None) -> None:
    """Make rows of another embedder searchable with the present one."""
    from autocraft.console.remembering import reembed

    with _memory(memory, namespace, state_dir) as opened:
        raise typer.Exit(reembed(opened))


def _memory(backend: str | None, namespace: str | None, state_dir: Path | None) -> Any:
    from contextlib import closing

    from autocraft.clean import clean_line
    from autocraft.parts import RunSettings, open_memory_of
    from autocraft.settings import Settings

    settings = Settings({"memory": backend, "namespace": namespace, "state_dir": state_dir}, os.environ)
    opened = open_memory_of(settings.fill(RunSettings, "run"), _root_folder(state_dir), durable=True, settings=settings)
    if opened.notice:
        print(f"autocraft: {clean_line(opened.notice)}", file=sys.stderr)
    return closing(opened)


@app.command()
def report(
    id: Annotated[str, typer.Argument(help="A session's id, or last.")] = "last", state_dir: StateDir = None
) -> None:
    """The whole story of a run as plain text."""
    from autocraft.console.pages import print_page
    from autocraft.console.report import report as story
    from autocraft.journal import read_events
    from autocraft.session import find

    folder = find(_root_folder(state_dir), id)
    print_page(story(read_events(folder)[0], folder.name))


@app.command()
def commands(
    json: Annotated[bool, typer.Option("--json", help="One command a line, for programs.")] = False,
    world: Annotated[
        str | None, typer.Option(help="The world whose commands are listed: crafting or minecraft.")
    ] = None,
    profile: Annotated[str, typer.Option(help=PROFILE_HELP)] = "",
) -> None:
    """List every command with its arguments and risk, and what is switched off by what."""
    from autocraft.assemble import every_command, read_settings
    from autocraft.console.listing import json_lines, rows_of, table

    rows = rows_of(every_command(read_settings({"world": world}, profile)))
    print("\n".join(json_lines(rows) if json else table(rows)))


@app.command()
def models(
    profile: Annotated[str, typer.Option(help=PROFILE_HELP)] = "",
) -> None:
    """List what the endpoint offers, with the prices that are known."""
    import asyncio

    from autocraft.assemble import read_settings
    from autocraft.brains.call import list_models
    from autocraft.brains.endpoint import OpenAISettings
    from autocraft.clean import clean_line
    from autocraft.console.pages import print_page
    from autocraft.usage import price_of

    endpoint = read_settings({}, profile).fill(OpenAISettings, "openai")
    if not endpoint.usable:
        raise UsageError("no endpoint to ask: set OPENAI_API_KEY or OPENAI_BASE_URL, or name one with --profile")
    for name, owner in asyncio.run(list_models(endpoint)):
        price = price_of(name, local=endpoint.local)
        cost = "" if price is None else f"  ${price.prompt:g} in, ${price.completion:g} out for a million tokens"
        print_page(f"{clean_line(name):<40} {clean_line(owner):<16}{cost}")


@app.command()
def plan(
    goal: Annotated[list[str] | None, typer.Argument(help="What to reach, such as 'craft 1 ladder'.")] = None,
    inventory: Annotated[str | None, typer.Option(help="What you start with.")] = None,
    example: Annotated[str | None, typer.Option(help="Start from a Plancraft example.")] = None,
    json: Annotated[bool, typer.Option("--json", help="The plan as one line of JSON, with its certificate.")] = False,
    verify: Annotated[Path | None, typer.Option(help="Check the plans in a file, which --json wrote.")] = None,
) -> None:
    """The fewest moves and smelts to a goal, with what proves them to be the fewest."""
    from autocraft.console.planning import show_plan, verify_plans

    raise typer.Exit(verify_plans(verify) if verify else show_plan(goal or [], inventory or "", example or "", json))


@app.command("eval")
def evaluate(
    split: Annotated[str, typer.Option(help="train, val, test, val.small, test.small, …")] = "test",
    brain: Annotated[str | None, typer.Option(help="planner or openai.")] = None,
    model: Annotated[str | None, typer.Option(help="The model that plays, where the brain is openai.")] = None,
    tools: Annotated[str, typer.Option(help="M(ove), S(melt), T(hink), SE(arch), I(mpossible).")] = "M,S,T,SE,I",
    high_level: Annotated[bool, typer.Option("--high-level", help="Offer craft_item and smelt_item too.")] = False,
    seeds: Annotated[int, typer.Option(help="How often each example is played.")] = 1,
    limit: Annotated[int | None, typer.Option(help="Play only so many examples, evenly spread.")] = None,
    max_steps: Annotated[int, typer.Option(help="Turns of an episode.")] = 30,
    workers: Annotated[int, typer.Option(help="Episodes at the same time.")] = 1,
    engine: Annotated[str, typer.Option(help="local, or ray for a cluster.")] = "local",
    protocol: Annotated[str, typer.Option(help="package: plancraft 0.4.9; paper: with its first rules.")] = "package",
    prompt: Annotated[str, typer.Option(help="paper: few-shot lines; own: the JSON commands of run.")] = "paper",
    search: Annotated[str, typer.Option(help="gold: exact names; similar: what is near.")] = "gold",
    feedback: Annotated[bool, typer.Option(help="Say what was illegal, what is missing, what was tried.")] = True,
    images: Annotated[bool, typer.Option("--images", help="Send a picture of the inventory window.")] = False,
    out: Annotated[Path | None, typer.Option(help="Folder of the results; evaluations/… by default.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the evaluation in --out.")] = False,
    price_in: Annotated[float | None, typer.Option(help="US dollars for a million tokens sent.")] = None,
    price_out: Annotated[float | None, typer.Option(help="US dollars for a million tokens received.")] = None,
    profile: Annotated[str, typer.Option(help=PROFILE_HELP)] = "",
    state_dir: StateDir = None,
    json: Annotated[bool, typer.Option("--json", help="One line an episode; the last line is the summary.")] = False,
) -> None:
    """Play Plancraft's examples and score them beside the paper's models."""
    from autocraft.assemble import open_player
    from autocraft.console.evaluating import evaluate as run_all
    from autocraft.evaluation.evaluator import Evaluator

    flags = {"brain": brain, "smart_model": model, "price_in": price_in, "price_out": price_out, "state_dir": state_dir}
    evaluator = Evaluator(
        split=split, tools=tools, high_level=high_level, seeds=seeds, limit=limit, max_steps=max_steps, out=out,
        workers=workers, engine=engine, protocol=protocol, prompt=prompt, search=search, feedback=feedback,
        images=images, resume=resume,
    )  # fmt: skip
    raise typer.Exit(run_all(evaluator, open_player(flags, profile), as_json=json))


@app.command("practice-server")
def practice_server(
    port: Annotated[int, typer.Option(help="Port on 127.0.0.1; 0 takes a free one.")] = 25565,
    seed: Annotated[int, typer.Option(help="Seed of the world.")] = 1,
    speed: Annotated[float, typer.Option(help="How many times faster than Minecraft it runs.")] = 1.0,
    folder: Annotated[Path | None, typer.Option(help="Where the world is kept; nowhere without it.")] = None,
    mobs: Annotated[bool, typer.Option("--mobs/--no-mobs", help="Let animals and monsters appear.")] = True,
    cheats: Annotated[bool, typer.Option("--cheats", help="Allow server commands such as /give.")] = False,
    state_dir: StateDir = None,
) -> None:
    """Run the practice server alone, for your own client or bots, until Ctrl-C."""
    import asyncio

    from autocraft.worlds.minecraft.practice import serve

    log = _root_folder(state_dir) / "practice-server.log"
    options = {"port": port, "seed": seed, "speed": speed, "mobs": mobs, "cheats": cheats, "freeze": False, "view": 0}
    raise typer.Exit(asyncio.run(serve(options | {"folder": str(folder.absolute()) if folder else ""}, log)))


@app.command("fix-json")
def fix_json(
    file: Annotated[Path | None, typer.Argument(help="A model's answer; standard input without it.")] = None,
    jsonl: Annotated[bool, typer.Option("--jsonl", help='{"id","text"} a line in, one reading a line out.')] = False,
) -> None:
    """Read the command in a broken answer; print it, the stage and what was mended."""
    from autocraft.console.fixing import fix_lines, fix_one

    try:
        data = file.read_bytes() if file else sys.stdin.buffer.read()
    except OSError as error:
        raise UsageError(f"cannot read {file}: {error.strerror}") from None
    text = data.decode("utf-8", "replace")
    raise typer.Exit(fix_lines(text) if jsonl else fix_one(text, colour=sys.stdout.isatty()))


# ---------------------------------------------------------------- skills


@skills.callback()
def _skills(
    context: typer.Context,
    skills_dir: Annotated[Path | None, typer.Option(help="Folder of the library.")] = None,
    state_dir: StateDir = None,
) -> None:
    from autocraft.parts import open_skills
    from autocraft.session import SessionSettings
    from autocraft.settings import Settings
    from autocraft.skills import SkillSettings

    settings = Settings({"state_dir": state_dir, "skills_dir": skills_dir}, os.environ)
    context.obj = open_skills(settings.fill(SkillSettings, "skills"), settings.fill(SessionSettings, "session").root)


@skills.command("list")
def list_skills(
    context: typer.Context,
    quarantine: Annotated[bool, typer.Option("--quarantine", help="Only those that wait for you.")] = False,
    trash: Annotated[bool, typer.Option("--trash", help="What was deleted.")] = False,
) -> None:
    """All skills, one line each."""
    from autocraft.console import skills as work

    raise typer.Exit(work.list_skills(context.obj, trash=trash, held=quarantine))


@skills.command("show")
def show_skill(
    context: typer.Context, name: str, version: Annotated[int, typer.Option(help="Not the current one.")] = 0
) -> None:
    """A skill with its program, and what that would call."""
    from autocraft.console import skills as work

    raise typer.Exit(work.show_skill(context.obj, name, version))


@skills.command("search")
def search_skills(context: typer.Context, query: list[str]) -> None:
    """The five skills nearest to a question."""
    from autocraft.console import skills as work

    raise typer.Exit(work.search_skills(context.obj, " ".join(query)))


@skills.command("history")
def show_history(context: typer.Context, name: str) -> None:
    """All versions of a skill: who wrote and approved them, for what."""
    from autocraft.console import skills as work

    raise typer.Exit(work.show_history(context.obj, name))


@skills.command("diff")
def show_diff(
    context: typer.Context,
    name: str,
    old: Annotated[int, typer.Argument(help="The one before NEW by default.")] = 0,
    new: Annotated[int, typer.Argument(help="The current one by default.")] = 0,
) -> None:
    """What changed between two versions of a skill."""
    from autocraft.console import skills as work

    raise typer.Exit(work.show_diff(context.obj, name, old, new))


@skills.command("restore")
def restore_skill(
    context: typer.Context, name: str, version: Annotated[int, typer.Option(help="Go back to this version.")] = 0
) -> None:
    """Bring a deleted skill back, or make an older version current."""
    from autocraft.console import skills as work

    raise typer.Exit(work.restore_skill(context.obj, name, version))


@skills.command("delete")
def delete_skill(context: typer.Context, name: str) -> None:
    """Put a skill into the trash."""
    from autocraft.console import skills as work

    raise typer.Exit(work.delete_skill(context.obj, name))


@skills.command("approve")
def approve_skills(context: typer.Context, names: list[str]) -> None:
    """Let the model see and use skills that wait for you."""
    from autocraft.console import skills as work

    raise typer.Exit(work.approve_skills(context.obj, names))


@skills.command("import")
def import_skills(context: typer.Context, folder: Path) -> None:
    """Read a Voyager library or any folder of .js files, into quarantine; nothing is run."""
    from autocraft.console import skills as work

    raise typer.Exit(work.import_skills(context.obj, folder))


@skills.command("export")
def export_skills(
    context: typer.Context,
    folder: Path,
    names: Annotated[list[str] | None, typer.Argument(help="All but the held ones by default.")] = None,
    voyager: Annotated[bool, typer.Option("--voyager", help="As Voyager keeps them: current versions only.")] = False,
) -> None:
    """Write skills into a new folder, to be shared."""
    from autocraft.console import skills as work

    raise typer.Exit(work.export_skills(context.obj, folder, names or [], voyager=voyager))


@skills.command("stats")
def show_stats(context: typer.Context) -> None:
    """How many there are, what is used, which call each other in a circle."""
    from autocraft.console import skills as work

    raise typer.Exit(work.show_stats(context.obj))


def _root_folder(state_dir: Path | None) -> Path:
    from autocraft.session import SessionSettings
    from autocraft.settings import Settings

    return Settings({"state_dir": state_dir}, os.environ).fill(SessionSettings, "session").root


def _pages() -> Any:
    """What prints errors; imported for the first of them."""
    from autocraft.console import pages

    return pages


def main() -> None:
    """The console script: an error of ours is one line and its exit code, never a traceback."""
    if os.name == "nt":
        from colorama import just_fix_windows_console

        just_fix_windows_console()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        app()
    except AutocraftError as error:
        _pages().print_error(str(error))
        raise SystemExit(error.exit_code) from None
    except KeyboardInterrupt:
        print(file=sys.stderr)
        raise SystemExit(130) from None
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        raise SystemExit(1) from None
    except OSError as error:
        _pages().print_error(f"{error.strerror or error}: {error.filename or 'the disk or a stream'}")
        raise SystemExit(1) from None
    except Exception:
        _pages().print_fault()
        raise SystemExit(1) from None
