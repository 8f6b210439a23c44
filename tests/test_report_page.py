"""The page of a session and its exports: what they tell, and that nothing in a journal gets out of its place."""

from __future__ import annotations

import json
import re
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from autocraft.console.report import summary
from autocraft.report.atif import trajectory
from autocraft.report.markdown import markdown_text
from autocraft.report.page import MOST_STEPS, figures, page_text
from autocraft.report.story import Story
from autocraft.session.events import Event
from autocraft.session.reading import Events
from tests.conftest import STONE_PICKAXE, Place
from tests.evaluation.test_page import HOSTILE, read
from tests.journals import event, record
from tests.learning.runs import pickaxe_run

pytestmark = pytest.mark.sampled(9)

OPTIONS = {"brain": "openai", "smart_model": "qwen", "world": "minecraft"}


def bot_run(evil: str = "plain") -> list[Event]:
    """A run of the bot: it walks, mines, is refused once, and answers once without a command."""
    goals = [{"text": f"get 1 oak_log {evil}", "items": []}]
    events = [event("goal", goals=goals, options=OPTIONS, world=None, continuous=False, session="s")]
    add = events.append
    add(event("answer", turn=1, t=10.0, text=evil, usage=[900, 100, False], cost=0.25, reasoning=evil))
    add(event("reply", turn=1, ok=True, stage="heuristic", thoughts={"text": evil, "plan": [evil, "b"]},
              command="mine_block", args={"name": evil}))  # fmt: skip
    add(event("decision", turn=1, command="mine_block", args={"name": evil}, risk="change", by="person"))
    add(event("intent", turn=1, seq=5, id="s:5", command="mine_block", args={"name": evil}))
    for x in (0, 40, 80):
        add(event("progress", turn=1, id="s:5", command="mine_block", place=f"({x}, 64, {-x})"))
    text = f"{evil} Got 2 oak_log. Now there are 2 oak_log, 1 dirt."
    add(event("result", turn=1, t=20.0, intent=5, command="mine_block", text=text))
    add(event("feedback", turn=1, text=evil))
    add(event("answer", turn=2, t=30.0, text=evil, usage=[100, 50, False], cost=0.5))
    add(event("reply", turn=2, ok=False, error=f"no command {evil}", flags=[]))
    add(event("answer", turn=3, t=40.0, text="{}", usage=[100, 50, False], cost=0.25))
    add(event("reply", turn=3, ok=True, stage="plain", thoughts={}, command="goto", args={}))
    add(event("decision", turn=3, command="goto", args={}, risk="change", kind="refuse", feedback=evil))
    add(event("end", turn=3, t=50.0, reason="goal_reached", why=evil, inventory={"oak_log": 2}))
    return events


def test_the_story_is_the_fold_of_the_events() -> None:
    story = Story.of(bot_run())
    assert [(point.turn, point.tokens, point.dollars) for point in story.points[-3:]] == [
        (1, 1000, 0.25), (2, 1150, 0.75), (3, 1300, 1.0)
    ]  # fmt: skip
    assert story.stages == {"heuristic": 1, "invalid": 1, "plain": 1}
    assert story.approvals == {("run", "person"): 1, ("refuse", "person"): 1}
    assert story.way == [(0.0, 0.0), (40.0, -40.0), (80.0, -80.0)]
    assert [(first.item, first.turn, first.place) for first in story.firsts] == [
        ("oak_log", 1, (80.0, -80.0)), ("dirt", 1, (80.0, -80.0))
    ]  # fmt: skip


def test_what_a_program_held_is_read_from_each_of_its_effects_but_not_from_a_name_that_was_cut() -> None:
    text = "1. Now there are 4 stick, 82 cobbleston…\n2. Now there are 1 chest, 1 o…\n3. Now there are 5 stick"
    story = Story.of([*bot_run()[:-1], event("result", turn=3, t=50.0, intent=5, command="run_program", text=text)])
    assert story.points[-1].items == {"oak_log": 2, "dirt": 1, "chest": 1, "stick": 5}


