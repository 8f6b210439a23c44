"""Draw the page of a kept session in a real browser into docs/img: light, dark, and as a phone shows it.

python -m scripts.make_page_pictures SESSION_FOLDER
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from autocraft.report.page import write_page
from autocraft.report.story import Story
from autocraft.session.reading import Events
from tests.browser.chromium import chromium

IMAGES = Path(__file__).resolve().parent.parent / "docs" / "img"
SHOTS = {"light": (1280, 1500, False), "dark": (1280, 1500, True), "phone": (390, 1500, False)}
"""Name of a picture -> width, height, dark."""


def main(folder: Path) -> None:
    with tempfile.TemporaryDirectory() as place, chromium() as browser:
        page = Path(place) / "page.html"
        write_page(page, Story.of(Events(folder)), folder.name)
        for name, (width, height, dark) in SHOTS.items():
            picture = IMAGES / f"report-{name}.png"
            seen = browser.open(page, width, height=height, dark=dark, picture=str(picture))
            print(f"{picture.name}: {picture.stat().st_size:,} bytes, faults: {seen['faults'] or 'none'}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
