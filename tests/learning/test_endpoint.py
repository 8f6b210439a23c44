"""Learning from a model over a real socket: what each role is sent, and every kind of answer that models give."""

from __future__ import annotations

import json
from collections import defaultdict
from typing import Any

import pytest

from tests.brains.stand_in import Reply, StandIn, fault, streamed, whole
from tests.brains.test_roles import own_file
from tests.commands.programs import with_programs
from tests.conftest import Place, kinds

pytestmark = pytest.mark.sampled(5)

ROLES = ("action", "curriculum", "question", "critic", "describe")
PLANKS = "async function craftOakPlanks(bot) {\n  await craftItem(bot, 'oak_planks', 1)\n}"
THROWS = "async function craftOakPlanks(bot) {\n  bot.chat('I begin')\n  throw new Error('no luck')\n}"
GOOD = {
    "action": f"Plan:\n1) craft\nCode:\n```javascript\n{PLANKS}\n```",
    "curriculum": "Reasoning: wood is there.\nTask: Craft 4 oak_planks",
    "question": "Answer: Craft them of logs.",
    "critic": '{"reasoning": "r", "success": true, "critique": ""}',
    "describe": "It crafts oak planks.",
}


class Model:
    """The endpoint. `queue` holds the next answers of a role; after them it answers well."""

    def __init__(self, stand_in: StandIn) -> None:
        self.stand_in = stand_in
        self.queue: dict[str, list[str | Reply]] = defaultdict(list)
        stand_in.refuse = self._answer

    def _answer(self, request: dict[str, Any]) -> Reply:
        role = request["model"]
        reply = self.queue[role].pop(0) if self.queue[role] else GOOD[role]
        return streamed(reply) if isinstance(reply, str) else reply

    def asked(self, role: str) -> list[str]:
        """What a role was sent, each prompt as one text."""
        requests = [each for each in self.stand_in.requests if each["model"] == role]
        return ["\n".join(message["content"] for message in each["messages"]) for each in requests]


@pytest.fixture
def model(stand_in: StandIn) -> Model:
    return Model(stand_in)


def learn(place: Place, model: Model, *arguments: str, inventory: str = "oak_log=4") -> list[dict[str, Any]]:
    own_file(place.folder, "".join(f'[models.{role}]\nmodel = "{role}"\n' for role in ROLES))
    done = place.run(
        "learn", "--world", "crafting", "--inventory", inventory, "--continuous", "--json",
        *(arguments or ("--iterations", "1")), OPENAI_BASE_URL=model.stand_in.url, OPENAI_RETRIES="1",
        **with_programs(),
    )  # fmt: skip
    assert "Traceback" not in done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def outcomes(events: list[dict[str, Any]]) -> list[str]:
    return [event["outcome"] for event in kinds(events, "attempt")]


def test_each_role_is_asked_for_its_part(place: Place, model: Model) -> None:
    events = learn(place, model)
    assert outcomes(events) == ["goal"]
    assert events[-1]["tokens"] > 0
    prompt = model.asked("action")[0]
    parts = [
        "Code from the last round:", "Execution error:", "Chat log:", "oak_log",
        'Task: <data source="task">\nCraft 4 oak_planks',
        'Context: <data source="context">\nQuestion: How to craft 4 oak planks in Minecraft?', "Critique:",
    ]  # fmt: skip
    places = [prompt.rindex(part) for part in parts]
    assert places == sorted(places), "Voyager's order"
    assert "exploreUntil(bot, direction" in prompt
    assert "Completed tasks so far: none" in model.asked("curriculum")[0]
    assert PLANKS in model.asked("describe")[0]


def test_the_next_try_is_told_the_program_its_error_and_what_it_said(place: Place, model: Model) -> None:
    model.queue["action"] = [GOOD["action"].replace(PLANKS, THROWS)]
    model.queue["critic"] = ['{"success": false, "critique": "Use the logs."}']
    events = learn(place, model, "--iterations", "2")
    assert outcomes(events) == ["program", "goal"]
    second = model.asked("action")[1]
    for told in (
        "throw new Error('no luck')",
        "It threw at line 3",
        "I begin",
        'Critique: <data source="critique">\nUse the logs.',
    ):
        assert told in second


@pytest.mark.parametrize(
    ("flag", "hidden", "shown"),
    [("--no-show-errors", "It threw at line 3", "I begin"), ("--no-chat-log", "- I begin", "It threw at line 3")],
)
@pytest.mark.full
def test_an_ablation_hides_its_part_from_the_model(
    place: Place, model: Model, flag: str, hidden: str, shown: str
) -> None:
    model.queue["action"] = [GOOD["action"].replace(PLANKS, THROWS.replace("I begin", "- I begin"))]
    learn(place, model, "--iterations", "2", flag)
    second = model.asked("action")[1]
    now = second[second.index("Execution error:") :]
    assert hidden not in now
    assert shown in now


