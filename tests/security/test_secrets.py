"""Keys and passwords reach no prompt, journal, report, error, file or child, however they are spelled.

A run of everything that could give one away, then every byte that was written or sent is searched for each of them.
"""

from __future__ import annotations

import base64
import json
import secrets
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from autocraft.text.redact import REMOVED, Mask, secrets_in
from autocraft.text.redact.words import is_one_word
from tests.brains.stand_in import Reply, StandIn, streamed
from tests.conftest import Place
from tests.console.emulator import Emulator
from tests.sampling import drawn
from tests.security.count import Tally

pytestmark = pytest.mark.sampled(2)

Kind = Callable[[str], Tally]
GOAL = ("--goal", "craft 1 stick")
IN_ENVIRONMENT = (
    "OPENAI_API_KEY",
    "AZURE_OPENAI_API_KEY",
    "OPENROUTER_API_KEY",
    "GOOGLE_API_KEY",
    "PINECONE_API_KEY",
    "AWS_SECRET_ACCESS_KEY",
    "GITHUB_TOKEN",
    "DB_PASSWORD",
)
IN_DOTENV = ("ANTHROPIC_API_KEY", "MY_SECRET", "SMTP_PASSWORD")


def made() -> str:
    """A key with letters that JSON, URLs and shells spell otherwise."""
    return f"sk-{secrets.token_urlsafe(9)}/+=\"'&{secrets.token_urlsafe(9)}"


class Vault:
    """Secrets in the environment, in `.env` and in addresses."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self.keys = {name: made() for name in IN_ENVIRONMENT}
        self.dotenv = {name: secrets.token_urlsafe(18) for name in IN_DOTENV}
        self.password = secrets.token_hex(8)
        self.short = secrets.token_hex(2)
        self.addresses = {
            "DATABASE_URL": f"postgres://user:{self.password}@db.test/x",
            "CACHE": f"redis://someone:{self.short}@cache.test",
        }
        lines = [f"{name}={value}" for name, value in self.dotenv.items()]
        (place.folder / ".env").write_text("\n".join(lines) + "\n")

    @property
    def environment(self) -> dict[str, Any]:
        return self.keys | self.addresses

    @property
    def all(self) -> dict[str, str]:
        return self.keys | self.dotenv | {"password": self.password, "short": f"someone:{self.short}"}

    def found_in(self, data: bytes) -> list[str]:
        """Which secrets stand there, and how they are spelled."""
        spellings = ((name, each) for name, value in self.all.items() for each in spelled(value))
        return [f"{name} as {each.form}" for name, each in spellings if each.sign in data]

    @property
    def everything(self) -> list[str]:
        """Each secret in each spelling."""
        return [each.written for value in self.all.values() for each in spelled(value)]

    def files(self) -> list[Path]:
        """Everything that was written: the state, the workspace and whatever else came into being."""
        return [
            path
            for path in self.place.folder.rglob("*")
            if path.is_file() and path.name not in (".env", "autocraft.toml")
        ]


@dataclass(frozen=True)
class Spelling:
    """A secret as it may be `written`; `sign` are the bytes that give it away wherever they stand."""

    form: str
    written: str
    sign: bytes


def spelled(value: str) -> list[Spelling]:
    """In base64 the letters at both ends also hold the neighbours in what was encoded."""
    quoted = json.dumps(value)[1:-1]
    forms = {"it is": value, "JSON": quoted, "JSON in JSON": json.dumps(quoted)[1:-1], "URL": quote(value)}
    forms |= {"URL, slashes too": quote(value, safe=""), "form": quote_plus(value), "hex": value.encode().hex()}
    found = [Spelling(form, text, text.encode()) for form, text in forms.items()]
    for shift in range(3):
        whole = base64.b64encode(b"z" * shift + value.encode()).decode()
        found.append(Spelling(f"base64 at {shift}", whole, whole[4 if shift else 0 : -4].encode()))
    return found


def search(tally: Tally, vault: Vault, said: dict[str, bytes], but: tuple[str, ...] = ()) -> None:
    """Look for every secret in every byte: outputs and requests by name, and all files."""
    for path in vault.files():
        if path.name not in but:
            said[str(path.relative_to(vault.place.folder))] = path.read_bytes()
    for name, data in said.items():
        found = vault.found_in(data)
        for secret in vault.all:
            tally.add(f"{secret} in {name}", [each for each in found if each.startswith(f"{secret} as ")])


def echo(vault: Vault, status: int) -> Reply:
    """An endpoint that says everything back, as some proxies do with headers, in each spelling."""
    message = " ".join(f"Authorization: Bearer {text}" for text in vault.everything)
    error = {"message": message, "code": vault.keys["GITHUB_TOKEN"]}
    return Reply(status, [json.dumps({"error": error}).encode()])


def says(name: str, **args: Any) -> Any:
    return {"text": json.dumps({"thoughts": {"text": json.dumps(args)}, "command": {"name": name, "args": args}})}


PRINTS = """
import glob, os, sys
print(dict(os.environ), sys.argv)
for name in glob.glob("/proc/[0-9]*/environ") + glob.glob("/proc/[0-9]*/cmdline"):
    try: print(open(name, "rb").read())
    except OSError as error: print(name, error)
