"""A command whose arguments hold a secret is refused with the reason; nothing else than what was said ever runs."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from autocraft.commands.registry import Registry
from autocraft.errors import InvalidCommand
from autocraft.protocols import Call, Risk, command, commands_of
from autocraft.text.redact import Mask
from tests.conftest import Place, kinds
from tests.security.count import Tally

pytestmark = pytest.mark.sampled(4)

Kind = Callable[[str], Tally]
KEY = "qX7rT2wZ9vB4kLm3"
REASON = "holds the value of MY_API_KEY, which is never written, sent or shown"
WRITE = ("write_to_file", {"file": "env.txt", "text": f"MY_API_KEY={KEY}"})
OTHER = ("write_to_file", {"file": "other.txt", "text": "MY_API_KEY=$MY_API_KEY"})


def play(place: Place, answers: Sequence[Any], *more: str, stdin: str | None = None, **environment: str) -> Any:
    script = ("--brain", "scripted", "--script", place.script(*answers))
    return place.run("run", "--goal", "craft 1 stick", *script, *more, stdin=stdin, **environment)


def written(place: Place) -> dict[str, str]:
    return {path.name: path.read_text() for path in (place.folder / "workspace").glob("*")}


def test_the_model_is_told_and_nobody_is_asked(place: Place) -> None:
    done = play(place, [WRITE, OTHER], stdin="y\nn\n", MY_API_KEY=KEY)
    events = place.events()
    refused = kinds(events, "reply")[0]
    assert not refused["ok"] and REASON in refused["error"]
    assert REASON in " ".join(done.stdout.split())
    asked = [event["args"] for event in kinds(events, "question") if event["command"]]
    assert asked == [OTHER[1]] == [event["args"] for event in kinds(events, "intent")]
    assert written(place) == {"other.txt": OTHER[1]["text"]}
    assert KEY not in done.stdout + json.dumps(events)


def test_without_the_key_in_the_environment_it_is_written_as_it_is(place: Place) -> None:
    """The control: it is the key that refuses the command, and what runs is never changed."""
    play(place, [WRITE], stdin="y\nn\n")
    assert written(place) == {"env.txt": f"MY_API_KEY={KEY}"}


def test_the_marker_of_a_removed_key_is_not_written_back(place: Place) -> None:
    """The model reads a file whose key it cannot see: writing that back would lose the key for good."""
    (place.folder / "workspace").mkdir()
    (place.folder / "workspace" / "env.txt").write_text(f"MY_API_KEY={KEY}\nPORT=1\n")
    back = {"file": "env.txt", "text": "MY_API_KEY=[key removed: MY_API_KEY]\nPORT=2\n"}
    edit = {"file": "env.txt", "old": "PORT=1", "new": "PORT=2"}
    done = play(place, [("read_file", {"file": "env.txt"}), ("write_to_file", back), ("edit_file", edit)],
                "--continuous", MY_API_KEY=KEY)  # fmt: skip
    assert "MY_API_KEY=[key removed: MY_API_KEY]" in done.stdout and REASON in " ".join(done.stdout.split())
    assert written(place) == {"env.txt": f"MY_API_KEY={KEY}\nPORT=2\n"}


@pytest.mark.parametrize("typed", ["/do write_to_file file=env.txt text={}", 'e\n{{"file": "env.txt", "text": "{}"}}'])
def test_what_the_person_types_is_refused_with_the_reason(place: Place, typed: str) -> None:
    done = play(place, [OTHER], stdin=f"{typed.format(KEY)}\nn\n", MY_API_KEY=KEY)
    assert REASON in " ".join(done.stdout.split()) and KEY not in done.stdout
    assert written(place) == {}
    play(place, [OTHER], stdin=f"{typed.format('harmless')}\ny\nn\n", MY_API_KEY=KEY)
    assert written(place)["env.txt"] == "harmless", "the control"


# ---------------------------------------------------------------- killed and resumed


def cut_after(place: Place, kind: str) -> Path:
    """Leave the journal as kill -9 does right after the first event of this kind."""
    file = place.state / "sessions" / place.session() / "events.jsonl"
    lines = file.read_text().splitlines(keepends=True)
    first = next(number for number, line in enumerate(lines) if json.loads(line)["type"] == kind)
    file.write_text("".join(lines[: first + 1]))
    return file


@pytest.mark.parametrize("kind", ["reply", "question", "decision"])
@pytest.mark.parametrize("recorded", [KEY, "[key removed]", "[key removed: MY_API_KEY]"])
@pytest.mark.full
def test_a_resumed_call_never_runs_in_another_form(place: Place, kind: str, recorded: str, tally: Kind) -> None:
    """Killed between reply and intent. The journal holds the key, which was none then, or an older version's marker."""
    attacks = tally("secrets")
    play(place, [WRITE, OTHER], stdin="y\nn\n")
    file = cut_after(place, kind)
    file.write_text(file.read_text().replace(KEY, recorded))
    (place.folder / "workspace" / "env.txt").unlink()
    done = place.run("run", "--resume", place.session(), stdin="y\nn\n", MY_API_KEY=KEY)
    attacks.add(f"{recorded} after {kind}", written(place).get("env.txt", ""))
    attacks.done()
    assert "which is never written, sent or shown" in " ".join(done.stdout.split()), done.stdout + done.stderr
    assert written(place) == {"other.txt": OTHER[1]["text"]}, "the run goes on with the next answer"


