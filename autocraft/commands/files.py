"""The file commands, under Auto-GPT's names of April 2023, each of which can be settled after kill -9 and undone.

What changes a file is done at once instead of in a thread: it is short, and a cancelled thread would go on writing.
"""

from __future__ import annotations

import asyncio
import hashlib
import stat
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autocraft.commands import showing
from autocraft.commands.coding import BINARY, PLAIN, Coding, binary_kind, coding_of, decoded
from autocraft.commands.copies import UNDO_MB, UndoCopies
from autocraft.commands.passages import find_passage, refuse_copied
from autocraft.commands.reading import list_names, page_of_file, search, text_of
from autocraft.commands.workspace import Workspace
from autocraft.errors import CommandError
from autocraft.protocols import Call, Json, Reach, Risk, Settled, command
from autocraft.session.atomic import sha256, stamp_of
from autocraft.text.phrases import LOSS, count

_REMEMBERED = 64  # files whose running hash is kept
_RESULTS = {
    "write_to_file": "File written to successfully.",
    "append_to_file": "Text appended successfully.",
    "delete_file": "File deleted successfully.",
    "edit_file": "Passage replaced successfully.",
}


@dataclass(frozen=True, slots=True)
class _Known:
    """What is remembered of a file that we read: it holds as long as the file has this stamp."""

    stamp: tuple[int, ...]
    size: int
    running: Any
    """A sha256 object that has seen the whole file."""
    coding: Coding


def _risk_of_write(family: FileCommands, file: str, text: str) -> Risk:
    return Risk.DESTROY if family.exists(file) else Risk.CHANGE


