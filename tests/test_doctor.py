"""`autocraft doctor`: each check finds what is wrong and names what mends it, and shows no secret."""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.brains.stand_in import Reply, StandIn, fault
from tests.conftest import Place
from tests.mcp.servers import other, own, settings

pytestmark = pytest.mark.sampled(8)

KEY = "sk-" + "a1b2c3d4" * 5


@pytest.fixture
def stand_in(stand_in: StandIn) -> StandIn:
    stand_in.offer("qwen")
    return stand_in


def findings(place: Place, *arguments: str, **environment: str) -> tuple[int, dict[str, Any]]:
    done = place.run("doctor", "--json", *arguments, **environment)
    assert done.stderr == ""
    return done.returncode, {row["name"]: row for row in map(json.loads, done.stdout.splitlines())}


def test_nothing_set_is_no_fault_and_nothing_is_written(place: Place) -> None:
    code, rows = findings(place)
    assert code == 0
    assert (rows["key"]["state"], rows["key"]["advice"]) == ("warn", "autocraft init")
    assert rows["python"]["state"] == rows["settings"]["state"] == rows["workspace"]["state"] == "ok"
    assert rows["workspace"]["text"].endswith("workspace, which is created when it is needed")
    assert rows["window"]["text"] == "not needed, as no model is set"
    assert not place.state.exists() and not (place.folder / "workspace").exists()


