"""A rule of the policy holds for all that a call touches, however the same effect is asked for.

Each attack is judged by the real gate of a run. Its control is the plain way to the same effect, which the same rule
stops, and a rule about something else, which stops nothing.
"""

from __future__ import annotations

import asyncio
import http.server
import json
import threading
from collections.abc import Callable, Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, cast

import pytest

from autocraft.agent.gate import Gate
from autocraft.agent.policy import read_policy
from autocraft.app import Request, Run, open_request
from autocraft.commands.registry import Registry
from autocraft.commands.web import WebCommands, WebSettings
from autocraft.protocols import Call, Risk, command, commands_of
from autocraft.skills.skill import Draft
from autocraft.skills.store import Library
from tests.commands.programs import PICKAXE
from tests.commands.programs import run as run_programs
from tests.conftest import Place, kinds
from tests.live import Live, live_registry
from tests.security.count import Tally

pytestmark = pytest.mark.sampled(8)

Kind = Callable[[str], Tally]
SECRETS = 'args = { file = "secrets/*" }'
LOCAL = 'args = { url = "*localhost*" }'


PLANKS = "async function makePlanks(bot) {\n  await craftItem(bot, 'oak_planks', 1);\n}\n"


def rules(*tables: str) -> str:
    return "".join(f"[[policy.rule]]\n{table}\n" for table in tables)


@pytest.fixture
def gate(place: Place) -> Iterator[Callable[[str], Gate]]:
    """The gate of a continuous run under these rules, whose workspace holds secrets and what a program wrote."""
    opened: list[Run] = []

    def start(text: str) -> Gate:
        for run in opened:  # one run holds the workspace at a time
            close(run)
        opened.clear()
        (place.folder / "policy.toml").write_text(text)
        flags = {"policy": place.folder / "policy.toml", "state_dir": place.state, "continuous": True}
        flags |= {"workspace": place.folder / "workspace", "brain": "planner"}
        run = asyncio.run(open_request(Request(["craft 1 stick"], flags, json=True)))
        opened.append(run)
        run.person.attended = True
        fill(place.folder / "workspace", run.context.journal.folder / "runs" / "run-7")
        return run.agent.gate

    yield start
    for run in opened:
        close(run)


def close(run: Any) -> None:
    asyncio.run(run.context.exits.aclose())


def fill(workspace: Path, run: Path) -> None:
    (workspace / "secrets").mkdir(parents=True, exist_ok=True)
    (workspace / "secrets" / "key.txt").write_text("bait")
    (workspace / "main.py").write_text("print(open('secrets/key.txt').read())")
    run.mkdir(parents=True)
    empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    (run / empty).write_bytes(b"")
    kept = {"name": "secrets/new.txt", "kind": "new", "size": 0, "sha256": empty, "before": "", "why": ""}
    (run / "manifest.json").write_text(json.dumps({"v": 1, "text": "", "ok": True, "files": [kept]}))


