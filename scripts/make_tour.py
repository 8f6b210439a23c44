"""Run every command once with the scripted brain, on real files, children and loopback sites; write docs/tour.md.

    python -m scripts.make_tour

Two things are stand-ins from the tests: the web site with its search, and the endpoint that draws. Times, ports and
session ids are written as dots, so that the page changes only if autocraft does.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from autocraft.memory import open_memory
from tests.commands.programs import with_programs
from tests.commands.site import Site
from tests.commands.test_image import Endpoint

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "tour.md"
HEAD = """# Every command once

This page shows each command of the crafting world once, with its result: the report of a real run.
[Commands](commands.md) lists them with their arguments and risks.

`python -m scripts.make_tour` makes this page with the scripted brain and `--continuous`. Files, child processes and
sockets are real. The website with its search, and the server that draws, are stand-ins on this computer.

```
"""
SKILL = 'async function craftSticks(bot) {\n  await craftItem(bot, "stick", 1);\n}\n'
SLABS = """async function makeSlabs(bot) {
  await craftItem(bot, "oak_planks", 1);
  if (bot.inventory.count(mcData.itemsByName.oak_planks.id) >= 3) await craftItem(bot, "oak_slab", 1);
  bot.chat("There are slabs now");
}
"""
PROGRAM = "from pathlib import Path\nPath('squares.txt').write_text(str([n * n for n in range(5)]))\nprint('done')\n"


def answers(site: str) -> list[dict[str, Any]]:
    """Return the script: the main agent's commands, then the fast model's answers to helpers and summaries."""
    main: list[tuple[str, dict[str, Any]]] = [
        ("show_inventory", {}),
        ("search_recipe", {"name": "stone_pickaxe"}),
        ("plan_item", {"name": "stone_pickaxe"}),
        ("next_steps", {"goal": "craft 1 stone_pickaxe"}),
        ("craft_item", {"name": "oak_planks", "count": 4}),
        ("move", {"source": "I2", "target": "I5", "quantity": 1}),
        ("smelt", {"source": "I5", "target": "I6", "quantity": 1}),
        ("smelt_item", {"name": "cobblestone", "count": 1}),
        ("craft_item", {"name": "stick", "count": 4}),
        ("write_to_file", {"file": "notes.txt", "text": "planks first\n"}),
        ("append_to_file", {"file": "notes.txt", "text": "then sticks\n"}),
        ("edit_file", {"file": "notes.txt", "old": "planks", "new": "oak planks"}),
        ("read_file", {"file": "notes.txt"}),
        ("list_files", {}),
        ("search_text", {"text": "sticks"}),
        ("memory_add", {"string": "Sticks are made of two planks."}),
        ("memory_search", {"query": "how are sticks made?"}),
        ("replay_plan", {"id": "PLAN"}),
        ("google", {"input": "crafting sticks"}),
        ("browse_website", {"url": f"{site}/sticks", "question": "What are sticks made of?"}),
        ("get_text_summary", {"url": f"{site}/sticks", "question": "How many sticks?"}),
        ("get_hyperlinks", {"url": f"{site}/sticks"}),
        ("generate_image", {"prompt": "a wooden stick"}),
        ("evaluate_code", {"code": "def half(n): return n / 2"}),
        ("improve_code", {"suggestions": ["name the type"], "code": "def half(n): return n / 2"}),
        ("write_tests", {"code": "def half(n): return n / 2", "focus": "odd numbers"}),
        ("write_to_file", {"file": "squares.py", "text": PROGRAM}),
        ("execute_python_file", {"file": "squares.py"}),
        ("copy_back", {"run": "LAST", "files": []}),
        ("save_skill", {"name": "craftSticks", "code": SKILL, "description": "Make sticks from planks."}),
        ("search_skills", {"query": "sticks"}),
        ("list_skills", {}),
        ("show_skill", {"name": "craftSticks"}),
        ("run_skill", {"name": "craftSticks"}),
        ("run_program", {"code": SLABS}),
        ("delete_skill", {"name": "craftSticks"}),
        ("start_agent", {"name": "scout", "task": "count the logs", "prompt": "Look, then tell me."}),
        ("message_agent", {"key": 1, "message": "Is that enough for a boat?"}),
        ("list_agents", {}),
        ("delete_agent", {"key": 1}),
        ("ask_human", {"question": "Shall I keep the notes?"}),
        ("delete_file", {"file": "notes.txt"}),
        ("do_nothing", {"reason": "nothing is left to be done"}),
        ("wait", {"seconds": 0}),
        ("propose_goal", {"goal": "get 8 stick"}),
        ("impossible", {"reason": "I think that it cannot be done"}),
        ("task_complete", {"reason": "four sticks are there"}),
    ]
    asked = {
        "evaluate_code": "half() is right; say what it takes.",
        "improve_code": "def half(n: float) -> float: return n / 2",
        "write_tests": "def test_half(): assert half(3) == 1.5",
    }
    script: list[dict[str, Any]] = []
    for name, args in main:
        answer = {"thoughts": {"text": f"I use {name}."}, "command": {"name": name, "args": args}}
        script.append({"role": "smart", "text": json.dumps(answer)})
        if name in asked:
            script.append({"role": "smart", "text": asked[name]})
    helper = [("show_inventory", {}), ("reply", {"text": "13 oak_log"}), ("reply", {"text": "Yes: five planks."})]
    for name, args in helper:
        script.append({"role": "fast", "text": json.dumps({"thoughts": {}, "command": {"name": name, "args": args}})})
    return script


def tour(run_id: str = "run-1") -> str:
    """Return the report of a run in a new folder. `run_id` is the id of the program's run."""
    site, drawing = Site(), Endpoint()
    page = "<h1>Sticks</h1><p>Two planks above each other make four sticks.</p><a href='/planks'>Planks</a>"
    site.put("/sticks", f"<html><title>Sticks</title><body>{page}</body></html>", "text/html")
    found = {"items": [{"title": "Sticks", "link": "https://example.org/sticks", "snippet": "Two planks make four."}]}
    site.put("/customsearch/v1", json.dumps(found), "application/json")
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        address = f"http://127.0.0.1:{site.server.server_port}"
        environment = {
            "PATH": os.environ["PATH"], "HOME": folder, "PYTHONPATH": str(ROOT), "PYTHONUTF8": "1",
            "AUTOCRAFT_STATE_DIR": str(place / "state"), "OPENAI_BASE_URL": drawing.url,
            "GOOGLE_API_KEY": "stand-in-key-of-the-tour", "CUSTOM_SEARCH_ENGINE_ID": "tour",
            "AUTOCRAFT_WEB_SEARCH_URL": f"{address}/customsearch/v1",
            "AUTOCRAFT_WEB_ALLOW_HOSTS": address.removeprefix("http://"), **with_programs(),
        }  # fmt: skip
        goal = ["--goal", "get 4 stick and show what you can do", "--inventory", "oak_log=16,cobblestone=8"]

        def run(*arguments: str) -> str:
            command = [sys.executable, "-m", "autocraft", *arguments]
            done = subprocess.run(command, cwd=place, env=environment, capture_output=True, text=True, timeout=120)
            return done.stdout + done.stderr

        earlier = ["--goal", "craft 1 crafting_table", "--inventory", "oak_log=2", "--brain", "planner", "--continuous"]
        run("run", *earlier)  # stores a plan in memory
        plan = open_memory("local", path=place / "state" / "memory").rows(kind="plan")[0].id
        script = "".join(json.dumps(each) + "\n" for each in answers(address))
        (place / "script.jsonl").write_text(script.replace("LAST", run_id).replace("PLAN", plan))
        run("run", *goal, "--brain", "scripted", "--script", "script.jsonl", "--continuous")
        return run("report", "last").replace(address, "http://site.example")


def page_of(report: str) -> str:
    """Return the page with dots for times, ports and ids."""
    steady = re.sub(r"\d{8}-\d{6}-[0-9a-f]{6}", "…", report)
    steady = re.sub(r"begun .*", "begun …", steady)
    steady = re.sub(r"\b\d+\.\d+ s\b", "… s", steady)
    steady = re.sub(r"Protection: .*", "Protection: … (what this machine offers)", steady)
    return f"{HEAD}{steady.strip()}\n```\n"


def page() -> str:
    """Return the whole page. It takes two runs: the first tells the id under which the program's files are stored."""
    match = re.search(r"copy_back with run (run-\d+)", tour())
    return page_of(tour(match[1] if match else "run-1"))


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(f"wrote {PAGE}")
