"""The file commands on real files: their results, what they keep, and how a killed one is settled and undone."""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import json
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any
from unicodedata import normalize

import pytest

from autocraft.commands.files import FileCommands
from autocraft.commands.workspace import FileCaps, Workspace
from autocraft.errors import CommandError, PathRefused
from autocraft.protocols import Call, Json, Risk, commands_of
from tests import hooks

WRITTEN, APPENDED, DELETED = (
    "File written to successfully.",
    "Text appended successfully.",
    "File deleted successfully.",
)


class House:
    """A family on a folder of its own, called as the loop calls it."""

    def __init__(self, folder: Path, **caps: int) -> None:
        self.root = folder / "workspace"
        self.undo = folder / "undo"
        self.root.mkdir(exist_ok=True)
        self.family = FileCommands(Workspace(self.root, FileCaps(**caps)), self.undo)
        self.commands = {each.name: each for each in commands_of(self.family)}

    def call(self, name: str, **args: Any) -> Call:
        found = self.commands[name]
        return Call(found, args, found.risk_of(args), id="session:1")

    def effect(self, call: Call) -> Any:
        return asyncio.run(call.command.run(self.family, call, **call.args))  # type: ignore[arg-type]

    def do(self, name: str, **args: Any) -> Any:
        return self.effect(self.call(name, **args))

    def evidence(self, call: Call) -> Json:
        """As the journal gives it back."""
        kept: Json = json.loads(json.dumps(hooks.evidence(self.family, call)))
        return kept

    def do_kept(self, name: str, **args: Any) -> Json:
        call = self.call(name, **args)
        evidence = self.evidence(call)
        self.effect(call)
        return evidence

    def tree(self) -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in self.family.workspace.files()}


@pytest.fixture
def house(tmp_path: Path) -> House:
    return House(tmp_path)


# ---------------------------------------------------------------- commands


def test_auto_gpt_s_names_arguments_and_words(house: House) -> None:
    assert {name: [p.name for p in each.parameters] for name, each in house.commands.items()} == {
        "read_file": ["file", "page"],
        "write_to_file": ["file", "text"],
        "append_to_file": ["file", "text"],
        "delete_file": ["file"],
        "edit_file": ["file", "old", "new"],
        "list_files": ["directory"],
        "search_text": ["text", "directory"],
    }
    assert house.do("write_to_file", file="notes/a.txt", text="one\n") == WRITTEN
    assert house.do("append_to_file", file="notes/a.txt", text="two\n") == APPENDED
    assert house.do("read_file", file="notes/a.txt") == "one\ntwo\n"
    assert house.do("delete_file", file="notes/a.txt") == DELETED
    assert house.do("list_files") == "[No files.]"
    with pytest.raises(CommandError, match=r"there is no file notes/a\.txt"):
        house.do("read_file", file="notes/a.txt")
    with pytest.raises(CommandError, match="there is no file"):
        house.do("delete_file", file="notes/a.txt")


def test_a_file_in_a_folder_that_is_not_there_is_named_by_its_ending(house: House) -> None:
    house.do("write_to_file", file="sub/in.txt", text="x")
    with pytest.raises(CommandError, match=r"there is no file .*; did you mean sub/in\.txt\?"):
        house.do("read_file", file="auto_gpt_workspace/sub/in.txt")
    with pytest.raises(CommandError, match="is outside"):
        house.do("read_file", file="a/../../b")
    with pytest.raises(CommandError, match=r"in the workspace$"):
        house.do("read_file", file="else/where.txt")


def test_risk_depends_on_what_would_be_lost(house: House) -> None:
    house.do("write_to_file", file="old.txt", text="")
    risks = {
        ("read_file", "old.txt"): Risk.LOOK,
        ("write_to_file", "new.txt"): Risk.CHANGE,
        ("write_to_file", "old.txt"): Risk.DESTROY,
        ("write_to_file", "../out.txt"): Risk.DESTROY,
        ("append_to_file", "old.txt"): Risk.CHANGE,
        ("delete_file", "old.txt"): Risk.DESTROY,
    }
    texts = {"write_to_file": {"text": ""}, "append_to_file": {"text": ""}}
    assert {key: house.call(key[0], file=key[1], **texts.get(key[0], {})).risk for key in risks} == risks
    assert house.call("list_files").risk is Risk.LOOK


