"""An exported run of a stranger costs little memory and disk, whatever its archive holds, and one place unpacks."""

from __future__ import annotations

import ast
import gzip
import io
import json
import os
import re
import subprocess
import sys
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from autocraft.errors import UsageError
from autocraft.session.atomic import sha256
from autocraft.session.upkeep import archive, unpack
from autocraft.unpacking import MOST_MEMBERS, PIECE, TooMuch, bounded, bounded_lines
from tests.conftest import Place
from tests.sampling import covering
from tests.test_upkeep import play

PACKAGE = Path(__file__).parents[2] / "autocraft"
MB = 1 << 20
MOST_MEMORY = 100 * MB
MEASURED = """
import sys
from pathlib import Path
from autocraft.cli import main
sys.argv = ["autocraft", *sys.argv[1:]]
try:
    code = main()
except SystemExit as end:
    code = end.code
[line] = [line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM:")]
peak = line.split()[1]  # of this program alone: ru_maxrss begins with the memory of the process that forked it
print(f"PEAK {peak} CODE {code}", file=sys.stderr)
"""

UNPACKERS = {
    *(
        "gzip",
        "zlib",
        "tarfile",
        "zipfile",
        "bz2",
        "lzma",
        "zipimport",
        "zstandard",
        "zstd",
        "brotli",
        "brotlicffi",
        "lz4",
    ),
    *("snappy", "py7zr", "rarfile", "compression", "unpack_archive", "node:zlib"),
}
"""Modules and functions that unpack, in Python and in Node."""
IN_BROWSERS = ("DecompressionStream", "gunzip", "inflate", "brotliDecompress", "unzip")
PLACES = {
    "unpacking.py": "the place itself",
    "session/upkeep.py": "packs an export, and names the errors of both modules",
    "session/reading.py": "checksums",
    "commands/web/fetch.py": "names the error",
    "crafting/textures.py": "checksums",
    "crafting/examples.py": "data of the package",
    "evaluation/page/pack.py": "packs our own episodes",
    "evaluation/page/js/unpack.js": "unpacks them in the browser",
    "worlds/minecraft/node/server/plugins/storage.js": "columns of a practice world, of a known length",
}
GIVEN = {
    "cli/options.py": {"open"},
    "brains/scripted.py": {"open"},
    "cli/trust.py": {"read_bytes"},  # settings, of which the hash is looked at
}
"""Where a file that the person gives to a verb is read."""


