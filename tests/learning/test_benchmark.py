"""The tables of the learning benchmark say what the journals say."""

from __future__ import annotations

import asyncio
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from autocraft.evaluation.engines import ENGINES, Task
from autocraft.session.event import VERSION
from benchmarks import library
from benchmarks.learning import TASKS, Learning, Run, confusion, options_of, runs_of
from benchmarks.learning_page import BEGIN, END, PAGE, run_table, tables
from scripts.marked import with_part
from tests.skills.retrieval import FILES, rows


def line(kind: str, **fields: Any) -> str:
    return json.dumps({"v": VERSION, "seq": 1, "t": 0.0, "agent": "main", "turn": 1, "type": kind, **fields})


def attempt(iteration: int, *items: str) -> str:
    return line(
        "attempt", ticks=100, text="", outcome="goal", over=True, iteration=iteration, world="met", model=None,
        critique="", items=list(items), facts={},
    )  # fmt: skip


def test_a_run_is_read_from_its_journal() -> None:
    found = Run.from_events("novice", 1, "none", [attempt(3, "oak_log", "wooden_axe"), attempt(5, "wooden_pickaxe")])
    assert (found.items, found.milestones, found.ticks) == (3, {"wood": 3}, 100)


def test_a_milestone_that_some_seed_did_not_reach_is_not_averaged() -> None:
    row = {"brain": "novice", "ablation": "none", "iterations": 9, "ticks": 1, "effects": 1, "deaths": 0, "cheats": 0}
    first = row | {"seed": 1, "items": 10, "milestones": {"wood": 2, "stone": 4}, "edges": [9, 10]}
    second = row | {"seed": 2, "items": 20, "milestones": {"wood": 4}, "edges": [0, 0]}
    lines = run_table([first, second]).splitlines()[2:]
    assert lines[0].startswith("| novice | 1 | 9 | 10 | 2 | 4 | – | – |")
    assert lines[0].endswith("| 9 of 10 (90%) |")
    assert lines[2].startswith("| novice | mean ± SD | 9 | 15.0 ± 7.1 | 3.0 ± 1.4 | 1 of 2 | 0 of 2 | 0 of 2 |")


def test_only_runs_without_a_row_of_their_length_are_played() -> None:
    rows = {"novice 1 none": {"iterations": 160}, "novice 2 none": {"iterations": 36}}
    words = ["--brains", "novice", "--ablations", "critic", "--seeds", "1", "2"]
    missing = [run.key for run in runs_of(options_of(words), rows)]
    assert missing == ["novice 2 none", "novice 1 critic", "novice 2 critic"]
    assert len(runs_of(options_of([*words, "--again"]), rows)) == 4


def test_zero_shot_runs_have_a_table_of_their_own() -> None:
    events = [attempt(3, "compass"), line("end", reason="goal_reached", exit=0, why="", proof={}, inventory={})]
    reached = asdict(Run.from_events("oracle", 1, "compass with skills", events)) | {"iterations": 3}
    failed = reached | {"seed": 2, "iterations": 50, "reached": False}
    text = tables({"a": reached, "b": failed})
    assert "| oracle, with skills | 1, 2 |  |  |  | 3, – |" in text
    cut = failed | {"seed": 3, "iterations": 7}
    assert tables({"a": reached, "b": failed, "c": cut}) == text, "a run that was interrupted failed at nothing"
    keys = {f"oracle {row['seed']} compass with skills": row for row in (reached, failed, cut)}
    words = ["--brains", "oracle", "--seeds", "1", "2", "3", "--zero-shot", "skills"]
    missing = [run.key for run in runs_of(options_of(words), keys) if "compass with skills" in run.key]
    assert missing == ["oracle 3 compass with skills"]
    assert "### The oracle" not in text
    assert "| Voyager (3 trials) |" not in text, "no figure of a model stands beside the oracle's"
    assert "| Voyager (3 trials) |" in tables({"a": reached | {"brain": "novice"}})


def test_the_programs_ticks_and_tokens_of_the_ten_tasks_are_counted() -> None:
    def tried(item: str, iteration: int, outcome: str = "goal") -> list[str]:
        judged = json.loads(attempt(iteration)) | {"outcome": outcome, "ticks": 50 * iteration}
        code = {"ok": True, "command": "run_program", "args": {"code": "x" * 35}}
        replies = [line("reply", ok=False, error="The program cannot be read."), line("reply", **code)]
        return [line("task", goals=[{"text": f"Obtain 1 {item}"}]), *replies, json.dumps(judged)]

    without = [*tried("chest", 1, "critic"), *tried("chest", 2), *tried("torch", 5), *tried("compass", 6, "critic")]
    found = library.Trial.from_events("novice", 1, without, skills=0)
    assert (found.programs, found.ticks, found.tokens) == (6, 300, 44)
    assert found.at == {"chest": 2, "torch": 5} and found.ticks_at["torch"] == 250 and not found.library
    helped = library.Trial.from_events("novice", 1, tried("chest", 1), skills=9)
    text = library.table({each.key: asdict(each) for each in (found, helped)})
    assert "| novice, without the library | 1 | 0 | 2 | 6 | 300 | 44 |" in text
    assert "| novice, with the library | 1 | 9 | 1 | 1 | 50 | 11 |" in text
    assert "| novice, without | 2 | – | – | 3 | – | – | – | – | – | – |" in text


def test_every_skill_of_the_sets_has_a_task() -> None:
    tasks = [json.loads(text) for text in TASKS.read_text(encoding="utf-8").splitlines()]
    assert sorted(task["skill"] for task in tasks) == sorted(row.name for which in FILES for row in rows(which))


def test_the_page_has_a_place_for_the_tables() -> None:
    for begin, end in ((BEGIN, END), (library.BEGIN, library.END)):
        with_part(PAGE.read_text(encoding="utf-8"), PAGE.name, begin, end, "")


def test_wrong_programs_are_counted_apart() -> None:
    """Two programs, of which the second only says that it is done, and yet is kept: the table shows it."""

    def tried(code: str, outcome: str) -> list[str]:
        reply = {"type": "reply", "command": "run_program", "args": {"code": code}}
        return [json.dumps(reply), json.dumps({"type": "attempt", "outcome": outcome})]

    kept = json.dumps({"type": "intent", "command": "save_skill"})
    lines = [*tried("mine()", "goal"), kept, *tried("bot.chat('It is done.')", "critic"), *tried("mine()", "program")]
    assert confusion(lines) == {
        "wrong": {"programs": 1, "reached": 0, "kept": 0},
        "others": {"programs": 2, "reached": 1, "kept": 1},
    }
    assert confusion([*tried("'It is done.'", "goal"), kept])["wrong"] == {"programs": 1, "reached": 1, "kept": 1}


@pytest.mark.full
def test_a_run_is_the_same_here_and_on_a_cluster(tmp_path: Path) -> None:
    async def played(engine: str, folder: Path) -> list[Run]:
        tasks = [Task("novice library", 5, folder)]
        return [each async for each in ENGINES[engine](tasks, Learning(iterations=2, packages=True), 1)]

    here = asyncio.run(played("local", tmp_path / "here"))
    there = asyncio.run(played("ray", tmp_path / "there"))
    assert here == there and here[0].iterations == 2
    assert (tmp_path / "there" / "events.jsonl").stat().st_size > 0
