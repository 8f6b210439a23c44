"""Workflows name each foreign action by the hash of its commit, which nobody can move, with its version beside it."""

from __future__ import annotations

import re

import pytest

from tests.conftest import ROOT

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
