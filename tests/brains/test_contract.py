"""What `protocols/brain.py` promises, for each brain."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from autocraft.brains.openai import OpenAIBrain, OpenAISettings
from autocraft.brains.planner import PlannerBrain
from autocraft.brains.scripted import ScriptedBrain
from autocraft.crafting.inventory import parse_inventory
from autocraft.errors import BrainError
from autocraft.goals import Goal
from autocraft.learning.oracle import OracleBrain
from autocraft.learning.retrieval import RetrievalBrain
from autocraft.protocols import Answer, Brain, Delta
from autocraft.usage import Usage
from autocraft.worlds.crafting import CraftingWorld
from benchmarks.novice.brain import NoviceBrain
from tests.brains.conftest import MESSAGES
from tests.brains.stand_in import COMMAND, Reply, StandIn, fault

PLAYERS = ["planner", "scripted", "openai"]
LEARNERS = {"oracle": OracleBrain, "novice": NoviceBrain, "retrieval": RetrievalBrain}

Make = Callable[[str], Brain]


class Wanted:
    """What the planner knows of a run."""

    remaining_memories: Sequence[Any] = ()

    def __init__(self, goal: Goal) -> None:
        self.goals = [goal]


@pytest.fixture
def make(stand_in: StandIn, tmp_path: Path) -> Make:
    """Return a function that makes a brain. It gives the answer COMMAND, also if it `waits` at first, or it `fails`."""

    def planner(how: str) -> Brain:
        goal = Goal("build a castle") if how == "fails" else Goal("craft 4 oak_planks", (("oak_planks", 4),))
        return PlannerBrain(CraftingWorld(parse_inventory("oak_log=1")), Wanted(goal))

    def scripted(how: str) -> Brain:
        file, line = tmp_path / "script.jsonl", {"text": COMMAND}
        if how == "waits":
            line["wait_for"] = str(tmp_path / "go")
        file.write_text("" if how == "fails" else json.dumps(line))
        return ScriptedBrain(file)

    def openai(how: str) -> Brain:
        if how != "answers":
            stand_in.replies.append(fault(401, "no") if how == "fails" else Reply(end="open", kind="text/event-stream"))
        return OpenAIBrain(OpenAISettings(base_url=stand_in.url, smart_model="big"))

    makers = {"planner": planner, "scripted": scripted, "openai": openai}

    def made(name_and_how: str) -> Brain:
        name, _, how = name_and_how.partition(" ")
        return LEARNERS[name]() if name in LEARNERS else makers[name](how)

    return made


@pytest.mark.parametrize("name", PLAYERS)
def test_an_answer_holds_a_command_and_what_it_used(make: Make, name: str) -> None:
    deltas: list[Delta] = []

    async def ask() -> Answer:
        brain = make(f"{name} answers")
        answer = await brain.think(MESSAGES, role="smart", max_tokens=500, temperature=0.0, on_delta=deltas.append)
        assert isinstance(answer.usage, Usage)
        assert brain.metered == (answer.usage.prompt_tokens + answer.usage.completion_tokens > 0)
        await brain.close()
        return answer

    answer = asyncio.run(ask())
    assert json.loads(answer.text)["command"]["name"] == "craft_item"
    assert (answer.finish_reason, answer.refusal) == ("stop", "")
    assert "".join(delta.text for delta in deltas if delta.kind == "text") in ("", answer.text)


@pytest.mark.parametrize("name", PLAYERS)
def test_a_question_that_was_cancelled_can_be_asked_again(
    make: Make, name: str, stand_in: StandIn, tmp_path: Path
) -> None:
    async def ask() -> Answer:
        brain = make(f"{name} waits")
        thinking = asyncio.create_task(brain.think(MESSAGES))
        await asyncio.sleep(0)
        if name == "openai":
            await asyncio.to_thread(stand_in.asked.wait, 60)
        assert not thinking.done()
        thinking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await thinking
        (tmp_path / "go").touch()
        answer = await brain.think(MESSAGES)
        await brain.close()
        return answer

    assert json.loads(asyncio.run(ask()).text)["command"]["name"] == "craft_item"


@pytest.mark.parametrize("name", [*PLAYERS, *LEARNERS])
def test_a_fault_is_one_line_and_a_brain_is_closed_twice(make: Make, name: str) -> None:
    async def ask() -> str:
        brain = make(f"{name} fails")
        assert brain.name and "\n" not in brain.name
        assert brain.asks_model == brain.reads_prompt, "a model gets a prompt"
        with pytest.raises(BrainError) as fault:
            await brain.think(MESSAGES)
        await brain.close()
        await brain.close()
        return str(fault.value)

    text = asyncio.run(ask())
    assert text and "\n" not in text
