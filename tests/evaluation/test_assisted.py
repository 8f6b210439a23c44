"""Advice is complete: whoever copies the last written line reaches what can be reached, and names what cannot be."""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from autocraft import Evaluator
from autocraft.cli.scores import score_lines
from autocraft.crafting.examples import load_example
from autocraft.crafting.execute import carry_out
from autocraft.crafting.slots import COUNT, OUTPUT
from autocraft.crafting.table import Action
from autocraft.errors import CommandError
from autocraft.evaluation.conditions import Conditions
from autocraft.evaluation.episode import play
from autocraft.evaluation.fewshot import opening
from autocraft.evaluation.lines import read_line
from autocraft.evaluation.model import Model
from autocraft.evaluation.page.summary import summary_tables
from autocraft.evaluation.players import ModelPlayer
from autocraft.evaluation.results import EpisodeResult
from autocraft.evaluation.tools import MOST_ACTIONS, EpisodeWorld, example_words
from autocraft.protocols import Answer
from benchmarks.advice import LINE, Copier, exemplars, main
from tests.evaluation.test_habits import Actor
from tests.sampling import drawn

EXAMPLES = ("TEST0018", "TEST0100", "TEST0595")
TOOLS = pytest.mark.parametrize("high_level", [False, True], ids=["moves", "whole recipes"])


@pytest.fixture
def played(tmp_path: Path) -> Callable[..., EpisodeResult]:
    def run(model: Model, id: str, **conditions: object) -> EpisodeResult:
        chosen = Conditions("test", **{"advice": True, **conditions})  # type: ignore[arg-type]
        return asyncio.run(play(load_example(id), 0, chosen, ModelPlayer(model), tmp_path / id))

    return run


