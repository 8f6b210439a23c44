"""Where a string ends: at the first quote after which the structure can go on.

The first quote without a backslash ends the string if what follows it fits. If it does not fit, assume unescaped
quotes inside. Take the next quote that is followed by a key in the document's own style, or by brackets that fit the
depth. The brackets before it must be balanced.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from autocraft.json_fix import lexicon

_BRACKETS = (("{", "}"), ("[", "]"), ("(", ")"))
_VALUE_STARTS = frozenset([*lexicon.QUOTES, *lexicon.OPENERS, *"-tfnTFN0123456789"])
SOLID = frozenset("\"{}[],:'0123456789abcdefghijklmnopqrstuvwxyz")
"""Characters that start a token, before which nothing must be skipped."""
_FENCES = ("```", "'''")
_TRIES = 50_000


@dataclass
class Closing:
    """Looks ahead in `text`. `kinds` are the open brackets, outermost first; `style` is the document's kind of key:
    its opening quote, "bare" or "call"."""

    text: str
    kinds: list[str] = field(default_factory=list)
    style: str = ""

    def __post_init__(self) -> None:
        self._size = len(self.text)

    def skip(self, pos: int) -> int:
        """Return the end of the blanks and comments at `pos`."""
        if pos < self._size and self.text[pos] in SOLID:
            return pos
        match = lexicon.SKIP.match(self.text, pos)
        return pos if match is None else match.end()

    def key_follows(self, pos: int, style: str = "any") -> bool:
        return lexicon.key_ahead(style).match(self.text, pos) is not None

    def first(self, start: int, closers: str) -> int | None:
        """Return the position after the first closing quote without a backslash."""
        match = lexicon.first_quote(closers).match(self.text, start)
        return None if match is None else match.end()

    def likely_end(self, start: int, closers: str) -> int | None:
        """Return the position after the quote that probably ends a string with unescaped quotes in it."""
        in_list = self.kinds[-1] == "["
        pattern = lexicon.likely_close(closers, self.style or '"', in_list)
        depth = [0, 0, 0]
        quotes = 0
        pos = start
        for _ in range(_TRIES):
            match = pattern.match(self.text, pos)
            if match is None:
                return None
            end = match.end()
            for index, (opening, closing) in enumerate(_BRACKETS):
                depth[index] += self.text.count(opening, pos, end) - self.text.count(closing, pos, end)
            if in_list:  # a comma and a quote are weak evidence there, so bare quotes must also come in pairs
                quotes += self._bare_quotes(closers, pos, end - 1)
            if depth == [0, 0, 0] and quotes % 2 == 0 and self.fits(end, strict=True):
                return end
            quotes += in_list
            pos = end
        return None

    def _bare_quotes(self, closers: str, start: int, end: int) -> int:
        """Count the quotes in a span, without apostrophes inside words."""
        count = 0
        for char in closers:
            at = self.text.find(char, start, end)
            while at >= 0:
                count += not (self.text[at - 1].isalnum() and self.text[at + 1 : at + 2].isalnum())
                at = self.text.find(char, at + 1, end)
        return count

    def triple(self, start: int, delimiter: str) -> int | None:
        """Return the position after the closing three quotes."""
        at = self.text.find(delimiter, start)
        for _ in range(100):
            if at < 0 or self.fits(at + 3):
                break
            at = self.text.find(delimiter, at + 1)
        return at + 3 if at >= 0 and self.fits(at + 3) else None

    def closes_other_kind(self, pos: int) -> bool:
        """Return whether a bracket follows that closes another kind than the open one."""
        pos = self.skip(pos)
        return pos < self._size and lexicon.CLOSERS.get(self.text[pos], self.kinds[-1]) != self.kinds[-1]

    def closes_all(self) -> bool:
        """Return whether the text ends with a closing bracket for each open one. Then nothing was cut."""
        tail = self.text[-4 * len(self.kinds) - 200 :].rstrip(" \t\r\n`")
        run = tail[len(tail.rstrip("}]) \t\r\n,")) :]
        return sum(sign in lexicon.CLOSERS for sign in run) >= len(self.kinds)

    def fits(self, pos: int, *, strict: bool = False) -> bool:
        """Return whether the structure can go on after a string that ended at `pos`. Be strict if its quotes are
        guessed.
        """
        if self.text.startswith(("#", "//"), pos):
            return False  # right after a quote this is text, not a comment
        in_object = self.kinds[-1] == "{"
        if in_object and (not strict or self.style in ("", '"')) and lexicon.NEXT_KEY.match(self.text, pos):
            return True
        start, pos = pos, self.skip(pos)
        if pos >= self._size:
            return not strict
        char = self.text[pos]
        if char in lexicon.COMMAS:
            return self._after_comma(pos, len(self.kinds) - 1, strict)
        if char in lexicon.CLOSERS:
            return self._after_closers(pos, strict)
        if self.kinds[-1] == "[":
            return not strict and pos > start and char in '"{['
        if strict:
            return "\n" in self.text[start:pos] and self.key_follows(pos, self.style or '"')
        return self.key_follows(pos) or self.text.startswith(_FENCES, pos)

    def _after_comma(self, pos: int, level: int, strict: bool) -> bool:
        while pos < self._size and self.text[pos] in lexicon.COMMAS:
            pos = self.skip(pos + 1)
        if pos >= self._size:
            return not strict
        if self.text[pos] in lexicon.CLOSERS:
            return True
        if self.kinds[level] == "[":
            return self.text[pos] in _VALUE_STARTS
        if self.kinds[level] == "(":
            return self.key_follows(pos, "call")
        if strict:
            return self.key_follows(pos, self.style or '"')
        return self.key_follows(pos) or self._cut_key(pos)

    def _cut_key(self, pos: int) -> bool:
        """Return whether the text ends inside the key at `pos`, or just after it."""
        opener = self.text[pos]
        if opener in lexicon.QUOTES:
            end = self.first(pos + 1, lexicon.QUOTES[opener])
            return end is None or self.skip(end) >= self._size
        match = lexicon.BARE_KEY.match(self.text, pos)
        return match is not None and self.skip(match.end()) >= self._size

    def _after_closers(self, pos: int, strict: bool) -> bool:
        level = len(self.kinds) - 1
        while level >= 0 and pos < self._size and self.text[pos] in lexicon.CLOSERS:
            if lexicon.CLOSERS[self.text[pos]] != self.kinds[level]:
                return False
            level -= 1
            pos = self.skip(pos + 1)
        if pos >= self._size:
            return True
        char = self.text[pos]
        if level < 0:
            return not strict or char not in "\"',:"
        if char in lexicon.COMMAS:
            return self._after_comma(pos, level, strict)
        line = self.text.rfind("\n", max(0, pos - 200), pos) >= 0
        return self.key_follows(pos) or self.text.startswith((*_FENCES, "<"), pos) or line
