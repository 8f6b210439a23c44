"""No path leads out of the workspace, whatever command takes it; the bait outside is compared byte by byte."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import hashlib
import json
import mmap
import os
import shlex
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from autocraft.brains.endpoint import OpenAISettings, open_client
from autocraft.commands.code import CodeCommands
from autocraft.commands.copies import UndoCopies
from autocraft.commands.files import FileCommands
from autocraft.commands.image import ImageCommands, ImageSettings
from autocraft.commands.registry import Registry
from autocraft.commands.workspace import Workspace
from autocraft.commands.workspace_folder import open_workspace
from autocraft.errors import AutocraftError, UsageError
from autocraft.protocols import Result, commands_of
from autocraft.sandbox.settings import CodeSettings
from autocraft.settings.config import Config
from autocraft.settings.settings import Settings
from autocraft.text.prompts import prompt_folder
from tests.commands.test_image import Endpoint, drawn, picture
from tests.conftest import Place, kinds
from tests.live import account, live_registry
from tests.security.count import Tally
from tests.security.paths import ESCAPES, Escape, on_windows, reaches
from tests.waiting import PATIENCE

pytestmark = pytest.mark.sampled(6)

SECRET = "the-bait-outside"
INSIDE = "kept in the workspace"
Kind = Callable[[str], Tally]


class House:
    """A workspace full of traps beside a folder of bait, and the families whose commands take paths."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.root, self.outside, self.state = folder / "workspace", folder / "outside", folder / "state"
        for path in (self.root / "a", self.outside / "deep", folder / "workspace-2", self.state):
            path.mkdir(parents=True)
        for path in (self.outside / "secret.txt", folder / "workspace-2" / "secret.txt", folder / "secret.txt"):
            path.write_text(SECRET)
        for name in ("evil.py", "evil.txt.py"):
            (self.outside / name).write_text(f"print('{SECRET}')")
        (self.root / "a" / "kept.txt").write_text(INSIDE)
        links: dict[str, str | Path] = {
                 "link": self.outside, "linked.txt": self.outside / "secret.txt", "chain": "link", "up": "..",
                 "whole": "/", "relative": "../outside", "self": self.root, "dangling.txt": self.outside / "new.txt",
                 "proc": "/proc", "devices": "/dev", "a/linked.txt": "../../outside/secret.txt",
                 "run.py": self.outside / "evil.py", "a-cat-1.png": self.outside / "cat.png"}  # fmt: skip
        for name, target in links.items():
            (self.root / name).symlink_to(target)
        for name in ("hard.txt", "a/hard.txt"):
            os.link(self.outside / "secret.txt", self.root / name)
        os.mkfifo(self.root / "pipe")
        with socket.socket(socket.AF_UNIX) as server, contextlib.chdir(self.root):
            server.bind("socket")
        self.before = self.bait()
        self.workspace = Workspace(self.root)
        files = FileCommands(self.workspace, self.state / "undo")
        self.code = CodeCommands(files, self.state / "runs", CodeSettings())
        self.registry = Registry([*commands_of(files), *commands_of(self.code)])

    def name(self, escape: Escape) -> str:
        """The name of this attack, with the places filled in."""
        made = escape.name.replace("OUT", str(self.outside)) if "OUTSIDE" not in escape.name else escape.name
        return made.replace("ROOT", str(self.root)).replace("NAME", self.folder.name)

    def bait(self) -> dict[str, Any]:
        """Everything outside of workspace and state, by name: bytes, links, permissions."""
        found = {}
        for folder, _, names in os.walk(self.folder):
            for each in (Path(folder), *(Path(folder) / name for name in names)):
                inside = each.is_relative_to(self.root) or each.is_relative_to(self.state)
                if not inside and not each.is_symlink():
                    data = hashlib.sha256(each.read_bytes()).hexdigest() if each.is_file() else ""
                    found[str(each)] = (data, each.stat().st_mode, each.stat().st_nlink if each.is_file() else 0)
        return found

    def call(self, name: str, args: dict[str, Any], registry: Registry | None = None) -> Result:
        """As a run does it: bound, previewed, evidence taken, carried out."""
        registry = registry or self.registry
        try:
            bound = registry.bind(name, args)
            call = replace(bound, id="session:1")
            shown = registry.preview(call)
            with contextlib.suppress(AutocraftError):
                registry.evidence(call)
        except AutocraftError as error:
            return Result(str(error), ok=False)
        done = asyncio.run(registry.call(call))
        return Result(f"{shown}\n{done.text}", done.ok, trace=done.trace)

    def got(self, done: Result) -> str:
        """What an attack got out of it, or did to the bait."""
        if SECRET in done.text or "evil.py" in done.text or "root:" in done.text:
            return f"was told {done.text}"
        if done.trace:
            return f"broke it: {done.trace}"
        return "changed the bait" if self.bait() != self.before else ""


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> House:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "secret.txt").write_text(SECRET)
    return House(tmp_path / "place")