PATHS: list[tuple[str, dict[str, Any]]] = [
    ("search_text", {"text": "bait"}),
    ("search_text", {"text": "bait", "directory": "secrets"}),
    ("search_text", {"text": "bait", "directory": "/"}),
    ("list_files", {}),
    ("list_files", {"directory": "./secrets/."}),
    ("execute_python_file", {"file": "main.py"}),
    ("copy_back", {"run": "run-7"}),
    ("copy_back", {"run": "run-7", "files": ["secrets/new.txt"]}),
    ("read_file", {"file": "SECRETS/key.txt"}),
    ("write_to_file", {"file": "x/../secrets/key.txt", "text": "x"}),
    ("delete_file", {"file": "secrets//key.txt"}),
]
URLS = [
    "http://LOCALHOST/",
    "HTTP://localhost/",
    "http://localhost./",
    "http://ⓛocalhost/",
    "http://ｌｏｃａｌｈｏｓｔ/",
    "http://localhost:0080/",
    "http://localhost:08080/x",
    "http://example.com/%6cocalhost",
]
SUBDOMAINS = "https://*.example.org/*"
PUBLIC = "https://example.com/public/*"
BEYOND = [  # pattern that allows, address that it must not allow
    (SUBDOMAINS, "https://evil.test/.example.org/"),
    (SUBDOMAINS, "https://evil.test/?q=.example.org/"),
    (SUBDOMAINS, "https://evil.test?q=.example.org/"),
    (SUBDOMAINS, "https://evil.test#.example.org/"),
    (SUBDOMAINS, "https://evil.test:443/a.example.org/x"),
    (SUBDOMAINS, "https://evil.test:8443/a.example.org/x"),
    (SUBDOMAINS, "https://93.184.216.34/.example.org/"),
    (SUBDOMAINS, "https://[2606:4700::1111]/.example.org/"),
    (SUBDOMAINS, "https://evil.test/%2f.example.org/"),
    (SUBDOMAINS, "https://evil.test\\.example.org/"),
    (SUBDOMAINS, "https://evil.test/@a.example.org/"),
    (SUBDOMAINS, "https://a.example.org@evil.test/.example.org/"),
    ("*.example.org/*", "https://evil.test/.example.org/"),
    ("*example.org*", "https://evil.test/?q=example.org"),
    ("*://*.example.org", "https://evil.test/x://a.example.org"),
    ("http*://a.example.org/*", "https://evil.test/?u=http://a.example.org/"),
    ("https://*.example.org:*/*", "https://evil.test/.example.org:1/"),
    (PUBLIC, "https://example.com/public/../private"),
    (PUBLIC, "https://example.com/public/%2e%2e/private"),
    (PUBLIC, "https://example.com/public/.%2E/private"),
    (PUBLIC, "https://example.com/public/..%2fprivate"),
    (PUBLIC, "https://example.com/public/..%5cprivate"),
    (PUBLIC, "https://example.com/public/x/..//../private"),
    (PUBLIC, "https://example.com/public/..?x=/public/"),
    (PUBLIC, "https://example.com/public/.."),
    ("https://example.com*/public", "https://example.com.evil.test/x/public"),
]
WITHIN = [
    (SUBDOMAINS, "https://a.example.org/x"),
    (SUBDOMAINS, "HTTPS://A.Example.ORG./x?q=https://evil.test/#y"),
    (SUBDOMAINS, "https://a.b.example.org?x"),
    (SUBDOMAINS, "https://a.example.org:443"),
    ("HTTPS://*.Example.org/*", "https://a.example.org/x"),
    ("*.example.org/*", "https://a.example.org/x"),
    ("*example.org*", "https://example.org/x"),
    ("https://*.example.org:8443/*", "https://a.example.org:8443/x"),
    ("https://*", "https://a.example.org:8443/x/y"),
    ("*", "https://a.example.org/x"),
    ("https://example.com", "https://example.com/"),
    ("https://example.com/%C3%BC?x=%20", "https://example.com/%C3%BC?x=%20"),
    (PUBLIC, "https://example.com/public/a/../b%20c"),
    (PUBLIC, "https://example.com/public/x#../y"),
]
MEANT = [  # pattern that stops, address that it must stop
    ("*://example.com/*", "http://example.com:8080/"),
    ("*://example.com/*", "https://example.com:80/"),
    ("*://example.com/*", "HTTP://EXAMPLE.com.:8080?x"),
    ("*://example.com/admin*", "http://example.com:8080/x/..%5cadmin"),
    ("*://example.com", "http://example.com/"),
    ("*://example.com", "http://example.com:8080"),
    ("*://example.com:80/*", "http://example.com/"),
    ("*://example.com:443", "https://example.com/"),
    ("*://93.184.216.34/*", "http://[::ffff:5db8:d822]/"),
    ("*://93.184.216.34/*", "http://[::ffff:93.184.216.34]:8080/"),
    ("*://93.184.216.34/*", "http://[0:0:0:0:0:FFFF:5db8:d822]/x"),
    ("*://93.184.216.34/*", "http://[64:ff9b::5db8:d822]/"),
    ("*://93.184.216.34/*", "http://[2606:4700::5efe:5db8:d822]/"),
    ("*://93.184.216.34:81/*", "http://[::ffff:5db8:d822]:81/"),
    ("*://[[]2606:4700::1111]/*", "http://[2606:4700::1111]:8080/"),
]


