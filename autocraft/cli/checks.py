"""The checks of `autocraft doctor`. Each returns what was found, and the command that solves it."""

from __future__ import annotations

import asyncio
import os
import platform
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from autocraft.brains.endpoint import OpenAISettings
from autocraft.children import Lifetime, start_waiting
from autocraft.errors import AutocraftError, CommandError, UsageError
from autocraft.extensions import GROUPS, guarded, installed, source_of
from autocraft.installation import install_line
from autocraft.mcp.opening import read_servers_of
from autocraft.settings.config import Config
from autocraft.settings.fields import SECTIONS
from autocraft.settings.run import RunSettings
from autocraft.text.phrases import count

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from autocraft.mcp.client.family import OtherServer

NODE = 22
"""The oldest major version of Node that is supported."""
_CONNECT_SECONDS = 5.0


@dataclass(frozen=True)
class Finding:
    """What a check found. `state` is ok, warn or fail; `advice` is what to do about it."""

    name: str
    state: str
    text: str
    advice: str = ""


@dataclass
class Doctor:
    """Checks what a run with these settings would need. Nothing is written or fetched.

    With `ask` the model is asked a short question, and what it refuses is remembered as in a run.
    """

    config: Config
    ask: bool = False
    first_model: str = field(default="", init=False)
    """The first model on offer that is not for embeddings. It plays where none is set."""

    def findings(self) -> Iterator[Finding]:
        """Yield the findings, one after the other, since some take seconds."""
        for name, check in _CHECKS.items():
            try:
                yield check(self, name)
            except AutocraftError as error:
                yield _failure(name, error)
            except OSError as error:
                yield Finding(name, "fail", f"{error.strerror or error}: {error.filename or 'the system'}")
        yield from map(_part, (entry for kind in GROUPS for entry in installed(kind)))
        try:
            yield from map(self._other, read_servers_of(self.config))
        except AutocraftError as error:
            yield _failure("mcp servers", error)

    def _other(self, other: OtherServer) -> Finding:
        """Check a server of others, whose tools are commands. It is not started."""
        server, name = other.server, f"mcp.{other.server.name}"
        if find_spec("mcp") is None:
            return Finding(name, "fail", "the official SDK is missing", install_line("mcp"))
        if not server.url and server.program({**self.config.environment, **server.env}) is None:
            return _failure(name, UsageError(server.no_program))
        if other.confined:
            from autocraft.sandbox.protection import check_confining

            try:
                check_confining(network=server.reach.network)
            except CommandError as error:
                return _failure(name, error)
        where = f"{server.where}{', confined' * other.confined}"
        if other.tools is None:
            return Finding(name, "ok", f"{where}: never started")
        text = f"{where}: {count(other.tools, 'tool')}"
        changes = len(other.changes())
        if changes:
            return Finding(name, "warn", f"{text}, of which {changes} changed", "autocraft run, which asks about them")
        return Finding(name, "ok", text)

    @property
    def model(self) -> str:
        return self.config.openai.smart or self.first_model

    @property
    def root(self) -> Path:
        return self.config.session.root


def _part(entry: EntryPoint) -> Finding:
    """Import what an installed package brings."""
    name = f"{entry.group.removeprefix('autocraft.')}.{entry.name}"
    try:
        guarded(entry.load, source_of(entry))
    except AutocraftError as error:
        return _failure(name, error, "warn")
    return Finding(name, "ok", source_of(entry))


def _failure(name: str, error: AutocraftError, state: str = "fail") -> Finding:
    """Split an error into what is wrong and what to do next."""
    text, separator, advice = str(error).rpartition(": ")
    return Finding(name, state, text, advice) if separator else Finding(name, state, advice)


def _packages(doctor: Doctor, name: str) -> Finding:
    """Look for the packages that autocraft names as needed, and name the extras that are not complete."""
    from importlib import metadata

    try:
        requirements = metadata.requires("autocraft-agent") or []
    except metadata.PackageNotFoundError:
        return Finding(name, "warn", "autocraft is not installed, so its packages are not known", install_line())
    missing: dict[str, list[str]] = {}
    for line in requirements:
        package = re.split(r"[^\w.-]", line, maxsplit=1)[0]
        extra = re.search(r"extra == ['\"](\w+)", line)
        try:
            metadata.version(package)
        except metadata.PackageNotFoundError:
            missing.setdefault(extra[1] if extra else "", []).append(package)
    if "" in missing:
        return Finding(name, "fail", f"not installed: {', '.join(missing[''])}", install_line())
    extras = f"; extras that are not installed: {', '.join(missing)}" if missing else ""
    return Finding(name, "ok", f"all that are needed{extras}", install_line(",".join(missing)) if missing else "")


