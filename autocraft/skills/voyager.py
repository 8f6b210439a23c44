"""Imports skills: from Voyager's libraries, from any folder of JavaScript files, from another autocraft library.

Every program is parsed, none is run, and all become drafts in quarantine. Voyager stores ``code/NAME.js``,
``description/NAME.txt`` and ``skills.json`` (name -> code and description). Later programs of the same name are
``code/NAMEV2.js`` and so on, of which `skills.json` has the last. Voyager's vector database is not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from autocraft.errors import CommandError
from autocraft.skills.files import plain_faults, read_json, read_text
from autocraft.skills.names import words_of
from autocraft.skills.parse import MOST_BYTES, parse
from autocraft.skills.skill import MOST_DESCRIPTION, Draft
from autocraft.skills.store import MOST_SKILLS, Library
from autocraft.skills.uses import tests_of

_MOST_TEXT = 16_000
_LATER = re.compile(r"(.+)V([1-9]\d{0,3})")
_COMMENT = re.compile(r"\s*(?://(?P<line>[^\n]*)|/\*(?P<block>.*?)\*/)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A skill of another library: its versions, oldest first, and its tests; or the problem with the file `name`."""

    name: str
    drafts: tuple[Draft, ...] = ()
    current: int = 0
    problem: str = ""
    tests: tuple[Path, ...] = ()

    @property
    def draft(self) -> Draft:
        """Return the current version."""
        return self.drafts[self.current - 1]


def take_in(library: Library, each: Candidate) -> bool:
    """Add a skill with its tests to a library. Return False if its program is there already: then tests may be added.

    Raises CommandError if the skill has a problem, or if the library cannot add it.
    """
    if each.problem:
        raise CommandError(each.problem)
    if library.has(each.name, each.draft.code):
        if each.tests:
            library.add_tests(each.name, each.tests)
        return False
    library.add(each.name, each.drafts, each.current, each.tests)
    return True


def read_folder(path: Path) -> list[Candidate]:
    """Return all skills of a folder, in the order of their names. Raises CommandError for a folder without programs."""
    if not path.is_dir():
        raise CommandError(f"there is no folder {path}; name one that holds skills")
    with plain_faults(path):
        if any(card.is_file() for card in path.glob("*/skill.json")):
            return _library(path)  # before Voyager's folders, since a skill may be called code
        for root in (path, path / "skill"):
            if (root / "code").is_dir() or (root / "skills.json").is_file():
                return _voyager(root)
        files = _programs(path)
    if not files:
        inner = sorted(code.parent.parent.name for code in path.glob("*/skill/code"))
        which = f"one of its folders {', '.join(inner[:10])}" if inner else "the folder that does"
        raise CommandError(f"{path} holds no .js file, no code folder and no skills; name {which}")
    return _sorted(_plain(files))


# ---------------------------------------------------------------- Voyager


def _voyager(root: Path) -> list[Candidate]:
    by_name: dict[str, dict[int, Draft]] = {}
    current: dict[str, str] = {}
    bad: list[Candidate] = []
    for file, code, name, number in _readable(_programs(root / "code") if (root / "code").is_dir() else [], bad):
        text = ""
        with suppress(FileNotFoundError, CommandError):  # a description that cannot be read is as if it were missing
            text = read_text(root / "description" / f"{file.stem}.txt", _MOST_TEXT)
        drafts = by_name.setdefault(name, {})
        while number in drafts:
            number += 1
        drafts[number] = _draft(code, _description(text, code, name), f"{root.name}/code/{file.name}")
    for name, (code, description) in _read_index(root, bad).items():
        try:
            parse(code, name)
        except CommandError as error:
            if all(candidate.name != f"{name}.js" for candidate in bad):
                bad.append(Candidate(f"skills.json: {name[:80]}", problem=str(error)))
            continue
        drafts, current[name] = by_name.setdefault(name, {}), code
        number = next((n for n, draft in drafts.items() if draft.code == code), max(drafts, default=0) + 1)
        base = drafts.get(number) or _draft(code, _description("", code, name), f"{root.name}/skills.json")
        drafts[number] = (
            replace(base, description=_description(description, code, name)) if description.strip() else base
        )
    return _sorted([*bad, *(_candidate(name, drafts, current.get(name, "")) for name, drafts in by_name.items())])


def _read_index(root: Path, bad: list[Candidate]) -> dict[str, tuple[str, str]]:
    """Return `skills.json` as name -> (code, description). Add its problems to `bad`. Return {} if it is missing."""
    try:
        data = read_json(root / "skills.json")
    except FileNotFoundError:
        return {}
    except CommandError as error:
        bad.append(Candidate("skills.json", problem=str(error)))
        return {}
    if not isinstance(data, dict) or len(data) > MOST_SKILLS:
        bad.append(Candidate("skills.json", problem=f"it must be an object of {MOST_SKILLS:,} names at most"))
        return {}
    index = {}
    for name, value in data.items():
        code, description = (value.get("code"), value.get("description", "")) if isinstance(value, dict) else (None, "")
        if isinstance(code, str) and isinstance(description, str):
            index[name] = (code, description)
        else:
            bad.append(Candidate(f"skills.json: {name[:80]}", problem="it must be an object with code and description"))
    return index