@pytest.mark.parametrize("then", ["deny", "ask"])
def test_a_rule_about_files_holds_for_all_that_a_call_reads_and_writes(
    gate: Callable[[str], Gate], tally: Kind, then: str
) -> None:
    count = tally("policy, files")
    judge = gate(rules(f'{SECRETS}\nthen = "{then}"'))
    plain = judge.judge(judge.registry.bind("read_file", {"file": "secrets/key.txt"}))
    assert plain.then == ("refuse" if then == "deny" else "ask"), "the control: the plain way is stopped"
    for name, args in PATHS:
        found = judge.judge(judge.registry.bind(name, args))
        count.add(f"{then} {name} {args}", found.then == "run")
    other = gate(rules(f'args = {{ file = "elsewhere/*" }}\nthen = "{then}"'))
    free = [other.judge(other.registry.bind(name, args)).then for name, args in PATHS]
    assert set(free) == {"run"}, "the control: a rule about other files stops none of these"
    count.done()


def test_a_rule_about_folders_holds_for_what_lies_in_them(gate: Callable[[str], Gate], tally: Kind) -> None:
    count = tally("policy, files")
    judge = gate(rules('args = { directory = "secrets" }\nthen = "deny"'))
    for name, args in PATHS:
        count.add(f"folder {name} {args}", judge.judge(judge.registry.bind(name, args)).then == "run")
    free = judge.judge(judge.registry.bind("read_file", {"file": "main.py"}))
    assert free.then == "run"
    count.done()


@pytest.mark.parametrize("then", ["deny", "ask"])
def test_a_rule_about_addresses_holds_for_every_spelling(gate: Callable[[str], Gate], tally: Kind, then: str) -> None:
    count = tally("policy, addresses")
    judge = gate(rules(f'{LOCAL}\nthen = "{then}"'))
    plain = judge.judge(judge.registry.bind("get_hyperlinks", {"url": "http://localhost/"}))
    assert plain.then != "run", "the control: the plain spelling is stopped"
    for url in URLS:
        found = judge.judge(judge.registry.bind("browse_website", {"url": url, "question": "?"}))
        count.add(f"{then} {url}", found.then == "run")
    free = judge.judge(judge.registry.bind("get_hyperlinks", {"url": "http://example.com/"}))
    assert free.then == "run"
    count.done()


def test_a_path_of_an_address_is_known_in_every_spelling(gate: Callable[[str], Gate], tally: Kind) -> None:
    count = tally("policy, addresses")
    judge = gate(rules('args = { url = "*://example.com/admin*" }\nthen = "deny"'))
    for path in ("/admin", "/%61dmin/x", "/a/../admin", "/a/%2e%2e/admin", "//admin", "/ADMIN"):
        found = judge.judge(judge.registry.bind("get_hyperlinks", {"url": f"http://example.com{path}"}))
        count.add(f"path {path}", found.then == "run")
    assert judge.judge(judge.registry.bind("get_hyperlinks", {"url": "http://example.com/adm"})).then == "run"
    count.done()


class Fetches:
    """A command of the person's own, or of another server, which does not say what it touches."""

    family = "own"

    @command(help="Fetch a page", risk=Risk.DESTROY)
    async def fetch(self, call: Call, url: str) -> str:
        return ""


FETCHERS = Registry(commands_of(WebCommands(WebSettings())) + commands_of(Fetches()))


def decided(name: str, url: str, pattern: str, then: str) -> bool:
    """Whether a rule of this pattern decides about an address."""
    policy = read_policy([{"args": {"url": pattern}, "then": then}], "here", FETCHERS)
    return policy.first(FETCHERS.bind(name, {"url": url})) is not None


