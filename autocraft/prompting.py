"""The texts that are sent to a model, and the fence around what nobody of ours wrote.

Neighbours: `transcript.py` writes the turn's prompt with it, `commands/` those of commands that ask a model; the texts
are templates in `prompts/`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Awaitable, Callable
from functools import cache
from pathlib import Path
from typing import Any

Ask = Callable[[str, str], Awaitable[str]]
"""Prompt and role (smart or fast) to the text of the answer. Raises BrainError or LimitReached."""


_OPENING = "<\uff1c\ufe64\u2039\u2329\u27e8\u3008\u276e\u2770\u29fc\u02c2\u1438\u227a\u300a\u00ab"
"""The characters that a reader, or a tokenizer that folds them, may take for ``<``."""
_ALIKE = str.maketrans("\u0430\u03b1\u0251\u0501\u13e7\ua4d3\u13a0\u0442\u03c4\u13a2\ua4d4\ua4ee", "aaaddddttTta")
"""Letters of other scripts that look like those of ``data``."""
_OTHER_TAG = re.compile("/?[a-ce-zA-CE-Z0-9]")
_LOOKED_AT = 400
_TURN = re.compile(
    r"<(?=[|\uff5c][^<>|\uff5c\n]{1,40}[|\uff5c]>)"  # ChatML, Llama 3, Phi, GLM, DeepSeek
    r"|<(?=/?(?:s|bos|eos|(?:start|end)_of_turn|end_of_utterance|start_of_image|extra_id_\d+)>)"  # Llama 2, Gemma
    r"|<(?=/?(?:[\w-]{1,20}:)?tool_(?:calls?|response)>)"  # Qwen, Hermes, MiniMax
    r"|\[(?=/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_CONTENT|TOOL_RESULTS|ARGS|CALL_ID)\])"  # Mistral
    r"|<(?=</?SYS>>)",
    re.IGNORECASE,
)


def as_data(source: str, text: str) -> str:
    """`text` fenced, so that nothing inside it can close the fence or open another."""
    return f'<data source="{source}">\n{harmless(text)}\n</data>'


def harmless(text: str) -> str:
    """`text` in which nothing reads as a fence of ours, or as the marks by which chat templates part the turns: a
    local server takes those for real wherever they stand."""
    text = _TURN.sub(lambda found: "&lt;" if found[0] == "<" else "&#91;", text)
    if not any(char in text for char in _OPENING):
        return text
    return re.sub(f"[{_OPENING}]", lambda found: _unless_fence(text, found.start()), text)


def _unless_fence(text: str, at: int) -> str:
    """The bracket at this place, or its escape where what follows reads like ``data`` with its disguises off."""
    if _OTHER_TAG.match(text, at + 1):
        return text[at]
    follows = unicodedata.normalize("NFKD", text[at + 1 : at + 1 + _LOOKED_AT]).casefold().translate(_ALIKE)
    letters = "".join(char for char in follows if char.isalnum())
    return "&lt;" if letters.startswith("data") else text[at]


def prompt_folder() -> Path:
    """`autocraft/prompts` in a wheel, the top-level `prompts/` in a checkout."""
    inside = Path(__file__).parent / "prompts"
    return inside if inside.is_dir() else Path(__file__).parent.parent / "prompts"


def render(template: str, **values: Any) -> str:
    """A prompt from `prompts/`; a variable that the template wants and nobody gives is an error at once."""
    return str(_environment().get_template(template).render(**values)).strip()


@cache
def _environment() -> Any:
    import jinja2

    loader = jinja2.FileSystemLoader(prompt_folder())
    return jinja2.Environment(
        loader=loader, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True, autoescape=False
    )
