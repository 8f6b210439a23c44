"""Reads for the file commands: a file in pages, the list of files, and the lines that contain a text.

A search is for plain text, since the search for a model's pattern might never end.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from autocraft.commands.coding import BINARY, Coding, binary_kind, decode
from autocraft.commands.pages import page_of
from autocraft.commands.previews import one_line
from autocraft.commands.workspace import Workspace
from autocraft.errors import CommandError, NoFile

_BEFORE, _AROUND = 60, 200
"""Characters of a long line that are shown: before the match, and in all."""


def page_of_file(workspace: Workspace, file: str, number: int) -> str:
    """Return a small file unchanged, or a page of a large one with line numbers.

    Raises CommandError if the file is not text, or has no such page.
    """
    coding, text = text_of(workspace, file)
    caps = workspace.caps
    page = page_of(text, number, caps.max_read_lines, caps.max_read_chars)
    if page is None:
        first = page_of(text, 1, caps.max_read_lines, caps.max_read_chars)
        raise CommandError(f"{file} has pages 1 to {first.pages if first else 1}, and no page {number}")
    notes = [] if coding.codec == "utf-8" else [f"In {coding.name}."]
    if page.pages > 1:
        notes.append(f"Page {number:,} of {page.pages:,}, lines {page.first:,} to {page.last:,} of {page.lines:,}.")
        notes += [f"read_file with page={number + 1} goes on."] if number < page.pages else []
    body = page.rows if page.pages > 1 else text or "[The file is empty.]"
    return f"[{' '.join(notes)}]\n{body}" if notes else body


def _ending_of(workspace: Workspace, file: str) -> str:
    """Return the longest ending of a path that is a file, as a model names one in a folder of Auto-GPT. Else ''."""
    parts = file.strip("/").split("/")
    for start in range(1, len(parts)):
        ending = "/".join(parts[start:])
        with suppress(CommandError):  # such as one that leaves the workspace
            if ending and workspace.resolve(ending).is_file():
                return ending
    return ""


def text_of(workspace: Workspace, file: str) -> tuple[Coding, str]:
    """Return the coding and the text of a file. Raises CommandError if it is missing or not text."""
    data = workspace.read(workspace.resolve(file))
    if data is None:
        raise NoFile(file, _ending_of(workspace, file))
    coding, text = decode(data)
    if coding is BINARY:
        raise CommandError(f"{file} is {binary_kind(data)}, {len(data):,} bytes; only text can be read and edited")
    return coding, text


def list_names(workspace: Workspace, directory: str) -> str:
    """Return the names of the files under a folder, one a line, without hidden files."""
    names = [workspace.name_of(path) for path in workspace.files(_folder(workspace, directory))]
    names = [one_line(name) for name in names if not _is_hidden(name)]
    remaining, count = workspace.caps.max_read_chars, 0
    while count < len(names) and remaining >= len(names[count]):
        remaining -= len(names[count]) + 1
        count += 1
    rest = [f"[{len(names) - count:,} more files are left out; name a directory.]"] if count < len(names) else []
    return "\n".join([*names[:count], *rest]) or "[No files.]"


def search(workspace: Workspace, directory: str, text: str) -> str:
    """Return ``file:line: excerpt`` for each line that contains `text`, and a note about what was left out.

    Raises CommandError if `text` is empty or longer than a line.
    """
    if not text or "\n" in text or "\r" in text:
        raise CommandError("search_text finds a text within one line; give one without line breaks")
    rows: list[str] = []
    remaining, byte_budget, skips, more = workspace.caps.max_read_chars, workspace.caps.max_search_bytes, 0, ""
    for path in workspace.files(_folder(workspace, directory)):
        name = workspace.name_of(path)
        if _is_hidden(name):
            continue
        try:
            data = workspace.read(path)
        except CommandError:  # a symlink, a pipe, over the cap, no permission
            data = None
        coding, whole = (BINARY, "") if data is None else decode(data)
        if coding is BINARY:
            skips += 1
            continue
        byte_budget -= len(data or b"")
        for row in _rows(whole, "\r" if coding.newline == "\r" else "\n", one_line(name), text):
            remaining -= len(row) + 1
            if remaining < 0:
                more = "More lines hold it; name a directory or give more of the text."
                break
            rows.append(row)
        if byte_budget <= 0 and not more:
            more = f"The search ended with {one_line(name)}, since the files are large; name a directory."
        if more:
            break
    skip_note = [f"{skips:,} of the files could not be searched: not text, too large, or links."] if skips else []
    note = " ".join([*([] if rows else ["No line holds this text."]), *skip_note, *([more] if more else [])])
    return "\n".join([*rows, *([f"[{note}]"] if note else [])])


def _folder(workspace: Workspace, directory: str) -> Path:
    """Return the folder of this name. Empty and ``/`` mean the workspace. Raises CommandError if there is none."""
    folder = workspace.resolve("" if directory in ("", "/") else directory)
    if folder != workspace.root and not folder.is_dir():
        raise CommandError(f"there is no folder {directory} in the workspace; leave directory empty to see all")
    return folder


def _is_hidden(name: str) -> bool:
    return any(part.startswith(".") for part in name.split("/"))


def _rows(whole: str, end_mark: str, name: str, text: str) -> Iterator[str]:
    """Yield ``file:line: excerpt`` for each line of `whole` that contains `text`."""
    line, at, previous = 1, whole.find(text), 0
    while at >= 0:
        line += whole.count(end_mark, previous, at)
        start = whole.rfind(end_mark, 0, at) + 1
        end = whole.find(end_mark, at)
        end = len(whole) if end < 0 else end
        excerpt = whole[max(start, at - _BEFORE) : min(end, max(start, at - _BEFORE) + _AROUND)]
        yield f"{name}:{line}: {excerpt.strip()}"
        previous = at
        at = whole.find(text, end)
