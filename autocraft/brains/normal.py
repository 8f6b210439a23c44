"""The normal form of a history, which also the strictest chat template takes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from autocraft.protocols import Json

BEGIN = "Begin."
"""Stands before a history that would begin with the model's own words."""
GO_ON = "Go on."
"""Stands after a history that would end with them."""


def in_turn(rows: Sequence[Json], system: str) -> list[Json]:
    """Return the messages in their normal form.

    The system text comes first, then the user and the model strictly in turn, from the user to the user. Neighbours of
    one role are joined, and none is empty. `system` is the role that the model takes for the system text; empty if it
    takes none, so that the text stands in the first message of the user.
    """
    first = [row["content"] for row in rows if row["role"] == "system" and not _is_empty(row["content"])]
    turns: list[Json] = []
    for row in rows:
        if row["role"] == "system" or _is_empty(row["content"]):
            continue
        if turns and turns[-1]["role"] == row["role"]:
            turns[-1]["content"] = _joined(turns[-1]["content"], row["content"])
        else:
            turns.append(dict(row))
    if not turns or turns[0]["role"] != "user":
        turns.insert(0, {"role": "user", "content": BEGIN})
    if turns[-1]["role"] != "user":
        turns.append({"role": "user", "content": GO_ON})
    if not first:
        return turns
    text = reduce(_joined, first)
    if system:
        return [{"role": system, "content": text}, *turns]
    turns[0]["content"] = _joined(text, turns[0]["content"])
    return turns


def _is_empty(content: str | list[Json]) -> bool:
    return not content.strip() if isinstance(content, str) else not content


def _joined(one: str | list[Json], other: str | list[Json]) -> str | list[Json]:
    """Return two contents as one: a text, or a list of parts if one of them holds pictures."""
    if isinstance(one, str) and isinstance(other, str):
        return f"{one}\n\n{other}"
    return [*_parts(one), *_parts(other)]


def _parts(content: str | list[Json]) -> list[Json]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else content
