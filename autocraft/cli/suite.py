"""What `autocraft eval --suite` prints: one line while it runs, and the groups beside published rows at its end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from autocraft.evaluation.suites.rows import SuiteResult
from autocraft.protocols import Json
from autocraft.text.phrases import beginning, count
from autocraft.text.sanitize import clean_line

_WIDTH = 10
_HEAD = ("tasks", "reached", "success", "commands", "minutes", "deaths", "damage")


def suite_lines(summary: Json) -> list[str]:
    """Return the lines of a summary."""
    conditions = summary["conditions"]
    who = f"{conditions['brain']} {conditions['model']}".strip()
    seeds = count(conditions["seeds"], "seed")
    lines = [f"{clean_line(who)} on {summary['title']}, {seeds} from {conditions['first_seed']}", ""]
    groups = [*summary["groups"].items(), ("all", summary["all"])]
    wide = max(_WIDTH, *(len(group) + 2 for group, _ in groups))
    lines.append(f"{'group':{wide}}" + "".join(f"{name:>9}" for name in _HEAD))
    for group, row in groups:
        lines.append(f"{group:{wide}}" + "".join(f"{each:>9}" for each in _cells(row)))
    lines += ["", _more(summary), ""]
    if summary["published"]:
        lines += [*_paper_rows(summary), ""]
    if summary["unplayable"]:
        playable = conditions["tasks"]
        every = f"{playable} of {playable + len(summary['unplayable'])}"
        lines += [f"Runnable: {every} tasks. The others:", *map(": ".join, summary["unplayable"].items()), ""]
    return [*lines, summary["note"]]


def _cells(row: Json) -> list[str]:
    """Return the cells of one group: means of commands and game minutes, sums of deaths and damage."""
    figures = [row["success"], row["commands"], row["game_minutes"]]
    formats = (".2f", ".1f", ".1f")
    means = ["-" if each is None else format(each, how) for each, how in zip(figures, formats, strict=True)]
    return [str(row["n"]), str(row["reached"]), *means, str(row["deaths"]), str(row["damage"])]


def _more(summary: Json) -> str:
    every = summary["all"]
    spread = "" if every["spread"] is None else f"±{every['spread']:.2f} over the seeds, "
    cost = "an unknown price" if every["cost"] is None else f"${every['cost']:.2f}"
    void = f", {count(summary['void'], 'task')} void" if summary["void"] else ""
    help = f", {count(every['assisted'], 'task')} assisted by server commands" if every["assisted"] else ""
    if every["given"]:
        help += f", {count(every['given'], 'time')} a bot gave something to another one"
    if every["score"] is not None:
        help += f", edit distance score of the buildings {every['score']:.3f}"
    time = "an unknown time" if summary["seconds"] is None else f"{summary['seconds'] / 60:.1f} minutes"
    return f"{spread}{count(every['tokens'], 'token')} for {cost}, {time}{void}{help}"


def _paper_rows(summary: Json) -> list[str]:
    groups: Sequence[str] = list(summary["groups"])
    rows: Mapping[str, Json] = summary["published"]
    ours = {group: row["success"] for group, row in summary["groups"].items()}
    lines = [f"{'success':{_WIDTH}}" + "".join(f"{group:>9}" for group in groups)]
    for name, rates in [("autocraft", ours), *rows.items()]:
        cells = [rates.get(group) for group in groups]
        lines.append(
            f"{name:{_WIDTH}}" + "".join(f"{'-' if each is None else format(each, '.2f'):>9}" for each in cells)
        )
    return lines


def progress_words(result: SuiteResult, number: int, total: int) -> str:
    """Return one line about the task that has just ended."""
    end = "reached" if result.success else result.reason or "killed"
    about = f"{result.goal}, seed {result.seed}: {end}"
    cost = f"{count(result.commands, 'command')}, {result.game_minutes:.1f} of {result.limit:g} game minutes"
    why = "" if result.success else f": {beginning(clean_line(result.why), 120)}"
    return f"{number}/{total}  {about}, {cost}{why}"
