"""The texts that a command sends to a model, and the fence around what nobody of ours wrote.

`transcript.py` has the same two functions for the turn's own prompt, but stands above this room.
Neighbours: `ask.py` and `web/summary.py` use them, the texts are templates in `prompts/`.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from functools import cache
from pathlib import Path
from typing import Any

Ask = Callable[[str, str], Awaitable[str]]
"""Prompt and role (smart or fast) to the text of the answer. Raises BrainError or LimitReached."""


def as_data(source: str, text: str) -> str:
    """`text` fenced, so that nothing inside it can close the fence or open another."""
    inside = re.sub(r"<(?=[\s/]*data)", "&lt;", text, flags=re.IGNORECASE)
    return f'<data source="{source}">\n{inside}\n</data>'


def render(template: str, **values: Any) -> str:
    """A prompt from `prompts/`; a variable that the template wants and nobody gives is an error at once."""
    return str(_environment().get_template(template).render(**values)).strip()


@cache
def _environment() -> Any:
    import jinja2

    package = Path(__file__).parents[1]
    inside = package / "prompts"
    loader = jinja2.FileSystemLoader(inside if inside.is_dir() else package.parent / "prompts")
    return jinja2.Environment(
        loader=loader, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True, autoescape=False
    )
