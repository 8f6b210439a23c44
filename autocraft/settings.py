"""Where a setting comes from: flag > environment > `.env` > `autocraft.toml` (profile first) > default.

Each room owns a small frozen dataclass of its settings, every field with a default; `Settings.fill` builds it.
A field `max_steps` of the section `limits` is looked up as the flag ``max_steps``, the environment variable
``AUTOCRAFT_MAX_STEPS`` (or the name in the field's metadata), and ``[limits] max_steps`` of the TOML file.
Neighbours: `cli/` collects the flags, `assemble.py` fills the dataclasses.
"""

from __future__ import annotations

import contextlib
import dataclasses
import difflib
import tomllib
import types
import typing
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

from autocraft.errors import UsageError
from autocraft.masking import Mask, passwords_in, secrets_in

T = TypeVar("T")


def setting(default: Any, *, env: str = "", doc: str = "", secret: bool = False) -> Any:
    """A dataclass field with its environment name; `secret` values are kept out of everything that is written."""
    return dataclasses.field(default=default, metadata={"env": env, "doc": doc, "secret": secret}, repr=not secret)


class Settings:
    """The merged sources. Nothing is put into the process environment, so children do not inherit a `.env`."""

    def __init__(
        self,
        flags: Mapping[str, Any],
        environment: Mapping[str, str],
        *,
        folder: Path | None = None,
        profile: str | None = None,
        builtin: Callable[[str], Mapping[str, Any]] | None = None,
    ) -> None:
        """`builtin` gives the profiles that autocraft brings along, and raises UsageError for an unknown name."""
        self.flags = {name: value for name, value in flags.items() if value is not None}
        self.environment = environment
        try:
            self.folder = folder or Path.cwd()
        except OSError:
            raise UsageError("the current folder is gone: change to one that exists") from None
        self._asked: set[tuple[str, str]] = set()
        self.dotenv = _read_dotenv(self.folder / ".env")
        self.toml = _read_toml(self.folder / "autocraft.toml")
        self.secrets: list[str] = []
        self.mask = Mask([*secrets_in(environment), *secrets_in(self.dotenv)])
        """Cuts out every secret that is known until now."""
        self.sources: dict[tuple[str, str], str] = {}
        """(section, field) -> where its value came from, for each that has been asked for and is no default."""
        self.profile: Mapping[str, Any] = {}
        self.builtin: Mapping[str, Any] = {}
        name = profile or environment.get("AUTOCRAFT_PROFILE") or self.toml.get("profile_default")
        if name:
            profiles = self.toml.get("profile", {})
            own = profiles.get(name) if isinstance(profiles, Mapping) else None
            if isinstance(own, Mapping):
                self.profile = own
            with contextlib.suppress(UsageError) if isinstance(own, Mapping) else contextlib.nullcontext():
                self.builtin = self._builtin(name, builtin)

    @staticmethod
    def _builtin(name: str, builtin: Callable[[str], Mapping[str, Any]] | None) -> Mapping[str, Any]:
        if builtin is None:
            raise UsageError(f"unknown profile {name!r}: autocraft.toml has none of that name")
        return builtin(name)

    def fill(self, kind: type[T], section: str) -> T:
        """Build the dataclass `kind` from all sources. Raises UsageError naming the source of a bad value."""
        values = {}
        hints = typing.get_type_hints(kind)
        for field in dataclasses.fields(kind):  # type: ignore[arg-type]
            self._asked.add((section, field.name))
            found = self._find(field, section)
            if found is None:
                continue
            source, value = found
            self.sources[section, field.name] = source
            values[field.name] = _convert(value, hints[field.name], source)
            if field.metadata.get("secret") and values[field.name]:
                self.secrets.append(str(values[field.name]))
                self.mask.add(str(values[field.name]))
            self.mask.add(*passwords_in(str(value)))
        return kind(**values)

    def refuse_unknown(self, *, sections_too: bool = True) -> None:
        """Once every room has filled its settings: a key of the TOML file that nobody asked for is a slip.

        Without `sections_too` a section that no room filled is passed over, as it may belong to another command.
        """
        sections = {section for section, _ in self._asked}
        for source, table in (("the profile", self.profile), ("autocraft.toml", self.toml)):
            for section, values in table.items():
                if section in ("profile", "profile_default") and table is self.toml:
                    continue
                if section not in sections and not sections_too:
                    continue
                if section not in sections or not isinstance(values, Mapping):
                    raise UsageError(f"[{section}] in {source} is no section: there are {', '.join(sorted(sections))}")
                for name in values:
                    if (section, name) not in self._asked:
                        names = [field for other, field in self._asked if other == section]
                        close = difflib.get_close_matches(name, names, 1)
                        hint = f": did you mean {close[0]}?" if close else ""
                        raise UsageError(f"{section}.{name} in {source} is no setting{hint}")

    def _find(self, field: dataclasses.Field[Any], section: str) -> tuple[str, Any] | None:
        if field.name in self.flags:
            return f"--{field.name.replace('_', '-')}", self.flags[field.name]
        variable = field.metadata.get("env") or f"AUTOCRAFT_{field.name.upper()}"
        for source, values in (("the environment", self.environment), (".env", self.dotenv)):
            if values.get(variable):
                return f"{variable} in {source}", values[variable]
        tables = (("the profile", self.profile), ("the built-in profile", self.builtin), ("autocraft.toml", self.toml))
        for source, table in tables:
            values = table.get(section, {})
            if isinstance(values, Mapping) and field.name in values:
                return f"{section}.{field.name} in {source}", values[field.name]
        return None


