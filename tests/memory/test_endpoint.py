"""The embedder that asks a server, over real HTTP; and the choice of memory by settings."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from autocraft.agent.open_memory import open_memory_of
from autocraft.errors import MemoryFault, UsageError
from autocraft.memory.choose import namespace_of
from autocraft.memory.embed import open_embedder
from autocraft.memory.lexical import LexicalEmbedder
from autocraft.protocols import Memory
from autocraft.settings.config import Config
from autocraft.settings.settings import Settings
from tests.conftest import Place

pytestmark = pytest.mark.sampled(8)


class Server:
    """Answers /v1/embeddings with lexical vectors, or as `answer` says."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []
        self.keys: set[str | None] = set()
        self.answer: Callable[[list[str]], tuple[int, Any]] = lambda texts: (200, vectors(texts))
        server = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *args: Any) -> None:
                pass

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                server.asked.append(body)
                server.keys.add(self.headers["authorization"])
                status, said = server.answer(body["input"])
                data = said if isinstance(said, bytes) else json.dumps(said).encode()
                self.send_response(status)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_address[1]}/v1"
        threading.Thread(target=self.http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()


def vectors(texts: list[str], scale: float = 3.0) -> dict[str, Any]:
    import struct

    made = [[scale * value for value in struct.unpack("<512f", data)] for data in LexicalEmbedder().embed(texts)]
    data = [{"index": n, "embedding": vector, "object": "embedding"} for n, vector in enumerate(made)]
    return {"object": "list", "data": data[::-1], "model": "m", "usage": {"prompt_tokens": 1, "total_tokens": 1}}


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()
    yield made
    made.http.shutdown()
    made.http.server_close()


def memory_of(settings: Settings, goals: Sequence[str] = ()) -> Memory:
    config = Config(settings)
    chosen = (config.run.memory, config.memory, config.openai, config.session.root)
    return open_memory_of(*chosen, durable=False, goals=goals)


def test_rows_are_found_by_a_servers_vectors(server: Server, tmp_path: Path) -> None:
    environment = {"MEMORY_EMBEDDER": "openai", "MEMORY_EMBEDDING_MODEL": "my-model", "MEMORY_FLOOR": "0.12"}
    settings = Settings({"state_dir": tmp_path}, environment | {"OPENAI_BASE_URL": server.url}, folder=tmp_path)
    memory = memory_of(settings)
    assert server.asked == []
    memory.add("the village lies north", id="1")
    memory.add("", id="2")
    assert [(row.id, row.score) for row in memory.get("the village lies north")] == [("1", 1.0)]
    assert memory.get_relevant("quantum physics") == []
    stats = memory.get_stats()
    assert (stats["embedder"], stats["dimension"], stats["not_searched"]) == ("openai:my-model", 512, 0)
    assert {each["model"] for each in server.asked} == {"my-model"}
    memory.close()


def test_many_texts_go_in_batches_and_long_ones_are_cut(server: Server) -> None:
    embedder = open_embedder("openai", base_url=server.url)
    found = embedder.embed([f"stone {n}" for n in range(250)] + ["x" * 50_000])
    assert len(found) == 251
    assert [len(each["input"]) for each in server.asked] == [100, 100, 51]
    assert len(server.asked[2]["input"][-1]) == 8000
    assert found[7] == embedder.embed(["stone 7"])[0]


def short(texts: list[str]) -> dict[str, Any]:
    return {"object": "list", "data": [{"index": 0, "embedding": [1.0, 0.0], "object": "embedding"}], "model": "m"}


@pytest.mark.parametrize(
    "status, said",
    [
        (401, {"error": {"message": "bad key"}}),
        (404, {"error": {"message": "no such model"}}),
        (200, b"nonsense"),
        (200, {"data": []}),
        (200, {"data": [{"index": 0, "embedding": ["x"], "object": "embedding"}]}),
        (200, {"data": [{"index": 0, "embedding": [], "object": "embedding"}]}),
        (200, {"data": [{"index": 5, "embedding": [1.0], "object": "embedding"}]}),
        (200, b'{"data": [{"index": 0, "embedding": [1e999, 1.0], "object": "embedding"}]}'),
    ],
)
def test_what_is_no_embedding_is_told_in_one_line(server: Server, status: int, said: Any) -> None:
    server.answer = lambda texts: (status, said)
    with pytest.raises(MemoryFault) as fault:
        open_embedder("openai", base_url=server.url, api_key="secret-key").embed(["x"])
    assert "\n" not in str(fault.value)
    assert "secret-key" not in str(fault.value)
    assert "MEMORY_EMBEDDER=minilm" in str(fault.value)


def test_server_that_changes_its_dimension_or_is_not_there(server: Server) -> None:
    embedder = open_embedder("openai", base_url=server.url)
    embedder.embed(["x"])
    server.answer = lambda texts: (200, short(texts))
    with pytest.raises(MemoryFault, match="gave 2 numbers after 512 before"):
        embedder.embed(["x"])
    with pytest.raises(MemoryFault, match="cannot be fetched"):
        open_embedder("openai", base_url="http://127.0.0.1:1/v1", timeout=1.0).embed(["x"])


def test_namespaces_by_goal() -> None:
    assert namespace_of("castle", ["craft 1 stick"]) == "castle"
    assert namespace_of("goal", []) == "default"
    one, other = namespace_of("goal", ["Craft 1 stick!"]), namespace_of("goal", ["craft 1 stick"])
    assert one.startswith("goal-craft-1-stick-")
    assert one != other
    assert len(namespace_of("goal", ["岩" * 500])) < 100


def test_settings_reach_the_memory(tmp_path: Path) -> None:
    environment = {"MEMORY_EMBEDDER": "lexical", "MEMORY_NAMESPACE": "goal", "MEMORY_FLOOR": "0.9"}

    def opened(folder: Path = tmp_path, goals: Sequence[str] = (), **flags: str) -> Memory:
        settings = Settings({"state_dir": folder, **flags}, environment, folder=tmp_path)
        return memory_of(settings, goals)

    memory = opened(goals=["craft 1 stick"])
    assert memory.get_stats()["namespace"] == namespace_of("goal", ["craft 1 stick"])
    memory.add("oak planks are made from one oak log")
    assert memory.get("oak planks from a log by hand or otherwise") == []
    assert len(memory.get("oak planks are made from oak log")) == 1
    memory.close()
    none = opened(tmp_path / "none", memory="none")
    assert none.name == "none"
    assert not (tmp_path / "none").exists()
    with pytest.raises(UsageError, match="from -1 to 1"):
        opened(floor="nan")
    with pytest.raises(UsageError, match="unknown memory 'redis': choose local"):
        opened(memory="redis")


@pytest.mark.parametrize(
    ("variables", "key"),
    [
        ({"AUTOCRAFT_PROVIDER": "gemini"}, "none"),
        ({"AUTOCRAFT_PROVIDER": "gemini", "GEMINI_API_KEY": "of-gemini"}, "of-gemini"),
        ({}, "of-openai"),
    ],
)
def test_the_embedder_of_a_service_gets_the_key_of_that_service(
    server: Server, tmp_path: Path, variables: dict[str, str], key: str
) -> None:
    environment = {
        "MEMORY_EMBEDDER": "openai",
        "OPENAI_API_KEY": "of-openai",
        "OPENAI_BASE_URL": server.url,
        **variables,
    }
    settings = Settings({"state_dir": tmp_path}, environment, folder=tmp_path)
    memory = memory_of(settings)
    memory.add("the village lies north")
    memory.close()
    assert server.keys == {f"Bearer {key}"}


def test_a_dry_run_opens_no_memory_and_sends_nothing(server: Server, place: Place) -> None:
    """With rows in the memory, the prompt of a run asks the server for a vector of the goal."""
    environment = {"MEMORY_EMBEDDER": "openai", "MEMORY_EMBEDDING_MODEL": "m", "OPENAI_BASE_URL": server.url}
    goal = ("--goal", "craft 1 stick")
    forecast = place.run("run", *goal, "--dry-run", **environment)
    assert (forecast.returncode, server.asked, place.state.exists()) == (0, [], False), forecast.stderr
    memory = memory_of(Settings({"state_dir": place.state}, environment, folder=place.folder))
    memory.add("sticks are made of planks", id="a")
    memory.close()
    stored = len(server.asked)
    shown = place.run("prompt", *goal, **environment)
    before, asked = contents(place.state), len(server.asked)
    assert asked > stored, shown.stderr
    forecast = place.run("run", *goal, "--dry-run", **environment)
    assert (forecast.returncode, len(server.asked), contents(place.state)) == (0, asked, before), forecast.stderr
    assert "About" in forecast.stdout


def contents(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
