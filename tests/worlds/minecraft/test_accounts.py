"""Signing in to a Microsoft account by a code, at a stand-in: the code is shown, the tokens stay in one folder."""

from __future__ import annotations

import asyncio
import contextlib
import stat
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from autocraft.worlds.minecraft.server import PracticeServer
from tests.conftest import Place, kinds
from tests.worlds.minecraft.microsoft_stand_in import CODE, SECRETS, MicrosoftStandIn
from tests.worlds.minecraft.playing import node_environment, play

pytestmark = pytest.mark.full


@contextlib.asynccontextmanager
async def somebodys_server(folder: Path) -> AsyncIterator[str]:
    """Its address."""
    options = {"port": 0, "seed": 1, "mobs": False, "speed": 1}
    server = await PracticeServer.start(options, folder / "somebodys.log")
    try:
        yield f"127.0.0.1:{server.port}"
    finally:
        await server.close()


def sign_in(place: Place, stand_in: MicrosoftStandIn, server: str) -> tuple[int, str, str]:
    """A run that only looks around; its exit code and what it wrote."""
    script = place.script(("observe", {}))
    flags = ["--goal", "craft 1 stick", "--brain", "scripted", "--script", script, "--continuous", "--max-steps", "1"]
    program = [sys.executable, "-m", "tests.worlds.minecraft.with_hook", stand_in.hook(), "run"]
    done = subprocess.run(
        [*program, "--world", "minecraft", "--server", server, "--auth", "microsoft", *flags, "--debug"],
        cwd=place.folder,
        env=place.environment | node_environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
    )
    return done.returncode, done.stdout, done.stderr


def leaked(place: Place) -> list[str]:
    """Files outside the folder of the accounts that hold a token or the code of the device."""
    files = [path for path in place.folder.rglob("*") if path.is_file() and "accounts" not in path.parts]
    return [str(path) for path in files if any(each.encode() in path.read_bytes() for each in SECRETS.values())]


def test_the_code_is_shown_once_and_the_tokens_stay_where_they_belong(
    place: Place, tmp_path_factory: pytest.TempPathFactory
) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")

    async def scene() -> None:
        async with somebodys_server(elsewhere) as server:
            with MicrosoftStandIn(elsewhere, pending=2) as stand_in:
                code, out, err = await asyncio.to_thread(sign_in, place, stand_in, server)
                assert code == 3, out + err  # the one step that it may take
                assert err.count(CODE) == 1 and CODE not in out
                assert f"To sign in to Microsoft, open https://www.microsoft.com/link and enter the code {CODE}" in err
                assert f"Joined {server} as SignedIn, Minecraft 1.16.5" in out
                assert "Health: 20/20" in kinds(place.events(), "result")[0]["text"]
                assert stand_in.seen["/login.live.com/oauth20_token.srf"] == 3
                assert stand_in.on_command_lines == 0

                accounts = place.state / "accounts"
                tokens = list(accounts.iterdir())
                assert any(SECRETS["minecraft"] in path.read_text() for path in tokens)
                assert [stat.S_IMODE(path.stat().st_mode) for path in [accounts, *tokens]] == [0o700] + [0o600] * len(
                    tokens
                )
                assert leaked(place) == [] and not any(secret in out + err for secret in SECRETS.values())

                tokens[0].chmod(0o644)  # as a careless copy leaves it
                code, out, err = await asyncio.to_thread(sign_in, place, stand_in, server)
                assert code == 3 and CODE not in out + err, out + err
                assert "as SignedIn" in out and stand_in.seen["/login.live.com/oauth20_connect.srf"] == 1
                assert stat.S_IMODE(tokens[0].stat().st_mode) == 0o600

    play(scene())


@pytest.mark.parametrize(
    ("refuses", "expires", "told"),
    [
        ("authorization_declined", 900, "cannot join the server: the sign-in was declined at Microsoft; run it again"),
        ("expired_token", 2, "nobody entered the code in time; start again to get a new code"),
    ],
)
def test_a_sign_in_that_is_refused_ends_the_run(
    place: Place, tmp_path_factory: pytest.TempPathFactory, refuses: str, expires: int, told: str
) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")

    async def scene() -> None:
        async with somebodys_server(elsewhere) as server:
            with MicrosoftStandIn(elsewhere, refuses=refuses, expires=expires) as stand_in:
                code, out, err = await asyncio.to_thread(sign_in, place, stand_in, server)
                assert code == 1 and told in err, out + err
                assert leaked(place) == []

    play(scene())


def test_tokens_that_cannot_be_kept_are_said(place: Place) -> None:
    place.state.mkdir()
    (place.state / "accounts").write_text("in the way")
    flags = ["--goal", "craft 1 stick", "--server", "127.0.0.1:9", "--auth", "microsoft", "--brain", "planner"]
    done = place.run("run", "--world", "minecraft", *flags, **node_environment())
    assert done.returncode == 1 and "cannot keep the account's tokens in" in done.stderr
