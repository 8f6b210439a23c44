"""What a preview shows is what the interpreter will read: every attack is run, and must be plain to see before."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from autocraft.commands.code import CodeCommands
from autocraft.commands.files import FileCommands
from autocraft.commands.program_report import changed_program
from autocraft.commands.registry import Registry
from autocraft.commands.run_store import OutputStore
from autocraft.commands.workspace import Workspace
from autocraft.protocols import commands_of
from autocraft.sandbox.folder import FileChange
from autocraft.sandbox.settings import CodeSettings
from autocraft.session.events import Question
from autocraft.session.reading import Events
from autocraft.text.sanitize import clean
from tests.conftest import Place, unmeasured
from tests.security.count import Tally

pytestmark = pytest.mark.sampled(4)

Kind = Callable[[str], Tally]


class House:
    """The families of files and programs on an empty workspace."""

    def __init__(self, folder: Path) -> None:
        self.root, self.session = folder / "workspace", folder / "session"
        self.root.mkdir()
        files = FileCommands(Workspace(self.root), self.session / "undo")
        self.family = CodeCommands(files, self.session / "runs", CodeSettings(protection="none", seconds=30))
        self.registry = Registry([*commands_of(files), *commands_of(self.family)])

    def shown(self, name: str, **args: Any) -> str:
        """A preview as the screen has it, before it is folded."""
        return clean(self.registry.preview(self.registry.bind(name, args)))

    def kept(self, run: str, **files: bytes) -> None:
        """As if a run had written these files."""
        runs = OutputStore(self.session / "runs")
        taken = runs.take(run, [FileChange(name, "new", len(data), data) for name, data in files.items()])
        runs.finish(run, taken, {"text": "", "ok": True})


@pytest.fixture
def house(tmp_path: Path) -> House:
    return House(tmp_path)


# ---------------------------------------------------------------- how Python reads a program

WRITES = 'open("EVIL", "w")'
ESCAPED = "".join(f"\\u{ord(char):04x}" for char in f"\n{WRITES}\n")
HIDING: dict[str, bytes] = {
    "unicode_escape": f"# coding: unicode_escape\n# a comment {ESCAPED}".encode(),
    "raw_unicode_escape": f"# coding: raw_unicode_escape\n# a comment {ESCAPED}".encode(),
    "in the second line": f"# one\n# vim: set fileencoding=raw_unicode_escape :\n# {ESCAPED}".encode(),
    "after a carriage return": f"\r# coding: raw_unicode_escape\n# a comment {ESCAPED}".encode(),
    "after a form feed": f"\x0c# coding: raw_unicode_escape\n# a comment {ESCAPED}".encode(),
    "utf-7": f"# coding: utf-7\n# a comment +AAo-{WRITES}".encode(),
    "a carriage return in a comment": f"# a comment\r{WRITES}\n".encode(),
    "an indented form feed": f"if 0:\n    pass\n    \x0c{WRITES}\n".encode(),
    "the 401st row": ("\n" * 400 + WRITES).encode(),
    "a column far out": (" " * 0 + "0;" * 5000 + WRITES).encode(),
    "a byte order mark": f"\ufeff{WRITES}".encode(),
}
SEPARATORS = ["\u2028", "\u2029", "\x0b", "\x0c", "\x1c", "\x1d", "\x1e", "\x85"]


def runs_evil(folder: Path, program: bytes) -> bool:
    """Whether Python, given this program, writes the file."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    (folder / "main.py").write_bytes(program)
    subprocess.run([sys.executable, "main.py"], cwd=folder, capture_output=True, timeout=60)
    return (folder / "EVIL").exists()


def statement(shown: str) -> bool:
    """Whether the statement that writes stands in the open: in a row that no comment begins."""
    return any(WRITES in row and "#" not in row.split(WRITES)[0] for row in shown.split("\n"))


def careless(program: bytes) -> str:
    """The preview as it was."""
    return "\n".join(program.decode("utf-8", "replace").splitlines()[:400])


