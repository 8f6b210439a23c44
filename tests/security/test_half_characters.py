"""Half a character ends no session: whatever sends one, the run goes on, and it can be resumed.

Each attack is a whole run as a person starts it, and a resume of it. The controls show that the same text, sent or kept
as it is, does fail.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import Any

import orjson
import pytest

from autocraft.text.characters import well_formed
from tests.brains.stand_in import Reply, StandIn, event, piece, streamed, whole
from tests.commands.site import Site
from tests.conftest import STONE_PICKAXE, Place, kinds
from tests.security.count import Tally
from tests.worlds.minecraft.playing import node_environment

pytestmark = pytest.mark.sampled(5)

HALF = "half \ud83d of it"
MENDED = "half \ufffd of it"
TallyOf = Callable[[str], Tally]
KIND = "half characters"


def model(stand_in: StandIn, **more: str) -> dict[str, str]:
    return {"OPENAI_BASE_URL": stand_in.url, "SMART_LLM_MODEL": "m", "FAST_LLM_MODEL": "m", **more}


def command(name: str, /, **args: Any) -> str:
    """An answer that names a command; what is not ASCII goes as escapes, as servers send it."""
    return json.dumps({"thoughts": {"text": "I go on."}, "command": {"name": name, "args": args}})


def wrong(place: Place, done: Any, turns: int, stand_in: StandIn) -> str:
    """What is wrong with a run that should have come to its limit after so many turns, and with one more turn of it."""
    end = place.events()[-1]
    if (done.returncode, end["type"], end.get("turns")) != (3, "end", turns):
        return f"the run: {done.returncode}, {end}, {done.stderr}"
    stand_in.refuse = lambda request: streamed(command("do_nothing", reason="resumed"))
    limit = ("--continuous", "--json", "--max-steps", str(turns + 1))
    again = place.run("run", "--resume", "last", *limit, **model(stand_in))
    last = place.events()[-1]
    if (again.returncode, last["type"], last.get("turns")) != (3, "end", turns + 1):
        return f"the resume: {again.returncode}, {last}, {again.stderr}"
    try:
        json.dumps(place.events(), ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        return f"the journal holds a half: {error}"
    return ""


def played(place: Place, stand_in: StandIn, turns: int, **environment: str) -> Any:
    """A run of so many turns with the model behind the stand-in."""
    limit = ("--continuous", "--max-steps", str(turns), "--json")
    return place.run("run", *STONE_PICKAXE, *limit, **model(stand_in, **environment))


# ---------------------------------------------------------------- the controls


@pytest.mark.parametrize("text", [HALF, "caf\udce9", "\udc00\ud83d", "\ude00"])
def test_control_a_half_can_be_neither_sent_nor_compared(text: str) -> None:
    with pytest.raises(TypeError):
        orjson.dumps([text])
    with pytest.raises(UnicodeEncodeError):
        text.encode()
    assert orjson.loads(orjson.dumps(well_formed(text)))


def test_control_a_repaired_stream_needs_both_halves_at_once() -> None:
    """Piece by piece, as they come, there is nothing to join: both halves would be lost."""
    apart = ["\ud83d", "\ude00"]
    assert "".join(map(well_formed, apart)) == "\ufffd\ufffd"
    assert well_formed("".join(apart)) == "\U0001f600"


# ---------------------------------------------------------------- what a model's server sends


def test_an_emoji_in_two_pieces_is_one_emoji(place: Place, stand_in: StandIn, tally: TallyOf) -> None:
    """As proxies in JavaScript and Java cut a stream: by UTF-16 units, each half as an escape of its own."""
    told = command("do_nothing", reason="ok ok").replace("I go on.", "I see a @ here.")
    before, after = told.split("@")
    pieces = [piece(content=f"{before}\ud83d"), piece(content=f"\ude00{after}")]
    thought = [piece(reasoning_content="think \ud83d"), piece(reasoning_content="\ude00 on")]
    assert b"\\ud83d" in pieces[0] and b"\\ude00" in pieces[1]
    for _ in range(2):
        stand_in.replies.append(
            Reply(
                chunks=[piece(role="assistant", content=""), *thought, *pieces, piece("stop"), event(b"[DONE]")],
                kind="text/event-stream",
            )
        )
    done = played(place, stand_in, 2)
    attack = tally(KIND)
    attack.add("an emoji split over two pieces", wrong(place, done, 2, stand_in))
    attack.done()
    first = kinds(place.events(), "answer")[0]
    assert "I see a \U0001f600 here." in first["text"] and first["reasoning"] == "think \U0001f600 on"
    assert "\U0001f600" in json.dumps(stand_in.requests[1]["messages"], ensure_ascii=False), "the next prompt has it"


def call_of(name: str, arguments: str) -> dict[str, Any]:
    return {"id": "c", "type": "function", "function": {"name": name, "arguments": arguments}}


ANSWERS: dict[str, Reply] = {
    "text around the command": streamed(f"{HALF} {command('do_nothing', reason='a')}"),
    "nothing but a half": streamed("\ud83d"),
    "a half at the very end": streamed(command("do_nothing", reason="a"), "\ud83d"),
    "a low half first": streamed("\ude00", command("do_nothing", reason="a")),
    "reasoning": streamed(command("do_nothing", reason="a"), before=[piece(reasoning_content=HALF)]),
    "refusal": streamed(command("do_nothing", reason="a"), before=[piece(refusal=HALF)]),
    "finish reason": streamed(command("do_nothing", reason="a"), finish="st\ud83dop"),
    "thoughts": streamed(command("do_nothing", reason="a").replace("I go on.", "\\ud83d")),
    "a key of the thoughts": streamed(command("do_nothing", reason="a").replace('"text"', '"te\\ud83dxt"')),
    "name of the command": streamed(command("do_\ud83dnothing", reason="a")),
    "argument": streamed(command("do_nothing", reason=HALF)),
    "name of an argument": streamed(command("do_nothing").replace("{}", '{"rea\\ud83dson": "a"}')),
    "in one piece": whole(f"{HALF} {command('do_nothing', reason=HALF)}"),
    "tool call": whole(None, tool_calls=[call_of("do_nothing", json.dumps({"reason": HALF}))]),
    "tool call, raw half": whole(None, tool_calls=[call_of("do_nothing", '{"reason": "\ud83d"}')]),
    "tool call's name": whole(None, tool_calls=[call_of("do_\ud83dnothing", "{}")]),
    "tool call's id": whole(None, tool_calls=[{**call_of("do_nothing", "{}"), "id": HALF}]),
    "tool call, arguments as an object": whole(None, tool_calls=[call_of("do_nothing", {"reason": HALF})]),  # type: ignore[arg-type]
}


def test_a_half_anywhere_in_an_answer(place: Place, stand_in: StandIn, tally: TallyOf) -> None:
    """One run whose answers are all of them, so that each later prompt holds what came before.

    Between them something is crafted, or the run would end as one that repeats itself.
    """
    for name, reply in ANSWERS.items():
        assert any(b"\\ud83d" in chunk or b"\\ude00" in chunk for chunk in reply.chunks), name
        stand_in.replies += [reply, streamed(command("craft_item", name="oak_planks"))]
    turns = 2 * len(ANSWERS)
    goal = ["--goal", "craft 1 stone_pickaxe", "--inventory", "oak_log=64", "--json"]
    done = place.run("run", *goal, "--continuous", "--max-steps", str(turns), **model(stand_in))
    failed = wrong(place, done, turns, stand_in)
    came = len(kinds(place.events(), "answer"))
    attack = tally(KIND)
    for at, name in enumerate(ANSWERS):
        attack.add(name, failed if 2 * at + 1 >= came - 1 else "")
    attack.done()
    assert not failed, failed


def test_a_key_that_cannot_be_sent_is_not_told_as_a_wrong_address(place: Place, stand_in: StandIn) -> None:
    done = played(place, stand_in, 1, OPENAI_API_KEY="schl\u00fcssel-\u00fcber-alles")
    assert not stand_in.requests
    why = place.events()[-1]["why"]
    assert "nothing was sent" in why and "OPENAI_API_KEY" in why and "chat endpoint" not in why, done.stdout


# ---------------------------------------------------------------- what commands take and give

COMMANDS: dict[str, str] = {
    "evaluate_code": command("evaluate_code", code=HALF),
    "improve_code": command("improve_code", suggestions=[HALF], code=HALF),
    "write_tests": command("write_tests", code="x", focus=[HALF]),
    "write_to_file": command("write_to_file", file="a.txt", text=HALF),
    "edit_file": command("edit_file", file="a.txt", old=MENDED, new=HALF + "!"),
    "append_to_file": command("append_to_file", file="a.txt", text=HALF),
    "a name of a file": command("write_to_file", file="\ud83d.txt", text="a"),
    "read_file": command("read_file", file="\ud83d.txt"),
    "search_text": command("search_text", text=HALF),
    "memory_add": command("memory_add", string=HALF),
    "memory_search": command("memory_search", query=HALF),
    "search_recipe": command("search_recipe", name=HALF),
    "ask_human": command("ask_human", question=HALF),
    "save_skill": command("save_skill", name="a", code="async function a (bot) {}", description=HALF),
    "start_agent": command("start_agent", name="scout", task=HALF, prompt=HALF),
    "own command, argument and result": command("own_half", text=HALF),
}
OWN = """
from autocraft.protocols import Call, Risk, command

