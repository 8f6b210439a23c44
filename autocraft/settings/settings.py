"""Merges the sources of settings, and decides what each source may set.

The order is: flag > environment > `.env` > `autocraft.toml` > the person's own `autocraft.toml` > default. The chosen
profile goes before the other sections. Flags, the environment and the own file are the person's. `.env` and
`autocraft.toml` of the current folder may come from anybody. So a setting that gives power counts from there only
when a person has confirmed the file, and an unconfirmed file changes nothing that the person's own file says.

Each package has small frozen dataclasses of its settings, with a default for every field. `Settings.fill` builds them
for `Config`, which hands them to the parts.
A field `max_steps` of the section `limits` is looked up as the flag ``max_steps``, the environment variable
``AUTOCRAFT_MAX_STEPS`` (or the name in the field's metadata), and ``[limits] max_steps`` of the TOML files.
"""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import types
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, TypeVar

from autocraft.errors import UsageError
from autocraft.settings.fields import SECTIONS, check_value, hints_of, kinds
from autocraft.settings.sources import (
    DOTENV,
    FOLDER_FILES,
    PREFIX,
    SETTINGS_FILE,
    SettingsFile,
    Source,
    own_file,
    variable_of,
)
from autocraft.text.characters import well_formed
from autocraft.text.phrases import did_you_mean, near_names
from autocraft.text.redact import Mask, named_words, passwords_in, secrets_in

PROFILE = f"{PREFIX}PROFILE"
T = TypeVar("T")
Confirm = Callable[["Settings", SettingsFile, bool], bool]
"""Tells whether a person has confirmed a file. Raises UsageError if it must be confirmed.

If True, ask even when no setting of the file would take effect.
"""


