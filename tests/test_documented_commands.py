"""Every command that README.md and the guides write is run as it stands there, in a fresh folder."""

from __future__ import annotations

import json
import re
import shlex
import signal
import subprocess
from collections.abc import Callable
from importlib.util import find_spec
from textwrap import indent
from typing import Any

import pytest

from tests.brains.stand_in import StandIn, streamed, whole
from tests.conftest import PROGRAM as AUTOCRAFT
from tests.conftest import ROOT, Place
from tests.waiting import PATIENCE
from tests.worlds.minecraft.playing import node_environment

START = r"(?:[A-Z_]+=\S+ )*(?:autocraft|python -m|make|pip) "
FENCE = re.compile(r"^```\w*\n(.*?)^```$", re.M | re.S)
WRITTEN = re.compile(rf"^ {{4}}({START}.*)$|`({START}[^`]*)`", re.M)
ROWS = re.compile(r"^\| `autocraft (\w+) …` \| *\|\n.*\n((?:\|.*\n)+)", re.M)
"""A table of the commands of one family: the cell in front of each row holds them without their beginning."""
ELSEWHERE = {
    "make ": ("installs or builds", "tests/test_make.py"),
    "pip install ": ("installs", "tests/test_wheel.py"),
    "python -m benchmarks": ("takes minutes", "tests/test_guides.py"),
    "python -m scripts.make_screens": ("draws pictures in tmux", "tests/test_screens.py"),
    "python -m scripts.make_building_pictures": ("builds for minutes", "tests/worlds/minecraft/test_building.py"),
    "python -m scripts.make_event_schema": ("writes a page of docs", "tests/test_event_schema.py"),
    "python -m tests.worlds.minecraft.versions": ("fetches other servers", "tests/worlds/minecraft/test_versions.py"),
    "autocraft init": ("asks at a terminal", "tests/test_init.py"),
    "autocraft --install-completion": ("writes into the files of the shell around it", "tests/test_options.py"),
    "autocraft memory copy --to pgvector": ("needs PostgreSQL", "tests/memory/test_copy.py"),
    'autocraft run --world minecraft --brain planner --goal "build': (
        "takes minutes",
        "tests/worlds/minecraft/test_building.py",
    ),
    "autocraft run --world minecraft --server lan": ("needs an open LAN world", "tests/worlds/minecraft/test_node.py"),
    "autocraft demo": ("waits for answers on its page", "tests/browser/test_live_page.py"),
    "autocraft replay diamond_pickaxe --web": ("opens a browser", "tests/test_replay.py"),
    "autocraft replay learning --web": ("opens a browser", "tests/test_replay.py"),
    "autocraft run --web": ("waits for answers on its page", "tests/web/test_runs.py"),
    "autocraft learn --web": ("waits for answers on its page", "tests/web/test_runs.py"),
    "autocraft mcp": ("serves until its client leaves", "tests/mcp/test_calls.py"),
    "autocraft learn": ("plays for minutes", "tests/learning/test_practice.py"),
    "autocraft report last --to-ckpt": ("needs a learning run", "tests/learning/test_record.py"),
    "autocraft eval --suite optimus --seeds 5": ("280 runs of minutes", "tests/evaluation/test_suites.py"),
    "autocraft eval --suite together": ("a run of minutes for each task", "tests/evaluation/test_suites.py"),
    "autocraft eval --suite minedojo": ("23 runs of minutes", "tests/evaluation/test_suites.py"),
    "autocraft eval --split test --brain openai": ("1,740 episodes", "tests/evaluation/test_lines.py"),
}
"""What is not run here -> why, and the test of the same thing."""
SLOW = ("eval --s", "--world minecraft", "practice-server")
NEEDS = {
    "Usage: ": "",
    "no goal": r"run|run --world minecraft",
    "needs a session's id": r"run --resume",
    "say what to keep": r"sessions prune",
    "Missing argument": (
        r"(sessions delete|memory forget|skills (import|show|search|history|diff|restore|approve|delete|export))"
    ),
}
"""The line with which a command ends that a text only names, without what it needs."""
IMPOSSIBLE = 'autocraft run --goal "craft 1 stone_pickaxe" --inventory "oak_log=1" --continuous'
"""The command that the tutorial shows for a goal that cannot be reached."""
PROGRAM = "// Found by WORDS.\nasync function NAME(bot) {\n  await craftItem(bot, 'stick', 1);\n}\n"
DONE = '{"thoughts": {"text": "done"}, "command": {"name": "task_complete", "args": {"reason": "done"}}}'
YES = "y\n" * 60


def documented() -> list[str]:
    """Return each command once, without the comment beside it; what is optional in it is there."""
    pages = [ROOT / "README.md", *sorted(path for path in (ROOT / "docs").glob("*.md") if path.name != "tour.md")]
    found = []
    for page in pages:
        text = FENCE.sub(lambda fence: indent(fence[1], " " * 4), page.read_text(encoding="utf-8"))
        found += [re.split(r"\s{2,}", line)[0] if line else inline for line, inline in WRITTEN.findall(text)]
        for family, rows in ROWS.findall(text):
            cells = [row.split("|")[1] for row in rows.splitlines()]
            found += [f"autocraft {family} {rest}" for cell in cells for rest in re.findall(r"`([^`]+)`", cell)]
    return sorted({whole_line(each) for each in found if not each.endswith(" …")})


