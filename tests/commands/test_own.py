"""A person's own commands: from a folder, from a package, and what is said of those that cannot work."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from autocraft.errors import InvalidCommand, UsageError
from autocraft.protocols import Risk
from tests.conftest import ROOT, Place, kinds
from tests.vocabulary import whole_registry

PAGE = ROOT / "docs" / "own_commands.md"
EXAMPLE = re.search(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)[1]  # type: ignore[index]
HEAD = "from autocraft.protocols import Call, Risk, command\n"
FAMILY = (
    HEAD
    + """
class Doors:
    def __init__(self):
        self.open = 0

    @command(help="Open a door", risk=Risk.CHANGE, synonyms=("open_gate",))
    async def open_door(self, call: Call, name: str) -> str:
        self.open += 1
        return f"{name} is open, {self.open} in all"

    def evidence(self, call):
        raise KeyError("oops")

    def preview(self, call):
        raise KeyError("oops")
"""
)


def folder_of(place: Path, **files: str) -> Path:
    folder = place / "mine"
    folder.mkdir()
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text)
    return folder


def test_the_page_is_short_and_its_example_runs(place: Place) -> None:
    assert len(PAGE.read_text(encoding="utf-8").splitlines()) <= 36
    folder_of(place.folder, torches=EXAMPLE)
    script = place.script(("count_torches", {"width": "30", "length": 5}), ("count_torches", {"width": 0}))
    start = ("run", "--goal", "light it", "--brain", "scripted", "--script", script, "--continuous")
    place.run(*start, AUTOCRAFT_COMMANDS="mine")
    assert [(event["ok"], event["text"]) for event in kinds(place.events(), "result")] == [
        (True, "3 torches"),
        (False, "width and length must be at least 1"),
    ]


def test_they_are_offered_and_checked_like_ours(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, torches=EXAMPLE, doors=FAMILY, _helper="raise SystemExit")
    registry = whole_registry(tmp_path, commands_folder=folder)
    assert {"count_torches", "open_door"} <= set(registry.names())
    call = registry.bind("open_gate", {"name": "north"})
    assert (call.name, call.risk, call.command.family) == ("open_door", Risk.CHANGE, "own")
    with pytest.raises(InvalidCommand, match="the argument 'width' is missing"):
        registry.bind("count_torches", {})


def test_a_function_may_have_hooks_of_its_own(tmp_path: Path) -> None:
    hooks = """
@count_torches.preview
def shown(call):
    return f"counts for {call.args['width']}"

@count_torches.risk
def tier(call):
    return Risk.CHANGE if call.args["width"] > 9 else Risk.LOOK
"""
    folder = folder_of(tmp_path, torches=EXAMPLE + hooks)
    registry = whole_registry(tmp_path, commands_folder=folder)
    large = registry.bind("count_torches", {"width": 30})
    assert registry.preview(large) == "counts for 30"
    assert (large.risk, registry.bind("count_torches", {"width": 3}).risk) == (Risk.CHANGE, Risk.LOOK)


def test_a_fault_in_one_of_them_is_a_failed_command_and_no_more(place: Place) -> None:
    broken = HEAD + '@command(help="b", risk=lambda owner, n: 1 / n)\n'
    broken += "async def divide(call: Call, n: int) -> str:\n    return 1 // n\n"
    folder_of(place.folder, doors=FAMILY, divide=broken)
    script = place.script(("open_door", {"name": "n"}), ("divide", {"n": 0}), ("divide", {"n": 1}))
    start = ("run", "--goal", "be nice", "--brain", "scripted", "--script", script, "--continuous")
    place.run(*start, AUTOCRAFT_COMMANDS="mine")
    results = kinds(place.events(), "result")
    assert [(event["ok"], event["text"]) for event in results] == [
        (True, "n is open, 1 in all"),
        (False, "Error: ZeroDivisionError: integer division or modulo by zero"),
        (True, "1"),
    ]
    assert kinds(place.events(), "intent")[1]["risk"] == Risk.DESTROY.value


ODD = (
    HEAD
    + """
import asyncio, sys
from autocraft.protocols import Result


class Mute:
    def __str__(self):
        raise ValueError("mute")


def away():
    task = asyncio.get_running_loop().create_future()
    task.cancel()
    return task