@pytest.mark.parametrize(
    "name, args",
    [
        ("read_file", {}),
        ("write_to_file", {"text": "x"}),
        ("append_to_file", {"text": "x"}),
        ("delete_file", {}),
    ],
)
def test_nothing_reaches_outside(house: House, tmp_path: Path, name: str, args: dict[str, str]) -> None:
    secret = tmp_path / "workspace2"
    secret.write_text("secret")
    for file in ("../workspace2", str(secret)):
        call = house.call(name, file=file, **args)
        with pytest.raises(PathRefused):
            house.effect(call)
        if name != "read_file":
            with pytest.raises(PathRefused):
                house.evidence(call)
            assert "give a path inside" in hooks.preview(house.family, call)
    assert secret.read_text() == "secret"
    assert not house.undo.exists()


@pytest.mark.parametrize("text", ["", "a\r\nb\rc\n", "no newline", "naïve 岩 👩‍🌾\n", "\ufeffbom", "nul\0"])
def test_text_is_kept_byte_for_byte(house: House, text: str) -> None:
    house.do("write_to_file", file="a", text=text)
    assert (house.root / "a").read_bytes() == text.encode()
    house.do("append_to_file", file="a", text=text)
    assert (house.root / "a").read_bytes() == text.encode() * 2
    if text and "\0" not in text:
        assert house.do("read_file", file="a") == (text * 2).removeprefix("\ufeff")


def test_a_mark_of_utf_8_is_no_part_of_the_text_and_stays(house: House) -> None:
    (house.root / "notepad.txt").write_text("one\r\ntwo\r\n", encoding="utf-8-sig", newline="")
    assert house.do("read_file", file="notepad.txt") == "one\r\ntwo\r\n"
    assert house.do("search_text", text="one") == "notepad.txt:1: one"
    house.do("edit_file", file="notepad.txt", old="one\ntwo", new="1\n2")
    house.do("append_to_file", file="notepad.txt", text="3\n")
    assert (house.root / "notepad.txt").read_bytes() == b"\xef\xbb\xbf1\r\n2\r\n3\r\n"
    call = house.call("write_to_file", file="notepad.txt", text="1\n")
    assert "with a mark and would be UTF-8" in hooks.preview(house.family, call)


@pytest.mark.parametrize("apart", [True, False], ids=["there apart", "asked apart"])
def test_a_name_means_the_file_that_is_there_in_another_normal_form(house: House, apart: bool) -> None:
    forms = [normalize("NFC", "café/한.txt"), normalize("NFD", "café/한.txt")]
    same, name = forms if apart else forms[::-1]
    (house.root / name).parent.mkdir(parents=True)
    (house.root / name).write_text("old")
    assert house.do("read_file", file=same) == "old"
    assert house.call("write_to_file", file=same, text="new").risk is Risk.DESTROY
    house.do("write_to_file", file=same, text="new")
    assert house.do("list_files", directory=same.split("/")[0]) == name
    assert [each.read_text() for each in house.root.rglob("*.txt")] == ["new"], "no second file was made"
    (house.root / same).parent.mkdir()
    (house.root / same).write_text("exactly this")
    assert house.do("read_file", file=same) == "exactly this", "a name that is there as it is written comes first"


def test_no_other_form_of_a_name_leads_out_of_the_workspace(house: House, tmp_path: Path) -> None:
    (tmp_path / normalize("NFD", "é.txt")).write_text("secret")
    (house.root / normalize("NFD", "ü.txt")).symlink_to(tmp_path / normalize("NFD", "é.txt"))
    for file in ("../é.txt", "ü.txt", normalize("NFD", "ü.txt")):
        with pytest.raises(CommandError, match="is outside"):
            house.do("read_file", file=file)


def test_half_a_character_is_refused_and_changes_nothing(house: House) -> None:
    house.do("write_to_file", file="a", text="old")
    for name in ("write_to_file", "append_to_file"):
        call = house.call(name, file="a", text="x\ud800")
        for act in (house.effect, house.evidence):
            with pytest.raises(CommandError, match="half a character"):
                act(call)
        assert "half a character" in hooks.preview(house.family, call)
    assert house.tree() == {"a": b"old"}


