"""`Voyager`, the class of the original README: its parameters, `learn`, `inference` and `decompose_task`."""

from __future__ import annotations

import json
import shutil
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from autocraft import UsageError, Voyager
from autocraft.learning.ckpt import read_ckpt
from autocraft.learning.settings import WARM_UP, LearnSettings
from autocraft.learning.voyager import PARAMETERS
from autocraft.settings.config import Config
from autocraft.settings.fields import kinds
from autocraft.settings.roles import RoleSettings
from autocraft.settings.settings import Settings
from tests import warm
from tests.commands.programs import with_programs
from tests.conftest import Place
from tests.learning.test_ckpt import voyagers
from tests.learning.test_learning import ANSWER, DESCRIPTION, PLANKS, STICKS, program, said, task, verdict


def scripted(place: Place, code: str, *answers: Any) -> Any:
    """Run a program with a scripted brain in the crafting world. Return the JSON that it prints last."""
    script = place.script(*answers)
    options = {"world": "crafting", "inventory": "oak_log=4", "brain": "scripted", "script": script, "continuous": True}
    begin = f"import json\nfrom autocraft import UsageError, Voyager\noptions = {options!r}\n"
    done = place.python("-c", begin + code, **with_programs())
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_every_parameter_of_voyagers_is_taken_and_names_a_setting_that_there_is() -> None:
    for full in filter(None, PARAMETERS.values()):
        section, _, name = full.rpartition(".")
        assert name in [field.name for field in kinds([section])[section].__dataclass_fields__.values()], full  # type: ignore[attr-defined]


def test_a_model_of_a_role_and_the_key_reach_their_settings_and_the_key_is_masked(tmp_path: Path) -> None:
    made = Voyager(openai_api_key="sk-0123456789abcdef", action_agent_model_name="big", critic_agent_temperature=0.1)
    config = config_of(made, tmp_path)
    assert config.models["action"].model == "big"
    assert config.models["critic"] == RoleSettings(temperature=0.1)
    assert config.openai.api_key == "sk-0123456789abcdef"
    assert "0123456789abcdef" not in config.mask.text("the key is sk-0123456789abcdef")


DEFAULTS: dict[str, Any] = {
    "mc_port": None, "azure_login": None, "server_port": 3000, "openai_api_key": None, "env_wait_ticks": 20,
    "env_request_timeout": 600, "max_iterations": 160, "reset_placed_if_failed": False,
    "action_agent_model_name": "gpt-4", "action_agent_temperature": 0, "action_agent_task_max_retries": 4,
    "action_agent_show_chat_log": True, "action_agent_show_execution_error": True,
    "curriculum_agent_model_name": "gpt-4", "curriculum_agent_temperature": 0,
    "curriculum_agent_qa_model_name": "gpt-3.5-turbo", "curriculum_agent_qa_temperature": 0,
    "curriculum_agent_warm_up": None,
    "curriculum_agent_core_inventory_items": r".*_log|.*_planks|stick|crafting_table|furnace"
    r"|cobblestone|dirt|coal|.*_pickaxe|.*_sword|.*_axe",
    "curriculum_agent_mode": "auto", "critic_agent_model_name": "gpt-4", "critic_agent_temperature": 0,
    "critic_agent_mode": "auto", "skill_manager_model_name": "gpt-3.5-turbo", "skill_manager_temperature": 0,
    "skill_manager_retrieval_top_k": 5, "openai_api_request_timeout": 240, "ckpt_dir": "ckpt",
    "skill_library_dir": None, "resume": False,
}  # fmt: skip
"""The defaults of Voyager's own class, in its order."""


def config_of(made: Voyager, folder: Path) -> Config:
    return Config(Settings(made._flags, {}, folder=folder))


def test_voyagers_own_defaults_are_taken_and_are_those_of_a_run(tmp_path: Path) -> None:
    assert tuple(DEFAULTS) == tuple(PARAMETERS)
    learns = config_of(Voyager(**DEFAULTS), tmp_path).section("learn")
    assert replace(learns, ckpt_dir=None) == LearnSettings()
    learns.check()
    assert config_of(Voyager(**DEFAULTS), tmp_path).models["action"].model == "gpt-4"


