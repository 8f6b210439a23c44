"""Running a Python file of the workspace in the sandbox, and copying back what it wrote once that is approved.

A program works on a copy. What it wrote is kept in the session's folder under the name of the run, `run-12`, with
`manifest.json` written last: where that stands, the run was whole.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import signal
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from autocraft.commands import showing
from autocraft.commands.background import Stop, in_thread
from autocraft.commands.copies import RUNS_MB
from autocraft.commands.files import FileCommands
from autocraft.commands.kept_runs import Kept, KeptRuns, text_of
from autocraft.commands.output import OutputReport
from autocraft.commands.python_source import Imports, check_readable, import_lines, imports_of
from autocraft.commands.workspace import Workspace
from autocraft.errors import CommandError, NoFile
from autocraft.protocols import Call, Json, Reach, Result, Risk, Settled, command, commands_of
from autocraft.sandbox.settings import CodeSettings
from autocraft.session.atomic import sha256
from autocraft.text.phrases import count

if TYPE_CHECKING:
    from autocraft.sandbox.child import ProgramExit
    from autocraft.sandbox.folder import RunFolder
    from autocraft.sandbox.start import Protection

_SHOWN_FILES = 50
_MOST_SHOWN = 1_000_000
"""Bytes of the texts that one question about copy_back shows; further ones are named by size and hash, as binaries."""
_MOST_ARGUMENTS = 64
_LONGEST_ARGUMENTS = 32_000


def _risk_of_copy(family: CodeCommands, run: str, files: list[str] = []) -> Risk:  # noqa: B006
    return family.risk_of_copy(run, files)


class CodeCommands:
    """The family of Python programs. `folder` is the session's folder of runs; it takes up to `runs_mb` megabytes."""

    family = "code"

    def __init__(
        self,
        files: FileCommands,
        folder: Path,
        settings: CodeSettings,
        *,
        sync: bool = False,
        runs_mb: float = RUNS_MB,
    ) -> None:
        self.files = files
        self.workspace = files.workspace
        self.settings = settings
        self.runs = KeptRuns(folder, runs_mb)
        self._sync = sync

    # ------------------------------------------------------------ commands

    @command(help="Run a Python file of the workspace on a copy of it", risk=Risk.DESTROY, cancellable=True)
    async def execute_python_file(self, call: Call, file: str, args: list[str] = []) -> Result:  # noqa: B006
        self._program(file, args)
        from autocraft.sandbox import child, folder

        protection = await asyncio.to_thread(self._protection)
        await in_thread(lambda _: folder.sweep())
        private = folder.RunFolder(self.settings)
        try:
            left_out = await in_thread(partial(self._fill, private))
            name = self.workspace.name_of(self.workspace.resolve(file))
            if call.fingerprint and await self._fingerprint_in_folder(private, file) != call.fingerprint:
                raise CommandError(f"{file} has changed since it was shown; propose the command again")
            with OutputReport(call) as output:
                outcome = await child.run(protection, private, [name, *args], self.settings, output.add)
            return await self._store(call, private, outcome, protection, left_out)
        finally:
            await in_thread(lambda _: private.remove())

    @command(help="Copy files that a run wrote into the workspace (files empty: all of them)", risk=_risk_of_copy)
    async def copy_back(self, call: Call, run: str, files: list[str] = []) -> str:  # noqa: B006
        chosen = self._chosen(run, files)
        if call.risk < Risk.DESTROY and self.risk_of_copy(run, files) is Risk.DESTROY:
            raise CommandError("a file has come into being since this was approved; propose the command again")
        changes = [(path, self.workspace.read(path), self.runs.data(run, kept)) for path, kept in chosen]
        for (_, old, _), (_, kept) in zip(changes, chosen, strict=True):
            self._check_unchanged(old, kept, named=bool(files))
            if old is not None:
                self.files.copies.keep(old)
        self._write_all(changes)
        return _copied(len(chosen), run)

    def _write_all(self, changes: list[tuple[Path, bytes | None, bytes]]) -> None:
        """Write all files (path, bytes before, bytes after), or, where one cannot be written, none."""
        done = 0
        try:
            for path, _, new in changes:
                self.workspace.write(path, new, sync=self._sync)
                done += 1
        except CommandError:
            for path, old, _ in changes[:done]:
                if old is None:
                    self.workspace.remove(path)
                else:
                    self.workspace.write(path, old)
            raise

    def risk_of_copy(self, run: str, files: list[str]) -> Risk:
        """Destroy where a file of the workspace would be replaced; what is refused anyway counts as such."""
        try:
            found = any(self.workspace.stat(path) is not None for path, _ in self._chosen(run, files))
        except CommandError:
            return Risk.DESTROY
        return Risk.DESTROY if found else Risk.CHANGE

    # ------------------------------------------------------------ one run

    def _protection(self) -> Protection:
        if os.name == "nt":
            raise CommandError("programs are not run on Windows, which has none of the limits; run it yourself")
        from autocraft.sandbox import protection

        return protection.find(self.settings)

    def _program(self, file: str, args: list[str]) -> bytes:
        """Return the bytes of the file. Raises CommandError if it or its arguments cannot be run."""
        path = self.workspace.resolve(file)
        if path.suffix != ".py":
            raise CommandError(f"{file} is no Python file; only files that end in .py are run")
        data = self.workspace.read(path)
        if data is None:
            raise NoFile(file)
        check_readable(file, data)
        if len(args) > _MOST_ARGUMENTS or sum(map(len, args)) > _LONGEST_ARGUMENTS:
            raise CommandError(f"too many arguments: at most {_MOST_ARGUMENTS}, {_LONGEST_ARGUMENTS:,} characters")
        if any("\0" in each for each in args):
            raise CommandError("an argument holds a zero character; leave it out")
        return data

    def _imports(self, workspace: Workspace, file: str, check: Callable[[], None] = lambda: None) -> Imports:
        """The program and what it imports, as they lie in the workspace or in a copy of it. Raises CommandError."""
        name = self.workspace.name_of(self.workspace.resolve(file))
        return imports_of(workspace, name, workspace.read(workspace.root / name) or b"", check)

    async def _fingerprint_in_folder(self, private: RunFolder, file: str) -> str:
        """The fingerprint of the program and what it imports, as they lie in the copy that will run."""
        return (await in_thread(lambda stop: self._imports(Workspace(private.work), file, stop.check))).fingerprint

    def _fill(self, private: RunFolder, stop: Stop) -> int:
        """Copy the workspace; returns how many files were left out (symlinks, devices, too large ones)."""
        left_out = 0
        for path in self.workspace.files():
            stop.check()
            try:
                data = None if path.is_symlink() else self.workspace.read(path)
            except CommandError:
                data = None
            if data is None:
                left_out += 1
                continue
            private.put(self.workspace.name_of(path), data)
        return left_out

    async def _store(
        self, call: Call, private: RunFolder, outcome: ProgramExit, protection: Protection, left_out: int
    ) -> Result:
        """Put what the program wrote aside, and say how it went. Cancelled, it keeps nothing."""
        run = _run_of(call)
        try:
            return await self._store_files(run, private, outcome, protection, left_out)
        except BaseException:
            await in_thread(lambda _: self.runs.discard(run))
            raise

    async def _store_files(
        self, run: str, private: RunFolder, outcome: ProgramExit, protection: Protection, left_out: int
    ) -> Result:
        lines = [_ending(outcome), protection.in_words]
        if left_out:
            lines.append(f"Not copied from the workspace: {left_out:,} symlinks, special or too large files.")
        kept: list[Kept] = []
        if outcome.disk:
            lines.append("Nothing that it wrote was kept.")
        else:
            changes = private.changes(self.workspace.caps.max_bytes)
            kept = await in_thread(lambda stop: self.runs.take(run, changes, stop.check))
            await asyncio.to_thread(self.runs.sync, run)
            lines += _file_rows(run, kept)
        # What the program printed comes last, so that it cannot forge a line of ours.
        lines += [_printed("stdout", outcome.stdout, private), _printed("stderr", outcome.stderr, private)]
        text = "\n".join(lines)
        ok = outcome.code == 0
        await in_thread(lambda _: self.runs.finish(run, kept, {"text": text, "ok": ok}))
        return Result(text, ok=ok)

    # ------------------------------------------------------------ copying back

    def _chosen(self, run: str, files: list[str]) -> list[tuple[Path, Kept]]:
        """What is to be copied, with where it goes. Raises CommandError for what was not kept."""
        kept = {each.name: each for each in self.runs.read(run)}
        names = list(dict.fromkeys(files)) or [each.name for each in kept.values() if each.sha256]
        chosen: list[tuple[Path, Kept]] = []
        for name in names:
            if name not in kept:
                raise CommandError(f"{run} wrote no file {_one_line(name)}; it wrote {_some(list(kept))}")
            if not kept[name].sha256:
                why = kept[name].why or "was deleted in the copy (delete_file deletes it here)"
                raise CommandError(f"{_one_line(name)} {why}, so it cannot be copied back; leave it out")
            path = self.workspace.resolve(name)
            self.workspace.check_writable(path)
            if any(path == other for other, _ in chosen):
                raise CommandError(f"{_one_line(name)} is the same file as another one of the list; name only one")
            chosen.append((path, kept[name]))
        if not chosen:
            raise CommandError(f"{run} wrote no file that was kept; there is nothing to copy back")
        return chosen

    def _check_unchanged(self, old: bytes | None, kept: Kept, *, named: bool) -> None:
        """A file that has changed since the program saw it is only replaced where it was named."""
        now = "" if old is None else sha256(old)
        if not named and now not in (kept.before, kept.sha256):
            raise CommandError(f"{_one_line(kept.name)} has changed since the run; name it in files to replace it")

    # ------------------------------------------------------------ the kill -9 protocol

    @execute_python_file.reach
    def _reach_of_run(self, call: Call) -> Reach:
        """Return all files, of which the program sees a copy."""
        return Reach(self.files.reach(call).args, self.workspace.names())

    @copy_back.reach
    def _reach_of_copy(self, call: Call) -> Reach:
        """Return the files that would be copied back."""
        names = [self.workspace.name_of(path) for path, _ in self._chosen(call.args["run"], call.args["files"])]
        return Reach({**call.args, "files": names}, tuple(names))

    @execute_python_file.fingerprint
    def _fingerprint_of_run(self, call: Call) -> str:
        """Hash the program with what it imports. Raises CommandError for a call that is refused."""
        self._program(call.args["file"], call.args["args"])
        return self._imports(self.workspace, call.args["file"]).fingerprint

    @copy_back.fingerprint
    def _fingerprint_of_copy(self, call: Call) -> str:
        """Hash what would be copied back and what it would replace. Raises CommandError for a call that is refused."""
        seen = []
        for path, kept in self._chosen(call.args["run"], call.args["files"]):
            old = self.workspace.read(path)
            seen.append(f"{kept.name}\0{kept.sha256}\0{'' if old is None else sha256(old)}")
        return sha256("\n".join(seen).encode("utf-8", "replace"))

    @execute_python_file.evidence
    def _evidence_of_run(self, call: Call) -> Json:
        """Nothing, since a run is known by its call's id. Raises CommandError where there is no room for one."""
        self.runs.check_room()
        return {}

    @copy_back.evidence
    def _evidence_of_copy(self, call: Call) -> Json:
        """Hashes before and after, as `files.py` has them."""
        seen = []
        for path, kept in self._chosen(call.args["run"], call.args["files"]):
            old, found = self.workspace.read(path), self.workspace.stat(path)
            each: Json = {"do": "write_to_file", "file": self.workspace.name_of(path), "before": None, "size": 0}
            if old is not None and found is not None:
                each |= {"before": sha256(old), "size": len(old), "mode": found.st_mode & 0o7777}
                each["kept"] = self.files.copies.keep(old)
            seen.append(each | {"after": kept.sha256})
        return {"do": call.name, "files": seen}

    @copy_back.settle
    def _settle_copy(self, call: Call, evidence: Json) -> Settled:
        """Copies are repeated, which changes nothing twice."""
        if evidence.get("do") != call.name:
            return Settled("unknown", f"nothing was recorded about {call.name}; look at the files")
        states = {self._state_of(each) for each in evidence["files"]}
        if states == {"after"}:
            return Settled("done", _copied(len(evidence["files"]), call.args["run"]))
        if "other" in states:
            return Settled("unknown", "a file is neither as before nor as the run left it; look at the files")
        return Settled("not done")

    @execute_python_file.settle
    def _settle_run(self, call: Call, evidence: Json) -> Settled:
        """A run is done if its manifest stands, else nobody can tell."""
        if os.name != "nt":
            from autocraft.sandbox import folder

            folder.sweep()
        said = self.runs.said(_run_of(call))
        if said is not None:
            return Settled("done", str(said["text"]))
        return Settled("unknown", "Nothing that the program wrote was copied into the workspace; it is not run again.")

    def _state_of(self, evidence: Json) -> str:
        path = self.workspace.resolve(evidence["file"])
        self.workspace.drop_leftovers(path)
        data = self.workspace.read(path)
        now = None if data is None else sha256(data)
        return "after" if now == evidence["after"] else "before" if now == evidence["before"] else "other"

    @copy_back.undo
    def _undo_copy(self, call: Call | None, evidence: Json) -> str:
        """Bring back what was there before a copy; all files or none. Raises CommandError where one has changed."""
        for each in evidence["files"]:
            if self._state_of(each) == "other":
                raise CommandError(f"{each['file']} has changed since, so all files are left alone; settle it by hand")
        return " ".join(self.files.undo_change(call, each) for each in evidence["files"])

    # ------------------------------------------------------------ what the person sees

    @execute_python_file.preview
    @showing.or_refusal
    def _preview_run(self, call: Call) -> str:
        """The program and its protection."""
        program = self._program(call.args["file"], call.args["args"])
        rows = showing.rows(program.decode("utf-8-sig"), showing.PYTHON)
        imports = import_lines(self._imports(self.workspace, call.args["file"]))
        return "\n".join([self._protection().in_words, *imports, f"{count(len(rows), 'line')}:", *rows])

    @copy_back.preview
    @showing.or_refusal
    def _preview_copy(self, call: Call) -> str:
        """What copying would change."""
        run = call.args["run"]
        write = next(each for each in commands_of(self.files) if each.name == "write_to_file")
        parts, room = [], _MOST_SHOWN
        for path, kept in self._chosen(run, call.args["files"]):
            old = self.workspace.read(path)
            self._check_unchanged(old, kept, named=bool(call.args["files"]))
            data = self.runs.data(run, kept)
            text = text_of(data)
            if text is None or len(data) > room:
                was = "a new file" if old is None else f"replaces {len(old):,} bytes"
                what = "binary" if text is None else "text, too long to show here"
                shown = f"{was}, {what}, {count(len(data), 'byte')}, sha256 {kept.sha256}"
            else:
                room -= len(data)
                shown = self.files.preview_write(Call(write, {"file": kept.name, "text": text}, call.risk))
            parts.append(f"{_one_line(kept.name)}: {shown}")
        return "\n".join(parts)