@command(help="Give half a character", risk=Risk.LOOK)
async def own_half(call: Call, text: str) -> str:
    assert "\\ud83d" not in text
    return text + " \\ud83d"
"""


def answers_of(request: dict[str, Any]) -> bool:
    """Whether a request is the run's own, and not one that a command makes."""
    return request["messages"][0]["role"] == "system" and "reply" not in json.dumps(request.get("response_format"))


def test_a_half_in_what_commands_take_and_give(place: Place, stand_in: StandIn, tally: TallyOf) -> None:
    (place.folder / "mine").mkdir()
    (place.folder / "mine" / "own.py").write_text(OWN)
    waiting = list(COMMANDS.values())

    def answer(request: dict[str, Any]) -> Reply:
        """The run gets the next command, a command's question words with a half, a helper a reply with one."""
        first = request["messages"][0]
        if first["role"] != "system":
            return streamed(f"the answer, {HALF}")
        if first["content"].startswith("You are a helper"):
            return streamed(command("reply", text=HALF))
        return streamed(waiting.pop(0))

    stand_in.refuse = answer
    done = played(place, stand_in, len(COMMANDS), AUTOCRAFT_COMMANDS=str(place.folder / "mine"))
    failed = wrong(place, done, len(COMMANDS), stand_in)
    results = [each["command"] for each in kinds(place.events(), "result")]
    attack = tally(KIND)
    for name, text in COMMANDS.items():
        ran = json.loads(text)["command"]["name"] in results
        attack.add(name, failed or ("" if ran else "it was not run"))
    attack.done()
    texts = {each["command"]: each["text"] for each in kinds(place.events(), "result")}
    assert texts["evaluate_code"].endswith(f"the answer, {MENDED}")
    assert texts["own_half"] == f"{MENDED} \ufffd"
    assert texts["start_agent"].endswith(f"First response: {MENDED}")
    assert (place.folder / "workspace" / "a.txt").read_text() == f"{MENDED}!{MENDED}", "what was asked is what is there"


