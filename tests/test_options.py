"""The options of the command line are those of the settings, and the same for every verb that opens a run."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from autocraft.cli import completion, load
from autocraft.cli.options import RUN, Flags, with_settings
from autocraft.features import VERBS
from autocraft.settings.config import Config
from autocraft.settings.fields import SECTIONS, kinds, option_of
from tests.conftest import STONE_PICKAXE, Place

MODES = {"--resume", "--dry-run", "--json", "--web", "--web-port", "--web-open"}
"""What `run` alone has: how it goes on, where it is shown, and what it does in place of a run."""
GIVEN: dict[str, tuple[list[str], Any]] = {
    "brain": (["--brain", "planner"], "planner"),
    "script": (["--script", "a.jsonl"], Path("a.jsonl")),
    "max_steps": (["--max-steps", "7"], 7),
    "max_seconds": (["--max-seconds", "1.5"], 1.5),
    "continuous": (["-c"], True),
    "continuous_limit": (["-l", "2"], 2),
    "verbose": (["-v"], True),
    "freeze": (["--no-freeze"], False),
    "bell": (["--bell"], True),
    "listen_to": (["--listen-to", "Ann", "--listen-to", "Bob"], ["Ann", "Bob"]),
    "server": (["--server", "lan"], "lan"),
    "ai_name": (["--ai-name", "Bob"], "Bob"),
    "state_dir": (["--state-dir", "s"], Path("s")),
}


def options(verb: str) -> set[str]:
    return {name for each in load(verb).params for name in (*each.opts, *each.secondary_opts)}


def settings_of_a_run() -> dict[str, dataclasses.Field[Any]]:
    """Field name -> field, of every setting that is an option of a run."""
    fields = [field for kind in kinds(RUN).values() for field in dataclasses.fields(kind)]
    return {field.name: field for field in fields if field.metadata["option"]}


def test_every_verb_that_opens_a_run_has_the_same_options() -> None:
    assert options("run") - options("prompt") == MODES
    assert options("prompt") - options("run") == set()


def test_no_option_of_a_run_is_lost() -> None:
    assert options("run") - MODES == {
        "--advice", "--ai-name", "--ai-role", "--auth", "--auto-look", "--base-url", "--begin",
        "--bell", "--bots", "--brain", "--cheats",
        "--commands", "--continuous",
        "--continuous-limit", "--debug", "--durable", "--example", "--freeze", "--goal", "--images", "--inventory",
        "--listen-to", "--low-level", "--max-cost", "--max-errors", "--max-game-minutes",
        "--max-seconds", "--max-steps", "--max-tokens",
        "--keys",
        "--mc-version", "--memory", "--no-advice", "--no-bell", "--no-freeze", "--no-low-level", "--notify", "--plain",
        "--policy",
        "--price-in", "--price-out", "--profile", "--quiet", "--script", "--seed", "--server", "--speed", "--state-dir",
        "--stop-early",
        "--unknown",
        "--username", "--verbose", "--workspace", "--world", "-c", "-g", "-l", "-m", "-q", "-v", "-y", "words",
        "--model", "--smart-model", "--tools", "--wire",
    }  # fmt: skip


def test_an_option_has_the_name_that_errors_call_its_setting_by() -> None:
    for section, kind in kinds(SECTIONS).items():
        for field in dataclasses.fields(kind):
            if option := field.metadata["option"]:
                assert f"--{field.name.replace('_', '-')}" in option.replace("/", " ").split(), (
                    f"{section}.{field.name}"
                )


@pytest.mark.parametrize("name", ["", *GIVEN])
def test_an_option_reaches_its_setting_and_the_others_are_left_out(name: str) -> None:
    found: list[Flags] = []
    app = typer.Typer()

    @app.command()
    @with_settings(*RUN)
    def verb(flags: Flags) -> int:
        found.append(flags)
        return 0

    arguments, value = GIVEN.get(name, ([], None))
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 0, done.output
    assert found == [{each: value if each == name else None for each in settings_of_a_run()}]


def test_a_preview_takes_what_a_run_takes_and_refuses_what_a_run_refuses(place: Place) -> None:
    done = place.run("prompt", *STONE_PICKAXE, "--world", "crafting", "--memory", "none", "--ai-name", "Bob", "-c")
    assert done.returncode == 0, done.stderr
    assert "Bob" in done.stdout
    old = {"LANG": "C", "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = place.run("prompt", *STONE_PICKAXE, "--memory", "none", "--ai-name", "José", **old)
    assert (done.returncode, done.stderr) == (0, ""), "an accent is no fault where Python takes ASCII"
    refused = [place.run(verb, "--goal", "craft 1 stick", "--max-steps", "0") for verb in ("run", "prompt")]
    assert [done.returncode for done in refused] == [2, 2]
    assert refused[0].stderr == refused[1].stderr
    assert "--max-steps is 0: give more than 0" in refused[0].stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--resume", "last", "--dry-run"), "--dry-run belongs to a new run: leave --resume out"),
        (("--web", "--dry-run"), "--dry-run has no page: leave --web out"),
    ],
)
def test_what_only_looks_ahead_has_no_run(place: Place, arguments: tuple[str, ...], said: str) -> None:
    done = place.run("run", *arguments)
    assert done.returncode == 2
    assert said in done.stderr


def test_a_script_that_is_named_plays(place: Place) -> None:
    script = place.script(("craft_item", {"name": "birch_planks", "count": 4}))
    assert "birch_planks" in place.run("run", "--goal", "be happy", "--script", script, "-c").stdout


@pytest.mark.parametrize("verb", ["run", "learn", "mcp"])
def test_resume_without_a_run_says_what_is_missing_where_nobody_can_pick_one(place: Place, verb: str) -> None:
    done = place.run(verb, "--resume")
    assert done.returncode == 2
    assert "--resume needs a session's id, or last" in done.stderr


@pytest.mark.parametrize("words", [["list", "--state-dir", "x"], ["--state-dir=x", "list"], ["list", "--state-dir=x"]])
def test_an_option_of_a_group_may_stand_behind_the_verb(place: Place, words: list[str]) -> None:
    done = place.run("skills", *words)
    assert (done.returncode, done.stdout[:23]) == (0, "There are no skills yet"), done.stderr


@pytest.mark.parametrize("verb", ["show", "diff", "restore"])
def test_the_help_names_no_version_0(place: Place, verb: str) -> None:
    shown = place.run("skills", verb, "--help").stdout
    assert "  -h, --help" in shown and "default: 0" not in shown


def test_the_list_of_verbs_is_whole_and_each_has_help(place: Place) -> None:
    done = place.run("--help")
    rows = done.stdout.partition("Commands:\n")[2].splitlines()
    assert rows == [f"  {name:<17}{verb.help}" for name, verb in VERBS.items()], "a line is too long for 80 columns"
    modules = {path.stem for path in (Path(__file__).parents[1] / "autocraft" / "cli").glob("*.py")}
    assert modules == {verb.replace("-", "_") for verb in VERBS} | {
        "__init__",
        "checks",
        "completion",
        "dialogue",
        "options",
        "scores",
        "suite",
    }
    for verb in VERBS:
        assert load(verb).help, verb


def test_a_verb_that_is_unknown_gets_the_nearest_name(place: Place) -> None:
    done = place.run("memry")
    assert done.returncode == 2
    assert "Did you mean 'memory'?" in done.stderr


def test_small_words_of_a_help_text_are_completed() -> None:
    (server,) = [field for field in dataclasses.fields(kinds(["minecraft"])["minecraft"]) if field.name == "server"]
    complete = completion.of_setting("minecraft.server", option_of(server)[1])
    assert complete is not None and complete("") == ["lan"]
    assert completion.of_setting("minecraft.username", "") is None


@pytest.mark.parametrize("setting", completion.PARTED)
def test_the_names_of_parts_are_completed_and_accepted(setting: str) -> None:
    complete = completion.of_setting(setting, "")
    assert complete is not None
    values = complete("")
    assert len(values) > 1
    section, _, name = setting.partition(".")
    for value in values:
        assert getattr(Config(None, **{setting: value}).section(section), name) == value
    assert complete(values[0][:2])[0] == values[0] and complete("nothing like it") == []


@pytest.mark.full
@pytest.mark.parametrize("verb", ["run", "learn", "skills", "sessions", "memory", "eval", "mcp", "report", "plan"])
def test_a_help_text_has_words_for_values_and_no_types_of_python(place: Place, verb: str) -> None:
    shown = place.run(verb, "-h").stdout
    assert "--" in shown and not re.findall(r"<\w[\w\[\]]*>", shown)
