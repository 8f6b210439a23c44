"""`autocraft eval --ids FILE` plays the examples that a file names, and nothing else."""

from __future__ import annotations

import json

import pytest

from autocraft.evaluation.results import EpisodeResult, read_results
from tests.conftest import Place

PLANNER = ("--brain", "planner", "--out", "out")


def played(place: Place) -> list[str]:
    results, torn = read_results(place.folder / "out" / "results.jsonl", EpisodeResult.from_json)
    assert not torn
    return [result.example_id for result in results]


@pytest.mark.parametrize(
    "text",
    ["TEST0100\nVAL0003\nTEST0018\n", "TEST0100, VAL0003 TEST0018", '["TEST0100", "VAL0003", "TEST0018", "TEST0100"]'],
    ids=["lines", "commas", "a list of JSON, with one twice"],
)
@pytest.mark.sampled(1)
def test_it_plays_the_examples_of_the_file_from_any_split(place: Place, text: str) -> None:
    (place.folder / "ids.txt").write_text(text)
    done = place.run("eval", "--ids", "ids.txt", *PLANNER, "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1])["n"] == 3
    assert sorted(played(place)) == ["TEST0018", "TEST0100", "VAL0003"]
    conditions = json.loads((place.folder / "out" / "conditions.json").read_text())
    assert "TEST0100" in json.dumps(conditions)


def test_a_resume_must_keep_the_examples(place: Place) -> None:
    for text in ("TEST0018", "TEST0100"):
        (place.folder / f"{text}.txt").write_text(text)
    assert place.run("eval", "--ids", "TEST0018.txt", *PLANNER).returncode == 0
    other = place.run("eval", "--ids", "TEST0100.txt", *PLANNER, "--resume")
    assert (other.returncode, len(other.stderr.splitlines())) == (2, 1), other.stderr
    assert played(place) == ["TEST0018"]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "--ids ids.txt names no example: write one id a line, such as TEST0018"),
        (b"\n ,\n", "--ids ids.txt names no example"),
        (b"TEST0018\nTEST99999\n", "TEST99999"),
        (b"an essay", "'an'"),
        (b"\xff\xfe\x00", "--ids ids.txt cannot be read"),
        (None, "--ids ids.txt cannot be read"),
    ],
    ids=["empty", "only blanks", "an unknown id", "no ids", "no text", "no file"],
)
def test_a_file_that_names_no_examples_is_refused_in_one_line(place: Place, content: bytes | None, says: str) -> None:
    if content is not None:
        (place.folder / "ids.txt").write_bytes(content)
    done = place.run("eval", "--ids", "ids.txt", *PLANNER)
    assert (done.returncode, done.stdout) == (2, ""), done.stdout
    (line,) = done.stderr.splitlines()
    assert says in line
    assert not (place.folder / "out").exists()


def test_a_suite_takes_no_ids(place: Place) -> None:
    (place.folder / "ids.txt").write_text("TEST0018")
    done = place.run("eval", "--suite", "optimus", "--ids", "ids.txt")
    assert done.returncode == 2 and "--ids belongs to Plancraft's examples" in done.stderr
