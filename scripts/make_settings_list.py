"""Write the list of settings into docs/settings.md, between its two markers, from their own declarations.

python -m scripts.make_settings_list
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from autocraft.settings.fields import SECTIONS, kinds, option_of
from autocraft.settings.sources import variable_of
from scripts.marked import with_part

PAGE = Path(__file__).resolve().parent.parent / "docs" / "settings.md"
BEGIN, END = "<!-- settings: made by scripts/make_settings_list.py -->", "<!-- end of settings -->"


def section_name(section: str) -> str:
    """Return the name of a section in the list. The sections of all roles have one name."""
    return "models.ROLE" if section.startswith("models.") else section


def rows() -> Iterator[str]:
    """Yield a row of a table for each setting."""
    yield "| in `autocraft.toml` | option | variable | what it is | default |"
    yield "|---|---|---|---|---|"
    for section, kind in {section_name(section): kind for section, kind in kinds(SECTIONS).items()}.items():
        for field in dataclasses.fields(kind):
            about = field.metadata
            power = " *" if about["power"] else ""
            option, value = option_of(field)
            names = (
                f"{section}.{field.name}",
                " ".join([*option, value]).strip() if option else "",
                variable_of(field),
            )
            cells = [*(f"`{name}`" if name else "" for name in names), about["doc"], _code(field.default)]
            cells[0] += power
            yield f"| {' | '.join(cell.replace('|', '&#124;') for cell in cells)} |"


def written(value: Any) -> str:
    """Return a default as it is written in `.env`. Return '' for an empty default."""
    if value is True or value is False:
        return str(value).lower()
    if isinstance(value, tuple):
        return ",".join(value)
    return "" if value in (None, dataclasses.MISSING) else str(value)


def _code(value: Any) -> str:
    text = written(value)
    return f"`{text}`" if text and not isinstance(value, bool) else text


def with_list(page: str) -> str:
    """Return the page with the present list. Raises ValueError unless both markers are there once, in order."""
    return with_part(page, "docs/settings.md", BEGIN, END, "\n".join(rows()))


if __name__ == "__main__":
    PAGE.write_text(with_list(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
