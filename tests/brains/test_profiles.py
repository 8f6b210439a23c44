"""Endpoints by name: what a profile sets, which key is sent where, and the first model on offer."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest

from autocraft.brains.endpoint import open_client
from autocraft.brains.openai import OpenAIBrain, OpenAISettings
from autocraft.brains.profiles import PROFILES, profile_settings
from autocraft.errors import BrainError, UsageError
from autocraft.protocols import Json
from autocraft.usage import estimate_tokens
from tests.brains.conftest import Told
from tests.brains.stand_in import COMMAND, Reply, StandIn, fault, streamed
from tests.conftest import STONE_PICKAXE, Place

Ask = Callable[..., Told]
LOCAL = ["ollama", "llamacpp", "vllm", "lmstudio"]


def settings_of(name: str, **more: Any) -> OpenAISettings:
    return OpenAISettings(**{**profile_settings(name)["openai"], **more})


@pytest.mark.parametrize("name", LOCAL)
def test_a_local_profile_needs_nothing_else(name: str) -> None:
    settings = settings_of(name)
    assert settings.usable
    assert settings.local
    assert settings.key == ""
    assert settings.profile is not None
    assert settings.profile.start
    assert settings.url == PROFILES[name].base_url


@pytest.mark.parametrize(
    ("name", "variable"),
    [(name, profile.key) for name, profile in PROFILES.items() if profile.key],
)
def test_a_profile_that_needs_a_key_says_which(name: str, variable: str) -> None:
    with pytest.raises(BrainError, match=variable):
        open_client(settings_of(name, base_url="https://example.invalid/v1"))
    assert not settings_of(name).local


def test_an_unknown_profile_names_the_known_ones() -> None:
    with pytest.raises(UsageError, match="ollama, llamacpp, vllm"):
        profile_settings("olama")


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("http://127.0.0.1:11434/v1", "ollama"),
        ("http://localhost:8080/v1", "llamacpp"),
        ("http://localhost:9999/v1", None),
        ("https://openrouter.ai/api/v1", "openrouter"),
        ("https://mine.openai.azure.com/", "azure"),
        ("https://api.anthropic.com/v1/", "anthropic"),
        ("https://generativelanguage.googleapis.com/v1beta/openai/", "gemini"),
        ("http://192.168.1.5:11434/v1", None),
        ("", "openai"),
    ],
)
def test_an_address_tells_what_it_is(url: str, name: str | None) -> None:
    profile = OpenAISettings(base_url=url).profile
    assert (profile.name if profile else None) == name


@pytest.mark.parametrize("url", ["http://[::1", "http://a:b", "http://a\0b", "http://\udc80", "http://" + "a" * 70_000])
def test_an_address_that_cannot_be_parsed_is_named_with_the_setting(url: str) -> None:
    with pytest.raises(BrainError, match=r"cannot be used \(.+\): check OPENAI_BASE_URL"):
        open_client(OpenAISettings(base_url=url))


def test_each_endpoint_gets_its_own_key() -> None:
    keys: dict[str, Any] = {"api_key": "common", "openrouter_key": "router", "azure_key": "azure"}
    assert OpenAISettings(provider="openrouter", **keys).key == "router"
    assert OpenAISettings(provider="azure", **keys).key == "azure"
    assert OpenAISettings(**keys).key == "common"
    assert OpenAISettings(provider="ollama", **keys).key == "common"
    openrouter = OpenAISettings(base_url="https://openrouter.ai/api/v1", api_key="common")
    assert openrouter.key == "common", "the person gave the key with the address"


@pytest.mark.parametrize("name", ["openrouter", "anthropic", "gemini", "xai", "deepseek", "mistral"])
def test_the_key_of_openai_goes_to_no_other_service_that_is_named(name: str) -> None:
    settings = OpenAISettings(provider=name, api_key="common")
    assert settings.key == ""
    assert f"needs a key: set {name.upper()}_API_KEY" in settings.fault


def test_keys_are_kept_out_of_what_is_printed() -> None:
    assert "s3cret" not in repr(OpenAISettings(api_key="s3cret", openrouter_key="s3cret", azure_key="s3cret"))


def test_a_local_server_is_sent_a_dummy_key(ask: Ask, stand_in: StandIn) -> None:
    ask(provider="llamacpp")
    assert stand_in.requests[0]["key"] == "Bearer local"


def test_the_first_model_on_offer_is_taken_where_none_is_named(ask: Ask, stand_in: StandIn) -> None:
    stand_in.offer("nomic-embed-text", "qwen3:4b", "llama3.2")
    told = ask(times=2, provider="ollama", smart_model="")
    assert [each["model"] for each in stand_in.requests] == ["qwen3:4b", "qwen3:4b"]
    assert told.name == "ollama (qwen3:4b)"


def test_a_server_without_models_is_told_how_to_get_one(ask: Ask) -> None:
    told = ask(provider="ollama", smart_model="")
    assert "offers no model: get one, for example with: ollama pull qwen3:4b" in told.error


def test_azure_is_asked_by_deployment_with_its_own_header(ask: Ask, stand_in: StandIn) -> None:
    base = stand_in.url.removesuffix("/v1")
    told = ask(provider="azure", azure_endpoint=base, azure_key="az-key-1", api_version="2024-10-21", base_url="")
    assert told.answer.text == COMMAND
    sent = stand_in.requests[0]
    assert sent["path"] == "/openai/deployments/big/chat/completions?api-version=2024-10-21"
    assert sent["key"] == "az-key-1"


def test_azure_without_an_address(ask: Ask) -> None:
    assert "AZURE_OPENAI_ENDPOINT" in ask(provider="azure", azure_key="k", base_url="").error


def test_azures_newer_address_is_spoken_to_like_openai(stand_in: StandIn) -> None:
    client = open_client(OpenAISettings(base_url="https://mine.openai.azure.com/openai/v1/", azure_key="k"))
    assert type(client).__name__ == "AsyncOpenAI"


def test_nothing_set_at_all() -> None:
    with pytest.raises(BrainError, match="OPENAI_API_KEY, or OPENAI_BASE_URL"):
        OpenAIBrain(OpenAISettings())


def test_openrouter_gets_marks_where_a_prompt_is_stable(ask: Ask, stand_in: StandIn) -> None:
    ask(provider="openrouter", openrouter_key="k").answer  # noqa: B018
    system, user = stand_in.requests[0]["messages"]
    assert system["content"] == [{"type": "text", "text": "s", "cache_control": {"type": "ephemeral"}}]
    assert user["content"] == "u", "what changes with every turn is not marked"
    assert "prompt_cache_key" not in stand_in.requests[0]


def test_openai_gets_one_key_for_the_prompts_of_a_run(ask: Ask, stand_in: StandIn) -> None:
    ask(provider="openai", api_key="k", times=2).answer  # noqa: B018
    first, second = (request["prompt_cache_key"] for request in stand_in.requests)
    assert first == second
    assert stand_in.requests[0]["messages"][0]["content"] == "s"


def test_the_key_of_the_cache_is_left_out_where_it_is_refused(ask: Ask, stand_in: StandIn) -> None:
    stand_in.refuse = lambda sent: (
        fault(400, "Unknown parameter: prompt_cache_key") if "prompt_cache_key" in sent else None
    )
    assert ask(provider="openai", api_key="k", times=2).answer.text == COMMAND
    assert ["prompt_cache_key" in request for request in stand_in.requests] == [True, False, False]


@pytest.mark.parametrize("name", [name for name, profile in PROFILES.items() if profile.key and name != "azure"])
def test_the_key_of_a_service_goes_there(ask: Ask, stand_in: StandIn, name: str) -> None:
    own = "api_key" if name == "openai" else f"{name}_key"
    ask(provider=name, **{own: "its-own"}).answer  # noqa: B018
    assert stand_in.requests[0]["key"] == "Bearer its-own"


@pytest.mark.parametrize(
    ("row", "window"),
    [
        ({"max_model_len": 32_768}, 32_768),
        ({"context_length": 200_000}, 200_000),
        ({"meta": {"n_ctx_train": 8_192}}, 8_192),
        ({"meta": {"n_ctx": 4_096, "n_ctx_train": 8_192}}, 4_096),
        ({"context_length": "many"}, 0),
        ({"context_length": -1}, 0),
        ({"context_length": 10**400}, 0),
        ({"meta": []}, 0),
        ({}, 0),
    ],
)
def test_the_window_is_what_the_list_of_models_says(stand_in: StandIn, row: Json, window: int) -> None:
    rows = [{"id": "other", "context_length": 5}, {"id": "mine", **row}]
    stand_in.models = Reply(chunks=[json.dumps({"object": "list", "data": rows}).encode()])
    assert window_at(stand_in, "mine") == window


def test_the_window_of_a_known_model_is_not_asked_for() -> None:
    brain = OpenAIBrain(OpenAISettings(base_url="http://192.0.2.1/v1", smart_model="anthropic/claude-sonnet-4-5"))
    assert asyncio.run(brain.window("smart")) == 200_000


def test_a_local_server_says_the_window_whatever_the_name_of_the_model(stand_in: StandIn) -> None:
    name = "mistral-7b-instruct-v0.3"
    stand_in.models = Reply(chunks=[json.dumps({"data": [{"id": name, "max_model_len": 8_192}]}).encode()])
    assert window_at(stand_in, name) == 8_192


@pytest.mark.parametrize("models", [Reply(500, [b"no"]), Reply(chunks=[b"hello"]), Reply(404, [b"{}"])])
def test_an_endpoint_that_lists_nothing_tells_no_window(stand_in: StandIn, models: Reply) -> None:
    stand_in.models = models
    assert window_at(stand_in, "mine") == 0


def window_at(stand_in: StandIn, model: str) -> int:
    async def asked() -> int:
        brain = OpenAIBrain(OpenAISettings(base_url=stand_in.url, smart_model=model))
        try:
            return await brain.window("smart")
        finally:
            await brain.close()

    return asyncio.run(asked())


@pytest.mark.parametrize("name", ["m", ""], ids=["named", "first"])
def test_a_run_keeps_to_the_window_of_its_model(place: Place, stand_in: StandIn, name: str) -> None:
    (place.folder / "autocraft.toml").write_text(f'[openai]\nsmart_model = "{name}"\n', encoding="utf-8")
    stand_in.models = Reply(chunks=[json.dumps({"data": [{"id": "m", "context_length": 5_000}]}).encode()])
    named = '{"thoughts": {"text": "%s"}, "command": {"name": "search_recipe", "args": {"name": "%s"}}}'
    stand_in.replies = [streamed(named % ("x" * 9_000, item)) for item in ("stick", "ladder", "chest")]
    more = ("--brain", "openai", "--continuous", "--max-steps", "3")
    place.run("run", "--goal", "craft 1 ladder", *more, OPENAI_BASE_URL=stand_in.url, OPENAI_API_KEY="")
    sizes = [sum(estimate_tokens(each["content"]) for each in sent["messages"]) for sent in stand_in.requests]
    assert len(sizes) == 3, sizes
    assert max(sizes) <= 5_000


@pytest.mark.parametrize(
    ("settings", "smart", "fast"),
    [
        ({}, "gpt-5-mini", "gpt-5-nano"),
        ({"smart_model": "gpt-5"}, "gpt-5", "gpt-5-nano"),
        ({"provider": "anthropic", "smart_model": "opus"}, "opus", "opus"),
        ({"base_url": "http://127.0.0.1:1/v1"}, "", ""),
        ({"base_url": "http://127.0.0.1:1/v1", "smart_model": "m"}, "m", "m"),
        ({"base_url": "http://127.0.0.1:1/v1", "smart_model": "m", "fast_model": "f"}, "m", "f"),
        ({"provider": "ollama"}, "", ""),
    ],
)
def test_a_fast_model_that_nobody_chose_is_the_smart_one_but_at_openai(
    settings: dict[str, str], smart: str, fast: str
) -> None:
    roles = OpenAISettings(**settings).roles()  # type: ignore[arg-type]
    assert (roles["smart"].model, roles["fast"].model) == (smart, fast)


def test_an_address_by_option_wins_over_a_profile_and_that_of_the_environment_is_told(
    place: Place, stand_in: StandIn
) -> None:
    stand_in.offer("m")
    elsewhere = {"OPENAI_BASE_URL": "http://127.0.0.1:9/v1"}
    run = ("run", *STONE_PICKAXE, "-c", "--max-steps", "1", "--profile", "llamacpp")
    done = place.run(*run, "--base-url", stand_in.url)
    assert [request["model"] for request in stand_in.requests] == ["m"], done.stdout
    told = place.run(*run, **elsewhere)
    said = "OPENAI_BASE_URL is not used, since the profile asks http://localhost:8080/v1: give --base-url"
    assert said in told.stdout
