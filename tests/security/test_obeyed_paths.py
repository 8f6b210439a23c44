"""What autocraft starts or obeys never lies in the workspace. Each setting is marked `runs`, or says why not."""

from __future__ import annotations

import dataclasses
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from autocraft.node import PackageList
from autocraft.sandbox.packages import PACKAGES as SANDBOX
from autocraft.settings import obeyed
from autocraft.settings.fields import SECTIONS, hints_of, kinds
from autocraft.worlds.minecraft.packages import PACKAGES as MINECRAFT
from autocraft.worlds.minecraft.view import PACKAGES as VIEW
from tests.conftest import Place
from tests.security.count import Tally

Kind = Callable[[str], Tally]

REASONS = {
    "the workspace itself": {"run.workspace"},
    "names of families, items, creatures or players": {
        *(
            "commands.commands",
            "commands.disabled",
            "learn.core_items",
            "learn.warm_up",
            "minecraft.protected",
            "minecraft.never_attack",
            "minecraft.listen_to",
            "minecraft.unknown",
        ),
    },
    "one of a few words, or the name of a part of autocraft": {
        *(
            "code.protection",
            "console.keys",
            "learn.context",
            "learn.curriculum",
            "learn.critic",
            "mcp.approve",
            "memory.embedder",
            "minecraft.auth",
        ),
        *(
            "minecraft.fight",
            "minecraft.sight",
            "openai.provider",
            "openai.wire",
            "openai.tools",
            "run.brain",
            "run.world",
            "run.memory",
        ),
        *("models.*.effort", "models.*.verbosity"),
    },
    "the name of a model, an index, a version or an example": {
        *(
            "image.image_model",
            "image.image_size",
            "memory.embedding_model",
            "memory.namespace",
            "memory.pinecone_index",
        ),
        *("memory.pinecone_cloud", "memory.pinecone_region", "minecraft.mc_version", "minecraft.username"),
        *("models.*.model", "openai.smart_model", "openai.fast_model", "openai.api_version", "run.example"),
    },
    "an address, or what is sent there": {
        *("memory.pinecone_host", "minecraft.server", "openai.base_url", "openai.azure_endpoint", "web.search_url"),
        *("web.allow_hosts", "web.user_agent", "web.custom_search_engine_id", "openai.stop", "openai.headers"),
    },
    "text for a prompt, a goal or the game": {
        *("learn.task", "learn.sub_goal", "learn.first_task", "prompt.ai_name", "prompt.ai_role", "run.inventory"),
        *("minecraft.begin", "minecraft.fence", "minecraft.heights"),
    },
    "a folder of data, whose programs count once a person approved them": {"learn.ckpt_dir"},
    "rules, whose file is obeyed wherever it lies": {"policy.rule"},
}
"""Why a setting that holds text, a list, a table or a path names nothing that is started or obeyed."""
MARKED = [f"{section}.{field.name}" for section, field in obeyed.marked()]


def every() -> dict[str, tuple[Any, Any]]:
    """Return each setting by its name, those of all roles of models as one, with its field and type."""
    rows = {}
    for section, kind in kinds(SECTIONS).items():
        for field in dataclasses.fields(kind):
            name = "models.*" if section.startswith("models.") else section
            rows[f"{name}.{field.name}"] = field, hints_of(kind)[field.name]
    return rows


def test_each_setting_is_marked_or_has_a_reason_not_to_be() -> None:
    reasons = [name for names in REASONS.values() for name in names]
    assert len(reasons) == len(set(reasons))
    for name, (field, hint) in every().items():
        harmless = not any(kind in str(hint) for kind in ("str", "Path", "Any")) or (
            field.metadata["secret"] and not field.metadata["runs"]
        )
        assert harmless + bool(field.metadata["runs"]) + (name in reasons) == 1, (
            f"{name}: mark it with runs=True, or say in REASONS why it names nothing that is started or obeyed"
        )
    assert {name for name, (field, _) in every().items() if field.metadata["runs"]} == set(MARKED), "obeyed._SECTIONS"


def test_each_variable_of_packages_is_looked_at() -> None:
    lists: tuple[PackageList, ...] = (SANDBOX, MINECRAFT, VIEW)
    assert {"AUTOCRAFT_NODE", *(each.variable for each in lists)} <= set(obeyed.VARIABLES)


