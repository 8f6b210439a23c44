"""Every figure of a summary against numbers worked out by hand, the published figures, and what a person is shown."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from autocraft.cli.scores import progress_line, score_lines
from autocraft.crafting.examples import load_examples
from autocraft.evaluation.published import package_actions, paper, paper_rows
from autocraft.evaluation.results import EpisodeResult, StepResult
from autocraft.evaluation.scores import summary

TOOLS = ["M", "S", "T", "SE", "I"]


def step(kind: str, ok: bool = True, moves: int = 0) -> StepResult:
    return StepResult(kind, "", ok, "", "", {}, moves)  # type: ignore[arg-type]


def episode(level: str = "easy", ended: str = "success", **fields: Any) -> EpisodeResult:
    """An episode; unless said otherwise it took 4 steps and 3 actions, 2 would do, and the package takes 5."""
    impossible = level == "impossible"
    success = (ended == "impossible") if impossible else (ended == "success")
    given: dict[str, Any] = {
        "example_id": "TEST0001",
        "seed": 0,
        "target": "stick",
        "complexity": level,
        "recipe_type": "impossible" if impossible else "shaped",
        "impossible": impossible,
        "success": success,
        "ended": ended,
        "number_of_steps": 4,
        "actions": 3,
        "minimum": None if impossible else 2,
        "minimum_proven": not impossible,
        "package_actions": None if impossible else 5,
        "start": {},
        "prompt_tokens": 100,
        "completion_tokens": 10,
        "cost": 0.25,
    }
    return EpisodeResult(**(given | fields))


def of(results: Sequence[EpisodeResult], **conditions: object) -> dict[str, Any]:
    return summary(results, split="test", conditions=conditions, seconds=12.5)


def test_success_is_counted_over_what_is_not_impossible() -> None:
    made = of(
        [
            *[episode("easy") for _ in range(3)],
            episode("easy", "max_steps"),
            episode("medium", recipe_type="smelting"),
            episode("hard", "stuck"),
            episode("impossible", "impossible"),
            episode("impossible", "max_steps"),
        ]
    )
    assert made["n"] == 8
    assert made["success"] == 4 / 6
    assert made["all"] == {"n": 8, "success": 5 / 8, "mean": None, "spread": None}
    assert {name: (level["n"], level["success"]) for name, level in made["levels"].items()} == {
        "easy": (4, 3 / 4),
        "medium": (1, 1.0),
        "hard": (1, 0.0),
    }
    assert {name: (kind["n"], kind["success"]) for name, kind in made["recipe_types"].items()} == {
        "impossible": (2, 1 / 2),
        "shaped": (5, 3 / 5),
        "smelting": (1, 1.0),
    }


def test_the_spread_is_that_of_the_seeds_rates() -> None:
    """Rates of 1/2, 1/2 and 1: mean 2/3, squares of 1/36, 1/36 and 4/36 over 3 - 1."""
    ends = {0: ("success", "stuck"), 1: ("stuck", "success"), 2: ("success", "success")}
    made = of([episode(seed=seed, ended=each) for seed, ended in ends.items() for each in ended])
    assert made["seeds"] == 3
    assert made["success"] == pytest.approx(4 / 6)
    assert made["mean"] == pytest.approx(2 / 3)
    assert made["spread"] == pytest.approx((6 / 36 / 2) ** 0.5)
    assert made["levels"]["easy"]["spread"] == pytest.approx((6 / 36 / 2) ** 0.5)
    assert made["levels"]["hard"] == {"n": 0, "success": 0.0, "mean": None, "spread": None}
    assert of([episode()])["spread"] is None


def test_void_episodes_are_in_no_figure() -> None:
    void = episode("hard", "infrastructure", steps=[step("unreadable", False)], seed=7, cost=None)
    alone = of([episode()])
    both = of([episode(), void])
    assert both.pop("void") == 1
    assert alone.pop("void") == 0
    assert both == alone


def test_impossible_is_the_positive_that_the_model_says() -> None:
    """3 said, 2 of them rightly, of 4: precision 2/3, recall 2/4, F1 2 * 2 / (3 + 4)."""
    made = of(
        [
            episode("impossible", "impossible"),
            episode("impossible", "success", success=True),  # however its end is named
            episode("impossible", "max_steps"),
            episode("impossible", "stuck"),
            episode("easy", "impossible"),
            episode("easy"),
        ]
    )
    assert made["impossible_precision"] == pytest.approx(2 / 3)
    assert made["impossible_recall"] == 0.5
    assert made["impossible_f1"] == pytest.approx(4 / 7)
    none_said = of([episode("impossible", "max_steps"), episode()])
    assert [none_said[f"impossible_{name}"] for name in ("precision", "recall", "f1")] == [0.0, 0.0, 0.0]
    wrongly = of([episode("easy", "impossible")])
    assert [wrongly[f"impossible_{name}"] for name in ("precision", "recall", "f1")] == [0.0, 0.0, 0.0]
    nothing_to_tell = of([episode()])
    assert nothing_to_tell["impossible_f1"] is None


def test_lengths_and_efficiency() -> None:
    """Answers 4 and 10 of successes, 30 of a failure: length 44/3; beyond the minimum 2 and 3; the package -1 and 1."""
    made = of(
        [
            episode(number_of_steps=4, actions=3, minimum=2, package_actions=5),
            episode(number_of_steps=10, actions=8, minimum=7, package_actions=9, minimum_proven=False),
            episode("hard", "max_steps", number_of_steps=30, actions=20, minimum=11, package_actions=14),
            episode("impossible", "impossible", number_of_steps=2, actions=1),
        ]
    )
    assert made["solved"] == 2
    assert made["plan_length"] == pytest.approx(44 / 3)
    assert made["plan_length_successes"] == 7.0
    assert made["action_efficiency"] == pytest.approx(((4 - 2) + (10 - 7)) / 2)
    assert made["package_efficiency"] == pytest.approx(((4 - 5) + (10 - 9)) / 2)
    assert (made["actions_total"], made["actions_minimum"], made["package_actions"]) == (11, 9, 14)
    assert made["certified"] == 1
    unknown = of([episode(), episode(package_actions=None)])
    assert unknown["package_actions"] is None
    assert unknown["package_efficiency"] == -1.0


def test_a_whole_recipe_counts_as_the_moves_that_it_took() -> None:
    """A thought, one craft of 5 moves, one of 3, and a craft that failed: 1 + 5 + 3 + 1."""
    steps = [step("think"), step("craft_item", True, 5), step("smelt_item", True, 3), step("craft_item", False, 0)]
    made = of([episode(number_of_steps=4, actions=8, minimum=6, package_actions=9, steps=steps)])
    assert made["plan_length"] == 10.0
    assert made["action_efficiency"] == 4.0
    assert made["package_efficiency"] == 1.0
    assert made["illegal"] == 1


def test_turns_talk_and_failures() -> None:
    talk = [step("think"), step("think"), step("search"), step("search", False), step("move", True, 1)]
    faults = [step("move", False), step("smelt", False), step("unreadable", False), step("think")]
    made = of(
        [
            episode(steps=talk, number_of_steps=5),
            episode("medium", "stuck", steps=faults, number_of_steps=4),
            episode("hard", "impossible", steps=[step("impossible")], number_of_steps=1),
            episode("impossible", "max_steps", steps=[step("think"), step("move", False)], number_of_steps=2),
            episode("hard", "max_steps"),
        ]
    )
    assert made["per_example"] == {"think": 3 / 4, "search": 2 / 4, "impossible": 1 / 4}
    assert (made["turns"], made["illegal"], made["unreadable"]) == (16, 3, 1)
    assert made["failures"] == {"max_steps": 1, "stuck": 1, "wrongly_impossible": 1, "missed_impossible": 1}


def test_money_and_what_is_passed_on() -> None:
    made = of([episode(), episode()], tools=TOOLS, feedback=True)
    assert (made["tokens"], made["cost"], made["seconds"], made["split"]) == (220, 0.5, 12.5, "test")
    assert made["conditions"] == {"tools": TOOLS, "feedback": True}
    assert of([episode(), episode(cost=None)])["cost"] is None
    assert json.loads(json.dumps(made)) == made


def test_nothing_gives_zeros_and_no_exception() -> None:
    made = of([])
    assert (made["n"], made["void"], made["success"], made["tokens"], made["cost"]) == (0, 0, 0.0, 0, 0)
    assert made["plan_length"] is None
    assert made["impossible_f1"] is None
    assert made["per_example"] == dict.fromkeys(("think", "search", "impossible"))
    assert len(made["paper"]) == 16
    assert of([episode("hard", "infrastructure")])["void"] == 1


# ---------------------------------------------------------------- what others published


def test_the_papers_rows_agree_with_themselves() -> None:
    """Overall is the mean over test.small's 40 easy, 20 medium and 37 hard examples, within rounding."""
    levels = [each.level for each in load_examples("test").values() if each.small and not each.impossible]
    weights = [levels.count(level) for level in ("easy", "medium", "hard")]
    assert weights == [40, 20, 37]
    for row in paper():
        rates = (row["easy"], row["medium"], row["hard"])
        overall = sum(weight * rate for weight, rate in zip(weights, rates, strict=True)) / sum(weights)
        assert overall == pytest.approx(row["overall"], abs=0.0101), row
    assert len({(row["tools"], row["model"]) for row in paper()}) == 16


