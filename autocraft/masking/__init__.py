"""Cutting secrets out of text: a key or password, however it is spelled, becomes ``[key removed: NAME]``.

`finding.py` says which values are secrets, `words.py` which of them are ordinary words, and `mask.py` cuts them out.
Neighbours: `settings.py` collects the secrets; `journal.py`, `thinker.py`, `cli/` and `console/` cut them out of what
is written, sent and shown; `commands/registry.py` refuses a command whose arguments hold one.
"""

from autocraft.masking.finding import passwords_in, secrets_in
from autocraft.masking.mask import REMOVED, Mask

__all__ = ["REMOVED", "Mask", "passwords_in", "secrets_in"]
