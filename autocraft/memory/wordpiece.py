"""BERT's tokenisation for models that know small letters only: words, then the longest pieces that the vocabulary has.

Own code after the description of WordPiece in Devlin et al. 2018; `data/README.md` says where the vocabulary is from.
Neighbour: `minilm.py`.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from functools import cache
from pathlib import Path

START, END, UNKNOWN = "[CLS]", "[SEP]", "[UNK]"
_SPECIAL = ("[UNK]", "[SEP]", "[PAD]", "[CLS]", "[MASK]")
_LONGEST_WORD = 100
_HAN = (
    (0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F), (0x2B740, 0x2B81F),
    (0x2B920, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F),
)  # fmt: skip


@cache
def vocabulary() -> dict[str, int]:
    """Each piece and its number; read once."""
    text = (Path(__file__).parent / "data" / "vocab.txt").read_text(encoding="utf-8")
    return {piece: number for number, piece in enumerate(text.split("\n")[:-1])}


def numbers(text: str, most: int) -> list[int]:
    """The numbers of a text's pieces between those of start and end, `most` at most in all."""
    known = vocabulary()
    found = [known[START]]
    for word in _words(text):
        found += _pieces(word, known)
        if len(found) >= most:
            break
    return [*found[: most - 1], known[END]]


def _words(text: str) -> Iterator[str]:
    """Words in small letters without accents; each punctuation mark and Han character stands alone."""
    at = 0
    while at < len(text):  # a special piece that is spelled out counts as such, as it does for the original
        start, special = min(((text.find(each, at), each) for each in _SPECIAL if each in text[at:]), default=(-1, ""))
        yield from _plain_words(text[at:] if start < 0 else text[at:start])
        if start < 0:
            return
        yield special
        at = start + len(special)


def _plain_words(text: str) -> Iterator[str]:
    spaced = "".join(_spaced(char) for char in text)
    plain = "".join(char for char in unicodedata.normalize("NFD", spaced) if unicodedata.category(char) != "Mn")
    for word in plain.lower().split():
        start = 0
        for at, char in enumerate(word):
            if _is_punctuation(char):
                if start < at:
                    yield word[start:at]
                yield char
                start = at + 1
        if start < len(word):
            yield word[start:]


def _spaced(char: str) -> str:
    """A character as the words are cut from it: blanks plain, control characters gone, Han apart."""
    if char in "\t\n\r":
        return " "
    code = ord(char)
    if code in (0, 0xFFFD):
        return ""
    if any(first <= code <= last for first, last in _HAN):
        return f" {char} "
    category = unicodedata.category(char)
    if category in ("Cc", "Cf", "Cs", "Co"):
        return ""
    return " " if category == "Zs" else char


def _is_punctuation(char: str) -> bool:
    return char in "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~" or unicodedata.category(char).startswith("P")


def _pieces(word: str, known: dict[str, int]) -> list[int]:
    """The longest piece from the start, then from there on; one unknown where that leads nowhere."""
    if word in known and (word in _SPECIAL or not word.startswith("##")):
        return [known[word]]
    if len(word) > _LONGEST_WORD:
        return [known[UNKNOWN]]
    found: list[int] = []
    start = 0
    while start < len(word):
        end = len(word)
        while end > start and (word[start:end] if start == 0 else f"##{word[start:end]}") not in known:
            end -= 1
        if end == start:
            return [known[UNKNOWN]]
        found.append(known[word[start:end] if start == 0 else f"##{word[start:end]}"])
        start = end
    return found
