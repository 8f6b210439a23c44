"""`autocraft plan`: the fewest slot actions to a goal, and the check of plans that were written down."""

from __future__ import annotations

import json
import shutil
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from autocraft.cli.options import Flags, goals_of, new_app, with_settings
from autocraft.console.read import write_out
from autocraft.crafting.examples import load_example
from autocraft.crafting.inventory import parse_inventory, starting_table
from autocraft.crafting.slots import key_of
from autocraft.errors import UsageError
from autocraft.goals import Goal
from autocraft.goals.faults import fault_of
from autocraft.goals.wording import OTHER_WORLD
from autocraft.text.sanitize import clean_line

_WIDTH = 1000
"""Columns where the output is no terminal: a line is not broken there."""

app = new_app()


@app.command()
@with_settings("run.inventory", "run.example")
def plan(
    flags: Flags,
    goal: Annotated[list[str] | None, typer.Argument(help="What to reach, such as 'craft 1 ladder'.")] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="The plan as one line of JSON, with its certificate.")
    ] = False,
    verify: Annotated[Path | None, typer.Option(help="Check the plans in a file, which --json wrote.")] = None,
) -> int:
    """Plan the fewest moves and smelts to a goal, with what proves them to be the fewest.

    Exit codes: 0 found, 1 a wrong plan in --verify, 2 usage, 3 not found within the limit, 5 proven impossible.
    """
    if verify:
        from autocraft.crafting.verify.files import verify_file

        plans = verify_file(verify)
        for number, each in enumerate(plans, 1):
            write_out(f"{each.name or number}: {each.verdict}: {clean_line(each.why)}\n")
        return 1 if any(each.verdict == "wrong" for each in plans) else 0
    return show_plan(goals_of(goal), flags["inventory"] or "", flags["example"] or "", as_json)


def show_plan(goals: Sequence[str], inventory: str, example: str, as_json: bool) -> int:
    """Print the recipe tree and the numbered actions, or one line of JSON.

    Returns 0 for found, 5 for proven impossible, 3 for not found within the limit.
    """
    from autocraft.crafting.describe import amounts
    from autocraft.crafting.kinds import NO_CHOICE, single_items
    from autocraft.crafting.minimal.planner import MinimalPlan, minimal_plan
    from autocraft.crafting.minimal.plans import plan_record
    from autocraft.crafting.minimal.tree import tree_lines
    from autocraft.crafting.planner import want

    if example and inventory:
        raise UsageError("--example brings its own inventory: give either --example or --inventory")
    entry = load_example(example) if example else None
    table = entry.table() if entry else parse_inventory(inventory) if inventory else starting_table()
    targets: Sequence[Goal] = [Goal.parse(text, table.book.items) for text in goals] or ([entry.goal] if entry else [])
    if not targets:
        raise UsageError('no goal: say what to plan, such as autocraft plan "craft 1 ladder" --inventory bamboo=14')
    for goal in targets:
        if not goal.checkable:
            why, hint = fault_of(clean_line(goal.text), table.book.items)
            raise UsageError(f"{why}: {hint.removeprefix(OTHER_WORLD)}say it like 'craft 2 stick'")
    singles = single_items(table, targets)
    plan = MinimalPlan("not found", why=NO_CHOICE) if singles is None else minimal_plan(table, singles)
    chosen = targets if singles is None else singles
    if as_json:
        write_out(json.dumps(plan_record(table, chosen, plan, example), separators=(",", ":")) + "\n")
    else:
        why = f"{plan.verdict}: {plan.why}"
        if plan.actions:
            why += "" if chosen is targets else f" for {amounts(want(chosen))}"
            write_out("\n".join(tree_lines(table, plan.actions, want(chosen))) + "\n\n")
        for number, act in enumerate(plan.actions, 1):
            source, target = key_of(act.source), key_of(act.target)
            write_out(f"{number:>3}. {act.kind} from [{source}] to [{target}] with quantity {act.quantity}\n")
        width = max(shutil.get_terminal_size((_WIDTH, 0)).columns, 40)
        write_out("\n".join(textwrap.wrap(why, width, subsequent_indent="  ")) + "\n")
    return {"found": 0, "impossible": 5, "not found": 3}[plan.verdict]