def test_parameters_are_taken_by_position_and_reach_their_settings(tmp_path: Path) -> None:
    warm_up = {"biome": 3, "nearby_blocks": 9, "optional_inventory_items": 1}
    made = Voyager(
        None, {"client_id": "c"}, 3000, "sk-0123456789abcdef", curriculum_agent_warm_up=warm_up,
        curriculum_agent_core_inventory_items="dirt", skill_manager_retrieval_top_k=3, max_iterations=7,
    )  # fmt: skip
    config = config_of(made, tmp_path)
    learns = config.section("learn")
    assert config.openai.api_key == "sk-0123456789abcdef"
    assert (learns.iterations, learns.shown, learns.core.pattern) == (7, 3, "dirt")
    assert learns.fields == WARM_UP | {"biome": 3, "optional_inventory_items": 1}, "nearby blocks are always shown"
    with pytest.raises(UsageError, match="takes 30 parameters, each once: leave one mc_port out"):
        Voyager(None, mc_port=25565)
    with pytest.raises(UsageError, match="takes 30 parameters, each once: leave one out"):
        Voyager(*[None] * 31)


def test_learning_keeps_skills_and_writes_the_folder(place: Place) -> None:
    code = """voyager = Voyager(ckpt_dir="ckpt", max_iterations=2, action_agent_task_max_retries=2, options=options)
found = voyager.learn()
solved = voyager.inference(sub_goals=["Craft 4 oak_planks"])
try:
    Voyager(ckpt_dir="ckpt")
except UsageError as error:
    print(json.dumps([found, solved["end"], voyager.exit_code, str(error)]))"""
    found, solved, exit_code, refusal = scripted(
        place, code,
        task("Craft 4 oak_planks"), ANSWER, program(PLANKS), DESCRIPTION,
        task("Craft 1 stick"), ANSWER, program(STICKS), DESCRIPTION,
    )  # fmt: skip
    assert found["completed_tasks"] == ["Craft 4 oak_planks", "Craft 1 stick"] and found["failed_tasks"] == []
    assert found["skills"] == {
        "craftOakPlanks": {"code": PLANKS, "description": DESCRIPTION["text"]},
        "craftSticks": {"code": STICKS, "description": DESCRIPTION["text"]},
    }
    assert (found["end"]["reason"], found["end"]["exit"]) == ("learned", 0)
    assert (solved["reason"], exit_code) == ("goal_reached", 0)
    written = read_ckpt(place.folder / "ckpt")
    assert written.completed == found["completed_tasks"] and written.iteration == 2
    assert [each.name for each in written.skills] == ["craftOakPlanks", "craftSticks"]
    assert "not empty; go on from it" in refusal, "nothing is overwritten by mistake"
    assert list(written.questions.values()) == ["Answer: With planks."] * 2


BUTTON = "async function craftButton(bot) {\n  await craftItem(bot, 'oak_button', 1)\n}"
KILLED = """import os, signal
from autocraft.session.journal import Journal
append, seen = Journal.append, []
def watched(journal, event, **more):
    written = append(journal, event, **more)
    seen.append(event.type)
    if seen.count("task") == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return written
Journal.append = watched
Voyager(ckpt_dir="ckpt", max_iterations=3, options=options).learn()"""
GO_ON = """voyager = Voyager(ckpt_dir="ckpt", resume=True, max_iterations={}, options={{"continuous": True}})
print(json.dumps(voyager.learn()))"""


