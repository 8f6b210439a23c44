"""`Voyager`, the class of the original README: its parameters, `learn`, `inference` and `decompose_task`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from autocraft import UsageError, Voyager
from autocraft.learning.ckpt import read_ckpt
from autocraft.learning.voyager import FIXED, OWN, SETTINGS, UNUSED
from autocraft.settings.config import Config
from autocraft.settings.fields import kinds
from autocraft.settings.roles import RoleSettings
from autocraft.settings.settings import Settings
from tests.commands.programs import with_programs
from tests.conftest import Place
from tests.learning.test_ckpt import voyagers
from tests.learning.test_learning import ANSWER, DESCRIPTION, PLANKS, STICKS, program, said, task

PARAMETERS = (
    *("mc_port", "azure_login", "server_port", "openai_api_key", "env_wait_ticks", "env_request_timeout"),
    *("max_iterations", "reset_placed_if_failed", "action_agent_model_name", "action_agent_temperature"),
    *("action_agent_task_max_retries", "action_agent_show_chat_log", "action_agent_show_execution_error"),
    *("curriculum_agent_model_name", "curriculum_agent_temperature", "curriculum_agent_qa_model_name"),
    *("curriculum_agent_qa_temperature", "curriculum_agent_warm_up", "curriculum_agent_core_inventory_items"),
    *("curriculum_agent_mode", "critic_agent_model_name", "critic_agent_temperature", "critic_agent_mode"),
    *("skill_manager_model_name", "skill_manager_temperature", "skill_manager_retrieval_top_k"),
    *("openai_api_request_timeout", "ckpt_dir", "skill_library_dir", "resume"),
)
"""All parameters of Voyager's own class."""


def scripted(place: Place, code: str, *answers: Any) -> Any:
    """Run a program with a scripted brain in the crafting world. Return the JSON that it prints last."""
    script = place.script(*answers)
    options = {"world": "crafting", "inventory": "oak_log=4", "brain": "scripted", "script": script, "continuous": True}
    begin = f"import json\nfrom autocraft import UsageError, Voyager\noptions = {options!r}\n"
    done = place.python("-c", begin + code, **with_programs())
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_every_parameter_of_voyagers_is_taken_and_names_a_setting_that_there_is() -> None:
    assert sorted(PARAMETERS) == sorted([*SETTINGS, *UNUSED, *FIXED, *OWN])
    for full in SETTINGS.values():
        section, _, name = full.rpartition(".")
        assert name in [field.name for field in kinds([section])[section].__dataclass_fields__.values()], full  # type: ignore[attr-defined]


def test_a_model_of_a_role_and_the_key_reach_their_settings_and_the_key_is_masked(tmp_path: Path) -> None:
    made = Voyager(openai_api_key="sk-0123456789abcdef", action_agent_model_name="big", critic_agent_temperature=0.1)
    config = Config(Settings(made._flags, {}, folder=tmp_path))
    assert config.models["action"].model == "big"
    assert config.models["critic"] == RoleSettings(temperature=0.1)
    assert config.openai.api_key == "sk-0123456789abcdef"
    assert "0123456789abcdef" not in config.mask.text("the key is sk-0123456789abcdef")


def test_learning_keeps_skills_and_writes_the_folder(place: Place) -> None:
    code = """voyager = Voyager(ckpt_dir="ckpt", max_iterations=2, action_agent_task_max_retries=2, options=options)
found = voyager.learn()
try:
    voyager.inference("Craft 4 stick")
except UsageError as error:
    print(json.dumps([found, str(error)]))"""
    found, refusal = scripted(
        place, code,
        task("Craft 4 oak_planks"), ANSWER, program(PLANKS), DESCRIPTION,
        task("Craft 1 stick"), ANSWER, program(STICKS), DESCRIPTION,
    )  # fmt: skip
    assert found["completed_tasks"] == ["Craft 4 oak_planks", "Craft 1 stick"] and found["failed_tasks"] == []
    assert found["skills"] == ["craftOakPlanks", "craftSticks"]
    assert [event["options"]["tries"] for event in place.events() if event["type"] == "goal"] == [2]
    written = read_ckpt(place.folder / "ckpt")
    assert written.completed == found["completed_tasks"] and written.iteration == 2
    assert [each.name for each in written.skills] == ["craftOakPlanks", "craftSticks"]
    assert "not empty; go on from it" in refusal, "a second run that could not write it does not begin"
    assert list(written.questions.values()) == ["Answer: With planks."] * 2


def test_a_folder_of_voyagers_is_gone_on_from(place: Place) -> None:
    voyagers(place.folder / "ckpt")
    code = """voyager = Voyager(ckpt_dir="ckpt", resume=True, max_iterations=4, options=options)
print(json.dumps(voyager.learn()))"""
    found = scripted(place, code, task("Craft 4 oak_planks"), ANSWER, program(PLANKS), DESCRIPTION)
    assert found["completed_tasks"] == ["Mine 1 wood log", "Craft 1 crafting table", "Craft 4 oak_planks"]


def test_inference_solves_given_sub_goals_and_keeps_no_skill(place: Place) -> None:
    code = """voyager = Voyager(options=options)
print(json.dumps(voyager.inference(sub_goals=["Craft 4 oak_planks"])))"""
    found = scripted(place, code, ANSWER, program(PLANKS))
    assert found == {"completed_tasks": ["Craft 4 oak_planks"], "failed_tasks": [], "skills": []}


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
        ({"curriculum_agent_warm_up": {"context": 3}}, "leave it out"),
        ({"skill_manager_retrieval_top_k": 3}, "leave it out"),
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
    with pytest.raises(UsageError, match="autocraft skills import"):
        Voyager(skill_library_dir=str(tmp_path))
    with pytest.raises(UsageError, match="needs a task or sub_goals"):
        Voyager(mc_port=25565, azure_login=None, skill_manager_retrieval_top_k=5).inference()
