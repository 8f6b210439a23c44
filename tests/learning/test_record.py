"""The record of a learning run is the fold of its journal, and the report and the page tell it whole."""

from __future__ import annotations

import base64
import hashlib
import json
import math
import random
import re
from pathlib import Path
from typing import Any

import pytest

from autocraft.errors import UsageError
from autocraft.learning.page import page_text
from autocraft.learning.plots import all_plots
from autocraft.learning.record import Moment, Record
from autocraft.learning.report import WIDTH, figures, report
from autocraft.page.rendering import write
from tests.conftest import Place
from tests.evaluation.test_page import HOSTILE, read
from tests.learning.runs import LOG, PICKAXE, Journal, pickaxe_run


def test_items_and_milestones_count_iterations_ticks_tokens_and_money() -> None:
    record = Record.of(pickaxe_run().events)
    assert record.first_held["oak_log"] == Moment(1, 100, 1_000, 0.25, 1)
    assert record.milestones()["wooden tool"] == Moment(3, 1_500, 2_000, 1.0, 3)
    assert record.milestones()["stone tool"] is None
    assert [(step.moment.iteration, step.items, step.skills) for step in record.steps] == [
        (1, 1, 0),
        (2, 1, 1),
        (3, 4, 1),
    ]
    assert record.biomes() == {"plains": 1, "forest": 3}
    assert record.counts["deaths"] == 1 and record.counts["cheats"] == 0


def test_the_library_counts_what_calls_what_and_with_what_success() -> None:
    record = Record.of(pickaxe_run().events)
    assert record.own_skills == ["mineLog", "craftPickaxe"]
    first, second = record.skills["mineLog"], record.skills["craftPickaxe"]
    assert (first.iteration, first.uses, first.successes, first.calls) == (1, 2, 1, ())
    assert (second.iteration, second.uses, second.calls) == (3, 0, ("mineLog",))


def test_a_skill_of_an_earlier_run_counts_when_it_is_entered_and_a_name_in_a_text_does_not() -> None:
    run = Journal()
    run.task("Craft 1 torch")
    run.attempt("async function f(bot) { await oldSkill(bot) }", skills={"oldSkill": True})
    run.attempt("async function f(bot) { if (false) await otherSkill(bot) }")
    run.attempt("async function f(bot) { await dream(bot) }", outcome="program", error="dream is not defined")
    assert {name: skill.iteration for name, skill in Record.of(run.events).skills.items()} == {"oldSkill": None}


def test_what_the_person_did_is_counted_apart_from_approvals() -> None:
    run = Journal(critic="manual")
    run.task("Mine 1 wood log", by="person")
    run.add("decision", by="person", command="run_program", args={}, risk="destroy")
    run.add(
        "decision", by="person", command="run_program", args={}, risk="destroy", kind="refuse", feedback="not there"
    )
    run.add("decision", by="person", command="run_program", args={}, risk="destroy", edited={"code": ["a", "b"]})
    run.add("decision", by="person", command="save_skill", args={}, risk="change")
    run.add("decision", by="continuous", command="run_program", args={}, risk="destroy")
    run.add("feedback", text="look west")
    run.add("feedback", text="hello", by="Steve")
    run.add("intent", agent="person", command="look")
    run.attempt(LOG, outcome="critic")
    run.add("reply", ok=False, error="no program", flags=[], repair=[])
    run.add("attempt", turn=2, text="t", outcome="program", over=False, iteration=1, world="cannot tell", model=None,
            critique="", items=[], facts={})  # fmt: skip
    record = Record.of(run.events)
    assert ("Commands approved by hand", "2") in figures(record)
    acts = {name: often for name, often in record.interventions.items() if often}
    assert acts == {"tasks given": 1, "approvals": 2, "refusals": 1, "edits": 1, "words": 1,
                    "commands of their own": 1, "verdicts": 1}  # fmt: skip


def test_a_task_that_only_empties_the_inventory_is_not_one_of_those_to_be_reached() -> None:
    run = pickaxe_run()
    run.task("Deposit useless items into the chest at (1, 64, 1)", by="rule")
    run.attempt(LOG)
    assert ("Tasks reached", "2 of 2") in figures(Record.of(run.events))
    run.task("Mine 1 wood log", by="person")
    run.attempt(LOG)
    assert ("Tasks reached", "2 of 2") in figures(Record.of(run.events)), "a task that was given twice is one task"


