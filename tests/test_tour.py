"""docs/tour.md: every command once, as it really runs."""

from __future__ import annotations

import re

import pytest

from autocraft.app import every_command
from autocraft.settings.config import Config
from autocraft.settings.settings import Settings
from scripts.make_tour import PAGE, page


def test_the_tour_uses_every_command_that_is_offered() -> None:
    used = set(re.findall(r"NEXT ACTION (\w+)", PAGE.read_text(encoding="utf-8")))
    offered = {
        each.name for each in every_command(Config(Settings({"disabled": ["own"]}, {}))).commands() if each.offered
    }
    assert offered - used == set()


@pytest.mark.full
def test_the_tour_is_what_a_run_says_now() -> None:
    assert page() == PAGE.read_text(encoding="utf-8")
