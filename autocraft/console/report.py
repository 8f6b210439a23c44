"""A session as plain text: a line for each step for `/history`, and the whole run for `autocraft report`."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Iterable
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from autocraft.json_fix.reply import wrong_with
from autocraft.protocols import Json
from autocraft.session.events import (
    Aim,
    Answer,
    Decision,
    End,
    Event,
    Feedback,
    Goals,
    Intent,
    InvalidReply,
    Line,
    Reply,
    Result,
)
from autocraft.session.reading import Events
from autocraft.text.sanitize import clean, clean_line

INDENT = "    "
KINDS = {"run": "RUN", "refuse": "REFUSED", "stop": "STOPPED"}
BY = {
    "person": "by you",
    "web": "by you, on the page",
    "budget": "by you, with y -N",
    "allowed": "by you, with a (always)",
    "continuous": "in continuous mode",
    "auto-look": "without a question, since it only reads",
    "grant": "as part of the program that you approved",
    "policy": "by a rule of yours",
    "question": "without a question, since the command itself asks you",
    "reply": "as the helper's reply",
    "feedback": "by you",
    "goal": "by your new goal",
    "undo": "by your /undo",
    "judge": "by a model, since words stood beside it in the answer",
    "nobody": "because nobody could be asked",
}
"""Who or what decided -> its words."""


class Summary(NamedTuple):
    """One session in a line."""

    start: str
    turns: int
    ended: str
    goals: str


def history(events: Iterable[Event]) -> str:
    """Return one line for every command, invalid answer and remark of the person."""
    lines = []
    intents: dict[int, Intent] = {}
    for event in events:
        turn = f"{event.turn:>4}  "
        match event:
            case Intent():
                intents[event.seq] = event
            case Result():
                intent = intents.pop(event.intent, None)
                command = _command(event.command, {}) if intent is None else _command(intent.command, intent.args)
                who = "" if event.actor == "main" else f"({clean_line(event.actor)}) "
                mark = "" if event.ok else "failed: "
                lines.append(f"{turn}{who}{command} -> {mark}{clean_line(event.text)[:160]}")
            case InvalidReply():
                lines.append(f"{turn}invalid answer: {clean_line(wrong_with(event.error, event.flags))[:160]}")
            case Decision() if event.feedback:
                what = f"{'allowed' if event.kind == 'run' else 'refused'} {clean_line(str(event.command))}"
                lines.append(f"{turn}{what}; feedback: {clean_line(event.feedback)}")
            case Feedback():
                lines.append(f"{turn}feedback: {clean_line(event.text)}")
    return "\n".join(lines)


def recent(folder: Path, most: int) -> str:
    """Return the history of the newest events. Older events are not read, however long the run is."""
    with closing(Events(folder).backward()) as events:
        newest = [event for event, _ in islice(events, most + 1)]
    more = f"(what came before: autocraft sessions show {folder.name})\n" if len(newest) > most else ""
    return more + history(reversed(newest[:most]))


def report(events: Iterable[Event], session: str) -> str:
    """Return the whole session, with thoughts, questions and the counts of its end."""
    lines: list[str] = []
    stages: Counter[str] = Counter()
    asked: dict[int, str] = {}
    questions: dict[str, bool] = {}
    answers: dict[str, Answer] = {}
    for event in events:
        if not lines:
            began = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(event.time))
            lines.append(f"Session {session}, begun {began}")
        lines += event_lines(event)
        if isinstance(event, Answer):
            answers[event.actor] = event
        if isinstance(event, InvalidReply) and (text := said_by(answers.get(event.actor))):
            lines.append(f"  THE MODEL SAID {_indent(text)}")
        _note_question(event, asked, questions)
        if isinstance(event, Reply | InvalidReply):
            stages[clean_line(event.stage) if isinstance(event, Reply) else "invalid"] += 1
    if not lines:
        return f"Session {session} ended before its goal was written."
    read = ", ".join(f"{count} {stage}" for stage, count in stages.items()) or "none"
    rest = [question for question, has_answer in questions.items() if not has_answer]
    waiting = ["", "OPEN QUESTIONS", *(f"  {_indent(question)}" for question in rest)] if rest else []
    return "\n".join([*lines, *waiting, "", f"How the answers were read: {read}"])


def said_by(answer: Answer | None) -> str:
    """Return what an answer said, of which no command could be read: its text, its refusal or its tool calls."""
    if answer is None:
        return ""
    calls = json.dumps(answer.tool_calls, ensure_ascii=False) if answer.tool_calls else ""
    return "\n".join(filter(str.strip, (answer.text, answer.refusal, calls)))


def _note_question(event: Event, asked: dict[int, str], questions: dict[str, bool]) -> None:
    """Fold an event into the questions to the person: intent -> question, and question -> whether it was answered."""
    match event:
        case Intent(command="ask_human"):
            question = asked[event.seq] = str(event.args.get("question", ""))
            if question.strip():
                questions.setdefault(question, False)
        case Result():
            question = asked.pop(event.intent, "")
            if event.answered:
                questions[question] = True


def summary(events: Iterable[Event]) -> Summary | None:
    """Return the line of a session for `sessions list`. Return None if the session never began."""
    start, turns, end, goals = "", 0, "unfinished", ""
    for event in events:
        start = start or time.strftime("%Y-%m-%d %H:%M", time.localtime(event.time))
        turns = max(turns, event.turn) if event.actor == "main" else turns
        match event:
            case Goals() | Aim():  # what a learning run is at
                goals = "; ".join(clean_line(goal.text) for goal in event.goals)
            case End():
                end = clean_line(event.reason)
            case Answer():
                end = "unfinished"
    return Summary(start, turns, end, goals) if start else None


def _command(name: str, args: Json) -> str:
    return f"{clean_line(name)} {clean_line(json.dumps(args, ensure_ascii=False))[:200]}"


def event_lines(event: Event) -> list[str]:
    """Return an event as the lines of a story, none where it tells nothing."""
    match event:
        case Goals():
            return ["", *(f"GOAL {clean_line(goal.shown)}" for goal in event.goals)]
        case Reply():
            thoughts = event.thoughts if isinstance(event.thoughts, dict) else {}
            lines = [f"  {clean_line(str(name))}: {_spoken(text)}" for name, text in thoughts.items() if text]
            how = "" if event.stage == "plain" else f"  (read by {clean_line(event.stage)})"
            action = f"  NEXT ACTION {_command(event.command, event.args)}"
            return ["", f"TURN {event.turn}{_whose(event)}{how}", *lines, action]
        case InvalidReply():
            why = wrong_with(event.error, event.flags)
            return ["", f"TURN {event.turn}{_whose(event)}", f"  INVALID ANSWER {_indent(why)}"]
        case Decision() if event.command:
            why = f": {_indent(event.feedback or event.why)}" if event.feedback or event.why else ""
            return [f"  {KINDS[event.kind]} {BY.get(event.by) or f'by {clean_line(event.by)}'}{why}"]
        case Result():
            word = "RESULT" if event.ok else "ERROR"
            who = "" if event.actor == "main" else f" ({clean_line(event.actor)}: {clean_line(event.command)})"
            return [f"  {word}{who} {_indent(event.text)}"]
        case Feedback():
            return [f"  FEEDBACK {_indent(event.text)}"]
        case Line():
            return [f"  NOTE {_indent(event.text)}"]
        case End():
            items = ", ".join(f"{count} {clean_line(name)}" for name, count in sorted(event.inventory.items()))
            return ["", f"END {clean_line(event.reason)}: {_indent(event.why)}", f"  INVENTORY {items or 'empty'}"]
    return []


def _whose(event: Event) -> str:
    """Return whose turn it is; empty for the main agent."""
    return "" if event.actor == "main" else f" of agent {clean_line(event.actor)}"


def _spoken(text: object) -> str:
    """Return one of the thoughts, which is text or a list of steps, as text."""
    return "; ".join(clean_line(str(step)) for step in text) if isinstance(text, list) else _indent(text)


def _indent(text: object) -> str:
    """Return untrusted text with its further lines indented, so that none begins like a line of autocraft."""
    return clean(str(text)).rstrip("\n").replace("\n", f"\n{INDENT}")