def test_a_price_that_is_unknown_makes_the_sum_unknown() -> None:
    run = pickaxe_run()
    run.task("Mine 1 stone")
    run.attempt(LOG, tokens=10, cost=None)
    record = Record.of(run.events)
    assert record.milestones()["wooden tool"] == Moment(3, 1_500, 2_000, 1.0, 3)
    assert record.dollars is None and "unknown" in report(record, "s")


def test_cheats_of_the_ledger_make_the_run_assisted() -> None:
    run = pickaxe_run()
    assert "0 (unassisted)" in report(Record.of(run.events), "s")
    run.task("Mine 1 stone")
    run.attempt(LOG, cheats=2)
    assert "2 (assisted)" in report(Record.of(run.events), "s")


def test_a_position_of_another_dimension_is_not_on_the_map() -> None:
    run = pickaxe_run()
    run.task("Mine 1 netherrack")
    run.attempt(LOG, at=(5_000, 5_000), dimension="the_nether")
    record = Record.of(run.events)
    assert record.path() == [(0, 0), (30, 40), (60, 0)]
    assert (record.length(), record.extent()) == (100, (0, 0, 60, 40))


def test_where_the_bot_was_while_a_program_ran_is_on_the_map() -> None:
    run = pickaxe_run()
    run.task("Mine 1 stone")
    for place in ("(-40, 70, 5)", "somewhere", ""):
        run.add("progress", agent="program", id="s:1", command="walk_towards", place=place)
    run.attempt(LOG, at=(10, 0))
    assert Record.of(run.events).path() == [(0, 0), (30, 40), (60, 0), (-40, 5), (10, 0)]


@pytest.mark.parametrize("position", [None, {"x": "a", "z": 1}, {"x": math.inf, "z": 0}, {"x": 1}, [1, 2]])
def test_a_position_that_is_none_is_left_out(position: object) -> None:
    run = Journal()
    run.task("Mine 1 stone")
    run.attempt(LOG)
    run.events[-1].facts["position"] = position  # type: ignore[attr-defined]
    assert Record.of(run.events).extent() is None


def test_the_report_fits_its_columns_and_says_what_was_not_reached() -> None:
    run = pickaxe_run()
    for number in range(40):
        run.task(f"Craft 1 thing_{number} " + "x" * 100)
        run.attempt(LOG, items=[f"thing_{number}"], biome=f"biome_{number}")
        run.keep(f"craftThing{number}" + "X" * 40, LOG)
    text = report(Record.of(run.events), "s")
    assert max(map(len, text.splitlines())) <= WIDTH
    assert re.search(r"^wooden tool +3 +1,500 +2,000 +\$1\.00$", text, re.MULTILINE)
    assert re.search(r"^diamond tool( +–){4}$", text, re.MULTILINE)
    assert re.search(r"^this run, practice world +3 +– +– +–$", text, re.MULTILINE)
    assert "and 22 other skills" in text
    assert "World of all figures        practice world, not vanilla Minecraft" in text


@pytest.mark.parametrize(
    ("options", "world"),
    [({}, "practice world"), ({"server": "localhost:25565"}, "own server"), ({"world": "crafting"}, "crafting world")],
)
def test_report_and_page_say_in_which_world_the_figures_arose(options: dict[str, Any], world: str) -> None:
    record = Record.of(pickaxe_run(**options).events)
    assert report(record, "s").count(world) >= 4
    page = page_text(record, "s")
    assert page.count(f"({world})</") == 2 * 7, "the heading and the name of each plot"
    assert f"this run, {world}" in page


def test_the_page_shows_program_error_and_critique_of_each_attempt_and_the_library_with_its_code() -> None:
    run = pickaxe_run()
    page = page_text(Record.of(run.events), "s")
    assert "Iteration 2, program: Craft 1 wooden_pickaxe" in page and "<p>Error:</p><pre>no table</pre>" in page
    assert page.count("await mineLog(bot)") == 3, "two attempts and the skill"
    assert "mineLog, kept at iteration 1" in page and "2 skills with 1 call between them" in page