def whole_line(text: str) -> str:
    """Return a command with all that is optional in it; `ID…` is one ID, and `N` a number."""
    if text.startswith("pip "):
        return text
    line = re.sub(r"\[|\]|(?<=\w)…| …(?=$|[] ])", "", " ".join(text.split()))
    return re.sub(r"\b(N|OLD|NEW)\b", "1", line)


COMMANDS = documented()
HERE = [each for each in COMMANDS if not each.startswith(tuple(ELSEWHERE))]


@pytest.fixture
def stand_in(stand_in: StandIn) -> StandIn:
    stand_in.offer("qwen")
    stand_in.replies = [streamed(DONE), whole(DONE)]
    return stand_in


def prepare(place: Place, words: list[str], stand_in: StandIn) -> None:
    """Put into the folder what a command takes for granted; FILE, NAME, ID and FOLDER are real names."""
    if {"last", "report", "replay"} & set(words) or words[:2] == ["sessions", "export"]:
        begun = place.run("run", "--goal", "craft 1 ladder", "--inventory", "oak_log=3", stdin="y\nn\n")
        assert begun.returncode == 4, begun.stderr
    (place.folder / "FILE").write_text('{"command": {"name": "craft_item", "args": {"name": "stick"}}}')
    if "memory" in words:
        row = {"id": "ID", "text": "Stone tools need sticks.", "metadata": {}}
        (place.folder / "FILE").write_text(f"{json.dumps({'autocraft_memory': 1})}\n{json.dumps(row)}\n")
        assert place.run("memory", "import", "FILE").returncode == 0
        if "export" in words:
            (place.folder / "FILE").unlink()
    if "skills" in words:
        programs = place.folder / ("FOLDER" if "import" in words else "programs")
        programs.mkdir()
        (programs / "NAME.js").write_text(PROGRAM)
        if "import" not in words:
            options = ["--skills-dir", "shared"] if "shared" in words else []
            done = place.run("skills", *options, "import", "programs")
            assert done.returncode == 0, done.stderr
    if "ollama" in words:
        own = place.folder / ".config" / "autocraft" / "autocraft.toml"
        own.parent.mkdir(parents=True)
        own.write_text(f'[profile.ollama.openai]\nbase_url = "{stand_in.url}"\n')


@pytest.mark.parametrize(
    "line",
    [pytest.param(each, marks=pytest.mark.full) if any(words in each for words in SLOW) else each for each in HERE],
)
@pytest.mark.sampled(16)
def test_a_command_runs_as_it_is_written(
    place: Place, terminal: Callable[..., Any], stand_in: StandIn, line: str
) -> None:
    line = line.replace("http://127.0.0.1:8080/v1", stand_in.url).replace("25565", "0")
    words = shlex.split(line)
    environment = dict(each.split("=", 1) for each in words[: words.index("autocraft")] if "=" in each)
    words = words[words.index("autocraft") + 1 :]
    if {"minecraft", "practice-server", "--suite"}.intersection(words):
        environment |= node_environment() | {"AUTOCRAFT_SPEED": "0"}
    prepare(place, words, stand_in)
    if "practice-server" in words:
        serves(place, words, environment)
        return
    if "clear" in words:
        child = terminal(*words)
        child.expect_exact("Type yes: ")
        child.sendline("yes")
        assert child.wait() == 0
        return
    done = place.run(*words, stdin=YES, **environment)
    needs = next((said for said, kind in NEEDS.items() if re.fullmatch(kind, " ".join(words))), None)
    if needs:
        assert done.returncode == 2 and needs in done.stderr, done.stderr
    else:
        assert done.returncode == (5 if line == IMPOSSIBLE else 0), done.stdout + done.stderr


def serves(place: Place, words: list[str], environment: dict[str, str]) -> None:
    """Start the practice server, on any free port, and end it by Ctrl-C."""
    command = [*AUTOCRAFT, *words, *([] if "--port" in words else ["--port", "0"])]
    run = subprocess.Popen(
        command, cwd=place.folder, env=place.environment | environment, stdout=subprocess.PIPE, text=True
    )
    try:
        assert run.stdout is not None and run.stdout.readline().startswith("Practice server on 127.0.0.1:")
        run.send_signal(signal.SIGINT)
        assert run.wait(PATIENCE) == 0
    finally:
        run.kill()
        run.wait()


@pytest.mark.parametrize("line", sorted(set(COMMANDS) - set(HERE)))
def test_what_is_not_run_here_exists(line: str) -> None:
    words = line.split()
    if words[:2] == ["python", "-m"]:
        assert find_spec(words[2]), line
    if words[0] == "make":
        assert f"\n{words[1]}:" in (ROOT / "Makefile").read_text(encoding="utf-8")


def test_the_commands_are_found_and_the_table_is_needed() -> None:
    assert len(HERE) > 50 and 'autocraft run --goal "craft 1 stone_pickaxe"' in HERE and IMPOSSIBLE in HERE
    assert "autocraft skills list --quarantine --trash" in HERE
    for start, (_, test) in ELSEWHERE.items():
        assert any(each.startswith(start) for each in COMMANDS), start
        assert (ROOT / test).is_file()