def test_a_program_that_runs_something_else_than_is_shown(house: House, tmp_path: Path, tally: Kind) -> None:
    attacks = tally("previews")
    hidden_before = []
    for name, program in HIDING.items():
        runs = runs_evil(tmp_path / "tried", program)
        if runs and not statement(careless(program)):
            hidden_before.append(name)
        (house.root / "main.py").write_bytes(program)
        shown = house.shown("execute_python_file", file="main.py")
        refused = shown.startswith("This will fail: ") and "UTF-8" in shown
        attacks.add(name, "" if refused or statement(shown) or not runs else shown)
    assert len(hidden_before) >= 4, f"the control: {hidden_before} were hidden by the careless preview"
    attacks.done()


def test_a_condition_that_is_a_comment_for_python(house: House, tmp_path: Path, tally: Kind) -> None:
    """Only str.splitlines ends a line at these: the row that guards the statement is a part of the comment."""
    attacks = tally("previews")
    for separator in SEPARATORS:
        program = f"# a comment{separator}if never():\n{WRITES}\n".encode()
        assert runs_evil(tmp_path / "tried", program)
        assert "\nif never():" in careless(program), "the control"
        (house.root / "main.py").write_bytes(program)
        shown = house.shown("execute_python_file", file="main.py")
        attacks.add(repr(separator), "\nif never():" in shown or r"# a comment\x" not in shown.replace(r"\u", r"\x"))
    attacks.done()


def test_a_program_in_another_coding_does_not_run_and_the_reason_is_clear(house: House) -> None:
    (house.root / "main.py").write_bytes("# coding: latin-1\nprint('é')".encode("latin-1"))
    said = house.shown("execute_python_file", file="main.py")
    assert "main.py is in iso8859-1; only programs in UTF-8 are run: save it as UTF-8" in said
    (house.root / "main.py").write_bytes(b"print('a\0')")
    assert "zero character" in house.shown("execute_python_file", file="main.py")
    (house.root / "main.py").write_bytes(b"#" * 1_000_001)
    assert "make it shorter" in house.shown("execute_python_file", file="main.py")
    (house.root / "main.py").write_bytes("# -*- coding: utf8 -*-\nprint('é')".encode())
    assert "2 lines:\n# -*- coding: utf8 -*-\nprint('é')" in house.shown("execute_python_file", file="main.py")


# ---------------------------------------------------------------- what a program imports

MODULES = {
    "sub/main.py": "import helper, json\nfrom pkg import inner\nfrom star import *\nif True:\n    import late",
    "sub/helper.py": "import second",
    "sub/second.py": "import loop_back",
    "sub/loop_back.py": "import helper",
    "sub/pkg/__init__.py": "",
    "sub/pkg/inner.py": "from . import sibling\nfrom .deep import thing",
    "sub/pkg/sibling.py": "",
    "sub/pkg/deep/__init__.py": "thing = 1",
    "sub/star/__init__.py": "__all__ = ['member']",
    "sub/star/member.py": "",
    "sub/late.py": "",
    "sub/json.py": "dump = dumps = load = loads = None",
    "sub/random.py": "Random = object  # tempfile of the standard library imports this",
    "sub/unused.py": "",
    "helper.py": "# not in the folder of the program",
    "json.py": "# nor this",
}
PROBE = "\nimport sys; print(*sorted(getattr(m, '__file__', '') or '' for m in list(sys.modules.values())))"


def test_modules_of_the_workspace_that_run_as_well_are_named(house: House, tmp_path: Path, tally: Kind) -> None:
    attacks = tally("previews")
    for name, text in MODULES.items():
        (house.root / name).parent.mkdir(parents=True, exist_ok=True)
        (house.root / name).write_text(text)
    shown = house.shown("execute_python_file", file="sub/main.py")
    (house.root / "sub" / "main.py").write_text(MODULES["sub/main.py"] + "\nimport tempfile" + PROBE)
    command = [sys.executable, "-E", "-s", "-B", "sub/main.py"]
    environment = unmeasured(os.environ)  # coverage imports tempfile before the workspace can
    done = subprocess.run(command, cwd=house.root, env=environment, capture_output=True, text=True, timeout=60)
    loaded = {str(Path(each).relative_to(house.root)) for each in done.stdout.split() if str(house.root) in each}
    loaded -= {"sub/main.py"}
    assert len(loaded) >= 11, f"the control: these were really imported: {loaded} {done.stderr}"
    for name in loaded:
        attacks.add(
            name, "" if re.search(rf"^(can import )?{name} of the workspace \(", shown, re.MULTILINE) else shown
        )
    attacks.done()
    assert "sub/json.py of the workspace (34 bytes, sha256 " in shown and "in place of Python's own json" in shown
    assert f"Sees a copy of {len(MODULES)} files of the workspace, sha256 " in shown