@pytest.mark.full
def test_a_kill_leaves_a_folder_from_which_its_session_goes_on(place: Place) -> None:
    third = "async function craftLadder(bot) {\n  await craftItem(bot, 'ladder', 1)\n}"
    script = place.script(
        task("Craft 4 oak_planks"), ANSWER, program(PLANKS), DESCRIPTION,
        task("Craft 1 stick"), ANSWER, program(STICKS), DESCRIPTION,
        task("Craft 1 oak_button"), ANSWER, program(BUTTON), DESCRIPTION,
        task("Craft 3 ladder"), ANSWER, program(third),
    )  # fmt: skip
    options = {"world": "crafting", "inventory": "oak_log=4", "brain": "scripted", "script": script, "continuous": True}
    begin = f"import json\nfrom autocraft import Voyager\noptions = {options!r}\n"
    died = place.python("-c", begin + KILLED, **with_programs())
    assert died.returncode == -9, died.stderr
    left = read_ckpt(place.folder / "ckpt")
    assert (left.completed, left.iteration) == (["Craft 4 oak_planks", "Craft 1 stick"], 2)
    before = place.events()
    went_on = place.python("-c", begin + GO_ON.format(3), **with_programs())
    assert went_on.returncode == 0, went_on.stderr
    found = json.loads(went_on.stdout.splitlines()[-1])
    assert found["completed_tasks"] == ["Craft 4 oak_planks", "Craft 1 stick", "Craft 1 oak_button"]
    assert place.events()[: len(before)] == before, "the same session goes on"
    assert read_ckpt(place.folder / "ckpt").completed == found["completed_tasks"]
    again = place.python("-c", begin + GO_ON.format(3), **with_programs())
    assert json.loads(again.stdout.splitlines()[-1])["completed_tasks"] == found["completed_tasks"], "nothing is played"
    assert read_ckpt(place.folder / "ckpt").iteration == 3


def test_a_folder_of_voyagers_is_gone_on_from(place: Place) -> None:
    voyagers(place.folder / "ckpt")
    events = sorted(each.name for each in (place.folder / "ckpt" / "events").iterdir())
    code = """voyager = Voyager(ckpt_dir="ckpt", resume=True, max_iterations=4, options=options)
print(json.dumps(voyager.learn()))"""
    found = scripted(place, code, task("Craft 4 oak_planks"), ANSWER, program(PLANKS), DESCRIPTION)
    assert found["completed_tasks"] == ["Mine 1 wood log", "Craft 1 crafting table", "Craft 4 oak_planks"]
    written = read_ckpt(place.folder / "ckpt")
    assert written.completed == found["completed_tasks"] and written.iteration == 4
    assert [each.name for each in written.skills] == ["craftOakPlanks", "mineLog"], "Voyager's skill is still there"
    assert "Why?" in json.loads((place.folder / "ckpt" / "curriculum" / "qa_cache.json").read_text())
    after = sorted(each.name for each in (place.folder / "ckpt" / "events").iterdir())
    assert set(events) < set(after) and len(after) == 4


def test_a_fault_is_raised_and_a_stop_is_told(place: Place) -> None:
    code = """from autocraft import AutocraftError
voyager = Voyager(max_iterations=2, options=options)
try:
    voyager.learn()
except AutocraftError as error:
    print(json.dumps([str(error), voyager.exit_code]))"""
    why, exit_code = scripted(place, code, task("Craft 4 oak_planks"), ANSWER)
    assert "script" in why and exit_code == 1
    code = """voyager = Voyager(ckpt_dir="other", max_iterations=2, options={**options, "continuous": False})
print(json.dumps([voyager.learn(), voyager.exit_code]))"""
    found, exit_code = scripted(place, code, task("Craft 4 oak_planks"), ANSWER, program(PLANKS))
    assert (found["end"]["reason"], exit_code, found["completed_tasks"]) == ("stopped", 4, [])


