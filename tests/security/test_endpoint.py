"""An endpoint that is hostile: what it may fill, hold up, or lead to. By the real SDK over real sockets.

Each client that is sent a key is tried: chat, the list of models, pictures, embeddings.
"""

from __future__ import annotations

import asyncio
import bz2
import gzip
import json
import signal
import time
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import httpx2
import openai
import pytest

from autocraft.brains.endpoint import OpenAISettings, open_client
from autocraft.brains.openai import OpenAIBrain, list_models
from autocraft.commands.copies import UndoCopies
from autocraft.commands.image import ImageCommands, ImageSettings
from autocraft.commands.web import WebCommands, WebSettings
from autocraft.commands.workspace import Workspace
from autocraft.errors import BrainError, MemoryFault
from autocraft.http_client import MOST_BYTES, MOST_REDIRECTS
from autocraft.memory.embed import open_embedder
from autocraft.memory.lexical import LexicalEmbedder
from autocraft.memory.pinecone import PineconeMemory
from autocraft.protocols import Answer, Delta, Message, commands_of
from tests.brains.stand_in import COMMAND, event, piece
from tests.conftest import STONE_PICKAXE, Place
from tests.live import account, live_registry
from tests.sampling import drawn
from tests.security.count import Tally
from tests.security.hostile import ERROR, JSON, STREAM, Hostile, Request, reply, spoken

pytestmark = pytest.mark.sampled(9)

SECRET = "the secret plan"
GUARD = 600.0
"""Seconds after which a test gives up on a call that should have ended long ago."""
Tallies = Callable[[str], Tally]
Ask = Callable[[str], str]


@contextmanager
def serving(answer: Callable[[Hostile, Request], Iterable[bytes]]) -> Iterator[Hostile]:
    """A hostile server; `answer` is given the server too."""
    hostile = Hostile(lambda request: answer(hostile, request))
    try:
        yield hostile
    finally:
        hostile.close()


def saying(
    make: Callable[..., Iterable[bytes]], *parts: Any, **named: Any
) -> Callable[[object, object], Iterable[bytes]]:
    """An answer to every request: ``make(*parts, **named)``, made anew for each."""
    return lambda _, __: make(*parts, **named)


# ---------------------------------------------------------------- the four clients; each returns the line of its error


def settings_for(url: str, **settings: Any) -> OpenAISettings:
    given: dict[str, Any] = {"base_url": url, "api_key": "sk-hostile-1", "smart_model": "m", "retries": 0}
    return OpenAISettings(**{**given, "retry_seconds": 0.01, **settings})


async def thought(settings: OpenAISettings, on_delta: Callable[[Delta], None] | None = None) -> Answer:
    brain = OpenAIBrain(settings)
    try:
        return await asyncio.wait_for(brain.think([Message("user", SECRET)], on_delta=on_delta), GUARD)
    finally:
        await brain.close()


def chat(url: str, **settings: Any) -> str:
    try:
        asyncio.run(thought(settings_for(url, **settings)))
    except BrainError as error:
        return str(error)
    return ""


def models(url: str) -> str:
    try:
        asyncio.run(asyncio.wait_for(list_models(settings_for(url)), GUARD))
    except BrainError as error:
        return str(error)
    return ""


def embeddings(url: str) -> str:
    try:
        open_embedder("openai", base_url=url, api_key="sk-hostile-1").embed([SECRET])
    except MemoryFault as error:
        return str(error)
    return ""


def pictures(folder: Path) -> Ask:
    def ask(url: str) -> str:
        family = ImageCommands(
            ImageSettings(), Workspace(folder / "w"), UndoCopies(folder / "u"), lambda: open_client(settings_for(url))
        )
        registry = live_registry(commands_of(family), account=account(folder / "account"))
        bound = registry.bind("generate_image", {"prompt": SECRET})
        done = asyncio.run(asyncio.wait_for(registry.call(replace(bound, id="s:1")), GUARD))
        return "" if done.ok else done.text

    return ask


@pytest.fixture
def clients(tmp_path: Path) -> dict[str, Ask]:
    return {"chat": chat, "models": models, "pictures": pictures(tmp_path), "embeddings": embeddings}


