"""A brain behind any OpenAI-compatible endpoint, by the official SDK. Plain answers for now: no streaming.

Neighbours: `usage.py` has the prices. The SDK is imported when the first answer is wanted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from autocraft.errors import BrainError
from autocraft.protocols import Answer, Delta, Json, Message
from autocraft.settings import setting
from autocraft.usage import Usage


@dataclass(frozen=True)
class OpenAISettings:
    """Where the models are. A base URL without a key is taken for a local server."""

    api_key: str = setting("", env="OPENAI_API_KEY", doc="key of the endpoint", secret=True)
    base_url: str = setting("", env="OPENAI_BASE_URL", doc="address of the endpoint; OpenAI's own by default")
    smart_model: str = setting("gpt-5-mini", env="SMART_LLM_MODEL", doc="model that plays")
    fast_model: str = setting("gpt-5-nano", env="FAST_LLM_MODEL", doc="model that mends broken answers")
    timeout: float = setting(120.0, env="OPENAI_TIMEOUT", doc="seconds that one answer may take")

    @property
    def usable(self) -> bool:
        return bool(self.api_key or self.base_url)

    def model(self, role: str) -> str:
        return self.fast_model if role == "fast" else self.smart_model


class OpenAIBrain:
    """Answers by chat completions."""

    def __init__(self, settings: OpenAISettings) -> None:
        if not settings.usable:
            raise BrainError("no model to ask: set OPENAI_API_KEY, or OPENAI_BASE_URL for a local server")
        self.name = f"openai ({settings.smart_model})"
        self._settings = settings
        self._client: Any = None

    async def think(
        self,
        messages: Sequence[Message],
        *,
        role: str = "smart",
        schema: Json | None = None,
        max_tokens: int | None = None,
        on_delta: Callable[[Delta], None] | None = None,
    ) -> Answer:
        """One answer. Raises BrainError, in one line, for whatever the SDK reports."""
        import openai

        model = self._settings.model(role)
        try:
            completion = await self._ready().chat.completions.create(
                model=model, messages=[{"role": each.role, "content": each.content} for each in messages]
            )
        except openai.OpenAIError as error:
            raise BrainError(_explain(error, model, self._settings)) from error
        if not completion.choices:
            raise BrainError(f"{model} sent no answer; try again, or another model")
        choice = completion.choices[0]
        used = completion.usage
        return Answer(
            text=choice.message.content or "",
            finish_reason=choice.finish_reason or "stop",
            usage=Usage(used.prompt_tokens, used.completion_tokens) if used else None,
            reasoning=getattr(choice.message, "reasoning_content", None) or "",
            refusal=choice.message.refusal or "",
        )

    def _ready(self) -> Any:
        if self._client is None:
            import openai

            self._client = openai.AsyncOpenAI(
                api_key=self._settings.api_key or "local",
                base_url=self._settings.base_url or None,
                timeout=self._settings.timeout,
            )
        return self._client

    async def close(self) -> None:
        if self._client is not None:
            await self._client.close()


def _explain(error: Any, model: str, settings: OpenAISettings) -> str:
    """One line that says what to do next."""
    import openai

    where = settings.base_url or "OpenAI"
    if isinstance(error, openai.APITimeoutError):
        return f"{where} did not answer within {settings.timeout:g} s; resume to try again"
    if isinstance(error, openai.APIConnectionError):
        return f"cannot reach {where}: is the server running, and OPENAI_BASE_URL right?"
    if isinstance(error, openai.AuthenticationError):
        return f"{where} refuses the key: check OPENAI_API_KEY"
    if isinstance(error, openai.NotFoundError):
        return f"{where} does not know the model {model!r}: set SMART_LLM_MODEL and FAST_LLM_MODEL"
    if isinstance(error, openai.RateLimitError):
        if error.code == "insufficient_quota":
            return f"the quota of your key at {where} is used up: add credit, then resume"
        return f"{where} limits the rate of calls: wait a little, then resume"
    text = str(getattr(error, "message", error)).replace("\n", " ")[:300]
    return f"{where} answered with an error: {text}"