def test_a_half_in_a_search(place: Place, stand_in: StandIn, site: Site, tally: TallyOf) -> None:
    found = {"items": [{"title": HALF, "link": "https://example.com/\ud83d", "snippet": HALF}]}
    site.put("/customsearch/v1", json.dumps(found), kind="application/json")
    stand_in.replies += [streamed(command("google", input=HALF)), streamed(command("do_nothing", reason="a"))]
    keys = {"GOOGLE_API_KEY": "k" * 20, "CUSTOM_SEARCH_ENGINE_ID": "cx"}
    done = played(
        place, stand_in, 2, **keys, AUTOCRAFT_WEB_SEARCH_URL=site.url("/customsearch/v1", "127.0.0.1"),
        AUTOCRAFT_WEB_ALLOW_HOSTS="127.0.0.1",
    )  # fmt: skip
    attack = tally(KIND)
    attack.add("Custom Search", wrong(place, done, 2, stand_in))
    attack.done()
    searched = kinds(place.events(), "result")[0]
    assert searched["ok"] and MENDED in searched["text"]


# ---------------------------------------------------------------- what other players and the game send


@pytest.mark.full
def test_chat_that_is_cut_in_the_middle_of_an_emoji(place: Place, tally: TallyOf) -> None:
    long = "x" * 249 + "\U0001f600 and more"
    script = place.script(("chat", {"text": long}), ("chat", {"text": HALF}), ("observe", {}), ("observe", {}))
    world = ["--world", "minecraft", "--goal", "say something", "--brain", "scripted", "--script", script]
    done = place.run("run", *world, "--continuous", "--json", "--max-steps", "3", **node_environment())
    attack = tally(KIND)
    events = place.events()
    said = [each["text"] for each in kinds(events, "result")]
    ended = (done.returncode, events[-1]["type"], events[-1]["turns"]) == (3, "end", 3)
    attack.add("chat whose 250th unit is in an emoji", "" if ended else f"{events[-1]} {done.stderr}")
    again = ["--resume", "last", "--continuous", "--json", "--max-steps", "4"]
    resumed = place.run("run", *again, **node_environment())
    attack.add("its resume", "" if place.events()[-1]["turns"] == 4 else f"{place.events()[-1]} {resumed.stderr}")
    attack.done()
    assert said[:2] == [f"Said: {'x' * 249}", f"Said: {MENDED}"], "no half is left, and no mark in its place"


# ---------------------------------------------------------------- what the person types