def unpackers(path: Path) -> set[str]:
    """Return what in a source file unpacks, by its name."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        return {name for name in (*IN_BROWSERS, "node:zlib") if name in text}
    names: set[str] = set()
    for node in ast.walk(ast.parse(text)) if any(name in text for name in UNPACKERS) else ():
        if isinstance(node, ast.Import):
            names |= {part for each in node.names for part in each.name.split(".")}
        elif isinstance(node, ast.ImportFrom):
            names |= {*(node.module or "").split("."), *(each.name for each in node.names)}
        elif isinstance(node, ast.Attribute):
            names.add(node.attr)
    return names & UNPACKERS


def test_one_place_unpacks() -> None:
    files = [path for kind in ("*.py", "*.js", "*.mjs", "*.cjs", "*.html") for path in PACKAGE.rglob(kind)]
    own = [path for path in files if "node_modules" not in path.parts]
    assert len(own) > 450
    assert {str(path.relative_to(PACKAGE)) for path in own if unpackers(path)} == set(PLACES)


@pytest.mark.parametrize(
    "text",
    ["import zipfile", "from gzip import decompress", "import shutil\nshutil.unpack_archive('a')", "import lz4.frame"],
)
def test_a_new_place_that_unpacks_is_seen(tmp_path: Path, text: str) -> None:
    (tmp_path / "new.py").write_text(text)
    assert unpackers(tmp_path / "new.py")


def test_a_file_that_is_given_to_a_verb_is_read_in_pieces() -> None:
    names = ("open", "read_text", "read_bytes", "read", "readlines")
    found: dict[str, set[str]] = {}
    for path in (*sorted((PACKAGE / "cli").glob("*.py")), PACKAGE / "brains" / "scripted.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in names:
                found.setdefault(str(path.relative_to(PACKAGE)), set()).add(node.func.attr)
    assert found == GIVEN


def header(name: str, size: int, kind: bytes = tarfile.REGTYPE) -> bytes:
    member = tarfile.TarInfo(name)
    member.size, member.type = size, kind
    return member.tobuf(tarfile.USTAR_FORMAT if size < 8**11 else tarfile.GNU_FORMAT)


def file(name: str, data: bytes, kind: bytes = tarfile.REGTYPE) -> bytes:
    return header(name, len(data), kind) + data + bytes(-len(data) % 512)


def event(seq: int, kind: str = "note", **more: object) -> bytes:
    return json.dumps({"type": kind, "v": 4, "seq": seq, "t": 1.0, "agent": "main", "turn": 0, **more}).encode() + b"\n"


FIRST = event(1, "goals", goals=[{"text": "craft 1 stick"}], options={"world": "crafting"})


def repeated(start: bytes, part: bytes, size: int, end: bytes = b"") -> Iterator[bytes]:
    """Yield `size` bytes of parts between a start and an end."""
    yield start
    for _ in range(size // MB):
        yield (part * (MB // len(part) + 1))[:MB]
    yield end


def small_members() -> Iterator[bytes]:
    yield file("s/events.jsonl", FIRST)
    for number in range(200_000):
        yield header(f"s/blobs/{number:064x}", 0)


def many_texts() -> Iterator[bytes]:
    """One event that names one text a thousand times."""
    text = b"x" * 1_000_000
    line = event(2, text="", blobs=[[["text"], sha256(text)]] * 1_000)
    yield file("s/events.jsonl", FIRST + line) + file(f"s/blobs/{sha256(text)}", text)


def wide_text(name: str) -> Iterator[bytes]:
    """A text in which one character makes all others four bytes wide."""
    text = b"x" * 3_900_000 + "\U0001f600".encode()
    line = event(2, text="", blobs=[[["text"], sha256(text)]])
    yield file("s/events.jsonl", FIRST + line) + file(f"s/blobs/{sha256(text)}", text)


def one_line(part: bytes, size: int = 990_000) -> Iterator[bytes]:
    start = FIRST + event(2, "note", text="x")[:-2] + b', "more": ['
    inner = (part * (size // len(part) + 1))[: size - size % len(part)]
    yield file("s/events.jsonl", start + inner.rstrip(b",") + b"]}\n")


GIANT = 256 * MB
"""More than twice the memory that a run may take."""
FORMS: dict[str, Callable[[], Iterator[bytes]]] = {
    "an extended header of 256 MB": lambda: repeated(header("s/x", GIANT, tarfile.XHDTYPE), b"x", GIANT),
    "a global header of 256 MB": lambda: repeated(header("s/x", GIANT, tarfile.XGLTYPE), b"x", GIANT),
    "a long name of 256 MB": lambda: repeated(header("s/x", GIANT, tarfile.GNUTYPE_LONGNAME), b"x", GIANT),
    "a long link of 256 MB": lambda: repeated(header("s/x", GIANT, tarfile.GNUTYPE_LONGLINK), b"x", GIANT),
    "a sparse file": lambda: repeated(header("s/events.jsonl", GIANT, tarfile.GNUTYPE_SPARSE), b"\0", GIANT),
    "a journal of 256 MB on one line": lambda: repeated(header("s/events.jsonl", GIANT), b"x", GIANT),
    "a text of 256 MB": lambda: repeated(
        file("s/events.jsonl", FIRST) + header("s/blobs/" + "a" * 64, GIANT), b"x", GIANT
    ),
    "a foreign file of 2 GB": lambda: repeated(header("s/other", 8 * GIANT), b"\0", 2 * GIANT),
    "a trail of 512 MB": lambda: repeated(file("s/events.jsonl", FIRST) + bytes(1024), b"\0", 2 * GIANT),
    "many lines": lambda: repeated(header("s/events.jsonl", GIANT), event(2, text="x"), GIANT),
    "many small members": small_members,
    "one text a thousand times": many_texts,
    "a wide text": lambda: wide_text("a"),
    "deep JSON": lambda: one_line(b"[", 900_000),
    "many lists in a line": lambda: one_line(b"[],"),
    "many tables in a line": lambda: one_line(b'{"a":1},'),
}


def packed(path: Path, parts: Iterator[bytes]) -> None:
    with gzip.open(path, "wb", compresslevel=1) as out:
        for part in parts:
            out.write(part)
        out.write(bytes(1024))


@pytest.mark.full
@pytest.mark.parametrize(("form", "more"), covering(list(FORMS), [(), ("--cassette", "out.jsonl")]))
def test_an_export_of_a_stranger_takes_little_memory(place: Place, form: str, more: tuple[str, ...]) -> None:
    path = place.folder / "stranger.tar.gz"
    packed(path, FORMS[form]())
    environment = {**os.environ, "PYTHONPATH": str(PACKAGE.parent), "TMPDIR": str(place.folder)}
    command = [sys.executable, "-c", MEASURED, "replay", str(path), *more, "--state-dir", str(place.state)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=place.folder, check=False)
    found = re.search(r"PEAK (\d+) CODE (\d+)", done.stderr)
    assert found, done.stderr[-2000:]
    assert int(found[1]) * 1024 <= MOST_MEMORY, f"{int(found[1]) // 1024} MB for {form}"
    assert "Traceback" not in done.stderr
    assert not list((place.state / "unpacked").iterdir()), "the folder is removed"


def test_the_control_reads_a_header_whole(tmp_path: Path) -> None:
    """Python's reader takes as much memory as a header says. The forms are attacks only if this is so."""
    path = tmp_path / "a.tar.gz"
    packed(path, repeated(header("s/x", 8 * MB, tarfile.GNUTYPE_LONGNAME), b"x", 8 * MB, file("s/y", b"")))
    with tarfile.open(path) as tar:
        assert len(tar.getmembers()[0].name) == 8 * MB
    with pytest.raises(UsageError, match="of the type b'L', which an export never has"):
        unpack(path, tmp_path / "new")


