"""The values of a skill: the skill, its versions and their descriptions.

`store.py` stores them as `skill.json`. Any program may have written that file, so `Skill.from_json` checks every field.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, field, fields, replace
from datetime import UTC, datetime
from typing import Any

from autocraft.errors import CommandError
from autocraft.frozen import frozen
from autocraft.protocols import PERSON, Json
from autocraft.session.atomic import sha256
from autocraft.skills.names import problem_with

FORMAT = 1
MOST_DESCRIPTION = 2_000
"""Most characters of a description."""
MOST_CONDITIONS = 32
MOST_CONDITION = 200
MOST_VERSIONS = 500
_MOST_FIELD = 4_000


@frozen
class Details:
    """The description of a program and where it comes from.

    `before` and `after` are conditions, written like goals, such as ``3 oak_log``, or free text. `approved_by` is '' if
    nobody has approved it. `task`, `session`, `call` and `source` (a file) say what it was written for.
    """

    _: KW_ONLY
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


@frozen
class Draft(Details):
    """A program to be saved, with its description."""

    code: str


@frozen
class Version(Details):
    """One version. Its code is in a separate file, with this hash."""

    number: int
    sha256: str
    created: str

    @classmethod
    def of(cls, draft: Draft, number: int) -> Version:
        details = {item.name: getattr(draft, item.name) for item in fields(Details)}
        return cls(number, sha256(draft.code), now(), **details)


@frozen
class Skill:
    """A name with its versions, oldest first. `current` is the number of the version in use."""

    name: str
    current: int
    versions: tuple[Version, ...] = field(default_factory=tuple)

    def version(self, number: int = 0) -> Version:
        """Return the version of this number, or for 0 the current one. Raises CommandError if there is none."""
        for candidate in self.versions:
            if candidate.number == (number or self.current):
                return candidate
        numbers = ", ".join(str(candidate.number) for candidate in self.versions[-20:])
        raise CommandError(f"{self.name} has no version {number}; it has {numbers}")

    @property
    def description(self) -> str:
        return self.version().description

    @property
    def approved_last(self) -> Version | None:
        """Return the newest version that a person approved. Return None if there is none."""
        return next((version for version in reversed(self.versions) if version.approved_by in PERSON), None)

    def with_version(self, new: Version) -> Skill:
        """Return the skill with this version. It replaces a version of the same number."""
        others = [version for version in self.versions if version.number != new.number]
        return replace(self, versions=tuple(sorted([*others, new], key=lambda version: version.number)))

    def to_json(self) -> Json:
        """Return the skill as JSON. Empty fields of a version are left out."""
        names = [item.name for item in sorted(fields(Version), key=lambda item: bool(item.kw_only))]  # number first
        versions = [{name: value for name in names if (value := getattr(version, name))} for version in self.versions]
        return {"format": FORMAT, "name": self.name, "current": self.current, "versions": versions}

    @classmethod
    def from_json(cls, data: Any, name: str) -> Skill:
        """Return the skill `name` from JSON of any origin. Raises CommandError that says what is wrong."""
        if not isinstance(data, Mapping) or not isinstance(data.get("versions"), list):
            raise CommandError("it is not a skill: it must be an object with format, name, current and versions")
        if data.get("format") != FORMAT:
            number = repr(str(data.get("format"))[:20])
            raise CommandError(f"its format is {number}, this autocraft reads {FORMAT}; update it")
        if data.get("name") != name or problem_with(name):
            other = repr(str(data.get("name"))[:80])
            raise CommandError(f"it says that its name is {other}; folder and name must be the same")
        versions = tuple(_version(version) for version in data["versions"][: MOST_VERSIONS + 1])
        numbers = [version.number for version in versions]
        if len(numbers) > MOST_VERSIONS or numbers != sorted(set(numbers)):
            raise CommandError(f"its versions must be numbered upwards, {MOST_VERSIONS} at most")
        if type(data.get("current")) is not int or data["current"] not in numbers:
            raise CommandError("its current version is not one of its versions; set `current` to one of them")
        return cls(name, data["current"], versions)


def _version(data: Any) -> Version:
    """Return one version from JSON. Raises CommandError if a field is wrong."""
    if not isinstance(data, Mapping):
        raise CommandError("one of its versions is not an object")
    values: Json = {}
    for field_ in fields(Version):
        value = data.get(field_.name, () if field_.name in ("before", "after") else None)
        if field_.name == "number":
            valid = type(value) is int and 0 < value < 1_000_000
        elif field_.name == "quarantine":
            valid, value = value in (None, True, False), bool(value)
        elif field_.name in ("before", "after"):
            valid = isinstance(value, list | tuple) and len(value) <= MOST_CONDITIONS
            valid = valid and all(isinstance(item, str) and len(item) <= MOST_CONDITION for item in value)
            value = tuple(value) if valid else ()
        else:
            value = "" if value is None else value
            valid = isinstance(value, str) and len(value) <= _MOST_FIELD
        if not valid:
            raise CommandError(f"the field {field_.name} of one of its versions is wrong: {str(value)[:40]!r}")
        values[field_.name] = value
    return Version(**values)


def check_words(draft: Draft) -> None:
    """Raise CommandError if the description or the conditions cannot be stored."""
    if not draft.description.strip():
        raise CommandError("there is no description; say in a sentence what the skill does")
    if len(draft.description) > MOST_DESCRIPTION:
        size = f"{MOST_DESCRIPTION:,} characters; this has {len(draft.description):,}"
        raise CommandError(f"a description may have {size}")
    for conditions in (draft.before, draft.after):
        if len(conditions) > MOST_CONDITIONS or any(len(line) > MOST_CONDITION for line in conditions):
            raise CommandError(f"conditions are {MOST_CONDITIONS} lines of {MOST_CONDITION} characters at most")
    try:
        "".join([draft.description, draft.task, draft.source, *draft.before, *draft.after]).encode("utf-8")
    except UnicodeEncodeError:
        raise CommandError("the description holds half a character (a lone surrogate); write it without it") from None


def now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
