"""A client's calls are commands of the run: listed, shown to the person, judged, journaled and carried out."""

from __future__ import annotations

import asyncio
import json
import re
import shlex
from typing import Any

import pytest

from tests.conftest import ROOT, STONE_PICKAXE, Place, kinds
from tests.mcp.clients import RUN, Person, connected, over_stdio, says, steps_in, text_of, values
from tests.waiting import PATIENCE, until

CRAFT = {"name": "oak_planks", "count": 4}
NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")


@pytest.mark.parametrize(
    ("way", "era"),
    [
        ("stdio", "auto"),
        ("http", "legacy"),
        pytest.param("stdio", "legacy", marks=pytest.mark.full),
        pytest.param("http", "auto", marks=pytest.mark.full),
    ],
)
@pytest.mark.sampled(1)
def test_a_client_crafts_a_stone_pickaxe_with_approvals(place: Place, way: str, era: str) -> None:
    person = says(RUN)

    async def play() -> None:
        async with connected(way, place, *STONE_PICKAXE, person=person, mode=era) as client:
            for step in steps_in(await client.call_tool("next_steps", {})):
                done = await client.call_tool(step["name"], step["args"])
                assert not done.is_error and values(done)["outcome"] == "done", text_of(done)
            assert values(done)["inventory"]["stone_pickaxe"] == 1
            over = await client.call_tool("task_complete", {"reason": "it is held"})
            assert not over.is_error
            late = await client.call_tool("do_nothing", {})
            assert late.is_error and values(late)["outcome"] == "over" and "--resume" in text_of(late)
            looked = await client.call_tool("observe", {})
            assert "stone_pickaxe" in values(looked)["data"]

    asyncio.run(play())
    events = place.events()
    called = [event["command"] for event in kinds(events, "intent")]
    assert called == ["next_steps", "craft_item", "craft_item", "craft_item", "task_complete"]
    assert {event["role"] for event in kinds(events, "answer")} == {"mcp"}
    decided = [(event["command"], event["by"]) for event in kinds(events, "decision")]
    assert decided == [(name, "person") for name in called]
    assert all(event["why"].startswith("in a form of ") for event in kinds(events, "decision"))
    assert [event["command"] for event in kinds(events, "question")] == called
    assert len(person.forms) == len(called) and all("COMMAND = " in form for form in person.forms)
    (end,) = kinds(events, "end")
    assert (end["reason"], end["turns"]) == ("goal_reached", len(called))
    assert place.run("report").stdout.count("NEXT ACTION") == len(called)


def test_tools_are_the_commands_with_names_schemas_and_hints_that_clients_accept(place: Place) -> None:
    async def play() -> None:
        async with over_stdio(place, "craft 1 stick") as client:
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert all(NAME.fullmatch(name) for name in tools)
        assert {"observe", "plan_item", "next_steps", "craft_item", "task_complete"} <= set(tools)
        assert "undo" not in tools
        assert [name for name, tool in tools.items() if tool.output_schema] == ["observe"], "it is sent once"
        craft = tools["craft_item"]
        assert craft.input_schema["required"] == ["name"] and not craft.input_schema["additionalProperties"]
        hints: dict[str, Any] = {name: each.annotations for name, each in tools.items()}
        assert hints["plan_item"].read_only_hint and not hints["plan_item"].destructive_hint
        assert not hints["craft_item"].read_only_hint and not hints["craft_item"].destructive_hint
        assert hints["delete_file"].destructive_hint and hints["google"].open_world_hint

    asyncio.run(play())


@pytest.mark.full
def test_without_a_goal_there_is_nothing_to_complete(place: Place) -> None:
    async def play() -> None:
        async with over_stdio(place, "--auto-look") as client:
            names = {tool.name for tool in (await client.list_tools()).tools}
            assert "craft_item" in names and not names & {"task_complete", "impossible"}
            planned = await client.call_tool("next_steps", {"goal": "craft 1 stick"})
            assert steps_in(planned)

    asyncio.run(play())


