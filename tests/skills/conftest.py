"""A library in an empty folder, and short programs for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from autocraft.skills.skill import Draft
from autocraft.skills.store import Library

TRIAL = Path(__file__).with_name("trial")


def program(name: str, body: str = 'await craftItem(bot, "stick", 1);') -> str:
    return f"async function {name}(bot) {{\n  {body}\n}}\n"


def draft(name: str, body: str = 'await craftItem(bot, "stick", 1);', **said: object) -> Draft:
    return Draft(program(name, body), **{"description": f"Does {name}.", **said})  # type: ignore[arg-type]


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return Library(tmp_path / "skills")
