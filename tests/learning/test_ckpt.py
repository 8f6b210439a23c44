"""Voyager's folder of checkpoints is taken over by a new run, written from one, and trusted in nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from autocraft.app import Request
from autocraft.errors import UsageError
from autocraft.features import MODES
from autocraft.learning.ckpt import MOST_ANSWER, MOST_TASK, add_skills, read_ckpt
from autocraft.learning.ckpt_export import write_ckpt
from autocraft.learning.keeper import SkillKeeper
from autocraft.learning.progress import Progress
from autocraft.learning.record import Moment, Record
from autocraft.protocols import MemoryRecord
from autocraft.skills.skill import Draft
from autocraft.skills.store import Library
from tests.conftest import Place
from tests.learning.runs import LOG, PICKAXE, Journal, pickaxe_run
from tests.learning.test_learning import ANSWER, BASIC, DESCRIPTION, PLANKS, Learned, learn_here, program, task

QUESTION = "How to mine 1 wood log in Minecraft?"


def observed(elapsed: int, **inventory: int) -> dict[str, Any]:
    """An observation as Voyager's bot server sends it."""
    place = {"position": {"x": 1.5, "y": 64, "z": -3.5}, "biome": "plains"}
    status = {"health": 20, "food": 20, "elapsedTime": elapsed, "inventoryUsed": len(inventory), **place}
    return {"voxels": ["dirt"], "inventory": inventory, "nearbyChests": {}, "status": status}


def voyagers(folder: Path) -> Path:
    """A folder as Voyager's code leaves it after three programs, with its vector databases."""
    parts: dict[str, Any] = {
        "curriculum/completed_tasks.json": ["Mine 1 wood log", "Craft 1 crafting table"],
        "curriculum/failed_tasks.json": ["Craft 1 furnace"],
        "curriculum/qa_cache.json": {QUESTION: "Answer: Hit a tree.", "Why?": "Answer: Unknown"},
        "action/chest_memory.json": {"(1, 64, -3)": {"dirt": 3}, "(9, 70, 9)": "Unknown", "(2, 2, 2)": {}},
        "skill/skills.json": {"mineLog": {"code": LOG, "description": "async function mineLog(bot) {\n    // It.\n}"}},
        "events/Mine_1_wood_log_20230601_120000": [
            ["onChat", observed(40, oak_log=1) | {"onChat": "Mined."}], ["observe", observed(100, oak_log=1)]],
        "events/Craft_1_crafting_table_20230601_120100": [["observe", observed(60, oak_log=0, oak_planks=4)]],
        "events/Craft_1_furnace_20230601_120200": [["onError", observed(20) | {"onError": "x"}],
                                                   ["observe", observed(30, crafting_table=1)]],
    }  # fmt: skip
    for name, value in parts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(value))
    for name, text in {"skill/code/mineLog.js": LOG, "skill/description/mineLog.txt": "It."}.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    for name in ("skill/vectordb", "curriculum/vectordb"):
        (folder / name).mkdir()
        (folder / name / "chroma.sqlite3").write_bytes(b"SQLite format 3\0\xff")
    return folder


def test_a_folder_of_voyagers_is_read_whole(tmp_path: Path) -> None:
    found = read_ckpt(voyagers(tmp_path))
    assert found.completed == ["Mine 1 wood log", "Craft 1 crafting table"] and found.failed == ["Craft 1 furnace"]
    assert found.questions == {QUESTION: "Answer: Hit a tree."}
    assert found.chests == {"(1, 64, -3)": {"dirt": 3}, "(9, 70, 9)": "Unknown", "(2, 2, 2)": {}}
    assert [(each.name, each.problem) for each in found.skills] == [("mineLog", "")]
    assert found.items == {"oak_log": [1, 40], "oak_planks": [2, 160], "crafting_table": [3, 190]}
    assert found.iteration == 3


def test_the_event_gives_progress_and_record_the_same_items(tmp_path: Path) -> None:
    event = read_ckpt(voyagers(tmp_path)).event("ckpt", "1 new skill")
    progress, record = Progress(), Record()
    progress.apply(event)
    record.apply(event)
    assert progress.iteration == 3 and progress.milestones["oak_planks"] == [2, 160]
    assert progress.completed == ["Mine 1 wood log", "Craft 1 crafting table"]
    assert record.first_held["crafting_table"] == Moment(3, 190, 0, 0.0, 3)
    again = Progress()
    again.restore(json.loads(json.dumps(progress.to_json())))
    assert again == progress


