"""The embedder of last resort: stable, of length one, and near where words are shared."""

from __future__ import annotations

import hashlib
import math
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autocraft.memory.lexical import DIMENSION, LexicalEmbedder

EMBEDDER = LexicalEmbedder()


def vector(text: str) -> tuple[float, ...]:
    return struct.unpack(f"<{DIMENSION}f", EMBEDDER.embed([text])[0])


def cosine(one: str, other: str) -> float:
    return sum(a * b for a, b in zip(vector(one), vector(other), strict=True))


def test_vectors_never_change_under_the_same_name() -> None:
    """Rows that were kept earlier would otherwise be compared with strangers: give a changed embedder a new name."""
    text = "Craft a stone_pickaxe from 3 cobblestone; 岩 größer"
    rounded = struct.pack(f"<{DIMENSION}i", *(round(value * 1e5) for value in vector(text)))
    assert EMBEDDER.name == "lexical-1"
    assert hashlib.sha256(rounded).hexdigest() == "af62dc236dcb94894db86b359a5b64bed09a43c49a8e9c641f8e4bcbd625b759"


@given(st.text(max_size=80))
def test_any_text_gives_a_vector_of_length_one(text: str) -> None:
    length = math.sqrt(sum(value * value for value in vector(text)))
    assert abs(length - (1.0 if text.split() else 0.0)) < 1e-5 or abs(length - 1.0) < 1e-5


@pytest.mark.parametrize(
    "one, other",
    [
        ("craft a stone pickaxe", "stone_pickaxe"),
        ("Oak Planks", "oak_plank"),
        ("smelt iron ore in a furnace", "smelting of iron"),
        ("ＯＡＫ", "oak"),
        ("岩を掘る", "岩"),
        ("größer", "GRÖSSER"),
        ("!?", "!?"),
    ],
)
def test_shared_words_and_parts_are_near(one: str, other: str) -> None:
    assert cosine(one, other) > 2 * EMBEDDER.floor


@pytest.mark.parametrize(
    "one, other",
    [
        ("craft a stone pickaxe", "the village lies north of the river"),
        ("what is the best way to do it", "where are the sheep"),
        ("zombies come out at night", "bread needs three wheat in a row"),
        ("岩", "oak"),
    ],
)
def test_strangers_are_under_the_floor(one: str, other: str) -> None:
    assert cosine(one, other) < EMBEDDER.floor
