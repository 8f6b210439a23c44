"""A client of MCP gets nothing approved that the person was not shown, and reads nothing that looks like an order."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import json
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx2
import pytest
from mcp.shared.exceptions import MCPError
from mcp.types import ElicitResult, InputRequiredResult

from autocraft.commands.registry import Registry
from autocraft.console.choices import Choice
from autocraft.console.read import TypedAhead
from autocraft.crafting.inventory import parse_inventory
from autocraft.errors import UsageError
from autocraft.mcp.approver import FormReader
from autocraft.mcp.http import token_of
from autocraft.mcp.pending import Form, InvalidTicket, Outcome, Pending, Tickets, Unanswered
from autocraft.mcp.server import _elicit
from autocraft.mcp.tools import check_names, result_of
from autocraft.protocols import Args, Call, Observation, Risk, command, commands_of
from autocraft.worlds.crafting import CraftingWorld
from tests.conftest import STONE_PICKAXE, Place, kinds
from tests.mcp.clients import RUN, Person, over_stdio, serving, text_of, values
from tests.mcp.servers import other, own, settings
from tests.security.count import Tally
from tests.security.injections import INJECTIONS, faults_in, fences_in, unfenced
from tests.waiting import PATIENCE

Kind = Callable[[str], Tally]
CRAFT: Args = {"name": "oak_planks", "count": 4}
RUN_IT = Choice("run", "y", "yes")
YES = ElicitResult(action="accept", content={"decision": "run"})


def asked(tickets: Tickets, args: Args | None = None) -> tuple[Pending, str]:
    """A call whose question waits, and its ticket."""
    pending = Pending("craft_item", CRAFT if args is None else args, "", asks=True, patience=60)
    pending.form = Form("?", "decision", world="w")
    return pending, tickets.issue(pending)


def body_of(ticket: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(base64.urlsafe_b64decode(ticket)[32:])
    return found


def signed(body: dict[str, Any], key: bytes) -> str:
    data = json.dumps(body).encode()
    return base64.urlsafe_b64encode(hmac.new(key, data, hashlib.sha256).digest() + data).decode()


class Careless(Tickets):
    """The control: it reads what it is handed, and never asks whose, for what, until when, or how often."""

    def redeem(self, ticket: str, name: str, args: Args) -> Pending:
        try:
            nonce = body_of(ticket)["nonce"]
        except ValueError:
            nonce = ""
        return self._open.get(nonce) or next(iter(self._open.values()))


def forgeries(ticket: str) -> dict[str, str]:
    body, raw = body_of(ticket), base64.urlsafe_b64decode(ticket)
    flipped = bytes([raw[0] ^ 1]) + raw[1:]
    return {
        "nothing": "",
        "no base64": "?" * 40,
        "short": ticket[:20],
        "a flipped bit of the signature": base64.urlsafe_b64encode(flipped).decode(),
        "no signature": base64.urlsafe_b64encode(bytes(32) + raw[32:]).decode(),
        "the key of another process": signed(body, b"k" * 32),
        "an empty key": signed(body, b""),
        "a later end": base64.urlsafe_b64encode(raw[:32] + json.dumps(body | {"until": 9e9}).encode()).decode(),
        "another world": base64.urlsafe_b64encode(raw[:32] + json.dumps(body | {"world": ""}).encode()).decode(),
    }


def test_a_ticket_is_ours_for_one_call_for_a_while_and_once(tally: Kind, monkeypatch: pytest.MonkeyPatch) -> None:
    attacks = tally("approvals of clients")

    def attempt(name: str, tickets: Tickets, ticket: str, args: Args | None = None) -> None:
        try:
            tickets.redeem(ticket, "craft_item", CRAFT if args is None else args)
        except InvalidTicket:
            attacks.add(name)
            return
        attacks.add(name, "it was taken")

    tickets, careless = Tickets("s", 60), Careless("s", 60)
    _, ticket = asked(tickets)
    _, given = asked(careless)
    for name, forged in forgeries(ticket).items():
        attempt(name, tickets, forged)
        assert careless.redeem(forgeries(given)[name], "craft_item", CRAFT), "the control must fall"
    more = {"name": "oak_planks", "count": 64}
    attempt("other arguments", tickets, ticket, more)
    assert careless.redeem(given, "craft_item", more)
    other = Tickets("another", 60)
    _, foreign = asked(other)
    attempt("of another session", tickets, foreign)
    other.redeem(foreign, "craft_item", CRAFT)
    tickets.redeem(ticket, "craft_item", CRAFT)
    attempt("once more", tickets, ticket)
    careless.redeem(given, "craft_item", CRAFT)
    assert careless.redeem(given, "craft_item", CRAFT)
    pending, closed = asked(tickets)
    pending.form = None
    attempt("of a closed question", tickets, closed)
    pending, moved = asked(tickets)
    pending.form = Form("?", "decision", world="another")
    attempt("of an earlier question of the call", tickets, moved)
    _, old = asked(tickets)
    monkeypatch.setattr("autocraft.mcp.pending.time.time", lambda: body_of(old)["until"] + 1)
    attempt("too old", tickets, old)
    attacks.done()


def test_the_answer_to_an_earlier_question_of_a_call_answers_no_later_one() -> None:
    """A program asks a question for each effect. The form of one that nobody answered may still be open."""
    late = asyncio.Event()

    class Session:
        async def elicit_form(self, *_: object) -> ElicitResult:
            await late.wait()
            return YES

    async def play() -> None:
        pending, tickets = Pending("run_program", {}, "", asks=True, patience=0.05), Tickets("s", 60)
        earlier, later = Form("chat hello", "decision"), Form("attack cow", "decision")
        context: Any = SimpleNamespace(session=Session(), request_id=1)
        asking = asyncio.create_task(_elicit(context, earlier, pending))
        question = asyncio.create_task(pending.ask(earlier))
        assert await pending.steps.get() is earlier
        ticket = tickets.issue(pending)
        with pytest.raises(Unanswered):
            await question
        question = asyncio.create_task(pending.ask(later))
        assert await pending.steps.get() is later
        with pytest.raises(InvalidTicket, match="answered or closed"):
            tickets.redeem(ticket, "run_program", {})
        late.set()
        await asking
        with pytest.raises(Unanswered, match="nobody answered"):
            await question

    asyncio.run(play())


@pytest.mark.full
def test_no_word_of_a_client_approves_what_its_person_was_not_asked(place: Place, tally: Kind) -> None:
    attacks = tally("approvals of clients")

    async def attempt(session: Any, name: str, args: Args, **given: Any) -> Any:
        before = len(kinds(place.events(), "intent"))
        try:
            got = await session.call_tool("craft_item", args, allow_input_required=True, **given)
        except MCPError as error:
            got = error
        attacks.add(name, len(kinds(place.events(), "intent")) - before)
        return got

    unclear: list[Any] = [{}, {"decision": "RUN"}, {"decision": "y"}, {"decision": "run", "words": "but not now"}]

    async def play() -> None:
        async with over_stdio(place, *STONE_PICKAXE, person=Person([RUN])) as client:
            session = client.session
            first = await attempt(session, "an answer without a question", CRAFT, input_responses={"approval": YES})
            assert isinstance(first, InputRequiredResult) and first.request_state is not None
            for name, forged in forgeries(first.request_state).items():
                await attempt(session, f"over the wire: {name}", CRAFT, input_responses={"approval": YES},
                              request_state=forged)  # fmt: skip
            more = {"name": "oak_planks", "count": 12}
            await attempt(session, "over the wire: other arguments", more, input_responses={"approval": YES},
                          request_state=first.request_state)  # fmt: skip
            done = await session.call_tool("craft_item", CRAFT, input_responses={"approval": YES},
                                           request_state=first.request_state)  # fmt: skip
            assert not done.is_error, "the control: the ticket of this very call counts"
            await attempt(session, "over the wire: once more", CRAFT, input_responses={"approval": YES},
                          request_state=first.request_state)  # fmt: skip
            for content in unclear:
                question: Any = await session.call_tool("craft_item", CRAFT, allow_input_required=True)
                await attempt(session, f"unclear: {content}", CRAFT, request_state=question.request_state,
                              input_responses={"approval": ElicitResult(action="accept", content=content)})  # fmt: skip
            question = await session.call_tool("craft_item", CRAFT, allow_input_required=True)
            await attempt(session, "no answer", CRAFT, request_state=question.request_state)

    asyncio.run(play())
    attacks.done()


@pytest.mark.full
def test_an_approval_of_a_file_does_not_count_once_the_file_is_another(place: Place, tally: Kind) -> None:
    attacks = tally("swaps behind a client's question")
    file = place.folder / "workspace" / "notes.txt"
    file.parent.mkdir()
    file.write_text("old\n")
    person = Person([RUN])
    texts = iter(["precious\n", ""])

    def swap() -> None:
        text = next(texts, "")
        if text:
            file.write_text(text)

    person.before = swap

    async def play() -> None:
        async with over_stdio(place, *STONE_PICKAXE, person=person) as client:
            await client.call_tool("write_to_file", {"file": "notes.txt", "text": "new\n"})

    asyncio.run(play())
    attacks.add("a file that is written between question and answer", len(person.forms) < 2)
    assert "precious" not in person.forms[0] and "precious" in person.forms[1]
    assert len(kinds(place.events(), "intent")) == 1
    attacks.done()


@pytest.mark.parametrize("changes", [True, False], ids=["changed", "control"])
def test_an_approval_does_not_count_once_the_world_is_another(tally: Kind, changes: bool) -> None:
    world = _world()
    reader = FormReader(world)
    reader.pending = Pending("craft_item", CRAFT, "", asks=True, patience=60)

    async def play() -> str:
        asking = asyncio.create_task(reader.ask(lambda: reader.write("?"), "Input: ", choices=[RUN_IT]))
        pending = reader.pending
        assert pending is not None
        await pending.steps.get()
        if changes:
            world.restore(_world("oak_log=2").snapshot())
        pending.answer(YES.model_dump())
        return await asking

    if not changes:
        assert asyncio.run(play()) == "y"
        return
    attacks = tally("swaps behind a client's question")
    try:
        attacks.add("a world that changes between question and answer", asyncio.run(play()))
    except TypedAhead:
        attacks.add("a world that changes between question and answer")
    attacks.done()


NAMES = ["Craft_Item", "craft_item ", "craft\u200b_item", "craft_\u0456tem", "\uff43raft_item", "craft item", "undo",
         "autocraft__craft_item", "craft_item\n", "CRAFT_ITEM"]  # fmt: skip


def resolved_carelessly(name: str, registry: Registry) -> object:
    """The control: a lookup that means well."""
    plain = unicodedata.normalize("NFKC", name.replace("\u200b", "").replace("\u0456", "i")).strip().lower()
    return registry.find(plain.replace(" ", "_").removeprefix("autocraft__"))


@pytest.mark.full
def test_no_other_name_stands_for_a_command(place: Place, tally: Kind) -> None:
    attacks = tally("names of tools")
    registry = Registry([*commands_of(_world()), *commands_of(Undoes())])

    async def play() -> None:
        async with over_stdio(place, *STONE_PICKAXE, "--continuous") as client:
            for name in NAMES:
                assert resolved_carelessly(name, registry), f"{name!r} proves nothing"
                result = await client.call_tool(name, {} if name == "undo" else CRAFT)
                attacks.add(name, values(result)["outcome"] != "invalid")

    asyncio.run(play())
    assert kinds(place.events(), "intent") == []
    attacks.done()


class Undoes:
    family = "control"

    @command(help="Take back", risk=Risk.DESTROY, offered=False)
    async def undo(self, call: Call) -> str:
        return ""


class Shadow:
    family = "own"

    @command(help="Look", risk=Risk.LOOK)
    async def observe(self, call: Call) -> str:
        return "all is well"


def test_an_own_command_cannot_stand_in_for_our_tool(tally: Kind) -> None:
    attacks = tally("names of tools")
    with pytest.raises(UsageError, match="observe"):
        check_names(Registry(commands_of(Shadow())))
    attacks.add("observe")
    attacks.done()


def fenced(text: str) -> list[Mapping[str, str]]:
    return [{"role": "system", "content": "s"}, {"role": "user", "content": text}]


@pytest.mark.full
def test_texts_of_the_world_reach_a_client_as_data(place: Place, tally: Kind) -> None:
    """Of files over the wire; of chat and names of items by what makes every result."""
    attacks = tally("injections through tools")
    folder = place.folder / "workspace"
    folder.mkdir()
    some = INJECTIONS[::6]
    for number, text in enumerate(some):
        (folder / f"{number}.txt").write_text(text)

    async def play() -> None:
        async with over_stdio(place, *STONE_PICKAXE, "--continuous") as client:
            for number, text in enumerate(some):
                result = await client.call_tool("read_file", {"file": f"{number}.txt"})
                judge(f"file: {text}", text_of(result), values(result)["data"])
            journal = await client.read_resource("autocraft://journal")
            judge("journal", getattr(journal.contents[0], "text", ""), "")

    def judge(name: str, text: str, data: str) -> None:
        attacks.add(name, faults_in(fenced(text), "s") or fences_in(data))

    asyncio.run(play())
    for text in INJECTIONS:
        assert faults_in(unfenced(text), "s"), f"{text!r} proves nothing"
        seen = Observation(text, {text: 1})
        for what in ("book", "chat"):
            result = result_of(what, Outcome("done", f"the {what} says {text}"), seen, 6000)
            judge(f"{what}: {text}", text_of(result), values(result)["data"])
        attacks.add(f"item: {text}", fences_in(json.dumps(values(result)["inventory"], ensure_ascii=False)))
        for kind in ("refused", "invalid", "over", "failed", "cancelled"):
            judge(f"{kind}: {text}", text_of(result_of("x", Outcome(kind, f"not run: {text}"), seen, 6000)), "")
        refused = result_of("x", Outcome("refused", "", text), seen, 6000)
        attacks.add(f"words: {text}", fences_in(text_of(refused)))
    attacks.done()


def strings(value: object, key: str = "") -> Iterator[tuple[str, str]]:
    """Yield each text in a message, names of fields included, with the name of its field."""
    if isinstance(value, str):
        yield key, value
    for name, inner in value.items() if isinstance(value, dict) else ():
        yield "name", name
        yield from strings(inner, name)
    for inner in value if isinstance(value, list) else ():
        yield from strings(inner, key)


VALUES = {"data", "name", "mimeType", "mime_type"}
"""Fields that are values and no text for a model: they cannot hold a fence, and `data` is described as data."""


@pytest.mark.full
def test_all_that_a_client_is_sent_is_fenced(place: Place, tally: Kind) -> None:
    """Every text in the lists of tools, resources and prompts, and in errors, beside a server that attacks."""
    attacks = tally("texts to clients")
    there = other(place.folder)
    some = INJECTIONS[::5]

    def letters(number: int) -> str:
        return chr(97 + number // 26) + chr(97 + number % 26)

    def tool(number: int, text: str) -> dict[str, Any]:
        about = {"type": "string", "description": text, "enum": [text, "a"]}
        return {
            "name": f"tool_{letters(number)}",
            "description": text,
            "schema": {"type": "object", "properties": {"a": about}},
        }

    there.behave(tools=[tool(*each) for each in enumerate(some)], says=" ".join(some))
    own(place, settings("others", there.table()))

    def judge(what: str, answer: Any) -> None:
        for key, text in strings(answer.model_dump(mode="json", by_alias=True)):
            found = fences_in(text) if key in VALUES else faults_in(fenced(text), "s")
            attacks.add(f"{what} {key}: {text}", found)

    async def play() -> None:
        async with over_stdio(place, *STONE_PICKAXE, "--continuous") as client:
            tools = await client.list_tools()
            assert sum(each.name.startswith("others__") for each in tools.tools) == len(some)
            assert sum("<data" in (each.description or "") for each in tools.tools) == len(some)
            judge("tools", tools)
            for number, text in enumerate(some):
                judge("result", await client.call_tool(f"others__tool_{letters(number)}", {"a": "a"}))
                judge("invalid", await client.call_tool("craft_item", {"name": text, text: 1}))
                judge("unknown", await client.call_tool("read_file", {"file": text}))
                with suppress(MCPError):
                    judge("no such tool", await client.call_tool(text, {}))
            resources = await client.list_resources()
            judge("resources", resources)
            for each in resources.resources:
                judge(f"resource {each.name}", await client.read_resource(str(each.uri)))
            judge("prompts", await client.list_prompts())

    asyncio.run(play())
    assert len(attacks.names) > 100
    attacks.done()


@pytest.mark.full
def test_a_result_of_any_size_reaches_a_client_within_a_bound(tally: Kind) -> None:
    attacks = tally("oversized results")
    seen = Observation("", {})
    for size in (20_000, 100_000, 10_000_000):
        outcome = Outcome("done", "x" * size)
        assert len(result_of("read_file", outcome, seen, size).model_dump_json()) > 15_000, "the control falls"
        attacks.add(str(size), len(result_of("read_file", outcome, seen, 6_000).model_dump_json()) > 15_000)
    attacks.done()


def _world(items: str = "oak_log=1") -> CraftingWorld:
    return CraftingWorld(parse_inventory(items))


@pytest.mark.parametrize("damaged", [b"", b"\n", b"\xff" * 40])
def test_a_damaged_file_of_the_token_is_replaced_and_a_good_one_stays(tmp_path: Path, damaged: bytes) -> None:
    (tmp_path / "mcp_token").write_bytes(damaged)
    with ThreadPoolExecutor(8) as pool:
        [(token, where)] = set(pool.map(lambda _: token_of("", tmp_path), range(8)))
    assert len(token) > 40 and where == f"the token in {tmp_path / 'mcp_token'}"
    assert (tmp_path / "mcp_token").read_text() == token and (tmp_path / "mcp_token").stat().st_mode & 0o777 == 0o600
    (tmp_path / "mcp_token").write_text(f"{token}\n")
    assert token_of("", tmp_path)[0] == token


def test_http_needs_the_token_our_host_and_no_foreign_origin(place: Place, tally: Kind) -> None:
    attacks = tally("requests over HTTP")
    start = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}}  # fmt: skip

    async def play() -> None:
        async with serving(place, *STONE_PICKAXE) as served, httpx2.AsyncClient(timeout=PATIENCE) as http:
            bearer = {"Authorization": f"Bearer {served.token}"}
            kind = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
            port = served.url.split(":")[2].split("/")[0]
            good = await http.post(served.url, json=start, headers=kind | bearer)
            assert good.status_code == 200, "the control: the right token, host and no origin"
            bad: dict[str, tuple[str, dict[str, str]]] = {
                "no token": (served.url, {}),
                "a wrong token": (served.url, {"Authorization": "Bearer " + "x" * len(served.token)}),
                "half a token": (served.url, {"Authorization": f"Bearer {served.token[:-1]}"}),
                "another scheme": (served.url, {"Authorization": f"Basic {served.token}"}),
                "a bare token": (served.url, {"Authorization": served.token}),
                "a token in the address": (f"{served.url}?token={served.token}", {}),
                "a foreign origin": (served.url, bearer | {"Origin": "https://evil.example"}),
                "a lookalike origin": (served.url, bearer | {"Origin": f"http://127.0.0.1:{port}.evil.example"}),
                "no origin of a page": (served.url, bearer | {"Origin": "null"}),
                "another port": (served.url, bearer | {"Origin": "http://127.0.0.1:1"}),
                "a foreign host": (served.url, bearer | {"Host": "evil.example"}),
                "a lookalike host": (served.url, bearer | {"Host": f"127.0.0.1.evil.example:{port}"}),
            }
            for name, (url, headers) in bad.items():
                answer = await http.post(url, json=start, headers=kind | headers)
                attacks.add(name, answer.status_code not in (401, 403, 421))
            doubled = [("Authorization", "Bearer x"), *bearer.items(), *kind.items()]
            answer = await http.post(served.url, json=start, headers=doubled)
            attacks.add("two tokens", answer.status_code != 401)
            mode = (place.state / "mcp_token").stat().st_mode & 0o777
            attacks.add("a token that others can read", mode != 0o600)

    asyncio.run(play())
    attacks.done()


@pytest.mark.full
def test_half_a_character_of_the_world_stops_no_result(place: Place, tally: Kind) -> None:
    attacks = tally("half characters through tools")
    folder = place.folder / "workspace"
    folder.mkdir()
    (folder / "half \udcff name.txt").write_text("x")

    async def play() -> None:
        async with over_stdio(place, *STONE_PICKAXE, "--continuous") as client:
            listed = await client.call_tool("list_files", {})
            attacks.add("a name of a file", values(listed)["outcome"] != "done" or "name.txt" not in text_of(listed))
            for uri in ("report", "journal"):
                whole = (await client.read_resource(f"autocraft://{uri}")).contents[0]
                attacks.add(uri, "list_files" not in getattr(whole, "text", ""))

    asyncio.run(play())
    half = "half \ud83d of it"
    result = result_of("sign", Outcome("done", half, half), Observation(half, {half: 1}), 6_000)
    attacks.add("a sign", "half" not in result.model_dump_json())
    attacks.done()
