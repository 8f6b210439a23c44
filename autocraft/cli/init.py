"""`autocraft init`: asks for model, world and folder, tests the answers, and writes them down."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryFile
from typing import TypeVar
from urllib.parse import urlsplit

from autocraft.brains.call import list_models
from autocraft.brains.endpoint import OpenAISettings
from autocraft.brains.profiles import PROFILES
from autocraft.cli.options import new_app, path_of
from autocraft.console.attended import is_attended
from autocraft.console.pages import print_page
from autocraft.errors import AutocraftError, UsageError
from autocraft.features import PARTS
from autocraft.network import is_loopback
from autocraft.settings.config import Config
from autocraft.settings.sources import DOTENV, SETTINGS_FILE, SettingsFile
from autocraft.settings.trust import ConfirmedFiles
from autocraft.text.phrases import count
from autocraft.text.sanitize import clean_line

Values = dict[str, dict[str, str]]
"""Section of `autocraft.toml` -> its settings. The section "" has the variables of `.env`."""
T = TypeVar("T")
_KEY = re.compile(r"[A-Za-z0-9_.:/+=@~-]+")
_LOOK_SECONDS = 2.0

app = new_app()


@app.command()
def init() -> None:
    """Ask what to play with, test it, and write .env and autocraft.toml of this folder."""
    from autocraft.settings.config import open_config
    from autocraft.settings.trust import was_confirmed

    if not is_attended():
        raise UsageError("init asks questions, so it needs a terminal: run it there, or copy .env.template to .env")
    settings = open_config({}, confirm=was_confirmed).sources
    _writable(settings.folder)
    values: Values = {"": {}}
    _ask_model(values)
    _ask_world(values)
    folder = _ask("Folder of sessions and memory; Enter for the system's own", _folder)
    if folder:
        values["session"] = {"state_dir": folder}
    record = ConfirmedFiles(settings.own_root)
    lines = [_write(settings.folder / name, text, record) for name, text in _texts(values).items() if text]
    with contextlib.suppress(UsageError):  # which doctor and run will say
        lines += _surprises(open_config({}, confirm=was_confirmed), values)
    print_page("\n".join([*filter(None, lines), "See what is missing: autocraft doctor. Begin: autocraft run"]))


def _surprises(config: Config, values: Values) -> list[str]:
    """Return a line for each place whose setting or key counts although something else was chosen."""
    endpoint, names = config.openai, [field.name for field in dataclasses.fields(OpenAISettings)]
    asked = [name for name in names if name in ("base_url", "provider") or "_key" in name]
    models = list(filter(None, (config.source_of("openai", name) for name in asked)))
    others = [f"{name} in the environment" for name in values[""] if config.environment.get(name)]
    for section, table in values.items():
        found = [config.source_of(section, name) for name in table] if section else []
        others += [place for place in found if place and not place.endswith(f" in {SETTINGS_FILE}")]
    lines = [f"{place} counts before what you chose." for place in others]
    if "openai" not in values and endpoint.usable:
        why = ", ".join(models)
        lines.append(f"A model plays, not the planner, because of {why}. Take it out, or add --brain planner to run.")
    elif endpoint.key and not values[""]:
        keys = ", ".join(place for place in models if "KEY" in place)
        lines.append(f"{endpoint.address} gets your key ({keys}). Take it out if that server must not have it.")
    return list(map(clean_line, lines))


def _ask_model(values: Values) -> None:
    """Offer the planner, the local servers that answer, and services that need a key."""
    print_page("Looking for local servers …")
    local = [profile for profile in PROFILES.values() if profile.local]
    answers = asyncio.run(_look([OpenAISettings(provider=each.name, timeout=_LOOK_SECONDS) for each in local]))
    choices: list[tuple[str, Callable[[], None]]] = [("the built-in planner, without a model", lambda: None)]
    for profile, models in zip(local, answers, strict=True):
        if models:
            offer = f"{profile.title} at {profile.base_url}, which offers {count(len(models), 'model')}"
            choices.append((offer, lambda url=profile.base_url: _local(values, url)))  # type: ignore[misc]
    services = [profile for profile in PROFILES.values() if profile.key and profile.base_url]
    for profile in sorted(services, key=lambda each: each.name != "openai"):
        choices.append((f"{profile.title}, by a key", lambda name=profile.name: _service(values, name)))  # type: ignore[misc]
    choices.append(("another server, by its address", lambda: _other(values)))
    print_page("Who shall play?\n" + "\n".join(f"  {n}  {text}" for n, (text, _) in enumerate(choices, 1)))
    _ask("Number; Enter for 1", lambda text: _choice(text, [action for _, action in choices]))()


async def _look(endpoints: Sequence[OpenAISettings]) -> list[list[tuple[str, str]]]:
    """Return what each endpoint offers, nothing where none answers."""
    answers = await asyncio.gather(*map(list_models, endpoints), return_exceptions=True)
    return [[] if isinstance(each, BaseException) else list(each) for each in answers]


def _local(values: Values, url: str) -> None:
    """Ask for the model of a server that answers without a key."""
    _keep(values, *_test(OpenAISettings(base_url=url)), "")


def _other(values: Values) -> None:
    """Ask for an address and then for its key, until the server answers to both."""
    while True:
        url = _ask("Address, such as http://127.0.0.1:8080/v1", _address)
        key = _ask("Its key, which is not shown; Enter for none", lambda text: text and _key(text), _hidden)
        try:
            endpoint, models = _test(OpenAISettings(base_url=url, api_key=key))
        except AutocraftError as error:
            said = str(error).replace("OPENAI_BASE_URL", "the address").replace("OPENAI_API_KEY", "the key")
            print_page(clean_line(f"No: {said}."))
            continue
        _keep(values, endpoint, models, key)
        return


def _keep(values: Values, endpoint: OpenAISettings, models: Sequence[str], key: str) -> None:
    values[""] = {"OPENAI_API_KEY": key} if key else {}
    values["openai"] = {"base_url": endpoint.base_url}
    _model(values, endpoint, models)


def _address(text: str) -> str:
    """Return the address of a server, with the scheme that was left out. Raises UsageError for an empty one."""
    if not text:  # without an address the key would go to OpenAI
        raise UsageError("the server has no address yet: type it")
    if "://" in text:
        return text
    return f"http://{text}" if is_loopback(urlsplit(f"//{text}").hostname or "") else f"https://{text}"


def _service(values: Values, name: str) -> None:
    """Ask for the key, which is not shown, and for the model."""
    profile = PROFILES[name]

    def test(text: str) -> tuple[OpenAISettings, list[str]]:
        key = _key(text)
        return _test(OpenAISettings(provider=name, api_key=key, openrouter_key=key))

    endpoint, models = _ask(f"Key of {profile.title}, which is not shown", test, _hidden)
    values[""] = {profile.key: endpoint.key}
    values["openai"] = {"provider": name}
    _model(values, endpoint, models)


def _key(text: str) -> str:
    if "://" in text:
        raise UsageError("that is an address: type the key of the server")
    if not _KEY.fullmatch(text):
        raise UsageError("that is not a key: copy all of it, without spaces or quotes")
    return text


def _test(endpoint: OpenAISettings) -> tuple[OpenAISettings, list[str]]:
    """Return the endpoint and its models. Raises BrainError if it does not answer, UsageError if it cannot."""
    if endpoint.fault:
        raise UsageError(endpoint.fault)
    models = [name for name, _ in asyncio.run(list_models(endpoint))]
    print_page(f"It answers, and offers {count(len(models), 'model')}.")
    return endpoint, models


def _model(values: Values, endpoint: OpenAISettings, models: Sequence[str]) -> None:
    usual = endpoint.smart if endpoint.smart in models or not models else models[0]
    names = ", ".join(map(clean_line, models[:20])) + (" …" if len(models) > 20 else "")

    def test(text: str) -> str:
        if text and models and text not in models:
            raise UsageError(f"{text[:60]} is not offered: choose one of the list")
        return text or usual

    print_page(f"Models: {names or 'it names none'}")
    model = _ask(f"Model; Enter for {clean_line(usual)}", test)
    values["openai"] |= {"smart_model": model, "fast_model": model}


def _ask_world(values: Values) -> None:
    from autocraft.cli.checks import reach

    worlds = list(PARTS["world"])
    names = " or ".join(worlds)

    def one_of(text: str) -> str:
        if text and text not in worlds:
            raise UsageError(f"choose {names}")
        return text or worlds[0]

    world = _ask(f"World: {names}; Enter for {worlds[0]}", one_of)
    values["run"] = {"world": world}
    if world != worlds[0]:
        question = "Server, as HOST:PORT or lan; Enter for a practice server of your own"
        server = _ask(question, lambda text: reach(text) and text if text else "")
        values |= {"minecraft": {"server": server}} if server else {}


def _choice(text: str, actions: Sequence[T]) -> T:
    if text and not (text.isascii() and text.isdigit() and 0 < int(text) <= len(actions)):
        raise UsageError(f"type a number from 1 to {len(actions)}")
    return actions[int(text or 1) - 1]


def _folder(text: str) -> str:
    from autocraft.session.folder import private_folder

    return str(_writable(private_folder(path_of(text).absolute()))) if text else ""


def _writable(folder: Path) -> Path:
    """Return the folder. Raises UsageError if it takes no new file."""
    try:
        with TemporaryFile(dir=folder):
            return folder
    except OSError as error:
        raise UsageError(f"{folder} cannot be written ({error.strerror}): use another folder") from None


def _ask(question: str, read: Callable[[str], T], line: Callable[[str], str | None] | None = None) -> T:
    """Ask until `read` takes the answer. Raises UsageError at the end of input."""
    from autocraft.console.typed import ask_line

    while True:
        text = (line or ask_line)(question)
        if text is None:
            raise UsageError("nothing was written, since the answers ended: run autocraft init again")
        try:
            return read(text.strip())
        except (AutocraftError, OSError, ValueError) as error:
            print_page(clean_line(f"No: {getattr(error, 'strerror', None) or error}."))


def _hidden(question: str) -> str | None:
    from getpass import getpass

    try:
        return getpass(f"{question}: ")
    except EOFError:
        return None


def _texts(values: Values) -> dict[str, str]:
    """Return the contents of both files, "" for one that has no settings."""
    tables = [
        f"[{section}]\n" + "".join(f"{name} = {json.dumps(text, ensure_ascii=False)}\n" for name, text in table.items())
        for section, table in values.items()
        if section
    ]
    return {DOTENV: "".join(f"{name}={text}\n" for name, text in values[""].items()), SETTINGS_FILE: "\n".join(tables)}


def _write(path: Path, text: str, record: ConfirmedFiles) -> str:
    """Write a file that its owner alone can read, and confirm it. A file that is there stays without a yes."""
    from autocraft.console.typed import ask_line
    from autocraft.session.atomic import write_atomic

    shown = clean_line(str(path))
    if path.exists() or path.is_symlink():
        answer = ask_line(f"{shown} is there. Type yes to replace all of it")
        if (answer or "").strip() != "yes":
            return f"{shown} stays as it was."
    file = SettingsFile.of(path, text.encode())
    write_atomic(path, file.data, mode=0o600)
    record.keep(file)  # these bytes, whatever another program has written there since
    note = "; it holds your key, so never publish it" if path.name == DOTENV else ""
    return f"Wrote {shown}{note}."
