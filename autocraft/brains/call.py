"""One call to an endpoint: sends it, reads the streamed answer and reports it. Also lists the models.

A cancelled call closes its connection.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import replace
from typing import Any

from autocraft.agent.threads import run_in_thread
from autocraft.brains.bounds import AwakeClock, Progress
from autocraft.brains.endpoint import OpenAISettings, open_client, request_models
from autocraft.brains.faults import (
    ErrorReport,
    ModelFailed,
    cut_off_fault,
    fault_of,
    garbled_fault,
    judge,
    report_of,
    timeout_fault,
    wrong_type_fault,
)
from autocraft.brains.retry import Retries
from autocraft.brains.stream import AnswerBuilder
from autocraft.brains.window import window_at
from autocraft.brains.wires import WIRES
from autocraft.errors import BrainError
from autocraft.http_client import progress, watch
from autocraft.protocols import Answer, Delta, Json
from autocraft.text.redact import Mask

LISTING_SECONDS = 10.0
"""The longest wait for a list of models that is not needed."""
OnDelta = Callable[[Delta], None]


class DeltaRelay:
    """Passes pieces on, and takes them back if the call fails. `bytes` is how many were received."""

    def __init__(self, on_delta: OnDelta) -> None:
        self._on_delta = on_delta
        self.bytes = 0
        self.broken: Exception | None = None
        """The exception that the receiver of the pieces raised. The endpoint is not at fault."""

    def all(self, deltas: Iterable[Delta]) -> None:
        """Pass these pieces on. An exception of the receiver is recorded in `broken` and raised."""
        for delta in deltas:
            try:
                self._on_delta(delta)
            except Exception as error:
                self.broken = error
                raise

    def take_back(self) -> None:
        """Tell the receiver that the pieces so far are void, if there were any."""
        if self.bytes:
            self._on_delta(Delta("reset"))


def _open_client(settings: OpenAISettings) -> Any:
    client = open_client(settings, limited=False)
    _ = client.chat.completions, client.responses, client.models  # the SDK imports these when they are first named
    return client


class Caller:
    """The connection to an endpoint. `on_exchange` is called after every call."""

    def __init__(self, settings: OpenAISettings, on_exchange: Callable[[Json], None] | None = None) -> None:
        self.settings = settings
        self._on_exchange = on_exchange
        self._mask = Mask((settings.key,))
        self._wire = WIRES[settings.wire or "chat"]
        self._client: Any = None
        self._opening = asyncio.Lock()

    async def close(self) -> None:
        if self._client is not None:
            await self._client.close()
            self._client = None

    async def list_models(self) -> list[tuple[str, str]]:
        """Return (id, owner) of each model. Raises ModelFailed."""
        client = await self._ready()
        try:
            async with asyncio.timeout(self.settings.timeout):
                return await request_models(client)
        except Exception as error:
            raise ModelFailed(fault_of(error, self.settings, "")) from error

    async def find_window(self, model: str) -> tuple[int, str]:
        """Return the context window in tokens, and where the figure is from. Return 0 and '' if it is unknown."""
        profile = self.settings.profile
        kind = "" if profile is None else profile.name
        try:
            client = await self._ready()
            async with asyncio.timeout(min(LISTING_SECONDS, self.settings.timeout)):
                return await window_at(client, self.settings.url, kind, model, self._patiently)
        except Exception:  # noqa: BLE001 - the next call reports what is wrong
            return 0, ""

    async def _patiently(self, ask: Callable[[], Awaitable[Any]]) -> Any:
        """Return the answer to a small question. Ask again, at most twice, if the endpoint is busy."""
        tries = Retries(replace(self.settings, retries=min(2, self.settings.retries)))
        while True:
            try:
                return await ask()
            except Exception as error:
                fault = fault_of(error, self.settings, "")
                wait = tries.next_wait(fault) if fault.report.status in (429, 503) else None
                if wait is None:
                    raise
                await asyncio.sleep(wait)

    async def exchange(self, request: Json, relay: DeltaRelay) -> Answer:
        """Send these parameters and return the answer. Raises ModelFailed."""
        client, start = await self._ready(), time.monotonic()
        try:
            answer = await self._call(client, request, relay)
        except asyncio.CancelledError:
            self._observe(request, start, error="cancelled")
            raise
        except Exception as error:
            if error is relay.broken:
                raise
            fault = error.fault if isinstance(error, ModelFailed) else fault_of(error, self.settings, request["model"])
            if fault.kind == "lost" and relay.bytes:
                fault = cut_off_fault(self.settings.where, has_text=True)
            self._observe(request, start, error=fault.text, said=fault.report.text)
            raise ModelFailed(fault) from error
        self._observe(request, start, answer=_as_json(answer))
        return answer

    async def _call(self, client: Any, request: Json, relay: DeltaRelay) -> Answer:
        builder = AnswerBuilder(stop_early=self.settings.stop_early, native="tools" in request)
        clock = AwakeClock()
        waits = Progress(self.settings, clock.now())
        try:
            async with clock.limit(lambda: waits.until):
                raw = await self._wire.send(client, request)
                response = raw.http_response
                try:
                    kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
                    if kind == "text/event-stream":
                        try:
                            await self._take_stream(raw, builder, relay, waits, clock, request["model"])
                        except (ValueError, TypeError) as error:
                            if error is relay.broken:
                                raise
                            begun = bool(waits.size or waits.empty)
                            raise ModelFailed(garbled_fault(self.settings.where, begun=begun)) from None
                    elif kind.endswith("json") or not kind:
                        self._take_whole(json.loads(await response.aread()), builder, relay, request["model"])
                    else:
                        raise ModelFailed(wrong_type_fault(self.settings, kind))
                finally:
                    relay.bytes = builder.bytes  # also what is not shown, such as the arguments of a tool call
                    await response.aclose()
        except Exception as error:
            if not builder.finish or error is relay.broken:  # a later error does not matter if the end was received
                if isinstance(error, TimeoutError):
                    raise ModelFailed(timeout_fault(self.settings, waits.missing)) from None
                raise
        if builder.finish == "content_filter":
            raise ModelFailed(judge(ErrorReport(code="content_filter"), self.settings, request["model"]))
        if not builder.finish and not builder.full:
            raise ModelFailed(cut_off_fault(self.settings.where, has_text=builder.size > 0))
        return builder.answer()

    async def _take_stream(
        self, raw: Any, builder: AnswerBuilder, relay: DeltaRelay, waits: Progress, clock: AwakeClock, model: str
    ) -> None:
        """Read pieces until the answer ends, is full, or makes no progress."""
        import openai

        def alive() -> None:
            """Count a comment as a sign of life: the model thinks silently."""
            waits.piece_at = clock.now()

        watch(raw.http_response, alive)
        async for chunk in raw.parse(to=openai.AsyncStream[object]):  # plain JSON, which may be of any shape
            relay.all(builder.take(self._wire.chunk(chunk, not builder.size, self.settings, model)))
            if builder.certain and not builder.finish:
                builder.finish = "stop"
                return
            if builder.full or (builder.finish and not self._wire.lingers):
                return
            if waits.record(clock.now(), builder.size, finished=bool(builder.finish)):
                progress(raw.http_response)

    def _take_whole(self, body: Any, builder: AnswerBuilder, relay: DeltaRelay, model: str) -> None:
        """Read an answer in one piece. Some servers send an error in its place, with status 200."""
        body = self._wire.chunk(body, True, self.settings, model)
        if isinstance(body, dict) and body.get("error") and not body.get("choices"):
            raise ModelFailed(judge(report_of(0, body), self.settings, model))
        if not isinstance(body, dict) or not isinstance(body.get("choices"), list):
            raise ValueError("no completion")
        relay.all(builder.take(body))
        if builder.size and not builder.finish:  # an answer in one piece cannot have been cut off
            builder.finish = "stop"

    async def _ready(self) -> Any:
        """Return the client. It is opened beside the event loop, as importing the SDK takes most of a second."""
        async with self._opening:  # the second of two simultaneous answers waits for the client of the first
            if self._client is None:
                self._client = await run_in_thread(_open_client, self.settings)
        return self._client

    def _observe(self, request: Json, start: float, **what: Any) -> None:
        if self._on_exchange is not None:
            seconds = round(time.monotonic() - start, 4)
            self._on_exchange(self.clean({"request": request, **what, "seconds": seconds}))

    def clean(self, value: Any) -> Any:
        """Return the value without the API key, unless it is a word."""
        return self._mask.value(value)


def _as_json(answer: Answer) -> Json:
    tokens = answer.usage and [answer.usage.prompt_tokens, answer.usage.completion_tokens]
    cached = answer.usage and answer.usage.cached_tokens
    return answer._asdict() | {"tool_calls": list(answer.tool_calls), "usage": tokens, "cached": cached}


async def list_models(settings: OpenAISettings) -> list[tuple[str, str]]:
    """Return (id, owner) of all models of the endpoint. Raises BrainError."""
    caller = Caller(settings)
    try:
        return await caller.list_models()
    except ModelFailed as failure:
        kind, text = failure.fault.kind, failure.fault.text
        lists = kind not in ("garbage", "address", "model")
        text = caller.clean(text) if lists else f"{settings.where} lists no models: see its web page"
        raise BrainError(text) from None
    finally:
        await caller.close()
