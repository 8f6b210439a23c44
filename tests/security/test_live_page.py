"""The live page answers nobody but the browser that was given the link, and nothing but what was shown."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import httpx2
import pytest

from autocraft.web.question import Question, Refused, line_of
from autocraft.web.run_pages import RunPages
from tests.conftest import STONE_PICKAXE, Place, kinds
from tests.security.count import Tally
from tests.security.injections import INJECTIONS
from tests.waiting import PATIENCE
from tests.web.browsing import Browser, answer_to, followed, served

Kind = Callable[[str], Tally]
REFUSED = (400, 401, 403, 409, 413, 415)


def foreign(port: str, root: str) -> dict[str, dict[str, str]]:
    """Headers of requests that are not our page's own, by name."""
    return {
        "a foreign origin": {"Origin": "https://evil.example"},
        "a lookalike origin": {"Origin": f"http://127.0.0.1:{port}.evil.example"},
        "an origin over https": {"Origin": root.replace("http", "https")},
        "no origin of a page": {"Origin": "null"},
        "an origin at another port": {"Origin": "http://127.0.0.1:1"},
        "a foreign host": {"Host": "evil.example"},
        "a lookalike host": {"Host": f"127.0.0.1.evil.example:{port}"},
        "a host without a port": {"Host": "127.0.0.1"},
        "another site": {"Sec-Fetch-Site": "cross-site"},
        "another port of this host": {"Sec-Fetch-Site": "same-site"},
    }


@pytest.mark.full
def test_only_the_browser_with_the_link_sees_and_says_anything(place: Place, tally: Kind) -> None:
    attacks = tally("requests to the live page")

    async def play() -> None:
        async with served(place, *STONE_PICKAXE) as browser, httpx2.AsyncClient(timeout=PATIENCE) as other:
            root, token = browser.root, browser.link.partition("=")[2]
            bad = ["", "x" * len(token), token[:-1], token + "x", token.upper(), "\u0661" * 9]
            for wrong in bad:
                page = await other.get(root, params={"token": wrong})
                attacks.add(f"the token {bad.index(wrong)}", page.status_code not in REFUSED or other.cookies)
            page = await other.get(root, headers={"Authorization": f"Bearer {token}"})
            attacks.add("the token in a header", page.status_code not in REFUSED)
            page = await other.get(f"{root}/events", params={"token": token})
            attacks.add("events for the token alone", page.status_code not in REFUSED)
            for name, headers in foreign(root.rpartition(":")[2], root).items():
                if "Sec-Fetch-Site" not in headers:  # a link may be clicked anywhere; it is the token that counts
                    page = await other.get(browser.link, headers=headers)
                    attacks.add(f"the link with {name}", page.status_code not in REFUSED or other.cookies)
            assert "<h1>autocraft</h1>" in await browser.enter(), "the control: the link counts once"
            (kept,) = (place.state / "pages").iterdir()
            key = json.loads(kept.read_text())["key"]
            for path in ("/link", "/about"):
                for wrong in ("", "Bearer", "Bearer x", f"Bearer {key[:-1]}", f"Bearer {token}", key, f"Basic {key}"):
                    asked = await other.post(root + path, headers={"Authorization": wrong})
                    attacks.add(f"{path} with {wrong[:8]!r} and {len(wrong)}", asked.status_code != 401)
                asked = await browser.post(path, {})
                attacks.add(f"{path} by the cookie alone", asked.status_code != 401)
            nonce = "a nonce"
            own = RunPages(place.state, kept.stem, 1)
            for wrong in (f"Bearer {key}", f"Bearer .{key}", f"Bearer {nonce}.{own._own.proof('ask', nonce)}"):
                asked = await other.post(f"{root}/link", headers={"Authorization": wrong})
                attacks.add(
                    f"/link with the key itself or the proof of another run, {len(wrong)}", asked.status_code != 401
                )
            asker = RunPages(place.state, "another", 1)
            assert (await asker.rows())[0]["goals"] == ["craft 1 stone_pickaxe"], (
                "the control: another run of the person"
            )
            for client in (other, httpx2.AsyncClient(timeout=PATIENCE)):
                page = await client.get(browser.link)
                attacks.add("the link once more", page.status_code != 403 or client.cookies)
            ((name, cookie),) = browser.http.cookies.items()
            set_cookie = str(await served_cookie(browser))
            attacks.add("a cookie for scripts and other sites", set_cookie)
            for wrong in ("", cookie[:-1], cookie + "x", token):
                page = await other.get(root, headers={"Cookie": f"{name}={wrong}"})
                attacks.add(f"the cookie {wrong == token} {len(wrong) - len(cookie)}", page.status_code != 401)
            page = await other.get(root, headers={"Cookie": f"autocraft={cookie}"})
            attacks.add("the cookie by another name", page.status_code != 401)

    asyncio.run(play())
    attacks.done()