COMMANDS: dict[str, Callable[[str], dict[str, Any]]] = {
    "read_file": lambda name: {"file": name},
    "write_to_file": lambda name: {"file": name, "text": "overwritten"},
    "append_to_file": lambda name: {"file": name, "text": "added"},
    "edit_file": lambda name: {"file": name, "old": SECRET, "new": "edited"},
    "delete_file": lambda name: {"file": name},
    "list_files": lambda name: {"directory": name},
    "search_text": lambda name: {"text": "bait", "directory": name},
    "execute_python_file": lambda name: {"file": name.replace("secret.txt", "evil.txt.py")},
    "copy_back": lambda name: {"run": name},
}


def test_the_list_is_long_and_each_attack_works_on_a_careless_program(house: House) -> None:
    assert len({each.name for each in ESCAPES}) == len(ESCAPES) >= 60
    names = {each: house.name(each) for each in ESCAPES}
    failed = [name for each, name in names.items() if not reaches(house.root, each, name)]
    assert not failed, f"these prove nothing: {failed}"
    plain = [reaches(house.root, each, name) for each, name in names.items() if each.careless is not on_windows]
    assert sum(SECRET[:20].encode() in taken.encode() for taken in plain) >= 40


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.sampled(1)
def test_no_name_leads_out_of_the_workspace(house: House, tally: Kind, command: str) -> None:
    attacks = tally("paths")
    for escape in ESCAPES:
        name = house.name(escape)
        attacks.add(name, house.got(house.call(command, COMMANDS[command](name))))
    assert (house.root / "a" / "kept.txt").read_text() == INSIDE
    attacks.done()


def test_nor_through_do(place: Place, tally: Kind) -> None:
    house = House(place.folder)
    names = [house.name(each) for each in ESCAPES]
    names = [name for name in names if name.isprintable() and len(name) < 300]
    lines = [
        f"/do {command} {' '.join(shlex.quote(f'{key}={value}') for key, value in COMMANDS[command](name).items())}"
        for name in names
        for command in ("read_file", "write_to_file")
    ]
    done = place.run("run", "--goal", "craft 1 stick", "--inventory", "oak_log=1", stdin="\n".join([*lines, "n", ""]))
    assert done.returncode == 4, done.stderr
    attacks = tally("paths")
    results = kinds(place.events(), "result")
    assert len(results) == len(lines), "each was carried out, and refused by the command itself"
    for result, line in zip(results, lines, strict=True):
        attacks.add(line, house.got(Result(result["text"], result["ok"])))
    attacks.add("what was shown", SECRET if SECRET in done.stdout else "")
    attacks.done()


# ---------------------------------------------------------------- names that come from elsewhere


@pytest.mark.full
def test_what_a_program_wrote_is_copied_back_to_no_other_place(house: House, tally: Kind) -> None:
    """Its names are its own choice: here the manifest holds every attack."""
    attacks = tally("paths")
    data = b"overwritten"
    for number, escape in enumerate(ESCAPES):
        name = house.name(escape)
        folder = house.state / "runs" / f"run-{number}"
        folder.mkdir(parents=True)
        sha = hashlib.sha256(data).hexdigest()
        (folder / sha).write_bytes(data)
        row = {"name": name, "kind": "new", "size": len(data), "sha256": sha, "before": "", "why": ""}
        (folder / "manifest.json").write_text(json.dumps({"v": 1, "text": "", "ok": True, "files": [row]}))
        for files in ([], [name]):
            attacks.add(name, house.got(house.call("copy_back", {"run": f"run-{number}", "files": files})))
    attacks.done()


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    made = Endpoint()
    made.answer = drawn(picture())
    yield made
    made.server.shutdown()
    made.server.server_close()