def test_reading_what_is_not_utf8(house: House) -> None:
    (house.root / "latin1.txt").write_bytes("größer".encode("latin-1"))
    assert house.do("read_file", file="latin1.txt") == "[In Windows-1252.]\ngrößer"
    (house.root / "broken.log").write_bytes("größer und größer\n".encode() + b"\xff\x81")
    assert "gr" in house.do("read_file", file="broken.log")
    house.do("write_to_file", file="empty", text="")
    assert house.do("read_file", file="empty") == "[The file is empty.]"


@pytest.mark.parametrize(
    "data, kind",
    [
        (b"\x89PNG\r\n\x1a\n", "a PNG image"),
        (b"%PDF-1.7\nwords", "a PDF document"),
        (gzip.compress(b"words", mtime=0), "a gzip archive"),
        (b"PK\x03\x04\x14\x00", "a ZIP archive"),
        (b"SQLite format 3\x00", "an SQLite database"),
        (Path(sys.executable).resolve().read_bytes()[:100], "program"),
        (b"x" * 257 + b"ustar\0", "a tar archive"),
        ("text".encode("utf-16")[:-1], "damaged text in UTF-16"),
        ("text".encode("utf-16-le"), "binary"),
        (b"\xff\x01\x02words", "binary"),
        (b"words and \0 then", r"binary .* 77 6f 72 64"),
    ],
)
def test_binary_is_refused_with_its_kind(house: House, data: bytes, kind: str) -> None:
    (house.root / "a").write_bytes(data)
    with pytest.raises(CommandError, match=kind):
        house.do("read_file", file="a")


@pytest.mark.parametrize("text", ["BZh is how it starts", "MZ", "GIF89a", "ID3 tags", "PK"])
def test_letters_that_begin_like_a_binary_file_are_text(house: House, text: str) -> None:
    house.do("write_to_file", file="a", text=text)
    assert house.do("read_file", file="a") == text


def test_reading_is_capped_and_says_so(tmp_path: Path) -> None:
    house = House(tmp_path, max_read_chars=19)
    house.do("write_to_file", file="a", text="岩" * 1234)
    head = "[Page 1 of 124, lines 1 to 1 of 1. read_file with page=2 goes on.]"
    assert house.do("read_file", file="a") == f"{head}\n1| {'岩' * 10}"
    house.do("write_to_file", file="b", text="岩" * 10)
    assert house.do("read_file", file="b") == "岩" * 10


def test_size_cap_is_an_error_before_the_effect(tmp_path: Path) -> None:
    house = House(tmp_path, max_bytes=10)
    house.do("write_to_file", file="a", text="12345")
    for name, text in [("write_to_file", "x" * 11), ("append_to_file", "x" * 6)]:
        with pytest.raises(CommandError, match="size cap"):
            house.do(name, file="a", text=text)
    (house.root / "big").write_bytes(b"x" * 11)
    for name, args in [("read_file", {}), ("delete_file", {}), ("write_to_file", {"text": ""})]:
        with pytest.raises(CommandError, match="size cap"):
            house.do(name, file="big", **args)
    assert house.tree() == {"a": b"12345", "big": b"x" * 11}


def test_list_files(house: House, tmp_path: Path) -> None:
    (house.root / ".git").mkdir(parents=True)
    (house.root / ".git" / "config").write_text("x")
    for file in ("b.txt", "a/2.txt", "a/1.txt", "a/.hidden"):
        house.do("write_to_file", file=file, text="x")
    (house.root / "a" / "two\nlines").write_text("")
    assert house.do("list_files") == "a/1.txt\na/2.txt\n'a/two\\nlines'\nb.txt"
    assert house.do("list_files", directory="/") == house.do("list_files", directory="")
    assert house.do("list_files", directory="a") == "a/1.txt\na/2.txt\n'a/two\\nlines'"
    for directory in ("missing", "b.txt"):
        with pytest.raises(CommandError, match="no folder"):
            house.do("list_files", directory=directory)
    with pytest.raises(PathRefused):
        house.do("list_files", directory="..")


