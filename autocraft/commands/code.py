"""Runs a Python file of the workspace in the sandbox, and copies back what it wrote after that is approved.

A program works on a copy of the workspace. The files that it wrote are stored in the session's folder under the name of
the run, such as `run-12`. `manifest.json` is written last, so a run with a manifest is complete.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import signal
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from autocraft.commands import previews
from autocraft.commands.background import in_thread
from autocraft.commands.coding import PLAIN, decode
from autocraft.commands.copies import RUNS_MB
from autocraft.commands.files import FileCommands
from autocraft.commands.output import OutputReport
from autocraft.commands.python_source import check_readable, module_lines
from autocraft.commands.run_store import OutputStore, StoredFile
from autocraft.errors import CommandError, NoFile
from autocraft.protocols import Call, Json, Reach, Result, Risk, Settled, command
from autocraft.sandbox.settings import CodeSettings
from autocraft.session.atomic import sha256
from autocraft.text.phrases import RUNS_PROGRAM, UNDOABLE, beginning, count, some_of

if TYPE_CHECKING:
    from autocraft.sandbox.child import ProgramExit
    from autocraft.sandbox.folder import CopiedFiles, SandboxFolder
    from autocraft.sandbox.start import Protection

_MOST_ROWS = 50
"""Most files that the result of a run lists."""
_MOST_SHOWN = 1_000_000
"""Most bytes of texts in one preview of copy_back. Further texts are shown as size and hash, as binaries are."""
_MOST_COMPARED = 6_000
"""Most lines of both sides that one preview of copy_back compares after its first file."""
_MOST_ARGUMENTS = 64
_LONGEST_ARGUMENTS = 32_000


class CodeCommands:
    """The family of Python programs. `folder` is the session's folder of runs, with up to `runs_mb` megabytes."""

    family = "code"

    def __init__(
        self, files: FileCommands, folder: Path, settings: CodeSettings, *, sync: bool = False, runs_mb: float = RUNS_MB
    ) -> None:
        self.files = files
        self.workspace = files.workspace
        self.settings = settings
        self.runs = OutputStore(folder, runs_mb)
        self.commands_off = {"execute_python_file": settings.off_by} if settings.off_by else {}
        self._sync = sync

    @command(help="Run a Python file of the workspace on a copy of it", risk=Risk.DESTROY, cancellable=True)
    async def execute_python_file(self, call: Call, file: str, args: list[str] = []) -> Result:  # noqa: B006
        self._program(file, args)
        from autocraft.sandbox import child, folder

        protection = await asyncio.to_thread(self._protection)
        await in_thread(lambda _: folder.sweep())
        private = folder.SandboxFolder(self.settings)
        try:
            misses = await in_thread(lambda stop: self._copy(private.put, stop.check))
            if call.fingerprint not in ("", private.copied.fingerprint):
                raise CommandError(f"{file} or a file beside it has changed since it was shown; propose it again")
            name = self.workspace.name_of(self.workspace.resolve(file))
            with OutputReport(call) as output:
                outcome = await child.run(protection, private, [name, *args], self.settings, output.add)
            return await self._store(call, private, outcome, [protection.in_words, *misses])
        finally:
            await in_thread(lambda _: private.remove())

    @command(help="Copy files that a run wrote into the workspace (files empty: all files)", risk=Risk.DESTROY)
    async def copy_back(self, call: Call, run: str, files: list[str] = []) -> str:  # noqa: B006
        selection = self._selection(call)
        if call.risk < Risk.DESTROY and self._risk_of_copy(call) is Risk.DESTROY:
            raise CommandError("a file was created after this was approved; propose the command again")
        changes = [(path, self.workspace.read(path), self.runs.data(run, file)) for path, file in selection]
        for (_, old, _), (_, file) in zip(changes, selection, strict=True):
            self._check_unchanged(call, old, file)
            if old is not None:
                self.files.copies.keep(old)
        self._write_all(changes)
        return _copy_text(len(selection), run)

    def _write_all(self, changes: list[tuple[Path, bytes | None, bytes]]) -> None:
        """Write all files, each given as path, bytes before and bytes after. If one fails, restore the others."""
        self.workspace.check_asked(*(path for path, _, _ in changes))
        copies = 0
        try:
            for path, _, new in changes:
                self.workspace.write(path, new, sync=self._sync)
                copies += 1
        except CommandError:
            for path, old, _ in changes[:copies]:
                if old is None:
                    self.workspace.remove(path)
                else:
                    self.workspace.write(path, old)
            raise

    @execute_python_file.warning
    def _warning_of_run(self, call: Call) -> str:
        return RUNS_PROGRAM

    @copy_back.warning
    def _warning_of_copy(self, call: Call) -> str:
        return f"overwrites files of the workspace{UNDOABLE}"

    @copy_back.risk
    def _risk_of_copy(self, call: Call) -> Risk:
        """Return `destroy` if a file of the workspace would be replaced, or if the call will be refused."""
        try:
            replaces = any(self.workspace.stat(path) is not None for path, _ in self._selection(call))
        except CommandError:
            return Risk.DESTROY
        return Risk.DESTROY if replaces else Risk.CHANGE

    # ------------------------------------------------------------ one run

    def _protection(self) -> Protection:
        from autocraft.sandbox import protection

        return protection.find(self.settings)

    def _program(self, file: str, args: list[str]) -> bytes:
        """Return the bytes of the file. Raises CommandError if it or its arguments cannot be run."""
        path = self.workspace.resolve(file)
        if path.suffix != ".py":
            raise CommandError(f"{file} is not a Python file; only files that end in .py are run")
        data = self.workspace.read(path)
        if data is None:
            raise NoFile(file)
        check_readable(file, data)
        if len(args) > _MOST_ARGUMENTS or sum(map(len, args)) > _LONGEST_ARGUMENTS:
            raise CommandError(f"too many arguments: at most {_MOST_ARGUMENTS}, {_LONGEST_ARGUMENTS:,} characters")
        if any("\0" in arg for arg in args):
            raise CommandError("an argument holds a zero character; leave it out")
        return data

    def _copied(self) -> CopiedFiles:
        """Return the files that a program would see now. Raises CommandError if they are over a limit."""
        from autocraft.sandbox.folder import CopiedFiles

        copied = CopiedFiles(self.settings)
        self._copy(copied.add)
        return copied

    def _copy(self, put: Callable[[str, bytes], None], check: Callable[[], None] = lambda: None) -> list[str]:
        """Give each file of the workspace to `put`. Return a line for the result if files were left out.

        These are symlinks, devices and too large files. `check` is called before each file and may raise to end this.
        """
        misses = 0
        for path in self.workspace.files():
            check()
            try:
                data = None if path.is_symlink() else self.workspace.read(path)
            except CommandError:
                data = None
            if data is None:
                misses += 1
                continue
            put(self.workspace.name_of(path), data)
        return [f"Not copied from the workspace: {misses:,} symlinks, special or too large files."] if misses else []

    async def _store(self, call: Call, private: SandboxFolder, outcome: ProgramExit, notes: list[str]) -> Result:
        """Store the files that the program wrote, and return the result. If cancelled, store nothing."""
        run = _run_of(call)
        try:
            return await self._store_files(run, private, outcome, notes)
        except BaseException:
            await in_thread(lambda _: self.runs.discard(run))
            raise

    async def _store_files(self, run: str, private: SandboxFolder, outcome: ProgramExit, notes: list[str]) -> Result:
        lines = [_end_text(outcome), *notes]
        files: list[StoredFile] = []
        if outcome.disk:
            lines.append("Nothing that it wrote was kept.")
        else:
            changes = private.changes(self.workspace.caps.max_bytes)
            files = await in_thread(lambda stop: self.runs.take(run, changes, stop.check))
            lines += _file_rows(run, files)
        # The output comes last, so that the program cannot forge a line of autocraft.
        lines += [_output_text("stdout", outcome.stdout, private), _output_text("stderr", outcome.stderr, private)]
        text = "\n".join(lines)
        ok = outcome.code == 0
        await in_thread(lambda _: self.runs.finish(run, files, {"text": text, "ok": ok}))
        return Result(text, ok=ok)

    # ------------------------------------------------------------ copying back

    def _selection(self, call: Call) -> list[tuple[Path, StoredFile]]:
        """Return the files to copy, each with its target. Raises CommandError for a file that is not stored."""
        run = call.args["run"]
        files_by_name = {file.name: file for file in self.runs.read(run)}
        names = list(dict.fromkeys(call.args["files"])) or [name for name, file in files_by_name.items() if file.sha256]
        selection: dict[Path, StoredFile] = {}
        for name in names:
            if name not in files_by_name:
                others = some_of([*map(_short, files_by_name)], 5) or "none"
                raise CommandError(f"{run} wrote no file {_short(name)}; it wrote {others}")
            if not files_by_name[name].sha256:
                why = files_by_name[name].why or "was deleted in the copy (use delete_file to delete it here)"
                raise CommandError(f"{_short(name)} {why}, so it cannot be copied back; leave it out")
            path = self.workspace.resolve(name)
            self.workspace.check_writable(path)
            if path in selection:
                raise CommandError(f"{_short(name)} is the same file as another one of the list; name only one")
            selection[path] = files_by_name[name]
        if not selection:
            raise CommandError(f"{run} wrote no file that was kept; there is nothing to copy back")
        return list(selection.items())

    def _check_unchanged(self, call: Call, old: bytes | None, file: StoredFile) -> None:
        """Raise CommandError if the file in the workspace has changed since the run, and the call does not name it."""
        now = "" if old is None else sha256(old)
        if not call.args["files"] and now not in (file.before, file.sha256):
            raise CommandError(f"{_short(file.name)} has changed since the run; name it in files to replace it")

    # ------------------------------------------------------------ the kill -9 protocol

    @execute_python_file.reach
    def _reach_of_run(self, call: Call) -> Reach:
        """Return all files, of which the program sees a copy."""
        return Reach(self.files.reach(call).args, self.workspace.names())

    @copy_back.reach
    def _reach_of_copy(self, call: Call) -> Reach:
        """Return the files that would be copied back."""
        names = [self.workspace.name_of(path) for path, _ in self._selection(call)]
        return Reach({**call.args, "files": names}, tuple(names))

    @copy_back.obeyed
    def _obeyed_by_copy(self, call: Call) -> Json:
        return self.workspace.obeyed(file.name for _, file in self._selection(call))

    @execute_python_file.fingerprint
    def _fingerprint_of_run(self, call: Call) -> str:
        """Hash all files that the program would see. Raises CommandError for a call that is refused."""
        self._program(call.args["file"], call.args["args"])
        return self._copied().fingerprint

    @copy_back.fingerprint
    def _fingerprint_of_copy(self, call: Call) -> str:
        """Hash what would be copied back and what it would replace. Raises CommandError for a call that is refused."""
        rows = []
        for path, file in self._selection(call):
            old = self.workspace.read(path)
            rows.append(f"{file.name}\0{file.sha256}\0{'' if old is None else sha256(old)}")
        return sha256("\n".join(rows).encode("utf-8", "replace"))

    @execute_python_file.evidence
    def _evidence_of_run(self, call: Call) -> Json:
        """Return {}, since the call's id identifies the run. Raises CommandError if there is no room to store it."""
        self.runs.check_room()
        return {}

    @copy_back.evidence
    def _evidence_of_copy(self, call: Call) -> Json:
        """Return the evidence of each file, as for write_to_file."""
        files = [self.files.evidence_of("write_to_file", path, file.sha256) for path, file in self._selection(call)]
        return {"do": call.name, "files": files}

    @copy_back.settle
    def _settle_copy(self, call: Call, evidence: Json) -> Settled:
        """Settle by all files. Copying may be repeated, so ``not done`` also covers a half-done copy."""
        if evidence.get("do") != call.name:
            return Settled("unknown", f"nothing was recorded about {call.name}; look at the files")
        states = {self._state_of(file) for file in evidence["files"]}
        if states == {"after"}:
            return Settled("done", _copy_text(len(evidence["files"]), call.args["run"]))
        if "other" in states:
            return Settled("unknown", "a file is neither as before nor as the run left it; look at the files")
        return Settled("not done")

    @execute_python_file.settle
    def _settle_run(self, call: Call, evidence: Json) -> Settled:
        """Answer ``done`` if the run has a manifest, otherwise ``unknown``."""
        if os.name != "nt":
            from autocraft.sandbox import folder

            folder.sweep()
        manifest = self.runs.manifest(_run_of(call))
        if manifest is not None:
            return Settled("done", str(manifest["text"]))
        return Settled("unknown", "Nothing that the program wrote was copied into the workspace; it is not run again.")

    def _state_of(self, evidence: Json) -> str:
        """Compare one file with its evidence. Return ``before``, ``after`` or ``other``."""
        path = self.workspace.resolve(evidence["file"])
        self.workspace.drop_leftovers(path)
        data = self.workspace.read(path)
        now = None if data is None else sha256(data)
        return "after" if now == evidence["after"] else "before" if now == evidence["before"] else "other"

    @copy_back.undo
    def _undo_copy(self, call: Call | None, evidence: Json) -> str:
        """Restore all files as they were before. If one cannot be restored, raise CommandError and restore none."""
        for file in evidence["files"]:
            name, state = file["file"], self._state_of(file)
            if state == "other":
                raise CommandError(f"{name} has changed since, so all files are left as they are; undo it by hand")
            if state == "after" and file["before"] is not None:
                self.files.copies.get(file["before"], name)
        self.workspace.check_asked(*(self.workspace.resolve(file["file"]) for file in evidence["files"]))
        return " ".join(self.files.undo_change(call, file) for file in evidence["files"])

    # ------------------------------------------------------------ what the person sees

    @execute_python_file.preview
    @previews.or_refusal
    def _preview_run(self, call: Call) -> str:
        """Return the protection, the files that the program sees and can import, and the program."""
        program = self._program(call.args["file"], call.args["args"])
        rows = previews.rows(program.decode("utf-8-sig"), previews.PYTHON)
        copied = self._copied()
        modules = module_lines(copied.files, self.workspace.name_of(self.workspace.resolve(call.args["file"])))
        sees = f"Sees a copy of {count(len(copied.files), 'file')} of the workspace, sha256 {copied.fingerprint[:12]}"
        return "\n".join([self._protection().in_words, sees, *modules, f"{count(len(rows), 'line')}:", *rows])

    @copy_back.preview
    @previews.or_refusal
    def _preview_copy(self, call: Call) -> str:
        """Return what copying would change."""
        parts: list[str] = []
        room, lines_left = _MOST_SHOWN, _MOST_COMPARED
        for path, file in self._selection(call):
            old = self.workspace.read(path)
            self._check_unchanged(call, old, file)
            data = self.runs.data(call.args["run"], file)
            coding, text = decode(data)
            is_text = coding.name == PLAIN.name
            lines = 0 if old is None else old.count(b"\n") + data.count(b"\n")
            if not is_text or len(data) > room or (parts and lines > lines_left):
                change = "a new file" if old is None else f"replaces {len(old):,} bytes"
                kind = "text, too long to show here" if is_text else "binary"
                preview = f"{change}, {kind}, {count(len(data), 'byte')}, sha256 {file.sha256}"
            else:
                room -= len(data)
                lines_left -= lines
                preview = self.files.preview_of(path, text)
            parts.append(f"{_short(file.name)}: {preview}")
        return "\n".join(parts)