def test_rows_with_the_same_tools_come_first() -> None:
    assert [row["tools"] for row in paper_rows(["M", "S", "T"])][:5] == ["M S T"] * 4 + ["M S"]
    assert [row["tools"] for row in paper_rows()][:5] == ["M S"] * 4 + ["M S T"]


def test_the_packages_actions_are_there_for_every_solvable_example() -> None:
    totals = {}
    for split in ("val", "test", "train"):
        solvable = {name for name, each in load_examples(split).items() if not each.impossible}
        assert solvable <= set(package_actions())
        totals[split] = (len(solvable), sum(package_actions()[name] for name in solvable))
    assert totals == {"val": (470, 3924), "test": (480, 4193), "train": (945, 8014)}
    assert len(package_actions()) == 470 + 480 + 945


# ---------------------------------------------------------------- what a person is shown

SHOWN = of(
    [
        *[episode("easy", seed=seed) for seed in (0, 1)],
        episode("medium", "stuck", steps=[step("move", False)], seed=1),
        episode("impossible", "impossible"),
        episode("hard", "infrastructure"),
    ],
    tools=TOOLS,
    model="evil\x1b[2J\u202emodel\nwith a name that is much too long for its column, and goes on",
    protocol="package\x07",
    feedback=True,
    high_level=False,
)


