"""One call to an endpoint: sent, read as it comes, observed; and the list of what the endpoint offers.

A cancelled call closes its connection.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Iterable
from typing import Any

from autocraft.brains.bounds import Progress
from autocraft.brains.endpoint import OpenAISettings, offered, open_client
from autocraft.brains.faults import Failed, Said, cut_off, fault_of, judged, said_by, too_late, wrong_type
from autocraft.brains.stream import Gathered
from autocraft.errors import BrainError
from autocraft.http_client import progress
from autocraft.protocols import Answer, Delta, Json

Tell = Callable[[Delta], None]


class Shown:
    """Passes pieces on and remembers whether there were any, so that they can be taken back."""

    def __init__(self, tell: Tell) -> None:
        self._tell = tell
        self.some = False
        self.broken: Exception | None = None
        """What the one who is told raised: no fault of the endpoint."""

    def all(self, deltas: Iterable[Delta]) -> None:
        for delta in deltas:
            self.some = True
            try:
                self._tell(delta)
            except Exception as error:
                self.broken = error
                raise

    def take_back(self) -> None:
        if self.some:
            self._tell(Delta("reset"))


class Caller:
    """The connection. `on_exchange` is told of every call."""

    def __init__(self, settings: OpenAISettings, on_exchange: Callable[[Json], None] | None = None) -> None:
        self.settings = settings
        self._on_exchange = on_exchange
        self._client: Any = None

    async def close(self) -> None:
        if self._client is not None:
            await self._client.close()
            self._client = None

    async def offered(self) -> list[tuple[str, str]]:
        """(id, owner) of each model. Raises Failed."""
        client = self._ready()
        try:
            async with asyncio.timeout(self.settings.timeout):
                return await offered(client)
        except Exception as error:
            raise Failed(fault_of(error, self.settings, "")) from error

    async def exchange(self, sent: Json, shown: Shown) -> Answer:
        """Send these parameters and read the answer. Raises Failed."""
        client, started = self._ready(), time.monotonic()
        try:
            answer = await self._call(client, sent, shown)
        except asyncio.CancelledError:
            self._observe(sent, started, error="cancelled")
            raise
        except Exception as error:
            if error is shown.broken:
                raise
            fault = error.fault if isinstance(error, Failed) else fault_of(error, self.settings, sent["model"])
            if fault.kind == "lost" and shown.some:
                fault = cut_off(self.settings.where, came=True)
            self._observe(sent, started, error=fault.text, said=fault.said.text)
            raise Failed(fault) from error
        self._observe(sent, started, answer=_as_json(answer))
        return answer

    async def _call(self, client: Any, sent: Json, shown: Shown) -> Answer:
        gathered = Gathered(stop_early=self.settings.stop_early)
        waits = Progress.begun(self.settings, asyncio.get_running_loop().time())
        try:
            async with asyncio.timeout_at(waits.until) as clock:
                raw = await client.chat.completions.with_raw_response.create(**sent)
                response = raw.http_response
                try:
                    kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
                    if kind == "text/event-stream":
                        await self._take_stream(raw, gathered, shown, waits, clock)
                    elif kind.endswith("json") or not kind:
                        self._take_whole(json.loads(await response.aread()), gathered, shown, sent["model"])
                    else:
                        raise Failed(wrong_type(self.settings, kind))
                finally:
                    await response.aclose()
        except Exception as error:
            if not gathered.finish or error is shown.broken:  # with its end, the answer is whole, whatever came after
                if isinstance(error, TimeoutError):
                    raise Failed(too_late(self.settings, waits.missing)) from None
                raise
        if gathered.finish == "content_filter":
            raise Failed(judged(Said(code="content_filter"), self.settings, sent["model"]))
        if not gathered.finish and not gathered.full:
            raise Failed(cut_off(self.settings.where, came=gathered.size > 0))
        return gathered.answer()

    async def _take_stream(
        self, raw: Any, gathered: Gathered, shown: Shown, waits: Progress, clock: asyncio.Timeout
    ) -> None:
        """Read the pieces until the answer ends, is full, or does not get on."""
        import openai

        loop = asyncio.get_running_loop()
        async for chunk in raw.parse(to=openai.AsyncStream[object]):  # plain JSON, which may be of any shape
            shown.all(gathered.take(chunk))
            if gathered.certain and not gathered.finish:
                gathered.finish = "stop"
                return
            if gathered.full:
                return
            if waits.came(loop.time(), gathered.size, finished=bool(gathered.finish)):
                progress(raw.http_response)
            clock.reschedule(waits.until)

    def _take_whole(self, body: Any, gathered: Gathered, shown: Shown, model: str) -> None:
        """A completion in one piece; some servers send an error in its place, with status 200."""
        if isinstance(body, dict) and body.get("error") and not body.get("choices"):
            raise Failed(judged(said_by(0, body), self.settings, model))
        if not isinstance(body, dict) or not isinstance(body.get("choices"), list):
            raise ValueError("no completion")
        shown.all(gathered.take(body))
        if gathered.size and not gathered.finish:  # what came at once cannot have been cut off
            gathered.finish = "stop"

    def _ready(self) -> Any:
        if self._client is None:
            self._client = open_client(self.settings)
        return self._client

    def _observe(self, sent: Json, started: float, **what: Any) -> None:
        if self._on_exchange is not None:
            seconds = round(time.monotonic() - started, 4)
            self._on_exchange(self.clean({"request": sent, **what, "seconds": seconds}))

    def clean(self, value: Any) -> Any:
        """The same without the key, wherever it stands."""
        if isinstance(value, dict):
            return {name: self.clean(each) for name, each in value.items()}
        if isinstance(value, list):
            return [self.clean(each) for each in value]
        key = self.settings.key
        return value.replace(key, "[key removed]") if isinstance(value, str) and key else value


def _as_json(answer: Answer) -> Json:
    used = answer.usage
    return {
        "text": answer.text,
        "finish_reason": answer.finish_reason,
        "reasoning": answer.reasoning,
        "refusal": answer.refusal,
        "tool_calls": list(answer.tool_calls),
        "usage": [used.prompt_tokens, used.completion_tokens] if used else None,
    }


async def list_models(settings: OpenAISettings) -> list[tuple[str, str]]:
    """(id, owner) of all that the endpoint offers. Raises BrainError."""
    caller = Caller(settings)
    try:
        return await caller.offered()
    except Failed as failure:
        kind, text = failure.fault.kind, failure.fault.text
        lists = kind not in ("garbage", "address", "model")
        raise BrainError(
            caller.clean(text) if lists else f"{settings.where} lists no models: see its web page"
        ) from None
    finally:
        await caller.close()
