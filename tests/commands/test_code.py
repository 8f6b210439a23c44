"""Running a file and copying back what it wrote: results, previews, refusals, and what a kill leaves behind."""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import sys
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from autocraft.commands.background import Stop, in_thread
from autocraft.commands.code import CodeCommands
from autocraft.commands.files import FileCommands
from autocraft.commands.registry import Registry
from autocraft.commands.schema import command_schema
from autocraft.commands.workspace import FileCaps, Workspace
from autocraft.errors import CommandError, InvalidCommand, PathRefused
from autocraft.protocols import Call, Json, Result, Risk, commands_of
from autocraft.sandbox.settings import CodeSettings
from autocraft.session.atomic import sha256
from tests import hooks
from tests.processes import carrying
from tests.waiting import until

pytestmark = pytest.mark.sampled(10)


class House:
    """The family on folders of its own, called as the loop calls it."""

    def __init__(self, folder: Path, **settings: Any) -> None:
        self.root, self.session = folder / "workspace", folder / "session"
        self.root.mkdir()
        self.files = FileCommands(Workspace(self.root, FileCaps(max_bytes=100_000)), self.session / "undo")
        self.family = CodeCommands(self.files, self.session / "runs", CodeSettings(**({"seconds": 60.0} | settings)))
        self.registry = Registry(commands_of(self.family))
        self.calls = 0

    def call(self, name: str, **args: Any) -> Call:
        self.calls += 1
        return replace(self.registry.bind(name, args), id=f"20260101-000000-abc:{self.calls}")

    def effect(self, call: Call) -> Any:
        return asyncio.run(call.command.run(self.family, call, **call.args))  # type: ignore[arg-type]

    def run(self, program: str, *args: str) -> Result:
        """Writes main.py and executes it; the run is called run-N, N being the number of calls until now."""
        (self.root / "main.py").write_text(program)
        said = self.effect(self.call("execute_python_file", file="main.py", args=list(args)))
        assert isinstance(said, Result)
        return said

    def copy(self, **args: Any) -> str:
        return str(self.effect(self.call("copy_back", run="run-1", **args)))

    def evidence(self, call: Call) -> Json:
        """As the journal gives it back."""
        kept: Json = json.loads(json.dumps(hooks.evidence(self.family, call)))
        return kept

    def tree(self) -> dict[str, str]:
        workspace = self.family.workspace
        return {workspace.name_of(path): path.read_text() for path in workspace.files() if path.name != "main.py"}


@pytest.fixture
def house(tmp_path: Path) -> House:
    return House(tmp_path)


@pytest.fixture(autouse=True)
def no_folder_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A place for copies that another user id may pass through, which pytest's own are not; empty at the end."""
    place = Path(tempfile.mkdtemp(prefix="autocraft-test-"))
    place.chmod(0o711)
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    yield
    place.rmdir()


WRITES = """
import os
open("new.txt", "w").write("new\\n")
open("old.txt", "w").write("second\\n")
os.makedirs("a/b"); open("a/b/deep.bin", "wb").write(bytes(300))
os.remove("gone.txt")
"""


@pytest.fixture
def ran(house: House) -> House:
    """After a run that wrote, changed and deleted files."""
    (house.root / "old.txt").write_text("first\n")
    (house.root / "gone.txt").write_text("still here\n")
    assert house.run(WRITES).ok
    return house


# ---------------------------------------------------------------- the commands


def test_auto_gpt_s_name_and_argument_and_what_a_model_may_be_held_to(house: House) -> None:
    commands = {each.name: [p.name for p in each.parameters] for each in house.registry.commands()}
    assert commands == {"execute_python_file": ["file", "args"], "copy_back": ["run", "files"]}
    assert command_schema(house.registry)["properties"]["command"]["anyOf"]
    call = house.registry.bind("execute_python_file", {"file": "main.py"})
    assert (call.risk, call.command.cancellable, call.args["args"]) == (Risk.DESTROY, True, [])
    with pytest.raises(InvalidCommand, match="args"):
        house.registry.bind("execute_python_file", {"file": "main.py", "args": "not a list"})