LATIN = b"caf\xe9"
TYPED = "caf\ufffd"


def test_a_byte_that_is_no_utf8_in_the_goal(place: Place, stand_in: StandIn, tally: TallyOf) -> None:
    attack = tally(KIND)
    stand_in.replies += [streamed(command("do_nothing", reason="a")) for _ in range(2)]
    done = place.run(
        "run", "--goal", os.fsdecode(b"build a " + LATIN), "--ai-name", os.fsdecode(LATIN), "--continuous",
        "--max-steps", "2", "--json", **model(stand_in),
    )  # fmt: skip
    attack.add("--goal and --ai-name", wrong(place, done, 2, stand_in))
    attack.done()
    assert place.events()[0]["goals"][0]["text"] == f"build a {TYPED}"
    assert f"build a {TYPED}" in json.dumps(stand_in.requests[0]["messages"], ensure_ascii=False)


def test_a_folder_whose_name_is_no_utf8_is_refused_before_anything_begins(place: Place) -> None:
    """Its name could not be kept, and a resume would play in another folder."""
    done = place.run("run", *STONE_PICKAXE, "--workspace", os.fsdecode(b"w\xe9"), "--continuous")
    assert done.returncode == 2
    assert "is not UTF-8: rename that file or folder" in done.stderr
    assert not (place.state / "sessions").exists() or not place.sessions()


@pytest.mark.parametrize("plain", [False, True], ids=["terminal", "plain"])
def test_a_byte_that_is_no_utf8_typed_as_feedback(
    place: Place, terminal: Callable[..., Any], tally: TallyOf, plain: bool
) -> None:
    child = terminal("run", *STONE_PICKAXE, *(["--plain"] if plain else []))
    for line in (LATIN + b" first\r", b"y\r", b"n\r"):
        child.expect("or enter feedback")  # the line before stands behind the word Input too
        child.expect("Input:")
        os.write(child.child_fd, line)
    child.wait()
    attack = tally(KIND)
    heard = [each["text"] for each in kinds(place.events(), "feedback")]
    attack.add("feedback", "" if heard == [f"{TYPED} first"] else f"{heard}")
    done = place.run("run", "--resume", "last", "--continuous", "--json")
    attack.add("its resume", "" if done.returncode == 0 else f"{place.events()[-1]} {done.stderr}")
    attack.done()


def test_a_byte_that_is_no_utf8_typed_as_the_goal(place: Place, terminal: Callable[..., Any], tally: TallyOf) -> None:
    child = terminal("run", "--brain", "scripted", "--script", place.script(("do_nothing", {"reason": "a"})))
    answers = (("Name of the agent", b"\r"), ("Role of the agent", b"\r"), ("Goal 1 (at most 5)", LATIN + b"\r"))
    for question, line in answers:
        child.expect_exact(f"{question}: ")
        os.write(child.child_fd, line)
    child.expect_exact("Goal 2, or Enter to begin: ")
    os.write(child.child_fd, b"\r")
    child.expect("Input:")
    os.write(child.child_fd, b"n\r")
    child.wait()
    attack = tally(KIND)
    goals = place.events()[0]["goals"]
    attack.add("Goal:", "" if goals == [{"text": TYPED}] else f"{goals}")
    again = place.run("run", "--resume", "last", stdin="n\n")
    attack.add("its resume", "" if again.returncode == 4 else f"{place.events()[-1]} {again.stderr}")
    attack.done()


# ---------------------------------------------------------------- a journal that holds one


@pytest.mark.parametrize("verb", [["run", "--resume", "last", "--continuous"], ["report"]], ids=["resume", "report"])
def test_a_journal_that_holds_half_a_character_is_named_as_damaged(
    place: Place, verb: list[str], tally: TallyOf
) -> None:
    """autocraft writes none, since halves are replaced where text enters."""
    assert place.run("run", *STONE_PICKAXE, "--continuous", "--json").returncode == 0
    path = place.state / "sessions" / place.session() / "events.jsonl"
    first, *rest = path.read_bytes().splitlines(keepends=True)
    spoiled = b"".join([first.replace(b"stone_pickaxe", b"stone_pickaxe \\ud83d"), *rest])
    assert b"\\ud83d" in spoiled
    path.write_bytes(spoiled)
    attack = tally(KIND)
    done = place.run(*verb)
    said = f"autocraft: line 1 of {place.session()}/events.jsonl is damaged (it is not JSON)"
    attack.add(f"{verb[0]} of it", "" if done.returncode and done.stderr.startswith(said) else done.stderr)
    attack.add(f"{verb[0]} leaves it as it was", "" if path.read_bytes() == spoiled else "it was written to")
    attack.done()
