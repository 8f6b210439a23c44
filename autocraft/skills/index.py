"""Finds skills by what they are for: the nearest of all descriptions to a question.

The index lives in memory and is made from the files; a skill that has changed on disk, in this process or another,
is read and embedded anew at the next search.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from autocraft.errors import CommandError
from autocraft.memory.embed import Embedder, open_embedder
from autocraft.skills.names import words_of
from autocraft.skills.store import Entry, Library
from autocraft.text.characters import well_formed

if TYPE_CHECKING:
    from numpy.typing import NDArray

TOP = 5
MOST_QUESTION = 2_000
_FLOOR = 0.18
"""Under the embedder's own where that is higher: a wish is told in other words than a program, and somebody reads the
five that are found, so a skill that is not found costs more than a stranger among them."""
_NAME_FLOOR = 0.3
"""For the name by itself: a text of two words is somewhat near to anything, nonsense included."""


@dataclass(frozen=True, slots=True)
class Found:
    """A skill near to a question; `score` is the cosine, 1.0 for the same text."""

    entry: Entry
    score: float


def texts_of(entry: Entry) -> tuple[str, str]:
    """What a skill is found by: the words of its name alone, which a long description would drown, and all that is
    told of it (name, description, what it makes). The nearer of the two counts, so that a bad name harms nothing."""
    name = words_of(entry.name)
    made = ", ".join(each.replace("_", " ") for each in (entry.program.makes if entry.program else ()))
    return well_formed(name), well_formed(f"{name}: {entry.skill.description.strip()}" + (f" ({made})" if made else ""))


class Index:
    """The skills of one library by meaning. `embedder` is made at the first search where none is given."""

    def __init__(self, library: Library, embedder: Embedder | None = None) -> None:
        self.library = library
        self._embedder = embedder
        self._vectors: dict[str, bytes] = {}
        self._lock = threading.Lock()

    @property
    def embedder(self) -> Embedder:
        if self._embedder is None:
            self._embedder = open_embedder()
        return self._embedder

    def search(self, question: str, k: int = TOP, *, everything: bool = False) -> list[Found]:
        """Up to `k` skills that are near, the nearest first; held ones only with `everything`. Raises CommandError."""
        if not question.strip():
            raise CommandError("there is nothing to look for; say in a few words what the skill should do")
        entries = [each for each in self.library.entries()[0] if everything or not each.held]
        if not entries or k < 1:
            return []
        import numpy as np

        with self._lock:
            vectors = self._embedded([text for each in entries for text in texts_of(each)])
            asked = _matrix(self.embedder.embed([well_formed(question[:MOST_QUESTION])]), self.embedder.dimension)[0]
        by_name, by_all = np.round(vectors @ asked, 5).reshape(len(entries), 2).T
        near = (by_all >= min(_FLOOR, self.embedder.floor)) | (by_name >= _NAME_FLOOR)
        scores = np.maximum(by_name, by_all)
        order = sorted(np.flatnonzero(near), key=lambda at: (-scores[at], entries[at].name))[:k]
        return [Found(entries[at], float(scores[at])) for at in order]

    def _embedded(self, texts: Sequence[str]) -> NDArray[Any]:
        """One row a text; what was embedded before is taken from there, what is gone is forgotten."""
        new = sorted(set(texts) - set(self._vectors))
        self._vectors |= dict(zip(new, self.embedder.embed(new), strict=True)) if new else {}
        self._vectors = {text: self._vectors[text] for text in texts}
        return _matrix([self._vectors[text] for text in texts], self.embedder.dimension)


def _matrix(vectors: Sequence[bytes], dimension: int) -> NDArray[Any]:
    """One row a vector."""
    import numpy as np

    return np.frombuffer(b"".join(vectors), "<f4").reshape(len(vectors), dimension)
