"""The server of a real model counts how much of each prompt it had read before."""

from __future__ import annotations

import httpx2
import pytest

from autocraft.usage import Usage, read_usage
from tests.test_transcript import prompts, transcript

pytestmark = [pytest.mark.llm, pytest.mark.xdist_group("llm")]
TURNS = 24
"""So many that the history of this window is cut to half."""


def test_llama_cpp_had_read_most_of_each_prompt_before(url: str) -> None:
    total = Usage()
    with httpx2.Client(timeout=3_000) as http:  # on a busy machine it is slow
        for messages in prompts(transcript(window=3_500), TURNS, items=3, length=4):
            rows = [{"role": each.role, "content": each.content} for each in messages]
            answer = http.post(f"{url}/chat/completions", json={"messages": rows, "max_tokens": 1})
            usage = read_usage(answer.raise_for_status().json()["usage"])
            assert usage is not None
            total += usage
    print(f"llama.cpp: {total.cached_tokens:,} of {total.prompt_tokens:,} tokens of {TURNS} prompts were cached")
    assert total.prompt_tokens > 500 * TURNS
    assert total.cached_tokens >= 0.8 * total.prompt_tokens