@pytest.mark.parametrize("era", [pytest.param("legacy", marks=pytest.mark.full), "auto"])
def test_words_refuse_a_call_and_reach_the_client(place: Place, era: str) -> None:
    person = says({"decision": "refuse", "words": "make sticks instead"}, "decline", "cancel", {"decision": "refuse"})

    async def play() -> list[str]:
        async with over_stdio(place, *STONE_PICKAXE, person=person, mode=era) as client:
            results = [await client.call_tool("craft_item", CRAFT) for _ in range(4)]
        assert all(result.is_error and values(result)["outcome"] == "refused" for result in results)
        assert values(results[0])["words"] == "make sticks instead"
        return [text_of(result) for result in results]

    texts = asyncio.run(play())
    assert "The person says: make sticks instead" in texts[0]
    for text, why in zip(texts[1:], ("declined", "closed the question", "refused it"), strict=True):
        assert f"The command craft_item was not run: the person {why}." in text
    events = place.events()
    assert kinds(events, "intent") == []
    assert [event["kind"] for event in kinds(events, "decision")] == ["refuse"] * 4
    assert kinds(events, "decision")[0]["feedback"] == "make sticks instead"


@pytest.mark.full
def test_a_remark_with_a_yes_and_another_goal_reach_the_client(place: Place) -> None:
    person = says(
        {"decision": "remark", "words": "not the oak"}, {"decision": "refuse", "words": "goal: craft 2 stick"}
    )

    async def play() -> None:
        async with over_stdio(place, *STONE_PICKAXE, person=person) as client:
            done = await client.call_tool("craft_item", CRAFT)
            assert (values(done)["outcome"], values(done)["words"]) == ("done", "not the oak")
            refused = await client.call_tool("craft_item", CRAFT)
            assert (values(refused)["outcome"], values(refused)["words"]) == (
                "refused",
                "The goal is now: craft 2 stick",
            )
            assert "it was proposed for the earlier goals" in text_of(refused)

    asyncio.run(play())
    assert "another goal" not in person.forms[0] and "With remark: the command runs" in str(person.schemas[0])


@pytest.mark.full
def test_the_person_edits_the_arguments_and_allows_a_command_for_good(place: Place) -> None:
    edited = {"arguments": json.dumps({"name": "oak_planks", "count": 8})}
    person = says({"decision": "edit"}, edited, RUN, {"decision": "always"})

    async def play() -> None:
        async with over_stdio(place, *STONE_PICKAXE, person=person) as client:
            done = await client.call_tool("craft_item", CRAFT)
            assert values(done)["inventory"]["oak_planks"] == 8
            for _ in range(2):
                assert not (await client.call_tool("craft_item", {"name": "stick", "count": 4})).is_error

    asyncio.run(play())
    assert (
        len(person.forms) == 4
    )  # the question, the arguments, the edited question, and one that allows sticks for good
    assert '"count": 8' in person.forms[2]
    decisions = kinds(place.events(), "decision")
    assert decisions[0]["edited"] == {"count": [4, 8]} and decisions[1]["always"] and decisions[2]["by"] == "allowed"


@pytest.mark.full
def test_a_client_without_forms_needs_a_rule_a_permission_or_a_terminal(place: Place) -> None:
    policy = place.folder / "rules.toml"
    policy.write_text('[[policy.rule]]\ncommand = "craft_item"\nargs = { name = "oak_planks" }\nthen = "allow"\n')

    async def play() -> None:
        async with over_stdio(place, *STONE_PICKAXE, "--auto-look", "--policy", str(policy)) as client:
            assert not (await client.call_tool("next_steps", {})).is_error
            assert not (await client.call_tool("craft_item", CRAFT)).is_error
            refused = await client.call_tool("craft_item", {"name": "stick", "count": 4})
            assert refused.is_error
            assert all(way in text_of(refused) for way in ("--policy", "--auto-look", "--attach"))

    asyncio.run(play())
    assert [event["by"] for event in kinds(place.events(), "decision")] == ["auto-look", "policy", "nobody"]


@pytest.mark.full
def test_the_person_may_forbid_that_the_client_asks(place: Place) -> None:
    person = says(RUN)

    async def play() -> None:
        async with over_stdio(place, *STONE_PICKAXE, "--approve", "terminal", person=person) as client:
            assert (await client.call_tool("craft_item", CRAFT)).is_error

    asyncio.run(play())
    assert person.forms == []


