"""Records which settings files of folders a person has confirmed, and finds the settings that give power.

A confirmation holds for a file's path and the hash of its bytes. The record is in the person's state folder, which a
file of the folder cannot choose.
"""

from __future__ import annotations

import dataclasses
import json
import re
import unicodedata
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

from autocraft.errors import UsageError
from autocraft.frozen import frozen
from autocraft.session.atomic import alone_in, write_atomic
from autocraft.session.folder import private_folder
from autocraft.settings.fields import SECTIONS, kinds
from autocraft.settings.settings import Settings
from autocraft.settings.sources import DOTENV, FOLDER_FILES, SettingsFile, Source

VERSION = 1
_FILLERS = "\u115f\u1160"  # invisible letters
_SHORT = re.compile(r"(?P<stem>[^.~]{1,6})~[0-9]{1,6}(?:\.(?P<ending>[^.]{1,3}))?")


@frozen
class Power:
    """A setting in a file of the folder that counts only after a person confirms it."""

    name: str
    value: Any
    counts: bool = True
    """False if a flag, the environment or the person's own file sets it anyway."""
    key: str = ""
    """The key that would be sent to the endpoint of this setting."""
    secret: bool = False


class ConfirmedFiles:
    """The confirmed files in ``trusted.json``: path -> sha256 of the bytes that the person confirmed.

    `root` is the person's own state folder, `Settings.own_root`. No file of the current folder chooses it.
    """

    def __init__(self, root: Path) -> None:
        self._file = root / "trusted.json"

    def all(self) -> dict[str, str]:
        """Return path -> sha256. Raises UsageError if the record cannot be read."""
        try:
            data = json.loads(self._file.read_bytes())
            version, files = data["version"], {str(path): str(sha) for path, sha in data["files"].items()}
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            raise UsageError(f"{self._file} cannot be read: move it away, then confirm your files again") from None
        if version != VERSION:
            raise UsageError(f"{self._file} is of version {version!r}: use a newer autocraft, or move the file away")
        return files

    def keep(self, file: SettingsFile) -> None:
        with self._changing() as files:
            files[str(file.path.absolute())] = file.sha256

    def forget(self, path: Path) -> bool:
        """Forget a file. Return whether the record had it."""
        with self._changing() as files:
            return files.pop(str(path.absolute()), None) is not None

    def copy_to(self, root: Path) -> None:
        """Write the same record into another state folder."""
        with ConfirmedFiles(root)._changing() as files:
            files |= self.all()

    def state(self, file: SettingsFile) -> str:
        """Return "confirmed", "changed" since it was confirmed, or "new"."""
        sha256 = self.all().get(str(file.path.absolute()))
        return "new" if sha256 is None else "confirmed" if sha256 == file.sha256 else "changed"

    @contextmanager
    def _changing(self) -> Iterator[dict[str, str]]:
        """Yield the record while no other program changes it, and write it if it has changed. Raises UsageError."""
        with alone_in(private_folder(self._file.parent)):
            files = self.all()
            changed = dict(files)
            yield changed
            if changed != files:
                data = json.dumps({"version": VERSION, "files": changed}, indent=1).encode()
                write_atomic(self._file, data, mode=0o600)


@frozen
class FileToConfirm:
    """A settings file that counts in full only after the person confirms it, beside all other settings."""

    settings: Settings
    file: SettingsFile
    everything: bool = False
    """Whether the person is asked also about settings that a flag or the environment replaces."""

    @property
    def record(self) -> ConfirmedFiles:
        return ConfirmedFiles(self.settings.own_root)

    @cached_property
    def state(self) -> str:
        """Return "confirmed", "changed" since it was confirmed, or "new"."""
        return self.record.state(self.file)

    @cached_property
    def powers(self) -> Sequence[Power]:
        """Return the settings of the file that give power or contradict the person's own file."""
        file, own_values = self.file, self.settings.own.values
        tables = [file.values, *(table for table in file.profiles().values() if isinstance(table, Mapping))]
        sections = kinds(SECTIONS if file.path.name == DOTENV else {name for table in tables for name in table})
        fields = [(section, field) for section, kind in sections.items() for field in dataclasses.fields(kind)]
        rows = []
        default = file.values.get("profile_default")
        if default and file.path.name != DOTENV:
            rows.append(Power("profile_default", default, counts=not own_values.get("profile_default")))
        for title, theirs, own in self._tables():
            for section, field in fields:
                value = theirs.get(field, section)
                if value is None:
                    continue
                own_value = own.get(field, section)
                about = field.metadata
                gives_power = bool(about.get("power"))
                if gives_power or own_value not in (None, value):
                    is_given = self.settings.is_given(field, profile=bool(title))
                    counts = gives_power and own_value is None and not is_given
                    name = f"{title}{theirs.title(field, section)}"
                    rows.append(Power(name, value, counts, about.get("key", ""), bool(about.get("secret"))))
        return rows

    def _tables(self) -> Iterator[tuple[str, Source, Source]]:
        """Yield (name of the profile, table in this file, same table in the person's own file) for each table."""
        file, own = self.file, self.settings.own
        yield "", Source("", file.values, variables=file.path.name == DOTENV), Source("", own.values)
        for name, table in file.profiles().items():
            if isinstance(table, Mapping):
                same = own.profiles().get(name)
                yield f"profile.{name}.", Source("", table), Source("", same if isinstance(same, Mapping) else {})


def steers(name: str) -> bool:
    """Tell whether some file system may take this name for one of the files that are read as settings."""
    return bool(name_meant(name, FOLDER_FILES))


def name_meant(name: str, known: Collection[str]) -> str:
    """Return which of the `known` names, in small letters, some file system may take `name` for. Return "" for none.

    Windows gives long names a short one too: ``git~1`` or ``gi7eba~1`` is `.git`.
    """
    plain = plain_name(name)
    if plain in known:
        return plain
    short = _SHORT.fullmatch(plain)
    return next((each for each in known if short and _may_be_short(short, each)), "")


def plain_name(name: str) -> str:
    """Return the name without what some file system ignores.

    Systems ignore case, forms of accents, invisible characters, dots and blanks at the end, and text after a colon.
    """
    letters = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", name).casefold())
    plain = "".join(char for char in letters if unicodedata.category(char)[0] not in "CM" and char not in _FILLERS)
    return plain.partition(":")[0].rstrip(". ")


def _may_be_short(short: re.Match[str], name: str) -> bool:
    """Tell whether Windows may give the file `name` this short name."""
    stem, dot, ending = name.lstrip(".").rpartition(".")
    stem, ending = (stem, ending) if dot else (ending, "")
    stem = re.sub(r"[. ]", "", stem)
    begins = stem.startswith(short["stem"]) and len(short["stem"]) >= min(3, len(stem))
    hashed = re.fullmatch(re.escape(stem[:2]) + "[0-9a-f]{4}", short["stem"]) is not None
    return (begins or hashed) and (short["ending"] or "") == ending[:3]


def was_confirmed(asked: FileToConfirm) -> bool:
    """Tell whether the person has confirmed a file of the folder as it is. Ask nothing."""
    return asked.state == "confirmed"