def test_a_reachable_endpoint_is_ok_and_the_key_is_not_shown(place: Place, stand_in: StandIn) -> None:
    model = {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": stand_in.url, "SMART_LLM_MODEL": "qwen"}
    code, rows = findings(place, **model)
    assert (code, rows["endpoint"]["state"], rows["key"]["state"]) == (0, "ok", "ok")
    assert "1 model; qwen plays" in rows["endpoint"]["text"]
    assert "OPENAI_API_KEY in the environment" in rows["key"]["text"]
    assert KEY not in json.dumps(rows)
    assert KEY not in place.run("doctor", **model).stdout


def test_the_window_that_a_local_server_has_is_told_with_its_source(place: Place, stand_in: StandIn) -> None:
    model = {"OPENAI_BASE_URL": stand_in.url, "SMART_LLM_MODEL": "qwen"}
    _, rows = findings(place, **model)
    assert rows["window"]["state"] == "warn" and "unknown" in rows["window"]["text"]
    loaded = {"models": [{"name": "qwen", "model": "qwen", "context_length": 8192}]}
    stand_in.pages = {"/api/ps": Reply(chunks=[json.dumps(loaded).encode()])}
    _, rows = findings(place, **model)
    assert rows["window"]["text"] == "8,192 tokens, as Ollama says"


def test_a_model_that_is_not_offered_is_a_warning(place: Place, stand_in: StandIn) -> None:
    _, rows = findings(place, OPENAI_BASE_URL=stand_in.url, SMART_LLM_MODEL="other")
    assert (rows["endpoint"]["state"], "but not other" in rows["endpoint"]["text"]) == ("warn", True)


def test_a_refused_key_and_a_server_that_is_off_fail(place: Place, stand_in: StandIn) -> None:
    stand_in.models = fault(401, f"Incorrect API key provided: {KEY}")
    code, rows = findings(place, OPENAI_API_KEY=KEY, OPENAI_BASE_URL=stand_in.url)
    assert (code, rows["endpoint"]["state"], KEY in json.dumps(rows)) == (1, "fail", False)
    code, rows = findings(place, OPENAI_BASE_URL="http://127.0.0.1:9/v1")
    assert (code, rows["endpoint"]["state"]) == (1, "fail")


@pytest.mark.full
def test_the_model_is_asked_only_when_that_is_wanted(place: Place, stand_in: StandIn) -> None:
    model = {"OPENAI_BASE_URL": stand_in.url, "SMART_LLM_MODEL": "qwen"}
    _, rows = findings(place, **model)
    assert stand_in.requests == [] and "by trying" in rows["abilities"]["text"]
    stand_in.refuse = lambda body: fault(400, "response_format is not supported") if "response_format" in body else None
    code, rows = findings(place, "--ask", **model)
    assert (code, "it answered in" in rows["abilities"]["text"]) == (0, True)
    assert "asked for as plain" in rows["abilities"]["text"], "what was refused is known now"
    stand_in.refuse = lambda body: fault(402, "no credit is left")
    code, rows = findings(place, "--ask", **model)
    assert (code, rows["abilities"]["state"]) == (1, "fail")
    assert "credit" in rows["abilities"]["text"] + rows["abilities"]["advice"]


def test_a_file_that_cannot_be_read_is_a_finding(place: Place) -> None:
    (place.folder / "autocraft.toml").write_text("= 5")
    code, rows = findings(place)
    assert (code, list(rows), rows["settings"]["state"]) == (1, ["settings"], "fail")
    assert "autocraft.toml cannot be read" in rows["settings"]["text"]


def test_a_wrong_setting_hides_no_key(place: Place) -> None:
    (place.folder / "autocraft.toml").write_text("[limits]\nmax_stepz = 1\n")
    _, rows = findings(
        place, AUTOCRAFT_PROVIDER="anthropic", ANTHROPIC_API_KEY=KEY, OPENAI_BASE_URL="http://127.0.0.1:9"
    )
    assert rows["settings"]["state"] == "fail"
    assert rows["key"]["text"] == "set: ANTHROPIC_API_KEY in the environment"
    assert rows["endpoint"]["state"] == "fail", "it was asked"


def test_a_file_of_the_folder_that_is_not_confirmed_is_told_and_not_asked_about(place: Place) -> None:
    (place.folder / "autocraft.toml").write_text('[openai]\nbase_url = "http://192.0.2.1/v1"\n')
    code, rows = findings(place)
    assert (code, rows["settings"]["state"]) == (1, "fail")
    assert "autocraft trust" in rows["settings"]["text"] + rows["settings"]["advice"]


@pytest.mark.parametrize("model", ["qwen", ""], ids=["chosen", "first on offer"])
@pytest.mark.full
def test_what_a_run_learned_is_known_with_its_interface_and_model(place: Place, stand_in: StandIn, model: str) -> None:
    stand_in.offer("embedder", "qwen")
    own(place, f'[openai]\nbase_url = "{stand_in.url}"\nwire = "chat"\nsmart_model = "{model}"\n')
    stand_in.refuse = lambda body: fault(400, "response_format is not supported") if "response_format" in body else None
    findings(place, "--ask")
    _, rows = findings(place)
    assert "qwen plays" in rows["endpoint"]["text"] and "asked for as plain" in rows["abilities"]["text"]


@pytest.mark.parametrize("service", ["anthropic", "gemini", "xai", "deepseek", "mistral"])
@pytest.mark.sampled(1)
def test_the_key_of_each_service_is_named(place: Place, stand_in: StandIn, service: str) -> None:
    variable = f"{service.upper()}_API_KEY"
    _, rows = findings(place, AUTOCRAFT_PROVIDER=service, OPENAI_BASE_URL=stand_in.url, **{variable: KEY})
    assert rows["key"]["text"] == f"set: {variable} in the environment"


@pytest.mark.parametrize(
    ("environment", "name", "said"),
    [
        ({"AUTOCRAFT_NODE": "/no/node"}, "node", "not a file"),
        ({"AUTOCRAFT_STATE_DIR": "/dev/null/state"}, "state folder", "cannot be written"),
        ({"MEMORY_EMBEDDER": "none"}, "embedder", "no embedder called"),
        ({"AUTOCRAFT_WORKSPACE": "/"}, "workspace", "the whole disk; name a folder of its own"),
        ({"AUTOCRAFT_SERVER": "a..b"}, "minecraft", "cannot be reached (there is no such host)"),
        ({"AUTOCRAFT_MAX_STEPS": "many"}, "settings", "whole number"),
        ({"AUTOCRAFT_MAX_STEP": "1"}, "settings", "AUTOCRAFT_MAX_STEP is not a setting: did you mean AUTOCRAFT_M"),
    ],
)
@pytest.mark.sampled(2)
def test_what_is_wrong_is_named(place: Place, environment: dict[str, str], name: str, said: str) -> None:
    _, rows = findings(place, **environment)
    assert rows[name]["state"] in ("warn", "fail")
    assert said in rows[name]["text"] + rows[name]["advice"]


def test_the_minecraft_server_is_tried(place: Place) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"127.0.0.1:{server.getsockname()[1]}"
        _, rows = findings(place, "--server", address)
        assert rows["minecraft"] == {
            "name": "minecraft", "state": "ok", "text": f"{address} accepts connections", "advice": ""
        }  # fmt: skip
    code, rows = findings(place, "--server", address)
    assert (code, rows["minecraft"]["state"]) == (1, "fail")


def test_an_old_node_fails(place: Place, tmp_path: Path) -> None:
    node = tmp_path / "node"
    node.write_text("#!/bin/sh\necho v18.0.0\n")
    node.chmod(0o755)
    code, rows = findings(place, AUTOCRAFT_NODE=str(node))
    assert (code, rows["node"]["state"]) == (1, "fail")
    assert "v18.0.0, but 22" in rows["node"]["text"]


def test_each_server_of_others_has_a_line(place: Place) -> None:
    there = other(place.folder)
    file = place.folder / "mcp.json"
    file.write_text(json.dumps({"mcpServers": {"hub": {"url": "https://hub.example/mcp"}}}))
    own(place, settings("others", there.table()) + settings("absent", {"command": "no such program"}))
    code, rows = findings(place)
    assert (code, rows["mcp.absent"]["state"], rows["mcp.absent"]["advice"]) == (
        1,
        "fail",
        "install it, or correct the command of the server absent",
    )
    assert (rows["mcp.others"]["state"], there.starts()) == ("ok", [])
    assert rows["mcp.others"]["text"].endswith("never started")
    own(place, settings("others", there.table()) + f'[mcp]\nservers_file = "{file}"\n')
    code, rows = findings(place)
    assert (code, rows["mcp servers"]["state"]) == (1, "fail") and "confirm" in json.dumps(rows["mcp servers"])


def test_at_80_columns_each_line_has_its_state(terminal: Callable[..., Any]) -> None:
    child = terminal("doctor", columns=80)
    child.expect_exact("minecraft     none is set")
    assert child.wait() == 0
    rows = re.findall(r"(?m)^(ok|warn|fail) +([a-z]+)", child.before)
    assert {name for _, name in rows} >= {"python", "settings", "terminal"}
    assert ("ok", "terminal") in rows
