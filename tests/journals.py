"""Single events, and a real journal of a run with nearly all kinds of events, for tests of readers of journals."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from autocraft.session.event import VERSION
from autocraft.session.events import Event
from tests.commands.programs import with_programs
from tests.conftest import Place

ORDINARY: dict[str, dict[str, Any]] = {
    "answer": {"text": "", "finish_reason": "stop", "reasoning": "", "refusal": "", "tool_calls": [],
               "usage": [0, 0, False], "cost": 0.0, "seconds": 0.0, "heard": 0},
    "decision": {"kind": "run", "by": "person", "command": None, "args": None, "risk": None, "left": 0,
                 "always": False, "feedback": "", "why": ""},
    "intent": {"id": "", "args": {}, "evidence": {}},
    "result": {"intent": 0, "command": "look", "ok": True, "text": "", "seconds": 0.0},
}  # fmt: skip
"""Type of event -> the fields that a test need not give."""
PLANKS = """async function planks(bot) {
  await craftItem(bot, 'oak_planks', 1);
  await craftItem(bot, 'stick', 1);
}"""
BIG = "0123456789abcdef" * 6000
START = ("start_agent", {"name": "scout", "task": "count the logs", "prompt": "Look and tell."})


def event(type: str, **fields: Any) -> Event:
    """Return an event of the main agent, with ordinary values in the other fields."""
    stamps = {"v": VERSION, "seq": 0, "t": 0.0, "agent": "main", "turn": 0, "type": type}
    return Event.from_json({**stamps, **ORDINARY.get(type, {}), **fields})


def says(command: str, /, **args: Any) -> dict[str, Any]:
    """Return a line of the script for a helper."""
    answer = {"thoughts": {"text": f"I use {command}."}, "command": {"name": command, "args": args}}
    return {"role": "fast", "text": json.dumps(answer)}


def record(place: Place) -> Path:
    """Play the run until its script ends. Return the folder of its session."""
    script = place.script(
        ("show_inventory", {}),
        ("write_to_file", {"file": "big.txt", "text": BIG}),
        ("append_to_file", {"file": "log.txt", "text": "one\n"}),
        ("craft_item", {"name": "oak_planks", "count": 4}),
        START,
        "this is no command at all",
        ("run_program", {"code": PLANKS}),
        ("memory_add", {"string": "the chest holds oak"}),
        ("ask_human", {"question": "Which wood?"}),
        ("delete_file", {"file": "log.txt"}),
        ("message_agent", {"key": 1, "message": "and the planks?"}),
        ("move", {"source": "[I1]", "target": "[I30]", "quantity": 1}),
        ("start_agent", {"name": "digger", "task": "dig", "prompt": "Dig.", "grants": ["write_to_file"]}),
        ("delete_agent", {"key": 1}),
        ("list_agents", {}),
        says("show_inventory"),
        says("reply", text="4 oak_planks"),
        says("reply", text="some planks"),
        says("write_to_file", file="helper.txt", text="from the helper"),
        says("reply", text="dug"),
    )
    typed = "use birch\ny\na\n/goal + craft 1 stick\ny -30\n" + "y\n" * 30
    goal = ["--goal", "craft 1 stone_pickaxe", "--inventory", "oak_log=9,cobblestone=3", "--brain", "scripted"]
    done = place.run("run", *goal, "--script", script, stdin=typed, **with_programs())
    assert "the script has no answer left" in done.stdout + done.stderr, done.stdout + done.stderr
    undone = place.run("sessions", "undo", **with_programs())
    assert undone.returncode == 0, undone.stdout + undone.stderr
    return place.state / "sessions" / place.session()
