"""flag > environment > .env > profile > autocraft.toml > default."""

from __future__ import annotations

import dataclasses
import math
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from autocraft.cli import completion
from autocraft.errors import UsageError
from autocraft.settings.config import Config
from autocraft.settings.fields import SECTIONS, kinds, setting
from autocraft.settings.settings import Settings, mask_of

SOURCES: dict[str, dict[str, Any]] = {
    "flag": {"flags": {"steps": 1}},
    "environment": {"environment": {"AUTOCRAFT_STEPS": "2"}},
    ".env": {"dotenv": "AUTOCRAFT_STEPS=3\n"},
    "profile": {"toml": "[profile.local.run]\nsteps = 4\n", "profile": "local"},
    "toml": {"toml": "[run]\nsteps = 5\n"},
}


@dataclass(frozen=True)
class Mine:
    """Settings of a room."""

    steps: int = setting(6)
    key: str = setting("", env="THE_KEY", secret=True)
    slow: bool = setting(False)
    folder: Path | None = setting(None)
    blocks: tuple[str, ...] = setting((), names=True)


def settings(folder: Path, *names: str) -> Settings:
    flags: dict[str, Any] = {}
    environment: dict[str, str] = {}
    profile, toml = None, ""
    for name in names:
        source = SOURCES[name]
        flags |= source.get("flags", {})
        environment |= source.get("environment", {})
        profile = source.get("profile", profile)
        toml += source.get("toml", "")
        if "dotenv" in source:
            (folder / ".env").write_text(source["dotenv"])
    if toml:
        (folder / "autocraft.toml").write_text(toml)
    return Settings(flags, environment, folder=folder, profile=profile)


@pytest.mark.parametrize(
    ("first", "value"), [("flag", 1), ("environment", 2), (".env", 3), ("profile", 4), ("toml", 5)]
)
def test_the_nearer_source_wins(tmp_path: Path, first: str, value: int) -> None:
    names = list(SOURCES)
    assert settings(tmp_path, *names[names.index(first) :]).fill(Mine, "run").steps == value


def test_without_any_source_the_default_stands(tmp_path: Path) -> None:
    assert settings(tmp_path).fill(Mine, "run") == Mine()


@pytest.mark.parametrize(
    ("variable", "value", "said"),
    [
        ("AUTOCRAFT_STEPS", "many", "AUTOCRAFT_STEPS in the environment is 'many', but a whole number is needed"),
        ("AUTOCRAFT_STEPS", "1.5", "a whole number is needed"),
        ("AUTOCRAFT_SLOW", "perhaps", "yes or no is needed"),
        ("AUTOCRAFT_FOLDER", "~nobody-here/x", "is '~nobody-here/x', but the folder of a known user is needed"),
        ("AUTOCRAFT_BLOCKS", "('chest',)", "write names with commas between, such as chest,barrel"),
    ],
)
def test_a_bad_value_names_its_source(tmp_path: Path, variable: str, value: str, said: str) -> None:
    with pytest.raises(UsageError) as caught:
        Settings({}, {variable: value}, folder=tmp_path).fill(Mine, "run")
    assert said in str(caught.value)


@pytest.mark.parametrize(("value", "steps"), [("1e3", 1000), ("2.9", None), ("nan", None), ("true", None)])
def test_a_number_of_a_file_is_not_rounded(tmp_path: Path, value: str, steps: int | None) -> None:
    (tmp_path / "autocraft.toml").write_text(f"[run]\nsteps = {value}\n")
    made = Settings({}, {}, folder=tmp_path)
    if steps is None:
        with pytest.raises(UsageError, match="but a whole number is needed"):
            made.fill(Mine, "run")
    else:
        assert made.fill(Mine, "run").steps == steps


@pytest.mark.parametrize("word", ["1", "yes", "True", "ON"])
def test_yes_has_many_words(tmp_path: Path, word: str) -> None:
    assert Settings({}, {"AUTOCRAFT_SLOW": word}, folder=tmp_path).fill(Mine, "run").slow is True


def test_blanks_around_names_do_not_count(tmp_path: Path) -> None:
    made = Settings({}, {"AUTOCRAFT_BLOCKS": " chest, *_bed,"}, folder=tmp_path)
    assert made.fill(Mine, "run").blocks == ("chest", "*_bed")


OTHERS = ("AUTOCRAFT_NODE", "AUTOCRAFT_NODE_MODULES", "AUTOCRAFT_VIEW_MODULES", "AUTOCRAFT_SANDBOX_MODULES",
          "AUTOCRAFT_TEXTURES", "AUTOCRAFT_EVENT", "AUTOCRAFT_SESSION", "AUTOCRAFT_BENCH_PYTHON",
          "AUTOCRAFT_JS_COVERAGE", "AUTOCRAFT_BROWSER_MODULES", "AUTOCRAFT_SQUID_MODULES",
          "AUTOCRAFT_FORK_MODULES")  # fmt: skip


def test_a_misspelt_variable_is_told(tmp_path: Path) -> None:
    made = Settings({}, {"AUTOCRAFT_MAX_STEP": "1", **dict.fromkeys(OTHERS, "x")}, folder=tmp_path)
    assert made.misspelt() == ["AUTOCRAFT_MAX_STEP is not a setting: did you mean AUTOCRAFT_MAX_STEPS?"]


