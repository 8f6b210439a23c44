"""Learning with answers of a script, in the crafting world: every branch that an answer can take."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest

from autocraft.agent.ending import RunEnded
from autocraft.agent.state import State
from autocraft.agent.transcript import PromptSettings
from autocraft.app import Request, Run, open_request
from autocraft.commands.program_report import EffectRecord
from autocraft.features import MODES
from autocraft.goals import Goal
from autocraft.goals.verbs import VERBS
from autocraft.goals.wording import Names
from autocraft.learning.action import ActionPrompt, read_program
from autocraft.learning.critic import unfit
from autocraft.learning.curriculum import task_of
from autocraft.learning.keeper import SkillKeeper
from autocraft.learning.progress import Progress
from autocraft.learning.record import Record
from autocraft.learning.settings import LearnSettings
from autocraft.protocols import PROGRAM, Answer
from autocraft.sandbox.packages import PACKAGES as PROGRAMS
from autocraft.session.events import Event, Intent
from autocraft.session.reading import Events
from autocraft.settings.config import read_run_config
from autocraft.skills.index import Index
from autocraft.skills.skill import Draft
from autocraft.skills.store import Library
from autocraft.skills.uses import record_use
from autocraft.usage import estimate_tokens
from tests.commands.programs import with_programs
from tests.conftest import Place, kinds
from tests.journals import event
from tests.test_context import context, journaled

pytestmark = pytest.mark.sampled(15)

WOOD = ["--world", "crafting", "--inventory", "oak_log=4"]
PLANKS = "async function craftOakPlanks(bot) {\n  await craftItem(bot, 'oak_planks', 1)\n}"
STICKS = "async function craftSticks(bot) {\n  await craftOakPlanks(bot)\n  await craftItem(bot, 'stick', 1)\n}"
WRONG = "async function craftSticks(bot) {\n  bot.chat('I have sticks')\n}"


def program(code: str) -> dict[str, str]:
    return {"role": "action", "text": f"Explain: none.\nPlan:\n1) craft it\nCode:\n```javascript\n{code}\n```"}


def task(text: str) -> dict[str, str]:
    return {"role": "curriculum", "text": f"Reasoning: it is new.\nTask: {text}"}


def verdict(success: bool, critique: str = "") -> dict[str, str]:
    return {"role": "critic", "text": json.dumps({"reasoning": "r", "success": success, "critique": critique})}


def said(role: str, text: str) -> dict[str, str]:
    return {"role": role, "text": text}


BASIC = {"world": "crafting", "inventory": "oak_log=4", "brain": "scripted", "continuous": True}
ANSWER = said("question", "Answer: With planks.")
DESCRIPTION = said("describe", "It crafts what it says.")


class Learned:
    """A run of `autocraft learn`: its exit code, its events, and what it printed."""

    def __init__(
        self, place: Place, *answers: Any, arguments: tuple[str, ...] = ("--iterations", "1"),
        inventory: str = "oak_log=4", **given: Any,
    ):  # fmt: skip
        script = ["--brain", "scripted", "--script", place.script(*answers)]
        world = ["--world", "crafting", "--inventory", inventory]
        done = place.run("learn", *world, *script, "--continuous", "--json", *arguments, **with_programs(), **given)
        self.code, self.error = done.returncode, done.stderr
        self.events: list[dict[str, Any]] = [json.loads(line) for line in done.stdout.splitlines()]

    def of(self, kind: str) -> list[dict[str, Any]]:
        return kinds(self.events, kind)

    @property
    def outcomes(self) -> list[str]:
        return [event["outcome"] for event in self.of("attempt")]

    @property
    def end(self) -> dict[str, Any]:
        return self.events[-1]


def test_a_program_that_works_is_kept_and_found_again(place: Place) -> None:
    ran = Learned(
        place,
        task("Craft 4 oak_planks"), ANSWER, program(PLANKS), DESCRIPTION,
        said("curriculum", "### Task: **Craft 1 stick.**"), ANSWER, program(STICKS), DESCRIPTION,
        arguments=("--iterations", "2"),
    )  # fmt: skip
    assert (ran.code, ran.end["reason"]) == (0, "learned"), ran.error
    assert ran.outcomes == ["goal", "goal"]
    assert [event["items"] for event in ran.of("attempt")] == [["oak_log", "oak_planks"], ["stick"]]
    shown = place.run("skills", "show", "craftSticks").stdout
    assert "craftOakPlanks" in shown, "a skill calls the skill that was kept before"
    assert "used once, 1 with success" in place.run("skills", "list").stdout


def test_a_wrong_program_is_refused_by_the_world_and_mended(place: Place) -> None:
    ran = Learned(
        place,
        task("Craft 4 stick"), ANSWER, program(WRONG), verdict(True), program(STICKS.replace("craftOakPlanks(bot)",
        "craftItem(bot, 'oak_planks', 1)")), DESCRIPTION,
        arguments=("--iterations", "2"),
    )  # fmt: skip
    assert ran.outcomes == ["critic", "goal"]
    first = ran.of("attempt")[0]
    assert (first["world"], first["model"]) == ("not met", True), "the world is the truth, and both are kept"
    assert "The world says not met, the critic says reached" in first["text"]
    assert first["critique"] == "stick: have 0, need 4", "the critic is wrong, so the world says why"
    assert len(ran.of("task")) == 1, "the second attempt is at the same task"


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (said("action", "I would craft planks first."), "holds no program"),
        (said("action", ""), "holds no program"),
        (said("action", "```javascript\nasync function f(bot) {\n"), "holds no program"),
        (said("action", "```javascript\nasync function f(bot { }\n```"), "cannot be read"),
        (said("action", "```javascript\nfunction f(bot) {}\n```"), "no async function"),
        (said("action", "```javascript\nasync function f(a) {}\n```"), "named bot"),
        (said("action", "```python\ndef f(bot): pass\n```"), "holds no program"),
    ],
)
@pytest.mark.sampled(2)
def test_an_answer_without_a_program_is_told_why_and_costs_no_iteration(
    place: Place, answer: dict[str, str], why: str
) -> None:
    ran = Learned(place, task("Craft 4 oak_planks"), ANSWER, answer, program(PLANKS), DESCRIPTION)
    assert ran.outcomes == ["program", "goal"]
    assert why in next(event["error"] for event in ran.of("reply") if not event["ok"])
    assert [event["iteration"] for event in ran.of("attempt")] == [0, 1]


def test_an_answer_with_line_ends_of_windows_holds_its_program() -> None:
    answer = Answer(program(PLANKS)["text"].replace("\n", "\r\n"))
    assert read_program(answer).args == {"code": PLANKS}


@pytest.mark.parametrize(
    ("answer", "read"),
    [
        ("Reasoning: r\n### Task: **Craft 1 stick.**", "Craft 1 stick"),
        ("**Task:** `Craft 1 stick`.\r\n", "Craft 1 stick"),
        ("Task: Mine 1 log\nTask:\nMine 1 stone", "Mine 1 stone"),
        ("The Task: Mine 1 log\nTask: **\n", ""),
        ("Task: a" + "*" * 10_000 + "x", "a" + "*" * 10_000 + "x"),
    ],
)
def test_the_last_task_of_an_answer_is_read_however_long_a_row_of_marks_is(answer: str, read: str) -> None:
    assert task_of(answer) == read


def test_five_useless_proposals_end_the_run(place: Place) -> None:
    ran = Learned(place, *[task("Craft 1 copper_sword")] * 5)
    assert (ran.code, ran.end["reason"]) == (3, "unreadable")
    assert ran.end["why"].startswith("5 proposals of a task")
    assert "the last one: 'Craft 1 copper_sword' cannot be the task: there is no item" in ran.end["why"]
    assert "Propose" not in ran.end["why"], "the person reads no words of a prompt"


def test_a_task_is_given_up_after_four_tries(place: Place) -> None:
    ran = Learned(
        place,
        task("Craft 4 stick"), ANSWER, *[program(WRONG), verdict(False, "Craft planks first.")] * 4,
        task("Craft 4 oak_planks"), ANSWER, program(PLANKS), DESCRIPTION,
        arguments=("--iterations", "5"),
    )  # fmt: skip
    assert ran.outcomes == ["critic"] * 4 + ["goal"]
    assert [event["over"] for event in ran.of("attempt")] == [False] * 3 + [True, True]
    assert "1 task reached, 1 not" in ran.end["why"]


def test_the_last_program_before_a_limit_is_judged_and_kept(place: Place) -> None:
    answers = (task("Craft 4 oak_planks"), ANSWER, program(PLANKS), DESCRIPTION)
    ran = Learned(place, *answers, arguments=("--max-steps", "1"))
    assert (ran.code, ran.outcomes) == (3, ["goal"]) and "--max-steps 1 reached" in ran.end["why"]
    assert "craftOakPlanks" in place.run("skills", "list").stdout


def test_a_program_whose_name_no_skill_may_have_is_not_kept_and_the_run_says_so(place: Place) -> None:
    long = "craftOakPlanks" * 5
    ran = Learned(place, task("Craft 4 oak_planks"), ANSWER, program(PLANKS.replace("craftOakPlanks", long)))
    assert (ran.code, ran.outcomes) == (0, ["goal"]), ran.error
    assert f"the program {long} is not kept as a skill: its name is not a plain name" in ran.of("note")[-1]["text"]


def test_a_damaged_skill_of_the_same_name_does_not_end_the_run(place: Place) -> None:
    (place.folder / "lib" / "craftOakPlanks").mkdir(parents=True)
    (place.folder / "lib" / "craftOakPlanks" / "skill.json").write_text("{")
    arguments = ("--iterations", "1", "--skills-dir", "lib")
    ran = Learned(place, task("Craft 4 oak_planks"), ANSWER, program(PLANKS), DESCRIPTION, arguments=arguments)
    assert (ran.code, ran.outcomes) == (0, ["goal"]), ran.error
    (kept,) = [event for event in ran.of("result") if event["command"] == "save_skill"]
    assert not kept["ok"] and "the skill craftOakPlanks cannot be read" in kept["text"]


def test_a_brain_that_runs_a_skill_counts_a_use_and_writes_no_version_of_it(place: Place) -> None:
    Library(place.folder / "lib").save("craftOakPlanks", Draft(PLANKS, description="It makes oak planks of a log."))
    flags = ("--brain", "retrieval", "--skills-dir", "lib", "--iterations", "1", "--continuous")
    environment = with_programs() | {"AUTOCRAFT_FIRST_TASK": "Craft 4 oak_planks"}
    done = place.run("learn", *WOOD, *flags, **environment)
    assert done.returncode == 0 and "Task reached: Craft 4 oak_planks" in done.stdout, done.stdout + done.stderr
    shown = place.run("skills", "--skills-dir", "lib", "list").stdout
    assert "craftOakPlanks  v1  used once, 1 with success" in shown and "It makes oak planks of a log." in shown


def test_a_skill_is_counted_when_it_is_entered_and_against_it_only_if_it_threw(place: Place) -> None:
    """A name in the text of a failed program counted as a failed use."""
    library = Library(place.state / "skills")
    library.save("craftOakPlanks", Draft(PLANKS, description="It makes oak planks."))
    throws = "async function throwStick(bot) {\n  throw new Error('no')\n}"
    library.save("throwStick", Draft(throws, description="It throws."))
    never = "async function craftSticks(bot) {\n  if (bot.food < 0) await craftOakPlanks(bot)\n}"
    enters = "async function craftSticks(bot) {\n  await craftOakPlanks(bot)\n  await throwStick(bot)\n}"
    ran = Learned(
        place, task("Craft 4 stick"), ANSWER, program(never), verdict(False), program(enters), verdict(False),
        arguments=("--iterations", "2"),
    )  # fmt: skip
    assert ran.outcomes == ["critic", "program"], ran.error
    listed = place.run("skills", "list").stdout
    assert "craftOakPlanks  v1  used once, 1 with success" in listed, "it did what it should, though the task failed"
    assert "throwStick  v1  used once, 0 with success" in listed
    [record] = [Record.of(Events(place.state / "sessions" / place.session()))]
    assert {name: (each.uses, each.successes) for name, each in record.skills.items()} == {
        "craftOakPlanks": (1, 1), "throwStick": (1, 0),
    }  # fmt: skip


def test_a_skill_that_threw_is_shown_first_and_all_others_by_name(tmp_path: Path) -> None:
    library = Library(tmp_path)
    for name in ("craftOakPlanks", "craftSticks", "mineLog"):
        library.save(name, Draft(PLANKS.replace("craftOakPlanks", name), description=name))
    nothing = cast(Any, None)
    keeper = SkillKeeper(nothing, nothing, Index(library), nothing, nothing, shown=1)
    [first], others = keeper.search("craft oak planks", ["mineLog"])
    assert "mineLog" in first and others == ["craftOakPlanks", "craftSticks"]
    prompt = ActionPrompt(PromptSettings(), LearnSettings(), Progress(), State())
    prompt.skills, prompt.names = [first], others
    assert 'which are not shown: <data source="skills">\ncraftOakPlanks, craftSticks' in prompt.messages("")[1].content


def test_a_skill_that_keeps_failing_is_not_shown_until_it_is_written_anew(tmp_path: Path) -> None:
    library = Library(tmp_path)
    library.save("craftOakPlanks", Draft(PLANKS, description="It makes oak planks of a log."))
    nothing = cast(Any, None)
    keeper = SkillKeeper(nothing, nothing, Index(library), nothing, nothing)
    for _ in range(4):
        assert keeper.search("craft oak planks") == ([PLANKS], [])
        record_use(tmp_path, "craftOakPlanks", 1, ok=False)
    assert keeper.search("craft oak planks") == ([], [])
    mended = PLANKS.replace("1)", "2)")
    library.save("craftOakPlanks", Draft(mended, description="It makes oak planks of two logs."))
    assert keeper.search("craft oak planks") == ([mended], [])


THROWS = PLANKS.replace("1)\n", "1)\n  throw new Error('after it')\n")


def test_an_error_of_the_program_does_not_fail_a_met_task_but_makes_no_skill(place: Place) -> None:
    ran = Learned(place, task("Craft 4 oak_planks"), ANSWER, program(THROWS))
    assert (ran.code, ran.outcomes) == (0, ["goal"]), ran.error
    [attempt] = ran.of("attempt")
    assert attempt["unfit"] == "it ended with an error"
    assert "The program is no skill: it ended with an error." in attempt["text"]
    assert "no skills" in place.run("skills", "list").stdout.lower()


@pytest.mark.parametrize("proposal", ["Craft 4 oak_planks", "Obtain 8 oak_planks", "Collect 2 oak_planks"])
@pytest.mark.sampled(1)
def test_a_task_that_is_met_before_it_begins_is_not_proposed(place: Place, proposal: str) -> None:
    ran = Learned(
        place, task(proposal), task("Craft 1 stick"), ANSWER,
        program("async function craftStick(bot) {\n  await craftItem(bot, 'stick', 1)\n}"), DESCRIPTION,
        inventory="oak_planks=8",
    )  # fmt: skip
    assert [event["goals"][0]["text"] for event in ran.of("task")] == ["Craft 1 stick"], ran.error
    assert ran.outcomes == ["goal"]


def test_what_was_held_before_a_task_does_not_count_for_it(place: Place) -> None:
    twice = PLANKS.replace("1)", "2)")
    ran = Learned(
        place, task("Craft 5 oak_planks"), ANSWER, program(PLANKS), verdict(True), program(twice), DESCRIPTION,
        arguments=("--iterations", "2"), inventory="oak_log=4,oak_planks=2",
    )  # fmt: skip
    [began] = ran.of("task")
    assert (began["held"], began["goals"][0]["items"]) == ({"oak_planks": 2}, [["oak_planks", 7]])
    assert ran.outcomes == ["critic", "goal"], "6 of 7 are there after the first program"
    why = "oak_planks: have 6, need 7; 2 oak_planks of before the task do not count"
    assert ran.of("attempt")[0]["critique"] == why


def test_a_sub_goal_that_is_met_already_needs_no_program(place: Place) -> None:
    ran = Learned(
        place, ANSWER, program("async function craftStick(bot) {\n  await craftItem(bot, 'stick', 1)\n}"),
        arguments=("--sub-goal", "Craft 4 oak_planks", "--sub-goal", "Craft 4 stick", "--iterations", "2"),
        inventory="oak_planks=8",
    )  # fmt: skip
    assert (ran.end["reason"], ran.outcomes) == ("goal_reached", ["goal"]), ran.error
    assert [event["text"] for event in ran.of("task")] == ["Task: Craft 4 stick (reached already: Craft 4 oak_planks)"]


@pytest.mark.parametrize(
    ("goal", "program", "why"),
    [
        ("get 4 dirt", {"error": "It threw"}, "it ended with an error"),
        ("get 4 dirt", {"before": {"dirt": 64}, "after": {"dirt": 64}}, "its own effects did not gain"),
        ("get 4 dirt", {"before": {"dirt": 64}, "after": {"dirt": 60}}, "its own effects did not gain"),
        ("get 4 dirt", {"before": {"dirt": 3}, "after": {"dirt": 4}}, ""),
        ("get 4 dirt", {"before": {}, "after": {}}, ""),  # what was held is not known
        ("get 2 log", {"before": {"oak_log": 1}, "after": {"oak_log": 1, "birch_log": 1}}, ""),
        ("kill 1 pig", {"did": {}}, "its own effects did not gain"),
        ("kill 1 pig", {"did": {"kill cow": 1}}, "its own effects did not gain"),
        ("kill 1 pig", {"did": {"kill pig": 1}}, ""),
        ("mine 2 dirt", {"did": {"collect dirt": 2}}, ""),
        ("wear iron_helmet", {"did": {}}, ""),  # it is seen afterwards
        ("look happy", {}, ""),
    ],
)
def test_a_skill_gained_by_its_own_effects_what_its_task_asks_for(goal: str, program: dict[str, Any], why: str) -> None:
    items = ("dirt", "oak_log", "birch_log", "iron_helmet", "pig_spawn_egg", "cow_spawn_egg")
    read = Goal.parse(goal, Names.of(items, {}, VERBS))
    found = unfit(read, {"error": "", "said": [], **program})
    assert found.startswith(why) and bool(found) == bool(why)


def test_a_program_that_does_not_start_counts_as_no_use_of_its_skills(place: Place) -> None:
    Learned(place, task("Craft 4 oak_planks"), ANSWER, program(PLANKS), DESCRIPTION)
    before = place.run("skills", "list").stdout
    chief = place.folder / "broken" / PROGRAMS.chief
    chief.mkdir(parents=True)
    (chief / "package.json").write_text("{}")
    script = place.script(task("Craft 1 stick"), ANSWER, *[program(STICKS), verdict(False)] * 3)
    options = ("--brain", "scripted", "--script", script, "--continuous")
    done = place.run("learn", *WOOD, *options, **{PROGRAMS.variable: str(place.folder / "broken")})
    assert "3 programs in a row did not run to their end" in done.stdout, done.stderr
    assert place.run("skills", "list").stdout == before


def test_one_task_is_solved_by_sub_goals_and_nothing_is_kept(place: Place) -> None:
    ran = Learned(
        place,
        said("curriculum", "[" * 100_000 + "]" * 100_000),
        said("curriculum", 'Here: ["Craft 4 oak_planks", "Craft 4 stick"]'), ANSWER, program(PLANKS), ANSWER,
        program(STICKS.replace("craftOakPlanks(bot)", "craftItem(bot, 'oak_planks', 1)")),
        arguments=("--task", "Craft 4 stick", "--iterations", "1"),
    )  # fmt: skip
    assert ran.code == 3, "one iteration is too few"
    way = ran.end["resume"].split()
    assert [*way[:3], *way[4:]] == ["autocraft", "learn", "--resume", "--iterations", "2"], "the advice reaches further"
    done = place.run(*way[1:], "--continuous", "--json", **with_programs())
    assert done.returncode == 0
    assert json.loads(done.stdout.splitlines()[-1])["reason"] == "goal_reached"
    assert "no skills" in place.run("skills", "list").stdout.lower()


def test_a_run_that_does_not_learn_is_not_resumed_to_learn(place: Place) -> None:
    place.run("run", "--goal", "craft 1 chest", *WOOD, "--continuous", "--max-steps", "1")
    before = place.events()
    done = place.run("learn", "--resume", "last", "--continuous", "--brain", "oracle")
    assert (
        done.returncode == 2 and "this session is from autocraft run: go on with autocraft run --resume" in done.stderr
    )
    assert place.events() == before


def test_the_last_change_of_a_session_that_learns_is_taken_back(place: Place) -> None:
    ran = Learned(place, task("Craft 4 oak_planks"), ANSWER, program(PLANKS), DESCRIPTION)
    assert ran.outcomes == ["goal"] and place.run("skills", "list").stdout.count("craftOakPlanks") == 1, ran.error
    first = place.run("sessions", "undo", **with_programs())
    assert (first.returncode, first.stderr) == (0, ""), first.stdout
    assert "Took back" in first.stdout


@pytest.mark.parametrize(
    ("brain", "goal", "why"),
    [
        ("oracle", "craft 1 iron_pickax", "'craft 1 iron_pickax'; did you mean iron_pickaxe?"),
        ("scripted", "Craft 1 copper_sword", "there is no item 'copper_sword'"),
    ],
)
def test_a_task_that_names_nothing_is_told_before_a_program(place: Place, brain: str, goal: str, why: str) -> None:
    """The oracle looked elsewhere until the iterations were used up."""
    answers = [said("curriculum", json.dumps([goal]))] * 5
    script = ("--script", place.script(*answers)) if brain == "scripted" else ()
    done = place.run(
        "learn", *WOOD, "--brain", brain, *script, "--task", goal, "--continuous", "--json", **with_programs()
    )
    end = json.loads(done.stdout.splitlines()[-1])
    assert (done.returncode, end["reason"], end["turns"]) == (3, "unreadable", 0), done.stderr
    assert f"{goal!r} cannot be a sub-goal: " in end["why"] and why in end["why"]


def test_a_sub_goal_that_cannot_be_used_is_told_before_the_first_program(place: Place) -> None:
    sub_goals = ("--sub-goal", "Craft 4 oak_planks", "--sub-goal", "Craft 1 copper_sword")
    ran = Learned(place, ANSWER, program(PLANKS), arguments=(*sub_goals, "--iterations", "2"))
    assert (ran.end["reason"], ran.outcomes) == ("unreadable", [])
    assert ran.end["why"].startswith("'Craft 1 copper_sword' cannot be a sub-goal: there is no item")


def test_a_task_is_decomposed_anew_after_a_sub_goal_was_given_up(place: Place) -> None:
    ran = Learned(
        place,
        said("curriculum", '["Craft 4 stick"]'), ANSWER, *[program(WRONG), verdict(False)] * 2,
        said("curriculum", '["Craft 4 oak_planks"]'), ANSWER, program(PLANKS),
        arguments=("--task", "Craft 4 stick", "--tries", "2", "--iterations", "3"),
    )  # fmt: skip
    assert ran.outcomes == ["critic", "critic", "goal"], ran.error
    assert [event["goals"][0]["text"] for event in ran.of("task")] == ["Craft 4 stick", "Craft 4 oak_planks"]


def test_a_rule_that_denies_programs_is_told_to_the_model(place: Place) -> None:
    policy = place.folder / "rules.toml"
    policy.write_text('[[policy.rule]]\ncommand = "run_program"\nthen = "deny"\nwhy = "no programs today"\n')
    ran = Learned(
        place, task("Craft 4 oak_planks"), ANSWER, *[program(PLANKS)] * 4, task("Craft 4 stick"), ANSWER,
        arguments=("--policy", str(policy), "--max-steps", "5"),
    )  # fmt: skip
    assert not ran.error
    assert ran.outcomes == ["program"] * 4
    assert "no programs today" in ran.of("attempt")[0]["critique"]


@pytest.mark.parametrize(
    ("answer", "arguments", "why"),
    [
        (said("action", "I would craft planks first."), (), "The answer holds no program"),
        (program(PLANKS), ("--policy", "rules.toml"), "rule 1 of the policy denies it"),
    ],
)
def test_a_run_whose_answers_never_give_a_program_ends(
    place: Place, answer: dict[str, str], arguments: tuple[str, ...], why: str
) -> None:
    rule = '[[policy.rule]]\ncommand = "run_program"\nthen = "deny"\nwhy = "no programs today"\n'
    (place.folder / "rules.toml").write_text(rule)
    script = [[task(f"Craft {n} oak_planks"), ANSWER, *[answer] * 4] for n in (4, 8, 12, 16)]
    ran = Learned(place, *itertools.chain(*script), arguments=("--iterations", "1", *arguments))
    assert (ran.code, ran.end["reason"]) == (3, "unreadable"), ran.error
    assert ran.end["why"].startswith(f"12 answers in a row gave no program that may run: {why}")


@pytest.mark.parametrize(
    ("flag", "value", "hint"),
    [
        ("--tries", "0", "--tries is 0: give more than 0"),
        ("--critic", "me", "--critic is 'me': choose auto, both, manual or none"),
        ("--manual-critic", "--critic=none", "--manual-critic is the same as --critic manual: leave one"),
    ],
)
def test_a_setting_that_no_run_can_have_is_one_clear_line(place: Place, flag: str, value: str, hint: str) -> None:
    done = place.run("learn", *WOOD, flag, value, "--continuous")
    assert done.returncode == 2
    assert hint in done.stderr
    assert done.stderr.count("\n") <= 2


def test_the_world_of_the_settings_counts_and_else_minecraft_is_played(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(place.folder)
    assert read_run_config({}, "", MODES["learn"]).run.world == "minecraft"
    script = place.script(task("Craft 4 oak_planks"), ANSWER, program(PLANKS), DESCRIPTION)
    flags = ("--brain", "scripted", "--script", script, "--inventory", "oak_log=4", "--iterations", "1", "--continuous")
    done = place.run("learn", *flags, **with_programs(), AUTOCRAFT_WORLD="crafting")
    assert done.returncode == 0 and "Task reached: Craft 4 oak_planks" in done.stdout, done.stderr
    assert "World: crafting" in done.stdout.splitlines()[:4]
    refused = place.run("learn", "--inventory", "oak_log=4")
    assert refused.returncode == 2 and "add --world crafting, or leave them out" in refused.stderr
    refused = place.run("learn", "--server", "localhost:1", AUTOCRAFT_WORLD="crafting")
    assert refused.returncode == 2 and "add --world minecraft" in refused.stderr


@pytest.mark.parametrize(("window", "reply_tokens", "most"), [(4096, 2000, 3072), (4096, 500, 3596), (0, 2000, 14_000)])
def test_the_prompt_for_a_program_leaves_room_for_the_answer(window: int, reply_tokens: int, most: int) -> None:
    prompt = ActionPrompt(PromptSettings(reply_tokens=reply_tokens), LearnSettings(), Progress(), State())
    prompt.skills = [PLANKS.replace("  await", "  await\n" * 400)] * 20
    messages = prompt.messages("the world", window=window)
    assert most - 900 < sum(estimate_tokens(message.content) for message in messages) <= most
    assert prompt.skills[0] in messages[1].content


def test_why_a_program_was_not_kept_goes_into_the_next_prompt() -> None:
    progress = Progress()
    prompt = ActionPrompt(PromptSettings(), LearnSettings(), progress, State())
    refused = {"by": "person", "kind": "refuse", "command": "save_skill", "args": {}, "risk": "change"}
    progress.apply(event("decision", **refused, feedback="Call it by its item."))
    assert "not kept as a skill: Call it by its item." in prompt.messages("the world")[1].content
    progress.apply(event("reply", ok=True, stage="plain", thoughts={}, command="run_program", args={"code": PLANKS}))
    assert "Call it by its item." not in prompt.messages("the world")[1].content


def learn_here(
    place: Place, monkeypatch: pytest.MonkeyPatch, request: Request, lay: Callable[[Run], None] = lambda run: None
) -> int:
    """Learn in this process. Return the exit code. `lay` gets the run before it begins."""
    for name, value in (place.environment | with_programs()).items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(place.folder)

    async def learn() -> int:
        run = await open_request(request)
        lay(run)
        return (await run.go()).exit

    return asyncio.run(learn())


def test_words_typed_while_a_program_runs_do_not_lose_its_skill(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    def lay(run: Run) -> None:
        def watch(event: Event) -> None:
            if isinstance(event, Intent) and event.agent == PROGRAM:
                run.person.receive_line("well done")

        run.context.journal.viewers.append(watch)

    script = place.script(task("Craft 4 oak_planks"), ANSWER, program(PLANKS), DESCRIPTION)
    flags = BASIC | {"script": script, "iterations": 1}
    assert learn_here(place, monkeypatch, Request((), flags, json=True, mode=MODES["learn"]), lay) == 0
    assert [event["text"] for event in kinds(place.events(), "feedback")] == ["well done"]
    assert [event["ok"] for event in kinds(place.events(), "result") if event["command"] == "save_skill"] == [True]


def test_what_a_program_placed_is_given_back_the_last_first(tmp_path: Path) -> None:
    """The crafting world can neither dig nor collect, and so each command is a note."""
    run, done = context(tmp_path), cast(Any, event("result", ok=True))
    placed = [("torch", 1, done), ("chest", 2, None), ("furnace", 3, done)]
    effects = [EffectRecord("", "place_item", {"name": name, "x": x, "y": 0, "z": 0}, ok) for name, x, ok in placed]
    effects.append(EffectRecord("", "craft_item", {"name": "stick"}, done))
    keeper = SkillKeeper(run, cast(Any, None), cast(Any, None), cast(Any, None), Progress())
    asyncio.run(keeper.take_up(effects))
    notes = [each["text"].partition(" was not carried out")[0] for each in journaled(tmp_path)]
    assert notes == ["dig", "collect"] * 2


def test_a_run_that_ends_before_it_gives_back_does_so_when_it_is_resumed(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    async def take_up(keeper: SkillKeeper, effects: object) -> None:
        asked.append(effects)
        raise RunEnded("stopped", "the person ended the run at the first question")

    monkeypatch.setattr(SkillKeeper, "take_up", take_up)
    script = place.script(task("Craft 4 stick"), ANSWER, program(WRONG), verdict(False))
    flags = BASIC | {"script": script, "give_back": True}
    assert learn_here(place, monkeypatch, Request((), flags, json=True, mode=MODES["learn"])) == 4
    assert (
        learn_here(place, monkeypatch, Request(None, {"continuous": True}, "last", json=True, mode=MODES["learn"])) == 4
    )
    assert len(asked) == 2
    assert [event["outcome"] for event in kinds(place.events(), "attempt")] == ["critic"]
