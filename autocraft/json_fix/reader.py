"""The tolerant reader of one object. It trusts quotes first, and looks ahead only if they cannot be right.

It reads the text once with an explicit stack, so its work is linear, and any depth of nesting is possible. It returns
the value, and says which containers were not closed and which strings are doubtful. `shape.py` finds the command.
"""

from __future__ import annotations

import re
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Any, NamedTuple

from autocraft.json_fix import lexicon, plain, strings, values
from autocraft.json_fix.keys import ARG_KEYS, COMMAND_KEYS
from autocraft.json_fix.strings import SOLID, Closing
from autocraft.json_fix.values import STRICT, State

MAX_DEPTH = 400
_TOKEN_ENDS = frozenset([*lexicon.COMMAS, *lexicon.CLOSERS])
_NAME_KEYS = frozenset({"name", "command", "tool", "action"})


class GarbledText(Exception):
    """Raised for a text at `pos` that fits no reading. It never leaves the package."""

    def __init__(self, pos: int, flag: str = "garbled") -> None:
        super().__init__(flag)
        self.pos = pos
        self.flag = flag
        self.looks_like_command = False


class Reading(NamedTuple):
    """An object as far as it could be read, or the command of a call, with its end."""

    value: Any
    end: int
    state: State = STRICT
    flags: tuple[str, ...] = ()


class _Frame:
    """A container that is being read; `after` is true between an item and its comma.

    `closes_double` says that a doubled bracket was closed inside it, so that only its own may follow. `in_args` says
    that it is inside the arguments.
    """

    __slots__ = ("after", "at", "closes_double", "commas", "in_args", "key", "kind", "redundant", "value")

    def __init__(self, value: Any, kind: str, at: int) -> None:
        self.value = value
        self.kind = kind
        self.at = at
        self.after = self.redundant = self.closes_double = self.in_args = False
        self.key = ""
        self.commas = 0

    def holds_args(self) -> bool:
        """Return whether the value that is being read is an argument, or the arguments themselves."""
        return self.in_args or self.kind == "(" or self.key in ARG_KEYS