def _name_and_number(stem: str, code: str) -> tuple[str, int]:
    """Return the name and the version of the skill in a file. ``craftXV2`` may be version 2 of craftX, or craftXV2."""
    later = _LATER.fullmatch(stem)
    for name, number in [(stem, 1), *([(later[1], int(later[2]))] if later else [])]:
        try:
            parse(code, name)
        except CommandError:
            continue
        return name, number
    return parse(code).main, 1


def _readable(files: Sequence[Path], bad: list[Candidate]) -> Iterator[tuple[Path, str, str, int]]:
    """Yield each file with its program, and its name and version. Add the files that cannot be read to `bad`."""
    for file in files:
        try:
            code = read_text(file, MOST_BYTES)
            yield file, code, *_name_and_number(file.stem, code)
        except CommandError as error:
            bad.append(Candidate(file.name, problem=str(error)))


def _candidate(name: str, drafts: Mapping[int, Draft], current: str) -> Candidate:
    """Return a skill. `current` is the program of its current version, by default the last one."""
    codes = [drafts[number].code for number in sorted(drafts)]
    number = codes.index(current) + 1 if current in codes else len(codes)
    return Candidate(name, tuple(drafts[number] for number in sorted(drafts)), number)


def _description(text: str, code: str, name: str) -> str:
    """Return a description: Voyager's without the function around it, or the program's first comment, or its name."""
    inner = re.fullmatch(r"\s*async function [^{]*\{(.*)\}\s*", text, re.DOTALL)
    if inner:
        text = re.sub(r"^[ \t]*//", "", inner[1], flags=re.MULTILINE)
    if not text.strip():
        comment = _COMMENT.match(code)
        text = (comment["line"] or comment["block"] or "") if comment else ""
        text = re.sub(r"^[ \t]*\*+", "", text, flags=re.MULTILINE)
    return " ".join(text.split())[:MOST_DESCRIPTION] or words_of(name)


# ---------------------------------------------------------------- others


def _plain(files: list[Path]) -> list[Candidate]:
    """Return the skills of a folder of JavaScript files. ``craftXV2.js`` may be a version of craftX here too."""
    by_name: dict[str, dict[int, Draft]] = {}
    bad: list[Candidate] = []
    for file, code, name, number in _readable(files, bad):
        drafts = by_name.setdefault(name, {})
        if number in drafts:
            why = f"{drafts[number].source} holds {name} as well; give one of them another name"
            bad.append(Candidate(file.name, problem=why))
        else:
            drafts[number] = _draft(code, _description("", code, name), file.name)
    return bad + [_candidate(name, drafts, "") for name, drafts in by_name.items()]


def _library(path: Path) -> list[Candidate]:
    """Return the skills of another library with all versions and tests. Approvals are not imported."""
    other = Library(path)
    entries, bad = other.entries()
    candidates = [Candidate(name, problem=why) for name, why in bad.items()]
    for entry in entries:
        drafts = []
        try:
            for version in entry.skill.versions:
                code = other.code(entry.name, version.number)
                parse(code, entry.name)
                draft = _draft(code, version.description, version.source or f"{path.name}/{entry.name}")
                draft = replace(draft, before=version.before, after=version.after)
                drafts.append(replace(draft, author=version.author or "import", task=version.task))
            tests = tuple(tests_of(path, entry.name))
        except CommandError as error:
            candidates.append(Candidate(entry.name, problem=str(error)))
            continue
        numbers = [item.number for item in entry.skill.versions]
        current = numbers.index(entry.skill.current) + 1
        candidates.append(Candidate(entry.name, tuple(drafts), current, tests=tests))
    return _sorted(candidates)


def _draft(code: str, description: str, source: str) -> Draft:
    return Draft(code, description=description, author="import", source=source[:200], quarantine=True)


def _programs(folder: Path) -> list[Path]:
    """Return the .js files directly in a folder, in the order of their names. Raises CommandError for too many."""
    files = sorted(path for path in folder.iterdir() if path.suffix == ".js" and not path.name.startswith("."))
    if len(files) > MOST_SKILLS:
        raise CommandError(f"{folder} holds {len(files):,} programs, more than the {MOST_SKILLS:,} of a library")
    return files


def _sorted(candidates: list[Candidate]) -> list[Candidate]:
    """Return the candidates in the order of their names, skills before problems."""
    return sorted(candidates, key=lambda item: (item.name.casefold(), item.name, bool(item.problem)))
