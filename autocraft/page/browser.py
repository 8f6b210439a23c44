"""Opens a page in the person's browser."""

from __future__ import annotations

import os
import sys
import webbrowser
from pathlib import Path

_SCREENS = ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")


def browse(page: Path) -> bool:
    """Open a file in the browser. Return False if there is none with a window: one in the terminal would hide a run."""
    if sys.platform not in ("win32", "darwin") and not any(os.environ.get(name) for name in _SCREENS):
        return False
    return webbrowser.open(page.absolute().as_uri())
