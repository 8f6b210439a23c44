"""The retrieval sets are what they claim to be: no question shares a word with its skill."""

from __future__ import annotations

from tests.skills.retrieval import FILES, Row, rows, shared, stem

SETS = {which: rows(which) for which in FILES}


def test_forty_different_skills_and_questions() -> None:
    for each in SETS.values():
        assert len(each) == len({row.name for row in each}) == len({row.question for row in each}) == 40


def test_the_sets_have_no_skill_in_common() -> None:
    assert len({row.name for each in SETS.values() for row in each}) == 80


def test_no_question_shares_a_word_with_its_skill() -> None:
    words = {row.name: shared(row) for each in SETS.values() for row in each}
    assert {name: each for name, each in words.items() if each} == {}


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