def test_a_task_is_tried_step_by_step(place: Place) -> None:
    code = """voyager = Voyager(action_agent_task_max_retries=2, options=options)
told = []
try:
    voyager.step()
except ValueError as error:
    told.append(str(error))
messages = voyager.reset("Craft 4 oak_planks", context="Use one log.")
told.append([each.role for each in messages])
told.append("Use one log." in messages[1].content)
for _ in range(2):
    messages, reward, done, info = voyager.step()
    told.append([reward, done, info["success"], info.get("program_name"), len(info["conversations"])])
    told.append(["Execution error" in each.content for each in messages])
print(json.dumps(told))"""
    wrong = program("async function f(bot) {\n  throw new Error('no')\n}")
    refused, roles, context, *steps = scripted(place, code, wrong, verdict(False), program(PLANKS))
    assert refused == "Agent must be reset before stepping"
    assert (roles, context) == (["system", "user"], True)
    assert steps[0] == [0, False, False, None, 1] and steps[2] == [0, True, True, "craftOakPlanks", 2]
    [end] = [event for event in place.events() if event["type"] == "end"]
    assert end["reason"] == "goal_reached"


@pytest.mark.parametrize(("good", "tries"), [(True, 2), (False, 2)])
@pytest.mark.sampled(1)
def test_a_rollout_ends_when_its_task_is_reached_or_given_up(place: Place, good: bool, tries: int) -> None:
    code = f"""with Voyager(action_agent_task_max_retries={tries}, options=options) as voyager:
    messages, reward, done, info = voyager.rollout(task="Craft 4 oak_planks", context="Use one log.")
print(json.dumps([done, info["success"], len(info["conversations"]), voyager.exit_code]))"""
    wrong = [program("async function f(bot) {\n  throw new Error('no')\n}"), verdict(False)]
    found = scripted(place, code, *wrong, *([program(PLANKS)] if good else wrong))
    assert found == [True, good, 2, 0 if good else 3]
    assert "no skills" in place.run("skills", "list").stdout.lower()


def test_a_run_that_is_not_over_can_be_closed_and_resumed(place: Place) -> None:
    code = """voyager = Voyager(options=options)
voyager.reset("Craft 4 oak_planks", context="Use one log.")
voyager.close()
voyager.close()
print(json.dumps(voyager.exit_code))"""
    assert scripted(place, code, program(PLANKS)) == 4
    done = place.run("learn", "--resume", "last", "--continuous", **with_programs())
    assert "GOAL REACHED" in done.stdout.upper().replace("_", " "), done.stdout + done.stderr


LIBRARY = {"craftOakPlanks": PLANKS, "craftSticks": STICKS}


def trial(folder: Path) -> Path:
    """A library in the form in which Voyager ships its own."""
    for name, text in LIBRARY.items():
        for part, content in ((f"code/{name}.js", text), (f"description/{name}.txt", f"It makes {name[5:]}.")):
            (folder / "skill" / part).parent.mkdir(parents=True, exist_ok=True)
            (folder / "skill" / part).write_text(content)
    index = {name: {"code": text, "description": f"It makes {name[5:]}."} for name, text in LIBRARY.items()}
    (folder / "skill" / "skills.json").write_text(json.dumps(index))
    return folder


INFER = """voyager = Voyager(skill_library_dir="./skill_library/trial1", ckpt_dir="new", options=options)
print(json.dumps(voyager.inference(sub_goals=["Craft 4 oak_planks", "Craft 4 stick"])))"""


@pytest.mark.full
def test_a_library_of_voyagers_is_used_once_a_person_approved_it(place: Place) -> None:
    trial(place.folder / "skill_library" / "trial1")
    options = {"world": "crafting", "inventory": "oak_log=4", "brain": "retrieval", "continuous": True}
    begin = f"import json\nfrom autocraft import Voyager\noptions = {options!r}\n"
    refused = place.python("-c", begin + INFER, **with_programs())
    why = refused.stderr.splitlines()[-1]
    assert refused.returncode == 1 and "2 skills of " in why and "approve --all" in why
    way = why.split("approval: autocraft ")[1].split()
    done = place.run(*way)
    assert done.returncode == 0 and done.stdout.count("is approved") == 2
    ran = place.python("-c", begin + INFER, **with_programs())
    assert ran.returncode == 0, ran.stderr
    found = json.loads(ran.stdout.splitlines()[-1])
    assert found["completed_tasks"] == ["Craft 4 oak_planks", "Craft 4 stick"], found
    assert (place.folder / "skill_library" / "trial1" / "skill" / "skills.json").is_file()