class Settings:
    """The merged sources. They do not change the process environment, so children do not inherit a `.env`."""

    def __init__(
        self,
        flags: Mapping[str, Any],
        environment: Mapping[str, str],
        *,
        folder: Path | None = None,
        profile: str | None = None,
        builtin: Callable[[str], Mapping[str, Any]] | None = None,
        confirm: Confirm | None = None,
        defaults: Mapping[str, Any] = types.MappingProxyType({}),
    ) -> None:
        """Read the files. `builtin` returns a built-in profile, and raises UsageError for an unknown name.

        Without `confirm` no file is confirmed. `defaults` replace the usual defaults, by section.
        """
        self.flags: Mapping[str, Any] = {name: value for name, value in flags.items() if value is not None}
        self.environment = environment
        try:
            self.folder = folder or Path.cwd()
        except OSError:
            raise UsageError("the current folder is gone: change to one that exists") from None
        self.own = SettingsFile.read(own_file())
        self.files = {name: self._read(self.folder / name) for name in FOLDER_FILES}
        self.mask = Mask({**secrets_in(self.files[DOTENV].values), **secrets_in(environment)})
        """Cuts out every secret of the files and the environment."""
        self.own_mask = Mask({**secrets_in(dict(_texts_of(self.own.values))), **secrets_in(environment)})
        """Cuts out only the person's own secrets, for texts by which they decide.

        A file of the folder could call a part of such a text a key, to hide it.
        """
        self.sources: dict[tuple[str, str], str] = {}
        """(section, field) -> the source of its value, for all filled fields without a default value."""
        self.origins: dict[tuple[str, str], Path | None] = {}
        """(section, field) -> the file of its value, None if it is not in a file."""
        self._profiles: list[Source] = []
        self._named = bool(profile)
        self._sources = self._list_sources(defaults)
        present = {file.path: file for file in self.files.values() if file.values}
        self._confirm = confirm or (lambda *_: False)
        self._unconfirmed = set(present)
        self._unconfirmed = {path for path, file in present.items() if not self._confirm(self, file, False)}
        self._profiles = self._find_profiles(profile or environment.get(PROFILE) or "", builtin)
        self._sources[2:2] = self._profiles  # nearer than the other sections, and further than the variables

    def _read(self, path: Path) -> SettingsFile:
        """Read a settings file of the folder. The person's own file is none of them."""
        is_own = path.is_file() and self.own.path.is_file() and path.samefile(self.own.path)
        return SettingsFile(path) if is_own else SettingsFile.read(path)

    def _find_profiles(self, name: str, builtin: Callable[[str], Mapping[str, Any]] | None) -> list[Source]:
        """Return the tables of the chosen profile: the folder's, the person's own, the built-in one."""
        name = name or self._default_profile()
        if not name:
            return []
        tables = []
        for title, file in (("the profile", self.files[SETTINGS_FILE]), ("your own profile", self.own)):
            table = file.profiles().get(name)
            if isinstance(table, Mapping):
                tables.append(Source(title, table, file.path))
        with contextlib.suppress(UsageError) if tables else contextlib.nullcontext():
            if builtin is None:
                raise UsageError(f"unknown profile {name!r}: autocraft.toml has none of that name")
            tables.append(Source("the built-in profile", builtin(name)))
        return tables

    def _default_profile(self) -> str:
        """Return the profile that a file sets for all runs. Raises UsageError if only an unconfirmed file sets one."""
        file, own = self.files[SETTINGS_FILE], self.own.values.get("profile_default")
        theirs = file.values.get("profile_default")
        if theirs and file.path in self._unconfirmed and not own:
            raise UsageError(unconfirmed(file.path, ["profile_default"]))
        return str((own if file.path in self._unconfirmed else theirs or own) or "")

    def with_flags(self, flags: Mapping[str, Any]) -> Settings:
        """Return the same sources with other flags. No file is read again, and the masks are the same."""
        other = copy.copy(self)
        other.flags, other.sources, other.origins = dict(flags), {}, {}
        return other

    def fill(self, kind: type[T], section: str, *, of_person: bool = False) -> T:
        """Build the dataclass `kind` from all sources, or with `of_person` from all but the files of the folder.

        Raises UsageError for a bad value, naming its source, and for a value in an unconfirmed file that gives power.
        """
        values = {}
        fields: tuple[dataclasses.Field[Any], ...] = dataclasses.fields(kind)  # type: ignore[arg-type]
        has_key = any(self._is_own(field, section) for field in fields if field.metadata.get("secret"))
        for field in fields:
            match = self._find(field, section, of_person, has_key)
            if match is None:
                continue
            source, file, value = match
            self.sources[section, field.name], self.origins[section, field.name] = source, file
            value = _convert(value, hints_of(kind)[field.name], source)  # type: ignore[arg-type]
            value = _names(value, source) if field.metadata.get("names") else value
            check_value(field, value, source)
            if isinstance(value, Path) and file is not None and file == self.own.path:
                value = file.parent / value  # else a folder of that name in the current folder would count
            values[field.name] = value
            if field.metadata.get("secret") and value:
                self._add_secret(str(value), file, variable_of(field))
            for password in passwords_in(str(value)):
                self._add_secret(password, file)
            if isinstance(value, dict) or "://" in str(value):  # others may look so, as the item trial_key=1 does
                for secret, name in secrets_in(dict(_texts_of({variable_of(field) or field.name: value}))).items():
                    self._add_secret(secret, file, name)
        return kind(**values)

    def _add_secret(self, secret: str, file: Path | None, name: str = "") -> None:
        for mask in (self.mask, *(() if file in self._folder_paths else (self.own_mask,))):
            mask.add(secret, name=name)

    @property
    def own_root(self) -> Path:
        """Return the folder of all state that the person chose, whatever the files of the folder say."""
        kind: Any = resolve_name(SECTIONS["session"])
        root: Path = self.fill(kind, "session", of_person=True).root
        return root

    def confirms(self, file: SettingsFile) -> bool:
        """Tell whether a person has confirmed all of a file. They are asked if these sources may ask."""
        return self._confirm(self, file, True)

    def check_confirmed(self, file: SettingsFile, name: str) -> None:
        """Raise UsageError unless a file is the person's own or confirmed, wherever it lies. `name` is set there."""
        is_own = file.path.absolute() == self.own.path.absolute()
        if not is_own and not self.confirms(file):
            raise UsageError(unconfirmed(file.path, [name]))

    def refuse_unknown(self) -> None:
        """Raise UsageError for a section or a name of a file of settings that no part of autocraft has."""
        if self.files[DOTENV].values.get(PROFILE):
            raise UsageError(f"{PROFILE} counts in the environment alone: write profile_default into {SETTINGS_FILE}")
        for name, hint in _unknown(self.files[DOTENV].values, least=0.6):
            raise UsageError(f"{name} in {DOTENV} is not a setting{hint or ': correct the name, or take it out'}")
        for source in self._sources:
            if source.file is None or source.variables:
                continue
            sections = kinds(source.values)
            for section, values in source.tables():
                if section in ("profile", "profile_default") and source not in self._profiles:
                    continue
                if section not in sections:
                    hint = did_you_mean(section, SECTIONS, " (did you mean {}?)")
                    raise UsageError(
                        f"[{section}] in {source.name} is not a section{hint}: there are {', '.join(SECTIONS)}"
                    )
                if not isinstance(values, Mapping):
                    raise UsageError(f"{section} in {source.name} is not a table: write [{section}] above its settings")
                names = [field.name for field in dataclasses.fields(sections[section])]
                for name in values:
                    if name not in names:
                        hint = did_you_mean(name, names, ": did you mean {}?")
                        raise UsageError(f"{section}.{name} in {source.name} is not a setting{hint}")

    def misspelt(self) -> list[str]:
        """Return a line for each variable of the environment whose name is nearly that of a setting."""
        return [f"{name} is not a setting{hint}" for name, hint in _unknown(self.environment, least=0.85) if hint]

    def is_given(self, field: dataclasses.Field[Any], *, profile: bool) -> bool:
        """Tell whether a flag or the environment sets this field, so that no file, or no `profile` of it, does."""
        environment = bool(self.environment.get(variable_of(field)))
        return self._is_flag(field) or (environment and not (profile and field.metadata.get("key")))

    def _is_flag(self, field: dataclasses.Field[Any]) -> bool:
        return field.name in self.flags and bool(variable_of(field))

    def _list_sources(self, defaults: Mapping[str, Any]) -> list[Source]:
        """Return all sources but the flags and the profile, which is not known yet: the nearest first."""
        return [
            Source("the environment", self.environment, variables=True),
            *(Source(name, file.values, file.path, variables=name == DOTENV) for name, file in self.files.items()),
            Source("your own autocraft.toml", self.own.values, self.own.path),
            Source("the defaults of this verb", defaults),
        ]

    def _find(
        self, field: dataclasses.Field[Any], section: str, of_person: bool, has_key: bool
    ) -> tuple[str, Path | None, Any] | None:
        """Return the source in words, its file, and the value. Return None if only the default remains.

        If the person has set a key of this section (`has_key`), an unconfirmed file adds no other key to it.
        """
        if (full := f"{section}.{field.name}") in self.flags:  # a program sets any setting by its whole name
            return full, None, self.flags[full]
        if self._is_flag(field):
            return f"--{field.name.replace('_', '-')}", None, self.flags[field.name]
        sources = self._sources
        if self._named and field.metadata.get("key"):  # such a profile sets the endpoint
            sources = [*(profile for profile in self._profiles if profile.get(field, section)), *sources]
        found = [(source, value) for source in sources if (value := source.get(field, section)) is not None]
        own = any(source.file == self.own.path for source, _ in found)
        for source, value in found:
            if of_person and source.file in self._folder_paths:
                continue
            if source.file in self._unconfirmed:
                if own or (has_key and field.metadata.get("secret")):
                    continue
                if field.metadata.get("power"):
                    raise UsageError(unconfirmed(source.file, [source.title(field, section)]))
            return f"{source.title(field, section)} in {source.name}", source.file, value
        return None

    def _is_own(self, field: dataclasses.Field[Any], section: str) -> bool:
        """Tell whether a flag, the environment or the person's own file sets this field."""
        own = [source for source in self._sources if source.file not in self._folder_paths]
        return self._is_flag(field) or any(source.get(field, section) is not None for source in own)

    @property
    def _folder_paths(self) -> set[Path]:
        return {file.path for file in self.files.values()}


