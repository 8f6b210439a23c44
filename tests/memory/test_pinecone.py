"""What only the memory in Pinecone promises. The rest is in test_contract.py.

The real SDK asks a stand-in over HTTP, and Pinecone itself where a key is set.
"""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from autocraft.errors import MemoryFault, UsageError
from autocraft.memory import open_memory
from autocraft.memory.lexical import LexicalEmbedder
from autocraft.memory.pinecone import PineconeMemory
from autocraft.protocols import MemoryRecord
from tests.conftest import ROOT, Place
from tests.memory.pinecone_standin import KEY, Standin

pytestmark = pytest.mark.sampled(6)

FACTS = [
    "craft a stone pickaxe from cobblestone and sticks",
    "oak planks are made from one oak log",
    "smelt iron ore in a furnace with coal",
]


MEMORIES = ExitStack()
"""Closes what `opened` opened, at the end of each test."""


@pytest.fixture
def server() -> Iterator[Standin]:
    with Standin() as standin, MEMORIES:
        yield standin


def opened(server: Standin, **options: Any) -> PineconeMemory:
    given: dict[str, Any] = {"api_key": KEY, "host": server.url, "embedder": LexicalEmbedder(), "timeout": 5.0}
    memory = PineconeMemory(**given | options)
    MEMORIES.callback(memory.close)
    return memory


def test_the_index_is_made_at_the_first_row(server: Standin) -> None:
    memory = opened(server, index="mine", cloud="gcp", region="europe-west4")
    assert memory.get("stone") == memory.rows() == []
    assert memory.clear() == 0
    assert memory.get_stats()["rows"] == 0
    assert server.indexes == {}
    memory.add("stone")
    deployment = server.indexes["mine"]["deployment"]
    assert (deployment["cloud"], deployment["region"], server.dimension) == ("gcp", "europe-west4", 512)
    memory.close()


def test_numbers_can_be_filtered_by(server: Standin) -> None:
    memory = opened(server)
    memory.add_many([MemoryRecord(str(n), "stone", {"n": n, "even": n % 2 == 0, "deep": [n]}) for n in range(4)])
    for each in (memory, opened(server)):
        assert [row.id for row in each.get_relevant("stone", where={"n": 2})] == ["2"]  # type: ignore[dict-item]
        assert {row.id for row in each.get_relevant("stone", where={"even": True})} == {"0", "2"}  # type: ignore[dict-item]
        with pytest.raises(MemoryFault, match="filters by texts and numbers, and this is list"):
            each.get_relevant("stone", where={"deep": [1]})  # type: ignore[dict-item]


@pytest.mark.parametrize(
    "change, seen", [({"t": "x"}, 1), ({"id": 5}, 1), ({"text": [1]}, 1), ({"data": "{"}, 2), ({"data": "[1]"}, 2)]
)
@pytest.mark.sampled(2)
def test_rows_that_others_wrote_into_the_index(server: Standin, change: dict[str, Any], seen: int) -> None:
    """What is not shaped like ours is not seen; metadata that cannot be read is empty."""
    memory = opened(server)
    memory.add_many([MemoryRecord(str(n), "stone", {"n": n}) for n in range(2)])
    server.writes[1][2]["metadata"] |= change
    again = opened(server)
    assert len(again.rows()) == len(again.get_relevant("stone")) == seen
    assert [row.metadata for row in again.rows()] == [{"n": 0}, {}][:seen]
    assert again.reembed() == 0


def test_own_rows_are_seen_before_pinecone_shows_them(server: Standin) -> None:
    server.hidden = 0
    memory, other = opened(server), opened(server)
    memory.add("stone", id="1", metadata={"kind": "note"})
    memory.add("stone", id="1")
    assert memory.has("1")
    assert [row.id for row in memory.get_relevant("stone")] == ["1"]
    assert [row.id for row in memory.get_relevant("stone", where={"kind": "note"})] == ["1"]
    assert memory.get_relevant("stone", where={"kind": "plan"}) == []
    assert [row.id for row in memory.rows()] == ["1"]
    assert other.rows() == other.get("stone") == []
    memory.delete("1")
    assert (memory.has("1"), memory.rows(), memory.get("stone")) == (False, [], [])


def test_what_was_deleted_stays_deleted_while_pinecone_still_shows_it(server: Standin) -> None:
    memory = opened(server)
    memory.add_many([MemoryRecord(str(n), f"stone {n}", {}) for n in range(5)])
    server.hidden = len(server.writes)
    again = opened(server)
    assert len(again.rows()) == 5
    assert again.delete("3")
    assert {row.id for row in again.get_relevant("stone", 10)} == {"0", "1", "2", "4"}
    assert again.clear() == 4
    assert (again.rows(), again.get("stone"), again.has("1")) == ([], [], False)
    again.add("stone again", id="new")
    assert [row.id for row in again.rows()] == ["new"]


