"""The library: every skill in a folder of plain files. A change is complete or does not happen.

    NAME/skill.json        the versions with their provenance, and which one is current
    NAME/versions/N.js     the program of version N
    NAME/uses.jsonl        one line for each use, see uses.py
    NAME/tests/*.json      start and expected result, for the sandbox
    .trash/NAME.TIME.TAG   deleted skills
    .lock                  locked during a change

The last step of each change is one rename. So the file of a version is written before the `skill.json` that names it.
"""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from autocraft.errors import CommandError, UsageError
from autocraft.session.atomic import sha256, stamp_of, sync_folder, write_atomic
from autocraft.skills import SkillSettings
from autocraft.skills.files import (
    MOST_TEST,
    drop_leftovers,
    lock_library,
    make_folder,
    plain_faults,
    read_bytes,
    read_json,
    read_text,
    write_json,
)
from autocraft.skills.names import check_name, problem_with
from autocraft.skills.parse import MOST_BYTES, Program, parse
from autocraft.skills.skill import MOST_VERSIONS, Draft, Skill, Version, check_words
from autocraft.text.phrases import did_you_mean

MOST_SKILLS = 2_000
TRASH = ".trash"
_TRASH_NAME = re.compile(r"[^.]+\.[0-9TZ]+\.[0-9a-f]+")


class Entry(NamedTuple):
    """A skill with the program of its current version, as they are on disk.

    `altered` means that the file was changed by hand. `fault` says why the program cannot be parsed.
    """

    skill: Skill
    code: str
    program: Program | None
    altered: bool = False
    fault: str = ""

    @property
    def name(self) -> str:
        return self.skill.name

    @property
    def hold(self) -> str:
        """Return why the model can neither see nor find this skill. Return '' if it can."""
        if self.skill.version().quarantine:
            return "in quarantine"
        if self.altered:
            return "changed by hand since it was written"
        return "unreadable" if self.program is None else ""