def test_a_picture_gets_a_name_of_ours(house: House, endpoint: Endpoint, tally: Kind) -> None:
    opening = partial(open_client, OpenAISettings(base_url=endpoint.url, api_key="sk-none"))
    family = ImageCommands(ImageSettings(), house.workspace, UndoCopies(house.state / "undo"), opening)
    registry = live_registry(commands_of(family), account=account(house.state / "account"))
    attacks = tally("paths")
    for prompt in ["a cat", "../outside/secret.txt", "/etc/passwd", "CON", "a\0b", "~", "..", "link/secret.txt"]:
        attacks.add(prompt, house.got(house.call("generate_image", {"prompt": prompt}, registry)))
    assert len(endpoint.asked) >= 6 and base64.b64decode(endpoint.answer["data"][0]["b64_json"]) == picture()
    assert not (house.outside / "cat.png").exists()
    attacks.done()


def test_a_copy_for_a_program_holds_nothing_from_outside(house: House, tally: Kind) -> None:
    (house.root / "look.py").write_text(
        "import os\n"
        "for folder, _, names in os.walk('.'):\n"
        "    for name in names: print(name, open(os.path.join(folder, name), errors='replace').read())\n"
    )
    attacks = tally("paths")
    done = house.call("execute_python_file", {"file": "look.py"})
    attacks.add("a copy", house.got(done))
    assert INSIDE in done.text, done.text
    attacks.add("a program behind a link", house.got(house.call("execute_python_file", {"file": "run.py"})))
    attacks.done()


# ---------------------------------------------------------------- swapped after the check

SWAP = """
import mmap, os, struct, sys
os.chdir(sys.argv[1])
outside = sys.argv[2]
swaps = mmap.mmap(os.open(sys.argv[4], os.O_RDWR), 8)
print("ready", flush=True)
while os.getppid() == int(sys.argv[3]):
    for name, target in (("a", outside), ("b.txt", outside + "/secret.txt")):
        try:
            os.rename(name, "parked"); os.symlink(target, name)
            struct.pack_into("=Q", swaps, 0, struct.unpack_from("=Q", swaps)[0] + 1)
            os.unlink(name); os.rename("parked", name)
            if name == "b.txt":
                os.rename(name, "parked"); os.link(target, name); os.unlink(name); os.rename("parked", name)
        except OSError:
            if not os.path.lexists(name) and os.path.lexists("parked"): os.rename("parked", name)
            elif os.path.lexists("parked"):
                if os.path.isdir("parked"):
                    for each in os.listdir("parked"): os.unlink("parked/" + each)
                    os.rmdir("parked")
                else: os.unlink("parked")
            if not os.path.lexists("a"): os.mkdir("a")
"""
WINDOWS = 50
"""How often a swap must fall between the beginning and the end of each call before the race counts as tried."""


@dataclass
class Swapping:
    """A workspace whose `a` and `b.txt` are the person's own at one moment and lead outside at the next."""

    house: House
    counter: mmap.mmap

    @property
    def swaps(self) -> int:
        """How often something that leads outside has been put in place."""
        return int.from_bytes(self.counter[:8], sys.byteorder)


@pytest.fixture
def swapping(house: House, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Swapping]:
    (house.root / "a" / "hard.txt").unlink()
    (house.root / "a" / "linked.txt").unlink()
    (house.root / "b.txt").write_text(INSIDE)
    (house.root / "a" / "secret.txt").write_text(INSIDE)
    counter = tmp_path_factory.mktemp("swaps") / "counter"
    counter.write_bytes(bytes(8))
    arguments = [sys.executable, "-c", SWAP, str(house.root), str(house.outside), str(os.getpid()), str(counter)]
    child = subprocess.Popen(arguments, stdout=subprocess.PIPE)
    assert child.stdout is not None and child.stdout.readline() == b"ready\n"
    with counter.open("rb") as file, mmap.mmap(file.fileno(), 8, access=mmap.ACCESS_READ) as shared:
        yield Swapping(house, shared)
    child.kill()
    child.wait()
    child.stdout.close()


def steady(house: House) -> str:
    """What became of the bait; its count of names swings with the hard link."""
    now = {name: row[:2] for name, row in house.bait().items()}
    return "" if now == {name: row[:2] for name, row in house.before.items()} else "changed the bait"


