"""The format of the journal's lines, and the upgrade of lines of an older format.

In format 1 a note could start, message or delete a helper, change a permission, count a cost or show rows of memory.
These events have types of their own now.
"""

from __future__ import annotations

from autocraft.protocols import Json
from autocraft.session.fields import items, need

VERSION = 2
"""The format that is written. A newer one is refused."""
_NEW = ("permission", "expense", "recalled", "spawn", "message", "deleted")
_NOTES = {"message": "message", "deleted": "deleted", "usage": "expense", "recalled": "recalled"}
_NOTES |= dict.fromkeys(("budget", "continuous", "forget"), "permission")
"""A field of a note of format 1 -> the present type of the event."""


def upgraded(data: Json) -> Json:
    """Return an event of format 1 in the present format. Raises ValueError for an event unknown to format 1."""
    name = data.get("type")
    if name != "note":
        if name in _NEW:
            raise ValueError("it is of no known type")
        return data
    if "spawn" in data:
        need(data, spawn=items)
        return {**data["spawn"], **data, "type": "spawn"}
    name = next((now for old, now in _NOTES.items() if old in data), "note")
    return {**data, "type": name, **({"key": data["deleted"]} if name == "deleted" else {})}