def wrong(said: str, *wanted: str) -> str:
    """Why `said` is not one plain line with these words in it; empty where it is."""
    if not said:
        return "no error at all"
    if "\n" in said or len(said) > 500 or not said.isprintable():
        return f"no plain line: {said!a}"
    missing = [each for each in wanted if each not in said]
    return f"{missing} is not in {said!a}" if missing else ""


# ---------------------------------------------------------------- packed answers

BIG = 100_000_000
PACKINGS: dict[str, tuple[tuple[str, str], ...]] = {
    "gzip": (("Content-Encoding", "gzip"),),
    "x-gzip": (("Content-Encoding", "x-gzip"),),
    "in capitals": (("content-ENCODING", "GZIP"),),
    "deflate": (("Content-Encoding", "deflate"),),
    "brotli": (("Content-Encoding", "br"),),
    "zstd": (("Content-Encoding", "zstd"),),
    "twice": (("Content-Encoding", "gzip, gzip"),),
    "behind identity": (("Content-Encoding", "identity, gzip"),),
    "in a second header": (("Content-Encoding", "identity"), ("Content-Encoding", "gzip")),
    "unknown": (("Content-Encoding", "sdch"),),
}


@cache
def packed() -> bytes:
    return gzip.compress(b" " * BIG)


def test_a_packed_answer_is_refused_before_a_byte_is_unpacked(clients: dict[str, Ask], tally: Tallies) -> None:
    attacks = tally("endpoint")
    for client, ask in clients.items():
        for name, headers in PACKINGS.items():
            with serving(saying(reply, 200, packed(), *headers)) as hostile:
                attacks.add(f"packed {client} {name}", wrong(ask(hostile.url), "compressed, although it was asked not"))
    for status, kind in ((500, "application/json"), (307, "application/json"), (200, "text/event-stream")):
        with serving(saying(reply, status, packed(), *PACKINGS["gzip"], kind=kind)) as hostile:
            attacks.add(f"packed chat {status} {kind}", wrong(chat(hostile.url), "compressed"))
    attacks.done()


def test_a_plain_client_unpacks_it() -> None:
    with (
        serving(lambda _, __: reply(200, packed(), *PACKINGS["gzip"])) as hostile,
        httpx2.Client(timeout=None) as client,
    ):
        assert (
            len(client.get(hostile.url, headers={"Accept-Encoding": "identity"}).content) == BIG > 500 * len(packed())
        )


@cache
def odd_charsets() -> dict[str, bytes]:
    return {
        "punycode": b'{"error": {"message": "mine"}}' + b" " * 2_000_000,  # would take hours: it is quadratic
        "idna": b'{"error": {"message": "mine"}}' + b" " * 2_000_000,
        "zlib": zlib.compress(b" " * BIG),
        "bz2": bz2.compress(b" " * BIG),
        "utf-7": b'{"error": {"message": "mine"}}',
        "unicode_escape": b'{"error": {"message": "mine"}}',
    }


@pytest.mark.full
def test_a_charset_chooses_no_codec_of_python(clients: dict[str, Ask], tally: Tallies) -> None:
    attacks = tally("endpoint")
    for client, ask in clients.items():
        for charset, body in odd_charsets().items():
            kind = f"application/json; charset={charset}"
            with serving(saying(reply, 400, body, kind=kind)) as hostile:
                attacks.add(f"charset {client} {charset}", wrong(ask(hostile.url), "mine" if body[:1] == b"{" else ""))
    attacks.done()


def test_a_plain_client_decodes_by_it() -> None:
    with serving(lambda _, __: reply(400, b"abc-de", kind="application/json; charset=punycode")) as hostile:
        assert httpx2.get(hostile.url).text != "abc-de"


# ---------------------------------------------------------------- redirects


def moved(status: int, target: str) -> Iterator[bytes]:
    return reply(status, b"", ("Location", target))