def unconfirmed(path: Path, names: Sequence[str], changed: bool = False) -> str:
    """Return a line that says that a file must be confirmed before these settings count, and how to do it."""
    since = " has changed since you confirmed it, and" if changed else ""
    they = f"sets {names[0]}, which counts" if len(names) == 1 else f"sets {', '.join(names)}, which count"
    if not names:
        they = "counts"
    return (
        f"{path}{since} {they} only after you have confirmed the file: run `autocraft trust` in its folder at a "
        f"terminal, or set them by flags, in the environment or in {own_file()}"
    )


def _unknown(values: Mapping[str, Any], least: float) -> Iterator[tuple[str, str]]:
    """Yield each variable of autocraft that is no setting, with a question for the name that was meant, or ""."""
    variables = [name for name, value in values.items() if value and name.startswith(PREFIX)]
    fields = [field for kind in kinds(SECTIONS if variables else ()).values() for field in dataclasses.fields(kind)]
    names = {variable_of(field).removeprefix(PREFIX): variable_of(field) for field in fields}
    for name in variables:
        if name not in names.values():
            near = near_names(name.removeprefix(PREFIX), names, least=least)
            yield name, f": did you mean {names[near[0]]}?" if near else ""


def mask_of(environment: Mapping[str, str], folder: Path) -> Mask:
    """Return the mask for errors before there are settings. A file that cannot be read holds no secrets."""
    secrets = secrets_in(environment)
    for path in (*(folder / name for name in FOLDER_FILES), own_file()):
        with contextlib.suppress(UsageError):
            secrets = {**secrets_in(dict(_texts_of(SettingsFile.read(path).values))), **secrets}
    return Mask(secrets)


