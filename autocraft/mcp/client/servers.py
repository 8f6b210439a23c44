"""The servers that the settings name, by `[mcp.servers.NAME]` or by the `mcpServers` of a JSON file."""

from __future__ import annotations

import json
import math
import re
import shutil
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from autocraft.errors import CommandError, UsageError
from autocraft.mcp.settings import McpSettings
from autocraft.network import is_loopback
from autocraft.protocols import Json, Risk
from autocraft.sandbox.confinement import Reach
from autocraft.session.atomic import sha256
from autocraft.settings.settings import unconfirmed
from autocraft.settings.sources import SettingsFile
from autocraft.text.characters import well_formed
from autocraft.text.phrases import did_you_mean
from autocraft.text.redact import named_words, secrets_in

MOST_SERVERS = 20
_NAME = re.compile(r"[a-z][a-z0-9_]{0,23}")
_VARIABLE = re.compile(r"\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)\}")
_RISKS = {risk.value: risk for risk in Risk}


@dataclass(frozen=True)
class Server:
    """How one server is reached, and what the person allows it."""

    name: str
    command: str = ""
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    """Variable of the child -> its value, in which ``${NAME}`` stands for a variable of ours."""
    cwd: str = ""
    url: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    """Header -> its value, in which ``${NAME}`` stands for a variable of ours."""
    access: Access = field(default_factory=lambda: Access())
    confine: bool | None = None
    """Whether it is confined. None leaves it to the person's answer at first sight."""
    reach: Reach = field(default_factory=Reach)
    """What it may use when it is confined."""

    @property
    def source(self) -> str:
        """Return a hash of what is started or asked. Another source is another server, whatever it is called."""
        values = {name: value for name, value in asdict(self).items() if name not in _NOT_OF_SOURCE}
        return sha256(json.dumps(values, sort_keys=True).encode())

    @property
    def folder(self) -> Path:
        """Return the folder in which it is started."""
        return Path(self.cwd).expanduser() if self.cwd else Path.home()

    def program(self, environment: Mapping[str, str]) -> str | None:
        """Return the path of the program. Return None if it is not found."""
        return shutil.which(self.command, path=environment.get("PATH"))

    @property
    def no_program(self) -> str:
        """Return the error for a program that is not found, and what to do."""
        return f"there is no program {self.command}: install it, or correct the command of the server {self.name}"

    @property
    def where(self) -> str:
        """Return the program or the address in a few words."""
        return self.url or " ".join((self.command, *self.args))


@dataclass(frozen=True)
class Access:
    """The risks that the person lowered, by the name of the tool, and the limits of a call in seconds."""

    risk: Mapping[str, Risk] = field(default_factory=dict)
    seconds: float = 60.0
    start_seconds: float = 30.0


_TABLE = (
    *("command", "args", "env", "cwd", "url", "headers", "risk", "seconds", "start_seconds"),
    *("confine", "read", "write", "network"),
)
_NOT_OF_SOURCE = ("name", "access", "confine", "reach")
Confirm = Callable[[SettingsFile], bool]
"""Tells whether the person has confirmed a file. Raises UsageError if it must be confirmed."""


def read_servers(options: McpSettings, folder: Path, confirm: Confirm) -> list[Server]:
    """Return the servers of the settings. `confirm` judges the JSON file. Raises UsageError for a bad one.

    The path of that file begins at `folder` if it is not absolute.
    """
    tables: list[tuple[str, str, Any]] = []
    for name, table in (options.servers or {}).items():
        tables.append((f"mcp.servers.{name}", name, _check_fields(table, f"mcp.servers.{name}")))
    if options.servers_file is not None:
        path = folder / options.servers_file
        for name, table in _read_json(path, confirm).items():
            fields = {key: value for key, value in table.items() if key in _TABLE} if isinstance(table, dict) else table
            tables.append((f"{name} in {path}", name, fields))
    servers: dict[str, Server] = {}
    for title, name, table in tables:
        server = _server(title, name, table)
        if server.name in servers:
            raise UsageError(f"{title}: another server is called {server.name!r} too: rename one")
        servers[server.name] = server
    if len(servers) > MOST_SERVERS:
        raise UsageError(f"there are {len(servers)} servers in the settings, and at most {MOST_SERVERS} are started")
    return list(servers.values())


def fill(text: str, environment: Mapping[str, str], server: str) -> str:
    """Return `text` with the values of the variables that it names. Raises CommandError for one that is not set."""

    def value(match: re.Match[str]) -> str:
        if match[1] not in environment:
            raise CommandError(f"the server {server} needs the variable {match[1]}: set it, and start the run again")
        return environment[match[1]]

    return _VARIABLE.sub(value, text)


def secrets_of(server: Server, environment: Mapping[str, str]) -> dict[str, str]:
    """Return each secret that a server is given, with the name that holds it."""
    values = {**server.env, **server.headers, **dict(named_words(server.args))}
    named = {name: environment.get(name, "") for value in server.headers.values() for name in _VARIABLE.findall(value)}
    return secrets_in({**values, "url": server.url}) | {value: name for name, value in named.items()}


