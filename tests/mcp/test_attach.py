"""A person at an attached terminal answers for a client that shows no forms."""

from __future__ import annotations

import asyncio
import json
import select
import socket
import tempfile
import termios
from collections.abc import Callable
from typing import Any

import pytest

from tests.conftest import STONE_PICKAXE, Place, kinds
from tests.mcp.clients import RUN, Served, over_http, over_stdio, says, text_of, values
from tests.waiting import until

CRAFT = {"name": "oak_planks", "count": 4}


@pytest.mark.full
def test_a_person_at_an_attached_terminal_runs_refuses_and_leaves(place: Place, terminal: Callable[..., Any]) -> None:
    async def play() -> None:
        async with over_stdio(place, *STONE_PICKAXE) as client:
            window = await asyncio.to_thread(attached, place, terminal)
            call = asyncio.create_task(client.call_tool("craft_item", CRAFT))
            await asyncio.to_thread(window.expect, "COMMAND = craft_item.*Input: ")
            window.sendline("y")
            assert values(await call)["outcome"] == "done"
            await asyncio.to_thread(window.expect, "Made 4 oak_planks")
            call = asyncio.create_task(client.call_tool("craft_item", CRAFT))
            await asyncio.to_thread(window.expect, "COMMAND = craft_item.*Input: ")
            window.sendline("no more planks")
            refused = await call
            assert values(refused)["words"] == "no more planks"
            call = asyncio.create_task(client.call_tool("craft_item", CRAFT))
            await asyncio.to_thread(window.expect, "COMMAND = craft_item.*Input: ")
            window.send("\x03")
            assert "closed" in text_of(await call)
            assert "--attach" in text_of(await client.call_tool("craft_item", CRAFT))

    asyncio.run(play())
    assert [event["by"] for event in kinds(place.events(), "decision")] == ["person", "person", "nobody", "nobody"]


@pytest.mark.full
def test_a_question_that_is_too_long_for_a_form_is_asked_at_the_terminal(
    place: Place, terminal: Callable[..., Any]
) -> None:
    long = {"file": "long.txt", "text": "a line of it\n" * 3_000}
    person = says(RUN)

    async def play() -> None:
        async with over_stdio(place, *STONE_PICKAXE, person=person) as client:
            refused = await client.call_tool("write_to_file", long)
            assert "was not run: it is too long for a form; the person can attach a terminal" in text_of(refused)
            window = await asyncio.to_thread(attached, place, terminal)
            call = asyncio.create_task(client.call_tool("write_to_file", long))
            await asyncio.to_thread(window.expect, "COMMAND = write_to_file.*Input: ")
            window.sendline("y")
            assert values(await call)["outcome"] == "done"
            assert values(await client.call_tool("craft_item", CRAFT))["outcome"] == "done"

    asyncio.run(play())
    assert [event["by"] for event in kinds(place.events(), "decision")] == ["nobody", "person", "person"]
    assert len(person.forms) == 1, "a shorter question is asked in a form again"


@pytest.mark.full
def test_a_question_fits_a_terminal_whose_window_became_narrower(place: Place, terminal: Callable[..., Any]) -> None:
    async def play() -> None:
        async with over_stdio(place, *STONE_PICKAXE) as client:
            window = await asyncio.to_thread(attached, place, terminal)
            termios.tcsetwinsize(window.child_fd, (50, 60))
            window.sendline("use less wood")
            await asyncio.to_thread(window.expect, "Noted")
            await client.call_tool("craft_item", CRAFT)
            call = asyncio.create_task(client.call_tool("write_to_file", {"file": "a.txt", "text": "a line " * 30}))
            await asyncio.to_thread(window.expect, "COMMAND = write_to_file.*Input: ")
            drawn = f"{window.before}{window.after}".splitlines()
            assert max(map(len, drawn)) <= 60, drawn
            window.sendline("y")
            assert values(await call)["outcome"] == "done"

    asyncio.run(play())


@pytest.mark.full
def test_what_is_typed_before_a_question_approves_nothing(place: Place, terminal: Callable[..., Any]) -> None:
    async def play() -> None:
        async with over_stdio(place, *STONE_PICKAXE, "--approve", "terminal", person=says(RUN)) as client:
            window = await asyncio.to_thread(attached, place, terminal)
            for letter in "ynn":  # the run of a client has no pause, so no n offers one
                window.sendline(letter)
                await asyncio.to_thread(window.expect, f"Ignored: {letter} .*; it authorises nothing")
            window.sendline("use less wood")
            await asyncio.to_thread(window.expect, "Noted")
            refused = await client.call_tool("craft_item", CRAFT)
            assert values(refused)["outcome"] == "refused" and values(refused)["words"] == "use less wood"
            call = asyncio.create_task(client.call_tool("craft_item", CRAFT))
            await asyncio.to_thread(window.expect, "Input: ")
            window.sendline("y")
            assert values(await call)["outcome"] == "done"

    asyncio.run(play())