RACES = [
    ("read_file", {"file": "a/secret.txt"}),
    ("read_file", {"file": "b.txt"}),
    ("list_files", {"directory": "a"}),
    ("list_files", {}),
    ("search_text", {"text": "bait"}),
    ("append_to_file", {"file": "a/secret.txt", "text": INSIDE}),
    ("append_to_file", {"file": "b.txt", "text": INSIDE}),
    *(("write_to_file", {"file": name, "text": INSIDE}) for name in ("a/secret.txt", "b.txt", "a/new.txt")),
    ("edit_file", {"file": "a/secret.txt", "old": SECRET, "new": "edited"}),
    ("delete_file", {"file": "a/new.txt"}),
]


@pytest.mark.full
def test_a_second_process_that_swaps_links_gets_nothing(swapping: Swapping, tally: Kind) -> None:
    """Each call is one attack, repeated until enough swaps have fallen into its time."""
    attacks, hit, got = tally("swapped links"), [0] * len(RACES), [""] * len(RACES)
    end = time.monotonic() + PATIENCE
    while min(hit) < WINDOWS:
        assert time.monotonic() < end, f"too few swaps fell into the calls: {hit}"
        for nth, (command, args) in enumerate(RACES):
            before = swapping.swaps
            done = swapping.house.call(command, args)
            hit[nth] += swapping.swaps > before
            if SECRET in done.text or "evil.py" in done.text or done.trace:
                got[nth] = f"was told {done.text}"
    for (command, args), told in zip(RACES, got, strict=True):
        attacks.add(f"{command} {args}", told)
    attacks.add("all of them", steady(swapping.house))
    attacks.done()


def test_the_same_race_is_won_against_a_check_before_the_open(swapping: Swapping) -> None:
    """The usual check, by the real path, and then the usual open."""
    won, end = {"read": 0, "listed": 0}, time.monotonic() + PATIENCE
    while not all(won.values()):
        assert time.monotonic() < end, f"the race proves nothing: {won}"
        with contextlib.suppress(OSError):
            path = swapping.house.root / "a" / "secret.txt"
            if path.resolve().is_relative_to(swapping.house.root):
                won["read"] += path.read_text() == SECRET
        with contextlib.suppress(OSError):
            folder = swapping.house.root / "a"
            if folder.resolve().is_relative_to(swapping.house.root):
                won["listed"] += "evil.py" in os.listdir(folder)  # noqa: PTH208


# ---------------------------------------------------------------- what steers autocraft is never in the workspace


def config_of(folder: Path, **flags: Any) -> Config:
    """Return the settings of a run in the current folder, with its state in `folder`."""
    return Config(Settings({"workspace": folder / "workspace", "state_dir": folder / "state", **flags}, {}))


def steering(folder: Path) -> dict[str, tuple[Path, Path]]:
    """What is attacked -> (the workspace that would hold it, the file that the agent would rewrite)."""
    import autocraft

    state, package = folder / "state", Path(autocraft.__file__).parent
    (folder / "alias").symlink_to(state)
    for name in ("sessions", "memory", "locks"):
        (state / name).mkdir(parents=True)
        (state / name / "file").write_text("ours")
    (folder / "project" / "workspace").mkdir(parents=True)
    (folder / "project" / ".env").write_text("OPENAI_API_KEY=none\n")
    return {
        "the whole disk": (Path("/"), Path("/etc/hostname")),
        "the folder above the state": (folder, state / "sessions" / "file"),
        "the state": (state, state / "sessions" / "file"),
        "the state by a link": (folder / "alias", state / "sessions" / "file"),
        "sessions": (state / "sessions", state / "sessions" / "file"),
        "memory": (state / "memory", state / "memory" / "file"),
        "a new folder in the state": (state / "sessions" / "new", state / "sessions" / "new" / "file"),
        "autocraft": (package, package / "policy.py"),
        "its commands": (package / "commands", package / "commands" / "files.py"),
        "above autocraft": (package.parent, package / "policy.py"),
        "its prompts": (prompt_folder(), prompt_folder() / "system.j2"),
        "the current folder": (folder / "project", folder / "project" / ".env"),
        "above the current folder": (folder / "project" / "..", folder / "project" / ".env"),
    }