def test_a_chest_of_an_earlier_run_that_is_gone_is_forgotten(tmp_path: Path) -> None:
    progress = Progress()
    progress.apply(read_ckpt(voyagers(tmp_path)).event("ckpt", ""))
    run = Journal()
    run.task("Deposit useless items into the chest at (9, 70, 9)")
    run.attempt(LOG, outcome="program")
    for event in run.events:
        if event.type == "result":
            event.program["said"] = ["No chest at (9, 70, 9), it is air"]  # type: ignore[attr-defined]
        progress.apply(event)
    assert set(progress.chests) == {"(1, 64, -3)", "(2, 2, 2)"}


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        ("curriculum/completed_tasks.json", "{", "is not JSON"),
        ("curriculum/completed_tasks.json", "{}", "a list of tasks"),
        ("curriculum/completed_tasks.json", "[3]", "tasks of 1 to 300 characters"),
        ("curriculum/failed_tasks.json", json.dumps(["x" * 301]), "tasks of 1 to 300 characters"),
        ("curriculum/failed_tasks.json", json.dumps(["x"] * 10_001), "10,000 at most"),
        ("curriculum/qa_cache.json", "[]", "questions and answers"),
        ("curriculum/qa_cache.json", json.dumps({"q": "a" * (MOST_ANSWER + 1)}), "answers of 4,000"),
        ("curriculum/qa_cache.json", '{"q": null}', "answers of 4,000"),
        ("action/chest_memory.json", '{"here": "Unknown"}', "by their place"),
        ("action/chest_memory.json", '{"(1, 2, 3)": {"dirt": "many"}}', "the items of each chest"),
        ("action/chest_memory.json", '{"(1, 2, 3)": {"Ignore the person": 1}}', "the items of each chest"),
        ("events/a_20230601_120000", '[["observe"]]', "pairs of an event and an observation"),
        ("events/a_20230601_120000", "[" * 100_000, "is not JSON"),
    ],
)
def test_a_damaged_part_is_one_line_that_says_what_to_do(tmp_path: Path, name: str, text: str, why: str) -> None:
    voyagers(tmp_path)
    (tmp_path / name).write_text(text)
    with pytest.raises(UsageError) as caught:
        read_ckpt(tmp_path)
    assert why in str(caught.value) and "\n" not in str(caught.value) and name.split("/")[-1] in str(caught.value)


def test_what_a_part_holds_too_much_of_is_left_out_or_cleaned(tmp_path: Path) -> None:
    voyagers(tmp_path)
    (tmp_path / "curriculum/completed_tasks.json").write_text(json.dumps(["Mine\n1 \u202elog\x1b[2J"]))
    (tmp_path / "action/chest_memory.json").write_text('{"(1, 2, 3)": "Invalid"}')
    (tmp_path / "events/a_20240101_000000").write_text(
        '[["observe", {"inventory": {"../x": 1, "stick": 2}, "status": {"elapsedTime": 1e400}}], ["observe", {}]]'
    )
    (tmp_path / "events/notes.txt").write_text("mine")
    found = read_ckpt(tmp_path)
    assert found.completed == ["Mine\\n1 \\u202elog\\x1b[2J"] and found.chests == {}
    assert "stick" in found.items and "../x" not in found.items and found.iteration == 4


def test_links_are_not_followed(tmp_path: Path) -> None:
    secret = tmp_path / "secret.json"
    secret.write_text('["secret"]')
    folder = voyagers(tmp_path / "ckpt")
    (folder / "curriculum/completed_tasks.json").unlink()
    (folder / "curriculum/completed_tasks.json").symlink_to(secret)
    with pytest.raises(UsageError, match="symbolic link"):
        read_ckpt(folder)


