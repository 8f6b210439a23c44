"""The meaning of a line typed at a question: Auto-GPT's grammar without its traps.

Only a clear authorisation authorises. An unclear line asks again. Longer text is feedback.
"""

from __future__ import annotations

import re

from autocraft.frozen import frozen


@frozen
class Authorise:
    """``y`` (turns 0), or ``y -N``: run this and the next `turns` - 1."""

    turns: int = 0


@frozen
class Stop:
    """``n``, or the end of input."""


@frozen
class Always:
    """``a``: always allow this command name."""


@frozen
class Edit:
    """``e``: change the arguments first."""


@frozen
class Slash:
    """A slash command and the rest of its line."""

    name: str
    rest: str = ""


@frozen
class Again:
    """Not understood, or too short to be sure: ask again and say why."""

    why: str


@frozen
class Feedback:
    """The command is refused, and this text goes to the model."""

    text: str


Meaning = Authorise | Stop | Always | Edit | Slash | Again | Feedback

_UNSURE = frozenset(["yes", "no", "q", "quit", "exit", "help", "h", "ok", "okay", "stop", "cancel", "continue"])


def understand(line: str | None) -> Meaning:
    """Return the meaning of one answer. A pasted block of several lines is one answer, and always feedback."""
    if line is None:
        return Stop()
    text = line.strip()
    if text.startswith("//"):
        text = text[2:].strip()
        return Feedback(text) if text else Again("there is no feedback after //")
    if "\n" in text or "\r" in text:
        return Feedback(text)
    match text.lower():
        case "":
            return Again("an empty line is not an answer: type y for yes, n to exit, or your feedback")
        case "y":
            return Authorise()
        case "n":
            return Stop()
        case "a":
            return Always()
        case "e":
            return Edit()
        case "?":
            return Slash("help")
        case word if word in _UNSURE:
            return Again(f"'{text}' is not clear: type y for yes, n to exit, or ? for help")
    budget = re.fullmatch(r"y(?:\s+|(?=-?\s*[0-9]))(-?\w*|-.*)", text, re.IGNORECASE)
    if budget is not None:
        return _budget(text, budget[1])
    if text.startswith("/"):
        name, _, rest = text[1:].partition(" ")
        return Slash(name.lower(), rest.strip())
    return Feedback(text)


def _budget(text: str, count: str) -> Meaning:
    """Return the meaning of ``y -N``, also without its dash. Text after y that is not a number is feedback."""
    if re.fullmatch(r"-[0-9]{1,9}", count) and int(count) < 0:
        return Authorise(-int(count))
    if count.startswith("-") or count[:1].isdigit():
        return Again(f"'{text}' is not understood: type y -N with N at least 1, such as y -3")
    return Feedback(text)
