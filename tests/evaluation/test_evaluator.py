"""A whole evaluation: kept as it goes, resumed after kill -9, and never wrong about an endpoint that fails."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from autocraft import Evaluator, Model
from autocraft.cli.scores import score_lines
from autocraft.errors import UsageError
from autocraft.evaluation.players import PlannerPlayer
from autocraft.evaluation.results import EpisodeResult, read_results
from autocraft.evaluation.tools import fewest
from autocraft.protocols import Json
from tests.brains.stand_in import StandIn, fault, streamed
from tests.conftest import PROGRAM, Place
from tests.processes import carrying, kill

pytestmark = pytest.mark.sampled(7)


class First(Model):
    """A dummy: it moves whatever lies first into a free slot."""

    name = "first"

    def step(self, observation: Json, dialogue_history: Sequence[Json]) -> str:
        slot = min(slot for slot in observation["inventory"] if slot >= 10)
        free = next(slot for slot in range(10, 46) if slot not in observation["inventory"])
        return f"move: from [I{slot - 9}] to [I{free - 9}] with quantity 1"


class Together(First):
    """The same, for many episodes in one call."""

    name = "together"

    def __init__(self) -> None:
        self.sizes: list[int] = []

    def batch_step(self, observations: Sequence[Json], histories: Sequence[Sequence[Json]]) -> list[str]:
        self.sizes.append(len(observations))
        return [self.step(each, history) for each, history in zip(observations, histories, strict=True)]


def comparable(results: Sequence[Any]) -> list[Json]:
    """Results without the time that they took."""
    return [{name: value for name, value in each.to_json().items() if name != "seconds"} for each in results]


def test_a_dummy_model_is_scored(tmp_path: Path) -> None:
    outcome = Evaluator(split="test.small", limit=6, max_steps=4, out=tmp_path / "out").run(First())
    assert [each.success for each in outcome.results] == [False] * 6
    assert {each.number_of_steps for each in outcome.results} == {4}
    assert (outcome.summary["n"], outcome.summary["success"], outcome.summary["void"]) == (6, 0.0, 0)
    assert sorted(path.name for path in outcome.folder.iterdir()) == [
        "conditions.json", "episodes", "lock", "page.html", "results.jsonl", "summary.json",
    ]  # fmt: skip
    kept, torn = read_results(outcome.folder / "results.jsonl", EpisodeResult.from_json)
    assert (comparable(kept), torn) == (comparable(outcome.results), 0)


def test_a_batch_asks_once_for_all_episodes_and_gets_the_same(tmp_path: Path) -> None:
    one = Evaluator(split="test.small", limit=6, max_steps=4, out=tmp_path / "one").run(First())
    model = Together()
    many = Evaluator(split="test.small", limit=6, max_steps=4, out=tmp_path / "many", workers=3).run(model)
    assert comparable(many.results) == comparable(one.results)
    assert model.sizes.count(3) >= 6 and sum(model.sizes) == 24


def test_one_model_without_batch_step_plays_one_at_a_time(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="first plays one episode at a time: give it a batch_step"):
        Evaluator(split="test.small", out=tmp_path / "out", workers=2).run(First())


def test_seeds_play_each_example_again(tmp_path: Path) -> None:
    outcome = Evaluator(split="test.small", limit=3, seeds=2, out=tmp_path / "out").run(PlannerPlayer())
    assert [each.seed for each in outcome.results] == [0, 0, 0, 1, 1, 1]
    assert outcome.summary["seeds"] == 2
    assert outcome.summary["spread"] == 0.0


def test_each_example_is_planned_once_to_be_played_and_scored(tmp_path: Path) -> None:
    fewest.cache_clear()
    outcome = Evaluator(split="test.small", tools="M,S", limit=4, seeds=2, out=tmp_path / "out").run(PlannerPlayer())
    assert {each.actions - (each.minimum or 0) for each in outcome.results} == {0}
    assert (fewest.cache_info().misses, fewest.cache_info().hits) == (4, 12)


@pytest.mark.full
def test_impossible_examples_need_the_tool_that_says_so(tmp_path: Path) -> None:
    outcome = Evaluator(split="test.small", tools="M,S", out=tmp_path / "out").run(PlannerPlayer())
    assert len(outcome.results) == 97 and not any(each.impossible for each in outcome.results)


def test_results_are_not_written_over(tmp_path: Path) -> None:
    Evaluator(split="test.small", limit=2, out=tmp_path).run(PlannerPlayer())
    with pytest.raises(UsageError, match=r"results\.jsonl already: go on with it by --resume, or choose another --out"):
        Evaluator(split="test.small", limit=2, out=tmp_path).run(PlannerPlayer())
    with pytest.raises(UsageError, match="begun with limit 2, not 3: give the same, or another --out"):
        Evaluator(split="test.small", limit=3, out=tmp_path, resume=True).run(PlannerPlayer())
    with pytest.raises(UsageError, match="holds no evaluation to resume"):
        Evaluator(split="test.small", limit=3, out=tmp_path / "new", resume=True).run(PlannerPlayer())
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("name", ["conditions.json", "summary.json", "page.html"])
def test_a_file_of_somebody_else_is_not_written_over(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("mine")
    with pytest.raises(UsageError, match=f"holds {name} already"):
        Evaluator(split="test.small", limit=1, out=tmp_path).run(PlannerPlayer())
    assert (tmp_path / name).read_text() == "mine"


@pytest.mark.parametrize("cut", [1, 40, 5_000])
def test_a_results_file_cut_in_half_loses_only_what_was_cut(tmp_path: Path, cut: int) -> None:
    whole = Evaluator(split="test.small", limit=8, out=tmp_path).run(PlannerPlayer())
    file = tmp_path / "results.jsonl"
    os.truncate(file, file.stat().st_size - cut)
    left, torn = read_results(file, EpisodeResult.from_json)
    assert torn > 0
    played = []
    again = Evaluator(split="test.small", limit=8, out=tmp_path, resume=True)
    outcome = again.run(PlannerPlayer(), lambda result, done, total: played.append(result.example_id))
    assert len(played) == 8 - len(left)
    assert outcome.summary["seconds"] is None and whole.summary["seconds"] > 0, "the first run's time was not kept"
    assert "8 episodes, time unknown." in " ".join(" ".join(score_lines(outcome.summary)).split())
    assert comparable(outcome.results) == comparable(whole.results)


@pytest.mark.parametrize("change", [{}, {"prompt_tokens": None}, {"success": "no"}, {"cost": "1"}, {"steps": [5]}])
def test_a_line_that_is_no_result_is_named(tmp_path: Path, change: dict[str, Any]) -> None:
    first = Evaluator(split="test.small", limit=2, out=tmp_path).run(PlannerPlayer()).results[0]
    with (tmp_path / "results.jsonl").open("a") as file:
        file.write(json.dumps({**first.to_json(), **change} if change else {"v": 1}) + "\n")
    with pytest.raises(UsageError, match=r"line 3 of .*results.jsonl is not a result of autocraft; remove that line"):
        Evaluator(split="test.small", limit=2, out=tmp_path, resume=True).run(PlannerPlayer())


@pytest.mark.full
def test_kill_9_loses_only_the_episode_in_flight(place: Place) -> None:
    arguments = ["eval", "--split", "test.small", "--brain", "planner", "--out", "out", "--json"]
    running = subprocess.Popen(
        [*PROGRAM, *arguments], cwd=place.folder, env=place.environment, stdout=subprocess.PIPE, text=True,
        pipesize=4096,  # so that it cannot come to its end before it is killed
    )  # fmt: skip
    assert running.stdout is not None
    told = [json.loads(running.stdout.readline()) for _ in range(20)]
    running.send_signal(signal.SIGKILL)
    told += [json.loads(line) for line in running.stdout.read().splitlines() if line.endswith("}")]
    running.wait()
    kept, _ = read_results(place.folder / "out" / "results.jsonl", EpisodeResult.from_json)
    assert {each.example_id for each in kept} >= {each["example_id"] for each in told}
    assert len(kept) < 117
    done = place.run(*arguments, "--resume")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(lines) - 1 == 117 - len(kept)
    summary = lines[-1]
    assert (done.returncode, summary["n"], summary["success"]) == (0, 117, 1.0)
    assert summary["actions_total"] == summary["actions_minimum"] == 752
    assert (summary["certified"], summary["impossible_f1"]) == (97, 1.0)


EVAL = ("eval", "--split", "test.small", "--brain", "openai", "--limit", "3", "--max-steps", "2", "--out", "out")


def test_an_endpoint_that_fails_gives_no_failed_examples(place: Place, stand_in: StandIn) -> None:
    """The first episode meets a server error that its retries do not outlast; the others are played."""
    environment = {"OPENAI_BASE_URL": stand_in.url, "AUTOCRAFT_RETRY_SECONDS": "0.01", "OPENAI_RETRIES": "2"}
    stand_in.replies = [fault(500, "out of order")] * 3
    stand_in.refuse = lambda request: None if stand_in.replies else streamed("think: hm")
    done = place.run(*EVAL, "--json", **environment)
    assert done.returncode == 1
    assert (
        "1 episode not counted, since the endpoint or the practice server failed: play again with --resume --out out"
        in done.stderr
    )
    assert "; the last one said: " in done.stderr and "out of order" in done.stderr
    episodes = [json.loads(line) for line in done.stdout.splitlines()]
    assert [each.get("ended") for each in episodes[:3]] == ["infrastructure", "max_steps", "max_steps"]
    assert (episodes[-1]["n"], episodes[-1]["void"]) == (2, 1)
    assert len(stand_in.requests) == 3 + 2 * 2
    again = place.run(*EVAL, "--json", "--resume", **environment)
    assert again.returncode == 0
    lines = [json.loads(line) for line in again.stdout.splitlines()]
    assert [each["type"] for each in lines] == ["episode", "summary"]
    assert (lines[-1]["n"], lines[-1]["void"]) == (3, 0)


def test_a_resume_plays_with_the_same_model_and_the_same_sampling(place: Place, stand_in: StandIn) -> None:
    """Without a name, the first model of the endpoint plays, and it counts as named."""
    stand_in.refuse = lambda request: streamed("think: hm")
    stand_in.offer("nomic-embed", "small:1b")
    first = place.run(*EVAL, "--model", "", "--json", OPENAI_BASE_URL=stand_in.url)
    assert first.returncode == 0, first.stderr
    assert f"Brain: openai (small:1b at {stand_in.url})" in first.stderr
    assert json.loads(first.stdout.splitlines()[-1])["conditions"]["model"] == "small:1b"
    stand_in.offer("large:70b")
    again = place.run(*EVAL, "--model", "", "--resume", OPENAI_BASE_URL=stand_in.url)
    assert again.returncode == 2 and "was begun with model 'small:1b', not 'large:70b'" in again.stderr
    (place.folder / "autocraft.toml").write_text("[models.smart]\ntemperature = 0.6\n")
    place.confirm()
    again = place.run(*EVAL, "--model", "small:1b", "--resume", OPENAI_BASE_URL=stand_in.url)
    assert again.returncode == 2 and "was begun with temperature none, not 0.6" in again.stderr


def test_a_model_that_reasons_gets_the_room_of_its_settings(place: Place, stand_in: StandIn) -> None:
    stand_in.refuse = lambda request: streamed("think: hm")
    assert place.run(*EVAL, "--limit", "1", OPENAI_BASE_URL=stand_in.url).returncode == 0
    (place.folder / "autocraft.toml").write_text("[models.smart]\nreply_tokens = 4000\n")
    place.confirm()
    assert place.run(*EVAL, "--limit", "1", "--out", "more", OPENAI_BASE_URL=stand_in.url).returncode == 0
    assert [request["max_tokens"] for request in stand_in.requests] == [256, 256, 4000, 4000]


@pytest.mark.parametrize(
    ("settings", "name"),
    [
        ("[models.smart]\nmax_tokens = 30\n", "models.smart.max_tokens"),
        ("[models.smart]\nmax_cost = 20.0\n", "models.smart.max_cost"),
        ("[limits]\nmax_cost = 20.0\n", "limits.max_cost"),
    ],
)
@pytest.mark.full
def test_a_budget_of_the_settings_holds_for_the_whole_evaluation(
    place: Place, stand_in: StandIn, settings: str, name: str
) -> None:
    stand_in.refuse = lambda request: streamed("think: hm")  # 11 tokens are sent and 7 received
    (place.folder / "autocraft.toml").write_text(settings)
    place.confirm()
    prices = ("--price-in", "1000000", "--price-out", "0")
    done = place.run(*EVAL, *prices, OPENAI_BASE_URL=stand_in.url)
    section = name.rpartition(".")[0]
    told = f"{name} is used up after 1 of 3 episodes: raise it under [{section}] in autocraft.toml, then go on with"
    assert done.returncode == 3 and f"{told} --resume --out out" in done.stderr
    assert len(stand_in.requests) == 2
    file = place.folder / "out" / "results.jsonl"
    void = {**json.loads(file.read_text()), "ended": "infrastructure", "success": False}
    file.write_text(json.dumps(void) + "\n")
    done = place.run(*EVAL, *prices, "--resume", OPENAI_BASE_URL=stand_in.url)
    assert done.returncode == 3 and "after 0 of 3 episodes" in done.stderr, "what a void episode cost counts as well"
    assert len(stand_in.requests) == 2
    (place.folder / "autocraft.toml").unlink()
    assert place.run(*EVAL, "--resume", OPENAI_BASE_URL=stand_in.url).returncode == 0


def test_the_model_is_sent_our_few_shots_and_no_key_or_path(place: Place, stand_in: StandIn) -> None:
    stand_in.refuse = lambda request: streamed("search: stick\nuser: made up")
    done = place.run(*EVAL, OPENAI_BASE_URL=stand_in.url, OPENAI_API_KEY="sk-secret-secret")
    assert done.returncode == 0
    request = stand_in.requests[1]
    assert request["stop"] == ["\n"]
    messages = request["messages"]
    assert [messages[0]["role"], messages[1]["role"], messages[-1]["role"]] == ["system", "user", "user"]
    assert messages[-2]["content"] == "search: stick"
    assert messages[-1]["content"].startswith("Recipes to craft stick")
    assert "sk-secret" not in json.dumps(request["messages"])


def test_images_go_to_the_model(place: Place, stand_in: StandIn) -> None:
    stand_in.refuse = lambda request: streamed("think: I see")
    assert place.run(*EVAL, "--images", "--limit", "1", OPENAI_BASE_URL=stand_in.url).returncode == 0
    last = stand_in.requests[0]["messages"][-1]["content"]
    assert [part["type"] for part in last] == ["text", "image_url"]
    assert last[1]["image_url"]["url"].startswith("data:image/png;base64,")


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (["--split", "tset"], 2, "there is no split 'tset': choose train, val, test,"),
        (["--tools", "M,X"], 2, "there is no tool 'X': choose among M (move), S (smelt)"),
        (["--tools", ","], 2, "--tools names no tool"),
        (["--tools", "T,I"], 2, "the planner moves and smelts: add M, S to --tools"),
        (["--seeds", "0"], 2, "--seeds must be 1 or more, not 0"),
        (["--limit", "-1"], 2, "--limit must be 1 or more, not -1"),
        (["--workers", "0"], 2, "--workers must be 1 or more, not 0"),
        (["--engine", "spark"], 2, "there is no engine 'spark': choose local or ray"),
        (["--protocol", "mine"], 2, "--protocol 'mine' is unknown: choose package or paper"),
        (["--resume"], 2, "--resume needs --out"),
        (["--brain", "scripted"], 2, "an evaluation is played by planner or openai, not by 'scripted'"),
        (["--brain", "openai"], 2, "--brain openai needs OPENAI_API_KEY"),
        (
            ["--brain", "", "--model", "gpt-5"],
            2,
            "--model belongs to a brain that asks one, and the planner would play",
        ),
        (["--out", "begun", "--resume"], 2, "begun holds no evaluation to resume"),
        (["--out", "file"], 2, "cannot make the folder file: "),
    ],
)
def test_bad_input_is_one_clear_line(place: Place, arguments: list[str], code: int, told: str) -> None:
    (place.folder / "file").write_text("")
    (place.folder / "begun").mkdir()
    (place.folder / "begun" / "conditions.json").write_text("[]")
    brain = [] if "--brain" in arguments else ["--brain", "planner"]
    done = place.run("eval", *brain, *arguments)
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (code, "", 1)
    assert done.stderr.startswith(f"autocraft: {told}")


def test_one_price_without_the_other_is_refused(place: Place, stand_in: StandIn) -> None:
    done = place.run(*EVAL, "--price-in", "1", OPENAI_BASE_URL=stand_in.url)
    assert (done.returncode, done.stderr) == (2, "autocraft: --price-in and --price-out go together: give both\n")


def test_a_misspelt_setting_is_named_and_those_of_other_commands_are_left_alone(
    place: Place, stand_in: StandIn
) -> None:
    settings = place.folder / "autocraft.toml"
    settings.write_text('[openai]\nbase_ur = "x"\n[minecraft]\nserver = "lan"\n')
    place.confirm()
    done = place.run(*EVAL, OPENAI_BASE_URL=stand_in.url)
    told = "autocraft: openai.base_ur in autocraft.toml is not a setting: did you mean base_url?\n"
    assert (done.returncode, done.stderr) == (2, told)
    settings.write_text('[minecraft]\nserver = "lan"\n')
    place.confirm()
    done = place.run(*EVAL, "--out", "autocraft.toml", OPENAI_BASE_URL=stand_in.url)
    header, error = done.stderr.splitlines()
    assert header == f"Brain: openai (gpt-5-mini at {stand_in.url})"
    assert error.startswith("autocraft: cannot make the folder autocraft.toml: ")


def test_a_full_disk_leaves_no_half_result(tmp_path: Path) -> None:
    """A process of its own may only write files of so many bytes; what is kept is resumed."""
    Evaluator(split="test.small", limit=3, out=tmp_path / "whole").run(PlannerPlayer())
    size = (tmp_path / "whole" / "results.jsonl").stat().st_size
    program = (
        "import resource, sys\n"
        "from autocraft.errors import SessionError\n"
        "from autocraft import Evaluator\n"
        "from autocraft.evaluation.players import PlannerPlayer\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), resource.RLIM_INFINITY))\n"
        "try:\n"
        "    Evaluator(split='test.small', limit=3, out=sys.argv[1]).run(PlannerPlayer())\n"
        "except SessionError as error:\n"
        "    print(error)\n"
    )
    out = tmp_path / "out"
    limited = Place(tmp_path).python("-c", program, str(out), str(size - 100))
    assert "free some space, then go on with --resume" in limited.stdout, limited.stderr
    kept, torn = read_results(out / "results.jsonl", EpisodeResult.from_json)
    assert (len(kept), torn) == (2, 0)
    outcome = Evaluator(split="test.small", limit=3, out=out, resume=True).run(PlannerPlayer())
    assert len(outcome.results) == 3


def test_textures_that_are_missing_are_one_clear_line(place: Place) -> None:
    done = place.run("eval", "--brain", "planner", "--images", "--limit", "1", AUTOCRAFT_TEXTURES="/nowhere")
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
    assert "/nowhere" in done.stderr


@pytest.mark.full
def test_ctrl_c_keeps_what_was_played_and_says_how_to_go_on(place: Place) -> None:
    arguments = ["eval", "--split", "test", "--brain", "planner", "--out", "out"]
    running = subprocess.Popen(
        [*PROGRAM, *arguments], cwd=place.folder, env=place.environment, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert running.stderr is not None
    assert running.stderr.readline().startswith("50/580")
    running.send_signal(signal.SIGINT)
    _, rest = running.communicate(timeout=120)
    assert running.returncode == 130
    assert "Interrupted. What was played is kept: go on with --resume --out out" in rest
    assert len(read_results(place.folder / "out" / "results.jsonl", EpisodeResult.from_json)[0]) >= 50


def test_two_evaluations_do_not_write_into_one_folder(tmp_path: Path) -> None:
    holder = "import sys, time; from pathlib import Path; from autocraft.session.atomic import lock_file\n"
    holder += "kept = lock_file(Path(sys.argv[1]), 'it'); print('held', flush=True); time.sleep(60)"
    other = subprocess.Popen([sys.executable, "-c", holder, str(tmp_path / "lock")], stdout=subprocess.PIPE, text=True)
    assert other.stdout is not None and other.stdout.readline() == "held\n"
    try:
        with pytest.raises(Exception, match=r"the evaluation in .* is in use"):
            Evaluator(split="test.small", limit=1, out=tmp_path).run(PlannerPlayer())
    finally:
        other.kill()
        other.wait()


@pytest.mark.full
def test_a_cluster_gives_the_same_results_although_a_worker_dies(tmp_path: Path) -> None:
    """A real Ray cluster of two workers on this machine; one is killed in the middle."""
    local = Evaluator(split="test.small", out=tmp_path / "local").run(PlannerPlayer())
    killed: list[int] = []

    def kill_one(result: Any, done: int, total: int) -> None:
        if done >= 30 and not killed:
            killed.extend(carrying("ray::_play_there")[:1])  # none, at a moment between two tasks
            kill(killed)

    started = time.monotonic()
    cluster = Evaluator(split="test.small", out=tmp_path / "ray", engine="ray", workers=2).run(
        PlannerPlayer(), kill_one
    )
    assert len(killed) == 1
    assert comparable(cluster.results) == comparable(local.results)
    assert cluster.summary["actions_total"] == local.summary["actions_total"]
    journals = [(path.parent.name, path.stat().st_size > 0) for path in (tmp_path / "ray").rglob("events.jsonl")]
    assert len(journals) == 117 and all(filled for _, filled in journals)
    print(f"{time.monotonic() - started:.0f} s on a cluster of two workers")