@pytest.mark.parametrize("name", ["get_hyperlinks", "fetch"])
def test_a_rule_allows_no_address_beyond_its_host_and_path(tally: Kind, name: str) -> None:
    count = tally("policy, addresses")
    assert sum(fnmatchcase(url, pattern) for pattern, url in BEYOND) >= 20, "the control: as text they match"
    for pattern, url in BEYOND:
        count.add(f"allow {pattern} {name} {url}", decided(name, url, pattern, "allow"))
    assert [each for each in WITHIN if not decided(name, each[1], each[0], "allow")] == [], "what it is for"
    count.done()


@pytest.mark.parametrize("then", ["deny", "ask"])
@pytest.mark.parametrize("name", ["get_hyperlinks", "fetch"])
def test_a_rule_about_a_host_holds_for_its_ports_and_in_ipv6(tally: Kind, name: str, then: str) -> None:
    count = tally("policy, addresses")
    for pattern, url in MEANT:
        assert not fnmatchcase(url, pattern), "the control: as text it does not match"
        count.add(f"{then} {pattern} {name} {url}", not decided(name, url, pattern, then))
        assert not decided(name, "http://other.test:81/x", pattern, then), "the control: another host"
    assert not decided(name, "http://example.com:8080/", "*://example.com:80/*", then), "the control: another port"
    count.done()


def test_an_address_that_cannot_be_read_is_allowed_only_as_it_is() -> None:
    for url in ("", "a.example.org", "//a.example.org/", "ftp://x@a.example.org/"):
        assert not decided("fetch", url, "*.example.org/*", "allow")
        assert decided("fetch", url, "*", "deny")
    assert decided("fetch", "a.example.org", "a.example.org", "allow")
    assert decided("fetch", "ftp://a.example.org/x", "ftp://*.example.org/*", "allow")


def test_an_allow_rule_covers_no_more_than_its_argument(gate: Callable[[str], Gate]) -> None:
    """A rule that allows is held to what was given: files that a call touches besides it allow nothing."""
    judge = gate(rules('args = { file = "secrets/*" }\nthen = "allow"', 'then = "ask"'))
    assert judge.judge(judge.registry.bind("list_files", {"directory": "secrets"})).then == "ask"
    assert judge.judge(judge.registry.bind("read_file", {"file": "SECRETS/key.txt"})).then == "ask"
    assert judge.judge(judge.registry.bind("copy_back", {"run": "run-7"})).then == "ask"
    assert judge.judge(judge.registry.bind("read_file", {"file": "secrets/key.txt"})).then == "run"
    judge = gate(rules('command = "copy_back"\nargs = { files = "notes/*" }\nthen = "allow"', 'then = "ask"'))
    assert judge.judge(judge.registry.bind("copy_back", {"run": "run-7"})).then == "ask"


# ---------------------------------------------------------------- commands that carry out others


def remembered_plan(place: Place) -> str:
    """The id of a plan that a first run left in memory."""
    goal = ("run", "--goal", "craft 1 stick", "--inventory", "oak_log=2", "--continuous")
    assert place.run(*goal, "--brain", "planner", MEMORY_EMBEDDER="lexical").returncode == 0
    again = place.run(*goal, "--brain", "planner", MEMORY_EMBEDDER="lexical")
    assert again.returncode == 0
    return str(kinds(place.events(), "intent")[0]["args"]["id"])


