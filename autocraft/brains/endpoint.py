"""The endpoint of the models: its settings, the official SDK's client for it, and its list of models.

The SDK is imported with the first client.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any
from urllib.parse import urlsplit

from autocraft.brains.profiles import OPENAI_URL, PROFILES, Profile, profile_at
from autocraft.errors import BrainError, UsageError
from autocraft.frozen import frozen
from autocraft.network import is_loopback
from autocraft.protocols import Json
from autocraft.settings.fields import ROLES, setting
from autocraft.settings.roles import RoleSettings
from autocraft.usage import MOST_TOKENS

CONNECT_SECONDS = 10.0
"""The longest wait for a connection. An answer may take `OpenAISettings.timeout`."""
MOST_MODELS = 2_000
_LONGEST_ID = 200
_WINDOWS = ("n_ctx", "max_model_len", "context_length", "context_window", "max_context_length", "n_ctx_train")
"""What llama.cpp, vLLM, OpenRouter, Groq and Mistral call the window in their lists of models."""
_HEADER = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,200}")
_QUOTES = "\"'"
DEFAULTS = {"smart": "gpt-5-mini", "fast": "gpt-5-nano"}
"""The models at OpenAI where none was chosen."""
_KEYS = "OPENAI_API_KEY or the key of another service, such as OPENROUTER_API_KEY"


@frozen
class OpenAISettings:
    """Where the models are. A base URL without a key is taken for a local server."""

    provider: str = setting(
        "", doc="kind of endpoint, by the name of a profile; if empty, autocraft guesses it from the address", key=_KEYS
    )
    api_key: str = setting("", env="OPENAI_API_KEY", doc="key of the endpoint", secret=True)
    base_url: str = setting(
        "",
        "--base-url URL",
        env="OPENAI_BASE_URL",
        doc="address of the endpoint, such as http://localhost:8080/v1; OpenAI's own by default",
        key=_KEYS,
    )
    headers: dict[str, str] | None = setting(
        None, env=None, doc="further headers of each request, such as those of a gateway", power=True
    )
    smart_model: str = setting(
        "",
        "--model --smart-model -m NAME",
        env="SMART_LLM_MODEL",
        doc="model that plays; by default gpt-5-mini at OpenAI, and the first on offer at an address of your own",
        also="models.smart.model",
    )
    fast_model: str = setting(
        "",
        env="FAST_LLM_MODEL",
        doc="model that repairs and judges answers and plays helpers; by default gpt-5-nano at OpenAI, else the same",
        also="models.fast.model",
    )
    timeout: float = setting(
        120.0, env="OPENAI_TIMEOUT", doc="seconds to wait for the next piece of an answer that has begun"
    )
    stall_seconds: float = setting(
        600.0, env="OPENAI_STALL_SECONDS", doc="seconds to wait for the first text of an answer, and for the next"
    )
    answer_seconds: float = setting(7200.0, env="OPENAI_ANSWER_SECONDS", doc="seconds that one answer may take in all")
    temperature: float | None = setting(
        None, env="TEMPERATURE", least=0, doc="randomness; if empty, the model's default"
    )
    stop: tuple[str, ...] = setting((), env="OPENAI_STOP", doc="texts that end an answer")
    stop_early: bool = setting(
        False,
        "--stop-early",
        env="OPENAI_STOP_EARLY",
        doc="stop reading an answer as soon as its command is certain",
        power=True,
    )
    wire: str = setting(
        "",
        "--wire",
        env="OPENAI_WIRE",
        words=("chat", "responses"),
        doc="interface: chat (the default) or responses",
        power=True,
    )
    tools: str = setting(
        "json",
        "--tools",
        env="OPENAI_TOOLS",
        words=("json", "native"),
        doc="commands as json or native tool calls",
        power=True,
    )
    retries: int = setting(5, env="OPENAI_RETRIES", least=0, doc="how often a failed call is tried again")
    retry_seconds: float = setting(1.0, least=0, doc="seconds before the first retry; doubled for each further one")
    longest_wait: float = setting(
        120.0, least=0, doc="longest wait for a rate limit, in seconds; beyond it the call fails"
    )
    api_version: str = setting("2024-10-21", env="OPENAI_API_VERSION", doc="version of Azure's interface")
    azure_endpoint: str = setting(
        "", env="AZURE_OPENAI_ENDPOINT", doc="address of the Azure resource", key="AZURE_OPENAI_API_KEY"
    )
    azure_key: str = setting("", env="AZURE_OPENAI_API_KEY", doc="key of the Azure resource", secret=True)
    openrouter_key: str = setting("", env="OPENROUTER_API_KEY", doc="key of OpenRouter", secret=True)
    anthropic_key: str = setting("", env="ANTHROPIC_API_KEY", doc="key of Anthropic", secret=True)
    gemini_key: str = setting("", env="GEMINI_API_KEY", doc="key of Gemini", secret=True)
    xai_key: str = setting("", env="XAI_API_KEY", doc="key of xAI", secret=True)
    deepseek_key: str = setting("", env="DEEPSEEK_API_KEY", doc="key of DeepSeek", secret=True)
    mistral_key: str = setting("", env="MISTRAL_API_KEY", doc="key of Mistral", secret=True)

    def __post_init__(self) -> None:
        for name, value in (self.headers or {}).items():
            if not isinstance(value, str) or not (_HEADER.fullmatch(name) and value.isascii() and value.isprintable()):
                raise UsageError(f"openai.headers.{name[:40]} is no header: write a name, and a text on one line")

    @property
    def profile(self) -> Profile | None:
        """Return the profile of this kind of endpoint, None for an unknown address. Raises UsageError for an unknown
        `provider`."""
        if not self.provider:
            return profile_at(self.base_url)
        if self.provider not in PROFILES:
            raise UsageError(f"unknown provider {self.provider!r}: choose {', '.join(PROFILES)}")
        return PROFILES[self.provider]

    @property
    def url(self) -> str:
        if self.provider == "azure":
            return self.azure_endpoint or self.base_url
        return self.base_url or (self.profile.base_url if self.profile else "") or OPENAI_URL

    @property
    def address(self) -> str:
        """Return `url` as it may be shown and stored: without user name, password and query."""
        scheme, rest = self.url.partition("://")[::2]
        if not rest:
            return self.url.rpartition("@")[2]
        host = re.split(r"[/?#]", rest, maxsplit=1)[0]  # an @ after it does not end a user name
        path = re.split(r"[?#]", rest[len(host) :], maxsplit=1)[0]
        return f"{scheme}://{host.rpartition('@')[2]}{path}"

    @property
    def abilities_key(self) -> str:
        """Return what the abilities of this endpoint's models are stored under: its address and interface."""
        return f"{self.address} {self.wire}".strip()

    @property
    def key(self) -> str:
        """Return the key for this endpoint: its own, or the common one, which no other service gets by its name."""
        profile = self.profile
        own: str = getattr(self, f"{profile.name}_key", "") if profile else ""
        other = profile is not None and self.provider and profile.key not in ("", "OPENAI_API_KEY")
        return (own if other else own or self.api_key).strip().strip(_QUOTES).strip()

    @property
    def local(self) -> bool:
        """Return whether it is a server of one's own: a known one, or an address on this computer."""
        if self.provider and self.profile:
            return self.profile.local
        return is_loopback(_host(self.base_url))

    @property
    def free(self) -> bool:
        """Return whether calls cost no money: the models are on a local server, which asks no service."""
        return self.local and not (self.profile is not None and self.profile.forwards)

    @property
    def usable(self) -> bool:
        return bool(self.key or self.base_url or (self.provider and self.local))

    @property
    def fault(self) -> str:
        """Return what must be set or corrected before a call is possible. Return "" if nothing must."""
        profile, azure = self.profile, self.azure
        if self.provider and profile is not None and profile.key and not self.key:
            return f"{profile.title} needs a key: set {profile.key}"
        if azure and not self.url:
            return "Azure needs its address: set AZURE_OPENAI_ENDPOINT, as https://NAME.openai.azure.com"
        if not self.usable:
            return "no model to ask: set OPENAI_API_KEY, or OPENAI_BASE_URL for a local server, or use --profile ollama"
        if "://" in self.key or len(self.key.split()) > 1:
            variable = profile.key if profile is not None and profile.key else "OPENAI_API_KEY"
            what = "an address" if "://" in self.key else "blanks"
            return f"{variable} holds {what}, which no key does: correct it"
        if "://" not in self.url:
            variable = "AZURE_OPENAI_ENDPOINT" if azure and self.azure_endpoint else "OPENAI_BASE_URL"
            return f"the address {self.address!r} does not begin with http:// or https://: correct {variable}"
        return ""

    def unused_address(self, environment: Mapping[str, str]) -> list[str]:
        """Return a line for an address of the environment that the profile of a local server replaces."""
        theirs = environment.get("OPENAI_BASE_URL", "")
        if not (self.provider and self.local and theirs) or theirs.rstrip("/") == self.base_url.rstrip("/"):
            return []
        return [f"OPENAI_BASE_URL is not used, since the profile asks {self.address}: give --base-url to ask elsewhere"]

    def check(self) -> None:
        """Raise UsageError if there is no endpoint to ask, or if its address is incomplete."""
        needs = "--brain openai needs OPENAI_API_KEY, or OPENAI_BASE_URL or --profile for a local server"
        if not self.usable or "://" not in self.url:  # the first call names a key that is missing
            raise UsageError(self.fault if self.usable or self.provider else needs)

    @property
    def azure(self) -> bool:
        """Return whether it is Azure's own interface, not that of OpenAI at an Azure address."""
        return self.profile is not None and self.profile.name == "azure" and "/openai/v1" not in self.url

    @property
    def where(self) -> str:
        """Return the endpoint's name for a person, never with a user name or password of its address."""
        profile, place = self.profile, self.address.partition("://")[2].partition("/")[0] or self.address
        if profile is None:
            return place
        return f"{profile.title} at {place}" if profile.local else profile.title

    @property
    def smart(self) -> str:
        """Return the model that plays. Return '' for the first one on offer."""
        return self.roles()["smart"].model

    def roles(self, tables: Mapping[str, RoleSettings] = MappingProxyType({})) -> dict[str, RoleSettings]:
        """Return the settings of each role: those of its table, completed. A model '' is the first one on offer.

        Where nobody chose a fast model, the smart one takes its part, except at OpenAI. Raises UsageError for an
        impossible value.
        """
        roles: dict[str, RoleSettings] = {}
        official = self.profile is not None and self.profile.name == "openai"  # Azure's names are those of its owner
        usual = DEFAULTS if official else {"smart": "", "fast": self.smart_model}
        models = {"smart": self.smart_model or usual["smart"], "fast": self.fast_model or usual["fast"]}
        for role, base in ROLES.items():
            table = tables.get(role, RoleSettings())
            if role in models:  # the fields of these models have read the tables too
                roles[role] = replace(table, model=models[role]).over(RoleSettings(temperature=self.temperature))
            else:
                roles[role] = table.over(roles[base])
        return roles


