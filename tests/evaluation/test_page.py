"""The page of an evaluation: read back as a browser would read it, made from episodes that were really played."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import math
import re
import resource
from collections import Counter
from dataclasses import dataclass, field, fields, replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from autocraft.crafting.examples import load_example, load_examples
from autocraft.crafting.slots import key_of
from autocraft.errors import SessionError, UsageError
from autocraft.evaluation.page import LIMIT, page_text
from autocraft.evaluation.page.pack import pack
from autocraft.evaluation.page.plots import Pair, pairs, rates
from autocraft.evaluation.page.sanitise import sanitise
from autocraft.evaluation.results import EpisodeResult, StepResult, append_result, read_results
from autocraft.evaluation.scores import failures, outcome, summary, waste
from autocraft.page.drawing import Scale
from autocraft.page.rendering import write
from autocraft.page.tidy import line, text
from tests.evaluation.make_results import at_random, by_plan, several

pytestmark = pytest.mark.sampled(20)

HOSTILE = [
    "</script><script>alert(1)</script>",
    "<!--<script>",
    "]]>--><img src=x onerror=alert(1)>",
    '" onmouseover="alert(1)" x=\'',
    "&lt;b&gt; &#60;",
    "${title} $episodes $$ %s {{ x }}",
    "\u202egnp.exe\u2066 \u200b\ufeff\u2028 \x00\x1b[2J\r\n\x7f",
    "half \ud83d of a character \udc00",
    "x" * 30_000,
    "</title></style></svg><base href=//evil>",
]


@dataclass
class Reader(HTMLParser):
    """What a browser sees: elements with their attributes, text outside of scripts, and the scripts."""

    elements: list[tuple[str, dict[str, str | None]]] = field(default_factory=list)
    open: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    raw: dict[str, list[str]] = field(default_factory=lambda: {"script": [], "style": []})

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag in self.raw:
            self.raw[tag].append("")
        if tag not in ("meta", "input"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open and self.open[-1] == tag, f"</{tag}> closes <{self.open[-1:]}>"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] in self.raw:
            self.raw[self.open[-1]][-1] += data
        else:
            self.texts.append(data)

    @property
    def names(self) -> Counter[str]:
        return Counter(name for name, _ in self.elements)

    def named(self, name: str) -> list[dict[str, str | None]]:
        return [attributes for each, attributes in self.elements if each == name]


def read(page: str) -> Reader:
    reader = Reader()
    reader.feed(page)
    reader.close()
    assert reader.open == []
    return reader


def unpacked(packed: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(gzip.decompress(base64.b64decode(packed, validate=True)))
    return found


def episodes_of(page: str) -> dict[str, Any]:
    return unpacked(read(page).raw["script"][0])


def slots_after(episode: dict[str, Any]) -> list[dict[str, list[Any]]]:
    """The slots at the start and after each step, from what is packed, as `js/unpack.js` works them out."""
    states: list[dict[str, list[Any]]] = [{}]
    for changes in (episode["start"], *(step[6] for step in episode["steps"])):
        state = dict(states[-1])
        for slot, item, count in zip(changes[::3], changes[1::3], changes[2::3], strict=True):
            state[key_of(slot)] = [item, count]
            if not count:
                del state[key_of(slot)]
        states.append(state)
    return states[1:]


def scored(results: list[EpisodeResult]) -> dict[str, Any]:
    return summary(results, split="test", conditions={"tools": ["M", "S"], "feedback": True}, seconds=61.0)


@pytest.fixture(scope="module")
def played() -> list[EpisodeResult]:
    """Every tenth test example with two seeds, one of them void."""
    results = list(several(list(load_examples("test").values())[::10], seeds=2, wordy=5))
    results[3] = replace(results[3], ended="infrastructure", success=False, error="the endpoint failed")
    return results


@pytest.fixture(scope="module")
def page(played: list[EpisodeResult]) -> str:
    """The page of all these episodes."""
    return page_text(played, scored(played), "t")


def hostile_results() -> list[EpisodeResult]:
    """A really played episode with hostile text in every field that holds text, once for each."""
    real = at_random(load_example("TEST0018"), wordy=3)
    made = []
    for evil in HOSTILE:
        steps = [
            StepResult(evil, evil, index % 2 == 0, evil, evil, {"I1": [evil, 3], evil: ["stick", 1]})  # type: ignore[arg-type]
            for index in range(3)
        ]
        texts: dict[str, Any] = dict.fromkeys(
            ("example_id", "target", "complexity", "recipe_type", "ended", "error"), evil
        )
        dialogue = [{"role": evil, "content": evil}]
        made.append(replace(real, **texts, steps=steps, dialogue=dialogue, start={"A1": [evil, 1]}))
    return made


def hostile_summary(evil: Any) -> dict[str, Any]:
    keys = [*scored([]), "levels", "paper"]
    hostile: dict[str, Any] = dict.fromkeys(keys, evil)
    hostile["levels"] = {str(evil): {"n": evil, "success": evil, "spread": evil}, "easy": evil}
    hostile["paper"] = [dict.fromkeys(("model", "tools", "easy", "overall", "plan_length"), evil), evil]
    hostile["conditions"] = {str(evil): evil, "tools": [evil, None], "list": [[evil]]}
    return hostile


# ---------------------------------------------------------------- the file


def test_the_page_is_one_whole_file_that_loads_nothing(tmp_path: Path, played: list[EpisodeResult]) -> None:
    path = tmp_path / "page.html"
    written = write(path, page_text(played, scored(played), "A title"))
    assert written == path.stat().st_size
    assert [each.name for each in tmp_path.iterdir()] == ["page.html"]
    reader = read(path.read_text("utf-8"))
    assert not reader.names.keys() & {
        "link",
        "img",
        "iframe",
        "object",
        "embed",
        "base",
        "audio",
        "video",
        "use",
        "image",
    }
    urls = [value for _, attributes in reader.elements for name, value in attributes.items() if name in ("src", "href")]
    assert urls == ["#summary", "#plots", "#episodes"]
    assert not re.search(r"url\(|@import|@font-face", "".join(reader.raw["style"]))
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", "".join(reader.raw["script"][1:]))


@pytest.mark.full
def test_the_policy_names_our_own_script_and_style_alone(page: str) -> None:
    reader = read(page)
    policy = reader.named("meta")[1]
    assert policy["http-equiv"] == "Content-Security-Policy"
    rules = {name: rest for name, *rest in (rule.split() for rule in (policy["content"] or "").split(";"))}

    def hashed(source: str) -> list[str]:
        return [f"'sha256-{base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()}'"]

    assert rules["default-src"] == ["'none'"]
    assert rules["script-src"] == hashed(reader.raw["script"][1])
    assert rules["style-src"] == hashed(reader.raw["style"][0])
    assert [each["type"] for each in reader.named("script")] == ["text/plain", "module"]
    before = [name for name, _ in reader.elements[: reader.elements.index(("meta", policy))]]
    assert before == ["html", "head", "meta"]


def test_no_element_has_a_handler_or_a_style_of_its_own(page: str) -> None:
    for _, attributes in read(page).elements:
        assert not [name for name in attributes if name.startswith("on") or name == "style"]


def test_our_script_never_makes_markup_of_text(played: list[EpisodeResult]) -> None:
    script = read(page_text(played, {}, "t")).raw["script"][1]
    ways = (
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "document.write",
        "DOMParser",
        "eval(",
        "Function(",
        "setHTML",
    )
    assert not [each for each in (*ways, "createContextualFragment", "srcdoc", "setTimeout('") if each in script]


def test_a_page_that_cannot_be_written_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"cannot write .*page\.html: .*; give another path"):
        write(tmp_path / "missing" / "page.html", page_text([], {}, "t"))
    (tmp_path / "folder").mkdir()
    with pytest.raises(UsageError, match="give another path"):
        write(tmp_path / "folder", page_text([], {}, "t"))
    assert [each.name for each in tmp_path.iterdir()] == ["folder"]


def test_the_same_results_give_the_same_page(played: list[EpisodeResult], page: str) -> None:
    assert page == page_text(played, scored(played), "t")


# ---------------------------------------------------------------- what it shows


def test_every_episode_can_be_stepped_through_as_it_was_played(played: list[EpisodeResult], page: str) -> None:
    data = episodes_of(page)
    assert [each["key"] for each in data["episodes"]] == [f"{each.example_id}-{each.seed}" for each in played]
    for episode, result in zip(data["episodes"], played, strict=True):
        assert slots_after(episode) == [result.start, *(step.slots for step in result.steps)]
        for packed, step in zip(episode["steps"], result.steps, strict=True):
            kind, ok, *texts, moves, _ = packed
            assert (kind, bool(ok), moves) == (step.kind, step.ok, step.moves)
            assert [data["strings"][number] for number in texts] == [step.action, step.answer, step.text]
        said = [{"role": role, "content": data["strings"][number]} for role, number in episode["dialogue"]]
        assert said == list(result.dialogue)
        assert episode["outcome"] == outcome(result)
        assert data["strings"][episode["error"]] == result.error


def test_no_text_is_kept_twice(played: list[EpisodeResult]) -> None:
    strings = episodes_of(page_text(played, {}, "t"))["strings"]
    assert len(strings) == len(set(strings)) > 1000


def test_an_episode_that_is_there_twice_has_a_link_of_its_own() -> None:
    result = by_plan(load_example("TEST0018"))
    keys = [each["key"] for each in episodes_of(page_text([result, result, result], {}, "t"))["episodes"]]
    assert keys == ["TEST0018-0", "TEST0018-0~2", "TEST0018-0~3"]


def test_results_read_from_a_file_give_the_same_page(tmp_path: Path, played: list[EpisodeResult]) -> None:
    for each in played[:8]:
        append_result(tmp_path / "results.jsonl", each)
    back, torn = read_results(tmp_path / "results.jsonl", EpisodeResult.from_json)
    assert torn == 0
    assert page_text(back, {}, "t") == page_text(played[:8], {}, "t")


def test_a_row_for_which_there_is_no_room_leaves_no_half_line(tmp_path: Path) -> None:
    """A limit on the size of files makes the system write less than was asked for, as a full disk does."""
    file, result = tmp_path / "results.jsonl", by_plan(load_example("TEST0018"))
    append_result(file, result)
    size = file.stat().st_size
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size + 10, hard))
    try:
        with pytest.raises(SessionError, match="free some space"):
            append_result(file, result)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert file.stat().st_size == size


def test_the_summary_stands_there_without_a_script(played: list[EpisodeResult]) -> None:
    scores = scored(played)
    reader = read(page_text(played, scores, "Test of a page"))
    shown = " ".join(" ".join(reader.texts).split())
    assert "Test of a page" in shown
    assert f"Success {scores['success'] * 100:.1f} %" in shown
    assert f"Actions of the successes {scores['actions_total']:,}" in shown
    assert "Void episodes 1" in shown
    assert "Time 61.0 s" in shown
    assert "Llama 70B M S T SE I 80 % 65 % 23 % 55 % 0.64 16.76 4.05" in shown
    assert "tools M, S feedback yes" in shown
    assert len(reader.named("noscript")) == 1


def test_only_the_keys_that_are_there_are_shown() -> None:
    reader = read(page_text([], {"success": 0.25, "cost": None}, "t"))
    names = [attributes.get("class") for attributes in reader.named("dl")]
    assert names == ["figures", "facts"]
    shown = " ".join(" ".join(reader.texts).split())
    assert "Success 25.0 % Cost unknown" in shown
    assert "Conditions" not in shown
    assert "paper" not in shown


def test_a_page_without_episodes_says_so() -> None:
    page = page_text([], scored([]), "nothing")
    assert episodes_of(page) == {"strings": [], "episodes": []}
    assert page.count("No episode of this kind has been played.") == 3


# ---------------------------------------------------------------- plots


def test_every_plot_has_a_title_a_text_and_a_table(page: str) -> None:
    reader = read(page)
    drawn = reader.named("svg")
    assert len(drawn) == 3
    ids = {attributes.get("id") for _, attributes in reader.elements}
    for svg in drawn:
        assert svg["role"] == "img"
        assert set((svg["aria-labelledby"] or "").split()) <= ids
    figures = re.findall(r"<figure.*?</figure>", page, re.DOTALL)
    assert all("<desc" in each and "<figcaption>" in each and "<table>" in each for each in figures)
    assert all('class="axis"' in each for each in figures)


def test_the_numbers_of_the_plots_are_those_of_the_scores(played: list[EpisodeResult]) -> None:
    scores = scored(played)
    counted = {each.level: each for each in rates(played)}
    for level in ("easy", "medium", "hard"):
        each = counted[level]
        assert (each.n, each.rate, each.spread) == pytest.approx(
            (scores["levels"][level]["n"], scores["levels"][level]["success"], scores["levels"][level]["spread"])
        )
    assert counted["solvable"].rate == pytest.approx(scores["success"])
    assert waste(played) == {"illegal": scores["illegal"], "unreadable": scores["unreadable"]}
    found = {
        key.replace("wrongly_impossible", "wrongly called impossible").replace("_", " "): count
        for key, count in scores["failures"].items()
    }
    assert failures(played) == {**found, "void": scores["void"]}
    assert sum(each.actions * each.episodes for each in pairs(played)) == scores["actions_total"]
    assert sum(each.minimum * each.episodes for each in pairs(played)) == scores["actions_minimum"]


def test_each_way_to_fail_is_named() -> None:
    solvable, impossible = load_example("TEST0018"), load_example("TEST0000")
    assert impossible.impossible
    solved, missed = by_plan(solvable), at_random(impossible, turns=2)
    assert [outcome(each) for each in (solved, by_plan(impossible), missed)] == [
        "solved",
        "solved",
        "missed impossible",
    ]
    assert outcome(at_random(solvable, turns=2)) == "stuck"
    assert outcome(replace(solved, success=False, ended="max_steps")) == "max steps"
    assert outcome(replace(solved, success=False, ended="impossible")) == "wrongly called impossible"
    assert outcome(replace(solved, success=False, ended="infrastructure")) == "void"
    assert outcome(replace(solved, success=False, ended="nonsense")) == "other"  # type: ignore[arg-type]


def test_a_plan_lies_on_the_diagonal() -> None:
    result = by_plan(load_example("TEST0018"))
    assert pairs([result, result]) == [Pair(10, 10, 2)]
    page = page_text([result, result], {}, "t")
    assert "2 of 2 episodes solved took exactly the fewest actions known" in page
    assert page.count('class="bubble on"') == 1


def test_seeds_give_error_bars_and_one_seed_none(played: list[EpisodeResult]) -> None:
    assert page_text(played, {}, "t").count('class="error"') == len(rates(played)) == 5
    assert page_text([each for each in played if each.seed == 0], {}, "t").count('class="error"') == 0


@pytest.mark.parametrize("most", [1, 2, 3, 7, 30, 999, 10**12])
def test_an_axis_has_few_round_ticks_within_it(most: int) -> None:
    ticks = Scale(0, most, 0, 100).ticks()
    assert 4 <= len(ticks) <= 10
    assert ticks[0] == 0
    assert ticks[-1] <= most * (1 + 1e-9)


# ---------------------------------------------------------------- hostile text


@pytest.mark.parametrize("evil", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_text_in_any_field_stays_text(evil: str) -> None:
    results = hostile_results()
    plain = read(page_text(results, hostile_summary("plain"), "plain"))
    page = page_text(results, hostile_summary(evil), evil)
    reader = read(page)
    assert reader.names == plain.names
    assert reader.raw["script"][1] == plain.raw["script"][1]
    assert len(re.findall(r"</script", page, re.IGNORECASE)) == 2
    assert "<!--" not in page
    page.encode()
    known = {name for _, attributes in plain.elements for name in attributes}
    assert {name for _, attributes in reader.elements for name in attributes} <= known


def test_hostile_answers_are_kept_as_they_were_and_nothing_in_them_is_hidden() -> None:
    data = episodes_of(page_text(hostile_results(), {}, "t"))
    for evil, episode in zip(HOSTILE, data["episodes"], strict=True):
        answers = [data["strings"][step[3]] for step in episode["steps"]]
        for answer in answers:
            whole = answer if isinstance(answer, str) else answer[0]
            assert not re.search(
                "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]", whole
            )
            assert text(evil).startswith(whole)
    assert "half \\ud83d of a character \\udc00" in data["strings"]
    assert ["x" * 20_000, 10_000] in data["strings"]


WRONG: list[Any] = [
    None,
    7,
    -1,
    1.5,
    math.nan,
    math.inf,
    10**400,
    True,
    "text",
    [],
    [1],
    {},
    {"I1": 3},
    {"I1": [[], "x"]},
    ("a",),
    object(),
]


@pytest.mark.parametrize("name", [each.name for each in fields(EpisodeResult)])
@pytest.mark.sampled(6)
def test_a_field_of_another_type_breaks_nothing(name: str) -> None:
    real = by_plan(load_example("TEST0018"))
    values = WRONG if name != "steps" else [each for each in WRONG if not isinstance(each, list | tuple)]
    page = page_text([replace(real, **{name: value}) for value in values], scored([real]), "t")
    assert len(episodes_of(page)["episodes"]) == len(values) >= 12


@pytest.mark.parametrize("name", [each.name for each in fields(StepResult)])
def test_a_step_of_another_type_breaks_nothing(name: str) -> None:
    real = by_plan(load_example("TEST0018"))
    steps = [replace(real.steps[0], **{name: value}) for value in WRONG]
    (episode,) = episodes_of(page_text([replace(real, steps=steps)], {}, "t"))["episodes"]
    assert len(episode["steps"]) == len(WRONG)


@pytest.mark.parametrize("value", WRONG, ids=lambda value: re.sub(" at 0x.*", "", repr(value)))
@pytest.mark.sampled(4)
def test_a_summary_of_another_type_breaks_nothing(value: Any) -> None:
    read(page_text([], hostile_summary(value), "t"))
    read(page_text([], dict.fromkeys(scored([]), value), "t"))


def test_text_on_one_line_is_short_and_keeps_its_ends_apart() -> None:
    assert line("a\nb\tc") == "a\\nb\\tc"
    assert line("abcdef", 4) == "abc\u2026"
    assert text("caf\u00e9 \u65e5\u672c \U0001f600\r\n") == "caf\u00e9 \u65e5\u672c \U0001f600\n"
    assert text("a\u202eb\x1b") == "a\\u202eb\\x1b"


# ---------------------------------------------------------------- size


def test_too_much_said_is_cut_until_it_fits_and_the_cut_is_counted(played: list[EpisodeResult]) -> None:
    tidied = [sanitise(each) for each in played]
    assert len(pack(tidied, LIMIT)) > 90_000
    packed = pack(tidied, 90_000)
    assert len(packed) <= 90_000
    strings = unpacked(packed)["strings"]
    whole = unpacked(pack(tidied, LIMIT))["strings"]
    cut = [(short, full) for short, full in zip(strings, whole, strict=True) if not isinstance(short, str)]
    assert cut
    assert all(full.startswith(short) and len(short) + left == len(full) for (short, left), full in cut)


@pytest.mark.full
def test_a_whole_split_of_long_dialogues_stays_within_the_limit(tmp_path: Path) -> None:
    results = [at_random(each, wordy=60) for each in load_examples("test").values()]
    assert write(tmp_path / "page.html", page_text(results * 4, scored(results), "much")) <= LIMIT
