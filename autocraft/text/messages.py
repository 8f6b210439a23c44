"""Reads a message in JSON of another program, and says what is wrong with one that is meant as JSON."""

from __future__ import annotations

import json
import sys
from typing import Any

from autocraft.text.characters import well_formed

_TOO_DEEP = "that is nested too deeply to be read"
_TOO_LONG_A_NUMBER = f"with a number of more than {sys.get_int_max_str_digits():,} digits"
_BY_OTHERS = {
    "recursion limit exceeded": _TOO_DEEP,
    "number out of range": _TOO_LONG_A_NUMBER,
    "hex escape": "with half a character",
    "surrogate": "with half a character",
    "byte limit": "of more bytes than are read",
}
"""Words of the SDK of MCP and of pydantic about what they do not read, with ours."""


class Unreadable(Exception):
    """Raised for JSON beyond what can be read. The text completes "it sent a message"."""


def read_message(line: bytes | str) -> Any:
    """Parse a message. Half a character is replaced.

    Raises Unreadable for JSON that is too deep or has a number that is too long, and ValueError for what is no JSON.
    """
    try:
        return well_formed(json.loads(line))
    except (json.JSONDecodeError, UnicodeDecodeError):
        raise
    except RecursionError:
        raise Unreadable(_TOO_DEEP) from None
    except ValueError:  # what Python says of such a number
        raise Unreadable(_TOO_LONG_A_NUMBER) from None


def said_by_library(fault: str) -> str:
    """Say what is wrong with a message, as Unreadable does, where a library has read it and found this fault."""
    return next((ours for theirs, ours in _BY_OTHERS.items() if theirs in fault), "that is not of the protocol")