@pytest.mark.parametrize("width", [40, 60, 80, 120, 200])
def test_the_table_fits_and_is_clean(width: int) -> None:
    lines = score_lines(SHOWN, width)
    assert max(map(len, lines)) <= width
    text = "\n".join(lines)
    assert not set(text) & set("\x1b\x07\u202e")
    assert "evil\\x1b[2J" in text
    assert all(row["model"] in text for row in paper())


def test_the_table_has_our_row_first_then_the_same_tools() -> None:
    lines = score_lines(SHOWN, 80)
    head = next(number for number, line in enumerate(lines) if line.startswith("tools"))
    assert lines[head].split() == ["tools", "model", "easy", "medium", "hard", "all", "imp.", "F1", "length", "AE"]
    rows = [line for line in lines[head + 1 :] if not line.startswith("---") and line][:17]
    # 2 of 2 easy, 0 of 1 medium, none hard, 2 of 3; F1 of 1 of 1; 12 answers of 3; 4 beyond 5 is -1
    assert rows[0].split()[-7:] == ["1.00", "0.00", "-", "0.67", "1.00", "4.00", "-1.00"]
    assert [row.startswith("M S T SE I ") for row in rows] == [True] * 5 + [False] * 12
    assert rows[2].split()[-7:] == ["0.80", "0.65", "0.23", "0.55", "0.64", "16.76", "4.05"]


def test_a_wide_table_has_all_columns_of_the_papers() -> None:
    lines = score_lines(SHOWN, 200)
    head = next(number for number, line in enumerate(lines) if line.startswith("tools"))
    assert lines[head].split()[-4:] == ["think", "search", "imp.", "tokens"]
    assert lines[head + 2].split()[-4:] == ["0.00", "0.00", "0.00", "0.4k"]  # 110 tokens of each episode that counts
    assert lines[head + 5].split()[-4:] == ["5.20", "2.20", "0.16", "9.6M"]
    assert not any("Left out" in line for line in lines)


def test_a_pipe_shows_all_columns_and_a_narrow_window_names_those_that_are_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    assert any(line.split()[-4:] == ["think", "search", "imp.", "tokens"] for line in score_lines(SHOWN))
    text = " ".join(" ".join(score_lines(SHOWN, 80)).split())
    assert "Not shown at 80 columns: think, search, imp., tokens. A terminal of 101 columns or a" in text
    assert "tools, easy, medium, hard, imp. F1, length" in " ".join(" ".join(score_lines(SHOWN, 40)).split())


def test_the_text_says_what_matters() -> None:
    text = " ".join(" ".join(score_lines(SHOWN, 200)).split())
    assert "test: 66.7 % solved, 75.0 % with 1 episode of impossible examples, standard deviation over 2" in text
    assert "over 2 seeds 0.354; 4 episodes" in text
    assert "Slot actions of the 2 successes: 6; the fewest known 4 (2 of 2 proven); plancraft's planner 10." in text
    assert "Failures: 1 stuck." in text
    assert "Turns: 16, 1 illegal (6.2 %), 0 unreadable." in text and "Tokens: 440, $1.0000." in text
    assert "Void: 1 episode, failed by the endpoint and counted in no figure." in text
    assert "Different from the paper: split test (the paper used: test.small), protocol package\\x07 (the" in text
    assert "(the paper used: paper), feedback on (the paper used: off)." in text
    assert "high level" not in text


def test_an_evaluation_of_nothing_can_be_shown() -> None:
    lines = score_lines(of([]), 80)
    assert any("this run" in line for line in lines)
    assert "0.0 % solved; 0 episodes" in lines[0]


def test_impossible_examples_alone_are_not_called_unsolved() -> None:
    lines = score_lines(of([episode("impossible", "impossible"), episode("impossible", "max_steps", seed=1)]), 80)
    assert lines[0].startswith("test: 50.0 % of 2 episodes of impossible examples solved")


def test_the_running_line() -> None:
    assert progress_line(0, 580, []) == "0/580  0 of 0 solved"
    results = [episode(), episode("hard", "stuck"), episode("hard", "infrastructure")]
    assert progress_line(3, 580, results) == "3/580  1 of 2 solved  1 void  220 tokens  $0.5000"
    assert progress_line(2, 580, [episode(cost=None)]) == "2/580  1 of 1 solved  110 tokens"