def _run_of(call: Call) -> str:
    """Return the name of a call's run: ``run-57`` for the id ``session:57``."""
    number = call.id.rpartition(":")[2]
    return f"run-{number if number.isdigit() else secrets.token_hex(4)}"


def _end_text(outcome: ProgramExit) -> str:
    """Return how the program ended, as a sentence."""
    after = f"after {outcome.seconds:.1f} s"
    if outcome.limit:
        return f"Stopped {after} by {outcome.limit}."
    rest = f" {outcome.survivors} processes that it left behind were ended." if outcome.survivors else ""
    if outcome.signal is not None:
        names = {int(number): number.name for number in signal.Signals}
        return f"Killed {after} by the signal {names.get(outcome.signal, outcome.signal)}.{rest}"
    return f"Exit code {outcome.code} {after}.{rest}"


def _output_text(name: str, text: str, private: SandboxFolder) -> str:
    """Return what the program wrote to a stream, without the name of the private folder."""
    text = text.replace(str(private.work), "/workspace")
    return f"{name}:\n{text.rstrip()}" if text.strip() else f"{name}: empty"


def _file_rows(run: str, files: list[StoredFile]) -> list[str]:
    """Return the files that a run wrote, changed or deleted, one a line."""
    if not files:
        return ["Files: none written."]
    lines = [f"Files, in the copy only; copy_back with run {run} brings them into the workspace:"]
    for file in files[:_MOST_ROWS]:
        why = f" (not kept: {file.why})" if file.why else ""
        size = "" if file.kind == "deleted" else f", {count(file.size, 'byte')}"
        lines.append(f"  {file.kind} {_short(file.name)}{size}{why}")
    if more := files[_MOST_ROWS:]:
        lost = sum(bool(file.why) for file in more)
        lines.append(f"  [{len(more):,} more files are not shown{f', {lost:,} of them not kept' if lost else ''}.]")
    return lines


def _copy_text(number: int, run: str) -> str:
    return f"{count(number, 'file')} of {run} copied into the workspace."


def _short(name: str) -> str:
    """Return the name of a file on one line of at most 200 characters."""
    return beginning(previews.one_line(name), 200)
