"""The files and tables that hold settings."""

from __future__ import annotations

import dataclasses
import io
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from autocraft.errors import UsageError
from autocraft.frozen import frozen
from autocraft.session.atomic import sha256
from autocraft.settings.fields import SECTIONS

DOTENV, SETTINGS_FILE, PREFIX = ".env", "autocraft.toml", "AUTOCRAFT_"
FOLDER_FILES = (DOTENV, SETTINGS_FILE)
"""The files of the current folder that are read."""


@frozen
class SettingsFile:
    """A file of settings, read once, so that a person confirms the same bytes that were parsed."""

    path: Path
    data: bytes = b""
    values: Mapping[str, Any] = dataclasses.field(default_factory=dict)

    @classmethod
    def read(cls, path: Path) -> SettingsFile:
        """Read and parse a file. A missing file has no values. Raises UsageError."""
        if not path.is_file():
            return cls(path)
        try:
            return cls.of(path, path.read_bytes())
        except (OSError, ValueError, RecursionError) as error:
            raise UsageError(f"{path.name} cannot be read: {error}; correct it, or move it away") from None

    @classmethod
    def of(cls, path: Path, data: bytes) -> SettingsFile:
        """Parse the bytes of a file, without a look at the disk. Raises ValueError or RecursionError."""
        text = data.decode("utf-8-sig")  # Notepad begins a file with a mark
        return cls(path, data, _variables(text) if path.name == DOTENV else tomllib.loads(text))

    @property
    def sha256(self) -> str:
        return sha256(self.data)

    def profiles(self) -> Mapping[str, Any]:
        """Return the tables ``[profile.NAME]`` by name."""
        table = self.values.get("profile")
        return table if isinstance(table, Mapping) and self.path.name != DOTENV else {}


@frozen
class Source:
    """A place that holds settings. `file` is None if it is not a file."""

    name: str
    values: Mapping[str, Any]
    file: Path | None = None
    variables: bool = False
    """Whether settings have the names of the environment, without sections."""

    def get(self, field: dataclasses.Field[Any], section: str) -> Any:
        """Return the value of a setting. Return None if it is not set."""
        if self.variables:
            return self.values.get(variable_of(field)) or None
        also, _, name = field.metadata.get("also", "").rpartition(".")
        first = self._table(also).get(name) if also else None
        return self._table(section).get(field.name) if first is None else first

    def _table(self, section: str) -> Mapping[str, Any]:
        table: Any = self.values
        for name in section.split("."):
            table = table.get(name)
            if not isinstance(table, Mapping):
                return {}
        return table  # type: ignore[no-any-return]

    def tables(self) -> Iterator[tuple[str, Any]]:
        """Yield the name and the value of each section, and of each table in a section of tables."""
        for section, values in self.values.items():
            if isinstance(values, Mapping) and any(name.startswith(f"{section}.") for name in SECTIONS):
                yield from ((f"{section}.{name}", table) for name, table in values.items())
            else:
                yield section, values

    def title(self, field: dataclasses.Field[Any], section: str) -> str:
        """Return the name of the setting in this source."""
        return variable_of(field) if self.variables else f"{section}.{field.name}"


def variable_of(field: dataclasses.Field[Any]) -> str:
    """Return the name of a setting in the environment and in `.env`. Return "" if only TOML files set it."""
    name: str | None = field.metadata.get("env", "")
    return "" if name is None else name or f"{PREFIX}{field.name.upper()}"


def own_file() -> Path:
    """Return the path of the person's own configuration. The file may be missing."""
    from platformdirs import user_config_path

    return user_config_path("autocraft", appauthor=False) / SETTINGS_FILE


def _variables(text: str) -> Mapping[str, str]:
    """Return the variables of a `.env`. Raises ValueError for a line of another form."""
    from dotenv.parser import parse_stream

    lines = list(parse_stream(io.StringIO(text)))
    if wrong := next((line for line in lines if line.error), None):
        raise ValueError(f"line {wrong.original.line} is not NAME=value")
    return {line.key: line.value for line in lines if line.key is not None and line.value is not None}