class Reader:
    """Reads one object, or the arguments of one call, of `text`."""

    def __init__(self, text: str) -> None:
        self.seen_keys: set[str] = set()
        """Keys of the two outermost levels, also after a failure."""
        self._text = text
        self._size = len(text)
        self._pos = 0
        self._closing = Closing(text)
        self._stack: list[_Frame] = []
        self._flags: dict[str, None] = {}
        self._doubtful: set[int] = set()

    def is_command(self) -> bool:
        """Return whether it has read a key that makes the object look like a command."""
        seen = self.seen_keys
        return not COMMAND_KEYS.isdisjoint(seen) or not COMMAND_KEYS.isdisjoint(key.strip().lower() for key in seen)

    def read(self, pos: int, *, kind: str = "{") -> Reading:
        """Read the object at its opening bracket, or the arguments at their parenthesis. Raises GarbledText."""
        root: dict[str, Any] = {}
        text, stack = self._text, self._stack
        self._push(_Frame(root, kind, pos))
        self._pos = pos + 1
        size, simple_pair = self._size, lexicon.SIMPLE_PAIR
        while stack:
            frame = stack[-1]
            pair = None if frame.after or frame.kind != "{" else simple_pair.match(text, self._pos)
            if pair is not None:
                going = self._pairs(frame, pair)
            elif (self._pos >= size or text[self._pos] not in SOLID) and not self._at_token():
                break
            else:
                going = self._token(frame, text[self._pos])
            if not going:
                break
        still_open: frozenset[int] = frozenset()
        late = still_open
        if stack:
            still_open = frozenset([id(frame.value) for frame in stack])
            self._flag("closers missing")
            last = stack[-1]
            late = strings.late(text, self._pos, root, still_open, last.at, begun=last.after or last.commas > 0)
        state = State(still_open, frozenset(self._doubtful), late, mended=True)
        return Reading(root, self._pos, state, tuple(self._flags))

    def _token(self, frame: _Frame, char: str) -> bool:
        """Read a bracket, a comma or an item; false where the object or the text ended."""
        if char in lexicon.CLOSERS:
            self._close(char, frame)
            return True
        if frame.closes_double:
            raise GarbledText(self._pos)
        if char in lexicon.COMMAS:
            self._comma(char, frame)
            return True
        if not frame.after:
            return self._item(frame, char) or self._drop_rest()
        if self._goes_on(frame):
            frame.after = False
            return True
        if not self._ends_here():
            raise GarbledText(self._pos)
        return False

    def _drop_rest(self) -> bool:
        """Drop the items that the end of the text has cut."""
        self._pos = self._size
        return False

    # ------------------------------------------------------------ structure

    def _flag(self, name: str) -> None:
        self._flags[name] = None

    def _at_token(self) -> bool:
        """Skip blanks and comments. Return False at the end of the text."""
        text, pos, size = self._text, self._pos, self._size
        if pos < size and text[pos] in SOLID:
            return True
        pos = self._pos = lexicon.SPACES.match(text, pos).end()  # type: ignore[union-attr]
        if pos < size and text[pos] in SOLID:
            return True
        end = self._closing.skip(pos)
        if end > pos:
            blank = text[pos:end]
            if not blank.isspace() and any(sign in blank for sign in ("//", "#", "/*")):
                self._flag("comments")
                self._doubt_comments(blank)
                if sum(map(blank.count, "}]")) > sum(map(blank.count, "{[")):
                    self._flag("brackets in comments")
            self._pos = end
        return end < size

    def _doubt_comments(self, blank: str) -> None:
        """Mark arguments as doubtful if a comment in them may be the rest of a text whose quote was lost."""
        frame = self._stack[-1]
        if frame.holds_args():
            for comment in lexicon.COMMENTS.findall(blank):
                if comment.count('"') % 2 or comment.lstrip("#/*")[:1] in lexicon.QUOTES:
                    self._doubtful.add(id(frame.value))

    def _push(self, frame: _Frame) -> None:
        if len(self._stack) >= MAX_DEPTH:
            raise GarbledText(self._pos, "too deep")
        frame.in_args = bool(self._stack) and self._stack[-1].holds_args()
        self._stack.append(frame)
        self._closing.kinds.append(frame.kind)

    def _close(self, char: str, frame: _Frame) -> None:
        if lexicon.CLOSERS[char] != frame.kind:
            raise GarbledText(self._pos)
        if frame.commas and frame.value:
            self._flag("trailing commas")
        self._stack.pop()
        self._closing.kinds.pop()
        self._pos += 1
        if self._stack:
            self._stack[-1].after = True
            self._stack[-1].closes_double = frame.redundant

    def _comma(self, char: str, frame: _Frame) -> None:
        if char != ",":
            self._flag("odd commas")
        frame.commas += 1
        if frame.commas > 1:
            self._flag("trailing commas")
        if frame.kind == "[" and (frame.commas > 1 or not frame.value):
            self._doubtful.add(id(frame.value))
        frame.after = False
        self._pos += 1

    def _goes_on(self, frame: _Frame) -> bool:
        """Return whether another item follows although the comma is missing."""
        if frame.kind == "[":
            fits = self._text[self._pos - 1] in " \t\r\n" and self._text[self._pos] in '"{[0123456789'
        else:
            fits = self._closing.key_follows(self._pos)
        if fits:
            self._flag("missing commas")
        return fits

    def _ends_here(self) -> bool:
        """Return whether the text goes on with something else: on a new line, or with a fence or a tag."""
        if self._text.startswith(("```", "'''", "~~~", "</", "<|"), self._pos):
            return True
        line = self._text.rfind("\n", max(0, self._pos - 200), self._pos)
        return line >= 0 and self._text[line : self._pos].isspace()

    def _item(self, frame: _Frame, char: str) -> bool:
        """Read one item; false when the text ended inside it, which leaves it out."""
        frame.commas = 0
        if frame.kind == "[":
            return self._value(frame)
        if char in "{｛" and frame.kind == "{" and not frame.value and not frame.redundant:
            self._flag("doubled braces")
            inner = _Frame(frame.value, "{", self._pos)
            inner.redundant = True
            self._push(inner)
            self._pos += 1
            return True
        return self._key(frame) and self._value(frame)

    def _pairs(self, frame: _Frame, pair: re.Match[str] | None) -> bool:
        """Read pairs without escapes as long as they come, then a value that starts with a bracket or quote."""
        frame.commas = 0
        value, outer = frame.value, len(self._stack) <= 2
        while pair is not None:
            end = pair.end()
            self._pos = end
            quote, key, text, single, token, _, opener = pair.groups()
            if (quote or "bare") != self._closing.style:
                self._key_style(quote or "bare")
            if key in value:
                self._check_once(frame, key)
            if outer:
                self.seen_keys.add(key)
            if opener is not None:
                frame.key = key
                return self._value_from(frame, opener) or self._drop_rest()
            if text is not None:
                value[key] = scanstring(self._text, pair.start(3))[0] if "\\" in text else text
            elif token is not None:
                value[key] = lexicon.LITERALS[token] if token in lexicon.LITERALS else int(token)
                if token[0] in "TFN":
                    self._flag("python literals")
            else:
                value[key] = single
                self._flag("other quotes")
            pair = lexicon.SIMPLE_PAIR.match(self._text, end)
        return True

    def _store(self, frame: _Frame, value: Any, *, doubt: bool = False) -> None:
        if frame.kind == "[":
            frame.value.append(value)
        else:
            frame.value[frame.key] = value
        if doubt:
            self._doubtful.add(id(frame.value))
        frame.after = True

    def _key(self, frame: _Frame) -> bool:
        start = self._pos
        simple = lexicon.SIMPLE_KEY.match(self._text, start) if frame.kind == "{" else None
        if simple is not None and simple.end() < self._size:
            self._pos = simple.end()
            self._key_style('"')
            self._set_key(frame, simple.group(1))
            return True
        opener = self._text[start]
        if opener in lexicon.QUOTES:
            end = self._closing.first(start + 1, lexicon.QUOTES[opener])
            if end is None:
                return False
            key = strings.decode(self._text[start + 1 : end - 1]).text
            style = opener
        else:
            match = lexicon.BARE_KEY.match(self._text, start)
            if match is None:
                raise GarbledText(start)
            key, end = match.group(), match.end()
            style = "call" if frame.kind == "(" else "bare"
        self._key_style(style)
        self._pos = end
        if not self._at_token():
            return False
        colon = "=>" if self._text.startswith("=>", self._pos) else self._text[self._pos]
        left_out = colon in "{[" or (colon == '"' and self._pos > end)
        if left_out and frame.kind == "{" and style in lexicon.QUOTES:
            colon = ""
        elif colon not in ("=", ":") if frame.kind == "(" else colon not in (*lexicon.COLONS, "=>"):
            raise GarbledText(start)
        if colon in ("", "：", "=>"):
            self._flag("odd commas")
        self._pos += len(colon)
        self._set_key(frame, key)
        return True

    def _key_style(self, style: str) -> None:
        self._closing.style = self._closing.style or style
        if style not in ('"', "call"):
            self._flag("unquoted keys" if style == "bare" else "other quotes")

    def _check_once(self, frame: _Frame, key: str) -> None:
        """Raise GarbledText for two commands by one key, and for an argument of a call that is there twice."""
        if frame.kind == "(" or (key in plain.ONCE and not frame.in_args):
            raise GarbledText(self._pos)

    def _set_key(self, frame: _Frame, key: str) -> None:
        if key in frame.value:
            self._check_once(frame, key)
        frame.key = key
        if len(self._stack) <= 2:
            self.seen_keys.add(key)

    def _value(self, frame: _Frame) -> bool:
        return self._at_token() and self._value_from(frame, self._text[self._pos])

    def _value_from(self, frame: _Frame, char: str) -> bool:
        """Read the value that starts with `char`; false when the text ended inside it."""
        if char in lexicon.OPENERS:
            kind = lexicon.OPENERS[char]
            child: Any = {} if kind == "{" else []
            self._store(frame, child)
            self._push(_Frame(child, kind, self._pos))
            self._pos += 1
            return True
        if char in lexicon.QUOTES:
            return self._string(frame, char)
        return self._bare(frame)

    def _bare(self, frame: _Frame) -> bool:
        """Read a number, a literal, or a word without quotes. Such a word is certain only as the name of a command."""
        match = lexicon.NUMBER.match(self._text, self._pos) or lexicon.WORD.match(self._text, self._pos)
        if match is None:
            raise GarbledText(self._pos)
        token = match.group()
        if match.end() >= self._size:
            return False
        if self._text[match.end()] not in _TOKEN_ENDS and self._closing.skip(match.end()) == match.end():
            raise GarbledText(self._pos)
        value: Any
        doubt = False
        if token in lexicon.LITERALS:
            value = lexicon.LITERALS[token]
            if token not in ("true", "false", "null"):
                self._flag("python literals")
        elif token in lexicon.NOT_NUMBERS:
            value = None
            self._flag("not a number")
        elif token[0].isalpha() or token[0] == "_":
            value = token
            self._flag("unquoted text")
            doubt = frame.key.strip().lower() not in _NAME_KEYS or frame.kind != "{"
        else:
            number = values.number(token)
            if number is None:
                raise GarbledText(self._pos)
            value, doubt = number
            if lexicon.STRICT_NUMBER.fullmatch(token) is None:
                self._flag("odd numbers")
        self._pos = match.end()
        self._store(frame, value, doubt=doubt)
        return True

    def _string(self, frame: _Frame, opener: str) -> bool:
        start = self._pos + 1
        closing = self._closing
        if opener in "\"'" and self._text.startswith(opener * 3, self._pos):
            end = closing.triple(start + 2, opener * 3)
            if end is not None:
                self._flag("raw delimiters")
                return self._keep(frame, start + 2, end - 3, end, verbatim=True)
        closers = lexicon.QUOTES[opener]
        end = closing.first(start, closers)
        if end is None:
            return False
        if opener != '"':
            self._flag("raw delimiters" if opener == "`" else "other quotes")
        guessed = not closing.fits(end)
        if guessed:
            first, end = end, closing.likely_end(start, closers)
            if end is None and (closing.closes_other_kind(first) or closing.closes_all()):
                raise GarbledText(first)
            self._flag("quotes guessed")
        return end is not None and self._keep(frame, start, end - 1, end, guessed=guessed, verbatim=opener == "`")

    def _keep(
        self, frame: _Frame, start: int, stop: int, end: int, *, guessed: bool = False, verbatim: bool = False
    ) -> bool:
        raw, opener = self._text[start:stop], self._text[start - 1]
        own = opener == "'" and not guessed and not verbatim  # then a backslash before its own quote is no guess
        string = strings.decode(raw.replace("\\'", "'") if own else raw, guessed=guessed, verbatim=verbatim)
        for name in string.flags:
            self._flag(name)
        doubt = string.doubt or (guessed and (strings.holds_structure(raw) or strings.is_two(raw, opener)))
        self._store(frame, string.text, doubt=doubt)
        self._pos = end
        return True
