"""Checks the path of a file by its text alone, with the same result on every system."""

from __future__ import annotations

import os
import re
from pathlib import Path

from autocraft.text.sanitize import hidden_in

_DEVICES = {"CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$", "CLOCK$"}
_DEVICES |= {f"{port}{n}" for port in ("COM", "LPT") for n in "0123456789¹²³"}
TEMPORARY = re.compile(r"\.(.+)\.[0-9a-f]{12}\.tmp", re.DOTALL)  # as session/atomic.py names them
_JOINERS = "\u200c\u200d"  # format characters that ordinary words and emoji need
_LONGEST_NAME = 255
_LONGEST_PATH = 4096


def problem_with(name: str) -> str:
    """Return why this path is refused. Return '' if its text is fine."""
    if "\n" in name or "\t" in name or any(char not in _JOINERS for char in hidden_in(name)):
        return "holds an invisible or control character"
    if name.startswith("~"):
        return "means a home folder"
    if "\\" in name:
        return "holds a backslash (folders are parted by /)"
    if re.match(r"[A-Za-z]:", name) or (os.name == "nt" and ":" in name):
        return "names a drive"
    if len(os.fsencode(name)) > _LONGEST_PATH:
        return "is too long"
    return next(filter(None, map(problem_with_part, Path(name).parts)), "")


def problem_with_part(part: str) -> str:
    """Return why one name in a path is refused. Return '' if it is fine."""
    if part.split(".")[0].split(":")[0].rstrip(" ").upper() in _DEVICES:
        return "holds the name of a device"
    if part != ".." and not part.strip(". "):
        return "holds a folder name of dots and blanks only"
    if len(os.fsencode(part)) > _LONGEST_NAME:
        return "is too long"
    if TEMPORARY.fullmatch(part):
        return "looks like a half-written file of autocraft"
    return ""
