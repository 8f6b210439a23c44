"""Telling words from random characters, since a secret made of words must not be cut out of ordinary text.

No list of words is kept. A run of letters counts as a word when English could spell it: it has a vowel, and no two
letters in it stand side by side that English words do not have.
"""

from __future__ import annotations

import re
from itertools import pairwise

SHORTEST = 8
"""A shorter secret would be cut out of words that have nothing to do with it."""
_LONGEST_WORD = 12
_NEVER = {
    "a": "q", "b": "fhknqvwxz", "c": "bgjqwxz", "d": "qxz", "f": "bcghjkmpqvwxz", "g": "bjkqvwx", "h": "bcfghjpqvxz",
    "i": "hw", "j": "bcdfghjklmnqrtvwxyz", "k": "bcdfjqvxz", "l": "jqwz", "m": "fhjqrtvwxz", "n": "qx", "o": "q",
    "p": "bjkqvxz", "q": "abcdefghijklmnopqrstvwxyz", "r": "jqx", "s": "bjx", "t": "jqv", "u": "hjquvwy",
    "v": "bdfghjklmnpqrtuvwxyz", "w": "bfgjkmpqtuvwxyz", "x": "bdfghjklnoqruvwyz", "y": "dfhjkqvwxyz",
    "z": "bcdfgjkmnpqrtuvwx",
}  # fmt: skip
"""Letter -> the letters that hardly ever follow it: fewer than 12 of 100,000 pairs in the words of English manuals."""
_RUN = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|[^\W_A-Za-z]+")
_ODD = re.compile("[^aeiouy]{5}|[aeiou]{4}")
_SINGLE = re.compile(r"(?:[A-Z]?[a-z]+|[A-Z]+)\d{0,2}")


def random_characters(text: str) -> int:
    """Count the letters and digits of `text` that belong to no word."""
    return sum(len(run) for run in _RUN.findall(text) if not _is_word(run.lower()))


def is_weak(text: str) -> bool:
    """Return whether `text` consists of words, or of digits alone, but for a few characters."""
    return text.isdigit() or random_characters(text) < SHORTEST


def is_one_word(text: str) -> bool:
    """Return whether `text` is a single word, such as ``postgres`` or ``Password1``."""
    return len(text) <= _LONGEST_WORD + 2 and _SINGLE.fullmatch(text) is not None and random_characters(text) <= 2


def _is_word(letters: str) -> bool:
    if not 3 <= len(letters) <= 2 * _LONGEST_WORD or _ODD.search(letters) or not re.search("[aeiouy]", letters):
        return False
    return letters.isascii() and all(after not in _NEVER.get(letter, "") for letter, after in pairwise(letters))