NOT_A_PROGRAM, NO_TASK, NO_VERDICT = "holds no program", 'had no line "Task: ..."', "holds no JSON object"
NO_WORDS = "it names nothing of what the program does"
REFUSAL = whole(None, refusal="I can't help with that.")
SCENARIOS: list[tuple[str, str | Reply, str]] = [
    ("action", "Use a table.", NOT_A_PROGRAM),
    ("action", "```javascript\nasync function craft(bot) { await craftItem(bot, 'x' }\n```", "cannot be read"),
    ("action", REFUSAL, NOT_A_PROGRAM),
    ("action", "你可以砍一棵树。", NOT_A_PROGRAM),
    ("action", "", NOT_A_PROGRAM),
    ("action", "Code:\n```javascript\nasync function craftOakPlanks(bot) {\n  await craft", NOT_A_PROGRAM),
    ("action", '{"command": {"name": "delete_file", "args": {"file": "x"}}}', NOT_A_PROGRAM),
    ("curriculum", "Mach etwas mit Holz.", NO_TASK),
    ("curriculum", '{"task": "Craft 4 oak_planks"}', NO_TASK),
    ("curriculum", REFUSAL, "I can't help with that."),
    ("curriculum", "你可以砍一棵树。", NO_TASK),
    ("curriculum", "", NO_TASK),
    ("curriculum", "Task: Craft 1 copper_sword", "there is no item 'copper_sword'"),
    ("curriculum", "Task: Craft 1 diamond_pickaxe", "it is impossible"),
    ("curriculum", "Task: Collect 2 oak_log", "it is reached already (oak_log: have 4, need 2)"),
    ("critic", "It is done.", NO_VERDICT),
    ("critic", '{"success": "yes"}', 'its "success" is not true or false'),
    ("critic", REFUSAL, "I can't help with that."),
    ("critic", "任务已经完成。", NO_VERDICT),
    ("critic", "", NO_VERDICT),
    ("describe", "I'm sorry, but I can't help with that.", "it is an apology"),
    ("describe", REFUSAL, "I can't help with that."),
    ("describe", "对不起，我不能。", NO_WORDS),
    ("describe", "", NO_WORDS),
    ("question", REFUSAL, "I can't help with that."),
    ("question", "", "it was empty"),
]
"""Role, an answer that it cannot use, and what its next prompt says of it."""


@pytest.mark.parametrize(("role", "bad", "why"), SCENARIOS)
@pytest.mark.sampled(1)
def test_an_answer_that_cannot_be_used_is_asked_for_again_with_the_reason(
    place: Place, model: Model, role: str, bad: str | Reply, why: str
) -> None:
    model.queue[role] = [bad]
    if role == "critic":
        model.queue["curriculum"] = ["Task: Admire the wood"]
    events = learn(place, model)
    first, second = model.asked(role)[:2]
    assert why not in first and why in second, second
    acts = [event["command"] for event in kinds(events, "intent") if event["agent"] == "main"]
    assert acts == ["run_program", "save_skill"]
    assert kinds(events, "attempt")[-1]["outcome"] == "goal"
    assert "craftOakPlanks" in place.run("skills", "list").stdout


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.sampled(1)
def test_an_answer_that_is_cut_off_gets_more_room_and_costs_no_try(place: Place, model: Model, role: str) -> None:
    model.queue[role] = [streamed("", finish="length")]
    if role == "critic":
        model.queue["curriculum"] = ["Task: Admire the wood"]
    events = learn(place, model)
    assert outcomes(events) == ["goal"]
    asked = [each for each in model.stand_in.requests if each["model"] == role]
    rooms = [each.get("max_completion_tokens") or each["max_tokens"] for each in asked]
    assert rooms[:2] == [2_000, 8_000]
    assert asked[0]["messages"] == asked[1]["messages"], "nothing was wrong with the words"


@pytest.mark.parametrize("role", ["action", "curriculum", "critic"])
@pytest.mark.sampled(1)
def test_a_model_that_is_always_cut_off_ends_the_run_and_no_task_is_too_hard(
    place: Place, model: Model, role: str
) -> None:
    model.queue[role] = [streamed("", finish="length") for _ in range(9)]
    if role == "critic":
        model.queue["curriculum"] = ["Task: Admire the wood"]
    events = learn(place, model)
    end = events[-1]
    assert (end["reason"], end["exit"]) == ("limit", 3)
    assert f"larger models.{role}.reply_tokens or a lower models.{role}.effort" in end["why"]
    assert not any(event["over"] for event in kinds(events, "attempt"))
    assert len(model.asked(role)) == (4 if role == "action" else 2)
    model.queue.clear()
    more = {"OPENAI_BASE_URL": model.stand_in.url, **with_programs()}
    done = place.run("learn", "--resume", "last", "--continuous", "--json", **more)
    assert done.returncode == 0, done.stderr
    assert outcomes(place.events())[-1] == "goal" and len(kinds(place.events(), "task")) == 1


