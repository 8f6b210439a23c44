"""Reads a message in JSON of another program, and says what is wrong with one that is meant as JSON."""

from __future__ import annotations

import json
import sys
from typing import Any

from autocraft.text.characters import well_formed


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
        raise Unreadable("that is nested too deeply to be read") from None
    except ValueError:  # what Python says of such a number
        raise Unreadable(f"with a number of more than {sys.get_int_max_str_digits():,} digits") from None
