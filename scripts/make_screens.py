"""Make the pictures of the terminal in `docs/img/`: the real program in tmux, drawn as SVG. Needs tmux.

    python -m scripts.make_screens            run everything again, store the captures, draw
    python -m scripts.make_screens --drawn    only draw the stored captures again, without tmux

The captures are stored beside this file in `captures/`, so that a machine without tmux can check the pictures.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from scripts.scenes import ROOT, recording, screens, working
from scripts.terminal_svg import DARK, THEMES, Frame, Shot, moving, still
from scripts.tmux_pane import NoTerminal, tmux

IMAGES = ROOT / "docs" / "img"
CAPTURES = Path(__file__).parent / "captures"
WIDTHS = (40, 80, 200)
SESSION_COLUMNS = 80
WORKING_COLUMNS = 100


def capture() -> dict[str, str]:
    """Run every scene. Return the captures as JSON by file name. Raises NoTerminal before it fetches a package."""
    tmux()
    files: dict[str, list[dict[str, object]]] = {}
    for columns in WIDTHS:
        files[f"screen-{columns}.json"] = _plain(screens(columns))
    files["working.json"] = _plain(working(WORKING_COLUMNS))
    files["session.json"] = [{"seconds": frame.seconds, "rows": frame.rows} for frame in recording(SESSION_COLUMNS)]
    return {name: json.dumps(value, ensure_ascii=False, indent=1) + "\n" for name, value in files.items()}


def _plain(shots: Sequence[Shot]) -> list[dict[str, object]]:
    return [{"caption": shot.caption, "columns": shot.columns, "rows": shot.rows} for shot in shots]


def _shots(capture: str) -> list[Shot]:
    return [Shot(shot["caption"], shot["columns"], tuple(shot["rows"])) for shot in json.loads(capture)]


def stored_captures() -> dict[str, str]:
    """Return the stored captures by file name."""
    names = [*(f"screen-{columns}.json" for columns in WIDTHS), "working.json", "session.json"]
    return {name: (CAPTURES / name).read_text(encoding="utf-8") for name in names}


def pictures_of(captures: Mapping[str, str]) -> dict[str, str]:
    """Return the pictures of these captures by file name."""
    pictures = {}
    for columns in WIDTHS:
        shots = _shots(captures[f"screen-{columns}.json"])
        for theme in THEMES:
            title = f"autocraft in a {theme.name} terminal of {columns} columns"
            pictures[f"screen-{columns}-{theme.name}.svg"] = still(shots, theme, title)
    pictures["working.svg"] = still(_shots(captures["working.json"]), DARK, "A run of autocraft in Minecraft at work")
    frames = [Frame(tuple(frame["rows"]), frame["seconds"]) for frame in json.loads(captures["session.json"])]
    pictures["session.svg"] = moving(frames, SESSION_COLUMNS, DARK, "A session of autocraft from its goal to its end")
    return pictures


def _write(folder: Path, files: Mapping[str, str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")


def main(arguments: list[str]) -> int:
    if arguments not in ([], ["--drawn"]):
        print("make_screens: the only argument is --drawn, which draws the kept captures", file=sys.stderr)
        return 2
    try:
        captures = stored_captures() if arguments else capture()
    except (NoTerminal, OSError) as error:
        print(f"make_screens: {error}", file=sys.stderr)
        return 1
    _write(CAPTURES, captures)
    _write(IMAGES, pictures_of(captures))
    print(f"wrote {len(pictures_of(captures))} pictures to {IMAGES.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
