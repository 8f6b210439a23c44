"""The fixed part of each role's prompt is shorter than Voyager's, and docs/learning.md says by how much."""

from __future__ import annotations

import pytest

from autocraft.learning.action import primitives
from autocraft.text.prompts import render
from autocraft.usage import estimate_tokens
from benchmarks.learning_page import PAGE

VOYAGER = {
    "action": ("learn_program.j2", 3_072),
    "critic": ("learn_critic.j2", 1_177),
    "curriculum": ("learn_task.j2", 647),
    "question": ("learn_questions.j2", 918),
    "answer": ("learn_answer.j2", 72),
    "describe": ("learn_describe.j2", 523),
}
"""Role -> its template, and the tokens of Voyager's system prompt without skills (commit 55e45a8, cl100k_base)."""


@pytest.mark.parametrize("role", VOYAGER)
def test_the_system_prompt_of_each_role_is_shorter_than_voyagers(role: str) -> None:
    template, theirs = VOYAGER[role]
    values = {"primitives": primitives()} if role == "action" else {}
    ours = estimate_tokens(render(template, "system", **values))
    assert ours <= theirs
    assert f"| {role} | {ours:,} | {theirs:,} |" in PAGE.read_text(encoding="utf-8")