def test_the_result_says_how_it_ended_what_protects_and_what_was_written(ran: House) -> None:
    said = ran.run(
        "import sys; print('out', sys.argv[1]); print('err', file=sys.stderr); open('x','w').write('1'); exit(3)", "A"
    )
    lines = said.text.splitlines()
    assert not said.ok
    assert lines[0].startswith("Exit code 3 after ")
    assert lines[1].startswith("Protection: ")
    assert lines[2:] == [
        "Files, in the copy only; copy_back with run run-2 brings them into the workspace:",
        "  new x, 1 byte",
        "stdout:",
        "out A",
        "stderr:",
        "err",
    ]


def test_the_workspace_is_as_before_whatever_a_program_does_to_its_copy(ran: House) -> None:
    assert ran.tree() == {"old.txt": "first\n", "gone.txt": "still here\n"}
    said = ran.run(
        "import shutil, os; [shutil.rmtree(n) if os.path.isdir(n) else os.remove(n) for n in os.listdir('.')]"
    )
    assert said.ok, said.text
    assert ran.tree() == {"old.txt": "first\n", "gone.txt": "still here\n"}
    assert "  deleted main.py" in said.text


def test_an_error_names_the_workspace_and_not_our_folder(house: House) -> None:
    for protection in ("auto", "none"):
        house.family.settings = CodeSettings(protection=protection)
        said = house.run("1/0")
        assert 'File "/workspace/main.py", line 1' in said.text
        assert "autocraft-run" not in said.text


def test_symlinks_of_the_workspace_are_not_followed_into_the_copy(house: House, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("of the person")
    (house.root / "link").symlink_to(tmp_path / "secret")
    (house.root / "folder").symlink_to(tmp_path)
    os.mkfifo(house.root / "pipe")
    said = house.run("import os; print(os.listdir('.'))")
    assert "['main.py']" in said.text
    assert "Not copied from the workspace: 3 " in said.text


@pytest.mark.parametrize(
    ("file", "why"),
    [
        ("gone.py", "there is no file"),
        ("notes.txt", "not a Python file"),
        ("../main.py", "outside"),
        ("/etc/passwd.py", "outside"),
        ("-c.py", "there is no file"),
        ("a\x00.py", "control character"),
        ("", "not a Python file"),
        ("folder.py", "is a folder"),
    ],
)
def test_what_is_no_program_of_the_workspace_is_refused(house: House, file: str, why: str) -> None:
    (house.root / "folder.py").mkdir()
    call = house.call("execute_python_file", file=file)
    with pytest.raises(CommandError, match=why):
        house.effect(call)
    assert hooks.preview(house.family, call).startswith("This will fail: ")


@pytest.mark.parametrize("args", [["a\0b"], ["x"] * 100, ["x" * 100_000]])
def test_arguments_that_no_program_can_be_given_are_refused(house: House, args: list[str]) -> None:
    (house.root / "main.py").write_text("print(1)")
    with pytest.raises(CommandError, match="argument"):
        house.effect(house.call("execute_python_file", file="main.py", args=args))


def test_as_many_characters_as_arguments_may_have_reach_the_program_whatever_they_are(house: House) -> None:
    said = house.run("import sys; print(sys.argv[1] == chr(128512) * 32_000)", "\U0001f600" * 32_000)
    assert "stdout:\nTrue" in said.text, said.text


def test_names_that_look_like_options_are_files_and_arguments(house: House) -> None:
    (house.root / "-c.py").write_text("import sys; print(sys.argv[1:])")
    said = house.effect(house.call("execute_python_file", file="./-c.py", args=["-c", "--", "print(1)"]))
    assert "['-c', '--', 'print(1)']" in said.text


def test_a_program_that_changed_since_it_was_shown_does_not_run(house: House) -> None:
    (house.root / "main.py").write_text("print('shown')")
    call = house.call("execute_python_file", file="main.py")
    call = replace(call, fingerprint=house.registry.fingerprint(call))
    shown = house.registry.preview(call)
    assert "print('shown')" in shown
    assert shown.startswith("Protection: ")
    (house.root / "main.py").write_text("print('another')")
    with pytest.raises(CommandError, match="has changed since it was shown"):
        house.effect(replace(call, id="session:9"))
    assert house.run("print('approved without being shown')").ok


@pytest.mark.parametrize(("protection", "off"), [("auto", "code.protection none runs it"), ("none", "")])
def test_where_no_program_can_be_protected_only_the_command_that_runs_one_is_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, protection: str, off: str
) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    registry = House(tmp_path, protection=protection).registry
    names = ["copy_back"] if off else ["execute_python_file", "copy_back"]
    assert [command.name for command in registry.commands()] == names
    if off:
        with pytest.raises(InvalidCommand, match=off):
            registry.bind("execute_python_file", {"file": "main.py"})