def _read_json(path: Path, confirm: Confirm) -> Mapping[str, Any]:
    """Return the servers of a file of other clients, once its bytes are confirmed. Raises UsageError."""
    try:
        data = path.read_bytes()
        values = json.loads(data)
        servers = well_formed(values)["mcpServers"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        why = getattr(error, "strerror", None) or "it holds no object mcpServers"
        raise UsageError(f"mcp.servers_file: {path} cannot be read: {why}") from None
    if not isinstance(servers, dict):
        raise UsageError(f"mcp.servers_file: mcpServers of {path} must be an object")
    if servers and not confirm(SettingsFile(path, data, {"mcp": {"servers": servers}})):
        raise UsageError(unconfirmed(path, ["mcp.servers"]))
    return servers


def _check_fields(table: object, title: str) -> object:
    """Return the table. Raises UsageError for a key that means nothing."""
    for key in table if isinstance(table, Mapping) else ():
        if key not in _TABLE:
            hint = did_you_mean(key, _TABLE, ", did you mean '{}'")
            raise UsageError(f"{title}.{key} is not a setting of a server{hint}: there are {', '.join(_TABLE)}")
    return table


def _server(title: str, name: str, table: object) -> Server:
    if not isinstance(table, Mapping):
        raise UsageError(f"{title} must be a table with command or url")
    plain = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")  # no "__", which parts a server from its tool
    if not _NAME.fullmatch(plain):
        raise UsageError(
            f"{title}: {name[:40]!r} is not a valid name for a server: begin with a letter, at most 24 of a-z, 0-9"
        )
    command, url = _text(table, "command", title), _text(table, "url", title)
    if bool(command) == bool(url):
        raise UsageError(f"{title} needs either command, to be started, or url, to be asked")
    args = _list(table, "args", title)
    cwd = _text(table, "cwd", title)
    if cwd:
        _check_whole(cwd, f"{title}.cwd")
    env = table.get("env", {})
    if isinstance(env, (list, tuple)):
        env = {str(each): f"${{{each}}}" for each in env}
    headers = _texts(table.get("headers", {}), f"{title}.headers")
    if url:
        _check_url(url, headers, title)
    access = Access(_risks(table.get("risk", {}), title), _seconds(table, "seconds", 60.0, title),
                    _seconds(table, "start_seconds", 30.0, title))  # fmt: skip
    confine, reach = table.get("confine"), _reach(table, title)
    if not isinstance(confine, bool | None):
        raise UsageError(f"{title}.confine must be true or false")
    if url and (confine is not None or reach != Reach()):
        raise UsageError(f"{title}: only a server that is started can be confined, not one with a url")
    return Server(plain, command, args, _texts(env, f"{title}.env"), cwd, url, headers, access, confine, reach)


def _reach(table: Mapping[str, Any], title: str) -> Reach:
    read, write = (_list(table, key, title) for key in ("read", "write"))
    for key, paths in (("read", read), ("write", write)):
        for path in paths:
            _check_whole(path, f"{title}.{key}")
    network = table.get("network", False)
    if not isinstance(network, bool):
        raise UsageError(f"{title}.network must be true or false")
    return Reach(read, write, network)


def _list(table: Mapping[str, Any], key: str, title: str) -> tuple[str, ...]:
    value = table.get(key, [])
    if not isinstance(value, (list, tuple)) or not all(isinstance(each, str) and "\0" not in each for each in value):
        raise UsageError(f"{title}.{key} must be a list of texts")
    return tuple(value)


def _check_whole(path: str, title: str) -> None:
    """Raise UsageError for a path that does not begin at the root or at a home folder."""
    try:
        is_whole = Path(path).expanduser().is_absolute()
    except RuntimeError:  # the home folder of nobody
        is_whole = False
    if not is_whole:
        raise UsageError(f"{title} must be a whole path, not {path[:60]!r}")


def _text(table: Mapping[str, Any], key: str, title: str) -> str:
    value = table.get(key, "")
    if not isinstance(value, str) or "\0" in value:
        raise UsageError(f"{title}.{key} must be a text")
    return value.strip()


def _texts(value: object, title: str) -> Json:
    if not isinstance(value, Mapping) or not all(isinstance(each, str) for each in value.values()):
        raise UsageError(f"{title} must be a table of texts")
    if any("\0" in text or "=" in name or not name for name, text in value.items()):
        raise UsageError(f"{title} has a name or a value that no program can be given")
    return dict(value)


def _risks(value: object, title: str) -> Mapping[str, Risk]:
    if not isinstance(value, Mapping):
        raise UsageError(f'{title}.risk must be a table, as in risk = {{ read_file = "look" }}')
    for tool, risk in value.items():
        if risk not in _RISKS:
            raise UsageError(f"{title}.risk.{tool} must be look, change or destroy, not {str(risk)[:40]!r}")
    return {tool: _RISKS[risk] for tool, risk in value.items()}


def _seconds(table: Mapping[str, Any], key: str, default: float, title: str) -> float:
    value = table.get(key, default)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < math.inf:
        raise UsageError(f"{title}.{key} must be a number of seconds above 0")
    return float(value)


def _check_url(url: str, headers: Json, title: str) -> None:
    """Raise UsageError for an address that cannot be asked, or that would get a header in clear text."""
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        host, parts = "", urlsplit("")
    if parts.scheme not in ("http", "https") or not host or parts.username or parts.password:
        raise UsageError(f"{title}.url must be an http or https address without a password")
    if parts.scheme == "http" and headers and not is_loopback(host):
        raise UsageError(f"{title}: headers go only to https, or to this machine: anybody could read them")
