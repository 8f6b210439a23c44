"""Retrieval on the sets of 40: by meaning with minilm, and what the lexical embedder is good for beside it."""

from __future__ import annotations

from pathlib import Path

import pytest

from autocraft.errors import CommandError
from autocraft.memory.embed import Embedder
from autocraft.memory.lexical import LexicalEmbedder
from autocraft.memory.minilm import MiniLMEmbedder
from autocraft.skills.index import Index, texts_of
from autocraft.skills.skill import Draft
from autocraft.skills.store import Library
from tests.skills.conftest import draft
from tests.skills.retrieval import FILES, Row, rows

pytestmark = pytest.mark.sampled(2)

ROWS = rows()
LEAST = {"retrieval": 39, "retrieval_second": 37}
"""Of the 40 questions so many must find their skill by meaning among the first five; docs/skills.md has the figures."""
MOST_BY_WORDS = 1
"""So many may be found by words alone, which the questions do not share with their skills."""


def filled(folder: Path, rows: list[Row]) -> Library:
    library = Library(folder / "skills")
    for row in rows:
        library.save(row.name, Draft(row.code, description=row.description))
    return library


@pytest.fixture(scope="module")
def forty(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return filled(tmp_path_factory.mktemp("forty"), ROWS)


def hits(library: Library, embedder: Embedder, questions: list[str], rows: list[Row] = ROWS) -> tuple[int, int]:
    """How many of the questions, one a row, find their skill first, and among the first five."""
    index = Index(library, embedder)
    found = [[each.entry.name for each in index.search(question)] for question in questions]
    first = sum(names[:1] == [row.name] for names, row in zip(found, rows, strict=True))
    return first, sum(row.name in names for names, row in zip(found, rows, strict=True))


@pytest.mark.parametrize("which", FILES)
@pytest.mark.full
def test_questions_without_shared_words(which: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    theirs = rows(which)
    library = filled(tmp_path, theirs)
    found = {}
    with capsys.disabled():
        for embedder in (LexicalEmbedder(), MiniLMEmbedder()):
            first, five = hits(library, embedder, [row.question for row in theirs], theirs)
            print(f"\n{which}, {embedder.name}: {first} of 40 first, {five} of 40 in the first five", end="")
            found[embedder.name] = five
    assert found["minilm-l6-v2-int8"] >= LEAST[which]
    assert found["lexical-1"] <= MOST_BY_WORDS


def test_the_lexical_embedder_finds_by_shared_words(forty: Library) -> None:
    """As an agent would ask: half of the description's words, in another order."""
    questions = [" ".join(reversed(row.description.split()[::2])) for row in ROWS]
    first, five = hits(forty, LexicalEmbedder(), questions)
    assert five >= 38
    assert first >= 36


def test_what_is_looked_at(library: Library) -> None:
    library.save("craftRail_now", draft("craftRail_now", 'await craftItem(bot, "powered_rail", 1);'))
    name, whole = texts_of(library.entry("craftRail_now"))
    assert name == "craft rail now"
    assert whole == "craft rail now: Does craftRail_now. (powered rail)"


def test_neither_a_long_description_nor_a_bad_name_hides_a_skill(library: Library) -> None:
    long = "It checks the inventory, walks to the place, waits for a while, tells what it does and comes back. " * 5
    library.save("shearSheep", draft("shearSheep", description=long))
    library.save("task17", draft("task17", description="Milks a cow with an empty bucket."))
    library.save("countSheep", draft("countSheep", description="Counts sheep."))
    index = Index(library, LexicalEmbedder())
    assert index.search("shear a sheep")[0].entry.name == "shearSheep"
    assert index.search("milk a cow")[0].entry.name == "task17"


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
