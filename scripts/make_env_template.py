"""Write `.env.template` from the declarations of the settings.

python -m scripts.make_env_template
"""

from __future__ import annotations

import dataclasses
from pathlib import Path

from autocraft.settings.fields import SECTIONS, kinds
from autocraft.settings.sources import variable_of
from scripts.make_settings_list import written

TEMPLATE = Path(__file__).resolve().parent.parent / ".env.template"
HEAD = """\
# Copy this file to .env, and fill in what you use. `autocraft init` asks for the most important settings. A line
# without a value sets nothing: the default in [] counts; autocraft.toml can set an empty text. An option or an
# environment variable replaces what .env says. .env replaces what autocraft.toml says. A setting with * counts only
# after you have confirmed the file: autocraft asks, or type `autocraft trust`. Made by scripts/make_env_template.py.
"""
FIRST = ("openai", "run", "session")
"""The sections that a newcomer needs."""


def template() -> str:
    """Return the template: a line for each variable, below a comment that explains it."""
    parts = [HEAD]
    for section, kind in sorted(kinds(SECTIONS).items(), key=lambda each: each[0] not in FIRST):
        fields = [field for field in dataclasses.fields(kind) if variable_of(field)]
        if not fields:
            continue
        parts.append(f"\n# [{section}] {_first_sentence(kind.__doc__ or '')}\n")
        for field in fields:
            about = field.metadata
            usual = f" [{default}]" if (default := written(field.default)) else ""
            parts.append(f"# {about['doc']}{usual}{' *' if about['power'] else ''}\n{variable_of(field)}=\n")
    return "".join(parts)


def _first_sentence(text: str) -> str:
    return " ".join(text.split()).partition(". ")[0].rstrip(".") + "."


if __name__ == "__main__":
    TEMPLATE.write_text(template(), encoding="utf-8")
