"""What a player of a live server says reaches a model as data: seen in the requests at a real endpoint."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from tests.brains.stand_in import Reply, StandIn, streamed, whole
from tests.conftest import PROGRAM, Place
from tests.security.count import Tally
from tests.security.injections import INJECTIONS, MARK, faults_in, unfenced
from tests.waiting import until
from tests.worlds.minecraft.playing import node_environment
from tests.worlds.minecraft.talking import talker

Kind = Callable[[str], Tally]


def is_asked(stand_in: StandIn, mark: str) -> bool:
    """Tell whether a request has held this mark."""
    return any(mark in json.dumps(each) for each in stand_in.requests)


def sayable(text: str) -> bool:
    """Tell whether a client can say it: one line of at most 200 characters, without formatting codes."""
    return len(text) <= 200 and text.isprintable() and "\u00a7" not in text and not text.startswith("/")


@pytest.mark.full
def test_chat_of_a_live_server_reaches_a_model_in_a_fence(place: Place, stand_in: StandIn, tally: Kind) -> None:
    attacks = tally("chat of a live server")
    some = [text for text in INJECTIONS if sayable(text)][::3]
    assert len(some) > 15

    def wait(request: dict[str, Any]) -> Reply:
        """Answer with a short wait, another one each time, so that nobody takes it for a loop."""
        seconds = 0.1 + len(stand_in.requests) / 1000
        text = json.dumps({"thoughts": {}, "command": {"name": "wait", "args": {"seconds": seconds}}})
        return streamed(text) if request.get("stream") else whole(text)

    stand_in.refuse = wait
    flags = ["--world", "minecraft", "--no-freeze", "--continuous", "--max-steps", "2000"]
    environment = place.environment | node_environment() | {"OPENAI_BASE_URL": stand_in.url}
    run = subprocess.Popen(
        [*PROGRAM, "run", "--goal", "craft 1 stick", *flags], cwd=place.folder, env=environment, text=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    assert run.stdout is not None
    shown = ""
    try:
        while not (port := re.search(r"Direct Connection, 127\.0\.0\.1:(\d+)", shown)):
            line = run.stdout.readline()
            assert line, shown
            shown += line
        with (place.folder / "rest").open("w") as rest:
            pump = subprocess.Popen(["cat"], stdin=run.stdout, stdout=rest)  # else the pipe of the run is full once
        with talker(port[1], "stranger") as say:
            for text in some:
                mark = text[text.rindex(MARK) :]
                say(text, heard=True)
                until(partial(is_asked, stand_in, mark), f"{text!r}")
    finally:
        run.kill()
        run.wait()
    pump.wait()
    system = stand_in.requests[0]["messages"][0]["content"]
    for text in some:
        mark = text[text.rindex(MARK) :]
        assert faults_in(unfenced(text), "s"), f"{text!r} proves nothing"
        first = next(each for each in stand_in.requests if mark in json.dumps(each))
        attacks.add(text, faults_in(first["messages"], system))
        assert any("from stranger: " in each["content"] and mark in each["content"] for each in first["messages"])
    attacks.done()