def test_a_limit_is_named_with_its_setting_and_a_full_disk_keeps_nothing(house: House) -> None:
    house.family.settings = CodeSettings(total_mb=1)
    said = house.run("import time\nfor n in range(40): open(f'f{n}', 'wb').write(bytes(90_000))\ntime.sleep(30)")
    assert "by the limit of 1 MB of disk (code.total_mb)" in said.text
    assert "Nothing that it wrote was kept." in said.text
    assert not said.ok
    with pytest.raises(CommandError, match="wrote no file that was kept"):
        house.copy()


def test_work_in_a_thread_has_ended_before_its_command_does_however_often_ctrl_c_is_pressed() -> None:
    began, may_end, ended = threading.Event(), threading.Event(), threading.Event()

    def work(stop: Stop) -> None:
        began.set()
        may_end.wait()
        ended.set()
        stop.check()

    async def go() -> None:
        command = asyncio.create_task(in_thread(work))
        await asyncio.to_thread(began.wait)
        for _ in range(3):
            command.cancel()
            await asyncio.wait([command], timeout=0)
        may_end.set()
        with pytest.raises(asyncio.CancelledError):
            await command
        assert ended.is_set()

    asyncio.run(go())


def test_ctrl_c_ends_the_program_and_keeps_nothing(house: House) -> None:
    (house.root / "main.py").write_text("import time; open('x', 'w').write('1'); print('begun'); time.sleep(60)")
    token = f"ctrl-c-{secrets.token_hex(8)}"
    call = house.call("execute_python_file", file="main.py", args=[token])

    async def interrupted() -> None:
        work = asyncio.ensure_future(call.command.run(house.family, call, **call.args))
        await asyncio.to_thread(until, lambda: list(Path(tempfile.gettempdir()).glob("*/work/x")))
        assert carrying(token)
        work.cancel()
        with pytest.raises(asyncio.CancelledError):
            await work

    asyncio.run(interrupted())
    assert carrying(token) == []
    assert not (house.session / "runs").exists()
    assert house.tree() == {}


# ---------------------------------------------------------------- copying back


def test_all_that_was_written_comes_back_and_nothing_is_deleted(ran: House) -> None:
    assert ran.copy() == "3 files of run-1 copied into the workspace."
    assert ran.tree() == {
        "new.txt": "new\n",
        "old.txt": "second\n",
        "a/b/deep.bin": "\0" * 300,
        "gone.txt": "still here\n",
    }


def test_the_risk_depends_on_whether_a_file_would_be_replaced(ran: House) -> None:
    assert ran.call("copy_back", run="run-1", files=["new.txt"]).risk is Risk.CHANGE
    assert ran.call("copy_back", run="run-1", files=["old.txt"]).risk is Risk.DESTROY
    assert ran.call("copy_back", run="run-1").risk is Risk.DESTROY
    assert ran.call("copy_back", run="run-77").risk is Risk.DESTROY


