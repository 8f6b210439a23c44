"""Retrieval on the set of 40: by meaning with minilm, and what the lexical embedder is good for beside it."""

from __future__ import annotations

from pathlib import Path

import pytest

from autocraft.errors import CommandError
from autocraft.memory.lexical import LexicalEmbedder
from autocraft.memory.minilm import MiniLMEmbedder
from autocraft.skills.index import Embedder, Index, context_of
from autocraft.skills.skill import Draft
from autocraft.skills.store import Library
from tests.skills.conftest import draft
from tests.skills.retrieval import rows

ROWS = rows()
LEAST = {"minilm-l6-v2-int8": 38, "lexical-1": 0}
"""Of the 40 questions so many must find their skill among the first five; docs/skills.md has the figures."""


@pytest.fixture(scope="module")
def forty(tmp_path_factory: pytest.TempPathFactory) -> Library:
    library = Library(tmp_path_factory.mktemp("forty") / "skills")
    for row in ROWS:
        library.save(row.name, Draft(row.code, row.description))
    return library


def hits(library: Library, embedder: Embedder, questions: list[str]) -> tuple[int, int]:
    """How many of the questions, one a row, find their skill first, and among the first five."""
    index = Index(library, embedder)
    found = [[each.entry.name for each in index.search(question)] for question in questions]
    first = sum(names[:1] == [row.name] for names, row in zip(found, ROWS, strict=True))
    return first, sum(row.name in names for names, row in zip(found, ROWS, strict=True))


def test_questions_without_shared_words(forty: Library, capsys: pytest.CaptureFixture[str]) -> None:
    questions = [row.question for row in ROWS]
    with capsys.disabled():
        for embedder in {each.name: each for each in (LexicalEmbedder(), MiniLMEmbedder())}.values():
            first, five = hits(forty, embedder, questions)
            print(f"\n{embedder.name}: {first} of 40 first, {five} of 40 in the first five", end="")
            assert five >= LEAST[embedder.name]


def test_the_lexical_embedder_finds_by_shared_words(forty: Library) -> None:
    """As an agent would ask: half of the description's words, in another order."""
    questions = [" ".join(reversed(row.description.split()[::2])) for row in ROWS]
    first, five = hits(forty, LexicalEmbedder(), questions)
    assert five >= 38
    assert first >= 36


def test_what_is_looked_at(library: Library) -> None:
    library.save("craftRail_now", draft("craftRail_now", 'await craftItem(bot, "powered_rail", 1);'))
    assert context_of(library.entry("craftRail_now")) == "craft rail now: Does craftRail_now. (powered rail)"


def test_nothing_near_finds_nothing(forty: Library) -> None:
    index = Index(forty, LexicalEmbedder())
    assert index.search("xylophone quarterly zzz") == []
    assert index.search("craft a boat", 0) == []
    with pytest.raises(CommandError, match="nothing to look for"):
        index.search(" \n")
    scores = [each.score for each in index.search("craft a boat on the water \ud800")]
    assert len(scores) == 5
    assert scores == sorted(scores, reverse=True)


def test_the_index_follows_the_files(tmp_path: Path) -> None:
    mine, theirs = Library(tmp_path), Library(tmp_path)
    index = Index(mine, LexicalEmbedder())
    assert index.search("banana") == []
    theirs.save("a", draft("a", description="Eats a banana."))
    assert [each.entry.name for each in index.search("banana")] == ["a"]
    theirs.save("a", draft("a", description="Paints a wall."))
    assert index.search("banana") == []
    assert [each.entry.name for each in index.search("wall")] == ["a"]
    theirs.delete("a")
    assert index.search("wall") == []


def test_held_skills_are_not_found_but_by_the_person(library: Library) -> None:
    library.add("a", [draft("a", description="Eats a banana.", quarantine=True)])
    index = Index(library, LexicalEmbedder())
    assert index.search("banana") == []
    assert [each.entry.name for each in index.search("banana", everything=True)] == ["a"]
    library.approve("a")
    assert [each.entry.name for each in index.search("banana")] == ["a"]
