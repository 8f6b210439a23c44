"""Ctrl-C is answered while autocraft does long work of its own: a diff, keeping files, the digest at the end."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Place, kinds
from tests.waiting import until

MANY = 10_000
WRITES = f"""
for number in range({MANY}):
    with open(f"{{number}}.txt", "w") as file: file.write(str(number))
"""


def processor_seconds(pid: int) -> float:
    """How long a process has had a processor: its work, however busy the machine is."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def started(
    place: Place, terminal: Callable[..., Any], *answers: Any, arguments: tuple[str, ...] = (), **env: str
) -> Any:
    script = place.script(*answers)
    goal = ("--goal", "craft 1 stick", "--inventory", "oak_log=1")
    return terminal("run", "--brain", "scripted", "--script", script, *goal, *arguments, **env)


@pytest.mark.full
def test_ctrl_c_while_ten_thousand_files_are_kept(place: Place, terminal: Callable[..., Any]) -> None:
    (place.folder / "workspace").mkdir()
    (place.folder / "workspace" / "main.py").write_text(WRITES)
    limits: dict[str, Any] = {
        "AUTOCRAFT_CODE_FILES": "20000",
        "AUTOCRAFT_CODE_SECONDS": "300",
        "AUTOCRAFT_CODE_PROTECTION": "none",
    }
    child = started(place, terminal, ("execute_python_file", {"file": "main.py"}), **limits)
    child.expect("Input:", timeout=60)
    child.sendline("y")
    until(lambda: kinds(place.events(), "intent"))
    runs = place.state / "sessions" / place.session() / "runs"
    [run] = until(lambda: list(runs.glob("run-*")))
    child.send("\x03")
    before = processor_seconds(child.pid)
    child.expect("Paused", timeout=60)
    took = processor_seconds(child.pid) - before
    [result] = kinds(place.events(), "result")
    assert result["text"] == "Interrupted before it was done.", "the question came while files were still to be kept"
    assert not run.exists(), "what was kept by halves is gone"
    assert took < 1, f"it worked on for {took:.1f} s"
    child.expect("Input:", timeout=60)
    child.sendline("n")
    child.expect("Resume with", timeout=60)


def test_a_thousand_files_are_kept_with_a_handful_of_syncs(tmp_path: Path) -> None:
    """Each was synced twice, which took 10 ms and more on many disks."""
    from autocraft.commands.run_store import OutputStore
    from autocraft.sandbox.folder import FileChange

    runs, synced, real = OutputStore(tmp_path / "runs"), [], os.fsync
    os.fsync = lambda file: (synced.append(file), real(file))[1]  # type: ignore[assignment, func-returns-value]
    try:
        kept = runs.take("run-1", (FileChange(f"{n}", "new", 1, str(n).encode()) for n in range(1_000)))
        runs.finish("run-1", kept, {"text": "", "ok": True})
    finally:
        os.fsync = real
    assert len(synced) <= 4 and len(kept) == 1_000
    assert runs.data("run-1", runs.read("run-1")[500]) == runs.read("run-1")[500].name.encode()


def test_ctrl_c_during_a_diff_of_twenty_thousand_lines(place: Place, terminal: Callable[..., Any]) -> None:
    (place.folder / "workspace").mkdir()
    old, new = "x\n" * 20_000, "x\ny\n" * 99
    (place.folder / "workspace" / "a.txt").write_text(old)
    child = started(place, terminal, ("write_to_file", {"file": "a.txt", "text": new}))
    until(lambda: kinds(place.events(), "reply"))
    child.send("\x03")
    before = processor_seconds(child.pid)
    child.expect("Paused", timeout=60)
    assert processor_seconds(child.pid) - before < 4, "difflib takes from 8 seconds on"
    child.expect("Input:", timeout=60)
    child.sendline("n")
    child.expect("Resume with", timeout=60)


@pytest.mark.full
def test_ctrl_c_at_the_end_leaves_the_digest_out(place: Place, terminal: Callable[..., Any]) -> None:
    """A workspace of many files: the end event is written without their digest."""
    for number in range(400):
        folder = place.folder / "workspace" / f"{number}"
        folder.mkdir(parents=True)
        for name in range(50):
            (folder / f"{name}.txt").touch()
    child = started(place, terminal, ("task_complete", {}), arguments=("--max-steps", "1", "--continuous"))
    until(lambda: kinds(place.events(), "limit"))
    child.send("\x03")
    child.expect("Resume with", timeout=60)
    notes = [event["text"] for event in kinds(place.events(), "note")]
    assert any("was stopped before it was done" in note for note in notes), notes
    assert len(kinds(place.events(), "end")) == 1