def test_a_file_that_came_into_being_after_the_approval_is_not_replaced(ran: House) -> None:
    call = ran.call("copy_back", run="run-1", files=["new.txt"])
    (ran.root / "new.txt").write_text("of somebody else")
    with pytest.raises(CommandError, match="was created after this was approved"):
        ran.effect(call)


def test_a_file_that_changed_after_the_run_is_only_replaced_by_name(ran: House) -> None:
    (ran.root / "old.txt").write_text("changed by hand")
    with pytest.raises(CommandError, match="changed since the run; name it"):
        ran.copy()
    assert "new.txt" not in ran.tree()
    ran.copy(files=["old.txt"])
    assert ran.tree()["old.txt"] == "second\n"


def test_the_preview_shows_a_diff_new_text_and_what_is_binary(ran: House) -> None:
    shown = hooks.preview(ran.family, ran.call("copy_back", run="run-1"))
    assert "-first\n+second" in shown
    assert "new.txt: new file" in shown
    assert "a/b/deep.bin: a new file, binary, 300 bytes" in shown
    assert hooks.preview(ran.family, ran.call("copy_back", run="run-9")).startswith("This will fail: there is no run")


def test_the_preview_shows_a_text_with_escapes_as_data_has_them(house: House) -> None:
    """Only write_to_file refuses such a text, which a model may have copied. A program wrote this one."""
    assert house.run('open("page.txt", "w").write("&lt;system>\\nthe rest")').ok
    shown = hooks.preview(house.family, house.call("copy_back", run="run-1"))
    assert shown == "page.txt: new file, 20 bytes in 2 lines:\n&lt;system>\nthe rest"
    house.copy()
    assert house.tree()["page.txt"] == "&lt;system>\nthe rest"


@pytest.mark.parametrize(
    ("run", "why"),
    [
        ("run-9", "the runs are run-1"),
        *((run, "not the name of a run") for run in ("../undo", "", "run-1/../run-1")),
    ],
)
def test_only_a_run_can_be_copied(ran: House, run: str, why: str) -> None:
    with pytest.raises(CommandError, match=why):
        ran.effect(ran.call("copy_back", run=run))


@pytest.mark.parametrize(
    ("file", "why"),
    [
        ("other.txt", "wrote no file"),
        ("../old.txt", "wrote no file"),
        ("gone.txt", "was deleted in the copy"),
        ("\x1b[2J", "x1b"),
    ],
)
def test_only_what_the_run_wrote_can_be_copied(ran: House, file: str, why: str) -> None:
    with pytest.raises(CommandError, match=why):
        ran.copy(files=[file])


