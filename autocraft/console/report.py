"""A session as plain text: one line a step for `/history`, the whole story for `autocraft report`."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Iterable

from autocraft.protocols import Json
from autocraft.text.sanitize import clean, clean_line

INDENT = "    "


def history(events: Iterable[Json]) -> str:
    """One line for every command, invalid answer and word of the person."""
    lines = []
    named: dict[int, Json] = {}
    for event in events:
        turn = f"{event['turn']:>4}  "
        match event["type"]:
            case "intent":
                named[event["seq"]] = event
            case "result":
                intent = named.pop(event["intent"], {"command": event["command"], "args": {}})
                who = "" if event["agent"] == "main" else f"({clean_line(event['agent'])}) "
                mark = "" if event["ok"] else "failed: "
                lines.append(f"{turn}{who}{_command(intent)} -> {mark}{clean_line(event['text'])[:160]}")
            case "reply" if not event["ok"]:
                lines.append(f"{turn}invalid answer: {clean_line(event['error'])[:160]}")
            case "decision" if event["feedback"]:
                refused = clean_line(str(event["command"]))
                lines.append(f"{turn}refused {refused}; feedback: {clean_line(event['feedback'])}")
            case "feedback":
                lines.append(f"{turn}feedback: {clean_line(event['text'])}")
    return "\n".join(lines)


def report(events: Iterable[Json], session: str) -> str:
    """The whole session, with thoughts, questions and the counts of its end."""
    lines: list[str] = []
    stages: Counter[str] = Counter()
    questions = Questions()
    for event in events:
        if not lines:
            began = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(event["t"]))
            lines.append(f"Session {session}, begun {began}")
        lines += _story(event)
        questions.apply(event)
        if event["type"] == "reply":
            stages[clean_line(event["stage"]) if event["ok"] else "invalid"] += 1
    if not lines:
        return f"Session {session} ended before its goal was written."
    read = ", ".join(f"{count} {stage}" for stage, count in stages.items()) or "none"
    asked = questions.open
    waiting = ["", "OPEN QUESTIONS", *(f"  {_indented(question)}" for question in asked)] if asked else []
    return "\n".join([*lines, *waiting, "", f"Answers by stage of the reader: {read}"])


class Questions:
    """What the person was asked and has not answered, each once, in the order in which it was first asked."""

    def __init__(self) -> None:
        self._answered: dict[str, bool] = {}
        self._asked: dict[int, str] = {}

    @property
    def open(self) -> list[str]:
        return [question for question, done in self._answered.items() if not done]

    def apply(self, event: Json) -> None:
        """Fold one event in."""
        if event["type"] == "intent" and event["command"] == "ask_human":
            question = self._asked[event["seq"]] = str(event["args"].get("question", ""))
            if question.strip():
                self._answered.setdefault(question, False)
        elif event["type"] == "result":
            question = self._asked.pop(event["intent"], "")
            if event.get("answered"):
                self._answered[question] = True


def open_questions(events: Iterable[Json]) -> list[str]:
    """What the person was asked in these events and has not answered."""
    questions = Questions()
    for event in events:
        questions.apply(event)
    return questions.open


def summary(events: Iterable[Json]) -> Json | None:
    """What `sessions list` shows of one: goals, turns, how it ended. None where it never began."""
    begun, turns, ended, goals = "", 0, "unfinished", []
    for event in events:
        begun = begun or time.strftime("%Y-%m-%d %H:%M", time.localtime(event["t"]))
        turns = max(turns, event["turn"])
        match event["type"]:
            case "goal":
                goals = event["goals"]
            case "end":
                ended = clean_line(event["reason"])
            case "answer":
                ended = "unfinished"
    if not begun:
        return None
    return {"begun": begun, "turns": turns, "ended": ended, "goals": "; ".join(clean_line(g["text"]) for g in goals)}


def _command(event: Json) -> str:
    return f"{clean_line(event['command'])} {clean_line(json.dumps(event['args'], ensure_ascii=False))[:200]}"


def _story(event: Json) -> list[str]:
    match event["type"]:
        case "goal":
            return ["", *(f"GOAL {clean_line(goal['text'])}" for goal in event["goals"])]
        case "reply" if event["ok"]:
            thoughts = event["thoughts"] if isinstance(event["thoughts"], dict) else {}
            said = [f"  {clean_line(str(name))}: {_spoken(text)}" for name, text in thoughts.items() if text]
            how = "" if event["stage"] == "plain" else f"  (read by {clean_line(event['stage'])})"
            return ["", f"TURN {event['turn']}{_whose(event)}{how}", *said, f"  NEXT ACTION {_command(event)}"]
        case "reply":
            return ["", f"TURN {event['turn']}{_whose(event)}", f"  INVALID ANSWER {_indented(event['error'])}"]
        case "decision" if event["command"]:
            why = f": {_indented(event['feedback'] or event['why'])}" if event["feedback"] or event["why"] else ""
            return [f"  {event['kind'].upper()} by {clean_line(event['by'])}{why}"]
        case "result":
            word = "RESULT" if event["ok"] else "ERROR"
            who = "" if event["agent"] == "main" else f" ({clean_line(event['agent'])}: {clean_line(event['command'])})"
            return [f"  {word}{who} {_indented(event['text'])}"]
        case "feedback":
            return [f"  FEEDBACK {_indented(event['text'])}"]
        case "note" | "limit":
            return [f"  NOTE {_indented(event['text'])}"]
        case "end":
            items = ", ".join(f"{count} {clean_line(name)}" for name, count in sorted(event["inventory"].items()))
            return [
                "",
                f"END {clean_line(event['reason'])}: {_indented(event['why'])}",
                f"  INVENTORY {items or 'empty'}",
            ]
    return []


def _whose(event: Json) -> str:
    """Whose turn it is, where it is not the main agent's."""
    return "" if event["agent"] == "main" else f" of agent {clean_line(event['agent'])}"


def _spoken(text: object) -> str:
    """One of the thoughts: text, or a list of steps."""
    return "; ".join(clean_line(str(step)) for step in text) if isinstance(text, list) else _indented(text)


def _indented(text: object) -> str:
    """Untrusted text with its further lines indented, so that none begins like a line of ours."""
    return clean(str(text)).rstrip("\n").replace("\n", f"\n{INDENT}")