class FileCommands:
    """The family of files. New ones are UTF-8, kept byte for byte; old ones keep their encoding and line ends where
    they are edited or added to.

    `undo_folder` takes the copies of what is overwritten or deleted, up to `undo_mb`; `sync` writes every change
    through to the disk.
    """

    family = "files"

    def __init__(
        self, workspace: Workspace, undo_folder: Path, *, sync: bool = False, undo_mb: float = UNDO_MB
    ) -> None:
        self.workspace = workspace
        self.copies = UndoCopies(undo_folder, undo_mb)
        self._sync = sync
        self._known: dict[Path, _Known] = {}

    # ------------------------------------------------------------ commands

    @command(help="Read a text file of the workspace; a large one comes in pages", risk=Risk.LOOK)
    async def read_file(self, call: Call, file: str, page: int = 1) -> str:
        return await asyncio.to_thread(page_of_file, self.workspace, file, page)

    @command(
        help="Write text to a file of the workspace, replacing what it held",
        risk=_risk_of_write,
        synonyms=("write_file", "create_file"),
    )
    async def write_to_file(self, call: Call, file: str, text: str) -> str:
        path = self.workspace.resolve(file)
        if call.risk < Risk.DESTROY and self.workspace.stat(path):
            raise CommandError(f"{file} has come into being since this was approved; propose the command again")
        self._refuse_copied(path, text)
        return self._put(call, path, PLAIN.encode(text, file))

    @command(help="Add text at the end of a file of the workspace", risk=Risk.CHANGE)
    async def append_to_file(self, call: Call, file: str, text: str) -> str:
        path = self.workspace.resolve(file)
        self._refuse_copied(path, text)
        before, known = self.workspace.stat(path), self._look(path)
        coding = known.coding if known else PLAIN
        data = coding.encode(coding.ended(text), file)
        self._known.pop(path, None)
        after = self.workspace.append(path, data, sync=self._sync)
        if known and before and known.stamp == stamp_of(before) and after.st_size == before.st_size + len(data):
            running = known.running.copy()
            running.update(data)
            self._remember(path, _Known(stamp_of(after), after.st_size, running, coding.after(text)))
        return _RESULTS["append_to_file"]

    @command(
        help="Replace one passage of a file; old must be there exactly once, as it is written there",
        risk=Risk.DESTROY,
    )
    async def edit_file(self, call: Call, file: str, old: str, new: str) -> str:
        path = self.workspace.resolve(file)
        return self._put(call, path, self._edited(path, file, old, new))

    @command(help="Delete a file of the workspace", risk=Risk.DESTROY)
    async def delete_file(self, call: Call, file: str) -> str:
        path = self.workspace.resolve(file)
        self._keep_old(path)
        self.workspace.remove(path, sync=self._sync)
        return _RESULTS["delete_file"]

    @command(
        help="List the files under a folder of the workspace (empty: all of them)",
        risk=Risk.LOOK,
        synonyms=("search_files", "list_folder"),
    )
    async def list_files(self, call: Call, directory: str = "") -> str:
        return await asyncio.to_thread(list_names, self.workspace, directory)

    @command(help="Find the lines that hold a text, in all files or those of a folder", risk=Risk.LOOK)
    async def search_text(self, call: Call, text: str, directory: str = "") -> str:
        return await asyncio.to_thread(search, self.workspace, directory, text)

    # ------------------------------------------------------------ changing

    def _refuse_copied(self, path: Path, text: str) -> None:
        """Raise CommandError where the text was copied with the escapes of data, and the file holds none of them."""
        refuse_copied(text, lambda: decoded(self.workspace.read(path) or b"")[1])

    def _edited(self, path: Path, file: str, old: str, new: str) -> bytes:
        """The whole file as it would be. Raises CommandError unless the passage is there exactly once."""
        coding, text = text_of(self.workspace, file)
        at, old, new = find_passage(file, coding, text, old, new)
        refuse_copied(new, lambda: text)
        return coding.mark + coding.encode(text[:at] + new + text[at + len(old) :], file)

    def _put(self, call: Call, path: Path, data: bytes) -> str:
        self._keep_old(path)
        self.workspace.write(path, data, sync=self._sync)
        return _RESULTS[call.name]

    def _keep_old(self, path: Path) -> None:
        """Lose nothing even where `evidence` could not be gathered, or the file changed after it."""
        old = self.workspace.read(path)
        if old is not None:
            self.copies.keep(old)

    def exists(self, file: str) -> bool:
        """Whether something would be lost by writing there; a refused path counts as such."""
        try:
            return self.workspace.stat(self.workspace.resolve(file)) is not None
        except CommandError:
            return True

    def warning(self, call: Call) -> str:
        return LOSS if self.exists(call.args["file"]) else "finds no such file"

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
        """Say whether there is a file to add to."""
        return "new" if self.workspace.stat(self.workspace.resolve(call.args["file"])) is None else "there"

    @write_to_file.evidence
    def _evidence_of_write(self, call: Call) -> Json:
        return self._evidence(call, lambda path: PLAIN.encode(call.args["text"], call.args["file"]))

    @edit_file.evidence
    def _evidence_of_edit(self, call: Call) -> Json:
        return self._evidence(call, lambda path: self._edited(path, **call.args))

    @delete_file.evidence
    def _evidence_of_delete(self, call: Call) -> Json:
        return self._evidence(call, lambda path: None)

    def _evidence(self, call: Call, after: Callable[[Path], bytes | None]) -> Json:
        """Hashes and sizes before and `after`, which gives the whole file then, None where it would be gone.

        Raises CommandError for what the command itself would refuse.
        """
        path, seen = self._begun(call)
        found, old = self.workspace.stat(path), self.workspace.read(path)
        if old is not None and found is not None:
            seen |= {"before": sha256(old), "size": len(old), "mode": stat.S_IMODE(found.st_mode)}
        data = after(path)
        if old is not None:
            seen["kept"] = self.copies.keep(old)
        return seen | {"after": None if data is None else sha256(data)}

    def _begun(self, call: Call) -> tuple[Path, Json]:
        """The file of a call, and what the evidence of every change begins with. Raises CommandError."""
        path = self._writable(call)
        return path, {"do": call.name, "file": self.workspace.name_of(path), "before": None, "size": 0}

    @append_to_file.evidence
    def _evidence_of_append(self, call: Call) -> Json:
        """Hashes before and after. Raises CommandError for what the command itself would refuse."""
        path, seen = self._begun(call)
        known = self._look(path)
        coding = known.coding if known else PLAIN
        data = coding.encode(coding.ended(call.args["text"]), call.args["file"])
        after = known.running.copy() if known else hashlib.sha256()
        after.update(data)
        seen |= {"after": after.hexdigest(), "added": len(data), "codec": coding.codec, "newline": coding.newline}
        return seen | ({"before": known.running.hexdigest(), "size": known.size} if known else {})

    @append_to_file.settle
    def _settle_append(self, call: Call, evidence: Json) -> Settled:
        """As every change; the torn half of an addition is cut off again. Raises CommandError."""
        settled = self._settle(call, evidence)
        if settled.outcome != "unknown" or evidence.get("do") != call.name:
            return settled
        path = self.workspace.resolve(call.args["file"])
        data = self.workspace.read(path)
        if data is None or not self._is_torn(data, evidence, call.args["text"]):
            return settled
        self._take_back_append(path, evidence)
        return Settled("not done", f"a half-written addition to {evidence['file']} was cut off again")

    @write_to_file.settle
    @edit_file.settle
    @delete_file.settle
    def _settle(self, call: Call, evidence: Json) -> Settled:
        """By the file as it is now; what a write left beside it is removed. Raises CommandError."""
        try:
            path = self.workspace.resolve(call.args["file"])
        except CommandError:
            return Settled("not done")  # carried out again, it is refused again
        if evidence.get("do") != call.name:
            return Settled("unknown", f"nothing was recorded about {call.args['file']}; look at it")
        self._known.pop(path, None)
        self.workspace.drop_leftovers(path)
        data = self.workspace.read(path)
        now = None if data is None else sha256(data)
        if now == evidence["before"]:
            return Settled("not done")  # also where before and after are the same, such as a delete of nothing
        if now == evidence["after"]:
            return Settled("done", _RESULTS[call.name])
        size = evidence["size"]
        state = "is gone" if data is None else f"holds {len(data):,} bytes"
        return Settled("unknown", f"{evidence['file']} {state}, neither as before ({size:,} bytes) nor as written")

    @write_to_file.undo
    @edit_file.undo
    @delete_file.undo
    def undo_change(self, call: Call | None, evidence: Json) -> str:
        """Bring back every byte, if the file still is as the command left it. Raises CommandError where it is not."""
        return self._undone(evidence, self._put_back)

    @append_to_file.undo
    def _undo_append(self, call: Call | None, evidence: Json) -> str:
        """Cut off what was added, if the file still is as the command left it. Raises CommandError where it is not."""
        return self._undone(evidence, self._cut_off)

    def _undone(self, evidence: Json, take_back: Callable[[Path, bytes, Json], str]) -> str:
        """Take back a change that is still there, by `take_back` where the file existed before."""
        if "do" not in evidence:
            raise CommandError("this command changed no file; there is nothing to take back")
        path = self.workspace.resolve(evidence["file"])
        name, before = evidence["file"], evidence["before"]
        data = self.workspace.read(path)
        now = None if data is None else sha256(data)
        if now == before:
            return f"{name} is already as it was before."
        if now != evidence["after"]:
            raise CommandError(f"{name} has changed since, so it is left alone; settle it by hand")
        if before is None:
            self.workspace.remove(path, sync=self._sync)
            return f"{name} was removed; it did not exist before."
        return take_back(path, data or b"", evidence)

    def _put_back(self, path: Path, data: bytes, evidence: Json) -> str:
        kept = self.copies.get(evidence.get("kept", ""), evidence["file"], evidence["before"])
        self.workspace.write(path, kept, mode=evidence["mode"], sync=self._sync)
        return f"{evidence['file']} holds its {evidence['size']:,} bytes of before again."

    def _cut_off(self, path: Path, data: bytes, evidence: Json) -> str:
        name = evidence["file"]
        if sha256(data[: evidence["size"]]) != evidence["before"]:
            raise CommandError(f"the start of {name} has changed since, so it is left alone; settle it by hand")
        self._take_back_append(path, evidence)
        return f"{name} is {evidence['size']:,} bytes long again, as before."

    def _is_torn(self, data: bytes, evidence: Json, text: str) -> bool:
        start, rest = data[: evidence["size"]], data[evidence["size"] :]
        coding = Coding(codec=evidence.get("codec", "utf-8"), newline=evidence.get("newline", ""))
        whole = coding.encode(coding.ended(text), evidence["file"])
        return whole.startswith(rest) and evidence["before"] in (sha256(start), None)

    def _take_back_append(self, path: Path, evidence: Json) -> None:
        self._known.pop(path, None)
        if evidence["before"] is None:
            self.workspace.remove(path, sync=self._sync)
        else:
            self.workspace.cut(path, evidence["size"], sync=self._sync)

    def _look(self, path: Path) -> _Known | None:
        """What is known of the file as it is now, None when there is none.

        Kept while the file looks untouched, so that many appends to one file do not read it again each time.
        """
        found, known = self.workspace.stat(path), self._known.get(path)
        if found is None:
            return None
        if known and known.stamp == stamp_of(found):
            return known
        data = self.workspace.read(path)
        if data is None:
            return None
        known = _Known(stamp_of(found), len(data), hashlib.sha256(data), coding_of(data))
        if found.st_size == len(data):
            self._remember(path, known)
        return known

    def _remember(self, path: Path, known: _Known) -> None:
        if len(self._known) >= _REMEMBERED:
            self._known.clear()
        self._known[path] = known

    # ------------------------------------------------------------ what the person sees

    def _writable(self, call: Call) -> Path:
        """The file that would be changed. Raises CommandError where it may not be."""
        path = self.workspace.resolve(call.args["file"])
        self.workspace.check_writable(path)
        return path

    @write_to_file.preview
    @showing.or_refusal
    def preview_write(self, call: Call) -> str:
        """A diff for a file that is replaced, the whole text of what is new."""
        name, text, path = call.args["file"], call.args["text"], self._writable(call)
        self._refuse_copied(path, text)
        old = self.workspace.read(path)
        data = PLAIN.encode(text, name)
        if old is None:
            return f"new file, {showing.size(text)}:\n{showing.whole(text)}"
        if old == data:
            return "the file already holds exactly this"
        coding, before = decoded(old)
        if coding is BINARY:
            kind = binary_kind(old)
            return f"replaces {kind} of {len(old):,} bytes by {showing.size(text)}:\n{showing.whole(text)}"
        shown = showing.diff(before, text, name)
        return shown if coding.codec == "utf-8" else f"the file is in {coding.name} and would be UTF-8\n{shown}"

    @append_to_file.preview
    @showing.or_refusal
    def _preview_append(self, call: Call) -> str:
        path, text = self._writable(call), call.args["text"]
        self._refuse_copied(path, text)
        found = self.workspace.stat(path)
        where = "to a new file" if found is None else f"after {count(found.st_size, 'byte')}"
        PLAIN.encode(text, call.args["file"])
        return f"adds {showing.size(text)} {where}:\n{showing.whole(text)}"

    @edit_file.preview
    @showing.or_refusal
    def _preview_edit(self, call: Call) -> str:
        name = call.args["file"]
        self._writable(call)
        coding, text = text_of(self.workspace, name)
        at, old, new = find_passage(name, coding, text, call.args["old"], call.args["new"])
        refuse_copied(new, lambda: text)
        coding.encode(new, name)
        if coding.newline in ("\r\n", "\r"):  # kept as they are, so they need not be seen
            text, old, new = (each.replace(coding.newline, "\n") for each in (text, old, new))
            at = text.find(old)
        return showing.passage_diff(text, at, old, new, name)

    @delete_file.preview
    @showing.or_refusal
    def _preview_delete(self, call: Call) -> str:
        old = self.workspace.read(self._writable(call))
        if old is None:
            return "there is no such file"
        return f"deletes {binary_kind(old) or 'text'}, {count(len(old), 'byte')}; undo can bring it back"
