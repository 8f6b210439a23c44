"""Reads the skills of others: Voyager's libraries, any folder of JavaScript files, another autocraft's library.

Every program is parsed and none is run; all of them are drafts in quarantine. Voyager keeps ``code/NAME.js``,
``description/NAME.txt`` and ``skills.json`` (name -> code and description); a later program of the same name is in
``code/NAMEV2.js`` and so on, of which only the last is in `skills.json`. Its vector database is not looked at.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from pathlib import Path

from autocraft.errors import CommandError
from autocraft.skills.files import read_json, read_text
from autocraft.skills.names import words_of
from autocraft.skills.parse import MOST_BYTES, parse
from autocraft.skills.skill import MOST_DESCRIPTION, Draft
from autocraft.skills.store import MOST_SKILLS, Library

_MOST_TEXT = 16_000
_LATER = re.compile(r"(.+)V([1-9]\d{0,3})")
_COMMENT = re.compile(r"\s*(?://(?P<line>[^\n]*)|/\*(?P<block>.*?)\*/)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A skill of somebody else's: its versions, oldest first, or the problem with the file `name`."""

    name: str
    drafts: tuple[Draft, ...] = ()
    current: int = 0
    problem: str = ""


@dataclass(slots=True)
class _Pile:
    """What was found of one name: number -> draft."""

    drafts: dict[int, Draft] = field(default_factory=dict)
    current: str = ""


def read_folder(path: Path) -> list[Candidate]:
    """All skills of a folder, in order of name. Raises CommandError for a folder without any program."""
    if not path.is_dir():
        raise CommandError(f"there is no folder {path}; name one that holds skills")
    try:
        if any(each.is_file() for each in path.glob("*/skill.json")):
            return _library(path)  # first, since a skill of one may be called code
        for root in (path, path / "skill"):
            if (root / "code").is_dir() or (root / "skills.json").is_file():
                return _voyager(root)
        files = _programs(path)
    except OSError as error:
        raise CommandError(f"{error.filename or path} cannot be read: {error.strerror}") from None
    if not files:
        inner = sorted(each.parent.parent.name for each in path.glob("*/skill/code"))
        which = f"one of its folders {', '.join(inner[:10])}" if inner else "the folder that does"
        raise CommandError(f"{path} holds no .js file, no code folder and no skills; name {which}")
    return _sorted(_plain(files))


# ---------------------------------------------------------------- Voyager


def _voyager(root: Path) -> list[Candidate]:
    piles: dict[str, _Pile] = {}
    bad: list[Candidate] = []
    for file in _programs(root / "code") if (root / "code").is_dir() else []:
        try:
            code = read_text(file, MOST_BYTES)
            name, number = _named(file.stem, code)
            said = _said(_optional(root / "description" / f"{file.stem}.txt"), code, name)
        except CommandError as error:
            bad.append(Candidate(file.name, problem=str(error)))
            continue
        pile = piles.setdefault(name, _Pile())
        while number in pile.drafts:
            number += 1
        pile.drafts[number] = _draft(code, said, f"{root.name}/code/{file.name}")
    for name, (code, said) in _listed(root, bad).items():
        try:
            parse(code, name)
        except CommandError as error:
            if all(each.name != f"{name}.js" for each in bad):
                bad.append(Candidate(f"skills.json: {name[:80]}", problem=str(error)))
            continue
        pile = piles.setdefault(name, _Pile())
        pile.current = code
        number = next((n for n, draft in pile.drafts.items() if draft.code == code), max(pile.drafts, default=0) + 1)
        known = pile.drafts.get(number) or _draft(code, _said("", code, name), f"{root.name}/skills.json")
        pile.drafts[number] = replace(known, description=_said(said, code, name)) if said.strip() else known
    return _sorted([*bad, *(_candidate(name, pile) for name, pile in piles.items())])


def _listed(root: Path, bad: list[Candidate]) -> dict[str, tuple[str, str]]:
    """`skills.json` as name -> (code, description); it may be missing, and what is wrong in it is told of."""
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
    listed = {}
    for name, value in data.items():
        code, said = (value.get("code"), value.get("description", "")) if isinstance(value, dict) else (None, "")
        if isinstance(code, str) and isinstance(said, str):
            listed[name] = (code, said)
        else:
            bad.append(Candidate(f"skills.json: {name[:80]}", problem="it must be an object with code and description"))
    return listed