def test_new_files_are_private_and_old_ones_keep_their_bits(house: House) -> None:
    house.do("write_to_file", file="new", text="x")
    house.do("append_to_file", file="new2", text="x")
    (house.root / "script").write_text("old")
    (house.root / "script").chmod(0o755)
    kept = house.do_kept("write_to_file", file="script", text="new")
    bits = {name: stat.S_IMODE((house.root / name).stat().st_mode) for name in house.tree()}
    assert bits == {"new": 0o600, "new2": 0o600, "script": 0o755}
    assert [stat.S_IMODE(copy.stat().st_mode) for copy in house.undo.iterdir()] == [0o600]
    assert stat.S_IMODE(house.undo.stat().st_mode) == 0o700
    deleted = house.do_kept("delete_file", file="script")
    hooks.undo(house.family, deleted)
    assert stat.S_IMODE((house.root / "script").stat().st_mode) == 0o755
    hooks.undo(house.family, kept)
    assert (house.root / "script").read_text() == "old"


def test_file_that_appears_after_a_mild_approval_is_not_overwritten(house: House) -> None:
    call = house.call("write_to_file", file="a", text="mine")
    assert call.risk is Risk.CHANGE
    (house.root / "a").write_text("yours")
    with pytest.raises(CommandError, match="propose the command again"):
        house.effect(call)
    assert house.tree() == {"a": b"yours"}


# ---------------------------------------------------------------- evidence, settle, undo

BINARY_OLD = bytes(range(256))
CASES: list[tuple[str, bytes | None, str | None]] = [
    ("write_to_file", None, "new\n"),
    ("write_to_file", None, ""),
    ("write_to_file", b"old\r\n", "new\n"),
    ("write_to_file", BINARY_OLD, "new\n"),
    ("write_to_file", b"", "new"),
    ("append_to_file", None, "line 1\n"),
    ("append_to_file", b"", "line 1\n"),
    ("append_to_file", b"line 1\n", "line 2\n"),
    ("append_to_file", BINARY_OLD, "line"),
    ("append_to_file", b"ab", "ab"),
    ("delete_file", b"old\r\n", None),
    ("delete_file", BINARY_OLD, None),
    ("delete_file", b"", None),
]


def started(house: House, name: str, old: bytes | None, text: str | None) -> tuple[Call, Json, Path]:
    file = house.root / "a"
    if old is not None:
        file.write_bytes(old)
    call = house.call(name, file="a", **({} if text is None else {"text": text}))
    return call, house.evidence(call), file


def content(file: Path) -> bytes | None:
    return file.read_bytes() if file.exists() else None


@pytest.mark.parametrize("name, old, text", CASES)
def test_killed_before_the_effect(house: House, name: str, old: bytes | None, text: str | None) -> None:
    call, evidence, file = started(house, name, old, text)
    assert hooks.settle(house.family, call, evidence).outcome == "not done"
    assert content(file) == old
    assert house.effect(call)
    assert hooks.settle(house.family, call, evidence).outcome == "done"


@pytest.mark.parametrize("name, old, text", CASES)
def test_killed_after_the_effect(house: House, name: str, old: bytes | None, text: str | None) -> None:
    call, evidence, file = started(house, name, old, text)
    said = house.effect(call)
    after = content(file)
    settled = hooks.settle(house.family, call, evidence)
    assert (settled.outcome, settled.text) == ("done", said)
    assert content(file) == after


@pytest.mark.parametrize("name, old, text", CASES)
def test_undo_brings_every_byte_back_and_can_be_repeated(
    house: House, name: str, old: bytes | None, text: str | None
) -> None:
    _, evidence, file = started(house, name, old, text)
    house.do(name, file="a", **({} if text is None else {"text": text}))
    assert content(file) != old
    hooks.undo(house.family, evidence)
    assert content(file) == old
    assert "already" in hooks.undo(house.family, evidence)
    assert content(file) == old


@pytest.mark.parametrize("name, old, text", CASES)
def test_what_somebody_else_changed_is_unknown_and_left_alone(
    house: House, name: str, old: bytes | None, text: str | None
) -> None:
    call, evidence, file = started(house, name, old, text)
    house.effect(call)
    file.write_bytes(b"somebody else's")
    settled = hooks.settle(house.family, call, evidence)
    assert settled.outcome == "unknown"
    assert "15 bytes" in settled.text
    with pytest.raises(CommandError, match="left as it is"):
        hooks.undo(house.family, evidence)
    assert file.read_bytes() == b"somebody else's"


