"""The opening of the line protocol: played again in the package's environment, and no more than the tools allow."""

from __future__ import annotations

import itertools
import random
import re

import pytest

from autocraft.crafting.examples import load_examples
from autocraft.crafting.planner import plan
from autocraft.crafting.recipes import load_book
from autocraft.crafting.slots import index_of
from autocraft.crafting.table import CraftingTable
from autocraft.errors import UsageError
from autocraft.evaluation.fewshot import THOUGHT, observation_text, opening
from autocraft.evaluation.lines import FORMATS, read_line
from autocraft.goals import Goal
from autocraft.protocols import Answer, Message

LOW = ("move", "smelt")
TALK = ("think", "search", "impossible")
HIGH = ("craft_item", "smelt_item")
SETS = [(*LOW, *more) for size in range(4) for more in itertools.combinations(TALK, size)]


def turns(messages: list[Message]) -> list[tuple[str, str]]:
    """(what was shown, what was answered), without the system prompt."""
    said = messages[1:]
    return [(said[index].content, said[index + 1].content) for index in range(0, len(said), 2)]


def seen(text: str) -> tuple[str, CraftingTable]:
    """The target and the table of an observation."""
    rows = re.findall(r"^ - (\w+) \[(\w+)\] quantity (\d+)$", text, re.MULTILINE)
    table = CraftingTable({index_of(slot): (item, int(count)) for item, slot, count in rows if slot != "0"})
    return text.split("\n")[0].removeprefix("Craft an item of type: "), table


@pytest.mark.parametrize("high_level", [False, True])
@pytest.mark.parametrize("tools", SETS, ids="-".join)
def test_only_what_the_tools_allow_is_offered_and_shown(tools: tuple[str, ...], high_level: bool) -> None:
    allowed = {*tools, *(HIGH if high_level else ())}
    messages = opening([*tools, *(HIGH if high_level else ())])
    assert [each.role for each in messages] == ["system", *["user", "assistant"] * (len(messages) // 2)]
    assert messages[-1].role == "assistant"
    assert {name for name, form in FORMATS.items() if f"`{form}`" in messages[0].content} == allowed
    answers = [answer for _, answer in turns(messages)]
    assert {read_line(Answer(answer), FORMATS).name for answer in answers} == allowed
    assert all("\n" not in answer for answer in answers)
    assert opening([*tools, *sorted(allowed)]) == messages, "a tool that is named twice is offered once"


def test_the_example_is_true_in_the_packages_own_environment() -> None:
    from plancraft.environment.actions import MoveActionHandler, SmeltActionHandler
    from plancraft.environment.env import PlancraftEnvironment, target_and_inventory_to_text_obs

    environment = PlancraftEnvironment(resolution="low")
    target, played, tasks = "", 0, []
    for shown, answer in turns(opening([*LOW, "think", "search"])):
        if shown.startswith("Craft an item"):
            if seen(shown)[0] != target:
                target, table = seen(shown)
                tasks.append(target)
                stacks = {slot: {"type": item, "quantity": count} for slot, (item, count) in table.stacks()}
                environment.reset(stacks)
            assert shown == target_and_inventory_to_text_obs(target, environment.state)
        handler = {"move": MoveActionHandler, "smelt": SmeltActionHandler}.get(answer.split(":")[0])
        if handler is not None:
            before = target_and_inventory_to_text_obs(target, environment.state)
            environment.step(handler().match(answer))
            assert target_and_inventory_to_text_obs(target, environment.state) != before
            played += 1
            held = any(stack["type"] == target for slot, stack in environment.state.items() if slot)
            assert held == (target == "iron_ingot" or "[0]" in answer)
    assert (played, tasks) == (4, ["andesite", "iron_ingot"])


def test_what_follows_a_thought_a_search_and_a_craft() -> None:
    said = turns(opening([*LOW, *TALK, *HIGH]))
    follows = {answer: shown for (_, answer), (shown, _) in itertools.pairwise(said)}
    assert {shown for answer, shown in follows.items() if answer.startswith("think:")} == {THOUGHT}
    assert follows["search: andesite"].startswith("Recipes to craft andesite:\nrecipe 1:\n")
    _, table = seen(follows["smelt_item: cobblestone with quantity 2"])
    assert table.counts() == {"stone": 2, "cobblestone": 1, "oak_log": 2}
    told = opening([*LOW, "search"], search=lambda name, table: f"<{name} {table.counts()}>")
    assert told[3].content == "<andesite {'diorite': 1, 'cobblestone': 1}>"


def test_the_impossible_task_is_impossible_and_the_others_are_not() -> None:
    said = turns(opening([*LOW, "impossible", *HIGH]))
    answers: dict[str, str] = {}
    starts: dict[str, CraftingTable] = {}
    for shown, answer in said:
        target, table = seen(shown)
        starts.setdefault(target, table)
        answers[target] = answer
    for target, table in starts.items():
        decided = plan(load_book(), table.counts(), [Goal(f"craft 1 {target}", ((target, 1),))])
        assert decided.verdict == ("impossible" if answers[target].startswith("impossible") else "found")
    assert len(starts) == 4


def test_observations_are_the_packages_text() -> None:
    from plancraft.environment.env import target_and_inventory_to_text_obs

    rng = random.Random(1)
    for example in rng.sample(list(load_examples("test").values()), 60):
        table = example.table()
        table.move(table.stacks()[0][0], rng.randint(1, 9), 1)
        state = {slot: {"type": item, "quantity": count} for slot, (item, count) in table.stacks()}
        assert observation_text(example.target, table) == target_and_inventory_to_text_obs(example.target, state)
    assert observation_text("stick", CraftingTable()) == "Craft an item of type: stick\ninventory:"


def test_the_words_are_our_own() -> None:
    """No run of six words is shared with the package's prompt, formats of actions aside."""
    from plancraft.environment import prompts

    def runs(text: str) -> set[tuple[str, ...]]:
        words = re.findall(r"\w+", re.sub(r"`[^`]*`|\[\w+\]", " ", text).lower())
        return {tuple(words[at : at + 6]) for at in range(len(words) - 5)}

    theirs = "\n".join([prompts.BASE_SYSTEM_PROMPT, prompts.BASE_SYSTEM_PROMPT_EXAMPLE, *prompts.THINK_STEPS])
    ours = opening([*LOW, *TALK, *HIGH])
    thoughts = [each.content for each in ours if each.content.startswith("think:")]
    assert runs("\n".join([ours[0].content, *thoughts])) & runs(theirs) == set()
    assert len(runs(theirs)) > 100


def test_an_unknown_tool_is_named() -> None:
    with pytest.raises(UsageError, match="there is no tool 'fly': choose among move, smelt, think"):
        opening(["move", "fly"])
    assert len(opening([])) == 1
