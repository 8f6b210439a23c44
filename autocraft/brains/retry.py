"""How often a failed call is tried again, and the countdown that the person sees meanwhile."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from dataclasses import dataclass

from autocraft.brains.endpoint import OpenAISettings
from autocraft.brains.faults import Fault
from autocraft.protocols import Delta


@dataclass(slots=True)
class Retries:
    """The retries of one answer."""

    settings: OpenAISettings
    count: int = 0

    def next_wait(self, fault: Fault, *, look: bool = False) -> float | None:
        """Return the seconds to wait before the next try, None if there is none. `look` asks without counting."""
        if not fault.again or self.count >= self.settings.retries:
            return None
        wait = self.settings.retry_seconds * 2**self.count if fault.wait is None else fault.wait
        if wait > self.settings.longest_wait:
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