"""
OWN = """
import os
from autocraft.protocols import Call, Risk, command

def everything():
    return " ".join(os.environ.values()) * 60

class Leaky:
    @command(help="Say it", risk=Risk.LOOK)
    async def say_it(self, call: Call) -> str:
        return everything()

    @command(help="Break", risk=Risk.CHANGE)
    async def break_it(self, call: Call) -> str:
        raise ValueError(everything())

    def preview(self, call):
        raise KeyError(everything())

    def evidence(self, call):
        return {"all": everything()}
"""


def test_the_search_finds_them_where_nothing_is_cut_out(place: Place) -> None:
    vault = Vault(place)
    for name, value in vault.all.items():
        for each in spelled(value):
            assert f"{name} as {each.form}" in vault.found_in(f"user:{each.written}@host".encode()), "the control"
    assert vault.found_in(b"nothing") == []


def test_a_run_that_handles_them_all(place: Place, tally: Kind) -> None:
    """The model knows them (from a page, a file, a hint) and puts them everywhere."""
    attacks, vault = tally("secrets"), Vault(place)
    (place.folder / "mine").mkdir()
    (place.folder / "mine" / "leaky.py").write_text(OWN)
    workspace = place.folder / "workspace"
    workspace.mkdir()
    (workspace / "peek.py").write_text(PRINTS)
    whole = " ".join(vault.everything)
    refused = [
        says("write_to_file", file="a.txt", text=whole),
        says("append_to_file", file="b.txt", text=whole * 40),
        says("memory_add", string=f"craft 1 stick {whole}"),
        says("memory_search", query=whole),
        says("execute_python_file", file="peek.py", args=[vault.keys["OPENAI_API_KEY"]]),
        says(whole),
        {"text": f"no JSON at all: {whole}"},
        says("ask_human", question=whole),
    ]
    carried_out = [
        says("memory_add", string="craft 1 stick with care"),
        says("execute_python_file", file="peek.py"),
        says("say_it"),  # becomes a blob
        says("break_it"),
        says("read_file", file="peek.py"),
        *[says("do_nothing", reason=f"number {number}") for number in range(3)],
    ]
    answers = [each for pair in zip(refused, carried_out, strict=True) for each in pair]
    script = ("run", *GOAL, "--brain", "scripted", "--script", place.script(*answers))
    more = {"AUTOCRAFT_COMMANDS": "mine", **vault.environment}
    said: dict[str, bytes] = {}
    asked = place.run(*script, "--debug", "--verbose", stdin="y\n" * 20, **more)
    piped = place.run(*script, "--json", "--continuous", "--debug", **more)
    for name, done in {"asked": asked, "piped": piped}.items():
        said |= {f"stdout {name}": done.stdout.encode(), f"stderr {name}": done.stderr.encode()}
    assert "[key removed: OPENAI_API_KEY]" in piped.stdout
    assert "Exit code 0" in piped.stdout, piped.stdout[-3_000:]
    for page in (("report", "last"), ("sessions", "show", "last"), ("sessions", "list"), ("prompt", *GOAL)):
        done = place.run(*page, **more)
        said[" ".join(page)] = done.stdout.encode() + done.stderr.encode()
    assert "reminds you" in said["prompt --goal craft 1 stick"].decode()
    search(attacks, vault, said, but=("script.jsonl", "leaky.py"))
    attacks.done()


def test_what_the_person_types(place: Place, tally: Kind) -> None:
    attacks, vault = tally("secrets"), Vault(place)
    key, other = vault.dotenv["MY_SECRET"], vault.dotenv["SMTP_PASSWORD"]
    typed = [
        f"use {key}",
        f"/do write_to_file file=a.txt text={key}",
        f"/do memory_add string={key}",
        f"/do no_such {key}",
        f"/goal + craft {other} stick",
        f"/memory {key}",
        "e",
        json.dumps({"file": "c.txt", "text": key}),
        "y",
        "n",
    ]
    answers = [says("write_to_file", file="c.txt", text="x") for _ in range(8)]
    script = ("run", *GOAL, "--brain", "scripted", "--script", place.script(*answers))
    done = place.run(*script, stdin="\n".join(typed) + "\n", **vault.environment)
    written = {path.name: path.read_text() for path in (place.folder / "workspace").iterdir()}
    assert written == {"c.txt": "x"}, "neither the key nor its marker is written"
    assert done.stdout.count("holds the value of MY_SECRET, which is never written, sent or shown") >= 3
    search(attacks, vault, {"stderr": done.stderr.encode()})
    emulator = Emulator(place, script, **vault.environment)
    try:
        emulator.question(1)
        emulator.send(f"remember {key}\r")
        emulator.question(2)
        emulator.send("n\r")
        emulator.leave()
    finally:
        emulator.close()
    assert "remember" in (place.state / "input_history").read_text()
    search(attacks, vault, {})
    attacks.done()


# ---------------------------------------------------------------- endpoints that say them back


STATUSES = [
    401,
    *(pytest.param(status, marks=pytest.mark.full) for status in (200, *drawn([400, 403, 404, 429, 500], 2))),
]


@pytest.mark.parametrize("status", STATUSES)
def test_an_endpoint_that_echoes_its_headers(place: Place, stand_in: StandIn, tally: Kind, status: int) -> None:
    attacks, vault = tally("secrets"), Vault(place)
    stand_in.replies = [echo(vault, status)] * 8
    stand_in.models = echo(vault, 403)
    model = {"OPENAI_BASE_URL": stand_in.url, "SMART_LLM_MODEL": "m", "FAST_LLM_MODEL": "m", "OPENAI_RETRIES": "1"}
    said: dict[str, bytes] = {}
    for name, arguments in {
        "run": ("run", *GOAL, "--continuous", "--debug", "--verbose"),
        "json": ("run", *GOAL, "--continuous", "--json", "--debug"),
        "models": ("models",),
        "eval": (
            "eval",
            "--brain",
            "openai",
            "--model",
            "m",
            "--limit",
            "1",
            "--out",
            "results",
            "--split",
            "val.small",
        ),
        "dry-run": ("run", *GOAL, "--dry-run"),
        "report": ("report", "last"),
    }.items():
        done = place.run(*arguments, **vault.environment, **model)
        said |= {f"stdout {name}": done.stdout.encode(), f"stderr {name}": done.stderr.encode()}
    assert stand_in.requests[0]["key"] == f"Bearer {vault.keys['OPENAI_API_KEY']}", "the control: it was sent there"
    search(attacks, vault, said)
    attacks.done()


def test_answers_that_hold_them_while_they_arrive(place: Place, stand_in: StandIn, tally: Kind) -> None:
    """On a terminal thoughts are shown piece by piece; and nothing of it comes back in the next prompt."""
    attacks, vault = tally("secrets"), Vault(place)
    answer = json.dumps(
        {"thoughts": {"text": " ".join(vault.everything)}, "command": {"name": "do_nothing", "args": {}}}
    )
    pieces = [answer[at : at + 900] for at in range(0, len(answer), 900)]
    stand_in.replies = [streamed(*pieces)] * 2
    model: dict[str, Any] = {"OPENAI_BASE_URL": stand_in.url, "SMART_LLM_MODEL": "m", "FAST_LLM_MODEL": "m"}
    emulator = Emulator(place, ("run", *GOAL, "--debug"), columns=200, **vault.environment, **model)
    try:
        emulator.question(1)
        emulator.send("y\r")
        emulator.question(2)
        emulator.send("n\r")
        emulator.leave()
        said = {"terminal": emulator.raw, "screen": emulator.whole.encode()}
    finally:
        emulator.close()
    sent = [json.dumps(request["messages"], ensure_ascii=False).encode() for request in stand_in.requests]
    assert len(sent) >= 2 and b"[key removed: OPENAI_API_KEY]" in sent[1]
    search(attacks, vault, said | {f"prompt {number}": each for number, each in enumerate(sent)})
    attacks.done()


def test_an_address_with_a_password(place: Place, stand_in: StandIn, tally: Kind) -> None:
    attacks, vault = tally("secrets"), Vault(place)
    said: dict[str, bytes] = {}
    good = stand_in.url.replace("http://", f"http://user:{vault.password}@")
    for name, url in {"nobody there": f"http://user:{vault.password}@127.0.0.1:9/v1", "somebody": good,
                      "broken": f"http://user:{vault.password}@[::1/v1"}.items():  # fmt: skip
        for arguments in (("run", *GOAL, "--continuous", "--max-steps", "1", "--debug"), ("models",)):
            done = place.run(*arguments, OPENAI_BASE_URL=url, SMART_LLM_MODEL="m", OPENAI_RETRIES="0")
            said[f"{name} {arguments[0]}"] = done.stdout.encode() + done.stderr.encode()
    search(attacks, vault, said)
    attacks.done()


# ---------------------------------------------------------------- errors before and outside of a run


def test_errors_of_settings_and_own_commands(place: Place, tally: Kind) -> None:
    attacks, vault = tally("secrets"), Vault(place)
    key = vault.keys["OPENAI_API_KEY"]
    (place.folder / "autocraft.toml").write_text(f'[profile.mine.openai]\napi_key = "{vault.password}"\n')
    (place.folder / "mine").mkdir()
    (place.folder / "mine" / "broken.py").write_text("import os\nraise ValueError(' '.join(os.environ.values()))\n")
    said: dict[str, bytes] = {}
    for name, (arguments, more) in {
        "a key in the wrong place": (("run", *GOAL), {"OPENAI_TIMEOUT": key}),
        "a brain": (("run", *GOAL, "--brain", key), {}),
        "a profile": (("run", *GOAL, "--profile", key), {}),
        "a key of the settings": (("run", *GOAL, "--brain", vault.password), {"DATABASE_URL": ""}),
        "a model": (("run", *GOAL, "--script", key, "--brain", "scripted"), {}),
        "a session": (("report", key), {}),
        "own commands": (("run", *GOAL), {"AUTOCRAFT_COMMANDS": "mine"}),
        "the list of commands": (("commands",), {"AUTOCRAFT_COMMANDS": "mine"}),
        "a state folder": (("run", *GOAL, "--state-dir", f"/proc/{quote(key, safe='')}"), {}),
        "a file": (("fix-json", key), {}),
    }.items():
        done = place.run(*arguments, **(vault.environment | more))
        assert done.returncode != 0 and done.stderr.startswith("autocraft: ") and done.stderr.count("\n") == 1, name
        said[name] = done.stdout.encode() + done.stderr.encode()
    search(attacks, vault, said)
    attacks.done()


CRASH = """
import os, sys
from autocraft import cli
from autocraft.console import report

