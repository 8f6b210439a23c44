"""Summarises long pages with the fast model, piece by piece, for a question. The page is data in each prompt."""

from __future__ import annotations

import re
from typing import Any

from autocraft.errors import CommandError
from autocraft.text.prompts import Ask, Data, render

SHORT = 6_000
"""Most characters of a page that is returned unchanged."""
PIECE = 8_000
MOST_PIECES = 12
"""Most pieces of a page that are summarised. A note says how much is left out after them."""
LONGEST_SUMMARY = 1_500


async def summarise(text: str, question: str, ask: Ask | None) -> str:
    """Return a short text unchanged, and a summary of a long one. Raises what `ask` raises."""
    if len(text) <= SHORT:
        return text
    if ask is None:
        return f"{text[:SHORT]}\n[{len(text) - SHORT:,} more characters are left out: no model to summarise them.]"
    parts = pieces(text)
    read_parts = parts[:MOST_PIECES]
    summaries = [
        await _ask_model(ask, "page_summary.j2", question, part, number=number, count=len(read_parts))
        for number, part in enumerate(read_parts, 1)
    ]
    result = summaries[0]
    if len(summaries) > 1:
        result = await _ask_model(ask, "page_answer.j2", question, "\n\n".join(summaries))
    unread = sum(len(part) for part in parts[MOST_PIECES:])
    return result + (f"\n[The last {unread:,} characters of the page were not read.]" if unread else "")


async def _ask_model(ask: Ask, template: str, question: str, text: str, **values: Any) -> str:
    data = Data("question", question)
    answer = (await ask(render(template, question=data, page=Data("web page", text), **values), "fast")).strip()
    if not answer:
        raise CommandError("the model gave no summary of the page; ask for its links, or read another page")
    return answer[:LONGEST_SUMMARY]


def pieces(text: str, most: int = PIECE) -> list[str]:
    """Split `text` into pieces of at most `most` characters, between paragraphs, otherwise lines, otherwise words."""
    parts = []
    while len(text) > most:
        ends = (text.rfind(mark, most // 2, most) for mark in ("\n\n", "\n", " "))
        at = next((end for end in ends if end > 0), most)
        parts.append(text[:at])
        text = re.sub(r"^\s+", "", text[at:])
    return [*parts, text] if text else parts
