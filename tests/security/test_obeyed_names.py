"""Files that other programs obey change only after a question of their own, by whatever command and permission."""

from __future__ import annotations

import asyncio
import os
import unicodedata
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from autocraft.app import every_command
from autocraft.commands.files import FileCommands
from autocraft.commands.obeyed_names import OBEYED, TOLD, why_obeyed
from autocraft.commands.registry import Registry
from autocraft.commands.workspace import Workspace, asked_about
from autocraft.errors import NotAsked
from autocraft.protocols import Risk, commands_of
from autocraft.settings.config import Config
from autocraft.settings.settings import Settings
from tests.conftest import Place, kinds
from tests.security.count import Tally

Kind = Callable[[str], Tally]

GOAL = ("run", "--goal", "craft 1 stick", "--inventory", "oak_planks=2", "--brain", "scripted", "--script")
WRITES: dict[str, Callable[[str], dict[str, Any]]] = {
    "write_to_file": lambda file: {"file": file, "text": "new\n"},
    "append_to_file": lambda file: {"file": file, "text": "new\n"},
    "edit_file": lambda file: {"file": file, "old": "old", "new": "new"},
    "delete_file": lambda file: {"file": file},
    "copy_back": lambda file: {"run": "run-1", "files": [file]},
    "generate_image": lambda file: {"prompt": file},
}
"""Each command that changes files of the workspace -> its arguments for a file."""
OTHERS = {
    *("move", "smelt", "craft_item", "smelt_item", "task_complete", "impossible", "memory_add", "google", "search"),
    *("browse_website", "get_text_summary", "get_hyperlinks", "execute_python_file", "save_skill", "delete_skill"),
    *("run_program", "run_skill", "start_agent", "message_agent", "delete_agent", "replay_plan"),
}
"""The other commands that change something: the world, memory, skills, helpers, or a copy of the workspace."""


def file_of(name: str) -> str:
    """Return a file of the entry `name`: the file itself, or one in the folder."""
    return f"{name}/hooks" if "." not in name.lstrip(".") and name != "head" else name


PROMISED = """
.git/config .git/hooks/x .git .hg/hgrc .svn/x .gitconfig .gitmodules bare.git/config
.husky/x .pre-commit-config.yaml .envrc
.vscode/tasks.json .idea/x .devcontainer/x x.code-workspace .github/workflows/ci.yml
.gitlab-ci.yml .circleci/config.yml
Jenkinsfile .bashrc .bash_profile .profile .zshrc .zshenv .vimrc .exrc .emacs .gdbinit .npmrc .yarnrc.yml
.pypirc pip.conf .cargo/config.toml .config/x .ssh/x .venv/bin/activate node_modules/x sitecustomize.py x.pth
.claude/settings.json
.cursor/x .codex/x .mcp.json AGENTS.md CLAUDE.md .cursorrules .github/copilot-instructions.md .htaccess
"""
"""What docs/security.md and the reviews name, so that no entry leaves the table unseen."""


def test_the_table_has_what_is_promised() -> None:
    assert [name for name in PROMISED.split() if not why_obeyed(name.split("/"))] == []


FILES = [file_of(name) for name in OBEYED]


def test_each_command_that_changes_something_is_a_case(tmp_path: Path) -> None:
    config = Config(Settings({"workspace": tmp_path / "work", "state_dir": tmp_path / "state"}, {}, folder=tmp_path))
    names = {each.name for each in every_command(config).everything() if each.tier is not Risk.LOOK and each.offered}
    assert names <= WRITES.keys() | OTHERS, "say in WRITES how it writes a file, or in OTHERS that it writes none"