@pytest.mark.parametrize("role", ["question", "describe"])
@pytest.mark.sampled(1)
def test_a_run_goes_on_without_an_answer_that_only_helps(place: Place, model: Model, role: str) -> None:
    model.queue[role] = [streamed("", finish="length") for _ in range(9)]
    assert outcomes(learn(place, model)) == ["goal"]
    assert len(model.asked(role)) == 2
    assert "Answer: " not in model.asked("action")[0] or role != "question"


@pytest.mark.parametrize(
    ("answer", "success"),
    [
        ('```json\n{"success": true}\n```', True),
        ("{'reasoning': 'it has planks', 'success': True, 'critique': '',}", True),
        ('<think>{"success": true}</think>{"success": false, "critique": "no"}', False),
        ('{"success": "yes"}', None),
        ("Oui.", None),
    ],
)
@pytest.mark.sampled(1)
def test_a_verdict_counts_only_where_it_can_be_read(
    place: Place, model: Model, answer: str, success: bool | None
) -> None:
    model.queue["curriculum"] = ["Task: Admire the planks"]
    model.queue["critic"] = [answer] * 5
    [attempt] = kinds(learn(place, model), "attempt")
    assert (attempt["world"], attempt["model"]) == ("cannot tell", success)
    assert attempt["outcome"] == ("goal" if success else "critic")
    assert (attempt["critique"] == "The critic's answers could not be read.") == (success is None)
    assert "What the bot did by itself: nothing" in model.asked("critic")[0]


@pytest.mark.full
def test_a_fault_of_the_network_is_no_failure_of_the_task(place: Place, model: Model) -> None:
    model.queue["action"] = [fault(400, "no")] * 3
    events = learn(place, model)
    assert outcomes(events) == []
    assert events[-1]["reason"] == "error"
    model.queue.clear()
    done = place.run(
        "learn", "--resume", "last", "--continuous", "--json", OPENAI_BASE_URL=model.stand_in.url, **with_programs()
    )
    assert done.returncode == 0, done.stderr
    assert outcomes(place.events()) == ["goal"], "the same task goes on"
    assert len(kinds(place.events(), "task")) == 1


def test_questions_are_asked_once_and_remembered(place: Place, model: Model) -> None:
    learn(place, model)
    learn(place, model)
    assert len(model.asked("question")) == 1


def test_a_budget_of_a_role_ends_the_run_with_what_to_set(place: Place, model: Model) -> None:
    own = "".join(f'[models.{role}]\nmodel = "{role}"\n' for role in ROLES)
    own_file(place.folder, f"{own}max_tokens = 20\n")
    done = place.run(
        "learn", "--world", "crafting", "--inventory", "oak_log=4", "--continuous", "--iterations", "1",
        OPENAI_BASE_URL=model.stand_in.url, **with_programs(),
    )  # fmt: skip
    assert done.returncode == 3
    assert "models.describe.max_tokens" in done.stdout


def test_after_fifteen_tasks_the_curriculum_asks_itself_as_voyager_does(place: Place, model: Model) -> None:
    """Three questions about the biome and ten of the model's, of which five answers are shown."""
    ckpt = place.folder / "ckpt" / "curriculum"
    ckpt.mkdir(parents=True)
    (ckpt / "completed_tasks.json").write_text(json.dumps([f"Craft {n} ladder" for n in range(1, 16)]))
    model.queue["question"] = ["\n".join(f"Question {n}: What is thing {n}?" for n in range(1, 15))]
    learn(place, model, "--from-ckpt", str(place.folder / "ckpt"), "--iterations", "1")
    asked = model.asked("question")
    assert "You help to choose the next task" in asked[0]
    answered = [prompt.partition("Question: ")[2] for prompt in asked[1:] if "You answer a question" in prompt]
    about = [text for text in answered if "How to" not in text]
    assert len(about) == 3 + 10
    for thing, text in zip(("blocks", "items", "mobs"), about, strict=False):
        assert f"What are the {thing} that I can find in the place where I am in Minecraft?" in text
    proposal = model.asked("curriculum")[0]
    assert proposal.count("\nQuestion: ") == 5
    assert "What is thing 2?" in proposal and "What is thing 3?" not in proposal
