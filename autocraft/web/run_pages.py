"""The other runs of this person that are served as pages. Each has a file with its port and a key, for its owner only.

Who can read that file is the person already. A run asks another one over loopback for its goals, and for a link. Both
prove that they know the key, and neither sends it: after a kill, another program may listen at the port of the file.
"""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import json
import re
import secrets
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import httpx2

from autocraft.protocols import Json
from autocraft.session.atomic import write_named
from autocraft.session.folder import private_folder
from autocraft.web.loopback import HOST

_SECONDS = 2.0
"""How long another run may take for its answer."""
_client = partial(httpx2.AsyncClient, trust_env=False, timeout=_SECONDS)
_MOST = 50
_MOST_ANSWER = 2**20
PROOF = "autocraft-proof"
"""The header of an answer that shows that it comes from the run of the file."""
_TOKEN = re.compile(r"[\w-]{20,100}", re.ASCII)


@dataclass(frozen=True)
class Entry:
    """The file of one run, named by its session: its port, and the key that another run must name."""

    file: Path
    port: int
    key: str

    @classmethod
    def read(cls, file: Path) -> Entry | None:
        """Return what a file says. Return None for one that cannot be read, or is of another kind."""
        try:
            data = json.loads(file.read_bytes())
            return cls(file, int(data["port"]), str(data["key"]))
        except (OSError, ValueError, KeyError, TypeError):
            return None

    async def ask(self, http: httpx2.AsyncClient, path: str) -> Json | None:
        """Return the answer of this run. Return None if it gives none.

        Delete the file if the run has ended: nobody listens at its port, or somebody who does not know the key.
        """
        nonce, body = secrets.token_urlsafe(16), b""
        headers = {"Authorization": f"Bearer {nonce}.{self.proof('ask', nonce)}"}
        try:
            async with (
                asyncio.timeout(_SECONDS),
                http.stream("POST", f"http://{HOST}:{self.port}{path}", headers=headers) as reply,
            ):
                async for piece in reply.aiter_raw():
                    body += piece
                    if len(body) > _MOST_ANSWER:
                        break
        except httpx2.ConnectError:
            self.remove()
            return None
        except (httpx2.HTTPError, TimeoutError):
            return None
        if not _same(reply.headers.get(PROOF, ""), self.proof("answer", nonce, body)):
            if reply.status_code == 200:
                self.remove()
            return None
        answer = json.loads(body)
        return answer if isinstance(answer, dict) else None

    def proof(self, of: str, nonce: str, body: bytes = b"") -> str:
        """Return what only somebody who knows the key can compute, for one question."""
        return hmac.digest(self.key.encode(), f"{of} {nonce} ".encode() + body, "sha256").hex()

    def remove(self) -> None:
        with contextlib.suppress(OSError):
            self.file.unlink()


class RunPages:
    """The pages of all runs below one state folder, and the entry of our own, named by its session."""

    def __init__(self, root: Path, session: str, port: int) -> None:
        self._folder = root / "pages"
        self._own = Entry(self._folder / f"{session}.json", port, secrets.token_urlsafe(32))

    def enter(self) -> None:
        """Write the entry of our own. Raises UsageError."""
        private_folder(self._folder)
        write_named(self._own.file, json.dumps({"port": self._own.port, "key": self._own.key}).encode(), mode=0o600)

    def leave(self) -> None:
        self._own.remove()

    def nonce_of(self, authorization: str) -> str:
        """Return the nonce of a request. Return '' unless it comes from a run that knows our key."""
        nonce, _, proof = authorization.removeprefix("Bearer ").partition(".")
        return nonce if _same(proof, self._own.proof("ask", nonce)) else ""

    def prove(self, nonce: str, body: bytes) -> str:
        """Return the proof that an answer is ours."""
        return self._own.proof("answer", nonce, body)

    async def rows(self) -> list[Json]:
        """Return session, goals and state of each other run that answers, the newest first."""
        entries = [entry for entry in map(Entry.read, self._files()) if entry is not None]
        async with _client() as http:  # one, since each reads the certificates
            answers = await asyncio.gather(*(entry.ask(http, "/about") for entry in entries))
        return [
            {"session": entry.file.stem, "goals": goals, "waiting": answer.get("waiting") is True}
            for entry, answer in zip(entries, answers, strict=True)
            if answer is not None and _are_texts(goals := answer.get("goals"))
        ]

    async def link(self, session: str) -> str:
        """Return a link to the page of another run, which works once. Return '' if there is no such page."""
        entry = next((Entry.read(file) for file in self._files() if file.stem == session), None)
        async with _client() as http:
            answer = None if entry is None else await entry.ask(http, "/link")
        token = "" if answer is None else str(answer.get("token"))
        return link_to(entry.port, token) if entry is not None and _TOKEN.fullmatch(token) else ""

    def _files(self) -> list[Path]:
        with contextlib.suppress(OSError):
            return sorted(set(self._folder.glob("*.json")) - {self._own.file}, reverse=True)[:_MOST]
        return []


def link_to(port: int, token: str) -> str:
    """Return the link that opens a page."""
    return f"http://{HOST}:{port}/?token={token}"


def _same(value: str, secret: str) -> bool:
    return hmac.compare_digest(value.encode(), secret.encode())


def _are_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)