def _settings(doctor: Doctor, name: str) -> Finding:
    sources = doctor.config.sources
    sources.refuse_unknown()
    for section in SECTIONS:
        doctor.config.section(section)
    if misspelt := sources.misspelt():
        return Finding(name, "warn", ", ".join(misspelt))
    files = [file for file in (*sources.files.values(), sources.own) if file.values]
    return Finding(name, "ok", f"read from {', '.join(str(file.path) for file in files) or 'no file'}")


def _key(doctor: Doctor, name: str) -> Finding:
    """Say whether a key is set and where, never what it is."""
    config = doctor.config
    if config.openai.key:
        names = (field.name for field in fields(OpenAISettings) if field.name.endswith("_key"))
        keys = filter(None, (config.source_of("openai", each) for each in names))
        return Finding(name, "ok", f"set: {', '.join(keys)}")
    if config.openai.usable:
        return Finding(name, "ok", "none, and none is needed for a local server")
    return Finding(name, "warn", "no model is set, so the built-in planner plays", "autocraft init")


def _endpoint(doctor: Doctor, name: str) -> Finding:
    from autocraft.brains.call import list_models

    endpoint = doctor.config.openai
    if not endpoint.usable:
        return Finding(name, "ok", "not asked, as no model is set")
    if endpoint.fault:
        return Finding(name, "fail", endpoint.fault, "autocraft init")
    models = [model for model, _ in asyncio.run(list_models(endpoint))]
    doctor.first_model = next((each for each in models if "embed" not in each.lower()), "")
    model = doctor.model
    text = f"{endpoint.where} offers {count(len(models), 'model')}"
    if models and model and model not in models:
        return Finding(name, "warn", f"{text}, but not {model}", "autocraft models; then set SMART_LLM_MODEL")
    return Finding(name, "ok", f"{text}; {model or 'none'} plays")


def _abilities(doctor: Doctor, name: str) -> Finding:
    from autocraft.brains.abilities import AbilityStore

    endpoint, profile = doctor.config.openai, doctor.config.openai.profile
    if not endpoint.usable:
        return Finding(name, "ok", "none are needed, as no model is set")
    answer = asyncio.run(_answer(doctor)) if doctor.ask else "autocraft learns what is refused by trying it"
    store = AbilityStore(doctor.root / "abilities.json")
    able = store.get(endpoint.abilities_key, doctor.model, official=bool(profile and profile.official))
    refusals = f"; refuses {', '.join(sorted(able.refused))}" if able.refused else ""
    return Finding(name, "ok", f"answers are asked for as {able.form}{refusals}; {answer}")


def _network(doctor: Doctor, name: str) -> Finding:
    """Say which proxy and which certificates the requests to the model use."""
    from autocraft.network import certificates, proxy_for

    endpoint = doctor.config.openai
    if not endpoint.usable:
        return Finding(name, "ok", "not needed, as no model is set")
    proxy, trusted = proxy_for(endpoint.url), certificates()
    way = f"by the proxy of {proxy.variable}" if proxy else "directly"
    whose = f"of {trusted[1]}" if trusted else "of the system"
    return Finding(name, "ok", f"{endpoint.where} is asked {way}, with the certificates {whose}")


