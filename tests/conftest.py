"""Shared by all tests: a place of their own to run in, the program itself, and a terminal to type into it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.security.count import summarise

ROOT = Path(__file__).resolve().parents[1]
"""This checkout, whatever else is installed."""
PROGRAM = [sys.executable, "-m", "autocraft"]
STONE_PICKAXE = ["--goal", "craft 1 stone_pickaxe", "--inventory", "oak_log=3,cobblestone=3"]


@dataclass
class Place:
    """An empty folder with an environment in which nothing of the developer's own is set."""

    folder: Path

    @property
    def state(self) -> Path:
        return self.folder / "state"

    @property
    def environment(self) -> dict[str, str]:
        kept = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL") if name in os.environ}
        return kept | {
            "HOME": str(self.folder),
            "TERM": "xterm-256color",
            "PYTHONUTF8": "1",
            "PYTHONPATH": str(ROOT),
            "AUTOCRAFT_STATE_DIR": str(self.state),
        }

    def run(
        self, *arguments: str, stdin: str | bytes | None = None, **environment: str
    ) -> subprocess.CompletedProcess[str]:
        """`autocraft ARGUMENTS`, with nothing on stdin unless given."""
        data = stdin.encode() if isinstance(stdin, str) else stdin
        done = subprocess.run(
            [*PROGRAM, *arguments],
            cwd=self.folder,
            env=self.environment | environment,
            input=data,
            stdin=subprocess.DEVNULL if data is None else None,
            capture_output=True,
            timeout=60,
        )
        return subprocess.CompletedProcess(
            done.args, done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")
        )

    def events(self, session: str = "") -> list[dict[str, Any]]:
        """The journal of a session, of the newest by default."""
        folder = self.state / "sessions" / (session or self.session())
        return [json.loads(line) for line in (folder / "events.jsonl").read_text().split("\n") if line]

    def session(self) -> str:
        """The id of the newest session."""
        return self.sessions()[-1]

    def sessions(self) -> list[str]:
        """The ids of all sessions, the oldest first: ids sort by when they were made."""
        return sorted(path.name for path in (self.state / "sessions").iterdir())

    def script(self, *answers: Any) -> str:
        """A file of answers for the scripted brain; a tuple is a command's name and arguments."""
        path = self.folder / "script.jsonl"
        path.write_text("".join(json.dumps(_answer(each)) + "\n" for each in answers))
        return str(path)


def _answer(value: Any) -> Any:
    if isinstance(value, tuple):
        name, args = value
        return {"thoughts": {"text": f"I use {name}."}, "command": {"name": name, "args": args}}
    return value


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


@pytest.fixture
def terminal(place: Place) -> Iterator[Callable[..., Any]]:
    """Runs the program in a pseudo-terminal; whatever is left of it is killed at the end."""
    import pexpect

    started = []

    def spawn(*arguments: str, columns: int = 200, **environment: str) -> Any:
        child = pexpect.spawn(
            PROGRAM[0],
            [*PROGRAM[1:], *arguments],
            cwd=str(place.folder),
            env=place.environment | environment,
            dimensions=(50, columns),
            encoding="utf-8",
            codec_errors="replace",
            timeout=20,
        )
        started.append(child)
        return child

    yield spawn
    for child in started:
        child.close(force=True)


def kinds(events: Sequence[dict[str, Any]], *types: str) -> list[dict[str, Any]]:
    """The events of these types."""
    return [event for event in events if event["type"] in types]


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """The number of attacks tried and let through, wherever tests counted some."""
    summarise(terminalreporter)