@pytest.mark.full
def test_words_reach_the_next_call_if_nobody_took_the_end_of_the_last_one(
    place: Place, terminal: Callable[..., Any]
) -> None:
    async def play() -> None:
        patience = {"AUTOCRAFT_QUESTION_SECONDS": "3"}
        arguments = (*STONE_PICKAXE, "--auto-look")
        async with over_stdio(place, *arguments, person=says("silence"), mode="auto", **patience) as client:
            window = await asyncio.to_thread(attached, place, terminal)
            await client.session.call_tool("craft_item", CRAFT, allow_input_required=True)
            window.sendline("use less wood")
            await asyncio.to_thread(window.expect, "Noted")
            await asyncio.to_thread(until, lambda: kinds(place.events(), "decision"))
            assert values(await client.call_tool("plan_item", {"name": "stick"}))["words"] == "use less wood"

    asyncio.run(play())


@pytest.mark.full
def test_only_one_of_two_terminals_that_come_at_once_is_attached(place: Place) -> None:
    async def play() -> list[dict[str, Any]]:
        async with over_stdio(place, *STONE_PICKAXE):
            pairs = [await asyncio.open_unix_connection(socket_of(place)) for _ in range(2)]
            lines = []
            for reader, writer in pairs:
                writer.write(b'{"columns": 80, "rows": 24}\n')
                lines.append(json.loads(await reader.readline()))
            for _, writer in pairs:
                writer.close()
            return lines

    first, second = asyncio.run(play())
    assert "write" in first and second == {"refused": "another terminal is asked already"}


@pytest.mark.parametrize("rest", [b'{"write": "half a li', b""], ids=["half a line", "nothing"])
def test_a_session_that_is_killed_ends_its_terminal_in_one_line(
    place: Place, terminal: Callable[..., Any], rest: bytes
) -> None:
    """The other side closes with half a line written, or with a line unread, as a killed process does."""
    assert place.run("run", *STONE_PICKAXE, "--continuous").returncode == 0
    with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as listening:
        listening.bind(f"{folder}/attach")
        listening.listen()
        (place.state / "sessions" / place.session() / "attach").write_text(f"{folder}/attach")
        window = terminal("mcp", "--attach", "last")
        connection, _ = listening.accept()
        with connection:
            assert select.select([connection], [], [], 60)[0]
            if rest:
                connection.recv(1000)
                connection.sendall(rest)
        window.expect(f"the process of session {place.session()} was ended: `autocraft run --resume")


def socket_of(place: Place) -> str:
    """Return the path of the socket of the session, once it listens."""
    folder = place.state / "sessions"
    notes = until(lambda: [folder / name / "attach" for name in place.sessions()[-1:]], "its session")
    until(lambda: notes[0].exists() and notes[0].read_text(), "its socket")
    return notes[0].read_text()


def attached(place: Place, terminal: Callable[..., Any]) -> Any:
    socket_of(place)
    window = terminal("mcp", "--attach", "last")
    window.expect("Attached to session")
    return window


@pytest.mark.full
def test_the_terminal_of_an_http_server_is_asked(place: Place, terminal: Callable[..., Any]) -> None:
    token = "a token of the test's own"
    window = terminal("mcp", "--port", "0", *STONE_PICKAXE, AUTOCRAFT_MCP_TOKEN=token)
    window.expect(r"(http://127\.0\.0\.1:\d+/mcp) with")
    url = window.match.group(1)
    for _ in range(2):  # the second n ended the server
        window.sendline("n")
        window.expect("Ignored: n .*; it authorises nothing")

    async def play() -> None:
        served = Served(None, url, token)
        async with over_http(served) as client:
            call = asyncio.create_task(client.call_tool("craft_item", CRAFT))
            await asyncio.to_thread(window.expect, "Input:")
            window.sendline("y")
            assert values(await call)["outcome"] == "done"

    asyncio.run(play())
    window.send("\x03")
    assert window.wait() == 0
    assert [event["reason"] for event in kinds(place.events(), "end")] == ["interrupted"]
