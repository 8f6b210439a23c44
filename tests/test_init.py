"""`autocraft init` asks, tests and writes; `config show` says where each value comes from; `.env.template`."""

from __future__ import annotations

import io
import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from autocraft.settings.config import Config
from autocraft.settings.fields import SECTIONS, kinds
from autocraft.settings.settings import Settings
from scripts.make_env_template import TEMPLATE, template
from tests.brains.stand_in import StandIn
from tests.conftest import Place

pytestmark = pytest.mark.sampled(8)

KEY = "sk-" + "a1b2c3d4" * 5
NUMBER = "Number; Enter for 1: "


@pytest.fixture
def stand_in(stand_in: StandIn) -> StandIn:
    stand_in.offer("qwen", "llama")
    return stand_in


def answer(child: Any, question: str, text: str) -> None:
    child.expect_exact(question)
    child.sendline(text)


def choose(child: Any, words: str) -> None:
    child.expect_exact(NUMBER)
    child.sendline(re.search(rf"(\d+)  {words}", child.before)[1])  # type: ignore[index]


def test_without_a_terminal_it_is_one_line(place: Place) -> None:
    done = place.run("init", stdin="1\n")
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
    assert "needs a terminal" in done.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="needs a folder that root cannot write either")
def test_a_folder_that_cannot_be_written_is_told_before_the_questions(
    place: Place, terminal: Callable[..., Any]
) -> None:
    place.folder = Path("/proc")
    child = terminal("init")
    child.expect_exact("autocraft: /proc cannot be written (No such file or directory): use another folder")
    assert child.wait() == 2
    assert "Looking for local servers" not in child.before


def test_enter_at_each_question_gives_the_planner(place: Place, terminal: Callable[..., Any]) -> None:
    child = terminal("init", columns=80)
    answer(child, NUMBER, "99")
    answer(child, NUMBER, "")
    answer(child, "World: crafting or minecraft; Enter for crafting: ", "chess")
    answer(child, "World: crafting or minecraft; Enter for crafting: ", "")
    answer(child, "Enter for the system's own: ", "~nobody-here/x")
    answer(child, "Enter for the system's own: ", "a\0b")
    answer(child, "Enter for the system's own: ", "/proc")
    answer(child, "Enter for the system's own: ", "")
    assert child.wait() == 0
    assert not (place.folder / ".env").exists()
    assert (place.folder / "autocraft.toml").read_text() == '[run]\nworld = "crafting"\n'
    assert (place.folder / "autocraft.toml").stat().st_mode & 0o777 == 0o600


def test_a_key_that_is_set_already_is_told_where_the_planner_was_chosen(terminal: Callable[..., Any]) -> None:
    child = terminal("init", OPENAI_API_KEY=KEY)
    for question in (NUMBER, "Enter for crafting: ", "Enter for the system's own: "):
        answer(child, question, "")
    child.expect_exact("A model plays, not the planner, because of OPENAI_API_KEY in the environment.")
    assert child.wait() == 0


def test_a_key_and_an_address_that_count_before_the_answers_are_told(
    terminal: Callable[..., Any], stand_in: StandIn
) -> None:
    child = terminal("init", OPENAI_API_KEY=KEY, AUTOCRAFT_WORLD="crafting")
    choose(child, "another server")
    answer(child, "Address, such as http://127.0.0.1:8080/v1: ", stand_in.url.removeprefix("http://"))
    answer(child, "Enter for none: ", "")
    for question in ("Model; Enter for qwen: ", "Enter for crafting: ", "Enter for the system's own: "):
        answer(child, question, "")
    child.expect_exact("AUTOCRAFT_WORLD in the environment counts before what you chose.")
    child.expect_exact(f"{stand_in.url} gets your key (OPENAI_API_KEY in the environment).")
    assert child.wait() == 0


def test_a_server_is_tried_and_counts_at_once(place: Place, terminal: Callable[..., Any], stand_in: StandIn) -> None:
    child = terminal("init")
    child.logfile_read = io.StringIO()
    choose(child, "another server")
    answer(child, "Address, such as http://127.0.0.1:8080/v1: ", "")
    child.expect_exact("No: the server has no address yet: type it.")
    answer(child, "Address, such as http://127.0.0.1:8080/v1: ", "http://127.0.0.1:9/v1")
    answer(child, "Enter for none: ", "")
    child.expect_exact("No: ")
    answer(child, "Address, such as http://127.0.0.1:8080/v1: ", stand_in.url)
    answer(child, "Enter for none: ", stand_in.url)
    child.expect_exact("No: that is an address: type the key of the server.")
    answer(child, "Enter for none: ", KEY)
    answer(child, "Model; Enter for qwen: ", "other")
    answer(child, "Model; Enter for qwen: ", "llama")
    answer(child, "Enter for crafting: ", "minecraft")
    answer(child, "practice server of your own: ", "127.0.0.1:9")
    child.expect_exact("cannot be reached")
    answer(child, "practice server of your own: ", server := stand_in.url.split("/")[2])
    answer(child, "Enter for the system's own: ", "mine")
    assert child.wait() == 0
    seen = child.logfile_read.getvalue()
    assert "It answers, and offers 2 models" in seen and KEY not in seen
    assert (place.folder / ".env").read_text() == f"OPENAI_API_KEY={KEY}\n"
    assert (place.folder / ".env").stat().st_mode & 0o777 == 0o600
    del stand_in.requests[:]
    done = place.run("config", "show", "--json")
    rows = {row["name"]: row for row in map(json.loads, done.stdout.splitlines())}
    assert rows["openai.base_url"]["value"] == stand_in.url
    assert rows["openai.base_url"]["source"] == "openai.base_url in autocraft.toml"
    assert rows["openai.api_key"] == {
        "name": "openai.api_key", "value": "set, not shown", "source": "OPENAI_API_KEY in .env"
    }  # fmt: skip
    assert (rows["run.world"]["value"], rows["minecraft.server"]["value"]) == ("minecraft", server)
    assert rows["openai.smart_model"]["value"] == "llama"
    assert rows["session.state_dir"]["source"] == "AUTOCRAFT_STATE_DIR in the environment", "it comes first"
    assert KEY not in done.stdout