def _texts_of(table: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield (path with underscores, text) of every text in a table, its inner tables and lists, however deep."""
    tables = [("", table)]
    for path, inner in tables:  # which grows meanwhile
        for name, value in inner.items():
            if isinstance(value, Mapping):
                tables.append((f"{path}{name}_", value))
            elif isinstance(value, str):
                yield f"{path}{name}", value
            elif isinstance(value, list):
                yield from ((f"{path}{name}_{each}", text) for each, text in named_words(value))


_WORDS = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}


def _convert(value: Any, hint: Any, source: str) -> Any:
    """Return a text of the environment, or a TOML value, as the type of the field. Raises UsageError."""
    if "\0" in str(value):
        raise UsageError(f"{source} holds a null character: take it out")
    kinds = typing.get_args(hint) if isinstance(hint, types.UnionType) else (hint,)
    kind = next(k for k in kinds if k is not types.NoneType)
    if typing.get_origin(kind) is tuple:
        if isinstance(value, str):
            return tuple(well_formed(value).split(","))
        if not isinstance(value, (list, tuple)):
            raise UsageError(f"{source} is {_short(value)}, but a list is needed")
        return well_formed(tuple(value))
    if typing.get_origin(kind) is dict:
        if not isinstance(value, Mapping):
            raise UsageError(f"{source} is {_short(value)}, but a table is needed")
        return well_formed(dict(value))
    try:
        if kind is bool:
            return value if isinstance(value, bool) else _WORDS[str(value).strip().lower()]
        if kind in (int, float):
            if isinstance(value, bool) or (isinstance(value, float) and kind(value) != value):
                raise ValueError
            return kind(value)
        if kind is Path:
            if value == "":
                raise UsageError(f"{source} is empty: write a path, or take it out")
            if well_formed(str(value)) != str(value):
                raise UsageError(f"{source} is {str(value)!r}, which is not UTF-8: rename that file or folder")
            return Path(value).expanduser()
    except (ValueError, TypeError, KeyError, OverflowError, RuntimeError):
        words = {bool: "yes or no", int: "a whole number", float: "a number", Path: "the folder of a known user"}
        need = words.get(kind, kind.__name__)
        raise UsageError(f"{source} is {_short(value)}, but {need} is needed") from None
    return well_formed(str(value))


def _names(values: tuple[Any, ...], source: str) -> tuple[str, ...]:
    """Return names without the blanks around them. Raises UsageError for a part of a printed list."""
    names = tuple(filter(None, (str(each).strip() for each in values)))
    for name in names:
        if set(name) & set("()'\""):
            raise UsageError(f"{source} holds {_short(name)}: write names with commas between, such as chest,barrel")
    return names


def _short(value: object) -> str:
    """Return a value for one line of an error."""
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:60]}… ({len(text)} characters)"
