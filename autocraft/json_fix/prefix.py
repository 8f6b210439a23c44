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
_SIGN = re.compile(r'[{}"\\]')
_KEYS = {"thoughts", "command"}


class Prefix:
    """The answer so far."""

    def __init__(self) -> None:
        self.certain = False
        self._text = ""
        self._start = -1
        self._pos = self._depth = 0
        self._inside = self._never = False

    def take(self, piece: str) -> bool:
        """Add a piece. Return True as soon as the command is certain."""
        if self.certain or self._never:
            return self.certain
        self._text += piece
        if self._start < 0:
            head = _HEAD.match(self._text)
            if head is None:
                self._never = len(self._text) > MAX_HEAD
                return False
            self._start = self._pos = head.end()
        self._walk()
        return self.certain

    def _walk(self) -> None:
        """Follow brackets and strings to the end of the text or of the object."""
        text = self._text
        while (sign := _SIGN.search(text, self._pos)) is not None:
            char, self._pos = sign.group(), sign.end()
            if char == "\\" and self._inside:
                if self._pos >= len(text):
                    self._pos -= 1  # what is escaped has not come yet
                    return
                self._pos += 1
            elif char == '"':
                self._inside = not self._inside
            elif not self._inside and char in "{}":
                self._depth += 1 if char == "{" else -1
                if not self._depth:
                    self.certain = self._is_whole(text[self._start : self._pos])
                    self._never = not self.certain
                    return
        self._pos = len(text)

    def _is_whole(self, source: str) -> bool:
        value, sound = plain.strictly(source)
        if not sound or not isinstance(value, dict) or value.keys() != _KEYS or not isinstance(value["thoughts"], dict):
            return False
        try:
            return read(source).stage == "plain"
        except UnreadableReply:
            return False