def _window(doctor: Doctor, name: str) -> Finding:
    """Say what the model can take in at once, and where the figure is from."""
    from autocraft.agent.transcript import USUAL_WINDOW
    from autocraft.brains.call import Caller
    from autocraft.usage import window_of

    endpoint, model = doctor.config.openai, doctor.model
    if not endpoint.usable or not model:
        return Finding(name, "ok", "not needed, as no model is set")
    if doctor.config.prompt.window:
        return Finding(name, "ok", f"{doctor.config.prompt.window:,} tokens, as you set")
    if not endpoint.free and (tokens := window_of(model)):
        return Finding(name, "ok", f"{tokens:,} tokens, as its maker says")

    async def ask() -> tuple[int, str]:
        caller = Caller(endpoint)
        try:
            return await caller.find_window(model)
        finally:
            await caller.close()

    tokens, source = asyncio.run(ask())
    if tokens:
        return Finding(name, "ok", f"{tokens:,} tokens, as {source}")
    text = f"unknown, so {USUAL_WINDOW:,} tokens are assumed"
    return Finding(name, "warn", text, "set SMART_TOKEN_LIMIT to what the model takes in")


async def _answer(doctor: Doctor) -> str:
    """Ask the model one question. Return how it went. Raises BrainError."""
    from autocraft.brains.choose import BrainChoice
    from autocraft.brains.openai import OpenAIBrain
    from autocraft.protocols import Message

    config = doctor.config
    brain = OpenAIBrain.for_choice(BrainChoice.of(config.run, config.openai, config.models, doctor.root))
    schema = {"type": "object", "properties": {"ok": {"type": "boolean"}}, "required": ["ok"]}
    question = [Message("user", 'Answer with {"ok": true} and nothing else.')]
    start = time.monotonic()
    try:
        answer = await brain.think(question, schema=schema)
    finally:
        await brain.close()
    tokens = answer.usage.total if answer.usage else 0
    return f"it answered in {time.monotonic() - start:.1f} s, for {count(tokens, 'token')}"


def _memory(doctor: Doctor, name: str) -> Finding:
    """Open the memory, unless it is a folder that does not exist yet."""
    from autocraft.agent.open_memory import open_memory_of
    from autocraft.memory import keeps_files

    config, backend = doctor.config, doctor.config.run.memory
    if keeps_files(backend) and not (doctor.root / "memory").is_dir():
        return Finding(name, "ok", f"{backend}; nothing is remembered yet")
    memory = open_memory_of(backend, config.memory, config.openai, doctor.root, durable=False)
    try:
        rows = memory.get_stats().get("rows", 0)
        state = Finding(name, "warn", memory.notice, "autocraft memory stats") if memory.notice else None
        return state or Finding(name, "ok", f"{backend}; {count(rows, 'row')}")
    finally:
        memory.close()


def _embedder(doctor: Doctor, name: str) -> Finding:
    from autocraft.memory.embed import open_embedder

    choice = doctor.config.memory.embedder
    if choice == "openai":
        return Finding(name, "ok", "the endpoint's own; texts that are remembered are sent there")
    embedder = open_embedder(choice)
    if embedder.name.startswith("lexical"):
        advice = "" if choice == "lexical" else install_line("embed")
        return Finding(name, "warn" if advice else "ok", "lexical; it finds shared words only", advice)
    return Finding(name, "ok", embedder.name)


def _folder(name: str, path: Path, advice: str) -> Finding:
    """Tell whether a folder can be written, or made."""
    nearest = next(folder for folder in (path, *path.parents) if folder.exists())
    if not (nearest.is_dir() and os.access(nearest, os.W_OK | os.X_OK)):
        return Finding(name, "fail", f"{nearest} cannot be written", advice)
    free = shutil.disk_usage(nearest).free >> 20
    if free < 100:
        return Finding(name, "warn", f"{path} has {free:,} MB of space", "free some space")
    return Finding(name, "ok", str(path) if path.exists() else f"{path}, which is created when it is needed")


def _workspace(doctor: Doctor, name: str) -> Finding:
    from autocraft.commands.workspace_folder import open_workspace

    root = open_workspace(doctor.config, started=[each.started for each in read_servers_of(doctor.config)]).root
    return _folder(name, root, "choose another with --workspace")


def _protection(doctor: Doctor, name: str) -> Finding:
    code, advice = doctor.config.code, "docs/systems.md says where Python files run"
    if code.off_by:
        return Finding(name, "warn", f"Python files are off because of {code.off_by}", advice)
    from autocraft.sandbox.protection import find

    try:
        parts = ", ".join(find(code).parts)
    except AutocraftError as error:
        return Finding(name, "warn", str(error), advice)
    if not parts:
        return Finding(name, "warn", "Python files can do what you can", "set code.protection to auto")
    return Finding(name, "ok", f"Python files are confined by {parts}")


