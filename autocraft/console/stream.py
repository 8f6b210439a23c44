"""Incoming thoughts: the readable part of a JSON answer that is not complete yet.

This is only for display. Commands are read by `json_fix/` from the whole answer.
"""

from __future__ import annotations

_SHOWN = ("text", "reasoning", "plan", "criticism", "speak")
_ESCAPES = {"n": "\n", "t": "\t", "r": "", "b": "", "f": ""}


class ThoughtStream:
    """Takes pieces. `text` is the readable part so far. Text that is not JSON is shown unchanged."""

    def __init__(self) -> None:
        self._out: list[str] = []
        self._json = False
        self._prose = False
        self._string: list[str] | None = None
        self._escape = ""
        self._key = ""
        self._last = ""

    @property
    def text(self) -> str:
        return "".join(self._out)

    def feed(self, piece: str) -> None:
        """Take the next piece. The work is linear in its length."""
        for char in piece:
            if self._prose:
                self._out.append(char)
            elif not self._json:
                self._begin(char)
            elif self._string is not None:
                self._inside(char)
            else:
                self._between(char)

    def _begin(self, char: str) -> None:
        self._json = char == "{"
        if not self._json and not char.isspace() and char not in "`":
            self._prose = True
            self._out.append(char)

    def _inside(self, char: str) -> None:
        """Collect a character of a string, and show it at once if the string is one of the thoughts."""
        if self._escape:
            self._escape += char
            if self._escape[1] != "u":
                self._put(_ESCAPES.get(char, char))
                self._escape = ""
            elif len(self._escape) == 6:
                self._put(_unescape(self._escape))
                self._escape = ""
        elif char == "\\":
            self._escape = char
        elif char == '"':
            self._last = "".join(self._string or [])
            self._string = None
        else:
            self._put(char)

    def _between(self, char: str) -> None:
        if char == '"':
            self._string = []
            if self._key in _SHOWN:
                self._out.append("\n" if self._out else "")
        elif char == ":":
            self._key = self._last
        elif char in "}]" or (char == "," and self._key != "plan"):
            self._key = ""

    def _put(self, char: str) -> None:
        assert self._string is not None
        if self._key in _SHOWN:
            self._out.append(char)
        elif len(self._string) < 64:  # a key, or a value that is not shown
            self._string.append(char)


def _unescape(escape: str) -> str:
    try:
        code = int(escape[2:], 16)
    except ValueError:
        return escape
    return "\ufffd" if 0xD800 <= code <= 0xDFFF else chr(code)