@pytest.mark.full
@pytest.mark.parametrize("split", drawn(["test.small", "val.small"], 1))
def test_a_copier_reaches_every_target_and_names_every_impossible_one(
    split: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--split", split]) == 0, capsys.readouterr().out


@TOOLS
@pytest.mark.sampled(1)
def test_a_copier_needs_few_actions(tmp_path: Path, high_level: bool) -> None:
    evaluator = Evaluator(split="test.small", limit=12, high_level=high_level, advice=True, out=tmp_path)
    results = evaluator.run(Copier()).results
    assert [each.example_id for each in results if not each.success] == []
    assert {each.complexity for each in results} == {"easy", "medium", "hard", "impossible"}
    assert all(each.actions <= MOST_ACTIONS * each.minimum for each in results if each.minimum)


def test_single_moves_are_advised_where_whole_recipes_take_far_more_actions(
    played: Callable[..., EpisodeResult],
) -> None:
    """TEST0316: smelt_item puts eight gold nuggets into the inventory, from where each is moved into the grid again."""
    result = played(Copier(), "TEST0316", high_level=True)
    assert result.success and result.minimum and result.actions <= MOST_ACTIONS * result.minimum


@TOOLS
@pytest.mark.parametrize("id", EXAMPLES)
def test_from_any_state_the_line_leads_to_the_target(id: str, high_level: bool) -> None:
    """The table is disturbed by legal moves, so that cells are wrong and [0] shows something."""
    conditions, rng = Conditions("test", high_level=high_level, advice=True), random.Random(id)
    world = EpisodeWorld(load_example(id), conditions, 0)
    table, moves = world.table, 0
    for _ in range(400):
        slots = (rng.choice([slot for slot, _ in table.stacks()]), rng.randrange(COUNT))
        try:
            table.act(Action("move", *slots, 1))
        except CommandError:
            continue
        moves += slots[0] != OUTPUT
        if moves == 8:
            break
    world.restore({"slots": table.to_json()})
    for _ in range(60):
        if world.won:
            return
        text = asyncio.run(world.observe()).text
        lines = LINE.findall(text)
        assert lines, text
        reply = read_line(Answer(lines[-1]), conditions.commands)
        assert reply.name != "impossible", text
        world.restore({"slots": carry_out(world.table, reply.name, reply.args).table.to_json()})
    raise AssertionError(f"{id} is not reached")


def test_each_text_ends_with_a_line_and_a_repeated_thought_is_named(played: Callable[..., EpisodeResult]) -> None:
    lines = [
        "move: from [I1] to [I2] with quantity 1",
        "think: hm",
        "think: hm",
        "search: stick",
        "search: stick",
    ]
    actor = Actor(lambda turn, said: lines[turn] if turn < len(lines) else LINE.findall(said)[-1])
    result = played(actor, EXAMPLES[0])
    assert result.success
    assert all(LINE.search(said) for said in actor.heard), "each text ends with a line, that of a search too"
    again = "This very line was said before"
    assert [again in said for said in actor.heard[:6]] == [False, False, False, True, False, True]


def test_a_model_may_copy_the_line_as_json_beside_other_words(played: Callable[..., EpisodeResult]) -> None:
    written = re.compile(r"`(\{[^`]+\})`")
    actor = Actor(lambda turn, said: f'Here is my command:\n{{"command": {written.findall(said)[-1]}}}')
    result = played(actor, EXAMPLES[0], prompt="own")
    assert result.success and "unreadable" not in {step.kind for step in result.steps}


def test_what_is_no_part_of_the_target_is_named(played: Callable[..., EpisodeResult]) -> None:
    world = EpisodeWorld(load_example("TEST0316"), Conditions("test", advice=True), 0)
    slots = {item: slot for slot, (item, _) in world.table.stacks()}
    wrong, right = (f"[I{slots[item] - 9}]" for item in ("beetroot_soup", "carrot"))
    ways = [(wrong, right), (right, wrong)]
    lines = [*(f"move: from {start} to {end} with quantity 1" for start, end in ways), "impossible: x", "impossible: x"]
    actor = Actor(lambda turn, said: lines[turn])
    played(actor, "TEST0316", high_level=True)
    assert "beetroot_soup is no part of golden_carrot" in actor.heard[1]
    assert "no part of" not in actor.heard[2] and "first free slot" not in actor.heard[2]


def test_without_the_flag_nothing_changes(played: Callable[..., EpisodeResult]) -> None:
    for feedback in (True, False):
        actor = Actor(lambda turn, said: "impossible: x")
        played(actor, EXAMPLES[0], advice=False, feedback=feedback)
        assert not any("Next: `" in said or "Proven impossible" in said for said in actor.heard)
    assert Conditions("test").to_json().keys().isdisjoint({"advice", "ids"})


def test_assisted_figures_stand_alone(tmp_path: Path) -> None:
    outcome = Evaluator(split="test.small", limit=2, advice=True, out=tmp_path).run(Copier())
    text = "\n".join(score_lines(outcome.summary, 200))
    assert outcome.summary["paper"] == []
    assert "Assisted by the planner:" in text and "Llama" not in text and "arXiv" not in text
    row = summary_tables(outcome.summary)["paper"]
    assert "this run (assisted by the planner)" in str(row)
    page = (outcome.folder / "page.html").read_text()
    assert "assisted by the planner" in page


@TOOLS
def test_the_exemplars_follow_the_written_line_and_recover_from_an_error(high_level: bool) -> None:
    conditions = Conditions("test", high_level=high_level, advice=True)
    written, followed = exemplars(conditions)
    assert written - followed == 1, "one answer is an error on purpose"
    messages = opening(conditions.commands, observe=example_words(conditions), advice=True)[1:]
    shown, said = messages[::2], messages[1::2]
    (error,) = [place for place, message in enumerate(shown) if '<data source="error">' in message.content]
    assert said[error].content == LINE.findall(shown[error].content)[-1]
    made = " ".join(message.content for message in said)
    assert "oak_planks" in made if high_level else re.search(r"oak_planks \[", " ".join(m.content for m in shown))
    assert said[0].content.startswith("impossible: ")
