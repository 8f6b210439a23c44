"""The fixtures of all tests: a place to run in, the program itself, and a terminal to type into it."""

from __future__ import annotations

import gc
import importlib
import json
import os
import random
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
from autocraft.settings.trust import ConfirmedFiles
from tests import measured, sampling, warm
from tests.brains.stand_in import StandIn
from tests.commands.site import Site
from tests.security.count import summarise

ROOT = Path(__file__).resolve().parents[1]
"""This checkout, whatever else is installed."""
PROGRAM = [sys.executable, "-m", "autocraft"]
KEPT = ("PATH", "LANG", "LC_ALL", "COVERAGE_PROCESS_CONFIG")
"""What a Place hands on from this environment. The last one is set by `make coverage`."""
HANGS = 1800.0
"""Seconds after which a program is taken to hang."""
WAITING = ("test_versions.py", "test_other_servers.py")
STONE_PICKAXE = ["--goal", "craft 1 stone_pickaxe", "--inventory", "oak_log=3,cobblestone=3"]


def unmeasured(environment: Mapping[str, str]) -> dict[str, str]:
    """Return an environment without `make coverage`, for a test that checks what a process imports."""
    return {name: value for name, value in environment.items() if not name.startswith("COVERAGE")}


@dataclass
class Place:
    """An empty folder, with an environment that has none of the developer's settings."""

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
            "MEMORY_EMBEDDER": "lexical",  # loading the real embedder takes half of a short run
        }

    def run(
        self, *arguments: str, stdin: str | bytes | None = None, **environment: str
    ) -> subprocess.CompletedProcess[str]:
        """Run `autocraft ARGUMENTS`. By default stdin is empty."""
        return self.python(*PROGRAM[1:], *arguments, stdin=stdin, **environment)

    def python(
        self, *arguments: str, stdin: str | bytes | None = None, **environment: str
    ) -> subprocess.CompletedProcess[str]:
        """Run `python ARGUMENTS`, which begin with `-m MODULE` or `-c CODE`. By default stdin is empty."""
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
        """Return the events of a session, by default of the newest one, without a last line that is not whole yet.

        Return none before there is a journal.
        """
        try:
            file = self.state / "sessions" / (session or self.session()) / "events.jsonl"
            whole, _, _ = file.read_bytes().rpartition(b"\n")
        except (FileNotFoundError, IndexError):
            return []
        return [json.loads(line) for line in whole.split(b"\n") if line]

    def session(self) -> str:
        """Return the id of the newest session."""
        return self.sessions()[-1]

    def sessions(self) -> list[str]:
        """Return the ids of all sessions, the oldest first. Ids sort by the time at which the sessions began."""
        return sorted(path.name for path in (self.state / "sessions").glob("*"))

    def confirm(self, name: str = "autocraft.toml", folder: Path | None = None) -> None:
        """Trust this settings file of a folder, as `yes` to the question about it does."""
        ConfirmedFiles(self.state).keep(SettingsFile.read((folder or self.folder) / name))

    def script(self, *answers: Any) -> str:
        """Write a file of answers for the scripted brain. Return its name. A tuple is a command with its arguments."""
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
    """Hide the developer's settings from this process. It reads only those that the test writes."""
    folder = request.getfixturevalue("tmp_path") if "tmp_path" in request.fixturenames else ROOT / "no such folder"
    monkeypatch.setenv("XDG_CONFIG_HOME", str(folder / ".config"))


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


@pytest.fixture
def terminal(place: Place) -> Iterator[Callable[..., Any]]:
    """Yield a function that runs the program in a pseudo-terminal. At the end, kill the programs that still run."""
    started: list[warm.Terminal] = []

    def spawn(*arguments: str, columns: int = 200, **environment: str) -> warm.Terminal:
        env = place.environment | environment
        started.append(warm.Terminal([*PROGRAM[1:], *arguments], place.folder, env, columns))
        return started[-1]

    yield spawn
    for child in started:
        child.close(force=True)


@pytest.fixture
def stand_in() -> Iterator[StandIn]:
    """Yield a stand-in for a server with models."""
    made = StandIn()
    yield made
    made.close()