def test_the_report_says_how_a_run_ended_in_its_own_words() -> None:
    run = pickaxe_run()
    run.add("end", reason="learned", why="3 iterations: 4 kinds of items", inventory={}, assisted=0)
    text = report(Record.of(run.events), "s")
    assert "s, begun" in text and ", learned\n" in text
    assert "It ended: 3 iterations: 4 kinds of items.\n" in text


def test_no_row_of_models_stands_beside_the_oracle() -> None:
    record = Record.of(pickaxe_run(brain="oracle").events)
    assert "ReAct" not in report(record, "s") and "ReAct" not in page_text(record, "s")
    assert "told all recipes" in " ".join(report(record, "s").split())
    assert "ReAct" in page_text(Record.of(pickaxe_run().events), "s")
    retrieval = report(Record.of(pickaxe_run(brain="retrieval").events), "s")
    assert "ReAct" not in retrieval and "A planner proposed its tasks" in " ".join(retrieval.split())
    one_task = Record.of(pickaxe_run(task="Craft 1 wooden_pickaxe").events)
    assert "ReAct" not in report(one_task, "s"), "the paper's rows are of runs with tasks of their own"


def test_the_conditions_name_what_is_0_and_every_cheat() -> None:
    run = pickaxe_run(seed=0, chance_seed=0, difficulty_rule=True, speed=0.0)
    text = " ".join(report(Record.of(run.events), "s").split())
    assert "seed 0, speed 0.0, chance seed 0," in text and "difficulty rule yes" in text


