"""What needs no run: lists of commands and models, plans, evaluations, the practice server, broken answers."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from autocraft.cli.options import PROFILE_HELP, StateDir, root_folder
from autocraft.errors import UsageError


def commands(
    json: Annotated[bool, typer.Option("--json", help="One command a line, for programs.")] = False,
    world: Annotated[
        str | None, typer.Option(help="The world whose commands are listed: crafting or minecraft.")
    ] = None,
    profile: Annotated[str, typer.Option(help=PROFILE_HELP)] = "",
) -> None:
    """List every command with its arguments and risk, and what is switched off by what."""
    from autocraft.app import every_command
    from autocraft.console.listing import json_lines, rows_of, table
    from autocraft.sections import read_settings

    rows = rows_of(every_command(read_settings({"world": world}, profile)))
    print("\n".join(json_lines(rows) if json else table(rows)))


def models(
    profile: Annotated[str, typer.Option(help=PROFILE_HELP)] = "",
) -> None:
    """List what the endpoint offers, with the prices that are known."""
    import asyncio

    from autocraft.brains.call import list_models
    from autocraft.brains.endpoint import OpenAISettings
    from autocraft.console.pages import print_page
    from autocraft.sections import read_settings
    from autocraft.text.sanitize import clean_line
    from autocraft.usage import price_of

    settings = read_settings({}, profile)
    endpoint = settings.fill(OpenAISettings, "openai")
    if not endpoint.usable:
        raise UsageError("no endpoint to ask: set OPENAI_API_KEY or OPENAI_BASE_URL, or name one with --profile")
    print(clean_line(settings.own_mask.text(f"Models at {endpoint.address}")), file=sys.stderr)
    for name, owner in asyncio.run(list_models(endpoint)):
        price = price_of(name, local=endpoint.local)
        cost = "" if price is None else f"  ${price.prompt:g} in, ${price.completion:g} out for a million tokens"
        print_page(f"{clean_line(name):<40} {clean_line(owner):<16}{cost}")


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
    from autocraft.app import open_player
    from autocraft.console.evaluating import evaluate as run_all
    from autocraft.evaluation.evaluator import Evaluator
    from autocraft.text.sanitize import clean_line

    flags = {"brain": brain, "smart_model": model, "price_in": price_in, "price_out": price_out, "state_dir": state_dir}
    evaluator = Evaluator(
        split=split, tools=tools, high_level=high_level, seeds=seeds, limit=limit, max_steps=max_steps, out=out,
        workers=workers, engine=engine, protocol=protocol, prompt=prompt, search=search, feedback=feedback,
        images=images, resume=resume,
    )  # fmt: skip
    player = open_player(flags, profile)
    if player.address:
        line = f"Brain: {player.name} ({player.model or 'first model offered'} at {player.address})"
        print(clean_line(player.mask.text(line)), file=sys.stderr)
    raise typer.Exit(run_all(evaluator, player, as_json=json))


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

    log = root_folder(state_dir) / "practice-server.log"
    options = {"port": port, "seed": seed, "speed": speed, "mobs": mobs, "cheats": cheats, "freeze": False, "view": 0}
    raise typer.Exit(asyncio.run(serve(options | {"folder": str(folder.absolute()) if folder else ""}, log)))


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
