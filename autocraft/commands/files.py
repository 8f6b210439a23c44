"""The file commands, under Auto-GPT's names of April 2023. Each can be settled after kill -9, and undone.

A change of a file does not run in a thread: it is short, and a cancelled thread would go on writing.
"""

from __future__ import annotations

import asyncio
import hashlib
import stat
from pathlib import Path
from typing import Any, NamedTuple

from autocraft.commands import previews
from autocraft.commands.coding import BINARY, PLAIN, Coding, binary_kind, decode
from autocraft.commands.copies import UNDO_MB, UndoCopies
from autocraft.commands.obeyed_names import who_runs
from autocraft.commands.passages import find_passage, refuse_copy
from autocraft.commands.reading import list_names, page_of_file, search, text_of
from autocraft.commands.workspace import Workspace
from autocraft.errors import CommandError
from autocraft.protocols import Call, Json, Reach, Risk, Settled, command
from autocraft.session.atomic import sha256, stamp_of
from autocraft.text.phrases import UNDOABLE, beginning, count

_MOST_STATES = 64  # files whose running hash is remembered
_DOES = {"write_to_file": "overwrites", "edit_file": "changes", "delete_file": "deletes"}
"""Command -> what it does to a file that is there."""
_RESULTS = {
    "write_to_file": "File written to successfully.",
    "append_to_file": "Text appended successfully.",
    "delete_file": "File deleted successfully.",
    "edit_file": "Passage replaced successfully.",
}


def _told(path: Path) -> str:
    """Return a line about a file that a person runs on purpose, such as a Makefile. Return "" for others."""
    who = who_runs(path.name)
    return f"{who} runs what this file says\n" if who else ""


class _FileState(NamedTuple):
    """The hash and the coding of a file. They are valid as long as the file has this stamp."""

    stamp: tuple[int, ...]
    size: int
    running: Any
    """The sha256 object of the whole file, which further bytes can update."""
    coding: Coding


