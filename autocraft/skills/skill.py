"""The values of a skill, apart from where they are kept: the skill, its versions, what was said of each.

`store.py` keeps them as `skill.json`; what it reads there may come from anybody, so `Skill.read` checks every field.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime
from typing import Any

from autocraft.errors import CommandError
from autocraft.protocols import Json
from autocraft.session.atomic import sha256
from autocraft.skills.names import problem_with

FORMAT = 1
MOST_DESCRIPTION = 2_000
"""Characters of a description."""
MOST_CONDITIONS = 32
MOST_CONDITION = 200
MOST_VERSIONS = 500
_MOST_FIELD = 4_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What is told of a program.

    `before` and `after` are conditions as goals are written, such as ``3 oak_log``, or free text. The rest is where
    it comes from: who wrote it and who approved it ('' for nobody), for which task, in which session, by which call,
    out of which file.
    """

    description: str
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    author: str = ""
    approved_by: str = ""
    task: str = ""
    session: str = ""
    call: str = ""
    source: str = ""
    quarantine: bool = False


@dataclass(frozen=True, slots=True)
class Draft(Said):
    """What somebody wants to keep: a program with what is told of it."""

    code: str


@dataclass(frozen=True, slots=True)
class Version(Said):
    """One version: what is told of it, while its code lies in a file of its own with this hash."""

    number: int
    sha256: str
    created: str

    @classmethod
    def of(cls, draft: Draft, number: int) -> Version:
        said = {each.name: getattr(draft, each.name) for each in fields(Said)}
        return cls(number, sha256(draft.code), now(), **said)


@dataclass(frozen=True, slots=True)
class Skill:
    """A name with its versions, oldest first; `current` is the number of the one that counts."""

    name: str
    current: int
    versions: tuple[Version, ...] = field(default_factory=tuple)

    def version(self, number: int = 0) -> Version:
        """The version of this number, the current one for 0. Raises CommandError where there is none."""
        for each in self.versions:
            if each.number == (number or self.current):
                return each
        known = ", ".join(str(each.number) for each in self.versions[-20:])
        raise CommandError(f"{self.name} has no version {number}; it has {known}")

    @property
    def description(self) -> str:
        return self.version().description

    @property
    def approved_last(self) -> Version | None:
        """The newest version that a person approved."""
        return next((each for each in reversed(self.versions) if each.approved_by == "person"), None)

    def with_version(self, new: Version) -> Skill:
        """This version added, or put in the place of the one with its number."""
        others = [each for each in self.versions if each.number != new.number]
        return replace(self, versions=tuple(sorted([*others, new], key=lambda each: each.number)))

    def written(self) -> Json:
        """As JSON; fields that say nothing are left out of a version."""
        names = [each.name for each in sorted(fields(Version), key=lambda each: bool(each.kw_only))]  # the number first
        versions = [{name: value for name in names if (value := getattr(each, name))} for each in self.versions]
        return {"format": FORMAT, "name": self.name, "current": self.current, "versions": versions}

    @classmethod
    def read(cls, data: Any, name: str) -> Skill:
        """The skill `name` from JSON that anybody may have written. Raises CommandError saying what is wrong."""
        if not isinstance(data, Mapping) or not isinstance(data.get("versions"), list):
            raise CommandError("it is no skill: it must be an object with format, name, current and versions")
        if data.get("format") != FORMAT:
            raise CommandError(
                f"its format is {str(data.get('format'))[:20]!r}, this autocraft reads {FORMAT}; update it"
            )
        if data.get("name") != name or problem_with(name):
            raise CommandError(
                f"it says that its name is {str(data.get('name'))[:80]!r}; folder and name must be the same"
            )
        versions = tuple(_version(each) for each in data["versions"][: MOST_VERSIONS + 1])
        numbers = [each.number for each in versions]
        if len(numbers) > MOST_VERSIONS or numbers != sorted(set(numbers)):
            raise CommandError(f"its versions must be numbered upwards, {MOST_VERSIONS} at most")
        if type(data.get("current")) is not int or data["current"] not in numbers:
            raise CommandError("its current version is none of its versions; set `current` to one of them")
        return cls(name, data["current"], versions)


def _version(data: Any) -> Version:
    """One version out of JSON."""
    if not isinstance(data, Mapping):
        raise CommandError("one of its versions is no object")
    made: Json = {}
    for each in fields(Version):
        value = data.get(each.name, () if each.name in ("before", "after") else None)
        if each.name == "number":
            right = type(value) is int and 0 < value < 1_000_000
        elif each.name == "quarantine":
            right, value = value in (None, True, False), bool(value)
        elif each.name in ("before", "after"):
            right = isinstance(value, list | tuple) and len(value) <= MOST_CONDITIONS
            right = right and all(isinstance(item, str) and len(item) <= MOST_CONDITION for item in value)
            value = tuple(value) if right else ()
        else:
            value = "" if value is None else value
            right = isinstance(value, str) and len(value) <= _MOST_FIELD
        if not right:
            raise CommandError(f"the field {each.name} of one of its versions is wrong: {str(value)[:40]!r}")
        made[each.name] = value
    return Version(**made)


def check_words(draft: Draft) -> None:
    """Raise CommandError for a description or conditions that cannot be kept."""
    if not draft.description.strip():
        raise CommandError("there is no description; say in a sentence what the skill does")
    if len(draft.description) > MOST_DESCRIPTION:
        raise CommandError(
            f"a description may have {MOST_DESCRIPTION:,} characters; this has {len(draft.description):,}"
        )
    for each in (draft.before, draft.after):
        if len(each) > MOST_CONDITIONS or any(len(line) > MOST_CONDITION for line in each):
            raise CommandError(f"conditions are {MOST_CONDITIONS} lines of {MOST_CONDITION} characters at most")
    try:
        "".join([draft.description, draft.task, draft.source, *draft.before, *draft.after]).encode("utf-8")
    except UnicodeEncodeError:
        raise CommandError("the description holds half a character (a lone surrogate); write it without it") from None


def now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
