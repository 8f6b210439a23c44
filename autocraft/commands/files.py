"""The file commands, with Auto-GPT's names of April 2023. Each can be settled after kill -9 and undone.

A change to a file runs in the event loop, not in a thread: it is short, and a cancelled thread would continue to write.
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
from autocraft.text.phrases import count

_MOST_CACHED = 64  # files whose running hash is cached
_RESULTS = {
    "write_to_file": "File written to successfully.",
    "append_to_file": "Text appended successfully.",
    "delete_file": "File deleted successfully.",
    "edit_file": "Passage replaced successfully.",
}


@dataclass(frozen=True, slots=True)
class _FileFacts:
    """What is cached of a file that was read. It is valid as long as the file has this stamp."""

    stamp: tuple[int, ...]
    size: int
    running: Any
    """A sha256 object that has seen the whole file."""
    coding: Coding


def _risk_of_write(family: FileCommands, file: str, text: str) -> Risk:
    return Risk.DESTROY if family.exists(file) else Risk.CHANGE


class FileCommands:
    """The file commands. New files are UTF-8, byte for byte; existing ones keep their encoding and line ends when they
    are edited or appended to.

    `undo_folder` gets the copies of what is overwritten or deleted, up to `undo_mb` megabytes. `sync` writes every
    change through to the disk.
    """

    family = "files"

    def __init__(
        self, workspace: Workspace, undo_folder: Path, *, sync: bool = False, undo_mb: float = UNDO_MB
    ) -> None:
        self.workspace = workspace
        self.copies = UndoCopies(undo_folder, undo_mb)
        self._sync = sync
        self._cache: dict[Path, _FileFacts] = {}

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
        before, facts = self.workspace.stat(path), self._facts(path)
        coding = facts.coding if facts else PLAIN
        data = coding.encode(coding.ended(text), file)
        self._cache.pop(path, None)
        after = self.workspace.append(path, data, sync=self._sync)
        if facts and before and facts.stamp == stamp_of(before) and after.st_size == before.st_size + len(data):
            running = facts.running.copy()
            running.update(data)
            self._remember(path, _FileFacts(stamp_of(after), after.st_size, running, coding.after(text)))
        return _RESULTS["append_to_file"]

    @command(
        help="Replace one passage of a file; old must be there exactly once, as it is written there",
        risk=Risk.DESTROY,
    )
    async def edit_file(self, call: Call, file: str, old: str, new: str) -> str:
        path = self.workspace.resolve(file)
        return self._put(call, path, self._text_after_edit(path, file, old, new))

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
        """Raises CommandError if the text was copied with the escapes of data, and the file has none of them."""
        refuse_copied(text, lambda: decoded(self.workspace.read(path) or b"")[1])

    def _text_after_edit(self, path: Path, file: str, old: str, new: str) -> bytes:
        """Return the whole file after the edit. Raises CommandError unless the passage is there exactly once."""
        coding, text = text_of(self.workspace, file)
        at, old, new = find_passage(file, coding, text, old, new)
        refuse_copied(new, lambda: text)
        return coding.mark + coding.encode(text[:at] + new + text[at + len(old) :], file)

    def _put(self, call: Call, path: Path, data: bytes) -> str:
        self._keep_old(path)
        self.workspace.write(path, data, sync=self._sync)
        return _RESULTS[call.name]

    def _keep_old(self, path: Path) -> None:
        """Copy the file again, in case `evidence` could not be gathered or the file changed after it."""
        old = self.workspace.read(path)
        if old is not None:
            self.copies.keep(old)

    def exists(self, file: str) -> bool:
        """Return whether a write would lose something. A refused path counts as such."""
        try:
            return self.workspace.stat(self.workspace.resolve(file)) is not None
        except CommandError:
            return True

    def reach(self, call: Call) -> Reach:
        """Return the file, or every file under the folder, by its name in the workspace. Raises PathRefused."""
        if "file" in call.args:
            name = self.workspace.name_of(self.workspace.resolve(call.args["file"]))
            return Reach({**call.args, "file": name}, (name,))
        folder = self.workspace.resolve("" if call.args["directory"] == "/" else call.args["directory"])
        name = "" if folder == self.workspace.root else self.workspace.name_of(folder)
        return Reach({**call.args, "directory": name}, self.workspace.names(folder))

    # ------------------------------------------------------------ the kill -9 protocol

    def fingerprint(self, call: Call) -> str:
        """Return a hash of the file that would be replaced or deleted; for an addition, only whether there is one."""
        if call.name not in _RESULTS:
            return ""
        path = self.workspace.resolve(call.args["file"])
        if call.name == "append_to_file":
            return "new" if self.workspace.stat(path) is None else "there"
        old = self.workspace.read(path)
        return "new" if old is None else sha256(old)

    def evidence(self, call: Call) -> Json:
        """Return hashes and sizes before and after, and the name of the undo copy.

        Raises CommandError for a call that the command itself would refuse.
        """
        if call.name not in _RESULTS:
            return {}
        path = self.workspace.resolve(call.args["file"])
        self.workspace.check_writable(path)
        record: Json = {"do": call.name, "file": self.workspace.name_of(path), "before": None, "size": 0}
        status = self.workspace.stat(path)
        if call.name == "append_to_file":
            return record | self._evidence_of_append(path, call.args["file"], call.args["text"])
        old = self.workspace.read(path)
        if old is not None and status is not None:
            record |= {"before": sha256(old), "size": len(old), "mode": stat.S_IMODE(status.st_mode)}
        after = self._after(call, path)
        if old is not None:
            record["kept"] = self.copies.keep(old)
        return record | {"after": None if after is None else sha256(after)}

    def _evidence_of_append(self, path: Path, file: str, text: str) -> Json:
        facts = self._facts(path)
        coding = facts.coding if facts else PLAIN
        data = coding.encode(coding.ended(text), file)
        after = facts.running.copy() if facts else hashlib.sha256()
        after.update(data)
        record: Json = {
            "after": after.hexdigest(),
            "added": len(data),
            "codec": coding.codec,
            "newline": coding.newline,
        }
        return record | ({"before": facts.running.hexdigest(), "size": facts.size} if facts else {})

    def _after(self, call: Call, path: Path) -> bytes | None:
        """Return the whole file after the command. Return None if it would be gone."""
        match call.name:
            case "write_to_file":
                return PLAIN.encode(call.args["text"], call.args["file"])
            case "edit_file":
                return self._text_after_edit(path, call.args["file"], call.args["old"], call.args["new"])
        return None

    def settle(self, call: Call, evidence: Json) -> Settled:
        """Return what the file as it is now proves. A half-written append or write is removed. Raises CommandError."""
        if call.name not in _RESULTS:
            return Settled("not done")
        try:
            path = self.workspace.resolve(call.args["file"])
        except CommandError:
            return Settled("not done")  # if it is executed again, it is refused again
        if evidence.get("do") != call.name:
            return Settled("unknown", f"nothing was recorded about {call.args['file']}; look at it")
        self._cache.pop(path, None)
        self.workspace.drop_leftovers(path)
        data = self.workspace.read(path)
        now = None if data is None else sha256(data)
        if now == evidence["before"]:
            return Settled("not done")  # also where before and after are the same, such as a delete of nothing
        if now == evidence["after"]:
            return Settled("done", _RESULTS[call.name])
        size = evidence["size"]
        if call.name == "append_to_file" and data is not None and self._is_torn(data, evidence, call.args["text"]):
            self._take_back_append(path, evidence)
            return Settled("not done", f"a half-written addition to {evidence['file']} was cut off again")
        state = "is gone" if data is None else f"holds {len(data):,} bytes"
        return Settled("unknown", f"{evidence['file']} {state}, neither as before ({size:,} bytes) nor as written")

    def undo(self, evidence: Json) -> str:
        """Restore every byte, if the file still is as the command left it. Raises CommandError if it is not."""
        if evidence.get("do") not in _RESULTS:
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
        if evidence["do"] == "append_to_file":
            if sha256((data or b"")[: evidence["size"]]) != before:
                raise CommandError(f"the start of {name} has changed since, so it is left alone; settle it by hand")
            self._take_back_append(path, evidence)
            return f"{name} is {evidence['size']:,} bytes long again, as before."
        copy = self.copies.get(evidence.get("kept", ""), name, before)
        self.workspace.write(path, copy, mode=evidence["mode"], sync=self._sync)
        return f"{name} holds its {evidence['size']:,} bytes of before again."

    def _is_torn(self, data: bytes, evidence: Json, text: str) -> bool:
        start, rest = data[: evidence["size"]], data[evidence["size"] :]
        coding = Coding(codec=evidence.get("codec", "utf-8"), newline=evidence.get("newline", ""))
        expected = coding.encode(coding.ended(text), evidence["file"])
        return expected.startswith(rest) and evidence["before"] in (sha256(start), None)

    def _take_back_append(self, path: Path, evidence: Json) -> None:
        self._cache.pop(path, None)
        if evidence["before"] is None:
            self.workspace.remove(path, sync=self._sync)
        else:
            self.workspace.cut(path, evidence["size"], sync=self._sync)

    def _facts(self, path: Path) -> _FileFacts | None:
        """Return the cached facts of the file as it is now. Return None if there is no file.

        They are reused while the file looks unchanged, so that many appends to one file do not read it again each time.
        """
        status, facts = self.workspace.stat(path), self._cache.get(path)
        if status is None:
            return None
        if facts and facts.stamp == stamp_of(status):
            return facts
        data = self.workspace.read(path)
        if data is None:
            return None
        facts = _FileFacts(stamp_of(status), len(data), hashlib.sha256(data), coding_of(data))
        if status.st_size == len(data):
            self._remember(path, facts)
        return facts

    def _remember(self, path: Path, facts: _FileFacts) -> None:
        if len(self._cache) >= _MOST_CACHED:
            self._cache.clear()
        self._cache[path] = facts

    # ------------------------------------------------------------ previews

    def preview(self, call: Call) -> str:
        """Return a diff for a file that is replaced, the whole text of a new one. A refusal is text, not an
        exception."""
        show: Callable[[Call], str] | None = {
            "write_to_file": self._preview_write,
            "append_to_file": self._preview_append,
            "delete_file": self._preview_delete,
            "edit_file": self._preview_edit,
        }.get(call.name)
        try:
            if show:
                self.workspace.check_writable(self.workspace.resolve(call.args["file"]))
            return show(call) if show else ""
        except CommandError as error:
            return f"This will fail: {error}"

    def _preview_write(self, call: Call) -> str:
        name, text = call.args["file"], call.args["text"]
        path = self.workspace.resolve(name)
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
        diff = showing.diff(before, text, name)
        return diff if coding.codec == "utf-8" else f"the file is in {coding.name} and would be UTF-8\n{diff}"

    def _preview_append(self, call: Call) -> str:
        path, text = self.workspace.resolve(call.args["file"]), call.args["text"]
        self._refuse_copied(path, text)
        status = self.workspace.stat(path)
        where = "to a new file" if status is None else f"after {count(status.st_size, 'byte')}"
        PLAIN.encode(text, call.args["file"])
        return f"adds {showing.size(text)} {where}:\n{showing.whole(text)}"

    def _preview_edit(self, call: Call) -> str:
        name = call.args["file"]
        coding, text = text_of(self.workspace, name)
        at, old, new = find_passage(name, coding, text, call.args["old"], call.args["new"])
        refuse_copied(new, lambda: text)
        coding.encode(new, name)
        if coding.newline in ("\r\n", "\r"):  # kept as they are, so they need not be seen
            text, old, new = (part.replace(coding.newline, "\n") for part in (text, old, new))
            at = text.find(old)
        return showing.passage_diff(text, at, old, new, name)

    def _preview_delete(self, call: Call) -> str:
        old = self.workspace.read(self.workspace.resolve(call.args["file"]))
        if old is None:
            return "there is no such file"
        return f"deletes {binary_kind(old) or 'text'}, {count(len(old), 'byte')}; undo can bring it back"
