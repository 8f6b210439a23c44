"""The story of a session as Markdown, for an issue or a wiki."""

from __future__ import annotations

import re
from collections.abc import Iterator

from autocraft.console.report import BY
from autocraft.page.tables import duration
from autocraft.page.tidy import line
from autocraft.report.page import approvals, call_words, cut, figures, outcome_words
from autocraft.report.story import Step, Story

_MARKS = re.compile(r"([\\`*_{}\[\]#|<>~&$])")
_LONGEST = 4_000


def markdown_text(story: Story, session: str) -> str:
    """Return the whole session as Markdown. Untrusted text stands escaped or in fences that it cannot end."""
    word, why = outcome_words(story)
    lines = [f"# Session {_plain(session)}", "", *(f"**{_plain(goal)}**" for goal in story.goals), ""]
    lines += [f"Outcome: **{_plain(word)}**. {_plain(why)}", "", "| figure | value |", "|---|---|"]
    lines += [f"| {name} | {_plain(value)} |" for name, value in figures(story)]
    if story.approvals:
        lines += ["", "| decision | by | times |", "|---|---|---|"]
        lines += [f"| {' | '.join(map(_plain, row))} |" for row in approvals(story)]
    if story.stages:
        lines += ["", "| stage of the reader | answers |", "|---|---|"]
        lines += [f"| {_plain(stage)} | {often} |" for stage, often in story.stages.items()]
    lines += ["", "## Timeline"]
    for step in story.steps:
        lines += ["", *_step(step, story.start)]
    return "\n".join(lines) + "\n"


def _step(step: Step, start: float) -> Iterator[str]:
    if step.kind != "turn":
        yield f"- *{step.kind}*: {_plain(step.text)} ({duration(step.time - start)})"
        return
    whose = "" if step.agent == "main" else f" of {_plain(step.agent)}"
    yield f"### Turn {step.turn}{whose}"
    yield ""
    for name, thought in step.thoughts:
        yield f"- {_plain(name)}: {_plain(thought)}"
    if step.error:
        yield f"- no command: {_plain(step.error)}"
        yield from _fence(step.text)
    for each in step.decisions:
        words = f": {_plain(each.feedback or each.why)}" if each.feedback or each.why else ""
        yield f"- {each.kind} {_plain(BY.get(each.by) or each.by)}{words}"
    for effect in step.effects:
        yield f"- {_plain(call_words(effect.command, effect.args))}: {'done' if effect.ok else '**failed**'}"
        yield from _fence(effect.text)


def _plain(value: object) -> str:
    """Return text on one line in which nothing is Markdown."""
    return _MARKS.sub(r"\\\1", line(value, _LONGEST))


def _fence(value: str) -> Iterator[str]:
    """Yield text between fences that are longer than any in it."""
    words = cut(value)
    longest = max((len(run) for run in re.findall("`+", words)), default=0)
    fence = "`" * max(3, longest + 1)
    yield from ("", fence, words, fence, "")
