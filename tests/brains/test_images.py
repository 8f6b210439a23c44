"""Messages may carry pictures; a model that cannot see gets their words, and is asked only once."""

from __future__ import annotations

import asyncio
import base64
from pathlib import Path
from typing import Any

from autocraft.brains.openai import OpenAIBrain, OpenAISettings
from autocraft.protocols import Image, Message
from tests.brains.stand_in import Reply, StandIn, fault

PICTURE = Image(b"\x89PNG\r\n", alt="an inventory of 3 logs")
MESSAGES = [Message("system", "s"), Message("user", "what is this?", (PICTURE,))]


def ask(stand_in: StandIn, times: int, file: Path) -> None:
    async def go() -> None:
        brain = OpenAIBrain(OpenAISettings(base_url=stand_in.url, smart_model="m"), abilities_file=file)
        for _ in range(times):
            await brain.think(MESSAGES)
        await brain.close()

    asyncio.run(go())


def test_a_picture_is_sent_beside_its_text(stand_in: StandIn, tmp_path: Path) -> None:
    ask(stand_in, 1, tmp_path / "abilities.json")
    system, user = stand_in.requests[0]["messages"]
    assert system["content"] == "s"
    url = "data:image/png;base64," + base64.b64encode(PICTURE.data).decode()
    assert user["content"] == [
        {"type": "text", "text": "what is this?"},
        {"type": "image_url", "image_url": {"url": url}},
    ]


def test_a_model_that_cannot_see_is_told_in_words_and_remembered(stand_in: StandIn, tmp_path: Path) -> None:
    def blind(request: dict[str, Any]) -> Reply | None:
        if isinstance(request["messages"][-1]["content"], list):
            return fault(400, "image input is not supported by this model")
        return None

    stand_in.refuse = blind
    ask(stand_in, 2, tmp_path / "abilities.json")
    ask(stand_in, 1, tmp_path / "abilities.json")
    contents = [request["messages"][-1]["content"] for request in stand_in.requests]
    assert isinstance(contents[0], list)
    assert contents[1:] == ['what is this?\n<data source="picture">\nan inventory of 3 logs\n</data>'] * 3