def test_the_files_that_are_named_are_bounded_and_those_that_hide_a_module_come_first(house: House) -> None:
    for name in ["json", *(f"m{number}" for number in range(300))]:
        (house.root / f"{name}.py").touch()
    (house.root / "main.py").write_text("import json")
    shown = house.shown("execute_python_file", file="main.py").split("\n")
    assert shown[1].startswith("Sees a copy of 302 files of the workspace, sha256 ")
    assert (
        shown[2].startswith("json.py of the workspace (0 bytes, sha256 ") and "place of Python's own json" in shown[2]
    )
    assert sum(" of the workspace (" in row for row in shown) == 100
    assert "can import 201 more Python files of the workspace" in shown


RUNS_IT = {
    "imported": ("import helper", "helper.py"),
    "imported by an import": ("import first", "helper.py"),
    "imported by a computed name": ("__import__('hel' + 'per')", "helper.py"),
    "hides a module of Python": ("import json", "json.py"),
    "a package without a file of its own": ("import space.helper", "space/helper.py"),
    "loaded as a program": ("import runpy; runpy.run_path('tool.txt')", "tool.txt"),
    "read as a text": ("exec(open('.hidden/data').read())", ".hidden/data"),
}


@pytest.mark.parametrize("how", RUNS_IT)
def test_what_a_program_could_run_besides_itself_cannot_change_unseen(house: House, how: str, tally: Kind) -> None:
    program, name = RUNS_IT[how]
    path = house.root / name
    path.parent.mkdir(exist_ok=True)
    (house.root / "first.py").write_text("import helper")
    (house.root / "main.py").write_text(program)
    attacks = tally("previews")
    for before, after in (("", WRITES), (WRITES, ""), (None, WRITES), (WRITES, None)):
        put(path, before)
        call = house.registry.bind("execute_python_file", {"file": "main.py"})
        call = replace(call, id="session:1", fingerprint=house.registry.fingerprint(call))
        if before == WRITES:
            said = asyncio.run(house.registry.call(call)).text
            assert "new EVIL" in said, f"the control: unchanged it runs, with this file: {said}"
        put(path, after)
        said = asyncio.run(house.registry.call(replace(call, id="session:2"))).text
        attacks.add(f"{how}, {before!r} to {after!r}", "" if "has changed since it was shown" in said else said)
    attacks.done()


def put(path: Path, text: str | None) -> None:
    """Write a file, or remove it for None."""
    path.unlink(missing_ok=True)
    if text is not None:
        path.write_text(text)


# ---------------------------------------------------------------- copies and new files


def test_the_61st_row_of_a_new_file_is_shown(house: House, tally: Kind) -> None:
    evil = 'rm -rf "$HOME"'
    text = "echo fine\n" * 60 + evil + "\n" + "echo fine\n" * 600
    house.kept("run-1", **{"script.sh": text.encode(), "tool.bin": b"\x7fELF\0" + b"x" * 300})
    attacks = tally("previews")
    shown = house.shown("copy_back", run="run-1")
    attacks.add("copy_back", "" if evil in shown else shown)
    for command in ("write_to_file", "append_to_file"):
        attacks.add(command, "" if evil in house.shown(command, file="new.sh", text=text) else "it is not shown")
    attacks.add(
        "a binary", "" if re.search(r"tool.bin: a new file, binary, 305 bytes, sha256 [0-9a-f]{64}", shown) else 1
    )
    attacks.done()