class Library:
    """The skills in `folder`. The first skill creates it. Every method may raise CommandError or InUse."""

    listing = "list_skills"

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._cache: dict[str, tuple[object, Entry]] = {}

    # ------------------------------------------------------------ reading

    def names(self) -> list[str]:
        """Return every name with a `skill.json`, sorted."""
        with plain_faults(self.folder):
            try:
                folders = [entry.name for entry in os.scandir(self.folder) if entry.is_dir(follow_symlinks=False)]
            except FileNotFoundError:
                return []
        return sorted(name for name in folders if not problem_with(name) and self._card(name).exists())

    def entry(self, name: str) -> Entry:
        """Return one skill. Its files are read again if they have changed."""
        if name not in self.names():
            raise self._unknown(name)
        return self._entry(name)

    def entries(self) -> tuple[list[Entry], dict[str, str]]:
        """Return all readable skills, and the faults of the others by name."""
        good, bad = [], {}
        for name in self.names():
            try:
                good.append(self._entry(name))
            except CommandError as error:
                bad[name] = str(error)
        return good, bad

    def skill(self, name: str) -> Skill:
        """Return the record of one skill, even if its program cannot be read."""
        if name not in self.names():
            raise self._unknown(name)
        return self._read(name)

    def has(self, name: str, code: str) -> bool:
        """Tell whether this program is the current version of the skill `name`."""
        try:
            return name in self.names() and self._entry(name).code == code
        except CommandError:
            return False

    def code(self, name: str, number: int = 0) -> str:
        """Return the program of one version, or for 0 of the current one."""
        return self._code(name, self.skill(name).version(number).number)

    def list_trash(self) -> list[str]:
        """Return the names in the trash, the last deleted at the end. Each begins with the skill's name and a dot."""
        try:
            entries = [path for path in (self.folder / TRASH).iterdir() if _TRASH_NAME.fullmatch(path.name)]
        except OSError:
            return []
        return [path.name for path in sorted(entries, key=lambda path: (path.name.split(".")[1], path.name))]

    # ------------------------------------------------------------ changing

    def save(self, name: str, draft: Draft, *, new: bool | None = None) -> tuple[Skill, bool]:
        """Save `draft` as the next version of `name` and make it current. Return False if it is current already.

        `new` says whether the caller believes that the skill is new. Raises CommandError if the caller is mistaken.
        """
        check(name, draft)
        with self._locked_library():
            old = self._read(name) if name in self.names() else None
            if new is not None and new != (old is None):
                change = "created" if old else "deleted"
                raise CommandError(f"the skill {name} was {change} after this was approved; propose the command again")
            if old and old.version().quarantine:
                until = "until the person approves it; choose another name"
                raise CommandError(f"the skill {name} is in quarantine {until}")
            if old and self._is_current(old, draft):
                return old, False
            if old is None:
                self._make_room(name)
            return self._commit(name, [draft], old), True

    def add(self, name: str, drafts: Sequence[Draft], current: int = 0, tests: Sequence[Path] = ()) -> Skill:
        """Save a new skill with several versions at once, and copies of `tests`.

        `current` counts from 1, and 0 means the last version.
        """
        check(name, *drafts)
        with self._locked_library():
            self._make_room(name)
            self._copy_tests(name, tests)
            return self._commit(name, drafts, None, current)

    def add_tests(self, name: str, tests: Sequence[Path]) -> None:
        """Copy those of `tests` that the skill lacks."""
        with self._locked_library():
            self._copy_tests(name, tests)

    def set_current(self, name: str, number: int) -> Skill:
        """Make another version the current one. Raises CommandError if its program cannot be read."""
        with self._locked_library():
            skill = self.skill(name)
            new = replace(skill, current=skill.version(number).number)
            self._code(name, new.current)
            if new != skill:
                write_json(self._card(name), new.to_json())
            return new

    def waiting(self) -> list[str]:
        """Return the names of the skills whose current version is in quarantine."""
        return [entry.name for entry in self.entries()[0] if entry.skill.version().quarantine]

    def approve(self, name: str) -> Skill:
        """Approve the current version as its file is now. Raises CommandError if the program cannot be read."""
        with self._locked_library():
            skill = self.skill(name)
            code = self._code(name, skill.current)
            parse(code, name)
            version = replace(skill.version(), sha256=sha256(code), approved_by="person", quarantine=False)
            new = skill.with_version(version)
            write_json(self._card(name), new.to_json())
            return new

    def delete(self, name: str, tag: str = "") -> str:
        """Move a skill with all its versions to the trash. Return its name there, which ends with `tag`."""
        with self._locked_library():
            if name not in self.names():
                raise self._unknown(name)
            make_folder(self.folder / TRASH)
            trash_name = f"{name}.{datetime.now(UTC):%Y%m%dT%H%M%S%fZ}.{tag or secrets.token_hex(6)}"
            (self.folder / name).rename(self.folder / TRASH / trash_name)
            sync_folder(self.folder / TRASH)
            sync_folder(self.folder)
            return trash_name

    def restore(self, trash_name: str) -> str:
        """Move a skill back from the trash. Return its name.

        `trash_name` is its name in the trash, or the skill's own name for the last deleted skill of that name.
        """
        with self._locked_library():
            matches = [item for item in self.list_trash() if trash_name in (item, item.split(".")[0])]
            if not matches:
                way = "`autocraft skills list --trash` shows what is"
                raise CommandError(f"there is no {trash_name[:80]!r} in the trash; {way}")
            name = check_name(matches[-1].split(".")[0])
            self._make_room(name)
            (self.folder / TRASH / matches[-1]).rename(self.folder / name)
            sync_folder(self.folder)
            return name

    # ------------------------------------------------------------ inside

    def _card(self, name: str) -> Path:
        return self.folder / name / "skill.json"

    def _file(self, name: str, number: int) -> Path:
        return self.folder / name / "versions" / f"{number}.js"

    @contextmanager
    def _locked_library(self) -> Iterator[None]:
        with plain_faults(self.folder), lock_library(self.folder):
            yield

    def _read(self, name: str) -> Skill:
        path = self._card(name)
        try:
            return Skill.from_json(read_json(path), name)
        except FileNotFoundError:
            raise self._unknown(name) from None
        except CommandError as error:
            where = "" if str(path) in str(error) else f" ({path})"
            raise CommandError(f"the skill {name} cannot be read: {error}{where}") from None

    def _code(self, name: str, number: int) -> str:
        try:
            return read_text(self._file(name, number), MOST_BYTES)
        except FileNotFoundError:
            raise CommandError(
                f"the file of {name}, version {number}, is gone; "
                f"take another of its versions with `autocraft skills restore {name} --version N`"
            ) from None

    def _entry(self, name: str) -> Entry:
        """Return a skill, from the cache if both files are unchanged. After a change during reading, read again."""
        stamps, stored = self._cache.get(name, ((), None))
        if stored is not None:
            file = _stamp(self._file(name, stored.skill.current))
            if stamps == (_stamp(self._card(name)), file):
                return stored
        for last in (False, False, True):
            card = _stamp(self._card(name))
            try:
                skill = self._read(name)
                file = _stamp(self._file(name, skill.current))
                code = self._code(name, skill.current)
            except CommandError:
                if last or card == _stamp(self._card(name)):
                    raise
                continue
            if last or card == _stamp(self._card(name)):
                break
        differs = sha256(code) != skill.version().sha256
        try:
            entry = Entry(skill, code, parse(code, name), differs)
        except CommandError as error:
            entry = Entry(skill, code, None, differs, str(error))
        self._cache[name] = (card, file), entry
        return entry

    def _is_current(self, old: Skill, draft: Draft) -> bool:
        now = old.version()
        same = (now.description, now.before, now.after) == (draft.description, draft.before, draft.after)
        try:
            return same and now.sha256 == sha256(draft.code) == sha256(self._code(old.name, now.number))
        except CommandError:
            return False

    def _commit(self, name: str, drafts: Sequence[Draft], old: Skill | None, current: int = 0) -> Skill:
        """Write the programs, then the card that names them. Return the changed skill."""
        first = old.versions[-1].number + 1 if old else 1
        if len(old.versions if old else ()) + len(drafts) > MOST_VERSIONS:
            raise CommandError(f"{name} would have more than {MOST_VERSIONS} versions; save it under another name")
        folder = self.folder / name / "versions"
        make_folder(folder)
        drop_leftovers(folder)
        drop_leftovers(folder.parent)
        skill = old or Skill(name, 1)
        for number, draft in enumerate(drafts, first):
            write_atomic(self._file(name, number), draft.code.encode("utf-8"), mode=0o600)
            skill = skill.with_version(Version.of(draft, number))
        skill = replace(skill, current=current or skill.versions[-1].number)
        write_json(self._card(name), skill.to_json())
        return skill

    def _copy_tests(self, name: str, tests: Sequence[Path]) -> None:
        folder = self.folder / name / "tests"
        new = {test.name: read_bytes(test, MOST_TEST) for test in tests if not (folder / test.name).exists()}
        for file, data in new.items():
            make_folder(folder)
            write_atomic(folder / file, data, mode=0o600)

    def _make_room(self, name: str) -> None:
        """Raise CommandError for a full library, or if a skill has this name in small or capital letters.

        A folder of this name without a `skill.json`, as an interrupted save leaves it, is moved to the trash.
        """
        names = self.names()
        twin = next((other for other in names if other.casefold() == name.casefold()), None)
        if twin:
            raise CommandError(f"there is a skill called {twin} already; delete it first, or choose another name")
        if len(names) >= MOST_SKILLS:
            raise CommandError(f"the library holds {MOST_SKILLS:,} skills, which is the most; delete one first")
        if os.path.lexists(self.folder / name):
            make_folder(self.folder / TRASH)
            (self.folder / name).rename(self.folder / TRASH / f".{name}.{secrets.token_hex(6)}")

    def _unknown(self, name: str) -> CommandError:
        hint = did_you_mean(name, self.names(), "did you mean {}?")
        hint = hint or f"{self.listing} shows what there is"
        return CommandError(f"there is no skill called {name[:80]!r}; {hint}")


def check(name: str, *drafts: Draft) -> None:
    """Raise CommandError if the name or one of the drafts cannot be stored."""
    check_name(name)
    for draft in drafts:
        parse(draft.code, name)
        check_words(draft)


def _stamp(path: Path) -> tuple[int, ...]:
    """Return the stamp of a file. Return () if it does not exist."""
    try:
        return stamp_of(path.lstat())
    except OSError:
        return ()


def open_skills(settings: SkillSettings, state_root: Path) -> Library:
    """Return the skill library. Raises UsageError if it is not a folder."""
    folder = (settings.skills_dir or state_root / "skills").expanduser().absolute()
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"the skill library {folder} is not a folder: choose another with --skills-dir")
    return Library(folder)
