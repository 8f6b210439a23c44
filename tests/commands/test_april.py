"""The commands of Auto-GPT's April 2023 under their own names and arguments, and the names that came later."""

from __future__ import annotations

from typing import Any

import pytest

from autocraft.commands.registry import Registry
from autocraft.errors import InvalidCommand
from autocraft.json_fix import read
from tests.conftest import Place, kinds
from tests.vocabulary import whole_registry

APRIL: dict[str, dict[str, Any]] = {
    "memory_add": {"string": "a"},
    "read_file": {"file": "a.txt"},
    "write_to_file": {"file": "a.txt", "text": "b"},
    "append_to_file": {"file": "a.txt", "text": "b"},
    "delete_file": {"file": "a.txt"},
    "search_files": {"directory": ""},
    "do_nothing": {},
    "task_complete": {"reason": "done"},
    "google": {"input": "a"},
    "browse_website": {"url": "https://a.example", "question": "b"},
    "get_text_summary": {"url": "https://a.example", "question": "b"},
    "get_hyperlinks": {"url": "https://a.example"},
    "start_agent": {"name": "a", "task": "b", "prompt": "c"},
    "message_agent": {"key": 1, "message": "a"},
    "list_agents": {},
    "delete_agent": {"key": 1},
    "evaluate_code": {"code": "a"},
    "improve_code": {"suggestions": "a", "code": "b"},
    "write_tests": {"code": "a", "focus": "b"},
    "execute_python_file": {"file": "a.py"},
    "generate_image": {"prompt": "a"},
}
"""All 21, with arguments as the model of April 2023 gave them."""

LATER: list[tuple[str, dict[str, Any], str, dict[str, Any]]] = [
    ("write_file", {"filename": "a", "contents": "b"}, "write_to_file", {"file": "a", "text": "b"}),
    ("create_file", {"file_path": "a", "content": "b"}, "write_to_file", {"file": "a", "text": "b"}),
    ("read_file", {"filename": "a"}, "read_file", {"file": "a", "page": 1}),
    ("read_file", {"path": "a", "page": "2"}, "read_file", {"file": "a", "page": 2}),
    ("append_to_file", {"filename": "a", "text": "b"}, "append_to_file", {"file": "a", "text": "b"}),
    ("list_files", {"path": "a"}, "list_files", {"directory": "a"}),
    ("list_folder", {"folder": "a"}, "list_files", {"directory": "a"}),
    ("search_files", {"directory": "a"}, "list_files", {"directory": "a"}),
    ("goals_accomplished", {"reason": "x"}, "task_complete", {"reason": "x"}),
    ("finish", {"reason": "x"}, "task_complete", {"reason": "x"}),
    ("memory_add", {"data": "a"}, "memory_add", {"string": "a"}),
    ("ask_user", {"question": "a"}, "ask_human", {"question": "a"}),
    ("search", {"query": "a"}, "google", {"input": "a"}),
    ("web_search", {"query": "a"}, "google", {"input": "a"}),
    ("analyze_code", {"code": "a"}, "evaluate_code", {"code": "a"}),
    ("message_agent", {"key": "1", "message": "a"}, "message_agent", {"key": 1, "message": "a"}),
    ("search_text", {"pattern": "a", "folder": "b"}, "search_text", {"text": "a", "directory": "b"}),
]


@pytest.fixture(scope="module")
def registry(tmp_path_factory: pytest.TempPathFactory) -> Registry:
    return whole_registry(tmp_path_factory.mktemp("april"))


@pytest.mark.parametrize("name", APRIL)
def test_april_2023(registry: Registry, name: str) -> None:
    call = registry.bind(name, APRIL[name])
    assert {key: call.args[key] for key in APRIL[name]} == APRIL[name]
    assert call.name == {"search_files": "list_files"}.get(name, name)


@pytest.mark.parametrize(("name", "args", "canonical", "mapped"), LATER)
def test_later_names_are_mapped(
    registry: Registry, name: str, args: dict[str, Any], canonical: str, mapped: dict[str, Any]
) -> None:
    call = registry.bind(name, args)
    assert (call.name, call.args) == (canonical, mapped)


@pytest.mark.parametrize(("name", "args", "canonical", "mapped"), LATER)
def test_the_reader_of_answers_knows_them_too(
    registry: Registry, name: str, args: dict[str, Any], canonical: str, mapped: dict[str, Any]
) -> None:
    """Arguments beside the name are taken where the registry knows them all, whatever the name they go by."""
    beside = {key: value for key, value in args.items() if key not in ("text", "reason")}
    reply = read(f'{{"command": {{"name": "{name}", {str(beside)[1:-1]}}}}}'.replace("'", '"'), registry=registry)
    assert (reply.name, reply.args) == (name, beside)


def test_a_name_is_only_mapped_where_the_command_lacks_it(registry: Registry) -> None:
    assert registry.bind("memory_search", {"query": "x"}).args == {"query": "x"}
    with pytest.raises(InvalidCommand, match="there is no argument 'contents'"):
        registry.bind("delete_file", {"file": "a", "contents": "b"})


def test_one_argument_under_two_names_is_refused_unless_they_agree(registry: Registry) -> None:
    assert registry.bind("read_file", {"file": "a", "filename": "a"}).args["file"] == "a"
    with pytest.raises(InvalidCommand, match="'file' is given twice: also as 'filename'"):
        registry.bind("read_file", {"file": "a", "filename": "b"})


def test_synonyms_are_not_offered(registry: Registry) -> None:
    assert "search_files" not in registry.names()
    assert not any("search_files" in line for line in registry.describe())


def test_the_journal_holds_the_canonical_names(place: Place) -> None:
    script = place.script(("create_file", {"filename": "a.txt", "contents": "x"}), ("task_complete", {}))
    place.run("run", "--goal", "write", "--brain", "scripted", "--script", script, "--continuous")
    events = place.events()
    for event in (kinds(events, kind)[0] for kind in ("reply", "decision", "intent")):
        assert (event["command"], event["args"]) == ("write_to_file", {"file": "a.txt", "text": "x"})
    assert (place.folder / "workspace" / "a.txt").read_text() == "x"


def test_every_family_has_a_name(registry: Registry) -> None:
    from autocraft.protocols import FAMILIES

    assert {each.family for each in registry.everything()} <= set(FAMILIES)