def test_the_page_loads_nothing_and_its_policy_names_its_style_and_script_alone(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    assert write(path, page_text(Record.of(pickaxe_run().events), "s")) == path.stat().st_size
    page = read(path.read_text("utf-8"))
    assert page.names["script"] == 1
    assert not page.names.keys() & {"link", "img", "iframe", "object", "embed", "base", "use", "image"}
    policy = page.named("meta")[1]["content"] or ""
    style, script = (
        base64.b64encode(hashlib.sha256(page.raw[name][0].encode()).digest()).decode() for name in ("style", "script")
    )
    assert policy.startswith(f"default-src 'none'; script-src 'sha256-{script}'; style-src 'sha256-{style}';")
    for _, attributes in page.elements:
        assert not [name for name in attributes if name.startswith("on") or name == "style"]


def test_the_page_draws_what_happened_with_the_numbers_as_tables() -> None:
    page = page_text(Record.of(pickaxe_run().events), "s")
    for name in ("prompts", "ticks", "items", "map", "growth", "reuse"):
        figure = page[page.index(f'id="plot-{name}"') :].split("</figure>")[0]
        assert "<svg" in figure and "<table>" in figure, name
    assert "first wooden tool: prompting iteration 3" in page
    assert "3 positions within 60 by 40 blocks." in page
    assert "Programs called 1 skill 2 times." in page
    empty = page_text(Record.of(Journal().events), "s")
    assert "<svg" not in empty and "No skill was kept." in empty


def test_the_curve_counts_answers_without_a_program_and_leads_beside_the_ends_of_the_paper() -> None:
    run = Journal()
    run.task("Mine 1 wood log")
    run.add("answer", turn=1, usage=[0, 0, False], cost=0.0)
    run.add("reply", turn=1, ok=False, error="no program")
    run.attempt(LOG, items=["oak_log", "wooden_axe"])
    record = Record.of(run.events)
    assert (record.steps[0].moment.iteration, record.steps[0].moment.prompts) == (1, 2)
    plot = all_plots(record, paper=True)[0]
    assert plot.said.startswith(
        "2 kinds of items after 2 prompting iterations; first wooden tool: prompting iteration 2"
    )
    drawn = [each.text for each in plot.shapes if each.text]
    assert [each for each in drawn if ": " in each] == ["Voyager: 63", "AutoGPT: 19", "Reflexion: 5", "ReAct: 3"]
    assert re.search(r"^this run, practice world +2 +– +– +–$", report(record, "s"), re.MULTILINE)
    assert not any("AutoGPT" in str(each) for each in all_plots(record, paper=False)[0].shapes)


def test_a_run_that_goes_on_from_a_checkpoint_counts_what_the_earlier_run_did() -> None:
    run = Journal()
    run.add("checkpoint", text="t", completed=["a", "b"], failed=["c"], items={"wooden_pickaxe": 5}, item_ticks={},
            chests={}, iteration=60)  # fmt: skip
    run.iteration = 60
    run.task("Craft 1 stick")
    run.attempt(LOG, items=["stick"])
    record = Record.of(run.events)
    assert "first wooden tool: prompting iteration 5" in page_text(record, "s")
    assert re.search(r"^Iterations +61 of 160$", report(record, "s"), re.MULTILINE)
    run.events[0].options["iterations"] = 60  # type: ignore[attr-defined]  # a resume was given more
    assert re.search(r"^Iterations +61$", report(Record.of(run.events), "s"), re.MULTILINE)
    assert re.search(r"^Tasks reached +3 of 4$", report(record, "s"), re.MULTILINE)


def test_hostile_text_of_a_run_stays_text() -> None:
    calm = read(page_text(Record.of(pickaxe_run().events), "s")).raw["script"]
    for evil in HOSTILE:
        run = Journal()
        run.events[0].options["smart_model"] = evil  # type: ignore[attr-defined]
        run.task(evil)
        run.attempt(evil, items=[evil], biome=evil)
        run.keep(evil, LOG)
        record = Record.of(run.events)
        page = read(page_text(record, evil))
        assert page.raw["script"] == calm and not page.names.keys() & {"img", "base"}
        assert "\x1b" not in report(record, "s") and "\u202e" not in report(record, "s")
        assert max(map(len, report(record, "s").splitlines())) <= WIDTH


def test_the_command_prints_the_report_and_writes_the_page(place: Place) -> None:
    folder = place.state / "sessions" / "20260101-000000-aaaaaa"
    folder.mkdir(parents=True)
    lines = [json.dumps(each.to_json()) for each in pickaxe_run().events]
    (folder / "events.jsonl").write_text("\n".join(lines) + "\n")
    told = place.run("report")
    assert told.returncode == 0 and "wooden tool" in told.stdout and "NEXT ACTION" not in told.stdout
    assert "NEXT ACTION" in place.run("report", "--steps").stdout
    done = place.run("report", "last", "--html", "learning.html")
    assert done.returncode == 0, done.stderr
    assert "<svg" in (place.folder / "learning.html").read_text("utf-8")
    nowhere = place.run("report", "--html", "no/such/folder.html")
    assert nowhere.returncode == 2 and "give another path" in nowhere.stderr


def test_only_a_learning_run_has_a_ckpt_folder(place: Place) -> None:
    place.run("run", "--goal", "craft 1 stick", "--inventory", "oak_planks=2", "--continuous")
    done = place.run("report", "--to-ckpt", "ckpt")
    assert done.returncode == 2 and "is not a learning run" in done.stderr
    with pytest.raises(UsageError, match="give another path"):
        write(place.folder / "no" / "page.html", page_text(Record(), "s"))


def test_everything_drawn_lies_in_its_picture_and_no_two_biomes_on_each_other() -> None:
    chance, run = random.Random(2), pickaxe_run()
    for number in range(60):
        run.task(f"Craft 1 thing_{number}")
        place = (chance.gauss(0, 300), chance.gauss(0, 300))
        biome = f"old_growth_taiga_{number % 9}"
        run.attempt(PICKAXE, items=[f"thing_{number}"], at=place, ticks=1_000 * number, biome=biome)
        run.keep(f"craftThing{number}", PICKAXE)
    for plot in all_plots(Record.of(run.events), paper=True):
        labels = []
        for each in plot.shapes:
            at = {name: float(value) for name, value in each.attributes.items() if re.fullmatch(r"-?[\d.]+", value)}
            if each.name == "text":
                wide = 7 * len(each.text)
                left = at["x"] - {"middle": wide / 2, "end": wide}.get(each.attributes["text-anchor"], 0)
                assert left >= -4 and left + wide <= plot.width + 8 and 0 < at["y"] <= plot.height, each
                labels += [(at["x"], at["y"])] if "taiga" in each.text else []
            if each.name == "rect":
                assert at["x"] >= 0 and at["x"] + at["width"] <= plot.width and at["y"] + at["height"] <= plot.height
            if each.name == "circle":
                assert at["r"] <= at["cx"] <= plot.width - at["r"] and at["r"] <= at["cy"] <= plot.height - at["r"]
        assert all(abs(a[0] - b[0]) >= 60 or abs(a[1] - b[1]) >= 12 for a in labels for b in labels if a is not b)