@pytest.mark.skipif(sys.platform == "win32", reason="a pseudo-terminal")
@pytest.mark.full
def test_a_person_at_a_terminal_is_asked_once_about_a_library(place: Place) -> None:
    trial(place.folder / "skill_library" / "trial1")
    options = {"world": "crafting", "inventory": "oak_log=4", "brain": "retrieval", "continuous": True}
    code = f"import json\nfrom autocraft import Voyager\noptions = {options!r}\n{INFER}"
    for asked in (True, False):
        child = warm.Terminal(["-c", code], place.folder, place.environment | with_programs(), 200)
        try:
            if asked:
                child.expect("2 skills of .*craftOakPlanks, craftSticks. Let the model use them")
                child.expect("y/N")
                child.sendline("y")
            child.expect('"completed_tasks": ."Craft 4 oak_planks", "Craft 4 stick"')
        finally:
            child.close(force=True)
        shutil.rmtree(place.folder / "new")


def test_inference_solves_given_sub_goals_and_keeps_no_skill(place: Place) -> None:
    code = """voyager = Voyager(options=options)
print(json.dumps(voyager.inference(sub_goals=["Craft 4 oak_planks"])))"""
    found = scripted(place, code, ANSWER, program(PLANKS))
    end = found.pop("end")
    assert found == {"completed_tasks": ["Craft 4 oak_planks"], "failed_tasks": [], "skills": {}}
    assert end["reason"] == "goal_reached"


def test_a_task_is_decomposed_by_the_model(place: Place) -> None:
    code = """print(json.dumps(Voyager(options=options).decompose_task("Craft 1 ladder")))"""
    assert scripted(place, code, said("curriculum", 'Here: ["Craft 4 stick", "Craft 1 ladder"]')) == [
        "Craft 4 stick",
        "Craft 1 ladder",
    ]
    assert "There are no runs yet" in place.run("sessions", "list").stdout, "there is none to resume by mistake"


def test_a_task_that_the_model_cannot_decompose_is_an_error_of_the_brain(place: Place) -> None:
    code = """from autocraft import BrainError
try:
    Voyager(options=options).decompose_task("Craft 1 ladder")
except BrainError as error:
    print(json.dumps(str(error)))"""
    why = scripted(place, code, *[said("curriculum", "I would craft sticks.")] * 5)
    assert why.startswith("5 lists of sub-goals for 'Craft 1 ladder' could not be used; the last one: ")


@pytest.mark.parametrize(
    ("parameters", "why"),
    [
        ({"mc_prot": 1}, "did you mean mc_port"),
        ({"mc_port": "lan"}, "give the port that Minecraft shows"),
        ({"mc_port": 70_000}, "give the port that Minecraft shows"),
        ({"critic_agent_mode": "none"}, "choose auto or manual"),
        ({"curriculum_agent_warm_up": "biome"}, "must be a dictionary"),
        ({"ckpt_dir": "missing", "resume": True}, "is not a checkpoint"),
    ],
)
def test_a_wrong_parameter_is_one_clear_error(parameters: dict[str, Any], why: str) -> None:
    with pytest.raises(UsageError, match=why) as caught:
        Voyager(**parameters)
    assert "\n" not in str(caught.value)


def test_nothing_is_overwritten_and_no_foreign_library_is_opened(tmp_path: Path) -> None:
    voyagers(tmp_path)
    with pytest.raises(UsageError, match="not empty; go on from it with resume=True"):
        Voyager(ckpt_dir=str(tmp_path))
    with pytest.raises(UsageError, match="not empty; go on from it with resume=True"):
        Voyager(ckpt_dir=str(tmp_path / "skill" / "skills.json"))
    with pytest.raises(UsageError, match="needs a task or sub_goals"):
        Voyager(mc_port=25565, azure_login=None, skill_manager_retrieval_top_k=5).inference()
