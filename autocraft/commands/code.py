"""Commands that run a Python file of the workspace in the sandbox and, once approved, copy back what it wrote.

A program works on a copy. The files that it wrote are stored in the session's folder under the name of the run,
`run-12`. `manifest.json` is written last: a run is complete if it exists.
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
from autocraft.commands.kept_runs import Kept, KeptRuns
from autocraft.commands.python_source import Imports, check_readable, import_lines, imports_of
from autocraft.commands.workspace import Workspace
from autocraft.errors import CommandError
from autocraft.protocols import Call, Json, Reach, Result, Risk, Settled, command, commands_of
from autocraft.sandbox.settings import CodeSettings
from autocraft.session.atomic import sha256
from autocraft.text.phrases import beginning, count

if TYPE_CHECKING:
    from autocraft.sandbox.child import ProgramExit
    from autocraft.sandbox.folder import RunFolder
    from autocraft.sandbox.start import Protection

_SHOWN_FILES = 50
_MOST_SHOWN = 1_000_000
"""Most bytes of text that one question about copy_back shows. Further texts are named by size and hash, like
binaries."""
_MOST_ARGUMENTS = 64
_LONGEST_ARGUMENTS = 32_000


def _risk_of_copy(family: CodeCommands, run: str, files: list[str] = []) -> Risk:  # noqa: B006
    return family.risk_of_copy(run, files)


class CodeCommands:
    """The commands for Python programs. `folder` is the session's folder of runs, which takes up to `runs_mb`
    megabytes."""

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
            if call.fingerprint and await self._fingerprint_of_copy(private, file) != call.fingerprint:
                raise CommandError(f"{file} has changed since it was shown; propose the command again")
            outcome = await child.run(protection, private, [name, *args], self.settings)
            return await self._store(call, private, outcome, protection, left_out)
        finally:
            await in_thread(lambda _: private.remove())

    @command(help="Copy files that a run wrote into the workspace (files empty: all of them)", risk=_risk_of_copy)
    async def copy_back(self, call: Call, run: str, files: list[str] = []) -> str:  # noqa: B006
        chosen = self._chosen(run, files)
        if call.risk < Risk.DESTROY and self.risk_of_copy(run, files) is Risk.DESTROY:
            raise CommandError("a file has come into being since this was approved; propose the command again")
        changes = [(path, self.workspace.read(path), self.runs.data(run, written)) for path, written in chosen]
        for (_, old, _), (_, written) in zip(changes, chosen, strict=True):
            self._check_unchanged(old, written, named=bool(files))
            if old is not None:
                self.files.copies.keep(old)
        self._write_all(changes)
        return _copied(len(chosen), run)

    def _write_all(self, changes: list[tuple[Path, bytes | None, bytes]]) -> None:
        """Write all files (path, bytes before, bytes after). If one cannot be written, write none."""
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
        """Return DESTROY if a file of the workspace would be replaced, or if the call will be refused anyway; else
        CHANGE."""
        try:
            replaces = any(self.workspace.stat(path) is not None for path, _ in self._chosen(run, files))
        except CommandError:
            return Risk.DESTROY
        return Risk.DESTROY if replaces else Risk.CHANGE

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
            raise CommandError(f"there is no file {file} in the workspace; list_files lists what there is")
        check_readable(file, data)
        if len(args) > _MOST_ARGUMENTS or sum(map(len, args)) > _LONGEST_ARGUMENTS:
            raise CommandError(f"too many arguments: at most {_MOST_ARGUMENTS}, {_LONGEST_ARGUMENTS:,} characters")
        if any("\0" in argument for argument in args):
            raise CommandError("an argument holds a zero character; leave it out")
        return data

    def _imports(self, workspace: Workspace, file: str, check: Callable[[], None] = lambda: None) -> Imports:
        """Return the program and its imports, as they are in the workspace or in a copy of it. Raises CommandError."""
        name = self.workspace.name_of(self.workspace.resolve(file))
        return imports_of(workspace, name, workspace.read(workspace.root / name) or b"", check)

    async def _fingerprint_of_copy(self, private: RunFolder, file: str) -> str:
        """Return the fingerprint of the program and its imports in the copy that will run."""
        return (await in_thread(lambda stop: self._imports(Workspace(private.work), file, stop.check))).fingerprint

    def _fill(self, private: RunFolder, stop: Stop) -> int:
        """Copy the workspace. Return how many files were left out (symlinks, devices, too large ones)."""
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
        """Store what the program wrote, and return its report. If cancelled, store nothing."""
        run = _run_of(call)
        try:
            return await self._store_files(run, private, outcome, protection, left_out)
        except BaseException:
            await in_thread(lambda _: self.runs.discard(run))
            raise

    async def _store_files(
        self, run: str, private: RunFolder, outcome: ProgramExit, protection: Protection, left_out: int
    ) -> Result:
        lines = [_ending_of(outcome), protection.in_words]
        if left_out:
            lines.append(f"Not copied from the workspace: {left_out:,} symlinks, special or too large files.")
        files: list[Kept] = []
        if outcome.disk:
            lines.append("Nothing that it wrote was kept.")
        else:
            changes = private.changes(self.workspace.caps.max_bytes)
            files = await in_thread(lambda stop: self.runs.take(run, changes, stop.check))
            await asyncio.to_thread(self.runs.sync, run)
            lines += _file_rows(run, files)
        # The program's output comes last, so that it cannot forge one of these lines.
        lines += [_printed("stdout", outcome.stdout, private), _printed("stderr", outcome.stderr, private)]
        text = "\n".join(lines)
        ok = outcome.code == 0
        await in_thread(lambda _: self.runs.finish(run, files, {"text": text, "ok": ok}))
        return Result(text, ok=ok)

    # ------------------------------------------------------------ copying back

    def _chosen(self, run: str, files: list[str]) -> list[tuple[Path, Kept]]:
        """Return the files to copy back, with their targets. Raises CommandError for a file that was not stored."""
        written = {file.name: file for file in self.runs.read(run)}
        names = list(dict.fromkeys(files)) or [file.name for file in written.values() if file.sha256]
        chosen: list[tuple[Path, Kept]] = []
        for name in names:
            if name not in written:
                raise CommandError(f"{run} wrote no file {_one_line(name)}; it wrote {_some(list(written))}")
            if not written[name].sha256:
                why = written[name].why or "was deleted in the copy (delete_file deletes it here)"
                raise CommandError(f"{_one_line(name)} {why}, so it cannot be copied back; leave it out")
            path = self.workspace.resolve(name)
            self.workspace.check_writable(path)
            if any(path == other for other, _ in chosen):
                raise CommandError(f"{_one_line(name)} is the same file as another one of the list; name only one")
            chosen.append((path, written[name]))
        if not chosen:
            raise CommandError(f"{run} wrote no file that was kept; there is nothing to copy back")
        return chosen

    def _check_unchanged(self, old: bytes | None, written: Kept, *, named: bool) -> None:
        """Raises CommandError if a file has changed since the program saw it, unless the call names it."""
        now = "" if old is None else sha256(old)
        if not named and now not in (written.before, written.sha256):
            raise CommandError(f"{_one_line(written.name)} has changed since the run; name it in files to replace it")

    # ------------------------------------------------------------ the kill -9 protocol

    def reach(self, call: Call) -> Reach:
        """Return the files that would be copied back. For a program, which sees a copy of them, return all files."""
        if call.name == "execute_python_file":
            program_reach = self.files.reach(call)
            return Reach(program_reach.args, self.workspace.names())
        names = [self.workspace.name_of(path) for path, _ in self._chosen(call.args["run"], call.args["files"])]
        return Reach({**call.args, "files": names}, tuple(names))

    def fingerprint(self, call: Call) -> str:
        """Hash the program with what it imports, or what would be copied back and what it would replace.

        Raises CommandError for a call that is refused.
        """
        if call.name == "execute_python_file":
            self._program(call.args["file"], call.args["args"])
            return self._imports(self.workspace, call.args["file"]).fingerprint
        rows = []
        for path, written in self._chosen(call.args["run"], call.args["files"]):
            old = self.workspace.read(path)
            rows.append(f"{written.name}\0{written.sha256}\0{'' if old is None else sha256(old)}")
        return sha256("\n".join(rows))

    def evidence(self, call: Call) -> Json:
        """Return, for copy_back, hashes before and after in the form of `files.py`. A run needs none: its id is the
        call's."""
        if call.name == "execute_python_file":
            self.runs.check_room()
            return {}
        records = []
        for path, written in self._chosen(call.args["run"], call.args["files"]):
            old, status = self.workspace.read(path), self.workspace.stat(path)
            record: Json = {"do": "write_to_file", "file": self.workspace.name_of(path), "before": None, "size": 0}
            if old is not None and status is not None:
                record |= {"before": sha256(old), "size": len(old), "mode": status.st_mode & 0o7777}
                record["kept"] = self.files.copies.keep(old)
            records.append(record | {"after": written.sha256})
        return {"do": call.name, "files": records}

    def settle(self, call: Call, evidence: Json) -> Settled:
        """Return `done` for a run with a manifest, else `unknown`. Copies are repeated, which changes nothing twice."""
        if call.name == "execute_python_file":
            return self._settle_run(_run_of(call))
        if evidence.get("do") != call.name:
            return Settled("unknown", f"nothing was recorded about {call.name}; look at the files")
        states = {self._state_of(record) for record in evidence["files"]}
        if states == {"after"}:
            return Settled("done", _copied(len(evidence["files"]), call.args["run"]))
        if "other" in states:
            return Settled("unknown", "a file is neither as before nor as the run left it; look at the files")
        return Settled("not done")

    def _settle_run(self, run: str) -> Settled:
        if os.name != "nt":
            from autocraft.sandbox import folder

            folder.sweep()
        report = self.runs.said(run)
        if report is not None:
            return Settled("done", str(report["text"]))
        return Settled("unknown", "Nothing that the program wrote was copied into the workspace; it is not run again.")

    def _state_of(self, evidence: Json) -> str:
        path = self.workspace.resolve(evidence["file"])
        self.workspace.drop_leftovers(path)
        data = self.workspace.read(path)
        now = None if data is None else sha256(data)
        return "after" if now == evidence["after"] else "before" if now == evidence["before"] else "other"

    def undo(self, evidence: Json) -> str:
        """Restore what was there before a copy, all files or none. Raises CommandError if one has changed since."""
        for record in evidence["files"]:
            if self._state_of(record) == "other":
                raise CommandError(
                    f"{record['file']} has changed since, so all files are left alone; settle it by hand"
                )
        return " ".join(self.files.undo(record) for record in evidence["files"])

    # ------------------------------------------------------------ what the person sees

    def preview(self, call: Call) -> str:
        """Return the program and its protection, or what copying would change. A refusal is text, not an exception."""
        try:
            if call.name == "copy_back":
                return self._preview_copy(call)
            return self._preview_run(call)
        except CommandError as error:
            return f"This will fail: {error}"

    def _preview_run(self, call: Call) -> str:
        program = self._program(call.args["file"], call.args["args"])
        rows = showing.rows(program.decode("utf-8-sig"), showing.PYTHON)
        imports = import_lines(self._imports(self.workspace, call.args["file"]))
        return "\n".join([self._protection().in_words, *imports, f"{count(len(rows), 'line')}:", *rows])

    def _preview_copy(self, call: Call) -> str:
        run = call.args["run"]
        write = next(candidate for candidate in commands_of(self.files) if candidate.name == "write_to_file")
        parts, budget = [], _MOST_SHOWN
        for path, written in self._chosen(run, call.args["files"]):
            old = self.workspace.read(path)
            self._check_unchanged(old, written, named=bool(call.args["files"]))
            data = self.runs.data(run, written)
            text = _text_of(data)
            if text is None or len(data) > budget:
                change = "a new file" if old is None else f"replaces {len(old):,} bytes"
                what = "binary" if text is None else "text, too long to show here"
                entry = f"{change}, {what}, {count(len(data), 'byte')}, sha256 {written.sha256}"
            else:
                budget -= len(data)
                entry = self.files.preview(Call(write, {"file": written.name, "text": text}, call.risk))
            parts.append(f"{_one_line(written.name)}: {entry}")
        return "\n".join(parts)


