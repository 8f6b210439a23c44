"""The library: every skill in a folder of plain files, changed whole or not at all.

    NAME/skill.json        the versions with their provenance, and which one is current
    NAME/versions/N.js     the program of version N
    NAME/uses.jsonl        one line a use, see uses.py
    NAME/tests/*.json      where to start and what must come out, for the sandbox
    .trash/NAME.TIME.TAG   what was deleted
    .lock                  held while something changes

A change counts from the moment that its last step, one rename, is done: a version's file is written before the
`skill.json` that names it.
"""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from autocraft.errors import CommandError
from autocraft.session.atomic import sha256, stamp_of, sync_folder, write_atomic
from autocraft.skills.files import drop_leftovers, locked, make_folder, plain_faults, read_json, read_text, write_json
from autocraft.skills.names import check_name, problem_with
from autocraft.skills.parse import MOST_BYTES, Program, parse
from autocraft.skills.skill import MOST_VERSIONS, Draft, Skill, Version, check_words
from autocraft.text.phrases import did_you_mean

MOST_SKILLS = 2_000
TRASH = ".trash"
_THROWN = re.compile(r"[^.]+\.[0-9TZ]+\.[0-9a-f]+")


@dataclass(frozen=True, slots=True)
class Entry:
    """A skill with the program of its current version, as both are on disk now.

    `altered` when the file is not the one that was written here; `fault` says why its program cannot be read.
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
    def held(self) -> str:
        """Why it is neither offered nor found by the model; empty when it is."""
        if self.skill.version().quarantine:
            return "in quarantine"
        if self.altered:
            return "changed by hand since it was written"
        return "unreadable" if self.program is None else ""


class Library:
    """The skills in `folder`, which is made by the first one. Every method may raise CommandError or InUse."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._seen: dict[str, tuple[object, Entry]] = {}

    # ------------------------------------------------------------ reading

    def names(self) -> list[str]:
        """Every name with a `skill.json`, in order."""
        with plain_faults(self.folder):
            try:
                found = [each.name for each in os.scandir(self.folder) if each.is_dir(follow_symlinks=False)]
            except FileNotFoundError:
                return []
        return sorted(name for name in found if not problem_with(name) and self._card(name).exists())

    def entry(self, name: str) -> Entry:
        """One skill, read anew where its files have changed."""
        if name not in self.names():
            raise self._unknown(name)
        return self._entry(name)

    def entries(self) -> tuple[list[Entry], dict[str, str]]:
        """All skills that can be read, and why the others cannot, by name."""
        good, bad = [], {}
        for name in self.names():
            try:
                good.append(self._entry(name))
            except CommandError as error:
                bad[name] = str(error)
        return good, bad

    def skill(self, name: str) -> Skill:
        """What is written of one skill, also where its program cannot be read."""
        return self._there(name)

    def code(self, name: str, number: int = 0) -> str:
        """The program of one version, the current one for 0."""
        return self._code(name, self.skill(name).version(number).number)

    def trashed(self) -> list[str]:
        """What lies in the trash, the last thrown away at the end; the skill's name goes up to the first dot."""
        try:
            found = [each for each in (self.folder / TRASH).iterdir() if _THROWN.fullmatch(each.name)]
        except OSError:
            return []
        return [each.name for each in sorted(found, key=lambda each: (each.name.split(".")[1], each.name))]

    # ------------------------------------------------------------ changing

    def save(self, name: str, draft: Draft, *, new: bool | None = None) -> tuple[Skill, bool]:
        """Keep `draft` as the next version of `name` and make it the current one; False when it is that already.

        `new` tells whether the caller believes that there is no such skill; CommandError when it is mistaken.
        """
        check(name, draft)
        with self._changing():
            old = self._known(name)
            if new is not None and new != (old is None):
                now = "has come into being" if old else "is gone"
                raise CommandError(f"the skill {name} {now} since this was approved; propose the command again")
            if old and old.version().quarantine:
                raise CommandError(
                    f"the skill {name} is in quarantine until the person approves it; choose another name"
                )
            if old and self._is_current(old, draft):
                return old, False
            return self._commit(name, [draft], old), True

    def add(self, name: str, drafts: Sequence[Draft], current: int = 0) -> Skill:
        """Keep a new skill with several versions at once; `current` counts from 1, 0 is the last."""
        check(name, *drafts)
        with self._changing():
            if self._known(name):
                raise CommandError(f"there is a skill called {name} already; delete it first, or leave it as it is")
            return self._commit(name, drafts, None, current)

    def set_current(self, name: str, number: int) -> Skill:
        """Make another version the current one. Raises CommandError for one whose program cannot be read."""
        with self._changing():
            skill = self._there(name)
            chosen = replace(skill, current=skill.version(number).number)
            self._code(name, chosen.current)
            if chosen != skill:
                write_json(self._card(name), chosen.written())
            return chosen

    def approve(self, name: str) -> Skill:
        """Release the current version as its file is now. Raises CommandError for a program that cannot be read."""
        with self._changing():
            skill = self._there(name)
            code = self._code(name, skill.current)
            parse(code, name)
            good = replace(skill.version(), sha256=sha256(code), approved_by="person", quarantine=False)
            chosen = skill.with_version(good)
            write_json(self._card(name), chosen.written())
            return chosen

    def delete(self, name: str, tag: str = "") -> str:
        """Move a skill with all its versions to the trash; returns its name there, which ends with `tag`."""
        with self._changing():
            if name not in self.names():
                raise self._unknown(name)
            make_folder(self.folder / TRASH)
            kept = f"{name}.{datetime.now(UTC):%Y%m%dT%H%M%S%fZ}.{tag or secrets.token_hex(6)}"
            (self.folder / name).rename(self.folder / TRASH / kept)
            sync_folder(self.folder / TRASH)
            sync_folder(self.folder)
            return kept

    def restore(self, kept: str) -> str:
        """Bring one thing back from the trash, by its name there or, the last one, by the skill's; returns the name."""
        with self._changing():
            found = [each for each in self.trashed() if kept in (each, each.split(".")[0])]
            if not found:
                raise CommandError(
                    f"there is no {kept[:80]!r} in the trash; `autocraft skills list --trash` shows what is"
                )
            name = check_name(found[-1].split(".")[0])
            self._make_room(name)
            (self.folder / TRASH / found[-1]).rename(self.folder / name)
            sync_folder(self.folder)
            return name

    # ------------------------------------------------------------ inside

    def _card(self, name: str) -> Path:
        return self.folder / name / "skill.json"

    def _file(self, name: str, number: int) -> Path:
        return self.folder / name / "versions" / f"{number}.js"

    @contextmanager
    def _changing(self) -> Iterator[None]:
        with plain_faults(self.folder), locked(self.folder):
            yield

    def _read(self, name: str) -> Skill:
        path = self._card(name)
        try:
            return Skill.read(read_json(path), name)
        except FileNotFoundError:
            raise self._unknown(name) from None
        except CommandError as error:
            where = "" if str(path) in str(error) else f" ({path})"
            raise CommandError(f"the skill {name} cannot be read: {error}{where}") from None

    def _known(self, name: str) -> Skill | None:
        return self._read(name) if name in self.names() else None

    def _there(self, name: str) -> Skill:
        skill = self._known(name)
        if skill is None:
            raise self._unknown(name)
        return skill

    def _code(self, name: str, number: int) -> str:
        try:
            return read_text(self._file(name, number), MOST_BYTES)
        except FileNotFoundError:
            raise CommandError(
                f"the file of {name}, version {number}, is gone; "
                f"take another of its versions with `autocraft skills restore {name} --version N`"
            ) from None

    def _entry(self, name: str) -> Entry:
        """From memory while both files look untouched; a change in the middle of reading is read again."""
        seen = self._seen.get(name)
        if seen is not None and seen[0] == (_stamp(self._card(name)), _stamp(self._file(name, seen[1].skill.current))):
            return seen[1]
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
        made = _made(skill, code)
        self._seen[name] = (card, file), made
        return made

    def _is_current(self, old: Skill, draft: Draft) -> bool:
        now = old.version()
        same = (now.description, now.before, now.after) == (draft.description, draft.before, draft.after)
        try:
            return same and now.sha256 == sha256(draft.code) == sha256(self._code(old.name, now.number))
        except CommandError:
            return False

    def _commit(self, name: str, drafts: Sequence[Draft], old: Skill | None, current: int = 0) -> Skill:
        """Write the programs, then the card that names them."""
        if old is None:
            self._make_room(name)
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
        write_json(self._card(name), skill.written())
        return skill

    def _make_room(self, name: str) -> None:
        """Refuse a name that is taken, or that some file systems would take for another one's, and a full library.

        What stands in the way without a `skill.json`, as after a killed save, is put aside in the trash.
        """
        names = self.names()
        twin = next((each for each in names if each.casefold() == name.casefold()), None)
        if twin:
            raise CommandError(f"there is a skill called {twin} already; delete it first, or choose another name")
        if len(names) >= MOST_SKILLS:
            raise CommandError(f"the library holds {MOST_SKILLS:,} skills, which is the most; delete one first")
        if os.path.lexists(self.folder / name):
            make_folder(self.folder / TRASH)
            (self.folder / name).rename(self.folder / TRASH / f".{name}.{secrets.token_hex(6)}")

    def _unknown(self, name: str) -> CommandError:
        hint = did_you_mean(name, self.names(), "did you mean {}?")
        hint = hint or "list_skills, or `autocraft skills list`, shows what there is"
        return CommandError(f"there is no skill called {name[:80]!r}; {hint}")


def _made(skill: Skill, code: str) -> Entry:
    altered = sha256(code) != skill.version().sha256
    try:
        return Entry(skill, code, parse(code, skill.name), altered)
    except CommandError as error:
        return Entry(skill, code, None, altered, str(error))


def check(name: str, *drafts: Draft) -> None:
    """Raise CommandError for what cannot be kept."""
    check_name(name)
    for draft in drafts:
        parse(draft.code, name)
        check_words(draft)


def _stamp(path: Path) -> tuple[int, ...]:
    """Return the stamp of a file, () where there is none."""
    try:
        return stamp_of(path.lstat())
    except OSError:
        return ()