def test_the_page_tells_outcome_turns_curves_and_map() -> None:
    page = page_text(Story.of(bot_run()), "s")
    seen = read(page)
    shown = " ".join(" ".join(seen.texts).split())
    for words in ("goal reached", "Tokens over the turns", "Money over the turns", "Inventory over the turns",
                  "from above", "read by heuristic", "by you", "refused", "no command"):  # fmt: skip
        assert words in shown, words
    assert seen.named("svg")[3]["role"] == "img"
    assert [each.get("id") for each in seen.named("script")] == ["moments", None]
    turns = json.loads(seen.raw["script"][0])["turns"]
    held = [["dirt", 1], ["oak_log", 2]]
    assert [(turn["turn"], turn["items"], turn["command"]) for turn in turns] == [
        (0, [], ""), (1, held, "mine_block name=plain"), (2, held, ""), (3, [["oak_log", 2]], "goto "),
    ]  # fmt: skip
    assert turns[0]["at"] is None and turns[1]["at"] == turns[3]["at"] != [0, 0]
    policy = next(each["content"] for each in seen.named("meta") if each.get("http-equiv"))
    assert policy is not None and policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "style=" not in page


@pytest.mark.parametrize("evil", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_text_stays_text(evil: str) -> None:
    calm, hostile = (read(page_text(Story.of(bot_run(text)), "s")) for text in ("plain", evil))
    assert hostile.open == [] and hostile.raw["script"][1] == calm.raw["script"][1]
    unsure = {"details", "summary", "pre", "p", "br"}
    assert {n: c for n, c in hostile.names.items() if n not in unsure} == {
        n: c for n, c in calm.names.items() if n not in unsure
    }  # fmt: skip
    assert not any(name.startswith("on") for _, attributes in hostile.elements for name in attributes)
    assert not re.search("[\u202e\u2066\u200b\x00\x1b]", "".join(hostile.texts))


@pytest.mark.parametrize("evil", [*HOSTILE[:7], "a\n# forged\n```\n![x](http://evil/)\n| a | b |"])
def test_markdown_cannot_be_forged(evil: str) -> None:
    text = markdown_text(Story.of(bot_run(evil)), "s")
    outside, fence = [], ""
    for line in text.splitlines():
        if not fence and (opened := re.match("`{3,}", line)):
            fence = opened[0]
        elif fence and line == fence:
            fence = ""
        elif not fence:
            outside.append(line)
    assert fence == ""
    assert "forged" not in "".join(line for line in outside if line.startswith("#"))
    assert not any(re.search(r"(?<!\\)<|(?<!\\)!?\[", line) for line in outside)


def checked(found: dict[str, Any]) -> list[dict[str, Any]]:
    """The steps of a trajectory, checked against the fields of RFC 0001."""
    assert set(found) == {"schema_version", "session_id", "agent", "steps", "final_metrics", "extra"}
    assert found["schema_version"] == "ATIF-v1.4"
    assert {"name", "version"} <= set(found["agent"]) <= {"name", "version", "model_name", "extra"}
    assert [step["step_id"] for step in found["steps"]] == list(range(1, len(found["steps"]) + 1))
    common = {"step_id", "timestamp", "source", "message", "extra"}
    of_agent = {"model_name", "reasoning_effort", "reasoning_content", "tool_calls", "metrics", "observation"}
    for step in found["steps"]:
        assert step["source"] in ("system", "user", "agent") and isinstance(step["message"], str)
        assert set(step) - common <= (of_agent if step["source"] == "agent" else set())
        datetime.fromisoformat(step["timestamp"])
        calls = {call["tool_call_id"] for call in step.get("tool_calls", [])}
        for result in step.get("observation", {"results": []})["results"]:
            assert result.get("source_call_id", None) in {None, *calls}
            assert isinstance(result["content"], str)
    return list(found["steps"])


def test_the_trajectory_has_the_fields_of_the_format() -> None:
    found = trajectory(Story.of(bot_run()), "s")
    steps = checked(found)
    assert [step["source"] for step in steps] == ["user", "agent", "user", "agent", "agent", "system"]
    assert steps[1]["tool_calls"] == [
        {"tool_call_id": "call_2", "function_name": "mine_block", "arguments": {"name": "plain"}}
    ]
    assert steps[1]["metrics"] == {"prompt_tokens": 900, "completion_tokens": 100, "cost_usd": 0.25}
    assert found["final_metrics"]["total_cost_usd"] == 1.0 and found["agent"]["model_name"] == "qwen"


def test_a_run_with_helpers_and_programs_is_told_by_all(place: Place) -> None:
    story = Story.of(Events(record(place)))
    page = page_text(story, "s")
    assert read(page).open == [] and "scout" in page and "oak_planks" in page
    checked(trajectory(story, "s"))
    assert " of scout\n" in markdown_text(story, "s")


def test_a_helper_adds_no_turns_to_those_of_the_run() -> None:
    """Curves, milestones and figures count turns of the main agent, and a helper may have more of its own."""
    events = bot_run()[:2]
    events += [event("answer", agent="scout", turn=turn, t=20.0, usage=[10, 0, False], cost=0.0) for turn in (1, 2, 7)]
    held = "Now there are 2 oak_log, 3 stick."
    events.append(event("result", agent="scout", turn=7, t=21.0, intent=5, command="mine_block", text=held))
    events.append(event("answer", turn=2, t=30.0, usage=[10, 0, False], cost=0.0))
    story = Story.of(events)
    assert [(point.turn, point.tokens) for point in story.points] == [(0, 0), (1, 1030), (2, 1040)]
    assert {first.turn for first in story.firsts} == {1}
    line = summary(events)
    assert dict(figures(story))["Turns"] == "2" and line is not None and line.turns == 2
    del story.steps[-1]
    story.steps[:] = [step for step in story.steps if step.agent == "scout"]
    assert dict(figures(story))["Turns"] == "2", "the live page has only the last steps, which may be a helper's"


def test_a_result_belongs_to_its_agents_turn_however_many_turns_of_others_came_between() -> None:
    events = [*bot_run(), *(event("answer", agent="scout", turn=turn, t=51.0) for turn in range(1, 80))]
    events += [event("result", turn=3, t=60.0, intent=9, command="wait_for_agent", text="done")]
    steps = Story.of(events).steps
    assert [step.agent for step in steps if step.effects and step.effects[-1].command == "wait_for_agent"] == ["main"]


def test_a_long_result_in_markdown_says_what_is_left_out() -> None:
    events = [*bot_run(), event("result", turn=3, t=51.0, intent=9, command="read_file", text="x" * 5_000)]
    assert "\n… 1,000 more characters\n" in markdown_text(Story.of(events), "s")


def test_a_learning_run_has_both_pages() -> None:
    assert read(page_text(Story.of(pickaxe_run().events), "s")).open == []


def test_a_long_run_is_bounded() -> None:
    words = [event("feedback", turn=1, text=f"word {number}") for number in range(MOST_STEPS + 5)]
    page = page_text(Story.of(bot_run()[:1] + words), "s")
    assert "6 steps are left out here" in page
    assert "word 0 " in page and f"word {MOST_STEPS + 4} " in page and f"word {MOST_STEPS // 2} " not in page


def test_long_curves_and_ways_are_drawn_through_some_of_their_points() -> None:
    events = bot_run()[:1]
    for turn in range(1, 3_000):
        events.append(event("answer", turn=turn, t=float(turn), usage=[10, 0, False], cost=0.0))
        events.append(event("progress", turn=turn, id="s:1", command="goto", place=f"({turn}, 64, {-turn})"))
    events.append(event("end", turn=2_999, t=3_000.0, reason="limit", why="", inventory={}))
    seen = read(page_text(Story.of(events), "s"))
    assert 500 < seen.names["tr"] < 1_200
    assert "29,990 after 2,999 turns." in seen.texts and "2999" in seen.texts


def test_the_verb_writes_all(place: Place) -> None:
    assert place.run("run", *STONE_PICKAXE, "--continuous").returncode == 0
    done = place.run("report", "--html", "a.html", "--markdown", "a.md", "--atif", "a.json")
    assert done.returncode == 0, done.stderr
    assert "stone_pickaxe" in (place.folder / "a.html").read_text()
    assert "\\_pickaxe" in (place.folder / "a.md").read_text()
    checked(json.loads((place.folder / "a.json").read_text()))
    checked(json.loads(place.run("report", "last", "--atif", "-").stdout))
    assert place.run("report", "--html", "-").stdout == (place.folder / "a.html").read_text()
    done = place.run("report", "--html", "-", "--open")
    assert (done.returncode, done.stderr) == (2, "autocraft: --open needs a file: leave out --html -\n")
    assert not (place.folder / "-").exists()
    assert place.run("report", "--html").returncode == 0 and (place.folder / "report.html").is_file()


def test_open_hands_the_page_to_the_browser(place: Place, tmp_path: Path) -> None:
    assert place.run("run", *STONE_PICKAXE, "--continuous").returncode == 0
    browser = tmp_path / "browser"
    browser.write_text('#!/bin/sh\nprintf %s "$1" > "$HOME/opened"\n')
    browser.chmod(0o755)
    done = place.run("report", "--open", BROWSER=f"{browser} %s")
    assert done.returncode == 0, done.stderr
    page = place.state / "sessions" / place.session() / "report.html"
    assert (place.folder / "opened").read_text() == page.as_uri() and page.is_file()