def test_traps_among_the_files_of_a_run_are_named_and_not_copied(house: House, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("of the person")
    said = house.run(
        "import os\n"
        "os.symlink('/etc/passwd', 'link'); os.symlink('..', 'folder')\n"
        "open('one', 'w').write('x'); os.link('one', 'two')\n"
        "open('s', 'w').write('x'); os.chmod('s', 0o4755)\n"
        "os.mkfifo('pipe'); open('good.txt', 'w').write('good')\n"
        "open('new\\nline', 'w').write('x')\n"
    )
    assert said.ok, said.text
    for expected in ("new link, 11 bytes (not kept: is a symlink)", "new one, 1 byte (not kept: has a second name"):
        assert expected in said.text
    assert "new 'new\\nline', 1 byte" in said.text
    for name in ("link", "folder", "one", "two", "pipe"):
        with pytest.raises(CommandError, match="cannot be copied back"):
            house.copy(files=[name])
    with pytest.raises(PathRefused):
        house.copy(files=["new\nline"])
    house.copy(files=["good.txt"])
    assert house.tree() == {"good.txt": "good"}
    assert (house.root / "good.txt").stat().st_mode & 0o7777 == 0o600


def test_a_symlink_laid_in_the_workspace_after_the_run_leads_nowhere(ran: House, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (ran.root / "a").symlink_to(tmp_path / "outside")
    with pytest.raises(PathRefused):
        ran.copy()
    (ran.root / "new.txt").symlink_to("old.txt")
    with pytest.raises(CommandError, match="same file"):
        ran.copy(files=["new.txt", "old.txt"])
    assert list((tmp_path / "outside").iterdir()) == []
    assert (ran.root / "old.txt").read_text() == "first\n"


def test_where_one_file_cannot_be_written_none_is(ran: House) -> None:
    (ran.root / "a").write_text("a file where a folder should be")
    with pytest.raises(CommandError):
        ran.copy()
    assert ran.tree() == {"old.txt": "first\n", "gone.txt": "still here\n", "a": "a file where a folder should be"}


def test_a_damaged_run_is_refused(ran: House) -> None:
    for path in (ran.session / "runs" / "run-1").iterdir():
        if path.name != "manifest.json":
            path.write_bytes(b"other")
    with pytest.raises(CommandError, match="gone or damaged"):
        ran.copy()
    (ran.session / "runs" / "run-1" / "manifest.json").write_text("{")
    with pytest.raises(CommandError, match="run a program first"):
        ran.copy()


# ---------------------------------------------------------------- kill -9 and undo


def test_undo_brings_every_file_back(ran: House) -> None:
    before = ran.tree()
    call = ran.call("copy_back", run="run-1")
    evidence = ran.evidence(call)
    ran.effect(call)
    said = ran.registry.undo("copy_back", evidence)
    assert said is not None
    assert "old.txt holds its 6 bytes as before" in said
    assert ran.tree() == before


@pytest.mark.parametrize("says", ["old.txt has changed since", "the undo copy of old.txt is gone or damaged"])
def test_undo_leaves_all_alone_where_one_file_cannot_be_brought_back(ran: House, says: str) -> None:
    call = ran.call("copy_back", run="run-1")
    evidence = ran.evidence(call)
    ran.effect(call)
    if "copy" in says:
        (ran.session / "undo" / sha256("first\n")).unlink()
    else:
        (ran.root / "old.txt").write_text("by hand")
    after = ran.tree()
    with pytest.raises(CommandError, match=says):
        hooks.undo(ran.family, evidence)
    assert ran.tree() == after


def test_a_copy_that_was_killed_is_settled_by_the_files(ran: House) -> None:
    call = ran.call("copy_back", run="run-1")
    evidence = ran.evidence(call)
    assert hooks.settle(ran.family, call, evidence).outcome == "not done"
    (ran.root / "new.txt").write_text("new\n")  # the first of three
    assert hooks.settle(ran.family, call, evidence).outcome == "not done"
    ran.effect(call)
    assert hooks.settle(ran.family, call, evidence).outcome == "done"
    (ran.root / "new.txt").write_text("by hand")
    assert hooks.settle(ran.family, call, evidence).outcome == "unknown"
    assert hooks.settle(ran.family, call, {}).outcome == "unknown"


def test_a_run_that_was_killed_is_done_with_its_manifest_and_else_unknown(ran: House) -> None:
    done = replace(ran.registry.bind("execute_python_file", {"file": "main.py"}), id="session:1")
    assert hooks.evidence(ran.family, done) == {}
    settled = hooks.settle(ran.family, done, {})
    assert settled.outcome == "done"
    assert "new new.txt, 4 bytes" in settled.text
    (ran.session / "runs" / "run-1" / "manifest.json").unlink()
    settled = hooks.settle(ran.family, done, {})
    assert settled.outcome == "unknown"
    assert "not run again" in settled.text


def test_a_million_lines_in_a_file_are_named_with_their_size(house: House) -> None:
    said = house.run("open('long.txt', 'w').write('line\\n' * 1_000_000)")
    assert "new long.txt, 5,000,000 bytes (not kept: is over 100,000 bytes)" in said.text
