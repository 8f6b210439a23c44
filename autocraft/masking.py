"""Cutting secrets out of text: a key or password, however it is spelled, becomes ``[key removed]``.

What counts as a secret: the settings that are marked so, and in the environment and `.env` every value whose name ends
like a key's, and every name with a password inside an address. Neighbours: `settings.py` collects them; `journal.py`,
`thinker.py`, `cli/` and `console/` cut them out of what is written, sent and shown.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import quote, quote_plus, unquote

REMOVED = "[key removed]"
SHORTEST = 8
"""A shorter secret would be cut out of words that have nothing to do with it."""
_NAMED = re.compile(
    r"(?:^|_)(?:\w*KEYS?|\w*TOKEN|SECRETS?|PASS(?:WORDS?|WD|PHRASE)?|PWD|CREDENTIALS?|AUTH|KEY_ID|DSN|PAT|COOKIE"
    r"|WEBHOOK(?:_URL)?)(?:_?\d{1,3})?$",
    re.I,
)
_IN_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]*://([^\s/?#@]*:[^\s/?#]*)@", re.I)


def secrets_in(values: Mapping[str, str]) -> list[str]:
    """The secrets among named values, as an environment or a `.env` holds them."""
    found = []
    for name, value in values.items():
        if _NAMED.search(name) and not value.startswith(("/", "~", "./")):  # a path is where a secret lies
            found.append(value)
        found += passwords_in(value)
    return found


def passwords_in(text: str) -> list[str]:
    """The password of each address in a text, also without percent signs; ``user:password`` for a short one."""
    found = []
    for pair in _IN_ADDRESS.findall(text):
        password = pair.partition(":")[2]
        for whole, part in ((pair, password), (unquote(pair), unquote(password))):
            found.append(part if len(part) >= SHORTEST else whole)
    return found


class Mask:
    """What must not be written. More can be added while it is in use."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._secrets: set[str] = set()
        self._forms: list[str] = []
        self._heads: re.Pattern[str] | None = None
        self.add(*secrets)

    def add(self, *secrets: str) -> None:
        """Cut these out too; those that are too short to be told from words are passed over."""
        new = {each for each in secrets if len(each) >= SHORTEST} - self._secrets
        if new:
            self._secrets |= new
            self._forms = sorted({form for secret in self._secrets for form in _forms(secret)})
            heads = sorted(set(map(_head, self._forms)), key=len, reverse=True)
            self._heads = re.compile("|".join(map(re.escape, heads)))

    def text(self, text: str) -> str:
        """`text` without them, nor half or more of one that was cut short."""
        found = self._heads.search(text) if self._heads else None
        if self._heads is None or found is None:
            return text
        kept, at = [], 0
        while found is not None:
            start = found.start()
            end = start + max(_shared(form, text, start) for form in self._forms)
            kept += [text[at:start], REMOVED]
            at = end
            found = self._heads.search(text, at)
        return "".join([*kept, text[at:]])

    def value(self, value: Any) -> Any:
        """The same for every text of a JSON value, keys of objects too; the very object where there is nothing."""
        if self._heads is None:
            return value
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return {self.value(key): self.value(item) for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.value(item) for item in value]
        return value


def _forms(secret: str) -> set[str]:
    """The ways in which programs spell a text: JSON, URL, base64 wherever it stands in what was encoded, hex."""
    data = secret.encode("utf-8", "surrogatepass")
    forms = {secret, repr(secret)[1:-1]}
    for ascii_only in (True, False):  # JSON is often found in JSON
        quoted = secret
        for _ in range(3):
            quoted = json.dumps(quoted, ensure_ascii=ascii_only)[1:-1]
            forms.add(quoted)
    for urls in (quote(data), quote(data, safe=""), quote_plus(data)):
        forms |= {urls, re.sub(r"%..", lambda found: found[0].lower(), urls)}
    for before in range(3):  # the bits of the neighbours are in the letters at both ends, which are left out
        whole = base64.b64encode(b"\0" * before + data).decode().rstrip("=")
        inner = whole[-(-before * 8 // 6) : len(whole) - (1 if (before + len(data)) % 3 else 0)]
        forms |= {inner, inner.replace("+", "-").replace("/", "_")}
    forms |= {data.hex(), data.hex().upper()}
    return {form for form in forms if len(form) >= SHORTEST}


def _head(form: str) -> str:
    """As much of its beginning as gives it away: half. All of it where a name stands before a short password."""
    return form if ":" in form else form[: max(SHORTEST, (len(form) + 1) // 2)]


def _shared(form: str, text: str, start: int) -> int:
    """How many characters `form` takes at `start`; none where not even its head stands there.

    Backslashes that another quoting put in between are passed over.
    """
    if not text.startswith(_head(form), start):
        return 0
    same, at = len(_head(form)), start + len(_head(form))
    end = at
    while same < len(form) and at < len(text):
        if text[at] == form[same]:
            same, end = same + 1, at + 1
        elif text[at] != "\\":
            break
        at += 1
    return end - start