@pytest.mark.parametrize("then", ["deny", "ask"])
def test_a_rule_about_a_command_holds_for_the_steps_of_a_replayed_plan(place: Place, tally: Kind, then: str) -> None:
    count = tally("policy, commands")
    plan = remembered_plan(place)
    (place.folder / "rules.toml").write_text(rules(f'command = "craft_item"\nthen = "{then}"'))
    script = place.script(("replay_plan", {"id": plan}), ("do_nothing", {}))
    start = ("run", "--goal", "get 1 stick", "--brain", "scripted", "--script", script, "--inventory", "oak_log=2")
    place.run(*start, "--continuous", "--max-steps", "2", MEMORY_EMBEDDER="lexical")
    assert kinds(place.events(), "intent")[0]["command"] == "replay_plan", "the control: without rules it runs"
    place.run(*start, "--continuous", "--max-steps", "2", "--policy", "rules.toml", MEMORY_EMBEDDER="lexical")
    ran = [each["command"] for each in kinds(place.events(), "intent")]
    count.add(f"{then} replay", "replay_plan" in ran)
    count.done()


def test_a_rule_about_running_programs_holds_for_a_trial(place: Place, tally: Kind) -> None:
    count = tally("policy, commands")
    (place.folder / "rules.toml").write_text(rules('command = "run_*"\nthen = "deny"'))
    trial = ("save_skill", {"name": "craftStonePickaxe", "code": PICKAXE, "description": "makes one", "trial": True})
    args = ("--continuous", "--max-steps", "1")
    run_programs(place, trial, arguments=args)
    assert any(each["agent"] == "program" for each in kinds(place.events(), "intent")), "the control: it runs"
    run_programs(place, trial, arguments=(*args, "--policy", "rules.toml"))
    count.add("trial", kinds(place.events(), "intent"))
    count.done()


HELPER = ("start_agent", {"name": "scout", "task": "tidy up", "prompt": "Go.", "grants": ["delete_file"]})


def fast(command: str, **args: Any) -> dict[str, Any]:
    answer = {"thoughts": {"text": "so"}, "command": {"name": command, "args": args}}
    return {"role": "fast", "text": json.dumps(answer)}


@pytest.mark.parametrize("agent", ["main", "m*"])
def test_a_rule_for_the_main_agent_holds_for_its_helpers(place: Place, tally: Kind, agent: str) -> None:
    """The README's own example: nothing is to be lost tonight."""
    count = tally("policy, commands")
    (place.folder / "rules.toml").write_text(rules(f'risk = "destroy"\nagent = "{agent}"\nthen = "deny"'))
    (place.folder / "workspace").mkdir()
    kept = place.folder / "workspace" / "kept.txt"
    for policy in ((), ("--policy", "rules.toml")):
        kept.write_text("x")
        deletes = fast("delete_file", file="kept.txt")
        script = place.script(HELPER, ("do_nothing", {}), deletes, fast("reply", text="done"))
        start = ("run", "--goal", "be nice", "--brain", "scripted", "--script", script, "--continuous")
        place.run(*start, "--max-steps", "3", *policy)
        if not policy:
            assert not kept.exists(), "the control: without the rule the helper deletes"
    count.add(f"helper under {agent}", not kept.exists())
    count.done()


def test_a_rule_that_names_helpers_goes_before_one_for_the_main_agent(gate: Callable[[str], Gate]) -> None:
    judge = gate(rules('agent = "scout"\nthen = "allow"', 'risk = "destroy"\nagent = "main"\nthen = "deny"'))
    call = judge.registry.bind("delete_file", {"file": "main.py"}, agent="scout")
    assert judge.judge(call).then == "run"
    assert judge.judge(judge.registry.bind("delete_file", {"file": "main.py"}, agent="other")).then == "refuse"
    person = judge.registry.bind("delete_file", {"file": "main.py"}, agent="person")
    assert judge.run.policy.first(person) is None, "what the person does is not what the main agent starts"


def test_a_rule_for_the_main_agent_holds_for_its_programs(place: Place, tally: Kind) -> None:
    count = tally("policy, commands")
    (place.folder / "rules.toml").write_text(rules('command = "craft_item"\nagent = "main"\nthen = "deny"'))
    program = ("run_program", {"code": PICKAXE})
    run_programs(place, program, arguments=("--continuous", "--max-steps", "1", "--policy", "rules.toml"))
    count.add("program", [each for each in kinds(place.events(), "intent") if each["command"] == "craft_item"])
    count.done()


