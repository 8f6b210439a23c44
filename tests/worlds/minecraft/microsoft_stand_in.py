"""A stand-in for Microsoft's sign-in, NOT Microsoft: a loopback server with the wire format of the device-code flow,
of Xbox Live's tokens and of Minecraft's services. Its tokens are worthless.

The bot's libraries reach it without a change: the bot's Node starts with a hook (`with_hook.py`), which sends each
request for one of Microsoft's hosts here.
Sources of the format: RFC 8628; wiki.vg, "Microsoft Authentication Scheme".
"""

from __future__ import annotations

import json
import threading
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

HOOK = """
const real = globalThis.fetch
globalThis.fetch = (url, ...rest) => {
  const to = new URL(url)
  return real(`http://127.0.0.1:PORT/${to.hostname}${to.pathname}${to.search}`, ...rest)
}
"""
CODE = "ABCD-1234"
SECRETS = {
    name: f"stand-in-{name}-token-0123456789"
    for name in ("device", "access", "refresh", "user", "device_xbl", "title", "xsts", "minecraft")
}
LATER = "2099-01-01T00:00:00.0000000Z"


class MicrosoftStandIn:
    """The server, which runs during its `with` block. `seen` counts requests by host and path."""

    def __init__(self, folder: Path, *, pending: int = 1, refuses: str = "", expires: int = 900) -> None:
        self.folder = folder
        self.pending = pending
        """How often the token is asked for before the person has entered the code."""
        self.refuses = refuses
        """The error with which the token is refused instead."""
        self.expires = expires
        self.seen: Counter[str] = Counter()
        self.on_command_lines = 0
        """Secrets that were found on the command line of any process."""
        stand_in = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("content-length") or 0)).decode()
                self._answer(*stand_in.answer(self.path.partition("?")[0], body, self.headers))

            do_GET = do_POST

            def _answer(self, status: int, value: Any) -> None:
                data = json.dumps(value).encode()
                self.send_response(status)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *args: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)

    def __enter__(self) -> MicrosoftStandIn:
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return self

    def __exit__(self, *args: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def hook(self) -> str:
        """Return the file that the bot's Node must load first."""
        hook = self.folder / "hook.js"
        hook.write_text(HOOK.replace("PORT", str(self._server.server_address[1])))
        return str(hook)

    def answer(self, path: str, body: str, headers: Any) -> tuple[int, Any]:
        """Return status and JSON for one request."""
        self.seen[path] += 1
        self._look_at_command_lines()
        match path:
            case "/login.live.com/oauth20_connect.srf":
                told = {"verification_uri": "https://www.microsoft.com/link", "interval": 1, "expires_in": self.expires}
                return 200, {"user_code": CODE, "device_code": SECRETS["device"], **told}
            case "/login.live.com/oauth20_token.srf":
                return self._token(parse_qs(body))
            case "/user.auth.xboxlive.com/user/authenticate":
                assert json.loads(body)["Properties"]["RpsTicket"] == f"t={SECRETS['access']}"
                return 200, _xbox("user")
            case "/device.auth.xboxlive.com/device/authenticate":
                return 200, _xbox("device_xbl")
            case "/title.auth.xboxlive.com/title/authenticate":
                return 200, _xbox("title")
            case "/xsts.auth.xboxlive.com/xsts/authorize":
                return 200, _xbox("xsts")
            case "/api.minecraftservices.com/authentication/login_with_xbox":
                assert json.loads(body)["identityToken"] == f"XBL3.0 x=hash;{SECRETS['xsts']}"
                token = {"access_token": SECRETS["minecraft"], "token_type": "Bearer", "expires_in": 86400}
                return 200, {"username": "00000000-0000-0000-0000-000000000001", "roles": [], **token}
            case "/api.minecraftservices.com/minecraft/profile":
                assert headers["authorization"] == f"Bearer {SECRETS['minecraft']}"
                return 200, {"id": "0123456789abcdef0123456789abcdef", "name": "SignedIn", "skins": [], "capes": []}
        return 404, {"errorType": "NOT_FOUND", "path": path}

    def _token(self, asked: dict[str, list[str]]) -> tuple[int, Any]:
        if asked["grant_type"] != ["refresh_token"]:
            assert asked["device_code"] == [SECRETS["device"]]
            if self.refuses:
                return 400, {"error": self.refuses, "error_description": "the person said no"}
            if self.pending:
                self.pending -= 1
                return 400, {"error": "authorization_pending", "error_description": "not yet"}
        tokens = {"access_token": SECRETS["access"], "refresh_token": SECRETS["refresh"]}
        return 200, {
            "token_type": "bearer",
            "expires_in": 86400,
            "scope": "service::x::MBI_SSL",
            "user_id": "1",
            **tokens,
        }

    def _look_at_command_lines(self) -> None:
        for path in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                line = path.read_bytes().decode(errors="replace")
            except OSError:
                continue
            self.on_command_lines += any(secret in line for secret in SECRETS.values())


def _xbox(name: str) -> dict[str, Any]:
    claims = {"xui": [{"uhs": "hash", "xid": "1"}]}
    return {"IssueInstant": "2020-01-01T00:00:00Z", "NotAfter": LATER, "Token": SECRETS[name], "DisplayClaims": claims}
