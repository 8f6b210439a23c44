"""Shared by all tests: a place of their own to run in, the program itself, and a terminal to type into it."""

from __future__ import annotations

import gc
import importlib
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings

from autocraft.settings.sources import SettingsFile
from autocraft.settings.trust import Confirmed
from tests import measured, sampling, warm
from tests.security.count import summarise

ROOT = Path(__file__).resolve().parents[1]
"""This checkout, whatever else is installed."""
PROGRAM = [sys.executable, "-m", "autocraft"]
KEPT = ("PATH", "LANG", "LC_ALL", "COVERAGE_PROCESS_CONFIG")
"""What a Place hands on from this environment. The last one is set by `make coverage`."""
HANGS = 300.0
"""Seconds after which a program is taken to hang."""
STONE_PICKAXE = ["--goal", "craft 1 stone_pickaxe", "--inventory", "oak_log=3,cobblestone=3"]


def unmeasured(environment: Mapping[str, str]) -> dict[str, str]:
    """The same environment without `make coverage`, for a test that looks at what a process imports."""
    return {name: value for name, value in environment.items() if not name.startswith("COVERAGE")}


@dataclass
class Place:
    """An empty folder with an environment in which nothing of the developer's own is set."""

    folder: Path

    @property
    def state(self) -> Path:
        return self.folder / "state"

    @property
    def environment(self) -> dict[str, str]:
        kept = {name: os.environ[name] for name in KEPT if name in os.environ}
        return kept | {
            "HOME": str(self.folder),
            "TERM": "xterm-256color",
            "PYTHONUTF8": "1",
            "PYTHONPATH": str(ROOT),
            "AUTOCRAFT_STATE_DIR": str(self.state),
            "MEMORY_EMBEDDER": "lexical",  # loading the real embedder is half of a short run
        }

    def run(
        self, *arguments: str, stdin: str | bytes | None = None, **environment: str
    ) -> subprocess.CompletedProcess[str]:
        """Run `autocraft ARGUMENTS`, with nothing on stdin unless given."""
        return self.python(*PROGRAM[1:], *arguments, stdin=stdin, **environment)

    def python(
        self, *arguments: str, stdin: str | bytes | None = None, **environment: str
    ) -> subprocess.CompletedProcess[str]:
        """Run `python ARGUMENTS`, which begin with `-m MODULE` or `-c CODE`, with nothing on stdin unless given."""
        data = stdin.encode() if isinstance(stdin, str) else stdin
        env = self.environment | environment
        if warm.can_fork(env):
            done = warm.run(arguments, self.folder, env, data, HANGS)
        else:
            given: dict[str, Any] = {"stdin": subprocess.DEVNULL} if data is None else {"input": data}
            command = [sys.executable, *arguments]
            done = subprocess.run(command, cwd=self.folder, env=env, capture_output=True, timeout=HANGS, **given)
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

    def confirm(self, name: str = "autocraft.toml", folder: Path | None = None) -> None:
        """What `yes` to the question about this settings file of a folder leaves behind."""
        Confirmed(self.state).keep(SettingsFile.read((folder or self.folder) / name))

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


@pytest.fixture(autouse=True)
def no_own_configuration(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Settings that are read in this process find nothing of the developer's own, but what the test writes."""
    folder = request.getfixturevalue("tmp_path") if "tmp_path" in request.fixturenames else ROOT / "no such folder"
    monkeypatch.setenv("XDG_CONFIG_HOME", str(folder / ".config"))


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


@pytest.fixture
def terminal(place: Place) -> Iterator[Callable[..., Any]]:
    """Runs the program in a pseudo-terminal; whatever is left of it is killed at the end."""
    started: list[warm.Terminal] = []

    def spawn(*arguments: str, columns: int = 200, **environment: str) -> warm.Terminal:
        env = place.environment | environment
        started.append(warm.Terminal([*PROGRAM[1:], *arguments], place.folder, env, columns))
        return started[-1]

    yield spawn
    for child in started:
        child.close(force=True)


def python_examples(page: Path) -> list[str]:
    """Return the Python code blocks of a page."""
    return re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)


def kinds(events: Sequence[dict[str, Any]], *types: str) -> list[dict[str, Any]]:
    """The events of these types."""
    return [event for event in events if event["type"] in types]


def pytest_configure(config: pytest.Config) -> None:
    """Give the programs under test the default signals, also where the suite was started in the background."""
    for each in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(each) == signal.SIG_IGN:
            signal.signal(each, signal.default_int_handler if each == signal.SIGINT else signal.SIG_DFL)
    hypothesis_settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
    hypothesis_settings.load_profile("any machine")  # no verdict depends on how busy the machine is
    config.stash[_SEED] = sampling.seed()
    if file := measured.data_file():
        measured.measure(file)


def pytest_unconfigure(config: pytest.Config) -> None:
    """Keep the coverage of confined processes, once for all workers."""
    if (file := measured.data_file()) and not hasattr(config, "workerinput"):
        measured.collect(file)


@pytest.hookimpl(tryfirst=True)  # before -m chooses by the markers that this sets
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Draw the samples of the long lists, and put the scenes of the shared Minecraft server first.

    Of many workers one has them all then, so the server is started once, and their long waits do not come last.
    """
    sampling.leave_the_rest_to_the_long_lists(items, config.stash[_SEED])
    items.sort(key=lambda item: "stage" not in getattr(item, "fixturenames", ()))


def pytest_sessionstart(session: pytest.Session) -> None:
    """In a fresh clone, import a share of the tests: so each worker compiles its share, and finds the rest compiled."""
    tests = Path(__file__).parent
    worker = getattr(session.config, "workerinput", None)
    if worker and not any(tests.glob("__pycache__/test_*.pyc")):
        paths = sorted(path for path in tests.rglob("test_*.py") if (path.parent / "__init__.py").exists())
        for path in paths[int(worker["workerid"].removeprefix("gw")) :: worker["workercount"]]:
            importlib.import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))


def pytest_collectstart() -> None:
    """Look for no garbage while tests are collected: among ten thousand objects that stay it takes half of the time."""
    gc.disable()


def pytest_collection_finish() -> None:
    """Look for garbage again, but no more among what was collected."""
    gc.freeze()
    gc.enable()


_SEED = pytest.StashKey[str]()


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Tell the number of attacks tried and let through, and the seed that repeats this choice of cases."""
    summarise(terminalreporter)
    terminalreporter.write_line(f"long lists: sampled by SAMPLE_SEED={terminalreporter.config.stash[_SEED]}")