@pytest.mark.parametrize(
    "parts",
    [
        file("s/x", b"9 path=s/events.jsonl\n", tarfile.XHDTYPE),
        file("s/x", b"9 size=99999\n", tarfile.XHDTYPE),
        file("s/x", b"30 GNU.sparse.realsize=99999\n", tarfile.XHDTYPE),
        header("s/x", 5000, tarfile.XHDTYPE) + bytes(5120),
        file("s/x", b"9 mtime=1\n", tarfile.XGLTYPE),
        header("s/events.jsonl", 2, tarfile.CHRTYPE),
        header("s/events.jsonl", 0, tarfile.FIFOTYPE),
        header("s/events.jsonl", 2, b"Z"),
        file("s/events.jsonl", FIRST) * 2,
        header("s/blobs/a", 0) * (MOST_MEMBERS + 1),
    ],
)
def test_what_an_export_never_has_is_refused(tmp_path: Path, parts: bytes) -> None:
    packed(tmp_path / "a.tar.gz", iter([parts, file("s/events.jsonl", FIRST)]))
    with pytest.raises(UsageError):
        unpack(tmp_path / "a.tar.gz", tmp_path / "new")


def test_an_export_of_an_earlier_build_is_read(place: Place, tmp_path: Path) -> None:
    """Its entries have extended headers, with the time to a fraction of a second."""
    folder = place.state / "sessions" / play(place)
    with tarfile.open(tmp_path / "old.tar.gz", "w:gz") as tar:
        for name in ("events.jsonl", "blobs"):
            tar.add(folder / name, f"{folder.name}/{name}")
    data = gzip.decompress((tmp_path / "old.tar.gz").read_bytes())
    assert b"mtime=" in data, "the control"
    journal = unpack(tmp_path / "old.tar.gz", tmp_path / "new") / "events.jsonl"
    assert journal.read_bytes() == (folder / "events.jsonl").read_bytes()


@pytest.mark.parametrize("lines", [1, 20_000])
def test_an_own_export_is_within_its_budget(tmp_path: Path, lines: int) -> None:
    """A journal that repeats one line packs better than 1 to 100, so it is written unpacked."""
    folder = tmp_path / "20260101-000000-000000"
    (folder / "blobs").mkdir(parents=True)
    (folder / "events.jsonl").write_bytes(FIRST + b"".join([event(2, text="x" * 200)] * lines))
    text = b"a" * 3_000_000
    (folder / "blobs" / sha256(text)).write_bytes(text)
    assert archive(folder, tmp_path / "a.tar.gz")[1] == ""
    there = unpack(tmp_path / "a.tar.gz", tmp_path / "new")
    assert (there / "events.jsonl").read_bytes() == (folder / "events.jsonl").read_bytes()
    assert (there / "blobs" / sha256(text)).read_bytes() == text
    data = gzip.decompress((tmp_path / "a.tar.gz").read_bytes())
    with tarfile.open(fileobj=io.BytesIO(data)) as tar:
        assert {member.type for member in tar.getmembers()} == {tarfile.REGTYPE}


# ---------------------------------------------------------------- plain files