@pytest.mark.parametrize(
    ("answer", "why"),
    [("fault", "the client sent no answer of the person"), ({"decision": ["run"]}, "the answer was not clear")],
    ids=["fault", "list"],
)
@pytest.mark.full
def test_a_client_whose_form_fails_has_not_answered_for_the_person(place: Place, answer: Any, why: str) -> None:
    async def play() -> str:
        async with over_stdio(place, *STONE_PICKAXE, person=says(answer), mode="legacy") as client:
            return text_of(await client.call_tool("craft_item", CRAFT))

    assert f"was not run: {why}" in asyncio.run(play())
    assert [event["by"] for event in kinds(place.events(), "decision")] == ["nobody"]


@pytest.mark.full
@pytest.mark.parametrize("era", ["legacy", "auto"])
def test_a_question_that_nobody_answers_refuses_the_call(place: Place, era: str) -> None:
    async def play() -> None:
        patience = {"AUTOCRAFT_QUESTION_SECONDS": "0.2"}
        async with over_stdio(place, *STONE_PICKAXE, person=says("silence"), mode=era, **patience) as client:
            if era == "legacy":
                result = await client.call_tool("craft_item", CRAFT)
                assert "nobody answered" in text_of(result)
            else:
                await client.session.call_tool("craft_item", CRAFT, allow_input_required=True)
            assert not (await client.call_tool("observe", {})).is_error
            until(lambda: kinds(place.events(), "decision"))

    asyncio.run(play())
    (decision,) = kinds(place.events(), "decision")
    assert (decision["kind"], decision["by"]) == ("refuse", "nobody")


@pytest.mark.full
def test_a_question_of_a_command_is_answered_in_words(place: Place) -> None:
    person = says({"words": "y"})

    async def play() -> None:
        async with over_stdio(place, *STONE_PICKAXE, person=person) as client:
            asked = await client.call_tool("ask_human", {"question": "Which wood?"})
            assert values(asked)["words"] == "y" and "Which wood?" in person.forms[0]

    asyncio.run(play())


@pytest.mark.full
@pytest.mark.parametrize("era", ["legacy", "auto"])
def test_a_cancelled_call_is_interrupted_and_the_next_one_is_served(place: Place, era: str) -> None:
    async def play() -> None:
        async with over_stdio(place, *STONE_PICKAXE, "--continuous", mode=era) as client:
            call = asyncio.create_task(client.call_tool("wait", {"seconds": 600}))
            await asyncio.to_thread(until, lambda: kinds(place.events() if place.state.exists() else [], "intent"))
            call.cancel()
            await asyncio.wait([call])
            await asyncio.to_thread(until, lambda: kinds(place.events(), "result"))
            assert not (await client.call_tool("craft_item", CRAFT)).is_error

    asyncio.run(play())
    first, second = kinds(place.events(), "result")
    assert not first["ok"] and "Interrupted" in first["text"] and second["ok"]


@pytest.mark.full
def test_a_long_command_reports_its_progress(place: Place) -> None:
    (place.folder / "workspace").mkdir()
    told = place.folder / "told"
    script = f"""import os, time
print('half of it is done', flush=True)
while not os.path.exists({str(told)!r}):
    time.sleep(0.01)
"""
    (place.folder / "workspace" / "slow.py").write_text(script)
    heard: list[str] = []
    env: dict[str, Any] = {"AUTOCRAFT_CODE_SECONDS": f"{PATIENCE}"}
    env["AUTOCRAFT_CODE_PROTECTION"] = "none"  # so that the program sees `told`

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        heard.append(message or "")
        told.touch()

    async def play() -> None:
        async with over_stdio(place, *STONE_PICKAXE, "--continuous", **env) as client:
            done = await client.call_tool("execute_python_file", {"file": "slow.py"}, progress_callback=hear)
            assert "half of it is done" in text_of(done)

    asyncio.run(play())
    assert any("half of it is done" in line for line in heard)