def _node(doctor: Doctor, name: str) -> Finding:
    """Find Node and its packages. Without them only the crafting world without programs works."""
    from autocraft.node import child_environment, find_node
    from autocraft.sandbox import packages as programs
    from autocraft.worlds.minecraft import packages as minecraft

    try:
        node = find_node()
        pipe = subprocess.PIPE
        command, env = [str(node), "--version"], child_environment()
        with start_waiting(command, Lifetime.GUARDED, env=env, stdout=pipe, stderr=pipe, text=True) as child:
            try:
                said = child.communicate(timeout=20)[0].strip()
            finally:
                child.kill()
    except AutocraftError as error:
        return _failure(name, error, "warn" if doctor.config.run.world == RunSettings.world else "fail")
    except (OSError, subprocess.TimeoutExpired):
        return Finding(name, "fail", f"{node} does not start", install_line("minecraft"))
    version = re.fullmatch(r"v(\d+)\S*", said)
    if version is None or int(version[1]) < NODE:
        text = f"{node} is {said[:40] or 'no Node'}, but {NODE} or newer is needed"
        return Finding(name, "fail", text, install_line("minecraft"))
    missing = [part.what_for for part in (programs.PACKAGES, minecraft.PACKAGES) if not part.are_there()]
    if missing:
        text = f"{version[0]}; not fetched yet: the packages for {', and for '.join(missing)}"
        return Finding(name, "warn", text, "the first run that needs them fetches them")
    return Finding(name, "ok", f"{version[0]}, with its packages")


def _terminal(doctor: Doctor, name: str) -> Finding:
    streams = {"input": sys.stdin, "output": sys.stdout}
    away = [word for word, stream in streams.items() if stream is None or not stream.isatty()]
    if away:
        text = f"no terminal as {' and '.join(away)}, so nobody can be asked here"
        return Finding(name, "warn", text, "run it in a terminal, or with --continuous")
    size = shutil.get_terminal_size()
    about = f"{os.environ.get('TERM') or 'unknown'}, {size.columns} by {size.lines}, {sys.stdout.encoding}"
    if os.environ.get("TERM") in (None, "", "dumb"):
        return Finding(name, "warn", f"{about}: nothing can be redrawn", "export TERM=xterm-256color")
    if size.columns < 40:
        return Finding(name, "warn", f"{about}: narrow", "make the window 40 columns wide or more")
    return Finding(name, "ok", about)


def _server(doctor: Doctor, name: str) -> Finding:
    server = doctor.config.minecraft.server
    if not server:
        return Finding(name, "ok", "none is set; --world minecraft starts a practice server")
    return Finding(name, "ok", f"{reach(server)} accepts connections")


def reach(server: str) -> str:
    """Connect to a Minecraft server. Return its address. Raises UsageError if it cannot be reached."""
    from autocraft.worlds.minecraft.lan import find_lan_world
    from autocraft.worlds.minecraft.settings import address

    host, port = asyncio.run(find_lan_world()) if server == "lan" else address(server)
    try:
        socket.create_connection((host, port), _CONNECT_SECONDS).close()
    except (OSError, UnicodeError) as error:  # the latter for a name that no host can have
        why = error.strerror or error if isinstance(error, OSError) else "there is no such host"
        raise UsageError(f"{host}:{port} cannot be reached ({why}): start the server, or name another one") from None
    return f"{host}:{port}"


_CHECKS: dict[str, Callable[[Doctor, str], Finding]] = {
    "python": lambda doctor, name: Finding(name, "ok", f"{platform.python_version()} at {sys.executable}"),
    "packages": _packages,
    "settings": _settings,
    "key": _key,
    "network": _network,
    "endpoint": _endpoint,
    "window": _window,
    "abilities": _abilities,
    "state folder": lambda doctor, name: _folder(name, doctor.root, "choose another with --state-dir"),
    "memory": _memory,
    "embedder": _embedder,
    "workspace": _workspace,
    "protection": _protection,
    "node": _node,
    "terminal": _terminal,
    "minecraft": _server,
}
"""Name of a check -> the check, in the order of the lines."""