PLACES = {
    "another port": "http://127.0.0.1:PORT/v1/chat/completions",
    "another name of it": "http://localhost:HERE/v1/chat/completions",
    "with a final dot": "http://127.0.0.1.:HERE/v1/x",
    "without scheme": "//127.0.0.1:PORT/v1/x",
    "https": "https://127.0.0.1:HERE/v1/x",
    "with a name and password": "http://127.0.0.1:HERE@127.0.0.1:PORT/v1/x",
    "IPv6": "http://[::ffff:127.0.0.1]:PORT/v1/x",
    "as one number": "http://2130706433:PORT/v1/x",
    "the metadata service": "http://169.254.169.254/latest/meta-data/",
    "a file": "file:///etc/passwd",
    "a scheme that hides a script": "javascript:alert(1)",
    "no port": "http://127.0.0.1/v1/x",
    "half an address": "http://[1/v1",
    "a control character": "http://127.0.0.1:PORT/\x1b[2J",
    "a long name": f"http://{'a' * 300}.example:PORT/v1/x",
}


@pytest.mark.parametrize("client", ["chat", "models", "pictures", "embeddings"])
def test_no_redirect_leads_to_another_origin(client: str, clients: dict[str, Ask], tally: Tallies) -> None:
    attacks = tally("endpoint")
    with serving(lambda _, __: reply(200, b"{}")) as other:
        for status in (301, 302, 303, 307, 308):
            for name, place in PLACES.items() if status == 307 else [("another port", PLACES["another port"])]:

                def lead(here: Hostile, _: Request, status: int = status, place: str = place) -> Iterator[bytes]:
                    return moved(status, place.replace("PORT", str(other.port)).replace("HERE", str(here.port)))

                with serving(lead) as hostile:
                    said = clients[client](hostile.url)
                    got = wrong(said, "redirects to") or len(hostile.requests) - 1 or len(other.requests)
                    attacks.add(f"redirect {client} {status} {name}", got)
        assert other.requests == []
    attacks.done()


@pytest.mark.sampled(1)
def test_the_line_names_where_it_leads_and_what_to_do(clients: dict[str, Ask]) -> None:
    with serving(lambda _, __: moved(307, "https://me:hunter2@evil.example:8443/v1?key=1")) as hostile:
        for client, ask in clients.items():
            said = ask(hostile.url)
            assert "redirects to https://evil.example:8443, to which nothing was sent" in said, client
            assert "set OPENAI_BASE_URL to its address" in said
            assert "hunter2" not in said and "key=1" not in said


def test_the_plain_sdk_follows_it_with_the_prompt() -> None:
    with (
        serving(lambda _, __: reply(200, b"{}")) as other,
        serving(lambda _, __: moved(307, f"{other.url}/chat/completions")) as hostile,
        openai.OpenAI(base_url=hostile.url, api_key="k", max_retries=0) as client,
    ):
        client.chat.completions.create(model="m", messages=[{"role": "user", "content": SECRET}])
        assert SECRET.encode() in other.requests[0].body


def test_a_redirect_on_the_same_origin_is_followed_a_few_times(clients: dict[str, Ask], tally: Tallies) -> None:
    answer = json.dumps({"choices": [{"index": 0, "message": {"content": COMMAND}, "finish_reason": "stop"}]}).encode()

    def once(here: Hostile, request: Request) -> Iterator[bytes]:
        return reply(200, answer) if "/there" in request.line else moved(307, "/there")

    with serving(once) as hostile:
        assert asyncio.run(thought(settings_for(hostile.url))).text == COMMAND
        assert [SECRET.encode() in request.body for request in hostile.requests] == [True, True]
    attacks = tally("endpoint")
    for client, ask in clients.items():
        with serving(lambda _, request: moved(307, request.line.split()[1] + "/x")) as hostile:
            got = wrong(ask(hostile.url), f"redirects more than {MOST_REDIRECTS} times")
            attacks.add(f"redirect {client} for ever", got or len(hostile.requests) > MOST_REDIRECTS + 1)
    attacks.done()


def test_custom_search_stays_where_it_is_too(tally: Tallies) -> None:
    """The key is in its address. An ordinary page may lead on, which is the control."""
    attacks = tally("endpoint")
    with serving(lambda _, __: reply(200, b"the other page", kind="text/plain")) as other:
        for status in (301, 302, 303, 307, 308):
            with serving(saying(moved, status, f"{other.url}/x?key=leaked")) as hostile:
                settings = WebSettings("sk-search-1", "engine", hostile.url, allow_hosts=("127.0.0.1",))
                registry = live_registry(commands_of(WebCommands(settings)))
                done = asyncio.run(registry.call(registry.bind("google", {"input": SECRET})))
                got = done.ok or wrong(done.text, f"redirects to http://127.0.0.1:{other.port}", "web.search_url")
                attacks.add(f"redirect Custom Search {status}", got or len(other.requests))
                page = registry.bind("browse_website", {"url": hostile.url, "question": "?"})
                assert "the other page" in asyncio.run(registry.call(page)).text
                other.requests.clear()
    attacks.done()


