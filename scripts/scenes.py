"""The scenes of the pictures: runs of the real program in a real terminal, with what a person types.

The clock of the program stands still (`still_clock.py`). Session ids and ports differ each time, so they are replaced
by fixed ones of the same length. Nothing else is changed.
"""

from __future__ import annotations

import json
import re
import shlex
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from autocraft.node import find_node, packages
from autocraft.sandbox import packages as sandbox
from autocraft.worlds.minecraft import packages as minecraft
from scripts.terminal_svg import Frame, Shot
from scripts.tmux_pane import HISTORY, Pane

ROOT = Path(__file__).resolve().parent.parent
QUESTION = "Enter 'y'"
PLANNER = 'autocraft run --goal "craft 1 stone_pickaxe"'
SCRIPTED = "autocraft run --brain scripted --script answers.jsonl"


def screens(columns: int) -> list[Shot]:
    """Return the planner's first question, and a whole run that shows everything else."""
    with _program([], columns, 24) as pane:
        pane.type(PLANNER)
        _asked(pane, 1)
        first = Shot("The built-in planner's first question", columns, _masked(pane.rows()))
    with _program(_TOUR, columns, 40) as pane:
        pane.type(f'{SCRIPTED} --goal "craft 1 ladder" --inventory oak_log=3')
        for number, typed in enumerate(["y", "y", "y", "y", "白樺ではなく、オークの板を使ってください", "y -2"], 1):
            _asked(pane, number)
            pane.type(typed)
        _asked(pane, 7)
        pane.type("use two more planks for a second ladder, s'il te plaît", enter=False)
        pane.until("what was typed", lambda text: text.endswith("plaît"))
        caption = "Scripted answers: code, diff, error, folded output, Japanese, feedback, y -2"
        return [first, Shot(caption, columns, _masked(pane.rows(above=HISTORY)))]


def recording(columns: int) -> list[Frame]:
    """Return one session from the command to the goal, in a dozen frames."""
    frames: list[Frame] = []
    high = 24
    with _program(_SESSION, columns, high) as pane:

        def shoot(seconds: float) -> None:
            moved = high - len(pane.rows())  # by lines that were shown for a moment, on a machine that was slow enough
            frames.append(Frame(_masked(pane.rows(above=moved)), seconds))

        def typing(*pieces: str) -> None:
            for piece in pieces:
                pane.type(piece, enter=False)
                pane.until(f"{piece!r}", lambda text, piece=piece: text.endswith(piece.strip()))  # type: ignore[misc]
                shoot(1.2)
            pane.type("")

        typing(f"{SCRIPTED} \\")
        pane.until("the next line", lambda text: text.endswith(">"))  # or what is typed comes before the shell's mark
        typing('--goal "craft 1 stone_pickaxe" --inventory oak_log=1,birch_log=1,cobblestone=3')
        _asked(pane, 1)
        shoot(4)
        typing("y")
        _asked(pane, 2)
        shoot(4)
        typing("keep the", " birch log,", " four planks are enough")
        _asked(pane, 3)
        shoot(4)
        typing("y", " -3")
        pane.until("the end", lambda text: text.endswith("$") and "INVENTORY:" in text)
        shoot(6)
    return frames


def working(columns: int) -> list[Shot]:
    """Return a command of the bot while it runs, then a program and its messages."""
    with _program(_WORK, columns, 24) as pane:
        pane.type(f'{SCRIPTED} --world minecraft --goal "get 3 oak_log and look around"')
        _asked(pane, 1)
        pane.type("y")
        pane.until("the first log", lambda text: "of 3 oak_log" in text, seconds=120)
        (pane.folder / "later").touch()
        pane.until("the second log", lambda text: "15 s: 2 of 3 oak_log" in text, seconds=120)
        first = Shot("A command that takes long tells where it is", columns, _masked(pane.rows()))
        _asked(pane, 2)
        pane.type("y")
        _asked(pane, 3)
        rows = _masked(pane.rows(above=HISTORY))
        begin = next(at for at, row in enumerate(rows) if "COMMAND = run_program" in row)
        end = next(at for at, row in enumerate(rows) if "COMMAND = show_inventory" in row)
        caption = "A program is shown once; what it says comes while it runs"
        return [first, Shot(caption, columns, rows[begin - 1 : end - 2])]


