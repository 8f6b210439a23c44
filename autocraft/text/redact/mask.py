"""The mask: finds every spelling of the known secrets in a text, and cuts them out."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple
from urllib.parse import quote, quote_plus

from autocraft.text.characters import well_formed
from autocraft.text.redact.words import SHORTEST, is_one_word, is_weak

REMOVED = "[key removed]"
_MARKER = re.compile(r"\[key removed(?:: (\w+))?")
_UNNAMED = "a secret"
_LONG = 16
"""No ordinary text holds this many characters of a secret by chance, even of one made of words."""


class _Form(NamedTuple):
    """One spelling of a secret. Cut from `head` up to the last character that still matches the secret.

    `alone` means: only where no letter, digit, hyphen or underscore touches it.
    """

    text: str
    head: str
    marker: str
    alone: bool


class Mask:
    """What must not be written. More can be added while it is in use.

    Half of a random secret gives it away and is cut out too, and so is three quarters of a long one made of words.
    A short one made of words is cut out only where it stands alone, and a single word nowhere, because it would be cut
    out of ordinary text.
    """

    def __init__(self, secrets: Iterable[str] | Mapping[str, str] = ()) -> None:
        """`secrets` may give the name of each, which then stands in its place."""
        self._names: dict[str, str] = {}
        self._ours: set[str] = set()
        self._search: tuple[re.Pattern[str], dict[str, list[_Form]]] | None = None
        for secret, name in (secrets if isinstance(secrets, Mapping) else dict.fromkeys(secrets, "")).items():
            self.add(secret, name=name)

    def add(self, *secrets: str, name: str = "") -> None:
        """Cut out these secrets too. Ignore those that are too short to be distinguished from words."""
        for secret in (*secrets, *map(well_formed, secrets)):  # what is read elsewhere is well-formed
            if secret not in self._names:
                self._names[secret] = name
                self._search = None

    def keep(self, *names: str) -> None:
        """Never cut out these names of commands, items and settings, even if somebody has chosen one as a secret."""
        self._ours.update(names)
        self._search = None

    @property
    def weak(self) -> list[str]:
        """Return the names of the secrets that are made of words, in order."""
        names = {secret: name for secret, name in self._names.items() if name and secret not in self._ours}
        long = {secret: name for secret, name in names.items() if len(secret) >= SHORTEST}
        strong = {name for secret, name in long.items() if not is_weak(secret)}
        return sorted(set(long.values()) - strong)

    def text(self, text: str) -> str:
        """Return `text` without the secrets, and without half or more of a random one that was cut short."""
        parts, at = [], 0
        for start, end, marker in self._found(text):
            parts += [text[at:start], marker]
            at = end
        return "".join([*parts, text[at:]]) if parts else text

    def value(self, value: Any) -> Any:
        """Return a JSON value without the secrets, in keys too. Return the same object if it holds none."""
        if not self._names:
            return value
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return {self.value(key): self.value(item) for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.value(item) for item in value]
        return value

    def names(self, value: Any) -> list[str]:
        """Return the names of the secrets that a JSON value holds or held before they were cut out of it."""
        if isinstance(value, str):
            markers = [marker for _, _, marker in self._found(value)]
            parts = _MARKER.findall(" ".join([value, *markers]))
        elif isinstance(value, dict):
            parts = [name for pair in value.items() for each in pair for name in self.names(each)]
        elif isinstance(value, (list, tuple)):
            parts = [name for each in value for name in self.names(each)]
        else:
            parts = []
        return sorted({name or _UNNAMED for name in parts})

    def _found(self, text: str) -> Iterator[tuple[int, int, str]]:
        """Yield the start and the end of each secret, and its marker, in the order of the text."""
        if self._search is None:
            self._search = self._prepared()
        begins, forms = self._search
        match = begins.search(text) if forms else None
        while match is not None:
            start = end = match.start()
            for form in forms[match[0]]:
                stop = start + _shared(form, text, start)
                if stop > end:
                    end, marker = stop, form.marker
            if end > start:
                yield start, end, marker
            match = begins.search(text, max(end, start + 1))

    def _prepared(self) -> tuple[re.Pattern[str], dict[str, list[_Form]]]:
        """Return the pattern that finds the first characters of every spelling, and the spellings by those."""
        forms: dict[str, list[_Form]] = {}
        for secret, name in self._names.items():
            if len(secret) >= SHORTEST and not is_one_word(secret) and secret not in self._ours:
                for form in _forms_of(secret, name):
                    forms.setdefault(form.text[:SHORTEST], []).append(form)
        return re.compile(_any_of(sorted(forms)) if forms else ""), forms


def _any_of(texts: list[str]) -> str:
    """Return a pattern for any of these sorted texts of one length. It shares their beginnings, which makes it fast."""
    if len(texts) == 1:
        return re.escape(texts[0])
    branches: dict[str, list[str]] = {}
    for text in texts:
        branches.setdefault(text[0], []).append(text[1:])
    inner = [re.escape(first) + _any_of(rest) for first, rest in branches.items() if rest[0]]
    return f"(?:{'|'.join(inner)})" if inner else f"[{''.join(map(re.escape, branches))}]"


def _forms_of(secret: str, name: str) -> list[_Form]:
    weak = is_weak(secret)
    marker = f"[key removed: {name}]" if re.fullmatch(r"\w{1,60}", name) else REMOVED
    alone = weak and len(secret) < _LONG
    head = _head_of_words if weak else _head
    return [_Form(text, text if alone else head(text), marker, alone and text == secret) for text in _spellings(secret)]


def _spellings(secret: str) -> set[str]:
    """Return the ways in which programs spell a text: JSON, URL, hex, and base64 at any place of what was encoded."""
    data = secret.encode("utf-8", "surrogatepass")
    forms = {secret, repr(secret)[1:-1]}
    for ascii_only in (True, False):  # JSON is often found in JSON
        text = secret
        for _ in range(3):
            text = json.dumps(text, ensure_ascii=ascii_only)[1:-1]
            forms.add(text)
    for urls in (quote(data), quote(data, safe=""), quote_plus(data)):
        forms |= {urls, re.sub(r"%..", lambda match: match[0].lower(), urls)}
    for before in range(3):  # the bits of the neighbours are in the letters at both ends, which are left out
        whole = base64.b64encode(b"\0" * before + data).decode().rstrip("=")
        inner = whole[-(-before * 8 // 6) : len(whole) - (1 if (before + len(data)) % 3 else 0)]
        forms |= {inner, inner.replace("+", "-").replace("/", "_")}
    forms |= {data.hex(), data.hex().upper()}
    return {form for form in forms if len(form) >= SHORTEST}


def _head(form: str) -> str:
    """Return the beginning of a spelling that gives the secret away: half of it, or more if that half is made of words.

    If a name stands before a short password, return all of it.
    """
    if ":" in form:
        return form
    length = max(SHORTEST, (len(form) + 1) // 2)
    while length < len(form) and is_weak(form[:length]):
        length += 1
    return form[:length]


def _head_of_words(form: str) -> str:
    """Return more than three quarters of a spelling. Fewer of its words may stand in ordinary text."""
    return form if ":" in form else form[: len(form) * 3 // 4 + 1]


def _shared(form: _Form, text: str, start: int) -> int:
    """Return how many characters of the text spell `form` from `start` on. Return 0 if they lack even its head.

    Backslashes of another quoting in between count as part of it.
    """
    if not text.startswith(form.head, start):
        return 0
    same, at = len(form.head), start + len(form.head)
    if form.alone:
        return 0 if _touches(text[start - 1 : start]) or _touches(text[at : at + 1]) else same
    end = at
    while same < len(form.text) and at < len(text):
        if text[at] == form.text[same]:
            same, end = same + 1, at + 1
        elif text[at] != "\\":
            break
        at += 1
    return end - start


def _touches(neighbour: str) -> bool:
    return neighbour == "-" or neighbour == "_" or neighbour.isalnum()