@pytest.mark.parametrize("old", [None, b"", b"before\n", BINARY_OLD])
def test_torn_append_is_cut_back_wherever_it_tore(house: House, old: bytes | None) -> None:
    text = "line 岩\n"
    call, evidence, file = started(house, "append_to_file", old, text)
    for size in range(len(text.encode())):
        file.write_bytes((old or b"") + text.encode()[:size])
        assert hooks.settle(house.family, call, evidence).outcome == "not done"
        assert content(file) == old
    house.effect(call)
    assert file.read_bytes() == (old or b"") + text.encode()


def test_append_torn_and_then_changed_is_unknown(house: House) -> None:
    call, evidence, file = started(house, "append_to_file", b"before\n", "line\n")
    for now in (b"before\nlix", b"BEFORE\nli", b"befo", b"before\nline\nmore"):
        file.write_bytes(now)
        assert hooks.settle(house.family, call, evidence).outcome == "unknown"
        assert file.read_bytes() == now
    file.unlink()
    assert "is gone" in hooks.settle(house.family, call, evidence).text


def test_leftover_of_a_killed_write_is_removed_by_settling(house: House) -> None:
    call, evidence, _ = started(house, "write_to_file", b"old", "new")
    leftover = house.root / ".a.0123456789ab.tmp"
    leftover.write_text("ne")
    assert hooks.settle(house.family, call, evidence).outcome == "not done"
    assert not leftover.exists()


def test_write_of_the_same_content_and_delete_of_nothing_settle_as_not_done(house: House) -> None:
    call, evidence, _ = started(house, "write_to_file", b"same", "same")
    assert hooks.settle(house.family, call, evidence).outcome == "not done"
    (house.root / "a").unlink()
    call, evidence, _ = started(house, "delete_file", None, None)
    assert hooks.settle(house.family, call, evidence).outcome == "not done"
    with pytest.raises(CommandError, match="there is no file"):
        house.effect(call)


def test_settling_without_evidence(house: House) -> None:
    for call in (house.call("read_file", file="a"), house.call("list_files")):
        assert hooks.evidence(house.family, call) == {}
        assert hooks.settle(house.family, call, {}).outcome == "not done"
    assert hooks.settle(house.family, house.call("delete_file", file="a"), {}).outcome == "unknown"
    assert hooks.settle(house.family, house.call("delete_file", file="../a"), {}).outcome == "not done"
    with pytest.raises(CommandError, match="nothing to take back"):
        hooks.undo(house.family, {})


def test_undo_of_many_steps_newest_first(house: House) -> None:
    trees, kept = [house.tree()], []
    for name, args in [
        ("write_to_file", {"text": "1"}),
        ("append_to_file", {"text": "2"}),
        ("append_to_file", {"text": "3"}),
        ("write_to_file", {"text": "4"}),
        ("delete_file", {}),
        ("append_to_file", {"text": "5"}),
        ("delete_file", {}),
    ]:
        kept.append(house.do_kept(name, file="folder/a", **args))
        trees.append(house.tree())
    for evidence, tree in zip(reversed(kept), reversed(trees[:-1]), strict=True):
        hooks.undo(house.family, evidence)
        assert house.tree() == tree


def test_undo_out_of_order_is_refused(house: House) -> None:
    first = house.do_kept("write_to_file", file="a", text="1")
    house.do_kept("append_to_file", file="a", text="2")
    with pytest.raises(CommandError, match="has changed since"):
        hooks.undo(house.family, first)
    assert house.tree() == {"a": b"12"}


def test_lost_or_damaged_undo_copy(house: House) -> None:
    house.do("write_to_file", file="a", text="old")
    evidence = house.do_kept("write_to_file", file="a", text="new")
    copy = house.undo / evidence["kept"]
    copy.write_text("damaged")
    for _ in range(2):
        with pytest.raises(CommandError, match="gone or damaged"):
            hooks.undo(house.family, evidence)
        copy.unlink(missing_ok=True)
    for forged in ("../workspace/a", "", "/etc/passwd"):
        with pytest.raises(CommandError, match="gone or damaged"):
            hooks.undo(house.family, evidence | {"kept": forged})
    assert house.tree() == {"a": b"new"}


