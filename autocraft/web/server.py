"""Serves the page: a link that is good once, a cookie for it, the events, and the answers."""

from __future__ import annotations

import contextlib
import hmac
import json
import secrets
import socket
from collections.abc import AsyncIterator, Callable
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import (
    HTMLResponse,
    JSONResponse,
    PlainTextResponse,
    RedirectResponse,
    Response,
    StreamingResponse,
)
from starlette.routing import Route

from autocraft.agent.context import RunContext
from autocraft.console.grammar import words_line
from autocraft.console.read import ignore
from autocraft.page.browser import browse
from autocraft.page.rendering import joined_scripts, render
from autocraft.protocols import Json
from autocraft.session.atomic import write_atomic
from autocraft.web.live import LivePage
from autocraft.web.loopback import Guard, Server
from autocraft.web.question import Refused
from autocraft.web.run_pages import PROOF, RunPages, link_to

MOST_BODY = 256 * 1024
"""Bytes of one answer."""
HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


class TokenStore:
    """The token of a link, which is good once, and the cookie that a browser gets for it."""

    def __init__(self, port: int) -> None:
        self.name = f"autocraft_{port}"
        """Name of the cookie. Browsers send cookies to all ports of a host, so it names ours."""
        self.token = ""
        """The token that is valid now; empty after it was used."""
        self._spent = ""
        """The token that was used last."""
        self._cookie = secrets.token_urlsafe(32)

    def renew(self) -> str:
        """Return a new token. The previous token becomes invalid."""
        self.token = secrets.token_urlsafe(32)
        return self.token

    def spend(self, token: str) -> str:
        """Return the cookie for the token. Raises LinkUsed or Refused."""
        if _same(token, self._spent):
            raise LinkUsed("this link was used already: open the newest link that the run printed", 403)
        if not _same(token, self.token):
            raise Refused("the token is wrong: open the newest link that the run printed", 403)
        self._spent, self.token = self.token, ""
        return self._cookie

    def hold(self, cookie: str) -> bool:
        return _same(cookie, self._cookie)


class LinkUsed(Refused):
    """Raised when a link is opened a second time."""