def _text_of(data: bytes) -> str | None:
    """Return the data as text. Return None if it is binary."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else text


def _run_of(call: Call) -> str:
    """Return the name of a call's run: ``run-57`` for the id ``session:57``."""
    number = call.id.rpartition(":")[2]
    return f"run-{number if number.isdigit() else secrets.token_hex(4)}"


def _ending_of(outcome: ProgramExit) -> str:
    after = f"after {outcome.seconds:.1f} s"
    if outcome.limit:
        return f"Stopped {after} by {outcome.limit}."
    note = f" {outcome.survivors} processes that it left behind were ended." if outcome.survivors else ""
    if outcome.signal is not None:
        names = {int(number): number.name for number in signal.Signals}
        return f"Killed {after} by the signal {names.get(outcome.signal, outcome.signal)}.{note}"
    return f"Exit code {outcome.code} {after}.{note}"


def _printed(name: str, text: str, private: RunFolder) -> str:
    text = text.replace(str(private.work), "/workspace")
    return f"{name}:\n{text.rstrip()}" if text.strip() else f"{name}: empty"


def _file_rows(run: str, files: list[Kept]) -> list[str]:
    if not files:
        return ["Files: none written."]
    lines = [f"Files, in the copy only; copy_back with run {run} brings them into the workspace:"]
    for file in files[:_SHOWN_FILES]:
        why = f" (not kept: {file.why})" if file.why else ""
        size = "" if file.kind == "deleted" else f", {count(file.size, 'byte')}"
        lines.append(f"  {file.kind} {_one_line(file.name)}{size}{why}")
    if more := files[_SHOWN_FILES:]:
        missing = sum(bool(file.why) for file in more)
        missing_note = f", {missing:,} of them not kept" if missing else ""
        lines.append(f"  [{len(more):,} more files are not shown{missing_note}.]")
    return lines


def _copied(number: int, run: str) -> str:
    return f"{count(number, 'file')} of {run} copied into the workspace."


def _one_line(name: str) -> str:
    return beginning(showing.one_line(name), 200)


def _some(names: list[str]) -> str:
    return ", ".join(map(_one_line, names[:5])) + (" and more" if len(names) > 5 else "") or "none"
