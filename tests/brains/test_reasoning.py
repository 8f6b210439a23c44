"""A model whose tokens all go into reasoning: `run`, `learn` and `eval` name the cause and the two settings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from tests.brains.stand_in import Reply, StandIn, piece, streamed
from tests.commands.programs import with_programs
from tests.conftest import STONE_PICKAXE, Place, kinds
from tests.learning.test_endpoint import GOOD

pytestmark = pytest.mark.sampled(4)

LEARN = ("learn", "--world", "crafting", "--inventory", "oak_log=4", "-c", "--iterations", "4", "--memory", "none")
WAYS: dict[str, tuple[Sequence[str], str, int]] = {
    "run": (("run", *STONE_PICKAXE, "-c", "--memory", "none"), "smart", 3),
    "learn, tasks": (LEARN, "curriculum", 3),
    "learn, programs": (LEARN, "action", 3),
    "eval, lines": (("eval", "--limit", "1", "--max-steps", "2", "--out", "out"), "smart", 0),
    "eval, commands": (("eval", "--limit", "1", "--max-steps", "2", "--out", "out", "--prompt", "own"), "smart", 0),
}
"""A program -> the role that reasons too long, the exit code."""


def silent(shown: bool) -> Reply:
    """Return an answer that ends before its text. OpenAI does not show what its models think."""
    return streamed(finish="length", before=[piece(reasoning_content="hm, " * 9)] if shown else [])


@pytest.mark.parametrize("shown", [True, False], ids=["shown", "hidden"])
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.sampled(1)
def test_reasoning_that_uses_an_answer_up_is_said_so_with_what_to_set(
    place: Place, stand_in: StandIn, way: str, shown: bool
) -> None:
    arguments, role, code = WAYS[way]

    def answer(request: dict[str, Any]) -> Reply:
        return silent(shown) if request["model"] in (role, "m") else streamed(GOOD[request["model"]])

    stand_in.refuse = answer
    model = {"SMART_LLM_MODEL": "m", "OPENAI_BASE_URL": stand_in.url}
    if way.startswith("learn"):
        file = place.folder / ".config" / "autocraft" / "autocraft.toml"
        file.parent.mkdir(parents=True)
        file.write_text("".join(f'[models.{each}]\nmodel = "{each}"\n' for each in GOOD))
        model |= with_programs()
    done = place.run(*arguments, **model)
    said = done.stdout + done.stderr
    assert f"A larger models.{role}.reply_tokens or a lower models.{role}.effort leaves room for it" in said
    assert done.returncode == code, said
    if not way.startswith("eval"):
        assert f"models.{role}.reply_tokens" in kinds(place.events(), "end")[0]["why"]
    rooms = [request["max_tokens"] for request in stand_in.requests if request["model"] in (role, "m")]
    assert rooms[1] == 4 * rooms[0], "it is asked once more with more room"
