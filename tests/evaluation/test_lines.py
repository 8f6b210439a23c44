"""The line protocol: what is read as an action, what never is, and what the model is told."""

from __future__ import annotations

import pytest

from autocraft.errors import UnreadableReply
from autocraft.evaluation.lines import line_of, part_with_action, read_line
from autocraft.protocols import Answer, Args

ALL = ("move", "smelt", "think", "search", "impossible", "craft_item", "smelt_item")
MOVE = {"source": "[I2]", "target": "[A1]", "quantity": 3}


@pytest.mark.parametrize(
    ("text", "name", "args"),
    [
        ("move: from [I2] to [A1] with quantity 3", "move", MOVE),
        ("Move: From [I2] to [A1] with quantity 3.", "move", MOVE),
        ("`move: from [i2] to [a1] with quantity 3`", "move", MOVE),
        ("move: from I2 to A1 with quantity 3", "move", MOVE),
        ("**move**: from [ I2 ] to [A1], with quantity: 3", "move", MOVE),
        ("move: from [I2] to [A1] quantity=3", "move", MOVE),
        ("move: from [I2] to [A1], quantity 3", "move", MOVE),
        ("Action: move: from [I2] to [A1] with quantity 3", "move", MOVE),
        ("I begin.\n\nmove: from [I2] to [A1] with quantity 3\nuser: well done", "move", MOVE),
        ("move: from [0] to [I36]", "move", {"source": "[0]", "target": "[I36]", "quantity": 1}),
        ("smelt: from [I2] to [I9] with quantity 64", "smelt", {"source": "[I2]", "target": "[I9]", "quantity": 64}),
        ("think: I should move: from [I2] to [A1]", "think", {"thought": "I should move: from [I2] to [A1]"}),
        ("search: oak planks", "search", {"recipe": "oak planks"}),
        ("search: `stick`", "search", {"recipe": "stick"}),
        ("impossible:", "impossible", {"reason": ""}),
        ("impossible: no diamond", "impossible", {"reason": "no diamond"}),
        ("craft_item: oak planks with quantity 4", "craft_item", {"name": "oak planks", "count": 4}),
        ("smelt_item: iron_ore", "smelt_item", {"name": "iron_ore", "count": 1}),
        ("smelt: iron_ore with quantity 2", "smelt_item", {"name": "iron_ore", "count": 2}),
        ("craft: oak planks with quantity=4", "craft_item", {"name": "oak planks", "count": 4}),
        (
            "craft_item: oak  planks" + " " * 20_000 + "with quantity 4",
            "craft_item",
            {"name": "oak planks", "count": 4},
        ),
    ],
)
def test_an_action_is_read(text: str, name: str, args: Args) -> None:
    reply = read_line(Answer(text), ALL)
    assert (reply.name, reply.args) == (name, args)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "I would remove: from [I2] to [A1] with quantity 1",
        "Let me say that move: from [I2] to [A1] with quantity 1 is right",
        "movement: from [I2] to [A1]",
        '{"command": {"name": "move"}}',
        "move from [I2] to [A1] with quantity 1",
        "move" + " " * 50_000 + "x",
        "\n" * 1000 + "move: from [I2] to [A1] with quantity 1",
    ],
)
def test_what_is_no_action_runs_nothing(text: str) -> None:
    with pytest.raises(UnreadableReply, match="Only select actions from the following: move, smelt"):
        read_line(Answer(text), ALL)


@pytest.mark.parametrize(
    "text",
    [
        *("move:", "move: the stick", "smelt: from [I2]", "smelt: from I2", "craft_item: ???", "move: from [] to []"),
        *("move: from [I2] to [A1] with quantity two", "move: from [I2] to [A1], quantity -3"),
    ],
)
def test_a_half_action_is_told_its_format(text: str) -> None:
    with pytest.raises(UnreadableReply, match=f"Format error: write it as {text.partition(':')[0]}: "):
        read_line(Answer(text), ALL)


def test_short_words_mean_nothing_without_the_actions_that_they_stand_for() -> None:
    for text in ("craft: stick", "smelt: iron_ore"):
        with pytest.raises(UnreadableReply, match=r"Only select actions|Format error: write it as smelt: from"):
            read_line(Answer(text), ("move", "smelt", "think"))


def test_an_action_that_is_not_offered_is_none() -> None:
    with pytest.raises(UnreadableReply, match="Only select actions from the following: move, smelt"):
        read_line(Answer("search: stick"), ("move", "smelt"))


def test_turns_that_a_model_makes_up_are_not_kept() -> None:
    text = "think: hm\nuser: Ok\nmove: from [I1] to [A1] with quantity 1"
    assert part_with_action(text, ALL) == "think: hm"
    assert part_with_action("nothing of the kind", ALL) == "nothing of the kind"


def test_every_action_is_written_as_it_is_read() -> None:
    for line in (
        "move: from [I2] to [A1] with quantity 3",
        "smelt: from [A1] to [I2] with quantity 1",
        "think: so",
        "search: stick",
        "impossible: no",
        "craft_item: stick with quantity 4",
        "smelt_item: sand with quantity 2",
    ):
        reply = read_line(Answer(line), ALL)
        assert line_of(reply.name, reply.args) == line
