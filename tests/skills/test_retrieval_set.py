"""The retrieval set is what it claims to be: no question shares a word with its skill."""

from __future__ import annotations

import pytest

from tests.skills.retrieval import Row, rows, shared, stem

ROWS = rows()


def test_forty_different_skills_and_questions() -> None:
    assert len(ROWS) == len({row.name for row in ROWS}) == len({row.question for row in ROWS}) == 40


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_no_question_shares_a_word_with_its_skill(row: Row) -> None:
    assert shared(row) == set()


def test_the_check_would_see_a_shared_word() -> None:
    base = Row("craftTorches", "Crafts torches out of sticks.", 'await craftItem(bot, "wall_torch", 1);', "")
    for question, word in (("crafting light", "craft"), ("a torch", "torch"), ("a wall", "wall"), ("stick", "stick")):
        assert word in shared(base._replace(question=question))
    assert shared(base._replace(question="something to see at night")) == set()
    assert [stem(word) for word in ("mines", "mining", "dug", "digging", "planks")] == [
        "min",
        "min",
        "dug",
        "dig",
        "plank",
    ]