def started(place: Place, name: str, path: Path) -> tuple[int, str]:
    """Start a run whose own file of settings says that `name` is `path`. Return the exit code and the errors."""
    _, hint = every()[name]
    section, _, key = name.rpartition(".")
    value: Any = str(path)
    if "dict" in str(hint):
        value = {"mine": {"command": sys.executable, "args": [str(path)], "start_seconds": 0.5}}
    elif "Path" not in str(hint):
        value = f"{sys.executable} {path}"
    if name == "mcp.servers_file":
        path.write_text(json.dumps({"mcpServers": {}}))
    own = place.folder / ".config" / "autocraft" / "autocraft.toml"
    own.parent.mkdir(parents=True, exist_ok=True)
    own.write_text(f"[{section}]\n{key} = {_toml(value)}\n")
    verb = (
        ("learn", "--iterations", "1", "--world", "crafting")
        if section == "learn"
        else ("run", "--goal", "craft 1 stick")
    )
    state = {"AUTOCRAFT_STATE_DIR": ""} if name == "session.state_dir" else {}
    done = place.run(
        *verb, "--workspace", str(place.folder / "work"), XDG_CONFIG_HOME=str(place.folder / ".config"), **state
    )
    return done.returncode, done.stderr.strip()


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{name} = {_toml(each)}" for name, each in value.items()) + "}"
    return json.dumps(value)


@pytest.mark.parametrize("name", MARKED)
@pytest.mark.sampled(1)
def test_a_run_does_not_start_with_such_a_path_in_the_workspace(place: Place, tally: Kind, name: str) -> None:
    attacks = tally("workspaces")
    (place.folder / "work" / "in").mkdir(parents=True)
    (place.folder / "away").mkdir()
    (place.folder / "away" / "link").symlink_to(place.folder / "work" / "in")
    for path in (place.folder / "work" / "in" / "it", place.folder / "away" / "link" / "it"):
        code, error = started(place, name, path)
        refused = code == 2 and f"what {name.removesuffix('_file')}" in error and "--workspace" in error
        attacks.add(f"{name} = {path.parent.name}/it", "" if refused and "\n" not in error else error or "it ran")
    _, error = started(place, name, place.folder / "away" / "it")
    assert "--workspace" not in error, "the control: elsewhere it is nobody's concern"
    attacks.done()


WORDS = {
    "its path": "{work}/n",
    "a relative path": "work/n",
    "a way around": "./away/../work/n",
    "a home": "~/work/n",
    "a variable": "$HOME/work/n",
    "behind env": "env X=y {work}/n",
    "in a string": "sh -c 'cd {work} && ./n'",
    "relative in a string": "sh -c 'exec work/n'",
    "a folder in a string": "sh -c 'cd away/..; cd work; ./n'",
    "code": "node -e \"require('{work}/n')\"",
    "an option": "npx --prefix={work} n",
    "a local folder": "npx ./work",
    "an address": "uvx --from file://{work} n",
    "beside its letter": "python3 -I{work} n",
    "a list": "prog a:{work}/n:b",
    "a module": "env PYTHONPATH={work} python3 -m n",
    "a link": "away/link",
    "a script of a link": "python3 away/script.py",
    "its interpreter": "away/shebang",
    "a bare name": "mine",
    "a bare name behind env": "env X=y mine",
    "a bare name in a string": "sh -c 'true; mine'",
    "a module beside it": "python3 away/beside.py",
}