def _run_of(call: Call) -> str:
    """``run-57`` for the call of the id ``session:57``."""
    number = call.id.rpartition(":")[2]
    return f"run-{number if number.isdigit() else secrets.token_hex(4)}"


def _ending(outcome: ProgramExit) -> str:
    after = f"after {outcome.seconds:.1f} s"
    if outcome.limit:
        return f"Stopped {after} by {outcome.limit}."
    left = f" {outcome.survivors} processes that it left behind were ended." if outcome.survivors else ""
    if outcome.signal is not None:
        names = {int(each): each.name for each in signal.Signals}
        return f"Killed {after} by the signal {names.get(outcome.signal, outcome.signal)}.{left}"
    return f"Exit code {outcome.code} {after}.{left}"


def _printed(name: str, text: str, private: RunFolder) -> str:
    text = text.replace(str(private.work), "/workspace")
    return f"{name}:\n{text.rstrip()}" if text.strip() else f"{name}: empty"


def _file_rows(run: str, kept: list[Kept]) -> list[str]:
    if not kept:
        return ["Files: none written."]
    lines = [f"Files, in the copy only; copy_back with run {run} brings them into the workspace:"]
    for each in kept[:_SHOWN_FILES]:
        why = f" (not kept: {each.why})" if each.why else ""
        size = "" if each.kind == "deleted" else f", {each.size:,} byte{'' if each.size == 1 else 's'}"
        lines.append(f"  {each.kind} {_one_line(each.name)}{size}{why}")
    if more := kept[_SHOWN_FILES:]:
        lost = sum(bool(each.why) for each in more)
        lines.append(f"  [{len(more):,} more files are not shown{f', {lost:,} of them not kept' if lost else ''}.]")
    return lines


def _copied(number: int, run: str) -> str:
    return f"{count(number, 'file')} of {run} copied into the workspace."


def _one_line(name: str) -> str:
    shown = name if name.isprintable() else ascii(name)
    return shown if len(shown) <= 200 else f"{shown[:197]}..."


def _some(names: list[str]) -> str:
    return ", ".join(map(_one_line, names[:5])) + (" and more" if len(names) > 5 else "") or "none"
