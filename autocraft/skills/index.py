"""Finds skills by meaning: those whose descriptions are nearest to a question.

The index is in memory, and is built from the files. A skill that has changed on disk is read and embedded again at the
next search.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

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
"""The highest floor for a description. The embedder's own may be lower. A question uses other words than a program, and
the reader checks the results, so a missing skill costs more than an unrelated one."""
_NAME_FLOOR = 0.3
"""The floor for a name. It is higher, since a text of two words is a little near to any text."""


class SkillMatch(NamedTuple):
    """A skill near to a question. `score` is the cosine, 1.0 for the same text."""

    entry: Entry
    score: float


def texts_of(entry: Entry) -> tuple[str, str]:
    """Return the two texts of a skill for the search: the words of its name, and name, description and products.

    The nearer of the two counts, so that a long description does not hide a good name.
    """
    name = words_of(entry.name)
    products = ", ".join(item.replace("_", " ") for item in (entry.program.makes if entry.program else ()))
    return well_formed(name), well_formed(
        f"{name}: {entry.skill.description.strip()}" + (f" ({products})" if products else "")
    )


class Index:
    """The skills of one library by meaning. An `embedder` that is named is opened by the first search."""

    def __init__(self, library: Library, embedder: Embedder | str = "auto") -> None:
        self.library = library
        self._embedder = embedder
        self._vectors: dict[str, bytes] = {}
        self._lock = threading.Lock()

    @cached_property
    def embedder(self) -> Embedder:
        return open_embedder(self._embedder) if isinstance(self._embedder, str) else self._embedder

    def search(self, question: str, k: int = TOP, *, everything: bool = False) -> list[SkillMatch]:
        """Return up to `k` near skills, the nearest first. Those that no model may see need `everything`.

        Raises CommandError for an empty question.
        """
        if not question.strip():
            raise CommandError("there is nothing to look for; say in a few words what the skill should do")
        entries = [entry for entry in self.library.entries()[0] if everything or not entry.hold]
        if not entries or k < 1:
            return []
        import numpy as np

        with self._lock:
            vectors = self._embed([text for entry in entries for text in texts_of(entry)])
            (query,) = self.embedder.embed([well_formed(question[:MOST_QUESTION])])
            query_vector = _matrix([query], self.embedder.dimension)[0]
        by_name, by_all = np.round(vectors @ query_vector, 5).reshape(len(entries), 2).T
        near = (by_all >= min(_FLOOR, self.embedder.floor)) | (by_name >= _NAME_FLOOR)
        scores = np.maximum(by_name, by_all)
        order = sorted(np.flatnonzero(near), key=lambda at: (-scores[at], entries[at].name))[:k]
        return [SkillMatch(entries[at], float(scores[at])) for at in order]

    def _embed(self, texts: Sequence[str]) -> NDArray[Any]:
        """Return a matrix with one row for each text. The vectors of the last search are used again."""
        new = sorted(set(texts) - set(self._vectors))
        self._vectors |= dict(zip(new, self.embedder.embed(new), strict=True)) if new else {}
        self._vectors = {text: self._vectors[text] for text in texts}
        return _matrix([self._vectors[text] for text in texts], self.embedder.dimension)


def _matrix(vectors: Sequence[bytes], dimension: int) -> NDArray[Any]:
    """Return a matrix with one row for each vector."""
    import numpy as np

    return np.frombuffer(b"".join(vectors), "<f4").reshape(len(vectors), dimension)