class House:
    """The file commands on a real folder, without a gate."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "work"
        self.workspace = Workspace(self.root)
        self.registry = Registry(commands_of(FileCommands(self.workspace, folder / "undo")))

    def prepare(self, file: str) -> Path:
        path = self.root / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("old\n")
        return path


@pytest.mark.parametrize("command", ["write_to_file", "append_to_file", "edit_file", "delete_file"])
@pytest.mark.sampled(1)
def test_no_command_changes_such_a_file_unless_the_person_was_asked(tmp_path: Path, tally: Kind, command: str) -> None:
    attacks = tally("obeyed names")
    house = House(tmp_path)
    for file in FILES:
        path = house.prepare(f"sub/{file}")
        call = house.registry.bind(command, WRITES[command](f"sub/{file}"))
        result = asyncio.run(house.registry.call(call))
        kept = path.exists() and path.read_text() == "old\n"
        known = call.obeyed == (f"sub/{file}",) and why_obeyed((file,)) in call.warning
        attacks.add(f"{command} {file}", "" if kept and not result.ok and known else f"{result.text} {call.obeyed}")
        with asked_about(call.obeyed):
            result = asyncio.run(house.registry.call(call))
        assert result.ok, "the control: after the question it changes"
    attacks.done()


@pytest.mark.full
def test_a_program_copies_back_no_such_file_unless_the_person_was_asked(tmp_path: Path, tally: Kind) -> None:
    from autocraft.commands.code import CodeCommands
    from autocraft.commands.run_store import StoredFile
    from autocraft.sandbox.settings import CodeSettings
    from autocraft.session.atomic import sha256

    attacks, house = tally("obeyed names"), House(tmp_path)
    family = CodeCommands(FileCommands(house.workspace, tmp_path / "undo"), tmp_path / "runs", CodeSettings())
    registry, stored = Registry(commands_of(family)), []
    (tmp_path / "runs" / "run-1").mkdir(parents=True)
    (tmp_path / "runs" / "run-1" / sha256(b"new\n")).write_bytes(b"new\n")
    for file in ("notes.txt", *FILES):
        stored.append(StoredFile(file, "written", 4, sha256(b"new\n"), "", ""))
    family.runs.finish("run-1", stored, {"text": "", "ok": True})
    for file in FILES:
        call = registry.bind("copy_back", WRITES["copy_back"](file))
        result = asyncio.run(registry.call(call))
        attacks.add(f"copy_back {file}", "" if not result.ok and call.obeyed == (file,) else result.text)
    call = registry.bind("copy_back", {"run": "run-1"})
    result = asyncio.run(registry.call(call))
    attacks.add("copy_back of all", result.ok or (house.root / "notes.txt").exists())
    assert set(call.obeyed) == set(FILES)
    assert asyncio.run(registry.call(registry.bind("copy_back", WRITES["copy_back"]("notes.txt")))).ok, "the control"
    attacks.done()


def spellings(name: str) -> list[str]:
    """Return other names that some file system takes for `name`."""
    wide = "".join(chr(ord(char) + 0xFEE0) if "!" <= char <= "~" and char != "/" else char for char in name)
    stem, _, ending = name.lstrip(".").partition(".")
    short = f"{stem.replace('.', '')[:6]}~1" + (f".{ending[:3]}" if ending else "")
    others = [name.upper(), name.title(), f"{name}.", f"{name} ", f"{name}. .", f"{name}::$DATA", wide, f"{name}\u200d"]
    others += [unicodedata.normalize("NFD", f"{name[:2]}\u0301{name[2:]}"), f"sub/../{name}", f"./{name}", f"{name}/x"]
    return others + (
        [short.upper()] if "/" not in name and len(stem) > 2 and name.startswith(".") and not ending else []
    )


def test_each_name_is_known_in_every_spelling(tally: Kind) -> None:
    attacks = tally("obeyed names")
    for name in OBEYED:
        for other in spellings(name):
            attacks.add(other, "" if why_obeyed(other.split("/")) else "was taken for another name")
    for name in (
        "notes.txt",
        "git.txt",
        ".gitignore",
        ".github/ISSUE.md",
        "workflows/x",
        "header",
        "env",
        "a.py",
        *TOLD,
    ):
        assert not why_obeyed(name.split("/")), f"the control: {name} is no such file"
    attacks.done()


def test_such_a_place_behind_a_link_or_another_name_is_known(tmp_path: Path, tally: Kind) -> None:
    attacks, house = tally("obeyed names"), House(tmp_path)
    house.prepare(".git/config")
    house.prepare("env.txt")
    house.prepare("shared/vscode/tasks.json")
    for name in ("HEAD", "objects/x", "config"):
        house.prepare(f"plain/{name}")
    house.prepare("notes.txt")
    (house.root / "link.txt").symlink_to(".git/config")
    (house.root / "folder").symlink_to(".git")
    (house.root / ".envrc").symlink_to("env.txt")
    (house.root / "in").mkdir()
    (house.root / "in" / ".vscode").symlink_to("../shared/vscode")
    (house.root / "in" / "loop").symlink_to("loop")
    os.link(house.root / ".git" / "config", house.root / "hard.txt")
    for file in ("link.txt", "folder/config", "env.txt", "in/.vscode/tasks.json", "plain/config", "in/../.git/config"):
        before = {path: path.read_bytes() for path in house.root.rglob("*") if path.is_file()}
        for command in ("write_to_file", "append_to_file", "edit_file", "delete_file"):
            call = house.registry.bind(command, WRITES[command](file))
            attacks.add(f"{command} {file}", "" if call.obeyed else "nobody would be asked")
            if file != "in/.vscode/tasks.json":  # there only the gate knows: the name that leads to it is elsewhere
                result = asyncio.run(house.registry.call(call))
                attacks.add(f"{command} {file} unasked", result.ok and result.text)
        attacks.add(f"after {file}", before != {path: path.read_bytes() for path in before if path.exists()})
    asyncio.run(house.registry.call(house.registry.bind("append_to_file", WRITES["append_to_file"]("hard.txt"))))
    asyncio.run(house.registry.call(house.registry.bind("write_to_file", WRITES["write_to_file"]("hard.txt"))))
    attacks.add("a hard link", (house.root / ".git" / "config").read_text() != "old\n")
    assert asyncio.run(house.registry.call(house.registry.bind("delete_file", {"file": "notes.txt"}))).ok, "the control"
    attacks.done()


def test_a_write_asks_for_the_file_that_it_meets(tmp_path: Path) -> None:
    house = House(tmp_path)
    house.prepare(".git/config")
    with asked_about(["notes.txt"]), pytest.raises(NotAsked, match="question of its own"):
        house.workspace.write(house.root / ".git" / "config", b"x")


APPEND = ("append_to_file", {"file": ".git/config", "text": "[core]\n"})
LOOK: tuple[str, dict[str, Any]] = ("show_inventory", {})
RULE = '[[policy.rule]]\nthen = "allow"\ncommand = "append_to_file"\n'


def changed(place: Place) -> bool:
    return (place.folder / "workspace" / ".git" / "config").read_text() != "old\n"


@pytest.fixture
def repository(place: Place) -> Path:
    file = place.folder / "workspace" / ".git" / "config"
    file.parent.mkdir(parents=True)
    file.write_text("old\n")
    return file


@pytest.mark.parametrize("rule", ["", RULE])
@pytest.mark.full
def test_where_nobody_can_answer_it_is_refused_in_one_line(
    place: Place, repository: Path, tally: Kind, rule: str
) -> None:
    attacks, policy = tally("obeyed names"), place.folder / "rules.toml"
    policy.write_text(rule or '[[policy.rule]]\nthen = "allow"\ncommand = "show_*"\n')
    place.run(*GOAL, place.script(APPEND, LOOK), "--continuous", "--policy", str(policy))
    (decision,) = [each for each in kinds(place.events(), "decision") if each["command"] == "append_to_file"]
    told = "git runs programs" in decision["why"] and "nobody can be asked" in decision["why"]
    attacks.add("continuous", changed(place) or decision["kind"] != "refuse" or not told)
    attacks.done()


@pytest.mark.parametrize("how", ["y -3", "a", "rule", "continuous"])
@pytest.mark.sampled(1)
def test_no_permission_covers_it_and_the_question_says_why(
    place: Place, repository: Path, terminal: Callable[..., Any], tally: Kind, how: str
) -> None:
    attacks, policy = tally("obeyed names"), place.folder / "rules.toml"
    policy.write_text(RULE)
    harmless = ("append_to_file", {"file": "notes.txt", "text": "x\n"})
    flags = {"rule": ("--policy", str(policy)), "continuous": ("--continuous",)}.get(how, ())
    child = terminal(*GOAL, place.script(harmless, APPEND, APPEND, APPEND), *flags)
    if not flags:
        child.expect_exact("feedback for")
        child.expect_exact("Input:")
        child.send(f"{how}\r")
    child.expect_exact("This command changes .git/config: git runs programs that its files name.")
    child.expect_exact("Input:")
    attacks.add(how, changed(place))
    assert (place.folder / "workspace" / "notes.txt").exists(), "the control: the permission covers another file"
    child.send("y\r")
    child.expect_exact("Text appended successfully")
    child.expect_exact("This command changes .git/config")  # the next one is a question again
    child.expect_exact("Input:")
    assert repository.read_text() == "old\n[core]\n"
    child.send("/undo\r")
    child.expect_exact("/undo .git/config takes it back")
    child.expect_exact("Input:")
    attacks.add("undo", repository.read_text() == "old\n")
    child.send("/undo .git/config\r")
    child.expect_exact("as before")
    child.expect_exact("Input:")
    assert repository.read_text() == "old\n", "the control: named, it is taken back"
    child.send("n\r")
    attacks.done()


def test_what_a_person_runs_on_purpose_is_told_in_the_preview(tmp_path: Path) -> None:
    house = House(tmp_path)
    names: Sequence[str] = (*TOLD, "build.sh")
    for name in names:
        call = house.registry.bind("write_to_file", {"file": name, "text": "x\n"})
        assert not call.obeyed and "runs what this file says" in house.registry.preview(call), name
        assert asyncio.run(house.registry.call(call)).ok
    assert "runs" not in house.registry.preview(house.registry.bind("write_to_file", {"file": "a.txt", "text": "x\n"}))