def test_secrets_are_known_and_not_shown(tmp_path: Path) -> None:
    made = Settings({}, {"THE_KEY": "sk-123456789"}, folder=tmp_path)
    assert "sk-123456789" not in repr(made.fill(Mine, "run"))
    assert "sk-123456789" not in made.mask.text("It was sk-123456789.")


def test_a_secret_in_a_very_deep_table_is_found(tmp_path: Path) -> None:
    (tmp_path / "autocraft.toml").write_text(".".join("a" * 6000) + ".api_key = 'sk-123456789'")
    assert "sk-123456789" not in mask_of({}, tmp_path).text("It was sk-123456789.")


def test_a_file_of_notepad_is_read(tmp_path: Path) -> None:
    (tmp_path / "autocraft.toml").write_text("[run]\r\nsteps = 5\r\n", encoding="utf-8-sig")
    assert Settings({}, {}, folder=tmp_path).fill(Mine, "run").steps == 5


def test_a_profile_of_dotenv_is_refused(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("AUTOCRAFT_PROFILE=ollama\n")
    with pytest.raises(UsageError, match="AUTOCRAFT_PROFILE counts in the environment alone: write profile_default"):
        Settings({}, {}, folder=tmp_path).refuse_unknown()


@pytest.mark.parametrize("line", ["not a setting", "OPENAI_API_KEY='sk-123456789", "=3"])
def test_a_line_of_dotenv_that_cannot_be_read_is_told(tmp_path: Path, line: str) -> None:
    (tmp_path / ".env").write_text(f"# mine\nexport ALONE\nA=1\n{line}\nB=2\n")
    with pytest.raises(UsageError) as caught:
        Settings({}, {}, folder=tmp_path)
    assert str(caught.value) == r".env cannot be read: line 4 is not NAME=value; correct it, or move it away"


@pytest.mark.parametrize(
    ("toml", "said"),
    [
        ('[run]\nfolder = "a\\u0000b"\n', "run.folder in autocraft.toml holds a null character"),
        ('[run]\nfolder = ""\n', "run.folder in autocraft.toml is empty: write a path, or take it out"),
        ('profile_default = ["a"]\n', "unknown profile"),
        ("session = 3\n", "session in autocraft.toml is not a table: write [session] above its settings"),
        ('profile_default = "a"\n[profile.a.profile.b]\n', "[profile] in the profile is not a section"),
    ],
)
def test_what_no_setting_can_be_is_told(tmp_path: Path, toml: str, said: str) -> None:
    (tmp_path / "autocraft.toml").write_text(toml)

    def read() -> None:
        made = Settings({}, {}, folder=tmp_path, confirm=lambda *_: True)
        made.fill(Mine, "run")
        made.refuse_unknown()

    with pytest.raises(UsageError) as caught:
        read()
    assert said in str(caught.value)


@pytest.mark.parametrize("text", ["= 5", "x = " + "[" * 6000], ids=["no key", "deep"])
def test_a_broken_toml_file_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "autocraft.toml").write_text(text)
    with pytest.raises(UsageError, match=r"autocraft\.toml cannot be read"):
        Settings({}, {}, folder=tmp_path)


ALL = [(name, field) for name, kind in kinds(SECTIONS).items() for field in dataclasses.fields(kind)]
NUMBERS = [(name, field) for name, field in ALL if re.search(r"int|float", str(field.type))]
CHOICES = [(name, field) for name, field in ALL if field.metadata["words"]]


def read(section: str, name: str, value: Any) -> Any:
    return getattr(Config(None, **{f"{section}.{name}": value}).section(section), name)


def test_every_setting_that_is_a_number_refuses_one_that_it_cannot_have() -> None:
    """Each of them had a check of its own, or none."""
    assert len(NUMBERS) > 80
    for section, field in NUMBERS:
        for wrong in (math.inf, -math.inf, "nan") if "float" in str(field.type) else (10**400, -(10**400)):
            with pytest.raises(UsageError, match=rf"^{section}\.{field.name} is [-\w.+]+…?: give [\w, -]+$"):
                read(section, field.name, wrong)
        if field.metadata["least"] is None:
            with pytest.raises(UsageError, match=f"{field.name} is 0.*: give more than 0"):
                read(section, field.name, 0)
        else:
            assert read(section, field.name, field.metadata["least"]) == field.metadata["least"]
        assert read(section, field.name, field.metadata["most"]) == field.metadata["most"]


def test_every_setting_with_few_values_takes_these_alone_and_completes_them() -> None:
    """`--keys <TAB>` completed nothing."""
    assert len(CHOICES) > 20
    for section, field in CHOICES:
        words = field.metadata["words"]
        complete = completion.of_setting(f"{section}.{field.name}", "|".join(words))
        assert complete is not None and complete("") == list(words) and complete("nothing like it") == []
        for word in words:
            assert read(section, field.name, word) == word
        near = f"{words[0]}x"
        with pytest.raises(UsageError, match=rf"{field.name} is '{near}': did you mean {words[0]}\? choose .* or "):
            read(section, field.name, near)
