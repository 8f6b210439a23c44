"""Write the list of commands into docs/commands.md, between its two markers, from the registry itself.

    python -m scripts.make_command_list

Whatever family the registry holds is listed; a person's own commands are left out.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from autocraft.app import every_command
from autocraft.cli.commands import markdown, rows_of
from autocraft.settings.settings import Settings
from scripts.marked import with_part

PAGE = Path(__file__).resolve().parent.parent / "docs" / "commands.md"
BEGIN, END = "<!-- commands: made by scripts/make_command_list.py -->", "<!-- end of commands -->"


def with_list(page: str) -> str:
    """Return the page with the list of now. Raises ValueError where the two markers are not there once, in order."""
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings({"disabled": ["own"]}, {}, folder=Path(folder))
        listed = markdown([row for row in rows_of(every_command(settings)) if row["family"] != "own"])
    return with_part(page, "docs/commands.md", BEGIN, END, listed)


def main() -> int:
    """Exit code 1 where the markers are missing."""
    try:
        text = with_list(PAGE.read_text(encoding="utf-8"))
    except ValueError as error:
        print(f"make_command_list: {error}", file=sys.stderr)
        return 1
    PAGE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