def test_settings_as_json_are_only_json(place: Place) -> None:
    done = place.run("config", "show", "--json", AUTOCRAFT_STATE_DIR="", MEMORY_EMBEDDER="")
    assert done.returncode == 0 and done.stdout == ""


def test_a_file_that_is_there_stays_without_a_yes(place: Place, terminal: Callable[..., Any]) -> None:
    (place.folder / "autocraft.toml").write_text("[limits]\nmax_steps = 5\n")
    for word, kept in (("no", True), ("yes", False)):
        child = terminal("init")
        for question in (NUMBER, "Enter for crafting: ", "Enter for the system's own: "):
            answer(child, question, "")
        answer(child, "is there. Type yes to replace all of it: ", word)
        assert child.wait() == 0
        assert ("max_steps" in (place.folder / "autocraft.toml").read_text()) is kept


def test_the_end_of_input_writes_nothing(place: Place, terminal: Callable[..., Any]) -> None:
    child = terminal("init")
    child.expect_exact(NUMBER)
    child.send("\x04")
    child.expect_exact("nothing was written")
    assert child.wait() == 2
    assert not (place.folder / "autocraft.toml").exists()


def test_show_masks_and_names_sources(place: Place) -> None:
    (place.folder / ".env").write_text("AUTOCRAFT_MAX_STEPS=7\n")
    done = place.run("config", "show", OPENAI_API_KEY=KEY)
    assert "limits.max_steps = 7  (AUTOCRAFT_MAX_STEPS in .env)" in done.stdout
    assert KEY not in done.stdout
    assert "(default)" not in done.stdout
    every = place.run("config", "show", "--all").stdout
    assert 'run.world = "crafting"  (default)' in every


@pytest.mark.parametrize(
    "text",
    [
        f'[openai]\nbase_url = "https://127.0.0.1:9/v1?api_key={KEY}"\n',
        f'[mcp.servers.x]\ncommand = "x"\nenv = {{ API_TOKEN = "{KEY}" }}\n',
        f'[mcp.servers.x]\ncommand = "API_TOKEN"\nargs = ["serve", "--api-key={KEY}"]\n',
        f'[mcp.servers.x]\ncommand = "API_TOKEN"\nargs = ["--token", "{KEY}", "--verbose"]\n',
        f'[mcp.servers.x]\ncommand = "API_TOKEN"\nargs = ["--header", "Authorization: Bearer {KEY}"]\n',
        f'[mcp.servers.x]\nurl = "https://127.0.0.1:9/mcp"\nheaders = {{ Authorization = "Bearer {KEY}" }}\n',
    ],
    ids=["in an address", "for a server", "in a word", "behind an option", "behind a colon", "in a header"],
)
def test_show_hides_keys_inside_of_settings(place: Place, text: str) -> None:
    own = place.folder / ".config" / "autocraft"
    own.mkdir(parents=True)
    (own / "autocraft.toml").write_text(text)
    for arguments in ((), ("--json",)):
        shown = place.run("config", "show", *arguments).stdout
        assert "127.0.0.1" in shown or "API_TOKEN" in shown
        assert KEY not in shown


def test_the_template_is_up_to_date() -> None:
    assert TEMPLATE.read_text(encoding="utf-8") == template(), "run python -m scripts.make_env_template"


@pytest.mark.sampled(1)
def test_every_default_of_the_template_can_be_written_there() -> None:
    shown = re.findall(r"\[([^\]\n]+)\](?: \*)?\n(\w+)=$", template(), flags=re.M)
    assert ("chest,trapped_chest,barrel,*shulker_box,*_bed,*sign,spawner", "AUTOCRAFT_PROTECTED") in shown
    config = Config(Settings({}, {name: value for value, name in shown}))
    for section, kind in kinds(SECTIONS).items():
        assert config.section(section) == kind()


def test_a_copied_template_changes_nothing(place: Place) -> None:
    (place.folder / ".env").write_text(template())
    done = place.run("config", "show", "--json")
    assert done.returncode == 0, done.stderr
    assert {row["name"] for row in map(json.loads, done.stdout.splitlines())} <= {
        "session.state_dir", "memory.embedder"
    }  # fmt: skip
