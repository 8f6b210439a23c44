"""Recognises, while an answer streams, when its command is certain, so that the stream can be ended.

Only the requested format is certain: one strict JSON object of `thoughts` and `command`, alone or in a fence at the
start of the answer. Each character is examined once.
"""

from __future__ import annotations

import re

from autocraft.errors import UnreadableReply
from autocraft.json_fix import plain
from autocraft.json_fix.reading import read

MAX_HEAD = 200
_HEAD = re.compile(r"\s*(?:```(?:json)?\s*\n\s*)?(?=\{)")
_SIGN = re.compile(r'[{}"]|\\.?', re.DOTALL)
_KEYS = {"thoughts", "command"}


class Prefix:
    """The answer so far."""

    def __init__(self) -> None:
        self.certain = False
        self._head = self._held = ""
        self._object: list[str] = []
        self._depth = 0
        self._inside = self._never = False

    def take(self, piece: str) -> bool:
        """Add a piece. Return True as soon as the command is certain."""
        if self.certain or self._never:
            return self.certain
        if not self._object:
            self._head += piece
            head = _HEAD.match(self._head)
            if head is None:
                self._never = len(self._head) > MAX_HEAD
                return False
            piece = self._head[head.end() :]
        self._walk(self._held + piece)
        return self.certain

    def _walk(self, piece: str) -> None:
        """Follow brackets and strings to the end of the piece or of the object."""
        self._held = ""
        for match in _SIGN.finditer(piece):
            sign = match.group()
            if sign == "\\":  # what is escaped has not come yet
                self._held = sign
                piece = piece[:-1]
            elif sign == '"':
                self._inside = not self._inside
            elif not self._inside and sign in "{}":
                self._depth += 1 if sign == "{" else -1
                if not self._depth:
                    self._object.append(piece[: match.end()])
                    self.certain = self._is_whole("".join(self._object))
                    self._never = not self.certain
                    return
        self._object.append(piece)

    def _is_whole(self, source: str) -> bool:
        value, sound = plain.strictly(source)
        if not sound or not isinstance(value, dict) or value.keys() != _KEYS or not isinstance(value["thoughts"], dict):
            return False
        try:
            return read(source).stage == "plain"
        except UnreadableReply:
            return False
