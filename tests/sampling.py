"""Draws samples of long lists of cases, others with each commit. The mark `full` is for the rest of the cases."""

from __future__ import annotations

import os
import random
import shlex
import subprocess
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import pytest

T = TypeVar("T")


@cache
def seed() -> str:
    """Return the seed of the samples: `SAMPLE_SEED` if it is set, else the present commit."""
    if given := os.environ.get("SAMPLE_SEED"):
        return given
    command = ["git", "rev-parse", "--short=12", "HEAD"]
    done = subprocess.run(command, cwd=Path(__file__).parent, capture_output=True, text=True, check=False)
    return done.stdout.strip() or "no commit"


def leave_the_rest_to_the_long_lists(items: Sequence[pytest.Item], drawn_by: str) -> None:
    """Mark as `full` each case that the seed does not draw. The mark `sampled(COUNT)` is on its test or its file."""
    lists: defaultdict[tuple[str, int], list[pytest.Item]] = defaultdict(list)
    for item in items:
        if item.get_closest_marker("full"):
            continue
        for node, marker in item.iter_markers_with_node("sampled"):
            lists[node.nodeid.partition("[")[0], marker.args[0]].append(item)
            break
    for (name, count), cases in lists.items():
        for item in random.Random(f"{drawn_by} {name}").sample(cases, max(0, len(cases) - count)):
            item.add_marker(pytest.mark.full)


def draw(items: Sequence[pytest.Item], percent: int, drawn_by: str) -> set[pytest.Item]:
    """Return so many percent of each file of the long lists and of all tests of the model, of these at least one.

    What is over whole cases is decided by chance, so that one case of many minutes is not part of every sample.
    """
    files: defaultdict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        if item.get_closest_marker("llm"):  # slow, so they are one list
            files["llm"].append(item)
        elif item.get_closest_marker("full"):
            files[item.nodeid.partition("::")[0]].append(item)
    drawn: set[pytest.Item] = set()
    for name, cases in files.items():
        chance = random.Random(f"{drawn_by} {name}")
        number = int(len(cases) * percent / 100 + chance.random())
        drawn.update(chance.sample(cases, number or name == "llm"))
    return drawn


def drawn(values: Sequence[T], count: int) -> list[T]:
    """Return so many of these values, for tests of which even the long lists run only some with each commit."""
    return random.Random(f"{seed()} {values}").sample(list(values), count)


def covering(*parameters: Sequence[Any]) -> list[tuple[Any, ...]]:
    """Return combinations that hold each value of each parameter, as many as the longest parameter has values.

    Which values meet is decided by the commit. Use this instead of all combinations where one parameter hardly changes
    what another one does.
    """
    count = max(map(len, parameters))
    columns = []
    for number, values in enumerate(parameters):  # the number, so that equal parameters do not get the same order
        order = random.Random(f"{seed()} {number} {values}").sample(list(values), len(values))
        columns.append((order * count)[:count])
    return list(zip(*columns, strict=True))


def command_that_repeats(tests: Iterable[str], drawn_by: str) -> str:
    """Return the shell command that runs these tests again, of whichever list they are."""
    ids = " ".join(shlex.quote(each) for each in tests)
    return f"SAMPLE_SEED={drawn_by} .venv/bin/python -m pytest {ids}"
