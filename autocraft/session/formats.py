"""The format of the journal's lines, and the upgrade of lines of an older format.

In format 1 a note could start, message or delete a helper, change a permission, count a cost or show rows of memory.
These events have types of their own since format 2. In formats 1 and 2 the risk of a decision or an intent was a
number. Since format 3 it is a word, as in a question, and there are events that tell where a command is.
"""

from __future__ import annotations

from autocraft.protocols import Json, Risk
from autocraft.session.fields import items, need, one_of

VERSION = 3
"""The format that is written. A newer one is refused."""
_NEW = ("permission", "expense", "recalled", "spawn", "message", "deleted")
_NOTES = {"message": "message", "deleted": "deleted", "usage": "expense", "recalled": "recalled"}
_NOTES |= dict.fromkeys(("budget", "continuous", "forget"), "permission")
"""A field of a note of format 1 -> the present type of the event."""


def upgrade(data: Json) -> Json:
    """Return an event of an older format in the present one. Raises ValueError for what that format did not have."""
    if data.get("v") == 1:
        data = _with_types(data)
    return _with_words(data)


def _with_types(data: Json) -> Json:
    """Return an event of format 1 in format 2."""
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


def _with_words(data: Json) -> Json:
    """Return an event of format 2 in format 3."""
    name = data.get("type")
    if name == "progress":  # it is new in format 3
        raise ValueError("it is of no known type")
    if name not in ("decision", "intent") or "risk" not in data:
        return data
    try:
        need(data, risk=one_of(*map(int, Risk), *([None] if name == "decision" else [])))
    except ValueError as fault:
        raise ValueError(f"{name}: {fault}") from None
    return data if data["risk"] is None else {**data, "risk": Risk(data["risk"]).label}
