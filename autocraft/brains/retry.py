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
class Tries:
    """The tries of one answer."""

    settings: OpenAISettings
    made: int = 0

    def next_wait(self, fault: Fault, *, look: bool = False) -> float | None:
        """Seconds to wait before the next try; None when it is over. It counts, unless this is only a `look`."""
        if not fault.again or self.made >= self.settings.retries:
            return None
        wait = self.settings.retry_seconds * 2**self.made if fault.wait is None else fault.wait
        if wait > self.settings.longest_wait:
            return None
        self.made += not look
        return wait

    def note(self, fault: Fault) -> str:
        """What was tried, for the end of the error's line."""
        if fault.again and fault.wait is not None and fault.wait > self.settings.longest_wait:
            return f" (it asks to wait {fault.wait:.0f} s)"
        return f" (tried {self.made + 1} times)" if self.made else ""


async def countdown(seconds: float, why: str, tell: Callable[[Delta], None]) -> None:
    """Wait, saying so each second; an empty sentence at the end takes the last one away."""
    while seconds > 0:
        tell(Delta("wait", f"{why}: trying again in {math.ceil(seconds)} s"))
        await asyncio.sleep(min(1.0, seconds))
        seconds -= 1.0
    tell(Delta("wait"))