def measured(place: Place, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a verb that says on standard error how much memory it took."""
    environment = {**place.environment, "PYTHONPATH": str(PACKAGE.parent), "MEMORY_BACKEND": "local"}
    command = [sys.executable, "-c", MEASURED, *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=environment, cwd=place.folder, check=False)


ROW = '{"id": "a", "text": "x", "metadata": {"more": [%s]}}\n'


@pytest.mark.full
@pytest.mark.parametrize("part", ["[]", '{"a":1}', "1", '"x"'])
def test_an_import_of_a_stranger_takes_little_memory(place: Place, part: str) -> None:
    (place.folder / "rows.jsonl").write_text(ROW % ",".join([part] * (1_000_000 // (len(part) + 1))))
    done = measured(place, "memory", "import", "rows.jsonl", "--state-dir", str(place.state))
    found = re.search(r"PEAK (\d+) CODE (\d+)", done.stderr)
    assert found and int(found[1]) * 1024 <= MOST_MEMORY, done.stderr[-2000:]
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("verb", "says"),
    [
        (("memory", "import"), "cannot read FILE: a line of it has more than 4,000,000 bytes; give a part of it"),
        (("run", "--goal", "craft 1 stick", "--brain", "scripted", "--script"),
         "cannot read the script FILE: a line of it has more than 16,000,000 bytes; name another with --script"),
        (("fix-json",), "cannot read FILE: it has more than 268,435,456 bytes; give a part of it"),
    ],
)  # fmt: skip
def test_a_file_of_too_many_bytes_is_one_line(place: Place, verb: tuple[str, ...], says: str) -> None:
    """The file is sparse: it takes no disk, and would take 8 GB of memory."""
    with (place.folder / "big.jsonl").open("wb") as file:
        file.truncate(8 << 30)
    done = place.run(*verb, "big.jsonl")
    assert done.returncode == 2 and says.replace("FILE", "big.jsonl") in " ".join(done.stderr.split()), done.stderr
    assert len(done.stderr.strip().splitlines()) <= 2 and "Traceback" not in done.stderr


def test_lines_are_those_of_the_file(tmp_path: Path) -> None:
    for data in (b"", b"a", b"a\n", b"a\nb", b"\n\n", b"x" * PIECE + b"\ny" + b"z" * PIECE, b"\r\n\x0c"):
        assert list(bounded_lines(io.BytesIO(data), 2 * PIECE)) == data.split(b"\n")
    with pytest.raises(TooMuch, match="a line of it has more than 3 bytes"):
        list(bounded_lines(io.BytesIO(b"abc\nabcd"), 3))
    with pytest.raises(TooMuch, match="it has more than 7 bytes"):
        list(bounded(io.BytesIO(b"abc\nabcd"), 7))


@pytest.mark.parametrize(
    ("line", "texts", "why"),
    [
        (b"x" * 1_000_001, [], "a line of its journal has more than 1,000,000 bytes"),
        (b"", [os.urandom(4_000_001)], "a text in it has more than 4,000,000 bytes"),
        (b"", [b"%d" % number for number in range(MOST_MEMBERS)], "it has more than 5,000 entries"),
    ],
    ids=["line", "text", "entries"],
)
@pytest.mark.sampled(1)
def test_an_export_that_cannot_be_replayed_says_so(place: Place, line: bytes, texts: list[bytes], why: str) -> None:
    folder = place.state / "sessions" / "20260101-000000-000000"
    (folder / "blobs").mkdir(parents=True)
    (folder / "events.jsonl").write_bytes(FIRST + line + b"\n" * bool(line))
    for text in texts:
        (folder / "blobs" / sha256(text)).write_bytes(text)
    done = place.run("sessions", "export", "--to", "a.tar.gz")
    assert done.returncode == 0 and f"`autocraft replay` cannot take it ({why}): fork" in " ".join(done.stdout.split())
    refused = place.run("replay", "a.tar.gz")
    assert refused.returncode == 2 and why in " ".join(refused.stderr.split())


@pytest.mark.full
def test_an_export_of_more_than_an_archive_may_hold_says_so(tmp_path: Path) -> None:
    folder = tmp_path / "20260101-000000-000000"
    (folder / "blobs").mkdir(parents=True)
    with (folder / "events.jsonl").open("wb") as file:
        file.write(FIRST)
        for _ in range(275):
            file.write(event(2, text="x" * 990_000))
    size, why = archive(folder, tmp_path / "a.tar.gz")
    assert why == "it holds more than 268,435,456 bytes" and size > 268_435_456
    with pytest.raises(UsageError, match="it holds more than 268,435,456 bytes"):
        unpack(tmp_path / "a.tar.gz", tmp_path / "new")


def test_folders_of_killed_replays_are_removed(place: Place) -> None:
    play(place)
    assert place.run("sessions", "export", "--to", "run.tar.gz").returncode == 0
    left = place.state / "unpacked" / "999999"
    (left / "session").mkdir(parents=True)
    done = place.run("replay", "run.tar.gz")
    assert done.returncode == 0, done.stderr
    assert list((place.state / "unpacked").iterdir()) == []
