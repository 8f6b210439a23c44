"""The endpoints that autocraft knows by name (`--profile ollama`): address, key, how to start them, where their models
are."""

from __future__ import annotations

from typing import Literal, NamedTuple
from urllib.parse import urlsplit

from autocraft.errors import UsageError
from autocraft.network import is_loopback
from autocraft.protocols import Json
from autocraft.settings.fields import ROLES

OPENAI_URL = "https://api.openai.com/v1"


class Profile(NamedTuple):
    """One kind of endpoint. `key` is the environment variable of its key, empty for a local server without one."""

    name: str
    title: str
    base_url: str
    key: str = ""
    start: str = ""
    """The shell command that starts the local server."""
    get: str = ""
    """The shell command that downloads a model. ``{model}`` stands for its name."""
    models: str = ""
    """Where a person finds the list of its models."""
    widen: str = ""
    """What gives a model of the local server a larger window."""
    forwards: bool = False
    """Whether the local server passes calls on to services, which cost money."""
    official: bool = False
    """Whether it is OpenAI's own service: strict schemas and `max_completion_tokens` are tried first."""

    caching: Literal["", "marks", "key"] = ""
    """What it takes to cache prompts: marks where a prompt is stable, or one key for all prompts of a run."""
    key_header: str = ""
    """The header in which Chat Completions take that key, where they do not take it as a parameter."""

    @property
    def local(self) -> bool:
        return not self.key


PROFILES = {
    profile.name: profile
    for profile in (
        Profile("ollama", "Ollama", "http://localhost:11434/v1",
                start="ollama serve", get="ollama pull {model}", models="ollama list",
                widen="OLLAMA_CONTEXT_LENGTH=16384 ollama serve"),
        Profile("llamacpp", "llama.cpp", "http://localhost:8080/v1", start="llama-server -m MODEL.gguf --port 8080",
                widen="llama-server -c 16384"),
        Profile("vllm", "vLLM", "http://localhost:8000/v1", start="vllm serve MODEL",
                widen="vllm serve MODEL --max-model-len 16384"),
        Profile("lmstudio", "LM Studio", "http://localhost:1234/v1",
                start="lms server start", get="lms get {model}", models="lms ls",
                widen="lms load MODEL --context-length 16384"),
        Profile("litellm", "LiteLLM", "http://localhost:4000/v1", start="litellm --config config.yaml", forwards=True),
        Profile("openrouter", "OpenRouter", "https://openrouter.ai/api/v1",
                key="OPENROUTER_API_KEY", models="https://openrouter.ai/models", caching="marks"),
        Profile("anthropic", "Anthropic", "https://api.anthropic.com/v1", key="ANTHROPIC_API_KEY"),
        Profile("gemini", "Gemini", "https://generativelanguage.googleapis.com/v1beta/openai", key="GEMINI_API_KEY"),
        Profile("xai", "xAI", "https://api.x.ai/v1", key="XAI_API_KEY", caching="key", key_header="x-grok-conv-id"),
        Profile("deepseek", "DeepSeek", "https://api.deepseek.com/v1", key="DEEPSEEK_API_KEY"),
        Profile("mistral", "Mistral", "https://api.mistral.ai/v1", key="MISTRAL_API_KEY"),
        Profile("azure", "Azure OpenAI", "", key="AZURE_OPENAI_API_KEY", models="the deployments page", official=True),
        Profile("openai", "OpenAI", OPENAI_URL, key="OPENAI_API_KEY", official=True, caching="key"),
    )
}  # fmt: skip


def profile_settings(name: str) -> Json:
    """Return the tables that a profile of autocraft.toml would have. Raises UsageError for an unknown name.

    A local server gets no model name: its first model is used, unless SMART_LLM_MODEL names one.
    """
    if name not in PROFILES:
        raise UsageError(f"unknown profile {name!r}: built in are {', '.join(PROFILES)}; autocraft.toml may hold more")
    profile = PROFILES[name]
    values: Json = {"provider": name}
    if profile.base_url:
        values["base_url"] = profile.base_url
    return {"openai": values, "models": {role: {"model": ""} for role in ROLES if profile.local}}


def profile_at(base_url: str) -> Profile | None:
    """Return the profile with the port of this local address, or with this host. Return None if there is none."""
    if not base_url:
        return PROFILES["openai"]
    try:
        parts = urlsplit(base_url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return None
    for profile in PROFILES.values():
        usual = urlsplit(profile.base_url)
        if is_loopback(host) and profile.local and port == usual.port:
            return profile
        if host and host == usual.hostname and not profile.local:
            return profile
    return PROFILES["azure"] if host.endswith(".openai.azure.com") else None