def mask_of(environment: Mapping[str, str], folder: Path) -> Mask:
    """What an error must not repeat when there are no settings yet; what cannot be read holds nothing."""
    mask = Mask(secrets_in(environment))
    with contextlib.suppress(UsageError):
        mask.add(*secrets_in(_read_dotenv(folder / ".env")))
    with contextlib.suppress(UsageError):
        mask.add(*secrets_in(dict(_texts_of(_read_toml(folder / "autocraft.toml")))))
    return mask


def _texts_of(table: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, str]]:
    """(its path with underscores, text) of every text in a table and those inside it."""
    for name, value in table.items():
        if isinstance(value, Mapping):
            yield from _texts_of(value, f"{path}{name}_")
        elif isinstance(value, str):
            yield f"{path}{name}", value


def _read_dotenv(path: Path) -> Mapping[str, str]:
    if not path.is_file():
        return {}
    from dotenv import dotenv_values

    try:
        values = dotenv_values(path, interpolate=False)
    except (OSError, ValueError) as error:
        raise UsageError(f"{path.name} cannot be read: {error}; mend it or move it away") from None
    return {name: value for name, value in values.items() if value is not None}


def _read_toml(path: Path) -> Mapping[str, Any]:
    if not path.is_file():
        return {}
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"{path.name} cannot be read: {error}; mend it or move it away") from None


_WORDS = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}


def _convert(value: Any, hint: Any, source: str) -> Any:
    """Text from the environment, or a TOML value, as the type that the field declares."""
    kinds = typing.get_args(hint) if isinstance(hint, types.UnionType) else (hint,)
    kind = next(k for k in kinds if k is not types.NoneType)
    if typing.get_origin(kind) is tuple:
        if isinstance(value, str):
            return tuple(value.split(","))
        if not isinstance(value, (list, tuple)):
            raise UsageError(f"{source} is {value!r}, but a list is needed")
        return tuple(value)
    try:
        if kind is bool:
            return value if isinstance(value, bool) else _WORDS[str(value).strip().lower()]
        if kind in (int, float):
            if isinstance(value, bool):
                raise ValueError
            return kind(value)
        if kind is Path:
            return Path(value).expanduser()
    except (ValueError, TypeError, KeyError, OverflowError):
        wanted = {bool: "yes or no", int: "a whole number", float: "a number"}.get(kind, kind.__name__)
        raise UsageError(f"{source} is {value!r}, but {wanted} is needed") from None
    return str(value)