def test_a_resumed_call_without_a_secret_runs(place: Place) -> None:
    """The control: the same kill, where nothing is secret."""
    play(place, [WRITE, OTHER], stdin="y\nn\n")
    cut_after(place, "decision")
    (place.folder / "workspace" / "env.txt").unlink()
    place.run("run", "--resume", place.session(), stdin="n\n")
    assert written(place) == {"env.txt": f"MY_API_KEY={KEY}"}


# ---------------------------------------------------------------- every caller


class Toy:
    family = "own"

    @command(help="Take anything", risk=Risk.LOOK)
    async def take(self, call: Call, text: str = "", many: list[Any] | None = None, more: dict[str, Any] | None = None,
                   number: int = 0) -> str:  # fmt: skip
        return repr((text, many, more, number))


def test_wherever_it_stands_in_the_arguments(tally: Kind) -> None:
    attacks = tally("secrets")
    guarded, bare = (Registry(commands_of(Toy()), mask=mask) for mask in (Mask({KEY: "MY_API_KEY"}), None))
    for args in (
        {"text": KEY},
        {"text": f"x{KEY}y"},
        {"text": KEY[:12]},
        {"text": KEY.encode().hex()},
        {"many": ["a", ["b", KEY]]},
        {"more": {"a": {"b": KEY}}},
        {"more": {KEY: 1}},
        {KEY: "an argument that there is not"},
        {"text": "[key removed"},
    ):
        for agent in ("main", "person", "program", "helper"):
            got: object = ""
            try:
                got = guarded.bind("take", args, agent=agent)
            except InvalidCommand as error:
                got = "" if "never written" in str(error) and KEY not in str(error) else str(error)
            attacks.add(f"{args} by {agent}", got)
    attacks.done()
    assert bare.bind("take", {"text": KEY}).args["text"] == KEY, "the control: without a mask it is bound as it is"
    assert guarded.bind("take", {"text": "MY_API_KEY", "number": 7}).args["text"] == "MY_API_KEY"


def test_a_setting_that_holds_a_secret_is_refused_before_anything_is_written(place: Place) -> None:
    """A resume would work in a folder whose name is ``[key removed]``, or under other rules."""
    (place.folder / "my-project-dev").mkdir()
    there = ("--workspace", "my-project-dev", "--max-steps", "1", "-c")
    refused = play(place, [WRITE], *there, SECRET_KEY="my-project-dev")
    assert refused.returncode == 2 and "workspace holds the value of SECRET_KEY" in " ".join(refused.stderr.split())
    assert "my-project-dev" not in refused.stderr
    assert place.sessions() == [] and [path.name for path in place.folder.glob("*/env.txt")] == []
    play(place, [WRITE], *there)
    assert place.events()[0]["options"]["workspace"] == str(place.folder / "my-project-dev"), "the control"


@pytest.mark.parametrize("name", ["finish_reason", "tool_calls", "show_inventory", "oak_planks", "max_errors"])
def test_a_secret_that_is_a_name_of_ours_breaks_nothing(place: Place, name: str) -> None:
    """Such a value cannot be told from the name, so it is none; a longer one that begins like it is."""
    commands = [("show_inventory", {}), ("craft_item", {"name": "oak_planks", "count": 4})]
    options = ("--goal", "craft 1 stick", "--inventory", "oak_log=3", "--max-errors", "9", "-c")
    script = ("--brain", "scripted", "--script", place.script(*commands))
    place.run("run", *options, *script, PARTITION_SECRET=name)
    assert [event["ok"] for event in kinds(place.events(), "result")][:2] == [True, True]
    assert "key removed" not in json.dumps(place.events())
    assert place.events()[0]["options"]["max_errors"] == 9
    left = Mask({f"{name}-{KEY}": "A_SECRET"}).text(f"say {name}-{KEY}")
    assert KEY not in left, "the control"
