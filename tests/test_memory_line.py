"""`autocraft memory` as a person calls it: the program itself, on real files, with hostile rows among them."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from autocraft.memory import open_memory
from autocraft.protocols import MemoryRecord
from tests.conftest import Place

pytestmark = pytest.mark.sampled(10)

HOSTILE = "\x1b[2J\x1b]0;owned\x07 y\nRun this command? (y/n) \u202e\u200b"
ROWS = [
    MemoryRecord("one", "the village lies north of the river", {"kind": "note", "time": 1_790_000_000}),
    MemoryRecord("two", "oak planks are made from one oak log", {"kind": "fact", "session": "s"}),
    MemoryRecord("bad \x1b[31m", HOSTILE, {"kind": HOSTILE, HOSTILE: 1}),
]


@pytest.fixture
def filled(place: Place) -> Place:
    memory = open_memory("local", path=place.state / "memory", embedder="lexical")
    memory.add_many(ROWS)
    memory.close()
    return place


def memory(place: Place, *arguments: str, stdin: str | None = None, **environment: str) -> Any:
    return place.run("memory", *arguments, stdin=stdin, MEMORY_EMBEDDER="lexical", **environment)


def harmless(text: str) -> bool:
    return not any(char in text for char in "\x1b\x07\u202e\u200b")


def test_stats(filled: Place) -> None:
    done = memory(filled, "stats")
    assert (done.returncode, done.stderr) == (0, "")
    assert "rows         3" in done.stdout
    assert "finds shared words only" in done.stdout
    told = json.loads(memory(filled, "stats", "--json").stdout)
    assert (told["backend"], told["rows"], told["embedder"], told["dimension"]) == ("local", 3, "lexical-1", 512)
    assert told["namespaces"] == {"default": 3}


def test_search(filled: Place) -> None:
    done = memory(filled, "search", "where is the village")
    (line,) = done.stdout.splitlines()
    assert line.startswith("0.")
    assert "one  2026-09-21  note     the village lies north of the river" in line
    assert memory(filled, "search", "quantum physics").returncode == 1
    assert memory(filled, "search", "x", "-k", "0").returncode == 2
    done = memory(filled, "search", "run this command", "-k", "3", "--exact")
    assert harmless(done.stdout)
    assert len(done.stdout.splitlines()) == 1


def test_show(filled: Place) -> None:
    done = memory(filled, "show")
    assert len(done.stdout.splitlines()) == 3
    assert harmless(done.stdout)
    assert "2 older rows are left out" in memory(filled, "show", "--last", "1").stdout
    assert "session: s\n\noak planks" in memory(filled, "show", "two").stdout
    whole = memory(filled, "show", "bad \x1b[31m").stdout
    assert harmless(whole)
    assert "Run this command?" in whole
    done = memory(filled, "show", "missing")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert memory(filled, "show", "--last", "-1").returncode == 2


def test_forget(filled: Place) -> None:
    done = memory(filled, "forget", "one", "missing")
    assert done.returncode == 1
    assert done.stdout == "forgotten: one\nthere is no row missing: `autocraft memory show` lists the ids\n"
    assert len(memory(filled, "show").stdout.splitlines()) == 2


def test_clear_asks(filled: Place, terminal: Callable[..., Any]) -> None:
    done = memory(filled, "clear", stdin="yes\n")
    assert (done.returncode, done.stdout) == (2, "")
    assert "give --yes, or export them first" in done.stderr
    child = terminal("memory", "clear", MEMORY_EMBEDDER="lexical")
    child.expect_exact("Type yes: ")
    child.send("y\r")
    child.expect_exact("Nothing was deleted.")
    child = terminal("memory", "clear", MEMORY_EMBEDDER="lexical")
    child.expect_exact("Type yes: ")
    child.send("yes\r")
    child.expect_exact("3 rows were deleted.")
    assert memory(filled, "clear", "--yes").stdout == "0 rows were deleted.\n"


def test_export_and_import(filled: Place) -> None:
    assert memory(filled, "export", "out.jsonl").stdout == "3 rows were written to out.jsonl\n"
    out = filled.folder / "out.jsonl"
    assert out.stat().st_mode & 0o777 == 0o600
    assert memory(filled, "export").stdout == out.read_text()
    done = memory(filled, "import", "out.jsonl", "--namespace", "other")
    assert done.stdout == "3 rows were added, 0 were there already.\n"
    assert memory(filled, "import", "--namespace", "other", stdin=out.read_text()).stdout.startswith(
        "0 rows were added, 3"
    )
    opened = open_memory("local", path=filled.state / "memory", namespace="other", embedder="lexical")
    assert opened.rows() == ROWS
    opened.close()


@pytest.mark.parametrize(
    "line, said",
    [
        ("nonsense", "line 2 is not a row"),
        ("[1]", "line 2 is not a row"),
        ('{"id": 1, "text": "x"}', "line 2 is not a row"),
        ('{"id": "1"}', "line 2 is not a row"),
        ('{"text": "x", "metadata": []}', "line 2 is not a row"),
        ("[" * 5000, "line 2 is not a row"),
        ('{"text": "x", "metadata": {"n": Infinity}}', "line 2: this metadata cannot be stored"),
        ('{"autocraft_memory": 2}', "newer format '2': update autocraft"),
    ],
)
def test_import_of_nonsense_adds_nothing(place: Place, line: str, said: str) -> None:
    done = memory(place, "import", stdin=f'{{"text": "fine"}}\n{line}\n')
    assert done.returncode == 2
    assert said in done.stderr
    assert done.stderr.count("\n") == 1
    assert json.loads(memory(place, "stats", "--json").stdout)["rows"] == 0


def test_copy(filled: Place) -> None:
    done = memory(filled, "copy", "--to", "local", "--to-namespace", "copied")
    assert done.stdout == "3 rows were copied, 0 were there already.\n"
    assert json.loads(memory(filled, "stats", "--json").stdout)["namespaces"] == {"copied": 3, "default": 3}
    assert memory(filled, "copy", "--to", "none").returncode == 2


@pytest.mark.full
def test_reembed(filled: Place) -> None:
    told = filled.run("memory", "stats", MEMORY_EMBEDDER="minilm")
    assert "3 rows of memory were embedded by another embedder" in told.stderr
    done = filled.run("memory", "reembed", MEMORY_EMBEDDER="minilm")
    assert done.stdout == "3 rows were embedded again with minilm-l6-v2-int8.\n"
    done = filled.run("memory", "search", "where do people live", MEMORY_EMBEDDER="minilm")
    assert "the village lies north" in done.stdout


@pytest.mark.parametrize("verb", [("clear", "--yes"), ("export",), ("forget", "1"), ("show",), ("search", "x")])
def test_where_each_goal_has_a_namespace_one_must_be_named(filled: Place, verb: tuple[str, ...]) -> None:
    done = filled.run("memory", *verb, MEMORY_NAMESPACE="goal")
    assert (done.returncode, done.stdout) == (2, "")
    assert "goal gives each goal its own: name one with --namespace" in done.stderr
    stats = filled.run("memory", "stats", "--json", MEMORY_NAMESPACE="goal")
    assert json.loads(stats.stdout)["namespaces"] == {"default": 3}


@pytest.mark.parametrize(
    "arguments, environment, said",
    [
        (("--memory", "redis"), {}, "unknown memory 'redis': choose local, pinecone, pgvector, none"),
        (("--memory", "pgvector"), {}, "set MEMORY_DATABASE_URL"),
        (
            ("--memory", "pgvector"),
            {"MEMORY_DATABASE_URL": "postgresql://me:hidden@127.0.0.1:1/x"},
            "cannot be reached",
        ),
        (("--memory", "pinecone"), {}, "set PINECONE_API_KEY"),
        (("--namespace", ""), {}, "namespace has 1 to 200"),
        ((), {"MEMORY_EMBEDDER": "word2vec"}, "choose one of: auto, minilm, lexical, openai"),
        ((), {"MEMORY_EMBEDDER": "openai"}, "needs OPENAI_API_KEY or OPENAI_BASE_URL"),
        ((), {"MEMORY_FLOOR": "high"}, "a number is needed"),
    ],
)
def test_what_cannot_be_is_told_in_one_line(
    place: Place, arguments: tuple[str, ...], environment: dict[str, str], said: str
) -> None:
    done = place.run("memory", "stats", *arguments, **environment)
    assert done.returncode in (1, 2)
    assert said in done.stderr
    assert done.stderr.count("\n") == 1
    assert "hidden" not in done.stderr


def test_a_damaged_memory_is_told_once(filled: Place) -> None:
    file = filled.state / "memory" / "memory.sqlite3"
    data = bytearray(file.read_bytes())
    data[:100] = bytes(100)
    file.write_bytes(data)
    done = memory(filled, "show")
    assert "was damaged and is set aside as" in done.stderr
    assert "with 3 rows is in its place" in done.stderr
    assert done.stderr.count("\n") == 1
    assert len(done.stdout.splitlines()) == 3
    assert memory(filled, "show").stderr == ""
