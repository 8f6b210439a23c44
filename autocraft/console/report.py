"""A session as plain text: one line a step for `/history`, the whole story for `autocraft report`.

Neighbours: `journal.py` reads the events, `cli/` and `slash.py` print what is made here.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence

from autocraft.clean import clean, clean_line
from autocraft.protocols import Json

INDENT = "    "


def history(events: Sequence[Json]) -> str:
    """One line for every command, invalid answer and word of the person."""
    lines = []
    named = {event["seq"]: event for event in events if event["type"] == "intent"}
    for event in events:
        turn = f"{event['turn']:>4}  "
        match event["type"]:
            case "result":
                intent = named[event["intent"]]
                who = "" if event["agent"] == "main" else f"({event['agent']}) "
                mark = "" if event["ok"] else "failed: "
                lines.append(f"{turn}{who}{_command(intent)} -> {mark}{clean_line(event['text'])[:160]}")
            case "reply" if not event["ok"]:
                lines.append(f"{turn}invalid answer: {clean_line(event['error'])[:160]}")
            case "decision" if event["feedback"]:
                lines.append(f"{turn}refused {event['command']}; feedback: {clean_line(event['feedback'])}")
            case "feedback":
                lines.append(f"{turn}feedback: {clean_line(event['text'])}")
    return "\n".join(lines)


def report(events: Sequence[Json], session: str) -> str:
    """The whole session, with thoughts, questions and the counts of its end."""
    first = events[0]
    began = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(first["t"]))
    lines = [f"Session {session}, begun {began}"]
    for event in events:
        lines += _story(event)
    stages: dict[str, int] = {}
    for event in events:
        if event["type"] == "reply":
            stage = event["stage"] if event["ok"] else "invalid"
            stages[stage] = stages.get(stage, 0) + 1
    read = ", ".join(f"{count} {stage}" for stage, count in stages.items()) or "none"
    asked = open_questions(events)
    waiting = ["", "OPEN QUESTIONS", *(f"  {_indented(question)}" for question in asked)] if asked else []
    return "\n".join([*lines, *waiting, "", f"Answers by stage of the reader: {read}"])


def open_questions(events: Sequence[Json]) -> list[str]:
    """What the person was asked and has not answered, each once, in the order in which it was first asked."""
    answered: dict[str, bool] = {}
    asked: dict[int, str] = {}
    for event in events:
        if event["type"] == "intent" and event["command"] == "ask_human":
            asked[event["seq"]] = str(event["args"].get("question", ""))
            if asked[event["seq"]].strip():
                answered.setdefault(asked[event["seq"]], False)
        elif event["type"] == "result" and event.get("answered"):
            answered[asked[event["intent"]]] = True
    return [question for question, done in answered.items() if not done]


def summary(events: Sequence[Json]) -> Json:
    """What `sessions list` shows of one: goals, turns, how it ended."""
    goals: list[Json] = next((e["goals"] for e in reversed(events) if e["type"] == "goal"), [])
    last = next((e for e in reversed(events) if e["type"] in ("end", "answer")), events[0])
    ended = last["reason"] if last["type"] == "end" else "unfinished"
    return {
        "begun": time.strftime("%Y-%m-%d %H:%M", time.localtime(events[0]["t"])),
        "turns": max(event["turn"] for event in events),
        "ended": ended,
        "goals": "; ".join(clean_line(goal["text"]) for goal in goals),
    }


def _command(event: Json) -> str:
    return f"{event['command']} {clean_line(json.dumps(event['args'], ensure_ascii=False))[:200]}"


def _story(event: Json) -> list[str]:
    match event["type"]:
        case "goal":
            return ["", *(f"GOAL {clean_line(goal['text'])}" for goal in event["goals"])]
        case "reply" if event["ok"]:
            thoughts = event["thoughts"] if isinstance(event["thoughts"], dict) else {}
            said = [f"  {clean_line(str(name))}: {_spoken(text)}" for name, text in thoughts.items() if text]
            how = "" if event["stage"] == "plain" else f"  (read by {event['stage']})"
            return ["", f"TURN {event['turn']}{_whose(event)}{how}", *said, f"  NEXT ACTION {_command(event)}"]
        case "reply":
            return ["", f"TURN {event['turn']}{_whose(event)}", f"  INVALID ANSWER {_indented(event['error'])}"]
        case "decision" if event["command"]:
            why = f": {_indented(event['feedback'] or event['why'])}" if event["feedback"] or event["why"] else ""
            return [f"  {event['kind'].upper()} by {event['by']}{why}"]
        case "result":
            word = "RESULT" if event["ok"] else "ERROR"
            who = "" if event["agent"] == "main" else f" ({event['agent']}: {event['command']})"
            return [f"  {word}{who} {_indented(event['text'])}"]
        case "feedback":
            return [f"  FEEDBACK {_indented(event['text'])}"]
        case "note" | "limit":
            return [f"  NOTE {_indented(event['text'])}"]
        case "end":
            items = ", ".join(f"{count} {clean_line(name)}" for name, count in sorted(event["inventory"].items()))
            return ["", f"END {event['reason']}: {_indented(event['why'])}", f"  INVENTORY {items or 'empty'}"]
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
