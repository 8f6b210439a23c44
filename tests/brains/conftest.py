"""Asks the brain once or more often, with the real SDK over loopback."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from autocraft.brains.openai import OpenAIBrain, OpenAISettings
from autocraft.errors import BrainError
from autocraft.protocols import Answer, Delta, Json, Message
from tests.brains.stand_in import StandIn

MESSAGES = [Message("system", "s"), Message("user", "u")]


@dataclass
class Told:
    """The outcome of all questions: `answers` and `errors` in their order, and all text that was shown meanwhile."""

    answers: list[Answer] = field(default_factory=list)
    errors: list[BrainError] = field(default_factory=list)
    deltas: list[Delta] = field(default_factory=list)
    exchanges: list[Json] = field(default_factory=list)
    name: str = ""
    notices: list[str] = field(default_factory=list)

    @property
    def answer(self) -> Answer:
        assert not self.errors, str(self.errors[0])
        return self.answers[-1]

    @property
    def error(self) -> str:
        """Return the only line that the person gets."""
        assert self.errors, f"no error but {self.answers}"
        text = str(self.errors[-1])
        assert "\n" not in text
        return text

    def waits(self) -> list[str]:
        return [delta.text for delta in self.deltas if delta.kind == "wait" and delta.text]

    def shown(self) -> str:
        """Return the text that is on the screen at the end."""
        text = ""
        for delta in self.deltas:
            text = "" if delta.kind == "reset" else text + (delta.text if delta.kind == "text" else "")
        return text


@pytest.fixture
def ask(stand_in: StandIn) -> Callable[..., Told]:
    """Return a function that asks one brain `times` times. `think` are arguments of think, the rest are settings."""

    def asking(
        *, times: int = 1, think: dict[str, Any] | None = None, file: Path | None = None, **settings: Any
    ) -> Told:
        told = Told()
        given = {"base_url": stand_in.url, "smart_model": "big", "fast_model": "small", "retry_seconds": 0.01}
        brain = OpenAIBrain(
            OpenAISettings(**{**given, **settings}), abilities_file=file, on_exchange=told.exchanges.append
        )

        async def go() -> None:
            try:
                for _ in range(times):
                    try:
                        told.answers.append(await brain.think(MESSAGES, on_delta=told.deltas.append, **(think or {})))
                    except BrainError as error:
                        told.errors.append(error)
            finally:
                await brain.close()

        asyncio.run(go())
        told.name, told.notices = brain.name, brain.notices
        return told

    return asking