@pytest.mark.sampled(1)
@pytest.mark.parametrize("what", WORDS)
def test_a_program_is_found_in_the_workspace_however_it_is_named(place: Place, tally: Kind, what: str) -> None:
    attacks, work, away = tally("workspaces"), place.folder / "work", place.folder / "away"
    (work / "bin").mkdir(parents=True)
    away.mkdir()
    (away / "link").symlink_to(work / "n")
    (away / "script.py").symlink_to(work / "real.py")
    (away / "shebang").write_text(f"#!{work}/bin/python\n")
    if what == "a module beside it":
        (away / "beside.py").write_text("import json\n")
        (away / "json.py").symlink_to(work / "n.py")
    (work / "bin" / "mine").write_text("#!/bin/sh\n")
    (work / "bin" / "mine").chmod(0o755)
    command = WORDS[what].format(work=work)
    path = f"{place.environment['PATH']}:{work}/bin" if "bare" in what else place.environment["PATH"]
    run = ("run", "--goal", "craft 1 stick", "--inventory", "oak_planks=2", "--continuous", "--workspace")
    done = place.run(*run, str(work), "--notify", command, PATH=path)
    attacks.add(command, "" if done.returncode == 2 and "what console.notify names" in done.stderr else done.stdout)
    done = place.run(*run, str(place.folder / "other"), "--notify", command, PATH=path)
    assert "console.notify names" not in done.stderr, "the control: with another workspace nothing is in the way"
    attacks.done()


SERVERS: dict[str, dict[str, Any]] = {
    "its folder": {"command": sys.executable, "args": ["-m", "n"], "cwd": "{work}"},
    "its modules": {"command": sys.executable, "args": ["-m", "n"], "env": {"PYTHONPATH": "{work}"}},
    "the path of its programs": {"command": "sh", "args": ["-c", "mine"], "env": {"PATH": "/usr/bin:/bin:{work}"}},
    "what Node loads first": {"command": sys.executable, "env": {"NODE_OPTIONS": "--require={work}/n.js"}},
}


@pytest.mark.parametrize("what", SERVERS)
@pytest.mark.parametrize("by_file", [False, True])
@pytest.mark.sampled(2)
def test_a_server_is_not_started_from_the_workspace(place: Place, tally: Kind, what: str, by_file: bool) -> None:
    attacks, work = tally("workspaces"), place.folder / "work"
    work.mkdir()
    (work / "mine").write_text("#!/bin/sh\n")
    (work / "mine").chmod(0o755)
    server = json.loads(json.dumps(SERVERS[what]).replace("{work}", str(work)))
    own = place.folder / ".config" / "autocraft" / "autocraft.toml"
    own.parent.mkdir(parents=True)
    own.write_text(f"[mcp]\nservers = {_toml({'mine': server})}\n")
    if by_file:
        (own.parent / "servers.json").write_text(json.dumps({"mcpServers": {"mine": server}}))
        own.write_text('[mcp]\nservers_file = "servers.json"\n')
        from autocraft.settings.sources import SettingsFile
        from autocraft.settings.trust import ConfirmedFiles

        ConfirmedFiles(place.state).keep(
            SettingsFile(own.parent / "servers.json", (own.parent / "servers.json").read_bytes())
        )
    for verb in ("run", "mcp", "commands"):
        goal = () if verb == "commands" else ("--goal", "craft 1 stick")
        done = place.run(verb, *goal, AUTOCRAFT_WORKSPACE=str(work), XDG_CONFIG_HOME=str(place.folder / ".config"))
        attacks.add(f"{verb}: {what}", "" if "what mcp.servers.mine names" in done.stderr else done.stderr or "it ran")
    attacks.done()


def test_a_resumed_run_is_refused_too(place: Place, tally: Kind) -> None:
    attacks, work = tally("workspaces"), place.folder / "work"
    place.run("run", "--goal", "craft 1 stick", "--inventory", "oak_planks=2", "--workspace", str(work))
    done = place.run("run", "--resume", "last", "--notify", str(work / "n"))
    attacks.add("resume", "" if done.returncode == 2 and "console.notify" in done.stderr else done.stdout)
    attacks.done()


@pytest.mark.parametrize("name", obeyed.VARIABLES)
def test_a_variable_names_nothing_in_the_workspace(place: Place, tally: Kind, name: str) -> None:
    from autocraft.errors import UsageError
    from autocraft.settings.config import Config
    from autocraft.settings.settings import Settings

    attacks, work = tally("workspaces"), place.folder / "work"
    config = Config(Settings({"state_dir": place.state}, {name: f"{place.folder}/away:{work}/n"}, folder=place.folder))
    try:
        obeyed.check_workspace(work, config)
        attacks.add(name, "was taken")
    except UsageError as error:
        attacks.add(name, "" if name in str(error) else str(error))
    obeyed.check_workspace(place.folder / "other", config)
    attacks.done()