def test_pinecone_follows_nowhere(tally: Tallies) -> None:
    attacks = tally("endpoint")
    with serving(lambda _, __: reply(200, b"{}")) as other:
        for status in (301, 302, 303, 307, 308):
            with serving(saying(moved, status, f"{other.url}/indexes/x")) as hostile:
                with pytest.raises(MemoryFault) as fault:
                    PineconeMemory(api_key="pc-key-1", host=hostile.url, embedder=LexicalEmbedder(), timeout=5.0)
                attacks.add(f"redirect Pinecone {status}", wrong(str(fault.value)) or len(other.requests))
                assert hostile.requests
    attacks.done()


def test_a_name_like_the_loopback_is_not_this_machine(tally: Tallies) -> None:
    """What is on this machine costs no money, so no limit on costs would hold."""
    attacks = tally("endpoint")
    for host in ("127.0.0.1.evil.example", "127.evil.example", "localhost.evil.example", "127.0.0.1@evil.example"):
        attacks.add(f"free of charge: {host}", settings_for(f"http://{host}/v1").local)
    for host in ("127.0.0.1", "127.9.9.9:8080", "localhost:1", "[::1]:1", "me@localhost"):
        assert settings_for(f"http://{host}/v1").local, host
    attacks.done()


# ---------------------------------------------------------------- answers that do not end

EMPTY = {
    "an empty object": event({}),
    "null": event(None),
    "a number": event(7),
    "no choices": event({"choices": []}),
    "usage only": event({"choices": [], "usage": {"prompt_tokens": 1, "completion_tokens": 1}}),
    "a role": piece(role="assistant"),
    "empty text": piece(content=""),
    "no text": piece(content=None),
    "another choice": event({"choices": [{"index": 1, "delta": {"content": "x"}}]}),
    "text as a number": event({"choices": [{"index": 0, "delta": {"content": 5}}]}),
    "parts without text": piece(content=[{"type": "image"}]),
    "the same call": piece(tool_calls=[{"index": 0, "id": "c", "function": {"name": "wait", "arguments": ""}}]),
    "an event with a name": b"event: message\n" + event({}),
}
"""Pieces that bring no text."""


@pytest.mark.parametrize("name", EMPTY)
def test_pieces_without_text_are_no_progress(name: str, tally: Tallies) -> None:
    """Only the wait for text is short here: each piece comes long before the next one is missed."""
    with serving(lambda here, _: here.slow(STREAM, spoken("so "), again=EMPTY[name])) as hostile:
        said = chat(hostile.url, timeout=GUARD, stall_seconds=0.5)
        attacks = tally("endpoint")
        attacks.add(f"endless pieces: {name}", wrong(said, "pieces without text for 0.5 s", "OPENAI_STALL_SECONDS"))
        attacks.done()
        assert hostile.gone.wait(GUARD)


def test_a_piece_is_counted_and_others_have_their_turn(tally: Tallies) -> None:
    """Without any clock to end it; in between, the event loop serves whoever else is there, such as Ctrl-C."""
    with serving(lambda here, _: here.fast(STREAM, again=b"data: {}\n\n")) as hostile:
        turns = 0

        async def go() -> None:
            nonlocal turns
            thinking = asyncio.create_task(thought(settings_for(hostile.url, timeout=GUARD)))
            while not thinking.done():
                turns += 1
                await asyncio.sleep(0)
            await thinking

        with pytest.raises(BrainError) as failed:
            asyncio.run(go())
        attacks = tally("endpoint")
        attacks.add("endless pieces as fast as they come", wrong(str(failed.value), "100,000 pieces without text"))
        attacks.add("endless pieces keep the loop", turns < 10)
        attacks.done()