class FileCommands:
    """The family of files.

    A new file is UTF-8 and holds exactly the given text. Edits of an old one, and additions to it, keep its encoding
    and line ends. `undo_folder` holds copies of overwritten and deleted files, up to `undo_mb` megabytes. `sync` writes
    every change through to the disk.
    """

    family = "files"

    def __init__(
        self, workspace: Workspace, undo_folder: Path, *, sync: bool = False, undo_mb: float = UNDO_MB
    ) -> None:
        self.workspace = workspace
        self.copies = UndoCopies(undo_folder, undo_mb)
        self._sync = sync
        self._states: dict[Path, _FileState] = {}

    @command(help="Read a text file of the workspace; a large one comes in pages", risk=Risk.LOOK)
    async def read_file(self, call: Call, file: str, page: int = 1) -> str:
        return await asyncio.to_thread(page_of_file, self.workspace, file, page)

    @command(
        help="Write text to a file of the workspace, replacing what it held",
        risk=lambda family, file, text: Risk.DESTROY if family.exists(file) else Risk.CHANGE,
        synonyms=("write_file", "create_file"),
    )
    async def write_to_file(self, call: Call, file: str, text: str) -> str:
        path = self.workspace.resolve(file)
        if call.risk < Risk.DESTROY and self.workspace.stat(path):
            raise CommandError(f"{file} was created after this was approved; propose the command again")
        self._refuse_copy(path, text)
        return self._put(call, path, PLAIN.encode(text, file))

    @command(help="Append text to a file of the workspace", risk=Risk.CHANGE)
    async def append_to_file(self, call: Call, file: str, text: str) -> str:
        path = self.workspace.resolve(file)
        self._refuse_copy(path, text)
        before, (state, coding, data) = self.workspace.stat(path), self._addition(path, file, text)
        self._states.pop(path, None)
        after = self.workspace.append(path, data, sync=self._sync)
        if state and before and state.stamp == stamp_of(before) and after.st_size == before.st_size + len(data):
            running = state.running.copy()
            running.update(data)
            self._remember(path, _FileState(stamp_of(after), after.st_size, running, coding.after(text)))
        return _RESULTS["append_to_file"]

    @command(
        help="Replace one passage of a file; old must be there exactly once, as it is written there",
        risk=Risk.DESTROY,
    )
    async def edit_file(self, call: Call, file: str, old: str, new: str) -> str:
        path = self.workspace.resolve(file)
        return self._put(call, path, self._edit(file, old, new))

    @command(help="Delete a file of the workspace", risk=Risk.DESTROY)
    async def delete_file(self, call: Call, file: str) -> str:
        path = self.workspace.resolve(file)
        self._copy_old(path)
        self.workspace.remove(path, sync=self._sync)
        return _RESULTS["delete_file"]

    @command(
        help="List the files in a folder of the workspace (empty: all files)",
        risk=Risk.LOOK,
        synonyms=("search_files", "list_folder"),
    )
    async def list_files(self, call: Call, directory: str = "") -> str:
        return await asyncio.to_thread(list_names, self.workspace, directory)

    @command(help="Find the lines that contain a text, in all files or in a folder", risk=Risk.LOOK)
    async def search_text(self, call: Call, text: str, directory: str = "") -> str:
        return await asyncio.to_thread(search, self.workspace, directory, text)

    # ------------------------------------------------------------ changing

    def _refuse_copy(self, path: Path, text: str) -> None:
        """Raise CommandError if the text was copied with the escapes of data, and the file holds none of them."""
        refuse_copy(text, lambda: decode(self.workspace.read(path) or b"")[1])

    def _addition(self, path: Path, file: str, text: str) -> tuple[_FileState | None, Coding, bytes]:
        """Return the state of a file, its coding, and what is added to it for `text`. Raises CommandError."""
        state = self._state(path)
        coding = state.coding if state else PLAIN
        return state, coding, coding.encode(coding.with_line_ends(text), file)

    def _edit(self, file: str, old: str, new: str) -> bytes:
        """Return the whole file after the edit. Raises CommandError unless it holds the passage exactly once."""
        coding, text = text_of(self.workspace, file)
        at, old, new = find_passage(file, coding, text, old, new)
        refuse_copy(new, lambda: text)
        return coding.mark + coding.encode(text[:at] + new + text[at + len(old) :], file)

    def _put(self, call: Call, path: Path, data: bytes) -> str:
        """Replace the whole file. Return the text of the result."""
        self._copy_old(path)
        self.workspace.write(path, data, sync=self._sync)
        return _RESULTS[call.name]

    def _copy_old(self, path: Path) -> None:
        """Store an undo copy. The one of `evidence` may be missing, or older than the file."""
        old = self.workspace.read(path)
        if old is not None:
            self.copies.keep(old)

    def exists(self, file: str) -> bool:
        """Return whether writing there would replace a file. A refused path counts."""
        try:
            return self.workspace.stat(self.workspace.resolve(file)) is not None
        except CommandError:
            return True

    def warning(self, call: Call) -> str:
        file = call.args["file"]
        return f"{_DOES[call.name]} {beginning(file, 80)}{UNDOABLE}" if self.exists(file) else "finds no such file"

    def obeyed(self, call: Call) -> Json:
        return self.workspace.obeyed([call.args["file"]])

    def reach(self, call: Call) -> Reach:
        """Return the file, or every file under the folder, by its name in the workspace. Raises PathRefused."""
        if "file" in call.args:
            name = self.workspace.name_of(self.workspace.resolve(call.args["file"]))
            return Reach({**call.args, "file": name}, (name,))
        folder = self.workspace.resolve("" if call.args["directory"] == "/" else call.args["directory"])
        name = "" if folder == self.workspace.root else self.workspace.name_of(folder)
        return Reach({**call.args, "directory": name}, self.workspace.names(folder))

    # ------------------------------------------------------------ the kill -9 protocol

    @write_to_file.fingerprint
    @edit_file.fingerprint
    @delete_file.fingerprint
    def _fingerprint(self, call: Call) -> str:
        """Hash the file that would be replaced or deleted."""
        old = self.workspace.read(self.workspace.resolve(call.args["file"]))
        return "new" if old is None else sha256(old)

    @append_to_file.fingerprint
    def _fingerprint_of_append(self, call: Call) -> str:
        """Return whether there is a file to add to."""
        return "new" if self.workspace.stat(self.workspace.resolve(call.args["file"])) is None else "there"

    @write_to_file.evidence
    def _evidence_of_write(self, call: Call) -> Json:
        return self.evidence_of(call.name, self._writable(call), sha256(PLAIN.encode(**call.args)))

    @edit_file.evidence
    def _evidence_of_edit(self, call: Call) -> Json:
        return self.evidence_of(call.name, self._writable(call), sha256(self._edit(**call.args)))

    @delete_file.evidence
    def _evidence_of_delete(self, call: Call) -> Json:
        return self.evidence_of(call.name, self._writable(call), None)

    def evidence_of(self, do: str, path: Path, after: str | None) -> Json:
        """Return the evidence of a change by the command `do`, and store an undo copy of the file. Raises CommandError.

        `after` is the hash of the file after the change, or None if there will be no file.
        """
        status, old = self.workspace.stat(path), self.workspace.read(path)
        evidence: Json = {"do": do, "file": self.workspace.name_of(path), "before": None, "size": 0, "after": after}
        if old is not None and status is not None:
            evidence |= {"before": sha256(old), "size": len(old), "mode": stat.S_IMODE(status.st_mode)}
            evidence["kept"] = self.copies.keep(old)
        return evidence

    @append_to_file.evidence
    def _evidence_of_append(self, call: Call) -> Json:
        """Return the hashes before and after. Raises CommandError if the command itself would refuse."""
        path = self._writable(call)
        state, coding, data = self._addition(path, **call.args)
        after = state.running.copy() if state else hashlib.sha256()
        after.update(data)
        return {
            "do": call.name,
            "file": self.workspace.name_of(path),
            "before": state.running.hexdigest() if state else None,
            "size": state.size if state else 0,
            "after": after.hexdigest(),
            "added": len(data),
            "codec": coding.codec,
            "newline": coding.newline,
        }

    @append_to_file.settle
    def _settle_append(self, call: Call, evidence: Json) -> Settled:
        """Settle by the file, as `_settle` does, and cut off a half-written addition. Raises CommandError."""
        outcome = self._settle(call, evidence)
        if outcome.outcome != "unknown" or evidence.get("do") != call.name:
            return outcome
        path = self.workspace.resolve(call.args["file"])
        data = self.workspace.read(path)
        if data is None or not self._is_torn(data, evidence, call.args["text"]):
            return outcome
        self._take_back_append(path, evidence)
        return Settled("not done", f"a half-written addition to {evidence['file']} was removed again")

    @write_to_file.settle
    @edit_file.settle
    @delete_file.settle
    def _settle(self, call: Call, evidence: Json) -> Settled:
        """Settle by the file as it is now. Remove temporary files of an interrupted write. Raises CommandError."""
        try:
            path = self.workspace.resolve(call.args["file"])
        except CommandError:
            return Settled("not done")  # carried out again, it is refused again
        if evidence.get("do") != call.name:
            return Settled("unknown", f"nothing was recorded about {call.args['file']}; look at it")
        self._states.pop(path, None)
        self.workspace.drop_leftovers(path)
        data = self.workspace.read(path)
        now = None if data is None else sha256(data)
        if now == evidence["before"]:
            return Settled("not done")  # also if before and after are the same, as for a delete of no file
        if now == evidence["after"]:
            return Settled("done", _RESULTS[call.name])
        size = evidence["size"]
        state = "is gone" if data is None else f"holds {len(data):,} bytes"
        return Settled("unknown", f"{evidence['file']} {state}, neither as before ({size:,} bytes) nor as written")

    @write_to_file.undo
    @append_to_file.undo
    @edit_file.undo
    @delete_file.undo
    def undo_change(self, call: Call | None, evidence: Json) -> str:
        """Remove a file that the command created, and bring back every byte of one that existed before.

        Raises CommandError if the file has changed since the command.
        """
        if "do" not in evidence:
            raise CommandError("this command changed no file; there is nothing to take back")
        path = self.workspace.resolve(evidence["file"])
        name, before, size = evidence["file"], evidence["before"], evidence["size"]
        data = self.workspace.read(path)
        now = None if data is None else sha256(data)
        if now == before:
            return f"{name} is already as it was before."
        if now != evidence["after"]:
            raise CommandError(f"{name} has changed since, so it is left as it is; undo it by hand")
        if before is None:
            self.workspace.remove(path, sync=self._sync)
            return f"{name} was removed; it did not exist before."
        if evidence["do"] == "append_to_file":
            if sha256((data or b"")[:size]) != before:
                raise CommandError(f"the start of {name} has changed since, so it is left as it is; undo it by hand")
            self._take_back_append(path, evidence)
            return f"{name} is {size:,} bytes long again, as before."
        self.workspace.write(path, self.copies.get(before, name), mode=evidence["mode"], sync=self._sync)
        return f"{name} holds its {size:,} bytes as before."

    def _is_torn(self, data: bytes, evidence: Json, text: str) -> bool:
        start, rest = data[: evidence["size"]], data[evidence["size"] :]
        coding = Coding(codec=evidence.get("codec", "utf-8"), newline=evidence.get("newline", ""))
        whole = coding.encode(coding.with_line_ends(text), evidence["file"])
        return whole.startswith(rest) and evidence["before"] in (sha256(start), None)

    def _take_back_append(self, path: Path, evidence: Json) -> None:
        self._states.pop(path, None)
        if evidence["before"] is None:
            self.workspace.remove(path, sync=self._sync)
        else:
            self.workspace.cut(path, evidence["size"], sync=self._sync)

    def _state(self, path: Path) -> _FileState | None:
        """Return the state of the file. Return None if there is no file.

        It is remembered while the file has the same stamp, so that many appends do not read the file again each time.
        """
        status, state = self.workspace.stat(path), self._states.get(path)
        if status is None:
            return None
        if state and state.stamp == stamp_of(status):
            return state
        if (data := self.workspace.read(path)) is None:
            return None
        state = _FileState(stamp_of(status), len(data), hashlib.sha256(data), decode(data)[0])
        if status.st_size == len(data):
            self._remember(path, state)
        return state

    def _remember(self, path: Path, state: _FileState) -> None:
        if len(self._states) >= _MOST_STATES:
            self._states.clear()
        self._states[path] = state

    # ------------------------------------------------------------ what the person sees

    def _writable(self, call: Call) -> Path:
        """Return the file that the call changes. Raises CommandError if no command may change it."""
        path = self.workspace.resolve(call.args["file"])
        self.workspace.check_writable(path)
        return path

    @write_to_file.preview
    @previews.or_refusal
    def _preview_write(self, call: Call) -> str:
        path, text = self._writable(call), call.args["text"]
        self._refuse_copy(path, text)
        return self.preview_of(path, text)

    def preview_of(self, path: Path, text: str) -> str:
        """Return a diff for a text that is replaced, otherwise the whole new text. Raises CommandError."""
        return _told(path) + self._change_to(path, text)

    def _change_to(self, path: Path, text: str) -> str:
        name = self.workspace.name_of(path)
        old, data = self.workspace.read(path), PLAIN.encode(text, name)
        if old is None:
            return f"new file, {previews.size(text)}:\n{previews.all_lines(text)}"
        if old == data:
            return "the file already holds exactly this"
        coding, before = decode(old)
        if coding is BINARY:
            kind = binary_kind(old)
            return f"replaces {kind} of {len(old):,} bytes by {previews.size(text)}:\n{previews.all_lines(text)}"
        preview = previews.diff(before, text, name)
        return preview if coding.name == PLAIN.name else f"the file is in {coding.name} and would be UTF-8\n{preview}"

    @append_to_file.preview
    @previews.or_refusal
    def _preview_append(self, call: Call) -> str:
        path, text = self._writable(call), call.args["text"]
        self._refuse_copy(path, text)
        state, _, _ = self._addition(path, **call.args)
        where = "to a new file" if state is None else f"after {count(state.size, 'byte')}"
        return f"{_told(path)}adds {previews.size(text)} {where}:\n{previews.all_lines(text)}"

    @edit_file.preview
    @previews.or_refusal
    def _preview_edit(self, call: Call) -> str:
        name = call.args["file"]
        self._writable(call)
        coding, text = text_of(self.workspace, name)
        at, old, new = find_passage(name, coding, text, call.args["old"], call.args["new"])
        refuse_copy(new, lambda: text)
        coding.encode(new, name)
        if coding.newline in ("\r\n", "\r"):  # the edit keeps the line ends, so the diff need not show them
            text, old, new = (part.replace(coding.newline, "\n") for part in (text, old, new))
            at = text.find(old)
        return _told(self.workspace.resolve(name)) + previews.passage_diff(text, at, old, new, name)

    @delete_file.preview
    @previews.or_refusal
    def _preview_delete(self, call: Call) -> str:
        old = self.workspace.read(self._writable(call))
        if old is None:
            return "there is no such file"
        return f"deletes {binary_kind(old) or 'text'}, {count(len(old), 'byte')}; undo can bring it back"