def _named(stem: str, code: str) -> tuple[str, int]:
    """The skill that a file holds, and which version of it: ``craftXV2`` may hold craftX or craftXV2."""
    later = _LATER.fullmatch(stem)
    for name, number in [(stem, 1), *([(later[1], int(later[2]))] if later else [])]:
        try:
            parse(code, name)
        except CommandError:
            continue
        return name, number
    return parse(code).main, 1


def _candidate(name: str, pile: _Pile) -> Candidate:
    drafts = [pile.drafts[number] for number in sorted(pile.drafts)]
    codes = [draft.code for draft in drafts]
    return Candidate(name, tuple(drafts), codes.index(pile.current) + 1 if pile.current in codes else len(codes))


def _said(text: str, code: str, name: str) -> str:
    """A description: Voyager's without the function around it, else the program's first comment, else its name."""
    inner = re.fullmatch(r"\s*async function [^{]*\{(.*)\}\s*", text, re.DOTALL)
    if inner:
        text = re.sub(r"^\s*//", "", inner[1], flags=re.MULTILINE)
    if not text.strip():
        comment = _COMMENT.match(code)
        text = (comment["line"] or comment["block"] or "") if comment else ""
        text = re.sub(r"^\s*\*+", "", text, flags=re.MULTILINE)
    return " ".join(text.split())[:MOST_DESCRIPTION] or words_of(name)


# ---------------------------------------------------------------- others


def _plain(files: list[Path]) -> list[Candidate]:
    """Files of JavaScript by themselves; ``craftXV2.js`` may hold a version of craftX here too."""
    piles: dict[str, _Pile] = {}
    found: list[Candidate] = []
    for file in files:
        try:
            code = read_text(file, MOST_BYTES)
            name, number = _named(file.stem, code)
        except CommandError as error:
            found.append(Candidate(file.name, problem=str(error)))
            continue
        drafts = piles.setdefault(name, _Pile()).drafts
        if number in drafts:
            why = f"{drafts[number].source} holds {name} as well; give one of them another name"
            found.append(Candidate(file.name, problem=why))
        else:
            drafts[number] = _draft(code, _said("", code, name), file.name)
    return found + [_candidate(name, pile) for name, pile in piles.items()]


def _library(path: Path) -> list[Candidate]:
    """A folder as `store.py` has it: all versions, without what was approved elsewhere."""
    theirs = Library(path)
    entries, bad = theirs.entries()
    found = [Candidate(name, problem=why) for name, why in bad.items()]
    for entry in entries:
        drafts = []
        try:
            for version in entry.skill.versions:
                code = theirs.code(entry.name, version.number)
                parse(code, entry.name)
                draft = _draft(code, version.description, version.source or f"{path.name}/{entry.name}")
                draft = replace(draft, before=version.before, after=version.after)
                drafts.append(replace(draft, author=version.author or "import", task=version.task))
        except CommandError as error:
            found.append(Candidate(entry.name, problem=str(error)))
            continue
        numbers = [each.number for each in entry.skill.versions]
        found.append(Candidate(entry.name, tuple(drafts), numbers.index(entry.skill.current) + 1))
    return _sorted(found)


def _draft(code: str, description: str, source: str) -> Draft:
    return Draft(code, description=description, author="import", source=source[:200], quarantine=True)


def _programs(folder: Path) -> list[Path]:
    """The .js files right in a folder; reading refuses what is no plain file."""
    found = sorted(each for each in folder.iterdir() if each.suffix == ".js" and not each.name.startswith("."))
    if len(found) > MOST_SKILLS:
        raise CommandError(f"{folder} holds {len(found):,} programs, more than the {MOST_SKILLS:,} of a library")
    return found


def _optional(file: Path) -> str:
    try:
        return read_text(file, _MOST_TEXT)
    except (FileNotFoundError, CommandError):
        return ""


def _sorted(found: list[Candidate]) -> list[Candidate]:
    """In order of name."""
    return sorted(found, key=lambda each: (each.name.casefold(), each.name, bool(each.problem)))