def test_forged_evidence_stays_in_the_workspace(house: House, tmp_path: Path) -> None:
    evidence = house.do_kept("write_to_file", file="a", text="x")
    (tmp_path / "b").write_text("x")
    with pytest.raises(PathRefused):
        hooks.undo(house.family, evidence | {"file": "../b"})
    assert (tmp_path / "b").exists()


def test_nothing_is_overwritten_when_no_copy_can_be_kept(house: House) -> None:
    house.do("write_to_file", file="a", text="old")
    house.undo.write_text("a file where the folder should be")
    for call in (house.call("write_to_file", file="a", text="new"), house.call("delete_file", file="a")):
        for act in (house.evidence, house.effect):
            with pytest.raises(CommandError, match="nothing was changed"):
                act(call)
    assert house.tree() == {"a": b"old"}


def test_what_changed_between_evidence_and_effect_is_kept_all_the_same(house: House) -> None:
    house.do("write_to_file", file="a", text="old")
    call = house.call("delete_file", file="a")
    house.evidence(call)
    (house.root / "a").write_text("newer")
    house.effect(call)
    assert sorted(copy.read_text() for copy in house.undo.iterdir()) == ["newer", "old"]


def test_evidence_of_appends_is_right_also_when_others_write_in_between(house: House) -> None:
    whole = b""
    for n in range(60):
        if n % 7 == 3:
            (house.root / "a").write_bytes(whole := b"other " + whole[:-1])
        evidence = house.do_kept("append_to_file", file="a", text=f"line {n}\n")
        assert evidence["before"] == (hashlib.sha256(whole).hexdigest() if n else None)
        whole += f"line {n}\n".encode()
        assert evidence["after"] == hashlib.sha256(whole).hexdigest()
    assert house.tree() == {"a": whole}


APPENDS = """
import asyncio, sys
from pathlib import Path
sys.path.insert(0, str(Path(sys.argv[2]).parent))
from test_files import House
house = House(Path(sys.argv[1]))
reads = 0
def count(event, args):
    global reads
    if event == "open" and str(args[0]).endswith("log.txt") and args[2] & 3 == 0:
        reads += 1
sys.addaudithook(count)
for n in range(10_000):
    house.do_kept("append_to_file", file="log.txt", text=f"line {n}\\n")
print(reads)
"""


@pytest.mark.full
def test_ten_thousand_appends_do_not_read_the_file_again(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", APPENDS, str(tmp_path), __file__], capture_output=True, text=True, check=True
    )
    assert int(done.stdout) <= 2
    assert (tmp_path / "workspace" / "log.txt").read_text() == "".join(f"line {n}\n" for n in range(10_000))


# ---------------------------------------------------------------- kill -9

KILLED = """
import sys
from pathlib import Path
sys.path.insert(0, str(Path(sys.argv[2]).parent))
from test_files import House, json
house = House(Path(sys.argv[1]))
n = int(sys.argv[3])
while True:
    n += 1
    calls = [house.call("append_to_file", file="log.txt", text=f"line {n} " + "x" * 20_000 + "\\n")]
    calls += [house.call("write_to_file", file="last.txt", text=f"{n}" * 10_000)]
    for call in calls:
        print(json.dumps([n, call.name, call.args, house.evidence(call)]), flush=True)
        house.effect(call)
        print(json.dumps("done"), flush=True)
"""