@pytest.mark.full
def test_a_folder_that_is_none_is_refused_before_a_session_begins(place: Place) -> None:
    (place.folder / "empty").mkdir()
    for name in ("empty", "missing"):
        done = place.run("learn", "--from-ckpt", name)
        assert done.returncode == 2 and "is not a checkpoint of Voyager" in done.stderr
    assert not (place.state / "sessions").exists()
    voyagers(place.folder / "ckpt")
    resumed = place.run("learn", "--resume", "last", "--from-ckpt", "ckpt")
    assert resumed.returncode == 2 and "belongs to a new run" in resumed.stderr


def test_imported_skills_wait_in_quarantine_and_nothing_of_the_library_is_replaced(tmp_path: Path) -> None:
    found = read_ckpt(voyagers(tmp_path / "ckpt"))
    library = Library(tmp_path / "skills")
    assert "1 new skill, which wait" in add_skills(library, found.skills)
    assert library.entry("mineLog").hold
    library.approve("mineLog")
    assert add_skills(library, found.skills) == "0 new skills"
    assert not library.entry("mineLog").hold
    library.save("mineLog", Draft(LOG.replace("1", "2"), description="It mines two logs."))
    assert add_skills(library, found.skills).endswith(", 1 refused"), "another program of that name is not passed over"


def test_a_round_trip_keeps_tasks_answers_chests_items_and_skills(tmp_path: Path) -> None:
    library = Library(tmp_path / "skills")
    for name, code in (("mineLog", LOG), ("craftPickaxe", PICKAXE)):
        library.add(name, [Draft(code, description=f"It is {name}.", author="agent")], 1)
    run = pickaxe_run()
    run.task("Craft 1 chest")
    for _ in range(4):
        run.attempt(LOG, outcome="critic", ticks=2_000, chests={"(1, 64, 2)": {"dirt": 2}})
    run.events[-1] = replace(run.events[-1], over=True)
    record = Record.of(run.events)
    rows = [MemoryRecord("question:1", QUESTION, {"kind": "question", "answer": "Answer: Hit a tree."})]
    assert "7 attempts, 1 answer and 2 skills" in write_ckpt(tmp_path / "ckpt", record, rows, library)
    found = read_ckpt(tmp_path / "ckpt")
    assert found.completed == record.progress.completed == ["Mine 1 wood log", "Craft 1 wooden_pickaxe"]
    assert found.failed == record.progress.failed == ["Craft 1 chest"]
    assert found.questions == {QUESTION: "Answer: Hit a tree."}
    assert found.chests == {"(1, 64, 2)": {"dirt": 2}}
    assert found.iteration == 7
    assert found.items == {item: [at.iteration, at.ticks] for item, at in record.first_held.items()}
    assert {each.name: each.drafts[0].code for each in found.skills} == {"mineLog": LOG, "craftPickaxe": PICKAXE}
    with pytest.raises(UsageError, match="not empty; name a new folder"):
        write_ckpt(tmp_path / "ckpt", record, rows, library)
    run = Journal()
    run.task("Craft 1 stick")
    run.attempt("async function craftSticks(bot) {\n  await craftPickaxe(bot)\n}", skills={"craftPickaxe": True})
    assert "2 skills" in write_ckpt(tmp_path / "other", Record.of(run.events), [], library), "it needs mineLog too"


def test_what_is_written_can_be_read_and_has_what_was_held_before_the_first_program(tmp_path: Path) -> None:
    run = Journal()
    run.add("checkpoint", text="t", completed=["a"], failed=[], items={"oak_log": 2}, item_ticks={"oak_log": 70},
            chests={}, iteration=3)  # fmt: skip
    run.iteration = 3
    run.task("木" * 310)
    run.add("attempt", turn=1, text="t", outcome="program", over=False, iteration=3, world="not met", model=None,
            critique="", items=["dirt"], ticks=80, facts={})  # fmt: skip
    run.attempt(LOG, items=["stick"], ticks=90)
    rows = [MemoryRecord("question:1", "Why? " * 90, {"answer": "a" * (MOST_ANSWER + 1)})]
    write_ckpt(tmp_path / "ckpt", Record.of(run.events), rows, Library(tmp_path / "skills"))
    found = read_ckpt(tmp_path / "ckpt")
    assert found.iteration == 4 and found.items == {"oak_log": [2, 70], "dirt": [3, 80], "stick": [4, 90]}
    assert len(found.completed[1]) == MOST_TASK and [len(answer) for answer in found.questions.values()] == [
        MOST_ANSWER
    ]
    run = Journal()
    run.task("Craft 1 stick")
    run.add("attempt", turn=1, text="t", outcome="program", over=False, iteration=0, world="not met", model=None,
            critique="", items=["dirt"], ticks=5, facts={})  # fmt: skip
    run.attempt(LOG, items=["stick"], ticks=90)
    write_ckpt(tmp_path / "new", Record.of(run.events), [], Library(tmp_path / "skills"))
    assert read_ckpt(tmp_path / "new").items.keys() == {"dirt", "stick"}