def test_a_rule_for_a_helper_holds_for_its_programs(place: Place, tally: Kind) -> None:
    count = tally("policy, commands")
    (place.folder / "rules.toml").write_text(rules('command = "craft_item"\nagent = "scout"\nthen = "deny"'))
    helper = ("start_agent", {**HELPER[1], "grants": ["run_program"]})
    turns = (helper, fast("run_program", code=PICKAXE), fast("reply", text="done"))
    for policy in ((), ("--policy", "rules.toml")):
        run_programs(place, *turns, arguments=("--continuous", "--max-steps", "1", *policy))
        effects = [each for each in kinds(place.events(), "intent") if each["agent"] == "program"]
        if not policy:
            assert effects, "the control: without the rule the helper's program crafts"
    count.add("program of a helper", effects)
    count.done()


# ---------------------------------------------------------------- redirects


@pytest.fixture
def site() -> Iterator[tuple[str, list[str]]]:
    """A server whose /open leads on to /secret, and what it was asked for."""
    asked: list[str] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(302 if self.path == "/open" else 200)
            if self.path == "/open":
                self.send_header("Location", "/secret")
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *args: Any) -> None:
            return

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}", asked
    server.shutdown()
    server.server_close()


def test_a_rule_about_a_skill_holds_for_a_program_that_calls_it(place: Place, tally: Kind) -> None:
    count = tally("policy, commands")
    Library(place.state / "skills").save("makePlanks", Draft(PLANKS, description="makes planks"))
    program = ("run_program", {"code": "async function main(bot) {\n  await makePlanks(bot);\n}\n"})
    (place.folder / "rules.toml").write_text(rules('command = "run_skill"\nargs = { name = "make*" }\nthen = "deny"'))
    args = ("--continuous", "--max-steps", "1")
    run_programs(place, program, arguments=args)
    assert kinds(place.events(), "intent"), "the control: it runs"
    run_programs(place, program, arguments=(*args, "--policy", "rules.toml"))
    count.add("a program that calls a skill", kinds(place.events(), "intent"))
    count.done()


def test_what_a_rule_allows_goes_on_only_where_one_allows_it(site: tuple[str, list[str]], tally: Kind) -> None:
    count = tally("policy, addresses")
    base, asked = site
    settings = WebSettings(allow_hosts=(base.removeprefix("http://"),))
    registry = live_registry(commands_of(WebCommands(settings)))
    run = cast(Live, registry.run)
    for pattern in (f"{base}/*", f"{base}/open"):
        run.policy = read_policy([{"args": {"url": pattern}, "then": "allow"}], "here", registry)
        asked.clear()
        result = asyncio.run(registry.call(registry.bind("get_hyperlinks", {"url": f"{base}/open"})))
        if pattern.endswith("*"):
            assert asked == ["/open", "/secret"], "the control: both are allowed"
    assert "no rule of the policy allows that" in result.text
    count.add("an allowed address leads to another", "/secret" in asked)
    count.done()


@pytest.mark.parametrize("then", ["deny", "ask"])
def test_a_redirect_does_not_lead_around_a_rule(site: tuple[str, list[str]], tally: Kind, then: str) -> None:
    count = tally("policy, addresses")
    base, asked = site
    settings = WebSettings(allow_hosts=(base.removeprefix("http://"),))
    registry = live_registry(commands_of(WebCommands(settings)))
    run = cast(Live, registry.run)
    for pattern in ("*/elsewhere", "*/secret"):
        run.policy = read_policy([{"args": {"url": pattern}, "then": then}], "here", registry)
        asked.clear()
        result = asyncio.run(registry.call(registry.bind("get_hyperlinks", {"url": f"{base}/open"})))
        if pattern == "*/elsewhere":
            assert result.ok and asked == ["/open", "/secret"], "the control: another rule lets it go on"
    count.add(f"{then} redirect", "/secret" in asked)
    assert "redirects to" in result.text and "rule 1 of the policy" in result.text
    count.done()