class Odd:
    @command(help="End in an odd way", risk=Risk.CHANGE)
    async def end(self, call: Call, way: str):
        if way == "exit":
            sys.exit("by itself")
        if way == "cancel":
            await away()
        return {"seven": Result(7), "nothing": Result(None, ok=None), "mute": Mute()}[way]

    def evidence(self, call):
        return {"exit": {"seen": {1}}, "cancel": None}.get(call.args["way"]) or sys.exit(1)

    def reach(self, call):
        return None

    def settle(self, call, evidence):
        return "done"

    def preview(self, call):
        sys.exit("no preview")
"""
)


def test_a_command_that_ends_in_an_odd_way_is_a_result(place: Place) -> None:
    folder_of(place.folder, odd=ODD)
    script = place.script(*(("end", {"way": way}) for way in ("exit", "cancel", "seven", "nothing", "mute")))
    start = ("run", "--goal", "be nice", "--brain", "scripted", "--script", script, "--continuous")
    place.run(*start, AUTOCRAFT_COMMANDS="mine")
    assert [(event["ok"], event["text"]) for event in kinds(place.events(), "result")] == [
        (False, "Error: SystemExit: by itself"),
        (False, "Error: CancelledError: "),
        (True, "7"),
        (False, "None"),
        (False, "Error: ValueError: mute"),
    ]
    assert {len(event["evidence"]) for event in kinds(place.events(), "intent")} == {0}


GONE = """
from autocraft.errors import InvalidCommand
from autocraft.protocols import Call, Risk, command

calls = []

def risk(family, name):
    calls.append(name)
    if len(calls) > 1:
        raise InvalidCommand(f"{name} has gone")
    return Risk.CHANGE

@command(help="Open a door", risk=risk)
async def open_door(call: Call, name: str) -> str:
    return "open"
