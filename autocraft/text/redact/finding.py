"""Which values are secrets: by the name that holds them, and by the parts inside them that have names of their own."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from autocraft.text.redact.words import SHORTEST, is_one_word, is_weak, random_characters

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_SECRET_NAME = re.compile(
    r"PASSWORD|PASSWORT|KENNWORT|PASSWD|PASSPHRASE|PASSCODE|SECRET(?!AR)|CREDENTIAL|APIKEY|WEBHOOK|MNEMONIC|CONN(?:ECTION)?_?STR(?:ING)?"
    r"|(?:KEYS?|TOKENS?|AUTH|AUTHORIZATION|PWD|PASS)(?=_|$)"  # at the end of a word: DBPASS, GHTOKEN, SECRETKEY
    r"|(?:^|_)(?:PW|PAT|DSN|SAS|SIG|SIGNATURE|JWT|CREDS?|COOKIES?|BEARER|SALT|SEED_PHRASE)(?=_|$)"
)
_OTHER_WORD = re.compile(
    r"(?:BY|COM|OVER|TRES|SUR|UNDER|ASK)PASS(?=_|$)|(?:HOT|MON|TUR|DON|WHIS|HOC|JOC)KEYS?(?=_|$)"
    r"|PUB(?:LIC)?_?KEYS?(?=_|$)|PUBLISHABLE_KEYS?(?=_|$)"
    r"|(?:^|_)(?:SORT|FOREIGN|PARTITION)_KEYS?(?=_|$)"
)
"""Ordinary words that end like a key's name, and keys that are there to be seen."""
_ABOUT = re.compile(
    "FILES?|PATHS?|DIRS?|DIRECTORY|FOLDER|SOCK|SOCKET|HOSTS?|DOMAIN|PORT|URL|URI|ENDPOINT|NAME|USER|USERNAME|LIMIT|COUNT"
    "|SIZE|LENGTH|LEN|TTL|TIMEOUT|EXPIRY|EXPIRES|EXPIRATION|AGE|DAYS|HOURS|MINUTES|SECONDS|TYPE|METHOD|MODE|ENABLED"
    "|DISABLED|REQUIRED|ALGORITHM|ALG|ISSUER|AUDIENCE|HEADER|PREFIX|SUFFIX|VERSION|FORMAT|POLICY|PROVIDER|BACKEND|REGION"
    "|PARALLELISM|HELP"
)
"""Last words of names whose value tells something about a secret: where it lies, how long it holds."""
_SECRET_ALL_THE_SAME = {("WEBHOOK", "URL"), ("AUTH", "HEADER"), ("AUTHORIZATION", "HEADER")}
_NUMBERS = frozenset(["MAX", "MIN", "NUM"])
_COUNTED = frozenset(["TOKENS", "KEYS"])
_FOLDERS = frozenset(["PWD", "OLDPWD"])
_IN_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]*://([^\s/?#@]*:[^\s/?#]*)@", re.I)
_PART = re.compile(r"""(?:^|[;&?\s])-{0,2}([A-Za-z][\w .-]{0,60}?)\s*=\s*("[^"]*"|'[^']*'|[^;&\s]+)""")


def secrets_in(values: Mapping[str, str]) -> dict[str, str]:
    """Return each secret among named values, as an environment or a `.env` holds them, with the name that holds it."""
    secrets: dict[str, str] = {}
    for name, value in values.items():
        for secret in _secrets_of(name, value):
            secrets.setdefault(secret, name)
    return secrets


def named_words(words: Sequence[object]) -> Iterator[tuple[str, str]]:
    """Yield (option before it, word) and (text before a colon, text after it) for each word, each with a number."""
    for number, (before, word) in enumerate(pairwise(map(str, ["", *words]))):
        name, _, text = word.partition(":")
        yield f"{before if before.startswith('-') else ''}_{number}", word
        yield f"{name}_{number}", text


def passwords_in(text: str) -> list[str]:
    """Return the password of each address in a text, also without percent signs; ``user:password`` where the
    password alone is too short, or too ordinary, to be told from words."""
    passwords = []
    for pair in _IN_ADDRESS.findall(text):
        for whole in (pair, unquote(pair)):
            passwords.append(_unless_word(whole.partition(":")[2], whole))
    return passwords


def names_a_secret(name: str) -> bool:
    """Return whether a name says that its value is a secret. Names are read word by word, in any style of writing."""
    words = [word.upper() for word in _WORD.findall(name)]
    whole = _OTHER_WORD.sub("", "_".join(words))
    if not words or whole in _FOLDERS or (_NUMBERS.intersection(words) and _COUNTED.intersection(words)):
        return False
    return bool(_SECRET_NAME.search(whole)) and (
        not _ABOUT.fullmatch(words[-1]) or tuple(words[-2:]) in _SECRET_ALL_THE_SAME
    )


def _secrets_of(name: str, value: str) -> Iterator[str]:
    """Yield each text of a named value that must not be written, the whole value first."""
    yield from passwords_in(value)
    secret = names_a_secret(name) and not _is_path(value)
    if value.lstrip().startswith(("{", "[")):
        with suppress(ValueError, RecursionError):
            yield from _inside(json.loads(value), secret)
    if secret:
        yield value.strip()
        yield from _pieces(value)
    if "=" in value:
        yield from _parts(value)


def _is_path(value: str) -> bool:
    """Tell whether a value that begins like a path is one. A random key may begin with a slash too.

    A path is on this disk, or it has at least three parts, all made of words.
    """
    if not re.match(r"/|~|\.\.?/|[A-Za-z]:[\\/]", value):
        return False
    with suppress(OSError, ValueError, RuntimeError):
        if Path(value).expanduser().exists():
            return True
    return len(value.strip("/").split("/")) >= 3 and is_weak(value)


def _pieces(value: str) -> Iterator[str]:
    """Yield the random pieces of a value with blanks or lines: a token after ``Bearer``, the lines of a PEM key."""
    pieces = re.split(r"\s+|\\[nr]", value)
    for piece in pieces:
        if len(pieces) > 1 and piece and not piece.startswith("-----") and _is_random(piece):
            yield piece
        with suppress(ValueError):  # user:password in base64, as HTTP and Docker write it
            pair = base64.b64decode(piece, validate=True).decode("ascii")
            if ":" in pair and pair.isprintable():
                yield _unless_word(pair.partition(":")[2], pair)


def _parts(value: str) -> Iterator[str]:
    """Yield the values of secret names in ``Server=db;Password=…``, in the query of an address or in options."""
    for name, text in _PART.findall(value):
        part = text.strip("\"'")
        if names_a_secret(name) and not _is_path(part):
            for each in {part, unquote(part)}:
                yield _unless_word(each, f"{name}={each}")


def _inside(value: Any, secret: bool, name: str = "") -> Iterator[str]:
    """Yield the secrets in a JSON value: texts under secret names, and random texts if the variable is `secret`."""
    if isinstance(value, dict):
        for key, each in value.items():
            yield from _inside(each, secret, key)
    elif isinstance(value, list):
        for each in value:
            yield from _inside(each, secret, name)
    elif isinstance(value, str) and (names_a_secret(name) or (secret and _is_random(value))) and not _is_path(value):
        yield value
        yield from _pieces(value)


def _unless_word(password: str, whole: str) -> str:
    """Return the password, or what it stands in where the password alone is too short or a single word."""
    return whole if len(password) < SHORTEST or is_one_word(password) else password


def _is_random(piece: str) -> bool:
    return random_characters(piece) * 2 >= len(piece)