def broken(*_):
    raise RuntimeError(" ".join(os.environ.values()))

report.summary = broken
sys.argv = ["autocraft", "sessions", "list"]
cli.main()
"""


def test_the_trace_of_a_fault_of_ours(place: Place, tally: Kind) -> None:
    """A traceback ends in what the exception quotes."""
    import subprocess

    attacks, vault = tally("secrets"), Vault(place)
    place.run("run", "--goal", "craft 1 stick", "--inventory", "oak_log=1", "--continuous")
    done = subprocess.run(
        [sys.executable, "-c", CRASH], cwd=place.folder, env=place.environment | vault.environment,
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 1 and "RuntimeError" in done.stderr and "[key removed: " in done.stderr
    search(attacks, vault, {"stderr": done.stderr.encode(), "stdout": done.stdout.encode()})
    attacks.done()


# ---------------------------------------------------------------- the mask itself


@given(st.text(min_size=8, max_size=60), st.text(max_size=40), st.text(max_size=40))
def test_no_text_keeps_a_secret_in_any_spelling(secret: str, before: str, after: str) -> None:
    try:
        forms = spelled(secret)
    except UnicodeEncodeError:  # half a character is in no environment
        return
    assume(not is_one_word(secret))  # which is not cut out of ordinary text
    mask = Mask([secret])
    for each in forms:
        left = mask.text(f"{before} {each.written} {after}").replace(REMOVED, "")
        assert each.written not in left or each.written in f"{before} {after}", each.form


@pytest.mark.parametrize(
    "name",
    ["OPENAI_API_KEY", "api_key", "APIKEY", "API_KEY_2", "TOKEN1", "HF_TOKEN", "AWS_SECRET_ACCESS_KEY", "CLIENT_SECRET",
     "DB_PASSWORD", "MYSQL_PWD", "PASSPHRASE", "SENTRY_DSN", "GITHUB_PAT", "OPENAI_API_KEYS", "SLACK_WEBHOOK_URL",
     "SESSION_COOKIE", "BASIC_AUTH"],
)  # fmt: skip
def test_names_that_keys_have(name: str) -> None:
    assert secrets_in({name: "https-or-not-1234"}) == {"https-or-not-1234": name}
    assert secrets_in({f"{name}_HELP": "https-or-not-1234"}) == {}


def test_what_is_no_secret_stays() -> None:
    values = {"PATH": "/usr/bin:/bin", "SMART_TOKEN_LIMIT": "160000000", "HOME": "/home/someone", "API_KEY": "short",
              "MAX_TOKENS": "160000000", "SPAT": "seven-letters", "MONKEYS3_ARE": "eight-letters",
              "SSH_KEY": "/home/someone/.ssh/id", "OPENAI_BASE_URL": "http://127.0.0.1:8080/v1"}  # fmt: skip
    mask = Mask(secrets_in(values))
    text = " ".join(values.values())
    assert mask.text(text) == text
    event = {"text": ("a", 1, None)}
    assert Mask().value(event) is event


def test_half_of_a_secret_that_was_cut_off_goes_too() -> None:
    key = "sk-" + "abcdefghij" * 4
    mask = Mask([key])
    assert mask.text(f"said {key[:30]}") == f"said {REMOVED}"
    assert mask.text(f"{key}{key[:25]}!") == f"{REMOVED}{REMOVED}!"
    assert Mask([key + "k"]).text(key[:22]) == REMOVED, "exactly half"
    assert mask.text(key[:12]) == key[:12], "less than half gives nothing away"
