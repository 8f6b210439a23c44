"""The texts that are sent to a model, and the fence around what nobody of ours wrote.

Neighbours: `transcript.py` writes the turn's prompt with it, `commands/` those of commands that ask a model; the texts
are templates in `prompts/`.
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
