"""The run as a whole, from the command line: what must happen on the main road and at every end."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from autocraft.brains.scripted import ScriptedBrain
from autocraft.errors import UsageError
from tests.conftest import PROGRAM, STONE_PICKAXE, Place, kinds
from tests.waiting import catches, until

pytestmark = pytest.mark.sampled(20)

PLANKS = ("craft_item", {"name": "oak_planks", "count": 4})
LOOK: tuple[str, dict[str, Any]] = ("show_inventory", {})


def lines(output: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in output.splitlines()]


def scripted(place: Place, *answers: Any) -> list[str]:
    return ["--brain", "scripted", "--script", place.script(*answers)]


def test_the_run_to_go_on_with_is_chosen_by_its_number(place: Place, terminal: Callable[..., Any]) -> None:
    for item in ("stick", "ladder"):
        place.run("run", "--goal", f"craft 1 {item}", "--inventory", "oak_log=9", "--brain", "planner", stdin="n\n")
    for item in ("ladder", "stick"):
        child = terminal("run", "--resume")
        child.expect_exact("Number of the run to go on with; Enter for 1: ")
        [number] = [row.split()[0] for row in child.before.splitlines() if f"craft 1 {item}" in row]
        child.send(f"{number}\r")
        child.expect_exact(f"craft 1 {item}")
        child.expect_exact("Input:")
        child.send("n\r")
        child.expect_exact("Resume with")


def test_a_stone_pickaxe_with_no_key_and_no_server(place: Place) -> None:
    done = place.run("run", *STONE_PICKAXE, "--continuous", "--json")
    assert done.returncode == 0
    events = lines(done.stdout)
    assert [event["command"] for event in kinds(events, "intent")] == ["craft_item"] * 3
    last = events[-1]
    assert (last["type"], last["reason"], last["exit"]) == ("end", "goal_reached", 0)
    assert last["inventory"]["stone_pickaxe"] == 1
    assert events == place.events(), "stdout is the journal and nothing else"
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("example", "code"),
    [
        ("TEST0018", 0), ("TEST0100", 0), ("TEST0200", 0), ("TEST0250", 0), ("TEST0300", 0), ("TEST0350", 0),
        ("TEST0400", 0), ("TEST0450", 0), ("TEST0550", 0), ("TEST0579", 0), ("TEST0000", 5),
    ],
)  # fmt: skip
def test_plancraft_examples_of_all_difficulties(place: Place, example: str, code: int) -> None:
    done = place.run("run", "--example", example, "--continuous", "--json")
    assert done.returncode == code
    end = lines(done.stdout)[-1]
    assert end["reason"] == {0: "goal_reached", 5: "impossible"}[code]
    assert bool(end["proof"]) == (code == 5)
    assert bool(end["resume"]) == (code == 0), "a resume would end in the same way"


def test_an_impossible_goal_is_told_with_what_helps(place: Place) -> None:
    done = place.run("run", "--goal", "craft 1 netherite_pickaxe", "--inventory", "oak_log=1", "--continuous")
    assert done.returncode == 5 and "Resume with" not in done.stdout
    said = " ".join(done.stdout.split())
    assert "netherite_pickaxe cannot be made here: no recipe makes it, and you have 0 of 1. Start a new run" in said
    assert "with more items in --inventory, or leave --inventory out" in said


def test_several_goals_must_all_be_met(place: Place) -> None:
    done = place.run("run", *STONE_PICKAXE, "--goal", "get 5 sticks", "--continuous", "--json")
    assert done.returncode == 0
    inventory = lines(done.stdout)[-1]["inventory"]
    assert inventory["stone_pickaxe"] == 1
    assert inventory["stick"] >= 5


def test_the_words_that_people_know(place: Place) -> None:
    done = place.run("run", *STONE_PICKAXE, stdin="y\ny -3\n")
    assert done.returncode == 0
    for words in (
        "Brain: the built-in planner, since neither OPENAI_API_KEY nor OPENAI_BASE_URL is set",
        "Using memory of type:  local",
        "CRAFTER THOUGHTS:  ",
        "PLAN:",
        'NEXT ACTION:  COMMAND = craft_item  ARGUMENTS = {"name": "oak_planks", "count": 4}',
        "Enter 'y' to authorise command, 'y -N' to run N continuous commands, 'n' to exit program, "
        "or enter feedback for Crafter...",
        "COMMAND AUTHORISED BY USER",
        "SYSTEM:  Command craft_item returned: ",
    ):
        assert words in done.stdout


# ---------------------------------------------------------------- a pipe: one line answers one question


@pytest.mark.parametrize(
    ("typed", "code", "ran"),
    [
        ("y\nn\n", 4, 1),
        ("Y\n  y  \nn\n", 4, 2),
        ("y -2\nn\n", 4, 2),
        ("y -4\n", 0, 3),
        ("y -0\ny -abc\ny 5\nyes\nno\nq\nquit\nexit\n\nn\n", 4, 0),
        ("n\n", 4, 0),
        ("", 4, 0),
        ("a\n", 0, 3),
        ('e\n{"name": "oak_planks", "count": 8}\ny\nn\n', 4, 1),
        ("/help\n/history\n/inventory\n/tokens\n/memory\n/goal\n/save\n/stop\nn\n", 4, 0),
        ("/budget 1\ny\nn\n", 4, 2),
        ("/continuous\ny\n", 0, 3),
        ("/do craft_item name=stick\nn\n", 4, 1),
        ("/quit\n", 4, 0),
        ("use birch\ny\nn\n", 4, 1),
        ("make it 2\ny\nn\n", 4, 1),
        ("// y\nn\n", 4, 0),
    ],
)
def test_the_same_grammar_on_a_pipe(place: Place, typed: str, code: int, ran: int) -> None:
    done = place.run("run", *STONE_PICKAXE, stdin=typed)
    assert done.returncode == code, done.stdout + done.stderr
    assert len(kinds(place.events(), "intent")) == ran
    assert ("autocraft run --resume" in done.stdout) == (code != 0), "what is reached is not resumed"


@pytest.mark.parametrize(
    "field", [{"delay": "x"}, {"delay": -1}, {"role": [1]}, {"tool_calls": 3}, {"finish_reason": None}]
)
def test_a_script_with_a_wrong_field_is_refused_with_its_line(tmp_path: Path, field: dict[str, Any]) -> None:
    script = tmp_path / "script.jsonl"
    script.write_text("plain\n\n" + json.dumps({"text": "a", **field}))
    with pytest.raises(UsageError, match=f"line 3 of the script {script}: its {next(iter(field))} cannot be that"):
        ScriptedBrain(script)


def test_a_script_may_hold_any_text(tmp_path: Path) -> None:
    script = tmp_path / "script.jsonl"
    texts = ["one\u2028two", "[" * 100_000]
    script.write_text(json.dumps({"text": texts[0]}, ensure_ascii=False) + "\n" + texts[1], encoding="utf-8-sig")
    brain = ScriptedBrain(script)
    assert [asyncio.run(brain.think([])).text for _ in texts] == texts


def test_on_a_pipe_the_end_says_what_to_do_and_the_planner_says_that_it_cannot_read(place: Place) -> None:
    said = " ".join(place.run("run", *STONE_PICKAXE, stdin="it is cold\n").stdout.split())
    assert "STOPPED because nobody could be asked: nobody can answer" in place.run("report").stdout
    assert (
        "the planner cannot read your words; type y, e or n, or choose a model. It understands 'craft 1 ladder" in said
    )
    assert "STOPPED: nobody can answer, because standard input is not a terminal: run it in a terminal, or" in said


def test_the_planner_follows_words_that_change_the_goal(place: Place) -> None:
    wood = ("--inventory", "birch_planks=8,oak_planks=8", "--goal", "craft 4 stick")
    typed = "use birch\nuse acacia\nit is cold\nmake it 8\n" + "y\n" * 12
    done = place.run("run", *wood, stdin=typed)
    assert done.returncode == 0, done.stdout
    said = " ".join(done.stdout.split())
    assert "The goal is now: get 4 stick using birch" in said
    assert "The goal stays as it is. For 'get 4 stick using acacia': using acacia, 4 stick needs" in said
    assert "cannot read your words" in said and "GOAL REACHED" in said
    assert "INVENTORY: 8 stick, 4 birch_planks, 8 oak_planks" in said
    goals = [event["goals"][0]["text"] for event in kinds(place.events(), "goal")]
    assert goals == ["craft 4 stick", "get 4 stick using birch", "get 8 stick using birch"]
    assert sum(each["kind"] == "refuse" for each in kinds(place.events(), "decision")) == 2, "only for new goals"


def test_with_json_a_line_on_stdin_answers_a_question_event(place: Place) -> None:
    done = place.run("run", *STONE_PICKAXE, "--json", stdin="yes\ny\nn\n")
    assert done.returncode == 4
    asked = kinds(lines(done.stdout), "question")
    assert [event.get("again", "") for event in asked[:2]] == [
        "",
        "'yes' is not clear: type y for yes, n to exit, or ? for help",
    ]
    assert asked[0]["command"] == "craft_item"


def test_hostile_bytes_on_the_pipe_are_words(place: Place) -> None:
    done = place.run("run", *STONE_PICKAXE, stdin=b"\xff\xfe\x1b[2J\x07 caf\xc3\xa9\nn\n")
    assert done.returncode == 4
    assert "\x1b" not in done.stdout
    assert "cannot read your words" in done.stdout


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_at_the_question_on_a_pipe_leaves_cleanly(place: Place, how: signal.Signals) -> None:
    child = subprocess.Popen(
        [*PROGRAM, "run", *STONE_PICKAXE], cwd=place.folder, env=place.environment,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert child.stdout is not None
    while b"or enter feedback" not in child.stdout.readline():
        pass
    child.send_signal(how)
    assert child.wait(60) == 130
    _, said = child.communicate()
    assert said == b""
    assert place.events()[-1]["reason"] == "interrupted"


@pytest.mark.parametrize("closed", ["<&-", ">&-", "<&- >&- 2>&-"])
def test_closed_streams_are_no_fault(place: Place, closed: str) -> None:
    done = subprocess.run(
        ["sh", "-c", f'exec "$@" {closed}', "sh", *PROGRAM, "run", *STONE_PICKAXE, "--continuous"],
        cwd=place.folder, env=place.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0
    assert "Traceback" not in done.stderr


# ---------------------------------------------------------------- what ends a run


@pytest.mark.parametrize(
    ("flags", "why"),
    [
        (("--max-steps", "2"), "--max-steps 2 reached"),
        (("--continuous-limit", "2"), "--continuous-limit 2 reached"),
        (("--max-errors", "1"), "--max-errors 1 reached"),
    ],
)
def test_limits_end_with_3_and_say_which(place: Place, flags: tuple[str, ...], why: str) -> None:
    answers = [{"text": "what?"} if "errors" in flags[0] else PLANKS, ("craft_item", {"name": "stick"}), LOOK, LOOK]
    script = scripted(place, *answers)
    done = place.run("run", *STONE_PICKAXE, *script, "--continuous", *flags, "--json")
    assert done.returncode == 3
    end = lines(done.stdout)[-1]
    assert (end["reason"], end["why"]) == ("limit", why)


def test_max_seconds_ends_a_thought_that_takes_too_long(place: Place) -> None:
    slow = {"text": "{}", "wait_for": "what never comes"}
    done = place.run("run", *STONE_PICKAXE, *scripted(place, slow), "--continuous", "--max-seconds", "0.5", "--json")
    assert done.returncode == 3
    assert lines(done.stdout)[-1]["why"] == "--max-seconds 0.5 reached while thinking"


def test_the_same_command_with_the_same_result_three_times_ends_unattended_running(place: Place) -> None:
    done = place.run("run", *STONE_PICKAXE, *scripted(place, *[LOOK] * 9), "--continuous", "--json")
    assert done.returncode == 3
    events = lines(done.stdout)
    assert events[-1]["reason"] == "repetition"
    assert len(kinds(events, "intent")) == 3


def test_repetition_is_counted_anew_when_the_world_changes(place: Place) -> None:
    script = scripted(place, LOOK, LOOK, PLANKS, LOOK, LOOK, ("craft_item", {"name": "stick"}), LOOK, LOOK)
    done = place.run("run", *STONE_PICKAXE, *script, "--continuous", "--json")
    assert lines(done.stdout)[-1]["why"].startswith("the script has no answer left")
    assert len(kinds(place.events(), "intent")) == 8


def test_repetition_inside_a_budget_asks_the_person_again(place: Place) -> None:
    done = place.run("run", *STONE_PICKAXE, *scripted(place, *[LOOK] * 9), "--json", stdin="y -9\nn\n")
    assert done.returncode == 4
    assert len(kinds(lines(done.stdout), "intent")) == 3


def test_three_unreadable_answers_end_unattended_running(place: Place) -> None:
    script = scripted(place, "hm", ("no_such_command", {}), ("craft_item", {"nam": "stick"}), PLANKS)
    done = place.run("run", *STONE_PICKAXE, *script, "--continuous", "--json")
    assert done.returncode == 3
    events = lines(done.stdout)
    assert events[-1]["reason"] == "unreadable"
    assert not kinds(events, "intent", "question")


def test_after_three_unreadable_answers_the_person_is_asked(place: Place) -> None:
    script = scripted(place, "hm", "hm?", "hm!", PLANKS, LOOK)
    done = place.run("run", *STONE_PICKAXE, *script, stdin="y\ny\nn\n")
    assert done.returncode == 4
    assert "3 answers in a row could not be used." in done.stdout
    assert len(kinds(place.events(), "intent")) == 1


def test_an_invalid_command_costs_no_keypress(place: Place) -> None:
    script = scripted(place, ("craft_itm", {"name": "stick"}), PLANKS, LOOK)
    done = place.run("run", *STONE_PICKAXE, *script, stdin="y\nn\n")
    assert done.returncode == 4
    assert "Unknown command 'craft_itm'. Did you mean 'craft_item'?" in done.stdout
    assert [event["command"] for event in kinds(place.events(), "intent")] == ["craft_item"]


def test_an_early_task_complete_is_refused_with_the_reason(place: Place) -> None:
    script = scripted(place, ("task_complete", {"reason": "surely"}), PLANKS)
    done = place.run("run", *STONE_PICKAXE, *script, "--continuous", "--json")
    result = kinds(lines(done.stdout), "result")[0]
    assert not result["ok"]
    assert "stone_pickaxe: have 0, need 1" in result["text"]


def test_an_unproven_impossible_is_refused(place: Place) -> None:
    script = scripted(place, ("impossible", {"reason": "I give up"}))
    done = place.run("run", *STONE_PICKAXE, *script, "--continuous", "--json")
    assert done.returncode == 1
    assert "not proven impossible" in kinds(lines(done.stdout), "result")[0]["text"]


def test_a_free_text_goal_is_for_the_person_to_judge(place: Place) -> None:
    script = scripted(place, ("task_complete", {"reason": "it is pretty"}))
    done = place.run("run", "--goal", "make it pretty", *script, stdin="y\ny\n")
    assert done.returncode == 0


def test_a_truncated_argument_is_never_dispatched(place: Place) -> None:
    cut = '{"command": {"name": "write_to_file", "args": {"file": "a.txt", "text": "half of'
    done = place.run("run", *STONE_PICKAXE, *scripted(place, {"text": cut, "finish_reason": "length"}), "-c", "--json")
    assert done.returncode == 1
    assert not kinds(lines(done.stdout), "intent")


def test_a_resume_says_where_the_run_stood(place: Place) -> None:
    answers = scripted(place, ("show_inventory", {}), ("craft_item", {"name": "oak_planks"}))
    place.run("run", *STONE_PICKAXE, *answers, stdin="a\nn\n")
    shown = place.run("run", "--resume", "last", stdin="n\n").stdout
    begun = shown[: shown.index("NEXT ACTION")]
    assert "Goal: craft 1 stone_pickaxe\nLast steps:\n" in begun
    assert "\n   1  show_inventory {} -> " in begun
    assert "Allowed without a question, as you chose: show_inventory. /stop ends it." in begun
    assert "Last steps" not in place.run("run", *STONE_PICKAXE, stdin="n\n").stdout
    assert place.run("sessions", "show").stdout.endswith("\nNo command was carried out.\n")


def test_a_resume_says_that_nothing_is_allowed_only_where_this_is_so(place: Place) -> None:
    (place.folder / "rules.toml").write_text('[[policy.rule]]\nrisk = "look"\nthen = "allow"\n')
    place.run("run", *STONE_PICKAXE, stdin="y\nn\n")
    for flags, none in ((), True), (("--auto-look",), False), (("--policy", "rules.toml"), False):
        begun = place.run("run", "--resume", "last", *flags, stdin="n\n").stdout
        assert "Last steps:\n" in begun and ("You have allowed no command without a question." in begun) is none, flags
    begun = place.run("run", "--resume", "last", "--continuous").stdout
    assert "Last steps:\n" in begun and "Continuous mode: every command runs without a question." in begun
    assert "You have allowed no command without a question." not in begun


def test_a_new_goal_at_a_resume_goes_before_the_command_that_waited(place: Place) -> None:
    place.run("run", *STONE_PICKAXE, stdin="n\n")
    shown = place.run("run", "--resume", "last", stdin="n\n").stdout
    assert "oak_planks" in shown, "the same command is asked about"
    before = len(place.events())
    shown = place.run("run", "--resume", "last", "--goal", "craft 1 stick", stdin="n\n").stdout
    assert "Goal: craft 1 stick" in shown
    later = place.events()[before:]
    assert kinds(later, "decision")[0]["by"] == "goal"
    assert len(kinds(later, "answer")) == 1 and not kinds(later, "intent")


def test_an_answer_that_a_kill_left_unread_is_not_run_for_a_new_goal(place: Place) -> None:
    place.run("run", *STONE_PICKAXE, stdin="n\n")
    file = place.state / "sessions" / place.session() / "events.jsonl"
    lines = file.read_bytes().splitlines(keepends=True)
    end = next(at for at, line in enumerate(lines) if json.loads(line)["type"] == "answer")
    file.write_bytes(b"".join(lines[: end + 1]))
    (file.parent / "snapshot.json").unlink(missing_ok=True)
    done = place.run("run", "--resume", "last", "--goal", "craft 1 chest", "--continuous")
    assert done.returncode == 0, done.stderr
    later = place.events()[end + 1 :]
    assert kinds(later, "reply")[0]["error"] == "it was given for the earlier goals"
    assert later.index(kinds(later, "answer")[0]) < later.index(kinds(later, "intent")[0]), "it was asked anew"


def test_sigterm_leaves_a_session_that_can_be_resumed(place: Place) -> None:
    slow = {"text": "{}", "wait_for": "what never comes"}
    child = subprocess.Popen(
        [*PROGRAM, "run", *STONE_PICKAXE, *scripted(place, slow), "--continuous", "--json"],
        cwd=place.folder, env=place.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
    )  # fmt: skip
    assert child.stdout is not None
    child.stdout.readline()
    until(lambda: catches(child.pid, signal.SIGTERM))
    child.send_signal(signal.SIGTERM)
    assert child.wait(60) == 130
    child.stdout.close()
    assert place.events()[-1]["reason"] == "interrupted"


# ---------------------------------------------------------------- bad input: one clear line, exit 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), 'no goal: give one with --goal "craft 1 stone_pickaxe"'),
        (("--goal", "  "), "no goal"),
        (("--goal", "craft 1 stone_pickax"), "did you mean stone_pickaxe?"),
        (("--goal", "be happy"), "does not understand the goal 'be happy'"),
        (("--goal", "craft 1 stick", "--inventory", "oak_lgo=4"), "oak_log"),
        (("--goal", "craft 1 stick", "--inventory", "oak_log=x"), "oak_log"),
        (("--example", "TEST9999"), "there is no example 'TEST9999'"),
        (("--example", "TEST0018", "--inventory", "stick=1"), "--example brings its own inventory"),
        (("--goal", "craft 1 stick", "--brain", "sibyl"), "unknown brain 'sibyl': choose planner, openai, scripted\n"),
        (("--goal", "craft 1 stick", "--max-cost", "two"), "--max-cost needs a number, such as 1.5\n"),
        (("--goal", "craft 1 stick", "--brain", "openia"), "unknown brain 'openia': did you mean openai? choose"),
        (("--goal", "craft 1 stick", "--brain", "oracle"), "the brain 'oracle' plays no goals: choose planner"),
        (("--goal", "craft 1 stick", "--brain", "scripted"), "needs --script FILE"),
        (
            ("--goal", "craft 1 stick", "--brain", "planner", "--model", "m"),
            "--model belongs to --brain openai, and planner would play: leave one out\n",
        ),
        (("--goal", "craft 1 stick", "--brain", "scripted", "--script", "none.jsonl"), "none.jsonl: No such file"),
        (("--goal", "craft 1 stick", "--brain", "openai"), "needs OPENAI_API_KEY"),
        (("--goal", "craft 1 stick", "--world", "nether"), "unknown world 'nether'"),
        (("--goal", "craft 1 stick", "--continuous-limit", "3"), "--continuous-limit needs --continuous"),
        (("--goal", "craft 1 stick", "--max-steps", "0"), "--max-steps is 0: give more than 0"),
        (
            ("--goal", "craft 1 stick", "--max-errors", "9" * 400),
            "--max-errors is 9999999999999999999…: give a smaller number",
        ),
        (
            ("--goal", "craft 1 stick", f"--max-errors=-{'9' * 400}"),
            "--max-errors is -999999999999999999…: give more than 0\n",
        ),
        (("--goal", "craft 1 stick", "--max-cost", "inf"), "--max-cost is inf: give a smaller number\n"),
        (("--goal", "craft 1 stick", "--max-steps", "many"), "--max-steps needs a whole number, such as 50\n"),
        (("--goal", "craft 1 stick", "--workspace", "."), "the workspace"),
        (("--goal", "craft 1 stick", "--memory", "redis"), "redis"),
        (("--goal", "craft 1 stick", "--server", "lan"), "--server belongs to Minecraft: add --world minecraft"),
        (("--goal", "craft 1 stick", "--listen-to", "Bob"), "--listen-to belongs to Minecraft"),
        (("--goal", "craft 1 stick", "--ai-name", " "), "prompt.ai_name is empty"),
        (("--goal", "craft 1 stick", "--profile", "x"), "unknown profile 'x'"),
        (("--resume", "last"), "there are no sessions"),
    ],
)
def test_bad_input_is_one_line_and_exit_2(place: Place, arguments: tuple[str, ...], said: str) -> None:
    done = place.run("run", *arguments)
    assert done.returncode == 2, done.stdout + done.stderr
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    sessions = place.state / "sessions"
    assert not sessions.exists() or not any(sessions.iterdir())


def test_max_cost_with_an_unknown_price_is_a_usage_error(place: Place) -> None:
    flags = ["run", *STONE_PICKAXE, "--max-cost", "1"]
    model = {"OPENAI_BASE_URL": "http://models.example/v1", "SMART_LLM_MODEL": "llama", "FAST_LLM_MODEL": "llama"}
    done = place.run(*flags, **model)
    assert done.returncode == 2
    assert "the price of llama is unknown; give --price-in and --price-out" in done.stderr


def test_a_server_that_is_not_there_is_one_line_and_exit_1(place: Place) -> None:
    done = place.run("run", *STONE_PICKAXE, "--continuous", OPENAI_BASE_URL="http://127.0.0.1:9/v1")
    assert done.returncode == 1
    assert "nothing answers at http://127.0.0.1:9/v1" in done.stdout
    assert "Traceback" not in done.stdout + done.stderr


def test_main_py_is_the_same_program(place: Place) -> None:
    root = Path(__file__).parents[1]
    done = subprocess.run(
        [PROGRAM[0], str(root / "main.py"), "--version"], env=place.environment, capture_output=True, text=True
    )
    assert done.stdout.startswith("autocraft ")