def test_a_text_that_is_too_long_to_be_shown_is_named_like_a_binary(house: House) -> None:
    house.kept("run-1", **{"a.txt": b"a\n" * 300_000, "b.txt": b"b\n" * 300_000})
    shown = house.shown("copy_back", run="run-1")
    assert shown.count("\na") == 300_000 and "\nb\n" not in shown
    assert "b.txt: a new file, text, too long to show here, 600,000 bytes, sha256 " in shown


def test_page_shows_the_whole_and_the_journal_keeps_it(place: Place, terminal: Callable[..., Any]) -> None:
    text = "".join(f"row {number}\n" for number in range(30_000))
    script = place.script(("write_to_file", {"file": "long.txt", "text": text}))
    child = terminal("run", "--brain", "scripted", "--script", script, "--goal", "x", PAGER="cat")
    child.expect("/page shows everything", timeout=60)
    child.expect("Input:", timeout=60)
    child.sendline("/page")
    child.expect("row 29999", timeout=60)
    child.expect("The same question again:", timeout=60)
    child.expect("Input:", timeout=60)
    child.sendline("n")
    child.expect("Resume with", timeout=60)
    events = list(Events(place.state / "sessions" / place.session()))  # with its long texts
    whole = f"new file, {len(text):,} bytes in 30,000 lines:\n{text.rstrip()}"
    assert [event.preview for event in events if isinstance(event, Question)] == [whole, whole]


# ---------------------------------------------------------------- programs in JavaScript


OLD = "async function a(bot) {\n  // fine SEPARATOR drop();\n  await craftItem(bot, 'stick', 1);\n}\n"
ENDS = {"\\r": "\r", "U+2028": "\u2028", "U+2029": "\u2029"}
NO_ENDS = {"form feed": "\x0c", "NEL": "\x85", "vertical tab": "\x0b", "file separator": "\x1c"}


def test_programs_that_differ_are_never_shown_as_equal(tally: Kind) -> None:
    """The approved one has a comment with a character that ends no line of JavaScript, the new one, one that does."""
    import difflib

    attacks, fooled = tally("previews"), 0
    variants = {name: OLD.replace("SEPARATOR", char) for name, char in {**ENDS, **NO_ENDS, "newline": "\n"}.items()}
    variants |= {
        "no last newline": OLD.rstrip(),
        "two newlines": OLD + "\n",
        "\\r\\n": OLD.replace("\n", "\r\n"),
        "a forged mark": OLD.rstrip() + " [no newline at the end]\n",
        "blanks": OLD.replace("  await", "   await"),
    }
    for first, old in variants.items():
        for second, new in variants.items():
            if old == new:
                continue
            fooled += not list(difflib.unified_diff(old.splitlines(), new.splitlines()))
            changes = changed_program(old, new)
            rows = [row for row in changes[: changes.index("program:")] if row[:1] in "+-"]
            attacks.add(f"{first} to {second}", "" if rows else "it is shown as the same")
    assert fooled >= 8, "the control: rows of str.splitlines are equal for many of them"
    attacks.done()


@pytest.mark.parametrize("name", ENDS)
def test_what_follows_a_line_end_of_javascript_stands_on_its_own_row(name: str) -> None:
    shown = clean("\n".join(changed_program("", OLD.replace("SEPARATOR", ENDS[name]))))
    assert "\n drop();\n" in shown.partition("program:")[2], "as node reads it"
    assert "\n drop();\n" not in clean(OLD.replace("SEPARATOR", "\x0c"))


def test_node_agrees_about_its_line_ends(tmp_path: Path) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed")
    for char in [*ENDS.values(), "\n", *NO_ENDS.values()]:
        (tmp_path / "a.js").write_text(f"// comment{char}console.log('ran')\n", newline="", encoding="utf-8")
        done = subprocess.run([node, tmp_path / "a.js"], capture_output=True, text=True, timeout=60)
        assert ("ran" in done.stdout) is (char in [*ENDS.values(), "\n"]), repr(char)