@contextmanager
def _program(answers: Sequence[Any], columns: int, rows: int) -> Iterator[Pane]:
    """Yield a shell in an empty home, with `autocraft` on its path and these answers in answers.jsonl."""
    with tempfile.TemporaryDirectory(prefix="autocraft-screens-", ignore_cleanup_errors=True) as name:
        home = Path(name)
        (home / "bin").mkdir()
        program = home / "bin" / "autocraft"
        program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m scripts.still_clock "$@"\n')
        program.chmod(0o755)
        (home / "answers.jsonl").write_text("".join(json.dumps(answer) + "\n" for answer in answers))
        (home / "workspace").mkdir()
        (home / "workspace" / "chest.txt").write_text("".join(f"slot {n}: {n % 7 + 1} oak_log\n" for n in range(1, 55)))
        environment = {
            "HOME": name, "PATH": f"{home / 'bin'}:/usr/bin:/bin", "PYTHONPATH": str(ROOT), "LANG": "C.UTF-8",
            "AUTOCRAFT_STATE_DIR": str(home / "state"), "PYTHONUTF8": "1", **_node(),
        }  # fmt: skip
        with Pane(home, environment, columns, rows) as pane:
            pane.until("the shell", lambda text: text.endswith("$"))
            yield pane


def _node() -> dict[str, str]:
    """Return the variables that say where Node and its packages are, because the home is another one."""
    folders = {each.variable: str(packages(each)) for each in (minecraft.PACKAGES, sandbox.PACKAGES)}
    return {"AUTOCRAFT_NODE": str(find_node()), **folders}


def _asked(pane: Pane, number: int) -> None:
    """Wait for the question of this number, with its input line."""
    pane.until(
        f"question {number}", lambda text: text.count(QUESTION) == number and text.endswith("\nInput:"), seconds=60
    )


# ---------------------------------------------------------------- what differs each time


def _masked(rows: Sequence[str]) -> tuple[str, ...]:
    """Return the rows with a fixed session id and a fixed port."""
    ids = (re.sub(r"[0-9]{8}-[0-9]{6}-[0-9a-f]{6}", "20260101-120000-c0ffee", row) for row in rows)
    return tuple(re.sub(r"127\.0\.0\.1:[0-9]{5}", "127.0.0.1:25565", row) for row in ids)


# ---------------------------------------------------------------- answers


def _answer(text: str, name: str, plan: Sequence[str] = (), reasoning: str = "", /, **args: Any) -> Any:
    thoughts = {"text": text, "reasoning": reasoning, "plan": list(plan), "criticism": "", "speak": ""}
    return {"thoughts": thoughts, "command": {"name": name, "args": args}}


_CODE = '''def needed(ladders: int) -> dict[str, int]:
    """Sticks for so many ladders."""
    return {"stick": 7 * ladders}
'''
_BETTER = _CODE.replace("Sticks for so many ladders.", "A recipe makes three ladders.").replace(
    "7 * ladders", "7 * -(-ladders // 3)"
)
_TOUR = [
    _answer("I write down what ladders need.", "write_to_file", ["write needed.py", "craft a ladder"],
            file="needed.py", text=_CODE),
    _answer("One recipe makes three ladders: I correct the file.", "write_to_file", file="needed.py", text=_BETTER),
    # Models sometimes write a comma too many. The parser repairs this answer.
    {"text": '{"thoughts": {"text": "Now the ladder."}, "command": {"name": "craft_item", '
             '"args": {"name": "ladder", "count": 1,}}}'},
    _answer("That needs sticks. I look at what the chest holds.", "read_file", file="chest.txt"),
    _answer("丸太から白樺の板を作ります 🪓", "craft_item", ["板を作る", "棒を作る", "梯子を作る"],
            "棒には板が必要で、板は丸太から作れます。まず板を四枚作り、それから棒を作り、最後に梯子を作ります。",
            name="birch_planks", count=4),
    _answer("わかりました。オークの板を使います。", "craft_item", name="oak_planks", count=8),
    _answer("棒を八本作ります。", "craft_item", name="stick", count=8),
    _answer("これで梯子ができます。", "craft_item", name="ladder", count=1),
]  # fmt: skip
_WORK = [
    _answer("I need three logs.", "mine_block", name="oak_log", count=3),
    _answer(
        "I look around for a while.",
        "run_program",
        description="look around",
        code=(
            "async function lookAround(bot) {\n  bot.chat('I look around');\n  for (let n = 1; n <= 2; n++) {\n"
            "    await bot.waitForTicks(100);\n    console.log('waited', n * 5, 'seconds');\n  }\n}\n"
        ),
    ),
    _answer("I look at what I have.", "show_inventory"),
]
_SESSION = [
    _answer("I need planks first.", "craft_item", ["planks", "sticks", "stone pickaxe"],
            "sticks are made of planks", name="oak_planks", count=4),
    _answer("More planks are better than few.", "craft_item", ["planks", "sticks", "stone pickaxe"],
            name="birch_planks", count=4),
    _answer("You are right: two planks give four sticks.", "craft_item", ["sticks", "stone pickaxe"],
            name="stick", count=4),
    _answer("Sticks and cobblestone are there.", "craft_item", ["stone pickaxe"], name="stone_pickaxe", count=1),
    _answer("The pickaxe is made.", "task_complete", reason="I hold one stone_pickaxe"),
]  # fmt: skip
