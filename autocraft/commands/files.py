"""The file commands, under Auto-GPT's names of April 2023, each of which can be settled after kill -9 and undone.

Neighbours: `workspace.py` (what may be touched, and the touching), `protocols.Family` (what `evidence` and the
others promise). The commands do their work at once instead of in a thread: it is short, and a cancelled
thread would go on writing.
"""

from __future__ import annotations

import difflib
import hashlib
import re
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

from autocraft.commands.workspace import Workspace
from autocraft.durable import write_atomic
from autocraft.errors import CommandError
from autocraft.protocols import Call, Json, Risk, Settled, command

_PREVIEW_LINES = 40
_DIFF_LINES = 400
_DIFF_COST = 4_000_000  # lines of one side times lines of the other, about a second of difflib at worst
_REMEMBERED = 64  # files whose running hash is kept
_RESULTS = {
    "write_to_file": "File written to successfully.",
    "append_to_file": "Text appended successfully.",
    "delete_file": "File deleted successfully.",
}
_KINDS: tuple[tuple[bytes, str], ...] = (
    (b"\x89PNG\r\n", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"RIFF", "a RIFF file (WebP, WAV or AVI)"),
    (b"%PDF-", "a PDF document"),
    (b"PK\x03\x04", "a ZIP archive (or jar, docx, xlsx)"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"BZh", "a bzip2 archive"),
    (b"\xfd7zXZ\x00", "an xz archive"),
    (b"\x28\xb5\x2f\xfd", "a zstd archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"\x7fELF", "an ELF program"),
    (b"MZ", "a Windows program"),
    (b"\xca\xfe\xba\xbe", "a Java class or macOS program"),
    (b"\xcf\xfa\xed\xfe", "a macOS program"),
    (b"\x00asm", "a WebAssembly module"),
    (b"SQLite format 3\x00", "an SQLite database"),
    (b"OggS", "an Ogg file"),
    (b"ID3", "an MP3 file"),
    (b"\x0a\x00\x00", "an NBT file"),
    (b"\xff\xfe", "text in UTF-16, which is not read"),
    (b"\xfe\xff", "text in UTF-16, which is not read"),
)


def _risk_of_write(family: FileCommands, file: str, text: str) -> Risk:
    return Risk.DESTROY if family.exists(file) else Risk.CHANGE


class FileCommands:
    """The family of files: UTF-8 text, kept byte for byte.

    `undo_folder` takes the copies of what is overwritten or deleted, named by hash; they are always synced,
    because they are the last ones. `sync` does the same for the files themselves.
    """

    family = "files"

    def __init__(self, workspace: Workspace, undo_folder: Path, *, sync: bool = False) -> None:
        self.workspace = workspace
        self._undo_folder = undo_folder
        self._sync = sync
        self._running: dict[Path, tuple[tuple[int, ...], Any]] = {}

    # ------------------------------------------------------------ commands

    @command(help="Read a text file of the workspace", risk=Risk.LOOK)
    async def read_file(self, call: Call, file: str) -> str:
        data = self.workspace.read(self.workspace.resolve(file))
        if data is None:
            raise CommandError(f"there is no file {file} in the workspace; list_files lists what there is")
        kind = _binary_kind(data)
        if kind:
            raise CommandError(f"{file} is {kind}, {len(data):,} bytes; read_file reads text only")
        return self._capped(data.decode("utf-8", "replace")) or "[The file is empty.]"

    @command(
        help="Write text to a file of the workspace, replacing what it held",
        risk=_risk_of_write,
        synonyms=("write_file", "create_file"),
    )
    async def write_to_file(self, call: Call, file: str, text: str) -> str:
        path = self.workspace.resolve(file)
        if call.risk < Risk.DESTROY and self.workspace.stat(path):
            raise CommandError(f"{file} has come into being since this was approved; propose the command again")
        data = _encoded(text)
        self._keep_old(path)
        self.workspace.write(path, data, sync=self._sync)
        return _RESULTS["write_to_file"]

    @command(help="Add text at the end of a file of the workspace", risk=Risk.CHANGE)
    async def append_to_file(self, call: Call, file: str, text: str) -> str:
        path, data = self.workspace.resolve(file), _encoded(text)
        before = self.workspace.stat(path)
        known = self._running.pop(path, None)
        after = self.workspace.append(path, data, sync=self._sync)
        if known and before and known[0] == _stamp(before) and after.st_size == before.st_size + len(data):
            running = known[1].copy()
            running.update(data)
            self._remember(path, after, running)
        return _RESULTS["append_to_file"]

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
        folder = self.workspace.resolve("" if directory in ("", "/") else directory)
        if folder != self.workspace.root and not folder.is_dir():
            raise CommandError(f"there is no folder {directory} in the workspace; leave directory empty to see all")
        try:
            names = [self.workspace.name_of(path) for path in self.workspace.files(folder)]
        except OSError as error:
            raise CommandError(f"{directory or 'the workspace'}: {error.strerror}; choose another folder") from None
        shown = [_shown(name) for name in names if not any(part.startswith(".") for part in name.split("/"))]
        return self._capped("\n".join(shown)) or "[No files.]"

    def exists(self, file: str) -> bool:
        """Whether something would be lost by writing there; a refused path counts as such."""
        try:
            return self.workspace.stat(self.workspace.resolve(file)) is not None
        except CommandError:
            return True

    def _capped(self, text: str) -> str:
        left = len(text) - self.workspace.caps.max_read_chars
        if left <= 0:
            return text
        return f"{text[:-left]}\n[{left:,} more characters are left out.]"

    # ------------------------------------------------------------ the kill -9 protocol

    def evidence(self, call: Call) -> Json:
        """Hashes and sizes before and after, and the name of the undo copy.

        Raises CommandError for what the command itself would refuse.
        """
        if call.name not in _RESULTS:
            return {}
        path = self.workspace.resolve(call.args["file"])
        seen: Json = {"do": call.name, "file": self.workspace.name_of(path), "before": None, "size": 0}
        found = self.workspace.stat(path)
        if call.name == "append_to_file":
            running = self._hash_of(path)
            if running is not None and found is not None:
                seen |= {"before": running.hexdigest(), "size": found.st_size}
            after = running.copy() if running is not None else hashlib.sha256()
            data = _encoded(call.args["text"])
            after.update(data)
            return seen | {"after": after.hexdigest(), "added": len(data)}
        old = self.workspace.read(path)
        if old is not None and found is not None:
            seen |= {"before": _sha(old), "size": len(old), "mode": stat.S_IMODE(found.st_mode)}
            seen["kept"] = self._keep(old)
        return seen | {"after": _sha(_encoded(call.args["text"])) if call.name == "write_to_file" else None}

    def settle(self, call: Call, evidence: Json) -> Settled:
        """By the file as it is now; the torn half of an append or a write is removed. Raises CommandError."""
        if call.name not in _RESULTS:
            return Settled("not done")
        try:
            path = self.workspace.resolve(call.args["file"])
        except CommandError:
            return Settled("not done")  # carried out again, it is refused again
        if evidence.get("do") != call.name:
            return Settled("unknown", f"nothing was recorded about {call.args['file']}; look at it")
        self._running.pop(path, None)
        self.workspace.drop_leftovers(path)
        data = self.workspace.read(path)
        now = None if data is None else _sha(data)
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
        """Bring back every byte, if the file still is as the command left it. Raises CommandError where it is not."""
        if evidence.get("do") not in _RESULTS:
            raise CommandError("this command changed no file; there is nothing to take back")
        path = self.workspace.resolve(evidence["file"])
        name, before = evidence["file"], evidence["before"]
        data = self.workspace.read(path)
        now = None if data is None else _sha(data)
        if now == before:
            return f"{name} is already as it was before."
        if now != evidence["after"]:
            raise CommandError(f"{name} has changed since, so it is left alone; settle it by hand")
        if before is None:
            self.workspace.remove(path, sync=self._sync)
            return f"{name} was removed; it did not exist before."
        if evidence["do"] == "append_to_file":
            if _sha((data or b"")[: evidence["size"]]) != before:
                raise CommandError(f"the start of {name} has changed since, so it is left alone; settle it by hand")
            self._take_back_append(path, evidence)
            return f"{name} is {evidence['size']:,} bytes long again, as before."
        self.workspace.write(path, self._kept(evidence), mode=evidence["mode"], sync=self._sync)
        return f"{name} holds its {evidence['size']:,} bytes of before again."

    def _is_torn(self, data: bytes, evidence: Json, text: str) -> bool:
        start, rest = data[: evidence["size"]], data[evidence["size"] :]
        return _encoded(text).startswith(rest) and evidence["before"] in (_sha(start), None)

    def _take_back_append(self, path: Path, evidence: Json) -> None:
        self._running.pop(path, None)
        if evidence["before"] is None:
            self.workspace.remove(path, sync=self._sync)
        else:
            self.workspace.cut(path, evidence["size"], sync=self._sync)

    def _hash_of(self, path: Path) -> Any:
        """A sha256 object that has seen the whole file, None when there is none.

        Kept while the file looks untouched, so that many appends to one file do not read it again each time.
        """
        found, known = self.workspace.stat(path), self._running.get(path)
        if found is not None and known and known[0] == _stamp(found):
            return known[1]
        data = self.workspace.read(path)
        if data is None:
            return None
        running = hashlib.sha256(data)
        if found is not None and found.st_size == len(data):
            self._remember(path, found, running)
        return running

    def _remember(self, path: Path, found: Any, running: Any) -> None:
        if len(self._running) >= _REMEMBERED:
            self._running.clear()
        self._running[path] = (_stamp(found), running)

    # ------------------------------------------------------------ undo copies

    def _keep_old(self, path: Path) -> None:
        """Lose nothing even where `evidence` could not be gathered, or the file changed after it."""
        old = self.workspace.read(path)
        if old is not None:
            self._keep(old)

    def _keep(self, data: bytes) -> str:
        name = _sha(data)
        try:
            self._undo_folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not (self._undo_folder / name).exists():
                write_atomic(self._undo_folder / name, data, mode=0o600, sync=True)
        except OSError as error:
            why = error.strerror or str(error)
            raise CommandError(f"no undo copy can be kept ({why}), so nothing was changed; free some space") from None
        return name

    def _kept(self, evidence: Json) -> bytes:
        name = evidence.get("kept", "")
        try:
            data = (self._undo_folder / name).read_bytes() if re.fullmatch("[0-9a-f]{64}", name) else b""
        except OSError:
            data = b""
        if _sha(data) != evidence["before"]:
            raise CommandError(f"the undo copy of {evidence['file']} is gone or damaged; nothing was changed")
        return data

    # ------------------------------------------------------------ what the person sees

    def preview(self, call: Call) -> str:
        """A diff for a file that is replaced, the first lines of what is new; a refusal instead of an exception."""
        show: Callable[[Call], str] | None = {
            "write_to_file": self._preview_write,
            "append_to_file": self._preview_append,
            "delete_file": self._preview_delete,
        }.get(call.name)
        try:
            return show(call) if show else ""
        except CommandError as error:
            return f"This will fail: {error}"

    def _preview_write(self, call: Call) -> str:
        name, text = call.args["file"], call.args["text"]
        old = self.workspace.read(self.workspace.resolve(name))
        if old is None:
            return f"new file, {_size(text)}:\n{_first_lines(text)}"
        if old == _encoded(text):
            return "the file already holds exactly this"
        kind = _binary_kind(old)
        if kind:
            return f"replaces {kind} of {len(old):,} bytes by {_size(text)}:\n{_first_lines(text)}"
        return _diff(old.decode("utf-8", "replace"), text, name)

    def _preview_append(self, call: Call) -> str:
        found = self.workspace.stat(self.workspace.resolve(call.args["file"]))
        where = "to a new file" if found is None else f"after {found.st_size:,} bytes"
        return f"adds {_size(call.args['text'])} {where}:\n{_first_lines(call.args['text'])}"

    def _preview_delete(self, call: Call) -> str:
        old = self.workspace.read(self.workspace.resolve(call.args["file"]))
        if old is None:
            return "there is no such file"
        return f"deletes {_binary_kind(old) or 'text'}, {len(old):,} bytes; undo can bring it back"


def _encoded(text: str) -> bytes:
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        raise CommandError("the text holds half a character (a lone surrogate); write it again without it") from None


def _sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _stamp(found: Any) -> tuple[int, ...]:
    """What changes whenever the file does."""
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def _binary_kind(data: bytes) -> str:
    """What these bytes are by their first ones; empty for text.

    Signatures made of plain letters count only beside a zero byte, which text does not hold.
    """
    zero = b"\0" in data[:8192]
    for start, kind in _KINDS:
        if data.startswith(start) and (zero or not start.isascii() or start == b"%PDF-"):
            return kind
    if not zero:
        return ""
    if data[257:262] == b"ustar":
        return "a tar archive"
    return f"binary of no kind that is known here (it starts with {data[:4].hex(' ')})"


def _size(text: str) -> str:
    return f"{_count(len(_encoded(text)), 'byte')} in {_count(len(_lines(text)), 'line')}"


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _lines(text: str) -> list[str]:
    return text.removesuffix("\n").split("\n")


def _ended(text: str) -> list[str]:
    if not text or text.endswith("\n"):
        return text.split("\n")[:-1]
    *lines, last = text.split("\n")
    return [*lines, f"{last} [no newline at the end]"]


def _first_lines(text: str) -> str:
    return _headed(_lines(text), _PREVIEW_LINES)


def _headed(lines: list[str], most: int) -> str:
    if len(lines) <= most:
        return "\n".join(lines)
    return "\n".join([*lines[:most], f"[{len(lines) - most:,} more lines are not shown.]"])


def _diff(old: str, new: str, name: str) -> str:
    """A unified diff; a last line without its newline says so, as that may be all that differs."""
    before, after = _ended(old), _ended(new)
    if len(before) * len(after) > _DIFF_COST:
        was, now = len(_lines(old)), _size(new)
        return f"replaces {was:,} lines by {now}, too long to compare:\n{_first_lines(new)}"
    lines = list(difflib.unified_diff(before, after, f"{name} (now)", f"{name} (then)", lineterm=""))
    return _headed(lines, _DIFF_LINES)


def _shown(name: str) -> str:
    """A name on one line whatever its characters: what another program made may hold a newline."""
    return name if name.isprintable() else ascii(name)
