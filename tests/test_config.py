"""`Config`: a typed attribute for each section, read when it is first used."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from autocraft import features
from autocraft.errors import UsageError
from autocraft.features import MODES
from autocraft.settings.config import Config
from autocraft.settings.fields import ROLES, SECTIONS
from autocraft.settings.settings import Settings

PACKAGE = Path(__file__).parents[1] / "autocraft"


def config(folder: Path, **flags: object) -> Config:
    return Config(Settings(flags, {}, folder=folder))


def test_each_section_has_its_attribute_and_its_class() -> None:
    typed = {name: kind for name, kind in Config.__annotations__.items() if not name.startswith("_")}
    inner = {name: place for name, place in SECTIONS.items() if "." not in name and name not in features.SECTIONS}
    named = {name: place.partition(":")[2] for name, place in inner.items()}
    assert typed == named


def test_a_section_is_read_when_it_is_first_used_and_then_kept(tmp_path: Path) -> None:
    made = config(tmp_path, **{"limits.max_steps": "many", "max_seconds": 5})
    assert made.run.world == "crafting", "the control: the fault of another section does not matter"
    for _ in range(2):
        with pytest.raises(UsageError, match="whole number"):
            _ = made.limits
    good = config(tmp_path, max_steps=3)
    assert good.limits.max_steps == 3 and good.limits is good.limits is good.section("limits")
    assert set(good.models) == set(ROLES)
    assert good.section("crafting") is None
    with pytest.raises(AttributeError, match="no section limit"):
        _ = good.limit  # type: ignore[attr-defined]


def test_a_value_says_where_it_comes_from(tmp_path: Path) -> None:
    (tmp_path / "autocraft.toml").write_text("[limits]\nmax_steps = 4\n")
    made = config(tmp_path, max_seconds=5)
    assert made.source_of("limits", "max_steps") == "limits.max_steps in autocraft.toml"
    assert made.source_of("limits", "max_seconds") == "--max-seconds"
    assert made.source_of("limits", "max_cost") == ""
    assert made.file_of("limits", "max_steps") == tmp_path / "autocraft.toml"
    assert made.file_of("limits", "max_seconds") is None


def test_other_flags_leave_the_first_config_as_it_was(tmp_path: Path) -> None:
    first = config(tmp_path, max_steps=3)
    second = first.with_given({**first.given, "max_steps": 7, "openai_api_key": None})
    assert (first.limits.max_steps, second.limits.max_steps) == (3, 7)
    assert first.source_of("limits", "max_tokens") == second.source_of("limits", "max_tokens") == ""
    assert second.mask is first.mask, "a secret that either reads is cut out by both"


def test_the_defaults_of_a_mode_are_replaced_by_every_other_source(tmp_path: Path) -> None:
    defaults = MODES["learn"].defaults
    assert Config(Settings({}, {}, folder=tmp_path, defaults=defaults)).run.world == "minecraft"
    assert Config(Settings({"world": "crafting"}, {}, folder=tmp_path, defaults=defaults)).run.world == "crafting"


def test_only_what_opens_shows_or_confirms_settings_looks_at_their_sources() -> None:
    """Each other part is given its section."""
    may = {"app.py", "cli/config.py", "cli/checks.py", "cli/init.py", "cli/trust.py"}
    look = re.compile(r"\.fill\(|[cC]onfig(\([^\n]*\))?\.sources\b|settings\.(flags|sources|origins)")
    looks = {
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        if path.parent.name != "settings" and look.search(path.read_text("utf-8").replace("autocraft.settings.", ""))
    }
    assert looks == may
