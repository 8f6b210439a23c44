"""Makes the few-shot prompt of the line protocol: the task and an example of some turns, as in the paper.

The example is played on a real table, so its observations are true.
"""

from __future__ import annotations

import random
import re
from collections import deque
from collections.abc import Callable, Sequence

from autocraft.crafting import execute
from autocraft.crafting.recipes import load_book
from autocraft.crafting.slots import index_of, name_of
from autocraft.crafting.table import CraftingTable
from autocraft.errors import CommandError, UsageError
from autocraft.evaluation.lines import FORMATS, read_line
from autocraft.evaluation.search import gold_recipe
from autocraft.protocols import Answer, Message
from autocraft.text.prompts import Data, Prompt, render

_WRITTEN = re.compile(r"`([^`]+)`")
THOUGHT = "Ok"
"""The reply to a thought."""


def observation_text(target: str, table: CraftingTable) -> str:
    """Return the task and every filled slot by number, [0] too, in the package's words."""
    lines = [f" - {item} {name_of(slot)} quantity {count}" for slot, (item, count) in table.stacks()]
    return "\n".join([f"Craft an item of type: {target}", "inventory:", *lines])


def opening(
    tools: Sequence[str],
    *,
    search: Callable[[str, CraftingTable], str] | None = None,
    observe: Callable[[str, CraftingTable], str] = observation_text,
    advice: bool = False,
) -> list[Message]:
    """Return the system prompt, then user and assistant in turn, ending with an answer of the assistant.

    `tools` are the names of the allowed actions. `search` answers a search, by default with the gold recipe and a fixed
    seed. `observe` words an observation. With `advice`, its last line in backticks is followed, after one error.
    Raises UsageError for an unknown tool.
    """
    if unknown := [tool for tool in tools if tool not in FORMATS]:
        raise UsageError(f"there is no tool {unknown[0][:60]!r}: choose among {', '.join(FORMATS)}")
    names = list(dict.fromkeys(tools))
    rng = random.Random(0)
    find = search or (lambda name, _: gold_recipe(load_book(), name, rng))
    messages = [
        Message(
            "system",
            render("plancraft_system.j2", tools=names, formats={name: Prompt(form) for name, form in FORMATS.items()}),
        )
    ]
    target, table, reply = "", CraftingTable(), ""
    lines = deque(render("plancraft_advice.j2" if advice else "plancraft_example.j2", tools=names).splitlines())
    while lines:
        line = lines.popleft()
        if line.startswith("task "):
            target, table = _task(line)
            reply = observe(target, table)
            continue
        if line == "follow":
            written = _WRITTEN.findall(reply)
            if not written or table.counts().get(target):
                continue
            line = written[-1]
            lines.appendleft("follow")
        messages += [Message("user", Prompt(reply)), Message("assistant", Prompt(line))]
        action = read_line(Answer(line), names)
        if action.name == "think":
            reply = THOUGHT
        elif action.name == "search":
            reply = find(action.args["recipe"], table)
        elif action.name == "impossible":
            reply = ""
        else:
            reply = ""
            try:
                table = execute.carry_out(table, action.name, action.args).table
            except CommandError as error:
                reply = Data("error", str(error)) + "\n"
            reply += observe(target, table)
    return messages


def _task(line: str) -> tuple[str, CraftingTable]:
    """Read "task ITEM: SLOT ITEM COUNT, …"."""
    target, _, stacks_text = line.removeprefix("task ").partition(":")
    stacks = [part.split() for part in stacks_text.split(",")]
    return target, CraftingTable({index_of(slot): (item, int(count)) for slot, item, count in stacks})
