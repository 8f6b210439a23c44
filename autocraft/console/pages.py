"""Prints pages and errors of the verbs outside a run.

Every text here may quote untrusted text.
"""

from __future__ import annotations

import os
import sys
import traceback
from functools import cache
from pathlib import Path

from autocraft.console.wrap import for_terminal
from autocraft.settings.settings import mask_of
from autocraft.text.redact import Mask
from autocraft.text.sanitize import clean, clean_line


def print_page(text: str, mask: Mask | None = None) -> None:
    """Print rows that the caller has cleaned, wrapped on a terminal.

    `mask` cuts the secrets out. By default it cuts out those of the environment and the files of the folder.
    """
    terminal = sys.stdout is not None and sys.stdout.isatty()
    print(for_terminal((mask or _mask()).text(text), terminal=terminal), flush=True)


def print_error(text: str) -> None:
    """Print one line on standard error, cleaned, as it may quote anything, and wrapped on a terminal."""
    line = clean_line(_mask().text(f"autocraft: {text}"))
    print(for_terminal(line, terminal=sys.stderr is not None and sys.stderr.isatty()), file=sys.stderr)


def print_fault() -> None:
    """Print the exception that is being handled, a bug. Its last line may quote anything."""
    print(clean(_mask().text(traceback.format_exc())), end="", file=sys.stderr)
    print_error("this is a fault in autocraft itself; what was written until now is kept")


@cache
def _mask() -> Mask:
    return mask_of(os.environ, Path())