@pytest.mark.full
def test_text_for_ever_ends_too(tally: Tallies) -> None:
    with serving(lambda here, _: here.slow(STREAM, again=spoken("x"))) as hostile:
        said = chat(hostile.url, timeout=GUARD, answer_seconds=0.5)
    attacks = tally("endpoint")
    attacks.add("endless text, slowly", wrong(said, "did not end its answer within 0.5 s", "OPENAI_ANSWER_SECONDS"))
    wide = event({"choices": [{"index": 0, "delta": {"content": "x"}}], "padding": "p" * 2_000_000})
    with serving(lambda here, _: here.fast(STREAM, again=wide)) as hostile:
        attacks.add("endless bytes around little text", wrong(chat(hostile.url, timeout=GUARD), "200,000,000 bytes"))
    attacks.done()


DRIPS: dict[str, tuple[bytes, bytes]] = {
    "comments": (STREAM, b": keep-alive\n\n"),
    "empty lines": (STREAM, b"\n"),
    "a line without end": (STREAM + b"data: ", b"x"),
    "lines of one piece": (STREAM, b"data: x\n"),
    "a body without end": (JSON + b'{"choices": "', b"x"),
    "an error without end": (ERROR + b'{"error": "', b"x"),
    "a status line": (b"HTTP/1.1 200 ", b"O"),
    "one header": (b"HTTP/1.1 200 OK\r\nX-A: ", b"a"),
    "headers": (b"HTTP/1.1 200 OK\r\n", b"X-A: a\r\n"),
    "first answers": (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    "a chunk's size": (STREAM[:-2] + b"Transfer-Encoding: chunked\r\n\r\n", b"0"),
    "nothing": (b"", b""),
}
"""(start, what comes again and again): none of it is a piece of an answer. Comments alone are a sign of life."""


@pytest.mark.parametrize("name", DRIPS)
def test_a_drip_ends(name: str, tally: Tallies) -> None:
    start, again = DRIPS[name]
    attacks = tally("endpoint")
    with serving(lambda here, _: here.slow(start, again=again)) as hostile:
        said = chat(hostile.url, timeout=GUARD, stall_seconds=0.5, answer_seconds=GUARD)
        attacks.add(f"drip of {name}", wrong(said, "sent no text of an answer for 0.5 s"))
    attacks.done()


@pytest.mark.parametrize("name", DRIPS)
def test_a_drip_can_be_cancelled(name: str, tally: Tallies) -> None:
    """With no clock near its end."""
    start, again = DRIPS[name]
    attacks = tally("endpoint")
    with serving(lambda here, _: here.slow(start, again=again)) as hostile:

        async def go() -> None:
            far = settings_for(hostile.url, timeout=10 * GUARD)
            thinking = asyncio.create_task(thought(far))
            assert await asyncio.to_thread(hostile.going.wait, GUARD)
            thinking.cancel()
            done, _ = await asyncio.wait([thinking], timeout=GUARD / 2)
            attacks.add(f"no cancelling {name}", not done or not thinking.cancelled())

        asyncio.run(go())
        assert again == b"" or hostile.gone.wait(GUARD)
    attacks.done()


FLOODS: dict[str, tuple[bytes, bytes, str]] = {
    "comments": (STREAM, b": keep-alive\n\n", f"{MOST_BYTES:,} bytes"),
    "empty lines": (STREAM, b"\n", f"{MOST_BYTES:,} bytes"),
    "a line without end": (STREAM + b"data: ", b"x", f"{MOST_BYTES:,} bytes"),
    "lines of one piece": (STREAM, b"data: xy\n", f"{MOST_BYTES:,} bytes"),
    "a body without end": (JSON + b'{"choices": "', b"x", f"{MOST_BYTES:,} bytes"),
    "an error without end": (ERROR + b'{"error": "', b"x", f"{MOST_BYTES:,} bytes"),
    "a redirect without end": (
        b"HTTP/1.1 307 So\r\nLocation: /v1/x\r\n\r\n", b"x", f"{MOST_BYTES:,} bytes",
    ),
    "a status line": (b"HTTP/1.1 200 ", b"O", "was lost"),
    "one header": (b"HTTP/1.1 200 OK\r\nX-A: ", b"a", "was lost"),
    "headers": (b"HTTP/1.1 200 OK\r\n", b"X-A: a\r\n", "was lost"),
    "a chunk's size": (STREAM[:-2] + b"Transfer-Encoding: chunked\r\n\r\n", b"0", ""),
}  # fmt: skip


_LONG = ("empty lines", "lines of one piece")
"""These are many lines, each of which the SDK looks at: half a minute."""


@pytest.mark.parametrize("name", [*drawn(_LONG, 1), *(each for each in FLOODS if each not in _LONG)])
@pytest.mark.full
def test_a_flood_ends(name: str, tally: Tallies) -> None:
    """By the bytes that came: no clock is near its end."""
    start, again, words = FLOODS[name]
    attacks = tally("endpoint")
    with serving(lambda here, _: here.fast(start, again=again)) as hostile:
        said = chat(hostile.url, timeout=GUARD)
        attacks.add(f"flood of {name}", wrong(said, words))
        assert hostile.gone.wait(GUARD)
        assert hostile.sent < 3 * MOST_BYTES
    attacks.done()


def flood(start: bytes, again: bytes, here: Hostile, _: Request) -> Iterator[bytes]:
    return here.fast(start, again=again)


@pytest.mark.parametrize("client", ["models", "pictures", "embeddings"])
def test_the_other_clients_are_bounded_too(client: str, clients: dict[str, Ask], tally: Tallies) -> None:
    attacks = tally("endpoint")
    for name in ("a body without end", "an error without end"):
        start, again, _ = FLOODS[name]
        with serving(partial(flood, start, again)) as hostile:
            attacks.add(f"{client}: flood of {name}", wrong(clients[client](hostile.url), ",000,000 bytes"))
    attacks.done()


@pytest.mark.parametrize("name", ["one header", "a body without end", "first answers", "an error without end"])
@pytest.mark.full
def test_the_other_clients_end_a_drip_too(name: str, tmp_path: Path, tally: Tallies) -> None:
    """Each read of the connection succeeds in time, so only a clock for the whole call ends it."""
    start, again = DRIPS[name]
    attacks = tally("endpoint")
    with serving(lambda here, _: here.slow(start, again=again)) as hostile:
        short = settings_for(hostile.url, timeout=0.5)
        with pytest.raises(BrainError) as failed:
            asyncio.run(asyncio.wait_for(list_models(short), GUARD))
        attacks.add(f"models: drip of {name}", wrong(str(failed.value), "0.5 s"))
        with pytest.raises(MemoryFault) as fault:
            open_embedder("openai", base_url=hostile.url, timeout=0.3).embed(["x"])
        attacks.add(f"embeddings: drip of {name}", wrong(str(fault.value), "cannot be fetched"))
        copies = UndoCopies(tmp_path / "u")
        family = ImageCommands(ImageSettings(), Workspace(tmp_path / "w"), copies, lambda: open_client(short))
        registry = live_registry(commands_of(family), account=account(tmp_path / "account"))
        call = replace(registry.bind("generate_image", {"prompt": "x"}), id="s:1")
        done = asyncio.run(asyncio.wait_for(registry.call(call), GUARD))
        attacks.add(f"pictures: drip of {name}", wrong(done.text, "took too long"))
    attacks.done()


@pytest.mark.full
def test_a_plain_client_reads_a_drip_on_and_on() -> None:
    """Its time-out is for each read; it is still reading after two such times."""
    with serving(lambda here, _: here.slow(JSON, again=b"x")) as hostile, ExitStack() as stack:
        client = stack.enter_context(httpx2.Client(timeout=2.0))
        started = time.monotonic()
        response = stack.enter_context(client.stream("GET", hostile.url))
        assert any(time.monotonic() - started > 4.0 for _ in response.iter_raw())


def drip_after(end: bytes, again: bytes, here: Hostile, _: Request) -> Iterator[bytes]:
    return here.slow(STREAM, end, again=again)


@pytest.mark.full
def test_what_comes_after_the_end_is_not_waited_for(tally: Tallies) -> None:
    """A whole answer, and then anything for ever: the answer is taken."""
    end = spoken(COMMAND) + spoken("", finish="stop")
    attacks = tally("endpoint")
    for name, more in {
        "pieces": event({}),
        "comments": b": x\n",
        "text": spoken("y"),
        "done": event(b"[DONE]"),
    }.items():
        with serving(partial(drip_after, end, more)) as hostile:
            answer = asyncio.run(thought(settings_for(hostile.url, timeout=GUARD)))
            attacks.add(f"endless {name} after the end", not answer.text.startswith(COMMAND))
            assert hostile.gone.wait(GUARD)
    attacks.done()


@pytest.mark.parametrize("name", ["pieces", "comments"])
@pytest.mark.sampled(1)
def test_ctrl_c_is_answered_while_an_endpoint_goes_on_for_ever(name: str, place: Place, terminal: Any) -> None:
    """The program in a terminal, with its own, long waits."""
    again = event({}) if name == "pieces" else b": keep-alive\n\n"

    def answer(here: Hostile, request: Request) -> Iterable[bytes]:
        """Only the question of the run has no end: the list of models would be left after ten seconds."""
        asked = request.line.startswith("POST")
        return here.slow(STREAM, spoken("so_on"), again=again) if asked else reply(404)

    with serving(answer) as hostile:
        child = terminal("run", *STONE_PICKAXE, "--continuous", OPENAI_BASE_URL=hostile.url, SMART_LLM_MODEL="m")
        child.expect("so_on", timeout=60)
        child.kill(signal.SIGINT)
        assert hostile.gone.wait(GUARD / 2), "the connection is still open"


# ---------------------------------------------------------------- what it says of itself

DEEP = b"[" * 900 + b"]" * 900
ERRORS: dict[str, bytes] = {
    "a long message": b'{"error": {"message": "' + b"x" * 10_000_000 + b'"}}',
    "a long code": b'{"error": {"code": "' + b"x" * 1_000_000 + b'"}}',
    "a long parameter": b'{"error": {"message": "m", "param": "' + b"x" * 1_000_000 + b'"}}',
    "what the provider said": b'{"error": {"message": "m", "metadata": {"raw": "' + b"y" * 9_000_000 + b'"}}}',
    "a deep code": b'{"error": {"code": ' + DEEP + b"}}",
    "a deep message": b'{"error": {"message": ' + DEEP + b"}}",
    "a deep type": b'{"error": {"type": ' + DEEP + b', "code": "5"}}',
    "a code that is a digit only by name": b'{"error": {"code": "\xc2\xb2"}}',
    "a code of 5,000 digits": b'{"error": {"code": "' + b"9" * 5_000 + b'", "type": "t"}}',
    "a number of 4,000 digits": b'{"error": {"code": ' + b"9" * 4_000 + b"}}",
    "a window of 3,900 digits": b'{"error": {"message": "maximum context length is ' + b"9" * 3_900 + b'"}}',
    "half a character": b'{"error": {"message": "\\ud83d"}}',
    "escapes of the terminal": b'{"error": {"message": "\\u001b[2J\\u001b]0;x\\u0007"}}',
    "letters that turn round": b'{"error": {"message": "\\u202egpj.exe"}}',
    "lines": b'{"error": {"message": "one\\ntwo\\u2028three\\u0085four"}}',
    "braces": b'{"error": {"message": "{where} {said.headers}"}}',
    "no UTF-8": b"\xff\xfe\x80",
    "half of JSON": b'{"error": ',
}


@pytest.mark.parametrize("form", ["status 500", "status 400", "status 200", "in a stream"])
def test_an_error_is_one_short_plain_line_whatever_it_says(form: str, tally: Tallies) -> None:
    attacks = tally("endpoint")
    for name, body in ERRORS.items():
        whole = STREAM + event(body) if form == "in a stream" else b""
        status = int(form[-3:]) if not whole else 0
        with serving(saying(iter, [whole]) if whole else saying(reply, status, body)) as hostile:
            attacks.add(f"error, {form}: {name}", wrong(chat(hostile.url)))
    attacks.done()


WAITS = {
    "400 digits": "9" * 400,
    "negative": "-5",
    "not a number": "nan",
    "infinite": "inf",
    "with an exponent": "1e9",
    "in other digits": "٣٣٣",
    "a date in the far future": "Fri, 31 Dec 9999 23:59:59 GMT",
    "a year of five digits": "Fri, 31 Dec 99999 23:59:59 GMT",
    "a year of 400 digits": f"Fri, 31 Dec {'9' * 400} 23:59:59 GMT",
    "no day of any month": "Fri, 99 Foo 2030 99:99:99 GMT",
    "a date long ago": "Thu, 01 Jan 1970 00:00:00 GMT",
    "an odd time zone": "Thu, 01 Jan 2030 00:00:00 +99999999999",
    "a long one": "x" * 50_000,
    "milliseconds": "0.0",
}


def test_no_wait_is_longer_than_the_person_allows(tally: Tallies) -> None:
    """Two tries, each of which may be waited for a hundredth of a second."""
    attacks = tally("endpoint")
    for name, value in WAITS.items():
        header = "Retry-After-Ms" if name == "milliseconds" else "Retry-After"
        with serving(saying(reply, 429, b'{"error": "slow"}', (header, value))) as hostile:
            told: list[Delta] = []
            with pytest.raises(BrainError) as failed:
                asyncio.run(thought(settings_for(hostile.url, retries=2, longest_wait=0.05), told.append))
            waits = [each.text for each in told if each.kind == "wait" and each.text]
            long = [each for each in waits if not each.endswith("trying again in 1 s")]
            got = wrong(str(failed.value), "limits the rate of calls") or long or len(waits) > 2
            attacks.add(f"to wait: {name}", got or len(hostile.requests) > 3)
    attacks.done()


# ---------------------------------------------------------------- what it could make grow


def test_cookies_are_not_kept(tally: Tallies) -> None:
    """They would be sent back, and kept, for as long as the program runs."""
    attacks = tally("endpoint")
    cookies = [("Set-Cookie", f"c{number}={'x' * 1_000}; Path=/") for number in range(50)]
    answer = json.dumps({"choices": [{"index": 0, "message": {"content": "a"}, "finish_reason": "stop"}]}).encode()
    with serving(lambda _, __: reply(200, answer, *cookies)) as hostile:

        async def twice() -> None:
            brain = OpenAIBrain(settings_for(hostile.url))
            for _ in range(2):
                await brain.think([Message("user", "x")])
            await brain.close()

        asyncio.run(twice())
        attacks.add("cookies for ever", [each for each in hostile.requests if "cookie" in each.headers])
        assert len(hostile.requests) == 2
        with httpx2.Client() as plain:  # the control: a plain client sends them back
            plain.get(hostile.url)
            plain.get(hostile.url)
        assert len(hostile.requests[-1].headers["cookie"]) > 50_000
    attacks.done()


def test_a_list_of_models_is_cut(tally: Tallies) -> None:
    attacks = tally("endpoint")
    many = json.dumps({"data": [{"id": f"gtp-{number:09}"} for number in range(300_000)]}).encode()
    long = json.dumps({"data": [{"id": "g" * 5_000_000}, {"id": "fine", "owned_by": "o" * 1_000_000}]}).encode()
    for name, body in {"many models": many, "a long name": long}.items():
        with serving(saying(reply, 200, body)) as hostile:
            found = asyncio.run(list_models(settings_for(hostile.url)))
            size = sum(len(id) + len(owner) for id, owner in found)
            attacks.add(name, not found or len(found) > 2_000 or size > 100_000)
    unknown = b'{"error": {"message": "model not found", "code": "model_not_found"}}'
    with serving(lambda _, r: reply(200, many) if r.line.startswith("GET") else reply(404, unknown)) as hostile:
        said = chat(hostile.url, smart_model="gpt-123456789")
        attacks.add("many models to compare a name with", wrong(said, "does not know the model 'gpt-123456789'"))
    attacks.done()


def test_what_stands_beside_the_text_is_cut_too(tally: Tallies) -> None:
    attacks = tally("endpoint")
    calls = [{"index": number, "id": "i" * 1_000, "function": {"name": "n" * 1_000}} for number in range(5_000)]
    pieces = [piece(tool_calls=calls), spoken("x", finish="f" * 1_000_000)]
    with serving(lambda _, __: [STREAM, *pieces]) as hostile:
        answer = asyncio.run(thought(settings_for(hostile.url)))
    attacks.add("tool calls", len(answer.tool_calls) > 100 or len(json.dumps(answer.tool_calls)) > 100_000)
    attacks.add("why it ended", len(answer.finish_reason) > 200)
    attacks.done()
    assert answer.text == "x"