"""


def test_what_has_gone_before_the_question_is_an_error_for_the_model(place: Place) -> None:
    folder_of(place.folder, doors=GONE)
    script = place.script(("open_door", {"name": "gate"}), ("do_nothing", {}))
    start = ("run", "--goal", "be nice", "--brain", "scripted", "--script", script)
    done = place.run(*start, stdin="n\n", AUTOCRAFT_COMMANDS="mine")
    assert done.returncode == 4 and "ERROR:  gate has gone" in done.stdout
    assert [event["command"] for event in kinds(place.events(), "question")] == ["do_nothing"]


def test_a_hook_that_exits_or_returns_something_else_has_failed(tmp_path: Path) -> None:
    registry = whole_registry(tmp_path, commands_folder=folder_of(tmp_path, odd=ODD))
    call = registry.bind("end", {"way": "exit"})
    assert registry.reach(call).args == call.args
    assert registry.settle(call, {}).outcome == "unknown"
    assert registry.preview(call) == "(no preview: end: its preview failed (SystemExit: no preview))"


def test_nothing_is_imported_where_they_are_off(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, boom="raise SystemExit(3)")
    registry = whole_registry(tmp_path, {"DISABLED_COMMAND_CATEGORIES": "own"}, commands_folder=folder)
    assert "read_file" in registry.names()


def define(signature: str, *, decorated: str = 'help="x", risk=Risk.LOOK', kind: str = "async def") -> str:
    return HEAD + f"\n\n@command({decorated})\n{kind} {signature}:\n    return ''\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("def f(:\n", r"bad\.py, line 1: invalid syntax"),
        ("import nothing_of_this_name\n", r"bad\.py, line 1: ModuleNotFoundError: No module named"),
        ("x = 1\n\n1 / 0\n", r"bad\.py, line 3: ZeroDivisionError: division by zero; correct it, or move it away"),
        ("raise SystemExit(3)\n", r"bad\.py, line 1: SystemExit: 3"),
        ("x = 1\n", r"bad\.py holds no command"),
        ("", r"bad\.py holds no command"),
        (define("f(call: Call)", kind="def"), r"bad\.py, line 4: f must be defined with 'async def'"),
        (define("f(call: Call, x)"), r"line 4: the argument 'x' of f needs a type, as in x: str"),
        (define("f(call: Call, *x: str)"), r"line 4: f may not have \*x"),
        (define("f(x: str)"), r"line 4: f must take 'call' before its own arguments"),
        (define("f()"), r"line 4: f must take 'call'"),
        (define("f(call: Call, x: 'Nothing')"), r"line 4: NameError"),
        (define("f(call: Call, x: bytes)"), r"line 4: the argument 'x' of f must be str, int, float"),
        (define("f(call: Call)", decorated='help="x", risk=Risk.LOOK, name="Bad Name"'), "'Bad Name' is not a valid"),
        (define("read_file(call: Call)"), r"line 4: the name 'read_file' is one of autocraft's own; choose another"),
        (define("search_files(call: Call)"), r"the name 'search_files' is one of autocraft's own"),
        (define("f(call: Call)", decorated='help="x", risk=Risk.LOOK, synonyms=("finish",)'), r"'finish' is one of"),
        (HEAD + "class A:\n    def __init__(self, x): ...\n    @command(help='', risk=Risk.LOOK)\n"
         "    async def a(self, call: Call) -> str: ...\n", r"class A: TypeError: .*missing 1 required"),
    ],
)  # fmt: skip
def test_what_is_broken_is_one_line_with_file_and_line(tmp_path: Path, text: str, said: str) -> None:
    folder = folder_of(tmp_path, bad=text)
    with pytest.raises(UsageError, match=said) as caught:
        whole_registry(tmp_path, commands_folder=folder)
    assert "\n" not in str(caught.value)


def test_an_argument_may_have_any_name(tmp_path: Path, recwarn: pytest.WarningsRecorder) -> None:
    text = define("pack(call: Call, copy: str, model_dump: int, model_dump_all: bool = False, json: str = '')")
    registry = whole_registry(tmp_path, commands_folder=folder_of(tmp_path, names=text))
    call = registry.bind("pack", {"copy": "a", "model_dump": "3", "model_dump_all": "yes"})
    assert call.args == {"copy": "a", "model_dump": 3, "model_dump_all": True, "json": ""}
    with pytest.raises(InvalidCommand, match="the argument 'copy' is missing; the argument 'model_dump' is wrong"):
        registry.bind("pack", {"model_dump": "x"})
    assert [str(each.message) for each in recwarn] == []


def test_two_of_one_name_are_refused(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, one=EXAMPLE, two=EXAMPLE)
    with pytest.raises(
        UsageError, match=r"two\.py, line 4: the name 'count_torches' is taken by another command of yours"
    ):
        whole_registry(tmp_path, commands_folder=folder)


def test_the_folder_must_be_there_and_outside_the_workspace(place: Place) -> None:
    done = place.run("run", "--goal", "craft 1 stick", AUTOCRAFT_COMMANDS="none", stdin="")
    assert done.returncode == 2
    assert "there is no folder none for your own commands" in done.stderr
    (place.folder / "workspace").mkdir(exist_ok=True)
    (place.folder / "workspace" / "torches.py").write_text(EXAMPLE)
    (place.folder / "mine").mkdir()
    (place.folder / "mine" / "linked.py").symlink_to(place.folder / "workspace" / "torches.py")
    for folder in ("workspace", "mine"):
        done = place.run("run", "--goal", "craft 1 stick", AUTOCRAFT_COMMANDS=folder, stdin="")
        assert done.returncode == 2
        assert "what commands.commands_folder names" in done.stderr and "--workspace" in done.stderr


def install(folder: Path, value: str, **files: str) -> None:
    """What an installed package leaves behind: its modules and its metadata."""
    package = folder / "my_package"
    package.mkdir()
    for name, text in files.items():
        (package / f"{name}.py").write_text(text)
    info = folder / "my_package-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: my_package\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[autocraft.commands]\nmine = {value}\n")


def test_a_package_brings_commands_with_an_entry_point(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, "my_package", __init__="from my_package.inner import count_torches\n", inner=EXAMPLE)
    monkeypatch.syspath_prepend(tmp_path)
    assert "count_torches" in whole_registry(tmp_path).names()
    for name in [name for name in sys.modules if name.startswith("my_package")]:
        del sys.modules[name]


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("my_package.missing", r"the entry point mine \(my_package\.missing\) of the package my_package: Module"),
        ("my_package:x", r"the entry point mine \(my_package:x\) of the package my_package is not a module"),
    ],
)
def test_a_broken_entry_point_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: str, said: str
) -> None:
    install(tmp_path, value, __init__="x = 5\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(UsageError, match=said):
        whole_registry(tmp_path)
    sys.modules.pop("my_package", None)