@pytest.fixture
def site() -> Iterator[Site]:
    """Yield a website."""
    made = Site()
    yield made
    made.close()


def python_examples(page: Path) -> list[str]:
    """Return the Python code blocks of a page."""
    return re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)


def kinds(events: Sequence[dict[str, Any]], *types: str) -> list[dict[str, Any]]:
    """Return the events of these types."""
    return [event for event in events if event["type"] in types]


def pytest_configure(config: pytest.Config) -> None:
    """Give the programs under test the default signals, also if the tests were started in the background.

    None of them is blocked either, as SIGWINCH is by a profiler that started the tests.
    """
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    for each in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(each) == signal.SIG_IGN:
            signal.signal(each, signal.default_int_handler if each == signal.SIGINT else signal.SIG_DFL)
    # No verdict depends on how busy the machine is, and only the search of `make test-all` tries new cases each time.
    search = hypothesis_settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
    hypothesis_settings.register_profile("search", search)
    hypothesis_settings.register_profile("same", search, derandomize=True)
    hypothesis_settings.load_profile(config.getoption("--hypothesis-profile") or "same")
    config.stash[_SEED] = sampling.seed()
    if file := measured.data_file():
        measured.measure(file)


def pytest_unconfigure(config: pytest.Config) -> None:
    """Store the coverage of confined processes, once for all workers."""
    if (file := measured.data_file()) and not hasattr(config, "workerinput"):
        measured.collect(file)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options that choose a part of the long lists and the order of all tests."""
    parser.addoption("--sample", type=int, metavar="PERCENT", help="run only so much of the long lists")
    parser.addoption("--order", metavar="SEED", help="run the tests in a random order")


@pytest.hookimpl(tryfirst=True)  # before -m chooses by the markers that this sets
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Draw the samples of the long lists, and put the scenes of the shared Minecraft server first.

    Then one of the workers has all of these scenes, so that the server starts once. Next come the tests on other
    servers, which wait in real time: at the end they would keep one worker busy and leave the processor idle. With
    `--order`, shuffle all tests instead.
    """
    sampling.leave_the_rest_to_the_long_lists(items, config.stash[_SEED])
    if percent := config.getoption("sample"):
        drawn = sampling.draw(items, percent, config.stash[_SEED])
        config.hook.pytest_deselected(items=[item for item in items if item not in drawn])
        items[:] = [item for item in items if item in drawn]
    if order := config.getoption("order"):
        random.Random(order).shuffle(items)
    else:
        items.sort(key=lambda item: ("stage" not in getattr(item, "fixturenames", ()), item.path.name not in WAITING))


def pytest_sessionstart(session: pytest.Session) -> None:
    """Import a share of the tests in a fresh clone, so each worker compiles its share and finds the rest compiled."""
    tests = Path(__file__).parent
    worker = getattr(session.config, "workerinput", None)
    if worker and not any(tests.glob("__pycache__/test_*.pyc")):
        paths = sorted(path for path in tests.rglob("test_*.py") if (path.parent / "__init__.py").exists())
        for path in paths[int(worker["workerid"].removeprefix("gw")) :: worker["workercount"]]:
            importlib.import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))


def pytest_collectstart() -> None:
    """Switch off garbage collection while tests are collected: with so many objects it takes half of the time."""
    gc.disable()


def pytest_collection_finish() -> None:
    """Switch on garbage collection again. Leave out the objects of the collected tests."""
    gc.freeze()
    gc.set_threshold(20_000)  # a tests' process collects garbage seldom, since it makes much and ends soon
    gc.enable()


_SEED = pytest.StashKey[str]()


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print how many attacks were tried and got through, the seed of this choice, and how to repeat the failures."""
    summarise(terminalreporter)
    seed = terminalreporter.config.stash[_SEED]
    terminalreporter.write_line(f"long lists: sampled by SAMPLE_SEED={seed}")
    bad = [report.nodeid for kind in ("failed", "error") for report in terminalreporter.stats.get(kind, ())]
    if bad:
        terminalreporter.write_line(f"to repeat: {sampling.command_that_repeats(dict.fromkeys(bad), seed)}")
