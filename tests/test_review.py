"""What a demanding reader broke once, and what must stay mended."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import PROGRAM, STONE_PICKAXE, Place, kinds
from tests.console.emulator import Emulator
from tests.waiting import LATER, until

pytestmark = pytest.mark.sampled(12)

PLANKS = ("craft_item", {"name": "oak_planks", "count": 4})
LOOK: tuple[str, dict[str, Any]] = ("show_inventory", {})
ASK = "or enter feedback for Crafter..."


def scripted(place: Place, *answers: Any) -> list[str]:
    return ["--brain", "scripted", "--script", place.script(*answers)]


def cut_after(place: Place, type: str, nth: int = 1) -> None:
    """The journal as a kill right after the nth event of this type would have left it."""
    path = place.state / "sessions" / place.session() / "events.jsonl"
    lines = path.read_text().splitlines(keepends=True)
    at = [i for i, line in enumerate(lines) if f'"type":"{type}"' in line][nth - 1]
    path.write_text("".join(lines[: at + 1]))


def test_a_resume_from_another_folder_touches_the_same_workspace(place: Place) -> None:
    place.run("run", *STONE_PICKAXE, *scripted(place, ("append_to_file", {"file": "log.txt", "text": "one\n"})), "-c")
    cut_after(place, "intent")
    other = place.folder / "other"
    other.mkdir()
    subprocess.run(
        [*PROGRAM, "run", "--resume", "last", "-c"], cwd=other, env=place.environment, stdin=subprocess.DEVNULL
    )
    assert (place.folder / "workspace" / "log.txt").read_text() == "one\n"
    assert not (other / "workspace").exists()


@pytest.mark.parametrize("flag", [("--workspace", "w2"), ("--inventory", "stick=1"), ("--memory", "none")])
def test_a_resumed_run_keeps_its_world_files_and_memory(place: Place, flag: tuple[str, str]) -> None:
    place.run("run", *STONE_PICKAXE, stdin="n\n")
    done = place.run("run", "--resume", "last", *flag)
    assert done.returncode == 2
    assert "a resumed" in done.stderr


@pytest.mark.parametrize(
    ("workspace", "remedy"),
    [
        (".", "choose another workspace with --workspace"),
        ("..", "choose another workspace with --workspace"),
        ("/", "the whole disk; name a folder of its own"),
    ],
)
def test_a_workspace_may_not_hold_our_policy(place: Place, workspace: str, remedy: str) -> None:
    here = place.folder / "project"
    here.mkdir()
    done = subprocess.run(
        [*PROGRAM, "run", *STONE_PICKAXE, "-c", "--workspace", workspace],
        cwd=here, env=place.environment | {"AUTOCRAFT_STATE_DIR": "/tmp/none"}, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 2
    assert remedy in done.stderr
    assert not Path("/tmp/none/sessions").exists() or not list(Path("/tmp/none/sessions").iterdir())


@pytest.mark.parametrize("reference", ["/etc/hostname", "nope", "0" * 64])
def test_an_answer_cannot_name_a_blob(place: Place, reference: str) -> None:
    hostile = {"thoughts": {"text": {"$blob": reference}, "blobs": [[["text"], reference]]}}
    hostile["command"] = {"name": "show_inventory", "args": {}}
    place.run("run", *STONE_PICKAXE, *scripted(place, {"text": json.dumps(hostile)}), "-c")
    report = place.run("report", "last")
    assert report.returncode == 0
    assert Path("/etc/hostname").read_text().strip() not in report.stdout.replace(reference, "")
    assert place.run("run", "--resume", "last", "-c", "--max-steps", "1").returncode == 3


def test_one_damaged_session_does_not_hide_the_others(place: Place) -> None:
    place.run("run", *STONE_PICKAXE, "-c")
    first = place.session()
    place.run("run", *STONE_PICKAXE, "-c")
    path = place.state / "sessions" / first / "events.jsonl"
    path.write_text("garbage\n" + path.read_text())
    listed = place.run("sessions", "list")
    assert listed.returncode == 0
    assert f"{first}  damaged: line 1" in listed.stdout
    assert "goal_reached" in listed.stdout


def test_type_ahead_is_no_consent_when_only_stdin_is_a_terminal(place: Place, terminal: Callable[..., Any]) -> None:
    import pexpect

    slow = {
        "text": json.dumps({"command": {"name": "write_to_file", "args": {"file": "a", "text": "b"}}}),
        "wait_for": "go",
    }
    arguments = " ".join(["run", "--goal", "'craft 1 stick'", *scripted(place, slow, LOOK)])
    child = pexpect.spawn(
        "sh", ["-c", f"{' '.join(PROGRAM)} {arguments} | cat"], cwd=str(place.folder), env=place.environment,
        encoding="utf-8", timeout=60,
    )  # fmt: skip
    child.expect_exact("file go")  # a line that comes earlier is feedback, and refuses no command
    child.send("y -9\n")
    child.expect_exact("Noted: your feedback")
    (place.folder / "go").touch()
    child.expect_exact("write_to_file was not run: your feedback came first")
    child.expect_exact(ASK)
    child.expect_exact("Input:")
    child.send("n\n")
    child.expect(pexpect.EOF)
    child.close()
    assert not (place.folder / "workspace" / "a").exists()


def test_an_approval_does_not_cover_a_risk_that_grew_meanwhile(place: Place) -> None:
    write = scripted(place, ("write_to_file", {"file": "f.txt", "text": "its\n"}))
    place.run("run", *STONE_PICKAXE, *write, stdin="y\nn\n")
    cut_after(place, "decision")
    notes = place.folder / "workspace" / "f.txt"
    notes.parent.mkdir(exist_ok=True)
    notes.write_text("mine\n")
    place.run("run", "--resume", "last", stdin="n\n")
    assert notes.read_text() == "mine\n"


def test_an_edited_question_shows_its_own_risk_and_preview(place: Place) -> None:
    (place.folder / "workspace").mkdir()
    (place.folder / "workspace" / "old.txt").write_text("old\n")
    write = scripted(place, ("write_to_file", {"file": "new.txt", "text": "x\n"}))
    place.run("run", *STONE_PICKAXE, *write, "--json", stdin='e\n{"file": "old.txt", "text": "x"}\nn\n')
    first, second = kinds(place.events(), "question")
    assert (first["risk"], second["risk"]) == ("change", "destroy")
    assert "new file" in first["preview"]
    assert "-old" in second["preview"]


def test_a_budget_does_not_outlive_the_process(place: Place) -> None:
    place.run("run", *STONE_PICKAXE, stdin="y -9\n")
    cut_after(place, "result")
    done = place.run("run", "--resume", "last", stdin="n\n")
    assert done.returncode == 4
    assert len(kinds(place.events(), "intent")) == 1


@pytest.mark.parametrize("line", ["/continuous", "/budget 5", "/do craft_item name=stick"])
def test_slash_commands_that_allow_more_are_refused_before_a_question(
    place: Place, terminal: Callable[..., Any], line: str
) -> None:
    slow = {"text": json.dumps({"command": {"name": "craft_item", "args": {"name": "oak_planks"}}}), "wait_for": "go"}
    child = terminal("run", *STONE_PICKAXE, *scripted(place, slow, LOOK))
    child.expect_exact("Goal: craft 1 stone_pickaxe")
    child.send(line + "\r")
    child.expect_exact("it works only at a question that you have seen")
    (place.folder / "go").touch()
    child.expect_exact(ASK)
    assert not kinds(place.events(), "intent")


def test_y_minus_n_at_a_pause_authorises_nothing(place: Place) -> None:
    script = scripted(place, "hm", "hm", "hm", PLANKS, LOOK)
    done = place.run("run", *STONE_PICKAXE, *script, stdin="y -3\ny\nn\n")
    assert done.returncode == 4
    assert "there is no command to authorise" in done.stdout
    assert not kinds(place.events(), "intent")


def test_an_explicit_budget_replaces_the_old_one(place: Place) -> None:
    write = ("write_to_file", {"file": "a.txt", "text": "one\n"})
    over = ("write_to_file", {"file": "a.txt", "text": "two\n"})
    done = place.run("run", *STONE_PICKAXE, *scripted(place, write, over, LOOK, PLANKS), stdin="y -9\ny -1\nn\n")
    assert done.returncode == 4
    assert [event["command"] for event in kinds(place.events(), "intent")] == ["write_to_file"] * 2


def test_undo_after_a_kill_settles_first(place: Place) -> None:
    files = [("write_to_file", {"file": name, "text": "x"}) for name in ("f1", "f2")]
    place.run("run", *STONE_PICKAXE, *scripted(place, *files), "-c")
    cut_after(place, "intent", 2)
    assert place.run("sessions", "undo").returncode == 0
    assert sorted(path.name for path in (place.folder / "workspace").iterdir()) == ["f1"]


def test_a_goal_whose_change_was_taken_back_is_not_reached(place: Place) -> None:
    place.run("run", *STONE_PICKAXE, "-c")
    assert place.run("sessions", "undo").returncode == 0
    done = place.run("run", "--resume", "last", "-c", "--json")
    assert done.returncode == 0
    assert place.events()[-1]["inventory"]["stone_pickaxe"] == 1
    assert len(kinds(place.events(), "answer")) > 3


@pytest.mark.parametrize("flags", [("--continuous-limit", "1"), ("--max-steps", "1"), ("--max-errors", "1")])
def test_the_printed_resume_command_works(place: Place, flags: tuple[str, ...]) -> None:
    first = ["hm"] if "errors" in flags[0] else [PLANKS]
    script = [*first, ("craft_item", {"name": "stick"}), ("craft_item", {"name": "oak_planks"}), LOOK, LOOK]
    assert place.run("run", *STONE_PICKAXE, *scripted(place, *script), "-c", *flags).returncode == 3
    turns = place.events()[-1]["turns"]
    resume = place.events()[-1]["resume"].removeprefix("autocraft ").split()
    place.run(*resume, stdin="y\nn\n")
    assert place.events()[-1]["turns"] > turns


@pytest.mark.parametrize("permission", [("--auto-look",), ()])
def test_repetition_asks_under_every_permission(place: Place, permission: tuple[str, ...]) -> None:
    typed = "n\n" if permission else "a\nn\n"
    done = place.run("run", *STONE_PICKAXE, *scripted(place, *[LOOK] * 12), *permission, stdin=typed)
    assert done.returncode == 4
    assert "Stuck? The same command gave the same result 3 times" in done.stdout
    assert len(kinds(place.events(), "intent")) == 3


@pytest.mark.parametrize("flags", [("--continuous",), ()])
def test_at_a_terminal_a_repetition_asks_also_in_continuous_mode(
    place: Place, terminal: Callable[..., Any], flags: tuple[str, ...]
) -> None:
    child = terminal("run", *STONE_PICKAXE, *scripted(place, *[LOOK] * 12), *flags)
    if not flags:
        child.expect_exact("Input:")
        child.send("/continuous\r")
        child.expect_exact("as above")
        child.expect_exact("Input:")
        child.send("y\r")
    child.expect_exact("Stuck? The same command gave the same result 3 times")
    child.expect_exact("Input:")
    child.send("n\r")
    child.expect_exact("STOPPED:")
    assert len(kinds(place.events(), "intent")) == 3


def test_a_key_reaches_no_file_and_no_screen(place: Place) -> None:
    key = "sk-abcdefgh12345678"
    answers = [
        ("write_to_file", {"file": "big.txt", "text": key + "x" * 70_000}),
        ("memory_add", {"string": f"the key is {key}"}),
    ]
    done = place.run("run", *STONE_PICKAXE, *scripted(place, *answers), "-c", "--json", OPENAI_API_KEY=key)
    assert key not in done.stdout + done.stderr
    leaks = [path for path in place.state.rglob("*") if path.is_file() and key.encode() in path.read_bytes()]
    assert leaks == []
    assert not (place.folder / "workspace" / "big.txt").exists()
    assert "holds the value of OPENAI_API_KEY" in done.stdout


def test_a_full_output_or_a_closed_one_loses_no_end(place: Place) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [*PROGRAM, "run", *STONE_PICKAXE, "-c", "--json"], cwd=place.folder, env=place.environment,
            stdin=subprocess.DEVNULL, stdout=full, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
    assert done.returncode == 0
    assert "Traceback" not in done.stderr
    assert place.events()[-1]["reason"] == "goal_reached"


def test_a_terminal_that_is_closed_during_a_command_loses_no_end(place: Place) -> None:
    ours, theirs = os.openpty()
    child = subprocess.Popen(
        [*PROGRAM, "run", *STONE_PICKAXE, *scripted(place, ("wait", {"seconds": 1}), LOOK)],
        cwd=place.folder, env=place.environment, stdin=theirs, stdout=theirs, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    os.close(theirs)
    shown = b""
    while b"Input:" not in shown:  # the prompt: what comes before it is no answer
        shown += os.read(ours, 4096)
    os.write(ours, b"y\r")
    while b"COMMAND AUTHORISED" not in shown:
        shown += os.read(ours, 4096)
    os.close(ours)
    assert child.wait(60) in (1, 4, 130)
    assert place.events()[-1]["type"] == "end"


@pytest.mark.parametrize("seconds", ["nan", "inf", "-inf"])
def test_numbers_that_are_none_are_invalid(place: Place, seconds: str) -> None:
    done = place.run("run", *STONE_PICKAXE, *scripted(place, ("wait", {"seconds": seconds}), LOOK), "-c", "--json")
    assert not kinds(place.events(), "reply")[0]["ok"]
    assert done.returncode == 1
    assert place.run("run", "--resume", "last", "-c", "--max-steps", "1").returncode == 3


def test_a_goal_that_the_planner_cannot_pursue_is_refused_at_once(place: Place) -> None:
    done = place.run("run", *STONE_PICKAXE, stdin="/goal fly to the moon\ny -4\n")
    assert done.returncode == 0
    assert "does not understand the goal 'fly to the moon'" in done.stdout


@pytest.mark.parametrize(("typed", "runs"), [("/goal craft 1 stick", False), ("/goal + craft 1 stick", True)])
def test_what_was_proposed_for_goals_that_the_person_replaces_is_not_run(
    place: Place, terminal: Callable[..., Any], typed: str, runs: bool
) -> None:
    answer = {"thoughts": {}, "command": {"name": "craft_item", "args": {"name": "oak_planks"}}}
    script = place.script({"role": "smart", "text": json.dumps(answer), "wait_for": "go"}, LOOK)
    goal = ("run", "--goal", "craft 1 ladder", "--inventory", "oak_log=3", "--brain", "scripted", "--script", script)
    child = terminal(*goal, "--continuous", "--max-steps", "2")
    child.expect_exact("file go")
    child.send(f"{typed}\r")
    child.expect_exact("Noted: /goal")
    (place.folder / "go").touch()
    child.expect_exact("Resume with")
    decision = kinds(place.events(), "decision")[0]
    assert (decision["kind"], decision["by"]) == (("run", "continuous") if runs else ("refuse", "goal"))


@pytest.mark.parametrize(
    ("files", "arguments", "said"),
    [
        ({}, ("--goal", "craft ² stick"), "does not understand the goal"),
        ({}, ("--goal", f"craft {'9' * 5000} stick"), "does not understand the goal"),
        ({"autocraft.toml": "[limits]\nmax_steps = inf\n"}, STONE_PICKAXE, "limits.max_steps in autocraft.toml is inf"),
        ({"autocraft.toml": "[limits]\nmax_step = 1\n"}, STONE_PICKAXE, "did you mean max_steps?"),
        ({"autocraft.toml": "[limit]\nmax_steps = 1\n"}, STONE_PICKAXE, "[limit] in autocraft.toml is not a section"),
        ({"autocraft.toml": "[minecraftt]\nseed = 1\n"}, STONE_PICKAXE, "is not a section (did you mean minecraft?)"),
        (
            {"autocraft.toml": "[minecraft]\nsed = 1\n"},
            STONE_PICKAXE,
            "minecraft.sed in autocraft.toml is not a setting",
        ),
        ({"autocraft.toml": 'profile = "abc"\n'}, (*STONE_PICKAXE, "--profile", "a"), "unknown profile 'a'"),
        ({".env": b"\xff\xfe\x00"}, STONE_PICKAXE, ".env cannot be read"),
        ({".env": "AUTOCRAFT_MAX_STEP=1\n"}, STONE_PICKAXE, "AUTOCRAFT_MAX_STEP in .env is not a setting: did"),
        ({".env": "AUTOCRAFT_OPENAI_API_KEY=1\n"}, STONE_PICKAXE, "did you mean OPENAI_API_KEY?"),
        ({".env": "AUTOCRAFT_ZZZ=1\nAUTOCRAFT_RULE=\n"}, STONE_PICKAXE, "AUTOCRAFT_ZZZ in .env is not a setting"),
        ({}, (*STONE_PICKAXE, "--max-cost", "nan"), "--max-cost is nan, but a number is needed"),
        ({}, (*STONE_PICKAXE, "--price-in", "5"), "--price-in and --price-out go together"),
        ({}, (*STONE_PICKAXE, "--price-in", "-5", "--price-out", "1"), "--price-in is -5.0: give 0 or more"),
    ],
)
def test_odd_settings_are_one_line(
    place: Place, files: dict[str, str | bytes], arguments: tuple[str, ...], said: str
) -> None:
    for name, text in files.items():
        (place.folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    done = place.run("run", *arguments)
    assert done.returncode == 2, done.stderr
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_a_section_of_a_part_that_is_not_used_breaks_neither_a_run_nor_its_resume(place: Place) -> None:
    (place.folder / "autocraft.toml").write_text('[minecraft]\nserver = "lan"\nseed = 4\n')
    place.confirm()
    left = place.run("run", *STONE_PICKAXE, stdin="y\nn\n")
    assert (left.returncode, left.stderr) == (4, "")
    done = place.run("run", "--resume", "last", "--continuous")
    assert (done.returncode, done.stderr) == (0, "")


def test_odd_numbers_at_the_question_ask_again(place: Place) -> None:
    many = "9" * 5000
    typed = f'/budget {many}\ne\n{{"count": {many}}}\ne\n{"[" * 3000}\n/goal craft ² stick\nn\n'
    done = place.run("run", *STONE_PICKAXE, stdin=typed)
    assert done.returncode == 4
    assert "a fault" not in done.stdout


def test_max_seconds_holds_inside_a_command(place: Place) -> None:
    script = scripted(place, ("wait", {"seconds": 600}))
    run = ["run", *STONE_PICKAXE, *script, "-c", "--max-seconds", "500"]
    with closing(Emulator(place, run, program=LATER)) as screen:
        until(lambda: screen.read() and kinds(place.events(), "intent"), "the command")
        (place.folder / "later").touch()
        assert screen.leave() == 3
    assert place.events()[-1]["why"] == "--max-seconds 500 reached while running wait"


def test_do_task_complete_ends_the_run(place: Place) -> None:
    done = place.run("run", "--goal", "get 1 oak_log", "--inventory", "oak_log=3", stdin="/do task_complete\n")
    assert done.returncode == 0
    assert place.events()[-1]["reason"] == "goal_reached"


def test_every_reached_goal_is_remembered(place: Place) -> None:
    place.run("run", *STONE_PICKAXE, "-c")
    place.run("run", "--resume", "last", "--goal", "craft 1 wooden_pickaxe", "-c")
    done = place.run("run", "--goal", "get 1 stick", stdin="/memory Goal reached wooden_pickaxe stone_pickaxe\nn\n")
    assert "Goal reached in 3 turns: craft 1 stone_pickaxe" in done.stdout
    assert "craft 1 wooden_pickaxe" in done.stdout


def test_the_input_history_is_the_owners_alone(place: Place, terminal: Callable[..., Any]) -> None:
    child = terminal("run", *STONE_PICKAXE)
    child.expect_exact(ASK)
    child.expect_exact("Input:")
    child.send("something private\r")
    child.expect_exact(ASK)
    assert (place.state / "input_history").stat().st_mode & 0o077 == 0


def test_the_first_json_event_names_the_session(place: Place) -> None:
    done = place.run("run", *STONE_PICKAXE, "-c", "--json")
    assert json.loads(done.stdout.splitlines()[0])["session"] == place.session()


def test_a_named_profile_goes_before_the_environment(place: Place) -> None:
    done = place.run("run", *STONE_PICKAXE, "-c", "--profile", "ollama", OPENAI_BASE_URL="http://127.0.0.1:9/v1")
    assert done.returncode == 1
    assert "Brain: ollama" in done.stdout
    assert "ollama serve" in done.stdout


def test_a_resumed_run_asks_the_brain_it_began_with(place: Place) -> None:
    place.run("run", *STONE_PICKAXE, "-c", "--profile", "ollama")
    done = place.run("run", "--resume", "last", "-c")
    assert done.returncode == 1
    assert "ollama serve" in done.stdout