def test_rows_that_another_machine_writes_after_a_clear_are_seen(server: Standin) -> None:
    """Also those of a machine whose clock is behind."""
    memory, other = opened(server), opened(server)
    memory.add("stone", id="1")
    assert memory.clear() == 1
    other.add("stone", id="2")
    server.writes[-1][2]["metadata"]["t"] -= 3600
    assert [row.id for row in memory.rows()] == [row.id for row in memory.get("stone")] == ["2"]


def test_batches_stay_within_the_limits(server: Standin) -> None:
    memory = opened(server)
    long = [MemoryRecord(str(n), f"stone {n} " + "x" * 9000, {}) for n in range(260)]
    assert memory.add_many(long) == 260
    short = [MemoryRecord(f"s{n}", f"stone {n}", {}) for n in range(300)]
    assert memory.add_many(short) == 300
    sizes = [size for _, path, size in server.calls if path == "/vectors/upsert"]
    assert len(sizes) > 3
    assert max(sizes) <= 2 * 1024 * 1024
    assert len(opened(server).rows()) == 560
    assert len(opened(server).get_relevant("stone", 50_000)) == 560


def test_row_over_the_limit_is_refused_before_any_is_written(server: Standin) -> None:
    memory = opened(server)
    with pytest.raises(MemoryFault, match="Pinecone stores 40,000 beside a vector: shorten it"):
        memory.add_many([MemoryRecord("1", "stone", {}), MemoryRecord("2", "x" * 50_000, {})])
    assert memory.rows() == []
    memory.add("x" * 39_000, id="3")
    assert opened(server).has("3")


@pytest.mark.parametrize("status", [429, 500, 503])
@pytest.mark.sampled(1)
@pytest.mark.full
def test_what_fails_for_a_moment_is_repeated(server: Standin, status: int) -> None:
    memory = opened(server)
    memory.add("stone", id="1")
    server.failures = [status, status]
    assert memory.has("1")
    assert server.failures == []
    server.failures = [status] * 9
    with pytest.raises(MemoryFault) as fault:
        opened(server)
    assert "\n" not in str(fault.value)
    assert len(server.failures) == 5


def test_index_of_another_dimension_is_refused(server: Standin) -> None:
    opened(server).add("stone")
    with pytest.raises(MemoryFault, match="has 512 dimensions and the embedder minilm-l6-v2-int8 makes 384: set"):
        open_memory("pinecone", api_key=KEY, host=server.url, embedder="minilm")


class Renamed(LexicalEmbedder):
    name = "lexical-2"


def test_rows_that_are_embedded_anew_stay_in_their_order(server: Standin) -> None:
    opened(server).add_many([MemoryRecord(str(n), f"stone {n}", {}) for n in range(3)])
    other = opened(server, embedder=Renamed())
    other.add("stone 3", id="3")
    assert other.reembed() == 3
    for memory in (other, opened(server, embedder=Renamed())):
        assert [row.id for row in memory.rows()] == ["0", "1", "2", "3"]


def test_two_that_make_the_index_at_once(server: Standin) -> None:
    memory = opened(server)
    server.race = True
    memory.add("stone", id="1")
    assert memory.has("1")


@pytest.mark.full
def test_what_cannot_be_used_is_told_in_one_line(server: Standin) -> None:
    with pytest.raises(UsageError, match="set PINECONE_API_KEY"):
        open_memory("pinecone", api_key="")
    with pytest.raises(MemoryFault, match=r"the key is refused: .*check PINECONE_API_KEY") as fault:
        opened(server, api_key="wrong-key-of-mine")
    assert "wrong-key" not in str(fault.value)
    with pytest.raises(MemoryFault, match="cannot be reached"):
        opened(server, host="http://127.0.0.1:1")


if os.environ.get("PINECONE_API_KEY"):  # a live index costs money, so a key has to be given on purpose

    def test_live() -> None:
        """Against Pinecone itself, in a namespace of its own that is cleared afterwards."""
        namespace = f"test-{secrets.token_hex(4)}"
        memory = PineconeMemory(
            api_key=os.environ["PINECONE_API_KEY"],
            index="autocraft-test",
            namespace=namespace,
            embedder=LexicalEmbedder(),
        )
        try:
            memory.add_many([MemoryRecord(str(n), fact, {"n": n}) for n, fact in enumerate(FACTS)])
            assert [row.id for row in memory.get(FACTS[1])] == ["1"]
            other = PineconeMemory(
                api_key=os.environ["PINECONE_API_KEY"],
                index="autocraft-test",
                namespace=namespace,
                embedder=LexicalEmbedder(),
            )
            waited = 0
            while len(other.rows()) < 3 and waited < 60:
                time.sleep(2)
                waited += 2
            assert [row.text for row in other.rows()] == FACTS
        finally:
            memory.clear()


def test_another_version_of_the_sdk_is_not_called_missing(place: Place) -> None:
    (place.folder / "pinecone").mkdir()
    (place.folder / "pinecone" / "__init__.py").write_text('__version__ = "7.0"\n')
    code = "import autocraft.memory.pinecone"
    done = place.python("-c", code, PYTHONPATH=f"{place.folder}:{ROOT}")
    assert "needs another version of the package pinecone than the one here" in done.stderr