def open_client(settings: OpenAISettings, *, limited: bool = True) -> Any:
    """Return the SDK's client. It never retries by itself, so that every wait is shown. Raises BrainError.

    A call is `limited` to the timeout of the settings, unless the caller has limits of its own.
    """
    import httpx2
    import openai

    from autocraft import http_client

    if settings.fault:
        raise BrainError(settings.fault)
    clock = openai.Timeout(settings.timeout if limited else None, connect=min(CONNECT_SECONDS, settings.timeout))
    common: dict[str, Any] = {
        "api_key": settings.key or "local",
        "timeout": clock,
        "max_retries": 0,
        "http_client": http_client.open_client(settings.url, clock, headers=settings.headers),
    }
    try:
        if settings.azure:
            return openai.AsyncAzureOpenAI(azure_endpoint=settings.url, api_version=settings.api_version, **common)
        return openai.AsyncOpenAI(base_url=settings.url, **common)
    except (httpx2.InvalidURL, openai.OpenAIError, ValueError) as error:  # an address that cannot be parsed
        raise BrainError(f"the address {settings.where!r} cannot be used ({error}): check OPENAI_BASE_URL") from None


async def request_models(client: Any) -> list[tuple[str, str]]:
    """Return (id, owner) of the first MOST_MODELS models that the endpoint lists.

    Raises the SDK's errors, Refusal, and ValueError for garbage.
    """
    ids = [(row["id"], row.get("owned_by")) for row in await _rows(client)]
    return [(id, owner[:_LONGEST_ID] if isinstance(owner, str) else "") for id, owner in ids]