@pytest.mark.full
def test_kill_minus_nine_leaves_every_line_exactly_once(tmp_path: Path) -> None:
    n = 0
    outcomes: set[str] = set()
    for round_ in range(12):
        child = subprocess.Popen(
            [sys.executable, "-c", KILLED, str(tmp_path), __file__, str(n)], stdout=subprocess.PIPE, text=True
        )
        assert child.stdout is not None
        events = [json.loads(child.stdout.readline()) for _ in range(5 + round_)]
        os.kill(child.pid, signal.SIGKILL)
        events += [json.loads(line) for line in child.stdout.read().splitlines() if line.endswith(("]", '"'))]
        child.stdout.close()
        child.wait()
        house = House(tmp_path)
        intents = [event for event in events if event != "done"]
        n, name, args, evidence = intents[-1]
        if events[-1] != "done":
            call = house.call(name, **args)
            outcome = hooks.settle(house.family, call, evidence).outcome
            outcomes.add(outcome)
            if outcome == "not done":
                house.effect(call)
        if name == "append_to_file":  # the killed run would have gone on with this
            house.do("write_to_file", file="last.txt", text=f"{n}" * 10_000)
        lines = (tmp_path / "workspace" / "log.txt").read_text().splitlines()
        assert [line.split()[1] for line in lines] == [str(i) for i in range(1, n + 1)]
        assert {len(line.split()[2]) for line in lines} == {20_000}
        assert (tmp_path / "workspace" / "last.txt").read_text() == f"{n}" * 10_000
        assert sorted(house.tree()) == ["last.txt", "log.txt"]
    assert "unknown" not in outcomes


# ---------------------------------------------------------------- preview


def test_preview_of_a_replaced_file_is_a_diff(house: House) -> None:
    house.do("write_to_file", file="a", text="one\ntwo\nthree\n")
    shown = hooks.preview(house.family, house.call("write_to_file", file="a", text="one\n2\nthree\n"))
    assert shown.splitlines() == ["--- a (now)", "+++ a (then)", "@@ -1,3 +1,3 @@", " one", "-two", "+2", " three"]


def test_preview_shows_a_change_of_newlines_alone(house: House) -> None:
    house.do("write_to_file", file="a", text="one\n")
    assert "+one\\x0d" in hooks.preview(house.family, house.call("write_to_file", file="a", text="one\r\n"))
    shown = hooks.preview(house.family, house.call("write_to_file", file="a", text="one"))
    assert shown.splitlines()[2:] == ["@@ -1 +1 @@", "-one", "+one [no newline at the end]"]
    assert "already holds" in hooks.preview(house.family, house.call("write_to_file", file="a", text="one\n"))


def test_preview_of_new_long_and_binary_files(house: House) -> None:
    text = "".join(f"line {n}\n" for n in range(1_000))
    shown = hooks.preview(house.family, house.call("write_to_file", file="a", text=text))
    assert shown.startswith("new file, 8,890 bytes in 1,000 lines:\nline 0\n")
    assert shown.endswith("\nline 998\nline 999"), "the view folds it, and /page shows all of it"
    house.do("write_to_file", file="a", text=text)
    shown = hooks.preview(house.family, house.call("write_to_file", file="a", text=text.replace("line", "row")))
    assert shown.count("\n-line ") == shown.count("\n+row ") == 1_000
    lines = [f"{n}\n" for n in range(4_000)]
    house.do("write_to_file", file="a", text="".join(lines))
    shown = hooks.preview(house.family, house.call("write_to_file", file="a", text="".join(reversed(lines))))
    assert shown.startswith("replaces 4,000 lines by 18,890 bytes in 4,000 lines, too long to compare:\n3999\n")
    assert "adds 2 bytes in 1 line after 18,890 bytes:\nz" in hooks.preview(
        house.family, house.call("append_to_file", file="a", text="z\n")
    )
    (house.root / "b").write_bytes(b"\x89PNG\r\n\x1a\n")
    assert "replaces a PNG image of 8 bytes" in hooks.preview(
        house.family, house.call("write_to_file", file="b", text="x")
    )
    assert hooks.preview(house.family, house.call("delete_file", file="b")).startswith("deletes a PNG image, 8 bytes")
    assert hooks.preview(house.family, house.call("delete_file", file="c")) == "there is no such file"
    assert hooks.preview(house.family, house.call("read_file", file="a")) == ""


def test_preview_changes_nothing(house: House) -> None:
    house.do("write_to_file", file="a", text="old")
    before = house.tree()
    for name, args in [("write_to_file", {"text": "x"}), ("append_to_file", {"text": "x"}), ("delete_file", {})]:
        for file in ("a", "new/b"):
            hooks.preview(house.family, house.call(name, file=file, **args))
    assert house.tree() == before
    assert not (house.root / "new").exists()
    assert not house.undo.exists()