class PageServer:
    """Serves one run on a socket of loopback. What the page says reaches the run as what is typed does."""

    def __init__(self, run: RunContext, listening: socket.socket, *, opens: bool) -> None:
        """Take `opens`: whether the page is opened in the person's browser, which `LivePage` tells the page too."""
        self.live = LivePage(run, opens=opens)
        self._door = run.journal.folder / "open.html"
        """A file that only this user can read, which leads a browser to the link. Other users see command lines."""
        self.on_line: Callable[[str], None] = ignore
        self.on_interrupt: Callable[[], None] = ignore
        self._say: Callable[[str], None] = ignore
        """Tells the person a link, where the run tells everything else."""
        self._port: int = listening.getsockname()[1]
        self._keys = TokenStore(self._port)
        self._pages = RunPages(run.journal.folder.parents[1], run.session, self._port)
        self._server = Server(Guard(self.app(), self._port), listening)

    def open(self, say: Callable[[str], None]) -> None:
        """Begin to serve, and tell the person the link."""
        self._server.open()
        self._say = self.live.say = say
        self._pages.enter()
        self._tell_link()
        if self.live.opens and not self._browse():
            say("No browser with a window was found here: open the link yourself.")

    async def close(self) -> None:
        """Send the last parts to the pages, then end."""
        self._pages.leave()
        self._door.unlink(missing_ok=True)
        self.live.close()
        await self._server.close()

    def app(self) -> Starlette:
        routes = [
            Route("/", self._page, methods=["GET"]),
            Route("/events", self._events, methods=["GET"]),
            Route("/answer", self._answer, methods=["POST"]),
            Route("/say", self._remark, methods=["POST"]),
            Route("/view", self._view, methods=["POST"]),
            Route("/runs", self._runs, methods=["GET"]),
            Route("/runs/{session}", self._run, methods=["GET"]),
            Route("/about", self._about, methods=["POST"]),
            Route("/link", self._link, methods=["POST"]),
        ]
        return Starlette(routes=routes, exception_handlers={Refused: _refusal, HTTPException: _refusal})

    async def _page(self, request: Request) -> Response:
        """Return the page: for the cookie, or for the token, which sets the cookie."""
        if request.method == "HEAD":  # a program that looks at a link before a person opens it
            return Response(headers=HEADERS)
        cookie = "" if self._is_known(request) else self._spend(_token(request))
        request.state.admit()
        script = joined_scripts(__package__, "page.js")
        text = render(__package__, "page.html", {"title": "autocraft"}, script, live=True)
        page = HTMLResponse(text, headers=HEADERS)
        if cookie:
            page.set_cookie(self._keys.name, cookie, httponly=True, samesite="strict")
        return page

    async def _events(self, request: Request) -> Response:
        self._check(request)
        changes = self.live.changes()
        first = await anext(changes)  # a refusal comes before the response begins

        async def all_changes() -> AsyncIterator[str]:
            async with contextlib.aclosing(changes):
                yield first
                async for each in changes:
                    yield each

        return StreamingResponse(all_changes(), media_type="text/event-stream", headers=HEADERS)

    async def _answer(self, request: Request) -> Response:
        """Give an answer to the run's question. It counts for the question and the text that it names."""
        self._check(request)
        await self.live.answer(await _body(request))
        return PlainTextResponse("it counts\n", headers=HEADERS)

    async def _remark(self, request: Request) -> Response:
        """Take feedback without a question, or pause the run. A question that came meanwhile is asked anew."""
        self._check(request)
        body = await _body(request)
        text = body.get("text", "")
        if body.get("kind") == "pause" and not text:
            if self.live.waiting:
                raise Refused("a question waits already")
            if not self.live.paused:  # a second interrupt would end the run
                self.live.paused = True
                self.on_interrupt()
        elif body.get("kind") == "words" and isinstance(text, str) and text.strip():
            self.on_line(words_line(text))
            self.live.overtake()
        else:
            raise Refused("this is neither words nor pause", 400)
        return PlainTextResponse("noted\n", headers=HEADERS)

    async def _view(self, request: Request) -> Response:
        """Start the viewer of the world. The first start takes long, because the viewer is downloaded."""
        self._check(request)
        return PlainTextResponse(await self.live.view(), headers=HEADERS)

    async def _runs(self, request: Request) -> Response:
        """Tell which other runs are served now."""
        self._check(request)
        return JSONResponse(await self._pages.rows(), headers=HEADERS)

    async def _run(self, request: Request) -> Response:
        """Redirect to the page of another run."""
        self._check(request)
        if link := await self._pages.link(request.path_params["session"]):
            return RedirectResponse(link, 303, headers=HEADERS)
        raise Refused("that run has no page now", 404)

    async def _about(self, request: Request) -> Response:
        """Send another run the goals and state of this run."""
        nonce = self._check_other(request)
        return self._proven(nonce, {"goals": self.live.goals, "waiting": self.live.waiting})

    async def _link(self, request: Request) -> Response:
        """Give another run the token of a link: the one that waits, or a new one."""
        nonce = self._check_other(request)
        return self._proven(nonce, {"token": self._keys.token or self._keys.renew()})

    def _check_other(self, request: Request) -> str:
        """Return the nonce of a request. Raise Refused unless it comes from another run of this person."""
        if nonce := self._pages.nonce_of(request.headers.get("authorization", "")):
            return nonce
        raise Refused("only another run of yours may ask this", 401)

    def _proven(self, nonce: str, value: Json) -> Response:
        """Return an answer with the proof that it comes from this run."""
        response = JSONResponse(value, headers=HEADERS)
        response.headers[PROOF] = self._pages.prove(nonce, bytes(response.body))
        return response

    def _spend(self, token: str) -> str:
        """Return the cookie for the token. A link that is opened again is replaced by one new link. Raises Refused."""
        try:
            return self._keys.spend(token)
        except LinkUsed:
            if not self._keys.token:
                self._tell_link()
            raise

    def _tell_link(self) -> None:
        self._say(f"The page of this run, for one browser: {link_to(self._port, self._keys.renew())}")

    def _browse(self) -> bool:
        link = link_to(self._port, self._keys.token)
        write_atomic(self._door, f'<meta http-equiv="refresh" content="0; url={link}">\n'.encode(), mode=0o600)
        return browse(self._door)

    def _is_known(self, request: Request) -> bool:
        return self._keys.hold(request.cookies.get(self._keys.name, ""))

    def _check(self, request: Request) -> None:
        """Raise Refused unless the request comes from our own page."""
        if not self._is_known(request):
            raise Refused("open the link that the run printed", 401)
        site = request.headers.get("sec-fetch-site")
        # An older browser, or no browser, names no site; `Guard` has looked at the Origin.
        is_unnamed = site is None and (request.method == "GET" or "origin" in request.headers)
        if site != "same-origin" and not is_unnamed:
            raise Refused("only the page itself may ask this", 403)
        request.state.admit()


def _same(value: str, secret: str) -> bool:
    """Return whether the given value equals the secret. Return False for an empty secret."""
    return bool(secret) and hmac.compare_digest(value.encode(), secret.encode())


def _token(request: Request) -> str:
    """Return the token of the link. Raises Refused if there is none."""
    token = request.query_params.get("token", "")
    if not token:
        raise Refused("open the link that the run printed", 401)
    return token


async def _body(request: Request) -> Json:
    """Return the object that a page sent. Raises Refused."""
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        raise Refused("send JSON", 415)
    data = b""
    async for piece in request.stream():
        data += piece
        if len(data) > MOST_BODY:
            raise Refused(f"an answer has at most {MOST_BODY:,} bytes", 413)
    try:
        body = json.loads(data)
    except (ValueError, RecursionError):
        body = None
    if not isinstance(body, dict):
        raise Refused("send one JSON object", 400)
    return body


async def _refusal(_: Request, error: Any) -> Response:
    status = error.status if isinstance(error, Refused) else error.status_code
    why = str(error) if isinstance(error, Refused) else error.detail
    return PlainTextResponse(f"{why}\n", status, headers=HEADERS)
