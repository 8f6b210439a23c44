"""How often a failed call is tried again, and the countdown that the person sees meanwhile."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from dataclasses import dataclass, field

from autocraft.brains.endpoint import OpenAISettings
from autocraft.brains.faults import Fault
from autocraft.protocols import Delta
from autocraft.usage import Usage


@dataclass(slots=True)
class Retries:
    """The retries of one answer."""

    settings: OpenAISettings
    count: int = 0
    begun: bool = False
    """Whether the endpoint has sent a part of an answer. Silence from the start is tried once more only."""
    lost: Usage = field(default_factory=Usage)
    """The usage of answers that were cut off. An endpoint bills them, too."""

    def next_wait(self, fault: Fault, *, look: bool = False) -> float | None:
        """Return the seconds to wait before the next try, None if there is none. `look` asks without counting."""
        most = min(1, self.settings.retries) if fault.kind == "stall" and not self.begun else self.settings.retries
        if not fault.again or self.count >= most:
            return None
        first, longest = self.settings.retry_seconds, self.settings.longest_wait
        wait = fault.wait or min(first * 2 ** min(self.count, 30), max(first, longest))  # some ask to wait 0 s
        if wait > longest:
            return None
        self.count += not look
        return wait

    def note(self, fault: Fault) -> str:
        """Return what was tried, for the end of the error's line."""
        if fault.again and fault.wait is not None and fault.wait > self.settings.longest_wait:
            return f" (it asks to wait {fault.wait:.0f} s)"
        return f" (tried {self.count + 1} times)" if self.count else ""


async def countdown(seconds: float, why: str, on_delta: Callable[[Delta], None]) -> None:
    """Wait, and report the remaining seconds each second. An empty text at the end removes the last report."""
    while seconds > 0:
        on_delta(Delta("wait", f"{why}: trying again in {math.ceil(seconds)} s"))
        await asyncio.sleep(min(1.0, seconds))
        seconds -= 1.0
    on_delta(Delta("wait"))