async def served_cookie(browser: Browser) -> str:
    """What a browser could hand to others: empty if the cookie is for our page alone."""
    jar = next(iter(browser.http.cookies.jar))
    safe = jar.has_nonstandard_attr("HttpOnly") and jar.get_nonstandard_attr("SameSite") == "strict"
    return "" if safe and jar.path == "/" and jar.expires is None else repr(jar)


@pytest.mark.full
def test_no_foreign_request_reaches_the_run(place: Place, tally: Kind) -> None:
    attacks = tally("requests to the live page")

    async def play() -> None:
        async with followed(place, *STONE_PICKAXE) as browser:
            question = await browser.question()
            assert question is not None
            good = answer_to(question, "run")

            async def attempt(name: str, path: str, request: Any) -> None:
                before = len(place.events())
                reply = await request
                attacks.add(f"{path}: {name}", reply.status_code not in REFUSED or len(place.events()) != before)

            for path, body in (
                ("/answer", good),
                ("/say", {"kind": "words", "text": "obey"}),
                ("/say", {"kind": "pause"}),
            ):
                for name, headers in foreign(browser.root.rpartition(":")[2], browser.root).items():
                    await attempt(f"{body['kind']} of {name}", path, browser.post(path, body, **headers))
                url = browser.root + path
                await attempt("no origin", path, browser.http.post(url, json=body))
                origin = {"Origin": browser.root}
                async with httpx2.AsyncClient(timeout=PATIENCE) as other:
                    await attempt("no cookie", path, other.post(url, json=body, headers=origin))
                    linked = f"{url}?token={browser.link.partition('=')[2]}"
                    await attempt("the spent token", path, other.post(linked, json=body, headers=origin))
                text = httpx2.Request("POST", url, json=body).content.decode()
                for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""):
                    headers = origin | {"Content-Type": kind}
                    await attempt(f"as {kind}", path, browser.http.post(url, content=text, headers=headers))
                large = body | {"text": "x" * 300_000}
                await attempt("too large", path, browser.post(path, large))
                for junk in ("[]", "null", "1", "[" * 100_000, "{", '"y"', ""):
                    headers = origin | {"Content-Type": "application/json"}
                    await attempt(f"junk {junk[:9]}", path, browser.http.post(url, content=junk, headers=headers))
                await attempt("by GET", path, _not_found(browser.http.get(url, params={"kind": "run"})))
            for name, headers in foreign(browser.root.rpartition(":")[2], browser.root).items():
                await attempt(name, "/events", browser.http.get(browser.root + "/events", headers=headers))
                asked = await browser.post("/view", {}, **headers)
                attacks.add(f"/view: {name}", asked.status_code not in (401, 403))
            async with httpx2.AsyncClient(timeout=PATIENCE) as other:
                asked = await other.post(browser.root + "/view", headers={"Origin": browser.root})
                attacks.add("/view: no cookie", asked.status_code not in (401, 403))
            asked = await browser.post("/view", {})
            assert (asked.status_code, asked.text) == (409, "there is nothing to see in this world\n"), "the control"
            counted = await browser.post("/answer", good)
            assert counted.status_code == 200, "the control: the same answer from our page"
            said = await browser.post("/say", {"kind": "words", "text": "obey"})
            assert said.status_code == 200, "the control: the same words from our page"

    asyncio.run(play())
    assert len(kinds(place.events(), "feedback")) == 1
    attacks.done()


async def _not_found(request: Any) -> Any:
    reply = await request
    reply.status_code = {405: 403}.get(reply.status_code, reply.status_code)
    return reply


UNCLEAR: list[dict[str, Any]] = [
    {"kind": "RUN"}, {"kind": "y"}, {"kind": "a"}, {"kind": "more"},
    {"kind": "run", "text": "but not now"}, {"kind": None}, {},
    {"kind": "more", "turns": -1}, {"kind": "more", "turns": "3"}, {"kind": "more", "turns": 1.5}, {"kind": ["run"]},
    {"kind": "more", "turns": True}, {"kind": "more", "turns": 10**9}, {"kind": "run", "turns": 3},
    {"kind": "always", "text": "x"}, {"kind": "refuse"}, {"kind": "words"}, {"kind": "words", "text": " "},
    {"kind": "words", "text": 1}, {"kind": "arguments", "text": "{}"}, {"kind": "stop", "turns": 2},
]  # fmt: skip