@pytest.mark.full
def test_budgets_hold_for_a_client(place: Place) -> None:
    async def play() -> None:
        async with over_stdio(place, *STONE_PICKAXE, "--continuous", "--max-steps", "1") as client:
            assert not (await client.call_tool("craft_item", CRAFT)).is_error
            over = await client.call_tool("craft_item", CRAFT)
            assert values(over)["outcome"] == "over" and "--max-steps" in text_of(over)

    asyncio.run(play())
    assert [event["reason"] for event in kinds(place.events(), "end")] == ["limit"]


@pytest.mark.full
def test_a_wrong_call_says_what_is_wrong(place: Place) -> None:
    async def play() -> None:
        async with over_stdio(place, *STONE_PICKAXE, person=person) as client:
            wrong = await client.call_tool("craft_item", {"nam": "stick"})
            assert values(wrong)["outcome"] == "invalid" and "did you mean" in text_of(wrong).lower()
            for name, args, why in (
                ("craft_item", {"name": "oak_plonks"}, "there is no item 'oak_plonks'"),
                ("edit_file", {"file": "x.py", "old": "a", "new": "b"}, "x.py"),
            ):
                wrong = await client.call_tool(name, args)
                assert values(wrong)["outcome"] == "invalid" and f"{name} would fail: " in text_of(wrong)
                assert why in text_of(wrong)
            assert person.forms == [], "nobody is asked about what must fail"
            done = await client.call_tool("craft_item", CRAFT)
            assert values(done)["outcome"] == "done" and len(person.forms) == 1, "the control"

    person = Person([RUN])
    asyncio.run(play())
    assert [event["ok"] for event in kinds(place.events(), "reply")] == [False, False, False, True]


@pytest.mark.full
def test_resources_and_the_prompt(place: Place) -> None:
    async def play() -> None:
        async with over_stdio(place, *STONE_PICKAXE, "--continuous", "--images") as client:
            await client.call_tool("craft_item", CRAFT)
            listed = {resource.name: str(resource.uri) for resource in (await client.list_resources()).resources}
            assert set(listed) == {"inventory", "observation", "report", "journal", "plan", "picture"}
            found = {name: (await client.read_resource(uri)).contents[0] for name, uri in listed.items()}
            texts = {name: getattr(each, "text", "") for name, each in found.items()}
            assert json.loads(texts["inventory"])["oak_planks"] == 4
            assert "craft_item" in texts["report"] and '"type": "intent"' in texts["journal"]
            assert "stone_pickaxe" in texts["plan"] and "<data" in texts["observation"]
            assert getattr(found["picture"], "blob", "").startswith("iVBOR")
            assert (await client.list_resource_templates()).resource_templates == []
            prompt = await client.get_prompt("play", {"goal": "craft 1 stick"})
            assert "craft 1 stick" in getattr(prompt.messages[0].content, "text", "")

    asyncio.run(play())


@pytest.mark.full
@pytest.mark.parametrize("era", ["legacy", "auto"])
def test_calls_at_the_same_time_are_asked_and_carried_out_one_after_another(place: Place, era: str) -> None:
    person = says(RUN)

    async def play() -> None:
        async with over_stdio(place, *STONE_PICKAXE, person=person, mode=era) as client:
            results = await asyncio.gather(*(client.call_tool("craft_item", CRAFT) for _ in range(3)))
            assert [values(result)["outcome"] for result in results] == ["done"] * 3

    asyncio.run(play())
    types = [event["type"] for event in kinds(place.events(), "question", "intent", "result")]
    assert types == ["question", "intent", "result"] * 3
    assert kinds(place.events(), "result")[-1]["world"] is not None and len(person.forms) == 3


def test_the_lines_for_the_clients_start_the_same_command() -> None:
    """The page has shell commands that end with it, and the JSON of settings."""
    page = (ROOT / "docs" / "mcp.md").read_text(encoding="utf-8").partition("## Who approves")[0]
    found = []
    for line in re.findall(r"`([^`]*autocraft[^`]*world[^`]*)`", page):
        text = line if line.startswith("{") else shlex.split(line)[-1]
        if text.startswith("{"):
            said = json.loads(text)
            table = said.get("mcpServers", {"autocraft": said})["autocraft"]
            found.append([table["command"], *table["args"]])
        else:
            found.append(shlex.split(line.partition(" -- ")[2]))
    assert found == [["autocraft", "mcp", "--world", "minecraft"]] * 4