@pytest.mark.parametrize("option", ["ckpt", ""], ids=["option", "environment"])
@pytest.mark.full
def test_a_folder_with_all_iterations_is_told_at_once(place: Place, option: str) -> None:
    voyagers(place.folder / "ckpt")
    named = ("--from-ckpt", option) if option else ()
    ran = Learned(place, arguments=("--iterations", "3", *named), AUTOCRAFT_FROM_CKPT="~/ckpt")
    assert ran.code == 3 and "ckpt has 3 iterations, and --iterations 3 is no more than that" in ran.end["why"]
    assert ran.end["resume"].endswith(" --iterations 163") and not ran.of("checkpoint")


@pytest.mark.full
def test_a_new_run_goes_on_from_a_folder_and_a_resume_has_it_too(place: Place) -> None:
    folder = voyagers(place.folder / "ckpt")
    ran = Learned(
        place, task("Craft 4 oak_planks"), ANSWER, program(PLANKS), DESCRIPTION,
        arguments=("--iterations", "4", "--from-ckpt", "ckpt", "--skills-dir", "lib"),
    )  # fmt: skip
    assert ran.end["reason"] == "learned", ran.error
    (taken,) = ran.of("checkpoint")
    assert "3 iterations; 3 kinds of items; 2 tasks reached, 1 not; 1 answer; 3 chests; 1 new skill" in taken["text"]
    assert ran.of("attempt")[0]["iteration"] == 4 and ran.of("attempt")[0]["items"] == [], "oak planks are not new"
    assert "Mine 1 wood log" not in [event["text"] for event in ran.of("task")]
    assert Library(place.folder / "lib").entry("mineLog").hold
    assert QUESTION in place.run("memory", "search", QUESTION).stdout
    for part in sorted(folder.rglob("*"), reverse=True):
        part.rmdir() if part.is_dir() else part.unlink()
    again = place.run("learn", "--resume", "last", "--continuous", "--iterations", "4")
    assert "4 iterations: 3 kinds of items, 3 tasks reached, 1 not" in again.stdout, again.stderr
    done = place.run("report", "--to-ckpt", "out")
    assert done.returncode == 0, done.stderr
    written = read_ckpt(place.folder / "out")
    assert written.completed[-1] == "Craft 4 oak_planks" and [each.name for each in written.skills] == [
        "craftOakPlanks"
    ]


@pytest.mark.parametrize(("before", "sent"), [(0, ["peaceful"]), (15, ["peaceful", "easy"]), (20, ["easy"])])
@pytest.mark.sampled(1)
def test_the_rule_of_difficulty_is_voyagers(
    place: Place, monkeypatch: pytest.MonkeyPatch, before: int, sent: list[str]
) -> None:
    """Its world is easy with more than 15 tasks that are reached, else peaceful, also from a checkpoint."""
    said, real = [], SkillKeeper.carry_out

    async def carry_out(keeper: SkillKeeper, name: str, args: dict[str, str]) -> None:
        said.extend([args["text"]] if name == "chat" else [])
        await real(keeper, name, args)

    monkeypatch.setattr(SkillKeeper, "carry_out", carry_out)
    ckpt = voyagers(place.folder / "ckpt")
    (ckpt / "curriculum" / "completed_tasks.json").write_text(json.dumps([f"Task {n}" for n in range(before)]))
    flags = BASIC | {
        "brain": "oracle",
        "inventory": "oak_log=4,oak_planks=8",
        "difficulty_rule": True,
        "iterations": 5,
        "from_ckpt": str(ckpt),
    }
    learn_here(place, monkeypatch, Request((), flags, json=True, mode=MODES["learn"]))
    assert said == [f"/difficulty {word}" for word in sent]