async def row_of(client: Any, model: str) -> Json:
    """Return the row of `model` in the endpoint's list of models. Return {} if it has none.

    Raises what `request_models` raises.
    """
    return next((row for row in await _rows(client) if row["id"] == model), {})


def window_in(row: Json) -> int:
    """Return the context window in tokens that a row of a list of models tells. Return 0 if it tells none."""
    more = row.get("meta")
    places = (row, more if isinstance(more, dict) else {})
    return first_count(place.get(name) for place in places for name in _WINDOWS)


def first_count(values: Iterable[Any]) -> int:
    """Return the first value that can be a number of tokens. Return 0 if there is none."""
    return next((number for number in values if type(number) is int and 0 < number <= MOST_TOKENS), 0)


async def _rows(client: Any) -> list[Json]:
    raw = await client.models.with_raw_response.list()
    body = json.loads(raw.http_response.text)
    rows = body.get("data") if isinstance(body, dict) else body
    if not isinstance(rows, list):
        raise ValueError("no list of models")
    rows_with_id = (row for row in rows if isinstance(row, dict) and isinstance(row.get("id"), str))
    usable = (row for row in rows_with_id if 0 < len(row["id"]) <= _LONGEST_ID and row["id"].isprintable())
    return list(itertools.islice(usable, MOST_MODELS))


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""
