"""The suites of Minecraft tasks: what counts as reached, the figures, the command line, and real runs."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from autocraft.building.blueprint import bill_of
from autocraft.building.plans import Part, Plan
from autocraft.building.wishes import blueprint_of, read_goal, read_wish
from autocraft.cli.eval import run_options
from autocraft.cli.suite import suite_lines
from autocraft.evaluation.suites.page import page_text
from autocraft.evaluation.suites.play import result_of
from autocraft.evaluation.suites.rows import SuiteResult, summary
from autocraft.evaluation.suites.suite import load_suite
from autocraft.session.events import End, Event, Expense, Note, Result
from autocraft.usage import Usage
from autocraft.worlds.minecraft.land import distance
from tests.conftest import Place, kinds
from tests.worlds.minecraft.playing import node_environment

SUITE = load_suite("optimus")
TASK = next(task for task in SUITE.tasks if task.id == "stone_pickaxe")
MINUTE = 1_200


def journal(*events: Event) -> bytes:
    return b"".join(json.dumps(event.to_json()).encode() + b"\n" for event in events)


def run_of(minutes: float, reason: str = "goal_reached", **end: Any) -> bytes:
    """The journal of a run with one command, which took so many minutes of the game."""
    return journal(
        Note(seq=1, time=1.0, text="begun", ticks=500),
        Result(seq=2, time=2.0, intent=1, command="craft_item", ok=True, text="done", seconds=1.0, ticks=600),
        Result(seq=3, time=2.0, agent="program", intent=1, command="dig", ok=True, text="", seconds=1.0, ticks=700),
        End(seq=4, time=3.0, reason=reason, why="why", inventory={}, ticks=500 + round(minutes * MINUTE), **end),
    )


def result(minutes: float = 4.0, **how: Any) -> SuiteResult:
    return result_of(TASK, 101, run_of(minutes, **how), 2.0)


def test_the_suite_has_the_tasks_and_limits_of_the_paper() -> None:
    counts = {group: sum(task.group == group for task in SUITE.tasks) for group in SUITE.groups}
    assert counts == {"wood": 11, "stone": 10, "iron": 15, "gold": 3, "diamond": 5, "redstone": 7, "armor": 5}
    limits = {(task.group, task.game_minutes) for task in SUITE.tasks}
    assert limits == {
        ("wood", 2), ("stone", 5), ("iron", 20), ("gold", 30), ("diamond", 30), ("redstone", 30), ("armor", 30)
    }  # fmt: skip
    assert len({task.id for task in SUITE.tasks}) == len(SUITE.tasks)
    assert all(set(rates) == set(SUITE.groups) for rates in SUITE.published.values())


def test_minedojo_names_what_the_practice_world_cannot_hold() -> None:
    suite = load_suite("minedojo")
    assert (len(suite.tasks), len(suite.unplayable)) == (23, 9)
    assert {task.group: sum(each.group == task.group for each in suite.tasks) for task in suite.tasks} == {
        "harvest": 13, "combat": 4, "tech tree": 6
    }  # fmt: skip
    assert all(suite.unplayable.values()) and not {task.id for task in suite.tasks} & set(suite.unplayable)
    begin = {task.id: task.begin for task in suite.tasks}
    assert begin["harvest_milk_with_empty_bucket_and_cow"] == ("/give @s bucket 1", "/summon cow ~3 ~ ~3")
    assert begin["combat_zombie_plains_diamond_armors_diamond_sword_shield"][-2:] == (
        "/time set night", "/summon zombie ~3 ~ ~3"
    )  # fmt: skip
    assert begin["harvest_1_diamond"] == ()


def test_together_has_ten_tasks_of_each_kind_and_no_bot_can_do_one_alone() -> None:
    suite = load_suite("together")
    assert Counter(task.group for task in suite.tasks) == {"crafting": 10, "cooking": 10, "construction": 10}
    assert Counter(task.bots for task in suite.tasks) == {2: 21, 3: 9} and not suite.published
    for task in suite.tasks:
        kits = Counter(line[0] for line in task.begin if "/give" in line)
        assert set(kits) == {str(bot + 1) for bot in range(task.bots)}, f"{task.id}: each bot has a part of the items"
        assert all(line[0] in kits for line in (*task.begin, *task.unknown))
        assert task.commands == len(task.begin)


def test_the_kits_of_a_building_are_its_bill_and_each_bot_has_other_materials() -> None:
    for task in load_suite("together").tasks:
        if task.group != "construction":
            continue
        wish = read_wish(read_goal(task.goal))
        assert wish is not None
        bill = bill_of(blueprint_of(wish).blocks.values())
        given = [line.split()[0] + " " + " ".join(line.split()[3:]) for line in task.begin]
        for item, count in bill.items():
            assert sum(each[3:] == f"{item} {count}" for each in given) == 1, (task.id, item)


def test_a_building_is_scored_by_its_edit_distance_to_the_plan() -> None:
    door = ("oak_door", {"facing": "north", "half": "lower"})
    blocks: tuple[Part, ...] = ((0, 0, 0, "stone", {}, "stone"), (1, 0, 0, *door, "oak_door"))
    plan = Plan("hut", blocks, free=((0, 1, 0), (1, 1, 0)), clears=())
    air: tuple[str, dict[str, Any]] = ("air", {})
    stands = {(0, 0, 0): ("stone", {}), (1, 0, 0): door, (0, 1, 0): air, (1, 1, 0): ("grass", {})}
    assert distance(plan, stands) == 0
    assert distance(plan, stands | {(0, 0, 0): air}) == 1
    assert distance(plan, stands | {(0, 0, 0): ("dirt", {})}) == 1
    assert distance(plan, stands | {(1, 0, 0): ("oak_door", {"facing": "south", "half": "lower"})}) == 1
    assert distance(plan, stands | {(0, 1, 0): ("dirt", {}), (0, 0, 0): air}) == 2


def test_the_commands_of_a_start_are_no_help_and_others_are() -> None:
    task = replace(TASK, begin=("/give @s bucket 1", "/summon cow"))
    for commands, success in ((2, True), (3, False)):
        assert result_of(task, 101, run_of(4.0, assisted=commands), 2.0).success == success


def test_the_page_names_the_tasks_that_were_not_played() -> None:
    suite = load_suite("minedojo")
    results = [result_of(suite.tasks[0], 101, run_of(1.0), 1.0)]
    text = page_text(results, summary(suite, results, {"brain": "planner", "model": ""}, 60.0))
    assert "harvest_1_elytra" in text and "the practice world has no end" in text
    assert "Success beside published rows" not in text and "assisted" in text


def test_a_goal_counts_within_its_game_minutes_and_without_server_commands() -> None:
    assert result().success and result().commands == 1
    assert result().game_minutes == 4.0
    for late_or_helped, why in ((result(minutes=5.01), "after the limit"), (result(assisted=1), "server commands")):
        assert not late_or_helped.success and why in late_or_helped.why
    for reason in ("claimed", "limit", "error", "repetition"):
        assert not result(reason=reason).success
        assert result(reason=reason).void == (reason == "error"), "a server that failed says nothing about the player"
    assert (result(deaths=2, damage=31).deaths, result(deaths=2, damage=31).damage) == (2, 31)


def test_what_all_bots_of_a_run_pay_counts() -> None:
    paid = [
        Expense(seq=seq, time=1.0, text="asked", usage=Usage(90, 10), cost=0.5, role="smart", bot=bot)
        for seq, bot in ((1, ""), (2, "autocraft2"))
    ]
    done = result_of(TASK, 101, journal(*paid), 2.0)
    assert (done.tokens, done.cost) == (200, 1.0)


def test_a_killed_run_is_a_failure_that_says_so() -> None:
    lines = run_of(3.0).splitlines(keepends=True)
    paid = journal(Expense(seq=3, time=2.0, text="a call", usage=Usage(40, 2), cost=0.5, role="smart"))
    killed = result_of(TASK, 101, b"".join(lines[:2]) + paid + lines[2][:20], 1.0)
    assert (killed.success, killed.reason, killed.why, killed.commands) == (False, "", "the run was killed", 1)
    assert (killed.tokens, killed.cost) == (42, 0.5)


def test_rates_and_spread_over_seeds() -> None:
    wood = next(task for task in SUITE.tasks if task.group == "wood")
    results = [result(), replace(result(minutes=9.0), seed=102)]
    results += [replace(result_of(wood, 101, run_of(1.0), 1.0), void=True)]
    figures = summary(SUITE, results, {"brain": "planner"}, 60.0)
    stone = figures["groups"]["stone"]
    assert (stone["n"], stone["reached"], stone["success"], stone["game_minutes"]) == (2, 1, 0.5, 6.5)
    assert stone["spread"] == pytest.approx(0.7071, abs=1e-4)
    assert (figures["groups"]["wood"]["success"], figures["void"], figures["all"]["n"]) == (None, 1, 2)
    conditions = {"brain": "planner", "model": "", "seeds": 2, "first_seed": 101}
    resumed = summary(SUITE, results, conditions, None)
    assert "an unknown time, 1 task void" in "\n".join(suite_lines(resumed))
    assert "unknown" in page_text(results, resumed)


def test_the_page_shows_every_task_and_lets_no_text_of_a_run_be_markup() -> None:
    results = [result(), replace(result(reason="limit"), seed=102, why="<script>alert(1)</script>")]
    text = page_text(results, summary(SUITE, results, {"brain": "planner", "model": "<b>"}, 60.0))
    assert text.count("get 1 stone_pickaxe") == 2 and "Optimus-1" in text and "1 of 2" in text
    assert text.count("The published systems see pixels") == 1 and "Not runnable" not in text
    assert "<script>alert" not in text and "&lt;script&gt;alert(1)" in text and "<b>" not in text


def test_a_row_is_read_as_it_was_written() -> None:
    assert SuiteResult.from_json(json.loads(json.dumps(result().to_json()))) == result()
    with pytest.raises(ValueError, match="another format"):
        SuiteResult.from_json({**result().to_json(), "v": 2})


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ["--suite", "optimum"],
            "there is no suite 'optimum': did you mean optimus? choose optimus, minedojo, together",
        ),
        (["--suite", "optimus", "--split", "val"], "--split belongs to Plancraft's examples"),
        (["--suite", "optimus", "--max-steps", "5"], "--max-steps belongs to Plancraft's examples"),
        (["--suite", "optimus", "--protocol", "paper"], "--protocol belongs to Plancraft's examples"),
        (["--suite", "optimus", "--prompt", "own"], "--prompt belongs to Plancraft's examples"),
        (["--suite", "optimus", "--search", "similar"], "--search belongs to Plancraft's examples"),
        (["--suite", "optimus", "--no-feedback"], "--no-feedback belongs to Plancraft's examples"),
        (["--first-seed", "5"], "--first-seed belongs to a suite: add --suite"),
        (["--suite", "optimus", "--brain", "scripted"], "played by planner or openai, not by 'scripted'"),
        (["--suite", "optimus", "--seeds", "0"], "--seeds must be 1 or more, not 0"),
        (["--suite", "optimus", "--resume"], "--resume needs --out"),
    ],
)
@pytest.mark.sampled(1)
def test_bad_arguments_are_told_in_a_line(place: Place, arguments: list[str], said: str) -> None:
    done = place.run("eval", *arguments)
    assert done.returncode == 2 and said in done.stderr and done.stderr.count("\n") == 1, done.stderr


def test_the_runs_of_a_suite_count_with_the_prices_that_were_given(place: Place) -> None:
    options = run_options({"base_url": "http://h/v1", "price_in": 0.0, "price_out": 2.5}, "groq")
    place_of_it = ["--profile", "groq", "--base-url", "http://h/v1"]
    assert options == [*place_of_it, "--price-in", "0.0", "--price-out", "2.5"]
    assert run_options({"base_url": None, "price_in": None, "price_out": None}, "") == []
    done = place.run("run", "craft 1 stick", "--brain", "planner", "--continuous", *options[4:])
    assert done.returncode == 0, done.stderr


def test_game_minutes_belong_to_minecraft(place: Place) -> None:
    done = place.run("run", "--goal", "craft 1 stick", "--max-game-minutes", "5")
    assert done.returncode == 2 and "--max-game-minutes belongs to Minecraft" in done.stderr


@pytest.mark.full
def test_two_tasks_are_played_and_the_suite_goes_on_where_it_ended(place: Place) -> None:
    environment = node_environment()
    settings = '[minecraft]\nserver = "localhost:1"\nmc_version = "1.20.4"\n[run]\ninventory = "oak_log=4"\n'
    settings += "low_level = true\n"
    (place.folder / "autocraft.toml").write_text(settings)
    place.confirm()  # the tasks are played in practice worlds all the same
    first = place.run("eval", "--suite", "optimus", "--limit", "1", "--out", "out", "--json", **environment)
    assert first.returncode == 0, first.stdout + first.stderr
    played, totals = map(json.loads, first.stdout.splitlines())
    assert (played["type"], played["id"], played["success"]) == ("task", "wooden_shovel", True)
    assert 0 < played["game_minutes"] <= 2 and played["commands"] >= 4
    assert (totals["all"]["reached"], totals["groups"]["wood"]["success"]) == (1, 1.0)
    journal = place.folder / "out" / "episodes" / "wooden_shovel-101" / "events.jsonl"
    assert '"goal_reached"' in journal.read_text()
    again = place.run("eval", "--suite", "optimus", "--limit", "1", "--out", "out", "--resume", **environment)
    assert again.returncode == 0 and "wooden_shovel" not in again.stderr, "nothing is played twice"
    assert "Optimus-1" in again.stdout and "see pixels and press keys" in again.stdout
    other = place.run("eval", "--suite", "optimus", "--limit", "2", "--out", "out", "--resume", **environment)
    assert other.returncode == 2 and "was begun with limit 1, not 2" in other.stderr


@pytest.mark.full
def test_one_task_of_each_kind_is_played_by_several_bots(place: Place) -> None:
    done = place.run("eval", "--suite", "together", "--limit", "3", "--out", "out", "--json", **node_environment())
    assert done.returncode == 0, done.stdout + done.stderr
    *played, totals = map(json.loads, done.stdout.splitlines())
    assert [(each["id"], each["success"]) for each in played] == [
        ("bookshelf", True), ("cake", True), ("cobblestone_house", True)
    ], played  # fmt: skip
    assert all(each["given"] for each in played), "something changed hands in each"
    assert [each["score"] for each in played] == [None, None, 1.0]
    assert (totals["all"]["reached"], totals["all"]["score"]) == (3, 1.0)
    shown = place.run("eval", "--suite", "together", "--limit", "3", "--out", "out", "--resume", **node_environment())
    assert shown.returncode == 0 and "edit distance score of the buildings 1.000" in shown.stdout, shown.stderr
    (world,) = (place.folder / "out" / "episodes").glob("cobblestone_house-101")
    assert (world / "events.jsonl").is_file()


@pytest.mark.full
def test_a_task_with_a_kit_begins_with_it(place: Place) -> None:
    done = place.run(
        "eval", "--suite", "minedojo", "--limit", "1", "--out", "out", "--json", **node_environment()
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    played, totals = map(json.loads, done.stdout.splitlines())
    assert (played["id"], played["success"], played["assisted"]) == ("harvest_milk_with_empty_bucket_and_cow", True, 2)
    assert (totals["all"]["assisted"], len(totals["unplayable"])) == (1, 9)


@pytest.mark.full
def test_a_run_begins_with_server_commands_once(place: Place) -> None:
    begun = ["--world", "minecraft", "--begin", "/give @s bread 3", "--goal", "get 2 bread and eat bread"]
    refused = place.run("run", *begun, "--continuous", **node_environment())
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    assert "--begin sends server commands: add --cheats" in refused.stderr
    script = place.script(("show_inventory", {}))
    arguments = ["--brain", "scripted", "--script", script, "--continuous", "--cheats", *begun]
    assert "3 bread" in place.run("run", *arguments, **node_environment()).stdout
    assert "3 bread" in place.run("run", "--resume", "last", "--continuous", "--cheats", "--begin", "/give @s bread 3",
                                  **node_environment()).stdout  # fmt: skip


@pytest.mark.full
def test_a_run_ends_after_its_game_minutes(place: Place) -> None:
    script = place.script(*[("wait", {"seconds": 50 + turn}) for turn in range(6)])
    arguments = ["--brain", "scripted", "--script", script, "--continuous", "--max-game-minutes", "2", "--speed", "10"]
    done = place.run("run", "--goal", "see the sun", "--world", "minecraft", *arguments, **node_environment())
    assert done.returncode == 3, done.stdout + done.stderr
    assert "--max-game-minutes 2 reached" in done.stdout
    assert len(kinds(place.events(), "result")) == 3, "50, 51 and 52 seconds are over two minutes"