@pytest.mark.full
def test_an_answer_counts_for_the_question_and_the_text_that_it_names_once(place: Place, tally: Kind) -> None:
    attacks = tally("answers of the live page")

    async def play() -> None:
        async with followed(place, *STONE_PICKAXE) as browser:
            first = await browser.question()
            assert first is not None
            good = answer_to(first, "run")
            ids: list[Any] = [0, -1, first["id"] + 1, str(first["id"]), float(first["id"]), True, None, [first["id"]]]
            ids.remove(True) if first["id"] != 1 else None
            forged = [good | {"id": each} for each in ids]
            forged += [
                good | {"digest": each} for each in ("", None, "0" * 64, good["digest"].upper(), good["digest"][:-1])
            ]
            other = answer_to(first | {"text": first["text"].replace('"count": 4', '"count": 64')}, "run")
            assert other["digest"] != good["digest"]
            forged += [other, {name: good[name] for name in ("id", "kind")}, {"kind": "run"}]
            forged += [{name: good[name] for name in ("id", "digest")} | each for each in UNCLEAR]
            for number, each in enumerate(forged):
                reply = await browser.post("/answer", each)
                attacks.add(f"forgery {number}", reply.status_code not in REFUSED)
            assert len(kinds(place.events(), "intent")) == 0
            assert (await browser.post("/answer", good)).status_code == 200, "the control: the very answer"
            second = await browser.question(first["id"])
            assert second is not None
            for name, each in {
                "replayed": good,
                "replayed for the next question": good | {"id": second["id"]},
                "the next question under the old id": answer_to(second, "run") | {"id": first["id"]},
            }.items():
                attacks.add(name, (await browser.post("/answer", each)).status_code != 409)
            assert len(kinds(place.events(), "intent")) == 1
            both = await asyncio.gather(*(browser.answer(second, "run") for _ in range(8)))
            attacks.add("at once", [reply.status_code for reply in both].count(200) != 1)
            assert await browser.question(second["id"]) is not None
            assert len(kinds(place.events(), "intent")) == 2

    asyncio.run(play())
    attacks.done()


@pytest.mark.full
def test_an_approval_of_a_file_does_not_count_once_the_file_is_another(place: Place, tally: Kind) -> None:
    attacks = tally("swaps behind the live page")
    file = place.folder / "workspace" / "notes.txt"
    file.parent.mkdir()
    file.write_text("old\n")
    script = place.script(("write_to_file", {"file": "notes.txt", "text": "new\n"}), ("do_nothing", {}))

    async def play() -> list[str]:
        async with followed(place, *STONE_PICKAXE, "--brain", "scripted", "--script", script) as browser:
            first = await browser.question()
            assert first is not None
            file.write_text("precious\n")
            await browser.answer(first, "run")
            second = await browser.question(first["id"])
            assert second is not None
            attacks.add("a file that is written between question and answer", file.read_text() != "precious\n")
            assert (await browser.answer(second, "run")).status_code == 200, "the control: it was shown now"
            assert await browser.question(second["id"]) is not None
            return [first["text"], second["text"]]

    first, second = asyncio.run(play())
    assert "precious" not in first and "precious" in second and file.read_text() == "new\n"
    attacks.done()


@pytest.mark.parametrize("wants", ["words", "arguments"])
def test_words_and_arguments_are_never_an_approval(tally: Kind, wants: Any) -> None:
    attacks = tally("answers of the live page")
    for text in ("y", "y -3", "a", "n", "/continuous", "/do craft_item", *INJECTIONS[::12]):
        if wants == "words":
            assert line_of("words", {"kind": "words", "text": "x"}) == "// x", "the control: words are feedback"
            attacks.add(f"words {text}", not line_of("decision", {"kind": "words", "text": text}).startswith("// "))
        try:
            line_of(wants, {"kind": "run", "text": text})
            attacks.add(f"{wants} {text}", "it was taken")
        except Refused:
            attacks.add(f"{wants} {text}")
    attacks.done()


def test_the_digest_is_of_every_character(tally: Kind) -> None:
    attacks = tally("answers of the live page")

    async def play() -> None:
        shown = Question(1, "decision", "run rm a")
        for text in ("run rm  a", "run rm a ", "run rm \u0430", "run rm a\u200b", "run rm A", "run rm a\n"):
            attacks.add(repr(text), Question(1, "decision", text).digest == shown.digest)
        assert Question(1, "decision", "run rm a").digest == shown.digest

    asyncio.run(play())
    attacks.done()
