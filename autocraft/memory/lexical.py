"""Embedder without a model: words and their character n-grams, hashed into a vector.

It needs no package and no network. It finds texts that share words or parts of words, but not texts that mean the same
in other words.
"""

from __future__ import annotations

import math
import re
import struct
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from hashlib import blake2b

DIMENSION = 512
_WORD = re.compile(r"[^\W_]+")
_WEIGHT_OF_PARTS = 1.0
"""The weight of all n-grams of a word together. The word itself has 1.0."""
_PLACES = 4
"""Places of the vector that each feature adds to. Two features that share one place still differ in others."""
_COMMON_WORDS = (
    "a an and are as at be been but by can did do does for from had has have how i if in into is it its me my no not of"
    " on or our so than that the their them then there these they this to up was we were what when where which who why"
    " will with you your"
)
_COMMON = frozenset(_COMMON_WORDS.split())


class LexicalEmbedder:
    """Vectors of 512 dimensions. `floor` is the cosine under which two texts count as unrelated."""

    name = "lexical-1"
    dimension = DIMENSION
    floor = 0.12

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        """Return one vector for each text: 512 little-endian float32 of length 1, all zero for an empty text."""
        return [_vector(text) for text in texts]


def _vector(text: str) -> bytes:
    values = [0.0] * DIMENSION
    for word, count in _words(text).items():
        factor = 1.0 + math.log(count)
        for at, weight in _features(word):
            values[at] += factor * weight
    length = math.sqrt(sum(value * value for value in values)) or 1.0
    return struct.pack(f"<{DIMENSION}f", *(value / length for value in values))


def _words(text: str) -> Counter[str]:
    """Count the words in small letters, without the most common ones. A text without letters is split at blanks."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    words = [part for word in _WORD.findall(plain) for part in _cut(word)]
    return Counter([word for word in words if word not in _COMMON] or words or plain.split())


def _cut(word: str) -> Iterable[str]:
    """Return the word itself. For a script without blanks, return its characters and the pairs of them."""
    if all(char < "\u2e80" for char in word):
        return [word]
    return [*word, *(word[at : at + 2] for at in range(len(word) - 1))]


@lru_cache(maxsize=20_000)
def _features(word: str) -> tuple[tuple[int, float], ...]:
    """Return (place, weight) of each place that a word adds to. Half of the weights are negative, so that random
    collisions cancel out."""
    parts = sorted(set(_parts(word)))
    share = _WEIGHT_OF_PARTS / math.sqrt(len(parts))
    return (*_places(f"={word}", 1.0), *(place for part in parts for place in _places(part, share)))


def _parts(word: str) -> Iterable[str]:
    """Yield the n-grams of 3 and 4 characters. ``^`` and ``$`` mark the ends of the word."""
    text = f"^{word}$"
    for size in (3, 4):
        for start in range(max(1, len(text) - size + 1)):
            yield text[start : start + size]


def _places(feature: str, weight: float) -> Iterable[tuple[int, float]]:
    digest = blake2b(feature.encode("utf-8", "replace"), digest_size=4 * _PLACES).digest()
    for number in struct.unpack(f"<{_PLACES}I", digest):
        yield number % DIMENSION, (-weight if number >> 31 else weight) / math.sqrt(_PLACES)
