"""Helpers: sub-agents with turns of their own, asked through the same gate, kept in the same journal."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from tests.brains.stand_in import StandIn, streamed
from tests.conftest import Place, kinds

pytestmark = pytest.mark.sampled(10)

START = ("start_agent", {"name": "scout", "task": "count the logs", "prompt": "Look and tell."})
DONE = ("do_nothing", {"reason": "enough"})


def says(role: str, command: str, **args: Any) -> dict[str, Any]:
    """A line of the script for one role."""
    answer = {"thoughts": {"text": f"I use {command}."}, "command": {"name": command, "args": args}}
    return {"role": role, "text": json.dumps(answer)}


def run(place: Place, *script: Any, stdin: str = "", arguments: tuple[str, ...] = (), **env: str) -> Any:
    args = ["run", "--goal", "craft 1 stick", "--brain", "scripted", "--script", place.script(*script), *arguments]
    return place.run(*args, stdin=stdin, **env)


CONTINUOUS = ("--continuous", "--max-steps", "4")


def test_a_helper_looks_replies_and_is_spoken_to_again(place: Place) -> None:
    run(
        place,
        START,
        ("message_agent", {"key": 1, "message": "and the planks?"}),
        ("list_agents", {}),
        ("delete_agent", {"key": 1}),
        says("fast", "show_inventory"),
        says("fast", "reply", text="16 oak_log"),
        says("fast", "reply", text="no planks"),
        arguments=CONTINUOUS,
    )
    events = place.events()
    results = kinds(events, "result")
    assert [(e["agent"], e["command"]) for e in results] == [
        ("scout", "show_inventory"), ("scout", "reply"), ("main", "start_agent"),
        ("scout", "reply"), ("main", "message_agent"), ("main", "list_agents"), ("main", "delete_agent"),
    ]  # fmt: skip
    texts = [e["text"] for e in results if e["agent"] == "main"]
    assert texts[0] == "Agent scout created with key 1. First response: 16 oak_log"
    assert texts[1:] == ["no planks", "1: scout, count the logs", "Agent 1 deleted."]
    assert [e["turn"] for e in kinds(events, "answer")] == [1, 1, 2, 2, 3, 3, 4]
    assert {e["by"] for e in kinds(events, "decision") if e["agent"] == "scout"} == {"continuous", "reply"}


@pytest.mark.parametrize(
    ("name", "args", "why"),
    [
        ("craft_item", {"name": "stick"}, "Unknown command 'craft_item'"),
        ("start_agent", {"name": "b", "task": "t", "prompt": "p"}, "Unknown command 'start_agent'"),
        ("task_complete", {}, "Unknown command 'task_complete'"),
        ("write_to_file", {"file": "a", "text": "b"}, "Unknown command 'write_to_file'"),
    ],
)
def test_a_helper_has_no_body_and_no_helpers(place: Place, name: str, args: dict[str, Any], why: str) -> None:
    run(place, START, says("fast", name, **args), says("fast", "reply", text="so"), arguments=CONTINUOUS)
    [refused] = [e for e in kinds(place.events(), "reply") if e["agent"] == "scout" and not e["ok"]]
    assert refused["error"].startswith(why)
    assert not (place.folder / "workspace" / "a").exists()


def test_a_granted_command_is_asked_about_by_the_helper_s_name(place: Place) -> None:
    granted = ("start_agent", {**START[1], "grants": ["write_to_file"]})
    done = run(
        place,
        granted,
        says("fast", "write_to_file", file="a.txt", text="logs"),
        says("fast", "reply", text="written"),
        stdin="y\ny\nn\n",
    )
    assert "Agent scout wants:\nNEXT ACTION:  COMMAND = write_to_file" in done.stdout
    assert "'n' to stop scout, or enter feedback for scout..." in done.stdout
    assert (place.folder / "workspace" / "a.txt").read_text() == "logs"
    decided = [(e["agent"], e["command"], e["by"]) for e in kinds(place.events(), "decision")]
    assert decided[:2] == [("main", "start_agent", "person"), ("scout", "write_to_file", "person")]
    questions = kinds(place.events(), "question")
    assert "granted: write_to_file" in questions[0]["preview"]
    assert questions[1]["agent"] == "scout"


def test_feedback_goes_to_the_helper_and_n_stops_only_it(place: Place) -> None:
    done = run(
        place,
        START,
        DONE,
        says("fast", "show_inventory"),
        says("fast", "search_recipe", name="stick"),
        stdin="y\nlook up the stick instead\nn\nn\n",
    )
    assert done.returncode == 4
    said = [(e["agent"], e["kind"], e["feedback"]) for e in kinds(place.events(), "decision")]
    assert said[:3] == [
        ("main", "run", ""), ("scout", "refuse", "look up the stick instead"), ("scout", "stop", ""),
    ]  # fmt: skip
    [result] = [e for e in kinds(place.events(), "result") if e["agent"] == "main"]
    assert result["text"] == "Agent scout created with key 1. First response: Agent scout was stopped by the person."


def test_a_rule_can_forbid_what_helpers_do(place: Place) -> None:
    (place.folder / "rules.toml").write_text(
        '[[policy.rule]]\nagent = "sc*"\ncommand = "show_inventory"\nthen = "deny"\n'
    )
    run(
        place,
        START,
        says("fast", "show_inventory"),
        says("fast", "reply", text="it was forbidden"),
        arguments=(*CONTINUOUS, "--policy", "rules.toml"),
    )
    denied = [e for e in kinds(place.events(), "decision") if e["by"] == "policy"]
    assert [(e["agent"], e["kind"]) for e in denied] == [("scout", "refuse")]


def test_a_skill_that_a_rule_let_a_helper_save_is_not_approved_by_the_person(place: Place) -> None:
    """The person approved the helper and has not seen the program, so the skill may not say that they did."""
    (place.folder / "rules.toml").write_text('[[policy.rule]]\ncommand = "save_skill"\nthen = "allow"\n')
    granted = ("start_agent", {**START[1], "grants": ["save_skill"]})
    code = "async function planks(bot) { await craftItem(bot, 'oak_planks', 1); }"
    run(
        place,
        granted,
        says("fast", "save_skill", name="planks", code=code, description="Make planks."),
        says("fast", "reply", text="saved"),
        stdin="y\nn\n",
        arguments=("--policy", "rules.toml"),
    )
    shown = place.run("skills", "history", "planks").stdout
    assert "by scout" in shown and "approved by policy" in shown


def test_a_helper_that_never_replies_is_stopped_at_its_limit(place: Place) -> None:
    recipes = ["stick", "torch", "ladder", "chest", "furnace", "bowl", "door", "sign", "boat", "bed", "lever"]
    run(place, START, *[says("fast", "search_recipe", name=each) for each in recipes], arguments=CONTINUOUS)
    [result] = [e for e in kinds(place.events(), "result") if e["agent"] == "main"]
    assert result["text"].endswith("Agent scout has not replied within its limits (10 turns).")
    assert len([e for e in kinds(place.events(), "answer") if e["agent"] == "scout"]) == 10


@pytest.mark.parametrize(
    ("args", "why"),
    [
        ({"name": "main"}, "'main' cannot be a helper's name"),
        ({"name": "a\u001b[2J"}, "cannot be a helper's name"),
        ({"task": " "}, "there is no task"),
        ({"grants": ["start_agent"]}, "'start_agent' cannot be granted"),
        ({"grants": ["rm -rf"]}, "'rm -rf' cannot be granted"),
    ],
)
def test_what_cannot_be_started_is_said(place: Place, args: dict[str, Any], why: str) -> None:
    run(place, ("start_agent", {**START[1], **args}), arguments=CONTINUOUS)
    [result] = kinds(place.events(), "result")
    assert not result["ok"] and why in result["text"]


def test_there_is_no_agent_of_that_key(place: Place) -> None:
    run(place, ("message_agent", {"key": 7, "message": "hi"}), ("delete_agent", {"key": 7}), arguments=CONTINUOUS)
    assert {e["text"].split(";")[0] for e in kinds(place.events(), "result")} == {"Agent 7 does not exist"}


@pytest.mark.parametrize(
    ("grants", "given"),
    [
        (["craft_item", "craft_item"], "; granted: craft_item"),
        (["write_file", "write_to_file"], "; granted: write_to_file"),
        (["search_files", "list_files"], "show_skill"),
    ],
)
def test_a_grant_may_come_twice_and_under_any_of_its_names(place: Place, grants: list[str], given: str) -> None:
    """A name that was journaled twice could never be resumed."""
    granted = ("start_agent", {**START[1], "grants": grants})
    run(place, granted, DONE, says("fast", "reply", text="so"), stdin="y\nn\n")
    assert kinds(place.events(), "question")[0]["preview"].endswith(given)
    assert [e["ok"] for e in kinds(place.events(), "result")] == [True, True]
    assert place.run("run", "--resume", "last", stdin="n\n").returncode == 4


def test_a_run_is_resumed_where_what_a_helper_was_granted_is_switched_off(place: Place) -> None:
    granted = ("start_agent", {**START[1], "grants": ["write_to_file"]})
    write = says("fast", "write_to_file", file="a", text="b")
    message = ("message_agent", {"key": 1, "message": "now write"})
    run(
        place,
        granted,
        message,
        says("fast", "reply", text="so"),
        write,
        says("fast", "reply", text="no"),
        stdin="y\nn\n",
    )
    done = place.run("run", "--resume", "last", stdin="y\nn\n", DISABLED_COMMAND_CATEGORIES="files")
    assert "Unknown command 'write_to_file'" in done.stdout
    assert not (place.folder / "workspace" / "a").exists()


def test_an_own_command_may_not_be_called_reply(place: Place) -> None:
    (place.folder / "own").mkdir()
    (place.folder / "own" / "mine.py").write_text(
        "from autocraft.protocols import Call, Risk, command\n\n"
        "@command(help='x', risk=Risk.LOOK)\nasync def reply(call: Call) -> str:\n    return ''\n"
    )
    done = place.run("commands", AUTOCRAFT_COMMANDS="own")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "the name 'reply' is one of autocraft's own" in done.stderr


@pytest.mark.parametrize("then", ["ask", "deny"])
def test_no_rule_keeps_a_helper_from_its_reply(place: Place, then: str) -> None:
    (place.folder / "rules.toml").write_text(f'[[policy.rule]]\nagent = "sc*"\nthen = "{then}"\n')
    run(place, START, DONE, says("fast", "reply", text="so"), stdin="y\nn\n", arguments=("--policy", "rules.toml"))
    [result] = [e for e in kinds(place.events(), "result") if e["agent"] == "main"]
    assert result["text"].endswith("First response: so")


def test_quit_at_a_helper_s_question_leaves_and_a_resume_asks_it_again(place: Place) -> None:
    done = run(
        place,
        START,
        DONE,
        says("fast", "show_inventory"),
        says("fast", "reply", text="seen"),
        stdin="y\n/quit\ny\ny\n",
    )
    assert done.returncode == 4 and "COMMAND = do_nothing" not in done.stdout
    done = place.run("run", "--resume", "last", stdin="y\nn\n")
    assert done.stdout.count("Agent scout wants:\nNEXT ACTION:  COMMAND = show_inventory") == 1
    [result] = [e for e in kinds(place.events(), "result") if e["agent"] == "main"]
    assert result["text"].endswith("First response: seen")


@pytest.mark.parametrize("ending", ["/stop", "/budget 0", "resume"])
def test_what_ends_permissions_ends_those_of_helpers(place: Place, ending: str) -> None:
    arguments = (
        START,
        ("message_agent", {"key": 1, "message": "again"}),
        says("fast", "show_inventory"),
        says("fast", "reply", text="so"),
        says("fast", "search_recipe", name="stick"),
    )
    if ending == "resume":
        run(place, *arguments, stdin="y\ny -5\n")
        place.run("run", "--resume", "last", stdin="y\nn\nn\n")
    else:
        run(place, *arguments, stdin=f"y\ny -5\n{ending}\ny\nn\n")
    decided = [(e["command"], e["kind"], e["by"]) for e in kinds(place.events(), "decision") if e["agent"] == "scout"]
    assert decided == [
        ("show_inventory", "run", "person"), ("reply", "run", "reply"), ("search_recipe", "stop", "person"),
    ]  # fmt: skip


def test_stop_ends_what_a_helper_was_always_allowed(place: Place) -> None:
    run(
        place,
        START,
        ("message_agent", {"key": 1, "message": "again"}),
        says("fast", "show_inventory"),
        says("fast", "reply", text="so"),
        says("fast", "show_inventory"),
        stdin="y\na\n/stop\ny\nn\n",
    )
    decided = [(e["kind"], e["by"]) for e in kinds(place.events(), "decision") if e["command"] == "show_inventory"]
    assert decided == [("run", "person"), ("stop", "person")]


def test_a_resume_names_what_a_helper_may_do_without_a_question(place: Place) -> None:
    run(place, START, DONE, says("fast", "show_inventory"), says("fast", "reply", text="so"), stdin="y\na\nn\n")
    begun = place.run("run", "--resume", "last", stdin="n\n").stdout
    assert "Allowed without a question, as you chose: show_inventory by agent scout. /stop ends it." in begun
    assert "You have allowed no command" not in begun


def test_feedback_while_a_helper_thinks_refuses_its_command(place: Place, terminal: Callable[..., Any]) -> None:
    slow = {**says("fast", "append_to_file", file="a.txt", text="x"), "wait_for": "go"}
    script = place.script(("start_agent", {**START[1], "grants": ["append_to_file"]}), DONE, slow)
    child = terminal("run", "--goal", "craft 1 stick", "--brain", "scripted", "--script", script, "--continuous")
    child.expect_exact("to scout")
    child.send("write nothing\r")
    child.expect_exact("Noted: your feedback")
    (place.folder / "go").touch()
    child.expect_exact("Agent scout stopped, since the person said something.")
    child.expect_exact("Resume with")
    assert not (place.folder / "workspace" / "a.txt").exists()
    [refused] = [e for e in kinds(place.events(), "decision") if e["agent"] == "scout"]
    assert (refused["kind"], refused["by"]) == ("refuse", "feedback")


@pytest.mark.parametrize("resumed", [False, True])
def test_ctrl_c_at_a_helper_s_question_pauses(place: Place, terminal: Callable[..., Any], resumed: bool) -> None:
    script = place.script(START, DONE, says("fast", "show_inventory"))
    child = terminal("run", "--goal", "craft 1 stick", "--brain", "scripted", "--script", script)
    child.expect_exact("to authorise command")
    child.expect_exact("Input:")
    child.send("y\r")
    child.expect_exact("to stop scout")
    if resumed:
        child.kill(signal.SIGKILL)
        child.wait()
        child = terminal("run", "--resume", "last")
        child.expect_exact("to stop scout")
    child.expect_exact("Input:")
    child.send("\x03")
    if not resumed:
        child.expect_exact("Interrupted before it was done.")
    child.expect_exact("Paused.")
    child.expect_exact("Input:")
    child.send("y\r")
    child.expect_exact("COMMAND = do_nothing")


def test_a_budget_at_a_helper_s_question_is_not_one_more(place: Place) -> None:
    script = (START, DONE, DONE, says("fast", "show_inventory"), says("fast", "reply", text="so"))
    run(place, *script, stdin="y\n/budget 1\ny\n")
    decided = [(e["kind"], e["by"]) for e in kinds(place.events(), "decision") if e["command"] == "do_nothing"]
    assert decided == [("run", "budget"), ("stop", "nobody")]


def test_a_helper_that_was_stuck_is_spoken_to_again(place: Place) -> None:
    run(
        place,
        START,
        ("message_agent", {"key": 1, "message": "try something else"}),
        *[says("fast", "show_inventory")] * 3,
        says("fast", "reply", text="16 oak_log"),
        arguments=CONTINUOUS,
    )
    told = [e["text"] for e in kinds(place.events(), "result") if e["agent"] == "main"]
    assert told[0].endswith("Agent scout repeats itself or cannot be read; it was stopped.")
    assert told[1] == "16 oak_log"


def test_the_time_of_a_helper_is_counted_once_and_that_of_the_person_never(place: Place) -> None:
    slow = {**says("fast", "wait", seconds=0.2), "delay": 0.2}
    run(place, START, slow, says("fast", "reply", text="so"), arguments=CONTINUOUS)
    results = {e["command"]: e["seconds"] for e in kinds(place.events(), "result")}
    assert results["start_agent"] == 0.0 and results["wait"] >= 0.2
    thought = next(e["seconds"] for e in kinds(place.events(), "answer") if e["agent"] == "scout")
    assert 0.2 <= thought < 60


@pytest.mark.parametrize("name", ["AUTOCRAFT_AGENTS", "AUTOCRAFT_AGENT_STEPS", "AUTOCRAFT_AGENT_SHARE"])
def test_settings_that_leave_nothing_are_refused(place: Place, name: str) -> None:
    done = place.run("run", "--goal", "craft 1 stick", **{name: "0"})
    assert done.returncode == 2 and "is 0: give more than 0" in done.stderr


def reply_of(name: str, args: dict[str, Any]) -> str:
    return json.dumps({"thoughts": {}, "command": {"name": name, "args": args}})


def two_turns(place: Place, answers: Sequence[str], *more: str) -> StandIn:
    """Run two turns of the main agent with a real SDK, which gets these answers. Return the endpoint."""
    endpoint, told = StandIn(), iter(answers)
    endpoint.refuse = lambda request: streamed(next(told))
    arguments = ["--goal", "craft 1 stick", "--brain", "openai", "--continuous", "--max-steps", "2"]
    try:
        place.run("run", *arguments, *more, OPENAI_BASE_URL=endpoint.url)
    finally:
        endpoint.close()
    return endpoint


def test_the_spending_of_helpers_counts(place: Place) -> None:
    """A real SDK asks a stand-in for both agents; the end event holds the tokens of all calls."""
    answers = [reply_of(*START), reply_of("reply", {"text": "none"}), reply_of("do_nothing", {})]
    limits = ("--max-cost", "1", "--price-in", "10", "--price-out", "20", "--max-tokens", "100018")
    endpoint = two_turns(place, answers, *limits)
    [end] = kinds(place.events(), "end")
    assert end["tokens"] == 3 * 18
    [spawn] = kinds(place.events(), "spawn")
    assert spawn["max_tokens"] == 25_000 and 0.249 < spawn["max_cost"] < 0.25, "a share of what is left"
    models = [request["model"] for request in endpoint.requests]
    assert models == ["gpt-5-mini"] * 3, "a fast model that nobody chose is the smart one"
    system, user = endpoint.requests[1]["messages"][:2]
    assert "count the logs" not in system["content"] and START[1]["prompt"] not in system["content"]
    assert '<data source="main agent">\nYour task: count the logs' in user["content"]


def test_a_helper_replies_in_the_last_turn_of_the_run(place: Place) -> None:
    run(place, START, says("fast", "reply", text="16 oak_log"), arguments=("--continuous", "--max-steps", "1"))
    [started] = kinds(place.events(), "result")[-1:]
    assert started["text"].endswith("First response: 16 oak_log")


def test_a_helper_pays_for_what_its_commands_ask_the_model(place: Place) -> None:
    improved = reply_of("improve_code", {"suggestions": "shorter", "code": "a = 1"})
    two_turns(
        place, [reply_of(*START), improved, "b = 1", reply_of("reply", {"text": "done"}), reply_of("do_nothing", {})]
    )
    assert [event["agent"] for event in kinds(place.events(), "expense")] == ["scout"]


def test_a_helper_pays_for_a_picture_from_its_own_share(place: Place) -> None:
    done = run(
        place,
        ("start_agent", {**START[1], "grants": ["generate_image"]}),
        says("fast", "generate_image", prompt="a fox"),
        says("fast", "reply", text="none"),
        arguments=(*CONTINUOUS, "--max-cost", "1"),
        OPENAI_API_KEY="sk-secret", OPENAI_BASE_URL="http://127.0.0.1:1/v1", IMAGE_PRICE="0.3",
    )  # fmt: skip
    assert "--max-cost 0.25: $0.0000 is used, and the next call may cost $0.3000" in done.stdout


@pytest.mark.full
def test_kill_9_in_the_middle_of_a_helper_s_turn_repeats_nothing(place: Place, crash: Callable[..., None]) -> None:
    script = place.script(
        ("start_agent", {**START[1], "grants": ["append_to_file"]}),
        DONE,
        says("fast", "append_to_file", file="a.txt", text="once\n"),
        says("fast", "reply", text="appended"),
    )
    for point in ("after answer", "after intent", "before result", "after result", "after reply"):
        for nth in (1, 2, 3):
            crash(point, nth, script)
            place.run("run", "--resume", "last", "--continuous")
            events = place.events()
            assert (place.folder / "workspace" / "a.txt").read_text() == "once\n", (point, nth)
            [started] = [e for e in kinds(events, "result") if e["command"] == "start_agent"]
            assert started["text"].endswith("First response: appended"), (point, nth)
            (place.folder / "workspace" / "a.txt").unlink()


def test_kill_9_while_a_helper_is_deleted_deletes_it_once(place: Place, crash: Callable[..., None]) -> None:
    script = place.script(START, ("delete_agent", {"key": 1}), DONE, says("fast", "reply", text="so"))
    for point, how in (("before effect", "it is carried out now"), ("before result", "its result is filled in")):
        crash(point, 3, script)
        place.run("run", "--resume", "last", "--continuous")
        [deleted] = [e for e in kinds(place.events(), "result") if e["command"] == "delete_agent"]
        assert (deleted["ok"], deleted["text"]) == (True, "Agent 1 deleted."), point
        assert len(kinds(place.events(), "deleted")) == 1, point
        assert [e["text"].rpartition("; ")[2] for e in kinds(place.events(), "note")] == [how]


@pytest.fixture
def crash(place: Place) -> Callable[..., None]:
    """Runs the program until it kills itself at the nth time that it passes a point."""

    def go(point: str, nth: int, script: str) -> None:
        place.python("-m", "tests.crash.runner", point, str(nth), script)

    return go
