"""Write the lists of commands into docs/commands.md, between its two markers, from the registry itself.

    python -m scripts.make_command_list

The first list has every family of a run in the crafting world. The second one has the commands that only a run in
Minecraft has. A person's own commands are left out.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from autocraft.app import every_command
from autocraft.cli.commands import rows_of
from autocraft.protocols import Json
from autocraft.settings.config import Config
from autocraft.settings.settings import Settings
from scripts.marked import with_part

PAGE = Path(__file__).resolve().parent.parent / "docs" / "commands.md"
BEGIN, END = "<!-- commands: made by scripts/make_command_list.py -->", "<!-- end of commands -->"
MINECRAFT = """## In Minecraft

With `--world minecraft` these commands replace `wait` and the first commands of the list above, up to
`show_inventory`:"""


def with_list(page: str) -> str:
    """Return the page with the present lists. Raises ValueError unless both markers are there once, in order."""
    with tempfile.TemporaryDirectory() as folder:
        crafting, minecraft = (_rows(world, Path(folder)) for world in ("crafting", "minecraft"))
    only = [row for row in minecraft if row not in crafting]
    return with_part(page, "docs/commands.md", BEGIN, END, f"{markdown(crafting)}\n\n{MINECRAFT}\n\n{markdown(only)}")


def markdown(rows: Sequence[Json]) -> str:
    """Return a Markdown table of the commands, by family."""
    lines = ["| command | what it does | risk | family |", "|---|---|---|---|"]
    for row in rows:
        also = f" (also {', '.join(f'`{name}`' for name in row['synonyms'])})" if row["synonyms"] else ""
        whose = "" if row["offered"] else " (for you alone)"
        cells = (f"`{row['usage']}`{also}", f"{row['help'].rstrip('.')}{whose}", row["risk"], row["family"])
        lines.append(f"| {' | '.join(cell.replace('|', '&#124;') for cell in cells)} |")
    return "\n".join(line.replace("\n", " ") for line in lines)


def _rows(world: str, folder: Path) -> list[Json]:
    """Return a record for each command of a run in this world."""
    registry = every_command(Config(Settings({"disabled": ["own"], "world": world}, {}, folder=folder)))
    return [row for row in rows_of(registry) if row["family"] != "own"]


def main() -> int:
    """Write the page. Return 1 if the markers are missing."""
    try:
        text = with_list(PAGE.read_text(encoding="utf-8"))
    except ValueError as error:
        print(f"make_command_list: {error}", file=sys.stderr)
        return 1
    PAGE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
