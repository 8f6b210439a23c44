"""Cutting secrets out of text: a key or password, however it is spelled, becomes ``[key removed: NAME]``.

`finding.py` says which values are secrets, `words.py` which of them are ordinary words, and `mask.py` cuts them out.
"""

from autocraft.text.redact.finding import named_words, passwords_in, secrets_in
from autocraft.text.redact.mask import REMOVED, Mask

__all__ = ["REMOVED", "Mask", "named_words", "passwords_in", "secrets_in"]
