"""What the reader says about a text: its command is to be run, it is not, or nobody can tell."""

from __future__ import annotations

from autocraft.errors import UnreadableReply
from autocraft.json_fix import read


def verdict(text: str) -> str:
    """Return ``yes``, ``no`` or ``unsure``."""
    try:
        reply = read(text)
    except UnreadableReply as error:
        assert str(error).endswith(".")
        return "no"
    return "unsure" if reply.doubt else "yes"