def test_the_workspace_holds_nothing_that_steers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tally: Kind) -> None:
    attacks = tally("workspaces")
    places = steering(tmp_path)
    monkeypatch.chdir(tmp_path / "project")
    for name, (root, file) in places.items():
        try:
            open_workspace(config_of(tmp_path, workspace=root))
            attacks.add(name, f"{root} was taken, and {file} could be written")
        except UsageError as error:
            attacks.add(name, "" if "choose another" in str(error) or "whole disk" in str(error) else str(error))
        if root.resolve() != Path("/"):  # the control: a workspace that nobody looked at lets the file be named
            assert Workspace(root).resolve(str(file.resolve())) == file.resolve()
    attacks.done()


@pytest.mark.parametrize("name", [".env", "autocraft.toml"])
def test_settings_that_lie_in_the_workspace_behind_a_link_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tally: Kind, name: str
) -> None:
    (tmp_path / "workspace").mkdir()
    (tmp_path / name).symlink_to(tmp_path / "workspace" / "mine")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "workspace" / "mine").write_text("# the agent's own\n")
    assert (tmp_path / name).read_text().startswith("# the agent"), "the control: what steers is read through the link"
    attacks = tally("workspaces")
    try:
        open_workspace(config_of(tmp_path, workspace=tmp_path / "workspace"))
        attacks.add(name, "was taken")
    except UsageError:
        attacks.add(name)
    attacks.done()


RULE = '[[policy.rule]]\nthen = "allow"\n'
OWN = """
from autocraft.protocols import Call, Risk, command

@command(help="Greet", risk=Risk.LOOK)
async def greet(call: Call) -> str:
    return "hello"
"""


def test_policy_skills_and_own_commands_may_not_lie_where_the_agent_writes(tmp_path: Path, tally: Kind) -> None:
    attacks = tally("workspaces")
    work, away = tmp_path / "workspace", tmp_path / "away"
    (work / "mine" / "inner").mkdir(parents=True)
    (away / "sub").mkdir(parents=True)
    for path in (work / "rules.toml", away / "rules.toml"):
        path.write_text(RULE)
    for path in (work / "mine" / "greet.py", away / "greet.py", work / "helper.py"):
        path.write_text(OWN)
    (work / "linked.toml").symlink_to(away / "rules.toml")
    (away / "linked.toml").symlink_to(work / "rules.toml")
    linked = {"mine-by-link": work / "mine", "part": away}
    for name, target in linked.items():
        (tmp_path / name).symlink_to(target)
    (tmp_path / "helped").mkdir()
    (tmp_path / "helped" / "greet.py").write_text(OWN)
    (tmp_path / "helped" / "_helper.py").symlink_to(work / "helper.py")

    def policy(path: Path) -> Any:
        return open_workspace(config_of(tmp_path, policy=path))

    def own(folder: Path, workspace: Path = work) -> Any:
        return open_workspace(config_of(tmp_path, workspace=workspace, **{"commands.commands_folder": folder}))

    def skills(folder: Path, workspace: Path = work) -> Any:
        return open_workspace(config_of(tmp_path, workspace=workspace, skills_dir=folder))

    acts: dict[str, Callable[[], str]] = {
        "a policy in it": lambda: policy(work / "rules.toml"),
        "a link in it to a policy": lambda: policy(work / "linked.toml"),
        "a link to a policy in it": lambda: policy(away / "linked.toml"),
        "a policy by a way around": lambda: policy(away / ".." / "workspace" / "rules.toml"),
        "commands in it": lambda: own(work / "mine"),
        "a link to commands in it": lambda: own(tmp_path / "mine-by-link"),
        "what commands import": lambda: own(tmp_path / "helped"),
        "a workspace among commands": lambda: own(away, away / "sub"),
        "a workspace that is their folder": lambda: own(away, away),
        "skills in it": lambda: skills(work / "mine"),
        "skills that are it": lambda: skills(work),
        "a link to skills in it": lambda: skills(tmp_path / "mine-by-link"),
        "a workspace among skills": lambda: skills(away, away / "sub"),
    }
    for name, act in acts.items():
        try:
            attacks.add(name, act())
        except UsageError as error:
            attacks.add(name, "" if "workspace" in str(error) else str(error))
    assert policy(away / "rules.toml").root == work, "the control: the same rules are obeyed where they are found"
    (away / "linked.toml").unlink()
    assert own(tmp_path / "part").root == work
    attacks.done()
