"""Workflows pin each foreign action by the hash of its commit, and run the Makefile's targets and nothing else."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.conftest import ROOT
from tests.test_make import targets

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.y*ml"))
USES = re.compile(r"^\s*(?:- )?uses:\s*(.*)$", re.M)
PINNED = re.compile(r"[\w.-]+(?:/[\w.-]+)+@[0-9a-f]{40}  # v\d+\.\d+\.\d+")


def loose(text: str) -> list[str]:
    """Return the actions that are not named by a hash and a version."""
    return [each for each in USES.findall(text) if not each.startswith("./") and not PINNED.fullmatch(each)]


def test_every_action_is_pinned_by_its_hash() -> None:
    texts = [path.read_text(encoding="utf-8") for path in WORKFLOWS]
    assert sum(len(USES.findall(text)) for text in texts) >= 4
    assert [each for text in texts for each in loose(text)] == []


def test_one_version_of_an_action_has_one_hash() -> None:
    found = [each.split("  # ") for path in WORKFLOWS for each in USES.findall(path.read_text(encoding="utf-8"))]
    hashes = {(name.partition("@")[0], version): set[str]() for name, version in found}
    for name, version in found:
        hashes[name.partition("@")[0], version].add(name.partition("@")[2])
    assert {key: each for key, each in hashes.items() if len(each) > 1} == {}


@pytest.mark.parametrize(
    "name", ["actions/checkout@v4", f"actions/checkout@{'0' * 40}", f"a/b@{'0' * 39}  # v1.2.3", "a/b"]
)
def test_an_action_without_hash_or_version_is_seen(name: str) -> None:
    assert loose(f"steps:\n  - uses: {name}\n") == [name]


# ---------------------------------------------------------------- the steps

STEP = re.compile(r"make (?P<target>[a-z-]+)( TAG=set)? PYTHON=python( +#.*)?|sudo sysctl -w kernel\.\S+=0( +#.*)?")
"""What a step may run: a target of the Makefile, or a switch of the system."""


def jobs(name: str) -> dict[str, Any]:
    """Return the jobs of a workflow."""
    text = (ROOT / ".github" / "workflows" / name).read_text(encoding="utf-8")
    found: dict[str, Any] = yaml.safe_load(text)
    every: dict[str, Any] = found["jobs"]
    return every | {"": found}


def runs(job: Mapping[str, Any]) -> list[str]:
    return [step["run"] for step in job["steps"] if "run" in step]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_every_step_is_a_target_of_the_makefile(path: Path) -> None:
    lines = [line for name, job in jobs(path.name).items() if name for line in runs(job)]
    found = [STEP.fullmatch(line) for line in lines]
    assert [line for line, match in zip(lines, found, strict=True) if match is None] == []
    assert {match["target"] for match in found if match and match["target"]} <= targets()


def test_what_is_published_was_built_and_checked_by_the_makefile() -> None:
    release = jobs("release.yml")
    assert runs(release["build"])[-1] == "make release TAG=set PYTHON=python"
    assert release["publish"]["needs"] == "build" and runs(release["publish"]) == []
    names = [step["uses"].partition("@")[0] for step in release["publish"]["steps"]]
    assert names == ["actions/download-artifact", "pypa/gh-action-pypi-publish"]
    [up] = [step["with"] for step in release["build"]["steps"] if "upload" in step.get("uses", "")]
    down = release["publish"]["steps"][0]["with"]
    assert (up["name"], up["path"]) == (down["name"], down["path"]) == ("packages", "dist/")


def test_only_the_job_that_publishes_has_an_identity_and_no_job_has_a_key() -> None:
    release = jobs("release.yml")
    assert release[""]["permissions"] == {} and release["build"]["permissions"] == {"contents": "read"}
    assert release["publish"]["permissions"] == {"id-token": "write"}
    assert release["publish"]["steps"][1]["with"] == {"attestations": True}
    assert release["publish"]["environment"]["name"] == "pypi"
    assert all("secrets." not in path.read_text(encoding="utf-8") for path in WORKFLOWS)


@pytest.mark.parametrize(
    "line", ["python -m build", "make lint && twine upload dist/*", "make no-such-target PYTHON=python"]
)
def test_a_second_copy_of_the_build_is_seen(line: str) -> None:
    match = STEP.fullmatch(line)
    assert match is None or match["target"] not in targets()
