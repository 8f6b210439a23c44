"""Long pages made short by the fast model, piece by piece, with the question in view.

Page text goes into each prompt as data.
"""

from __future__ import annotations

import re

from autocraft.errors import CommandError
from autocraft.text.prompts import Ask, as_data, render

SHORT = 6_000
"""Characters of a page that is given back as it is."""
PIECE = 8_000
MOST_PIECES = 12
"""The pieces of a page that are summarised; what comes after them is left out, and said to be."""
LONGEST_SUMMARY = 1_500


async def summarise(text: str, question: str, ask: Ask | None) -> str:
    """The text itself where it is short, else a summary. Raises what `ask` raises."""
    if len(text) <= SHORT:
        return text
    if ask is None:
        return f"{text[:SHORT]}\n[{len(text) - SHORT:,} more characters are left out: no model to summarise them.]"
    parts = pieces(text)
    kept = parts[:MOST_PIECES]
    said = [
        await _asked(ask, "page_summary.j2", question, part, number=number, count=len(kept))
        for number, part in enumerate(kept, 1)
    ]
    whole = said[0] if len(said) == 1 else await _asked(ask, "page_answer.j2", question, "\n\n".join(said))
    left = sum(len(part) for part in parts[MOST_PIECES:])
    return whole + (f"\n[The last {left:,} characters of the page were not read.]" if left else "")


async def _asked(ask: Ask, template: str, question: str, text: str, **values: int) -> str:
    asked = as_data("question", question)
    answer = (await ask(render(template, question=asked, page=as_data("web page", text), **values), "fast")).strip()
    if not answer:
        raise CommandError("the model gave no summary of the page; ask for its links, or read another page")
    return answer[:LONGEST_SUMMARY]


def pieces(text: str, most: int = PIECE) -> list[str]:
    """`text` in pieces of at most `most` characters, parted between paragraphs, else lines, else words."""
    made = []
    while len(text) > most:
        at = max(text.rfind(mark, most // 2, most) for mark in ("\n\n",))
        for mark in ("\n", " "):
            at = at if at > 0 else text.rfind(mark, most // 2, most)
        at = at if at > 0 else most
        made.append(text[:at])
        text = re.sub(r"^\s+", "", text[at:])
    return [*made, text] if text else made
