"""Asks a person at a terminal: for a run, as Auto-GPT did (name and role of the agent, up to five goals); for a yes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from autocraft.console.attended import is_attended
from autocraft.console.pages import print_error, print_page
from autocraft.errors import SessionError, UsageError
from autocraft.text.sanitize import clean_line

EXAMPLES = """What is the goal? For example:

  craft 1 stone_pickaxe
  get 4 torch and 1 ladder

Type demo to see the bot play Minecraft in your browser.
"""
DEMO = "demo"
"""The answer, in place of a goal, that starts the demo."""
DEMO_GOAL = "craft 1 stone_pickaxe"
MOST_GOALS = 5
AskLine = Callable[[str], str | None]
"""Asks one question. Returns the line, or None at the end of input."""
Check = Callable[[str], None]
"""Raises UsageError for a goal that the run could not pursue."""


@dataclass(frozen=True)
class Wish:
    """What a person wants of a run. An empty name or role stands for the one of the settings."""

    goals: tuple[str, ...] = ()
    name: str = ""
    role: str = ""


def ask_wish(ask: AskLine, last: Wish | None, check: Check) -> Wish:
    """Ask for name, role and goals, or whether the settings of the last run are wanted again.

    The end of input ends the questions. What was answered until then counts.
    """
    if last is not None and last.goals:
        about = [("name", last.name), ("role", last.role), *(("goal", goal) for goal in last.goals)]
        lines = [f"  {what}: {clean_line(text)[:200]}" for what, text in about if text]
        print("\n".join(["The last run:", *lines]))
        if (ask("Continue with these settings? y or n") or "").strip().lower() in ("y", "yes"):
            return last
    print("Press Enter to keep the name and the role.")
    name = ask("Name of the agent")
    role = None if name is None else ask("Role of the agent")
    goals: list[str] = []
    if role is not None:
        print(EXAMPLES)
        while len(goals) < MOST_GOALS:
            first = f"Goal 1 (at most {MOST_GOALS})"
            goal = ask_goal(f"Goal {len(goals) + 1}, or Enter to begin" if goals else first, ask, check)
            if not (goal or "").strip():
                break
            if goal == DEMO:
                return Wish((DEMO,))
            goals.append(goal or "")
    return Wish(tuple(goals), (name or "").strip(), (role or "").strip())


def ask_goal(question: str, ask: AskLine, check: Check) -> str | None:
    """Ask for a goal, again while it cannot be pursued. Return DEMO for that word, None at the end of input."""
    while (goal := ask(question)) is not None and goal.strip():
        if goal.strip().lower() == DEMO:
            return DEMO
        try:
            check(goal)
            break
        except UsageError as error:
            print_error(str(error))
    return goal


def may_delete(what: str, names: Sequence[str] = ()) -> bool:
    """Show the `names`, and ask whether to delete this for good. Raises UsageError if nobody can answer."""
    from autocraft.console.typed import ask_line

    if not is_attended():
        raise UsageError(f"{what} would be deleted: give --yes, or export them first")
    if names:
        print_page("\n".join(f"  {name}" for name in names))
    if (ask_line(f"Delete {what} for good? Type yes") or "").strip() == "yes":
        return True
    print_page("Nothing was deleted.")
    return False


def last_wish(root: Path) -> Wish | None:
    """Return the goals, the name and the role of the newest readable run. Return None if there is none."""
    from autocraft.session.folder import list_ids
    from autocraft.session.reading import Events

    for id in reversed(list_ids(root)):
        try:
            first = Events(root / "sessions" / id).first()
        except SessionError:
            continue
        if first is not None and first.goals and first.mode == "run":
            options = first.options or {}
            goals = tuple(goal.text for goal in first.goals)[:MOST_GOALS]
            return Wish(goals, str(options.get("ai_name") or ""), str(options.get("ai_role") or ""))
    return None
