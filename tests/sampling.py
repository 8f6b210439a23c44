"""Long lists of cases: the fast tier runs a few of each, and others with each commit; the long lists run the rest."""

from __future__ import annotations

import os
import random
import subprocess
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import pytest


def seed() -> str:
    """Return what the samples are drawn by: `SAMPLE_SEED` where it is set, else the commit that is checked out."""
    if given := os.environ.get("SAMPLE_SEED"):
        return given
    command = ["git", "rev-parse", "--short=12", "HEAD"]
    done = subprocess.run(command, cwd=Path(__file__).parent, capture_output=True, text=True, check=False)
    return done.stdout.strip() or "no commit"


def leave_the_rest_to_the_long_lists(items: Sequence[pytest.Item], drawn_by: str) -> None:
    """Mark as `full` each case that the seed does not draw; `sampled(COUNT)` is on its test or on its file."""
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
