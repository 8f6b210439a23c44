"""The format of the journal's lines, and how those of an older one become lines of the present one.

In format 1 a note could start a helper, speak to it, delete it, change a permission, count a cost or tell what memory
holds; these are types of their own now.
"""

from __future__ import annotations

from autocraft.protocols import Json
from autocraft.session.fields import items, need

VERSION = 2
"""The format that is written; a newer one is refused."""
_NEW = ("permission", "expense", "recalled", "spawn", "message", "deleted")
_NOTES = {"message": "message", "deleted": "deleted", "usage": "expense", "recalled": "recalled"}
_NOTES |= dict.fromkeys(("budget", "continuous", "forget"), "permission")
"""A field of a note of format 1 -> what it is now."""


def upgraded(data: Json) -> Json:
    """Return an event of format 1 in the present one. Raises ValueError for one that format 1 could not have."""
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
